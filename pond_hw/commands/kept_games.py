"""The games of a journal as commands use them: read and numbered, found by number, changed.

Needs a Unix: to be imported only after `find_journal` or `require_unix`.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from pwd import getpwuid
from stat import S_ISDIR

from pond_hw.commands.command_output import print_complaint
from pond_hw.journal.folder import Taken, all_kept
from pond_hw.journal.game_list import NumberedGame
from pond_hw.journal.game_records import record_of
from pond_hw.journal.store import Damaged, Foreign
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError, Record


def read_games(folder: Path) -> tuple[list[NumberedGame], list[str]]:
    """The games of a journal with their numbers, and what cannot be read, which is said at once.

    Raises:
        PondError: there is something else in the folder's place, or nobody lets us in.
    """
    try:
        is_folder = S_ISDIR(folder.stat().st_mode)
        kept_games, unreadable = all_kept(folder)
    except FileNotFoundError:
        return [], []
    except PermissionError:
        raise PondError(f"{folder} may not be read.{_advise_owner(folder)}") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no folder can have
        raise PondError(f"{folder} cannot be read: {describe_system_error(error)}.") from None
    if not is_folder:
        raise PondError(f"{folder} is no folder, so there are no games in it.")
    for sentence in unreadable:
        print_complaint(sentence)
    return [NumberedGame(number, kept) for number, kept in enumerate(kept_games, 1)], unreadable


def find_games(games: Sequence[NumberedGame], names: Sequence[str], folder: Path) -> list[NumberedGame]:
    """The games that people have named by their numbers; `last` is the one that was begun last.

    Raises:
        PondError: there is no such game.
    """
    begun = [game for game in games if not game.is_empty]
    if not begun:
        raise PondError(f"There is no game in {folder}.")
    named_games = {str(game.number): game for game in games} | {"last": begun[-1]}
    for name in names:
        if name not in named_games:
            is_number = re.fullmatch("[0-9]{1,9}", name, re.ASCII)
            what = f"no game {name}" if is_number else f"nothing named {name[:20]!r}"
            raise PondError(f"There is {what} in {folder}; `pond games` lists the numbers, and there is `last`.")
    return list({named_games[name].number: named_games[name] for name in names}.values())


def find_game(games: Sequence[NumberedGame], name: str, folder: Path) -> NumberedGame:
    """The game that somebody has named by its number, or by `last`.

    Raises:
        PondError: there is no such game.
    """
    return find_games(games, [name], folder)[0]


def read_game_record(folder: Path, name: str) -> Record:
    """The record of a game, as far as it is good.

    Raises:
        PondError: there is no such game, or nothing of it can be read.
    """
    games, _ = read_games(folder)
    game = find_game(games, name, folder)
    require_readable(game)
    warn_of_damage(game)
    return record_of(game.kept)


def require_readable(game: NumberedGame) -> None:
    """See to it that something of a game can be read.

    Raises:
        PondError: nothing can.
    """
    if not game.is_readable:
        raise PondError(describe_unreadable(game))


def describe_unreadable(game: NumberedGame) -> str:
    """That nothing of a game can be read, and why."""
    return f"Nothing of game {game.number} can be read: {game.kept.fault}."


def warn_of_damage(game: NumberedGame) -> None:
    """Say how far a game can be read, if that is not to its end."""
    if game.kept.fault:
        turns = len(game.kept.story.turns)
        print_complaint(f"Game {game.number} can be read to turn {turns} only: {game.kept.fault}.")


@contextmanager
def changing_journal(folder: Path, if_taken: str = "") -> Iterator[None]:
    """What goes wrong while a journal is changed is said in a sentence.

    Args:
        folder: the journal.
        if_taken: what to do if another program writes there.

    Raises:
        PondError: it cannot be changed.
    """
    if folder.exists() and os.geteuid() == 0 and folder.stat().st_uid != 0:
        raise PondError(f"What root writes in {folder} its owner could not write any more.{_advise_owner(folder)}")
    try:
        yield
    except Taken as taken:
        raise PondError(f"{taken} {if_taken}".strip()) from None
    except PermissionError:
        raise PondError(f"{folder} may not be written to.{_advise_owner(folder)}") from None
    except (Damaged, Foreign, sqlite3.Error) as error:
        raise PondError(f"The journal in {folder} cannot be written: {error}.") from None


def _advise_owner(folder: Path) -> str:
    """How to do it as the user whom a folder belongs to, if that is somebody else."""
    try:
        owner = folder.stat().st_uid
        if owner == os.geteuid():
            return ""
        return f" Do it as the user it belongs to: sudo -u {getpwuid(owner).pw_name} pond ..."
    except (OSError, KeyError):
        return ""
