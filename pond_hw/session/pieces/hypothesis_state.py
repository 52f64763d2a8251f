"""State of a hypothesis: the pieces on the board and the lifted pieces. See `hypotheses`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import inf
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from pond_hw.rules import Action, Cell, Position, Side, Turn, legal_actions
from pond_hw.session.pieces.odds import ODDS
from pond_hw.session.pieces.sensors import surrounding_cells

Value = TypeVar("Value")
NOTHING: Mapping[Cell, Any] = MappingProxyType({})


class DetectedTurn(NamedTuple):
    """A turn in a hypothesis.

    Attributes:
        instant: Time of the turn's action, in seconds.
        cost: Cost of the action when it was added.
        landed_at: Time in seconds at which the piece was last put down. It may have bounced.
        scored_cells: Cells of the pieces that scored.
        to_flip: Value of `HypothesisState.to_flip` before the turn.
    """

    turn: Turn
    instant: float
    cost: float
    landed_at: float
    scored_cells: frozenset[Cell]
    to_flip: Mapping[Cell, float]


class UnexplainedPiece(NamedTuple):
    """A piece on a cell that is empty in the game.

    Attributes:
        since: Time of its detection, in seconds.
        origin: Cell that it came from, if known.
        owners: Sides that it may belong to.
        is_echo: True if it may really be the neighbouring piece, placed off-centre in its cell.
    """

    since: float
    origin: Cell | None
    cost: float
    owners: tuple[Side, ...]
    is_echo: bool = False


class Lift(NamedTuple):
    """A piece that was lifted from its cell.

    Attributes:
        since: Time of the lift, in seconds.
        has_just_acted: True if the piece had completed an action just before.
        turn_count: Number of turns taken since the lift.
        cost: Cost of taking those turns while the piece was lifted.
    """

    since: float
    has_just_acted: bool = False
    turn_count: int = 0
    cost: float = 0.0


class Removal(NamedTuple):
    """A scored piece that left its cell.

    Attributes:
        instant: Time of the removal, in seconds.
        was_turned: True if it was lifted to be turned over, before anyone could see that it had scored.
        has_slipped: True if it had acted so recently that a player may still have been holding it.
    """

    instant: float
    owner: Side
    cost: float = 0.0
    was_turned: bool = False
    has_slipped: bool = False


class BoardConditions(NamedTuple):
    """Conditions that apply to all hypotheses."""

    human_sides: tuple[Side, ...]
    masked_cells: frozenset[Cell]


class Change(NamedTuple):
    """A single sensor change.

    Attributes:
        is_occupied: True if the sensor now detects a piece.
        instant: Time of the change, in seconds.
        owners: Sides that the piece may belong to.
        announced: Actions announced early enough for the change to be a response.
    """

    cell: Cell
    is_occupied: bool
    instant: float
    owners: tuple[Side, ...]
    announced: tuple[Action, ...] = ()


class HypothesisState(NamedTuple):
    """One explanation of all changes since the board last matched the game.

    Attributes:
        position: Position after `pending_turns`.
        asks_to_flip: True if players are asked to turn pieces over. Otherwise they rarely do.
        pending_turns: Turns that are not part of the game yet.
        counted: Last turn that is already part of the game.
        corrected: Last turn of the game, if it must be undone because its piece was moved on.
        cost: Total cost, excluding the cost of lifted pieces.
        lifted: Pieces that have been lifted from their cells.
        unexplained: Pieces on cells that are empty in the game.
        to_flip: Time in seconds from which each piece may be turned over.
        scored_cells: Owners of scored pieces that are still on the board.
        just_scored: Cells of the pieces that scored in the last turn, even if the turn is already part of the game.
        removed: Scored pieces that have left their cells.
        put_back: Cells where a scored piece was put back.
    """

    position: Position
    asks_to_flip: bool = True
    pending_turns: tuple[DetectedTurn, ...] = ()
    counted: DetectedTurn | None = None
    corrected: DetectedTurn | None = None
    cost: float = 0.0
    lifted: Mapping[Cell, Lift] = NOTHING
    unexplained: Mapping[Cell, UnexplainedPiece] = NOTHING
    to_flip: Mapping[Cell, float] = NOTHING
    scored_cells: Mapping[Cell, Side] = NOTHING
    just_scored: frozenset[Cell] = frozenset()
    removed: Mapping[Cell, Removal] = NOTHING
    put_back: frozenset[Cell] = frozenset()

    @property
    def actions(self) -> tuple[Action, ...]:
        """Actions that are not part of the game yet."""
        return tuple(pending.turn.action for pending in self.pending_turns)

    @property
    def corrected_count(self) -> int:
        """Number of turns in the game that must be undone: 0 or 1."""
        return int(self.corrected is not None)

    @property
    def identity(self) -> tuple[object, ...]:
        """Key shared by all hypotheses that would explain future changes in the same way."""
        unexplained = frozenset((cell, piece.origin) for cell, piece in self.unexplained.items())
        standing = (
            frozenset(self.lifted),
            frozenset(self.scored_cells),
            frozenset(self.removed),
            self.put_back,
            unexplained,
        )
        return self.corrected_count, self.actions, standing

    @property
    def is_at_rest(self) -> bool:
        """True if the board is in the same state as when it last matched the game."""
        return not (self.pending_turns or self.lifted or self.unexplained or self.put_back or self.corrected)

    @property
    def last_turn(self) -> DetectedTurn | None:
        return self.pending_turns[-1] if self.pending_turns else self.counted

    @property
    def acted_at(self) -> float:
        """Time of the last action, in seconds."""
        return self.last_turn.instant if self.last_turn else -inf

    @property
    def shortest_pause(self) -> float:
        """Shortest time in seconds between two consecutive pending turns; 0 if there are fewer than two."""
        return min((after.instant - before.instant for before, after in pairwise(self.pending_turns)), default=0.0)

    @property
    def _cost_of_turning(self) -> float:
        """Cost of turning a piece over, which is high if players are not asked to do so."""
        return 0.0 if self.asks_to_flip else ODDS.unusual

    @property
    def has_removed(self) -> bool:
        """True if a piece that scored in a pending action was removed. Pieces that acted are disregarded."""
        return any(
            self.removed[cell].instant - pending.instant >= ODDS.seen_seconds
            for pending in self.pending_turns
            for cell in (pending.scored_cells - {pending.turn.action.target}) & self.removed.keys()
        )

    @property
    def standing_scored_cells(self) -> frozenset[Cell]:
        """Cells of pieces that scored in earlier turns of the game and are still on the board."""
        counted_cells = self.scored_cells.keys() | (self.corrected.scored_cells if self.corrected else frozenset())
        return frozenset(counted_cells).difference(
            self.put_back, *(pending.scored_cells for pending in self.pending_turns)
        )

    @property
    def has_accident(self) -> bool:
        """True if the cost is too high for normal play."""
        uncommon_cost = self.cost - sum(
            min(max(pending.cost, 0.0), ODDS.common_limit) for pending in self.pending_turns
        )
        return uncommon_cost > ODDS.accident_limit

    @property
    def is_hand_busy(self) -> bool:
        """True if a player was holding another piece during the last action, so that piece may be the one put down."""
        return any(lift.since <= self.acted_at - ODDS.slide_seconds for lift in self.lifted.values())

    @property
    def is_turning_only(self) -> bool:
        return self.asks_to_flip and bool(self.lifted) and all(map(self._may_be_turned, self.lifted))

    @property
    def is_next_piece_lifted(self) -> bool:
        """True if a piece was lifted after the last action."""
        return any(lift.since > self.acted_at for lift in self.lifted.values())

    def begins_with(self, corrected_count: int, actions: tuple[Action, ...]) -> bool:
        """Return True if the hypothesis corrects this number of turns and begins with these actions."""
        return self.corrected_count == corrected_count and self.actions[: len(actions)] == actions

    def total_cost(self, now: float) -> float:
        return self.cost + sum(self._cost_in_hand(cell, now) for cell in self.lifted)

    def is_believed(self, now: float) -> bool:
        """Return True if the hypothesis is plausible.

        It must involve no accident or unexplained piece, and no piece that was lifted again after acting.
        """
        if (
            self.unexplained
            or self.has_accident
            or any(self._is_lifted_again(action.target) for action in self.actions)
        ):
            return False
        return all(self._cost_in_hand(cell, now) < ODDS.rare for cell in self.lifted)

    # Lifted pieces

    def _is_lifted_again(self, cell: Cell) -> bool:
        """Return True if the piece that acted is lifted and no other action has followed."""
        return cell in self.lifted and not self.lifted[cell].turn_count

    def _cost_in_hand(self, cell: Cell, now: float) -> float:
        lift = self.lifted[cell]
        if now - lift.since < ODDS.dropout_seconds or not self._is_in_hand(cell):
            return 0.0
        if lift.has_just_acted:
            return ODDS.slight if cell in self.to_flip else ODDS.rare
        if self._may_be_turned(cell):
            return min(ODDS.slight * lift.turn_count + self._cost_of_turning, ODDS.rare)
        return 0.0 if self._may_act(cell) else ODDS.rare

    def _may_act(self, cell: Cell) -> bool:
        return any(action.source == cell for action in legal_actions(self.position))

    def _may_be_turned(self, cell: Cell) -> bool:
        """Return True if a piece may have been lifted to be turned over, after its development was visible."""
        return self.lifted[cell].since >= self.to_flip.get(cell, inf) + ODDS.seen_seconds

    def _is_idle_in_hand(self, cell: Cell) -> bool:
        """Return True if the side to move is holding this piece without acting with it."""
        lift, owner = self.lifted[cell], self.position.pieces[cell].owner
        return owner is self.position.to_move and lift.since > -inf and not self._may_be_turned(cell)

    def _has_just_acted(self, cell: Cell, instant: float, seconds: float) -> bool:
        last_turn = self.last_turn
        if not last_turn or last_turn.turn.action.target != cell:
            return False
        return instant - last_turn.landed_at <= seconds

    def _are_neighbours(self, cell: Cell, other_cell: Cell) -> bool:
        return other_cell in surrounding_cells(self.position.variant.size, cell)

    def _is_in_hand(self, cell: Cell) -> bool:
        """Return True if this cell's piece was lifted and has not been put down elsewhere."""
        if cell not in self.lifted:
            return False
        return not self.unexplained or all(piece.origin != cell for piece in self.unexplained.values())


def without_cell(mapping: Mapping[Cell, Value], cell: Cell) -> dict[Cell, Value]:
    return {other: value for other, value in mapping.items() if other != cell}
