"""Whole scenes: turn animations, the end of a game, sensor trouble, questions, score strips."""

from itertools import combinations

import pytest

from pond_hw.lights import LAMP_COUNTS, render_scene, turn_duration
from pond_hw.lights.animations import UNSAVED_DIMMING, unsaved_brightness
from pond_hw.lights.palette import BLACK, OWNER_COLOUR, SIGN_COLOUR, WHITE
from pond_hw.rules import DARK, LIGHT, Side, play
from pond_hw.session import SignColour
from pond_hw.session.scene import ShownRefusal
from tests.conftest import each, long_after_first
from tests.lights.perception import behaviour, grey_cells, min_difference
from tests.lights.scenes import FULL, MIDDLE, TASKS, scene
from tests.lights.test_legibility import MIN_DIFFERENCE, PIECES, meaning_of, side_by_side
from tests.session.tables import ButtonTable

# Turn animation: first the action, then the neighbours develop, then the sets disappear.

SCORING = "@c2 @a2 @a3 @a1 @b2"
"""Light's egg on b2 turns the frog on a2 into an egg, which scores a1-a2-a3, and the egg on c2 into a tadpole.

    4 . . . .      4 . . . .      4 . . . .      4 . . . .
    3 E . . .      3 E . . .      3 E . . .      3 . . . .
    2 f . E .      2 f E E .      2 e E T .      2 . E T .
    1 e . . .      1 e . . .      1 e . . .      1 . . . .
"""

ACTED = ". . . .\n E . . .\n f E E .\n e . . ."
TURNED = ". . . .\n E . . .\n e E T .\n e . . ."
SOME_SIZES = each("lamps", [1, 4, 16])


def scene_after(actions):
    """Return the scene just after the last of some actions, and the time."""
    session = ButtonTable().play(actions)
    return session.view.scene, session.changed_at


def still_scene(drawn, now, lamps):
    """Return a scene with these pieces and no side to move."""
    return grey_cells(scene(drawn, to_move=None), now, lamps)


@SOME_SIZES
def test_turn_begins_with_the_piece_in_its_new_place(lamps):
    board, at = scene_after(SCORING)
    for now in (at, at + 0.15, at + 0.29):
        assert grey_cells(board, now, lamps) == still_scene(ACTED, now, lamps)


@SOME_SIZES
def test_turn_shows_all_developed_neighbours_together(lamps):
    board, at = scene_after(SCORING)
    now = at + 0.45
    seen, still = grey_cells(board, now, lamps), still_scene(ACTED, now, lamps)
    shares = {cell: max(seen[cell]) / max(still[cell]) for cell in ("a2", "c2")}
    assert 0.1 < shares["a2"] < 0.9
    assert shares["a2"] == pytest.approx(shares["c2"], abs=0.01)
    assert {cell for cell in seen if seen[cell] != still[cell]} == {"a2", "c2"}
    assert not any(grey_cells(board, at + 0.55, lamps)["a2"])  # edge on: neither face is visible


@SOME_SIZES
def test_developed_neighbours_show_their_new_symbols(lamps):
    board, at = scene_after(SCORING)
    assert grey_cells(board, at + 0.8, lamps) == still_scene(TURNED, at + 0.8, lamps)


@SOME_SIZES
def test_scored_set_flashes_once_during_turn(lamps):
    board, at = scene_after(SCORING)
    scored = ("a1", "a2", "a3")
    course = []
    for i in range(24):
        now = at + 0.8 + i / 30
        seen, still = grey_cells(board, now, lamps), still_scene(TURNED, now, lamps)
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
def test_turn_ends_in_the_plain_scene(actions, seconds, lamps):
    board, at = scene_after(actions)
    assert board.played_turn is not None
    assert turn_duration(board.played_turn) == seconds
    for later in (1e-6, 0.1, 0.9, 12.3):
        now = at + seconds + later
        assert render_scene(board, now, lamps) == render_scene(board._replace(played_turn=None), now, lamps)
    if seconds:
        now = at + seconds - 0.05
        assert render_scene(board, now, lamps) != render_scene(board._replace(played_turn=None), now, lamps)


