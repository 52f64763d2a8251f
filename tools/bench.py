"""Benchmark of rules, search and lights: `make bench`.

Compare only figures from the same run, because the speed of a machine varies.
"""

import platform
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import get_context
from random import Random
from statistics import median, quantiles
from time import perf_counter, process_time
from types import ModuleType
from typing import Any

from pond_hw.board import Frame
from pond_hw.companion import Companion, RealClock
from pond_hw.engine import packed
from pond_hw.engine.packed import rules as plain_turns
from pond_hw.lab.workers import count_cores
from pond_hw.lights import CurrentLimiter, render_scene
from pond_hw.rules import VARIANTS, Position, Variant, find_outcome, legal_actions, play
from pond_hw.rules.turn import _apply_action
from pond_hw.session import Session, TakeAction
from pond_hw.simulator import SimulatedBoard
from tools import c_perft
from tools.black_box_sizes import EVENINGS, measure_hour

RUNS = 3
PRESS_GAMES = 30

DEPTHS = {
    ("standard", "counted"): (5, 7),
    ("standard", "played"): (4, 7),
    ("big", "counted"): (4, 6),
    ("big", "played"): (3, 5),
}
"""Search depths for the plain and the compiled kernel, chosen so that each search takes about a second."""


def main() -> None:
    print(f"Python {platform.python_version()} on {platform.machine()}; medians of {RUNS} runs\n")
    print("perft, positions/s of CPU time")
    for name, depth in (("standard", 5), ("big", 4)):
        start = Position.start(VARIANTS[name])
        print_row(f"  {name}, last ply counted", measure_rate(partial(count_sequences, start, depth)))
        print_row(f"  {name}, every turn played", measure_rate(partial(play_all, start, depth - 1)))
    measure_chess()
    measure_kernel()
    print("\nrandom games/s of CPU time")
    measure_random_games()
    print("\nrandom games/s, by the clock, as many processes as cores")
    measure_all_cores()
    print("\nlooking ahead, a second of CPU time from the start of a game")
    measure_search()
    print("\nMonte Carlo tree search (UCT), simulations/s of CPU time from the start of a game")
    measure_simulations()

    print("\nlights, 25 cells x 4 lamps, microseconds")
    measure_lights()
    print("\nfrom a touch on the simulated board to its frame, microseconds (no debounce, no wire)")
    measure_press_to_frame()
    print("\nthe black box, bytes in an hour, measured over five minutes of simulated play")
    for label, settings in EVENINGS.items():
        print_row(label, measure_hour(settings, 300))


def print_row(label: str, per_second: float) -> None:
    print(f"{label:<34}{per_second:>14,.0f}")


def measure_rate(work: Callable[[], float]) -> float:
    """Return the amount of work done per second of CPU time. `work` does some work and returns its amount."""
    rates = []
    for _ in range(RUNS):
        started = process_time()
        done = work()
        rates.append(done / (process_time() - started))
    return median(rates)


def count_sequences(position: Position, depth: int) -> int:
    """Count the legal sequences of actions without playing the last action."""
    actions = legal_actions(position)
    if depth == 1:
        return len(actions)
    return sum(count_sequences(_apply_action(position, action)[0], depth - 1) for action in actions)


def play_all(position: Position, depth: int) -> int:
    """Count the legal sequences of actions by playing every turn."""
    if not depth:
        return 1
    return sum(play_all(play(position, action).after, depth - 1) for action in legal_actions(position))


def measure_chess() -> None:
    try:
        import chess
    except ImportError:
        print("  python-chess is not installed here; `make bench` installs it")
        return

    def counted(board: chess.Board, depth: int) -> int:
        if depth == 1:
            return board.legal_moves.count()
        return count_leaves(board, depth, counted)

    def played(board: chess.Board, depth: int) -> int:
        return count_leaves(board, depth, played) if depth else 1

    def count_leaves(board: chess.Board, depth: int, count_below: Callable[[chess.Board, int], int]) -> int:
        total = 0
        for move in board.legal_moves:
            board.push(move)
            total += count_below(board, depth - 1)
            board.pop()
        return total

    print_row("  python-chess, last ply counted", measure_rate(lambda: counted(chess.Board(), 4)))
    print_row("  python-chess, every move played", measure_rate(lambda: played(chess.Board(), 3)))


