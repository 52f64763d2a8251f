"""One text to show when asking for help: what the doctor found, how the board differs, what happened last."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pond_hw import __version__
from pond_hw.doctor import Surroundings, examine, printed
from pond_hw.doctor.redact import redacted
from pond_hw.doctor.service import service_of
from pond_hw.messages.terminal_text import printable
from pond_hw.profile import shipped
from pond_hw.profile.library import BOARDS, LONGEST

EVENTS = 60
"""Lines of the journal."""

TITLE = "Pond's report. Names, addresses, serial numbers and home folders are taken out; read it before you show it."


def nothing_measured(_: str) -> Sequence[str]:
    """What there is to be said of set-up, if nobody knows."""
    return ()


def report(board: str | None, around: Surroundings, results: Callable[[str], Sequence[str]] = nothing_measured) -> str:
    """Everything that helps others to see what is wrong with a board, with nothing personal in it.

    Args:
        board: the name or the path of a profile; None for the one that the service serves.
        around: the machine.
        results: says what set-up has measured on a board, in lines.

    Raises:
        ProfileError: there is no such profile.
    """
    served = service_of(around)
    examined = examine(board, around)
    wanted = board or (served.board if served else "")
    parts = {
        "Doctor": printed(examined.found),
        "Board": _board(wanted, around),
        "Set-up": list(results(wanted) if wanted else ()) or ["Nothing has been measured."],
        "Events": _events(around, served.unit if served else "pond"),
    }
    told = [[heading, "-" * len(heading), *lines, ""] for heading, lines in parts.items()]
    text = "\n".join([TITLE, "", f"Pond {__version__}", "", *(line for lines in told for line in lines)])
    return redacted(text, around.names)


def _events(around: Surroundings, unit: str) -> list[str]:
    command = ["journalctl", "-u", unit, "-n", str(EVENTS), "-o", "short-iso", "--no-hostname", "--no-pager"]
    lines = (around.run(command) or "").splitlines()
    tame = [printable(line, "")[:400] for line in lines]
    return tame or ["The journal tells nothing."]


def _board(wanted: str, around: Surroundings) -> list[str]:
    if not wanted:
        return ["No board was named."]
    if wanted in shipped():
        return [f"{wanted}, as it ships."]
    path = around.path(wanted) if wanted.startswith(str(Path("/etc/pond"))) else Path(wanted)
    mine = _values(path)
    if mine is None:
        return [f"{path.stem} cannot be read."]
    others = {name: _values(BOARDS / f"{name}.toml") or {} for name in shipped()}
    nearest = min(others, key=lambda name: len(differences(others[name], mine)))
    return [f"{path.stem}, which is {nearest} but for", *differences(others[nearest], mine)]


def _values(path: Path) -> dict[str, object] | None:
    try:
        with path.open("rb") as file:
            return _flat(tomllib.loads(file.read(LONGEST).decode("utf-8")))
    except (OSError, ValueError, RecursionError):
        return None


def _flat(table: Mapping[str, object], before: str = "") -> dict[str, object]:
    """Values by their dotted key; what is drawn counts without its blanks. A title is for people, and is left out."""
    flat: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{before}{key}.")
        elif before + key != "title":
            flat[before + key] = " ".join(value.split()) if isinstance(value, str) else value
    return flat


def differences(usual: Mapping[str, object], mine: Mapping[str, object]) -> list[str]:
    """What one profile has otherwise than another, a line a key."""
    keys = [*mine, *(key for key in usual if key not in mine)]
    return [
        f"  {key}: {usual.get(key, 'not there')} -> {mine.get(key, 'not there')}"
        for key in keys
        if usual.get(key) != mine.get(key)
    ]
