"""Filter for requests by host, origin, path and address.

A web page on another site can make a local browser send requests here. So a request must name this server, use one
of its paths, come from its own page, and not come from the Internet. A refusal contains only a status code and, if the
host name was wrong, the right address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

MISDIRECTED, FORBIDDEN, NOT_FOUND, NOT_ALLOWED, BAD_REQUEST = 421, 403, 404, 405, 400
"""HTTP status codes of refused requests."""

MAX_HEADER_BYTES = 8192

_AVAHI_NAME = re.compile(r"([a-z0-9-]+)-(?:[2-9]|[1-9][0-9]+)(\.local)", re.ASCII)
_NUMBER_OF_NAME = re.compile(r"-[0-9]+(?=\.local$)", re.ASCII)

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class HostFilter:
    """A filter that decides which requests to accept.

    Attributes:
        paths: valid raw paths for each scope type, `http` or `websocket`.
        names: host names of this machine, such as `pond.local`. Its addresses are always valid.
    """

    paths: Mapping[str, Set[bytes]]
    names: Set[str] = field(default_factory=frozenset)

    def find_refusal(self, scope: Mapping[str, Any]) -> int | None:
        """Return the HTTP status with which to refuse an ASGI request; None to accept it."""
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
        """Return True if a request names this server by its address or an allowed name.

        Another site can make its own name resolve to this machine, but cannot make a browser send our address.
        """
        if host == format_own_host(address, port):
            return True
        name, _, named_port = host.rpartition(":")
        is_name = name in self.names or self._is_avahi_name(name)
        is_local = name == "localhost" and _parse_address(address).is_loopback
        return (is_name or is_local) and named_port == str(port)

    def _is_avahi_name(self, name: str) -> bool:
        """Return True for a name such as pond-2.local if pond.local is allowed. Avahi adds a number if a name is already taken."""
        found = _AVAHI_NAME.fullmatch(name)
        return found is not None and any(_NUMBER_OF_NAME.sub("", own) == found[1] + found[2] for own in self.names)


def _parse_address(text: str) -> IPv4Address | IPv6Address:
    """Parse an IP address, unwrapping IPv4 addresses mapped to IPv6."""
    address = ip_address(text.partition("%")[0])
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def find_network(address: str) -> str:
    """Return the network that limits apply to: an IPv4 address or a /64 IPv6 network.

    A machine can use any number of IPv6 addresses in its network.
    """
    if not address:
        return address
    parsed = _parse_address(address)
    return str(parsed) if isinstance(parsed, IPv4Address) else str(IPv6Network((parsed, 64), strict=False))


def format_own_host(address: str, port: int) -> str:
    """Return the local address and port of a connection, as a browser writes them."""
    return format_host(str(_parse_address(address)), port)


def format_host(address: str, port: int) -> str:
    """Return an IP address and port as a browser writes them."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _origins_allowed(kind: str, host: str) -> tuple[list[str], ...]:
    """Return the allowed lists of Origin headers: our own page or, for plain HTTP only, no header at all."""
    own = [f"http://{host}"]
    return (own,) if kind == "websocket" else (own, [])


def _all_values(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]


def _only_value(headers: Headers, name: bytes) -> str | None:
    values = _all_values(headers, name)
    return values[0].lower() if len(values) == 1 and values[0].isascii() else None


def _has_body(headers: Headers) -> bool:
    lengths = _all_values(headers, b"content-length")
    return bool(_all_values(headers, b"transfer-encoding")) or lengths not in ([], ["0"])