def play_random_games(variant: Variant, rng: Random, games: int) -> int:
    """Play random games by the rules, and return the number of games."""
    for _ in range(games):
        position = Position.start(variant)
        while find_outcome(position) is None:
            position = play(position, rng.choice(legal_actions(position))).after
    return games


def measure_kernel() -> None:
    """Measure the plain kernel, the compiled kernel and C in turn, so that any other load affects them equally."""
    kernel_modules = packed.compiled_kernel()
    compiled = kernel_modules.rules if kernel_modules else None
    if not compiled:
        print("  the compiled kernel is missing; `make fast` builds it")
    for (name, method), (shallow, deep) in DEPTHS.items():
        print(f"\nthe kernel's perft, sequences/s of CPU time, {name}, the last action {method}")
        variant = VARIANTS[name]
        measurements = {"plain": partial(measure_kernel_perft, plain_turns, variant, method, shallow)}
        if compiled:
            measurements["compiled"] = partial(measure_kernel_perft, compiled, variant, method, deep)
        if compiler := c_perft.find_compiler():
            measurements["C"] = partial(c_perft.measure_perft, compiler, variant, deep, method)
        rates: dict[str, list[float]] = {label: [] for label in measurements}
        for _ in range(RUNS):
            for label, measure in measurements.items():
                rates[label].append(measure())
        for label in measurements:
            print_row(f"  {label}", median(rates[label]))
        if compiled and "C" in measurements:
            print(f"  compiled : C {median(rates['compiled']) / median(rates['C']):>34.2f}")


def measure_kernel_perft(turns: ModuleType, variant: Variant, method: str, depth: int) -> float:
    """Return the number of sequences that a kernel counts per second of CPU time."""
    rules = turns.PackedRules(variant.size, variant.target)
    count = rules.count_sequences if method == "counted" else rules.count_played
    started = process_time()
    return float(count(rules.start_position(variant.spawn), depth)) / (process_time() - started)


def measure_random_games() -> None:
    """Measure random games played by the rules and by the kernel."""
    kernel_modules = packed.compiled_kernel()
    compiled = kernel_modules.rules if kernel_modules else None
    for name in ("standard", "big"):
        variant, rng = VARIANTS[name], Random(1)
        print_row(f"  {name}, rules", measure_rate(partial(play_random_games, variant, rng, 200)))
        print_row(f"  {name}, kernel, plain", measure_rate(partial(play_kernel_games, plain_turns, variant, 400)))
        if compiled:
            print_row(
                f"  {name}, kernel, compiled", measure_rate(partial(play_kernel_games, compiled, variant, 20_000))
            )
    measure_open_spiel()


def play_kernel_games(turns: ModuleType, variant: Variant, games: int) -> int:
    """Play random games on a kernel, and return the number of games."""
    rules = turns.PackedRules(variant.size, variant.target)
    rules.seed_random(1)
    for _ in range(games):
        rules.play_random(rules.start_position(variant.spawn))
    return games


def measure_open_spiel() -> None:
    """Measure OpenSpiel, whose games are written in C++ and called from Python."""
    try:
        import pyspiel
    except ImportError:
        print("  OpenSpiel is not installed here; `pip install open_spiel` where it exists for this Python")
        return

    rng = Random(1)

    def play_random(game: Any, games: int) -> int:
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
        return games

    for name in ("tic_tac_toe", "connect_four", "breakthrough"):
        game = pyspiel.load_game(name)
        print_row(f"  OpenSpiel, {name}", measure_rate(partial(play_random, game, 300)))


