"""Nine cells on two I/O expanders of one kind, on a simulated I2C bus."""

from pond_hw.profile.board_profile import ExpanderWiring
from pond_hw.profile.chips import ExpanderPin
from pond_hw.rules import get_grid
from tests.board.i2c import Wire, plug_in
from tests.clock import Clock

CELL_PINS = [(0x20, 0, 0), (0x20, 0, 6), (0x20, 1, 0), (0x20, 1, 6)]
CELL_PINS += [(0x23, 1, 5), (0x23, 0, 3), (0x23, 0, 4), (0x23, 1, 1), (0x23, 0, 0)]
"""Address, port and bit of each cell."""


def wire_nine_cells(expander):
    pins = [ExpanderPin(address, expander.ports[port].name, bit) for address, port, bit in CELL_PINS]
    return ExpanderWiring(expander, 1, dict(zip(get_grid(3).cells, pins, strict=True)))


def make_bus(simulated_chip, monkeypatch, folder):
    """Build a bus with both chips."""
    wire = Wire(Clock(), speed=400_000)
    wire.chips = {0x20: simulated_chip(), 0x23: simulated_chip()}
    plug_in(wire, monkeypatch.setattr, folder)
    return wire
