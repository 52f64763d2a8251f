"""The games of a journal as commands use them: read and numbered, found by number, changed."""

from __future__ import annotations

import os
import re
import sqlite3
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR

from pond_hw.commands.arguments import add_journal_option, choose_journal, require_unix
from pond_hw.commands.command_output import print_complaint
from pond_hw.journal import StoredGame
from pond_hw.journal.database_file import DamagedJournal, ForeignFile
from pond_hw.journal.folder import JournalLocked, read_all_games
from pond_hw.journal.game_list import NumberedGame, number_games
from pond_hw.journal.game_records import build_record
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError, Record

JSON_VERSION = 1
"""The form of the JSON objects; it counts up when a key goes or changes its meaning."""


def add_game_argument(parser: ArgumentParser, nargs: str | None = None) -> None:
    """Add the number of a game as `game`, or of several as `games`, and where they are kept."""
    help_text = "a number that `pond games` lists, or `last`"
    parser.add_argument("games" if nargs else "game", metavar="N", nargs=nargs, help=help_text)
    add_journal_option(parser)


class KeptGames:
    """The games of a journal.

    Args:
        folder: the journal.

    Attributes:
        folder: the journal.
        games: all of them, the one that was begun first in front.
        begun: those in which something happened.
        unreadable: what cannot be read, which was said.

    Raises:
        PondError: there is something else in the folder's place, or nobody lets us in.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        kept_games, self.unreadable = _read_folder(folder)
        self.games = number_games(kept_games)
        self.begun = [game for game in self.games if not game.is_empty]

    @property
    def exit_code(self) -> int:
        """What a command that lists games ends with: 2 if nothing could be read, else 0."""
        return 2 if self.unreadable and not self.begun else 0

    def json_heading(self) -> dict[str, object]:
        """What the JSON object of a command that lists games begins with."""
        return {"form": JSON_VERSION, "folder": str(self.folder), "unreadable": self.unreadable}

    def find(self, game_names: Sequence[str]) -> list[NumberedGame]:
        """The games that people have named by their numbers; `last` is the one that was begun last.

        Raises:
            PondError: there is no such game.
        """
        if not self.begun:
            raise PondError(f"There is no game in {self.folder}.")
        by_name = {str(game.number): game for game in self.games} | {"last": self.begun[-1]}
        for game_name in game_names:
            if game_name not in by_name:
                is_number = re.fullmatch("[0-9]{1,9}", game_name, re.ASCII)
                missing_text = f"no game {game_name}" if is_number else f"nothing named {game_name[:20]!r}"
                place_text = f"in {self.folder}; `pond games` lists the numbers, and there is `last`."
                raise PondError(f"There is {missing_text} {place_text}")
        return list({by_name[game_name].number: by_name[game_name] for game_name in game_names}.values())

    @contextmanager
    def changing(self, if_taken: str = "") -> Iterator[None]:
        """What goes wrong while the journal is changed is said in a sentence.

        Args:
            if_taken: what to do if another program writes there.

        Raises:
            PondError: it cannot be changed.
        """
        folder = self.folder
        if folder.exists() and os.geteuid() == 0 and folder.stat().st_uid != 0:
            raise PondError(f"What root writes in {folder} its owner could not write any more.{_advise_owner(folder)}")
        try:
            yield
        except JournalLocked as taken:
            raise PondError(f"{taken} {if_taken}".strip()) from None
        except PermissionError:
            raise PondError(f"{folder} may not be written to.{_advise_owner(folder)}") from None
        except (DamagedJournal, ForeignFile, sqlite3.Error) as error:
            raise PondError(f"The journal in {folder} cannot be written: {error}.") from None


def open_journal(options: Namespace) -> KeptGames:
    """The games that are meant.

    Raises:
        PondError: there is no such journal, or it cannot be read.
    """
    require_unix("pond games")
    folder = choose_journal(options)
    if folder is None:
        raise PondError("No games are kept here ($POND_JOURNAL says off); --journal names a folder.")
    if options.journal is not None:
        try:
            folder.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise PondError(f"There is no folder {folder}. Name the one where your games are kept.") from None
        except (OSError, ValueError):
            pass  # whoever reads it says what is wrong
    return KeptGames(folder)


def make_record(game: NumberedGame) -> Record:
    """The record of a game, as far as it is good.

    Raises:
        PondError: nothing of it can be read.
    """
    require_readable(game)
    return build_record(game.stored)


def require_readable(game: NumberedGame) -> None:
    """See to it that something of a game can be read.

    Raises:
        PondError: nothing can.
    """
    if not game.is_readable:
        raise PondError(_describe_damage(game))


def warn_of_damage(game: NumberedGame) -> None:
    """Say how far a game can be read, if that is not to its end."""
    if game.stored.fault:
        print_complaint(_describe_damage(game))


def _describe_damage(game: NumberedGame) -> str:
    if not game.is_readable:
        return f"Nothing of game {game.number} can be read: {game.stored.fault}."
    return f"Game {game.number} can be read to turn {len(game.stored.projection.turns)} only: {game.stored.fault}."


def _read_folder(folder: Path) -> tuple[list[StoredGame], list[str]]:
    """The games of a journal, and what cannot be read, which is said at once."""
    try:
        is_folder = S_ISDIR(folder.stat().st_mode)
        kept_games, unreadable = read_all_games(folder)
    except FileNotFoundError:
        return [], []
    except PermissionError:
        raise PondError(f"{folder} may not be read.{_advise_owner(folder)}") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no folder can have
        raise PondError(f"{folder} cannot be read: {describe_system_error(error)}.") from None
    if not is_folder:
        raise PondError(f"{folder} is no folder, so there are no games in it.")
    for fault_text in unreadable:
        print_complaint(fault_text)
    return kept_games, unreadable


def _advise_owner(folder: Path) -> str:
    """How to do it as the user whom a folder belongs to, if that is somebody else."""
    from pwd import getpwuid  # Windows has none

    try:
        owner = folder.stat().st_uid
        if owner == os.geteuid():
            return ""
        return f" Do it as the user it belongs to: sudo -u {getpwuid(owner).pw_name} pond ..."
    except (OSError, KeyError):
        return ""
