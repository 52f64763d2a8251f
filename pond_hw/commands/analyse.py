"""`pond analyse`: what each action of a game was worth, where the game turned, and what would have been better.

`words` and `written` are pure; here is what prints.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from pond_hw.commands.progress import Progress
from pond_hw.engine.analysis import NODES, Judged, analysed
from pond_hw.engine.analysis_json import as_object, remarked
from pond_hw.engine.analysis_text import text
from pond_hw.engine.packed import DEEPEST
from pond_hw.engine.searcher import Limits
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError, Record

__all__ = ["limits", "run"]

QUICK_NODES = 5_000
"""Positions looked at for each action by default: a whole game takes some seconds, even if nothing is compiled."""


def limits(depth: int | None, nodes: int | None, seconds: float | None, *, deep: bool = False) -> Limits:
    """How far each position is looked ahead; without any bound, at few positions or, if `deep`, at many.

    Raises:
        PondError: `deep` and another bound contradict each other.
    """
    if deep and (depth, nodes, seconds) != (None, None, None):
        raise PondError("--deep is a bound of its own. Leave out --depth, --nodes and --seconds.")
    usual = (NODES if deep else QUICK_NODES) if depth is None and seconds is None else 0
    return Limits(DEEPEST if depth is None else depth, usual if nodes is None else nodes, seconds)


def run(record: Record, bounds: Limits, to: str | None = None, *, for_program: bool = False) -> None:
    """Print the analysis of a game.

    Args:
        record: of the game.
        bounds: how far each of its positions is looked ahead.
        to: a new file for the record with the values as comments, if it is wanted.
        for_program: whether one JSON object is wanted.

    Raises:
        PondError: there is nothing to analyse, or the file cannot be written.
    """
    if not record.turns:
        raise PondError("No action has been taken in this game yet, so there is nothing to analyse.")
    if to is not None:
        _refuse_what_is_there(to)
    judged, many = list[Judged](), len(record.turns)
    with Progress() as progress:
        progress.tell(f"0 of {many} actions looked at", 0.0)
        for each in analysed(record, bounds):
            judged.append(each)
            progress.tell(f"{len(judged)} of {many} actions looked at", len(judged) / many)
    if for_program:
        print(json.dumps(as_object(record, judged, bounds), indent=1, ensure_ascii=True))
    else:
        known = sys.stdout.encoding or "utf-8"
        for line in text(record, judged, bounds):
            print(line.encode(known, "replace").decode(known))
    if to is not None:
        sys.stdout.flush()
        _write(to, str(remarked(record, judged)))
        print(f"pond: {to} is written.", file=sys.stderr)


def _refuse_what_is_there(to: str) -> None:
    if not to:
        raise PondError("-o needs the name of a file.")
    path = Path(to)
    try:
        there, folder = path.exists(), path.is_dir()
        can = os.access(path.parent, os.W_OK)
    except (OSError, ValueError) as error:
        raise PondError(f"{to!r} cannot be written: {describe_system_error(error)}.") from None
    if folder:
        raise PondError(f"{to} is a folder. Name a file in it.")
    if there:
        raise PondError(f"There is a file {to} already, and it is kept. Name another one.")
    if not path.parent.is_dir():
        raise PondError(f"{to} cannot be written: there is no folder {path.parent}.")
    if not can:
        raise PondError(f"{to} cannot be written: nothing may be put into the folder {path.parent}.")


def _write(to: str, record: str) -> None:
    path = Path(to)
    try:
        with path.open("xb") as out:
            try:
                out.write(record.encode())
                out.flush()
            except OSError:
                path.unlink()  # half a record is none
                raise
    except FileExistsError:
        raise PondError(f"There is a file {to} already, and it is kept. Name another one.") from None
    except (OSError, ValueError) as error:
        raise PondError(f"{to} cannot be written: {describe_system_error(error)}.") from None
