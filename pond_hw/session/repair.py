"""How a board comes back to what the game says: one step at a time, each from a cell to the nearest it can be for.

Which piece is which cannot be felt, so pieces that are missing and pieces too many are paired so that the whole way
is shortest. Whatever the pairs are, following them ends in agreement: each step takes one difference away, or two.
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


def plan_repair(
    on: Grid,
    missing: Mapping[Cell, Side],
    extra: Mapping[Cell, Side | None],
    unlikely: Mapping[tuple[Cell, Cell], float] | None = None,
) -> tuple[RepairStep, ...]:
    """All that has to be done by hand, the next step first.

    Args:
        on: the grid of the board.
        missing: the cells where nothing is felt and a piece of that side should stand.
        extra: the cells where a piece is felt and should not be; whose it is, if that can be felt. A cell with a
            piece of the wrong side is in both.
        unlikely: for which pairs of an extra cell and a missing one something tells against it, and how many steps
            longer another way may be instead; with 4 x `on.size` or more they are never paired.

    Returns:
        The steps, those with the shortest way first; a way that leads to a cell where another piece still stands
        comes after that piece has gone, and if there is no other a piece is taken off.
    """
    sources, targets = _sort_cells(on, extra), _sort_cells(on, missing)
    pairs = [
        (source, target)
        for source, target in _shortest_pairs(on, sources, targets, missing, extra, unlikely or {})
        if source is not None or target is not None
    ]
    pairs.sort(key=lambda pair: _step_length(on, *pair))
    free = [pair for pair in pairs if pair[1] is None or pair[1] not in extra]
    if pairs and not free:  # a ring: each piece stands where another belongs
        source, target = pairs[0]
        return (RepairStep(source, None), *(RepairStep(*pair) for pair in pairs[1:]), RepairStep(None, target))
    return tuple(RepairStep(*pair) for pair in (*free, *(pair for pair in pairs if pair not in free)))


def _sort_cells(on: Grid, cells: Mapping[Cell, object]) -> list[Cell]:
    return [cell for cell in on.cells if cell in cells]


def _step_length(on: Grid, source: Cell | None, target: Cell | None) -> float:
    """Steps along rows and columns; what only comes or goes is longer than any of them."""
    if source is None or target is None:
        return 2 * on.size + (target is not None)  # first take off what is in the way, then put what is missing
    (x, y), (u, v) = on.cell_coordinates(source), on.cell_coordinates(target)
    return abs(x - u) + abs(y - v)


def _shortest_pairs(
    on: Grid,
    sources: Sequence[Cell],
    targets: Sequence[Cell],
    missing: Mapping[Cell, Side],
    extra: Mapping[Cell, Side | None],
    unlikely: Mapping[tuple[Cell, Cell], float],
) -> list[tuple[Cell | None, Cell | None]]:
    """Every source and every target, paired so that all ways together are shortest (the Hungarian method).

    As many places beside the board as there are pieces are added to both, so that every piece has somewhere to go.
    """
    rows: list[Cell | None] = [*sources, *[None] * len(targets)]
    columns: list[Cell | None] = [*targets, *[None] * len(sources)]
    beside = 2.0 * on.size

    def cost(source: Cell | None, target: Cell | None) -> float:
        if source is None and target is None:
            return 0.0
        if source is None or target is None:
            return beside
        owner = extra[source]
        if source == target or (owner is not None and owner is not missing[target]):
            return 4 * beside
        return _step_length(on, source, target) + unlikely.get((source, target), 0.0)

    table = [[cost(source, target) for target in columns] for source in rows]
    return [(rows[row], columns[column]) for row, column in enumerate(_assign_columns(table))]


def _assign_columns(cost: Sequence[Sequence[float]]) -> list[int]:
    """For each row the column it is given, so that the sum is least: by shortest augmenting paths."""
    size = len(cost)
    of_row, of_column = [0.0] * (size + 1), [0.0] * (size + 1)
    row_of = [0] * (size + 1)  # counted from 1; row 0 is the one that looks for a column
    for row in range(1, size + 1):
        row_of[0], column = row, 0
        least, before, done = [inf] * (size + 1), [0] * (size + 1), [False] * (size + 1)
        while row_of[column]:
            done[column] = True
            here, delta, following = row_of[column], inf, 0
            for other in range(1, size + 1):
                if done[other]:
                    continue
                reduced = cost[here - 1][other - 1] - of_row[here] - of_column[other]
                if reduced < least[other]:
                    least[other], before[other] = reduced, column
                if least[other] < delta:
                    delta, following = least[other], other
            for other in range(size + 1):
                if done[other]:
                    of_row[row_of[other]] += delta
                    of_column[other] -= delta
                else:
                    least[other] -= delta
            column = following
        while column:
            row_of[column] = row_of[before[column]]
            column = before[column]
    columns = [0] * size
    for column in range(1, size + 1):
        columns[row_of[column] - 1] = column - 1
    return columns
