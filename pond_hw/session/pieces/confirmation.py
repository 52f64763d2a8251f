"""The last interpretation of the board, and what hands have answered to it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from math import inf
from typing import NamedTuple

from pond_hw.rules import Action, Cell
from pond_hw.session.pieces.interpretations import (
    IN_SYNC,
    STUCK_SECONDS,
    InSync,
    Interpretation,
    Mismatch,
    Moves,
    PendingConfirmation,
)
from pond_hw.session.pieces.sensors import NO_DIFFERENCE, BoardDifference
from pond_hw.session.scene import ConfirmWindow

READ_SECONDS = 0.4  # so soon nobody answers to what is announced
GESTURES_NEEDED = 2  # so many confirm gestures in a row say that a piece is there that no sensor detects


class BoardEvent(Enum):
    """Something that changes how far the board agrees with the game."""

    AGREED = auto()  # nothing is different any more
    PIECE_IN_HAND = auto()  # nothing but one piece that may be moved
    PIECE_MISPLACED = auto()  # a piece was put where none should be
    MUCH_MISPLACED = auto()  # too much differs for one action: it was an accident
    TURN_BY_HAND = auto()  # what hands have done counts
    PROGRAM_TURN = auto()  # a program or a screen has taken a turn
    GAME_REPLACED = auto()  # the game became another one, or went back
    SENSORS_STARTED = auto()  # what stands there is not something that was done


class Agreement(Enum):
    """Agreement of the board with the game, as far as it is known.

    ::

        hands play:               TURN_TAKEN --rest--> IN_PLAY --misplaced--> DISTURBED --much misplaced--> ACCIDENT
                                                          ^--in hand, or agreed-------------------------'
        hands follow a program:   FOLLOWING --misplaced--> BEHIND
                                      ^-------in hand---------'
        the game was replaced:    UNVERIFIED

    From everywhere, agreement leads to `IN_PLAY` and a turn of hands to `TURN_TAKEN`. A turn of a program leads from the
    first line to the second: to `FOLLOWING` if actions count.
    """

    TURN_TAKEN = auto()  # a turn of hands has counted, and the board has not been at rest since
    IN_PLAY = auto()  # board and game agree, or did before the turn that is being taken
    DISTURBED = auto()  # a piece stands where none should: nothing counts before it is put right
    ACCIDENT = auto()  # the same, and nothing is taken back either
    FOLLOWING = auto()  # hands have to follow a turn that they have not taken, and may act at once
    BEHIND = auto()  # they have to follow before anything counts
    UNVERIFIED = auto()  # the same, and what is missing may never have stood there

    def after(self, event: BoardEvent) -> Agreement:
        """Return the state after an event."""
        match event, self:
            case BoardEvent.AGREED, _:
                return Agreement.IN_PLAY
            case BoardEvent.TURN_BY_HAND, _:
                return Agreement.TURN_TAKEN
            case BoardEvent.GAME_REPLACED, _:
                return Agreement.UNVERIFIED
            case _, Agreement.UNVERIFIED:
                return self
            case BoardEvent.SENSORS_STARTED, _:
                return Agreement.BEHIND
            case BoardEvent.PROGRAM_TURN, _:
                return Agreement.FOLLOWING if self.counts_actions else Agreement.BEHIND
            case BoardEvent.PIECE_IN_HAND, _:
                return Agreement.IN_PLAY if self.has_agreed else Agreement.FOLLOWING
            case _, Agreement.FOLLOWING | Agreement.BEHIND:
                return Agreement.BEHIND
            case BoardEvent.MUCH_MISPLACED, _:
                return Agreement.ACCIDENT
        return Agreement.ACCIDENT if self is Agreement.ACCIDENT else Agreement.DISTURBED

    @property
    def counts_actions(self) -> bool:
        """True if actions of hands count."""
        return self in {Agreement.TURN_TAKEN, Agreement.IN_PLAY, Agreement.FOLLOWING}

    @property
    def allows_take_backs(self) -> bool:
        """True if hands may take turns back."""
        return self.has_agreed and self is not Agreement.ACCIDENT

    @property
    def has_agreed(self) -> bool:
        """True if board and game have agreed since the last turn."""
        return self in {Agreement.TURN_TAKEN, Agreement.IN_PLAY, Agreement.DISTURBED, Agreement.ACCIDENT}


class ConfirmGestures(NamedTuple):
    """Confirm gestures: a piece that may not move was lifted and put back.

    Attributes:
        difference: the difference to which the board returned each time.
        gesture_count: the number of gestures in a row.
        unanswered_count: how many undetected actions they have asked for in vain.
    """

    difference: BoardDifference = NO_DIFFERENCE
    gesture_count: int = 0
    unanswered_count: int = 0

    def after_settling(self, before: BoardDifference, now: BoardDifference, *, is_asking: bool) -> ConfirmGestures:
        """Return the gestures once a difference has been stable; one counts only if the board asks something."""
        if _is_one_lifted(before, now):  # it may become one
            return self if self.difference == before else ConfirmGestures(before)
        if is_asking and self.difference == now and _is_one_lifted(now, before):
            return self._replace(gesture_count=self.gesture_count + 1)
        return NO_GESTURES


NO_GESTURES = ConfirmGestures()


def _is_one_lifted(before: BoardDifference, now: BoardDifference) -> bool:
    return now.extra == before.extra and len(now.missing - before.missing) == 1 and before.missing <= now.missing


@dataclass(frozen=True, slots=True)
class ConfirmationState:
    """The last interpretation of the board, and what hands have answered.

    Attributes:
        agreement: how far the board is known to agree with the game.
        is_interpreted: whether what is detected has been stable and was interpreted.
        interpretation: what it means.
        confirm_window: since when that is announced and when it counts, or None.
        interpreted_since: when the interpretation became what it is, in seconds.
        interpreted_at: when the board was interpreted last, in seconds.
        settled_difference: the difference that was stable last.
        visit_counts: how often each difference has been stable in this position.
        answered: the cell of an announced action from which a hand has lifted the piece again, and what was announced.
        has_denied: whether a hand has said no to announced actions.
        confirm_gestures: the confirm gestures so far.
    """

    agreement: Agreement = Agreement.BEHIND
    is_interpreted: bool = False
    interpretation: Interpretation = IN_SYNC
    confirm_window: ConfirmWindow | None = None
    interpreted_since: float = 0.0
    interpreted_at: float = 0.0
    settled_difference: BoardDifference = NO_DIFFERENCE
    visit_counts: Mapping[BoardDifference, int] = field(default_factory=dict)
    answered: tuple[Cell, tuple[Action, ...]] | None = None
    has_denied: bool = False
    confirm_gestures: ConfirmGestures = NO_GESTURES

    @property
    def next_due(self) -> float:
        """Instant at which something follows if nothing moves, in seconds, or infinity.

        An announced action counts, or the sensor of a piece that is not removed is taken to be bad. A missing piece may be
        in a hand for a day, and a board that is cleared for another game may take any time.
        """
        match self.interpretation:
            case PendingConfirmation() if self.confirm_window:
                return self.confirm_window.until
            case Mismatch(difference, cell_to_clear=str()) if difference.is_single_cell or self.agreement.has_agreed:
                return self.interpreted_since + STUCK_SECONDS
        return inf

    def asks_for(self, cell: Cell, occupied_cells: Set[Cell]) -> bool:
        """True if the lamps ask for a piece on this cell, from beside the board or from a cell that has become empty."""
        match self.interpretation:
            case Mismatch(repair_steps=steps) if not self.agreement.counts_actions:
                return any(step.target == cell and step.source not in occupied_cells for step in steps)
        return False

    def visit_count(self, difference: BoardDifference) -> int:
        """Return how often this difference has been stable in this position, from 1 on."""
        return self.visit_counts.get(difference, 1)

    def after_movement(self) -> ConfirmationState:
        """Something moved: what was announced no longer counts."""
        return replace(self, is_interpreted=False, confirm_window=None)

    def find_announced_actions(self, instant: float) -> tuple[Action, ...]:
        """The actions that are announced, and have been for long enough to be answered by a hand; empty if none are."""
        match self.interpretation:
            case PendingConfirmation(Moves(actions)):
                return actions if instant - self.interpreted_since >= READ_SECONDS else ()
        return ()

    def with_answer(
        self, cell: Cell, is_occupied: bool, announced_actions: tuple[Action, ...], *, is_new: bool
    ) -> ConfirmationState:
        """After one change of a sensor: a hand may have lifted the piece of what was announced, or put it back.

        Who puts down a new piece elsewhere goes on playing, and that is no answer.
        """
        if not is_occupied and any(action.target == cell for action in announced_actions):
            return replace(self, answered=(cell, announced_actions))
        if is_occupied and self.find_denied_actions(cell):
            return replace(self, answered=None, has_denied=True)
        return replace(self, answered=None, has_denied=False) if is_occupied and is_new else self

    def find_denied_actions(self, cell: Cell) -> tuple[Action, ...]:
        """The announced actions that are denied by putting a piece down on this cell; empty if none are."""
        return self.answered[1] if self.answered and self.answered[0] == cell else ()

    def after_game_change(self, event: BoardEvent) -> ConfirmationState:
        """The game changed, or the sensors started: all answers belong to what was before."""
        return ConfirmationState(agreement=self.agreement.after(event), interpreted_at=self.interpreted_at)

    def after_question(self) -> ConfirmationState:
        """Ask for the next undetected action, because none has been confirmed; after the last one for none."""
        about, gestures = self.interpretation, self.confirm_gestures
        is_last = isinstance(about, PendingConfirmation) and gestures.unanswered_count == about.other_count
        asked_gestures = gestures._replace(unanswered_count=gestures.unanswered_count + 1)
        return replace(self.after_movement(), confirm_gestures=NO_GESTURES if is_last else asked_gestures)

    def after_settling(self, difference: BoardDifference) -> ConfirmationState:
        """After a difference has been stable, before it is interpreted."""
        before = self.settled_difference
        if difference == before:
            return self
        match self.interpretation:
            case PendingConfirmation(intent):
                is_asking = not isinstance(intent, Moves)
            case asked:
                is_asking = isinstance(asked, Mismatch)
        return replace(
            self,
            settled_difference=difference,
            visit_counts={**self.visit_counts, difference: self.visit_counts.get(difference, 0) + 1},
            confirm_gestures=self.confirm_gestures.after_settling(before, difference, is_asking=is_asking),
        )

    def after_interpretation(
        self, interpretation: Interpretation, now: float, event: BoardEvent | None = None
    ) -> ConfirmationState:
        """After a look at the stable board.

        Args:
            interpretation: the meaning of what is detected.
            now: the instant, in seconds.
            event: what that says about how far board and game agree; None if nothing.
        """
        confirm_window = None
        if isinstance(interpretation, PendingConfirmation) and interpretation.confirm_seconds < inf:
            confirm_window = ConfirmWindow(now, now + interpretation.confirm_seconds)
        is_in_sync = isinstance(interpretation, InSync)
        return replace(
            self,
            is_interpreted=True,
            interpretation=interpretation,
            interpreted_since=self.interpreted_since if interpretation == self.interpretation else now,
            interpreted_at=now,
            confirm_window=confirm_window,
            agreement=self.agreement.after(event) if event else self.agreement,
            answered=None if is_in_sync else self.answered,
            has_denied=not is_in_sync and self.has_denied,
        )
