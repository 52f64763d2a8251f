"""A served board as a device of Home Assistant, without a broker."""

import json
from random import Random

import pytest

from pond_hw.mqtt.home_assistant import HomeAssistantDevice
from pond_hw.mqtt.home_assistant_discovery import OPPONENTS, DeviceTopics
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.conftest import each

ID = "0123456789abcdef"
BASE = f"pond/{ID}"
CONFIG = f"homeassistant/device/pond_{ID}/config"


class Home:
    """A served board, the device, and a broker that keeps retained messages."""

    def __init__(self, served):
        self.served, self.client = served, served.connect()
        self.retained, self.events, self.sent = {}, [], []
        self.device = HomeAssistantDevice(DeviceTopics("pond", ID), ID, "Pond", self._publish)
        self.device.announce()

    def _publish(self, topic, payload, is_retained):
        self.sent.append(topic)
        if is_retained:
            self.retained[topic] = payload
        else:
            self.events.append(json.loads(payload))

    def run(self):
        """Exchange messages until the board is silent."""
        while messages := self.client.receive():
            for message in messages:
                self.ask(*self.device.receive_board(message))

    def ask(self, *lines):
        self.client.send(b"".join(json.dumps(line).encode() + b"\n" for line in lines))

    def act(self, *actions):
        for action in actions:
            self.ask({"command": "action", "action": action})
            self.run()
            self.served.advance(0.1, step=0.1)  # a client may send 60 lines a second

    def command(self, name, payload="PRESS"):
        lines = self.device.receive_mqtt(f"{BASE}/set/{name}", payload.encode())
        self.ask(*lines)
        self.run()
        return lines

    @property
    def values(self):
        return json.loads(self.retained[f"{BASE}/state"])

    @property
    def availability(self):
        return self.retained[f"{BASE}/availability"]

    @property
    def picture(self):
        return self.retained[f"{BASE}/board"]

    def take_events(self):
        taken, self.events = self.events, []
        return [event["event_type"] for event in taken]


@pytest.fixture
def start(serve):
    def start(*arguments, **options):
        home = Home(serve(*arguments, **options))
        home.run()
        return home

    return start


@pytest.fixture
def home(start):
    return start()


def test_one_retained_message_describes_the_device(home):
    config = json.loads(home.retained[CONFIG])
    assert config["dev"]["identifiers"] == [f"pond_{ID}"]
    assert config["cmps"]["variant"]["options"] == ["standard", "mini", "small-11", "small-13", "small-14"]
    assert len({entity["unique_id"] for entity in config["cmps"].values()}) == len(config["cmps"]) == 12


def test_values_of_a_new_game(home):
    assert home.availability == b"online"
    details = {"masked": [], "failures": 0, "dimmed": False, "trouble": None, "unsaved": None}
    assert home.values == {
        "turn": "light",
        "light_score": 0,
        "dark_score": 0,
        "last_move": None,
        "variant": "standard",
        "opponent": "person",
        "brightness": 100,
        "problem": False,
        "details": details,
    }
    assert home.picture.startswith(b"\x89PNG")
    assert home.events == []


def test_turns_change_values_and_picture(home):
    before = home.picture
    home.act("@b2")
    assert home.values["turn"] == "dark"
    assert home.values["last_move"] == "@b2"
    assert home.picture != before


def test_each_turn_is_one_event(home):
    home.act("@b2", "@b3", "b2c2")
    assert home.events == [
        _turn("place", 1, "light", "@b2"),
        _turn("place", 2, "dark", "@b3", developed=["b2"]),
        _turn("move", 3, "light", "b2c2"),
    ]


def test_two_turns_in_one_step_are_two_events(home):
    for action in ("@b2", "@d4"):
        home.ask({"command": "action", "action": action})
    home.run()
    assert home.take_events() == ["place", "place"]


def test_scoring_turns_and_end_of_the_game(home):
    rng = Random(1)
    while legal := home.served.companion.session.view.allowed_actions:
        home.act(str(rng.choice(legal)))
    *turns, end = home.events
    scored = [turn for turn in turns if turn["event_type"] == "score"]
    assert [turn["turn"] for turn in turns] == list(range(1, len(turns) + 1))
    scores = {f"{side}_score": home.values[f"{side}_score"] for side in ("light", "dark")}
    assert scored
    assert scored[-1].items() >= scores.items()
    for side in ("light", "dark"):
        assert sum(turn[f"{side}_scored"] for turn in turns) == scores[f"{side}_score"]
    outcome = home.served.companion.session.outcome
    assert end == {"event_type": "game_over", "winner": str(outcome.winner), "reason": outcome.reason.value, **scores}
    assert home.values["turn"] == "over"


def test_undo_resignation_and_new_game_are_events(home):
    home.act("@b2", "@d4")
    home.take_events()
    home.ask({"command": "undo"})
    home.run()
    assert home.take_events() == ["undo"]
    assert home.values["last_move"] == "@b2"
    home.ask({"command": "undo"})
    home.run()
    assert home.take_events() == ["undo"]
    home.act("@b2")
    home.ask({"command": "resign"})
    home.run()
    assert home.take_events() == ["place", "game_over"]
    assert home.values["turn"] == "over"
    home.ask({"command": "undo"})
    home.run()
    assert home.take_events() == ["undo"]
    home.ask({"command": "new"})
    home.run()
    assert home.take_events() == ["new_game"]
    assert home.values["last_move"] is None


