"""Where one is in what was recorded, and how things stood there. Pure: whoever plays it owns time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from pond_hw.blackbox import BoardOpened, BoxNote, FrameShown, LampsHealth
from pond_hw.blackbox.text import format_note, format_sample
from pond_hw.board import Frame, HealthEvent, Sample, Touch
from pond_hw.rules import Cell


class RecordedEvent(NamedTuple):
    """Something that happened besides light and what linear sensors count: when, and in words."""

    instant: float
    text: str


class PlaybackState(NamedTuple):
    """How things stand.

    Attributes:
        frame: what the lamps show.
        sample: what the sensors said last; None, if they have said nothing.
        down_cells: the cells that were felt to be down, or to have a piece.
        trouble: what is wrong with sensors or lamps, or None.
    """

    frame: Frame
    sample: Sample | None
    down_cells: frozenset[Cell]
    trouble: str | None


class BoxRecording:
    """Notes, and how things stood at any instant between them. Instants are seconds from the first note on.

    Args:
        notes: at least one, the first of them that a board was opened.

    Attributes:
        events: what happened, in order.
        duration_seconds: seconds from the first note to the last.
    """

    def __init__(self, notes: Sequence[BoxNote]) -> None:
        begun = notes[0].instant
        # What is noted later may have been so before; it came to be known in this order.
        self._at = list(accumulate((note.instant - begun for note in notes), max))
        self.duration_seconds = self._at[-1]
        self._notes = notes
        self._frames: list[int] = []  # the numbers of the notes that tell what the lamps show
        self._readings: list[int] = []  # and what the sensors say
        self._felt: list[tuple[int, frozenset[Cell], str | None]] = []  # number, what is down, what is wrong
        self.events: list[RecordedEvent] = []
        self._index_notes()
        self._event_at = [event.instant for event in self.events]

    def state_at(self, instant: float) -> PlaybackState:
        """How things stand at an instant."""
        number = bisect_right(self._at, instant)
        shown = self._notes[self._frames[max(0, bisect_left(self._frames, number) - 1)]]
        frame = shown.frame if isinstance(shown, FrameShown) else Frame.dark_frame(*shown[:3])
        said = bisect_left(self._readings, number) - 1
        reading = self._notes[self._readings[said]] if said >= 0 else None
        _, down, trouble = self._felt[max(0, bisect_left(self._felt, number, key=lambda felt: felt[0]) - 1)]
        return PlaybackState(frame, reading if isinstance(reading, Sample) else None, down, trouble)

    def events_until(self, instant: float, most: int) -> Sequence[RecordedEvent]:
        """The latest events up to an instant, so many at the most."""
        end = bisect_right(self._event_at, instant)
        return self.events[max(0, end - most) : end]

    def next_event_at(self, instant: float) -> float:
        """When the next event is after an instant; the end, if there is none."""
        end = bisect_right(self._event_at, instant)
        return self._event_at[end] if end < len(self.events) else self.duration_seconds

    def _index_notes(self) -> None:
        levels, size = tuple[int, ...](), 0
        down, sensors, lamps = frozenset[Cell](), None, None
        for number, (at, note) in enumerate(zip(self._at, self._notes, strict=True)):
            match note:
                case FrameShown():
                    self._frames.append(number)
                    continue
                case Sample():
                    self._readings.append(number)
                    before, levels = levels, note.levels
                    if levels != (before or (0,) * len(levels)):
                        self.events.append(RecordedEvent(at, f"read: {format_sample(before, note, size)}"))
                    continue
                case BoardOpened():
                    self._frames.append(number)
                    self._readings.append(number)
                    levels, size = (), note.size
                    down, sensors, lamps = frozenset(), None, None
                case Touch(cell):
                    down = down | {cell} if note.down else down - {cell}
                case HealthEvent(trouble):
                    sensors = trouble
                case LampsHealth(trouble):
                    lamps = trouble
            self.events.append(RecordedEvent(at, format_note(note)))
            self._felt.append((number, down, sensors or lamps))


class Playback:
    """A recording that is played.

    Args:
        recording: which.
        speed: how many times as fast as it was.

    Attributes:
        position_seconds: where it is, in seconds.
        speed: how many times as fast as it was.
        playing: whether it goes on as time passes.
    """

    MIN_SPEED, MAX_SPEED = 1 / 64, 1024.0

    def __init__(self, recording: BoxRecording, speed: float = 1.0) -> None:
        self.recording = recording
        self.position_seconds = 0.0
        self.speed = speed
        self.playing = True

    def pass_time(self, seconds: float) -> None:
        """So many seconds have passed where it is played."""
        if self.playing:
            self.seek_to(self.position_seconds + seconds * self.speed)
            self.playing = self.position_seconds < self.recording.duration_seconds

    def seek_to(self, instant: float) -> None:
        """Be at an instant, or at the end that is nearer."""
        self.position_seconds = min(max(0.0, instant), self.recording.duration_seconds)

    def toggle_pause(self) -> None:
        """Stop, or go on; at the end, begin again."""
        self.playing = not self.playing
        if self.playing and self.position_seconds >= self.recording.duration_seconds:
            self.position_seconds = 0.0

    def stop_at_next(self) -> None:
        """Stop at the next event."""
        self.playing = False
        self.seek_to(self.recording.next_event_at(self.position_seconds))

    def change_speed(self, factor: float) -> None:
        """Be so many times as fast as now."""
        self.speed = min(max(self.MIN_SPEED, self.speed * factor), self.MAX_SPEED)
