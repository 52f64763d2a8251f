"""Dates and playing times of games, as far as the clocks can be trusted.

A small computer may have no battery-backed clock, so its date may be wrong. The order of the games is always known. If
a game's date does not fit that order, then it or a neighbouring date is wrong.
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

MAX_THINKING_SECONDS = 3600.0
"""Longest pause between two entries that counts as playing time."""

EARLIEST_YEAR = 2025
"""Dates before this year are wrong, because Pond did not exist yet."""

CLOCK_SET_SECONDS = 120.0
"""Drift between wall clock and monotonic clock above which the wall clock must have been set during the game."""

_OrderedRun = tuple[str, "_OrderedRun | None"]
"""A run of games as a linked list: the `uid` of its last game, and the run before it."""


def parse_instant(text: str) -> datetime | None:
    try:
        parsed_instant = datetime.fromisoformat(text)
    except ValueError:
        return None
    return parsed_instant if parsed_instant.tzinfo else None


def format_instant(instant: datetime) -> str:
    """Format a time in local time, to the minute."""
    try:
        return instant.astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):  # within a day of the first or last representable year
        return instant.strftime("%Y-%m-%d %H:%M")


def format_timestamp(timestamp: Timestamp) -> str:
    """Format the wall-clock time of a timestamp in local time."""
    instant = parse_instant(timestamp.wall_time)
    return format_instant(instant) if instant else replace_unprintable(timestamp.wall_time)[:16]


def describe_playing_time(seconds: float) -> Message:
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours:
        return Message("playing_time.hours", hours=hours, minutes=minutes)
    return Message("playing_time.minutes", minutes=minutes) if minutes else Message("playing_time.less")


def find_start_instant(game: StoredGame) -> datetime | None:
    """Return the start of a game by the machine's clock; None if unknown."""
    if count_imported_entries(game):
        return parse_start_date(format_start_date(game) or "")
    return parse_instant(game.entries[0].timestamp.wall_time) if game.entries else None


def find_doubtful_dates(games: Sequence[StoredGame]) -> set[str]:
    """Return the `uid`s of games whose dates may be wrong. The games must be ordered oldest first.

    A date is doubtful if it is not part of the longest run of games in chronological order, if it is before
    `EARLIEST_YEAR`, or if the clock was set during the game. Imported games are skipped, because they say nothing about this
    machine's clock.
    """
    timed = [(game.uid, at) for game in games if not count_imported_entries(game) and (at := find_start_instant(game))]
    wrong_ids = {uid for uid, at in timed if at.year < EARLIEST_YEAR}
    timed = [timed_game for timed_game in timed if timed_game[0] not in wrong_ids]
    wrong_ids |= {uid for uid, _ in timed} - _longest_ordered_run(timed)
    return wrong_ids | {game.uid for game in games if not count_imported_entries(game) and _was_clock_set(game)}


def _longest_ordered_run(timed: Sequence[tuple[str, datetime]]) -> set[str]:
    earliest_ends: list[datetime] = []  # for each length, the earliest end of a run
    runs: list[_OrderedRun | None] = [None]  # the empty run, and the run that has each of those ends
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
    for (_, before), (_, after) in pairwise(game.entries):
        was, now = parse_instant(before.wall_time), parse_instant(after.wall_time)
        if before.boot_id == after.boot_id and before.boot_id and was and now:
            clock_difference = (now - was).total_seconds() - (after.since_boot - before.since_boot)
            if abs(clock_difference) > CLOCK_SET_SECONDS:
                return True
    return False


def playing_seconds(game: StoredGame) -> float | None:
    """Return the playing time of a game by the machine's own clock; None if unknown.

    The time between two entries counts unless the pause is longer than `MAX_THINKING_SECONDS` or the machine was restarted
    or the game resumed in between. The time before the first turn is not recorded.
    """
    if count_imported_entries(game) or len(game.entries) < 2:
        return None
    total_seconds = 0.0
    for (_, before), (entry, after) in pairwise(game.entries):
        passed, same_boot = after.since_boot - before.since_boot, before.boot_id == after.boot_id
        if same_boot and entry.kind != "resume" and 0 <= passed <= MAX_THINKING_SECONDS:
            total_seconds += passed
    return total_seconds
