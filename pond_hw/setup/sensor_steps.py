"""Sensor steps: `sensors` tests the sensors, `timing` proposes debounce times, and `live` shows current readings.

In the `sensors` step, the user first keeps their hands off the board, then presses every cell several times. On a
matrix, the user also holds three cells at once. Finally, the user keeps their hands off the board again.

Every cell is measured (`sensor_measurements`), and all measurements are evaluated at the end (`sensor_diagnosis`).
Because users make mistakes, a cell that does not respond as expected is tested again at the end, and a hands-off period
in which a sensor responds is repeated. Cells that respond without a touch are not tested: their fault is known.

If a sensor does not respond, it may be dead, or the user may not have pressed it. With a screen, the step waits until
the user confirms the press. Without a screen, it skips the cell after a while and reports it as not examined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from math import ceil, inf
from typing import Any

from pond_hw.board import RGB, HealthEvent, Sample
from pond_hw.drivers.debounce import DebounceFilter
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import AnalogWiring, MatrixCrossing, MatrixWiring, Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.findings import FAULT, SetupFinding, draw_findings, faulty_cells, format_cell_table
from pond_hw.setup.lamp_positions import fade_colour, light_cells, next_fade_time
from pond_hw.setup.pages import NO, TO_MENU, YES, Block, SetupOption, StepPage, Table, summarise_findings
from pond_hw.setup.sensor_diagnosis import FLAPPING_CHANGES, BoardMeasurements, diagnose_sensors
from pond_hw.setup.sensor_measurements import IdlePeriod, PressTrial, SignalLog, measure_idle, measure_trial
from pond_hw.setup.step import (
    Conversation,
    LitLamps,
    Prompt,
    SensorsLost,
    SetupStep,
    StepReply,
    StepResult,
    StepTick,
    listen,
    run_with_restarts,
)

HANDS_OFF_SECONDS = 3.0
PRESSES_PER_CELL = 3  # number of presses of each cell

PRESS_TIMEOUT = 8.0  # seconds without a press after which a cell is skipped if there is no screen
QUIET_SECONDS = 0.25  # seconds from the last release to the next cell

HELD_SECONDS = 3.0  # seconds after which a pressed cell is reported as held or stuck

MAX_CELL_SECONDS = 30.0
"""Maximum number of seconds for a cell that has been pressed often enough; without a screen, for any cell."""

LOST_TIMEOUT = 3.0  # seconds after which the step ends if the sensors do not respond
SKIP = SetupOption("n", Message("setup_key.skip"))
NOTHING_HAPPENS = SetupOption("x", Message("setup_key.nothing_happens"))

ASKED, GLOW = (150, 150, 150), (14, 14, 14)  # the current cell, and finished cells


class SensorTest(SetupStep):
    """The `sensors` step.

    Attributes:
        profile: the board's profile.
        queue: remaining cells, the current one first.
        phase: `off` (hands off), `press`, `corners`, `off again` or `done`.
        since: time at which the current phase began, in seconds.
        log: samples since then.
        changed_at: time of the latest level change, ignoring sensors that respond without a touch.
        last_press_at: time of the latest press of the current cell, or the start of the phase.
        press_count: presses of the current cell so far; if it does not respond, of the sensor that responds most often.
        measured: measurements so far.
        rectangle: in a matrix, the cell whose diode is tested, two more cells to hold, and the cell that must not respond.
        at: time of the latest event.
        findings: findings so far, cached because pages are drawn many times a second.
    """

    title = Message("sensor_walk.title")

    def __init__(
        self,
        profile: Profile,
        instant: float,
        asked_cells: Sequence[Cell] = (),
        *,
        tests_diodes: bool = True,
        is_timed: bool = False,
        known_trials: Mapping[Cell, tuple[PressTrial, ...]] | None = None,
    ) -> None:
        """Start the step.

        Args:
            profile: the board's profile.
            instant: current time, in seconds.
            asked_cells: cells to test; by default all.
            tests_diodes: True to test the diodes of a matrix.
            is_timed: True to skip unresponsive cells after a while, for set-up without a screen.
            known_trials: earlier trials of other cells.
        """
        self.profile, self.timed, self.cells = profile, is_timed, get_grid(profile.size).cells
        self.queue = tuple(asked_cells) or self.cells
        self.measured = BoardMeasurements(trials_by_cell=known_trials or {}, asked_cells=self.queue)
        self.rectangle: tuple[Cell, ...] = ()
        self.findings: tuple[SetupFinding, ...] = ()
        self.log, self.at = SignalLog(), instant
        self._kind = "pieces" if profile.sensing.kind == "hall" else "buttons"
        self._elbows = self.queue if tests_diodes and isinstance(profile.sensing.wiring, MatrixWiring) else ()
        self._begin("off", instant)
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Run all phases. End early if the sensors stop responding."""
        try:
            yield from self._exercise()
        except SensorsLost as lost:
            self._record(sensor_trouble=lost.trouble)
        self._begin("done", self.at)
        return StepResult(self.findings)

    def _exercise(self) -> Conversation[None]:
        idle_before = yield from self._hands_off("off")
        if idle_before is None:
            raise SensorsLost(Message("setup.nothing_read"))
        self.queue = tuple(cell for cell in self.queue if self._number(cell) not in find_restless(idle_before))
        self._record(idle_before=idle_before)
        while self.queue:
            yield from run_with_restarts(self._press, self.at)
        trials = {self._number(cell): trials[-1] for cell, trials in self.measured.trials_by_cell.items()}
        sound_cells = frozenset(  # cells that responded to their own presses and to no others
            self.cells[number]
            for number, own_trial in trials.items()
            if own_trial.count_presses(number) >= PRESSES_PER_CELL
            and not any(trial.count_shared_presses(other, number) for other, trial in trials.items() if other != number)
        )
        for elbow_cell in self._elbows:
            if rectangle_cells := find_rectangle(self.profile, elbow_cell, sound_cells):
                self.rectangle = rectangle_cells
                yield from run_with_restarts(self._hold_three, self.at)
        self._record(idle_after=(yield from self._hands_off("off again")))

    def _hands_off(self, phase_name: str) -> Conversation[IdlePeriod | None]:
        """Measure untouched sensors. Repeat this once if a sensor responds."""
        prompt = (Message(f"sensor_walk.hands_off.{self._kind}", seconds=round(HANDS_OFF_SECONDS)),)
        for again in ((), (Message("sensor_walk.felt_something"),)):
            idle_period = yield from run_with_restarts(
                partial(self._stay_quiet, phase_name, (*again, *prompt)), self.at
            )
            if not find_restless(idle_period, 1) - self._restless:
                break
        return idle_period

    def _stay_quiet(
        self, phase_name: str, prompt: tuple[Message, ...], begun_at: float
    ) -> Conversation[IdlePeriod | None]:
        self._begin(phase_name, begun_at)
        yield from self._wait(lambda: prompt)
        return measure_idle(self.log, self.at - begun_at)

    def _press(self, begun_at: float) -> Conversation[None]:
        """Measure presses of the next cell. If it does not respond as expected, add it to the end of the queue once more."""
        self._begin("press", begun_at, self.queue[:1])
        key = yield from self._wait(self._ask_press, NOTHING_HAPPENS)
        cell, *later_cells = self.queue
        own_input, earlier_trials = self._number(cell), self.measured.trials_by_cell.get(cell, ())
        rest_counts = self.measured.idle_before.rest_counts if self.measured.idle_before else ()
        press_trial = measure_trial(PRESSES_PER_CELL, self.log, own_input, rest_counts, is_confirmed=key == "x")
        asked_again = () if press_trial.count_presses(own_input) >= PRESSES_PER_CELL or earlier_trials else (cell,)
        self.queue = (*later_cells, *asked_again)
        self._record(trials_by_cell={**self.measured.trials_by_cell, cell: (*earlier_trials, press_trial)})

    def _hold_three(self, begun_at: float) -> Conversation[None]:
        """Ask the user to hold three corners of a rectangle, and record whether the fourth responds."""
        self._begin("corners", begun_at, self.rectangle[:3])
        elbow_cell, along_cell, across_cell, ghost_cell = self.rectangle
        yield from self._wait(lambda: (Message("sensor_walk.hold", cells=(elbow_cell, along_cell, across_cell)),))
        if self._is_enough:
            self._record(ghosts_by_cell={**self.measured.ghosts_by_cell, elbow_cell: ghost_cell in self._down})

    def _wait(self, prompt: Callable[[], tuple[Message, ...]], *options: SetupOption) -> Conversation[str]:
        """Wait until the current phase ends or a key is pressed. Return the key, or an empty string."""
        choices = *options, SKIP
        while self.at < self._end_time:
            due = min(self._end_time, next_fade_time(self._give_up_time, self.at))
            held_until = self._held_since + HELD_SECONDS
            due = min(due, held_until) if held_until > self.at else due
            event = yield from listen(
                Prompt(lambda: self._page(prompt(), choices), self._light, due), self._lost_prompt, LOST_TIMEOUT
            )
            match event:
                case StepReply(key, at) if key in dict(choices):
                    self.at = at
                    return key
                case Sample():
                    self._read(event)
                case StepTick(at):
                    self.at = at
        return ""

    def _lost_prompt(self, trouble: Message) -> Prompt:
        return Prompt(StepPage(self.title, self._finding_rows, trouble), self._light)

    def last_prompt(self) -> Prompt:
        """Show the findings. Finished cells glow."""
        text = summarise_findings(self.findings)
        return Prompt(lambda: StepPage(self.title, self._finding_rows, text=text), self._light)

    def _page(self, prompt: tuple[Message, ...], choices: tuple[SetupOption, ...]) -> StepPage:
        asked_count = len(self.measured.asked_cells)
        return StepPage(self.title, self._finding_rows, prompt, choices, (asked_count - len(self.queue), asked_count))

    @property
    def _finding_rows(self) -> tuple[str, ...]:
        return draw_findings(self.profile, self.findings)

    def _ask_press(self) -> tuple[Message, ...]:
        if self.at >= self._held_since + HELD_SECONDS:
            return (Message(f"sensor_walk.held.{self._kind}", cell=self.queue[0]),)
        count = (
            (Message("sensor_walk.felt", presses=self.press_count, total=PRESSES_PER_CELL),) if self.press_count else ()
        )
        return Message(f"sensor_walk.press.{self._kind}", cell=self.queue[0], times=PRESSES_PER_CELL), *count

    def _light(self) -> LitLamps:
        """Light the cells to press until they are pressed. Finished cells glow."""
        down_cells = self._pressed if self.phase == "corners" else self._down
        asked = [] if self._is_enough else [cell for cell in self._asked if cell not in down_cells]
        shade = fade_colour(ASKED, self._give_up_time - self.at)
        return light_cells(self.profile, self.measured.trials_by_cell, GLOW) | light_cells(self.profile, asked, shade)

    @property
    def _is_enough(self) -> bool:
        if self.phase == "press":
            return self.press_count >= PRESSES_PER_CELL
        return bool(self._asked) and self._pressed >= {*self._asked}

    @property
    def _held_since(self) -> float:
        """Time since which the current cell has been down; infinity if it is up."""
        if self.phase != "press" or self.queue[0] not in self._down:
            return inf
        level_flips = self.log.flips_by_input.get(self._number(self.queue[0]), ())
        return level_flips[-1].at_seconds if level_flips else self.since

    @property
    def _end_time(self) -> float:
        """Time at which the current phase ends."""
        if not self._asked:
            return self.since + HANDS_OFF_SECONDS
        return (
            min(self.changed_at + QUIET_SECONDS, self.since + MAX_CELL_SECONDS)
            if self._is_enough
            else self._give_up_time
        )

    @property
    def _give_up_time(self) -> float:
        """Time at which an unresponsive cell is skipped; infinity with a screen."""
        return (
            min(self.last_press_at + PRESS_TIMEOUT, self.since + MAX_CELL_SECONDS)
            if self.timed and self._asked
            else inf
        )

    @property
    def _down(self) -> frozenset[Cell]:
        levels = self.log.last_sample.sensed_levels if self.log.last_sample else ()
        return frozenset(cell for cell, level in zip(self.cells, levels, strict=False) if level)

    @property
    def _pressed(self) -> frozenset[Cell]:
        """Cells that went down during the current phase and are still down."""
        flips_by_input = self.log.flips_by_input
        fresh = {number for number, flips in flips_by_input.items() if any(flip.is_down for flip in flips)}
        return frozenset(cell for cell in self._down if self._number(cell) in fresh)

    @property
    def _restless(self) -> frozenset[int]:
        """Inputs that respond without a touch."""
        return find_restless(self.measured.idle_before)

    def _begin(self, phase_name: str, at: float, asked_cells: tuple[Cell, ...] = ()) -> None:
        """Begin a phase. Its log starts with the latest sample."""
        self.phase, self._asked, self.press_count = phase_name, asked_cells, 0
        self.since = self.at = self.changed_at = self.last_press_at = at
        self.log = SignalLog().with_sample(self.log.last_sample) if self.log.last_sample else SignalLog()

    def _read(self, sample: Sample) -> None:
        """Log a sample, and recount the presses if a sensor has changed."""
        flips_before, self.log, self.at = self.log.flips_by_input, self.log.with_sample(sample), sample.instant
        flips_by_input = self.log.flips_by_input
        changed_inputs = {number for number, flips in flips_by_input.items() if flips is not flips_before.get(number)}
        if changed_inputs - self._restless:
            self.changed_at = sample.instant
        if changed_inputs and self.phase == "press":
            own = self._number(self.queue[0])
            quiet_inputs = flips_by_input.keys() - self._restless
            press_counts = {number: len(self.log.list_presses(number)) for number in quiet_inputs}
            self.press_count = press_counts.get(own, 0) or max(press_counts.values(), default=0)
            self.last_press_at = max([self.since, *(edge_burst.last_flip for edge_burst in self.log.list_edges(own))])

    def _record(self, **measured: Any) -> None:
        """Record measurements and update the findings."""
        self.measured = replace(self.measured, **measured)
        self.findings = diagnose_sensors(self.profile, self.measured)

    def _number(self, cell: Cell) -> int:
        return self.cells.index(cell)


