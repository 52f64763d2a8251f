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
from pond_hw.puzzles.exercises import make_course
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
from pond_hw.web.page_messages import MAX_LISTED
from pond_hw.web.page_requests import MAX_MESSAGE_BYTES, parse_page_request
from pond_hw.web.seat_book import SeatBook, make_token
from tests.conftest import each


class Evening:
    """A board that says what it is told to say, and remembers what it hears."""

    def __init__(self, folder, *, spectators=True):
        self.board, self.heard, self.now = BoardLink([]), [], 0.0
        self.board.send = self.hear
        self.seat_book = SeatBook(folder / "seats.json")
        self.hub = PageHub(self.board, self.seat_book, spectators=spectators)
        self.session = Session.start_game(STANDARD)
        self.contexts = []
        self.says(protocol.hello_message(self.session.view, 4, {"names": {"light": "Ada", "dark": "Ben"}}))
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
def evening(tmp_path):
    return Evening(tmp_path)


@pytest.fixture
def closed_evening(tmp_path):
    return Evening(tmp_path, spectators=False)


def test_a_spectator_sees_the_game_and_no_help(evening):
    visitor = evening.comes()
    seen = evening.sees(visitor)
    assert list(seen) == ["you", "hello", "state", "turns"]
    assert seen["hello"]["names"] == {"light": "Ada", "dark": "Ben"}
    assert not {"legal", "hint", "board_asks", "asks", "seats"} & seen["state"].keys()
    assert evening.sees(visitor) == {}
    evening.plays("@b2")
    assert list(evening.sees(visitor)) == ["state", "turns"]


def test_where_nobody_may_watch_only_a_seat_shows_the_game(closed_evening):
    evening = closed_evening
    visitor = evening.comes()
    seen = evening.sees(visitor)
    assert list(seen) == ["you", "hello"]
    assert not {"names", "players"} & seen["hello"].keys()
    evening.seat_book.give_seat(visitor.token, (LIGHT,))
    assert list(evening.sees(visitor)) == ["you", "hello", "state", "seats", "turns"]
    evening.plays("@b2")
    evening.says({"type": "revoked", "seat": 1})
    evening.plays("@b3")
    assert list(evening.sees(visitor)) == ["you", "hello"]


def test_turns_come_once_each_and_go_when_they_are_taken_back(evening):
    visitor = evening.comes()
    evening.sees(visitor)
    evening.plays("@b2", "@b3")
    turns = evening.sees(visitor)["turns"]
    assert (turns["from"], [turn["action"] for turn in turns["turns"]]) == (0, ["@b2", "@b3"])
    evening.plays("@a1")
    turns = evening.sees(visitor)["turns"]
    assert (turns["from"], [turn["action"] for turn in turns["turns"]]) == (2, ["@a1"])
    evening.session = evening.session.after(UndoTurns(9.0, 2))
    evening.plays("@d4")
    turns = evening.sees(visitor)["turns"]
    assert (turns["from"], [turn["action"] for turn in turns["turns"]]) == (1, ["@d4"])
    evening.session = evening.session.after(NewGame(parse_variant("mini"), 10.0))
    evening.says_state()
    turns = evening.sees(visitor)["turns"]
    assert (turns["from"], turns["turns"], turns["start"]) == (0, [], "..../..../..../.... l 10 10 0 0")


def test_a_board_that_goes_and_comes_is_shown_again_whole(evening):
    visitor = evening.comes(LIGHT)
    evening.plays("@b2")
    evening.sees(visitor)
    evening.is_gone()
    assert list(evening.sees(visitor)) == ["gone"]
    evening.asks(visitor, command="undo")
    assert "doesn't answer" in evening.sees(visitor)["refused"]["message"]
    evening.says(protocol.hello_message(evening.session.view, 4, {}))
    evening.says_state()
    assert {"hello", "state", "turns"} <= evening.sees(visitor).keys()


def test_everybody_reads_their_own_language(evening):
    ada, ben = evening.comes(), evening.comes()
    evening.asks(ada, language="de")
    evening.plays("@b2")
    assert evening.sees(ada)["state"]["message"].startswith("Hell")
    assert evening.sees(ben)["state"]["message"].startswith("Light")


