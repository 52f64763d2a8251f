"""Connection to a real broker, also to one that refuses it."""

import asyncio
import subprocess
from contextlib import suppress

import pytest

from pond_hw.link.invitation import Broker
from pond_hw.messages.message import PondError
from pond_hw.mqtt import mqtt_connection
from pond_hw.mqtt.mqtt_connection import Login, MqttConnection, make_tls_context
from tests.conftest import require
from tests.mqtt import processes

require("mosquitto", "it is the broker")
require("mosquitto_passwd", "it makes the password file of the broker")
require("openssl", "it makes the broker's certificate")

pytestmark = pytest.mark.slow

# paho leaves the socket of a failed TLS handshake to the garbage collector.
paho_forgets_to_close = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


class SetBroker(processes.Broker):
    """A broker with further settings."""

    def __init__(self, folder, *settings):
        super().__init__(folder)
        self.settings = settings

    def list_command(self):
        command = super().list_command()
        path = self.folder / "mosquitto.conf"
        lines = path.read_text(encoding="utf-8").splitlines()
        if any(line.startswith("allow_anonymous") for line in self.settings):
            lines.remove("allow_anonymous true")
        path.write_text("\n".join([*lines, *self.settings]) + "\n", encoding="utf-8")
        return command


@pytest.fixture
def start(folder):
    brokers = []

    def start_broker(*settings):
        broker = SetBroker(folder, *settings)
        brokers.append(broker)
        broker.start()
        broker.wait()
        return broker

    yield start_broker
    for broker in brokers:
        broker.stop()


def run(connection, until, seconds=10):
    """Run a connection until something is true. Return the reasons that it has reported."""
    reasons = []
    connection.listeners.append(lambda reason: reasons.append(reason and reason.id))

    async def run_until():
        running = asyncio.create_task(connection.run())
        try:
            async with asyncio.timeout(seconds):
                while not until(reasons):
                    await asyncio.sleep(0.02)
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    asyncio.run(run_until())
    return reasons


def connect(port, login=None, will=None, **settings):
    return MqttConnection(Broker("127.0.0.1", port, **{"has_tls": False} | settings), login or Login(), will)


def test_retained_message_waits_for_a_reader(start):
    broker = start()
    writer, reader, received = connect(broker.port), connect(broker.port), []
    writer.publish("pond/a", b"first")
    writer.publish("pond/a", b"second")
    run(writer, lambda _: not writer._outbox)
    reader.subscribe("pond/a", received.append)
    run(reader, lambda _: received)
    assert received == [b"second"]


def test_kept_message_is_no_command(start):
    broker = start()
    writer, reader, received = connect(broker.port), connect(broker.port), []
    writer.publish("pond/set", b"old")
    run(writer, lambda _: not writer._outbox)
    reader.subscribe("pond/set", received.append, only_new=True)

    def until(reasons):
        if reasons == [None] and not reader._outbox and not received:
            reader.publish_event("pond/set", b"new")
        return received

    run(reader, until)
    assert set(received) == {b"new"}


def test_event_is_not_kept(start):
    broker = start()
    connection, received = connect(broker.port), []
    connection.subscribe("pond/event", received.append)
    connection.publish_event("pond/event", b"before the connection")

    def until(reasons):
        if reasons == [None] and not received:
            connection.publish_event("pond/event", b"now")
        return received

    run(connection, until)
    assert set(received) == {b"now"}
    late = []
    other = connect(broker.port)
    other.subscribe("pond/event", late.append)
    other.publish("pond/a", b"")
    run(other, lambda reasons: reasons and not other._outbox)
    assert late == []


def test_will_is_published_at_the_end(start):
    broker = start()
    leaver, reader, received = connect(broker.port, will=("pond/here", b"no")), connect(broker.port), []
    leaver.publish("pond/here", b"yes")
    run(leaver, lambda _: not leaver._outbox)
    reader.subscribe("pond/here", received.append)
    run(reader, lambda _: received)
    assert received == [b"no"]


def test_connection_returns_with_the_broker(start, monkeypatch):
    monkeypatch.setattr(mqtt_connection, "RETRY_SECONDS", (0.2,))
    broker = start()
    connection, steps = connect(broker.port), []

    def until(reasons):
        if reasons == [None] and not steps:
            steps.append(broker.kill())
        if len(reasons) > 1 and len(steps) == 1:
            connection.publish("pond/a", b"later")
            steps.append(broker.start())
        return reasons[-1:] == [None] and len(reasons) > 2 and not connection._outbox

    reasons = run(connection, until)
    assert reasons[:2] == [None, "link.broker.lost"]
    assert set(reasons[2:-1]) <= {"link.broker.unreachable"}


def test_unreachable_broker(start):
    broker = start()
    broker.kill()
    assert run(connect(broker.port), bool) == ["link.broker.unreachable"]


def test_wrong_password(start, folder):
    passwords = folder / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "ada", "secret"], check=True)
    passwords.chmod(0o644)
    broker = start("allow_anonymous false", f"password_file {passwords}")
    assert run(connect(broker.port), bool) == ["link.broker.wrong_login"]
    assert run(connect(broker.port, Login("ada", "wrong")), bool) == ["link.broker.wrong_login"]
    assert run(connect(broker.port, Login("ada", "secret")), bool) == [None]


def make_certificate(folder, name):
    key, certificate = folder / f"{name}.key", folder / f"{name}.crt"
    request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
    names = ["-addext", f"subjectAltName=DNS:{name}"]
    subprocess.run([*request, *names, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    key.chmod(0o644)
    return key, certificate


@paho_forgets_to_close
def test_certificate_is_checked(start, folder):
    key, certificate = make_certificate(folder, "localhost")
    _, other = make_certificate(folder, "other")
    broker = start(f"keyfile {key}", f"certfile {certificate}")

    def try_host(host, ca_file):
        return run(MqttConnection(Broker(host, broker.port), Login(ca_file=ca_file)), bool)

    assert try_host("localhost", str(certificate)) == [None]
    assert try_host("localhost", None) == ["link.broker.no_trust"]
    assert try_host("localhost", str(other)) == ["link.broker.no_trust"]
    assert try_host("127.0.0.1", str(certificate)) == ["link.broker.no_trust"]


@paho_forgets_to_close
def test_plain_broker_at_a_secure_address(start):
    broker = start()
    reasons = run(connect(broker.port, has_tls=True), bool)
    assert reasons[0] in ("link.broker.no_trust", "link.broker.unreachable")


def test_unknown_host():
    connection = MqttConnection(Broker("nowhere.invalid", 1883, has_tls=False))
    assert run(connection, bool, 30) == ["link.broker.unknown_host"]


@pytest.mark.parametrize("content", ["", "no certificate\n", None])
def test_wrong_certificate_file(tmp_path, content):
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(PondError) as caught:
        make_tls_context(str(path))
    assert caught.value.message.id == "link.broker.wrong_ca"
