"""While the board asks whether something is allowed, one cell is bright and all the others are faint."""

import pytest

from pond_hw.lights import FRAME_SECONDS, LAMP_COUNTS, render_scene
from pond_hw.lights.palette import SIGN_COLOUR
from pond_hw.session import SignColour
from tests.conftest import each
from tests.lights.eyes import apart, behaviour, grey_cells, most_flashes
from tests.lights.scenes import FULL, MIDDLE, TO_DO, scene


def asking(drawn, cell, colour=SignColour.WHITE):
    return scene(drawn)._replace(asked_cell=cell, asked_colour=colour)


@pytest.mark.slow
@each("lamps", LAMP_COUNTS)
@each("colour", SignColour)
def test_the_cell_to_press_is_the_brightest_at_nearly_all_times_and_the_rest_is_faint_but_seen(colour, lamps):
    for drawn, cell in [(FULL, "b2"), (MIDDLE, "d4"), (TO_DO, "a1")]:
        board, brighter = asking(drawn, cell, colour), 0
        for quarter in range(48):
            cells, before = grey_cells(board, quarter / 4, lamps), grey_cells(scene(drawn), quarter / 4, lamps)
            for other, seen in cells.items():
                assert other == cell or max(seen) <= 0.31 * max(before[other]) + 0.01, f"{other} is not faint"
            brighter += max(cells[cell]) > max(max(seen) for other, seen in cells.items() if other != cell)
        assert brighter >= 36, "the cell is lost among the others"


def test_lit_cell_has_the_colour_of_the_sign():
    for colour in SignColour:
        picture = render_scene(asking("E e .\n. . .\n. . .", "a1", colour), 1.0, 1)
        red, green, blue = picture[:3]
        assert [value / max(picture[:3]) for value in (red, green, blue)] == pytest.approx(SIGN_COLOUR[colour])


@pytest.mark.slow
@each("lamps", LAMP_COUNTS)
def test_it_cannot_be_taken_for_anything_that_is_faint_beside_it(lamps):
    asked = behaviour(asking(FULL, "a1"), ["a1"], lamps)["a1"]
    others = behaviour(asking(FULL, "a1"), ["b1", "c2", "d3", "a4"], lamps)
    assert min(apart(asked, other) for other in others.values()) >= 0.13


@pytest.mark.slow
@pytest.mark.parametrize("lamps", [1, 4])
def test_it_does_not_flash(lamps):
    instants = [i * FRAME_SECONDS for i in range(600)]
    moments = [grey_cells(asking(MIDDLE, "b2"), now, lamps) for now in instants]
    for cell in moments[0]:
        for trace in zip(*(moment[cell] for moment in moments), strict=True):
            assert most_flashes(trace, instants) <= 3
