"""Router of a board's tracks on a grid of two layers.

Every net is a tree that grows from pad to pad along the cheapest path. At first, nets may cross. Contested points get
more expensive with each round, until no two nets use the same point (PathFinder: McMurchie and Ebeling, 1995).
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, GROUND_NET, LAMP_SUPPLY_NET
from pond_hw.fabrication.netlist import PartPin
from tools.pcb.board import SCREW_HEAD, Board

STEP = 0.635
"""Distance between neighbouring grid lines, in mm."""

TRACK_WIDTH, VIA_SIZE, VIA_DRILL, CLEARANCE, EDGE = 0.25, 0.6, 0.3, 0.2, 0.6
"""Sizes in mm that every PCB manufacturer supports. Neighbouring tracks are 0.38 mm apart, a track and a via 0.21 mm."""

HEAVY_WIDTH = 2.0
"""Width in mm of tracks for the lamp current: 4 A heats such a track by about 10 K (IPC-2221, outer layer, 35 µm)."""

HEAVY_TYPES = ("fuse", "reservoir", "terminal")
VIA_COST, ROUNDS = 10.0, 40

GridPoint = tuple[int, int, int]
"""Column, row and layer: 0 is the front, 1 the back."""


class Track(NamedTuple):
    """Straight track, or a via if both ends are the same. Sizes are in mm."""

    net: str
    start: tuple[float, float]
    end: tuple[float, float]
    layer: int
    width: float


class RoutingFailed(Exception):
    """Some pads could not be connected."""


def route(board: Board) -> list[Track]:
    """Return all tracks and vias of a board.

    Raises:
        RoutingFailed: the router found no room for all of them.
    """
    return _Router(board).run()


class _Router:
    """Grid of a board, with the state of the routing."""

    def __init__(self, board: Board) -> None:
        self.netlist = board.netlist
        self.columns, self.rows = math.floor(board.width / STEP) + 1, math.floor(board.height / STEP) + 1
        self.pads = {
            PartPin(placed.part.ref, pad.number): (x, y, pad.size / 2)
            for placed in board.parts
            for pad, x, y in placed.pad_places()
        }
        self.holes = board.holes
        self.heavy_tracks: list[Track] = []
        self.heavy_ends: dict[str, list[PartPin]] = {}
        self.history: dict[GridPoint, float] = defaultdict(float)
        self.users: dict[GridPoint, set[str]] = defaultdict(set)
        self.crowding = 0.0
        self.track_claims: dict[GridPoint, str] = {}
        self.via_claims: dict[GridPoint, str] = {}

    def run(self) -> list[Track]:
        for net_name in (FIVE_VOLT_NET, LAMP_SUPPLY_NET, GROUND_NET):
            self.route_heavy(net_name)
        nets = sorted((name for name, ends in self.netlist.nets.items() if len(ends) > 1), key=self.net_order)
        self.track_claims, self.via_claims = self.find_claims(TRACK_WIDTH), self.find_claims(VIA_SIZE)
        trees: dict[str, list[list[GridPoint]]] = {name: [] for name in nets}
        crowded: set[GridPoint] = set()
        for round_number in range(ROUNDS):
            self.crowding = 2.0 * (round_number + 1)
            for net_name in nets:
                points = {point for path in trees[net_name] for point in path}
                if round_number and points.isdisjoint(crowded):
                    continue
                for point in points:
                    self.users[point].discard(net_name)
                trees[net_name] = self.grow_tree(net_name, self.netlist.nets[net_name])
                for point in (point for path in trees[net_name] for point in path):
                    self.users[point].add(net_name)
            crowded = {point for point, names in self.users.items() if len(names) > 1}
            if not crowded:
                thin = [each for name, paths in trees.items() for path in paths for each in _to_tracks(name, path)]
                return self.heavy_tracks + thin
            for point in crowded:
                self.history[point] += 1.0
        names = sorted({name for point in crowded for name in self.users[point]})
        raise RoutingFailed(f"{len(crowded)} places are wanted by several of {', '.join(names)}")

    def net_order(self, net_name: str) -> tuple[int, str]:
        """Return the nets, starting with those with the fewest pins."""
        return len(self.netlist.nets[net_name]), net_name

    def route_heavy(self, net_name: str) -> None:
        """Yield the thick tracks between the parts that carry the lamp current."""
        source = "supply" if self.netlist.has_type("supply") else "pi"
        ends = [
            end
            for end in self.netlist.ends_on(net_name)
            if self.netlist.parts[end.part].part_type in (source, *HEAVY_TYPES)
        ]
        if len(ends) < 2 or not self.netlist.has_type("terminal"):
            return
        self.track_claims, self.via_claims = self.find_claims(HEAVY_WIDTH), {}
        for path in self.grow_tree(net_name, ends):
            self.heavy_tracks += _to_tracks(net_name, path, HEAVY_WIDTH)
        self.heavy_ends[net_name] = ends

    def pad_points(self, end: PartPin) -> list[GridPoint]:
        """Return the grid points well within a pad, on both layers."""
        x, y, radius = self.pads[end]
        return [(*point, layer) for point in _points_within(x, y, radius / 2) for layer in (0, 1)]

    def find_claims(self, width: float) -> dict[GridPoint, str]:
        """Return the grid points at which a track of this width is allowed for one net only, or for none.

        These are the points too close to a pad, a thick track, a hole or the edge. The value is the name of the net, or "" if no
        net is allowed.
        """
        claims: dict[GridPoint, str] = {}
        reach = CLEARANCE + width / 2
        for end, (x, y, radius) in self.pads.items():
            for point in _points_within(x, y, radius + reach):
                for layer in (0, 1):
                    _claim(claims, (*point, layer), self.netlist.net_of(end) or "")
        for x, y in self.holes:
            claims.update(
                ((*point, layer), "") for point in _points_within(x, y, SCREW_HEAD / 2 + reach) for layer in (0, 1)
            )
        for track in self.heavy_tracks:
            for point in _points_near(track, reach):
                _claim(claims, (*point, track.layer), track.net)
        edge = math.ceil((EDGE + width / 2) / STEP)
        for column in range(self.columns):
            for row in range(self.rows):
                if min(column, self.columns - 1 - column, row, self.rows - 1 - row) < edge:
                    claims[column, row, 0] = claims[column, row, 1] = ""
        return claims

    def grow_tree(self, net_name: str, ends: Iterable[PartPin]) -> list[list[GridPoint]]:
        """Return the paths that connect the pads of a net, each from the tree to the next pad."""
        joined = self.heavy_ends.get(net_name) or [next(iter(ends))]
        tree = {point for end in joined for point in self.pad_points(end)}
        open_ends = {end: self.pad_points(end) for end in ends if end not in joined}
        paths = []
        while open_ends:
            goals = {point: end for end, points in open_ends.items() for point in points}
            path = self.find_path(net_name, tree, goals)
            paths.append(path)
            tree |= {*path, *open_ends.pop(goals[path[-1]])}
        return paths

    def find_path(self, net_name: str, tree: set[GridPoint], goals: dict[GridPoint, PartPin]) -> list[GridPoint]:
        """Find the cheapest path from a tree to any of the goals (A*)."""
        columns, rows = [column for column, _, _ in goals], [row for _, row, _ in goals]
        left, right, top, bottom = min(columns), max(columns), min(rows), max(rows)

        def min_cost(point: GridPoint) -> float:
            column, row, _ = point
            return max(left - column, 0, column - right) + max(top - row, 0, row - bottom)

        costs, before = dict.fromkeys(tree, 0.0), dict[GridPoint, GridPoint]()
        queue = [(min_cost(point), 0.0, point) for point in sorted(tree)]
        heapq.heapify(queue)
        while queue:
            _, cost, point = heapq.heappop(queue)
            if cost > costs[point]:
                continue
            if point in goals:
                path = [point]
                while path[-1] in before:
                    path.append(before[path[-1]])
                return path[::-1]
            for step, step_cost in self.list_steps(net_name, point):
                others = len(self.users[step] - {net_name}) if step in self.users else 0
                total = cost + (step_cost + self.history.get(step, 0.0)) * (1 + self.crowding * others)
                if total < costs.get(step, math.inf):
                    costs[step], before[step] = total, point
                    heapq.heappush(queue, (total + min_cost(step), total, step))
        raise RoutingFailed(f"{net_name}: no path to {', '.join(sorted(set(map(str, goals.values()))))}")

    def list_steps(self, net_name: str, point: GridPoint) -> Iterator[tuple[GridPoint, float]]:
        """Yield the next grid points of a track and their costs. The front favours rows, the back columns."""
        column, row, layer = point
        along_row, along_column = (1.0, 1.6) if layer == 0 else (1.6, 1.0)
        for step, cost in (
            ((column + 1, row, layer), along_row),
            ((column - 1, row, layer), along_row),
            ((column, row + 1, layer), along_column),
            ((column, row - 1, layer), along_column),
        ):
            if self.track_claims.get(step, net_name) == net_name:
                yield step, cost
        if self.via_claims and column % 2 == row % 2 == 0:
            turned = (column, row, 1 - layer)
            if all(self.via_claims.get(each, net_name) == net_name for each in (point, turned)):
                yield turned, VIA_COST


def _claim(claims: dict[GridPoint, str], point: GridPoint, net_name: str) -> None:
    claims[point] = net_name if claims.get(point, net_name) == net_name else ""


def _points_within(x: float, y: float, distance: float) -> Iterator[tuple[int, int]]:
    """Yield the grid points within a distance of a position."""
    for column in range(math.floor((x - distance) / STEP), math.ceil((x + distance) / STEP) + 1):
        for row in range(math.floor((y - distance) / STEP), math.ceil((y + distance) / STEP) + 1):
            if math.hypot(column * STEP - x, row * STEP - y) < distance - 1e-6:
                yield column, row


def _points_near(track: Track, distance: float) -> Iterator[tuple[int, int]]:
    """Yield the grid points within a distance of a straight track."""
    (start_x, start_y), (end_x, end_y) = sorted((track.start, track.end))
    count = max(1, round(math.dist(track.start, track.end) / STEP))
    for i in range(count + 1):
        x, y = start_x + (end_x - start_x) * i / count, start_y + (end_y - start_y) * i / count
        yield from _points_within(x, y, distance + track.width / 2)


def _to_tracks(net_name: str, path: list[GridPoint], width: float = TRACK_WIDTH) -> Iterator[Track]:
    corners = [path[0]]
    for previous, point, following in zip(path, path[1:], path[2:], strict=False):
        if [b - a for a, b in zip(previous, point, strict=True)] != [
            b - a for a, b in zip(point, following, strict=True)
        ]:
            corners.append(point)
    corners += path[1:][-1:]
    for start, end in pairwise(corners):
        places = [(round(column * STEP, 4), round(row * STEP, 4)) for column, row, _ in (start, end)]
        is_via = start[2] != end[2]
        yield Track(net_name, places[0], places[1], start[2], VIA_SIZE if is_via else width)
