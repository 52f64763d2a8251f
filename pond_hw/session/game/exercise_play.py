"""Handling of turns, tasks and choices during an exercise; see `exercise`.

During an exercise, the session's game is the exercise game, and `ExerciseRun` stores the paused game. The journal
records only the paused game, so after a power cut the exercise is lost but the game is not.
"""

from __future__ import annotations

from dataclasses import replace

from pond_hw.board import Touch
from pond_hw.messages.message import Message, PondError
from pond_hw.rules import Action, Cell, Position, Side, play
from pond_hw.session.game import session_events as events
from pond_hw.session.game.exercise import Exercise, GoalKind, find_exercise
from pond_hw.session.game.exercise_run import ExerciseChoice, ExerciseRun, PausedGame
from pond_hw.session.game.resume_prompt import ResumePrompt
from pond_hw.session.game.session_state import SessionState
from pond_hw.session.game.settings import HELP
from pond_hw.session.pieces import BoardDifference, ConfirmationState, InSync, Mismatch
from pond_hw.session.scene import ShownRefusal
from pond_hw.session.turn_messages import describe_outcome, describe_turn

# Starting, continuing, leaving


def start_exercise(event: events.StartExercise, session: SessionState) -> SessionState:
    try:
        course, exercise = find_exercise(session.courses, event.course_name, event.name)
    except PondError as error:
        return session.refuse_event(event.instant, error.message)
    return begin_exercise(session, exercise, course.name, event.instant)


def choose_exercise(event: events.ChooseExercise, session: SessionState) -> SessionState:
    run = session.exercise
    if run is None:
        return session.refuse_event(event.instant, Message("exercise.not_going_on"))
    following = session.following_exercise
    match event.choice:
        case ExerciseChoice.RESUME:
            if run.is_done:
                return session.refuse_event(event.instant, *session.describe_next())
            return replace(session.with_changes(), exercise=replace(run, prompt=None)).with_messages()
        case ExerciseChoice.AGAIN:
            return begin_exercise(session, run.exercise, run.course_name, event.instant)
        case ExerciseChoice.NEXT if following:
            course, exercise = following
            return begin_exercise(session, exercise, course.name, event.instant)
    left = leave_exercise(session, event.instant)
    return left if left.resume_prompt else left.with_messages(Message("exercise.left"))


def pause_exercise(event: events.PauseExercise, session: SessionState) -> SessionState:
    run = session.exercise
    if run is None:
        return session.refuse_event(event.instant, Message("exercise.not_going_on"))
    return _ask_how_to_continue(session, run)


def change_course(event: events.ChangeCourse, session: SessionState) -> SessionState:
    courses = (event.course if each.name == event.course.name else each for each in session.courses)
    return replace(session, courses=tuple(courses))


def begin_exercise(session: SessionState, exercise: Exercise, course_name: str | None, instant: float) -> SessionState:
    """Start an exercise. Pause the current game unless it is already paused for another exercise."""
    if exercise.variant.size > session.size:
        name, size, board = exercise.variant.name, exercise.variant.size, session.size
        return session.refuse_event(instant, Message("variant.does_not_fit", variant=name, size=size, board=board))
    paused = session.exercise.paused if session.exercise else _pause_game(session)
    run = ExerciseRun(exercise, course_name, paused)
    human_sides = (run.learner,) if exercise.has_other_side else tuple(Side)
    light, dark = (each.with_value(HELP, HELP.default) for each in session.side_helps)
    begun = replace(session, exercise=run, side_helps=(light, dark), resume_prompt=None).with_human_sides(human_sides)
    return _set_up_position(begun, exercise.steps[0].position or exercise.position, instant)


def _pause_game(session: SessionState) -> PausedGame:
    return PausedGame(
        session.variant,
        session.custom_start,
        session.turns,
        session.undone_turns,
        session.declared_outcome,
        session.changed_at,
        session.side_helps,
        session.board_state.human_sides if session.board_state else None,
        session.resume_prompt,
    )


def leave_exercise(session: SessionState, instant: float) -> SessionState:
    assert session.exercise
    paused = session.exercise.paused
    resumed = session.with_changes(
        exercise=None,
        side_helps=paused.side_helps,
        variant=paused.variant,
        custom_start=paused.custom_start,
        turns=paused.turns,
        undone_turns=paused.undone_turns,
        declared_outcome=paused.declared_outcome,
        changed_at=instant,
        resume_prompt=paused.resume_prompt,
        hint=None,
    )
    if paused.human_sides is not None:
        resumed = resumed.with_human_sides(paused.human_sides)
    resumed = resumed.update_board_state()
    prompt = resumed.resume_prompt
    return resumed.with_resume_message(prompt) if prompt else resumed.with_messages()


