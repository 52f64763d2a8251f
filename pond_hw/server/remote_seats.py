"""Seats of remote players, such as people on phones, and requests that wait for a press at the board.

When a client such as the phone page requests a seat or an irreversible command, the board asks the people there.
The client decides who gets which seat. It reports the seat numbers, so that every client can list and revoke seats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import SystemRandom
from typing import Any, NamedTuple

from pond_hw.companion import Companion
from pond_hw.messages.message import Message
from pond_hw.rules import Cell, Side, Turn
from pond_hw.server.connections import Client
from pond_hw.server.parse_requests import (
    CommandRequest,
    ProtocolError,
    RemoteRequest,
    RevokeRequest,
    SeatNotice,
    SeatRequest,
)
from pond_hw.session import (
    AgreeDraw,
    AskPermission,
    ChangeSetting,
    ChooseResume,
    NewGame,
    PhoneSign,
    RedoTurns,
    ResignGame,
    ResumeChoice,
    SeatsChanged,
    Session,
    SessionEvent,
    SignColour,
    UndoTurns,
    WithdrawRequest,
    describe_setting,
    describe_setting_value,
    find_targets,
    name_value,
)
from pond_hw.simulator import SimulatedSensors

SEAT_CELLS, CONFIRMATION_CELLS = 4, 2
"""Number of cells to press for a seat, and for any other request if every cell may be pressed in normal play.

If there is a cell that is not used in normal play, one press on that cell is enough.
"""


_AlwaysConfirmed = UndoTurns | RedoTurns | ChangeSetting
"""Commands that need a press even when no game is in progress, because they affect the other side."""

_AskedOfOtherHome = UndoTurns | RedoTurns | AgreeDraw | NewGame
"""Commands that need no press in a linked game, because there they don't change the game."""


class _PendingRequest(NamedTuple):
    """A request that is waiting for permission.

    Attributes:
        client: the client that made the request.
        asked_for: fields that identify the request in the answer.
        act: called when the request is allowed; None if the client does the rest.
        on_end: called with the answer to a request of the other home, instead of sending it to the client.
        turns: turns of the game at the time of the request. If they change, the request is cancelled.
    """

    client: Client
    asked_for: dict[str, Any]
    act: Callable[[], object] | None = None
    on_end: Callable[[bool], object] | None = None
    turns: tuple[Turn, ...] | None = None


