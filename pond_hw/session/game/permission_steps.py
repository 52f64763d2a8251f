"""The steps that `Session.after` takes for requests of people who are not at the board; see `permission`."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.session.game import session_events
from pond_hw.session.game.permission import PermissionRequest
from pond_hw.session.game.session import Session, apply_event


@apply_event.register
def _ask_permission(event: session_events.AskPermission, session: Session) -> Session:
    return session if session.permission else replace(session, permission=PermissionRequest(event))


@apply_event.register
def _withdraw_request(event: session_events.WithdrawRequest, session: Session) -> Session:
    request = session.permission
    return replace(session, permission=None) if request and request.asked.number == event.number else session


@apply_event.register
def _change_seats(event: session_events.SeatsChanged, session: Session) -> Session:
    return session if event.seat_count == session.seat_count else replace(session, seat_count=event.seat_count)


@apply_event.register
def _send_phones_away(event: session_events.SendPhonesAway, session: Session) -> Session:  # noqa: ARG001
    sent_away = session.with_changes(sent_away_count=session.sent_away_count + 1)
    return sent_away.with_messages(Message("permission.sent_away"))


def answer_request(session: Session, request: PermissionRequest, touch: Touch) -> Session:
    """A hand has touched the board while a request waits."""
    if session.board_state is None:
        answered = request.after_press(touch)
        if answered is None and request.pressed_count:  # a slip among the cells to press, and no move
            return replace(session, permission=None)
    elif touch.cell in session.board_state.sensors.masked_cells:  # nobody believes that
        return replace(apply_event(touch, replace(session, permission=None)), permission=request)
    else:
        answered = request.after_tap(touch)
    if answered is None:
        return apply_event(touch, end_request(session, request))
    if answered is request:
        return session
    if not answered.is_granted:
        return replace(session, permission=answered)
    return replace(session, permission=None, granted_number=request.asked.number)


def end_request(session: Session, request: PermissionRequest) -> Session:
    """Without a request that was not granted; half a tap was something else."""
    ended = replace(session, permission=None)
    return apply_event(request.half_tap, ended) if request.half_tap else ended
