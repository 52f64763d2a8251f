"""The last interpretation of the board, and the players' responses to it."""

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

READ_SECONDS = 0.4  # minimum time to read and answer an announcement
GESTURES_NEEDED = 2  # confirm gestures in a row needed to report an undetected piece


class BoardEvent(Enum):
    """Event that affects whether the board matches the game."""

    AGREED = auto()  # no difference is left
    PIECE_IN_HAND = auto()  # the only difference is one lifted piece that may move
    PIECE_MISPLACED = auto()  # a piece is on the wrong cell
    MUCH_MISPLACED = auto()  # the difference is too large for a single action
    TURN_BY_HAND = auto()  # a turn made by hand was accepted
    PROGRAM_TURN = auto()  # a program or a screen took a turn
    GAME_REPLACED = auto()  # a new game, or an undo
    SENSORS_STARTED = auto()  # pieces already on the board must not be interpreted as actions


class Agreement(Enum):
    """Agreement between the board and the game, as far as it is known.

    ::

        played by hand:           TURN_TAKEN --rest--> IN_PLAY --misplaced--> DISTURBED --much misplaced--> ACCIDENT
                                                          ^--in hand, or agreed-------------------------'
        after a program's turn:   FOLLOWING --misplaced--> BEHIND
                                      ^-------in hand---------'
        after another game:       UNVERIFIED

    When the board matches the game, any state becomes `IN_PLAY`. After a turn made by hand, any state becomes
    `TURN_TAKEN`. A program's turn leads from the first row to the second: to `FOLLOWING` if actions count, otherwise to
    `BEHIND`.
    """

    TURN_TAKEN = auto()  # a turn made by hand was accepted, and the board has not been stable since
    IN_PLAY = auto()  # the board matches the game, or did so before the current turn
    DISTURBED = auto()  # a piece is misplaced; nothing counts until this is repaired
    ACCIDENT = auto()  # like DISTURBED, but turns cannot be undone by hand either
    FOLLOWING = auto()  # a program's turn must be carried out, but the player may already act
    BEHIND = auto()  # the board must be brought in line with the game before anything counts
    UNVERIFIED = auto()  # like BEHIND, and missing pieces may never have been on the board

    def after(self, event: BoardEvent) -> Agreement:
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
        """True if actions made by hand are accepted."""
        return self in {Agreement.TURN_TAKEN, Agreement.IN_PLAY, Agreement.FOLLOWING}

    @property
    def allows_take_backs(self) -> bool:
        """True if turns may be undone by hand."""
        return self.has_agreed and self is not Agreement.ACCIDENT

    @property
    def has_agreed(self) -> bool:
        """True if the board has matched the game since the last turn."""
        return self in {Agreement.TURN_TAKEN, Agreement.IN_PLAY, Agreement.DISTURBED, Agreement.ACCIDENT}


class ConfirmGestures(NamedTuple):
    """Confirm gestures: lifting a piece that may not move, and putting it back.

    Attributes:
        difference: Difference to which the board returned after each gesture.
        gesture_count: Number of gestures in a row.
        unanswered_count: Number of suggested actions that were not confirmed.
    """

    difference: BoardDifference = NO_DIFFERENCE
    gesture_count: int = 0
    unanswered_count: int = 0

    def after_settling(self, before: BoardDifference, now: BoardDifference, *, is_asking: bool) -> ConfirmGestures:
        """Update the gestures once the board is stable. A gesture counts only if the board has asked a question."""
        if _is_one_lifted(before, now):  # this may become a gesture
            return self if self.difference == before else ConfirmGestures(before)
        if is_asking and self.difference == now and _is_one_lifted(now, before):
            return self._replace(gesture_count=self.gesture_count + 1)
        return NO_GESTURES


NO_GESTURES = ConfirmGestures()


def _is_one_lifted(before: BoardDifference, now: BoardDifference) -> bool:
    return now.extra == before.extra and len(now.missing - before.missing) == 1 and before.missing <= now.missing


