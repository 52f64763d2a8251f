"""The headless board with pieces."""

import json
import subprocess
import sys

import pytest

from pond_hw.commands import main
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, Position, parse_variant
from pond_hw.server import protocol
from pond_hw.server.headless import HeadlessGame
from pond_hw.server.view_from_json import parse_view
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.simulator.sensor_faults import FAULT_KINDS, parse_fault
from tests.messages.says import says
from tests.server.headless_client import HeadlessClient
from tests.server.served import parse_said

QUIET = "e..f/..../.T../E..F l 10 11 0 0"
PRESSED = "...f/..../TeT./E.EF l 8 11 0 0"
"""Position in which an egg on b1 turns a1, b2 and c1 into tadpoles, so that row 2 scores."""


class PieceClient(HeadlessClient):
    """A client of a headless board with pieces. It waits for a moment after each hand action."""

    def __init__(self, pond="standard", faults=(), colours=False, turned=False, seed=0, **options):
        faults = tuple(parse_fault(fault, parse_variant(pond).size) for fault in faults)
        super().__init__(pond, pieces=PieceOptions(faults, colours=colours, turned=turned, seed=seed), **options)

    def hand(self, what, *cells, wait=0.3, **fields):
        """Send a line for each cell, waiting after each. Return the last state."""
        for cell in cells:
            for answer in self.request({what: cell, **fields}):
                assert answer["type"] == "state", answer["message"]
            self.request({"wait": wait})
        return self.state()

    def lift(self, *cells, **how):
        return self.hand("lift", *cells, **how)

    def drop(self, *cells, **how):
        return self.hand("drop", *cells, **how)

    def take(self, *cells, **how):
        return self.hand("take", *cells, **how)

    def set_up(self, line):
        """Set up a position with its pieces."""
        position = Position.from_notation(line, parse_variant(self.state()["variant"]))
        for cell, piece in position.pieces.items():
            self.request({"drop": cell, "owner": str(piece.owner)})
        self.request({"wait": 1})
        self.request({"command": "set_up", "position": line, "variant": self.state()["variant"]})
        self.request({"wait": 1})
        state = self.state()
        assert (state["phase"], state["position"]) == ("act", line), state["message"]
        return self

    @property
    def played(self):
        return [str(turn.action) for turn in self.game.companion.session.turns]


# Hands


def test_hello_says_if_the_board_has_pieces():
    assert PieceClient().hello["pieces"] is True
    assert not {"pieces", "turned_pieces"} & HeadlessClient().hello.keys()


def test_hello_says_if_pieces_are_turned():
    assert [PieceClient(turned=turned).hello["turned_pieces"] for turned in (False, True)] == [False, True]


def test_dropped_egg_counts_after_a_delay():
    program = PieceClient()
    [state] = program.request({"drop": "b2"})
    assert (state["last"], state["wood"]["felt"], state["wood"]["extra"]) == (None, ["b2"], ["b2"])
    [state] = program.request({"wait": 0.2})
    assert state["last"] is None
    [state] = program.request({"wait": 0.05})
    assert state["last"]["action"] == "@b2"
    assert state["wood"] == {
        "felt": ["b2"],
        "missing": [],
        "extra": [],
        "strangers": [],
        "turn": [],
        "take_off": [],
        "masked": [],
        "next": None,
        "about": None,
        "menu": None,
    }


def test_lifted_piece_is_selected_with_its_targets():
    program = PieceClient()
    program.drop("b2", "b3")
    state = program.lift("b2")
    assert (state["phase"], state["selected"], state["targets"]) == ("in_hand", "b2", ["b1", "a2", "c2"])
    assert state["wood"]["missing"] == ["b2"]
    assert program.drop("b2")["wood"]["turn"] == []  # which turned it over
    program.lift("b2")
    assert program.drop("c2")["last"]["action"] == "b2c2"


