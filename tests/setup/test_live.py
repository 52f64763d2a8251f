"""What every sensor says now."""

import pytest

from pond_hw.board import HealthEvent, Sample
from pond_hw.messages.message import Message, as_message
from pond_hw.profile import load_profile
from pond_hw.setup.lamp_places import cell_lamps
from pond_hw.setup.pages import PAGE_LINES
from pond_hw.setup.sensor_steps import LiveView
from pond_hw.setup.step import StepReply, StepTick
from tests.messages.says import text
from tests.setup.pages import shown

PROFILE = load_profile("direct-4x4")
BESIDE = 54
"""Columns that are left beside a pretended board of 5x5 on a screen of 80."""
HOLD = PROFILE.sensing.debounce_seconds


def reading(at, *down):
    return Sample(tuple(int(n in down) for n in range(16)), at)


def believed(looks):
    """The inputs that are believed to be down."""
    return {number for number, level in enumerate(looks._filter.levels) if level}


def test_before_anything_is_read_it_says_so():
    assert LiveView(PROFILE).page.prompt == Message("setup.nothing_read")
    assert LiveView(PROFILE).lit_lamps == {}


def test_what_is_read_is_shown_at_once_and_believed_after_its_hold():
    looks = LiveView(PROFILE).after(reading(0.0)).after(reading(1.0, 0))
    bottom = shown(looks).lines[-1]
    assert bottom.startswith("#  .  .  .")
    assert believed(looks) == set()
    assert looks.due == 1.0 + HOLD
    looks = looks.after(StepTick(1.0 + HOLD))
    assert believed(looks) == {0}
    assert set(looks.lit_lamps) == set(cell_lamps(PROFILE, "a1"))
    assert shown(looks).lines[-1].count("#") == 2


def test_a_spike_is_shown_and_counted_and_not_believed():
    looks = LiveView(PROFILE).after(reading(0.0)).after(reading(1.0, 5)).after(reading(1.001)).after(StepTick(2.0))
    assert believed(looks) == set()
    assert looks.changes[5] == 2
    assert looks.after(StepReply("z", 3.0)).changes == [0] * 16


def test_it_does_not_grow_however_long_it_is_looked_at():
    looks = LiveView(PROFILE)
    for n in range(200):
        looks = looks.after(reading(n / 100, n % 2))
    assert looks.changes[0] == 199
    assert len(repr(looks)) < len(repr(LiveView(PROFILE).after(reading(0.0)).after(reading(1.0, 1)))) + 200


def test_trouble_is_told_and_passes():
    looks = LiveView(PROFILE).after(reading(0.0)).after(HealthEvent(as_message("They do not answer."), 1.0))
    assert looks.page.prompt == as_message("They do not answer.")
    assert looks.after(HealthEvent(None, 2.0)).page.prompt == Message("live.watch")


def test_of_linear_sensors_the_counts_are_shown():
    profile = load_profile("hall-5x5")
    looks = LiveView(profile).after(Sample((0,) * 25, 0.0, tuple(range(500, 525))))
    lines = shown(looks).lines
    assert lines[0].split() == [text(Message("live.grid.count")), text(Message("live.grid.rest"))]
    assert lines[1].split()[:5] == ["520", "521", "522", "523", "524"]
    assert Message("live.threshold", on=60, off=profile.sensing.wiring.off) in looks.page.drawing


@pytest.mark.parametrize("board", ["hall-5x5", "matrix-5x5"])
def test_it_has_room_beside_a_board_however_much_changes(board):
    looks = LiveView(load_profile(board)).after(Sample((0,) * 25, 0.0, (1023,) * 25 if board == "hall-5x5" else None))
    looks.changes = [10**7] * 25
    lines = shown(looks).lines
    assert lines[-1].endswith("  999 999 999 999 999")
    sentences = [text(block) for block in looks.page.drawing if isinstance(block, Message)]
    drawings = [line for line in lines if line not in sentences]
    assert max(map(len, drawings)) <= BESIDE
    assert len(lines) < PAGE_LINES


def test_leaving_ends_it():
    looks = LiveView(PROFILE).after(reading(0.0)).after(StepReply("q", 1.0))
    assert looks.result.findings == ()
    assert looks.lit_lamps == {}
