"""A study as it was asked for on the command line: planned, played, valued, reported."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from pond_hw.commands.command_output import print_note
from pond_hw.commands.many_games import (
    INTERRUPTED,
    GameProgress,
    check_workers,
    open_workers,
    play_games,
    treat_termination_as_ctrl_c,
)
from pond_hw.commands.progress_line import ProgressLine
from pond_hw.commands.study_text import format_report
from pond_hw.commands.variant_solution import SOLVABLE_ROWS, estimate_positions
from pond_hw.engine.packed import is_compiled
from pond_hw.engine.searcher import TABLE_MEGABYTES
from pond_hw.lab.fairness import StudyProgress, study_to_json
from pond_hw.lab.openings import OpeningValues, search_openings, solve_openings
from pond_hw.lab.results_file import ResultsFile
from pond_hw.lab.tournament import run_tournament
from pond_hw.lab.tournament_plan import TournamentPlan, make_plan
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.rules import Cell, PondError, Variant

MOST_VARIANTS = 8
"""More of them no picture holds."""

USUAL_NODES = 20_000
"""Positions that the player looks at for each action: a game takes less than a second then, if compiled."""

USUAL_LOOK = (50_000, 2_000_000)
"""Positions that are looked at for the values of the first actions, plain and compiled: some seconds."""

MOST_SOLVED = (20_000, 1_500_000)
"""Variants with no more positions than so many are solved besides, plain and compiled: some seconds."""

ExactValues = Mapping[Cell, int]
"""What the first actions are really worth, where that can be known."""


def run_study(options: Namespace) -> int:
    """Study variants, or go on with it.

    Args:
        options: what was given on the command line.

    Returns:
        The exit code: 130 if Ctrl-C has stopped it, else 0.

    Raises:
        PondError: it cannot be done as asked.
    """
    plan = _make_plan(options)
    look_nodes = USUAL_LOOK[is_compiled()] if options.look is None else options.look
    folder = None if options.plots is None else _prepare_folder(options.plots)
    path = None if options.out is None else Path(options.out)
    study = StudyProgress(plan)
    opening_values, exact_values = list[OpeningValues](), list[ExactValues | None]()

    def play(results_file: ResultsFile | None, progress: GameProgress) -> None:
        treat_termination_as_ctrl_c()
        if not study.is_complete:
            with open_workers(options.workers) as batch_executor:
                run_tournament(study, batch_executor, results_file, progress.update)
        progress.clear()
        _value_openings(study, look_nodes, opening_values, exact_values)

    if not play_games(study, path, "The same command goes on.", play):
        return INTERRUPTED
    results = study_to_json(study, opening_values, exact_values)
    print(json.dumps(results, indent=1) if options.json else "\n".join(format_report(plan, results)), flush=True)
    if folder:
        from pond_hw.commands.study_plots import draw_plots

        print_note(f"{', '.join(draw_plots(results, folder))} drawn in {folder}.")
    return 0


def _make_plan(options: Namespace) -> TournamentPlan:
    """The plan that was asked for on the command line."""
    check_workers(options.workers)
    if options.player is not None and options.nodes is not None:
        raise PondError("--nodes is for the usual player, which looks at so many positions; leave out --player or it.")
    if options.out == "":
        raise PondError("--out needs the name of a file.")
    if options.look is not None and options.look < 1:
        raise PondError(f"The first actions are looked at with 1 position or more, not {options.look}.")
    if len(options.variants) > MOST_VARIANTS:
        raise PondError(f"{MOST_VARIANTS} ponds can be compared at the most, not {len(options.variants)}.")
    return make_plan(
        [options.player or f"search@n{options.nodes or USUAL_NODES}"],
        [variant.name for variant in options.variants],
        game_count=options.games,
        seed=options.seed,
        opening=options.opening,
        records=True,
    )


def _prepare_folder(folder_name: str) -> Path:
    """A folder for pictures; before hours of games it is known that they can be drawn there.

    Raises:
        PondError: they cannot.
    """
    if not folder_name:
        raise PondError("--plots needs the name of a folder.")
    from pond_hw.commands.study_plots import check_matplotlib

    check_matplotlib()
    folder = Path(folder_name)
    with explain_system_errors(f"{folder_name} cannot be a folder"):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _value_openings(
    study: StudyProgress, look_nodes: int, opening_values: list[OpeningValues], exact_values: list[ExactValues | None]
) -> None:
    """Add what the first actions are worth on each variant, and what they are really worth."""
    with ProgressLine() as progress:
        for variant_number, seen in enumerate(study.variant_statistics):

            def tell_progress(
                words: str = f"the first actions on {seen.variant} are looked at", done: int = variant_number
            ) -> bool:
                progress.show_state(words, done / len(study.variant_statistics) if done else None)
                return False  # nobody wants it to stop

            opening_values.append(search_openings(seen.variant, look_nodes, TABLE_MEGABYTES, tell_progress))
            exact_values.append(solve_openings(seen.variant) if _is_quickly_solved(seen.variant) else None)


def _is_quickly_solved(variant: Variant) -> bool:
    return variant.size == SOLVABLE_ROWS and estimate_positions(variant) <= MOST_SOLVED[is_compiled()]
