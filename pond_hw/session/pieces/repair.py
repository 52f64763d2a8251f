"""Board and game differ, and nothing is guessed: the way back to the game, one step at a time.

Sensors cannot tell which piece is which, so missing and extra pieces are paired so that the whole way is shortest.
Whatever the pairs are, following them ends in sync: each step takes away one difference, or two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from pond_hw.rules import Action, Cell, Grid, Position, Side
from pond_hw.session.pieces import turn_sequence
from pond_hw.session.pieces.action_matching import NEIGHBOUR_SECONDS
from pond_hw.session.pieces.board_state import BoardState
from pond_hw.session.pieces.hand_tasks import CARRIED_SECONDS
from pond_hw.session.pieces.interpretations import GameOnBoard, Mismatch, RepairStep
from pond_hw.session.pieces.sensors import BoardDifference


def interpret_mismatch(
    game: GameOnBoard, board_state: BoardState, difference: BoardDifference, actions: Sequence[Action]
) -> Mismatch:
    """Return the steps back to the game.

    Args:
        game: the game.
        board_state: the state of the board.
        difference: where they differ.
        actions: the actions that would explain it.
    """
    position, confirmation = game.position, board_state.confirmation
    begun_action = None
    may_be_begun = board_state.both_by_hand and confirmation.agreement.counts_actions
    ranking = turn_sequence.rank_settled(board_state) if may_be_begun else None
    if ranking and ranking.is_believed and ranking.best.acts and ranking.best.is_next_lifted:
        begun_action = ranking.best.actions[0]
    steps = _plan_steps(game.board_grid, position, board_state)
    return Mismatch(
        difference,
        _order_steps(game, board_state, steps),
        actions[0] if len(actions) == 1 and not confirmation.agreement.counts_actions else None,
        count_turns_to_fit(game, board_state) if confirmation.agreement.has_agreed else None,
        begun_action,
    )


def count_turns_to_fit(game: GameOnBoard, board_state: BoardState) -> int | None:
    """Count the turns to take back so that the game fits the board and a person is to move; None if none fits."""
    for turn_count, turn in enumerate(reversed(game.turns), 1):
        if turn.side in board_state.human_sides and board_state.matches_position(turn.before):
            return turn_count
    return None


def _plan_steps(board_grid: Grid, position: Position, board_state: BoardState) -> tuple[RepairStep, ...]:
    difference = board_state.find_difference(position)
    occupancy, is_synced = board_state.occupancy, board_state.confirmation.agreement.has_agreed
    pieces, piece_owners = position.pieces, {**occupancy.known_owners, **occupancy.sensed_owners}
    # What came after a program's turn, and before that was followed, is a person's own piece.
    fresh_owner = position.to_move if occupancy.known_owners and not is_synced else None
    return plan_repair(
        board_grid,
        missing={cell: pieces[cell].owner for cell in difference.missing | difference.wrong_owner},
        extra={cell: piece_owners.get(cell, fresh_owner) for cell in difference.extra | difference.wrong_owner},
        step_penalties=_find_unlikely_pairs(board_grid.size, board_state, difference) if is_synced else {},
    )


def _find_unlikely_pairs(board_size: int, board_state: BoardState, difference: BoardDifference) -> Penalties:
    """Return penalties for extra pieces that can hardly be the ones that left other cells since board and game agreed.

    One that was there before the cell was left is another piece. Else it is rather the first that was put down then.
    Where sensors tell owners that is not asked: a cell may have been left last by a piece that did not belong there.
    """
    last_change = board_state.sensors.last_change
    step_penalties: dict[RepairStep, float] = {}
    source_cells = difference.extra - board_state.occupancy.sensed_owners.keys()
    for target in difference.missing:
        left = last_change(target)
        for source in source_cells:
            landed = last_change(source)
            if landed < left - CARRIED_SECONDS:
                step_penalties[RepairStep(source, target)] = 4.0 * board_size
            elif any(left < last_change(other_cell) < landed - NEIGHBOUR_SECONDS for other_cell in source_cells):
                step_penalties[RepairStep(source, target)] = 1.0 * board_size
    return step_penalties


def _order_steps(game: GameOnBoard, board_state: BoardState, steps: Sequence[RepairStep]) -> tuple[RepairStep, ...]:
    """The steps in another order where the first would lead astray.

    What acted last is repaired first, or the board would come to stand as before its turn. A piece that nobody removes
    comes last: it may be none. And the last piece on the board is not removed before another is put there, since a
    board that is cleared opens the menu. What belongs on the cell of such a piece comes after it.
    """
    occupied_cells = board_state.occupancy.occupied_cells
    acted_cells = {turn.action.target for turn in game.turns[-2:]} - occupied_cells
    is_last_piece = len(occupied_cells - board_state.sensors.masked_cells) == 1
    removed_cells = {step.source for step in steps if step.target is None}
    postponed_cells = removed_cells if is_last_piece else removed_cells & board_state.tasks.deferred

    def rank_step(step: RepairStep) -> int:
        if step.target is None:
            return 2 if step.source in postponed_cells else 1
        if step.target in postponed_cells:
            return 3
        return 0 if step.target in acted_cells else 1

    return tuple(sorted(steps, key=rank_step))


Owners = Mapping[Cell, Side | None]  # whose piece a cell is about; None if nobody can tell
Penalties = Mapping[RepairStep, float]


def plan_repair(
    grid: Grid, missing: Owners, extra: Owners, step_penalties: Penalties | None = None
) -> tuple[RepairStep, ...]:
    """All that has to be done by hand, the next step first.

    Args:
        grid: the grid of the board.
        missing: the cells where nothing is detected and a piece of that side should stand.
        extra: the cells where a piece is detected and should not be; whose it is, if a sensor can tell. A cell with a
            piece of the wrong side is in both.
        step_penalties: steps between an extra cell and a missing one that something tells against, and how many steps
            longer another way may be instead; with 4 x `grid.size` or more they are never taken.

    Returns:
        The steps, those with the shortest way first; a way that leads to a cell where another piece still stands
        comes after that piece has gone, and if there is no other a piece is removed.
    """
    steps = _find_shortest_steps(grid, missing, extra, step_penalties or {})
    steps.sort(key=lambda step: _measure_step(grid, step))
    free_steps = [step for step in steps if step.target is None or step.target not in extra]
    if steps and not free_steps:  # a ring: each piece stands where another belongs
        (source, target), *other_steps = steps
        return RepairStep(source, None), *other_steps, RepairStep(None, target)
    return *free_steps, *(step for step in steps if step not in free_steps)


def _measure_step(grid: Grid, step: RepairStep) -> float:
    """Steps along rows and columns; what only comes or goes is longer than any of them."""
    source, target = step
    if source is None or target is None:
        return 2 * grid.size + (target is not None)  # first remove what is in the way, then put what is missing
    (x, y), (u, v) = grid.cell_coordinates(source), grid.cell_coordinates(target)
    return abs(x - u) + abs(y - v)


def _find_shortest_steps(grid: Grid, missing: Owners, extra: Owners, step_penalties: Penalties) -> list[RepairStep]:
    """Every extra and every missing piece, paired so that all ways together are shortest (the Hungarian method).

    As many places beside the board as there are pieces are added to both, so that every piece has somewhere to go.
    """
    source_cells = [*(cell for cell in grid.cells if cell in extra), *[None] * len(missing)]
    target_cells = [*(cell for cell in grid.cells if cell in missing), *[None] * len(extra)]
    beside_cost = 2.0 * grid.size

    def estimate_cost(step: RepairStep) -> float:
        source, target = step
        if source is None or target is None:
            return 0.0 if source == target else beside_cost
        if source == target or extra[source] not in (None, missing[target]):
            return 4 * beside_cost
        return _measure_step(grid, step) + step_penalties.get(step, 0.0)

    costs = [[estimate_cost(RepairStep(source, target)) for target in target_cells] for source in source_cells]
    steps = (RepairStep(source_cells[row], target_cells[column]) for row, column in enumerate(_assign_columns(costs)))
    return [step for step in steps if step != (None, None)]


def _assign_columns(cost_matrix: Sequence[Sequence[float]]) -> list[int]:
    """For each row the column it is given, so that the sum is least: by shortest augmenting paths."""
    size = len(cost_matrix)
    row_potentials, column_potentials = [0.0] * (size + 1), [0.0] * (size + 1)
    row_by_column = [0] * (size + 1)  # counted from 1; column 0 has the row that looks for a column
    for new_row in range(1, size + 1):
        row_by_column[0], column = new_row, 0
        distances, previous_columns, is_visited = [inf] * (size + 1), [0] * (size + 1), [False] * (size + 1)
        while row_by_column[column]:
            is_visited[column] = True
            row = row_by_column[column]
            open_columns = [other for other in range(1, size + 1) if not is_visited[other]]
            for other in open_columns:
                reduced_cost = cost_matrix[row - 1][other - 1] - row_potentials[row] - column_potentials[other]
                if reduced_cost < distances[other]:
                    distances[other], previous_columns[other] = reduced_cost, column
            nearest_column = min(open_columns, key=distances.__getitem__)
            delta = distances[nearest_column]
            for other in range(size + 1):
                if is_visited[other]:
                    row_potentials[row_by_column[other]] += delta
                    column_potentials[other] -= delta
                else:
                    distances[other] -= delta
            column = nearest_column
        while column:
            row_by_column[column] = row_by_column[previous_columns[column]]
            column = previous_columns[column]
    column_by_row = [0] * size
    for column in range(1, size + 1):
        column_by_row[row_by_column[column] - 1] = column - 1
    return column_by_row
