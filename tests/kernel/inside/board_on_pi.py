"""Who plays at the simulated Pi: hands on the lines of its board, eyes on the lamps' wire, an client at the socket."""

import json
import socket
from functools import cached_property

from pond_hw.rules import LIGHT, parse_record
from pond_hw.session.game.resume_prompt import MIN_TOUCH_SECONDS
from tests.board.benches import STRENGTH
from tests.drivers.ws2812 import WS2812B, WS2812B_V5, decode, levels
from tests.kernel.benches import bench_on_pi
from tests.kernel.breadboard import SPI
from tests.kernel.inside.installation import SOCKET, wait_for
from tests.kernel.inside.lamps import at, sent


class ServiceClient:
    """A program at the service's socket."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(10)
        self._socket.connect(str(SOCKET))
        self._lines = self._socket.makefile("r")
        assert json.loads(self._lines.readline())["type"] == "hello"

    def ask(self, what):
        """The service's answer. What it tells all by itself before that is read over."""
        self.send(ask=what)
        self.send(ask="what_if")  # which is an error: the end of the answers
        answer = None
        while (line := json.loads(self._lines.readline()))["type"] != "error":
            if line["type"] == what:
                answer = line
        return answer

    def send(self, **line):
        self._socket.sendall(json.dumps(line).encode() + b"\n")

    def leave(self):
        self._lines.close()
        self._socket.close()


class LampFrame:
    """Bits that went to the lamps.

    Attributes:
        at: when.
    """

    def __init__(self, entry):
        self.at, self._entry = entry.at, entry

    @cached_property
    def colours(self):
        """What the lamps make of them: bytes in the order of the chain."""
        sheet = WS2812B_V5 if self._entry.what == SPI else WS2812B  # by whose alone rpi_ws281x's pulses are right
        (colours,) = decode(levels(self._entry.data), self._entry.hz, sheet)
        return colours

    @property
    def dark(self):
        return not any(self.colours)


class BoardOnPi:
    """A board on the simulated Pi, and somebody who plays both sides at it.

    Attributes:
        bench: the board's breadboard.
        client: the connection to the service, once it runs.
    """

    PATIENCE = 30.0

    def __init__(self, board):
        self.bench = bench_on_pi(board)
        self.client = None
        self._standing = {}

    def connect(self):
        """Listen to the service, again if it was another one before."""
        self.disconnect()
        self.client = ServiceClient()

    def disconnect(self):
        if self.client:
            self.client.leave()
            self.client = None

    def take_frames(self):
        """What was sent to the lamps since it was last asked."""
        return [LampFrame(each) for each in sent(*at(self.bench.profile.chain.data_pin))]

    @property
    def state(self):
        return self.client.ask("state")

    @property
    def played(self):
        """The turns that the service knows of."""
        return parse_record(self.client.ask("record")["record"]).turns

    def play(self, turns):
        """Take these turns, one after the other, and see that each one counts as the rules send."""
        for turn in turns:
            self._take(turn)

    def clear(self):
        """Take every piece away."""
        for cell in [*self._standing]:
            self._lift(cell)

    def touch(self, cell):
        """A finger comes and goes; a piece that stands there is lifted and put back; else one comes and goes."""
        owner = self._standing.get(cell)
        halves = [lambda: self._put(cell, owner or LIGHT), lambda: self._lift(cell)]
        first, then = reversed(halves) if owner else halves
        first()
        if self.bench.pieces:
            self.bench.passes(MIN_TOUCH_SECONDS)
        then()

    def wait_for_state(self, what, wanted):
        """Wait until it is so.

        Args:
            what: tells of a state whether it is.
            wanted: what is waited for, in words.
        """
        return wait_for(
            lambda: (state := self.state) and what(state) and state,
            lambda: f"{wanted}, but: {self.state}",
            self.PATIENCE,
            pause=0.05,  # a client is listened to no more than sixty times a second
        )

    def _take(self, turn):
        for cell in filter(None, turn.action):
            if not self.bench.pieces:
                self.touch(cell)
            elif cell == turn.action.source:
                owner = self._lift(cell)
            else:
                self._put(cell, owner if turn.action.source else turn.before.to_move)
        if self.bench.profile.turn_key_pins:
            self.bench.press_turn_key(turn.before.to_move)
        after = turn.after.notation_line
        self.wait_for_state(lambda state: state["position"] == after, f"{turn.action} should come to {after}")
        while (
            self.bench.pieces
            and (board_state := self.state["wood"])
            and (board_state["turn"] or board_state["take_off"])
        ):
            for cell in board_state["take_off"]:
                self._lift(cell)
            for cell in board_state["turn"]:
                self._put(cell, self._lift(cell))
            self.bench.passes(self.bench.profile.sensing.settle_seconds)
        self.wait_for_state(lambda state: state["phase"] in {"act", "over"}, f"{turn.action} should be done with")

    def _put(self, cell, owner):
        if self.bench.pieces:
            self._standing[cell] = owner
        if hasattr(self.bench, "magnet"):
            self.bench.magnet(cell, STRENGTH * self.bench.profile.sensing.wiring.light * (1 if owner == LIGHT else -1))
        else:
            self.bench.press(cell)
        self._wait_debounce()

    def _lift(self, cell):
        self.bench.release(cell)
        self._wait_debounce()
        return self._standing.pop(cell, None)

    def _wait_debounce(self):
        bench = self.bench
        settle_seconds = bench.profile.sensing.settle_seconds if bench.pieces else 0.0
        bench.passes(bench.hold + 3 * bench.period + settle_seconds + bench.late)