def test_turns_of_a_whole_game_last_under_two_seconds():
    table = ButtonTable("mini")
    while not table.session.outcome:
        legal = table.session.allowed_actions
        table.play(str(legal[len(table.session.turns) * 7 % len(legal)]))
        assert turn_duration(table.session.turns[-1]) <= 1.6
    assert any(turn.sets for turn in table.session.turns)


def test_turn_leaves_cells_outside_the_pond_dark():
    table = ButtonTable("3x3/9/5", size=4)
    for action in ("@b2", "@b3", "@c3"):
        session = table.play(action)
        for i in range(60):
            seen = grey_cells(session.view.scene, session.changed_at + i / 30, 4)
            assert not any(lamp for cell in ("a4", "b4", "d1", "d4") for lamp in seen[cell])


def test_turn_display_ends_with_the_next_event():
    table = ButtonTable()
    table.play(SCORING)
    refused = table.press("c2")
    assert refused.view.scene.played_turn is None
    assert play(refused.turns[-1].before, refused.turns[-1].action).sets  # the animation would still be playing


# The wave after the game shows the winner by hue, and without hue by its direction.

EMPTY = "\n".join([". . . ."] * 4)
ALL_LIGHT = "T F E T\nE F E F\nT T E F\nE T F E"
ALL_DARK = ALL_LIGHT.lower()
SMALL_POND = ".x .x .x .x .x\nT f E . .x\n. t . T .x\ne E F . .x\n. . t T .x"

FIRST, EVERY = 1.6, 6.0  # seconds
FROM = {
    LIGHT: ["1", "2", "3", "4"],
    DARK: ["4", "3", "2", "1"],
    "draw": ["14", "23"],
}


@pytest.mark.slow
@pytest.mark.parametrize("lamps", long_after_first([4, 1, 16]))
@each("drawn", [EMPTY, FULL, ALL_LIGHT, ALL_DARK, SMALL_POND])
@each("winner", [LIGHT, DARK, "draw"])
def test_wave_direction_shows_the_winner(winner, drawn, lamps):
    assert wave_order(scene(drawn, over=winner), lamps) == FROM[winner]


@each(("winner", "way"), [(LIGHT, 1), (DARK, -1)])
def test_wave_direction_is_visible_within_a_cell(winner, way):
    moments = [grey_cells(scene(EMPTY, over=winner), FIRST + i / 30, 16) for i in range(90)]
    upwards = [(cell, lamp) for cell in ("a1", "a2", "a3", "a4") for lamp in (12, 8, 4, 0)]
    traces = [[moment[cell][lamp] for moment in moments] for cell, lamp in upwards]
    crests = [trace.index(max(trace)) for trace in traces]
    assert crests == sorted(crests)[::way]
    assert len(set(crests)) > 12


@each(("winner", "hue"), [(LIGHT, OWNER_COLOUR[LIGHT]), (DARK, OWNER_COLOUR[DARK]), ("draw", WHITE)])
def test_wave_crest_has_the_winners_hue(winner, hue):
    over = scene(EMPTY, over=winner)
    crests = [render_scene(over, FIRST + i / 30, 1)[:3] for i in range(90)]
    assert max(crests, key=sum) == pytest.approx(hue, abs=0.02)


@pytest.mark.slow
@each("winner", [LIGHT, DARK, "draw"])
def test_wave_follows_the_last_turn_every_six_seconds(winner):
    over, still = scene(FULL, over=winner, since=100.0), scene(FULL, to_move=None)
    assert wave_starts(over, still, 100.0, seconds=18) == pytest.approx([101.7, 107.7, 113.7], abs=0.15)
    assert render_scene(over, 100 + FIRST - 0.01, 4) == render_scene(still, 100 + FIRST - 0.01, 4)


def test_wave_leaves_pieces_readable():
    over, still = scene(FULL, over=LIGHT), scene(FULL, to_move=None)
    moments = [FIRST + i / 20 for i in range(120)]
    seen = [(grey_cells(over, now, 4), grey_cells(still, now, 4)) for now in moments]
    for cell in over.cell_views:
        changed = sum(now[cell] != unmoved[cell] for now, unmoved in seen)
        assert 0 < changed < len(moments) / 4


