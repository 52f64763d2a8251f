"""Steps about sensors: `sensors` measures them, `timing` proposes debounce times, `live` shows what they read.

The step `sensors`: hands off; then every cell in turn a few times; in a matrix three at once; hands off again.

Each cell is measured (`sensor_measurements`), and in the end judged (`sensor_diagnosis`). Since hands err too, a cell
that did not answer as it should is asked for once more at the end, and if a sensor answered while hands should have
been off, that time is measured once more. Cells that answer all by themselves are not asked for: their fault is known.

A sensor that says nothing may be dead, or nobody has pressed it: on a screen a person says which, and is waited for. By
the lamps alone a cell that nobody answers is left after a while, and was not examined.
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
from pond_hw.setup.lamp_places import fade_colour, light_cells, next_fade_time
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
    begin_anew,
    listen,
)

HANDS_OFF = 3.0  # seconds for which nobody is to touch the board
PRESSES = 3  # how often each cell is to be pressed

PATIENCE = 8.0  # seconds after which, by the lamps alone, a cell that does not answer, or no more, is left
QUIET = 0.25  # seconds after the last release until the next cell is asked for

HELD = 3.0  # seconds after which a cell that stays down is said to be so: somebody holds it, or it sticks

MOST = 30.0
"""Seconds after which a cell that was pressed often enough, or is asked for by the lamps alone, is left in any case."""

LOST = 3.0  # seconds after which sensors that are not reached are the result
SKIP = SetupOption("n", Message("setup_key.skip"))
NOTHING_HAPPENS = SetupOption("x", Message("setup_key.nothing_happens"))

ASKED, GLOW = (150, 150, 150), (14, 14, 14)  # how bright the cell that is asked for is lit, and those that are done


class SensorTest(SetupStep):
    """The exercise.

    Attributes:
        profile: the board.
        queue: the cells still to be asked for, the next one first.
        phase: `off` (hands off), `press`, `corners`, `off again` or `done`.
        since: since when it does what it does now, in seconds.
        heard: what was read since then.
        moved: when a sensor changed last that is at rest by itself.
        pressed: since when patience runs: the beginning, or the last press of the cell that is asked for.
        felt: how many presses the cell that is asked for has noticed, or else the one that answered most.
        measured: what has been measured so far.
        rectangle: in a matrix the cell whose diode is tried, two more that are to be held down with it, and the one
            that must not answer then.
        at: the latest instant.
        judged: the findings so far; they are drawn many times a second.
    """

    title = Message("sensor_walk.title")

    def __init__(
        self,
        profile: Profile,
        instant: float,
        asked_cells: Sequence[Cell] = (),
        *,
        tries_diodes: bool = True,
        is_timed: bool = False,
        known_trials: Mapping[Cell, tuple[PressTrial, ...]] | None = None,
    ) -> None:
        """Begin.

        Args:
            profile: the board.
            instant: the instant, in seconds.
            asked_cells: those to be asked for; by default all.
            tries_diodes: whether the diodes of a matrix are tried too.
            is_timed: whether it is led by the lamps alone: then a cell that nobody answers is left after a while.
            known_trials: what other cells have answered before.
        """
        self.profile, self.timed, self.cells = profile, is_timed, get_grid(profile.size).cells
        self.queue = tuple(asked_cells) or self.cells
        self.measured = BoardMeasurements(trials_by_cell=known_trials or {}, asked_cells=self.queue)
        self.rectangle: tuple[Cell, ...] = ()
        self.judged: tuple[SetupFinding, ...] = ()
        self.heard, self.at = SignalLog(), instant
        self._kind = "pieces" if profile.sensing.kind == "hall" else "buttons"
        self._elbows = self.queue if tries_diodes and isinstance(profile.sensing.wiring, MatrixWiring) else ()
        self._begin("off", instant)
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """The whole exercise, or as much of it as the sensors are reached for."""
        try:
            yield from self._exercise()
        except SensorsLost as lost:
            self._learn(sensor_trouble=lost.trouble)
        self._begin("done", self.at)
        return StepResult(self.judged)

    def _exercise(self) -> Conversation[None]:
        """Hands off, every cell in turn, in a matrix three at once, and hands off again."""
        idle_before = yield from self._hands_off("off")
        if idle_before is None:
            raise SensorsLost(Message("setup.nothing_read"))
        self.queue = tuple(cell for cell in self.queue if self._number(cell) not in find_restless(idle_before))
        self._learn(idle_before=idle_before)
        while self.queue:
            yield from begin_anew(self._press, self.at)
        trials = {self._number(cell): trials[-1] for cell, trials in self.measured.trials_by_cell.items()}
        sound_cells = frozenset(  # that answered as they should, and only when they were asked for
            self.cells[number]
            for number, own_trial in trials.items()
            if own_trial.count_presses(number) >= PRESSES
            and not any(trial.count_shared_presses(other, number) for other, trial in trials.items() if other != number)
        )
        for elbow_cell in self._elbows:
            if rectangle_cells := corner_cells(self.profile, elbow_cell, sound_cells):
                self.rectangle = rectangle_cells
                yield from begin_anew(self._hold_three, self.at)
        self._learn(idle_after=(yield from self._hands_off("off again")))

    def _hands_off(self, phase_name: str) -> Conversation[IdlePeriod | None]:
        """What the sensors say while nobody touches them; if one answers then, once more."""
        prompt = (Message(f"sensor_walk.hands_off.{self._kind}", seconds=round(HANDS_OFF)),)
        for again in ((), (Message("sensor_walk.felt_something"),)):
            idle_period = yield from begin_anew(partial(self._stay_quiet, phase_name, (*again, *prompt)), self.at)
            if not find_restless(idle_period, 1) - self._restless:
                break
        return idle_period

    def _stay_quiet(
        self, phase_name: str, prompt: tuple[Message, ...], begun_at: float
    ) -> Conversation[IdlePeriod | None]:
        self._begin(phase_name, begun_at)
        yield from self._wait(lambda: prompt)
        return measure_idle(self.heard, self.at - begun_at)

    def _press(self, begun_at: float) -> Conversation[None]:
        """The next cell is pressed a few times; once more at the end, if it does not answer as it should."""
        self._begin("press", begun_at, self.queue[:1])
        key = yield from self._wait(self._ask_press, NOTHING_HAPPENS)
        cell, *later_cells = self.queue
        own_input, earlier_trials = self._number(cell), self.measured.trials_by_cell.get(cell, ())
        rest_counts = self.measured.idle_before.rest_counts if self.measured.idle_before else ()
        press_trial = measure_trial(PRESSES, self.heard, own_input, rest_counts, is_confirmed=key == "x")
        asked_again = () if press_trial.count_presses(own_input) >= PRESSES or earlier_trials else (cell,)
        self.queue = (*later_cells, *asked_again)
        self._learn(trials_by_cell={**self.measured.trials_by_cell, cell: (*earlier_trials, press_trial)})

    def _hold_three(self, begun_at: float) -> Conversation[None]:
        """Three corners of a rectangle are held down; whether the fourth answers too."""
        self._begin("corners", begun_at, self.rectangle[:3])
        elbow_cell, along_cell, across_cell, ghost_cell = self.rectangle
        yield from self._wait(lambda: (Message("sensor_walk.hold", cells=(elbow_cell, along_cell, across_cell)),))
        if self._is_enough:
            self._learn(ghosts_by_cell={**self.measured.ghosts_by_cell, elbow_cell: ghost_cell in self._down})

    def _wait(self, prompt: Callable[[], tuple[Message, ...]], *options: SetupOption) -> Conversation[str]:
        """Until what is asked has been done, or is given up (empty), or is ended by an answer: its key."""
        choices = *options, SKIP
        while self.at < self._ends:
            due, held_until = min(self._ends, next_fade_time(self._given_up, self.at)), self._held_since + HELD
            due = min(due, held_until) if held_until > self.at else due
            event = yield from listen(Prompt(lambda: self._page(prompt(), choices), self._light, due), self._lost, LOST)
            match event:
                case StepReply(key, at) if key in dict(choices):
                    self.at = at
                    return key
                case Sample():
                    self._read(event)
                case StepTick(at):
                    self.at = at
        return ""

    def _lost(self, trouble: Message) -> Prompt:
        return Prompt(StepPage(self.title, self._drawn, trouble), self._light)

    def last_prompt(self) -> Prompt:
        """What is wrong with the sensors; the cells that are done glow on."""
        text = summarise_findings(self.judged)
        return Prompt(lambda: StepPage(self.title, self._drawn, text=text), self._light)

    def _page(self, prompt: tuple[Message, ...], choices: tuple[SetupOption, ...]) -> StepPage:
        asked_count = len(self.measured.asked_cells)
        return StepPage(self.title, self._drawn, prompt, choices, (asked_count - len(self.queue), asked_count))

    @property
    def _drawn(self) -> tuple[str, ...]:
        return draw_findings(self.profile, self.judged)

    def _ask_press(self) -> tuple[Message, ...]:
        if self.at >= self._held_since + HELD:
            return (Message(f"sensor_walk.held.{self._kind}", cell=self.queue[0]),)
        felt = (Message("sensor_walk.felt", presses=self.felt, total=PRESSES),) if self.felt else ()
        return Message(f"sensor_walk.press.{self._kind}", cell=self.queue[0], times=PRESSES), *felt

    def _light(self) -> LitLamps:
        """The cells that are to be pressed, brightly until they are or time runs out; those that are done glow."""
        down_cells = self._pressed if self.phase == "corners" else self._down
        asked = [] if self._is_enough else [cell for cell in self._asked if cell not in down_cells]
        shade = fade_colour(ASKED, self._given_up - self.at)
        return light_cells(self.profile, self.measured.trials_by_cell, GLOW) | light_cells(self.profile, asked, shade)

    @property
    def _is_enough(self) -> bool:
        return self.felt >= PRESSES if self.phase == "press" else bool(self._asked) and self._pressed >= {*self._asked}

    @property
    def _held_since(self) -> float:
        """Since when the cell that is asked for has been down; infinity if it is not."""
        if self.phase != "press" or self.queue[0] not in self._down:
            return inf
        level_flips = self.heard.flips_by_input.get(self._number(self.queue[0]), ())
        return level_flips[-1].at_seconds if level_flips else self.since

    @property
    def _ends(self) -> float:
        """When what goes on now comes to its end."""
        if not self._asked:
            return self.since + HANDS_OFF
        return min(self.moved + QUIET, self.since + MOST) if self._is_enough else self._given_up

    @property
    def _given_up(self) -> float:
        """When the cells that are asked for are left although nobody has answered."""
        return min(self.pressed + PATIENCE, self.since + MOST) if self.timed and self._asked else inf

    @property
    def _down(self) -> frozenset[Cell]:
        levels = self.heard.last_sample.sensed_levels if self.heard.last_sample else ()
        return frozenset(cell for cell, level in zip(self.cells, levels, strict=False) if level)

    @property
    def _pressed(self) -> frozenset[Cell]:
        """The cells that have come down since they were asked for, and are down: no finger or ghost from before."""
        flips_by_input = self.heard.flips_by_input
        fresh = {number for number, flips in flips_by_input.items() if any(flip.is_down for flip in flips)}
        return frozenset(cell for cell in self._down if self._number(cell) in fresh)

    @property
    def _restless(self) -> frozenset[int]:
        """The inputs that feel something by themselves."""
        return find_restless(self.measured.idle_before)

    def _begin(self, phase_name: str, at: float, asked_cells: tuple[Cell, ...] = ()) -> None:
        """Begin something, with the cells to be pressed: what was read before does not count, but for what is now."""
        self.phase, self._asked, self.felt = phase_name, asked_cells, 0
        self.since = self.at = self.moved = self.pressed = at
        self.heard = SignalLog().with_sample(self.heard.last_sample) if self.heard.last_sample else SignalLog()

    def _read(self, sample: Sample) -> None:
        """Take in a sample; presses are counted anew only where something has changed."""
        flips_before, self.heard, self.at = self.heard.flips_by_input, self.heard.with_sample(sample), sample.instant
        flips_by_input = self.heard.flips_by_input
        changed_inputs = {number for number, flips in flips_by_input.items() if flips is not flips_before.get(number)}
        if changed_inputs - self._restless:
            self.moved = sample.instant
        if changed_inputs and self.phase == "press":
            own = self._number(self.queue[0])
            restful_inputs = flips_by_input.keys() - self._restless
            press_counts = {number: len(self.heard.list_presses(number)) for number in restful_inputs}
            self.felt = press_counts.get(own, 0) or max(press_counts.values(), default=0)
            self.pressed = max([self.since, *(edge_burst.last_flip for edge_burst in self.heard.list_edges(own))])

    def _learn(self, **measured: Any) -> None:
        """Something more has been measured."""
        self.measured = replace(self.measured, **measured)
        self.judged = diagnose_sensors(self.profile, self.measured)

    def _number(self, cell: Cell) -> int:
        return self.cells.index(cell)


def find_restless(idle: IdlePeriod | None, least_flips: int = FLAPPING_CHANGES) -> frozenset[int]:
    """The inputs that were down, or changed at least so often, while nobody was to touch the board."""
    if idle is None:
        return frozenset()
    return idle.inputs_on | {number for number, flips in enumerate(idle.flip_counts) if flips >= least_flips}


def corner_cells(profile: Profile, elbow: Cell, sound: frozenset[Cell]) -> tuple[Cell, ...]:
    """A rectangle of a matrix: the cell whose diode is tried, the others on its two lines, and the fourth.

    With the first three down, current can get to the fourth only back through the diode of the first.

    Args:
        profile: the board.
        elbow: the cell whose diode is tried.
        sound: the cells whose sensors can be relied on: all four are taken from these.

    Returns:
        The four; none if there is no such rectangle.
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


