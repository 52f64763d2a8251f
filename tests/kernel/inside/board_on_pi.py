"""Simulated players on the simulated Pi. They touch the board's lines, read the lamps' wire and connect to the socket."""

import json
import socket
from functools import cached_property

from pond_hw.rules import LIGHT, parse_record
from pond_hw.session.game.resume_prompt import MIN_TOUCH_SECONDS
from tests.board.benches import MAGNET_COUNTS
from tests.drivers.ws2812 import WS2812B, WS2812B_V5, decode, levels
from tests.kernel.benches import bench_on_pi
from tests.kernel.breadboard import SPI
from tests.kernel.inside.installation import SOCKET, wait_for
from tests.kernel.inside.lamps import lamp_output, read_transfers


class ServiceClient:
    """Client of the service's socket."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(10)
        self._socket.connect(str(SOCKET))
        self._lines = self._socket.makefile("r")
        assert json.loads(self._lines.readline())["type"] == "hello"

    def ask(self, kind):
        """Return the service's answer. Skip other messages."""
        self.send(ask=kind)
        self.send(ask="what_if")  # an error, which ends the answers
        answer = None
        while (line := json.loads(self._lines.readline()))["type"] != "error":
            if line["type"] == kind:
                answer = line
        return answer

    def send(self, **line):
        self._socket.sendall(json.dumps(line).encode() + b"\n")

    def close(self):
        self._lines.close()
        self._socket.close()


class LampFrame:
    """Frame sent to the lamps.

    Attributes:
        at: time of the transfer.
    """

    def __init__(self, entry):
        self.at, self._entry = entry.at, entry

    @cached_property
    def colours(self):
        """Bytes that the lamps decode, in the order of the chain."""
        sheet = WS2812B_V5 if self._entry.what == SPI else WS2812B  # the only data sheet that rpi_ws281x's pulses fit
        (colours,) = decode(levels(self._entry.data), self._entry.hz, sheet)
        return colours

    @property
    def dark(self):
        return not any(self.colours)


class BoardOnPi:
    """Board on the simulated Pi, with a player for both sides.

    Attributes:
        bench: the board's test bench.
        client: connection to the service; None until it runs.
    """

    TIMEOUT_SECONDS = 30.0

    def __init__(self, board):
        self.bench = bench_on_pi(board)
        self.client = None
        self._pieces = {}

    def connect(self):
        """Connect to the service, ending any earlier connection."""
        self.disconnect()
        self.client = ServiceClient()

    def disconnect(self):
        if self.client:
            self.client.close()
            self.client = None

    def take_frames(self):
        """Return the frames sent since the last call."""
        return [LampFrame(each) for each in read_transfers(*lamp_output(self.bench.profile.chain.data_pin))]

    @property
    def state(self):
        return self.client.ask("state")

    @property
    def played(self):
        """Turns that the service has recorded."""
        return parse_record(self.client.ask("record")["record"]).turns

    def play(self, turns):
        """Play these turns and check each resulting position."""
        for turn in turns:
            self._take(turn)

    def clear(self):
        """Remove all pieces."""
        for cell in [*self._pieces]:
            self._lift(cell)

    def touch(self, cell):
        """Touch a cell briefly: press and release it, lift and replace its piece, or place a piece and remove it."""
        owner = self._pieces.get(cell)
        steps = [lambda: self._put(cell, owner or LIGHT), lambda: self._lift(cell)]
        first_step, second_step = reversed(steps) if owner else steps
        first_step()
        if self.bench.pieces:
            self.bench.wait(MIN_TOUCH_SECONDS)
        second_step()

    def wait_for_state(self, is_reached, description):
        """Wait until the game reaches a state, and return the state.

        Args:
            is_reached: predicate of a state.
            description: description of the expected state, for the error message.
        """
        return wait_for(
            lambda: (state := self.state) and is_reached(state) and state,
            lambda: f"{description}, but: {self.state}",
            self.TIMEOUT_SECONDS,
            pause=0.05,  # a client may send at most sixty messages a second
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
        self.wait_for_state(lambda state: state["position"] == after, f"{turn.action} should lead to {after}")
        while (
            self.bench.pieces
            and (board_state := self.state["wood"])
            and (board_state["turn"] or board_state["take_off"])
        ):
            for cell in board_state["take_off"]:
                self._lift(cell)
            for cell in board_state["turn"]:
                self._put(cell, self._lift(cell))
            self.bench.wait(self.bench.profile.sensing.settle_seconds)
        self.wait_for_state(lambda state: state["phase"] in {"act", "over"}, f"{turn.action} should be complete")

    def _put(self, cell, owner):
        if self.bench.pieces:
            self._pieces[cell] = owner
        if hasattr(self.bench, "magnet"):
            self.bench.magnet(
                cell, MAGNET_COUNTS * self.bench.profile.sensing.wiring.light * (1 if owner == LIGHT else -1)
            )
        else:
            self.bench.press(cell)
        self._wait_debounce()

    def _lift(self, cell):
        self.bench.release(cell)
        self._wait_debounce()
        return self._pieces.pop(cell, None)

    def _wait_debounce(self):
        bench = self.bench
        settle_seconds = bench.profile.sensing.settle_seconds if bench.pieces else 0.0
        bench.wait(bench.hold + 3 * bench.period + settle_seconds + bench.late)
