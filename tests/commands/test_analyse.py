"""Tests of `pond analyse`."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import fill

import pytest

from pond_hw.commands.analyse import choose_limits
from pond_hw.engine import SeatedPlayers, packed
from pond_hw.engine.analysis import DEEP_NODES, REVIEW_LIMITS, review_moves
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.packed import MAX_DEPTH
from pond_hw.engine.reviewed_game import describe_pieces
from pond_hw.engine.searcher import SearchLimits
from pond_hw.messages.message import Message
from pond_hw.rules import VARIANTS, Record, parse_record
from pond_hw.tui.local_table import LocalTable, TableOptions
from pond_hw.tui.play_app import TerminalBoard
from tests.conftest import skip_outside_ci
from tests.journal.journal_folder import JournalFolder
from tests.messages.says import assert_refused, text

GAMES = Path(__file__).parent.parent / "games"
SHORT = GAMES / "standard-set-up-dark-begins.pond"
QUICK_SEARCH = ("--nodes", "1500")


@pytest.fixture
def write_record(tmp_path):
    """Function that writes a record to a file."""

    def write(record):
        path = tmp_path / "game.pond"
        path.write_text(record)
        return path

    return write


# Text


def wrapped(*messages):
    return fill(text(*messages), 80, subsequent_indent="  ")


@pytest.mark.slow
def test_whole_game_is_reported(pond):
    outcome = Message("outcome.score", winner="dark", most=10, least=7)
    heading = Message("analysis.heading", variant="standard", light="human", dark="human")
    limits = Message("analysis.limit.nodes", count=1000)
    blunder = Message("remark.blunder", action="@b3", worth=Message("worth.pieces", pieces=1.0))
    slip = Message("remark.slip", action="@c2", worth=Message("worth.pieces", pieces=-1.5))
    results = f"""\
{text(heading, outcome)}
{fill(text(Message("analysis.legend"), limits), 80)}

1...  Dark   @c1   -0.9            {text(slip)}
  2.  Light  @b2   -0.8
      Dark   @c4   -0.6
  3.  Light  d2c2  Dark wins in 1  {text(blunder)}
      Dark   @a4   Dark wins

{wrapped(Message("analysis.turning_point", number=3), *LET_DARK_WIN)}
{wrapped(decision("by", number=3, side="light", action="d2c2", winner="dark", loser="light", count=0))}

