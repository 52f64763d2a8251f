"""Addresses of the page for phones, and its QR code."""

import socket

import pytest

from pond_hw.web import page_address
from tests.conftest import each, require, skip_outside_ci

require("segno", "it draws the QR code")

import segno  # noqa: E402


@pytest.fixture
def machine(monkeypatch):
    """A machine with Ethernet and Wi-Fi."""
    monkeypatch.setattr(page_address, "_query_ipv4", lambda _: iter(["192.168.1.7", "10.42.0.1", "192.168.1.7"]))
    monkeypatch.setattr(page_address, "_read_ipv6", lambda _: iter(["fd00::7"]))


@each(
    "address, names, addresses",
    [
        ("127.0.0.1", [], ["127.0.0.1:7663"]),
        ("127.0.0.1", ["pond.local"], ["127.0.0.1:7663"]),  # phones cannot reach it by any name
        ("::1", [], ["[::1]:7663"]),
        ("192.168.1.7", [], ["192.168.1.7:7663"]),
        ("192.168.1.7", ["pond.local", "lilies"], ["192.168.1.7:7663", "lilies:7663", "pond.local:7663"]),
        ("0.0.0.0", ["pond.local"], ["192.168.1.7:7663", "10.42.0.1:7663", "pond.local:7663"]),
        ("::", [], ["[fd00::7]:7663"]),
    ],
)
def test_only_reachable_addresses_are_listed(machine, address, names, addresses):
    listed = page_address.list_page_addresses(address, 7663, frozenset(names))
    assert listed == [f"http://{host}/" for host in addresses]


@each("version, address", [(4, "0.0.0.0"), (6, "::")])
def test_loopback_address_is_listed_without_a_network(monkeypatch, version, address):
    monkeypatch.setattr(page_address, "list_own_addresses", lambda _: [])
    here = {4: "127.0.0.1", 6: "[::1]"}[version]
    assert page_address.list_page_addresses(address, 7663) == [f"http://{here}:7663/"]
    assert page_address.list_page_addresses(address, 7663, {"pond.local"}) == ["http://pond.local:7663/"]


def test_local_addresses_can_be_bound():
    own = page_address.list_own_addresses(4)
    if not own:
        skip_outside_ci("needs a network")
    for address in own:
        socket.create_server((address, 0)).close()


def test_container_bridges_are_omitted(monkeypatch, tmp_path):
    for device in ("docker0", "lo", "wlan0"):
        (tmp_path / device).mkdir()
    (tmp_path / "wlan0/device").mkdir()
    monkeypatch.setattr(page_address, "NETWORK_DEVICES", tmp_path)
    assert page_address._list_devices() == ["wlan0"]
    lines = ["fe80000000000000000000000000aa01 02 40 20 80 wlan0", "fd000000000000000000000000000007 02 40 00 80 wlan0"]
    lines += ["fd000000000000000000000000000009 03 40 00 80 docker0", "00000000000000000000000000000001 01 80 10 80 lo"]
    monkeypatch.setattr(page_address, "IPV6_ADDRESSES", tmp_path / "if_inet6")
    (tmp_path / "if_inet6").write_text("\n".join(lines))
    assert page_address.list_own_addresses(6) == ["fd00::7"]


@each(
    "address, can", [("127.0.0.1", False), ("::1", False), ("0.0.0.0", True), ("192.168.1.7", True), ("fd00::7", True)]
)
def test_loopback_is_closed_to_phones(address, can):
    assert page_address.can_phones_open(address) == can


def test_port_in_use_is_replaced():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        other = page_address.find_free_port("127.0.0.1", port)
        assert other not in (0, port)
    assert page_address.find_free_port("127.0.0.1", port) == port


def squares(lines):
    """Return the modules of a drawn code: 1 for dark, 0 for light."""
    pairs = {sign: pair for pair, sign in page_address.HALF_BLOCKS.items()}
    rows = []
    for line in lines:
        signs = line.removeprefix(page_address.BLACK_ON_WHITE).removesuffix(page_address.PLAIN)
        rows += [[pairs[sign][half] for sign in signs] for half in (0, 1)]
    return rows


@each("text", ["http://192.168.1.7:7663/", "http://[fd00::7]:7663/", "WIFI:T:WPA;S:Pond;P:abcd-efgh-2345;;"])
def test_qr_code_is_black_on_white(text):
    lines = page_address.draw_qr_code(text)
    assert all(line.startswith(page_address.BLACK_ON_WHITE) and line.endswith(page_address.PLAIN) for line in lines)
    code = segno.make_qr(text, error="m")
    wanted = [list(row) for row in code.matrix]
    drawn, size, edge = squares(lines), len(wanted), page_address.BORDER_SQUARES
    assert [row[edge:-edge] for row in drawn[edge : edge + size]] == wanted
    assert not any(any(row) for row in drawn[:edge] + drawn[edge + size :])
    assert not any(any(row[:edge] + row[-edge:]) for row in drawn)


def test_qr_code_needs_a_large_enough_terminal(capsys, monkeypatch):
    page_address.print_qr_code("http://192.168.1.7:7663/")
    assert capsys.readouterr().out == ""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "30")
    page_address.print_qr_code("http://192.168.1.7:7663/")
    assert capsys.readouterr().out == ""
    monkeypatch.setenv("COLUMNS", "80")
    page_address.print_qr_code("http://192.168.1.7:7663/")
    assert len(capsys.readouterr().out.splitlines()) == len(page_address.draw_qr_code("http://192.168.1.7:7663/"))