def test_unturned_piece_counts_after_three_seconds():
    program = PieceClient(turned=True)
    program.drop("b2", "b3")
    program.lift("b2")
    state = program.drop("c2")
    assert state["phase"] == "differs"
    assert state["wood"]["about"]["actions"] == ["b2c2"]
    due = state["wood"]["about"]["at"]
    program.request({"wait": due - state["t"] - 0.01})
    assert program.state()["last"]["action"] == "@b3"
    program.request({"wait": 0.02})
    assert program.state()["last"]["action"] == "b2c2"


def test_plain_pieces_count_at_once():
    program = PieceClient()
    assert program.drop("b2", "b3")["wood"]["turn"] == []
    program.lift("b2")
    assert program.drop("c2")["last"]["action"] == "b2c2"


def test_scored_pieces_are_taken_off():
    program = PieceClient(turned=True).set_up(PRESSED)
    state = program.drop("b1")
    assert (state["phase"], state["wood"]["take_off"], state["wood"]["turn"]) == (
        "take_off",
        ["a2", "b2", "c2"],
        ["a1", "c1"],
    )
    assert state["score"] == {"light": 2, "dark": 1}
    assert program.take("b2", "a2")["wood"]["take_off"] == ["c2"]
    assert program.take("c2")["phase"] == "act"


def test_mismatch_names_the_next_repair_step():
    program = PieceClient().set_up(QUIET)
    program.lift("b2")
    state = program.drop("d3")
    assert (state["phase"], state["wood"]["missing"], state["wood"]["extra"]) == ("differs", ["b2"], ["d3"])
    assert state["wood"]["next"] == {"from": "d3", "to": "b2"}
    assert parse_said(state)[0] == Message("illegal.tadpole_reach")
    program.lift("d3")
    state = program.drop("b2")
    assert (state["phase"], state["wood"]["next"]) == ("act", None)


def test_repair_steps_restore_agreement():
    program = PieceClient().set_up(QUIET)
    for cell in ("a1", "d1", "d4"):
        program.take(cell, wait=0.05)
    for cell in ("c3", "c1"):
        program.drop(cell, wait=0.05)
    program.request({"wait": 1})
    steps = 0
    while step := program.state()["wood"]["next"]:
        if step["from"]:
            program.lift(step["from"]) if step["to"] else program.take(step["from"])
        if step["to"]:
            program.drop(step["to"])
        steps += 1
        assert steps <= 5
    assert (program.state()["phase"], program.played) == ("act", [])


def test_turn_can_be_undone_by_hand():
    program = PieceClient()
    program.drop("b2", "b3")
    state = program.take("b3")
    assert (state["phase"], state["wood"]["about"]["back"]) == ("differs", 1)
    program.request({"wait": 3})
    assert (program.played, program.state()["phase"]) == (["@b2"], "act")


def test_menu_lists_its_cells():
    program = PieceClient()
    program.drop("b2", "c3")
    program.take("b2", "c3", wait=0.1)
    [state] = program.request({"wait": 0.5})
    assert state["wood"]["about"] == {"menu": True, "at": state["wood"]["about"]["at"], "seconds": 3.0}
    [state] = program.request({"wait": 3})
    assert state["phase"] == "menu"
    assert state["wood"]["menu"] == {"a1": "standard", "b1": "mini", "c1": "small-11", "d1": "small-14"}
    program.drop("b1")
    state = program.take("b1")
    assert (state["variant"], state["phase"], state["wood"]["menu"]) == ("mini", "act", None)


def test_hand_drops_the_last_lifted_piece_first():
    program = PieceClient().set_up(QUIET)
    program.lift("a1", "a4", wait=0.05)
    program.drop("a4", "a1", wait=0.05)
    program.request({"wait": 1})
    owners = {cell: str(token.owner) for cell, token in program.game.companion.board.sensors.standing_pieces.items()}
    assert owners == {"a1": "light", "b2": "light", "d1": "light", "a4": "dark", "d4": "dark"}
    assert program.state()["phase"] == "act"


