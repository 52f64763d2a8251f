"""Controller that runs set-up on a board, from opening it to saving the changes.

The terminal, the JSON protocol and set-up by lamps share this controller.
"""

from __future__ import annotations

import os
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from pond_hw.blackbox import BlackBox, record_board
from pond_hw.board import Board, BoardFault, SensorEvent
from pond_hw.board_factory import build_board, close_with_timeout
from pond_hw.drivers.board_lock import lock_board
from pond_hw.drivers.scan import SensorScan
from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message, as_message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile import load_profile
from pond_hw.profile.board_profile import AnalogWiring, SimulatedWiring
from pond_hw.profile.calibration import profile_fingerprint
from pond_hw.profile.calibration_store import save_calibration
from pond_hw.profile.library import find_profile, read_profile_text
from pond_hw.rules import PondError
from pond_hw.setup import saved_results
from pond_hw.setup.pages import PAGE_COLUMNS, ShownPage, StepPage, show_page
from pond_hw.setup.step import StepEvent, StepResult
from pond_hw.setup.step_runner import StepRunner
from pond_hw.setup.wizard import SetupWizard
from pond_hw.simulator.board_with_faults import BAD_BOUNCE_SECONDS, DEAD_CHIP, FaultyBoard, parse_build
from pond_hw.simulator.sensor_faults import CHATTER

MAX_CONTACT_BOUNCE = 2 * BAD_BOUNCE_SECONDS[1]
"""Seconds after which every contact on a simulated board has stopped bouncing."""


