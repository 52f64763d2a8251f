"""The current limiter respects its limits for any sequence of pictures."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.board import Frame
from pond_hw.lights import CurrentLimiter
from pond_hw.lights.current_limiter import dimmed_limiter, profile_limiter
from pond_hw.profile import list_shipped, load_profile

DARK = Frame.dark_frame(3, 1)
CHANNELS = 9 * 3

# Half milliamperes are exact in binary, so that limits can be checked exactly.
currents = st.integers(0, 1400).map(lambda halves: halves / 2)
limiters = st.builds(
    CurrentLimiter,
    budget=currents,
    slew=st.integers(1, 120).map(lambda halves: halves / 2),
    brightness=st.floats(0, 1),
    gamma=st.floats(2.2, 2.8),
    channel=st.sampled_from([5, 12, 12.5, 20]),
    idle=st.sampled_from([0, 0.5, 1]),
)
values = st.one_of(st.just(0.0), st.just(1.0), st.floats(0, 1))
pictures = st.lists(values, min_size=CHANNELS, max_size=CHANNELS)


def current(limiter, frame):
    """Return the exact lamp current in mA according to the model."""
    return Fraction(limiter.idle) * 9 + Fraction(limiter.channel) * sum(frame.data) / 255


def changes(before, after):
    """Return the sums of all rises and of all falls of the channels, in steps."""
    steps = [new - old for old, new in zip(before.data, after.data, strict=True)]
    return sum(step for step in steps if step > 0), -sum(step for step in steps if step < 0)


def unlimited(**how):
    return CurrentLimiter(**{"budget": 10_000, "slew": 10_000, **how})


def flat(value):
    return [value] * CHANNELS


def settled(limiter, picture, frame=DARK):
    """Return the final frame for a constant picture."""
    for _ in range(5000):
        frame, before = limiter.limit_frame(picture, frame), frame
        if frame == before:
            return frame
    raise AssertionError("the levels never settle")


@given(limiters, st.lists(pictures, min_size=1, max_size=6))
def test_budget_and_slew_are_never_exceeded(limiter, sequence):
    frame = DARK
    for picture in sequence:
        before, frame = frame, limiter.limit_frame(picture, frame)
        assert current(limiter, frame) <= limiter.budget or frame == DARK
        rise, fall = changes(before, frame)
        assert max(rise, fall) * Fraction(limiter.channel) / 255 <= limiter.slew


@given(limiters, pictures, st.lists(pictures, min_size=1, max_size=4))
def test_channels_stay_between_current_and_target_levels(limiter, picture, sequence):
    frame = DARK
    for earlier in sequence:
        frame = limiter.limit_frame(earlier, frame)
    wanted = replace(limiter, slew=100_000).limit_frame(picture, frame)
    shown = limiter.limit_frame(picture, frame)
    for old, new, aim in zip(frame.data, shown.data, wanted.data, strict=True):
        assert min(old, aim) <= new <= max(old, aim)


@given(limiters, pictures, pictures)
def test_constant_picture_is_reached_at_full_slew(limiter, picture, other):
    frame = settled(limiter, other)
    wanted = replace(limiter, slew=100_000).limit_frame(picture, frame)
    pace = int(Fraction(limiter.slew) * 255 / Fraction(limiter.channel))
    for _ in range(-(-max(changes(frame, wanted)) // pace)):
        frame = limiter.limit_frame(picture, frame)
    assert frame == wanted


@given(limiters, pictures, st.binary(min_size=CHANNELS, max_size=CHANNELS))
def test_budget_holds_after_a_brighter_frame(limiter, picture, data):
    shown = limiter.limit_frame(picture, Frame(3, 1, data))
    assert current(limiter, shown) <= limiter.budget or shown == DARK


@given(limiters, st.lists(st.sampled_from([0.0, 0.7]), min_size=CHANNELS, max_size=CHANNELS))
def test_dark_lamps_stay_dark(limiter, picture):
    shown = settled(limiter, picture)
    assert all(byte == 0 for byte, value in zip(shown.data, picture, strict=True) if not value)


@given(pictures, st.floats(0, 1), st.floats(0, 1))
def test_brightness_never_reduces_light(picture, one, other):
    less, more = (unlimited(brightness=b).limit_frame(picture, DARK) for b in sorted((one, other)))
    assert all(a <= b for a, b in zip(less.data, more.data, strict=True))


@given(st.floats(2.2, 2.8), values, values)
def test_brighter_lamps_are_never_driven_less(gamma, one, other):
    low, high = (unlimited(gamma=gamma).limit_frame(flat(value), DARK).data[0] for value in sorted((one, other)))
    assert low <= high


@pytest.mark.parametrize(("gamma", "driven"), [(1, 127), (2.2, 55), (2.8, 36)])
def test_gamma_is_applied_once(gamma, driven):
    assert set(unlimited(gamma=gamma).limit_frame(flat(0.5), DARK).data) == {driven}


def test_brightness_scales_the_light():
    assert set(unlimited(brightness=0.5).limit_frame(flat(1.0), DARK).data) == {127}
    assert unlimited(brightness=0).limit_frame(flat(1.0), DARK) == DARK


def test_lit_lamp_stays_visible_and_keeps_hue():
    amber_glow = [0.1, 0.05, 0.0] * 9  # 0.6 and 0.1 hundredths of the light
    assert unlimited().limit_frame(amber_glow, DARK)["a1"] == ((5, 1, 0),)
    assert unlimited(gamma=2.8, brightness=0.1).limit_frame([0.1, 0.1, 0.05] * 9, DARK)["a1"] == ((5, 5, 0),)


@pytest.mark.parametrize(("meant", "driven"), [(1.0, 16), (0.45, 9), (0.25, 7), (0.01, 4), (0.0, 0)])
def test_floor_rises_with_brightness(meant, driven):
    assert set(unlimited(brightness=0.01).limit_frame(flat(meant), DARK).data) == {driven}


@given(limiters, pictures)
def test_unaffordable_floors_are_lowered_together(limiter, picture):
    """The brighter lamp never gets a lower level than the other."""
    driven = replace(limiter, slew=100_000).limit_frame(picture, DARK).data
    lamps = [picture[start : start + 3] for start in range(0, CHANNELS, 3)]
    peaks = sorted((max(lamp), max(driven[3 * number : 3 * number + 3])) for number, lamp in enumerate(lamps))
    assert [peak for _, peak in peaks] == sorted(peak for _, peak in peaks)


def test_faint_lamp_survives_beside_bright_ones():
    picture = flat(1.0)
    picture[:3] = 0.2, 0.0, 0.0
    shown = settled(CurrentLimiter(budget=100), picture)
    assert shown["a1"] == ((6, 0, 0),)
    assert len(set(shown.data[3:])) == 1
    assert 99 < CurrentLimiter().estimate_current(shown) <= 100


def test_tiny_budget_dims_all_lamps_alike():
    shown = settled(CurrentLimiter(budget=9 + 2), flat(0.5))  # 2 mA are 25 steps, for 27 channels
    assert shown == DARK
    assert set(settled(CurrentLimiter(budget=9 + 5), flat(0.5)).data) == {2}  # 63 steps


def test_all_lamps_are_dimmed_alike_over_budget():
    shown = settled(
        CurrentLimiter(budget=9 + 270), [1.0, 1.0, 0.0] * 9
    )  # 18 channels need 20 mA each, the budget allows 15
    assert shown["a1"] == ((191, 191, 0),)
    assert CurrentLimiter().estimate_current(shown) == pytest.approx(279, abs=2)


def test_lamps_stay_dark_if_idle_current_uses_budget():
    for budget in (0, 8.9, 9, 9.05):  # a step of a channel is 0.078 mA
        assert CurrentLimiter(budget=budget).limit_frame(flat(1.0), DARK) == DARK
        assert CurrentLimiter(budget=budget).limit_frame(flat(0.0), Frame(3, 1, bytes([200] * CHANNELS))) == DARK
    assert settled(CurrentLimiter(budget=9.08), [1.0] + [0.0] * 26).data[0] == 1


def test_full_frame_rises_evenly_and_exactly():
    limiter = CurrentLimiter(budget=10_000, slew=20)  # 255 steps a frame, for 27 channels of 255
    frame, sums = DARK, []
    for _ in range(28):
        frame = limiter.limit_frame(flat(1.0), frame)
        sums.append(sum(frame.data))
    assert sums == [min(255 * (i + 1), 27 * 255) for i in range(28)]


def test_moving_light_falls_as_much_as_it_rises():
    limiter = CurrentLimiter(budget=1000, slew=5)
    frame = settled(limiter, [1.0] * 9 + [0.0] * 18)
    after = limiter.limit_frame([0.0] * 9 + [1.0] * 18, frame)
    assert sum(after.data) == sum(frame.data)
    assert sum(after.data[9:]) == 63


def test_estimate_matches_the_model():
    assert CurrentLimiter(channel=12, idle=0.6).estimate_current(Frame(3, 1, bytes([255, 51, 0] * 9))) == pytest.approx(
        9 * 15
    )
    assert CurrentLimiter().estimate_current(DARK) == 9


def test_values_are_clipped_and_nan_is_dark():
    picture = [1.0000001, 7.0, -0.5, float("nan"), *[0.0] * 23]
    assert unlimited().limit_frame(picture, DARK).data[:4] == bytes([255, 255, 0, 0])


def test_picture_of_wrong_length_is_rejected():
    with pytest.raises(ValueError, match="48 channels; 3x3 cells of 1 lamps and two strips of 0 have 27"):
        CurrentLimiter().limit_frame([0.0] * 48, DARK)


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("budget", -1, "budget must be a number, 0 or more, not -1"),
        ("budget", float("inf"), "budget must be a number"),
        ("slew", 0, "slew must be at least 0.0784 mA, one step of one channel, not 0"),
        ("slew", 0.07, "nothing could ever light up"),
        ("slew", float("nan"), "slew must be a number"),
        ("brightness", 1.5, "brightness must be 0 to 1, not 1.5"),
        ("brightness", -0.1, "brightness must be a number, 0 or more"),
        ("gamma", 0.45, "gamma must be 1 to 3"),
        ("gamma", 22, "gamma must be 1 to 3"),
        ("channel", 0, "channel must be more than 0"),
        ("idle", -1, "idle must be a number, 0 or more"),
    ],
)
def test_invalid_settings_are_rejected(field, value, why):
    with pytest.raises(ValueError, match=why):
        CurrentLimiter(**{field: value})


def test_minimum_slew_reaches_the_picture():
    one_step = CurrentLimiter(slew=20 / 255 + 1e-9)
    assert sum(one_step.limit_frame(flat(1.0), DARK).data) == 1
    assert settled(one_step, [0.2, 0.0, 0.0] * 9)["c3"] == ((7, 0, 0),)


# The limits of a profile's lamps.


def test_limiter_uses_profile_limits():
    profile = load_profile("direct-4x4")
    limiter = profile_limiter(profile)
    assert (limiter.budget, limiter.slew, limiter.brightness) == (400, 120, 0.5)


@pytest.mark.parametrize("board", list_shipped())
def test_undrawn_lamps_reduce_budget_by_idle_current(board):
    profile = load_profile(board)
    drawn = len(profile.chain.drawn_positions)
    assert profile_limiter(profile).budget == profile.chain.budget_ma - (profile.chain.lamp_count - drawn)


def test_dimmed_lamps_keep_a_quarter_of_their_light():
    limiter = CurrentLimiter(budget=100, slew=30, brightness=0.8)
    faint = dimmed_limiter(limiter, lamp_count=60)
    assert faint.brightness == pytest.approx(0.2)
    assert faint.budget == 70  # 60 idle, and a quarter of the other 40
    assert faint.slew == 30
    assert dimmed_limiter(limiter, lamp_count=200).budget == 100
