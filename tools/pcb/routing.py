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

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, FUSED_NET, GROUND_NET, LAMP_SUPPLY_NET
from pond_hw.fabrication.netlist import CircuitPart, PartPin
from tools.pcb.board import FIDUCIAL_SIZE, SCREW_HEAD, TOOLING_HOLE_SIZE, Board, PlacedPart
from tools.pcb.footprints import Stub

STEP = 0.635
"""Distance between neighbouring grid lines, in mm."""

TRACK_WIDTH, VIA_SIZE, VIA_DRILL, CLEARANCE, EDGE = 0.25, 0.6, 0.3, 0.2, 0.6
HOLE_CLEARANCE = 0.3
"""Sizes in mm that every PCB manufacturer supports. Neighbouring tracks are 0.38 mm apart, a track and a via 0.21 mm."""

PAD_MARGIN = 0.02
"""Minimum distance in mm of a track's end from the edge of a rectangular pad."""

SAGITTA = 0.045
"""Distance in mm by which a track between two grid points may be nearer to the middle of a round pad than both."""

HEAVY_WIDTH, PORT_WIDTH = 2.0, 1.0
"""Width in mm of tracks for the lamp current, and the same on a board that a USB port powers. 4 A heats the wide track by about
10 K, and 0.5 A the other by less than 1 K (IPC-2221, outer layer, 35 µm).
"""

HEAVY_TYPES = ("fuse", "reservoir", "supply", "supply plug", "tvs", "cut-off transistor")
"""Types of the parts that carry the lamp current. The headers of row boards also do."""

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


