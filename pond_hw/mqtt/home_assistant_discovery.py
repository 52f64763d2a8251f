"""Discovery message that describes a board to Home Assistant as one device with entities."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pond_hw import __version__
from pond_hw.engine import PLAYER_NAMES
from pond_hw.rules import Side

DISCOVERY_PREFIX = "homeassistant"
"""Home Assistant's default prefix of discovery topics."""

STATUS_TOPIC = f"{DISCOVERY_PREFIX}/status"
"""Topic on which Home Assistant sends `ONLINE` after it has started."""

ONLINE, OFFLINE = b"online", b"offline"

PRESS = b"PRESS"
"""Payload of a pressed button."""

PERSON = "person"
OPPONENTS = (PERSON, *PLAYER_NAMES[1:])

MIN_PERCENT, MAX_PERCENT = 1, 100
"""Range of the brightness."""

TURN_STATES = (*map(str, Side), "over", "resume", "exercise")
"""States of the sensor that shows whose turn it is. Without a turn it is a phase of protocol 1."""

COMMANDS = ("new_game", "hint", "variant", "opponent", "brightness")

EVENT_TYPES = ("place", "move", "score", "undo", "new_game", "game_over")


class DeviceTopics:
    """Topics of one device.

    Args:
        prefix: first part of all topics except the discovery message.
        device_id: random id of the device.

    Attributes:
        config: discovery message.
        availability: `ONLINE` or `OFFLINE`.
        state: values of all entities except the picture and the events, as a JSON object.
        board: picture of the board.
        event: one message for each event; never retained.
        commands: prefix of the command topics, which end with one of `COMMANDS`.
    """

    def __init__(self, prefix: str, device_id: str) -> None:
        base = f"{prefix}/{device_id}"
        self.config = f"{DISCOVERY_PREFIX}/device/pond_{device_id}/config"
        self.availability, self.state = f"{base}/availability", f"{base}/state"
        self.board, self.event, self.commands = f"{base}/board", f"{base}/event", f"{base}/set/"

    @property
    def retained(self) -> tuple[str, ...]:
        """Topics on which the broker keeps the last message. To remove the device, empty them in this order."""
        return self.config, self.state, self.board, self.availability

    @property
    def subscribed(self) -> tuple[str, ...]:
        return STATUS_TOPIC, *(self.commands + name for name in COMMANDS)


def build_discovery(topics: DeviceTopics, device_id: str, name: str, hello: Mapping[str, Any]) -> bytes:
    """Build the discovery message.

    Args:
        topics: topics of the device.
        device_id: random id of the device.
        name: name of the device.
        hello: first message of the board.
    """

    def entity(platform: str, key: str, name: str, **fields: Any) -> dict[str, Any]:
        return {"platform": platform, "unique_id": f"pond_{device_id}_{key}", "name": name, **fields}

    def sensor(key: str, name: str, icon: str, **fields: Any) -> dict[str, Any]:
        return entity("sensor", key, name, icon=icon, value_template=_template(key), **fields)

    def command(platform: str, key: str, name: str, icon: str, **fields: Any) -> dict[str, Any]:
        if platform != "button":
            fields["value_template"] = _template(key)
        return entity(platform, key, name, icon=icon, command_topic=topics.commands + key, **fields)

    def score(side: Side) -> dict[str, Any]:
        name = f"{str(side).capitalize()} score"
        return sensor(f"{side}_score", name, "mdi:counter", state_class="measurement", unit_of_measurement="pieces")

    entities = {
        "turn": sensor("turn", "Turn", "mdi:swap-horizontal", device_class="enum", options=TURN_STATES),
        **{f"{side}_score": score(side) for side in Side},
        "last_move": sensor("last_move", "Last move", "mdi:history"),
        "game": entity(
            "event", "game", "Game", icon="mdi:bell-outline", state_topic=topics.event, event_types=EVENT_TYPES
        ),
        "board": entity("image", "board", "Board", icon="mdi:grid", image_topic=topics.board, content_type="image/png"),
        "new_game": command("button", "new_game", "New game", "mdi:restart"),
        "hint": command("button", "hint", "Hint", "mdi:lightbulb-question-outline"),
        "variant": command("select", "variant", "Next variant", "mdi:checkerboard", options=hello["variants"]),
        "opponent": command("select", "opponent", "Next opponent", "mdi:robot-outline", options=OPPONENTS),
        "brightness": command(
            *("number", "brightness", "Brightness", "mdi:brightness-6"),
            min=MIN_PERCENT,
            max=MAX_PERCENT,
            mode="slider",
            unit_of_measurement="%",
            entity_category="config",
        ),
        "problem": entity(
            *("binary_sensor", "problem", "Problem"),
            value_template="{{ 'ON' if value_json.problem else 'OFF' }}",
            json_attributes_topic=topics.state,
            json_attributes_template="{{ value_json.details | tojson }}",
            device_class="problem",
            entity_category="diagnostic",
        ),
    }
    discovery = {
        "dev": {
            "identifiers": [f"pond_{device_id}"],
            "name": name,
            "manufacturer": "Pond",
            "model": hello["board"],
            "sw_version": hello["version"],
        },
        "o": {"name": "Pond", "sw_version": __version__},
        "cmps": entities,
        "availability_topic": topics.availability,
        "state_topic": topics.state,
        "qos": 1,
    }
    return json.dumps(discovery, separators=(",", ":")).encode()


def _template(key: str) -> str:
    return f"{{{{ value_json.{key} }}}}"
