"""Tests of the wheel and the source distribution: contents, and use without the clone."""

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
from tests.conftest import require, skip_outside_ci

ROOT = Path(__file__).parent.parent
NAME = f"pond_hw-{pond_hw.__version__}"
LEFT_OUT = {".po", ".pyc", ".so", ".pyd"}
"""Suffixes of message sources and of files compiled on this machine."""

pytestmark = pytest.mark.slow


def run(*command, folder=None, **variables):
    """Return the output of a command, without variables of make and Python."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS", "PYTHON"))}
    completed = subprocess.run(
        command, cwd=folder, env=environment | variables, capture_output=True, text=True, timeout=300, check=False
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """Folder with the output of `make dist`."""
    require("make", "it builds both")
    require("setuptools", "it is the build backend")
    folder = tmp_path_factory.mktemp("dist")
    # This Python replaces .venv: only the build backend is needed.
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
def wheel_env(wheel, tmp_path_factory):
    """Virtual environment with the installed wheel. It finds the dependencies in this environment."""
    require("pip", "it installs the wheel")
    folder = tmp_path_factory.mktemp("elsewhere")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin/python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel)
    (site,) = folder.glob("lib/*/site-packages")
    # Paths from a .pth file come last, and .pth files in them are ignored, such as the one that points to the sources.
    (site / "theirs.pth").write_text(sysconfig.get_path("purelib"))
    return folder


@pytest.fixture
def installed(wheel_env, tmp_path):
    """Function that runs the installed command with its own home folder."""

    def pond(*arguments, **variables):
        own_variables = {"HOME": str(tmp_path), "POND_JOURNAL": "off", "POND_BOARDS": f"{os.devnull}/none"}
        return run(wheel_env / "bin/pond", *arguments, folder=tmp_path, **own_variables | variables)

    return pond


def test_wheel_contents(wheel):
    project_names = {str(path.relative_to(ROOT)) for path in (ROOT / "pond_hw").rglob("*") if path.is_file()}
    project_names = {name for name in project_names if Path(name).suffix not in LEFT_OUT}
    with zipfile.ZipFile(wheel) as file:
        wheel_names = {name for name in file.namelist() if not name.startswith(f"{NAME}.dist-info/")}
    assert wheel_names == project_names
    kinds = {Path(name).suffix for name in wheel_names}
    assert {".mo", ".toml", ".txt", ".tcss", ".jsonl", ".xz", ".html", ".css", ".js", ".svg", ".webmanifest"} <= kinds


def test_source_distribution_contents(dist):
    if not (ROOT / ".git").exists():
        skip_outside_ci("needs a clone: git knows which files are the project's")
    require("git", "it knows which files are the project's")
    project_names = set(
        run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder=ROOT).split("\0")
    ) - {""}
    with tarfile.open(dist / f"{NAME}.tar.gz") as file:
        members = {member.name.partition("/")[2]: member for member in file if member.isfile()}
    project_names = {name for name in project_names if (ROOT / name).is_file()}
    added = {name for name in members if name in ("PKG-INFO", "setup.cfg") or name.startswith("pond_hw.egg-info/")}
    assert set(members) - added == project_names
    modes = {name for name in project_names if os.access(ROOT / name, os.X_OK)}
    assert {name for name in project_names if members[name].mode & 0o100} == modes


def test_installed_command_runs_from_the_wheel(wheel_env, installed):
    assert installed("--version").split()[-1] == pond_hw.__version__
    code = "import pond_hw; print(pond_hw.__file__)"
    assert Path(run(wheel_env / "bin/python", "-c", code, folder=wheel_env).strip()).is_relative_to(wheel_env)


def test_installed_pond_plays_a_game(wheel_env, tmp_path):
    command = [wheel_env / "bin/pond", "headless", "--variant", "3x3/6/3", "--dark", "level-1"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as game:

        def send(**line):
            game.stdin.write(json.dumps(line) + "\n")
            game.stdin.flush()
            return json.loads(game.stdout.readline())

        assert json.loads(game.stdout.readline())["type"] == "hello"
        state = send(ask="state")
        for _ in range(200):
            if state["outcome"]:
                break
            state = send(wait=1) if state["to_move"] == "dark" else send(command="action", action=state["legal"][-1])
        game.stdin.close()
        game.kill()
    assert state["outcome"]


@pytest.mark.parametrize("language", ["en", "nl", "de", "fr"])
def test_lessons_and_puzzles_are_translated(installed, language):
    for arguments in (["lessons"], ["puzzle", "--show", "1"]):
        output = installed(*arguments, "--language", language)
        assert output.strip()
        assert (output == installed(*arguments, "--language", "en")) == (language == "en")


def test_web_command_is_installed(installed):
    assert "--spectators" in installed("web", "--help")