@dataclass(frozen=True, slots=True)
class ConfirmationState:
    """The last interpretation of the board, and the players' responses to it.

    Attributes:
        is_interpreted: True if the board is stable and has been interpreted.
        confirm_window: Period during which players can refuse the announced intent.
        interpreted_since: Time in seconds at which the interpretation last changed.
        interpreted_at: Time of the last interpretation, in seconds.
        settled_difference: Last stable difference.
        visit_counts: Number of times that each difference has become stable in this position.
        answered: Target of an announced action whose piece was lifted again, with all announced actions.
        has_denied: True if a player has refused announced actions.
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
        """Time in seconds at which the state changes if nothing moves, or infinity.

        At that time, an announced intent is accepted, or the sensor of an extra piece is masked. A missing piece has no
        time limit, because a player may be holding it.
        """
        match self.interpretation:
            case PendingConfirmation() if self.confirm_window:
                return self.confirm_window.until
            case Mismatch(difference, cell_to_clear=str()) if difference.is_single_cell or self.agreement.has_agreed:
                return self.interpreted_since + STUCK_SECONDS
        return inf

    def asks_for(self, cell: Cell, occupied_cells: Set[Cell]) -> bool:
        """Return True if the lamps ask for a piece on this cell.

        The piece must come from outside the board or from a cell that is now empty.
        """
        match self.interpretation:
            case Mismatch(repair_steps=steps) if not self.agreement.counts_actions:
                return any(step.target == cell and step.source not in occupied_cells for step in steps)
        return False

    def visit_count(self, difference: BoardDifference) -> int:
        """Return the number of times that this difference has become stable in this position, at least 1."""
        return self.visit_counts.get(difference, 1)

    def after_movement(self) -> ConfirmationState:
        """Cancel the announced intent because something moved."""
        return replace(self, is_interpreted=False, confirm_window=None)

    def find_announced_actions(self, instant: float) -> tuple[Action, ...]:
        """Return the announced actions, if the players have had time to read them."""
        match self.interpretation:
            case PendingConfirmation(Moves(actions)):
                return actions if instant - self.interpreted_since >= READ_SECONDS else ()
        return ()

    def with_answer(
        self, cell: Cell, is_occupied: bool, announced_actions: tuple[Action, ...], *, is_new: bool
    ) -> ConfirmationState:
        """Record a response to announced actions: lifting an action's piece, then putting it back to deny the action.

        A new piece on another cell continues the game, so it ends the response.
        """
        if not is_occupied and any(action.target == cell for action in announced_actions):
            return replace(self, answered=(cell, announced_actions))
        if is_occupied and self.find_denied_actions(cell):
            return replace(self, answered=None, has_denied=True)
        return replace(self, answered=None, has_denied=False) if is_occupied and is_new else self

    def find_denied_actions(self, cell: Cell) -> tuple[Action, ...]:
        """Return the announced actions that are denied when a piece is put back on this cell."""
        return self.answered[1] if self.answered and self.answered[0] == cell else ()

    def after_game_change(self, event: BoardEvent) -> ConfirmationState:
        """Forget all responses after the game has changed or the sensors have started."""
        return ConfirmationState(agreement=self.agreement.after(event), interpreted_at=self.interpreted_at)

    def after_question(self) -> ConfirmationState:
        """Suggest the next undetected action, or nothing after the last one."""
        about, gestures = self.interpretation, self.confirm_gestures
        is_last = isinstance(about, PendingConfirmation) and gestures.unanswered_count == about.other_count
        asked_gestures = gestures._replace(unanswered_count=gestures.unanswered_count + 1)
        return replace(self.after_movement(), confirm_gestures=NO_GESTURES if is_last else asked_gestures)

    def after_settling(self, difference: BoardDifference) -> ConfirmationState:
        """Record a stable difference. Call this before interpreting it."""
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
        """Record the interpretation of a stable board. The event, if any, updates the agreement with the game."""
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
