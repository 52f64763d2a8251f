"""What lamps do over time: functions of an instant, in seconds, to how far something is lit, 0 to 1.

Sharp patterns are drawn, as an oscilloscope would show them, a twentieth of a second a sign. Nothing here flashes more
than three times in any second, nor do any two of them together in one cell: that is where flashing begins to be a
danger to people (WCAG 2, criterion 2.3.1). So all that comes back does so by the same clock, every 4, 2, 1.5, 1 or
0.75 seconds, and the spark falls in the gap after the frog's blinks. What hands have to do comes back every 3 seconds
or every second. Only what is about to count goes by a clock of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import cos, floor, inf, pi, sin

from pond_hw.rules import EGG, FROG, TADPOLE, Symbol

FRAME_SECONDS = 1 / 30
"""From one frame to the next while something moves that does not come back: a turn, a refusal, a wave."""

CHANGES_PER_SECOND = 20
"""A pattern is drawn so often while it moves: as rarely as the eye allows."""

_AFTER_STEP = 1e-3  # of a step: where the next one has begun for certain, whatever a division rounds


class LightPattern:
    """What comes back again and again: called with an instant in seconds, it gives how far something is lit, 0 to 1.

    Args:
        level_at: the same as a plain function.
        period: after how many seconds it comes back, a whole number of steps of `CHANGES_PER_SECOND`.
    """

    def __init__(self, level_at: Callable[[float], float], period: float) -> None:
        self._level_at, self._steps = level_at, round(period * CHANGES_PER_SECOND)
        self.__doc__ = level_at.__doc__

    def __call__(self, now: float) -> float:
        """How far something is lit at an instant."""
        return self._level_at(now)

    def next_change(self, now: float) -> float:
        """The instant at which it has to be drawn again, after it was drawn at this one; infinity if it never changes."""
        step = floor(now * CHANGES_PER_SECOND + _AFTER_STEP)
        return (step + self._level_steps[step % self._steps] + _AFTER_STEP) / CHANGES_PER_SECOND

    @cached_property
    def _level_steps(self) -> list[float]:
        """For each step of a period after how many steps the level is another one."""
        levels = [self._level_at((step + _AFTER_STEP) / CHANGES_PER_SECOND) for step in range(2 * self._steps)]
        ahead = [inf] * (2 * self._steps)
        for step in reversed(range(len(levels) - 1)):
            ahead[step] = ahead[step + 1] + 1 if levels[step] == levels[step + 1] else 1
        return ahead[: self._steps]


def _repeating(period: float) -> Callable[[Callable[[float], float]], LightPattern]:
    """A function of an instant as a pattern that comes back after so many seconds."""
    return lambda level_at: LightPattern(level_at, period)


def _parse_trace(trace_text: str) -> LightPattern:
    """The pattern that a drawing of one period shows: `^` is lit, `_` is not."""
    levels = tuple(float(sign == "^") for sign in trace_text)
    period = len(levels) / CHANGES_PER_SECOND
    return LightPattern(lambda now: levels[int(now * CHANGES_PER_SECOND // 1) % len(levels)], period)


def soft_bump(x: float) -> float:
    """A soft hill, 1 at 0, down to 0 at -1 and at 1, and flat beyond."""
    return (1 + cos(pi * x)) / 2 if -1 < x < 1 else 0.0


def soft_slope(x: float) -> float:
    """A soft way up from 0, where x is 0 or less, to 1, where x is 1 or more."""
    return soft_bump(min(max(x, 0.0), 1.0) - 1)


def _swell_each(period: float, middle: float, half_width: float) -> LightPattern:
    """A soft hill in each period, all in seconds."""
    return LightPattern(lambda now: soft_bump((now % period - middle) / half_width), period)


_blink_trace = _parse_trace("___^^^^___^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^")

PIECE_RHYTHM: dict[Symbol, LightPattern] = {
    EGG: LightPattern(lambda _now: 1.0, 1),
    TADPOLE: LightPattern(lambda now: 0.65 + 0.35 * cos(pi * now), 2),
    FROG: LightPattern(lambda now: max(0.2, _blink_trace(now)), 2),
}
"""A piece in a cell with a single lamp: an egg lies there, a tadpole breathes, a frog blinks twice with both eyes."""

chosen_pattern = _parse_trace("^^^^^^^________")
"""How white a chosen piece is, in a cell with a shape."""

CHOSEN_RHYTHM: dict[Symbol, LightPattern] = {
    EGG: chosen_pattern,  # no rule lets an egg be chosen; a scene may
    TADPOLE: chosen_pattern,
    FROG: _parse_trace("^^^^^____^^^^^________________"),  # twice, as always with frogs
}
"""How white a chosen piece is, in a cell with a single lamp."""


target_blip = _swell_each(1, 0.5, 0.25)
"""A soft blip each second."""

hint_swell = _swell_each(1.5, 0.75, 0.75)
"""A slow swell every second and a half: what a hint says."""

HINT_RHYTHM: dict[Symbol | None, LightPattern] = {
    **dict.fromkeys((None, EGG, TADPOLE), hint_swell),
    # two short swells in three seconds, as always with frogs, and a rest
    FROG: LightPattern(lambda now: soft_bump((now % 3 - 0.5) / 0.5) + soft_bump((now % 3 - 1.5) / 0.5), 3),
}
"""How white a cell with a single lamp is that a hint is about, by what stands there."""


last_turn_spark = _swell_each(4, 1.2, 0.2)
"""A short twinkle every four seconds."""

spark_shadow = _swell_each(4, 1.2, 0.4)
"""How dark it gets for the spark, just before and after, so that it stands out on a bright piece too."""


@_repeating(4)
def light_tide(now: float) -> float:
    """Up for most of four seconds, then away for a moment: light's open water, all of it together."""
    return min(1.0, max(0.0, 1.2 + 1.5 * sin(pi / 2 * now)))


