"""The games that were played, on disk. A game is its entries, replayed through the rules.

`events` says what an entry is, `stored_game` what is kept of a game. `store` is one file, `folder` all files together,
`writer` writes them while the loop goes on, `editing` changes them by hand. The rest reads what they keep.
"""

from pond_hw.journal.events import GameProjection
from pond_hw.journal.stored_game import StoredGame, Timestamp
from pond_hw.journal.writer import RETRY_SECONDS, Journal, WriteProgress

__all__ = ["RETRY_SECONDS", "GameProjection", "Journal", "StoredGame", "Timestamp", "WriteProgress"]
