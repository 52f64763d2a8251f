"""Set-up that was asked for by hand when a service began: by the lamps alone, and then the board plays."""

import subprocess
import sys
import threading

import pytest

from pond_hw.board import BoardFault
from pond_hw.messages.message import Message, as_message
from pond_hw.profile import load_profile
from pond_hw.setup import by_lamps, controller
from pond_hw.setup.by_lamps import BusHung, is_setup_asked_for, run_setup_by_lamps
from pond_hw.setup.controller import PolledBoard
from pond_hw.setup.saved_results import load_results
from pond_hw.simulator.workbench import Workbench, parse_build
from tests.messages.says import text
from tests.server.served import Told
from tests.setup.by_lines import ByLight
from tests.setup.people import Clock


class Switched:
    """A board that is switched on, in simulated time: what its service waits for, and the table of who sits there.

    The service runs in a thread of its own, and only while the person waits.
    """

    def __init__(self, monkeypatch, *flaws):
        self.clock, profile = Clock(), load_profile("direct-4x4")
        self.bench = Workbench(profile, self.clock.now, *parse_build(profile, flaws))
        self.due, self.until, self.told, self.profile = 0.0, 0.0, [], None
        self.go, self.reached = threading.Semaphore(0), threading.Semaphore(0)
        self.said = [{"size": 4}]
        self.ended = False
        monkeypatch.setattr(controller, "build_board", self.wired)

    def wired(self, profile, now):
        if profile != self.bench.profile:
            self.bench.use_profile(profile)
        board = self.bench.to_board()
        self.sensors = board.sensors
        return PolledBoard(board.sensors, board.lamps)

    # What the service waits for

    def clear(self):
        pass

    def set(self):
        pass

    def wait(self, seconds):
        end = self.clock.time + max(seconds, 0.001)
        while self.due <= end and self.clock.time < self.bench.moved_at + 0.3:
            self.clock.time = max(self.clock.time, self.due)
            self.sensors.poll(self.clock.time)
            self.due = self.clock.time + self.sensors.pause_seconds
        self.clock.time, self.due = end, max(self.due, end)
        self.sensors.poll_count += 1  # as they would have been read again, and have said the same
        if end >= self.until:
            self.reached.release()
            self.go.acquire()

    # Who sits there

    def begin(self):
        def run():
            try:
                self.profile = run_setup_by_lamps("direct-4x4", self.clock.now, self, self.told)
            finally:
                self.ended = True  # a thread that is about to end is alive for a moment yet
                self.reached.release()

        self.service = threading.Thread(target=run, daemon=True)
        self.service.start()
        self.reached.acquire()

    def says(self, *asked):
        for each in asked:
            match each:
                case {"press": cell}:
                    self.bench.press(cell)
                case {"release": cell}:
                    self.bench.release(cell)
                case {"wait": seconds} if not self.ended:
                    self.until = self.clock.time + seconds
                    self.go.release()
                    self.reached.acquire()
                case {"wait": seconds}:  # nobody serves it any more, and the hours pass
                    self.clock.time += seconds

    @property
    def page(self):
        return {"t": self.clock.time}

    @property
    def seen(self):
        return {cell: self.bench.seen_lamps(cell)[0] for cell in self.bench.built.inputs}


@pytest.fixture
def own(folder, monkeypatch):
    monkeypatch.setenv("POND_BOARDS", str(folder))
    return folder / "direct-4x4.measured.toml"


@pytest.mark.slow
def test_who_does_what_the_lamps_ask_plays_on_the_board_as_it_is(own, monkeypatch, caplog):
    caplog.set_level("INFO")
    heard = Told(watchdog=1.0)
    monkeypatch.setattr(by_lamps, "SystemdNotifier", lambda: heard)
    board = Switched(monkeypatch, "swapped:b2:c2")
    before = load_profile("direct-4x4")
    board.begin()
    person = ByLight(board)
    assert set(person.does_it().values()) == {"good"}
    person.touches("c3")
    board.service.join(20)
    assert own.exists()
    assert board.profile == load_profile("direct-4x4") != before
    assert list(load_results("direct-4x4")) == ["map", "sensors"]
    assert heard.lines[0] == "READY=1"
    assert heard.lines.count("WATCHDOG=1") > board.clock.time / 1.2
    assert f"set-up, map: {text(Message('setup.saved', file=str(own)))}" in caplog.text
    assert not any(map(any, board.seen.values()))


