"""When and how long games were played, as far as the clocks can be trusted. Pure.

A small computer may have no clock of its own: what it says about the date is a label. The order of the games is known
without it, so a label that does not fit the order is wrong, or one beside it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from pond_hw.journal import StoredGame, Timestamp
from pond_hw.journal.game_records import count_imported_entries, format_start_date, parse_start_date
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import replace_unprintable

LONGEST_THOUGHT_SECONDS = 3600.0
"""Seconds between two entries of a game after which somebody has gone away, and is not thinking."""

EARLIEST_YEAR = 2025
"""The year before which nobody can have kept a game: a machine without a clock begins to count long before it."""

CLOCK_SET_SECONDS = 120.0
"""Seconds by which the clock on the wall may differ, within one game, from the machine's own before it was set."""

_OrderedRun = tuple[str, "_OrderedRun | None"]
"""A run of games: the last one's `uid`, and the run before it."""


def parse_instant(text: str) -> datetime | None:
    """The instant in a timestamp's text; None if there is none."""
    try:
        parsed_instant = datetime.fromisoformat(text)
    except ValueError:
        return None
    return parsed_instant if parsed_instant.tzinfo else None


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


def describe_playing_time(seconds: float) -> Message:
    """A time in hours and minutes."""
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours:
        return Message("playing_time.hours", hours=hours, minutes=minutes)
    return Message("playing_time.minutes", minutes=minutes) if minutes else Message("playing_time.less")


def find_start_instant(game: StoredGame) -> datetime | None:
    """The instant when a game was begun, by the clock of the machine; None if that is not known."""
    if count_imported_entries(game):
        return parse_start_date(format_start_date(game) or "")
    return parse_instant(game.entries[0].timestamp.wall_time) if game.entries else None


def find_doubtful_dates(games: Sequence[StoredGame]) -> set[str]:
    """The `uid`s of games during which the clock may have been wrong.

    Those that are left out if as many as possible are to be in order, those of a year before this program, and those
    during which the clock was set.

    Args:
        games: the one that was begun first in front; those that were brought in say nothing about this machine.
    """
    timed = [(game.uid, at) for game in games if not count_imported_entries(game) and (at := find_start_instant(game))]
    wrong_ids = {uid for uid, at in timed if at.year < EARLIEST_YEAR}
    timed = [timed_game for timed_game in timed if timed_game[0] not in wrong_ids]
    wrong_ids |= {uid for uid, _ in timed} - _longest_ordered_run(timed)
    return wrong_ids | {game.uid for game in games if not count_imported_entries(game) and _was_clock_set(game)}


def _longest_ordered_run(timed: Sequence[tuple[str, datetime]]) -> set[str]:
    """The games of a longest run whose instants never go back in time."""
    earliest_ends: list[datetime] = []  # the earliest instant at which a run of so many can end
    runs: list[_OrderedRun | None] = [None]  # the run of no game, and those that end so early
    for uid, at in timed:
        run_length = bisect_right(earliest_ends, at)
        earliest_ends[run_length : run_length + 1] = [at]
        runs[run_length + 1 : run_length + 2] = [(uid, runs[run_length])]
    run, ordered_ids = runs[-1], set()
    while run:
        uid, run = run
        ordered_ids.add(uid)
    return ordered_ids


def _was_clock_set(game: StoredGame) -> bool:
    """Whether the wall clock jumped while a game was played."""
    for (_, before), (_, after) in pairwise(game.entries):
        was, now = parse_instant(before.wall_time), parse_instant(after.wall_time)
        if before.boot_id == after.boot_id and before.boot_id and was and now:
            clock_difference = (now - was).total_seconds() - (after.since_boot - before.since_boot)
            if abs(clock_difference) > CLOCK_SET_SECONDS:
                return True
    return False


def playing_seconds(game: StoredGame) -> float | None:
    """How long a game was played, by the machine's own clock; None if nobody knows.

    The time between two entries of one run of the machine counts, unless the players came back in between, or nothing
    happened for longer than anybody thinks. Before the first turn nothing was noted.
    """
    if count_imported_entries(game) or len(game.entries) < 2:
        return None
    total_seconds = 0.0
    for (_, before), (entry, after) in pairwise(game.entries):
        passed, same_boot = after.since_boot - before.since_boot, before.boot_id == after.boot_id
        if same_boot and entry.kind != "resume" and 0 <= passed <= LONGEST_THOUGHT_SECONDS:
            total_seconds += passed
    return total_seconds
