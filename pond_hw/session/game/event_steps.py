"""The steps that `Session.after` takes; each is registered for the kind of event that it is for.

Turns are taken, taken back and played again, and games end. Beside the game there is the choice about an unfinished
one. How games begin, and what else there is beside them, is in the other modules of steps. At the board there are
touches, what they mean once they have held still, and sensors that are known to be bad.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, EndReason, IllegalAction, Outcome, play
from pond_hw.session.game import exercise_steps, session_events
from pond_hw.session.game.game_steps import begin_game
from pond_hw.session.game.menu import list_menu
from pond_hw.session.game.menu_steps import choose_from_menu
from pond_hw.session.game.permission_steps import answer_request, end_request
from pond_hw.session.game.resume_prompt import ResumeChoice
from pond_hw.session.game.session import Session, apply_event
from pond_hw.session.game.start_positions import is_set_up
from pond_hw.session.pieces import interpreter, tracker
from pond_hw.session.pieces.board_state import BoardState
from pond_hw.session.pieces.confirmation import Dialogue
from pond_hw.session.pieces.interpretations import (
    CertainMoves,
    ChooseVariant,
    ChoosingVariant,
    InSync,
    Intent,
    Mismatch,
    Moves,
    PendingConfirmation,
    TakeBack,
)
from pond_hw.session.pieces.piece_messages import describe_hand_tasks, describe_interpretation
from pond_hw.session.pieces.repair import count_turns_to_fit
from pond_hw.session.pieces.sensors import NO_DIFFERENCE
from pond_hw.session.scene import ShownRefusal
from pond_hw.session.turn_messages import describe_outcome, describe_turn, explain_refusal, find_targets, prompt_turn

# Turns


@apply_event.register
def _apply_take_action(event: session_events.TakeAction, session: Session) -> Session:
    if event.side not in (None, session.position.to_move) and not session.outcome:
        return session.refuse_event(event.instant, Message("action.not_their_turn", side=str(event.side)))
    if event.side is None:  # a program: it needs no warning
        return take_actions(session, (event.action,), event.instant)
    return _take_or_warn(session, event.action, event.instant)


def _take_or_warn(session: Session, action: Action, instant: float) -> Session:
    """The turn is taken; or, if the side wants to be warned of what could follow, it has to be done once more."""
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
    session: Session,
    actions: tuple[Action, ...],
    instant: float,
    *,
    by_hand: bool = False,
    corrected_count: int = 0,
) -> Session:
    """One turn after the other, as far as they are legal.

    Args:
        session: the session before.
        actions: the actions.
        instant: when, in seconds.
        by_hand: whether pieces have moved already.
        corrected_count: how many turns these actions replace, because hands have moved the piece on.
    """
    if corrected_count:
        session = _correct_turns(session, corrected_count, instant)
    if session.exercise:
        return _take_in_exercise(session, actions[0], instant, by_hand=by_hand)
    turns_before, undone_turns = len(session.turns), session.undone_turns
    for action in actions:
        session = _take_action(session, action, instant, by_hand=by_hand)
    taken_turns = session.turns[turns_before:]
    if taken_turns and taken_turns == undone_turns[::-1]:  # just what was taken back, and nothing is left of that
        return session.with_events(session_events.TurnsRedone(len(taken_turns)))
    return session.with_events(*(session_events.TurnTaken(turn.action) for turn in taken_turns))


def _correct_turns(session: Session, turn_count: int, instant: float) -> Session:
    """The last turns are taken back, because the pieces were moved on; hands have already done what replaces them."""
    board_state, undone_turns = session.board_state, session.turns[-turn_count:]
    assert board_state
    changed = session.with_changes(turns=session.turns[:-turn_count], undone_turns=(), changed_at=instant)
    if changed.exercise:
        changed = replace(changed, exercise=changed.exercise.after_undo(len(changed.turns)))
    return replace(changed, board_state=board_state.after_correction(undone_turns)).with_events(
        session_events.TurnsUndone(turn_count)
    )


def _take_in_exercise(session: Session, action: Action, instant: float, *, by_hand: bool) -> Session:
    """One turn in an exercise, which may be taken back at once; hands that do more have to put that back."""
    if refused := exercise_steps.refuse_action(session, action, instant):
        return refused.update_board_state() if by_hand else refused
    taken = _take_action(session, action, instant, by_hand=by_hand)
    return exercise_steps.judge_turn(session, taken, instant) if taken.turns is not session.turns else taken


def _take_action(session: Session, action: Action, instant: float, *, by_hand: bool) -> Session:
    if session.outcome:
        return session.refuse_after_end(instant, action.target)
    try:
        turn = play(session.position, action)
    except IllegalAction as error:
        return session.refuse_event(instant, error.message, cell=action.target)
    acted = session.with_changes(turns=(*session.turns, turn), undone_turns=(), turn_is_fresh=True, changed_at=instant)
    return acted.update_board_state((turn,), by_hand=by_hand).with_messages(*describe_turn(turn))


@apply_event.register
def undo_turns(event: session_events.UndoTurns, session: Session) -> Session:
    """Take turns back; the end that the players declared counts as one."""
    if event.number is not None and event.number != session.turn_number:
        reason = "undo.done_already" if event.number > session.turn_number else "undo.not_last"
        return session.refuse_event(event.instant, Message(reason))
    if session.exercise:
        return exercise_steps.undo_in_exercise(session, event.turn_count, event.instant)
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
    steps: list[session_events.GameEvent] = [session_events.EndUndone()] if session.declared_outcome else []
    steps += [session_events.TurnsUndone(turn_count)] if turn_count else []
    if not (changed.turns or changed.undone_turns or is_set_up(changed.custom_start)):  # others may still sit down
        steps.append(session_events.GameStarted(changed.variant, changed.custom_start))
    message = Message("undo.done", count=turn_count) if turn_count else Message("game.goes_on")
    return changed.with_events(*steps).update_board_state(undone_turns=undone_turns).with_messages(message)


@apply_event.register
def _redo_turns(event: session_events.RedoTurns, session: Session) -> Session:
    if event.number is not None and event.number != session.turn_number + 1:
        reason = "redo.done_already" if event.number <= session.turn_number else "redo.not_next"
        return session.refuse_event(event.instant, Message(reason))
    if not session.undone_turns or session.declared_outcome:
        return session.refuse_event(event.instant, Message("redo.nothing"))
    redone_turns = session.undone_turns[-event.turn_count :][::-1]
    redone_count = len(redone_turns)
    redone = session.with_changes(
        turns=session.turns + redone_turns,
        undone_turns=session.undone_turns[:-redone_count],
        turn_is_fresh=redone_count == 1,
        changed_at=event.instant,
    ).with_events(session_events.TurnsRedone(redone_count))
    messages = describe_turn(redone_turns[0]) if redone_count == 1 else (Message("redo.done", count=redone_count),)
    return redone.update_board_state(redone_turns).with_messages(*messages)


@apply_event.register
def _end_game(event: session_events.ResignGame | session_events.AgreeDraw, session: Session) -> Session:
    if session.exercise:
        return session.refuse_event(event.instant, Message("exercise.no_end"), *session.describe_next())
    if session.outcome:
        return session.refuse_after_end(event.instant)
    declared_outcome = Outcome(None, EndReason.AGREEMENT)
    if isinstance(event, session_events.ResignGame):
        resigning_side = session.position.to_move if event.side is None else event.side
        declared_outcome = Outcome(resigning_side.other_side, EndReason.RESIGNATION)
    board_state = session.board_state
    return session.with_changes(
        declared_outcome=declared_outcome,
        changed_at=event.instant,
        messages=(describe_outcome(declared_outcome, session.position),),
        board_state=board_state and board_state.after_movement(event.instant),
    ).with_events(session_events.GameEnded(declared_outcome))


# Beside the game


@apply_event.register
def _choose_resume(event: session_events.ChooseResume, session: Session) -> Session:
    resume_prompt, instant = session.resume_prompt, event.instant
    if not resume_prompt:
        return session.refuse_event(instant, Message("resume.nothing"))
    match event.choice:
        case ResumeChoice.RESUME:
            resumed = (
                replace(session, resume_prompt=None).with_events(session_events.GameResumed()).after_wakeup(instant)
            )
            return resumed.with_changes(changed_at=instant).with_messages(Message("game.goes_on"))
        case ResumeChoice.LOOK:
            return session.with_resume_message(resume_prompt._replace(is_looking=True, half_touch=None))
    return begin_game(session, resume_prompt.fallback_variant or session.variant, instant)


# At the board


@apply_event.register
def _apply_touch(touch: Touch, session: Session) -> Session:
    if session.permission and not session.trouble:
        return answer_request(session, session.permission, touch)
    if session.resume_prompt:
        return _touch_resume_prompt(session, touch)
    if session.exercise and session.exercise.prompt:
        return exercise_steps.touch_exercise_prompt(session, session.exercise, touch)
    if session.board_state:
        touched_session = replace(session, board_state=session.board_state.after_touch(*touch))
        return touched_session if session.trouble else _look_at_board(touched_session, touch.instant)
    if not touch.down:
        return session
    if session.trouble:
        return session.refuse_event(touch.instant, session.trouble)
    return press_cell(session, touch.cell, touch.instant)


def _touch_resume_prompt(session: Session, touch: Touch) -> Session:
    """What is felt while a game is offered: a choice, or a piece that is put somewhere."""
    assert session.resume_prompt
    session, prompt, cell = exercise_steps.feel_touch(session, session.resume_prompt, touch)
    session = replace(session, resume_prompt=prompt)
    if cell is None:
        return session
    if prompt.is_looking:
        return session.with_resume_message(prompt._replace(is_looking=False))
    for resume_choice in ResumeChoice:
        if cell == resume_choice.value:
            return _choose_resume(session_events.ChooseResume(resume_choice, touch.instant), session)
    if session.board_state:
        return session
    return session.refuse_event(touch.instant, *session.describe_resume_prompt(), cell=cell)


def press_cell(session: Session, cell: Cell, instant: float) -> Session:
    """A finger has come down on a cell of a board with buttons.

    Outside a menu its meaning follows from the cell, and from whether a piece is chosen already:

        finger is on                      nothing chosen   a piece chosen
        an empty cell                     place an egg     -
        an empty cell it may go to                         move there
        the chosen piece itself                            let it go
        an own tadpole or frog that can   choose it        choose it instead
        anything else                     -                -
    """
    grid_size, position, selected_cell = session.variant.size, session.position, session.selected_cell
    if session.open_menu:
        if cell in list_menu(session):
            return choose_from_menu(session, cell, instant)
        return session.with_changes().with_messages()
    if session.exercise_due < inf:
        return session.refuse_event(instant, Message("exercise.wait"), cell=cell)
    if cell not in position.grid.mask_by_cell:
        return session.refuse_event(instant, Message("illegal.outside", cell=cell, size=grid_size), cell=cell)
    if session.outcome:
        return session.refuse_after_end(instant, cell)
    if cell == selected_cell:
        return session.with_changes(messages=(prompt_turn(position),))
    if session.exercise and cell in session.exercise.lit_cells and cell not in session.legal_targets:
        selected_cell = selected_cell if position.piece_at(cell) else None  # what was chosen before is forgotten
    if cell in session.legal_targets or not (selected_cell or position.piece_at(cell)):
        return _take_or_warn(session, Action(selected_cell, cell), instant)
    if find_targets(position, cell):
        selected_session = session.with_changes(selected_cell=cell)
        return replace(selected_session, messages=selected_session.describe_options())
    return session.refuse_event(instant, explain_refusal(position, selected_cell, cell), cell=cell)


@apply_event.register
def _apply_clock_tick(event: session_events.ClockTick, session: Session) -> Session:
    if session.permission and event.instant >= session.permission.next_due:
        session = end_request(session, session.permission)
    if session.hint and event.instant >= session.hint.visible_until:
        session = session.without_hint(session)
    if session.open_menu and not session.board_state and event.instant >= session.menu_until:
        session = session.with_changes().with_messages()
    if event.instant >= session.exercise_due:
        if session.exercise and session.is_refuting:
            session = exercise_steps.go_on_refuting(session, session.exercise, event.instant)
        elif action := exercise_steps.find_due_reply(session):
            session = _take_in_exercise(session, action, event.instant, by_hand=False)
        else:
            session = exercise_steps.advance(session, event.instant)
    return _look_at_board(session, event.instant) if event.instant >= session.next_due else session


def _look_at_board(session: Session, instant: float) -> Session:
    """After a look at the board, and after all that follows from what is seen there."""
    while not session.is_refuting:
        assert session.board_state
        board_state, intent = tracker.look_at_board(session, session.board_state, instant)
        session = _with_board_state(session, board_state, instant)
        if intent is None:
            return session
        looked_at = session.board_state
        session = _apply_intent(session, intent, instant)
        if session.board_state is looked_at:  # nothing came of it that another look would see
            return session
    return session


def _with_board_state(session: Session, new_state: BoardState, instant: float) -> Session:
    """With another state of the board, and messages about what it means if that has changed."""
    old_state = session.board_state
    assert old_state
    before, after, masked_before = old_state.dialogue, new_state.dialogue, old_state.sensors.announced_masked
    session = replace(session, board_state=new_state)
    if not isinstance(after.interpretation, ChoosingVariant):
        session = replace(session, open_menu=None) if session.open_menu else session
    elif session.exercise:
        return apply_event(session_events.PauseExercise(instant), session)
    if exercise_steps.is_hint_gesture(session, before, after):
        return apply_event(session_events.AskHint(instant), session)
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
        messages=describe_interpretation(session, new_state, masked_before, session.describe_next()),
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
        case Moves(actions, corrected_count):
            return take_actions(session, actions, instant, by_hand=True, corrected_count=corrected_count)
        case TakeBack(turn_count):
            return undo_turns(session_events.UndoTurns(instant, turn_count), session)
        case ChooseVariant(menu_cell):
            return choose_from_menu(session, menu_cell, instant)
    raise TypeError(f"{intent} is nothing that can be done.")


@apply_event.register
def _accept_board(event: session_events.BoardIsRight, session: Session) -> Session:
    instant, board_state = event.instant, session.board_state
    if board_state is None:
        return session.refuse_event(instant, Message("board.has_buttons"))
    if session.is_refuting:
        return session.refuse_event(instant, Message("exercise.wait"))
    if session.declared_outcome:
        return session.refuse_event(instant, Message("board.game_ended"))
    dialogue = replace(board_state.dialogue, was_in_sync=False)
    reading = interpreter.interpret_occupancy(session, replace(board_state, dialogue=dialogue))
    match reading:
        case Mismatch(offered_action=Action() as offered_action):
            return _look_at_board(take_actions(session, (offered_action,), instant, by_hand=True), instant)
        case CertainMoves(moves) | PendingConfirmation(Moves() as moves):
            return _look_at_board(_apply_intent(session, moves, instant), instant)
    if board_state.find_difference(session.position) == NO_DIFFERENCE:
        take_off = (task for task in describe_hand_tasks(board_state.tasks) if task.id == "hands.take_off")
        return session.refuse_event(instant, Message("board.agrees"), *take_off)
    turn_count = count_turns_to_fit(session, board_state)
    if turn_count:
        return _look_at_board(undo_turns(session_events.UndoTurns(instant, turn_count), session), instant)
    return session.refuse_event(instant, Message("board.never_stood_so"))


@apply_event.register
def _mask_sensor(event: session_events.MaskSensor, session: Session) -> Session:
    cell, instant, board_state = event.cell, event.instant, session.board_state
    if board_state is None:
        return session.refuse_event(instant, Message("board.has_buttons"))
    if cell not in session.board_grid.mask_by_cell:
        return session.refuse_event(instant, Message("illegal.no_such_cell", cell=cell, size=session.size))
    masked_state = board_state.with_known_sensor(cell, event.is_bad, instant)
    if masked_state is board_state:
        return session
    return _look_at_board(replace(session, board_state=masked_state), instant)
