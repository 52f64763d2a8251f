"""Scan of all of a board's sensors in one thread: levels become touches, faults become messages.

At rest the sensors are read as rarely as debouncing allows, and during a change quickly. If pins report edges, an
edge wakes the thread, which otherwise sleeps longer, up to `MAX_REST_SECONDS`. If a reading finds a change
without an edge, edges are no longer trusted.

A failed reading is repeated, and a level counts only once it is stable (see `debounce`). Before a change is
reported, the chips' settings are checked, since a brown-out can reset a chip that still answers with wrong
levels.
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
"""Immediate attempts at one reading before it counts as missed."""

READINGS_PER_DEBOUNCE = 4
"""Readings during a change's hold time, so that the change is not reported late."""

MIN_PAUSE_SECONDS = 0.001

EDGE_BYTES = 4096
"""Bytes of edge events discarded in one read. If there are more, the thread wakes again."""

LATE_EDGE_SECONDS = 0.01
"""Seconds by which an edge event may arrive after the reading that saw its change."""

MAX_SIMULTANEOUS = 3
"""Maximum number of buttons accepted at the same moment. Also the minimum number of pieces that cannot all be lifted at
once: if at least that many pieces vanish together and none are left, the reading is rejected.
"""

RETRY_LIMIT_SECONDS = 0.02
"""Duration in seconds above which a failed reading is not repeated, since a hung bus is slow to fail."""

LOST_SECONDS = 0.2
"""Seconds without a usable reading before sensors are reported lost."""

RECOVERY_SECONDS = 0.25
"""Seconds between attempts to set up lost sensors again."""

MAX_KEY_HOLD_SECONDS = 0.02
"""Longest hold time of a key beside the cells. Switches bounce for about 10 ms, and a quick tap lasts 50 ms, which is less
than the hold time of a magnet.
"""

CHECK_SECONDS = 0.9
"""Seconds after which the chips' settings are checked even without a change."""


_AnswerT = TypeVar("_AnswerT")


class SensorReadError(OSError):
    """A reading failed, or returned an impossible value. `message` gives the reason."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class SensorReader(Protocol):
    """Interface to the cells' sensors, which are read as a whole from one thread at a time.

    Any call except `close` may raise OSError if the sensors cannot be reached.
    """

    def open(self) -> None:
        """Claim the sensors and configure them. A second call configures them again.

        Raises:
            BoardFault: they are unavailable, and trying again will not help.
        """

    def read_levels(self) -> Sequence[SensorLevel]:
        """Return the level of each cell's sensor, in the order a1, b1, ... a2, ..."""

    @property
    def edge_fd(self) -> int | None:
        """Descriptor of a file that becomes readable when a level may have changed; None without edges."""

    @property
    def raw_values(self) -> tuple[int, ...] | None:
        """Values that the latest levels were derived from, as in `Sample`."""

    def is_configured(self) -> bool:
        """Return True if the chips still have the settings from `open`."""

    def close(self) -> None:
        """Release the sensors."""


