"""Tests of the entry point: output, exit codes and error messages."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pond_hw.commands import dark, legal, main
from pond_hw.messages.message import Message
from pond_hw.rules import VARIANTS, parse_record
from pond_hw.session import describe_outcome
from tests.conftest import long_after_first, skip_outside_ci
from tests.messages.says import assert_refused, text

EXAMPLE = ".tt./..FE/ft.T/T..T l 1 1 7 8"
GAMES = Path(__file__).parent.parent / "games"
UNWRITABLE = text(Message("command.output_unwritable", reason="No space left on device"))


def test_perft_accepts_variant_or_position(pond):
    assert pond("perft", "standard", "3") == (0, "3464\n", "")
    assert pond("perft", "big", "2") == (0, "600\n", "")
    assert pond("perft", "3x3/9/5", "1") == (0, "9\n", "")
    assert pond("perft", ".E../...e/EFe./..eE l 9 10 0 0", "2") == (0, "118\n", "")
    assert pond("perft", "standard", "0") == (0, "1\n", "")
    assert pond("perft", ".../.../... l 9 9 0 0", "2", "--variant", "3x3/9/5")[1] == "72\n"


def test_perft_divide_counts_each_first_action(pond):
    code, out, _ = pond("perft", "standard", "2", "--divide")
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "@a1 15"
    assert len(lines) == 17
    assert lines[-1] == "240"


def test_legal_prints_one_action_per_line(pond):
    code, out, _ = pond("legal", EXAMPLE)
    assert code == 0
    assert out.split()[:3] == ["@b1", "@c1", "@c2"]
    assert "d1d2" not in out


def test_show_draws_the_position(pond):
    _, out, _ = pond("show", EXAMPLE)
    assert out.splitlines()[1] == "4 . t t . 4"
    assert "light to move" in out


def test_apply_prints_the_turn_as_json(pond):
    _, out, _ = pond("apply", "..../...E/..tF/.... l 11 12 0 0", "@d1")
    turn = json.loads(out)
    assert turn["action"] == "@d1"
    assert turn["sets"] == [["d1", "d2", "d3"]]
    assert turn["scored"] == {"light": ["d1", "d2", "d3"], "dark": []}
    assert turn["developed"] == [{"cell": "d2", "owner": "light", "from": "frog", "to": "egg"}]
    assert turn["position"] == "..../..../..t./.... d 10 12 3 0"
    assert turn["outcome"] is None


def test_replay_prints_the_end_of_a_game(pond):
    for record in sorted(GAMES.glob("*.pond"))[:3]:
        code, out, _ = pond("replay", str(record))
        game = parse_record(record.read_text(encoding="utf-8"))
        assert code == 0
        assert out.splitlines()[-1] == text(describe_outcome(game.outcome, game.position))


def test_replay_names_the_first_illegal_action(pond, tmp_path):
    record = tmp_path / "bad.pond"
    record.write_text('[Variant "mini"]\n\n1. @a1 @b1 2. b1b2 @c1\n')
    code, out, err = pond("replay", str(record))
    assert (code, out) == (2, "")
    reason = Message("illegal.other_owner", cell="b1", owner="dark", side="light")
    illegal = Message("record.illegal_action", action=3, turn=2, side="light", text="b1b2", reason=reason)
    assert err == f"pond: {record}: {text(illegal)}\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["perft", "nowhere", "3"], text(Message("variant.unknown", name="nowhere", names=tuple(VARIANTS)))),
        (["perft", "standard", "-1"], "0 to 30"),
        (["perft", "standard", "many"], "not a whole number"),
        (["perft", "standard", "2", "--variant", "big"], "is already a variant"),
        (["legal", "..../..../..../.... x 13 13 0 0"], "side to move is l or d"),
        (["legal", "..../..../..../.... l 13 12 0 0"], "each side has 13"),
        (["legal", "..../..../.... l 13 13 0 0"], "three rows"),
        (["legal", ".../.../... l 9 9 0 0"], text(Message("position.needs_variant"))),
        (["legal", EXAMPLE, "--variant", "big"], "has 5 rows"),
        (
            ["legal", EXAMPLE, "--variant", "4x4/2/3"],
            text(Message("variant.target_too_high", name="4x4/2/3", target=3, eggs=2)),
        ),
        (["apply", EXAMPLE, "b2"], text(Message("action.wrong_notation", text="b2"))),
        (["apply", EXAMPLE, "c2b2"], "no piece on c2"),
        (["show", ""], "six parts"),
        (["perft", "standard", "٣"], "not a whole number"),
        (["perft", "standard", "1_0"], "not a whole number"),
        (["perft", "standard", "9" * 5000], "not a whole number"),
        (["headless", "--cells", "x"], "--cells can't be “x”. Choose one of 1, 4, 9"),
        (["play", "--dark", "deep"], "--dark can't be “deep”. Choose one of human, novice"),
        (["play", "--cells", "3"], "--cells can't be “3”. Choose one of 1, 4, 9"),
        (["dance"], "There is no command “dance”."),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_bad_input_exits_with_code_2(pond, arguments, expected):
    assert_refused(pond(*arguments), expected)


def test_control_characters_in_file_name_are_replaced(pond):
    assert_refused(pond("analyse", "a\x1b[31m.pond"), "a�[31m.pond")


def test_damaged_record_is_quoted_safely(pond, tmp_path):
    record = tmp_path / "noise.pond"
    record.write_text("1. @b2 \x1b[31mRED\x1b]0;title\x07" + "x" * 100_000)
    _, _, err = pond("replay", str(record))
    assert len(err) < 300
    assert err.strip().isprintable()


@pytest.mark.slow
@pytest.mark.parametrize(
    "redirected", long_after_first(["headless >&-", "headless <&-", "replay - <&-", "perft standard 1 >&-"])
)
def test_closed_stream_is_treated_as_empty(redirected):
    completed = subprocess.run(
        f"{sys.executable} -m pond_hw {redirected}", shell=True, input=b"", capture_output=True, check=False
    )
    assert b"Traceback" not in completed.stderr
    assert completed.returncode in (0, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", long_after_first(["headless", "perft standard 1", "show '..../..../..../.... l 13 13 0 0'"])
)
def test_full_output_device_is_reported(arguments):
    if not Path("/dev/full").exists():
        skip_outside_ci("needs /dev/full: an output that takes nothing")
    command = f"{sys.executable} -m pond_hw {arguments} >/dev/full"
    completed = subprocess.run(command, shell=True, input=b"", capture_output=True, check=False)
    assert completed.stderr == f"pond: {UNWRITABLE}\n".encode()
    assert completed.returncode == 2


@pytest.mark.parametrize(
    ("command", "error", "expected"),
    [
        (legal, OSError(28, "No space left"), text(Message("command.output_unwritable", reason="No space left"))),
        (legal, OSError("broken"), text(Message("command.output_unwritable", reason="broken"))),
        (
            legal,
            PermissionError(13, "Not for you", "/a/file"),
            text(Message("command.file_unusable", file="/a/file", reason="Not for you")),
        ),
        (
            dark,
            OSError(24, "Too many open files"),
            text(Message("command.system_refuses", reason="Too many open files")),
        ),
        (
            dark,
            FileNotFoundError(2, "Not there", b"/a/file"),
            text(Message("command.file_unusable", file="/a/file", reason="Not there")),
        ),
    ],
)
def test_system_error_names_the_cause(pond, monkeypatch, command, error, expected):
    def fail(asked):
        raise error

    monkeypatch.setattr(command, "run_command", fail)
    monkeypatch.setattr(main, "_discard_output", lambda stream: None)
    given = {legal: ("legal", EXAMPLE), dark: ("dark", "--board", "simulated-4x4")}[command]
    assert pond(*given) == (2, "", f"pond: {expected}\n")


@pytest.mark.slow
def test_play_without_a_terminal_suggests_headless():
    completed = subprocess.run(
        [sys.executable, "-m", "pond_hw", "play"], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert completed.returncode == 2
    assert b"pond headless" in completed.stderr
    assert b"Traceback" not in completed.stderr


def test_closed_pipe_is_not_an_error():
    completed = subprocess.run(
        f"{sys.executable} -m pond_hw perft standard 3 --divide | head -1",
        shell=True,
        capture_output=True,
        check=False,
    )
    assert completed.stdout == b"@a1 212\n"
    assert completed.stderr == b""


LIGHT_START = """
import sys
from pond_hw.commands import main as cli
cli.main(sys.argv[1:])
heavy = ["textual", "rich", "pydantic", "gpiozero", "rpi_ws281x", "neopixel", "board", "lgpio", "spidev", "busio"]
print([name for name in heavy if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", ["doctor", "report"])
def test_help_does_not_import_doctor_checks(command):
    code = (
        "import sys; from pond_hw.commands.main import build_parser; build_parser().commands[sys.argv[1]].format_help()"
    )
    code += "; print([name for name in sys.modules if name.startswith(('pond_hw.doctor', 'pond_hw.setup'))])"
    completed = subprocess.run([sys.executable, "-c", code, command], capture_output=True, check=True)
    assert completed.stdout == b"[]\n"


@pytest.mark.slow
def test_terminal_board_imports_no_hardware():
    code = "import sys, pond_hw.tui; print([n for n in sys.argv[1:] if n in sys.modules])"
    names = ["gpiozero", "rpi_ws281x", "neopixel", "board", "lgpio", "spidev", "busio", "pydantic"]
    completed = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, check=True)
    assert completed.stdout == b"[]\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    long_after_first(
        [
            ["headless"],
            ["boards", "direct-4x4"],
            ["perft", "standard", "1"],
            ["legal", EXAMPLE],
            ["show", EXAMPLE],
            ["games", "--journal", "/"],
        ],
    ),
)
def test_start_imports_few_modules(arguments):
    completed = subprocess.run(
        [sys.executable, "-c", LIGHT_START, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    assert completed.stderr.decode().strip() == "[]"
