"""What a step of set-up shows, what happens in it, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pond_hw.board import HealthEvent, KeyEvent, Sample
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
    """What a person may answer: the key to press, and what it means."""

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class StepPage:
    """What a person is told now: it fits 80 columns and 24 rows with some to spare.

    Attributes:
        title: what this step does, in a few words.
        lines: what has been found so far, drawn grids among it; at most 16 lines of at most 78 columns.
        prompt: the sentence that says what to do now.
        choices: what may be answered in a face; none if only the board is waited for.
        step_progress: how much of the step has been done, of how much; (0, 0) if that is not known.
    """

    title: str
    lines: tuple[str, ...] = ()
    prompt: str = ""
    choices: tuple[SetupOption, ...] = ()
    step_progress: tuple[int, int] = (0, 0)


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