def find_restless(idle: IdlePeriod | None, min_flips: int = FLAPPING_CHANGES) -> frozenset[int]:
    """Return the inputs that were always down, or changed at least `min_flips` times, while untouched."""
    if idle is None:
        return frozenset()
    return idle.inputs_on | {number for number, flips in enumerate(idle.flip_counts) if flips >= min_flips}


def find_rectangle(profile: Profile, elbow: Cell, sound: frozenset[Cell]) -> tuple[Cell, ...]:
    """Return a rectangle of cells in a matrix that tests the diode of `elbow`; empty if there is none.

    The first cell is `elbow`, the next two share a line with it, and the fourth is the opposite corner. If the first three
    are down, current can reach the fourth only by flowing back through the diode of `elbow`. All four are taken from
    `sound`, the cells with reliable sensors.
    """
    wiring = profile.sensing.wiring
    assert isinstance(wiring, MatrixWiring)
    drive_line, sense_line = wiring.crossings[elbow]
    cell_at = {matrix_crossing: cell for cell, matrix_crossing in wiring.crossings.items() if cell in sound}
    for (other_drive, other_sense), cell in cell_at.items():
        along_cell = cell_at.get(MatrixCrossing(drive_line, other_sense))
        across_cell = cell_at.get(MatrixCrossing(other_drive, sense_line))
        if elbow in sound and other_drive != drive_line and other_sense != sense_line and along_cell and across_cell:
            return elbow, along_cell, across_cell, cell
    return ()


