"""The prose of the pages that are made for a board, from the text files of this folder."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path


def read_sections(file_name: str) -> dict[str, str]:
    """The sections of a text file of this folder: what follows each heading `== ...`, by the heading."""
    file_text = Path(__file__).with_name(file_name).read_text(encoding="utf-8")
    headings_and_texts = re.split(r"^== (.+)\n", file_text, flags=re.MULTILINE)[1:]
    return {
        heading: section_text.strip()
        for heading, section_text in zip(headings_and_texts[::2], headings_and_texts[1::2], strict=True)
    }


PAGE_SECTIONS = read_sections("pages.txt")

NOT_BUILT = PAGE_SECTIONS["not built"]
"""Stands at the head of the pages that are made for a board, until somebody has built one."""


def fill_lines(paragraph_text: str) -> str:
    """A paragraph in lines that fit."""
    return textwrap.fill(" ".join(paragraph_text.split()), 116, break_long_words=False, break_on_hyphens=False)


def format_rows(table_rows: Iterable[Iterable[object]]) -> str:
    """The rows of a table as Markdown."""
    return "\n".join(f"| {' | '.join(map(str, table_row))} |" for table_row in table_rows)
