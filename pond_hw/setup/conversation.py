"""What every step of set-up is: a conversation that can be led by a terminal, by a program, or by the lamps alone.

    event = yield Prompt(page, lit, due)     what is told, asked and lit, until something happens: reading, reply, tick
    cell = yield from self.some_question()   a part of it that other parts use too
    return Result(...)                       what was found, and what might be changed in the board's own file

A step knows no clock, thread, file or device. It goes on by `after`; to leave it at any time is to forget it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from math import inf
from typing import NamedTuple, Self, TypeVar

from pond_hw.board import RGB, HealthEvent
from pond_hw.setup.step import SetupOption, StepEvent, StepPage, StepReply, StepResult, StepTick

LEAVE = SetupOption("q", "leave")

Lit = Mapping[int, RGB]
"""What is to be lit, by the place of the lamp in the chain: what people should perceive, 0 to 255."""

NO_LIGHT: Lit = {}


class Prompt(NamedTuple):
    """What is shown while a step waits for the next event.

    Attributes:
        page: what a person is told and asked; or a function that tells it, for what changes with every reading.
        lit: which lamps are lit; or a function that tells it.
        due: when a `Tick` is needed, if nothing happens before: seconds, or infinity.
    """

    page: StepPage | Callable[[], StepPage]
    lit: Lit | Callable[[], Lit] = NO_LIGHT
    due: float = inf


Outcome = TypeVar("Outcome")
Talk = Generator[Prompt, StepEvent, Outcome]
"""A step or a part of one: it yields what is shown, is sent what happens, and returns what came of it."""


class SetupStep:
    """One step of set-up; each kind writes its `conversation`, and sets its attributes before it calls `__init__`."""

    title = ""

    def __init__(self) -> None:
        self._result: StepResult | None = None
        self._talk = self.conversation()
        self._prompt = next(self._talk, None) or self.last_prompt()

    def conversation(self) -> Talk[StepResult]:
        """The step from its beginning to its end."""
        raise NotImplementedError

    def last_prompt(self) -> Prompt:
        """What is shown when it is over, until somebody takes its result."""
        return Prompt(StepPage(self.title))

    @property
    def page(self) -> StepPage:
        """What a person is told and asked now."""
        page = self._prompt.page
        return page if isinstance(page, StepPage) else page()

    @property
    def lit_lamps(self) -> Lit:
        """What is lit now."""
        lit = self._prompt.lit
        return lit() if callable(lit) else lit

    @property
    def due(self) -> float:
        """When a `Tick` is needed, if nothing happens before: seconds, or infinity."""
        return self._prompt.due

    @property
    def result(self) -> StepResult | None:
        """What came of it; None as long as it goes on."""
        return self._result

    def after(self, event: StepEvent) -> Self:
        """The same step, after an event; what means nothing here changes nothing."""
        if self.result is None:
            try:
                self._prompt = self._talk.send(event)
            except StopIteration as end:
                self._result, self._prompt = end.value, self.last_prompt()
        return self


class SensorsBack(Exception):
    """The sensors were not reached until this instant: what was asked begins anew."""

    def __init__(self, at: float) -> None:
        super().__init__()
        self.at = at


class SensorsLost(Exception):
    """The sensors are not reached any more; the message says why."""


def listen(prompt: Prompt, lost: Callable[[str], Prompt], patience: float = inf) -> Talk[StepEvent]:
    """The next event while the sensors are reached.

    Args:
        prompt: what is shown.
        lost: what is shown while they are not reached, from why.
        patience: seconds after which they are given up.

    Raises:
        SensorsBack: they were not reached for a while.
        SensorsLost: they were given up.
    """
    event, trouble, end = (yield prompt), "", inf
    while True:
        if isinstance(event, HealthEvent):
            if event.trouble is None:
                raise SensorsBack(event.instant)
            trouble, end = event.trouble, event.instant + patience
        elif not trouble:
            return event
        elif isinstance(event, StepTick) and event.instant >= end:
            raise SensorsLost(trouble)
        event = yield lost(trouble)._replace(due=end)


def begin_anew(part: Callable[[float], Talk[Outcome]], at: float) -> Talk[Outcome]:
    """A part of a conversation that begins at an instant, and again whenever the sensors were not reached in it."""
    while True:
        try:
            return (yield from part(at))
        except SensorsBack as back:
            at = back.at


def ask_choice(prompt: Prompt, keys: Collection[str]) -> Talk[str]:
    """The key of one of some choices, when somebody has answered with it."""
    while True:
        event = yield prompt
        if isinstance(event, StepReply) and event.key in keys:
            return event.key
