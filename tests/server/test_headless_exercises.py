"""Lessons and puzzles over JSON lines."""

import json

import pytest

from pond_hw.messages.message import Message
from pond_hw.server import view_from_json
from pond_hw.session import CellRole
from tests.server.headless_client import HeadlessClient
from tests.server.served import parse_said

START = {"command": "exercise", "course": "lessons", "name": "place"}


def test_lessons_are_listed():
    [answer] = HeadlessClient().request({"ask": "exercises"})
    lessons = answer["courses"]["lessons"]
    assert [lesson["name"] for lesson in lessons][:2] == ["place", "grow"]
    assert lessons[0] == {"name": "place", "title": "Place an egg"}
    assert len(json.dumps(answer)) < 26_000, "it may be asked for again and again"


def test_exercises_are_listed_in_another_language():
    program = HeadlessClient()
    [answer] = program.request({"ask": "exercises", "language": "de"})
    assert answer["courses"]["lessons"][0]["title"] == "Ein Ei setzen"
    assert program.request({"ask": "exercises"})[0]["courses"]["lessons"][0]["title"] == "Place an egg"
    assert program.request({"ask": "exercises", "language": "tlh"})[0]["type"] == "error"


def test_exercise_details_are_sent():
    [answer] = HeadlessClient().request({"ask": "exercise", "course": "lessons", "name": "place"})
    assert answer["type"] == "exercise"
    assert (answer["title"], answer["variant"], answer["steps"], answer["done"]) == (
        "Place an egg",
        "3x3/9/5",
        2,
        False,
    )
    assert answer["position"] == ".../.../... l 9 9 0 0"
    [puzzle] = HeadlessClient().request({"ask": "exercise", "course": "puzzles", "name": "daily"})
    assert puzzle["title_said"][0]["id"] == "puzzle.title_daily"


def test_new_game_in_a_lesson_restores_the_pond():
    program = HeadlessClient()
    before = program.request({"ask": "state"})[0]["variant"]
    program.request({"command": "exercise", "course": "lessons", "name": "end"})
    assert program.request({"ask": "state"})[0]["variant"] != before
    program.request({"command": "new"})
    assert program.request({"ask": "state"})[0]["variant"] == before


def test_whole_lesson_can_be_played():
    program = HeadlessClient()
    program.request({"touch": "c3"})
    [state] = program.request(START)
    exercise = state["exercise"]
    assert (exercise["name"], exercise["step"], exercise["steps"], exercise["lit"]) == ("place", 1, 2, ["b2"])
    assert (state["variant"], state["position"]) == ("3x3/9/5", ".../.../... l 9 9 0 0")
    [state] = program.request({"touch": "a1"})  # not the requested action
    assert state["position"] == ".../.../... l 9 9 0 0"
    assert parse_said(state)[-1].id == "text.local"
    [state] = program.request({"touch": "b2"})
    assert state["exercise"]["met"] is True
    [state] = program.request({"wait": 3})
    assert (state["exercise"]["step"], state["position"].split()[0]) == (2, ".../.E./e..")
    program.request({"touch": "c3"})
    [state] = program.request({"wait": 3})
    assert (state["phase"], state["exercise"]["done"], state["exercise"]["next"]) == ("exercise", True, "Pieces grow")
    assert state["legal"] == []
    [state] = program.request({"command": "exercise", "choice": "leave"})
    assert "exercise" not in state
    assert state["position"] == "..../..E./..../.... d 12 13 0 0"
    assert program.request({"ask": "exercises"})[0]["courses"]["lessons"][0]["done"] is True


def test_lesson_too_large_for_the_board_is_refused():
    [state] = HeadlessClient("3x3/9/5").request({"command": "exercise", "course": "lessons", "name": "game"})
    assert parse_said(state) == [Message("variant.does_not_fit", variant="mini", size=4, board=3)]


@pytest.mark.parametrize("lines", [[START], [START, {"command": "exercise", "choice": "ask"}]])
def test_connected_screen_shows_the_same_exercise(lines):
    program = HeadlessClient()
    for line in lines:
        [state] = program.request(line)
    record = next(answer for answer in program.request({"ask": "record"}) if answer["type"] == "record")
    view = view_from_json.parse_view(json.loads(json.dumps(record)), state)
    here = program.game.companion.session.view
    assert view.exercise == here.exercise
    assert {cell: sight.role for cell, sight in view.cells.items()} == {
        cell: sight.role for cell, sight in here.cells.items()
    }


@pytest.mark.slow
def test_long_press_opens_the_menu():
    program = HeadlessClient()
    program.request({"touch": "c3"})
    program.request({"press": "c3"})
    [state] = program.request({"wait": 6.5})
    assert state["phase"] == "menu"
    assert state["menu"]["a4"] == {"kind": "course", "name": "lessons", "usual": False}
    assert state["menu"]["b1"] == {"kind": "variant", "name": "mini", "usual": False}
    record = next(answer for answer in program.request({"ask": "record"}) if answer["type"] == "record")
    view = view_from_json.parse_view(record, state)
    assert view.cells["a1"].role is CellRole.DEFAULT_CHOICE
    program.request({"release": "c3"})
    [state] = program.request({"touch": "c2"})  # not a cell of the menu: the game continues
    assert (state["phase"], state["position"]) == ("act", "..../..E./..../.... d 12 13 0 0")
    program.request({"press": "c3"})
    program.request({"wait": 6.5})
    program.request({"release": "c3"})
    [state] = program.request({"touch": "b1"})
    assert (state["phase"], state["variant"]) == ("act", "mini")
