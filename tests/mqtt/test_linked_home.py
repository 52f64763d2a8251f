"""One home between its board and the broker."""

import pytest

from pond_hw.link import linked_game
from pond_hw.link.changes import INVITER, JOINER, Draw, NewGame, Resign, TakeBack
from pond_hw.link.invitation import parse_broker
from pond_hw.link.linked_game import LinkedGame
from pond_hw.link.signatures import LinkError
from pond_hw.link.wishes import MAX_WISHES
from pond_hw.mqtt.changes_as_json import change_to_line, parse_line_change
from pond_hw.mqtt.linked_home import LinkedHome, LinkEnded, format_game_id
from pond_hw.rules import Action, parse_variant
from tests.link import relay
from tests.mqtt.fake_board import FakeBoard
from tests.mqtt.relay import BoardSchedule

BROKER = parse_broker("mqtt://broker.example")
STANDARD, BIG = parse_variant("standard"), parse_variant("big")


class Home:
    """A home whose messages and lines arrive at once."""

    def __init__(self, game, size=4):
        self.linked, self.board, self.now = LinkedHome(game), FakeBoard(size), 1000
        self.other, self.lines, self.revision = None, [], 0
        self.board.connect()

    @property
    def log(self):
        return self.linked.game.log

    def restart(self):
        self.linked, self.revision = LinkedHome.from_bytes(self.linked.to_bytes()), 0
        self.board.connect()
        self.talk()

    def talk(self):
        while self.board.sent or self.lines:
            while self.lines:
                self.board.receive(self.lines.pop(0))
            if self.board.sent:
                self.lines += self.linked.receive_board(self.board.sent.pop(0), self.now)
        if self.linked.revision != self.revision:
            self.revision = self.linked.revision
            self.send()

    def send(self):
        if self.other and (message := self.linked.game.make_message(self.now)):
            self.other.lines += self.other.linked.receive_mqtt(message, self.now)
            self.other.talk()

    def touch(self, notation):
        self.board.touch(Action.from_notation(notation))
        self.talk()

    def wish(self, change, **answer):
        self.board.wish(change, **answer)
        self.talk()


def start_game(variant=STANDARD, name=""):
    """Return two homes that have joined. The first plays light."""
    inviter = Home(LinkedGame.invite(BROKER, variant, INVITER, name, b"a" * 32))
    joiner = Home(LinkedGame.join(inviter.linked.game.invitation, "Bo", b"b" * 32))
    inviter.other, joiner.other = joiner, inviter
    inviter.talk()
    joiner.talk()
    joiner.send()
    return inviter, joiner


def list_actions(home):
    return [str(turn.action) for turn in home.board.record.turns]


def test_boards_follow_each_other():
    light, dark = start_game()
    light.touch("@b2")
    dark.touch("@c3")
    assert list_actions(light) == list_actions(dark) == ["@b2", "@c3"]
    assert light.board.game == format_game_id(light.log)
    assert (light.board.side, dark.board.side) == ("light", "dark")


def test_status_names_the_other_home_and_the_cells():
    light, dark = start_game(name="Ada")
    assert light.board.status["name"] == "Bo"
    assert dark.board.status["name"] == "Ada"
    assert light.board.status["cells"] == dark.board.status["cells"]
    assert len(set(light.board.status["cells"])) == 4
    assert light.board.status["joined"]
    light.touch("@b2")
    assert light.board.status["cells"] == []
    assert dark.board.status["seen"] == 1000


def test_status_before_joining():
    home = Home(LinkedGame.invite(BROKER, STANDARD, INVITER))
    home.talk()
    status = {"command": "link", "name": None, "seen": None, "online": False, "joined": False, "cells": []}
    assert home.board.status == {**status, "requests": [], "asked": [], "declined": [], "question": None}
    home.lines += home.linked.set_online(True)
    home.talk()
    assert home.board.status["online"]


