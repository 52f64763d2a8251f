"""Tests that players' commands run without numpy, Dask, Matplotlib and other heavy packages."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.conftest import require

ROOT = Path(__file__).parents[2]
GAME = ROOT / "tests" / "games" / "mini-patience.pond"
HEAVY = ("dask", "distributed", "manifold3d", "matplotlib", "numpy", "PIL", "pandas", "schemdraw", "scipy", "trimesh")
POND = f"""
import sys
sys.modules.update(dict.fromkeys({HEAVY}))  # importing any of them fails
from pond_hw.commands.main import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def command(tmp_path):
    """Function that returns a command line for `pond` without heavy packages.

    The command is a script file, because worker processes start it again.
    """
    script = tmp_path / "pond_light.py"
    script.write_text(POND)
    return lambda *words: [sys.executable, str(script), *map(str, words)]


@pytest.fixture
def environment(tmp_path):
    return os.environ | {
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path),
        "POND_JOURNAL": str(tmp_path / "games"),
    }


LINES = ({"wait": 3}, {"command": "undo"}, {"ask": "state"})


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("play --help", ()),
        ("headless --light level-3 --dark level-3 --variant mini", LINES),
        ("headless --pieces --dark greedy", LINES),
        ("cards games", ()),
        (f"analyse {GAME} --nodes 50", ()),
        (f"import {GAME}", ()),
        ("games", ()),
        ("statistics", ()),
        ("lessons", ()),
        ("puzzle --show 1", ()),
        ("solve 3x3/2/1", ()),
        ("boards hall-5x5", ()),
        ("tournament greedy level-1 --games 4 --workers 2", ()),
        ("study mini --player level-1 --games 4 --workers 1", ()),
    ],
    ids=lambda words: words if isinstance(words, str) else "",
)
def test_command_runs_without_heavy_packages(command, environment, words, lines):
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    completed = subprocess.run(
        command(*words.split()), env=environment, input=text, capture_output=True, text=True, timeout=120, check=False
    )
    assert (completed.returncode, completed.stderr.count("Traceback")) == (0, 0), completed.stderr
    assert completed.stdout


def test_terminal_board_starts_without_heavy_packages(command, environment):
    watch = [sys.executable, ROOT / "tests" / "e2e" / "first_frame.py"]
    completed = subprocess.run(
        [*watch, *command("play", "--dark", "level-1")],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert completed.returncode == 0, completed.stdout


def _free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def _start(words, environment):
    return subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_serve_and_web_start_without_heavy_packages(command, environment, tmp_path):
    require("starlette", "it serves the page")
    at = ["--socket", str(tmp_path / "socket")]
    commands = (command("serve", "--board", "simulated-4x4", *at), command("web", "--port", _free_port(), *at))
    started = [_start(words, environment) for words in commands]
    try:
        line = started[1].stdout.readline()
        with urlopen(re.search(r"http://\S+", line)[0], timeout=20) as page:
            assert page.status == 200
        assert [process.poll() for process in started] == [None, None]
    finally:
        for process in started:
            process.terminate()
            process.communicate(timeout=20)
