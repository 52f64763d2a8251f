"""Tests of a linked game between two homes that receive each other's messages."""

import pytest

from pond_hw.link import game_log, linked_game
from pond_hw.link.changes import Draw, NewGame, Resign, TakeBack, change_to_json
from pond_hw.link.game_log import begin_log, log_to_json, make_join
from pond_hw.link.invitation import parse_broker
from pond_hw.link.linked_game import INVITER, JOINER, LinkedGame
from pond_hw.link.sealing import MIN_SEALED, open_sealed, seal
from pond_hw.link.signatures import (
    LinkError,
    encode_bytes,
    format_canonical,
    make_digest,
    parse_json,
    sign,
)
from pond_hw.link.wishes import MAX_WISHES
from pond_hw.rules import DARK, LIGHT, STANDARD, Action, EndReason, legal_actions, parse_variant
from tests.conftest import each

BROKER = parse_broker("mqtts://broker.example")
TINY = parse_variant("3x3/2/1")


class Link:
    """Two homes and a spectator."""

    def __init__(self, variant=STANDARD, light=INVITER, names=("", "")):
        self.inviter = LinkedGame.invite(BROKER, variant, light, names[0], b"i" * 32)
        self.joiner = LinkedGame.join(self.inviter.invitation, names[1], b"j" * 32)
        self.watcher = LinkedGame.join(self.inviter.invitation.to_watch)
        self.homes = (self.inviter, self.joiner)
        self.inviter.receive(self.joiner.make_message(1), 1)
        self.exchange()

    def exchange(self):
        """Deliver messages until nothing changes."""
        for _ in range(10):
            if not any([self.deliver(0, 1), self.deliver(1, 0)]):
                return
        pytest.fail("the homes never stop sending")

    def deliver(self, sender, receiver, now=1):
        return self.homes[receiver].receive(self.homes[sender].make_message(now), now)

    @property
    def writer(self):
        return self.homes[self.inviter.log.writer]

    def play(self, count=1):
        for _ in range(count):
            self.writer.act(legal_actions(self.inviter.log.game.position)[0])
            self.exchange()

    @property
    def game(self):
        assert self.inviter.log.hash == self.joiner.log.hash
        return self.inviter.log.game


def refuse(game, message, message_id=None):
    """Check that a message is refused and changes nothing."""
    before = game.to_bytes()
    with pytest.raises(LinkError) as raised:
        game.receive(message, 1)
    assert game.to_bytes() == before
    if message_id:
        assert raised.value.message.id == message_id


def forge(game, key=None, **fields):
    """Return a message of a home with other fields."""
    text = open_sealed(game.make_message(1), game.invitation.seal_key)[64:]
    content = format_canonical(parse_json(text) | fields)
    return seal(sign(key or game._key, make_digest("message", content)) + content, game.invitation.seal_key)


def refuse_request(call, *arguments, message_id, **options):
    with pytest.raises(LinkError) as raised:
        call(*arguments, **options)
    assert raised.value.message.id == message_id


# Joining


def test_both_homes_have_the_game_after_joining():
    link = Link(names=("Ada", ""))
    assert link.joiner.log.names == ("Ada", "")
    assert link.inviter.choose_cells(4) == link.joiner.choose_cells(4)
    assert len(set(link.inviter.choose_cells(4))) == 4
    assert link.inviter.is_my_turn
    assert not link.joiner.is_my_turn


def test_cells_differ_between_games():
    other = LinkedGame.invite(BROKER, STANDARD, INVITER, seed=b"o" * 32)
    other.receive(LinkedGame.join(other.invitation, seed=b"j" * 32).make_message(1), 1)
    third = LinkedGame.invite(BROKER, STANDARD, INVITER, seed=b"o" * 32)
    third.receive(LinkedGame.join(other.invitation, seed=b"k" * 32).make_message(1), 1)
    assert len({Link().inviter.choose_cells(4), other.choose_cells(4), third.choose_cells(4)}) == 3


def test_second_joiner_learns_that_the_invitation_is_used():
    link = Link()
    late = LinkedGame.join(link.inviter.invitation, seed=b"l" * 32)
    refuse(link.inviter, late.make_message(1), "link.used")
    refuse(late, link.inviter.make_message(1), "link.used")


