"""Illegal actions and their messages."""

import pytest

from pond_hw.messages.message import Message
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


def explain(position, text):
    """Return the reason why an action is illegal, or None. Check that `play` agrees."""
    action = Action.from_notation(text)
    why = explain_illegal_action(position, action)
    if why is None:
        assert action in legal_actions(position)
        play(position, action)
    else:
        assert action not in legal_actions(position)
        with pytest.raises(IllegalAction) as refused:
            play(position, action)
        assert refused.value.message == why
    return why


@each(
    ("text", "why"),
    [
        ("@d2", Message("illegal.not_empty", cell="d2")),  # light's own egg
        ("@a2", Message("illegal.not_empty", cell="a2")),  # dark's egg
        ("b2b3", Message("illegal.no_piece", cell="b2")),
        ("d4c4", Message("illegal.other_owner", cell="d4", owner="dark", side="light")),  # a dark tadpole
        ("a2a3", Message("illegal.other_owner", cell="a2", owner="dark", side="light")),  # a dark egg
        ("d2d3", Message("illegal.egg_cannot_move")),
        ("d2d2", Message("illegal.egg_cannot_move")),
        ("a1a1", Message("illegal.same_cell.tadpole", cell="a1")),
        ("c1c1", Message("illegal.same_cell.frog", cell="c1")),
        ("a1c1", Message("illegal.tadpole_reach")),
        ("a1a3", Message("illegal.tadpole_reach")),
        ("a1b2", Message("illegal.tadpole_reach")),
        ("a1a2", Message("illegal.not_empty", cell="a2")),
        ("c1b2", Message("illegal.frog_reach")),
        ("b3d4", Message("illegal.frog_reach")),
        ("c1c4", Message("illegal.frog_reach")),
        ("c1d1", Message("illegal.not_empty", cell="d1")),
        ("c1a1", Message("illegal.not_empty", cell="a1")),  # two steps away, but taken
        ("@b2", None),
        ("a1b1", None),
        ("c1b1", None),
        ("b3d3", None),
        ("b3b1", None),
    ],
)
def test_illegal_actions_of_light_are_explained(text, why):
    assert explain(POSITION, text) == why


@each(
    ("text", "why"),
    [
        ("a1b1", Message("illegal.other_owner", cell="a1", owner="light", side="dark")),
        ("a2a3", Message("illegal.egg_cannot_move")),
        ("d4c4", None),
    ],
)
def test_illegal_actions_of_dark_are_explained(text, why):
    assert explain(POSITION._replace(to_move=DARK), text) == why


@each(
    ("text", "cell"),
    [("@e1", "e1"), ("@a5", "a5"), ("e1d1", "e1"), ("a1e1", "e1"), ("a5a4", "a5"), ("b3b5", "b5")],
)
def test_cell_off_the_board_is_explained(text, cell):
    assert explain(POSITION, text) == Message("illegal.no_such_cell", cell=cell, size=4)


@each("cell", ["", "a", "a0", "1a", "A1", "a11", "f1", "@"])
def test_unknown_cell_is_explained(cell):
    assert explain_illegal_action(POSITION, Action(None, cell)) == Message("illegal.no_such_cell", cell=cell, size=4)
    assert explain_illegal_action(POSITION, Action(cell, "b2")) == Message("illegal.no_such_cell", cell=cell, size=4)


def test_large_pond_has_additional_cells():
    assert explain(Position.start(parse_variant("big")), "@e5") is None
    assert explain(Position.start(parse_variant("3x3/9/5")), "@d1") == Message(
        "illegal.no_such_cell", cell="d1", size=3
    )


def test_placing_from_an_empty_spawn_is_explained():
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
    assert explain(position, "@b2") == Message("illegal.no_eggs_left", side="light")
    assert explain(position, "@a1") == Message("illegal.no_eggs_left", side="light")
    assert explain(position, "a2a3") is None
    assert explain(position._replace(to_move=DARK), "@b2") is None


def test_no_action_is_legal_after_end_by_score():
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
        assert explain(over, text) == Message("illegal.game_over")


def test_no_action_is_legal_after_elimination():
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
        assert explain(over, text) == Message("illegal.game_over")


def test_illegal_action_changes_nothing():
    before = POSITION.notation_line
    with pytest.raises(IllegalAction):
        play(POSITION, Action.from_notation("d2d3"))
    assert POSITION.notation_line == before
