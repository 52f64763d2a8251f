"""The firmware's pins, on a chip that is made up: every cell of every board, from the netlist to the host's number for it."""

import json
import re
import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import pytest

from pond_hw.drivers.usb_config import make_board_config
from pond_hw.drivers.usb_ports import PICO_USB_IDS, list_board_ports
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.wire_tracing import check_profile_match, lamp_chain, sensor_routes
from pond_hw.profile import load_profile, parse_profile
from pond_hw.profile.board_profile import ExpanderPin, MatrixCrossing
from pond_hw.rules import get_grid
from tests.pico.cable import FIRMWARE

BOARDS = ("usb-direct-4x4", "usb-hall-4x4", "usb-matrix-5x5")

EXPANDERS = """\
format = 1
title = "Nine magnets on a cable"
grid = 3
controller = "pico"

[sensors]
kind = "hall"
driver = "mcp23017"
cells = '''
20.A0 20.A1 20.A2
20.B0 20.B1 20.B6
21.A0 21.A1 21.A6
'''

[lamps]
driver = "auto"
pin = 22
count = 9
budget_ma = 300
cells = '''
0 1 2
5 4 3
6 7 8
'''

[supply]
source = "usb"
current_ma = 500

[key]
pin = 21
"""


class Chip:
    """What is soldered to the Pico's pins, and what it does with them.

    Attributes:
        grounded: GPIOs that a switch or a sensor pulls low. closed: crossings whose switch is closed.
        driven: GPIOs that are driven low now. pins: what each GPIO was made.
        expanders: the MCP23017s by their addresses.
    """

    def __init__(self):
        self.grounded, self.closed, self.driven, self.pins = set(), set(), set(), {}
        self.expanders = {0x20: Expander(), 0x21: Expander()}
        self.lamps, self.fed, self.restarts = None, 0, 0

    def is_low(self, gpio):
        return gpio in self.grounded or any(sense == gpio and drive in self.driven for drive, sense in self.closed)

    def modules(self):
        """The modules of MicroPython that the firmware imports."""
        chip = self

        class Pin:
            IN, OUT, OPEN_DRAIN, PULL_UP = "in", "out", "open", "up"

            def __init__(self, gpio, kind=None, pull=None, value=None):
                self.gpio = gpio
                chip.pins[gpio] = (kind, pull)

            def value(self, level=None):
                if level is None:
                    return not chip.is_low(self.gpio)
                (chip.driven.discard if level else chip.driven.add)(self.gpio)
                return None

        class Registers:
            def __getitem__(self, address):
                assert address == 0xD0000004
                return sum(1 << gpio for gpio in chip.pins if not chip.is_low(gpio))

        class I2C:
            def __init__(self, number, sda, scl, freq, timeout):
                assert (number, sda.gpio, scl.gpio) == (0, 4, 5)

            def readfrom_mem(self, address, register, count):
                return chip.expanders[address].read(register, count)

            def writeto_mem(self, address, register, data):
                chip.expanders[address].write(register, data)

        class Watchdog:
            def __init__(self, timeout):
                assert 1000 <= timeout <= 8388  # which is all that an RP2040 can

            def feed(self):
                chip.fed += 1

        class NeoPixel:
            def __init__(self, pin, count):
                self.gpio, self.buf, self.shown = pin.gpio, bytearray(3 * count), None
                chip.lamps = self

            def write(self):
                self.shown = bytes(self.buf)

        machine = SimpleNamespace(Pin=Pin, mem32=Registers(), I2C=I2C, WDT=Watchdog, reset=self.reset)
        return {"machine": machine, "neopixel": SimpleNamespace(NeoPixel=NeoPixel)}

    def reset(self):
        self.restarts += 1


