"""Tests of the CI script for `make play`, which must detect a drawn board, a missing board and a crash."""

import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

DRAWS_BOARD = r"""
import os, sys, tty
print("setting up .venv ...")
tty.setraw(0)
os.write(1, b"\x1b[?1049h a board ^q quit")
sys.exit(0 if os.read(0, 1) == b"\x03" else 1)
"""
DRAWS_NOTHING = r"print('setting up .venv ...'); print('press q to quit')"
CRASHES = DRAWS_BOARD.partition("sys.exit")[0] + r"os.read(0, 1); raise ValueError"


def first_frame(program):
    command = [sys.executable, str(Path(__file__).with_name("first_frame.py")), sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_board_is_detected_and_program_quits():
    done = first_frame(DRAWS_BOARD)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("setting up .venv ...\nthe first frame was there after ")


def test_text_without_a_board_is_a_failure():
    done = first_frame(DRAWS_NOTHING)
    assert done.returncode == 1
    assert "setting up .venv ...\npress q to quit\nfailed: no board was seen" in done.stdout


def test_crash_on_exit_is_a_failure():
    done = first_frame(CRASHES)
    assert done.returncode == 1
    assert "failed: it ended with 1" in done.stdout
