"""Tests of the `sensors`, `timing` and `live` steps."""

from dataclasses import replace
from math import inf
from types import MappingProxyType

import pytest

from pond_hw.board import HealthEvent, Sample
from pond_hw.companion import SimulatedClock
from pond_hw.messages.message import Message, as_message
from pond_hw.profile import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING
from pond_hw.setup.lamp_positions import cell_lamps
from pond_hw.setup.pages import PAGE_LINES
from pond_hw.setup.sensor_diagnosis import BoardMeasurements
from pond_hw.setup.sensor_measurements import EdgeBurst, IdlePeriod, PressTrial, SensorPress
from pond_hw.setup.sensor_steps import (
    ASKED,
    HANDS_OFF_SECONDS,
    LOST_TIMEOUT,
    PRESS_TIMEOUT,
    QUIET_SECONDS,
    LiveView,
    SensorTest,
    TimingStep,
    find_rectangle,
    recommend_debounce,
)
from pond_hw.setup.step import StepReply, StepTick
from pond_hw.simulator.board_with_faults import ActualBuild, FaultyBoard
from tests.messages.says import text
from tests.setup.simulated_user import SimulatedUser, StepBench, page_text, prompt_messages

BUTTONS, MATRIX, LINEAR = load_profile("direct-4x4"), load_profile("matrix-5x5"), load_profile("hall-5x5")
HALL = load_profile("hall-4x4")
LIT = set(cell_lamps(BUTTONS, "a1"))

HANDS_OFF_ASKED = Message("sensor_walk.hands_off.buttons", seconds=3)
PRESS_A1 = Message("sensor_walk.press.buttons", cell="a1", times=3)


class SensorTestRun:
    """Sensor test of a board with buttons, with given readings.

    Attributes:
        step: sensor test.
        at: current time in seconds.
    """

    def __init__(self, cells=("a1",), profile=BUTTONS, *, timed=False):
        self.profile, self.at, self.down = profile, 0.0, set()
        self.step = SensorTest(profile, 0.0, cells, is_timed=timed)
        self.read()

    def read(self):
        levels = tuple(int(cell in self.down) for cell in get_grid(self.profile.size).cells)
        self.step = self.step.after(Sample(levels, self.at, self.raw(levels)))

    def raw(self, levels):
        if self.profile is LINEAR:
            return tuple(512 + 200 * level for level in levels)
        return levels if self.profile is MATRIX else None

    def wait(self, seconds):
        """Advance time and send all ticks that are due."""
        end = self.at + seconds
        while self.step.due <= end:
            self.at = max(self.at, self.step.due)
            self.step = self.step.after(StepTick(self.at))
        self.at = end

    def hold(self, *cells):
        """Hold exactly these cells down."""
        self.down = {*cells}
        self.read()

    def press(self, *cells, seconds=0.2):
        held = self.down
        self.hold(*held, *cells)
        self.wait(seconds)
        self.hold(*held - {*cells})
        self.wait(0.1)

    def press_all(self, *cells):
        """Press each cell as often as requested."""
        for cell in cells:
            for _ in range(3):
                self.press(cell)
            self.wait(QUIET_SECONDS)

    def replies(self, key):
        self.step = self.step.after(StepReply(key, self.at))

    def begins(self):
        self.wait(HANDS_OFF_SECONDS)
        assert self.step.phase == "press"
        return self

    def kinds(self):
        return [(each.kind, each.cells) for each in self.step.result.findings if each.grade != GOOD]


def lit(hand):
    return {position for position, colour in hand.step.lit_lamps.items() if colour == ASKED}


def test_no_cell_is_lit_during_hands_off():
    hand = SensorTestRun()
    assert prompt_messages(hand.step) == (HANDS_OFF_ASKED,)
    hand.wait(HANDS_OFF_SECONDS - 0.1)
    assert (hand.step.phase, lit(hand)) == ("off", set())
    hand.wait(0.1)
    assert (hand.step.phase, lit(hand)) == ("press", LIT)
    assert prompt_messages(hand.step) == (PRESS_A1,)


