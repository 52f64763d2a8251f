"""What a driver must say when it cannot do something."""

import pytest

from pond_hw.messages.message import Message


def raises(error_class, message_id, **arguments):
    """An error of this class is raised in the block, with this message."""
    return raises_message(error_class, Message(message_id, **arguments))


def raises_message(error_class, message):
    """An error of this class is raised in the block, with this message."""
    return pytest.raises(error_class, check=lambda error: error.message == message)
