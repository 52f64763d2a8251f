"""`pond statistics`: what the finished games come to."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from pond_hw.commands.command import CommandEntry
from pond_hw.commands.command_output import print_lines
from pond_hw.commands.journal_options import add_journal_option, open_journal
from pond_hw.commands.options import JSON_HELP, add_flag

COMMAND = CommandEntry("statistics", "Tell what the finished games come to.", "--by player")


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_journal_option(parser)
    parser.add_argument("--by", choices=("player", "variant"), help="a line for each player, or each pond")
    add_flag(parser, "--json", JSON_HELP)


def run_command(options: Namespace) -> int:
    """Count games.

    Returns:
        2 if nothing could be read, else 0.
    """
    journal = open_journal(options)
    from pond_hw.commands import statistics_text
    from pond_hw.journal.statistics import count_games, count_games_by_player, count_games_by_variant, select_finished

    finished = select_finished(journal.begun)
    unfinished = sum(game.is_readable for game in journal.begun) - len(finished)
    if options.json:
        report = journal.json_heading() | {"unfinished": unfinished}
        report |= statistics_text.format_counts(count_games(finished))
        if options.by == "player":
            players = count_games_by_player(finished)
            report["players"] = [statistics_text.format_player_counts(player) for player in players]
        if options.by == "variant":
            variants = count_games_by_variant(finished)
            report["variants"] = {
                name: statistics_text.format_counts(game_counts) for name, game_counts in variants.items()
            }
        print(json.dumps(report, indent=1))
    elif not journal.begun:
        if not journal.unreadable:
            print_lines(f"There is no game in {journal.folder}.")
    elif options.by == "player" and finished:
        print_lines(*statistics_text.describe_players(count_games_by_player(finished)))
    elif options.by == "variant" and finished:
        print_lines(*statistics_text.describe_variants(count_games_by_variant(finished)))
    else:
        print_lines(*statistics_text.describe_counts(count_games(finished), unfinished))
    return journal.exit_code
