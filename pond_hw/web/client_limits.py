"""Limits on clients: on their number, and on requests that are refused at the board.

The limits ensure that no network can lock out other networks, or phones with a seat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.session import PERMISSION_SECONDS

Place = int | str
"""Key for counting clients: a seat number, or the network of a stranger."""

REFUSAL_SECONDS = 600.0
"""Number of seconds for which a refusal counts."""

MAX_REFUSALS_OF_PLACE, MAX_REFUSALS = 5, 15
"""Number of refusals after which one seat or network, or all strangers, can make no more requests."""

MIN_WITHDRAWAL = 0.1
"""Minimum weight of a withdrawn request; without it, a client could make the lamps flicker endlessly."""


def find_surplus(places: Sequence[Place], max_count: int, max_of_place: int) -> int | None:
    """Return the index of the client to disconnect; None if there is room for all of them.

    It belongs to the place with the most clients. Strangers are disconnected before clients with a seat.

    Args:
        places: place of each client, in the order in which to disconnect them.
        max_count: maximum number of clients.
        max_of_place: maximum number of clients from one place.
    """
    counts = Counter(places)
    too_many = [place for place, count in counts.items() if count > max_of_place]
    if not too_many and len(places) <= max_count:
        return None
    strangers = [place for place in counts if isinstance(place, str)]
    candidates = too_many or strangers or list(counts)
    largest = max(counts[place] for place in candidates)
    return next(index for index, place in enumerate(places) if place in candidates and counts[place] == largest)


class _Refusal(NamedTuple):
    instant: float
    place: Place
    weight: float
    is_withdrawal: bool


class Refusals:
    """Refusals within the last few minutes."""

    def __init__(self) -> None:
        self._refusals: list[_Refusal] = []

    def count_refusal(self, place: Place, now: float) -> None:
        """Count a request that was not allowed at the board."""
        self._refusals.append(_Refusal(now, place, 1.0, is_withdrawal=False))

    def count_withdrawal(self, place: Place, now: float, asked_seconds: float) -> None:
        """Count a withdrawn request in proportion to the time it blocked others.

        It counts only against the same network. Otherwise, a phone could lock others out by asking and withdrawing.
        """
        weight = max(MIN_WITHDRAWAL, asked_seconds / PERMISSION_SECONDS)
        self._refusals.append(_Refusal(now, place, weight, is_withdrawal=True))

    def find_obstacle(self, place: Place, now: float) -> Message | None:
        """Return the reason why this place must not ask now; None if it may."""
        self._refusals = [each for each in self._refusals if each.instant > now - REFUSAL_SECONDS]
        if sum(each.weight for each in self._refusals if each.place == place) >= MAX_REFUSALS_OF_PLACE:
            return Message("remote.too_many_refusals")
        strangers = [each for each in self._refusals if isinstance(each.place, str) and not each.is_withdrawal]
        if isinstance(place, str) and len(strangers) >= MAX_REFUSALS:
            return Message("remote.pairing_closed")
        return None

    def forget_all(self) -> None:
        self._refusals.clear()
