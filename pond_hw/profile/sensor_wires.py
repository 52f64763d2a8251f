"""Sensor connections as named in messages: the input that reads a sensor, and its pin on the carrier board."""

from __future__ import annotations

from pond_hw.messages.message import Message
from pond_hw.profile import board_profile
from pond_hw.profile.board_profile import AnalogWiring, ExpanderWiring, MatrixWiring, Profile, TrellisWiring
from pond_hw.profile.pi_header import HEADER_PINS
from pond_hw.profile.pico_header import PICO_PINS
from pond_hw.profile.row_boards import connector_names, find_mismatch
from pond_hw.rules import Cell, get_grid


def sensor_wires(profile: Profile) -> dict[Cell, Message]:
    """Return where each cell's sensor is connected."""
    match profile.sensing.wiring:
        case TrellisWiring(keys=keys):
            return {cell: Message("wire.key", key=key) for cell, key in keys.items()}
        case board_profile.SimulatedWiring():
            return dict.fromkeys(get_grid(profile.size).cells, Message("wire.simulated"))
    pins = carrier_pins(profile)
    wires = {}
    for cell, inputs in sensor_inputs(profile).items():
        wire = Message("wire.two", place=inputs[0], other_place=inputs[-1]) if len(inputs) > 1 else inputs[0]
        wires[cell] = Message("wire.on_carrier", wire=wire, pins=pins[cell]) if pins else wire
    return wires


def carrier_pins(profile: Profile) -> dict[Cell, Message]:
    """Return the carrier board's pin for each cell's sensor; empty for a board without row boards."""
    if find_mismatch(profile):
        return {}
    names = connector_names(profile)
    return {
        cell: Message("wire.pin", connector=names[row], row=row, pin=cell[0])
        for cell in get_grid(profile.size).cells
        for row in (f"row {cell[1:]}",)
    }


def sensor_inputs(profile: Profile) -> dict[Cell, tuple[Message, ...]]:
    """Return the inputs that read each cell's sensor: two lines in a matrix, else one; empty without wires."""
    match profile.sensing.wiring:
        case MatrixWiring(crossings):
            return {
                cell: (_describe_gpio(profile, "driven_line", drive), _describe_gpio(profile, "sense_line", sense))
                for cell, (drive, sense) in crossings.items()
            }
        case board_profile.DirectWiring(pins):
            return {cell: (_describe_gpio(profile, "gpio", gpio),) for cell, gpio in pins.items()}
        case ExpanderWiring(chip=expander, pins=chip_pins):
            return {
                cell: (
                    Message(
                        "wire.expander",
                        chip=expander.title,
                        address=f"0x{pin.address:02x}",
                        pin=f"{pin.port}{pin.bit}",
                        leg=expander.find_package_pin(pin),
                    ),
                )
                for cell, pin in chip_pins.items()
            }
        case AnalogWiring(chip=converter, channels=channels):
            return {
                cell: (
                    Message(
                        "wire.converter",
                        chip=letter,
                        title=converter.title,
                        channel=channel,
                        leg=converter.first_package_pin + channel,
                    ),
                )
                for cell, (letter, channel) in channels.items()
            }
        case _:
            return {}


def _describe_gpio(profile: Profile, kind: str, gpio: int) -> Message:
    """Describe a GPIO as `gpio`, `driven_line` or `sense_line`, with its pin on the Pi's header or on the Pico."""
    if profile.controller == "pico":
        return Message(f"wire.pico_{kind}", gpio=gpio, pin=PICO_PINS[gpio])
    return Message(f"wire.{kind}", gpio=gpio, pin=HEADER_PINS[gpio])


def sensor_chips(profile: Profile) -> dict[str, tuple[Cell, ...]]:
    """Return the cells that each chip reads, by the chip's name."""
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
    return {chip: tuple(cell for cell, its_chip in chip_by_cell.items() if its_chip == chip) for chip in chips}
