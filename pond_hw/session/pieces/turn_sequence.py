"""The flow of play: where the readings of what was detected decide, and what they say.

A board that was at rest, and differs from the game now, is understood by the difference alone (`interpreter`). At the
pace of a real table several turns are on the board before it is at rest again. Then the order in which pieces came and
went decides, and that is what the readings know (`hypotheses`, `hypothesis_ranking`). They also say no where a difference looks
certain, but hands may as well have done something else; and they explain what looks like a mismatch, if hands have
taken turns while others turned pieces over or went on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

from pond_hw.rules import Action
from pond_hw.session.pieces.board_state import BoardState
from pond_hw.session.pieces.hypothesis_ranking import Verdict, judge_readings
from pond_hw.session.pieces.interpretations import (
    CONFIRM_SECONDS,
    CORRECT_SECONDS,
    FURTHER_CONFIRM_SECONDS,
    CertainMoves,
    Interpretation,
    Mismatch,
    Moves,
    PendingConfirmation,
    TakeBack,
)
from pond_hw.session.pieces.sensors import BoardDifference

TURN_SECONDS = 0.25  # two pieces that land sooner after one another were put down together
MENDED_SECONDS = 6.0  # after so long with a mismatch people mend the board, and don't go on playing
FOLLOWED_SECONDS = 0.3  # an action that was done so long ago confirms the one before it


def judge_flow(board_state: BoardState) -> Verdict | None:
    """What the readings say as soon as the board is stable, or None if there are none."""
    return judge_readings(board_state.readings, board_state.occupancy.settles_at) if board_state.readings else None


def is_flowing(board_state: BoardState, verdict: Verdict, *, at_rest: bool) -> bool:
    """Whether the order in which pieces came and went decides, and not the difference between board and game.

    Args:
        board_state: the state of the board.
        verdict: what the readings say.
        at_rest: whether there is no difference but pieces in hands. An action may still have been taken: an egg that
            was placed where a scored piece was removed a moment ago.
    """
    dialogue, best = board_state.dialogue, verdict.best
    is_likely = verdict.is_believed and verdict.is_likely
    if at_rest:
        return is_likely and bool(best.acts) and dialogue.mismatch_since == inf
    if best.corrected_count or (best.acts and not dialogue.has_rested):
        return True
    match dialogue.interpretation:
        case PendingConfirmation(Moves(actions)) if is_likely and best.does(0, actions):
            if best.is_next_lifted or len(best.acts) > len(actions):  # somebody goes on after what was announced
                return True
    is_sure = verdict.is_believed and verdict.sure_count == len(best.acts)
    if board_state.occupancy.settles_at - dialogue.mismatch_since > MENDED_SECONDS and not is_sure:
        return False
    return best.has_removed or (best.shortest_pause >= TURN_SECONDS and verdict.is_likely)


def interpret_flow(
    board_state: BoardState,
    verdict: Verdict,
    difference: BoardDifference,
    take_backs: Sequence[PendingConfirmation],
    certain_moves: Moves | None,
) -> CertainMoves | PendingConfirmation | None:
    """What hands have done in the likeliest reading: certain or announced; None if they have done nothing.

    Args:
        board_state: the state of the board.
        verdict: what the readings say.
        difference: the difference between board and game.
        take_backs: the turns that are taken back if the board stays as it is.
        certain_moves: what explains the difference, if nothing else does.
    """
    dialogue, best, meanings = board_state.dialogue, verdict.best, list(take_backs)
    is_announced = bool(verdict.likely_moves and (best.put_back or best.strays))
    if not is_announced and not (verdict.is_believed and (best.acts or best.corrected_count)):
        return None
    if not (best.acts or is_announced):
        if meanings or best.lifted or dialogue.take_back_declined or dialogue.suspected_accident:
            return None
        return PendingConfirmation(TakeBack(best.corrected_count), CONFIRM_SECONDS)
    has_answered = dialogue.has_denied or dialogue.answered is not None
    if best.acts and not (is_announced or meanings or best.is_hand_busy or has_answered):
        sure_moves = Moves(best.actions[: verdict.sure_count], best.corrected_count)
        if sure_moves.actions and best.corrected_count:
            return PendingConfirmation(sure_moves, CORRECT_SECONDS)
        moves = verdict.likely_moves[0]
        if verdict.is_likely and dialogue.was_in_sync and moves == certain_moves:
            return CertainMoves(moves)
        if sure_moves.actions and dialogue.mismatch_since == inf:
            return CertainMoves(sure_moves)
    meanings = [meaning for meaning in meanings if meaning.intent == TakeBack(1)]
    is_doubtful = best.is_hand_busy or best.may_be_taken_back
    confirm_seconds = FURTHER_CONFIRM_SECONDS if is_doubtful else CONFIRM_SECONDS
    meanings += [PendingConfirmation(moves, confirm_seconds) for moves in verdict.likely_moves]
    index = (dialogue.visit_count(difference) - 1) % len(meanings) if len(meanings) > len(verdict.likely_moves) else 0
    return replace(meanings[index], other_count=len(meanings) - 1)


def reconsider_placed(board_state: BoardState, verdict: Verdict, placed: Interpretation) -> Interpretation | None:
    """What a difference means, after what it looks like is compared with what the readings say.

    What was announced counts if somebody has gone on. Actions are announced that explain what looks like a mismatch, or
    are likelier than what the difference would announce. What looks certain is only announced if something else is
    about as likely. None if hands have probably done nothing but put something back.
    """
    best, dialogue = verdict.best, board_state.dialogue
    best_moves = Moves(best.actions)
    is_open = verdict.is_believed and not (best.corrected_count or dialogue.has_denied)
    match dialogue.interpretation:
        case PendingConfirmation(Moves(actions) as moves) if best.does(moves.corrected_count, actions) and len(
            actions
        ) <= min(verdict.sure_count, len(best.acts) - 1):
            return CertainMoves(moves)
    match placed:
        case PendingConfirmation(cells_to_return=(_, *_)) | Mismatch() if (
            is_open and dialogue.was_in_sync and best.acts and best.is_turning_only
        ):
            return PendingConfirmation(best_moves, inf, cells_to_return=tuple(sorted(best.lifted)))
        case Mismatch() if (
            is_open and dialogue.was_in_sync and best.shortest_pause >= TURN_SECONDS and not best.may_be_taken_back
        ):
            return PendingConfirmation(best_moves, FURTHER_CONFIRM_SECONDS, other_count=1)
        case PendingConfirmation(Moves(actions)) if verdict.is_believed and not best.does(0, actions):
            if best.acts and is_open:
                if verdict.is_likely:
                    return PendingConfirmation(best_moves, CONFIRM_SECONDS, other_count=1)
                return replace(placed, confirm_seconds=FURTHER_CONFIRM_SECONDS)
            if not (best.acts or best.lifted or verdict.is_close(actions)):
                return None
        case CertainMoves(moves) if dialogue.answered or _is_rivalled(verdict, moves.actions):
            return PendingConfirmation(moves, CONFIRM_SECONDS)
    return placed


def _is_rivalled(verdict: Verdict, actions: tuple[Action, ...]) -> bool:
    """Whether hands may as well have done something else than these one or two actions."""
    best = verdict.best
    if len(actions) > 1:  # hands that act at the same moment are not told apart by readings
        return best.actions[: len(actions)] != actions and best.shortest_pause >= TURN_SECONDS
    return not verdict.is_close(actions) or any(moves.actions[:1] != actions for moves in verdict.close_moves)


def find_followed_moves(board_state: BoardState, now: float) -> Moves | None:
    """The actions that count at once, though hands are still moving: others have followed, and every reading has them."""
    dialogue = board_state.dialogue
    if not board_state.readings or dialogue.has_denied:
        return None
    verdict = judge_readings(board_state.readings, now)
    if verdict.best.may_be_taken_back:
        return None
    match dialogue.interpretation:
        case PendingConfirmation(TakeBack()) if verdict.best.acted_at < dialogue.interpreted_since:
            return None  # it dies when somebody goes on playing, and nobody has done that yet
    followed_count = sum(
        act.landed_at + FOLLOWED_SECONDS <= next_act.instant <= now - FOLLOWED_SECONDS
        for act, next_act in pairwise(verdict.best.acts)
    )
    actions = verdict.best.actions[: min(verdict.sure_count, followed_count)]
    return Moves(actions, verdict.best.corrected_count) if actions and verdict.is_believed else None
