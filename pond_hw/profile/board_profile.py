"""What a profile holds once it has been read and checked: plain values, in seconds, milliamperes and GPIO numbers.

Cells are keyed by name in the order of `Frame.data` (a1, b1, ... a2, ...). A GPIO is its BCM number.
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
    """A switch or a digital hall sensor from each GPIO to ground; the Pi's (or the Pico's) own pull-ups."""

    pins: Mapping[Cell, int]


class MatrixCrossing(NamedTuple):
    """Where a cell of a matrix lies: the GPIO that is driven, and the one that is read. `str` is as it is drawn."""

    drive: int
    sense: int

    def __str__(self) -> str:
        return f"{self.drive}/{self.sense}"


@dataclass(frozen=True, slots=True)
class MatrixWiring:
    """Switches at the crossings of driven and read GPIOs, a diode at each.

    One line at a time is driven low and the others are let go; the lines that are read have pull-ups. The diodes let
    current through towards the driven line: that is where their band is.
    """

    crossings: Mapping[Cell, MatrixCrossing]


@dataclass(frozen=True, slots=True)
class ExpanderWiring:
    """Switches or digital hall sensors to ground on expanders of one kind, with the chips' own pull-ups."""

    chip: Expander
    bus: int
    pins: Mapping[Cell, ExpanderPin]


@dataclass(frozen=True, slots=True)
class AnalogWiring:
    """Linear hall sensors on converters of one kind; all values in counts, 0 to 1023.

    Attributes:
        chip: which converter it is.
        chips: the converters by letter.
        channels: which input each cell's sensor is on.
        rest: what each cell reads with nothing near it.
        on: how far from rest a magnet is there.
        off: how near to rest it has gone.
        light: +1 if a light piece reads above rest, -1 if below.
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
    """The sixteen keys (and lamps) of a NeoTrellis: which key, 0 at its top left, lies under each cell."""

    bus: int
    address: int
    keys: Mapping[Cell, int]


@dataclass(frozen=True, slots=True)
class SimulatedWiring:
    """Simulated sensors: nothing is wired."""


SensorWiring = DirectWiring | MatrixWiring | ExpanderWiring | AnalogWiring | TrellisWiring | SimulatedWiring


def list_wires(sensor_wiring: SensorWiring) -> tuple[object, ...]:
    """What the sensors are wired to, in the order of the cells; nothing if they are simulated."""
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
    """Return the number of the I2C bus that the sensors are on; None if they are on none."""
    return sensor_wiring.bus if isinstance(sensor_wiring, ExpanderWiring | TrellisWiring) else None


@dataclass(frozen=True, slots=True)
class SensorSettings:
    """What senses the cells, and how long a reading must last.

    Attributes:
        kind: `button` or `hall`.
        wiring: what is connected to what.
        debounce_seconds: how long a level must hold still before it is believed, in seconds: of the cell that takes longest.
        settle_seconds: how long a difference on the board must hold still before it is a move, in seconds.
        scan_rate: how often all cells are read while something moves, at least, in 1/s; at rest it is less often.
        turned_pieces: True if the pieces show what they are, so that people turn them over as they develop.
        debounce_by_cell: for each cell how long its level must hold still, in seconds; where none is given, `debounce_seconds`.
        bad_cells: cells whose sensors are known to be bad.
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
    """The lamps, in the order in which the data runs through them.

    Attributes:
        driver: `auto`, `spi`, `ws281x`, `neopixel`, `neotrellis` or `simulated`.
        data_pin: the GPIO that the data leaves by; None for lamps that have none (neotrellis, simulated).
        lamp_count: lamps in the chain.
        lamps_per_cell: lamps in a cell.
        cell_positions: for each lamp of `Frame.data`'s cells, in that order, its place in the chain, 0 first.
        strip_positions: places of light's and of dark's score strip, from the first point on; both empty without strips.
        colour_order: the order in which a lamp takes its colours: the letters R, G, B.
        brightness: 0 to 1, on the light itself.
        budget_ma: what all lamps together may draw, in mA.
        slew_ma: how far that may rise from one frame to the next, in mA.
        encoding: how SPI draws the bits: `auto`, `byte` or `packed`.
        key_positions: places of the lamps in light's and dark's turn key, or in the common one; empty without lamps.
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
        """Place in the chain of each lamp of `Frame.data`, in that order."""
        return (*self.cell_positions, *self.strip_positions[0], *self.strip_positions[1], *self.key_positions)


@dataclass(frozen=True, slots=True)
class PowerSupply:
    """Where the lamps' current comes from.

    Attributes:
        source: `pi` (the 5 V pins of its header), `usb` (a Pico's cable) or `own` (a supply for the lamps alone).
        current_ma: what that supply gives, in mA.
    """

    source: str
    current_ma: float


@dataclass(frozen=True, slots=True)
class BoardBody:
    """What is printed, in mm.

    Attributes:
        pitch_mm: from the middle of a cell to the middle of the next.
        magnet_size_mm: diameter and height of a magnet in a piece; boards of buttons have none.
        reach_mm: at this distance from a magnet's face its sensor must detect it.
    """

    pitch_mm: float = 33.3
    magnet_size_mm: tuple[float, float] = (6.0, 3.0)
    reach_mm: float = 8.0


def name_turn_key(side: Side | None) -> str:
    """Return the name of a side's turn key in `Profile.key_pins`; None for the key that both share."""
    return f"key_{'common' if side is None else side}"


@dataclass(frozen=True, slots=True)
class Profile:
    """A board's build.

    Attributes:
        name: how the command line calls it; the file's name without `.toml`.
        title: one line for people.
        size: rows and columns.
        sensing: what senses the cells.
        chain: the lamps.
        supply: what feeds them.
        body: what is printed around them.
        undo_key_pin: the GPIO of the undo key (a switch to ground; held down, it opens the menu), or None.
        buzzer_pin: the GPIO of a passive buzzer, or None.
        turn_key_pins: the GPIO of each side's turn key; of None: that of one key that both share.
        controller: what all of this is wired to: `pi` (the header of a Raspberry Pi) or `pico` (a Pico on a USB cable).
        measured_keys: the keys whose values come from the board's own file, such as `lamps.cells`.
        calibration_warning: why Pond ignores the board's own file; None if it does not, or if there is none.
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
        """GPIOs of the keys beside the cells: `key`, `key_light`, `key_dark`, `key_common`, as far as there are any."""
        undo_key = {} if self.undo_key_pin is None else {"key": self.undo_key_pin}
        return undo_key | {name_turn_key(side): pin for side, pin in self.turn_key_pins.items()}
