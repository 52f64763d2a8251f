"""Light's first action: which ones are the same but for a turn of the board, and what each of them is worth."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import WIN_VALUE, ExactSolver, pack_position, packed_rules
from pond_hw.engine.searcher import Searcher, SearchLimits, SearchResult
from pond_hw.rules import Cell, Position, Variant, get_grid


class OpeningValues(NamedTuple):
    """What light's first actions are worth.

    Attributes:
        cell_values: by the cell of the egg, one for all that are alike: to light, in hundredths of a piece; from `SURE_VALUE` on
            it is sure, as `engine.packed.search` tells it.
        depth: so many actions ahead was looked.
        nodes: positions that were looked at.
    """

    cell_values: dict[Cell, int]
    depth: int
    nodes: int


@cache
def square_symmetries(size: int) -> tuple[tuple[int, ...], ...]:
    """The eight ways to turn and mirror a square: for each, where every cell goes, by its number in `Grid.cells`."""
    all_symmetries = []
    for symmetry_index in range(8):
        target_numbers = []
        for cell in get_grid(size).cells:
            x, y = get_grid(size).cell_coordinates(cell)
            x, y = (size - 1 - x if symmetry_index & 1 else x), (size - 1 - y if symmetry_index & 2 else y)
            target_numbers.append(x * size + y if symmetry_index & 4 else y * size + x)
        all_symmetries.append(tuple(target_numbers))
    return tuple(all_symmetries)


@cache
def equivalent_cells(size: int) -> dict[Cell, tuple[Cell, ...]]:
    """The cells that are the same on an empty board, by the first of them in `Grid.cells`.

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
    """Search all first actions to the same depth, as deep as so many positions allow.

    Args:
        variant: the variant.
        max_nodes: positions to look at.
        megabytes: how large the table of positions may be.
        should_stop: asked every few milliseconds; when it says yes, what was found so far is the answer.
    """
    rules = packed_rules(variant)
    game = EngineGame(variant, rules, rules.start_position(variant.spawn), ())
    cells = get_grid(variant.size).cells
    finished_results: list[SearchResult] = []
    first_actions = [33 * cells.index(cell) for cell in equivalent_cells(variant.size)]
    last_result = Searcher(megabytes).search_game(
        game,
        SearchLimits(nodes=max_nodes),
        should_stop,
        margin=2 * WIN_VALUE,
        told=finished_results.append,
        among=first_actions,
    )
    deepest_result = (
        finished_results[-1] if finished_results else last_result
    )  # of a depth that was broken off some values are missing
    value_by_action = dict(zip(deepest_result.actions, deepest_result.values, strict=True))
    return OpeningValues(
        {cells[action // 33]: value_by_action[action] for action in first_actions},
        deepest_result.depth,
        last_result.nodes,
    )


def solve_openings(variant: Variant) -> dict[Cell, int]:
    """What the first actions of a pond of three rows are really worth to light, by the first of the cells alike.

    It takes time and memory for as many positions as the pond has.
    """
    solver = ExactSolver(packed_rules(variant), variant.spawn)
    while solver.explore_layer():
        pass
    while solver.solve_layer():
        pass
    action_values = solver.action_values(pack_position(Position.start(variant)))
    return {
        cell: value
        for cell, value in zip(get_grid(variant.size).cells, action_values, strict=True)
        if cell in equivalent_cells(variant.size)
    }
