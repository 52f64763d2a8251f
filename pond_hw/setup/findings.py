"""What set-up finds: graded, with what was measured, the likely cause and the cure; drawn as a grid of marks.

Causes and cures are messages that go with the kind of a fault, for somebody with a soldering iron.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid

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


GRADE_MARKS = {GOOD: "ok", WARNING: "!", FAULT: "X"}  # how a cell is marked
UNEXAMINED_MARK = "?"  # how one is marked that was not examined

TWO_CELL_KINDS = ("elsewhere", "cross-talk")
"""Kinds of findings that are about their first cell, and name another one with which nothing is wrong."""


def faulty_cells(finding: SetupFinding) -> tuple[Cell, ...]:
    """The cells with which something is wrong."""
    return finding.cells[:1] if finding.kind in TWO_CELL_KINDS else finding.cells


def draw_findings(profile: Profile, all_findings: Sequence[SetupFinding]) -> tuple[str, ...]:
    """The grid, the top row first: what is known of each cell so far; a dot where nothing is."""
    cell_marks = dict.fromkeys(get_grid(profile.size).cells, ".")
    for finding in reversed(all_findings):  # the worst comes first, and so is written last
        for cell in faulty_cells(finding):
            cell_marks[cell] = UNEXAMINED_MARK if finding.kind == "not examined" else GRADE_MARKS[finding.grade]
    rows = []
    for y in reversed(range(profile.size)):
        row_cells = get_grid(profile.size).cells[y * profile.size : (y + 1) * profile.size]
        rows.append(f"  {y + 1}  " + "".join(f"{cell_marks[cell]:<4}" for cell in row_cells).rstrip())
    return *rows, "     " + "".join(f"{column_letter:<4}" for column_letter in "abcde"[: profile.size]).rstrip()


def format_cell_table(profile: Profile, cell_counts: Mapping[Cell, int], word_width: int) -> str:
    """A number for each cell as it stands in a profile, the top row first, each so many columns wide."""
    rows = get_grid(profile.size).rows
    return "\n".join("  ".join(f"{cell_counts[cell]:>{word_width}}" for cell in row) for row in rows)
