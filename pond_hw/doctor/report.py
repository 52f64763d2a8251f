"""One text to show when asking for help: what the doctor found, how the board differs, what happened last."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pond_hw import __version__
from pond_hw.doctor import HostSystem, run_checks
from pond_hw.doctor.check_results import format_results
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


def format_report(board: str | None, host: HostSystem, results: Callable[[str], Sequence[str]] = lambda _: ()) -> str:
    """Everything that helps others to see what is wrong with a board, with nothing personal in it.

    Args:
        board: the name or the path of a profile; None for the one that the service serves.
        host: the machine.
        results: says what set-up has measured on a board, in lines.

    Raises:
        ProfileError: there is no such profile.
    """
    served = find_service(host)
    examined = run_checks(board, host)
    wanted_name = board or (served.board if served else "")
    lines_by_heading = {
        "Doctor": format_results(examined.check_results),
        "Board": _format_board(wanted_name, host),
        "Set-up": list(results(wanted_name) if wanted_name else ()) or ["Nothing has been measured."],
        "Events": _read_service_log(host, served.unit if served else "pond"),
    }
    report_parts = [[heading, "-" * len(heading), *lines, ""] for heading, lines in lines_by_heading.items()]
    text = "\n".join([REPORT_TITLE, "", f"Pond {__version__}", "", *(line for lines in report_parts for line in lines)])
    return redact_text(text, host.private_names)


def _read_service_log(host: HostSystem, unit: str) -> list[str]:
    command = ["journalctl", "-u", unit, "-n", str(JOURNAL_LINES), "-o", "short-iso", "--no-hostname", "--no-pager"]
    log_lines = (host.run_command(command) or "").splitlines()
    printable_lines = [replace_unprintable(log_line, "")[:400] for log_line in log_lines]
    return printable_lines or ["The journal tells nothing."]


def _format_board(wanted_name: str, host: HostSystem) -> list[str]:
    if not wanted_name:
        return ["No board was named."]
    if wanted_name in list_shipped():
        return [f"{wanted_name}, as it ships."]
    path = host.file_path(wanted_name) if wanted_name.startswith(str(Path("/etc/pond"))) else Path(wanted_name)
    board_values = _read_profile_values(path)
    if board_values is None:
        return [f"{path.stem} cannot be read."]
    others = {name: _read_profile_values(BOARDS_FOLDER / f"{name}.toml") or {} for name in list_shipped()}
    nearest = min(others, key=lambda name: len(format_differences(others[name], board_values)))
    return [f"{path.stem}, which is {nearest} but for", *format_differences(others[nearest], board_values)]


def _read_profile_values(path: Path) -> dict[str, object] | None:
    try:
        with path.open("rb") as file:
            return _flatten_table(tomllib.loads(file.read(MAX_PROFILE_BYTES).decode("utf-8")))
    except (OSError, ValueError, RecursionError):
        return None


def _flatten_table(table: Mapping[str, object], key_prefix: str = "") -> dict[str, object]:
    """Values by their dotted key; what is drawn counts without its blanks. A title is for people, and is left out."""
    flat_values: dict[str, object] = {}
    for key, toml_value in table.items():
        if isinstance(toml_value, Mapping):
            flat_values |= _flatten_table(toml_value, f"{key_prefix}{key}.")
        elif key_prefix + key != "title":
            flat_values[key_prefix + key] = " ".join(toml_value.split()) if isinstance(toml_value, str) else toml_value
    return flat_values


def format_differences(usual_values: Mapping[str, object], board_values: Mapping[str, object]) -> list[str]:
    """What one profile has otherwise than another, a line a key."""
    return [
        f"  {key}: {usual_values.get(key, 'not there')} -> {board_values.get(key, 'not there')}"
        for key in {**board_values, **usual_values}
        if usual_values.get(key) != board_values.get(key)
    ]
