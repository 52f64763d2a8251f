"""When games were played, as far as anybody can know. Pure.

A small computer may have no clock of its own: what it says about the date is a label. The order of the games is known
without it, so a label that does not fit the order is wrong, or one beside it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime

from pond_hw.journal import StoredGame, Timestamp
from pond_hw.journal.game_records import count_imported_entries, format_start_date, parse_start_date
from pond_hw.messages.terminal_text import replace_unprintable

LONGEST_THOUGHT_SECONDS = 3600.0
"""Seconds between two entries of a game after which somebody has gone away, and is not thinking."""

EARLIEST_YEAR = 2025
"""The year before which nobody can have kept a game: a machine without a clock begins to count long before it."""

CLOCK_SET_SECONDS = 120.0
"""Seconds by which the clock on the wall may differ, within one game, from the machine's own before it was set."""


def parse_instant(text: str) -> datetime | None:
    """The instant that a label names, or None if it names none."""
    try:
        told = datetime.fromisoformat(text)
    except ValueError:
        return None
    return told if told.tzinfo else None


def format_instant(instant: datetime) -> str:
    """An instant by the clock of this place, to the minute."""
    try:
        return instant.astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):  # within a day of the first or the last year there is
        return instant.strftime("%Y-%m-%d %H:%M")


def format_timestamp(timestamp: Timestamp) -> str:
    """What the clock on the wall said when something was written, by the clock of this place."""
    instant = parse_instant(timestamp.wall_time)
    return format_instant(instant) if instant else replace_unprintable(timestamp.wall_time)[:16]


def format_playing_time(seconds: float) -> str:
    """A time in hours and minutes."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "under a minute"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


def find_start_instant(kept: StoredGame) -> datetime | None:
    """The instant when a game was begun, by the clock of the machine; None if that is not known."""
    if count_imported_entries(kept):
        return parse_start_date(format_start_date(kept) or "")
    return parse_instant(kept.entries[0].timestamp.wall_time) if kept.entries else None


def find_doubtful_dates(games: Sequence[StoredGame]) -> set[str]:
    """The games on whose labels the clock may have been wrong: their `uid`s.

    Those that are left out if as many as possible are to be in order, those of a year before this program, and those
    during which the clock was set.

    Args:
        games: the one that was begun first in front; those that were brought in say nothing about this machine.
    """
    timed = [(kept.uid, at) for kept in games if not count_imported_entries(kept) and (at := find_start_instant(kept))]
    wrong = {uid for uid, at in timed if at.year < EARLIEST_YEAR}
    timed = [each for each in timed if each[0] not in wrong]
    in_order = {timed[index][0] for index in _longest_ordered_run([at for _, at in timed])}
    wrong |= {uid for uid, _ in timed if uid not in in_order}
    return wrong | {kept.uid for kept in games if not count_imported_entries(kept) and _was_clock_set(kept)}


def _longest_ordered_run(instants: Sequence[datetime]) -> list[int]:
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


def _was_clock_set(kept: StoredGame) -> bool:
    """Whether the clock on the wall jumped while a game was played."""
    for (_, one), (_, other) in zip(kept.entries, kept.entries[1:], strict=False):
        was, now = parse_instant(one.wall_time), parse_instant(other.wall_time)
        if one.boot_id == other.boot_id and one.boot_id and was and now:
            apart = (now - was).total_seconds() - (other.since_boot - one.since_boot)
            if abs(apart) > CLOCK_SET_SECONDS:
                return True
    return False


def playing_seconds(kept: StoredGame) -> float | None:
    """How long a game was played, by the machine's own clock; None if nobody knows.

    The time between two entries of one run of the machine counts, unless the players came back in between, or nothing
    happened for longer than anybody thinks. Before the first turn nothing was noted.
    """
    if count_imported_entries(kept) or len(kept.entries) < 2:
        return None
    total = 0.0
    for (_, one), (entry, other) in zip(kept.entries, kept.entries[1:], strict=False):
        passed = other.since_boot - one.since_boot
        if one.boot_id == other.boot_id and entry.kind != "resume" and 0 <= passed <= LONGEST_THOUGHT_SECONDS:
            total += passed
    return total