class Expander:
    """An MCP23017, as far as the firmware knows it.

    Attributes:
        grounded: the bits of pins at ground. dead: whether it does not answer.
    """

    def __init__(self):
        self.grounded, self.dead = 0, False
        self.forget()

    def forget(self):
        """As after a dip of its supply."""
        self.directions, self.pull_ups, self.outputs = 0xFFFF, 0, 0

    def read(self, register, count):
        if self.dead:
            raise OSError(5)
        held = self.pull_ups & ~self.grounded
        levels = (held & self.directions) | (self.outputs & ~self.directions)
        value = {0x00: self.directions, 0x0C: self.pull_ups, 0x12: levels & 0xFFFF}[register]
        return value.to_bytes(2, "little")[:count]

    def write(self, register, data):
        if self.dead:
            raise OSError(5)
        value = int.from_bytes(data, "little")
        name = {0x00: "directions", 0x0C: "pull_ups", 0x12: "outputs"}[register]
        setattr(self, name, value)


@pytest.fixture
def chip(monkeypatch):
    made = Chip()
    for name, module in made.modules().items():
        stand_in = ModuleType(name)
        vars(stand_in).update(vars(module))
        monkeypatch.setitem(sys.modules, name, stand_in)
    monkeypatch.setitem(sys.modules, "micropython", ModuleType("micropython"))
    vars(sys.modules["micropython"]).update(kbd_intr=lambda code: None, native=lambda function: function)
    monkeypatch.setattr("time.sleep_us", lambda us: None, raising=False)
    monkeypatch.setattr("time.ticks_ms", lambda: 0, raising=False)
    monkeypatch.setattr("time.ticks_diff", lambda one, other: one - other, raising=False)
    poll = SimpleNamespace(register=lambda *what: None, ipoll=lambda ms: iter(()), poll=lambda ms: [])
    monkeypatch.setattr("select.poll", lambda: poll)
    monkeypatch.delitem(sys.modules, "pico_hardware", raising=False)
    monkeypatch.syspath_prepend(str(FIRMWARE))
    yield made
    sys.modules.pop("pico_hardware", None)


def hardware(profile):
    from pico_hardware import PicoHardware

    return PicoHardware(json.loads(make_board_config(profile).text))


def down(profile, pico):
    """The cells that are down, as the host would say, and `key`."""
    config, levels = make_board_config(profile), pico.read_levels()
    cells = zip(get_grid(profile.size).cells, config.cell_inputs, strict=True)
    key = [] if config.key_input is None else [("key", config.key_input)]
    return [cell for cell, number in [*cells, *key] if levels >> number & 1]


def press(chip, wire, *, closed):
    """A switch closes, or opens, where the netlist leads to."""
    match wire:
        case MatrixCrossing():
            (chip.closed.add if closed else chip.closed.discard)(tuple(wire))
        case ExpanderPin(address, port, bit):
            chip.expanders[address].grounded ^= 1 << bit + 8 * (port == "B")
        case int():
            (chip.grounded.add if closed else chip.grounded.discard)(wire)


@pytest.mark.parametrize("name", [*BOARDS, "expanders"])
def test_a_switch_that_the_netlist_leads_to_a_pin_is_its_cell_to_the_host(chip, name):
    profile = parse_profile(EXPANDERS, name) if name == "expanders" else load_profile(name, measured=False)
    netlist = make_circuit(profile)
    pico, routes = hardware(profile), sensor_routes(netlist)
    assert down(profile, pico) == []
    for cell in get_grid(profile.size).cells:
        press(chip, routes[cell].sensor_input, closed=True)
        assert down(profile, pico) == [cell]
        press(chip, routes[cell].sensor_input, closed=False)
    chip.grounded.add(profile.key_pin)
    assert down(profile, pico) == ["key"]
    assert chip.lamps.gpio == lamp_chain(netlist)[0] == profile.chain.data_pin
    assert all(pull == "up" for kind, pull in chip.pins.values() if kind == "in" and pull)


