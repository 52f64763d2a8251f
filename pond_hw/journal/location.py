"""Where this machine keeps games unless another folder is named."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

SERVICE_FOLDER = Path("/var/lib/pond")
"""The state folder of the installed service."""


OFF_SETTING = "off"
"""What $POND_JOURNAL says if no game is to be kept."""


def default_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The default folder for games; None if games are not kept."""
    named_folder = environment.get("POND_JOURNAL")
    if named_folder:
        return None if named_folder == OFF_SETTING else Path(named_folder)
    return program_state_folder(environment)


def program_state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder for this program's state: systemd's, or one in the user's home."""
    if state_folder := environment.get("STATE_DIRECTORY", "").split(":")[0]:
        return Path(state_folder)
    home_folder = environment.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - Path.home() fails without one
    return Path(environment.get("XDG_STATE_HOME") or f"{home_folder}/.local/state") / "pond"
