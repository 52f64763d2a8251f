"""The games that a served board has kept, for those who ask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pond_hw.messages.message import Message
from pond_hw.server.request_fields import ProtocolError

MAX_LISTED = 100
"""Games in a list, the newest."""


def read_games(folder: Path, number: int | None) -> dict[str, Any]:
    """The answer to who asks for one game, or (None) for the newest ones.

    Raises:
        ProtocolError: there is no such game.
        OSError, sqlite3.Error: they cannot be read.
    """
    from pond_hw.journal.folder import read_all_games  # in most evenings nobody asks
    from pond_hw.journal.game_list import game_to_json, number_games
    from pond_hw.journal.game_records import build_record

    games = number_games(read_all_games(folder)[0]) if folder.exists() else []
    if number is None:
        listed = [game for game in games if not game.is_empty and game.is_readable][-MAX_LISTED:]
        return {"type": "games", "games": list(map(game_to_json, listed))}
    found = next((game for game in games if game.number == number and game.is_readable), None)
    if found is None:
        raise ProtocolError(Message("remote.no_such_game", number=number))
    return {"type": "game", "number": number, "record": str(build_record(found.stored))}
