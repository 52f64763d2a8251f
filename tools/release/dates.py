"""The date that all built files carry, so that the same sources give the same bytes."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
HARDWARE = ROOT / "hardware"


def read_date() -> int:
    """Return the date of the sources in seconds since 1970: of the commit or, without git, of the unpacked files.

    The environment variable SOURCE_DATE_EPOCH overrides it (reproducible-builds.org).
    """
    if date := os.environ.get("SOURCE_DATE_EPOCH"):
        if not date.isdecimal():
            raise SystemExit(f"SOURCE_DATE_EPOCH must be a number of seconds since 1970, not {date!r}.")
        return int(date)
    if (ROOT / ".git").exists():
        command = ["git", "log", "-1", "--format=%ct"]
        return int(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    return int((ROOT / "pyproject.toml").stat().st_mtime)