def test_repeated_join_changes_nothing():
    link = Link()
    join = LinkedGame.join(link.inviter.invitation, seed=b"j" * 32).make_message(1)
    assert not link.inviter.receive(join, 1)


def test_spectator_cannot_join():
    inviter = LinkedGame.invite(BROKER, STANDARD, INVITER)
    intruder = LinkedGame(inviter.invitation.to_watch, JOINER, b"s" * 32)
    refuse(inviter, intruder.make_message(1), "link.wrong_signature")


def test_answer_of_another_joiner_is_refused():
    inviter = LinkedGame.invite(BROKER, STANDARD, INVITER)
    joiner = LinkedGame.join(inviter.invitation, seed=b"j" * 32)
    thief = LinkedGame.join(inviter.invitation, seed=b"t" * 32)
    refuse(inviter, forge(joiner, thief._key), "link.wrong_signature")
    renamed = dict(make_join(joiner._key, "")) | {"name": "Eve"}
    refuse(inviter, forge(joiner, join=renamed), "link.wrong_signature")


def test_game_of_another_inviter_is_refused():
    link = Link()
    intruder = LinkedGame(link.inviter.invitation, INVITER, b"m" * 32, "", (STANDARD, INVITER))
    newcomer = LinkedGame.join(link.inviter.invitation, seed=b"n" * 32)
    intruder.receive(newcomer.make_message(1), 1)
    refuse(newcomer, intruder.make_message(1), "link.unreadable")


def test_inviter_has_no_message_before_the_answer():
    inviter = LinkedGame.invite(BROKER, STANDARD, INVITER)
    assert inviter.make_message(1) is None
    assert inviter.log is None
    refuse_request(inviter.act, Action(None, "a1"), message_id="link.not_joined")


def test_restored_inviter_accepts_the_same_joiner_with_the_same_entry():
    inviter = LinkedGame.invite(BROKER, STANDARD, JOINER)
    backup, joiner = inviter.to_bytes(), LinkedGame.join(inviter.invitation)
    join = joiner.make_message(1)
    inviter.receive(join, 1)
    joiner.receive(inviter.make_message(1), 1)
    joiner.act(Action(None, "a1"))
    restored = LinkedGame.from_bytes(backup)
    restored.receive(join, 1)
    restored.receive(joiner.make_message(1), 1)
    assert restored.log.hash == joiner.log.hash


def test_other_first_entry_for_the_same_homes_is_refused():
    link = Link()
    other = begin_log(make_join(link.joiner._key, ""), link.inviter._key, "", STANDARD, JOINER)
    entry = [dict(other.body), encode_bytes(other.signature)]
    refuse(link.joiner, forge(link.inviter, log=[entry]), "link.used")


# Turns


@each("light", [INVITER, JOINER])
def test_homes_take_turns(light):
    link = Link(light=light)
    link.play(4)
    assert len(link.game.turns) == 4
    assert [entry.author for entry in link.inviter.log.list_entries()[1:]] == [light, 1 - light] * 2
    assert link.inviter.log.find_side(light) is LIGHT
    assert link.inviter.log.find_side(1 - light) is DARK


def test_home_cannot_act_for_the_other():
    link = Link()
    refuse_request(link.joiner.act, Action(None, "a1"), message_id="link.other_turn")
    forged = {"act": "@a1"}
    hand = encode_bytes(sign(link.joiner._key, game_log._hash_entry(link.joiner.log.hash, forged)))
    entries = game_log_to_json(link.joiner)
    refuse(link.inviter, forge(link.joiner, log=[*entries, [forged, hand]]), "link.wrong_signature")


def game_log_to_json(game):
    return [[dict(entry.body), encode_bytes(entry.signature)] for entry in game.log.list_entries()]


def test_illegal_action_is_refused():
    link = Link()
    refuse_request(link.inviter.act, Action("a1", "a2"), message_id="link.illegal")
    assert link.inviter.log.length == 1


@each("body", [{"act": "@a9"}, {"act": "@a1", "x": 1}, {"act": 5}, {}, {"do": {"draw": True}}, {"do": 3, "hand": ""}])
def test_wrong_entry_is_refused(body):
    link = Link()
    hand = encode_bytes(sign(link.inviter._key, game_log._hash_entry(link.inviter.log.hash, body)))
    refuse(link.joiner, forge(link.inviter, log=[*game_log_to_json(link.inviter), [body, hand]]))