def test_three_presses_are_counted_and_are_enough():
    hand = SensorTestRun().begins()
    for presses in (1, 2):
        hand.press("a1")
        assert prompt_messages(hand.step) == (PRESS_A1, Message("sensor_walk.felt", presses=presses, total=3))
        assert lit(hand) == LIT
    hand.press("a1")
    assert lit(hand) == set()  # no fourth press
    assert hand.step.phase == "press"
    hand.wait(QUIET_SECONDS)
    assert hand.step.phase == "off again"
    hand.wait(HANDS_OFF_SECONDS)
    (finding,) = hand.step.result.findings
    assert (finding.grade, finding.cells, finding.figures["presses"]) == (GOOD, ("a1",), 3)
    assert hand.step.due == inf


def test_held_cell_is_dark_and_not_counted():
    hand = SensorTestRun().begins()
    hand.hold("a1")
    assert lit(hand) == set()
    hand.wait(2.0)
    assert hand.step.press_count == 0


def test_untimed_cell_waits_without_reminders():
    hand = SensorTestRun(("a1", "b1")).begins()
    hand.wait(3600.0)
    assert (hand.step.queue, hand.step.measured.trials_by_cell) == (("a1", "b1"), {})
    assert lit(hand) == LIT
    assert prompt_messages(hand.step) == (PRESS_A1,)


def test_requested_cell_that_stays_down_is_named():
    hand = SensorTestRun(("a1", "b1")).begins()
    hand.hold("a1")
    hand.wait(2.9)
    assert prompt_messages(hand.step)[0] == PRESS_A1
    hand.wait(0.2)
    assert prompt_messages(hand.step) == (Message("sensor_walk.held.buttons", cell="a1"),)
    hand.hold()
    assert prompt_messages(hand.step)[0] == PRESS_A1


def test_silent_cell_is_requested_twice():
    hand = SensorTestRun(("a1", "b1")).begins()
    hand.replies("x")
    assert hand.step.queue == ("b1", "a1")
    hand.press_all("b1")
    assert hand.step.queue == ("a1",)
    hand.replies("x")
    hand.wait(HANDS_OFF_SECONDS)
    assert hand.kinds() == [("never", ("a1",))]


def test_cell_skipped_twice_is_not_examined():
    hand = SensorTestRun(("a1", "b1")).begins()
    hand.replies("n")
    hand.press_all("b1")
    hand.press("a1")
    hand.replies("n")
    hand.wait(HANDS_OFF_SECONDS)
    assert hand.kinds() == [("not examined", ("a1",))]


def test_unanswered_timed_cell_fades_and_is_skipped():
    hand = SensorTestRun(("a1", "b1"), timed=True).begins()
    seen = []
    while hand.step.queue == ("a1", "b1"):
        seen.append(max(max(colour) for colour in hand.step.lit_lamps.values()))
        hand.wait(1.0)
    assert seen[:3] == [ASKED[0]] * 3
    assert seen[3:] == sorted(set(seen[3:]), reverse=True)  # darker every second
    assert len(seen) == PRESS_TIMEOUT
    assert hand.step.queue == ("b1", "a1")
    hand.wait(3 * PRESS_TIMEOUT + HANDS_OFF_SECONDS)
    assert hand.kinds() == [("not examined", ("a1", "b1"))]
    assert {each.grade for each in hand.step.result.findings} == {WARNING}


def test_timeout_restarts_with_each_press():
    hand = SensorTestRun(timed=True).begins()
    hand.wait(PRESS_TIMEOUT - 0.1)
    assert lit(hand) == set()  # faded
    hand.press("a1")
    assert lit(hand) == LIT
    hand.wait(PRESS_TIMEOUT - 0.2)
    assert hand.step.phase == "press"
    assert len(hand.step.measured.trials_by_cell) == 0


def test_unpressable_cell_can_be_skipped():
    hand = SensorTestRun(("a1", "b1")).begins()
    hand.step = hand.step.after(StepReply("n", hand.at))
    assert hand.step.queue == ("b1", "a1")


def test_presses_of_another_cell_repeat_the_cell():
    hand = SensorTestRun(("a1", "b1")).begins()
    hand.press_all("c3")
    assert hand.step.queue == ("b1", "a1")
    hand.press_all("b1", "a1")
    hand.wait(HANDS_OFF_SECONDS)
    assert hand.kinds() == []


