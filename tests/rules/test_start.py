"""Somebody sets a position up by hand, and a game begins there; or a sentence says what is wrong with it."""

import pytest

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


def refused(drawing, to_move=LIGHT, scored=(0, 0), pond="standard", **more):
    """The sentence with which this is refused as a start; `more` are pieces on cells besides those drawn."""
    here = pieces(drawing) | {cell: PIECES[letter] for cell, letter in more.items()}
    with pytest.raises(PondError) as caught:
        set_up_position(parse_variant(pond), here, to_move, scored)
    return str(caught.value)


def test_what_is_neither_on_the_board_nor_scored_waits_in_the_spawn():
    position = set_up_position(STANDARD, pieces(MIDDLE), DARK, (7, 8))
    assert position.notation_line == ".tt./..FE/ft.T/T..T d 1 1 7 8"
    assert play(position, legal_actions(position)[0]).side is DARK


def test_the_empty_pond_is_the_ordinary_start():
    assert set_up_position(STANDARD, {}, LIGHT, (0, 0)) == Position.start(STANDARD)


def test_every_piece_may_be_out_of_the_spawn():
    assert set_up_position(parse_variant("3x3/3/3"), pieces("2 E e .\n1 t F T"), LIGHT, (0, 1)).spawn == (0, 0)


def test_a_set_left_standing():
    assert refused(MIDDLE, d2="t", c2="T") == (
        "A set of tadpoles is left standing on b2, c2, d2; it would have been scored."
    )
    assert refused("3 f . . .\n2 F . . .\n1 f . . .") == (
        "A set of frogs is left standing on a1, a2, a3; it would have been scored."
    )


def test_a_score_that_has_ended_the_game_already():
    over = "The game would be over before it begins: "
    assert refused("1 E . . e", scored=(10, 3)) == (
        f"{over}light has scored 10, and the standard pond is played to 10."
    )
    assert refused("1 E . . e", scored=(3, 8), pond="mini") == (
        f"{over}dark has scored 8, and the mini pond is played to 7."
    )
    assert refused("1 E . . e", scored=(10, 10)) == (
        f"{over}light has scored 10 and dark has scored 10, and the standard pond is played to 10."
    )
    assert set_up_position(STANDARD, pieces("1 E . . e"), LIGHT, (9, 9)).spawn == (3, 3)


def test_a_side_to_move_that_cannot():
    sentence = "The game would be over before it begins: {} is to move and has no legal action."
    assert refused(FULL, LIGHT) == sentence.format("light")
    assert refused(FULL, DARK) == sentence.format("dark")
    # Light has nothing but an egg on the board and none to place; dark has one to place.
    only_eggs = pieces("2 . E .\n1 . . e")
    assert refused("2 . E .\n1 . . e", LIGHT, scored=(1, 0), pond="3x3/2/2") == sentence.format("light")
    assert set_up_position(parse_variant("3x3/2/2"), only_eggs, DARK, (1, 0)).spawn == (0, 1)


def test_a_position_that_came_from_elsewhere():
    assert explain_invalid_start(Position.from_notation(".tt./..FE/ft.T/T..T d 1 1 7 8")) is None
    assert explain_invalid_start(Position.start(STANDARD)) is None
    broken = Position.from_pieces(STANDARD, pieces(MIDDLE), LIGHT, (-1, 1), (9, 8))
    assert explain_invalid_start(broken) == "Light's spawn must be a whole number from 0 to 25, not '-1'."
    broken = Position.from_pieces(STANDARD, pieces(MIDDLE), LIGHT, (2, 1), (7, 8))
    assert explain_invalid_start(broken) == (
        "Light has 5 on the board, 2 in the spawn and 7 scored: 14 pieces, but each side has 13 in the standard pond."
    )
    over = Position.from_notation("..../..../..../.... l 13 3 0 10")
    assert explain_invalid_start(over) == (
        "The game would be over before it begins: dark has scored 10, and the standard pond is played to 10."
    )
