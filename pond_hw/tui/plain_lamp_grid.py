"""Widget that draws the lamps of a board without a game, for set-up and recordings.

A cell is four columns wide and two rows high, which gives four by four pixels with half blocks. A single lamp fills the
cell, each of four lamps covers four pixels, and each of sixteen lamps covers one. With other numbers of lamps, some
lamps are drawn larger or left out. Lines separate the cells. A 5x5 board has lines only if the window has room for both
the board and the set-up text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from pond_hw.board import RGB
from pond_hw.rules import Cell, get_grid
from pond_hw.tui.cell_drawing import draw_letters
from pond_hw.tui.colours import GROUND_COLOUR, hex_colour

CELL_COLUMNS, CELL_ROWS = 4, 2  # without the lines

MAX_RULED_SIZE = 4  # rows of the largest board that has lines in windows of any size

PLAIN_STYLE, LINE_STYLE = Style(bgcolor=GROUND_COLOUR), Style(color="#6c6c6c", bgcolor=GROUND_COLOUR)

LABEL_COLUMNS = 2  # columns for the row numbers


class PlainLampGrid(Widget, can_focus=False):
    """The cells of a board with their lamps.

    `cell_lamps` returns the lamps of a cell row by row, starting at the top left.
    """

    def __init__(self, board_size: int, cell_lamps: Callable[[Cell], Sequence[RGB]]) -> None:
        super().__init__()
        self._cell_lamps = cell_lamps
        self.resize_board(board_size)

    def resize_board(self, size: int, *, roomy: bool = False) -> None:
        """Change the size of the board. If `roomy` is True, draw lines between the cells of large boards as well."""
        self.board_size = size
        self._rule_width = 1 if roomy or size <= MAX_RULED_SIZE else 0
        self.cells_width = (CELL_COLUMNS + self._rule_width) * size + self._rule_width
        self.drawn_columns = LABEL_COLUMNS + self.cells_width
        self.drawn_lines = (CELL_ROWS + self._rule_width) * size + self._rule_width + 1
        self.styles.width, self.styles.height = self.drawn_columns, self.drawn_lines

    def cell_mark(self, cell: Cell) -> str:  # noqa: ARG002 - subclasses override this
        """Return four characters to show in the first row of a cell, or an empty string."""
        return ""

    def turn_key_lamps(self) -> Sequence[str | None]:
        """Return the colours of the turn key lamps beside the column letters. None stands for an unlit lamp."""
        return ()

    def render_line(self, y: int) -> Strip:
        board_size = self.board_size
        if y >= self.drawn_lines - 1:
            letter_line = "".join(f"{'':{self._rule_width}}{column:^{CELL_COLUMNS}}" for column in "abcde"[:board_size])
            line = f"{'':{LABEL_COLUMNS}}{letter_line}".ljust(self.drawn_columns)
            return draw_letters(line, PLAIN_STYLE, self.turn_key_lamps())
        row_number, cell_line = divmod(y, CELL_ROWS + self._rule_width)
        if self._rule_width and cell_line == 0:
            return Strip([Segment(f"{'':{LABEL_COLUMNS}}" + f"┼{'─' * CELL_COLUMNS}" * board_size + "┼", LINE_STYLE)])
        row, upright = get_grid(board_size).rows[row_number], Segment("│" * self._rule_width, LINE_STYLE)
        cell_line -= self._rule_width
        segments = [Segment(f"{row[0][1] if cell_line == 0 else '':<{LABEL_COLUMNS}}", PLAIN_STYLE)]
        for cell in row:
            segments += [upright, *self._cell_segments(cell, cell_line)]
        return Strip([*segments, upright])

    def cell_at(self, x: int, y: int) -> Cell | None:
        """Return the cell at a column and row of this widget. A line belongs to the cell to its right or below it."""
        size, row = self.board_size, y // (CELL_ROWS + self._rule_width)
        column = (x - LABEL_COLUMNS) // (CELL_COLUMNS + self._rule_width)
        return get_grid(size).rows[row][column] if x >= LABEL_COLUMNS and column < size and row < size else None

    def _cell_segments(self, cell: Cell, cell_line: int) -> list[Segment]:
        lamps, mark = self._cell_lamps(cell), self.cell_mark(cell)
        if mark and cell_line == 0:
            red, green, blue = colour = perceived_colour(lamps)
            mark_colour = "white" if red + green + blue < 300 else "black"
            return [Segment(mark, Style(color=mark_colour, bgcolor=hex_colour(*colour)))]
        side = isqrt(len(lamps))
        pixel_lines = [
            [perceived_hex(lamps[pixel_row * side // 4 * side + u * side // CELL_COLUMNS]) for u in range(CELL_COLUMNS)]
            for pixel_row in (2 * cell_line, 2 * cell_line + 1)
        ]
        return [
            Segment("▀" if upper_pixel != lower_pixel else "█", Style(color=upper_pixel, bgcolor=lower_pixel))
            for upper_pixel, lower_pixel in zip(*pixel_lines, strict=True)
        ]


def perceived_colour(lamp_colours: Sequence[RGB]) -> RGB:
    """Return the screen colour for the average of several lamps, brightened so that dim lamps are visible."""
    if not lamp_colours:
        return 0, 0, 0
    mean = [sum(lamp[channel] for lamp in lamp_colours) / len(lamp_colours) / 255 for channel in range(3)]
    red, green, blue = (min(255, int(255 * colour_part ** (1 / 2.2) * 1.3) + 22) for colour_part in mean)
    return red, green, blue


def perceived_hex(lamp: RGB) -> str:
    """Return the screen colour that matches a single lamp, as `#rrggbb`."""
    return hex_colour(*perceived_colour([lamp]))
