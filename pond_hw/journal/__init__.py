"""What was acknowledged is on the card; a game is a fold of it over the rules.

`events` is pure, `store` is one file, `folder` the files together, `writer` writes them while the loop goes on.
"""

from pond_hw.journal.events import GameProjection, ImpossibleEntry, JournalEntry, replay_entries
from pond_hw.journal.store import StoredGame, Timestamp, TimestampedEntry
from pond_hw.journal.writer import RETRY_SECONDS, Journal, StampSource, SystemStampSource, WriteProgress

__all__ = [
    "RETRY_SECONDS",
    "GameProjection",
    "ImpossibleEntry",
    "Journal",
    "JournalEntry",
    "StampSource",
    "StoredGame",
    "SystemStampSource",
    "Timestamp",
    "TimestampedEntry",
    "WriteProgress",
    "replay_entries",
]
