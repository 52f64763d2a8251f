"""Playback of a recording, and the state of the recorded board at any time. Pure functions without input or output."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from pond_hw.blackbox import BoardOpened, BoxNote, FrameShown, LampsHealth
from pond_hw.blackbox.text import describe_note, format_sample
from pond_hw.board import Frame, HealthEvent, Sample, Touch
from pond_hw.messages.message import Message
from pond_hw.rules import Cell


class RecordedEvent(NamedTuple):
    """Event to list during playback. Frames and samples without a change of level are not listed."""

    instant: float
    message: Message


class PlaybackState(NamedTuple):
    """State of the board at one point in time. `trouble` is a fault of the sensors or the lamps."""

    frame: Frame
    sample: Sample | None
    down_cells: frozenset[Cell]
    trouble: Message | None


NOTHING_RECORDED = PlaybackState(Frame.dark_frame(3, 1), None, frozenset(), None)


class BoxRecording:
    """Recording with random access by time. Times are in seconds since the first note.

    Args:
        notes: notes of the recording. The first one must be a `BoardOpened`.

    Attributes:
        events: recorded events in order.
        duration_seconds: time from the first to the last note.
    """

    def __init__(self, notes: Sequence[BoxNote]) -> None:
        first_instant = notes[0].instant
        # A late touch has an earlier time than the note before it. Play it back in the order of the notes.
        self._at = list(accumulate((note.instant - first_instant for note in notes), max))
        self.duration_seconds = self._at[-1]
        self.events: list[RecordedEvent] = []
        self._states = [*self._states_after(notes)]
        self._event_at = [event.instant for event in self.events]

    def state_at(self, instant: float) -> PlaybackState:
        return self._states[max(0, bisect_right(self._at, instant) - 1)]

    def events_until(self, instant: float, event_limit: int) -> Sequence[RecordedEvent]:
        """Return the last `event_limit` events up to a point in time."""
        event_count = bisect_right(self._event_at, instant)
        return self.events[max(0, event_count - event_limit) : event_count]

    def next_event_at(self, instant: float) -> float:
        """Return the time of the next event, or the end of the recording if there are no more events."""
        event_count = bisect_right(self._event_at, instant)
        return self._event_at[event_count] if event_count < len(self.events) else self.duration_seconds

    def _states_after(self, notes: Sequence[BoxNote]) -> Iterator[PlaybackState]:
        """Yield the state after each note, and append events to `events`."""
        state, sensor_trouble, lamp_trouble = NOTHING_RECORDED, None, None
        for event_instant, note in zip(self._at, notes, strict=True):
            message = None
            match note:
                case FrameShown(frame):
                    state = state._replace(frame=frame)
                case Sample(levels):
                    levels_before = state.sample.levels if state.sample else ()
                    if levels != (levels_before or (0,) * len(levels)):
                        changes = format_sample(levels_before, note, state.frame.size)
                        message = Message("recording.sensors_changed", changes=changes)
                    state = state._replace(sample=note)
                case BoardOpened():
                    state = NOTHING_RECORDED._replace(frame=note.dark_frame)
                    sensor_trouble, lamp_trouble = None, None
                case Touch(cell, down):
                    state = state._replace(down_cells=state.down_cells | {cell} if down else state.down_cells - {cell})
                case HealthEvent(trouble):
                    sensor_trouble = trouble
                case LampsHealth(trouble):
                    lamp_trouble = trouble
            if not isinstance(note, FrameShown | Sample):
                message = describe_note(note)
                state = state._replace(trouble=sensor_trouble or lamp_trouble)
            if message:
                self.events.append(RecordedEvent(event_instant, message))
            yield state


class Playback:
    """Position and speed of a playback. `playing` is False while playback is paused and at the end."""

    MIN_SPEED, MAX_SPEED = 1 / 64, 1024.0

    def __init__(self, recording: BoxRecording, speed: float = 1.0) -> None:
        self.recording = recording
        self.position_seconds = 0.0
        self.speed = speed
        self.playing = True

    def pass_time(self, passed_seconds: float) -> None:
        """Advance by `passed_seconds` of real time."""
        if self.playing:
            self.seek_to(self.position_seconds + passed_seconds * self.speed)
            self.playing = self.position_seconds < self.recording.duration_seconds

    def seek_to(self, instant: float) -> None:
        """Go to a point in time, clamped to the length of the recording."""
        self.position_seconds = min(max(0.0, instant), self.recording.duration_seconds)

    def toggle_pause(self) -> None:
        """Pause or continue. Start over at the end of the recording."""
        self.playing = not self.playing
        if self.playing and self.position_seconds >= self.recording.duration_seconds:
            self.position_seconds = 0.0

    def stop_at_next(self) -> None:
        self.playing = False
        self.seek_to(self.recording.next_event_at(self.position_seconds))

    def change_speed(self, speed_factor: float) -> None:
        self.speed = min(max(self.MIN_SPEED, self.speed * speed_factor), self.MAX_SPEED)
