"""Hands of people at a simulated table, whose motions take time and cause touches.

A motion is planned when it begins: the position of each piece over time. Several hands, of one person or of several
people, may move at once. All times are in seconds and random within a range.

A difference must be stable for a quarter of a second before it counts. Accidental contacts (hovering, fumbling, crossing a
cell) last less than a fifth of a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import hypot
from random import Random
from typing import Any, NamedTuple

from pond_hw.messages.message import as_message
from pond_hw.rules import Cell, PondError, Side, get_grid
from pond_hw.simulator.board_with_pieces import PhysicalPiece, SimulatedTable
from pond_hw.simulator.hall_sensors import TICKS_PER_SECOND, NearestMagnet, tick_at
from pond_hw.simulator.sensor_faults import SensorFault

CARRY_HEIGHT = 1.5
"""Height above the board, in cells, at which no sensor detects a magnet."""

ValueRange = tuple[float, float]
"""Minimum and maximum."""

LIFT_SECONDS: ValueRange = (0.08, 0.2)
"""Time for lifting or lowering a piece."""

CARRY_SECONDS: ValueRange = (0.05, 0.15)
"""Time for crossing a cell above the board."""

THINK_SECONDS: ValueRange = (0.0, 0.6)
"""Time for which a hand with a piece hesitates."""

CROSS_SECONDS: ValueRange = (0.05, 0.18)
"""Time for crossing a cell on the board."""

DIP_SECONDS: ValueRange = (0.03, 0.06)
"""Time for lowering a piece to a height where it is sensed weakly, or for raising it again."""

HOVER_SECONDS: ValueRange = (0.0, 0.08)
"""Time for which a piece stays that low."""

SLIP_SECONDS: ValueRange = (0.0, 0.1)
"""Time before a piece slips out of the hand."""

REGRIP_SECONDS: ValueRange = (0.09, 0.2)
"""Time before a piece is gripped again."""

HOVER_HEIGHT: ValueRange = (0.15, 0.5)
"""Hovering height in cells. From 0.45 on, the piece is not detected."""

FLIP_SECONDS: ValueRange = (0.4, 2.5)
"""Time for turning a piece over in the hand."""

ROLL_SECONDS: ValueRange = (0.05, 0.3)
"""Time until a knocked-over piece lies still."""

SWEEP_SECONDS: ValueRange = (0.3, 0.9)
"""Time in which a sleeve sweeps over the board."""

TILT_HEIGHT: ValueRange = (0.0, 0.3)
"""Height in cells of a sliding piece. On the way, both cells detect a low piece, and neither detects a high one."""

HOVER_SHARE, FUMBLE_SHARE, SLIDE_SHARE = 0.3, 0.2, 0.3
"""Fraction of moves that hover on the way, of moves that set the piece down twice, and of new pieces that slide in from an
edge.
"""

AIM_ERROR = 0.1
"""Maximum distance of a piece from the middle of its cell, in cells."""

OFF_CENTRE_DISTANCE: ValueRange = (0.28, 0.42)
"""Distance of a badly placed piece from the middle of its cell, in cells."""

ROLL_ERROR = 0.45
"""Maximum offset of a rolled piece to each side, in cells. Between two cells, it is detected in neither or both."""


class PathPoint(NamedTuple):
    """Position of a piece at a time in seconds: cells right of a1, cells above a1, and height in cells."""

    instant: float
    x: float
    y: float
    height: float


class PiecePath:
    """Path of a piece in straight lines from point to point. The piece rests before the first point."""

    __slots__ = ("begun", "end", "face", "into", "leg", "near", "next", "points", "token")

    def __init__(
        self,
        token: PhysicalPiece,
        points: Sequence[PathPoint],
        end: Cell | None = None,
        *,
        into: list[PhysicalPiece] | None = None,
        face: str | None = None,
    ) -> None:
        self.token, self.points, self.end, self.into, self.face = token, points, end, into, face
        self.begun = False
        self.leg = 0
        self.near: dict[int, float] = {}  # squared distances of the sensors in reach
        self.next = _first_tick_from(points[0].instant)

    @property
    def ends_at(self) -> float:
        """Time of arrival."""
        return self.points[-1].instant


class HandTable(SimulatedTable):
    """Simulated table whose pieces can also move along paths, which takes time.

    While a hand is moving, the sensors follow the path, so call `poll` as time passes.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._ways: list[PiecePath] = []
        super().__init__(*arguments, **options)

    @property
    def sensor_faults(self) -> tuple[SensorFault, ...]:
        """Current and scheduled sensor faults."""
        return tuple(broken.fault for broken in self._faults)

    @property
    def is_busy(self) -> bool:
        """True while a hand is moving."""
        return bool(self._ways)

    def turn_over(self, cell: Cell, face: str | None = None) -> PhysicalPiece:
        """Lift a piece, turn it over and put it back, all at the same time.

        Debouncing sensors do not notice this; use lift, wait and drop for them.

        Raises:
            PondError: the cell is empty or unknown.
        """
        token = self.lift(cell)
        token.face = face or token.face
        return self.drop(cell)

    def clear_board(self) -> None:
        """Take off all pieces that rest on the board, but leave those in a hand."""
        self.poll(self.now())
        numbers: list[int] = []
        for token in [token for token in self.standing_pieces.values() if not self.is_handled(token)]:
            self.off_board_pieces.append(token)
            numbers += self._lift_off(token)
        self._sense_change(numbers)

    def remove_faults(self, fault: SensorFault | None = None) -> None:
        """Remove a fault, or all of them."""
        self.poll(self.now())
        named = fault.for_board(self.size, self._seed) if fault else None
        for broken in [each for each in self._faults if named in (None, each.fault)]:
            self._end_fault(broken)

    def piece_at(self, cell: Cell) -> PhysicalPiece:
        """Return the piece that rests on a cell.

        Raises:
            PondError: the cell is empty or unknown, or a hand holds the piece.
        """
        token = super().piece_at(cell)
        if self.is_handled(token):
            raise PondError(as_message(f"A hand has got hold of the piece on {cell} already."))
        return token

    def require_free(self, cell: Cell) -> None:
        """Check that a piece may be put on a cell.

        Raises:
            PondError: the cell is occupied, unknown, or the target of a moving piece.
        """
        super().require_free(cell)
        if any(way.end == cell for way in self._ways):
            raise PondError(as_message(f"A piece is on its way to {cell} already."))

    def require_cell(self, cell: Cell) -> None:
        """Check that the board has a cell.

        Raises:
            PondError: the board has no such cell.
        """
        self._sensor_number(cell)

    def is_handled(self, token: PhysicalPiece) -> bool:
        """Return True if a hand holds the piece."""
        return any(way.token is token for way in self._ways)

    def start_path(self, way: PiecePath) -> None:
        """Start moving a piece along a path."""
        self._ways.append(way)

    @property
    def _is_settled(self) -> bool:
        return not self._ways and super()._is_settled

    def _next_tick(self) -> int:
        """Return the next tick with a possible change, or NEVER."""
        tick = super()._next_tick()
        for way in self._ways:
            tick = min(tick, max(way.next, self._tick + 1))
        return tick

    def _advance_tick(self) -> bool:
        if self._ways:
            self._move_pieces()
        return super()._advance_tick()

    def _nearest_magnet(self, number: int) -> NearestMagnet:
        best = super()._nearest_magnet(number)
        for way in self._ways:
            square = way.near.get(number)
            if square is not None and square < best.squared_distance:
                best = NearestMagnet(square, self._piece_level(way.token))
        return best

    def _update_reach(self) -> None:
        super()._update_reach()
        for way in self._ways:
            if way.begun:
                way.next = self._tick + 1

    def _move_pieces(self) -> None:
        """Move every moving piece to its position at this tick."""
        tick, at = self._tick, self._tick / TICKS_PER_SECOND
        arrived = False
        for way in self._ways:
            if way.next > tick:
                continue
            if not way.begun:
                way.begun = True
                self._halls.check_at_next_tick(self._lift_off(way.token))
            self._halls.check_at_next_tick(way.near)
            points = way.points
            while way.leg < len(points) - 1 and points[way.leg + 1].instant <= at:
                way.leg += 1
            if way.leg == len(points) - 1:
                arrived = True
                self._finish_path(way)
                continue
            way.near, way.next = self._sensors_near(way, at), self._next_path_tick(way)
            self._halls.check_at_next_tick(way.near)
        if arrived:
            self._ways = [way for way in self._ways if way.leg < len(way.points) - 1]

    def _finish_path(self, way: PiecePath) -> None:
        token, last = way.token, way.points[-1]
        if way.face:
            token.face = way.face
        if way.end is not None:
            token.x, token.y = last.x, last.y
            self._halls.check_at_next_tick(self._set_down(token, way.end))
        elif way.into is not None:
            way.into.append(token)

    def _sensors_near(self, way: PiecePath, at: float) -> dict[int, float]:
        """Return the sensors that may detect a moving piece, with their squared distances."""
        (begun, x, y, height), (ended, to_x, to_y, to_height) = way.points[way.leg : way.leg + 2]
        share = (at - begun) / (ended - begun)
        height += (to_height - height) * share
        if height >= self._reach:
            return {}
        around = self._sensors_around(x + (to_x - x) * share, y + (to_y - y) * share)
        return {number: height * height + square for number, square in around}

    def _next_path_tick(self, way: PiecePath) -> int:
        """Return the next tick at which a moving piece may be sensed differently."""
        here, there = way.points[way.leg : way.leg + 2]
        still = here[1:] == there[1:]
        if still or (here.height >= CARRY_HEIGHT and there.height >= CARRY_HEIGHT):
            return max(_first_tick_from(there.instant), self._tick + 1)
        return self._tick + 1


