"""Findings drawn as the board lies before its players, and told on pages: a grid, and below it what is wrong."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import groupby

from pond_hw.profile.board_profile import Profile
from pond_hw.profile.faults import listed
from pond_hw.rules import Cell, grid
from pond_hw.setup.remedies import CROSS_TALK, ELSEWHERE, NOT_EXAMINED
from pond_hw.setup.step import FAULT, GOOD, WARNING, Choice, Finding, Page

MARKS = {GOOD: "ok", WARNING: "!", FAULT: "X"}
"""How a cell is marked."""

UNKNOWN = "?"
"""How one is marked that was not examined."""

WIDE, HIGH = 78, 16
"""Columns and lines of a page."""

ALIKE = 3
"""So many findings of one kind are told one by one; more of them are told together."""

BESIDE = (ELSEWHERE, CROSS_TALK)
"""Kinds of findings that are about their first cell, and name another one with which nothing is wrong."""


def about(finding: Finding) -> tuple[Cell, ...]:
    """The cells with which something is wrong."""
    return finding.cells[:1] if finding.kind in BESIDE else finding.cells


def drawn(profile: Profile, findings: Sequence[Finding]) -> tuple[str, ...]:
    """The grid, the top row first: what is known of each cell so far; a dot where nothing is."""
    marks = dict.fromkeys(grid(profile.size).cells, ".")
    for finding in reversed(findings):  # the worst comes first, and so is written last
        for cell in about(finding):
            marks[cell] = UNKNOWN if finding.kind == NOT_EXAMINED else MARKS[finding.grade]
    rows = []
    for y in reversed(range(profile.size)):
        cells = grid(profile.size).cells[y * profile.size : (y + 1) * profile.size]
        rows.append(f"  {y + 1}  " + "".join(f"{marks[cell]:<4}" for cell in cells).rstrip())
    return *rows, "     " + "".join(f"{column:<4}" for column in "abcde"[: profile.size]).rstrip()


def pages(profile: Profile, findings: Sequence[Finding]) -> tuple[tuple[str, ...], ...]:
    """The lines of one page or more: on each the grid, and below it what is wrong, as far as there is room."""
    good = sum(finding.grade == GOOD for finding in findings)
    told = _paragraphs([finding for finding in findings if finding.grade != GOOD])
    if told and good:
        told.append([f"{good} cells are good." if good != 1 else "One cell is good."])
    elif not told:
        told = [[f"All {good} cells that were asked for are good." if good else "No cell was asked for."]]
    return _below(drawn(profile, findings), told)


def under(above: Sequence[str], bad: Sequence[Finding]) -> tuple[tuple[str, ...], ...]:
    """The lines of one page or more: on each the same ones above, and below them what is wrong."""
    return _below(above, _paragraphs(bad))


def page_of(title: str, leaves: Sequence[Sequence[str]], number: int, *rest: Choice, asks: str = "") -> Page:
    """One page of several, with `m` for the next one; behind the last comes the first."""
    if len(leaves) == 1:
        return Page(title, tuple(leaves[0]), asks, rest)
    number %= len(leaves)
    more = Choice("m", f"more ({number + 1} of {len(leaves)})")
    return Page(title, tuple(leaves[number]), asks, (more, *rest))


def wrapped(*sentences: str, first: str = "", then: str = "") -> list[str]:
    """Sentences as lines of a page."""
    lines = []
    for sentence in filter(None, sentences):
        lines += textwrap.wrap(sentence, WIDE, initial_indent=first, subsequent_indent=then, break_long_words=True)
    return lines


def _paragraphs(bad: Sequence[Finding]) -> list[list[str]]:
    """What is wrong, each with what to do; many of a kind are told once."""
    found = []
    in_order = sorted(bad, key=lambda finding: [each.kind for each in bad].index(finding.kind))
    for _, alike in groupby(in_order, key=lambda finding: finding.kind):
        same = list(alike)
        for finding in same if len(same) <= ALIKE else same[:1]:
            so = [cell for each in same[1:] for cell in about(each)] if len(same) > ALIKE else []
            told = f"{finding.told} So it is with {listed(so)}." if so else finding.told
            mark = f"{MARKS[finding.grade]} "
            cure = wrapped(f"{finding.cause} {finding.cure}".strip(), first="    ", then="    ")
            found.append([*wrapped(told, first=mark, then="  "), *cure])
    return found


def _below(above: Sequence[str], paragraphs: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple((*above, *([""] if lines else []), *lines) for lines in _leaves(paragraphs, HIGH - len(above) - 1))


def _leaves(paragraphs: Sequence[Sequence[str]], room: int) -> list[list[str]]:
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
