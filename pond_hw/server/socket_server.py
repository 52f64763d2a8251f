"""The local socket, and those who have come in by it: each may say and be told so much, and no more.

A client can be slow, silent, noisy or mad; it costs a bounded amount of memory and of the loop's time, and whatever
goes wrong with it ends with it.
"""

from __future__ import annotations

import errno
import logging
import os
import select
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from pond_hw.board import BoardFault, Felt
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.server import protocol
from pond_hw.simulator import SimulatedBoard

LOG = logging.getLogger("pond")

MOST_CLIENTS = 8
LINES_A_SECOND = 60
"""Of one client, and as many at once after a rest. Whoever says more is listened to later."""

SILENCE = 60.0
"""Seconds after which one that has said nothing may have to make room for another."""

COMERS_A_SECOND = 20

CHUNK = 4096
"""Bytes that are read at once."""

PAUSE, MOST_UNREAD = 1 << 16, 1 << 18
"""Bytes that a client has not read yet: with so many it gets no more answers; with so many it is let go."""

SILENT = "Nothing has come from you for a minute, and another program needs your place."

MODE = 0o660
"""Who may come in: the socket's owner and group."""


class Allowance:
    """So many at once, and so many a second.

    Args:
        rate: how many a second, and how many after a rest.
        now: the instant, in seconds.
    """

    def __init__(self, rate: float, now: float) -> None:
        self._rate = self._left = rate
        self._at = now

    def take(self, now: float) -> bool:
        """Take one, if there is one."""
        self._left = self._left_at(now)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def due(self, now: float) -> float:
        """When there will be one."""
        return now + max(0.0, 1 - self._left_at(now)) / self._rate

    def _left_at(self, now: float) -> float:
        return min(self._rate, self._left + (now - self._at) * self._rate)


