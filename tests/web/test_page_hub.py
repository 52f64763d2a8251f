"""Visitors of the page without a network: what they see and may do. The test takes the place of the board."""

import json
from dataclasses import replace
from time import monotonic, sleep

import pytest

from pond_hw.companion.saved_state import SIMULATED_DAY
from pond_hw.exercises import load_lessons
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.message_json import parse_messages
from pond_hw.puzzles.course import make_course
from pond_hw.rules import DARK, LIGHT, STANDARD, Action, parse_variant
from pond_hw.server import protocol
from pond_hw.server.protocol import exercises_message, text_fields
from pond_hw.session import (
    ChangeSetting,
    ChooseExercise,
    ExerciseChoice,
    HelpLevel,
    NewGame,
    PauseExercise,
    ResignGame,
    Session,
    StartExercise,
    TakeAction,
    UndoTurns,
)
from pond_hw.session.game.settings import HELP
from pond_hw.web import page_hub as hub_module
from pond_hw.web import seat_access
from pond_hw.web.board_link import BoardLink
from pond_hw.web.client_limits import MAX_REFUSALS, MAX_REFUSALS_PER_SOURCE
from pond_hw.web.page_hub import PageHub
from pond_hw.web.page_requests import MAX_MESSAGE_BYTES, parse_page_request
from pond_hw.web.page_view import MAX_LISTED
from pond_hw.web.seat_access import SeatAccess
from pond_hw.web.seat_book import SeatBook, make_token
from pond_hw.web.visitor import MAX_OUTBOX, Visitor
from tests.conftest import each


class FakeBoardLink(BoardLink):
    """Link to a board that the test controls and whose requests it records."""

    def __init__(self):
        super().__init__()
        self.heard = []

    def send(self, request):
        self.heard.append(request)
        return self.state is not None


class HubBench:
    """A hub with a board that the test controls and whose requests it records."""

    def __init__(self, folder, *, spectators=True):
        self.board, self.now = FakeBoardLink(), 0.0
        self.heard = self.board.heard
        self.seat_book = SeatBook(folder / "seats.json")
        self.access = SeatAccess(self.board, self.seat_book, spectators=spectators)
        self.hub = PageHub(self.board, self.access)
        self.session = Session.start_game(STANDARD)
        self.contexts = []
        self.receive_line(protocol.hello_message(self.session, 4, {"names": {"light": "Ada", "dark": "Ben"}}))
        self.receive_state()

    def receive_line(self, line):
        self.board.handle_line(json.loads(json.dumps(line)))  # in the form in which it comes from a socket

    def receive_state(self, **more):
        self.receive_line(protocol.state_message(self.session.view, self.now) | more)
        self.receive_line(protocol.record_message(self.session.view, self.now))

    def play(self, *actions):
        for action in actions:
            self.now += 1
            self.session = self.session.after(TakeAction(Action.from_notation(action), self.now))
        self.receive_state()

    def add_visitor(self, *sides, address="192.168.1.9"):
        """Add a visitor, with a seat if sides are given."""
        visitor = Visitor(address, make_token())
        if sides:
            self.seat_book.give_seat(visitor.token, sides)
        self.contexts.append(self.hub.welcome(visitor))
        self.contexts[-1].__enter__()
        return visitor

    def remove_visitor(self, number=-1):
        self.contexts.pop(number).__exit__(None, None, None)

    def list_messages(self, visitor):
        return {message["type"]: message for message in map(json.loads, self.hub.list_changes(visitor))}

    def request(self, visitor, **request):
        self.heard.clear()
        self.hub.handle_request(visitor, parse_page_request(json.dumps(request)))
        return self.heard


@pytest.fixture
def bench(tmp_path):
    return HubBench(tmp_path)


@pytest.fixture
def closed_bench(tmp_path):
    return HubBench(tmp_path, spectators=False)


def test_spectator_sees_the_game_without_help(bench):
    visitor = bench.add_visitor()
    seen = bench.list_messages(visitor)
    assert list(seen) == ["you", "hello", "state", "turns"]
    assert seen["hello"]["names"] == {"light": "Ada", "dark": "Ben"}
    assert not {"legal", "hint", "board_asks", "asks", "seats"} & seen["state"].keys()
    assert bench.list_messages(visitor) == {}
    bench.play("@b2")
    assert list(bench.list_messages(visitor)) == ["state", "turns"]


