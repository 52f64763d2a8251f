"""Stored tactics: by the rules, each action is right and unique, and level 12 finds it.

tactics.py describes how they were found and how their proofs are written.
"""

from random import Random

import pytest

from pond_hw.engine import packed
from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.engines import GreedyEngine
from pond_hw.engine.packed import pack_position, unpack_action
from pond_hw.engine.searcher import Searcher, SearchLimits
from pond_hw.rules import VARIANTS, Action, find_outcome, legal_actions, play
from tests.conftest import skip_outside_ci
from tests.engine import proof_times
from tests.engine.tactics import Prover, canonical_key, read, timed_choice, to_engine_game

TACTICS = read()


def named(tactic):
    return f"{tactic.variant} {tactic.position.split()[0]}"


# Checking a proof with `rules`


def after(position, action):
    """Return the position after an action in notation, which must be legal."""
    return play(position, Action.from_notation(action)).after


def has_won(side, position):
    ended = find_outcome(position)
    return ended is not None and ended.winner == side


def wins_at_once(side, position):
    """Return True if a side can win with one action."""
    return any(has_won(side, play(position, action).after) for action in legal_actions(position))


def find_answers(lists, actions):
    """Return the answer to each action. The lists must contain each of these actions exactly once, and no other actions."""
    found = {one: other for other, ones in lists.items() for one in ones.split()}
    assert sum(len(ones.split()) for ones in lists.values()) == len(found)
    assert set(found) == {str(action) for action in actions}, "an action is missing or illegal"
    return found


def check_win(side, position, win):
    """Check that the side to move can force a win as the proof describes."""
    if isinstance(win, str):
        assert has_won(side, after(position, win)), f"{win} does not win"
        return
    action, answers = win
    there = after(position, action)
    assert not find_outcome(there)
    for answer, reply in find_answers(answers, legal_actions(there)).items():
        last = after(there, answer)
        assert has_won(side, last if reply == "-" else after(last, reply)), f"{action} {answer} {reply} does not win"


def check_no_win(side, position, answer):
    """Check that after this reply a side has not won and cannot win at once, or that the game has ended."""
    if answer == "-":
        assert find_outcome(position)
        assert not has_won(side, position)
        return
    last = after(position, answer)
    assert not has_won(side, last)
    assert not wins_at_once(side, last), f"after {answer} there is a win"


def check(tactic):
    """Check that the best action is right and that no other action is."""
    position, side = tactic.start, tactic.start.to_move
    others = [action for action in legal_actions(position) if str(action) != tactic.best]
    assert len(others) == len(legal_actions(position)) - 1 >= 3
    if tactic.kind == "save":
        for action, win in tactic.proof.items():
            there = after(position, action)
            if win == "-":
                assert has_won(side.other_side, there)
            else:
                check_win(side.other_side, there, win)
        assert set(tactic.proof) == {str(action) for action in others}
        there = after(position, tactic.best)
        assert not has_won(side.other_side, there)
        for answer, reply in find_answers(tactic.only, legal_actions(there)).items():
            check_no_win(side.other_side, after(there, answer), reply)
        return
    check_win(side, position, tactic.proof)
    assert (tactic.proof if tactic.kind == "win in 1" else tactic.proof[0]) == tactic.best
    if tactic.kind == "win in 1":
        assert not any(has_won(side, play(position, action).after) for action in others)
        return
    assert not wins_at_once(side, position)
    for action, answer in find_answers(tactic.only, others).items():
        check_no_win(side, after(position, action), answer)


def test_every_proof_is_valid():
    for tactic in TACTICS:
        try:
            check(tactic)
        except Exception as failure:
            failure.add_note(f"{tactic.variant}, {tactic.kind}, {tactic.best}\n{tactic.start}")
            raise


