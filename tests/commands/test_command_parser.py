"""Tests of the help and the error messages of the command line."""

import os
import re
import shlex
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

from pond_hw import __version__
from pond_hw.commands import main
from pond_hw.messages.message import Message
from pond_hw.rules import VARIANTS
from tests.conftest import each, skip_outside_ci
from tests.messages.says import text


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@each(
    "arguments, expected, prog",
    [
        (["--help", "plya"], "There is no command “plya”. Did you mean play?", "pond"),
        (["plya"], "There is no command “plya”. Did you mean play?", "pond"),
        (["xyzzy"], "There is no command “xyzzy”.", "pond"),
        (["--verson"], "There is no option “--verson” here. Did you mean --version?", "pond"),
        (["play", "--drak", "human"], "There is no option “--drak” here. Did you mean --dark?", "pond play"),
        (["play", "--drak=human"], "There is no option “--drak” here. Did you mean --dark?", "pond play"),
        (["play", "--dark", "humn"], "--dark can't be “humn”. Did you mean human?", "pond play"),
        (["play", "--seed"], "--seed needs a value.", "pond play"),
        (["play", "--pieces=3"], "--pieces takes no value.", "pond play"),
        (["play", "--p"], "--p could be any of --ponder, --pieces.", "pond play"),
        (["play", "--seed", "x"], "--seed: “x” is not a whole number with at most 12 digits.", "pond play"),
        (["puzzle", "--grade", "x"], "--grade: “x” is not a whole number with at most 12 digits.", "pond puzzle"),
        (["puzzle", "--grade", "9"], "--grade can't be “9”. Choose one of 1, 2, 3, 4, 5.", "pond puzzle"),
        (
            ["cards", "games", "--players", "x"],
            "--players: “x” is not a whole number with at most 12 digits.",
            "pond cards",
        ),
        (["perft"], "Missing: POSITION|VARIANT, DEPTH.", "pond perft"),
        (["show", "mini", "big"], "“big” is one word too many.", "pond show"),
        (["hardware", "biuld", "x"], "build can't be “biuld”. Did you mean build?", "pond hardware"),
        (["x" * 5000], f"There is no command “{'x' * 40}...”.", "pond"),
    ],
)
def test_invalid_argument_prints_two_lines(pond, arguments, expected, prog):
    assert pond(*arguments) == (2, "", f"pond: {expected}\nFor help, type: {prog} --help\n")


@each(
    "command, option",
    [
        ("play", "--record"),
        ("serve", "--record"),
        ("serve", "--socket"),
        ("headless", "--record"),
        ("setup", "--record"),
        ("web", "--socket"),
        ("report", "-o"),
        ("analyse", "-o"),
        ("cards", "-o"),
        ("cards", "--load"),
        ("study", "--out"),
        ("tournament", "--out"),
        ("tournament", "--resume"),
        ("tournament", "--show"),
    ],
)
def test_empty_file_name_is_refused(pond, command, option):
    needs_file = Message("option.needs_file", option=option)
    assert pond(command, option, "") == (2, "", f"pond: {text(needs_file)}\n")


def test_every_command_refuses_an_unknown_option(pond):
    for name in main.build_parser().commands:
        code, out, err = pond(name, "--no-such-thing")
        assert (code, out, len(err.splitlines())) == (2, "", 2), name
        assert err.startswith("pond: ")


def test_short_version_option_works(pond):
    assert pond("-V") == pond("--version") == (0, f"pond {__version__}\n", "")


