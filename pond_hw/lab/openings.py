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
    found = []
    for way in range(8):
        goes = []
        for cell in get_grid(size).cells:
            x, y = get_grid(size).cell_coordinates(cell)
            x, y = (size - 1 - x if way & 1 else x), (size - 1 - y if way & 2 else y)
            goes.append(x * size + y if way & 4 else y * size + x)
        found.append(tuple(goes))
    return tuple(found)


@cache
def equivalent_cells(size: int) -> dict[Cell, tuple[Cell, ...]]:
    """The cells that are the same on an empty board, by the first of them in `Grid.cells`.

    >>> alike(3)
    {'a1': ('a1', 'c1', 'a3', 'c3'), 'b1': ('b1', 'a2', 'c2', 'b3'), 'b2': ('b2',)}
    """
    cells = get_grid(size).cells
    found: dict[Cell, tuple[Cell, ...]] = {}
    for number, cell in enumerate(cells):
        first = cells[min(way[number] for way in square_symmetries(size))]
        found[first] = (*found.get(first, ()), cell)
    return found


def search_openings(pond: Variant, nodes: int, megabytes: float, stop: Callable[[], bool] = bool) -> OpeningValues:
    """Search all first actions to the same depth, as deep as so many positions allow.

    Args:
        pond: the variant.
        nodes: positions to look at.
        megabytes: how large the table of positions may be.
        stop: asked every few milliseconds; when it says yes, what was found so far is the answer.
    """
    rules = packed_rules(pond)
    game = EngineGame(pond, rules, rules.start_position(pond.spawn), ())
    cells = get_grid(pond.size).cells
    whole: list[SearchResult] = []
    first = [33 * cells.index(cell) for cell in equivalent_cells(pond.size)]
    looked = Searcher(megabytes).search_game(
        game, SearchLimits(nodes=nodes), stop, margin=2 * WIN_VALUE, told=whole.append, among=first
    )
    thought = whole[-1] if whole else looked  # of a depth that was broken off some values are missing
    values = dict(zip(thought.actions, thought.values, strict=True))
    return OpeningValues({cells[action // 33]: values[action] for action in first}, thought.depth, looked.nodes)


def solve_openings(pond: Variant) -> dict[Cell, int]:
    """What the first actions of a pond of three rows are really worth to light, by the first of the cells alike.

    It takes time and memory for as many positions as the pond has.
    """
    solver = ExactSolver(packed_rules(pond), pond.spawn)
    while solver.explore_layer():
        pass
    while solver.solve_layer():
        pass
    values = solver.action_values(pack_position(Position.start(pond)))
    return {
        cell: value
        for cell, value in zip(get_grid(pond.size).cells, values, strict=True)
        if cell in equivalent_cells(pond.size)
    }
