"""Connection of one board to Home Assistant, over a broker."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pond_hw.messages.message import Message
from pond_hw.mqtt.home_assistant import HomeAssistantDevice
from pond_hw.mqtt.home_assistant_discovery import OFFLINE, STATUS_TOPIC, DeviceTopics
from pond_hw.mqtt.mqtt_connection import MqttConnection
from pond_hw.server.board_connection import BoardConnection


class HomeAssistantLink:
    """Passes messages between a board and Home Assistant while `board` and `broker` run.

    Args:
        device_id: random id of the device.
        name: name of the device.
        board: connection to the board.
        broker: connection to the broker, with the will of `make_will`.
    """

    def __init__(self, device_id: str, name: str, board: BoardConnection, broker: MqttConnection) -> None:
        self._board, self._broker = board, broker
        self._device = HomeAssistantDevice(device_id, name, self._publish)
        board.on_line = self._receive_board
        board.on_lose = self._device.lose_board
        broker.listeners.append(self._note_broker)
        for topic in self._device.topics.subscribed:
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


def make_will(device_id: str) -> tuple[str, bytes]:
    """Return the topic and the payload of the message that makes the device unavailable."""
    return DeviceTopics(device_id).availability, OFFLINE
