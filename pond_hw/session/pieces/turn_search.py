"""Search for turns that the players may have taken, based on the order of sensor changes."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import islice
from math import inf
from typing import NamedTuple

from pond_hw.rules import Action, Cell, Position, Turn, legal_actions, play
from pond_hw.session.pieces.board_state import BoardState
from pond_hw.session.pieces.hand_tasks import find_scored_pieces
from pond_hw.session.pieces.odds import ODDS
from pond_hw.session.pieces.sensors import NO_DIFFERENCE, BoardDifference

MAX_FITTED_TURNS = 6  # the board is rarely further ahead of the game


class PlayedTurns(NamedTuple):
    """A possible sequence of turns.

    Attributes:
        landings: Time in seconds at which each turn's piece landed; minus infinity if undetected.
        remaining: Difference that remains after these turns, ignoring scored pieces.
    """

    turns: tuple[Turn, ...] = ()
    landings: tuple[float, ...] = ()
    remaining: BoardDifference = NO_DIFFERENCE

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(turn.action for turn in self.turns)


def find_played_turns(
    position: Position,
    board_state: BoardState,
    max_turns: int,
    unseen_cells: Set[Cell] = frozenset(),
    before: PlayedTurns = PlayedTurns(),  # noqa: B008 (a tuple)
) -> Iterator[PlayedTurns]:
    """Yield each possible sequence of turns. Pieces may have landed undetected on `unseen_cells`."""
    if position.to_move not in board_state.human_sides:
        return
    began_at = max([board_state.tasks.action_sensed_at, *before.landings]) + ODDS.together_seconds
    for action in legal_actions(position):
        landed = _find_action_landing(board_state, action, began_at, unseen_cells)
        if landed is None:
            continue
        turn = play(position, action)
        if not _may_have_scored(turn, landed, board_state):
            continue
        turns = (*before.turns, turn)
        played = PlayedTurns(turns, (*before.landings, landed), _find_remaining(board_state, turns))
        yield played
        turns_left = max_turns - len(turns)
        if turns_left and played.remaining != NO_DIFFERENCE and len(played.remaining.extra) <= turns_left:
            yield from find_played_turns(turn.after, board_state, max_turns, unseen_cells, played)


def find_actions_to_fit(
    position: Position, board_state: BoardState, max_turns: int = MAX_FITTED_TURNS
) -> tuple[Action, ...]:
    """Return the only sequence of actions that makes the game match the board; empty if there are none or several.

    Pieces must have landed in the order of their turns, except on cells where pieces have landed more than once.
    """
    began_at = board_state.tasks.action_sensed_at
    unordered_cells = {
        cell
        for cell in board_state.sensors.change_times
        if sum(landed > began_at for landed in _find_changes(board_state, cell, landed=True)) > 1
    }
    sequences = find_played_turns(position, board_state, max_turns, unordered_cells)
    fitting = list(islice((played.actions for played in sequences if played.remaining == NO_DIFFERENCE), 2))
    return fitting[0] if len(fitting) == 1 else ()


def find_landing(board_state: BoardState, cell: Cell) -> float:
    """Return the time in seconds at which a piece last landed on a cell, or minus infinity."""
    return max(_find_changes(board_state, cell, landed=True), default=-inf)


def _find_changes(board_state: BoardState, cell: Cell, *, landed: bool) -> list[float]:
    """Return the times at which pieces landed on a cell or left it, ignoring short dropouts."""
    times = board_state.sensors.change_times.get(cell, ())
    first = (len(times) - ((cell in board_state.occupancy.occupied_cells) is landed)) % 2
    step = -1 if landed else 1  # other end of the empty period
    return [
        times[index]
        for index in range(first, len(times), 2)
        if not 0 <= index + step < len(times) or abs(times[index] - times[index + step]) >= ODDS.dropout_seconds
    ]


def _find_action_landing(
    board_state: BoardState, action: Action, began_at: float, unseen_cells: Set[Cell]
) -> float | None:
    """Return the time at which an action's piece landed.

    Return minus infinity if the landing was undetected, and None if the piece cannot have acted.
    """
    (source, target), sensors = action, board_state.sensors
    is_unseen, left_at = target in unseen_cells, -inf
    if not is_unseen and sensors.last_change(target) <= began_at:
        return None  # the piece was there before
    if source and source not in sensors.masked_cells:
        left_at = max(_find_changes(board_state, source, landed=False), default=-inf)
        if source in board_state.occupancy.occupied_cells and left_at <= began_at:
            return None
    if is_unseen:
        return -inf
    landed = find_landing(board_state, target)
    return landed if landed > began_at and left_at <= landed + ODDS.slide_seconds else None


def _may_have_scored(turn: Turn, landed: float, board_state: BoardState) -> bool:
    """Return True if each piece that scored in a turn is still on the board or was removed after the turn."""
    removed_cells = find_scored_pieces([turn]).keys() - board_state.trusted_cells(turn.before)
    removed_cells -= board_state.sensors.masked_cells | {turn.action.target}
    return all(board_state.sensors.last_change(cell) >= landed for cell in removed_cells)


def _find_remaining(board_state: BoardState, turns: tuple[Turn, ...]) -> BoardDifference:
    """Return the difference between the board and the position after these turns."""
    after, may_belong_to = turns[-1].after, board_state.occupancy.may_belong_to
    scored_pieces = {**board_state.tasks.to_remove, **find_scored_pieces(turns)}
    loose_cells = {cell for cell, piece in scored_pieces.items() if may_belong_to(cell, piece.owner)}
    return board_state.find_difference(after, loose_cells - after.pieces.keys())
