"""A served board in a real Home Assistant, over a real broker. `make test-home` installs what these tests need."""

import json
import re
import socket
import subprocess
import tempfile
from itertools import permutations
from pathlib import Path
from time import sleep

import pytest

from pond_hw.mqtt.board_picture import draw_board
from pond_hw.mqtt.home_assistant_link import HomeAssistantSettings
from pond_hw.mqtt.stored_link import StoredLink
from pond_hw.rules import Position
from tests.conftest import require
from tests.home_assistant import build
from tests.home_assistant.home_assistant import HomeAssistant
from tests.mqtt.processes import Board, Broker, Link, wait_until

pytestmark = pytest.mark.long

MANUAL = Path(__file__).parents[2] / "docs/home-assistant.md"
PATIENCE = 60.0
START = {
    "sensor.pond_turn": "light",
    "sensor.pond_light_score": "0",
    "sensor.pond_dark_score": "0",
    "sensor.pond_last_move": "unknown",
    "select.pond_next_variant": "standard",
    "select.pond_next_opponent": "person",
    "number.pond_brightness": "100",
    "binary_sensor.pond_problem": "off",
    "button.pond_hint": "unknown",
}
ENTITIES = {*START, "button.pond_new_game", "event.pond_game", "image.pond_board"}
LAMP = """
template:
  - light:
      - name: Table lamp
        turn_on: []
        turn_off: []
"""


class PlainBoard(Board):
    """A board with the standard pond that saves nothing, so that each start begins a new game."""

    def list_command(self):
        return [*super().list_command()[:4], "--board=simulated-4x4", f"--socket={self.path}", "--unsaved"]


class HomeLink(Link):
    """`pond link`, for Home Assistant only."""

    def list_command(self):
        is_on = (self.folder / "link" / "settings.json").exists()
        task = ["run"] if is_on else ["home-assistant", f"mqtt://127.0.0.1:{self.first[0].port}"]
        return [*super().list_command()[:4], *task, f"--socket={self.board.path}"]


class House:
    """A board, a broker, Pond's connection and Home Assistant, all as real processes."""

    def __init__(self, folder, environment):
        self.broker, self.board = Broker(folder), PlainBoard(folder)
        self.broker.has_persistence = False  # the worst case
        self.pond = HomeLink(folder, self.board, self.broker)
        examples = "".join(re.findall("```yaml\n(.*?)```", MANUAL.read_text(), re.DOTALL)[:1])
        with socket.socket() as trying:
            trying.bind(("127.0.0.1", 0))
            port = trying.getsockname()[1]
        self.home = HomeAssistant(environment, f"config-{port}", port, LAMP + examples)

    def start(self):
        self.broker.start()
        self.broker.wait()
        self.board.start()
        wait_until(self.board.ask_state, "board")
        self.pond.start()
        self.home.start()
        self.home.set_up(self.broker.port)

    def close(self):
        self.home.close()
        for process in (self.pond, self.board, self.broker):
            process.stop()

    def restart(self, process):
        process.start()
        if process is self.board:
            wait_until(self.board.ask_state, "board")

    def read(self):
        return self.home.states("pond_")

    def wait_for(self, **states):
        """Wait for states by entity id, with `__` for the dot."""
        expected = {entity.replace("__", "."): state for entity, state in states.items()}
        wait_until(lambda: self.read().items() >= expected.items(), str(expected), PATIENCE, lambda: str(self.read()))

    def wait_for_all(self, state):
        wait_until(
            lambda: self.read().keys() == ENTITIES and {*self.read().values()} == {state},
            f"entities all {state}",
            PATIENCE,
            lambda: str(self.read()),
        )

    def wait_for_board(self):
        """Wait until Home Assistant shows the board as it is."""

        def is_shown():
            board, shown = self.board.ask_state(), self.read()
            last = board["last"]["action"] if board["last"] else "unknown"
            return (
                shown.keys() == ENTITIES
                and "unavailable" not in shown.values()
                and last == shown["sensor.pond_last_move"]
            )

        wait_until(is_shown, "right states", PATIENCE, lambda: str(self.read()))

    def act(self, *actions):
        for action in actions:
            self.board.ask({"command": "action", "action": action})

    def begin(self):
        """Begin a new game without asking anyone."""
        self.board.ask({"command": "new", "variant": "standard"}, {"command": "brightness", "brightness": 1})
        self.wait_for(
            sensor__pond_last_move="unknown", select__pond_next_variant="standard", number__pond_brightness="100"
        )

    def read_retained(self):
        """Return the topics of all messages that the broker has kept."""
        command = ["mosquitto_sub", "-p", str(self.broker.port), "-t", "#", "-F", "%t", "--retained-only", "-W", "1"]
        return sorted(subprocess.run(command, capture_output=True, text=True, check=False).stdout.split())


