"""Tests of the `calibrate` step."""

import pytest

from pond_hw.board import HealthEvent, Sample
from pond_hw.messages.message import Message, as_message
from pond_hw.profile import load_profile
from pond_hw.rules import PondError
from pond_hw.setup.calibration_step import HANDS_OFF_SECONDS, STILL_SECONDS, CalibrationStep
from pond_hw.setup.findings import FAULT, GOOD, WARNING
from pond_hw.setup.lamp_positions import cell_lamps
from pond_hw.setup.step import StepReply, StepTick

PROFILE = load_profile("hall-5x5")
REST = 520


class CalibrationRun:
    """Calibration of the first cells from given readings.

    Attributes:
        step: calibration step.
        at: current time in seconds.
    """

    def __init__(self, cells=("a1", "b1", "c1"), noise=2, trembling=None):
        self.at, self.noise, self.near, self.trembling = 0.0, noise, {}, trembling or {}
        self.step = CalibrationStep(PROFILE, 0.0, cells)
        self.wait(HANDS_OFF_SECONDS + 0.2)

    def wait(self, seconds):
        for _ in range(round(seconds / 0.1)):
            self.at += 0.1
            odd = round(self.at * 10) % 2
            jitter = [odd * self.trembling.get(number, self.noise) for number in range(25)]
            counts = tuple(REST + jitter[number] + self.near.get(number, 0) for number in range(25))
            self.step = self.step.after(Sample((0,) * 25, self.at, counts))
            if self.step.due <= self.at:
                self.step = self.step.after(StepTick(self.at))

    def put(self, cell, counts):
        self.near = {"abcde".index(cell[0]): counts}
        self.wait(STILL_SECONDS + 0.3)
        self.near = {}
        self.wait(0.3)

    def poles(self, cell, light, dark):
        self.put(cell, light)
        self.put(cell, dark)


def good():
    hand = CalibrationRun()
    for cell, light, dark in (("a1", 200, -200), ("b1", 180, -210), ("c1", 160, -170)):
        hand.poles(cell, light, dark)
    return hand


def test_rest_values_and_thresholds_are_proposed():
    changes = good().step.after(StepReply("y", 0.0)).result.changes
    rows = [row.split() for row in changes["sensors.rest"].split("\n")]
    assert abs(int(rows[4][0]) - REST) <= 1
    assert abs(changes["sensors.on"] - 80) <= 1
    assert abs(changes["sensors.off"] - 40) <= 1
    assert "sensors.light" not in changes


def test_declined_thresholds_change_nothing():
    assert good().step.after(StepReply("n", 0.0)).result.changes == {}


def test_reversed_poles_change_the_light_direction():
    hand = CalibrationRun()
    for cell in ("a1", "b1", "c1"):
        hand.poles(cell, -200, 200)
    result = hand.step.after(StepReply("y", 0.0)).result
    assert result.changes["sensors.light"] == "below"
    assert {finding.grade for finding in result.findings} == {GOOD}


def test_cell_is_lit_until_its_piece_has_settled():
    hand = CalibrationRun()
    assert max(hand.step.lit_lamps.values()) == (150, 150, 150)
    assert set(hand.step.lit_lamps) == set(cell_lamps(PROFILE, "a1"))
    hand.near = {0: 200}
    hand.wait(STILL_SECONDS + 0.3)
    assert hand.step.lit_lamps == {}
    assert hand.step.page.prompt == Message("calibrate.take_off", cell="a1")
    hand.near = {}
    hand.wait(0.2)
    assert hand.step.page.prompt == Message("calibrate.put.dark", cell="a1")
    assert set(hand.step.lit_lamps) == set(cell_lamps(PROFILE, "a1"))


def test_first_prompt_asks_for_a_piece():
    step = CalibrationStep(PROFILE, 0.0, ("a1",))
    for tenth in range(round(10 * HANDS_OFF_SECONDS) + 1):
        step = step.after(Sample((0,) * 25, tenth / 10, (REST,) * 25))
    for at in (3.2, 3.3):
        assert step.page.prompt == Message("calibrate.put.light", cell="a1")
        step = step.after(Sample((0,) * 25, at, (REST,) * 25))


