"""Seats of phones, and requests that need a press on the board."""

import json
import subprocess
import sys
from itertools import pairwise
from random import Random
from time import monotonic, sleep

import pytest

from pond_hw.companion.saved_state import open_journal
from pond_hw.engine import SeatedPlayers
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, Action
from pond_hw.server import remote_seats
from pond_hw.server.headless import HeadlessGame
from pond_hw.session import PERMISSION_SECONDS, HelpLevel, Session, TakeAction
from pond_hw.session.game.settings import HEAD_START, HELP, HINT_LIMIT
from tests.conftest import each
from tests.server.test_socket_server import ServedPieces
from tests.session.tables import values_by_side


def press_lit(served, caller, count=1):
    for _ in range(count):
        served.advance(1)
        [*_, state] = caller.request({"ask": "state"})
        served.hands.touch(state["asks"]["cell"])
        served.run_cycles()


def permissions(answers):
    return [answer for answer in answers if answer["type"] == "permission"]


def test_seat_request_needs_four_presses(served):
    page, other = served.connect(), served.connect()
    page.receive(), other.receive()
    [state] = page.request({"command": "seat", "sides": ["dark"]})
    assert (state["asks"]["pressed"], state["asks"]["of"]) == (0, 4)
    assert state["message"].startswith("A phone asks to play for Dark.")
    press_lit(served, other, 4)
    assert permissions(page.receive()) == [{"type": "permission", "for": "seat", "sides": ["dark"], "allowed": True}]
    heard = other.receive()
    assert permissions(heard) == []
    assert "asks" not in other.request({"ask": "state"})[-1]
    assert served.played == []


def test_wrong_cell_or_timeout_refuses_request(served):
    page = served.connect()
    page.request({"command": "seat", "sides": ["light", "dark"]})
    served.advance(PERMISSION_SECONDS + 1, step=0.5)
    assert [answer["allowed"] for answer in permissions(page.receive())] == [False]
    [*_, state] = page.request({"command": "seat", "sides": ["light"]})
    served.advance(1)
    wrong = next(cell for cell in ("a1", "b1") if cell != state["asks"]["cell"])
    served.hands.touch(wrong)
    assert [answer["allowed"] for answer in permissions(page.receive())] == [False]
    assert served.played == [f"@{wrong}"]


def test_only_one_request_is_open_at_a_time(served):
    page, other = served.connect(), served.connect()
    page.request({"command": "seat", "sides": ["light"]})
    assert other.request({"command": "seat", "sides": ["dark"]})[-1]["said"][0]["id"] == "remote.busy"
    other.request({"command": "withdraw"})
    assert "asks" in other.request({"ask": "state"})[-1]
    page.leave()
    served.run_cycles()
    assert "asks" not in other.request({"ask": "state"})[-1]
    assert "asks" in other.request({"command": "seat", "sides": ["dark"]})[-1]
    assert [answer["allowed"] for answer in permissions(other.request({"command": "withdraw"}))] == [False]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ({"command": "resign", "side": "dark"}, "resign"),
        ({"command": "draw"}, "draw"),
        ({"command": "new", "variant": "mini"}, "new"),
        ({"command": "new"}, "new"),
    ],
)
def test_irreversible_commands_need_one_press(serve, command, kind):
    served = serve()
    page = served.connect()
    served.hands.touch("b2")
    page.request(command | {"confirm": True})
    assert served.played == ["@b2"]
    assert served.companion.session.outcome is None
    press_lit(served, page)
    assert permissions(page.receive()) == [{"type": "permission", "for": kind, "allowed": True}]
    assert served.companion.session.outcome or not served.played
    if kind == "resign":
        assert str(served.companion.session.outcome.winner) == "light"


def test_new_game_without_turns_needs_no_press(served):
    page = served.connect()
    page.receive()
    answers = page.request({"command": "new", "variant": "mini", "confirm": True})
    assert permissions(answers) == [{"type": "permission", "for": "new", "allowed": True}]
    assert served.companion.session.variant.name == "mini"


def test_program_refuses_a_draw(serve):
    served = serve(dark="greedy")
    page = served.connect()
    served.hands.touch("b2")
    served.advance(3)
    page.request({"command": "draw", "confirm": True})
    press_lit(served, page)
    assert page.receive()[-1]["said"][0]["id"] == "seats.no_draw"
    assert served.companion.session.outcome is None


