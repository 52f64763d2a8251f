"""Findings drawn as the board lies before its players: a grid with a mark for each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding

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
