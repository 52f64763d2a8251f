"""Each fault of a simulated sensor behaves as documented."""

from itertools import pairwise
from math import inf
from random import Random

import pytest

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, PondError, get_grid
from pond_hw.simulator.sensor_faults import EVERYWHERE_KINDS, FAULT_KINDS, SensorFault, parse_fault
from tests.conftest import long_after_first
from tests.simulator.hands import HandTable, SimulatedHands

HOLD = 0.06
REPORT_SECONDS = HOLD + 0.005
"""Seconds until a change is reported: the hold time plus up to one tick."""


class FaultBench:
    """Simulated table with faulty sensors. The test sets the time."""

    def __init__(self, *faults, pieces=(), seed=0, hold=HOLD, size=4, colours=False):
        self.at, self.touches = 0.0, []
        self.table = HandTable(size, 1, lambda: self.at, faults=faults, seed=seed, hold=hold, colours=colours)
        for cell in pieces:
            self.table.drop(cell)
        self.table.open(self.touches.append)

    def wait(self, seconds):
        self.at += seconds
        self.table.poll(self.at)

    def gaps(self, cell, *, there=False):
        """Return the durations without (or with) a piece on a cell."""
        touches = [touch for touch in self.touches if touch.cell == cell]
        return [after.instant - before.instant for before, after in pairwise(touches) if before.down == there]


def record_levels(monkeypatch):
    """Record all levels before debouncing, with their times."""
    from pond_hw.drivers.debounce import DebounceFilter

    said, after = [], DebounceFilter.add_readings

    def heard(self, readings, at):
        said.append((at / 200, tuple(readings)))
        return after(self, readings, at)

    monkeypatch.setattr(DebounceFilter, "add_readings", heard)
    return said


# Names


@pytest.mark.parametrize("kind", FAULT_KINDS)
def test_parse_fault(kind):
    assert parse_fault(kind, 4) == SensorFault(kind)
    assert parse_fault(f"{kind}:d4", 4) == SensorFault(kind, "d4")


def unknown(name):
    names = ("bounce", "chatter", "dropout", "stuck-on", "stuck-off", "cross-talk", "drift")
    return Message("simulator.unknown_fault", name=name, names=names)


MISREAD = {
    "stuck": unknown("stuck"),
    "": unknown(""),
    "Bounce": unknown("Bounce"),
    "stuck-on:e5": Message("illegal.no_such_cell", cell="e5", size=4),
    "stuck-on:": Message("simulator.fault_without_cell", text="stuck-on:", kind="stuck-on"),
    "b2:stuck-on": unknown("b2"),
    "flood:": unknown("flood"),
}


@pytest.mark.parametrize(("text", "why"), MISREAD.items(), ids=repr)
def test_unknown_fault_error_lists_choices(text, why):
    with pytest.raises(PondError) as error:
        parse_fault(text, 4)
    assert error.value.message == why


def test_fault_outside_the_board_is_refused():
    with pytest.raises(PondError) as refused:
        FaultBench(SensorFault("bounce", "e5"))
    assert refused.value.message == Message("illegal.no_such_cell", cell="e5", size=4)


@pytest.mark.parametrize("wrong", [{"drift_share": -1.0}, {"drift_seconds": 0.0}])
def test_invalid_drift_is_rejected(wrong):
    with pytest.raises(PondError) as refused:
        SensorFault("drift", **wrong)
    assert refused.value.message == Message("simulator.wrong_drift")


def test_seed_chooses_the_cell_of_a_fault():
    chosen = {FaultBench(SensorFault("stuck-on"), seed=seed).table.sensor_faults[0].cell for seed in range(200)}
    assert chosen == set(get_grid(4).cells)
    assert (
        FaultBench(SensorFault("stuck-on"), seed=5).table.sensor_faults
        == FaultBench(SensorFault("stuck-on"), seed=5).table.sensor_faults
    )
    assert FaultBench(SensorFault("bounce")).table.sensor_faults == (SensorFault("bounce"),)


# Behaviour


def test_stuck_on_sensor_always_reports_a_piece():
    bench = FaultBench(SensorFault("stuck-on", "b2"))
    bench.wait(1.0)
    assert bench.touches == [Touch("b2", True, pytest.approx(REPORT_SECONDS, abs=0.005))]
    bench.table.drop("b2")
    bench.table.drop("c3")
    bench.wait(1.0)
    bench.table.lift("b2")
    bench.wait(1.0)
    assert [(touch.cell, touch.down) for touch in bench.touches] == [("b2", True), ("c3", True)]


def test_stuck_off_sensor_detects_nothing():
    bench = FaultBench(SensorFault("stuck-off", "b2"), pieces=["b2", "c3"])
    bench.wait(1.0)
    bench.table.lift("b2")
    bench.table.lift("c3")
    bench.wait(1.0)
    assert [(touch.cell, touch.down) for touch in bench.touches] == [("c3", True), ("c3", False)]


