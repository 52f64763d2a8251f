"""A board on a USB cable: a Pico that scans and lights, as sensors and as the wire of the lamps.

The Pico debounces. What it tells is shown to the scan change by change, each for two readings, so that none is passed
over and none is joined to another: however late a press is read, it is the press that it was.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import sleep

from pond_hw.drivers.debounce import SensorLevel
from pond_hw.drivers.scan import SensorReadError
from pond_hw.drivers.usb_config import make_board_config
from pond_hw.drivers.usb_link import UsbLink
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile

READINGS_PER_CHANGE = 2
"""A level counts once two readings in a row agree."""


class UsbBoard:
    """The sensors of a board on USB, with the ends for its key and its lamps.

    Attributes:
        link: the cable.
        keys: the keys beside the cells by their names in `Profile.key_pins`, a sensor each.
        wire: the wire of the lamps.
    """

    raw_values = edge_file = None

    def __init__(self, link: UsbLink) -> None:
        self.link = link
        self.keys = {name: KeyReader(self, number) for name, number in link.config.key_inputs.items()}
        self.wire = UsbLampWire(self)
        self.is_sensing = False
        self._readings = READINGS_PER_CHANGE  # since the last change

    def open(self) -> None:
        """Reach the board.

        Raises:
            BoardFault: it is another one, or may not be used.
            SensorReadError: it is not there, or does not answer.
        """
        self.is_sensing = True
        self.link.connect()

    def read_levels(self) -> tuple[SensorLevel, ...]:
        """The level of each cell's sensor, in the order a1, b1, ...

        Raises:
            SensorReadError: the board is not there, does not answer, or cannot read its sensors.
        """
        self.link.exchange()
        if not self.link.is_healthy:
            raise SensorReadError(Message("usb.sensors_unread"))
        if self._readings >= READINGS_PER_CHANGE and self.link.changes:
            self.link.levels |= self.link.changes.popleft().levels
            self._readings = 0
        self._readings += 1
        return tuple([self.link.levels.get(number, 0) for number in self.link.config.cell_inputs])

    def is_configured(self) -> bool:
        """A board with other settings has said so."""
        return True

    def close(self) -> None:
        """Stop reading; the cable is let go of with the lamps."""
        self.is_sensing = False
        if not self.wire.is_open:
            self.link.drop()


class KeyReader:
    """A key beside the cells: the level that came with the last reading of these."""

    raw_values = edge_file = None

    def __init__(self, usb_board: UsbBoard, input_number: int) -> None:
        self._board, self._number = usb_board, input_number

    def open(self) -> None:
        """Nothing is to be done: it comes with the cells."""

    def read_levels(self) -> tuple[SensorLevel, ...]:
        """The level of the key."""
        return (self._board.link.levels.get(self._number, 0),)

    def is_configured(self) -> bool:
        """As the cells are."""
        return True

    def close(self) -> None:
        """Nothing is to be done."""


class UsbLampWire:
    """What carries the lamps' bytes over the cable."""

    def __init__(self, usb_board: UsbBoard) -> None:
        self._board = usb_board
        self.is_open = False

    def open(self) -> None:
        """Reach the board; if sensors are read, it is they who find it again, and nobody waits for it here.

        Raises:
            BoardFault: it is another one, or may not be used.
            SensorReadError: it is not there, or does not answer.
        """
        self.is_open = True
        if self._board.is_sensing:
            self._board.link.exchange()
        else:
            self._board.link.connect()

    def send_bytes(self, chain_bytes: bytes) -> None:
        """Let the lamps show this.

        Raises:
            SensorReadError: the board is not there, or does not answer.
        """
        self._board.link.show_frame(chain_bytes)

    def close(self) -> None:
        """Wait until the board has shown what was sent last; let go of the cable unless sensors are read."""
        self.is_open = False
        if not self._board.is_sensing:
            with suppress(OSError):
                self._board.link.finish_frames()
            self._board.link.drop()


def build_usb_board(profile: Profile, now: Callable[[], float], find_ports: Callable[[], list[str]]) -> UsbBoard:
    """The board of a profile for a Pico, at one of these ports; nothing of it is open."""
    return UsbBoard(UsbLink(make_board_config(profile), now, sleep, find_ports))
