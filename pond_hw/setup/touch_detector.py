"""Touches of fingers, or of pieces put down and taken off, found in raw readings; and what is no touch.

level     ___|-|_|---------------|_|-|______
down      ___________|-----------------|____     each edge after it has held still
reported         "down"              "touch"
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from math import inf
from typing import NamedTuple

from pond_hw.board import Sample
from pond_hw.profile.board_profile import Profile
from pond_hw.setup.pages import StepPage
from pond_hw.setup.step import Conversation, LitLamps, Prompt, StepEvent, StepReply, StepTick

MIN_DEBOUNCE = 0.03
"""Seconds that a level must hold at least to count: nobody touches more briefly on purpose."""

STUCK_AFTER = 10.0  # seconds after which an input is taken to be on by itself
FLICKER_CHANGES = 10  # changes in a second; with more of them, and no level that holds, an input flickers

LONGEST_BOUNCE = 0.5  # seconds after which a contact that still changes flickers rather than bounces


class TouchKind(StrEnum):
    """What happened: an input answers; it lets go and was alone; two answer at once; one flickers; one is always on."""

    DOWN = "down"
    TOUCH = "touch"
    TWO_INPUTS = "two"
    FLICKER = "flicker"
    STUCK = "stuck"


class DetectedTouch(NamedTuple):
    """Something that happened, and to which inputs."""

    kind: TouchKind
    inputs: tuple[int, ...]


class TouchDetector:
    """What all inputs do.

    Attributes:
        debounce_seconds: how long a level must hold, in seconds.
        raw_levels: whether anything is at each input, as last read; empty before anything was read.
        changed_at: since when, in seconds.
        down_since: the inputs that are on after debouncing, and since when.
        ignored_inputs: those that are on all the time.
        is_spoiled: whether the present touch does not count, because two inputs answered.
        recent_changes: when each input changed in the last second.
        flickering_inputs: the inputs that were reported to flicker, until they hold still.
    """

    def __init__(self, profile: Profile) -> None:
        self.debounce_seconds = max(profile.sensing.debounce_seconds, MIN_DEBOUNCE)
        self.raw_levels: tuple[bool, ...] = ()
        self.changed_at: list[float] = []
        self.down_since: dict[int, float] = {}
        self.ignored_inputs: set[int] = set()
        self.is_spoiled = False
        self.recent_changes: dict[int, list[float]] = {}
        self.flickering_inputs: set[int] = set()

    @property
    def due_time(self) -> float:
        """When something may happen although nothing is read."""
        ripe = (since + self.debounce_seconds for number, since in enumerate(self.changed_at) if self._differs(number))
        stuck = (since + STUCK_AFTER for number, since in self.down_since.items() if number not in self.ignored_inputs)
        return min((*ripe, *stuck), default=inf)

    @property
    def holds_touch(self) -> bool:
        """Whether something is being touched."""
        return bool(self.down_since.keys() - self.ignored_inputs)

    def feel(self, event: Sample | StepTick) -> list[DetectedTouch]:
        """What has happened up to this instant, with what is read now.

        The last reading has held until now: readings come only when something changes.
        """
        instant, new_sample = event.instant, event if isinstance(event, Sample) else None
        if new_sample and not self.raw_levels:  # what is on before anything was asked is no answer
            self.raw_levels = tuple(map(bool, new_sample.levels))
            self.changed_at = [instant] * len(self.raw_levels)
            self.ignored_inputs = {input_number for input_number, level in enumerate(self.raw_levels) if level}
            self.down_since = dict.fromkeys(sorted(self.ignored_inputs), instant)
            return [DetectedTouch(TouchKind.STUCK, tuple(self.down_since))] if self.down_since else []
        felt_touches: list[DetectedTouch] = []
        for input_number in sorted(range(len(self.raw_levels)), key=self.changed_at.__getitem__):
            if self._differs(input_number) and instant >= self.changed_at[input_number] + self.debounce_seconds:
                felt_touches += self._believe(input_number)
        for input_number, held_since in self.down_since.items():
            if input_number not in self.ignored_inputs and instant >= held_since + STUCK_AFTER:
                self.ignored_inputs.add(input_number)
                felt_touches.append(DetectedTouch(TouchKind.STUCK, (input_number,)))
        if new_sample and (flickering_now := tuple(self._take(new_sample))):
            self.flickering_inputs |= {*flickering_now}
            felt_touches.append(DetectedTouch(TouchKind.FLICKER, flickering_now))
        return felt_touches

    def is_touched(self, event: StepEvent) -> bool:
        """Whether any input was touched up to this event."""
        return isinstance(event, Sample | StepTick) and any(each.kind is TouchKind.TOUCH for each in self.feel(event))

    def begin_anew(self, instant: float) -> None:
        """Start again after a while in which nothing could be read."""
        self.changed_at, self.recent_changes, self.is_spoiled = [instant] * len(self.changed_at), {}, self.holds_touch

    def touch_or_reply(self, page: StepPage, reply_keys: str, lit: LitLamps) -> Conversation[str]:
        """The part of a conversation that waits for one of these keys, or (empty) for a touch."""
        while True:
            event = yield Prompt(page, lit, self.due_time)
            if isinstance(event, StepReply) and event.key in reply_keys:
                return event.key
            if self.is_touched(event):
                return ""

    def _differs(self, input_number: int) -> bool:
        return self.raw_levels[input_number] != (input_number in self.down_since)

    def _believe(self, input_number: int) -> list[DetectedTouch]:
        """An input has held its level for long enough."""
        self.flickering_inputs.discard(input_number)
        self.recent_changes.pop(input_number, None)
        if self.raw_levels[input_number]:
            other_inputs = [other_input for other_input in self.down_since if other_input not in self.ignored_inputs]
            self.down_since[input_number] = self.changed_at[input_number]
            self.is_spoiled = self.is_spoiled or bool(other_inputs)
            touch_kind = TouchKind.TWO_INPUTS if other_inputs else TouchKind.DOWN
            return [DetectedTouch(touch_kind, (*other_inputs[:1], input_number))]
        is_counted = input_number not in self.ignored_inputs and not self.is_spoiled
        del self.down_since[input_number]
        self.ignored_inputs.discard(input_number)
        self.is_spoiled = self.is_spoiled and self.holds_touch
        return [DetectedTouch(TouchKind.TOUCH, (input_number,))] if is_counted and not self.holds_touch else []

    def _take(self, sample: Sample) -> Iterator[int]:
        """Take in a reading, and find the inputs that change all the time; a bounce is over much sooner."""
        levels, instant = tuple(map(bool, sample.levels)), sample.instant
        for input_number, level in enumerate(levels):
            if level != self.raw_levels[input_number]:
                self.changed_at[input_number] = instant
                self.recent_changes.setdefault(input_number, []).append(instant)
        self.raw_levels = levels
        for input_number, change_instants in sorted(self.recent_changes.items()):
            change_instants[:] = [changed_at for changed_at in change_instants if changed_at > instant - 1]
            is_lasting = len(change_instants) > FLICKER_CHANGES and instant - change_instants[0] >= LONGEST_BOUNCE
            if is_lasting and input_number not in self.flickering_inputs:
                yield input_number