def test_taken_piece_lies_beside_the_board():
    program = PieceClient()
    program.drop("b2")
    program.take("b2", wait=4)  # which takes the turn back
    table = program.game.companion.board.sensors
    assert (len(table.off_board_pieces), table.held_pieces, program.played) == (1, [], [])
    assert program.drop("c3")["last"]["action"] == "@c3"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"lift": "c3"}, Message("illegal.no_piece", cell="c3")),
        ({"take": "c3"}, Message("illegal.no_piece", cell="c3")),
        ({"drop": "b2"}, Message("held.cell_taken", cell="b2")),
        ({"drop": "e5"}, Message("illegal.no_such_cell", cell="e5", size=4)),
        ({"touch": "b2"}, Message("hands.only_pieces", action="touch")),
        ({"press": "b2"}, Message("hands.only_pieces", action="press")),
        ({"release": "b2"}, Message("hands.only_pieces", action="release")),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_impossible_hand_action_is_an_error(line, message):
    program = PieceClient()
    program.drop("b2")
    before = program.state()
    [error] = program.request(line)
    assert (error["type"], parse_said(error)) == ("error", [message])
    assert program.state() == before


@pytest.mark.parametrize("what", ["lift", "drop", "take"])
def test_board_with_buttons_refuses_piece_actions(what):
    [error] = HeadlessClient().request({what: "b2"})
    assert parse_said(error) == [Message("hands.only_buttons", action=what)]


# Commands


def test_set_up_position_needs_its_pieces():
    program = PieceClient()
    [state] = program.request({"command": "set_up", "position": QUIET})
    assert state["position"] == QUIET
    [state] = program.request({"wait": 1})
    assert (state["phase"], state["wood"]["missing"]) == ("differs", ["a1", "a4", "b2", "d1", "d4"])
    for cell in state["wood"]["missing"]:
        program.drop(cell)
    assert program.state()["phase"] == "act"


def test_set_up_position_needs_no_pieces_on_button_boards():
    game = HeadlessGame(parse_variant("standard"))
    [state] = [
        json.loads(line) for line in game.answer_line(json.dumps({"command": "set_up", "position": QUIET}).encode())
    ]
    assert (state["position"], state["phase"]) == (QUIET, "act")
    assert "wood" not in state


def test_pieces_after_a_resignation_are_extra():
    program = PieceClient()
    program.drop("c1", "a2", wait=1.0)
    program.request({"command": "resign"})
    state = program.drop("b2", "b3", "d3", wait=1.0)
    assert [message["id"] for message in state["said"]][:2] == ["mismatch.differs", "mismatch.extra"]
    assert state["outcome"]["reason"] == "resignation"
    program.lift("b2", "b3", "d3")
    assert program.request({"command": "undo"})[0]["outcome"] is None


def test_board_command_follows_the_pieces():
    program = PieceClient()
    program.drop("b2", "b3", "d4")
    program.take("d4", "b3", wait=0.05)
    program.request({"wait": 0.5})
    [state] = program.request({"command": "board"})
    assert (program.played, state["phase"]) == (["@b2"], "act")
    assert parse_said(state)[0] == Message("undo.done", count=2)


def test_sensor_can_be_masked_and_unmasked():
    program = PieceClient()
    [state] = program.request({"command": "mask", "cell": "c3"})
    assert state["wood"]["masked"] == ["c3"]
    program.drop("c3")
    assert program.state()["last"] is None
    [state] = program.request({"command": "unmask", "cell": "c3"})
    assert state["wood"]["masked"] == []
    assert program.request({"wait": 0.3})[0]["last"]["action"] == "@c3"
    [refused] = program.request({"command": "mask", "cell": "e5"})
    assert parse_said(refused) == [Message("illegal.no_such_cell", cell="e5", size=4)]


# Sensors


def test_colour_sensors_report_a_wrong_owner():
    program = PieceClient(colours=True)
    state = program.drop("b2", owner="dark")
    assert (state["phase"], state["wood"]["extra"]) == ("differs", ["b2"])
    assert parse_said(state)[0] == Message("illegal.other_owner", side="light", cell="b2", owner="dark")


