"""Rows of text as lines whose columns stand under each other."""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.messages.terminal_text import count_columns, cut_text, pad_text

SHORTEST_CELL = 6
"""Columns that are left of a text when a line is too long."""


def align_columns(
    rows: Sequence[Sequence[str]], sides: str, width: int | None = None, shrinkable: Sequence[int] = ()
) -> list[str]:
    """Format rows as lines.

    Args:
        rows: texts, as many in each row.
        sides: for each column whether its texts stand to the left (l) or to the right (r).
        width: columns of the terminal that a line should not exceed: then one space parts columns and not two.
        shrinkable: the columns whose texts may be cut if a line still does, the longest first.
    """
    widths = [max(map(count_columns, column)) for column in zip(*rows, strict=True)]
    gap = 2 if width is None or sum(widths) + 2 * (len(widths) - 1) <= width else 1
    while width is not None and shrinkable and sum(widths) + gap * (len(widths) - 1) > width:
        longest = max(shrinkable, key=lambda column: widths[column])
        if widths[longest] <= SHORTEST_CELL:
            break
        widths[longest] -= 1
    return [
        (" " * gap)
        .join(
            pad_text(cut_text(text, room), room, right=side == "r")
            for text, room, side in zip(row, widths, sides, strict=True)
        )
        .rstrip()
        for row in rows
    ]
