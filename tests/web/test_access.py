"""The only visitor of an own board plays both sides and is never asked to wait for anyone."""

import pytest

from pond_hw.messages.message import Message
from pond_hw.rules import LIGHT
from pond_hw.server import protocol
from pond_hw.session import NewGame, ResignGame
from pond_hw.web.access import OwnBoard
from tests.conftest import each
from tests.web.hub_bench import HubBench, ManualWorker


@pytest.fixture
def bench():
    return HubBench(OwnBoard, ManualWorker)


@pytest.fixture
def visitor(bench):
    return bench.add_visitor()


def test_visitor_plays_both_sides_from_the_start(bench, visitor):
    seen = bench.list_messages(visitor)
    assert list(seen) == ["you", "hello", "state", "turns"], "there are no seats"
    assert seen["you"] == {"type": "you", "seat": {"sides": ["light", "dark"]}, "may_watch": True}
    assert seen["hello"]["own"] is True
    assert seen["hello"]["names"] == {"light": "Ada", "dark": "Ben"}
    assert seen["state"]["legal"]


def test_visitor_acts_for_the_side_to_move(bench, visitor):
    action = {"command": "action", "action": "@b2"}
    assert bench.request(visitor, **action) == [action | {"side": "light"}]
    bench.play("@b2")
    assert bench.request(visitor, command="hint") == [{"command": "hint", "side": "dark"}]
    assert bench.request(visitor, command="done") == [{"command": "done", "side": "dark"}]


@each(
    "command",
    [
        {"command": "new"},
        {"command": "new", "variant": "mini"},
        {
            "command": "new",
            "players": {"light": None, "dark": "level-3"},
            "names": {"light": "Ada", "dark": None},
        },
        {"command": "resign"},
        {"command": "draw"},
        {"command": "discard"},
    ],
)
def test_game_changes_are_sent_at_once(bench, visitor, command):
    """The record is requested too, because players may change although the position does not."""
    assert bench.request(visitor, **command) == [command, {"ask": "record"}]
    assert "refused" not in bench.list_messages(visitor)


@each(
    "setting",
    [
        {"command": "help", "side": "dark", "level": "none"},
        {"command": "head_start", "side": "light", "pieces": 5},
        {"command": "hint_limit", "side": "dark", "hints": 1},
        {"command": "fair_start", "on": True},
        {"command": "brightness", "brightness": 0.5},
        {"command": "resume"},
        {"command": "exercise", "course": "lessons", "name": "hop"},
    ],
)
def test_settings_and_exercises_are_sent_at_once(bench, visitor, setting):
    assert bench.request(visitor, **setting) == [setting]


def test_turns_of_both_sides_can_be_undone(bench, visitor):
    bench.play("@b2", "@b3")
    assert bench.request(visitor, command="undo") == [{"command": "undo", "turn": 2}]
    assert bench.request(visitor, command="redo") == [{"command": "redo", "turn": 3}]
    earlier = {"command": "undo", "turn": 1}
    assert bench.request(visitor, **earlier) == [earlier, {"ask": "record"}]
    bench.session = bench.session.after(ResignGame(3.0, LIGHT))
    bench.receive_state()
    assert bench.request(visitor, command="undo") == [{"command": "undo", "turn": 3}]


def test_new_players_are_shown(bench, visitor):
    bench.list_messages(visitor)
    bench.session = bench.session.after(NewGame(bench.session.variant, 1.0))
    players = {"light": None, "dark": "level-3"}
    bench.receive_line(protocol.record_message(bench.session.view, 1.0) | {"players": players})
    assert bench.list_messages(visitor)["hello"]["players"] == players


@each("request_fields", [{"seat": ["light"]}, {"seat": None}, {"revoke": 1}])
def test_seat_requests_are_refused(bench, visitor, request_fields):
    assert bench.request(visitor, **request_fields) == []
    seen = bench.list_messages(visitor)
    assert "refused" in seen
    assert "seats" not in seen


def test_what_if_is_answered_in_the_visitor_language(bench, visitor):
    bench.request(visitor, language="nl")
    bench.request(visitor, ask="what_if", action="@b2")
    seen = bench.list_messages(visitor)
    assert seen["what_if"]["action"] == "@b2"
    assert seen["state"]["message"].startswith("Licht")


def test_saved_game_is_reviewed(bench, visitor):
    game = bench.open_game(visitor, '[Variant "mini"]\n[Result "*"]\n\n1. @b2 @b3\n')
    assert [turn["action"] for turn in game["turns"]] == ["@b2", "@b3"]
    bench.request(visitor, ask="analysis")
    assert bench.hub.collect_reviews()
    assert bench.list_messages(visitor)["analysis"]["turns"] == []


def test_board_error_goes_to_the_visitor(bench, visitor):
    bench.receive_line(protocol.error_message(Message("hands.only_buttons", action="lift")))
    assert bench.list_messages(visitor)["refused"]["message"]


def test_lost_board_refuses_requests(bench, visitor):
    bench.list_messages(visitor)
    bench.board.lose_board()
    assert list(bench.list_messages(visitor)) == ["gone"]
    bench.request(visitor, command="new")
    assert "isn't responding" in bench.list_messages(visitor)["refused"]["message"]
