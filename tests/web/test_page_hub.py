"""What everybody who has the page open sees and may do, without a network: the board is played by the test."""

import asyncio
import json
from dataclasses import replace
from time import monotonic

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
from pond_hw.web.board_link import BoardLink
from pond_hw.web.client_limits import MAX_REFUSALS, MAX_REFUSALS_OF_PLACE
from pond_hw.web.page_hub import MAX_OUTBOX, PageHub, Visitor
from pond_hw.web.page_requests import MAX_MESSAGE_BYTES, parse_page_request
from pond_hw.web.page_view import MAX_LISTED
from pond_hw.web.seat_book import SeatBook, make_token
from tests.conftest import each


class HubBench:
    """A board that says what it is told to say, and remembers what it hears."""

    def __init__(self, folder, *, spectators=True):
        self.board, self.heard, self.now = BoardLink([]), [], 0.0
        self.board.send = self.hear
        self.seat_book = SeatBook(folder / "seats.json")
        self.hub = PageHub(self.board, self.seat_book, spectators=spectators)
        self.session = Session.start_game(STANDARD)
        self.contexts = []
        self.says(protocol.hello_message(self.session, 4, {"names": {"light": "Ada", "dark": "Ben"}}))
        self.says_state()

    def hear(self, request):
        self.heard.append(request)
        return self.board.state is not None

    def says(self, line):
        self.board._take_line(json.loads(json.dumps(line)))  # as it comes by a socket

    def says_state(self, **more):
        self.says(protocol.state_message(self.session.view, self.now) | more)
        self.says(protocol.record_message(self.session.view, self.now))

    def plays(self, *actions):
        for action in actions:
            self.now += 1
            self.session = self.session.after(TakeAction(Action.from_notation(action), self.now))
        self.says_state()

    def comes(self, *sides, address="192.168.1.9"):
        """Somebody opens the page, with a seat for these sides if there are any."""
        visitor = Visitor(address, make_token())
        if sides:
            self.seat_book.give_seat(visitor.token, sides)
        self.contexts.append(self.hub.welcome(visitor))
        self.contexts[-1].__enter__()
        return visitor

    def goes(self, number=-1):
        self.contexts.pop(number).__exit__(None, None, None)

    def sees(self, visitor):
        return {message["type"]: message for message in map(json.loads, self.hub.list_changes(visitor))}

    def asks(self, visitor, **request):
        self.heard.clear()
        self.hub.handle_request(visitor, parse_page_request(json.dumps(request)))
        return self.heard

    def is_gone(self):
        self.board.hello = self.board.state = self.board.game_record = None
        self.board._change()


@pytest.fixture
def bench(tmp_path):
    return HubBench(tmp_path)


@pytest.fixture
def closed_bench(tmp_path):
    return HubBench(tmp_path, spectators=False)


def test_a_spectator_sees_the_game_and_no_help(bench):
    visitor = bench.comes()
    seen = bench.sees(visitor)
    assert list(seen) == ["you", "hello", "state", "turns"]
    assert seen["hello"]["names"] == {"light": "Ada", "dark": "Ben"}
    assert not {"legal", "hint", "board_asks", "asks", "seats"} & seen["state"].keys()
    assert bench.sees(visitor) == {}
    bench.plays("@b2")
    assert list(bench.sees(visitor)) == ["state", "turns"]


def test_where_nobody_may_watch_only_a_seat_shows_the_game(closed_bench):
    bench = closed_bench
    visitor = bench.comes()
    seen = bench.sees(visitor)
    assert list(seen) == ["you", "hello"]
    assert not {"names", "players"} & seen["hello"].keys()
    bench.seat_book.give_seat(visitor.token, (LIGHT,))
    assert list(bench.sees(visitor)) == ["you", "hello", "state", "seats", "turns"]
    bench.plays("@b2")
    bench.says({"type": "revoked", "seat": 1})
    bench.plays("@b3")
    assert list(bench.sees(visitor)) == ["you", "hello"]


