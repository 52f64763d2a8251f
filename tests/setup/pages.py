"""Pages of set-up: as messages, and as text."""

from pond_hw.messages.message import Message
from pond_hw.setup.pages import show_page


def asked(of):
    """The messages that say what to do now, of a page or of what has one."""
    prompt = getattr(of, "page", of).prompt
    return (prompt,) if isinstance(prompt, Message) else prompt


def shown(of):
    """A page as text, or the page of what has one."""
    return show_page(getattr(of, "page", of))
