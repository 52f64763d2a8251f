"""Hues of owners, measured for normal vision and for the loss of each kind of cone.

Distances are computed from the bytes sent to the lamps, which are proportional to their light, with a screen's
primaries. Lamps have more saturated primaries, so the real distance is larger.
"""

from itertools import combinations

import pytest

from pond_hw.board import Frame
from pond_hw.lights import CurrentLimiter, render_scene
from pond_hw.lights.palette import AMBER, AZURE, SIGN_COLOUR
from pond_hw.rules import Side
from tests.conftest import each, require
from tests.lights.scenes import scene

require("coloraide", "simulates how colour-blind people see, and measures how far apart colours are")
from coloraide import Color  # noqa: E402 - if it is missing, `require` reports that first

SIGHTS = ["all", "protan", "deutan", "tritan"]
GAMMAS = [2.2, 2.5, 2.8]
MIN_DISTANCE = 0.30  # in OKLab, where black and white are 1 apart; just noticeable is 0.02


@each("gamma", GAMMAS)
@each("vision", SIGHTS)
@each("to_move", Side)
def test_owner_hues_differ_for_every_colour_vision(to_move, vision, gamma):
    light, dark = owners("E e .\n. . .\n. . .", CurrentLimiter(gamma=gamma), to_move)
    assert distance(light, dark, vision) >= MIN_DISTANCE


@each("gamma", GAMMAS)
@each("vision", SIGHTS)
def test_owner_hues_differ_after_the_game(vision, gamma):
    light, dark = owners("E e .\n. . .\n. . .", CurrentLimiter(gamma=gamma), None)
    assert distance(light, dark, vision) >= MIN_DISTANCE


@pytest.mark.slow
@each("vision", SIGHTS)
@each("overlay", ["~", "#", "+"])
def test_owner_hues_mostly_differ_under_overlays(overlay, vision):
    drawn, limiter = f"E{overlay} e{overlay} .\n. . .\n. . .", CurrentLimiter()
    moments = [owners(drawn, limiter, None, i / 10) for i in range(60)]
    assert sum(distance(*moment, vision) >= MIN_DISTANCE for moment in moments) > 30


@each(
    "limiter", [CurrentLimiter(brightness=0.15), CurrentLimiter(budget=60), CurrentLimiter(gamma=2.8, brightness=0.4)]
)
@each("vision", SIGHTS)
def test_faintest_glow_keeps_owner_hue(vision, limiter):
    glow = ".o .o .o\n.o .o .o\n.o .o .o"
    light, dark = (owners(glow, limiter, side)[0] for side in Side)
    assert distance(scale_to_maximum(light), scale_to_maximum(dark), vision) >= MIN_DISTANCE


@each("vision", SIGHTS)
def test_sign_colours_differ_for_every_colour_vision(vision):
    lights = [tuple(channel**2.2 for channel in colour) for colour in SIGN_COLOUR.values()]
    assert min(distance(one, other, vision) for one, other in combinations(lights, 2)) >= MIN_DISTANCE / 2


def test_measure_rejects_red_and_green():
    red, green = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    assert min(distance(red, green, vision) for vision in SIGHTS) < MIN_DISTANCE
    assert distance(AMBER, AZURE, "all") > 0.3


def owners(drawn, limiter, to_move, now=1.0):
    """Return the light (red, green, blue, 0 to 1) of the first two cells in the top row of a board with single lamps."""
    picture, frame = render_scene(scene(drawn, to_move), now, 1), Frame.dark_frame(3, 1)
    for _ in range(20):
        frame = limiter.limit_frame(picture, frame)
    return [tuple(channel / 255 for channel in frame[cell][0]) for cell in ("a3", "b3")]


def distance(one, other, vision):
    return seen(one, vision).delta_e(seen(other, vision), method="ok")


def seen(light, vision):
    colour = Color("srgb-linear", light)
    return colour if vision == "all" else colour.filter(vision, space="srgb-linear", out_space="srgb-linear")


def scale_to_maximum(light):
    """Scale to the maximum, because an eye in the dark adapts to the light."""
    return tuple(channel / max(light) for channel in light)
