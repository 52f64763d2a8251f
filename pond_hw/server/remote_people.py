"""People who are not at the board, such as those with a phone: what they wait for, and what seats they have.

A program that speaks for them (the page for phones) asks for a seat, or for something that cannot be taken back, and the
board asks whoever is there. Who has which seat is that program's to know. It tells the numbers of the seats, so that all
clients can list them and take them away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import SystemRandom
from typing import Any, NamedTuple

from pond_hw.companion import Companion
from pond_hw.messages.message import Message
from pond_hw.rules import Cell, Side, Turn
from pond_hw.server.request_fields import ProtocolError
from pond_hw.server.requests import CommandRequest, RemoteRequest, RevokeRequest, SeatNotice, SeatRequest
from pond_hw.server.socket_server import SocketClient
from pond_hw.session import AgreeDraw, ChooseResume, NewGame, ResignGame, ResumeChoice, Session, SessionEvent
from pond_hw.session.selection import find_targets
from pond_hw.session.session_events import AskPermission, SeatsChanged, WithdrawRequest

CELLS_FOR_SEAT, CELLS_FOR_LIKELY = 4, 2
"""Cells to press before somebody gets a seat, and for all else where each of them might be pressed by the way.

One is enough where nobody presses who just plays.
"""


class _Asking(NamedTuple):
    """A client that waits for a permission.

    Attributes:
        client: the client.
        asked_for: what it is told about its request.
        request: what is done once it is allowed; None: the client knows.
        turns: those of the game that this is about: if they change, nobody asks any more.
    """

    client: SocketClient
    asked_for: dict[str, Any]
    request: CommandRequest | None = None
    turns: tuple[Turn, ...] | None = None


class RemotePeople:
    """What clients ask for on behalf of people who are not at the board.

    Args:
        companion: whom they ask.
        list_clients: all clients, by now.
        run_command: does what was allowed.
    """

    def __init__(
        self,
        companion: Companion,
        list_clients: Callable[[], Iterable[SocketClient]],
        run_command: Callable[[SocketClient, CommandRequest], None],
    ) -> None:
        self._companion, self._list_clients, self._run_command = companion, list_clients, run_command
        self._random, self._last_number = SystemRandom(), 0
        self._asking: _Asking | None = None
        self._sent_away_count = companion.session.sent_away_count

    @property
    def state_fields(self) -> dict[str, Any]:
        """What a state tells besides the game: the seats, if there are any."""
        seats = [_seat_to_json(*seat) for client in self._list_clients() for seat in client.seats]
        return {"seats": seats} if seats else {}

    def handle_request(self, client: SocketClient, request: RemoteRequest) -> bool:
        """Do what a client asks; the companion has yet to take it in.

        Returns:
            Whether the seats have changed.

        Raises:
            ProtocolError: the board asks for something already, or can't ask.
        """
        match request:
            case SeatRequest(sides):
                purpose = Message("permission.seat", side=str(sides[0]))
                if len(sides) == len(Side):
                    purpose = Message("permission.seat_for_both")
                asked_for = {"for": "seat", "sides": list(map(str, sides))}
                self._ask(_Asking(client, asked_for), purpose, self._companion.session.board_grid.cells, CELLS_FOR_SEAT)
            case SeatNotice(seats):
                has_changed, client.seats = client.seats != seats, seats
                return has_changed
            case RevokeRequest(number):
                return self.revoke_seats(number)
            case _:
                self._withdraw(client)
        return False

    def revoke_seats(self, number: int | None = None) -> bool:
        """Take a seat away, or all of them; whoever it belongs to is told.

        Returns:
            Whether there was one.
        """
        has_changed = False
        for client in self._list_clients():
            left = () if number is None else tuple(seat for seat in client.seats if seat[0] != number)
            if left != client.seats:
                client.seats, has_changed = left, True
                client.send_message({"type": "revoked", "seat": number})
        return has_changed

    def ask_to_confirm(self, client: SocketClient, request: CommandRequest) -> None:
        """Have the board ask for what cannot be taken back. If nothing would be lost, it is done at once.

        Raises:
            PondError: the board asks for something already, or can't ask, or a new game doesn't fit it.
        """
        session = self._companion.session
        event = self._complete_event(request.event, session)
        kind, purpose = _describe(event)
        asking = _Asking(client, {"for": kind}, request._replace(event=event), session.turns)
        if session.can_continue or session.resume_prompt:
            cells = _find_unlikely_cells(session)
            self._ask(asking, purpose, cells or session.board_grid.cells, 1 if cells else CELLS_FOR_LIKELY)
        else:
            self._finish(asking, is_allowed=True)

    def _complete_event(self, event: SessionEvent | None, session: Session) -> SessionEvent:
        """What is asked for, with all that would otherwise be decided only when it is done.

        Raises:
            PondError: the pond of a new game is larger than the board.
        """
        match event:
            case None:
                return NewGame(session.usual_variant, 0.0)
            case NewGame(variant):
                Session.start_game(variant, session.size)  # which fails if it doesn't fit
            case ResignGame(_, None):
                people, to_move = self._companion.human_sides, session.position.to_move
                return event._replace(side=to_move if to_move in people or not people else people[0])
        return event

    def settle(self) -> None:
        """After a step: tell whoever waited whether it was allowed, and whose seat was taken away."""
        session = self._companion.session
        if session.sent_away_count != self._sent_away_count:
            self._sent_away_count = session.sent_away_count
            self.revoke_seats()
        has_seats = any(client.seats for client in self._list_clients())
        if session.has_seats != has_seats:
            self._companion.put(SeatsChanged(has_seats, self._companion.clock.now()))
        if self._asking is None or self._companion.has_uncommitted:
            return
        asking = self._asking
        if session.permission:
            is_about_another = asking.turns is not None and asking.turns != session.turns
            if is_about_another or asking.client not in self._list_clients():
                self._withdraw(asking.client)
            return
        self._asking = None
        self._finish(asking, is_allowed=session.granted_number == self._last_number)

    def _finish(self, asking: _Asking, *, is_allowed: bool) -> None:
        """Do what is allowed, and tell whoever asked."""
        asking.client.send_message({"type": "permission", **asking.asked_for, "allowed": is_allowed})
        if is_allowed and asking.request:
            self._run_command(asking.client, asking.request)

    def _ask(self, asking: _Asking, purpose: Message, cells: Sequence[Cell], cell_count: int) -> None:
        session = self._companion.session
        if self._asking:
            raise ProtocolError(Message("remote.busy"))
        if session.trouble:
            raise ProtocolError(session.trouble)
        masked = session.board_state.sensors.masked_cells if session.board_state else frozenset()
        cells = [cell for cell in cells if cell not in masked]
        if len(cells) < cell_count:
            raise ProtocolError(Message("remote.no_cells"))
        self._last_number += 1
        self._asking = asking
        chosen, now = tuple(self._random.sample(cells, cell_count)), self._companion.clock.now()
        self._companion.put(AskPermission(purpose, chosen, now, self._last_number))

    def _withdraw(self, client: SocketClient) -> None:
        if self._asking and self._asking.client is client:
            self._companion.put(WithdrawRequest(self._last_number, self._companion.clock.now()))


def _seat_to_json(number: int, sides: tuple[Side, ...]) -> dict[str, Any]:
    return {"seat": number, "sides": list(map(str, sides))}


def _find_unlikely_cells(session: Session) -> list[Cell]:
    """Cells that nobody touches who just plays: where buttons would be refused, and with pieces the empty ones."""
    position = session.position
    if session.resume_prompt:
        choice_cells = {choice.value for choice in ResumeChoice}
        return [cell for cell in session.board_grid.cells if cell not in choice_cells]
    if session.board_state:
        return [cell for cell in position.grid.cells if cell not in position.pieces]
    return [cell for cell, piece in position.pieces.items() if not find_targets(position, cell)]


def _describe(event: SessionEvent) -> tuple[str, Message]:
    """What is asked for, as a word of the protocol and as a message."""
    match event:
        case ResignGame(_, side):
            return "resign", Message("permission.resign", side=str(side))
        case AgreeDraw():
            return "draw", Message("permission.draw")
        case NewGame(variant):
            return "new", Message("permission.new", variant=variant.name)
        case ChooseResume(ResumeChoice.DISCARD):
            return "discard", Message("permission.discard")
    raise AssertionError(event)
