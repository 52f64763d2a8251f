"""Tests of switches on MCP23017s: Adafruit's real driver with simulated chips on a simulated bus."""

import pytest

from pond_hw.board import BoardFault
from pond_hw.drivers.mcp23017 import ExpanderReader
from pond_hw.drivers.scan import SensorReadError
from pond_hw.optional_packages import describe_missing_package
from pond_hw.profile.chips import MCP23017
from tests.board.i2c import Mcp23017
from tests.conftest import require
from tests.drivers.error_checks import raises, raises_message
from tests.drivers.expanders import make_bus, wire_nine_cells

require("smbus2", "it drives the bus")
require("adafruit_mcp230xx", "it drives the chips")

WIRING = wire_nine_cells(MCP23017)


@pytest.fixture
def wire(monkeypatch, tmp_path):
    return make_bus(Mcp23017, monkeypatch, tmp_path)


@pytest.fixture
def reader(wire):
    expander_reader = ExpanderReader(WIRING)
    expander_reader.open()
    yield expander_reader
    expander_reader.close()


def test_canary_pins_are_driven_and_others_pulled_up(wire, reader):
    for chip in wire.chips.values():
        assert chip.word(chip.IODIR) == 0x7F7F
        assert chip.word(chip.GPPU) == 0x7F7F
        assert chip.word(chip.IPOL) == 0
        assert chip.word(chip.OLAT) == 0x0080
        assert chip.levels() & 0x8080 == 0x0080


def test_open_overwrites_previous_settings(wire):
    for chip in wire.chips.values():
        chip.registers[:] = bytes([0xA5] * 22)
        chip.registers[0x0A] = chip.registers[0x0B] = 0x04  # but for its order of registers
    reader = ExpanderReader(WIRING)
    reader.open()
    assert reader.read_levels() == (0,) * 9
    assert reader.is_configured()
    for chip in wire.chips.values():
        assert bytes(chip.registers[0x04:0x06]) == b"\0\0", "no interrupts"
        assert chip.registers[0x0A] == 0
    reader.close()


def test_canaries_are_never_driven_wrongly(wire, reader):
    chip, seen = wire.chips[0x20], set()
    chip.floating = 0x0080
    real = chip.write

    def write(data):
        real(data)
        seen.add(chip.levels() & 0x8080)

    chip.reset()
    chip.write = write
    reader.open()
    assert seen == {0x0080}


def test_reconfiguring_healthy_chip_changes_nothing(wire, reader):
    chip, seen = wire.chips[0x20], set()
    real = chip.write

    def write(data):
        real(data)
        seen.add((chip.word(chip.IODIR), chip.word(chip.GPPU)))

    chip.write = write
    reader.open()
    assert seen == {(0x7F7F, 0x7F7F)}


@pytest.mark.parametrize(
    ("floating", "seen"), [(0xFFFF, "0xffff"), (0x0000, "0x0000"), (0x8000, "0x8000"), (0x8080, "0x8080")]
)
def test_floating_reset_chip_is_rejected(wire, reader, floating, seen):
    wire.chips[0x23].floating = floating
    wire.chips[0x23].reset()
    with raises(SensorReadError, "expander.impossible", chip="MCP23017", address="0x23", value=seen):
        reader.read_levels()


@pytest.mark.parametrize("address", [0x20, 0x23])
@pytest.mark.parametrize("register", [Mcp23017.IODIR, Mcp23017.IODIR + 1, Mcp23017.GPPU, Mcp23017.GPPU + 1])
@pytest.mark.parametrize("mask", [0x01, 0x40])
def test_lost_setting_is_detected_and_restored(wire, reader, address, register, mask):
    assert reader.is_configured()
    wire.chips[address].registers[register] ^= mask
    assert not reader.is_configured()
    reader.open()
    assert reader.is_configured()


def test_inverted_inputs_are_noticed(wire, reader):
    wire.chips[0x20].registers[Mcp23017.IPOL + 1] = 0x01
    assert not reader.is_configured()


def test_chip_that_loses_settings_is_named(wire):
    wire.chips[0x23].write = lambda data: setattr(wire.chips[0x23], "pointer", data[0])
    with raises(SensorReadError, "expander.forgetful", address="0x23"):
        ExpanderReader(WIRING).open()


def test_missing_adafruit_driver_opens_nothing(wire, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "adafruit_mcp230xx.mcp23017", None)
    with raises_message(BoardFault, describe_missing_package("adafruit_mcp230xx", "adafruit-circuitpython-mcp230xx")):
        ExpanderReader(WIRING).open()
    assert wire.transfers == 0
