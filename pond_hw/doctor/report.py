"""Report for a user who asks for help: results of the doctor, changes to the board's profile, recent events."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pond_hw import __version__
from pond_hw.doctor import HostSystem, run_checks
from pond_hw.doctor.check_results import format_results
from pond_hw.doctor.redact import redact_text
from pond_hw.doctor.service_checks import find_service
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.profile import list_shipped
from pond_hw.profile.library import BOARDS_FOLDER, MAX_PROFILE_BYTES

JOURNAL_LINES = 60
"""Number of lines to include from the service's log."""


def format_report(
    board: str | None,
    host: HostSystem,
    results: Callable[[str], Sequence[Message]] = lambda _: (),
    language: str = "en",
) -> str:
    """Return the report without personal data. `results` is a function that returns a board's set-up results."""
    text, served = get_catalogue(language).text, find_service(host)
    examined = run_checks(board, host)
    wanted_name = board or (served.board if served else "")
    measured = (results(wanted_name) if wanted_name else ()) or [Message("report.nothing_measured")]
    lines_by_heading = {
        "doctor": format_results(examined.check_results, language),
        "board": _format_board(wanted_name, host, text),
        "setup": list(map(text, measured)),
        "events": _read_service_log(host, served.unit if served else "pond") or [text(Message("report.no_events"))],
    }
    report_lines = [text(Message("report.title")), "", f"Pond {__version__}", ""]
    for part, lines in lines_by_heading.items():
        heading = text(Message(f"report.heading.{part}"))
        report_lines += [heading, "-" * len(heading), *lines, ""]
    return redact_text("\n".join(report_lines), host.private_names)


def _read_service_log(host: HostSystem, unit: str) -> list[str]:
    command = ["journalctl", "-u", unit, "-n", str(JOURNAL_LINES), "-o", "short-iso", "--no-hostname", "--no-pager"]
    log_lines = (host.run_command(command) or "").splitlines()
    return [replace_unprintable(log_line, "")[:400] for log_line in log_lines]


def _format_board(wanted_name: str, host: HostSystem, text: Callable[[Message], str]) -> list[str]:
    if not wanted_name:
        return [text(Message("report.no_board"))]
    if wanted_name in list_shipped():
        return [text(Message("report.shipped_board", board=wanted_name))]
    path = host.file_path(wanted_name) if wanted_name.startswith(str(Path("/etc/pond"))) else Path(wanted_name)
    board_values = _read_profile_values(path)
    if board_values is None:
        return [text(Message("report.unreadable_board", board=path.stem))]
    others = {name: _read_profile_values(BOARDS_FOLDER / f"{name}.toml") or {} for name in list_shipped()}
    known_keys = {key for values in others.values() for key in values}
    for key in board_values.keys() - known_keys:
        if isinstance(board_values[key], str):  # it may contain a name
            board_values[key] = "…"
    nearest = min(others, key=lambda name: len(list_differences(others[name], board_values)))
    differences = list_differences(others[nearest], board_values)
    title = Message("report.changed_board", board=path.stem, nearest=nearest)
    return [text(title), *(f"  {text(difference)}" for difference in differences)]


def _read_profile_values(path: Path) -> dict[str, object] | None:
    try:
        with path.open("rb") as file:
            return _flatten_table(tomllib.loads(file.read(MAX_PROFILE_BYTES).decode("utf-8")))
    except (OSError, ValueError, RecursionError):
        return None


def _flatten_table(table: Mapping[str, object], key_prefix: str = "") -> dict[str, object]:
    """Return all values by dotted key, except the title. Extra spaces in strings are removed for comparison."""
    flat_values: dict[str, object] = {}
    for key, toml_value in table.items():
        if isinstance(toml_value, Mapping):
            flat_values |= _flatten_table(toml_value, f"{key_prefix}{key}.")
        elif key_prefix + key != "title":
            flat_values[key_prefix + key] = " ".join(toml_value.split()) if isinstance(toml_value, str) else toml_value
    return flat_values


def list_differences(shipped_values: Mapping[str, object], board_values: Mapping[str, object]) -> list[Message]:
    """Return a message for each key that differs between two profiles."""
    differences = []
    for key in {**board_values, **shipped_values}:
        shipped_value, board_value = shipped_values.get(key), board_values.get(key)
        if shipped_value is None:
            differences.append(Message("report.difference.added", key=key, value=str(board_value)))
        elif board_value is None:
            differences.append(Message("report.difference.missing", key=key, default=str(shipped_value)))
        elif shipped_value != board_value:
            differences.append(
                Message("report.difference.changed", key=key, default=str(shipped_value), value=str(board_value))
            )
    return differences
