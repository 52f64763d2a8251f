"""Solved ponds are consistent and match an exhaustive search with `rules`."""

import os
from functools import cache
from random import Random

import pytest

from pond_hw.engine.packed import DRAWN, WIN_VALUE, pack_position
from pond_hw.rules import Position, find_outcome, legal_actions, parse_variant, play

pytestmark = pytest.mark.slow

NEAR_DEPTH = 3
"""Depth of the exhaustive search with `pond_hw.rules`."""


@cache
def solved(kernel, name):
    """Return a pond solved by this kernel."""
    pond = parse_variant(name)
    solver = kernel.solver.ExactSolver(kernel.rules.PackedRules(3, pond.target), pond.spawn)
    while solver.explore_layer():
        pass
    while solver.solve_layer():
        pass
    return solver


SMALL = "3x3/2/1"
"""Pond that is solved quickly even without the compiled kernel. Light wins from the start in 53 actions."""


@pytest.fixture
def small(kernel):
    """The small pond, solved."""
    return solved(kernel, SMALL)


def is_plain(kernel):
    return kernel.rules.__file__.endswith(".py")


def sign(value):
    """Return 1 for a win, -1 for a loss, 0 for a draw."""
    return (value > 0) - (value < 0)


def played(name, many, seed=0):
    """Return distinct positions from random games."""
    rng, met = Random(seed), {}
    while len(met) < many:
        position = Position.start(parse_variant(name))
        while find_outcome(position) is None and len(met) < many:
            met[position.notation_line] = position
            position = play(position, rng.choice(legal_actions(position))).after
        met[position.notation_line] = position
    return list(met.values())


def exhaustive_value(position, actions):
    """Return the value of a position according to `rules`, or None if the game does not end within this many actions."""
    ended = find_outcome(position)
    if ended:
        return 0 if ended.winner is None else WIN_VALUE if ended.winner is position.to_move else -WIN_VALUE
    if not actions:
        return None
    values = [exhaustive_value(play(position, action).after, actions - 1) for action in legal_actions(position)]
    lost = [value for value in values if value is not None and value < 0]
    if lost:
        return -min(lost) - 1
    if all(value is not None and value > 0 for value in values):
        return -min(values) + 1
    return None


def all_values(name):
    """Return the value of every reachable position according to `rules`."""
    start = Position.start(parse_variant(name))
    after, waiting = {}, [start]
    while waiting:
        position = waiting.pop()
        if position not in after:
            after[position] = [play(position, action).after for action in legal_actions(position)]
            waiting += after[position]
    values = {position: exhaustive_value(position, 0) for position in after}
    while True:
        found = {}
        for position, others in after.items():
            if values[position] is None:
                known = [values[other] for other in others]
                lost = [value for value in known if value is not None and value < 0]
                if lost:
                    found[position] = -min(lost) - 1
                elif all(value is not None and value > 0 for value in known):
                    found[position] = -min(known) + 1
        if not found:
            return {position: value or 0 for position, value in values.items()}
        # Only the nearest ends are certain, because others may still turn out to be nearer.
        soonest = max(map(abs, found.values()))
        values |= {position: value for position, value in found.items() if abs(value) == soonest}


def test_smallest_pond_is_solved_correctly(kernel):
    solver, known = solved(kernel, "3x3/1/1"), all_values("3x3/1/1")
    assert {position: solver.position_value(pack_position(position)) for position in known} == known
    assert solver.positions == 21
    assert (
        solver.position_value(pack_position(Position.start(parse_variant("3x3/1/1")))) == 2 - WIN_VALUE
    )  # a single egg cannot move


@pytest.mark.long
def test_small_pond_is_solved_correctly(kernel):
    solver, known = solved(kernel, "3x3/2/1"), all_values("3x3/2/1")
    assert {position: solver.position_value(pack_position(position)) for position in known} == known
    assert len(known) > 100_000


def test_positions_near_the_end_match_exhaustive_search(small):
    decided = 0
    for position in played(SMALL, 150):
        seen, value = exhaustive_value(position, NEAR_DEPTH), small.position_value(pack_position(position))
        if seen is None:
            assert abs(value) < WIN_VALUE - NEAR_DEPTH, position
        else:
            assert value == seen, position
            decided += 1
    assert decided > 30


