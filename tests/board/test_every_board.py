"""Tests for every board: it reports all touches by fingers or pieces, and nothing else."""

from itertools import combinations
from random import Random

import pytest

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT
from tests.conftest import long_after_first

BOUNCING_BOARDS = ["direct-4x4", "pwm-4x4", "matrix-5x5", "hall-4x4", "hall-5x5", "owner-4x4", "neotrellis-4x4"]
BOUNCING_BOARDS += ["hall-4x4 with PCF8575s"]
BOUNCING_BOARDS += ["usb-direct-4x4", "usb-hall-4x4", "usb-matrix-5x5"]
"""Boards whose sensors may chatter."""

EVERY_BOARD = [*BOUNCING_BOARDS, "simulated-4x4", "simulated-5x5", "hall-5x5 by software"]


def test_each_cell_reports_press_and_release(bench):
    for cell in bench.cells:
        bench.press(cell)
        bench.wait(bench.report_delay)
        assert bench.take_touches() == [(cell, True)]
        bench.release(cell)
        bench.wait(bench.report_delay)
        assert bench.take_touches() == [(cell, False)]


def test_touch_has_its_time(bench):
    pressed_at = bench.now()
    bench.press("b2")
    bench.wait(bench.report_delay)
    (touch,) = bench.sensor_events
    assert isinstance(touch, Touch)
    assert pressed_at <= touch.instant <= bench.now()
    bench.release("b2")


@pytest.mark.parametrize("bench", long_after_first(sorted(EVERY_BOARD, key="hall-4x4".__ne__)), indirect=True)
def test_long_hold_is_one_touch(bench):
    bench.press("c3")
    bench.wait(10.0)
    assert bench.take_touches() == [("c3", True)]
    bench.release("c3")
    bench.wait(bench.report_delay)
    assert bench.take_touches() == [("c3", False)]


def test_board_at_rest_reports_nothing(bench):
    bench.wait(5.0)
    assert bench.sensor_events == []


@pytest.mark.parametrize("bench", BOUNCING_BOARDS, indirect=True)
def test_chattering_contact_is_one_touch(bench):
    for seed, cell in enumerate(bench.cells):
        bench.wait(seed * 0.0013)  # vary the moment of the readings
        bench.bounce(cell, down=True, seed=seed)
        bench.wait(bench.report_delay)
        assert bench.take_touches() == [(cell, True)]
        bench.bounce(cell, down=False, seed=seed + 100)
        bench.wait(bench.report_delay)
        assert bench.take_touches() == [(cell, False)]


@pytest.mark.parametrize("bench", [name for name in BOUNCING_BOARDS if name != "neotrellis-4x4"], indirect=True)
def test_press_shorter_than_debounce_is_ignored(bench):
    for number, cell in enumerate(bench.cells):
        bench.wait(number * 0.0013)
        bench.set_briefly(cell, bench.hold * bench.short_share, down=True)
        bench.wait(bench.report_delay)
    assert bench.sensor_events == []


@pytest.mark.parametrize("bench", [name for name in BOUNCING_BOARDS if name != "neotrellis-4x4"], indirect=True)
def test_short_gap_does_not_break_a_hold(bench):
    bench.press("b3")
    bench.wait(bench.report_delay)
    for number in range(20):
        bench.wait(number * 0.0013)
        bench.set_briefly("b3", bench.hold * bench.short_share, down=False)
        bench.wait(bench.report_delay)
    assert bench.take_touches() == [("b3", True)]


def test_two_simultaneous_presses_are_two_touches(bench):
    bench.press("a1")
    bench.press("c2")
    bench.wait(bench.report_delay)
    assert sorted(bench.take_touches()) == [("a1", True), ("c2", True)]
    bench.release("a1")
    bench.release("c2")
    bench.wait(bench.report_delay)
    assert sorted(bench.take_touches()) == [("a1", False), ("c2", False)]


@pytest.mark.slow
@pytest.mark.parametrize("bench", long_after_first(sorted(EVERY_BOARD, key="matrix-5x5".__ne__)), indirect=True)
def test_any_two_cells_work_together(bench):
    pairs = Random(7).sample(list(combinations(bench.cells, 2)), bench.pair_count)
    for one, other in pairs:
        for act, cell, down in (
            (bench.press, one, True),
            (bench.press, other, True),
            (bench.release, one, False),
            (bench.release, other, False),
        ):
            act(cell)
            bench.wait(bench.report_delay)
            assert bench.take_touches() == [(cell, down)]


def test_closed_board_reports_nothing(bench):
    bench.press("a1")
    bench.wait(bench.report_delay)
    assert bench.take_touches() == [("a1", True)]
    bench.close()
    bench.release_while_closed("a1")
    assert bench.sensor_events == []


def test_reopened_board_works(bench):
    bench.close()
    bench.open()
    bench.press("d1")
    bench.wait(bench.report_delay)
    bench.release("d1")
    bench.wait(bench.report_delay)
    assert bench.take_touches() == [("d1", True), ("d1", False)]


