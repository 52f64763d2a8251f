"""`pond study`: measure the fairness of variants in many games that one player plays against itself."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from pond_hw.commands import many_games
from pond_hw.commands.arguments import FileOption, add_flag, add_number, count_parser, variant_option
from pond_hw.commands.command_output import print_note
from pond_hw.commands.progress_line import ProgressLine
from pond_hw.commands.solve import SOLVABLE_ROWS, estimate_positions
from pond_hw.commands.study_plots import check_matplotlib, draw_plots
from pond_hw.commands.study_text import format_report
from pond_hw.engine.packed import is_compiled
from pond_hw.engine.searcher import TABLE_MEGABYTES
from pond_hw.interrupts import INTERRUPTED
from pond_hw.lab.openings import OpeningValues, search_openings, solve_openings
from pond_hw.lab.study import StudyProgress, study_to_json
from pond_hw.lab.tournament_plan import TournamentPlan, make_plan
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.rules import PondError, Variant

DEFAULT_OPENING = 2
"""Default number of random actions at the start: one per side, so that neither side benefits."""


MAX_VARIANTS = 8
"""Maximum number of variants in a study, since no more fit in a plot."""

DEFAULT_NODES = 20_000
"""Default number of positions searched per action. With the compiled kernel, a game then takes less than a second."""

DEFAULT_LOOK_NODES = (50_000, 2_000_000)
"""Default number of positions searched to value the first actions, without and with the compiled kernel."""

MAX_SOLVED_POSITIONS = (20_000, 1_500_000)
"""Maximum number of positions in a variant that is also solved, without and with the compiled kernel."""


def add_arguments(parser: ArgumentParser) -> None:
    help_text = "a pond; name several to compare them"
    parser.add_argument("variants", metavar="VARIANT", type=variant_option, nargs="+", help=help_text)
    add_number(parser, "--games", "games on each pond (200)", default=200)
    add_number(parser, "--seed", "seed for all random choices (0)", default=0)
    add_number(
        parser, "--nodes", "positions that the player searches for each action (20000)", count_parser("positions")
    )
    help_text = "another player: random, greedy, level-1 to level-12, or a search such as search@d6 or mcts@n1000"
    parser.add_argument("--player", metavar="PLAYER", help=help_text)
    help_text = "random actions at the start (2); the first egg is placed on each cell in turn"
    add_number(parser, "--opening", help_text, metavar="K", default=DEFAULT_OPENING)
    help_text = "positions to search for the values of the first eggs (2000000; 50000 if the engine is not compiled)"
    add_number(parser, "--look", help_text)
    many_games.add_worker_options(parser)
    parser.add_argument("--out", metavar="FILE", action=FileOption, help=many_games.OUT_HELP)
    parser.add_argument("--plots", metavar="FOLDER", help="draw plots (PNG) into this folder")
    add_flag(parser, "--json", many_games.RESULT_HELP)


def run_command(options: Namespace) -> int:
    """Study variants, or continue a study. Return 130 after Ctrl-C, else 0."""
    plan = _make_plan(options)
    look_nodes = DEFAULT_LOOK_NODES[is_compiled()] if options.look is None else options.look
    folder = None if options.plots is None else _prepare_folder(options.plots)
    many_games.treat_termination_as_ctrl_c()
    study, all_values = StudyProgress(plan), list[OpeningValues]()

    def value_openings() -> None:
        with ProgressLine() as progress:
            for number, variant in enumerate(options.variants):
                done_share = number / len(options.variants) if number else None
                all_values.append(_value_openings(variant, look_nodes, progress, done_share))

    path = None if options.out is None else Path(options.out)
    if not many_games.play_games(
        study, path, Message("study.resume"), lambda: many_games.open_workers(options), value_openings
    ):
        return INTERRUPTED
    results = study_to_json(study, all_values)
    print(json.dumps(results, indent=1) if options.json else "\n".join(format_report(plan, results)), flush=True)
    if folder:
        print_note(Message("study.plots_drawn", files=tuple(draw_plots(results, folder)), folder=str(folder)))
    return 0


def _make_plan(options: Namespace) -> TournamentPlan:
    many_games.check_worker_options(options)
    if options.player is not None and options.nodes is not None:
        raise PondError(Message("study.nodes_or_player"))
    if options.look is not None and options.look < 1:
        raise PondError(Message("study.wrong_look", look=options.look))
    if len(options.variants) > MAX_VARIANTS:
        raise PondError(Message("study.too_many_ponds", most=MAX_VARIANTS, ponds=len(options.variants)))
    return make_plan(
        [options.player or f"search@n{options.nodes or DEFAULT_NODES}"],
        [variant.name for variant in options.variants],
        game_count=options.games,
        seed=options.seed,
        opening=options.opening,
        records=True,
    )


def _prepare_folder(folder_name: str) -> Path:
    """Create the folder for plots and check that Matplotlib is installed. Any error should appear before the games."""
    if not folder_name:
        raise PondError(Message("option.needs_folder", option="--plots"))
    check_matplotlib()
    folder = Path(folder_name)
    with explain_system_errors("folder.cannot_make", folder=folder_name):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _value_openings(
    variant: Variant, look_nodes: int, progress: ProgressLine, done_share: float | None
) -> OpeningValues:
    """Return the values of the first actions, including exact values if the variant is small."""

    def show_progress() -> bool:
        progress.show_state(Message("study.valuing_openings", variant=variant.name), done_share)
        return False  # Don't stop the search.

    opening_values = search_openings(variant, look_nodes, TABLE_MEGABYTES, show_progress)
    is_small = variant.size == SOLVABLE_ROWS and estimate_positions(variant) <= MAX_SOLVED_POSITIONS[is_compiled()]
    return opening_values._replace(solved_values=solve_openings(variant)) if is_small else opening_values
