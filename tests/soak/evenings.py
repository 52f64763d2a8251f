"""Simulated evenings at one board, from one seed: players play, leave in mid-game, and pull the plug.

Everything but the hardware is real: companion, session, lights with their limiter, and the journal on disk. All output
and the journal's content go into one hash, the trace.
"""

import hashlib
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random

from pond_hw.companion import Companion
from pond_hw.journal import Journal, Timestamp
from pond_hw.journal.folder import read_all_games
from pond_hw.rules import STANDARD, VARIANTS
from pond_hw.server import protocol
from pond_hw.server.protocol import occupancy_to_json
from pond_hw.session import NewGame, RedoTurns, UndoTurns
from pond_hw.session.game.long_presses import LONG_PRESS_SECONDS
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.table import Table

PONDS = (STANDARD, VARIANTS["mini"], VARIANTS["small-13"])
HOUR = 3600.0


class SeededStampSource:
    """Source of timestamps and ids from a seed. With `jumps`, the wall clock jumps by up to ten years at every step."""

    def __init__(self, seed, evening, jumps):
        self._rng, self._jumps = Random(f"labels {seed} {evening}"), jumps
        self._boot, self._count = f"evening {evening}", 0
        self._wall = datetime(2026, 11, 21, tzinfo=UTC) + timedelta(days=evening)

    def stamp_now(self):
        self._count += 1
        years = self._rng.uniform(-10, 10)
        wall = self._wall + timedelta(days=365 * years if self._jumps else 0, seconds=self._count)
        return Timestamp(self._boot, float(self._count), wall.isoformat(timespec="seconds"))

    def new_uid(self):
        return f"{self._rng.getrandbits(64):016x}"


class Trace:
    """Hash of all output."""

    def __init__(self):
        self._hash = hashlib.blake2b(digest_size=16)

    def take(self, what):
        self._hash.update(what if isinstance(what, bytes) else f"{what}\n".encode())

    def __str__(self):
        return self._hash.hexdigest()


class TracedCompanion(Companion):
    """A companion that adds each frame and state to a trace."""

    def __init__(self, *given, trace, **named):
        self.trace, self.states = trace, 0
        super().__init__(*given, **named)

    def step(self):
        before, frames = self.session, self.display.shown_count
        due = super().step()
        if self.display.shown_count != frames:
            self.trace.take(self.frame.data)
        if self.session is not before:
            self.states += 1
            self.trace.take(protocol.format_message(protocol.state_message(self.session.view, self.clock.now())))
        return due


class Evening(Table):
    """One evening: the program starts, offers an unfinished game, and ends normally or not.

    Args:
        folder: journal folder.
        seed: of all random choices.
        number: of the evening; every other evening is played with pieces.
        trace: receives all output.
        jumps: True if the wall clock jumps.
    """

    def __init__(self, folder, seed, number, trace, *, jumps=False):
        self.rng = Random(f"evening {seed} {number}")
        self.pieces = number % 2 == 1
        about = {"board": "soak", "size": 4, "pieces": self.pieces, "light": "Ada", "dark": "Ben"}
        journal = Journal(folder, about, SeededStampSource(seed, number, jumps), threaded=False)
        journal.open()
        super().__init__(
            lamps=1,
            pieces=PieceOptions() if self.pieces else None,
            journal=journal,
            make_companion=partial(TracedCompanion, trace=trace),
        )
        self.found = self.session.position.notation_line if self.session.resume_prompt else None
        self.folder = folder
        self.turns = 0

    def play(self, seconds):
        """Play for this many seconds."""
        self.wait(2.0)
        if self.session.resume_prompt:
            self.touch(self.rng.choices(["a1", "b1", "c1"], [6, 1, 1])[0])
            self.wait(2.0)
        while self.session.resume_prompt:  # the position was only looked at
            self.touch("a1")
            self.wait(2.0)
        while self.clock.now() < seconds:
            before = len(self.session.turns)
            self.act()
            self.turns += max(0, len(self.session.turns) - before)
            self.wait(self.rng.choice([1.0, 2.0, 3.0, 5.0, 8.0, 20.0]))

    def act(self):
        """Do one random thing."""
        session, rng = self.session, self.rng
        if session.is_over or len(session.turns) > 150:
            self.another()
        elif rng.random() < 0.04:
            self.companion.put(UndoTurns(self.clock.now()))
        elif rng.random() < 0.03:
            self.companion.put(RedoTurns(self.clock.now()))
        elif self.pieces:
            self.move_piece(rng.choice(session.allowed_actions))
        elif rng.random() < 0.05:
            self.touch(rng.choice(session.position.grid.cells))  # possibly an illegal cell
        else:
            for cell in filter(None, rng.choice(session.allowed_actions)):
                self.touch(cell)
                self.wait(0.5)
        self.wait(1.0)
        self.tidy()

    def another(self):
        """Start another game by a long press or a command."""
        if self.pieces or not self.session.is_over:
            self.companion.put(NewGame(self.rng.choice(PONDS), self.clock.now()))
            return
        self.hands.press("b2")
        self.wait(LONG_PRESS_SECONDS + 0.5)
        self.hands.release("b2")

    def move_piece(self, action):
        source, target = action
        if target in self.hands.standing_pieces:  # a scored piece that was not taken off in time
            self.hands.lift(target)
            self.hands.put_aside()
            self.wait(2.0)
        if source:
            self.hands.lift(source)
            self.wait(0.6)
        self.hands.drop(target, self.session.position.to_move)
        self.wait(4.0)

    def tidy(self):
        """Follow the lamps until board and game agree."""
        for _ in range(60):
            if not self.pieces or self.session.game_phase in ("act", "over", "menu"):
                return
            occupancy = occupancy_to_json(self.session.view.occupancy)
            step = occupancy["next"] or {"from": next(iter(occupancy["take_off"]), None), "to": None}
            if step["from"]:
                self.hands.lift(step["from"])
                self.hands.put_aside() if step["to"] is None else None
            if step["to"]:
                piece = self.session.position.pieces.get(step["to"])
                self.hands.drop(step["to"], piece.owner if piece else 0)
            self.wait(1.0 if step["from"] or step["to"] else 4.0)

    def touch(self, cell):
        """Touch a cell. With pieces, lift the piece there and put it back, or put one there and take it off."""
        if not self.pieces:
            super().touch(cell)
            return
        there = cell in self.hands.standing_pieces
        self.hands.lift(cell) if there else self.hands.drop(cell, self.session.position.to_move)
        self.wait(1.0)
        self.hands.drop(cell) if there else self.hands.lift(cell)
        if not there:
            self.hands.put_aside()

    def end(self):
        """End the program normally, or restore the files as a kill leaves them."""
        if self.rng.random() < 0.7:
            self.companion.close()
            return
        files = {path: path.read_bytes() for path in self.folder.iterdir() if not path.name.endswith("-shm")}
        self.companion.close()
        for path in self.folder.iterdir():
            path.unlink()
        for path, data in files.items():
            path.write_bytes(data)


def play_evenings(folder, seed, evenings, hours, trace, *, jumps=False):
    """Play evenings, and yield each when it has ended."""
    for number in range(evenings):
        evening = Evening(folder, seed, number, trace, jumps=jumps)
        evening.play(hours * HOUR)
        evening.end()
        yield evening
    games, said = read_all_games(folder)
    for game in games:
        entries = [(*noted.entry, noted.timestamp.boot_id, noted.timestamp.since_boot) for noted in game.entries]
        trace.take(repr((game.uid, sorted(game.facts.items()), entries)))
    trace.take(repr(said))
