"""A served board in simulated time, within this process, and clients of its socket."""

import json
import socket
import threading
from contextlib import suppress

from pond_hw.engine import make_player
from pond_hw.messages.message_json import parse_message
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.server.protocol import said_field
from pond_hw.server.service import BoardService
from pond_hw.server.socket_server import LoopWaker, SocketServer
from tests.messages.says import text
from tests.table import Table


def parse_said(answer, field="message"):
    """Return the messages of a field, after checking that its text is their English text."""
    messages = [parse_message(message) for message in answer[said_field(field)]]
    assert replace_unprintable(answer[field]) == text(*messages)
    return messages


class FakeNotifier:
    """Replacement for systemd's notification socket. It records the lines sent to it."""

    def __init__(self, watchdog=0.0):
        self.watchdog_seconds = watchdog
        self.lines = []

    def send_lines(self, *lines):
        self.lines += lines


class Served:
    """A service on a simulated board. Time passes and the loop runs only when the test says so."""

    def __init__(
        self,
        folder,
        pond="standard",
        *,
        size=4,
        lamps=4,
        dark="human",
        strip=0,
        journal=None,
        games=None,
        pieces=None,
        make_hands=None,
        **watched,
    ):
        self.path = folder / "pond.sock"
        self.bell, player = LoopWaker(), make_player(dark, 1)
        board = {"size": size, "lamps": lamps, "strip": strip, "pieces": pieces, "make_hands": make_hands}
        self.table = table = Table(pond, dark=player, folder=games, journal=journal, arrived=self.bell, **board)
        self.clock, self.hands, self.companion = table.clock, table.hands, table.companion
        self.connections = SocketServer(self.path, size, self.companion.put, self.clock.now, self.bell)
        self.service = BoardService("a-board", self.companion, self.connections, **watched)
        self.service.start_serving()
        self.callers = []

    def run_cycles(self, count=4):
        """Run the loop a few times without waiting."""
        for _ in range(count):
            self.service.run_cycle(0)

    def advance(self, seconds, step=0.05):
        """Let time pass while the loop runs."""
        end = self.clock.now() + seconds
        while self.clock.now() < end:
            self.clock.wait(min(end, self.clock.now() + step), threading.Event())
            self.service.run_cycle(0)

    def connect(self):
        """Connect a client."""
        caller = BoardClient(self)
        self.callers.append(caller)
        self.run_cycles()
        return caller

    @property
    def played(self):
        return [str(turn.action) for turn in self.companion.session.turns]

    def close(self):
        self.service.close()
        self.companion.close()
        self.bell.close()
        for caller in self.callers:
            caller.leave()


class BoardClient:
    """A client of the socket."""

    def __init__(self, served):
        self.served = served
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(str(served.path))
        self.socket.setblocking(False)
        self.ended = False  # True if the board has closed the connection
        self._received = b""

    def send(self, data):
        """Send as many bytes as the socket accepts; none if the connection is closed."""
        with suppress(BlockingIOError, BrokenPipeError):
            self.socket.send(data)

    def receive(self):
        """Return all new lines."""
        self.served.run_cycles()
        try:
            while data := self.socket.recv(1 << 16):
                self._received += data
            self.ended = True
        except BlockingIOError:
            pass
        except ConnectionResetError:
            self.ended = True
        *lines, self._received = self._received.split(b"\n")
        return [json.loads(line) for line in lines]

    def request(self, *lines):
        """Send lines. Return all lines received afterwards."""
        self.send(b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines))
        return self.receive()

    def leave(self):
        self.socket.close()