def test_turns_come_once_each_and_go_when_they_are_taken_back(bench):
    visitor = bench.comes()
    bench.sees(visitor)
    bench.plays("@b2", "@b3")
    turns = bench.sees(visitor)["turns"]
    assert (turns["from"], [turn["action"] for turn in turns["turns"]]) == (0, ["@b2", "@b3"])
    bench.plays("@a1")
    turns = bench.sees(visitor)["turns"]
    assert (turns["from"], [turn["action"] for turn in turns["turns"]]) == (2, ["@a1"])
    bench.session = bench.session.after(UndoTurns(9.0, 2))
    bench.plays("@d4")
    turns = bench.sees(visitor)["turns"]
    assert (turns["from"], [turn["action"] for turn in turns["turns"]]) == (1, ["@d4"])
    bench.session = bench.session.after(NewGame(parse_variant("mini"), 10.0))
    bench.says_state()
    turns = bench.sees(visitor)["turns"]
    assert (turns["from"], turns["turns"], turns["start"]) == (0, [], "..../..../..../.... l 10 10 0 0")


def test_a_board_that_goes_and_comes_is_shown_again_whole(bench):
    visitor = bench.comes(LIGHT)
    bench.plays("@b2")
    bench.sees(visitor)
    bench.is_gone()
    assert list(bench.sees(visitor)) == ["gone"]
    bench.asks(visitor, command="undo")
    assert "doesn't answer" in bench.sees(visitor)["refused"]["message"]
    bench.says(protocol.hello_message(bench.session, 4, {}))
    bench.says_state()
    assert {"hello", "state", "turns"} <= bench.sees(visitor).keys()


def test_everybody_reads_their_own_language(bench):
    ada, ben = bench.comes(), bench.comes()
    bench.asks(ada, language="de")
    bench.plays("@b2")
    assert bench.sees(ada)["state"]["message"].startswith("Hell")
    assert bench.sees(ben)["state"]["message"].startswith("Light")


def test_much_may_happen_while_news_is_being_sent(bench):
    """A slow phone is sent one thing after the other; meanwhile it chooses a language, and turns are taken."""
    visitor, seen = bench.comes(), []
    for number, text in enumerate(bench.hub.list_changes(visitor)):
        seen.append(json.loads(text)["type"])
        bench.asks(visitor, language="nl")
        bench.plays(("@b2", "@b3", "@c2", "@d4")[number])
    assert seen == ["you", "hello", "state", "turns"]
    later = bench.sees(visitor)
    assert later["state"]["message"].startswith("Donker")
    assert len(later["turns"]["turns"]) == 4
    assert bench.sees(visitor) == {}


def test_a_seat_acts_for_its_sides_alone_and_says_for_whom(bench):
    dark = bench.comes(DARK)
    assert bench.asks(dark, command="action", action="@b2") == []
    assert bench.sees(dark)["refused"]["message"] == "It's Light's turn, and your seat isn't for that side."
    bench.plays("@b2")
    assert bench.asks(dark, command="done") == [{"command": "done", "side": "dark"}]
    assert bench.asks(dark, command="action", action="@b3") == [{"command": "action", "action": "@b3", "side": "dark"}]


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
def test_without_a_seat_nothing_is_done_and_nothing_is_told(bench, request_fields):
    visitor = bench.comes()
    assert bench.asks(visitor, **request_fields) == []
    assert bench.sees(visitor)["refused"]["message"] == "You have no seat yet. Ask for one first."


@each(
    "name, fields",
    [
        ("resign", {"side": "light"}),
        ("draw", {}),
        ("discard", {}),
    ],
)
def test_what_loses_something_is_confirmed_at_the_board(bench, name, fields):
    visitor = bench.comes(LIGHT)
    assert bench.asks(visitor, command=name) == [{"command": name, "confirm": True, **fields}]
    bench.says({"type": "permission", "for": name, "allowed": True})
    assert bench.sees(visitor)["granted"] == {"type": "granted", "for": name}
    bench.goes()


