"""A table served by another process on this machine.

Lamps and game state arrive over a local socket; commands are sent back.
"""

from __future__ import annotations

import json
import select
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from pond_hw.board import Frame
from pond_hw.companion.error_barrier import ErrorBarrier
from pond_hw.engine import HUMAN
from pond_hw.lights import CurrentLimiter
from pond_hw.messages.message import Message
from pond_hw.rules import Cell, PondError, Variant
from pond_hw.server import view_from_json
from pond_hw.server.protocol import by_side, change_to_json
from pond_hw.server.socket_client import ANSWER_TIMEOUT_SECONDS, connect_first, no_answer_error
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    BoardIsRight,
    ChangeSetting,
    ChooseExercise,
    ChooseResume,
    EndTurn,
    LinkChange,
    MaskSensor,
    NewGame,
    PauseExercise,
    RedoTurns,
    ResignGame,
    ResumeChoice,
    SessionEvent,
    SetUpGame,
    ShownRefusal,
    StartExercise,
    UndoTurns,
    View,
)
from pond_hw.tui.dialogs import GameChoice, ListedExercise
from pond_hw.tui.hand import RemoteHand

MAX_LINE_BYTES = 1 << 20

CHUNK_BYTES, MAX_CHUNKS = 1 << 16, 16
"""Number of bytes per read, and maximum number of reads per step.

The limit keeps a fast sender from blocking this program.
"""

_COMMAND_NAMES: dict[type[SessionEvent], str] = {
    AgreeDraw: "draw",
    AskHint: "hint",
    BoardIsRight: "board",
    EndTurn: "done",
}


