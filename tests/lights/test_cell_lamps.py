"""On boards with pieces: what hands have to take off, to put, to turn and to choose, and what is about to count."""

from itertools import pairwise

import pytest

from pond_hw.lights import LAMP_COUNTS, render_scene
from pond_hw.rules import LIGHT, PIECES
from pond_hw.session import ConfirmWindow
from tests.conftest import each, first_now_rest_long
from tests.lights.eyes import grey_cells
from tests.lights.scenes import FULL, TO_MEND, scene

SOME_SIZES = each("lamps", [1, 4, 16])
WITH_SHAPES = each("lamps", [lamps for lamps in LAMP_COUNTS if lamps > 1])
TWELVE_SECONDS = [i / 30 for i in range(360)]


def alone(sign, now, lamps, **how):
    """The lamps of one cell with nothing beside it, without colour."""
    return grey_cells(scene(f"{sign} . .\n. . .\n. . .", **how), now, lamps)["a3"]


def lit(lamps):
    return {i for i, lamp in enumerate(lamps) if lamp > 0.05}


@pytest.mark.slow
@each("lamps", LAMP_COUNTS)
def test_a_stranger_is_told_at_once_and_brightly_to_leave_and_again_each_second(lamps):
    for second in range(12):
        assert max(alone(".-", second, lamps)) == pytest.approx(1, abs=0.01)
        falling = [max(alone(".-", second + i / 20, lamps)) for i in range(20)]
        assert falling == sorted(falling, reverse=True)
        assert falling[-1] == 0
    if lamps > 1:
        assert len(lit(alone(".-", 0, lamps))) >= 4  # enough to be seen from the other side of the table


@SOME_SIZES
@each("piece", ["E", "t", "F"])
def test_a_scored_piece_is_seen_while_it_is_told_to_leave(piece, lamps):
    shape = lit(alone(piece, 0.8, lamps, to_move=None))
    assert lit(alone(f"{piece}-", 0.8, lamps)) == shape
    assert max(alone(f"{piece}-", 0.0, lamps)) == pytest.approx(1, abs=0.01)


@SOME_SIZES
@each("piece", PIECES)
def test_a_piece_to_be_put_comes_from_nothing_to_what_it_will_be(piece, lamps):
    for again in (0, 3, 6):
        rising = [alone(f"{piece}+", again + i / 20, lamps) for i in range(20)]
        assert rising == sorted(rising)
        assert not lit(rising[0])
    if lamps == 1:  # and then tells its rhythm once
        there = [alone(f"{piece}+", 1.001 + i / 20, 1)[0] for i in range(40)]
        assert there == pytest.approx([alone(piece, 0.001 + i / 20, 1, to_move=None)[0] for i in range(40)], abs=1e-3)
    else:
        assert alone(f"{piece}+", 1.5, lamps) == alone(piece, 1.5, lamps, to_move=None)
        assert not lit(alone(f"{piece}+", 2.5, lamps))


@SOME_SIZES
def test_while_a_pair_is_mended_light_falls_where_a_piece_leaves_and_rises_where_it_goes(lamps):
    board = scene(TO_MEND)
    course = [grey_cells(board, 3 + i / 10, lamps) for i in range(8)]
    leaving, coming = ([max(cells[cell]) for cells in course] for cell in ("c4", "b2"))
    assert leaving == sorted(leaving, reverse=True)
    assert coming == sorted(coming)
    assert leaving[0] > 0.9 > 0.1 > leaving[-1]
    assert coming[0] < 0.1 < 0.4 < coming[-1]


@SOME_SIZES
def test_while_a_pair_is_mended_the_other_cells_stay_as_they_are(lamps):
    for now in (0.0, 0.4, 1.2, 1.7, 2.6):
        seen, before = grey_cells(scene(TO_MEND), now, lamps), grey_cells(scene(FULL), now, lamps)
        assert {cell for cell in seen if seen[cell] != before[cell]} <= {"c4", "b2", "d3", "a2", "c1"}