def test_take_back_needs_the_other_home():
    light, dark = start_game()
    light.touch("@b2")
    light.wish({"undo": 1})
    assert list_actions(light) == ["@b2"]
    assert light.board.status["asked"] == dark.board.status["requests"] == [{"undo": 1}]
    dark.wish({"undo": 1}, accept=True)
    assert list_actions(light) == list_actions(dark) == []


def test_declined_request():
    light, dark = start_game()
    light.wish({"draw": True})
    dark.wish({"draw": True}, accept=False)
    assert light.board.status["declined"] == [{"draw": True}]
    assert light.board.record.outcome is None


def test_resignation_needs_no_answer():
    light, dark = start_game()
    dark.wish({"resign": True})
    light.talk()
    assert str(light.board.record.outcome.winner) == str(dark.board.record.outcome.winner) == "light"


def test_new_game_with_other_sides():
    light, dark = start_game()
    light.touch("@b2")
    before = light.board.game
    dark.wish({"new": "mini", "side": "light"})
    light.wish({"new": "mini", "side": "dark"}, accept=True)
    assert light.board.record.variant.name == "mini"
    assert light.board.game == dark.board.game != before
    assert (light.board.side, dark.board.side) == ("dark", "light")


def test_taken_back_turn_is_not_played_again():
    light, dark = start_game()
    light.touch("@b2")
    light.wish({"undo": 1})
    light.board.is_busy = True
    dark.wish({"undo": 1}, accept=True)
    assert list_actions(light) == ["@b2"]
    light.board.is_busy = False
    light.restart()
    assert list_actions(light) == list_actions(dark) == []
    light.touch("@b2")
    assert list_actions(dark) == ["@b2"]


def test_turn_played_while_the_link_was_away():
    light, dark = start_game()
    light.board.touch(Action.from_notation("@b2"))
    light.restart()
    assert list_actions(dark) == ["@b2"]


def test_wish_right_after_a_turn():
    light, dark = start_game()
    light.board.touch(Action.from_notation("@b2"))
    light.wish({"undo": 1})
    assert dark.board.status["requests"] == [{"undo": 1}]


def test_board_with_an_exercise_is_left_alone():
    light, dark = start_game()
    dark.board.is_busy = True
    dark.board.receive({"ask": "state"})
    dark.talk()
    light.touch("@b2")
    assert list_actions(dark) == []
    dark.board.is_busy = False
    dark.board.receive({"ask": "state"})
    dark.talk()
    assert list_actions(dark) == ["@b2"]


def test_unfinished_game_is_resumed():
    light, dark = start_game()
    light.touch("@b2")
    for home in light, dark:
        home.board.asks_to_resume = True
        home.board.connect()
        home.talk()
        assert not home.board.asks_to_resume
        assert list_actions(home) == ["@b2"]


def test_refused_follow_is_repeated_later():
    light, dark = start_game()
    light.board.touch(Action.from_notation("@b2"))
    light.talk()
    dark.board.record = type(dark.board.record)(STANDARD)
    dark.linked.lose_board()
    dark.board.connect()
    dark.lines += dark.linked.receive_board(dark.board.sent.pop(0), 1000)
    dark.lines += dark.linked.receive_board(dark.board.sent.pop(0), 1000)
    dark.board.receive({"ask": "record"})
    assert [line["turn"] for line in dark.linked.receive_board(dark.board.sent.pop(0), 1000) if "turn" in line] == [0]
    assert dark.linked.tick(1001) == []
    assert [line["actions"] for line in dark.linked.tick(1005)] == [["@b2"]]
    assert dark.linked.tick(1008) == []
    assert [line["actions"] for line in dark.linked.tick(500)] == [["@b2"]]  # the clock has been set back