class Terminal(NamedTuple):
    """Pad that a net must reach: its pin, position, half sizes in mm, and layers."""

    end: PartPin
    x: float
    y: float
    half_width: float
    half_height: float
    is_round: bool
    layers: tuple[int, ...]


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
        self.terminals: dict[PartPin, list[Terminal]] = defaultdict(list)
        for placed in board.parts:
            for pad, x, y in placed.pad_places():
                end = PartPin(placed.part.ref, pad.number)
                layers = (0, 1) if pad.drill else (0,)
                self.terminals[end].append(Terminal(end, x, y, *pad.half_size, not pad.height, layers))
        self.stubs = [
            (PartPin(placed.part.ref, stub.number), self.stub_track(placed, stub))
            for placed in board.parts
            for stub in placed.footprint.stubs
        ]
        self.holes = [(place, SCREW_HEAD / 2) for place in board.holes]
        self.holes += [(place, FIDUCIAL_SIZE) for place in board.fiducials]
        self.holes += [(place, TOOLING_HOLE_SIZE / 2 + HOLE_CLEARANCE) for place in board.tooling_holes]
        self.heavy_tracks: list[Track] = [track for _, track in self.stubs]
        self.heavy_ends: dict[str, list[Terminal]] = {}
        self.history: dict[GridPoint, float] = defaultdict(float)
        self.users: dict[GridPoint, set[str]] = defaultdict(set)
        self.crowding = 0.0
        self.track_claims: dict[GridPoint, str] = {}
        self.via_claims: dict[GridPoint, str] = {}

    def run(self) -> list[Track]:
        for net_name in (FIVE_VOLT_NET, FUSED_NET, LAMP_SUPPLY_NET, GROUND_NET):
            self.route_heavy_tracks(net_name)
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
                trees[net_name] = self.grow_tree(net_name, self.list_terminals(self.netlist.nets[net_name]))
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

    def stub_track(self, placed: PlacedPart, stub: Stub) -> Track:
        start, end = ((round(placed.x + x, 4), round(placed.y + y, 4)) for x, y in (stub.start, stub.end))
        net_name = self.netlist.net_of(PartPin(placed.part.ref, stub.number))
        return Track(net_name or "", start, end, 0, stub.width)

    def list_terminals(self, ends: Iterable[PartPin]) -> list[Terminal]:
        return [terminal for end in ends for terminal in self.terminals[end]]

    def route_heavy_tracks(self, net_name: str) -> None:
        """Route the thick tracks between the parts that carry the lamp current."""
        source = next(each for each in ("supply", "pi", "pico") if self.netlist.has_type(each))
        width = PORT_WIDTH if source == "pico" else HEAVY_WIDTH
        stub_ends = {end for end, _ in self.stubs}
        terminals = [
            terminal
            for terminal in self.list_terminals(self.netlist.ends_on(net_name))
            if self.carries_lamp_current(self.netlist.parts[terminal.end.part], source)
        ]
        # Pads with stubs are too narrow for a thick track: it leads to the holes with the same number.
        wide = [terminal for terminal in terminals if terminal.end not in stub_ends or len(terminal.layers) > 1]
        if len(wide) < 2 or not self.netlist.has_type("fuse"):
            return
        self.track_claims, self.via_claims = self.find_claims(width), {}
        for path in self.grow_tree(net_name, wide):
            self.heavy_tracks += _to_tracks(net_name, path, width)
        self.heavy_ends[net_name] = terminals

    def carries_lamp_current(self, part: CircuitPart, source: str) -> bool:
        return part.part_type in (source, *HEAVY_TYPES) or (part.part_type == "plug" and part.value.startswith("row "))

    def pad_points(self, terminal: Terminal) -> list[GridPoint]:
        """Return the grid points well within a pad, on its layers."""
        if terminal.is_round:
            points = _points_within(terminal.x, terminal.y, 0.6 * terminal.half_width)
        else:
            points = _points_in_box(terminal, -PAD_MARGIN)
        return [(*point, layer) for point in points for layer in terminal.layers]

    def free_points(self, net_name: str, terminal: Terminal) -> list[GridPoint]:
        """Return the grid points in a pad where a track may end, or all of them if there is none."""
        points = self.pad_points(terminal)
        return [point for point in points if self.track_claims.get(point, net_name) == net_name] or points

    def find_claims(self, width: float) -> dict[GridPoint, str]:
        """Return the grid points at which a track of this width is allowed for one net only, or for none.

        These are the points too close to a pad, a thick track, a hole or the edge. The value is the name of the net, or "" if no
        net is allowed. A via is not allowed in a pad on the front.
        """
        claims: dict[GridPoint, str] = {}
        reach = CLEARANCE + width / 2
        for terminal in (terminal for terminals in self.terminals.values() for terminal in terminals):
            net_name = self.netlist.net_of(terminal.end) or ""
            if width == VIA_SIZE and terminal.layers == (0,):
                net_name = ""
            if terminal.is_round:
                points = _points_within(terminal.x, terminal.y, terminal.half_width + reach + SAGITTA)
            else:
                points = _points_in_box(terminal, reach)
            for point in points:
                for layer in terminal.layers:
                    _claim(claims, (*point, layer), net_name)
        for (x, y), radius in self.holes:
            claims.update(((*point, layer), "") for point in _points_within(x, y, radius + reach) for layer in (0, 1))
        for track in self.heavy_tracks:
            for point in _points_near(track, reach):
                _claim(claims, (*point, track.layer), track.net)
        edge = math.ceil((EDGE + width / 2) / STEP)
        for column in range(self.columns):
            for row in range(self.rows):
                if min(column, self.columns - 1 - column, row, self.rows - 1 - row) < edge:
                    claims[column, row, 0] = claims[column, row, 1] = ""
        return claims

    def grow_tree(self, net_name: str, terminals: list[Terminal]) -> list[list[GridPoint]]:
        """Return the paths that connect the pads of a net, each from the tree to the next pad."""
        joined = self.heavy_ends.get(net_name) or terminals[:1]
        tree = {point for terminal in joined for point in self.free_points(net_name, terminal)}
        open_ends = {terminal: self.free_points(net_name, terminal) for terminal in terminals if terminal not in joined}
        paths = []
        while open_ends:
            goals = {point: end for end, points in open_ends.items() for point in points}
            path = self.find_path(net_name, tree, goals)
            paths.append(path)
            tree |= {*path, *open_ends.pop(goals[path[-1]])}
        return paths

    def find_path(self, net_name: str, tree: set[GridPoint], goals: dict[GridPoint, Terminal]) -> list[GridPoint]:
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
        raise RoutingFailed(f"{net_name}: no path to {', '.join(sorted({str(goal.end) for goal in goals.values()}))}")

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


def _points_in_box(terminal: Terminal, distance: float) -> Iterator[tuple[int, int]]:
    """Yield the grid points within a distance of a rectangular pad, or inside its edges if the distance is negative."""
    x, y, inner = terminal.x, terminal.y, min(distance, 0.0)
    width, height, outer = terminal.half_width + inner, terminal.half_height + inner, max(distance, 1e-6)
    for column in range(math.floor((x - width - outer) / STEP), math.ceil((x + width + outer) / STEP) + 1):
        for row in range(math.floor((y - height - outer) / STEP), math.ceil((y + height + outer) / STEP) + 1):
            across, along = abs(column * STEP - x) - width, abs(row * STEP - y) - height
            if math.hypot(max(across, 0.0), max(along, 0.0)) < outer - 1e-6 or max(across, along) <= 0:
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
