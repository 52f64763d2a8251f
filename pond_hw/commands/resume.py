"""`pond resume`: a game that was left is offered when a board starts next."""

from __future__ import annotations

from argparse import Namespace

from pond_hw.commands.command_output import print_complaint, print_lines
from pond_hw.commands.kept_games import add_game_argument, open_journal, require_readable
from pond_hw.journal import editing
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
        raise PondError(f"Game {game_number} is over. {describe_outcome(story.outcome, story.position)}")
    if game.is_empty:
        raise PondError(f"Nothing has happened in game {game_number} yet; begin a new one instead.")
    with kept_games.changing("Stop it first; the game is offered when it starts again."):
        left_uids, warning_texts = editing.offer_game_next(kept_games.folder, game.stored)
    for warning in warning_texts:
        print_complaint(warning)
    board_size = story.variant.size
    print_lines(f"Game {game_number} is offered when a board of {board_size}x{board_size} or more starts next.")
    for other_game in kept_games.games:
        if other_game.stored.uid in left_uids:
            advice = f"`pond resume {other_game.number}` brings it back."
            print_lines(f"Game {other_game.number} was to be offered and is left for it; {advice}")
