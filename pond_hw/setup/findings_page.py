"""Findings drawn as the board lies before its players, and told on pages: a grid, and below it what is wrong."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import groupby

from pond_hw.profile.board_profile import Profile
from pond_hw.profile.faults import join_words
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.remedies import CROSS_TALK, ELSEWHERE, NOT_EXAMINED
from pond_hw.setup.step import SetupOption, StepPage

GRADE_MARKS = {GOOD: "ok", WARNING: "!", FAULT: "X"}
"""How a cell is marked."""

UNEXAMINED_MARK = "?"
"""How one is marked that was not examined."""

PAGE_COLUMNS, PAGE_LINES = 78, 16
"""Columns and lines of a page."""

MOST_ALIKE = 3
"""So many findings of one kind are told one by one; more of them are told together."""

TWO_CELL_KINDS = (ELSEWHERE, CROSS_TALK)
"""Kinds of findings that are about their first cell, and name another one with which nothing is wrong."""


def faulty_cells(finding: SetupFinding) -> tuple[Cell, ...]:
    """The cells with which something is wrong."""
    return finding.cells[:1] if finding.kind in TWO_CELL_KINDS else finding.cells


def draw_findings(profile: Profile, findings: Sequence[SetupFinding]) -> tuple[str, ...]:
    """The grid, the top row first: what is known of each cell so far; a dot where nothing is."""
    marks = dict.fromkeys(get_grid(profile.size).cells, ".")
    for finding in reversed(findings):  # the worst comes first, and so is written last
        for cell in faulty_cells(finding):
            marks[cell] = UNEXAMINED_MARK if finding.kind == NOT_EXAMINED else GRADE_MARKS[finding.grade]
    rows = []
    for y in reversed(range(profile.size)):
        cells = get_grid(profile.size).cells[y * profile.size : (y + 1) * profile.size]
        rows.append(f"  {y + 1}  " + "".join(f"{marks[cell]:<4}" for cell in cells).rstrip())
    return *rows, "     " + "".join(f"{column:<4}" for column in "abcde"[: profile.size]).rstrip()


def format_finding_pages(profile: Profile, findings: Sequence[SetupFinding]) -> tuple[tuple[str, ...], ...]:
    """The lines of one page or more: on each the grid, and below it what is wrong, as far as there is room."""
    good = sum(finding.grade == GOOD for finding in findings)
    told = _format_paragraphs([finding for finding in findings if finding.grade != GOOD])
    if told and good:
        told.append([f"{good} cells are good." if good != 1 else "One cell is good."])
    elif not told:
        told = [[f"All {good} cells that were asked for are good." if good else "No cell was asked for."]]
    return _pages_below(draw_findings(profile, findings), told)


def format_pages_under(above: Sequence[str], bad: Sequence[SetupFinding]) -> tuple[tuple[str, ...], ...]:
    """The lines of one page or more: on each the same ones above, and below them what is wrong."""
    return _pages_below(above, _format_paragraphs(bad))


def numbered_page(
    title: str, leaves: Sequence[Sequence[str]], number: int, *rest: SetupOption, asks: str = ""
) -> StepPage:
    """One page of several, with `m` for the next one; behind the last comes the first."""
    if len(leaves) == 1:
        return StepPage(title, tuple(leaves[0]), asks, rest)
    number %= len(leaves)
    more = SetupOption("m", f"more ({number + 1} of {len(leaves)})")
    return StepPage(title, tuple(leaves[number]), asks, (more, *rest))


def wrap_sentences(*sentences: str, first: str = "", then: str = "") -> list[str]:
    """Sentences as lines of a page."""
    lines = []
    for sentence in filter(None, sentences):
        lines += textwrap.wrap(
            sentence, PAGE_COLUMNS, initial_indent=first, subsequent_indent=then, break_long_words=True
        )
    return lines


def _format_paragraphs(bad: Sequence[SetupFinding]) -> list[list[str]]:
    """What is wrong, each with what to do; many of a kind are told once."""
    found = []
    in_order = sorted(bad, key=lambda finding: [each.kind for each in bad].index(finding.kind))
    for _, alike in groupby(in_order, key=lambda finding: finding.kind):
        same = list(alike)
        for finding in same if len(same) <= MOST_ALIKE else same[:1]:
            so = [cell for each in same[1:] for cell in faulty_cells(each)] if len(same) > MOST_ALIKE else []
            told = f"{finding.message} So it is with {join_words(so)}." if so else finding.message
            mark = f"{GRADE_MARKS[finding.grade]} "
            cure = wrap_sentences(f"{finding.cause} {finding.cure}".strip(), first="    ", then="    ")
            found.append([*wrap_sentences(told, first=mark, then="  "), *cure])
    return found


def _pages_below(above: Sequence[str], paragraphs: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (*above, *([""] if lines else []), *lines) for lines in _split_leaves(paragraphs, PAGE_LINES - len(above) - 1)
    )


def _split_leaves(paragraphs: Sequence[Sequence[str]], room: int) -> list[list[str]]:
    """Paragraphs on as few leaves as they fill in their order; one that is longer than a leaf goes on on the next."""
    leaves: list[list[str]] = [[]]
    for paragraph in paragraphs:
        rest = list(paragraph)
        if len(leaves[-1]) + len(rest) > room and leaves[-1]:
            leaves.append([])
        while len(rest) > room:
            leaves[-1] += rest[:room]
            rest = rest[room:]
            leaves.append([])
        leaves[-1] += rest
    return leaves
