"""What set-up finds: graded, with what was measured, the likely cause and the cure.

Causes and cures are messages that go with the kind of a fault, for somebody with a soldering iron.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Cell

GOOD, WARNING, FAULT = "good", "warning", "fault"  # how bad a finding is


@dataclass(frozen=True, slots=True)
class SetupFinding:
    """Something that was measured, and what it means.

    Attributes:
        grade: `good`, `warning` or `fault`.
        kind: what it is, in a word or two that programs know, such as `stuck on`.
        cells: where; none if it is about the whole board.
        message: what was measured; None if there is nothing to say of what is good.
        cause: what is likely behind it; None for what is good.
        cure: what to do; None for what is good.
        figures: what was measured, in numbers with their unit in the name, such as `bounce_ms`.
    """

    grade: str
    kind: str
    cells: tuple[Cell, ...] = ()
    message: Message | None = None
    cause: Message | None = None
    cure: Message | None = None
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was measured, the cause and the cure, as far as there is something to say."""
        return tuple(filter(None, (self.message, self.cause, self.cure)))


def sort_by_grade(graded_findings: Iterable[SetupFinding]) -> tuple[SetupFinding, ...]:
    """What is wrong first, then what is good; alike in their order."""
    return tuple(sorted(graded_findings, key=lambda finding: (FAULT, WARNING, GOOD).index(finding.grade)))


class Remedy(NamedTuple):
    """The likely cause of a fault, and its cure."""

    cause: Message
    cure: Message


TURNED_KINDS = ("rotated", "mirrored", "serpentine")
"""Findings about the whole board, when all its cells answer as if it lay otherwise."""

KINDS_BY_SENSOR = ("stuck on", "never", "stuck off", "cross-talk")
"""Kinds of faults with a remedy for each kind of sensor."""


def find_remedy(kind: str, sensor_kind: str) -> Remedy:
    """What is behind a kind of fault, and what to do, for `button` or `hall` sensors."""
    case = "turned" if kind in TURNED_KINDS else kind.replace(" ", "_").replace("-", "_")
    if kind in KINDS_BY_SENSOR:
        case = f"{case}.{sensor_kind}"
    return Remedy(Message(f"cause.{case}"), Message(f"cure.{case}"))
