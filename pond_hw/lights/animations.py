"""Lamp animations: functions from a time in seconds to a level from 0 to 1.

Sharp patterns are drawn as text, one character per 1/20 s. No pattern, and no combination of patterns in a cell,
flashes more than three times in any second (WCAG 2, criterion 2.3.1). For that reason, all repeating patterns share
one clock, with periods of 4, 3, 2, 1.5, 1 or 0.75 s, and the spark is shown in the gap after the frog's blinks. Only
the confirmation countdown has its own clock.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import cos, floor, inf, pi, sin

from pond_hw.rules import EGG, FROG, TADPOLE, Symbol

FRAME_SECONDS = 1 / 30
"""Frame interval during motion that does not repeat: turns, refusals and waves."""

CHANGES_PER_SECOND = 20
"""Frame rate of repeating patterns, the lowest that still looks smooth."""

_AFTER_STEP = 1e-3  # in steps; moves an instant safely into its step despite rounding


class LightPattern:
    """Repeating pattern: a callable that returns the level, 0 to 1, at a time in seconds.

    Args:
        level_at: the level as a plain function of time.
        period: period in seconds, a whole number of steps of `CHANGES_PER_SECOND`.
    """

    def __init__(self, level_at: Callable[[float], float], period: float) -> None:
        self._level_at, self._steps = level_at, round(period * CHANGES_PER_SECOND)
        self.__doc__ = level_at.__doc__

    def __call__(self, now: float) -> float:
        """Return the level at a time in seconds."""
        return self._level_at(now)

    def next_change(self, now: float) -> float:
        """Return the next time after `now` at which the level changes, or infinity if it never does."""
        step = floor(now * CHANGES_PER_SECOND + _AFTER_STEP)
        return (step + self._level_steps[step % self._steps] + _AFTER_STEP) / CHANGES_PER_SECOND

    @cached_property
    def _level_steps(self) -> list[float]:
        """Number of steps until the level changes, for each step of a period."""
        levels = [self._level_at((step + _AFTER_STEP) / CHANGES_PER_SECOND) for step in range(2 * self._steps)]
        ahead = [inf] * (2 * self._steps)
        for step in reversed(range(len(levels) - 1)):
            ahead[step] = ahead[step + 1] + 1 if levels[step] == levels[step + 1] else 1
        return ahead[: self._steps]


def _repeating(period: float) -> Callable[[Callable[[float], float]], LightPattern]:
    """Make a pattern with this period from a function of time."""
    return lambda level_at: LightPattern(level_at, period)


def _parse_trace(trace_text: str) -> LightPattern:
    """Parse a drawing of one period: `^` is lit, `_` is dark."""
    levels = tuple(float(sign == "^") for sign in trace_text)
    period = len(levels) / CHANGES_PER_SECOND
    return LightPattern(lambda now: levels[int(now * CHANGES_PER_SECOND // 1) % len(levels)], period)


def soft_bump(x: float) -> float:
    """Return a smooth bump: 1 at x = 0, falling to 0 at x = -1 and x = 1."""
    return (1 + cos(pi * x)) / 2 if -1 < x < 1 else 0.0


def soft_slope(x: float) -> float:
    """Return a smooth ramp from 0 (x <= 0) to 1 (x >= 1)."""
    return soft_bump(min(max(x, 0.0), 1.0) - 1)


def _swell_each(period: float, middle: float, half_width: float) -> LightPattern:
    """Make a pattern with one soft bump per period. All arguments are in seconds."""
    return LightPattern(lambda now: soft_bump((now % period - middle) / half_width), period)


_blink_trace = _parse_trace("___^^^^___^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^")

PIECE_RHYTHM: dict[Symbol, LightPattern] = {
    EGG: LightPattern(lambda _now: 1.0, 1),
    TADPOLE: LightPattern(lambda now: 0.65 + 0.35 * cos(pi * now), 2),
    FROG: LightPattern(lambda now: max(0.2, _blink_trace(now)), 2),
}
"""Rhythm of a piece in a cell with one lamp: eggs are steady, tadpoles breathe, frogs blink twice."""

chosen_pattern = _parse_trace("^^^^^^^________")
"""Amount of white in a chosen piece, in a cell with several lamps."""

CHOSEN_RHYTHM: dict[Symbol, LightPattern] = {
    EGG: chosen_pattern,  # the rules do not allow it, but a scene may contain it
    TADPOLE: chosen_pattern,
    FROG: _parse_trace("^^^^^____^^^^^________________"),  # two flashes, the sign of frogs
}
"""Amount of white in a chosen piece, in a cell with one lamp."""


target_pulse = _swell_each(1, 0.5, 0.25)
"""Soft pulse every second."""

hint_swell = _swell_each(1.5, 0.75, 0.75)
"""Slow swell every 1.5 s, for hints."""

HINT_RHYTHM: dict[Symbol | None, LightPattern] = {
    **dict.fromkeys((None, EGG, TADPOLE), hint_swell),
    # two short swells and a pause in 3 s
    FROG: LightPattern(lambda now: soft_bump((now % 3 - 0.5) / 0.5) + soft_bump((now % 3 - 1.5) / 0.5), 3),
}
"""Amount of white in a hint, in a cell with one lamp, by the symbol in the cell."""


last_turn_spark = _swell_each(4, 1.2, 0.2)
"""Short flash every 4 s."""

spark_shadow = _swell_each(4, 1.2, 0.4)
"""Darkening around the spark, so that it stands out on a bright piece."""


@_repeating(4)
def light_tide(now: float) -> float:
    """Return the level of cells that are open for light: on for most of every 4 s, the same in all cells."""
    return min(1.0, max(0.0, 1.2 + 1.5 * sin(pi / 2 * now)))


@_repeating(4)
def dark_tide(now: float) -> float:
    """Return the level of cells that are open for dark: on for 2 s in every 4 s, in every other cell, like a checkerboard."""
    return min(1.0, max(0.0, 0.5 + 1.5 * sin(pi / 2 * now)))


@_repeating(4)
def dark_tide_between(now: float) -> float:
    """Return the level of the remaining cells of the checkerboard."""
    return dark_tide(now + 2)


@_repeating(1)
def removal_fade(now: float) -> float:
    """Return a level that jumps up each second and then fades, for pieces to be removed."""
    return 1 - soft_slope(now % 1 / 0.7)


@_repeating(3)
def missing_piece_swell(now: float) -> float:
    """Return the level of a piece to be put down, in a cell with several lamps.

    It rises for a second, stays on for a second, and is off for a second.
    """
    return soft_slope(now % 3) if now % 3 < 2 else 0.0


def _swell_into(rhythm: LightPattern) -> LightPattern:
    return LightPattern(lambda now: soft_slope(now % 3) if now % 3 < 1 else rhythm(now % 3 - 1), 3)


SWELLING_RHYTHM: dict[Symbol, LightPattern] = {symbol: _swell_into(PIECE_RHYTHM[symbol]) for symbol in Symbol}
"""Level of a piece to be put down in a cell with one lamp: a rise of 1 s, then 2 s of its rhythm to show the symbol."""


def flip_spot(now: float, edge_position: float) -> float:
    """Return the brightness, at a position from 0 to 1 along the edge, of a spot that circles the edge every 3 s."""
    return soft_bump(((now / 3 - edge_position) % 1 - 0.5) / 0.2)


@_repeating(3)
def flip_whitening(now: float) -> float:
    """Return the amount of white in a piece to be turned over, in a cell with one lamp. It is 0 while a frog blinks."""
    return soft_bump(((now - 1.25) % 3 - 1.5) / 0.7)


choice_swell = _swell_each(3, 1.5, 0.75)
"""Level of a choice: a swell that lasts 1.5 s in every 3 s."""


@_repeating(3)
def default_choice_dip(now: float) -> float:
    """Return the level of the default choice: on, with a dip while the other choices are at their brightest."""
    return 1 - soft_bump((now % 3 - 1.5) / 0.6)


eye_closing = _swell_each(4, 3.2, 0.65)
"""Closing of an eye every 4 s, after the spark and the blinks of frogs. At 1 the eye is shut."""

eyelid_glimmer = _swell_each(4, 3.2, 0.3)
"""Brightness of the eyelid while the eye is shut."""


UNSAVED_DIMMING = 0.8
"""Fraction of the light removed when the board dims because the game is not saved. Pieces stay visible."""


@_repeating(4)
def unsaved_brightness(now: float) -> float:
    """Return the brightness of a board whose game is not saved: it dips every 4 s, while masked cells have their eyes open."""
    return 1 - UNSAVED_DIMMING * soft_bump((now % 4 - 1.2) / 0.65)


CONFIRM_LEAD_SECONDS = 0.35
"""Seconds before a countdown becomes visible. It prevents a countdown that keeps restarting from flashing."""


def confirm_progress(now: float, since: float, until: float) -> float:
    """Return the elapsed fraction of a confirmation countdown, 0 to 1, after the lead time."""
    if now >= until:
        return 1.0
    begun_at = since + CONFIRM_LEAD_SECONDS
    return (now - begun_at) / (until - begun_at) if now > begun_at else 0.0


def confirm_pulse(now: float, since: float, until: float) -> float:
    """Return the level of a confirmation countdown on a single lamp: pulses that speed up and end at full brightness.

    The rate rises from less than one pulse per second to two.
    """
    share = confirm_progress(now, since, until)
    pulse_count = int((until - since) * 1.3) + 0.5
    return (1 - cos(2 * pi * pulse_count * share * (0.55 + 0.45 * share))) / 2


@_repeating(4)
def trouble_pulse(now: float) -> float:
    """Return a slow pulse with a period of 4 s that never goes dark."""
    return 0.6 - 0.35 * cos(pi / 2 * now)


_REFUSAL_TRACE = "^^^^^^^___^^^^^^^___^^^^^^^"

REFUSAL_SECONDS = len(_REFUSAL_TRACE) / 20
"""Duration of a refusal."""

# Lit at once, so that every press gets a response, and for more than a third of a second before the first gap:
# no rate of pressing can produce more than three flashes per second.
refusal_pattern = _parse_trace(_REFUSAL_TRACE)
"""Level of the red light, by seconds since the refusal, up to `REFUSAL_SECONDS`."""

_REPEATED_LEVELS = (1.0, 0.5, 0.6, 0.7, 0.8, 0.9)


def refusal_level(repeats: int) -> float:
    """Return a brightness factor that varies with the number of repeats, so that each press on a red cell is visible.

    It drops only once in six presses, too rarely to flash.
    """
    return _REPEATED_LEVELS[repeats % len(_REPEATED_LEVELS)]
