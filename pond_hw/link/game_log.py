"""The log of a linked game, folded into the state of the game.

Every entry has exactly one possible author: the home whose turn it is or, after the end of a game, the home that didn't write
the last entry. So the logs of two homes can't conflict, unless a home writes a second entry in the same place, for example
after its card was restored from a backup.

An entry is `{"act": "b2b3"}`, or `{"do": change, "hand": signature}` with the signature of the other home below the change.
Its hash covers the hash of the entry before it. The hash of the first entry identifies the game, so that nothing from another
game fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from nacl.signing import SigningKey

from pond_hw.link.changes import (
    Change,
    Decline,
    Draw,
    NewGame,
    Resign,
    TakeBack,
    change_to_json,
    parse_change,
    parse_home,
    parse_known_variant,
)
from pond_hw.link.signatures import (
    KEY_BYTES,
    SIGNATURE_BYTES,
    LinkError,
    decode_bytes,
    encode_bytes,
    format_canonical,
    make_digest,
    make_error,
    sign,
    verify,
)
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, Action, EndReason, Game, Outcome, PondError, Side, Variant, play

MAX_ENTRIES = 2000
"""Maximum length of a log, about forty games."""

MAX_NAME_LENGTH = 40

Body = Mapping[str, object]


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class GameLog:
    """A log after an entry, and the state of the game there. Logs share their beginnings.

    Attributes:
        before: log before the last entry; None if that is the first.
        body: content of the last entry.
        signature: signature of its author.
        author: home that wrote it.
        hash: hash of the whole log.
        length: number of entries.
        keys: public keys of both homes.
        names: names of the players that agreed to send them, otherwise empty.
        game: the current game.
        light: home that plays light in it.
        game_id: hash of the log at its start.
    """

    before: GameLog | None
    body: Body
    signature: bytes
    author: int
    hash: bytes
    length: int
    keys: tuple[bytes, bytes]
    names: tuple[str, str]
    game: Game
    light: int
    game_id: bytes

    @property
    def writer(self) -> int:
        """Home that writes the next entry."""
        if self.game.outcome:
            return 1 - self.author
        return self.light if self.game.position.to_move is LIGHT else 1 - self.light

    def find_side(self, home: int) -> Side:
        """Return the side of a home in the current game."""
        return LIGHT if home == self.light else DARK

    def list_entries(self) -> list[GameLog]:
        """Return the log after each of its entries, the first entry first."""
        return list(self._iterate_backwards())[::-1]

    def _iterate_backwards(self) -> Iterator[GameLog]:
        log: GameLog | None = self
        while log:
            yield log
            log = log.before

    def allows(self, change: Change) -> bool:
        """Return True if a change is possible now."""
        match change:
            case TakeBack(turn_count):
                # A declared end is final: otherwise an old resignation, sent again, would end the game a second time.
                return turn_count < len(self.game.turns) and self.game.declared_outcome is None
            case NewGame():
                return True
        return self.game.outcome is None

    def make_wish_digest(self, change: Change | Decline) -> bytes:
        """Return the hash that a home signs to ask for a change. It lapses with the next entry, a resignation with the game."""
        place = self.game_id if isinstance(change, Resign) else self.hash
        return make_digest("wish", place, format_canonical(change_to_json(change)))

    def write(self, body: Body, key: SigningKey) -> GameLog:
        """Append an entry of the next writer.

        Raises:
            LinkError: the game does not allow it.
        """
        return self.read(body, sign(key, _hash_entry(self.hash, body)))

    def read(self, body: Body, signature: bytes) -> GameLog:
        """Append an entry after checking everything.

        Raises:
            LinkError: the signature is not that of the writer, or the game does not allow the entry.
        """
        if self.length >= MAX_ENTRIES:
            raise make_error("link.full")
        author, entry_hash = self.writer, _hash_entry(self.hash, body)
        verify(self.keys[author], entry_hash, signature)
        changed = replace(
            self,
            before=self,
            body=body,
            signature=signature,
            author=author,
            hash=entry_hash,
            length=self.length + 1,
        )
        match body:
            case {"act": str(notation), **rest} if not rest:
                return replace(changed, game=self._play(notation))
            case {"do": change_json, **hand}:
                change = parse_change(change_json)
                self._check_hand(change, hand, author)
                return self._apply(change, changed)
        raise make_error("link.unreadable")

    def _play(self, notation: str) -> Game:
        """Play an action. After a declared end of the game none is possible."""
        if self.game.outcome:
            raise LinkError(Message("link.illegal", reason=Message("illegal.game_over")))
        try:
            turn = play(self.game.position, Action.from_notation(notation))
        except PondError as error:
            raise LinkError(Message("link.illegal", reason=error.message)) from error
        return replace(self.game, turns=(*self.game.turns, turn))

    def _check_hand(self, change: Change, hand: Body, author: int) -> None:
        """Check that the other home signed a change. A home resigns alone."""
        if change == Resign(author):
            if hand:
                raise make_error("link.unreadable")
            return
        other = 1 - author
        if set(hand) != {"hand"}:
            raise make_error("link.unreadable")
        verify(self.keys[other], self.make_wish_digest(change), decode_bytes(hand["hand"], SIGNATURE_BYTES))

    def _apply(self, change: Change, changed: GameLog) -> GameLog:
        if not self.allows(change):
            raise make_error("link.lapsed")
        match change:
            case TakeBack(turn_count):
                return replace(changed, game=Game(self.game.variant, self.game.turns[:turn_count]))
            case NewGame(variant, light):
                return replace(changed, game=Game(variant), light=light, game_id=changed.hash)
            case Resign(home):
                outcome = Outcome(self.find_side(1 - home), EndReason.RESIGNATION)
            case Draw():
                outcome = Outcome(None, EndReason.AGREEMENT)
        return replace(changed, game=replace(self.game, declared_outcome=outcome))


def _hash_entry(before: bytes, body: Body) -> bytes:
    return make_digest("entry", before, format_canonical(body))


def make_join(key: SigningKey, name: str) -> Body:
    """Return the signed part of an answer to an invitation, which becomes a part of the first entry."""
    joiner = {"key": encode_bytes(bytes(key.verify_key)), "name": check_name(name)}
    return {**joiner, "hand": encode_bytes(sign(key, make_digest("joiner", format_canonical(joiner))))}


def parse_join(join: object) -> tuple[bytes, str]:
    """Return the public key and name of the joiner.

    Raises:
        LinkError: it is not a signed answer.
    """
    match join:
        case {"key": joiner_key, "name": name, "hand": hand, **rest} if not rest:
            public_key = decode_bytes(joiner_key, KEY_BYTES)
            digest = make_digest("joiner", format_canonical({"key": joiner_key, "name": check_name(name)}))
            verify(public_key, digest, decode_bytes(hand, SIGNATURE_BYTES))
            return public_key, check_name(name)
    raise make_error("link.unreadable")


def begin_log(join: Body, key: SigningKey, name: str, variant: Variant, light: int) -> GameLog:
    """Write the first entry: the inviter accepts the answer to its invitation."""
    body = {
        "key": encode_bytes(bytes(key.verify_key)),
        "name": check_name(name),
        "join": join,
        "variant": variant.name,
        "light": light,
    }
    return read_first_entry(body, sign(key, _hash_entry(b"", body)))


def read_first_entry(body: Body, signature: bytes) -> GameLog:
    """Begin a log with the first entry of the other home.

    Raises:
        LinkError: it is not a first entry, or a signature is wrong.
    """
    match body:
        case {"key": inviter_key, "name": name, "join": join, "variant": variant_name, "light": light, **rest} if (
            not rest
        ):
            public_key = decode_bytes(inviter_key, KEY_BYTES)
            game_id = _hash_entry(b"", body)
            verify(public_key, game_id, signature)
            joiner_key, joiner_name = parse_join(join)
            keys, names = (public_key, joiner_key), (check_name(name), joiner_name)
            game = Game(parse_known_variant(variant_name))
            return GameLog(None, body, signature, 0, game_id, 1, keys, names, game, parse_home(light), game_id)
    raise make_error("link.unreadable")


def check_name(name: object) -> str:
    """Return a player's name if it can be sent. An empty name is none.

    Raises:
        LinkError: it is too long, or it contains control characters.
    """
    if isinstance(name, str) and len(name) <= MAX_NAME_LENGTH and name.isprintable():
        return name
    raise make_error("link.wrong_name")


def find_fork(ours: GameLog, theirs: GameLog) -> tuple[GameLog, GameLog] | None:
    """Return both logs at the first entry in which they differ; None if one continues the other."""
    pairs = zip(ours.list_entries(), theirs.list_entries(), strict=False)
    return next(((mine, other) for mine, other in pairs if mine.hash != other.hash), None)


def merge(ours: GameLog, theirs: GameLog, choices: Mapping[bytes, bytes]) -> GameLog | None:
    """Return the log that goes on, or None if a person has to choose.

    Args:
        ours: a log.
        theirs: another log of the same game.
        choices: verified choices, by the hash of the chosen log at the fork.
    """
    fork = find_fork(ours, theirs)
    if fork is None:
        return max(ours, theirs, key=lambda log: log.length)
    chosen = [log for log in fork if log.hash in choices]
    if not chosen:
        return None
    # If the other home chose both, after a fork of its own, both homes go on with the same one.
    return ours if min(chosen, key=lambda log: log.hash) is fork[0] else theirs


def make_choice_digest(fork: GameLog) -> bytes:
    """Return the hash that a home signs to choose a version: the other home has written different entries in this place."""
    return make_digest("choice", fork.hash)


def parse_choices(choices: Mapping[str, object], log: GameLog) -> dict[bytes, bytes]:
    """Verify choices. Each is signed by the home that didn't write the entry, and belongs to the log."""
    entries = {entry.hash.hex(): entry for entry in log.list_entries()} if choices else {}
    verified = {}
    for name, hand in choices.items():
        if not (entry := entries.get(name)):
            raise make_error("link.unreadable")
        signature = decode_bytes(hand, SIGNATURE_BYTES)
        verify(entry.keys[1 - entry.author], make_choice_digest(entry), signature)
        verified[entry.hash] = signature
    return verified


def log_to_json(log: GameLog) -> list[object]:
    return [[dict(entry.body), encode_bytes(entry.signature)] for entry in log.list_entries()]