def test_press_during_a_program_turn_does_not_act(serve):
    served = serve(dark="greedy")
    page = served.connect()
    served.hands.touch("b2")
    page.request({"command": "seat", "sides": ["light"]})
    press_lit(served, page, 4)
    assert [answer["allowed"] for answer in permissions(page.receive())] == [True]
    assert len(served.played) == 2


def test_any_client_sees_and_revokes_seats(served):
    page, terminal = served.connect(), served.connect()
    terminal.receive()
    page.request(
        {"command": "seats", "seats": [{"seat": 1, "sides": ["light"]}, {"seat": 4, "sides": ["light", "dark"]}]}
    )
    assert terminal.receive()[-1]["seats"] == [
        {"seat": 1, "sides": ["light"]},
        {"seat": 4, "sides": ["light", "dark"]},
    ]
    page.receive()
    assert terminal.request({"command": "revoke", "seat": 4})[-1]["seats"] == [{"seat": 1, "sides": ["light"]}]
    assert {"type": "revoked", "seat": 4} in page.receive()
    terminal.request({"command": "revoke"})
    assert {"type": "revoked", "seat": None} in page.receive()
    assert "seats" not in terminal.request({"ask": "state"})[-1]


@pytest.mark.slow
def test_holding_a_refused_button_revokes_all_seats(served):
    page = served.connect()
    page.request({"command": "seats", "seats": [{"seat": 1, "sides": ["light"]}]})
    served.hands.touch("b2")
    served.run_cycles()
    served.hands.press("b2")
    served.advance(5)
    assert {"type": "revoked", "seat": None} not in page.receive()
    served.advance(2)
    assert {"type": "revoked", "seat": None} in page.receive()
    served.hands.release("b2")
    assert "seats" not in page.request({"ask": "state"})[-1]
    assert served.played == ["@b2"]


def test_all_page_clients_learn_of_revoked_seats(served):
    page, terminal = served.connect(), served.connect()
    page.request({"command": "seats", "seats": []})
    terminal.receive()
    terminal.request({"command": "revoke"})
    assert {"type": "revoked", "seat": None} in page.receive()
    assert not any(line["type"] == "revoked" for line in terminal.receive())


@pytest.mark.slow
def test_board_menu_lets_phones_ask_again(served):
    page = served.connect()
    page.request({"command": "seats", "seats": []})
    served.hands.touch("b2")
    served.run_cycles()
    served.hands.press("b2")
    served.advance(7)
    served.hands.release("b2")
    state = page.request({"ask": "state"})[-1]
    assert state["menu"]["d4"]["kind"] == "phones"
    assert "To send all phones away, press d4." in state["message"]
    served.hands.touch("d4")
    assert {"type": "revoked", "seat": None} in page.receive()


def test_revoking_another_seat_needs_one_press(served):
    page = served.connect()
    page.request({"command": "seats", "seats": [{"seat": 1, "sides": ["light"]}, {"seat": 2, "sides": ["dark"]}]})
    served.hands.touch("b2")
    state = page.request({"command": "revoke", "seat": 2, "confirm": True})[-1]
    assert state["said"][0] == {"id": "permission.revoke", "arguments": {"number": 2}}
    press_lit(served, page)
    heard = page.receive()
    assert permissions(heard) == [{"type": "permission", "for": "revoke", "seat": 2, "allowed": True}]
    assert {"type": "revoked", "seat": 2} in heard
    assert heard[-1]["seats"] == [{"seat": 1, "sides": ["light"]}]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ({"command": "undo"}, "permission.undo"),
        ({"command": "undo", "turn": 2}, "permission.undo"),
        ({"command": "help", "side": "dark", "level": "none"}, "permission.setting"),
        ({"command": "hint_limit", "side": "dark", "hints": 1}, "permission.setting"),
        ({"command": "hint_limit", "side": "dark", "hints": None}, "permission.setting"),
        ({"command": "head_start", "side": "light", "pieces": 5}, "permission.setting"),
    ],
)
def test_commands_for_the_other_side_need_one_press(served, command, said):
    page = served.connect()
    for cell in ("b2", "b3"):
        served.hands.touch(cell)
    before = page.request({"ask": "record"})[-1]["record"], values_by_side(served.companion.session, HINT_LIMIT)
    state = page.request(command | {"confirm": True})[-1]
    assert state["said"][0]["id"] == said
    assert (
        page.request({"ask": "record"})[-1]["record"],
        values_by_side(served.companion.session, HINT_LIMIT),
    ) == before
    press_lit(served, page)
    assert [(each["for"], each["allowed"]) for each in permissions(page.receive())] == [(command["command"], True)]
    served.run_cycles()
    session = served.companion.session
    match command["command"]:
        case "undo":
            assert served.played == ["@b2"]
        case "help":
            assert session.side_helps[1].help is HelpLevel.NONE
        case "hint_limit":
            assert values_by_side(session, HINT_LIMIT) == (None, command["hints"])
        case _:
            assert values_by_side(session, HEAD_START) == (5, 0)


