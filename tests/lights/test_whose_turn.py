"""Whose turn it is can be seen without hue: on an empty board, in the middle of a game, and on a full board."""

import pytest

from pond_hw.board import Frame
from pond_hw.lights import CurrentLimiter, render_scene
from pond_hw.rules import DARK, LIGHT, Side
from tests.conftest import each
from tests.lights.eyes import grey_cells
from tests.lights.scenes import FULL, MIDDLE, scene

EMPTY = "\n".join([".o .o .o .o"] * 4)
TWO_LEFT = "T t e E\nE f .o .o\nF e F t\nE e T t"
EVERY_SIZE = each("lamps", [1, 4, 16, 64])


def water(drawn, to_move, lamps):
    """How far the open cells are up, each as a share of the most, over eight seconds."""
    board = scene(drawn, to_move)
    opened = [cell for cell, sight in board.cell_views.items() if sight.role.name == "OPEN"]
    moments = [grey_cells(board, i / 10, lamps) for i in range(80)]
    most = max(max(moment[cell]) for moment in moments for cell in opened)
    return [{cell: max(moment[cell]) / most for cell in opened} for moment in moments]


@pytest.mark.slow
@EVERY_SIZE
@each("drawn", [EMPTY, MIDDLE, TWO_LEFT])
def test_lights_water_rises_and_falls_as_one_and_is_mostly_up(drawn, lamps):
    moments = water(drawn, LIGHT, lamps)
    assert all(len(set(moment.values())) == 1 for moment in moments)
    assert sum(min(moment.values()) > 0.5 for moment in moments) > 50
    assert any(max(moment.values()) < 0.1 for moment in moments)  # an egg would not go away


@pytest.mark.slow
@EVERY_SIZE
@each("drawn", [EMPTY, MIDDLE, TWO_LEFT])
def test_darks_water_is_a_checkerboard_that_changes_over(drawn, lamps):
    moments = water(drawn, DARK, lamps)
    apart = [moment for moment in moments if max(moment.values()) > min(moment.values()) + 0.5]
    assert len(apart) > 60
    for moment in apart:
        up = {(ord(cell[0]) + int(cell[1])) % 2 for cell, level in moment.items() if level > 0.5}
        assert len(up) == 1
    assert all(any(moment[cell] > 0.5 for moment in moments) for cell in moments[0])


@pytest.mark.slow
@EVERY_SIZE
@each("drawn", [MIDDLE, FULL, TWO_LEFT])
def test_every_piece_of_the_side_to_move_is_brighter_than_every_piece_at_rest(drawn, lamps):
    for to_move in Side:
        board = scene(drawn.replace("!", ""), to_move)
        peaks = dict.fromkeys(board.cell_views, 0.0)
        for i in range(20):
            seen = grey_cells(board, i / 10, lamps)
            peaks = {cell: max(peaks[cell], *seen[cell]) for cell in peaks}
        awake = [
            peaks[cell] for cell, sight in board.cell_views.items() if sight.piece and sight.piece.owner is to_move
        ]
        at_rest = [
            peaks[cell] for cell, sight in board.cell_views.items() if sight.piece and sight.piece.owner != to_move
        ]
        assert min(awake) > 1.5 * max(at_rest)


@each("lamps", [1, 4, 16])
def test_the_glow_is_much_dimmer_than_any_piece_and_still_there_on_real_lamps(lamps):
    for to_move in Side:
        limiter, dark = CurrentLimiter(gamma=2.8, brightness=0.3, slew=5000, budget=5000), Frame.dark_frame(4, lamps)
        glow, piece = (
            max(limiter.limit_frame(render_scene(scene(d, to_move), 1.0, lamps), dark).data) for d in (EMPTY, MIDDLE)
        )
        assert 4 <= glow < piece / 5


def test_after_the_game_nobody_is_at_rest():
    seen = grey_cells(scene(FULL, over=LIGHT), 0.7, 4)
    assert min(max(lamps) for lamps in seen.values()) > 0.5
