"""`pond solve`: find the winner of a three-row variant under perfect play."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from itertools import product
from math import comb
from time import monotonic

from pond_hw.commands.arguments import add_list, add_number, count_parser, variant_option
from pond_hw.commands.progress_line import ProgressLine
from pond_hw.engine import packed
from pond_hw.engine.packed import MIN_WIN_VALUE, WIN_VALUE, ExactSolver, pack_position, packed_rules, unpack_action
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import align_columns, print_text
from pond_hw.rules import PondError, Position, Variant, find_outcome, get_grid
from pond_hw.session import describe_outcome

DEFAULT_MEGABYTES = 1000
"""Default memory limit for the tables, in megabytes."""

SOLVABLE_ROWS = 3
"""Number of rows in variants that can be solved."""

BOARD_COUNTS = (1, 27, 324, 2250, 9882, 28215, 51894, 58752, 36882, 9750)
"""Number of three-row boards with 0 to 9 pieces and no set, ignoring the owners of the pieces."""

IMPOSSIBLE_SCORE_SUMS = (1, 2, 4)
"""Impossible sums of both sides' scored pieces, since a turn scores three pieces, or five or more."""

SLOT_BYTES, NUMBER_BYTES = 8, 32
"""Size in bytes of a table slot, and of a Python number in the table if the kernel is not compiled."""

EXPLORATION_SHARE = 0.2
"""Share of the time spent on finding the positions, as opposed to solving them."""

