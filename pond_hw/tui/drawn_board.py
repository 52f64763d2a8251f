"""A board drawn in a terminal as an eye sees it, for set-up and for what was recorded: lamps, and nothing of the game.

A cell is four columns and two rows of half blocks, so four by four square pixels: one lamp fills it, four have four
pixels each, sixteen one each. Of nine or more than sixteen some are drawn larger than others, or left out. Lines
separate the cells; a board of five rows has them where the window has room for them beside what set-up has to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from pond_hw.board import RGB
from pond_hw.rules import Cell, grid
from pond_hw.tui.style import GROUND

WIDE, HIGH = 4, 2
"""Columns and rows of a cell, without the lines."""

RULED = 4
"""Rows of a board, up to which there are lines between its cells in a window of any size."""

PLAIN, LINES = Style(bgcolor=GROUND), Style(color="#6c6c6c", bgcolor=GROUND)
"""How what is no lamp looks."""

LEFT = 2
"""Columns for the row numbers."""


class DrawnBoard(Widget, can_focus=False):
    """The cells of a board, as their lamps are lit.

    Args:
        size: rows and columns.
        seen: the lamps of a cell, as they are driven, row by row from the top left.
    """

    def __init__(self, size: int, seen: Callable[[Cell], Sequence[RGB]]) -> None:
        super().__init__()
        self._seen = seen
        self.resize(size)

    def resize(self, size: int, *, roomy: bool = False) -> None:
        """Be a board of another size; in a roomy window there are lines between the cells of any board."""
        self.size_of_board = size
        self._rule = 1 if roomy or size <= RULED else 0  # columns at the left of a cell, rows above it
        self.across = (WIDE + self._rule) * size + self._rule  # columns of the cells
        self.columns = LEFT + self.across
        self.lines = (HIGH + self._rule) * size + self._rule + 1
        self.styles.width, self.styles.height = self.columns, self.lines

    def mark(self, cell: Cell) -> str:  # noqa: ARG002 - which cells have one is for others to say
        """What stands in the first row of a cell, four letters; or nothing."""
        return ""

    def render_line(self, y: int) -> Strip:
        """One row of it."""
        size = self.size_of_board
        if y >= self.lines - 1:
            letters = "".join(f"{'':{self._rule}}{column:^{WIDE}}" for column in "abcde"[:size])
            return Strip([Segment(f"{'':{LEFT}}{letters}", PLAIN)])
        number, line = divmod(y, HIGH + self._rule)
        if self._rule and line == 0:
            return Strip([Segment(f"{'':{LEFT}}" + f"┼{'─' * WIDE}" * size + "┼", LINES)])
        row, line, upright = grid(size).rows[number], line - self._rule, Segment("│" * self._rule, LINES)
        segments = [Segment(f"{row[0][1] if line == 0 else '':<{LEFT}}", PLAIN)]
        for cell in row:
            segments += [upright, *self._drawn(cell, line)]
        return Strip([*segments, upright])

    def cell_at(self, x: int, y: int) -> Cell | None:
        """The cell under a place of it; a line belongs to the cell at its right or below it."""
        column, row, size = (x - LEFT) // (WIDE + self._rule), y // (HIGH + self._rule), self.size_of_board
        return grid(size).rows[row][column] if x >= LEFT and column < size and row < size else None

    def _drawn(self, cell: Cell, line: int) -> list[Segment]:
        lamps, mark = self._seen(cell), self.mark(cell)
        if mark and line == 0:
            red, green, blue = colour = seen_as(lamps)
            text = "white" if red + green + blue < 300 else "black"
            return [Segment(mark, Style(color=text, bgcolor=_named(colour)))]
        side = isqrt(len(lamps))
        pixels = [
            [_named(seen_as([lamps[v * side // 4 * side + u * side // WIDE]])) for u in range(WIDE)]
            for v in (2 * line, 2 * line + 1)
        ]
        return [
            Segment("▀" if above != below else "█", Style(color=above, bgcolor=below))
            for above, below in zip(*pixels, strict=True)
        ]


def seen_as(lamps: Sequence[RGB]) -> RGB:
    """The colour of lamps on the screen: their mean as perceived; what is dim is still seen."""
    if not lamps:
        return 0, 0, 0
    mean = [sum(lamp[channel] for lamp in lamps) / len(lamps) / 255 for channel in range(3)]
    red, green, blue = (min(255, int(255 * part ** (1 / 2.2) * 1.3) + 22) for part in mean)
    return red, green, blue


def _named(colour: RGB) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
