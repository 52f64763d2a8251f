"""Switches at the crossings of driven and read GPIOs, a diode at each.

             sense 17   sense 22
                |          |        every sense line has the Pi's pull-up; a driven line is low,
    drive 5 ----+-[]->|----+-       or let go of
                |          |
    drive 6 ----+-[]->|----+-       the diodes point from the sense lines to the driven lines

While nothing is pressed, all driven lines are low at once and one look along the sense lines is enough. When one of
them is low, the driven lines are taken one by one and all others let go of: two that are low and high at the same
time would short each other out through two pressed switches if a diode were missing.

Without diodes (or with a broken one) three pressed corners of a rectangle make the fourth read as pressed too. So as
long as a full rectangle of crossings reads as pressed, nothing new is believed: the levels stay what they were.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from time import perf_counter
from typing import Any

from pond_hw.drivers.debounce import SensorLevel
from pond_hw.drivers.gpio import PinReader, pulled_up_input
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import MatrixCrossing, MatrixWiring

LINE_SETTLE_SECONDS = 20e-6
"""Seconds that a sense line may take to rise again: a pull-up of 50 to 65 kilohms against 100 pF of wires."""


def may_have_ghosts(pressed: Collection[MatrixCrossing]) -> bool:
    """Whether four of these crossings are the corners of a rectangle, so that one of them may be a ghost."""
    senses: dict[int, set[int]] = {}
    for drive, sense in pressed:
        senses.setdefault(drive, set()).add(sense)
    return any(len(some_senses & other_senses) > 1 for some_senses, other_senses in combinations(senses.values(), 2))


class MatrixReader(PinReader):
    """A diode matrix of switches: 1 for each that is closed; the reading before as long as there may be a ghost.

    Attributes:
        raw_values: for each cell 1 if its crossing read as closed last, ghosts included.
    """

    def __init__(self, wiring: MatrixWiring) -> None:
        super().__init__()
        self._crossings = tuple(wiring.crossings.values())
        self.close()

    def close(self) -> None:
        """Let go of every line."""
        self._drives: dict[int, Any] = {}
        self._senses: tuple[int, ...] = ()
        self._all_low = False
        self.raw_values = self._levels = (0,) * len(self._crossings)
        super().close()

    @property
    def edge_file(self) -> int | None:
        """As in `SensorReader`: only while all driven lines are low does a switch that closes pull its sense line down."""
        return super().edge_file if self._all_low else None

    def _claim_pins(self) -> None:
        sense_line = Message("pin_user.sense_line")
        senses = dict.fromkeys(crossing.sense for crossing in self._crossings)
        sense_inputs = {pin: self._claim_line(pin, sense_line) for pin in senses}
        for pin in dict.fromkeys(crossing.drive for crossing in self._crossings):
            self._drives[pin] = self._claim_line(pin, Message("pin_user.driven_line")).pin
        self._open_bank(sense_line, sense_inputs)
        self._senses = tuple(senses)

    def _read_pins(self) -> tuple[SensorLevel, ...]:
        pressed = self._pressed_crossings()
        self.raw_values = tuple([1 if crossing in pressed else 0 for crossing in self._crossings])
        if not may_have_ghosts(pressed):
            self._levels = self.raw_values
        return self._levels

    def _claim_line(self, pin: int, pin_user: Message) -> Any:
        self._held.append(pulled_up_input(pin, pin_user))
        return self._held[-1]

    def _low_senses(self) -> list[int]:
        """The sense lines that are low now."""
        sense_levels = self._bank.read_levels() if self._bank else ()
        return [sense for sense, is_low in zip(self._senses, sense_levels, strict=True) if is_low]

    def _pressed_crossings(self) -> set[MatrixCrossing]:
        """The crossings that read as closed."""
        if not self._all_low:
            for gpio_line in self._drives.values():
                _drive_low(gpio_line)
            self._all_low = True
        if not self._low_senses():
            return set()
        pressed = set()
        self._all_low = False
        for gpio_line in self._drives.values():
            gpio_line.function = "input"
        let_go = perf_counter()
        for drive, gpio_line in self._drives.items():
            _drive_low(gpio_line)
            _wait_settled(let_go)
            pressed |= {MatrixCrossing(drive, sense) for sense in self._low_senses()}
            gpio_line.function = "input"
            let_go = perf_counter()
        _wait_settled(let_go)
        for sense in self._low_senses():
            raise SensorReadError(Message("matrix.grounded", pin=sense))
        return pressed


def _drive_low(gpio_line: Any) -> None:
    gpio_line.function = "output"  # which makes it low at once on a Pi
    if gpio_line.state:
        gpio_line.state = 0


def _wait_settled(let_go_at: float) -> None:
    """Wait until a line that was released at that instant has settled."""
    settled_at = let_go_at + LINE_SETTLE_SECONDS
    while perf_counter() < settled_at:
        pass
