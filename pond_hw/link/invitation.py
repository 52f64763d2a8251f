"""Invitations to a linked game, to join or to watch it.

    pond-join:mqtts://broker.example/pond/AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH
    pond-watch:mqtt://192.0.2.7:1884/pond/AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH

The address is that of the MQTT broker, with the first part of the topics. The code is a secret of 128 bits and a checksum.

The secret is the fingerprint of the key with which the inviter signs this game. The key stays secret until the invitation
has been accepted, so an invitation also proves who is answering. A person in the middle who replaces the invitation can't choose
keys that make both boards light the same cells, and succeeds by chance once in 1820 times on a 4x4 grid.
"""

from __future__ import annotations

import re
from base64 import b32decode, b32encode
from itertools import combinations
from math import comb
from typing import NamedTuple

from pond_hw.link.signatures import LinkError, make_digest, make_error
from pond_hw.messages.message import Message
from pond_hw.rules import Cell, get_grid

SECRET_BYTES, CHECKSUM_BYTES = 16, 4
MAX_LENGTH = 300
"""Maximum length of an invitation, in characters."""

_TEXT_PATTERN = re.compile(
    r"pond-(?P<kind>join|watch):(?P<broker>\w+://[^/]*)/(?P<prefix>.*)/(?P<code>[^/]*)", re.ASCII
)
_LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_BROKER_PATTERN = re.compile(
    rf"(?P<scheme>mqtts?)://(?P<host>{_LABEL}(\.{_LABEL})*|\[[0-9A-Fa-f:.]{{2,45}}\])(:(?P<port>[0-9]{{1,5}}))?",
    re.ASCII,
)
_PREFIX_PATTERN = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*", re.ASCII)
_DEFAULT_PORTS = {"mqtt": 1883, "mqtts": 8883}


class Broker(NamedTuple):
    """Address of an MQTT broker. `prefix` begins the topics of the game."""

    host: str
    port: int
    has_tls: bool = True
    prefix: str = "pond"

    def __str__(self) -> str:
        scheme = "mqtts" if self.has_tls else "mqtt"
        port = "" if self.port == _DEFAULT_PORTS[scheme] else f":{self.port}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}{port}/{self.prefix}"


class Invitation(NamedTuple):
    """Invitation to a game.

    Attributes:
        broker: broker that carries the messages.
        secret: secret of this kind of invitation. The secret for watching follows from the one for joining, not the reverse.
        is_to_watch: True if it can read the game only.
    """

    broker: Broker
    secret: bytes
    is_to_watch: bool = False

    @property
    def to_watch(self) -> Invitation:
        """Invitation for spectators of the same game."""
        return self if self.is_to_watch else Invitation(self.broker, make_watch_secret(self.secret), True)

    @property
    def seal_key(self) -> bytes:
        """Key that encrypts the messages of both homes."""
        return make_digest("seal", key=self.to_watch.secret)

    @property
    def join_key(self) -> bytes:
        """Key that proves an invitation to join."""
        return make_digest("join key", key=self.secret)

    def find_topic(self, writer: str) -> str:
        """Return the topic of messages from the `inviter`, from the `joiner`, or `join` for the answer to the invitation."""
        name = make_digest("topic", writer.encode(), key=self.to_watch.secret, size=15)
        return f"{self.broker.prefix}/{b32encode(name).decode().lower()}"

    def __str__(self) -> str:
        kind = "watch" if self.is_to_watch else "join"
        code = b32encode(self.secret + self._checksum).decode()
        return f"pond-{kind}:{self.broker}/{'-'.join(re.findall('....', code))}"

    @property
    def _checksum(self) -> bytes:
        kind = b"watch" if self.is_to_watch else b"join"
        return make_digest("checksum", kind, str(self.broker).encode(), self.secret, size=CHECKSUM_BYTES)


def make_join_secret(inviter_key: bytes) -> bytes:
    """Return the secret of the inviter's invitation: the fingerprint of the inviter's public key."""
    return make_digest("inviter", inviter_key, size=SECRET_BYTES)


def make_watch_secret(join_secret: bytes) -> bytes:
    """Return the secret with which spectators read the game."""
    return make_digest("watch", key=join_secret, size=SECRET_BYTES)


def parse_invitation(text: str) -> Invitation:
    """Parse an invitation that a person typed, pasted or scanned.

    Raises:
        LinkError: the text is not an invitation, or it contains a typing mistake.
    """
    found = _TEXT_PATTERN.fullmatch(text.strip()) if len(text) <= MAX_LENGTH else None
    if not found:
        raise make_error("link.no_invitation")
    broker = parse_broker(f"{found['broker']}/{found['prefix']}")
    try:
        code = b32decode(found["code"].replace("-", ""), casefold=True)
    except ValueError as error:
        raise make_error("link.mistyped") from error
    invitation = Invitation(broker, code[:SECRET_BYTES], found["kind"] == "watch")
    if len(code) != SECRET_BYTES + CHECKSUM_BYTES or code[SECRET_BYTES:] != invitation._checksum:
        raise make_error("link.mistyped")
    return invitation


def parse_broker(text: str) -> Broker:
    """Parse an address such as `mqtts://broker.example:8883/pond`. Port and prefix are optional."""
    scheme, separator, rest = text.partition("://")
    address, slash, prefix = rest.partition("/")
    found = _BROKER_PATTERN.fullmatch(scheme + separator + address)
    port = int(found["port"] or _DEFAULT_PORTS[found["scheme"]]) if found else 0
    if not found or not 0 < port < 65536 or (slash and not _PREFIX_PATTERN.fullmatch(prefix)) or len(text) > MAX_LENGTH:
        raise LinkError(Message("link.wrong_broker", text=text[:80]))
    return Broker(found["host"].strip("[]").lower(), port, found["scheme"] == "mqtts", prefix or "pond")


def choose_cells(keys: tuple[bytes, bytes], grid_size: int) -> tuple[Cell, ...]:
    """Return the four cells that both boards light, so that the players can compare them by telephone."""
    cells = get_grid(grid_size).cells
    number = int.from_bytes(make_digest("cells", *keys)) % comb(len(cells), 4)
    return list(combinations(cells, 4))[number]
