"""Journal of played games on disk. A game is saved as a list of entries, which are replayed through the rules.

`stored_game` defines the entries, `store` one file, `folder` the set of files. `writer` saves a game during play,
`editing` imports and deletes games, and the other modules read games.
"""

from pond_hw.journal.stored_game import GameProjection, StoredGame, Timestamp
from pond_hw.journal.writer import RETRY_SECONDS, Journal, WriteProgress

__all__ = ["RETRY_SECONDS", "GameProjection", "Journal", "StoredGame", "Timestamp", "WriteProgress"]
