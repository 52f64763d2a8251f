"""Meaning of a press of a turn key: the turn that it ends, or what is in the way.

A press names an instant at which a turn is over and hands hold nothing. So the picture of the board decides, at once: it
is compared with what every legal turn would leave. Scored pieces may stand there still or not. Where two turns leave the
same picture, the order decides in which the cells changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Position, Turn, find_outcome, legal_actions, play
from pond_hw.session.pieces.board_state import BoardState
from pond_hw.session.pieces.confirmation import ConfirmationState
from pond_hw.session.pieces.hand_tasks import find_scored_pieces
from pond_hw.session.pieces.interpretations import (
    EndedTurns,
    GameOnBoard,
    Moves,
    PendingConfirmation,
    RefusedPress,
    TakeBack,
)
from pond_hw.session.pieces.sensors import NO_DIFFERENCE, BoardDifference, surrounding_cells

LATE_SECONDS = 0.3  # how much later than the press a sensor may report what was done before it
ECHO_SECONDS = 0.15  # two cells beside each other that detect something so close together may detect one piece
DROPOUT_SECONDS = 0.25  # a piece that is not detected for so short a time has not been lifted
SLIDE_SECONDS = 0.2  # a piece that is slid is detected on two cells for no longer


class _Ending(NamedTuple):
    """Turns that may have been taken, and what stands otherwise than they would leave it."""

    turns: tuple[Turn, ...]
    rest: BoardDifference

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(turn.action for turn in self.turns)


def read_press(
    game: GameOnBoard, board_state: BoardState, now: float
) -> EndedTurns | TakeBack | RefusedPress | PendingConfirmation | None:
    """Return what the press means that the board state holds; None: it is not clear yet.

    A pending confirmation is one of several turns that the board could show, or one that the side is to be warned of;
    the next press confirms it.
    """
    press, due_side = board_state.press, game.position.to_move
    assert press
    is_due = press.side in (None, due_side)
    match board_state.confirmation:
        case ConfirmationState(
            is_interpreted=True, interpretation=PendingConfirmation(Moves(actions), needs_press=True)
        ):
            return EndedTurns(actions)
    refusal = RefusedPress(Message("turn_key.not_due", side=str(due_side)))
    if due_side not in board_state.human_sides:
        return refusal
    if not is_due and board_state.find_difference(game.position) == NO_DIFFERENCE:
        return refusal
    endings = _find_endings(game.position, board_state, 1 if is_due else 2)
    if endings and not _may_be_dropout(board_state, endings[0], now):
        is_warned = is_due and game.describe_warning(endings[0].actions[0]) is not None
        if is_warned or len(endings) > 1:
            visit_count = board_state.confirmation.visit_count(board_state.confirmation.settled_difference)
            chosen = endings[(visit_count - 1) % len(endings)]
            return PendingConfirmation(Moves(chosen.actions), inf, len(endings) - 1, needs_press=True)
        return EndedTurns(endings[0].actions, None if is_due else due_side)
    if now < press.instant + LATE_SECONDS:
        return None
    if is_due:
        return _explain(game.position, board_state)
    if _is_take_back(game, board_state):
        return TakeBack(1)
    return RefusedPress(Message("turn_key.forgotten", side=str(due_side)))


def find_waiting_end(board_state: BoardState, now: float) -> float:
    """Return the instant at which a press that is not clear has to be read again, in seconds."""
    assert board_state.press
    last_changes = map(board_state.sensors.last_change, board_state.sensors.change_times)
    dropouts_end = (instant + DROPOUT_SECONDS for instant in last_changes)
    return min((end for end in (*dropouts_end, board_state.press.instant + LATE_SECONDS) if end > now), default=now)


def _find_endings(position: Position, board_state: BoardState, count: int) -> list[_Ending]:
    """The turns that the board could show: those that leave nothing over, or else the next turn just begun, or an echo."""
    endings = list(_try_turns(position, board_state, count))
    exact = [ending for ending in endings if ending.rest == NO_DIFFERENCE]
    if exact:
        return exact
    begun = [ending for ending in endings if _is_begun(ending, board_state)]
    return begun or [ending for ending in endings if _is_felt_twice(ending, board_state)]


def _try_turns(
    position: Position, board_state: BoardState, count: int, before: tuple[Turn, ...] = ()
) -> Iterator[_Ending]:
    """Every sequence of `count` turns that hands can have taken, as far as their own cells show it."""
    if position.to_move not in board_state.human_sides:
        return
    began_at = max(
        [board_state.tasks.action_sensed_at, *(_find_landing(board_state, turn.action.target) for turn in before)]
    )
    for action in legal_actions(position):
        target, masked_cells = action.target, board_state.sensors.masked_cells
        if target not in masked_cells and _find_landing(board_state, target) <= began_at:
            continue  # what stands there, or scored there, was there before
        turn = play(position, action)
        if not _can_have_happened(turn, board_state):
            continue
        turns = (*before, turn)
        if count == 1:
            yield _Ending(turns, _find_rest(board_state, turns))
        elif not find_outcome(turn.after):
            yield from _try_turns(turn.after, board_state, count - 1, turns)


def _can_have_happened(turn: Turn, board_state: BoardState) -> bool:
    """True if the cells of an action, and of what scored in it, changed in an order that fits."""
    (source, target), sensors = turn.action, board_state.sensors
    detected, masked_cells = board_state.trusted_cells(turn.before), sensors.masked_cells
    scored_cells, last_change = find_scored_pieces([turn]).keys(), sensors.last_change
    if target in masked_cells:
        return True
    landed = _find_landing(board_state, target)
    if target not in detected | scored_cells:
        return False
    if source and source not in masked_cells | detected and last_change(source) > landed + SLIDE_SECONDS:
        return False  # it scored, and was removed
    removed_cells = scored_cells - detected - masked_cells
    return all(last_change(cell) > landed + SLIDE_SECONDS for cell in removed_cells - {target})


def _find_landing(board_state: BoardState, cell: Cell) -> float:
    """Return when a piece was put down last on a cell, in seconds; minus infinity if none was."""
    times = board_state.sensors.change_times.get(cell, ())
    if cell not in board_state.occupancy.occupied_cells:
        times = times[:-1]
    while len(times) > 2 and times[-1] - times[-2] < DROPOUT_SECONDS:
        times = times[:-2]  # its sensor had only lost it
    return times[-1] if times else -inf


def _find_rest(board_state: BoardState, turns: tuple[Turn, ...]) -> BoardDifference:
    """Return where the board differs from what turns leave; scored pieces may stand or not."""
    after, may_belong_to = turns[-1].after, board_state.occupancy.may_belong_to
    pieces, detected = after.pieces, board_state.trusted_cells(after)
    scored_pieces = {**board_state.tasks.to_remove, **find_scored_pieces(turns)}
    loose_cells = {cell for cell, piece in scored_pieces.items() if may_belong_to(cell, piece.owner)}
    expected = pieces.keys() - board_state.sensors.masked_cells
    wrong_owner = {cell for cell in expected & detected if not may_belong_to(cell, pieces[cell].owner)}
    return BoardDifference(
        frozenset(expected - detected), frozenset(detected - pieces.keys() - loose_cells), frozenset(wrong_owner)
    )


def _is_begun(ending: _Ending, board_state: BoardState) -> bool:
    """True if all that is left over is the next turn, just begun, or pieces that are turned over."""
    missing, extra, wrong_owner = ending.rest
    if extra or wrong_owner:
        return False
    lifted_cells = missing - board_state.tasks.cells_to_flip
    pieces, next_side = ending.turns[-1].after.pieces, ending.turns[-1].after.to_move
    return len(lifted_cells) <= 1 and all(pieces[cell].owner is next_side for cell in lifted_cells)


def _is_felt_twice(ending: _Ending, board_state: BoardState) -> bool:
    """True if all that is left over may be the piece that acted, detected in the cell beside it, too."""
    missing, extra, wrong_owner = ending.rest
    target, size = ending.actions[-1].target, ending.turns[-1].after.variant.size
    if missing or wrong_owner or not extra <= surrounding_cells(size, target):
        return False
    landed = _find_landing(board_state, target)
    return all(abs(_find_landing(board_state, cell) - landed) <= ECHO_SECONDS for cell in extra)


def _may_be_dropout(board_state: BoardState, ending: _Ending, now: float) -> bool:
    """True if a piece left its cell so shortly ago that its sensor may only have lost it."""
    sources = [action.source for action in ending.actions if action.source]
    return any(now - board_state.sensors.last_change(cell) < DROPOUT_SECONDS for cell in sources)


def _is_take_back(game: GameOnBoard, board_state: BoardState) -> bool:
    """True if the board is as it was before the last turn, in which nothing scored."""
    if not game.turns or game.turns[-1].sets or game.turns[-1].side not in board_state.human_sides:
        return False
    return board_state.matches_position(game.turns[-1].before)


def _explain(position: Position, board_state: BoardState) -> RefusedPress:
    """Explain what is in the way of the turn that was most likely meant."""
    difference = board_state.find_difference(position)
    if difference == NO_DIFFERENCE:
        return RefusedPress(Message("turn_key.nothing_done", side=str(position.to_move)))
    endings = _try_turns(position, board_state, 1)
    ranked = sorted(endings, key=lambda ending: _rank_obstacles(ending, board_state))
    missing, extra, wrong_owner = ranked[0].rest if ranked else difference
    for name, cells in (("in_the_way", extra), ("missing", missing), ("wrong_owner", wrong_owner)):
        if cells:
            cell = min(cells)
            return RefusedPress(Message(f"turn_key.{name}", cell=cell), cell)
    return RefusedPress(Message("turn_key.nothing_done", side=str(position.to_move)))


def _rank_obstacles(ending: _Ending, board_state: BoardState) -> tuple[int, float]:
    """Rank what is in the way of a turn: the fewest cells first, then the piece that landed last is the one meant."""
    return sum(map(len, ending.rest)), -_find_landing(board_state, ending.actions[-1].target)
