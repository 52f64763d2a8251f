"""A whole game from sensor edges to lamp pulses, decoded from the pulses alone.

The decoder knows the wiring and the light language from the README, but uses neither the game nor the renderer.
"""

from fractions import Fraction
from itertools import islice
from random import Random
from statistics import median

import pytest

from pond_hw.drivers.lamp_pulses import PACKED
from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.profile import load_profile
from pond_hw.rules import DARK, EGG, FROG, LIGHT, TADPOLE, Piece, get_grid, parse_variant
from tests.conftest import long_after_first
from tests.drivers.ws2812 import CHIPS, decode, levels
from tests.e2e.wired_game import WiredGame
from tools.mock_pins import MockPins

GAMMA = 2.2
HERTZ = Fraction(250_000_000, 30)  # actual clock of a Pi for the requested speed
SPARK = (0.75, 1.65)  # part of every four seconds in which the last turn's cell twinkles
GLOW = 0.27  # perceived brightness; less is dark, or the faint glow of open water
SHAPES = {"#...": EGG, "#..#": TADPOLE, "####": FROG}  # lamps of a cell, the far row first


@pytest.fixture
def pins():
    with MockPins() as mocked:
        yield mocked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "pond", "seed"),
    long_after_first(
        [
            ("direct-4x4", "mini", 1352),  # four lamps per cell
            ("pwm-4x4", "mini", 1352),  # one
            ("direct-4x4", "standard", 497),  # a short game, and one of normal length
            ("pwm-4x4", "standard", 497),
            ("direct-4x4", "standard", 3),
            ("pwm-4x4", "standard", 3),
        ],
        count=2,
    ),
)
def test_lamps_show_the_position_after_every_turn(pins, board, pond, seed):
    profile = load_profile(board)
    game = WiredGame(pins, profile, parse_variant(pond), profile_limiter(profile))
    rng = Random(seed)
    while game.session.outcome is None and len(game.session.turns) < 60:
        action = rng.choice(game.session.allowed_actions)
        before = len(game.session.turns)
        for cell in filter(None, action):
            game.touch(cell)
        assert len(game.session.turns) == before + 1, f"{action}: {game.session.message}"
        assert str(game.session.turns[-1].action) == str(action)
        # Wait for the animations. After the game a wave runs every six seconds, but not from 3.8 to 7.6 s after the last turn.
        game.wait(4.0 if game.session.outcome else 2.0)
        seen_pieces = read_pieces(game)
        assert seen_pieces == game.session.position.pieces, f"after {action}\n{game.session.position}"
    assert game.session.outcome, "the game should come to an end"


@pytest.mark.slow
def test_every_chip_decodes_every_frame(pins):
    profile = load_profile("direct-4x4")
    game = WiredGame(pins, profile, parse_variant("mini"), profile_limiter(profile))
    rng, seen = Random(8), set()

    def check_bits():
        if game.bits in seen:
            return
        seen.add(game.bits)
        line = levels(game.bits)
        (first,) = decode(line, HERTZ, CHIPS[0])
        assert all(decode(line, HERTZ, chip) == [first] for chip in CHIPS[1:])
        assert colours(profile, first) == game.companion.frame.colours_by_cell

    for _ in range(6):
        for cell in filter(None, rng.choice(game.session.allowed_actions)):
            game.touch(cell)
        game.wait(0.5, check_bits)
    assert len(seen) > 30


def test_pi_keeps_requested_clock_speed():
    assert PACKED.spi_hz >= HERTZ


def read_pieces(game):
    """Decode the pieces from four seconds of pulses."""
    seen = {cell: [] for cell in get_grid(4).cells}
    for _ in range(35):
        game.wait(0.1)
        if not SPARK[0] < game.clock.now() % 4 < SPARK[1]:
            (data,) = decode(levels(game.bits), HERTZ, CHIPS[1])
            for cell, lamps in colours(game.profile, data).items():
                seen[cell].append(lamps)
    read = {1: read_rhythm, 4: read_shape}[game.profile.chain.lamps_per_cell]
    return {cell: piece for cell, looks in seen.items() if (piece := read(looks))}


def colours(profile, data):
    """Decode the red, green and blue of each lamp in each cell."""
    assert len(data) == profile.chain.lamp_count * 3
    places, found = iter(profile.chain.cell_positions), {}
    for cell in get_grid(profile.size).cells:
        lamps = []
        for place in islice(places, profile.chain.lamps_per_cell):
            sent = dict(zip(profile.chain.colour_order, data[place * 3 : place * 3 + 3], strict=True))
            lamps.append((sent["R"], sent["G"], sent["B"]))
        found[cell] = tuple(lamps)
    assert not list(places)
    return found


def perceive(colour):
    return (max(colour) / 255) ** (1 / GAMMA)


def read_owner(colour):
    red, _, blue = colour
    return LIGHT if red > blue else DARK


def read_shape(looks):
    """Decode a piece from four lamps, which are steady: an egg is one lamp, a tadpole two, a frog all four."""
    levels_of_lamps = [[perceive(colour) for colour in lamp] for lamp in zip(*looks, strict=True)]
    if max(map(max, levels_of_lamps)) < GLOW:
        return None
    lit = [max(levels_) >= GLOW for levels_ in levels_of_lamps]
    for is_lit, levels_ in zip(lit, levels_of_lamps, strict=True):
        assert min(levels_) > 0.9 * max(levels_) if is_lit else not any(levels_), levels_
    (owner,) = {read_owner(colour) for look in looks for colour, is_lit in zip(look, lit, strict=True) if is_lit}
    return Piece(owner, SHAPES["".join(".#"[is_lit] for is_lit in lit)])


def read_rhythm(looks):
    """Decode a piece from one lamp: an egg is steady, a tadpole breathes, a frog blinks twice."""
    seen = [colour for (colour,) in looks]
    perceived = [perceive(colour) for colour in seen]
    brightest = max(perceived)
    if brightest < GLOW:
        return None
    owner = read_owner(max(seen, key=max))
    if min(perceived) > 0.9 * brightest:
        return Piece(owner, EGG)
    blinks = median(perceived) > 0.9 * brightest  # lit most of the time
    return Piece(owner, FROG if blinks else TADPOLE)
