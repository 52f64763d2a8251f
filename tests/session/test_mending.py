"""The way back to the game: the shortest there is, in steps that can be done, until board and game agree."""

from itertools import permutations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pond_hw.rules import DARK, LIGHT, Side, get_grid
from pond_hw.session import RepairStep
from pond_hw.session.pieces.repair import plan_repair


def distance(on, source, target):
    """Steps along rows and columns; what is taken off or brought counts as much as twice along the board."""
    if source is None or target is None:
        return 0 if source is target else 2 * on.size
    (x, y), (u, v) = on.cell_coordinates(source), on.cell_coordinates(target)
    return abs(x - u) + abs(y - v)


def may_go(missing, extra, source, target):
    """Whether a piece can be the one that is missing there."""
    if source is None or target is None:
        return True
    return source != target and extra[source] in (None, missing[target])


def least(on, missing, extra):
    """The length of the shortest way, by trying them all."""
    sources = [*extra, *[None] * len(missing)]
    targets = [*missing, *[None] * len(extra)]
    return min(
        sum(distance(on, source, target) for source, target in zip(sources, order, strict=True))
        for order in set(permutations(targets))
        if all(may_go(missing, extra, source, target) for source, target in zip(sources, order, strict=True))
    )


def way(on, missing, extra, found):
    """The length of all steps. If each piece stands where another belongs, the first and the last are one."""
    pairs = [tuple(step) for step in found]
    (first, nowhere), (beside, last) = pairs[0], pairs[-1]
    ring = nowhere is beside is None and all(target in extra for _, target in pairs[1:])
    if ring and may_go(missing, extra, first, last):
        pairs = [*pairs[1:-1], (first, last)]
    return sum(distance(on, *pair) for pair in pairs)


@st.composite
def boards(draw, most=3):
    """A grid, whose piece should stand where, whose does, and whether the sensors can tell whose it is."""
    on = get_grid(draw(st.sampled_from((3, 4, 5))))
    sides = st.dictionaries(st.sampled_from(on.cells), st.sampled_from(Side), max_size=len(on.cells))
    expected = draw(sides)
    lifted = draw(st.lists(st.sampled_from(sorted(expected)), max_size=most, unique=True)) if expected else []
    stands = {cell: side for cell, side in expected.items() if cell not in lifted}
    free = sorted(set(on.cells) - stands.keys())
    put = draw(st.lists(st.sampled_from(free), max_size=most, unique=True)) if free else []
    stands |= {cell: draw(st.sampled_from(Side)) for cell in put}
    return on, expected, stands, draw(st.booleans())


def differences(expected, stands, told):
    """What is missing and what is too many, as it is felt."""
    missing = {cell: side for cell, side in expected.items() if cell not in stands}
    extra = {cell: side if told else None for cell, side in stands.items() if cell not in expected}
    strangers = [cell for cell in stands if told and stands[cell] is not expected.get(cell, stands[cell])]
    missing |= {cell: expected[cell] for cell in strangers}
    return missing, extra | {cell: stands[cell] for cell in strangers}


@given(boards())
def test_the_whole_way_is_the_shortest(board):
    on, expected, stands, told = board
    missing, extra = differences(expected, stands, told)
    found = plan_repair(on, missing, extra)
    if not missing and not extra:
        assert found == ()
        return
    assert way(on, missing, extra, found) == least(on, missing, extra), (missing, extra, found)


@pytest.mark.long
@settings(max_examples=1500)
@given(boards(most=5))
def test_the_whole_way_is_the_shortest_for_many_pieces_too(board):
    on, expected, stands, _ = board
    missing, extra = differences(expected, stands, told=False)
    short, long = sorted((list(missing), list(extra)), key=len)
    if not long:
        return
    alone = 2 * on.size * (len(long) - len(short))
    ways = (sum(distance(on, *pair) for pair in zip(short, order, strict=False)) for order in permutations(long))
    assert way(on, missing, extra, plan_repair(on, missing, extra)) == min(ways) + alone


