"""Tests of the firmware's pins on a simulated chip, from the netlist of each board to the numbering of its cells."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from pond_hw.drivers.usb_config import make_board_config
from pond_hw.drivers.usb_link import PICO_USB_IDS, list_board_ports
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.wire_tracing import check_profile_match, lamp_chain, sensor_routes
from pond_hw.profile import load_profile, parse_profile
from pond_hw.profile.board_profile import MatrixCrossing
from pond_hw.profile.chips import ExpanderPin
from pond_hw.rules import get_grid
from tests.drivers.ws2812 import CHIPS
from tests.fabrication.faulty_netlists import make_full_circuit
from tests.pico.cable import FIRMWARE
from tests.pico.chip import Reset
from tests.pico.state_machine import firmware_pulses
from tests.profile.sheet import Sheet
from tests.profile.texts import edited

BOARDS = ("usb-direct-4x4", "usb-hall-4x4", "usb-matrix-5x5")

EXPANDERS = edited(
    Sheet("usb-direct-4x4").text,
    ('driver = "gpio"', 'driver = "mcp23017"'),
    ("   0   1   2   3    #", "20.A0 20.A1 20.A2 20.A3 #"),
    ("   4   5   6   7    #", "20.B0 20.B1 20.B2 20.B6 #"),
    ("   8   9  10  11    #", "21.A0 21.A1 21.A2 21.A6 #"),
    ("  12  13  14  15    #", "21.B0 21.B1 21.B2 21.B3 #"),
)
"""Profile with sixteen cells on the expanders of a Pico."""


def hardware(profile):
    from game_port import GamePort
    from pico_hardware import PicoHardware
    from pond_board import parse_config

    return PicoHardware(parse_config(make_board_config(profile).text), GamePort(500))


def down(profile, pico):
    """Return the cells and keys that are down, as the host sees them."""
    config, levels = make_board_config(profile), pico.read_levels()
    cells = zip(get_grid(profile.size).cells, config.cell_inputs, strict=True)
    return [cell for cell, number in [*cells, *config.key_inputs.items()] if levels >> number & 1]


def press(chip, wire, *, closed):
    """Close or open the switch on the pin given by the netlist."""
    match wire:
        case MatrixCrossing():
            (chip.closed.add if closed else chip.closed.discard)(tuple(wire))
        case ExpanderPin(address, port, bit):
            chip.expanders[address].grounded ^= 1 << bit + 8 * (port == "GPB")
        case int():
            (chip.grounded.add if closed else chip.grounded.discard)(wire)


@pytest.mark.parametrize("name", [*BOARDS, "expanders"])
def test_netlist_pins_map_to_cells(chip, name):
    profile = parse_profile(EXPANDERS, name) if name == "expanders" else load_profile(name, measured=False)
    netlist = make_full_circuit(profile)
    pico, routes = hardware(profile), sensor_routes(netlist)
    assert down(profile, pico) == []
    for cell in get_grid(profile.size).cells:
        press(chip, routes[cell].sensor_input, closed=True)
        assert down(profile, pico) == [cell]
        press(chip, routes[cell].sensor_input, closed=False)
    for name, gpio in profile.key_pins.items():
        chip.grounded = {gpio}
        assert down(profile, pico) == [name]
    assert chip.data_pin == lamp_chain(netlist)[0] == profile.chain.data_pin
    assert all(pull == "up" for kind, pull in chip.pins.values() if kind == "in" and pull)


def test_expander_boards_have_i2c_pull_ups():
    profile = parse_profile(EXPANDERS, "expanders")
    netlist = make_full_circuit(profile)
    assert check_netlist(netlist) == []
    assert list(check_profile_match(profile, netlist)) == []
    pull_ups = {netlist.pin_net(netlist.parts[part], "2"): netlist.parts[part].value for part in ("R4", "R5")}
    assert pull_ups == {"SDA": "4.7 kΩ", "SCL": "4.7 kΩ"}
    without = replace(
        netlist, nets=netlist.nets | {"3.3 V": tuple(end for end in netlist.nets["3.3 V"] if end.part != "R4")}
    )
    assert any(fault.id == "netlist.pull.no_pull_up" for fault in check_netlist(without))


def test_udev_rule_matches_the_usb_ids():
    rule = (FIRMWARE / "60-pond-usb.rules").read_text(encoding="utf-8")
    found = re.findall(r'ATTRS\{idVendor\}=="(\w+)", ATTRS\{idProduct\}=="(\w+)"', rule)
    assert [(int(vendor, 16), int(product, 16)) for vendor, product in found] == list(PICO_USB_IDS)


def serial_port(device, location, usb_ids=PICO_USB_IDS[0], serial_number="e6614"):
    vid, pid = usb_ids
    return SimpleNamespace(device=device, location=location, vid=vid, pid=pid, serial_number=serial_number)


@pytest.mark.parametrize(
    ("ports", "expected"),
    [
        ([("/dev/ttyACM0", "1-4:1.0"), ("/dev/ttyACM1", "1-4:1.2")], ["/dev/ttyACM1"]),
        ([("/dev/ttyACM3", "1-4:1.0"), ("/dev/ttyACM0", "1-4:1.2")], ["/dev/ttyACM0"]),
        ([("COM9", "1-4:x.2"), ("COM10", "1-4:x.0")], ["COM9"]),
        ([("/dev/cu.usbmodem14103", "20-1"), ("/dev/cu.usbmodem14101", "20-1")], ["/dev/cu.usbmodem14103"]),
        ([("/dev/ttyACM0", "1-4:1.0")], ["/dev/ttyACM0"]),  # other firmware, or none
        ([("COM3", None), ("COM4", None)], ["COM4"]),
        ([("a1", "20-1"), ("b1", "20-2"), ("a3", "20-1"), ("b3", "20-2")], ["a3", "b3"]),
        (
            [("/dev/ttyACM0", "1-4:1.0"), ("/dev/ttyACM1", "1-3:1.0"), ("b", "1-4:1.2"), ("a", "1-3:1.2")],
            ["a", "b"],
        ),
        ([("/dev/ttyACM9", "1-4:1.2"), ("/dev/ttyACM1", "1-4:1.10")], ["/dev/ttyACM1"]),
    ],
    ids=[
        "linux",
        "linux-reused-number",
        "windows",
        "macos",
        "one-port",
        "no-location",
        "macos-two",
        "two-picos",
        "tenth",
    ],
)
def test_second_port_of_each_pico_is_the_games(monkeypatch, ports, expected):
    monkeypatch.delenv("POND_USB_PORTS", raising=False)
    assert list_board_ports(lambda: [serial_port(*port) for port in ports]) == expected


def test_other_devices_are_not_listed(monkeypatch):
    monkeypatch.delenv("POND_USB_PORTS", raising=False)
    ports = [serial_port("/dev/ttyUSB0", "1-2", (0x1A86, 0x7523)), serial_port("/dev/ttyS0", None, (None, None))]
    assert list_board_ports(lambda: ports) == []


@pytest.mark.parametrize(
    ("name", "expected"), [("usb-direct-4x4", 450), ("usb-hall-4x4", 500), ("usb-matrix-5x5", 100)]
)
def test_board_declares_the_current_it_may_take(name, expected):
    """The lamps of usb-matrix-5x5 have their own supply."""
    assert json.loads(make_board_config(load_profile(name, measured=False)).text)["usb_ma"] == expected


@pytest.mark.parametrize("name", [*BOARDS, "expanders"])
def test_firmware_accepts_the_configuration_of_each_board(chip, name):
    from pond_board import parse_config

    profile = parse_profile(EXPANDERS, name) if name == "expanders" else load_profile(name, measured=False)
    text = make_board_config(profile).text
    assert parse_config(text) == json.loads(text)


def test_matrix_with_diodes_has_no_ghosts(chip):
    profile = load_profile("usb-matrix-5x5", measured=False)
    pico, crossings = hardware(profile), profile.sensing.wiring.crossings
    for cell in ("b2", "b4", "d2"):
        chip.closed.add(tuple(crossings[cell]))
    assert sorted(down(profile, pico)) == ["b2", "b4", "d2"]
    assert chip.driven == set()  # all lines are released


def test_lost_or_reset_expander_is_an_error(chip):
    profile = parse_profile(EXPANDERS, "expanders")
    pico = hardware(profile)
    chip.expanders[0x20].grounded = 1
    assert down(profile, pico) == ["a4"]
    chip.expanders[0x20].forget()
    with pytest.raises(OSError, match="settings"):
        pico.read_levels()
    assert down(profile, pico) == ["a4"]  # configured again
    chip.expanders[0x20].pull_ups = 0  # then open inputs float
    with pytest.raises(OSError, match="settings"):
        pico.read_levels()
    assert down(profile, pico) == ["a4"]
    chip.expanders[0x21].dead = True
    with pytest.raises(OSError, match="5"):
        pico.read_levels()
    chip.expanders[0x21].dead = False
    assert down(profile, pico) == ["a4"]
    chip.expanders[0x21].grounded = 0xFFFF  # the bus reads only zeros
    chip.expanders[0x21].directions = 0xFFFF
    with pytest.raises(OSError, match="settings"):
        pico.read_levels()


@pytest.mark.parametrize("lamp", CHIPS, ids=str)
def test_pulses_of_the_state_machine_meet_datasheets(lamp):
    zero, one = firmware_pulses()
    for time, (least, most) in zip((*zero, *one), lamp[1:5], strict=True):
        assert least <= time <= most + Fraction(1, 1000)  # the frequency is a whole number of Hz


@pytest.mark.parametrize("chip_hz", [125_000_000, 150_000_000], ids=["RP2040", "RP2350"])
def test_clock_divider_is_a_whole_number(chip, chip_hz):
    """A fraction would make some cycles longer than others."""
    from pico_hardware import CYCLE_HZ

    assert chip_hz * 256 // CYCLE_HZ % 256 == 0  # as MicroPython computes it


def test_frame_bytes_reach_the_lamps(chip):
    pico = hardware(load_profile("usb-direct-4x4", measured=False))
    pico.light(bytes(192))
    pico.light(bytes(range(192)))  # waits until the frame before is shown
    assert chip.frames[-1] == bytes(range(192))
    assert not any(chip.glow)
    chip.us += 192 * 11 + 280
    assert bytes(chip.glow[:192]) == bytes(range(192))


def test_reading_the_time_feeds_the_watchdog(chip):
    pico = hardware(load_profile("usb-direct-4x4", measured=False))
    pico.now()
    pico.now()
    assert chip.fed == 2


def test_configuration_is_replaced_atomically(chip, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pico = hardware(load_profile("usb-direct-4x4", measured=False))
    (tmp_path / "config.json").write_bytes(b"old")
    pico.save_config(b"{}")
    assert (tmp_path / "config.json").read_bytes() == b"{}"
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


def test_restart_darkens_the_lamps(chip):
    pico = hardware(load_profile("usb-direct-4x4", measured=False))
    pico.light(bytes([9] * 192))
    chip.us += 3000
    assert any(chip.glow)
    with pytest.raises(Reset):
        pico.restart()
    assert chip.was_lit_at_resets == [False]


def test_lamps_are_dark_before_the_first_frame(chip):
    chip.glow[:192] = bytes([9] * 192)  # kept since before a hang
    hardware(load_profile("usb-direct-4x4", measured=False))
    assert not any(chip.glow)


def test_game_port_passes_bytes_in_both_directions(chip):
    pico = hardware(load_profile("usb-direct-4x4", measured=False))
    assert pico.receive() == b""
    chip.received = bytes(range(256)) * 2
    chip.run_usb()
    assert pico.receive() == bytes(range(256)) * 2
    chip.is_read = False
    assert pico.send(b"x" * 600) == 512
    assert pico.send(b"x" * 600) == 64  # a packet is on its way
    assert pico.send(b"x") == 0
    chip.is_read = True
    assert chip.sent == b"x" * 576