@pytest.fixture(scope="module")
def house():
    for tool in ("mosquitto", "mosquitto_sub"):
        require(tool, "Home Assistant and Pond meet at a real broker")
    environment = build.find()
    if environment is None:
        pytest.skip("needs Home Assistant: make test-home")
    with tempfile.TemporaryDirectory(prefix="pond-home-") as folder:
        house = House(Path(folder), environment)
        try:
            house.start()
            yield house
        finally:
            house.close()


@pytest.fixture(autouse=True)
def begin(house):
    house.wait_for_board()
    house.begin()


def test_device_with_all_entities_appears(house):
    assert house.read().keys() == ENTITIES
    assert house.read().items() >= START.items()
    [device] = [each for each in house.home.list_registry("device") if each["name"] == "Pond"]
    assert (device["manufacturer"], device["model"]) == ("Pond", "simulated-4x4")
    categories = {each["entity_id"]: each["entity_category"] for each in house.home.list_registry("entity")}
    assert categories["number.pond_brightness"] == "config"
    assert categories["binary_sensor.pond_problem"] == "diagnostic"


def test_turn_is_shown_with_event_and_picture(house):
    house.act("@b2", "@b3", "b2c2")
    house.wait_for(sensor__pond_turn="dark", sensor__pond_last_move="b2c2")
    event = house.home.state("event.pond_game")["attributes"]
    assert event.items() >= {"event_type": "move", "side": "light", "action": "b2c2", "turn": 3}.items()
    position = Position.from_notation(house.board.ask_state()["position"])
    picture = draw_board(position, ["b2", "c2"])
    wait_until(lambda: house.home.picture("image.pond_board") == ("image/png", picture), "picture")


def test_whole_game_is_followed(house):
    while not (state := house.board.ask_state())["outcome"]:
        house.act(state["legal"][0])
    house.wait_for(
        sensor__pond_turn="over", **{f"sensor__pond_{side}_score": str(state["score"][side]) for side in state["score"]}
    )
    event = house.home.state("event.pond_game")["attributes"]
    assert event["event_type"] == "game_over"
    assert event["winner"] == state["outcome"]["winner"]


def test_new_game_button_starts_the_chosen_game(house):
    house.home.call("select", "select_option", entity_id="select.pond_next_variant", option="mini")
    house.home.call("select", "select_option", entity_id="select.pond_next_opponent", option="greedy")
    house.wait_for(select__pond_next_variant="mini", select__pond_next_opponent="greedy")
    assert house.board.ask_state()["variant"] == "standard"
    house.home.call("button", "press", entity_id="button.pond_new_game")
    wait_until(lambda: house.board.ask_state()["variant"] == "mini", "new game")
    house.act("@b2")
    house.wait_for(sensor__pond_turn="light", sensor__pond_last_move=wait_until(lambda: _find_answer(house), "answer"))
    house.board.ask({"command": "new", "variant": "standard", "players": {"light": None, "dark": None}})


def _find_answer(house):
    state = house.board.ask_state()
    return state["last"]["action"] if state["turn"] == 2 else None


def test_new_game_during_a_game_needs_a_press(house):
    house.act("@b2")
    house.home.call("button", "press", entity_id="button.pond_new_game")
    asked = wait_until(lambda: house.board.ask_state().get("asks"), "request")
    assert house.board.ask_state()["turn"] == 1
    sleep(1)  # a touch right after the request would not be an answer
    house.board.ask({"touch": asked["cell"]})
    wait_until(lambda: house.board.ask_state()["turn"] == 0, "new game")


def test_hint_and_brightness(house):
    house.home.call("button", "press", entity_id="button.pond_hint")
    wait_until(lambda: house.board.ask_state()["hint"], "hint")
    house.home.call("number", "set_value", entity_id="number.pond_brightness", value=30)
    house.wait_for(number__pond_brightness="30")
    assert house.board.ask_state()["brightness"] == 0.3