class Client:
    """Somebody at the other end of a connection.

    Args:
        connection: the connection.
        hands: their fingers.
        now: the instant, in seconds.

    Attributes:
        hands: what they press; what is down when they leave is let go.
        heard: when anything last came from them; at first, when they came.
        gone: whether nothing more can be said or heard.
    """

    def __init__(self, connection: socket.socket, hands: SimulatedBoard, now: float) -> None:
        connection.setblocking(False)
        self.hands, self.gone, self.heard = hands, False, now
        self._connection = connection
        self._heard, self._unread = bytearray(), bytearray()
        self._silent = False  # they have ended what they say
        self._allowance = Allowance(LINES_A_SECOND, now)

    def fileno(self) -> int:
        """The connection's."""
        return self._connection.fileno()

    def interest(self, now: float) -> int:
        """What of the connection there is to wait for."""
        listens = not (self._silent or self._line_is_there or self._allowance.due(now) > now)
        return (select.POLLIN if listens else 0) | (select.POLLOUT if self._unread else 0)

    def due(self, now: float) -> float | None:
        """When they may go on, if they are not waited for."""
        if len(self._unread) > PAUSE or (self._silent and not self._line_is_there):
            return None
        due = self._allowance.due(now)
        return due if self._line_is_there or due > now else None

    def hear(self, now: float) -> None:
        """Read what has come."""
        try:
            data = self._connection.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            self.gone = True
            return
        self._silent, self.heard = not data, now
        self._heard += data
        if not self._line_is_there:
            self._allowance.take(now)  # pieces of lines count too
            del self._heard[protocol.LONGEST_LINE + 1 :]  # enough to see that it is too long

    def line(self, now: float) -> bytes | None:
        """The next line they have said, if there is one and they may go on."""
        if self.gone or not self._line_is_there or len(self._unread) > PAUSE or not self._allowance.take(now):
            return None
        line, _, rest = self._heard.partition(b"\n")
        self._heard = rest
        return bytes(line.rstrip(b"\r"))

    def say(self, message: str) -> None:
        """Tell them a line, now or as soon as they read."""
        self._unread += message.encode("ascii") + b"\n"
        self.flush()
        if len(self._unread) > MOST_UNREAD:
            self.gone = True

    def flush(self) -> None:
        """Send what they have not got yet, as much as goes."""
        try:
            while self._unread and not self.gone:
                sent = self._connection.send(self._unread)
                del self._unread[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self.gone = True

    def leave(self) -> None:
        """Take the fingers off the board and close the connection."""
        for cell in tuple(self.hands.down):
            self.hands.release(cell)
        self.hands.close()
        self._connection.close()

    @property
    def has_left(self) -> bool:
        """Whether nothing more can pass, or all has been said and got."""
        return self.gone or (self._silent and not self._line_is_there and not self._unread)

    @property
    def _line_is_there(self) -> bool:
        return b"\n" in self._heard or (self._silent and bool(self._heard))


class Rung(Protocol):
    """Something else that wakes whoever waits at the door."""

    def fileno(self) -> int:
        """What becomes readable."""


class Door:
    """The socket and those who came in.

    Args:
        path: where the socket is; nobody else may serve there.
        size: rows and columns of the board.
        put: where the clients' touches go.
        now: the clock, in seconds.

    Attributes:
        clients: who is in.
        welcome: what every newcomer is told first, a line each.

    Raises:
        BoardFault: there can be no socket there.
    """

    def __init__(self, path: Path, size: int, put: Callable[[Felt], None], now: Callable[[], float]) -> None:
        self.clients: list[Client] = []
        self.welcome: Callable[[], tuple[str, ...]] = tuple
        self._path, self._size, self._put, self._now = path, size, put, now
        self._comers = Allowance(COMERS_A_SECOND, now())
        self._listener = listener(path)
        self._is = path.stat()

    def wait(self, rung: Rung, until: float) -> None:
        """Wait until that instant, or until something is to be done; read and send what there is."""
        now = self._now()
        open_at = self._comers.due(now)
        dues = [due for client in self.clients if (due := client.due(now)) is not None]
        poll = select.poll()
        poll.register(rung, select.POLLIN)
        if open_at <= now:
            poll.register(self._listener, select.POLLIN)
        else:
            dues.append(open_at)
        for client in self.clients:
            if interest := client.interest(now):  # without any, poll would still tell again and again that it hung up
                poll.register(client, interest)
        ready = dict(poll.poll(max(0.0, min([until, *dues]) - now) * 1000))
        now = self._now()
        for client in self.clients:
            happened = ready.get(client.fileno(), 0)
            if happened & select.POLLOUT:
                client.flush()
            if happened & ~select.POLLOUT:
                client.hear(now)
        if self._listener.fileno() in ready:
            self._let_in(now)

    def lines(self) -> Iterator[tuple[Client, bytes]]:
        """One line of each client who has said one, so that nobody waits for another to finish."""
        for client in tuple(self.clients):
            line = client.line(self._now())
            if line is not None:
                yield client, line

    def tell_all(self, message: str) -> None:
        """Tell everybody a line."""
        for client in self.clients:
            client.say(message)

    def see_off(self) -> None:
        """Whoever has left is in no longer."""
        for client in [client for client in self.clients if client.has_left]:
            LOG.debug("a client has left")
            self.clients.remove(client)
            client.leave()

    def close(self) -> None:
        """Send everybody away, and take the socket away if it is still ours."""
        for client in self.clients:
            client.leave()
        self.clients.clear()
        self._listener.close()
        with suppress(OSError):
            if os.path.samestat(self._path.stat(), self._is):
                self._path.unlink()

    def _let_in(self, now: float) -> None:
        self._comers.take(now)
        try:
            connection, _ = self._listener.accept()
        except OSError:  # they have thought better of it, or there are no more files to be had
            return
        if len(self.clients) >= MOST_CLIENTS:
            self._part_with_the_silent(now)
        if len(self.clients) >= MOST_CLIENTS:
            LOG.debug("a client was sent away: there are %d already", MOST_CLIENTS)
            connection.setblocking(False)
            sentence = f"{MOST_CLIENTS} programs are connected to this board already; close one of them."
            with connection, suppress(OSError):
                connection.send(protocol.write(protocol.error(sentence)).encode() + b"\n")
            return
        LOG.debug("a client has come")
        hands = SimulatedBoard(self._size, 1, self._now)
        hands.open(self._put)
        client = Client(connection, hands, now)
        self.clients.append(client)
        for line in self.welcome():
            client.say(line)

    def _part_with_the_silent(self, now: float) -> None:
        """See off the one that has been silent longest, if that is long enough."""
        silent = min(self.clients, key=lambda client: client.heard)
        if now - silent.heard < SILENCE:
            return
        LOG.debug("a client has been silent for %d seconds and makes room", now - silent.heard)
        silent.say(protocol.write(protocol.error(SILENT)))
        self.clients.remove(silent)
        silent.leave()


def listener(path: Path) -> socket.socket:
    """A socket that listens at that path. One that a dead service left behind is replaced.

    Raises:
        BoardFault: there can be none.
    """
    _make_room(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o777 & ~MODE)  # from its first moment on, it is nobody else's
    try:
        made.bind(str(path))
        made.listen(MOST_CLIENTS)
    except OSError as error:
        made.close()
        raise _no_socket(path, error) from error
    finally:
        os.umask(mask)
    made.setblocking(False)
    return made


def only_a_socket(path: Path) -> bool:
    """Whether there is a socket at that path already; if not, there is nothing.

    Raises:
        BoardFault: there is something else.
    """
    try:
        there = path.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _no_socket(path, error) from error
    if not stat.S_ISSOCK(there.st_mode):
        raise BoardFault(f"{path} is there already and is no socket. Remove it, or name another place with --socket.")
    return True


def _make_room(path: Path) -> None:
    """Take away what a dead service has left behind."""
    if not only_a_socket(path):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.setblocking(False)
        answer = caller.connect_ex(str(path))
    if answer in (0, errno.EAGAIN):  # busy is alive too
        raise BoardFault(f"Another program listens at {path}. Stop it, or name another place with --socket.")
    try:
        path.unlink()
    except OSError as error:
        raise _no_socket(path, error) from error


def _no_socket(path: Path, error: OSError) -> BoardFault:
    return BoardFault(
        f"There can be no socket at {path}: {describe_system_error(error)}. Name another place with --socket."
    )
