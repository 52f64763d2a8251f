"""Changes of a linked game that the players ask the other home for.

They don't change the game here. Once both homes have agreed, the change arrives by the log; see `follow_game`.
"""

from __future__ import annotations

from pond_hw.messages.message import Message
from pond_hw.rules import Side, Variant
from pond_hw.session.game import session_events as events
from pond_hw.session.game.link_view import DrawChange, LinkChange, NewGameChange, ResignChange, TakeBackChange
from pond_hw.session.game.session_state import SessionState


def ask_for_undo(session: SessionState, turn_count: int, instant: float) -> SessionState:
    if session.declared_outcome:
        return session.refuse_event(instant, Message("linked.end_is_final"))
    if not session.turns:
        return session.refuse_event(instant, Message("undo.nothing"))
    return _ask(session, TakeBackChange(max(len(session.turns) - turn_count, 0) + 1), instant)


def ask_for_new_game(session: SessionState, variant: Variant, instant: float) -> SessionState:
    """Ask for a new game. After the end of a game the homes swap sides."""
    assert session.link
    if session.exercise:
        return session.refuse_event(instant, Message("linked.lesson_first"), *session.describe_next())
    if variant.size > session.size:
        reason = Message("variant.does_not_fit", variant=variant.name, size=variant.size, board=session.size)
        return session.refuse_event(instant, reason)
    side = session.link.side or Side.LIGHT
    return _ask(session, NewGameChange(variant, side.other_side if session.outcome else side), instant)


def ask_for_end(event: events.ResignGame | events.AgreeDraw, session: SessionState) -> SessionState:
    """Resign, or ask for a draw, in a game in progress."""
    assert session.link
    if isinstance(event, events.AgreeDraw):
        return _ask(session, DrawChange(), event.instant)
    if session.link.side is not None and event.side not in (None, session.link.side):
        return session.refuse_event(event.instant, Message("linked.resign_for_yourself"))
    return _ask(session, ResignChange(), event.instant)


def _ask(session: SessionState, change: LinkChange, instant: float) -> SessionState:
    link = session.link
    assert link
    if link.side is None:
        return session.refuse_event(instant, Message("linked.watching"))
    if not link.running:
        return session.refuse_event(instant, Message("linked.not_running"))
    offline = () if link.online else (Message("linked.offline"),)
    asked = session.with_changes().with_remark(describe_asked(change), *offline)
    return asked.with_events(events.ChangeAsked(change))


def describe_asked(change: LinkChange) -> Message:
    """Describe a change that this home has asked for."""
    match change:
        case TakeBackChange(turn):
            return Message("linked.asked.undo", turn=turn)
        case NewGameChange(variant, side):
            return Message("linked.asked.new", variant=variant.name, side=str(side))
        case DrawChange():
            return Message("linked.asked.draw")
    return Message("linked.asked.resign")


def describe_request(change: LinkChange) -> Message:
    """Describe a request of the other home. A resignation needs no answer."""
    match change:
        case TakeBackChange(turn):
            return Message("linked.request.undo", turn=turn)
        case NewGameChange(variant, side):
            return Message("linked.request.new", variant=variant.name, side=str(side))
    return Message("linked.request.draw")
