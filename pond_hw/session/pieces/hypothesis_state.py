"""State of a hypothesis: what stands where, and what is in hands; see `hypotheses`."""

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


class Act(NamedTuple):
    """An action that was done.

    Attributes:
        turn: its turn.
        instant: when it was done, in seconds.
        cost: how unlikely it was then.
        landed_at: when its piece was put down last, in seconds: it may have bounced.
        scored_cells: where pieces scored by it.
        to_flip: since when there were pieces to turn over before it, by cell.
    """

    turn: Turn
    instant: float
    cost: float
    landed_at: float
    scored_cells: frozenset[Cell]
    to_flip: Mapping[Cell, float]


class UnexplainedPiece(NamedTuple):
    """A piece that stands where the game has none.

    Attributes:
        since: since when, in seconds.
        origin: the cell from which it came, if that is known.
        cost: how unlikely that is.
        owners: whose it can be.
        is_echo: whether it may be the piece beside it, off the middle of its cell.
    """

    since: float
    origin: Cell | None
    cost: float
    owners: tuple[Side, ...]
    is_echo: bool = False


class Lift(NamedTuple):
    """A piece of the game that is not on its cell.

    Attributes:
        since: since when, in seconds.
        has_just_acted: whether it had only just been put there to act.
        turn_count: how many turns were taken since.
        cost: how unlikely it was that these were taken while it was in a hand.
    """

    since: float
    has_just_acted: bool = False
    turn_count: int = 0
    cost: float = 0.0


class Removal(NamedTuple):
    """A scored piece that is not on its cell any more.

    Attributes:
        instant: since when, in seconds.
        owner: whose it is.
        cost: how unlikely it was that it was removed.
        was_turned: whether it was lifted to be turned over, before anybody could see that it scored.
        has_slipped: whether it had acted so shortly before that a hand may still have held it.
    """

    instant: float
    owner: Side
    cost: float = 0.0
    was_turned: bool = False
    has_slipped: bool = False


class BoardConditions(NamedTuple):
    """Conditions that are the same for all hypotheses.

    Attributes:
        human_sides: who acts by hand.
        masked_cells: the cells whose sensors are ignored.
    """

    human_sides: tuple[Side, ...]
    masked_cells: frozenset[Cell]


class Change(NamedTuple):
    """One change of one sensor.

    Attributes:
        cell: its cell.
        is_occupied: whether it detects a piece now.
        instant: since when, in seconds.
        owners: whose piece it can be.
        announced: what was announced before it, and long enough for a hand to answer.
    """

    cell: Cell
    is_occupied: bool
    instant: float
    owners: tuple[Side, ...]
    announced: tuple[Action, ...] = ()


