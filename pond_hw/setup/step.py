"""What every step of set-up is: a conversation that can be led by a terminal, by a program, or by the lamps alone.

    reading, reply, tick  ->  step.after(event)  ->  another step
    step.page       what a person is told and asked
    step.lit        which lamps are lit, by their place in the chain
    step.result     once it is done: what was found, and what might be changed in the board's own file

Pure: no clock, thread, file or device. A step never changes; to leave it at any time is to forget it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from pond_hw.board import RGB, Health, Key, Reading
from pond_hw.rules import Cell

GOOD, WARNING, FAULT = "good", "warning", "fault"
"""How bad a finding is."""


class Reply(NamedTuple):
    """Somebody has answered in a face: the key of a choice of the page, at an instant in seconds."""

    key: str
    at: float


class Tick(NamedTuple):
    """Time has passed: it is at least `Step.due`."""

    at: float


Event = Reading | Key | Health | Reply | Tick
"""All that can happen in a step."""


class Choice(NamedTuple):
    """What a person may answer: the key to press, and what it means."""

    key: str
    says: str


@dataclass(frozen=True, slots=True)
class Page:
    """What a person is told now: it fits 80 columns and 24 rows with some to spare.

    Attributes:
        title: what this step does, in a few words.
        lines: what has been found so far, drawn grids among it; at most 16 lines of at most 78 columns.
        asks: the sentence that says what to do now.
        choices: what may be answered in a face; none if only the board is waited for.
        done: how much of the step has been done, of how much; (0, 0) if that is not known.
    """

    title: str
    lines: tuple[str, ...] = ()
    asks: str = ""
    choices: tuple[Choice, ...] = ()
    done: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was measured, and what it means.

    Attributes:
        grade: `good`, `warning` or `fault`.
        kind: what it is, in a word or two that programs know, such as `stuck on`.
        cells: where; none if it is about the whole board.
        told: what was measured, as a sentence.
        cause: what is likely behind it, as a sentence in the words of the profile; empty for what is good.
        cure: what to do, as a sentence; empty for what is good.
        figures: what was measured, in numbers with their unit in the name, such as `bounce_ms`.
    """

    grade: str
    kind: str
    cells: tuple[Cell, ...] = ()
    told: str = ""
    cause: str = ""
    cure: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a step.

    Attributes:
        findings: what was found.
        changes: what the person has agreed to change in the board's own file: values by their dotted key in a
            profile, such as `lamps.colours`; empty if nothing.
        why: one line for the log of changes, such as `map: b2 and c2 were exchanged`.
    """

    findings: tuple[Finding, ...] = ()
    changes: Mapping[str, object] = field(default_factory=dict)
    why: str = ""


class Step(Protocol):
    """One step of set-up."""

    @property
    def page(self) -> Page:
        """What a person is told and asked now."""

    @property
    def lit(self) -> Mapping[int, RGB]:
        """What is to be lit, by the place of the lamp in the chain: what people should perceive, 0 to 255."""

    @property
    def due(self) -> float:
        """When a `Tick` is needed, if nothing happens before: seconds, or infinity."""

    @property
    def result(self) -> Result | None:
        """What came of it; None as long as it goes on."""

    def after(self, event: Event) -> Step:
        """The step after an event; what means nothing here changes nothing."""
