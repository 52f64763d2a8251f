"""Tests that terminal play and headless games need nothing that Windows or macOS lacks, as far as a Linux machine can show."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import skip_outside_ci

if not sys.platform.startswith("linux"):
    skip_outside_ci("removes Linux features from a process")

ROOT = Path(__file__).parents[2]
FIRST_FRAME = [sys.executable, "tests/e2e/first_frame.py"]
EACH_SYSTEM = pytest.mark.parametrize("system", ["windows", "macos"])
pytestmark = pytest.mark.slow


def start_words(system, *words):
    return [sys.executable, "-X", "warn_default_encoding", "-m", "tests.e2e.other_system", system, *map(str, words)]


def run(command, lines="", **variables):
    environment = os.environ | {"LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT)} | variables
    return subprocess.run(
        command, cwd=ROOT, env=environment, input=lines, capture_output=True, text=True, timeout=120, check=False
    )


def play_headless(system, folder, *requests):
    """Return the last board state and all errors of a headless game."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = run(start_words(system, "headless", "--journal", folder, "--dark", "level-1"), lines)
    assert (done.returncode, done.stderr) == (0, "")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    states = [answer for answer in answers if answer["type"] == "state"]
    return states[-1], [answer for answer in answers if answer["type"] == "error"]


@EACH_SYSTEM
def test_all_modules_can_be_imported(system):
    done = run(start_words(system, "imports"))
    assert done.returncode == 0, done.stdout + done.stderr


@EACH_SYSTEM
def test_headless_game_is_saved_and_resumed(system):
    done = run([sys.executable, "tests/e2e/smoke.py", *start_words(system)])
    assert done.returncode == 0, done.stdout + done.stderr


@EACH_SYSTEM
def test_settings_and_progress_are_saved_twice(system, tmp_path):
    for pieces in (1, 2):
        head_start = {"command": "head_start", "side": "dark", "pieces": pieces}
        place = {"command": "exercise", "course": "lessons", "name": "place"}
        lesson = (
            place,
            {"touch": "b2"},
            {"wait": 3},
            {"touch": "c3"},
            {"wait": 3},
            {"command": "exercise", "choice": "leave"},
        )
        begin = [{"command": "discard"}] if pieces == 2 else []
        _, errors = play_headless(system, tmp_path, *begin, head_start, {"touch": "b2"}, {"wait": 3}, *lesson)
        assert errors == []
        assert json.loads((tmp_path / "players.json").read_bytes())["unnamed"][1]["head_start"] == pieces
        assert json.loads((tmp_path / "exercises.json").read_bytes())["done"]["lessons"] == ["place"]


@EACH_SYSTEM
def test_terminal_play_draws_the_board_and_quits(system, tmp_path):
    done = run([*FIRST_FRAME, *start_words(system, "play", "--dark", "level-1")], POND_JOURNAL=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the first frame was there" in done.stdout
    assert (tmp_path / "journal-1.db").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("serve", "--board", "simulated-4x4"),
        ("setup", "--board", "direct-4x4", "--pretend"),
        ("web",),
        ("games",),
        ("play", "--connect"),
        ("play", "--web"),
        ("tournament", "random", "program:bot"),
    ],
)
def test_unix_commands_are_refused_on_windows(words):
    done = run(start_words("windows", *words))
    assert (done.returncode, done.stdout) == (2, "")
    assert "needs Linux or macOS" in done.stderr
    assert len(done.stderr.splitlines()) == 1