class RemotePlayers:
    """Handles requests that clients make on behalf of remote players.

    Args:
        companion: the companion of the board.
        list_clients: returns the current clients.
        run_command: runs a command once it is allowed.
    """

    def __init__(
        self,
        companion: Companion,
        list_clients: Callable[[], Iterable[Client]],
        run_command: Callable[[Client, CommandRequest], None],
    ) -> None:
        self._companion, self._list_clients, self._run_command = companion, list_clients, run_command
        self._random, self._last_number = SystemRandom(), 0
        self._last_sign: PhoneSign | None = None
        self._pending: _PendingRequest | None = None
        self._revocation_count = companion.session.revocation_count
        self._remote_sides = companion.seated.remote_sides

    @property
    def state_fields(self) -> dict[str, Any]:
        """State fields for the seats. Empty if there are no seats."""
        seats = [_seat_to_json(*seat) for client in self._list_clients() for seat in client.seats or ()]
        return {"seats": seats} if seats else {}

    def handle_request(self, client: Client, request: RemoteRequest) -> bool:
        """Queue a client's request for the next step. Return True if the seats changed.

        Raise ProtocolError if the board cannot ask the players to confirm, for example because another request is open.
        """
        match request:
            case SeatRequest(sides):
                if far_sides := [side for side in sides if side in self._companion.seated.remote_sides]:
                    raise ProtocolError(Message("linked.no_seat", side=str(far_sides[0])))
                purpose = Message("permission.seat", side=str(sides[0]))
                if len(sides) == len(Side):
                    purpose = Message("permission.seat_for_both")
                asked_for: dict[str, Any] = {"for": "seat", "sides": list(map(str, sides))}
                self._ask(
                    _PendingRequest(client, asked_for),
                    purpose,
                    self._companion.session.board_grid.cells,
                    SEAT_CELLS,
                )
            case SeatNotice(seats):
                has_changed, client.seats = (client.seats or ()) != seats, seats
                return has_changed
            case RevokeRequest(int() as number, True):
                asked_for = {"for": "revoke", "seat": number}
                act, turns = partial(self.revoke_seats, number), self._companion.session.turns
                self._ask_for_confirmation(
                    _PendingRequest(client, asked_for, act, turns=turns), Message("permission.revoke", number=number)
                )
            case RevokeRequest(number):
                return self.revoke_seats(number)
            case _:
                self.withdraw(client)
        return False

    def revoke_seats(self, number: int | None = None) -> bool:
        """Revoke one seat or all, and inform the clients. Return True if any seat was revoked.

        If all are revoked, every client that manages seats is informed, so that other phones may ask again.
        """
        has_changed = False
        for client in self._list_clients():
            seats = client.seats
            if seats is None:
                continue
            left = () if number is None else tuple(seat for seat in seats if seat[0] != number)
            if left != seats or number is None:
                has_changed |= left != seats
                client.seats = left
                client.send_message({"type": "revoked", "seat": number})
        return has_changed

    def check_touch(self, client: Client, cell: Cell) -> None:
        """Refuse a client's touch on the cell that a person at the board must press.

        A touch on any other cell cancels the request. On a simulated board, every client except the one that made the
        request counts as a person at the board.
        """
        if self._pending is None:
            return
        if isinstance(self._companion.board.sensors, SimulatedSensors) and self._pending.client is not client:
            return
        request = self._companion.session.permission
        if request and request.lit_cell == cell:
            raise ProtocolError(Message("remote.no_hand"))
        self.withdraw(self._pending.client)

    @property
    def is_asking(self) -> bool:
        """True while the board asks the people for permission."""
        return self._pending is not None

    def ask_for_other_home(self, client: Client, purpose: Message, on_end: Callable[[bool], object]) -> None:
        """Ask the people at the board about a request of the other home. Raise ProtocolError if the board can't ask."""
        self._ask_for_confirmation(_PendingRequest(client, {}, on_end=on_end), purpose)

    def ask_to_confirm(self, client: Client, request: CommandRequest) -> None:
        """Ask the people at the board to confirm a command that is irreversible or affects the other side.

        An irreversible command runs at once if no game would be lost. Raise PondError if the command is impossible, or if the
        board cannot ask for confirmation.
        """
        session = self._companion.session
        event = request.event or NewGame(session.default_variant, 0.0)
        is_linked = session.linked_game and not (session.exercise or session.resume_prompt)
        if is_linked and isinstance(event, _AskedOfOtherHome):
            act = partial(self._run_command, client, request)
            self._finish(_PendingRequest(client, {"for": _describe(event, session)[0]}, act), is_allowed=True)
            return
        event = self._complete_event(event, session)
        kind, purpose = _describe(event, session)
        act = partial(self._run_command, client, request._replace(event=event))
        pending = _PendingRequest(client, {"for": kind}, act, turns=session.turns)
        if session.can_continue or session.resume_prompt or isinstance(event, _AlwaysConfirmed):
            self._ask_for_confirmation(pending, purpose)
        else:
            self._finish(pending, is_allowed=True)

    def _complete_event(self, event: SessionEvent, session: Session) -> SessionEvent:
        """Fill in the missing details of an event now, because the game may change before the event is handled."""
        match event:
            case NewGame(variant):
                Session.start_game(variant, session.size)  # raises if the variant does not fit the board
            case ResignGame(_, None):
                people, to_move = self._companion.seated.human_sides, session.position.to_move
                return event._replace(side=to_move if to_move in people or not people else people[0])
            case UndoTurns() | RedoTurns():
                changed = session.after(event)
                if changed.turn_number == session.turn_number:
                    raise ProtocolError(changed.messages[0])
                return event._replace(number=max(changed.turn_number, session.turn_number))
        return event

    def settle(self) -> None:
        """After a step, report granted and refused requests to their clients, and apply revocations."""
        session = self._companion.session
        if session.revocation_count != self._revocation_count:
            self._revocation_count = session.revocation_count
            self.revoke_seats()
        self._update_remote_seats()
        if self._pending and not self._companion.durable.is_waiting:
            self._settle_pending(self._pending, session)
        seat_counts = [len(client.seats) for client in self._list_clients() if client.seats is not None]
        seat_count = sum(seat_counts) if seat_counts else None
        if session.seat_count != seat_count:
            self._companion.put(SeatsChanged(seat_count, self._companion.clock.now()))

    def _update_remote_seats(self) -> None:
        """Swap the sides of the seats if the homes have swapped sides. Revoke seats for sides played in another home."""
        if self._companion.session.exercise:
            return
        before, self._remote_sides = self._remote_sides, self._companion.seated.remote_sides
        if before != self._remote_sides and len(before) == len(self._remote_sides) == 1:
            self._swap_seats()
        remote_sides = set(self._remote_sides)
        if remote_sides:
            seats = [seat for client in self._list_clients() for seat in client.seats or ()]
            for number, sides in seats:
                if not remote_sides.isdisjoint(sides):
                    self.revoke_seats(number)

    def _swap_seats(self) -> None:
        """Give each seat the other side, and inform the clients that manage seats."""
        for client in self._list_clients():
            if client.seats:
                client.seats = tuple(
                    (number, tuple(side.other_side for side in sides)) for number, sides in client.seats
                )
                client.send_message({"type": "swapped"})

    def _settle_pending(self, pending: _PendingRequest, session: Session) -> None:
        if session.permission:
            has_game_changed = pending.turns is not None and pending.turns != session.turns
            if has_game_changed or pending.client not in self._list_clients():
                self.withdraw(pending.client)
            return
        self._pending = None
        self._finish(pending, is_allowed=session.granted_number == self._last_number)

    def _finish(self, pending: _PendingRequest, *, is_allowed: bool) -> None:
        """Send the result of a request to its client. If it is allowed, run it."""
        if pending.on_end:
            pending.on_end(is_allowed)
            return
        pending.client.send_message({"type": "permission", **pending.asked_for, "allowed": is_allowed})
        if is_allowed and pending.act:
            pending.act()

    def _ask_for_confirmation(self, pending: _PendingRequest, purpose: Message) -> None:
        """Ask for one press on a cell that is not used in normal play or, if there is no such cell, for several presses."""
        session = self._companion.session
        cells = _find_unused_cells(session)
        self._ask(pending, purpose, cells or session.board_grid.cells, 1 if cells else CONFIRMATION_CELLS)

    def _ask(self, pending: _PendingRequest, purpose: Message, cells: Sequence[Cell], cell_count: int) -> None:
        session = self._companion.session
        if self._pending:
            raise ProtocolError(Message("remote.busy"))
        if session.trouble:
            raise ProtocolError(session.trouble)
        masked = session.board_state.sensors.masked_cells if session.board_state else frozenset()
        cells = [cell for cell in cells if cell not in masked]
        if len(cells) < cell_count:
            raise ProtocolError(Message("remote.no_cells"))
        self._last_number += 1
        self._pending = pending
        chosen, now = tuple(self._random.sample(cells, cell_count)), self._companion.clock.now()
        sign, from_phone = self._choose_sign(), pending.on_end is None
        self._companion.put(AskPermission(purpose, chosen, now, self._last_number, sign, from_phone))

    def _choose_sign(self) -> PhoneSign:
        """Choose a sign with a different colour from the last one. On a board without a screen, only the colour is visible."""
        colours = [colour for colour in SignColour if self._last_sign is None or colour is not self._last_sign.colour]
        self._last_sign = PhoneSign(self._random.choice(colours), self._random.randint(10, 99))
        return self._last_sign

    def withdraw(self, client: Client) -> None:
        """Withdraw the open request if this client made it."""
        if self._pending and self._pending.client is client:
            self._companion.put(WithdrawRequest(self._last_number, self._companion.clock.now()))


