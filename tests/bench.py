"""How fast it is here, today: `make bench`. Compare the rows of one run; machines are noisy, nothing is asserted."""

import os
import platform
import sys
from functools import partial
from multiprocessing import get_context
from random import Random
from statistics import median, quantiles
from time import perf_counter, process_time

import bench_c
from box_sizes import EVENINGS, an_hour
from rules.positions import perft

from pond_hw.companion import Companion, RealClock
from pond_hw.engine import packed
from pond_hw.engine.packed import rules as plain_turns
from pond_hw.lights import CurrentLimiter, render_scene
from pond_hw.rules import VARIANTS, Position, find_outcome, legal_actions, play
from pond_hw.session import Session, TakeAction
from pond_hw.simulator import SimulatedBoard

RUNS = 3

DEPTHS = {
    ("standard", "counted"): (5, 7),
    ("standard", "played"): (4, 7),
    ("big", "counted"): (4, 6),
    ("big", "played"): (3, 5),
}
"""How deep the plain kernel counts, and how deep those that are compiled, to take a moment each."""


def main():
    print(f"Python {platform.python_version()} on {platform.machine()}; medians of {RUNS} runs\n")
    print("perft, positions/s of CPU time")
    for name, depth in (("standard", 5), ("big", 4)):
        start = Position.start(VARIANTS[name])
        row(f"  {name}, last ply counted", rate(lambda start=start, depth=depth: perft(start, depth)))
        row(f"  {name}, every turn played", rate(lambda start=start, depth=depth: play_all(start, depth - 1)))
    against_chess()
    the_kernel()
    print("\nrandom games/s of CPU time")
    random_games()
    print("\nrandom games/s, by the clock, as many processes as cores")
    on_all_cores()
    print("\nlooking ahead, a second of CPU time from the start of a game")
    looking_ahead()
    print("\ntree search by random games (UCT), simulations/s of CPU time from the start of a game")
    simulations()

    print("\nlights, 25 cells x 4 lamps, microseconds")
    lights()
    print("\nfrom a finger on the simulated board to its frame, microseconds (no debounce, no wire)")
    press_to_frame()
    print("\nthe black box, bytes in an hour, measured over five minutes of simulated play")
    for what, evening in EVENINGS.items():
        row(what, an_hour(evening, 300))


def row(what, per_second):
    print(f"{what:<34}{per_second:>14,.0f}")


def rate(count):
    """How many a second of CPU time, where `count` does some work and says how much it was."""
    rates = []
    for _ in range(RUNS):
        begun = process_time()
        done = count()
        rates.append(done / (process_time() - begun))
    return median(rates)


def play_all(position, depth):
    if not depth:
        return 1
    return sum(play_all(play(position, action).after, depth - 1) for action in legal_actions(position))


def against_chess():
    try:
        import chess
    except ImportError:
        print("  python-chess is not installed here; `make bench` installs it")
        return

    def counted(board, depth):
        if depth == 1:
            return board.legal_moves.count()
        return walked(board, depth, counted)

    def played(board, depth):
        return walked(board, depth, played) if depth else 1

    def walked(board, depth, below):
        total = 0
        for move in board.legal_moves:
            board.push(move)
            total += below(board, depth - 1)
            board.pop()
        return total

    row("  python-chess, last ply counted", rate(lambda: counted(chess.Board(), 4)))
    row("  python-chess, every move played", rate(lambda: played(chess.Board(), 3)))


def playouts(pond, chance, games):
    for _ in range(games):
        position = Position.start(pond)
        while find_outcome(position) is None:
            position = play(position, chance.choice(legal_actions(position))).after
    return games


def the_kernel():
    """The kernel plain and compiled, and C, in turns: what slows the machine down slows down all of them."""
    made = packed.compiled_kernel()
    compiled = made.rules if made else None
    if not compiled:
        print("  the compiled kernel is not here; `make fast` makes it")
    for (name, how), (shallow, deep) in DEPTHS.items():
        print(f"\nthe kernel's perft, sequences a second of CPU time, {name}, the last action {how}")
        pond = VARIANTS[name]
        ways = {"plain": partial(by_kernel, plain_turns, pond, how, shallow)}
        if compiled:
            ways["compiled"] = partial(by_kernel, compiled, pond, how, deep)
        if bench_c.compiler():
            ways["C"] = partial(by_c, pond, how, deep)
        rates = {what: [] for what in ways}
        for _ in range(RUNS):
            for what, way in ways.items():
                rates[what].append(way())
        for what in ways:
            row(f"  {what}", median(rates[what]))
        if compiled and "C" in ways:
            print(f"  compiled : C {median(rates['compiled']) / median(rates['C']):>34.2f}")


def by_kernel(turns, pond, how, depth):
    rules = turns.PackedRules(pond.size, pond.target)
    count = rules.count_sequences if how == "counted" else rules.count_played
    begun = process_time()
    return count(rules.start_position(pond.spawn), depth) / (process_time() - begun)


def by_c(pond, how, depth):
    many, _, seconds = bench_c.perft(pond, depth, how)
    return many / seconds


def random_games():
    made = packed.compiled_kernel()
    compiled = made.rules if made else None
    for name in ("standard", "big"):
        pond, chance = VARIANTS[name], Random(1)
        row(f"  {name}, rules", rate(partial(playouts, pond, chance, 200)))
        row(f"  {name}, kernel, plain", rate(partial(kernel_playouts, plain_turns, pond, 400)))
        if compiled:
            row(f"  {name}, kernel, compiled", rate(partial(kernel_playouts, compiled, pond, 20_000)))
    against_open_spiel()


