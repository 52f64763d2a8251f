"""Limits of clients: room for so many, and so many requests that nobody at the board allows. Pure.

Both are shared out so that no network can keep the others out, nor any of them a phone that has a seat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.session import PERMISSION_SECONDS

Place = int | str
"""Key by which clients are counted: the number of a seat, or the network of a stranger."""

REFUSAL_SECONDS = 600.0
"""Seconds for which a refusal counts."""

MAX_REFUSALS_OF_PLACE, MAX_REFUSALS = 5, 15
"""Refusals after which one seat or network, and all who have no seat, may not ask any more."""

MIN_WITHDRAWAL = 0.1
"""Least that a request counts that was withdrawn: else somebody could make the lamps flicker without end."""


def find_surplus(places: Sequence[Place], max_count: int, max_of_place: int) -> int | None:
    """Return the index of the client that has to leave, or None if there is room for all.

    It is one of the place that has most of them; strangers leave before a seat does.

    Args:
        places: the place of each client, those that leave first at the front.
        max_count: how many clients there may be.
        max_of_place: how many of one place.
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
    """The refusals of the last minutes."""

    def __init__(self) -> None:
        self._refusals: list[_Refusal] = []

    def count_refusal(self, place: Place, now: float) -> None:
        """Count a request that nobody at the board has allowed."""
        self._refusals.append(_Refusal(now, place, 1.0, is_withdrawal=False))

    def count_withdrawal(self, place: Place, now: float, asked_seconds: float) -> None:
        """Count a request that was withdrawn, by the time that it kept others from asking.

        It never counts for others: so nobody can lock them out by asking and withdrawing.
        """
        weight = max(MIN_WITHDRAWAL, asked_seconds / PERMISSION_SECONDS)
        self._refusals.append(_Refusal(now, place, weight, is_withdrawal=True))

    def find_obstacle(self, place: Place, now: float) -> Message | None:
        """Return why somebody may not ask now; None if they may."""
        self._refusals = [each for each in self._refusals if each.instant > now - REFUSAL_SECONDS]
        if sum(each.weight for each in self._refusals if each.place == place) >= MAX_REFUSALS_OF_PLACE:
            return Message("remote.too_many_refusals")
        strangers = [each for each in self._refusals if isinstance(each.place, str) and not each.is_withdrawal]
        if isinstance(place, str) and len(strangers) >= MAX_REFUSALS:
            return Message("remote.pairing_closed")
        return None

    def forget_all(self) -> None:
        """Let everybody ask again."""
        self._refusals.clear()
