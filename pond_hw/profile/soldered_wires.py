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
    cell_names = get_grid(profile.size).cells
    match profile.sensing.wiring:
        case TrellisWiring(keys=keys):
            return {cell: f"key {trellis_key} of the NeoTrellis" for cell, trellis_key in keys.items()}
        case SimulatedWiring():
            return dict.fromkeys(cell_names, "a pretended sensor")
        case MatrixWiring(crossings):
            drive_gpios = list(dict.fromkeys(drive for drive, _ in crossings.values()))
            sense_gpios = list(dict.fromkeys(sense_gpio for _, sense_gpio in crossings.values()))
            return {
                cell: f"driven line {_header_pin(drive)}, {LINES[drive_gpios.index(drive) % len(LINES)]} wire, "
                f"sense line {_header_pin(sense_gpio)}, {LINES[-1 - sense_gpios.index(sense_gpio) % len(LINES)]} wire"
                for cell, (drive, sense_gpio) in crossings.items()
            }
        case DirectWiring(pins):
            wire_ends = {cell: _header_pin(data_pin) for cell, data_pin in pins.items()}
        case ExpanderWiring(pins=chip_pins):
            wire_ends = {
                cell: f"MCP23017 at 0x{address:02x}, pin GP{port}{bit} (leg {FIRST_LEG[port] + bit})"
                for cell, (address, port, bit) in chip_pins.items()
            }
        case AnalogWiring(channels=channels):
            wire_ends = {
                cell: f"MCP3008 {adc_channel.chip}, channel {adc_channel.channel} (leg {adc_channel.channel + 1})"
                for cell, adc_channel in channels.items()
            }
    return {
        cell: f"{wire_end}, {COLOURS[cell_names.index(cell) % len(COLOURS)]} wire"
        for cell, wire_end in wire_ends.items()
    }


def sensor_chips(profile: Profile) -> dict[str, tuple[Cell, ...]]:
    """The chips that read sensors, as trouble names them, with the cells of each; none if there are no chips."""
    sensor_wiring = profile.sensing.wiring
    cells_by_chip: dict[str, list[Cell]] = {}
    if isinstance(sensor_wiring, ExpanderWiring):
        for cell, expander_pin in sensor_wiring.pins.items():
            cells_by_chip.setdefault(f"0x{expander_pin.address:02x}", []).append(cell)
    if isinstance(sensor_wiring, AnalogWiring):
        for cell, adc_channel in sensor_wiring.channels.items():
            cells_by_chip.setdefault(f"converter {adc_channel.chip}", []).append(cell)
    if isinstance(sensor_wiring, TrellisWiring):
        cells_by_chip[f"0x{sensor_wiring.address:02x}"] = list(sensor_wiring.keys)
    return {chip_name: tuple(cell_names) for chip_name, cell_names in cells_by_chip.items()}


def _header_pin(gpio: int) -> str:
    return f"GPIO {gpio} (header pin {HEADER_PINS[gpio]})"