@pytest.mark.parametrize("lamps", first_now_rest_long([4, *(lamps for lamps in LAMP_COUNTS if lamps not in (1, 4))]))
@each("piece", PIECES)
def test_a_piece_to_be_turned_keeps_its_shape_and_its_hue_at_every_instant(piece, lamps):
    board, plain = (scene(f"{sign} . .\n. . .\n. . .", to_move=None) for sign in (f"{piece}~", piece))
    shape = lit(alone(piece, 0.0, lamps))
    first = 6 * lamps * 3
    mean = [0.0] * lamps
    for now in TWELVE_SECONDS[:90]:
        hinted, steady = render_scene(board, now, lamps), render_scene(plain, now, lamps)
        seen = alone(f"{piece}~", now, lamps, to_move=None)
        mean = [total + value / 90 for total, value in zip(mean, seen, strict=True)]
        for i in shape:
            lamp, hue = (picture[first + 3 * i : first + 3 * i + 3] for picture in (hinted, steady))
            assert lamp == pytest.approx([max(lamp) / max(hue) * part for part in hue])
            assert max(lamp) >= 0.4 * max(hue) - 1e-9
    beside = [mean[i] for i in range(lamps) if i not in shape]
    assert min(mean[i] for i in shape) > 3 * max(beside, default=0)


def test_the_spot_goes_round_it_as_a_clock_does():
    moments = [alone("E~", 1.5 + i / 30, 4) for i in range(90)]  # the egg is the lamp at the top left
    when = [max(range(90), key=lambda i, lamp=lamp: moments[i][lamp]) for lamp in (1, 3, 2)]
    assert when == sorted(when)
    assert [later - earlier for earlier, later in pairwise(when)] == pytest.approx([22.5, 22.5], abs=1)


@each("piece", ["E", "t", "F"])
def test_a_piece_to_be_turned_in_a_single_lamp_goes_pale_for_less_than_half_of_the_time(piece):
    board, plain = (scene(f"{sign} . .\n. . .\n. . .", to_move=None) for sign in (f"{piece}~", piece))
    hued = sum(render_scene(board, now, 1) == render_scene(plain, now, 1) for now in TWELVE_SECONDS)
    assert hued > 180
    pale = render_scene(board, 2.75, 1)[18:21]
    assert min(pale) == pytest.approx(max(pale))  # white, as bright as its rhythm is then


def test_a_piece_to_be_turned_is_at_rest_when_its_side_is():
    awake, at_rest = (max(alone("e~", 0.0, 4, to_move=side)) for side in (LIGHT.other_side, LIGHT))
    assert awake > 1.5 * at_rest


@WITH_SHAPES
@each("hold", [ConfirmWindow(0.0, 3.0), ConfirmWindow(7.3, 13.3), ConfirmWindow(5.0, 6.0)])
def test_what_is_about_to_count_fills_the_edge_lamp_by_lamp(hold, lamps):
    parts = [hold.since + (hold.until - hold.since) * i / 24 for i in range(25)]
    filled = [sum(lamp > 0.7 for lamp in alone(".?", now, lamps, hold=hold)) for now in parts]
    assert filled == sorted(filled)
    assert filled[0] == 0
    assert filled[12] < filled[23] < filled[24] == len(lit(alone(".-", 0, lamps)))  # all of it when it counts
    assert max(alone(".?", parts[0], lamps, hold=hold)) > 0.1  # something is said from the first instant on


@each("hold", [ConfirmWindow(0.0, 3.0), ConfirmWindow(7.3, 13.3)])
def test_what_is_about_to_count_pulses_ever_quicker_in_a_single_lamp(hold):
    frames = [hold.since + i / 100 for i in range(int((hold.until - hold.since) * 100) + 1)]
    course = [alone(".?", now, 1, hold=hold)[0] for now in frames]
    peaks = [i for i in range(1, len(course) - 1) if course[i - 1] < course[i] >= course[i + 1]] + [len(course) - 1]
    gaps = [later - peak for peak, later in pairwise(peaks)]
    assert len(gaps) >= 3
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 1.4 * gaps[-1]
    assert gaps[-1] > 34  # hundredths of a second
    assert min(course[peak] for peak in peaks) > 0.7


