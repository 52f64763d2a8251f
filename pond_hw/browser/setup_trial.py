"""Trial of set-up in a browser tab: break a sensor of a simulated board, and let set-up find the fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from random import Random, SystemRandom
from typing import Any, NamedTuple

from pond_hw.companion import SimulatedClock
from pond_hw.lights import FRAME_SECONDS
from pond_hw.messages.catalogue import BUILDER_LANGUAGES, Catalogue, get_catalogue
from pond_hw.messages.message import Message, PondError
from pond_hw.profile import load_profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.controller import SetupController
from pond_hw.setup.findings import SetupFinding, faulty_cells
from pond_hw.setup.pages import TO_MENU, ShownOption, ShownPage
from pond_hw.setup.saved_results import finding_to_json
from pond_hw.setup.step import StepReply
from pond_hw.simulator import require_cell
from pond_hw.simulator.board_with_faults import NEVER
from pond_hw.simulator.sensor_faults import BOUNCE, CHATTER, CROSS_TALK, STUCK_OFF, STUCK_ON

BOARD_NAME = "direct-4x4"
STEP_NAME = "sensors"

SWAPPED = "swapped"

FINDING_KINDS = {
    NEVER: "never",
    STUCK_OFF: "stuck off",
    STUCK_ON: "stuck on",
    CHATTER: "flapping",
    BOUNCE: "long bounce",
    CROSS_TALK: "cross-talk",
    SWAPPED: "swapped",
}
"""Faults to choose from, and the kind of finding that reports each of them."""

SURPRISE_CELLS = 4
"""Number of cells to test for a fault at random."""

MIN_MOVE_SECONDS = 0.1
"""Minimum time between two moves of a finger on a cell. A contact that bounces for 40 ms settles in between."""

MAX_LAG_SECONDS = 1.0
"""Maximum delay of a press. Presses that come too fast are ignored."""

MAX_PASSED_SECONDS = 1.0
"""Maximum time to simulate at once. A longer time, such as that of a sleeping tab, is skipped."""


class SensorFlaw(NamedTuple):
    """A fault, and the cells whose sensors have it."""

    fault: str
    cells: tuple[Cell, ...]

    def is_reported_by(self, finding: SetupFinding) -> bool:
        return finding.kind == FINDING_KINDS[self.fault] and {*faulty_cells(finding)} == {*self.cells}


class FingerMove(NamedTuple):
    """A press or a release of a cell at a time on the board's clock, in seconds."""

    due: float
    cell: Cell
    is_down: bool


class SetupTrial:
    """Set-up of a simulated board with a broken sensor. At most one trial runs at a time.

    Requests:

        {"start": {"fault": "never", "cell": "a3"}}    break this sensor; `FINDING_KINDS` lists the faults
        {"start": "surprise"}                          break a sensor at random
        {"press": "a3"}, {"release": "a3"}             move a finger
        {"reply": "x"}                                 choose one of `choices`; other replies are ignored
        {"stop": true}                                 end the trial

    Without a trial, all requests except `start` are ignored, because they may arrive late. While a trial runs, each change is
    reported by a message:

        type        "trial"
        language    language of the texts
        asks        instructions for the user
        choices     possible replies: `key`, and `says` in words
        done        number of tested cells, and number of all cells to test
        seen        visible colours of each cell's lamps: red, green and blue drive levels
        over        true in the last message, which also has the following fields
        found       findings, as in the results of `pond setup --headless`
        marks       mark of each tested cell: good, warning, fault or unexamined
        broken      `fault` and `cells` of the actual fault
        is_found    true if a finding reports the actual fault

    Args:
        put: receives each message.
        now: clock, in seconds.
        language: language of the texts; English if set-up is not translated.
        rng: source of seeds and of faults at random.
    """

    def __init__(
        self,
        put: Callable[[dict[str, object]], None],
        now: Callable[[], float],
        language: str = "en",
        rng: Random | None = None,
    ) -> None:
        self._put, self._now, self._rng = put, now, rng or SystemRandom()
        self._catalogue = get_catalogue(language if language in BUILDER_LANGUAGES else "en")
        self._grid = get_grid(load_profile(BOARD_NAME, measured=False).size)
        self._bench: _TrialBench | None = None
        self._advanced_at = 0.0
        self._reported: dict[str, object] = {}

    def hear(self, request: Mapping[str, Any]) -> None:
        """Handle a request. Raises PondError if it is not valid."""
        self.step()
        match request:
            case {"start": {"fault": str(fault), "cell": str(cell), **rest}} if fault in FINDING_KINDS and not rest:
                self._start(fault, self._require_cell(cell))
            case {"start": "surprise"}:
                fault, cell = self._rng.choice([*FINDING_KINDS]), self._rng.choice(self._grid.cells)
                self._start(fault, cell, SURPRISE_CELLS)
            case {"press": str(cell)} | {"release": str(cell)}:
                self._require_cell(cell)
                if self._bench:
                    self._bench.move_finger(cell, is_down="press" in request)
            case {"reply": str(key)}:
                if self._bench:
                    self._bench.reply(key)
            case {"stop": True}:
                self.close()
            case _:
                raise PondError(Message("remote.not_understood"))
        self.step()

    def step(self) -> float:
        """Advance the board to the current time and report changes. Return the time at which to call this again."""
        if not self._bench:
            return inf
        passed, self._advanced_at = self._now() - self._advanced_at, self._now()
        self._bench.advance(min(passed, MAX_PASSED_SECONDS))
        message = self._bench.format_message()
        if message != self._reported:
            self._reported = message
            self._put(message)
        if message["over"]:
            self.close()
            return inf
        return self._advanced_at + FRAME_SECONDS

    def close(self) -> None:
        """End the trial without a result, and delete its files."""
        if self._bench:
            self._bench.close()
            self._bench = None

    def _start(self, fault: str, cell: Cell, min_cells: int = 1) -> None:
        """Begin a trial that tests at least this number of cells."""
        self.close()
        neighbours = self._grid.list_cells(self._grid.neighbour_masks[self._grid.mask_by_cell[cell]])
        cells = (cell, self._rng.choice(neighbours)) if fault == SWAPPED else (cell,)
        self._bench = _TrialBench(SensorFlaw(fault, cells), min_cells, self._catalogue, self._rng)
        self._advanced_at, self._reported = self._now(), {}

    def _require_cell(self, cell: Cell) -> Cell:
        require_cell(cell, self._grid.size)
        return cell


