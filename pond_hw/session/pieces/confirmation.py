"""The last interpretation of the board, and what hands have answered to it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from math import inf
from typing import NamedTuple

from pond_hw.rules import Action, Cell
from pond_hw.session.pieces.interpretations import (
    IN_SYNC,
    AtRest,
    InSync,
    Interpretation,
    Mismatch,
    Moves,
    PendingConfirmation,
    PieceInHand,
    RepairStep,
)
from pond_hw.session.pieces.sensors import NO_DIFFERENCE, BoardDifference
from pond_hw.session.scene import ConfirmWindow

SECOND_TURN_SECONDS = 1.5  # how long a piece may be on its way in the second of two quick turns
READ_SECONDS = 0.4  # so soon nobody answers to what is announced
GESTURES_NEEDED = 2  # so many confirm gestures in a row say that a piece is there that no sensor detects


class ConfirmGestures(NamedTuple):
    """Number of confirm gestures, with a piece that may not move, and the difference to which the board returns then."""

    difference: BoardDifference = NO_DIFFERENCE
    gesture_count: int = 0


NO_GESTURES = ConfirmGestures()


@dataclass(frozen=True, slots=True)
class ConfirmationState:
    """The last interpretation of the board, and what hands have answered.

    Attributes:
        is_interpreted: whether what is detected has been stable and was interpreted.
        interpretation: what it means.
        confirm_window: since when that is announced and when it counts, or None.
        interpreted_since: when the interpretation became what it is, in seconds.
        interpreted_at: when the board was interpreted last, in seconds.
        mismatch_since: since when the lamps ask for a repair, in seconds; infinity while they don't.
        was_in_sync: whether board and game have agreed since they last differed: actions count only from there.
        synced_since_turn: whether they have agreed since the last turn.
        has_rested: whether they have agreed at rest since the last turn, but for pieces in hands.
        unverified: whether they have not agreed since the game became another one: what is missing was never there.
        settled_difference: the difference that was stable last.
        visit_counts: how often each difference has been stable in this position.
        suspected_accident: whether so much differed that it was an accident: nothing is taken back before all is mended.
        take_back_declined: whether a take-back was announced, and a hand said no.
        answered: the cell of an announced action from which a hand has lifted the piece again, and what was announced.
        has_denied: whether a hand has said no to announced actions.
        begun_step: the step that the lamps asked for when a hand lifted its piece, until a piece is put down.
        confirm_gestures: the confirm gestures so far.
        unanswered_questions: how many undetected actions have been asked for in vain.
    """

    is_interpreted: bool = False
    interpretation: Interpretation = IN_SYNC
    confirm_window: ConfirmWindow | None = None
    interpreted_since: float = 0.0
    interpreted_at: float = 0.0
    mismatch_since: float = inf
    was_in_sync: bool = False
    synced_since_turn: bool = False
    has_rested: bool = False
    unverified: bool = False
    settled_difference: BoardDifference = NO_DIFFERENCE
    visit_counts: Mapping[BoardDifference, int] = field(default_factory=dict)
    suspected_accident: bool = False
    take_back_declined: bool = False
    answered: tuple[Cell, tuple[Action, ...]] | None = None
    has_denied: bool = False
    begun_step: RepairStep | None = None
    confirm_gestures: ConfirmGestures = NO_GESTURES
    unanswered_questions: int = 0

    @property
    def next_due(self) -> float:
        """Instant at which to look at the board again if nothing moves, in seconds, or infinity."""
        confirmed_at = self.confirm_window.until if self.confirm_window else inf
        return min(confirmed_at, self.second_turn_until, self.patient_until)

    @property
    def second_turn_until(self) -> float:
        """Instant until which the second of two quick turns may be under way, in seconds; infinity if none is."""
        now = self.interpretation
        is_half_done = isinstance(now, Mismatch) and now.half_done_action is not None
        return self.interpreted_since + SECOND_TURN_SECONDS if self.was_in_sync and is_half_done else inf

    @property
    def patient_until(self) -> float:
        """Instant at which a piece that nobody removes is put down to its sensor, in seconds; infinity if there is none."""
        now = self.interpretation
        return self.interpreted_since + now.patience_seconds if isinstance(now, Mismatch) else inf

    def is_confirmed(self, now: float) -> bool:
        """True if the time of what is announced is up."""
        return self.confirm_window is not None and now >= self.confirm_window.until

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
        return self._with_begun_step(cell, is_occupied)._with_answer(
            cell, is_occupied, announced_actions, is_new=is_new
        )

    def _with_begun_step(self, cell: Cell, is_occupied: bool) -> ConfirmationState:
        match self.interpretation:
            case Mismatch(repair_steps=(step, *_)) if step.source == cell and not is_occupied:
                return replace(self, begun_step=step)
        return replace(self, begun_step=None) if is_occupied and self.begun_step else self

    def _with_answer(
        self, cell: Cell, is_occupied: bool, announced_actions: tuple[Action, ...], *, is_new: bool
    ) -> ConfirmationState:
        if not is_occupied and any(action.target == cell for action in announced_actions):
            return replace(self, answered=(cell, announced_actions))
        if is_occupied and self.find_denied_actions(cell):
            return replace(self, answered=None, has_denied=True)
        return replace(self, answered=None, has_denied=False) if is_occupied and is_new else self

    def is_mended_by(self, cell: Cell, occupied_cells: Set[Cell]) -> bool:
        """True if a piece that landed on this cell was moved there just as the lamps ask for."""
        step = self.begun_step
        return step is not None and cell == step.target and step.source not in occupied_cells

    def find_denied_actions(self, cell: Cell) -> tuple[Action, ...]:
        """The announced actions that are denied by putting a piece down on this cell; empty if none are."""
        return self.answered[1] if self.answered and self.answered[0] == cell else ()

    def after_wakeup(self) -> ConfirmationState:
        """The sensors start or come back: what stands there is not something that was done."""
        moved = self.after_movement()
        return replace(moved, interpretation=IN_SYNC, was_in_sync=False, synced_since_turn=False)

    def after_game_change(self, is_in_sync: bool) -> ConfirmationState:
        """The game changed: all answers belong to the position before."""
        return replace(
            self.without_gestures().after_movement(),
            interpretation=IN_SYNC,
            was_in_sync=is_in_sync,
            synced_since_turn=is_in_sync,
            has_rested=False,
            visit_counts={},
            suspected_accident=False,
            take_back_declined=False,
            answered=None,
            has_denied=False,
        )

    def without_gestures(self) -> ConfirmationState:
        """Without confirm gestures and the questions that they raised."""
        return replace(self, confirm_gestures=NO_GESTURES, unanswered_questions=0)

    def after_question(self) -> ConfirmationState:
        """Ask for the next undetected action, because none has been confirmed; after the last one for none."""
        reopened, about = self.after_movement(), self.interpretation
        if isinstance(about, PendingConfirmation) and self.unanswered_questions == about.other_count:
            return reopened.without_gestures()
        return replace(reopened, unanswered_questions=self.unanswered_questions + 1)

    def after_settling(self, difference: BoardDifference) -> ConfirmationState:
        """After a difference has been stable, before it is interpreted."""
        if difference == self.settled_difference:
            return self
        gestures = self._count_gestures(difference)
        return replace(
            self,
            settled_difference=difference,
            visit_counts={**self.visit_counts, difference: self.visit_counts.get(difference, 0) + 1},
            confirm_gestures=gestures,
            unanswered_questions=self.unanswered_questions if gestures.gesture_count >= GESTURES_NEEDED else 0,
        )

    def _count_gestures(self, difference: BoardDifference) -> ConfirmGestures:
        """The gestures once a piece that may not move was lifted, or was put back while the board asks something."""
        before, gestures, asked = self.settled_difference, self.confirm_gestures, self.interpretation
        if _is_one_lifted(before, difference):  # it may become one
            return gestures if gestures.difference == before else ConfirmGestures(before)
        is_asking = isinstance(asked, Mismatch) or (
            isinstance(asked, PendingConfirmation) and not isinstance(asked.intent, Moves)
        )
        if is_asking and gestures.difference == difference and _is_one_lifted(difference, before):
            return ConfirmGestures(difference, gestures.gesture_count + 1)
        return NO_GESTURES

    def after_interpretation(
        self, interpretation: Interpretation, now: float, *, is_accident: bool, has_put_down: bool
    ) -> ConfirmationState:
        """After a look at the stable board.

        Args:
            interpretation: the meaning of what is detected.
            now: the instant, in seconds.
            is_accident: whether so much differs that it was an accident.
            has_put_down: whether a hand has put a piece where none should be.
        """
        is_in_sync, confirm_window = isinstance(interpretation, InSync), None
        if isinstance(interpretation, PendingConfirmation) and interpretation.confirm_seconds < inf:
            confirm_window = ConfirmWindow(now, now + interpretation.confirm_seconds)
        return replace(
            self,
            is_interpreted=True,
            interpretation=interpretation,
            interpreted_since=self.interpreted_since if interpretation == self.interpretation else now,
            interpreted_at=now,
            mismatch_since=min(self.mismatch_since, now) if isinstance(interpretation, Mismatch) else inf,
            confirm_window=confirm_window,
            was_in_sync=self._stays_in_sync(interpretation, is_disturbed=is_accident or has_put_down),
            suspected_accident=not is_in_sync and (self.suspected_accident or is_accident),
            take_back_declined=not is_in_sync and self.take_back_declined,
            answered=None if is_in_sync else self.answered,
            has_denied=not is_in_sync and self.has_denied,
            synced_since_turn=is_in_sync or self.synced_since_turn,
            has_rested=self.has_rested or isinstance(interpretation, AtRest),
            unverified=not is_in_sync and self.unverified,
        )

    def _stays_in_sync(self, interpretation: Interpretation, *, is_disturbed: bool) -> bool:
        """True if actions count; they do while pieces are missing, as long as nothing was put down elsewhere."""
        match interpretation:
            case InSync() | PieceInHand():
                return True
            case Mismatch(half_done_action=None):
                return self.was_in_sync and not is_disturbed
        return self.was_in_sync


def _is_one_lifted(before: BoardDifference, now: BoardDifference) -> bool:
    return now.extra == before.extra and len(now.missing - before.missing) == 1 and before.missing <= now.missing
