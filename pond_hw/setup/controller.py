"""Set-up on one board, from opening it to what is saved: what the terminal, the lines and the lamps have in common."""

from __future__ import annotations

import os
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from pond_hw.blackbox import BlackBox, recorded
from pond_hw.board import Board, BoardFault, Felt
from pond_hw.drivers.board_devices import hold_board
from pond_hw.drivers.open_board import wired
from pond_hw.drivers.scan import Scan
from pond_hw.drivers.shutdown import let_go
from pond_hw.lights.lamp_limits import limiter_of
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile import load
from pond_hw.profile.board_profile import Analog, Pretended
from pond_hw.profile.calibration import fingerprint
from pond_hw.profile.calibration_store import save
from pond_hw.profile.library import profile_file, text_of
from pond_hw.rules import PondError
from pond_hw.setup import results_store
from pond_hw.setup.step import Event, Page, Result
from pond_hw.setup.step_runner import Walk
from pond_hw.setup.wizard import Tour
from pond_hw.simulator.sensor_faults import CHATTER
from pond_hw.simulator.workbench import BAD_BOUNCE, DEAD_CHIP, Workbench, built_wrong

LONGEST_BOUNCE = 2 * BAD_BOUNCE[1]
"""Seconds after which no contact of a pretended board bounces any more."""


