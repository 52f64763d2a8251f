"""Hub of all open pages: what each visitor can see and do, and the request that waits for a press on the board."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.message_json import parse_messages
from pond_hw.rules import Action, Record, Side, parse_record, play
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
from pond_hw.web.board_link import BoardLink
from pond_hw.web.client_limits import Refusals, Source, find_surplus
from pond_hw.web.game_review import review_game
from pond_hw.web.host_filter import find_network
from pond_hw.web.page_requests import (
    BoardRequest,
    ChooseLanguage,
    PageRequest,
    RequestReview,
    RequestSeat,
    RevokeSeat,
)
from pond_hw.web.page_view import GONE, JsonMessage, build_doctor, build_exercises, build_new_turns, build_saved_game
from pond_hw.web.seat_book import Seat, SeatBook, make_token

LOG = logging.getLogger("pond")

ANSWER_ERRORS = {
    "games": ("remote.no_games_kept", "remote.games_busy", "remote.games_unreadable", "remote.no_such_game"),
    "doctor": ("remote.doctor_busy", "remote.doctor_failed"),
}
"""Errors from the board that mean a query has failed, by kind of query."""

ANSWER_TIMEOUT_SECONDS = 60.0
"""Seconds after which an unanswered query no longer blocks others."""

MAX_VISITORS, MAX_VISITORS_PER_SOURCE = 60, 8
"""Maximum number of visitors in total, and from one network or with one seat."""

MAX_OUTBOX = 8
"""Maximum number of answers queued for a visitor. A slow visitor misses the oldest."""


class Visitor:
    """An open page.

    Args:
        address: address of the browser.
        token: value of its cookie, or None. Only a token that was issued here belongs to a seat.
        language: language of messages to this page.

    Attributes:
        last_read_game: number and record of the saved game that it requested last, or None.
        changed: set when there may be something new to send.
        dismissed: set when the visitor must make room for others.
        claim: secret with which the browser fetches the cookie of its new seat; None once the cookie has been stored.
    """

    def __init__(self, address: str, token: str | None, language: str = "en") -> None:
        self.address, self.token, self.language = address, token, language
        self.changed, self.dismissed = asyncio.Event(), asyncio.Event()
        self.sent: dict[str, str] = {}
        self.sent_start, self.sent_turns = "", list[JsonMessage]()
        self.outbox: list[JsonMessage] = []
        self.last_read_game: tuple[int, Record] | None = None
        self.claim: str | None = None
        self.has_fetched_token = False
        self.changed.set()

    def send(self, answer: JsonMessage) -> None:
        """Queue an answer for this visitor."""
        self.outbox = [*self.outbox, answer][-MAX_OUTBOX:]
        self.changed.set()

    def refuse(self, *messages: Message) -> None:
        """Queue the reason for a refusal, in the visitor's language."""
        self.send({"type": "refused", "message": get_catalogue(self.language, "phone").text(messages)})


class PendingRequest(NamedTuple):
    """A visitor's request that is waiting for presses on the board.

    Attributes:
        kind: `seat`, a command, `setting` to change another side's setting, or `revoke` to revoke another seat.
        sides: sides of the requested seat.
        asked_at: time of the request, in seconds.
        is_withdrawn: True if the visitor cancelled it.
    """

    visitor: Visitor
    kind: str
    sides: tuple[Side, ...] = ()
    asked_at: float = 0.0
    is_withdrawn: bool = False


