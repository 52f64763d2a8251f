"""Tests of sealed messages."""

import os
import zlib

import pytest
from nacl.secret import SecretBox

from pond_hw.link.sealing import MAX_SEALED, MAX_TEXT, MIN_SEALED, open_sealed, seal
from pond_hw.link.signatures import LinkError
from tests.conftest import each

KEY = b"k" * 32


@each("length", [0, 1, 5000, 100_000])
def test_sealed_text_is_opened(length):
    text = os.urandom(length)
    assert open_sealed(seal(text, KEY), KEY) == text


@each("length", range(4000, 4100, 3))
def test_size_is_a_power_of_two(length):
    size = len(seal(os.urandom(length), KEY))
    assert size in (MIN_SEALED, 2 * MIN_SEALED)


def test_short_texts_have_the_same_size():
    assert len(seal(b"a", KEY)) == len(seal(os.urandom(3000), KEY)) == MIN_SEALED


@each("text", [os.urandom(MAX_SEALED), bytes(MAX_TEXT + 1)])
def test_too_long_text_is_not_sealed(text):
    with pytest.raises(LinkError):
        seal(text, KEY)


def test_other_key_opens_nothing():
    with pytest.raises(LinkError):
        open_sealed(seal(b"text", KEY), b"x" * 32)


def pack(packed, length=None, padding=b"\0"):
    content = (len(packed) if length is None else length).to_bytes(4) + packed
    return bytes(SecretBox(KEY).encrypt(content.ljust(MIN_SEALED - 40, padding)))


@each(
    "sealed",
    [
        pack(zlib.compress(bytes(MAX_TEXT + 1))),  # expands beyond the limit
        pack(zlib.compress(b"text"), padding=b"x"),
        pack(zlib.compress(b"text") + b"more"),
        pack(zlib.compress(b"text")[:-1]),
        pack(zlib.compress(b"text"), 1 << 31),
        pack(b"text"),
        pack(b""),
    ],
)
def test_wrong_content_is_refused(sealed):
    with pytest.raises(LinkError):
        open_sealed(sealed, KEY)
