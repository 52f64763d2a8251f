"""`pond solve`: what a pond of three rows comes to if both sides do their best, from every position there is."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from time import monotonic

from pond_hw.commands.progress import Progress
from pond_hw.engine import packed
from pond_hw.engine.packed import SURE, WON, Exact, rules_of, to_action, to_bare
from pond_hw.messages.plurals import count_noun
from pond_hw.rules import Cell, PondError, Position, Variant, grid, legal_actions, outcome

SIZE = 3
"""Rows of the ponds that can be solved."""

BOARDS = (1, 27, 324, 2250, 9882, 28215, 51894, 58752, 36882, 9750)
"""In how many ways 0 to 9 eggs, tadpoles and frogs can stand on three rows with no set among them."""

NEVER_SCORED = (1, 2, 4)
"""A turn scores three pieces, or five and more."""

PLACE, NUMBER = 8, 32
"""Bytes: a place in a table, and what a number in it takes besides if the kernel is not compiled."""

EXPLORING = 0.2
"""The share of the time that finding the positions takes; solving them takes the rest."""

PLACES = 2.2
"""Places in the tables for a position; they double as they fill."""


def run(pond: Variant, memory: int, lines: Sequence[str] = ()) -> None:
    """Solve a pond and print what it comes to.

    Args:
        pond: with three rows.
        memory: megabytes that the tables may take.
        lines: positions that are to be told about as well, on one line each.

    Raises:
        PondError: it is too large, or a position is none of it; before anything is solved.
    """
    asked = [Position.read(line, pond) for line in lines]
    solver = solved(pond, memory)
    start = Position.start(pond)
    print(f"{pond}: {told(solver.value(to_bare(start)), start)}\n")
    print("The first egg on each cell, for light:\n")
    print("\n".join(_first_eggs(solver, pond)))
    for position in asked:
        print("\n" + "\n".join(_about(solver, position)))


def solved(pond: Variant, memory: int) -> Exact:
    """A pond, solved; how far it is, and what it took, is told on standard error and standard output.

    Raises:
        PondError: it has more than three rows, or needs more than so many megabytes.
    """
    if pond.size != SIZE:
        raise PondError(f"Only ponds of three rows can be solved, such as 3x3/6/3; {pond} has {pond.size}.")
    many = about_so_many(pond)
    need = _megabytes(many, round(many * PLACES))
    if need > memory:
        raise PondError(
            f"{pond} has some {many:,} positions, which take about {need:,.0f} MB; {memory:,} MB are allowed. "
            "Allow more with --memory, or solve a pond with fewer eggs."
        )
    begun = monotonic()
    solver = Exact(rules_of(pond), pond.spawn)

    def tell() -> None:
        share = EXPLORING * min(1.0, int(solver.found) / many)
        if not solver.explored:
            progress.tell(f"{solver.found:,} of some {many:,} positions found", share)
        else:
            solved = int(solver.done) / (2 * int(solver.positions))
            progress.tell(f"{solver.positions:,} positions are being solved", EXPLORING + (1 - EXPLORING) * solved)

    solver.tell = tell
    with Progress() as progress:
        while solver.explore():
            if _megabytes(solver.positions, solver.places) > memory:
                raise PondError(f"{pond} needs more than the {memory:,} MB that are allowed; see --memory.")
        while solver.solve():
            pass
    print(
        f"{solver.positions:,} positions (turned, mirrored or with the colours exchanged they count once), "
        f"{monotonic() - begun:.1f} s, {_megabytes(solver.positions, solver.places):,.1f} MB, "
        f"{'compiled' if packed.compiled() else 'plain'} kernel"
    )
    return solver


def about_so_many(pond: Variant) -> int:
    """How many positions a pond of three rows has, up to symmetry and colour, or somewhat fewer.

    All boards without a set are counted that have the right number of pieces; play does not come to every one.
    """
    total = 0
    kept = [(spawn, own) for spawn in range(pond.spawn + 1) for own in range(min(pond.target, pond.spawn - spawn + 1))]
    for one in kept:
        for other in kept:
            light, dark = (pond.spawn - sum(each) for each in (one, other))
            scored = one[1] + other[1]
            if one < other or light + dark >= len(BOARDS) or scored in NEVER_SCORED:
                continue
            movers = 1 if one == other else 2
            total += BOARDS[light + dark] * comb(light + dark, light) * movers
    return -(-total // 8)


def told(value: int, position: Position) -> str:
    """What a value of a position means, in words."""
    if not value:
        return "a draw, if both sides do their best."
    actions = WON - abs(value)
    side = position.to_move if value > 0 else position.to_move.other
    if not actions:
        return f"{side} has won."
    return f"{side} wins in {count_noun(actions, 'action')}, if both sides do their best."


def shortly(value: int) -> str:
    """The same for the side that acts, in two or three words."""
    if not value:
        return "draws"
    return f"{'wins' if value >= SURE else 'loses'} in {WON - abs(value)}"


def _first_eggs(solver: Exact, pond: Variant) -> list[str]:
    start = Position.start(pond)
    actions = legal_actions(start)
    values: dict[Cell, str] = {
        action.target: shortly(value) for action, value in zip(actions, solver.values(to_bare(start)), strict=True)
    }
    wide = max(map(len, values.values()))
    rows = [f"{row[0][1]}  " + "  ".join(f"{values[cell]:<{wide}}" for cell in row) for row in grid(pond.size).rows]
    columns = "   " + "  ".join(f"{column:<{wide}}" for column in "abc")
    return [line.rstrip() for line in (*rows, columns)]


def _about(solver: Exact, position: Position) -> list[str]:
    """A position, what it is worth, and what each action in it is worth, the best first."""
    bare = to_bare(position)
    if ended := outcome(position):
        return [position.line, f"{ended.winner} has won." if ended.winner is not None else "The game is drawn."]
    try:
        value, values = solver.value(bare), solver.values(bare)
    except KeyError:
        return [position.line, "Play never comes to this position, so nothing is known of it."]
    best = set(solver.best(bare))
    ranked = sorted(zip(solver.rules.actions(bare), values, strict=True), key=lambda each: -each[1])
    lines = [f"{to_action(action, position.pond)!s:<5} {shortly(worth)}" for action, worth in ranked]
    marks = ["  *" if action in best else "" for action, _ in ranked]
    return [position.line, told(value, position), *(line + mark for line, mark in zip(lines, marks, strict=True))]


def _megabytes(positions: int, places: int) -> float:
    """What tables with so many positions and places take."""
    return (places * PLACE + (0 if packed.compiled() else positions * NUMBER)) / 1e6