def kernel_playouts(turns, pond, games):
    rules = turns.PackedRules(pond.size, pond.target)
    rules.seed_random(1)
    for _ in range(games):
        rules.play_random(rules.start_position(pond.spawn))
    return games


def against_open_spiel():
    """Its games are written in C++ and asked through Python, as a program of ours would have to."""
    try:
        import pyspiel
    except ImportError:
        print("  OpenSpiel is not installed here; `pip install open_spiel` where it exists for this Python")
        return

    chance = Random(1)

    def blindly(game, games):
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
        return games

    for name in ("tic_tac_toe", "connect_four", "breakthrough"):
        game = pyspiel.load_game(name)
        row(f"  OpenSpiel, {name}", rate(lambda game=game: blindly(game, 300)))


def on_all_cores():
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    many = 300_000 if packed.is_compiled() else 4_000
    for processes in sorted({1, cores}):
        with get_context("spawn").Pool(processes) as pool:
            pool.map(games_of_chance, [1] * processes, 1)  # all are awake
            begun = perf_counter()
            games = sum(pool.map(games_of_chance, [many // processes] * processes, 1))
            row(f"  standard, kernel, {processes} process{'es' * (processes > 1)}", games / (perf_counter() - begun))


def games_of_chance(games):
    return kernel_playouts(packed, VARIANTS["standard"], games)


def looking_ahead():
    print(f"{'':<34}{'positions/s':>14}{'depth':>8}")
    for name in ("standard", "big"):
        for what, made in kernels().items():
            pond = VARIANTS[name]
            rules = made.rules.PackedRules(pond.size, pond.target)
            search, begun, depth = made.search.PackedSearch(rules, 1 << 18), process_time(), 0
            search.begin_search(
                rules.start_position(pond.spawn), [], lambda begun=begun: process_time() - begun > 1, node_interval=256
            )
            while search.search_depth(depth + 1):
                depth += 1
            print(f"  {f'{name}, {what}':<32}{search.nodes / (process_time() - begun):>14,.0f}{depth:>8}")


def kernels():
    made = packed.compiled_kernel()
    return {"plain": packed.PLAIN_KERNEL} | ({"compiled": made} if made else {})


def simulations():
    for name in ("standard", "big"):
        for what, made in kernels().items():
            pond, games = VARIANTS[name], 40_000 if what == "compiled" else 500
            rules = made.rules.PackedRules(pond.size, pond.target)
            tree = made.monte_carlo.UctSearch(rules, 1 << 19)
            row(f"  {name}, {what}", rate(partial(grown, tree, rules.start_position(pond.spawn), games)))
    try:
        import numpy as np
        import pyspiel
        from open_spiel.python.algorithms import mcts
    except ImportError:
        return
    for name in ("tic_tac_toe", "connect_four", "breakthrough"):
        game, many = pyspiel.load_game(name), (10_000, 500)
        compiled = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 1.4, many[0], 50, False, 1, False)
        chance = np.random.RandomState(1)
        plain = mcts.MCTSBot(game, 1.4, many[1], mcts.RandomRolloutEvaluator(1, chance), random_state=chance)
        for what, bot, games in (("its C++", compiled, many[0]), ("its Python", plain, many[1])):
            row(f"  OpenSpiel, {name}, {what}", rate(partial(searched, bot, game, games)))


def grown(tree, start, games):
    tree.begin_search(start)
    tree.simulate_games(games)
    return games


def searched(bot, game, games):
    bot.mcts_search(game.new_initial_state())
    return games


def middle_game(turns=20):
    chance, session = Random(7), Session.start_game(VARIANTS["big"])
    for at in range(turns):
        session = session.after(TakeAction(chance.choice(session.allowed_actions), float(at)))
    return session


def lights():
    session, limiter, count = middle_game(), CurrentLimiter(), 300
    board = SimulatedBoard(5, 4, lambda: 0.0)
    frame = board.to_board().lamps.frame
    steps = {"scene": [], "render": [], "limit": []}
    for number in range(count):
        a = perf_counter()
        scene = session.view.scene
        b = perf_counter()
        picture = render_scene(scene, 100 + number / 30, 4)
        c = perf_counter()
        frame = limiter.limit_frame(picture, frame)
        d = perf_counter()
        for name, seconds in zip(steps, (b - a, c - b, d - c), strict=True):
            steps[name].append(seconds)
    for name, seconds in steps.items():
        row(f"  {name}", median(seconds) * 1e6)
    row("  scene + render + limit", sum(median(seconds) for seconds in steps.values()) * 1e6)


def press_to_frame():
    chance, clock, waits = Random(3), RealClock(), []
    hands = SimulatedBoard(5, 4, clock.now)
    companion = Companion(hands.to_board(), Session.start_game(VARIANTS["big"]), clock)
    shown = []
    lamps = companion.board.lamps
    lamps.show = lambda frame: shown.append(perf_counter())
    while companion.session.outcome is None:
        action = chance.choice(companion.session.allowed_actions)
        for cell in filter(None, action):
            begun = perf_counter()
            hands.touch(cell)
            companion.step()
            waits.append(shown[-1] - begun)
    companion.close()
    row("  p50", median(waits) * 1e6)
    row("  p99", quantiles(waits, n=100)[98] * 1e6)


if __name__ == "__main__":
    sys.exit(main())