def test_game_without_spectators_needs_a_seat(closed_bench):
    bench = closed_bench
    visitor = bench.add_visitor()
    seen = bench.list_messages(visitor)
    assert list(seen) == ["you", "hello"]
    assert not {"names", "players"} & seen["hello"].keys()
    bench.seat_book.give_seat(visitor.token, (LIGHT,))
    assert list(bench.list_messages(visitor)) == ["you", "hello", "state", "seats", "turns"]
    bench.play("@b2")
    bench.receive_line({"type": "revoked", "seat": 1})
    bench.play("@b3")
    assert list(bench.list_messages(visitor)) == ["you", "hello"]


def test_turns_are_sent_incrementally(bench):
    visitor = bench.add_visitor()
    bench.list_messages(visitor)
    bench.play("@b2", "@b3")
    turns = bench.list_messages(visitor)["turns"]
    assert (turns["from"], [turn["action"] for turn in turns["turns"]]) == (0, ["@b2", "@b3"])
    bench.play("@a1")
    turns = bench.list_messages(visitor)["turns"]
    assert (turns["from"], [turn["action"] for turn in turns["turns"]]) == (2, ["@a1"])
    bench.session = bench.session.after(UndoTurns(9.0, 2))
    bench.play("@d4")
    turns = bench.list_messages(visitor)["turns"]
    assert (turns["from"], [turn["action"] for turn in turns["turns"]]) == (1, ["@d4"])
    bench.session = bench.session.after(NewGame(parse_variant("mini"), 10.0))
    bench.receive_state()
    turns = bench.list_messages(visitor)["turns"]
    assert (turns["from"], turns["turns"], turns["start"]) == (0, [], "..../..../..../.... l 10 10 0 0")


