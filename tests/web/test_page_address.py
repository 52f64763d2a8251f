"""Where phones find the page, as an address and as a QR code."""

import socket

import pytest

from pond_hw.web import page_address
from tests.conftest import each, lacks, need

need("segno", "it draws the QR code")

import segno  # noqa: E402


@pytest.fixture
def machine(monkeypatch):
    """A machine with a cable and a Wi-Fi."""
    monkeypatch.setattr(page_address, "_ask_ipv4", lambda _: iter(["192.168.1.7", "10.42.0.1", "192.168.1.7"]))
    monkeypatch.setattr(page_address, "_ask_ipv6", lambda _: iter(["fd00::7"]))


@each(
    "address, names, addresses",
    [
        ("127.0.0.1", [], ["127.0.0.1:7663"]),
        ("127.0.0.1", ["pond.local"], ["127.0.0.1:7663"]),  # no phone comes in there, whatever its name
        ("::1", [], ["[::1]:7663"]),
        ("192.168.1.7", [], ["192.168.1.7:7663"]),
        ("192.168.1.7", ["pond.local", "lilies"], ["192.168.1.7:7663", "lilies:7663", "pond.local:7663"]),
        ("0.0.0.0", ["pond.local"], ["192.168.1.7:7663", "10.42.0.1:7663", "pond.local:7663"]),
        ("::", [], ["[fd00::7]:7663"]),
    ],
)
def test_only_what_a_browser_can_open_is_told(machine, address, names, addresses):
    told = page_address.list_page_addresses(address, 7663, frozenset(names))
    assert told == [f"http://{host}/" for host in addresses]


@each("version, address", [(4, "0.0.0.0"), (6, "::")])
def test_in_no_network_at_all_it_is_still_here(monkeypatch, version, address):
    monkeypatch.setattr(page_address, "list_own_addresses", lambda _: [])
    here = {4: "127.0.0.1", 6: "[::1]"}[version]
    assert page_address.list_page_addresses(address, 7663) == [f"http://{here}:7663/"]
    assert page_address.list_page_addresses(address, 7663, {"pond.local"}) == ["http://pond.local:7663/"]


def test_the_addresses_of_this_very_machine_can_be_listened_at():
    own = page_address.list_own_addresses(4)
    if not own:
        lacks("needs a network")
    for address in own:
        socket.create_server((address, 0)).close()


def test_bridges_of_containers_are_left_out_where_there_is_a_real_device(monkeypatch, tmp_path):
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
def test_phones_cannot_come_in_where_only_this_machine_can(address, can):
    assert page_address.can_phones_open(address) == can


def test_a_port_that_is_taken_gives_way_to_another():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        other = page_address.find_free_port("127.0.0.1", port)
        assert other not in (0, port)
    assert page_address.find_free_port("127.0.0.1", port) == port


def squares(lines):
    """The squares of a drawn code: 1 where ink is."""
    pairs = {sign: pair for pair, sign in page_address.HALVES.items()}
    rows = []
    for line in lines:
        signs = line.removeprefix(page_address.BLACK_ON_WHITE).removesuffix(page_address.PLAIN)
        rows += [[pairs[sign][half] for sign in signs] for half in (0, 1)]
    return rows


@each("text", ["http://192.168.1.7:7663/", "http://[fd00::7]:7663/", "WIFI:T:WPA;S:Pond;P:abcd-efgh-2345;;"])
def test_a_code_is_drawn_black_on_white_with_white_around_it(text):
    lines = page_address.draw_qr_code(text)
    assert all(line.startswith(page_address.BLACK_ON_WHITE) and line.endswith(page_address.PLAIN) for line in lines)
    code = segno.make_qr(text, error="m")
    wanted = [list(row) for row in code.matrix]
    drawn, size, edge = squares(lines), len(wanted), page_address.QUIET_SQUARES
    assert [row[edge:-edge] for row in drawn[edge : edge + size]] == wanted
    assert not any(any(row) for row in drawn[:edge] + drawn[edge + size :])
    assert not any(any(row[:edge] + row[-edge:]) for row in drawn)


def test_a_code_goes_to_a_terminal_with_room_for_it_and_nowhere_else(capsys, monkeypatch):
    page_address.print_qr_code("http://192.168.1.7:7663/")
    assert capsys.readouterr().out == ""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "30")
    page_address.print_qr_code("http://192.168.1.7:7663/")
    assert capsys.readouterr().out == ""
    monkeypatch.setenv("COLUMNS", "80")
    page_address.print_qr_code("http://192.168.1.7:7663/")
    assert len(capsys.readouterr().out.splitlines()) == len(page_address.draw_qr_code("http://192.168.1.7:7663/"))
