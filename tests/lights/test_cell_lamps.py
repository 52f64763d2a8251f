"""Looks of single cells: pieces in play, the side to move, and tasks for the player."""

import random
from itertools import pairwise

import pytest

from pond_hw.board import Frame
from pond_hw.lights import LAMP_COUNTS, CurrentLimiter, render_scene
from pond_hw.lights.palette import OWNER_COLOUR, RED, WHITE
from pond_hw.rules import DARK, LIGHT, PIECES, Side, get_grid
from pond_hw.session import ConfirmWindow, ShownRefusal
from tests.conftest import each, long_after_first
from tests.lights.perception import grey_cells
from tests.lights.scenes import FULL, MIDDLE, TO_REPAIR, scene

# Looks of single cells. A picture depends only on the scene and the time.


def test_picture_order_of_cells_and_lamps():
    picture = render_scene(scene(". e .\n. . .\n. . ."), 0.0, 4)
    lit = [i for i, value in enumerate(picture) if value]
    first = get_grid(3).cells.index("b3") * 4 * 3
    assert lit == [first + 1, first + 2]  # the top left lamp of b3, azure: no red


@pytest.mark.parametrize("lamps", LAMP_COUNTS)
def test_picture_has_one_value_per_channel(lamps):
    for now in (0.0, 0.4, 1.2, 2.9):
        for board in (
            scene(MIDDLE),
            scene(FULL, over=DARK, since=now - 2.5),
            scene(FULL, wrong=ShownRefusal("a1", now)),
        ):
            picture = render_scene(board, now, lamps)
            assert len(picture) == 16 * lamps * 3
            assert all(0 <= value <= 1 for value in picture)


def test_same_scene_and_instant_give_the_same_picture():
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


def test_pieces_have_rhythms_with_one_lamp_per_cell():
    board = scene("E T F\n. . .\n. . .")
    seen = [grey_cells(board, i / 20 + 0.01, 1) for i in range(40)]  # two seconds
    assert {cell: draw_trace([moment[cell][0] for moment in seen]) for cell in ("a3", "b3", "c3")} == {
        "a3": "########################################",
        "b3": "#######++++++--------------+++++++######",
        "c3": "---####---##############################",
    }


def draw_trace(trace):
    """Draw a trace: `#` is the maximum, followed by `+` and `-`; `.` is dark."""
    return "".join(".-+#"[round(3 * value / max(trace))] for value in trace)


def test_chosen_piece_flashes_white_and_keeps_shape():
    board = scene("Tc . .\n. . .\n. . .")
    seen = {tuple(bool(lamp) for lamp in grey_cells(board, i / 30, 4)["a3"]) for i in range(60)}
    assert seen == {(True, False, False, True)}
    assert {colour(board, i / 30, 1) for i in range(60)} == {WHITE, tuple(0.6 * part for part in OWNER_COLOUR[LIGHT])}


def test_refusal_is_red_on_its_cell_for_its_duration():
    before, at = scene(FULL), 7.3
    refused = scene(FULL, wrong=ShownRefusal("a4", at))
    assert colour(refused, at, 4) == RED
    for now in (at, at + 0.4, at + 0.8, at + 1.2, at + 1.5, at + 60):
        here, there = grey_cells(refused, now, 4), grey_cells(before, now, 4)
        assert {cell for cell in here if here[cell] != there[cell]} <= {"a4"}
    assert render_scene(refused, at + 1.5, 4) == render_scene(before, at + 1.5, 4)


@pytest.mark.parametrize("lamps", [1, 4])
def test_repeated_refusal_changes_light_at_once(lamps):
    seen = [colour(scene(FULL, wrong=ShownRefusal("a4", i / 9, i)), i / 9, lamps) for i in range(14)]
    assert all(before != after for before, after in pairwise(seen))
    assert seen[0] == RED


def test_refusal_without_cell_is_not_shown():
    assert render_scene(scene(FULL, wrong=ShownRefusal(None, 1.0)), 1.1, 4) == render_scene(scene(FULL), 1.1, 4)


