"""Files of the linked game."""

import pytest

from pond_hw.link.changes import INVITER
from pond_hw.link.invitation import parse_broker
from pond_hw.link.linked_game import LinkedGame
from pond_hw.mqtt.linked_home import LinkedHome
from pond_hw.mqtt.stored_link import Login, StoredLink
from pond_hw.rules import STANDARD, PondError
from tests.conftest import each

BROKER = parse_broker("mqtts://broker.example")


@pytest.fixture
def stored(tmp_path):
    return StoredLink(tmp_path / "link")


def test_login_belongs_to_one_broker(stored):
    assert stored.read_login(BROKER) == Login()
    stored.write_login(BROKER, Login("ada", "secret"))
    assert stored.read_login(BROKER) == Login("ada", "secret")
    assert stored.read_login(BROKER._replace(has_tls=False)) == stored.read_login(BROKER._replace(port=1)) == Login()


@each("login", [3, {"user": 3, "password": None, "ca_file": None}, {"user": "ada"}])
def test_login_that_was_edited_wrongly_is_none(stored, login):
    stored.write_login(BROKER, Login("ada", "secret"))
    (key,) = stored.read_settings()
    stored.write_settings({key: login})
    assert stored.read_login(BROKER) == Login()


@each("length", [0, 1, 64, 100, -1])
def test_truncated_game_is_damaged(stored, length):
    stored.store(LinkedHome(LinkedGame.invite(BROKER, STANDARD, INVITER)))
    path = stored.folder / "game"
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(PondError) as raised:
        stored.load()
    assert raised.value.message.id == "link.damaged"


def test_certificate_is_stored(stored):
    stored.write_login(BROKER, Login(), b"a certificate")
    ca_file = stored.folder / "broker.example-8883.pem"
    assert stored.read_login(BROKER) == Login(ca_file=str(ca_file))
    assert ca_file.read_text(encoding="ascii") == "a certificate"


def test_files_are_private(stored):
    stored.write_login(BROKER, Login("ada", "secret"), b"a certificate")
    stored.store(LinkedHome(LinkedGame.invite(BROKER, STANDARD, INVITER)))
    with stored.lock():
        paths = [stored.folder, *stored.folder.iterdir()]
    assert {path.name for path in paths} == {"link", "game", "settings.json", "broker.example-8883.pem", "lock"}
    assert not any(path.stat().st_mode & 0o077 for path in paths)


def test_two_processes_cannot_play_one_game(stored):
    with stored.lock(), pytest.raises(PondError) as raised, StoredLink(stored.folder).lock():
        pass
    assert raised.value.message.id == "link.file.in_use"
    with stored.lock():
        pass