def test_dead_and_reversed_sensors_are_faults():
    hand = CalibrationRun()
    hand.poles("a1", 200, -200)
    hand.step = hand.step.after(StepReply("x", hand.at)).after(StepReply("x", hand.at))
    hand.wait(0.2)
    hand.poles("c1", -200, 190)
    hand.step = hand.step.after(StepReply("n", hand.at))
    found = {finding.cells[0]: (finding.grade, finding.kind) for finding in hand.step.result.findings}
    assert found == {"a1": (GOOD, "good"), "b1": (FAULT, "never"), "c1": (FAULT, "reversed")}


def test_step_waits_for_a_missing_piece():
    hand = CalibrationRun(("a1", "b1"))
    before = hand.step.page
    hand.wait(120.0)
    assert hand.step.page == before
    for _ in range(4):
        hand.step = hand.step.after(StepReply("n", hand.at))
    (finding,) = hand.step.after(StepReply("y", hand.at)).result.findings
    assert (finding.grade, finding.kind, finding.cells) == (WARNING, "not examined", ("a1", "b1"))
    assert finding.message == Message("calibrate.skipped", cells=("a1", "b1"), count=2)
    assert finding.cure == Message("calibrate.skipped_cure", count=2)


def test_cell_with_one_pole_is_not_examined():
    hand = CalibrationRun(("a1",))
    hand.step = hand.step.after(StepReply("x", hand.at)).after(StepReply("n", hand.at))
    (finding,) = hand.step.after(StepReply("y", hand.at)).result.findings
    assert (finding.grade, finding.kind, finding.cells) == (WARNING, "not examined", ("a1",))


def test_step_waits_until_the_old_piece_is_removed():
    hand = CalibrationRun(("a1",))
    hand.near = {0: 200}
    hand.wait(60.0)
    assert hand.step.page.prompt == Message("calibrate.take_off", cell="a1")
    assert hand.step.queue == ("a1",)


def test_noisy_sensor_is_excluded_from_thresholds():
    hand = CalibrationRun(("a1", "b1", "c1", "d1"), trembling={1: 60})
    for cell in ("a1", "b1", "c1", "d1"):
        hand.poles(cell, 190, -190)
    result = hand.step.after(StepReply("y", hand.at)).result
    bad = [(each.grade, each.kind, each.cells) for each in result.findings if each.grade != GOOD]
    assert bad == [(WARNING, "noise", ("b1",))]
    assert abs(result.changes["sensors.on"] - 95) <= 2


def test_weak_sensor_is_excluded_from_thresholds():
    hand = CalibrationRun(("a1", "b1", "c1", "d1"), noise=9)
    for cell in ("a1", "b1", "c1", "d1"):
        hand.poles(cell, *((40, -40) if cell == "c1" else (190, -190)))
    result = hand.step.after(StepReply("y", hand.at)).result
    bad = [(each.grade, each.kind, each.cells) for each in result.findings if each.grade != GOOD]
    assert bad == [(WARNING, "weak", ("c1",))]
    assert abs(result.changes["sensors.on"] - 95) <= 5


def test_too_noisy_sensors_get_no_threshold():
    hand = CalibrationRun(noise=24)
    for cell in ("a1", "b1", "c1"):
        hand.poles(cell, 130, -130)
    assert hand.step.page.prompt == Message("calibrate.nothing")
    (weak,) = [finding for finding in hand.step.after(StepReply("y", 0.0)).result.findings if finding.kind == "weak"]
    assert (weak.cells, weak.message) == ((), Message("calibrate.no_threshold"))


def test_readings_before_lost_sensors_are_dropped():
    hand = CalibrationRun(("a1",))
    hand.near = {0: 200}
    hand.wait(0.3)
    hand.step = hand.step.after(HealthEvent(as_message("They do not answer."), hand.at))
    assert hand.step.page.prompt == as_message("They do not answer.")
    assert hand.step.lit_lamps == {}
    hand.step = hand.step.after(HealthEvent(None, hand.at))
    hand.wait(1.0)
    assert hand.step.poles == {}


def test_boards_without_linear_sensors_cannot_be_calibrated():
    with pytest.raises(PondError) as caught:
        CalibrationStep(load_profile("direct-4x4"), 0.0)
    assert caught.value.message == Message("calibrate.no_sensors", board="direct-4x4")