class HypothesisState(NamedTuple):
    """One explanation of all that was detected since board and game agreed.

    Attributes:
        position: the position after `acts`.
        has_faces: whether people are asked to turn pieces over; on other boards they seldom do.
        acts: what was done since then and does not count yet.
        counted: the last one that counts already.
        corrected: the last one that counts, if it is taken back because the piece that acted was moved on.
        cost: how unlikely all of it is.
        lifted: the pieces of the game that are not on their cells.
        unexplained: the pieces that stand where the game has none.
        to_flip: since when there are pieces that somebody may turn over, by cell.
        scored_cells: whose scored pieces still stand, by cell.
        just_scored: where pieces scored in the last turn, whether it counts already or not.
        removed: the scored pieces that are not on their cells any more.
        put_back: where a scored piece was put back.
    """

    position: Position
    has_faces: bool = True
    acts: tuple[Act, ...] = ()
    counted: Act | None = None
    corrected: Act | None = None
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
        """The actions that do not count yet."""
        return tuple(act.turn.action for act in self.acts)

    @property
    def corrected_count(self) -> int:
        """Number of counted turns that are taken back in it: 0 or 1."""
        return int(self.corrected is not None)

    @property
    def identity(self) -> tuple[object, ...]:
        """Key that is the same for hypotheses with the same future."""
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
        """True if nothing has happened: all stands as it did when board and game agreed."""
        return not (self.acts or self.lifted or self.unexplained or self.put_back or self.corrected)

    @property
    def last_act(self) -> Act | None:
        """The last action, counted already or not."""
        return self.acts[-1] if self.acts else self.counted

    @property
    def acted_at(self) -> float:
        """Instant of the last action, in seconds."""
        return self.last_act.instant if self.last_act else -inf

    @property
    def shortest_pause(self) -> float:
        """The shortest time between two actions that do not count yet, in seconds; 0 with fewer."""
        return min((after.instant - before.instant for before, after in pairwise(self.acts)), default=0.0)

    @property
    def _cost_of_turning(self) -> float:
        """The cost of a piece that is turned over: high if nobody asks for that."""
        return 0.0 if self.has_faces else ODDS.unusual

    @property
    def has_removed(self) -> bool:
        """True if a piece was removed that scored in an action that does not count yet, and is not the one that acted."""
        return any(
            self.removed[cell].instant - act.instant >= ODDS.seen_seconds
            for act in self.acts
            for cell in (act.scored_cells - {act.turn.action.target}) & self.removed.keys()
        )

    @property
    def standing_scored_cells(self) -> frozenset[Cell]:
        """Cells of pieces that scored in counted turns, still stand, and were not put back."""
        counted_cells = self.scored_cells.keys() | (self.corrected.scored_cells if self.corrected else frozenset())
        return frozenset(counted_cells).difference(self.put_back, *(act.scored_cells for act in self.acts))

    @property
    def has_accident(self) -> bool:
        """True if more has happened in it than people do who play."""
        uncommon_cost = self.cost - sum(min(max(act.cost, 0.0), ODDS.common_limit) for act in self.acts)
        return uncommon_cost > ODDS.accident_limit

    @property
    def is_hand_busy(self) -> bool:
        """True if a hand held another piece while somebody acted: it may be the one that was put down there."""
        return any(lift.since <= self.acted_at - ODDS.slide_seconds for lift in self.lifted.values())

    @property
    def is_turning_only(self) -> bool:
        """True if pieces are in hands, and all of them to be turned over."""
        return self.has_faces and bool(self.lifted) and all(map(self._may_be_turned, self.lifted))

    @property
    def is_next_lifted(self) -> bool:
        """True if a piece was lifted after the last action."""
        return any(lift.since > self.acted_at for lift in self.lifted.values())

    def does(self, corrected_count: int, actions: tuple[Action, ...]) -> bool:
        """True if these actions come first in it, after so many corrections."""
        return self.corrected_count == corrected_count and self.actions[: len(actions)] == actions

    def total_cost(self, now: float) -> float:
        """The cost with the pieces that are in hands at this instant."""
        return self.cost + sum(self._cost_in_hand(cell, now) for cell in self.lifted)

    def is_believed(self, now: float) -> bool:
        """True if there is no accident in it, and no hand has just taken hold of a piece that acted."""
        if (
            self.unexplained
            or self.has_accident
            or any(self._is_taken_hold_of(action.target) for action in self.actions)
        ):
            return False
        return all(self._cost_in_hand(cell, now) < ODDS.rare for cell in self.lifted)

    # Pieces in hands

    def _is_taken_hold_of(self, cell: Cell) -> bool:
        """True if a hand has lifted the piece that acted, and nobody has acted since."""
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
        """True if the piece of this cell is one with which the side to move may act."""
        return any(action.source == cell for action in legal_actions(self.position))

    def _may_be_turned(self, cell: Cell) -> bool:
        """True if a piece was lifted to be turned over: somebody has seen before that it developed."""
        return self.lifted[cell].since >= self.to_flip.get(cell, inf) + ODDS.seen_seconds

    def _is_idle_in_hand(self, cell: Cell) -> bool:
        """True if a piece was lifted by somebody who acted with another one meanwhile."""
        lift, owner = self.lifted[cell], self.position.pieces[cell].owner
        return owner is self.position.to_move and lift.since > -inf and not self._may_be_turned(cell)

    def _has_just_acted(self, cell: Cell, instant: float, seconds: float) -> bool:
        last_act = self.last_act
        if not last_act or last_act.turn.action.target != cell:
            return False
        return instant - last_act.landed_at <= seconds

    def _are_neighbours(self, cell: Cell, other_cell: Cell) -> bool:
        return other_cell in surrounding_cells(self.position.variant.size, cell)

    def _is_in_hand(self, cell: Cell) -> bool:
        """True if the piece of this cell was lifted, and has not been put down elsewhere."""
        if cell not in self.lifted:
            return False
        return not self.unexplained or all(piece.origin != cell for piece in self.unexplained.values())


def without_cell(mapping: Mapping[Cell, Value], cell: Cell) -> dict[Cell, Value]:
    """The same, without what is said of one cell."""
    return {other: value for other, value in mapping.items() if other != cell}