def test_touch_outside_the_pond_is_refused():
    assert colour(scene(".x . .\n. . .\n. . .", wrong=ShownRefusal("a3", 1.0)), 1.1, 1) == RED


def test_targets_stay_visible_and_pulse_each_second():
    seen = [grey_cells(scene(".t . .\n. . .\n. . ."), i / 30, 1)["a3"][0] for i in range(60)]
    assert min(seen) > 0.1
    assert max(seen) > 0.7
    assert sum(value > 0.5 for value in seen) < 20  # mostly dark


def test_last_target_sparks_with_or_without_piece():
    for sign in ("e!", "F!", ".!", ".o!"):
        board = scene(f"{sign} . .\n. . .\n. . .")
        assert colour(board, 1.2, 1) == pytest.approx(WHITE)
        assert sum(colour(board, i / 30, 1)[0] > 0.9 for i in range(120)) < 60 or sign == "F!"


def colour(board, now, lamps):
    """Return the colour of the first lamp of the top left cell."""
    first = get_grid(board.size).cells.index(f"a{board.size}") * lamps * 3
    return render_scene(board, now, lamps)[first : first + 3]


# The side to move is visible without hue: on an empty board, in the middle of a game, and on a full board.

EMPTY = "\n".join([".o .o .o .o"] * 4)
TWO_LEFT = "T t e E\nE f .o .o\nF e F t\nE e T t"
EVERY_SIZE = each("lamps", [1, 4, 16, 64])


def open_cell_levels(drawn, to_move, lamps):
    """Return the level of the open cells over eight seconds, relative to the maximum."""
    board = scene(drawn, to_move)
    opened = [cell for cell, sight in board.cell_views.items() if sight.role.name == "OPEN"]
    moments = [grey_cells(board, i / 10, lamps) for i in range(80)]
    most = max(max(moment[cell]) for moment in moments for cell in opened)
    return [{cell: max(moment[cell]) / most for cell in opened} for moment in moments]


@pytest.mark.slow
@EVERY_SIZE
@each("drawn", [EMPTY, MIDDLE, TWO_LEFT])
def test_light_tide_is_uniform_and_mostly_up(drawn, lamps):
    moments = open_cell_levels(drawn, LIGHT, lamps)
    assert all(len(set(moment.values())) == 1 for moment in moments)
    assert sum(min(moment.values()) > 0.5 for moment in moments) > 50
    assert any(max(moment.values()) < 0.1 for moment in moments)  # an egg would not disappear


@pytest.mark.slow
@EVERY_SIZE
@each("drawn", [EMPTY, MIDDLE, TWO_LEFT])
def test_dark_tide_is_an_alternating_checkerboard(drawn, lamps):
    moments = open_cell_levels(drawn, DARK, lamps)
    contrasting = [moment for moment in moments if max(moment.values()) > min(moment.values()) + 0.5]
    assert len(contrasting) > 60
    for moment in contrasting:
        up = {(ord(cell[0]) + int(cell[1])) % 2 for cell, level in moment.items() if level > 0.5}
        assert len(up) == 1
    assert all(any(moment[cell] > 0.5 for moment in moments) for cell in moments[0])


@pytest.mark.slow
@EVERY_SIZE
@each("drawn", [MIDDLE, FULL, TWO_LEFT])
def test_pieces_to_move_outshine_pieces_at_rest(drawn, lamps):
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
def test_open_cells_are_faint_but_lit(lamps):
    for to_move in Side:
        limiter, dark = CurrentLimiter(gamma=2.8, brightness=0.3, slew=5000, budget=5000), Frame.dark_frame(4, lamps)
        glow, piece = (
            max(limiter.limit_frame(render_scene(scene(d, to_move), 1.0, lamps), dark).data) for d in (EMPTY, MIDDLE)
        )
        assert 4 <= glow < piece / 5


