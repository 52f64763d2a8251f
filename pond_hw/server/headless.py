"""`pond headless`: the simulated board, driven by JSON lines, in simulated time.

The same lines in give the same lines out, byte for byte.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path
from typing import BinaryIO, TextIO

from pond_hw.blackbox import BlackBox, recorded
from pond_hw.companion import Companion, SimulatedClock
from pond_hw.companion.saved_games import stand_as, take_up
from pond_hw.engine import Player
from pond_hw.engine.adviser import AdvisesAtOnce
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import Action, PondError, Variant
from pond_hw.server import protocol
from pond_hw.server.dispatch import carry_out
from pond_hw.server.protocol import Ask, BadLine, Command, Finger, Hand, Request, Wait
from pond_hw.session import Session
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.options import Pieces
from pond_hw.simulator.table import TableClock

Players = tuple[Player | None, Player | None]


class Headless:
    """A game that a program plays: `answer` takes one line and gives the lines that answer it.

    Args:
        pond: the variant of the first game; the board just fits it.
        lamps: lamps in a cell.
        frames: whether a frame follows every state.
        pieces: what kind of pieces the board has; None for buttons.
        box: where all that is felt and shown is noted, if anywhere.
        folder: where the game is kept, if anywhere; nothing is answered before it is on the disk.
        players: who plays light and dark; None for the program that drives the board.
    """

    def __init__(
        self,
        pond: Variant,
        lamps: int = 1,
        *,
        frames: bool = False,
        pieces: Pieces | None = None,
        box: BlackBox | None = None,
        folder: Path | None = None,
        players: Players = (None, None),
    ) -> None:
        self._clock = TableClock() if pieces else SimulatedClock()
        self._fingers = SimulatedBoard(pond.size, lamps, self._clock.now)
        board, wood = self._fingers.board(), None
        if pieces and isinstance(self._clock, TableClock):
            self._clock.table = pieces.table(pond.size, lamps, self._clock.now)
            board, wood = self._clock.table.board(), pieces.wood()
        board = recorded(board, box, self._clock.now)
        start = Session.start(pond, wood=wood)
        session, journal = take_up(folder, start, 0.0, board="headless", players=players, threaded=False)
        if isinstance(self._clock, TableClock) and self._clock.table:
            stand_as(session, self._clock.table)
        self.companion = Companion(board, session, self._clock, players, journal=journal, adviser=AdvisesAtOnce())
        self._frames = frames
        self.companion.step()

    def hello(self) -> str:
        """The first line out."""
        light, dark = (player.name if player else None for player in self.companion.players)
        lamps = self.companion.board.lamps.lamps
        return protocol.write(protocol.hello(self.companion.session, lamps, players=(light, dark)))

    def begin(self) -> Iterator[str]:
        """What is said unasked behind it: against another player, how the game stands."""
        if any(self.companion.players):
            yield from self.answer(b'{"ask":"state"}')

    def answer(self, line: bytes) -> Iterator[str]:
        """Do what a line asks; yield the lines that answer it, none if nothing came of it.

        Should something fail in the program, an error says so before them.
        """
        failures, told = self.companion.failures, list[str]()
        self.companion.guard(self._answer, line, told.append)
        if self.companion.failures > failures:
            yield protocol.write(protocol.error(self.companion.failure))
        yield from told

    def _answer(self, line: bytes, say: Callable[[str], None]) -> None:
        try:
            request = protocol.read_request(line)
            before = self.companion.session
            told = self._do(request)
        except (BadLine, PondError) as fault:
            say(protocol.write(protocol.error(str(fault))))
            return
        if told:
            say(told)
        session, now = self.companion.session, self._clock.now()
        passed = isinstance(request, Wait) and request.seconds > 0
        stated = request == Ask("state") or passed or session is not before
        if stated:
            say(protocol.write(protocol.state(session, now)))
        if request == Ask("record"):
            say(protocol.write(protocol.record(session, now)))
        if request == Ask("frame") or (self._frames and stated):
            say(protocol.write(protocol.frame(self.companion.frame, now)))

    def _do(self, request: Request) -> str | None:
        """Do it; what it tells at once, if that is not known from the session afterwards."""
        told = None
        match request:
            case Finger() | Hand() | Command():
                carry_out(request, self._fingers, self.companion)
            case Wait(seconds):
                self.companion.run_until(self._clock.now() + seconds)
            case Ask(_, Action() as action):
                told = protocol.write(protocol.what_if(self.companion.session, action))
            case Ask():
                pass
        self.companion.step()
        return told


def run(
    pond: Variant,
    lamps: int,
    *,
    frames: bool,
    pieces: Pieces | None = None,
    box: BlackBox | None = None,
    folder: Path | None = None,
    players: Players = (None, None),
    source: BinaryIO | None = None,
    out: TextIO | None = None,
) -> None:
    """Answer every line of standard input on standard output until the input ends."""
    source, out = source or sys.stdin.buffer, out or sys.stdout
    game = Headless(pond, lamps, frames=frames, pieces=pieces, box=box, folder=folder, players=players)
    try:
        print(game.hello(), *game.begin(), sep="\n", file=out, flush=True)
        for line in lines(source):
            for answer in game.answer(line):
                print(answer, file=out)
            out.flush()
    finally:
        game.companion.close()


def lines(source: BinaryIO | FileIO) -> Iterator[bytes]:
    """The lines of a stream without their ends; of one that is too long, only as much as shows that it is.

    Raises:
        PondError: the stream cannot be read.
    """
    limit = protocol.LONGEST_LINE + 2
    try:
        while line := source.readline(limit):
            yield line.rstrip(b"\r\n")
            while not line.endswith(b"\n") and len(line) == limit:
                line = source.readline(limit)
    except OSError as error:
        raise PondError(f"The input cannot be read: {describe_system_error(error)}.") from error
