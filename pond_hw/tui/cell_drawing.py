"""Pure functions that draw a board cell as terminal characters.

A cell is `pitch` pixels wide and high, where `pitch` is even. Pixels are square, and each character shows two of them.
The first column and the first row of a cell are the gap to its neighbours, where the cursor is drawn. The other pixels
are divided among the lamps. Four lamps are drawn apart so that they can be counted; more lamps touch so that they form
a shape. A plate shows the letter of the piece that the lamps represent. On boards with pieces, a chip shows the letter
of the piece that is physically on the cell. Example with a pitch of 10 and 4 lamps:

    . . . . . . . . . .   . the gap, or the frame of the cursor
    . 1 1 1 1   2 2 2 2   1 2 3 4 the lamps, in the same order as in a Frame
    . 1 1 1 1   2 2 2 2
    . 1 1 1 1   2 2 2 2   E the plate, one character: upper case, black on white for light;
    . 1 1 1 1 E 2 2 2 2     lower case, white on black for dark
    .         E
    . 3 3 3 3   4 4 4 4   w the chip, one character: upper case on light wood, lower case on dark wood;
    . 3 3 3 3   4 4 4 4     a piece held over the cell is drawn in the first line
    . 3 3 3 3 w 4 4 4 4
    . 3 3 3 3 w 4 4 4 4

On terminals with few colours, both pixels of a character have the same colour: a character can't show two bright
colours, and the Linux console has no half blocks. There the gap above a cell is two pixels high and contains a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from math import hypot, isqrt
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pond_hw.rules import Piece
from pond_hw.tui.colours import (
    BRIGHT_COLOUR,
    GAP_COLOUR,
    GLASS_COLOUR,
    GROUND_COLOUR,
    PIECE_COLOURS,
    TILE_COLOUR,
    hex_colour,
    plate_colours,
)
from pond_hw.tui.hand import VisiblePiece

PLAIN_MARKS = "  "  # left and right gap of an unmarked cell

SegmentLine = tuple[Segment, ...]


class CellAppearance(NamedTuple):
    """Everything that is drawn in a cell.

    Attributes:
        lamp_colours: screen colour of each lamp.
        letter: `E T F` or `e t f` for a piece, one of `ROLE_SIGNS`, or an empty string.
        marks: characters in the left and right gaps.
        piece: piece that the letter stands for, or None.
        is_last: True if the last action ended on this cell.
        has_cursor: True if the cursor is on this cell.
        standing_piece: physical piece on the cell, or None.
        held_piece: physical piece held over the cell, or None.
        preview_letter: letter after the previewed action, a dot for an empty cell, or an empty string for no change.
        preview_piece: piece that the preview letter stands for, or None.
    """

    lamp_colours: tuple[str, ...]
    letter: str = ""
    marks: str = PLAIN_MARKS
    piece: Piece | None = None
    is_last: bool = False
    has_cursor: bool = False
    standing_piece: VisiblePiece | None = None
    held_piece: VisiblePiece | None = None
    preview_letter: str = ""
    preview_piece: Piece | None = None


class GapColours(NamedTuple):
    """Colours of the left gap and the top gap of a cell, and of the corner where they meet."""

    left: str
    top: str
    corner: str


@lru_cache(maxsize=1 << 12)
def lamp_colour(red: float, green: float, blue: float) -> str:
    """Return the screen colour of a lamp, blended with the colour of an unlit lamp."""
    glass_level = int(GLASS_COLOUR[1:3], 16) * (1 - max(red, green, blue))
    return hex_colour(*(round(glass_level + 255 * colour_part) for colour_part in (red, green, blue)))


def gap_colour(*beside: CellAppearance | None) -> str:
    """Return the colour of the gap between cells. The gap is bright if the cursor is on one of the cells."""
    appearances = [appearance for appearance in beside if appearance]
    if any(appearance.has_cursor for appearance in appearances):
        return BRIGHT_COLOUR
    return GAP_COLOUR if appearances else GROUND_COLOUR


# A board at rest has few distinct blocks; each step of a breathing lamp adds some.
@lru_cache(maxsize=1 << 11)
def draw_cell(
    pitch: int,
    column_count: int,
    appearance: CellAppearance | None,
    gap_mark: str,
    gaps: GapColours,
    has_half_blocks: bool,
) -> tuple[SegmentLine, ...]:
    """Draw the first `column_count` columns of a cell, with the gaps to its left and above it.

    If `appearance` is None, draw the closing gap of a row or column. If `has_half_blocks` is True, a character can show
    two colours.
    """
    lines = _draw_pixels(pitch, appearance, gaps, has_half_blocks)
    if not has_half_blocks:
        _draw_gap_lines(lines, gaps)
    if gap_mark != " ":
        ink_colour = GROUND_COLOUR if gaps.left == BRIGHT_COLOUR else BRIGHT_COLOUR
        lines[pitch // 4][0] = Segment(gap_mark, make_style(ink_colour, gaps.left, bold=True))
    if appearance and appearance.letter:
        _draw_plate(lines, appearance)
    if appearance and (appearance.standing_piece or appearance.held_piece):
        column = _chip_column(pitch, len(appearance.lamp_colours), has_half_blocks)
        for char_line, physical_piece in ((lines[-1], appearance.standing_piece), (lines[0], appearance.held_piece)):
            if physical_piece:
                char_line[column] = Segment(
                    physical_piece.letter, make_style(*PIECE_COLOURS[physical_piece.owner], bold=True)
                )
    return tuple(tuple(Segment.simplify(char_line[:column_count])) for char_line in lines)


def _draw_pixels(
    pitch: int, appearance: CellAppearance | None, gaps: GapColours, has_half_blocks: bool
) -> list[list[Segment]]:
    """Draw the lamps and gaps of a cell, two pixels per character."""
    gap_rows = 1 if has_half_blocks else 2
    cell_pixels = [[gaps.corner] + [gaps.top] * (pitch - 1) for _ in range(gap_rows)]
    cell_pixels += [[gaps.left] + [_background_colour(appearance)] * (pitch - 1) for _ in range(pitch - gap_rows)]
    if appearance:
        for (x, y), lamp_number in lamp_pixels(pitch, len(appearance.lamp_colours), has_half_blocks).items():
            cell_pixels[y][x] = appearance.lamp_colours[lamp_number]
    full_block = " " if has_half_blocks else "█"  # drawn in the foreground, where bright colours are available
    return [
        [
            Segment(full_block if upper_colour == lower_colour else "▀", make_style(upper_colour, lower_colour))
            for upper_colour, lower_colour in zip(cell_pixels[y], cell_pixels[y + 1], strict=True)
        ]
        for y in range(0, pitch, 2)
    ]


def _background_colour(appearance: CellAppearance | None) -> str:
    """Return the colour between and around the lamps of a cell."""
    return GROUND_COLOUR if appearance is None else TILE_COLOUR if len(appearance.lamp_colours) < 9 else GLASS_COLOUR


def _draw_gap_lines(char_lines: list[list[Segment]], gap_colours: GapColours) -> None:
    """Draw lines in the gaps of a cell, except where the cursor is drawn."""
    line_style = make_style(GAP_COLOUR, GROUND_COLOUR)
    if gap_colours.corner == GAP_COLOUR:
        char_lines[0][0] = Segment("┼", line_style)
    if gap_colours.top == GAP_COLOUR:
        char_lines[0][1:] = [Segment("─", line_style)] * (len(char_lines[0]) - 1)
    if gap_colours.left == GAP_COLOUR:
        for line_characters in char_lines[1:]:
            line_characters[0] = Segment("│", line_style)


def _draw_plate(char_lines: list[list[Segment]], appearance: CellAppearance) -> None:
    """Draw the letter of a cell in the middle if there is no lamp, otherwise at the bottom."""
    side, pitch = isqrt(len(appearance.lamp_colours)), len(char_lines[0])
    char_line = char_lines[pitch // 4 if _has_free_middle(side) else -1]
    named_piece = appearance.preview_piece or appearance.piece
    ink_colour, paper = (
        plate_colours(named_piece.owner) if named_piece else (BRIGHT_COLOUR, _background_colour(appearance))
    )
    if appearance.preview_letter:  # current letter and letter after the action
        for column, plate_letter in enumerate(f"{appearance.letter}>{appearance.preview_letter}", pitch // 2 - 1):
            char_line[column] = Segment(plate_letter, make_style(ink_colour, paper, bold=True))
        return
    if pitch // side >= 4:  # a wider plate covers only the corners of the lamps
        char_line[pitch // 2 - 1] = char_line[pitch // 2 + 1] = Segment(" ", make_style(ink_colour, paper))
    char_line[pitch // 2] = Segment(
        appearance.letter, make_style(ink_colour, paper, bold=True, underline=appearance.is_last)
    )


def _has_free_middle(side: int) -> bool:
    return side == 1 or side % 2 == 0


@cache
def _chip_column(pitch: int, lamp_count: int, has_half_blocks: bool) -> int:
    """Return the column of the chip: the one that hides the fewest lamp pixels, as close to the middle as possible."""
    lit_pixels, middle = lamp_pixels(pitch, lamp_count, has_half_blocks), pitch // 2
    plate_columns = () if _has_free_middle(isqrt(lamp_count)) else (middle - 1, middle, middle + 1)
    return min(
        (column for column in range(1, pitch) if column not in plate_columns),
        key=lambda column: (sum((column, y) in lit_pixels for y in (pitch - 2, pitch - 1)), abs(column - middle)),
    )


@lru_cache(maxsize=1 << 12)
def make_style(ink_colour: str, paper_colour: str, *, bold: bool = False, underline: bool = False) -> Style:
    return Style(color=ink_colour, bgcolor=paper_colour, bold=bold, underline=underline)


def draw_letters(letter_line: str, style: Style, key_colours: Sequence[str | None] = ()) -> Strip:
    """Draw the column letters between the lamps of the turn keys. A colour of None stands for an unlit lamp."""
    keys = [Segment("(●)", style + Style(color=lamp)) if lamp else Segment("(○)", style) for lamp in key_colours]
    left, right = (sum(key.cell_length for key in end) for end in (keys[:1], keys[1:]))
    return Strip([*keys[:1], Segment(letter_line[left : len(letter_line) - right], style), *keys[1:]])


@cache
def lamp_pixels(pitch: int, lamp_count: int, has_half_blocks: bool = True) -> dict[tuple[int, int], int]:
    """Map each pixel of a cell to the index of its lamp. Lamps that are drawn apart are as round as possible."""
    side, unit = isqrt(lamp_count), 1 if has_half_blocks else 2
    width, pixel_rows = pitch - 1, pitch - unit
    gap = 1 if side == 2 and has_half_blocks else 0
    lamp_width = (min(width, pixel_rows) - (side - 1) * gap) // side // unit * unit
    if not lamp_width:  # more lamps than pixels: some are not drawn
        row_count = pixel_rows // unit
        return {
            (x + 1, unit + y): y // unit * side // row_count * side + x * side // width
            for x in range(width)
            for y in range(pixel_rows)
        }
    drawn_width = side * lamp_width + (side - 1) * gap
    left_column, top_row = 1 + (width - drawn_width) // 2, unit + (pixel_rows - drawn_width) // 2 // unit * unit
    disc_pixels = _disc_pixels(lamp_width, lamp_width / 2 + 0.2 if has_half_blocks and side < 3 else lamp_width)
    return {
        (left_column + column * (lamp_width + gap) + x, top_row + row * (lamp_width + gap) + y): row * side + column
        for row in range(side)
        for column in range(side)
        for x, y in disc_pixels
    }


def _disc_pixels(disc_width: int, radius: float) -> list[tuple[int, int]]:
    """Return the pixels of a square that lie within a radius of its centre."""
    centre = (disc_width - 1) / 2
    return [(x, y) for y in range(disc_width) for x in range(disc_width) if hypot(x - centre, y - centre) <= radius]