def test_number_that_cannot_be_signed_is_refused():
    link = Link()
    entries = [*game_log_to_json(link.inviter), [{"act": "X"}, encode_bytes(bytes(64))]]
    opened = open_sealed(forge(link.inviter, log=entries), link.inviter.invitation.seal_key)
    refuse(link.joiner, seal(opened.replace(b'"X"', b"1e999"), link.joiner.invitation.seal_key), "link.unreadable")


def test_message_signed_by_the_other_home_is_refused():
    link = Link()
    link.inviter.act(Action(None, "a1"))
    refuse(link.joiner, forge(link.inviter, link.joiner._key), "link.wrong_signature")


def test_spectator_with_the_seal_key_cannot_make_a_message():
    link = Link()
    key = LinkedGame.join(link.inviter.invitation, seed=b"s" * 32)._key
    refuse(link.joiner, forge(link.inviter, key), "link.wrong_signature")
    refuse_request(link.watcher.request, Draw(), message_id="link.spectator")
    assert link.watcher.make_message(1) is None
    assert link.watcher.topic is None


def test_spectator_follows_the_game():
    link = Link()
    link.play(3)
    link.watcher.receive(link.joiner.make_message(1), 1)
    assert link.watcher.log.hash == link.joiner.log.hash
    link.joiner.request(Draw())
    link.watcher.receive(link.joiner.make_message(1), 1)
    assert link.watcher.requests == []


def test_old_message_changes_nothing():
    link = Link()
    old = link.inviter.make_message(1)
    link.play(3)
    assert not link.joiner.receive(old, 1)
    assert not link.inviter.receive(old, 1)


def test_log_has_a_maximum_length(monkeypatch):
    link = Link()
    monkeypatch.setattr(game_log, "MAX_ENTRIES", 3)
    monkeypatch.setattr(linked_game, "MAX_ENTRIES", 3)
    link.play(2)
    refuse_request(link.inviter.act, Action(None, "a1"), message_id="link.full")
    message = link.joiner.make_message(1)
    newcomer = LinkedGame.join(link.inviter.invitation.to_watch)
    monkeypatch.setattr(game_log, "MAX_ENTRIES", 2)
    refuse(newcomer, message, "link.full")


def test_longest_log_fits_into_a_message():
    link = Link()
    log, keys = link.inviter.log, (link.inviter._key, link.joiner._key)
    change = {"new": "standard", "light": 0}
    while log.length < game_log.MAX_ENTRIES:
        other = keys[1 - log.writer]
        digest = log.make_wish_digest(NewGame(STANDARD, 0))
        log = log.write({"do": change, "hand": encode_bytes(sign(other, digest))}, keys[log.writer])
    link.inviter.log = log
    assert len(link.inviter.make_message(1)) <= 1 << 19


# Changes


def agree(link, change, *, asker):
    home, other = link.homes[asker], link.homes[1 - asker]
    home.request(change)
    link.exchange()
    assert other.requests == [change]
    assert home.pending == [change]
    other.answer(change, is_accepted=True)
    link.exchange()
    assert home.pending == other.requests == []


@each("asker", [INVITER, JOINER])
def test_take_back_needs_both_homes(asker):
    link = Link()
    link.play(3)
    agree(link, TakeBack(1), asker=asker)
    assert len(link.game.turns) == 1
    assert link.joiner.is_my_turn


@each("asker", [INVITER, JOINER])
def test_draw_needs_both_homes(asker):
    link = Link()
    link.play()
    agree(link, Draw(), asker=asker)
    assert link.game.outcome == (None, EndReason.AGREEMENT)


@each("asker", [INVITER, JOINER])
def test_new_game_needs_both_homes(asker):
    link = Link()
    link.play()
    agree(link, NewGame(TINY, JOINER), asker=asker)
    assert link.game.turns == ()
    assert link.game.variant == TINY
    assert link.joiner.is_my_turn


@each("home", [INVITER, JOINER])
def test_resignation_needs_no_answer(home):
    link = Link()
    link.play()
    link.homes[home].request(Resign(home))
    link.exchange()
    assert link.game.outcome == (link.inviter.log.find_side(1 - home), EndReason.RESIGNATION)
    assert not link.inviter.is_my_turn
    assert not link.joiner.is_my_turn