def test_wave_stays_inside_the_pond():
    over = scene(SMALL_POND, over=DARK)
    for i in range(120):
        seen = grey_cells(over, FIRST + i / 30, 4)
        assert not any(any(seen[cell]) for cell in ("a5", "e5", "e1"))


def wave_order(over, lamps):
    """Return the rows in the order in which the wave reaches them. Simultaneous rows are grouped."""
    still = over._replace(outcome=None)
    reached = {}
    for i in range(90):
        now = FIRST + i / 30
        seen, unmoved = grey_cells(over, now, lamps), grey_cells(still, now, lamps)
        for cell, lights in seen.items():
            if max(abs(a - b) for a, b in zip(lights, unmoved[cell], strict=True)) > 0.3:
                reached.setdefault(cell[1], i)
    instants = sorted(set(reached.values()))
    return ["".join(sorted(row for row in reached if reached[row] == instant)) for instant in instants]


def wave_starts(over, still, since, seconds):
    """Return the times at which the board begins to differ from one without a wave."""
    instants = [since + i / 30 for i in range(int(seconds * 30))]
    differs = [render_scene(over, now, 1) != render_scene(still, now, 1) for now in instants]
    return [now for now, was, is_ in zip(instants[1:], differs, differs[1:], strict=False) if is_ and not was]


# While sensors are lost, the game is still and a slow cross pulses over it.

CROSS = {"a1", "b2", "c3", "d4", "a4", "b3", "c2", "d1"}


def in_trouble(drawn, **more):
    return scene(drawn, **more)._replace(has_trouble=True)


@each("lamps", LAMP_COUNTS)
def test_cross_joins_corners_over_a_faint_board(lamps):
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


def test_cross_meets_in_the_middle_of_five_rows():
    empty = "\n".join(["  .   .   .   .   ."] * 5)
    cells = grey_cells(in_trouble(empty), 2.0, 1)
    assert {cell for cell, seen in cells.items() if max(seen) > 0} == {
        *("a1", "b2", "c3", "d4", "e5"),
        *("a5", "b4", "d2", "e1"),
    }


@pytest.mark.slow
@each("lamps", [1, 4])
def test_trouble_cross_is_distinct_without_colour(lamps):
    cross = behaviour(in_trouble(MIDDLE), ["a1"], lamps)["a1"]
    others = behaviour(scene(FULL), scene(FULL).cell_views, lamps) | behaviour(scene(MIDDLE), ["d4"], lamps)
    assert min(min_difference(cross, other) for other in others.values()) >= 0.13


def test_cross_disappears_when_trouble_ends():
    assert render_scene(in_trouble(MIDDLE)._replace(has_trouble=False), 1.0, 4) == render_scene(scene(MIDDLE), 1.0, 4)


# While nothing can be saved, the board closes like an eye every four seconds, and everything else stays visible.


def unsaved(drawn, **more):
    return scene(drawn, **more)._replace(is_unsaved=True)


@pytest.mark.slow
@each("lamps", LAMP_COUNTS)
def test_unsaved_board_dims_all_cells_briefly(lamps):
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
def test_saved_board_differs_from_an_unsaved_one(lamps):
    for drawn in (MIDDLE, FULL):
        board = behaviour(scene(drawn), scene(drawn).cell_views, lamps)
        shut = behaviour(unsaved(drawn), scene(drawn).cell_views, lamps)
        seen = [cell for cell, sight in scene(drawn).cell_views.items() if sight.piece]
        assert min(min_difference(board[cell], shut[cell]) for cell in seen) >= 0.1


@pytest.mark.parametrize("lamps", [1, 4])
def test_pieces_differ_without_colour_while_unsaved(lamps):
    where, board = side_by_side([*PIECES, ".o", ".t"], to_move=LIGHT)
    behaviours = behaviour(board._replace(is_unsaved=True), where.values(), lamps)
    for one, other in combinations(where, 2):
        if meaning_of(one) != meaning_of(other):
            assert min_difference(behaviours[where[one]], behaviours[where[other]]) >= MIN_DIFFERENCE, (
                f"{one} and {other}"
            )


def test_dimming_ends_when_the_game_is_saved():
    assert render_scene(unsaved(MIDDLE)._replace(is_unsaved=False), 1.2, 4) == render_scene(scene(MIDDLE), 1.2, 4)


