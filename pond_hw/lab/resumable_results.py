"""The file of a tournament or study: the plan, then a line for each piece as it is finished, in whatever order.

    {"form":1,"players":["random","greedy"],"variants":["standard"],"games":1000,"seed":0,...}
    {"match":0,"piece":1,"games":[["dark","score",47,5,10,0],["light","elimination",31,3,2,1],...]}

A line is written at one go and stands there whatever happens to the program then. A last line that was not finished is
cut off when the tournament goes on; its piece is played again. What a game's values are, `tally.GAME_COLUMNS` says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from stat import S_ISREG
from typing import Any, NamedTuple, Self

from pond_hw.durable_files import try_lock
from pond_hw.lab.tally import GameRow, is_game_row
from pond_hw.lab.tournament_plan import TournamentMatch, TournamentPlan, parse_plan
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.rules import PondError

LONGEST_LINE = 1 << 24
"""Bytes; a piece has a thousandth of that."""


class BatchResult(NamedTuple):
    """What was played of a match: the number of the match, that of the piece, and its games."""

    match_number: int
    batch_number: int
    game_rows: Sequence[GameRow]


class ResultsFile:
    """A file that is written to, by nobody else meanwhile: a new one, or one that was begun with the same plan.

    Args:
        path: where it is.
        plan: what is played.

    Raises:
        PondError: the file holds something else, another program writes there, or it cannot be written.
    """

    def __init__(self, path: Path, plan: TournamentPlan) -> None:
        self._path, self._plan = path, plan
        with explain_system_errors("file.cannot_write", file=str(path)):
            self._opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        try:
            self._prepare_file()
        except BaseException:
            os.close(self._opened)
            raise

    def _prepare_file(self) -> None:
        path, plan = self._path, self._plan
        if not S_ISREG(os.fstat(self._opened).st_mode):
            raise PondError(Message("results.not_a_file", file=str(path)))
        try:
            try_lock(self._opened)
        except BlockingIOError:
            raise PondError(Message("results.in_use", file=str(path))) from None
        except OSError:
            pass  # some network disks have no locks
        plan_line = _encode_line(plan.to_json())
        with open(self._opened, "rb", closefd=False) as file:
            written_start = file.read(len(plan_line))
        if written_start == plan_line:
            return
        if plan_line.startswith(written_start):  # empty, or stopped in the middle of the first line
            os.ftruncate(self._opened, 0)
            self._write_line(plan_line)
        elif plan_differences := plan.list_differences(written_plan := read_plan(path)):
            kind = f"{'other' if plan.is_study == written_plan.is_study else 'holds'}_{written_plan.plan_kind}"
            raise PondError(Message(f"results.{kind}", file=str(path), differences=tuple(plan_differences)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._opened)

    def read_batches(self) -> Iterator[BatchResult]:
        """What is there already; a last line that was not finished is cut off."""
        with open(self._opened, "rb", closefd=False) as file:
            file.seek(0)
            yield from _iterate_batches(file, self._path, self._plan)
            end_offset = file.tell()
        if end_offset < os.fstat(self._opened).st_size:
            os.ftruncate(self._opened, end_offset)

    def write_batch(self, batch_result: BatchResult) -> None:
        """Write a piece down.

        Raises:
            PondError: it cannot be written.
        """
        match_number, batch_number, game_rows = batch_result
        self._write_line(_encode_line({"match": match_number, "piece": batch_number, "games": game_rows}))

    def _write_line(self, line_bytes: bytes) -> None:
        with explain_system_errors("results.write_failed", file=str(self._path)):
            while line_bytes:  # at one go, but for a disk that is all but full: then the next one tells why
                line_bytes = line_bytes[os.write(self._opened, line_bytes) :]


def read_plan(path: Path) -> TournamentPlan:
    """The plan that a file was begun with.

    Raises:
        PondError: it cannot be read, or holds no tournament.
    """
    with _open_file(path) as file:
        told = _parse_object(file.readline(LONGEST_LINE))
    if "players" not in told:
        raise PondError(Message("results.not_results", file=str(path)))
    try:
        return parse_plan(told)
    except PondError as error:
        raise PondError(Message("results.cannot_continue", file=str(path), reason=error.message)) from None


def read_batches(path: Path, plan: TournamentPlan) -> Iterator[BatchResult]:
    """What a file holds, in the order in which it was finished; somebody else may be writing it.

    Raises:
        PondError: it cannot be read, or a line in it is damaged.
    """
    with _open_file(path) as file:
        yield from _iterate_batches(file, path, plan)


def _open_file(path: Path) -> BufferedReader:
    with explain_system_errors("file.cannot_read", file=str(path)):
        if path.is_file():
            return path.open("rb")
        there = path.exists()
    raise PondError(Message("results.not_a_file" if there else "results.no_file", file=str(path)))


def _iterate_batches(file: BufferedReader, path: Path, plan: TournamentPlan) -> Iterator[BatchResult]:
    """The pieces in a file that stands at its beginning; afterwards it stands behind the last whole line."""
    matches, seen = plan.all_matches, set[tuple[int, int]]()
    file.readline(LONGEST_LINE)
    number, whole = 1, file.tell()
    while (line := file.readline(LONGEST_LINE)).endswith(b"\n"):
        number += 1
        piece = _parse_batch(_parse_object(line), plan, matches)
        if piece is None:
            raise PondError(Message("results.damaged_line", line=number, file=str(path)))
        if piece[:2] not in seen:
            seen.add(piece[:2])
            yield piece
        whole = file.tell()
    file.seek(whole)


def _parse_batch(told: dict[str, Any], plan: TournamentPlan, matches: Sequence[TournamentMatch]) -> BatchResult | None:
    """A piece of this plan, or None if it is none."""
    match, piece, games = (told.get(name) for name in ("match", "piece", "games"))
    if type(match) is not int or type(piece) is not int or not isinstance(games, list):
        return None
    if not (0 <= match < len(matches) and 0 <= piece < plan.count_batches(matches[match])):
        return None
    is_whole = len(games) == 2 * len(plan.pair_numbers(matches[match], piece))
    are_games = all(is_game_row(game, with_actions=plan.records) for game in games)
    return BatchResult(match, piece, games) if is_whole and are_games else None


def _parse_object(line: bytes) -> dict[str, Any]:
    """The object in a line; an empty one if there is none."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):  # also what is no UTF-8
        return {}
    return told if isinstance(told, dict) else {}


def _encode_line(told: dict[str, object]) -> bytes:
    return json.dumps(told, separators=(",", ":")).encode() + b"\n"
