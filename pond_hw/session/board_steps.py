"""Steps at the board: touches, what they mean once they have held still, and sensors that are known to be bad."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.board import Touch
from pond_hw.rules import get_grid
from pond_hw.session import interpretation
from pond_hw.session.board_state import BoardState, find_difference
from pond_hw.session.intents import NO_DIFFERENCE, InSync, Intent, Mismatch, Moves, TakeBack
from pond_hw.session.occupancy_messages import format_interpretation
from pond_hw.session.overlay import find_refused_cell
from pond_hw.session.prompt_steps import touch_resume_prompt
from pond_hw.session.scene import ShownRefusal
from pond_hw.session.session import Session, apply_event, variants_by_cell
from pond_hw.session.session_events import BoardIsRight, ClockTick, MaskSensor, UndoTurns
from pond_hw.session.turn_messages import join_words
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
        board_state, intent, picked_cell = interpretation.look_at_board(session, session.board_state, instant)
        session = _with_board_state(session, board_state, instant)
        if intent:
            session = _apply_intent(session, intent, instant)
        elif picked_cell:
            session = begin_game(session, variants_by_cell(session.size, session.variant)[picked_cell], instant)
        else:
            return session


def _with_board_state(session: Session, new_state: BoardState, instant: float) -> Session:
    """With other wood, and told what it means if that is not what it was."""
    before = session.board_state
    assert before
    is_news = new_state.is_interpreted and new_state.announced_masked != new_state.masked_cells
    after = replace(new_state, announced_masked=new_state.masked_cells) if is_news else new_state
    session = replace(session, board_state=after)
    meaning_changed = (before.interpretation, before.announced_masked) != (after.interpretation, after.announced_masked)
    if not meaning_changed and (before.to_remove.keys(), before.cells_to_flip) == (
        after.to_remove.keys(),
        after.cells_to_flip,
    ):
        return session
    shown_refusal = session.refusal
    if meaning_changed:
        refused_cell = find_refused_cell(before.interpretation, after.interpretation, by_hand=before.was_in_sync)
        shown_refusal = ShownRefusal(refused_cell, instant) if refused_cell else None
    menu_variants = variants_by_cell(session.size, session.variant)
    return replace(
        session,
        message=format_interpretation(session, after, before.announced_masked, menu_variants, session.format_next()),
        refusal=shown_refusal,
        turn_is_fresh=session.turn_is_fresh and isinstance(after.interpretation, InSync),
    )


def _apply_intent(session: Session, intent: Intent, instant: float) -> Session:
    match intent:
        case Moves(actions):
            return take_actions(session, actions, instant, by_hand=True)
        case TakeBack(turn_count):
            return undo_turns(UndoTurns(instant, turn_count), session)
    raise TypeError(f"{intent} is nothing that can be done.")


@apply_event.register
def _accept_board(event: BoardIsRight, session: Session) -> Session:
    instant, board_state = event.instant, session.board_state
    if board_state is None:
        return session.refuse_event("This board has no pieces that could be right or wrong.", instant)
    if session.declared_outcome:
        return session.refuse_event("The players have ended the game themselves; undo takes that back first.", instant)
    reading = interpretation.interpret_occupancy(session, replace(board_state, was_in_sync=False))
    if isinstance(reading, Mismatch) and reading.offered_action:
        return _look_at_board(take_actions(session, (reading.offered_action,), instant, by_hand=True), instant)
    if find_difference(session.position, board_state) == NO_DIFFERENCE:
        to_remove = join_words(sorted(board_state.to_remove)) if board_state.to_remove else ""
        removal_text = f", but for what is to be taken off ({to_remove})" if to_remove else ""
        return session.refuse_event(f"Board and game agree already{removal_text}.", instant)
    turn_count = interpretation.count_turns_to_fit(session, board_state)
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
    masked_state = replace(
        board_state,
        known_bad=board_state.known_bad | {cell} if event.is_bad else board_state.known_bad - {cell},
        suspected_bad=board_state.suspected_bad - {cell},
        is_interpreted=False,
        confirm_window=None,
        changed_at=instant,
    )
    if masked_state.masked_cells == board_state.masked_cells:
        return session
    return _look_at_board(replace(session, board_state=masked_state), instant)
