"""Levels and instants in, changes out: held against an oracle that looks at the whole history at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.board import Touch
from pond_hw.drivers.debounce import DebounceFilter, HysteresisFilter, LevelChange, list_touches
from pond_hw.rules import DARK, LIGHT


def fed(debounce, history):
    """All changes of a history of (instant, readings), each believed as it is ripe."""
    told = []
    for at, readings in history:
        ripe = debounce.add_readings(readings, at)
        debounce.accept_changes(ripe)
        told += ripe
    return told


def should_be_told(levels, instants, hold):
    """The changes of one sensor: at each reading, look back to where its level began."""
    told, believed = [], 0
    for number, (level, at) in enumerate(zip(levels, instants, strict=True)):
        first = number
        while first and levels[first - 1] == level:
            first -= 1
        if level != believed and number > first and at - instants[first] >= hold:
            told.append((believed, level, at))
            believed = level
    return told


def one(levels, *, hold=0.008, every=0.004, begun=1.0):
    return [
        (change.level, round(change.instant - begun, 6))
        for change in fed(
            DebounceFilter([hold]), [(begun + number * every, [level]) for number, level in enumerate(levels)]
        )
    ]


def test_a_level_is_told_once_it_has_held_still():
    assert one([0, 1, 1, 1, 1, 1]) == [(1, 0.012)]


def test_bounce_is_over_before_anything_is_told():
    assert one([0, 1, 0, 1, 1, 0, 1, 1, 1, 1]) == [(1, 0.032)]


def test_a_spike_is_never_told():
    assert one([0, 1, 1, 0, 0, 1, 0, 0, 0]) == []


def test_one_reading_alone_is_never_believed_however_late_the_next_one_comes():
    assert one([0, 1, 0, 0], every=10.0) == []
    assert one([0, 1, 1], every=10.0) == [(1, 20.0)]
    assert one([1, 1], hold=0.0) == [(1, 0.004)]


def test_the_two_poles_of_a_magnet_are_two_levels():
    assert [level for level, _ in one([1, 1, 1, -1, -1, -1, 0, 0, 0])] == [1, -1, 0]


def test_what_is_ripe_is_offered_until_it_is_believed():
    debounce = DebounceFilter([0.0])
    assert debounce.add_readings([1], 0.0) == []
    first, second = debounce.add_readings([1], 1.0), debounce.add_readings([1], 2.0)
    assert first == [LevelChange(0, 0, 1, 1.0)]
    assert second == [LevelChange(0, 0, 1, 2.0)]
    debounce.accept_changes(second)
    assert debounce.add_readings([1], 3.0) == []
    assert debounce.levels == [1]


def test_after_forgetting_it_takes_the_whole_time_again_and_beliefs_stay():
    debounce = DebounceFilter([2.0, 2.0])
    assert fed(debounce, [(0.0, [1, 0]), (2.0, [1, 0])]) == [LevelChange(0, 0, 1, 2.0)]
    debounce.add_readings([0, 1], 3.0)
    debounce.forget_readings()
    assert debounce.levels == [1, 0]
    assert fed(debounce, [(5.0, [0, 1]), (6.0, [0, 1])]) == []
    assert len(fed(debounce, [(7.0, [0, 1])])) == 2


def test_what_was_calm_is_looked_at_again_when_beliefs_have_changed():
    # For hundreds of readings that say what is believed nothing is looked at; but beliefs are changed by others too.
    debounce = DebounceFilter([0.008, 0.008])
    assert [debounce.add_readings((0, 0), 1.0 + n / 100) for n in range(3)] == [[], [], []]
    debounce.accept_changes([LevelChange(1, 0, 1, 1.02)])
    assert debounce.add_readings((0, 0), 1.03) == [LevelChange(1, 1, 0, 1.03)]
    debounce.accept_changes([LevelChange(1, 1, 0, 1.03)])
    assert [debounce.add_readings((0, 0), 1.04 + n / 100) for n in range(3)] == [[], [], []]
    debounce.levels[0] = 1
    debounce.forget_readings()
    assert [debounce.add_readings((0, 0), 1.1 + n / 100) for n in range(2)] == [[], [LevelChange(0, 1, 0, 1.11)]]


def test_each_sensor_has_its_own_time():
    told = fed(DebounceFilter([0.01, 0.1]), [(number * 0.01, [1, 1]) for number in range(12)])
    assert [(change.sensor_number, round(change.instant, 3)) for change in told] == [(0, 0.01), (1, 0.1)]


def test_who_came_down_in_the_same_instant_is_known_before_it_is_ripe():
    debounce = DebounceFilter([1.0, 5.0, 5.0, 5.0, 5.0])
    debounce.accept_changes(debounce.add_readings([0, 0, 0, 0, 0], 0.0))
    debounce.add_readings([1, 1, -1, 0, 0], 1.0)
    ripe = debounce.add_readings([1, 1, -1, 1, 0], 2.0)
    assert [change.sensor_number for change in ripe] == [0]
    assert debounce.simultaneous_presses(ripe) == {0, 1, 2}
    debounce.accept_changes(ripe)
    assert debounce.simultaneous_presses([]) == set()
    late = debounce.add_readings([1, 1, 0, 1, 0], 6.0)
    assert [change.sensor_number for change in late] == [1]
    assert debounce.simultaneous_presses(late) == {1}  # the first one is there already
    gone = [*debounce.add_readings([0, 1, 0, 1, 1], 6.5), *debounce.add_readings([0, 1, 0, 1, 1], 7.5)][-1:]
    assert [(change.sensor_number, change.level) for change in gone] == [(0, 0)]
    assert debounce.simultaneous_presses(gone) == set()  # going is not coming, though another came when it went


histories = st.lists(st.tuples(st.sampled_from([0, 0, 1, 1, -1]), st.integers(1, 40)), min_size=1, max_size=60)


@given(history=histories, hold=st.integers(0, 60))
def test_what_is_told_is_what_held_still_and_nothing_else(history, hold):
    levels, instants, at = [], [], 0
    for level, gap in history:
        at += gap
        levels.append(level)
        instants.append(at)
    told = fed(DebounceFilter([hold]), [(at, [level]) for at, level in zip(instants, levels, strict=True)])
    assert [(change.level_before, change.level, change.instant) for change in told] == should_be_told(
        levels, instants, hold
    )


@given(
    history=st.lists(st.tuples(st.booleans(), st.integers(1, 40), st.integers(0, 40)), min_size=1, max_size=60),
    hold=st.integers(0, 60),
)
def test_what_is_told_has_held_still_whenever_in_its_readings_the_sensor_was_looked_at(history, hold):
    debounce, at, ends, told = DebounceFilter([hold]), 0, [], []
    for level, gap, takes in history:
        begun, at = at + gap, at + gap + takes
        ends = [*ends, at] if told and told[-1] == level else [at]
        told.append(level)
        ripens, ripe = debounce.next_ripe_at, debounce.add_readings([level], begun, at)
        held = len(ends) > 1 and begun - ends[0] >= hold  # even if it came as late and went as early as can be
        assert bool(ripe) == (held and level != debounce.levels[0])
        assert not ripe or begun >= ripens
        debounce.accept_changes(ripe)


@given(history=histories, hold=st.integers(0, 60), every=st.integers(1, 20))
def test_what_holds_is_told_within_its_time_and_two_readings(history, hold, every):
    told, at, believed = [], 0, 0
    debounce = DebounceFilter([hold])
    for level, lasts in history:
        begun = at
        while at < begun + lasts + hold + 2 * every:
            at += every
            told += (ripe := debounce.add_readings([level], at))
            debounce.accept_changes(ripe)
        assert debounce.levels == [level]
        assert all(change.instant <= begun + hold + 2 * every for change in told)
        assert [change.level for change in told] == ([level] if level != believed else [])
        told, believed = [], level


@given(
    rows=st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=1, max_size=40),
    forget=st.sets(st.integers(0, 40), max_size=3),
)
def test_sensors_do_not_know_of_each_other(rows, forget):
    together, alone = DebounceFilter([2, 2, 2]), [DebounceFilter([2]) for _ in range(3)]
    for at, row in enumerate(rows):
        if at in forget:
            for each in (together, *alone):
                each.forget_readings()
        told = together.add_readings(row, at)
        together.accept_changes(told)
        separately = []
        for number, (debounce, level) in enumerate(zip(alone, row, strict=True)):
            ripe = debounce.add_readings([level], at)
            debounce.accept_changes(ripe)
            separately += [change._replace(sensor_number=number) for change in ripe]
        assert told == separately


REST, ON, OFF = 512, 60, 30


def poles(counts, *, settled=True):
    """The pole after each count; by default each count comes three times, as from a magnet that is at rest."""
    hysteresis, told = HysteresisFilter([REST], ON, OFF), []
    for count in counts:
        for _ in range(3 if settled else 1):
            (pole,) = hysteresis.add_counts([REST + count])
        told.append(pole)
    return told


@pytest.mark.parametrize("sign", [1, -1])
def test_a_magnet_comes_at_on_and_goes_below_off(sign):
    strengths = [0, 30, 59, 60, 200, 60, 59, 30, 29, 59, 60]
    assert poles([sign * each for each in strengths]) == [sign * each for each in [0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1]]


def test_the_other_pole_counts_as_the_other_pole_at_once():
    assert poles([100, -100, -31, 0, 59, 60]) == [1, -1, -1, 0, 0, 1]


def test_a_pole_does_not_outlast_a_weak_magnet_of_the_other_one():
    assert poles([100, -40, 40]) == [1, 0, 0]


@pytest.mark.parametrize("off_by", [-512, -100, 100, 511])
def test_a_single_reading_that_is_off_changes_nothing(off_by):
    assert poles([0, 0, off_by, 0, 0, 0], settled=False) == [0] * 6
    assert poles([150, 150, 150, 150 + max(off_by, -512), 150, 150], settled=False)[1:] == [1] * 5


def test_two_readings_that_are_off_are_drawn_out_by_one_reading_only():
    assert poles([0, 0, 300, 300, 0, 0, 0], settled=False) == [0, 0, 0, 1, 1, 0, 0]


@given(
    counts=st.lists(st.integers(-512, 511), min_size=1, max_size=60),
    rest=st.integers(400, 600),
    on=st.integers(20, 100),
    gap=st.integers(1, 19),
)
def test_a_pole_is_felt_only_between_the_thresholds(counts, rest, on, gap):
    hysteresis, off, before = HysteresisFilter([rest], on, on - gap), on - gap, 0
    three = [0, 0]
    for count in counts:
        three = [*three[-2:], count]
        (pole,) = hysteresis.add_counts([rest + count])
        away = sorted(three)[1]
        if abs(away) >= on:
            assert pole == (1 if away > 0 else -1)
        elif away * before < off:
            assert pole == 0
        else:
            assert pole == before
        before = pole


def test_each_sensor_has_its_own_rest():
    hysteresis = HysteresisFilter([400, 600], ON, OFF)
    for _ in range(3):
        told = hysteresis.add_counts([500, 500])
    assert told == (1, -1)


def test_a_change_of_level_is_what_leaves_and_what_comes():
    assert list_touches(LevelChange(5, 0, 1, 2.0), "b2", 2.0, 0) == [Touch("b2", True, 2.0)]
    assert list_touches(LevelChange(5, 1, 0, 2.0), "b2", 3.0, 0) == [Touch("b2", False, 3.0)]


@pytest.mark.parametrize("light", [1, -1])
def test_where_sensors_tell_owners_one_piece_may_take_the_place_of_another(light):
    touches = list_touches(LevelChange(5, light, -light, 2.0), "b2", 2.0, light)
    assert touches == [Touch("b2", False, 2.0, LIGHT), Touch("b2", True, 2.0, DARK)]
