"""Printed parts checked by PrusaSlicer, and the times and weights in the parts lists."""

from dataclasses import replace

import pytest

from pond_hw.fabrication.parts_list import describe_printed
from pond_hw.fabrication.solids.print_checks import check_part
from pond_hw.fabrication.solids.printed import SlicedPart, find_sliced
from pond_hw.fabrication.solids.shapes import make_box
from tests.conftest import require
from tests.fabrication.slicer import BRIM, find_faults, read_gcode, shipped_parts, slice_part
from tests.fabrication.solids.boards import SHIPPED, built, part


@pytest.mark.long
@pytest.mark.parametrize("name", SHIPPED)
def test_slicer_accepts_every_part(name):
    require("prusa-slicer", "it checks the printed parts independently")
    for one in built(name):
        made, known = slice_part(one), find_sliced(one.solid)
        assert list(find_faults(one, made)) == [], one.name
        x0, _, _, x1, _, _ = one.solid.bounding_box()
        assert made.box[2] - made.box[0] <= x1 - x0 + 2 * BRIM + 30  # plus a skirt
        if one.pause_z is not None:
            assert any(height == pytest.approx(one.pause_z) for height in made.heights)
        assert known is not None, f"{name}, {one.name}: run python -m tests.fabrication.slicer"
        assert made.grams == pytest.approx(known.grams, rel=0.05), one.name
        assert made.minutes == pytest.approx(known.minutes, rel=0.1, abs=2), one.name
        assert made.grams <= one.grams * 1.1 + 0.5  # no more than the part and its brim or skirt


def with_added(box):
    return lambda solid: solid + make_box(*box)


FAULTS = {
    "too large": lambda solid: solid.scale((20, 1, 1)),
    "only an edge touches the bed": lambda solid: solid.rotate((45, 0, 0)).translate((0, 0, 30)),
    "wall too thin to print": with_added(((0, 0.1), (0, 6), (0, 12))),
    "wall too thin to last": with_added(((0, 0.6), (0, 6), (0, 12))),
    "floating part": with_added(((20, 30), (0, 10), (12, 15))),
    "overhang that starts in the air": lambda solid: (
        solid + make_box((0, 4), (0, 4), (0, 12)) + make_box((0, 40), (0, 40), (12, 14))
    ),
}

FOUND_BY = {
    "too large": {"slicer", "rules"},
    "only an edge touches the bed": {"slicer", "rules"},
    "wall too thin to print": {"slicer", "rules"},
    "wall too thin to last": {"rules"},  # PrusaSlicer prints a single line
    "floating part": {"slicer", "rules"},
    "overhang that starts in the air": {"rules"},  # PrusaSlicer prints into the air without a warning
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_damaged_part_is_found(fault):
    require("prusa-slicer", "it checks the printed parts independently")
    clip = part("neotrellis-4x4", "clip")
    damaged = replace(clip, solid=FAULTS[fault](clip.solid))
    found = {"slicer": list(find_faults(damaged, slice_part(damaged))), "rules": list(check_part(damaged))}
    assert {tool for tool, words in found.items() if words} == FOUND_BY[fault], found


@pytest.mark.slow
def test_every_shipped_part_was_sliced():
    assert [part.name for _, part in shipped_parts().values() if find_sliced(part.solid) is None] == []


@pytest.mark.slow
def test_describe_printed_with_and_without_times():
    piece = part("hall-4x4", "piece")
    known = find_sliced(piece.solid)
    assert f"{known} each, sliced with 20 % infill" in describe_printed(piece)
    assert find_sliced(make_box((0, 1), (0, 1), (0, 1))) is None
    assert str(SlicedPart(4.321, 22)) == "4.32 g and 22 min"
    assert str(SlicedPart(54.6, 125)) == "54.6 g and 2 h 5 min"


def test_first_layer_length_excludes_skirt():
    made = read_gcode(
        "G1 X1 Y1 E3\n;LAYER_CHANGE\n;Z:0.2\n;TYPE:Skirt/Brim\nG1 X50 Y1 E1\n;TYPE:Perimeter\nG1 X50 Y11 E1\nG1 X60 F900\n"
        ";Z:0.4\nG1 X60 Y31 E1\n; total filament used [g] = 4.32\n; estimated printing time (normal mode) = 1h 21m 48s\n"
    )
    assert made.heights == [0.2, 0.4]
    assert made.first_length == 10
    assert made.box == (1, 1, 60, 31)
    assert (made.grams, made.minutes) == (4.32, 82)
