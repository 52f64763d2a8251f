"""What a step of set-up shows, what happens in it, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pond_hw.board import HealthEvent, KeyEvent, Sample
from pond_hw.messages.message import Message
from pond_hw.setup.findings import SetupFinding


class StepReply(NamedTuple):
    """Somebody has answered in a face: the key of a choice of the page, at an instant in seconds."""

    key: str
    instant: float


class StepTick(NamedTuple):
    """Time has passed: it is at least `SetupStep.due`."""

    instant: float


StepEvent = Sample | KeyEvent | HealthEvent | StepReply | StepTick
"""All that can happen in a step."""


class SetupOption(NamedTuple):
    """What a person may answer: the key to press, and what it means; None for a cell, whose name says it."""

    key: str
    label: Message | None = None


LEAF_KEY = "m"
"""The answer that turns to the next leaf of a page."""


class Paragraph(NamedTuple):
    """Sentences that belong together: they are wrapped when they are shown, and stay on one page if they can.

    Attributes:
        messages: the sentences.
        mark: what stands before them.
        details: more about it, indented below.
    """

    messages: tuple[Message, ...]
    mark: str = ""
    details: tuple[Message, ...] = ()


class Table(NamedTuple):
    """Rows of data and words, which are aligned in columns when they are shown."""

    rows: tuple[tuple[str | Message, ...], ...]


Block = str | Message | Paragraph | Table
"""A part of a page; a str is a drawn line, which is shown as it is."""


@dataclass(frozen=True, slots=True)
class StepPage:
    """What is shown and asked now; `show_page` makes text of it that fits a screen.

    Attributes:
        title: what this step does, in a few words.
        drawing: what has been found so far: drawn lines and tables.
        prompt: what to do now.
        choices: what may be answered in a face; none if only the board is waited for.
        step_progress: how much of the step has been done, of how much; (0, 0) if that is not known.
        text: what stands below the drawing; the rest of it comes on the next leaf, below the same drawing.
        leaf: which leaf is shown, from 0 on; behind the last comes the first.
    """

    title: Message
    drawing: tuple[Block, ...] = ()
    prompt: Message | tuple[Message, ...] = ()
    choices: tuple[SetupOption, ...] = ()
    step_progress: tuple[int, int] = (0, 0)
    text: tuple[Message | Paragraph, ...] = ()
    leaf: int = 0


@dataclass(frozen=True, slots=True)
class StepResult:
    """What came of a step.

    Attributes:
        findings: what was found.
        changes: what the person has agreed to change in the board's own file: values by their dotted key in a
            profile, such as `lamps.colours`; empty if nothing.
        log_line: one line for the log of changes, such as `map: b2 and c2 were exchanged`.
    """

    findings: tuple[SetupFinding, ...] = ()
    changes: Mapping[str, object] = field(default_factory=dict)
    log_line: str = ""
