"""Saved games as used by commands: numbering, look-up by number, and changes."""

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
from pond_hw.commands.command_output import print_note
from pond_hw.journal import StoredGame
from pond_hw.journal.database_file import DamagedJournal, ForeignFile, describe_file_error
from pond_hw.journal.folder import JournalLocked, read_all_games
from pond_hw.journal.game_list import NumberedGame, number_games
from pond_hw.journal.game_records import build_record
from pond_hw.journal.other_games import CARDS_FOLDER
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError, Record

JSON_VERSION = 1
"""Version of the JSON objects, increased when a key is removed or its meaning changes."""


def add_game_argument(parser: ArgumentParser, nargs: str | None = None) -> None:
    """Add the argument `game` for one game number, or `games` if `nargs` is given, and `--journal`."""
    help_text = "a number that `pond games` lists, or `last`"
    parser.add_argument("games" if nargs else "game", metavar="N", nargs=nargs, help=help_text)
    add_journal_option(parser)


class SavedGames:
    """Games in a journal. Read errors are printed and listed in `unreadable`.

    Attributes:
        games: all games, oldest first.
        started: games with at least one event.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        saved_games, self.unreadable = _read_folder(folder)
        self.games = number_games(saved_games)
        self.started = [game for game in self.games if not game.is_empty]

    @property
    def exit_code(self) -> int:
        """Exit code of a command that lists games: 2 if errors made every game unreadable, else 0."""
        return 2 if self.unreadable and not self.started else 0

    @property
    def none_message(self) -> Message:
        """Message about an empty journal, with the command that starts a game."""
        return Message("games.none", folder=str(self.folder), command=f"{self._program} play")

    @property
    def list_command(self) -> str:
        """Command that lists the games."""
        return f"{self._program} games"

    @property
    def _program(self) -> str:
        return "pond cards" if self.folder.name == CARDS_FOLDER else "pond"

    def json_heading(self) -> dict[str, object]:
        """Return the first fields of a JSON object."""
        return {"form": JSON_VERSION, "folder": str(self.folder), "unreadable": list(map(to_english, self.unreadable))}

    def find(self, game_names: Sequence[str]) -> list[NumberedGame]:
        """Return games by their numbers; `last` is the newest game. Raise PondError if a game does not exist."""
        if not self.started:
            raise PondError(self.none_message)
        by_name = {str(game.number): game for game in self.games} | {"last": self.started[-1]}
        for game_name in game_names:
            if game_name not in by_name:
                kind = "no_such_number" if re.fullmatch("[0-9]{1,9}", game_name, re.ASCII) else "no_such_name"
                where = {"folder": str(self.folder), "command": self.list_command}
                raise PondError(Message(f"game.{kind}", name=game_name[:20], **where))
        return list({by_name[game_name].number: by_name[game_name] for game_name in game_names}.values())

    @contextmanager
    def changing(self, advice: Message | None = None) -> Iterator[None]:
        """Convert an error in this block to PondError. Add the advice if another program has the journal open."""
        folder = self.folder
        if folder.exists() and os.geteuid() == 0 and folder.stat().st_uid != 0:
            raise _refuse_folder("not_for_root", folder)
        try:
            yield
        except JournalLocked as taken:
            if not advice:
                raise
            raise PondError(Message("journal.in_use_then", reason=taken.message, advice=advice)) from None
        except PermissionError:
            raise _refuse_folder("not_writable", folder) from None
        except (DamagedJournal, ForeignFile, sqlite3.Error) as error:
            reason = describe_file_error(error)
            raise PondError(Message("journal.cannot_write", folder=str(folder), reason=reason)) from None


def open_journal(options: Namespace, *, card_games: bool = False) -> SavedGames:
    """Read the journal, or the card games next to it."""
    require_unix("pond games")
    folder = choose_journal(options)
    if folder is None:
        raise PondError(Message("journal.off"))
    if options.journal is not None:
        try:
            folder.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise PondError(Message("journal.no_folder", folder=str(folder))) from None
        except (OSError, ValueError):
            pass  # Reported below, when the folder is read.
    return SavedGames(folder / CARDS_FOLDER if card_games else folder)


def make_record(game: NumberedGame) -> Record:
    """Return the record of a game, up to the first damaged part."""
    require_readable(game)
    return build_record(game.stored)


def require_readable(game: NumberedGame) -> None:
    """Raise PondError if no part of a game is readable."""
    if not game.is_readable:
        raise PondError(_describe_damage(game))


def warn_of_damage(game: NumberedGame) -> None:
    """Print a note if part of a game is unreadable."""
    if game.stored.fault:
        print_note(_describe_damage(game))


def _describe_damage(game: NumberedGame) -> Message:
    assert game.stored.fault
    kind = "readable_to_turn" if game.is_readable else "nothing_readable"
    turn = len(game.stored.projection.turns)
    return Message(f"game.{kind}", number=game.number, turn=turn, reason=game.stored.fault)


def _read_folder(folder: Path) -> tuple[list[StoredGame], list[Message]]:
    """Return the games in a journal, and the messages about unreadable files, which are also printed."""
    try:
        is_folder = S_ISDIR(folder.stat().st_mode)
        saved_games, unreadable = read_all_games(folder)
    except FileNotFoundError:
        return [], []
    except PermissionError:
        raise _refuse_folder("not_readable", folder) from None
    except (OSError, ValueError) as error:  # ValueError: the name is invalid.
        raise PondError(Message("file.cannot_read", file=str(folder), reason=describe_system_error(error))) from None
    if not is_folder:
        raise PondError(Message("folder.not_a_folder", folder=str(folder)))
    for notice in unreadable:
        print_note(notice)
    return saved_games, unreadable


def _refuse_folder(kind: str, folder: Path) -> PondError:
    """Return an error for an unusable folder. If another user owns it, advise running the command as that user."""
    if owner := _find_other_owner(folder):
        return PondError(Message(f"folder.{kind}.use_owner", folder=str(folder), owner=owner))
    return PondError(Message(f"folder.{kind}", folder=str(folder)))


def _find_other_owner(folder: Path) -> str:
    """Return the owner of a folder; an empty string if it is the current user or unknown."""
    from pwd import getpwuid  # Windows has no pwd module.

    try:
        owner = folder.stat().st_uid
        if owner == os.geteuid():
            return ""
        return getpwuid(owner).pw_name
    except (OSError, KeyError):
        return ""
