"""How long each sensor needs, from the presses that were felt."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.setup.sensor_diagnosis import BoardMeasurements
from pond_hw.setup.sensor_measurements import EdgeBurst, IdlePeriod, PressTrial, SensorPress
from pond_hw.setup.sensor_steps import TimingStep, recommend_debounce
from pond_hw.setup.step import StepReply

BUTTONS, HALL = load_profile("direct-4x4"), load_profile("hall-4x4")


def pressed(cell, number, chatter, count=3):
    presses = tuple(SensorPress(10.0 + i, 10.2 + i) for i in range(count))
    edges = tuple(EdgeBurst(press.begin, press.begin + chatter, 3, True) for press in presses)
    return (PressTrial(3, MappingProxyType({number: presses} if presses else {}), edges),)


def done(profile, **chatter):
    """The step with its exercise behind it; these cells chattered for so long, or (None) never answered."""
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
def test_a_debounce_is_half_as_long_again_as_the_longest_chatter(chatter, kind, expected):
    assert recommend_debounce(pressed("a1", 0, chatter), kind, 100) == expected


def test_it_is_never_below_what_its_kind_needs():
    assert recommend_debounce(pressed("a1", 0, 0.0), "button", 1000) == 5
    assert recommend_debounce(pressed("a1", 0, 0.0), "hall", 1000) == 20


def test_each_cell_gets_its_own_and_a_no_changes_nothing():
    step = done(BUTTONS, b2=0.03)
    assert step.page.prompt == Message("timing.ask")
    assert step.page.drawing[0] == Message("timing.heading")
    assert step.page.drawing[3].split()[3:6] == ["30", "->", "45"]
    drawn = Message("timing.drawn", debounce_ms=round(BUTTONS.sensing.debounce_seconds * 1000))
    assert step.page.text == (drawn, Message("timing.measured_before"))
    assert step.page.title == Message("timing.title")
    assert [choice.label.id for choice in step.page.choices] == ["setup_key.yes", "setup_key.no", "timing.again"]
    rows = step.after(StepReply("y", 1.0)).result.changes["sensors.debounce_ms"].split("\n")
    assert [row.split() for row in rows][2][1] == "45"
    assert done(BUTTONS, b2=0.03).after(StepReply("n", 1.0)).result.changes == {}


def test_a_faulty_sensor_teaches_nothing_and_gets_the_longest():
    step = done(BUTTONS, b2=None, c1=0.03)
    rows = [row.split() for row in step.after(StepReply("y", 1.0)).result.changes["sensors.debounce_ms"].split("\n")]
    assert rows[2][1] == rows[3][2] == "45"


def test_pieces_are_given_time_to_settle():
    step = done(HALL)
    changes = step.after(StepReply("y", 1.0)).result.changes
    longest = max(int(word) for word in changes["sensors.debounce_ms"].split())
    assert changes["sensors.settle_ms"] == 2 * longest + 100
    settle = {"settle_ms": 2 * longest + 100, "drawn_ms": round(HALL.sensing.settle_seconds * 1000)}
    assert Message("timing.settle", **settle) in done(HALL).page.text
    assert "sensors.settle_ms" not in done(BUTTONS).after(StepReply("y", 1.0)).result.changes


def test_without_anything_measured_nothing_is_proposed():
    step = done(BUTTONS, **dict.fromkeys(BUTTONS.sensing.debounce_by_cell))
    assert step.page.prompt == Message("timing.nothing_measured")
    assert step.after(StepReply("y", 1.0)).result is None
    assert step.after(StepReply("n", 1.0)).result.changes == {}


def test_a_profile_that_is_right_is_left_alone():
    step = done(BUTTONS)
    words = step.after(StepReply("y", 1.0)).result.changes["sensors.debounce_ms"].split()
    holds = {cell: int(words[0]) / 1000 for cell in BUTTONS.sensing.debounce_by_cell}
    right = replace(BUTTONS, sensing=replace(BUTTONS.sensing, debounce_by_cell=holds))
    page = done(right).page
    assert page.prompt == Message("timing.right")
    assert [choice.label.id for choice in page.choices] == ["setup_key.menu", "timing.again"]
