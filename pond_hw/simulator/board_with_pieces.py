"""Simulated board with pieces, including pieces in hand and beside the board.

The actions `lift`, `drop` and `put_aside` are immediate. Without faults, the sensors also react immediately. With
faults they need time, so call `poll` at any interval; the result does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil, floor, inf
from threading import Event as Flag
from typing import NamedTuple

from pond_hw.board import Sample, SensorEvent
from pond_hw.drivers.debounce import LevelChange, SensorLevel, list_touches
from pond_hw.messages.message import Message, PondError
from pond_hw.rules import DARK, Cell, Side, Symbol
from pond_hw.session import Agreement, BoardState, ConfirmationState, HandTasks
from pond_hw.simulator import SimulatedSensors, hall_sensors, require_cell
from pond_hw.simulator.hall_sensors import TICKS_PER_SECOND, ActiveFault, HallSensors, NearestMagnet, tick_at
from pond_hw.simulator.sensor_faults import CROSS_TALK, STUCK_ON, SensorFault

DEBOUNCE_SECONDS = 0.06
"""Debounce time in seconds, as in the profiles of boards with hall sensors."""

NORMAL_REACH = 0.6
"""Maximum distance at which a healthy sensor detects a magnet."""

SLIP_SHARE = 0.25
"""Fraction of pieces that land off-centre next to a sensor with cross-talk."""

SLIP_DISTANCE = (0.28, 0.4)
"""Range of these pieces' distances from the centre of the cell."""


class PhysicalPiece:
    """Piece with a magnet.

    Attributes:
        owner: owner, or None if unknown.
        face: face that is up, or None if the piece is plain or the face is unknown. The board can't detect it.
        x: horizontal position in cells from the middle of a1; valid only on the board.
        y: vertical position, measured in the same way.
    """

    __slots__ = ("face", "owner", "x", "y")

    def __init__(self, owner: Side | None = None, face: str | None = None) -> None:
        self.owner, self.face = owner, face
        self.x = self.y = 0.0

    def __repr__(self) -> str:
        owner_text = "a piece" if self.owner is None else f"a {self.owner} piece"
        return f"<{owner_text}, {self.face or 'some face'} up, at {self.x:.2f} {self.y:.2f}>"


