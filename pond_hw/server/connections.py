"""Clients of a served board, however they are connected to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pond_hw.rules import Side
from pond_hw.server import protocol
from pond_hw.simulator import SimulatedBoard


class Client(ABC):
    """A connected client.

    Attributes:
        simulated_board: board whose cells the client presses. When the client leaves, they are released.
        language: language of messages to the client.
        seats: numbers and sides of the seats it manages; None if it has never listed any.
        latest_step: step of the companion caused by the client's last line.
        held_line: line that waits until that step is on disk, or None.
    """

    def __init__(self, finger_board: SimulatedBoard) -> None:
        self.simulated_board, self.language = finger_board, "en"
        self.seats: tuple[tuple[int, tuple[Side, ...]], ...] | None = None
        self.latest_step = 0
        self.held_line: bytes | None = None

    @abstractmethod
    def send_line(self, message_line: str) -> None:
        """Send a line, or queue it."""

    def send_message(self, message: Mapping[str, Any]) -> None:
        self.send_line(protocol.format_message(message))


class Connections(ABC):
    """The connections of a served board.

    Attributes:
        clients: connected clients.
        welcome_lines: returns the first lines for a new client.
    """

    clients: Sequence[Client] = ()
    welcome_lines: Callable[[], tuple[str, ...]] = tuple

    @abstractmethod
    def wake(self) -> None:
        """End the current or next call of `wait_until` early. This can be called from any thread."""

    @abstractmethod
    def wait_until(self, until_instant: float) -> None:
        """Wait for something to handle, at most until a time."""

    @abstractmethod
    def take_lines(self) -> Iterator[tuple[Client, bytes]]:
        """Yield at most one line from each client, so that no client blocks another."""

    @abstractmethod
    def remove_departed(self) -> Sequence[Client]:
        """Remove and return the clients that have left."""

    @abstractmethod
    def close(self) -> None:
        """Disconnect all clients."""

    def send_to_all(self, format_line: Callable[[str], str]) -> None:
        """Send a line to all clients, formatted once per language."""
        line_by_language = {language: format_line(language) for language in {each.language for each in self.clients}}
        for client in self.clients:
            client.send_line(line_by_language[client.language])
