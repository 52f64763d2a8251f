"""The sign of a phone that asks for something: phone and board show the same, so that people see which phone it is."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pond_hw.messages.message import Message


class SignColour(Enum):
    """Colour of a sign, and of the lamps of the cells to press.

    Amber, blue and red have meanings on the lamps already.
    """

    GREEN = "green"
    PURPLE = "purple"
    WHITE = "white"


class PhoneSign(NamedTuple):
    """A colour and a number of two digits."""

    colour: SignColour
    number: int

    @property
    def message(self) -> Message:
        """The sign as the board shows it."""
        return Message(f"permission.sign.{self.colour.value}", number=self.number)
