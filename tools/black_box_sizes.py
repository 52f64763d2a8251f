"""Measure the size of recordings per hour of play, on simulated boards with a realistic clock."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Event

from pond_hw.blackbox import BlackBox, record_board
from pond_hw.board import Board, SensorEvent
from pond_hw.companion import Companion, SimulatedClock
from pond_hw.drivers.scan import SensorScan
from pond_hw.profile import load_profile
from pond_hw.rules import STANDARD, VARIANTS, PondError, get_grid
from pond_hw.session import Agreement, BoardState, ConfirmationState, HandTasks, NewGame, Session
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.board_with_faults import FaultyBoard
from pond_hw.simulator.board_with_pieces import SimulatedTable, TableClock

Evening = Callable[[BlackBox, float], None]


class LateClock:
    """Clock that wakes up a fraction of a millisecond late, as a real one does."""

    def __init__(self, clock: SimulatedClock | TableClock) -> None:
        self._clock, self._random = clock, Random(1)
        self.now = clock.now

    def wait(self, until_instant: float, arrival_flag: Event) -> None:
        self._clock.wait(until_instant + self._random.uniform(5e-5, 3e-4), arrival_flag)


def measure_hour(evening: Evening, seconds: float) -> float:
    """Record some seconds of play, and return the size in bytes per hour."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "box"
        box = BlackBox(path, "bench")
        evening(box, seconds)
        box.close()
        return path.stat().st_size / seconds * 3600


def play_with_buttons(box: BlackBox, seconds: float) -> None:
    """Play with buttons and one lamp per cell."""
    rng, clock = Random(3), LateClock(SimulatedClock())
    board = SimulatedBoard(4, 1, clock.now)
    companion = Companion(record_board(board.to_board(), box, clock.now), Session.start_game(STANDARD), clock)
    while clock.now() < seconds:
        companion.step()
        if companion.session.outcome:
            companion.put(NewGame(STANDARD, clock.now()))
            companion.step()
        for cell in filter(None, rng.choice(companion.session.allowed_actions)):
            board.press(cell)
            companion.run_until(clock.now() + rng.uniform(0.1, 0.2))
            board.release(cell)
            companion.run_until(clock.now() + rng.uniform(0.5, 3))
    companion.close()


def play_with_pieces(box: BlackBox, seconds: float) -> None:
    """Play with plain pieces and four animated lamps per cell."""
    rng, clock, variant = Random(3), TableClock(), VARIANTS["big"]
    table = clock.table = SimulatedTable(5, 4, clock.now)
    plain = BoardState(tasks=HandTasks(asks_to_flip=False), confirmation=ConfirmationState(Agreement.IN_PLAY))
    board, session = record_board(table.to_board(), box, clock.now), Session.start_game(variant, board_state=plain)
    companion = Companion(board, session, LateClock(clock))
    while clock.now() < seconds:
        companion.step()
        if not _act(table, companion, rng):
            for cell in table.standing_pieces:
                table.lift(cell)
            table.held_pieces.clear()
            companion.put(NewGame(variant, clock.now()))
            companion.run_until(clock.now() + 1)
    companion.close()


def _act(table: SimulatedTable, companion: Companion, rng: Random) -> bool:
    """Take an action with a piece, and remove any pieces that score. Return True if the game continues."""
    session = companion.session
    if session.outcome:
        return False

    def pause(shortest: float, longest: float) -> None:
        companion.run_until(table.now() + rng.uniform(shortest, longest))

    action = rng.choice(session.allowed_actions)
    try:
        if action.source:
            table.lift(action.source)
            pause(0.3, 1)
        table.drop(action.target, session.position.to_move)
        pause(1, 3)
        for cell in [cell for cell in table.standing_pieces if not companion.session.view.cells[cell].piece]:
            table.lift(cell)
            table.put_aside()
            pause(0.3, 1)
    except PondError:
        return False
    return len(companion.session.turns) > len(session.turns)


class _PolledBoard(Board):
    """Board that is polled instead of starting a sensor thread."""

    def open(self, put: Callable[[SensorEvent], None]) -> None:
        self.lamps.open()
        assert isinstance(self.sensors, SensorScan)
        self.sensors.open_unthreaded(put)


def move_magnets(box: BlackBox, seconds: float) -> None:
    """Place and remove magnets on linear Hall sensors, without lamps."""
    profile, rng, now = load_profile("hall-5x5", measured=False), Random(5), 0.0
    simulated = FaultyBoard(profile, lambda: now)
    board = simulated.to_board()
    sensors = board.sensors
    assert isinstance(sensors, SensorScan)
    record_board(_PolledBoard(sensors, board.lamps), box, lambda: now).open(lambda _event: None)
    due, next_move, down = 0.0, 1.0, set[str]()
    while now < seconds:
        now = max(now, due) + rng.uniform(2e-5, 3e-4)
        sensors.poll(now)
        due = max(due + sensors.pause_seconds, now)
        if now > next_move:
            cell = rng.choice(get_grid(5).cells)
            (simulated.release if cell in down else simulated.press)(cell)
            down ^= {cell}
            next_move = now + rng.uniform(1, 3)


EVENINGS: dict[str, Evening] = {
    "  buttons, 4x4, one lamp": play_with_buttons,
    "  pieces, 5x5, four lamps": play_with_pieces,
    "  linear halls, 5x5, 40 readings/s": move_magnets,
}
