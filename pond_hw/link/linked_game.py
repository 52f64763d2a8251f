"""One home's end of a linked game.

Store `to_bytes()` after every change before you send `make_message()`: a home must never forget what it has sent.

Each message carries everything that its sender knows, and merging it is idempotent. So messages may be lost, repeated, delayed or
reordered. It is enough that some later message arrives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import nacl.utils
from nacl.signing import SigningKey

from pond_hw.link.changes import (
    INVITER,
    JOINER,
    Change,
    Decline,
    Resign,
    change_to_json,
    parse_home,
    parse_known_variant,
)
from pond_hw.link.game_log import (
    MAX_ENTRIES,
    GameLog,
    begin_log,
    check_name,
    find_fork,
    log_to_json,
    make_choice_digest,
    make_join,
    merge,
    parse_choices,
    parse_join,
    read_first_entry,
)
from pond_hw.link.invitation import (
    Broker,
    Invitation,
    choose_cells,
    make_join_secret,
    make_watch_secret,
    parse_invitation,
)
from pond_hw.link.sealing import open_sealed, seal
from pond_hw.link.signatures import (
    KEY_BYTES,
    SIGNATURE_BYTES,
    decode_bytes,
    encode_bytes,
    format_canonical,
    make_digest,
    make_error,
    parse_json,
    sign,
    verify,
)
from pond_hw.link.wishes import (
    MAX_WISHES,
    Wishes,
    is_possible,
    list_answerable,
    list_changes,
    merge_wishes,
    parse_wishes,
    select_open,
    wishes_to_json,
)
from pond_hw.rules import Action, Cell, Variant

_VERSION = 1
_DIGEST_BYTES = 32


@dataclass(frozen=True)
class Question:
    """Two versions of the game, after a home wrote different entries in the same place.

    Attributes:
        versions: our version and the other one.
        chooser: home that has to choose, the one that wrote only once.
    """

    versions: tuple[GameLog, GameLog]
    chooser: int


class LinkedGame:
    """The game as one home or a spectator knows it.

    Attributes:
        invitation: invitation to this game.
        home: number of this home, `INVITER` or `JOINER`; None for a spectator.
        log: verified log; None until the invitation has been accepted.
        last_seen: time in seconds at which each home sent its latest message; 0 if none has arrived.
    """

    def __init__(
        self,
        invitation: Invitation,
        home: int | None = None,
        seed: bytes = b"",
        name: str = "",
        terms: tuple[Variant, int] | None = None,
    ) -> None:
        self.invitation, self.home = invitation, home
        self.log: GameLog | None = None
        self.last_seen = [0, 0]
        self._key = SigningKey(seed) if home is not None else None
        self._name, self._terms = check_name(name), terms
        self._rival: GameLog | None = None
        self._choices: dict[bytes, bytes] = {}
        self._wishes: tuple[Wishes, Wishes] = ({}, {})

    @classmethod
    def invite(
        cls, broker: Broker, variant: Variant, light: int, name: str = "", seed: bytes | None = None
    ) -> LinkedGame:
        """Begin a game by an invitation.

        Args:
            broker: broker that both homes can reach.
            variant: variant of the first game.
            light: home that plays light in it.
            name: name that the other home may see.
            seed: 32 secret random bytes, for tests.
        """
        seed = seed or nacl.utils.random(KEY_BYTES)
        secret = make_join_secret(bytes(SigningKey(seed).verify_key))
        return cls(Invitation(broker, secret), INVITER, seed, name, (variant, light))

    @classmethod
    def join(cls, invitation: Invitation, name: str = "", seed: bytes | None = None) -> LinkedGame:
        """Answer an invitation. An invitation to watch makes a spectator."""
        if invitation.is_to_watch:
            return cls(invitation)
        return cls(invitation, JOINER, seed or nacl.utils.random(KEY_BYTES), name)

    # State

    @property
    def variant(self) -> Variant | None:
        """Variant of the current game, or of the one in the invitation; None as long as it is unknown."""
        return self.log.game.variant if self.log else self._terms[0] if self._terms else None

    @property
    def is_my_turn(self) -> bool:
        """True if this home writes the next entry of a game in progress."""
        log = self.log
        return bool(log and not log.game.outcome and log.writer == self.home and not self._rival)

    @property
    def requests(self) -> list[Change]:
        """Requests of the other home that a person here has not answered."""
        mine, theirs = self._split_wishes()
        if self.home is None:
            return []
        return [change for change in list_answerable(theirs) if change not in mine and Decline(change) not in mine]

    @property
    def pending(self) -> list[Change]:
        """Own requests that the other home has not answered."""
        mine, theirs = self._split_wishes()
        return [change for change in list_changes(mine) if change not in theirs and Decline(change) not in theirs]

    @property
    def declined(self) -> list[Change]:
        """Own requests that the other home has declined."""
        mine, theirs = self._split_wishes()
        return [change for change in list_changes(mine) if change not in theirs and Decline(change) in theirs]

    @property
    def question(self) -> Question | None:
        """A question that stops the game until a person has answered it; None if there is none."""
        fork = self._find_fork()
        return Question((self._joined(), self._rival), 1 - fork[0].author) if fork and self._rival else None

    def choose_cells(self, grid_size: int) -> tuple[Cell, ...]:
        """Return the cells that both boards light to prove that no one is in between."""
        return choose_cells(self._joined().keys, grid_size)

    # Actions of the people at this home

    def act(self, action: Action) -> None:
        """Take a turn.

        Raises:
            LinkError: it isn't this home's turn, or the action is illegal.
        """
        key = self._check_may_write()
        if not self.is_my_turn:
            raise make_error("link.other_turn")
        self._switch_to(self._joined().write({"act": str(action)}, key))
        self._write_agreed()

    def request(self, change: Change) -> None:
        """Ask the other home for a change. A request lapses with the next turn.

        Raises:
            LinkError: the change isn't possible now.
        """
        if isinstance(change, Resign) and change.home != self.home:
            raise make_error("link.lapsed")
        self._sign_wish(change)

    def answer(self, change: Change, *, is_accepted: bool) -> None:
        """Accept or decline a request of the other home.

        Raises:
            LinkError: the request has lapsed.
        """
        if change not in self.requests:
            raise make_error("link.lapsed")
        self._sign_wish(change if is_accepted else Decline(change))

    def choose(self, version: GameLog) -> None:
        """Answer the question: go on with one of its versions.

        Raises:
            LinkError: there is no question, or the other home has to answer it.
        """
        question, fork = self.question, self._find_fork()
        if not question or not fork or version not in question.versions or self._key is None:
            raise make_error("link.lapsed")
        if question.chooser != self.home:
            raise make_error("link.other_chooses")
        chosen = fork[question.versions.index(version)]
        self._choices[chosen.hash] = sign(self._key, make_choice_digest(chosen))
        self._switch_to(version)
        self._write_agreed()

    # Messages

    @property
    def topic(self) -> str | None:
        """Topic of this home's messages; None for a spectator."""
        if self.home is None:
            return None
        writer = "inviter" if self.home == INVITER else "joiner" if self.log else "join"
        return self.invitation.find_topic(writer)

    def make_message(self, now: int) -> bytes | None:
        """Return the message with everything that this home knows, or None if it has nothing to send.

        Args:
            now: seconds since 1970.
        """
        if self._key is None or self.home is None:
            return None
        content: dict[str, object] = {"pond": _VERSION, "from": self.home, "sent": now}
        if self.log:
            content |= {
                "log": log_to_json(self.log),
                "rival": log_to_json(self._rival) if self._rival else [],
                "choices": {choice.hex(): encode_bytes(hand) for choice, hand in self._choices.items()},
                "wishes": [wishes_to_json(wishes) for wishes in self._wishes],
            }
        elif self.home == JOINER:
            join = make_join(self._key, self._name)
            content |= {"join": join, "proof": encode_bytes(self._prove_invitation(join))}
        else:
            return None
        text = format_canonical(content)
        return seal(sign(self._key, _hash_message(text)) + text, self.invitation.seal_key)

    def receive(self, sealed: bytes, now: int) -> bool:
        """Merge a message. Return True if something has changed: store it, then send this home's message.

        Raises:
            LinkError: the message is refused. Nothing has changed.
        """
        opened = open_sealed(sealed, self.invitation.seal_key)
        signature, text = opened[:SIGNATURE_BYTES], opened[SIGNATURE_BYTES:]
        content = parse_json(text)
        match content:
            case {"pond": int(version)} if version > _VERSION:
                raise make_error("link.newer")
            case {"pond": 1, "from": 1, "sent": int(), "join": dict(join), "proof": proof}:
                return self._receive_join(join, decode_bytes(proof, _DIGEST_BYTES), _hash_message(text), signature)
            case {
                "pond": 1,
                "from": sender,
                "sent": int(sent),
                "log": [_, *_] as entries,
                "rival": list(rival),
                "choices": dict(choices),
                "wishes": [list(first), list(second)],
            }:
                log = self._read_log(entries, self.log)
                home = parse_home(sender)
                verify(log.keys[home], _hash_message(text), signature)
                versions = [log, self._read_log(rival, log)] if rival else [log]
                wishes = parse_wishes(first), parse_wishes(second)
                is_changed = self._merge(versions, parse_choices(choices, log), wishes)
                self.last_seen[home] = max(self.last_seen[home], min(sent, now))
                return is_changed
        raise make_error("link.unreadable")

    def _receive_join(self, join: Mapping[str, object], proof: bytes, digest: bytes, signature: bytes) -> bool:
        public_key, _ = parse_join(join)
        verify(public_key, digest, signature)
        if self.home != INVITER:
            return False
        if proof != self._prove_invitation(join):
            raise make_error("link.wrong_signature")
        if self.log:
            if self.log.keys[JOINER] != public_key:
                raise make_error("link.used")
            return False
        if self._key and self._terms:
            self.log = begin_log(join, self._key, self._name, *self._terms)
        return True

    def _prove_invitation(self, join: Mapping[str, object]) -> bytes:
        return make_digest("proof", format_canonical(join), key=self.invitation.join_key)

    def _read_log(self, entries: list[object], known_log: GameLog | None) -> GameLog:
        """Verify a log of the same game as a known one, if any. Known entries are not verified again."""
        known = known_log.list_entries() if known_log else []
        log: GameLog | None = None
        for index, entry in enumerate(entries):
            match entry:
                case [dict(body), hand]:
                    if index < len(known) and known[index].body == body and log is known[index].before:
                        log = known[index]
                        continue
                    signature = decode_bytes(hand, SIGNATURE_BYTES)
                    log = log.read(body, signature) if log else self._read_first_entry(body, signature, known_log)
                case _:
                    raise make_error("link.unreadable")
        assert log
        return log

    def _read_first_entry(self, body: Mapping[str, object], signature: bytes, known_log: GameLog | None) -> GameLog:
        """Verify the first entry: it must be the inviter's, and name this home."""
        log = read_first_entry(body, signature)
        secret = make_join_secret(log.keys[INVITER])
        if make_watch_secret(secret) != self.invitation.to_watch.secret:
            raise make_error("link.unreadable")
        if self.home is not None and self._key and log.keys[self.home] != bytes(self._key.verify_key):
            raise make_error("link.used")
        if known_log:
            raise make_error("link.used")
        return log

    # Merging

    def _merge(self, versions: list[GameLog], choices: Mapping[bytes, bytes], wishes: tuple[Wishes, Wishes]) -> bool:
        before = self._list_durable()
        self._choices = {**choices, **self._choices}
        log = self.log or versions[0]
        for theirs in versions:
            merged = merge(log, theirs, self._choices)
            if merged is None and (
                not self._rival or self._rival.hash in (each.hash for each in theirs.list_entries())
            ):
                self._rival = theirs
            log = merged or log
        self._switch_to(log)
        now_open = select_open(self._joined(), wishes)
        first, second = map(merge_wishes, self._wishes, now_open)
        self._wishes = (first, second)
        self._write_agreed()
        return self._list_durable() != before

    def _switch_to(self, log: GameLog) -> None:
        """Continue with a log, and drop what has lapsed."""
        self.log = log
        if self._rival and (merged := merge(log, self._rival, self._choices)):
            self.log, self._rival = merged, None
        hashes = {entry.hash for entry in self.log.list_entries()} if self._choices else set()
        self._choices = {choice: hand for choice, hand in self._choices.items() if choice in hashes}
        self._wishes = select_open(self.log, self._wishes)

    def _write_agreed(self) -> None:
        """Write a change that both homes have signed, or a resignation, if this home is the next writer."""
        log = self._joined()
        if self._key is None or self._rival or log.writer != self.home or log.length >= MAX_ENTRIES:
            return
        mine, theirs = self._split_wishes()
        if Resign(self.home) in mine:
            self._switch_to(log.write({"do": change_to_json(Resign(self.home))}, self._key))
            return
        for change in list_changes(theirs):
            if change in mine or isinstance(change, Resign):
                hand = encode_bytes(theirs[change])
                self._switch_to(log.write({"do": change_to_json(change), "hand": hand}, self._key))
                return

    def _sign_wish(self, wish: Change | Decline) -> None:
        key, log = self._check_may_write(), self._joined()
        home = parse_home(self.home)
        mine = self._wishes[home]
        if not is_possible(log, home, wish) or (wish not in mine and len(mine) >= MAX_WISHES):
            raise make_error("link.lapsed")
        mixed = list(self._wishes)
        mixed[home] = {**mine, wish: sign(key, log.make_wish_digest(wish))}
        self._wishes = (mixed[0], mixed[1])
        self._write_agreed()

    def _check_may_write(self) -> SigningKey:
        if self._key is None:
            raise make_error("link.spectator")
        log = self._joined()
        if self._rival:
            raise make_error("link.two_versions")
        if log.length >= MAX_ENTRIES:
            raise make_error("link.full")
        return self._key

    def _joined(self) -> GameLog:
        if self.log is None:
            raise make_error("link.not_joined")
        return self.log

    def _split_wishes(self) -> tuple[Wishes, Wishes]:
        """Return our requests and answers, and those of the other home."""
        return self._wishes if self.home != JOINER else self._wishes[::-1]

    def _find_fork(self) -> tuple[GameLog, GameLog] | None:
        return find_fork(self._joined(), self._rival) if self._rival else None

    def _list_durable(self) -> object:
        rival = self._rival and self._rival.hash
        return self.log and self.log.hash, rival, set(self._choices), *map(set, self._wishes)

    # Storage

    def to_bytes(self) -> bytes:
        """Return everything to store. It contains the secret key."""
        seed = encode_bytes(bytes(self._key)) if self._key else None
        content = {
            "pond": _VERSION,
            "invitation": str(self.invitation),
            "home": self.home,
            "seed": seed,
            "name": self._name,
            "terms": [self._terms[0].name, self._terms[1]] if self._terms else None,
            "log": log_to_json(self.log) if self.log else [],
            "rival": log_to_json(self._rival) if self._rival else [],
            "choices": {choice.hex(): encode_bytes(hand) for choice, hand in self._choices.items()},
            "wishes": [wishes_to_json(wishes) for wishes in self._wishes],
            "last_seen": self.last_seen,
        }
        text = format_canonical(content)
        return make_digest("stored", text) + text

    @classmethod
    def from_bytes(cls, stored: bytes) -> LinkedGame:
        """Restore a game. Everything is verified again.

        Raises:
            LinkError: the file is damaged.
        """
        text = stored[_DIGEST_BYTES:]
        if make_digest("stored", text) != stored[:_DIGEST_BYTES]:
            raise make_error("link.damaged")
        match parse_json(text):
            case {"pond": int(version)} if version > _VERSION:
                raise make_error("link.file.newer")
            case {
                "invitation": str(invitation),
                "home": int() | None as home,
                "seed": str() | None as seed,
                "name": name,
                "terms": terms,
                "log": list(entries),
                "rival": list(rival),
                "choices": dict(choices),
                "wishes": [list(first), list(second)],
                "last_seen": [int(inviter_seen), int(joiner_seen)],
            }:
                key_seed = decode_bytes(seed, KEY_BYTES) if home is not None else b""
                known_terms = (parse_known_variant(terms[0]), parse_home(terms[1])) if terms else None
                game = cls(parse_invitation(invitation), home, key_seed, name, known_terms)
                game.last_seen = [inviter_seen, joiner_seen]
                if entries:
                    game.log = game._read_log(entries, None)
                    game._rival = game._read_log(rival, game.log) if rival else None
                    game._choices = parse_choices(choices, game.log)
                    game._wishes = (parse_wishes(first), parse_wishes(second))
                    game._switch_to(game.log)
                return game
        raise make_error("link.damaged")


def _hash_message(text: bytes) -> bytes:
    return make_digest("message", text)
