"""Detect touches by fingers or pieces in raw samples.

level     ___|-|_|---------------|_|-|______
down      ___________|-----------------|____     each edge once it is stable
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
"""Minimum number of seconds that a level must be stable. Intentional touches last longer."""

STUCK_AFTER = 10.0  # seconds after which an input counts as stuck
FLICKER_CHANGES = 10  # changes per second above which an unstable input flickers

MAX_BOUNCE = 0.5  # seconds after which an unstable contact flickers


class TouchKind(StrEnum):
    """Kind of event: a press, a complete touch of a single input, two inputs at once, flickering, or stuck on."""

    DOWN = "down"
    TOUCH = "touch"
    TWO_INPUTS = "two"
    FLICKER = "flicker"
    STUCK = "stuck"


class DetectedTouch(NamedTuple):
    """An event, the inputs that caused it, and the time at which they were pressed."""

    kind: TouchKind
    inputs: tuple[int, ...]
    since: float


class TouchDetector:
    """Detects touches on all inputs of a board.

    Attributes:
        debounce_seconds: seconds that a level must be stable.
        raw_levels: latest raw level of each input; empty before the first sample.
        changed_at: time of the latest change of each input.
        down_since: time at which each pressed input was pressed, after debouncing.
        ignored_inputs: inputs that are always on.
        is_invalid: True if the current touch does not count because two inputs responded.
        recent_changes: times at which each input changed within the last second.
        flickering_inputs: inputs that were reported as flickering and are not stable yet.
    """

    def __init__(self, profile: Profile) -> None:
        self.debounce_seconds = max(profile.sensing.debounce_seconds, MIN_DEBOUNCE)
        self.raw_levels: tuple[bool, ...] = ()
        self.changed_at: list[float] = []
        self.down_since: dict[int, float] = {}
        self.ignored_inputs: set[int] = set()
        self.is_invalid = False
        self.recent_changes: dict[int, list[float]] = {}
        self.flickering_inputs: set[int] = set()

    @property
    def due_time(self) -> float:
        """Time at which the next event may occur without a new sample."""
        ripe = (since + self.debounce_seconds for number, since in enumerate(self.changed_at) if self._differs(number))
        stuck = (since + STUCK_AFTER for number, since in self.down_since.items() if number not in self.ignored_inputs)
        return min((*ripe, *stuck), default=inf)

    @property
    def holds_touch(self) -> bool:
        """True while an input is touched."""
        return bool(self.down_since.keys() - self.ignored_inputs)

    def process(self, event: Sample | StepTick) -> list[DetectedTouch]:
        """Return all touch events up to this time. The levels of the previous sample are assumed to have lasted until now."""
        instant, new_sample = event.instant, event if isinstance(event, Sample) else None
        if new_sample and not self.raw_levels:  # an input that is on at first does not count as a touch
            self.raw_levels = tuple(map(bool, new_sample.levels))
            self.changed_at = [instant] * len(self.raw_levels)
            self.ignored_inputs = {input_number for input_number, level in enumerate(self.raw_levels) if level}
            self.down_since = dict.fromkeys(sorted(self.ignored_inputs), instant)
            return [DetectedTouch(TouchKind.STUCK, tuple(self.down_since), instant)] if self.down_since else []
        touches: list[DetectedTouch] = []
        for input_number in sorted(range(len(self.raw_levels)), key=self.changed_at.__getitem__):
            if self._differs(input_number) and instant >= self.changed_at[input_number] + self.debounce_seconds:
                touches += self._accept_level(input_number)
        for input_number, held_since in self.down_since.items():
            if input_number not in self.ignored_inputs and instant >= held_since + STUCK_AFTER:
                self.ignored_inputs.add(input_number)
                touches.append(DetectedTouch(TouchKind.STUCK, (input_number,), held_since))
        if new_sample and (flickering_now := tuple(self._record(new_sample))):
            self.flickering_inputs |= {*flickering_now}
            touches.append(DetectedTouch(TouchKind.FLICKER, flickering_now, instant))
        return touches

    def is_touched(self, event: StepEvent) -> bool:
        """Process an event, and return True if it completes a touch of any input."""
        return isinstance(event, Sample | StepTick) and any(
            each.kind is TouchKind.TOUCH for each in self.process(event)
        )

    def restart(self, instant: float) -> None:
        """Start again after a period without samples."""
        self.changed_at, self.recent_changes, self.is_invalid = [instant] * len(self.changed_at), {}, self.holds_touch

    def touch_or_reply(self, page: StepPage, reply_keys: str, lit: LitLamps) -> Conversation[str]:
        """Wait for a touch or one of these keys. Return the key, or an empty string for a touch."""
        while True:
            event = yield Prompt(page, lit, self.due_time)
            if isinstance(event, StepReply) and event.key in reply_keys:
                return event.key
            if self.is_touched(event):
                return ""

    def _differs(self, input_number: int) -> bool:
        return self.raw_levels[input_number] != (input_number in self.down_since)

    def _accept_level(self, input_number: int) -> list[DetectedTouch]:
        """Accept the current level of an input as stable, and return the resulting event, if any."""
        self.flickering_inputs.discard(input_number)
        self.recent_changes.pop(input_number, None)
        if self.raw_levels[input_number]:
            other_inputs = [other_input for other_input in self.down_since if other_input not in self.ignored_inputs]
            self.down_since[input_number] = self.changed_at[input_number]
            self.is_invalid = self.is_invalid or bool(other_inputs)
            touch_kind = TouchKind.TWO_INPUTS if other_inputs else TouchKind.DOWN
            return [DetectedTouch(touch_kind, (*other_inputs[:1], input_number), self.changed_at[input_number])]
        is_counted = input_number not in self.ignored_inputs and not self.is_invalid
        since = self.down_since.pop(input_number)
        self.ignored_inputs.discard(input_number)
        self.is_invalid = self.is_invalid and self.holds_touch
        return [DetectedTouch(TouchKind.TOUCH, (input_number,), since)] if is_counted and not self.holds_touch else []

    def _record(self, sample: Sample) -> Iterator[int]:
        """Record a sample, and yield inputs that change for longer than a contact bounces."""
        levels, instant = tuple(map(bool, sample.levels)), sample.instant
        for input_number, level in enumerate(levels):
            if level != self.raw_levels[input_number]:
                self.changed_at[input_number] = instant
                self.recent_changes.setdefault(input_number, []).append(instant)
        self.raw_levels = levels
        for input_number, change_instants in sorted(self.recent_changes.items()):
            change_instants[:] = [changed_at for changed_at in change_instants if changed_at > instant - 1]
            is_lasting = len(change_instants) > FLICKER_CHANGES and instant - change_instants[0] >= MAX_BOUNCE
            if is_lasting and input_number not in self.flickering_inputs:
                yield input_number