def test_slips_are_ignored_after_the_right_answer():
    hand = SensorTestRun().begins()
    for cell in ("c3", "c3", "a1", "c3"):
        hand.press(cell)
    assert hand.step.press_count == 1


@pytest.mark.long
def test_cross_talking_cell_is_not_a_corner():
    hand = SensorTestRun(("a1", "b1", "a2", "b2"), MATRIX).begins()
    for cells in (("a1", "b2"), ("b1",), ("a2",), ("b2",)):
        for _ in range(3):
            hand.press(*cells)
        hand.wait(QUIET_SECONDS)
    assert hand.step.phase == "off again"


def test_late_touch_is_not_a_loose_contact():
    hand = SensorTestRun()
    hand.wait(1.0)
    hand.press("b2")
    hand.press("b2")
    hand.wait(HANDS_OFF_SECONDS - 1.6)
    assert hand.step.phase == "off"
    assert prompt_messages(hand.step) == (Message("sensor_walk.felt_something"), HANDS_OFF_ASKED)
    hand.wait(HANDS_OFF_SECONDS)
    assert hand.step.phase == "press"
    assert hand.step.measured.idle_before.flip_counts == (0,) * 16


def test_stuck_cell_is_not_requested():
    hand = SensorTestRun(("a1", "b1"))
    hand.hold("a1")
    hand.wait(2 * HANDS_OFF_SECONDS)
    assert hand.step.queue == ("b1",)
    hand.press_all("b1")
    hand.wait(HANDS_OFF_SECONDS)
    assert hand.kinds() == [("stuck on", ("a1",))]


def test_touch_during_final_hands_off_phase_repeats_it_once():
    hand = SensorTestRun().begins()
    hand.press_all("a1")
    hand.press("d4")
    hand.wait(HANDS_OFF_SECONDS)
    assert hand.step.phase == "off again"
    hand.wait(HANDS_OFF_SECONDS)
    assert hand.kinds() == []


def test_loose_contact_does_not_delay_the_exercise():
    hand = SensorTestRun(("a1", "b1"))
    for _ in range(31):
        hand.press("a1", seconds=0.1)
    assert (hand.step.phase, hand.step.queue) == ("press", ("b1",))
    for _ in range(3):
        hand.press("a1", "b1", seconds=0.1)
        hand.press("a1", seconds=0.05)
    for _ in range(3):
        hand.press("a1", seconds=0.05)  # the test continues
    assert hand.step.phase == "off again"
    hand.wait(HANDS_OFF_SECONDS)
    assert hand.kinds() == [("flapping", ("a1",))]


def test_flickering_cell_is_skipped_when_requested():
    hand = SensorTestRun().begins()
    for _ in range(149):
        hand.press("a1", seconds=0.1)
    assert hand.step.phase == "press"
    for _ in range(3):
        hand.press("a1", seconds=0.1)
    assert hand.step.phase != "press"


def test_measurements_are_shown_during_the_test():
    hand = SensorTestRun(("a1", "b1")).begins()
    for _ in range(3):
        assert "ok" not in "".join(hand.step.page.drawing)
        hand.press("a1")
    hand.wait(QUIET_SECONDS)
    assert hand.step.queue == ("b1",)
    assert hand.step.page.drawing[3].split() == ["1", "ok", ".", ".", "."]


def test_lost_sensors_end_the_test_after_a_while():
    hand = SensorTestRun().begins()
    hand.step = hand.step.after(HealthEvent(as_message("The sensors do not answer."), hand.at))
    assert hand.step.page.prompt == as_message("The sensors do not answer.")
    hand.step = hand.step.after(StepTick(hand.at + LOST_TIMEOUT - 0.2))
    hand.wait(LOST_TIMEOUT - 0.1)
    assert hand.step.result is None
    hand.wait(0.2)
    assert hand.kinds() == [("not reached", ())]


def test_lost_chip_is_reported_after_a_while():
    hand = SensorTestRun(("a1",), HALL).begins()
    hand.step = hand.step.after(HealthEvent(as_message("No chip answers at 0x21 on I2C bus 1."), hand.at))
    assert "X" not in "".join(hand.step.page.drawing)
    hand.wait(LOST_TIMEOUT)
    assert "X" in "".join(hand.step.page.drawing)
    assert hand.kinds()[0][0] == "dead chip"


