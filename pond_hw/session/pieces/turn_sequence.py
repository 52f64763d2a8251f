"""Interpretation by the order of turns, using the hypotheses.

A stable board is interpreted by how it differs from the game (`interpreter`). In a fast game, players may take several
turns before the board is stable again. In that case, the order of changes determines the interpretation (`hypotheses`,
`hypothesis_ranking`). The hypotheses also reveal when an apparently clear difference is ambiguous, and explain
mismatches caused by players who turned pieces over or continued to play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

from pond_hw.rules import Action
from pond_hw.session.pieces.board_state import BoardState
from pond_hw.session.pieces.confirmation import Agreement
from pond_hw.session.pieces.hypothesis_ranking import HypothesisRanking, rank_hypotheses
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
from pond_hw.session.pieces.odds import ODDS
from pond_hw.session.pieces.sensors import BoardDifference


def rank_settled(board_state: BoardState) -> HypothesisRanking | None:
    """Rank the hypotheses as of the time at which the board becomes stable. Return None if there are none."""
    return rank_hypotheses(board_state.hypotheses, board_state.occupancy.settles_at) if board_state.hypotheses else None


def decides_by_sequence(board_state: BoardState, ranking: HypothesisRanking, *, at_rest: bool) -> bool:
    """Return True if the interpretation should be based on the order of changes, not on the difference.

    If `at_rest` is True, the difference consists only of lifted pieces, but an egg may have replaced a scored piece.
    """
    confirmation, best = board_state.confirmation, ranking.best
    is_likely = ranking.is_believed and ranking.is_likely
    if at_rest:
        return is_likely and bool(best.pending_turns) and not isinstance(confirmation.interpretation, Mismatch)
    if best.corrected_count or (best.pending_turns and confirmation.agreement is Agreement.TURN_TAKEN):
        return True
    match confirmation.interpretation:
        case PendingConfirmation(Moves(actions)) if is_likely and best.begins_with(0, actions):
            if best.is_next_piece_lifted or len(best.pending_turns) > len(
                actions
            ):  # someone played on after the announcement
                return True
    return best.has_removed or (best.shortest_pause >= ODDS.dropout_seconds and ranking.is_likely)


def interpret_sequence(
    board_state: BoardState,
    ranking: HypothesisRanking,
    difference: BoardDifference,
    take_backs: Sequence[PendingConfirmation],
    certain_moves: Moves | None,
) -> CertainMoves | PendingConfirmation | None:
    """Return the intent in the likeliest hypothesis, certain or announced, if it has one.

    `take_backs` are the possible undos. `certain_moves` are the only explanation of the difference, if there is one.
    """
    confirmation, best = board_state.confirmation, ranking.best
    is_announced = bool(ranking.likely_moves and (best.put_back or best.unexplained))
    if not is_announced and not (ranking.is_believed and (best.pending_turns or best.corrected_count)):
        return None
    if not (best.pending_turns or is_announced):
        has_scored = best.corrected is not None and best.corrected.turn.sets
        if has_scored or take_backs or best.lifted or not confirmation.agreement.allows_take_backs:
            return None
        return PendingConfirmation(TakeBack(best.corrected_count), CONFIRM_SECONDS)
    if (
        best.pending_turns
        and not (is_announced or take_backs)
        and (moves := _find_counting_moves(board_state, ranking, certain_moves))
    ):
        return moves
    return _announce_likely(board_state, ranking, difference, take_backs)


def _announce_likely(
    board_state: BoardState,
    ranking: HypothesisRanking,
    difference: BoardDifference,
    take_backs: Sequence[PendingConfirmation],
) -> PendingConfirmation:
    """Announce a likely intent. If the same difference returns, announce the next."""
    best, likely_moves = ranking.best, ranking.likely_moves
    meanings = [meaning for meaning in take_backs if meaning.intent == TakeBack(1)]
    first_count = len(meanings)
    confirm_seconds = FURTHER_CONFIRM_SECONDS if best.is_hand_busy else CONFIRM_SECONDS
    meanings += [PendingConfirmation(moves, confirm_seconds) for moves in likely_moves]
    visits = board_state.confirmation.visit_count(difference)
    index = (visits - 1) % len(meanings) if first_count else 0
    return replace(meanings[index], other_count=len(meanings) - 1)


def _find_counting_moves(
    board_state: BoardState, ranking: HypothesisRanking, certain_moves: Moves | None
) -> CertainMoves | PendingConfirmation | None:
    """Return the actions to accept now, or after a short delay if they correct a turn.

    Return None if none of them are certain enough.
    """
    confirmation, best = board_state.confirmation, ranking.best
    if best.is_hand_busy or confirmation.has_denied or confirmation.answered is not None:
        return None
    counting_moves, likely_moves = (
        Moves(best.actions[: ranking.certain_count], best.corrected_count),
        ranking.likely_moves[0],
    )
    if counting_moves.actions and best.corrected_count:
        return PendingConfirmation(counting_moves, CORRECT_SECONDS)
    if ranking.is_likely and confirmation.agreement.counts_actions and likely_moves == certain_moves:
        return CertainMoves(likely_moves)
    match confirmation.interpretation:
        case Mismatch(begun_action=None):
            return None
    return CertainMoves(counting_moves) if counting_moves.actions else None


def adjust_by_hypotheses(
    board_state: BoardState, ranking: HypothesisRanking, placed: Interpretation
) -> Interpretation | None:
    """Adjust the interpretation of a difference to the hypotheses.

    An announced action is accepted if play has continued. Likelier actions replace a mismatch or an announced intent. A
    certain intent is only announced if there is a close alternative. Return None if the players probably only put
    something back.
    """
    best, confirmation = ranking.best, board_state.confirmation
    best_moves = Moves(best.actions)
    is_open = ranking.is_believed and not (best.corrected_count or confirmation.has_denied)
    is_playing = is_open and confirmation.agreement.counts_actions
    match confirmation.interpretation:
        case PendingConfirmation(Moves(actions) as moves) if best.begins_with(moves.corrected_count, actions) and len(
            actions
        ) <= min(ranking.certain_count, len(best.pending_turns) - 1):
            return CertainMoves(moves)
    match placed:
        case PendingConfirmation(cells_to_return=(_, *_)) | Mismatch() if (
            is_playing and best.pending_turns and best.is_turning_only
        ):
            return PendingConfirmation(best_moves, inf, cells_to_return=tuple(sorted(best.lifted)))
        case Mismatch() if is_playing and best.shortest_pause >= ODDS.dropout_seconds:
            return PendingConfirmation(best_moves, FURTHER_CONFIRM_SECONDS, other_count=1)
        case PendingConfirmation(Moves(actions)) if ranking.is_believed and not best.begins_with(0, actions):
            if best.pending_turns and is_open:
                return _announce_instead(ranking, placed)
            return placed if best.pending_turns or best.lifted or ranking.is_close(actions) else None
        case CertainMoves(moves) if confirmation.answered or _has_close_alternative(ranking, moves.actions):
            return PendingConfirmation(moves, CONFIRM_SECONDS)
    return placed


def _announce_instead(ranking: HypothesisRanking, placed: PendingConfirmation) -> PendingConfirmation:
    """Announce the actions of the likeliest hypothesis instead. If they are uncertain too, extend the announcement."""
    if ranking.is_likely:
        return PendingConfirmation(Moves(ranking.best.actions), CONFIRM_SECONDS, other_count=1)
    return replace(placed, confirm_seconds=FURTHER_CONFIRM_SECONDS)


def _has_close_alternative(ranking: HypothesisRanking, actions: tuple[Action, ...]) -> bool:
    """Return True if these one or two actions have a close alternative."""
    best = ranking.best
    if len(actions) > 1:  # hypotheses cannot tell simultaneous actions apart
        return best.actions[: len(actions)] != actions and best.shortest_pause >= ODDS.dropout_seconds
    return not ranking.is_close(actions) or any(moves.actions[:1] != actions for moves in ranking.close_moves)


def find_followed_moves(board_state: BoardState, now: float) -> Moves | None:
    """Return the actions to accept before the board is stable, because they are certain and others followed."""
    confirmation = board_state.confirmation
    if not board_state.hypotheses or confirmation.has_denied:
        return None
    ranking = rank_hypotheses(board_state.hypotheses, now)
    match confirmation.interpretation:
        case PendingConfirmation(TakeBack()) if ranking.best.acted_at < confirmation.interpreted_since:
            return None  # the announced undo is dropped only if play continues
    followed_count = sum(
        turn.landed_at + ODDS.seen_seconds <= next_turn.instant <= now - ODDS.seen_seconds
        for turn, next_turn in pairwise(ranking.best.pending_turns)
    )
    actions = ranking.best.actions[: min(ranking.certain_count, followed_count)]
    return Moves(actions, ranking.best.corrected_count) if actions and ranking.is_believed else None
