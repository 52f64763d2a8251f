"""The headless board and its JSON lines."""

import io
import json
import subprocess
import sys
from random import Random

import pytest

from pond_hw.board import HealthEvent
from pond_hw.engine.hints import ImmediateAdviser
from pond_hw.engine.packed import compiled_kernel
from pond_hw.journal.folder import read_all_games
from pond_hw.messages.message import Message
from pond_hw.rules import VARIANTS, PondError, Position, parse_variant
from pond_hw.server import headless, parse_requests
from pond_hw.server.headless import HeadlessGame
from tests.conftest import long_after_first
from tests.server.headless_client import HeadlessClient
from tests.server.served import parse_said


def test_hello_has_the_protocol_version():
    hello = HeadlessClient(lamps_per_cell=4).hello
    assert hello["type"] == "hello"
    assert hello["protocol"] == 1
    assert (hello["variant"], hello["size"], hello["lamps"]) == ("standard", 4, 4)
    assert "big" not in hello["variants"]  # too large for a 4x4 board


def test_state_describes_the_whole_game():
    program = HeadlessClient()
    program.request({"touch": "b2"})
    [state] = program.request({"touch": "b3"})
    assert state == {
        "type": "state",
        "t": 0.0,
        "variant": "standard",
        "position": "..../.e../.T../.... l 12 12 0 0",
        "to_move": "light",
        "legal": state["legal"],
        "score": {"light": 0, "dark": 0},
        "spawn": {"light": 12, "dark": 12},
        "phase": "act",
        "selected": None,
        "targets": [],
        "turn": 2,
        "last": {
            "action": "@b3",
            "developed": [{"cell": "b2", "owner": "light", "from": "egg", "to": "tadpole"}],
            "sets": [],
            "scored": {"light": [], "dark": []},
        },
        "hint": None,
        "outcome": None,
        "message": state["message"],
        "said": state["said"],
    }
    assert parse_said(state) == [
        Message("turn.place", side="dark", cell="b3"),
        Message("turn.develop.tadpole", cells=("b2",), count=1),
        Message("prompt.buttons.place_or_move", side="light"),
    ]
    assert state["legal"][:3] == ["@a1", "@b1", "@c1"]
    assert state["legal"][-3:] == ["b2b1", "b2a2", "b2c2"]


def test_choosing_a_piece_enters_the_in_hand_phase():
    program = HeadlessClient()
    for line in ({"touch": "b2"}, {"touch": "b3"}):
        program.request(line)
    [state] = program.request({"press": "b2"})
    assert (state["phase"], state["selected"], state["targets"]) == ("in_hand", "b2", ["b1", "a2", "c2"])
    assert program.request({"release": "b2"}) == []  # nothing changed


def without_texts(state):
    return {**state, "message": None, "said": None}


def test_refused_press_gets_the_reason():
    program = HeadlessClient()
    program.request({"touch": "b2"})
    before = program.state()
    [after] = program.request({"touch": "b2"})
    assert parse_said(after) == [Message("illegal.other_owner", side="dark", cell="b2", owner="light")]
    assert without_texts(after) == without_texts(before)


def test_commands_change_the_game():
    program = HeadlessClient("mini")
    [state] = program.request({"command": "action", "action": "@c3"})
    assert state["last"]["action"] == "@c3"
    [state] = program.request({"command": "undo"})
    assert state["last"] is None
    [state] = program.request({"command": "redo"})
    assert state["last"]["action"] == "@c3"
    [state] = program.request({"command": "resign"})
    assert state["outcome"] == {"winner": "light", "reason": "resignation"}
    assert (state["phase"], state["legal"]) == ("over", [])
    [state] = program.request({"command": "new"})
    assert (state["variant"], state["last"]) == ("mini", None)
    [state] = program.request({"command": "new", "variant": "3x3/9/5"})
    assert state["position"] == ".../.../... l 9 9 0 0"
    [state] = program.request({"command": "draw"})
    assert state["outcome"] == {"winner": None, "reason": "agreement"}
    [state] = program.request({"command": "new", "variant": "big"})
    assert parse_said(state) == [Message("variant.does_not_fit", variant="big", size=5, board=4)]


def test_time_passes_only_during_wait():
    program = HeadlessClient()
    program.request({"touch": "b2"})
    assert program.state()["t"] == 0
    [state] = program.request({"wait": 1.5})
    assert (state["type"], state["t"]) == ("state", 1.5)
    assert program.request({"wait": 0}) == []
    assert program.request({"wait": 0.1})[0]["t"] == 1.6


