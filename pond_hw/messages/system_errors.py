"""Descriptions of operating system errors that fit in the middle of a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message, PondError


def describe_system_error(error: Exception) -> str:
    """Return the system's description of an error, such as `No such file or directory`, or else `str(error)`."""
    if isinstance(message := getattr(error, "message", None), Message):
        return to_english(message)
    return getattr(error, "strerror", None) or str(error)


@contextmanager
def explain_system_errors(message_id: str, **arguments: str) -> Iterator[None]:
    """Convert system errors in the `with` block to a PondError with a message such as `file.cannot_read`.

    Args:
        message_id: id of the message. Its argument `reason` is the description of the system error.
        arguments: other arguments of the message.

    Raises:
        PondError: instead of an OSError, or of a ValueError caused by an invalid file name.
    """
    try:
        yield
    except PondError:
        raise
    except (OSError, ValueError) as error:
        raise PondError(Message(message_id, reason=describe_system_error(error), **arguments)) from None
