"""`pond resume`: make a board ask about resuming a game the next time it starts."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pond_hw.commands.arguments import add_language_option, read_language
from pond_hw.commands.command_output import print_lines, print_note
from pond_hw.commands.saved_games import add_game_argument, open_journal, require_readable
from pond_hw.journal import editing
from pond_hw.messages.message import Message
from pond_hw.rules import PondError
from pond_hw.session import describe_outcome


def add_arguments(parser: ArgumentParser) -> None:
    add_game_argument(parser)
    add_language_option(parser)


def run_command(options: Namespace) -> None:
    saved_games = open_journal(options)
    (game,) = saved_games.find([options.game])
    require_readable(game)
    game_number, projection = game.number, game.stored.projection
    if projection.outcome:
        outcome = describe_outcome(projection.outcome, projection.position)
        raise PondError(Message("resuming.over", number=game_number, outcome=outcome))
    if game.is_empty:
        raise PondError(Message("resuming.empty", number=game_number))
    with saved_games.changing(Message("resuming.stop_first")):
        left_uids, warnings = editing.mark_for_resume(saved_games.folder, game.stored)
    for warning in warnings:
        print_note(warning)
    replaced = [game.number for game in saved_games.games if game.stored.uid in left_uids]
    print_lines(
        Message("resuming.offered", number=game_number, size=projection.variant.size),
        *(Message("resuming.replaced", number=number) for number in replaced),
        language=read_language(options),
    )