class PageHub:
    """All visitors to the page. `spectators` is True if visitors without a seat may watch."""

    def __init__(self, board: BoardLink, seat_book: SeatBook, *, spectators: bool) -> None:
        self._board, self._seat_book, self._spectators = board, seat_book, spectators
        self._visitors: list[Visitor] = []  # newest first
        self._pending: PendingRequest | None = None
        self._questions: dict[str, tuple[float, Visitor]] = {}  # by kind: when it was asked, and by whom
        self._review: tuple[Visitor, asyncio.Task[None]] | None = None
        self._refusals = Refusals()
        board.on_change, board.on_connect, board.on_line = self._notify_visitors, self._send_seats, self._handle_line

    @contextmanager
    def welcome(self, visitor: Visitor) -> Iterator[None]:
        """Register a visitor while the context is active. If there are too many visitors, dismiss one."""
        self._visitors.insert(0, visitor)
        staying = [each for each in self._visitors if not each.dismissed.is_set()]
        surplus = find_surplus(list(map(self.find_source, staying)), MAX_VISITORS, MAX_VISITORS_PER_SOURCE)
        if surplus is not None:
            staying[surplus].dismissed.set()
        self._notify_visitors()
        try:
            yield
        finally:
            self._visitors.remove(visitor)
            self._give_up_unclaimed_seat(visitor)
            if self._review and self._review[0] is visitor:
                self._review[1].cancel()
            self._withdraw(visitor)
            self._notify_visitors()

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
        seat, hello = self._seat_book.find_seat(visitor.token), self._board.hello
        shown = {"you": self._build_you(visitor)}
        if hello is None or self._board.state is None:
            return shown | {"gone": json.dumps(GONE)}
        if not (seat or self._spectators):
            hello = {field: value for field, value in hello.items() if field not in ("players", "names")}
        shown["hello"] = json.dumps(hello)
        if seat or self._spectators:
            shown["state"] = self._board.format_state(visitor.language, plays=seat is not None)
        if seat:
            shown["seats"] = json.dumps({"type": "seats", "seats": list(self._list_seats())})
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

    def _build_you(self, visitor: Visitor) -> str:
        seat, pending = self._seat_book.find_seat(visitor.token), self._pending
        you: JsonMessage = {
            "type": "you",
            "seat": seat and _seat_to_json(seat),
            "may_watch": self._spectators,
            "asking": None,
        }
        if pending and pending.visitor is visitor:
            asks = (self._board.state or {}).get("asks", {})
            you["asking"] = {"for": pending.kind, "sides": list(map(str, pending.sides)) or None} | {
                "cells": asks.get("of", 0),
                "pressed": asks.get("pressed", 0),
                "seconds": round(asks["until"] - self._board.state["t"], 1) if asks and self._board.state else None,
                "sign": asks.get("sign"),
            }
        return json.dumps(you)

    def _list_seats(self) -> Iterator[JsonMessage]:
        open_seat_numbers = {
            seat.number for visitor in self._visitors if (seat := self._seat_book.find_seat(visitor.token))
        }
        for seat in self._seat_book:
            yield _seat_to_json(seat) | {"here": seat.number in open_seat_numbers}

    def _notify_visitors(self) -> None:
        if self._pending and self._board.state is None:
            self._pending.visitor.refuse(Message("remote.board_gone"))
            self._pending = None
        if self._board.state is None:
            self._questions.clear()
        for visitor in self._visitors:
            visitor.changed.set()

    # Requests

    def handle_request(self, visitor: Visitor, request: PageRequest) -> None:
        """Handle a visitor's request if it is allowed."""
        seat = self._seat_book.find_seat(visitor.token)
        match request:
            case ChooseLanguage(language):
                visitor.language = language
                visitor.changed.set()
            case RequestSeat(()) if self._pending and self._pending.visitor is visitor:
                self._withdraw(visitor)
            case RequestSeat(()):
                if seat:
                    self._revoke(seat.number)
            case RequestSeat(sides):
                self._ask_seat(visitor, sides)
            case _ if seat is None:
                visitor.refuse(Message("remote.no_seat"))
            case RevokeSeat(number):
                self._request_revocation(visitor, seat, number)
            case RequestReview():
                self._begin_review(visitor)
            case BoardRequest():
                self._handle_board_request(visitor, seat, request)

    def _handle_board_request(self, visitor: Visitor, seat: Seat, board_request: BoardRequest) -> None:
        """Forward a request to the board. If it affects others, someone must press a cell on the board first."""
        fields = board_request.fields
        match board_request.request:
            case QueryRequest("what_if", Action() as action):
                self._preview(visitor, action)
            case QueryRequest(name):
                self._ask_board(visitor, name, fields)
            case CommandRequest(TakeAction() | AskHint() | EndTurn()):
                self._send_action(visitor, seat, fields)
            case CommandRequest(UndoTurns(number=turn) | RedoTurns(number=turn)):
                self._undo_or_redo(visitor, seat, fields["command"], turn)
            case CommandRequest(ChangeSetting(setting, Side() as side)):
                is_own = len(seat.sides) == len(Side) if setting.needs_both_sides else side in seat.sides
                self._change_setting(visitor, fields, is_own=is_own)
            case CommandRequest(ResignGame()):
                own_side = {"side": str(seat.sides[0])} if len(seat.sides) == 1 else {}
                self._ask_to_confirm(visitor, fields | own_side)
            case CommandRequest(None | NewGame() | AgreeDraw() | ChooseResume(ResumeChoice.DISCARD)):
                self._ask_to_confirm(visitor, fields)
            case _:
                self._send(visitor, fields)

    def _ask_board(self, visitor: Visitor, name: str, fields: JsonMessage) -> None:
        """Forward a query. The board answers in order, except that saved games take longer."""
        if name == "exercises":
            fields = fields | {"language": visitor.language}
        kind = "games" if name == "game" else name
        asked = self._questions.get(kind)
        if asked and monotonic() - asked[0] < ANSWER_TIMEOUT_SECONDS:
            visitor.refuse(Message("remote.games_busy"))
        elif self._send(visitor, fields):
            self._questions[kind] = monotonic(), visitor

    def _begin_review(self, visitor: Visitor) -> None:
        if visitor.last_read_game is None:
            visitor.refuse(Message("remote.no_game_read"))
            return
        if self._review:
            owner, task = self._review
            if owner is not visitor and not task.done():
                visitor.refuse(Message("remote.games_busy"))
                return
            task.cancel()
        review = review_game(*visitor.last_read_game, visitor.language, visitor.send)
        self._review = visitor, asyncio.create_task(review)

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

    def _send_action(self, visitor: Visitor, seat: Seat, request: JsonMessage) -> None:
        """Send a request on behalf of the side to move. In an exercise, anyone with a seat may act."""
        state = self._board.state
        if state and "exercise" not in state and state["to_move"] not in map(str, seat.sides):
            visitor.refuse(Message("remote.other_side", side=state["to_move"]))
        else:
            side = {"side": state["to_move"]} if state else {}
            self._send(visitor, request | side | self._exercise_field)

    @property
    def _exercise_field(self) -> JsonMessage:
        """Field that makes a request valid only in an exercise, because the board may have left the exercise meanwhile."""
        return {"exercise": True} if "exercise" in (self._board.state or {}) else {}

    def _undo_or_redo(self, visitor: Visitor, seat: Seat, command: str, named_turn: int | None) -> None:
        """Undo or redo a turn. The other side's turn, or undoing the end of a game, needs a press on the board."""
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
        is_own = turn == known_turn and all(side in seat.sides or programs.get(str(side)) for side in sides)
        request = {"command": command} | ({"turn": turn} if turn else {})
        if "exercise" in state or is_own:
            self._send(visitor, request | self._exercise_field)
        else:
            self._ask(visitor, PendingRequest(visitor, command), request | {"confirm": True})

    def _change_setting(self, visitor: Visitor, setting: Mapping[str, Any], *, is_own: bool) -> None:
        """Change a setting. Other players' settings need a press on the board."""
        if is_own:
            self._send(visitor, setting)
        else:
            self._ask(visitor, PendingRequest(visitor, "setting"), {**setting, "confirm": True})

    def _send(self, visitor: Visitor, request: Mapping[str, Any]) -> bool:
        is_sent = self._board.state is not None and self._board.send(request)
        if not is_sent:
            visitor.refuse(Message("remote.board_gone"))
        return is_sent

    # Requests that need a press on the board

    def _ask_seat(self, visitor: Visitor, sides: tuple[Side, ...]) -> None:
        if self._seat_book.is_full and not self._seat_book.find_seat(visitor.token):
            visitor.refuse(Message("remote.seats_full"))
        else:
            request = {"command": "seat", "sides": list(map(str, sides))}
            self._ask(visitor, PendingRequest(visitor, "seat", sides), request)

    def _request_revocation(self, visitor: Visitor, seat: Seat, number: int) -> None:
        if number == seat.number:
            self._revoke(number)
        elif number in (each.number for each in self._seat_book):
            request = {"command": "revoke", "seat": number, "confirm": True}
            self._ask(visitor, PendingRequest(visitor, "revoke"), request)

    def _ask_to_confirm(self, visitor: Visitor, fields: JsonMessage) -> None:
        self._ask(visitor, PendingRequest(visitor, fields["command"]), {**fields, "confirm": True})

    def _ask(self, visitor: Visitor, pending: PendingRequest, request: Mapping[str, Any]) -> None:
        now = monotonic()
        if self._pending:
            if self._pending.visitor is not visitor:
                visitor.refuse(Message("remote.busy"))
        elif obstacle := self._refusals.find_obstacle(self.find_source(visitor), now):
            visitor.refuse(obstacle)
        elif self._send(visitor, request):
            self._pending = pending._replace(asked_at=now)
            self._notify_visitors()

    def find_source(self, visitor: Visitor) -> Source:
        """Return the source that limits apply to: the visitor's seat or, without a seat, the visitor's network."""
        seat = self._seat_book.find_seat(visitor.token)
        if seat:
            return seat.number
        return find_network(visitor.address)

    def _withdraw(self, visitor: Visitor) -> None:
        if self._pending and self._pending.visitor is visitor and not self._pending.is_withdrawn:
            self._board.send({"command": "withdraw"})
            self._pending = self._pending._replace(is_withdrawn=True)

    def _handle_line(self, line: Mapping[str, Any]) -> None:
        """Handle a message from the board that is neither `hello`, a state nor a record."""
        match line:
            case {"type": "revoked", "seat": number}:
                if number is None:
                    self._refusals.forget_all()
                self._revoke(number)
            case {"type": "permission", "allowed": allowed} if self._pending:
                pending, self._pending = self._pending, None
                self._settle(pending, is_allowed=allowed is True)
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
        if self._pending:
            pending, self._pending = self._pending, None
            pending.visitor.refuse(*messages)

    def _settle(self, pending: PendingRequest, *, is_allowed: bool) -> None:
        visitor = pending.visitor
        source, now = self.find_source(visitor), monotonic()
        if not is_allowed:
            if pending.is_withdrawn:
                self._refusals.count_withdrawal(source, now, now - pending.asked_at)
            else:
                self._refusals.count_refusal(source, now)
                visitor.refuse(Message("remote.not_allowed"))
            return
        if pending.kind == "new":  # the players may have changed even if the position has not
            self._board.send({"ask": "record"})
        if pending.kind == "seat" and visitor in self._visitors:
            self._give_seat(visitor, pending.sides)
        visitor.send({"type": "granted", "for": pending.kind} | ({"claim": visitor.claim} if visitor.claim else {}))

    def _give_seat(self, visitor: Visitor, sides: tuple[Side, ...]) -> None:
        """Give a visitor a seat with a new token, because someone else may know the token that the browser sent."""
        old_token, token = visitor.token, make_token()
        if self._seat_book.find_seat(old_token):
            for each in self._visitors:
                each.token = token if each.token == old_token else each.token
        visitor.token, visitor.claim, visitor.has_fetched_token = token, make_token(), False
        with _logged():
            self._seat_book.give_seat(token, sides, old_token)
        self._send_seats()

    def fetch_token(self, claim: str, current_token: str | None) -> str | None:
        """Return the token of a new seat to store in a cookie, or None.

        The browser asks twice: first for the token, and then to prove that it stored the cookie. If it did not, the
        seat is revoked.

        Args:
            claim: secret that was sent with the seat.
            current_token: value of the browser's cookie, or None.
        """
        visitor = next((each for each in self._visitors if each.claim and each.claim == claim), None)
        if visitor is None:
            return None
        if current_token == visitor.token:
            visitor.claim = None
        elif visitor.has_fetched_token:
            self._give_up_unclaimed_seat(visitor)
            visitor.refuse(Message("remote.no_cookie"))
        else:
            visitor.has_fetched_token = True
            return visitor.token
        return None

    def _give_up_unclaimed_seat(self, visitor: Visitor) -> None:
        if visitor.claim:
            visitor.claim = None
            if seat := self._seat_book.find_seat(visitor.token):
                self._revoke(seat.number)

    def _revoke(self, number: int | None) -> None:
        with _logged():
            if not self._seat_book.revoke(number):
                return
        self._send_seats()
        self._notify_visitors()

    def _send_seats(self) -> None:
        seats = [{"seat": seat.number, "sides": list(map(str, seat.sides))} for seat in self._seat_book]
        self._board.send({"command": "seats", "seats": seats})


def _seat_to_json(seat: Seat) -> JsonMessage:
    return {"number": seat.number, "sides": list(map(str, seat.sides))}


@contextmanager
def _logged() -> Iterator[None]:
    """Log errors when the seats are saved. Unsaved seats remain valid until the program ends."""
    try:
        yield
    except OSError as error:
        LOG.warning("The seats can't be saved: %s", error.strerror)
