"""One cell of a board as characters: its lamps as half blocks, the gaps beside it, the letter on its plate. Pure.

A cell is `pitch` pixels wide and high, an even number; two square pixels share a character. Its first column and row
are the gap to its neighbours, where the cursor is drawn; the lamps share what is left. Four lamps stand apart, so that
they can be counted; more of them touch, so that what they draw is a shape. A plate names the piece that the lamps tell
of. On boards with pieces a chip of wood names the one that stands there. For a pitch of 10, with 4 lamps and with an
egg of 16:

    . . . . . . . . . .     . . . . . . . . . .     . the gap, or the cursor's frame
    . 1 1 1 1   2 2 2 2     .                       1 2 3 4 the lamps, as a Frame has them
    . 1 1 1 1   2 2 2 2     .                       E the plate, one character: light's letters are large and black on
    . 1 1 1 1   2 2 2 2     .     # # # #             white, dark's are small and white on black
    . 1 1 1 1 E 2 2 2 2     .     # # E #           w the chip, one character: large letters on light wood, small
    .         E             .     # # E #             ones on dark wood; a piece in the hand that is over the cell
    . 3 3 3 3   4 4 4 4     .     # # # #             is seen in its first line
    . 3 3 3 3   4 4 4 4     .
    . 3 3 3 3 w 4 4 4 4     .         w
    . 3 3 3 3 w 4 4 4 4     .         w

Where there are few colours two pixels that share a character are always the same: of two bright colours one could not
be drawn, and the Linux console has no half blocks. There the gap above a cell is two pixels high, and lines are drawn
in the gaps.
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

PLAIN_MARKS = "  "  # what stands in the gaps at the left and right of a cell that has no mark

SegmentLine = tuple[Segment, ...]


class CellAppearance(NamedTuple):
    """What one cell shows.

    Attributes:
        lamp_colours: each lamp as a colour of the screen.
        letter: `E T F` or `e t f` on the plate of a piece, one of `ROLE_SIGNS`, or nothing.
        marks: what stands in the gap at the left and in the gap at the right.
        piece: the piece that the letter names, or None.
        is_last: whether the last turn's action ended here.
        has_cursor: whether the cursor is here.
        standing_piece: the wooden piece that stands here, or None.
        held_piece: the wooden piece that a hand holds over it, or None.
        preview_letter: the letter of what would be here if one acted where the cursor is, a dot for nothing; empty: the same.
        preview_piece: the piece to which that letter belongs, or None.
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
    """The colours of a cell's left gap, of its top gap, and of the corner where they meet."""

    left: str
    top: str
    corner: str


@lru_cache(maxsize=1 << 12)
def lamp_colour(red: float, green: float, blue: float) -> str:
    """A lamp's light as a colour of the screen, on top of what the unlit lamp looks like."""
    glass_level = int(GLASS_COLOUR[1:3], 16) * (1 - max(red, green, blue))
    return hex_colour(*(round(glass_level + 255 * colour_part) for colour_part in (red, green, blue)))


def gap_colour(*beside: CellAppearance | None) -> str:
    """The colour of a gap between cells: the cursor's frame, if one of them has it; beyond the board there is none."""
    cell_looks = [cell_look for cell_look in beside if cell_look]
    if any(cell_look.has_cursor for cell_look in cell_looks):
        return BRIGHT_COLOUR
    return GAP_COLOUR if cell_looks else GROUND_COLOUR