def _set_up_position(session: SessionState, position: Position, instant: float) -> SessionState:
    """Switch the exercise to another position. On a board with pieces, the lamps guide the players in setting it up."""
    start = None if position == Position.start(position.variant) else position
    moved = session.with_changes(
        variant=position.variant,
        custom_start=start,
        turns=(),
        undone_turns=(),
        declared_outcome=None,
        changed_at=instant,
        hint=None,
    )
    return moved.update_board_state().with_messages()


def _ask_how_to_continue(session: SessionState, run: ExerciseRun) -> SessionState:
    prompted = replace(session.with_changes(hint=None), exercise=replace(run, prompt=ResumePrompt()))
    return prompted.with_messages()


# Playing


def refuse_action(session: SessionState, action: Action, instant: float) -> SessionState | None:
    """Refuse an action that comes too early or does not belong to the exercise. Return None if it may be tried."""
    run = session.exercise
    assert run
    reply = run.find_reply(len(session.turns), session.position.to_move)
    if run.prompt or run.is_done:
        return session.refuse_event(instant, *session.describe_next(), cell=action.target)
    if run.refutation or ((run.is_met or reply) and action != reply):
        return session.refuse_event(instant, Message("exercise.wait"), cell=action.target)
    return None


def judge_turn(before: SessionState, after: SessionState, instant: float) -> SessionState:
    """Judge a turn in an exercise: complete the step, continue it, or undo the turn."""
    run, turn = before.exercise, after.turns[-1]
    assert run
    if run.exercise.has_other_side and turn.side is not run.learner:
        if run.is_met:  # already praised before this reply
            return advance(replace(after, exercise=replace(run, reactions=())), instant, describe_turn(turn))
        return _judge_reply(after, run, instant)
    step, start_count = run.step, run.step_starts[-1].turn_count
    if step.goal.is_met_by(turn):
        return _complete_step(after, run, instant, describe_turn(turn))
    own_turns = [
        each for each in after.turns[start_count:] if each.side is turn.side or not run.exercise.has_other_side
    ]
    is_over = turn.outcome is not None or (step.turn_limit is not None and len(own_turns) >= step.turn_limit)
    if not is_over:
        return replace(after, exercise=replace(run, reactions=())).with_messages(*describe_turn(turn))
    return _take_back_mistake(after, run, instant)


def _judge_reply(session: SessionState, run: ExerciseRun, instant: float) -> SessionState:
    """Complete or restart the step if the other side's reply ended the game."""
    if session.outcome is None:
        return session
    is_won = run.step.goal.kind is GoalKind.WIN and session.outcome.winner is run.learner
    if is_won or run.step.goal.kind is GoalKind.END:
        return _complete_step(session, run, instant, describe_turn(session.turns[-1]))
    return _take_back_mistake(session, run, instant)


def _take_back_mistake(session: SessionState, run: ExerciseRun, instant: float) -> SessionState:
    start_count = run.step_starts[-1].turn_count
    wrong_turns = session.turns[start_count:]
    refutation = run.step.find_refutation(wrong_turns[0].action) if len(wrong_turns) == 1 else None
    restored = replace(
        session.with_changes(turns=session.turns[:start_count], undone_turns=(), changed_at=instant),
        exercise=run.after_mistake(refutation),
    ).update_board_state(undone_turns=wrong_turns)
    if refutation is None:
        return replace(restored.with_messages(), refusal=ShownRefusal(wrong_turns[-1].action.target, instant))
    # The board state has already undone the turn, but lamps and screens still show it, followed by the reply.
    return replace(restored, turns=session.turns, turn_is_fresh=True).with_messages(*describe_turn(wrong_turns[0]))


def continue_refutation(session: SessionState, run: ExerciseRun, instant: float) -> SessionState:
    """Show the reply to a wrong action. If it has already been shown, undo both."""
    position = session.position
    if run.refutation and position.to_move is not run.learner:
        turn = play(position, run.refutation)
        answered = session.with_changes(turns=(*session.turns, turn), turn_is_fresh=True, changed_at=instant)
        return answered.with_messages(*describe_turn(turn))
    return _end_refutation(session, run, instant)


def _end_refutation(session: SessionState, run: ExerciseRun, instant: float) -> SessionState:
    """Return the displayed game to the position before the wrong action. The board state is already there."""
    start_count = run.step_starts[-1].turn_count
    wrong_cell, kept_turns = session.turns[start_count].action.target, session.turns[:start_count]
    restored = replace(
        session.with_changes(turns=kept_turns, changed_at=instant), exercise=replace(run, refutation=None)
    )
    return replace(restored.with_messages(), refusal=ShownRefusal(wrong_cell, instant))


def _complete_step(
    session: SessionState, run: ExerciseRun, instant: float, messages: tuple[Message, ...]
) -> SessionState:
    """Complete the step. Start the next one at once unless the player needs time to look or has to answer a prompt."""
    run = replace(run, is_met=True, reactions=run.praise)
    completed = replace(session, exercise=run)
    has_reply = run.find_reply(len(session.turns), session.position.to_move) is not None
    if run.is_last_step or has_reply or run.exercise.steps[run.step_index + 1].position is not None:
        return completed.with_messages(*messages)
    return advance(completed, instant, messages)