def test_exercise_resumes_when_sensors_come_back():
    hand = SensorTestRun().begins()
    hand.press("a1")
    hand.step = hand.step.after(HealthEvent(as_message("The sensors do not answer."), hand.at))
    hand.wait(1.0)
    hand.step = hand.step.after(HealthEvent(None, hand.at))
    assert (hand.step.phase, hand.step.queue, hand.step.press_count) == ("press", ("a1",), 0)
    hand.press_all("a1")
    hand.wait(HANDS_OFF_SECONDS)
    assert hand.kinds() == []


def test_silent_board_is_not_tested_cell_by_cell():
    step = SensorTest(BUTTONS, 0.0).after(StepTick(HANDS_OFF_SECONDS))
    (finding,) = step.result.findings
    assert (finding.grade, finding.kind) == (FAULT, "not reached")
    assert finding.message == Message("setup.nothing_read")


def test_findings_cover_only_requested_cells():
    hand = SensorTestRun(("a1",)).begins()
    assert hand.step.page.step_progress == (0, 1)
    hand.replies("x")
    hand.replies("x")
    hand.wait(HANDS_OFF_SECONDS)
    assert [each.cells for each in hand.step.result.findings] == [("a1",)]


def test_rectangle_starts_at_its_elbow_and_is_sound():
    sound = frozenset(get_grid(5).cells)
    of = MATRIX.sensing.wiring.crossings
    for cell in get_grid(5).cells:
        elbow, along, across, fourth = find_rectangle(MATRIX, cell, sound)
        assert elbow == cell
        assert of[along].drive == of[elbow].drive != of[across].drive == of[fourth].drive
        assert of[across].sense == of[elbow].sense != of[along].sense == of[fourth].sense
        for bad in (along, across, fourth):
            assert bad not in find_rectangle(MATRIX, cell, sound - {bad})
        assert find_rectangle(MATRIX, cell, sound - {cell}) == ()
    assert find_rectangle(MATRIX, "a1", frozenset({"a1", "b1", "c1"})) == ()


def test_holding_three_crossings_reveals_a_missing_diode():
    hand = SensorTestRun(("a1", "b1", "a2", "b2"), MATRIX).begins()
    hand.press_all("a1", "b1", "a2", "b2")
    assert hand.step.phase == "corners"
    for number in range(4):
        *three, fourth = hand.step.rectangle
        assert prompt_messages(hand.step) == (Message("sensor_walk.hold", cells=tuple(three)),)
        hand.press(*three, *([fourth] if number == 2 else []), seconds=0.9)
    hand.wait(2 * HANDS_OFF_SECONDS + 0.5)  # the three cells were held for too long
    assert hand.kinds() == [("missing diode", ("a2",))]


def test_diode_is_untested_without_three_held_cells():
    hand = SensorTestRun(("a1", "b1", "a2", "b2"), MATRIX).begins()
    hand.press_all("a1", "b1", "a2", "b2")
    hand.press(*hand.step.rectangle[:3], seconds=0.5)
    for _ in range(3):
        hand.replies("n")
    hand.wait(HANDS_OFF_SECONDS)
    messages = {each.cells[0]: each.message for each in hand.step.result.findings}
    not_tried = {cell: Message("finding.diode_not_tried", cell=cell) for cell in ("b1", "a2", "b2")}
    assert messages == {"a1": None, **not_tried}


def test_prompts_mention_pieces():
    hand = SensorTestRun(("a1",), LINEAR)
    assert prompt_messages(hand.step) == (Message("sensor_walk.hands_off.pieces", seconds=3),)
    hand.wait(HANDS_OFF_SECONDS)
    assert prompt_messages(hand.step) == (Message("sensor_walk.press.pieces", cell="a1", times=3),)


