"""Planted errors do not end a headless board, a served board, or a game in the terminal."""

import json
import logging

import pytest

from pond_hw.engine import engines
from pond_hw.messages.message import Message
from pond_hw.rules import parse_variant
from pond_hw.server import headless, protocol, service
from pond_hw.server.headless import HeadlessGame
from pond_hw.server.supply_monitor import SupplyMonitor
from pond_hw.session import Session, View
from pond_hw.session.game import touches
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.tui import play_app as terminal
from tests.companion.test_planted_errors import plant_errors
from tests.conftest import each
from tests.messages.says import text
from tests.server.served import Served, parse_said
from tests.tui.terminal_table import terminal_test


def is_failure(message):
    return message.id == "failure.inside" and message.arguments["error"] == "PlantedError"


def send_lines(game, *lines):
    return [json.loads(answer) for line in lines for answer in game.answer_line(json.dumps(line).encode())]


# Headless


def test_failing_line_gives_an_error_and_changes_nothing():
    game = HeadlessGame(parse_variant("standard"))
    send_lines(game, {"touch": "b2"})
    with plant_errors((touches, "press_cell"), times=1):
        error, state = send_lines(game, {"touch": "b3"})
    assert error["type"] == "error"
    [failure] = parse_said(error)
    assert is_failure(failure)
    assert state["position"] == "..../..../.E../.... d 12 13 0 0"
    assert parse_said(state, "trouble") == parse_said(state) == [Message("failure.trouble", failure=failure)]
    [state] = send_lines(game, {"wait": 3.1})
    assert "trouble" not in state
    [state] = send_lines(game, {"touch": "b3"})
    assert state["last"]["action"] == "@b3"


ASKED = [
    (protocol, "state_message", {"ask": "state"}),
    (protocol, "record_message", {"ask": "record"}),
    (protocol, "frame_message", {"ask": "frame"}),
    (protocol, "what_if_message", {"ask": "what_if", "action": "@c3"}),
    (headless, "parse_request", {"ask": "state"}),
]


@each("module, name, line", ASKED)
def test_failing_answer_gives_an_error(module, name, line):
    game = HeadlessGame(parse_variant("standard"))
    send_lines(game, {"touch": "b2"})
    with plant_errors((module, name)):
        answers = send_lines(game, line)
    assert answers[0]["type"] == "error"
    assert is_failure(*parse_said(answers[0]))
    send_lines(game, {"wait": 3.1})
    [state] = send_lines(game, {"touch": "b3"})
    assert state["last"]["action"] == "@b3"


def test_failing_sensor_reading_is_retried():
    game = HeadlessGame(parse_variant("standard"), pieces=PieceOptions())
    with plant_errors((touches, "look_at_board")):
        answers = send_lines(game, {"drop": "b2"})
        assert [answer["type"] for answer in answers] == ["error", "state"]
        assert answers[1]["wood"]["felt"] == ["b2"]
        assert [answer["type"] for answer in send_lines(game, {"wait": 5})] == ["error", "state"]
    send_lines(game, {"wait": 10}, {"take": "b2"}, {"wait": 1})
    send_lines(game, {"drop": "b2"})
    assert send_lines(game, {"wait": 1})[0]["last"]["action"] == "@b2"


@pytest.mark.slow
def test_failing_hint_gives_an_error():
    game = HeadlessGame(parse_variant("standard"))
    with plant_errors((engines.EngineGame, "from_record"), times=1):
        answers = send_lines(game, {"command": "hint"})
    assert [answer["type"] for answer in answers] == ["error", "state"]
    assert answers[1]["hint"] is None
    send_lines(game, {"wait": 3.1})
    assert send_lines(game, {"command": "hint"})[0]["hint"]["action"]


# Served


@pytest.fixture
def served(tmp_path):
    board = Served(tmp_path)
    yield board
    board.close()


def test_service_survives_a_failing_press(served, caplog):
    one, other = served.connect(), served.connect()
    one.receive(), other.receive()
    with plant_errors((touches, "press_cell"), times=1), caplog.at_level(logging.ERROR, "pond"):
        answers = one.request({"touch": "b2"})
    assert [answer["type"] for answer in answers] == ["state", "error"]
    [state] = other.receive()
    [trouble] = parse_said(state, "trouble")
    assert is_failure(trouble.arguments["failure"])
    assert "tests.companion.test_planted_errors.PlantedError" in caplog.text, "`pond report` shows what the log has"
    served.advance(3.2)
    assert "trouble" not in other.receive()[-1]
    one.request({"touch": "b2"})
    assert served.played == ["@b2"]


FAIL = [
    (protocol, "state_message"),
    (protocol, "hello_message"),
    (protocol, "frame_message"),
    (service, "parse_request"),
    (service, "choose_tones"),
    (service, "_format_status"),
    (SupplyMonitor, "check_supply"),
    (Session, "after"),
    (Session, "view"),
    (View, "scene"),
]


@pytest.mark.slow
@pytest.mark.parametrize("where", FAIL, ids=lambda where: where[1])
def test_service_survives_any_failure_in_its_loop(where, tmp_path, caplog):
    board = Served(tmp_path, sound=lambda tones: None)
    one = board.connect()
    with plant_errors(where), caplog.at_level(logging.ERROR, "pond"):
        board.hands.touch("c3")
        one.request({"ask": "state"}, {"ask": "frame"}, {"touch": "d4"})
        other = board.connect()
        board.advance(5)
        assert len(caplog.records) < 30
    board.advance(12)
    one.receive(), other.receive()
    turns = len(board.played)
    [*_, state] = one.request({"touch": "b2"})
    assert len(state["legal"]) > 10
    assert len(board.played) == turns + 1
    assert other.receive()[-1]["position"] == state["position"]
    board.close()


# In a terminal


@pytest.mark.slow
@terminal_test()
async def test_terminal_survives_a_failing_press(table):
    await table.click("c3")
    with plant_errors((touches, "press_cell"), times=1):
        await table.click("b2")
    assert table.position == "..../..E./..../...."
    assert (
        text(Message("failure.inside", error="PlantedError", file="|", line=0)).partition("(")[0] in table.status_text
    )
    await table.wait(4)
    await table.click("b2")
    assert table.position == "..../..E./.e../...."


@pytest.mark.slow
@terminal_test()
async def test_terminal_survives_failing_texts_and_frames(table):
    for where in ((terminal, "format_status"), (terminal, "seconds_left"), (View, "scene")):
        with plant_errors(where):
            await table.click("c3")
            await table.wait(1)
    await table.wait(12)
    await table.click("d4")
    assert "Dark placed an egg on d4." in table.status_text or "Light placed an egg on d4." in table.status_text
