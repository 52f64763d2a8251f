"""Tests of the man page."""

import subprocess
from pathlib import Path
from shutil import which

import pytest

from pond_hw.commands.main import build_parser
from tools.manpage import page

DOCS = Path(__file__).parents[2] / "docs"


def test_man_page_is_current():
    current = (DOCS / "pond.1").read_text(encoding="utf-8") == page(build_parser())
    assert current, "docs/pond.1 is out of date: make man"


def test_every_command_and_option_is_listed():
    text = page(build_parser())
    for name, command in build_parser().commands.items():
        assert f"pond {name}\\fR".replace("-", "\\-") in text
        for action in command._actions:
            if "--help" not in action.option_strings:
                assert all(option.replace("-", "\\-") in text for option in action.option_strings)


def test_man_renders_without_warnings():
    if not which("man"):
        pytest.skip("needs man to render the page")
    completed = subprocess.run(
        ["man", "--warnings", "-l", DOCS / "pond.1"],
        env={"PATH": "/usr/bin:/bin", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert completed.stderr == ""
    assert "pond play [options]" in completed.stdout
    assert max(map(len, completed.stdout.splitlines())) <= 80
