"""Tests of the run of all checks."""

import re
import sys

import pytest

from tests import all_checks
from tests.test_project import TARGETS


@pytest.fixture
def run_all(monkeypatch, tmp_path):
    """Function that runs checks, given as programs in Python. It returns the exit code."""
    monkeypatch.setattr(all_checks, "FOLDER", tmp_path)
    monkeypatch.setattr(all_checks, "RESULTS", tmp_path / "results.jsonl")
    monkeypatch.setattr(all_checks, "read_commit", lambda: "abc")
    monkeypatch.setattr(sys, "argv", ["all_checks"])

    def run(**programs):
        commands = {name: f"{sys.executable} -c '{program}'" for name, program in programs.items()}
        monkeypatch.setattr(all_checks, "CHECKS", commands)
        return all_checks.main()

    return run


def test_commands_are_targets_of_make():
    words = {word for command in all_checks.CHECKS.values() for word in command.split()}
    assert {word for word in words if re.fullmatch("[a-z][a-z-]+", word)} - {"make"} <= TARGETS


def test_results_are_recorded(run_all):
    assert run_all(good='print("12 passed\\n")', bad='raise SystemExit("1 failed")') == 1
    table = all_checks.format_table(all_checks.read_results())
    assert "| abc |" in table
    assert "| 12 passed |" in table
    assert "| **failed:** 1 failed |" in table


def test_interrupted_run_goes_on(run_all, tmp_path):
    mark = tmp_path / "mark"
    count = f'open("{mark}", "a").write("x")'
    fails_first = f'raise SystemExit(open("{mark}").read() == "x")'
    assert run_all(counted=count, again=fails_first) == 1
    mark.write_text("xx")
    assert run_all(counted=count, again=fails_first) == 0
    assert mark.read_text() == "xx"


def test_check_that_was_not_run_is_shown_as_such(run_all):
    run_all(first="pass")
    all_checks.CHECKS["second"] = "make nothing"
    assert all_checks.format_table(all_checks.read_results()).endswith("| second | `make nothing` |  |  |  | not run |")
