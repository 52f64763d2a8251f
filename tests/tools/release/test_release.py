"""Tests of `make release`: two clones in different folders, with different settings, give the same bytes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import require, skip_outside_ci

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.long


def clone(to):
    """Clone the project with this working tree's files."""
    if not (ROOT / ".git").exists():
        skip_outside_ci("needs a clone: git knows which files are the project's")
    git = ["git", "-C", str(to), "-c", "user.name=Test", "-c", "user.email=test@localhost"]
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, to], check=True)
    names = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "-mo", "--exclude-standard"], capture_output=True, check=True
    )
    for name in filter(None, names.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--date", "2026-12-01", "-m", "Test"], check=True)


def build(project, to, parts, umask, zone):
    command = [sys.executable, "-m", "tools.release", str(to), *parts]
    variables = {"PYTHONPATH": str(project), "TZ": zone, "SOURCE_DATE_EPOCH": "1796000000"}
    done = subprocess.run(
        command,
        cwd=project,
        env=os.environ | variables,
        umask=umask,
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return (to / "SHA256SUMS").read_text()


@pytest.mark.parametrize(
    "parts",
    [["python"], ["browser"], ["hardware"], ["pico", "sbom", "notes"], ["debs"]],
    ids=" ".join,
)
def test_two_clones_give_the_same_bytes(tmp_path, parts):
    require("cyclonedx", "make release needs it")
    if parts == ["debs"]:
        require("debootstrap", "it makes a fresh Debian")
        if os.geteuid():
            skip_outside_ci("needs root")
        own = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True)
        parts = ["debs", "--processor", own.stdout.strip()]
    sums = []
    for name, umask, zone in (("one", 0o022, "UTC"), ("another place", 0o027, "Asia/Tokyo")):
        clone(tmp_path / name)
        sums.append(build(tmp_path / name, tmp_path / f"{name} out", parts, umask, zone))
    assert sums[0] == sums[1] != ""
