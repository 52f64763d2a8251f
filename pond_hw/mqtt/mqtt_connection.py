"""Connection to an MQTT broker. It reconnects when needed, and never raises an error into the game."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from socket import gaierror

import aiomqtt
from paho.mqtt.reasoncodes import ReasonCode

from pond_hw.link.invitation import Broker
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.mqtt.stored_link import Login

LOG = logging.getLogger("pond")

RETRY_SECONDS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds before each attempt to reconnect. The last value repeats."""

KEEP_ALIVE_SECONDS = 30
"""Maximum seconds without a packet. Half as long again, and the connection is taken for lost, at both ends."""

TIMEOUT_SECONDS = 10.0
"""Seconds to wait for an answer of the broker before reconnecting."""

GOODBYE_SECONDS = 1.0
"""Seconds to wait for the broker when this program ends."""

MAX_QUEUED_MESSAGES = 100

_WRONG_LOGIN = (134, 135)
"""MQTT reason codes for a wrong user or password, and for a user that may not connect."""


class MqttConnection:
    """Connection to a broker.

    Args:
        broker: address of the broker.
        login: user and password at the broker.
        will: topic and payload of the retained message that the broker sends when this program has gone.

    Attributes:
        listeners: called with None after connecting, and with the reason after each failed attempt and each lost connection.

    Raises:
        PondError: the certificate file can't be used.
    """

    def __init__(self, broker: Broker, login: Login = Login(), will: tuple[str, bytes] | None = None) -> None:  # noqa: B008
        self.broker = broker
        self.listeners: list[Callable[[Message | None], None]] = []
        self.is_connected = False
        self._login, self._will = login, will
        self._tls = make_tls_context(login.ca_file) if broker.has_tls else None
        self._handlers: dict[str, tuple[Callable[[bytes], None], bool]] = {}
        self._outbox: dict[str, bytes] = {}
        self._events: deque[tuple[str, bytes]] = deque(maxlen=MAX_QUEUED_MESSAGES)
        self._has_mail = asyncio.Event()
        self._last_reason: Message | None = None

    def subscribe(self, topic: str, on_message: Callable[[bytes], None], *, only_new: bool = False) -> None:
        """Receive the messages of a topic. Call this before `run`.

        Args:
            topic: topic without wildcards.
            on_message: called with each payload.
            only_new: True to ignore the message that the broker has kept from before.
        """
        self._handlers[topic] = on_message, only_new

    def publish(self, topic: str, payload: bytes) -> None:
        """Send a retained message now or, if the broker is not connected, later. It replaces an earlier one of the same topic.

        An empty payload removes the message from the broker.
        """
        self._outbox[topic] = payload
        self._has_mail.set()

    def publish_event(self, topic: str, payload: bytes) -> None:
        """Send a message that the broker does not keep. It is dropped if the broker is not connected."""
        if self.is_connected:
            self._events.append((topic, payload))
            self._has_mail.set()

    async def run(self) -> None:
        """Stay connected until this task is cancelled."""
        tries = 0
        while True:
            client = self._make_client()
            try:
                async with client, self._saying_goodbye(client):
                    await self._subscribe_all(client)
                    tries = 0
                    self._report(None)
                    await self._send_and_receive(client)
            except (aiomqtt.MqttError, _Refused) as error:
                self._report(self._describe(error))
            # After a packet that it can't decode, aiomqtt leaves the socket open and reads the packet again, for ever.
            client._client.disconnect()
            await asyncio.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])
            tries += 1

    async def deliver_all(self) -> None:
        """Wait until the broker has all retained messages."""
        while self._outbox:
            await asyncio.sleep(0.05)

    def _make_client(self) -> aiomqtt.Client:
        will = self._will and aiomqtt.Will(self._will[0], self._will[1], qos=1, retain=True)
        return aiomqtt.Client(
            self.broker.host,
            self.broker.port,
            username=self._login.user,
            password=self._login.password,
            tls_context=self._tls,
            will=will or None,
            keepalive=KEEP_ALIVE_SECONDS,
            timeout=TIMEOUT_SECONDS,
            max_queued_incoming_messages=MAX_QUEUED_MESSAGES,
        )

    @asynccontextmanager
    async def _saying_goodbye(self, client: aiomqtt.Client) -> AsyncIterator[None]:
        """Publish the will when this program ends: the broker does it only if the connection is lost."""
        try:
            yield
        except asyncio.CancelledError:
            if self._will:
                with suppress(aiomqtt.MqttError):
                    await client.publish(*self._will, qos=1, retain=True, timeout=GOODBYE_SECONDS)
            raise

    async def _subscribe_all(self, client: aiomqtt.Client) -> None:
        if self._handlers:
            codes = await client.subscribe([(topic, 1) for topic in self._handlers])
            if any(isinstance(code, ReasonCode) and code.is_failure for code in codes):
                raise _Refused

    async def _send_and_receive(self, client: aiomqtt.Client) -> None:
        """Send and receive until the connection is lost.

        No task group: before Python 3.13, one whose task fails forgets that it was cancelled at the same time.
        """
        tasks = asyncio.create_task(self._send(client)), asyncio.create_task(self._receive(client))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            errors = await asyncio.gather(*tasks, return_exceptions=True)
        raise next(error for error in errors if isinstance(error, Exception))

    async def _receive(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            on_message, only_new = self._handlers.get(str(message.topic), (None, False))
            if on_message and isinstance(message.payload, bytes | bytearray) and not (only_new and message.retain):
                on_message(bytes(message.payload))

    async def _send(self, client: aiomqtt.Client) -> None:
        while True:
            self._has_mail.clear()
            for topic, payload in list(self._outbox.items()):
                await client.publish(topic, payload, qos=1, retain=True)
                if self._outbox[topic] is payload:
                    del self._outbox[topic]
            while self._events:
                await client.publish(*self._events.popleft(), qos=1)
            await self._has_mail.wait()

    def _report(self, reason: Message | None) -> None:
        if reason is None:
            LOG.info("The broker %s is connected.", self.broker)
        elif reason != self._last_reason:
            LOG.warning("%s", to_english(reason))
        self._events.clear()
        self.is_connected, self._last_reason = reason is None, reason
        for listener in self.listeners:
            listener(reason)

    def _describe(self, error: BaseException) -> Message:
        """Return a sentence about an error. aiomqtt hides the system's error behind its own."""
        broker, cause = str(self.broker), error.__context__
        if isinstance(error, _Refused):
            prefixes = sorted({f"{topic.partition('/')[0]}/" for topic in self._handlers})
            return Message("link.broker.refuses_topics", broker=broker, prefixes=tuple(prefixes))
        code = error.rc if isinstance(error, aiomqtt.MqttCodeError) else None
        if isinstance(code, ReasonCode) and code.value in _WRONG_LOGIN:
            return Message("link.broker.wrong_login", broker=broker)
        if isinstance(cause, ssl.SSLError):
            reason = getattr(cause, "verify_message", "") or cause.reason or str(cause)
            return Message("link.broker.no_trust", broker=broker, reason=reason.replace("_", " ").lower())
        if isinstance(cause, gaierror):
            return Message("link.broker.unknown_host", broker=broker, host=self.broker.host)
        if isinstance(cause, OSError):
            return Message("link.broker.unreachable", broker=broker, reason=describe_system_error(cause))
        return Message("link.broker.lost", broker=broker)


class _Refused(Exception):
    """The broker does not let this user read the topics."""


def make_tls_context(ca_file: str | None) -> ssl.SSLContext:
    """Return a context that checks the broker's certificate and name.

    Raises:
        PondError: the file can't be used.
    """
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        reason = "no certificate" if isinstance(error, ssl.SSLError) else describe_system_error(error)
        raise PondError(Message("link.broker.wrong_ca", file=str(Path(ca_file or "")), reason=reason)) from error
