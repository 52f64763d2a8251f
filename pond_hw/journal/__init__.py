"""The games that were played, on disk. A game is its entries, replayed through the rules.

`stored_game` says what is kept of a game, entry by entry. `store` is one file, `folder` all files together,
`writer` writes them while the loop goes on, `editing` changes them by hand. The rest reads what they keep.
"""

from pond_hw.journal.stored_game import GameProjection, StoredGame, Timestamp
from pond_hw.journal.writer import RETRY_SECONDS, Journal, WriteProgress

__all__ = ["RETRY_SECONDS", "GameProjection", "Journal", "StoredGame", "Timestamp", "WriteProgress"]