LEAST_MS = {"button": 5, "hall": 20}  # milliseconds below which no debounce is proposed: a spike is as long
MOST_MS = {"button": 200, "hall": 1000}  # what a profile allows

REACHES_MS = 100  # milliseconds that a hand needs from one cell to the next


class TimingStep(SetupStep):
    """The step `timing`: the exercise of `sensors`, then debounce times from what was measured.

    Cells that the step `sensors` has measured are not asked for again unless the user wants it.

        debounce  half as long again as the longest chatter of that cell, and at least two readings and what its kind needs
        settle    twice the longest debounce of all, and a tenth of a second for a hand

    Attributes:
        profile: the board.
        measured: what is known of its sensors, once it is.
        findings: what is wrong with them.
    """

    title = Message("timing.title")

    def __init__(self, profile: Profile, instant: float, known_measurements: BoardMeasurements | None = None) -> None:
        """Begin the exercise.

        Args:
            profile: the board.
            instant: the instant, in seconds.
            known_measurements: what was measured on the same wires before: these cells are not asked for.
        """
        self.profile, self.at, self._used = profile, instant, known_measurements is not None
        self.cells = get_grid(profile.size).cells
        self.measured = known_measurements or BoardMeasurements()
        self.findings: tuple[SetupFinding, ...] = ()
        self._last: Sample | None = None
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """The exercise, as far as it is needed; then the numbers, and whether to use them."""
        restless_inputs = find_restless(self.measured.idle_before)
        known_cells = {*self.measured.trials_by_cell, *(self.cells[input_number] for input_number in restless_inputs)}
        if unknown := tuple(cell for cell in self.cells if cell not in known_cells):
            known = self.measured.trials_by_cell
            sensor_test = SensorTest(self.profile, self.at, unknown, tries_diodes=False, known_trials=known)
            yield from self._exercise(sensor_test)
        else:
            self.findings = diagnose_sensors(self.profile, self.measured)
        while (given_answer := (yield from self._agree())) == "r":
            self._used = False
            sensor_test = SensorTest(self.profile, self.at, tries_diodes=False)
            if self._last:
                sensor_test.after(self._last._replace(instant=self.at))
            yield from self._exercise(sensor_test)
        changes = self._changes if given_answer == "y" else {}
        return StepResult(self.findings, changes, f"timing: {', '.join(changes)}" if changes else "")

    def last_prompt(self) -> Prompt:
        """The cells that were measured glow on."""
        return Prompt(StepPage(self.title), self._light)

    def _exercise(self, sensor_test: SensorTest) -> Conversation[None]:
        """Run the step `sensors` under the title of this one."""
        while not sensor_test.result:
            prompt = Prompt(
                lambda: replace(sensor_test.page, title=self.title), lambda: sensor_test.lit_lamps, sensor_test.due
            )
            sensor_test.after((yield prompt))
        self.measured, self.findings = sensor_test.measured, sensor_test.result.findings
        self._last = sensor_test.heard.last_sample

    def _agree(self) -> Conversation[str]:
        """The numbers; `y`: use them, `n`: do not, `r`: measure everything again."""
        prompt, choices = Message("timing.right"), [SetupOption("n", Message("setup_key.menu"))]
        if self._changes:
            prompt, choices = Message("timing.ask"), [YES, NO]
        if not self._debounce:
            prompt = Message("timing.nothing_measured")
        text = self._described
        if self._used:
            text = (*text, Message("timing.measured_before"))
            choices.append(SetupOption("r", Message("timing.again")))
        page = StepPage(self.title, self._drawn, prompt, tuple(choices), text=text)
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
        """For each cell that was measured the time to be proposed, in milliseconds.

        Sensors that are faulty, or that are wired elsewhere, say nothing about it.
        """
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
        settle_ms = max(100, 2 * longest_ms + REACHES_MS)
        if sensing.kind == "hall" and settle_ms != round(sensing.settle_seconds * 1000):
            proposed_changes["sensors.settle_ms"] = settle_ms
        return proposed_changes

    @property
    def _drawn(self) -> tuple[Block, ...]:
        """For each cell the longest chatter, and the time that is proposed."""
        proposed, trials = self._debounce, self.measured.trials_by_cell
        rows = []
        for row in get_grid(self.profile.size).rows:
            times = [f"{longest_bounce_ms(trials[c]):.0f} -> {proposed[c]}" if c in proposed else "." for c in row]
            rows.append("".join(f"{cell_times:<12}" for cell_times in times).rstrip())
        return Message("timing.heading"), *rows

    @property
    def _described(self) -> tuple[Message, ...]:
        """The parts of the profile that matter here."""
        sensing = self.profile.sensing
        drawn = Message("timing.drawn", debounce_ms=round(sensing.debounce_seconds * 1000))
        if settle_ms := self._changes.get("sensors.settle_ms"):
            assert isinstance(settle_ms, int)
            settle = {"settle_ms": settle_ms, "drawn_ms": round(sensing.settle_seconds * 1000)}
            return drawn, Message("timing.settle", **settle)
        return (drawn,)


