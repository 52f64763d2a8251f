"""Trial connection to a broker, as the doctor makes it."""

import socket
import subprocess
import threading
import time

import pytest

from pond_hw.link.invitation import Broker
from pond_hw.mqtt import broker_trial
from pond_hw.mqtt.broker_trial import try_broker
from pond_hw.mqtt.stored_link import Login
from tests.conftest import each, require

LOGIN = Login("heron", "w4terlily")


def name_fault(broker, login=LOGIN):
    message = try_broker(broker, login)
    return message and message.id.removeprefix("doctor.link.")


def find_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def answer(server, data):
    """Answer two connections, the second of which is that of the MQTT library, with some data."""
    for _ in range(2):
        connection, _ = server.accept()
        with connection:
            connection.sendall(data)


@each("data", [b"", b"\x20\x02\x00", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 5000, b"\x20\xff\xff\xff\x7f"])
def test_program_that_is_no_broker(data, monkeypatch):
    monkeypatch.setattr(broker_trial, "ANSWER_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer, args=(server, data))
        thread.start()
        assert name_fault(Broker("127.0.0.1", server.getsockname()[1], has_tls=False)) in ("no_broker", "unreachable")
        thread.join()


@each("data", [b"", b"\x20\x02\x00\x00", b"\x16\x03\x03\xff\xff" + bytes(99)])
def test_program_without_tls(data):
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer, args=(server, data), daemon=True)
        thread.start()
        assert name_fault(Broker("127.0.0.1", server.getsockname()[1])) == "no_tls"


def test_broker_that_is_off():
    assert name_fault(Broker("127.0.0.1", find_port(), has_tls=False)) == "unreachable"


def test_name_that_does_not_exist():
    assert name_fault(Broker("broker.invalid", 8883)) == "unknown_name"


def test_missing_certificate_file(tmp_path):
    assert name_fault(Broker("127.0.0.1", 1), Login(ca_file=str(tmp_path / "ca.pem"))) == "no_ca_file"


@pytest.fixture
def broker(tmp_path):
    """A real broker with a user and a certificate for `localhost`. Return its ports without and with TLS."""
    require("mosquitto", "it is the broker")
    require("mosquitto_passwd", "it makes the password file of the broker")
    require("openssl", "it makes the broker's certificate")
    subprocess.run(["mosquitto_passwd", "-c", "-b", tmp_path / "users", *LOGIN[:2]], check=True)
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    files = ["-keyout", tmp_path / "key.pem", "-out", tmp_path / "ca.pem"]
    subprocess.run(["openssl", "req", "-x509", *kind, *files, *subject], check=True, capture_output=True)
    for path in (*tmp_path.parents[:3], *tmp_path.iterdir()):
        path.chmod(path.stat().st_mode | 0o055)  # for the broker's own user
    tmp_path.chmod(0o755)
    plain, secure = find_port(), find_port()
    (tmp_path / "mosquitto.conf").write_text(f"""\
password_file {tmp_path}/users
listener {plain} 127.0.0.1
listener {secure} 127.0.0.1
certfile {tmp_path}/ca.pem
keyfile {tmp_path}/key.pem
""")
    process = subprocess.Popen(["mosquitto", "-c", tmp_path / "mosquitto.conf"], stderr=subprocess.DEVNULL)
    for port in (plain, secure):
        for _ in range(100):
            if name_fault(Broker("localhost", port, has_tls=False)) != "unreachable":
                break
            time.sleep(0.05)
    yield plain, secure
    process.terminate()
    process.wait()


@pytest.mark.slow
def test_real_broker(broker, tmp_path):
    plain, secure = broker
    trusted = LOGIN._replace(ca_file=str(tmp_path / "ca.pem"))
    assert name_fault(Broker("localhost", plain, has_tls=False)) is None
    assert name_fault(Broker("localhost", plain, has_tls=False), Login()) == "login_refused"
    assert name_fault(Broker("localhost", plain, has_tls=False), LOGIN._replace(password="x")) == "login_refused"
    assert name_fault(Broker("localhost", plain)) == "no_tls"
    assert name_fault(Broker("localhost", secure), trusted) is None
    assert name_fault(Broker("localhost", secure)) == "certificate_issuer"
    assert name_fault(Broker("127.0.0.1", secure), trusted) == "certificate_name"
    assert name_fault(Broker("localhost", secure, has_tls=False)) == "no_broker"
