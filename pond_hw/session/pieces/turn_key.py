"""Interpretation of turn key presses: the turns that a press ends, or the reason that it cannot end one.

When a key is pressed, the turn is over and no piece is lifted. So the board is compared immediately with the possible
results of the turn. An ambiguous or undetected action needs a second press.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Position
from pond_hw.session.pieces.board_state import BoardState, KeyPress
from pond_hw.session.pieces.confirmation import ConfirmationState
from pond_hw.session.pieces.interpretations import (
    EndedTurns,
    GameOnBoard,
    Moves,
    PendingConfirmation,
    RefusedPress,
    TakeBack,
)
from pond_hw.session.pieces.odds import ODDS
from pond_hw.session.pieces.sensors import NO_DIFFERENCE, BoardDifference, surrounding_cells
from pond_hw.session.pieces.turn_search import PlayedTurns, find_landing, find_played_turns

LANDING_SECONDS = 0.1  # detection delay for a piece that landed before the press


class _Meaning(NamedTuple):
    """A possible meaning of a press.

    Attributes:
        doubt: Cost of the meaning; see `odds`.
        suspected_cells: Cells whose sensors must be bad if this meaning is right.
    """

    doubt: float
    actions: tuple[Action, ...]
    suspected_cells: frozenset[Cell]


def read_press(
    game: GameOnBoard, board_state: BoardState, press: KeyPress, now: float
) -> EndedTurns | TakeBack | RefusedPress | PendingConfirmation | None:
    """Return the meaning of a press, or None if it is not clear yet."""
    due_side, confirmation = game.position.to_move, board_state.confirmation
    is_due = press.side in (None, due_side)
    match confirmation:
        case ConfirmationState(
            is_interpreted=True, interpretation=PendingConfirmation(Moves(actions), needs_press=True) as asked
        ):
            is_confirmed = len(actions) % 2 == is_due or press.side is None
            return EndedTurns(actions, suspected_cells=asked.suspected_cells) if is_confirmed else asked
    not_due = RefusedPress(Message("turn_key.not_due", side=str(due_side)))
    if due_side not in board_state.human_sides:
        return not_due
    is_in_sync = board_state.find_difference(game.position) == NO_DIFFERENCE
    if is_in_sync and not is_due and not _has_landed(board_state):
        return not_due
    is_late = now >= press.last_read
    meanings = _find_meanings(game.position, board_state, press, is_due=is_due, is_late=is_late)
    if meanings:
        likeliest = meanings[0]
        if not is_late and _may_be_dropout(board_state, likeliest.actions, now):
            return None
        is_only_likely = likeliest.doubt < min(ODDS.likely, *(other.doubt for other in meanings[1:]), inf)
        if is_only_likely and not (is_due and game.describe_warning(likeliest.actions[0])):
            return EndedTurns(likeliest.actions, None if is_due else due_side)
        asked_before = [before.asked_about for before in board_state.failed_presses]
        _, actions, suspected_cells = min(meanings, key=lambda meaning: asked_before.count(meaning.actions))
        if not (is_in_sync and asked_before[-1:] != [()] and actions in asked_before):
            return PendingConfirmation(
                Moves(actions), inf, len(meanings) - 1, needs_press=True, suspected_cells=suspected_cells
            )
    if not is_late:
        return None
    if is_due:
        return _explain(game.position, board_state)
    if not is_in_sync and _is_take_back(game, board_state):
        return TakeBack(1)
    return RefusedPress(Message("turn_key.forgotten", side=str(due_side)))


def find_waiting_end(board_state: BoardState, press: KeyPress, now: float) -> float:
    """Return the time in seconds at which an unclear press must be interpreted again."""
    last_changes = map(board_state.sensors.last_change, board_state.sensors.change_times)
    dropouts_end = (instant + ODDS.dropout_seconds for instant in last_changes)
    return min((end for end in (*dropouts_end, press.last_read) if end > now), default=now)


def _find_meanings(
    position: Position, board_state: BoardState, press: KeyPress, *, is_due: bool, is_late: bool
) -> list[_Meaning]:
    """Return the possible meanings of a press, the likeliest first."""
    board_state = replace(board_state, sensors=board_state.sensors.suspect_recently_bad())
    failed_presses, latest_landing = board_state.failed_presses, press.instant + LANDING_SECONDS * is_late
    meanings: dict[tuple[Action, ...], _Meaning] = {}
    unseen_cells = board_state.sensors.masked_cells
    if failed_presses:  # a sensor may be stuck after its piece scored
        unseen_cells |= board_state.tasks.to_remove.keys() & board_state.occupancy.occupied_cells
    for played in find_played_turns(position, board_state, 3, unseen_cells):
        turn_count = len(played.turns)
        ended_count = turn_count - (turn_count % 2 != is_due)  # ends with a turn of the side that pressed
        actions, landings = played.actions[:ended_count], played.landings[:ended_count]
        if not actions or landings[-1] > latest_landing or (turn_count > 2 and -inf in played.landings):
            continue
        echo_cells, has_followed = _find_echoes(position, played, board_state), turn_count > ended_count
        doubt = (
            ODDS.slight * has_followed
            + ODDS.unusual * bool(echo_cells)  # the piece may also have been detected on a cell beside it
            + ODDS.rare * (ended_count > 2)  # two presses would have been forgotten
            + ODDS.accident * (-inf in played.landings)  # no sensor detected the action
            + ODDS.unusual * any(_denies(before, actions[-1], landings[-1]) for before in failed_presses)
        )
        suspected_cells = played.remaining.extra & echo_cells
        remaining = played.remaining._replace(extra=played.remaining.extra - echo_cells)
        if remaining != NO_DIFFERENCE:
            if has_followed:
                continue
            if _is_begun(played, remaining, board_state):
                doubt += ODDS.slight
            elif failed_presses and remaining.is_single_cell:
                doubt, suspected_cells = doubt + ODDS.rare, suspected_cells | remaining.missing | remaining.extra
            else:
                continue
        if actions not in meanings or doubt < meanings[actions].doubt:
            meanings[actions] = _Meaning(doubt, actions, suspected_cells)
    return sorted(meanings.values(), key=lambda meaning: meaning.doubt)


def _denies(before: KeyPress, action: Action, landed: float) -> bool:
    """Return True if an earlier press that did not end the turn casts doubt on this action."""
    cell = before.blocking_cell
    return cell is None or (cell not in action and landed > before.instant)


def _is_begun(played: PlayedTurns, remaining: BoardDifference, board_state: BoardState) -> bool:
    """Return True if the remaining difference may be the start of the next turn, or pieces being turned over."""
    after, lifted_cells = played.turns[-1].after, remaining.missing - board_state.tasks.cells_to_flip
    is_next = len(lifted_cells) <= 1 and all(after.pieces[cell].owner is after.to_move for cell in lifted_cells)
    return is_next and not (remaining.extra or remaining.wrong_owner)


def _find_echoes(position: Position, played: PlayedTurns, board_state: BoardState) -> frozenset[Cell]:
    """Return the target and extra cells whose sensors may have detected a piece on a neighbouring cell."""
    cells = played.remaining.extra.union(action.target for action in played.actions)
    occupied_cells = board_state.occupancy.occupied_cells
    return frozenset(
        cell
        for cell in cells & occupied_cells
        for neighbour in surrounding_cells(position.variant.size, cell) & occupied_cells
        if -ODDS.together_seconds
        <= find_landing(board_state, neighbour) - find_landing(board_state, cell)
        <= ODDS.slide_seconds
    )


def _may_be_dropout(board_state: BoardState, actions: tuple[Action, ...], now: float) -> bool:
    """Return True if a piece of the turn left its cell so recently that its sensor may have dropped out.

    Scored pieces are excluded because players may have removed them, which must not delay a press.
    """
    sources, last_change = {action.source for action in actions}, board_state.sensors.last_change
    return any(
        now - last_change(cell) < ODDS.dropout_seconds
        and (cell in sources or find_landing(board_state, cell) > board_state.tasks.action_sensed_at)
        for cell in board_state.sensors.change_times.keys() - board_state.occupancy.occupied_cells
    )


def _has_landed(board_state: BoardState) -> bool:
    """Return True if a piece has landed since the last turn."""
    landings = (find_landing(board_state, cell) for cell in board_state.sensors.change_times)
    return max(landings, default=-inf) > board_state.tasks.action_sensed_at


def _is_take_back(game: GameOnBoard, board_state: BoardState) -> bool:
    """Return True if the board shows that the last turn was undone.

    The turn must not have scored, and no press may have failed since.
    """
    if (
        board_state.failed_presses
        or not game.turns
        or game.turns[-1].sets
        or game.turns[-1].side not in board_state.human_sides
    ):
        return False
    return board_state.matches_position(game.turns[-1].before)


def _explain(position: Position, board_state: BoardState) -> RefusedPress:
    """Refuse a press, and name the cell that prevents the likeliest turn.

    The likeliest turn is the one that differs least from the board. In a tie, it is the one whose piece landed last.
    """
    difference = board_state.find_difference(position)
    if difference != NO_DIFFERENCE:
        possible = find_played_turns(position, board_state, 1, board_state.sensors.masked_cells)
        obstacles = [(sum(map(len, played.remaining)), -played.landings[0], played.remaining) for played in possible]
        missing, extra, wrong_owner = min(obstacles, key=lambda obstacle: obstacle[:2])[2] if obstacles else difference
        for name, cells in (("in_the_way", extra), ("missing", missing), ("wrong_owner", wrong_owner)):
            if cells:
                cell = min(cells)
                return RefusedPress(Message(f"turn_key.{name}", cell=cell), cell)
    return RefusedPress(Message("turn_key.nothing_done", side=str(position.to_move)))
