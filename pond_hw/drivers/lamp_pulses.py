"""The pulses that WS2812 lamps read, drawn by the SPI data line alone: the SPI clock is never connected.

Each bit of a colour is eleven SPI bits of 120 ns:

    0   111 00000000   360 ns high, 960 ns low
    1   111111 00000   720 ns high, 600 ns low

It is the shortest pattern inside the datasheets' times of WS2812B, WS2812B-V5 and SK6812 alike
(docs/decisions/0006-eleven-bits-a-lamp-bit.md).
"""

from __future__ import annotations

import math

SPI_HZ = 8_400_000
"""Hz that are asked for. The kernel divides its clock by an even number and goes no faster than asked: the clocks of
all models, 200, 250, 400 and 500 MHz, come to 8.333 MHz. Asking for exactly that would fall to the next number."""

ZERO_BITS, ONE_BITS = "11100000000", "11111100000"

RESET_BYTES = bytes(math.ceil(300e-6 * SPI_HZ / 8))
"""300 µs low, before the colours, since the line may rest high, and after them, for the lamps to take them on. So
every transfer is long enough for the Pi to make it by DMA: a short one pauses after each byte and spoils a pulse."""


def _encode_byte(byte: int) -> bytes:
    return int("".join(ONE_BITS if byte >> bit & 1 else ZERO_BITS for bit in range(7, -1, -1)), 2).to_bytes(11)


BYTE_PATTERNS = [_encode_byte(byte) for byte in range(256)]


def encode_lamp_bytes(data: bytes) -> bytes:
    """The SPI bytes that draw these bytes on the data line, the reset before and after them included."""
    return RESET_BYTES + b"".join(map(BYTE_PATTERNS.__getitem__, data)) + RESET_BYTES
