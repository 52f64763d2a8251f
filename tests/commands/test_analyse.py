"""`pond analyse`: what a person reads, what a program reads, what stands in the record, and every kind of file."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pond_hw.commands.analyse import QUICK_NODES, choose_limits
from pond_hw.engine import packed
from pond_hw.engine.analysis import ANALYSIS_NODES, MoveReview, review_moves
from pond_hw.engine.analysis_text import explain_mistake, format_decision, format_pieces
from pond_hw.engine.packed import MAX_DEPTH, WIN_VALUE
from pond_hw.engine.searcher import SearchLimits
from pond_hw.rules import LIGHT, Action, EndReason, Outcome, Record, Side, parse_record
from tests.conftest import lacks
from tests.journal.shelf import Shelf

GAMES = Path(__file__).parent.parent / "games"
SHORT = GAMES / "standard-set-up-dark-begins.pond"
QUICK = ("--nodes", "1500")


@pytest.fixture
def file(tmp_path):
    """Writes a record."""

    def write(text):
        path = tmp_path / "game.pond"
        path.write_text(text)
        return path

    return write


# For people

TOLD = """\
The standard pond: human (light) against human (dark). Dark wins, 10 to 7.
A value tells how many pieces light is ahead after the action, with a minus how
many dark is. A win in 5 comes after five more actions of both sides. Looked at
for each: 2000 positions at the most.

 1... dark  @c1   -0.9
   2. light @b2   -0.9
      dark  @c4   -0.8
   3. light d2c2  dark wins in 1    blunder: @b3 0.0
      dark  @a4   dark wins

Turning point: 3. Light's d2c2 lets dark win; @b3 would have kept the game
  level. Dark's @a4 then scores three eggs on a4-b4-c4: 3 for dark.
Decided by 3. Light's d2c2: from there on dark won, whatever light did.

Light: 2 actions, 1 as good as the best; 2.50 pieces given away with each on
  average; 1 blunder.
Dark: 3 actions, 1 as good as the best; 0.06 pieces given away with each on
  average; no fault.
