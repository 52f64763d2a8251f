"""Everything that two homes send over the network, captured with tshark."""

import json
import random
import subprocess
from collections import Counter

import pytest

from pond_hw.link.sealing import MIN_SEALED
from pond_hw.mqtt.stored_link import StoredLink
from tests.conftest import require, skip_outside_ci
from tests.mqtt.processes import Link, TwoHomes, find_invitation, wait_until

require("mosquitto", "the homes meet at a real broker")
require("tshark", "it captures what they send")

pytestmark = pytest.mark.slow

NAME = "Wilhelmina"


class Capture:
    """Packets of a port on this machine."""

    def __init__(self, folder, port):
        self.path, self.port = folder / "wire.pcapng", port
        command = ["tshark", "-q", "-i", "lo", "-f", f"tcp port {port}", "-w", str(self.path)]
        self.running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.running.stderr:
            if "Capturing on" in line:
                return
        self.running.wait()
        skip_outside_ci("tshark may not capture here")

    def stop(self):
        self.running.terminate()
        self.running.wait(20)
        self.running.stderr.close()

    def read_bytes(self):
        """Return everything that was sent, in the order of the packets."""
        fields = self.read("-T", "fields", "-e", "tcp.payload")
        return b"".join(bytes.fromhex(line) for line in fields.split())

    def read_messages(self):
        """Return the MQTT messages as pairs of a topic and a payload."""
        packets = json.loads(self.read("-d", f"tcp.port=={self.port},mqtt", "-Y", "mqtt.msg", "-T", "json"))
        layers = [packet["_source"]["layers"]["mqtt"] for packet in packets]
        messages = [layer for each in layers for layer in (each if isinstance(each, list) else [each])]
        pairs = [(each["mqtt.topic"], each.get("mqtt.msg", "")) for each in messages if "mqtt.topic" in each]
        return [(topic, bytes.fromhex(payload.replace(":", ""))) for topic, payload in pairs]

    def read(self, *options):
        command = ["tshark", "-r", str(self.path), *options]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def homes(folder):
    homes = TwoHomes(folder, random.Random(1))
    yield homes
    homes.stop()


def test_nothing_can_be_read_on_the_wire(homes, folder):
    homes.broker.start()
    homes.broker.wait()
    capture = Capture(folder, homes.broker.port)
    invite_by_name(homes)
    play_until(homes, turns=4)
    homes.stop()
    capture.stop()
    sent, messages = capture.read_bytes(), capture.read_messages()
    assert len(sent) > 10 * MIN_SEALED
    game = StoredLink(homes.boards[0].folder / "link").load().game
    secrets = [NAME, "light", "dark", "3x3", "act", str(game.invitation).rpartition("/")[2]]
    secrets += [str(turn.action) for turn in game.log.game.turns]
    readable = [secret for secret in secrets if len(secret) > 2 and secret.encode() in remove_random(sent, messages)]
    assert readable == []
    assert NAME in game.log.names
    sizes = Counter(len(payload) for _, payload in messages)
    assert set(sizes) <= {0, MIN_SEALED}, "a size reveals something"
    invitation = game.invitation
    known = {invitation.find_topic(writer) for writer in ("inviter", "joiner", "join")}
    assert {topic for topic, _ in messages} <= known


def remove_random(sent, messages):
    """Return what was sent, without the sealed payloads if they are as random as they should be.

    Short words such as `act` occur in random bytes by chance.
    """
    for payload in {payload for _, payload in messages if payload}:
        counts = Counter(payload)
        assert len(counts) == 256, "some bytes never occur"
        assert max(counts.values()) < 50, "some bytes occur too often"
        assert NAME.encode() not in payload
        sent = sent.replace(payload, b"")
    return sent


def invite_by_name(homes):
    address = f"mqtt://127.0.0.1:{homes.broker.port}"
    for board in homes.boards:
        board.start()
    first, second = (board.folder for board in homes.boards)
    homes.links.append(Link(first, homes.boards[0], "invite", address, "--variant=3x3/6/3", f"--name={NAME}"))
    homes.links[0].start()
    invitation = wait_until(lambda: find_invitation(first / "link.log"), "invitation")
    homes.links.append(Link(second, homes.boards[1], "join", invitation))
    homes.links[1].start()
    homes.come_to_rest()


def play_until(homes, turns):
    wait_until(lambda: homes.do_something() or (homes.boards[0].ask_state() or {}).get("turn", 0) >= turns, "turns")
    homes.come_to_rest()