def test_bounce_is_not_reported(monkeypatch):
    said = record_levels(monkeypatch)
    bench = FaultBench(SensorFault("bounce"))
    instants = []
    for number in range(40):
        bench.wait(1.0)
        (bench.table.lift if number % 2 else bench.table.drop)("b2")
        instants.append(bench.at)
    bench.wait(1.0)
    delays = [touch.instant - at for touch, at in zip(bench.touches, instants, strict=True)]
    assert [touch.down for touch in bench.touches] == [True, False] * 20
    assert all(HOLD <= late <= REPORT_SECONDS + 0.025 for late in delays)
    assert max(delays) > REPORT_SECONDS + 0.01
    changes = [at for (_, one), (at, two) in pairwise(said) if one != two]
    assert len(changes) > 60
    late = [min(at - done for done in instants if done <= at) for at in changes]
    assert max(late) <= 0.02 + 0.005 + 1e-6


def test_chattering_sensor_loses_and_finds_its_piece():
    bench = FaultBench(SensorFault("chatter", "b2"), pieces=["c3"], hold=0.005)
    bench.wait(20.0)
    assert {touch.cell for touch in bench.touches} == {"c3"}
    bench.table.drop("b2")
    bench.wait(60.0)
    spans = bench.gaps("b2") + bench.gaps("b2", there=True)
    assert len(spans) > 300
    assert min(spans) < 0.04
    assert min(spans) >= 0.02 - 0.01
    assert 0.25 < max(spans) <= 0.3 + 0.01
    assert len(bench.gaps("c3")) == 0


def test_standing_piece_drops_out_now_and_then():
    bench = FaultBench(SensorFault("dropout"), pieces=["a1", "b2", "d4"], hold=0.005)
    bench.wait(3600.0)
    for cell in ("a1", "b2", "d4"):
        gaps = bench.gaps(cell)
        assert 70 < len(gaps) < 180
        assert 0.15 < max(gaps) < 0.2
        assert min(bench.gaps(cell, there=True)) > 2.9
    assert {touch.cell for touch in bench.touches} == {"a1", "b2", "d4"}


def test_empty_cell_has_no_dropouts():
    bench = FaultBench(SensorFault("dropout"))
    bench.wait(1.0)
    assert bench.table.next_due == inf


def test_moving_pieces_drop_out_as_rarely_as_standing_ones():
    bench = FaultBench(SensorFault("dropout"), hold=0.005)
    for _ in range(50):
        bench.table.drop("b2")
        bench.wait(0.02)
        bench.table.lift("b2")
        bench.wait(0.02)
    bench.table.drop("b2")
    bench.wait(60.0)
    bench.touches.clear()
    bench.wait(3600.0)
    assert 70 < len(bench.gaps("b2")) < 180
    assert min(bench.gaps("b2", there=True)) > 2.9


def test_long_dropouts_pass_debouncing():
    bench = FaultBench(SensorFault("dropout"), pieces=get_grid(4).cells)
    bench.wait(3600.0)
    gaps = [gap for cell in get_grid(4).cells for gap in bench.gaps(cell)]
    assert len(gaps) > 500
    assert max(gaps) < 0.2


def slip_piece(bench, cell):
    """Drop a piece repeatedly until it lands off-centre, and return the neighbouring cell that also senses it."""
    for _ in range(100):
        bench.table.drop(cell)
        bench.wait(1.0)
        sensed = bench.table.occupied_cells - {cell}
        if sensed:
            (neighbour,) = sensed
            return neighbour
        bench.table.lift(cell)
        bench.wait(1.0)
    raise AssertionError("the piece never slips")


def test_cross_talk_lasts_until_the_piece_moves():
    bench = FaultBench(SensorFault("cross-talk"))
    assert slip_piece(bench, "b2") in ("a2", "c2", "b1", "b3")
    bench.wait(3600.0)
    assert len(bench.table.occupied_cells) == 2
    bench.table.lift("b2")
    bench.wait(1.0)
    assert bench.table.occupied_cells == set()


def test_new_cross_talk_finds_a_standing_piece():
    bench = FaultBench(pieces=["b2"])
    SimulatedHands(bench.table, Random(1)).put_off_centre("b2", "b3")
    bench.wait(5.0)
    assert bench.table.occupied_cells == {"b2"}
    bench.table.add_fault(SensorFault("cross-talk", "b3"))
    bench.wait(1.0)
    assert bench.table.occupied_cells == {"b2", "b3"}