{wrapped(Message("summary.actions", side="light", count=2, best=1, loss=3.01), ONE_BLUNDER)}
{wrapped(Message("summary.actions", side="dark", count=3, best=1, loss=0.3), ONE_SLIP)}
"""
    assert pond("analyse", SHORT, "--nodes", "1000") == (0, results, "")


LET_DARK_WIN = (
    Message("mistake.let_win", side="light", other="dark", action="d2c2", count=6),
    Message("better.ahead", side="light", action="@b3", pieces=1.0),
    Message("mistake.later", side="dark", action="@a4"),
    Message("turn.set.egg", cells=("a4", "b4", "c4"), count=3),
    Message("turn.gain", side="dark", count=3),
)
ONE_BLUNDER = Message("summary.blunders", count=1)
ONE_SLIP = Message("summary.slips", count=1)


def decision(kind, **arguments):
    return Message(f"decision.{kind}", **arguments)


@pytest.mark.slow
def test_plain_and_compiled_kernel_agree():
    if not packed.compiled_kernel():
        skip_outside_ci("needs the compiled kernel, built from this source: make fast")
    command = [sys.executable, "-m", "pond_hw", "analyse", SHORT, *QUICK_SEARCH]
    results = [
        subprocess.run(command, env={**os.environ, "POND_KERNEL": kernel}, capture_output=True, check=True).stdout
        for kernel in ("plain", "")
    ]
    assert results[0] == results[1]


@pytest.mark.slow
def test_lines_fit_80_columns(pond):
    for game in ("mini-eight-beat-seven", "small-14-seven-at-once"):
        _, out, _ = pond("analyse", GAMES / f"{game}.pond", "--depth", "3", "--nodes", "300")
        assert max(map(len, out.splitlines())) <= 80


def test_control_characters_are_removed_from_names(pond, write_record):
    named = write_record('[Light "Ada"]\n[Dark "B\u202een"]\n\n1. @b2')
    _, out, _ = pond("analyse", named, *QUICK_SEARCH)
    heading = Message("analysis.heading", variant="standard", light="Ada", dark="B\N{REPLACEMENT CHARACTER}en")
    assert out.startswith(text(heading, Message("game.unfinished", side="dark"))[:80].rpartition(" ")[0])


# JSON


@pytest.mark.slow
def test_analysis_is_printed_as_json(pond):
    code, out, err = pond("analyse", SHORT, "--json", "--nodes", "1000")
    results = json.loads(out)
    assert (code, err, results["form"], results["variant"], results["result"]) == (
        0,
        "",
        1,
        "standard",
        "dark 10-7",
    )
    assert results["position"] == parse_record(SHORT.read_text()).start_position.notation_line
    assert results["limits"] == {"depth": None, "nodes": 1000, "seconds": None}
    assert [(turn["turn"], turn["side"], turn["action"]) for turn in results["turns"]][:2] == [
        (1, "dark", "@c1"),
        (2, "light", "@b2"),
    ]
    blunder = results["turns"][3]
    assert blunder["wins"] == {"side": "dark", "actions": 1}
    assert blunder["value"] is None
    assert blunder["best"]["action"] == "@b3"
    assert blunder["best"]["wins"] is None
    assert (blunder["fault"], blunder["win_missed"], blunder["turning_point"]) == ("blunder", False, True)
    assert blunder["line"][:2] == ["d2c2", "@a4"]
    (point,) = results["turning_points"]
    assert (point["turn"], point["told"]) == (4, text(*LET_DARK_WIN))
    assert point["said"] == json.loads(json.dumps([message.to_json() for message in LET_DARK_WIN]))
    assert results["decided"] == {"turn": 4, "winner": "dark"}
    assert results["summary"]["light"]["blunders"] == 1


# Annotated record


@pytest.mark.slow
def test_record_gets_values_after_existing_comments(pond, write_record, tmp_path):
    old = write_record("1. @b2 {in the middle} @b3 {[sic]} 2. @d4")
    new, newer = tmp_path / "new.pond", tmp_path / "newer.pond"
    code, _, err = pond("analyse", old, *QUICK_SEARCH, "-o", new)
    assert (code, err) == (0, f"pond: {text(Message('file.written', file=str(new)))}\n")
    record = parse_record(new.read_text())
    assert record.turns == parse_record(old.read_text()).turns
    values = [
        text(describe_pieces(each.value_for_light(each.value)))
        for each in review_moves(record, SearchLimits(nodes=1500))
    ]
    for n, start in ((1, "in the middle ["), (2, "[sic] ["), (3, "[")):
        assert record.comments[n].startswith(f"{start}{values[n - 1]}")
    pond("analyse", new, *QUICK_SEARCH, "-o", newer)
    assert newer.read_text() == new.read_text()  # a new analysis replaces the values of the old one


@pytest.mark.slow
def test_turning_points_are_in_the_record(pond, tmp_path):
    pond("analyse", SHORT, "--nodes", "1000", "-o", tmp_path / "new.pond")
    comment = parse_record((tmp_path / "new.pond").read_text()).comments[4]
    worth = Message("worth.wins_in", side="dark", actions=1)
    remark = Message("remark.blunder", action="@b3", worth=Message("worth.pieces", pieces=1.0))
    turning_point = text(Message("analysis.turning_point", number=3), *LET_DARK_WIN)
    assert comment == f"[{text(worth)}; {text(remark)}; {turning_point}]"


def test_existing_file_is_refused_before_the_analysis(pond, tmp_path):
    existing = tmp_path / "there.pond"
    existing.write_text("mine")
    assert_refused(
        pond("analyse", SHORT, "--nodes", "100000000", "-o", existing), Message("file.exists", file=str(existing))
    )
    assert existing.read_text() == "mine"
    new, folder = tmp_path / "no" / "new.pond", tmp_path / "no"
    no_folder = Message("file.no_folder", file=str(new), folder=str(folder))
    assert text(no_folder) in pond("analyse", SHORT, *QUICK_SEARCH, "-o", new)[2]
    assert (
        text(Message("file.is_folder", file=str(tmp_path))) in pond("analyse", SHORT, *QUICK_SEARCH, "-o", tmp_path)[2]
    )
    assert text(Message("option.needs_file", option="-o")) in pond("analyse", SHORT, "-o", "")[2]


# Input files


def in_record(file, reason):
    return Message("file.bad_record", file=str(file), reason=reason)


NO_VARIANT = Message("variant.unknown", name="huge", names=tuple(VARIANTS))
CELL_TAKEN = Message(
    "record.illegal_action",
    action=2,
    turn=1,
    side="dark",
    text="@b2",
    reason=Message("illegal.not_empty", cell="b2"),
)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ("", lambda file: in_record(file, Message("record.empty"))),
        ("1. @b2 @b2", lambda file: in_record(file, CELL_TAKEN)),
        ("1. @b2 {half", lambda file: in_record(file, Message("record.lone_brace", line=1))),
        (
            '[Variant "huge"]\n\n1. @b2',
            lambda file: in_record(file, Message("record.wrong_tag", tag="Variant", reason=NO_VARIANT)),
        ),
        ("x" * 1_000_001, lambda file: Message("file.too_long", file=str(file))),
    ],
    ids=["empty", "illegal", "broken", "variant", "long"],
)
@pytest.mark.parametrize("command", ["analyse", "replay"])
def test_bad_record_is_refused(pond, write_record, command, record, expected):
    path = write_record(record)
    assert pond(command, path) == (2, "", f"pond: {text(expected(path))}\n")


@pytest.mark.parametrize("command", ["analyse", "replay"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "/nowhere/at/all",
            Message("file.cannot_read", file="/nowhere/at/all", reason="No such file or directory"),
        ),
        ("/", Message("file.cannot_read", file="/", reason="Is a directory")),
        ("", Message("file.no_name")),
    ],
)
def test_unreadable_file_is_named(pond, command, name, expected):
    assert pond(command, name) == (2, "", f"pond: {text(expected)}\n")


@pytest.mark.parametrize("command", ["analyse", "replay"])
def test_binary_file_is_refused(pond, command, tmp_path):
    record = tmp_path / "noise.pond"
    record.write_bytes(b"\xff\xfe\x00")
    assert pond(command, record) == (2, "", f"pond: {text(Message('file.not_utf8', file=str(record)))}\n")


@pytest.mark.parametrize("record", ['[Variant "standard"]\n', '[Result "dark 0-0 resignation"]\n'])
def test_game_without_turns_is_refused(pond, write_record, record):
    assert pond("analyse", write_record(record)) == (2, "", f"pond: {text(Message('analyse.no_action'))}\n")


def test_unfinished_three_row_game_is_analysed(pond, write_record):
    _, out, _ = pond("analyse", write_record('[Variant "3x3/9/5"]\n\n1. @b2 @a1 2. @c3'), *QUICK_SEARCH)
    assert text(Message("game.unfinished", side="dark")) in " ".join(out.split())
    assert "Light: 2 actions" in out


def test_resigned_game_is_analysed(pond, write_record):
    _, out, _ = pond("analyse", write_record('[Result "dark 0-0 resignation"]\n\n1. @b2'), *QUICK_SEARCH)
    assert text(Message("outcome.resignation", winner="dark", loser="light")) in " ".join(out.split())
    assert text(decision("resigned.ahead", side="light", other="dark", pieces=0.4)) in out
    assert text(Message("summary.no_action", side="dark")) in out


RESIGNED = Message("outcome.resignation", winner="light", loser="dark")


@pytest.mark.slow
def test_saved_game_is_found_by_number(pond, tmp_path):
    JournalFolder(tmp_path / "state").play("@b2 @b3 @c3 resign", light="Ada", dark="greedy")
    for game in (["1"], ["last"], []):
        code, out, _ = pond("analyse", *game, "--journal", tmp_path / "state", *QUICK_SEARCH)
        heading = Message("analysis.heading", variant="standard", light="Ada", dark="greedy")
        first = text(heading, RESIGNED)
        assert (code, out.splitlines()[0]) == (0, first)
    no_game = Message("game.no_such_number", name="7", folder=str(tmp_path / "state"), command="pond games")
    assert text(no_game) in pond("analyse", "7", "--journal", tmp_path / "state")[2]
    assert text(RESIGNED) in pond("replay", "last", "--journal", tmp_path / "state")[1]
    assert text(RESIGNED) in pond("replay", "--journal", tmp_path / "state")[1]


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        (("--depth", "0"), "must be 1 to 60, not 0"),
        (("--depth", "61"), "must be 1 to 60, not 61"),
        (("--nodes", "0"), "must be 1 or more, not 0"),
        (("--nodes", "many"), "not a whole number"),
        (("--seconds", "0"), "not a number of seconds"),
        (("--seconds", "nan"), "not a number of seconds"),
        (("--deep", "--nodes", "5"), text(Message("analyse.two_limits"))),
    ],
)
def test_invalid_limits_are_refused(pond, bound, words):
    assert_refused(pond("analyse", SHORT, *bound), words)


def test_options_set_the_search_limits():
    assert choose_limits(None, None, None) == REVIEW_LIMITS
    assert choose_limits(None, None, None, deep=True) == SearchLimits(MAX_DEPTH, DEEP_NODES, None)
    assert choose_limits(5, None, None) == SearchLimits(5, 0, None)
    assert choose_limits(None, None, 0.5) == SearchLimits(MAX_DEPTH, 0, 0.5)
    assert choose_limits(5, 900, None) == SearchLimits(5, 900, None)


@pytest.mark.slow
def test_review_on_screen_agrees_with_the_command():
    whole = parse_record(SHORT.read_text())
    record = Record(whole.variant, whole.turns[:2], custom_start=whole.custom_start)
    review = BackgroundReview(record)
    review.start_review()
    until = time.monotonic() + 60
    while review.is_running and time.monotonic() < until:
        review.collect_answers()
        time.sleep(0.01)
    assert review.game.move_reviews == list(review_moves(record, choose_limits(None, None, None)))
    assert TerminalBoard(LocalTable(record.variant, SeatedPlayers(), TableOptions(4)))._start_review is BackgroundReview


def test_time_limit_is_kept(pond, write_record):
    started = time.monotonic()
    assert pond("analyse", write_record("1. @b2 @b3 2. @c3"), "--seconds", "0.1")[0] == 0
    assert time.monotonic() - started < 3


# Time limit and Ctrl-C


@pytest.mark.slow
def test_ctrl_c_writes_no_file(tmp_path):
    new = tmp_path / "new.pond"
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "pond_hw", "analyse", str(SHORT), "--depth", "60", "-o", str(new)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave) as process:
        os.close(slave)
        assert b"0 of 5" in os.read(master, 1000)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
    left = os.read(master, 1000)
    os.close(master)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in left
    assert left.endswith(b"\r\n")  # the prompt has a line of its own
    assert not new.exists()
