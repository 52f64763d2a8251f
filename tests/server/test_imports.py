"""What a service loads before its first frame: each module takes time on a slow card, and memory for the whole evening."""

import subprocess
import sys

ROOMS = {
    "blackbox",
    "board",
    "board_factory",
    "commands",
    "companion",
    "drivers",
    "engine",
    "exercises",
    "files",
    "installing",
}
ROOMS |= {"journal", "lights", "messages", "profile", "puzzles", "rules", "server", "session", "setup", "simulator"}
"""The rooms that a board without a program to play against needs."""

HEAVY = [
    "asyncio",
    "hashlib",
    "importlib.resources",
    "subprocess",
    "difflib",
    "zipfile",
    "http",
    "ssl",
    "unittest",
    "numpy",
]
HEAVY += ["gpiozero", "textual", "starlette", "serial"]  # a driver loads its library when it is opened
HEAVY += ["pond_hw.engine.packed", "pond_hw.engine.searcher", "pond_hw.doctor", "pond_hw.puzzles.judging"]

SCRIPT = """
import sys, pond_hw.commands.main, pond_hw.server.serve
print(*sys.modules)
"""


def test_only_what_a_board_needs_is_loaded():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {name.split(".")[1] for name in loaded if name.startswith("pond_hw.")} == ROOMS
    assert sorted(loaded & set(HEAVY)) == []
    assert len([name for name in loaded if name.startswith("pond_hw")]) < 190
