"""A board on a USB cable: a Pico provides the sensors and the wire to the lamps.

The Pico debounces. The scan receives each of its changes separately, for two readings, so that no change is lost
or merged with another, however late it is read.
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
"""Number of consecutive equal readings after which a level counts."""


class UsbBoard:
    """The sensors of a board on USB, with readers for its keys and a wire for its lamps."""

    raw_values = edge_fd = None

    def __init__(self, link: UsbLink) -> None:
        self.link = link
        self.keys = {name: KeyReader(self, number) for name, number in link.config.key_inputs.items()}
        self.wire = UsbLampWire(self)
        self.is_sensing = False
        self._readings = READINGS_PER_CHANGE  # number of readings since the last change

    def open(self) -> None:
        self.is_sensing = True
        self.link.connect()

    def read_levels(self) -> tuple[SensorLevel, ...]:
        self.link.exchange()
        if not self.link.is_healthy:
            raise SensorReadError(Message("usb.sensors_unread"))
        if self._readings >= READINGS_PER_CHANGE and self.link.changes:
            self.link.levels |= self.link.changes.popleft().levels
            self._readings = 0
        self._readings += 1
        return tuple([self.link.levels.get(number, 0) for number in self.link.config.cell_inputs])

    def is_configured(self) -> bool:
        """Return True: a board with other settings is refused when it connects."""
        return True

    def close(self) -> None:
        """Stop reading. The cable is released once the lamps are closed, too."""
        self.is_sensing = False
        if not self.wire.is_open:
            self.link.disconnect()


class KeyReader:
    """A key beside the cells. Its level comes from the last reading of the cells."""

    raw_values = edge_fd = None

    def __init__(self, usb_board: UsbBoard, input_number: int) -> None:
        self._board, self._number = usb_board, input_number

    def open(self) -> None:
        """Do nothing: the key is read with the cells."""

    def read_levels(self) -> tuple[SensorLevel, ...]:
        return (self._board.link.levels.get(self._number, 0),)

    def is_configured(self) -> bool:
        return True

    def close(self) -> None:
        """Do nothing."""


class UsbLampWire:
    """Transport for the lamp bytes over the cable."""

    def __init__(self, usb_board: UsbBoard) -> None:
        self._board = usb_board
        self.is_open = False

    def open(self) -> None:
        """Connect to the board. While sensors are being read, their thread reconnects and this call does not wait."""
        self.is_open = True
        if self._board.is_sensing:
            self._board.link.exchange()
        else:
            self._board.link.connect()

    def send_bytes(self, chain_bytes: bytes) -> None:
        self._board.link.show_frame(chain_bytes)

    def close(self) -> None:
        """Wait until the last frame is shown. Release the cable unless sensors are being read."""
        self.is_open = False
        if not self._board.is_sensing:
            with suppress(OSError):
                self._board.link.finish_frames()
            self._board.link.disconnect()


def build_usb_board(profile: Profile, now: Callable[[], float], find_ports: Callable[[], list[str]]) -> UsbBoard:
    """Build the board for a Pico profile, without opening it. The Pico is searched for at the given ports."""
    return UsbBoard(UsbLink(make_board_config(profile), now, sleep, find_ports))
