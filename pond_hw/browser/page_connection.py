"""Connection between a page and the service of its own board, in memory."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pond_hw.server.connections import Client, Connections
from pond_hw.simulator import SimulatedBoard
from pond_hw.web.board_link import BoardLink
from pond_hw.web.page_view import JsonMessage


class PageClient(Client):
    """The page as a client of the service.

    Attributes:
        sent_lines: lines from the service that the page has not received yet.
    """

    def __init__(self, finger_board: SimulatedBoard) -> None:
        super().__init__(finger_board)
        self.sent_lines: deque[str] = deque()

    def send_line(self, message_line: str) -> None:
        self.sent_lines.append(message_line)


class PageConnection(Connections):
    """The connections of a board whose only client is a page.

    Args:
        finger_board: board whose cells the page presses.
    """

    def __init__(self, finger_board: SimulatedBoard) -> None:
        self.page = PageClient(finger_board)
        self.clients = (self.page,)
        self.requests: deque[bytes] = deque()

    def wake(self) -> None:
        """Do nothing, because the service never waits."""

    def wait_until(self, until_instant: float) -> None:
        """Return at once."""

    def take_lines(self) -> Iterator[tuple[Client, bytes]]:
        if self.requests and not self.page.held_line:
            yield self.page, self.requests.popleft()

    def remove_departed(self) -> Sequence[Client]:
        return ()

    def close(self) -> None:
        self.page.simulated_board.close()


class PageLink(BoardLink):
    """Link to the page's own board.

    Args:
        change_message: changes a message from the service before it is handled.
    """

    def __init__(self, change_message: Callable[[JsonMessage], JsonMessage]) -> None:
        super().__init__()
        self._change_message = change_message
        self._connection: PageConnection | None = None

    def connect(self, connection: PageConnection) -> None:
        """Connect to another board."""
        self._connection = connection
        for line in connection.welcome_lines():
            connection.page.send_line(line)
        self.on_connect()

    def send(self, request: Mapping[str, Any]) -> bool:
        assert self._connection
        self._connection.requests.append(json.dumps(request).encode())
        return True

    def receive(self) -> None:
        """Handle all messages that the service has sent."""
        assert self._connection
        while self._connection.page.sent_lines:
            self.handle_line(self._change_message(json.loads(self._connection.page.sent_lines.popleft())))
