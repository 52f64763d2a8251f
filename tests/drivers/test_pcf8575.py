"""Switches on PCF8575s: our driver on chips that are their data sheet, on a bus in memory."""

import pytest

from pond_hw.board import BoardFault
from pond_hw.drivers.i2c_bus import I2cBus
from pond_hw.drivers.pcf8575 import QuasiBidirectionalReader
from pond_hw.drivers.scan import SensorReadError
from pond_hw.profile.board_profile import ExpanderWiring
from pond_hw.profile.chips import PCF8575, ExpanderPin
from pond_hw.rules import get_grid
from tests.board.i2c import Pcf8575, Wire, plug_in
from tests.clock import Clock
from tests.conftest import need
from tests.drivers.refusals import raises

need("smbus2", "it drives the bus")

PINS = [ExpanderPin(0x20, port, bit) for port, bit in (("P0", 0), ("P0", 6), ("P1", 0), ("P1", 6))]
PINS += [ExpanderPin(0x23, port, bit) for port, bit in (("P1", 5), ("P0", 3), ("P0", 4), ("P1", 1), ("P0", 0))]
WIRING = ExpanderWiring(PCF8575, 1, dict(zip(get_grid(3).cells, PINS, strict=True)))


@pytest.fixture
def wire(monkeypatch, tmp_path):
    """The bus, with both chips on it."""
    made = Wire(Clock(), speed=400_000)
    made.chips = {0x20: Pcf8575(), 0x23: Pcf8575()}
    plug_in(made, monkeypatch.setattr, tmp_path)
    return made


@pytest.fixture
def reader(wire):
    made = QuasiBidirectionalReader(WIRING)
    made.open()
    yield made
    made.close()


def test_pin_at_ground_reads_as_one_in_the_order_of_the_cells(wire, reader):
    assert reader.read_levels() == (0,) * 9
    for number, pin in enumerate(PINS):
        wire.chips[pin.address].grounded = 1 << pin.bit + 8 * (pin.port == "P1")
        assert reader.read_levels() == tuple(int(each == number) for each in range(9))
        wire.chips[pin.address].grounded = 0


def test_all_inputs_of_a_chip_may_be_at_ground(wire, reader):
    for chip in wire.chips.values():
        chip.grounded = 0x7F7F
    assert reader.read_levels() == (1,) * 9


def test_a_reading_is_one_transfer_for_each_chip(wire, reader):
    before = wire.transfers
    reader.read_levels()
    assert wire.transfers == before + 2


def test_every_pin_but_one_canary_is_an_input(wire, reader):
    assert {chip.latch for chip in wire.chips.values()} == {0x7FFF}


@pytest.mark.parametrize("latch", [0xFFFF, 0x0000, 0x7FFE])
def test_reading_sets_the_pins_again(wire, reader, latch):
    wire.chips[0x20].latch = latch
    assert reader.read_levels() == (0,) * 9
    assert wire.chips[0x20].latch == 0x7FFF
    assert reader.is_configured()


@pytest.mark.parametrize("word", [0x0000, 0xFFFF, 0x8000, 0x8080])
def test_chip_without_supply_is_not_believed(wire, reader, word):
    wire.chips[0x23].dead = word
    with raises(SensorReadError, "expander.impossible", chip="PCF8575", address="0x23", value=f"0x{word:04x}"):
        reader.read_levels()


@pytest.mark.parametrize("byte", [0x00, 0xFF])
def test_bus_that_says_the_same_all_the_time_is_not_believed(wire, reader, byte):
    wire.says = byte
    value = f"0x{byte:02x}{byte:02x}"
    with raises(SensorReadError, "expander.impossible", chip="PCF8575", address="0x20", value=value):
        reader.read_levels()


def test_missing_chip_is_named_by_its_address_and_may_come_later(wire):
    chip = wire.chips.pop(0x23)
    reader = QuasiBidirectionalReader(WIRING)
    with raises(SensorReadError, "i2c.no_answer", address="0x23", bus=1, text="Remote I/O error"):
        reader.open()
    wire.chips[0x23] = chip
    reader.open()
    assert reader.read_levels() == (0,) * 9
    reader.close()


def test_bus_that_hangs_is_named(wire):
    wire.held = True
    with raises(SensorReadError, "i2c.hangs", bus=1):
        QuasiBidirectionalReader(WIRING).open()


def test_missing_bus_is_a_fault_of_the_board(wire, monkeypatch, tmp_path):
    monkeypatch.setattr("pond_hw.drivers.i2c_bus.DEVICE_PATH", str(tmp_path / "none" / "i2c-{}"))
    with pytest.raises(BoardFault):
        QuasiBidirectionalReader(WIRING).open()


def test_reader_closes_its_own_bus_and_leaves_a_given_one_open(wire):
    shared = I2cBus(1)
    reader = QuasiBidirectionalReader(WIRING, shared)
    reader.open()
    reader.close()
    reader.close()
    assert shared._bus.fd is not None
    shared.close()
    own = QuasiBidirectionalReader(WIRING)
    own.open()
    own.open()
    bus = own._bus
    own.close()
    assert bus._bus.fd is None
