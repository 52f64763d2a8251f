"""Built-in puzzles and the daily puzzle: many puzzles of every kind and grade, all different, each with one right action."""

from collections import Counter
from datetime import date, timedelta
from itertools import product
from statistics import mean

import pytest

from pond_hw.engine import packed
from pond_hw.engine.packed import WIN_VALUE, ExactSolver, pack_action, pack_position, packed_rules
from pond_hw.puzzles.daily_puzzle import daily_puzzle
from pond_hw.puzzles.puzzle import GRADES, PuzzleKind, choose_puzzles, find_puzzle, load_puzzles
from pond_hw.rules import Action, PondError, find_outcome, legal_actions, parse_variant, play
from tests.conftest import long_after_first, skip_outside_ci
from tests.puzzles.rules_proof import RulesProof, explain_flaw
from tests.puzzles.test_solving import find_right_actions
from tools.puzzle_choice import find_refutations

DAY = date(2026, 11, 27)

QUICK = [puzzle for puzzle in load_puzzles() if puzzle.actions <= 2 or puzzle.variant.size == 3]
"""Puzzles that the rules alone can prove quickly."""


def parametrize_puzzles(default):
    """Parametrize a test with these puzzles. All other puzzles are long tests."""
    puzzles = [*default, *(puzzle for puzzle in load_puzzles() if puzzle not in default)]
    return pytest.mark.parametrize("puzzle", long_after_first(puzzles, len(default)), ids=lambda each: str(each.number))


def canonical_form(puzzle):
    """Return a key that is the same for positions that differ only by a rotation, a reflection or swapped sides."""
    position = puzzle.position
    board, side, *counts = position.notation_line.split()
    if side == "d":
        board, counts = board.swapcase(), [counts[1], counts[0], counts[3], counts[2]]
    rows, images = [list(row) for row in board.split("/")], []
    for _ in range(4):
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]
        images += [rows, [row[::-1] for row in rows]]
    return (position.variant, min(images), counts)


def test_every_grade_and_kind_has_many_puzzles():
    puzzles = load_puzzles()
    assert len(puzzles) >= 300
    assert min(Counter(puzzle.grade for puzzle in puzzles).values()) >= 30
    assert {puzzle.grade for puzzle in puzzles} == set(GRADES)
    kinds = Counter(puzzle.kind for puzzle in puzzles)
    assert set(kinds) == set(PuzzleKind)
    assert min(kinds.values()) >= 25
    assert {puzzle.actions for puzzle in puzzles if puzzle.kind is PuzzleKind.WIN} == {1, 2, 3, 4, 5}
    ponds = Counter(puzzle.variant.name for puzzle in puzzles)
    assert ponds["standard"] >= 60
    assert ponds["mini"] >= 60
    assert {3, 4, 5} == {puzzle.variant.size for puzzle in puzzles}


def test_puzzle_numbers_follow_grades():
    puzzles = load_puzzles()
    assert [puzzle.number for puzzle in puzzles] == list(range(1, len(puzzles) + 1))
    assert [puzzle.grade for puzzle in puzzles] == sorted(puzzle.grade for puzzle in puzzles)
    assert find_puzzle(7) is puzzles[6]
    for number in (0, len(puzzles) + 1):
        with pytest.raises(PondError):
            find_puzzle(number)


def test_no_two_puzzles_are_equivalent():
    counts = Counter(repr(canonical_form(puzzle)) for puzzle in load_puzzles())
    assert max(counts.values()) == 1


def test_puzzles_allow_several_actions():
    assert min(len(legal_actions(puzzle.position)) for puzzle in load_puzzles()) >= 5


@parametrize_puzzles(default=QUICK[::10])
def test_rules_confirm_exactly_one_right_action(puzzle):
    assert explain_flaw(puzzle) == ""


def explain_wrong_refutation(puzzle):
    """Return the fault in a puzzle's refutations according to the rules alone, or an empty text."""
    proof = RulesProof()
    for pair in puzzle.refutations.split():
        wrong, answer = map(Action.from_notation, pair.split(":"))
        after = play(play(puzzle.position, wrong).after, answer).after
        if puzzle.kind is PuzzleKind.WIN:
            outcome = find_outcome(after)
            shows = outcome.winner is not puzzle.side if outcome else not proof.can_win(after, puzzle.actions - 1)
        else:
            shows = proof.must_lose(after, (puzzle.against or puzzle.actions) - 1)
        if wrong == puzzle.answer or not shows:
            return f"{answer} does not answer {wrong}"
    return ""