def test_a_new_game_has_its_players(bench):
    visitor = bench.comes(LIGHT, DARK)
    players, names = {"light": None, "dark": "level-3"}, {"light": "Ada", "dark": None}
    assert bench.asks(visitor, command="new", variant="mini", players=players, names=names) == [
        {"command": "new", "confirm": True, "variant": "mini", "players": players, "names": names}
    ]
    bench.says({"type": "permission", "for": "new", "allowed": True})
    assert bench.heard[-1] == {"ask": "record"}
    bench.says(protocol.record_message(bench.session.view, 1.0) | {"players": players, "names": names})
    assert bench.sees(visitor)["hello"]["players"] == players


def test_only_a_hand_at_the_board_gives_a_seat(bench):
    visitor, other = bench.comes(), bench.comes()
    assert bench.asks(visitor, seat=["dark"]) == [{"command": "seat", "sides": ["dark"]}]
    sign = {"colour": "green", "number": 27}
    bench.says_state(asks={"cell": "b2", "pressed": 1, "of": 4, "until": 50.0, "sign": sign})
    asking = bench.sees(visitor)["you"]["asking"]
    assert (asking["cells"], asking["pressed"], asking["seconds"], asking["sign"]) == (4, 1, 50.0, sign)
    assert bench.sees(other)["you"]["asking"] is None
    assert bench.asks(other, seat=["light"]) == []
    assert "Another phone is asking. Don't press the board" in bench.sees(other)["refused"]["message"]
    assert bench.asks(visitor, seat=["light"]) == []
    assert "refused" not in bench.sees(visitor)
    bench.says({"type": "permission", "for": "seat", "allowed": False})
    assert bench.sees(visitor)["you"]["seat"] is None
    bench.asks(visitor, seat=["dark"])
    bench.says({"type": "permission", "for": "seat", "allowed": True})
    assert bench.sees(visitor)["you"]["seat"] == {"number": 1, "sides": ["dark"]}
    assert bench.heard[-1] == {"command": "seats", "seats": [{"seat": 1, "sides": ["dark"]}]}
    assert bench.sees(other).get("you") is None


def test_who_has_left_meanwhile_gets_no_seat(bench):
    visitor = bench.comes()
    bench.asks(visitor, seat=["dark"])
    bench.goes()
    assert bench.heard[-1] == {"command": "withdraw"}
    bench.says({"type": "permission", "for": "seat", "allowed": True})
    assert list(bench.seat_book) == []


def test_to_cancel_takes_back_what_was_asked_and_leaves_the_seat(bench):
    visitor = bench.comes(LIGHT)
    bench.asks(visitor, command="resign")
    assert bench.asks(visitor, seat=None) == [{"command": "withdraw"}]
    assert bench.asks(visitor, seat=None) == []
    bench.says({"type": "permission", "for": "resign", "allowed": False})
    seen = bench.sees(visitor)
    assert seen["you"]["seat"]
    assert "refused" not in seen
    bench.asks(visitor, seat=None)
    assert bench.sees(visitor)["you"]["seat"] is None


def granted_seat(bench, visitor, *sides):
    """The secret with which the visitor's browser may fetch the cookie of their new seat."""
    bench.asks(visitor, seat=list(sides))
    bench.says({"type": "permission", "for": "seat", "allowed": True})
    return bench.sees(visitor)["granted"]["claim"]


def test_new_seat_has_a_fresh_token_that_only_its_page_fetches(bench):
    visitor, other = bench.comes(), bench.comes()
    other.token = brought = visitor.token
    claim = granted_seat(bench, visitor, "dark")
    token = bench.hub.fetch_token(claim, brought)
    assert token not in (None, brought, claim)
    assert (bench.seat_book.find_seat(token).sides, bench.seat_book.find_seat(brought)) == ((DARK,), None)
    assert bench.sees(other)["you"]["seat"] is None
    for wrong in ("", "x", token):
        assert bench.hub.fetch_token(wrong, None) is None
    assert bench.hub.fetch_token(claim, token) is None
    assert bench.hub.fetch_token(claim, None) is None, "once it is kept nobody else gets it"
    bench.goes(0)
    assert bench.seat_book.find_seat(token)


