"""Reads all sensors of a board, in one thread; levels become touches, faults become messages.

At rest they are read as rarely as debouncing allows, and quickly while something moves. Where the pins themselves
say that one of them has changed, that wakes the thread which reads, and it sleeps longer: but no longer than it takes
to notice that a change was not told, and then they are not relied on any more.

What is read is not believed at once. A reading that fails is tried again; a level must hold still (`debounce`); and
before a change is told, the chips are asked whether they are still set up as they were: one that a dip of the
supply has reset answers readily, and wrongly.
"""

from __future__ import annotations

import logging
import select
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from os import read
from typing import Protocol, TypeVar

from pond_hw.board import BoardFault, HealthEvent, Sample, SensorEvent
from pond_hw.drivers.debounce import (
    MAX_REST_SECONDS,
    DebounceFilter,
    LevelChange,
    SensorLevel,
    choose_rest_seconds,
    list_touches,
)
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import Cell, get_grid

LOG = logging.getLogger("pond")

READ_TRIES = 3
"""How often one reading is tried before it counts as missed; the tries follow each other at once."""

READINGS_PER_DEBOUNCE = 4
"""While a level is about to be believed the sensors are read this often in its hold, so that it is not told late."""

MIN_PAUSE_SECONDS = 0.001
"""Seconds from one reading to the next, at least."""

EDGE_BYTES = 4096
"""How much news of edges is thrown away at one go; what is left wakes once more."""

LATE_EDGE_SECONDS = 0.01
"""Seconds that news of an edge may come after a reading which has seen it."""

MAX_AT_ONCE = 3
"""Pieces that no hand takes off within the hold of a sensor, so that none is left; and the most buttons that fingers
press at the same moment."""

RETRY_LIMIT_SECONDS = 0.02
"""Seconds after which a reading is not tried again: a bus that hangs takes long to say so."""

LOST_SECONDS = 0.2
"""Seconds after which sensors are said to be lost, if no stretch of good readings was long enough for a touch."""

RECOVERY_SECONDS = 0.25
"""Seconds from one attempt to set lost sensors up again to the next."""

MAX_KEY_HOLD_SECONDS = 0.02
"""Longest debounce of a key beside the cells: switches bounce for some 10 ms, and a quick tap on a key lasts 50 ms,
which is less than the debounce of a magnet."""

CHECK_SECONDS = 0.9
"""Seconds after which the chips are asked how they are set up even if nothing changes."""


_AnswerT = TypeVar("_AnswerT")


class SensorReadError(OSError):
    """A reading failed, or is one that no board could give.

    Attributes:
        message: what is wrong.
    """

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class SensorReader(Protocol):
    """The sensors of the cells as one thing that is read. Its calls come from one thread at a time.

    Any call but `close` may raise OSError: the sensors were not reached this time.
    """

    def open(self) -> None:
        """Take hold of the sensors and set them up; called again, set them up anew.

        Raises:
            BoardFault: they cannot be had, and trying again will not help.
        """

    def read_levels(self) -> Sequence[SensorLevel]:
        """The level of each cell's sensor, in the order a1, b1, ... a2, ..."""

    @property
    def edge_file(self) -> int | None:
        """The number of a file that can be read as soon as a level may have changed; None if only reading tells."""

    @property
    def raw_values(self) -> tuple[int, ...] | None:
        """What the levels read last were made of, as in `Sample`."""

    def is_configured(self) -> bool:
        """Whether the chips are still set up as `open` left them."""

    def close(self) -> None:
        """Let go of the sensors."""


