"""Messages as data: an id with arguments. `catalogue` formats them in any language.

Creating a message doesn't require a catalogue, so the rules can explain an illegal action without reading a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

Argument = Union[str, int, float, tuple[str, ...], "Message", tuple["Message", ...]]
"""Argument of a message: a cell, the name of a person, side or symbol, a number, several cells, or nested messages."""


class Message:
    """A sentence independent of language. `Catalogue.text` formats it.

    Attributes:
        id: message id, such as `illegal.not_empty`.
        arguments: values of the placeholders, by name. `count` selects the plural form.
    """

    __slots__ = ("arguments", "id")

    id: str
    arguments: Mapping[str, Argument]

    def __init__(self, message_id: str, /, **arguments: Argument) -> None:
        self.id = message_id
        self.arguments = arguments

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and (self.id, self.arguments) == (other.id, other.arguments)

    def __hash__(self) -> int:
        return hash((self.id, *self.arguments.items()))

    def __repr__(self) -> str:
        given = "".join(f", {name}={argument!r}" for name, argument in self.arguments.items())
        return f"Message({self.id!r}{given})"

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.id, dict(self.arguments))

    def to_json(self) -> dict[str, object]:
        """Return the message as sent by the protocol: `{"id":"illegal.not_empty","arguments":{"cell":"c3"}}`."""
        json_arguments = {name: _argument_to_json(argument) for name, argument in self.arguments.items()}
        return {"id": self.id, "arguments": json_arguments}


def _argument_to_json(argument: Argument) -> object:
    match argument:
        case Message():
            return argument.to_json()
        case [Message(), *_]:
            return tuple(map(_argument_to_json, argument))
    return argument


def _restore(message_id: str, arguments: dict[str, Argument]) -> Message:
    return Message(message_id, **arguments)


def as_message(text: Message | str) -> Message:
    """Return a message unchanged, or wrap plain text from another program, a library or the operating system."""
    return text if isinstance(text, Message) else Message("text", text=text)


class PondError(ValueError):
    """Error caused by the user or the hardware, with a message for the user.

    Attributes:
        message: explains what went wrong and what to do about it.
    """

    def __init__(self, message: Message | str) -> None:
        super().__init__(message)
        self.message = as_message(message)
