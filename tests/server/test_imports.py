"""Modules loaded before the first frame. Each takes memory, and time on a slow disk."""

import subprocess
import sys

import pytest

ROOMS = {"board", "board_factory", "commands", "companion", "drivers", "engine", "exercises", "durable_files"}
ROOMS |= {
    "interrupts",
    "journal",
    "lights",
    "messages",
    "optional_packages",
    "profile",
    "puzzles",
    "rules",
    "server",
    "session",
    "simulator",
}
"""The packages that a board without program players needs."""

HEAVY = ["asyncio", "importlib.resources", "subprocess", "difflib", "zipfile", "http", "ssl", "unittest"]
HEAVY += ["numpy", "lzma", "shutil", "tempfile", "platform", "uuid"]
HEAVY += ["gpiozero", "textual", "starlette", "serial"]  # a driver loads its library when it is opened
HEAVY += ["pond_hw.engine.packed", "pond_hw.engine.searcher", "pond_hw.doctor", "pond_hw.puzzles.solving"]
HEAVY += ["pond_hw.journal.game_list", "pond_hw.simulator.board_with_pieces"]

SCRIPT = """
import os, sys
from pond_hw.commands.main import main
from pond_hw.exercises.lesson_file import _load_shipped
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.puzzles.puzzle import load_puzzles
from pond_hw.server import board_run
from pond_hw.server.service import BoardService

class QuickService(BoardService):
    def start_serving(self):
        super().start_serving()
        print(*sys.modules)
        print(*(read.cache_info().misses for read in (_load_shipped, load_puzzles, get_catalogue)), flush=True)
        os._exit(0)

board_run.BoardService = QuickService
main(["serve", "--board", "simulated-4x4", "--socket", sys.argv[1], "--journal", sys.argv[2]])
"""


def serve_first_frame(folder):
    command = [sys.executable, "-c", SCRIPT, str(folder / "socket"), str(folder / "games")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.slow
def test_service_loads_only_needed_modules(tmp_path):
    loaded = set(serve_first_frame(tmp_path)[0].split())
    assert {name.split(".")[1] for name in loaded if name.startswith("pond_hw.")} == ROOMS
    assert sorted(loaded & set(HEAVY)) == []
    assert len([name for name in loaded if name.startswith("pond_hw")]) < 160


@pytest.mark.slow
def test_service_start_reads_no_lessons_or_catalogues(tmp_path):
    assert serve_first_frame(tmp_path)[1] == "0 0 0"
