"""Tests of `pond link`, without a broker."""

import json
import os
import sys

import pytest

from pond_hw.commands import link
from pond_hw.link.changes import INVITER
from pond_hw.link.invitation import parse_broker
from pond_hw.link.linked_game import LinkedGame
from pond_hw.messages.message import Message
from pond_hw.mqtt.linked_home import LinkedHome
from pond_hw.mqtt.stored_link import StoredLink
from pond_hw.rules import parse_variant
from tests.messages.says import text

BROKER = "mqtt://broker.example"


@pytest.fixture
def stored(folder, monkeypatch):
    monkeypatch.setenv("STATE_DIRECTORY", str(folder))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return StoredLink()


@pytest.fixture
def played(monkeypatch):
    """List the homes that would be played."""
    homes = []
    monkeypatch.setattr(link, "_play", lambda _options, _stored, home: homes.append(home))
    return homes


def make_invitation(variant="standard"):
    return LinkedGame.invite(parse_broker(BROKER), parse_variant(variant), INVITER)


def assert_refused(pond, words, message_id, **arguments):
    code, out, err = pond("link", *words)
    assert (code, out, err) == (2, "", f"pond: {text(Message(message_id, **arguments))}\n")


def test_invite_stores_the_game_before_it_is_played(pond, stored, played):
    pond("link", "invite", BROKER, "--variant", "mini", "--side", "dark", "--name", "Ada")
    game = stored.load().game
    assert played[0].game.invitation == game.invitation
    assert (game.variant.name, game.home) == ("mini", INVITER)
    assert str(game.invitation).startswith("pond-join:mqtt://broker.example/pond/")


def test_join_and_watch(pond, stored, played):
    invitation = make_invitation().invitation
    pond("link", "watch", str(invitation.to_watch))
    assert played[0].game.home is None
    assert pond("link", "leave", "--yes")[0] == 0
    pond("link", "join", str(invitation))
    pond("link", "join", str(invitation))
    assert len(played) == 3
    assert played[1].game.to_bytes() == played[2].game.to_bytes()


def test_wrong_words(pond, stored):
    invitation = make_invitation().invitation
    assert_refused(pond, ["invite"], "link.needs_choice", what="invite", place="BROKER")
    assert_refused(pond, ["answer", "perhaps"], "link.needs_choice", what="answer", place="yes, no, 1 or 2")
    assert_refused(pond, ["run", "now"], "link.no_choice", what="run")
    assert_refused(pond, ["run", "--name", "Ada"], "link.begin_only", option="--name")
    assert_refused(pond, ["join", "hello"], "link.no_invitation")
    assert_refused(pond, ["join", str(invitation)[:-1] + "1"], "link.mistyped")
    assert_refused(pond, ["join", str(invitation.to_watch)], "link.only_watch")
    assert_refused(pond, ["watch", str(invitation)], "link.not_watch")
    assert_refused(pond, ["join", str(invitation), "--side", "dark"], "link.inviter_chooses", option="--side")
    assert_refused(pond, ["invite", BROKER, "--password-file", os.devnull], "link.password_needs_user")
    assert_refused(pond, ["invite", "broker"], "link.wrong_broker", text="broker")


def test_nothing_is_stored_at_first(pond, stored):
    for words in (["run"], ["show"], ["leave", "--yes"]):
        assert_refused(pond, words, "link.nothing_stored")


def test_own_invitation_is_refused(pond, stored):
    game = make_invitation()
    stored.store(LinkedHome(game))
    assert_refused(pond, ["join", str(game.invitation)], "link.own_invitation")
    assert_refused(pond, ["join", str(make_invitation().invitation)], "link.already_stored")
    assert stored.load().game.invitation == game.invitation


def test_running_link_is_not_disturbed(pond, stored):
    stored.store(LinkedHome(make_invitation()))
    with stored.lock():
        assert_refused(pond, ["run"], "link.file.in_use")
        assert_refused(pond, ["leave", "--yes"], "link.file.in_use")


def test_damaged_file(pond, stored):
    stored.store(LinkedHome(make_invitation()))
    path = stored.folder / "game"
    path.write_bytes(path.read_bytes()[:-1])
    assert_refused(pond, ["run"], "link.damaged")
    assert pond("link", "leave", "--yes")[0] == 0


def test_show_has_the_invitation_until_someone_joins(pond, stored):
    game = make_invitation()
    stored.store(LinkedHome(game))
    code, out, _ = pond("link", "show")
    assert code == 0
    assert str(game.invitation) in out
    joiner = LinkedGame.join(game.invitation)
    game.receive(joiner.make_message(5), 6)
    stored.store(LinkedHome(game))
    _, out, _ = pond("link", "show")
    assert "pond-join:" not in out
    assert text(Message("link.show.my_turn")) in out


def test_answer_without_a_board(pond, stored):
    code, _, err = pond("link", "answer", "yes", "--socket", str(stored.folder / "none"))
    assert (code, err.count("\n")) == (2, 1)


def test_leave_needs_a_terminal_to_ask(pond, stored):
    stored.store(LinkedHome(make_invitation()))
    assert_refused(pond, ["leave"], "link.leave.cannot_ask")
    assert stored.exists


@pytest.mark.parametrize("module", ["nacl", "aiomqtt"])
def test_missing_packages(pond, stored, monkeypatch, module):
    for name in [name for name in sys.modules if name.startswith(("pond_hw.link", "pond_hw.mqtt", module))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    code, _, err = pond("link", "invite", BROKER)
    assert (code, err.count("\n")) == (2, 1)
    assert "make link" in err or "pip" in err


def test_password_goes_to_its_own_broker_only(pond, stored, played, folder):
    password_file = folder / "password"
    password_file.write_text("secret\n", encoding="utf-8")
    pond("link", "invite", BROKER, "--user", "ada", "--password-file", str(password_file))
    settings = stored.folder / "settings.json"
    assert settings.stat().st_mode & 0o777 == 0o600
    assert "secret" in json.dumps(json.loads(settings.read_text(encoding="utf-8")))
    assert stored.read_login(parse_broker(BROKER)).password == "secret"
    assert stored.read_login(parse_broker("mqtt://other.example")).password is None