class Lead:
    """Leads a tour on a board, and saves what was agreed to.

    Args:
        wanted: the board, as for `load`.
        now: the clock, in seconds.
        wall: the wall clock, for the log of changes.
        pretend: whether the board is pretended, whatever its profile says; one that is simulated is in any case.
        flaws: what is wrong with a pretended board, as for `built_wrong`.
        seed: the chances of a pretended board.
        polled: whether the sensors of a pretended board are read by `pass_time`, and not by a thread.
        arrived: as for `Walk`.
        box: where all that is read and lit is noted, if anywhere.
        held: whether whoever leads holds the devices of the board already.

    Attributes:
        profile: the board, with what has been saved so far.
        bench: the pretended board; None for a real one.
        saved: the file that was written last, or None; of a pretended board its name alone, since its folder goes.
        for_now: whether what is saved goes when the board is closed, since it is only pretended.
        note: what came of the last step that was done, if that was saved or could not be, in a sentence or two.
        failed: what went wrong in a step that had to be left, in full, for a log; empty if nothing did.
        hangs: whether its bus hung when it was closed, so that a thread was left behind.

    Raises:
        PondError: it cannot be opened; the message says why.
    """

    def __init__(
        self,
        wanted: str,
        now: Callable[[], float],
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
        *,
        pretend: bool = False,
        flaws: Sequence[str] = (),
        seed: int = 0,
        polled: bool = False,
        arrived: Callable[[], None] = lambda: None,
        box: BlackBox | None = None,
        held: bool = False,
    ) -> None:
        self._box = box
        self._wanted, self._now, self._wall = wanted, now, wall
        self._polled, self._arrived, self._next_poll = polled, arrived, now()
        self._counted = (0, 0)
        self.saved: Path | None = None
        self.bench: Workbench | None = None
        self.hangs = False
        self.note = self.failed = ""
        self._environment: Mapping[str, str] = os.environ
        self.for_now = False
        with ExitStack() as taken:
            if pretend and not isinstance(load(wanted).sensing.wiring, Pretended):
                # What is measured on a pretended board is of no use to the real one of the same profile.
                folder = taken.enter_context(tempfile.TemporaryDirectory(prefix="pond-setup-"))
                self._environment = {**os.environ, "POND_BOARDS": folder}
                self.for_now = True
            self.profile = load(wanted, environment=self._environment)
            self._measured_on = fingerprint(text_of(profile_file(wanted)))
            if pretend or isinstance(self.profile.sensing.wiring, Pretended):
                built, broken = built_wrong(self.profile, flaws)
                self.bench = Workbench(self.profile, now, built, broken, seed)
            elif flaws:
                raise PondError("--flaw goes with a pretended board: add --pretend.")
            elif not held:
                taken.enter_context(hold_board(self.profile))
            self._walk = self._opened(Tour(self.profile))
            self._closing = taken.pop_all()

    @property
    def tour(self) -> Tour:
        """The tour as it stands."""
        tour = self._walk.step
        assert isinstance(tour, Tour)
        return tour

    @property
    def page(self) -> Page:
        """What the tour says; the menu, if the step cannot even say what it asks."""
        try:
            return self.tour.page
        except Exception as error:  # noqa: BLE001 - whatever is wrong in a step, set-up goes on without it
            self._stop(error)
            return self.tour.page

    @property
    def current(self) -> float:
        """What the lamps draw now, in mA, as far as the limiter's model knows."""
        return limiter_of(self.profile).estimate(self._walk.frame)

    @property
    def lamps_say(self) -> str | None:
        """Why the lamps are not reached, or None."""
        return self._walk.lamps_say

    def put(self, event: Event) -> None:
        """Hand in what happened: from any thread, at any time."""
        self._walk.put(event)

    def begin(self, name: str, cells: Sequence[str] = ()) -> None:
        """Begin a step, leaving the one that is under way.

        Raises:
            PondError: it cannot be done.
        """
        try:
            self.tour.begin(name, self._now(), cells)
        except PondError:
            raise
        except Exception as error:  # noqa: BLE001 - as for the page
            self._stop(error, name)

    def guide(self) -> None:
        """Go on by the lamps alone."""
        self.tour.guided(self._now())

    def go_on(self) -> float:
        """Take in what has happened, light what is to be lit, save what was agreed to.

        Returns:
            The instant at which there will be something to do again, if nothing happens before; seconds.
        """
        try:
            due = self._walk.go_on()
            if finished := self.tour.finished:
                self._settle(finished)
                due = self._walk.go_on()
        except (PondError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - as for the page
            self._stop(error)
            due = self._walk.go_on()
        return due

    def pass_time(self, seconds: float, sleep: Callable[[float], None]) -> None:
        """Let simulated time pass, in which sensors are read and lamps are lit; for a board that is polled.

        Args:
            seconds: how much.
            sleep: lets the clock go on by so many seconds.
        """
        end = self._now() + seconds
        frame = self._now()
        if self._rests():
            self._next_poll = max(self._next_poll, end)
        while (at := min(self._next_poll, frame)) <= end:
            sleep(max(0.0, at - self._now()))
            if self._next_poll <= at:
                sensors = self._board.sensors
                assert isinstance(sensors, Scan)
                sensors.poll(self._now())
                self._next_poll = self._now() + sensors.pause
            frame = max(self.go_on(), self._now() + 0.001)
        sleep(max(0.0, end - self._now()))

    @property
    def beats(self) -> tuple[int, int]:
        """How often the sensors have been read and the lamps driven, so that somebody can see that all goes on."""
        return self._counted[0] + self._board.sensors.beats, self._counted[1] + self._walk.frames

    def close(self) -> None:
        """Leave the lamps dark and let go of everything. Closing twice is no fault."""
        try:
            if self.bench:
                self._walk.close()
            else:
                self.hangs = not let_go(self._walk.close, self._board.lamps)
        finally:
            self._closing.close()

    def _stop(self, error: Exception, name: str = "") -> None:
        """Leave a step that has failed: that is a fault of this program, and nobody at a board is told it in full."""
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__}, {Path(last.filename).name} line {last.lineno}"
        self.failed = "".join(traceback.format_exception(error))
        self.tour.stopped(f"The step {name or self.tour.name} stopped: a fault in Pond ({where}).")

    def _rests(self) -> bool:
        """Whether the sensors would say again what they said: sound contacts that nobody has touched for a while."""
        assert self.bench
        sensing, restless = self.profile.sensing, {CHATTER, DEAD_CHIP} & {*self.bench.flaws.values()}
        quiet = self._now() > self.bench.moved + max(sensing.holds.values(), default=0.0) + LONGEST_BOUNCE
        return quiet and not restless and not isinstance(sensing.wiring, Analog)

    def _opened(self, tour: Tour) -> Walk:
        board = self.bench.board() if self.bench else wired(self.profile, self._now)
        board = _Polled(board.sensors, board.lamps) if self._polled else board
        self._board = recorded(board, self._box, self._now)
        self._next_poll = self._now()
        return Walk(self.profile, self._board, tour, self._now, limiter_of(self.profile), self._arrived)

    def _settle(self, finished: Result) -> None:
        """Save what was agreed to, and go on with the board as it is then."""
        before = self.profile
        self.note = " ".join(filter(None, (self._saved(finished), self._kept(finished))))
        tour = self.tour.settled(self.profile, self.note, self._now())
        if self.profile == before:
            return
        self._counted = self.beats
        self._walk.close()
        if self.bench:
            self.bench.rewired(self.profile)
        try:
            self._walk = self._opened(tour)
        except BoardFault as fault:
            raise BoardFault(f"{self.note} But then: {fault}") from fault

    def _saved(self, finished: Result) -> str:
        """Save what was agreed to; what came of that, as a sentence."""
        if not finished.changes:
            return ""
        try:
            file = save(
                self._wanted,
                finished.changes,
                by=f"pond setup {self.tour.name}",
                why=finished.why,
                now=self._wall(),
                measured_on=self._measured_on,
                environment=self._environment,
            )
        except PondError as error:
            return f"Nothing was saved: {error}"
        self.profile = load(self._wanted, environment=self._environment)
        self.saved = Path(file.name) if self.for_now else file
        if self.for_now:
            return "Saved, until you leave this pretended board."
        return f"Saved in {self.saved}. What was there before is kept beside it."

    def _kept(self, finished: Result) -> str:
        """Keep what was found; why that was not possible, as a sentence."""
        if not finished.findings and not finished.changes:
            return ""
        try:
            results_store.keep(self._wanted, self.tour.name, finished, self._wall(), self._environment)
        except OSError as error:
            return f"What was found could not be kept: {describe_system_error(error)}."
        except PondError as error:
            return f"What was found could not be kept: {error}"
        return ""


class _Polled(Board):
    """A board whose sensors are read when time passes, and not by a thread."""

    def open(self, put: Callable[[Felt], None]) -> None:
        self.lamps.open()
        assert isinstance(self.sensors, Scan)
        self.sensors.begin(put)
