"""What the operating system says about an error, for the middle of a sentence."""

from __future__ import annotations


def describe_system_error(error: Exception) -> str:
    """The system's own words for an error, such as `No such file or directory`; or else what the error says itself."""
    return getattr(error, "strerror", None) or str(error)