def test_resignation_outlives_a_turn():
    link = Link()
    link.joiner.request(Resign(JOINER))
    message = link.joiner.make_message(1)
    link.inviter.act(Action(None, "a1"))
    link.inviter.receive(message, 1)
    assert link.inviter.log.game.outcome is None  # the joiner writes next
    link.exchange()
    assert link.game.outcome == (LIGHT, EndReason.RESIGNATION)


def test_resignation_does_not_end_the_next_game():
    link = Link()
    link.joiner.request(Resign(JOINER))
    old = link.joiner.make_message(1)
    link.exchange()
    agree(link, NewGame(STANDARD, INVITER), asker=INVITER)
    link.inviter.receive(old, 1)
    assert link.inviter.log.game.outcome is None


def test_resigned_game_cannot_be_taken_back():
    link = Link()
    link.play(2)
    link.joiner.request(Resign(JOINER))
    link.exchange()
    refuse_request(link.joiner.request, TakeBack(0), message_id="link.lapsed")


def test_finished_game_can_be_taken_back():
    link = Link(TINY)
    while not link.game.outcome:
        link.play()
    count = len(link.game.turns)
    last = link.inviter.log.author
    assert link.inviter.log.writer == 1 - last
    agree(link, TakeBack(count - 1), asker=last)
    assert link.homes[last].is_my_turn
    assert link.game.outcome is None


def test_request_lapses_with_the_next_turn():
    link = Link()
    link.joiner.request(Draw())
    link.exchange()
    link.play()
    assert link.inviter.requests == link.joiner.pending == []
    refuse_request(link.inviter.answer, Draw(), is_accepted=True, message_id="link.lapsed")


def test_consent_lapses_with_the_next_turn():
    link = Link()
    link.inviter.request(Draw())
    link.exchange()
    link.joiner.answer(Draw(), is_accepted=True)
    link.inviter.act(Action(None, "a1"))
    link.exchange()
    assert link.game.outcome is None


def test_request_can_be_repeated_after_a_turn():
    link = Link()
    link.joiner.request(Draw())
    link.exchange()
    link.inviter.act(Action(None, "a1"))
    link.deliver(0, 1)
    link.joiner.request(Draw())
    assert link.deliver(1, 0)
    assert link.inviter.requests == [Draw()]


@each("asker", [INVITER, JOINER])
def test_declined_request(asker):
    link = Link()
    link.homes[asker].request(Draw())
    link.exchange()
    link.homes[1 - asker].answer(Draw(), is_accepted=False)
    link.exchange()
    assert link.homes[asker].declined == [Draw()]
    assert link.homes[asker].pending == link.homes[1 - asker].requests == []
    assert link.game.outcome is None


def test_equal_requests_are_an_agreement():
    link = Link()
    link.inviter.request(Draw())
    link.joiner.request(Draw())
    link.exchange()
    assert link.game.outcome == (None, EndReason.AGREEMENT)


@each("change", [TakeBack(0), TakeBack(7), Resign(JOINER)])
def test_impossible_request_is_refused(change):
    link = Link()
    refuse_request(link.inviter.request, change, message_id="link.lapsed")


def test_home_has_few_open_requests():
    link = Link()
    link.play(20)
    for count in range(16):
        link.inviter.request(TakeBack(count))
    refuse_request(link.inviter.request, TakeBack(17), message_id="link.lapsed")
    assert link.deliver(0, 1)


def test_consent_of_a_game_does_not_fit_another():
    link, other = Link(), Link(light=JOINER)
    other.inviter.request(Draw())
    hand = encode_bytes(other.inviter._wishes[0][Draw()])
    assert not link.joiner.receive(forge(link.inviter, wishes=[[[{"draw": True}, hand]], []]), 1)
    assert link.joiner.requests == []


def test_entry_without_consent_is_refused():
    link = Link()
    body = {"do": {"draw": True}, "hand": encode_bytes(bytes(64))}
    hand = encode_bytes(sign(link.inviter._key, game_log._hash_entry(link.inviter.log.hash, body)))
    entries = [*game_log_to_json(link.inviter), [body, hand]]
    refuse(link.joiner, forge(link.inviter, log=entries), "link.wrong_signature")


