"""Set-up findings, and a grid that marks the affected cells.

A finding has a grade and a measurement, and for a fault also the likely cause and a suggested fix. Causes and fixes are
written for a user with a soldering iron.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid

GOOD, WARNING, FAULT = "good", "warning", "fault"  # grades


@dataclass(frozen=True, slots=True)
class SetupFinding:
    """A measurement and what it means.

    Attributes:
        grade: `good`, `warning` or `fault`.
        kind: fixed name for programs, such as `stuck on`.
        cells: affected cells; empty if the finding is about the whole board.
        message: description of the measurement; None if there is nothing to report.
        cause: likely cause; None if no fault was found.
        cure: suggested fix; None if no fault was found.
        figures: measured numbers; each name includes the unit, such as `bounce_ms`.
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
        """Measurement, cause and fix, without any that are None."""
        return tuple(filter(None, (self.message, self.cause, self.cure)))


def sort_by_grade(graded_findings: Iterable[SetupFinding]) -> tuple[SetupFinding, ...]:
    """Sort findings by grade, worst first."""
    return tuple(sorted(graded_findings, key=lambda finding: (FAULT, WARNING, GOOD).index(finding.grade)))


class Remedy(NamedTuple):
    """Likely cause of a fault, and the suggested fix."""

    cause: Message
    cure: Message


TURNED_KINDS = ("rotated", "mirrored", "serpentine")
"""Kinds of finding that mean the board is turned, mirrored or serpentine."""

KINDS_BY_SENSOR = ("stuck on", "never", "stuck off", "cross-talk")
"""Kinds of fault whose remedy depends on the kind of sensor."""


def find_remedy(kind: str, sensor_kind: str) -> Remedy:
    """Return the likely cause and the fix for a kind of fault. The sensors are of kind `button` or `hall`."""
    case = "turned" if kind in TURNED_KINDS else kind.replace(" ", "_").replace("-", "_")
    if kind in KINDS_BY_SENSOR:
        case = f"{case}.{sensor_kind}"
    return Remedy(Message(f"cause.{case}"), Message(f"cure.{case}"))


GRADE_MARKS = {GOOD: "ok", WARNING: "!", FAULT: "X"}
UNEXAMINED_MARK = "?"

TWO_CELL_KINDS = ("elsewhere", "cross-talk")
"""Kinds of finding that name two cells, of which only the first is faulty."""


def faulty_cells(finding: SetupFinding) -> tuple[Cell, ...]:
    """Return the cells that are faulty according to a finding."""
    return finding.cells[:1] if finding.kind in TWO_CELL_KINDS else finding.cells


def draw_findings(profile: Profile, all_findings: Sequence[SetupFinding]) -> tuple[str, ...]:
    """Draw a grid with a mark for each cell, top row first; a dot means that nothing is known."""
    cell_marks = dict.fromkeys(get_grid(profile.size).cells, ".")
    for finding in reversed(all_findings):  # so that the worst, which comes first, overwrites the others
        for cell in faulty_cells(finding):
            cell_marks[cell] = UNEXAMINED_MARK if finding.kind == "not examined" else GRADE_MARKS[finding.grade]
    rows = []
    for y in reversed(range(profile.size)):
        row_cells = get_grid(profile.size).cells[y * profile.size : (y + 1) * profile.size]
        rows.append(f"  {y + 1}  " + "".join(f"{cell_marks[cell]:<4}" for cell in row_cells).rstrip())
    return *rows, "     " + "".join(f"{column_letter:<4}" for column_letter in "abcde"[: profile.size]).rstrip()


def format_cell_table(profile: Profile, cell_counts: Mapping[Cell, int], word_width: int) -> str:
    """Format one number per cell as a grid for a profile, top row first."""
    rows = get_grid(profile.size).rows
    return "\n".join("  ".join(f"{cell_counts[cell]:>{word_width}}" for cell in row) for row in rows)
