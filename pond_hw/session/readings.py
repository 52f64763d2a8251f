"""The readings of what was detected: what hands may have done since board and game agreed, and how likely that is.

A difference between board and game shows where pieces stand now. It does not show in which order they came and went,
and at the pace of a real table the board is rarely at rest. So a small set of readings is kept. Each explains every
change of every sensor since the last agreement: as an action of the side to move, as a piece that is turned over, as a
scored piece that is removed, as an accident. Each new change extends every reading in every possible way. What is
unlikely costs something (`reading_costs`), and the readings that cost most are dropped (`verdict`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf
from typing import NamedTuple, TypeVar

from pond_hw.rules import Action, Cell, Position, Side, Turn, get_grid, legal_actions, play
from pond_hw.session import reading_costs as costs
from pond_hw.session.reading_costs import (
    DROPOUT_SECONDS,
    PASSING_SECONDS,
    SLOW_SECONDS,
    TOGETHER_SECONDS,
    UP_FOR_NOTHING,
)

Value = TypeVar("Value")


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


class Stray(NamedTuple):
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
    """

    since: float
    has_just_acted: bool = False
    turn_count: int = 0


class Removal(NamedTuple):
    """A scored piece that is not on its cell any more.

    Attributes:
        instant: since when, in seconds.
        in_hand_cost: what it cost that the piece was in a hand when it scored; None if it was not.
    """

    instant: float
    in_hand_cost: float | None = None


class Setting(NamedTuple):
    """What is the same for all readings.

    Attributes:
        human_sides: who acts by hand.
        masked_cells: the cells whose sensors are ignored.
        doubtful_cells: the cells whose sensors were bad a while ago.
    """

    human_sides: tuple[Side, ...]
    masked_cells: frozenset[Cell]
    doubtful_cells: frozenset[Cell]


