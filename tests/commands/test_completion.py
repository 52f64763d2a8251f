"""Tests of the completion scripts."""

import subprocess
from shutil import which

import pytest

from pond_hw.commands import main
from pond_hw.commands.completion import SHELLS, completion_script
from tests.conftest import each, require


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """Function that writes the completion script of a shell to a file."""

    def write(shell):
        path = tmp_path_factory.mktemp("scripts") / shell
        path.write_text(completion_script(main.build_parser(), shell))
        return path

    return write


def test_scripts_include_every_command(scripts):
    for shell in SHELLS:
        text = scripts(shell).read_text()
        assert all(name in text for name in main.build_parser().commands), shell


@pytest.mark.slow
@each(
    "line, completed",
    [
        ("pond rep", "report replay replay-board"),
        ("pond play --dark le", " ".join(f"level-{n}" for n in range(1, 13))),
        ("pond serve --board hall", "hall-4x4 hall-5x5"),
        ("pond solve mi", "mini"),
        ("pond games --jo", "--journal"),
        ("pond statistics --by ", "player variant"),
    ],
)
def test_bash_completion_works(scripts, line, completed):
    require("bash", "a shell that completes")
    words = [*line.split(), *([""] if line.endswith(" ") else [])]
    script = f"source {scripts('bash')}; COMP_WORDS=({' '.join(word or chr(39) * 2 for word in words)}); "
    script += f"COMP_CWORD={len(words) - 1}; _shtab_pond; echo ${{COMPREPLY[@]}}"
    process = subprocess.run(["bash", "-c", script], capture_output=True, check=True, text=True)
    assert sorted(process.stdout.split()) == sorted(completed.split())


@each("shell", ["zsh", "fish"])
def test_scripts_are_valid(scripts, shell):
    if which(shell):
        subprocess.run([shell, "-n", scripts(shell)], check=True)
