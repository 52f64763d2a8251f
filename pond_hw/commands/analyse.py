"""`pond analyse`: what each action was worth, where the game turned, and what would have been better."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace

from pond_hw.commands import arguments
from pond_hw.commands.command_output import check_new_file, print_note, save_new_file
from pond_hw.commands.progress_line import ProgressLine
from pond_hw.commands.record_argument import add_record_argument, read_record_argument
from pond_hw.engine.analysis import DEEP_NODES, REVIEW_LIMITS, MoveReview, review_moves
from pond_hw.engine.analysis_text import analysis_to_json, annotate_record, format_analysis
from pond_hw.engine.packed import MAX_DEPTH
from pond_hw.engine.searcher import SearchLimits
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, Record


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_record_argument(parser)
    parse_depth = arguments.range_parser(f"a number of actions to look ahead is 1 to {MAX_DEPTH}", 1, MAX_DEPTH)
    arguments.add_number(parser, "--depth", "actions to look ahead", parse_depth)
    arguments.add_flag(
        parser, "--deep", "look deeper, like --nodes 100000: seconds if the engine is compiled, else minutes"
    )
    help_text = "positions to look at for each action (5000 if there is no other limit)"
    arguments.add_number(parser, "--nodes", help_text, arguments.count_parser("positions"))
    help_text = "time for each action; the result may differ from run to run"
    arguments.add_number(parser, "--seconds", help_text, arguments.parse_seconds, metavar="S")
    arguments.add_flag(parser, "--json", "one JSON object")
    help_text = "also write the record with the values to a new file"
    parser.add_argument("-o", metavar="FILE", dest="to", action=arguments.FileOption, help=help_text)
    arguments.add_language_option(parser)


def run_command(options: Namespace) -> None:
    """Analyse a game."""
    limits = choose_limits(options.depth, options.nodes, options.seconds, deep=options.deep)
    record, language = read_record_argument(options), arguments.read_language(options)
    if not record.turns:
        raise PondError(Message("analyse.no_action"))
    if options.to is not None:
        check_new_file(options.to)
    reviews = _review_actions(record, limits)
    if options.json:
        print(json.dumps(analysis_to_json(record, reviews, limits), indent=1))
    else:
        print("\n".join(format_analysis(record, reviews, limits, language)))
    if options.to is not None:
        sys.stdout.flush()
        save_new_file(options.to, str(annotate_record(record, reviews)))
        print_note(Message("file.written", file=options.to))


def choose_limits(depth: int | None, nodes: int | None, seconds: float | None, *, deep: bool = False) -> SearchLimits:
    """How far each position is looked ahead; without any bound, at few positions or, if `deep`, at many.

    Raises:
        PondError: `deep` and another bound contradict each other.
    """
    if deep and (depth, nodes, seconds) != (None, None, None):
        raise PondError(Message("analyse.two_limits"))
    usual_nodes = (DEEP_NODES if deep else REVIEW_LIMITS.nodes) if depth is None and seconds is None else 0
    return SearchLimits(MAX_DEPTH if depth is None else depth, usual_nodes if nodes is None else nodes, seconds)


def _review_actions(record: Record, limits: SearchLimits) -> list[MoveReview]:
    reviews, action_count = list[MoveReview](), len(record.turns)
    with ProgressLine() as progress:
        progress.show_state(Message("progress.actions", done=0, total=action_count), 0.0)
        for review in review_moves(record, limits):
            reviews.append(review)
            state = Message("progress.actions", done=len(reviews), total=action_count)
            progress.show_state(state, len(reviews) / action_count)
    return reviews
