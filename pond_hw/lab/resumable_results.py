"""Results file of a tournament or study: the plan, then a line for each finished batch, in any order.

    {"form":1,"players":["random","greedy"],"variants":["standard"],"games":1000,"seed":0,...}
    {"match":0,"piece":1,"games":[["dark","score",47,5,10,0],["light","elimination",31,3,2,1],...]}

Each line is written in a single call, so a crash can only truncate the last line. On resuming, a truncated line is
removed and its batch is played again. `tally.GAME_COLUMNS` lists the values of a game.
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

MAX_LINE_BYTES = 1 << 24
"""Maximum length of a line in bytes. A batch takes about a thousandth of this."""


class BatchResult(NamedTuple):
    """Games of a batch, with its match number and batch number."""

    match_number: int
    batch_number: int
    game_rows: Sequence[GameRow]


class ResultsFile:
    """Results file opened for writing: a new file, or an existing one with the same plan. It is locked against other programs.

    Raise PondError if the file has other contents, is in use, or can't be written.
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
            pass  # Some network file systems have no locks.
        plan_line = _encode_line(plan.to_json())
        with open(self._opened, "rb", closefd=False) as file:
            written_start = file.read(len(plan_line))
        if written_start == plan_line:
            return
        if plan_line.startswith(written_start):  # Empty, or truncated within the first line.
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
        """Yield the saved batches, and remove an unfinished last line."""
        with open(self._opened, "rb", closefd=False) as file:
            file.seek(0)
            yield from _iterate_batches(file, self._path, self._plan)
            end_offset = file.tell()
        if end_offset < os.fstat(self._opened).st_size:
            os.ftruncate(self._opened, end_offset)

    def write_batch(self, batch_result: BatchResult) -> None:
        """Append a batch. Raise PondError if the file can't be written."""
        match_number, batch_number, game_rows = batch_result
        self._write_line(_encode_line({"match": match_number, "piece": batch_number, "games": game_rows}))

    def _write_line(self, line_bytes: bytes) -> None:
        with explain_system_errors("results.write_failed", file=str(self._path)):
            while line_bytes:  # A nearly full disk may take only a part. The next call then reports the error.
                line_bytes = line_bytes[os.write(self._opened, line_bytes) :]


def read_plan(path: Path) -> TournamentPlan:
    """Read the plan from a file. Raise PondError if the file can't be read or has no plan."""
    with _open_file(path) as file:
        plan_fields = _parse_object(file.readline(MAX_LINE_BYTES))
    if "players" not in plan_fields:
        raise PondError(Message("results.not_results", file=str(path)))
    try:
        return parse_plan(plan_fields)
    except PondError as error:
        raise PondError(Message("results.cannot_continue", file=str(path), reason=error.message)) from None


def read_batches(path: Path, plan: TournamentPlan) -> Iterator[BatchResult]:
    """Yield the batches in a file in the order in which they were written. Another program may be appending to the file."""
    with _open_file(path) as file:
        yield from _iterate_batches(file, path, plan)


def _open_file(path: Path) -> BufferedReader:
    with explain_system_errors("file.cannot_read", file=str(path)):
        if path.is_file():
            return path.open("rb")
        exists = path.exists()
    raise PondError(Message("results.not_a_file" if exists else "results.no_file", file=str(path)))


def _iterate_batches(file: BufferedReader, path: Path, plan: TournamentPlan) -> Iterator[BatchResult]:
    """Yield the batches in a file, and finally seek to the end of the last complete line."""
    matches, seen = plan.all_matches, set[tuple[int, int]]()
    file.readline(MAX_LINE_BYTES)
    number, end_of_last_line = 1, file.tell()
    while (line := file.readline(MAX_LINE_BYTES)).endswith(b"\n"):
        number += 1
        batch = _parse_batch(_parse_object(line), plan, matches)
        if batch is None:
            raise PondError(Message("results.damaged_line", line=number, file=str(path)))
        if batch[:2] not in seen:
            seen.add(batch[:2])
            yield batch
        end_of_last_line = file.tell()
    file.seek(end_of_last_line)


def _parse_batch(
    fields: dict[str, Any], plan: TournamentPlan, matches: Sequence[TournamentMatch]
) -> BatchResult | None:
    """Return a batch of this plan, or None if the fields are invalid."""
    match, batch, games = (fields.get(name) for name in ("match", "piece", "games"))
    if type(match) is not int or type(batch) is not int or not isinstance(games, list):
        return None
    if not (0 <= match < len(matches) and 0 <= batch < plan.count_batches(matches[match])):
        return None
    is_whole = len(games) == 2 * len(plan.pair_numbers(matches[match], batch))
    are_games = all(is_game_row(game, with_actions=plan.records) for game in games)
    return BatchResult(match, batch, games) if is_whole and are_games else None


def _parse_object(line: bytes) -> dict[str, Any]:
    """Parse the JSON object in a line. Return an empty dict if there is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # This includes invalid UTF-8.
        return {}
    return value if isinstance(value, dict) else {}


def _encode_line(fields: dict[str, object]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"
