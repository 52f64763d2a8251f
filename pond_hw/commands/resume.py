"""`pond resume`: a game that somebody left is offered the next time that a board starts."""

from __future__ import annotations

from argparse import Namespace

from pond_hw.commands.command_output import print_complaint, print_lines
from pond_hw.commands.kept_games import add_game_argument, open_journal, require_readable
from pond_hw.journal import editing
from pond_hw.messages.message import Message
from pond_hw.rules import PondError
from pond_hw.session import describe_outcome

add_arguments = add_game_argument


def run_command(options: Namespace) -> None:
    """Have a game offered."""
    kept_games = open_journal(options)
    (game,) = kept_games.find([options.game])
    require_readable(game)
    game_number, story = game.number, game.stored.projection
    if story.outcome:
        outcome = describe_outcome(story.outcome, story.position)
        raise PondError(Message("resuming.over", number=game_number, outcome=outcome))
    if game.is_empty:
        raise PondError(Message("resuming.empty", number=game_number))
    with kept_games.changing(Message("resuming.stop_first")):
        left_uids, warnings = editing.offer_game_next(kept_games.folder, game.stored)
    for warning in warnings:
        print_complaint(str(warning))
    print_lines(str(Message("resuming.offered", number=game_number, size=story.variant.size)))
    for other_game in kept_games.games:
        if other_game.stored.uid in left_uids:
            print_lines(str(Message("resuming.replaced", number=other_game.number)))
