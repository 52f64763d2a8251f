"""Instants and durations of games, for people here. Pure."""

from __future__ import annotations

from datetime import datetime

from pond_hw.journal import Kept, Label, game_times
from pond_hw.journal.game_records import brought_in, date_of
from pond_hw.messages.terminal_text import printable


def format_beginning(kept: Kept) -> str:
    """When a game was begun; of one that was imported what its record says, or nothing."""
    begun = game_times.begun_at(kept)
    return format_instant(begun) if begun else (date_of(kept) or "") if brought_in(kept) else ""


def format_label(label: Label) -> str:
    """What a label says of the time on the wall."""
    instant = game_times.told_at(label.wall)
    return format_instant(instant) if instant else printable(label.wall)[:16]


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
