"""`pond games`, `show-game`, `export`, `import`, `resume`, `statistics` and `delete-game`."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from pwd import getpwuid
from stat import S_ISDIR

from pond_hw.commands import game_text as told
from pond_hw.commands.record_text import text_of
from pond_hw.journal import editing, statistics
from pond_hw.journal.folder import Taken, all_kept, files
from pond_hw.journal.game_list import Numbered, Row, as_object, chosen, rows, table
from pond_hw.journal.game_records import as_kept, identity, is_empty, is_readable, record_of
from pond_hw.journal.location import SERVICE
from pond_hw.journal.store import Damaged, Foreign
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.messages.terminal_text import printable
from pond_hw.rules import PondError, Record, RecordError, Variant, read_record
from pond_hw.session import tell_outcome

FORM = 1
"""The form of the JSON objects; it counts up when a key goes or changes its meaning."""


def games(
    folder: Path,
    *,
    pond: Variant | None = None,
    player: str | None = None,
    last: int | None = None,
    unfinished: bool = False,
    for_program: bool = False,
    usual: bool = False,
) -> int:
    """Print what a journal holds, the newest game last.

    Args:
        folder: the journal.
        pond: only games on this pond.
        player: only games of this player.
        last: only so many, the newest ones.
        unfinished: only games that are not over.
        for_program: whether one JSON object is wanted.
        usual: whether nobody has named the folder: then it is said where else games may be.

    Returns:
        2 if nothing could be read, else 0.

    Raises:
        PondError: there is something else in the folder's place.
    """
    found, unreadable = _read(folder)
    every = rows(found)
    those = chosen(every, pond, player, last, unfinished=unfinished)
    if for_program:
        listed = [as_object(row) for row in those]
        print(json.dumps({"form": FORM, "folder": str(folder), "unreadable": unreadable, "games": listed}, indent=1))
    elif those:
        _print(*table(those, shutil.get_terminal_size().columns))
    elif every:
        _print(f"None of the {count_noun(len(every), 'game')} in {folder} is such a one.")
    elif not unreadable:
        _print(f"There is no game in {folder}.")
    if usual and not for_program:
        _elsewhere(folder)
    return 2 if unreadable and not every else 0


def show(folder: Path, which: str) -> None:
    """Print all that is known of a game.

    Raises:
        PondError: there is no such game.
    """
    found, _ = _read(folder)
    row = _row(found, _named(found, [which], folder)[0])
    if not is_readable(row.kept):
        raise PondError(f"Game {row.number}, in {row.kept.file}, cannot be read: {row.kept.fault}.")
    _print(*told.game(row))


def record(folder: Path, which: str) -> Record:
    """The record of a game, as far as it is good.

    Raises:
        PondError: there is no such game, or nothing of it can be read.
    """
    found, _ = _read(folder)
    number, kept = _named(found, [which], folder)[0]
    if not is_readable(kept):
        raise PondError(f"Nothing of game {number} can be read: {kept.fault}.")
    if kept.fault:
        _complain(f"Game {number} can be read to turn {len(kept.story.turns)} only: {kept.fault}.")
    return record_of(kept)


def export(folder: Path, which: Sequence[str], to: str | None, *, every: bool = False) -> None:
    """Write games as records: one to standard output or a file, several into a folder. No file is overwritten.

    Raises:
        PondError: there is no such game, nothing of it can be read, or a file is in the way; nothing was written.
    """
    found, _ = _read(folder)
    if every and which:
        raise PondError("--all exports every game; name games, or say --all.")
    if every:
        those = [each for each in found if is_readable(each.kept) and not is_empty(each.kept)]
    elif which:
        those = _named(found, which, folder)
    else:
        raise PondError("Which game? Name its number, `last`, or say --all; `pond games` lists them.")
    if to == "":
        raise PondError("-o needs the name of a file or a folder.")
    texts = {each.number: _record(each) for each in those}
    several = every or len(texts) > 1
    if to is None or to == "-":
        if several:
            raise PondError("Several games go into a folder: name one with -o.")
        sys.stdout.flush()
        sys.stdout.buffer.write("".join(texts.values()).encode())
    elif several or to.endswith("/") or Path(to).is_dir():
        _write({Path(to) / f"game-{number}.pond": text for number, text in texts.items()}, Path(to))
    else:
        _write({Path(to): text for text in texts.values()})
    for each in found if every else those:
        if not is_readable(each.kept):
            _complain(f"Nothing of game {each.number} can be read: {each.kept.fault}.")
        elif each.kept.fault:
            _complain(f"Game {each.number} can be read to turn {len(each.kept.story.turns)} only: {each.kept.fault}.")


def bring_in(folder: Path, names: Sequence[str]) -> int:
    """Put records into a journal as games; each by itself, and none twice.

    Returns:
        2 if one of them was refused, else 0.

    Raises:
        PondError: the journal cannot be written; nothing was brought in.
    """
    found, _ = _read(folder)
    there = {identity(record_of(kept)): f"as game {n}" for n, kept in found if is_readable(kept)}
    new: list[tuple[str, Record]] = []
    refused = False
    for name in names:
        try:
            record = _read_file(name)
        except PondError as error:
            _complain(str(error))
            refused = True
            continue
        if where := there.get(identity(record)):
            _print(f"{name} is there already, {where}.")
            continue
        new.append((name, record))
        there[identity(record)] = f"from {name}"
    if new:
        with _changed(folder):
            uids, said = editing.bring_in(folder, [record for _, record in new])
        _say(said)
        numbers = {kept.uid: number for number, kept in _read(folder)[0]}
        for (name, record), uid in zip(new, uids, strict=True):
            left = "" if record.outcome else f" It is not finished; `pond resume {numbers[uid]}` has it offered."
            _print(f"{name} is game {numbers[uid]} now.{left}")
    return 2 if refused else 0


def resume(folder: Path, which: str) -> None:
    """Have a game offered when a board starts next.

    Raises:
        PondError: there is no such game, it is over, or the journal cannot be written.
    """
    found, _ = _read(folder)
    number, kept = _named(found, [which], folder)[0]
    if not is_readable(kept):
        raise PondError(f"Nothing of game {number} can be read: {kept.fault}.")
    story = kept.story
    if story.outcome:
        raise PondError(f"Game {number} is over. {tell_outcome(story.outcome, story.position)}")
    if is_empty(kept):
        raise PondError(f"Nothing has happened in game {number} yet; begin a new one instead.")
    with _changed(folder, "Stop it first; the game is offered when it starts again."):
        left, said = editing.offer_next(folder, kept)
    _say(said)
    size = story.pond.size
    _print(f"Game {number} is offered when a board of {size}x{size} or more starts next.")
    for other, each in found:
        if each.uid in left:
            _print(f"Game {other} was to be offered and is left for it; `pond resume {other}` brings it back.")


def count(folder: Path, by: str | None, *, for_program: bool = False) -> int:
    """Print what the finished games come to.

    Args:
        folder: the journal.
        by: `player`, `variant`, or None for all together.
        for_program: whether one JSON object is wanted.

    Returns:
        2 if nothing could be read, else 0.
    """
    found, unreadable = _read(folder)
    every = rows(found)
    over = statistics.finished(every)
    all_of_it = statistics.figures(over)
    readable = [row for row in every if is_readable(row.kept)]
    unfinished = len(readable) - len(over)
    if for_program:
        whole: dict[str, object] = {"form": FORM, "folder": str(folder), "unreadable": unreadable}
        whole |= {"unfinished": unfinished} | statistics.as_object(all_of_it)
        if by == "player":
            whole["players"] = [statistics.player_as_object(each) for each in statistics.by_player(over)]
        if by == "variant":
            ponds = statistics.by_variant(over)
            whole["variants"] = {name: statistics.as_object(here) for name, here in ponds.items()}
        print(json.dumps(whole, indent=1))
    elif not every:
        if not unreadable:
            _print(f"There is no game in {folder}.")
    elif by == "player" and over:
        _print(*statistics.told_by_player(statistics.by_player(over)))
    elif by == "variant" and over:
        _print(*statistics.told_by_variant(statistics.by_variant(over)))
    else:
        _print(*statistics.told(all_of_it, unfinished))
    return 2 if unreadable and not every else 0


def delete(folder: Path, which: Sequence[str], *, sure: bool = False) -> int:
    """Delete games for good, once somebody at the terminal has agreed.

    Args:
        folder: the journal.
        which: the games' numbers.
        sure: whether nobody is to be asked.

    Returns:
        2 if something of a game is still there, else 0.

    Raises:
        PondError: there is no such game, it is being played, or nobody can be asked.
    """
    found, _ = _read(folder)
    those = _named(found, which, folder)
    for number, kept in those:
        if editing.may_be_played(folder, [each for _, each in found], kept.uid):
            raise PondError(f"Game {number} stays: the program that writes there may be playing it. Stop that first.")
    wanted = {each.number for each in those}
    if not sure:
        if not sys.stdin.isatty():
            raise PondError("Nobody can be asked here whether that is meant: say --yes.")
        _print(*table([row for row in rows(found) if row.number in wanted], shutil.get_terminal_size().columns))
        if not _agreed(f"Delete {'it' if len(those) == 1 else f'these {len(those)} games'} for good? [y/N] "):
            _print("Nothing was deleted.")
            return 0
    uids = {kept.uid for _, kept in those}
    with _changed(folder):
        removed = editing.delete(folder, uids)
    left, _ = all_kept(folder)
    still = {kept.uid for kept in left} & uids
    gone = [number for number, kept in those if kept.uid not in still]
    for number in gone:
        _print(f"Game {number} is deleted.")
    if gone and min(gone) + len(gone) <= len(found):
        _print("The games behind have other numbers now: `pond games` tells them.")
    for name, why in removed.stays:
        _complain(f"{name} cannot be written ({why}); what stood there still does. Delete that file to be rid of it.")
    return 2 if still or removed.stays else 0


def _read(folder: Path) -> tuple[list[Numbered], list[str]]:
    """The games of a journal with their numbers, and what cannot be read, which is said at once.

    Raises:
        PondError: there is something else in the folder's place, or nobody lets us in.
    """
    try:
        is_folder = S_ISDIR(folder.stat().st_mode)
        found, unreadable = all_kept(folder)
    except FileNotFoundError:
        return [], []
    except PermissionError:
        raise PondError(f"{folder} may not be read.{_as_owner(folder)}") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no folder can have
        raise PondError(f"{folder} cannot be read: {describe_system_error(error)}.") from None
    if not is_folder:
        raise PondError(f"{folder} is no folder, so there are no games in it.")
    for sentence in unreadable:
        _complain(sentence)
    return [Numbered(number, kept) for number, kept in enumerate(found, 1)], unreadable


def _named(found: Sequence[Numbered], which: Sequence[str], folder: Path) -> list[Numbered]:
    """The games that people have named by their numbers; `last` is the one that was begun last.

    Raises:
        PondError: there is no such game.
    """
    there = [each for each in found if not is_empty(each.kept)]
    if not there:
        raise PondError(f"There is no game in {folder}.")
    numbered = {str(each.number): each for each in found} | {"last": there[-1]}
    for name in which:
        if name not in numbered:
            told = f"no game {name}" if re.fullmatch("[0-9]{1,9}", name, re.ASCII) else f"nothing named {name[:20]!r}"
            raise PondError(f"There is {told} in {folder}; `pond games` lists the numbers, and there is `last`.")
    return list({numbered[name].number: numbered[name] for name in which}.values())


def _row(found: Sequence[Numbered], one: Numbered) -> Row:
    """The row of a game, also of one in which nothing has happened."""
    every = {row.number: row for row in rows(found)}
    return every.get(one.number) or Row(one.number, one.kept, doubtful=False)


def _record(one: Numbered) -> str:
    if not is_readable(one.kept):
        raise PondError(f"Nothing of game {one.number} can be read: {one.kept.fault}.")
    return str(record_of(one.kept))


def _read_file(name: str) -> Record:
    """The record in a file, with a game in it.

    Raises:
        PondError: there is none; the message says why.
    """
    try:
        record = read_record(text_of(name))
        as_kept(record)
    except RecordError as error:
        raise PondError(f"{name}: {error}") from error
    return record


def _write(texts: Mapping[Path, str], folder: Path | None = None) -> None:
    """Write new files. One that is there already with the same text is left as it is.

    Raises:
        PondError: one of them is in the way, and then none was written; or one cannot be written.
    """
    try:
        if folder:
            folder.mkdir(exist_ok=True)
        there = _there_already(texts)
        new = [path for path in texts if path not in there]
        for path in new:
            _write_new(path, texts[path])
    except PondError:
        raise
    except FileExistsError as error:
        raise PondError(f"There is a file {error.filename} already, and it is kept. Name another one.") from None
    except (OSError, ValueError) as error:
        where = getattr(error, "filename", None) or folder or next(iter(texts))
        raise PondError(f"{where} cannot be written: {describe_system_error(error)}.") from None
    if folder and new:
        _print(f"{count_noun(len(new), 'game')} written into {folder}{'; the rest is there already' if there else ''}.")
    elif folder:
        _print(f"{count_noun(len(there), 'game')} in {folder} already; nothing was to be written.")
    elif new:
        _print(f"{new[0]} is written.")
    else:
        _print(f"{there[0]} is there already, with the same game.")


def _there_already(texts: Mapping[Path, str]) -> list[Path]:
    """The files that need not be written.

    Raises:
        PondError: one of them holds something else.
        OSError, ValueError: one cannot be read.
    """
    there = [path for path in texts if path.exists()]
    if others := [str(path) for path in there if path.read_bytes() != texts[path].encode()]:
        more = f", and {len(others) - 1} more" if len(others) > 1 else ""
        raise PondError(f"There is a file {others[0]} already{more}, and it is kept. Name another place.")
    return there


def _write_new(path: Path, text: str) -> None:
    with path.open("xb") as out:
        try:
            out.write(text.encode())
            out.flush()
        except OSError:
            path.unlink()  # half a record is none
            raise


@contextmanager
def _changed(folder: Path, busy: str = "") -> Iterator[None]:
    """What goes wrong while a journal is changed is said in a sentence.

    Args:
        folder: the journal.
        busy: what to do if another program writes there.

    Raises:
        PondError: it cannot be changed.
    """
    if folder.exists() and os.geteuid() == 0 and folder.stat().st_uid != 0:
        raise PondError(f"What root writes in {folder} its owner could not write any more.{_as_owner(folder)}")
    try:
        yield
    except Taken as taken:
        raise PondError(f"{taken} {busy}".strip()) from None
    except PermissionError:
        raise PondError(f"{folder} may not be written to.{_as_owner(folder)}") from None
    except (Damaged, Foreign, sqlite3.Error) as error:
        raise PondError(f"The journal in {folder} cannot be written: {error}.") from None


def _as_owner(folder: Path) -> str:
    """How to do it as the user whom a folder belongs to, if that is somebody else."""
    try:
        owner = folder.stat().st_uid
        if owner == os.geteuid():
            return ""
        return f" Do it as the user it belongs to: sudo -u {getpwuid(owner).pw_name} pond ..."
    except (OSError, KeyError):
        return ""


def _elsewhere(folder: Path) -> None:
    """Say that the installed service keeps games of its own, if it does."""
    if not SERVICE.is_dir() or (folder.exists() and folder.samefile(SERVICE)):
        return
    try:
        there = files(SERVICE)
        if not there:
            return
        may = all(os.access(path, os.R_OK) for path in there)
    except OSError:
        may = False
    command = f"pond games --journal {SERVICE}"
    _complain(f"The service on this machine keeps its own games: {command if may else f'sudo -u pond {command}'}")


def _agreed(question: str) -> bool:
    try:
        return input(question).strip().casefold() in ("y", "yes")
    except EOFError:
        _print("")
        return False


def _say(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        _complain(sentence)


def _print(*lines: str) -> None:
    """Print lines, in letters that the terminal knows."""
    known = sys.stdout.encoding or "utf-8"
    for line in lines:
        print(printable(line).encode(known, "replace").decode(known))


def _complain(sentence: str) -> None:
    print(f"pond: {printable(sentence)}", file=sys.stderr)
