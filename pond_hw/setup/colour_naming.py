"""In which order lamps take their colours, from three lit cells that somebody names red, green and blue. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.messages.plurals import join_words
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

    def name_cell(self, touched_cell: Cell, lit_trio: Sequence[Cell]) -> str:
        """One of the three was touched for the wanted colour; what is wrong with that, as a sentence, or nothing."""
        if touched_cell not in lit_trio:
            return f"{touched_cell} is not lit. Touch one of {join_words(lit_trio)}."
        cell_number = lit_trio.index(touched_cell)
        if cell_number in self.named:
            named_before, wanted_colour = CHANNELS[self.named.index(cell_number)], self.wanted
            self.named = ()
            return f"You touched {touched_cell} for {named_before} and for {wanted_colour}. Start again with red."
        self.named = (*self.named, cell_number)
        return ""

    @property
    def found_order(self) -> str | None:
        """The order in which the lamps take their colours; None until all three are named."""
        if len(self.named) < len(CHANNELS):
            return None
        channel_at = {
            self._drawn_order.index("RGB"[shown]): channel for channel, shown in zip("RGB", self.named, strict=True)
        }
        return "".join(channel_at[channel_position] for channel_position in range(len(CHANNELS)))
