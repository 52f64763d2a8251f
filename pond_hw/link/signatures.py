"""Signatures of a home, and the canonical texts and hashes that they cover."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from hashlib import blake2b

from nacl.exceptions import CryptoError
from nacl.signing import SigningKey, VerifyKey

from pond_hw.messages.message import Message, PondError

KEY_BYTES, SIGNATURE_BYTES = 32, 64


class LinkError(PondError):
    """Refusal of a message, an invitation or a request. Nothing has changed."""


def make_error(message_id: str) -> LinkError:
    """Return an error whose message has no arguments."""
    return LinkError(Message(message_id))


def make_digest(label: str, *parts: bytes, key: bytes = b"", size: int = 32) -> bytes:
    """Hash some texts for one purpose. Hashes for different purposes or of differently divided texts never agree.

    Args:
        label: purpose, at most 10 characters.
        parts: hashed texts.
        key: secret that makes the hash a message authentication code or a derived key.
        size: length of the hash in bytes.
    """
    hashed = blake2b(digest_size=size, key=key, person=f"pond/{label}".encode())
    for part in parts:
        hashed.update(len(part).to_bytes(4) + part)
    return hashed.digest()


def format_canonical(value: object) -> bytes:
    """Return the only JSON text of a value that is ever signed."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
    except RecursionError as error:
        raise make_error("link.unreadable") from error


def parse_json(text: bytes) -> object:
    """Parse JSON from outside, without fractions.

    Raises:
        LinkError: it is not JSON.
    """
    try:
        return json.loads(text, parse_float=_refuse_number, parse_constant=_refuse_number)
    except (ValueError, RecursionError) as error:
        raise make_error("link.unreadable") from error


def _refuse_number(text: str) -> None:
    raise ValueError(text)


def encode_bytes(value: bytes) -> str:
    """Return bytes as a JSON string."""
    return b64encode(value).decode()


def decode_bytes(text: object, size: int) -> bytes:
    """Parse a string of `encode_bytes` with a known number of bytes."""
    try:
        if isinstance(text, str) and len(value := b64decode(text, validate=True)) == size:
            return value
    except ValueError:
        pass
    raise make_error("link.unreadable")


def sign(key: SigningKey, digest: bytes) -> bytes:
    """Return the signature of a home below a hash."""
    return key.sign(digest).signature


def is_signed(public_key: bytes, digest: bytes, signature: bytes) -> bool:
    """Return True if a signature is that of the home with this key."""
    try:
        VerifyKey(public_key).verify(digest, signature)
    except (CryptoError, ValueError):
        return False
    return True


def verify(public_key: bytes, digest: bytes, signature: bytes) -> None:
    """Raise an error unless a signature is that of the home with this key."""
    if not is_signed(public_key, digest, signature):
        raise make_error("link.wrong_signature")
