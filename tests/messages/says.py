"""What tests say about messages."""

from pond_hw.messages.catalogue import get_catalogue


def text(*messages):
    """Messages in English."""
    return get_catalogue().text(messages)


def ids(messages):
    """Which sentences these are."""
    return [message.id for message in messages]
