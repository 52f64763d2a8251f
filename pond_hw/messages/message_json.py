"""Parser for messages that come from a board or a file. The inverse of `Message.to_json`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import isfinite
from typing import Any

from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import replace_unprintable

MAX_TEXT_LENGTH = 1000
"""Maximum length of a text inside a message, in characters."""

MAX_DEPTH = 4
"""Maximum nesting depth of messages and lists."""


def parse_messages(objects: object, text: str) -> tuple[Message, ...]:
    """Parse messages. If this version of Pond can't format them, return the accompanying text as a message instead.

    Raises:
        AttributeError, KeyError, OverflowError, TypeError, ValueError: if the objects are not messages.
    """
    if not isinstance(objects, list):
        raise TypeError(objects)
    messages = tuple(map(parse_message, objects))
    with suppress(KeyError, TypeError, ValueError):
        if all(len(get_catalogue(language).text(messages)) <= MAX_TEXT_LENGTH for language in LANGUAGES):
            return messages
    return (Message("text", text=text),)


def parse_message(message_json: Mapping[str, Any], depth: int = 0) -> Message:
    """Parse the output of `Message.to_json`.

    Raises:
        AttributeError, KeyError, OverflowError, TypeError, ValueError: if the object is not a message.
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
    """Truncate a text from outside Pond and replace its terminal control characters.

    Raises:
        TypeError: if the value is not a string.
    """
    if not isinstance(text_value, str):
        raise TypeError(text_value)
    return replace_unprintable(text_value[:MAX_TEXT_LENGTH])
