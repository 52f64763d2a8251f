"""The pulses for WS2812 lamps, generated on the SPI data line. The SPI clock is not connected.

Each bit of a colour becomes a pattern of SPI bits. There are two sets of patterns. The right one depends on what the
SPI does between two bytes (docs/decisions/0030-one-byte-per-lamp-bit.md):

    packed   0   111 00000000   360 ns high, 960 ns low     SPI bits of 120 ns that cross byte boundaries:
             1   111111 00000   720 ns high, 600 ns low     valid only without a gap between bytes

    byte     0   11 000000      340 ns high, 1020 ns low    one byte per lamp bit, 170 ns per SPI bit. It ends low,
             1   1111 0000      680 ns high, 680 ns low     so a gap between bytes only extends a low
"""

from __future__ import annotations

import math
from functools import cached_property

RESET_SECONDS = 300e-6
"""Low time before the colours, since the line may rest high, and after them, when the lamps latch.

It also makes every transfer long enough for DMA on a Pi. Short transfers pause after each byte.
"""


class LampEncoding:
    """SPI bit patterns for the bits of the lamp colours.

    `spi_hz` is the requested clock. The kernel divides its clock of 200, 250, 400 or 500 MHz by an even number and
    never exceeds the request.
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
        return self.reset_bytes + b"".join(map(self._byte_patterns.__getitem__, data)) + self.reset_bytes

    def frame_bytes(self, lamp_count: int) -> int:
        return 2 * len(self.reset_bytes) + 3 * len(self.one_bits) * lamp_count


PACKED = LampEncoding(8_400_000, "11100000000", "11111100000")
"""Shortest patterns within the data sheet limits of WS2812B, WS2812B-V5 and SK6812
(docs/decisions/0006-eleven-spi-bits-per-lamp-bit.md). Every Pi model reaches 8.333 MHz. A request for exactly
that would be rounded down to the next lower clock.
"""

BYTE_ALIGNED = LampEncoding(6_100_000, "11000000", "11110000")
"""Fastest patterns with one byte per bit. Their high times are within the limits of all three data sheets, and their
low times are long enough. Pi models reach 5.88 to 6.10 MHz; the Pi 5 reaches 5.88 MHz.
"""

ENCODINGS = {"byte": BYTE_ALIGNED, "packed": PACKED}
"""Encodings by name, as in a profile's `lamps.encoding`."""