def test_other_side_settings_need_a_press_before_the_first_turn(served):
    page = served.connect()
    state = page.request({"command": "help", "side": "dark", "level": "none", "confirm": True})[-1]
    assert (state["asks"]["of"], "help" in state) == (2, False)


def test_undoing_the_game_end_needs_one_press(served):
    page = served.connect()
    page.request({"touch": "b2"}, {"command": "resign"})
    state = page.request({"command": "undo", "confirm": True})[-1]
    assert state["said"][0]["id"] == "permission.undo_end"
    press_lit(served, page)
    served.run_cycles()
    assert (served.companion.session.outcome, served.played) == (None, ["@b2"])


def test_undoing_the_end_twice_undoes_no_turn(served):
    page = served.connect()
    page.request({"touch": "b2"}, {"command": "resign"})
    page.request({"command": "undo", "confirm": True})
    page.request({"command": "undo"})
    press_lit(served, page)
    served.run_cycles()
    assert served.played == ["@b2"]


def test_redo_needs_one_press(served):
    page = served.connect()
    page.request({"touch": "b2"}, {"touch": "b3"}, {"command": "undo"})
    assert page.request({"command": "redo", "confirm": True, "turn": 2})[-1]["said"][0]["id"] == "permission.redo"
    press_lit(served, page)
    served.run_cycles()
    assert served.played == ["@b2", "@b3"]


def test_phone_and_board_show_the_same_sign(served):
    page = served.connect()
    asks = page.request({"command": "seat", "sides": ["dark"]})[-1]
    sign = asks["asks"]["sign"]
    assert sign["colour"] in ("green", "purple", "white")
    assert 10 <= sign["number"] <= 99
    assert f"It shows a {sign['colour']} {sign['number']}." in asks["message"]


def test_sign_colour_changes_each_time(served):
    page, colours = served.connect(), []
    for _ in range(12):
        colours.append(page.request({"command": "seat", "sides": ["dark"]})[-1]["asks"]["sign"]["colour"])
        page.request({"command": "withdraw"})
    assert all(before != after for before, after in pairwise(colours))


def test_requesting_client_cannot_press_the_cells(served):
    page, terminal = served.connect(), served.connect()
    page.request({"command": "seat", "sides": ["light"]})
    served.advance(1)
    cell = ask_state(page)["asks"]["cell"]
    for finger in ("touch", "press"):
        assert page.request({finger: cell})[-1]["said"][0]["id"] == "remote.no_hand"
    assert ask_state(page)["asks"]["pressed"] == 0
    press_lit(served, terminal, 4)
    terminal.receive()
    page.request({"command": "withdraw"})


def test_other_clients_can_press_on_a_simulated_board(served):
    page, terminal = served.connect(), served.connect()
    page.request({"command": "seat", "sides": ["light"]})
    served.advance(1)
    for _ in range(4):
        terminal.request({"touch": ask_state(terminal)["asks"]["cell"]})
    assert [answer["allowed"] for answer in permissions(page.receive())] == [True]


def test_no_client_can_press_on_a_real_board(served, monkeypatch):
    monkeypatch.setattr(remote_seats, "SimulatedSensors", type("Wires", (), {}))
    page, terminal = served.connect(), served.connect()
    page.request({"command": "seat", "sides": ["light"]})
    served.advance(1)
    cell = ask_state(page)["asks"]["cell"]
    assert terminal.request({"touch": cell})[-1]["said"][0]["id"] == "remote.no_hand"
    press_lit(served, terminal, 4)
    assert [answer["allowed"] for answer in permissions(page.receive())] == [True]


