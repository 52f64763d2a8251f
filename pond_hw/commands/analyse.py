"""`pond analyse`: rate each action of a game, and show turning points and better moves."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from functools import partial
from textwrap import wrap

from pond_hw.commands import arguments
from pond_hw.commands.command_output import check_new_file, print_note, save_new_file
from pond_hw.commands.progress_line import ProgressLine
from pond_hw.commands.record_argument import add_record_argument, read_record_argument
from pond_hw.engine.analysis import (
    DEEP_NODES,
    REVIEW_LIMITS,
    SideSummary,
    find_decision,
    review_moves,
    summarize_side,
)
from pond_hw.engine.packed import MAX_DEPTH
from pond_hw.engine.player_name import name_players
from pond_hw.engine.reviewed_game import ReviewedGame, ReviewedTurn
from pond_hw.engine.searcher import SearchLimits
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import align_columns
from pond_hw.rules import PondError, Record, Side
from pond_hw.session import describe_end

TEXT_WIDTH = 80
"""Width of the text in columns."""

JSON_VERSION = 1
"""Version of the JSON object, increased when a key is removed or its meaning changes."""


def add_arguments(parser: ArgumentParser) -> None:
    add_record_argument(parser)
    parse_depth = arguments.range_parser(f"the number of actions must be 1 to {MAX_DEPTH}", 1, MAX_DEPTH)
    arguments.add_number(parser, "--depth", "number of actions to look ahead", parse_depth)
    arguments.add_flag(
        parser, "--deep", "look deeper, like --nodes 100000; takes seconds if the engine is compiled, else minutes"
    )
    help_text = "positions to search for each action (5000 if there is no other limit)"
    arguments.add_number(parser, "--nodes", help_text, arguments.count_parser("positions"))
    help_text = "seconds for each action; the result may differ from run to run"
    arguments.add_number(parser, "--seconds", help_text, arguments.parse_seconds, metavar="S")
    arguments.add_flag(parser, "--json", "print one JSON object")
    help_text = "also write the record with the values to a new file"
    parser.add_argument("-o", metavar="FILE", dest="to", action=arguments.FileOption, help=help_text)
    arguments.add_language_option(parser)


def run_command(options: Namespace) -> None:
    limits = choose_limits(options.depth, options.nodes, options.seconds, deep=options.deep)
    record, language = read_record_argument(options), arguments.read_language(options)
    if not record.turns:
        raise PondError(Message("analyse.no_action"))
    if options.to is not None:
        check_new_file(options.to)
    game = _review_game(record, limits)
    if options.json:
        print(json.dumps(analysis_to_json(game, limits), indent=1))
    else:
        print("\n".join(format_analysis(game, limits, language)))
    if options.to is not None:
        sys.stdout.flush()
        save_new_file(options.to, str(game.annotated_record()))
        print_note(Message("file.written", file=options.to))


def choose_limits(depth: int | None, nodes: int | None, seconds: float | None, *, deep: bool = False) -> SearchLimits:
    """Return the search limits: `REVIEW_LIMITS` by default, or more positions if `deep` is True."""
    if deep and (depth, nodes, seconds) != (None, None, None):
        raise PondError(Message("analyse.two_limits"))
    default_nodes = (DEEP_NODES if deep else REVIEW_LIMITS.nodes) if depth is None and seconds is None else 0
    return SearchLimits(MAX_DEPTH if depth is None else depth, default_nodes if nodes is None else nodes, seconds)


def _review_game(record: Record, limits: SearchLimits) -> ReviewedGame:
    game, action_count = ReviewedGame(record), len(record.turns)
    with ProgressLine() as progress:
        progress.show_state(Message("progress.actions", done=0, total=action_count), 0.0)
        for review in review_moves(record, limits):
            game.add_review(review)
            state = Message("progress.actions", done=len(game.turns), total=action_count)
            progress.show_state(state, len(game.turns) / action_count)
    return game


def format_analysis(game: ReviewedGame, limits: SearchLimits, language: str) -> Iterator[str]:
    text, wrapped = get_catalogue(language).text, partial(wrap, width=TEXT_WIDTH)
    record, turning_points = game.record, game.worst_turning_points
    light, dark = name_players(record.tags.get("Light"), record.tags.get("Dark"))
    heading = Message("analysis.heading", variant=record.variant.name, light=light, dark=dark)
    yield from wrapped(text([heading, describe_end(record.position, record.outcome)]))
    yield from wrapped(text([Message("analysis.legend"), *_describe_limits(limits)]))
    yield ""
    yield from align_columns(map(_list_turn, game.turns), "rllll", language=language)
    yield ""
    wrap_indented = partial(wrapped, subsequent_indent="  ")
    if (total := len(game.turning_points)) > len(turning_points):
        yield text(Message("analysis.worst_turning_points", shown=len(turning_points), total=total))
    for turn in turning_points:
        yield from wrap_indented(text(turn.turning_point))
    yield from wrap_indented(text(game.decision))
    yield ""
    for summary in game.summaries:
        yield from wrap_indented(text(summary))


def _list_turn(turn: ReviewedTurn) -> tuple[object, ...]:
    starting_side, number = turn.record.start_position.to_move, f"{turn.pair_number}."
    if (turn.index + starting_side) % 2:
        number = "" if turn.index else "1..."
    side = Message(f"side.{turn.review.side}")
    return number, side, turn.review.taken, turn.value, turn.remark or ""


def _describe_limits(limits: SearchLimits) -> Iterator[Message]:
    if limits.nodes:
        yield Message("analysis.limit.nodes", count=limits.nodes)
    if limits.seconds is not None:
        yield Message("analysis.limit.seconds", seconds=limits.seconds)
    if limits.depth < MAX_DEPTH:
        yield Message("analysis.limit.depth", count=limits.depth)


def analysis_to_json(game: ReviewedGame, limits: SearchLimits) -> dict[str, object]:
    record, decision = game.record, find_decision(game.move_reviews)
    depth = limits.depth if limits.depth < MAX_DEPTH else None
    return {
        "form": JSON_VERSION,
        "variant": record.variant.name,
        "position": record.start_position.notation_line,
        "light": record.tags.get("Light"),
        "dark": record.tags.get("Dark"),
        "result": record.result_text,
        "limits": {"depth": depth, "nodes": limits.nodes or None, "seconds": limits.seconds},
        "turns": [turn.to_json() for turn in game.turns],
        "turning_points": [_turning_point_to_json(turn) for turn in game.worst_turning_points],
        "decided": decision and {"turn": decision[0], "winner": str(decision[1])},
        "summary": {str(side): _summary_to_json(summarize_side(game.move_reviews, side)) for side in Side},
    }


def _turning_point_to_json(turn: ReviewedTurn) -> dict[str, object]:
    messages = turn.explanation
    message_objects = [message.to_json() for message in messages]
    return {"turn": turn.index + 1, "told": get_catalogue().text(messages), "said": message_objects}


def _summary_to_json(summary: SideSummary) -> dict[str, object]:
    return {
        "actions": summary.actions,
        "mean_loss": round(summary.mean_loss / 100, 4),
        "as_the_best": summary.best_count,
        **{f"{grade.name.lower()}s": count for grade, count in summary.mistake_counts.items()},
        "wins_missed": summary.missed_wins,
    }