def test_frame_contains_every_lamp():
    program = HeadlessClient("big", lamps_per_cell=4)
    program.request({"touch": "c3"})
    program.request({"wait": 2})
    [frame] = program.request({"ask": "frame"})
    assert (frame["type"], frame["t"]) == ("frame", 2.0)
    assert len(frame["cells"]) == 25
    assert all(len(lamps) == 4 for lamps in frame["cells"].values())
    assert max(map(max, frame["cells"]["c3"])) > max(map(max, frame["cells"]["a1"]))


def test_frames_option_adds_a_frame_to_each_state():
    program = HeadlessClient(frames=True)
    assert [answer["type"] for answer in program.request({"touch": "b2"})] == ["state", "frame"]
    assert [answer["type"] for answer in program.request({"wait": 1})] == ["state", "frame"]
    assert [answer["type"] for answer in program.request({"ask": "frame"})] == ["frame"]


def test_record_contains_undone_turns():
    program = HeadlessClient("mini")
    for line in ({"touch": "b2"}, {"touch": "b3"}, {"touch": "a1"}, {"command": "undo"}, {"command": "undo"}):
        program.request(line)
    [record] = program.request({"ask": "record"})
    assert record == {
        "type": "record",
        "t": 0.0,
        "size": 4,
        "record": '[Variant "mini"]\n[Result "*"]\n\n1. @b2\n',
        "undone": ["@b3", "@a1"],
        "selected": None,
        "refused": None,
        "fresh": False,
        "since": 0.0,
        "message": record["message"],
        "said": record["said"],
    }
    assert parse_said(record)[0] == Message("undo.done", count=1)
    program.request({"touch": "b2"})
    assert program.request({"ask": "record"})[0]["refused"] == {"cell": "b2", "at": 0.0}


def test_long_press_after_the_end_starts_a_game():
    program = HeadlessClient()
    program.request({"touch": "b2"})
    program.request({"command": "resign"})
    program.request({"press": "c3"})
    [state] = program.request({"wait": 1.9})
    assert state["phase"] == "over"
    [state] = program.request({"wait": 0.1})
    assert (state["phase"], state["last"]) == ("act", None)


def test_states_contain_trouble_while_it_lasts():
    program = HeadlessClient()
    assert "trouble" not in program.state()
    trouble = Message("sensors.lost", reason=Message("i2c.hangs", bus=1))
    program.game.companion.put(HealthEvent(trouble, 0.0))
    assert parse_said(program.state(), "trouble") == [trouble]
    assert parse_said(program.request({"ask": "record"})[0], "trouble") == [trouble]
    program.game.companion.put(HealthEvent(None, 1.0))
    assert not {"trouble", "trouble_said"} & program.state().keys()


def test_unreadable_input_raises():
    class Broken(io.BytesIO):
        def readline(self, *_):
            raise OSError(5, "Input/output error")

    with pytest.raises(PondError) as refused:
        headless.run(HeadlessGame(parse_variant("standard")), Broken(), io.StringIO())
    assert refused.value.message == Message("input.unreadable", text="Input/output error")


BAD_LINES = {
    b"": Message("line.not_json"),
    b"\xff\xfe": Message("line.not_utf8"),
    b"[" * 4000: Message("line.too_deep"),
    b'{"touch":"' + b"b" * 5000 + b'"}': Message("line.too_long", bytes=4096),
    b'{"wait":' + b"9" * 4000 + b"}": Message("field.no_wait", most=3600.0, text="9" * 57 + "..."),
}
"""Invalid lines that are not short texts. Short ones are in tests/behaviour/transcripts/commands.txt."""


@pytest.mark.parametrize("line", BAD_LINES, ids=lambda line: repr(line)[:40])
def test_bad_line_gets_one_error(line):
    program = HeadlessClient()
    before = program.state()
    [error] = program.request(line)
    assert error["type"] == "error"
    assert parse_said(error) == [BAD_LINES[line]]
    assert len(error["message"]) < 260
    assert program.state() == before


def test_overlong_line_is_skipped():
    stream = io.BytesIO(
        b"x" * 10_000_000 + b'\n{"touch":"b2"}\n' + b"y" * parse_requests.MAX_LINE_BYTES + b'\n{"ask":"state"}'
    )
    out = io.StringIO()
    headless.run(HeadlessGame(parse_variant("standard")), stream, out)
    types = [json.loads(line)["type"] for line in out.getvalue().splitlines()]
    assert types == ["hello", "error", "state", "error", "state"]


