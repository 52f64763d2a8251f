"""Handling of requests for hints and of changes to settings."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.messages.message import Message
from pond_hw.rules import Side
from pond_hw.session.game import exercise_play
from pond_hw.session.game import session_events as events
from pond_hw.session.game.hints_and_warnings import HINT_SECONDS, Hint
from pond_hw.session.game.new_game import begin_game
from pond_hw.session.game.session_events import HintGiven
from pond_hw.session.game.session_state import SessionState
from pond_hw.session.game.settings import HELP, SideHelp, with_side
from pond_hw.session.game.start_positions import adapt_start, is_set_up
from pond_hw.session.pieces import describe_interpretation


def ask_hint(event: events.AskHint, session: SessionState) -> SessionState:
    """Start computing a hint, or extend the display time of the current hint."""
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
    if session.exercise and (revealed := exercise_play.reveal_answer(session, instant)):
        return revealed
    hint = session.hint or Hint()
    return _show_hint(session, hint._replace(visible_until=instant + HINT_SECONDS) if hint.action else hint)


def show_found_hint(event: events.HintFound, session: SessionState) -> SessionState:
    if session.hint is None or event.action not in session.allowed_actions:
        return session
    counted = session if session.exercise else _count_hint(session)
    shown = _show_hint(counted, Hint(event.action, event.action_value, event.instant + HINT_SECONDS))
    return exercise_play.after_hint(shown, event.instant)


def _count_hint(session: SessionState) -> SessionState:
    """Count a hint for the side to move. Showing a hint again in the same position is free."""
    side = session.position.to_move
    if session.hinted_position == session.position or session.hints_left[side] is None:
        return session
    hints_given = with_side(session.hints_given, side, session.hints_given[side] + 1)
    counted = replace(session, hints_given=hints_given, hinted_position=session.position)
    return counted.with_events(HintGiven(side))


def _show_hint(session: SessionState, shown_hint: Hint) -> SessionState:
    messages = session.describe_hint(shown_hint)
    return session.with_changes(hint=shown_hint, messages=messages, turn_is_fresh=session.turn_is_fresh)


def change_setting(event: events.ChangeSetting, session: SessionState) -> SessionState:
    setting, side, value = event.setting, event.side, event.value
    if side is None:
        return _change_table_setting(event, session)
    side_help, applies_now = find_side_help(session, side).with_value(setting, value), _has_not_begun(session)
    if setting is HELP:  # unlike other settings, it takes effect at once even in an exercise
        session = session.with_value(setting, side, value)
    shown = setting.cap(session.variant, value) if applies_now else value
    return _give_help(session, side, side_help, event.instant, setting.describe(side, shown, applies_now))


def recall_help(event: events.RecallHelp, session: SessionState) -> SessionState:
    """Restore the saved settings of a side's player."""
    before = find_side_help(session, event.side)
    changes = event.side_help.describe_changes(before, event.side, applies_now=_has_not_begun(session))
    recalled = (Message("side_help.recalled", name=event.name),) if event.name else ()
    if not (changes or recalled):
        return session
    return _give_help(session, event.side, event.side_help, event.instant, *recalled, *changes)


def find_side_help(session: SessionState, side: Side) -> SideHelp:
    """Return a side's settings outside of exercises, which may override them."""
    side_helps = session.exercise.paused.side_helps if session.exercise else session.side_helps
    return side_helps[side]


def _give_help(
    session: SessionState, side: Side, side_help: SideHelp, instant: float, *messages: Message
) -> SessionState:
    """Change a side's settings. If the game has not begun and they affect its start, restart it."""
    before, run = session.side_helps[side], session.exercise
    if run:
        paused_helps = with_side(run.paused.side_helps, side, side_help)
        run = replace(run, paused=run.paused._replace(side_helps=paused_helps))
        side_help = side_help._replace(help=before.help)
    side_helps = with_side(session.side_helps, side, side_help)
    changed = replace(session, exercise=run, side_helps=side_helps, refusal=None)
    if not (side_help.restarts_game(before) and _has_not_begun(session)):
        return changed.with_remark(*messages)
    return begin_game(changed, session.variant, instant, adapt_start(changed)).with_messages(*messages)


def _change_table_setting(event: events.ChangeSetting, session: SessionState) -> SessionState:
    setting, value, applies_now, variant = event.setting, event.value, _has_not_begun(session), session.default_variant
    if value == session.find_value(setting, None):
        return session
    if setting.needs_pieces and session.board_state is None:
        return session.refuse_event(event.instant, Message("board.has_buttons"))
    if value != setting.cap(variant, value):
        return session.refuse_event(event.instant, Message(setting.unavailable, variant=variant.name))
    changed = replace(session.with_value(setting, None, value), refusal=None)
    message = setting.describe(None, value, applies_now)
    if not (setting.restarts_game and applies_now):
        return changed.with_remark(message)
    return begin_game(changed, variant, event.instant).with_messages(message)


def _has_not_begun(session: SessionState) -> bool:
    """Return True if the game started normally and nothing has happened in it."""
    is_begun = session.turns or session.undone_turns or session.declared_outcome or session.linked_game
    if is_begun or session.resume_prompt or session.exercise:
        return False
    return not is_set_up(session.custom_start)
