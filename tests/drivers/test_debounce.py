"""Tests of debouncing, compared with an oracle that sees the whole history."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.board import Touch
from pond_hw.drivers.debounce import DebounceFilter, HysteresisFilter, LevelChange, list_touches
from pond_hw.rules import DARK, LIGHT


def feed(debounce, history):
    """Return all changes found in a history of (time, levels), accepting each when it is due."""
    changes = []
    for at, readings in history:
        due = debounce.add_readings(readings, at)
        debounce.accept_changes(due)
        changes += due
    return changes


def expected_changes(levels, instants, hold):
    """Return the changes of one sensor. Each reading looks back to the start of the current level."""
    changes, accepted = [], 0
    for number, (level, at) in enumerate(zip(levels, instants, strict=True)):
        first = number
        while first and levels[first - 1] == level:
            first -= 1
        if level != accepted and number > first and at - instants[first] >= hold:
            changes.append((accepted, level, at))
            accepted = level
    return changes


def debounce_sensor(levels, *, hold=0.008, every=0.004, pressed_at=1.0):
    return [
        (change.level, round(change.instant - pressed_at, 6))
        for change in feed(
            DebounceFilter([hold]), [(pressed_at + number * every, [level]) for number, level in enumerate(levels)]
        )
    ]


def test_level_is_reported_after_hold_time():
    assert debounce_sensor([0, 1, 1, 1, 1, 1]) == [(1, 0.012)]


def test_bounce_ends_before_change_is_reported():
    assert debounce_sensor([0, 1, 0, 1, 1, 0, 1, 1, 1, 1]) == [(1, 0.032)]


def test_spike_is_never_reported():
    assert debounce_sensor([0, 1, 1, 0, 0, 1, 0, 0, 0]) == []


def test_single_reading_never_counts():
    assert debounce_sensor([0, 1, 0, 0], every=10.0) == []
    assert debounce_sensor([0, 1, 1], every=10.0) == [(1, 20.0)]
    assert debounce_sensor([1, 1], hold=0.0) == [(1, 0.004)]


def test_opposite_poles_are_different_levels():
    assert [level for level, _ in debounce_sensor([1, 1, 1, -1, -1, -1, 0, 0, 0])] == [1, -1, 0]


def test_due_change_is_returned_until_accepted():
    debounce = DebounceFilter([0.0])
    assert debounce.add_readings([1], 0.0) == []
    first, second = debounce.add_readings([1], 1.0), debounce.add_readings([1], 2.0)
    assert first == [LevelChange(0, 0, 1, 1.0)]
    assert second == [LevelChange(0, 0, 1, 2.0)]
    debounce.accept_changes(second)
    assert debounce.add_readings([1], 3.0) == []
    assert debounce.levels == [1]


def test_forget_readings_restarts_hold_and_keeps_levels():
    debounce = DebounceFilter([2.0, 2.0])
    assert feed(debounce, [(0.0, [1, 0]), (2.0, [1, 0])]) == [LevelChange(0, 0, 1, 2.0)]
    debounce.add_readings([0, 1], 3.0)
    debounce.forget_readings()
    assert debounce.levels == [1, 0]
    assert feed(debounce, [(5.0, [0, 1]), (6.0, [0, 1])]) == []
    assert len(feed(debounce, [(7.0, [0, 1])])) == 2


def test_accepted_levels_end_the_unchanged_reading_shortcut():
    # Readings that equal the accepted levels are skipped, but the accepted levels may also change elsewhere.
    debounce = DebounceFilter([0.008, 0.008])
    assert [debounce.add_readings((0, 0), 1.0 + n / 100) for n in range(3)] == [[], [], []]
    debounce.accept_changes([LevelChange(1, 0, 1, 1.02)])
    assert debounce.add_readings((0, 0), 1.03) == [LevelChange(1, 1, 0, 1.03)]
    debounce.accept_changes([LevelChange(1, 1, 0, 1.03)])
    assert [debounce.add_readings((0, 0), 1.04 + n / 100) for n in range(3)] == [[], [], []]
    debounce.levels[0] = 1
    debounce.forget_readings()
    assert [debounce.add_readings((0, 0), 1.1 + n / 100) for n in range(2)] == [[], [LevelChange(0, 1, 0, 1.11)]]


def test_each_sensor_has_its_own_hold():
    changes = feed(DebounceFilter([0.01, 0.1]), [(number * 0.01, [1, 1]) for number in range(12)])
    assert [(change.sensor_number, round(change.instant, 3)) for change in changes] == [(0, 0.01), (1, 0.1)]


def test_simultaneous_presses_include_pending_presses():
    debounce = DebounceFilter([1.0, 5.0, 5.0, 5.0, 5.0])
    debounce.accept_changes(debounce.add_readings([0, 0, 0, 0, 0], 0.0))
    debounce.add_readings([1, 1, -1, 0, 0], 1.0)
    due = debounce.add_readings([1, 1, -1, 1, 0], 2.0)
    assert [change.sensor_number for change in due] == [0]
    assert debounce.simultaneous_presses(due) == {0, 1, 2}
    debounce.accept_changes(due)
    assert debounce.simultaneous_presses([]) == set()
    late = debounce.add_readings([1, 1, 0, 1, 0], 6.0)
    assert [change.sensor_number for change in late] == [1]
    assert debounce.simultaneous_presses(late) == {1}  # the first one is already down
    gone = [*debounce.add_readings([0, 1, 0, 1, 1], 6.5), *debounce.add_readings([0, 1, 0, 1, 1], 7.5)][-1:]
    assert [(change.sensor_number, change.level) for change in gone] == [(0, 0)]
    assert debounce.simultaneous_presses(gone) == set()  # releases do not count, although another was pressed then


histories = st.lists(st.tuples(st.sampled_from([0, 0, 1, 1, -1]), st.integers(1, 40)), min_size=1, max_size=60)


@given(history=histories, hold=st.integers(0, 60))
def test_changes_match_oracle(history, hold):
    levels, instants, at = [], [], 0
    for level, gap in history:
        at += gap
        levels.append(level)
        instants.append(at)
    changes = feed(DebounceFilter([hold]), [(at, [level]) for at, level in zip(instants, levels, strict=True)])
    assert [(change.level_before, change.level, change.instant) for change in changes] == expected_changes(
        levels, instants, hold
    )


@given(
    history=st.lists(st.tuples(st.booleans(), st.integers(1, 40), st.integers(0, 40)), min_size=1, max_size=60),
    hold=st.integers(0, 60),
)
def test_level_is_reported_only_after_a_definite_hold(history, hold):
    debounce, at, ends, levels = DebounceFilter([hold]), 0, [], []
    for level, gap, takes in history:
        reading_begun, at = at + gap, at + gap + takes
        ends = [*ends, at] if levels and levels[-1] == level else [at]
        levels.append(level)
        due_at, due = debounce.next_due_at, debounce.add_readings([level], reading_begun, at)
        held = (
            len(ends) > 1 and reading_begun - ends[0] >= hold
        )  # even if it began as late and ended as early as possible
        assert bool(due) == (held and level != debounce.levels[0])
        assert not due or reading_begun >= due_at
        debounce.accept_changes(due)


@given(history=histories, hold=st.integers(0, 60), every=st.integers(1, 20))
def test_held_level_is_reported_within_two_readings(history, hold, every):
    changes, at, accepted = [], 0, 0
    debounce = DebounceFilter([hold])
    for level, lasts in history:
        level_begun = at
        while at < level_begun + lasts + hold + 2 * every:
            at += every
            changes += (due := debounce.add_readings([level], at))
            debounce.accept_changes(due)
        assert debounce.levels == [level]
        assert all(change.instant <= level_begun + hold + 2 * every for change in changes)
        assert [change.level for change in changes] == ([level] if level != accepted else [])
        changes, accepted = [], level


@given(
    rows=st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=1, max_size=40),
    forget=st.sets(st.integers(0, 40), max_size=3),
)
def test_sensors_are_independent(rows, forget):
    together, alone = DebounceFilter([2, 2, 2]), [DebounceFilter([2]) for _ in range(3)]
    for at, row in enumerate(rows):
        if at in forget:
            for each in (together, *alone):
                each.forget_readings()
        changes = together.add_readings(row, at)
        together.accept_changes(changes)
        separately = []
        for number, (debounce, level) in enumerate(zip(alone, row, strict=True)):
            due = debounce.add_readings([level], at)
            debounce.accept_changes(due)
            separately += [change._replace(sensor_number=number) for change in due]
        assert changes == separately


REST, ON, OFF = 512, 60, 30


def poles(counts, *, settled=True):
    """Return the pole after each count. By default each count is repeated three times, as for a magnet at rest."""
    hysteresis, found = HysteresisFilter([REST], ON, OFF), []
    for count in counts:
        for _ in range(3 if settled else 1):
            (pole,) = hysteresis.add_counts([REST + count])
        found.append(pole)
    return found


@pytest.mark.parametrize("sign", [1, -1])
def test_pole_starts_and_ends_at_different_thresholds(sign):
    strengths = [0, 30, 59, 60, 200, 60, 59, 30, 29, 59, 60]
    assert poles([sign * each for each in strengths]) == [sign * each for each in [0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1]]


def test_opposite_pole_counts_at_once():
    assert poles([100, -100, -31, 0, 59, 60]) == [1, -1, -1, 0, 0, 1]


def test_pole_ends_near_weak_opposite_magnet():
    assert poles([100, -40, 40]) == [1, 0, 0]


@pytest.mark.parametrize("wrong_count", [-512, -100, 100, 511])
def test_single_wrong_count_changes_nothing(wrong_count):
    assert poles([0, 0, wrong_count, 0, 0, 0], settled=False) == [0] * 6
    assert poles([150, 150, 150, 150 + max(wrong_count, -512), 150, 150], settled=False)[1:] == [1] * 5


def test_two_wrong_counts_add_one_wrong_reading():
    assert poles([0, 0, 300, 300, 0, 0, 0], settled=False) == [0, 0, 0, 1, 1, 0, 0]


@given(
    counts=st.lists(st.integers(-512, 511), min_size=1, max_size=60),
    rest=st.integers(400, 600),
    on=st.integers(20, 100),
    gap=st.integers(1, 19),
)
def test_pole_is_detected_within_thresholds(counts, rest, on, gap):
    hysteresis, off, before = HysteresisFilter([rest], on, on - gap), on - gap, 0
    three = [0, 0]
    for count in counts:
        three = [*three[-2:], count]
        (pole,) = hysteresis.add_counts([rest + count])
        median_count = sorted(three)[1]
        if abs(median_count) >= on:
            assert pole == (1 if median_count > 0 else -1)
        elif median_count * before < off:
            assert pole == 0
        else:
            assert pole == before
        before = pole


def test_each_sensor_has_its_own_rest_value():
    hysteresis = HysteresisFilter([400, 600], ON, OFF)
    for _ in range(3):
        poles_found = hysteresis.add_counts([500, 500])
    assert poles_found == (1, -1)


def test_level_change_becomes_release_and_press():
    assert list_touches(LevelChange(5, 0, 1, 2.0), "b2", 2.0, 0) == [Touch("b2", True, 2.0)]
    assert list_touches(LevelChange(5, 1, 0, 2.0), "b2", 3.0, 0) == [Touch("b2", False, 3.0)]


@pytest.mark.parametrize("light", [1, -1])
def test_piece_of_other_owner_replaces_piece(light):
    touches = list_touches(LevelChange(5, light, -light, 2.0), "b2", 2.0, light)
    assert touches == [Touch("b2", False, 2.0, LIGHT), Touch("b2", True, 2.0, DARK)]