@parametrize_puzzles(default=QUICK[3::20])
def test_rules_confirm_refutations(puzzle):
    assert explain_wrong_refutation(puzzle) == ""


def test_every_possible_refutation_is_given():
    for puzzle in load_puzzles():
        refuted = {Action.from_notation(pair.split(":")[0]) for pair in puzzle.refutations.split()}
        others = set(legal_actions(puzzle.position)) - refuted - {puzzle.answer}
        if puzzle.kind is PuzzleKind.SCORE or (puzzle.kind, puzzle.actions) == (PuzzleKind.WIN, 1):
            assert not refuted
        else:
            assert all(find_outcome(play(puzzle.position, action).after) for action in others), puzzle.number


@pytest.mark.slow
def test_prover_agrees_with_every_puzzle():
    puzzles = load_puzzles() if packed.is_compiled() else load_puzzles()[5::12]
    assert [puzzle.number for puzzle in puzzles if find_right_actions(puzzle) != (puzzle.answer,)] == []
    assert [puzzle.number for puzzle in puzzles if find_refutations(puzzle) != puzzle.refutations] == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["3x3/5/3", "3x3/6/3"])
def test_exact_solver_agrees_with_three_row_puzzles(name):
    if not packed.is_compiled():
        skip_outside_ci("needs the compiled kernel: make fast")
    variant = parse_variant(name)
    solver = ExactSolver(packed_rules(variant), variant.spawn)
    while solver.explore_layer():
        pass
    while solver.solve_layer():
        pass
    puzzles = [puzzle for puzzle in load_puzzles() if puzzle.variant == variant]
    assert len(puzzles) >= 10
    for puzzle in puzzles:
        position = pack_position(puzzle.position)
        values = dict(zip(solver.rules.legal_actions(position), solver.action_values(position), strict=True))
        answer = pack_action(puzzle.answer, variant)
        others = [value for action, value in values.items() if action != answer]
        if puzzle.kind in (
            PuzzleKind.WIN,
            PuzzleKind.ONLY,
        ):  # the last action may be of the other side, if all its actions lose
            assert WIN_VALUE - values[answer] in (2 * puzzle.actions - 1, 2 * puzzle.actions - 2), puzzle
            assert max(others) < WIN_VALUE - (2 * puzzle.actions - 1), puzzle
        if puzzle.kind is PuzzleKind.ONLY:
            assert max(others) <= 2 * puzzle.against - WIN_VALUE, puzzle
        if puzzle.kind is PuzzleKind.SAVE:
            assert values[answer] > 2 * puzzle.actions - WIN_VALUE, puzzle
            assert max(others) <= 2 * puzzle.actions - WIN_VALUE, puzzle


def test_higher_grades_need_higher_levels():
    puzzles = load_puzzles()
    levels = [mean(puzzle.solving_level for puzzle in puzzles if puzzle.grade == grade) for grade in GRADES]
    assert levels == sorted(levels)
    assert levels[0] <= 3
    assert levels[-1] >= 6


def test_daily_puzzle_fits_every_board():
    assert daily_puzzle(DAY) == daily_puzzle(DAY)
    year = [daily_puzzle(DAY + timedelta(days=number)) for number in range(200)]
    assert len(set(year)) == len(year)
    assert max(puzzle.variant.size for puzzle in year) == 4
    week = {puzzle.grade for puzzle in year[:10]}
    assert len(week) >= 3


def test_puzzles_are_chosen_by_kind_grade_and_size():
    for kind, grade in product(PuzzleKind, GRADES):
        try:
            chosen = choose_puzzles(kind, grade, 4)
        except PondError:
            continue
        assert {(puzzle.kind, puzzle.grade) for puzzle in chosen} == {(kind, grade)}
        assert max(puzzle.variant.size for puzzle in chosen) <= 4
    assert len(choose_puzzles()) == len(load_puzzles())
    with pytest.raises(PondError):
        choose_puzzles(PuzzleKind.SCORE, 5)
