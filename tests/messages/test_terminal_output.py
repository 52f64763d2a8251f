"""Tests of terminal output: wrapping and columns."""

import pty
import sys

from pond_hw.messages import terminal_output
from pond_hw.messages.terminal_output import align_columns, wrap_line
from pond_hw.messages.terminal_text import replace_unprintable
from tests.conftest import each

WEB = "Only this machine can open it. For the phones in your network: pond play --web 0.0.0.0"


def test_long_lines_wrap_at_spaces():
    assert wrap_line("never one two", 7) == "never\none two"
    assert wrap_line("never one two", None) == "never one two"
    assert wrap_line("a-name-that-is-too-long is here", 10) == "a-name-that-is-too-long\nis here"


@each(
    "line, command",
    [
        (WEB, "pond play --web 0.0.0.0"),
        ("Without a terminal, use `pond setup --headless` instead of it.", "`pond setup --headless`"),
        ("There are no games. Play one: pond cards play. Or keep: pond cards score", "pond cards play."),
        (
            "The Wi-Fi is off. Try: sudo nmcli radio wifi on. On a new Pi, set the country first.",
            "sudo nmcli radio wifi on.",
        ),
        ("Save it, then: .venv/bin/pond games --last 3, or another command.", ".venv/bin/pond games --last 3,"),
    ],
)
def test_commands_are_not_wrapped(line, command):
    for columns in range(len(command), len(line)):
        folded = wrap_line(line, columns)
        assert command in folded
        assert folded.replace("\n", " ") == line
        assert max(map(len, folded.split("\n"))) <= columns


def test_text_after_a_label_is_indented():
    assert wrap_line("lamps   16 lamps, 1 in each cell.", 24) == "lamps   16 lamps, 1 in\n        each cell."


@each(
    "command",
    [
        "setup --board direct-4x4 --pretend --flaw foo",
        "setup --board direct-4x4 --pretend",
        "play --cells 3 --dark human",
        "puzzle 9999",
        "boards hall-5x5 --language nl",
        "show nothing",
        "import README.md",
        "report -o /nowhere/at/all",
        "dance",
    ],
)
def test_output_of_commands_fits_the_terminal(pond, monkeypatch, command):
    columns = 44
    monkeypatch.setattr(terminal_output, "find_columns", lambda _: columns)
    _, out, err = pond(*command.split())
    lines = [line for line in (out + err).splitlines() if " " in line]
    assert lines
    assert [line for line in lines if len(line) > columns and not line.startswith("For help, type:")] == []


def test_find_terminal_columns(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    ours, theirs = pty.openpty()
    with open(theirs, "w") as stream, open(ours, "rb"):  # noqa: PTH123 - descriptors
        assert terminal_output.find_columns(stream) == terminal_output.DEFAULT_COLUMNS  # it does not report its width
        monkeypatch.setenv("COLUMNS", "50")
        assert terminal_output.find_columns(stream) == 50


def test_piped_output_is_not_wrapped(pond):
    assert terminal_output.find_columns(sys.stdout) is None
    assert len(pond("puzzle", "9999")[2].splitlines()) == 1


def test_control_characters_are_replaced():
    assert replace_unprintable("a\x1bb") == "a�b"
    assert replace_unprintable("a\x1bb", "") == "ab"
    assert replace_unprintable("12\N{NO-BREAK SPACE}%") == "12\N{NO-BREAK SPACE}%"


def test_align_columns():
    rows = [("name", "n"), ("Ada", "100"), ("日本", "7")]
    assert align_columns(rows, "lr") == ["name    n", "Ada   100", "日本    7"]


def test_align_columns_shortens_long_lines():
    rows = [("1", "Wilhelmina Friederike", "Ada")]
    assert align_columns(rows, "rll", 28) == ["1 Wilhelmina Friederike Ada"]
    assert align_columns(rows, "rll", 20, [1, 2]) == ["1 Wilhelmina Fr… Ada"]
    assert align_columns(rows, "rll", 5, [1, 2]) == ["1 Wilhe… Ada"]
    assert align_columns(rows, "rll", 5) == ["1 Wilhelmina Friederike Ada"]
