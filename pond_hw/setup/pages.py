"""Set-up pages: the content of a page, findings as paragraphs, and conversion to text in the user's language.

A page has at most 16 lines of 78 columns, followed by a question and its answers. If the text below the drawing is too
long, the `m` key shows the next part.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from pond_hw.messages.catalogue import Catalogue, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import align_columns
from pond_hw.setup.findings import GOOD, GRADE_MARKS, SetupFinding, faulty_cells

PAGE_COLUMNS, PAGE_LINES = 78, 16  # columns and lines of a page


class SetupOption(NamedTuple):
    """A possible answer: the key to press and a label. An answer that is the name of a cell needs no label."""

    key: str
    label: Message | None = None


LEAVE = SetupOption("q", Message("setup_key.leave"))
TO_MENU = SetupOption("q", Message("setup_key.menu"))
YES = SetupOption("y", Message("setup_key.yes"))
NO = SetupOption("n", Message("setup_key.no"))

NEXT_PAGE_KEY = "m"
"""Key that shows the next part of a long page."""


class Paragraph(NamedTuple):
    """Sentences that belong together. They stay on one page if there is room.

    Attributes:
        messages: the sentences.
        mark: mark in front of the sentences.
        details: further sentences, indented below.
    """

    messages: tuple[Message, ...]
    mark: str = ""
    details: tuple[Message, ...] = ()


class Table(NamedTuple):
    """Rows that are aligned in columns."""

    rows: tuple[tuple[str | Message, ...], ...]


Block = str | Message | Paragraph | Table
"""Part of a page. A str is one line of a drawing."""


@dataclass(frozen=True, slots=True)
class StepPage:
    """A page of a step; `show_page` formats it for a screen.

    Attributes:
        title: purpose of the step in a few words.
        drawing: lines and tables that show the current state.
        prompt: instructions for the user.
        choices: possible answers; empty if the user can answer only on the board.
        step_progress: number of finished parts and total number of parts; (0, 0) if unknown.
        text: text below the drawing. If it is long, it continues on further pages below the same drawing.
        page_index: index of the part of the text to show; wraps around.
    """

    title: Message
    drawing: tuple[Block, ...] = ()
    prompt: Message | tuple[Message, ...] = ()
    choices: tuple[SetupOption, ...] = ()
    step_progress: tuple[int, int] = (0, 0)
    text: tuple[Message | Paragraph, ...] = ()
    page_index: int = 0


class ShownOption(NamedTuple):
    """A possible answer as text: the key to press and a label, which is empty for a cell."""

    key: str
    label: str


class ShownPage(NamedTuple):
    """A page as text.

    Attributes:
        title: purpose of the step.
        lines: drawing and text; at most `PAGE_LINES` lines.
        prompt: instructions for the user.
        choices: possible answers.
        step_progress: progress, as in `StepPage`.
    """

    title: str
    lines: tuple[str, ...]
    prompt: str
    choices: tuple[ShownOption, ...]
    step_progress: tuple[int, int]


@lru_cache(maxsize=8)
def show_page(page: StepPage, catalogue: Catalogue | None = None, columns: int = PAGE_COLUMNS) -> ShownPage:
    """Return a page as text.

    Args:
        page: the page.
        catalogue: language of the text; English by default.
        columns: maximum width of paragraphs; drawings are not wrapped.
    """
    catalogue = catalogue or get_catalogue()
    drawing = [line for block in page.drawing for line in _format_block(block, catalogue, columns)]
    paragraphs = [list(_format_block(block, catalogue, columns)) for block in page.text]
    pages = _split_pages(paragraphs, max(1, PAGE_LINES - len(drawing) - bool(drawing)))
    part = pages[page.page_index % len(pages)]
    choices = page.choices
    if len(pages) > 1:
        page_message = Message("setup_key.more", page=page.page_index % len(pages) + 1, pages=len(pages))
        choices = SetupOption(NEXT_PAGE_KEY, page_message), *choices
    return ShownPage(
        catalogue.text(page.title),
        (*drawing, *([""] if drawing and part else []), *part),
        catalogue.text(page.prompt),
        tuple(ShownOption(key, catalogue.text(label) if label else "") for key, label in choices),
        page.step_progress,
    )


def page_to_json(page: StepPage) -> dict[str, object]:
    """Return the untranslated messages of a page, for programs that show them in another language."""
    words = [message for block in (*page.drawing, *page.text) for message in _list_messages(block)]
    prompt = (page.prompt,) if isinstance(page.prompt, Message) else page.prompt
    return {
        "title": page.title.to_json(),
        "lines": [message.to_json() for message in words],
        "asks": [message.to_json() for message in prompt],
        "choices": {key: label.to_json() for key, label in page.choices if label},
    }


def _format_block(block: Block, catalogue: Catalogue, columns: int) -> Iterator[str]:
    """Yield the lines of a block."""
    match block:
        case str():
            yield block
        case Message():
            yield from _wrap(catalogue.text(block), columns)
        case Paragraph(messages, mark, details):
            start, indent = (f"{mark} ", "  ") if mark else ("", "")
            yield from _wrap(catalogue.text(messages), columns, start, indent)
            yield from _wrap(catalogue.text(details), columns, "    ", "    ")
        case Table(rows):
            texts = [tuple(map(catalogue.to_text, row)) for row in rows]
            yield from align_columns(texts, "l" * len(texts[0]))


def _wrap(text: str, columns: int, start: str = "", indent: str = "") -> list[str]:
    return textwrap.wrap(text, columns, initial_indent=start, subsequent_indent=indent)


def _split_pages(paragraphs: Sequence[list[str]], room: int) -> list[list[str]]:
    """Split paragraphs into pages. A paragraph that is longer than a page continues on the next one."""
    pages: list[list[str]] = [[]]
    for paragraph in paragraphs:
        if len(pages[-1]) + len(paragraph) > room and pages[-1]:
            pages.append([])
        pages[-1] += paragraph[:room]
        pages += (paragraph[start : start + room] for start in range(room, len(paragraph), room))
    return pages


def _list_messages(block: Block) -> Iterator[Message]:
    match block:
        case Message():
            yield block
        case Paragraph(messages, _, details):
            yield from (*messages, *details)
        case Table(rows):
            yield from (word for row in rows for word in row if isinstance(word, Message))


MAX_SEPARATE_FINDINGS = 3  # if there are more of one kind, they share a paragraph


def describe_bad_findings(findings: Sequence[SetupFinding]) -> Iterator[Paragraph]:
    """Describe all warnings and faults. Many findings of the same kind share one paragraph that names all their cells."""
    bad_findings = [finding for finding in findings if finding.grade != GOOD]
    kinds = [finding.kind for finding in bad_findings]
    for _, similar_findings in groupby(
        sorted(bad_findings, key=lambda finding: kinds.index(finding.kind)), lambda each: each.kind
    ):
        first, *others = similar_findings
        if len(others) < MAX_SEPARATE_FINDINGS:
            yield from map(describe_finding, (first, *others))
        else:
            yield describe_finding(first, tuple(cell for finding in others for cell in faulty_cells(finding)))


def describe_finding(finding: SetupFinding, also: tuple[str, ...] = ()) -> Paragraph:
    """Describe a finding, and name other cells that have the same fault."""
    same_cells = Message("results.also", cells=also) if also else None
    messages, details = (finding.message, same_cells), (finding.cause, finding.cure)
    return Paragraph(tuple(filter(None, messages)), GRADE_MARKS[finding.grade], tuple(filter(None, details)))


def summarise_findings(findings: Sequence[SetupFinding]) -> tuple[Message | Paragraph, ...]:
    """Describe all warnings and faults, and count the good cells."""
    return (*describe_bad_findings(findings), *_count_good(findings))


def _count_good(findings: Sequence[SetupFinding]) -> tuple[Message, ...]:
    good_count = sum(finding.grade == GOOD for finding in findings)
    if good_count == len(findings):
        return (Message("results.all_good", count=good_count) if good_count else Message("results.none_tried"),)
    return (Message("results.good_cells", count=good_count),) if good_count else ()
