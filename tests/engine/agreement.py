"""Compare searches with solved ponds: `python -m tests.engine.agreement 3x3/5/3`.

Games are played at random and by weak levels, and each position is searched with a limited number of nodes. A forced win
or loss that the search reports must be real, and the chosen action must not throw away a win or a draw. If it does, the
search is repeated with ten times as many nodes, until the results agree.
"""

import argparse
from random import Random
from time import perf_counter
from typing import NamedTuple

from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import MIN_WIN_VALUE, ExactSolver, packed_rules, unpack_action, unpack_position
from pond_hw.engine.searcher import Searcher, SearchLimits
from pond_hw.rules import parse_variant

PLAYERS = ("random", "random", "greedy", "level-1", "level-3")

NODES = (20_000, 200_000, 1_000_000, 10_000_000)
"""Node limits to try in turn. The strongest level uses a million."""


class SearchClaim(NamedTuple):
    """Depth, value and best action that a search reports."""

    depth: int
    value: int
    best: int


def solve_pond(name):
    """Solve a pond and return its solver."""
    pond = parse_variant(name)
    solver = ExactSolver(packed_rules(pond), pond.spawn)
    while solver.explore_layer():
        pass
    while solver.solve_layer():
        pass
    return solver


def games(pond, seed=0):
    """Yield every position of an endless series of games, with the positions before it."""
    rng, rules = Random(seed), packed_rules(pond)
    engines = [make_engine(name, megabytes=1) for name in PLAYERS]
    while True:
        sides, game = (
            [rng.choice(engines) for _ in range(2)],
            EngineGame(pond, rules, rules.start_position(pond.spawn), ()),
        )
        while rules.count_actions(game.position) and len(game.past_keys) < 100:
            yield game
            game = game.after_action(sides[game.position[6]].choose_action(game, rng, bool))


def search_results(searcher, game, limits):
    """Return the results of all completed depths, and the last result."""
    claims = []

    def record_depth(thought):
        claims.append(SearchClaim(thought.depth, thought.values[0], thought.actions[0]))

    last = searcher.search_game(game, limits, rng=Random(0), on_depth=record_depth)
    return claims, SearchClaim(last.depth, last.values[0], last.actions[0])


def sign(value):
    """Return 1 for a win, -1 for a loss, otherwise 0."""
    return (value > 0) - (value < 0)


def false_claims(solver, game, claims):
    """Return the reported wins and losses that are false or that come too early."""
    truth = solver.position_value(game.position)
    return [
        (each, truth)
        for each in claims
        if abs(each.value) >= MIN_WIN_VALUE and (sign(each.value) != sign(truth) or abs(each.value) > abs(truth))
    ]


def results_around(solver, game, action):
    """Return the exact results before and after an action, as signs."""
    before = sign(solver.position_value(game.position))
    return before, -sign(solver.position_value(game.rules.play_action(game.position, action)))


def main():
    """Check one pond."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pond", help="a pond of three rows, such as 3x3/5/3")
    parser.add_argument("--positions", metavar="N", type=int, default=3000, help="number of positions (3000)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of the games (0)")
    arguments = parser.parse_args()
    solver, pond = solve_pond(arguments.pond), parse_variant(arguments.pond)
    print(f"{pond}: {solver.positions:,} positions solved", flush=True)
    met, begun = {}, perf_counter()
    for game in games(pond, arguments.seed):
        met.setdefault(game.position, game)
        if len(met) == arguments.positions:
            break
    left, lines = list(met.values()), 0
    kinds = [sign(solver.position_value(game.position)) for game in left]
    print(f"{len(left)} positions: {kinds.count(1)} won, {kinds.count(0)} drawn, {kinds.count(-1)} lost")
    for nodes in NODES:
        searcher, again, sure = Searcher(), [], 0
        for game in left:
            early, last = search_results(searcher, game, SearchLimits(nodes=nodes))
            sure += sum(abs(each.value) >= MIN_WIN_VALUE for each in (*early, last))
            for what, claims in (("sure, but wrong", early), ("stopped, and wrong", [last])):
                for claim, truth in false_claims(solver, game, claims):
                    print(f"  {what}: {unpack_position(game.position, pond).notation_line} {claim} truth {truth}")
            before, after = results_around(solver, game, last.best)
            if before != after:
                again.append(game)
                lines += 1
                if lines <= 60:
                    line, action = unpack_position(game.position, pond).notation_line, unpack_action(last.best, pond)
                    print(
                        f"  {('lost', 'drawn', 'won')[before + 1]} to {('lost', 'drawn', 'won')[after + 1]}: "
                        f"{line} {action} {last}"
                    )
        print(
            f"{nodes:>10,} nodes: {len(left)} checked, {len(again)} worse, {sure} sure claims, "
            f"{perf_counter() - begun:.0f} s",
            flush=True,
        )
        left = again
        if not left:
            break


if __name__ == "__main__":
    main()
