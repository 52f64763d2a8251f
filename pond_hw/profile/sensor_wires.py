"""Sensor connections as named in the wire table, and the colours of their wires.

With a carrier board, a sensor is connected to a pin of one of its connectors. `carrier_connectors` derives the
connector's label from the profile.
"""

from __future__ import annotations

from pond_hw.messages.message import Message
from pond_hw.profile import board_profile
from pond_hw.profile.board_profile import AnalogWiring, ExpanderWiring, MatrixWiring, Profile, TrellisWiring
from pond_hw.profile.pi_header import HEADER_PINS
from pond_hw.profile.pico_header import PICO_PINS
from pond_hw.rules import Cell, get_grid

WIRE_COLOURS = ("brown", "orange", "yellow", "green", "blue", "purple", "grey", "white")
"""Colours of sensor wires by number. Red, pink and black are reserved for the supply."""

LINE_COLOURS = (*WIRE_COLOURS, "turquoise", "pink")
"""Colours of matrix lines, which need no 3.3 V: driven lines use them from the start, read lines from the end."""


def sensor_wires(profile: Profile) -> dict[Cell, Message]:
    match profile.sensing.wiring:
        case TrellisWiring(keys=keys):
            return {cell: Message("wire.key", key=key) for cell, key in keys.items()}
        case board_profile.SimulatedWiring():
            return dict.fromkeys(get_grid(profile.size).cells, Message("wire.simulated"))
    wires = {cell: _describe_points(*points) for cell, points in solder_points(profile).items()}
    if profile.controller == "pico":
        return wires
    pins = carrier_pins(profile)
    return {cell: Message("wire.on_carrier", wire=wire, pins=pins[cell]) for cell, wire in wires.items()}


def carrier_connectors(profile: Profile) -> dict[str, str]:
    """Return the labels of a carrier board's connectors by name: `{"key": "J4", "row 1": "J6", ...}`.

    J1 is for the ribbon cable from the Pi, and J2 for the lamp supply.
    """
    match profile.sensing.wiring:
        case MatrixWiring():
            groups = ["drive", "sense"]
        case board_profile.DirectWiring() | ExpanderWiring() | AnalogWiring():
            groups = [f"row {row[0][1:]}" for row in get_grid(profile.size).rows]
        case _:
            groups = []
    groups += ["key"] * bool(profile.key_pins) + ["buzzer"] * (profile.buzzer_pin is not None)
    groups += ["lamps"] * (profile.chain.data_pin is not None)
    return {group: f"J{number}" for number, group in enumerate(sorted(groups), 3)}


def carrier_pins(profile: Profile) -> dict[Cell, Message]:
    """Return the labels of the carrier board's pins for the sensor of each cell."""
    connectors = carrier_connectors(profile)
    if isinstance(profile.sensing.wiring, MatrixWiring):
        return {
            cell: Message(
                "wire.two_pins",
                connector=connectors["drive"],
                pin=f"drive {drive}",
                other_connector=connectors["sense"],
                other_pin=f"sense {sense}",
            )
            for cell, (drive, sense) in profile.sensing.wiring.crossings.items()
        }
    return {
        cell: Message("wire.pin", connector=connectors[row], row=row, pin=cell)
        for cell in solder_points(profile)
        for row in (f"row {cell[1:]}",)
    }


def _describe_points(point: tuple[Message, str], other_point: tuple[Message, str] | None = None) -> Message:
    place, colour = point
    if other_point is None:
        return Message("wire.one", place=place, colour=colour)
    other_place, other_colour = other_point
    return Message("wire.two", place=place, colour=colour, other_place=other_place, other_colour=other_colour)


def solder_points(profile: Profile) -> dict[Cell, tuple[tuple[Message, str], ...]]:
    """Return the solder points of each cell with their wire colours, or nothing if nothing is soldered."""
    match profile.sensing.wiring:
        case MatrixWiring(crossings) as wiring:
            colours = line_colours(wiring)
            return {
                cell: (
                    (_describe_gpio(profile, "driven_line", drive), colours[f"drive {drive}"]),
                    (_describe_gpio(profile, "sense_line", sense), colours[f"sense {sense}"]),
                )
                for cell, (drive, sense) in crossings.items()
            }
        case board_profile.DirectWiring(pins):
            places = {cell: _describe_gpio(profile, "gpio", gpio) for cell, gpio in pins.items()}
        case ExpanderWiring(chip=expander, pins=chip_pins):
            places = {
                cell: Message(
                    "wire.expander",
                    chip=expander.title,
                    address=f"0x{pin.address:02x}",
                    pin=f"{pin.port}{pin.bit}",
                    leg=expander.find_package_pin(pin),
                )
                for cell, pin in chip_pins.items()
            }
        case AnalogWiring(chip=converter, channels=channels):
            places = {
                cell: Message(
                    "wire.converter",
                    chip=letter,
                    title=converter.title,
                    channel=channel,
                    leg=converter.first_package_pin + channel,
                )
                for cell, (letter, channel) in channels.items()
            }
        case _:
            return {}
    return {cell: ((place, cell_colour(profile, cell)),) for cell, place in places.items()}


def _describe_gpio(profile: Profile, kind: str, gpio: int) -> Message:
    """Describe a GPIO as `gpio`, `driven_line` or `sense_line`, with its pin on the Pi's header or on the Pico."""
    if profile.controller == "pico":
        return Message(f"wire.pico_{kind}", gpio=gpio, pin=PICO_PINS[gpio])
    return Message(f"wire.{kind}", gpio=gpio, pin=HEADER_PINS[gpio])


def cell_colour(profile: Profile, cell: Cell) -> str:
    return WIRE_COLOURS[get_grid(profile.size).cells.index(cell) % len(WIRE_COLOURS)]


def line_colours(wiring: MatrixWiring) -> dict[str, str]:
    """Return the colours of matrix lines by name, such as `drive 5`.

    Driven lines use `LINE_COLOURS` from the start, read lines from the end.
    """
    drives = dict.fromkeys(f"drive {drive}" for drive, _ in wiring.crossings.values())
    senses = dict.fromkeys(f"sense {sense}" for _, sense in wiring.crossings.values())
    return {
        **{line: LINE_COLOURS[index % len(LINE_COLOURS)] for index, line in enumerate(drives)},
        **{line: LINE_COLOURS[-1 - index % len(LINE_COLOURS)] for index, line in enumerate(senses)},
    }


def sensor_chips(profile: Profile) -> dict[str, tuple[Cell, ...]]:
    match profile.sensing.wiring:
        case ExpanderWiring(pins=pins):
            chip_by_cell = {cell: f"0x{pin.address:02x}" for cell, pin in pins.items()}
        case AnalogWiring(channels=channels):
            chip_by_cell = {cell: f"converter {channel.chip}" for cell, channel in channels.items()}
        case TrellisWiring(address=address, keys=keys):
            chip_by_cell = dict.fromkeys(keys, f"0x{address:02x}")
        case _:
            return {}
    chips = dict.fromkeys(chip_by_cell.values())
    return {chip: tuple(cell for cell, cell_chip in chip_by_cell.items() if cell_chip == chip) for chip in chips}