def test_reconnected_board_is_sent_again(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.play("@b2")
    bench.list_messages(visitor)
    bench.board.lose_board()
    assert list(bench.list_messages(visitor)) == ["gone"]
    bench.request(visitor, command="undo")
    assert "isn't responding" in bench.list_messages(visitor)["refused"]["message"]
    bench.receive_line(protocol.hello_message(bench.session, 4, {}))
    bench.receive_state()
    assert {"hello", "state", "turns"} <= bench.list_messages(visitor).keys()


def test_each_visitor_has_a_language(bench):
    ada, ben = bench.add_visitor(), bench.add_visitor()
    bench.request(ada, language="de")
    bench.play("@b2")
    assert bench.list_messages(ada)["state"]["message"].startswith("Hell")
    assert bench.list_messages(ben)["state"]["message"].startswith("Light")


def test_changes_during_sending_are_included(bench):
    """A slow phone gets one message at a time, while the language and the game change."""
    visitor, seen = bench.add_visitor(), []
    for number, text in enumerate(bench.hub.list_changes(visitor)):
        seen.append(json.loads(text)["type"])
        bench.request(visitor, language="nl")
        bench.play(("@b2", "@b3", "@c2", "@d4")[number])
    assert seen == ["you", "hello", "state", "turns"]
    later = bench.list_messages(visitor)
    assert later["state"]["message"].startswith("Donker")
    assert len(later["turns"]["turns"]) == 4
    assert bench.list_messages(visitor) == {}


def test_seat_acts_only_for_its_sides(bench):
    dark = bench.add_visitor(DARK)
    assert bench.request(dark, command="action", action="@b2") == []
    assert bench.list_messages(dark)["refused"]["message"] == "It's Light's turn, and your seat isn't for that side."
    bench.play("@b2")
    assert bench.request(dark, command="done") == [{"command": "done", "side": "dark"}]
    assert bench.request(dark, command="action", action="@b3") == [
        {"command": "action", "action": "@b3", "side": "dark"}
    ]


@each(
    "request_fields",
    [
        {"command": "action", "action": "@b2"},
        {"command": "undo"},
        {"command": "hint"},
        {"command": "done"},
        {"command": "resign"},
        {"command": "new", "variant": "mini"},
        {"revoke": 1},
        {"ask": "what_if", "action": "@b2"},
        {"ask": "games"},
        {"ask": "game", "number": 1},
        {"ask": "health"},
        {"ask": "doctor"},
        {"ask": "exercises"},
        {"command": "exercise", "course": "lessons", "name": "hop"},
        {"command": "exercise", "choice": "leave"},
        {"command": "brightness", "brightness": 0.5},
        {"command": "help", "side": "light", "level": "none"},
        {"command": "head_start", "side": "light", "pieces": 1},
        {"command": "hint_limit", "side": "light", "hints": 3},
        {"command": "fair_start", "on": True},
    ],
)
def test_requests_without_a_seat_are_refused(bench, request_fields):
    visitor = bench.add_visitor()
    assert bench.request(visitor, **request_fields) == []
    assert bench.list_messages(visitor)["refused"]["message"] == "You have no seat yet. Ask for one first."


@each(
    "name, fields",
    [
        ("resign", {"side": "light"}),
        ("draw", {}),
        ("discard", {}),
    ],
)
def test_ending_a_game_needs_confirmation(bench, name, fields):
    visitor = bench.add_visitor(LIGHT)
    assert bench.request(visitor, command=name) == [{"command": name, "confirm": True, **fields}]
    bench.receive_line({"type": "permission", "for": name, "allowed": True})
    assert bench.list_messages(visitor)["granted"] == {"type": "granted", "for": name}
    bench.remove_visitor()


def test_new_game_with_players(bench):
    visitor = bench.add_visitor(LIGHT, DARK)
    players, names = {"light": None, "dark": "level-3"}, {"light": "Ada", "dark": None}
    assert bench.request(visitor, command="new", variant="mini", players=players, names=names) == [
        {"command": "new", "confirm": True, "variant": "mini", "players": players, "names": names}
    ]
    bench.receive_line({"type": "permission", "for": "new", "allowed": True})
    assert bench.heard[-1] == {"ask": "record"}
    bench.receive_line(protocol.record_message(bench.session.view, 1.0) | {"players": players, "names": names})
    assert bench.list_messages(visitor)["hello"]["players"] == players


def test_seat_needs_a_press_on_the_board(bench):
    visitor, other = bench.add_visitor(), bench.add_visitor()
    assert bench.request(visitor, seat=["dark"]) == [{"command": "seat", "sides": ["dark"]}]
    sign = {"colour": "green", "number": 27}
    bench.receive_state(asks={"cell": "b2", "pressed": 1, "of": 4, "until": 50.0, "sign": sign})
    asking = bench.list_messages(visitor)["you"]["asking"]
    assert (asking["cells"], asking["pressed"], asking["seconds"], asking["sign"]) == (4, 1, 50.0, sign)
    assert bench.list_messages(other)["you"]["asking"] is None
    assert bench.request(other, seat=["light"]) == []
    assert (
        "Another phone is asking for permission. Don't press the board"
        in bench.list_messages(other)["refused"]["message"]
    )
    assert bench.request(visitor, seat=["light"]) == []
    assert "refused" not in bench.list_messages(visitor)
    bench.receive_line({"type": "permission", "for": "seat", "allowed": False})
    assert bench.list_messages(visitor)["you"]["seat"] is None
    bench.request(visitor, seat=["dark"])
    bench.receive_line({"type": "permission", "for": "seat", "allowed": True})
    assert bench.list_messages(visitor)["you"]["seat"] == {"number": 1, "sides": ["dark"]}
    assert bench.heard[-1] == {"command": "seats", "seats": [{"seat": 1, "sides": ["dark"]}]}
    assert bench.list_messages(other).get("you") is None


def test_visitor_who_left_gets_no_seat(bench):
    visitor = bench.add_visitor()
    bench.request(visitor, seat=["dark"])
    bench.remove_visitor()
    assert bench.heard[-1] == {"command": "withdraw"}
    bench.receive_line({"type": "permission", "for": "seat", "allowed": True})
    assert list(bench.seat_book) == []


def test_cancelling_a_request_keeps_the_seat(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.request(visitor, command="resign")
    assert bench.request(visitor, seat=None) == [{"command": "withdraw"}]
    assert bench.request(visitor, seat=None) == []
    bench.receive_line({"type": "permission", "for": "resign", "allowed": False})
    seen = bench.list_messages(visitor)
    assert seen["you"]["seat"]
    assert "refused" not in seen
    bench.request(visitor, seat=None)
    assert bench.list_messages(visitor)["you"]["seat"] is None


def take_seat(bench, visitor, *sides):
    """Return the secret with which the browser can fetch the cookie of a new seat."""
    bench.request(visitor, seat=list(sides))
    bench.receive_line({"type": "permission", "for": "seat", "allowed": True})
    return bench.list_messages(visitor)["granted"]["claim"]


def test_new_seat_has_a_new_token(bench):
    visitor, other = bench.add_visitor(), bench.add_visitor()
    other.token = brought = visitor.token
    claim = take_seat(bench, visitor, "dark")
    token = bench.access.fetch_token(claim, brought)
    assert token not in (None, brought, claim)
    assert (bench.seat_book.find_seat(token).sides, bench.seat_book.find_seat(brought)) == ((DARK,), None)
    assert bench.list_messages(other)["you"]["seat"] is None
    for wrong in ("", "x", token):
        assert bench.access.fetch_token(wrong, None) is None
    assert bench.access.fetch_token(claim, token) is None
    assert bench.access.fetch_token(claim, None) is None, "once it is stored, no one else gets it"
    bench.remove_visitor(0)
    assert bench.seat_book.find_seat(token)


def test_browser_without_cookies_loses_its_seat(bench):
    visitor = bench.add_visitor()
    visitor.token = None
    claim = take_seat(bench, visitor, "dark")
    assert bench.access.fetch_token(claim, None)
    assert bench.access.fetch_token(claim, None) is None
    seen = bench.list_messages(visitor)
    assert seen["you"]["seat"] is None
    assert "cookies" in seen["refused"]["message"]


def test_unclaimed_seat_ends_when_the_page_closes(bench):
    take_seat(bench, bench.add_visitor(), "light")
    assert len(list(bench.seat_book)) == 1
    bench.remove_visitor()
    assert list(bench.seat_book) == []
    assert bench.heard[-1] == {"command": "seats", "seats": []}


def test_new_seat_applies_to_the_whole_browser(bench):
    visitor, other_page, stranger = bench.add_visitor(LIGHT), bench.add_visitor(), bench.add_visitor()
    other_page.token = visitor.token
    bench.access.fetch_token(take_seat(bench, visitor, "dark"), visitor.token)
    assert [seat.sides for seat in bench.seat_book] == [(DARK,)]
    assert bench.list_messages(other_page)["you"]["seat"] == {"number": 1, "sides": ["dark"]}
    assert bench.list_messages(stranger)["you"]["seat"] is None


def refuse_requests(bench, visitor, count):
    for _ in range(count):
        assert bench.request(visitor, seat=["light"])
        bench.receive_line({"type": "permission", "for": "seat", "allowed": False})


def test_repeated_refusals_lock_the_visitor_out(bench, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(seat_access, "monotonic", lambda: clock[0])
    visitor = bench.add_visitor()
    refuse_requests(bench, visitor, MAX_REFUSALS_PER_SOURCE)
    assert bench.request(visitor, seat=["light"]) == []
    assert "asked too often" in bench.list_messages(visitor)["refused"]["message"]
    for number in range(MAX_REFUSALS // MAX_REFUSALS_PER_SOURCE - 1):
        refuse_requests(bench, bench.add_visitor(address=f"192.168.2.{number}"), MAX_REFUSALS_PER_SOURCE)
    stranger = bench.add_visitor(address="192.168.3.1")
    assert bench.request(stranger, seat=["light"]) == []
    assert "send all phones away" in bench.list_messages(stranger)["refused"]["message"]
    clock[0] += 601
    assert bench.request(visitor, seat=["light"])


def withdraw_often(bench, visitor, count):
    for _ in range(count):
        assert bench.request(visitor, seat=["light"])
        assert bench.request(visitor, seat=None)
        bench.receive_line({"type": "permission", "for": "seat", "allowed": False})


def test_withdrawals_do_not_lock_out_others(bench):
    for number in range(4):
        withdraw_often(bench, bench.add_visitor(address=f"192.168.2.{number}"), 40)
    assert bench.request(bench.add_visitor(address="192.168.3.1"), seat=["light"])


def test_repeated_withdrawals_lock_the_visitor_out(bench):
    visitor = bench.add_visitor()
    withdraw_often(bench, visitor, 49)
    while bench.request(visitor, seat=["light"]):
        assert bench.request(visitor, seat=None)
        bench.receive_line({"type": "permission", "for": "seat", "allowed": False})
    assert "asked too often" in bench.list_messages(visitor)["refused"]["message"]


def test_withdrawal_is_weighted_by_its_duration(bench, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(seat_access, "monotonic", lambda: clock[0])
    visitor = bench.add_visitor()
    for _ in range(6):
        assert bench.request(visitor, seat=["light"])
        clock[0] += 55
        bench.request(visitor, seat=None)
        bench.receive_line({"type": "permission", "for": "seat", "allowed": False})
    assert bench.request(visitor, seat=["light"]) == []


def test_revoking_at_the_board_ends_the_lockout(bench):
    visitor = bench.add_visitor()
    refuse_requests(bench, visitor, MAX_REFUSALS_PER_SOURCE)
    assert bench.request(visitor, seat=["light"]) == []
    bench.receive_line({"type": "revoked", "seat": None})
    assert bench.request(visitor, seat=["light"])


def test_ipv6_spellings_count_as_one_machine(bench):
    for number in range(1, MAX_REFUSALS_PER_SOURCE + 1):
        refuse_requests(bench, bench.add_visitor(address=f"2001:db8::{number}"), 1)
    assert bench.request(bench.add_visitor(address="2001:db8:0:0:7::9"), seat=["light"]) == []


def test_undoing_own_turn_needs_no_press(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.play("@b2")
    assert bench.request(visitor, command="undo") == [{"command": "undo", "turn": 1}]
    bench.session = bench.session.after(UndoTurns(2.0))
    bench.receive_state()
    assert bench.request(visitor, command="redo") == [{"command": "redo", "turn": 1}]


def test_undoing_the_other_side_needs_a_press(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.play("@b2", "@b3")
    assert bench.request(visitor, command="undo", turn=2) == [{"command": "undo", "turn": 2, "confirm": True}]
    assert bench.list_messages(visitor)["you"]["asking"]["for"] == "undo"
    bench.receive_line({"type": "permission", "for": "undo", "allowed": True})
    bench.session = bench.session.after(UndoTurns(3.0))
    bench.receive_state()
    assert bench.request(visitor, command="redo") == [{"command": "redo", "turn": 2, "confirm": True}]


@each("side", [LIGHT, DARK])
def test_undoing_the_game_end_needs_a_press(bench, side):
    visitor = bench.add_visitor(side)
    bench.play("@b2")
    bench.session = bench.session.after(ResignGame(2.0, LIGHT))
    bench.receive_state()
    assert bench.request(visitor, command="undo") == [{"command": "undo", "turn": 2, "confirm": True}]
    bench.receive_line({"type": "permission", "for": "undo", "allowed": False})
    bench.remove_visitor()


def test_seat_for_both_sides_needs_no_press(bench):
    visitor = bench.add_visitor(LIGHT, DARK)
    bench.play("@b2")
    bench.session = bench.session.after(ResignGame(2.0, LIGHT))
    bench.receive_state()
    for asked in (
        {"command": "undo", "turn": 2},
        {"command": "help", "side": "dark", "level": "none"},
        {"command": "head_start", "side": "dark", "pieces": 2},
    ):
        assert bench.request(visitor, **asked) == [asked]


def test_undoing_a_program_turn_needs_no_press(bench):
    visitor = bench.add_visitor(LIGHT)
    players = {"players": {"light": None, "dark": "level-1"}}
    bench.receive_line(protocol.hello_message(bench.session, 4, players))
    bench.play("@b2", "@b3")
    assert bench.request(visitor, command="undo") == [{"command": "undo", "turn": 2}]


@each(
    "setting, needs_press",
    [
        ({"command": "help", "side": "light", "level": "none"}, False),
        ({"command": "help", "side": "dark", "level": "none"}, True),
        ({"command": "hint_limit", "side": "light", "hints": 1}, False),
        ({"command": "hint_limit", "side": "dark", "hints": 1}, True),
        ({"command": "head_start", "side": "light", "pieces": 5}, True),
        ({"command": "head_start", "side": "dark", "pieces": 5}, True),
        ({"command": "brightness", "brightness": 0.5}, False),
        ({"command": "fair_start", "on": True}, False),
    ],
)
def test_changing_other_sides_settings_needs_a_press(bench, setting, needs_press):
    visitor = bench.add_visitor(LIGHT)
    confirm = {"confirm": True} if needs_press else {}
    assert bench.request(visitor, **setting) == [setting | confirm]
    if needs_press:
        assert bench.list_messages(visitor)["you"]["asking"]["for"] == "setting"
        bench.receive_line({"type": "permission", "for": setting["command"], "allowed": False})
    bench.remove_visitor()


def test_hint_is_for_the_side_to_move(bench):
    light, dark = bench.add_visitor(LIGHT), bench.add_visitor(DARK)
    assert bench.request(dark, command="hint") == []
    assert "It's Light's turn" in bench.list_messages(dark)["refused"]["message"]
    assert bench.request(light, command="hint") == [{"command": "hint", "side": "light"}]


def test_revoking_another_seat_needs_a_press(bench):
    visitor, other = bench.add_visitor(LIGHT), bench.add_visitor(DARK)
    assert bench.request(visitor, revoke=7) == []
    assert bench.request(visitor, revoke=2) == [{"command": "revoke", "seat": 2, "confirm": True}]
    bench.receive_line({"type": "revoked", "seat": 2})
    bench.receive_line({"type": "permission", "for": "revoke", "seat": 2, "allowed": True})
    assert bench.list_messages(other)["you"]["seat"] is None
    bench.request(visitor, revoke=1)
    assert bench.list_messages(visitor)["you"]["seat"] is None


def test_lost_board_refuses_the_request(bench):
    visitor = bench.add_visitor()
    bench.request(visitor, seat=["light"])
    bench.board.lose_board()
    seen = bench.list_messages(visitor)
    assert seen["you"]["asking"] is None
    assert "isn't responding" in seen["refused"]["message"]


def test_board_error_goes_to_the_requester(bench):
    visitor, other = bench.add_visitor(LIGHT), bench.add_visitor(DARK)
    bench.list_messages(other)
    bench.request(visitor, command="draw")
    said = [{"id": "remote.busy", "arguments": {}}]
    bench.receive_line({"type": "error", "message": "…", "said": said})
    assert "Another phone is asking" in bench.list_messages(visitor)["refused"]["message"]
    assert "refused" not in bench.list_messages(other)


def test_saved_games_go_to_the_requester(bench):
    visitor, other = bench.add_visitor(LIGHT), bench.add_visitor(LIGHT)
    assert bench.request(visitor, ask="games") == [{"ask": "games"}]
    assert bench.request(other, ask="games") == []
    bench.receive_line({"type": "games", "games": [{"number": 1}]})
    assert bench.list_messages(visitor)["games"]["games"] == [{"number": 1}]
    assert "games" not in bench.list_messages(other)
    bench.request(visitor, ask="game", number=1)
    bench.receive_line({"type": "game", "number": 1, "record": '[Variant "mini"]\n[Result "*"]\n\n1. @b2 @b3\n'})
    game = bench.list_messages(visitor)["game"]
    assert (game["variant"], [turn["action"] for turn in game["turns"]]) == ("mini", ["@b2", "@b3"])
    bench.request(visitor, ask="game", number=2)
    bench.receive_line(
        {"type": "error", "message": "…", "said": [{"id": "remote.no_such_game", "arguments": {"number": 2}}]}
    )
    assert bench.list_messages(visitor)["refused"]["message"] == "There is no game 2."


def test_slow_visitor_misses_the_oldest_answers(bench):
    visitor = bench.add_visitor()
    for _ in range(3 * MAX_OUTBOX):
        bench.request(visitor, command="undo")
    assert len(visitor.outbox) == MAX_OUTBOX


def test_undo_request_names_its_turn(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.play("@b2")
    assert bench.list_messages(visitor)["state"]["turn"] == 1
    assert bench.request(visitor, command="undo", turn=1) == [{"command": "undo", "turn": 1}]


def test_undoing_an_earlier_turn_needs_a_press(bench):
    """The last turn is the other side's if the player's own last turn has already been undone."""
    visitor = bench.add_visitor(LIGHT)
    bench.play("@b2", "@b3", "@a1")
    assert bench.request(visitor, command="undo", turn=3) == [{"command": "undo", "turn": 3}]
    assert bench.request(visitor, command="undo", turn=2) == [{"command": "undo", "turn": 2, "confirm": True}]


@each(
    "text",
    [
        '{"command":"undo","turn":0}',
        '{"command":"hint","turn":1}',
        '{"command":"new","variant":"mini","players":{"light":null,"dark":"nobody"},"names":{"light":null,"dark":null}}',
        '{"command":"new","variant":"mini","players":{"light":null,"dark":null}}',
        '{"command":"brightness","brightness":0}',
        '{"command":"exercise","course":"lessons"}',
        '{"command":"exercise","choice":"ask"}',
        '{"command":"exercise","choice":"resume"}',
        '{"command":"exercise","choice":["next"]}',
        '{"command":"undo","confirm":true}',
        '{"command":"new","variant":"mini","confirm":true}',
        '{"command":"action","action":"@b2","side":"dark"}',
        '{"command":"help","side":"dark","level":"none","confirm":true}',
        '{"command":"brightness","brightness":0.5,"brightness":0.6}',
        '{"command":"seat","sides":["light"]}',
        '{"command":"seats","seats":[]}',
        '{"command":"games"}',
        '{"ask":"undo"}',
        '{"ask":"state"}',
        '{"touch":"b2"}',
        '{"wait":1}',
        '{"command":"exercise","course":"lessons","name":"hop","choice":"next"}',
        '{"command":"hint_limit","side":"light","hints":0}',
        '{"ask":"game","number":0}',
        '{"ask":"game"}',
        '{"seat":[]}',
        '{"language":["nl"]}',
        '{"revoke":1.0}',
        '[{"seat":null}]',
        '{"seat":null,"seat":null,"x":1}',
        " " * MAX_MESSAGE_BYTES + "{}",
        "[" * 990,
        '{"command":"brightness","brightness":1' + 400 * "0" + "}",
    ],
)
def test_invalid_requests_raise(text):
    with pytest.raises(ValueError, match=r"."):
        parse_page_request(text)


@pytest.mark.slow
def test_saved_game_is_reviewed(bench):
    """The review runs turn by turn in its own process, and stops when the visitor leaves."""
    visitor = bench.add_visitor(LIGHT)
    bench.request(visitor, ask="analysis")
    assert bench.list_messages(visitor)["refused"]["message"] == "Choose a game first."
    bench.request(visitor, ask="game", number=1)
    bench.receive_line({"type": "game", "number": 1, "record": '[Variant "mini"]\n[Result "*"]\n\n1. @b2 @b3\n'})
    bench.request(visitor, ask="analysis")
    until = monotonic() + 60
    while bench.hub.collect_reviews():
        assert monotonic() < until
        sleep(0.1)
    judged = bench.list_messages(visitor)["analysis"]["turns"]
    assert [turn["action"] for turn in judged] == ["@b2", "@b3"]
    bench.request(visitor, ask="analysis")
    bench.remove_visitor()
    assert not bench.hub.collect_reviews()


def test_doctor_findings_go_to_the_requester(bench):
    visitor, other = bench.add_visitor(LIGHT), bench.add_visitor(DARK)
    bench.request(visitor, language="nl")
    assert bench.request(visitor, ask="doctor") == [{"ask": "doctor"}]
    fine, pauses = Message("doctor.count.no_fault"), Message("doctor.lamps.may_pause")
    findings = [
        {"grade": grade, "subject": "lamps", "mend": remedy, **text_fields("text", (message,), "en")}
        for grade, message, remedy in (("good", fine, ""), ("warning", pauses, "pond setup"))
    ]
    bench.receive_line({"type": "doctor", **text_fields("summary", (fine,), "en"), "findings": findings})
    dutch = get_catalogue("nl").text
    assert bench.list_messages(visitor)["doctor"] == {
        "type": "doctor",
        "summary": dutch(fine),
        "findings": [{"grade": "warning", "text": dutch(pauses), "mend": "pond setup"}],
    }
    assert "doctor" not in bench.list_messages(other)
    bench.request(visitor, ask="doctor")
    bench.receive_line(protocol.error_message(Message("remote.doctor_failed")))
    assert bench.list_messages(visitor)["refused"]["message"] == dutch(Message("remote.doctor_failed"))
    assert bench.request(other, ask="doctor")


def test_side_without_help_gets_no_preview(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.request(visitor, ask="what_if", action="@b2")
    assert bench.list_messages(visitor)["what_if"]["action"] == "@b2"
    bench.session = bench.session.after(ChangeSetting(HELP, LIGHT, HelpLevel.TARGETS, 1.0))
    bench.receive_state()
    bench.request(visitor, ask="what_if", action="@b2")
    assert bench.list_messages(visitor)["refused"]["message"] == "Light plays without hints and previews."


def test_exercises_are_listed_in_the_visitor_language(bench):
    visitor, other = bench.add_visitor(LIGHT), bench.add_visitor(LIGHT)
    bench.request(visitor, language="de")
    assert bench.request(visitor, ask="exercises") == [{"ask": "exercises", "language": "de"}]
    courses = make_course(4, SIMULATED_DAY), load_lessons(None).course
    bench.receive_line(exercises_message(courses, "de"))
    seen = bench.list_messages(visitor)["exercises"]["courses"]
    assert seen["lessons"][0] == {"name": "place", "title": "Ein Ei setzen"}
    assert (len(seen["lessons"]), len(seen["puzzles"])) == (10, MAX_LISTED)
    assert "exercises" not in bench.list_messages(other)


def test_task_differs_on_phone_and_terminal(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.request(visitor, language="nl")
    bench.session = bench.session.after(TakeAction(Action.from_notation("@b2"), 1.0))
    bench.session = replace(bench.session, courses=(load_lessons(None).course,))
    bench.session = bench.session.after(StartExercise("lessons", 1.0, "hint"))
    bench.receive_state()
    assert bench.list_messages(visitor)["state"]["message"].endswith("tik op ‘Tip’.")
    state = protocol.state_message(bench.session.view, 1.0, "en")
    assert "for 2 s" in state["message"]
    messages = parse_messages(json.loads(json.dumps(state["said"])), state["message"])
    assert get_catalogue("fr", "terminal").text(messages).endswith("appuyez sur h.")
    bench.session = bench.session.after(PauseExercise(2.0))
    bench.receive_state()
    assert "a1" not in bench.list_messages(visitor)["state"]["message"]


def test_game_after_lessons_has_the_default_variant(bench):
    players, names = {"light": None, "dark": "level-1"}, {"light": "Ada", "dark": None}
    asked = bench.request(bench.add_visitor(LIGHT), command="new", players=players, names=names)
    assert asked == [{"command": "new", "confirm": True, "players": players, "names": names}]


def test_exercise_can_be_started_and_left(bench):
    visitor, watcher = bench.add_visitor(DARK), bench.add_visitor()
    begin = {"command": "exercise", "course": "lessons", "name": "place"}
    assert bench.request(visitor, **begin) == [begin]
    assert "exercise" not in bench.list_messages(visitor)["state"]
    bench.session = replace(bench.session, courses=(load_lessons(None).course,))
    bench.session = bench.session.after(StartExercise("lessons", 1.0, "place"))
    bench.receive_state()
    bench.request(visitor, language="nl")
    shown = bench.list_messages(visitor)["state"]
    assert shown["exercise"] == {
        "course": "lessons",
        "last": False,
        "title": "Een ei zetten",
        "next": "Stukken groeien",
        "step": 1,
        "steps": 2,
        "lit": ["b2"],
        "done": False,
        "asks": False,
        "players": {"light": None, "dark": None},
    }
    assert bench.list_messages(watcher)["state"]["exercise"]["title"] == "Place an egg"
    action = {"command": "action", "action": "@b2", "side": "light", "exercise": True}
    assert bench.request(visitor, command="action", action="@b2") == [action], "any seat can act"
    assert bench.request(visitor, command="undo") == [{"command": "undo", "exercise": True}]
    assert bench.request(visitor, command="hint") == [{"command": "hint", "side": "light", "exercise": True}]
    leave = {"command": "exercise", "choice": "leave"}
    assert bench.request(visitor, **leave) == [leave]
    bench.session = bench.session.after(ChooseExercise(ExerciseChoice.LEAVE, 2.0))
    bench.receive_state()
    assert "exercise" not in bench.list_messages(visitor)["state"]
    assert bench.request(visitor, command="action", action="@b2") == [], "it is light's turn"


def test_game_request_is_refused_while_list_is_pending(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.request(visitor, ask="games")
    assert bench.request(visitor, ask="game", number=1) == []
    bench.receive_line({"type": "games", "games": []})
    assert bench.request(visitor, ask="game", number=1) == [{"ask": "game", "number": 1}]


def test_unanswered_question_expires(bench, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(hub_module, "monotonic", lambda: clock[0])
    visitor = bench.add_visitor(LIGHT)
    bench.request(visitor, ask="games")
    clock[0] += 61
    assert bench.request(visitor, ask="games")


def test_lockout_of_strangers_spares_seats(bench):
    for number in range(MAX_REFUSALS // MAX_REFUSALS_PER_SOURCE):
        refuse_requests(bench, bench.add_visitor(address=f"192.168.2.{number}"), MAX_REFUSALS_PER_SOURCE)
    assert bench.request(bench.add_visitor(address="192.168.3.1"), seat=["light"]) == []
    assert bench.request(bench.add_visitor(LIGHT, address="192.168.2.1"), command="resign")


def test_ipv6_addresses_of_a_network_count_together(bench):
    for number in range(MAX_REFUSALS_PER_SOURCE):
        refuse_requests(bench, bench.add_visitor(address=f"fe80:1:2:3::{number}"), 1)
    assert bench.request(bench.add_visitor(address="fe80:1:2:3:7::9"), seat=["light"]) == []
    assert bench.request(bench.add_visitor(address="fe80:1:2:4::9"), seat=["light"])