@pytest.mark.parametrize("board", ["direct-4x4", "hall-5x5"])
def test_simulated_user_completes_the_test(board):
    profile, clock = load_profile(board), SimulatedClock()
    bench = FaultyBoard(profile, clock.now, ActualBuild.from_profile(profile), {"b1": "never"}, 5)
    result = SimulatedUser(StepBench(bench, clock, SensorTest(profile, 0.0, ["a1", "b1", "c1"]))).run()
    assert [(each.kind, each.cells) for each in result.findings] == [
        ("never", ("b1",)), ("good", ("a1",)), ("good", ("c1",)),
    ]  # fmt: skip


def pressed(cell, number, chatter, count=3):
    presses = tuple(SensorPress(10.0 + i, 10.2 + i) for i in range(count))
    edges = tuple(EdgeBurst(press.begin, press.begin + chatter, 3, True) for press in presses)
    return (PressTrial(3, MappingProxyType({number: presses} if presses else {}), edges),)


def finished_step(profile, **chatter):
    """Return the step after its sensor test. Cells bounced for these times, or never responded (None)."""
    cells = tuple(profile.sensing.debounce_by_cell)
    trials = {}
    for number, cell in enumerate(cells):
        took = chatter.get(cell, 0.002)
        trials[cell] = pressed(cell, number, took or 0.0, 3 if took is not None else 0)
    quiet = IdlePeriod(3.0, frozenset(), (0,) * len(cells))
    return TimingStep(profile, 0.0, BoardMeasurements(quiet, trials, quiet))


@pytest.mark.parametrize(
    ("chatter", "kind", "expected"),
    [(0.002, "button", 20), (0.02, "button", 30), (0.0201, "button", 31), (0.5, "button", 200), (0.03, "hall", 45)],
)
def test_debounce_is_one_and_a_half_times_longest_bounce(chatter, kind, expected):
    assert recommend_debounce(pressed("a1", 0, chatter), kind, 100) == expected


def test_debounce_has_a_minimum_per_kind():
    assert recommend_debounce(pressed("a1", 0, 0.0), "button", 1000) == 5
    assert recommend_debounce(pressed("a1", 0, 0.0), "hall", 1000) == 20


def test_each_cell_gets_its_own_debounce():
    step = finished_step(BUTTONS, b2=0.03)
    assert step.page.prompt == Message("timing.ask")
    assert step.page.drawing[0] == Message("timing.heading")
    assert step.page.drawing[3].split()[3:6] == ["30", "->", "45"]
    drawn = Message("timing.drawn", debounce_ms=round(BUTTONS.sensing.debounce_seconds * 1000))
    assert step.page.text == (drawn, Message("timing.measured_before"))
    assert step.page.title == Message("timing.title")
    assert [choice.label.id for choice in step.page.choices] == ["setup_key.yes", "setup_key.no", "timing.again"]
    rows = step.after(StepReply("y", 1.0)).result.changes["sensors.debounce_ms"].split("\n")
    assert [row.split() for row in rows][2][1] == "45"
    assert finished_step(BUTTONS, b2=0.03).after(StepReply("n", 1.0)).result.changes == {}


def test_faulty_sensor_gets_the_longest_debounce():
    step = finished_step(BUTTONS, b2=None, c1=0.03)
    rows = [row.split() for row in step.after(StepReply("y", 1.0)).result.changes["sensors.debounce_ms"].split("\n")]
    assert rows[2][1] == rows[3][2] == "45"


def test_settle_time_is_proposed_for_pieces_only():
    step = finished_step(HALL)
    changes = step.after(StepReply("y", 1.0)).result.changes
    longest = max(int(word) for word in changes["sensors.debounce_ms"].split())
    assert changes["sensors.settle_ms"] == 2 * longest + 100
    settle = {"settle_ms": 2 * longest + 100, "drawn_ms": round(HALL.sensing.settle_seconds * 1000)}
    assert Message("timing.settle", **settle) in finished_step(HALL).page.text
    assert "sensors.settle_ms" not in finished_step(BUTTONS).after(StepReply("y", 1.0)).result.changes


def test_nothing_is_proposed_without_measurements():
    step = finished_step(BUTTONS, **dict.fromkeys(BUTTONS.sensing.debounce_by_cell))
    assert step.page.prompt == Message("timing.nothing_measured")
    assert step.after(StepReply("y", 1.0)).result is None
    assert step.after(StepReply("n", 1.0)).result.changes == {}


