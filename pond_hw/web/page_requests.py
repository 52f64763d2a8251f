"""Parser for messages from the page: lines for the board, and some messages for the page's own server."""

from __future__ import annotations

from typing import Any, NamedTuple

from pond_hw.messages.catalogue import LANGUAGES
from pond_hw.rules import Side
from pond_hw.server.parse_requests import ClientRequest, parse_object, parse_request
from pond_hw.session import SIDE_SETTINGS, TABLE_SETTINGS

MAX_MESSAGE_BYTES = 1000

ALLOWED_FIELDS: dict[str, tuple[set[str], ...]] = {
    "action": ({"action"},),
    **dict.fromkeys(("undo", "redo"), (set(), {"turn"})),
    **dict.fromkeys(("hint", "done", "resume", "look", "discard", "resign", "draw"), (set(),)),
    "new": (set(), {"variant"}, {"players", "names"}, {"variant", "players", "names"}),
    "exercise": ({"course", "name"}, {"choice"}),
    "answer": ({"request", "accept"}, {"version"}),
    "brightness": ({"brightness"},),
    **{setting.name: ({"side", setting.value_field},) for setting in SIDE_SETTINGS},
    **{setting.name: ({setting.value_field},) for setting in TABLE_SETTINGS},
    **dict.fromkeys(("games", "health", "doctor", "exercises"), (set(),)),
    "game": ({"number"},),
    "what_if": ({"action"},),
}
"""Commands and queries that the page may send, each with the sets of additional fields that are allowed."""

EXERCISE_CHOICES = ("next", "again", "leave")
"""Choices available on the page. All others must be made at the board."""


class ChooseLanguage(NamedTuple):
    """A request to use a language from now on."""

    language: str


class RequestSeat(NamedTuple):
    """A request for a seat that plays these sides. Without sides, it gives up the seat or cancels an earlier request."""

    sides: tuple[Side, ...]


class RevokeSeat(NamedTuple):
    """A request to revoke a seat."""

    number: int


class RequestReview(NamedTuple):
    """A request to review the saved game that was last requested."""


class RequestRematch(NamedTuple):
    """A request for the same game again with the sides swapped."""


class BoardRequest(NamedTuple):
    """A line for the board: its fields, and the parsed request, which determines who may send it."""

    fields: dict[str, Any]
    request: ClientRequest


PageRequest = ChooseLanguage | RequestSeat | RevokeSeat | RequestReview | RequestRematch | BoardRequest


def parse_page_request(text: str) -> PageRequest:
    """Parse a message from the page. Raises ValueError if it is invalid."""
    line = text.encode()
    if len(line) > MAX_MESSAGE_BYTES:
        raise ValueError("too long")
    match fields := parse_object(line):
        case {"language": str() as language, **rest} if language in LANGUAGES and not rest:
            return ChooseLanguage(language)
        case {"seat": None, **rest} if not rest:
            return RequestSeat(())
        case {"seat": list() as names, **rest} if not rest and names in (["light"], ["dark"], ["light", "dark"]):
            return RequestSeat(tuple(side for side in Side if str(side) in names))
        case {"revoke": int() as number, **rest} if not rest and not isinstance(number, bool):
            return RevokeSeat(number)
        case {"ask": "analysis", **rest} if not rest:
            return RequestReview()
        case {"command": "rematch", **rest} if not rest:
            return RequestRematch()
        case {"command": str() as name, **rest} | {"ask": str() as name, **rest}:
            is_choice = "choice" not in rest or rest["choice"] in EXERCISE_CHOICES
            if set(rest) in ALLOWED_FIELDS.get(name, ()) and is_choice:
                return BoardRequest(fields, parse_request(line))
    raise ValueError("no request of the page")
