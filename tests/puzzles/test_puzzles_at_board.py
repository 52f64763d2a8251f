"""Puzzles that are chosen and solved at the board alone, with buttons, or with pieces and lamps."""

import json

import pytest

from pond_hw.companion.saved_state import SIMULATED_DAY
from pond_hw.puzzles.course import make_course
from pond_hw.puzzles.daily_puzzle import daily_puzzle
from pond_hw.puzzles.puzzle import PuzzleKind, choose_puzzles
from pond_hw.rules import legal_actions
from tests.server.headless_client import HeadlessClient

PAUSE = 3.0


class PuzzleSolver(HeadlessClient):
    """Player at a board with buttons. It uses only `touch`, `press`, `release` and `wait`."""

    def __init__(self, folder=None, pond="standard"):
        super().__init__(pond, lamps_per_cell=4, folder=folder)
        self.last_state = {}

    def line(self, **fields):
        for answer in self.request(fields):
            assert answer["type"] != "error", answer
            if answer["type"] == "state":
                self.last_state = answer
        return self.last_state

    def touch(self, *cells):
        for cell in cells:
            self.line(touch=cell)
        return self.line(ask="state")

    def wait(self, seconds):
        self.line(wait=seconds)
        return self.line(ask="state")

    def open_menu(self):
        """Open the menu by holding a button whose action is refused."""
        self.line(touch="a1")
        self.line(press="a1")
        self.wait(7)
        self.line(release="a1")
        return self.line(ask="state")

    def act(self, action):
        self.touch(*[cell for cell in action if cell])
        return self.line(ask="state")

    def lamps(self):
        (frame,) = self.request({"ask": "frame"})
        return frame


def message_ids(state):
    return [message["id"] for message in state["said"]]


@pytest.mark.slow
def test_daily_puzzle_is_solved(tmp_path):
    solver, puzzle = PuzzleSolver(tmp_path), daily_puzzle(SIMULATED_DAY)
    assert solver.open_menu()["menu"]["b4"]["name"] == "puzzles"
    state = solver.touch("b4")
    assert len(state["menu"]) == 15
    assert state["menu"]["d1"] == {"kind": "exercise", "name": str(puzzle.number), "usual": False}
    state = solver.touch("d1")
    assert state["position"] == puzzle.position.notation_line
    assert message_ids(state)[-1] == f"puzzle.task.{puzzle.kind}"
    dark, lit = PuzzleSolver().lamps(), solver.lamps()
    assert dark != lit
    solve(solver, puzzle)
    assert "puzzle.done" in message_ids(solver.last_state)
    solver.touch("c1")
    assert solver.last_state["position"].endswith("d 12 13 0 0")
    kept = json.loads((tmp_path / "exercises.json").read_text())
    assert kept["done"]["puzzles"] == [str(puzzle.number)]
    assert PuzzleSolver(tmp_path).open_menu()["menu"]


def solve(solver, puzzle):
    """Play the answer, and then any action that still wins."""
    solver.act(puzzle.answer)
    solver.wait(PAUSE)
    for _ in range(puzzle.actions - 1 if puzzle.kind is PuzzleKind.WIN else 0):
        solved = [action for action in solver.last_state["legal"] if wins(solver, action)]
        solver.act(
            (None if solved[0][0] == "@" else solved[0][:2], solved[0][2:] if solved[0][0] != "@" else solved[0][1:])
        )
        solver.wait(PAUSE)
    return solver.last_state


def wins(solver, action):
    from pond_hw.engine.packed import pack_action, pack_position
    from pond_hw.engine.prover import Prover
    from pond_hw.rules import Action

    session = solver.game.companion.session
    position, prover = session.position, Prover(session.variant)
    left = session.exercise.step.turn_limit
    after = prover.rules.play_action(
        pack_position(position), pack_action(Action.from_notation(action), position.variant)
    )
    return prover.must_lose(after, left - 1)


@pytest.mark.parametrize("kind", list(PuzzleKind))
def test_puzzle_of_each_kind_is_solved(kind):
    course = make_course(4, SIMULATED_DAY)
    names = [exercise.name for exercise in course.exercises]
    puzzle = next(
        puzzle for puzzle in choose_puzzles(kind, size=4) if kind is not PuzzleKind.WIN or puzzle.actions == 2
    )
    solver = PuzzleSolver()
    solver.line(command="exercise", course="puzzles", name=names[names.index(str(puzzle.number))])
    wrong = next(action for action in legal_actions(puzzle.position) if action != puzzle.answer)
    state = solver.act(wrong)
    solver.wait(2 * PAUSE)
    assert f"puzzle.mistake.{kind}" in message_ids(state)
    assert solver.last_state["position"] == puzzle.position.notation_line
    assert "puzzle.done" in message_ids(solve(solver, puzzle))


def test_other_side_replies_by_itself():
    puzzle = next(each for each in choose_puzzles(PuzzleKind.WIN, size=4) if each.actions == 3)
    solver = PuzzleSolver()
    solver.line(command="exercise", course="puzzles", name=str(puzzle.number))
    solver.act(puzzle.answer)
    state = solver.wait(PAUSE)
    assert state["to_move"] == str(puzzle.side)
    assert state["exercise"]["step"] == 2
    assert message_ids(state)[-1] == "puzzle.rest"


@pytest.mark.slow
def test_free_cell_returns_to_game():
    solver = PuzzleSolver()
    solver.open_menu()
    solver.touch("b4")
    solver.touch("d4")
    assert solver.last_state["phase"] == "act"
    assert "menu" not in solver.last_state


def test_daily_puzzle_can_be_requested_by_name():
    solver = PuzzleSolver()
    solver.line(command="exercise", course="puzzles", name="daily")
    assert solver.line(ask="state")["position"] == daily_puzzle(SIMULATED_DAY).position.notation_line


@pytest.mark.slow
def test_large_board_includes_five_row_puzzles():
    solver = PuzzleSolver(pond="big")
    assert solver.open_menu()["menu"]["b5"]["name"] == "puzzles"
    assert len(solver.touch("b5")["menu"]) == 24