class SensorScan:
    """Sensors of a board, read slowly at rest and quickly during a change.

    Args:
        size: rows and columns.
        sensor_reader: the cells' sensors.
        hold_seconds: seconds for which a level must be stable, for all cells or for each in the order a1, b1, ...
        scan_rate: readings per second: at least this many during a change or a failure, at most this many at rest.
        now: clock, in seconds.
        keys: keys beside the cells: a reader with one sensor, and the constructor of its event.
        pieces: True if the sensors detect pieces, which may be there from the start and on every cell at once.
            Otherwise they are buttons: a button that is down at the start is not reported, and all of them down at
            once is a fault.
        light: level of a light piece if the sensors detect owners, +1 or -1; otherwise 0.

    Attributes:
        pause_seconds: current time from the start of one reading to the next, if no edge comes first.
        rest_seconds: the same at rest.
        quick_seconds: the same during a change. It is even shorter when a change is about to be accepted.
        levels: latest levels of the cells' sensors, before debouncing.
        always_fast: True to read at the quick rate even at rest.
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
        self._is_settled = False  # True if the last reading equalled the debounced levels
        self._edge_fds: list[int | None] = []  # one for the cells, one for each key
        self._edge_waiter: select.poll | None = None
        self._trusts_edges = True
        self._expects_no_change = False  # True if every reader reports edges and none did
        # Seconds of good readings within which any touch would have been reported.
        self._healthy_after = max(cell_holds) + 3 * self._period
        self.has_pieces, self._light = pieces, light
        self._cells: tuple[Cell, ...] = get_grid(size).cells
        self._numbers = frozenset(range(len(self._cells)))
        self._holds = cell_holds + [min(MAX_KEY_HOLD_SECONDS, max(cell_holds))] * len(keys)
        self._debounce = DebounceFilter(self._holds)
        self._put: Callable[[SensorEvent], None] | None = None
        self._failing_since: float | None = None
        self._good_since = 0.0  # instant since which no reading has been missed
        self._lost = False
        self._recovery_tried_at = self._checked = 0.0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self, put_event: Callable[[SensorEvent], None]) -> None:
        self.open_unthreaded(put_event)
        self._stop.clear()
        self._thread = threading.Thread(target=self._poll_until_stopped, name="pond sensors", daemon=True)
        self._thread.start()

    def open_unthreaded(self, put_event: Callable[[SensorEvent], None]) -> None:
        """Claim the sensors without a thread; the caller must call `poll`. Sensors that do not answer yet count as lost."""
        self._debounce = DebounceFilter(self._holds)  # discard the state from before `close`
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
                self._report_lost(late_error, self._checked)  # the chips may just take longer to start than the Pi
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
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
        self.poll_count += 1
        self.pause_seconds, self._is_settled = self._default_pause(), False
        if self._lost and not self._try_recovery(at):
            return
        try:
            readings = self._read_all(at)
            due_changes = self._debounce.add_readings(readings, at, self._now())
            if (due_changes or at - self._checked >= CHECK_SECONDS) and not self._check_configured(at):
                return
        except (OSError, BoardFault) as error:
            self._note_missed_reading(error, at)
            return
        if at - self._good_since >= self._healthy_after:
            self._failing_since = None
        down = len(self._debounce.simultaneous_presses(due_changes) & self._numbers)
        if down > MAX_SIMULTANEOUS and not self.has_pieces:
            self._note_missed_reading(SensorReadError(Message("sensors.too_many_buttons", buttons=down)), at)
            return
        self._debounce.accept_changes(due_changes)
        for change in due_changes:
            self._report_change(change)
        self._is_settled = readings == tuple(self._debounce.levels)
        if not self._is_settled:
            self.pause_seconds = max(MIN_PAUSE_SECONDS, min(self.quick_seconds, self._debounce.next_due_at - at))

    def _default_pause(self) -> float:
        """Return the seconds until the next reading if no change is about to be accepted."""
        if self.always_fast:
            return self.quick_seconds
        return self.rest_seconds if self._failing_since is None else self._period

    def _poll_until_stopped(self) -> None:
        begun_at = due_at = self._now()
        while not self._wait_until(due_at, begun_at + MIN_PAUSE_SECONDS):
            begun_at = self._now()
            try:
                self.poll(begun_at)
            except Exception as error:  # noqa: BLE001 - a library may raise anything, and the thread must not die
                self._note_missed_reading(error, self._now())
            if self._expects_no_change and not self._is_settled and self._failing_since is None:
                self._check_edges()
            due_at = max(begun_at + self.pause_seconds, self._now())

    def _wait_until(self, due_at: float, edge_due_at: float) -> bool:
        """Wait until a reading is due or, at rest, until an edge arrives. Return True if the scan was stopped."""
        if self._is_settled and not self.always_fast and (edge_waiter := self._prepare_edge_waiter()):
            if has_all_edges := self._trusts_edges and None not in self._edge_fds and self._failing_since is None:
                due_at += max(0.0, MAX_REST_SECONDS - self.rest_seconds)
            edges = edge_waiter.poll(max(0.0, due_at - self._now()) * 1000)
            self._expects_no_change = has_all_edges and not edges
            if not edges:
                return self._stop.is_set()
            for edge_fd, _ in edges:
                with suppress(OSError):  # the next reading notices a faulty file
                    read(edge_fd, EDGE_BYTES)
            due_at = edge_due_at
        else:
            self._expects_no_change = False
        return self._stop.wait(max(0.0, due_at - self._now()))

    def _check_edges(self) -> None:
        """Stop trusting edges if a reading found a change and no edge arrives for it."""
        if self._edge_waiter and not self._edge_waiter.poll(LATE_EDGE_SECONDS * 1000):
            self._trusts_edges = False
            LOG.warning("a sensor changed without an edge event: all sensors will be read more often at rest")

    def _prepare_edge_waiter(self) -> select.poll | None:
        edge_fds = [reader.edge_fd for reader in (self._reader, *self._keys)]
        if edge_fds != self._edge_fds:
            self._edge_fds, self._edge_waiter = edge_fds, None
            for edge_fd in edge_fds:
                if edge_fd is not None:
                    self._edge_waiter = self._edge_waiter or select.poll()
                    self._edge_waiter.register(edge_fd, select.POLLIN)
        return self._edge_waiter

    def _read_all(self, at: float) -> tuple[SensorLevel, ...]:
        levels = tuple(self._call_with_retries(self._reader.read_levels))
        if self.sample_watchers and self._watched != (levels, self._reader.raw_values):
            self._watched = levels, self._reader.raw_values
            for watch_sample in self.sample_watchers:
                watch_sample(Sample(levels, at, self._reader.raw_values))
        if not self.has_pieces and all(levels):
            raise SensorReadError(Message("sensors.all_buttons"))
        if (
            self.has_pieces
            and not any(levels)
            and sum(map(bool, self._debounce.levels[: len(levels)])) >= MAX_SIMULTANEOUS
        ):
            raise SensorReadError(Message("sensors.all_pieces_gone"))
        self.levels = levels
        return (*levels, *(level for key in self._keys for level in self._call_with_retries(key.read_levels)))

    def _check_configured(self, at: float) -> bool:
        """Check the chips' settings. If they were lost, restore them and discard recent readings."""
        self._checked = at
        if self._call_with_retries(self._reader.is_configured):
            return True
        LOG.warning("the sensors had lost their settings and were configured again")
        self._debounce.forget_readings()
        self._reader.open()
        return False

    @staticmethod
    def _caught_os_error(device_call: Callable[[], None]) -> OSError | None:
        try:
            device_call()
        except OSError as error:
            return error
        return None

    def _call_with_retries(self, read_call: Callable[[], _AnswerT]) -> _AnswerT:
        """Call a function, and retry after an error unless it took too long."""
        begun_at = self._now()
        for _ in range(READ_TRIES - 1):
            try:
                return read_call()
            except OSError:
                if self._now() - begun_at > RETRY_LIMIT_SECONDS:
                    raise
        return read_call()

    def _note_missed_reading(self, error: Exception, at: float) -> None:
        """Record a missed reading. Report the sensors as lost after too long without a usable reading."""
        self._debounce.forget_readings()
        self._good_since = at
        if self._failing_since is None:
            self._failing_since = at
        self.pause_seconds = self._default_pause()
        if max(at, self._now()) - self._failing_since >= LOST_SECONDS and not self._lost:
            self._report_lost(error, at)

    def _report_lost(self, error: Exception, at: float) -> None:
        self._lost, self._recovery_tried_at = True, at
        LOG.warning("the sensors are lost: %s", describe_system_error(error))
        if isinstance(error, SensorReadError | BoardFault):
            reason = error.message
        else:
            reason = Message("sensors.read_error", text=describe_system_error(error))
        self._emit_event(HealthEvent(Message("sensors.lost", reason=reason), at))

    def _try_recovery(self, at: float) -> bool:
        """Try at intervals to set up lost sensors again; return True if they are back."""
        if at - self._recovery_tried_at < RECOVERY_SECONDS:
            return False
        self._recovery_tried_at = at
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
