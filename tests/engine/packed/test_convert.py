"""Conversion of positions and actions to packed integers and back, and rejection of invalid ones."""

import pytest
from hypothesis import given

from pond_hw.engine.packed import pack_action, pack_position, unpack_action, unpack_position
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, STANDARD, VARIANTS, Action, PondError, Position, get_grid, parse_variant
from tests.messages.says import text
from tests.rules.positions import positions

BIG = VARIANTS["big"]
START = pack_position(Position.start(STANDARD))


@given(positions())
def test_positions_round_trip(position):
    assert unpack_position(pack_position(position), position.variant) == position


def test_packed_position_has_documented_numbers():
    position = Position.from_notation("f.../..../..../Et.. d 11 10 1 1", parse_variant("4x4/13/10"))
    assert pack_position(position) == (0b1, 1 << 12 | 0b10, 0b1, 0b10, 11 + 32 * 10, 1 + 32 * 1, 1)


@pytest.mark.parametrize("pond", [parse_variant("3x3/9/5"), STANDARD, BIG], ids=str)
def test_actions_round_trip(pond):
    cells = get_grid(pond.size).cells
    every = [Action(source, target) for source in (None, *cells) for target in cells if source != target]
    numbers = [pack_action(action, pond) for action in every]
    assert [unpack_action(number, pond) for number in numbers] == every
    assert len(set(numbers)) == len(every)
    assert pack_action(Action(None, "b1"), pond) == 33
    assert pack_action(Action("a1", "c1"), pond) == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (("b2", "b2"), Message("packed.goes_nowhere", action="b2b2")),
        ((None, "e1"), Message("illegal.no_such_cell", cell="e1", size=4)),
        (("a5", "a4"), Message("illegal.no_such_cell", cell="a5", size=4)),
        ((None, ""), Message("illegal.no_such_cell", cell="", size=4)),
    ],
)
def test_invalid_action_is_rejected(text, why):
    with pytest.raises(PondError) as refused:
        pack_action(Action(*text), STANDARD)
    assert refused.value.message == why


@pytest.mark.parametrize("number", [-1, -32, 16, 16 * 32, 31 * 33, 1 << 12])
def test_invalid_action_number_is_rejected(number):
    with pytest.raises(PondError) as refused:
        unpack_action(number, STANDARD)
    assert refused.value.message == Message("packed.no_action", number=number, size=4)


@pytest.mark.parametrize(
    ("bare", "why"),
    [
        ((1 << 16, 0, 0, 0, 12 + 32 * 13, 0, 0), "outside"),
        ((1, 1, 0, 0, 12 + 32 * 12, 0, 0), "two_owners"),
        ((1, 0, 1, 1, 12 + 32 * 13, 0, 0), "two_symbols"),
        ((1, 0, 2, 0, 12 + 32 * 13, 0, 0), "no_owner"),
        ((1, 0, 0, 4, 12 + 32 * 13, 0, 0), "no_owner"),
        ((*START[:6], 2), "wrong_mover"),
        ((*START[:4], START[4] + 1024, 0, 0), "wrong_bits"),
        ((*START[:5], 1024, 0), "wrong_bits"),
        ((*START[:4], 13 + 32 * 12, 0, 0), "position.wrong_sum"),
        ((0b111, 0, 0b111, 0, 10 + 32 * 13, 0, 0), "position.unscored_set.egg"),
        ((0b111, 0, 0, 0, 10 + 32 * 13, 0, 0), "position.unscored_set.frog"),
        ((*START[:6], -1), "wrong_numbers"),
        (START[:6], "wrong_numbers"),
        ((*START, 0), "wrong_numbers"),
        ((*START[:6], 0.0), "wrong_numbers"),
    ],
)
def test_invalid_position_numbers_are_rejected(bare, why):
    with pytest.raises(PondError) as refused:
        unpack_position(bare, STANDARD)
    check_reason(refused.value.message, why)
    if why in ("outside", "wrong_mover"):
        assert (refused.value.message.arguments["size"], refused.value.message.arguments["mover"]) == (4, bare[6])


def check_reason(message, why):
    """Check the reason why a position was rejected. A reason with a dot comes from the rules, which the message quotes."""
    if "." in why:
        assert (message.id, message.arguments["reason"].id) == ("packed.impossible", why)
    else:
        assert message.id == f"packed.{why}"
    assert text(message)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"eggs": 1}, "unlike_masks"),
        ({"light": 1}, "unlike_masks"),
        ({"light": 1, "eggs": 1, "frogs": 1, "spawn": (12, 13)}, "unlike_masks"),
        ({"light": 1, "tadpoles": 1, "frogs": 1, "spawn": (12, 13)}, "unlike_masks"),
        ({"light": 1, "eggs": 1, "tadpoles": 1, "spawn": (12, 13)}, "two_symbols"),
        ({"light": 1, "dark": 1, "eggs": 1, "spawn": (12, 12)}, "two_owners"),
        ({"spawn": (13, 12)}, "position.wrong_sum"),
        ({"spawn": (-19, 14)}, "wrong_counts"),
        ({"scored": (32, 0)}, "wrong_counts"),
        ({"light": 7, "eggs": 7, "spawn": (10, 13)}, "position.unscored_set.egg"),
        ({"light": -1, "eggs": -1}, "wrong_numbers"),
    ],
)
def test_custom_position_is_validated(changed, why):
    with pytest.raises(PondError) as refused:
        pack_position(Position.start(STANDARD)._replace(**changed))
    check_reason(refused.value.message, why)


def test_side_to_move_is_unpacked():
    assert unpack_position(START, STANDARD).to_move is LIGHT
    assert unpack_position((*START[:6], 1), STANDARD).to_move is DARK
