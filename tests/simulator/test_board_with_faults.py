"""Simulated board for set-up: presses, wires and lamps."""

from dataclasses import replace
from random import Random

import pytest

from pond_hw.board import Frame
from pond_hw.companion import SimulatedClock
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.profile.board_profile import MatrixCrossing
from pond_hw.rules import DARK, PondError, get_grid
from pond_hw.simulator.board_with_faults import (
    BAD_BOUNCE_SECONDS,
    FLAW_KINDS,
    FaultyBoard,
    conducting_crossings,
    list_flaw_kinds,
    parse_build,
)

BUTTONS, HALL, MATRIX, LINEAR = (load_profile(name) for name in ("direct-4x4", "hall-4x4", "matrix-5x5", "hall-5x5"))
REST = (512,) * 25


def bench(profile=BUTTONS, *flaws, seed=1):
    clock = SimulatedClock()
    built, broken = parse_build(profile, flaws)
    made = FaultyBoard(profile, clock.now, built, broken, seed)
    made.clock = clock
    return made


def after(made, seconds):
    """Advance the time and return the levels."""
    made.clock.advance_to(made.clock.now() + seconds)
    return made.contact_levels()


def down(made):
    return [cell for cell, level in zip(get_grid(made.profile.size).cells, made.contact_levels(), strict=True) if level]


def test_press_bounces_and_then_holds():
    made = bench()
    made.clock.advance_to(1.0)
    made.press("b2")
    said = {after(made, 0.0003)[5] for _ in range(3)}
    assert said <= {0, 1}
    after(made, 0.003)
    assert down(made) == ["b2"]
    made.release("b2")
    after(made, 0.01)
    assert down(made) == []


def test_readings_do_not_change_the_result():
    one, other = bench(BUTTONS, "chatter:c1", seed=3), bench(BUTTONS, "chatter:c1", seed=3)
    for each in (one, other):
        each.press("b2")
    often = [after(one, 0.0001) for _ in range(600)][99::100]
    assert often == [after(other, 0.01) for _ in range(6)]
    sums = [bench(LINEAR, seed=2).sensor_counts(REST) for _ in range(2)]
    assert sums[0] == sums[1]


def test_different_seed_gives_different_board():
    assert bench(LINEAR, seed=1).sensor_counts(REST) != bench(LINEAR, seed=2).sensor_counts(REST)


def test_stuck_sensors_stop_following_their_buttons():
    made = bench(BUTTONS, "stuck-on:a1", "never:b1", "stuck-off:c1")
    assert down(made) == ["a1"]
    for _ in range(2):
        for cell in ("b1", "c1"):
            made.press(cell)
        after(made, 0.1)
        assert down(made) == ["a1", "c1"]
        for cell in ("b1", "c1"):
            made.release(cell)
        after(made, 0.1)
    made.press("c1")
    after(made, 0.1)
    assert down(made) == ["a1"]


def test_worn_contact_bounces_for_long():
    made = bench(BUTTONS, "bounce:b2")
    made.press("b2")
    changes, before = [], None
    for _ in range(500):
        now = after(made, 0.0001)[5]
        if now != before:
            changes.append(made.clock.now())
        before = now
    assert BAD_BOUNCE_SECONDS[0] * 0.8 < changes[-1] <= BAD_BOUNCE_SECONDS[1]
    assert len(changes) > 5


def test_worn_contact_comes_to_rest():
    for seed in range(10):
        made = bench(BUTTONS, "bounce:b2", seed=seed)
        made.press("b2")
        after(made, 0.005)
        assert after(made, 1.0)[5] == 1
        assert after(made, 1.0)[5] == 1
        made.release("b2")
        after(made, 0.005)
        assert after(made, 1.0)[5] == 0


def test_loose_contact_chatters():
    made = bench(BUTTONS, "chatter:b2")
    said = [after(made, 0.06)[5] for _ in range(200)]
    assert 0.1 < sum(said) / 200 < 0.3
    assert not made.is_at_rest


def test_cross_talk_reacts_to_neighbour():
    made = bench(BUTTONS, "cross-talk:b2")
    (other,) = {made.cross_talk_cell("b2") for _ in range(5)}
    assert other in ("a2", "c2", "b1", "b3")
    made.press(other)
    after(made, 0.1)
    assert set(down(made)) == {"b2", other}


def test_magnet_moves_its_sensor_and_slightly_the_neighbour():
    made = bench(LINEAR)
    made.press("c3")
    counts = dict(zip(get_grid(5).cells, made.sensor_counts(REST), strict=True))
    assert 165 <= counts["c3"] - 512 <= 235
    assert 2 <= counts["c2"] - 512 <= 14
    assert abs(counts["a1"] - 512) <= 3


def test_turned_magnet_reverses_the_swing():
    made = bench(LINEAR)
    made.press("c3")
    made.sensor_counts(REST)
    made.press("c3", DARK)
    assert -235 <= made.sensor_counts(REST)[12] - 512 <= -165


def test_calibration_does_not_change_polarity():
    made = bench(LINEAR)
    wiring = replace(LINEAR.sensing.wiring, light=-LINEAR.sensing.wiring.light)
    made.use_profile(replace(LINEAR, sensing=replace(LINEAR.sensing, wiring=wiring)))
    made.press("c3")
    assert 165 <= made.sensor_counts(REST)[12] - 512 <= 235


