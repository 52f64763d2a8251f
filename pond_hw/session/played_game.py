"""A game on a board: what a session, its view and the interpretation of pieces know of it."""

from __future__ import annotations

from dataclasses import dataclass

from pond_hw.rules import Outcome, Position, Record, Turn, Variant, find_outcome
from pond_hw.session.hint import Hint
from pond_hw.session.scene import ShownRefusal


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game, and what is said of it.

    Attributes:
        size: rows and columns of the board.
        variant: the variant that is played; it may be smaller than the board, in its a1 corner.
        turns: the turns taken, in order.
        declared_outcome: how the players ended the game themselves, or None.
        custom_start: the position that the game began from, or None for the start of the variant.
        message: a sentence or two for a person: what happened, and what may be done.
        refusal: the refusal, if the last thing that happened was one.
        turn_is_fresh: whether the last turn was the last thing that happened, so that the lamps play it out.
        changed_at: when the last turn was taken or the game changed otherwise, in seconds.
        trouble: what is wrong with the board, or None. As long as it is not, nothing is played and nothing lost.
        unsaved_reason: why nothing is saved at this moment, or None.
        hint: the hint that is shown or computed, or None.
    """

    size: int
    variant: Variant
    turns: tuple[Turn, ...] = ()
    declared_outcome: Outcome | None = None
    custom_start: Position | None = None
    message: str = ""
    refusal: ShownRefusal | None = None
    turn_is_fresh: bool = False
    changed_at: float = 0.0
    trouble: str | None = None
    unsaved_reason: str | None = None
    hint: Hint | None = None

    @property
    def start_position(self) -> Position:
        """The position that the game began from."""
        return self.custom_start or Position.start(self.variant)

    @property
    def position(self) -> Position:
        """The position now, with score, spawn and the side to move."""
        return self.turns[-1].after if self.turns else self.start_position

    @property
    def last_turn(self) -> Turn | None:
        """The turn that was taken last, or None before the first."""
        return self.turns[-1] if self.turns else None

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return self.declared_outcome or find_outcome(self.position)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not None

    @property
    def record(self) -> Record:
        """The game so far, as a record."""
        return Record(self.variant, self.turns, self.declared_outcome, custom_start=self.custom_start)
