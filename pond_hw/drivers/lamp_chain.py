"""Lamps in a chain on a single wire, such as WS2812s.

A frame is in the order of the cells, the chain in the order of the soldering. A table, built once, maps each byte of
the chain to its source in the frame. A `LampWire` sends the bytes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from operator import itemgetter
from typing import Protocol

from pond_hw.board import BoardFault, Frame
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile.board_profile import LampSettings

LOG = logging.getLogger("pond")

REFRESH_SECONDS = 0.5
"""Seconds after which an unchanged frame is sent again, to correct glitches on the wire."""

RETRY_SECONDS = 0.25


class LampWire(Protocol):
    """Transport for the bytes of a chain."""

    def open(self) -> None:
        """Claim the device.

        Raises:
            BoardFault: it is unavailable, and trying again will not help.
            OSError: the lamps cannot be reached yet.
        """

    def send_bytes(self, chain_bytes: bytes) -> None:
        """Show three bytes per lamp, with lamps and colours in the order of the chain.

        Raises:
            OSError: sending failed, or the device has not been opened.
        """

    def close(self) -> None:
        """Release the device. Closing twice, or without `open`, is allowed."""


class ChainLamps:
    """The lamps of a board on one wire."""

    def __init__(self, size: int, chain: LampSettings, lamp_wire: LampWire, now: Callable[[], float]) -> None:
        self.size, self.lamps_per_cell, self.strip_lamps = size, chain.lamps_per_cell, len(chain.strip_positions[0])
        self.key_lamps = len(chain.key_positions)
        self._wire, self._now = lamp_wire, now
        self._dark = bytes(chain.lamp_count * 3)
        self._pick = itemgetter(*_byte_sources(chain))
        self._held = False
        self._shown = self._dark
        self._sent_at = self._tried_at = 0.0
        self._trouble: Message | None = None

    def open(self) -> None:
        try:
            self._wire.open()
            self._wire.send_bytes(self._dark)
        except OSError as error:  # `show` tries again
            self._trouble = _lamp_trouble(error)
        self._held, self._shown, self._sent_at = True, self._dark, self._now()

    def show(self, frame: Frame) -> None:
        """Show a frame; do nothing after `close`.

        Raises:
            BoardFault: the lamps cannot be reached now. Later calls try again, a few times a second.
        """
        if not self._held:
            return
        chain_bytes = bytes(self._pick(frame.data + b"\0"))
        shown_at = self._now()
        if self._trouble:
            if shown_at - self._tried_at < RETRY_SECONDS:
                raise BoardFault(self._trouble)
        elif chain_bytes == self._shown and shown_at - self._sent_at < REFRESH_SECONDS:
            return
        try:
            self._send_or_reopen(chain_bytes)
        except (OSError, BoardFault) as error:
            if not self._trouble:
                LOG.warning("the lamps are lost: %s", describe_system_error(error))
            self._trouble, self._tried_at = _lamp_trouble(error), shown_at
            raise BoardFault(self._trouble) from error

    def close(self) -> None:
        if self._held:
            with suppress(OSError, BoardFault):
                self._send_or_reopen(self._dark)
                # sent twice, since no refresh will correct a glitch
                self._send_or_reopen(self._dark)
            self._held, self._trouble = False, None
            with suppress(OSError):
                self._wire.close()

    def _send_or_reopen(self, chain_bytes: bytes) -> None:
        if self._trouble:
            with suppress(OSError):
                self._wire.close()
            self._wire.open()
        self._wire.send_bytes(chain_bytes)
        if self._trouble:
            LOG.warning("the lamps are back")
        self._trouble = None
        self._shown, self._sent_at = chain_bytes, self._now()


def _byte_sources(chain: LampSettings) -> list[int]:
    drawn_positions = chain.drawn_positions
    byte_sources = [len(drawn_positions) * 3] * (chain.lamp_count * 3)
    for lamp_number, lamp_position in enumerate(drawn_positions):
        for colour_offset, colour in enumerate(chain.colour_order):
            byte_sources[lamp_position * 3 + colour_offset] = lamp_number * 3 + "RGB".index(colour)
    return byte_sources


def _lamp_trouble(error: OSError | BoardFault) -> Message:
    if isinstance(error, BoardFault):
        return error.message
    return Message("lamps.lost", text=describe_system_error(error))
