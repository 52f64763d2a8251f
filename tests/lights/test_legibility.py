"""All signs in a cell differ without colour. Only the owner is shown by hue."""

from itertools import combinations

import pytest

from pond_hw.lights import LAMP_COUNTS
from pond_hw.lights.render import SCORED_SECONDS
from pond_hw.rules import DARK, LIGHT, Side, get_grid
from pond_hw.session import ConfirmWindow, ShownRefusal
from tests.conftest import long_after_first
from tests.lights.perception import behaviour, min_difference
from tests.lights.scenes import scene

PIECES = [*"ETFetf"]  # as tests/lights/scenes.py draws them
PLAY_SIGNS = [*PIECES, *(f"{piece}!" for piece in PIECES), ".", ".!", ".o", ".o!", ".t", ".t!"]
TASK_SIGNS = [".-", *(f"{p}-" for p in PIECES), *(f"{p}+" for p in PIECES), *(f"{p}~" for p in PIECES), ".m", ".u"]
HINTED = [".h", *(f"{piece}h" for piece in "TFtf")]  # eggs on the board cannot act
MASKED = [*(f"{sign}#" for sign in (*PIECES, ".", ".o", ".t", "E!", "t!", "F!", "E~", "t~", "F~", ".m", ".u"))]
PENDING_SIGNS = [".?", *(f"{piece}?" for piece in PIECES)]
HOLDS = (3.0, 6.0)
"""Hold times in seconds. Pending turns restart repeatedly here, as if hands always moved at the last moment."""

CHOSEN = {LIGHT: ["Tc", "Fc"], DARK: ["tc", "fc"]}

MIN_DIFFERENCE = 0.12
"""Minimum difference between two cells, relative to the mean of the brighter lamp.

This is the difference between a steady lamp and one that is off for a seventieth of the time.
"""

DEFAULT_LAMPS = (1, 4, 16)
SIZES = long_after_first([1, 4, *(lamps for lamps in LAMP_COUNTS if lamps not in (1, 4))])


@pytest.mark.slow
@pytest.mark.parametrize("to_move", long_after_first(Side))
@pytest.mark.parametrize("lamps", SIZES)
def test_all_signs_differ_without_colour(lamps, to_move):
    behaviours = all_behaviours(lamps, to_move)
    alike = [
        f"{one} and {other}: {min_difference(behaviours[one], behaviours[other]):.3f}"
        for one, other in combinations(behaviours, 2)
        if meaning_of(one) != meaning_of(other) and min_difference(behaviours[one], behaviours[other]) < MIN_DIFFERENCE
    ]
    assert not alike


def test_measure_ignores_viewing_side_and_brightness():
    behaviours = behaviours_of(["E", "e", "T", "t"], 4, to_move=LIGHT)
    upside_down = behaviours["E"][::-1]
    assert min_difference(behaviours["E"], upside_down) == pytest.approx(0)
    assert min_difference(behaviours["T"], behaviours["t"]) == pytest.approx(0)


@pytest.mark.parametrize("lamps", [lamps for lamps in DEFAULT_LAMPS if lamps > 1])
def test_pending_piece_differs_from_pending_empty_cell(lamps):
    behaviours = pending_behaviours(lamps, LIGHT, HOLDS[0])
    assert min(min_difference(behaviours[".?"], behaviours[sign]) for sign in PENDING_SIGNS[1:]) >= MIN_DIFFERENCE


def meaning_of(sign):
    """Return the meaning that a sign must convey. Pieces to be removed or put down need only be visible."""
    for role in "-?":
        if role in sign:
            return role
    return sign.lower()


def all_behaviours(lamps, to_move):
    """Return the behaviours of all signs. `refused` is a refusal in the cell, and `over` an ended game."""
    return {
        **behaviours_of([*PLAY_SIGNS, *CHOSEN[to_move]], lamps, to_move=to_move),
        **behaviours_of(TASK_SIGNS, lamps, to_move=to_move),
        **behaviours_of(MASKED, lamps, to_move=to_move),
        **behaviours_of(HINTED, lamps, to_move=to_move),
        **{
            f"{sign} {seconds}": behaviours
            for seconds in HOLDS
            for sign, behaviours in pending_behaviours(lamps, to_move, seconds).items()
        },
        **{f"refused {sign}": refused(sign, lamps, to_move) for sign in ("E", "t", "F", ".")},
        **{
            f"over {sign}": behaviours
            for sign, behaviours in behaviours_of([*PIECES, "."], lamps, over=LIGHT, since=-SCORED_SECONDS).items()
        },
    }


def behaviours_of(signs, lamps, **how):
    """Return the behaviours of these cells, side by side on as many boards as needed."""
    if len(signs) > 25:
        return behaviours_of(signs[:25], lamps, **how) | behaviours_of(signs[25:], lamps, **how)
    where, board = side_by_side(signs, **how)
    behaviours = behaviour(board, where.values(), lamps)
    return {sign: behaviours[cell] for sign, cell in where.items()}


def pending_behaviours(lamps, to_move, seconds):
    """Return the behaviours of all pending signs over their hold time."""
    where, board = side_by_side(PENDING_SIGNS, to_move=to_move)

    def scene_at(now):
        since = now // seconds * seconds
        return board._replace(confirm_window=ConfirmWindow(since, since + seconds))

    behaviours = behaviour(scene_at, where.values(), lamps)
    return {sign: behaviours[cell] for sign, cell in where.items()}


def side_by_side(signs, **how):
    """Return the positions of up to 25 cells on one board, and the scene."""
    rows = [[*signs, *["."] * 25][i : i + 5] for i in range(0, 25, 5)]
    where = dict(zip(signs, (cell for row in get_grid(5).rows for cell in row), strict=False))
    return where, scene("\n".join(map(" ".join, rows)), **how)


def refused(sign, lamps, to_move):
    board = scene(f"{sign} . .\n. . .\n. . .", to_move, wrong=ShownRefusal("a3", 0.0))
    return behaviour(board, ["a3"], lamps)["a3"]
