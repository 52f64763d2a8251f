"""How fast it is here, today: `make bench`. Compare the rows of one run; machines are noisy, nothing is asserted."""

import platform
import sys
from random import Random
from statistics import median, quantiles
from time import perf_counter

from box_sizes import EVENINGS, an_hour

from pond_hw.companion import Companion, RealClock
from pond_hw.drivers.simulated import SimulatedBoard
from pond_hw.lights import Limiter, render
from pond_hw.rules import STANDARD, VARIANTS, Position, legal_actions, outcome, perft, play
from pond_hw.session import Act, Session

RUNS = 3


def main():
    print(f"Python {platform.python_version()} on {platform.machine()}; medians of {RUNS} runs\n")
    print("perft, positions/s, one core")
    for name, depth in (("standard", 5), ("big", 4)):
        start = Position.start(VARIANTS[name])
        row(f"  {name}, last ply counted", rate(lambda start=start, depth=depth: perft(start, depth)))
        row(f"  {name}, every turn played", rate(lambda start=start, depth=depth: play_all(start, depth - 1)))
    against_chess()

    print("\ngames")
    chance = Random(1)
    row("  random playouts/s, standard", rate(lambda: playouts(STANDARD, chance, 200)))
    row("  random playouts/s, big", rate(lambda: playouts(VARIANTS["big"], chance, 200)))

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
    """How many a second, where `count` does some work and says how much it was."""
    rates = []
    for _ in range(RUNS):
        begun = perf_counter()
        done = count()
        rates.append(done / (perf_counter() - begun))
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
        while outcome(position) is None:
            position = play(position, chance.choice(legal_actions(position))).after
    return games


def middle_game(turns=20):
    chance, session = Random(7), Session.start(VARIANTS["big"])
    for at in range(turns):
        session = session.after(Act(chance.choice(session.legal), float(at)))
    return session


def lights():
    session, limiter, count = middle_game(), Limiter(), 300
    board = SimulatedBoard(5, 4, lambda: 0.0)
    frame = board.frame
    steps = {"scene": [], "render": [], "limit": []}
    for number in range(count):
        a = perf_counter()
        scene = session.scene
        b = perf_counter()
        picture = render(scene, 100 + number / 30, 4)
        c = perf_counter()
        frame = limiter.limit(picture, frame)
        d = perf_counter()
        for name, seconds in zip(steps, (b - a, c - b, d - c), strict=True):
            steps[name].append(seconds)
    for name, seconds in steps.items():
        row(f"  {name}", median(seconds) * 1e6)
    row("  scene + render + limit", sum(median(seconds) for seconds in steps.values()) * 1e6)


def press_to_frame():
    chance, clock, waits = Random(3), RealClock(), []
    hands = SimulatedBoard(5, 4, clock.now)
    companion = Companion(hands.board(), Session.start(VARIANTS["big"]), clock)
    shown = []
    lamps = companion.board.lamps
    lamps.show = lambda frame: shown.append(perf_counter())
    while companion.session.outcome is None:
        action = chance.choice(companion.session.legal)
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
