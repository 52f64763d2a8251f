"""A table that is served elsewhere on this machine: its game and its lamps come by the local socket, our wishes go."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from pond_hw.board import Frame
from pond_hw.companion import format_failure
from pond_hw.lights import CurrentLimiter
from pond_hw.rules import Cell, PondError
from pond_hw.server.decoding import (
    InvalidMessage,
    JsonMessage,
    SeatNames,
    ServedBoard,
    parse_frame,
    parse_hello,
    parse_instant,
    parse_line,
    parse_seats,
    parse_session,
    parse_text,
)
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    BoardIsRight,
    ChooseResume,
    MaskSensor,
    NewGame,
    RedoTurns,
    ResignGame,
    Session,
    SetUpGame,
    UndoTurns,
)
from pond_hw.session import ResumeChoice as Offered
from pond_hw.tui.dialogs import GameChoice
from pond_hw.tui.play_table import GameTable, UserEvent
from pond_hw.tui.remote_board_state import with_board_state
from pond_hw.tui.remote_hand import RemoteHand

ANSWER_TIMEOUT_SECONDS = 5.0
"""Seconds that the board has to answer when we come."""

MAX_LINE_BYTES = 1 << 20
"""Bytes of a line that we read, at the most."""

CHUNK_BYTES, MAX_CHUNKS = 1 << 16, 16
"""Bytes that are read at once, and how often in one step: whoever sends without end must not hold us up."""

_COMMAND_NAMES: dict[type, str] = {
    UndoTurns: "undo",
    RedoTurns: "redo",
    AgreeDraw: "draw",
    ResignGame: "resign",
    BoardIsRight: "board",
    AskHint: "hint",
}


class RemotePlayer(NamedTuple):
    """Another player, of whom only the name is known here."""

    name: str


class RemoteTable:
    """The board that is served at a socket.

    A `state` says that something has changed, and then the whole record is asked for. All lines come in order: a
    record that is under way when a state comes tells of that change too.

    Args:
        paths: where the socket may be; the first that answers is taken.
        clock: the seconds that pass here.

    Attributes:
        session: the conversation as it stands there.
        frame: what the lamps there show.
        players: who plays there; None is a person at the board.
        names: what the people there are called, as far as they have said.
        limiter: what made the frame, as far as a screen must know.
        is_local: False: others may be playing on when we leave.
        hand: what holds the pieces there; None where there are buttons.
        failure: what has failed in this program, if anything has.

    Raises:
        PondError: no board is served there, or we may not come in.
    """

    is_local = False
    failure = ""
    session: Session
    frame: Frame

    def __init__(self, paths: Sequence[Path], clock: Callable[[], float] = monotonic) -> None:
        self._socket_path, self._connection = _connect_first(paths)
        self._clock = clock
        self._clock_offset: float | None = None  # of our clock, by how much theirs is
        self._received_bytes = b""
        self._awaited_answers = {"record", "frame"}  # what we have asked for and not got yet
        self._served_board: ServedBoard | None = None
        self._lost_error: PondError | None = None  # why nothing more can be said
        self.hand: RemoteHand | None = None
        try:
            self._send_lines({"ask": "record"}, {"ask": "frame"})
            self._wait_for_answers()
        except BaseException:
            self.close()
            raise

    def now(self) -> float:
        """Seconds on their clock, as near as we know."""
        return self._clock() + (self._clock_offset or 0.0)

    def fit_lamps(self, lamps: int) -> None:
        """Their board has the lamps that it has."""

    def step(self) -> None:
        """Take in what they have said, and ask for the next frame.

        Raises:
            PondError: the board is no longer served, or is no board.
        """
        self._receive_data()
        if self.hand:
            self.hand.step()
        self._send_query("frame")

    def guard(self, job: Callable[..., object], *arguments: object) -> bool:
        """Do something that may fail; what the board does elsewhere does not depend on it."""
        try:
            job(*arguments)
        except Exception as error:  # noqa: BLE001 - as `Companion.guard`
            self.failure = format_failure(error)
            return False
        return True

    def touch_cell(self, cell: Cell) -> None:
        """A finger comes down on a cell and leaves it at once."""
        self._send_lines({"touch": cell})

    def put(self, event: UserEvent) -> None:
        """Ask for something. Who resigns is decided there."""
        match event:
            case NewGame(pond):
                self._send_lines({"command": "new", "variant": pond.name})
            case SetUpGame(position):
                self._send_lines(
                    {"command": "set_up", "position": position.notation_line, "variant": position.variant.name}
                )
            case MaskSensor(cell, _, bad):
                self._send_lines({"command": "mask" if bad else "unmask", "cell": cell})
            case ChooseResume(choice):
                self._send_lines({"command": choice.name.lower()})
            case _:
                self._send_lines({"command": _COMMAND_NAMES[type(event)]})

    def begin_game(self, choice: GameChoice) -> GameTable:
        """Ask for another game. Those who play stay."""
        self.put(NewGame(choice.variant, self.now()))
        return self

    def decline_resume(self) -> GameTable:
        """Ask for another game than the one that is offered. Which one is known there."""
        self.put(ChooseResume(Offered.DISCARD, self.now()))
        return self

    def describe_resume(self) -> tuple[str, str]:
        """Nothing: that is known there."""
        return "", ""

    @property
    def farewell_message(self) -> str:
        """Nothing: they play on."""
        return ""

    def close(self) -> None:
        """Leave; they play on."""
        self._connection.close()

    def _wait_for_answers(self) -> None:
        """Wait until we know how everything stands."""
        until = monotonic() + ANSWER_TIMEOUT_SECONDS
        poll = select.poll()
        poll.register(self._connection, select.POLLIN)
        while self._awaited_answers:
            if not poll.poll(max(0.0, until - monotonic()) * 1000):
                raise self._timeout_error()
            self._receive_data()

    def _receive_data(self) -> None:
        try:
            for _ in range(MAX_CHUNKS):
                data = self._connection.recv(CHUNK_BYTES)
                if not data:
                    raise self._closed_error()
                self._take_lines(data)
        except BlockingIOError:
            pass
        except OSError as error:
            raise self._closed_error() from error
        if self._lost_error:
            raise self._lost_error

    def _take_lines(self, data: bytes) -> None:
        *lines, self._received_bytes = (self._received_bytes + data).split(b"\n")
        try:
            for line in lines:
                self._take_message(parse_line(line))
        except InvalidMessage as error:
            raise PondError(f"{error} {self._version_question}") from error
        if len(self._received_bytes) > MAX_LINE_BYTES:
            raise PondError(f"It says more at once than any board has to say. {self._version_question}")

    def _take_message(self, told: JsonMessage) -> None:
        if self._served_board is None:
            self._take_hello(told)
            return
        match told["type"]:
            case "state":
                self._send_query("record")
            case "record":
                self.session = with_board_state(parse_session(told), told)
                if "players" in told:  # a board of an older version tells it only when we come
                    self._set_players(parse_seats(told))
                self._adjust_clock(told)
                if self.hand and self.session.board_state:
                    self.hand.update_occupied(self.session.board_state.occupancy.occupied_cells)
            case "error" if self.hand:
                self.hand.handle_refusal(parse_text(told, "message"))
            case "frame":
                self.frame = parse_frame(told, self._served_board)
                self._adjust_clock(told)
        self._awaited_answers.discard(told["type"])

    def _take_hello(self, told: JsonMessage) -> None:
        if told["type"] == "error":  # they send us away
            raise PondError(f"The board at {self._socket_path} says: {parse_text(told, 'message')}")
        served = self._served_board = parse_hello(told)
        self._set_players(served.seat_names)
        self.limiter = CurrentLimiter(brightness=served.brightness, gamma=served.gamma)
        if told.get("pieces") is True:
            self.hand = RemoteHand(served.size, self._send_lines, self._clock)

    def _set_players(self, seated: SeatNames) -> None:
        light, dark = (None if name is None else RemotePlayer(name) for name in seated.player_names)
        self.players, self.names = (light, dark), seated.people_names

    def _adjust_clock(self, told: JsonMessage) -> None:
        """What came with the least delay tells their clock best."""
        ahead = parse_instant(told) - self._clock()
        self._clock_offset = ahead if self._clock_offset is None else max(ahead, self._clock_offset)

    def _send_query(self, what: str) -> None:
        if what not in self._awaited_answers:
            self._awaited_answers.add(what)
            self._send_lines({"ask": what})

    def _send_lines(self, *lines: dict[str, Any]) -> None:
        said = "".join(json.dumps(line) + "\n" for line in lines)
        try:
            self._connection.sendall(said.encode())
        except OSError as error:  # raised with the next step: what they have said before is heard first
            has_not_listened = isinstance(error, BlockingIOError)  # for thousands of lines
            self._lost_error = self._timeout_error() if has_not_listened else self._closed_error()

    def _timeout_error(self) -> PondError:
        return PondError(f"The board at {self._socket_path} does not answer.")

    @property
    def _version_question(self) -> str:
        return f"Is it a pond of the same version as this that listens at {self._socket_path}?"

    def _closed_error(self) -> PondError:
        return PondError(f"The board at {self._socket_path} is no longer served.")


def _connect_first(paths: Sequence[Path]) -> tuple[Path, socket.socket]:
    """The first of these sockets that answers, and the connection to it."""
    denied: Path | None = None
    for path in paths:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(ANSWER_TIMEOUT_SECONDS)
        try:
            connection.connect(str(path))
        except OSError as error:
            connection.close()
            if isinstance(error, TimeoutError):
                raise PondError(f"The board at {path} does not answer.") from error
            if isinstance(error, PermissionError):
                denied = denied or path
            continue
        connection.setblocking(False)
        return path, connection
    raise (
        _permission_error(denied)
        if denied
        else PondError(
            f"No board is being served at {paths[0]}. Start one with `pond serve --board simulated-4x4`, "
            "or name its socket: `pond play --connect PATH`."
        )
    )


def _permission_error(path: Path) -> PondError:
    return PondError(
        f"A board may be served at {path}, but you may not use that socket. Join the group that it belongs to "
        f"({_socket_group(path)}) with `sudo usermod -aG {_socket_group(path)} $USER`, and log in again."
    )


def _socket_group(path: Path) -> str:
    """The group of a file, or of the folder in which it must not be seen."""
    for place in (path, *path.parents):
        try:
            return place.group()
        except (OSError, KeyError):
            continue
    return "pond"