def test_correct_profile_is_unchanged():
    step = finished_step(BUTTONS)
    words = step.after(StepReply("y", 1.0)).result.changes["sensors.debounce_ms"].split()
    holds = {cell: int(words[0]) / 1000 for cell in BUTTONS.sensing.debounce_by_cell}
    right = replace(BUTTONS, sensing=replace(BUTTONS.sensing, debounce_by_cell=holds))
    page = finished_step(right).page
    assert page.prompt == Message("timing.right")
    assert [choice.label.id for choice in page.choices] == ["setup_key.menu", "timing.again"]


BESIDE = 54
"""Number of columns next to a simulated 5x5 board on an 80-column screen."""
HOLD = BUTTONS.sensing.debounce_seconds


def reading(at, *down):
    return Sample(tuple(int(n in down) for n in range(16)), at)


def debounced_inputs(looks):
    """Return the inputs that are down after debouncing."""
    return {number for number, level in enumerate(looks._filter.levels) if level}


def test_live_view_waits_for_the_first_reading():
    assert LiveView(BUTTONS).page.prompt == Message("setup.nothing_read")
    assert LiveView(BUTTONS).lit_lamps == {}


def test_reading_is_shown_at_once_and_debounced_later():
    looks = LiveView(BUTTONS).after(reading(0.0)).after(reading(1.0, 0))
    bottom = page_text(looks).lines[-1]
    assert bottom.startswith("#  .  .  .")
    assert debounced_inputs(looks) == set()
    assert looks.due == 1.0 + HOLD
    looks = looks.after(StepTick(1.0 + HOLD))
    assert debounced_inputs(looks) == {0}
    assert set(looks.lit_lamps) == set(cell_lamps(BUTTONS, "a1"))
    assert page_text(looks).lines[-1].count("#") == 2


def test_spike_is_counted_but_not_debounced():
    looks = LiveView(BUTTONS).after(reading(0.0)).after(reading(1.0, 5)).after(reading(1.001)).after(StepTick(2.0))
    assert debounced_inputs(looks) == set()
    assert looks.changes[5] == 2
    assert looks.after(StepReply("z", 3.0)).changes == [0] * 16


def test_live_view_size_is_bounded():
    looks = LiveView(BUTTONS)
    for n in range(200):
        looks = looks.after(reading(n / 100, n % 2))
    assert looks.changes[0] == 199
    assert len(repr(looks)) < len(repr(LiveView(BUTTONS).after(reading(0.0)).after(reading(1.0, 1)))) + 200


def test_live_view_reports_trouble():
    looks = LiveView(BUTTONS).after(reading(0.0)).after(HealthEvent(as_message("They do not answer."), 1.0))
    assert looks.page.prompt == as_message("They do not answer.")
    assert looks.after(HealthEvent(None, 2.0)).page.prompt == Message("live.watch")


def test_live_view_shows_linear_counts():
    profile = load_profile("hall-5x5")
    looks = LiveView(profile).after(Sample((0,) * 25, 0.0, tuple(range(500, 525))))
    lines = page_text(looks).lines
    assert lines[0].split() == [text(Message("live.grid.count")), text(Message("live.grid.rest"))]
    assert lines[1].split()[:5] == ["520", "521", "522", "523", "524"]
    assert Message("live.threshold", on=60, off=profile.sensing.wiring.off) in looks.page.drawing


@pytest.mark.parametrize("board", ["hall-5x5", "matrix-5x5"])
def test_live_view_fits_beside_a_board(board):
    looks = LiveView(load_profile(board)).after(Sample((0,) * 25, 0.0, (1023,) * 25 if board == "hall-5x5" else None))
    looks.changes = [10**7] * 25
    lines = page_text(looks).lines
    assert lines[-1].endswith("  999 999 999 999 999")
    sentences = [text(block) for block in looks.page.drawing if isinstance(block, Message)]
    drawings = [line for line in lines if line not in sentences]
    assert max(map(len, drawings)) <= BESIDE
    assert len(lines) < PAGE_LINES


def test_leaving_ends_the_live_view():
    looks = LiveView(BUTTONS).after(reading(0.0)).after(StepReply("q", 1.0))
    assert looks.result.findings == ()
    assert looks.lit_lamps == {}
