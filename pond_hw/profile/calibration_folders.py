"""Where this machine keeps what was measured on boards whose profiles ship."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

INSTALLED_FOLDER = Path("/var/lib/pond")
"""The folder in which the installed service keeps what must last."""


def list_folders(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where the own files of boards that ship may be: the likeliest first.

    If POND_BOARDS is set, there and nowhere else. What a service has measured a person must find, so everybody looks in
    the folder of the installed service too.

    Args:
        environment: holds POND_BOARDS, STATE_DIRECTORY (which systemd gives a service), XDG_STATE_HOME and HOME.
    """
    if given_folder := environment.get("POND_BOARDS"):
        return [Path(given_folder)]
    state_folders = [
        environment.get("STATE_DIRECTORY", "").split(":")[0],
        str(INSTALLED_FOLDER),
        environment.get("XDG_STATE_HOME") and f"{environment['XDG_STATE_HOME']}/pond",
        environment.get("HOME") and f"{environment['HOME']}/.local/state/pond",
    ]
    return list(dict.fromkeys(Path(state, "boards") for state in state_folders if state))


def file_exists(file: Path) -> bool:
    """Whether a file is there, as far as we are let look."""
    try:
        return file.exists()
    except OSError:  # in a folder that is closed to us
        return False
