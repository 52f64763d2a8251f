"""Instants and durations of games, for people here. Pure."""

from __future__ import annotations

from datetime import datetime

from pond_hw.journal import StoredGame, Timestamp, game_times
from pond_hw.journal.game_records import count_imported_entries, format_start_date
from pond_hw.messages.terminal_text import replace_unprintable


def format_beginning(kept: StoredGame) -> str:
    """When a game was begun; of one that was imported what its record says, or nothing."""
    begun = game_times.find_start_instant(kept)
    return format_instant(begun) if begun else (format_start_date(kept) or "") if count_imported_entries(kept) else ""


def format_label(label: Timestamp) -> str:
    """What a label says of the time on the wall."""
    instant = game_times.parse_instant(label.wall_time)
    return format_instant(instant) if instant else replace_unprintable(label.wall_time)[:16]


def format_instant(instant: datetime) -> str:
    """An instant by the clock of this place, to the minute."""
    try:
        return instant.astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):  # within a day of the first or the last year there is
        return instant.strftime("%Y-%m-%d %H:%M")


def format_playing_time(seconds: float) -> str:
    """So many seconds, to the minute."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "under a minute"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"
