"""A set-up step: a conversation with a terminal, a program, or the lamps alone.

    event = yield Prompt(page, lamps, due)   show a page, ask, light lamps; wait for a sample, a reply or a tick
    cell = yield from self.some_question()   a part of the conversation that other parts use, too
    return StepResult(...)                   findings, and proposed changes to the calibration file

A step has no access to clock, thread, file, device or language. `after` processes one event. To leave a step,
discard it.
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
    """Key of a chosen option, and the instant in seconds."""

    key: str
    instant: float


class StepTick(NamedTuple):
    """A timer event, at `SetupStep.due` or later."""

    instant: float


StepEvent = Sample | KeyEvent | TurnKeyEvent | HealthEvent | StepReply | StepTick
"""Everything that can happen in a step."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """Result of a step.

    Attributes:
        findings: what was found.
        changes: accepted changes to the calibration file: values by their dotted key in a profile, such as
            `lamps.colours`; empty if there are none.
        log_line: one line for the log of changes, such as `map: b2 and c2 were exchanged`.
    """

    findings: tuple[SetupFinding, ...] = ()
    changes: Mapping[str, object] = field(default_factory=dict)
    log_line: str = ""


LitLamps = Mapping[int, RGB]
"""Colours of the lit lamps by their place in the chain, in perceived brightness from 0 to 255."""

NO_LIGHT: LitLamps = {}


class Prompt(NamedTuple):
    """Page and light while a step waits for the next event.

    Attributes:
        page: the page; or a function that returns it, if it changes with every sample.
        lit_lamps: the lit lamps; or a function that returns them.
        due: instant at which a `StepTick` is needed if nothing happens before, in seconds; or infinity.
    """

    page: StepPage | Callable[[], StepPage]
    lit_lamps: LitLamps | Callable[[], LitLamps] = NO_LIGHT
    due: float = inf


Outcome = TypeVar("Outcome")
Conversation = Generator[Prompt, StepEvent, Outcome]
"""A step or a part of one: yields prompts, receives events, returns its outcome."""


class SetupStep:
    """Base class of the steps. A subclass implements `conversation`, and sets its attributes before `__init__`."""

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
        """Return the prompt to show after the step has ended, until its result is saved."""
        return Prompt(StepPage(self.title))

    @property
    def page(self) -> StepPage:
        """Current page."""
        shown_page = self._prompt.page
        page = shown_page if isinstance(shown_page, StepPage) else shown_page()
        return replace(page, page_index=self._page_index)

    @property
    def lit_lamps(self) -> LitLamps:
        """Lamps that are lit now."""
        lit_lamps = self._prompt.lit_lamps
        return lit_lamps() if callable(lit_lamps) else lit_lamps

    @property
    def due(self) -> float:
        """Instant at which a `StepTick` is needed if nothing happens before, in seconds; or infinity."""
        return self._prompt.due

    @property
    def result(self) -> StepResult | None:
        """Result; None while the step is running."""
        return self._result

    def after(self, step_event: StepEvent) -> Self:
        """Process an event; ignore unexpected ones."""
        if self.result is None:
            if isinstance(step_event, StepReply):
                self._page_index = self._page_index + 1 if step_event.key == NEXT_PAGE_KEY else 0
            try:
                self._prompt = self._conversation.send(step_event)
            except StopIteration as end:
                self._result, self._prompt = end.value, self.last_prompt()
        return self


class SensorsBack(Exception):
    """The sensors have been responding again since `at`, so the question must be asked again."""

    def __init__(self, instant: float) -> None:
        super().__init__()
        self.at = instant


class SensorsLost(Exception):
    """The sensors no longer respond.

    Attributes:
        trouble: the reason.
    """

    def __init__(self, trouble: Message) -> None:
        super().__init__(trouble)
        self.trouble = trouble


def listen(
    shown_prompt: Prompt, lost_prompt: Callable[[Message], Prompt], timeout: float = inf
) -> Conversation[StepEvent]:
    """Wait for the next event, and return it if the sensors respond.

    Args:
        shown_prompt: the prompt.
        lost_prompt: makes the prompt to show while the sensors do not respond, given the reason.
        timeout: seconds without a response after which to give up.

    Raises:
        SensorsBack: they respond again after a failure.
        SensorsLost: they did not respond for that long.
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
    """Run part of a conversation, and restart it whenever the sensors respond again."""
    while True:
        try:
            return (yield from conversation_part(instant))
        except SensorsBack as back:
            instant = back.at


def ask_choice(shown_prompt: Prompt, reply_keys: Collection[str]) -> Conversation[str]:
    """Wait until one of these choices is made, and return its key."""
    while True:
        step_event = yield shown_prompt
        if isinstance(step_event, StepReply) and step_event.key in reply_keys:
            return step_event.key
