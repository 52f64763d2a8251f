"""The operating system's words for an error, for the middle of a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message, PondError


def describe_system_error(error: Exception) -> str:
    """The system's own words for an error, such as `No such file or directory`; or else what the error says itself."""
    if isinstance(message := getattr(error, "message", None), Message):  # of our own errors
        return to_english(message)
    return getattr(error, "strerror", None) or str(error)


@contextmanager
def explain_system_errors(message_id: str, **arguments: str) -> Iterator[None]:
    """Turn what the system refuses in this block into a message, such as `file.cannot_read`.

    Args:
        message_id: the message; the system's words are its argument `reason`.
        arguments: its other arguments.

    Raises:
        PondError: instead of an OSError, or of a ValueError such as a name that no file can have.
    """
    try:
        yield
    except PondError:
        raise
    except (OSError, ValueError) as error:
        raise PondError(Message(message_id, reason=describe_system_error(error), **arguments)) from None