# The blocks of a whole board at rest are few; lamps that breathe add some for every step they take.
@lru_cache(maxsize=1 << 11)
def draw_cell(
    pitch: int, column_count: int, look: CellAppearance | None, gap_mark: str, gaps: GapColours, has_halves: bool
) -> tuple[SegmentLine, ...]:
    """The characters of one cell with the gaps at its left and above it.

    Args:
        pitch: pixels of a cell in both directions.
        column_count: how many of its columns are asked for.
        look: what it shows, or None for what closes a row or column.
        gap_mark: what stands in the gap at the left.
        gaps: the colours around it.
        has_halves: whether the two pixels of a character may differ.
    """
    lines = _draw_pixels(pitch, look, gaps, has_halves)
    if not has_halves:
        _draw_gap_lines(lines, gaps)
    if gap_mark != " ":
        ink_colour = GROUND_COLOUR if gaps.left == BRIGHT_COLOUR else BRIGHT_COLOUR
        lines[pitch // 4][0] = Segment(gap_mark, make_style(ink_colour, gaps.left, bold=True))
    if look and look.letter:
        _draw_plate(lines, look)
    if look and (look.standing_piece or look.held_piece):
        column = _chip_column(pitch, len(look.lamp_colours), has_halves)
        for char_line, wooden in ((lines[-1], look.standing_piece), (lines[0], look.held_piece)):
            if wooden:
                char_line[column] = Segment(wooden.letter, make_style(*PIECE_COLOURS[wooden.owner], bold=True))
    return tuple(tuple(Segment.simplify(char_line[:column_count])) for char_line in lines)


def _draw_pixels(pitch: int, look: CellAppearance | None, gaps: GapColours, has_halves: bool) -> list[list[Segment]]:
    """The lamps of a cell and its gaps, two pixels to a character."""
    gap_rows = 1 if has_halves else 2
    cell_pixels = [[gaps.corner] + [gaps.top] * (pitch - 1) for _ in range(gap_rows)]
    cell_pixels += [[gaps.left] + [_background_colour(look)] * (pitch - 1) for _ in range(pitch - gap_rows)]
    if look:
        for (x, y), lamp_number in lamp_pixels(pitch, len(look.lamp_colours), has_halves).items():
            cell_pixels[y][x] = look.lamp_colours[lamp_number]
    full_block = " " if has_halves else "█"  # which is drawn in front, where it can be bright
    return [
        [
            Segment(full_block if upper_colour == lower_colour else "▀", make_style(upper_colour, lower_colour))
            for upper_colour, lower_colour in zip(cell_pixels[y], cell_pixels[y + 1], strict=True)
        ]
        for y in range(0, pitch, 2)
    ]


def _background_colour(cell_look: CellAppearance | None) -> str:
    """What is seen between the lamps of a cell, and around them: nothing, where they touch."""
    return GROUND_COLOUR if cell_look is None else TILE_COLOUR if len(cell_look.lamp_colours) < 9 else GLASS_COLOUR


def _draw_gap_lines(char_lines: list[list[Segment]], gap_colours: GapColours) -> None:
    """Draw lines in the gaps of a cell; the cursor's frame stays as it is."""
    line_style = make_style(GAP_COLOUR, GROUND_COLOUR)
    if gap_colours.corner == GAP_COLOUR:
        char_lines[0][0] = Segment("┼", line_style)
    if gap_colours.top == GAP_COLOUR:
        char_lines[0][1:] = [Segment("─", line_style)] * (len(char_lines[0]) - 1)
    if gap_colours.left == GAP_COLOUR:
        for line_characters in char_lines[1:]:
            line_characters[0] = Segment("│", line_style)


def _draw_plate(char_lines: list[list[Segment]], look: CellAppearance) -> None:
    """Put the letter into the middle, which an even number of lamps leaves free; else below, where fewest are lit."""
    side, pitch = isqrt(len(look.lamp_colours)), len(char_lines[0])
    char_line = char_lines[pitch // 4 if _has_free_middle(side) else -1]
    named_piece = look.preview_piece or look.piece
    ink_colour, paper = plate_colours(named_piece.owner) if named_piece else (BRIGHT_COLOUR, _background_colour(look))
    if look.preview_letter:  # what is there, and what would be
        for column, plate_letter in enumerate(f"{look.letter}>{look.preview_letter}", pitch // 2 - 1):
            char_line[column] = Segment(plate_letter, make_style(ink_colour, paper, bold=True))
        return
    if pitch // side >= 4:  # then a wider plate takes no more than a corner from a lamp
        char_line[pitch // 2 - 1] = char_line[pitch // 2 + 1] = Segment(" ", make_style(ink_colour, paper))
    char_line[pitch // 2] = Segment(look.letter, make_style(ink_colour, paper, bold=True, underline=look.is_last))


def _has_free_middle(side: int) -> bool:
    return side == 1 or side % 2 == 0


@cache
def _chip_column(pitch: int, lamp_count: int, has_halves: bool) -> int:
    """Where in the last line a chip of wood hides as little as can be: nearest to the middle where no lamp is."""
    lit_pixels, middle = lamp_pixels(pitch, lamp_count, has_halves), pitch // 2
    plate_columns = () if _has_free_middle(isqrt(lamp_count)) else (middle - 1, middle, middle + 1)
    return min(
        (column for column in range(1, pitch) if column not in plate_columns),
        key=lambda column: (sum((column, y) in lit_pixels for y in (pitch - 2, pitch - 1)), abs(column - middle)),
    )


@lru_cache(maxsize=1 << 12)
def make_style(ink_colour: str, paper_colour: str, *, bold: bool = False, underline: bool = False) -> Style:
    """The style of a character, from a small store: there are few."""
    return Style(color=ink_colour, bgcolor=paper_colour, bold=bold, underline=underline)


def draw_letters(letter_line: str, style: Style, key_colours: Sequence[str | None] = ()) -> Strip:
    """Draw the line of letters below a board, with turn keys at its ends.

    Args:
        letter_line: the letters.
        style: how they look.
        key_colours: Light's key at the left and Dark's at the right, or a common one; None is dark.
    """
    keys = [Segment("(●)", style + Style(color=lamp)) if lamp else Segment("(○)", style) for lamp in key_colours]
    left, right = (sum(key.cell_length for key in end) for end in (keys[:1], keys[1:]))
    return Strip([*keys[:1], Segment(letter_line[left : len(letter_line) - right], style), *keys[1:]])


@cache
def lamp_pixels(pitch: int, lamp_count: int, has_halves: bool = True) -> dict[tuple[int, int], int]:
    """Which pixels of a cell belong to which lamp. Lamps that stand apart are as round as their pixels allow.

    Args:
        pitch: pixels of the cell, with the gap at its left and above it.
        lamp_count: lamps in it.
        has_halves: whether the two pixels of a character may differ.
    """
    side, unit = isqrt(lamp_count), 1 if has_halves else 2
    width, pixel_rows = pitch - 1, pitch - unit
    gap = 1 if side == 2 and has_halves else 0
    lamp_width = (min(width, pixel_rows) - (side - 1) * gap) // side // unit * unit
    if not lamp_width:  # more lamps than pixels: some are not seen
        row_count = pixel_rows // unit
        return {
            (x + 1, unit + y): y // unit * side // row_count * side + x * side // width
            for x in range(width)
            for y in range(pixel_rows)
        }
    drawn_width = side * lamp_width + (side - 1) * gap
    left_column, top_row = 1 + (width - drawn_width) // 2, unit + (pixel_rows - drawn_width) // 2 // unit * unit
    disc_pixels = _disc_pixels(lamp_width, lamp_width / 2 + 0.2 if has_halves and side < 3 else lamp_width)
    return {
        (left_column + column * (lamp_width + gap) + x, top_row + row * (lamp_width + gap) + y): row * side + column
        for row in range(side)
        for column in range(side)
        for x, y in disc_pixels
    }


def _disc_pixels(disc_width: int, radius: float) -> list[tuple[int, int]]:
    """The pixels of a square that lie no farther from its middle than a radius."""
    centre = (disc_width - 1) / 2
    return [(x, y) for y in range(disc_width) for x in range(disc_width) if hypot(x - centre, y - centre) <= radius]
