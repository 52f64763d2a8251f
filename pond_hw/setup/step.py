"""Base class of set-up steps, which are written as generators.

    event = yield Prompt(page, lamps, due)   show a page and light lamps; wait for a sample, a reply or a tick
    cell = yield from self.some_question()   run a part of the conversation, which several steps may share
    return StepResult(...)                   return findings and accepted changes to the calibration file

A step has no access to the clock, threads, files, devices or the user's language. `after` processes one event. To leave
a step early, discard it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import NamedTuple, Self, TypeVar

from pond_hw.board import RGB, HealthEvent, KeyEvent, Sample, TurnKeyEvent
from pond_hw.messages.message import Message
from pond_hw.setup.findings import SetupFinding
from pond_hw.setup.pages import NEXT_PAGE_KEY, StepPage


class StepReply(NamedTuple):
    """Key of the chosen option, and the time in seconds."""

    key: str
    instant: float


class StepTick(NamedTuple):
    """A timer event, sent at `SetupStep.due` or later."""

    instant: float


StepEvent = Sample | KeyEvent | TurnKeyEvent | HealthEvent | StepReply | StepTick
"""Any event that a step can receive."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """Result of a step.

    Attributes:
        findings: findings of the step.
        changes: accepted changes to the calibration file, by dotted profile key such as `lamps.colours`; empty if there
            are none.
        log_line: one line for the log of changes, such as `map: b2 and c2 were exchanged`.
    """

    findings: tuple[SetupFinding, ...] = ()
    changes: Mapping[str, object] = field(default_factory=dict)
    log_line: str = ""


LitLamps = Mapping[int, RGB]
"""Colours of the lit lamps by chain position, in perceived brightness from 0 to 255."""

NO_LIGHT: LitLamps = {}


class Prompt(NamedTuple):
    """Page and lamps to show while a step waits for the next event.

    Attributes:
        page: the page, or a function that returns it if it changes with every sample.
        lit_lamps: the lit lamps, or a function that returns them.
        due: time at which the step needs a `StepTick` if no other event comes first, in seconds; or infinity.
    """

    page: StepPage | Callable[[], StepPage]
    lit_lamps: LitLamps | Callable[[], LitLamps] = NO_LIGHT
    due: float = inf


Outcome = TypeVar("Outcome")
Conversation = Generator[Prompt, StepEvent, Outcome]
"""A step or a part of one: a generator that yields prompts, receives events and returns an outcome."""


class SetupStep:
    """Base class of the steps.

    A subclass implements `conversation`. Its `__init__` sets all attributes, then calls `super().__init__()`, which starts
    the conversation.
    """

    title: Message

    def __init__(self) -> None:
        self._result: StepResult | None = None
        self._page_index = 0
        self._conversation = self.conversation()
        self._prompt = next(self._conversation, None) or self.last_prompt()

    def conversation(self) -> Conversation[StepResult]:
        """Run the step from beginning to end."""
        raise NotImplementedError

    def last_prompt(self) -> Prompt:
        """Return the prompt to show between the end of the step and the saving of its result."""
        return Prompt(StepPage(self.title))

    @property
    def page(self) -> StepPage:
        """Current page."""
        shown_page = self._prompt.page
        page = shown_page if isinstance(shown_page, StepPage) else shown_page()
        return replace(page, page_index=self._page_index)

    @property
    def lit_lamps(self) -> LitLamps:
        """Lamps that are currently lit."""
        lit_lamps = self._prompt.lit_lamps
        return lit_lamps() if callable(lit_lamps) else lit_lamps

    @property
    def due(self) -> float:
        """Time at which the step needs a `StepTick` if no other event comes first, in seconds; or infinity."""
        return self._prompt.due

    @property
    def result(self) -> StepResult | None:
        """Result of the step; None while it is running."""
        return self._result

    def after(self, step_event: StepEvent) -> Self:
        """Process an event and return the step. Unexpected events are ignored."""
        if self.result is None:
            if isinstance(step_event, StepReply):
                self._page_index = self._page_index + 1 if step_event.key == NEXT_PAGE_KEY else 0
            try:
                self._prompt = self._conversation.send(step_event)
            except StopIteration as end:
                self._result, self._prompt = end.value, self.last_prompt()
        return self


class SensorsBack(Exception):
    """Raised when the sensors respond again after a failure, so the question must be asked again.

    Attributes:
        at: time at which they responded.
    """

    def __init__(self, instant: float) -> None:
        super().__init__()
        self.at = instant


class SensorsLost(Exception):
    """Raised when the sensors do not respond for too long.

    Attributes:
        trouble: reason for the failure.
    """

    def __init__(self, trouble: Message) -> None:
        super().__init__(trouble)
        self.trouble = trouble


def listen(
    shown_prompt: Prompt, lost_prompt: Callable[[Message], Prompt], timeout: float = inf
) -> Conversation[StepEvent]:
    """Wait for the next event and return it. Events are ignored while the sensors do not respond.

    Args:
        shown_prompt: prompt to show while waiting.
        lost_prompt: function that returns the prompt to show while the sensors do not respond, given the reason.
        timeout: seconds after which to give up if the sensors do not respond.

    Raises:
        SensorsBack: if the sensors respond again after a failure.
        SensorsLost: if the sensors do not respond before the timeout.
    """
    step_event, given_up_at = (yield shown_prompt), inf
    sensor_trouble: Message | None = None
    while True:
        if isinstance(step_event, HealthEvent):
            if step_event.trouble is None:
                raise SensorsBack(step_event.instant)
            sensor_trouble, given_up_at = step_event.trouble, step_event.instant + timeout
        elif sensor_trouble is None:
            return step_event
        elif isinstance(step_event, StepTick) and step_event.instant >= given_up_at:
            raise SensorsLost(sensor_trouble)
        step_event = yield lost_prompt(sensor_trouble)._replace(due=given_up_at)


def run_with_restarts(
    conversation_part: Callable[[float], Conversation[Outcome]], instant: float
) -> Conversation[Outcome]:
    """Run part of a conversation, and restart it whenever the sensors respond again after a failure."""
    while True:
        try:
            return (yield from conversation_part(instant))
        except SensorsBack as back:
            instant = back.at


def ask_choice(shown_prompt: Prompt, reply_keys: Collection[str]) -> Conversation[str]:
    """Wait until one of these keys is pressed, and return it."""
    while True:
        step_event = yield shown_prompt
        if isinstance(step_event, StepReply) and step_event.key in reply_keys:
            return step_event.key
