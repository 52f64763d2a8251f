"""`pond link home-assistant`: settings, connection and removal, with a real broker."""

import asyncio
import json
import subprocess
import sys
from argparse import Namespace
from contextlib import contextmanager

import pytest

from pond_hw.commands.link import _connect_all
from pond_hw.link.changes import INVITER
from pond_hw.link.invitation import parse_broker
from pond_hw.link.linked_game import LinkedGame
from pond_hw.mqtt import home_assistant_link, mqtt_connection
from pond_hw.mqtt.home_assistant_link import HomeAssistantSettings
from pond_hw.mqtt.linked_home import LinkedHome
from pond_hw.mqtt.stored_link import StoredLink
from pond_hw.rules import STANDARD
from tests.conftest import require
from tests.mqtt.processes import Broker, Link, wait_until

SETTINGS = HomeAssistantSettings("0123456789abcdef", parse_broker("mqtt://127.0.0.1:1/pond"), "Pond")


@pytest.fixture
def stored(folder, monkeypatch):
    monkeypatch.setenv("STATE_DIRECTORY", str(folder))
    return StoredLink(folder / "link")


def test_settings_survive_a_restart(stored):
    assert HomeAssistantSettings.load(stored) is None
    stored.write_settings({"other": 1})
    SETTINGS.store(stored)
    assert HomeAssistantSettings.load(stored) == SETTINGS
    assert stored.read_settings()["other"] == 1


@pytest.mark.parametrize("setting", [None, [], {}, {"id": "a", "broker": "x", "name": "Pond", "on": True}])
def test_invalid_settings_are_ignored(stored, setting):
    stored.write_settings({"home_assistant": setting})
    assert HomeAssistantSettings.load(stored) is None


def test_off_without_on_is_refused(pond, stored):
    code, _, err = pond("link", "home-assistant", "off")
    assert code == 2
    assert "has not been switched on" in err


def test_off_without_a_broker_can_be_repeated(pond, stored, monkeypatch):
    monkeypatch.setattr(home_assistant_link, "REMOVAL_SECONDS", 0.1)
    SETTINGS.store(stored)
    for _ in range(2):
        code, _, err = pond("link", "home-assistant", "off")
        assert code == 2
        assert "Home Assistant still shows the board" in err
    assert HomeAssistantSettings.load(stored) == SETTINGS._replace(is_on=False)


def test_run_without_game_and_home_assistant(pond, stored):
    SETTINGS._replace(is_on=False).store(stored)
    assert pond("link", "run")[0] == 2


def test_show_names_the_broker(pond, stored):
    SETTINGS.store(stored)
    code, out, _ = pond("link", "show")
    assert code == 0
    assert out == "Home Assistant: “Pond”, with the broker mqtt://127.0.0.1:1/pond\n"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("http://broker.example",),
        ("mqtt://broker.example", "--side", "light"),
        ("mqtt://broker.example", "--variant", "mini"),
        ("mqtt://broker.example", "--name", "a" * 31),
        ("mqtt://broker.example", "--name", "a\nb"),
        ("mqtt://broker.example", "--password-file", "/nowhere"),
        ("off", "--name", "Kitchen"),
        ("off", "--user", "ada"),
    ],
)
def test_wrong_command_changes_nothing(pond, stored, arguments):
    code, _, err = pond("link", "home-assistant", *arguments)
    assert code == 2
    assert err.count("\n") == 1
    assert HomeAssistantSettings.load(stored) is None


@pytest.mark.parametrize("port", [1, 2])
def test_game_on_the_same_broker_shares_the_connection(stored, monkeypatch, port):
    made = []

    class Connection(mqtt_connection.MqttConnection):
        def __init__(self, broker, login, will=None):
            super().__init__(broker, login, will)
            made.append((broker, will))

        async def run(self):
            raise EndOfTest

    monkeypatch.setattr(mqtt_connection, "MqttConnection", Connection)
    broker = parse_broker(f"mqtt://127.0.0.1:{port}/pond")
    home = LinkedHome(LinkedGame.invite(broker, STANDARD, INVITER, ""))
    options = Namespace(socket=str(stored.folder / "nowhere.sock"))
    with pytest.raises(EndOfTest):
        asyncio.run(_connect_all(options, stored, home, SETTINGS, "en"))
    others = [(broker, None)] if broker != SETTINGS.broker else []
    assert made == [(SETTINGS.broker, SETTINGS.will), *others]


class EndOfTest(Exception):
    pass


@contextmanager
def running(folder):
    """Run a broker, and `pond link home-assistant` without a board. Yield both."""
    require("mosquitto", "the board and Home Assistant meet at a real broker")
    broker = Broker(folder)
    broker.start()
    broker.wait()
    board = type("Nowhere", (), {"path": folder / "nowhere.sock"})
    link = Link(folder, board, "home-assistant", f"mqtt://127.0.0.1:{broker.port}", "--name=Kitchen")
    link.start()
    try:
        yield broker, link
    finally:
        link.stop()
        broker.stop()


def read_retained(broker):
    command = ["mosquitto_sub", "-p", str(broker.port), "-t", "#", "-F", "%t %p", "--retained-only", "-W", "1"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


@pytest.mark.slow
def test_board_that_is_not_there_is_offline(folder, stored):
    with running(folder) as (broker, link):
        lines = wait_until(lambda: read_retained(broker), "message")
        settings = HomeAssistantSettings.load(stored)
        assert lines == [f"pond/{settings.device_id}/availability offline"]
        assert settings.name == "Kitchen"
        link.stop()
        off = [sys.executable, "-m", "pond_hw", "link", "home-assistant", "off"]
        subprocess.run(off, check=True, capture_output=True)
        assert read_retained(broker) == []
        assert json.loads((folder / "link/settings.json").read_text())["home_assistant"]["on"] is False


@pytest.mark.slow
def test_second_process_is_refused(pond, folder, stored):
    with running(folder) as (broker, _):
        wait_until(lambda: read_retained(broker), "message")
        code, _, err = pond("link", "home-assistant", "off")
        assert code == 2
        assert "already running" in err