def test_values_follow_from_successors(small):
    rules, kinds = small.rules, set()
    for position in played(SMALL, 600, seed=1):
        bare = pack_position(position)
        values, value = small.action_values(bare), small.position_value(bare)
        if rules.count_actions(bare):
            assert value == max(values), position
            best = [action for action, each in zip(rules.legal_actions(bare), values, strict=True) if each == value]
            assert small.best_actions(bare) == best
        else:
            assert abs(value) == WIN_VALUE or rules.outcome(bare) == DRAWN
        kinds.add(sign(value))
    assert kinds == {1, -1}  # no position of so small a pond is drawn


def test_symmetric_positions_have_equal_value(small):
    for position in played(SMALL, 60, seed=2):
        board, mover, *numbers = position.notation_line.split()
        rows, values = board.split("/"), set()
        for _ in range(4):
            rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
            for image in ("/".join(rows), "/".join(row[::-1] for row in rows)):
                counts = [numbers[1], numbers[0], numbers[3], numbers[2]]
                for line in (
                    " ".join([image, mover, *numbers]),
                    " ".join([image.swapcase(), "d" if mover == "l" else "l", *counts]),
                ):
                    if not sum(map(str.isalpha, image)):
                        continue  # the empty pond with dark to move never occurs, because light begins
                    values.add(small.position_value(pack_position(Position.from_notation(line, position.variant))))
        assert len(values) <= 1, position


def test_both_kernels_give_the_same_solution(small):
    start = pack_position(Position.start(parse_variant(SMALL)))
    assert (small.positions, small.longest_win) == (8590, 72)
    assert small.position_value(start) == WIN_VALUE - 53
    lost, late = 5 - WIN_VALUE, 24 - WIN_VALUE
    assert small.action_values(start) == [lost, late, lost, late, WIN_VALUE - 53, late, lost, late, lost]


def test_unreachable_position_has_no_value(small):
    for line in (".../.E./.e. l 1 1 0 0", "T../.../..e d 1 1 0 0"):
        with pytest.raises(KeyError):
            small.position_value(pack_position(Position.from_notation(line, parse_variant(SMALL))))
    with pytest.raises(KeyError):
        small.position_value(pack_position(Position.from_notation("E../.../... d 2 3 0 0", parse_variant("3x3/3/1"))))


def test_unsolved_pond_has_no_values(kernel):
    solver = kernel.solver.ExactSolver(kernel.rules.PackedRules(3, 1), 1)
    start = pack_position(Position.start(parse_variant("3x3/1/1")))
    with pytest.raises(KeyError):
        solver.position_value(start)
    with pytest.raises(ValueError, match="explore first"):
        solver.solve_layer()
    while solver.explore_layer():
        pass
    with pytest.raises(KeyError):
        solver.position_value(start)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "positions", "actions", "cells"),
    [
        ("3x3/3/1", 217_079, 13, 1),
        ("3x3/4/2", 1_232_020, 9, 5),
        ("3x3/5/3", 3_415_106, None, 0),
        ("3x3/6/3", 6_150_110, None, 0),
        ("3x3/8/5", 33_013_839, 18, 9),
        ("3x3/9/5", 38_867_266, 17, 9),
    ],
)
def test_larger_ponds_are_solved_correctly(kernel, name, positions, actions, cells):
    """An independent engine gives the same results for the last two, and the winning cells of 3x3/9/5."""
    if is_plain(kernel):
        pytest.skip("takes hours without the compiled kernel")
    if positions > 10_000_000 and not os.environ.get("POND_EVERY_POND"):
        pytest.skip("takes two minutes and 700 MB: POND_EVERY_POND=1")
    solver = solved.__wrapped__(kernel, name)
    start = pack_position(Position.start(parse_variant(name)))
    assert solver.positions == positions
    assert solver.position_value(start) == (WIN_VALUE - actions if actions else 0)
    assert sum(value > 0 for value in solver.action_values(start)) == cells
    kinds = set()
    for position in played(name, 4000):
        bare = pack_position(position)
        kinds.add(sign(solver.position_value(bare)))
        if solver.rules.count_actions(bare):
            assert solver.position_value(bare) == max(solver.action_values(bare)), position
    assert kinds >= {1, -1}
    assert 0 in kinds or name == "3x3/3/1"