class SensorScan:
    """The sensors of a board, read rarely at rest and quickly while something moves.

    Args:
        size: rows and columns.
        sensor_reader: the cells' sensors.
        hold_seconds: how long a level must hold still before it is believed, in seconds: of all cells, or of each in the order
            a1, b1, ... a2, ...
        scan_rate: readings in a second, at least while something moves or readings fail, and at most at rest.
        now: the clock, in seconds.
        keys: the keys beside the cells: a reader of one sensor each, and the event that it makes.
        pieces: whether the sensors feel pieces, which may stand there from the beginning and everywhere at once.
            Fingers may not: a button that is down before anybody can have pressed it is not told, and all buttons
            at once are a fault.
        light: the level that a light piece gives, +1 or -1, where sensors tell owners; else 0.

    Attributes:
        size: rows and columns.
        has_pieces: whether the sensors feel pieces.
        poll_count: how often the sensors have been asked.
        pause_seconds: seconds from the beginning of the last reading to that of the next, for whoever is told of no edges.
        rest_seconds: the same while nothing changes.
        quick_seconds: the same while something does; shorter where a change is about to be believed.
        levels: what the cells' sensors said last, before debouncing.
        always_fast: whether the sensors are read all the time as often as else only while something changes.
        sample_watchers: as in `SampledSensors`.
    """

    def __init__(
        self,
        size: int,
        sensor_reader: SensorReader,
        hold_seconds: float | Sequence[float],
        scan_rate: float,
        now: Callable[[], float],
        *,
        keys: Sequence[tuple[SensorReader, Callable[[bool, float], SensorEvent]]] = (),
        pieces: bool = False,
        light: int = 0,
    ) -> None:
        self.size = size
        self.poll_count = 0
        self.levels: tuple[SensorLevel, ...] = (0,) * size**2
        self.always_fast = False
        self.sample_watchers: list[Callable[[Sample], None]] = []
        self._watched: tuple[object, object] | None = None
        self._reader, self._now = sensor_reader, now
        self._keys, self._key_events = [reader for reader, _ in keys], [make_event for _, make_event in keys]
        cell_holds = [hold_seconds] * size**2 if isinstance(hold_seconds, int | float) else list(hold_seconds)
        self._period = 1 / scan_rate
        self.quick_seconds = min(self._period, max(MIN_PAUSE_SECONDS, min(cell_holds) / READINGS_PER_DEBOUNCE))
        self.rest_seconds = self.pause_seconds = choose_rest_seconds(scan_rate, cell_holds, pieces=pieces)
        self._is_calm = False  # whether the last reading said what is believed already
        self._edge_files: list[int | None] = []  # one for the cells, one for each key
        self._edge_waiter: select.poll | None = None
        self._trusts_edges = True
        self._expects_calm = False  # whether all would have told of an edge, and none did
        self._well_after = max(cell_holds) + 3 * self._period  # seconds in which a touch would have been told
        self.has_pieces, self._light = pieces, light
        self._cells: tuple[Cell, ...] = get_grid(size).cells
        self._numbers = frozenset(range(len(self._cells)))
        self._holds = cell_holds + [min(MAX_KEY_HOLD_SECONDS, max(cell_holds))] * len(keys)
        self._debounce = DebounceFilter(self._holds)
        self._put: Callable[[SensorEvent], None] | None = None
        self._failing_since: float | None = None
        self._good_since = 0.0  # since when no reading is missing
        self._lost = False
        self._mended = self._checked = 0.0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self, put_event: Callable[[SensorEvent], None]) -> None:
        """Begin to sense.

        Raises:
            BoardFault: the sensors cannot be had.
        """
        self.open_unthreaded(put_event)
        self._stop.clear()
        self._thread = threading.Thread(target=self._poll_until_stopped, name="pond sensors", daemon=True)
        self._thread.start()

    def open_unthreaded(self, put_event: Callable[[SensorEvent], None]) -> None:
        """Take hold of the sensors; whoever calls this also calls `poll`, and no thread does it.

        Sensors that do not answer yet are lost from the beginning, and mended like any others.

        Raises:
            BoardFault: the sensors cannot be had, and trying again will not help.
        """
        self._debounce = DebounceFilter(self._holds)  # what was believed before it was closed is nobody's business now
        self._put, self._lost, self._failing_since = put_event, False, None
        self._watched = None
        self._checked = self._now()
        try:
            late_error = self._caught_os_error(self._reader.open)
            for key in self._keys:
                key.open()
            late_error = late_error or self._caught_os_error(
                lambda: self._restart_debounce(self._read_all(self._checked))
            )
            if late_error:
                self._report_lost(late_error, self._checked)  # they may only be slower than the Pi
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Stop sensing and let go of the sensors."""
        self._stop.set()
        if self._thread and self._thread is not threading.current_thread():
            self._thread.join()
        self._thread = None
        if self._put:
            self._put = None
            self._reader.close()
            for key in self._keys:
                key.close()

    def poll(self, at: float) -> None:
        """Read every sensor once, at this instant, and report what has changed."""
        self.poll_count += 1
        self.pause_seconds, self._is_calm = self._usual_pause(), False
        if self._lost and not self._try_recovery(at):
            return
        try:
            readings = self._read_all(at)
            ripe_changes = self._debounce.add_readings(readings, at, self._now())
            if (ripe_changes or at - self._checked >= CHECK_SECONDS) and not self._check_configured(at):
                return
        except (OSError, BoardFault) as error:
            self._note_missed_reading(error, at)
            return
        if at - self._good_since >= self._well_after:
            self._failing_since = None
        down = len(self._debounce.simultaneous_presses(ripe_changes) & self._numbers)
        if down > MAX_AT_ONCE and not self.has_pieces:
            self._note_missed_reading(SensorReadError(Message("sensors.too_many_buttons", buttons=down)), at)
            return
        self._debounce.accept_changes(ripe_changes)
        for change in ripe_changes:
            self._report_change(change)
        self._is_calm = readings == tuple(self._debounce.levels)
        if not self._is_calm:
            self.pause_seconds = max(MIN_PAUSE_SECONDS, min(self.quick_seconds, self._debounce.next_ripe_at - at))

    def _usual_pause(self) -> float:
        """Seconds from a reading to the next, if nothing is about to be believed."""
        if self.always_fast:
            return self.quick_seconds
        return self.rest_seconds if self._failing_since is None else self._period

    def _poll_until_stopped(self) -> None:
        begun_at = due_at = self._now()
        while not self._wait_until(due_at, begun_at + MIN_PAUSE_SECONDS):
            begun_at = self._now()
            try:
                self.poll(begun_at)
            except Exception as error:  # noqa: BLE001 - whatever a library may raise: a board must not go deaf unnoticed
                self._note_missed_reading(error, self._now())
            if self._expects_calm and not self._is_calm and self._failing_since is None:
                self._check_edges()
            due_at = max(begun_at + self.pause_seconds, self._now())

    def _wait_until(self, due_at: float, edge_due_at: float) -> bool:
        """Wait for the next reading; returns whether there is to be none.

        Args:
            due_at: when it is due, in seconds.
            edge_due_at: when it is, at the earliest, if an edge comes while nothing moves.
        """
        if self._is_calm and not self.always_fast and (edge_waiter := self._prepare_edge_waiter()):
            if is_sure := self._trusts_edges and None not in self._edge_files and self._failing_since is None:
                due_at += max(0.0, MAX_REST_SECONDS - self.rest_seconds)
            edges = edge_waiter.poll(max(0.0, due_at - self._now()) * 1000)
            self._expects_calm = is_sure and not edges
            if not edges:
                return self._stop.is_set()
            for edge_file, _ in edges:
                with suppress(OSError):  # whatever is wrong with it, a reading will tell
                    read(edge_file, EDGE_BYTES)
            due_at = edge_due_at
        else:
            self._expects_calm = False
        return self._stop.wait(max(0.0, due_at - self._now()))

    def _check_edges(self) -> None:
        """Something has changed and no edge was told: if none comes late, edges are not waited for any longer than needed."""
        if self._edge_waiter and not self._edge_waiter.poll(LATE_EDGE_SECONDS * 1000):
            self._trusts_edges = False
            LOG.warning("a sensor changed and its pin did not say so: from now on all are read more often at rest")

    def _prepare_edge_waiter(self) -> select.poll | None:
        """What waits for edges; None if nobody tells of any."""
        edge_files = [reader.edge_file for reader in (self._reader, *self._keys)]
        if edge_files != self._edge_files:
            self._edge_files, self._edge_waiter = edge_files, None
            for edge_file in edge_files:
                if edge_file is not None:
                    self._edge_waiter = self._edge_waiter or select.poll()
                    self._edge_waiter.register(edge_file, select.POLLIN)
        return self._edge_waiter

    def _read_all(self, at: float) -> tuple[SensorLevel, ...]:
        """Return the levels of all cells, and of the keys behind them."""
        levels = tuple(self._call_with_retries(self._reader.read_levels))
        if self.sample_watchers and self._watched != (levels, self._reader.raw_values):
            self._watched = levels, self._reader.raw_values
            for watch_sample in self.sample_watchers:
                watch_sample(Sample(levels, at, self._reader.raw_values))
        if not self.has_pieces and all(levels):
            raise SensorReadError(Message("sensors.all_buttons"))
        if self.has_pieces and not any(levels) and sum(map(bool, self._debounce.levels[: len(levels)])) >= MAX_AT_ONCE:
            raise SensorReadError(Message("sensors.all_pieces_gone"))
        self.levels = levels
        return (*levels, *(level for key in self._keys for level in self._call_with_retries(key.read_levels)))

    def _check_configured(self, at: float) -> bool:
        """Check the chips' settings; if they were lost, set them up again and forget recent readings."""
        self._checked = at
        if self._call_with_retries(self._reader.is_configured):
            return True
        LOG.warning("the sensors had lost their settings and were set up again")
        self._debounce.forget_readings()
        self._reader.open()
        return False

    @staticmethod
    def _caught_os_error(device_call: Callable[[], None]) -> OSError | None:
        """Call it; returns the error if the sensors were not reached."""
        try:
            device_call()
        except OSError as error:
            return error
        return None

    def _call_with_retries(self, read_call: Callable[[], _AnswerT]) -> _AnswerT:
        """Call again after an error, unless trying takes too long."""
        begun_at = self._now()
        for _ in range(READ_TRIES - 1):
            try:
                return read_call()
            except OSError:
                if self._now() - begun_at > RETRY_LIMIT_SECONDS:
                    raise
        return read_call()

    def _note_missed_reading(self, error: Exception, at: float) -> None:
        """Note a missed reading; after a while without enough good readings for a touch, the sensors are lost."""
        self._debounce.forget_readings()
        self._good_since = at
        if self._failing_since is None:
            self._failing_since = at
        self.pause_seconds = self._usual_pause()
        if max(at, self._now()) - self._failing_since >= LOST_SECONDS and not self._lost:
            self._report_lost(error, at)

    def _report_lost(self, error: Exception, at: float) -> None:
        self._lost, self._mended = True, at
        LOG.warning("the sensors are lost: %s", describe_system_error(error))
        if isinstance(error, SensorReadError | BoardFault):
            reason = error.message
        else:
            reason = Message("sensors.read_error", text=describe_system_error(error))
        self._emit_event(HealthEvent(Message("sensors.lost", reason=reason), at))

    def _try_recovery(self, at: float) -> bool:
        """Try now and then to set lost sensors up again; returns whether they are back."""
        if at - self._mended < RECOVERY_SECONDS:
            return False
        self._mended = at
        try:
            self._reader.open()
            for key in self._keys:
                key.open()
            readings = self._read_all(at)
            if not self._reader.is_configured():
                return False
        except (OSError, BoardFault):
            return False
        self._lost, self._failing_since, self._checked = False, None, at
        self._restart_debounce(readings)
        LOG.warning("the sensors are back")
        self._emit_event(HealthEvent(None, at))
        return True

    def _restart_debounce(self, readings: Sequence[SensorLevel]) -> None:
        """Go on from what is read now; nobody is taken to have pressed what was down when we could not look."""
        if not self.has_pieces:
            for sensor_number, level in enumerate(readings):
                if level:
                    self._debounce.levels[sensor_number] = level
        self._debounce.forget_readings()

    def _report_change(self, change: LevelChange) -> None:
        key_number = change.sensor_number - len(self._cells)
        if key_number >= 0:
            self._emit_event(self._key_events[key_number](bool(change.level), change.instant))
            return
        for touch in list_touches(change, self._cells[change.sensor_number], change.instant, self._light):
            self._emit_event(touch)

    def _emit_event(self, sensor_event: SensorEvent) -> None:
        if self._put:
            self._put(sensor_event)
