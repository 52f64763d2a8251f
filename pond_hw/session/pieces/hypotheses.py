"""Hypotheses: possible explanations of the detected changes, with their likelihood.

The difference between the board and the game does not show the order of changes, and in a fast game the board is rarely
stable. So a small set of hypotheses is maintained. Each hypothesis explains every sensor change since the board last
matched the game: as an action, as a piece being turned over, as the removal of a scored piece, or as an accident. A new
change extends every hypothesis in all possible ways. Unlikely explanations have a cost (`odds`), and the most expensive
hypotheses are dropped (`hypothesis_ranking`).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from pond_hw.rules import Action, Cell, Turn, legal_actions, play
from pond_hw.session.pieces.hand_tasks import find_scored_pieces
from pond_hw.session.pieces.hypothesis_state import (
    BoardConditions,
    Change,
    DetectedTurn,
    HypothesisState,
    Lift,
    Removal,
    UnexplainedPiece,
    without_cell,
)
from pond_hw.session.pieces.odds import ODDS


class Hypothesis(HypothesisState):
    """One explanation of all changes since the board last matched the game."""

    __slots__ = ()

    # Meanings of a change

    def follow(self, change: Change, conditions: BoardConditions) -> Iterator[Hypothesis]:
        """Yield every way to extend this hypothesis by one change."""
        if change.is_occupied:
            yield from self._follow_landing(change, conditions)
        else:
            yield from self._follow_leaving(change, conditions)

    def _follow_landing(self, change: Change, conditions: BoardConditions) -> Iterator[Hypothesis]:
        cell, position = change.cell, self.position
        if cell in self.scored_cells or cell in self.unexplained:
            yield self  # the piece was here all along
            return
        if self._is_in_hand(cell) and position.pieces[cell].owner in change.owners:
            yield self._with_piece_back(cell, change.instant)
        if cell in self.removed and self.removed[cell].owner in change.owners:
            yield self._with_scored_piece_back(cell, change.instant)
        if position.to_move in change.owners and position.to_move in conditions.human_sides:
            for action in legal_actions(position):
                if self._ends_where_it_was(action):
                    continue  # the piece was put back, so nothing was corrected
                if action.target == cell and self._may_come_from(action.source, conditions):
                    yield self._with_turn(action, change)
        yield self._with_unexplained(change, None)
        for origin in filter(self._is_in_hand, self.lifted):
            is_same_owner = position.pieces[origin].owner in change.owners
            if origin != cell and is_same_owner and not self._is_allowed(Action(origin, cell), conditions):
                yield self._with_unexplained(change, origin)

    def _follow_leaving(self, change: Change, conditions: BoardConditions) -> Iterator[Hypothesis]:
        cell, instant, last_turn = change.cell, change.instant, self.last_turn
        if cell in self.unexplained:
            piece = self.unexplained[cell]
            has_passed = instant - piece.since < ODDS.passing_seconds
            refund = max(piece.cost - ODDS.slight, 0.0) if has_passed else 0.0
            without_piece = self._replace(cost=self.cost - refund, unexplained=without_cell(self.unexplained, cell))
            yield without_piece
            yield from without_piece._follow_slide(piece.origin, change, conditions)
        elif cell in self.scored_cells:
            yield self._without_scored_piece(cell, instant)
        elif cell in self.position.pieces and cell not in self.lifted:
            cost = self.cost + ODDS.coincidence * self._may_have_moved(cell, instant)
            cost += ODDS.coincidence * self._may_have_slid(cell, instant)
            lift = Lift(instant, self._has_just_acted(cell, instant, ODDS.passing_seconds))
            with_lifted_piece = self._replace(cost=cost, lifted={**self.lifted, cell: lift})
            yield with_lifted_piece
            slid = with_lifted_piece._replace(cost=self.cost)
            yield from slid._follow_slide(cell, change, conditions)
        else:
            yield self  # there was no piece: the sensor recovers from a false detection
        if last_turn and last_turn.turn.action.target == cell and cell not in self.lifted:
            corrected = self._without_last_turn(last_turn, change)
            yield corrected
            yield from corrected._follow_slide(last_turn.turn.action.source, change, conditions)

    def _follow_slide(self, origin: Cell | None, change: Change, conditions: BoardConditions) -> Iterator[Hypothesis]:
        """Explain the change as a slide: the next cell detected the piece before the previous cell lost it."""
        for cell, piece in self.unexplained.items():
            is_recent = 0 <= change.instant - piece.since <= ODDS.slide_seconds
            is_beside = self._are_neighbours(cell, change.cell)
            action = Action(origin, cell)
            is_allowed = self._is_allowed(action, conditions)
            has_jumped = is_allowed and origin == change.cell
            slid_piece = self.position.piece_at(origin) if origin else None
            is_same_owner = (slid_piece.owner if slid_piece else self.position.to_move) in piece.owners
            if piece.origin or not is_recent or not is_same_owner or not (is_beside or has_jumped):
                continue
            before = self._replace(cost=self.cost - piece.cost, unexplained=without_cell(self.unexplained, cell))
            landing = Change(cell, True, piece.since, piece.owners)
            if is_allowed:
                yield before._with_turn(action, landing)
            else:
                yield before._with_unexplained(landing, origin)

    def _is_allowed(self, action: Action, conditions: BoardConditions) -> bool:
        return action in legal_actions(self.position) and self.position.to_move in conditions.human_sides

    def _may_come_from(self, source: Cell | None, conditions: BoardConditions) -> bool:
        return source is None or self._is_in_hand(source) or source in conditions.masked_cells

    def _ends_where_it_was(self, action: Action) -> bool:
        """Return True if an action returns a piece lifted for a correction to its cell."""
        return (
            self.corrected is not None and not self.pending_turns and self.corrected.turn.action.target == action.target
        )

    # Returned and misplaced pieces

    def _with_piece_back(self, cell: Cell, instant: float) -> Hypothesis:
        pending_turns, counted, to_flip, lift = self.pending_turns, self.counted, self.to_flip, self.lifted[cell]
        if instant - lift.since < ODDS.dropout_seconds:
            cost = -lift.cost  # the piece was there all along, or it was pushed
            cost += ODDS.unusual * any(
                self._are_neighbours(cell, pending.turn.action.target)
                for pending in pending_turns
                if pending.instant >= lift.since
            )
        elif self._may_be_turned(cell) or (lift.has_just_acted and cell in to_flip):
            cost, to_flip = ODDS.slight * (not self.asks_to_flip), without_cell(to_flip, cell)
        else:
            cost = ODDS.slight
        pending_turns = tuple(
            pending._replace(landed_at=instant) if pending.turn.action.target == cell else pending
            for pending in pending_turns
        )
        if counted and counted.turn.action.target == cell and instant - counted.landed_at < ODDS.slow_seconds:
            counted = counted._replace(landed_at=instant)
        return self._replace(
            pending_turns=pending_turns,
            counted=counted,
            cost=self.cost + cost,
            lifted=without_cell(self.lifted, cell),
            to_flip=to_flip,
        )

    def _with_scored_piece_back(self, cell: Cell, instant: float) -> Hypothesis:
        removal, put_back = self.removed[cell], self.put_back
        limit, cost = ODDS.dropout_seconds, min(ODDS.slight - removal.cost, 0.0)  # the piece may never have left
        if removal.has_slipped:
            limit, cost = ODDS.carried_seconds, 0.0
        if instant - removal.instant >= limit:
            cost = ODDS.slight + self._cost_of_turning if removal.was_turned else ODDS.put_back
            put_back = put_back if removal.was_turned else put_back | {cell}
        scored_cells = {**self.scored_cells, cell: removal.owner}
        return self._replace(cost=self.cost + cost, scored_cells=scored_cells, put_back=put_back)

    def _without_scored_piece(self, cell: Cell, instant: float) -> Hypothesis:
        is_first = cell in self.just_scored and not (self.just_scored & self.removed.keys() or self.put_back)
        is_at_once = is_first and instant - self.acted_at < ODDS.slide_seconds
        was_turned = cell in self.to_flip and (
            is_at_once or any(cell in pending.scored_cells for pending in self.pending_turns)
        )
        cost = (ODDS.slight if was_turned else ODDS.rare) * is_at_once
        has_slipped = self._has_just_acted(cell, instant, ODDS.slip_seconds)
        removal = Removal(instant, self.scored_cells[cell], cost, was_turned, has_slipped)
        return self._replace(
            cost=self.cost + cost,
            scored_cells=without_cell(self.scored_cells, cell),
            removed={**self.removed, cell: removal},
            put_back=self.put_back - {cell},
        )

    def _with_unexplained(self, change: Change, origin: Cell | None) -> Hypothesis:
        cell, instant, is_echo = change.cell, change.instant, False
        if origin is not None:
            piece = self.position.pieces.get(origin)
            belongs_to_mover = piece is not None and piece.owner is self.position.to_move
            lift = self.lifted.get(origin)
            up_seconds = instant - lift.since if lift and not lift.has_just_acted else inf
            is_beside = self._are_neighbours(origin, cell)
            if 0.0 <= up_seconds < ODDS.slide_seconds:
                cost = ODDS.slight if is_beside else ODDS.rare
            else:
                cost = ODDS.unusual if is_beside and up_seconds < inf else ODDS.rare
                cost += ODDS.slight * (not belongs_to_mover)
        elif (echo_cost := self._cost_of_echo_of_last(change)) is not None:
            cost, is_echo = echo_cost, True
        else:
            removals = self.removed.values()
            is_carried = any(0 <= instant - removal.instant <= ODDS.carried_seconds for removal in removals)
            cost = ODDS.rare if is_carried else ODDS.accident
        if not is_echo and any(instant - piece.since > ODDS.carried_seconds for piece in self.unexplained.values()):
            cost += ODDS.unusual
        unexplained = {
            **self.unexplained,
            cell: UnexplainedPiece(instant, origin, cost, change.owners, is_echo),
        }
        return self._replace(cost=self.cost + cost, unexplained=unexplained)

    # Actions

    def _with_turn(self, action: Action, change: Change) -> Hypothesis:
        """Add an action that was completed by this change."""
        source, target = action
        turn, instant = play(self.position, action), change.instant
        echoes = self._find_echoes(turn, instant)
        owners = {cell: piece.owner for cell, piece in find_scored_pieces([turn]).items()}
        scored_now = owners.keys()
        lifted = self.lifted if source is None else without_cell(self.lifted, source)
        held = scored_now & lifted.keys()
        meanwhile = {cell: self._cost_of_lift(cell, turn, instant) for cell in self.lifted.keys() - {source}}
        cost = self._cost_of_action(action, change) + sum(meanwhile.values())
        cost += sum(self._cost_of_turning if self._may_be_turned(cell) else ODDS.rare for cell in held)
        cost += sum(echo.cost - self.unexplained[cell].cost for cell, echo in echoes.items())
        cost += ODDS.unusual * (len(self.unexplained) > len(echoes))
        developed_cells = {developed.cell for developed in turn.developed_pieces}
        flippable_cells = (self.to_flip.keys() - {source, target}) | developed_cells
        flippable_cells |= {target} if source in self.to_flip else set()
        return self._replace(
            position=turn.after,
            pending_turns=(
                *self.pending_turns,
                DetectedTurn(turn, instant, cost, instant, frozenset(scored_now), self.to_flip),
            ),
            cost=self.cost + cost,
            lifted={
                cell: lift._replace(turn_count=lift.turn_count + 1, cost=lift.cost + meanwhile[cell])
                for cell, lift in lifted.items()
                if cell not in scored_now
            },
            unexplained={**self.unexplained, **echoes},
            to_flip={
                cell: self.to_flip.get(cell, instant) for cell in flippable_cells - (scored_now - self.to_flip.keys())
            },
            scored_cells={**self.scored_cells, **{cell: owners[cell] for cell in scored_now - held}},
            just_scored=frozenset(scored_now),
            removed={
                **without_cell(self.removed, target),
                **{cell: Removal(lifted[cell].since, owners[cell], was_turned=True) for cell in held},
            },
        )

    def _find_echoes(self, turn: Turn, instant: float) -> dict[Cell, UnexplainedPiece]:
        """Return the unexplained pieces that may really be the piece that acted, placed off-centre in its cell."""
        target = turn.action.target
        return {
            cell: piece._replace(cost=echo_cost, is_echo=True)
            for cell, piece in self.unexplained.items()
            if not piece.origin
            and turn.side in piece.owners
            and (echo_cost := self._cost_of_echo(cell, target, instant - piece.since)) is not None
        }

    def _without_last_turn(self, last_turn: DetectedTurn, change: Change) -> Hypothesis:
        """Undo the last turn because its piece was lifted again."""
        turn, instant = last_turn.turn, change.instant
        (source, target), pieces = turn.action, turn.before.pieces
        scored_now = {cell for run in turn.sets for cell in run} & pieces.keys()
        missing = {
            cell: Lift(self.removed[cell].instant)
            for cell in scored_now - {source} - self.put_back
            if cell in self.removed
        }
        return self._replace(
            position=turn.before,
            pending_turns=self.pending_turns[:-1],
            counted=self.counted if self.pending_turns else None,
            corrected=self.corrected if self.pending_turns else last_turn,
            cost=self.cost + self._cost_of_correction(last_turn, change),
            lifted={
                **{cell: lift for cell, lift in self.lifted.items() if cell in pieces},
                **missing,
                **({source: Lift(instant)} if source else {}),
            },
            unexplained={
                cell: piece._replace(cost=ODDS.accident, is_echo=False) if piece.is_echo else piece
                for cell, piece in self.unexplained.items()
            },
            to_flip={
                cell: since for cell, since in last_turn.to_flip.items() if cell in self.to_flip or cell == source
            },
            scored_cells={
                cell: owner for cell, owner in self.scored_cells.items() if cell not in scored_now | {target}
            },
            removed={cell: removal for cell, removal in self.removed.items() if cell not in scored_now},
            put_back=self.put_back - scored_now,
        )

    # Costs of the next change

    def _may_have_moved(self, cell: Cell, instant: float) -> bool:
        """Return True if a recently placed egg may instead be the piece that has now left this cell."""
        recent_turns = (self.pending_turns or ((self.counted,) if self.counted else ()))[-2:]
        return any(
            recent.turn.action.source is None
            and Action(cell, recent.turn.action.target) in legal_actions(recent.turn.before)
            for recent in recent_turns
            if instant - recent.instant <= ODDS.passing_seconds
        )

    def _may_have_slid(self, cell: Cell, instant: float) -> bool:
        """Return True if an unexplained piece may be the piece that has now left this cell."""
        return any(
            instant - piece.since <= ODDS.slide_seconds and Action(cell, target) in legal_actions(self.position)
            for target, piece in self.unexplained.items()
        )

    def _cost_of_echo_of_last(self, change: Change) -> float | None:
        if not self.pending_turns or self.pending_turns[-1].turn.side not in change.owners:
            return None
        last_turn = self.pending_turns[-1]
        return self._cost_of_echo(change.cell, last_turn.turn.action.target, change.instant - last_turn.landed_at)

    def _cost_of_echo(self, cell: Cell, target: Cell, gap: float) -> float | None:
        """Return the cost of assuming that `cell` detects a piece placed off-centre in `target`; None if impossible."""
        if not self._are_neighbours(cell, target) or gap >= ODDS.seen_seconds:
            return None
        return ODDS.slight if gap < ODDS.together_seconds else ODDS.rare

    def _cost_of_action(self, action: Action, change: Change) -> float:
        (source, target), instant = action, change.instant
        cost = self._cost_of_haste(change, is_new=source is None)
        if self.pending_turns and self.pending_turns[-1].turn.action.source == target:
            cost += ODDS.unusual
        if source is None:
            cost += ODDS.placed
        else:
            cost += ODDS.moved
        if removal := self.removed.get(target):
            cost += ODDS.unusual * (instant - removal.instant < ODDS.dropout_seconds)
        return cost + ODDS.unusual * bool(self.put_back)

    def _cost_of_lift(self, cell: Cell, turn: Turn, instant: float) -> float:
        """Return the cost of a turn taken while this cell's piece was lifted."""
        source, target = turn.action
        cost = ODDS.unusual * self._is_idle_in_hand(cell) + self._cost_of_early_lift(cell, turn, instant)
        return cost if source else cost + self._cost_of_coincidence(cell, target)

    def _cost_of_coincidence(self, lifted_cell: Cell, target: Cell) -> float:
        """Return the cost of placing an egg where a lifted piece could have moved."""
        could_go = Action(lifted_cell, target) in legal_actions(self.position)
        if last_turn := self.last_turn:
            has_acted = lifted_cell == last_turn.turn.action.target
            origin = last_turn.turn.action.source if has_acted else lifted_cell
            could_go |= Action(origin, target) in legal_actions(last_turn.turn.before)
        if not could_go:
            return 0.0
        return ODDS.coincidence

    def _cost_of_haste(self, change: Change, *, is_new: bool) -> float:
        """Return the cost of an action that follows soon after another.

        A new piece beside the last one may be the same piece, either off-centre in its cell or still moving.
        """
        last_turn = self.last_turn
        is_beside = (
            last_turn
            and is_new
            and last_turn.turn.side in change.owners
            and change.cell != last_turn.turn.action.source
            and self._are_neighbours(last_turn.turn.action.target, change.cell)
        )
        pause = change.instant - (last_turn.landed_at if last_turn and is_beside else self.acted_at)
        if pause >= ODDS.seen_seconds:
            return 0.0
        if not is_beside:
            return ODDS.slight
        return ODDS.rare if pause < ODDS.together_seconds else ODDS.unusual

    def _cost_of_early_lift(self, cell: Cell, turn: Turn, instant: float) -> float:
        """Return the cost of lifting a piece to act before the other side has finished its turn."""
        piece, lift = self.position.pieces[cell], self.lifted[cell]
        if piece.owner is not turn.side.other_side or self._may_be_turned(cell) or lift.since == -inf:
            return 0.0
        cost = ODDS.slight if instant - lift.since <= ODDS.carried_seconds else ODDS.unusual
        last_turn = self.last_turn
        has_just_acted = last_turn is not None and last_turn.turn.action.target == cell
        if has_just_acted and last_turn and lift.since - last_turn.landed_at < 2 * ODDS.slow_seconds:
            cost += ODDS.unusual
        return cost

    def _cost_of_correction(self, last_turn: DetectedTurn, change: Change) -> float:
        """Return the cost of assuming that the last action was unintended or unfinished."""
        stood_seconds = change.instant - last_turn.landed_at
        is_denied = bool(self.pending_turns) and self.actions == change.announced
        cost = ODDS.slight if is_denied or stood_seconds < ODDS.passing_seconds else ODDS.unusual
        if self.pending_turns:
            cost -= last_turn.cost
        elif stood_seconds >= ODDS.slow_seconds or last_turn.turn.action.target in last_turn.scored_cells:
            cost = ODDS.accident  # a scored piece is supposed to be removed
        return cost + sum(ODDS.accident - piece.cost for piece in self.unexplained.values() if piece.is_echo)
