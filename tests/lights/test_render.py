"""A turn is played out in light: first the action, then what it makes of its neighbours, then the sets leave."""

import pytest

from pond_hw.lights import LAMP_COUNTS, render_scene, turn_duration
from pond_hw.rules import play
from tests.conftest import each
from tests.lights.eyes import grey_cells
from tests.lights.scenes import scene
from tests.session.tables import ButtonTable

SCORING = "@c2 @a2 @a3 @a1 @b2"
"""Light's egg on b2 makes an egg of the frog on a2, which scores a1-a2-a3, and a tadpole of the egg on c2.

    4 . . . .      4 . . . .      4 . . . .      4 . . . .
    3 E . . .      3 E . . .      3 E . . .      3 . . . .
    2 f . E .      2 f E E .      2 e E T .      2 . E T .
    1 e . . .      1 e . . .      1 e . . .      1 . . . .
"""

ACTED = ". . . .\n E . . .\n f E E .\n e . . ."
TURNED = ". . . .\n E . . .\n e E T .\n e . . ."
SOME_SIZES = each("lamps", [1, 4, 16])


def played(actions):
    """The scene just after the last of some actions, and when that was."""
    session = ButtonTable().play(actions)
    return session.view.scene, session.changed_at


def as_drawn(drawn, now, lamps):
    """Pieces that stand still, with nobody to move."""
    return grey_cells(scene(drawn, to_move=None), now, lamps)


@SOME_SIZES
def test_first_the_piece_is_in_its_new_place_and_nothing_else_has_happened(lamps):
    board, at = played(SCORING)
    for now in (at, at + 0.15, at + 0.29):
        assert grey_cells(board, now, lamps) == as_drawn(ACTED, now, lamps)


@SOME_SIZES
def test_then_its_neighbours_turn_over_together_while_all_else_is_still(lamps):
    board, at = played(SCORING)
    now = at + 0.45
    seen, still = grey_cells(board, now, lamps), as_drawn(ACTED, now, lamps)
    shares = {cell: max(seen[cell]) / max(still[cell]) for cell in ("a2", "c2")}
    assert 0.1 < shares["a2"] < 0.9
    assert shares["a2"] == pytest.approx(shares["c2"], abs=0.01)
    assert {cell for cell in seen if seen[cell] != still[cell]} == {"a2", "c2"}
    assert not any(grey_cells(board, at + 0.55, lamps)["a2"])  # edge on: neither face is seen


@SOME_SIZES
def test_then_the_new_symbols_are_seen(lamps):
    board, at = played(SCORING)
    assert grey_cells(board, at + 0.8, lamps) == as_drawn(TURNED, at + 0.8, lamps)


@SOME_SIZES
def test_then_the_set_flashes_once_and_fades_while_all_else_is_still(lamps):
    board, at = played(SCORING)
    scored = ("a1", "a2", "a3")
    course = []
    for i in range(24):
        now = at + 0.8 + i / 30
        seen, still = grey_cells(board, now, lamps), as_drawn(TURNED, now, lamps)
        assert {cell for cell in seen if seen[cell] != still[cell]} <= set(scored)
        course.append([max(seen[cell]) for cell in scored])
    for lamp in zip(*course, strict=True):
        peak = lamp.index(max(lamp))
        assert max(lamp) == pytest.approx(1, abs=0.01)  # white
        assert list(lamp[:peak]) == sorted(lamp[:peak])
        assert list(lamp[peak:]) == sorted(lamp[peak:], reverse=True)
        assert lamp[-1] < 0.1


@each("lamps", LAMP_COUNTS)
@each(("actions", "seconds"), [(SCORING, 1.6), ("@b2 @b3", 0.8), ("@b2", 0.0)])
def test_then_the_scene_is_as_it_is(actions, seconds, lamps):
    board, at = played(actions)
    assert board.played_turn is not None
    assert turn_duration(board.played_turn) == seconds
    for later in (1e-6, 0.1, 0.9, 12.3):
        now = at + seconds + later
        assert render_scene(board, now, lamps) == render_scene(board._replace(played_turn=None), now, lamps)
    if seconds:
        now = at + seconds - 0.05
        assert render_scene(board, now, lamps) != render_scene(board._replace(played_turn=None), now, lamps)


def test_no_turn_of_a_whole_game_takes_longer_than_two_seconds():
    table = ButtonTable("mini")
    while not table.session.outcome:
        legal = table.session.allowed_actions
        table.play(str(legal[len(table.session.turns) * 7 % len(legal)]))
        assert turn_duration(table.session.turns[-1]) <= 1.6
    assert any(turn.sets for turn in table.session.turns)


def test_on_a_larger_board_the_cells_outside_the_pond_stay_dark():
    table = ButtonTable("3x3/9/5", size=4)
    for action in ("@b2", "@b3", "@c3"):
        session = table.play(action)
        for i in range(60):
            seen = grey_cells(session.view.scene, session.changed_at + i / 30, 4)
            assert not any(lamp for cell in ("a4", "b4", "d1", "d4") for lamp in seen[cell])


def test_once_anything_else_has_happened_the_turn_is_over():
    table = ButtonTable()
    table.play(SCORING)
    refused = table.press("c2")
    assert refused.view.scene.played_turn is None
    assert play(refused.turns[-1].before, refused.turns[-1].action).sets  # it would still have been playing
