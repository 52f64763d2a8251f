"""Games that start from a custom position, and errors in such positions."""

import pytest

from pond_hw.messages.message import Message
from pond_hw.rules import (
    DARK,
    LIGHT,
    PIECES,
    STANDARD,
    PondError,
    Position,
    explain_invalid_start,
    legal_actions,
    parse_variant,
    play,
)
from tests.rules.positions import pieces, set_up_position

MIDDLE = """
    4 . t t .
    3 . . F E
    2 f t . T
    1 T . . T
      a b c d
"""

FULL = """
    4 F F t E
    3 T T e e
    2 E F t f
    1 t T e F
      a b c d
"""


def rejection(drawing, to_move=LIGHT, scored=(0, 0), pond="standard", **more):
    """Return the message with which this start is rejected. `more` are pieces in addition to those drawn."""
    here = pieces(drawing) | {cell: PIECES[letter] for cell, letter in more.items()}
    with pytest.raises(PondError) as caught:
        set_up_position(parse_variant(pond), here, to_move, scored)
    return caught.value.message


def test_remaining_pieces_are_in_the_spawn():
    position = set_up_position(STANDARD, pieces(MIDDLE), DARK, (7, 8))
    assert position.notation_line == ".tt./..FE/ft.T/T..T d 1 1 7 8"
    assert play(position, legal_actions(position)[0]).side is DARK


def test_empty_pond_is_the_standard_start():
    assert set_up_position(STANDARD, {}, LIGHT, (0, 0)) == Position.start(STANDARD)


def test_all_pieces_may_be_out_of_the_spawn():
    assert set_up_position(parse_variant("3x3/3/3"), pieces("2 E e .\n1 t F T"), LIGHT, (0, 1)).spawn == (0, 0)


def test_unscored_set_is_rejected():
    assert rejection(MIDDLE, d2="t", c2="T") == Message("position.unscored_set.tadpole", cells=("b2", "c2", "d2"))
    assert rejection("3 f . . .\n2 F . . .\n1 f . . .") == Message(
        "position.unscored_set.frog", cells=("a1", "a2", "a3")
    )


def won(light, dark, variant="standard", target=10):
    return Message("start.won", light=light, dark=dark, variant=variant, target=target)


def test_score_that_ended_the_game_is_rejected():
    assert rejection("1 E . . e", scored=(10, 3)) == won(10, 3)
    assert rejection("1 E . . e", scored=(3, 8), pond="mini") == won(3, 8, "mini", 7)
    assert rejection("1 E . . e", scored=(10, 10)) == won(10, 10)
    assert set_up_position(STANDARD, pieces("1 E . . e"), LIGHT, (9, 9)).spawn == (3, 3)


def test_start_without_legal_action_is_rejected():
    assert rejection(FULL, LIGHT) == Message("start.no_action", side="light")
    assert rejection(FULL, DARK) == Message("start.no_action", side="dark")
    # Light has only an egg on the board and none to place; dark has one to place.
    only_eggs = pieces("2 . E .\n1 . . e")
    no_action = Message("start.no_action", side="light")
    assert rejection("2 . E .\n1 . . e", LIGHT, scored=(1, 0), pond="3x3/2/2") == no_action
    assert set_up_position(parse_variant("3x3/2/2"), only_eggs, DARK, (1, 0)).spawn == (0, 1)


def test_position_object_is_validated_as_start():
    assert explain_invalid_start(Position.from_notation(".tt./..FE/ft.T/T..T d 1 1 7 8")) is None
    assert explain_invalid_start(Position.start(STANDARD)) is None
    broken = Position.from_pieces(STANDARD, pieces(MIDDLE), LIGHT, (-1, 1), (9, 8))
    assert explain_invalid_start(broken) == Message("position.wrong_count.light_spawn", text="-1")
    broken = Position.from_pieces(STANDARD, pieces(MIDDLE), LIGHT, (2, 1), (7, 8))
    assert explain_invalid_start(broken) == Message(
        "position.wrong_sum",
        side="light",
        board=5,
        spawn=2,
        scored=7,
        total=14,
        variant="standard",
        right_total=13,
    )
    over = Position.from_notation("..../..../..../.... l 13 3 0 10")
    assert explain_invalid_start(over) == won(0, 10)
