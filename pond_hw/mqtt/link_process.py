"""Process that plays the stored game: a client of the board and of the broker."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from time import time
from typing import Any

from pond_hw.link.signatures import LinkError
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.mqtt.linked_home import JsonLine, LinkedHome, LinkEnded
from pond_hw.mqtt.mqtt_connection import MqttConnection
from pond_hw.server.board_connection import BoardConnection

LOG = logging.getLogger("pond")

TICK_SECONDS = 1.0

PRESENCE_SECONDS = 15 * 60
"""Seconds between two messages that show the other home that this one is there."""


class LinkProcess:
    """One home while its game is played.

    The order is always the same: store, then send. As long as the game can't be stored, nothing is sent.

    Args:
        home: the stored game.
        store: stores the game, or raises OSError.
        board: connection to the board.
        broker: connection to the broker.
        clock: returns the seconds since 1970.

    Attributes:
        on_status: called with the new `link` line of protocol 1 when it has changed.
    """

    def __init__(
        self,
        home: LinkedHome,
        store: Callable[[LinkedHome], None],
        board: BoardConnection,
        broker: MqttConnection,
        clock: Callable[[], float] = time,
    ) -> None:
        self._home, self._store, self._board, self._broker, self._clock = home, store, board, broker, clock
        self._stored_revision, self._is_broken = home.revision, False
        self._status = home.make_status()
        self.on_status: Callable[[JsonLine], None] = lambda _: None
        self._has_missed_board = False
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        board.on_line = self._receive_board
        board.on_lose = self._lose_board
        broker.listeners.append(self._note_broker)
        for topic in home.read_topics:
            broker.subscribe(topic, self._receive_mqtt)

    async def run(self) -> None:
        """Play until this is cancelled, while the connection to the broker runs.

        Raises:
            LinkEnded: this home can't go on with the game.
        """
        tasks = [asyncio.create_task(each) for each in (self._board.run(), self._tick_forever())]
        try:
            await asyncio.wait([*tasks, self._ended], return_when=asyncio.FIRST_COMPLETED)
            for done in (*tasks, self._ended):
                if done.done():
                    done.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _tick_forever(self) -> None:
        monotonic_clock = asyncio.get_running_loop().time  # a Pi sets its clock only when the network is there
        next_presence = monotonic_clock() + PRESENCE_SECONDS
        while True:
            await asyncio.sleep(TICK_SECONDS)
            self._handle(partial(self._home.tick, self._clock()))
            if monotonic_clock() >= next_presence:
                next_presence = monotonic_clock() + PRESENCE_SECONDS
                self._publish()

    def _receive_board(self, message: Mapping[str, Any]) -> None:
        self._has_missed_board = False
        self._handle(partial(self._home.receive_board, message, self._clock()))

    def _receive_mqtt(self, payload: bytes) -> None:
        self._handle(partial(self._home.receive_mqtt, payload, self._clock()))

    def _lose_board(self) -> None:
        self._home.lose_board()
        if not self._has_missed_board:
            self._has_missed_board = True
            self._warn(Message("link.no_board"))

    def _note_broker(self, reason: Message | None) -> None:
        self._handle(partial(self._home.set_online, reason is None))
        if reason is None:
            self._publish()

    def _handle(self, receive: Callable[[], list[JsonLine]]) -> None:
        """Let the home receive something. Store what has changed, then send."""
        if self._ended.done():
            return
        lines: list[JsonLine] = []
        try:
            lines = receive()
        except LinkEnded as error:
            self._ended.set_exception(error)
        if self._home.revision != self._stored_revision:
            self._store_game()
        for line in lines:
            self._board.send(line)
        if (status := self._home.make_status()) != self._status:
            self._status = status
            self.on_status(status)

    def _store_game(self) -> None:
        revision = self._home.revision
        try:
            self._store(self._home)
        except OSError as error:
            if not self._is_broken:
                self._warn(Message("link.not_stored", reason=describe_system_error(error)))
            self._is_broken = True
            return
        self._stored_revision, self._is_broken = revision, False
        self._publish()

    def _publish(self) -> None:
        """Send this home's message, if everything in it has been stored."""
        if self._home.revision != self._stored_revision:
            return
        game = self._home.game
        try:
            message = game.make_message(int(self._clock()))
        except LinkError as error:
            self._warn(error.message)
            return
        if game.topic and message:
            self._broker.publish(game.topic, message)
        if topic := self._home.finished_topic:
            self._broker.publish(topic, b"")

    @staticmethod
    def _warn(message: Message) -> None:
        LOG.warning("%s", to_english(message))
