"""Presses and bounces, from readings as they come."""

from pond_hw.board import Reading
from pond_hw.setup.sensor_trial import idle, spread, swing, trial
from pond_hw.setup.signal_log import Burst, Heard, Press, said


def heard(*readings):
    """What one input says, as pairs of an instant and a level; another one never says anything."""
    told = Heard()
    for at, level in readings:
        told = told.after(Reading((level, 0), at))
    return told


PRESS = (0.0, 0), (1.0, 1), (1.2, 0)
BOUNCING = (0.0, 0), (1.0, 1), (1.004, 0), (1.008, 1), (1.2, 0), (1.203, 1), (1.206, 0)


def test_a_press_goes_from_its_first_flip_to_its_last():
    assert heard(*PRESS).presses(0) == (Press(1.0, 1.2),)
    assert heard(*BOUNCING).presses(0) == (Press(1.0, 1.206),)


def test_flips_that_follow_each_other_closely_are_one_edge():
    first, second = heard(*BOUNCING).bursts(0)
    assert first == Burst(1.0, 1.008, 3, True)
    assert round(first.seconds, 6) == 0.008
    assert second == Burst(1.2, 1.206, 3, False)


def test_flips_farther_apart_than_any_bounce_are_two_presses():
    assert len(heard((0.0, 0), (1.0, 1), (1.04, 0), (1.08, 1), (1.2, 0)).presses(0)) == 2


def test_a_spike_is_no_press():
    assert heard((0.0, 0), (1.0, 1), (1.002, 0)).bursts(0) == []


def test_what_is_still_down_is_no_press_yet():
    assert heard((0.0, 0), (1.0, 1)).presses(0) == ()


def test_a_finger_that_was_there_before_is_no_press():
    assert heard((0.0, 1), (1.0, 0)).presses(0) == ()


def test_what_does_not_change_leaves_everything_as_it_is():
    before = heard(*PRESS)
    assert before.after(Reading((0, 0), 2.0)).flips is before.flips


def test_a_pole_that_turns_is_no_change_of_down():
    assert len(heard((0.0, 0), (1.0, 1), (1.2, -1), (1.5, 0)).flips[0]) == 2


def test_of_a_matrix_the_ghosts_count_too():
    assert said(Reading((1, 0, 0), 0.0, (1, 1, 0))) == (1, 1, 0)
    assert said(Reading((1, 0, 0), 0.0, (612, 512, 511))) == (1, 0, 0)


def test_counts_are_kept_of_linear_sensors_only():
    assert Heard().after(Reading((0, 0), 0.0, (512, 500))).counts == ((512, 500),)
    assert Heard().after(Reading((0, 0), 0.0, (1, 0))).counts == ()


def test_an_idle_time_tells_what_is_always_down_and_what_changes():
    told = idle(heard((0.0, 1), (1.0, 1), (2.0, 1)), 3.0)
    assert (told.on, told.flips, told.seconds) == ({0}, (0, 0), 3.0)
    told = idle(heard((0.0, 1), (1.0, 0), (2.0, 1)), 3.0)
    assert (told.on, told.flips) == (frozenset(), (2, 0))
    assert idle(Heard(), 3.0) is None


def test_one_count_that_is_wrong_is_no_noise():
    assert spread([512, 513] * 50 + [900]) == 1
    assert spread([512, 560] * 50) == 48
    assert spread([]) == 0


def test_how_far_a_magnet_moves_a_sensor_is_told_by_the_middle_of_the_farthest():
    assert swing([512, 700, 705, 710, 702, 706, 1019], 512.0) == 194.0
    assert swing([512, 310, 312, 311, 310, 312], 512.0) < -199


def test_a_trial_tells_bounces_chatter_and_who_answered_along():
    told = trial("a1", 3, heard(*BOUNCING), 0)
    assert (told.answered(0), told.answered(1), told.bounces) == (1, 0, 2)
    assert round(told.chatter, 6) == 0.008
    both = Heard()
    for at, level in PRESS:
        both = both.after(Reading((level, 0), at)).after(Reading((level, level), at + 0.01))
    assert trial("a1", 3, both, 0).along(0, 1) == 1
    apart = Heard()
    for at, levels in ((0, (0, 0)), (1, (1, 0)), (1.2, (0, 0)), (1.3, (0, 1)), (1.5, (0, 0))):
        apart = apart.after(Reading(levels, at))
    assert trial("a1", 3, apart, 0).along(0, 1) == 0
    assert trial("b1", 3, apart, 1).along(1, 0) == 0
