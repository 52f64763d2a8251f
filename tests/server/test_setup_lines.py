"""`pond setup --headless` with JSON lines, and guided set-up with lamps alone."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pond_hw.commands import main
from pond_hw.messages.catalogue import LANGUAGES
from pond_hw.messages.message import Message
from pond_hw.profile import list_shipped
from pond_hw.setup.step_table import STEPS
from pond_hw.setup.wizard import SetupWizard
from tests.messages.says import text
from tests.server.served import parse_said
from tests.setup.setup_session import LampUser, open_session

ROOT = Path(__file__).parent.parent.parent


HANDS_OFF = text(Message("sensor_walk.hands_off.buttons", seconds=3))


def press_request(cell):
    """Return the request to press a button."""
    return text(Message("sensor_walk.press.buttons", cell=cell, times=3))


def pond(*arguments, lines=(), **how):
    """Run a process with these input lines. Return its exit code, output and error output."""
    input_bytes = b"".join(each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n" for each in lines)
    command = [sys.executable, "-m", "pond_hw", "setup", "--headless", *arguments]
    done = subprocess.run(command, input=input_bytes, capture_output=True, timeout=60, check=False, **how)
    return done.returncode, done.stdout, done.stderr.decode()


# Lamps alone


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "flaws", "by_rhythm"),
    [
        ("direct-4x4", ("swapped:b2:c2", "colours:RGB"), {}),
        pytest.param("direct-4x4", ("never:b3",), {"b3": "slow"}, marks=pytest.mark.long),  # not examined
        pytest.param("neotrellis-4x4", (), {}, marks=pytest.mark.long),
        pytest.param("simulated-5x5", (), {}, marks=pytest.mark.long),
        pytest.param("matrix-5x5", ("no-diode:b2",), {"b2": "twice"}, marks=pytest.mark.long),
        pytest.param("hall-5x5", ("weak:c3",), {"c3": "twice"}, marks=pytest.mark.long),
    ],
)
def test_guided_set_up_shows_faults_on_the_lamps(folder, monkeypatch, board, flaws, by_rhythm):
    monkeypatch.setenv("POND_BOARDS", str(folder))
    with open_session(board, *flaws) as table:
        table.send({"guide": True})
        person = LampUser(table)
        shown = person.run()
        assert {cell: how for cell, how in shown.items() if how != "good"} == by_rhythm
        assert "yes" in person.story
        assert set(table.results["map"]["changes"]) == (
            {"sensors.cells", "lamps.colours"} if "swapped:b2:c2" in flaws else set()
        )
        person.touch("a1")
        assert table.page["over"]


@pytest.mark.slow
def test_refused_changes_are_not_saved():
    with open_session("direct-4x4", "swapped:b2:c2") as table:
        table.send({"guide": True})
        person = LampUser(table, accepts=False)
        shown = person.run()
        assert {cell for cell, how in shown.items() if how == "twice"} == {"b2", "c2"}
        assert (table.results["map"]["changes"], table.results["map"]["saved"]) == ({}, None)


@pytest.mark.long
def test_accepted_map_is_used_at_once():
    with open_session("direct-4x4", "swapped:b2:c2") as table:
        table.send({"guide": True})
        LampUser(table).run()
        table.send({"reply": "q"})
        wizard = SetupWizard(table.controller.profile)  # start again
        table.controller.wizard = table.controller._runner.step = wizard
        table.send({"step": "live"}, {"press": "b2"}, {"wait": 0.3})
        assert table.page["lines"][3].split()[1] == "#"


# Lines


def test_hello_contains_board_and_steps():
    with open_session("hall-5x5") as table:
        hello = table.messages[0]
    assert (hello["setup"], hello["size"], hello["pretended"], hello["protocol"]) == ("hall-5x5", 5, True, 1)
    assert " ".join(hello["steps"]) == "lamps rows cells break bright map sensors timing calibrate live keys signal"


LINES = ("step", "guide", "reply", "ask", "command", "press", "release", "touch", "wait")
NO_CELLS, UNKNOWN = Message("setup_line.no_cells"), Message("setup_line.unknown", kinds=LINES)


def no_wait(text):
    return Message("field.no_wait", most=3600.0, text=text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"step": "nope"}, Message("steps.unknown", step="nope", steps=tuple(STEPS))),
        (
            {"step": "map", "cells": ["b2"]},
            Message("steps.whole_board", step="map", steps=("sensors", "calibrate")),
        ),
        ({"step": "sensors", "cells": ["e5"]}, Message("steps.unknown_cell", cell="e5", size=4)),
        ({"step": "sensors", "cells": "b2"}, NO_CELLS),
        ({"step": "sensors", "cells": [2]}, NO_CELLS),
        ({"step": "sensors", "cells": None}, NO_CELLS),
        ({"step": "sensors", "cell": ["b2"]}, UNKNOWN),
        ({"step": 7}, UNKNOWN),
        ({"reply": "zz"}, Message("setup_line.unknown_reply", text='"zz"', replies=("n", "q"))),
        ({"reply": "z" * 4000}, Message("setup_line.unknown_reply", text=f'"{"z" * 56}...', replies=("n", "q"))),
        ({"touch": "z9"}, Message("illegal.no_such_cell", cell="z9", size=4)),
        ({"press": "b" * 3000}, Message("illegal.no_such_cell", cell="b" * 20 + "...", size=4)),
        ({"release": "\ud800"}, Message("illegal.no_such_cell", cell="\N{REPLACEMENT CHARACTER}", size=4)),
        ({"wait": -1}, no_wait("-1")),
        ({"wait": 3601}, no_wait("3601")),
        ({"wait": True}, UNKNOWN),
        (b'{"wait":1e400}', no_wait("Infinity")),
        (b'{"wait":NaN}', Message("line.no_number", text="NaN")),
        (b'{"wait":' + b"9" * 4000 + b"}", no_wait("9" * 57 + "...")),
        ({"guide": 1.5}, UNKNOWN),
        ({"guide": True, "step": "map"}, UNKNOWN),
        ({"command": "undo"}, UNKNOWN),
        ({"command": "language", "language": 7}, Message("field.no_language", languages=tuple(LANGUAGES), text="7")),
        ({"press": "a1", "owner": "nobody"}, Message("field.no_owner", text='"nobody"')),
        ({}, UNKNOWN),
        (b"[]", Message("line.no_object")),
        (b"[" * 4000, Message("line.too_deep")),
        (b"x" * 4097, Message("line.too_long", bytes=4096)),
        (b"\xff\xfe", Message("line.not_utf8")),
        (b'{"step":', Message("line.not_json")),
        (b"", Message("line.not_json")),
        (b'{"wait":1,"wait":2}', Message("line.second_field")),
    ],
    ids=lambda value: "" if isinstance(value, Message) else str(value)[:30],
)  # fmt: skip
def test_invalid_line_is_an_error(line, message):
    with open_session() as table:
        table.send({"step": "sensors"}, {"wait": 1})
        before = table.controller.wizard
        error = table.send(line)
        assert error["type"] == "error"
        assert parse_said(error) == [message]
        assert len(error["message"]) < 300
        assert table.controller.wizard is before
        assert table.send({"ask": "page"})["t"] == 1


def test_single_cell_is_measured():
    with open_session("direct-4x4", "bounce:c3") as table:
        table.send({"step": "sensors", "cells": ["c3"]}, {"wait": 3.1})
        for _ in range(3):
            table.send({"touch": "c3"}, {"wait": 0.3})
        table.send({"wait": 4})
        [found] = table.results["sensors"]["findings"]
        assert (found["grade"], found["kind"], found["cells"]) == ("warning", "long bounce", ["c3"])
        assert table.page["step"] == "found"
        assert table.send({"reply": "b2"})["asks"] == HANDS_OFF
        assert table.send({"reply": "q"})["step"] is None


def test_calibrate_step_works_on_a_hall_board():
    with open_session("hall-5x5") as table:
        assert table.send({"step": "calibrate", "cells": ["b2"]}, {"wait": 3.2})["done"] == [0, 2]


@pytest.mark.parametrize("step", ["lamps", "rows", "cells", "break", "bright", "map", "sensors", "timing", "live"])
def test_every_step_can_be_left_unchanged(folder, monkeypatch, step):
    monkeypatch.setenv("POND_BOARDS", str(folder))
    with open_session("simulated-4x4", pretend=False) as table:
        for seconds in (0, 0.1, 3.2):
            table.send({"step": step}, {"wait": seconds}, {"press": "b2"}, {"wait": seconds}, {"release": "b2"})
            page = table.send({"reply": "q"})
            assert page["step"] is None
            assert not any(max(lamp) for lamps in table.send({"wait": 0.2})["seen"].values() for lamp in lamps)
    assert not [each for each in folder.iterdir() if "measured" in each.name]


SCRIPT = [{"step": "bright"}, *[{"reply": "+"}] * 5, {"reply": "y"}, {"step": "sensors", "cells": ["b2"]}]


@pytest.mark.slow
def test_output_is_reproducible():
    lines = [*SCRIPT, {"wait": 3.1}, *[{"touch": "b2"}, {"wait": 0.4}] * 3, {"wait": 3}, {"step": "live"}]
    once, again = (pond("--board", "direct-4x4", "--pretend", "--flaw", "bounce:b2", lines=lines) for _ in range(2))
    assert once == again
    assert (once[0], once[2]) == (0, "")
    assert b'"step":"found"' in once[1]


@pytest.mark.slow
def test_simulated_board_leaves_no_files(folder):
    outside = os.environ | {"TMPDIR": str(folder), "POND_BOARDS": str(folder / "own")}
    code, output, _ = pond("--board", "direct-4x4", "--pretend", lines=SCRIPT, env=outside)
    assert code == 0
    assert b'"saved":"direct-4x4.measured.toml"' in output
    assert list(folder.iterdir()) == []


FLAWS = ("stuck-on:b2", "stuck-off:b2", "never:b2", "chatter:b2", "bounce:b2", "cross-talk:b2")
FLAWS += ("swapped:b2:c2", "broken:7", "colours:RGB")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--board", "nowhere"], text(Message("profile.board.unknown", board="nowhere", boards=tuple(list_shipped())))),
        (["--board", "direct-4x4", "--flaw", "never:b2"], text(Message("setup.flaw_needs_pretend"))),
        (
            ["--board", "direct-4x4", "--pretend", "--flaw", "never:z9"],
            text(Message("simulator.unknown_flaw", text="never:z9", profile="direct-4x4", choices=FLAWS)),
        ),
        (
            ["--board", "direct-4x4", "--step", "map"],
            text(Message("setup_command.step_as_line", example='{"step":"map"}')),
        ),
        (["--board", "direct-4x4", "--cell", "b2"], text(Message("setup_command.cell_needs_step"))),
        (
            ["--board", "direct-4x4"],
            text(Message("setup_command.try_simulated", command="pond setup --board direct-4x4 --pretend")),
        ),
    ],
    ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else "",
)
def test_bad_options_message_and_exit_code(capsys, arguments, words):
    assert main.main(["setup", "--headless", *arguments]) == 2
    out, error_output = capsys.readouterr()
    assert (out, error_output.count("\n")) == ("", 1)
    assert words in error_output


@pytest.mark.slow
def test_protocol_page_example_works():
    text = (ROOT / "docs/protocol.md").read_text().partition("## Setting a board up")[2]
    command = re.search(r"\$ (printf .*setup.*)", text)[1]
    command = command.replace("pond setup", f"{sys.executable} -m pond_hw setup")
    output = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True).stdout
    for line in re.findall(r"^    (\{\"type\":.*)$", text, re.MULTILINE):
        begin, _, end = line.partition("…")
        assert any(each.startswith(begin) and each.endswith(end.rpartition("…")[2]) for each in output.splitlines()), (
            line
        )


def test_linear_hall_sensors_are_calibrated_with_both_sides():
    with open_session("hall-5x5") as table:
        table.send({"step": "calibrate", "cells": ["a1", "e5"]}, {"wait": 3.3})
        for cell in "a1", "e5":
            for owner in "light", "dark":
                table.send({"press": cell, "owner": owner}, {"wait": 0.8}, {"release": cell}, {"wait": 0.3})
        assert table.page["asks"] == text(Message("calibrate.ask"))
        table.send({"reply": "y"})
        result = table.results["calibrate"]
        assert [finding["kind"] for finding in result["findings"]] == ["good", "good"]
        assert 80 <= result["changes"]["sensors.on"] <= 115
        assert result["changes"]["sensors.off"] == round(result["changes"]["sensors.on"] / 2)
        error = table.send({"press": "a1", "owner": "nobody"})
        assert (error["type"], parse_said(error)) == ("error", [Message("field.no_owner", text='"nobody"')])


# Break in the chain


def find_break(table, dark=0.0):
    """Run the step that finds a break. Answer yes if any lamp is lit, no if all are dark."""
    table.send({"step": "break"})
    while table.page["step"] == "break":
        table.send({"wait": 0.3})
        if "y" in [choice["key"] for choice in table.page["choices"]]:
            lit = any(max(lamp) > dark for lamps in table.page["seen"].values() for lamp in lamps)
            table.send({"reply": "y" if lit else "n"})
    return [(each["kind"], each["figures"].get("place")) for each in table.results["break"]["findings"]]


@pytest.mark.parametrize("board", ["simulated-5x5", "direct-4x4", "neotrellis-4x4", "hall-4x4", "owner-4x4"])
def test_intact_chain_is_reported_intact(board):
    with open_session(board) as table:
        assert find_break(table) == [("chain", None)]


@pytest.mark.parametrize("place", [0, 57, 100, 107, 119])
def test_break_in_a_score_strip_is_found(place):
    with open_session("simulated-5x5", f"broken:{place}") as table:
        assert find_break(table) == [("broken chain", place)]


# Presses are measured once


def press_three_times(table, *cells):
    for cell in cells:
        for _ in range(3):
            table.send({"touch": cell}, {"wait": 0.3})


@pytest.mark.slow
def test_timing_reuses_measured_presses():
    with open_session("direct-4x4", "bounce:b2") as table:
        cells = list(table.seen)
        table.send({"step": "sensors"}, {"wait": 3.1})
        press_three_times(table, *cells)
        table.send({"wait": 4})
        page = table.send({"reply": "q"}, {"step": "timing"})
        assert page["asks"] == text(Message("timing.ask"))
        assert text(Message("timing.measured_before")) in page["lines"]
        table.send({"reply": "y"})
        changes = table.results["timing"]["changes"]["sensors.debounce_ms"]
        assert max(map(int, changes.split())) > 20
        assert table.send({"reply": "q"}, {"step": "timing"})["asks"] == text(Message("timing.right"))
        assert table.send({"reply": "r"})["asks"] == HANDS_OFF
        table.send({"wait": 3.1})
        assert table.page["asks"] == press_request("a1")


def test_timing_asks_only_for_unmeasured_cells():
    with open_session("direct-4x4") as table:
        table.send({"step": "sensors", "cells": ["a1", "b1"]}, {"wait": 3.1})
        press_three_times(table, "a1", "b1")
        table.send({"wait": 4}, {"reply": "q"}, {"step": "timing"}, {"wait": 3.1})
        assert table.page["asks"] == press_request("c1")
        assert table.page["done"] == [0, 14]


@pytest.mark.slow
def test_changed_map_is_measured_again():
    with open_session("direct-4x4", "swapped:b2:c2") as table:
        table.send({"step": "sensors", "cells": ["a1"]}, {"wait": 3.1})
        press_three_times(table, "a1")
        table.send({"wait": 4}, {"reply": "q"})
        assert table.controller.wizard.measured
        table.send({"guide": True})
        LampUser(table).run()
        assert set(table.controller.wizard.measured.trials_by_cell) == set(table.seen)  # those after the map
