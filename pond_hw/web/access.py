"""Access of visitors to a board, and the simplest case: a single visitor, who may do everything."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from pond_hw.messages.message import Message
from pond_hw.rules import Side
from pond_hw.web.board_link import BoardLink
from pond_hw.web.page_requests import RequestSeat, RevokeSeat
from pond_hw.web.page_view import JsonMessage
from pond_hw.web.visitor import Visitor


class Access(ABC):
    """Access of visitors to a board: decides what they may see and do.

    Attributes:
        visitors: all visitors, newest first.
    """

    def __init__(self, board: BoardLink) -> None:
        self._board = board
        self.visitors: list[Visitor] = []

    def enter(self, visitor: Visitor) -> None:
        self.visitors.insert(0, visitor)

    def leave(self, visitor: Visitor) -> None:
        self.visitors.remove(visitor)

    def notify_visitors(self) -> None:
        for visitor in self.visitors:
            visitor.changed.set()

    def send(self, visitor: Visitor, request: Mapping[str, Any]) -> bool:
        """Send a visitor's request to the board. If the board is not responding, refuse the request and return False."""
        is_sent = self._board.state is not None and self._board.send(request)
        if not is_sent:
            visitor.refuse(Message("remote.board_gone"))
        return is_sent

    @abstractmethod
    def find_sides(self, visitor: Visitor) -> tuple[Side, ...]:
        """Return the sides that a visitor may play; none for a spectator."""

    @abstractmethod
    def may_watch(self, visitor: Visitor) -> bool:
        """Return True if a visitor may see the game."""

    @abstractmethod
    def build_you(self, visitor: Visitor) -> JsonMessage:
        """Build the message about what a visitor may do."""

    @abstractmethod
    def build_hello(self, visitor: Visitor, hello: JsonMessage) -> JsonMessage:
        """Return what a visitor may see of the board's description."""

    @abstractmethod
    def build_seats(self, visitor: Visitor) -> JsonMessage | None:
        """Build the message with all seats, if there are any and the visitor may see them."""

    @abstractmethod
    def ask(self, visitor: Visitor, kind: str, request: JsonMessage) -> None:
        """Send a request that affects others as soon as it is allowed. `kind` is its command, `setting` or `rematch`."""

    @abstractmethod
    def handle_seat_request(self, visitor: Visitor, request: RequestSeat | RevokeSeat) -> None: ...

    @abstractmethod
    def handle_loss(self) -> None:
        """Handle the loss of the board."""

    @abstractmethod
    def handle_line(self, line: Mapping[str, Any]) -> None:
        """Handle the board's message about a request or seat."""

    @abstractmethod
    def handle_error(self, messages: tuple[Message, ...]) -> None:
        """Handle an error from the board that does not answer a query."""


class OwnBoard(Access):
    """Access to a board that belongs to its only visitor. The visitor plays both sides and needs no permission."""

    def find_sides(self, _: Visitor) -> tuple[Side, ...]:
        return tuple(Side)

    def may_watch(self, _: Visitor) -> bool:
        return True

    def build_you(self, _: Visitor) -> JsonMessage:
        return {"type": "you", "seat": {"sides": list(map(str, Side))}, "may_watch": True}

    def build_hello(self, _: Visitor, hello: JsonMessage) -> JsonMessage:
        return hello | {"own": True}

    def build_seats(self, _: Visitor) -> None:
        return None

    def ask(self, visitor: Visitor, _: str, request: JsonMessage) -> None:
        if self.send(visitor, request):
            self._board.request_record()

    def handle_seat_request(self, visitor: Visitor, _: RequestSeat | RevokeSeat) -> None:
        visitor.refuse(Message("remote.not_understood"))

    def handle_loss(self) -> None:
        pass

    def handle_line(self, line: Mapping[str, Any]) -> None:
        pass

    def handle_error(self, messages: tuple[Message, ...]) -> None:
        for visitor in self.visitors:
            visitor.refuse(*messages)
