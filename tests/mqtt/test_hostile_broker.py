"""A broker that sends anything but MQTT: the connection is closed and tried again."""

import asyncio
from contextlib import suppress

import pytest

from pond_hw.link.invitation import Broker
from pond_hw.mqtt import mqtt_connection
from pond_hw.mqtt.mqtt_connection import MqttConnection

CONNECTED = b"\x20\x02\x00\x00"
SUBSCRIBED = b"\x90\x03\x00\x01\x01"


def make_publish(topic, payload=b"x"):
    body = len(topic).to_bytes(2) + topic + payload
    return bytes([0x30, len(body)]) + body


class HostileBroker:
    """A server that answers the first packets of each connection with some data, and waits until the other end closes it."""

    def __init__(self, answers):
        self.answers, self.opened, self.closed = answers, 0, asyncio.Semaphore(0)

    async def serve(self, reader, writer):
        self.opened += 1
        with suppress(OSError):
            for answer in self.answers:
                await reader.read(100)
                writer.write(answer)
                await writer.drain()
            while await reader.read(100):
                pass
        writer.close()
        self.closed.release()


async def connect_twice(answers):
    """Run a connection until it has been closed twice. Return the payloads that arrived."""
    hostile, payloads = HostileBroker(answers), []
    async with await asyncio.start_server(hostile.serve, "127.0.0.1", 0) as server:
        connection = MqttConnection(Broker("127.0.0.1", server.sockets[0].getsockname()[1], has_tls=False))
        connection.subscribe("pond/a", payloads.append)
        running = asyncio.create_task(connection.run())
        async with asyncio.timeout(10):
            await hostile.closed.acquire()
            await hostile.closed.acquire()
        assert not running.done()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    return payloads


@pytest.mark.parametrize(
    "answers",
    [
        [b"HTTP/1.1 400 Bad Request\r\n\r\n"],
        [b"\x20\x02\x00\x05"],
        [CONNECTED + SUBSCRIBED],
        [CONNECTED, SUBSCRIBED + make_publish(b"pond/#")],
        [CONNECTED, SUBSCRIBED + make_publish(b"\xff")],
        [CONNECTED, SUBSCRIBED + b"\x30\xff\xff\xff\xff\xff"],
        [CONNECTED, SUBSCRIBED + b"\x00\x00"],
        [CONNECTED, SUBSCRIBED + make_publish(b"pond/a") + b"\x36\x03"],
    ],
)
def test_connection_to_a_hostile_broker_is_closed(answers, monkeypatch):
    monkeypatch.setattr(mqtt_connection, "RETRY_SECONDS", (0.01,))
    monkeypatch.setattr(mqtt_connection, "TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr(mqtt_connection, "KEEP_ALIVE_SECONDS", 1)
    assert set(asyncio.run(connect_twice(answers))) <= {b"x"}
