"""Puzzles in the terminal."""

import pytest

from pond_hw.companion.saved_state import SIMULATED_DAY
from pond_hw.messages.message import Message
from pond_hw.puzzles.daily_puzzle import daily_puzzle
from pond_hw.puzzles.puzzle import PuzzleKind, choose_puzzles
from pond_hw.rules import Action
from pond_hw.session import TakeAction
from pond_hw.tui.dialogs import CourseDialog, ExerciseDialog
from tests.messages.says import text
from tests.tui.terminal_table import run_terminal

DAILY = daily_puzzle(SIMULATED_DAY)


@pytest.mark.slow
def test_key_opens_daily_puzzle():
    async def story(table):
        await table.press("z")
        assert isinstance(table.app.screen, CourseDialog)
        await table.press("down", "down", "down", "enter")  # easy puzzles come first
        assert table.session.position == DAILY.position
        assert text(DAILY.task) in table.status_text
        await table.press("escape")
        assert isinstance(table.app.screen, ExerciseDialog)

    run_terminal(story)


@pytest.mark.slow
def test_terminal_shows_refutation_then_puzzle():
    puzzle = choose_puzzles(PuzzleKind.SAVE, size=4)[0]
    wrong, answer = map(Action.from_notation, puzzle.refutations.split()[0].split(":"))

    async def story(table):
        await table.settle()
        table.app.game_table.put(TakeAction(wrong, table.clock.now()))
        await table.wait(1)
        assert text(Message("puzzle.mistake.save")) in table.status_text
        assert text(puzzle.task) not in table.status_text
        await table.wait(2)
        assert [turn.action for turn in table.session.turns] == [wrong, answer]
        assert text(Message("puzzle.answers", action=str(answer))) in table.status_text
        await table.wait(3)
        assert table.session.position == puzzle.position
        assert text(puzzle.task) in table.status_text
        assert text(Message("puzzle.answers", action=str(answer))) in table.status_text, "still there, for slow readers"

    run_terminal(story, puzzle.variant.name, puzzle=str(puzzle.number))


@pytest.mark.slow
def test_terminal_starts_with_puzzle():
    puzzle = next(each for each in choose_puzzles(PuzzleKind.WIN) if each.variant.size == 4 and each.actions == 2)

    async def story(table):
        await table.settle()
        assert table.session.position == puzzle.position
        table.app.game_table.put(TakeAction(puzzle.answer, table.clock.now()))
        for _ in range(8):
            await table.wait(1)
        assert table.session.position.to_move is puzzle.side
        assert len(table.session.turns) == 2
        assert text(Message("puzzle.rest", count=1)) in table.status_text

    run_terminal(story, puzzle.variant.name, puzzle=str(puzzle.number))