def test_only_colour_sensors_notice_swapped_pieces():
    for colours in (True, False):
        program = PieceClient(colours=colours).set_up(QUIET)
        program.lift("a1", "a4", wait=0.05)
        program.drop("a1", "a4", wait=0.05)  # the piece lifted last is dropped first
        [state] = program.request({"wait": 1})
        assert state["wood"]["strangers"] == (["a1", "a4"] if colours else [])
        assert state["phase"] == ("differs" if colours else "act")


def test_hint_after_lifting_wrong_owners_piece_reports_no_extra_piece():
    program = PieceClient(colours=True, seed=342)
    program.drop("a2", wait=0.5)
    program.lift("a2", wait=0.0)
    program.drop("c2", "a2", wait=0.0)  # the egg moves on to c2, and a new one of Dark replaces it
    program.request({"wait": 7})
    program.request({"lift": "a2"})
    [state] = program.request({"command": "hint"})
    assert state["wood"]["strangers"] == []
    assert Message("mismatch.wrong_owner", cell="a2", side="dark", expected="light") in parse_said(state)


@pytest.mark.parametrize("fault", ["bounce", "dropout", "cross-talk:a1", "drift", "chatter:d4"])
def test_game_continues_with_a_sensor_fault(fault):
    program = PieceClient(faults=[fault], seed=3)
    for cell in ("b2", "b3"):
        program.drop(cell, wait=1.0)
    program.lift("b2", wait=1.0)
    program.drop("b2", wait=1.0)
    program.lift("b2", wait=1.0)
    program.drop("c2", wait=4.0)
    assert program.played == ["@b2", "@b3", "b2c2"]


@pytest.mark.slow
def test_stuck_off_sensor_is_masked_after_two_confirmations():
    program = PieceClient().set_up(QUIET)
    table = program.game.companion.board.sensors
    table.add_fault(parse_fault("stuck-off:a4", 4))
    program.request({"wait": 30})
    state = program.state()
    assert (state["phase"], state["wood"]["missing"]) == ("differs", ["a4"])
    for _ in range(2):
        program.lift("d4", wait=0.6)
        program.drop("d4", wait=0.6)
    assert program.state()["wood"]["masked"] == ["a4"]
    assert program.state()["phase"] == "act"


def test_stuck_on_sensor_places_no_egg():
    program = PieceClient(faults=["stuck-on:c3"])
    [state] = program.request({"wait": 5})
    assert (state["last"], state["phase"], state["wood"]["extra"]) == (None, "differs", ["c3"])
    program.request({"command": "mask", "cell": "c3"})
    [state] = program.request({"wait": 1})
    assert (state["phase"], state["wood"]["masked"]) == ("act", ["c3"])
    assert program.drop("b2", wait=1.0)["last"]["action"] == "@b2"


def test_chattering_sensor_is_masked_within_five_seconds():
    program = PieceClient(faults=["chatter:d4"])
    program.drop("d4")
    [state] = program.request({"wait": 4.7})
    assert state["wood"]["masked"] == ["d4"]
    assert parse_said(state)[0] == Message("sensor.sees_too_much", cells=("d4",), count=1)
    assert (program.played, state["phase"]) == (["@d4"], "act")
    assert program.drop("a1", wait=1.0)["last"]["action"] == "@a1"


def test_every_fault_kind_is_accepted():
    assert set(FAULT_KINDS) == {"bounce", "chatter", "dropout", "stuck-on", "stuck-off", "cross-talk", "drift"}
    for kind in FAULT_KINDS:
        assert PieceClient(faults=[kind]).request({"wait": 1})[0]["type"] == "state"


# Reproducible output


EVENING = [
    *({"drop": cell} for cell in ("b2", "b3")),
    {"wait": 1},
    {"lift": "b2"},
    {"wait": 0.1},
    {"drop": "c2"},
    {"wait": 4},
    {"drop": "d4"},
    {"wait": 2},
    {"take": "b3"},
    {"wait": 2},
    {"ask": "frame"},
    {"ask": "record"},
]