def test_other_touch_by_requesting_client_ends_the_request(served):
    page = served.connect()
    page.request({"command": "seat", "sides": ["light"]})
    served.advance(1)
    asked = ask_state(page)["asks"]["cell"]
    other = next(cell for cell in ("a1", "b1") if cell != asked)
    assert [answer["allowed"] for answer in permissions(page.request({"touch": other}))] == [False]
    assert served.played == [f"@{other}"]


def test_seats_end_when_their_client_leaves(served):
    page, terminal = served.connect(), served.connect()
    page.request({"command": "seats", "seats": [{"seat": 1, "sides": ["light"]}]})
    assert "seats" in terminal.receive()[-1]
    page.leave()
    assert "seats" not in terminal.receive()[-1]


def test_late_action_is_refused(served):
    page = served.connect()
    page.request(
        {"command": "action", "action": "@b2", "side": "light"}, {"command": "action", "action": "@c2", "side": "light"}
    )
    assert served.played == ["@b2"]


@each(
    "line",
    [
        {"command": "seat"},
        {"command": "seat", "sides": []},
        {"command": "seat", "sides": "light"},
        {"command": "seat", "sides": ["light", "light"]},
        {"command": "seat", "sides": ["blue"]},
        {"command": "seat", "sides": [["light"]]},
        {"command": "seats"},
        {"command": "seats", "seats": {}},
        {"command": "seats", "seats": [1]},
        {"command": "seats", "seats": [{"seat": 0, "sides": ["light"]}]},
        {"command": "seats", "seats": [{"seat": True, "sides": ["light"]}]},
        {"command": "seats", "seats": [{"seat": 1}]},
        {"command": "seats", "seats": [{"seat": n, "sides": ["light"]} for n in range(1, 18)]},
        {"command": "revoke", "seat": "1"},
        {"command": "revoke", "seat": None},
        {"command": "resign", "confirm": "yes"},
        {"command": "resign", "side": 1},
        {"command": "undo", "confirm": 1},
        {"command": "action", "action": "@b2", "side": "blue"},
    ],
)
def test_invalid_seat_lines_are_errors(served, line):
    page = served.connect()
    page.receive()
    session = served.companion.session
    assert [answer["type"] for answer in page.request(line)] == ["error"]
    assert served.companion.session is session
    page.leave()


@each(
    "line",
    [
        {"command": "undo", "confirm": True},
        {"command": "redo", "confirm": True},
        {"command": "hint", "confirm": True},
        {"command": "revoke", "confirm": True},
    ],
)
def test_impossible_requests_are_errors(served, line):
    page = served.connect()
    page.receive()
    assert [answer["type"] for answer in page.request(line)] == ["error"]
    page.leave()


@each("line", [b'{"command":"seat","sides":["light"]}', b'{"command":"new","confirm":true}'])
def test_headless_board_refuses_seat_requests(line):
    game = HeadlessGame(STANDARD)
    [error] = map(json.loads, game.answer_line(line))
    assert error["said"] == [{"id": "remote.only_served", "arguments": {}}]
    game.companion.close()


def test_new_game_with_other_players(served):
    page = served.connect()
    people = {"light": "Ada", "dark": None}
    page.request(
        {
            "command": "new",
            "players": {"light": None, "dark": "greedy"},
            "names": {side: f" {name} " if name else name for side, name in people.items()},
        }
    )
    served.hands.touch("b2")
    served.advance(3)
    assert len(served.played) == 2
    [*_, record] = page.request({"ask": "record"})
    assert (record["players"], record["names"]) == ({"light": None, "dark": "greedy"}, people)
    page.request({"command": "new", "players": {"light": None, "dark": None}, "confirm": True})
    press_lit(served, page)
    served.run_cycles()
    assert served.played == []
    assert served.companion.seated.players == (None, None)
    assert served.companion.seated.names == ("Ada", None)


