"""Taking, undoing and redoing turns, and ending a game by agreement or resignation."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.messages.message import Message
from pond_hw.rules import Action, EndReason, IllegalAction, Outcome, play
from pond_hw.session.game import exercise_play
from pond_hw.session.game import session_events as events
from pond_hw.session.game.link_changes import ask_for_end, ask_for_undo
from pond_hw.session.game.session_state import SessionState
from pond_hw.session.game.start_positions import is_set_up
from pond_hw.session.turn_messages import describe_outcome, describe_turn


def take_requested_action(event: events.TakeAction, session: SessionState) -> SessionState:
    """Take an action requested by a screen, a program or a remote player."""
    if event.side not in (None, session.position.to_move) and not session.outcome:
        return session.refuse_event(event.instant, Message("action.not_their_turn", side=str(event.side)))
    if event.side is None:  # programs need no warning
        return take_actions(session, (event.action,), event.instant)
    return take_or_warn(session, event.action, event.instant)


def take_or_warn(session: SessionState, action: Action, instant: float) -> SessionState:
    """Take the turn, or show a warning first if warnings are turned on for the side to move."""
    if (
        action in session.allowed_actions
        and action != session.warned_action
        and (warning := session.describe_warning(action))
    ):
        chosen_cell = None if session.board_state else action.source
        messages = warning, Message("threat.again")
        return session.with_changes(selected_cell=chosen_cell, warned_action=action, messages=messages)
    return take_actions(session, (action,), instant)


def take_actions(
    session: SessionState,
    actions: tuple[Action, ...],
    instant: float,
    *,
    by_hand: bool = False,
    corrected_count: int = 0,
) -> SessionState:
    """Take turns until an action is illegal.

    If `by_hand` is True, the pieces have already been moved. The actions replace the last `corrected_count` turns.
    """
    if corrected_count:
        session = _correct_turns(session, corrected_count, instant)
    if session.exercise:
        return take_in_exercise(session, actions[0], instant, by_hand=by_hand)
    turns_before, undone_turns = len(session.turns), session.undone_turns
    for action in actions:
        session = _take_action(session, action, instant, by_hand=by_hand)
    taken_turns = session.turns[turns_before:]
    if taken_turns and taken_turns == undone_turns[::-1]:  # a complete redo of the undone turns
        return session.with_events(events.TurnsRedone(len(taken_turns)))
    return session.with_events(*(events.TurnTaken(turn.action) for turn in taken_turns))


def _correct_turns(session: SessionState, turn_count: int, instant: float) -> SessionState:
    """Undo the last turns without asking for repairs, because the pieces already show the turns that replace them."""
    board_state, undone_turns = session.board_state, session.turns[-turn_count:]
    assert board_state
    changed = session.with_changes(turns=session.turns[:-turn_count], undone_turns=(), changed_at=instant)
    if changed.exercise:
        changed = replace(changed, exercise=changed.exercise.after_undo(len(changed.turns)))
    return replace(changed, board_state=board_state.after_correction(undone_turns)).with_events(
        events.TurnsUndone(turn_count)
    )


def take_in_exercise(session: SessionState, action: Action, instant: float, *, by_hand: bool) -> SessionState:
    """Take a turn in an exercise. The turn is undone at once if it is wrong."""
    if refused := exercise_play.refuse_action(session, action, instant):
        return refused.update_board_state() if by_hand else refused
    taken = _take_action(session, action, instant, by_hand=by_hand)
    return exercise_play.judge_turn(session, taken, instant) if taken.turns is not session.turns else taken


def _take_action(session: SessionState, action: Action, instant: float, *, by_hand: bool) -> SessionState:
    if session.outcome:
        return session.refuse_after_end(instant, action.target)
    try:
        turn = play(session.position, action)
    except IllegalAction as error:
        return session.refuse_event(instant, error.message, cell=action.target)
    acted = session.with_changes(turns=(*session.turns, turn), undone_turns=(), turn_is_fresh=True, changed_at=instant)
    return acted.update_board_state((turn,), by_hand=by_hand).with_messages(*describe_turn(turn))


def undo_turns(event: events.UndoTurns, session: SessionState) -> SessionState:
    if event.number is not None and event.number != session.turn_number:
        reason = "undo.done_already" if event.number > session.turn_number else "undo.not_last"
        return session.refuse_event(event.instant, Message(reason))
    if session.exercise:
        return exercise_play.undo_in_exercise(session, event.turn_count, event.instant)
    if session.linked_game:
        return ask_for_undo(session, event.turn_count, event.instant)
    if not (session.turns or session.declared_outcome):
        return session.refuse_event(event.instant, Message("undo.nothing"))
    turn_count = min(event.turn_count - bool(session.declared_outcome), len(session.turns))
    kept_count = len(session.turns) - turn_count
    kept_turns, undone_turns = session.turns[:kept_count], session.turns[kept_count:]
    changed = session.with_changes(
        declared_outcome=None,
        turns=kept_turns,
        undone_turns=(*session.undone_turns, *undone_turns[::-1]),
        changed_at=event.instant,
    )
    steps: list[events.GameEvent] = [events.EndUndone()] if session.declared_outcome else []
    steps += [events.TurnsUndone(turn_count)] if turn_count else []
    if not (
        changed.turns or changed.undone_turns or is_set_up(changed.custom_start)
    ):  # players may still change until the first turn
        steps.append(events.GameStarted(changed.variant, changed.custom_start))
    message = Message("undo.done", count=turn_count) if turn_count else Message("game.goes_on")
    return changed.with_events(*steps).update_board_state(undone_turns=undone_turns).with_messages(message)


def redo_turns(event: events.RedoTurns, session: SessionState) -> SessionState:
    if event.number is not None and event.number != session.turn_number + 1:
        reason = "redo.done_already" if event.number <= session.turn_number else "redo.not_next"
        return session.refuse_event(event.instant, Message(reason))
    if session.follows_log:
        return session.refuse_event(event.instant, Message("linked.no_redo"))
    if not session.undone_turns or session.declared_outcome:
        return session.refuse_event(event.instant, Message("redo.nothing"))
    redone_turns = session.undone_turns[-event.turn_count :][::-1]
    redone_count = len(redone_turns)
    redone = session.with_changes(
        turns=session.turns + redone_turns,
        undone_turns=session.undone_turns[:-redone_count],
        turn_is_fresh=redone_count == 1,
        changed_at=event.instant,
    ).with_events(events.TurnsRedone(redone_count))
    messages = describe_turn(redone_turns[0]) if redone_count == 1 else (Message("redo.done", count=redone_count),)
    return redone.update_board_state(redone_turns).with_messages(*messages)


def end_game(event: events.ResignGame | events.AgreeDraw, session: SessionState) -> SessionState:
    if session.exercise:
        return session.refuse_event(event.instant, Message("exercise.no_end"), *session.describe_next())
    if session.outcome:
        return session.refuse_after_end(event.instant)
    if session.linked_game:
        return ask_for_end(event, session)
    declared_outcome = Outcome(None, EndReason.AGREEMENT)
    if isinstance(event, events.ResignGame):
        resigning_side = session.position.to_move if event.side is None else event.side
        declared_outcome = Outcome(resigning_side.other_side, EndReason.RESIGNATION)
    board_state = session.board_state
    return session.with_changes(
        declared_outcome=declared_outcome,
        changed_at=event.instant,
        messages=(describe_outcome(declared_outcome, session.position),),
        board_state=board_state and board_state.after_movement(event.instant),
    ).with_events(events.GameEnded(declared_outcome))