def test_exercise_shows_its_position_without_events(home):
    home.act("@b2")
    home.take_events()
    [state, record] = home.client.request({"ask": "state"}, {"ask": "record"})
    lesson = {"exercise": {}, "last": None, "position": "..../..../..../.... l 13 13 0 0"}
    home.device.receive_board(state | lesson)
    home.device.receive_board(record | {"exercise": {}, "record": '[Variant "mini"]\n[Result "*"]\n'})
    assert home.values["turn"] == "exercise"
    assert home.values["last_move"] is None
    picture = home.picture
    home.device.receive_board(state)
    home.device.receive_board(record)
    assert home.values["last_move"] == "@b2"
    assert home.picture != picture
    assert home.take_events() == []


def test_no_events_of_turns_before_the_connection(start, serve):
    served = serve()
    served.connect().request({"command": "action", "action": "@b2"})
    home = Home(served)
    home.run()
    assert home.values["last_move"] == "@b2"
    assert home.events == []


def test_new_game_button_starts_a_game(home):
    home.command("variant", "mini")
    home.command("opponent", "greedy")
    assert (home.values["variant"], home.values["opponent"]) == ("mini", "greedy")
    assert home.served.companion.session.variant.name == "standard"
    home.command("new_game")
    assert home.served.companion.session.variant.name == "mini"
    assert home.take_events() == ["new_game"]
    assert (home.values["variant"], home.values["opponent"]) == ("mini", "greedy")


def test_choices_hold_for_one_game(home):
    home.command("variant", "mini")
    home.command("new_game")
    home.act("@b2")
    home.ask({"command": "new", "variant": "standard"})
    home.run()
    assert home.values["variant"] == "standard"


def test_person_keeps_the_side(start):
    home = start(dark="greedy")
    home.command("opponent", "level-2")
    assert home.command("new_game")[0]["players"] == {"light": None, "dark": "level-2"}
    home.command("opponent", "person")
    assert home.command("new_game")[0]["players"] == {"light": None, "dark": None}


def test_new_game_needs_a_press_during_a_game(home):
    home.act("@b2")
    home.command("new_game")
    assert home.served.played == ["@b2"]
    home.served.advance(1)
    home.served.hands.touch(home.served.companion.session.permission.lit_cell)
    home.run()
    assert home.served.played == []
    assert home.take_events() == ["place", "new_game"]


def test_hint_button_asks_for_a_hint(home):
    assert home.command("hint") == [{"command": "hint"}]


def test_brightness_is_a_percentage(home):
    home.command("brightness", "30")
    assert home.values["brightness"] == 30
    home.command("brightness", "1.0")
    assert home.values["brightness"] == 1


@each(
    "name, payload",
    [
        *[("brightness", text) for text in ("0", "101", "nan", "inf", "", "bright", "-5", "1e400")],
        *[("variant", text) for text in ("big", "", "STANDARD")],
        *[("opponent", text) for text in ("level-13", "human", "remote", "")],
        *[("new_game", text) for text in ("", "press", "ON")],
        *[("hint", ""), ("action", "@b2"), ("undo", "PRESS"), ("", "PRESS"), ("resign", "PRESS"), ("hint/x", "PRESS")],
    ],
)
def test_other_commands_do_nothing(home, name, payload):
    before = home.values
    assert home.command(name, payload) == []
    assert home.values == before


def test_command_that_is_not_text_does_nothing(home):
    assert home.device.receive_mqtt(f"{BASE}/set/brightness", b"\xff\xfe") == []


def test_command_without_a_board_is_ignored(home):
    home.device.lose_board()
    assert home.command("new_game") == []


def test_board_that_is_gone_makes_the_device_unavailable(home):
    home.device.lose_board()
    assert home.availability == b"offline"


def test_start_of_home_assistant_announces_again(home):
    home.sent.clear()
    home.device.receive_mqtt("homeassistant/status", b"offline")
    assert home.sent == []
    home.device.receive_mqtt("homeassistant/status", b"online")
    assert home.sent == [CONFIG, f"{BASE}/state", f"{BASE}/board", f"{BASE}/availability"]


def test_nothing_is_published_twice(home):
    home.sent.clear()
    home.ask({"ask": "state"})
    home.run()
    assert home.sent == []


def test_all_retained_topics_are_known(home):
    home.act("@b2")
    assert sorted(home.retained) == sorted(home.device.topics.retained)


def test_ignored_sensor_is_a_problem(start):
    home = start(pieces=PieceOptions())
    home.ask({"command": "mask", "cell": "b2"})
    home.run()
    home.served.advance(61)
    home.ask({"ask": "state"})
    home.run()
    assert home.values["problem"] is True
    assert home.values["details"]["masked"] == ["b2"]


def test_opponent_that_cannot_be_chosen_is_unknown(home):
    assert "remote" not in OPPONENTS
    home.device.receive_board(
        home.client.request({"ask": "record"})[-1] | {"players": {"light": None, "dark": "remote"}}
    )
    assert home.values["opponent"] is None


def _turn(kind, number, side, action, developed=()):
    scores = dict.fromkeys(("light_scored", "dark_scored", "light_score", "dark_score"), 0)
    return {"event_type": kind, "turn": number, "side": side, "action": action, "developed": list(developed), **scores}
