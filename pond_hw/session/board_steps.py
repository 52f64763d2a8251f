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
        touched = replace(session, board_state=session.board_state.after_touch(*touch))
        return touched if session.trouble else _look_at_board(touched, touch.instant)
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


def _look_at_board(session: Session, at: float) -> Session:
    """After a look at the wood, and after all that follows from what is seen there."""
    while True:
        assert session.board_state
        wood, intent, picked_cell = interpretation.look_at_board(session, session.board_state, at)
        session = _with_board_state(session, wood, at)
        if intent:
            session = _apply_intent(session, intent, at)
        elif picked_cell:
            session = begin_game(session, variants_by_cell(session.size, session.variant)[picked_cell], at)
        else:
            return session


def _with_board_state(session: Session, wood: BoardState, at: float) -> Session:
    """With other wood, and told what it means if that is not what it was."""
    before = session.board_state
    assert before
    is_news = wood.is_interpreted and wood.announced_masked != wood.masked_cells
    after = replace(wood, announced_masked=wood.masked_cells) if is_news else wood
    session = replace(session, board_state=after)
    changed = (before.interpretation, before.announced_masked) != (after.interpretation, after.announced_masked)
    if not changed and (before.to_remove.keys(), before.cells_to_flip) == (after.to_remove.keys(), after.cells_to_flip):
        return session
    refusal = session.refusal
    if changed:
        cell = find_refused_cell(before.interpretation, after.interpretation, by_hand=before.was_in_sync)
        refusal = ShownRefusal(cell, at) if cell else None
    menu = variants_by_cell(session.size, session.variant)
    return replace(
        session,
        message=format_interpretation(session, after, before.announced_masked, menu, session.format_next()),
        refusal=refusal,
        turn_is_fresh=session.turn_is_fresh and isinstance(after.interpretation, InSync),
    )


def _apply_intent(session: Session, intent: Intent, at: float) -> Session:
    match intent:
        case Moves(actions):
            return take_actions(session, actions, at, by_hand=True)
        case TakeBack(turn_count):
            return undo_turns(UndoTurns(at, turn_count), session)
    raise TypeError(f"{intent} is nothing that can be done.")


@apply_event.register
def _accept_board(event: BoardIsRight, session: Session) -> Session:
    at, wood = event.instant, session.board_state
    if wood is None:
        return session.refuse_event("This board has no pieces that could be right or wrong.", at)
    if session.declared_outcome:
        return session.refuse_event("The players have ended the game themselves; undo takes that back first.", at)
    reading = interpretation.interpret_occupancy(session, replace(wood, was_in_sync=False))
    if isinstance(reading, Mismatch) and reading.offered_action:
        return _look_at_board(take_actions(session, (reading.offered_action,), at, by_hand=True), at)
    if find_difference(session.position, wood) == NO_DIFFERENCE:
        to_remove = join_words(sorted(wood.to_remove)) if wood.to_remove else ""
        off = f", but for what is to be taken off ({to_remove})" if to_remove else ""
        return session.refuse_event(f"Board and game agree already{off}.", at)
    turn_count = interpretation.count_turns_to_fit(session, wood)
    if turn_count:
        return _look_at_board(undo_turns(UndoTurns(at, turn_count), session), at)
    mend = "Put the pieces as the lamps show, or set up the position by hand."
    return session.refuse_event(f"The game has never stood as the board does. {mend}", at)


@apply_event.register
def _mask_sensor(event: MaskSensor, session: Session) -> Session:
    cell, at, wood = event.cell, event.instant, session.board_state
    if wood is None:
        return session.refuse_event("Only a sensor under pieces can be masked; this board has buttons.", at)
    if cell not in get_grid(session.size).mask_by_cell:
        return session.refuse_event(f"{cell} is not a cell of this {session.size}x{session.size} board.", at)
    masked = replace(
        wood,
        known_bad=wood.known_bad | {cell} if event.is_bad else wood.known_bad - {cell},
        suspected_bad=wood.suspected_bad - {cell},
        is_interpreted=False,
        confirm_window=None,
        changed_at=at,
    )
    if masked.masked_cells == wood.masked_cells:
        return session
    return _look_at_board(replace(session, board_state=masked), at)
