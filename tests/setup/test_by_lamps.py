"""Tests of set-up without a screen: the corner gesture, set-up, and the game afterwards."""

import subprocess
import sys
import threading

import pytest

from pond_hw.board import BoardFault, HealthEvent, Sample
from pond_hw.companion import SimulatedClock
from pond_hw.messages.message import Message, as_message
from pond_hw.profile import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup import by_lamps, controller
from pond_hw.setup.by_lamps import (
    BLINK,
    RELEASE_TIMEOUT,
    SAMPLE_TIMEOUT,
    BusHung,
    CornerGesture,
    is_setup_requested,
    run_setup_by_lamps,
)
from pond_hw.setup.controller import PolledBoard
from pond_hw.setup.saved_results import load_results
from pond_hw.setup.step import StepTick
from pond_hw.simulator.board_with_faults import FaultyBoard, parse_build
from tests.messages.says import text
from tests.server.served import FakeNotifier
from tests.setup.setup_session import LampUser


class ServiceRun:
    """A board with its service, switched on in simulated time.

    The service has its own thread, which runs only while the user waits.
    """

    lit_key = None  # no turn keys

    def __init__(self, monkeypatch, *flaws):
        self.clock, profile = SimulatedClock(), load_profile("pwm-4x4")
        self.bench = FaultyBoard(profile, self.clock.now, *parse_build(profile, flaws))
        self.due, self.until, self.end_signals, self.profile = 0.0, 0.0, [], None
        self.go, self.reached = threading.Semaphore(0), threading.Semaphore(0)
        self.messages = [{"size": 4}]
        self.ended = False
        monkeypatch.setattr(controller, "build_board", self.build_board)

    def build_board(self, profile, now):
        if profile != self.bench.profile:
            self.bench.use_profile(profile)
        board = self.bench.to_board()
        self.sensors = board.sensors
        return PolledBoard(board.sensors, board.lamps)

    # Service

    def clear(self):
        pass

    def set(self):
        pass

    def wait(self, seconds):
        end = self.clock.now() + max(seconds, 0.001)
        while self.due <= end and self.clock.now() < self.bench.moved_at + 0.3:
            self.clock.advance_to(self.due)
            self.sensors.poll(self.clock.now())
            self.due = self.clock.now() + self.sensors.pause_seconds
        self.clock.advance_to(end)
        self.due = max(self.due, end)
        self.sensors.poll_count += 1  # as if they had been read again
        if end >= self.until:
            self.reached.release()
            self.go.acquire()

    # User

    def begin(self):
        def run():
            try:
                self.profile = run_setup_by_lamps("pwm-4x4", self.clock.now, self, self.end_signals)
            finally:
                self.ended = True  # an ending thread is alive for a moment
                self.reached.release()

        self.service = threading.Thread(target=run, daemon=True)
        self.service.start()
        self.reached.acquire()

    def send(self, *asked):
        for each in asked:
            match each:
                case {"press": cell}:
                    self.bench.press(cell)
                case {"release": cell}:
                    self.bench.release(cell)
                case {"wait": seconds} if not self.ended:
                    self.until = self.clock.now() + seconds
                    self.go.release()
                    self.reached.acquire()
                case {"wait": seconds}:  # the service has ended
                    self.clock.advance_to(self.clock.now() + seconds)

    @property
    def page(self):
        return {"t": self.clock.now()}

    @property
    def seen(self):
        return {cell: self.bench.seen_lamps(cell)[0] for cell in self.bench.built.inputs}


@pytest.fixture
def own(folder, monkeypatch):
    monkeypatch.setenv("POND_BOARDS", str(folder))
    return folder / "pwm-4x4.measured.toml"


@pytest.mark.slow
def test_setup_by_lamps_ends_in_a_game(own, monkeypatch, caplog):
    caplog.set_level("INFO")
    notifier = FakeNotifier(watchdog=1.0)
    monkeypatch.setattr(by_lamps, "SystemdNotifier", lambda: notifier)
    board = ServiceRun(monkeypatch, "swapped:b2:c2")
    before = load_profile("pwm-4x4")
    board.begin()
    person = LampUser(board)
    assert set(person.run().values()) == {"good"}
    person.touch("c3")
    board.service.join(20)
    assert own.exists()
    assert board.profile == load_profile("pwm-4x4") != before
    assert list(load_results("pwm-4x4")) == ["map", "sensors"]
    assert notifier.lines[0] == "READY=1"
    assert notifier.lines.count("WATCHDOG=1") > board.clock.now() / 1.2
    assert f"set-up, map: {text(Message('setup.saved', file=str(own)))}" in caplog.text
    assert not any(map(any, board.seen.values()))


@pytest.mark.long
def test_idle_setup_ends_and_the_board_plays(own, monkeypatch):
    monkeypatch.setattr(by_lamps, "IDLE_TIMEOUT", 60.0)
    board = ServiceRun(monkeypatch)
    board.begin()
    board.send({"wait": 70})  # the page changes once, after 20 s
    assert board.service.is_alive()
    board.send({"press": "a1"}, {"wait": 0.3}, {"release": "a1"}, {"wait": 70})
    assert board.service.is_alive()
    board.send({"wait": 30})
    board.service.join(20)
    assert board.profile == load_profile("pwm-4x4")
    assert not own.exists()
    assert not any(map(any, board.seen.values()))


def test_hung_bus_is_reported(monkeypatch):
    monkeypatch.setattr(by_lamps, "close_with_timeout", lambda close, lamps: False)
    profile, clock = load_profile("pwm-4x4"), SimulatedClock()
    board = FaultyBoard(profile, clock.now).to_board()
    with pytest.raises(BusHung):
        is_setup_requested(profile, PolledBoard(board.sensors, board.lamps), clock.now, threading.Event(), [])


