"""Local socket and its clients, with limits.

A slow, silent or misbehaving client can use only a bounded amount of memory and time. Its failures affect no other
client.
"""

from __future__ import annotations

import errno
import logging
import os
import select
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from pond_hw.board import BoardFault, SensorEvent
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.server import protocol
from pond_hw.server.connections import Client, Connections
from pond_hw.server.parse_requests import MAX_LINE_BYTES
from pond_hw.server.rate_limiter import RateLimiter
from pond_hw.simulator import SimulatedBoard

LOG = logging.getLogger("pond")

MAX_CLIENTS = 8
LINES_PER_SECOND = 60
"""Maximum number of lines read from one client per second, with bursts of the same size. Further lines have to wait."""

IDLE_SECONDS = 60.0
"""Seconds of silence after which a client may be disconnected to make room."""

CONNECTIONS_PER_SECOND = 20

CHUNK_BYTES = 4096
"""Maximum number of bytes to read at once."""

PAUSE_UNREAD_BYTES, MAX_UNREAD_BYTES = 1 << 16, 1 << 18
"""Bytes of unread output at which a client is no longer answered, and at which it is disconnected."""

SOCKET_MODE = 0o660


class LoopWaker(threading.Event):
    """An event that can be polled together with sockets. The companion sets it when there is something to handle."""

    def __init__(self) -> None:
        super().__init__()
        self._read_end, self.write_end = socket.socketpair()
        for socket_end in (self._read_end, self.write_end):
            socket_end.setblocking(False)

    def fileno(self) -> int:
        return self._read_end.fileno()

    def set(self) -> None:
        """Wake the loop. This can be called from any thread."""
        super().set()
        with suppress(OSError):  # the buffer is full or closed
            self.write_end.send(b"\0")

    def drain(self) -> None:
        with suppress(BlockingIOError):
            while self._read_end.recv(4096):
                pass

    def close(self) -> None:
        self._read_end.close()
        self.write_end.close()


