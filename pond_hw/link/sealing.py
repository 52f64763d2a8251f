"""Sealed messages: compressed, padded to few sizes and encrypted. Without the key they show only their size."""

from __future__ import annotations

import zlib

from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from pond_hw.link.signatures import make_error

MIN_SEALED, MAX_SEALED = 1 << 12, 1 << 19
"""Smallest and largest size of a sealed message, in bytes. Every size is a power of two."""

MAX_TEXT = 1 << 20
"""Maximum length of a message before compression, in bytes."""

_OVERHEAD = SecretBox.NONCE_SIZE + SecretBox.MACBYTES
_LENGTH_BYTES = 4


def seal(text: bytes, key: bytes) -> bytes:
    """Encrypt a message.

    Raises:
        LinkError: it is too long.
    """
    packed = zlib.compress(text, 9)
    content = len(packed).to_bytes(_LENGTH_BYTES) + packed
    size = max(MIN_SEALED, 1 << (len(content) + _OVERHEAD - 1).bit_length())
    if len(text) > MAX_TEXT or size > MAX_SEALED:
        raise make_error("link.full")
    return bytes(SecretBox(key).encrypt(content.ljust(size - _OVERHEAD, b"\0")))


def open_sealed(sealed: bytes, key: bytes) -> bytes:
    """Decrypt a message.

    Raises:
        LinkError: it was not sealed with this key, or it is damaged or too long.
    """
    if not MIN_SEALED <= len(sealed) <= MAX_SEALED:
        raise make_error("link.unreadable")
    try:
        content = SecretBox(key).decrypt(sealed)
        end = _LENGTH_BYTES + int.from_bytes(content[:_LENGTH_BYTES])
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(content[_LENGTH_BYTES:end], MAX_TEXT)
    except (CryptoError, zlib.error) as error:
        raise make_error("link.unreadable") from error
    if not unpacker.eof or unpacker.unused_data or content[end:].strip(b"\0"):
        raise make_error("link.unreadable")
    return text
