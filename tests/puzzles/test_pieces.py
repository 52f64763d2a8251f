"""A puzzle on a board with pieces: the lamps ask for its position, a hand solves it."""

from dataclasses import replace

from pond_hw.puzzles.collection import choose_puzzles
from pond_hw.puzzles.exercises import PUZZLES_COURSE, make_exercise
from pond_hw.puzzles.puzzle import PuzzleKind
from pond_hw.rules import STANDARD, Position, legal_actions
from pond_hw.session import CellRole
from pond_hw.session import session_events as events
from pond_hw.session.exercise import Course
from pond_hw.session.exercise_run import PAUSE_SECONDS
from tests.messages.says import ids
from tests.session.wooden import Wooden


def test_the_lamps_ask_for_the_position_and_a_hand_finds_the_answer():
    puzzle = next(puzzle for puzzle in choose_puzzles(PuzzleKind.SAVE, size=4) if puzzle.answer.source is None)
    session = Wooden.at(Position.start(STANDARD)).session
    puzzles = (make_exercise(puzzle),)
    session = replace(session, courses=(Course(PUZZLES_COURSE, lambda: puzzles),))
    table = Wooden(session, 1.0).after(events.StartExercise(PUZZLES_COURSE, 1.0)).wait(1)
    assert table.phase == "differs"
    for _ in puzzle.position.pieces:
        (cell,) = table.shown(CellRole.PUT)
        table.drop(cell).wait(1)
    assert table.session.position == puzzle.position
    assert table.messages == (puzzle.task,)
    wrong = next(
        action for action in legal_actions(puzzle.position) if action.source is None and action != puzzle.answer
    )
    table.drop(wrong.target).wait(1)
    assert table.shown(CellRole.TAKE_OFF) == [wrong.target]
    table.lift(wrong.target).wait(1)
    assert table.messages[-1] == puzzle.task
    table.drop(puzzle.answer.target).wait(PAUSE_SECONDS + 1)
    assert "puzzle.done" in ids(table.messages)
    assert table.session.courses[0].done_names == {str(puzzle.number)}
