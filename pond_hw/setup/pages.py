"""Pages of set-up as text, in a language: at most 16 lines of 78 columns, a question and answers.

The drawing stands on every leaf. What is said below it takes as many leaves as it needs; `m` turns them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pond_hw.messages.catalogue import Catalogue, get_catalogue
from pond_hw.messages.columns import align_columns
from pond_hw.messages.message import Message
from pond_hw.setup.step import LEAF_KEY, Block, Paragraph, SetupOption, StepPage, Table

PAGE_COLUMNS, PAGE_LINES = 78, 16  # columns and lines of a page


class ShownOption(NamedTuple):
    """What may be answered: the key, and what it means; empty for a cell."""

    key: str
    label: str


class ShownPage(NamedTuple):
    """A page as text.

    Attributes:
        title: what this step does.
        lines: what has been found so far; at most `PAGE_LINES`.
        prompt: what to do now.
        choices: what may be answered.
        step_progress: as of a `StepPage`.
    """

    title: str
    lines: tuple[str, ...]
    prompt: str
    choices: tuple[ShownOption, ...]
    step_progress: tuple[int, int]


@lru_cache(maxsize=8)
def show_page(page: StepPage, catalogue: Catalogue | None = None, columns: int = PAGE_COLUMNS) -> ShownPage:
    """A page as text.

    Args:
        page: the page.
        catalogue: its language; English if none is given.
        columns: how wide its paragraphs may be. Drawings are as wide as they are.
    """
    catalogue = catalogue or get_catalogue()
    drawing = [line for block in page.drawing for line in _format_block(block, catalogue, columns)]
    paragraphs = [list(_format_block(block, catalogue, columns)) for block in page.text]
    leaves = _split_leaves(paragraphs, max(1, PAGE_LINES - len(drawing) - bool(drawing)))
    leaf = leaves[page.leaf % len(leaves)]
    choices = page.choices
    if len(leaves) > 1:
        more = Message("setup_key.more", leaf=page.leaf % len(leaves) + 1, leaves=len(leaves))
        choices = SetupOption(LEAF_KEY, more), *choices
    return ShownPage(
        catalogue.text(page.title),
        (*drawing, *([""] if drawing and leaf else []), *leaf),
        catalogue.text(page.prompt),
        tuple(ShownOption(key, catalogue.text(label) if label else "") for key, label in choices),
        page.step_progress,
    )


def page_to_json(page: StepPage) -> dict[str, object]:
    """What a page says, as messages: for programs that speak another language."""
    words = [message for block in (*page.drawing, *page.text) for message in _list_messages(block)]
    prompt = (page.prompt,) if isinstance(page.prompt, Message) else page.prompt
    return {
        "title": page.title.to_json(),
        "lines": [message.to_json() for message in words],
        "asks": [message.to_json() for message in prompt],
        "choices": {key: label.to_json() for key, label in page.choices if label},
    }


def _format_block(block: Block, catalogue: Catalogue, columns: int) -> Iterator[str]:
    """The lines of a part of a page."""
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


def _split_leaves(paragraphs: Sequence[list[str]], room: int) -> list[list[str]]:
    """The lines of one leaf or more; a paragraph that is longer than a leaf goes on on the next."""
    leaves: list[list[str]] = [[]]
    for paragraph in paragraphs:
        if len(leaves[-1]) + len(paragraph) > room and leaves[-1]:
            leaves.append([])
        leaves[-1] += paragraph[:room]
        leaves += (paragraph[start : start + room] for start in range(room, len(paragraph), room))
    return leaves


def _list_messages(block: Block) -> Iterator[Message]:
    match block:
        case Message():
            yield block
        case Paragraph(messages, _, details):
            yield from (*messages, *details)
        case Table(rows):
            yield from (word for row in rows for word in row if isinstance(word, Message))