def test_no_piece_is_at_rest_after_the_game():
    seen = grey_cells(scene(FULL, over=LIGHT), 0.7, 4)
    assert min(max(lamps) for lamps in seen.values()) > 0.5


# Boards with pieces: pieces to take off, put, turn and choose, and pending turns.

SOME_SIZES = each("lamps", [1, 4, 16])
WITH_SHAPES = each("lamps", [lamps for lamps in LAMP_COUNTS if lamps > 1])
TWELVE_SECONDS = [i / 30 for i in range(360)]


def single_cell(sign, now, lamps, **how):
    """Return the brightness of a single cell's lamps."""
    return grey_cells(scene(f"{sign} . .\n. . .\n. . .", **how), now, lamps)["a3"]


def lit(lamps):
    return {i for i, lamp in enumerate(lamps) if lamp > 0.05}


@pytest.mark.slow
@each("lamps", LAMP_COUNTS)
def test_unexplained_piece_blinks_brightly_each_second(lamps):
    for second in range(12):
        assert max(single_cell(".-", second, lamps)) == pytest.approx(1, abs=0.01)
        falling = [max(single_cell(".-", second + i / 20, lamps)) for i in range(20)]
        assert falling == sorted(falling, reverse=True)
        assert falling[-1] == 0
    if lamps > 1:
        assert len(lit(single_cell(".-", 0, lamps))) >= 4  # visible from any side of the table


@SOME_SIZES
@each("piece", ["E", "t", "F"])
def test_scored_piece_stays_visible_while_it_leaves(piece, lamps):
    shape = lit(single_cell(piece, 0.8, lamps, to_move=None))
    assert lit(single_cell(f"{piece}-", 0.8, lamps)) == shape
    assert max(single_cell(f"{piece}-", 0.0, lamps)) == pytest.approx(1, abs=0.01)


@SOME_SIZES
@each("piece", PIECES)
def test_piece_to_place_grows_to_its_symbol(piece, lamps):
    for again in (0, 3, 6):
        rising = [single_cell(f"{piece}+", again + i / 20, lamps) for i in range(20)]
        assert rising == sorted(rising)
        assert not lit(rising[0])
    if lamps == 1:  # and then shows its rhythm once
        there = [single_cell(f"{piece}+", 1.001 + i / 20, 1)[0] for i in range(40)]
        assert there == pytest.approx(
            [single_cell(piece, 0.001 + i / 20, 1, to_move=None)[0] for i in range(40)], abs=1e-3
        )
    else:
        assert single_cell(f"{piece}+", 1.5, lamps) == single_cell(piece, 1.5, lamps, to_move=None)
        assert not lit(single_cell(f"{piece}+", 2.5, lamps))


@SOME_SIZES
def test_pair_repair_fades_out_and_in(lamps):
    board = scene(TO_REPAIR)
    course = [grey_cells(board, 3 + i / 10, lamps) for i in range(8)]
    leaving, coming = ([max(cells[cell]) for cells in course] for cell in ("c4", "b2"))
    assert leaving == sorted(leaving, reverse=True)
    assert coming == sorted(coming)
    assert leaving[0] > 0.9 > 0.1 > leaving[-1]
    assert coming[0] < 0.1 < 0.4 < coming[-1]


@SOME_SIZES
def test_pair_repair_leaves_other_cells_unchanged(lamps):
    for now in (0.0, 0.4, 1.2, 1.7, 2.6):
        seen, before = grey_cells(scene(TO_REPAIR), now, lamps), grey_cells(scene(FULL), now, lamps)
        assert {cell for cell in seen if seen[cell] != before[cell]} <= {"c4", "b2", "d3", "a2", "c1"}