def _seat_to_json(number: int, sides: tuple[Side, ...]) -> dict[str, Any]:
    return {"seat": number, "sides": list(map(str, sides))}


def _find_unused_cells(session: Session) -> list[Cell]:
    """Return the cells that are not used in normal play: refused buttons, or empty cells on a board with pieces."""
    position = session.position
    if session.resume_prompt:
        choice_cells = {choice.value for choice in ResumeChoice}
        return [cell for cell in session.board_grid.cells if cell not in choice_cells]
    if session.board_state:
        return [cell for cell in position.grid.cells if cell not in position.pieces]
    return [cell for cell, piece in position.pieces.items() if not find_targets(position, cell)]


def _describe(event: SessionEvent, session: Session) -> tuple[str, Message]:
    """Return the protocol's name for a request, and a message that describes it."""
    match event:
        case UndoTurns():
            return "undo", Message("permission.undo_end" if session.outcome else "permission.undo")
        case RedoTurns():
            return "redo", Message("permission.redo")
        case ChangeSetting(setting, side, value):
            choice = describe_setting_value(setting, name_value(value))
            return setting.name, Message("permission.setting", setting=describe_setting(setting, side), value=choice)
        case ResignGame(_, side):
            return "resign", Message("permission.resign", side=str(side))
        case AgreeDraw():
            return "draw", Message("permission.draw")
        case NewGame(variant):
            return "new", Message("permission.new", variant=variant.name)
        case ChooseResume(ResumeChoice.DISCARD):
            return "discard", Message("permission.discard")
    raise AssertionError(event)
