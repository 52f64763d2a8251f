"""A table that is served elsewhere on this machine: its game and its lamps come by the local socket, our wishes go."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from pond_hw.board import Frame
from pond_hw.companion import failed
from pond_hw.lights import Limiter
from pond_hw.rules import Cell, PondError
from pond_hw.server.decoding import (
    NotUnderstood,
    Seated,
    Served,
    Told,
    read_frame,
    read_instant,
    read_line,
    read_seated,
    read_served,
    read_session,
    read_text,
)
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    BoardIsRight,
    Choose,
    Mask,
    NewGame,
    Redo,
    Resign,
    Session,
    SetUp,
    Undo,
)
from pond_hw.session import Choice as Offered
from pond_hw.tui.dialogs import Choice
from pond_hw.tui.play_table import Table, Wish
from pond_hw.tui.remote_board_state import with_wood
from pond_hw.tui.remote_hand import FarHand

PATIENCE = 5.0
"""Seconds that the board has to answer when we come."""

LONGEST = 1 << 20
"""Bytes of a line that we read, at the most."""

CHUNK, CHUNKS = 1 << 16, 16
"""Bytes that are read at once, and how often in one step: whoever sends without end must not hold us up."""

_WISHES: dict[type, str] = {
    Undo: "undo",
    Redo: "redo",
    AgreeDraw: "draw",
    Resign: "resign",
    BoardIsRight: "board",
    AskHint: "hint",
}


class Other(NamedTuple):
    """Another player, of whom only the name is known here."""

    name: str


class FarTable:
    """The board that is served at a socket.

    A `state` says that something has changed, and then the whole record is asked for. All lines come in order: a
    record that is under way when a state comes tells of that change too.

    Args:
        paths: where the socket may be; the first that answers is taken.
        clock: the seconds that pass here.

    Attributes:
        session: the conversation as it stands there.
        frame: what the lamps there show.
        players: who plays there; None is a person at the board.
        names: what the people there are called, as far as they have said.
        limiter: what made the frame, as far as a screen must know.
        ours: False: others may be playing on when we leave.
        hand: what holds the pieces there; None where there are buttons.
        failure: what has failed in this program, if anything has.

    Raises:
        PondError: no board is served there, or we may not come in.
    """

    ours = False
    failure = ""
    session: Session
    frame: Frame

    def __init__(self, paths: Sequence[Path], clock: Callable[[], float] = monotonic) -> None:
        self._path, self._connection = _called(paths)
        self._clock = clock
        self._ahead: float | None = None  # of our clock, by how much theirs is
        self._heard = b""
        self._awaited = {"record", "frame"}  # what we have asked for and not got yet
        self._served: Served | None = None
        self._lost: PondError | None = None  # why nothing more can be said
        self.hand: FarHand | None = None
        try:
            self._say({"ask": "record"}, {"ask": "frame"})
            self._arrive()
        except BaseException:
            self.close()
            raise

    def now(self) -> float:
        """Seconds on their clock, as near as we know."""
        return self._clock() + (self._ahead or 0.0)

    def fit(self, lamps: int) -> None:
        """Their board has the lamps that it has."""

    def step(self) -> None:
        """Take in what they have said, and ask for the next frame.

        Raises:
            PondError: the board is no longer served, or is no board.
        """
        self._listen()
        if self.hand:
            self.hand.step()
        self._ask("frame")

    def guard(self, job: Callable[..., object], *arguments: object) -> bool:
        """Do something that may fail; what the board does elsewhere does not depend on it."""
        try:
            job(*arguments)
        except Exception as error:  # noqa: BLE001 - as `Companion.guard`
            self.failure = failed(error)
            return False
        return True

    def touch(self, cell: Cell) -> None:
        """A finger comes down on a cell and leaves it at once."""
        self._say({"touch": cell})

    def put(self, event: Wish) -> None:
        """Ask for something. Who resigns is decided there."""
        match event:
            case NewGame(pond):
                self._say({"command": "new", "variant": pond.name})
            case SetUp(position):
                self._say({"command": "set_up", "position": position.line, "variant": position.pond.name})
            case Mask(cell, _, bad):
                self._say({"command": "mask" if bad else "unmask", "cell": cell})
            case Choose(choice):
                self._say({"command": choice.name.lower()})
            case _:
                self._say({"command": _WISHES[type(event)]})

    def begin(self, choice: Choice) -> Table:
        """Ask for another game. Those who play stay."""
        self.put(NewGame(choice.pond, self.now()))
        return self

    def leave_offer(self) -> Table:
        """Ask for another game than the one that is offered. Which one is known there."""
        self.put(Choose(Offered.DISCARD, self.now()))
        return self

    def about_offer(self) -> tuple[str, str]:
        """Nothing: that is known there."""
        return "", ""

    @property
    def farewell(self) -> str:
        """Nothing: they play on."""
        return ""

    def close(self) -> None:
        """Leave; they play on."""
        self._connection.close()

    def _arrive(self) -> None:
        """Wait until we know how everything stands."""
        until = monotonic() + PATIENCE
        poll = select.poll()
        poll.register(self._connection, select.POLLIN)
        while self._awaited:
            if not poll.poll(max(0.0, until - monotonic()) * 1000):
                raise self._silent()
            self._listen()

    def _listen(self) -> None:
        try:
            for _ in range(CHUNKS):
                data = self._connection.recv(CHUNK)
                if not data:
                    raise self._gone()
                self._take_in(data)
        except BlockingIOError:
            pass
        except OSError as error:
            raise self._gone() from error
        if self._lost:
            raise self._lost

    def _take_in(self, data: bytes) -> None:
        *lines, self._heard = (self._heard + data).split(b"\n")
        try:
            for line in lines:
                self._take(read_line(line))
        except NotUnderstood as error:
            raise PondError(f"{error} {self._same_pond}") from error
        if len(self._heard) > LONGEST:
            raise PondError(f"It says more at once than any board has to say. {self._same_pond}")

    def _take(self, told: Told) -> None:
        if self._served is None:
            self._greeted(told)
            return
        match told["type"]:
            case "state":
                self._ask("record")
            case "record":
                self.session = with_wood(read_session(told), told)
                if "players" in told:  # a board of an older version tells it only when we come
                    self._seat(read_seated(told))
                self._read_clock(told)
                if self.hand and self.session.wood:
                    self.hand.hear(self.session.wood.felt)
            case "error" if self.hand:
                self.hand.refused(read_text(told, "message"))
            case "frame":
                self.frame = read_frame(told, self._served)
                self._read_clock(told)
        self._awaited.discard(told["type"])

    def _greeted(self, told: Told) -> None:
        if told["type"] == "error":  # they send us away
            raise PondError(f"The board at {self._path} says: {read_text(told, 'message')}")
        served = self._served = read_served(told)
        self._seat(served.seated)
        self.limiter = Limiter(brightness=served.brightness, gamma=served.gamma)
        if told.get("pieces") is True:
            self.hand = FarHand(served.size, self._say, self._clock)

    def _seat(self, seated: Seated) -> None:
        light, dark = (None if name is None else Other(name) for name in seated.players)
        self.players, self.names = (light, dark), seated.names

    def _read_clock(self, told: Told) -> None:
        """What came with the least delay tells their clock best."""
        ahead = read_instant(told) - self._clock()
        self._ahead = ahead if self._ahead is None else max(ahead, self._ahead)

    def _ask(self, what: str) -> None:
        if what not in self._awaited:
            self._awaited.add(what)
            self._say({"ask": what})

    def _say(self, *lines: dict[str, Any]) -> None:
        said = "".join(json.dumps(line) + "\n" for line in lines)
        try:
            self._connection.sendall(said.encode())
        except OSError as error:  # raised with the next step: what they have said before is heard first
            has_not_listened = isinstance(error, BlockingIOError)  # for thousands of lines
            self._lost = self._silent() if has_not_listened else self._gone()

    def _silent(self) -> PondError:
        return PondError(f"The board at {self._path} does not answer.")

    @property
    def _same_pond(self) -> str:
        return f"Is it a pond of the same version as this that listens at {self._path}?"

    def _gone(self) -> PondError:
        return PondError(f"The board at {self._path} is no longer served.")


def _called(paths: Sequence[Path]) -> tuple[Path, socket.socket]:
    """The first of these sockets that answers, and the connection to it."""
    denied: Path | None = None
    for path in paths:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(PATIENCE)
        try:
            connection.connect(str(path))
        except OSError as error:
            connection.close()
            if isinstance(error, TimeoutError):
                raise PondError(f"The board at {path} does not answer.") from error
            if isinstance(error, PermissionError):
                denied = denied or path
            continue
        connection.setblocking(False)
        return path, connection
    raise (
        _may_not(denied)
        if denied
        else PondError(
            f"No board is being served at {paths[0]}. Start one with `pond serve --board simulated-4x4`, "
            "or name its socket: `pond play --connect PATH`."
        )
    )


def _may_not(path: Path) -> PondError:
    return PondError(
        f"A board may be served at {path}, but you may not use that socket. Join the group that it belongs to "
        f"({_group(path)}) with `sudo usermod -aG {_group(path)} $USER`, and log in again."
    )


def _group(path: Path) -> str:
    """The group of a file, or of the folder in which it must not be seen."""
    for place in (path, *path.parents):
        try:
            return place.group()
        except (OSError, KeyError):
            continue
    return "pond"
