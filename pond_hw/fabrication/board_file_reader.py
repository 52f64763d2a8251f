"""Read the places of parts from a circuit board designed in KiCad, for the assembly drawings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pond_hw.fabrication.carrier import NETLIST_FILE
from pond_hw.fabrication.solids.layout import FlatPoint

Expression = list["Expression | str"]
"""List of words and lists, as in KiCad's files."""


class BoardPart(NamedTuple):
    """Part on a circuit board: its place, printed outline (left, near, right, far), and its pads by number."""

    place: FlatPoint
    outline: tuple[float, float, float, float]
    pads: dict[str, FlatPoint]

    @property
    def middle(self) -> FlatPoint:
        left, near, right, far = self.outline
        return (left + right) / 2, (near + far) / 2


class CircuitBoard(NamedTuple):
    """Circuit board: size in mm, and parts by reference. x points right, and y away from its near left corner."""

    size: tuple[float, float]
    parts: dict[str, BoardPart]


def read_carrier(folder: Path) -> CircuitBoard | None:
    """Return the design of a board's carrier from the board's folder; None if there is none.

    Raises:
        OSError: a file cannot be read.
    """
    carrier_folder = folder / "carrier"
    if not (carrier_folder / NETLIST_FILE).is_file():
        return None
    board_file = next(iter(sorted(carrier_folder.glob("*.kicad_pcb"))), None)
    return read_board(board_file.read_text(encoding="utf-8")) if board_file else None


def read_board(text: str) -> CircuitBoard:
    """Return a circuit board from the text of a `.kicad_pcb` file."""
    board = _parse(text)
    edges = [point for item in board if _is_on(item, "Edge.Cuts") for point in _shape_points(item)]
    left, right = min(x for x, _ in edges), max(x for x, _ in edges)
    far, near = min(y for _, y in edges), max(y for _, y in edges)
    parts = {}
    for footprint in _items(board, "footprint"):
        ref = next((item[2] for item in _items(footprint, "property") if item[1] == "Reference"), "")
        if pads := list(_items(footprint, "pad")):
            parts[str(ref)] = _read_part(footprint, pads, (left, near))
    return CircuitBoard((round(right - left, 3), round(near - far, 3)), parts)


def _read_part(footprint: Expression, pads: list[Expression], origin: FlatPoint) -> BoardPart:
    x, y, angle = (*map(float, next(_items(footprint, "at"))[1:4]), 0.0)[:3]  # type: ignore[arg-type]
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))

    def place(point: FlatPoint) -> FlatPoint:
        u, v = x + point[0] * cosine + point[1] * sine, y - point[0] * sine + point[1] * cosine
        return round(u - origin[0], 3), round(origin[1] - v, 3)

    places = {str(pad[1]): place(_point(next(_items(pad, "at")))) for pad in pads}
    drawn = [
        place(point)
        for item in footprint
        if _is_on(item, "F.SilkS") or _is_on(item, "B.SilkS")
        for point in _shape_points(item)
    ]
    drawn += places.values()
    xs, ys = [point[0] for point in drawn], [point[1] for point in drawn]
    return BoardPart(place((0, 0)), (min(xs), min(ys), max(xs), max(ys)), places)


def _is_on(item: Expression | str, layer: str) -> bool:
    is_shape = isinstance(item, list) and re.fullmatch(r"(gr|fp)_(line|rect|circle|poly|arc)", str(item[0]))
    return bool(is_shape) and any(layer in each for each in _items(item, "layer"))


def _shape_points(item: Expression | str) -> Iterator[FlatPoint]:
    """Yield the corners of a line or rectangle, or those of the square around a circle."""
    centres, ends = list(_items(item, "center")), list(_items(item, "end"))
    if centres:
        (x, y), end = _point(centres[0]), _point(ends[0])
        radius = math.dist((x, y), end)
        yield from ((x - radius, y - radius), (x + radius, y + radius))
        return
    for each in (*_items(item, "start"), *ends, *(xy for points in _items(item, "pts") for xy in _items(points, "xy"))):
        yield _point(each)


def _point(item: Expression) -> FlatPoint:
    return float(str(item[1])), float(str(item[2]))


def _items(expression: Expression | str, name: str) -> Iterator[Expression]:
    return (item for item in expression if isinstance(item, list) and item and item[0] == name)


def _parse(text: str) -> Expression:
    stack: list[Expression] = [[]]
    for word in re.findall(r'"(?:[^"\\]|\\.)*"|[()]|[^\s()]+', text):
        if word == "(":
            stack.append([])
        elif word == ")":
            finished = stack.pop()
            stack[-1].append(finished)
        else:
            stack[-1].append(word.strip('"'))
    board = stack[0][0]
    assert isinstance(board, list)
    return board
