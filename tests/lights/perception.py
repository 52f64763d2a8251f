"""Lamps as seen without colour vision."""

from cmath import exp
from functools import cache
from math import isqrt, pi, sqrt

from pond_hw.lights import render_scene

GAMMA = 2.2
SECONDS = 12  # every pattern repeats after a divisor of this
SAMPLES = 256  # samples in that time; a power of two


def grey(picture):
    """Return the perceived brightness of each lamp without colour vision, 0 to 1."""
    return [_grey(*lamp) for lamp in zip(picture[0::3], picture[1::3], picture[2::3], strict=True)]


@cache
def _grey(r, g, b):
    """Return the luminance with the weights of a screen's primaries. Those of lamps differ, but only in the second digit."""
    return round((0.2126 * r**GAMMA + 0.7152 * g**GAMMA + 0.0722 * b**GAMMA) ** (1 / GAMMA), 4)


def grey_cells(scene, now, lamps):
    """Return the perceived brightness of each cell's lamps at an instant."""
    values = grey(render_scene(scene, now, lamps))
    return {cell: tuple(values[i * lamps : (i + 1) * lamps]) for i, cell in enumerate(scene.cell_views)}


def behaviour(scene, cells, lamps):
    """Return the behaviour of the lamps of some cells from time 0, as seen without knowing the phase.

    Each cell is scaled so that its brightest lamp has a root mean square of 1, because brightness alone must not
    distinguish signs. The result is the strength of each frequency in each lamp. `scene` may be a function of time, for a
    scene that changes.
    """
    scene_at = scene if callable(scene) else lambda _: scene
    instants = [i * SECONDS / SAMPLES for i in range(SAMPLES)]
    moments = [grey_cells(scene_at(now), now, lamps) for now in instants]
    return {cell: _frequencies(list(zip(*(moment[cell] for moment in moments), strict=True))) for cell in cells}


def min_difference(one, other):
    """Return the minimum difference between two cells for a viewer who knows neither the phase nor the side.

    The difference between two lamps is the root mean square of their difference in brightness over time, at the phase that
    minimizes it. By Parseval's theorem it follows from the strengths of the frequencies, which do not depend on the phase.
    The lamp that differs most counts, at the rotation of the cell that minimizes this difference.
    """
    return min(max(_lamp_difference(*pair) for pair in _different(one, turned)) for turned in rotations(other))


def max_flashes(trace, instants):
    """Return the number of flashes in the worst second of a trace. A flash is a pair of opposing changes of brightness.

    The guideline counts changes of a tenth of the full *light* (WCAG 2, criterion 2.3.1). This function is stricter: it
    counts a tenth of the full perceived brightness, which is a hundred and fiftieth of the light.
    """
    swings, extreme, rising = [], trace[0], None
    for value, instant in zip(trace, instants, strict=True):
        if (value - extreme > 0) == rising and rising is not None:
            extreme = value
        elif abs(value - extreme) >= 0.1:
            rising, extreme = value > extreme, value
            swings.append(instant)
    return max((sum(0 <= later - swing < 1 for later in swings) for swing in swings), default=0) / 2


def rotations(lamps):
    """Yield a cell's lamps as seen from each side of the table."""
    side = isqrt(len(lamps))
    rows = [lamps[i * side : (i + 1) * side] for i in range(side)]
    for _ in range(4):
        yield [lamp for row in rows for lamp in row]
        rows = [list(row) for row in zip(*reversed(rows), strict=True)]


def _frequencies(traces):
    strengths = {trace: _strengths(trace) for trace in set(traces)}
    average = max(sqrt(sum(part * part for part in parts)) for parts in strengths.values()) or 1.0
    found = {trace: tuple([part / average for part in parts]) for trace, parts in strengths.items()}
    return [found[trace] for trace in traces]


@cache
def _strengths(trace):
    """Return the strength of each frequency from 0 up, with squares that add up to the mean square.

    The upper half of the spectrum mirrors the lower half.
    """
    lower = _fourier(trace)[: SAMPLES // 2 + 1]
    return [abs(part) / SAMPLES * (sqrt(2) if 0 < i < SAMPLES // 2 else 1) for i, part in enumerate(lower)]


def _different(one, other):
    """Return the distinct pairs of lamps. Equal pairs are the same object."""
    return {(id(a), id(b)): (a, b) for a, b in zip(one, other, strict=True)}.values()


@cache
def _lamp_difference(one, other):
    return sqrt(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)))


def _fourier(trace):
    if len(trace) == 1:
        return list(trace)
    even, odd = _fourier(trace[0::2]), _fourier(trace[1::2])
    turned = [turn * part for turn, part in zip(_half_way_round(len(trace)), odd, strict=True)]
    return [a + b for a, b in zip(even, turned, strict=True)] + [a - b for a, b in zip(even, turned, strict=True)]


@cache
def _half_way_round(steps):
    return [exp(-2j * pi * i / steps) for i in range(steps // 2)]
