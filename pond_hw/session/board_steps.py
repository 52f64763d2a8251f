"""Steps at the board: touches, what they mean once they have held still, and sensors that are known to be bad."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.board import Touch
from pond_hw.messages.plurals import join_words
from pond_hw.rules import Cell, get_grid
from pond_hw.session import interpretation, occupancy_tracker
from pond_hw.session.board_state import BoardState
from pond_hw.session.dialogue import Dialogue
from pond_hw.session.intents import ChooseVariant, InSync, Intent, Mismatch, Moves, TakeBack, variants_by_cell
from pond_hw.session.mismatch import count_turns_to_fit
from pond_hw.session.occupancy import NO_DIFFERENCE
from pond_hw.session.occupancy_messages import format_interpretation
from pond_hw.session.prompt_steps import touch_resume_prompt
from pond_hw.session.scene import ShownRefusal
from pond_hw.session.session import Session, apply_event
from pond_hw.session.session_events import BoardIsRight, ClockTick, MaskSensor, UndoTurns
from pond_hw.session.turn_steps import begin_game, press_cell, take_actions, undo_turns


@apply_event.register
def _apply_touch(touch: Touch, session: Session) -> Session:
    if session.resume_prompt:
        return touch_resume_prompt(session, touch)
    if session.board_state:
        touched_session = replace(session, board_state=session.board_state.after_touch(*touch))
        return touched_session if session.trouble else _look_at_board(touched_session, touch.instant)
    if not touch.down:
        return session
    if session.trouble:
        return session.refuse_event(session.trouble, touch.instant)
    return press_cell(session, touch.cell, touch.instant)


@apply_event.register
def _apply_clock_tick(event: ClockTick, session: Session) -> Session:
    if session.hint and event.instant >= session.hint.visible_until:
        session = session.without_hint(session)
    return _look_at_board(session, event.instant) if event.instant >= session.next_due else session


def _look_at_board(session: Session, instant: float) -> Session:
    """After a look at the wood, and after all that follows from what is seen there."""
    while True:
        assert session.board_state
        board_state, intent = occupancy_tracker.look_at_board(session, session.board_state, instant)
        session = _with_board_state(session, board_state, instant)
        if intent is None:
            return session
        session = _apply_intent(session, intent, instant)


def _with_board_state(session: Session, new_state: BoardState, instant: float) -> Session:
    """With other wood, and told what it means if that is not what it was."""
    old_state = session.board_state
    assert old_state
    before, after, masked_before = old_state.dialogue, new_state.dialogue, old_state.sensors.announced_masked
    session = replace(session, board_state=new_state)
    masked_after = new_state.sensors.announced_masked
    meaning_changed = (before.interpretation, masked_before) != (after.interpretation, masked_after)
    if not meaning_changed and old_state.tasks.is_same_work(new_state.tasks):
        return session
    shown_refusal = session.refusal
    if meaning_changed:
        refused_cell = find_refused_cell(before, after)
        shown_refusal = ShownRefusal(refused_cell, instant) if refused_cell else None
    return replace(
        session,
        message=format_interpretation(session, new_state, masked_before, session.format_next()),
        refusal=shown_refusal,
        turn_is_fresh=session.turn_is_fresh and isinstance(after.interpretation, InSync),
    )


def find_refused_cell(before: Dialogue, now: Dialogue) -> Cell | None:
    """Where a refusal is shown when a hand has just done what may not be done: on the piece that is in the wrong place.

    If board and game had not agreed before, the difference is nobody's doing.
    """
    new_mismatch = now.interpretation
    if not isinstance(new_mismatch, Mismatch) or isinstance(before.interpretation, Mismatch):
        return None
    missing, extra, wrong_owner = new_mismatch.difference
    wrong_cells = extra or wrong_owner or missing
    return min(wrong_cells) if before.was_in_sync and len(wrong_cells) == 1 else None


def _apply_intent(session: Session, intent: Intent, instant: float) -> Session:
    match intent:
        case Moves(actions):
            return take_actions(session, actions, instant, by_hand=True)
        case TakeBack(turn_count):
            return undo_turns(UndoTurns(instant, turn_count), session)
        case ChooseVariant(menu_cell):
            return begin_game(session, variants_by_cell(session.size, session.variant)[menu_cell], instant)
    raise TypeError(f"{intent} is nothing that can be done.")


@apply_event.register
def _accept_board(event: BoardIsRight, session: Session) -> Session:
    instant, board_state = event.instant, session.board_state
    if board_state is None:
        return session.refuse_event("This board has no pieces that could be right or wrong.", instant)
    if session.declared_outcome:
        return session.refuse_event("The players have ended the game themselves; undo takes that back first.", instant)
    dialogue = replace(board_state.dialogue, was_in_sync=False)
    reading = interpretation.interpret_occupancy(session, replace(board_state, dialogue=dialogue))
    if isinstance(reading, Mismatch) and reading.offered_action:
        return _look_at_board(take_actions(session, (reading.offered_action,), instant, by_hand=True), instant)
    if board_state.find_difference(session.position) == NO_DIFFERENCE:
        cells_to_clear = sorted(board_state.tasks.to_remove)
        removal_text = f", but for what is to be taken off ({join_words(cells_to_clear)})" if cells_to_clear else ""
        return session.refuse_event(f"Board and game agree already{removal_text}.", instant)
    turn_count = count_turns_to_fit(session, board_state)
    if turn_count:
        return _look_at_board(undo_turns(UndoTurns(instant, turn_count), session), instant)
    repair_advice = "Put the pieces as the lamps show, or set up the position by hand."
    return session.refuse_event(f"The game has never stood as the board does. {repair_advice}", instant)


@apply_event.register
def _mask_sensor(event: MaskSensor, session: Session) -> Session:
    cell, instant, board_state = event.cell, event.instant, session.board_state
    if board_state is None:
        return session.refuse_event("Only a sensor under pieces can be masked; this board has buttons.", instant)
    if cell not in get_grid(session.size).mask_by_cell:
        return session.refuse_event(f"{cell} is not a cell of this {session.size}x{session.size} board.", instant)
    masked_state = board_state.with_known_sensor(cell, event.is_bad, instant)
    if masked_state is board_state:
        return session
    return _look_at_board(replace(session, board_state=masked_state), instant)
