"""One text to show when asking for help: what the doctor found, how the board differs, what happened last."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pond_hw import __version__
from pond_hw.doctor import HostSystem, format_results, run_checks
from pond_hw.doctor.redact import redact_text
from pond_hw.doctor.service import find_service
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.profile import list_shipped
from pond_hw.profile.library import BOARDS_FOLDER, MAX_PROFILE_BYTES

JOURNAL_LINES = 60
"""Lines of the journal."""

REPORT_TITLE = (
    "Pond's report. Names, addresses, serial numbers and home folders are taken out; read it before you show it."
)


def no_measurements(_: str) -> Sequence[str]:
    """What there is to be said of set-up, if nobody knows."""
    return ()


def format_report(
    board: str | None, around: HostSystem, results: Callable[[str], Sequence[str]] = no_measurements
) -> str:
    """Everything that helps others to see what is wrong with a board, with nothing personal in it.

    Args:
        board: the name or the path of a profile; None for the one that the service serves.
        around: the machine.
        results: says what set-up has measured on a board, in lines.

    Raises:
        ProfileError: there is no such profile.
    """
    served = find_service(around)
    examined = run_checks(board, around)
    wanted = board or (served.board if served else "")
    parts = {
        "Doctor": format_results(examined.check_results),
        "Board": _format_board(wanted, around),
        "Set-up": list(results(wanted) if wanted else ()) or ["Nothing has been measured."],
        "Events": _read_service_log(around, served.unit if served else "pond"),
    }
    told = [[heading, "-" * len(heading), *lines, ""] for heading, lines in parts.items()]
    text = "\n".join([REPORT_TITLE, "", f"Pond {__version__}", "", *(line for lines in told for line in lines)])
    return redact_text(text, around.private_names)


def _read_service_log(around: HostSystem, unit: str) -> list[str]:
    command = ["journalctl", "-u", unit, "-n", str(JOURNAL_LINES), "-o", "short-iso", "--no-hostname", "--no-pager"]
    lines = (around.run_command(command) or "").splitlines()
    tame = [replace_unprintable(line, "")[:400] for line in lines]
    return tame or ["The journal tells nothing."]


def _format_board(wanted: str, around: HostSystem) -> list[str]:
    if not wanted:
        return ["No board was named."]
    if wanted in list_shipped():
        return [f"{wanted}, as it ships."]
    path = around.file_path(wanted) if wanted.startswith(str(Path("/etc/pond"))) else Path(wanted)
    mine = _read_profile_values(path)
    if mine is None:
        return [f"{path.stem} cannot be read."]
    others = {name: _read_profile_values(BOARDS_FOLDER / f"{name}.toml") or {} for name in list_shipped()}
    nearest = min(others, key=lambda name: len(format_differences(others[name], mine)))
    return [f"{path.stem}, which is {nearest} but for", *format_differences(others[nearest], mine)]


def _read_profile_values(path: Path) -> dict[str, object] | None:
    try:
        with path.open("rb") as file:
            return _flatten_table(tomllib.loads(file.read(MAX_PROFILE_BYTES).decode("utf-8")))
    except (OSError, ValueError, RecursionError):
        return None


def _flatten_table(table: Mapping[str, object], before: str = "") -> dict[str, object]:
    """Values by their dotted key; what is drawn counts without its blanks. A title is for people, and is left out."""
    flat: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= _flatten_table(value, f"{before}{key}.")
        elif before + key != "title":
            flat[before + key] = " ".join(value.split()) if isinstance(value, str) else value
    return flat


def format_differences(usual: Mapping[str, object], mine: Mapping[str, object]) -> list[str]:
    """What one profile has otherwise than another, a line a key."""
    keys = [*mine, *(key for key in usual if key not in mine)]
    return [
        f"  {key}: {usual.get(key, 'not there')} -> {mine.get(key, 'not there')}"
        for key in keys
        if usual.get(key) != mine.get(key)
    ]