@pytest.mark.long
def test_cross_talk_keeps_the_touched_cell_detected():
    bench = FaultBench(SensorFault("cross-talk", "b3"), pieces=["b2"], seed=2)
    hands, both = SimulatedHands(bench.table, Random(2)), 0
    for number in range(400):
        source, target = ("b2", "a1") if number % 2 == 0 else ("a1", "b2")
        bench.wait(hands.move(source, target).ends_at - bench.at + 0.2)
        assert target in bench.table.occupied_cells
        both += len(bench.table.occupied_cells) > 1
    assert 25 < both < 75


def test_cross_talk_can_affect_a_single_cell():
    bench = FaultBench(SensorFault("cross-talk", "b2"))
    assert slip_piece(bench, "b3") == "b2"
    bench.table.lift("b3")
    for cell in get_grid(4).cells:
        bench.table.drop(cell)
    bench.wait(1.0)
    assert bench.table.occupied_cells == set(get_grid(4).cells)


def test_pieces_land_centred_without_cross_talk():
    bench = FaultBench(SensorFault("bounce"))
    for cell in get_grid(4).cells:
        piece = bench.table.drop(cell)
        assert (piece.x, piece.y) == get_grid(4).cell_coordinates(cell)


def test_quarter_of_drops_beside_cross_talk_is_off_centre():
    bench = FaultBench(SensorFault("cross-talk", "b2"))
    off = 0
    for _ in range(400):
        piece = bench.table.drop("b3")
        off += piece.y < 2.0
        assert piece.y == 2.0 or 1.6 <= piece.y <= 1.72
        bench.table.lift("b3")
    assert 70 < off < 130
    assert all(bench.table.drop(cell).x in (0.0, 3.0) for cell in ("a4", "d4"))


BEARABLE = [0.9, -0.6, 0.3, -0.3]


@pytest.mark.slow
@pytest.mark.parametrize("share", long_after_first(BEARABLE))
def test_drift_within_bounds_is_not_noticed(share):
    bench = FaultBench(SensorFault("drift", drift_share=share), pieces=["a1", "b2", "b3"])
    bench.wait(1.0)
    bench.touches.clear()
    bench.wait(8000.0)
    assert bench.touches == []
    for cell in get_grid(4).cells:
        if cell not in bench.table.standing_pieces:
            bench.table.drop(cell)
    bench.wait(1.0)
    assert bench.table.occupied_cells == set(get_grid(4).cells)
    for cell in get_grid(4).cells:
        bench.table.lift(cell)
        bench.wait(1.0)
    assert bench.table.occupied_cells == set()


def test_drift_out_of_bounds_loses_pieces():
    bench = FaultBench(SensorFault("drift", drift_share=2.0, drift_seconds=200.0), pieces=["a1"])
    bench.wait(110.0)  # the threshold is now above a magnet, but not the one for a standing piece
    bench.table.drop("b2")
    bench.wait(10.0)
    assert bench.table.occupied_cells == {"a1"}
    bench.wait(100.0)
    assert bench.table.occupied_cells == set()
    (gone,) = [touch for touch in bench.touches if not touch.down]
    assert 180.0 < gone.instant < 200.0


@pytest.mark.parametrize("seconds", [0.5, 3.5])
def test_drift_stops_after_its_duration(seconds):
    bench = FaultBench(SensorFault("drift", drift_share=0.9, drift_seconds=seconds), pieces=["a1"])
    bench.wait(100.0)
    bench.table.drop("b2")
    bench.wait(1.0)
    assert bench.table.occupied_cells == {"a1", "b2"}


def test_drift_affects_one_sensor():
    bench = FaultBench(
        SensorFault("drift", "b2", drift_share=1.2, drift_seconds=1.0),
        SensorFault("drift", "c3", drift_share=0.3, drift_seconds=1.0),
    )
    bench.wait(5.0)
    for cell in ("a1", "b2", "c3"):
        bench.table.drop(cell)
    bench.wait(1.0)
    assert bench.table.occupied_cells == {"a1", "c3"}


def test_sensor_that_drifted_too_low_does_not_release():
    bench = FaultBench(SensorFault("drift", "b2", drift_share=-0.9, drift_seconds=100.0), pieces=["b2", "b3"])
    bench.wait(200.0)
    bench.table.lift("b2")
    bench.wait(1.0)
    assert bench.table.occupied_cells == {"b2", "b3"}


def test_stuck_on_sensor_with_owners_reports_light():
    bench = FaultBench(SensorFault("stuck-on", "a1"), colours=True)
    bench.table.drop("a1", DARK)
    bench.table.drop("b2", DARK)
    bench.wait(1.0)
    assert [(touch.cell, touch.owner) for touch in bench.touches] == [("a1", LIGHT), ("b2", DARK)]


def test_quick_change_of_owner_is_reported_twice():
    bench = FaultBench(SensorFault("stuck-off", "d4"), colours=True)
    bench.table.drop("b2", DARK)
    bench.wait(1.0)
    bench.table.lift("b2")
    bench.table.put_aside()
    bench.table.drop("b2", LIGHT)
    bench.wait(1.0)
    assert [(touch.down, touch.owner) for touch in bench.touches] == [(True, DARK), (False, DARK), (True, LIGHT)]


