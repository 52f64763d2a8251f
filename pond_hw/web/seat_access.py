"""Access with seats: a visitor asks for a seat, and requests that affect others wait for presses on the board."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Side
from pond_hw.web.access import Access
from pond_hw.web.board_link import BoardLink
from pond_hw.web.client_limits import Refusals, Source, find_surplus
from pond_hw.web.host_filter import find_network
from pond_hw.web.page_requests import RequestSeat, RevokeSeat
from pond_hw.web.page_view import JsonMessage
from pond_hw.web.seat_book import Seat, SeatBook, make_token
from pond_hw.web.visitor import Visitor

LOG = logging.getLogger("pond")

MAX_VISITORS, MAX_VISITORS_PER_SOURCE = 60, 8
"""Maximum number of visitors in total, and from one network or with one seat."""


class PendingRequest(NamedTuple):
    """A visitor's request that is waiting for presses on the board.

    Attributes:
        kind: `seat`, a command, `setting` to change another side's setting, `revoke` to revoke another seat, or `rematch`.
        sides: sides of the requested seat.
        asked_at: time of the request, in seconds.
        is_withdrawn: True if the visitor cancelled it.
    """

    visitor: Visitor
    kind: str
    sides: tuple[Side, ...] = ()
    asked_at: float = 0.0
    is_withdrawn: bool = False


class SeatAccess(Access):
    """Access to a board with seats. `spectators` is True if visitors without a seat may watch."""

    def __init__(self, board: BoardLink, seat_book: SeatBook, *, spectators: bool) -> None:
        super().__init__(board)
        self._seat_book, self._spectators = seat_book, spectators
        self._pending: PendingRequest | None = None
        self._refusals = Refusals()
        board.on_connect = self._send_seats

    def enter(self, visitor: Visitor) -> None:
        """Register a visitor. If there are too many visitors, dismiss one."""
        super().enter(visitor)
        staying = [each for each in self.visitors if not each.dismissed.is_set()]
        surplus = find_surplus(list(map(self.find_source, staying)), MAX_VISITORS, MAX_VISITORS_PER_SOURCE)
        if surplus is not None:
            staying[surplus].dismissed.set()

    def leave(self, visitor: Visitor) -> None:
        super().leave(visitor)
        self._give_up_unclaimed_seat(visitor)
        self._withdraw(visitor)

    def find_source(self, visitor: Visitor) -> Source:
        """Return the source that limits apply to: the visitor's seat or, without a seat, the visitor's network."""
        seat = self._find_seat(visitor)
        return seat.number if seat else find_network(visitor.address)

    def find_sides(self, visitor: Visitor) -> tuple[Side, ...]:
        seat = self._find_seat(visitor)
        return seat.sides if seat else ()

    def may_watch(self, visitor: Visitor) -> bool:
        return self._spectators or self._find_seat(visitor) is not None

    def _find_seat(self, visitor: Visitor) -> Seat | None:
        return self._seat_book.find_seat(visitor.token)

    def build_you(self, visitor: Visitor) -> JsonMessage:
        seat, pending = self._find_seat(visitor), self._pending
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
        return you

    def build_hello(self, visitor: Visitor, hello: JsonMessage) -> JsonMessage:
        if self.may_watch(visitor):
            return hello
        return {field: value for field, value in hello.items() if field not in ("players", "names")}

    def build_seats(self, visitor: Visitor) -> JsonMessage | None:
        if not self._find_seat(visitor):
            return None
        open_seat_numbers = {seat.number for each in self.visitors if (seat := self._find_seat(each))}
        seats = [_seat_to_json(seat) | {"here": seat.number in open_seat_numbers} for seat in self._seat_book]
        return {"type": "seats", "seats": seats}

    # Requests that need a press on the board

    def handle_seat_request(self, visitor: Visitor, request: RequestSeat | RevokeSeat) -> None:
        seat = self._find_seat(visitor)
        match request:
            case RequestSeat(()) if self._pending and self._pending.visitor is visitor:
                self._withdraw(visitor)
            case RequestSeat(()):
                if seat:
                    self._revoke(seat.number)
            case RequestSeat(sides):
                self._ask_seat(visitor, sides)
            case RevokeSeat(number):
                self._request_revocation(visitor, seat, number)

    def _ask_seat(self, visitor: Visitor, sides: tuple[Side, ...]) -> None:
        if self._seat_book.is_full and not self._find_seat(visitor):
            visitor.refuse(Message("remote.seats_full"))
        else:
            request = {"command": "seat", "sides": list(map(str, sides))}
            self._ask(PendingRequest(visitor, "seat", sides), request)

    def _request_revocation(self, visitor: Visitor, seat: Seat | None, number: int) -> None:
        if seat is None:
            visitor.refuse(Message("remote.no_seat"))
        elif number == seat.number:
            self._revoke(number)
        elif number in (each.number for each in self._seat_book):
            self.ask(visitor, "revoke", {"command": "revoke", "seat": number})

    def ask(self, visitor: Visitor, kind: str, request: JsonMessage) -> None:
        self._ask(PendingRequest(visitor, kind), request | {"confirm": True})

    def _ask(self, pending: PendingRequest, request: JsonMessage) -> None:
        visitor, now = pending.visitor, monotonic()
        if self._pending:
            if self._pending.visitor is not visitor:
                visitor.refuse(Message("remote.busy"))
        elif obstacle := self._refusals.find_obstacle(self.find_source(visitor), now):
            visitor.refuse(obstacle)
        elif self.send(visitor, request):
            self._pending = pending._replace(asked_at=now)
            self.notify_visitors()

    def _withdraw(self, visitor: Visitor) -> None:
        if self._pending and self._pending.visitor is visitor and not self._pending.is_withdrawn:
            self._board.send({"command": "withdraw"})
            self._pending = self._pending._replace(is_withdrawn=True)

    def handle_loss(self) -> None:
        if self._pending:
            self._pending.visitor.refuse(Message("remote.board_gone"))
            self._pending = None

    def handle_line(self, line: Mapping[str, Any]) -> None:
        match line:
            case {"type": "revoked", "seat": number}:
                if number is None:
                    self._refusals.forget_all()
                self._revoke(number)
            case {"type": "swapped"}:
                self._swap_seats()
            case {"type": "permission", "allowed": allowed} if self._pending:
                pending, self._pending = self._pending, None
                self._settle(pending, is_allowed=allowed is True)

    def handle_error(self, messages: tuple[Message, ...]) -> None:
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
        if pending.kind == "rematch":
            self._swap_seats()
        if pending.kind in ("new", "rematch"):  # the players may have changed even if the position has not
            self._board.request_record()
        if pending.kind == "seat" and visitor in self.visitors:
            self._give_seat(visitor, pending.sides)
        visitor.send({"type": "granted", "for": pending.kind} | ({"claim": visitor.claim} if visitor.claim else {}))

    def _give_seat(self, visitor: Visitor, sides: tuple[Side, ...]) -> None:
        """Give a visitor a seat with a new token, because someone else may know the token that the browser sent."""
        old_token, token = visitor.token, make_token()
        if self._seat_book.find_seat(old_token):
            for each in self.visitors:
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
        visitor = next((each for each in self.visitors if each.claim and each.claim == claim), None)
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
            if seat := self._find_seat(visitor):
                self._revoke(seat.number)

    def _revoke(self, number: int | None) -> None:
        with _logged():
            if not self._seat_book.revoke(number):
                return
        self._send_seats()
        self.notify_visitors()

    def _swap_seats(self) -> None:
        with _logged():
            self._seat_book.swap_sides()
        self._send_seats()
        self.notify_visitors()

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