# While the board asks for permission, one cell is bright and all others are faint.


def asking(drawn, cell, colour=SignColour.WHITE):
    return scene(drawn)._replace(asked_cell=cell, asked_colour=colour)


@pytest.mark.slow
@each("lamps", LAMP_COUNTS)
@each("colour", SignColour)
def test_requested_cell_outshines_faint_cells(colour, lamps):
    for drawn, cell in [(FULL, "b2"), (MIDDLE, "d4"), (TASKS, "a1")]:
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
def test_requested_cell_differs_from_faint_cells(lamps):
    asked = behaviour(asking(FULL, "a1"), ["a1"], lamps)["a1"]
    others = behaviour(asking(FULL, "a1"), ["b1", "c2", "d3", "a4"], lamps)
    assert min(min_difference(asked, other) for other in others.values()) >= 0.13


# Lamps of the turn keys.


def keyed(**fields):
    return scene(MIDDLE)._replace(**fields)


def key_lamps(shown_scene, count=2, now=1.0):
    picture = render_scene(shown_scene, now, 1, 0, count)
    assert picture[: -3 * count] == render_scene(shown_scene, now, 1)
    return tuple(picture[-3 * count :][start : start + 3] for start in range(0, 3 * count, 3))


@each("side", list(Side))
def test_only_turn_key_of_side_to_move_is_lit(side):
    lamps = key_lamps(keyed(turn_key=side))
    assert lamps[side] == OWNER_COLOUR[side]
    assert lamps[side.other_side] == BLACK
    assert key_lamps(keyed(turn_key=side), 1) == (OWNER_COLOUR[side],)


def test_keys_are_dark_without_game_or_in_trouble():
    assert key_lamps(keyed(turn_key=None)) == (BLACK, BLACK)
    assert key_lamps(keyed(turn_key=LIGHT, has_trouble=True)) == (BLACK, BLACK)


def test_keys_show_refusals_without_a_cell():
    refused = keyed(turn_key=LIGHT, refusal=ShownRefusal(None, 1.0))
    assert all(red > 0 and not (green or blue) for red, green, blue in key_lamps(refused))
    assert key_lamps(refused, now=9.0) == key_lamps(keyed(turn_key=LIGHT))
    on_a_cell = keyed(turn_key=LIGHT, refusal=ShownRefusal("b2", 1.0))
    assert key_lamps(on_a_cell) == key_lamps(keyed(turn_key=LIGHT))


# Score strips: one lamp per scored piece.


def strips(scored, target, strip):
    """Return the brightness of each side's strip, relative to the brightest lamp."""
    board = scene(MIDDLE)._replace(scored=scored, target_score=target)
    picture = render_scene(board, 1.0, 1, strip)
    assert picture[: 16 * 3] == render_scene(board, 1.0, 1)
    lamps = [picture[i : i + 3] for i in range(16 * 3, len(picture), 3)]
    return lamps[:strip], lamps[strip:]


def lit(lamps):
    return sum(max(lamp) > 0 for lamp in lamps)


@pytest.mark.parametrize("scored", range(11))
def test_strip_lights_one_lamp_per_point(scored):
    light, dark = strips((scored, 10 - scored), 10, 10)
    assert (lit(light), lit(dark)) == (scored, 10 - scored)
    for lamps, side in ((light, LIGHT), (dark, DARK)):
        points = lit(lamps)
        assert all(max(lamp) == 0 for lamp in lamps[points:])
        for lamp in lamps[:points]:
            share = max(lamp)
            assert lamp == pytest.approx([part * share for part in OWNER_COLOUR[side]])


def test_long_strip_keeps_extra_lamps_dark():
    assert lit(strips((7, 0), 7, 10)[0]) == 7


def test_short_strip_is_full_at_target():
    light, dark = strips((5, 10), 10, 4)
    assert lit(light) == 2
    assert max(strips((1, 0), 10, 4)[0][0]) == pytest.approx(0.4 * max(strips((10, 0), 10, 4)[0][0]))
    assert lit(dark) == 4
    assert len({max(lamp) for lamp in dark}) == 1


def test_score_above_target_fills_the_strip():
    assert strips((12, 0), 10, 10)[0] == strips((10, 0), 10, 10)[0]