def test_home_cannot_resign_for_the_other():
    link = Link()
    digest = link.inviter.log.make_wish_digest(Resign(JOINER))
    for signer in link.homes:
        body = {"do": {"resign": JOINER}, "hand": encode_bytes(sign(link.inviter._key, digest))}
        hand = encode_bytes(sign(signer._key, game_log._hash_entry(link.inviter.log.hash, body)))
        refuse(link.joiner, forge(link.inviter, log=[*game_log_to_json(link.inviter), [body, hand]]))


def test_turn_after_the_end_is_refused():
    link = Link()
    agree(link, Draw(), asker=INVITER)
    writer = link.inviter.log.writer
    body = {"act": "@a1"}
    hand = encode_bytes(sign(link.homes[writer]._key, game_log._hash_entry(link.inviter.log.hash, body)))
    entries = [*game_log_to_json(link.homes[writer]), [body, hand]]
    refuse(link.homes[1 - writer], forge(link.homes[writer], log=entries), "link.illegal")


def test_entry_cannot_be_used_a_second_time():
    link = Link()
    link.play(1)
    old_entry = game_log_to_json(link.inviter)[1]
    agree(link, TakeBack(0), asker=INVITER)
    assert link.inviter.is_my_turn
    forged = forge(link.joiner, log=[*game_log_to_json(link.joiner), old_entry])
    refuse(link.inviter, forged, "link.wrong_signature")


def test_restored_home_learns_its_requests_from_the_other():
    link = Link()
    backup = link.joiner.to_bytes()
    link.joiner.request(Draw())
    link.exchange()
    restored = LinkedGame.from_bytes(backup)
    assert restored.receive(link.inviter.make_message(1), 1)
    assert restored.pending == [Draw()]


# Two versions


@pytest.fixture
def forked():
    """Link after the joiner's card was restored, and it played another turn."""
    link = Link()
    link.play()
    backup = link.joiner.to_bytes()
    link.play(2)
    link.joiner = LinkedGame.from_bytes(backup)
    link.homes = (link.inviter, link.joiner)
    link.joiner.act(legal_actions(link.joiner.log.game.position)[-1])
    return link


def test_restored_home_catches_up():
    link = Link()
    backup = link.joiner.to_bytes()
    link.play(4)
    link.joiner = LinkedGame.from_bytes(backup)
    link.homes = (link.inviter, link.joiner)
    link.exchange()
    assert len(link.game.turns) == 4


def test_restored_home_catches_up_with_its_own_message():
    link = Link()
    backup = link.inviter.to_bytes()
    link.inviter.act(Action(None, "a1"))
    restored = LinkedGame.from_bytes(backup)
    assert restored.receive(link.inviter.make_message(1), 1)
    assert not restored.is_my_turn


@pytest.mark.parametrize("number", [0, 1])
def test_home_that_wrote_once_chooses(forked, number):
    link = forked
    link.exchange()
    assert link.inviter.question.chooser == link.joiner.question.chooser == INVITER
    assert not link.inviter.is_my_turn
    refuse_request(link.inviter.act, Action(None, "a3"), message_id="link.two_versions")
    refuse_request(link.inviter.request, Draw(), message_id="link.two_versions")
    refuse_request(link.joiner.choose, link.joiner.question.versions[0], message_id="link.other_chooses")
    version = link.inviter.question.versions[number]
    link.inviter.choose(version)
    assert link.inviter.question is None
    link.exchange()
    assert link.joiner.question is None
    assert link.inviter.log.hash == link.joiner.log.hash == version.hash
    link.play()


def test_question_stops_turns_and_agreed_changes():
    link = Link()
    link.play()
    backup = link.joiner.to_bytes()
    link.play()
    link.joiner.request(Draw())
    consent = link.joiner.make_message(1)
    clone = LinkedGame.from_bytes(backup)
    clone.act(legal_actions(clone.log.game.position)[-1])
    link.inviter.request(Draw())
    link.inviter.receive(clone.make_message(1), 1)
    assert link.inviter.log.writer == INVITER
    assert not link.inviter.is_my_turn
    link.inviter.receive(consent, 1)
    assert link.inviter.log.game.outcome is None
    link.inviter.choose(link.inviter.question.versions[0])
    assert link.inviter.log.game.outcome == (None, EndReason.AGREEMENT)


