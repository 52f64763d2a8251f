"""How large a black box grows in an hour of play, on simulated boards whose clock trembles as a real one does."""

import tempfile
from pathlib import Path
from random import Random

from pond_hw.blackbox import BlackBox, record_board
from pond_hw.board import Board
from pond_hw.companion import Companion, SimulatedClock
from pond_hw.profile import load_profile
from pond_hw.rules import STANDARD, VARIANTS, PondError, get_grid
from pond_hw.session import BoardState, ConfirmationState, HandTasks, NewGame, Session
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.board_with_faults import FaultyBoard
from pond_hw.simulator.board_with_pieces import SimulatedTable, TableClock


class Trembling:
    """A clock that is late by a fraction of a millisecond each time, as sleeping is."""

    def __init__(self, clock):
        self._clock, self._random = clock, Random(1)
        self.now = clock.now

    def wait(self, until, arrived):
        self._clock.wait(until + self._random.uniform(5e-5, 3e-4), arrived)


def an_hour(evening, seconds):
    """Bytes in an hour, measured over so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "box"
        box = BlackBox(path, "bench")
        evening(box, seconds)
        box.close()
        return path.stat().st_size / seconds * 3600


def buttons(box, seconds):
    """Two people who press, one lamp a cell."""
    chance, clock = Random(3), Trembling(SimulatedClock())
    hands = SimulatedBoard(4, 1, clock.now)
    companion = Companion(record_board(hands.to_board(), box, clock.now), Session.start_game(STANDARD), clock)
    while clock.now() < seconds:
        companion.step()
        if companion.session.outcome:
            companion.put(NewGame(STANDARD, clock.now()))
            companion.step()
        for cell in filter(None, chance.choice(companion.session.allowed_actions)):
            hands.press(cell)
            companion.run_until(clock.now() + chance.uniform(0.1, 0.2))
            hands.release(cell)
            companion.run_until(clock.now() + chance.uniform(0.5, 3))
    companion.close()


def pieces(box, seconds):
    """Two people with pieces without faces; four lamps a cell, which move."""
    chance, clock, pond = Random(3), TableClock(), VARIANTS["big"]
    table = clock.table = SimulatedTable(5, 4, clock.now)
    late, wood = (
        Trembling(clock),
        BoardState(tasks=HandTasks(has_faces=False), confirmation=ConfirmationState(was_in_sync=True)),
    )
    companion = Companion(
        record_board(table.to_board(), box, clock.now), Session.start_game(pond, board_state=wood), late
    )
    while clock.now() < seconds:
        companion.step()
        if not acts(table, companion, chance):
            for cell in table.standing_pieces:
                table.lift(cell)
            table.held_pieces.clear()
            companion.put(NewGame(pond, clock.now()))
            companion.run_until(clock.now() + 1)
    companion.close()


def acts(table, companion, chance):
    """Somebody acts with a piece, and takes off what has scored; whether the game goes on."""
    session, passes = companion.session, lambda *range_: companion.run_until(table.now() + chance.uniform(*range_))
    if session.outcome:
        return False
    action = chance.choice(session.allowed_actions)
    try:
        if action.source:
            table.lift(action.source)
            passes(0.3, 1)
        table.drop(action.target, session.position.to_move)
        passes(1, 3)
        for cell in [cell for cell in table.standing_pieces if not companion.session.view.cells[cell].piece]:
            table.lift(cell)
            table.put_aside()
            passes(0.3, 1)
    except PondError:
        return False
    return len(companion.session.turns) > len(session.turns)


class Polled(Board):
    """A board whose sensors are read by hand and not by a thread."""

    def open(self, put):
        self.lamps.open()
        self.sensors.open_unthreaded(put)


def halls(box, seconds):
    """Linear halls, magnets that come and go, and no lamps."""
    profile, chance, time = load_profile("hall-5x5", measured=False), Random(5), [0.0]
    bench = FaultyBoard(profile, lambda: time[0])
    board = bench.to_board()
    record_board(Polled(board.sensors, board.lamps), box, lambda: time[0]).open(lambda felt: None)
    due, moves, down = 0.0, 1.0, set()
    while time[0] < seconds:
        time[0] = max(time[0], due) + chance.uniform(2e-5, 3e-4)
        board.sensors.poll(time[0])
        due = max(due + board.sensors.pause_seconds, time[0])
        if time[0] > moves:
            cell = chance.choice(get_grid(5).cells)
            (bench.release if cell in down else bench.press)(cell)
            down ^= {cell}
            moves = time[0] + chance.uniform(1, 3)


EVENINGS = {
    "  buttons, 4x4, one lamp": buttons,
    "  pieces, 5x5, four lamps": pieces,
    "  linear halls, 5x5, 40 readings/s": halls,
}
