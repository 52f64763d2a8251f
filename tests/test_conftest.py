"""Tests of the shared test helpers."""

import pytest

from pond_hw.rules import DARK, Action, Position, play
from tests import conftest
from tests.conftest import pytest_assertrepr_compare, require
from tests.rules.positions import board, random_game

START = Position.from_notation("..../..../..../.... l 13 13 0 0")


def test_different_positions_are_drawn_side_by_side():
    after = play(START, Action.from_notation("@b2")).after
    assert pytest_assertrepr_compare("==", START, after) == [
        "..../..../..../.... l 13 13 0 0 == ..../..../.E../.... d 12 13 0 0",
        "  a b c d                             a b c d",
        "4 . . . . 4                         4 . . . . 4",
        "3 . . . . 3                         3 . . . . 3",
        "2 . . . . 2                         2 . E . . 2",
        "1 . . . . 1                         1 . . . . 1",
        "  a b c d                             a b c d",
        "light to move                       dark to move",
        "light: 13 in the spawn, 0 scored    light: 12 in the spawn, 0 scored",
        "dark: 13 in the spawn, 0 scored     dark: 13 in the spawn, 0 scored",
    ]


def test_position_is_drawn_beside_other_values():
    assert "4 . . . . 4" in "\n".join(pytest_assertrepr_compare("==", START, None))
    assert "4 . . . . 4" in "\n".join(pytest_assertrepr_compare("==", "b2", START))
    assert pytest_assertrepr_compare("==", "b2", "b3") is None


def test_position_is_made_from_a_drawing():
    drawn = board(
        """
        4 . . . .
        3 . E . .
        2 . . f .
        1 . . . t
          a b c d
        """,
        to_move=DARK,
        scored=(3, 0),
    )
    assert drawn.notation_line == "..../.E../..f./...t d 9 11 3 0"


def test_random_game_is_reproducible():
    assert random_game(7) == random_game(7)
    assert random_game(7) != random_game(8)


def test_require_passes_if_installed():
    require("pytest", "these tests run in it")
    require("importlib.util", "a module within a module")


@pytest.mark.parametrize("name", ["no-such-tool", "no_such_package.module", "json.nothing"])
def test_missing_tool_skips_locally_and_fails_in_ci(name, monkeypatch):
    monkeypatch.setattr(conftest, "IN_CI", False)
    with pytest.raises(pytest.skip.Exception, match=f"needs {name}: to see"):
        require(name, "to see")
    monkeypatch.setattr(conftest, "IN_CI", True)
    with pytest.raises(pytest.fail.Exception, match=f"needs {name}: to see"):
        require(name, "to see")
