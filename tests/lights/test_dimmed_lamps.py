"""At every brightness, all signs differ in the bytes sent to the lamps."""

from dataclasses import replace
from functools import cache
from itertools import combinations, product

import pytest

from pond_hw.board import Frame
from pond_hw.lights import CurrentLimiter, render_scene
from pond_hw.lights.current_limiter import dimmed_limiter, profile_limiter
from pond_hw.profile import list_shipped, load_profile
from pond_hw.profile.parse_lamps import VISIBLE_LAMP_MA
from pond_hw.rules import LIGHT, Side, get_grid
from pond_hw.server.parse_requests import MIN_BRIGHTNESS
from tests.lights.scenes import scene

PIECES = ("E", "T", "F", "e", "t", "f")
PROMPTS = ("Tc", "et", ".t", ".m", ".u", "E-", "T~", "F+")
SIGNS = (*PIECES, ".", ".o", *PROMPTS)
INSTANTS = [0.02 + i / 10 for i in range(120)]
"""Times in seconds, over twelve seconds, in which every rhythm repeats."""

BRIGHTNESSES = (MIN_BRIGHTNESS, 0.05, 0.2, 1.0)
PROFILES = {name: load_profile(name, measured=False) for name in list_shipped()}
ALIKE = {
    (each.size, each.chain.lamps_per_cell, profile_limiter(each)): name
    for name, each in sorted(PROFILES.items(), reverse=True)
}
"""One board from each group that these tests cannot tell apart."""


def board_parameters(names):
    """Return boards as test parameters. All are marked slow except one with one lamp per cell and one with four."""
    now = ("direct-4x4", "usb-hall-4x4")
    return [name if name in now else pytest.param(name, marks=pytest.mark.slow) for name in sorted(names)]


BOARDS = pytest.mark.parametrize("name", board_parameters(ALIKE.values()))
SINGLE_LAMPS = [name for name in ALIKE.values() if PROFILES[name].chain.lamps_per_cell == 1]


@cache
def pictures(signs, to_move, size, lamps, strip_lamps):
    """Return the pictures of a board with these signs in its first cells."""
    padded = [*signs, *["."] * (size * size - len(signs))]
    rows = [padded[start : start + size] for start in range(0, size * size, size)]
    drawn = scene("\n".join(map(" ".join, reversed(rows))), to_move)
    return [render_scene(drawn, now, lamps, strip_lamps) for now in INSTANTS]


def drive_levels(signs, to_move, limiter, profile):
    """Return the drive levels of each sign's cell over time."""
    size, lamps, strip_lamps = profile.size, profile.chain.lamps_per_cell, len(profile.chain.strip_positions[0])
    dark = Frame.dark_frame(size, lamps, strip_lamps)
    frames = [limiter.wanted_frame(each, dark) for each in pictures(signs, to_move, size, lamps, strip_lamps)]
    return {sign: [frame[cell] for frame in frames] for sign, cell in zip(signs, get_grid(size).cells, strict=False)}


def limiters(profile):
    """Yield a board's limiters at several brightnesses, each with a good supply and with a sagging one."""
    for brightness in BRIGHTNESSES:
        limiter = replace(profile_limiter(profile), brightness=brightness)
        yield limiter
        yield dimmed_limiter(limiter, profile.chain.lamp_count)


def strongest(look):
    """Return the highest channel level in a cell."""
    return max(map(max, look))


@pytest.mark.slow
@BOARDS
def test_signs_differ_in_bytes_at_every_brightness(name):
    for to_move, limiter in product(Side, limiters(PROFILES[name])):
        levels_by_sign = drive_levels(SIGNS, to_move, limiter, PROFILES[name])
        same = [pair for pair in combinations(SIGNS, 2) if levels_by_sign[pair[0]] == levels_by_sign[pair[1]]]
        assert same == [], limiter


@BOARDS
def test_egg_outshines_open_cells(name):
    for (side, egg), limiter in product(zip(Side, "Ee", strict=True), limiters(PROFILES[name])):
        levels_by_sign = drive_levels((egg, ".o", "."), side, limiter, PROFILES[name])
        eggs, glows = (list(map(strongest, levels_by_sign[sign])) for sign in (egg, ".o"))
        assert all(egg >= 1.5 * glow for egg, glow in zip(eggs, glows, strict=True)), limiter
        assert max(map(strongest, levels_by_sign["."])) == 0 < max(glows)


@pytest.mark.parametrize("name", board_parameters(SINGLE_LAMPS))
def test_rhythms_are_visible_at_every_brightness(name):
    for limiter in limiters(PROFILES[name]):
        levels_by_sign = drive_levels(PIECES, None, limiter, PROFILES[name])
        levels = {sign: list(map(strongest, looks)) for sign, looks in levels_by_sign.items()}
        for sign in "Ee":
            assert min(levels[sign]) == max(levels[sign])
        for sign in "TFtf":
            assert max(levels[sign]) >= 1.5 * min(levels[sign]), (sign, limiter)


@pytest.mark.parametrize("lamps", [1, 4])
def test_pieces_stay_distinct_at_lowest_budget(lamps):
    limiter = CurrentLimiter(budget=VISIBLE_LAMP_MA * 16 * lamps, brightness=MIN_BRIGHTNESS)
    profile = PROFILES["direct-4x4"]
    levels_by_sign = drive_levels(
        (*PIECES, ".", ".o"), LIGHT, limiter, replace(profile, chain=replace(profile.chain, lamps_per_cell=lamps))
    )
    assert len({tuple(looks) for looks in levels_by_sign.values()}) == 8


@pytest.mark.parametrize("brightness", BRIGHTNESSES)
def test_screen_shows_dimmed_lamps_as_intended(brightness):
    limiter = CurrentLimiter(budget=1e6, slew=1e6, brightness=brightness)
    for meant in ((1.0, 0.58, 0.0), (0.0, 0.25, 0.45), (0.25, 0.14, 0.0), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)):
        frame = limiter.limit_frame([*meant, *[0.0] * 24], Frame.dark_frame(3, 1))
        shown = limiter.perceive_lamp(tuple(frame.data[:3]))
        assert shown == pytest.approx(meant, abs=0.12)
