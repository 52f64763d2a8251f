"""Set-up findings: grade, measurement, likely cause and cure; and a grid of marks that shows them.

Each kind of fault has its own messages about cause and cure, for a person with a soldering iron.
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
    """A measurement and its meaning.

    Attributes:
        grade: `good`, `warning` or `fault`.
        kind: a fixed name for programs, such as `stuck on`.
        cells: the cells; none if it is about the whole board.
        message: the measurement; None if there is nothing to report.
        cause: the likely cause; None if all is good.
        cure: what to do; None if all is good.
        figures: measured numbers, with their unit in the name, such as `bounce_ms`.
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
        """Measurement, cause and cure, without any that are None."""
        return tuple(filter(None, (self.message, self.cause, self.cure)))


def sort_by_grade(graded_findings: Iterable[SetupFinding]) -> tuple[SetupFinding, ...]:
    """Sort findings by grade, the worst first."""
    return tuple(sorted(graded_findings, key=lambda finding: (FAULT, WARNING, GOOD).index(finding.grade)))


class Remedy(NamedTuple):
    """The likely cause of a fault, and its cure."""

    cause: Message
    cure: Message


TURNED_KINDS = ("rotated", "mirrored", "serpentine")
"""Kinds of finding about a turned board."""

KINDS_BY_SENSOR = ("stuck on", "never", "stuck off", "cross-talk")
"""Kinds of fault whose remedy depends on the kind of sensor."""


def find_remedy(kind: str, sensor_kind: str) -> Remedy:
    """Return the cause and cure of a kind of fault, for `button` or `hall` sensors."""
    case = "turned" if kind in TURNED_KINDS else kind.replace(" ", "_").replace("-", "_")
    if kind in KINDS_BY_SENSOR:
        case = f"{case}.{sensor_kind}"
    return Remedy(Message(f"cause.{case}"), Message(f"cure.{case}"))


GRADE_MARKS = {GOOD: "ok", WARNING: "!", FAULT: "X"}
UNEXAMINED_MARK = "?"

TWO_CELL_KINDS = ("elsewhere", "cross-talk")
"""Kinds of finding about two cells, of which only the first is faulty."""


def faulty_cells(finding: SetupFinding) -> tuple[Cell, ...]:
    """Return the cells that are at fault."""
    return finding.cells[:1] if finding.kind in TWO_CELL_KINDS else finding.cells


def draw_findings(profile: Profile, all_findings: Sequence[SetupFinding]) -> tuple[str, ...]:
    """Draw a grid with a mark for each cell, the top row first; a dot if nothing is known."""
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
    """Format the cells' numbers as a grid for a profile, the top row first."""
    rows = get_grid(profile.size).rows
    return "\n".join("  ".join(f"{cell_counts[cell]:>{word_width}}" for cell in row) for row in rows)