def test_two_faults_on_one_cell_add_up():
    bench = FaultBench(SensorFault("chatter", "b2"), SensorFault("stuck-on", "b2"), pieces=["b2"])
    bench.wait(30.0)
    assert [(touch.cell, touch.down) for touch in bench.touches] == [("b2", True)]
    bench.table.remove_faults(SensorFault("stuck-on", "b2"))
    bench.wait(30.0)
    assert len(bench.touches) > 50


# Times


def test_fault_begins_and_ends_on_time():
    bench = FaultBench(SensorFault("stuck-on", "b2", begin=10.0, end=20.0))
    bench.wait(30.0)
    assert [touch.down for touch in bench.touches] == [True, False]
    assert [touch.instant for touch in bench.touches] == pytest.approx(
        [10.0 + REPORT_SECONDS, 20.0 + REPORT_SECONDS], abs=0.006
    )


def test_fault_never_begins_early():
    for begin in (1.0, 1.001, 1.0049, 1.005):
        bench = FaultBench(SensorFault("stuck-on", "b2", begin=begin))
        bench.wait(2.0)
        assert HOLD <= bench.touches[0].instant - begin + 1e-9 <= REPORT_SECONDS + 0.001


def test_end_of_stuck_on_fault_repeats_no_touch():
    bench = FaultBench(SensorFault("stuck-on", "b2"))
    bench.wait(1.0)
    bench.table.remove_faults()
    bench.table.drop("b2")
    bench.wait(1.0)
    assert [touch.down for touch in bench.touches] == [True]


def test_actions_are_immediate_without_faults():
    bench = FaultBench(SensorFault("bounce", begin=10.0, end=20.0))
    for instant, late in ((1.0, False), (11.0, True), (21.0, False)):
        bench.wait(instant - bench.at)
        bench.touches.clear()
        bench.table.drop("b2")
        assert (not bench.touches) == late
        bench.wait(1.0)
        bench.table.lift("b2")
        bench.wait(1.0)
    assert bench.table.next_due == inf


@pytest.mark.parametrize("kind", FAULT_KINDS)
def test_fault_lasts_from_now_until_its_end(kind):
    bench = FaultBench(pieces=["a1", "b2", "c3"], seed=3)
    assert bench.table.next_due == inf
    fault = bench.table.add_fault(SensorFault(kind, drift_share=2.0, drift_seconds=60.0))
    assert bench.table.sensor_faults == (fault,)
    assert fault.cell is None or kind not in EVERYWHERE_KINDS
    for _ in range(30):
        bench.wait(3.0)
        bench.table.lift("b2")
        bench.wait(3.0)
        bench.table.drop("b2")
    bench.table.remove_faults(fault)
    assert bench.table.sensor_faults == ()
    bench.wait(1.0)
    assert bench.table.occupied_cells == {"a1", "b2", "c3"}
    bench.touches.clear()
    bench.wait(3600.0)
    assert bench.touches == []
    bench.table.lift("a1")
    assert bench.touches == [Touch("a1", False, bench.at)]


def test_all_faults_can_be_removed():
    bench = FaultBench(*(SensorFault(kind) for kind in FAULT_KINDS), pieces=["a1", "b2"])
    bench.wait(60.0)
    bench.table.remove_faults()
    bench.wait(1.0)
    assert (bench.table.sensor_faults, bench.table.occupied_cells) == ((), {"a1", "b2"})
    bench.wait(100.0)
    assert bench.table.next_due == inf


def test_fault_added_without_cell_is_removed_without_cell():
    bench = FaultBench(SensorFault("stuck-on"), seed=4)
    bench.wait(1.0)
    bench.table.remove_faults(SensorFault("stuck-on"))
    bench.wait(1.0)
    assert bench.table.occupied_cells == set()


def test_fault_removed_before_start_never_begins():
    bench = FaultBench(SensorFault("stuck-on", "b2", begin=5.0))
    bench.table.remove_faults()
    bench.wait(10.0)
    assert bench.touches == []


@pytest.mark.parametrize("kind", FAULT_KINDS)
def test_seed_determines_behaviour(kind):
    def record_touches(seed):
        bench = FaultBench(SensorFault(kind, drift_share=1.5, drift_seconds=100.0), seed=seed, pieces=get_grid(4).cells)
        for cell in get_grid(4).cells:
            bench.wait(4.0)
            bench.table.lift(cell)
            bench.wait(4.0)
            bench.table.drop(cell)
        bench.wait(10.0)
        return bench.touches

    assert record_touches(1) == record_touches(1)
    assert kind == "drift" or record_touches(1) != record_touches(2)
