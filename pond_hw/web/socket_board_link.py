"""Link to a served board through its socket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pond_hw.server.board_connection import BoardConnection
from pond_hw.web.board_link import BoardLink


class SocketBoardLink(BoardLink):
    """Link to a board at the first of several socket paths that responds."""

    def __init__(self, socket_paths: Sequence[Path]) -> None:
        super().__init__()
        self._connection = BoardConnection(socket_paths)
        self._connection.on_connect = self._report_connection
        self._connection.on_line = self.handle_line
        self._connection.on_lose = self.lose_board

    def send(self, request: Mapping[str, Any]) -> bool:
        return self._connection.send(request)

    async def run(self) -> None:
        """Receive messages forever, and reconnect when needed."""
        await self._connection.run()

    def _report_connection(self) -> None:
        self.on_connect()