@each("name", ["", " ", " \u00a0\t"])
def test_blank_name_counts_as_no_name(served, name):
    page = served.connect()
    page.request({"command": "new", "names": {"light": name, "dark": "Ben"}})
    assert served.companion.seated.names == (None, "Ben")


@each(
    "fields",
    [
        {"players": {"light": "human", "dark": None}},
        {"players": {"light": "deep-blue", "dark": None}},
        {"players": {"light": None}},
        {"players": ["greedy", None]},
        {"names": {"light": "greedy", "dark": None}},
        {"names": {"light": "A" * 31, "dark": None}},
        {"names": {"light": "A\x1b[2J", "dark": None}},
        {"names": {"light": 30 * "\u0301", "dark": None}},
        {"names": {"light": 1, "dark": None}},
    ],
)
def test_unknown_player_is_refused(served, fields):
    page = served.connect()
    page.receive()
    assert [answer["type"] for answer in page.request({"command": "new"} | fields)] == ["error"]
    page.leave()
    assert served.companion.seated.players == (None, None)


def test_brightness_command_sets_the_brightness(served):
    page, other = served.connect(), served.connect()
    page.receive(), other.receive()
    page.request({"command": "brightness", "brightness": 0.2})
    assert other.receive()[-1]["brightness"] == 0.2
    assert served.companion.display.limiter.brightness == 0.2
    for nonsense in (0, -1, 1.5, True, "bright", None):
        assert [answer["type"] for answer in page.request({"command": "brightness", "brightness": nonsense})] == [
            "error"
        ]
    assert served.companion.display.limiter.brightness == 0.2


def test_help_command_sets_the_help_level(served):
    page, other = served.connect(), served.connect()
    page.receive(), other.receive()
    assert "help" not in page.request({"ask": "state"})[-1]
    page.request({"command": "help", "side": "dark", "level": "none"})
    assert other.receive()[-1]["help"] == {"light": "full", "dark": "none"}
    page.request({"command": "action", "action": "@b2"})
    assert [answer["type"] for answer in page.request({"ask": "what_if", "action": "@b3"})] == ["error"]
    assert page.request({"command": "hint"})[-1]["said"] == [
        {"id": "help_level.no_advice", "arguments": {"side": "dark"}}
    ]
    for side, level in (("dark", "some"), ("dark", None), ("both", "full"), (None, "full")):
        fields = {"command": "help", "side": side, "level": level}
        assert [answer["type"] for answer in page.request(fields)] == ["error"]
    assert values_by_side(served.companion.session, HELP) == (HelpLevel.FULL, HelpLevel.NONE)


def test_hint_limit_command_limits_hints(served):
    page = served.connect()
    page.receive()
    page.request({"command": "hint_limit", "side": "dark", "hints": 3})
    state = page.request({"ask": "state"})[-1]
    assert state["hint_limit"] == state["hints_left"] == {"light": None, "dark": 3}
    for side, hints in (("dark", 0), ("dark", 13), ("dark", 1.5), ("dark", True), ("dark", "3"), ("both", 1)):
        fields = {"command": "hint_limit", "side": side, "hints": hints}
        assert [answer["type"] for answer in page.request(fields)] == ["error"]
    assert [answer["type"] for answer in page.request({"command": "hint_limit", "side": "dark"})] == ["error"]
    page.request({"command": "hint_limit", "side": "dark", "hints": None})
    assert "hint_limit" not in page.request({"ask": "state"})[-1]


def test_head_start_command_sets_the_head_start(served):
    page = served.connect()
    page.receive()
    page.request({"command": "head_start", "side": "dark", "pieces": 2})
    state = page.request({"ask": "state"})[-1]
    assert (state["head_start"], state["score"]) == ({"light": 0, "dark": 2}, {"light": 0, "dark": 2})
    for side, pieces in (("dark", 6), ("dark", -1), ("dark", 1.5), ("dark", True), ("dark", None), ("both", 1)):
        fields = {"command": "head_start", "side": side, "pieces": pieces}
        assert [answer["type"] for answer in page.request(fields)] == ["error"]


def test_fair_start_command_sets_up_a_fair_start(served):
    page = served.connect()
    page.receive()
    page.request({"command": "fair_start", "on": True})
    state = page.request({"ask": "state"})[-1]
    assert (state["fair_start"], state["spawn"]) == (True, {"light": 11, "dark": 11})
    for is_on in (1, "yes", None):
        assert [answer["type"] for answer in page.request({"command": "fair_start", "on": is_on})] == ["error"]


