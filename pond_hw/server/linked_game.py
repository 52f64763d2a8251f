"""Link to another home: the client that keeps the log of a linked game, and what passes between it and the board."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from pond_hw.companion import Companion
from pond_hw.messages.message import Message, PondError
from pond_hw.server.connections import Client
from pond_hw.server.parse_requests import AnswerRequest, FollowRequest, LinkedRequest, LinkRequest, ProtocolError
from pond_hw.server.protocol import change_to_json, error_message
from pond_hw.server.remote_seats import RemotePlayers
from pond_hw.session import LinkChange, LinkChanged, LinkView, Session, describe_request

MAX_TIMES_ASKED = 2
"""Maximum number of times that the lamps ask about the same request."""


class _ShownRequest(NamedTuple):
    """Request of the other home that is asked by a lit cell.

    Attributes:
        times: number of times that it was asked.
        is_lit: True while it is asked.
        ended_at: time in seconds at which it was last asked in vain.
    """

    request: LinkChange | None = None
    times: int = 0
    is_lit: bool = False
    ended_at: float = 0.0

    def is_due(self, touched_at: float) -> bool:
        """Return True if the request should be asked, given the time of the last touch."""
        is_new_touch = not self.is_lit and touched_at > self.ended_at
        return self.times == 0 or (self.times < MAX_TIMES_ASKED and is_new_touch)


class LinkedGameService:
    """Handles requests about a linked game. The newest client that sent a `link` line is the link.

    Args:
        companion: the companion of the board.
        list_clients: returns the current clients.
        send_state: sends the state to a client.
        people: asks the people at the board.
    """

    def __init__(
        self,
        companion: Companion,
        list_clients: Callable[[], Iterable[Client]],
        send_state: Callable[[Client], None],
        people: RemotePlayers,
    ) -> None:
        self._companion, self._list_clients, self._send_state = companion, list_clients, send_state
        self._link_client: Client | None = None
        self._status = LinkView()
        self._follower: tuple[Client, Session] | None = None
        self._people, self._shown = people, _ShownRequest()

    def handle_request(self, client: Client, request: LinkedRequest) -> None:
        """Handle a request. Raises PondError if it is impossible."""
        match request:
            case FollowRequest():
                self._follow(client, request)
            case LinkRequest(link):
                self._update_link(client, link)
            case AnswerRequest():
                self._answer(request)

    def settle(self) -> None:
        """After a step, send the wishes to the link, answer a `follow` line, and note that the link has left."""
        for change in self._companion.take_asked_changes():
            self._send_wish({"wish": change_to_json(change)})
        if self._follower and not (self._companion.waiting_follow or self._companion.durable.is_waiting):
            (client, session), self._follower = self._follower, None
            if session is self._companion.session:  # otherwise all clients have received the new state
                self._send_state(client)
        if self._link_client and self._link_client not in self._list_clients():
            self._link_client = None
            self._put_status(self._status._replace(running=False))
        self._show_request()

    def _follow(self, client: Client, request: FollowRequest) -> None:
        """Follow the log as soon as it is due. If the board does not fit, answer with its state."""
        if not self._companion.preview_follow(request.event):
            self._send_state(client)
            return
        self._companion.put(request.event)
        self._follower = client, self._companion.session

    def _update_link(self, client: Client, link: LinkView) -> None:
        grid = self._companion.session.board_grid
        if any(cell not in grid.mask_by_cell for cell in link.cells):
            raise PondError(Message("illegal.no_such_cell", cell=link.cells[0], size=self._companion.session.size))
        before, self._link_client = self._link_client, client
        if before not in (None, client) and before in self._list_clients():
            before.send_message(error_message(Message("linked.taken_over"), before.language))
        self._put_status(link._replace(running=True))

    def _put_status(self, status: LinkView) -> None:
        self._status = status
        self._companion.put(LinkChanged(status, self._companion.clock.now()))

    def _show_request(self) -> None:
        """Ask the people at the board about the other home's first request, by a lit cell."""
        session, client = self._companion.session, self._link_client
        requests = session.link.requests if session.link and session.linked_game and client else ()
        request = requests[0] if requests else None
        if request != self._shown.request:
            if self._shown.is_lit and client:
                self._people.withdraw(client)
            self._shown = _ShownRequest(request)
        may_ask = not (self._people.is_asking or session.trouble or session.exercise or session.resume_prompt)
        if not (request and client and may_ask and self._shown.is_due(self._companion.last_touch_at)):
            return
        self._shown = self._shown._replace(times=self._shown.times + 1, is_lit=True)
        with suppress(ProtocolError):  # too few cells can be lit
            self._people.ask_for_other_home(client, describe_request(request), partial(self._end_request, request))

    def _end_request(self, request: LinkChange, is_accepted: bool) -> None:
        """Send the answer of the people at the board. Anything but yes leaves the request open."""
        if request == self._shown.request:
            times = MAX_TIMES_ASKED if is_accepted else self._shown.times
            self._shown = _ShownRequest(request, times, ended_at=self._companion.clock.now())
        if is_accepted:
            self._send_wish({"wish": change_to_json(request), "accept": True})

    def _answer(self, request: AnswerRequest) -> None:
        link = self._companion.session.link or LinkView()
        if request.change is None:
            if not (link.question and link.question.is_mine):
                raise ProtocolError(Message("linked.no_question"))
            answer: Mapping[str, Any] = {"version": request.version}
        elif request.change in link.requests:
            answer = {"wish": change_to_json(request.change), "accept": request.is_accepted}
        else:
            raise ProtocolError(Message("linked.no_request"))
        if not link.running:
            raise ProtocolError(Message("linked.not_running"))
        self._send_wish(answer)

    def _send_wish(self, fields: Mapping[str, Any]) -> None:
        if self._link_client:
            self._link_client.send_message({"type": "wish", **fields})