def test_expanders_on_a_pico_get_the_pull_ups_that_it_lacks():
    profile = parse_profile(EXPANDERS, "expanders")
    netlist = make_circuit(profile)
    assert check_netlist(netlist) == []
    assert list(check_profile_match(profile, netlist)) == []
    pull_ups = {netlist.pin_net(netlist.parts[part], "2"): netlist.parts[part].value for part in ("R4", "R5")}
    assert pull_ups == {"SDA": "4.7 kΩ", "SCL": "4.7 kΩ"}
    without = replace(
        netlist, nets=netlist.nets | {"3.3 V": tuple(end for end in netlist.nets["3.3 V"] if end.part != "R4")}
    )
    assert any(fault.id == "netlist.pull.no_pull_up" for fault in check_netlist(without))


def test_the_udev_rule_is_for_the_boards_that_the_driver_looks_for():
    rule = (FIRMWARE / "60-pond-usb.rules").read_text(encoding="utf-8")
    found = re.findall(r'ATTRS\{idVendor\}=="(\w+)", ATTRS\{idProduct\}=="(\w+)"', rule)
    assert [(int(vendor, 16), int(product, 16)) for vendor, product in found] == list(PICO_USB_IDS)


def test_only_the_ports_of_picos_are_looked_at(monkeypatch):
    monkeypatch.delenv("POND_USB_PORTS", raising=False)
    ids = {"/dev/ttyACM1": PICO_USB_IDS[0], "/dev/ttyACM0": PICO_USB_IDS[0], "/dev/ttyUSB0": (0x1A86, 0x7523)}
    ports = [SimpleNamespace(device=device, vid=vid, pid=pid) for device, (vid, pid) in ids.items()]
    ports.append(SimpleNamespace(device="/dev/ttyS0", vid=None, pid=None))
    assert list_board_ports(lambda: ports) == ["/dev/ttyACM0", "/dev/ttyACM1"]


def test_with_diodes_three_corners_of_a_matrix_are_three_buttons(chip):
    profile = load_profile("usb-matrix-5x5", measured=False)
    pico, crossings = hardware(profile), profile.sensing.wiring.crossings
    for cell in ("b2", "b4", "d2"):
        chip.closed.add(tuple(crossings[cell]))
    assert sorted(down(profile, pico)) == ["b2", "b4", "d2"]
    assert chip.driven == set()  # and every line was let go


def test_an_expander_that_is_gone_or_has_forgotten_its_settings_is_not_believed(chip):
    profile = parse_profile(EXPANDERS, "expanders")
    pico = hardware(profile)
    chip.expanders[0x20].grounded = 1
    assert down(profile, pico) == ["a3"]
    chip.expanders[0x20].forget()
    with pytest.raises(OSError, match="settings"):
        pico.read_levels()
    assert down(profile, pico) == ["a3"]  # it was set up again
    chip.expanders[0x20].pull_ups = 0  # then every input that is open may read as anything
    with pytest.raises(OSError, match="settings"):
        pico.read_levels()
    assert down(profile, pico) == ["a3"]
    chip.expanders[0x21].dead = True
    with pytest.raises(OSError, match="5"):
        pico.read_levels()
    chip.expanders[0x21].dead = False
    assert down(profile, pico) == ["a3"]
    chip.expanders[0x21].grounded = 0xFFFF  # its bus, or itself, reads as nothing but zeros
    chip.expanders[0x21].directions = 0xFFFF
    with pytest.raises(OSError, match="settings"):
        pico.read_levels()


def test_lamps_get_the_bytes_of_a_frame(chip):
    pico = hardware(load_profile("usb-direct-4x4", measured=False))
    pico.light(bytes(range(48)))
    assert chip.lamps.shown == bytes(range(48))


def test_the_watchdog_is_fed_with_each_look_at_the_clock(chip):
    pico = hardware(load_profile("usb-direct-4x4", measured=False))
    pico.now()
    pico.now()
    assert chip.fed == 2


def test_a_configuration_replaces_the_old_one_whole(chip, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pico = hardware(load_profile("usb-direct-4x4", measured=False))
    (tmp_path / "config.json").write_bytes(b"old")
    pico.save_config(b"{}")
    assert (tmp_path / "config.json").read_bytes() == b"{}"
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]
    pico.prompt()
    assert (tmp_path / "prompt-once").exists()
    assert chip.restarts == 1
