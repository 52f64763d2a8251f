"""The game as the interpretation of pieces asks for it; a session is one."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Protocol

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Grid, Outcome, Position, Turn, Variant


class GameOnBoard(Protocol):
    """A game on a board with pieces."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Every turn, in order."""

    @property
    def position(self) -> Position:
        """Position that the game has come to."""

    @property
    def declared_outcome(self) -> Outcome | None:
        """Resignation or agreement that ended the game; None if there was none."""

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""

    @property
    def board_grid(self) -> Grid:
        """Grid of the board, which may be larger than the one that is played on."""

    @property
    def is_being_set_up(self) -> bool:
        """True while hands set up the position of an exercise: a board cleared for that opens no menu."""

    @property
    def menu_cells(self) -> Set[Cell]:
        """Cells of the menu page that is open, or that opens first."""

    @property
    def menu_variants(self) -> Mapping[Cell, Variant]:
        """Variants on the menu page that is open, or that opens first."""

    def find_position_before(self, turn_count: int) -> Position:
        """Return the position before the last `turn_count` turns."""

    def describe_warning(self, action: Action) -> Message | None:
        """Return what the side to move is warned of before this action counts; None if of nothing."""

    def describe_chosen(self, cell: Cell) -> Message:
        """Describe what may be done with the piece of a cell that is lifted."""

    def describe_menu(self, picked_cell: Cell | None) -> tuple[Message, ...]:
        """Describe the menu, or the choice on which a piece was put."""

    def describe_set_up(self) -> tuple[Message, ...]:
        """Describe why the position of an exercise is set up; empty if none is."""
