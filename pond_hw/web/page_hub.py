"""Hub of all open pages: messages to visitors, and their requests to the board."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any

from pond_hw.engine import MakeWorker, make_process_worker
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.message_json import parse_messages
from pond_hw.rules import Action, Side, parse_record, play
from pond_hw.server.parse_requests import CommandRequest, QueryRequest
from pond_hw.server.protocol import what_if_message
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    ChangeSetting,
    ChooseResume,
    EndTurn,
    HelpLevel,
    NewGame,
    RedoTurns,
    ResignGame,
    ResumeChoice,
    TakeAction,
    UndoTurns,
)
from pond_hw.web.access import Access
from pond_hw.web.board_link import BoardLink
from pond_hw.web.game_review import GameReview
from pond_hw.web.page_requests import (
    BoardRequest,
    ChooseLanguage,
    PageRequest,
    RequestRematch,
    RequestReview,
    RequestSeat,
    RevokeSeat,
)
from pond_hw.web.page_view import GONE, JsonMessage, build_doctor, build_exercises, build_new_turns, build_saved_game
from pond_hw.web.visitor import Visitor

LOG = logging.getLogger("pond")

SEATING_FIELDS = ("players", "names")
"""Fields of a new game that name who plays. The board refuses them while a link is running."""

ANSWER_ERRORS = {
    "games": ("remote.no_games_kept", "remote.games_busy", "remote.games_unreadable", "remote.no_such_game"),
    "doctor": ("remote.doctor_busy", "remote.doctor_failed"),
}
"""Errors from the board that mean a query has failed, by kind of query."""

ANSWER_TIMEOUT_SECONDS = 60.0
"""Seconds after which an unanswered query no longer blocks others."""


class PageHub:
    """All visitors to the page of a board.

    Args:
        board: link to the board.
        access: decides what visitors may see and do.
        make_worker: factory of the workers that review games.

    Attributes:
        on_review: called when a review starts. `collect_reviews` must then be called regularly.
    """

    def __init__(self, board: BoardLink, access: Access, make_worker: MakeWorker = make_process_worker) -> None:
        self._board, self._access, self._make_worker = board, access, make_worker
        self._questions: dict[str, tuple[float, Visitor]] = {}  # by kind: when it was asked, and by whom
        self._review: GameReview | None = None
        self.on_review: Callable[[], None] = lambda: None
        board.on_change, board.on_line = self._handle_change, self._handle_line

    @contextmanager
    def welcome(self, visitor: Visitor) -> Iterator[None]:
        """Register a visitor while the context is active."""
        self._access.enter(visitor)
        self._access.notify_visitors()
        try:
            yield
        finally:
            self._access.leave(visitor)
            if self._review and self._review.visitor is visitor:
                self._stop_review()
            self._access.notify_visitors()

    def list_changes(self, visitor: Visitor) -> list[str]:
        """List the messages that have changed since the last call, as JSON. Only the latest version of each is included."""
        sent, visitor.sent = visitor.sent, self.build_messages(visitor)
        messages = [text for key, text in visitor.sent.items() if sent.get(key) != text]
        if "state" in visitor.sent and self._board.game_record:
            messages += self._list_new_turns(visitor)
        else:
            visitor.sent_start = ""
        answers, visitor.outbox = visitor.outbox, []
        return messages + list(map(json.dumps, answers))

    def build_messages(self, visitor: Visitor) -> dict[str, str]:
        """Return everything that a visitor may see, except the turns, as JSON by message type."""
        access, hello = self._access, self._board.hello
        shown = {"you": json.dumps(access.build_you(visitor))}
        if hello is None or self._board.state is None:
            return shown | {"gone": json.dumps(GONE)}
        shown["hello"] = json.dumps(access.build_hello(visitor, hello))
        if access.may_watch(visitor):
            shown["state"] = self._board.format_state(visitor.language, plays=bool(access.find_sides(visitor)))
        if seats := access.build_seats(visitor):
            shown["seats"] = json.dumps(seats)
        return shown

    def _list_new_turns(self, visitor: Visitor) -> Iterator[str]:
        game_record = self._board.game_record
        assert game_record
        start = game_record.start_position.notation_line
        is_same_game = visitor.sent_start == start
        news = build_new_turns(visitor.sent_turns if is_same_game else None, self._board.turns, start)
        visitor.sent_start, visitor.sent_turns = start, self._board.turns
        if news:
            yield json.dumps(news)

    def _handle_change(self) -> None:
        if self._board.state is None:
            self._questions.clear()
            self._access.handle_loss()
        self._access.notify_visitors()

    # Requests

    def handle_request(self, visitor: Visitor, request: PageRequest) -> None:
        """Handle a visitor's request if it is allowed."""
        sides = self._access.find_sides(visitor)
        match request:
            case ChooseLanguage(language):
                visitor.language = language
                visitor.changed.set()
            case RequestSeat() | RevokeSeat():
                self._access.handle_seat_request(visitor, request)
            case _ if not sides:
                visitor.refuse(Message("remote.no_seat"))
            case RequestReview():
                self._begin_review(visitor)
            case RequestRematch():
                self._ask_rematch(visitor)
            case BoardRequest():
                self._handle_board_request(visitor, sides, request)

    def _handle_board_request(self, visitor: Visitor, sides: tuple[Side, ...], board_request: BoardRequest) -> None:
        """Forward a request to the board. If it affects others, ask for permission."""
        fields, access = board_request.fields, self._access
        match board_request.request:
            case QueryRequest("what_if", Action() as action):
                self._preview(visitor, action)
            case QueryRequest(name):
                self._ask_board(visitor, name, fields)
            case CommandRequest(TakeAction() | AskHint() | EndTurn()):
                self._send_action(visitor, sides, fields)
            case CommandRequest(UndoTurns(number=turn) | RedoTurns(number=turn)):
                self._undo_or_redo(visitor, sides, fields["command"], turn)
            case CommandRequest(ChangeSetting(setting, Side() as side)):
                is_own = len(sides) == len(Side) if setting.needs_both_sides else side in sides
                if is_own:
                    access.send(visitor, fields)
                else:
                    access.ask(visitor, "setting", fields)
            case CommandRequest(ResignGame()):
                own_side = {"side": str(sides[0])} if len(sides) == 1 else {}
                access.ask(visitor, fields["command"], fields | own_side)
            case CommandRequest(None | NewGame() | AgreeDraw()) if link := self._linked_game:
                refused = SEATING_FIELDS if link["running"] else ()
                access.send(visitor, {name: value for name, value in fields.items() if name not in refused})
            case CommandRequest(None | NewGame() | AgreeDraw() | ChooseResume(ResumeChoice.DISCARD)):
                access.ask(visitor, fields["command"], fields)
            case _:
                access.send(visitor, fields)

    def _ask_board(self, visitor: Visitor, name: str, fields: JsonMessage) -> None:
        """Forward a query. The board answers in order, except that saved games take longer."""
        if name == "exercises":
            fields = fields | {"language": visitor.language}
        kind = "games" if name == "game" else name
        asked = self._questions.get(kind)
        if asked and monotonic() - asked[0] < ANSWER_TIMEOUT_SECONDS:
            visitor.refuse(Message("remote.games_busy"))
        elif self._access.send(visitor, fields):
            self._questions[kind] = monotonic(), visitor

    def _ask_rematch(self, visitor: Visitor) -> None:
        """Ask for a new game in which the players swap sides."""
        hello, state = self._board.hello or {}, self._board.state
        if state is None:
            visitor.refuse(Message("remote.board_gone"))
            return
        if self._linked_game:  # after the end of a game, the homes swap sides by themselves
            self._access.send(visitor, {"command": "new", "variant": state["variant"]})
            return
        swapped = {field: _swap_sides(hello.get(field) or {}) for field in SEATING_FIELDS}
        for side in filter(swapped["players"].get, ("light", "dark")):
            swapped["names"][side] = None  # only people have one
        self._access.ask(visitor, "rematch", {"command": "new", "variant": state["variant"], **swapped})

    def _begin_review(self, visitor: Visitor) -> None:
        if visitor.last_read_game is None:
            visitor.refuse(Message("remote.no_game_read"))
        elif self._review and self._review.visitor is not visitor:
            visitor.refuse(Message("remote.games_busy"))
        else:
            self._stop_review()
            self._review = GameReview(visitor, *visitor.last_read_game, self._make_worker)
            self.on_review()

    def collect_reviews(self) -> bool:
        """Send new results of the current review to its visitor. Return True while the review is running."""
        if self._review:
            try:
                self._review.collect()
            except Exception:
                LOG.exception("A review has failed.")
                self._stop_review()
        if self._review and not self._review.is_running:
            self._review = None
        return self._review is not None

    def _stop_review(self) -> None:
        if self._review:
            self._review.close()
            self._review = None

    def _preview(self, visitor: Visitor, action: Action) -> None:
        game_record, state = self._board.game_record, self._board.state
        if game_record is None or state is None:
            visitor.refuse(Message("remote.board_gone"))
            return
        side = state["to_move"]
        if not HelpLevel(state.get("help", {}).get(side, HelpLevel.FULL.value)).gives_advice:
            visitor.refuse(Message("help_level.no_advice", side=side))
            return
        try:
            visitor.send(what_if_message(play(game_record.position, action), visitor.language))
        except PondError as error:
            visitor.refuse(error.message)

    @property
    def _linked_game(self) -> JsonMessage | None:
        """State of the linked game, in which the other home is asked instead of the board; None in any other game."""
        link: JsonMessage = (self._board.state or {}).get("link") or {}
        return link if link.get("game") else None

    def _send_action(self, visitor: Visitor, sides: tuple[Side, ...], request: JsonMessage) -> None:
        """Send a request on behalf of the side to move. In an exercise, anyone who plays may act."""
        state = self._board.state
        if state and "exercise" not in state and state["to_move"] not in map(str, sides):
            visitor.refuse(Message("remote.other_side", side=state["to_move"]))
        else:
            side = {"side": state["to_move"]} if state else {}
            self._access.send(visitor, request | side | self._exercise_field)

    @property
    def _exercise_field(self) -> JsonMessage:
        """Field that makes a request valid only in an exercise, because the board may have left the exercise meanwhile."""
        return {"exercise": True} if "exercise" in (self._board.state or {}) else {}

    def _undo_or_redo(
        self, visitor: Visitor, own_sides: tuple[Side, ...], command: str, named_turn: int | None
    ) -> None:
        """Undo or redo a turn. The other side's turn, or undoing the end of a game, needs permission."""
        state = self._board.state
        if state is None:
            visitor.refuse(Message("remote.board_gone"))
            return
        is_undo = command == "undo"
        to_move = next(side for side in Side if str(side) == state["to_move"])
        sides = tuple(Side) if is_undo and state["outcome"] else (to_move.other_side if is_undo else to_move,)
        programs = (self._board.hello or {}).get("players") or {}  # no permission is needed from programs
        known_turn = state["turn"] if is_undo else state["turn"] + 1
        turn = named_turn or known_turn
        is_own = turn == known_turn and all(side in own_sides or programs.get(str(side)) for side in sides)
        request = {"command": command} | ({"turn": turn} if turn else {})
        if "exercise" in state or is_own:
            self._access.send(visitor, request | self._exercise_field)
        else:
            self._access.ask(visitor, command, request)

    def _handle_line(self, line: Mapping[str, Any]) -> None:
        """Handle a message from the board that is neither `hello`, a state nor a record."""
        match line:
            case {"type": "revoked" | "swapped" | "permission"}:
                self._access.handle_line(line)
            case {"type": "games" | "health" as kind} if asked := self._questions.pop(kind, None):
                asked[1].send(dict(line))
            case {"type": "exercises"} if asked := self._questions.pop("exercises", None):
                asked[1].send(build_exercises(line))
            case {"type": "doctor"} if asked := self._questions.pop("doctor", None):
                asked[1].send(build_doctor(line, asked[1].language))
            case {"type": "game", "record": str() as text, "number": number}:
                if asked := self._questions.pop("games", None):
                    visitor = asked[1]
                    visitor.last_read_game = int(number), parse_record(text)
                    visitor.send(build_saved_game(*visitor.last_read_game, text))
            case {"type": "error", "said": said, "message": str() as text}:
                self._handle_error(parse_messages(said, text))

    def _handle_error(self, messages: tuple[Message, ...]) -> None:
        for kind, errors in ANSWER_ERRORS.items():
            if messages[0].id in errors and (asked := self._questions.pop(kind, None)):
                asked[1].refuse(*messages)
                return
        self._access.handle_error(messages)


def _swap_sides(names: Mapping[str, str | None]) -> dict[str, str | None]:
    return {"light": names.get("dark"), "dark": names.get("light")}