class Change(NamedTuple):
    """One change of one sensor.

    Attributes:
        cell: its cell.
        is_occupied: whether it detects a piece now.
        instant: since when, in seconds.
        owners: whose piece it can be.
    """

    cell: Cell
    is_occupied: bool
    instant: float
    owners: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """One explanation of all that was detected since board and game agreed.

    Attributes:
        position: the position after `acts`.
        has_faces: whether people are asked to turn pieces over; on other boards they seldom do.
        turned_count: how many pieces people have turned over so far.
        acts: what was done since then and does not count yet.
        counted: the last one that counts already.
        corrected: the last one that counts, if it is taken back because the piece that acted was moved on.
        cost: how unlikely all of it is.
        lifted: the pieces of the game that are not on their cells.
        strays: the pieces that stand where the game has none.
        to_flip: since when there are pieces that somebody may turn over, by cell.
        scored_cells: where scored pieces still stand.
        just_scored: where pieces scored in the last turn, whether it counts already or not.
        scored_set: where pieces scored in the last turn that scored.
        removed: the scored pieces that are not on their cells any more.
        put_back: where a scored piece was put back.
    """

    position: Position
    has_faces: bool = True
    turned_count: int = 0
    acts: tuple[Act, ...] = ()
    counted: Act | None = None
    corrected: Act | None = None
    cost: float = 0.0
    lifted: Mapping[Cell, Lift] = field(default_factory=dict)
    strays: Mapping[Cell, Stray] = field(default_factory=dict)
    to_flip: Mapping[Cell, float] = field(default_factory=dict)
    scored_cells: frozenset[Cell] = frozenset()
    just_scored: frozenset[Cell] = frozenset()
    scored_set: frozenset[Cell] = frozenset()
    removed: Mapping[Cell, Removal] = field(default_factory=dict)
    put_back: frozenset[Cell] = frozenset()

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions that do not count yet."""
        return tuple(act.turn.action for act in self.acts)

    @property
    def corrected_count(self) -> int:
        """How many turns that count are taken back in it: none or one."""
        return int(self.corrected is not None)

    @property
    def identity(self) -> tuple[object, ...]:
        """What tells two readings apart for all that may come."""
        strays = frozenset((cell, stray.origin) for cell, stray in self.strays.items())
        standing = frozenset(self.lifted), self.scored_cells, self.put_back, strays
        return self.corrected_count, self.actions, standing

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing has happened: all stands as it did when board and game agreed."""
        return not (self.acts or self.lifted or self.strays or self.put_back or self.corrected)

    @property
    def last_act(self) -> Act | None:
        """What was done last, whether it counts already or not."""
        return self.acts[-1] if self.acts else self.counted

    @property
    def acted_at(self) -> float:
        """When somebody acted last, in seconds."""
        return self.last_act.instant if self.last_act else -inf

    @property
    def are_turned(self) -> bool:
        """Whether these people turn pieces over: they are asked to, and do it with many that develop."""
        return self.has_faces and len(self.to_flip) <= costs.TURNED_LATE + costs.TURNED_LATE * self.turned_count

    @property
    def has_accident(self) -> bool:
        """Whether more has happened in it than people do who play."""
        return self.cost - sum(min(act.cost, costs.COMMON) for act in self.acts) > costs.ACCIDENT_COST

    @property
    def is_hand_busy(self) -> bool:
        """Whether a hand held another piece while somebody acted: it may be the one that was put down there."""
        return any(lift.since <= self.acted_at - costs.SLIDE_SECONDS for lift in self.lifted.values())

    def does(self, corrected_count: int, actions: tuple[Action, ...]) -> bool:
        """Whether these actions come first in it, after so many corrections."""
        return self.corrected_count == corrected_count and self.actions[: len(actions)] == actions

    def total_cost(self, now: float) -> float:
        """The cost with the pieces that are in hands at this instant."""
        if not self.lifted:
            return self.cost
        up_count = sum(
            now - lift.since >= DROPOUT_SECONDS and not self._may_be_turned(cell) for cell, lift in self.lifted.items()
        )
        in_hands = sum(self._cost_in_hand(cell, now) for cell in self.lifted)
        return self.cost + in_hands + costs.UP_TOGETHER * max(up_count - 1, 0)

    def is_believed(self, now: float) -> bool:
        """Whether there is no accident in it, and no hand has just taken hold of a piece that acted."""
        if self.strays or self.has_accident or any(action.target in self.lifted for action in self.actions):
            return False
        return all(self._cost_in_hand(cell, now) < UP_FOR_NOTHING for cell in self.lifted)

    # Pieces in hands

    def _cost_in_hand(self, cell: Cell, now: float) -> float:
        lift = self.lifted[cell]
        if now - lift.since < DROPOUT_SECONDS or not self._is_in_hand(cell):
            return 0.0
        is_taken_back = bool(self.put_back) and self.put_back <= self.just_scored
        if is_taken_back and self.last_act and self.last_act.turn.action.target == cell:
            return costs.UP_TO_ACT
        if lift.has_just_acted:
            return costs.TURNED_AT_ONCE if cell in self.to_flip else UP_FOR_NOTHING
        if self._may_be_turned(cell):
            longer = min(costs.UP_FOR_LONGER * (now - lift.since), costs.UP_FOR_LONG)
            turns = costs.UP_FOR_TURNS * max(0, lift.turn_count - 1)
            return min(costs.UP_TO_TURN + longer + turns + costs.UNASKED * (not self.are_turned), UP_FOR_NOTHING)
        return costs.UP_TO_ACT if self._may_act(cell) else UP_FOR_NOTHING

    def _may_act(self, cell: Cell) -> bool:
        """Whether the piece of this cell is one with which the side to move may act."""
        return any(action.source == cell for action in legal_actions(self.position))

    def _may_be_turned(self, cell: Cell) -> bool:
        """Whether a piece was lifted to be turned over: somebody has seen before that it developed."""
        return self.lifted[cell].since >= self.to_flip.get(cell, inf) + costs.SEEN_SECONDS

    def _is_idle_in_hand(self, cell: Cell) -> bool:
        """Whether a piece was lifted by somebody who acted with another one meanwhile."""
        lift, owner = self.lifted[cell], self.position.pieces[cell].owner
        is_own = owner is self.position.to_move or lift.since <= self.acted_at + TOGETHER_SECONDS
        return is_own and lift.since > -inf and not self._may_be_turned(cell)

    # What a change can mean

    def follow(self, change: Change, setting: Setting) -> Iterator[Reading]:
        """Every reading that comes of this one with one more change."""
        if change.is_occupied:
            yield from self._follow_landing(change, setting)
        else:
            yield from self._follow_leaving(change, setting)

    def _follow_landing(self, change: Change, setting: Setting) -> Iterator[Reading]:
        cell, position = change.cell, self.position
        if cell in self.scored_cells or cell in self.strays:
            yield self  # it was here all the time
            return
        if self._is_in_hand(cell) and position.pieces[cell].owner in change.owners:
            yield self._with_piece_back(cell, change.instant)
        if cell in self.removed:
            yield self._with_scored_piece_back(cell, change.instant)
        if position.to_move in change.owners and position.to_move in setting.human_sides:
            for action in legal_actions(position):
                if self._is_once_more(action):
                    continue  # the piece was put back, and nothing has been corrected
                if action.target == cell and self._may_come_from(action.source, setting):
                    with_act = self._with_act(action, change, setting)
                    yield with_act
                    yield from with_act._follow_overtaken(change, setting)
        yield self._with_stray(change, None)
        for origin in filter(self._is_in_hand, self.lifted):
            if origin != cell and not self._is_allowed(Action(origin, cell), setting):
                yield self._with_stray(change, origin)

    def _follow_overtaken(self, change: Change, setting: Setting) -> Iterator[Reading]:
        """The other side was a little faster: what landed shortly before the last action is the action after it."""
        position = self.position
        if position.to_move not in setting.human_sides:
            return
        for cell, stray in self.strays.items():
            gap = abs(self.acted_at - stray.since)
            cost = next((cost for seconds, cost in costs.OUT_OF_ORDER if gap < seconds), None)
            if cost is None:
                continue
            cost += self.cost - stray.cost - costs.PLAYED_ON * (not stray.is_echo)
            before = replace(self, cost=cost, strays=_without(self.strays, cell))
            landing = Change(cell, True, change.instant, change.owners)
            for action in legal_actions(position):
                if action.target == cell and action.source in {None, stray.origin} and position.to_move in stray.owners:
                    yield before._with_act(action, landing, setting, is_beside=False)

    def _follow_leaving(self, change: Change, setting: Setting) -> Iterator[Reading]:
        cell, instant, last_act = change.cell, change.instant, self.last_act
        if cell in self.strays:
            stray = self.strays[cell]
            has_passed = instant - stray.since < PASSING_SECONDS
            refund = max(stray.cost - costs.PASSED, 0.0) if has_passed else 0.0
            without_stray = replace(self, cost=self.cost - refund, strays=_without(self.strays, cell))
            yield without_stray
            yield from without_stray._follow_slide(stray.origin, change, setting)
        elif cell in self.scored_cells:
            yield self._without_scored_piece(cell, instant)
        elif cell in self.position.pieces and cell not in self.lifted:
            cost = self.cost + costs.COINCIDENCE * self._may_have_moved(cell, instant)
            cost += costs.COINCIDENCE * self._may_have_slid(cell, instant)
            lift = Lift(instant, self._has_just_acted(cell, instant))
            with_piece_up = replace(self, cost=cost, lifted={**self.lifted, cell: lift})
            yield with_piece_up
            slid = replace(with_piece_up, cost=self.cost)
            yield from slid._follow_slide(cell, change, setting)
        else:
            yield self  # nothing stood here: a sensor that comes to its senses
        if last_act and last_act.turn.action.target == cell and cell not in self.lifted:
            corrected = self._without_act(last_act, instant)
            yield corrected
            yield from corrected._follow_slide(last_act.turn.action.source, change, setting)

    def _follow_slide(self, origin: Cell | None, change: Change, setting: Setting) -> Iterator[Reading]:
        """The piece was slid: a cell beside it detected it before its own cell lost it."""
        for cell, stray in self.strays.items():
            is_recent = 0 <= change.instant - stray.since <= costs.SLIDE_SECONDS
            is_beside = self._are_neighbours(cell, change.cell) or change.instant - stray.since < TOGETHER_SECONDS
            if stray.origin or not (is_recent and is_beside):
                continue
            before = replace(self, cost=self.cost - stray.cost, strays=_without(self.strays, cell))
            landing = Change(cell, True, stray.since, change.owners)
            action = Action(origin, cell)
            if self._is_allowed(action, setting):
                with_act = before._with_act(action, landing, setting)
                yield with_act
                yield from with_act._follow_overtaken(change, setting)
            else:
                yield before._with_stray(landing, origin)

    def _has_just_acted(self, cell: Cell, instant: float) -> bool:
        last_act = self.last_act
        if not last_act or last_act.turn.action.target != cell:
            return False
        return instant - last_act.landed_at < PASSING_SECONDS

    def _may_have_moved(self, cell: Cell, instant: float) -> bool:
        """Whether a recent action was an egg, but may have been the move of the piece that was here a moment ago."""
        acts = self.acts or ((self.counted,) if self.counted else ())
        return any(
            act.turn.action.source is None and Action(cell, act.turn.action.target) in legal_actions(act.turn.before)
            for act in acts[-2:]
            if instant - act.instant <= PASSING_SECONDS
        )

    def _may_have_slid(self, cell: Cell, instant: float) -> bool:
        """Whether a piece that is where it should not be may be the one that was here a moment ago."""
        return any(
            instant - stray.since <= costs.SLIDE_SECONDS and Action(cell, target) in legal_actions(self.position)
            for target, stray in self.strays.items()
        )

    def _are_neighbours(self, cell: Cell, other_cell: Cell) -> bool:
        return other_cell in surrounding_cells(self.position.variant.size, cell)

    def _is_allowed(self, action: Action, setting: Setting) -> bool:
        return action in legal_actions(self.position) and self.position.to_move in setting.human_sides

    def _may_come_from(self, source: Cell | None, setting: Setting) -> bool:
        return source is None or self._is_in_hand(source) or source in setting.masked_cells

    def _is_once_more(self, action: Action) -> bool:
        return self.corrected is not None and not self.acts and self.corrected.turn.action == action

    def _is_in_hand(self, cell: Cell) -> bool:
        """Whether the piece of this cell was lifted, and has not been put down elsewhere."""
        return cell in self.lifted and all(stray.origin != cell for stray in self.strays.values())

    # Pieces that come back, and pieces that are where they should not be

    def _with_piece_back(self, cell: Cell, instant: float) -> Reading:
        acts, counted, to_flip, turned_count = self.acts, self.counted, self.to_flip, self.turned_count
        if instant - self.lifted[cell].since < DROPOUT_SECONDS:
            cost = 0.0
        elif self._may_be_turned(cell) or (self.lifted[cell].has_just_acted and cell in to_flip):
            cost = costs.TURNED_OVER if self.are_turned else costs.TURNED_UNASKED
            to_flip, turned_count = _without(to_flip, cell), turned_count + 1
        else:
            cost = costs.CHANGED_MIND if self._may_act(cell) else costs.LIFTED_FOR_NOTHING
            if self.lifted[cell].has_just_acted:
                cost = costs.PASSED
        acts = tuple(act._replace(landed_at=instant) if act.turn.action.target == cell else act for act in acts)
        if counted and counted.turn.action.target == cell and instant - counted.landed_at < SLOW_SECONDS:
            counted = counted._replace(landed_at=instant)
        return replace(
            self,
            turned_count=turned_count,
            acts=acts,
            counted=counted,
            cost=self.cost + cost,
            lifted=_without(self.lifted, cell),
            to_flip=to_flip,
        )

    def _with_scored_piece_back(self, cell: Cell, instant: float) -> Reading:
        removal, put_back, scored_cells = self.removed[cell], self.put_back, self.scored_cells | {cell}
        away_seconds = instant - removal.instant
        is_dropout = away_seconds < DROPOUT_SECONDS
        if removal.in_hand_cost is not None:
            too_long = min(max(away_seconds - costs.TURNED_SECONDS, 0.0), costs.KEPT)
            cost = -removal.in_hand_cost if is_dropout else costs.TURNED_OVER + too_long
            removed = _without(self.removed, cell)
            return replace(self, cost=self.cost + cost, scored_cells=scored_cells, removed=removed)
        cost = next(cost for seconds, cost in costs.PUT_BACK_SCORED if away_seconds <= seconds)
        # It was lifted to be turned over, and nobody has seen yet that it scored.
        is_unseen = cell in self.to_flip and any(cell in act.scored_cells for act in self.acts)
        if is_unseen:
            cost = min(cost, costs.TURNED_AT_ONCE + costs.UNASKED * (not self.are_turned))
        elif cell not in self.just_scored and not is_dropout:  # nobody takes back what was done before the last turn
            cost = costs.STRAY
        elif put_back and put_back | {cell} <= self.just_scored:
            cost = costs.PUT_BACK_NEXT
        put_back = put_back if is_dropout or is_unseen else put_back | {cell}
        return replace(self, cost=self.cost + cost, scored_cells=scored_cells, put_back=put_back)

    def _without_scored_piece(self, cell: Cell, instant: float) -> Reading:
        cost = 0.0
        if cell in self.just_scored and self.just_scored <= self.scored_cells and not self.put_back:
            stood_seconds, removed_at_once = instant - self.acted_at, costs.REMOVED_AT_ONCE
            cost = next((cost for seconds, cost in removed_at_once if stood_seconds < seconds), 0.0)
            cost = min(cost, costs.FLIPPED_AT_ONCE) if cell in self.to_flip else cost
        return replace(
            self,
            cost=self.cost + cost,
            scored_cells=self.scored_cells - {cell},
            removed={**self.removed, cell: Removal(instant)},
            put_back=self.put_back - {cell},
        )

    def _with_stray(self, change: Change, origin: Cell | None) -> Reading:
        cell, instant, is_echo = change.cell, change.instant, False
        if origin is not None:
            piece = self.position.pieces.get(origin)
            is_movers = piece is not None and piece.owner is self.position.to_move
            up_seconds = instant - self.lifted[origin].since if origin in self.lifted else inf
            reach = costs.SLIDE_SECONDS if self._are_neighbours(origin, cell) else TOGETHER_SECONDS
            cost = costs.KNOCKED if up_seconds < reach else costs.MISPLACED + costs.NOT_ONES_TURN * (not is_movers)
        elif self.acts and (
            echo_cost := self._cost_of_echo(cell, self.acts[-1].turn.action.target, instant - self.acts[-1].instant)
        ):
            cost, is_echo = echo_cost, True
        else:
            removals = self.removed.values()
            is_carried = any(0 <= instant - removal.instant <= costs.CARRIED_SECONDS for removal in removals)
            cost = costs.CARRIED if is_carried else costs.STRAY
        strays = {**self.strays, cell: Stray(instant, origin, cost, change.owners, is_echo)}
        return replace(self, cost=self.cost + cost, strays=strays)

    def _cost_of_echo(self, cell: Cell, target: Cell, gap: float) -> float | None:
        """How unlikely it is that a piece off the middle of `target` is detected on a cell, too; None if it is not."""
        if not self._are_neighbours(cell, target):
            return None
        return next((cost for seconds, cost in costs.ECHO if gap < seconds), None)

    # Actions

    def _with_act(self, action: Action, change: Change, setting: Setting, *, is_beside: bool = True) -> Reading:
        """With an action that ended with a change; not `is_beside`: what lies beside its target tells nothing."""
        source, target = action
        turn, instant = play(self.position, action), change.instant
        echoes = {
            cell: stray._replace(cost=echo_cost, is_echo=True)
            for cell, stray in self.strays.items()
            if is_beside
            and not stray.origin
            and (echo_cost := self._cost_of_echo(cell, target, instant - stray.since)) is not None
        }
        scored_now = {cell for run in turn.sets for cell in run}
        lifted = self.lifted if source is None else _without(self.lifted, source)
        held = {cell: self._cost_of_scoring_in_hand(cell) for cell in scored_now if cell in lifted}
        cost = self._cost_of_act(action, turn, change, setting) + sum(held.values())
        cost += sum(echo.cost - self.strays[cell].cost for cell, echo in echoes.items())
        cost += costs.PLAYED_ON * (len(self.strays) > len(echoes))
        developed_cells = {developed.cell for developed in turn.developed_pieces}
        flippable_cells = (self.to_flip.keys() - {source, target}) | developed_cells
        flippable_cells |= {target} if source in self.to_flip else set()
        return replace(
            self,
            position=turn.after,
            acts=(*self.acts, Act(turn, instant, cost, instant, frozenset(scored_now), self.to_flip)),
            cost=self.cost + cost,
            lifted={
                cell: lift._replace(turn_count=lift.turn_count + 1)
                for cell, lift in lifted.items()
                if cell not in scored_now
            },
            strays={**self.strays, **echoes},
            to_flip={
                cell: self.to_flip.get(cell, instant) for cell in flippable_cells - (scored_now - self.to_flip.keys())
            },
            scored_cells=self.scored_cells | (scored_now - held.keys()),
            just_scored=frozenset(scored_now),
            scored_set=frozenset(scored_now) or self.scored_set,
            removed={
                **_without(self.removed, target),
                **{cell: Removal(lifted[cell].since, in_hand_cost) for cell, in_hand_cost in held.items()},
            },
        )

    def _cost_of_act(self, action: Action, turn: Turn, change: Change, setting: Setting) -> float:
        (source, target), instant = action, change.instant
        other_lifted_cells = self.lifted.keys() - {source}
        cost = self._cost_of_haste(change, is_new=source is None)
        if source is None:
            cost += costs.PLACED + max(
                (self._cost_of_coincidence(cell, target, instant) for cell in other_lifted_cells), default=0.0
            )
            cost += costs.COINCIDENCE * (bool(self.acts) and self.acts[-1].turn.action.source == target)
            if target in self.scored_set:
                cost += costs.NEXT_ON_SCORED * any(act.turn.action.target in self.scored_set for act in self.acts)
        else:
            cost += costs.MOVED + costs.UNSEEN_SOURCE * (source not in self.lifted)
        if target in self.removed:
            cost += costs.TOO_SOON * (instant - self.removed[target].instant < DROPOUT_SECONDS)
        cost += costs.TWO_PIECES * sum(map(self._is_idle_in_hand, other_lifted_cells))
        cost += sum(self._cost_of_early_lift(cell, turn, instant) for cell in other_lifted_cells)
        cost += costs.DOUBTFUL_SENSOR * (target in setting.doubtful_cells)
        return cost + costs.PLAYED_AFTER_PUT_BACK * bool(self.put_back)

    def _cost_of_coincidence(self, lifted_cell: Cell, target: Cell, instant: float) -> float:
        """How unlikely it is that an egg was placed just where a lifted piece could go, maybe as soon as it could be."""
        could_go = Action(lifted_cell, target) in legal_actions(self.position)
        if last_act := self.last_act:
            has_acted = lifted_cell == last_act.turn.action.target
            origin = last_act.turn.action.source if has_acted else lifted_cell
            could_go |= Action(origin, target) in legal_actions(last_act.turn.before)
        if not could_go:
            return 0.0
        is_soon = instant - self.lifted[lifted_cell].since < costs.SOON_SECONDS
        return costs.COINCIDENCE + costs.COINCIDENCE_AT_ONCE * is_soon

    def _cost_of_haste(self, change: Change, *, is_new: bool) -> float:
        """How unlikely it is that somebody acts so soon after the action before, and both after the one before that.

        A new piece beside the last one may be the same, off the middle of its cell, or on its way.
        """
        instants = [*(act.instant for act in self.acts[-2:]), change.instant]
        if len(instants) == 3 and instants[2] - instants[0] < costs.THREE_TURNS_SECONDS:
            return costs.STRAY
        pause = change.instant - self.acted_at
        last_act = self.last_act
        is_beside = (
            last_act
            and is_new
            and change.cell != last_act.turn.action.source
            and self._are_neighbours(last_act.turn.action.target, change.cell)
        )
        if is_beside and pause < TOGETHER_SECONDS:
            return costs.BESIDE_AT_ONCE
        haste = next((haste for haste in costs.HASTE if pause < haste[0]), (0.0, 0.0, 0.0))
        return haste[2] if is_beside else haste[1]

    def _cost_of_early_lift(self, cell: Cell, turn: Turn, instant: float) -> float:
        """How unlikely it is that a piece was lifted to act with it, before the other side had acted."""
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
        """How unlikely it is that a piece scores that is in a hand."""
        if not self._may_be_turned(cell):
            return UP_FOR_NOTHING
        return costs.SCORED_IN_HAND + costs.UNASKED * (not self.are_turned)

    def _without_act(self, act: Act, instant: float) -> Reading:
        """The piece that acted last is lifted again: the action was not meant, or is not finished."""
        turn, stood_seconds = act.turn, instant - act.landed_at
        cost = next(cost for seconds, cost in costs.CORRECTED if stood_seconds < seconds)
        cost += sum(costs.STRAY - stray.cost for stray in self.strays.values() if stray.is_echo)
        if self.acts:
            cost -= act.cost
        (source, target), pieces = turn.action, turn.before.pieces
        scored_now = {cell for run in turn.sets for cell in run} & pieces.keys()
        missing = {cell: Lift(self.removed[cell].instant) for cell in scored_now - {source} if cell in self.removed}
        return replace(
            self,
            position=turn.before,
            acts=self.acts[:-1],
            counted=self.counted if self.acts else None,
            corrected=self.corrected if self.acts else act,
            cost=self.cost + cost,
            lifted={
                **{cell: lift for cell, lift in self.lifted.items() if cell in pieces},
                **missing,
                **({source: Lift(instant)} if source else {}),
            },
            strays={
                cell: stray._replace(cost=costs.STRAY, is_echo=False) if stray.is_echo else stray
                for cell, stray in self.strays.items()
            },
            to_flip={cell: since for cell, since in act.to_flip.items() if cell in self.to_flip or cell == source},
            scored_cells=self.scored_cells - scored_now - {target},
            removed={cell: removal for cell, removal in self.removed.items() if cell not in scored_now},
        )


@cache
def surrounding_cells(size: int, cell: Cell) -> frozenset[Cell]:
    """The up to eight cells around a cell."""
    grid = get_grid(size)
    x, y = grid.cell_coordinates(cell)
    coordinates = {other: grid.cell_coordinates(other) for other in grid.cells if other != cell}
    return frozenset(other for other, (u, v) in coordinates.items() if abs(u - x) <= 1 and abs(v - y) <= 1)


def _without(mapping: Mapping[Cell, Value], cell: Cell) -> dict[Cell, Value]:
    return {other: value for other, value in mapping.items() if other != cell}
