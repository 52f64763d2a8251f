"""The file of a tournament or study: the plan, then a line for each piece as it is finished, in whatever order.

    {"form":1,"players":["random","greedy"],"variants":["standard"],"games":1000,"seed":0,...}
    {"match":0,"piece":1,"games":[["dark","score",47,5,10,0],["light","elimination",31,3,2,1],...]}

A line is written at one go and stands there whatever happens to the program then. A last line that was not finished is
cut off when the tournament goes on; its piece is played again. What a game's values are, `tally.COLUMNS` says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from stat import S_ISREG
from types import TracebackType
from typing import Any, NamedTuple, Self

from pond_hw.lab.tally import Game, is_game
from pond_hw.lab.tournament_plan import Match, Plan, read
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError

LONGEST_LINE = 1 << 24
"""Bytes; a piece has a thousandth of that."""


class Piece(NamedTuple):
    """What was played of a match: the number of the match, that of the piece, and its games."""

    match: int
    number: int
    games: Sequence[Game]


class Ledger:
    """A file that is written to, by nobody else meanwhile: a new one, or one that was begun with the same plan.

    Args:
        path: where it is.
        plan: what is played.

    Raises:
        PondError: the file holds something else, another program writes there, or it cannot be written.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self._path, self._plan = path, plan
        try:
            self._opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        except (OSError, ValueError) as error:
            raise PondError(f"{path} cannot be written: {describe_system_error(error)}.") from None
        try:
            self._begin()
        except BaseException:
            os.close(self._opened)
            raise

    def _begin(self) -> None:
        path, plan = self._path, self._plan
        if not S_ISREG(os.fstat(self._opened).st_mode):
            raise PondError(f"{path} is no ordinary file, and a {plan.kind} is kept in one.")
        self._lock()
        first = _line(plan.as_object())
        with open(self._opened, "rb", closefd=False) as file:
            begun = file.read(len(first))
        if begun != first and first.startswith(begun):  # empty, or stopped in the middle of the first line
            os.ftruncate(self._opened, 0)
            self._write(first)
        elif differs := plan.differs(there := plan_in(path)):
            if plan.alone or there.alone:
                what = "another study" if plan.alone and there.alone else f"a {there.kind}"
                raise PondError(f"{path} holds {what} ({'; '.join(differs)}). Name another file.")
            raise PondError(
                f"{path} holds another tournament ({'; '.join(differs)}). Name another file, or go on with that one: "
                f"pond tournament --resume {path}"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._opened)

    def pieces(self) -> Iterator[Piece]:
        """What is there already; a last line that was not finished is cut off."""
        with open(self._opened, "rb", closefd=False) as file:
            file.seek(0)
            yield from _pieces(file, self._path, self._plan)
            whole = file.tell()
        if whole < os.fstat(self._opened).st_size:
            os.ftruncate(self._opened, whole)

    def write(self, piece: Piece) -> None:
        """Write a piece down.

        Raises:
            PondError: it cannot be written.
        """
        self._write(_line({"match": piece.match, "piece": piece.number, "games": piece.games}))

    def _write(self, line: bytes) -> None:
        try:
            while line:  # at one go, but for a disk that is all but full: then the next one tells why
                line = line[os.write(self._opened, line) :]
        except OSError as error:
            raise PondError(f"{self._path} cannot be written: {error.strerror}. What stands there is good.") from None

    def _lock(self) -> None:
        """Keep others out. A system without such locks keeps nobody out."""
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self._opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PondError(f"Another {self._plan.kind} is writing {self._path} at this moment.") from None
        except OSError:  # some network disks have no locks
            return


def plan_in(path: Path) -> Plan:
    """The plan that a file was begun with.

    Raises:
        PondError: it cannot be read, or holds no tournament.
    """
    with _reading(path) as file:
        told = _object(file.readline(LONGEST_LINE))
    if not told or "players" not in told:
        raise PondError(f"{path} is no file of a tournament or a study.")
    try:
        return read(told)
    except PondError as error:
        raise PondError(f"{path} cannot be gone on with: {str(error).rstrip('.')}.") from None


def pieces_in(path: Path, plan: Plan) -> Iterator[Piece]:
    """What a file holds, in the order in which it was finished; somebody else may be writing it.

    Raises:
        PondError: it cannot be read, or a line in it is damaged.
    """
    with _reading(path) as file:
        yield from _pieces(file, path, plan)


def _reading(path: Path) -> BufferedReader:
    try:
        if path.is_file():
            return path.open("rb")
        there = path.exists()
    except (OSError, ValueError) as error:
        raise PondError(f"{path} cannot be read: {describe_system_error(error)}.") from None
    raise PondError(f"{path} is no ordinary file." if there else f"There is no file {path}.")


def _pieces(file: BufferedReader, path: Path, plan: Plan) -> Iterator[Piece]:
    """The pieces in a file that stands at its beginning; afterwards it stands behind the last whole line."""
    matches, seen = plan.matches, set[tuple[int, int]]()
    file.readline(LONGEST_LINE)
    number, whole = 1, file.tell()
    while (line := file.readline(LONGEST_LINE)).endswith(b"\n"):
        number += 1
        piece = _piece(_object(line), plan, matches)
        if piece is None:
            raise PondError(f"Line {number} of {path} is damaged. Without that line the {plan.kind} can go on.")
        if piece[:2] not in seen:
            seen.add(piece[:2])
            yield piece
        whole = file.tell()
    file.seek(whole)


def _piece(told: dict[str, Any] | None, plan: Plan, matches: Sequence[Match]) -> Piece | None:
    """A piece of this plan, or None if it is none."""
    if told is None:
        return None
    match, piece, games = (told.get(name) for name in ("match", "piece", "games"))
    if type(match) is not int or type(piece) is not int or not isinstance(games, list):
        return None
    if not (0 <= match < len(matches) and 0 <= piece < plan.pieces(matches[match])):
        return None
    many = 2 * len(plan.pairs_of(matches[match], piece))
    if len(games) != many or not all(is_game(game, with_actions=plan.records) for game in games):
        return None
    return Piece(match, piece, games)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):  # also what is no UTF-8
        return None
    return told if isinstance(told, dict) else None


def _line(told: dict[str, object]) -> bytes:
    return json.dumps(told, separators=(",", ":")).encode() + b"\n"
