"""What single cells look like, and that a picture depends on nothing but the scene and the instant."""

import random
from itertools import pairwise

import pytest

from pond_hw.lights import LAMP_COUNTS, render_scene
from pond_hw.lights.palette import OWNER_COLOUR, RED, WHITE
from pond_hw.rules import DARK, LIGHT, get_grid
from pond_hw.session import ShownRefusal
from tests.lights.eyes import grey_cells
from tests.lights.scenes import FULL, MIDDLE, scene


def test_cells_come_from_a1_by_rows_and_lamps_from_the_top_left():
    picture = render_scene(scene(". e .\n. . .\n. . ."), 0.0, 4)
    lit = [i for i, value in enumerate(picture) if value]
    first = get_grid(3).cells.index("b3") * 4 * 3
    assert lit == [first + 1, first + 2]  # the top left lamp of b3, azure: no red


@pytest.mark.parametrize("lamps", LAMP_COUNTS)
def test_a_picture_is_one_number_a_channel_between_dark_and_full(lamps):
    for now in (0.0, 0.4, 1.2, 2.9):
        for board in (
            scene(MIDDLE),
            scene(FULL, over=DARK, since=now - 2.5),
            scene(FULL, wrong=ShownRefusal("a1", now)),
        ):
            picture = render_scene(board, now, lamps)
            assert len(picture) == 16 * lamps * 3
            assert all(0 <= value <= 1 for value in picture)


def test_the_same_scene_at_the_same_instant_is_the_same_picture_whatever_was_asked_before():
    instants = [i * 0.21 for i in range(40)]
    once = {now: render_scene(scene(MIDDLE, wrong=ShownRefusal("a1", 2.0)), now, 4) for now in instants}
    random.Random(7).shuffle(instants)
    assert {now: render_scene(scene(MIDDLE, wrong=ShownRefusal("a1", 2.0)), now, 4) for now in instants} == once


def test_empty_cells_and_cells_outside_the_pond_are_dark():
    for now in (0.0, 1.2, 3.1):
        seen = grey_cells(scene(". .x .x!\n.o . .x\nE .o ."), now, 4)
        assert {cell: any(seen[cell]) for cell in ("a3", "b3", "c3", "c2", "b2", "c1")} == dict.fromkeys(
            ("a3", "b3", "c3", "c2", "b2", "c1"), False
        )


def test_one_lamp_tells_an_egg_by_lying_still_a_tadpole_by_breathing_and_a_frog_by_blinking_twice():
    board = scene("E T F\n. . .\n. . .")
    seen = [grey_cells(board, i / 20 + 0.01, 1) for i in range(40)]  # two seconds
    assert {cell: drawn([moment[cell][0] for moment in seen]) for cell in ("a3", "b3", "c3")} == {
        "a3": "########################################",
        "b3": "#######++++++--------------+++++++######",
        "c3": "---####---##############################",
    }


def drawn(trace):
    """A trace: `#` is all that it comes to, then `+`, then `-`, and nothing is `.`."""
    return "".join(".-+#"[round(3 * value / max(trace))] for value in trace)


def test_a_chosen_piece_flashes_white_and_keeps_its_shape():
    board = scene("Tc . .\n. . .\n. . .")
    seen = {tuple(bool(lamp) for lamp in grey_cells(board, i / 30, 4)["a3"]) for i in range(60)}
    assert seen == {(True, False, False, True)}
    assert {colour(board, i / 30, 1) for i in range(60)} == {WHITE, tuple(0.6 * part for part in OWNER_COLOUR[LIGHT])}


def test_a_refusal_is_red_at_once_on_its_cell_alone_and_is_over_after_a_second_and_a_half():
    before, at = scene(FULL), 7.3
    refused = scene(FULL, wrong=ShownRefusal("a4", at))
    assert colour(refused, at, 4) == RED
    for now in (at, at + 0.4, at + 0.8, at + 1.2, at + 1.5, at + 60):
        here, there = grey_cells(refused, now, 4), grey_cells(before, now, 4)
        assert {cell for cell in here if here[cell] != there[cell]} <= {"a4"}
    assert render_scene(refused, at + 1.5, 4) == render_scene(before, at + 1.5, 4)


@pytest.mark.parametrize("lamps", [1, 4])
def test_each_repeated_refusal_changes_the_light_at_once(lamps):
    seen = [colour(scene(FULL, wrong=ShownRefusal("a4", i / 9, i)), i / 9, lamps) for i in range(14)]
    assert all(before != after for before, after in pairwise(seen))
    assert seen[0] == RED


def test_a_refusal_on_no_cell_in_particular_is_not_shown():
    assert render_scene(scene(FULL, wrong=ShownRefusal(None, 1.0)), 1.1, 4) == render_scene(scene(FULL), 1.1, 4)


def test_a_finger_outside_the_pond_is_told_so():
    assert colour(scene(".x . .\n. . .\n. . .", wrong=ShownRefusal("a3", 1.0)), 1.1, 1) == RED


def test_targets_can_be_seen_at_once_and_beckon_each_second():
    seen = [grey_cells(scene(".t . .\n. . .\n. . ."), i / 30, 1)["a3"][0] for i in range(60)]
    assert min(seen) > 0.1
    assert max(seen) > 0.7
    assert sum(value > 0.5 for value in seen) < 20  # mostly dark


def test_where_the_last_turn_ended_sparks_white_whether_or_not_the_piece_is_still_there():
    for sign in ("e!", "F!", ".!", ".o!"):
        board = scene(f"{sign} . .\n. . .\n. . .")
        assert colour(board, 1.2, 1) == pytest.approx(WHITE)
        assert sum(colour(board, i / 30, 1)[0] > 0.9 for i in range(120)) < 60 or sign == "F!"


def colour(board, now, lamps):
    """The first lamp of the top left cell."""
    first = get_grid(board.size).cells.index(f"a{board.size}") * lamps * 3
    return render_scene(board, now, lamps)[first : first + 3]