@given(boards(most=6))
@example((get_grid(3), {"a1": LIGHT, "b1": DARK}, {"a1": DARK, "b1": LIGHT}, True))
@example((get_grid(3), {"a1": LIGHT}, {"a1": DARK}, True))
def test_following_the_steps_always_ends_in_agreement(board):
    on, expected, stands, told = board
    missing, extra = differences(expected, stands, told)
    most = len(missing) + len(extra) if told else max(len(missing), len(extra))
    done = 0
    while missing or extra:
        source, target = plan_repair(on, missing, extra)[0]
        assert source is not None or target is not None
        assert source is None or source in extra, "there is nothing to be taken from there"
        assert target is None or (target in missing and target not in extra), "there is no room for it"
        moved = stands.pop(source) if source else expected[target]
        if target:
            stands[target] = moved
        missing, extra = differences(expected, stands, told)
        done += 1
        assert done <= most, "the steps lead nowhere"
    if told:
        assert stands == expected
    else:
        assert stands.keys() == expected.keys()


@given(boards(), st.randoms(use_true_random=False))
def test_every_cell_that_differs_is_in_one_step_and_the_order_of_asking_does_not_matter(board, chance):
    on, expected, stands, told = board
    missing, extra = differences(expected, stands, told)
    found = plan_repair(on, missing, extra)
    assert sorted(step.source for step in found if step.source) == sorted(extra)
    assert sorted(step.target for step in found if step.target) == sorted(missing)
    shuffled = [dict(chance.sample(sorted(cells.items()), len(cells))) for cells in (missing, extra)]
    assert plan_repair(on, *shuffled) == found


def test_a_piece_that_rolled_away_goes_back_to_the_nearest_cell_that_misses_one():
    on = get_grid(4)
    assert plan_repair(on, {"a1": LIGHT, "d4": DARK}, {"c4": None, "b1": None}) == (
        RepairStep("b1", "a1"),
        RepairStep("c4", "d4"),
    )


def test_the_nearest_for_each_would_be_a_longer_way_together():
    # b1 is nearest to both; c1 would be left with the long way to e5
    on = get_grid(5)
    assert plan_repair(on, {"b1": LIGHT, "a1": LIGHT}, {"c1": None, "b2": None}) in (
        (RepairStep("c1", "b1"), RepairStep("b2", "a1")),
        (RepairStep("b2", "b1"), RepairStep("c1", "a1")),
    )
    assert plan_repair(on, {"b1": LIGHT, "e1": LIGHT}, {"a1": None, "c1": None}) == (
        RepairStep("a1", "b1"),
        RepairStep("c1", "e1"),
    )


def test_what_is_too_many_is_taken_off_before_what_is_missing_is_brought():
    on = get_grid(3)
    assert plan_repair(on, {"a1": LIGHT}, {"c3": DARK}) == (RepairStep("c3", None), RepairStep(None, "a1"))
    assert plan_repair(on, {"a1": LIGHT}, {}) == (RepairStep(None, "a1"),)
    assert plan_repair(on, {}, {"c3": None, "a1": None}) == (RepairStep("a1", None), RepairStep("c3", None))


def test_two_that_were_swapped_change_places_by_way_of_the_table():
    on = get_grid(3)
    swapped = plan_repair(on, {"a1": LIGHT, "c3": DARK}, {"a1": DARK, "c3": LIGHT})
    assert swapped == (RepairStep("a1", None), RepairStep("c3", "a1"), RepairStep(None, "c3"))


def test_a_piece_waits_until_the_one_that_stands_in_its_place_has_gone():
    on = get_grid(3)
    found = plan_repair(on, {"a1": LIGHT, "c1": DARK}, {"a1": DARK, "b1": LIGHT})
    assert found == (RepairStep("a1", "c1"), RepairStep("b1", "a1"))
