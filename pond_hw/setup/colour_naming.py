"""In which order lamps take their colours, from three lit cells that somebody names red, green and blue. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.messages.message import Message
from pond_hw.rules import Cell

CHANNELS = ("red", "green", "blue")


class ColourNaming:
    """Three cells show what the profile calls red, green and blue; each is named by what it looks like.

    Args:
        drawn_order: the order that the profile draws, such as `GRB`.

    Attributes:
        named: which of the three cells were touched for red, green and blue so far: 0, 1 or 2.
    """

    def __init__(self, drawn_order: str) -> None:
        self.named: tuple[int, ...] = ()
        self._drawn_order = drawn_order

    @property
    def wanted(self) -> str:
        """The colour whose cell is asked for."""
        return CHANNELS[len(self.named)]

    def name_cell(self, touched_cell: Cell, lit_trio: Sequence[Cell]) -> Message | None:
        """One of the three was touched for the wanted colour; what is wrong with that, if anything is."""
        if touched_cell not in lit_trio:
            return Message("colour.not_lit", cell=touched_cell, cells=tuple(lit_trio))
        cell_number = lit_trio.index(touched_cell)
        if cell_number in self.named:
            colours = {"first": CHANNELS[self.named.index(cell_number)], "second": self.wanted}
            self.named = ()
            return Message("colour.twice", cell=touched_cell, **colours)
        self.named = (*self.named, cell_number)
        return None

    @property
    def found_order(self) -> str | None:
        """The order in which the lamps take their colours; None until all three are named."""
        if len(self.named) < len(CHANNELS):
            return None
        channel_at = {
            self._drawn_order.index("RGB"[shown]): channel for channel, shown in zip("RGB", self.named, strict=True)
        }
        return "".join(channel_at[channel_position] for channel_position in range(len(CHANNELS)))
