"""The first format of a black box, for files from before: readings and frames are differences in Base64 VLQ.

    ["r",50000,[5,1],"AAC..."]       the levels that differ (number of the sensor, level), and differences of all counts
    ["f",33333,"gBAAC..."]           runs of a frame's bytes: how many stay, how many differ, by how much each of these

A VLQ number has its lowest five bits in its first letter; a letter of 32 or more is followed by another. The lowest bit
of the number is its sign.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

VLQ_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class FormatOne:
    """Converts the lines of a file in format 1 to the current format, one after the other."""

    def __init__(self) -> None:
        self._frame = b""
        self._levels: list[int] = []
        self._counts: list[int] = []

    def convert_values(self, note_kind: str, field_values: list[Any]) -> list[Any]:
        """Convert what a line holds after its kind and its time.

        Raises:
            ValueError, TypeError: Pond cannot have written this.
        """
        match note_kind, field_values:
            case "b", [int(size), int(lamps), int(strip)]:
                self._frame = bytes((size * size * lamps + 2 * strip) * 3)
                self._levels, self._counts = [0] * size**2, []
            case "r", [list(changes), *differences] if len(differences) < 2:
                for number, sensor_level in zip(changes[::2], changes[1::2], strict=True):
                    if not (type(number) is int and 0 <= number < len(self._levels)):
                        raise ValueError("no such sensor")
                    self._levels[number] = sensor_level
                counts_before, self._counts = self._counts or [0] * len(self._levels), []
                for vlq_text in differences:
                    self._counts = [old + new for old, new in zip(counts_before, decode_vlq(vlq_text), strict=True)]
                return [self._levels[:], *([self._counts] if differences else [])]
            case "f", [str(vlq_text)]:
                self._frame = apply_runs(self._frame, vlq_text)
                return [base64.b64encode(self._frame).decode()]
        return field_values


def decode_vlq(vlq_text: str) -> Iterator[int]:
    """Decode the numbers of a VLQ text.

    Raises:
        ValueError: it is none.
    """
    number = shift = 0
    for letter in vlq_text:
        letter_bits = VLQ_LETTERS.index(letter)
        number |= (letter_bits & 31) << shift
        shift += 5
        if letter_bits < 32:
            yield -(number >> 1) if number & 1 else number >> 1
            number = shift = 0
    if shift:
        raise ValueError("half a number")


def apply_runs(frame: bytes, vlq_text: str) -> bytes:
    """Apply the changes to the bytes of the frame before.

    Raises:
        ValueError: these cannot.
    """
    new_bytes, position = bytearray(frame), 0
    run_numbers = decode_vlq(vlq_text)
    for unchanged_count in run_numbers:
        changed_count = next(run_numbers, 0)
        if unchanged_count < 0 or changed_count < 1 or position + unchanged_count + changed_count > len(new_bytes):
            raise ValueError("more bytes than a frame has")
        position += unchanged_count
        for _ in range(changed_count):
            new_bytes[position] += next(run_numbers, 256)  # ValueError, if that is no byte
            position += 1
    return bytes(new_bytes)
