"""Puzzles in the terminal: a key, a list, the lit board, and the other side that answers."""

from pond_hw.companion.lessons import SIMULATED_DAY
from pond_hw.messages.message import Message
from pond_hw.puzzles.collection import choose_puzzles, daily_puzzle
from pond_hw.puzzles.puzzle import PuzzleKind
from pond_hw.session import TakeAction
from pond_hw.tui.dialogs import CourseDialog, ExerciseDialog
from tests.messages.says import text
from tests.tui.tui_table import at

DAILY = daily_puzzle(SIMULATED_DAY)


def test_ada_presses_z_and_takes_the_puzzle_of_the_day():
    async def story(table):
        await table.press("z")
        assert isinstance(table.app.screen, CourseDialog)
        await table.press("enter")
        assert table.session.position == DAILY.position
        assert text(DAILY.task) in table.words
        await table.press("escape")
        assert isinstance(table.app.screen, ExerciseDialog)

    at(story)


def test_the_terminal_can_begin_with_a_puzzle_and_the_other_side_answers():
    puzzle = next(each for each in choose_puzzles(PuzzleKind.WIN) if each.variant.size == 4 and each.actions == 2)

    async def story(table):
        await table.settle()
        assert table.session.position == puzzle.position
        table.app.game_table.put(TakeAction(puzzle.answer, table.clock.now()))
        for _ in range(8):
            await table.wait(1)
        assert table.session.position.to_move is puzzle.side
        assert len(table.session.turns) == 2
        assert text(Message("puzzle.rest", count=1)) in table.words

    at(story, puzzle.variant.name, puzzle=str(puzzle.number))
