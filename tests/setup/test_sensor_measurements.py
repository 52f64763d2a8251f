"""Tests of measuring presses and bounces."""

from pond_hw.board import Sample
from pond_hw.setup.sensor_measurements import (
    EdgeBurst,
    SensorPress,
    SignalLog,
    measure_idle,
    measure_swing,
    measure_trial,
    trimmed_spread,
)


def make_log(*readings):
    """Return the log of an input that changes at these times, and of a second input that never changes."""
    log = SignalLog()
    for at, level in readings:
        log = log.with_sample(Sample((level, 0), at))
    return log


PRESS = (0.0, 0), (1.0, 1), (1.2, 0)
BOUNCING = (0.0, 0), (1.0, 1), (1.004, 0), (1.008, 1), (1.2, 0), (1.203, 1), (1.206, 0)


def test_press_lasts_from_first_to_last_flip():
    assert make_log(*PRESS).list_presses(0) == (SensorPress(1.0, 1.2),)
    assert make_log(*BOUNCING).list_presses(0) == (SensorPress(1.0, 1.206),)


def test_flips_close_together_are_one_edge():
    first, second = make_log(*BOUNCING).list_edges(0)
    assert first == EdgeBurst(1.0, 1.008, 3, True)
    assert round(first.bounce_seconds, 6) == 0.008
    assert second == EdgeBurst(1.2, 1.206, 3, False)


def test_flips_far_apart_are_two_presses():
    assert len(make_log((0.0, 0), (1.0, 1), (1.04, 0), (1.08, 1), (1.2, 0)).list_presses(0)) == 2


def test_spike_is_not_a_press():
    assert make_log((0.0, 0), (1.0, 1), (1.002, 0)).list_edges(0) == []


def test_unfinished_press_does_not_count():
    assert make_log((0.0, 0), (1.0, 1)).list_presses(0) == ()


def test_initially_down_input_has_no_press():
    assert make_log((0.0, 1), (1.0, 0)).list_presses(0) == ()


def test_unchanged_readings_change_nothing():
    before = make_log(*PRESS)
    assert before.with_sample(Sample((0, 0), 2.0)).flips_by_input is before.flips_by_input


def test_changed_pole_is_not_a_flip():
    assert len(make_log((0.0, 0), (1.0, 1), (1.2, -1), (1.5, 0)).flips_by_input[0]) == 2


def test_sensed_levels_include_matrix_ghosts():
    assert Sample((1, 0, 0), 0.0, (1, 1, 0)).sensed_levels == (1, 1, 0)
    assert Sample((1, 0, 0), 0.0, (612, 512, 511)).sensed_levels == (1, 0, 0)


def test_only_linear_sensors_record_counts():
    assert SignalLog().with_sample(Sample((0, 0), 0.0, (512, 500))).raw_counts == ((512, 500),)
    assert SignalLog().with_sample(Sample((0, 0), 0.0, (1, 0))).raw_counts == ()


def test_idle_period_lists_stuck_and_changing_inputs():
    measured = measure_idle(make_log((0.0, 1), (1.0, 1), (2.0, 1)), 3.0)
    assert (measured.inputs_on, measured.flip_counts, measured.seconds) == ({0}, (0, 0), 3.0)
    measured = measure_idle(make_log((0.0, 1), (1.0, 0), (2.0, 1)), 3.0)
    assert (measured.inputs_on, measured.flip_counts) == (frozenset(), (2, 0))
    assert measure_idle(SignalLog(), 3.0) is None


def test_single_wrong_count_is_not_noise():
    assert trimmed_spread([512, 513] * 50 + [900]) == 1
    assert trimmed_spread([512, 560] * 50) == 48
    assert trimmed_spread([]) == 0


def test_swing_is_the_median_of_the_largest_deviations():
    assert measure_swing([512, 700, 705, 710, 702, 706, 1019], 512.0) == 194.0
    assert measure_swing([512, 310, 312, 311, 310, 312], 512.0) < -199


def test_trial_counts_bounces_and_shared_presses():
    measured = measure_trial(3, make_log(*BOUNCING), 0)
    assert (measured.count_presses(0), measured.count_presses(1), measured.max_bounces) == (1, 0, 2)
    assert round(measured.longest_bounce, 6) == 0.008
    both = SignalLog()
    for at, level in PRESS:
        both = both.with_sample(Sample((level, 0), at)).with_sample(Sample((level, level), at + 0.01))
    assert measure_trial(3, both, 0).count_shared_presses(0, 1) == 1
    separate_presses = SignalLog()
    for at, levels in ((0, (0, 0)), (1, (1, 0)), (1.2, (0, 0)), (1.3, (0, 1)), (1.5, (0, 0))):
        separate_presses = separate_presses.with_sample(Sample(levels, at))
    assert measure_trial(3, separate_presses, 0).count_shared_presses(0, 1) == 0
    assert measure_trial(3, separate_presses, 1).count_shared_presses(1, 0) == 0
