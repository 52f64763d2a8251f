"""Operating system errors, worded to fit in the middle of a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message, PondError


def describe_system_error(error: Exception) -> str:
    """Return the system's wording of an error, such as `No such file or directory`, or else the error's own text."""
    if isinstance(message := getattr(error, "message", None), Message):
        return to_english(message)
    return getattr(error, "strerror", None) or str(error)


@contextmanager
def explain_system_errors(message_id: str, **arguments: str) -> Iterator[None]:
    """Raise system errors in this block as a PondError with a message such as `file.cannot_read`.

    Args:
        message_id: id of the message; its argument `reason` is the system's wording.
        arguments: other arguments of the message.

    Raises:
        PondError: instead of OSError, or of ValueError if a file name is impossible.
    """
    try:
        yield
    except PondError:
        raise
    except (OSError, ValueError) as error:
        raise PondError(Message(message_id, reason=describe_system_error(error), **arguments)) from None