def test_damaged_file_is_refused():
    light, _ = start_game()
    light.touch("@b2")
    stored = light.linked.to_bytes()
    for index in (0, 31, 32, 63, 64, len(stored) - 1):
        with pytest.raises(LinkError):
            LinkedHome.from_bytes(stored[:index] + bytes([stored[index] ^ 1]) + stored[index + 1 :])


def test_invalid_message_changes_nothing():
    light, _ = start_game()
    before = light.linked.to_bytes()
    for sealed in (b"", b"x" * 4096, light.linked.game.make_message(5)[:-1]):
        assert light.linked.receive_mqtt(sealed, 1000) == []
    assert light.linked.to_bytes() == before


def test_used_invitation_ends_the_link():
    light, _ = start_game()
    third = LinkedHome(LinkedGame.join(light.linked.game.invitation))
    with pytest.raises(LinkEnded) as caught:
        third.receive_mqtt(light.linked.game.make_message(1000), 1000)
    assert caught.value.message.id == "link.used"


def test_another_link_at_the_board_ends_the_link():
    light, _ = start_game()
    with pytest.raises(LinkEnded):
        light.linked.receive_board({"type": "error", "said": [{"id": "linked.taken_over"}]}, 1000)


def test_small_board_ends_the_link():
    home = Home(LinkedGame.invite(BROKER, BIG, INVITER))
    with pytest.raises(LinkEnded) as caught:
        home.talk()
    assert caught.value.message.id == "link.small_board"


def test_new_game_that_does_not_fit_is_declined():
    light, dark = start_game()
    dark.wish({"new": "big", "side": "light"})
    light.talk()
    assert dark.board.status["declined"] == [{"new": "big", "side": "light"}]


def test_large_new_game_that_cannot_be_declined():
    light, dark = start_game()
    light.wish({"draw": True})
    for eggs in range(1, MAX_WISHES + 1):
        dark.linked.game.request(NewGame(parse_variant(f"5x5/{eggs}/1"), INVITER))
    dark.send()
    assert len(light.linked.game.requests) == 1


def test_large_new_game_when_the_log_is_full(monkeypatch):
    light, dark = start_game()
    dark.linked.game.request(NewGame(BIG, JOINER))
    monkeypatch.setattr(linked_game, "MAX_ENTRIES", 1)
    dark.send()
    assert light.linked.game.requests == [NewGame(BIG, JOINER)]


def test_spectator_only_follows():
    light, _ = start_game()
    light.touch("@b2")
    watcher = Home(LinkedGame.join(light.linked.game.invitation.to_watch))
    watcher.talk()
    watcher.lines += watcher.linked.receive_mqtt(light.linked.game.make_message(1001), 1002)
    watcher.talk()
    assert list_actions(watcher) == ["@b2"]
    assert watcher.board.side is None
    assert watcher.board.status["seen"] == 1001
    assert watcher.linked.game.make_message(1002) is None


def test_each_home_reads_the_other_topics():
    light, dark = start_game()
    topics = {light.linked.game.topic, dark.linked.game.topic}
    watcher = LinkedHome(LinkedGame.join(light.linked.game.invitation.to_watch))
    assert set(watcher.read_topics) == topics
    assert dark.linked.game.topic in light.linked.read_topics
    assert dark.linked.read_topics == [light.linked.game.topic]
    assert dark.linked.finished_topic in light.linked.read_topics


@pytest.mark.parametrize("change", [TakeBack(3), Draw(), Resign(JOINER), NewGame(BIG, INVITER), NewGame(BIG, JOINER)])
def test_change_as_a_line(change):
    assert parse_line_change(change_to_line(change, JOINER), JOINER) == change


def test_hostile_relay():
    counts, faults = relay.run_schedules(7_000_000, 10, BoardSchedule)
    assert not faults
    assert counts["turns"] > 3


@pytest.mark.slow
def test_hostile_relay_for_longer():
    counts, faults = relay.run_schedules(8_000_000, 400, BoardSchedule)
    assert not faults
    assert counts["killed before sending"] > 20
