"""The games that a served board has kept, for those who ask: read aside, so that no lamp waits for a card."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from pond_hw.journal.folder import read_all_games
from pond_hw.journal.game_list import game_to_json, number_games
from pond_hw.journal.game_records import build_record
from pond_hw.messages.message import Message
from pond_hw.server import protocol
from pond_hw.server.request_fields import ProtocolError
from pond_hw.server.socket_server import SocketClient

LOG = logging.getLogger("pond")

MAX_LISTED = 100
"""Games in a list, the newest."""


class PastGames:
    """Reads kept games for clients, one request at a time.

    Args:
        folder: where they are kept; None: nowhere.
        ring: called from another thread when an answer is ready.
    """

    def __init__(self, folder: Path | None, ring: Callable[[], None]) -> None:
        self._folder, self._ring = folder, ring
        self._answers: SimpleQueue[tuple[SocketClient, dict[str, Any]]] = SimpleQueue()
        self._is_reading = False

    def request_games(self, client: SocketClient, number: int | None) -> None:
        """Read one game, or (None) list the newest ones; the answer comes later.

        Raises:
            ProtocolError: no games are kept, or they are being read already.
        """
        if self._folder is None:
            raise ProtocolError(Message("remote.no_games_kept"))
        if self._is_reading:
            raise ProtocolError(Message("remote.games_busy"))
        self._is_reading = True
        arguments = self._folder, client, number
        threading.Thread(target=self._read, args=arguments, name="past games", daemon=True).start()

    def send_answers(self) -> None:
        """Send what has been read meanwhile."""
        while True:
            try:
                client, answer = self._answers.get_nowait()
            except Empty:
                return
            self._is_reading = False
            client.send_message(answer)

    def _read(self, folder: Path, client: SocketClient, number: int | None) -> None:
        try:
            answer = read_games(folder, number)
        except ProtocolError as error:
            answer = protocol.error_message(error.message, client.language)
        except Exception:  # whatever it is, whoever asked is told
            LOG.exception("the kept games could not be read")
            answer = protocol.error_message(Message("remote.games_unreadable"), client.language)
        self._answers.put((client, answer))
        self._ring()


def read_games(folder: Path, number: int | None) -> dict[str, Any]:
    """The answer to who asks for one game, or (None) for the newest ones.

    Raises:
        ProtocolError: there is no such game.
        OSError, sqlite3.Error: they cannot be read.
    """
    games = number_games(read_all_games(folder)[0]) if folder.exists() else []
    if number is None:
        listed = [game for game in games if not game.is_empty and game.is_readable][-MAX_LISTED:]
        return {"type": "games", "games": list(map(game_to_json, listed))}
    found = next((game for game in games if game.number == number and game.is_readable), None)
    if found is None:
        raise ProtocolError(Message("remote.no_such_game", number=number))
    return {"type": "game", "number": number, "record": str(build_record(found.stored))}
