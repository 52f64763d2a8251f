"""Helpers for tests of messages."""

import re

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message


def text(*messages):
    """Return messages in English."""
    return get_catalogue().text(messages)


def says(pattern):
    """Return a check for `pytest.raises`: the English message of the error must match a pattern."""
    return lambda error: re.search(pattern, text(error.message))


def terminal_text(*messages):
    """Return messages in English as shown in a terminal."""
    return get_catalogue(surface="terminal").text(messages)


def cells(messages):
    """Return the values of all arguments of messages, such as the cells."""
    return {
        name
        for message in messages
        for argument in message.arguments.values()
        for name in (argument if isinstance(argument, tuple) else (argument,))
    }


def ids(messages):
    return [message.id for message in messages]


def assert_refused(result, reason):
    """Check that a command exited with code 2 and printed a message that equals or contains `reason`."""
    code, out, err = result
    assert (code, out) == (2, "")
    if isinstance(reason, Message):
        assert err == f"pond: {text(reason)}\n"
    else:
        assert reason in err
    assert "Traceback" not in err
