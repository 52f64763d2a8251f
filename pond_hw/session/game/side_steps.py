"""The steps that `Session.after` takes beside the game: hints, and what people should know."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.messages.message import Message
from pond_hw.session.game import exercise_steps, session_events
from pond_hw.session.game.hints_and_warnings import HINT_SECONDS, Hint
from pond_hw.session.game.session import Session, apply_event
from pond_hw.session.game.session_events import HintGiven
from pond_hw.session.game.settings import with_side
from pond_hw.session.pieces.piece_messages import describe_interpretation


@apply_event.register
def _ask_hint(event: session_events.AskHint, session: Session) -> Session:
    """A hint is thought about, or the one that is there stays for longer."""
    instant, board_state = event.instant, session.board_state
    if session.outcome:
        return session.refuse_after_end(instant)
    if event.side not in (None, session.position.to_move):
        return session.refuse_event(instant, Message("action.not_their_turn", side=str(event.side)))
    if board_state and session.game_phase not in ("act", "take_off", "in_hand"):
        announced_masked = board_state.sensors.announced_masked
        meaning = describe_interpretation(session, board_state, announced_masked, session.describe_next())
        return session.refuse_event(instant, Message("hint.not_yet"), *meaning)
    if no_hint := session.explain_no_hint():
        return session.refuse_event(instant, no_hint)
    if session.exercise and (revealed := exercise_steps.reveal_answer(session, instant)):
        return revealed
    hint = session.hint or Hint()
    return _show_hint(session, hint._replace(visible_until=instant + HINT_SECONDS) if hint.action else hint)


@apply_event.register
def _take_hint(event: session_events.HintFound, session: Session) -> Session:
    """The hint has come, if it is still waited for."""
    if session.hint is None or event.action not in session.allowed_actions:
        return session
    counted = session if session.exercise else _count_hint(session)
    shown = _show_hint(counted, Hint(event.action, event.action_value, event.instant + HINT_SECONDS))
    return exercise_steps.after_hint(shown, event.instant)


def _count_hint(session: Session) -> Session:
    """The side to move has had one more hint; the same one again is none."""
    side = session.position.to_move
    if session.hinted_position == session.position or session.hint_limits[side] is None:
        return session
    hints_given = with_side(session.hints_given, side, session.hints_given[side] + 1)
    counted = replace(session, hints_given=hints_given, hinted_position=session.position)
    return counted.with_events(HintGiven(side))


def _show_hint(session: Session, shown_hint: Hint) -> Session:
    messages = session.describe_hint(shown_hint)
    return session.with_changes(hint=shown_hint, messages=messages, turn_is_fresh=session.turn_is_fresh)


@apply_event.register
def _change_trouble(event: session_events.TroubleChanged, session: Session) -> Session:
    if event.message == session.trouble:
        return session
    messages = (event.message,) if event.message else (Message("trouble.over"), *session.describe_next())
    changed_session = replace(session, trouble=event.message, messages=messages, refusal=None, turn_is_fresh=False)
    return changed_session.after_wakeup(event.instant)


@apply_event.register
def _refuse_request(event: session_events.RequestRefused, session: Session) -> Session:
    return session.refuse_event(event.instant, event.message, cell=event.cell)


@apply_event.register
def _show_notice(event: session_events.ShowNotice, session: Session) -> Session:
    return replace(session, messages=event.messages)


@apply_event.register
def _change_saving(event: session_events.SavingChanged, session: Session) -> Session:
    return session if event.trouble == session.unsaved_reason else replace(session, unsaved_reason=event.trouble)
