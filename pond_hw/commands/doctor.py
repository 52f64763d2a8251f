"""`pond doctor` and `pond report`: what is around the board, for a person, for a program, for an issue."""

from __future__ import annotations

import json
from pathlib import Path

from pond_hw import __version__
from pond_hw.doctor import Surroundings, as_json, count, examine, printed
from pond_hw.doctor.report import report
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile.calibration_store import history
from pond_hw.rules import PondError
from pond_hw.setup.results_store import kept
from pond_hw.setup.step import GOOD

FORM = 1
"""The form of the JSON object; it counts up when a key goes or changes its meaning."""


def doctor(board: str | None, *, as_object: bool, around: Surroundings | None = None) -> int:
    """Print what was found.

    Args:
        board: the name or the path of a profile; None for the one that the service serves.
        as_object: whether one JSON object is wanted.
        around: the machine; None for this one.

    Returns:
        1 if there is a fault, else 0.

    Raises:
        ProfileError: there is no such profile.
    """
    around = around or Surroundings()
    examined = examine(board, around)
    if as_object:
        told = {
            "doctor": FORM,
            "pond": __version__,
            "board": examined.board or None,
            "pi": around.machine.pi,
            "count": count(examined.found),
            "findings": as_json(examined.found),
        }
        print(json.dumps(told, indent=1))
    else:
        print("\n".join(printed(examined.found)))
    return 1 if examined.ill else 0


def measured(board: str) -> list[str]:
    """What set-up has found and changed on a board, in lines."""
    lines = []
    for step, told in kept(board).items():
        bad = [each for each in told["findings"] if each["grade"] != GOOD]
        lines.append(f"{step}, {told['at']}: {len(told['findings']) - len(bad)} good, {len(bad)} not")
        lines += [f"  {each['grade']}, {each['kind']}: {each['told']} {each['figures'] or ''}".rstrip() for each in bad]
    try:
        log = history(board)
    except PondError as error:
        return [*lines, f"The board's own file: {error}"]
    return lines + [f"changed {', '.join(keys)}, {at}, by {by}: {why}" for at, by, keys, why in log]


def write_report(board: str | None, file: str | None, around: Surroundings | None = None) -> None:
    """Print the report, or write it to a file that is not there yet.

    Raises:
        ProfileError: there is no such profile.
        PondError: there is such a file, or it cannot be written.
    """
    text = report(board, around or Surroundings(), measured)
    if file is None:
        print(text, end="")
        return
    try:
        with Path(file).open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise PondError(f"There is a file {file} already, and it is kept. Name another one.") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise PondError(f"{file} cannot be written: {describe_system_error(error)}.") from None
    print(f"{file} is written. Read it before you show it to anybody.")