@SOME_SIZES
def test_when_a_hand_moves_the_hold_begins_again(lamps):
    begun = alone("T?", 2.5, lamps, hold=ConfirmWindow(2.5, 5.5))
    assert begun == alone("T?", 2.5, lamps, hold=None) == alone("T?", 2.5, lamps, hold=ConfirmWindow(2.4, 5.4))
    assert sum(begun) < sum(alone("T?", 2.5, lamps, hold=ConfirmWindow(-0.5, 2.5)))


@WITH_SHAPES
@each("piece", PIECES)
def test_what_will_stand_there_is_seen_before_it_counts(piece, lamps):
    first = 6 * lamps * 3
    picture = render_scene(scene(f"{piece}? . .\n. . .\n. . .", hold=ConfirmWindow(0, 3)), 0.3, lamps)[
        first : first + lamps * 3
    ]
    hued = {i for i in range(lamps) if max(picture[3 * i : 3 * i + 3]) - min(picture[3 * i : 3 * i + 3]) > 0.2}
    assert hued == lit(alone(piece, 0, lamps))


@pytest.mark.slow
@SOME_SIZES
def test_on_the_menu_the_usual_pond_is_there_while_the_others_come_and_go(lamps):
    usual, choice = ([max(alone(sign, now, lamps)) for now in TWELVE_SECONDS] for sign in (".u", ".m"))
    assert sum(level > 0.7 for level in usual) > 180 > sum(level > 0.7 for level in choice) > 20
    assert min(choice) > 0.1  # nobody waits for it
    assert all(max(pair) > 0.3 for pair in zip(usual, choice, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("lamps", first_now_rest_long([4, 1, 16]))
@each("sign", ["E", "t", "F", ".o", ".t", "E!"])
def test_a_bad_sensor_leaves_its_cell_alone_for_most_of_the_time(sign, lamps):
    same = [alone(f"{sign}#", now, lamps) == alone(sign, now, lamps) for now in TWELVE_SECONDS]
    assert sum(same) > 230
    assert not all(same)


@SOME_SIZES
def test_a_bad_sensor_shows_where_there_is_nothing_else_and_only_faintly(lamps):
    levels = [max(alone(".#", now, lamps)) for now in TWELVE_SECONDS]
    assert 0.2 < max(levels) <= 0.31
    assert sum(level > 0 for level in levels) < 100
    once = levels[:120]  # in four seconds it comes once, and goes
    most = once.index(max(once))
    assert once == [*sorted(once[:most]), *sorted(once[most:], reverse=True)]


@SOME_SIZES
def test_a_piece_on_a_bad_sensor_is_an_eye_that_shuts_and_nothing_is_seen_in_its_place(lamps):
    shutting = [sum(alone("F#", 2.55 + i / 20, lamps)) for i in range(14)]
    assert shutting == sorted(shutting, reverse=True)
    assert not lit(alone("F#", 3.2, lamps))
    assert not lit(alone("e~#", 3.2, lamps))


@pytest.mark.slow
@pytest.mark.parametrize("lamps", first_now_rest_long([4, 1, 16]))
@each("sign", ["Tc", ".-", "E-", "f+", ".?"])
def test_what_presses_is_told_undisturbed_by_a_bad_sensor(sign, lamps):
    hold = ConfirmWindow(1.0, 4.0)
    for now in TWELVE_SECONDS:
        assert alone(f"{sign}#", now, lamps, hold=hold) == alone(sign, now, lamps, hold=hold)


@SOME_SIZES
@each("sign", [".-", "T-", "E+", "f~", "E?", ".m", ".u"])
def test_the_last_turns_spark_waits_until_hands_have_done_what_they_have_to(sign, lamps):
    for now in (1.0, 1.1, 1.2, 1.3, 1.4):
        assert alone(f"{sign}!", now, lamps) == alone(sign, now, lamps)


def test_a_piece_to_be_put_that_nobody_knows_is_a_target():
    for now in (0.0, 0.5, 2.5):
        assert alone(".+", now, 4) == alone(".t", now, 4)


def test_a_turn_to_do_without_a_piece_is_an_empty_cell():
    assert not lit(alone(".~", 0.3, 4))
