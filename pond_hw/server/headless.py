"""`pond headless`: a simulated board driven by JSON lines, in simulated time.

The same input gives the same output, byte for byte.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from pond_hw.blackbox import BlackBox, record_board
from pond_hw.companion import Companion
from pond_hw.companion.saved_state import add_courses, open_with_resume_prompt, place_resumed_pieces
from pond_hw.engine import PlayerPair, SeatedPlayers, make_simulated_player
from pond_hw.engine.hints import ImmediateAdviser
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import Action, PondError, Variant
from pond_hw.server import protocol
from pond_hw.server.execute_request import execute_request
from pond_hw.server.parse_requests import (
    MAX_LINE_BYTES,
    BrightnessRequest,
    ClientRequest,
    CommandRequest,
    LanguageRequest,
    LinkedRequest,
    ProtocolError,
    QueryRequest,
    RemoteRequest,
    WaitRequest,
    parse_request,
)
from pond_hw.server.protocol import exercise_message, exercises_message
from pond_hw.session import Session
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.board_with_pieces import PieceOptions, TableClock


class HeadlessGame:
    """A game driven by a program over JSON lines.

    Args:
        first_variant: variant of the first game, which determines the board size.
        lamps_per_cell: number of lamps per cell.
        frames: True to send a frame after each state.
        pieces: kind of pieces; None for a board with buttons.
        box: recording of the board, or None.
        folder: journal folder, or None. Answers are sent only after the game has been written to disk.
        players: computer players; None for a side that the driving program plays.
        language: initial language.
    """

    def __init__(
        self,
        first_variant: Variant,
        lamps_per_cell: int = 1,
        *,
        frames: bool = False,
        pieces: PieceOptions | None = None,
        box: BlackBox | None = None,
        folder: Path | None = None,
        players: PlayerPair = (None, None),
        language: str = "en",
    ) -> None:
        self._game_clock = clock = TableClock()
        self._simulated_board = SimulatedBoard(first_variant.size, lamps_per_cell, clock.now)
        board, board_state = self._simulated_board.to_board(), None
        if pieces:
            clock.table = pieces.make_table(first_variant.size, lamps_per_cell, clock.now)
            board, board_state = clock.table.to_board(), pieces.initial_board_state()
        board = record_board(board, box, clock.now)
        start_session = Session.start_game(first_variant, board_state=board_state)
        session, journal = open_with_resume_prompt(
            folder, start_session, 0.0, board="headless", seated=SeatedPlayers(players), threaded=False
        )
        if clock.table:
            place_resumed_pieces(session, clock.table)
        session, saved = add_courses(session, folder, 0.0)
        saved.journal = journal
        self.companion = Companion(
            board,
            session,
            clock,
            SeatedPlayers(players),
            saved=saved,
            adviser=ImmediateAdviser(),
            make_opponent=make_simulated_player,
        )
        self._with_frames, self._language = frames, language
        self.companion.step()

    def format_hello(self) -> str:
        """Return the first line of output."""
        light_name, dark_name = self.companion.seated.program_names
        session, lamps_per_cell = self.companion.session, self.companion.board.lamps.lamps_per_cell
        seats = protocol.seat_fields((light_name, dark_name)) if light_name or dark_name else {}
        return protocol.format_message(protocol.hello_message(session, lamps_per_cell, seats))

    def opening_lines(self) -> Iterator[str]:
        """Yield the state to send after `hello` if a computer player takes part."""
        if any(self.companion.seated.players):
            yield from self.answer_line(b'{"ask":"state"}')

    def answer_line(self, request_line: bytes) -> Iterator[str]:
        """Execute a request line and yield the answers. If an internal error occurs, yield an error message first."""
        barrier, answer_messages = self.companion.barrier, list[Mapping[str, Any]]()
        failure_count = barrier.failure_count
        barrier.run(self._process_line, request_line, answer_messages.append)
        if barrier.failure_count > failure_count:
            assert barrier.last_failure
            answer_messages.insert(0, protocol.error_message(barrier.last_failure, self._language))
        yield from map(protocol.format_message, answer_messages)

    def _process_line(self, request_line: bytes, put_answer: Callable[[Mapping[str, Any]], None]) -> None:
        try:
            client_request = parse_request(request_line)
            session_before = self.companion.session
            self._run_request(client_request, put_answer)
        except PondError as fault:
            put_answer(protocol.error_message(fault.message, self._language))
            return
        session, now = self.companion.session, self._game_clock.now()
        has_passed = isinstance(client_request, WaitRequest) and client_request.seconds > 0
        is_asked = client_request == QueryRequest("state") or isinstance(client_request, LanguageRequest)
        sends_state = is_asked or has_passed or session is not session_before
        if sends_state:
            put_answer(protocol.state_message(session.view, now, self._language))
        if client_request == QueryRequest("record"):
            put_answer(protocol.record_message(session.view, now, self._language))
        if isinstance(client_request, QueryRequest) and client_request.query_name == "exercises":
            put_answer(exercises_message(session.courses, client_request.language or self._language))
        if client_request == QueryRequest("frame") or (self._with_frames and sends_state):
            put_answer(protocol.frame_message(self.companion.frame, now))

    def _run_request(self, client_request: ClientRequest, put_answer: Callable[[Mapping[str, Any]], None]) -> None:
        """Execute a request, and answer it if it asks for a preview or the details of an exercise."""
        match client_request:
            case WaitRequest(seconds):
                self.companion.run_until(self._game_clock.now() + seconds)
            case QueryRequest(_, Action() as action):
                preview = self.companion.session.preview_action(action)
                put_answer(protocol.what_if_message(preview, self._language))
            case QueryRequest(exercise=(str(), str()) as names):
                put_answer(exercise_message(self.companion.session.courses, names, self._language))
            case LanguageRequest(language):
                self._language = language
            case QueryRequest("games" | "game" | "health" | "doctor") | BrightnessRequest():
                raise ProtocolError(Message("remote.only_served_question"))
            case QueryRequest():
                pass
            case CommandRequest(_, True):
                raise ProtocolError(Message("remote.only_served"))
            case CommandRequest(players=tuple()) | CommandRequest(people=tuple()):
                raise ProtocolError(Message("remote.only_served_players"))
            case _ if isinstance(client_request, RemoteRequest):
                raise ProtocolError(Message("remote.only_served"))
            case _ if isinstance(client_request, LinkedRequest):
                raise ProtocolError(Message("linked.only_served"))
            case _:
                execute_request(client_request, self._simulated_board, self.companion)
        self.companion.step()


def run(headless_game: HeadlessGame, line_source: BinaryIO | None = None, output: TextIO | None = None) -> None:
    """Answer the lines of standard input on standard output until the input ends."""
    line_source, output = line_source or sys.stdin.buffer, output or sys.stdout
    try:
        print(headless_game.format_hello(), *headless_game.opening_lines(), sep="\n", file=output, flush=True)
        for request_line in read_lines(line_source):
            for answer_line in headless_game.answer_line(request_line):
                print(answer_line, file=output)
            output.flush()
    finally:
        headless_game.companion.close()


def read_lines(line_source: BinaryIO | FileIO) -> Iterator[bytes]:
    """Yield the lines of a stream without their line endings. Overlong lines are cut just above the limit.

    Raises PondError if the stream cannot be read.
    """
    max_bytes = MAX_LINE_BYTES + 2
    try:
        while request_line := line_source.readline(max_bytes):
            yield request_line.rstrip(b"\r\n")
            while not request_line.endswith(b"\n") and len(request_line) == max_bytes:
                request_line = line_source.readline(max_bytes)
    except (OSError, ValueError) as error:
        raise PondError(Message("input.unreadable", text=describe_system_error(error))) from None
