"""Values of light's first actions, one for each set of cells that are equivalent by symmetry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import chain
from typing import NamedTuple

from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import WIN_VALUE, ExactSolver, pack_position, packed_rules
from pond_hw.engine.searcher import Searcher, SearchLimits, SearchResult
from pond_hw.rules import Cell, Position, Variant, get_grid


class OpeningValues(NamedTuple):
    """Values of light's first actions.

    Attributes:
        cell_values: values for light in hundredths of a piece, keyed by the cell of the egg. Only the first cell of each set
            of equivalent cells is listed. Forced wins and losses, at or beyond `MIN_WIN_VALUE`, are proven.
        depth: search depth in actions.
        nodes: number of positions searched.
        solved_values: exact values, if the variant was solved.
    """

    cell_values: dict[Cell, int]
    depth: int
    nodes: int
    solved_values: Mapping[Cell, int] | None = None


@cache
def square_symmetries(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the eight symmetries of a square as permutations of the indices in `Grid.cells`."""
    rows = [tuple(range(size * row, size * (row + 1))) for row in range(size)]
    all_symmetries = []
    for _ in range(4):
        rows = list(zip(*rows[::-1], strict=True))  # Quarter turn.
        all_symmetries += [tuple(chain(*rows)), tuple(chain(*rows[::-1]))]
    return tuple(all_symmetries)


@cache
def equivalent_cells(size: int) -> dict[Cell, tuple[Cell, ...]]:
    """Return the cells that are equivalent on an empty board, keyed by the first cell of each set in `Grid.cells`.

    >>> equivalent_cells(3)
    {'a1': ('a1', 'c1', 'a3', 'c3'), 'b1': ('b1', 'a2', 'c2', 'b3'), 'b2': ('b2',)}
    """
    cells = get_grid(size).cells
    cells_by_first: dict[Cell, tuple[Cell, ...]] = {}
    for cell_index, cell in enumerate(cells):
        first_cell = cells[min(way[cell_index] for way in square_symmetries(size))]
        cells_by_first[first_cell] = (*cells_by_first.get(first_cell, ()), cell)
    return cells_by_first


def search_openings(
    variant: Variant, max_nodes: int, megabytes: float, should_stop: Callable[[], bool] = bool
) -> OpeningValues:
    """Search all first actions to the same depth, as deep as the node limit allows.

    `should_stop` is called every few milliseconds. When it returns True, the search ends with the results so far.
    """
    rules = packed_rules(variant)
    game = EngineGame(variant, rules, rules.start_position(variant.spawn), ())
    cells = get_grid(variant.size).cells
    first_actions = [33 * cells.index(cell) for cell in equivalent_cells(variant.size)]
    finished, limits = list[SearchResult](), SearchLimits(nodes=max_nodes)
    last_result = Searcher(megabytes).search_game(
        game, limits, should_stop, margin=2 * WIN_VALUE, on_depth=finished.append, among=first_actions
    )
    deepest_result = finished[-1] if finished else last_result  # A depth that was not completed lacks some values.
    value_by_action = dict(zip(deepest_result.actions, deepest_result.values, strict=True))
    cell_values = {cells[action // 33]: value_by_action[action] for action in first_actions}
    return OpeningValues(cell_values, deepest_result.depth, last_result.nodes)


def solve_openings(variant: Variant) -> dict[Cell, int]:
    """Solve a three-row variant. Return the exact values of light's first actions, one for each set of equivalent cells.

    The time and memory needed are proportional to the number of positions.
    """
    solver = ExactSolver(packed_rules(variant), variant.spawn)
    while solver.explore_layer():
        pass
    while solver.solve_layer():
        pass
    action_values = solver.action_values(pack_position(Position.start(variant)))
    cell_values = dict(zip(get_grid(variant.size).cells, action_values, strict=True))
    return {cell: cell_values[cell] for cell in equivalent_cells(variant.size)}