@pytest.mark.long
def test_when_nobody_does_anything_for_long_the_board_plays(own, monkeypatch):
    monkeypatch.setattr(by_lamps, "NOBODY", 60.0)
    board = Switched(monkeypatch)
    board.begin()
    board.says({"wait": 70})  # after twenty seconds the page says that nobody answers
    assert board.service.is_alive()
    board.says({"press": "a1"}, {"wait": 0.3}, {"release": "a1"}, {"wait": 70})
    assert board.service.is_alive()
    board.says({"wait": 30})
    board.service.join(20)
    assert board.profile == load_profile("direct-4x4")
    assert not own.exists()
    assert not any(map(any, board.seen.values()))


def test_a_board_whose_bus_hangs_is_left_behind_and_that_is_said(monkeypatch):
    monkeypatch.setattr(by_lamps, "close_with_timeout", lambda close, lamps: False)
    profile, clock = load_profile("direct-4x4"), Clock()
    board = Workbench(profile, clock.now).to_board()
    with pytest.raises(BusHung):
        is_setup_asked_for(profile, PolledBoard(board.sensors, board.lamps), clock.now, threading.Event(), [])


@pytest.mark.slow
def test_a_board_that_cannot_be_opened_anew_says_what_was_saved(own, monkeypatch):
    board, opened = Switched(monkeypatch, "swapped:b2:c2"), []

    def once(profile, now):
        opened.append(profile)
        if len(opened) > 1:
            raise BoardFault("GPIO busy.")
        return board.wired(profile, now)

    monkeypatch.setattr(controller, "build_board", once)
    failed = []
    monkeypatch.setattr(threading, "excepthook", lambda told: failed.append(told.exc_value.message))
    board.begin()
    with pytest.raises(AssertionError, match="Never done"):
        ByLight(board).does_it(most=100)
    assert failed == [Message("setup.saved_not_opened", file=str(own), reason=as_message("GPIO busy."))]


@pytest.mark.parametrize("signals", [0, 1])
def test_who_is_told_to_end_does_not_wait_for_the_corners(signals):
    """They are held down all the time: without a signal that takes five seconds, with one none at all."""
    profile, clock = load_profile("direct-4x4"), Clock()
    bench = Workbench(profile, clock.now)
    for cell in ("a1", "d4"):
        bench.press(cell)
    clock.time = 1.0  # the contacts have come to rest
    board = bench.to_board()

    class Waits:
        set = clear = staticmethod(lambda: None)

        @staticmethod
        def wait(seconds):
            clock.time += max(seconds, 0.001)

    assert (
        is_setup_asked_for(profile, PolledBoard(board.sensors, board.lamps), clock.now, Waits, [15] * signals) is False
    )
    assert clock.time == pytest.approx(1.0 if signals else 6.0, abs=0.1)


def test_a_board_that_nobody_touches_is_not_waited_for():
    """The first reading says that no corner is down, and the board is to be lit as soon as that."""
    profile, clock = load_profile("direct-4x4"), Clock()
    board, arrived = Workbench(profile, clock.now).to_board(), threading.Event()
    arrived.wait = lambda seconds: pytest.fail(f"it waits for {seconds} s")
    assert is_setup_asked_for(profile, PolledBoard(board.sensors, board.lamps), clock.now, arrived, []) is False


def test_whoever_records_the_board_still_does_so_after_the_look(monkeypatch):
    profile, clock, heard = load_profile("direct-4x4"), Clock(), []
    bench = Workbench(profile, clock.now)
    board = bench.to_board()
    board.sensors.sample_watchers.append(heard.append)
    assert (
        is_setup_asked_for(profile, PolledBoard(board.sensors, board.lamps), clock.now, threading.Event(), []) is False
    )
    assert (board.sensors.sample_watchers, board.sensors.always_fast) == ([heard.append], False)
    assert len(heard) == 1


@pytest.mark.slow
def test_a_service_that_begins_does_not_wait_for_what_only_measuring_needs():
    script = "import sys, pond_hw.setup.by_lamps; print('statistics' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