def test_short_help_fits_one_screen(pond, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = pond()
    assert (code, err) == (0, "")
    assert pond("--help") == pond("help") == pond("-h") == (0, out, "")
    assert re.findall(r"^  ([a-z-]+)", out, re.MULTILINE) == list(main.COMMANDS["Play"])
    assert len(out.splitlines()) < 24
    assert max(map(len, out.splitlines())) <= 80
    assert "pond --help all" in out


def test_help_on_one_command_can_be_requested_three_ways(pond):
    assert pond("help", "games") == pond("--help", "games") == pond("games", "--help")


def test_full_help_lists_each_command_once(pond):
    _, out, _ = pond("--help", "all")
    parser = main.build_parser()
    assert [line.removesuffix(":") for line in out.splitlines() if line.endswith(":") and line[0].isupper()] == [
        *main.COMMANDS,
        "Options",
    ]
    assert sorted(name for names in main.COMMANDS.values() for name in names) == sorted(parser.commands)
    play, games = out.index("\n  play "), out.index("Your games:")
    assert play < games < out.index("\n  show-game ") < out.index("\n  headless ")


def test_examples_in_help_are_valid(pond):
    _, out, _ = pond("help", "all")
    for name, (_, words) in chain.from_iterable(group.items() for group in main.COMMANDS.values()):
        example = f"{name} {words}".strip()
        assert f"Example: pond {example}\n" in out
        read = main.build_parser().read_command_line(shlex.split(example))
        module = name.replace("-", "_")
        assert read.run.__module__.rstrip("_") in (f"pond_hw.commands.{module}", f"pond_hw.{module}.command")


def test_help_says_player_and_not_person(pond):
    for name in main.build_parser().commands:
        assert "person " not in pond(name, "--help")[1], name


@each("columns", ["20", "40", "200", "0", "x"])
def test_help_fits_any_terminal_width(pond, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    for arguments in (["--help"], ["play", "--help"], ["tournament", "--help"]):
        assert pond(*arguments)[::2] == (0, "")


# Variants as positions


def test_variant_stands_for_its_start_position(pond):
    empty = "..../..../..../.... l 10 10 0 0"
    assert pond("show", "mini") == pond("show", empty, "--variant", "mini")
    assert pond("legal", "3x3/9/5")[1].split() == ["@a1", "@b1", "@c1", "@a2", "@b2", "@c2", "@a3", "@b3", "@c3"]
    assert pond("apply", "mini", "@b2") == pond("apply", empty, "@b2", "--variant", "mini")


@each("command", [["show"], ["legal"], ["apply", "@b2"], ["perft", "1"]])
def test_second_variant_is_refused(pond, command):
    name, *rest = command
    code, _, err = pond(name, "mini", *rest, "--variant", "big")
    assert (code, err) == (2, "pond: mini is already a variant. Use --variant only with a position.\n")
    assert text(Message("variant.unknown", name="pool", names=tuple(VARIANTS))) in pond(name, "pool", *rest)[2]


# Outputs


def run(command, **environment):
    completed = subprocess.run(
        command, shell=True, input=b"", capture_output=True, check=False, env=os.environ | environment, timeout=60
    )
    return completed.returncode, completed.stdout.decode(), completed.stderr.decode()


POND = f"{sys.executable} -m pond_hw"


@pytest.mark.slow
def test_help_survives_full_disk_or_closed_pipe():
    if not Path("/dev/full").exists():
        skip_outside_ci("needs /dev/full: an output that takes nothing")
    full = (2, "", f"pond: {text(Message('command.output_unwritable', reason='No space left on device'))}\n")
    assert run(f"{POND} --help >/dev/full") == full
    assert run(f"{POND} show nothing 2>/dev/full") == (2, "", "")
    assert run(f"{POND} --help | true") == (0, "", "")


@pytest.mark.slow
def test_unencodable_characters_become_question_marks(tmp_path):
    board = tmp_path / "kitchen.toml"
    source = Path(main.__file__).parent.parent / "boards" / "simulated-4x4.toml"
    lines = source.read_text().splitlines()
    board.write_text("\n".join('title = "Küche"' if line.startswith("title") else line for line in lines))
    code, out, err = run(f"{POND} boards {board}", PYTHONIOENCODING="ascii")
    assert (code, err) == (0, "")
    assert "K?che" in out