def advance(session: SessionState, instant: float, messages: tuple[Message, ...] = ()) -> SessionState:
    """Start the next step, or complete the exercise if there are no more steps."""
    run = session.exercise
    assert run
    if run.is_last_step:
        courses = tuple(
            course.with_done(run.exercise.name) if course.name == run.course_name else course
            for course in session.courses
        )
        ended = (describe_outcome(session.outcome, session.position),) if session.outcome else ()
        done_run = replace(run, is_met=False, is_done=True)
        return _ask_how_to_continue(replace(session, courses=courses), done_run).with_messages(*ended)
    next_run = run.with_next_step(len(session.turns))
    moved = replace(session, exercise=next_run)
    if next_position := next_run.step.position:
        return _set_up_position(moved, next_position, instant)
    return moved.with_messages(*messages)


def find_due_reply(session: SessionState) -> Action | None:
    """Return the other side's next reply, or None if there is none and the next step should start."""
    run = session.exercise
    reply = run.find_reply(len(session.turns), session.position.to_move) if run else None
    return reply if reply in session.allowed_actions else None


def undo_in_exercise(session: SessionState, turn_count: int, instant: float) -> SessionState:
    """Undo at least `turn_count` turns in an exercise, so that it is the learner's turn again."""
    run = session.exercise
    assert run
    if run.refutation:
        return _end_refutation(session, run, instant)
    turns_played = len(session.turns)
    if run.prompt or run.is_done or not turns_played:
        return session.refuse_event(instant, Message("undo.nothing"), *session.describe_next())
    count = min(turn_count, turns_played)
    while run.exercise.has_other_side and count < turns_played and session.turns[-count].side is not run.learner:
        count += 1
    undone_turns, kept_turns = session.turns[-count:], session.turns[:-count]
    is_asked_for = run.waits_for_undo
    next_run = run if is_asked_for else run.after_undo(len(kept_turns))
    undone = replace(
        session.with_changes(turns=kept_turns, undone_turns=(), changed_at=instant, hint=None), exercise=next_run
    ).update_board_state(undone_turns=undone_turns)
    if not is_asked_for:
        return undone.with_messages(Message("undo.done", count=count))
    return _complete_step(undone, run, instant, (Message("undo.done", count=count),))


def after_hint(session: SessionState, instant: float) -> SessionState:
    """Complete the step if it asked for a hint."""
    run = session.exercise
    if not (run and run.waits_for_hint) or run.is_met:
        return session
    return _complete_step(session, run, instant, session.messages)


def reveal_answer(session: SessionState, instant: float) -> SessionState | None:
    """Light up the step's answer as a hint. Return None if the adviser must compute a hint instead."""
    run = session.exercise
    assert run
    if run.prompt or run.is_done or run.is_met or run.refutation:
        return session.refuse_event(instant, *session.describe_next())
    if run.waits_for_hint or not run.step.goal.actions:
        return None
    revealed = replace(session, exercise=replace(run, is_revealed=True, reactions=()))
    return revealed.with_messages()


def is_hint_gesture(session: SessionState, before: ConfirmationState, now: ConfirmationState) -> bool:
    """Return True if the lit piece was lifted and put back in a step that requires a hint.

    Only exercises use this gesture, because a board with pieces and no screen has no other way to request a hint.
    """
    run = session.exercise
    if not (run and run.waits_for_hint and session.hint is None and isinstance(now.interpretation, InSync)):
        return False
    match before.interpretation:
        case Mismatch(BoardDifference(missing, extra, wrong_owner)):
            return bool(missing) and missing <= set(run.lit_cells) and not (extra or wrong_owner)
    return False


def choose_by_touch(
    session: SessionState, prompt: ResumePrompt, touch: Touch
) -> tuple[SessionState, ResumePrompt, Cell | None]:
    """Apply a touch while a prompt is open. Return the session, the prompt and the chosen cell, if any."""
    prompt, cell = prompt.after_touch(touch, pieces=session.board_state is not None)
    if session.board_state:
        session = replace(session, board_state=session.board_state.after_touch(*touch))
    elif session.trouble and touch.down:
        session = session.refuse_event(touch.instant, session.trouble)
    return session, prompt, None if session.trouble else cell


def touch_exercise_prompt(session: SessionState, run: ExerciseRun, touch: Touch) -> SessionState:
    assert run.prompt
    session, prompt, cell = choose_by_touch(session, run.prompt, touch)
    session = replace(session, exercise=replace(run, prompt=prompt))
    if cell is None:
        return session
    for choice in ExerciseChoice:
        if cell == choice.value:
            return choose_exercise(events.ChooseExercise(choice, touch.instant), session)
    if session.board_state:
        return session
    return session.refuse_event(touch.instant, *session.describe_next(), cell=cell)
