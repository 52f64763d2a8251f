"""Proofs of forced wins, compared with those by the rules and by the exact solver."""

from random import Random

import pytest

from pond_hw.engine.packed import pack_action, pack_position
from pond_hw.engine.prover import Prover
from pond_hw.puzzles.puzzle import Puzzle, PuzzleKind
from pond_hw.puzzles.solving import is_right, judge_action
from pond_hw.rules import Action, PondError, Position, find_outcome, legal_actions, parse_variant, play
from tests.puzzles.rules_proof import RulesProof, explain_flaw

WIN_IN_TWO = Puzzle(
    1,
    PuzzleKind.WIN,
    Position.from_notation("eT.e/..E./.e../.... l 3 3 5 4", parse_variant("mini")),
    Action.from_notation("@b3"),
    actions=2,
    against=0,
    grade=2,
)


def random_positions(variant, count, seed):
    """Return random positions near the ends of games."""
    rng = Random(seed)
    while count:
        position = Position.start(variant)
        played = [position]
        while not find_outcome(position):
            position = play(position, rng.choice(legal_actions(position))).after
            played.append(position)
        for position in played[-7:-1][:count]:
            yield position
            count -= 1


@pytest.mark.parametrize("name", ["3x3/6/3", "4x4/8/5", "mini", "5x5/9/6"])
def test_prover_agrees_with_rules(name):
    variant = parse_variant(name)
    prover, seen = Prover(variant), set()
    for position in random_positions(variant, 24, name):
        rules, packed = RulesProof(), pack_position(position)
        for actions in (1, 2):
            answer = prover.can_win(packed, actions)
            assert answer == rules.can_win(position, actions), position
            assert prover.must_lose(packed, actions - 1) == rules.must_lose(position, actions - 1), position
            seen.add((actions, answer))
    assert seen == {(1, True), (1, False), (2, True), (2, False)}


def test_longer_proof_is_independent_of_shorter_proof():
    position = pack_position(WIN_IN_TWO.position)
    prover = Prover(WIN_IN_TWO.variant)
    assert [prover.can_win(position, actions) for actions in (1, 2, 3, 2, 1)] == [False, True, True, True, False]


def test_proof_that_takes_too_long_is_refused():
    prover = Prover(parse_variant("standard"), max_nodes=100)
    with pytest.raises(PondError):
        prover.can_win(pack_position(Position.start(parse_variant("standard"))), 4)


def find_right_actions(puzzle):
    prover, position = Prover(puzzle.variant), pack_position(puzzle.position)
    return tuple(
        action
        for action in legal_actions(puzzle.position)
        if is_right(prover, puzzle.kind, position, pack_action(action, puzzle.variant), puzzle.actions)
    )


def test_puzzle_answer_is_the_only_right_action():
    assert find_right_actions(WIN_IN_TWO) == (WIN_IN_TWO.answer,)
    assert explain_flaw(WIN_IN_TWO) == ""


def test_rules_reveal_puzzle_fault():
    other = next(action for action in legal_actions(WIN_IN_TWO.position) if action != WIN_IN_TWO.answer)
    assert "right are @b3" in explain_flaw(WIN_IN_TWO._replace(answer=other))
    assert "right are none" in explain_flaw(WIN_IN_TWO._replace(actions=1))
    assert "fewer than 3" in explain_flaw(WIN_IN_TWO._replace(actions=3))
    assert explain_flaw(WIN_IN_TWO._replace(kind=PuzzleKind.SCORE)) != ""
    assert explain_flaw(WIN_IN_TWO._replace(kind=PuzzleKind.ONLY, against=1)) != ""
    assert explain_flaw(WIN_IN_TWO._replace(answer=Action.from_notation("a1a2"))) == "a1a2 is not legal"


def test_verdict_contains_reply():
    prover, position = Prover(WIN_IN_TWO.variant), WIN_IN_TWO.position
    right = judge_action(prover, WIN_IN_TWO, position, WIN_IN_TWO.answer, 2)
    assert right.is_right
    assert not right.is_solved
    after = play(play(position, WIN_IN_TWO.answer).after, right.reply).after
    wins = [action for action in legal_actions(after) if find_outcome(play(after, action).after)]
    last = judge_action(prover, WIN_IN_TWO, after, wins[0], 1)
    assert last == (True, True, None)
    for action in legal_actions(position):
        if action != WIN_IN_TWO.answer:
            wrong = judge_action(prover, WIN_IN_TWO, position, action, 2)
            assert not wrong.is_right
            after = play(play(position, action).after, wrong.reply).after
            assert not RulesProof().can_win(after, 1)


def test_stubborn_reply_is_longest_defence():
    rng = Random(5)
    variant = parse_variant("3x3/6/3")
    prover, tried = Prover(variant), 0
    for position in random_positions(variant, 60, "stubborn"):
        packed = pack_position(position)
        if prover.must_lose(packed, 2) and not prover.must_lose(packed, 1):
            reply = prover.stubborn_reply(packed, 2)
            assert not prover.can_win(prover.rules.play_action(packed, reply), 1)
            other = rng.choice(legal_actions(position))
            assert prover.can_win(prover.rules.play_action(packed, pack_action(other, variant)), 2)
            tried += 1
    assert tried