def _first_tick_from(at: float) -> int:
    """Return the first tick at or after a time in seconds."""
    tick = tick_at(at)
    return tick if tick / TICKS_PER_SECOND == at else tick + 1


class HandMotion(NamedTuple):
    """Movement of a hand."""

    table: HandTable
    ends_at: float
    end_cells: Mapping[PhysicalPiece, Cell | None]

    @property
    def is_done(self) -> bool:
        """True if every piece has arrived."""
        return not any(self.table.is_handled(token) for token in self.end_cells)


class _PathBuilder:
    """Path of a piece under construction."""

    def __init__(self, at: float, x: float, y: float, height: float = 0.0) -> None:
        self.points = [PathPoint(at, x, y, height)]

    def move_to(self, seconds: float, x: float, y: float, height: float = 0.0) -> None:
        """Move to a point, arriving after this many seconds."""
        self.points.append(PathPoint(self.points[-1].instant + seconds, x, y, height))

    def stay_for(self, seconds: float) -> None:
        """Stay in place for this many seconds."""
        if seconds > 0.0:
            _, *where = self.points[-1]
            self.move_to(seconds, *where)

    def change_height(self, seconds: float, height: float) -> None:
        """Change the height without moving sideways."""
        _, x, y, _ = self.points[-1]
        self.move_to(seconds, x, y, height)


