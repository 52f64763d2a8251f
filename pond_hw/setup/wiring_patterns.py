"""How lamps and sensors may lie against what a profile draws: a handful of patterns. Pure.

A *place* is a lamp's position in the chain. An *input* is the number of a cell in the order a1, b1, ...: the sensor
that the profile draws for that cell. Both are drawn below in squares with the top row first, as people see them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import isqrt
from typing import NamedTuple

from pond_hw.profile.board_profile import LampSettings

Spot = tuple[int, int]
"""Column from the left and row from the top."""

Turn = Callable[[int, int, int], Spot]
"""Where the spot (column, row) of a square comes to lie; the last argument is the highest column and row."""

TURNS: Mapping[str, Turn] = {
    "": lambda u, v, _: (u, v),
    "turned by a quarter to the right": lambda u, v, last: (last - v, u),
    "turned by half": lambda u, v, last: (last - u, last - v),
    "turned by a quarter to the left": lambda u, v, last: (v, last - u),
    "mirrored left to right": lambda u, v, last: (last - u, v),
    "mirrored top to bottom": lambda u, v, last: (u, last - v),
    "mirrored along the diagonal from the top left": lambda u, v, _: (v, u),
    "mirrored along the diagonal from the top right": lambda u, v, last: (last - v, last - u),
}
"""The eight ways in which a square can lie on itself, in words; none for as it is drawn."""

DRAWN, TURNED, GRID, CELLS = range(4)
"""How near a pattern is to the drawing: it itself, it turned, a path over all lamps, a path from cell to cell."""


class ChainPath(NamedTuple):
    """A way through all spots of a square.

    Attributes:
        right: whether it begins at the right, else at the left.
        bottom: whether it begins at the bottom, else at the top.
        columns: whether it runs along the columns, else along the rows.
        fro: whether it turns round at each end, else all lines run the same way.
    """

    right: bool
    bottom: bool
    columns: bool
    fro: bool

    def __str__(self) -> str:
        corner = f"{'bottom' if self.bottom else 'top'} {'right' if self.right else 'left'}"
        return f"begins at the {corner}, {self.way} along the {'columns' if self.columns else 'rows'}"

    @property
    def way(self) -> str:
        """How it gets from line to line, in words."""
        return "to and fro" if self.fro else "straight"

    def spots(self, width: int) -> Iterator[Spot]:
        """The spots of a square in the order in which it visits them."""
        last = width - 1
        for line in range(width):
            for step in range(width):
                along = last - step if self.fro and line % 2 else step
                u, v = (line, along) if self.columns else (along, line)
                yield last - u if self.right else u, last - v if self.bottom else v


PATHS = tuple(
    ChainPath(right, bottom, columns, fro)
    for fro in (False, True)
    for columns in (False, True)
    for bottom in (False, True)
    for right in (False, True)
)
"""From each corner along rows or columns, straight or to and fro."""


class LampPattern(NamedTuple):
    """How the lamps of the cells may hang together.

    Attributes:
        says: how, after "the chain" or "the lamps are": `begins at the top right, to and fro along the rows`.
        cells: for each lamp, in the order of `LampSettings.cells`, its place.
        near: how near it is to the drawing.
        turn: how the drawing was turned to get it, in words; None if it is not the drawing.
        path: how it runs, if that has a name.
        cell_of: for each place the number of the cell that it is in.
    """

    says: str
    cells: tuple[int, ...]
    near: int
    turn: str | None = None
    path: ChainPath | None = None
    cell_of: Mapping[int, int] = {}


class WirePattern(NamedTuple):
    """How the sensors may lie.

    Attributes:
        says: how.
        inputs: for each cell, in the order a1, b1, ..., the input that lies under it.
        near: 0 as drawn, 1 turned, or with two lines exchanged, 2 with every other line the other way round.
        turn: how the drawing was turned to get it, in words; every other line may lie the other way round besides.
        lines: the two rows or columns that are exchanged, in words.
        cell_over: for each input the number of the cell that it lies under.
    """

    says: str
    inputs: tuple[int, ...]
    near: int
    turn: str
    lines: str = ""
    cell_over: tuple[int, ...] = ()


def lamp_spots(size: int, side: int) -> tuple[Spot, ...]:
    """Where each lamp of `LampSettings.cells` is in the square of all lamps; with one lamp a cell also where each cell is.

    Args:
        size: rows and columns of cells.
        side: lamps along the side of a cell.
    """
    return tuple(
        (x * side + inner % side, (size - 1 - y) * side + inner // side)
        for y in range(size)
        for x in range(size)
        for inner in range(side * side)
    )


def list_patterns(size: int, chain: LampSettings) -> tuple[LampPattern, ...]:
    """How the lamps of the cells may hang together, the nearest to the drawing first; nothing twice.

    Only places that the profile uses for cells are used: strips and unused lamps stay where they are.
    """
    return _patterns(size, chain.cell_positions)


@lru_cache(maxsize=32)
def _patterns(size: int, cells: tuple[int, ...]) -> tuple[LampPattern, ...]:
    per_cell = len(cells) // size**2
    side = isqrt(per_cell)
    width, where, places = size * side, lamp_spots(size, side), sorted(cells)
    ways = {path: _follow_path(where, dict(zip(path.spots(width), places, strict=True))) for path in PATHS}
    names = {lie: path for path, lie in reversed(ways.items())}
    drawing = dict(zip(where, cells, strict=True))
    found: dict[tuple[int, ...], LampPattern] = {}
    for words, turn in TURNS.items():
        lie = _follow_path(where, {turn(*spot, width - 1): place for spot, place in drawing.items()})
        says = f"as drawn, {words}" if words else "as drawn"
        found.setdefault(lie, LampPattern(says, lie, TURNED if words else DRAWN, words, names.get(lie)))
    for path, lie in ways.items():
        found.setdefault(lie, LampPattern(str(path), lie, GRID, None, path))
    for path in PATHS:
        lie = _follow_path(where, _cell_by_cell(size, side, path, drawing))
        found.setdefault(lie, LampPattern(f"{path}, one cell after the other", lie, CELLS, None, path))
    return tuple(
        each._replace(cell_of={place: i // per_cell for i, place in enumerate(each.cells)}) for each in found.values()
    )


def _follow_path(where: Sequence[Spot], square: Mapping[Spot, int]) -> tuple[int, ...]:
    return tuple(square[spot] for spot in where)


def _cell_by_cell(size: int, side: int, path: ChainPath, drawing: Mapping[Spot, int]) -> dict[Spot, int]:
    """The lamps of each cell follow each other, along a path from cell to cell.

    Touches tell which cell a lamp is in, not where in the cell. The order inside is taken from the cell in which the
    drawn chain begins, and turned as the path from cell to cell is turned against the drawn one (against a path from
    the top left along the rows, if the drawn one has no name).
    """
    places = sorted(drawing.values())
    first = {(u // side, v // side): places[-1] for u, v in drawing}
    for (u, v), place in drawing.items():
        first[u // side, v // side] = min(first[u // side, v // side], place)
    order = sorted(first, key=first.__getitem__)
    drawn = next((each for each in PATHS if list(each.spots(size)) == order), PATHS[0])
    begin = order[0]
    inside = [(u % side, v % side) for u, v in drawing if (u // side, v // side) == begin]
    inside.sort(key=lambda spot: drawing[begin[0] * side + spot[0], begin[1] * side + spot[1]])
    turned = next(turn for turn in TURNS.values() if _leads(turn, drawn, path))
    inside = [turned(*spot, side - 1) for spot in inside]
    along = [(u * side + x, v * side + y) for u, v in path.spots(size) for x, y in inside]
    return dict(zip(along, places, strict=True))


def _leads(turn: Turn, one: ChainPath, other: ChainPath) -> bool:
    """Whether this turn lays the beginning of one path on that of another, and its first line too."""
    return all(turn(*a, 2) == b for a, b in zip(list(one.spots(3))[:2], list(other.spots(3))[:2], strict=True))


@lru_cache(maxsize=8)
def list_wirings(size: int, *, by_line: bool = False) -> tuple[WirePattern, ...]:
    """How the sensors may lie against the drawing, the nearest first; nothing twice.

    Args:
        size: rows and columns.
        by_line: whether a wire serves a whole row or column, so that two of these may be exchanged.
    """
    found: dict[tuple[int, ...], WirePattern] = {}
    for each in (*_turned_wires(size), *(_exchanged_lines(size) if by_line else ())):
        found.setdefault(each.inputs, each)
    cells = range(size**2)
    return tuple(each._replace(cell_over=tuple(map(each.inputs.index, cells))) for each in found.values())


def _turned_wires(size: int) -> Iterator[WirePattern]:
    """Turned, and every other line the other way round."""
    where, last = lamp_spots(size, 1), size - 1
    lines: Mapping[str, Callable[[int, int], Spot]] = {
        "": lambda u, v: (u, v),
        "every other row the other way round": lambda u, v: (last - u if v % 2 else u, v),
        "every other column the other way round": lambda u, v: (u, last - v if u % 2 else v),
    }
    for fro, line in lines.items():
        for words, turn in TURNS.items():
            inputs = _follow_path(where, {turn(*line(*spot), last): number for number, spot in enumerate(where)})
            says = ", ".join(filter(None, ("as drawn", words, fro)))
            yield WirePattern(says, inputs, 2 if fro else 1 if words else 0, words)


def _exchanged_lines(size: int) -> Iterator[WirePattern]:
    """Any two rows or columns exchanged."""
    where = lamp_spots(size, 1)
    for one, other in combinations(range(size), 2):
        swap = {one: other, other: one}
        columns = _follow_path(where, {(swap.get(u, u), v): number for number, (u, v) in enumerate(where)})
        rows = _follow_path(where, {(u, swap.get(v, v)): number for number, (u, v) in enumerate(where)})
        for words, inputs in (
            (f"columns {'abcde'[one]} and {'abcde'[other]}", columns),
            (f"rows {size - other} and {size - one}", rows),
        ):
            yield WirePattern(f"as drawn, {words} exchanged", inputs, 1, "", words)