def test_much_may_happen_while_news_is_being_sent(evening):
    """A slow phone is sent one thing after the other; meanwhile it chooses a language, and turns are taken."""
    visitor, seen = evening.comes(), []
    for number, text in enumerate(evening.hub.list_changes(visitor)):
        seen.append(json.loads(text)["type"])
        evening.asks(visitor, language="nl")
        evening.plays(("@b2", "@b3", "@c2", "@d4")[number])
    assert seen == ["you", "hello", "state", "turns"]
    later = evening.sees(visitor)
    assert later["state"]["message"].startswith("Donker")
    assert len(later["turns"]["turns"]) == 4
    assert evening.sees(visitor) == {}


def test_a_seat_acts_for_its_sides_alone_and_says_for_whom(evening):
    dark = evening.comes(DARK)
    assert evening.asks(dark, command="action", action="@b2") == []
    assert evening.sees(dark)["refused"]["message"] == "It's Light's turn, and your seat isn't for that side."
    evening.plays("@b2")
    assert evening.asks(dark, command="action", action="@b3") == [
        {"command": "action", "action": "@b3", "side": "dark"}
    ]


@each(
    "request_fields",
    [
        {"command": "action", "action": "@b2"},
        {"command": "undo"},
        {"command": "hint"},
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
def test_without_a_seat_nothing_is_done_and_nothing_is_told(evening, request_fields):
    visitor = evening.comes()
    assert evening.asks(visitor, **request_fields) == []
    assert evening.sees(visitor)["refused"]["message"] == "You have no seat yet. Ask for one first."


@each(
    "name, fields",
    [
        ("resign", {"side": "light"}),
        ("draw", {}),
        ("discard", {}),
    ],
)
def test_what_loses_something_is_confirmed_at_the_board(evening, name, fields):
    visitor = evening.comes(LIGHT)
    assert evening.asks(visitor, command=name) == [{"command": name, "confirm": True, **fields}]
    evening.says({"type": "permission", "for": name, "allowed": True})
    assert evening.sees(visitor)["granted"] == {"type": "granted", "for": name}
    evening.goes()


def test_a_new_game_has_its_players(evening):
    visitor = evening.comes(LIGHT, DARK)
    players, names = {"light": None, "dark": "level-3"}, {"light": "Ada", "dark": None}
    assert evening.asks(visitor, command="new", variant="mini", players=players, names=names) == [
        {"command": "new", "confirm": True, "variant": "mini", "players": players, "names": names}
    ]
    evening.says({"type": "permission", "for": "new", "allowed": True})
    assert evening.heard[-1] == {"ask": "record"}
    evening.says(protocol.record_message(evening.session.view, 1.0) | {"players": players, "names": names})
    assert evening.sees(visitor)["hello"]["players"] == players


def test_only_a_hand_at_the_board_gives_a_seat(evening):
    visitor, other = evening.comes(), evening.comes()
    assert evening.asks(visitor, seat=["dark"]) == [{"command": "seat", "sides": ["dark"]}]
    sign = {"colour": "green", "number": 27}
    evening.says_state(asks={"cell": "b2", "pressed": 1, "of": 4, "until": 50.0, "sign": sign})
    asking = evening.sees(visitor)["you"]["asking"]
    assert (asking["cells"], asking["pressed"], asking["seconds"], asking["sign"]) == (4, 1, 50.0, sign)
    assert evening.sees(other)["you"]["asking"] is None
    assert evening.asks(other, seat=["light"]) == []
    assert "Another phone is asking. Don't press the board" in evening.sees(other)["refused"]["message"]
    assert evening.asks(visitor, seat=["light"]) == []
    assert "refused" not in evening.sees(visitor)
    evening.says({"type": "permission", "for": "seat", "allowed": False})
    assert evening.sees(visitor)["you"]["seat"] is None
    evening.asks(visitor, seat=["dark"])
    evening.says({"type": "permission", "for": "seat", "allowed": True})
    assert evening.sees(visitor)["you"]["seat"] == {"number": 1, "sides": ["dark"]}
    assert evening.heard[-1] == {"command": "seats", "seats": [{"seat": 1, "sides": ["dark"]}]}
    assert evening.sees(other).get("you") is None


def test_who_has_left_meanwhile_gets_no_seat(evening):
    visitor = evening.comes()
    evening.asks(visitor, seat=["dark"])
    evening.goes()
    assert evening.heard[-1] == {"command": "withdraw"}
    evening.says({"type": "permission", "for": "seat", "allowed": True})
    assert list(evening.seat_book) == []


def test_to_cancel_takes_back_what_was_asked_and_leaves_the_seat(evening):
    visitor = evening.comes(LIGHT)
    evening.asks(visitor, command="resign")
    assert evening.asks(visitor, seat=None) == [{"command": "withdraw"}]
    assert evening.asks(visitor, seat=None) == []
    evening.says({"type": "permission", "for": "resign", "allowed": False})
    seen = evening.sees(visitor)
    assert seen["you"]["seat"]
    assert "refused" not in seen
    evening.asks(visitor, seat=None)
    assert evening.sees(visitor)["you"]["seat"] is None


def granted_seat(evening, visitor, *sides):
    """The secret with which the visitor's browser may fetch the cookie of their new seat."""
    evening.asks(visitor, seat=list(sides))
    evening.says({"type": "permission", "for": "seat", "allowed": True})
    return evening.sees(visitor)["granted"]["claim"]


def test_new_seat_has_a_fresh_token_that_only_its_page_fetches(evening):
    visitor, other = evening.comes(), evening.comes()
    other.token = brought = visitor.token
    claim = granted_seat(evening, visitor, "dark")
    token = evening.hub.fetch_token(claim, brought)
    assert token not in (None, brought, claim)
    assert (evening.seat_book.find_seat(token).sides, evening.seat_book.find_seat(brought)) == ((DARK,), None)
    assert evening.sees(other)["you"]["seat"] is None
    for wrong in ("", "x", token):
        assert evening.hub.fetch_token(wrong, None) is None
    assert evening.hub.fetch_token(claim, token) is None
    assert evening.hub.fetch_token(claim, None) is None, "once it is kept nobody else gets it"
    evening.goes(0)
    assert evening.seat_book.find_seat(token)


def test_browser_that_keeps_no_cookie_loses_its_seat(evening):
    visitor = evening.comes()
    visitor.token = None
    claim = granted_seat(evening, visitor, "dark")
    assert evening.hub.fetch_token(claim, None)
    assert evening.hub.fetch_token(claim, None) is None
    seen = evening.sees(visitor)
    assert seen["you"]["seat"] is None
    assert "cookies" in seen["refused"]["message"]


def test_seat_whose_cookie_was_never_fetched_ends_with_the_page(evening):
    granted_seat(evening, evening.comes(), "light")
    assert len(list(evening.seat_book)) == 1
    evening.goes()
    assert list(evening.seat_book) == []
    assert evening.heard[-1] == {"command": "seats", "seats": []}


def test_seat_for_other_sides_is_for_all_pages_of_the_browser(evening):
    visitor, other_page, stranger = evening.comes(LIGHT), evening.comes(), evening.comes()
    other_page.token = visitor.token
    evening.hub.fetch_token(granted_seat(evening, visitor, "dark"), visitor.token)
    assert [seat.sides for seat in evening.seat_book] == [(DARK,)]
    assert evening.sees(other_page)["you"]["seat"] == {"number": 1, "sides": ["dark"]}
    assert evening.sees(stranger)["you"]["seat"] is None


def refused_often(evening, visitor, count):
    for _ in range(count):
        assert evening.asks(visitor, seat=["light"])
        evening.says({"type": "permission", "for": "seat", "allowed": False})


def test_who_is_refused_again_and_again_has_to_wait(evening, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(hub_module, "monotonic", lambda: clock[0])
    visitor = evening.comes()
    refused_often(evening, visitor, MAX_REFUSALS_OF_PLACE)
    assert evening.asks(visitor, seat=["light"]) == []
    assert "asked too often" in evening.sees(visitor)["refused"]["message"]
    for number in range(MAX_REFUSALS // MAX_REFUSALS_OF_PLACE - 1):
        refused_often(evening, evening.comes(address=f"192.168.2.{number}"), MAX_REFUSALS_OF_PLACE)
    stranger = evening.comes(address="192.168.3.1")
    assert evening.asks(stranger, seat=["light"]) == []
    assert "send all phones away" in evening.sees(stranger)["refused"]["message"]
    clock[0] += 601
    assert evening.asks(visitor, seat=["light"])


def withdrawn_often(evening, visitor, count):
    for _ in range(count):
        assert evening.asks(visitor, seat=["light"])
        assert evening.asks(visitor, seat=None)
        evening.says({"type": "permission", "for": "seat", "allowed": False})


def test_requests_that_are_withdrawn_lock_nobody_else_out(evening):
    for number in range(4):
        withdrawn_often(evening, evening.comes(address=f"192.168.2.{number}"), 40)
    assert evening.asks(evening.comes(address="192.168.3.1"), seat=["light"])


def test_who_asks_and_withdraws_without_end_has_to_wait(evening):
    visitor = evening.comes()
    withdrawn_often(evening, visitor, 49)
    while evening.asks(visitor, seat=["light"]):
        assert evening.asks(visitor, seat=None)
        evening.says({"type": "permission", "for": "seat", "allowed": False})
    assert "asked too often" in evening.sees(visitor)["refused"]["message"]


def test_withdrawal_counts_by_how_long_the_board_has_asked(evening, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(hub_module, "monotonic", lambda: clock[0])
    visitor = evening.comes()
    for _ in range(6):
        assert evening.asks(visitor, seat=["light"])
        clock[0] += 55
        evening.asks(visitor, seat=None)
        evening.says({"type": "permission", "for": "seat", "allowed": False})
    assert evening.asks(visitor, seat=["light"]) == []


def test_hand_at_the_board_lets_phones_ask_again(evening):
    visitor = evening.comes()
    refused_often(evening, visitor, MAX_REFUSALS_OF_PLACE)
    assert evening.asks(visitor, seat=["light"]) == []
    evening.says({"type": "revoked", "seat": None})
    assert evening.asks(visitor, seat=["light"])


def test_short_forms_of_ipv6_addresses_are_one_machine(evening):
    for number in range(1, MAX_REFUSALS_OF_PLACE + 1):
        refused_often(evening, evening.comes(address=f"2001:db8::{number}"), 1)
    assert evening.asks(evening.comes(address="2001:db8:0:0:7::9"), seat=["light"]) == []


def test_own_last_turn_is_taken_back_at_once(evening):
    visitor = evening.comes(LIGHT)
    evening.plays("@b2")
    assert evening.asks(visitor, command="undo") == [{"command": "undo", "turn": 1}]
    evening.session = evening.session.after(UndoTurns(2.0))
    evening.says_state()
    assert evening.asks(visitor, command="redo") == [{"command": "redo", "turn": 1}]


def test_turn_of_the_other_side_is_taken_back_after_a_press(evening):
    visitor = evening.comes(LIGHT)
    evening.plays("@b2", "@b3")
    assert evening.asks(visitor, command="undo", turn=2) == [{"command": "undo", "turn": 2, "confirm": True}]
    assert evening.sees(visitor)["you"]["asking"]["for"] == "undo"
    evening.says({"type": "permission", "for": "undo", "allowed": True})
    evening.session = evening.session.after(UndoTurns(3.0))
    evening.says_state()
    assert evening.asks(visitor, command="redo") == [{"command": "redo", "turn": 2, "confirm": True}]


@each("side", [LIGHT, DARK])
def test_end_of_a_game_is_taken_back_after_a_press(evening, side):
    visitor = evening.comes(side)
    evening.plays("@b2")
    evening.session = evening.session.after(ResignGame(2.0, LIGHT))
    evening.says_state()
    assert evening.asks(visitor, command="undo") == [{"command": "undo", "turn": 2, "confirm": True}]
    evening.says({"type": "permission", "for": "undo", "allowed": False})
    evening.goes()


def test_seat_for_both_sides_asks_nobody(evening):
    visitor = evening.comes(LIGHT, DARK)
    evening.plays("@b2")
    evening.session = evening.session.after(ResignGame(2.0, LIGHT))
    evening.says_state()
    for asked in (
        {"command": "undo", "turn": 2},
        {"command": "help", "side": "dark", "level": "none"},
        {"command": "head_start", "side": "dark", "pieces": 2},
    ):
        assert evening.asks(visitor, **asked) == [asked]


def test_programs_are_not_asked_before_turns_are_taken_back(evening):
    visitor = evening.comes(LIGHT)
    players = {"players": {"light": None, "dark": "level-1"}}
    evening.says(protocol.hello_message(evening.session.view, 4, players))
    evening.plays("@b2", "@b3")
    assert evening.asks(visitor, command="undo") == [{"command": "undo", "turn": 2}]


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
def test_settings_of_the_other_side_need_a_press(evening, setting, needs_press):
    visitor = evening.comes(LIGHT)
    confirm = {"confirm": True} if needs_press else {}
    assert evening.asks(visitor, **setting) == [setting | confirm]
    if needs_press:
        assert evening.sees(visitor)["you"]["asking"]["for"] == "setting"
        evening.says({"type": "permission", "for": setting["command"], "allowed": False})
    evening.goes()


def test_hint_is_for_the_side_to_move(evening):
    light, dark = evening.comes(LIGHT), evening.comes(DARK)
    assert evening.asks(dark, command="hint") == []
    assert "It's Light's turn" in evening.sees(dark)["refused"]["message"]
    assert evening.asks(light, command="hint") == [{"command": "hint", "side": "light"}]


def test_seat_of_another_phone_is_taken_away_after_a_press(evening):
    visitor, other = evening.comes(LIGHT), evening.comes(DARK)
    assert evening.asks(visitor, revoke=7) == []
    assert evening.asks(visitor, revoke=2) == [{"command": "revoke", "seat": 2, "confirm": True}]
    evening.says({"type": "revoked", "seat": 2})
    evening.says({"type": "permission", "for": "revoke", "seat": 2, "allowed": True})
    assert evening.sees(other)["you"]["seat"] is None
    evening.asks(visitor, revoke=1)
    assert evening.sees(visitor)["you"]["seat"] is None


def test_a_board_that_goes_while_it_asks_has_not_allowed_it(evening):
    visitor = evening.comes()
    evening.asks(visitor, seat=["light"])
    evening.is_gone()
    seen = evening.sees(visitor)
    assert seen["you"]["asking"] is None
    assert "doesn't answer" in seen["refused"]["message"]


def test_an_error_of_the_board_goes_to_who_asked(evening):
    visitor, other = evening.comes(LIGHT), evening.comes(DARK)
    evening.sees(other)
    evening.asks(visitor, command="draw")
    said = [{"id": "remote.busy", "arguments": {}}]
    evening.says({"type": "error", "message": "…", "said": said})
    assert "Another phone is asking" in evening.sees(visitor)["refused"]["message"]
    assert "refused" not in evening.sees(other)


def test_kept_games_go_to_who_asked_for_them(evening):
    visitor, other = evening.comes(LIGHT), evening.comes(LIGHT)
    assert evening.asks(visitor, ask="games") == [{"ask": "games"}]
    assert evening.asks(other, ask="games") == []
    evening.says({"type": "games", "games": [{"number": 1}]})
    assert evening.sees(visitor)["games"]["games"] == [{"number": 1}]
    assert "games" not in evening.sees(other)
    evening.asks(visitor, ask="game", number=1)
    evening.says({"type": "game", "number": 1, "record": '[Variant "mini"]\n[Result "*"]\n\n1. @b2 @b3\n'})
    game = evening.sees(visitor)["game"]
    assert (game["variant"], [turn["action"] for turn in game["turns"]]) == ("mini", ["@b2", "@b3"])
    evening.asks(visitor, ask="game", number=2)
    evening.says({"type": "error", "message": "…", "said": [{"id": "remote.no_such_game", "arguments": {"number": 2}}]})
    assert evening.sees(visitor)["refused"]["message"] == "There is no game 2."


def test_who_takes_no_answers_misses_the_oldest(evening):
    visitor = evening.comes()
    for _ in range(3 * MAX_OUTBOX):
        evening.asks(visitor, command="undo")
    assert len(visitor.outbox) == MAX_OUTBOX


def test_page_names_the_turn_that_it_takes_back(evening):
    visitor = evening.comes(LIGHT)
    evening.plays("@b2")
    assert evening.sees(visitor)["state"]["turn"] == 1
    assert evening.asks(visitor, command="undo", turn=1) == [{"command": "undo", "turn": 1}]


def test_turn_before_the_last_needs_a_press(evening):
    """Its own last turn may be on its way back already: then this one is the last, and the other side's."""
    visitor = evening.comes(LIGHT)
    evening.plays("@b2", "@b3", "@a1")
    assert evening.asks(visitor, command="undo", turn=3) == [{"command": "undo", "turn": 3}]
    assert evening.asks(visitor, command="undo", turn=2) == [{"command": "undo", "turn": 2, "confirm": True}]


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
def test_a_kept_game_is_judged_for_who_has_read_it(evening):
    """Turn by turn, in a process of its own; it ends when they leave."""

    async def judge():
        visitor = evening.comes(LIGHT)
        evening.asks(visitor, ask="analysis")
        assert evening.sees(visitor)["refused"]["message"] == "Choose a game first."
        evening.asks(visitor, ask="game", number=1)
        evening.says({"type": "game", "number": 1, "record": '[Variant "mini"]\n[Result "*"]\n\n1. @b2 @b3\n'})
        evening.asks(visitor, ask="analysis")
        judged, until = [], monotonic() + 60
        while len(judged) < 2:
            assert monotonic() < until
            await asyncio.sleep(0.1)
            judged = evening.sees(visitor).get("analysis", {"turns": judged})["turns"]
        assert [turn["action"] for turn in judged] == ["@b2", "@b3"]
        evening.asks(visitor, ask="analysis")
        evening.goes()
        await asyncio.sleep(0.1)

    asyncio.run(judge())


def test_what_the_doctor_finds_goes_to_who_asked_without_what_is_fine(evening):
    visitor, other = evening.comes(LIGHT), evening.comes(DARK)
    evening.asks(visitor, language="nl")
    assert evening.asks(visitor, ask="doctor") == [{"ask": "doctor"}]
    fine, pauses = Message("doctor.count.no_fault"), Message("doctor.lamps.may_pause")
    findings = [
        {"grade": grade, "subject": "lamps", "mend": mend, **text_fields("text", (message,), "en")}
        for grade, message, mend in (("good", fine, ""), ("warning", pauses, "pond setup"))
    ]
    evening.says({"type": "doctor", **text_fields("summary", (fine,), "en"), "findings": findings})
    dutch = get_catalogue("nl").text
    assert evening.sees(visitor)["doctor"] == {
        "type": "doctor",
        "summary": dutch(fine),
        "findings": [{"grade": "warning", "text": dutch(pauses), "mend": "pond setup"}],
    }
    assert "doctor" not in evening.sees(other)
    evening.asks(visitor, ask="doctor")
    evening.says(protocol.error_message(Message("remote.doctor_failed")))
    assert evening.sees(visitor)["refused"]["message"] == dutch(Message("remote.doctor_failed"))
    assert evening.asks(other, ask="doctor")


def test_whoever_plays_without_help_is_not_told_what_an_action_would_do(evening):
    visitor = evening.comes(LIGHT)
    evening.asks(visitor, ask="what_if", action="@b2")
    assert evening.sees(visitor)["what_if"]["action"] == "@b2"
    evening.session = evening.session.after(ChangeSetting(HELP, LIGHT, HelpLevel.TARGETS, 1.0))
    evening.says_state()
    evening.asks(visitor, ask="what_if", action="@b2")
    assert evening.sees(visitor)["refused"]["message"] == "Light plays without hints and previews."


def test_exercises_are_listed_in_the_language_of_whoever_asks(evening):
    visitor, other = evening.comes(LIGHT), evening.comes(LIGHT)
    evening.asks(visitor, language="de")
    assert evening.asks(visitor, ask="exercises") == [{"ask": "exercises", "language": "de"}]
    courses = make_course(4, SIMULATED_DAY), load_lessons(None).course
    evening.says(exercises_message(courses, "de"))
    seen = evening.sees(visitor)["exercises"]["courses"]
    assert seen["lessons"][0] == {"name": "place", "title": "Ein Ei setzen"}
    assert (len(seen["lessons"]), len(seen["puzzles"])) == (10, MAX_LISTED)
    assert "exercises" not in evening.sees(other)


def test_phone_and_other_clients_each_get_their_own_task(evening):
    visitor = evening.comes(LIGHT)
    evening.asks(visitor, language="nl")
    evening.session = evening.session.after(TakeAction(Action.from_notation("@b2"), 1.0))
    evening.session = replace(evening.session, courses=(load_lessons(None).course,))
    evening.session = evening.session.after(StartExercise("lessons", 1.0, "hint"))
    evening.says_state()
    assert evening.sees(visitor)["state"]["message"].endswith("tik op ‘Tip’.")
    state = protocol.state_message(evening.session.view, 1.0, "en")
    assert "keep your finger for 2 s" in state["message"]
    messages = parse_messages(json.loads(json.dumps(state["said"])), state["message"])
    assert get_catalogue("fr", "terminal").text(messages).endswith("appuyez sur h.")
    evening.session = evening.session.after(PauseExercise(2.0))
    evening.says_state()
    assert "a1" not in evening.sees(visitor)["state"]["message"]


def test_game_after_the_last_lesson_is_of_the_usual_variant(evening):
    players, names = {"light": None, "dark": "level-1"}, {"light": "Ada", "dark": None}
    asked = evening.asks(evening.comes(LIGHT), command="new", players=players, names=names)
    assert asked == [{"command": "new", "confirm": True, "players": players, "names": names}]


def test_an_exercise_is_begun_seen_and_left(evening):
    visitor, watcher = evening.comes(DARK), evening.comes()
    begin = {"command": "exercise", "course": "lessons", "name": "place"}
    assert evening.asks(visitor, **begin) == [begin]
    assert "exercise" not in evening.sees(visitor)["state"]
    evening.session = replace(evening.session, courses=(load_lessons(None).course,))
    evening.session = evening.session.after(StartExercise("lessons", 1.0, "place"))
    evening.says_state()
    evening.asks(visitor, language="nl")
    shown = evening.sees(visitor)["state"]
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
    assert evening.sees(watcher)["state"]["exercise"]["title"] == "Place an egg"
    action = {"command": "action", "action": "@b2", "side": "light", "exercise": True}
    assert evening.asks(visitor, command="action", action="@b2") == [action], "it is for whoever does it"
    assert evening.asks(visitor, command="undo") == [{"command": "undo", "exercise": True}]
    assert evening.asks(visitor, command="hint") == [{"command": "hint", "side": "light", "exercise": True}]
    leave = {"command": "exercise", "choice": "leave"}
    assert evening.asks(visitor, **leave) == [leave]
    evening.session = evening.session.after(ChooseExercise(ExerciseChoice.LEAVE, 2.0))
    evening.says_state()
    assert "exercise" not in evening.sees(visitor)["state"]
    assert evening.asks(visitor, command="action", action="@b2") == [], "it is light's turn"


def test_two_questions_about_kept_games_at_once_lock_nothing_up(evening):
    visitor = evening.comes(LIGHT)
    evening.asks(visitor, ask="games")
    assert evening.asks(visitor, ask="game", number=1) == []
    evening.says({"type": "games", "games": []})
    assert evening.asks(visitor, ask="game", number=1) == [{"ask": "game", "number": 1}]


def test_a_question_that_is_never_answered_is_forgotten(evening, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(hub_module, "monotonic", lambda: clock[0])
    visitor = evening.comes(LIGHT)
    evening.asks(visitor, ask="games")
    clock[0] += 61
    assert evening.asks(visitor, ask="games")


def test_strangers_do_not_keep_those_with_a_seat_from_asking(evening):
    for number in range(MAX_REFUSALS // MAX_REFUSALS_OF_PLACE):
        refused_often(evening, evening.comes(address=f"192.168.2.{number}"), MAX_REFUSALS_OF_PLACE)
    assert evening.asks(evening.comes(address="192.168.3.1"), seat=["light"]) == []
    assert evening.asks(evening.comes(LIGHT, address="192.168.2.1"), command="resign")


def test_one_machine_with_many_addresses_is_one_machine(evening):
    for number in range(MAX_REFUSALS_OF_PLACE):
        refused_often(evening, evening.comes(address=f"fe80:1:2:3::{number}"), 1)
    assert evening.asks(evening.comes(address="fe80:1:2:3:7::9"), seat=["light"]) == []
    assert evening.asks(evening.comes(address="fe80:1:2:4::9"), seat=["light"])
