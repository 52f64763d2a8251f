"""Check that every task in a lesson is possible in each position that can arise."""

from __future__ import annotations

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Position, Turn, explain_illegal_action, find_outcome, legal_actions, play
from pond_hw.session import Exercise, ExerciseStep, GoalKind

MAX_LESSON_PATHS = 300
"""Maximum number of paths to follow through a lesson."""

LessonPath = tuple[Position, tuple[Turn, ...]]
"""A possible position at the start of a step, and the turns since a position was last set up."""


def find_lesson_fault(lesson: Exercise) -> Message | None:
    """Return the fault in a parsed lesson, if any."""
    paths: list[LessonPath] | None = [(lesson.position, ())]
    for number, step in enumerate(lesson.steps, 1):
        if step.position:
            paths = [(step.position, ())]
        if paths is None:
            return Message("lesson_file.needs_position", number=number)
        is_last = number == len(lesson.steps)
        outcome = _check_step(lesson, step, paths, is_followed=not is_last and not lesson.steps[number].position)
        if isinstance(outcome, Message):
            return Message("lesson_file.in_step", number=number, reason=outcome)
        paths = outcome
    return None


def _check_step(
    lesson: Exercise, step: ExerciseStep, paths: list[LessonPath], *, is_followed: bool
) -> list[LessonPath] | Message | None:
    """Return the paths after a step (None if they are unknown), or the fault in it."""
    learner, ends, is_long = (
        lesson.position.to_move,
        list[LessonPath](),
        step.turn_limit != 1 or lesson.opponent is not None,
    )
    for position, turns in paths:
        if fault := _find_start_fault(lesson, step, position, turns):
            return fault
        if step.goal.kind is GoalKind.HINT:
            ends.append((position, turns))
        elif step.goal.kind is GoalKind.UNDO:
            count = 2 if lesson.has_other_side and turns[-1].side is not learner else 1
            ends.append((turns[-count].before, turns[:-count]))
        elif not is_long:
            outcome = _follow_step(step, position, turns)
            if isinstance(outcome, Message):
                return outcome
            ends += outcome
    if is_long:
        return None
    if is_followed and lesson.has_other_side and any(end[0].to_move is not learner for end in ends):
        return Message("lesson_file.no_reply")
    return ends[:MAX_LESSON_PATHS]


def _find_start_fault(
    lesson: Exercise, step: ExerciseStep, position: Position, turns: tuple[Turn, ...]
) -> Message | None:
    """Return the reason why a step cannot start in a position, if any."""
    if find_outcome(position):
        return Message("lesson_file.game_over")
    is_undo, learner = step.goal.kind is GoalKind.UNDO, lesson.position.to_move
    if lesson.has_other_side and position.to_move is not learner and not is_undo:
        return Message("lesson_file.not_to_move", side=str(position.to_move))
    if is_undo and not turns:
        return Message("lesson_file.no_turn")
    if step.goal.kind not in (GoalKind.HINT, GoalKind.UNDO):
        for action in step.goal.actions:
            if reason := explain_illegal_action(position, action):
                return Message("lesson_file.illegal", action=str(action), reason=reason)
    return None


def _follow_step(step: ExerciseStep, position: Position, turns: tuple[Turn, ...]) -> list[LessonPath] | Message:
    """Return the paths after a step of one turn, or the reason why its goal cannot be met."""
    goal_turns = [turn for action in legal_actions(position) if step.goal.is_met_by(turn := play(position, action))]
    missed = [action for action in step.goal.actions if all(turn.action != action for turn in goal_turns)]
    if missed:
        return Message("lesson_file.misses_goal", action=str(missed[0]))
    if not goal_turns:
        return Message("lesson_file.impossible")
    ends = list[LessonPath]()
    for turn in goal_turns:
        end = _follow_replies(turn, step.replies, turns)
        if isinstance(end, Message):
            return end
        ends.append(end)
    return ends


def _follow_replies(turn: Turn, replies: tuple[Action, ...], turns: tuple[Turn, ...]) -> LessonPath | Message:
    if not replies:
        return turn.after, (*turns, turn)
    reply = replies[0]
    if turn.outcome:
        return Message("lesson_file.game_over")
    if reason := explain_illegal_action(turn.after, reply):
        return Message("lesson_file.illegal_reply", action=str(turn.action), reply=str(reply), reason=reason)
    answer = play(turn.after, reply)
    return answer.after, (*turns, turn, answer)
