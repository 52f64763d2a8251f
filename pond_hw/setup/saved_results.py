"""Set-up results, saved next to the board's calibration file for `pond report`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from pond_hw.durable_files import MAX_STATE_BYTES, read_file, replace_file
from pond_hw.messages.catalogue import Catalogue, get_catalogue
from pond_hw.profile.calibration_store import find_writable_file, lock_folder
from pond_hw.profile.library import find_profile, list_calibration_files
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.step import StepResult
from pond_hw.setup.step_table import STEPS


def save_result(
    board_name: str, step_name: str, step_result: StepResult, at: datetime, environment: Mapping[str, str] = os.environ
) -> Path:
    """Replace the saved result of a step atomically.

    Raises:
        OSError: if the file cannot be written; it is then unchanged.
        PondError: if there is no folder to save it in.
    """
    saved_file = _results_path(find_writable_file(find_profile(board_name), environment))
    with lock_folder(saved_file.parent):
        stored_results = load_results(board_name, environment)
        stored_results[step_name] = {
            "at": at.isoformat(timespec="seconds"),
            "findings": [finding_to_json(finding) for finding in step_result.findings],
        }
        replace_file(saved_file, f"{json.dumps(stored_results, indent=1)}\n".encode())
    return saved_file


def load_results(board_name: str, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Return the latest result of each step by name: its time `at`, and its `findings` in the format of `finding_to_json`.

    Unreadable results are skipped.
    """
    for calibration_file in list_calibration_files(find_profile(board_name), environment):
        try:
            stored = json.loads(read_file(_results_path(calibration_file), MAX_STATE_BYTES))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(stored, dict):
            return {name: stored[name] for name in STEPS if _is_result(stored.get(name))}
    return {}


def finding_to_json(found: SetupFinding, catalogue: Catalogue | None = None) -> dict[str, object]:
    """Return a finding as JSON, with its messages both as text (in English by default) and as data."""
    catalogue = catalogue or get_catalogue()
    texts = {"told": found.message, "cause": found.cause, "cure": found.cure}
    return {
        "grade": found.grade,
        "kind": found.kind,
        "cells": list(found.cells),
        **{key: catalogue.text(message) if message else "" for key, message in texts.items()},
        "said": [message.to_json() for message in found.messages],
        "figures": {figure_name: round(stored_value, 3) for figure_name, stored_value in found.figures.items()},
    }


def _is_result(stored_result: object) -> bool:
    """Return True if the value is a valid result of a step."""
    match stored_result:
        case {"at": str(), "findings": list(findings)}:
            return all(map(_is_finding, findings))
    return False


def _is_finding(stored_finding: object) -> bool:
    match stored_finding:
        case {"grade": str(grade), "cells": list(cells), "figures": dict(figures), **rest}:
            texts = [*cells, *(rest.get(key) for key in ("kind", "told", "cause", "cure"))]
            known = grade in (GOOD, WARNING, FAULT) and all(isinstance(stored_text, str) for stored_text in texts)
            return known and all(isinstance(stored_value, int | float) for stored_value in figures.values())
    return False


def _results_path(calibration_file: Path) -> Path:
    """Return the path of the results file, such as `direct-4x4.setup.json` for `direct-4x4.measured.toml`."""
    return calibration_file.with_name(f"{calibration_file.name.removesuffix('.measured.toml')}.setup.json")
