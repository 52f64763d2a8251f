"""A companion that others may join in, watched over: one turn of the loop after the other.

wait      for a finger, a client, a signal, or the time of the next frame
step      the companion takes in what has happened and shows what there is to see; every client is told
lines     one of each client; after each that does something, a step
watch     the supply is looked after, systemd is told that all goes on
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pond_hw.companion import Companion
from pond_hw.drivers.systemd import Heartbeat, Systemd
from pond_hw.rules import Action, PondError
from pond_hw.server import protocol
from pond_hw.server.dispatch import carry_out
from pond_hw.server.protocol import Ask, BadLine, Live, Request, Wait
from pond_hw.server.socket_server import Client, Door
from pond_hw.server.supply_voltage import Power
from pond_hw.server.tunes import Tones, tune
from pond_hw.server.waker import Bell
from pond_hw.session import Session, tell_outcome

LOG = logging.getLogger("pond")

STATUS_EVERY = 1.0
"""Seconds from one sentence for systemd to the next, at the least."""


class Service:
    """A companion that others may join in by a socket, and that is watched over.

    Args:
        name: of the board's profile.
        companion: what is served.
        bell: what the companion rings.
        path: where the socket is to be.
        systemd: whom to tell how it goes.
        root: the folder that holds /sys.
        sound: what plays tones, without waiting for their end.
        own_supply: whether the lamps have a supply of their own, and not the Pi's.

    Attributes:
        door: the socket, and who came in by it.

    Raises:
        BoardFault: there can be no socket.
    """

    def __init__(
        self,
        name: str,
        companion: Companion,
        bell: Bell,
        path: Path,
        *,
        systemd: Systemd | None = None,
        root: Path = Path("/"),
        sound: Callable[[Tones], None] | None = None,
        own_supply: bool = False,
    ) -> None:
        self._name, self._companion, self._bell = name, companion, bell
        self._systemd = systemd or Systemd()
        self._heartbeat = Heartbeat(self._systemd)
        self._power = Power(companion, root, own_supply=own_supply)
        self._sound = sound
        self._now = companion.clock.now
        self._known = companion.session
        self._status, self._status_due = "", 0.0
        self._due = 0.0
        self.door = Door(path, companion.board.size, companion.put, self._now)
        self.door.welcome = self._welcome
        LOG.info("the socket is %s", path)

    def begin(self) -> None:
        """Show the first frame, and say that all is ready."""
        self._step()
        self._systemd.tell("READY=1")
        self._tell_systemd()

    def turn(self, longest: float = 60.0) -> None:
        """Go round the loop once; wait for so many seconds at the most if nothing happens before."""
        self.door.wait(self._bell, min(self._due, self._now() + longest))
        self._step()  # what was done at the board comes before what is said at the door
        for client, line in self.door.lines():
            failures = self._companion.failures
            self._companion.guard(self._hear, client, line)
            if self._companion.failures > failures:
                client.say(protocol.write(protocol.error(self._companion.failure)))
        self.door.see_off()
        self._companion.guard(self._power.look, self._now())
        self._companion.guard(self._tell_systemd)

    def close(self) -> None:
        """Send the clients away; the board is somebody else's to close."""
        self._systemd.tell("STOPPING=1")
        self.door.close()

    def _welcome(self) -> tuple[str, ...]:
        """What a newcomer is told: what board this is, and how the game stands."""
        companion, told = self._companion, list[str]()
        companion.guard(lambda: told.append(protocol.write(self._hello())))
        companion.guard(lambda: told.append(self._state()))
        return tuple(told)

    def _hello(self) -> dict[str, Any]:
        companion = self._companion
        return protocol.hello(companion.session, companion.board.lamps.lamps, self._live)

    def _hear(self, client: Client, line: bytes) -> None:
        try:
            self._answer(client, protocol.read_request(line))
        except (BadLine, PondError) as fault:
            client.say(protocol.write(protocol.error(str(fault))))

    @property
    def _live(self) -> Live:
        companion = self._companion
        light, dark = (player.name if player else None for player in companion.players)
        limiter = companion.limiter
        return Live(self._name, (light, dark), limiter.brightness, limiter.gamma, companion.names)

    def _answer(self, client: Client, request: Request) -> None:
        companion = self._companion
        match request:
            case Wait():
                raise BadLine("This board lives in real time, and waits for nobody: let the seconds pass yourself.")
            case Ask("state"):
                client.say(self._state())
            case Ask("frame"):
                client.say(protocol.write(protocol.frame(companion.frame, self._now())))
            case Ask("record"):
                told = protocol.record(companion.session, self._now()) | protocol.seated(self._live)
                client.say(protocol.write(told))
            case Ask("what_if", Action() as action):
                client.say(protocol.write(protocol.what_if(companion.session, action)))
            case Ask():
                raise BadLine(f"This board cannot tell its {request.what}.")
            case _:
                carry_out(request, client.hands, companion)
                self._step()

    def _state(self) -> str:
        return protocol.write(protocol.state(self._companion.session, self._now()))

    def _step(self) -> None:
        """Let the companion do what is due; tell what has come of it."""
        self._due = self._companion.step()
        self._companion.guard(self._tell)

    def _tell(self) -> None:
        """Tell everybody what has changed."""
        before, session = self._known, self._companion.session
        if session is before:
            return
        self._known = session
        self.door.tell_all(self._state())
        if session.trouble != before.trouble:
            LOG.warning("%s", session.trouble or "the board is back")
        if session.unsaved != before.unsaved:
            LOG.warning("%s", session.unsaved or "all is saved again")
        if self._sound and (tones := tune(before, session)):
            self._sound(tones)

    def _tell_systemd(self) -> None:
        now, companion = self._now(), self._companion
        self._heartbeat.beat(now, companion.board.sensors.beats, companion.frames)
        status = f"{self._name}: {_status(companion.session)}"
        if status != self._status and now >= self._status_due:
            self._status, self._status_due = status, now + STATUS_EVERY
            self._systemd.tell(f"STATUS={status}")


def _status(session: Session) -> str:
    """How it goes, in a few words."""
    if wrong := session.trouble or session.unsaved:
        return wrong
    if session.phase in ("resume", "differs", "menu"):
        return session.message
    if session.outcome:
        return tell_outcome(session.outcome, session.position)
    return f"{session.pond}, turn {len(session.turns) + 1}, {session.position.to_move} to move."
