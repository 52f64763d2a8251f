"""The wheel and the source distribution: what is in them, and what they can do where nothing else of the project is."""

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import pond_hw
from tests.conftest import lacks, need

ROOT = Path(__file__).parent.parent
NAME = f"pond_hw-{pond_hw.__version__}"
LEFT_OUT = {".po", ".pyc", ".so", ".pyd"}
"""What the sentences are compiled from, and what was compiled on this machine alone."""

pytestmark = pytest.mark.slow


def run(*command, folder=None, **more):
    """What a command prints; it is told nothing of these tests, nor of where the sources lie."""
    outside = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS", "PYTHON"))}
    done = subprocess.run(
        command, cwd=folder, env=outside | more, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """What `make dist` makes."""
    need("make", "it builds both")
    need("setuptools", "it is the build backend")
    folder = tmp_path_factory.mktemp("dist")
    # This Python stands in for .venv: what is asked of it is only the backend.
    venv = folder / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (venv / "bin/python").chmod(0o755)
    run("make", "-s", "-o", f"{venv}/.ready-to-play", "dist", f"VENV={venv}", f"DIST={folder}", folder=ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(dist):
    return dist / f"{NAME}-py3-none-any.whl"


@pytest.fixture(scope="module")
def elsewhere(wheel, tmp_path_factory):
    """A virtual environment that the wheel was installed into; what Pond asks for it finds in ours."""
    need("pip", "it installs the wheel")
    folder = tmp_path_factory.mktemp("elsewhere")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin/python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel)
    (site,) = folder.glob("lib/*/site-packages")
    # A path in a .pth file is looked through last, and no .pth file in it is read: not the one that leads to the sources.
    (site / "theirs.pth").write_text(sysconfig.get_path("purelib"))
    return folder


@pytest.fixture
def installed(elsewhere, tmp_path):
    """Runs the command that was installed, with a home of its own."""

    def pond(*arguments, **more):
        away = {"HOME": str(tmp_path), "POND_JOURNAL": "off", "POND_BOARDS": f"{os.devnull}/none"}
        return run(elsewhere / "bin/pond", *arguments, folder=tmp_path, **away | more)

    return pond


def test_the_wheel_holds_every_file_of_the_program_and_nothing_else(wheel):
    ours = {str(path.relative_to(ROOT)) for path in (ROOT / "pond_hw").rglob("*") if path.is_file()}
    ours = {name for name in ours if Path(name).suffix not in LEFT_OUT}
    with zipfile.ZipFile(wheel) as file:
        held = {name for name in file.namelist() if not name.startswith(f"{NAME}.dist-info/")}
    assert held == ours
    kinds = {Path(name).suffix for name in held}
    assert {".mo", ".toml", ".txt", ".tcss", ".jsonl", ".xz", ".html", ".css", ".js", ".svg", ".webmanifest"} <= kinds


def test_the_source_distribution_is_the_whole_project(dist):
    if not (ROOT / ".git").exists():
        lacks("needs a clone: git knows which files are the project's")
    need("git", "it knows which files are the project's")
    ours = set(run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder=ROOT).split("\0")) - {
        ""
    }
    with tarfile.open(dist / f"{NAME}.tar.gz") as file:
        members = {member.name.partition("/")[2]: member for member in file if member.isfile()}
    ours = {name for name in ours if (ROOT / name).is_file()}
    added = {name for name in members if name in ("PKG-INFO", "setup.cfg") or name.startswith("pond_hw.egg-info/")}
    assert set(members) - added == ours
    modes = {name for name in ours if os.access(ROOT / name, os.X_OK)}
    assert {name for name in ours if members[name].mode & 0o100} == modes


def test_the_installed_command_is_the_one_of_the_wheel(elsewhere, installed):
    assert installed("--version").split()[-1] == pond_hw.__version__
    code = "import pond_hw; print(pond_hw.__file__)"
    assert Path(run(elsewhere / "bin/python", "-c", code, folder=elsewhere).strip()).is_relative_to(elsewhere)


def test_a_whole_game_is_played_by_what_was_installed(elsewhere, tmp_path):
    command = [elsewhere / "bin/pond", "headless", "--variant", "3x3/6/3", "--dark", "level-1"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as game:

        def say(**line):
            game.stdin.write(json.dumps(line) + "\n")
            game.stdin.flush()
            return json.loads(game.stdout.readline())

        assert json.loads(game.stdout.readline())["type"] == "hello"
        state = say(ask="state")
        for _ in range(200):
            if state["outcome"]:
                break
            state = say(wait=1) if state["to_move"] == "dark" else say(command="action", action=state["legal"][-1])
        game.stdin.close()
        game.kill()
    assert state["outcome"]


@pytest.mark.parametrize("language", ["en", "nl", "de", "fr"])
def test_lessons_and_puzzles_speak_every_language(installed, language):
    for asked in (["lessons"], ["puzzle", "--show", "1"]):
        told = installed(*asked, "--language", language)
        assert told.strip()
        assert (told == installed(*asked, "--language", "en")) == (language == "en")


def test_the_page_for_phones_can_be_served(installed):
    assert "--spectators" in installed("web", "--help")
