"""Messages as data: an id with arguments. `catalogue` makes a sentence of it in any language.

No sentence is needed to make a message, so the rules can say why an action is illegal without reading a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

Argument = Union[str, int, float, tuple[str, ...], "Message", tuple["Message", ...]]
"""A cell, a name, a side or a symbol by its name; a number; several cells; messages that are quoted within another."""


class Message:
    """One sentence, before its language is chosen. As a string it shows its data: `Catalogue.text` makes sentences.

    Attributes:
        id: which sentence, such as `illegal.not_empty`.
        arguments: what fills its gaps, by name. Where a sentence depends on a number, that is `count`.
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
        """The message as the protocol carries it: `{"id":"illegal.not_empty","arguments":{"cell":"c3"}}`."""
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
    """The message itself, or a message that is just this text: what another program, a library or the system says."""
    return text if isinstance(text, Message) else Message("text", text=text)


class PondError(ValueError):
    """Error of the person who uses Pond, with a message for them.

    Attributes:
        message: why, and what to do.
    """

    def __init__(self, message: Message | str) -> None:
        super().__init__(message)
        self.message = as_message(message)
