"""A whole game from sensor edges to lamp pulses, decoded from the pulses alone.

The decoder knows the wiring and the light language from the README, but uses neither the game nor the renderer.
"""

from fractions import Fraction
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


@pytest.fixture
def pins():
    with MockPins() as mocked:
        yield mocked


@pytest.mark.slow
@pytest.mark.parametrize(  # two short games and one of normal length
    ("pond", "seed"), long_after_first([("mini", 1352), ("standard", 497), ("standard", 3)])
)
def test_lamps_show_the_position_after_every_turn(pins, pond, seed):
    game = WiredGame(pins, load_profile("direct-4x4"), parse_variant(pond), profile_limiter(load_profile("direct-4x4")))
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
        assert colours(profile, first) == {
            cell: lamps[0] for cell, lamps in game.companion.frame.colours_by_cell.items()
        }

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
            for cell, colour in colours(game.profile, data).items():
                seen[cell].append(colour)
    return {cell: piece for cell, colours_ in seen.items() if (piece := read_piece(colours_))}


def colours(profile, data):
    """Decode the red, green and blue of each cell."""
    found = {}
    for cell, place in zip(get_grid(profile.size).cells, profile.chain.cell_positions, strict=True):
        sent = dict(zip(profile.chain.colour_order, data[place * 3 : place * 3 + 3], strict=True))
        found[cell] = (sent["R"], sent["G"], sent["B"])
    return found


def read_piece(seen):
    """Decode a piece from one lamp: an egg is steady, a tadpole breathes, a frog blinks twice."""
    perceived = [(max(colour) / 255) ** (1 / GAMMA) for colour in seen]
    brightest = max(perceived)
    if brightest < 0.27:  # dark, or the faint glow of open water
        return None
    red, _, blue = max(seen, key=max)
    owner = LIGHT if red > blue else DARK
    if min(perceived) > 0.9 * brightest:
        return Piece(owner, EGG)
    blinks = median(perceived) > 0.9 * brightest  # lit most of the time
    return Piece(owner, FROG if blinks else TADPOLE)
