"""Checks of the errors that drivers raise."""

import pytest

from pond_hw.messages.message import Message


def raises(error_class, message_id, **arguments):
    """Expect an error of this class whose message has this id."""
    return raises_message(error_class, Message(message_id, **arguments))


def raises_message(error_class, message):
    """Expect an error of this class with this message."""
    return pytest.raises(error_class, check=lambda error: error.message == message)