def run_pond(*arguments, given=b""):
    command = [sys.executable, "-m", "pond_hw", *arguments]
    return subprocess.run(command, input=given, capture_output=True, timeout=60, check=False)


@pytest.mark.slow
def test_output_with_faults_is_reproducible():
    given = "\n".join(map(json.dumps, EVENING)).encode()
    asked = (
        "headless",
        "--pieces",
        "--colours",
        *("--fault", "bounce"),
        *("--fault", "cross-talk"),
        "--frames",
        "--seed=5",
    )
    given = given.replace(b'"drop": "b3"', b'"drop": "b3", "owner": "dark"')
    first, second = (run_pond(*asked, given=given) for _ in range(2))
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout == second.stdout
    assert first.stdout.startswith(b'{"type":"hello","protocol":1,')
    assert b'"type":"error"' not in first.stdout
    assert b'"wood":{"felt":["b2"' in first.stdout


@pytest.mark.long
def test_seed_changes_the_faults():
    def heard(seed):
        program = PieceClient(faults=["chatter"], seed=seed)  # the seed chooses the cell
        program.drop(*program.game.companion.session.position.grid.cells, wait=0.05)
        return program.request({"wait": 6})

    assert heard(1) == heard(1)
    assert heard(1) != heard(2)


# The command line


@pytest.mark.parametrize("command", ["headless", "play"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fault", "bounce"], Message("argument.needs_pieces", option="--fault")),
        (["--colours"], Message("argument.needs_pieces", option="--colours")),
        (["--turned"], Message("argument.needs_pieces", option="--turned")),
        (["--pieces", "--fault", "gremlins"], "gremlins"),
        (["--pieces", "--fault", "bounce:z9"], "z9"),
        (["--pieces", "--fault", "bounce:e5"], "e5"),
        (["--pieces", "--fault", "bounce:"], "bounce"),
        (["--pieces", "--fault", ""], "fault"),
    ],
    ids=repr,
)
def test_invalid_piece_options_message_and_exit_code(command, arguments, words, capsys):
    assert main.main([command, *arguments]) == 2
    out, complaint = capsys.readouterr()
    assert out == ""
    assert complaint.startswith("pond: ")
    assert to_english(words) in complaint
    assert complaint.count("\n") == 1


def test_fault_cell_depends_on_the_board_size():
    assert parse_fault("bounce:e5", 5).cell == "e5"
    with pytest.raises(PondError, check=says("e5")):
        parse_fault("bounce:e5", 4)


# Round trips


def test_record_with_pieces_round_trips():
    program = PieceClient(turned=True).set_up(PRESSED)
    program.request({"command": "mask", "cell": "d3"})
    program.drop("b1")
    [record], [state] = program.request({"ask": "record"}), program.request({"ask": "state"})
    assert f'[Position "{PRESSED}"]' in record["record"]
    again, view = parse_view(record, state), program.game.companion.session.view
    assert (again.position, again.turns, again.custom_start) == (view.position, view.turns, view.custom_start)
    assert again.messages == view.messages
    assert again.occupancy.occupied == view.occupancy.occupied
    assert again.occupancy.masked_cells == {"d3"}
    assert again.occupancy.cells_to_flip == {"a1", "c1"}
    assert (
        json.loads(protocol.format_message(protocol.record_message(again, record["t"])))["record"] == record["record"]
    )


def test_record_of_a_dark_start_round_trips():
    program = PieceClient().set_up(QUIET.replace("l", "d"))
    program.drop("c2")
    program.request({"command": "undo"})
    [record], [state] = program.request({"ask": "record"}), program.request({"ask": "state"})
    again = parse_view(record, state)
    assert (again.position.notation_line, [str(action) for action in again.undone_actions]) == (
        QUIET.replace("l", "d"),
        ["@c2"],
    )