@_repeating(4)
def dark_tide(now: float) -> float:
    """Up for two seconds, away for two: dark's open water, on every other cell, as on a checkerboard."""
    return min(1.0, max(0.0, 0.5 + 1.5 * sin(pi / 2 * now)))


@_repeating(4)
def dark_tide_between(now: float) -> float:
    """The same for the cells between those: up when they are not."""
    return dark_tide(now + 2)


@_repeating(1)
def removal_fade(now: float) -> float:
    """At once there, then falling away, each second: something leaves."""
    return 1 - soft_slope(now % 1 / 0.7)


@_repeating(3)
def missing_piece_swell(now: float) -> float:
    """How far a piece is there that has yet to be put, in a cell with a shape.

    Up from nothing for a second, there for a second, nothing for a second.
    """
    return soft_slope(now % 3) if now % 3 < 2 else 0.0


def _swell_into(rhythm: LightPattern) -> LightPattern:
    return LightPattern(lambda now: soft_slope(now % 3) if now % 3 < 1 else rhythm(now % 3 - 1), 3)


SWELLING_RHYTHM: dict[Symbol, LightPattern] = {symbol: _swell_into(PIECE_RHYTHM[symbol]) for symbol in Symbol}
"""The same in a cell with a single lamp: up for a second, then its rhythm for two, so long that it is told."""


def flip_spot(now: float, edge_position: float) -> float:
    """Once round in three seconds: how far it is at a place, 0 to 1 of the way."""
    return soft_bump(((now / 3 - edge_position) % 1 - 0.5) / 0.2)


@_repeating(3)
def flip_paling(now: float) -> float:
    """The same for a single lamp: pale for a while every three seconds, and not while a frog blinks twice."""
    return soft_bump(((now - 1.25) % 3 - 1.5) / 0.7)


choice_swell = _swell_each(3, 1.5, 0.75)
"""Up for a second and a half of three: what may be chosen."""


@_repeating(3)
def default_choice_dip(now: float) -> float:
    """There while those are away, and away for a moment while they are up: the choice that needs no choosing."""
    return 1 - soft_bump((now % 3 - 1.5) / 0.6)


eye_shutting = _swell_each(4, 3.2, 0.65)
"""An eye that shuts every four seconds, slowly: how far it is shut. Frogs and sparks have blinked before."""

eyelid_glimmer = _swell_each(4, 3.2, 0.3)
"""What is seen of it while it is shut."""


UNSAVED_DIMMING = 0.8
"""How much of all light goes when a board shuts because nothing is saved: what stands there is still seen."""


@_repeating(4)
def unsaved_brightness(now: float) -> float:
    """What is left of all light: every four seconds the whole board shuts, when a single eye is open."""
    return 1 - UNSAVED_DIMMING * soft_bump((now % 4 - 1.2) / 0.65)


CONFIRM_LEAD_SECONDS = 0.35
"""So many seconds of a hold nothing is told of its passing: if it begins again and again, it cannot flash."""


def confirm_progress(now: float, since: float, until: float) -> float:
    """How much of a hold has passed, 0 to 1: nothing for a moment, then steadily."""
    if now >= until:
        return 1.0
    begun_at = since + CONFIRM_LEAD_SECONDS
    return (now - begun_at) / (until - begun_at) if now > begun_at else 0.0


def confirm_pulse(now: float, since: float, until: float) -> float:
    """The same for a single lamp: quicker and quicker pulses, from fewer than one to two a second, up to the end.

    They are whole pulses and a half, so that the last one ends at its brightest.
    """
    share = confirm_progress(now, since, until)
    pulse_count = int((until - since) * 1.3) + 0.5
    return (1 - cos(2 * pi * pulse_count * share * (0.55 + 0.45 * share))) / 2


@_repeating(4)
def trouble_pulse(now: float) -> float:
    """Slowly up and down, four seconds a time, and never quite away: what it tells goes on."""
    return 0.6 - 0.35 * cos(pi / 2 * now)


_REFUSAL_TRACE = "^^^^^^^___^^^^^^^___^^^^^^^"

REFUSAL_SECONDS = len(_REFUSAL_TRACE) / 20
"""How long a refusal is shown."""

# It is lit at once, so every press is answered, and stays lit for more than a third of a second before its first gap:
# however fast somebody hammers on a cell, it cannot be made to flash more than three times a second.
refusal_pattern = _parse_trace(_REFUSAL_TRACE)
"""Red light of a refused cell as a function of the seconds since the refusal, for REFUSAL_SECONDS."""

_REPEATED_LEVELS = (1.0, 0.5, 0.6, 0.7, 0.8, 0.9)


def refusal_level(repeats: int) -> float:
    """Return a factor for the light of a refusal, so that a cell which is still red answers the next press, too.

    It falls only once in six presses: nobody presses fast enough to make that flash.
    """
    return _REPEATED_LEVELS[repeats % len(_REPEATED_LEVELS)]