GAME = [
    *({"touch": cell} for cell in ("a1", "a2", "b2", "b1", "d4", "c4")),
    {"touch": "d4"},
    {"touch": "d3"},
    {"wait": 0.5},
    {"command": "undo"},
    {"command": "redo"},
    {"ask": "frame"},
]


def run_pond(*arguments, given=b""):
    command = [sys.executable, "-m", "pond_hw", *arguments]
    return subprocess.run(command, input=given, capture_output=True, timeout=60, check=False)


@pytest.mark.slow
def test_output_is_reproducible():
    given = "\n".join(map(json.dumps, GAME)).encode()
    first, second = (run_pond("headless", "--frames", "--cells", "16", given=given) for _ in range(2))
    assert first.returncode == 0
    assert first.stderr == b""
    assert first.stdout == second.stdout
    assert first.stdout.startswith(b'{"type":"hello","protocol":1,')


HINTS = [
    *({"touch": cell} for cell in ("b2", "b3", "c2", "a3")),
    {"command": "hint"},
    {"command": "action", "action": "@a2"},
    {"command": "hint"},
    {"wait": 20},
    {"command": "hint"},
]


@pytest.mark.slow
def test_either_kernel_gives_the_same_hint(monkeypatch):
    given = "\n".join(map(json.dumps, HINTS)).encode()
    used = run_pond("headless", given=given).stdout
    if compiled_kernel():
        monkeypatch.setenv("POND_KERNEL", "plain")
        assert run_pond("headless", given=given).stdout == used
    hints = [state["hint"] for state in map(json.loads, used.splitlines()[1:])]
    assert [hint is not None for hint in hints] == [False] * 4 + [True, False, True, False, True]
    assert hints[4]["action"] == "@a2"  # three eggs


@pytest.mark.slow
def test_hint_comes_with_the_answer():
    program = HeadlessClient(lamps_per_cell=4)
    for cell in ("b2", "b3"):
        program.request({"touch": cell})
    before = program.state()
    [state] = program.request({"command": "hint"})
    assert state["hint"]["action"] in state["legal"]
    assert parse_said(state)[0].id.startswith("hint.")
    assert {**without_texts(state), "hint": None} == without_texts(before)
    program.request({"wait": 1})
    [frame] = program.request({"ask": "frame"})
    lit = state["hint"]["action"][-2:]
    assert max(map(max, frame["cells"][lit])) > 2 * max(map(max, frame["cells"]["d4"]))
    [record] = program.request({"ask": "record"})
    assert record["hint"] == state["hint"]
    assert "hint" not in record["record"]
    [state] = program.request({"wait": 15})
    assert (state["hint"], parse_said(state)) == (None, parse_said(before)[-1:])


def test_hints_are_not_saved(tmp_path, monkeypatch):
    monkeypatch.setattr("pond_hw.server.headless.ImmediateAdviser", lambda: ImmediateAdviser(500))

    def evening(folder, hints):
        program = HeadlessClient(folder=folder)
        for line in GAME[:2]:
            program.request(line)
            for _ in range(hints):
                program.request({"command": "hint"})
        program.game.companion.close()
        [saved] = read_all_games(folder)[0]
        return [str(noted.entry) for noted in saved.entries]

    noted = evening(tmp_path / "with", 1)
    assert noted
    assert noted == evening(tmp_path / "without", 0)


