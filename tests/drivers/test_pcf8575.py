"""Tests of switches on PCF8575s, with simulated chips on a simulated bus."""

import pytest

from pond_hw.board import BoardFault
from pond_hw.drivers.pcf8575 import QuasiBidirectionalReader
from pond_hw.drivers.scan import SensorReadError
from pond_hw.profile.chips import PCF8575
from tests.board.i2c import Pcf8575
from tests.conftest import require
from tests.drivers.error_checks import raises
from tests.drivers.expanders import make_bus, wire_nine_cells

require("smbus2", "it drives the bus")

WIRING = wire_nine_cells(PCF8575)


@pytest.fixture
def wire(monkeypatch, tmp_path):
    return make_bus(Pcf8575, monkeypatch, tmp_path)


@pytest.fixture
def reader(wire):
    pcf8575_reader = QuasiBidirectionalReader(WIRING)
    pcf8575_reader.open()
    yield pcf8575_reader
    pcf8575_reader.close()


def test_every_pin_except_the_canary_is_an_input(wire, reader):
    assert {chip.latch for chip in wire.chips.values()} == {0x7FFF}


@pytest.mark.parametrize("latch", [0xFFFF, 0x0000, 0x7FFE])
def test_reading_rewrites_the_pins(wire, reader, latch):
    wire.chips[0x20].latch = latch
    assert reader.read_levels() == (0,) * 9
    assert wire.chips[0x20].latch == 0x7FFF
    assert reader.is_configured()


@pytest.mark.parametrize("word", [0x0000, 0xFFFF, 0x8000, 0x8080])
def test_unpowered_chip_is_rejected(wire, reader, word):
    wire.chips[0x23].dead = word
    with raises(SensorReadError, "expander.impossible", chip="PCF8575", address="0x23", value=f"0x{word:04x}"):
        reader.read_levels()


def test_missing_bus_is_reported(wire, monkeypatch, tmp_path):
    monkeypatch.setattr("pond_hw.drivers.i2c_bus.DEVICE_PATH", str(tmp_path / "none" / "i2c-{}"))
    with pytest.raises(BoardFault):
        QuasiBidirectionalReader(WIRING).open()
