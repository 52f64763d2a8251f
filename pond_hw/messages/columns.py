"""Rows of text as lines whose columns stand under each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.terminal_text import count_columns, cut_text, pad_text

SHORTEST_CELL = 6
"""Columns that are left of a text when a line is too long."""


def align_columns(
    rows: Iterable[Sequence[object]],
    column_sides: str,
    line_width: int | None = None,
    shrinkable: Sequence[int] = (),
    *,
    language: str = "en",
) -> list[str]:
    """Format rows as lines.

    Args:
        rows: texts, messages or numbers, as many in each row.
        column_sides: for each column whether its texts stand to the left (l) or to the right (r).
        line_width: columns of the terminal that a line should not exceed: then one space parts columns and not two.
        shrinkable: the columns whose texts may be cut if a line still does, the longest first.
        language: the language of the messages.
    """
    to_text = get_catalogue(language).to_text
    text_rows = [list(map(to_text, row)) for row in rows]
    column_widths = [max(map(count_columns, column)) for column in zip(*text_rows, strict=True)]
    longest_line, gap_count = inf if line_width is None else line_width, len(column_widths) - 1
    gap_width = 2 if sum(column_widths) + 2 * gap_count <= longest_line else 1
    while shrinkable and sum(column_widths) + gap_width * gap_count > longest_line:
        longest_column = max(shrinkable, key=column_widths.__getitem__)
        if column_widths[longest_column] <= SHORTEST_CELL:
            break
        column_widths[longest_column] -= 1
    lines = []
    for row in text_rows:
        cells = zip(row, column_widths, column_sides, strict=True)
        texts = (
            pad_text(cut_text(text, cell_width), cell_width, right=side == "r") for text, cell_width, side in cells
        )
        lines.append((" " * gap_width).join(texts).rstrip())
    return lines