def receive_later(page, kind):
    """Wait for the next line of a type, which is sent by another thread."""
    until = monotonic() + 20
    while monotonic() < until:
        sleep(0.01)
        for answer in page.receive():
            if answer["type"] == kind:
                return answer
    raise AssertionError(kind)


@pytest.fixture
def doctor(monkeypatch):
    """A simulated doctor with an output that a test can change."""
    said = {"output": DOCTORS_REPORT}

    class Doctor(subprocess.Popen):
        def __init__(self, command, **pipes):
            said["command"] = command
            super().__init__([sys.executable, "-c", f"print({said['output']!r})"], **pipes)

    monkeypatch.setattr(subprocess, "Popen", Doctor)
    return said


WARNING = Message("doctor.lamps.may_pause").to_json()
DOCTORS_REPORT = json.dumps(
    {
        "summary": "No faults. 1 warning.",
        "summary_said": [
            Message("doctor.count.no_fault").to_json(),
            Message("doctor.count.warning", count=1).to_json(),
        ],
        "findings": [{"grade": "warning", "subject": "lamps", "told": "", "said": [WARNING], "mend": "pond setup"}],
    }
)


def test_doctor_answers_in_the_client_language(serve, doctor):
    page = serve(wanted_board="a-board").connect()
    page.receive()
    page.request({"command": "language", "language": "nl"})
    page.request({"ask": "doctor"})
    answer = receive_later(page, "doctor")
    assert doctor["command"][-3:] == ["--json", "--board", "a-board"]
    dutch = get_catalogue("nl").text
    [finding] = answer["findings"]
    assert finding["text"] == dutch(Message("doctor.lamps.may_pause"))
    assert (finding["grade"], finding["mend"]) == ("warning", "pond setup")
    assert answer["summary"] == dutch((Message("doctor.count.no_fault"), Message("doctor.count.warning", count=1)))


@pytest.mark.parametrize("output", ["", "no json", "[]", "{}", '{"findings": 1}'])
def test_invalid_doctor_output_is_an_error(served, doctor, output):
    doctor["output"] = output
    page = served.connect()
    page.receive()
    page.request({"ask": "doctor"})
    answer = receive_later(page, "error")
    assert answer["said"] == [{"id": "remote.doctor_failed", "arguments": {}}]


def test_health_answer_describes_the_board(served):
    page = served.connect()
    page.receive()
    [health] = page.request({"ask": "health"})
    assert (health["type"], health["board"], health["masked"], health["failures"]) == ("health", "a-board", [], 0)


def test_saved_games_are_listed_and_read(serve, tmp_path):
    games = tmp_path / "games"
    served = serve(games_folder=games)
    page = served.connect()
    page.receive()

    def ask(**question):
        answers, until = page.request(question), monotonic() + 20
        while not answers:
            assert monotonic() < until, "no answer came"
            answers = page.receive()
        return answers[0]

    assert ask(ask="games") == {"type": "games", "games": []}
    with_games = open_journal(games, 4, board="a-board", seated=SeatedPlayers(names=("Ada", "Ben")))
    session = Session.start_game(STANDARD).after(TakeAction(Action.from_notation("@b2"), 1.0))
    with_games.record_step(session)
    with_games.close()
    [game] = ask(ask="games")["games"]
    assert (game["number"], game["light"], game["turns"], game["state"]) == (1, "Ada", 1, "goes on")
    assert "1. @b2" in ask(ask="game", number=1)["record"]
    assert ask(ask="game", number=2)["said"] == [{"id": "remote.no_such_game", "arguments": {"number": 2}}]
    assert ask(ask="game", number="1")["type"] == "error"


def test_board_without_journal_has_no_games(served):
    page = served.connect()
    page.receive()
    assert page.request({"ask": "games"})[0]["said"][0]["id"] == "remote.no_games_kept"


def test_refused_command_is_not_executed(served):
    page = served.connect()
    served.hands.touch("b2")
    [*_, state] = page.request({"command": "resign", "confirm": True})
    served.advance(1)
    served.hands.touch(next(cell for cell in ("a1", "c1") if cell != state["asks"]["cell"]))
    served.run_cycles()
    assert [answer["allowed"] for answer in permissions(page.receive())] == [False]
    served.run_cycles()
    assert served.companion.session.outcome is None
    assert len(served.played) == 2


