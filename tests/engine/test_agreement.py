"""The strongest level agrees with the solver."""

import pytest

from pond_hw.engine import packed
from pond_hw.engine.levels import ENGINE_LEVELS
from pond_hw.engine.packed import MIN_WIN_VALUE
from pond_hw.engine.searcher import Searcher, SearchLimits
from pond_hw.rules import parse_variant
from tests.conftest import skip_outside_ci
from tests.engine.agreement import false_claims, games, results_around, search_results, solve_pond


def positions(name, many, seed):
    """Return distinct positions, each with the game it comes from."""
    met, played = {}, games(parse_variant(name), seed)
    while len(met) < many:
        game = next(played)
        met.setdefault(game.position, game)
    return met.values()


def check(name, many, limits, seed=0):
    """Check that reported wins and losses are true. Return their number, and the games in which the chosen action was worse."""
    if not packed.is_compiled():
        skip_outside_ci("takes minutes without the compiled kernel: make fast")
    solver, sure, worse = solve_pond(name), 0, []
    searcher = None
    for game in positions(name, many, seed):
        searcher = searcher or Searcher(8)
        claims, last = search_results(searcher, game, limits)
        assert not false_claims(solver, game, [*claims, last]), packed.unpack_position(game.position, game.variant)
        sure += sum(abs(each.value) >= MIN_WIN_VALUE for each in claims)
        before, after = results_around(solver, game, last.best)
        if before != after:
            worse.append(game)
    return solver, sure, worse


@pytest.mark.long
def test_forced_results_are_true_and_level_12_keeps_them():
    """Only a few positions are searched, to save time."""
    solver, sure, worse = check("3x3/3/1", 60, SearchLimits(nodes=5_000))
    assert sure > 60
    assert len(worse) < 6
    for game in worse:
        _, last = search_results(Searcher(8), game, SearchLimits(nodes=ENGINE_LEVELS[-1].nodes))
        before, after = results_around(solver, game, last.best)
        assert before == after, packed.unpack_position(game.position, game.variant)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "share"), [("3x3/3/1", 0.02), ("3x3/4/2", 0.02), ("3x3/5/3", 0.06), ("3x3/6/3", 0.06)]
)
def test_thousand_positions_agree(name, share):
    """With a fiftieth of level 8's nodes, some positions are misjudged, but no reported win or loss is false."""
    _, sure, worse = check(name, 1000, SearchLimits(nodes=20_000))
    assert sure > 1000
    assert len(worse) <= 1000 * share