@pytest.mark.slow
def test_failed_reopening_reports_the_saved_file(own, monkeypatch):
    board, opened = ServiceRun(monkeypatch, "swapped:b2:c2"), []

    def once(profile, now):
        opened.append(profile)
        if len(opened) > 1:
            raise BoardFault("GPIO busy.")
        return board.build_board(profile, now)

    monkeypatch.setattr(controller, "build_board", once)
    failed = []
    monkeypatch.setattr(threading, "excepthook", lambda crash: failed.append(crash.exc_value.message))
    board.begin()
    with pytest.raises(AssertionError, match="Never done"):
        LampUser(board).run(max_seconds=100)
    assert failed == [Message("setup.saved_not_opened", file=str(own), reason=as_message("GPIO busy."))]


@pytest.mark.parametrize("signals", [0, 1])
def test_end_signal_stops_the_corner_gesture(signals):
    """Without a signal, it would take 5 s to give up on held corners."""
    profile, clock = load_profile("pwm-4x4"), SimulatedClock()
    bench = FaultyBoard(profile, clock.now)
    for cell in ("a1", "d4"):
        bench.press(cell)
    clock.advance_to(1.0)  # contacts have settled
    board = bench.to_board()

    class Waits:
        set = clear = staticmethod(lambda: None)

        @staticmethod
        def wait(seconds):
            clock.advance_to(clock.now() + max(seconds, 0.001))

    assert (
        is_setup_requested(profile, PolledBoard(board.sensors, board.lamps), clock.now, Waits, [15] * signals) is False
    )
    assert clock.now() == pytest.approx(1.0 if signals else 6.0, abs=0.1)


def test_untouched_board_starts_at_once():
    profile, clock = load_profile("pwm-4x4"), SimulatedClock()
    board, arrived = FaultyBoard(profile, clock.now).to_board(), threading.Event()
    arrived.wait = lambda seconds: pytest.fail(f"it waits for {seconds} s")
    assert is_setup_requested(profile, PolledBoard(board.sensors, board.lamps), clock.now, arrived, []) is False


def test_recorder_survives_the_corner_gesture(monkeypatch):
    profile, clock, heard = load_profile("pwm-4x4"), SimulatedClock(), []
    bench = FaultyBoard(profile, clock.now)
    board = bench.to_board()
    board.sensors.sample_watchers.append(heard.append)
    assert (
        is_setup_requested(profile, PolledBoard(board.sensors, board.lamps), clock.now, threading.Event(), []) is False
    )
    assert (board.sensors.sample_watchers, board.sensors.always_fast) == ([heard.append], False)
    assert len(heard) == 1


@pytest.mark.slow
def test_service_start_imports_no_measuring_code():
    script = "import sys, pond_hw.setup.by_lamps; print('statistics' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def held(*cells, at=0.1, size=4):
    return Sample(tuple(int(cell in cells) for cell in get_grid(size).cells), at)


@pytest.fixture
def look():
    return CornerGesture(load_profile("pwm-4x4"), 0.0)


@pytest.mark.parametrize(
    "cells", [(), ("a1",), ("d4",), ("a1", "d1"), ("a1", "d4", "b2"), get_grid(4).cells], ids="+".join
)
def test_other_cells_held_at_first_start_normally(look, cells):
    assert look.after(held(*cells)).is_requested is False


def test_held_corners_blink_until_released(look):
    look = look.after(held("a1", "d4"))
    assert look.is_requested is None
    lit = look.lit_lamps
    assert len(lit) == 2
    look = look.after(StepTick(look.due))
    assert look.lit_lamps == {}
    look = look.after(StepTick(look.due))
    assert look.lit_lamps == lit
    look = look.after(held("d4", at=1.0))
    assert look.is_requested is None
    look = look.after(held(at=1.2))
    assert look.is_requested is True
    assert look.lit_lamps == {}


def test_gesture_uses_the_corners_of_the_board():
    profile = load_profile("matrix-5x5")
    look = CornerGesture(profile, 0.0).after(held("a1", "e5", size=5))
    assert look.is_requested is None
    assert len(look.lit_lamps) == 2 * profile.chain.lamps_per_cell


def test_corners_held_too_long_start_normally(look):
    look, blinks = look.after(held("a1", "d4")), 0
    while look.is_requested is None:
        assert look.due - look.at <= BLINK + 1e-6
        look, blinks = look.after(StepTick(look.due)), blinks + 1
    assert look.is_requested is False
    assert look.at == pytest.approx(0.1 + RELEASE_TIMEOUT)
    assert blinks == pytest.approx(RELEASE_TIMEOUT / BLINK)


def test_another_touched_cell_starts_normally(look):
    assert look.after(held("a1", "d4")).after(held("a1", "d4", "c3", at=0.5)).is_requested is False


def test_corner_bounce_does_not_end_the_gesture(look):
    for at, cells in ((0.1, "a1 d4"), (0.6, "a1"), (0.601, "a1 d4"), (0.602, "d4"), (0.61, "a1 d4")):
        look = look.after(held(*cells.split(), at=at))
    assert look.is_requested is None


def test_silent_sensors_start_normally(look):
    assert look.due == SAMPLE_TIMEOUT
    assert look.after(StepTick(0.3)).is_requested is None
    assert look.after(StepTick(SAMPLE_TIMEOUT)).is_requested is False


def test_unreachable_sensors_start_normally(look):
    assert look.after(HealthEvent(as_message("The sensors do not answer."), 0.0)).is_requested is False


def test_gesture_decision_is_final(look):
    asked = look.after(held("a1", "d4")).after(held(at=1.0))
    assert asked.after(held("b2", at=2.0)) == asked
    assert asked.due == float("inf")