def test_browser_that_keeps_no_cookie_loses_its_seat(bench):
    visitor = bench.comes()
    visitor.token = None
    claim = granted_seat(bench, visitor, "dark")
    assert bench.hub.fetch_token(claim, None)
    assert bench.hub.fetch_token(claim, None) is None
    seen = bench.sees(visitor)
    assert seen["you"]["seat"] is None
    assert "cookies" in seen["refused"]["message"]


def test_seat_whose_cookie_was_never_fetched_ends_with_the_page(bench):
    granted_seat(bench, bench.comes(), "light")
    assert len(list(bench.seat_book)) == 1
    bench.goes()
    assert list(bench.seat_book) == []
    assert bench.heard[-1] == {"command": "seats", "seats": []}


def test_seat_for_other_sides_is_for_all_pages_of_the_browser(bench):
    visitor, other_page, stranger = bench.comes(LIGHT), bench.comes(), bench.comes()
    other_page.token = visitor.token
    bench.hub.fetch_token(granted_seat(bench, visitor, "dark"), visitor.token)
    assert [seat.sides for seat in bench.seat_book] == [(DARK,)]
    assert bench.sees(other_page)["you"]["seat"] == {"number": 1, "sides": ["dark"]}
    assert bench.sees(stranger)["you"]["seat"] is None


def refused_often(bench, visitor, count):
    for _ in range(count):
        assert bench.asks(visitor, seat=["light"])
        bench.says({"type": "permission", "for": "seat", "allowed": False})