class SocketClient(Client):
    """A client that is connected by the socket.

    Attributes:
        last_heard_at: time at which data was last received; initially the time of the connection.
        is_gone: True if the connection failed.
    """

    def __init__(self, connection: socket.socket, finger_board: SimulatedBoard, now: float) -> None:
        super().__init__(finger_board)
        connection.setblocking(False)
        self.is_gone, self.last_heard_at = False, now
        self._connection = connection
        self._received_bytes, self._unread_bytes = bytearray(), bytearray()
        self._has_ended = False  # the client has closed its sending side
        self._rate_limiter = RateLimiter(LINES_PER_SECOND, now)

    def fileno(self) -> int:
        return self._connection.fileno()

    def poll_events(self, now: float) -> int:
        """Return the poll events to wait for."""
        is_listening = not (
            self.held_line or self._has_ended or self._has_line or self._rate_limiter.token_due(now) > now
        )
        return (select.POLLIN if is_listening else 0) | (select.POLLOUT if self._unread_bytes else 0)

    def resume_instant(self, now: float) -> float | None:
        """Return the time at which the next line may be read; None if that does not depend on the time."""
        is_waiting = self.held_line or len(self._unread_bytes) > PAUSE_UNREAD_BYTES
        if is_waiting or (self._has_ended and not self._has_line):
            return None
        due_instant = self._rate_limiter.token_due(now)
        return due_instant if self._has_line or due_instant > now else None

    def receive_data(self, now: float) -> None:
        try:
            received_data = self._connection.recv(CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            self.is_gone = True
            return
        self._has_ended, self.last_heard_at = not received_data, now
        self._received_bytes += received_data
        if not self._has_line:
            self._rate_limiter.take_token(now)  # partial lines count too
            del self._received_bytes[MAX_LINE_BYTES + 1 :]  # one extra byte shows that the line is too long

    def next_line(self, now: float) -> bytes | None:
        """Return the next line if there is one and the limits allow it; otherwise None."""
        may_go_on = self._has_line and not self.held_line and len(self._unread_bytes) <= PAUSE_UNREAD_BYTES
        if self.is_gone or not may_go_on or not self._rate_limiter.take_token(now):
            return None
        line_bytes, _, rest_bytes = self._received_bytes.partition(b"\n")
        self._received_bytes = rest_bytes
        return bytes(line_bytes.rstrip(b"\r"))

    def send_line(self, message_line: str) -> None:
        """Send a line, or buffer it until the client reads."""
        self._unread_bytes += message_line.encode("ascii") + b"\n"
        self.send_unread()
        if len(self._unread_bytes) > MAX_UNREAD_BYTES:
            self.is_gone = True

    def send_unread(self) -> None:
        """Send as much of the buffered output as possible."""
        try:
            while self._unread_bytes and not self.is_gone:
                sent_count = self._connection.send(self._unread_bytes)
                del self._unread_bytes[:sent_count]
        except BlockingIOError:
            pass
        except OSError:
            self.is_gone = True

    def close_connection(self) -> None:
        """Release pressed cells and close the connection."""
        for cell in tuple(self.simulated_board.pressed_cells):
            self.simulated_board.release(cell)
        self.simulated_board.close()
        self._connection.close()

    @property
    def has_left(self) -> bool:
        """True if the connection failed, or has ended and there is nothing left to process or send."""
        is_waiting = self.held_line or self._has_line or self._unread_bytes
        return self.is_gone or (self._has_ended and not is_waiting)

    @property
    def _has_line(self) -> bool:
        return b"\n" in self._received_bytes or (self._has_ended and bool(self._received_bytes))


class SocketServer(Connections):
    """The listening socket and its clients.

    Args:
        socket_path: path of the socket; the caller holds its lock.
        board_size: number of rows and columns of the board.
        put_event: receives the clients' touches.
        now: clock, in seconds.
        loop_waker: event that ends the wait for clients.

    Raises:
        BoardFault: if the socket cannot be created.
    """

    def __init__(
        self,
        socket_path: Path,
        board_size: int,
        put_event: Callable[[SensorEvent], None],
        now: Callable[[], float],
        loop_waker: LoopWaker,
    ) -> None:
        self.clients: list[SocketClient] = []
        self._loop_waker = loop_waker
        self._socket_path, self._board_size, self._put_event, self._now = socket_path, board_size, put_event, now
        self._connection_limiter = RateLimiter(CONNECTIONS_PER_SECOND, now())
        self._listener = open_listener(socket_path)
        self._socket_stat = socket_path.stat()

    def wake(self) -> None:
        self._loop_waker.set()

    def wait_until(self, until_instant: float) -> None:
        """Wait for an event, at most until the given time. Then read and send pending data."""
        now, loop_waker = self._now(), self._loop_waker
        open_at = self._connection_limiter.token_due(now)
        due_instants = [due for client in self.clients if (due := client.resume_instant(now)) is not None]
        socket_poll = select.poll()
        socket_poll.register(loop_waker, select.POLLIN)
        if open_at <= now:
            socket_poll.register(self._listener, select.POLLIN)
        else:
            due_instants.append(open_at)
        for client in self.clients:
            if interest := client.poll_events(now):  # poll reports hang-ups even for an empty mask, over and over
                socket_poll.register(client, interest)
        ready_events = dict(socket_poll.poll(max(0.0, min([until_instant, *due_instants]) - now) * 1000))
        if loop_waker.fileno() in ready_events:
            loop_waker.drain()
        now = self._now()
        for client in self.clients:
            poll_events = ready_events.get(client.fileno(), 0)
            if poll_events & select.POLLOUT:
                client.send_unread()
            if poll_events & ~select.POLLOUT:
                client.receive_data(now)
        if self._listener.fileno() in ready_events:
            self._accept_client(now)

    def take_lines(self) -> Iterator[tuple[SocketClient, bytes]]:
        """Yield at most one line from each client, so that no client blocks another."""
        for client in tuple(self.clients):
            line_bytes = client.next_line(self._now())
            if line_bytes is not None:
                yield client, line_bytes

    def remove_departed(self) -> list[SocketClient]:
        """Remove and return the clients that have left."""
        departed = [client for client in self.clients if client.has_left]
        for client in departed:
            LOG.debug("a client has left")
            self.clients.remove(client)
            client.close_connection()
        return departed

    def close(self) -> None:
        """Disconnect all clients. Delete the socket unless another program has replaced it."""
        for client in self.clients:
            client.close_connection()
        self.clients.clear()
        self._listener.close()
        with suppress(OSError):
            if os.path.samestat(self._socket_path.stat(), self._socket_stat):
                self._socket_path.unlink()

    def _accept_client(self, now: float) -> None:
        self._connection_limiter.take_token(now)
        try:
            connection, _ = self._listener.accept()
        except OSError:  # the client has gone, or there are too many open files
            return
        if len(self.clients) >= MAX_CLIENTS:
            self._drop_idle_client(now)
        if len(self.clients) >= MAX_CLIENTS:
            LOG.debug("a client was disconnected: there are already %d", MAX_CLIENTS)
            connection.setblocking(False)
            is_full = protocol.error_message(Message("served.is_full", clients=MAX_CLIENTS))
            with connection, suppress(OSError):
                connection.send(protocol.format_message(is_full).encode() + b"\n")
            return
        LOG.debug("a client has connected")
        finger_board = SimulatedBoard(self._board_size, 1, self._now)
        finger_board.open(self._put_event)
        client = SocketClient(connection, finger_board, now)
        self.clients.append(client)
        for line_bytes in self.welcome_lines():
            client.send_line(line_bytes)

    def _drop_idle_client(self, now: float) -> None:
        """Disconnect the client that has been silent the longest, if that is longer than the limit."""
        silent_client = min(self.clients, key=lambda client: client.last_heard_at)
        if now - silent_client.last_heard_at < IDLE_SECONDS:
            return
        LOG.debug(
            "a client has been silent for %d seconds and is disconnected to make room",
            now - silent_client.last_heard_at,
        )
        silent_client.send_message(protocol.error_message(Message("served.makes_room"), silent_client.language))
        self.clients.remove(silent_client)
        silent_client.close_connection()


def open_listener(socket_path: Path) -> socket.socket:
    """Create a listening socket, replacing a stale one. Raises BoardFault."""
    _remove_stale_socket(socket_path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    old_mask = os.umask(0o777 & ~SOCKET_MODE)  # the socket must never be accessible to others, even briefly
    try:
        listener.bind(str(socket_path))
        listener.listen(MAX_CLIENTS)
    except OSError as error:
        listener.close()
        raise _socket_fault(socket_path, error) from error
    finally:
        os.umask(old_mask)
    listener.setblocking(False)
    return listener


def socket_exists(socket_path: Path) -> bool:
    """Return True if a socket exists at this path. Raises BoardFault for anything else there."""
    try:
        path_stat = socket_path.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _socket_fault(socket_path, error) from error
    if not stat.S_ISSOCK(path_stat.st_mode):
        raise BoardFault(Message("socket.other_file", path=str(socket_path)))
    return True


def _remove_stale_socket(socket_path: Path) -> None:
    if not socket_exists(socket_path):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as test_socket:
        test_socket.setblocking(False)
        error_number = test_socket.connect_ex(str(socket_path))
    if error_number in (0, errno.EAGAIN):  # a busy server is alive
        raise BoardFault(Message("socket.in_use", path=str(socket_path)))
    try:
        socket_path.unlink()
    except OSError as error:
        raise _socket_fault(socket_path, error) from error


def _socket_fault(socket_path: Path, error: OSError) -> BoardFault:
    return BoardFault(Message("socket.unusable", path=str(socket_path), text=describe_system_error(error)))
