"""Tests of all I/O expander drivers, with simulated chips on a simulated bus."""

from pkgutil import resolve_name

import pytest

from pond_hw.drivers.i2c_bus import I2cBus
from pond_hw.drivers.scan import SensorReadError
from pond_hw.profile.chips import EXPANDERS
from tests.board.i2c import Mcp23017, Pcf8575
from tests.conftest import require
from tests.drivers.error_checks import raises
from tests.drivers.expanders import CELL_PINS, make_bus, wire_nine_cells

SIMULATED = {"mcp23017": Mcp23017, "pcf8575": Pcf8575}

require("smbus2", "it drives the bus")


@pytest.fixture(params=EXPANDERS)
def chip(request):
    made = EXPANDERS[request.param]
    if made.library:
        require(made.library[1], "it drives the chips")
    return made


@pytest.fixture
def wire(chip, monkeypatch, tmp_path):
    return make_bus(SIMULATED[chip.name], monkeypatch, tmp_path)


@pytest.fixture
def make_reader(chip, wire):
    return lambda *bus: resolve_name(chip.reader)(wire_nine_cells(chip), *bus)


@pytest.fixture
def reader(make_reader):
    expander_reader = make_reader()
    expander_reader.open()
    yield expander_reader
    expander_reader.close()


def test_grounded_pin_reads_as_1_in_cell_order(wire, reader):
    assert reader.read_levels() == (0,) * 9
    for number, (address, port, bit) in enumerate(CELL_PINS):
        wire.chips[address].grounded = 1 << bit + 8 * port
        assert reader.read_levels() == tuple(int(each == number) for each in range(9))
        wire.chips[address].grounded = 0


def test_all_inputs_of_a_chip_may_be_grounded(wire, reader):
    for chip in wire.chips.values():
        chip.grounded = 0x7F7F
    assert reader.read_levels() == (1,) * 9


def test_reading_is_one_transfer_per_chip(wire, reader):
    before = wire.transfers
    reader.read_levels()
    assert wire.transfers == before + 2


@pytest.mark.parametrize("byte", [0x00, 0xFF])
def test_constant_bus_is_rejected(chip, wire, reader, byte):
    wire.constant_byte = byte
    value = f"0x{byte:02x}{byte:02x}"
    with raises(SensorReadError, "expander.impossible", chip=chip.title, address="0x20", value=value):
        reader.read_levels()


def test_missing_chip_is_named_and_may_return(wire, make_reader):
    chip = wire.chips.pop(0x23)
    reader = make_reader()
    with raises(SensorReadError, "i2c.no_answer", address="0x23", bus=1, text="Remote I/O error"):
        reader.open()
    wire.chips[0x23] = chip
    reader.open()
    assert reader.read_levels() == (0,) * 9
    reader.close()


def test_hanging_bus_is_named(wire, make_reader):
    wire.sda_low = True
    with raises(SensorReadError, "i2c.hangs", bus=1):
        make_reader().open()


def test_reader_closes_only_its_own_bus(make_reader):
    shared = I2cBus(1)
    reader = make_reader(shared)
    reader.open()
    assert reader.read_levels() == (0,) * 9
    reader.close()
    reader.close()
    assert shared._bus.fd is not None
    shared.close()
    own = make_reader()
    own.open()
    own.open()
    bus = own._bus
    own.close()
    assert bus._bus.fd is None
