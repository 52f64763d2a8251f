"""Addresses at which browsers can open the page, and their QR codes."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path

from pond_hw.web.host_filter import format_host

NETWORK_DEVICES = Path("/sys/class/net")
IPV6_ADDRESSES = Path("/proc/net/if_inet6")

SIOCGIFADDR = 0x8915
"""Linux ioctl for the IPv4 address of a network device."""

UNUSED_ADDRESSES = {4: "192.0.2.1", 6: "2001:db8::1"}
"""Addresses reserved for documentation, used to look up a route. Nothing is sent there."""


BLACK_ON_WHITE, PLAIN = "\x1b[38;5;16;48;5;231m", "\x1b[0m"
"""Escape sequences for black on white, whatever colours the terminal uses, and for its default colours."""

HALF_BLOCKS = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}
"""Characters that show two squares, one above the other."""

BORDER_SQUARES = 4
"""Width of the white border, in squares."""


def list_page_addresses(address: str, port: int, names: Collection[str] = ()) -> list[str]:
    """List the URLs of the page, starting with the one that works on most phones.

    Args:
        address: address that the server listens on; 0.0.0.0 and :: mean all addresses.
        port: port of the server.
        names: names of this machine.
    """
    listened = ip_address(address)
    if listened.is_loopback:
        names = ()
    if listened.is_unspecified:
        hosts = [format_host(own, port) for own in list_own_addresses(listened.version)]
    else:
        hosts = [format_host(address, port)]
    hosts += [f"{name}:{port}" for name in sorted(names)]
    loopback = "::1" if listened.version == 6 else "127.0.0.1"
    return [f"http://{host}/" for host in hosts or [format_host(loopback, port)]]


def can_phones_open(address: str) -> bool:
    """Return True if other devices can reach a page at this address."""
    return not ip_address(address).is_loopback


def find_free_port(address: str, default: int) -> int:
    """Return the default port if it is free at this address; otherwise any free port."""
    family = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
    for port in (default, 0):
        with suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as trying:
            trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trying.bind((address, port))
            return int(trying.getsockname()[1])
    return default


def list_own_addresses(version: int) -> list[str]:
    """List this machine's addresses. If it has physical network devices, list only theirs.

    Phones cannot reach the bridges of virtual machines and containers.
    """
    devices = _list_devices()
    found = list(dict.fromkeys(_read_ipv6(devices) if version == 6 else _query_ipv4(devices)))
    return found or list(_find_route_address(version))


def _list_devices() -> list[str]:
    with suppress(OSError):
        return sorted(path.name for path in NETWORK_DEVICES.iterdir() if (path / "device").exists())
    return []


def _query_ipv4(devices: Collection[str]) -> Iterator[str]:
    if not sys.platform.startswith("linux"):
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device_socket:
        for device in devices:
            with suppress(OSError):  # the device has no address
                answer = fcntl.ioctl(device_socket.fileno(), SIOCGIFADDR, struct.pack("256s", os.fsencode(device)[:15]))
                yield socket.inet_ntoa(answer[20:24])


def _read_ipv6(devices: Collection[str]) -> Iterator[str]:
    with suppress(OSError, ValueError):
        for line in IPV6_ADDRESSES.read_text(encoding="ascii").splitlines():
            digits, _, _, _, _, device = line.split()
            own = IPv6Address(bytes.fromhex(digits))
            if device in devices and not own.is_link_local:
                yield str(own)


def _find_route_address(version: int) -> Iterator[str]:
    """Yield the local address from which this machine reaches other networks, if any."""
    family = socket.AF_INET6 if version == 6 else socket.AF_INET
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as route_socket:
        route_socket.connect((UNUSED_ADDRESSES[version], 9))
        own = str(route_socket.getsockname()[0])
        if not ip_address(own).is_loopback:
            yield own


def draw_qr_code(text: str) -> list[str]:
    """Return the lines of a QR code, readable on dark and light terminals."""
    import segno

    squares = [list(row) for row in segno.make_qr(text, error="m").matrix_iter(border=BORDER_SQUARES)]
    if len(squares) % 2:
        squares.append([0] * len(squares[0]))
    rows = zip(squares[::2], squares[1::2], strict=True)
    return [f"{BLACK_ON_WHITE}{''.join(HALF_BLOCKS[pair] for pair in zip(*two, strict=True))}{PLAIN}" for two in rows]


def print_qr_code(text: str) -> None:
    """Print a QR code if standard output is a terminal with enough columns."""
    if not sys.stdout.isatty():
        return
    lines = draw_qr_code(text)
    columns = len(lines[0]) - len(BLACK_ON_WHITE + PLAIN)
    if shutil.get_terminal_size().columns >= columns:
        print(*lines, sep="\n", flush=True)