class SimulatedHands:
    """Hands of one person.

    Every method starts a motion immediately, or `after` some seconds, and returns it. It raises a PondError if a cell is
    unknown, if there is no piece to take, or if a target is occupied.

    Args:
        table: table to act on.
        random: random number generator.

    Attributes:
        held_pieces: pieces that were picked up and not put down.
    """

    def __init__(self, table: HandTable, random: Random) -> None:
        self.table, self.random = table, random
        self.held_pieces: list[PhysicalPiece] = []
        self._grid = get_grid(table.size)

    def move(
        self, source: Cell, target: Cell, *, hovers: Sequence[Cell] | None = None, after: float = 0.0
    ) -> HandMotion:
        """Lift a piece and put it down elsewhere, perhaps hovering over some cells in between.

        Args:
            source: cell of the piece.
            target: new cell of the piece.
            hovers: cells over which it is lowered on the way; random by default.
            after: seconds until the hand begins.
        """
        token = self._take_piece(source)
        self.table.require_free(target)
        path = self._lift_path(token, after)
        if hovers is None:
            hovers = self._random_hovers(source, target)
        for cell in hovers:
            self._hover_over(path, cell)
        self._pause_to_think(path)
        return self._put_piece(token, path, target)

    def slide(self, path: Sequence[Cell], pauses: Sequence[float] = (), *, after: float = 0.0) -> HandMotion:
        """Slide a piece over the board along these cells, from the first to the last.

        Args:
            path: the cells, each next to the previous one.
            pauses: pauses on the cells between the first and the last; none by default.
            after: seconds until the hand begins.
        """
        token = self._take_piece(path[0])
        for before, cell in pairwise(path):
            if cell != path[0]:
                self.table.require_free(cell)
            if not self._grid.mask_by_cell[cell] & self._grid.neighbour_masks[self._grid.mask_by_cell[before]]:
                raise PondError(
                    as_message(f"{cell} is not beside {before}: no piece can be slid from one to the other.")
                )
        way = _PathBuilder(self._start_instant(after), token.x, token.y)
        self._slide_along(way, path[1:], pauses)
        return self._start_motion([(token, way, path[-1])])

    def place(
        self, cell: Cell, owner: Side | None = None, *, slide: bool | None = None, after: float = 0.0
    ) -> HandMotion:
        """Put a new piece on the board, from above or by sliding it in from the nearest free edge.

        Args:
            cell: target cell.
            owner: owner of the piece.
            slide: True to slide it in; random by default. It never slides through other pieces.
            after: seconds until the hand begins.
        """
        self.table.require_free(cell)
        token = self.table.new_piece(owner)
        inwards = self._slide_in_path(cell) if (self._random_chance(SLIDE_SHARE) if slide is None else slide) else None
        if inwards is None:
            path = self._path_from_beside(after)
            for each in self._random_hovers(cell, cell):
                self._hover_over(path, each)
            return self._put_piece(token, path, cell)
        (x, y), cells = inwards
        path = _PathBuilder(self._start_instant(after), x, y)
        self._slide_along(path, cells, ())
        return self._start_motion([(token, path, cell)])

    def hover(
        self, cell: Cell, seconds: float | None = None, owner: Side | None = None, *, after: float = 0.0
    ) -> HandMotion:
        """Hold a piece low over a cell for a moment: the piece in the hand, or a new one.

        Args:
            cell: the cell.
            seconds: duration; by default too short to count.
            owner: owner of a new piece.
            after: seconds until the hand begins.
        """
        self.table.require_cell(cell)
        token, into = (
            (self.held_pieces.pop(), self.held_pieces) if self.held_pieces else (self.table.new_piece(owner), None)
        )
        path = self._path_from_beside(after)
        self._hover_over(path, cell, seconds)
        return self._start_motion([(token, path, None)], into)

    def fumble(self, cell: Cell, times: int | None = None, *, after: float = 0.0) -> HandMotion:
        """Grip a piece, drop it, and finally put it back.

        Args:
            cell: cell of the piece.
            times: number of times that it leaves the board; by default one to three.
            after: seconds until the hand begins.
        """
        token = self._take_piece(cell)
        path = _PathBuilder(self._start_instant(after), token.x, token.y)
        for number in range(self.random.randint(1, 3) if times is None else times):
            if number:
                path.stay_for(self._random_between(REGRIP_SECONDS))
            path.change_height(self._random_between(DIP_SECONDS), self.random.uniform(0.7, 1.0))
            path.stay_for(self._random_between(SLIP_SECONDS))
            path.change_height(self._random_between(DIP_SECONDS), 0.0)
        return self._start_motion([(token, path, cell)])

    def lift_two(self, one: Cell, other: Cell, seconds: float | None = None, *, after: float = 0.0) -> HandMotion:
        """Lift two pieces at nearly the same time, hold them for a while, and put both back."""
        if one == other:
            raise PondError(as_message(f"Only one piece stands on {one}: name two cells."))
        tokens = [self._take_piece(cell) for cell in (one, other)]
        seconds = self._random_between(FLIP_SECONDS) if seconds is None else seconds
        moves = []
        for token, cell in zip(tokens, (one, other), strict=True):
            path = self._lift_path(token, after + self._random_between(HOVER_SECONDS))
            path.stay_for(seconds)
            self._lower_onto(path, cell)
            moves.append((token, path, cell))
        return self._start_motion(moves)

    def knock_over(self, cell: Cell, to: Cell | None = None, *, off: bool = False, after: float = 0.0) -> HandMotion:
        """Knock a piece over, so that it jumps or rolls somewhere and lands off-centre.

        Args:
            cell: cell of the piece.
            to: cell where it ends; by default a free cell nearby, or off the board.
            off: True if it falls off the board.
            after: seconds until it happens.
        """
        token = self._take_piece(cell)
        if to is not None:
            self.table.require_free(to)
        elif not off and not self._random_chance(0.2):
            to = self._nearest_free_cell(cell, set())
        return self._start_motion([(token, self._roll_path(token, to, after), to)], self.table.off_board_pieces)

    def sweep(self, cells: Iterable[Cell], *, after: float = 0.0) -> HandMotion:
        """Brush many pieces with a sleeve. Each is pushed one or two cells in the same direction, or off the board."""
        cells = list(dict.fromkeys(cells))
        tokens = {cell: self._take_piece(cell) for cell in cells}
        u, v = self.random.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
        whole = self._random_between(SWEEP_SECONDS)
        taken: set[Cell] = set()
        moves = []
        for cell in cells:
            x, y = self._grid.cell_coordinates(cell)
            steps = self.random.randint(1, 2)
            to = self._cell_at(x + steps * u, y + steps * v)
            if to is not None and (to in taken or not self._is_free(to)):
                to = self._nearest_free_cell(cell, taken)
            if to:
                taken.add(to)
            begun = after + self.random.uniform(0.0, whole - ROLL_SECONDS[1] if whole > ROLL_SECONDS[1] else 0.0)
            moves.append((tokens[cell], self._roll_path(tokens[cell], to, begun, height=0.0), to))
        return self._start_motion(moves, self.table.off_board_pieces)

    def put_off_centre(
        self, cell: Cell, towards: Cell | None = None, by: float | None = None, *, after: float = 0.0
    ) -> HandMotion:
        """Lift a piece and put it back off-centre.

        Args:
            cell: cell of the piece.
            towards: neighbouring cell towards which it is put; random by default.
            by: distance from the middle in cells, less than half a cell. From 0.45 on, it is not sensed.
            after: seconds until the hand begins.
        """
        token = self._take_piece(cell)
        path = self._lift_path(token, after)
        bit = self._grid.mask_by_cell[cell]
        beside = self._grid.list_cells(self._grid.neighbour_masks[bit])
        if towards is None:
            towards = self.random.choice(beside)
        self.table.require_cell(towards)
        (x, y), (to_x, to_y) = self._grid.cell_coordinates(cell), self._grid.cell_coordinates(towards)
        by = self._random_between(OFF_CENTRE_DISTANCE) if by is None else by
        self._carry_to(path, x + by * (to_x - x), y + by * (to_y - y))
        path.change_height(self._random_between(LIFT_SECONDS), 0.0)
        return self._start_motion([(token, path, cell)])

    def turn_face(
        self, cell: Cell, seconds: float | None = None, face: str | None = None, *, after: float = 0.0
    ) -> HandMotion:
        """Lift a piece, turn it over in the hand, and put it back.

        Args:
            cell: cell of the piece.
            seconds: time off the board; random by default.
            face: face that is up afterwards.
            after: seconds until the hand begins.
        """
        token = self._take_piece(cell)
        path = self._lift_path(token, after)
        path.stay_for(self._random_between(FLIP_SECONDS) if seconds is None else seconds)
        return self._put_piece(token, path, cell, face=face)

    def take_off(self, cell: Cell, *, after: float = 0.0) -> HandMotion:
        """Take a piece off the board and put it down beside it."""
        token = self._take_piece(cell)
        path = self._lift_path(token, after)
        path.stay_for(self._random_between(CARRY_SECONDS))
        return self._start_motion([(token, path, None)], self.table.off_board_pieces)

    def pick_up(self, cell: Cell, *, after: float = 0.0) -> HandMotion:
        """Lift a piece and keep it in the hand."""
        token = self._take_piece(cell)
        return self._start_motion([(token, self._lift_path(token, after), None)], self.held_pieces)

    def put_down(self, cell: Cell, *, after: float = 0.0) -> HandMotion:
        """Put the piece that was picked up last on a cell."""
        if not self.held_pieces:
            raise PondError(as_message("There is no piece in this hand: pick one up first."))
        self.table.require_free(cell)
        return self._put_piece(self.held_pieces.pop(), self._path_from_beside(after), cell)

    # Building blocks of the motions.

    def _random_between(self, between: ValueRange) -> float:
        return self.random.uniform(*between)

    def _random_chance(self, share: float) -> bool:
        return self.random.random() < share

    def _start_instant(self, after: float) -> float:
        return self.table.now() + after

    def _take_piece(self, cell: Cell) -> PhysicalPiece:
        return self.table.piece_at(cell)

    def _lift_path(self, token: PhysicalPiece, after: float) -> _PathBuilder:
        path = _PathBuilder(self._start_instant(after), token.x, token.y)
        path.change_height(self._random_between(LIFT_SECONDS), CARRY_HEIGHT)
        return path

    def _path_from_beside(self, after: float) -> _PathBuilder:
        return _PathBuilder(
            self._start_instant(after), -2.0, self.random.uniform(0.0, self.table.size - 1.0), CARRY_HEIGHT
        )

    def _carry_to(self, path: _PathBuilder, x: float, y: float) -> None:
        _, from_x, from_y, _ = path.points[-1]
        path.move_to(self._random_between(CARRY_SECONDS) * (0.5 + hypot(x - from_x, y - from_y)), x, y, CARRY_HEIGHT)

    def _hover_over(self, path: _PathBuilder, cell: Cell, seconds: float | None = None) -> None:
        self._carry_to(path, *self._aimed_point(self._grid.cell_coordinates(cell)))
        path.change_height(self._random_between(DIP_SECONDS), self._random_between(HOVER_HEIGHT))
        path.stay_for(self._random_between(HOVER_SECONDS) if seconds is None else seconds)
        path.change_height(self._random_between(DIP_SECONDS), CARRY_HEIGHT)

    def _lower_onto(self, path: _PathBuilder, cell: Cell) -> None:
        self._carry_to(path, *self._landing_point(cell))
        path.change_height(self._random_between(LIFT_SECONDS), 0.0)
        if self._random_chance(FUMBLE_SHARE):
            path.change_height(self._random_between(DIP_SECONDS), self.random.uniform(0.3, 0.8))
            path.change_height(self._random_between(DIP_SECONDS), 0.0)

    def _put_piece(self, token: PhysicalPiece, path: _PathBuilder, cell: Cell, face: str | None = None) -> HandMotion:
        self._lower_onto(path, cell)
        return self._start_motion([(token, path, cell)], face=face)

    def _slide_along(self, path: _PathBuilder, cells: Sequence[Cell], pauses: Sequence[float]) -> None:
        tilt = self._random_between(TILT_HEIGHT)
        path.change_height(self._random_between(DIP_SECONDS), tilt)
        for number, cell in enumerate(cells):
            last = number == len(cells) - 1
            x, y = self._landing_point(cell) if last else self._aimed_point(self._grid.cell_coordinates(cell))
            path.move_to(self._random_between(CROSS_SECONDS), x, y, tilt)
            if not last:
                path.stay_for(pauses[number] if number < len(pauses) else 0.0)
        path.change_height(self._random_between(DIP_SECONDS), 0.0)

    def _roll_path(
        self, token: PhysicalPiece, to: Cell | None, after: float, height: float | None = None
    ) -> _PathBuilder:
        path = _PathBuilder(self._start_instant(after), token.x, token.y)
        if to:
            x, y = (place + self._random_offset(ROLL_ERROR) for place in self._grid.cell_coordinates(to))
        else:
            x, y = self._point_off_board(token.x, token.y)
        seconds = self._random_between(ROLL_SECONDS)
        path.move_to(
            seconds / 2,
            (x + token.x) / 2,
            (y + token.y) / 2,
            self.random.uniform(0.0, CARRY_HEIGHT) if height is None else height,
        )
        path.move_to(seconds / 2, x, y)
        return path

    def _point_off_board(self, x: float, y: float) -> tuple[float, float]:
        """Return a point off the board, over the nearest edge."""
        far = self.table.size + 1.0
        return min(((-2.0, y), (far, y), (x, -2.0), (x, far)), key=lambda place: abs(place[0] - x) + abs(place[1] - y))

    def _aimed_point(self, place: tuple[float, float]) -> tuple[float, float]:
        """Return a random point near the middle of a cell, as precise as people aim."""
        return place[0] + self._random_offset(AIM_ERROR), place[1] + self._random_offset(AIM_ERROR)

    def _landing_point(self, cell: Cell) -> tuple[float, float]:
        """Return the point where a piece meant for the middle of a cell lands."""
        place = self._grid.cell_coordinates(cell)
        x, y = (
            middle + min(OFF_CENTRE_DISTANCE[1], max(-OFF_CENTRE_DISTANCE[1], off - middle))
            for middle, off in zip(place, self._aimed_point(self.table.landing_point(cell)), strict=True)
        )
        return x, y

    def _random_offset(self, most: float) -> float:
        return self.random.uniform(-most, most)

    def _pause_to_think(self, path: _PathBuilder) -> None:
        path.stay_for(self._random_between(THINK_SECONDS))

    def _random_hovers(self, source: Cell, target: Cell) -> list[Cell]:
        """Return the cells that a hand hovers over on its way: usually none, otherwise one or two near the target."""
        if not self._random_chance(HOVER_SHARE):
            return []
        near = self._grid.list_cells(self._grid.neighbour_masks[self._grid.mask_by_cell[target]])
        return self.random.sample([source, target, *near], self.random.randint(1, 2))

    def _slide_in_path(self, cell: Cell) -> tuple[tuple[float, float], list[Cell]] | None:
        """Return a path for sliding a new piece to a cell from beside the board, or None."""
        x, y = self._grid.cell_coordinates(cell)
        ways = []
        for u, v in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            cells, at = [cell], (x - u, y - v)
            while (outer := self._cell_at(*at)) and self._is_free(outer):
                cells.insert(0, outer)
                at = (at[0] - u, at[1] - v)
            if not outer:
                ways.append(((float(at[0]), float(at[1])), cells))
        fewest = min((len(cells) for _, cells in ways), default=0)
        nearest = [way for way in ways if len(way[1]) == fewest]
        return self.random.choice(nearest) if nearest else None

    def _cell_at(self, x: int, y: int) -> Cell | None:
        size = self.table.size
        return self._grid.cells[y * size + x] if 0 <= x < size and 0 <= y < size else None

    def _is_free(self, cell: Cell) -> bool:
        try:
            self.table.require_free(cell)
        except PondError:
            return False
        return True

    def _nearest_free_cell(self, cell: Cell, taken: Iterable[Cell]) -> Cell | None:
        """Return one of the nearest free cells, or None."""
        x, y = self._grid.cell_coordinates(cell)
        free = {
            each: self._grid.cell_coordinates(each)
            for each in self._grid.cells
            if each not in taken and self._is_free(each)
        }
        away = {each: abs(x - u) + abs(y - v) for each, (u, v) in free.items()}
        nearest = [each for each, distance in away.items() if distance == min(away.values())]
        return self.random.choice(nearest) if nearest else None

    def _start_motion(
        self,
        moves: Sequence[tuple[PhysicalPiece, _PathBuilder, Cell | None]],
        into: list[PhysicalPiece] | None = None,
        *,
        face: str | None = None,
    ) -> HandMotion:
        for token, path, cell in moves:
            self.table.start_path(PiecePath(token, path.points, cell, into=into, face=face))
        until = max(path.points[-1].instant for _, path, _ in moves)
        return HandMotion(self.table, until, {token: cell for token, _, cell in moves})
