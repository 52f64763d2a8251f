"""A table that cannot be bought: a board with pieces on it, a hand, the room beside the board; sensors and lamps.

Hands come in two kinds. The *verbs* `lift` and `drop` are immediate, for whoever types or clicks. The hands in `hands`
take their time: they say where a piece goes from instant to instant, and the sensors feel that or not.

As long as nothing is wrong with the sensors and no hand is at work, every verb is felt at once. Otherwise the
sensors need their time, and `poll` has to be called as time goes by; how often makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil, floor, inf
from threading import Event as Flag
from typing import NamedTuple

from pond_hw.board import Board, Felt, Frame, Reading, Touch
from pond_hw.drivers.debounce import Change, Level
from pond_hw.rules import DARK, LIGHT, Cell, PondError, Side, grid
from pond_hw.simulator import SimulatedLamps
from pond_hw.simulator.hall_sensors import FAR, NEVER, NOTHING, RATE, Broken, Halls, Near, tick_at
from pond_hw.simulator.sensor_faults import CROSS_TALK, Fault

HOLD = 0.06
"""Seconds that a level must hold still before it is believed, as in the profiles of boards with hall sensors."""

HIGH = 1.5
"""A height above the board, in cells, at which no sensor feels a magnet."""

NEARLY = 0.6
"""The distance beyond which a sensor that is well feels nothing."""

SLIPS = 0.25
"""The share of pieces that come to stand off-centre where a sensor with cross-talk could feel it."""

SLIP = (0.28, 0.4)
"""How far off-centre they stand."""


class Token:
    """A piece of wood with a magnet in it.

    Attributes:
        owner: whose it is, if anybody knows.
        face: what is up; only hands turn it, and the board never knows.
        x: where it stands, in cells to the right of the middle of a1; counts only while it stands.
        y: the same, upwards.
    """

    __slots__ = ("face", "owner", "x", "y")

    def __init__(self, owner: Side | None = None, face: str | None = None) -> None:
        self.owner, self.face = owner, face
        self.x = self.y = 0.0

    def __repr__(self) -> str:
        whose = "a piece" if self.owner is None else f"a {self.owner} piece"
        return f"<{whose}, {self.face or 'some face'} up, at {self.x:.2f} {self.y:.2f}>"


class Point(NamedTuple):
    """Where a piece is at an instant: seconds, and cells to the right of a1, upwards from it, and above the board."""

    at: float
    x: float
    y: float
    height: float


class Way:
    """How a piece goes, in straight lines from point to point; before the first one it rests.

    Args:
        token: which piece.
        points: where it is when, in the order of the instants. If the last one is on the board, it stands there then.
        end: the cell where it stands in the end; None if it does not.
        into: where it goes in the end if it does not stand: into a hand, or beside the board.
        face: what is up in the end, if that is something else than before.
    """

    __slots__ = ("begun", "end", "face", "into", "leg", "near", "next", "points", "token")

    def __init__(
        self,
        token: Token,
        points: Sequence[Point],
        end: Cell | None = None,
        *,
        into: list[Token] | None = None,
        face: str | None = None,
    ) -> None:
        self.token, self.points, self.end, self.into, self.face = token, points, end, into, face
        self.begun = False
        self.leg = 0
        self.near: dict[int, float] = {}  # the sensors that may feel it, and the squares of their distances
        self.next = _tick_from(points[0].at)

    @property
    def until(self) -> float:
        """When it is there."""
        return self.points[-1].at


class SimulatedTable:
    """The sensors and lamps of a board, and what lies on it and beside it.

    Args:
        size: rows and columns, 3 to 5.
        lamps: lamps in a cell.
        now: the clock that stamps what is felt at once, in seconds.
        strip: lamps in each score strip.
        colours: whether the sensors tell whose piece they feel.
        faults: what is wrong with the sensors.
        seed: what all dice begin from, those of the faults.
        hold: how long a level must hold still before it is believed, in seconds, when sensors need their time.

    Attributes:
        pieces: True: these are sensors for pieces.
        hand: the pieces that were lifted by the verbs and not put down yet; the last one is put down first.
        beside: the pieces that were taken off the board.
        watchers: as in `Watched`.

    Raises:
        PondError: a fault names a cell that the board has not.
    """

    def __init__(
        self,
        size: int,
        lamps: int,
        now: Callable[[], float],
        *,
        strip: int = 0,
        colours: bool = False,
        faults: Iterable[Fault] = (),
        seed: int = 0,
        hold: float = HOLD,
    ) -> None:
        self.size, self.colours = size, colours
        self.pieces = True
        self.hand: list[Token] = []
        self.beside: list[Token] = []
        self.watchers: list[Callable[[Reading], None]] = []
        self.now = now
        self._shown = SimulatedLamps(size, lamps, strip)
        self._cells = grid(size).cells
        self._number = {cell: number for number, cell in enumerate(self._cells)}
        self._stand: list[Token | None] = [None] * size**2  # who rests where
        self._rests: list[Near] = [NOTHING] * size**2  # for each sensor the nearest piece that rests
        self._ways: list[Way] = []
        self._halls = Halls(size**2, hold, self._nearest)
        self._reach = NEARLY
        self._seed = seed
        self._broken: list[Broken] = []
        self._put: Callable[[Felt], None] | None = None
        self._watched: tuple[Level, ...] | None = None  # what the watchers were told last
        self._looked = 0
        self._tick = tick_at(now())
        for fault in faults:
            self.fail(fault)

    def board(self) -> Board:
        """This as the companion is handed it."""
        return Board(sensors=self, lamps=self._shown)

    @property
    def lamps(self) -> int:
        """Lamps in a cell."""
        return self._shown.lamps

    @property
    def strip(self) -> int:
        """Lamps in each score strip."""
        return self._shown.strip

    @property
    def frame(self) -> Frame:
        """What the lamps show."""
        return self._shown.frame

    @property
    def beats(self) -> int:
        """One more each time: sensors in memory never keep anybody waiting."""
        self._looked += 1
        return self._looked

    @property
    def standing(self) -> dict[Cell, Token]:
        """The pieces that rest on the board, by the cell whose middle is nearest."""
        return {cell: token for cell, token in zip(self._cells, self._stand, strict=True) if token}

    @property
    def felt(self) -> frozenset[Cell]:
        """The cells where a piece is felt."""
        return frozenset(cell for cell, level in zip(self._cells, self._halls.levels, strict=True) if level)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong with the sensors, or will be."""
        return tuple(broken.fault for broken in self._broken)

    @property
    def busy(self) -> bool:
        """Whether a hand is at work."""
        return bool(self._ways)

    @property
    def due(self) -> float:
        """The instant at which `poll` has something to do, in seconds; infinity, if nothing is going on."""
        tick = self._next()
        return inf if tick == NEVER else tick / RATE

    def open(self, put: Callable[[Felt], None]) -> None:
        """Begin to report to `put`; what stands there already is reported too."""
        self.poll(self.now())
        calm = self._calm
        self._put, self._watched = put, None
        self._halls.afresh(self._tick)
        self._watch(self.now())
        if calm:
            self._tell(self._halls.believe(), self.now())

    def close(self) -> None:
        """Report nothing more."""
        self._put = None

    def lift(self, cell: Cell) -> Token:
        """A hand takes the piece that stands there.

        Raises:
            PondError: none stands there, or the board has no such cell.
        """
        token = self.at(cell)
        self.hand.append(token)
        self._felt(self._leave(token))
        return token

    def drop(self, cell: Cell, owner: Side | None = None) -> Token:
        """A hand puts down the piece that was lifted last; if it is empty, a new one from beside the board.

        Args:
            cell: where.
            owner: whose piece it is, if it is a new one.

        Raises:
            PondError: a piece stands there or is on its way there, the board has no such cell, or it must be told whose
                piece it is.
        """
        self.must_be_free(cell)
        token = self.hand.pop() if self.hand else self.new(owner)
        token.x, token.y = self.landing(cell)
        self._felt(self._rest(token, cell))
        return token

    def put_aside(self) -> Token:
        """The piece that was lifted last goes beside the board.

        Raises:
            PondError: the hand is empty.
        """
        if not self.hand:
            raise PondError("There is no piece in the hand to put aside: lift one first.")
        self.beside.append(self.hand.pop())
        return self.beside[-1]

    def turn(self, cell: Cell, face: str | None = None) -> Token:
        """Lift the piece of a cell, turn it over and put it back, all at the same instant.

        Sensors that need their time feel nothing of it: with those lift, wait, and drop.

        Raises:
            PondError: none stands there, or the board has no such cell.
        """
        token = self.lift(cell)
        token.face = face or token.face
        return self.drop(cell)

    def clear(self) -> None:
        """Take everything off that rests on the board, but for what a hand has got hold of."""
        self.poll(self.now())
        numbers: list[int] = []
        for token in [token for token in self.standing.values() if not self.handled(token)]:
            self.beside.append(token)
            numbers += self._leave(token)
        self._felt(numbers)

    def poll(self, at: float) -> None:
        """Bring pieces and sensors up to this instant; call it as often as you like."""
        while self.run(at) < at:
            pass

    def run(self, until: float) -> float:
        """Bring pieces and sensors up to an instant, or only to the first one at which something is felt.

        Returns:
            That instant, in seconds.
        """
        last = None
        while (tick := self._next()) != NEVER:
            last = tick_at(until) if last is None else last
            if tick > last:
                break
            self._tick = tick
            if self._step():
                return tick / RATE
        self._tick = max(self._tick, tick_at(until))
        return until

    def fail(self, fault: Fault) -> Fault:
        """Let this be wrong, from its beginning to its end; if it has begun already, from now on.

        Returns:
            It, with the cell that the seed has chosen if it named none and is in one only.

        Raises:
            PondError: the board has no such cell.
        """
        fault = fault.of(self.size, self._seed)
        cells = [fault.cell] if fault.cell else self._cells
        broken = Broken(fault, [self._number[cell] for cell in cells], self._seed)
        self.poll(self.now())
        self._broken.append(broken)
        self._at(fault.begin, lambda tick: self._begin(broken, tick))
        if fault.end < inf:
            self._at(fault.end, lambda _: self._end(broken))
        return fault

    def mend(self, fault: Fault | None = None) -> None:
        """Let this be wrong no longer; or, if none is named, nothing at all."""
        self.poll(self.now())
        named = fault.of(self.size, self._seed) if fault else None
        for broken in [each for each in self._broken if named in (None, each.fault)]:
            self._end(broken)

    # What hands need to know, and do.

    def at(self, cell: Cell) -> Token:
        """The piece that rests there.

        Raises:
            PondError: there is none, or no such cell.
        """
        self.poll(self.now())
        token = self._stand[self._number_of(cell)]
        if token is None:
            raise PondError(f"No piece stands on {cell}.")
        if self.handled(token):
            raise PondError(f"A hand has got hold of the piece on {cell} already.")
        return token

    def must_be_free(self, cell: Cell) -> None:
        """Make sure that a piece may be put there.

        Raises:
            PondError: one stands there or is on its way there, or there is no such cell.
        """
        self.poll(self.now())
        if self._stand[self._number_of(cell)]:
            raise PondError(f"A piece stands on {cell} already: lift that first.")
        if any(way.end == cell for way in self._ways):
            raise PondError(f"A piece is on its way to {cell} already.")

    def must_be_on(self, cell: Cell) -> None:
        """Make sure that the board has such a cell.

        Raises:
            PondError: it has not.
        """
        self._number_of(cell)

    def new(self, owner: Side | None) -> Token:
        """A piece from beside the board.

        Raises:
            PondError: nobody says whose, and the sensors tell.
        """
        if self.colours and owner is None:
            raise PondError("This board feels whose piece it is: say whether it is light's or dark's.")
        return Token(owner)

    def handled(self, token: Token) -> bool:
        """Whether a hand has got hold of it."""
        return any(way.token is token for way in self._ways)

    def landing(self, cell: Cell) -> tuple[float, float]:
        """Where a piece comes to stand that is put on a cell: in its middle, unless there is cross-talk."""
        number = self._number_of(cell)
        y, x = divmod(number, self.size)
        for broken in self._halls.at_work:
            if broken.fault.kind == CROSS_TALK and broken.random.random() < SLIPS:
                ways = [(1, 0), (-1, 0), (0, 1), (0, -1)]
                keen = [(u, v) for u, v in ways if self._at_place(x + u, y + v) in broken.cells]
                if keen:
                    u, v = broken.random.choice(keen)
                    by = broken.random.uniform(*SLIP)
                    return x + by * u, y + by * v
        return float(x), float(y)

    def go(self, way: Way) -> None:
        """Let a piece go its way."""
        self._ways.append(way)

    # How it comes about.

    @property
    def _calm(self) -> bool:
        return not self._ways and self._halls.calm

    def _number_of(self, cell: Cell) -> int:
        if cell not in self._number:
            raise PondError(f"{cell} is not a cell of this {self.size}x{self.size} board.")
        return self._number[cell]

    def _at_place(self, x: int, y: int) -> int | None:
        return y * self.size + x if 0 <= x < self.size and 0 <= y < self.size else None

    def _begin(self, broken: Broken, tick: int) -> None:
        if broken in self._broken:
            self._halls.begin(broken, tick)

    def _end(self, broken: Broken) -> None:
        if broken in self._broken:
            self._broken.remove(broken)
            self._halls.end(broken)

    def _at(self, instant: float, do: Callable[[int], None]) -> None:
        """Do it at that instant; at once, if it is over."""
        if instant * RATE <= self._tick:
            do(self._tick)
        else:
            self._halls.arrange(_tick_from(instant), do)

    def _next(self) -> int:
        """The next tick at which something may change, or NEVER."""
        tick = self._halls.next(self._tick)
        for way in self._ways:
            tick = min(tick, max(way.next, self._tick + 1))
        return tick

    def _step(self) -> bool:
        """Be at this tick; whether something was felt."""
        if self._ways:
            self._carry_on()
        changes = self._halls.step(self._tick)
        self._watch(self._tick / RATE)
        if self._halls.wide != (self._reach == FAR):
            self._reach_out()
        return self._tell(changes, self._tick / RATE) if changes else False

    def _carry_on(self) -> None:
        """Let every piece be where its way leads at this tick."""
        tick, at = self._tick, self._tick / RATE
        arrived = False
        for way in self._ways:
            if way.next > tick:
                continue
            if not way.begun:
                way.begun = True
                self._halls.look(self._leave(way.token))
            self._halls.look(way.near)
            points = way.points
            while way.leg < len(points) - 1 and points[way.leg + 1].at <= at:
                way.leg += 1
            if way.leg == len(points) - 1:
                arrived = True
                self._arrive(way)
                continue
            way.near, way.next = self._near_on(way, at), self._next_on(way)
            self._halls.look(way.near)
        if arrived:
            self._ways = [way for way in self._ways if way.leg < len(way.points) - 1]

    def _arrive(self, way: Way) -> None:
        token, last = way.token, way.points[-1]
        if way.face:
            token.face = way.face
        if way.end is not None:
            token.x, token.y = last.x, last.y
            self._halls.look(self._rest(token, way.end))
        elif way.into is not None:
            way.into.append(token)

    def _near_on(self, way: Way, at: float) -> dict[int, float]:
        """The sensors that may feel a piece on its way, and the squares of their distances."""
        (begun, x, y, height), (ended, to_x, to_y, to_height) = way.points[way.leg : way.leg + 2]
        share = (at - begun) / (ended - begun)
        height += (to_height - height) * share
        if height >= self._reach:
            return {}
        return dict(self._around(x + (to_x - x) * share, y + (to_y - y) * share, height))

    def _next_on(self, way: Way) -> int:
        """The next tick at which a piece on its way may be felt otherwise than now."""
        here, there = way.points[way.leg : way.leg + 2]
        still = here[1:] == there[1:]
        if still or (here.height >= HIGH and there.height >= HIGH):
            return max(_tick_from(there.at), self._tick + 1)
        return self._tick + 1

    def _around(self, x: float, y: float, height: float) -> Iterator[tuple[int, float]]:
        """The sensors within reach of a place, and the squares of their distances."""
        reach, size = self._reach, self.size
        above = height * height
        for v in range(max(0, ceil(y - reach)), min(size - 1, floor(y + reach)) + 1):
            up = above + (y - v) ** 2
            for u in range(max(0, ceil(x - reach)), min(size - 1, floor(x + reach)) + 1):
                yield v * size + u, up + (x - u) ** 2

    def _nearest(self, number: int) -> Near:
        """The magnet that is nearest to a sensor."""
        best = self._rests[number]
        for way in self._ways:
            square = way.near.get(number)
            if square is not None and square < best.square:
                best = Near(square, self._level(way.token))
        return best

    def _level(self, token: Token) -> Level:
        return -1 if self.colours and token.owner is DARK else 1

    def _leave(self, token: Token) -> list[int]:
        """A piece rests no longer; the sensors that may feel it go."""
        if (number := self._resting_on(token)) is None:
            return []
        self._stand[number] = None
        gone = [number for number, _ in self._around(token.x, token.y, 0.0)]
        for each in gone:
            self._rests[each] = NOTHING
        apart = 2 * self._reach
        for other in self._stand:
            if other and abs(other.x - token.x) < apart and abs(other.y - token.y) < apart:
                self._count(other, gone)
        return gone

    def _rest(self, token: Token, cell: Cell) -> list[int]:
        """A piece rests; the sensors that may feel it come."""
        self._stand[self._number[cell]] = token
        return self._count(token, None)

    def _count(self, token: Token, among: Iterable[int] | None) -> list[int]:
        """Reckon with a piece that rests, at all the sensors near it or only at those among these."""
        level, numbers = self._level(token), []
        for number, square in self._around(token.x, token.y, 0.0):
            if among is None or number in among:
                numbers.append(number)
                if square < self._rests[number].square:
                    self._rests[number] = Near(square, level)
        return numbers

    def _resting_on(self, token: Token) -> int | None:
        return self._stand.index(token) if token in self._stand else None

    def _reach_out(self) -> None:
        """The sensors feel farther than before, or less far: reckon with all that rests anew."""
        self._halls.look(range(len(self._cells)))
        self._reach = FAR if self._halls.wide else NEARLY
        self._rests = [NOTHING] * len(self._cells)
        for token in self._stand:
            if token:
                self._count(token, None)
        for way in self._ways:
            if way.begun:
                way.next = self._tick + 1

    def _felt(self, numbers: Iterable[int]) -> None:
        """A verb has changed what these sensors may feel."""
        if self._calm:
            changes = self._halls.at_once(numbers, self.now())
            self._watch(self.now())
            self._tell(changes, self.now())
        else:
            self._halls.look(numbers)

    def _watch(self, at: float) -> None:
        """Let the watchers know what the sensors say, if it is something new."""
        if self.watchers and self._put and (raw := self._halls.raw) != self._watched:
            self._watched = raw
            for watch in self.watchers:
                watch(Reading(raw, at))

    def _tell(self, changes: Iterable[Change], at: float) -> bool:
        """Report what is believed from this instant on; whether there was anything to report."""
        told = False
        for number, before, level, _ in changes:
            told = True
            if self._put and before:
                self._put(Touch(self._cells[number], False, at, self._owner(before)))
            if self._put and level:
                self._put(Touch(self._cells[number], True, at, self._owner(level)))
        return told

    def _owner(self, level: Level) -> Side | None:
        if not self.colours:
            return None
        return LIGHT if level > 0 else DARK


class TableClock:
    """Time that passes when somebody waits for it: the hands and sensors of a table act meanwhile.

    It does as the clock of a companion, which then is there at the very instant at which something is felt.

    Attributes:
        table: the table whose hands act; it is made with the clock, so it comes later.
    """

    def __init__(self) -> None:
        self.table: SimulatedTable | None = None
        self._now = 0.0

    def now(self) -> float:
        """Seconds that have been waited for."""
        return self._now

    def wait(self, until: float, arrived: Flag) -> None:
        """Be at that instant, or at the first one at which something has arrived."""
        while self._now < until and not arrived.is_set():
            self._now = self.table.run(until) if self.table else until


def _tick_from(at: float) -> int:
    """The first tick that is not before an instant in seconds."""
    tick = tick_at(at)
    return tick if tick / RATE == at else tick + 1
