"""Where games are kept, and which of them are meant."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from pond_hw.commands.options import add_flag
from pond_hw.commands.platform_check import require_unix
from pond_hw.rules import PondError

if TYPE_CHECKING:
    from pond_hw.commands.kept_games import KeptGames


def add_journal_option(parser: ArgumentParser, usual: str = "your own state folder") -> None:
    """Add `--journal`."""
    parser.add_argument("--journal", metavar="FOLDER", help=f"where games are kept ({usual})")


def add_saving_options(parser: ArgumentParser, usual: str) -> None:
    """Add `--journal`, and `--unsaved` for games that are not kept."""
    add_journal_option(parser, usual)
    add_flag(parser, "--unsaved", "keep no game")


def add_game_argument(parser: ArgumentParser, nargs: str | None = None) -> None:
    """Add the number of a game as `game`, or of several as `games`, and where they are kept."""
    help_text = "a number that `pond games` lists, or `last`"
    parser.add_argument("games" if nargs else "game", metavar="N", nargs=nargs, help=help_text)
    add_journal_option(parser)


def choose_journal(options: Namespace, *, usual: bool) -> Path | None:
    """Where games are kept; None if nowhere.

    Args:
        options: what was given.
        usual: whether they are kept in the usual folder if none is named.

    Raises:
        PondError: what was asked for contradicts itself.
    """
    from pond_hw.journal.location import default_folder

    if getattr(options, "unsaved", False):
        if options.journal is not None:
            raise PondError("--journal names where games are kept, and --unsaved keeps none: give one of them.")
        return None
    if options.journal is None:
        return default_folder() if usual else None
    if not options.journal:
        raise PondError("--journal needs the name of a folder.")
    folder = Path(options.journal)
    for path in (folder, *folder.parents):
        if path.is_file() or path.is_char_device():
            raise PondError(f"{path} is not a folder. Name a folder for --journal.")
    return folder


def open_journal(options: Namespace) -> KeptGames:
    """The games that are meant.

    Raises:
        PondError: there is no such journal, or it cannot be read.
    """
    require_unix("pond games")
    folder = choose_journal(options, usual=True)
    if folder is None:
        raise PondError("No games are kept here ($POND_JOURNAL says off); --journal names a folder.")
    if options.journal is not None:
        try:
            folder.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise PondError(f"There is no folder {folder}. Name the one where your games are kept.") from None
        except (OSError, ValueError):
            pass  # whoever reads it says what is wrong
    from pond_hw.commands.kept_games import KeptGames

    return KeptGames(folder)
