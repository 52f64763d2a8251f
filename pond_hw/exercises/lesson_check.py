"""A lesson is gone through before anybody has to: is every task possible in every position that it may be set in?"""

from __future__ import annotations

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Position, Turn, explain_illegal_action, find_outcome, legal_actions, play
from pond_hw.session import Exercise, ExerciseStep, GoalKind

MOST_WAYS = 300
"""So many ways through a lesson are followed at the most."""

Way = tuple[Position, tuple[Turn, ...]]
"""A position that a step may begin in, and the turns since the last one that was set up."""


def rehearse_lesson(lesson: Exercise) -> Message | None:
    """What is wrong with a lesson that reads well, or None."""
    ways: list[Way] | None = [(lesson.position, ())]
    for number, step in enumerate(lesson.steps, 1):
        if step.position:
            ways = [(step.position, ())]
        if ways is None:
            return Message("lesson_file.needs_position", number=number)
        is_last = number == len(lesson.steps)
        outcome = _rehearse_step(lesson, step, ways, is_followed=not is_last and not lesson.steps[number].position)
        if isinstance(outcome, Message):
            return Message("lesson_file.in_step", number=number, reason=outcome)
        ways = outcome
    return None


def _rehearse_step(
    lesson: Exercise, step: ExerciseStep, ways: list[Way], *, is_followed: bool
) -> list[Way] | Message | None:
    """The ways out of a step; None if nobody knows; or what is wrong with it."""
    learner, ends, is_long = lesson.position.to_move, list[Way](), step.turn_limit != 1 or lesson.opponent is not None
    for position, turns in ways:
        if find_outcome(position):
            return Message("lesson_file.game_over")
        if lesson.has_other_side and position.to_move is not learner and step.goal.kind is not GoalKind.UNDO:
            return Message("lesson_file.not_to_move", side=str(position.to_move))
        if step.goal.kind is GoalKind.HINT:
            ends.append((position, turns))
            continue
        if step.goal.kind is GoalKind.UNDO:
            if not turns:
                return Message("lesson_file.no_turn")
            count = 2 if lesson.has_other_side and turns[-1].side is not learner else 1
            ends.append((turns[-count].before, turns[:-count]))
            continue
        for action in step.goal.actions:
            if reason := explain_illegal_action(position, action):
                return Message("lesson_file.illegal", action=str(action), reason=reason)
        if is_long:
            continue
        good = [turn for action in legal_actions(position) if step.goal.is_met_by(turn := play(position, action))]
        missed = [action for action in step.goal.actions if all(turn.action != action for turn in good)]
        if missed:
            return Message("lesson_file.misses_goal", action=str(missed[0]))
        if not good:
            return Message("lesson_file.impossible")
        for turn in good:
            end = _follow_replies(turn, step.replies, turns)
            if isinstance(end, Message):
                return end
            ends.append(end)
    if is_long:
        return None
    if is_followed and lesson.has_other_side and any(end[0].to_move is not learner for end in ends):
        return Message("lesson_file.no_reply")
    return ends[:MOST_WAYS]


def _follow_replies(turn: Turn, replies: tuple[Action, ...], turns: tuple[Turn, ...]) -> Way | Message:
    if not replies:
        return turn.after, (*turns, turn)
    reply = replies[0]
    if turn.outcome:
        return Message("lesson_file.game_over")
    if reason := explain_illegal_action(turn.after, reply):
        return Message("lesson_file.illegal_reply", action=str(turn.action), reply=str(reply), reason=reason)
    answer = play(turn.after, reply)
    return answer.after, (*turns, turn, answer)
