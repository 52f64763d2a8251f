"""Parsed and checked profile: plain values, in seconds, milliamperes and GPIO numbers.

Cells are keyed by name in the order of `Frame.data` (a1, b1, ... a2, ...). GPIOs are BCM numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.profile.chips import AdcChannel, AdcPins, Converter, Expander, ExpanderPin
from pond_hw.rules import Cell, Side


@dataclass(frozen=True, slots=True)
class DirectWiring:
    """A switch or digital hall sensor from each GPIO to ground, using the GPIOs' internal pull-ups."""

    pins: Mapping[Cell, int]


class MatrixCrossing(NamedTuple):
    """Driven GPIO and read GPIO of a cell in a matrix. `str()` formats them as in drawings."""

    drive: int
    sense: int

    def __str__(self) -> str:
        return f"{self.drive}/{self.sense}"


@dataclass(frozen=True, slots=True)
class MatrixWiring:
    """Switches at the crossings of driven and read GPIOs, each with a diode.

    One line at a time is driven low while the others float. The read lines have pull-ups. The diodes conduct towards the
    driven line, which their banded ends face.
    """

    crossings: Mapping[Cell, MatrixCrossing]


@dataclass(frozen=True, slots=True)
class ExpanderWiring:
    """Switches or digital hall sensors to ground on expanders of one kind, using the chips' internal pull-ups."""

    chip: Expander
    bus: int
    pins: Mapping[Cell, ExpanderPin]


@dataclass(frozen=True, slots=True)
class AnalogWiring:
    """Linear hall sensors on converters of one kind. Readings are counts from 0 to 1023.

    Attributes:
        chip: type of the converters.
        chips: converters by letter.
        channels: converter input of each cell's sensor.
        rest: each cell's reading without a magnet.
        on: difference from the `rest` reading at which a magnet is detected.
        off: difference from the `rest` reading at which the magnet counts as removed.
        light: +1 if light pieces read above the `rest` reading, -1 if they read below it.
    """

    chip: Converter
    chips: Mapping[str, AdcPins]
    channels: Mapping[Cell, AdcChannel]
    rest: Mapping[Cell, int]
    on: int
    off: int
    light: int


@dataclass(frozen=True, slots=True)
class TrellisWiring:
    """A NeoTrellis key under each cell; key 0 is at the top left of the NeoTrellis."""

    bus: int
    address: int
    keys: Mapping[Cell, int]


@dataclass(frozen=True, slots=True)
class SimulatedWiring:
    """Simulated sensors without wiring."""


SensorWiring = DirectWiring | MatrixWiring | ExpanderWiring | AnalogWiring | TrellisWiring | SimulatedWiring


def list_wires(sensor_wiring: SensorWiring) -> tuple[object, ...]:
    """Return the wire of each cell, in the order of the cells, or nothing if the sensors are simulated."""
    match sensor_wiring:
        case (
            DirectWiring(pins)
            | TrellisWiring(keys=pins)
            | AnalogWiring(channels=pins)
            | ExpanderWiring(pins=pins)
            | MatrixWiring(crossings=pins)
        ):
            return tuple(pins.values())
        case SimulatedWiring():
            return ()


def find_i2c_bus(sensor_wiring: SensorWiring) -> int | None:
    """Return the number of the sensors' I2C bus, or None if they are not on one."""
    return sensor_wiring.bus if isinstance(sensor_wiring, ExpanderWiring | TrellisWiring) else None


@dataclass(frozen=True, slots=True)
class SensorSettings:
    """Sensors of the cells, and their timing.

    Attributes:
        kind: `button` or `hall`.
        wiring: connections of the cells.
        debounce_seconds: time for which a level must hold before it is accepted: the longest of all cells.
        settle_seconds: time for which a change on the board must hold before it counts as a move.
        scan_rate: minimum readings of all cells per second during activity; lower when idle.
        turned_pieces: True if pieces show their stage, so that players turn them over.
        debounce_by_cell: debounce time in seconds of each cell; `debounce_seconds` if not listed.
        bad_cells: cells with defective sensors.
    """

    kind: str
    wiring: SensorWiring
    debounce_seconds: float
    settle_seconds: float
    scan_rate: float
    turned_pieces: bool = False
    debounce_by_cell: Mapping[Cell, float] = field(default_factory=dict)
    bad_cells: frozenset[Cell] = frozenset()