class TestWhatIf:
    """The query `what_if`."""

    def test_what_if_answer_has_turn_fields(self):
        program = HeadlessClient()
        for line in HINTS[:4]:
            program.request(line)
        before = program.state()
        [answer] = program.request({"ask": "what_if", "action": "@a2"})
        assert answer == {
            "type": "what_if",
            "action": "@a2",
            "developed": [
                {"cell": "b2", "owner": "light", "from": "frog", "to": "egg"},
                {"cell": "a3", "owner": "dark", "from": "egg", "to": "tadpole"},
            ],
            "sets": [["a2", "b2", "c2"]],
            "scored": {"light": ["a2", "b2", "c2"], "dark": []},
            "position": "..../tt../..../.... d 10 11 3 0",
            "outcome": None,
            "message": answer["message"],
            "said": answer["said"],
        }
        assert parse_said(answer) == [
            Message("preview.place", side="light", cell="a2"),
            Message("preview.develop.egg", cells=("b2",), count=1),
            Message("preview.develop.tadpole", cells=("a3",), count=1),
            Message("preview.set.egg", cells=("a2", "b2", "c2"), count=3),
            Message("preview.gain", side="light", count=3),
        ]
        assert program.state() == before

    @pytest.mark.parametrize("seed", range(3))
    def test_what_if_matches_the_real_turn(self, seed):
        program, rng = HeadlessClient("mini"), Random(seed)
        while not (state := program.state())["outcome"]:
            action = rng.choice(state["legal"])
            [would] = program.request({"ask": "what_if", "action": action})
            [done] = program.request({"command": "action", "action": action})
            assert {key: would[key] for key in done["last"]} == done["last"]
            assert (would["position"], would["outcome"]) == (done["position"], done["outcome"])

    @pytest.mark.parametrize(
        ("asked", "why"),
        [
            ({"action": "@b2"}, Message("illegal.not_empty", cell="b2")),
            ({"action": "b2b4"}, Message("illegal.other_owner", side="dark", cell="b2", owner="light")),
            ({"action": "@e5"}, Message("illegal.no_such_cell", cell="e5", size=4)),
            ({"action": "b2"}, Message("action.wrong_notation", text="b2")),
            ({"action": 7}, Message("field.no_text", field="action", text="7")),
            ({}, Message("field.missing", name="what_if", field="action")),
            ({"action": "@a1", "cell": "a1"}, Message("line.unknown_fields", kind="ask", fields=('"cell"',))),
        ],
    )
    def test_what_if_with_an_illegal_action_is_an_error(self, asked, why):
        program = HeadlessClient()
        program.request({"touch": "b2"})
        [error] = program.request({"ask": "what_if", **asked})
        assert (error["type"], parse_said(error)) == ("error", [why])

    def test_what_if_after_the_end_is_an_error(self):
        program = HeadlessClient()
        program.request({"command": "resign"})
        [error] = program.request({"ask": "what_if", "action": "@a1"})
        assert parse_said(error) == [Message("illegal.game_over")]


@pytest.mark.slow
def test_program_ends_with_its_input():
    done = run_pond("headless", given=b"")
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout.splitlines()) == 1


def random_line(rng):
    """Return a line that a program, a child or a broken cable might send."""
    cell = rng.choice("abcdef") + rng.choice("012345")
    kind = rng.random()
    if kind < 0.55:
        return json.dumps({rng.choice(["touch", "touch", "touch", "press", "release"]): cell}).encode()
    if kind < 0.62:
        return json.dumps({"wait": rng.choice([0, 0.01, 0.2, 1.5, -1])}).encode()
    if kind < 0.80:
        what = rng.choice(["undo", "redo", "undo", "redo", "draw", "resign", "new", "action", "x"])
        asked = {"command": what}
        if what == "new" and rng.random() < 0.7:
            asked["variant"] = rng.choice([*VARIANTS, "3x3/9/5", "4x4/1/1", "9x9/9/9"])
        if what == "action" or rng.random() < 0.05:
            asked["action"] = rng.choice(["@", cell]) + rng.choice("abcde") + rng.choice("12345")
        return json.dumps(asked).encode()
    if kind < 0.85:
        return json.dumps({"ask": rng.choice(["state", "frame", "more"])}).encode()
    if kind < 0.93:
        return rng.randbytes(rng.randrange(40))
    good = bytearray(b'{"command":"action","action":"b2b3"}')
    good[rng.randrange(len(good))] = rng.randrange(256)
    return bytes(good)


@pytest.mark.slow
@pytest.mark.parametrize("count", long_after_first([400, 1_000, 100_000]))
def test_random_lines_never_crash(count):
    import tracemalloc

    rng, game = Random(count), HeadlessGame(parse_variant("standard"), lamps_per_cell=1)
    for number in range(count):
        if number == count // 4:
            tracemalloc.start()
            early = tracemalloc.get_traced_memory()[0]
        for answer in map(json.loads, game.answer_line(random_line(rng))):
            assert answer["type"] in ("state", "frame", "error")
            if answer["type"] == "state":
                # Strict parsing refuses positions with a lost piece or an unscored set.
                position = Position.from_notation(answer["position"], parse_variant(answer["variant"]))
                assert position.notation_line == answer["position"]
                assert (answer["phase"] == "over") == (answer["outcome"] is not None)
                assert bool(answer["legal"]) == (answer["outcome"] is None)
    late = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    hints = 3_000_000  # memory of the search and its tables, once a hint was requested
    assert late - early < hints + min(4_000_000, 1_000 * count), "the game remembers what it should forget"
