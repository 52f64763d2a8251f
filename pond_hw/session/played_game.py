"""A game on a board: what a session, its view and the interpretation of pieces know of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pond_hw.messages.message import Message
from pond_hw.rules import GameCourse, Grid, Position, Record, Turn, get_grid
from pond_hw.session.hint import Hint
from pond_hw.session.scene import ShownRefusal


@dataclass(frozen=True, slots=True)
class PlayedGame(GameCourse):
    """A game on a board, and what is said of it.

    Attributes:
        size: rows and columns of the board; a smaller pond lies in its a1 corner.
        messages: what happened, and what may be done.
        refusal: the refusal, if the last thing that happened was one.
        turn_is_fresh: whether the last turn was the last thing that happened, so that the lamps play it out.
        changed_at: when the last turn was taken or the game changed otherwise, in seconds.
        trouble: what is wrong with the board, or None. As long as it is not, nothing is played and nothing lost.
        unsaved_reason: why nothing is saved at this moment, or None.
        hint: the hint that is shown or computed, or None.
        has_seats: whether people who are not at the board have seats.
    """

    size: int = field(kw_only=True)
    messages: tuple[Message, ...] = ()
    refusal: ShownRefusal | None = None
    turn_is_fresh: bool = False
    changed_at: float = 0.0
    trouble: Message | None = None
    unsaved_reason: Message | None = None
    hint: Hint | None = None
    has_seats: bool = False

    @property
    def board_grid(self) -> Grid:
        """The grid of the board, which may be larger than the one that is played on."""
        return get_grid(self.size)

    @property
    def last_turn(self) -> Turn | None:
        """The turn that was taken last, or None before the first."""
        return self.turns[-1] if self.turns else None

    def find_position_before(self, turn_count: int) -> Position:
        """The position before the last turns, so many of them; with 0 the position now."""
        return self.turns[-turn_count].before if turn_count else self.position

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not None

    @property
    def record(self) -> Record:
        """The game so far, as a record."""
        return Record(self.variant, self.turns, self.declared_outcome, custom_start=self.custom_start)