class SimulatedTable(SimulatedSensors):
    """Simulated sensors and lamps, with the pieces on and beside the board.

    Args:
        size: number of rows and columns, 3 to 5.
        lamps_per_cell: number of lamps in a cell.
        now: clock for the timestamps of immediate changes, in seconds.
        strip: number of lamps in each score strip.
        colours: True if the sensors detect the owner of a piece.
        faults: sensor faults.
        seed: seed for the faults' random behaviour.
        hold: debounce time in seconds while sensors have faults.

    Attributes:
        has_pieces: always True.
        turned_pieces: True if the pieces have faces that players turn over.
        held_pieces: lifted pieces; the last one is dropped first.
        off_board_pieces: pieces taken off the board.
        sample_watchers: as in `SampledSensors`.

    Raises:
        PondError: a fault names an unknown cell.
    """

    def __init__(
        self,
        size: int,
        lamps_per_cell: int,
        now: Callable[[], float],
        *,
        strip: int = 0,
        colours: bool = False,
        faults: Iterable[SensorFault] = (),
        seed: int = 0,
        hold: float = DEBOUNCE_SECONDS,
    ) -> None:
        super().__init__(size, lamps_per_cell, now, strip)
        self.colours, self.has_pieces, self.turned_pieces = colours, True, False
        self.held_pieces: list[PhysicalPiece] = []
        self.off_board_pieces: list[PhysicalPiece] = []
        self.sample_watchers: list[Callable[[Sample], None]] = []
        self._number = {cell: sensor_number for sensor_number, cell in enumerate(self._cells)}
        self._pieces: list[PhysicalPiece | None] = [None] * size**2  # the piece that rests on each cell
        self._nearest_magnets = [hall_sensors.NO_MAGNET] * size**2  # nearest resting piece for each sensor
        self._halls = HallSensors(size**2, hold, self._nearest_magnet)
        self._reach = NORMAL_REACH
        self._seed = seed
        self._faults: list[ActiveFault] = []
        self._last_watched_levels: tuple[SensorLevel, ...] | None = None  # last levels passed to the watchers
        self._tick = tick_at(now())
        for fault in faults:
            self.add_fault(fault)

    @property
    def standing_pieces(self) -> dict[Cell, PhysicalPiece]:
        return {cell: token for cell, token in zip(self._cells, self._pieces, strict=True) if token}

    @property
    def occupied_cells(self) -> frozenset[Cell]:
        """Cells where a piece is detected."""
        return frozenset(cell for cell, level in zip(self._cells, self._halls.levels, strict=True) if level)

    @property
    def next_due(self) -> float:
        """Time of the next scheduled change in seconds, or infinity."""
        tick = self._next_tick()
        return inf if tick == hall_sensors.NEVER_TICK else tick / TICKS_PER_SECOND

    def show_face(self, token: PhysicalPiece, symbol: Symbol) -> None:
        """Turn the piece so that this face is up, unless it is plain."""
        token.face = symbol.value if self.turned_pieces else None

    def open(self, put_event: Callable[[SensorEvent], None]) -> None:
        """Start reporting to `put_event`, beginning with the pieces on the board."""
        self.poll(self.now())
        was_settled = self._is_settled
        self._put, self._last_watched_levels = put_event, None
        self._halls.restart_debouncing(self._tick)
        self._notify_watchers(self.now())
        if was_settled:
            self._report_changes(self._halls.accept_pending(), self.now())

    def lift(self, cell: Cell) -> PhysicalPiece:
        """Lift the piece on a cell.

        Raises:
            PondError: the cell is empty or unknown.
        """
        token = self.piece_at(cell)
        self.held_pieces.append(token)
        self._sense_change(self._lift_off(token))
        return token

    def drop(self, cell: Cell, owner: Side | None = None) -> PhysicalPiece:
        """Put down the piece that was lifted last, or a new one if the hand is empty.

        Args:
            cell: target cell.
            owner: owner of a new piece.

        Raises:
            PondError: the cell is occupied or unknown, or the new piece needs an owner.
        """
        self.require_free(cell)
        token = self.held_pieces.pop() if self.held_pieces else self.new_piece(owner)
        token.x, token.y = self.landing_point(cell)
        self._sense_change(self._set_down(token, cell))
        return token

    def put_aside(self) -> PhysicalPiece:
        """Put the piece that was lifted last beside the board.

        Raises:
            PondError: no piece is in hand.
        """
        if not self.held_pieces:
            raise PondError(Message("simulator.empty_hand"))
        self.off_board_pieces.append(self.held_pieces.pop())
        return self.off_board_pieces[-1]

    def poll(self, at: float) -> None:
        """Advance the simulation to a time in seconds."""
        while self.run_until(at) < at:
            pass

    def run_until(self, until: float) -> float:
        """Advance to a time, or to the first sensor report if that is earlier. Return the time reached."""
        last_tick = None
        while (tick := self._next_tick()) != hall_sensors.NEVER_TICK:
            last_tick = tick_at(until) if last_tick is None else last_tick
            if tick > last_tick:
                break
            self._tick = tick
            if self._advance_tick():
                return tick / TICKS_PER_SECOND
        self._tick = max(self._tick, tick_at(until))
        return until

    def add_fault(self, fault: SensorFault) -> SensorFault:
        """Schedule a fault, and return it with its cell. If the fault needs a cell but has none, the seed chooses one.

        Raises:
            PondError: the board has no such cell.
        """
        fault = fault.for_board(self.size, self._seed)
        cells = [fault.cell] if fault.cell else self._cells
        active_fault = ActiveFault(fault, [self._number[cell] for cell in cells], self._seed)
        self.poll(self.now())
        self._faults.append(active_fault)
        self._call_at(fault.begin, lambda tick: self._begin_fault(active_fault, tick))
        if fault.end < inf:
            self._call_at(fault.end, lambda _: self._end_fault(active_fault))
        return fault

    def piece_at(self, cell: Cell) -> PhysicalPiece:
        """Return the piece on a cell. Raise PondError if the cell is empty or unknown."""
        self.poll(self.now())
        token = self._pieces[self._sensor_number(cell)]
        if token is None:
            raise PondError(Message("illegal.no_piece", cell=cell))
        return token

    def require_free(self, cell: Cell) -> None:
        self.poll(self.now())
        if self._pieces[self._sensor_number(cell)]:
            raise PondError(Message("held.cell_taken", cell=cell))

    def new_piece(self, owner: Side | None) -> PhysicalPiece:
        if self.colours and owner is None:
            raise PondError(Message("simulator.whose_piece"))
        return PhysicalPiece(owner)

    def landing_point(self, cell: Cell) -> tuple[float, float]:
        """Return the point where a piece lands: the centre of the cell, or off-centre with cross-talk."""
        sensor_number = self._sensor_number(cell)
        y, x = divmod(sensor_number, self.size)
        for active_fault in self._halls.active_faults:
            if active_fault.fault.kind == CROSS_TALK and active_fault.random.random() < SLIP_SHARE:
                ways, sensitive = [(1, 0), (-1, 0), (0, 1), (0, -1)], active_fault.sensor_numbers
                if sensitive_directions := [(u, v) for u, v in ways if self._sensor_at(x + u, y + v) in sensitive]:
                    u, v = active_fault.random.choice(sensitive_directions)
                    slip_distance = active_fault.random.uniform(*SLIP_DISTANCE)
                    return x + slip_distance * u, y + slip_distance * v
        return float(x), float(y)

    @property
    def _is_settled(self) -> bool:
        return self._halls.is_settled

    def _sensor_number(self, cell: Cell) -> int:
        require_cell(cell, self.size)
        return self._number[cell]

    def _sensor_at(self, x: int, y: int) -> int | None:
        return y * self.size + x if 0 <= x < self.size and 0 <= y < self.size else None

    def _begin_fault(self, active_fault: ActiveFault, tick: int) -> None:
        if active_fault in self._faults:
            self._halls.begin_fault(active_fault, tick)

    def _end_fault(self, active_fault: ActiveFault) -> None:
        if active_fault in self._faults:
            self._faults.remove(active_fault)
            self._halls.end_fault(active_fault)

    def _call_at(self, instant: float, tick_call: Callable[[int], None]) -> None:
        """Schedule a call, or make it at once if its time has passed."""
        if instant * TICKS_PER_SECOND <= self._tick:
            tick_call(self._tick)
        else:  # first tick at or after the instant
            tick = tick_at(instant)
            self._halls.schedule_call(tick if tick / TICKS_PER_SECOND == instant else tick + 1, tick_call)

    def _next_tick(self) -> int:
        """Return the next tick with a possible change, or `NEVER_TICK`."""
        return self._halls.next_tick(self._tick)

    def _advance_tick(self) -> bool:
        """Process the current tick. Return True if a sensor reported something."""
        level_changes = self._halls.advance_to(self._tick)
        self._notify_watchers(self._tick / TICKS_PER_SECOND)
        if self._halls.has_wide_reach != (self._reach == hall_sensors.FAR_REACH):
            self._update_reach()
        return self._report_changes(level_changes, self._tick / TICKS_PER_SECOND)

    def _sensors_around(self, x: float, y: float) -> Iterator[tuple[int, float]]:
        """Yield the sensors within reach of a point, with the square of their distance."""
        reach, size = self._reach, self.size
        for row in range(max(0, ceil(y - reach)), min(size - 1, floor(y + reach)) + 1):
            for column in range(max(0, ceil(x - reach)), min(size - 1, floor(x + reach)) + 1):
                yield row * size + column, (y - row) ** 2 + (x - column) ** 2

    def _nearest_magnet(self, sensor_number: int) -> NearestMagnet:
        return self._nearest_magnets[sensor_number]

    def _piece_level(self, token: PhysicalPiece) -> SensorLevel:
        return -1 if self.colours and token.owner is DARK else 1

    def _lift_off(self, token: PhysicalPiece) -> list[int]:
        if token not in self._pieces:
            return []
        self._pieces[self._pieces.index(token)] = None
        near_sensors = [sensor_number for sensor_number, _ in self._sensors_around(token.x, token.y)]
        for near_sensor in near_sensors:
            self._nearest_magnets[near_sensor] = hall_sensors.NO_MAGNET
        max_distance = 2 * self._reach
        for other_piece in self._pieces:
            if other_piece and max(abs(other_piece.x - token.x), abs(other_piece.y - token.y)) < max_distance:
                self._update_nearest(other_piece, near_sensors)
        return near_sensors

    def _set_down(self, token: PhysicalPiece, cell: Cell) -> list[int]:
        self._pieces[self._number[cell]] = token
        return self._update_nearest(token, None)

    def _update_nearest(self, token: PhysicalPiece, sensor_choice: Iterable[int] | None) -> list[int]:
        """Update the nearest magnet of each sensor near a piece, and return these sensors.

        If `sensor_choice` is given, only its sensors are updated.
        """
        level, sensor_numbers = self._piece_level(token), []
        for sensor_number, squared_distance in self._sensors_around(token.x, token.y):
            if sensor_choice is None or sensor_number in sensor_choice:
                sensor_numbers.append(sensor_number)
                if squared_distance < self._nearest_magnets[sensor_number].squared_distance:
                    self._nearest_magnets[sensor_number] = NearestMagnet(squared_distance, level)
        return sensor_numbers

    def _update_reach(self) -> None:
        """Recompute all nearest magnets after the reach of the sensors has changed."""
        self._halls.check_at_next_tick(range(len(self._cells)))
        self._reach = hall_sensors.FAR_REACH if self._halls.has_wide_reach else NORMAL_REACH
        self._nearest_magnets = [hall_sensors.NO_MAGNET] * len(self._cells)
        for token in self._pieces:
            if token:
                self._update_nearest(token, None)

    def _sense_change(self, sensor_numbers: Iterable[int]) -> None:
        if self._is_settled:
            level_changes = self._halls.sense_at_once(sensor_numbers, self.now())
            self._notify_watchers(self.now())
            self._report_changes(level_changes, self.now())
        else:
            self._halls.check_at_next_tick(sensor_numbers)

    def _notify_watchers(self, at: float) -> None:
        if self.sample_watchers and self._put and (raw_levels := self._halls.raw_levels) != self._last_watched_levels:
            self._last_watched_levels = raw_levels
            for watch_sample in self.sample_watchers:
                watch_sample(Sample(raw_levels, at))

    def _report_changes(self, level_changes: Sequence[LevelChange], at: float) -> bool:
        """Report changes with this timestamp. Return True if there were any."""
        if self._put:
            for change in level_changes:
                for touch in list_touches(change, self._cells[change.sensor_number], at, int(self.colours)):
                    self._put(touch)
        return bool(level_changes)


