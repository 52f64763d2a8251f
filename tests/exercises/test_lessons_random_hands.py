"""Random hand movements in a lesson: it can still be completed or left, and the paused game stays the same."""

from math import inf
from random import Random

import pytest

from pond_hw.rules import Action
from pond_hw.session import CellRole
from tests.conftest import long_after_first
from tests.exercises.table import LessonTable, finish_lesson
from tests.exercises.test_lessons_at_board import BOARDS, NAMES

SEEDS = range(60)


def move_randomly(table, random, times=25):
    """Press random buttons, or lift and put down random pieces."""
    cells = table.session.board_grid.cells
    for _ in range(times):
        cell, seconds = random.choice(cells), random.choice((0.1, 0.3, 1.0, 2.5))
        if not table.pieces:
            if random.random() < 0.15:
                table.press_undo_key(0.2)
            else:
                table.press(cell, seconds)
        elif cell in table.hands.occupied_cells:
            table.hands.lift(cell)
            if random.random() < 0.5:
                table.hands.put_aside()
        else:
            table.hands.drop(cell)
        table.wait(seconds)
        if table.run is None or random.random() < 0.02:
            break


def leave(table):
    """Return to the game at the board. A board with fewer than two pieces can't be cleared, so continue from there."""
    for _ in range(12):
        if table.session.game_phase == "exercise":
            table.tap("c1")
            return table.follow_lamps()
        if not table.pieces:
            table.press_undo_key(2.5)
        elif len(table.follow_lamps().session.position.pieces) < 2 or table.session.exercise_due < inf:
            table.follow()
        else:
            table.clear()
    raise AssertionError(f"there is no way out of {table.run}")


@pytest.mark.slow
@BOARDS
@pytest.mark.parametrize("seed", long_after_first(SEEDS, 3))
def test_random_hands_neither_block_lesson_nor_change_game(pieces, seed):
    random, name = Random(seed), NAMES[seed % (len(NAMES) - 1)]
    table = LessonTable(pieces=pieces)
    for action in ("@b2", "@c3", "@a1"):
        table.act(Action.from_notation(action)).follow_lamps()
    before = table.session.turns
    table.begin(name)
    assert table.lesson == name
    move_randomly(table, random)
    if table.run:
        assert table.run.paused.turns == before
        if seed % 2:
            table.follow_lamps()
            if table.session.game_phase == "exercise":
                table.tap("b1")
            finish_lesson(table, table.lesson)
        leave(table)
    assert (table.session.turns, table.run) == (before, None)
    assert not table.shown(CellRole.HINT)