def longest_bounce_ms(press_trials: tuple[PressTrial, ...]) -> float:
    """The longest time until a sensor was stable, in milliseconds."""
    return max(press_trial.longest_bounce for press_trial in press_trials) * 1000


def recommend_debounce(press_trials: tuple[PressTrial, ...], sensor_kind: str, scan_rate: float) -> int:
    """The debounce to be proposed for a sensor, in whole milliseconds.

    Args:
        press_trials: what was measured of it.
        sensor_kind: `button` or `hall`.
        scan_rate: how often it is read, in 1/s.
    """
    needed_ms = max(1.5 * longest_bounce_ms(press_trials), 2000 / scan_rate)
    return min(max(LEAST_MS[sensor_kind], ceil(needed_ms)), MOST_MS[sensor_kind])


DOWN: RGB = (90, 90, 90)  # how a cell is lit whose sensor says something
MAX_SHOWN_CHANGES = 999  # changes that are counted up to on a page: more would not fit beside a board on the screen


class LiveView(SetupStep):
    """The step `live`: what every sensor reads now.

        raw        as it is read: # down, . up; of a linear sensor the count, and where it rests
        debounced  after it has held still for as long as the profile asks
        changes    how often each has changed since the step began

    Attributes:
        profile: the board.
        last: what was read last; None: nothing yet.
        changes: how often each input has changed.
        trouble: why the sensors are not reached, or None.
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
        """It is looked at until somebody has looked enough."""
        while True:
            match (yield Prompt(self._look, self._light, self._filter.next_ripe_at)):
                case Sample() as sample:
                    self._take(sample)
                case StepTick(instant):
                    self._believe(instant)
                case HealthEvent(trouble, _):
                    self.trouble = trouble
                case StepReply("z"):
                    self.changes = [0] * len(self.cells)
                case StepReply("q"):
                    return StepResult()

    def _look(self) -> StepPage:
        """Two or three drawn grids."""
        if self.last is None:
            return StepPage(self.title, (), self.trouble or Message("setup.nothing_read"), (TO_MENU,))
        believed = self._grid("debounced", ["#" if sensor_level else "." for sensor_level in self._filter.levels])
        changes_grid = self._grid("changes", [str(min(one_count, MAX_SHOWN_CHANGES)) for one_count in self.changes])
        sensor_wiring = self.profile.sensing.wiring
        if isinstance(sensor_wiring, AnalogWiring) and self.last.raw_values:
            count_grid = self._grid("count", [f"{one_count:>4}" for one_count in self.last.raw_values])
            rest_grid = self._grid("rest", [f"{rest_count:>4}" for rest_count in sensor_wiring.rest.values()])
            threshold = Message("live.threshold", on=sensor_wiring.on, off=sensor_wiring.off)
            counts, changes = _side_by_side(count_grid, rest_grid), _side_by_side(believed, changes_grid)
            drawing: tuple[Block, ...] = (counts, "", threshold, "", changes)
        else:
            raw_grid = self._grid("raw", ["#" if sensor_level else "." for sensor_level in self.last.sensed_levels])
            drawing = (_side_by_side(raw_grid, believed, changes_grid),)
        choices = SetupOption("z", Message("setup_key.from_zero")), TO_MENU
        return StepPage(self.title, drawing, self.trouble or Message("live.watch"), choices)

    def _light(self) -> LitLamps:
        """The cells whose sensors say something."""
        return light_cells(self.profile, compress(self.cells, self.last.sensed_levels if self.last else ()), DOWN)

    def _take(self, new_sample: Sample) -> None:
        self._believe(new_sample.instant)  # what was read last has held until now
        for input_number, sensor_level in enumerate(new_sample.sensed_levels):
            if self.last and bool(self.last.sensed_levels[input_number]) != bool(sensor_level):
                self.changes[input_number] += 1
        self.last = new_sample
        self._believe(new_sample.instant)

    def _believe(self, instant: float) -> None:
        if self.last:
            sensor_levels = tuple(int(bool(sensor_level)) for sensor_level in self.last.sensed_levels)
            self._filter.accept_changes(self._filter.add_readings(sensor_levels, instant))

    def _grid(self, kind: str, words: Sequence[str]) -> Sequence[str | Message]:
        """A drawn grid under its heading, the top row first."""
        size, width = self.profile.size, max(2, *map(len, words)) + 1
        rows = ["".join(f"{word:<{width}}" for word in words[y * size : (y + 1) * size]) for y in reversed(range(size))]
        return [Message(f"live.grid.{kind}"), *rows]


def _side_by_side(*grids: Sequence[str | Message]) -> Table:
    return Table(tuple(zip(*grids, strict=True)))