class TableClock:
    """Simulated clock that advances a table while a companion waits.

    A wait ends at the exact time of a sensor report.

    Attributes:
        table: table to advance, set after construction.
    """

    def __init__(self) -> None:
        self.table: SimulatedTable | None = None
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def wait(self, until: float, arrived: Flag) -> None:
        """Advance to this time, or only until something arrives."""
        while self._now < until and not arrived.is_set():
            self._now = self.table.run_until(until) if self.table else until


class PieceOptions(NamedTuple):
    """Kinds of pieces and sensors.

    Attributes:
        faults: sensor faults.
        colours: True if the sensors detect the owner of a piece.
        turned: True if the pieces have faces that players turn over.
        seed: seed for the faults' random behaviour.
    """

    faults: tuple[SensorFault, ...] = ()
    colours: bool = False
    turned: bool = False
    seed: int = 0

    def make_table(self, size: int, lamps_per_cell: int, now: Callable[[], float]) -> SimulatedTable:
        table = SimulatedTable(size, lamps_per_cell, now, colours=self.colours, faults=self.faults, seed=self.seed)
        table.turned_pieces = self.turned
        return table

    def initial_board_state(self) -> BoardState:
        """Return the state of an empty board, in sync with the game unless a sensor is stuck from the start."""
        is_stuck = any(fault.kind == STUCK_ON for fault in self.faults)
        agreement = Agreement.BEHIND if is_stuck else Agreement.IN_PLAY
        return BoardState(tasks=HandTasks(asks_to_flip=self.turned), confirmation=ConfirmationState(agreement))