class RemoteTable:
    """A board that another process serves. Connects to the first socket that answers.

    When a `state` message announces a change, the client requests the complete record. Messages arrive in order, so a
    record that is already on its way when the state arrives includes the change.

    Attributes:
        limiter: limiter with the brightness and gamma of the served board.
        farewell: always None, because the game goes on after this client disconnects.
        is_first_visit: always False, because the protocol does not report past games.
        resume_messages: always None, because the served board seats the players itself.

    Raises:
        PondError: if no board answers, or if the connection is refused.
    """

    is_local = False
    farewell = None
    is_first_visit = False
    resume_messages = None, None
    view: View
    frame: Frame

    def __init__(self, socket_paths: Sequence[Path], local_clock: Callable[[], float] = monotonic) -> None:
        self._socket_path, self._connection = connect_first(socket_paths)
        self._connection.setblocking(False)
        self._clock = local_clock
        self.barrier = ErrorBarrier(
            local_clock, lambda _: None
        )  # failures in this client are not reported to the board
        self._clock_offset: float | None = None  # seconds by which the board's clock is ahead of ours
        self._received_bytes = b""
        self._awaited_answers = {"record", "frame"}  # requests without an answer yet
        self._last_state: view_from_json.JsonMessage = {}
        self._served_board: view_from_json.ServedBoard | None = None
        self._game_variant: Variant | None = None  # variant of the game, even during an exercise
        self._lost_error: PondError | None = None  # raised by the next step
        self._listed_exercises: dict[str, list[ListedExercise]] | None = None  # until they have been shown
        self.hand: RemoteHand | None = None
        try:
            self._send_lines({"ask": "record"}, {"ask": "frame"})
            self._wait_for_answers()
        except BaseException:
            self.close()
            raise

    @property
    def default_variant(self) -> Variant:
        """Variant that the new-game dialog preselects: that of the current game if known."""
        return self._game_variant or self.view.variant

    def now(self) -> float:
        """Return an estimate of the time on the board's clock, in seconds."""
        return self._clock() + (self._clock_offset or 0.0)

    def fit_lamps(self, lamp_count: int) -> None:
        """Do nothing, because the number of lamps on a served board is fixed."""

    def step(self) -> None:
        """Process the messages that have arrived, and request the next frame.

        Raises:
            PondError: if the connection is lost, or if a message is invalid.
        """
        self._receive_data()
        if self.hand:
            self.hand.step()
        self._send_query("frame")

    def touch_cell(self, cell: Cell) -> None:
        self._send_lines({"touch": cell})

    def put(self, event: SessionEvent) -> None:
        """Send an event to the board as a command."""
        command: Mapping[str, str | int | None]
        match event:
            case NewGame(pond):
                command = {"command": "new", "variant": pond.name}
            case SetUpGame(position):
                command = {"command": "set_up", "position": position.notation_line, "variant": position.variant.name}
            case MaskSensor(cell, _, bad):
                command = {"command": "mask" if bad else "unmask", "cell": cell}
            case UndoTurns():
                command = {"command": "undo"} | ({"turn": self.view.turn_number} if self.view.turn_number else {})
            case RedoTurns():
                command = {"command": "redo", "turn": self.view.turn_number + 1}
            case ResignGame(_, side):
                command = {"command": "resign"} | ({} if side is None else {"side": str(side)})
            case ChangeSetting(setting, side, value):
                whose = {} if side is None else {"side": str(side)}
                command = {"command": setting.name, **whose, setting.value_field: value}
            case StartExercise(course_name, _, name):
                command = {"command": "exercise", "course": course_name} | ({} if name is None else {"name": name})
            case PauseExercise():
                command = {"command": "exercise", "choice": "ask"}
            case ChooseExercise(choice):
                command = {"command": "exercise", "choice": choice.name.lower()}
            case ChooseResume(choice):
                command = {"command": choice.name.lower()}
            case _:
                command = {"command": _COMMAND_NAMES[type(event)]}
        self._send_lines(command)

    def answer_request(self, request: LinkChange, *, is_accepted: bool) -> None:
        """Answer a request of the other home."""
        self._send_lines({"command": "answer", "request": change_to_json(request), "accept": is_accepted})

    def choose_version(self, version: int) -> None:
        """Answer the question which of two versions of a linked game counts."""
        self._send_lines({"command": "answer", "version": version})

    def list_exercises(self, course_name: str, language: str) -> list[ListedExercise] | None:
        """Return the exercises of a course, or request them and return None if they have not arrived yet."""
        listed, self._listed_exercises = self._listed_exercises, None
        if listed is not None:
            return listed.get(course_name, [])
        if "exercises" not in self._awaited_answers:
            self._awaited_answers.add("exercises")
            self._send_lines({"ask": "exercises", "language": language})
        return None

    def begin_game(self, choice: GameChoice) -> bool:
        """Request another game, and other players if they have changed.

        Return False because the board stays the same.
        """
        light, dark = (None if name == HUMAN else name for name in choice.player_names)
        players = {} if (light, dark) == self.program_names else {"players": by_side((light, dark))}
        self._send_lines({"command": "new", "variant": choice.variant.name, **players})
        return False

    def decline_resume(self) -> bool:
        """Decline to resume the unfinished game. Return False because the board stays the same."""
        self.put(ChooseResume(ResumeChoice.DISCARD, self.now()))
        return False

    def close(self) -> None:
        """Disconnect. The game goes on."""
        self._connection.close()

    def _wait_for_answers(self) -> None:
        """Wait until the first record and the first frame have arrived."""
        deadline_instant = monotonic() + ANSWER_TIMEOUT_SECONDS
        poll = select.poll()
        poll.register(self._connection, select.POLLIN)
        while self._awaited_answers:
            if not poll.poll(max(0.0, deadline_instant - monotonic()) * 1000):
                raise no_answer_error(self._socket_path)
            self._receive_data()

    def _receive_data(self) -> None:
        try:
            for _ in range(MAX_CHUNKS):
                received_bytes = self._connection.recv(CHUNK_BYTES)
                if not received_bytes:
                    raise self._make_lost_error()
                self._handle_lines(received_bytes)
        except BlockingIOError:
            pass
        except OSError as error:
            raise self._make_lost_error() from error
        if self._lost_error:
            raise self._lost_error

    def _handle_lines(self, received_bytes: bytes) -> None:
        *message_lines, self._received_bytes = (self._received_bytes + received_bytes).split(b"\n")
        try:
            for message_line in message_lines:
                self._handle_message(view_from_json.parse_line(message_line))
        except view_from_json.InvalidMessage as error:
            raise self._make_version_error(error.message) from error
        if len(self._received_bytes) > MAX_LINE_BYTES:
            raise self._make_version_error(Message("remote.too_long"))

    def _handle_message(self, json_message: view_from_json.JsonMessage) -> None:
        if self._served_board is None:
            self._handle_hello(json_message)
            return
        match json_message["type"]:
            case "state":
                self._last_state = json_message
                self._send_query("record")
            case "record":
                self.view = view_from_json.parse_view(json_message, self._last_state)
                if not self.view.exercise:
                    self._game_variant = self.view.variant
                self._set_players(view_from_json.parse_seats(json_message))
                self._adjust_clock(json_message)
                if self.hand and self.view.occupancy:
                    self.hand.update_occupied(self.view.occupancy.occupied)
            case "error":
                reason = view_from_json.parse_text(json_message, "message")
                if self.hand:
                    self.hand.handle_refusal(reason)
                else:
                    self.view = replace(self.view, messages=(reason,), refusal=ShownRefusal(None, self.now()))
            case "exercises":
                courses = view_from_json.parse_exercises(json_message).items()
                self._listed_exercises = {name: [ListedExercise(*each) for each in listed] for name, listed in courses}
            case "frame":
                self.frame = view_from_json.parse_frame(json_message, self._served_board)
                self._adjust_clock(json_message)
        self._awaited_answers.discard(json_message["type"])

    def _handle_hello(self, json_message: view_from_json.JsonMessage) -> None:
        if json_message["type"] == "error":  # the connection is refused
            reason = view_from_json.parse_text(json_message, "message")
            raise PondError(Message("remote.sent_away", socket=str(self._socket_path), reason=reason))
        served = self._served_board = view_from_json.parse_hello(json_message)
        self._set_players(served.seat_names)
        self.limiter = CurrentLimiter(brightness=served.brightness, gamma=served.gamma)
        if json_message.get("pieces") is True:
            has_turned = json_message.get("turned_pieces") is True
            self.hand = RemoteHand(served.size, self._send_lines, self._clock, turned_pieces=has_turned)

    def _set_players(self, seat_names: view_from_json.SeatNames) -> None:
        self.program_names, self.names = seat_names

    def _adjust_clock(self, json_message: view_from_json.JsonMessage) -> None:
        """Update the estimate of the board's clock. The message with the shortest delay gives the best estimate."""
        ahead = view_from_json.parse_instant(json_message) - self._clock()
        self._clock_offset = ahead if self._clock_offset is None else max(ahead, self._clock_offset)

    def _send_query(self, query_name: str) -> None:
        if query_name not in self._awaited_answers:
            self._awaited_answers.add(query_name)
            self._send_lines({"ask": query_name})

    def _send_lines(self, *lines: dict[str, Any]) -> None:
        sent_text = "".join(json.dumps(message_line) + "\n" for message_line in lines)
        try:
            self._connection.sendall(sent_text.encode())
        except OSError as error:  # raised by the next step, after all received lines
            is_unresponsive = isinstance(error, BlockingIOError)  # the board has not read thousands of lines
            self._lost_error = no_answer_error(self._socket_path) if is_unresponsive else self._make_lost_error()

    def _make_version_error(self, reason: Message) -> PondError:
        return PondError(Message("remote.other_version", reason=reason, socket=str(self._socket_path)))

    def _make_lost_error(self) -> PondError:
        return PondError(Message("remote.gone", socket=str(self._socket_path)))
