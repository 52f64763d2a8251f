"""Visitors of the page without a network: what they see, and what the board hears. The test takes the place of the board."""

import json
from dataclasses import replace

import pytest

from pond_hw.companion.saved_state import SIMULATED_DAY
from pond_hw.exercises import load_lessons
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.message_json import parse_messages
from pond_hw.puzzles.course import make_course
from pond_hw.rules import DARK, LIGHT, Action, parse_variant
from pond_hw.server import protocol
from pond_hw.server.protocol import exercises_message, text_fields
from pond_hw.session import (
    ChangeSetting,
    ChooseExercise,
    ExerciseChoice,
    HelpLevel,
    NewGame,
    PauseExercise,
    StartExercise,
    TakeAction,
    UndoTurns,
)
from pond_hw.session.game.settings import HELP
from pond_hw.web import page_hub as hub_module
from pond_hw.web.page_view import MAX_LISTED
from pond_hw.web.visitor import MAX_OUTBOX
from tests.conftest import each
from tests.messages.says import text
from tests.web.hub_bench import SeatBench


@pytest.fixture
def bench(tmp_path):
    return SeatBench(tmp_path)


def test_spectator_sees_the_game_without_help(bench):
    visitor = bench.add_visitor()
    seen = bench.list_messages(visitor)
    assert list(seen) == ["you", "hello", "state", "turns"]
    assert seen["hello"]["names"] == {"light": "Ada", "dark": "Ben"}
    assert not {"legal", "hint", "board_asks", "asks", "seats"} & seen["state"].keys()
    assert bench.list_messages(visitor) == {}
    bench.play("@b2")
    assert list(bench.list_messages(visitor)) == ["state", "turns"]


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
    for number, message_text in enumerate(bench.hub.list_changes(visitor)):
        seen.append(json.loads(message_text)["type"])
        bench.request(visitor, language="nl")
        bench.play(("@b2", "@b3", "@c2", "@d4")[number])
    assert seen == ["you", "hello", "state", "turns"]
    later = bench.list_messages(visitor)
    assert later["state"]["message"].startswith("Donker")
    assert len(later["turns"]["turns"]) == 4
    assert bench.list_messages(visitor) == {}


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


def test_hint_is_for_the_side_to_move(bench):
    light, dark = bench.add_visitor(LIGHT), bench.add_visitor(DARK)
    assert bench.request(dark, command="hint") == []
    assert "It's Light's turn" in bench.list_messages(dark)["refused"]["message"]
    assert bench.request(light, command="hint") == [{"command": "hint", "side": "light"}]


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


LINK = {
    "game": "0123456789abcdef",
    "side": "light",
    "name": "Eve",
    "seen": None,
    "online": True,
    "joined": True,
    "running": True,
    "cells": [],
    "requests": [{"undo": 3}],
    "asked": [],
    "declined": [],
    "question": None,
}


def test_players_answer_the_other_home(bench):
    player, spectator = bench.add_visitor(LIGHT), bench.add_visitor()
    bench.receive_state(link=LINK, asks={})
    state = bench.list_messages(player)["state"]
    assert not state["board_asks"], "another phone isn't asking"
    link = state["link"]
    assert link["question"] == text(Message("linked.request.undo", turn=3))
    accept, decline = (answer["send"] for answer in link["answers"])
    assert accept == {"command": "answer", "request": {"undo": 3}, "accept": True}
    assert bench.request(player, **accept) == [accept]
    assert bench.request(player, **decline) == [decline | {"accept": False}]
    link = bench.list_messages(spectator)["state"]["link"]
    assert (link["question"], link["answers"]) == ("", [])
    assert bench.request(spectator, **accept) == []


def test_version_of_a_linked_game_is_chosen(bench):
    player = bench.add_visitor(LIGHT)
    bench.receive_state(link=LINK | {"question": {"mine": True, "versions": [1, 5]}})
    answers = bench.list_messages(player)["state"]["link"]["answers"]
    assert [answer["label"] for answer in answers] == [
        text(Message("linked.version.ours", count=1)),
        text(Message("linked.version.theirs", count=5)),
    ]
    assert bench.request(player, **answers[1]["send"]) == [{"command": "answer", "version": 1}]


def test_board_is_asked_while_a_link_has_no_game(bench):
    player = bench.add_visitor(LIGHT)
    bench.receive_state(link=LINK | {"game": None, "side": None})
    assert bench.request(player, command="new") == [{"command": "new", "confirm": True}]


@each("command", ["new", "draw"])
def test_other_home_is_asked_instead_of_the_board(bench, command):
    player = bench.add_visitor(LIGHT)
    bench.receive_state()
    assert bench.request(player, command=command) == [{"command": command, "confirm": True}]
    bench.receive_line({"type": "permission", "for": command, "allowed": False})
    bench.receive_state(link=LINK)
    assert bench.request(player, command=command) == [{"command": command}]


def test_players_cannot_be_changed_while_a_link_is_running(bench):
    chosen = {"players": {"light": None, "dark": "level-1"}, "names": {"light": "Eve", "dark": None}}
    player = bench.add_visitor(LIGHT)
    bench.receive_state(link=LINK)
    assert bench.request(player, command="new", variant="mini", **chosen) == [{"command": "new", "variant": "mini"}]
    assert bench.request(player, command="rematch") == [{"command": "new", "variant": "standard"}]
    assert bench.list_messages(player)["state"]["link"]["fixed_players"]
    bench.receive_state(link=LINK | {"running": False})
    assert not bench.list_messages(player)["state"]["link"]["fixed_players"]
    assert bench.request(player, command="new", **chosen) == [{"command": "new", **chosen}]


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
        "number": 1,
        "count": 10,
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