def test_seat_can_move_on_a_board_with_pieces(folder):
    """The phone chooses the move, the lamps show it, and the sensors detect that it was made."""
    served = ServedPieces(folder)
    page, table = served.connect(), served.connect()
    page.request({"command": "seat", "sides": ["light"]})
    served.advance(1)
    for _ in range(4):
        [*_, state] = table.request({"ask": "state"})
        for hand in ({"drop": state["asks"]["cell"]}, {"take": state["asks"]["cell"]}):
            table.request(hand)
            served.advance(0.6)
    assert [answer["allowed"] for answer in permissions(page.receive())] == [True]
    assert served.played == []
    [*_, state] = page.request({"command": "action", "action": "@b2", "side": "light"})
    assert (served.played, state["phase"], state["wood"]["next"]) == (["@b2"], "differs", {"from": None, "to": "b2"})
    table.request({"drop": "b2", "owner": "light"})
    served.advance(0.6)
    [*_, state] = table.request({"ask": "state"})
    assert (state["phase"], state["to_move"]) == ("act", "dark")
    served.close()


def ask_state(page):
    return page.request({"ask": "state"})[-1]


def test_confirmed_resignation_keeps_its_side(serve):
    served = serve(dark="greedy")
    page = served.connect()
    served.hands.touch("b2")
    served.run_cycles()
    [*_, state] = page.request({"command": "resign", "confirm": True})  # during the program's turn
    assert state["said"][0] == {"id": "permission.resign", "arguments": {"side": "light"}}
    press_lit(served, page)
    served.run_cycles()
    assert str(served.companion.session.outcome.winner) == "dark"


def test_request_ends_when_the_game_changes(served):
    page = served.connect()
    served.hands.touch("b2")
    page.request({"command": "resign", "confirm": True})
    answers = page.request({"command": "action", "action": "@d4"}, {"ask": "state"})
    answers += page.receive()
    assert [answer["allowed"] for answer in permissions(answers)] == [False]
    assert "asks" not in ask_state(page)
    assert served.companion.session.outcome is None


def test_seat_request_survives_a_turn(served):
    page = served.connect()
    page.request({"command": "seat", "sides": ["dark"]})
    page.request({"command": "action", "action": "@d4"})
    assert "asks" in ask_state(page)


@pytest.mark.parametrize("confirm", [True, False])
def test_variant_that_does_not_fit_changes_no_player(served, confirm):
    page = served.connect()
    served.hands.touch("b2")
    players = {"light": "random", "dark": "random"}
    answers = page.request({"command": "new", "variant": "big", "players": players, "confirm": confirm})
    assert answers[-1]["said"][0]["id"] == "variant.does_not_fit"
    assert (served.companion.seated.players, served.played) == ((None, None), ["@b2"])
    assert "asks" not in ask_state(page)


def test_other_touch_during_a_program_turn_ends_the_request(serve):
    served = serve(dark="greedy")
    page = served.connect()
    served.hands.touch("b2")
    served.run_cycles()
    page.request({"command": "resign", "confirm": True})
    served.advance(0.8)
    served.hands.touch("c4")
    assert [answer["allowed"] for answer in permissions(page.receive())] == [False]
    assert served.played == ["@b2"]


@pytest.mark.slow
def test_normal_play_never_confirms_a_resignation(served):
    """The cell to press is a refused button, which is not pressed in normal play."""
    page, rng, asked = served.connect(), Random(7), 0
    served.hands.touch("b2")
    for _ in range(300):
        if not served.companion.session.allowed_actions:
            page.request({"command": "new"}, {"command": "action", "action": "@b2"})  # so that there is a game to lose
        answers = page.request({"command": "resign", "confirm": True})
        asked += "asks" in answers[-1]
        served.advance(0.8)
        action = rng.choice(served.companion.session.allowed_actions)
        for cell in filter(None, action):
            served.hands.touch(cell)
            served.run_cycles()
        assert not any(answer["allowed"] for answer in permissions(page.receive()))
    assert asked > 200
