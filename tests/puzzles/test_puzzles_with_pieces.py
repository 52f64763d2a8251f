"""Puzzles on a board with pieces."""

from dataclasses import replace
from random import Random

import pytest

from pond_hw.puzzles.course import PUZZLES_COURSE, make_exercise
from pond_hw.puzzles.puzzle import PuzzleKind, choose_puzzles
from pond_hw.rules import STANDARD, Action, Position, Side, legal_actions
from pond_hw.session import CellRole, Course
from pond_hw.session import session_events as events
from pond_hw.session.game.exercise_run import PAUSE_SECONDS
from pond_hw.session.pieces.sensors import NO_DIFFERENCE
from tests.conftest import long_after_first
from tests.exercises.table import LessonTable
from tests.messages.says import ids
from tests.session.tables import PiecesTable


def test_puzzle_is_set_up_and_solved_with_pieces():
    puzzle = next(puzzle for puzzle in choose_puzzles(PuzzleKind.SAVE, size=4) if puzzle.answer.source is None)
    session = PiecesTable.at(Position.start(STANDARD)).session
    puzzles = (make_exercise(puzzle),)
    session = replace(session, courses=(Course(PUZZLES_COURSE, lambda: puzzles),))
    table = PiecesTable(session, 1.0).after(events.StartExercise(PUZZLES_COURSE, 1.0)).wait(1)
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
    assert [turn.action for turn in table.session.turns] == [wrong]
    assert not table.shown(CellRole.TAKE_OFF, CellRole.PUT, CellRole.FLIP), "nothing is to be done yet"
    table.wait(PAUSE_SECONDS)
    assert [turn.action for turn in table.session.turns] == [
        wrong,
        make_exercise(puzzle).steps[0].find_refutation(wrong),
    ]
    assert not table.shown(CellRole.TAKE_OFF, CellRole.PUT, CellRole.FLIP), "it is only shown"
    assert table.session.view.occupancy.difference == NO_DIFFERENCE
    table.after(events.BoardIsRight(table.time))
    assert ids(table.messages) == ["exercise.wait"]
    table.wait(PAUSE_SECONDS)
    assert table.shown(CellRole.TAKE_OFF) == [wrong.target]
    assert ids(table.messages)[:2] == ["puzzle.mistake.save", "puzzle.answers"]
    table.lift(wrong.target).wait(1)
    assert table.messages[-1] == puzzle.task
    table.drop(puzzle.answer.target).wait(PAUSE_SECONDS + 1)
    assert "puzzle.done" in ids(table.messages)
    assert table.session.courses[0].done_names == {str(puzzle.number)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PuzzleKind.WIN, PuzzleKind.SAVE, PuzzleKind.ONLY])
@pytest.mark.parametrize("seed", long_after_first(range(12), 2))
def test_puzzle_can_be_solved_after_random_hands(kind, seed):
    random = Random(f"{kind} {seed}")
    puzzle = random.choice([each for each in choose_puzzles(kind, size=4) if each.refutations and each.actions < 3])
    table = LessonTable(pieces=True)
    table.companion.put(events.StartExercise(PUZZLES_COURSE, table.clock.now(), str(puzzle.number)))
    table.wait().follow_lamps()
    assert table.session.position == puzzle.position
    table.act(Action.from_notation(random.choice(puzzle.refutations.split()).split(":")[0]))
    assert table.session.is_refuting
    while table.session.is_refuting:
        cell = random.choice(puzzle.position.grid.cells)
        if cell in table.hands.occupied_cells:
            table.take(cell)
        else:
            table.hands.drop(cell, random.choice(list(Side)))
        table.wait(random.choice((0.1, 0.7, 1.5)))
    for _ in range(20):
        table.follow_lamps().wait(2 * PAUSE_SECONDS + 1)
        if table.lesson is None or table.session.game_phase == "exercise":
            break  # the random hands solved it, or cleared the board
        if table.hands.occupied_cells == table.session.position.pieces.keys():
            assert table.session.position == puzzle.position
            table.act(puzzle.answer).follow_lamps()
            break
    table.wait(3 * PAUSE_SECONDS)
    assert table.session.game_phase == "exercise" or table.run.step_index == 1
