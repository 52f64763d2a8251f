"""While nothing can be saved, the whole board shuts like an eye every four seconds, and all else can still be told."""

from itertools import combinations

import pytest

from pond_hw.lights import FRAME_SECONDS, LAMP_COUNTS, render_scene
from pond_hw.lights.animations import UNSAVED_DIMMING, unsaved_brightness
from pond_hw.rules import LIGHT
from tests.conftest import each
from tests.lights.eyes import apart, behaviour, grey_cells, most_flashes
from tests.lights.scenes import FULL, MIDDLE, TO_DO, scene
from tests.lights.test_language import PIECES, TOLD, means, side_by_side


def unsaved(drawn, **more):
    return scene(drawn, **more)._replace(is_unsaved=True)


@pytest.mark.slow
@each("lamps", LAMP_COUNTS)
def test_all_cells_are_faint_together_for_a_moment_and_most_of_the_time_nothing_is_changed(lamps):
    changed = 0
    for now in (i / 10 for i in range(40)):
        before, seen = (grey_cells(drawn, now, lamps) for drawn in (scene(FULL), unsaved(FULL)))
        changed += before != seen
        for cell in before:
            assert max(seen[cell]) == pytest.approx(max(before[cell]) * unsaved_brightness(now), abs=1e-3)
    assert 10 <= changed <= 14  # of 40
    assert min(unsaved_brightness(i / 100) for i in range(400)) == pytest.approx(1 - UNSAVED_DIMMING)


@pytest.mark.slow
@pytest.mark.parametrize("lamps", [1, 4])
def test_a_saved_board_never_looks_like_it(lamps):
    for drawn in (MIDDLE, FULL):
        board = behaviour(scene(drawn), scene(drawn).cell_views, lamps)
        shut = behaviour(unsaved(drawn), scene(drawn).cell_views, lamps)
        seen = [cell for cell, sight in scene(drawn).cell_views.items() if sight.piece]
        assert min(apart(board[cell], shut[cell]) for cell in seen) >= 0.1


@pytest.mark.parametrize("lamps", [1, 4])
def test_pieces_are_told_apart_without_colour_all_the_same(lamps):
    where, board = side_by_side([*PIECES, ".o", ".t"], to_move=LIGHT)
    told = behaviour(board._replace(is_unsaved=True), where.values(), lamps)
    for one, other in combinations(where, 2):
        if means(one) != means(other):
            assert apart(told[where[one]], told[where[other]]) >= TOLD, f"{one} and {other}"


@pytest.mark.parametrize("lamps", [1, 4])
@pytest.mark.parametrize("drawn", [FULL, TO_DO])
def test_it_does_not_flash(drawn, lamps):
    instants = [i * FRAME_SECONDS for i in range(390)]
    moments = [grey_cells(unsaved(drawn), now, lamps) for now in instants]
    for cell in moments[0]:
        for trace in zip(*(moment[cell] for moment in moments), strict=True):
            assert most_flashes(trace, instants) <= 3


def test_it_is_over_as_soon_as_the_game_is_saved():
    assert render_scene(unsaved(MIDDLE)._replace(is_unsaved=False), 1.2, 4) == render_scene(scene(MIDDLE), 1.2, 4)
