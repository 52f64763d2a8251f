"""An open page."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Protocol

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import Record
from pond_hw.web.page_view import JsonMessage

MAX_OUTBOX = 8
"""Maximum number of answers queued for a visitor. A slow visitor misses the oldest."""


class Flag(Protocol):
    """A flag, such as an event that a task waits for."""

    def set(self) -> None: ...

    def is_set(self) -> bool: ...

    def clear(self) -> None: ...


class Visitor:
    """An open page.

    Args:
        address: address of the browser.
        token: value of its cookie, or None. Only a token that was issued here belongs to a seat.
        language: language of messages to this page.
        make_flag: makes its flags.

    Attributes:
        last_read_game: number and record of the saved game that it requested last, or None.
        changed: set when there may be something new to send.
        dismissed: set when the visitor must make room for others.
        claim: secret with which the browser fetches the cookie of its new seat; None once the cookie has been stored.
    """

    def __init__(
        self, address: str, token: str | None, language: str = "en", make_flag: Callable[[], Flag] = Event
    ) -> None:
        self.address, self.token, self.language = address, token, language
        self.changed, self.dismissed = make_flag(), make_flag()
        self.sent: dict[str, str] = {}
        self.sent_start, self.sent_turns = "", list[JsonMessage]()
        self.outbox: list[JsonMessage] = []
        self.last_read_game: tuple[int, Record] | None = None
        self.claim: str | None = None
        self.has_fetched_token = False
        self.changed.set()

    def send(self, answer: JsonMessage) -> None:
        """Queue an answer for this visitor."""
        self.outbox = [*self.outbox, answer][-MAX_OUTBOX:]
        self.changed.set()

    def refuse(self, *messages: Message) -> None:
        """Queue the reason for a refusal, in the visitor's language."""
        self.send({"type": "refused", "message": get_catalogue(self.language, "phone").text(messages)})
