"""`pond headless`: the simulated board, driven by JSON lines, in simulated time.

The same lines in give the same lines out, byte for byte.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path
from typing import BinaryIO, TextIO

from pond_hw.blackbox import BlackBox, record_board
from pond_hw.companion import Companion, PlayerPair, SimulatedClock
from pond_hw.companion.saved_games import open_with_resume_prompt, place_resumed_pieces
from pond_hw.engine.adviser import ImmediateAdviser
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import Action, PondError, Variant
from pond_hw.server import protocol
from pond_hw.server.dispatch import dispatch_request
from pond_hw.server.protocol import (
    ClientRequest,
    CommandRequest,
    FingerRequest,
    PieceRequest,
    ProtocolError,
    QueryRequest,
    WaitRequest,
)
from pond_hw.session import Session
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.options import PieceOptions
from pond_hw.simulator.table import TableClock


class HeadlessGame:
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
        pieces: PieceOptions | None = None,
        box: BlackBox | None = None,
        folder: Path | None = None,
        players: PlayerPair = (None, None),
    ) -> None:
        self._game_clock = TableClock() if pieces else SimulatedClock()
        self._simulated_board = SimulatedBoard(pond.size, lamps, self._game_clock.now)
        board, wood = self._simulated_board.to_board(), None
        if pieces and isinstance(self._game_clock, TableClock):
            self._game_clock.table = pieces.make_table(pond.size, lamps, self._game_clock.now)
            board, wood = self._game_clock.table.to_board(), pieces.initial_board_state()
        board = record_board(board, box, self._game_clock.now)
        start = Session.start_game(pond, wood=wood)
        session, journal = open_with_resume_prompt(
            folder, start, 0.0, board="headless", players=players, threaded=False
        )
        if isinstance(self._game_clock, TableClock) and self._game_clock.table:
            place_resumed_pieces(session, self._game_clock.table)
        self.companion = Companion(
            board, session, self._game_clock, players, journal=journal, adviser=ImmediateAdviser()
        )
        self._with_frames = frames
        self.companion.step()

    def format_hello(self) -> str:
        """The first line out."""
        light, dark = (player.name if player else None for player in self.companion.players)
        lamps = self.companion.board.lamps.lamps_per_cell
        return protocol.format_message(protocol.hello_message(self.companion.session, lamps, players=(light, dark)))

    def opening_lines(self) -> Iterator[str]:
        """What is said unasked behind it: against another player, how the game stands."""
        if any(self.companion.players):
            yield from self.answer_line(b'{"ask":"state"}')

    def answer_line(self, line: bytes) -> Iterator[str]:
        """Do what a line asks; yield the lines that answer it, none if nothing came of it.

        Should something fail in the program, an error says so before them.
        """
        failures, told = self.companion.failure_count, list[str]()
        self.companion.guard(self._process_line, line, told.append)
        if self.companion.failure_count > failures:
            yield protocol.format_message(protocol.error_message(self.companion.failure))
        yield from told

    def _process_line(self, line: bytes, say: Callable[[str], None]) -> None:
        try:
            request = protocol.parse_request(line)
            before = self.companion.session
            told = self._run_request(request)
        except (ProtocolError, PondError) as fault:
            say(protocol.format_message(protocol.error_message(str(fault))))
            return
        if told:
            say(told)
        session, now = self.companion.session, self._game_clock.now()
        passed = isinstance(request, WaitRequest) and request.seconds > 0
        stated = request == QueryRequest("state") or passed or session is not before
        if stated:
            say(protocol.format_message(protocol.state_message(session, now)))
        if request == QueryRequest("record"):
            say(protocol.format_message(protocol.record_message(session, now)))
        if request == QueryRequest("frame") or (self._with_frames and stated):
            say(protocol.format_message(protocol.frame_message(self.companion.frame, now)))

    def _run_request(self, request: ClientRequest) -> str | None:
        """Do it; what it tells at once, if that is not known from the session afterwards."""
        told = None
        match request:
            case FingerRequest() | PieceRequest() | CommandRequest():
                dispatch_request(request, self._simulated_board, self.companion)
            case WaitRequest(seconds):
                self.companion.run_until(self._game_clock.now() + seconds)
            case QueryRequest(_, Action() as action):
                told = protocol.format_message(protocol.what_if_message(self.companion.session, action))
            case QueryRequest():
                pass
        self.companion.step()
        return told


def run(
    pond: Variant,
    lamps: int,
    *,
    frames: bool,
    pieces: PieceOptions | None = None,
    box: BlackBox | None = None,
    folder: Path | None = None,
    players: PlayerPair = (None, None),
    source: BinaryIO | None = None,
    out: TextIO | None = None,
) -> None:
    """Answer every line of standard input on standard output until the input ends."""
    source, out = source or sys.stdin.buffer, out or sys.stdout
    game = HeadlessGame(pond, lamps, frames=frames, pieces=pieces, box=box, folder=folder, players=players)
    try:
        print(game.format_hello(), *game.opening_lines(), sep="\n", file=out, flush=True)
        for line in read_lines(source):
            for answer in game.answer_line(line):
                print(answer, file=out)
            out.flush()
    finally:
        game.companion.close()


def read_lines(source: BinaryIO | FileIO) -> Iterator[bytes]:
    """The lines of a stream without their ends; of one that is too long, only as much as shows that it is.

    Raises:
        PondError: the stream cannot be read.
    """
    limit = protocol.MAX_LINE_BYTES + 2
    try:
        while line := source.readline(limit):
            yield line.rstrip(b"\r\n")
            while not line.endswith(b"\n") and len(line) == limit:
                line = source.readline(limit)
    except OSError as error:
        raise PondError(f"The input cannot be read: {describe_system_error(error)}.") from error
