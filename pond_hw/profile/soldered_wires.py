"""Where the sensor of a cell is wired, in the words of the table that the board is built by; and its wires' colours."""

from __future__ import annotations

from pond_hw.profile.board_profile import (
    AnalogWiring,
    DirectWiring,
    ExpanderWiring,
    MatrixWiring,
    Profile,
    SimulatedWiring,
    TrellisWiring,
)
from pond_hw.profile.pi_header import HEADER_PINS
from pond_hw.rules import Cell, get_grid

COLOURS = ("brown", "orange", "yellow", "green", "blue", "purple", "grey", "white")
"""The colours of the sensors' wires, by their number; red, pink and black are left to the supply."""

LINES = (*COLOURS, "turquoise", "pink")
"""Those of a matrix, which needs no 3.3 V: driven lines from the first on, those that are read from the last back."""

FIRST_LEG = {"B": 1, "A": 21}
"""The leg of an MCP23017 that bit 0 of a port is on; the others follow. On an MCP3008 channel 0 is on leg 1."""


def sensor_wires(profile: Profile) -> dict[Cell, str]:
    """For each cell where its sensor goes, such as `MCP23017 at 0x21, pin GPB2 (leg 3), purple wire`."""
    cells = get_grid(profile.size).cells
    match profile.sensing.wiring:
        case TrellisWiring(keys=keys):
            return {cell: f"key {key} of the NeoTrellis" for cell, key in keys.items()}
        case SimulatedWiring():
            return dict.fromkeys(cells, "a pretended sensor")
        case MatrixWiring(crossings):
            drives = list(dict.fromkeys(drive for drive, _ in crossings.values()))
            senses = list(dict.fromkeys(sense for _, sense in crossings.values()))
            return {
                cell: f"driven line {_header_pin(drive)}, {LINES[drives.index(drive) % len(LINES)]} wire, "
                f"sense line {_header_pin(sense)}, {LINES[-1 - senses.index(sense) % len(LINES)]} wire"
                for cell, (drive, sense) in crossings.items()
            }
        case DirectWiring(pins):
            places = {cell: _header_pin(pin) for cell, pin in pins.items()}
        case ExpanderWiring(pins=chip_pins):
            places = {
                cell: f"MCP23017 at 0x{address:02x}, pin GP{port}{bit} (leg {FIRST_LEG[port] + bit})"
                for cell, (address, port, bit) in chip_pins.items()
            }
        case AnalogWiring(channels=channels):
            places = {
                cell: f"MCP3008 {each.chip}, channel {each.channel} (leg {each.channel + 1})"
                for cell, each in channels.items()
            }
    return {cell: f"{place}, {COLOURS[cells.index(cell) % len(COLOURS)]} wire" for cell, place in places.items()}


def sensor_chips(profile: Profile) -> dict[str, tuple[Cell, ...]]:
    """The chips that read sensors, as trouble names them, with the cells of each; none if there are no chips."""
    wiring = profile.sensing.wiring
    found: dict[str, list[Cell]] = {}
    if isinstance(wiring, ExpanderWiring):
        for cell, place in wiring.pins.items():
            found.setdefault(f"0x{place.address:02x}", []).append(cell)
    if isinstance(wiring, AnalogWiring):
        for cell, channel in wiring.channels.items():
            found.setdefault(f"converter {channel.chip}", []).append(cell)
    if isinstance(wiring, TrellisWiring):
        found[f"0x{wiring.address:02x}"] = list(wiring.keys)
    return {chip: tuple(cells) for chip, cells in found.items()}


def _header_pin(gpio: int) -> str:
    return f"GPIO {gpio} (header pin {HEADER_PINS[gpio]})"
