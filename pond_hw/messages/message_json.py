"""Messages that came from outside, sent by a board or kept in a file: what `Message.to_json` has made, read back."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import isfinite
from typing import Any

from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import replace_unprintable

MAX_TEXT_LENGTH = 1000
"""Letters of a message; a name has a few."""

MAX_DEPTH = 4
"""Messages and lists within a message."""


def parse_messages(said: object, text: str) -> tuple[Message, ...]:
    """Messages that were sent or stored; if this version has no sentences for them, the text that went with them.

    Raises:
        AttributeError, KeyError, OverflowError, TypeError, ValueError: these are no messages.
    """
    if not isinstance(said, list):
        raise TypeError(said)
    messages = tuple(map(parse_message, said))
    with suppress(KeyError, TypeError, ValueError):
        if all(len(get_catalogue(language).text(messages)) <= MAX_TEXT_LENGTH for language in LANGUAGES):
            return messages
    return (Message("text", text=text),)


def parse_message(message_json: Mapping[str, Any], depth: int = 0) -> Message:
    """The message that `Message.to_json` has made this of.

    Raises:
        AttributeError, KeyError, OverflowError, TypeError, ValueError: it has made this of none.
    """
    arguments = {clean_text(name): _parse_argument(value, depth) for name, value in message_json["arguments"].items()}
    return Message(clean_text(message_json["id"]), **arguments)


def _parse_argument(value: object, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError(value)
    match value:
        case str():
            return clean_text(value)
        case list():
            return tuple(_parse_argument(item, depth + 1) for item in value)
        case dict():
            return parse_message(value, depth + 1)
        case int() | float() if not isinstance(value, bool) and isfinite(value):
            return value
    raise TypeError(value)


def clean_text(text_value: object) -> str:
    """A text from outside, cut if it is too long, and without anything that a terminal would obey.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(text_value, str):
        raise TypeError(text_value)
    return replace_unprintable(text_value[:MAX_TEXT_LENGTH])
