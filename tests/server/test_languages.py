"""The language of each client."""

import json

import pytest

from pond_hw.board import HealthEvent
from pond_hw.messages.catalogue import LANGUAGES, Catalogue, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.message_json import parse_message
from pond_hw.rules import parse_variant
from pond_hw.server import protocol, setup_lines
from pond_hw.server.headless import HeadlessGame
from pond_hw.server.protocol import said_field
from pond_hw.server.setup_lines import SetupLines
from pond_hw.server.socket_server import MAX_CLIENTS
from pond_hw.session import SavingChanged
from pond_hw.session.game import touches
from pond_hw.setup.controller import SetupController
from tests.companion.test_planted_errors import plant_errors
from tests.messages.says import text
from tests.server.served import Served
from tests.setup.setup_session import open_session

DUTCH = {"command": "language", "language": "nl"}


class LoudCatalogue(Catalogue):
    """English in capitals, used in place of another language."""

    def text(self, messages):
        return super().text(messages).upper()


@pytest.fixture(autouse=True)
def use_loud_dutch(monkeypatch):
    loud = LoudCatalogue("en")
    loud.language = "nl"
    for module in (protocol, setup_lines):
        monkeypatch.setattr(
            module, "get_catalogue", lambda language: loud if language == "nl" else get_catalogue(language)
        )


@pytest.fixture
def served(tmp_path):
    board = Served(tmp_path)
    yield board
    board.close()


def send_lines(game, *lines):
    return [json.loads(answer) for line in lines for answer in game.answer_line(json.dumps(line).encode())]


def is_dutch(answer, field="message"):
    """Return True if the text of a line is in capitals. The data must not depend on the language."""
    english = text(*map(parse_message, answer[said_field(field)]))
    assert answer[field] in (english, english.upper())
    return answer[field] != english


def test_hello_lists_the_languages(served):
    hello = json.loads(HeadlessGame(parse_variant("standard")).format_hello())
    assert hello["languages"] == list(LANGUAGES) == served.connect().receive()[0]["languages"]
    with open_session() as table:
        assert table.messages[0]["languages"] == list(LANGUAGES)


def test_language_applies_to_later_answers():
    game = HeadlessGame(parse_variant("standard"))
    assert not is_dutch(*send_lines(game, {"touch": "b2"}))
    [state] = send_lines(game, DUTCH)
    assert (state["type"], is_dutch(state)) == ("state", True)
    asked = ({"ask": "state"}, {"ask": "record"}, {"ask": "what_if", "action": "@c3"}, {"touch": "z9"}, {"touch": "b2"})
    assert [is_dutch(answer) for answer in send_lines(game, *asked)] == [True] * 5
    assert not is_dutch(*send_lines(game, {"command": "language", "language": "en"}))


def test_default_language_is_english():
    lines = [{"touch": "b2"}, {"touch": "b2"}, {"ask": "record"}, {"ask": "what_if", "action": "@c3"}, {"touch": "z9"}]
    games = [HeadlessGame(parse_variant("mini"), **wish) for wish in ({}, {"language": "en"}, {"language": "nl"})]
    send_lines(games[2], {"command": "language", "language": "en"})
    silent, english, returned = ([send_lines(game, line) for line in lines] for game in games)
    assert silent == english == returned
    assert is_dutch(*send_lines(HeadlessGame(parse_variant("mini"), language="nl"), {"ask": "state"}))


def test_unknown_language_changes_nothing():
    game = HeadlessGame(parse_variant("standard"), language="nl")
    for code in ("tlh", "EN", "", 7, None, ["nl"]):
        [error] = send_lines(game, {"command": "language", "language": code})
        assert (error["type"], is_dutch(error)) == ("error", True)


def test_each_client_has_its_own_language(served):
    dutch, english = served.connect(), served.connect()
    assert not is_dutch(dutch.receive()[-1])
    english.receive()
    [state] = dutch.request(DUTCH)
    assert (state["type"], is_dutch(state)) == ("state", True)
    assert english.receive() == []
    for line in ({"touch": "b2"}, {"touch": "b2"}, {"command": "undo"}):
        [mine], [other] = dutch.request(line), english.receive()
        assert (is_dutch(mine), is_dutch(other)) == (True, False)
        assert {**mine, "message": None} == {**other, "message": None}
    for line in (
        {"ask": "record"},
        {"ask": "state"},
        {"ask": "what_if", "action": "@c3"},
        {"wait": 1},
        {"touch": "z9"},
    ):
        assert [is_dutch(answer) for answer in dutch.request(line)] == [True]
        assert [is_dutch(answer) for answer in english.request(line)] == [False]
    assert not is_dutch(served.connect().receive()[-1])


def test_trouble_is_sent_in_each_language(served):
    dutch, english = served.connect(), served.connect()
    dutch.request(DUTCH), english.receive()
    served.companion.put(HealthEvent(Message("i2c.hangs", bus=1), 0.0))
    served.companion.put(SavingChanged(Message("saving.slow"), 0.0))
    for caller, expected in ((dutch, True), (english, False)):
        [state] = caller.receive()
        assert [is_dutch(state, field) for field in ("message", "trouble", "unsaved")] == [expected] * 3


def test_internal_error_is_sent_in_the_client_language(served):
    game, caller = HeadlessGame(parse_variant("standard"), language="nl"), served.connect()
    caller.request(DUTCH)
    with plant_errors((touches, "press_cell")):
        answers = send_lines(game, {"touch": "b2"}), caller.request({"touch": "b2"})
    for answer in (answer for each in answers for answer in each if answer["type"] == "error"):
        assert is_dutch(answer)
    assert [sum(answer["type"] == "error" for answer in each) for each in answers] == [1, 1]


def test_disconnection_notice_uses_the_client_language(served):
    callers = [served.connect() for _ in range(MAX_CLIENTS)]
    callers[0].request(DUTCH)
    served.advance(1)
    for caller in callers[1:]:
        caller.request({"ask": "state"})
    served.advance(60, step=1)
    served.connect()
    assert is_dutch(callers[0].receive()[-1])


def test_state_is_formatted_once_per_language(served, monkeypatch):
    callers = [served.connect() for _ in range(5)]
    for caller in callers[:2]:
        caller.request(DUTCH)
    made, make = [], protocol.state_message
    monkeypatch.setattr(
        protocol, "state_message", lambda view, now, language: made.append(language) or make(view, now, language)
    )
    callers[0].request({"touch": "b2"})
    assert sorted(made) == ["en", "nl"]


def test_set_up_uses_the_chosen_language():
    with open_session() as table:
        assert table.send(DUTCH)["type"] == "page"
        assert is_dutch(table.send({"step": 7}))
        assert table.send({"ask": "page"})["title"].isupper()
        table.send({"command": "language", "language": "en"})
        assert not is_dutch(table.send({"step": 7}))
        SetupLines(
            table.controller, table.clock, lambda line: table.messages.append(json.loads(line)), "nl"
        ).send_opening()
        assert is_dutch(table.send({"step": 7}))


def test_set_up_lamp_trouble_is_also_sent_as_data(monkeypatch):
    trouble = Message("lamps.lost", text="the bus is gone")
    monkeypatch.setattr(SetupController, "lamp_trouble", property(lambda _: trouble))
    with open_session() as table:
        assert is_dutch(table.send(DUTCH), "trouble")
        assert parse_message(table.messages[-1]["trouble_said"][0]) == trouble
