"""The hands of a person at a simulated table: they take their time, and what the sensors feel of it is up to them.

What a hand does is laid down when it begins: where each piece is when. Several hands may be at work at once, those of
one person and of several. All times are in seconds and drawn between two ends.

A difference has to hold still for a quarter of a second before it counts. So what ordinary hands do by the way, to
hover, to fumble, to cross a cell, is over in less than a fifth of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import hypot
from random import Random
from typing import NamedTuple

from pond_hw.rules import Cell, PondError, Side, grid
from pond_hw.simulator.table import HIGH, Point, SimulatedTable, Token, Way

Range = tuple[float, float]
"""The least and the most."""

LIFT: Range = (0.08, 0.2)
"""From the board up, or down to it."""

CARRY: Range = (0.05, 0.15)
"""Over one cell, above the board."""

THINK: Range = (0.0, 0.6)
"""How long a hand with a piece in it makes up its mind."""

CROSS: Range = (0.05, 0.18)
"""Over one cell, on the board."""

DIP: Range = (0.03, 0.06)
"""From above down to where a piece is felt weakly, or up again."""

HOVER: Range = (0.0, 0.08)
"""How long it stays there."""

SLIPPING: Range = (0.0, 0.1)
"""How long a piece is held that slips out of the hand."""

REGRIP: Range = (0.09, 0.2)
"""How long it stands there before it is taken hold of again."""

HOVER_HEIGHT: Range = (0.15, 0.5)
"""How far from the board that is, in cells; from 0.45 on it is not felt."""

FLIP: Range = (0.4, 2.5)
"""To turn a piece over in the hand."""

ROLL: Range = (0.05, 0.3)
"""For a piece that was knocked over to lie where it ends."""

SWEEP: Range = (0.3, 0.9)
"""For a sleeve to be through with what it pushes."""

TILT: Range = (0.0, 0.3)
"""How high a piece that is slid is held, in cells: low, both cells feel it in between; high, none does."""

HOVERS, FUMBLES, SLIDES = 0.3, 0.2, 0.3
"""The share of moves on which a hand hovers over some cell on its way; on which it sets the piece down twice; and of
new pieces that are slid in from an edge."""

AIM = 0.1
"""How far from the middle of a cell people put pieces, at most, in cells."""

OFF_CENTRE: Range = (0.28, 0.42)
"""How far they stand from it when they are put badly."""

ROLLS = 0.45
"""How far from it to each side a piece lies that has rolled there: it may be between cells, felt in none or in both."""


class Motion(NamedTuple):
    """What a hand is doing.

    Attributes:
        table: where.
        until: when it will be done, in seconds on the table's clock. What the sensors feel comes a little later.
        ends: where each piece that it moves stands then; None for those off the board.
    """

    table: SimulatedTable
    until: float
    ends: Mapping[Token, Cell | None]

    @property
    def done(self) -> bool:
        """Whether everything is where it goes."""
        return not any(self.table.handled(token) for token in self.ends)


class _Path:
    """Where a piece is when, as it is laid down."""

    def __init__(self, at: float, x: float, y: float, height: float = 0.0) -> None:
        self.points = [Point(at, x, y, height)]

    def to(self, seconds: float, x: float, y: float, height: float = 0.0) -> None:
        """Be there after so many seconds."""
        self.points.append(Point(self.points[-1].at + seconds, x, y, height))

    def wait(self, seconds: float) -> None:
        """Stay."""
        if seconds > 0.0:
            _, *where = self.points[-1]
            self.to(seconds, *where)

    def over(self, seconds: float, height: float) -> None:
        """Be at another height above the same place."""
        _, x, y, _ = self.points[-1]
        self.to(seconds, x, y, height)


class Hands:
    """The hands of one person.

    Every method begins at once, or `after` so many seconds, and says until when it lasts. It raises a PondError if a
    cell is not on the board, if no piece is where one is to be taken, or if one is where another is to be put.

    Args:
        table: where they are.
        random: their dice.

    Attributes:
        held: the pieces that were picked up and not put down.
    """

    def __init__(self, table: SimulatedTable, random: Random) -> None:
        self.table, self.random = table, random
        self.held: list[Token] = []
        self._grid = grid(table.size)

    def move(self, source: Cell, target: Cell, *, hovers: Sequence[Cell] | None = None, after: float = 0.0) -> Motion:
        """Lift a piece and put it down elsewhere, perhaps hovering over some cells in between.

        Args:
            source: where it stands.
            target: where it goes.
            hovers: the cells over which it is lowered on the way; by default the dice say.
            after: seconds until the hand begins.
        """
        token = self._taken(source)
        self.table.must_be_free(target)
        path = self._lifted(token, after)
        if hovers is None:
            hovers = self._some_hovers(source, target)
        for cell in hovers:
            self._hover_over(path, cell)
        self._think(path)
        return self._put(token, path, target)

    def slide(self, path: Sequence[Cell], pauses: Sequence[float] = (), *, after: float = 0.0) -> Motion:
        """Push a piece over the board along these cells; it begins on the first and stays on the last.

        Args:
            path: the cells, each beside the one before.
            pauses: how long it stops on the second, the third and so on, up to the last but one; by default nowhere.
            after: seconds until the hand begins.
        """
        token = self._taken(path[0])
        for before, cell in pairwise(path):
            if cell != path[0]:
                self.table.must_be_free(cell)
            if not self._grid.bit[cell] & self._grid.beside[self._grid.bit[before]]:
                raise PondError(f"{cell} is not beside {before}: no piece can be slid from one to the other.")
        way = _Path(self._begin(after), token.x, token.y)
        self._slide_along(way, path[1:], pauses)
        return self._go([(token, way, path[-1])])

    def place(self, cell: Cell, owner: Side | None = None, *, slide: bool | None = None, after: float = 0.0) -> Motion:
        """Put a new piece on the board; let it down from above, or slide it in from the nearest edge that is free.

        Args:
            cell: where.
            owner: whose it is.
            slide: whether it is slid in; by default the dice say. From an edge with pieces before it, it is not.
            after: seconds until the hand begins.
        """
        self.table.must_be_free(cell)
        token = self.table.new(owner)
        inwards = self._inwards(cell) if (self._chance(SLIDES) if slide is None else slide) else None
        if inwards is None:
            path = self._from_beside(after)
            for each in self._some_hovers(cell, cell):
                self._hover_over(path, each)
            return self._put(token, path, cell)
        (x, y), cells = inwards
        path = _Path(self._begin(after), x, y)
        self._slide_along(path, cells, ())
        return self._go([(token, path, cell)])

    def hover(
        self, cell: Cell, seconds: float | None = None, owner: Side | None = None, *, after: float = 0.0
    ) -> Motion:
        """Hold a piece low over a cell for a moment: the one in the hand, or one from beside the board.

        Args:
            cell: where.
            seconds: for how long; by default shorter than anybody should take note of.
            owner: whose it is, if it is one from beside the board.
            after: seconds until the hand begins.
        """
        self.table.must_be_on(cell)
        token, into = (self.held.pop(), self.held) if self.held else (self.table.new(owner), None)
        path = self._from_beside(after)
        self._hover_over(path, cell, seconds)
        return self._go([(token, path, None)], into)

    def fumble(self, cell: Cell, times: int | None = None, *, after: float = 0.0) -> Motion:
        """Get hold of a piece, lose it, and have put it back in the end.

        Args:
            cell: where it stands.
            times: how often it leaves the board; by default once to three times.
            after: seconds until the hand begins.
        """
        token = self._taken(cell)
        path = _Path(self._begin(after), token.x, token.y)
        for number in range(self.random.randint(1, 3) if times is None else times):
            if number:
                path.wait(self._draw(REGRIP))
            path.over(self._draw(DIP), self.random.uniform(0.7, 1.0))
            path.wait(self._draw(SLIPPING))
            path.over(self._draw(DIP), 0.0)
        return self._go([(token, path, cell)])

    def lift_two(self, one: Cell, other: Cell, seconds: float | None = None, *, after: float = 0.0) -> Motion:
        """Lift two pieces at nearly the same time, hold them for a while, and put both back."""
        if one == other:
            raise PondError(f"Only one piece stands on {one}: name two cells.")
        tokens = [self._taken(cell) for cell in (one, other)]
        seconds = self._draw(FLIP) if seconds is None else seconds
        moves = []
        for token, cell in zip(tokens, (one, other), strict=True):
            path = self._lifted(token, after + self._draw(HOVER))
            path.wait(seconds)
            self._let_down(path, cell)
            moves.append((token, path, cell))
        return self._go(moves)

    def knock_over(self, cell: Cell, to: Cell | None = None, *, off: bool = False, after: float = 0.0) -> Motion:
        """Knock a piece over: it jumps or rolls somewhere, badly centred.

        Args:
            cell: where it stands.
            to: where it comes to lie; by default in a free cell near by, or off the board.
            off: whether it falls off the board.
            after: seconds until that.
        """
        token = self._taken(cell)
        if to is not None:
            self.table.must_be_free(to)
        elif not off and not self._chance(0.2):
            to = self._free_near(cell, set())
        return self._go([(token, self._rolled(token, to, after), to)], self.table.beside)

    def sweep(self, cells: Iterable[Cell], *, after: float = 0.0) -> Motion:
        """Brush many pieces with a sleeve: each is pushed one or two cells in the same direction, or off the board."""
        cells = list(dict.fromkeys(cells))
        tokens = {cell: self._taken(cell) for cell in cells}
        u, v = self.random.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
        whole = self._draw(SWEEP)
        taken: set[Cell] = set()
        moves = []
        for cell in cells:
            x, y = self._grid.place(cell)
            steps = self.random.randint(1, 2)
            to = self._cell_at(x + steps * u, y + steps * v)
            if to is not None and (to in taken or not self._is_free(to)):
                to = self._free_near(cell, taken)
            if to:
                taken.add(to)
            begun = after + self.random.uniform(0.0, whole - ROLL[1] if whole > ROLL[1] else 0.0)
            moves.append((tokens[cell], self._rolled(tokens[cell], to, begun, height=0.0), to))
        return self._go(moves, self.table.beside)

    def put_off_centre(
        self, cell: Cell, towards: Cell | None = None, by: float | None = None, *, after: float = 0.0
    ) -> Motion:
        """Lift the piece of a cell and put it back badly, nearer to the cell beside it.

        Args:
            cell: where it stands.
            towards: the cell beside it that it is near to then; by default the dice say.
            by: how far from the middle, in cells, less than half of one; from 0.45 on it is felt nowhere.
            after: seconds until the hand begins.
        """
        token = self._taken(cell)
        path = self._lifted(token, after)
        bit = self._grid.bit[cell]
        beside = self._grid.cells_of(self._grid.beside[bit])
        if towards is None:
            towards = self.random.choice(beside)
        self.table.must_be_on(towards)
        (x, y), (to_x, to_y) = self._grid.place(cell), self._grid.place(towards)
        by = self._draw(OFF_CENTRE) if by is None else by
        self._carry(path, x + by * (to_x - x), y + by * (to_y - y))
        path.over(self._draw(LIFT), 0.0)
        return self._go([(token, path, cell)])

    def turn_face(
        self, cell: Cell, seconds: float | None = None, face: str | None = None, *, after: float = 0.0
    ) -> Motion:
        """Lift a piece, turn it over in the hand, and put it back.

        Args:
            cell: where it stands.
            seconds: how long it is off the board; by default as long as people take.
            face: what is up then.
            after: seconds until the hand begins.
        """
        token = self._taken(cell)
        path = self._lifted(token, after)
        path.wait(self._draw(FLIP) if seconds is None else seconds)
        return self._put(token, path, cell, face=face)

    def take_off(self, cell: Cell, *, after: float = 0.0) -> Motion:
        """Take a piece off the board and put it beside."""
        token = self._taken(cell)
        path = self._lifted(token, after)
        path.wait(self._draw(CARRY))
        return self._go([(token, path, None)], self.table.beside)

    def pick_up(self, cell: Cell, *, after: float = 0.0) -> Motion:
        """Take a piece off the board and keep it in the hand."""
        token = self._taken(cell)
        return self._go([(token, self._lifted(token, after), None)], self.held)

    def put_down(self, cell: Cell, *, after: float = 0.0) -> Motion:
        """Put the piece that was picked up last on a cell."""
        if not self.held:
            raise PondError("There is no piece in this hand: pick one up first.")
        self.table.must_be_free(cell)
        return self._put(self.held.pop(), self._from_beside(after), cell)

    # What all of them are made of.

    def _draw(self, between: Range) -> float:
        return self.random.uniform(*between)

    def _chance(self, share: float) -> bool:
        return self.random.random() < share

    def _begin(self, after: float) -> float:
        return self.table.now() + after

    def _taken(self, cell: Cell) -> Token:
        return self.table.at(cell)

    def _lifted(self, token: Token, after: float) -> _Path:
        path = _Path(self._begin(after), token.x, token.y)
        path.over(self._draw(LIFT), HIGH)
        return path

    def _from_beside(self, after: float) -> _Path:
        return _Path(self._begin(after), -2.0, self.random.uniform(0.0, self.table.size - 1.0), HIGH)

    def _carry(self, path: _Path, x: float, y: float) -> None:
        _, from_x, from_y, _ = path.points[-1]
        path.to(self._draw(CARRY) * (0.5 + hypot(x - from_x, y - from_y)), x, y, HIGH)

    def _hover_over(self, path: _Path, cell: Cell, seconds: float | None = None) -> None:
        self._carry(path, *self._near(self._grid.place(cell)))
        path.over(self._draw(DIP), self._draw(HOVER_HEIGHT))
        path.wait(self._draw(HOVER) if seconds is None else seconds)
        path.over(self._draw(DIP), HIGH)

    def _let_down(self, path: _Path, cell: Cell) -> None:
        self._carry(path, *self._landing(cell))
        path.over(self._draw(LIFT), 0.0)
        if self._chance(FUMBLES):
            path.over(self._draw(DIP), self.random.uniform(0.3, 0.8))
            path.over(self._draw(DIP), 0.0)

    def _put(self, token: Token, path: _Path, cell: Cell, face: str | None = None) -> Motion:
        self._let_down(path, cell)
        return self._go([(token, path, cell)], face=face)

    def _slide_along(self, path: _Path, cells: Sequence[Cell], pauses: Sequence[float]) -> None:
        tilt = self._draw(TILT)
        path.over(self._draw(DIP), tilt)
        for number, cell in enumerate(cells):
            last = number == len(cells) - 1
            x, y = self._landing(cell) if last else self._near(self._grid.place(cell))
            path.to(self._draw(CROSS), x, y, tilt)
            if not last:
                path.wait(pauses[number] if number < len(pauses) else 0.0)
        path.over(self._draw(DIP), 0.0)

    def _rolled(self, token: Token, to: Cell | None, after: float, height: float | None = None) -> _Path:
        path = _Path(self._begin(after), token.x, token.y)
        if to:
            x, y = (place + self._off(ROLLS) for place in self._grid.place(to))
        else:
            x, y = self._beyond(token.x, token.y)
        seconds = self._draw(ROLL)
        path.to(
            seconds / 2,
            (x + token.x) / 2,
            (y + token.y) / 2,
            self.random.uniform(0.0, HIGH) if height is None else height,
        )
        path.to(seconds / 2, x, y)
        return path

    def _beyond(self, x: float, y: float) -> tuple[float, float]:
        """A place off the board, over the nearest edge."""
        far = self.table.size + 1.0
        return min(((-2.0, y), (far, y), (x, -2.0), (x, far)), key=lambda place: abs(place[0] - x) + abs(place[1] - y))

    def _near(self, place: tuple[float, float]) -> tuple[float, float]:
        """As well as people aim."""
        return place[0] + self._off(AIM), place[1] + self._off(AIM)

    def _landing(self, cell: Cell) -> tuple[float, float]:
        """Where a piece comes to stand that is meant for the middle of a cell: near enough to be felt there."""
        place = self._grid.place(cell)
        x, y = (
            middle + min(OFF_CENTRE[1], max(-OFF_CENTRE[1], off - middle))
            for middle, off in zip(place, self._near(self.table.landing(cell)), strict=True)
        )
        return x, y

    def _off(self, most: float) -> float:
        return self.random.uniform(-most, most)

    def _think(self, path: _Path) -> None:
        path.wait(self._draw(THINK))

    def _some_hovers(self, source: Cell, target: Cell) -> list[Cell]:
        """The cells that a hand hovers over by the way: mostly none, else one or two near where it goes."""
        if not self._chance(HOVERS):
            return []
        near = self._grid.cells_of(self._grid.beside[self._grid.bit[target]])
        return self.random.sample([source, target, *near], self.random.randint(1, 2))

    def _inwards(self, cell: Cell) -> tuple[tuple[float, float], list[Cell]] | None:
        """From which place beside the board, and through which cells, a piece can be slid to a cell."""
        x, y = self._grid.place(cell)
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
            self.table.must_be_free(cell)
        except PondError:
            return False
        return True

    def _free_near(self, cell: Cell, taken: Iterable[Cell]) -> Cell | None:
        """One of the nearest free cells, or None if there is none."""
        x, y = self._grid.place(cell)
        free = {each: self._grid.place(each) for each in self._grid.cells if each not in taken and self._is_free(each)}
        away = {each: abs(x - u) + abs(y - v) for each, (u, v) in free.items()}
        nearest = [each for each, distance in away.items() if distance == min(away.values())]
        return self.random.choice(nearest) if nearest else None

    def _go(
        self,
        moves: Sequence[tuple[Token, _Path, Cell | None]],
        into: list[Token] | None = None,
        *,
        face: str | None = None,
    ) -> Motion:
        for token, path, cell in moves:
            self.table.go(Way(token, path.points, cell, into=into, face=face))
        until = max(path.points[-1].at for _, path, _ in moves)
        return Motion(self.table, until, {token: cell for token, _, cell in moves})