def measure_all_cores() -> None:
    cores = count_cores()
    game_count = 300_000 if packed.is_compiled() else 4_000
    for processes in sorted({1, cores}):
        with get_context("spawn").Pool(processes) as pool:
            pool.map(_play_standard_games, [1] * processes, 1)  # Start all processes before measuring.
            started = perf_counter()
            games = sum(pool.map(_play_standard_games, [game_count // processes] * processes, 1))
            print_row(
                f"  standard, kernel, {processes} process{'es' * (processes > 1)}", games / (perf_counter() - started)
            )


def _play_standard_games(games: int) -> int:
    return play_kernel_games(packed, VARIANTS["standard"], games)


def measure_search() -> None:
    print(f"{'':<34}{'positions/s':>14}{'depth':>8}")
    for name in ("standard", "big"):
        for label, kernel_modules in list_kernels().items():
            variant = VARIANTS[name]
            rules = kernel_modules.rules.PackedRules(variant.size, variant.target)
            search, started, depth = kernel_modules.search.PackedSearch(rules, 1 << 18), process_time(), 0
            search.begin_search(
                rules.start_position(variant.spawn),
                [],
                lambda started=started: process_time() - started > 1,
                node_interval=256,
            )
            while search.search_depth(depth + 1):
                depth += 1
            print(f"  {f'{name}, {label}':<32}{search.nodes / (process_time() - started):>14,.0f}{depth:>8}")


def list_kernels() -> dict[str, Any]:
    kernel_modules = packed.compiled_kernel()
    return {"plain": packed.PLAIN_KERNEL} | ({"compiled": kernel_modules} if kernel_modules else {})


def measure_simulations() -> None:
    """Measure the tree search with random games (UCT)."""
    for name in ("standard", "big"):
        for label, kernel_modules in list_kernels().items():
            variant, games = VARIANTS[name], 40_000 if label == "compiled" else 500
            rules = kernel_modules.rules.PackedRules(variant.size, variant.target)
            tree = kernel_modules.monte_carlo.UctSearch(rules, 1 << 19)
            print_row(
                f"  {name}, {label}",
                measure_rate(partial(_grow_tree, tree, rules.start_position(variant.spawn), games)),
            )
    try:
        import numpy as np
        import pyspiel
        from open_spiel.python.algorithms import mcts
    except ImportError:
        return
    for name in ("tic_tac_toe", "connect_four", "breakthrough"):
        game, game_counts = pyspiel.load_game(name), (10_000, 500)
        compiled = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 1.4, game_counts[0], 50, False, 1, False)
        rng = np.random.RandomState(1)
        plain = mcts.MCTSBot(game, 1.4, game_counts[1], mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
        for label, bot, games in (("its C++", compiled, game_counts[0]), ("its Python", plain, game_counts[1])):
            print_row(f"  OpenSpiel, {name}, {label}", measure_rate(partial(_search_once, bot, game, games)))


def _grow_tree(tree: Any, start: Any, games: int) -> int:
    tree.begin_search(start)
    tree.simulate_games(games)
    return games


def _search_once(bot: Any, game: Any, games: int) -> int:
    bot.mcts_search(game.new_initial_state())
    return games


def _play_middle_game(turns: int = 20) -> Session:
    rng, session = Random(7), Session.start_game(VARIANTS["big"])
    for at in range(turns):
        session = session.after(TakeAction(rng.choice(session.allowed_actions), float(at)))
    return session


def measure_lights() -> None:
    """Measure the scene, the renderer and the current limiter."""
    session, limiter, count = _play_middle_game(), CurrentLimiter(), 300
    frame = Frame.dark_frame(5, 4)
    steps: dict[str, list[float]] = {"scene": [], "render": [], "limit": []}
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
    medians = {name: median(each) * 1e6 for name, each in steps.items()}
    for name, microseconds in medians.items():
        print_row(f"  {name}", microseconds)
    print_row("  scene + render + limit", sum(medians.values()))


def measure_press_to_frame() -> None:
    """Measure the time from a press to the resulting frame, over enough games for a meaningful p99."""
    rng, waits = Random(3), list[float]()
    for _ in range(PRESS_GAMES):
        waits += play_pressing(rng)
    print_row("  p50", median(waits) * 1e6)
    print_row("  p99", quantiles(waits, n=100)[98] * 1e6)


def play_pressing(rng: Random) -> Iterator[float]:
    """Play a random game, and yield the time in seconds from each press to the resulting frame."""
    clock, shown = RealClock(), list[float]()
    simulator = SimulatedBoard(5, 4, clock.now)
    companion = Companion(simulator.to_board(), Session.start_game(VARIANTS["big"]), clock)

    def stamp(frame: Frame) -> None:  # noqa: ARG001
        shown.append(perf_counter())

    companion.board.lamps.show = stamp  # type: ignore[method-assign]
    while companion.session.outcome is None:
        action = rng.choice(companion.session.allowed_actions)
        for cell in filter(None, action):
            started = perf_counter()
            simulator.touch(cell)
            companion.step()
            yield shown[-1] - started
    companion.close()


if __name__ == "__main__":
    main()