class _TrialBench:
    """Board of one trial, in simulated time.

    Args:
        flaw: the fault of the board.
        min_cells: minimum number of cells to test.
        catalogue: language of the texts.
        rng: source of the board's seed and of further cells to test.
    """

    def __init__(self, flaw: SensorFlaw, min_cells: int, catalogue: Catalogue, rng: Random) -> None:
        self._flaw, self._clock = flaw, SimulatedClock()
        self._controller = SetupController(
            BOARD_NAME,
            self._clock.now,
            is_simulated=True,
            flaws=(":".join((flaw.fault, *flaw.cells)),),
            random_seed=rng.getrandbits(32),
            is_polled=True,
        )
        assert self._controller.workbench
        self._workbench = self._controller.workbench
        self._cells = get_grid(self._controller.profile.size).cells
        self._moves: list[FingerMove] = []
        self._may_move_at: dict[Cell, float] = {}
        tested_cells = {*flaw.cells}
        if flaw.fault == CROSS_TALK:
            tested_cells.add(self._workbench.cross_talk_cell(flaw.cells[0]))
        other_cells = [cell for cell in self._cells if cell not in tested_cells]
        tested_cells.update(rng.sample(other_cells, max(0, min_cells - len(tested_cells))))
        self._controller.catalogue = self._catalogue = catalogue
        self._controller.begin_step(STEP_NAME, sorted(tested_cells))

    def move_finger(self, cell: Cell, *, is_down: bool) -> None:
        """Press or release a cell, after a delay if it was moved just now: readings would miss a shorter touch."""
        now = self._clock.now()
        due = max(now, self._may_move_at.get(cell, now))
        if not is_down or due <= now + MAX_LAG_SECONDS:
            self._may_move_at[cell] = due + MIN_MOVE_SECONDS
            self._moves.append(FingerMove(due, cell, is_down))

    def reply(self, key: str) -> None:
        if key in dict(self._list_choices(self._controller.show_page())):
            self._controller.put_event(StepReply(key, self._clock.now()))

    def advance(self, seconds: float) -> None:
        """Advance the clock, and move fingers on the way."""
        end = self._clock.now() + seconds
        self._moves.sort()
        while self._moves and self._moves[0].due <= end:
            due, cell, is_down = self._moves.pop(0)
            self._controller.pass_time(due - self._clock.now(), self._clock.advance_to)
            if is_down:
                self._workbench.press(cell)
            else:
                self._workbench.release(cell)
        self._controller.pass_time(end - self._clock.now(), self._clock.advance_to)

    def format_message(self) -> dict[str, object]:
        """Format the current page or the result, as described in `SetupTrial`."""
        wizard, page = self._controller.wizard, self._controller.show_page()
        message = {
            "type": "trial",
            "language": self._catalogue.language,
            "asks": page.prompt,
            "choices": [{"key": key, "says": label} for key, label in self._list_choices(page)],
            "done": list(page.step_progress),
            "seen": {cell: self._workbench.seen_lamps(cell) for cell in self._cells},
            "over": False,
        }
        if wizard.name == STEP_NAME:
            return message
        findings = wizard.results[STEP_NAME].findings if STEP_NAME in wizard.results else ()
        return {
            **message,
            "asks": "",
            "choices": [],
            "over": True,
            "found": [finding_to_json(finding, self._catalogue) for finding in findings],
            "marks": {cell: _choose_mark(each) for each in findings for cell in faulty_cells(each)},
            "broken": self._flaw._asdict(),
            "is_found": any(map(self._flaw.is_reported_by, findings)),
        }

    @staticmethod
    def _list_choices(page: ShownPage) -> list[ShownOption]:
        return [choice for choice in page.choices if choice.key != TO_MENU.key]

    def close(self) -> None:
        self._controller.close()


def _choose_mark(finding: SetupFinding) -> str:
    return "unexamined" if finding.kind == "not examined" else finding.grade