def test_losing_version_stays_lost(forked):
    link = forked
    old = link.joiner.make_message(1)
    link.exchange()
    link.inviter.choose(link.inviter.question.versions[0])
    link.exchange()
    for home in link.homes:
        assert not home.receive(old, 1)
        assert not LinkedGame.from_bytes(home.to_bytes()).receive(old, 1)
        assert home.question is None


def test_choice_of_the_wrong_home_is_refused(forked):
    link = forked
    fork = link.joiner.log
    hand = encode_bytes(sign(link.joiner._key, make_digest("choice", fork.hash)))
    refuse(link.inviter, forge(link.joiner, choices={fork.hash.hex(): hand}), "link.wrong_signature")
    refuse(link.inviter, forge(link.joiner, choices={bytes(32).hex(): hand}), "link.unreadable")


def test_chooser_learns_both_versions_from_one_message(forked):
    link = forked
    third = LinkedGame.from_bytes(Link().inviter.to_bytes())
    link.deliver(0, 1)
    third.receive(link.joiner.make_message(1), 1)
    assert third.question.chooser == INVITER


def test_question_survives_a_restart(forked):
    link = forked
    link.exchange()
    restored = LinkedGame.from_bytes(link.inviter.to_bytes())
    assert [log.hash for log in restored.question.versions] == [log.hash for log in link.inviter.question.versions]


# Messages and storage


def test_last_seen_is_never_in_the_future():
    link = Link()
    message = link.joiner.make_message(500)
    link.inviter.receive(message, 100)
    assert link.inviter.last_seen[JOINER] == 100
    link.inviter.receive(message, 900)
    link.inviter.receive(link.joiner.make_message(300), 900)
    assert link.inviter.last_seen[JOINER] == 500


def test_newer_version_is_named():
    link = Link()
    refuse(link.inviter, forge(link.joiner, pond=2), "link.newer")


def test_newer_file_is_named(monkeypatch):
    monkeypatch.setattr(linked_game, "_VERSION", 2)
    stored = LINK.inviter.to_bytes()
    monkeypatch.undo()
    with pytest.raises(LinkError) as raised:
        LinkedGame.from_bytes(stored)
    assert raised.value.message.id == "link.file.newer"


@each("offset", range(0, MIN_SEALED, 7))
def test_flipped_bit_is_refused(offset):
    message = bytearray(MESSAGE)
    message[offset] ^= 1 << offset % 8
    refuse(LINK.joiner, bytes(message), "link.unreadable")


@each("length", [0, 1, 24, 40, 64, 4095, 4097, 1 << 13, (1 << 19) + 1])
def test_message_of_another_length_is_refused(length):
    refuse(LINK.joiner, MESSAGE[:length].ljust(length, b"\0"), "link.unreadable")


@each(
    "fields",
    [
        {"log": []},
        {"log": 3},
        {"log": [3]},
        {"log": [[{}, ""]]},
        {"rival": [[{}, ""]]},
        {"from": 2},
        {"from": True},
        {"from": None},
        {"sent": "now"},
        {"pond": 0},
        {"choices": []},
        {"choices": {"x": "y"}},
        {"wishes": [[3], []]},
        {"wishes": [[[{"take back": -1}, ""]], []]},
        {"wishes": [[[{"new": "9x9/1/1", "light": 0}, ""]], []]},
        {"wishes": [[[{"draw": True}, "AA"]], []]},
        {"wishes": [[[{"draw": True}, encode_bytes(bytes(64))]] * 17, []]},
    ],
)
def test_message_with_a_wrong_field_is_refused(fields):
    refuse(LINK.joiner, forge(LINK.inviter, **fields))


def sign_wishes(home, wishes):
    return [[change_to_json(wish), encode_bytes(sign(home._key, home.log.make_wish_digest(wish)))] for wish in wishes]


