"""Tests of `pond solve`."""

import os
import signal
import subprocess
import sys
from collections import Counter
from itertools import product

import pytest

from pond_hw.commands import solve
from pond_hw.engine.packed import WIN_VALUE
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, Position, parse_variant
from tests.messages.says import assert_refused, text


def light_wins(count):
    return Message("solve.wins", side="light", count=count)


@pytest.mark.slow
def test_winner_and_first_egg_values_are_printed(pond):
    code, out, err = pond("solve", "3x3/2/1")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("8,590 positions")
    assert lines[1] == text(Message("solve.pond", variant="3x3/2/1"), light_wins(53))
    assert lines[5:] == [
        "3  loses in 5   loses in 24  loses in 5",
        "2  loses in 24  wins in 53   loses in 24",
        "1  loses in 5   loses in 24  loses in 5",
        "   a            b            c",
    ]


@pytest.mark.slow
def test_actions_are_listed_best_first(pond):
    after, never, over = "e../.E./... l 1 1 0 0", "T../.../..e d 1 1 0 0", ".../.../E.e l 0 0 0 0"
    _, out, _ = pond("solve", "3x3/2/1", "--position", after, "--position", never)
    asked, unknown = out.split("\n\n")[3:]
    assert asked.splitlines() == [
        after,
        text(light_wins(51)),
        "@b1   wins in 51  *",
        "@c2   wins in 51  *",
        "@a2   loses in 4",
        "@b3   loses in 4",
        "@a1   loses in 2",
        "@c1   loses in 2",
        "@c3   loses in 2",
    ]
    assert unknown.splitlines() == [never, text(Message("solve.unreachable"))]
    _, out, _ = pond("solve", "3x3/1/1", "--position", over)
    assert out.endswith(f"{over}\n{text(Message('outcome.elimination', winner='dark', loser='light'))}\n")


TOO_MANY = Message(
    "position.wrong_sum", side="light", board=0, spawn=9, scored=0, total=9, right_total=2, variant="3x3/2/1"
)


def too_large(variant, allowed):
    positions = solve.estimate_positions(parse_variant(variant))
    needed = round(solve._count_megabytes(positions, round(positions * solve.SLOTS_PER_POSITION)))
    return text(Message("solve.too_large", variant=variant, positions=positions, needed=needed, allowed=allowed))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["standard"], text(Message("solve.too_many_rows", variant="standard", rows=4))),
        (["3x3/9/5", "--memory", "300"], too_large("3x3/9/5", 300)),
        (["3x3/25/25"], too_large("3x3/25/25", solve.DEFAULT_MEGABYTES)),
        (["3x3/2/1", "--memory", "0"], "the number of megabytes must be 1 or more, not 0"),
        (["3x3/2/1", "--memory", "much"], "not a whole number"),
        (["3x3/2/1", "--position", ".../.../... l 9 9 0 0"], text(TOO_MANY)),
        (["3x3/2/3"], text(Message("variant.target_too_high", name="3x3/2/3", target=3, eggs=2))),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_refused(pond, arguments, expected):
    assert_refused(pond("solve", *arguments), expected)


@pytest.mark.slow
def test_board_counts_match_enumeration():
    def is_set(line):
        return line[0] == line[1] == line[2] != "."

    counted, lines = Counter(), [line for line in product(".ETF", repeat=3) if not is_set(line)]
    for rows in product(lines, repeat=3):
        if not any(map(is_set, zip(*rows, strict=True))):
            counted[9 - sum(row.count(".") for row in rows)] += 1
    assert tuple(counted[many] for many in range(10)) == solve.BOARD_COUNTS


def test_estimate_is_slightly_too_high():
    known = {"3x3/2/1": 8_590, "3x3/3/1": 217_079, "3x3/4/2": 1_232_020, "3x3/9/5": 38_867_266}
    for name, positions in known.items():
        assert positions <= solve.estimate_positions(parse_variant(name)) <= 1.25 * positions


def test_memory_limit_stops_the_search(monkeypatch):
    monkeypatch.setattr(solve, "estimate_positions", lambda variant: 1)
    monkeypatch.setattr(solve, "SLOT_BYTES", 10_000)
    with pytest.raises(PondError) as refused:
        solve.solve_variant(parse_variant("3x3/2/1"), 1)
    assert refused.value.message == Message("solve.out_of_memory", variant="3x3/2/1", allowed=1)


def test_values_are_described_in_words():
    start = Position.start(parse_variant("3x3/2/1"))
    assert solve.describe_value(0, start) == Message("solve.draw")
    assert solve.describe_value(WIN_VALUE - 1, start) == light_wins(1)
    assert solve.describe_value(2 - WIN_VALUE, start) == Message("solve.wins", side="dark", count=2)
    assert [solve.format_value(value) for value in (WIN_VALUE - 3, 0, 4 - WIN_VALUE)] == [
        "wins in 3",
        "draws",
        "loses in 4",
    ]


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is no signal elsewhere")
def test_ctrl_c_ends_at_once():
    begin = "import sys; from pond_hw.commands import main; print(1, flush=True); sys.exit(main.main())"
    command = [sys.executable, "-c", begin, "solve", "3x3/8/5"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "1\n"
    try:
        running.wait(1.5)
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out, err) == (130, "", "")
