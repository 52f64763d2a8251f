"""Limits on the number of clients, and on requests that are refused at the board.

They ensure that no network can lock out other networks, or phones with a seat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.session import PERMISSION_SECONDS

Source = int | str
"""Key for counting clients: a seat number or, for clients without a seat, a network."""

REFUSAL_SECONDS = 600.0
"""Seconds during which a refusal counts."""

MAX_REFUSALS_PER_SOURCE, MAX_REFUSALS = 5, 15
"""Number of refusals that block one seat or network, and number that block all clients without a seat."""

MIN_WITHDRAWAL = 0.1
"""Minimum weight of a withdrawn request, so that a client cannot make the lamps flicker endlessly."""


def find_surplus(sources: Sequence[Source], max_count: int, max_per_source: int) -> int | None:
    """Return the index of the client to disconnect; None if there is room for all of them.

    The source with the most clients loses one. Clients without a seat are disconnected before those with a seat.

    Args:
        sources: source of each client, in the order in which to disconnect clients.
        max_count: maximum number of clients.
        max_per_source: maximum number of clients from one source.
    """
    counts = Counter(sources)
    too_many = [source for source, count in counts.items() if count > max_per_source]
    if not too_many and len(sources) <= max_count:
        return None
    strangers = [source for source in counts if isinstance(source, str)]
    candidates = too_many or strangers or list(counts)
    largest = max(counts[source] for source in candidates)
    return next(index for index, source in enumerate(sources) if source in candidates and counts[source] == largest)


class _Refusal(NamedTuple):
    instant: float
    source: Source
    weight: float
    is_withdrawal: bool


class Refusals:
    """Refusals in the last few minutes."""

    def __init__(self) -> None:
        self._refusals: list[_Refusal] = []

    def count_refusal(self, source: Source, now: float) -> None:
        """Count a request that was not allowed at the board."""
        self._refusals.append(_Refusal(now, source, 1.0, is_withdrawal=False))

    def count_withdrawal(self, source: Source, now: float, asked_seconds: float) -> None:
        """Count a withdrawn request. Its weight is proportional to the time for which it blocked others.

        It counts only against its own source. Otherwise, a phone could lock others out by asking and withdrawing.
        """
        weight = max(MIN_WITHDRAWAL, asked_seconds / PERMISSION_SECONDS)
        self._refusals.append(_Refusal(now, source, weight, is_withdrawal=True))

    def find_obstacle(self, source: Source, now: float) -> Message | None:
        """Return the reason why clients from this source may not make a request now; None if they may."""
        self._refusals = [each for each in self._refusals if each.instant > now - REFUSAL_SECONDS]
        if sum(each.weight for each in self._refusals if each.source == source) >= MAX_REFUSALS_PER_SOURCE:
            return Message("remote.too_many_refusals")
        strangers = [each for each in self._refusals if isinstance(each.source, str) and not each.is_withdrawal]
        if isinstance(source, str) and len(strangers) >= MAX_REFUSALS:
            return Message("remote.pairing_closed")
        return None

    def forget_all(self) -> None:
        self._refusals.clear()