def test_killed_pond_becomes_unavailable_by_its_will(house):
    house.pond.kill()
    house.wait_for_all("unavailable")
    house.act("@b2")
    house.restart(house.pond)
    house.wait_for(sensor__pond_turn="dark", sensor__pond_last_move="@b2")


def test_stopped_pond_becomes_unavailable(house):
    house.pond.stop()
    house.wait_for_all("unavailable")
    house.restart(house.pond)
    house.wait_for_board()


def test_killed_board_becomes_unavailable(house):
    house.board.kill()
    house.wait_for_all("unavailable")
    house.restart(house.board)
    house.wait_for(sensor__pond_turn="light")


def test_broker_that_loses_everything(house):
    house.broker.kill()
    house.act("@b2")
    house.restart(house.broker)
    house.wait_for(sensor__pond_turn="dark", sensor__pond_last_move="@b2")


def test_reload_of_the_mqtt_integration(house):
    [entry] = [each for each in house.home.get("/api/config/config_entries/entry") if each["domain"] == "mqtt"]
    house.home.post(f"/api/config/config_entries/entry/{entry['entry_id']}/reload")
    house.wait_for_board()


@pytest.mark.parametrize("order", list(permutations(("home", "broker", "pond"))), ids="-".join)
def test_all_three_start_in_any_order(house, order):
    """Home Assistant, the broker and Pond all lose their power, and start one after another."""
    for name in order:
        getattr(house, name).kill()
    house.act("@b2")
    for name in order:
        house.restart(getattr(house, name))
    house.wait_for(sensor__pond_turn="dark", sensor__pond_last_move="@b2")


def test_retained_command_is_ignored(house):
    settings = HomeAssistantSettings.load(StoredLink(house.pond.folder / "link"))
    topic = f"{settings.topics.commands}brightness"
    house.broker.kill()
    house.broker.has_persistence = True
    house.restart(house.broker)
    house.wait_for_board()
    _publish(house, topic, "7", "--retain")
    house.wait_for(number__pond_brightness="7")
    wait_until(lambda: topic in house.read_retained(), "kept command")
    house.begin()
    sleep(1)  # the broker saves every change
    house.broker.kill()
    house.restart(house.broker)
    wait_until(lambda: topic in house.read_retained(), "kept command")
    house.act("@b2")
    house.wait_for(sensor__pond_last_move="@b2", number__pond_brightness="100")
    assert house.board.ask_state()["brightness"] == 1
    _publish(house, topic, "", "--retain")
    house.broker.has_persistence = False


def _publish(house, topic, payload, *options):
    command = ["mosquitto_pub", "-p", str(house.broker.port), "-t", topic, "-m", payload, *options]
    subprocess.run(command, check=True)


def test_example_of_the_manual_lights_the_lamp(house):
    house.home.call("light", "turn_off", entity_id="light.table_lamp")
    house.act("@b2")
    house.wait_for(sensor__pond_turn="dark")
    assert house.home.state("light.table_lamp")["state"] == "off"
    house.act("@d4")
    wait_until(lambda: house.home.state("light.table_lamp")["state"] == "on", "light")


def test_off_removes_everything(house):
    before = {each["id"] for each in house.home.list_registry("device")}
    house.pond.stop()
    command = house.pond.list_command()
    off = [*command[:4], "home-assistant", "off"]
    environment = {"STATE_DIRECTORY": str(house.pond.folder), "PATH": "/usr/bin", "PYTHONPATH": str(MANUAL.parents[1])}
    subprocess.run(off, check=True, env=environment, capture_output=True)
    wait_until(lambda: not house.read(), "removal", PATIENCE)
    assert house.read_retained() == []
    assert "Pond" not in [each["name"] for each in house.home.list_registry("device")]
    house.home.stop()  # after a kill, it would not remember the removal
    house.home.start()
    assert house.read() == {}
    settings = HomeAssistantSettings.load(StoredLink(house.pond.folder / "link"))
    settings._replace(is_on=True).store(StoredLink(house.pond.folder / "link"))
    house.restart(house.pond)
    house.wait_for_board()
    assert len(before) == len(house.home.list_registry("device"))


def test_home_assistant_has_nothing_to_complain_about(house):
    lines = [
        line
        for line in house.home.log.read_text().splitlines()
        if re.search("pond|Invalid|template", line, re.IGNORECASE)
    ]
    assert [line for line in lines if re.search(" (WARNING|ERROR) ", line)] == []
    assert json.loads((house.pond.folder / "link/settings.json").read_text())["home_assistant"]["on"]
