"""Switches at the crossings of driven and read GPIOs, with a diode at each.

             sense 17   sense 22
                |          |        every sense line has the Pi's pull-up; a driven line is low or floating
    drive 5 ----+-[]->|----+-
                |          |
    drive 6 ----+-[]->|----+-       the diodes point from the sense lines to the driven lines

While no switch is pressed, all driven lines are low and one reading of the sense lines is enough. When a sense
line is low, the driven lines are tested one at a time while all others float. If a diode were missing, a low line
and a high one would short-circuit through two pressed switches.

Without diodes, or with a broken one, three pressed corners of a rectangle make the fourth read as pressed too.
While a full rectangle reads as pressed, the reader therefore keeps its previous levels.
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
"""Rise time of a sense line in seconds, for a pull-up of 50 to 65 kilohms and 100 pF of wire."""


def may_have_ghosts(pressed: Collection[MatrixCrossing]) -> bool:
    """Return True if four of the crossings form a rectangle, so that one of them may be a ghost."""
    senses: dict[int, set[int]] = {}
    for drive, sense in pressed:
        senses.setdefault(drive, set()).add(sense)
    return any(len(some_senses & other_senses) > 1 for some_senses, other_senses in combinations(senses.values(), 2))


class MatrixReader(PinReader):
    """Reader of a diode matrix of switches: 1 for each closed switch. While a ghost is possible, levels do not change.

    Attributes:
        raw_values: 1 for each cell whose crossing last read as closed, including ghosts.
    """

    def __init__(self, wiring: MatrixWiring) -> None:
        super().__init__()
        self._crossings = tuple(wiring.crossings.values())
        self.close()

    def close(self) -> None:
        self._drives: dict[int, Any] = {}
        self._senses: tuple[int, ...] = ()
        self._all_low = False
        self.raw_values = self._levels = (0,) * len(self._crossings)
        super().close()

    @property
    def edge_fd(self) -> int | None:
        """Descriptor as in `SensorReader`; None while a driven line floats, since its switches then cause no edges."""
        return super().edge_fd if self._all_low else None

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
        sense_levels = self._bank.read_levels() if self._bank else ()
        return [sense for sense, is_low in zip(self._senses, sense_levels, strict=True) if is_low]

    def _pressed_crossings(self) -> set[MatrixCrossing]:
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
        released_at = perf_counter()
        for drive, gpio_line in self._drives.items():
            _drive_low(gpio_line)
            _wait_settled(released_at)
            pressed |= {MatrixCrossing(drive, sense) for sense in self._low_senses()}
            gpio_line.function = "input"
            released_at = perf_counter()
        _wait_settled(released_at)
        for sense in self._low_senses():
            raise SensorReadError(Message("matrix.grounded", pin=sense))
        return pressed


def _drive_low(gpio_line: Any) -> None:
    gpio_line.function = "output"  # on a Pi this already drives it low
    if gpio_line.state:
        gpio_line.state = 0


def _wait_settled(released_at: float) -> None:
    settled_at = released_at + LINE_SETTLE_SECONDS
    while perf_counter() < settled_at:
        pass
