"""Tests of invitations."""

import pytest

from pond_hw.link.invitation import Broker, Invitation, parse_broker, parse_invitation
from pond_hw.link.signatures import LinkError
from tests.conftest import each

JOIN = Invitation(Broker("broker.example", 8883), bytes(range(16)))


@each(
    "broker",
    [
        Broker("broker.example", 8883),
        Broker("192.0.2.7", 1884, False),
        Broker("fd00::7", 8884, True, "home/games_2"),
    ],
)
def test_invitation_is_parsed_as_it_was_written(broker):
    invitation = Invitation(broker, bytes(range(16)))
    assert parse_invitation(str(invitation)) == invitation
    assert parse_invitation(str(invitation.to_watch)) == invitation.to_watch
    assert parse_invitation(f" {invitation}\n") == invitation


def test_invitation_may_be_typed_in_small_letters_without_hyphens():
    start, code = str(JOIN).rsplit("/", 1)
    assert parse_invitation(f"{start}/{code.lower().replace('-', '')}") == JOIN


def test_every_wrong_character_of_the_code_is_noticed():
    start, code = str(JOIN).rsplit("/", 1)
    for index, letter in enumerate(code):
        if letter != "-":
            with pytest.raises(LinkError) as raised:
                parse_invitation(f"{start}/{code[:index]}{'A' if letter != 'A' else 'B'}{code[index + 1 :]}")
            assert raised.value.message.id == "link.mistyped"


@each(
    "text, message_id",
    [
        ("", "link.no_invitation"),
        ("hello", "link.no_invitation"),
        ("pond-play:mqtt://a/b/CCCC", "link.no_invitation"),
        (str(JOIN) * 3, "link.wrong_broker"),
        (str(JOIN) + " " * 300, "link.no_invitation"),
        (str(JOIN).replace("broker", "broken"), "link.mistyped"),
        (str(JOIN).replace("join", "watch"), "link.mistyped"),
        (str(JOIN)[:-5], "link.mistyped"),
        (str(JOIN).replace("mqtts", "http"), "link.wrong_broker"),
        (str(JOIN).replace("pond/", "po+nd/"), "link.wrong_broker"),
    ],
)
def test_wrong_invitation_is_explained(text, message_id):
    with pytest.raises(LinkError) as raised:
        parse_invitation(text)
    assert raised.value.message.id == message_id


LONG = "a" * 64
"""A part of a name that the system can't resolve: it raises UnicodeError."""


@each("text", ["mqtt://", "mqtt://a:0", "mqtt://a:65536", "mqtt://a/#", "mqtt://a/b/", "mqtt://-a", "mqtt://a b", "a"])
def test_wrong_broker_is_refused(text):
    refuse_broker(text)


@each("host", ["a..b", "a.-b", "a-.b", "a.b.", f"{LONG}.b", f"b.{LONG}"])
def test_host_that_cannot_be_resolved_is_refused(host):
    refuse_broker(f"mqtt://{host}")


def refuse_broker(text):
    with pytest.raises(LinkError) as raised:
        parse_broker(text)
    assert raised.value.message.id == "link.wrong_broker"


def test_broker_without_port_or_prefix():
    assert parse_broker("mqtts://Broker.example") == Broker("broker.example", 8883, True, "pond")
    assert parse_broker("mqtt://broker.example") == Broker("broker.example", 1883, False, "pond")


def test_spectators_know_neither_secret_nor_join_key():
    watch = JOIN.to_watch
    assert watch.secret != JOIN.secret
    assert watch.join_key != JOIN.join_key
    assert watch.to_watch is watch
    assert watch.seal_key == JOIN.seal_key


def test_topics_show_neither_writer_nor_invitation():
    topics = {JOIN.find_topic(writer) for writer in ("inviter", "joiner", "join")}
    assert len(topics) == 3
    assert topics == {JOIN.to_watch.find_topic(writer) for writer in ("inviter", "joiner", "join")}
    assert all(topic.startswith("pond/") and "join" not in topic for topic in topics)
