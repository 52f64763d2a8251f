"""Costs of what may come next in a hypothesis, given what stands where and what is in hands."""

from __future__ import annotations

from math import inf

from pond_hw.rules import Action, Cell, Turn, legal_actions
from pond_hw.session.pieces import hypothesis_costs as costs
from pond_hw.session.pieces.hypothesis_costs import DROPOUT_SECONDS, PASSING_SECONDS, TOGETHER_SECONDS, UP_FOR_NOTHING
from pond_hw.session.pieces.hypothesis_state import Act, Change, HypothesisState


class HypothesisOdds(HypothesisState):
    """A hypothesis, with the costs of what may come next."""

    __slots__ = ()

    def _may_have_moved(self, cell: Cell, instant: float) -> bool:
        """True if a recent action was an egg, but may have been the move of the piece that was here a moment ago."""
        acts = self.acts or ((self.counted,) if self.counted else ())
        return any(
            act.turn.action.source is None and Action(cell, act.turn.action.target) in legal_actions(act.turn.before)
            for act in acts[-2:]
            if instant - act.instant <= PASSING_SECONDS
        )

    def _may_have_slid(self, cell: Cell, instant: float) -> bool:
        """True if a piece that is where it should not be may be the one that was here a moment ago."""
        return any(
            instant - piece.since <= costs.SLIDE_SECONDS and Action(cell, target) in legal_actions(self.position)
            for target, piece in self.unexplained.items()
        )

    def _cost_of_echo_of_last(self, change: Change) -> float | None:
        if not self.acts or self.acts[-1].turn.side not in change.owners:
            return None
        last_act = self.acts[-1]
        return self._cost_of_echo(change.cell, last_act.turn.action.target, change.instant - last_act.instant)

    def _cost_of_echo(self, cell: Cell, target: Cell, gap: float) -> float | None:
        """Return the cost of a piece off the middle of `target` that a second cell detects; None if it cannot."""
        if not self._are_neighbours(cell, target):
            return None
        return next((cost for seconds, cost in costs.ECHO if gap < seconds), None)

    def _cost_of_act(self, action: Action, change: Change) -> float:
        (source, target), instant = action, change.instant
        cost = self._cost_of_haste(change, is_new=source is None)
        if self.acts and self.acts[-1].turn.action.source == target:
            may_return = self.are_turned and target in self.acts[-1].to_flip
            cost += costs.RETURNED if may_return else costs.COINCIDENCE
        if source is None:
            cost += costs.PLACED
        else:
            cost += costs.MOVED + self._cost_of_acting_after_all(source)
        if removal := self.removed.get(target):
            cost += costs.TOO_SOON * (instant - removal.instant < DROPOUT_SECONDS)
        return cost + costs.PLAYED_AFTER_PUT_BACK * bool(self.put_back)

    def _cost_of_acting_after_all(self, source: Cell) -> float:
        """Return the cost of a piece that acts, though it seemed to be turned over while the other side acted."""
        lift = self.lifted.get(source)
        if not lift or lift.since == -inf or not lift.turn_count or not self._may_be_turned(source):
            return 0.0
        return next(cost for seconds, cost in costs.LIFTED_EARLY if self.acted_at - lift.since <= seconds)

    def _cost_of_lift(self, cell: Cell, turn: Turn, instant: float) -> float:
        """Return the cost of a turn that was taken while the piece of a cell was in a hand."""
        source, target = turn.action
        cost = costs.TWO_PIECES * self._is_idle_in_hand(cell) + self._cost_of_early_lift(cell, turn, instant)
        return cost if source else cost + self._cost_of_coincidence(cell, target)

    def _cost_of_coincidence(self, lifted_cell: Cell, target: Cell) -> float:
        """Return the cost of an egg just where a lifted piece could go."""
        could_go = Action(lifted_cell, target) in legal_actions(self.position)
        if last_act := self.last_act:
            has_acted = lifted_cell == last_act.turn.action.target
            origin = last_act.turn.action.source if has_acted else lifted_cell
            could_go |= Action(origin, target) in legal_actions(last_act.turn.before)
        if not could_go:
            return 0.0
        return costs.COINCIDENCE

    def _cost_of_haste(self, change: Change, *, is_new: bool) -> float:
        """Return the cost of an action so soon after the action before.

        A new piece beside the last one may be the same, off the middle of its cell, or on its way.
        """
        pause = change.instant - self.acted_at
        last_act = self.last_act
        is_beside = (
            last_act
            and is_new
            and last_act.turn.side in change.owners
            and change.cell != last_act.turn.action.source
            and self._are_neighbours(last_act.turn.action.target, change.cell)
        )
        if is_beside and pause < TOGETHER_SECONDS:
            return costs.BESIDE_AT_ONCE
        if pause >= costs.HASTE_SECONDS:
            return 0.0
        return costs.HASTE_BESIDE if is_beside else costs.HASTE

    def _cost_of_early_lift(self, cell: Cell, turn: Turn, instant: float) -> float:
        """Return the cost of a piece that was lifted to act with it before the other side had acted."""
        piece, lift = self.position.pieces[cell], self.lifted[cell]
        if piece.owner is not turn.side.other_side or self._may_be_turned(cell) or lift.since == -inf:
            return 0.0
        early = next(cost for seconds, cost in costs.LIFTED_EARLY if instant - lift.since <= seconds)
        if not any(action.source == cell for action in legal_actions(turn.after)):
            early = UP_FOR_NOTHING
        last_act = self.last_act
        has_just_acted = last_act is not None and last_act.turn.action.target == cell
        if has_just_acted and last_act and lift.since - last_act.landed_at < costs.SAME_PIECE_SECONDS:
            early += costs.SAME_PIECE
        return early

    def _cost_of_scoring_in_hand(self, cell: Cell) -> float:
        """Return the cost of a piece that scores while it is in a hand."""
        if not self._may_be_turned(cell):
            return UP_FOR_NOTHING
        return costs.SCORED_IN_HAND + self._cost_of_unasked_turning

    def _cost_of_correction(self, act: Act, change: Change) -> float:
        """Return how unlikely it is that the last action was not meant or is not finished, and so does not count."""
        cost = next(cost for seconds, cost in costs.CORRECTED if change.instant - act.landed_at < seconds)
        if self.acts:
            is_denied = self.actions == change.announced
            cost = costs.PASSED if is_denied else min(cost, costs.NOT_COUNTED_YET)
            cost -= act.cost
        elif act.turn.action.target in act.scored_cells:
            cost += costs.SCORED_CORRECTED
        return cost + sum(costs.UNEXPLAINED - piece.cost for piece in self.unexplained.values() if piece.is_echo)
