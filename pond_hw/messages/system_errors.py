"""What the operating system says about an error, for the middle of a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pond_hw.messages.message import Message, PondError


def describe_system_error(error: Exception) -> str:
    """The system's own words for an error, such as `No such file or directory`; or else what the error says itself."""
    return getattr(error, "strerror", None) or str(error)


@contextmanager
def explain_system_errors(describe: Callable[[str], Message] | str) -> Iterator[None]:
    """Turn what the system refuses in this block into a message, such as `file.cannot_read`.

    Args:
        describe: makes the message of what the system says; or an English sentence up to its colon.

    Raises:
        PondError: instead of an OSError, or of a ValueError such as a name that no file can have.
    """
    try:
        yield
    except PondError:
        raise
    except (OSError, ValueError) as error:
        reason = describe_system_error(error)
        raise PondError(describe(reason) if callable(describe) else f"{describe}: {reason}.") from None