class SetupController:
    """Runs the set-up wizard on a board and saves accepted changes.

    Args:
        board_name: name or path of the board, as for `load_profile`.
        clock_now: clock, in seconds.
        wall_clock: wall clock, for the log of changes.
        is_simulated: True to simulate the board, even if its profile is for real hardware.
        flaws: faults of a simulated board, as for `parse_build`.
        random_seed: random seed for a simulated board.
        is_polled: True to poll the sensors of a simulated board in `pass_time` instead of in a thread.
        on_arrival: callback for new events, as for `StepRunner`.
        black_box: recorder for samples and frames.
        devices_held: True if the caller has already locked the board's devices.

    Attributes:
        profile: the board's profile, including saved changes.
        wizard: set-up wizard.
        workbench: the simulated board; None for a real one.
        saved_file: path of the latest saved file, or None. If the file is temporary, only its name is given.
        is_temporary: True if saved files are deleted when the simulated board is closed.
        result_notes: messages about saving the latest result.
        catalogue: language of the pages; English by default.
        failure_trace: traceback of the latest step that failed; empty if none did.
        bus_hung: True if the sensor bus hung during `close`, which leaves its thread running.

    Raises:
        PondError: if the board cannot be opened.
    """

    def __init__(
        self,
        board_name: str,
        clock_now: Callable[[], float],
        wall_clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        *,
        is_simulated: bool = False,
        flaws: Sequence[str] = (),
        random_seed: int = 0,
        is_polled: bool = False,
        on_arrival: Callable[[], None] = lambda: None,
        black_box: BlackBox | None = None,
        devices_held: bool = False,
    ) -> None:
        self._black_box = black_box
        self._board_name, self._now, self._wall_clock = board_name, clock_now, wall_clock
        self._is_polled, self._on_arrival, self._next_poll = is_polled, on_arrival, clock_now()
        self._earlier_counts = (0, 0)
        self.saved_file: Path | None = None
        self.workbench: FaultyBoard | None = None
        self.bus_hung = False
        self.result_notes: tuple[Message, ...] = ()
        self.failure_trace = ""
        self.catalogue = get_catalogue()
        self._environment: Mapping[str, str] = os.environ
        self.is_temporary = False
        with ExitStack() as exit_stack:
            if is_simulated and not isinstance(load_profile(board_name).sensing.wiring, SimulatedWiring):
                # Measurements of a simulated board must not affect the real board with the same profile.
                temporary_folder = exit_stack.enter_context(tempfile.TemporaryDirectory(prefix="pond-setup-"))
                self._environment = {**os.environ, "POND_BOARDS": temporary_folder}
                self.is_temporary = True
            self.profile = load_profile(board_name, environment=self._environment)
            self._measured_on = profile_fingerprint(read_profile_text(find_profile(board_name)))
            if is_simulated or isinstance(self.profile.sensing.wiring, SimulatedWiring):
                actual_build, broken_cells = parse_build(self.profile, flaws)
                self.workbench = FaultyBoard(self.profile, clock_now, actual_build, broken_cells, random_seed)
            elif flaws:
                raise PondError(Message("setup.flaw_needs_pretend"))
            elif not devices_held:
                exit_stack.enter_context(lock_board(self.profile))
            self.wizard = SetupWizard(self.profile)
            self._runner = self._open_runner()
            self._closing = exit_stack.pop_all()

    @property
    def current_page(self) -> StepPage:
        """Current page; the menu if the step raises an exception."""
        try:
            return self.wizard.page
        except Exception as error:  # noqa: BLE001 - set-up survives a failing step
            self._stop_step(error)
            return self.wizard.page

    def show_page(self, columns: int = PAGE_COLUMNS) -> ShownPage:
        """Return the current page as text in the chosen language, wrapped to the given width."""
        return show_page(self.current_page, self.catalogue, columns)

    @property
    def lamp_milliamps(self) -> float:
        """Lamp current in mA, as estimated by the current limiter."""
        return profile_limiter(self.profile).estimate_current(self._runner.frame)

    @property
    def lamp_trouble(self) -> Message | None:
        """Reason why the lamps cannot be reached, or None."""
        return self._runner.lamp_trouble

    def put_event(self, event: StepEvent) -> None:
        """Queue an event. May be called from any thread."""
        self._runner.put(event)

    def begin_step(self, step_name: str, cell_names: Sequence[str] = ()) -> None:
        """Leave the current step and begin another. Raises PondError if the board does not support it."""
        try:
            self.wizard.begin(step_name, self._now(), cell_names)
        except PondError:
            raise
        except Exception as error:  # noqa: BLE001 - as in current_page
            self._stop_step(error, step_name)

    def begin_guided(self) -> None:
        """Continue with the lamps alone."""
        self.wizard.begin_guided(self._now())

    def process_events(self) -> float:
        """Process events, update the lamps and save accepted changes. Return the time at which to call this again."""
        try:
            due_time = self._runner.run_once()
            if step_result := self.wizard.finished:
                self._apply_result(step_result)
                due_time = self._runner.run_once()
        except (PondError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - as in current_page
            self._stop_step(error)
            due_time = self._runner.run_once()
        return due_time

    def pass_time(self, passed_seconds: float, advance_to: Callable[[float], None]) -> None:
        """Advance simulated time on a polled board, reading its sensors and showing frames on the way."""
        end_time = self._now() + passed_seconds
        next_frame = self._now()
        if self._is_resting():
            self._next_poll = max(self._next_poll, end_time)
        while (next_instant := min(self._next_poll, next_frame)) <= end_time:
            advance_to(next_instant)
            if self._next_poll <= next_instant:
                sensor_scan = self._board.sensors
                assert isinstance(sensor_scan, SensorScan)
                sensor_scan.poll(self._now())
                self._next_poll = self._now() + sensor_scan.pause_seconds
            next_frame = max(self.process_events(), self._now() + 0.001)
        advance_to(end_time)

    @property
    def activity_counts(self) -> tuple[int, int]:
        """Numbers of sensor readings and frames so far, for the watchdog."""
        return self._earlier_counts[0] + self._board.sensors.poll_count, self._earlier_counts[1] + self._runner.frames

    def close(self) -> None:
        """Turn the lamps off and release all devices. Safe to call twice."""
        try:
            if self.workbench:
                self._runner.close()
            else:
                self.bus_hung = not close_with_timeout(self._runner.close, self._board.lamps)
        finally:
            self._closing.close()

    def _stop_step(self, step_error: Exception, step_name: str = "") -> None:
        """Leave a step that raised an unexpected exception, and keep the traceback for the log."""
        last_frame = traceback.extract_tb(step_error.__traceback__)[-1]
        error_location = f"{type(step_error).__name__}, {Path(last_frame.filename).name} line {last_frame.lineno}"
        self.failure_trace = "".join(traceback.format_exception(step_error))
        self.wizard.stop_step(Message("steps.failed", step=step_name or self.wizard.name, place=error_location))

    def _is_resting(self) -> bool:
        """Return True if no sensor can change until the next touch: all contacts are sound and have stopped bouncing."""
        assert self.workbench
        sensing, flickering_flaws = self.profile.sensing, {CHATTER, DEAD_CHIP} & {*self.workbench.flaws.values()}
        quiet_after = max(sensing.debounce_by_cell.values(), default=0.0) + MAX_CONTACT_BOUNCE
        is_quiet = self._now() > self.workbench.moved_at + quiet_after
        return is_quiet and not flickering_flaws and not isinstance(sensing.wiring, AnalogWiring)

    def _open_runner(self) -> StepRunner:
        new_board = self.workbench.to_board() if self.workbench else build_board(self.profile, self._now)
        new_board = PolledBoard(new_board.sensors, new_board.lamps) if self._is_polled else new_board
        self._board = record_board(new_board, self._black_box, self._now)
        self._next_poll = self._now()
        current_limiter = profile_limiter(self.profile)
        return StepRunner(self.profile, self._board, self.wizard, self._now, current_limiter, self._on_arrival)

    def _apply_result(self, step_result: StepResult) -> None:
        """Save a result, and reopen the board if its profile has changed."""
        profile_before = self.profile
        self.result_notes = *self._save_changes(step_result), *self._store_findings(step_result)
        self.wizard.finish_step(self.profile, self.result_notes, self._now())
        if self.profile == profile_before:
            return
        self._earlier_counts = self.activity_counts
        self._runner.close()
        if self.workbench:
            self.workbench.use_profile(self.profile)
        try:
            self._runner = self._open_runner()
        except BoardFault as fault:
            message = Message("setup.saved_not_opened", file=str(self.saved_file), reason=fault.message)
            raise BoardFault(message) from fault

    def _save_changes(self, step_result: StepResult) -> tuple[Message, ...]:
        """Save accepted changes, and return a message that reports the outcome."""
        if not step_result.changes:
            return ()
        try:
            saved_file = save_calibration(
                self._board_name,
                step_result.changes,
                by=f"pond setup {self.wizard.name}",
                why=step_result.log_line,
                now=self._wall_clock(),
                measured_on=self._measured_on,
                environment=self._environment,
            )
        except PondError as error:
            return (Message("setup.not_saved", reason=error.message),)
        self.profile = load_profile(self._board_name, environment=self._environment)
        self.saved_file = Path(saved_file.name) if self.is_temporary else saved_file
        if self.is_temporary:
            return (Message("setup.saved_for_now"),)
        return (Message("setup.saved", file=str(self.saved_file)),)

    def _store_findings(self, step_result: StepResult) -> tuple[Message, ...]:
        """Save findings, and return a message if that fails."""
        if not step_result.findings and not step_result.changes:
            return ()
        try:
            saved_results.save_result(
                self._board_name, self.wizard.name, step_result, self._wall_clock(), self._environment
            )
        except (OSError, PondError) as error:
            reason = error.message if isinstance(error, PondError) else as_message(f"{describe_system_error(error)}.")
            return (Message("setup.findings_not_kept", reason=reason),)
        return ()


class PolledBoard(Board):
    """A board without a sensor thread: the caller polls its sensors."""

    def open(self, put_event: Callable[[SensorEvent], None]) -> None:
        """Open the lamps, and the sensors without their thread."""
        self.lamps.open()
        assert isinstance(self.sensors, SensorScan)
        self.sensors.open_unthreaded(put_event)
