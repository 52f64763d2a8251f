"""What a variant of three rows comes to if both sides do their best, from every position there is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import comb
from time import monotonic

from pond_hw.commands.progress_line import ProgressLine
from pond_hw.engine import packed
from pond_hw.engine.packed import SURE_VALUE, WIN_VALUE, ExactSolver, pack_position, packed_rules, unpack_action
from pond_hw.messages.plurals import count_noun
from pond_hw.rules import PondError, Position, Variant, find_outcome, get_grid, legal_actions

SOLVABLE_ROWS = 3
"""Rows of the variants that can be solved."""

BOARD_COUNTS = (1, 27, 324, 2250, 9882, 28215, 51894, 58752, 36882, 9750)
"""In how many ways 0 to 9 eggs, tadpoles and frogs can stand on three rows with no set among them."""

NEVER_SCORED = (1, 2, 4)
"""A turn scores three pieces, or five and more."""

PLACE_BYTES, NUMBER_BYTES = 8, 32
"""Bytes: a place in a table, and what a number in it takes besides if the kernel is not compiled."""

EXPLORING_SHARE = 0.2
"""The share of the time that finding the positions takes; solving them takes the rest."""

PLACES_PER_POSITION = 2.2
"""Places in the tables for a position; they double as they fill."""


def print_solution(variant: Variant, megabytes: int, position_lines: Sequence[str] = ()) -> None:
    """Solve a variant and print what it comes to.

    Args:
        variant: with three rows.
        megabytes: that the tables may take.
        position_lines: positions that are to be told about as well, on one line each.

    Raises:
        PondError: it is too large, or a position is none of it; before anything is solved.
    """
    positions = [Position.from_notation(position_line, variant) for position_line in position_lines]
    solver = solve_variant(variant, megabytes)
    start = Position.start(variant)
    print(f"{variant}: {describe_value(solver.position_value(pack_position(start)), start)}\n")
    print("The first egg on each cell, for light:\n")
    print("\n".join(_draw_first_eggs(solver, variant)))
    for position in positions:
        print("\n" + "\n".join(_describe_position(solver, position)))


def solve_variant(variant: Variant, megabytes: int) -> ExactSolver:
    """A variant, solved; how far it is, and what it took, is told on standard error and standard output.

    Raises:
        PondError: it has more than three rows, or needs more than so many megabytes.
    """
    if variant.size != SOLVABLE_ROWS:
        raise PondError(f"Only ponds of three rows can be solved, such as 3x3/6/3; {variant} has {variant.size}.")
    estimate = estimate_positions(variant)
    needed = _count_megabytes(estimate, round(estimate * PLACES_PER_POSITION))
    if needed > megabytes:
        raise PondError(
            f"{variant} has some {estimate:,} positions, which take about {needed:,.0f} MB; {megabytes:,} MB are "
            "allowed. Allow more with --memory, or solve a pond with fewer eggs."
        )
    begin_instant = monotonic()
    solver = ExactSolver(packed_rules(variant), variant.spawn)

    def tell_progress() -> None:
        if not solver.explored:
            done_share = EXPLORING_SHARE * min(1.0, int(solver.found) / estimate)
            progress.show_state(f"{solver.found:,} of some {estimate:,} positions found", done_share)
        else:
            solved = int(solver.done) / (2 * int(solver.positions))
            done_share = EXPLORING_SHARE + (1 - EXPLORING_SHARE) * solved
            progress.show_state(f"{solver.positions:,} positions are being solved", done_share)

    solver.on_progress = tell_progress
    with ProgressLine() as progress:
        while solver.explore_layer():
            if _count_megabytes(solver.positions, solver.places) > megabytes:
                raise PondError(f"{variant} needs more than the {megabytes:,} MB that are allowed; see --memory.")
        while solver.solve_layer():
            pass
    print(
        f"{solver.positions:,} positions (turned, mirrored or with the colours exchanged they count once), "
        f"{monotonic() - begin_instant:.1f} s, {_count_megabytes(solver.positions, solver.places):,.1f} MB, "
        f"{'compiled' if packed.is_compiled() else 'plain'} kernel"
    )
    return solver


def estimate_positions(variant: Variant) -> int:
    """How many positions a variant of three rows has, up to symmetry and colour, or somewhat fewer.

    All boards without a set are counted that have the right number of pieces; play does not come to every one.
    """
    total = 0
    reserves = [
        (spawn, scored)
        for spawn in range(variant.spawn + 1)
        for scored in range(min(variant.target, variant.spawn - spawn + 1))
    ]
    for own, other_reserve in product(reserves, repeat=2):
        light, dark = variant.spawn - sum(own), variant.spawn - sum(other_reserve)
        if own < other_reserve or light + dark >= len(BOARD_COUNTS) or own[1] + other_reserve[1] in NEVER_SCORED:
            continue
        mover_count = 1 if own == other_reserve else 2
        total += BOARD_COUNTS[light + dark] * comb(light + dark, light) * mover_count
    return -(-total // 8)


def describe_value(position_value: int, position: Position) -> str:
    """What a value of a position means, in words."""
    if not position_value:
        return "a draw, if both sides do their best."
    action_count = WIN_VALUE - abs(position_value)
    side = position.to_move if position_value > 0 else position.to_move.other_side
    if not action_count:
        return f"{side} has won."
    return f"{side} wins in {count_noun(action_count, 'action')}, if both sides do their best."


def format_value(position_value: int) -> str:
    """The same for the side that acts, in two or three words."""
    if not position_value:
        return "draws"
    return f"{'wins' if position_value >= SURE_VALUE else 'loses'} in {WIN_VALUE - abs(position_value)}"


def _draw_first_eggs(solver: ExactSolver, variant: Variant) -> list[str]:
    start = Position.start(variant)
    target_cells = [action.target for action in legal_actions(start)]
    values = dict(zip(target_cells, map(format_value, solver.action_values(pack_position(start))), strict=True))
    width = max(map(len, values.values()))
    row_lines = [
        f"{row[0][1]}  " + "  ".join(f"{values[cell]:<{width}}" for cell in row) for row in get_grid(variant.size).rows
    ]
    column_line = "   " + "  ".join(f"{column:<{width}}" for column in "abc")
    return [board_line.rstrip() for board_line in (*row_lines, column_line)]


def _describe_position(solver: ExactSolver, position: Position) -> list[str]:
    """A position, what it is worth, and what each action in it is worth, the best first."""
    packed_position = pack_position(position)
    if end := find_outcome(position):
        return [position.notation_line, f"{end.winner} has won." if end.winner is not None else "The game is drawn."]
    try:
        position_value, action_values = solver.position_value(packed_position), solver.action_values(packed_position)
    except KeyError:
        return [position.notation_line, "Play never comes to this position, so nothing is known of it."]
    best = set(solver.best_actions(packed_position))
    text_lines = [position.notation_line, describe_value(position_value, position)]
    valued_actions = zip(solver.rules.legal_actions(packed_position), action_values, strict=True)
    for action, action_value in sorted(valued_actions, key=lambda valued: -valued[1]):
        mark = "  *" if action in best else ""
        text_lines.append(f"{unpack_action(action, position.variant)!s:<5} {format_value(action_value)}{mark}")
    return text_lines


def _count_megabytes(position_count: int, place_count: int) -> float:
    """What tables with so many positions and places take."""
    return (place_count * PLACE_BYTES + (0 if packed.is_compiled() else position_count * NUMBER_BYTES)) / 1e6
