"""The pulses that WS2812 lamps read, drawn by the SPI data line alone: the SPI clock is never connected.

Each bit of a colour becomes a pattern of SPI bits. There are two sets of patterns, and which one is right depends on
what the SPI does between two bytes (docs/decisions/0030-a-byte-for-each-lamp-bit.md):

    packed   0   111 00000000   360 ns high, 960 ns low     SPI bits of 120 ns, which cross byte borders:
             1   111111 00000   720 ns high, 600 ns low     right only if no time passes between two bytes

    byte     0   11 000000      340 ns high, 1020 ns low    a byte for each lamp bit, 170 ns a bit. It ends low, so that
             1   1111 0000      680 ns high, 680 ns low     time between two bytes makes only a low longer
"""

from __future__ import annotations

import math
from functools import cached_property

RESET_SECONDS = 300e-6
"""How long the line is low before the colours, since it may rest high, and after them, for the lamps to take them on. So
every transfer is long enough for the Pi to make it by DMA: a short one pauses after each byte."""


class LampEncoding:
    """How SPI draws the bits of the lamps' colours.

    Args:
        spi_hz: the clock that is asked for, in Hz. The kernel divides its clock of 200, 250, 400 or 500 MHz by an even
            number and goes no faster than asked.
        zero_bits: the SPI bits of a 0.
        one_bits: the SPI bits of a 1, as many.

    Attributes:
        reset_bytes: the low before and after the colours.
    """

    def __init__(self, spi_hz: int, zero_bits: str, one_bits: str) -> None:
        self.spi_hz, self.zero_bits, self.one_bits = spi_hz, zero_bits, one_bits
        self.reset_bytes = bytes(math.ceil(RESET_SECONDS * spi_hz / 8))

    @cached_property
    def _byte_patterns(self) -> list[bytes]:
        return [self._encode_byte(byte) for byte in range(256)]

    def _encode_byte(self, byte: int) -> bytes:
        spi_bits = "".join(self.one_bits if byte >> bit & 1 else self.zero_bits for bit in range(7, -1, -1))
        return int(spi_bits, 2).to_bytes(len(self.one_bits))

    def encode(self, data: bytes) -> bytes:
        """The SPI bytes that draw these bytes on the data line, the reset before and after them included."""
        return self.reset_bytes + b"".join(map(self._byte_patterns.__getitem__, data)) + self.reset_bytes

    def frame_bytes(self, lamp_count: int) -> int:
        """How many SPI bytes a frame for so many lamps takes."""
        return 2 * len(self.reset_bytes) + 3 * len(self.one_bits) * lamp_count


PACKED = LampEncoding(8_400_000, "11100000000", "11111100000")
"""The shortest patterns inside the datasheets' times of WS2812B, WS2812B-V5 and SK6812 alike
(docs/decisions/0006-eleven-bits-a-lamp-bit.md). All models come to 8.333 MHz; asking for exactly that would fall to the
next number."""

BYTE_ALIGNED = LampEncoding(6_100_000, "11000000", "11110000")
"""The fastest byte for each bit whose highs are inside all three datasheets and whose lows are at least as long as these
want. The models come to 5.88 to 6.10 MHz, the Pi 5 to 5.88."""

ENCODINGS = {"byte": BYTE_ALIGNED, "packed": PACKED}
"""By what a profile calls them in `lamps.encoding`."""
