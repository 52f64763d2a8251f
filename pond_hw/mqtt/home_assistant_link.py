"""Connection of one board to Home Assistant, over a broker."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from secrets import token_hex
from typing import Any, NamedTuple

from pond_hw.link.invitation import Broker, parse_broker
from pond_hw.link.signatures import LinkError
from pond_hw.messages.message import Message
from pond_hw.mqtt.home_assistant import HomeAssistantDevice
from pond_hw.mqtt.home_assistant_discovery import OFFLINE, STATUS_TOPIC, DeviceTopics
from pond_hw.mqtt.mqtt_connection import MqttConnection
from pond_hw.mqtt.stored_link import Login, StoredLink
from pond_hw.server.board_connection import BoardConnection

DEFAULT_NAME = "Pond"
"""Default name of the device."""

REMOVAL_SECONDS = 10.0
"""Seconds to try to remove the device from the broker."""

_SETTING = "home_assistant"


class HomeAssistantSettings(NamedTuple):
    """Settings of the connection to Home Assistant.

    Attributes:
        device_id: random id of the device. It stays the same, so that Home Assistant recognizes the board.
        broker: broker that Home Assistant uses, too.
        name: name of the device.
        is_on: False if the device has been removed.
    """

    device_id: str
    broker: Broker
    name: str
    is_on: bool = True

    @property
    def topics(self) -> DeviceTopics:
        return DeviceTopics(self.broker.prefix, self.device_id)

    @property
    def will(self) -> tuple[str, bytes]:
        """Topic and payload of the message that makes the device unavailable."""
        return self.topics.availability, OFFLINE

    @classmethod
    def load(cls, stored: StoredLink) -> HomeAssistantSettings | None:
        """Return the stored settings; None if there are none.

        Raises:
            PondError: the file can't be read, or it is damaged.
        """
        match stored.read_settings().get(_SETTING):
            case {"id": str(device_id), "broker": str(broker), "name": str(name), "on": bool(is_on)}:
                try:
                    return cls(device_id, parse_broker(broker), name, is_on)
                except LinkError:
                    return None
        return None

    def store(self, stored: StoredLink) -> None:
        """Write the settings to disk.

        Raises:
            OSError: they have not been stored.
        """
        fields = {"id": self.device_id, "broker": str(self.broker), "name": self.name, "on": self.is_on}
        stored.write_settings(stored.read_settings() | {_SETTING: fields})


def make_device_id() -> str:
    return token_hex(8)


class HomeAssistantLink:
    """Passes messages between a board and Home Assistant while `board` and `broker` run.

    Args:
        settings: the settings.
        board: connection to the board, only for Home Assistant.
        broker: connection to the broker, with the will of the settings.
    """

    def __init__(self, settings: HomeAssistantSettings, board: BoardConnection, broker: MqttConnection) -> None:
        self._board, self._broker, topics = board, broker, settings.topics
        self._device = HomeAssistantDevice(topics, settings.device_id, settings.name, self._publish)
        board.on_line = self._receive_board
        board.on_lose = self._device.lose_board
        broker.listeners.append(self._note_broker)
        for topic in topics.subscribed:
            broker.subscribe(topic, partial(self._receive_mqtt, topic), only_new=topic != STATUS_TOPIC)

    def _publish(self, topic: str, payload: bytes, is_retained: bool) -> None:
        publish = self._broker.publish if is_retained else self._broker.publish_event
        publish(topic, payload)

    def _note_broker(self, reason: Message | None) -> None:
        if reason is None:
            self._device.announce()

    def _receive_board(self, message: Mapping[str, Any]) -> None:
        for line in self._device.receive_board(message):
            self._board.send(line)

    def _receive_mqtt(self, topic: str, payload: bytes) -> None:
        for line in self._device.receive_mqtt(topic, payload):
            self._board.send(line)


async def remove_device(settings: HomeAssistantSettings, login: Login) -> bool:
    """Remove the device and everything about it from the broker. Return False if the broker can't be reached."""
    broker = MqttConnection(settings.broker, login)
    for topic in settings.topics.retained:
        broker.publish(topic, b"")
    connection = asyncio.create_task(broker.run())
    try:
        await asyncio.wait_for(broker.deliver_all(), REMOVAL_SECONDS)
    except TimeoutError:
        return False
    finally:
        connection.cancel()
        await asyncio.gather(connection, return_exceptions=True)
    return True
