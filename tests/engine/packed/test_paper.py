"""Between paper and bare integers nothing is lost, and what cannot be is refused with a sentence."""

import pytest
from hypothesis import given

from pond_hw.engine.packed import pack_action, pack_position, unpack_action, unpack_position
from pond_hw.rules import DARK, LIGHT, STANDARD, VARIANTS, Action, PondError, Position, get_grid, parse_variant
from tests.rules.positions import positions

BIG = VARIANTS["big"]
START = pack_position(Position.start(STANDARD))


@given(positions())
def test_every_position_comes_back(position):
    assert unpack_position(pack_position(position), position.variant) == position


def test_the_seven_numbers_are_what_they_are_said_to_be():
    position = Position.from_notation("f.../..../..../Et.. d 11 10 1 1", parse_variant("4x4/13/10"))
    assert pack_position(position) == (0b1, 1 << 12 | 0b10, 0b1, 0b10, 11 + 32 * 10, 1 + 32 * 1, 1)


@pytest.mark.parametrize("pond", [parse_variant("3x3/9/5"), STANDARD, BIG], ids=str)
def test_every_action_comes_back(pond):
    cells = get_grid(pond.size).cells
    every = [Action(source, target) for source in (None, *cells) for target in cells if source != target]
    numbers = [pack_action(action, pond) for action in every]
    assert [unpack_action(number, pond) for number in numbers] == every
    assert len(set(numbers)) == len(every)
    assert pack_action(Action(None, "b1"), pond) == 33
    assert pack_action(Action("a1", "c1"), pond) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (("b2", "b2"), "goes nowhere"),
        ((None, "e1"), "e1 is not a cell of this 4x4 pond"),
        (("a5", "a4"), "a5 is not a cell"),
        ((None, ""), " is not a cell"),
    ],
)
def test_an_action_that_cannot_be_is_refused(text, words):
    with pytest.raises(PondError, match=words):
        pack_action(Action(*text), STANDARD)


@pytest.mark.parametrize("number", [-1, -32, 16, 16 * 32, 31 * 33, 1 << 12])
def test_a_number_that_is_no_action_is_refused(number):
    with pytest.raises(PondError, match=f"No action of a 4x4 pond: {number}"):
        unpack_action(number, STANDARD)


@pytest.mark.parametrize(
    ("bare", "words"),
    [
        ((1 << 16, 0, 0, 0, 12 + 32 * 13, 0, 0), "beyond the 4x4 grid"),
        ((1, 1, 0, 0, 12 + 32 * 12, 0, 0), "two owners"),
        ((1, 0, 1, 1, 12 + 32 * 13, 0, 0), "egg and tadpole"),
        ((1, 0, 2, 0, 12 + 32 * 13, 0, 0), "belongs to nobody"),
        ((1, 0, 0, 4, 12 + 32 * 13, 0, 0), "belongs to nobody"),
        ((*START[:6], 2), "the mover is 0 or 1, not 2"),
        ((*START[:4], START[4] + 1024, 0, 0), "five bits"),
        ((*START[:5], 1024, 0), "five bits"),
        ((*START[:4], 13 + 32 * 12, 0, 0), "each side has 13"),
        ((0b111, 0, 0b111, 0, 10 + 32 * 13, 0, 0), "set of eggs is left standing"),
        ((0b111, 0, 0, 0, 10 + 32 * 13, 0, 0), "set of frogs is left standing"),
        ((*START[:6], -1), "seven whole numbers"),
        (START[:6], "seven whole numbers"),
        ((*START, 0), "seven whole numbers"),
        ((*START[:6], 0.0), "seven whole numbers"),
    ],
)
def test_numbers_that_are_no_position_are_refused(bare, words):
    with pytest.raises(PondError, match=words):
        unpack_position(bare, STANDARD)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"eggs": 1}, "what the masks of the symbols hold"),
        ({"light": 1}, "what the masks of the symbols hold"),
        ({"light": 1, "eggs": 1, "frogs": 1, "spawn": (12, 13)}, "what the masks of the symbols hold"),
        ({"light": 1, "tadpoles": 1, "frogs": 1, "spawn": (12, 13)}, "what the masks of the symbols hold"),
        ({"light": 1, "eggs": 1, "tadpoles": 1, "spawn": (12, 13)}, "egg and tadpole"),
        ({"light": 1, "dark": 1, "eggs": 1, "spawn": (12, 12)}, "two owners"),
        ({"spawn": (13, 12)}, "each side has 13"),
        ({"spawn": (-19, 14)}, "0 to 31"),
        ({"scored": (32, 0)}, "0 to 31"),
        ({"light": 7, "eggs": 7, "spawn": (10, 13)}, "left standing"),
        ({"light": -1, "eggs": -1}, "beyond|seven whole"),
    ],
)
def test_a_position_made_by_hand_is_looked_at(changed, words):
    with pytest.raises(PondError, match=words):
        pack_position(Position.start(STANDARD)._replace(**changed))


def test_whose_turn_it_is_comes_back_as_a_side():
    assert unpack_position(START, STANDARD).to_move is LIGHT
    assert unpack_position((*START[:6], 1), STANDARD).to_move is DARK
