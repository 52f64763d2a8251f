"""Tests of release notes and checksums."""

import shutil
import subprocess

import pytest

from pond_hw import __version__
from tools.release.notes import read_changes, write_checksums, write_notes

CHANGELOG = """# Changelog

## Unreleased

Soon.

## 2.0.0 - 2027-01-01

### Added

- Ponds.

## 1.0.0 - 2026-12-01

First.
"""


@pytest.mark.parametrize(
    ("version", "expected"), [("2.0.0", "### Added\n\n- Ponds."), ("1.0.0", "First."), ("3.0.0", "Soon.")]
)
def test_notes_are_the_changes_of_the_version(version, expected):
    assert read_changes(CHANGELOG, version) == expected


def test_version_without_changes_is_refused():
    with pytest.raises(SystemExit, match=r"no section for 3\.0\.0"):
        read_changes("# Changelog\n\n## Unreleased\n\n## 1.0.0\n\nFirst.\n", "3.0.0")


def test_notes_begin_with_the_version(tmp_path):
    write_notes(tmp_path / "notes.md")
    notes = (tmp_path / "notes.md").read_text("utf-8")
    assert notes.startswith(f"# Pond {__version__}\n\n")
    assert "sha256sum --check" in notes


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="needs sha256sum")
def test_checksums_find_a_damaged_file(tmp_path):
    for name in ("pond-1-browser.zip", "pond_hw-1.whl"):
        (tmp_path / name).write_text(name)
    (tmp_path / "pond").mkdir()
    write_checksums(tmp_path)

    def check():
        command = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert check().returncode == 0
    (tmp_path / "pond-1-browser.zip").write_text("damaged")
    assert "pond-1-browser.zip: FAILED" in check().stdout