@pytest.mark.parametrize("lamps", long_after_first([4, *(lamps for lamps in LAMP_COUNTS if lamps not in (1, 4))]))
@each("piece", PIECES)
def test_piece_to_flip_keeps_its_shape_and_hue(piece, lamps):
    board, plain = (scene(f"{sign} . .\n. . .\n. . .", to_move=None) for sign in (f"{piece}~", piece))
    shape = lit(single_cell(piece, 0.0, lamps))
    first = 6 * lamps * 3
    mean = [0.0] * lamps
    for now in TWELVE_SECONDS[:90]:
        hinted, steady = render_scene(board, now, lamps), render_scene(plain, now, lamps)
        seen = single_cell(f"{piece}~", now, lamps, to_move=None)
        mean = [total + value / 90 for total, value in zip(mean, seen, strict=True)]
        for i in shape:
            lamp, hue = (picture[first + 3 * i : first + 3 * i + 3] for picture in (hinted, steady))
            assert lamp == pytest.approx([max(lamp) / max(hue) * part for part in hue])
            assert max(lamp) >= 0.4 * max(hue) - 1e-9
    beside = [mean[i] for i in range(lamps) if i not in shape]
    assert min(mean[i] for i in shape) > 3 * max(beside, default=0)


def test_flip_spot_runs_clockwise():
    moments = [single_cell("E~", 1.5 + i / 30, 4) for i in range(90)]  # the egg is the top left lamp
    when = [max(range(90), key=lambda i, lamp=lamp: moments[i][lamp]) for lamp in (1, 3, 2)]
    assert when == sorted(when)
    assert [later - earlier for earlier, later in pairwise(when)] == pytest.approx([22.5, 22.5], abs=1)


@each("piece", ["E", "t", "F"])
def test_piece_to_flip_pales_briefly_on_single_lamp(piece):
    board, plain = (scene(f"{sign} . .\n. . .\n. . .", to_move=None) for sign in (f"{piece}~", piece))
    hued = sum(render_scene(board, now, 1) == render_scene(plain, now, 1) for now in TWELVE_SECONDS)
    assert hued > 180
    pale = render_scene(board, 2.75, 1)[18:21]
    assert min(pale) == pytest.approx(max(pale))  # white, as bright as its rhythm then


def test_piece_to_flip_is_dimmer_when_not_to_move():
    awake, at_rest = (max(single_cell("e~", 0.0, 4, to_move=side)) for side in (LIGHT.other_side, LIGHT))
    assert awake > 1.5 * at_rest


@WITH_SHAPES
@each("hold", [ConfirmWindow(0.0, 3.0), ConfirmWindow(7.3, 13.3), ConfirmWindow(5.0, 6.0)])
def test_pending_turn_fills_the_edge(hold, lamps):
    parts = [hold.since + (hold.until - hold.since) * i / 24 for i in range(25)]
    filled = [sum(lamp > 0.7 for lamp in single_cell(".?", now, lamps, hold=hold)) for now in parts]
    assert filled == sorted(filled)
    assert filled[0] == 0
    assert filled[12] < filled[23] < filled[24] == len(lit(single_cell(".-", 0, lamps)))  # full when it counts
    assert max(single_cell(".?", parts[0], lamps, hold=hold)) > 0.1  # visible from the first instant on


@each("hold", [ConfirmWindow(0.0, 3.0), ConfirmWindow(7.3, 13.3)])
def test_pending_turn_pulses_ever_faster_on_single_lamp(hold):
    frames = [hold.since + i / 100 for i in range(int((hold.until - hold.since) * 100) + 1)]
    course = [single_cell(".?", now, 1, hold=hold)[0] for now in frames]
    peaks = [i for i in range(1, len(course) - 1) if course[i - 1] < course[i] >= course[i + 1]] + [len(course) - 1]
    gaps = [later - peak for peak, later in pairwise(peaks)]
    assert len(gaps) >= 3
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 1.4 * gaps[-1]
    assert gaps[-1] > 34  # hundredths of a second
    assert min(course[peak] for peak in peaks) > 0.7


