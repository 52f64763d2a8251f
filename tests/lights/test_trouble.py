"""While the board cannot feel, the game stands still under a cross that slowly comes and goes."""

import pytest

from pond_hw.lights import FRAME_SECONDS, LAMP_COUNTS, render_scene
from tests.conftest import each
from tests.lights.eyes import apart, behaviour, grey_cells, most_flashes
from tests.lights.scenes import FULL, MIDDLE, scene

CROSS = {"a1", "b2", "c3", "d4", "a4", "b3", "c2", "d1"}


def in_trouble(drawn, **more):
    return scene(drawn, **more)._replace(has_trouble=True)


@each("lamps", LAMP_COUNTS)
def test_the_cross_goes_from_corner_to_corner_and_the_rest_is_faint(lamps):
    board = in_trouble(FULL)
    for quarter in range(16):
        cells = grey_cells(board, quarter / 4, lamps)
        before = grey_cells(scene(FULL), quarter / 4, lamps)
        for cell, seen in cells.items():
            if cell not in CROSS:
                assert max(seen) <= 0.31 * max(before[cell]) + 0.01, f"{cell} is not faint"
    bright = grey_cells(board, 2.0, lamps)
    assert min(min(bright[cell]) for cell in CROSS) > 2 * max(
        max(seen) for cell, seen in bright.items() if cell not in CROSS
    )


def test_on_five_rows_the_arms_of_the_cross_meet_in_the_middle():
    empty = "\n".join(["  .   .   .   .   ."] * 5)
    cells = grey_cells(in_trouble(empty), 2.0, 1)
    assert {cell for cell, seen in cells.items() if max(seen) > 0} == {
        *("a1", "b2", "c3", "d4", "e5"),
        *("a5", "b4", "d2", "e1"),
    }


@pytest.mark.slow
@each("lamps", [1, 4])
def test_it_cannot_be_taken_for_anything_else_even_without_colour(lamps):
    cross = behaviour(in_trouble(MIDDLE), ["a1"], lamps)["a1"]
    others = behaviour(scene(FULL), scene(FULL).cell_views, lamps) | behaviour(scene(MIDDLE), ["d4"], lamps)
    assert min(apart(cross, other) for other in others.values()) >= 0.13


@pytest.mark.slow
@pytest.mark.parametrize("lamps", [1, 4])
def test_it_does_not_flash(lamps):
    instants = [i * FRAME_SECONDS for i in range(900)]
    moments = [grey_cells(in_trouble(FULL), now, lamps) for now in instants]
    for cell in moments[0]:
        for trace in zip(*(moment[cell] for moment in moments), strict=True):
            assert most_flashes(trace, instants) <= 3


def test_it_is_over_as_soon_as_the_trouble_is():
    assert render_scene(in_trouble(MIDDLE)._replace(has_trouble=False), 1.0, 4) == render_scene(scene(MIDDLE), 1.0, 4)
