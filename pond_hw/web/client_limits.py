"""Capacity of the page, shared so that no network can keep the others out, nor any of them a phone that has a seat. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Place = int | str
"""Key by which clients are counted: the number of a seat, or the network of a stranger."""


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