@pytest.mark.parametrize(
    ("flaw", "least", "most"),
    [("reversed", -235, -165), ("weak", 50, 80), ("noise", 140, 260), ("never", -3, 3), ("stuck-on", 165, 235)],
)
def test_flaws_change_counts_of_linear_sensors(flaw, least, most):
    made = bench(LINEAR, f"{flaw}:c3")
    made.press("c3")
    assert least <= made.sensor_counts(REST)[12] - 512 <= most


def test_drift_is_slow_and_limited():
    made = bench(LINEAR, "drift:c3")
    read = []
    for at in (0.0, 5.0, 60.0, 600.0):
        made.clock.advance_to(at)
        read.append(made.sensor_counts(REST)[12] - 512)
    assert abs(read[0]) <= 3
    assert 7 <= read[1] <= 13
    assert 42 <= read[2] <= 48
    assert 42 <= read[3] <= 48


@pytest.mark.parametrize(
    ("profile", "cell", "problem"),
    [
        (HALL, "a1", Message("i2c.no_answer", address="0x21", bus=1, text="Remote I/O error")),
        (LINEAR, "a5", Message("converter.stuck.zero", chip="A", miso=19)),
    ],
)
def test_dead_chip_raises_an_error(profile, cell, problem):
    assert bench(profile, f"dead-chip:{cell}").read_problem() == problem
    assert bench(profile).read_problem() is None


def test_swapped_wires_exchange_cells():
    made = bench(BUTTONS, "swapped:b2:c3")
    made.press("b2")
    after(made, 0.1)
    assert down(made) == ["c3"]


def test_visible_lamps_follow_the_chain():
    made = bench(BUTTONS, "broken:3", "colours:RGB")
    board = made.to_board()
    board.lamps.open()
    board.lamps.show(Frame(4, 4, bytes([200, 100, 50] * 64)))
    places = dict(zip(get_grid(4).cells, made.built.lamps[::4], strict=True))
    for cell, place in places.items():
        (red, green, blue), *_ = made.seen_lamps(cell)
        if place >= 3:
            assert (red, green, blue) == (0, 0, 0)
        else:
            assert red < green > blue  # green and red are swapped: the profile has GRB
    board.lamps.close()


def test_changing_the_profile_moves_no_wires():
    made = bench(BUTTONS, "swapped:b2:c3")
    pins = dict(BUTTONS.sensing.wiring.pins)
    pins["b2"], pins["c3"] = pins["c3"], pins["b2"]
    learned = replace(BUTTONS, sensing=replace(BUTTONS.sensing, wiring=replace(BUTTONS.sensing.wiring, pins=pins)))
    made.use_profile(learned)
    made.press("b2")
    after(made, 0.1)
    assert down(made) == ["b2"]


def test_missing_diode_conducts_back():
    corner = {MatrixCrossing(1, 11), MatrixCrossing(1, 12), MatrixCrossing(2, 11)}
    assert conducting_crossings(corner, set()) == corner
    assert conducting_crossings(corner, {MatrixCrossing(1, 11)}) == corner | {MatrixCrossing(2, 12)}
    for other in corner - {MatrixCrossing(1, 11)}:
        assert conducting_crossings(corner, {other}) == corner
    assert conducting_crossings(set(), {MatrixCrossing(1, 11)}) == set()


def test_flaw_kinds_depend_on_the_board():
    assert "no-diode" in list_flaw_kinds(MATRIX)
    assert "no-diode" not in list_flaw_kinds(BUTTONS)
    assert {"weak", "drift", "dead-chip"} < {*list_flaw_kinds(LINEAR)}
    assert "bounce" not in list_flaw_kinds(HALL)
    assert {kind for profile in (BUTTONS, HALL, MATRIX, LINEAR) for kind in list_flaw_kinds(profile)} == set(FLAW_KINDS)


@pytest.mark.parametrize(
    "text",
    [
        *("", "never", "never:z9", "weak:a1", "swapped:a1", "swapped:a1:z9", "swapped:a1:a1"),
        *("broken:x", "broken:²", "broken:64", "colours:RGG"),
    ],
)
def test_impossible_flaw_error_lists_choices(text):
    choices = (*(f"{kind}:b2" for kind in list_flaw_kinds(BUTTONS)), "swapped:b2:c2", "broken:7", "colours:RGB")
    with pytest.raises(PondError) as refused:
        parse_build(BUTTONS, [text])
    assert refused.value.message == Message("simulator.unknown_flaw", text=text, profile=BUTTONS.name, choices=choices)


def test_unknown_cell_is_rejected():
    with pytest.raises(PondError) as refused:
        bench().press("e5")
    assert refused.value.message == Message("illegal.no_such_cell", cell="e5", size=4)


def test_idle_hands_change_nothing():
    made, rng = bench(seed=9), Random(9)
    assert made.is_at_rest
    made.release("a1")
    assert made.moved_at < 0
    for _ in range(20):
        assert after(made, rng.random()) == (0,) * 16