def test_who_is_refused_again_and_again_has_to_wait(bench, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(hub_module, "monotonic", lambda: clock[0])
    visitor = bench.comes()
    refused_often(bench, visitor, MAX_REFUSALS_OF_PLACE)
    assert bench.asks(visitor, seat=["light"]) == []
    assert "asked too often" in bench.sees(visitor)["refused"]["message"]
    for number in range(MAX_REFUSALS // MAX_REFUSALS_OF_PLACE - 1):
        refused_often(bench, bench.comes(address=f"192.168.2.{number}"), MAX_REFUSALS_OF_PLACE)
    stranger = bench.comes(address="192.168.3.1")
    assert bench.asks(stranger, seat=["light"]) == []
    assert "send all phones away" in bench.sees(stranger)["refused"]["message"]
    clock[0] += 601
    assert bench.asks(visitor, seat=["light"])


def withdrawn_often(bench, visitor, count):
    for _ in range(count):
        assert bench.asks(visitor, seat=["light"])
        assert bench.asks(visitor, seat=None)
        bench.says({"type": "permission", "for": "seat", "allowed": False})


def test_requests_that_are_withdrawn_lock_nobody_else_out(bench):
    for number in range(4):
        withdrawn_often(bench, bench.comes(address=f"192.168.2.{number}"), 40)
    assert bench.asks(bench.comes(address="192.168.3.1"), seat=["light"])


def test_who_asks_and_withdraws_without_end_has_to_wait(bench):
    visitor = bench.comes()
    withdrawn_often(bench, visitor, 49)
    while bench.asks(visitor, seat=["light"]):
        assert bench.asks(visitor, seat=None)
        bench.says({"type": "permission", "for": "seat", "allowed": False})
    assert "asked too often" in bench.sees(visitor)["refused"]["message"]


def test_withdrawal_counts_by_how_long_the_board_has_asked(bench, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(hub_module, "monotonic", lambda: clock[0])
    visitor = bench.comes()
    for _ in range(6):
        assert bench.asks(visitor, seat=["light"])
        clock[0] += 55
        bench.asks(visitor, seat=None)
        bench.says({"type": "permission", "for": "seat", "allowed": False})
    assert bench.asks(visitor, seat=["light"]) == []


def test_hand_at_the_board_lets_phones_ask_again(bench):
    visitor = bench.comes()
    refused_often(bench, visitor, MAX_REFUSALS_OF_PLACE)
    assert bench.asks(visitor, seat=["light"]) == []
    bench.says({"type": "revoked", "seat": None})
    assert bench.asks(visitor, seat=["light"])


def test_short_forms_of_ipv6_addresses_are_one_machine(bench):
    for number in range(1, MAX_REFUSALS_OF_PLACE + 1):
        refused_often(bench, bench.comes(address=f"2001:db8::{number}"), 1)
    assert bench.asks(bench.comes(address="2001:db8:0:0:7::9"), seat=["light"]) == []


def test_own_last_turn_is_taken_back_at_once(bench):
    visitor = bench.comes(LIGHT)
    bench.plays("@b2")
    assert bench.asks(visitor, command="undo") == [{"command": "undo", "turn": 1}]
    bench.session = bench.session.after(UndoTurns(2.0))
    bench.says_state()
    assert bench.asks(visitor, command="redo") == [{"command": "redo", "turn": 1}]


def test_turn_of_the_other_side_is_taken_back_after_a_press(bench):
    visitor = bench.comes(LIGHT)
    bench.plays("@b2", "@b3")
    assert bench.asks(visitor, command="undo", turn=2) == [{"command": "undo", "turn": 2, "confirm": True}]
    assert bench.sees(visitor)["you"]["asking"]["for"] == "undo"
    bench.says({"type": "permission", "for": "undo", "allowed": True})
    bench.session = bench.session.after(UndoTurns(3.0))
    bench.says_state()
    assert bench.asks(visitor, command="redo") == [{"command": "redo", "turn": 2, "confirm": True}]


@each("side", [LIGHT, DARK])
def test_end_of_a_game_is_taken_back_after_a_press(bench, side):
    visitor = bench.comes(side)
    bench.plays("@b2")
    bench.session = bench.session.after(ResignGame(2.0, LIGHT))
    bench.says_state()
    assert bench.asks(visitor, command="undo") == [{"command": "undo", "turn": 2, "confirm": True}]
    bench.says({"type": "permission", "for": "undo", "allowed": False})
    bench.goes()


def test_seat_for_both_sides_asks_nobody(bench):
    visitor = bench.comes(LIGHT, DARK)
    bench.plays("@b2")
    bench.session = bench.session.after(ResignGame(2.0, LIGHT))
    bench.says_state()
    for asked in (
        {"command": "undo", "turn": 2},
        {"command": "help", "side": "dark", "level": "none"},
        {"command": "head_start", "side": "dark", "pieces": 2},
    ):
        assert bench.asks(visitor, **asked) == [asked]


def test_programs_are_not_asked_before_turns_are_taken_back(bench):
    visitor = bench.comes(LIGHT)
    players = {"players": {"light": None, "dark": "level-1"}}
    bench.says(protocol.hello_message(bench.session, 4, players))
    bench.plays("@b2", "@b3")
    assert bench.asks(visitor, command="undo") == [{"command": "undo", "turn": 2}]


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
def test_settings_of_the_other_side_need_a_press(bench, setting, needs_press):
    visitor = bench.comes(LIGHT)
    confirm = {"confirm": True} if needs_press else {}
    assert bench.asks(visitor, **setting) == [setting | confirm]
    if needs_press:
        assert bench.sees(visitor)["you"]["asking"]["for"] == "setting"
        bench.says({"type": "permission", "for": setting["command"], "allowed": False})
    bench.goes()


def test_hint_is_for_the_side_to_move(bench):
    light, dark = bench.comes(LIGHT), bench.comes(DARK)
    assert bench.asks(dark, command="hint") == []
    assert "It's Light's turn" in bench.sees(dark)["refused"]["message"]
    assert bench.asks(light, command="hint") == [{"command": "hint", "side": "light"}]


def test_seat_of_another_phone_is_taken_away_after_a_press(bench):
    visitor, other = bench.comes(LIGHT), bench.comes(DARK)
    assert bench.asks(visitor, revoke=7) == []
    assert bench.asks(visitor, revoke=2) == [{"command": "revoke", "seat": 2, "confirm": True}]
    bench.says({"type": "revoked", "seat": 2})
    bench.says({"type": "permission", "for": "revoke", "seat": 2, "allowed": True})
    assert bench.sees(other)["you"]["seat"] is None
    bench.asks(visitor, revoke=1)
    assert bench.sees(visitor)["you"]["seat"] is None


def test_a_board_that_goes_while_it_asks_has_not_allowed_it(bench):
    visitor = bench.comes()
    bench.asks(visitor, seat=["light"])
    bench.is_gone()
    seen = bench.sees(visitor)
    assert seen["you"]["asking"] is None
    assert "doesn't answer" in seen["refused"]["message"]


def test_an_error_of_the_board_goes_to_who_asked(bench):
    visitor, other = bench.comes(LIGHT), bench.comes(DARK)
    bench.sees(other)
    bench.asks(visitor, command="draw")
    said = [{"id": "remote.busy", "arguments": {}}]
    bench.says({"type": "error", "message": "…", "said": said})
    assert "Another phone is asking" in bench.sees(visitor)["refused"]["message"]
    assert "refused" not in bench.sees(other)


def test_kept_games_go_to_who_asked_for_them(bench):
    visitor, other = bench.comes(LIGHT), bench.comes(LIGHT)
    assert bench.asks(visitor, ask="games") == [{"ask": "games"}]
    assert bench.asks(other, ask="games") == []
    bench.says({"type": "games", "games": [{"number": 1}]})
    assert bench.sees(visitor)["games"]["games"] == [{"number": 1}]
    assert "games" not in bench.sees(other)
    bench.asks(visitor, ask="game", number=1)
    bench.says({"type": "game", "number": 1, "record": '[Variant "mini"]\n[Result "*"]\n\n1. @b2 @b3\n'})
    game = bench.sees(visitor)["game"]
    assert (game["variant"], [turn["action"] for turn in game["turns"]]) == ("mini", ["@b2", "@b3"])
    bench.asks(visitor, ask="game", number=2)
    bench.says({"type": "error", "message": "…", "said": [{"id": "remote.no_such_game", "arguments": {"number": 2}}]})
    assert bench.sees(visitor)["refused"]["message"] == "There is no game 2."


def test_who_takes_no_answers_misses_the_oldest(bench):
    visitor = bench.comes()
    for _ in range(3 * MAX_OUTBOX):
        bench.asks(visitor, command="undo")
    assert len(visitor.outbox) == MAX_OUTBOX


def test_page_names_the_turn_that_it_takes_back(bench):
    visitor = bench.comes(LIGHT)
    bench.plays("@b2")
    assert bench.sees(visitor)["state"]["turn"] == 1
    assert bench.asks(visitor, command="undo", turn=1) == [{"command": "undo", "turn": 1}]


def test_turn_before_the_last_needs_a_press(bench):
    """Its own last turn may be on its way back already: then this one is the last, and the other side's."""
    visitor = bench.comes(LIGHT)
    bench.plays("@b2", "@b3", "@a1")
    assert bench.asks(visitor, command="undo", turn=3) == [{"command": "undo", "turn": 3}]
    assert bench.asks(visitor, command="undo", turn=2) == [{"command": "undo", "turn": 2, "confirm": True}]


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
def test_what_the_page_would_never_say_is_no_request(text):
    with pytest.raises(ValueError, match=r"."):
        parse_page_request(text)


@pytest.mark.slow
def test_a_kept_game_is_judged_for_who_has_read_it(bench):
    """Turn by turn, in a process of its own; it ends when they leave."""

    async def judge():
        visitor = bench.comes(LIGHT)
        bench.asks(visitor, ask="analysis")
        assert bench.sees(visitor)["refused"]["message"] == "Choose a game first."
        bench.asks(visitor, ask="game", number=1)
        bench.says({"type": "game", "number": 1, "record": '[Variant "mini"]\n[Result "*"]\n\n1. @b2 @b3\n'})
        bench.asks(visitor, ask="analysis")
        judged, until = [], monotonic() + 60
        while len(judged) < 2:
            assert monotonic() < until
            await asyncio.sleep(0.1)
            judged = bench.sees(visitor).get("analysis", {"turns": judged})["turns"]
        assert [turn["action"] for turn in judged] == ["@b2", "@b3"]
        bench.asks(visitor, ask="analysis")
        bench.goes()
        await asyncio.sleep(0.1)

    asyncio.run(judge())


def test_what_the_doctor_finds_goes_to_who_asked_without_what_is_fine(bench):
    visitor, other = bench.comes(LIGHT), bench.comes(DARK)
    bench.asks(visitor, language="nl")
    assert bench.asks(visitor, ask="doctor") == [{"ask": "doctor"}]
    fine, pauses = Message("doctor.count.no_fault"), Message("doctor.lamps.may_pause")
    findings = [
        {"grade": grade, "subject": "lamps", "mend": mend, **text_fields("text", (message,), "en")}
        for grade, message, mend in (("good", fine, ""), ("warning", pauses, "pond setup"))
    ]
    bench.says({"type": "doctor", **text_fields("summary", (fine,), "en"), "findings": findings})
    dutch = get_catalogue("nl").text
    assert bench.sees(visitor)["doctor"] == {
        "type": "doctor",
        "summary": dutch(fine),
        "findings": [{"grade": "warning", "text": dutch(pauses), "mend": "pond setup"}],
    }
    assert "doctor" not in bench.sees(other)
    bench.asks(visitor, ask="doctor")
    bench.says(protocol.error_message(Message("remote.doctor_failed")))
    assert bench.sees(visitor)["refused"]["message"] == dutch(Message("remote.doctor_failed"))
    assert bench.asks(other, ask="doctor")


def test_whoever_plays_without_help_is_not_told_what_an_action_would_do(bench):
    visitor = bench.comes(LIGHT)
    bench.asks(visitor, ask="what_if", action="@b2")
    assert bench.sees(visitor)["what_if"]["action"] == "@b2"
    bench.session = bench.session.after(ChangeSetting(HELP, LIGHT, HelpLevel.TARGETS, 1.0))
    bench.says_state()
    bench.asks(visitor, ask="what_if", action="@b2")
    assert bench.sees(visitor)["refused"]["message"] == "Light plays without hints and previews."


def test_exercises_are_listed_in_the_language_of_whoever_asks(bench):
    visitor, other = bench.comes(LIGHT), bench.comes(LIGHT)
    bench.asks(visitor, language="de")
    assert bench.asks(visitor, ask="exercises") == [{"ask": "exercises", "language": "de"}]
    courses = make_course(4, SIMULATED_DAY), load_lessons(None).course
    bench.says(exercises_message(courses, "de"))
    seen = bench.sees(visitor)["exercises"]["courses"]
    assert seen["lessons"][0] == {"name": "place", "title": "Ein Ei setzen"}
    assert (len(seen["lessons"]), len(seen["puzzles"])) == (10, MAX_LISTED)
    assert "exercises" not in bench.sees(other)


def test_phone_and_other_clients_each_get_their_own_task(bench):
    visitor = bench.comes(LIGHT)
    bench.asks(visitor, language="nl")
    bench.session = bench.session.after(TakeAction(Action.from_notation("@b2"), 1.0))
    bench.session = replace(bench.session, courses=(load_lessons(None).course,))
    bench.session = bench.session.after(StartExercise("lessons", 1.0, "hint"))
    bench.says_state()
    assert bench.sees(visitor)["state"]["message"].endswith("tik op ‘Tip’.")
    state = protocol.state_message(bench.session.view, 1.0, "en")
    assert "keep your finger for 2 s" in state["message"]
    messages = parse_messages(json.loads(json.dumps(state["said"])), state["message"])
    assert get_catalogue("fr", "terminal").text(messages).endswith("appuyez sur h.")
    bench.session = bench.session.after(PauseExercise(2.0))
    bench.says_state()
    assert "a1" not in bench.sees(visitor)["state"]["message"]


def test_game_after_the_last_lesson_is_of_the_usual_variant(bench):
    players, names = {"light": None, "dark": "level-1"}, {"light": "Ada", "dark": None}
    asked = bench.asks(bench.comes(LIGHT), command="new", players=players, names=names)
    assert asked == [{"command": "new", "confirm": True, "players": players, "names": names}]


def test_an_exercise_is_begun_seen_and_left(bench):
    visitor, watcher = bench.comes(DARK), bench.comes()
    begin = {"command": "exercise", "course": "lessons", "name": "place"}
    assert bench.asks(visitor, **begin) == [begin]
    assert "exercise" not in bench.sees(visitor)["state"]
    bench.session = replace(bench.session, courses=(load_lessons(None).course,))
    bench.session = bench.session.after(StartExercise("lessons", 1.0, "place"))
    bench.says_state()
    bench.asks(visitor, language="nl")
    shown = bench.sees(visitor)["state"]
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
    assert bench.sees(watcher)["state"]["exercise"]["title"] == "Place an egg"
    action = {"command": "action", "action": "@b2", "side": "light", "exercise": True}
    assert bench.asks(visitor, command="action", action="@b2") == [action], "it is for whoever does it"
    assert bench.asks(visitor, command="undo") == [{"command": "undo", "exercise": True}]
    assert bench.asks(visitor, command="hint") == [{"command": "hint", "side": "light", "exercise": True}]
    leave = {"command": "exercise", "choice": "leave"}
    assert bench.asks(visitor, **leave) == [leave]
    bench.session = bench.session.after(ChooseExercise(ExerciseChoice.LEAVE, 2.0))
    bench.says_state()
    assert "exercise" not in bench.sees(visitor)["state"]
    assert bench.asks(visitor, command="action", action="@b2") == [], "it is light's turn"


def test_two_questions_about_kept_games_at_once_lock_nothing_up(bench):
    visitor = bench.comes(LIGHT)
    bench.asks(visitor, ask="games")
    assert bench.asks(visitor, ask="game", number=1) == []
    bench.says({"type": "games", "games": []})
    assert bench.asks(visitor, ask="game", number=1) == [{"ask": "game", "number": 1}]


def test_a_question_that_is_never_answered_is_forgotten(bench, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(hub_module, "monotonic", lambda: clock[0])
    visitor = bench.comes(LIGHT)
    bench.asks(visitor, ask="games")
    clock[0] += 61
    assert bench.asks(visitor, ask="games")


def test_strangers_do_not_keep_those_with_a_seat_from_asking(bench):
    for number in range(MAX_REFUSALS // MAX_REFUSALS_OF_PLACE):
        refused_often(bench, bench.comes(address=f"192.168.2.{number}"), MAX_REFUSALS_OF_PLACE)
    assert bench.asks(bench.comes(address="192.168.3.1"), seat=["light"]) == []
    assert bench.asks(bench.comes(LIGHT, address="192.168.2.1"), command="resign")


def test_one_machine_with_many_addresses_is_one_machine(bench):
    for number in range(MAX_REFUSALS_OF_PLACE):
        refused_often(bench, bench.comes(address=f"fe80:1:2:3::{number}"), 1)
    assert bench.asks(bench.comes(address="fe80:1:2:3:7::9"), seat=["light"]) == []
    assert bench.asks(bench.comes(address="fe80:1:2:4::9"), seat=["light"])
