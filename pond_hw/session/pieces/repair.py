"""How a board comes back to what the game says: one step at a time, each from a cell to the nearest it can be for.

Sensors cannot tell which piece is which, so missing and extra pieces are paired so that the whole way is shortest.
Whatever the pairs are, following them ends in sync: each step takes away one difference, or two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

from pond_hw.rules import Cell, Grid, Side


class RepairStep(NamedTuple):
    """Take the piece from `source` and put it on `target`; None is beside the board.

    One of them is a cell at least.
    """

    source: Cell | None
    target: Cell | None


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