MIN_DEBOUNCE_MS = {"button": 5, "hall": 20}  # minimum time to propose, in ms: spikes are shorter
MAX_DEBOUNCE_MS = {"button": 200, "hall": 1000}  # maximum time in a profile, in ms

HAND_MS = 100  # time for a hand to reach the next cell, in ms


class TimingStep(SetupStep):
    """The `timing` step: propose debounce times from the measurements of the `sensors` step.

    Cells without measurements are measured first.

        debounce  1.5 times the longest bounce of the cell; at least two readings and the minimum for the kind of sensor
        settle    twice the longest debounce time plus 0.1 s for a moving hand

    Attributes:
        profile: the board's profile.
        measured: measurements of the sensors.
        findings: findings about the sensors.
    """

    title = Message("timing.title")

    def __init__(self, profile: Profile, instant: float, known_measurements: BoardMeasurements | None = None) -> None:
        """Start the step.

        Args:
            profile: the board's profile.
            instant: current time, in seconds.
            known_measurements: earlier measurements with the same wiring; cells that they include are not measured again.
        """
        self.profile, self.at, self._used = profile, instant, known_measurements is not None
        self.cells = get_grid(profile.size).cells
        self.measured = known_measurements or BoardMeasurements()
        self.findings: tuple[SetupFinding, ...] = ()
        self._last: Sample | None = None
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Measure the remaining cells, then propose debounce times."""
        restless_inputs = find_restless(self.measured.idle_before)
        known_cells = {*self.measured.trials_by_cell, *(self.cells[input_number] for input_number in restless_inputs)}
        if unknown := tuple(cell for cell in self.cells if cell not in known_cells):
            known = self.measured.trials_by_cell
            sensor_test = SensorTest(self.profile, self.at, unknown, tests_diodes=False, known_trials=known)
            yield from self._exercise(sensor_test)
        else:
            self.findings = diagnose_sensors(self.profile, self.measured)
        while (given_answer := (yield from self._ask_consent())) == "r":
            self._used = False
            sensor_test = SensorTest(self.profile, self.at, tests_diodes=False)
            if self._last:
                sensor_test.after(self._last._replace(instant=self.at))
            yield from self._exercise(sensor_test)
        changes = self._changes if given_answer == "y" else {}
        return StepResult(self.findings, changes, f"timing: {', '.join(changes)}" if changes else "")

    def last_prompt(self) -> Prompt:
        """Keep the measured cells glowing."""
        return Prompt(StepPage(self.title), self._light)

    def _exercise(self, sensor_test: SensorTest) -> Conversation[None]:
        """Run a sensor test, and show the title of this step on its pages."""
        while not sensor_test.result:
            prompt = Prompt(
                lambda: replace(sensor_test.page, title=self.title), lambda: sensor_test.lit_lamps, sensor_test.due
            )
            sensor_test.after((yield prompt))
        self.measured, self.findings = sensor_test.measured, sensor_test.result.findings
        self._last = sensor_test.log.last_sample

    def _ask_consent(self) -> Conversation[str]:
        """Show the proposed times. Return `y` to save them, `n` to discard them, or `r` to measure all cells again."""
        prompt, choices = Message("timing.right"), [SetupOption("n", Message("setup_key.menu"))]
        if self._changes:
            prompt, choices = Message("timing.ask"), [YES, NO]
        if not self._debounce:
            prompt = Message("timing.nothing_measured")
        text = self._time_sentences
        if self._used:
            text = (*text, Message("timing.measured_before"))
            choices.append(SetupOption("r", Message("timing.again")))
        page = StepPage(self.title, self._time_rows, prompt, tuple(choices), text=text)
        while True:
            match (yield Prompt(page, self._light)):
                case Sample() as sample:
                    self._last = sample
                case StepReply(key, instant) if key in dict(choices):
                    self.at = instant
                    return key

    def _light(self) -> LitLamps:
        return light_cells(self.profile, self.measured.trials_by_cell, GLOW)

    @property
    def _debounce(self) -> dict[Cell, int]:
        """Proposed debounce time of each measured cell, in milliseconds. Faulty and misplaced sensors are excluded."""
        faulty_names = {cell for finding in self.findings if finding.grade == FAULT for cell in faulty_cells(finding)}
        sensing = self.profile.sensing
        return {
            cell: recommend_debounce(press_trials, sensing.kind, sensing.scan_rate)
            for cell, press_trials in self.measured.trials_by_cell.items()
            if cell not in faulty_names and any(press_trial.edge_bursts for press_trial in press_trials)
        }

    @property
    def _changes(self) -> dict[str, object]:
        sensing, proposed_ms = self.profile.sensing, self._debounce
        if not proposed_ms:
            return {}
        longest_ms = max(proposed_ms.values())
        wanted_ms = {cell: proposed_ms.get(cell, longest_ms) for cell in self.cells}
        proposed_changes: dict[str, object] = {}
        if any(round(sensing.debounce_by_cell[cell] * 1000) != wanted_ms[cell] for cell in wanted_ms):
            proposed_changes["sensors.debounce_ms"] = format_cell_table(self.profile, wanted_ms, 3)
        settle_ms = max(100, 2 * longest_ms + HAND_MS)
        if sensing.kind == "hall" and settle_ms != round(sensing.settle_seconds * 1000):
            proposed_changes["sensors.settle_ms"] = settle_ms
        return proposed_changes

    @property
    def _time_rows(self) -> tuple[Block, ...]:
        """Longest bounce and proposed debounce time of each cell."""
        proposed, trials = self._debounce, self.measured.trials_by_cell
        rows = []
        for row in get_grid(self.profile.size).rows:
            times = [f"{longest_bounce_ms(trials[c]):.0f} -> {proposed[c]}" if c in proposed else "." for c in row]
            rows.append("".join(f"{cell_times:<12}" for cell_times in times).rstrip())
        return Message("timing.heading"), *rows

    @property
    def _time_sentences(self) -> tuple[Message, ...]:
        """Sentences about the debounce time in the profile and the proposed settle time."""
        sensing = self.profile.sensing
        drawn = Message("timing.drawn", debounce_ms=round(sensing.debounce_seconds * 1000))
        if settle_ms := self._changes.get("sensors.settle_ms"):
            assert isinstance(settle_ms, int)
            settle = {"settle_ms": settle_ms, "drawn_ms": round(sensing.settle_seconds * 1000)}
            return drawn, Message("timing.settle", **settle)
        return (drawn,)


def longest_bounce_ms(press_trials: tuple[PressTrial, ...]) -> float:
    """Return the duration of the longest bounce, in milliseconds."""
    return max(press_trial.longest_bounce for press_trial in press_trials) * 1000


def recommend_debounce(press_trials: tuple[PressTrial, ...], sensor_kind: str, scan_rate: float) -> int:
    """Return the recommended debounce time in whole milliseconds.

    Args:
        press_trials: trials of the sensor.
        sensor_kind: `button` or `hall`.
        scan_rate: number of sensor readings per second.
    """
    needed_ms = max(1.5 * longest_bounce_ms(press_trials), 2000 / scan_rate)
    return min(max(MIN_DEBOUNCE_MS[sensor_kind], ceil(needed_ms)), MAX_DEBOUNCE_MS[sensor_kind])


DOWN: RGB = (90, 90, 90)  # cells whose sensors are on
MAX_SHOWN_CHANGES = 999  # a larger number would not fit beside a board on the screen


class LiveView(SetupStep):
    """The `live` step: show the current readings of all sensors.

        raw        raw level: `#` down, `.` up; for linear sensors, the count and the rest count
        debounced  level after debouncing
        changes    number of level changes since the step began

    Attributes:
        profile: the board's profile.
        last: latest sample, or None.
        changes: number of level changes of each input.
        trouble: reason why the sensors do not respond, or None.
    """

    title = Message("live.title")

    def __init__(self, profile: Profile) -> None:
        self.profile, self.cells = profile, get_grid(profile.size).cells
        self.last: Sample | None = None
        self.changes = [0] * len(self.cells)
        self.trouble: Message | None = None
        self._filter = DebounceFilter([profile.sensing.debounce_by_cell[cell] for cell in self.cells])
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Show readings until the user leaves the step."""
        while True:
            match (yield Prompt(self._make_page, self._light, self._filter.next_due_at)):
                case Sample() as sample:
                    self._take(sample)
                case StepTick(instant):
                    self._debounce_until(instant)
                case HealthEvent(trouble, _):
                    self.trouble = trouble
                case StepReply("z"):
                    self.changes = [0] * len(self.cells)
                case StepReply("q"):
                    return StepResult()

    def _make_page(self) -> StepPage:
        """Return a page with all grids."""
        if self.last is None:
            return StepPage(self.title, (), self.trouble or Message("setup.nothing_read"), (TO_MENU,))
        debounced_grid = self._grid("debounced", ["#" if sensor_level else "." for sensor_level in self._filter.levels])
        changes_grid = self._grid("changes", [str(min(one_count, MAX_SHOWN_CHANGES)) for one_count in self.changes])
        sensor_wiring = self.profile.sensing.wiring
        if isinstance(sensor_wiring, AnalogWiring) and self.last.raw_values:
            count_grid = self._grid("count", [f"{one_count:>4}" for one_count in self.last.raw_values])
            rest_grid = self._grid("rest", [f"{rest_count:>4}" for rest_count in sensor_wiring.rest.values()])
            threshold = Message("live.threshold", on=sensor_wiring.on, off=sensor_wiring.off)
            counts, changes = _side_by_side(count_grid, rest_grid), _side_by_side(debounced_grid, changes_grid)
            drawing: tuple[Block, ...] = (counts, "", threshold, "", changes)
        else:
            raw_grid = self._grid("raw", ["#" if sensor_level else "." for sensor_level in self.last.sensed_levels])
            drawing = (_side_by_side(raw_grid, debounced_grid, changes_grid),)
        choices = SetupOption("z", Message("setup_key.from_zero")), TO_MENU
        return StepPage(self.title, drawing, self.trouble or Message("live.watch"), choices)

    def _light(self) -> LitLamps:
        """Light the cells whose sensors are down."""
        return light_cells(self.profile, compress(self.cells, self.last.sensed_levels if self.last else ()), DOWN)

    def _take(self, new_sample: Sample) -> None:
        self._debounce_until(new_sample.instant)  # assume that the levels of the previous reading lasted until now
        for input_number, sensor_level in enumerate(new_sample.sensed_levels):
            if self.last and bool(self.last.sensed_levels[input_number]) != bool(sensor_level):
                self.changes[input_number] += 1
        self.last = new_sample
        self._debounce_until(new_sample.instant)

    def _debounce_until(self, instant: float) -> None:
        if self.last:
            sensor_levels = tuple(int(bool(sensor_level)) for sensor_level in self.last.sensed_levels)
            self._filter.accept_changes(self._filter.add_readings(sensor_levels, instant))

    def _grid(self, kind: str, words: Sequence[str]) -> Sequence[str | Message]:
        """Draw a grid with a heading, top row first."""
        size, width = self.profile.size, max(2, *map(len, words)) + 1
        rows = ["".join(f"{word:<{width}}" for word in words[y * size : (y + 1) * size]) for y in reversed(range(size))]
        return [Message(f"live.grid.{kind}"), *rows]


def _side_by_side(*grids: Sequence[str | Message]) -> Table:
    return Table(tuple(zip(*grids, strict=True)))