@dataclass(frozen=True, slots=True)
class LampSettings:
    """Lamps in data order.

    Attributes:
        driver: `auto`, `spi`, `ws281x`, `neopixel`, `neotrellis` or `simulated`.
        data_pin: GPIO for the lamp data; None if not needed (neotrellis, simulated).
        lamp_count: number of lamps in the chain.
        lamps_per_cell: number of lamps in a cell.
        cell_positions: position in the chain, from 0, of each lamp in the cells, in the order of `Frame.data`.
        strip_positions: positions of the lamps in light's and dark's score strip, from the first point; empty without strips.
        colour_order: order of a lamp's colours, in the letters R, G and B.
        brightness: 0 to 1, as light output.
        budget_ma: maximum current of all lamps, in mA.
        slew_ma: maximum rise of that current between frames, in mA.
        encoding: encoding of the bits on SPI: `auto`, `byte` or `packed`.
        key_positions: positions of the lamps in light's and dark's turn keys, or in the shared key; empty without lamps.
    """

    driver: str
    data_pin: int | None
    lamp_count: int
    lamps_per_cell: int
    cell_positions: tuple[int, ...]
    strip_positions: tuple[tuple[int, ...], tuple[int, ...]]
    colour_order: str
    brightness: float
    budget_ma: float
    slew_ma: float
    encoding: str = "auto"
    key_positions: tuple[int, ...] = ()

    @property
    def drawn_positions(self) -> tuple[int, ...]:
        return (*self.cell_positions, *self.strip_positions[0], *self.strip_positions[1], *self.key_positions)


@dataclass(frozen=True, slots=True)
class PowerSupply:
    """Power supply of the lamps, `pi` (the 5 V pins of its header), `usb` (a Pico's cable) or `own`, and its current in mA."""

    source: str
    current_ma: float


@dataclass(frozen=True, slots=True)
class BoardBody:
    """Dimensions of the printed body in mm.

    Attributes:
        magnet_size_mm: diameter and height of a piece's magnet; unused on boards with buttons.
    """

    magnet_size_mm: tuple[float, float] = (8.0, 3.0)


def name_turn_key(side: Side | None) -> str:
    """Return the name of a side's turn key in `Profile.key_pins`; None means the shared key."""
    return f"key_{'common' if side is None else side}"


@dataclass(frozen=True, slots=True)
class Profile:
    """Complete description of a board.

    Attributes:
        name: name on the command line: the file name without `.toml`.
        title: one-line description for people.
        size: number of rows and of columns.
        undo_key_pin: GPIO of the undo key (a switch to ground; holding it down opens the menu), or None.
        buzzer_pin: GPIO of a passive buzzer, or None.
        turn_key_pins: GPIO of the turn key, by side; None stands for both sides.
        controller: `pi` (header of a Raspberry Pi) or `pico` (a Pico on a USB cable).
        measured_keys: keys with values from the calibration file, such as `lamps.cells`.
        calibration_warning: reason for ignoring the calibration file; None if it is used or missing.
    """

    name: str
    title: str
    size: int
    sensing: SensorSettings
    chain: LampSettings
    supply: PowerSupply
    body: BoardBody = BoardBody()
    undo_key_pin: int | None = None
    buzzer_pin: int | None = None
    controller: str = "pi"
    measured_keys: tuple[str, ...] = ()
    calibration_warning: Message | None = None
    turn_key_pins: Mapping[Side | None, int] = field(default_factory=dict)

    @property
    def key_pins(self) -> dict[str, int]:
        """GPIOs of the keys beside the cells, by name: `key`, `key_light`, `key_dark`, `key_common`. Missing keys are left out."""
        undo_key = {} if self.undo_key_pin is None else {"key": self.undo_key_pin}
        return undo_key | {name_turn_key(side): pin for side, pin in self.turn_key_pins.items()}