@SOME_SIZES
def test_pending_turn_restarts_when_a_hand_moves(lamps):
    begun = single_cell("T?", 2.5, lamps, hold=ConfirmWindow(2.5, 5.5))
    assert (
        begun == single_cell("T?", 2.5, lamps, hold=None) == single_cell("T?", 2.5, lamps, hold=ConfirmWindow(2.4, 5.4))
    )
    assert sum(begun) < sum(single_cell("T?", 2.5, lamps, hold=ConfirmWindow(-0.5, 2.5)))


@WITH_SHAPES
@each("piece", PIECES)
def test_pending_turn_shows_the_piece(piece, lamps):
    first = 6 * lamps * 3
    picture = render_scene(scene(f"{piece}? . .\n. . .\n. . .", hold=ConfirmWindow(0, 3)), 0.3, lamps)[
        first : first + lamps * 3
    ]
    hued = {i for i in range(lamps) if max(picture[3 * i : 3 * i + 3]) - min(picture[3 * i : 3 * i + 3]) > 0.2}
    assert hued == lit(single_cell(piece, 0, lamps))


@pytest.mark.slow
@SOME_SIZES
def test_menu_default_is_steady_and_choices_blink(lamps):
    default, choice = ([max(single_cell(sign, now, lamps)) for now in TWELVE_SECONDS] for sign in (".u", ".m"))
    assert sum(level > 0.7 for level in default) > 180 > sum(level > 0.7 for level in choice) > 20
    assert min(choice) > 0.1  # it is never dark
    assert all(max(pair) > 0.3 for pair in zip(default, choice, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("lamps", long_after_first([4, 1, 16]))
@each("sign", ["E", "t", "F", ".o", ".t", "E!"])
def test_bad_sensor_leaves_its_cell_mostly_unchanged(sign, lamps):
    same = [single_cell(f"{sign}#", now, lamps) == single_cell(sign, now, lamps) for now in TWELVE_SECONDS]
    assert sum(same) > 230
    assert not all(same)


@SOME_SIZES
def test_bad_sensor_shows_faintly_on_an_empty_cell(lamps):
    levels = [max(single_cell(".#", now, lamps)) for now in TWELVE_SECONDS]
    assert 0.2 < max(levels) <= 0.31
    assert sum(level > 0 for level in levels) < 100
    once = levels[:120]  # once every four seconds
    most = once.index(max(once))
    assert once == [*sorted(once[:most]), *sorted(once[most:], reverse=True)]


@SOME_SIZES
def test_piece_on_a_bad_sensor_fades_out(lamps):
    shutting = [sum(single_cell("F#", 2.55 + i / 20, lamps)) for i in range(14)]
    assert shutting == sorted(shutting, reverse=True)
    assert not lit(single_cell("F#", 3.2, lamps))
    assert not lit(single_cell("e~#", 3.2, lamps))


@pytest.mark.slow
@pytest.mark.parametrize("lamps", long_after_first([4, 1, 16]))
@each("sign", ["Tc", ".-", "E-", "f+", ".?"])
def test_bad_sensor_does_not_disturb_urgent_signs(sign, lamps):
    hold = ConfirmWindow(1.0, 4.0)
    for now in TWELVE_SECONDS:
        assert single_cell(f"{sign}#", now, lamps, hold=hold) == single_cell(sign, now, lamps, hold=hold)


@SOME_SIZES
@each("sign", [".-", "T-", "E+", "f~", "E?", ".m", ".u"])
def test_last_turn_spark_is_hidden_during_other_signs(sign, lamps):
    for now in (1.0, 1.1, 1.2, 1.3, 1.4):
        assert single_cell(f"{sign}!", now, lamps) == single_cell(sign, now, lamps)


def test_unknown_piece_to_place_is_shown_as_target():
    for now in (0.0, 0.5, 2.5):
        assert single_cell(".+", now, 4) == single_cell(".t", now, 4)


def test_flip_without_a_piece_shows_an_empty_cell():
    assert not lit(single_cell(".~", 0.3, 4))
