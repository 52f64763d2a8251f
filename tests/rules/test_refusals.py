"""Every way to be refused, with the sentence that a person then reads."""

import pytest

from pond_hw.rules import (
    DARK,
    Action,
    IllegalAction,
    Position,
    explain_illegal_action,
    legal_actions,
    parse_variant,
    play,
)
from tests.conftest import each
from tests.rules.positions import board

POSITION = board("""
    4 . . . t
    3 . F . .
    2 e . . E
    1 T . F e
      a b c d
""")


def told(position, text):
    """What the rules say to this action. `play` says the same, or nothing."""
    action = Action.from_notation(text)
    why = explain_illegal_action(position, action)
    if why is None:
        assert action in legal_actions(position)
        play(position, action)
    else:
        assert action not in legal_actions(position)
        with pytest.raises(IllegalAction) as refused:
            play(position, action)
        assert str(refused.value) == why
    return why


@each(
    ("text", "why"),
    [
        ("@d2", "d2 is not empty."),  # her own egg is there
        ("@a2", "a2 is not empty."),  # his egg is there
        ("b2b3", "There is no piece on b2."),
        ("d4c4", "It is light's turn."),  # a dark tadpole
        ("a2a3", "It is light's turn."),  # a dark egg
        ("d2d3", "Eggs do not move once they are on the board."),
        ("d2d2", "Eggs do not move once they are on the board."),
        ("a1a1", "The tadpole on a1 must go to another cell."),
        ("c1c1", "The frog on c1 must go to another cell."),
        ("a1c1", "A tadpole moves one step, up, down, left or right."),
        ("a1a3", "A tadpole moves one step, up, down, left or right."),
        ("a1b2", "A tadpole moves one step, up, down, left or right."),
        ("a1a2", "a2 is not empty."),
        ("c1b2", "A frog moves one or two steps in a straight line."),
        ("b3d4", "A frog moves one or two steps in a straight line."),
        ("c1c4", "A frog moves one or two steps in a straight line."),
        ("c1d1", "d1 is not empty."),
        ("c1a1", "a1 is not empty."),  # two steps away, but taken
        ("@b2", None),
        ("a1b1", None),
        ("c1b1", None),
        ("b3d3", None),
        ("b3b1", None),
    ],
)
def test_what_light_is_told(text, why):
    assert told(POSITION, text) == why


@each(
    ("text", "why"),
    [
        ("a1b1", "It is dark's turn."),
        ("a2a3", "Eggs do not move once they are on the board."),
        ("d4c4", None),
    ],
)
def test_what_dark_is_told(text, why):
    assert told(POSITION._replace(to_move=DARK), text) == why


@each(
    ("text", "cell"),
    [("@e1", "e1"), ("@a5", "a5"), ("e1d1", "e1"), ("a1e1", "e1"), ("a5a4", "a5"), ("b3b5", "b5")],
)
def test_a_cell_off_the_board(text, cell):
    assert told(POSITION, text) == f"{cell} is not a cell of this 4x4 pond."


@each("cell", ["", "a", "a0", "1a", "A1", "a11", "f1", "@"])
def test_a_cell_that_is_none_anywhere(cell):
    assert explain_illegal_action(POSITION, Action(None, cell)) == f"{cell} is not a cell of this 4x4 pond."
    assert explain_illegal_action(POSITION, Action(cell, "b2")) == f"{cell} is not a cell of this 4x4 pond."


def test_the_large_pond_has_the_cells_that_the_small_one_lacks():
    assert told(Position.start(parse_variant("big")), "@e5") is None
    assert told(Position.start(parse_variant("3x3/9/5")), "@d1") == "d1 is not a cell of this 3x3 pond."


def test_an_empty_spawn():
    position = board(
        """
        4 . . . e
        3 . . . .
        2 T . . E
        1 E . T .
          a b c d
        """,
        scored=(9, 3),
    )
    assert told(position, "@b2") == "Light has no eggs left to place."
    assert told(position, "@a1") == "Light has no eggs left to place."
    assert told(position, "a2a3") is None
    assert told(position._replace(to_move=DARK), "@b2") is None


def test_a_game_that_is_over_by_its_score():
    over = board(
        """
        4 . . . .
        3 . T . .
        2 . . . .
        1 . . . t
          a b c d
        """,
        scored=(10, 8),
    )
    for text in ("@a1", "b3b2", "d1c1", "c1c2"):
        assert told(over, text) == "The game is over."


def test_a_game_that_is_over_by_elimination():
    over = board(
        """
        4 F F t E
        3 T T e e
        2 E F t f
        1 t T e F
          a b c d
        """
    )
    for text in ("@a1", "a4b4", "a1a2"):
        assert told(over, text) == "The game is over."


def test_a_refused_action_changes_nothing():
    before = POSITION.notation_line
    with pytest.raises(IllegalAction):
        play(POSITION, Action.from_notation("d2d3"))
    assert POSITION.notation_line == before
