"""Glyphs: lamps match the drawings, and no glyph looks like a rotated version of another."""

from itertools import combinations
from math import isqrt

import pytest

from pond_hw.lights import LAMP_COUNTS, render_scene
from pond_hw.lights.glyphs import _SHEETS_BY_SIDE, edge_progress, glyph_rows
from tests.conftest import each
from tests.lights.perception import grey_cells, rotations
from tests.lights.scenes import scene

PIECES = ("egg", "tadpole", "frog")
WITH_SHAPES = [lamps for lamps in LAMP_COUNTS if lamps > 1]


ON_2X2 = """
    #.  #.  ##
    ..  .#  ##
"""
ON_4X4 = """
    ....  ##..  #..#
    .##.  ##..  ####
    .##.  ..#.  ####
    ....  ...#  #..#
"""
ON_6X6 = """
    ......  ......  ......
    ......  .##...  .#..#.
    ..##..  .##...  .####.
    ..##..  ...#..  .####.
    ......  ....#.  .#..#.
    ......  ......  ......
"""


@each(("lamps", "drawn"), [(4, ON_2X2), (16, ON_4X4), (36, ON_6X6)])
@each("pieces", ["E T F", "e t f"])
def test_glyph_is_centred_in_larger_cell(pieces, lamps, drawn):
    assert shown(pieces, lamps) == drawn.split()


@each("lamps", WITH_SHAPES)
def test_pieces_differ_under_rotation_and_mirror(lamps):
    for one, other in combinations(PIECES, 2):
        lit, others = list("".join(glyph_rows(one, lamps))), glyph_rows(other, lamps)
        mirrored = [row[::-1] for row in others]
        seen = [turned for rows in (others, mirrored) for turned in rotations(list("".join(rows)))]
        differing = min(sum(a != b for a, b in zip(lit, turned, strict=True)) for turned in seen)
        assert differing >= min(lit.count("#"), "".join(others).count("#"))


@each("lamps", LAMP_COUNTS)
@each("name", _SHEETS_BY_SIDE[1])
def test_every_glyph_is_square_and_lit(name, lamps):
    rows = glyph_rows(name, lamps)
    assert {len(rows), *map(len, rows)} == {isqrt(lamps)}
    assert {*"".join(rows)} - {"."}
    assert name in ("edge", "hint") or set("".join(rows)) <= set("#.")


@each("lamps", WITH_SHAPES)
def test_edge_order_visits_neighbouring_lamps(lamps):
    side = isqrt(lamps)
    way = {place: divmod(lamp, side) for lamp, place in enumerate(edge_progress(lamps)) if place is not None}
    walk = [way[place] for place in sorted(way)]
    assert len(walk) == sum(sign != "." for row in glyph_rows("edge", lamps) for sign in row)
    assert all(abs(y - v) + abs(x - u) == 1 for (y, x), (v, u) in zip(walk, [*walk[1:], walk[0]], strict=True))
    assert sorted(way) == pytest.approx([i / len(walk) for i in range(len(walk))])
    (y, x), (v, u) = walk[:2]
    assert (y, u) == (v, x + 1)  # clockwise from the top left corner


@each("lamps", [0, 2, 8, 12, 81, -4])
def test_unsupported_lamp_count_is_rejected(lamps):
    with pytest.raises(ValueError, match=rf"64\) lamps, not {lamps}"):
        render_scene(scene("E . .\n. . .\n. . ."), 0.0, lamps)


def shown(pieces, lamps):
    """Return the lit lamps of three adjacent pieces as words, row by row from the top."""
    cells = grey_cells(scene(f"{pieces}\n. . .\n. . ."), 0.0, lamps)
    side = isqrt(lamps)
    words = ["".join("#" if lamp else "." for lamp in cells[cell]) for cell in ("a3", "b3", "c3")]
    return [word[row * side : (row + 1) * side] for row in range(side) for word in words]
