"""Where one is in what was recorded, and how things stood there. Pure: whoever plays it owns time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from pond_hw.blackbox import LampsSay, Note, Opened, Shown
from pond_hw.blackbox.text import told, told_reading
from pond_hw.board import Frame, Health, Reading, Touch
from pond_hw.rules import Cell


class Event(NamedTuple):
    """Something that happened besides light and what linear sensors count: when, and in words."""

    at: float
    told: str


class Standing(NamedTuple):
    """How things stand.

    Attributes:
        frame: what the lamps show.
        reading: what the sensors said last; None, if they have said nothing.
        down: the cells that were felt to be down, or to have a piece.
        trouble: what is wrong with sensors or lamps, or None.
    """

    frame: Frame
    reading: Reading | None
    down: frozenset[Cell]
    trouble: str | None


class Recording:
    """Notes, and how things stood at any instant between them. Instants are seconds from the first note on.

    Args:
        notes: at least one, the first of them that a board was opened.

    Attributes:
        events: what happened, in order.
        lasts: seconds from the first note to the last.
    """

    def __init__(self, notes: Sequence[Note]) -> None:
        begun = notes[0].at
        # What is noted later may have been so before; it came to be known in this order.
        self._at = list(accumulate((note.at - begun for note in notes), max))
        self.lasts = self._at[-1]
        self._notes = notes
        self._frames: list[int] = []  # the numbers of the notes that tell what the lamps show
        self._readings: list[int] = []  # and what the sensors say
        self._felt: list[tuple[int, frozenset[Cell], str | None]] = []  # number, what is down, what is wrong
        self.events: list[Event] = []
        self._go_through()
        self._event_at = [event.at for event in self.events]

    def at(self, instant: float) -> Standing:
        """How things stand at an instant."""
        number = bisect_right(self._at, instant)
        shown = self._notes[self._frames[max(0, bisect_left(self._frames, number) - 1)]]
        frame = shown.frame if isinstance(shown, Shown) else Frame.dark(*shown[:3])
        said = bisect_left(self._readings, number) - 1
        reading = self._notes[self._readings[said]] if said >= 0 else None
        _, down, trouble = self._felt[max(0, bisect_left(self._felt, number, key=lambda felt: felt[0]) - 1)]
        return Standing(frame, reading if isinstance(reading, Reading) else None, down, trouble)

    def until(self, instant: float, most: int) -> Sequence[Event]:
        """The latest events up to an instant, so many at the most."""
        end = bisect_right(self._event_at, instant)
        return self.events[max(0, end - most) : end]

    def next(self, instant: float) -> float:
        """When the next event is after an instant; the end, if there is none."""
        end = bisect_right(self._event_at, instant)
        return self._event_at[end] if end < len(self.events) else self.lasts

    def _go_through(self) -> None:
        levels, size = tuple[int, ...](), 0
        down, sensors, lamps = frozenset[Cell](), None, None
        for number, (at, note) in enumerate(zip(self._at, self._notes, strict=True)):
            match note:
                case Shown():
                    self._frames.append(number)
                    continue
                case Reading():
                    self._readings.append(number)
                    before, levels = levels, note.levels
                    if levels != (before or (0,) * len(levels)):
                        self.events.append(Event(at, f"read: {told_reading(before, note, size)}"))
                    continue
                case Opened():
                    self._frames.append(number)
                    self._readings.append(number)
                    levels, size = (), note.size
                    down, sensors, lamps = frozenset(), None, None
                case Touch(cell):
                    down = down | {cell} if note.down else down - {cell}
                case Health(trouble):
                    sensors = trouble
                case LampsSay(trouble):
                    lamps = trouble
            self.events.append(Event(at, told(note)))
            self._felt.append((number, down, sensors or lamps))


class Playback:
    """A recording that is played.

    Args:
        recording: which.
        speed: how many times as fast as it was.

    Attributes:
        at: where it is, in seconds.
        speed: how many times as fast as it was.
        playing: whether it goes on as time passes.
    """

    SLOWEST, FASTEST = 1 / 64, 1024.0

    def __init__(self, recording: Recording, speed: float = 1.0) -> None:
        self.recording = recording
        self.at = 0.0
        self.speed = speed
        self.playing = True

    def pass_time(self, seconds: float) -> None:
        """So many seconds have passed where it is played."""
        if self.playing:
            self.go(self.at + seconds * self.speed)
            self.playing = self.at < self.recording.lasts

    def go(self, instant: float) -> None:
        """Be at an instant, or at the end that is nearer."""
        self.at = min(max(0.0, instant), self.recording.lasts)

    def pause(self) -> None:
        """Stop, or go on; at the end, begin again."""
        self.playing = not self.playing
        if self.playing and self.at >= self.recording.lasts:
            self.at = 0.0

    def next(self) -> None:
        """Stop at the next event."""
        self.playing = False
        self.go(self.recording.next(self.at))

    def hurry(self, factor: float) -> None:
        """Be so many times as fast as now."""
        self.speed = min(max(self.SLOWEST, self.speed * factor), self.FASTEST)