"""


def test_a_whole_game_is_told(pond):
    assert pond("analyse", SHORT, "--nodes", "2000") == (0, TOLD, "")


@pytest.mark.slow
def test_the_plain_kernel_tells_the_same_as_the_compiled_one():
    if not packed.compiled_kernel():
        lacks("needs the compiled kernel, of this very source: make fast")
    command = [sys.executable, "-m", "pond_hw", "analyse", SHORT, *QUICK]
    told = [
        subprocess.run(command, env={**os.environ, "POND_KERNEL": which}, capture_output=True, check=True).stdout
        for which in ("plain", "")
    ]
    assert told[0] == told[1]


def test_no_line_is_wider_than_a_terminal(pond):
    for game in ("mini-eight-beat-seven", "small-14-seven-at-once"):
        _, out, _ = pond("analyse", GAMES / f"{game}.pond", "--depth", "3", "--nodes", "300")
        assert max(map(len, out.splitlines())) <= 80


def test_names_are_told_and_tamed(pond, file):
    named = file('[Light "Ada"]\n[Dark "B\u202een"]\n\n1. @b2')
    _, out, _ = pond("analyse", named, *QUICK)
    assert out.startswith("The standard pond: Ada (light) against B\N{REPLACEMENT CHARACTER}en (dark). The game")


def judged(value, best_value, line, better, side=LIGHT):
    line, better = (tuple(map(Action.from_notation, actions.split())) for actions in (line, better))
    return MoveReview(side, line[0], value, better[0], best_value, 5, line, better)


def test_a_set_that_is_given_away_is_named():
    record = parse_record('[Position "ef../..../..../E..E l 11 11 0 0"]\n\n1. @b2')
    said = explain_mistake(record, 0, judged(-300, 0, "@b2 @c4", "@c4 @b2"))
    assert said == (
        "1. Light's @b2 gives away three pieces; @c4 would have kept the game level. "
        "Dark's @c4 then scores three eggs on a4-b4-c4: 3 for dark."
    )


def test_a_set_of_ones_own_that_is_missed_is_named():
    record = parse_record('[Position "EF../..../..../e..e l 11 11 0 0"]\n\n1. @b2')
    said = explain_mistake(record, 0, judged(40, 290, "@b2 @c4", "@c4 @b2"))
    assert said == (
        "1. Light's @b2 misses three pieces; @c4 would have kept light 2.9 ahead. "
        "It would have scored three eggs on a4-b4-c4: 3 for light."
    )


def test_numbers_of_pieces_are_written_with_one_digit():
    assert [format_pieces(worth) for worth in (0, 4, -4, 5, -5, 130, -1999)] == [
        "0.0", "0.0", "0.0", "+0.1", "-0.1", "+1.3", "-20.0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("winner", "reason", "value", "told"),
    [
        (Side.DARK, EndReason.RESIGNATION, WIN_VALUE - 6, "Light resigned in a won game: it would have won in 5."),
        (Side.DARK, EndReason.RESIGNATION, 6 - WIN_VALUE, "Light resigned in a lost game: dark would have won in 5."),
        (Side.DARK, EndReason.RESIGNATION, -130, "Light resigned when 1.3 behind."),
        (Side.LIGHT, EndReason.RESIGNATION, 10, "Dark resigned in a level game."),
        (None, EndReason.AGREEMENT, 40, "The players agreed to a draw when light was 0.4 ahead."),
        (None, EndReason.AGREEMENT, 6 - WIN_VALUE, "The players agreed to a draw when dark would have won in 5."),
        (None, None, 40, "Nobody's win is sure yet: light is 0.4 ahead."),
        (None, None, WIN_VALUE - 6, "Decided since 1. Light's @b2: light wins in 5, whatever dark does."),
    ],
)
def test_how_it_stood_when_the_players_ended_it_themselves_is_told(winner, reason, value, told):
    game = parse_record("1. @b2")
    ended = Record(game.variant, game.turns, Outcome(winner, reason) if reason else None)
    assert format_decision(ended, [judged(value, value, "@b2", "@b2")]) == told


# For programs


def test_one_object_tells_it_all(pond):
    code, out, complaint = pond("analyse", SHORT, "--json", "--nodes", "2000")
    told = json.loads(out)
    assert (code, complaint, told["form"], told["variant"], told["result"]) == (0, "", 1, "standard", "dark 10-7")
    assert told["position"] == parse_record(SHORT.read_text()).start_position.notation_line
    assert told["limits"] == {"depth": None, "nodes": 2000, "seconds": None}
    assert [(turn["turn"], turn["side"], turn["action"]) for turn in told["turns"]][:2] == [
        (1, "dark", "@c1"),
        (2, "light", "@b2"),
    ]
    blunder = told["turns"][3]
    assert blunder["wins"] == {"side": "dark", "actions": 1}
    assert blunder["value"] is None
    assert blunder["best"]["action"] == "@b3"
    assert blunder["best"]["wins"] is None
    assert (blunder["fault"], blunder["win_missed"], blunder["turning_point"]) == ("blunder", False, True)
    assert blunder["line"][:2] == ["d2c2", "@a4"]
    assert [point["turn"] for point in told["turning_points"]] == [4]
    assert told["decided"] == {"turn": 4, "winner": "dark"}
    assert told["summary"]["light"]["blunders"] == 1


# In the record


def test_the_record_is_written_again_with_values_behind_what_was_remarked(pond, file, tmp_path):
    old = file("1. @b2 {in the middle} @b3 {[sic]} 2. @d4")
    new, newer = tmp_path / "new.pond", tmp_path / "newer.pond"
    code, _, complaint = pond("analyse", old, *QUICK, "-o", new)
    assert (code, complaint) == (0, f"pond: {new} is written.\n")
    record = parse_record(new.read_text())
    assert record.turns == parse_record(old.read_text()).turns
    values = [
        format_pieces(each.value_for_light(each.value)) for each in review_moves(record, SearchLimits(nodes=1500))
    ]
    for n, there in ((1, "in the middle ["), (2, "[sic] ["), (3, "[")):
        assert record.comments[n].startswith(f"{there}{values[n - 1]}")
    pond("analyse", new, *QUICK, "-o", newer)
    assert newer.read_text() == new.read_text()  # what an analysis has written goes when another one comes


def test_turning_points_stand_in_the_record(pond, tmp_path):
    pond("analyse", SHORT, "--nodes", "2000", "-o", tmp_path / "new.pond")
    comment = parse_record((tmp_path / "new.pond").read_text()).comments[4]
    assert comment.startswith("[dark wins in 1 blunder: @b3 0.0. Turning point: 3. Light's d2c2 lets dark win;")


def test_no_file_is_overwritten_and_that_is_said_before_anybody_waits(pond, tmp_path):
    there = tmp_path / "there.pond"
    there.write_text("mine")
    code, out, complaint = pond("analyse", SHORT, "--nodes", "100000000", "-o", there)
    assert (code, out) == (2, "")
    assert complaint == f"pond: There is a file {there} already, and it is kept. Name another one.\n"
    assert there.read_text() == "mine"
    assert "cannot be written" in pond("analyse", SHORT, *QUICK, "-o", tmp_path / "no" / "new.pond")[2]
    assert "needs the name of a file" in pond("analyse", SHORT, "-o", "")[2]


# Every kind of file


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The record is empty"),
        ("1. @b2 @b2", "Action 2 (turn 1. dark), @b2, is illegal"),
        ("1. @b2 {half", "a brace without its other half"),
        ('[Variant "huge"]\n\n1. @b2', "There is no variant 'huge'"),
        ("x" * 1_000_001, "is too long to be a game record"),
    ],
    ids=["empty", "illegal", "broken", "variant", "long"],
)
@pytest.mark.parametrize("command", ["analyse", "replay"])
def test_what_cannot_be_told_is_said_in_a_sentence(pond, file, command, text, words):
    code, out, complaint = pond(command, file(text))
    assert (code, out) == (2, "")
    assert words in complaint
    assert "Traceback" not in complaint


@pytest.mark.parametrize("text", ['[Variant "standard"]\n', '[Result "dark 0-0 resignation"]\n'])
def test_in_a_game_without_a_turn_there_is_nothing_to_analyse(pond, file, text):
    nothing = "pond: No action has been taken in this game yet, so there is nothing to analyse.\n"
    assert pond("analyse", file(text)) == (2, "", nothing)


def test_an_unfinished_game_and_one_of_three_rows_are_told(pond, file):
    _, out, _ = pond("analyse", file('[Variant "3x3/9/5"]\n\n1. @b2 @a1 2. @c3'), *QUICK)
    assert "The game goes on; dark is to move." in " ".join(out.split())
    assert "Nobody's win is sure yet" in out
    assert "Light: 2 actions" in out


def test_a_game_that_was_given_up_is_told(pond, file):
    _, out, _ = pond("analyse", file('[Result "dark 0-0 resignation"]\n\n1. @b2'), *QUICK)
    assert "Dark wins: light resigned." in " ".join(out.split())
    assert "Light resigned in a level game." in out
    assert "Dark took no action." in out


def test_a_game_that_was_kept_is_told_by_its_number(pond, tmp_path):
    Shelf(tmp_path / "state").play("@b2 @b3 @c3 resign", light="Ada", dark="greedy")
    for which in ("1", "last"):
        code, out, _ = pond("analyse", which, "--journal", tmp_path / "state", *QUICK)
        first = "The standard pond: Ada (light) against greedy (dark). Light wins: dark resigned."
        assert (code, out.splitlines()[0]) == (0, first)
    assert "There is no game 7" in pond("analyse", "7", "--journal", tmp_path / "state")[2]
    assert "dark resigned" in pond("replay", "last", "--journal", tmp_path / "state")[1]


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        (("--depth", "0"), "is 1 to 60, not 0"),
        (("--depth", "61"), "is 1 to 60, not 61"),
        (("--nodes", "0"), "is 1 or more, not 0"),
        (("--nodes", "many"), "not a whole number"),
        (("--seconds", "0"), "not a number of seconds"),
        (("--seconds", "nan"), "not a number of seconds"),
        (("--deep", "--nodes", "5"), "--deep is a bound of its own"),
    ],
)
def test_bounds_that_make_no_sense_are_refused(pond, bound, words):
    code, out, complaint = pond("analyse", SHORT, *bound)
    assert (code, out) == (2, "")
    assert words in complaint


def test_bounds_are_what_was_asked_for():
    assert choose_limits(None, None, None) == SearchLimits(MAX_DEPTH, QUICK_NODES, None)
    assert choose_limits(None, None, None, deep=True) == SearchLimits(MAX_DEPTH, ANALYSIS_NODES, None)
    assert choose_limits(5, None, None) == SearchLimits(5, 0, None)
    assert choose_limits(None, None, 0.5) == SearchLimits(MAX_DEPTH, 0, 0.5)
    assert choose_limits(5, 900, None) == SearchLimits(5, 900, None)


def test_by_the_clock_it_ends_in_time(pond, file):
    begun = time.monotonic()
    assert pond("analyse", file("1. @b2 @b3 2. @c3"), "--seconds", "0.1")[0] == 0
    assert time.monotonic() - begun < 3


# While it lasts


@pytest.mark.slow
def test_ctrl_c_ends_it_and_nothing_is_written(tmp_path):
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
