"""Link to a served board, shared by all open pages, with the latest messages from the board."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from pond_hw.rules import Record, parse_record
from pond_hw.web.page_view import JsonMessage, build_hello, build_state, list_turns

_GAME_FIELDS = ("variant", "position", "phase", "outcome", "last")
"""State fields that show, when they change, that the record may have changed too."""


class BoardLink(ABC):
    """Link to a served board, with the latest messages from it.

    Attributes:
        hello: description of the board for the page; None while disconnected.
        state: latest state; None while disconnected.
        game_record: record of the game; None until received.
        turns: turns of the game, in the form that the page gets.
        on_change: called when any of these changes.
        on_connect: called after connecting.
        on_line: called with every other message.
    """

    def __init__(self) -> None:
        self._texts: dict[tuple[str, bool], str] = {}
        self._record: Mapping[str, Any] = {}
        self.hello: JsonMessage | None = None
        self.state: Mapping[str, Any] | None = None
        self.game_record: Record | None = None
        self.turns: list[JsonMessage] = []
        self.on_change: Callable[[], None] = lambda: None
        self.on_connect: Callable[[], None] = lambda: None
        self.on_line: Callable[[Mapping[str, Any]], None] = lambda _: None

    @abstractmethod
    def send(self, request: Mapping[str, Any]) -> bool:
        """Send a request to the board. Return False if it is disconnected."""

    def request_record(self) -> None:
        self.send({"ask": "record"})

    def format_state(self, language: str, *, plays: bool) -> str:
        """Return the state as JSON, cached for all visitors who get the same text; see `build_state`."""
        assert self.state is not None
        if (language, plays) not in self._texts:
            self._texts[language, plays] = json.dumps(build_state(self.state, self._record, language, plays=plays))
        return self._texts[language, plays]

    def handle_line(self, message: Mapping[str, Any]) -> None:
        """Handle a message from the board. Raises an error if it is invalid."""
        match message["type"]:
            case "hello":
                self.hello = build_hello(message)
            case "state":
                build_state(message, self._record, "en", plays=True)  # raises an error if the line is invalid
                before, self.state = self.state, message
                if before is None or any(before[field] != message[field] for field in _GAME_FIELDS):
                    self.request_record()
            case "record":
                self._record, self.game_record = message, parse_record(message["record"])
                self.turns = list_turns(self.game_record)
                if self.hello:  # resuming a game may change the players
                    self.hello |= {field: message[field] for field in ("players", "names") if field in message}
            case _:
                self.on_line(message)
        self._change()

    def lose_board(self) -> None:
        """Forget a board that has been disconnected."""
        if self.hello or self.state:
            self.hello = self.state = self.game_record = None
            self._change()

    def _change(self) -> None:
        self._texts.clear()
        self.on_change()