SLOTS_PER_POSITION = 2.2
"""Average number of table slots per position. A full table doubles in size, so it has more slots than positions."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("variant", metavar="VARIANT", type=variant_option, help="the pond, such as 3x3/6/3")
    help_text = "also show this position and its actions; repeatable"
    add_list(parser, "--position", "POSITION", help_text)
    help_text = f"megabytes for the tables ({DEFAULT_MEGABYTES})"
    add_number(parser, "--memory", help_text, count_parser("megabytes"), metavar="MB", default=DEFAULT_MEGABYTES)


def run_command(options: Namespace) -> None:
    variant = options.variant
    positions = [Position.from_notation(position_line, variant) for position_line in options.position]
    solver = solve_variant(variant, options.memory)
    start = Position.start(variant)
    value = describe_value(solver.position_value(pack_position(start)), start)
    print_text(f"{to_english(Message('solve.pond', variant=variant.name))} {to_english(value)}\n")
    print_text(f"{to_english(Message('solve.first_eggs'))}\n")
    print("\n".join(_draw_first_eggs(solver, variant)))
    for position in positions:
        print("\n" + "\n".join(_describe_position(solver, position)))


def solve_variant(variant: Variant, megabytes: int) -> ExactSolver:
    """Solve a variant. Print the progress to standard error and a summary to standard output.

    Raise PondError if the variant has more than three rows, or needs more memory than allowed.
    """
    if variant.size != SOLVABLE_ROWS:
        raise PondError(Message("solve.too_many_rows", variant=variant.name, rows=variant.size))
    estimate = estimate_positions(variant)
    needed = _count_megabytes(estimate, round(estimate * SLOTS_PER_POSITION))
    if needed > megabytes:
        sizes = {"positions": estimate, "needed": round(needed), "allowed": megabytes}
        raise PondError(Message("solve.too_large", variant=variant.name, **sizes))
    begin_instant = monotonic()
    solver = ExactSolver(packed_rules(variant), variant.spawn)

    def show_progress() -> None:
        if not solver.explored:
            found_share = min(1.0, int(solver.found) / estimate)
            state = Message("solve.exploring", found=int(solver.found), estimate=estimate)
            progress.show_state(state, EXPLORATION_SHARE * found_share)
        else:
            solved_share = int(solver.done) / (2 * int(solver.positions))
            done_share = EXPLORATION_SHARE + (1 - EXPLORATION_SHARE) * solved_share
            progress.show_state(Message("solve.solving", positions=int(solver.positions)), done_share)

    solver.on_progress = show_progress
    with ProgressLine() as progress:
        while solver.explore_layer():
            if _count_megabytes(solver.positions, solver.table_size) > megabytes:
                raise PondError(Message("solve.out_of_memory", variant=variant.name, allowed=megabytes))
        while solver.solve_layer():
            pass
    kernel = "compiled" if packed.is_compiled() else "plain"
    megabytes_used = _count_megabytes(solver.positions, solver.table_size)
    seconds = monotonic() - begin_instant
    done = Message(f"solve.{kernel}", positions=int(solver.positions), seconds=seconds, megabytes=megabytes_used)
    print_text(to_english(done))
    return solver


def estimate_positions(variant: Variant) -> int:
    """Estimate the number of positions of a three-row variant, counting symmetric positions and swapped colours once.

    Count the boards without a set, including some that can't occur in play, and divide by the eight symmetries.
    """
    reserves = [
        (variant.spawn - spawn - scored, scored)
        for spawn in range(variant.spawn + 1)
        for scored in range(min(variant.target, variant.spawn - spawn + 1))
    ]
    board_total = sum(
        BOARD_COUNTS[light + dark] * comb(light + dark, light)
        for (light, light_scored), (dark, dark_scored) in product(reserves, repeat=2)
        if light + dark < len(BOARD_COUNTS) and light_scored + dark_scored not in IMPOSSIBLE_SCORE_SUMS
    )
    return -(-board_total // 8)


def describe_value(position_value: int, position: Position) -> Message:
    """Describe who wins from an unfinished position, and in how many actions."""
    if not position_value:
        return Message("solve.draw")
    action_count = WIN_VALUE - abs(position_value)
    side = position.to_move if position_value > 0 else position.to_move.other_side
    return Message("solve.wins", side=str(side), count=action_count)


def format_value(position_value: int) -> str:
    """Format a value for the side to move, in two or three words."""
    return to_english(Message(f"solve.value.{name_value(position_value)}", actions=WIN_VALUE - abs(position_value)))


def name_value(position_value: int) -> str:
    """Return `wins`, `draws` or `loses` for the side to move."""
    return "wins" if position_value >= MIN_WIN_VALUE else "loses" if position_value else "draws"


def _draw_first_eggs(solver: ExactSolver, variant: Variant) -> list[str]:
    grid = get_grid(variant.size)
    value_texts = list(map(format_value, solver.action_values(pack_position(Position.start(variant)))))
    width = max(map(len, value_texts))
    padded = {cell: f"{text:<{width}}" for cell, text in zip(grid.cells, value_texts, strict=True)}
    return align_columns([*((row[0][1], *(padded[cell] for cell in row)) for row in grid.rows), ("", *"abc")], "llll")


def _describe_position(solver: ExactSolver, position: Position) -> list[str]:
    """Return lines with a position, its value, and the values of its actions, best first."""
    packed_position = pack_position(position)
    if end := find_outcome(position):
        return [position.notation_line, to_english(describe_outcome(end, position))]
    try:
        position_value, action_values = solver.position_value(packed_position), solver.action_values(packed_position)
    except KeyError:
        return [position.notation_line, to_english(Message("solve.unreachable"))]
    best = set(solver.best_actions(packed_position))
    text_lines = [position.notation_line, to_english(describe_value(position_value, position))]
    valued_actions = zip(solver.rules.legal_actions(packed_position), action_values, strict=True)
    for action, action_value in sorted(valued_actions, key=lambda valued: -valued[1]):
        mark = "  *" if action in best else ""
        text_lines.append(f"{unpack_action(action, position.variant)!s:<5} {format_value(action_value)}{mark}")
    return text_lines


def _count_megabytes(position_count: int, slot_count: int) -> float:
    return (slot_count * SLOT_BYTES + (0 if packed.is_compiled() else position_count * NUMBER_BYTES)) / 1e6