def test_requests_beyond_the_limit_are_dropped():
    """More could be stored but not restored."""
    link = Link(TINY)
    wishes = [NewGame(parse_variant(f"3x3/{eggs}/1"), 0) for eggs in range(1, 3 * MAX_WISHES // 2)]
    for some in (wishes[:MAX_WISHES], wishes[MAX_WISHES:]):
        link.inviter.receive(forge(link.joiner, wishes=[[], sign_wishes(link.joiner, some)]), 1)
    assert link.inviter.requests == wishes[:MAX_WISHES]
    assert LinkedGame.from_bytes(link.inviter.to_bytes()).requests == wishes[:MAX_WISHES]


@each("reader", ["joiner", "watcher"])
def test_second_version_with_another_first_entry_is_refused(reader):
    """It could be stored but not restored."""
    link = Link(TINY)
    begun_again = LinkedGame.invite(BROKER, STANDARD, INVITER, seed=b"i" * 32)
    joiner = LinkedGame.join(begun_again.invitation, seed=b"j" * 32)
    begun_again.receive(joiner.make_message(1), 1)
    newcomer = {"joiner": joiner, "watcher": LinkedGame.join(begun_again.invitation.to_watch)}[reader]
    refuse(newcomer, forge(link.inviter, rival=log_to_json(begun_again.log)), "link.used")


@each(
    "text",
    [b"", b"[", b"3", b"[" * 100_000, b'{"pond":1e999}', b'{"pond":NaN}', b"\xff", b'{"a":' * 900 + b"1" + b"}" * 900],
)
def test_other_text_is_refused(text):
    refuse(LINK.joiner, seal(bytes(64) + text, LINK.joiner.invitation.seal_key), "link.unreadable")


LINK = Link()
LINK.inviter.act(Action(None, "b2"))
MESSAGE = LINK.inviter.make_message(1)


def test_message_shows_nothing():
    link = Link(names=("Ada", "Ben"))
    link.play(6)
    message = link.inviter.make_message(1)
    assert len(message) == MIN_SEALED
    assert b"Ada" not in message
    assert link.inviter.make_message(1) != message
    assert {len(home.make_message(1)) for home in link.homes} == {MIN_SEALED}


@each("home", [0, 1])
def test_stored_game_is_restored(home):
    link = Link(names=("Ada", "Ben"))
    link.play(3)
    link.joiner.request(TakeBack(1))
    link.exchange()
    restored = LinkedGame.from_bytes(link.homes[home].to_bytes())
    assert restored.to_bytes() == link.homes[home].to_bytes()
    assert restored.log.names == ("Ada", "Ben")
    assert restored.pending == link.homes[home].pending


def test_waiting_games_are_restored():
    inviter = LinkedGame.invite(BROKER, TINY, JOINER, "Ada")
    for game in (inviter, LinkedGame.join(inviter.invitation, "Ben"), LinkedGame.join(inviter.invitation.to_watch)):
        restored = LinkedGame.from_bytes(game.to_bytes())
        assert restored.to_bytes() == game.to_bytes()


@each("damage", [lambda stored: stored[:-1], lambda stored: b"", lambda stored: stored[:50] + b"x" + stored[51:]])
def test_damaged_file_is_refused(damage):
    refuse_request(LinkedGame.from_bytes, damage(LINK.joiner.to_bytes()), message_id="link.damaged")


def test_homes_write_to_different_topics():
    inviter = LinkedGame.invite(BROKER, STANDARD, INVITER)
    joiner = LinkedGame.join(inviter.invitation)
    waiting = joiner.topic
    inviter.receive(joiner.make_message(1), 1)
    joiner.receive(inviter.make_message(1), 1)
    assert len({waiting, joiner.topic, inviter.topic}) == 3
    assert inviter.topic == LinkedGame.join(inviter.invitation.to_watch).invitation.find_topic("inviter")


@each("name", ["x" * 41, "a\nb", 3])
def test_wrong_name_is_refused(name):
    inviter = LinkedGame.invite(BROKER, STANDARD, INVITER)
    refuse_request(LinkedGame.join, inviter.invitation, name, message_id="link.wrong_name")


def test_both_homes_go_on_with_one_version_after_contradictory_choices(forked):
    link = forked
    link.exchange()
    backup = link.inviter.to_bytes()
    link.inviter.choose(link.inviter.question.versions[0])
    clone = LinkedGame.from_bytes(backup)
    clone.choose(clone.question.versions[1])
    link.joiner.receive(clone.make_message(1), 1)
    link.exchange()
    link.joiner.receive(clone.make_message(1), 1)
    link.exchange()
    link.play()
