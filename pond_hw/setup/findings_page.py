"""Findings drawn as the board lies before its players, and told on pages: a grid, and below it what is wrong."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby

from pond_hw.messages.plurals import join_words
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.step import SetupOption, StepPage

GRADE_MARKS = {GOOD: "ok", WARNING: "!", FAULT: "X"}  # how a cell is marked
UNEXAMINED_MARK = "?"  # how one is marked that was not examined

PAGE_COLUMNS, PAGE_LINES = 78, 16  # columns and lines of a page
MOST_ALIKE = 3  # so many findings of one kind are told one by one; more of them are told together

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


def format_finding_pages(profile: Profile, all_findings: Sequence[SetupFinding]) -> tuple[tuple[str, ...], ...]:
    """The lines of one page or more: on each the grid, and below it what is wrong, as far as there is room."""
    good = sum(finding.grade == GOOD for finding in all_findings)
    bad_findings = [finding for finding in all_findings if finding.grade != GOOD]
    if bad_findings:
        summary = f"{good} cells are good." if good > 1 else "One cell is good." if good else ""
    else:
        summary = f"All {good} cells that were asked for are good." if good else "No cell was asked for."
    return format_pages_under(draw_findings(profile, all_findings), bad_findings, summary)


def format_pages_under(
    lines_above: Sequence[str], bad: Sequence[SetupFinding], summary: str = ""
) -> tuple[tuple[str, ...], ...]:
    """The lines of one page or more: on each the same ones above, and below them what is wrong, and a last sentence.

    There are as few pages as the paragraphs fill in their order; one that is longer than a page goes on on the next.
    """
    room, leaves = PAGE_LINES - len(lines_above) - 1, list[list[str]]([[]])
    for paragraph in [*_format_paragraphs(bad), *([[summary]] if summary else [])]:
        if len(leaves[-1]) + len(paragraph) > room and leaves[-1]:
            leaves.append([])
        leaves[-1] += paragraph[:room]
        leaves += (paragraph[start : start + room] for start in range(room, len(paragraph), room))
    return tuple((*lines_above, *([""] if leaf else []), *leaf) for leaf in leaves)


def numbered_page(
    page_title: str, page_leaves: Sequence[Sequence[str]], page_number: int, *rest: SetupOption, prompt_text: str = ""
) -> StepPage:
    """One page of several, with `m` for the next one; behind the last comes the first."""
    if len(page_leaves) == 1:
        return StepPage(page_title, tuple(page_leaves[0]), prompt_text, rest)
    page_number %= len(page_leaves)
    more_option = SetupOption("m", f"more ({page_number + 1} of {len(page_leaves)})")
    return StepPage(page_title, tuple(page_leaves[page_number]), prompt_text, (more_option, *rest))


def wrap_sentences(*sentences: str, first_indent: str = "", next_indent: str = "") -> list[str]:
    """Sentences as lines of a page."""
    page_lines = []
    for sentence in filter(None, sentences):
        page_lines += textwrap.wrap(
            sentence, PAGE_COLUMNS, initial_indent=first_indent, subsequent_indent=next_indent, break_long_words=True
        )
    return page_lines


def format_cell_table(profile: Profile, cell_counts: Mapping[Cell, int], word_width: int) -> str:
    """A number for each cell as it stands in a profile, the top row first, each so many columns wide."""
    rows = get_grid(profile.size).rows
    return "\n".join("  ".join(f"{cell_counts[cell]:>{word_width}}" for cell in row) for row in rows)


def _format_paragraphs(bad_findings: Sequence[SetupFinding]) -> list[list[str]]:
    """What is wrong, each with what to do; many of a kind are told once."""
    found_paragraphs = []
    in_order = sorted(bad_findings, key=lambda finding: [each.kind for each in bad_findings].index(finding.kind))
    for _, alike_findings in groupby(in_order, key=lambda finding: finding.kind):
        same_kind = list(alike_findings)
        for finding in same_kind if len(same_kind) <= MOST_ALIKE else same_kind[:1]:
            so = [cell for each in same_kind[1:] for cell in faulty_cells(each)] if len(same_kind) > MOST_ALIKE else []
            told_sentence = f"{finding.message} So it is with {join_words(so)}." if so else str(finding.message)
            grade_mark = f"{GRADE_MARKS[finding.grade]} "
            cure = wrap_sentences(
                " ".join(map(str, filter(None, (finding.cause, finding.cure)))), first_indent="    ", next_indent="    "
            )
            found_paragraphs.append([*wrap_sentences(told_sentence, first_indent=grade_mark, next_indent="  "), *cure])
    return found_paragraphs