def test_incomplete_proof_is_rejected():
    won = next(tactic for tactic in TACTICS if tactic.kind == "win in 3" and tactic.pond.size == 4)
    saved = next(tactic for tactic in TACTICS if tactic.kind == "save" and len(tactic.proof) > 3)
    best, answers = won.proof
    one = next(reply for reply in answers if reply != "-")
    first, *rest = answers[one].split()
    other = next(iter(won.only.values())).split()[0]
    corrupted = [
        won._replace(best=other),
        won._replace(proof=[other, answers]),
        won._replace(proof=[best, answers | {one: " ".join(rest)}]),
        won._replace(proof=[best, answers | {one: f"{first} {first} {' '.join(rest)}"}]),
        won._replace(proof=best),
        won._replace(kind="win in 1", proof=best),
        won._replace(only={}),
        saved._replace(best=next(iter(saved.proof))),
        saved._replace(proof=dict(list(saved.proof.items())[1:])),
        saved._replace(proof=saved.proof | {next(iter(saved.proof)): "-"} | {list(saved.proof)[1]: "-"}),
        saved._replace(only={}),
    ]
    for tactic in corrupted:
        with pytest.raises((AssertionError, ValueError)):
            check(tactic)


# The collection


def test_each_kind_has_enough_distinct_tactics():
    assert len(TACTICS) >= 60
    assert len({canonical_key(tactic.start) for tactic in TACTICS}) == len(TACTICS)

    def many(feature, value):
        return sum(value in str(getattr(tactic, feature)) for tactic in TACTICS)

    assert many("kind", "win in 3") >= 25
    assert many("kind", "save") >= 15
    assert all(many("way", way) >= 15 for way in ("place", "step", "hop"))
    assert all(many("ends", end) >= 20 for end in ("score", "elimination"))
    assert all(many("position", f" {side} ") >= 20 for side in "ld")
    assert all(many("variant", name) >= 5 for name in ("standard", "mini", "big", "small-14", "3x3/9/5"))
    assert any(tactic.variant not in VARIANTS for tactic in TACTICS)


def test_greedy_misses_most_tactics():
    missed = 0
    for number, tactic in enumerate(TACTICS):
        found = {timed_choice(GreedyEngine(), tactic, seed)[0] for seed in range(10)}
        assert tactic.greedy or tactic.best not in found, number
        missed += tactic.best not in found
    assert missed >= len(TACTICS) * 2 // 3


def test_stored_tactics_are_found_again():
    for tactic in TACTICS[::6]:
        assert Prover(tactic.pond).tactic(pack_position(tactic.start)) == tactic


# Players


@pytest.mark.slow
def test_win_in_three_is_found():
    """These searches are quick even without the compiled kernel."""
    for tactic in [each for each in TACTICS if each.kind != "save"][::4]:
        game = to_engine_game(tactic)
        thought = Searcher(1).search_game(game, SearchLimits(depth=3), rng=Random(1))
        assert str(unpack_action(thought.actions[0], tactic.pond)) == tactic.best, tactic
        assert thought.values[0] >= packed.WIN_VALUE - tactic.plies


@pytest.mark.slow
def test_progress_is_reported_for_every_position():
    asked = [tactic for tactic in TACTICS if tactic.pond.size == 3]
    results = list(proof_times.find_tactics(asked))
    assert [tactic for tactic, _ in results] == asked
    assert all(found and found[0] <= tactic.plies + 2 for tactic, found in results)
    rows = list(proof_times.sum_up_tactics(results))
    assert rows[-1][:2] == ("all", f"{len(asked)} of {len(asked)}")
    missed = [
        (tactic, None if tactic.kind == "save" and number else found) for number, (tactic, found) in enumerate(results)
    ]
    assert next(proof_times.sum_up_tactics(missed))[1].startswith("1 of ")
    assert len(list(proof_times.list_tactics(missed))) == len(asked)
    assert proof_times.solve_pond("3x3/2/1")[-1] == "wins in 53"


@pytest.mark.parametrize("tactic", TACTICS[::12], ids=named)
def test_level_12_finds_a_tactic(tactic):
    found_by_level_12(tactic, 0)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_level_12_finds_all_tactics(seed):
    for tactic in TACTICS:
        found_by_level_12(tactic, seed)


def found_by_level_12(tactic, seed):
    if not packed.is_compiled():
        skip_outside_ci("takes minutes without the compiled kernel: make fast")
    found, _ = timed_choice(make_engine("level-12", think_seconds=60), tactic, seed)
    assert found == tactic.best, f"{tactic.variant}, {tactic.kind}\n{tactic.start}"