def test_initial_levels_are_reported_for_pieces_only(bench):
    bench.press("b2")
    bench.wait(bench.report_delay)
    bench.close()
    bench.sensor_events.clear()
    bench.open()
    bench.wait(1.0)
    assert bench.take_touches() == ([("b2", True)] if bench.pieces else [])
    bench.release("b2")
    bench.wait(bench.report_delay)
    bench.sensor_events.clear()
    bench.press("b2")
    bench.wait(bench.report_delay)
    assert bench.take_touches() == [("b2", True)]


def test_reopening_reports_no_old_release(bench):
    bench.press("b2")
    bench.wait(bench.report_delay)
    bench.close()
    bench.sensor_events.clear()
    bench.release_while_closed("b2")
    bench.open()
    bench.wait(1.0)
    assert bench.sensor_events == []


def test_closing_twice_is_allowed(bench):
    bench.close()
    bench.close()


@pytest.mark.parametrize(
    "bench",
    ["simulated-4x4", "direct-4x4", "matrix-5x5", "hall-4x4", "hall-5x5", "neotrellis-4x4", "usb-direct-4x4"],
    indirect=True,
)
def test_undo_key_is_distinct_from_cells(bench):
    bench.press_key(down=True)
    bench.wait(bench.report_delay)
    assert bench.take_key_events() == [True]
    bench.press_key(down=False)
    bench.wait(bench.report_delay)
    assert bench.take_key_events() == [False]


@pytest.mark.slow
@pytest.mark.parametrize("bench", ["hall-5x5"], indirect=True)
def test_linear_sensor_detects_owner(bench):
    light = bench.profile.sensing.wiring.light
    for cell in bench.cells:
        for strength, owner in ((150 * light, LIGHT), (-150 * light, DARK)):
            bench.magnet(cell, strength)
            bench.wait(bench.report_delay)
            bench.magnet(cell, 0)
            bench.wait(bench.report_delay)
            assert [(each.cell, each.down, each.owner) for each in bench.sensor_events] == [
                (cell, True, owner),
                (cell, False, owner),
            ]
            bench.sensor_events.clear()


@pytest.mark.parametrize("bench", ["hall-5x5"], indirect=True)
def test_replaced_piece_is_reported_as_removed_and_added(bench):
    light = bench.profile.sensing.wiring.light
    bench.magnet("c3", 150 * light)
    bench.wait(bench.report_delay)
    bench.magnet("c3", -150 * light)
    bench.wait(bench.report_delay)
    assert [(each.down, each.owner) for each in bench.sensor_events] == [(True, LIGHT), (False, LIGHT), (True, DARK)]


@pytest.mark.parametrize(
    "bench", ["hall-4x4", "hall-4x4 with PCF8575s", "hall-5x5", "owner-4x4", "usb-hall-4x4"], indirect=True
)
def test_every_cell_can_hold_a_piece(bench):
    for cell in bench.cells:
        bench.press(cell)
    bench.wait(bench.report_delay)
    assert sorted(bench.take_touches()) == sorted((cell, True) for cell in bench.cells)


@pytest.mark.parametrize("bench", ["direct-4x4", "neotrellis-4x4", "usb-direct-4x4"], indirect=True)
def test_all_buttons_pressed_is_a_fault(bench):
    bench.set_all(down=True)
    bench.wait(1.0)
    (health,) = bench.take_health_events()
    assert health.trouble == Message("sensors.lost", reason=Message("sensors.all_buttons"))
    assert bench.take_touches() == []


@pytest.mark.parametrize("bench", ["matrix-5x5"], indirect=True)
def test_three_pressed_corners_without_diodes_press_no_fourth(bench):
    bench.pins.diodes = False
    for cell in ("b2", "b4", "d2"):
        bench.press(cell)
        bench.wait(bench.report_delay)
    assert bench.take_touches() == [("b2", True), ("b4", True)]
    bench.release("b4")
    bench.wait(bench.report_delay)
    assert sorted(bench.take_touches()) == [("b4", False), ("d2", True)]
    assert bench.pins.shorted == 0


@pytest.mark.parametrize("bench", ["neotrellis-4x4"], indirect=True)
def test_key_lamps_follow_frame_until_closed(bench):
    from pond_hw.board import Frame

    lamps = bytes(range(48))
    bench.board.lamps.show(Frame(4, 1, lamps))
    bench.wait(bench.report_delay)
    at_key = {cell: bench.chip.lit[key * 3 : key * 3 + 3] for cell, key in bench.profile.sensing.wiring.keys.items()}
    for number, cell in enumerate(bench.cells):
        red, green, blue = lamps[number * 3 : number * 3 + 3]
        assert at_key[cell] == bytes([green, red, blue])
    bench.close()
    assert bench.chip.lit == bytes(48)
