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
    """Turns the lines of a file in format 1 into those of today, one after the other."""

    def __init__(self) -> None:
        self._frame = b""
        self._levels: list[int] = []
        self._counts: list[int] = []

    def convert_values(self, kind: str, values: list[Any]) -> list[Any]:
        """What stands in a line behind its kind and its time, as it would stand there today.

        Raises:
            ValueError, TypeError: nobody can have written this.
        """
        match kind, values:
            case "b", [int(size), int(lamps), int(strip)]:
                self._frame = bytes((size * size * lamps + 2 * strip) * 3)
                self._levels, self._counts = [0] * size**2, []
            case "r", [list(changes), *differences] if len(differences) < 2:
                for number, level in zip(changes[::2], changes[1::2], strict=True):
                    if not (type(number) is int and 0 <= number < len(self._levels)):
                        raise ValueError("no such sensor")
                    self._levels[number] = level
                before, self._counts = self._counts or [0] * len(self._levels), []
                for text in differences:
                    self._counts = [old + new for old, new in zip(before, decode_vlq(text), strict=True)]
                return [self._levels[:], *([self._counts] if differences else [])]
            case "f", [str(text)]:
                self._frame = apply_runs(self._frame, text)
                return [base64.b64encode(self._frame).decode()]
        return values


def decode_vlq(text: str) -> Iterator[int]:
    """The numbers of a text.

    Raises:
        ValueError: it is none.
    """
    number = shift = 0
    for letter in text:
        bits = VLQ_LETTERS.index(letter)
        number |= (bits & 31) << shift
        shift += 5
        if bits < 32:
            yield -(number >> 1) if number & 1 else number >> 1
            number = shift = 0
    if shift:
        raise ValueError("half a number")


def apply_runs(frame: bytes, text: str) -> bytes:
    """The bytes that differ so from those before.

    Raises:
        ValueError: these cannot.
    """
    after, position = bytearray(frame), 0
    numbers = decode_vlq(text)
    for stay in numbers:
        count = next(numbers, 0)
        if stay < 0 or count < 1 or position + stay + count > len(after):
            raise ValueError("more bytes than a frame has")
        position += stay
        for _ in range(count):
            after[position] += next(numbers, 256)  # ValueError, if that is no byte
            position += 1
    return bytes(after)
