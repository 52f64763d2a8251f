"""When games were played, as far as anybody can know. Pure.

A small computer may have no clock of its own: what it says about the date is a label. The order of the games is known
without it, so a label that does not fit the order is wrong, or one beside it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime

from pond_hw.journal import Kept
from pond_hw.journal.game_records import brought_in, date_of, read_date

LONGEST_THOUGHT = 3600.0
"""Seconds between two entries of a game after which somebody has gone away, and is not thinking."""

EARLIEST = 2025
"""The year before which nobody can have kept a game: a machine without a clock begins to count long before it."""

SET = 120.0
"""Seconds by which the clock on the wall may differ, within one game, from the machine's own before it was set."""


def told_at(text: str) -> datetime | None:
    """The instant that a label names, or None if it names none."""
    try:
        told = datetime.fromisoformat(text)
    except ValueError:
        return None
    return told if told.tzinfo else None


def begun_at(kept: Kept) -> datetime | None:
    """The instant when a game was begun, by the clock of the machine; None if that is not known."""
    if brought_in(kept):
        return read_date(date_of(kept) or "")
    return told_at(kept.noted[0].label.wall) if kept.noted else None


def doubtful(games: Sequence[Kept]) -> set[str]:
    """The games on whose labels the clock may have been wrong: their `uid`s.

    Those that are left out if as many as possible are to be in order, those of a year before this program, and those
    during which the clock was set.

    Args:
        games: the one that was begun first in front; those that were brought in say nothing about this machine.
    """
    timed = [(kept.uid, at) for kept in games if not brought_in(kept) and (at := begun_at(kept))]
    wrong = {uid for uid, at in timed if at.year < EARLIEST}
    timed = [each for each in timed if each[0] not in wrong]
    in_order = {timed[index][0] for index in _in_order([at for _, at in timed])}
    wrong |= {uid for uid, _ in timed if uid not in in_order}
    return wrong | {kept.uid for kept in games if not brought_in(kept) and _was_set(kept)}


def _in_order(instants: Sequence[datetime]) -> list[int]:
    """The places of as many of them as possible that do not go back in time."""
    ends: list[datetime] = []  # the earliest instant at which a run of so many can end
    places: list[int] = []
    before: list[int | None] = []
    for place, at in enumerate(instants):
        length = bisect_right(ends, at)
        before.append(places[length - 1] if length else None)
        ends[length : length + 1] = [at]
        places[length : length + 1] = [place]
    found: list[int] = []
    last = places[-1] if places else None
    while last is not None:
        found.append(last)
        last = before[last]
    return found


def _was_set(kept: Kept) -> bool:
    """Whether the clock on the wall jumped while a game was played."""
    for (_, one), (_, other) in zip(kept.noted, kept.noted[1:], strict=False):
        was, now = told_at(one.wall), told_at(other.wall)
        if one.boot == other.boot and one.boot and was and now:
            apart = (now - was).total_seconds() - (other.since - one.since)
            if abs(apart) > SET:
                return True
    return False


def seconds(kept: Kept) -> float | None:
    """How long a game was played, by the machine's own clock; None if nobody knows.

    The time between two entries of one run of the machine counts, unless the players came back in between, or nothing
    happened for longer than anybody thinks. Before the first turn nothing was noted.
    """
    if brought_in(kept) or len(kept.noted) < 2:
        return None
    total = 0.0
    for (_, one), (entry, other) in zip(kept.noted, kept.noted[1:], strict=False):
        passed = other.since - one.since
        if one.boot == other.boot and entry.kind != "resume" and 0 <= passed <= LONGEST_THOUGHT:
            total += passed
    return total
