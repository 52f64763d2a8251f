"""Tests of drawing a cell as characters: size, gaps, letter and previews."""

import pytest

from pond_hw.rules import LIGHT, Piece, Symbol
from pond_hw.tui.cell_drawing import PLAIN_MARKS, CellAppearance, GapColours, draw_cell, gap_colour, lamp_pixels
from pond_hw.tui.colours import BRIGHT_COLOUR, GAP_COLOUR, GROUND_COLOUR

GAPS = GapColours(GAP_COLOUR, GAP_COLOUR, GAP_COLOUR)
FROG = Piece(LIGHT, Symbol.FROG)


def text(look, mark=" ", columns=10, halves=True):
    return ["".join(part.text for part in line) for line in draw_cell(10, columns, look, mark, GAPS, halves)]


def test_cell_drawing_has_requested_size():
    look = CellAppearance(("#ffaf00",) * 4)
    assert [len(line) for line in text(look)] == [10] * 5
    assert [len(line) for line in text(None, columns=1)] == [1] * 5


def test_letter_is_in_middle_and_mark_in_gap():
    lines = text(CellAppearance(("#ffaf00",) * 4, "F", PLAIN_MARKS, FROG), mark=">")
    assert lines[2][5] == "F"
    assert lines[2][0] == ">"


def test_preview_follows_current_letter():
    look = CellAppearance(("#ffaf00",) * 4, "E", preview_letter="T", preview_piece=FROG)
    assert text(look)[2][4:7] == "E>T"


def test_gap_lines_are_drawn_without_half_blocks():
    lines = text(CellAppearance(("#ffaf00",) * 4), halves=False)
    assert lines[0].startswith("┼─")
    assert lines[1].startswith("│")


def test_cursor_colours_adjacent_gaps():
    plain, framed = CellAppearance(()), CellAppearance((), has_cursor=True)
    assert gap_colour(None, None) == GROUND_COLOUR
    assert gap_colour(None, plain) == GAP_COLOUR
    assert gap_colour(plain, framed) == BRIGHT_COLOUR


@pytest.mark.parametrize("lamps", [1, 4, 9, 16, 25, 64])
@pytest.mark.parametrize("halves", [True, False])
def test_lamps_have_equal_pixel_counts(lamps, halves):
    counts = list(lamp_pixels(22, lamps, halves).values())
    assert {counts.count(lamp) for lamp in range(lamps)} == {counts.count(0)}
