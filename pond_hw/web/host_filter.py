"""A filter of requests by host, origin, path and address, before anything else looks at them.

Pure. A browser on the same network may be sent here by a page from elsewhere, so a request has to name this very
server, one of its few paths, and come from no other page and from nobody in the Internet. What is refused learns a
number and nothing else, but for the address of this server if it came by a wrong name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

MISDIRECTED, FORBIDDEN, NOT_FOUND, NOT_ALLOWED, BAD_REQUEST = 421, 403, 404, 405, 400
"""The HTTP statuses of refusals."""

MAX_HEADER_BYTES = 8192

_SECOND_NAME = re.compile(r"([a-z0-9-]+)-(?:[2-9]|[1-9][0-9]+)(\.local)", re.ASCII)
_NUMBER_OF_NAME = re.compile(r"-[0-9]+(?=\.local$)", re.ASCII)

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class HostFilter:
    """Decides which requests are let in.

    Attributes:
        paths: the raw paths that there are, by what comes in at them: `http` or `websocket`.
        names: names of this machine that a request may be for, such as `pond.local`. Its addresses always are.
    """

    paths: Mapping[str, Set[bytes]]
    names: Set[str] = field(default_factory=frozenset)

    def find_refusal(self, scope: Mapping[str, Any]) -> int | None:
        """The HTTP status with which a request is refused, or None if it may come in.

        Args:
            scope: the request, as ASGI describes it; `raw_path`, `headers`, `method`, `server`, `client`.
        """
        kind, headers = scope["type"], tuple(scope["headers"])
        if kind not in self.paths:
            return BAD_REQUEST
        if scope.get("client") and _parse_address(scope["client"][0]).is_global:
            return FORBIDDEN
        host = _only_value(headers, b"host")
        is_too_long = sum(len(name) + len(value) for name, value in headers) > MAX_HEADER_BYTES
        if host is None or is_too_long or _has_body(headers):
            return BAD_REQUEST
        if not self._is_own_host(host, *scope["server"]):
            return MISDIRECTED
        if _all_values(headers, b"origin") not in _origins_allowed(kind, host):
            return FORBIDDEN
        if scope["raw_path"] not in self.paths[kind]:
            return NOT_FOUND
        if kind == "http" and scope["method"] not in ("GET", "HEAD"):
            return NOT_ALLOWED
        return None

    def _is_own_host(self, host: str, address: str, port: int) -> bool:
        """True if a request names this server as its host, by its address or by a name that is allowed.

        A page from elsewhere can make its own name point here, but it cannot make a browser say our address.
        """
        if host == format_own_host(address, port):
            return True
        name, _, named_port = host.rpartition(":")
        is_name = name in self.names or self._is_second_name(name)
        is_local = name == "localhost" and _parse_address(address).is_loopback
        return (is_name or is_local) and named_port == str(port)

    def _is_second_name(self, name: str) -> bool:
        """True for pond-2.local if pond.local is a name: Avahi counts on when another machine has the name."""
        found = _SECOND_NAME.fullmatch(name)
        return found is not None and any(_NUMBER_OF_NAME.sub("", own) == found[1] + found[2] for own in self.names)


def _parse_address(text: str) -> IPv4Address | IPv6Address:
    """An IP address. Who listens at :: meets IPv4 addresses inside of IPv6 ones."""
    address = ip_address(text.partition("%")[0])
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def find_network(address: str) -> str:
    """Return what limits count by: an IPv4 address, or the /64 network of an IPv6 one.

    A machine can have as many IPv6 addresses of its network as it likes.
    """
    if not address:
        return address
    parsed = _parse_address(address)
    return str(parsed) if isinstance(parsed, IPv4Address) else str(IPv6Network((parsed, 64), strict=False))


def format_own_host(address: str, port: int) -> str:
    """The address and port at which a connection has come in, as a browser writes them."""
    return format_host(str(_parse_address(address)), port)


def format_host(address: str, port: int) -> str:
    """An IP address and a port as a browser writes them."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _origins_allowed(kind: str, host: str) -> tuple[list[str], ...]:
    """The values of Origin that a request may have: its own page's, and for what is no WebSocket none at all."""
    own = [f"http://{host}"]
    return (own,) if kind == "websocket" else (own, [])


def _all_values(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]


def _only_value(headers: Headers, name: bytes) -> str | None:
    values = _all_values(headers, name)
    return values[0].lower() if len(values) == 1 and values[0].isascii() else None


def _has_body(headers: Headers) -> bool:
    """Return True if a request has a body: nothing here takes one."""
    lengths = _all_values(headers, b"content-length")
    return bool(_all_values(headers, b"transfer-encoding")) or lengths not in ([], ["0"])
