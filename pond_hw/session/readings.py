"""The readings of what was detected since board and game agreed last: what hands may have done, and how likely that is.

A difference between board and game shows where pieces stand now. It does not show in which order they came and went,
and at the pace of a real table the board is rarely at rest. So a small set of readings is kept. Each explains every
change of every sensor since the last agreement: as an action of the side to move, as a piece that is turned over, as a
scored piece that is removed, as an accident. Each new change extends every reading in every possible way. What is
unlikely costs something, and the readings that cost most are dropped.

The costs are about logarithms of odds: with 3 more, something is twenty times less likely. They were chosen by hand
and by the campaigns in tests/campaign.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf
from typing import NamedTuple, TypeVar

from pond_hw.rules import Action, Cell, Position, Side, Turn, get_grid, legal_actions, play

MOST_READINGS = 40  # so many are kept; of more, those that cost most are dropped
MOST_COST = 9.0  # so much more than the best may a reading cost
SURE = 3.0  # so much more must every other reading cost before an action counts

DROPOUT_SECONDS = 0.25  # a piece that is not detected for so short a time has not been moved
PASSING_SECONDS = 0.4  # a piece that stands for so short a time has only touched the cell on its way
SEEN_SECONDS = 0.3  # nobody lifts a piece to turn it over so soon after it developed
SLOW_SECONDS = 1.2  # nobody picks a piece up again to act with it otherwise after so long
TOGETHER_SECONDS = 0.1  # two cells beside each other that detect something so close together detect one piece
CARRIED_SECONDS = 1.0  # what is put down so soon after a scored piece was removed may be that piece

PLACED, MOVED = 0.7, 0.3  # an action: an egg, or a piece that had been lifted
UNSEEN_SOURCE = 2.0  # the piece came from a cell whose sensor is not trusted
DOUBTFUL_SENSOR = 2.5  # the sensor of the target was bad a while ago
HASTE = ((0.3, 1.5), (0.5, 0.7))  # so soon after the action before
THREE_TURNS_SECONDS = 0.7  # nobody takes three turns in so short a time
OUT_OF_ORDER = ((0.05, 1.0), (0.5, 3.5))  # an action was done so shortly before the one that it follows
PLAYED_ON = 2.0  # an action although a piece lies where it should not
PLAYED_AFTER_PUT_BACK = 3.0  # an action although somebody has begun to put back what scored
STRAY, MISPLACED, CARRIED, ECHO, PASSED = 5.0, 4.0, 3.5, 1.5, 0.8  # a piece that is on a cell by accident
PUT_BACK_NEXT = 0.5  # another one that scored in the same turn: the turn is taken back
PUT_BACK_SCORED = ((0.1, 0.0), (0.2, 1.0), (0.4, 2.5), (inf, 3.5))  # a scored piece was put back so soon
TAKEN_AT_ONCE, AT_ONCE_SECONDS = 3.0, 0.2  # a scored piece was removed before anybody could see that it scored
TURNED_OVER, CHANGED_MIND, LIFTED_FOR_NOTHING = 0.2, 0.8, 1.5  # a piece that was put back
NOT_ONES_TURN = 2.0  # it is a piece of the side that is not to move
TWO_PIECES = 2.5  # an action by somebody who has lifted another piece
COINCIDENCE = 1.2  # an egg was placed just where a piece that somebody has lifted could go
UP_TOGETHER = 1.0  # for each further piece that is in a hand at the same time
UP_FOR_LONGER = 0.5  # for each second that a piece is in a hand to be turned over
UP_TO_ACT, UP_TO_TURN, UP_FOR_NOTHING = 0.3, 0.3, 3.5  # a piece that is in a hand
CORRECTED = ((PASSING_SECONDS, 0.8), (SLOW_SECONDS, 2.0), (inf, 4.5))  # so soon after an action its piece was lifted


Value = TypeVar("Value")


class Stray(NamedTuple):
    """A piece that stands where the game has none.

    Attributes:
        since: since when, in seconds.
        origin: the cell from which it came, if that is known.
        cost: how unlikely that is.
        owners: whose it can be.
    """

    since: float
    origin: Cell | None
    cost: float
    owners: tuple[Side, ...]


class Lift(NamedTuple):
    """A piece of the game that is not on its cell: since when, and for how long it had stood there."""

    since: float
    stood_seconds: float


class Setting(NamedTuple):
    """What is the same for all readings: who acts by hand, which sensors are masked, and which were bad a while ago."""

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
        surrounding_cells: the up to eight cells around it.
        last_seconds: how long ago it changed before that.
    """

    cell: Cell
    is_occupied: bool
    instant: float
    owners: tuple[Side, ...]
    surrounding_cells: frozenset[Cell]
    last_seconds: float = inf


@dataclass(frozen=True, slots=True)
class Reading:
    """One explanation of all that was detected since board and game agreed.

    Attributes:
        position: the position after `turns`.
        turns: the turns that were taken since then and do not count yet.
        actions: their actions.
        cost: how unlikely all of it is.
        acted_times: when each of them was done, in seconds.
        acted_at: when the last action was done, in seconds; it may count already.
        lifted: since when pieces of the game are not on their cells.
        scored_cells: where scored pieces still stand.
        just_scored: where pieces scored in the last turn, whether it counts already or not.
        removed: when scored pieces were removed from their cells; infinity if they were in a hand when they scored.
        put_back: where a scored piece was put back.
        strays: the pieces that stand where the game has none.
        to_flip: since when there are pieces that somebody may turn over, by cell.
    """

    position: Position
    turns: tuple[Turn, ...] = ()
    actions: tuple[Action, ...] = ()
    acted_times: tuple[float, ...] = ()
    cost: float = 0.0
    acted_at: float = -inf
    lifted: Mapping[Cell, Lift] = field(default_factory=dict)
    scored_cells: frozenset[Cell] = frozenset()
    just_scored: frozenset[Cell] = frozenset()
    removed: Mapping[Cell, float] = field(default_factory=dict)
    put_back: frozenset[Cell] = frozenset()
    strays: Mapping[Cell, Stray] = field(default_factory=dict)
    to_flip: Mapping[Cell, float] = field(default_factory=dict)

    @property
    def _identity(self) -> tuple[object, ...]:
        """What tells two readings apart for all that may come."""
        return self.actions, frozenset(self.lifted), self.scored_cells, self.put_back, frozenset(self.strays)

    def total_cost(self, now: float) -> float:
        """The cost with the pieces that are in hands at this instant."""
        if not self.lifted:
            return self.cost
        up_count = sum(now - lift.since >= DROPOUT_SECONDS for lift in self.lifted.values())
        in_hands = sum(self._cost_in_hand(cell, now) for cell in self.lifted)
        return self.cost + in_hands + UP_TOGETHER * max(up_count - 1, 0)

    def is_credible(self, now: float) -> bool:
        """Whether nothing on the board is an accident now."""
        return not self.strays and all(self._cost_in_hand(cell, now) < UP_FOR_NOTHING for cell in self.lifted)

    def is_at_rest(self) -> bool:
        """Whether nothing has happened: all stands as it did when board and game agreed."""
        return not (self.turns or self.lifted or self.strays or self.put_back)

    def _cost_in_hand(self, cell: Cell, now: float) -> float:
        lift = self.lifted[cell]
        if now - lift.since < DROPOUT_SECONDS or any(stray.origin == cell for stray in self.strays.values()):
            return 0.0
        if self._is_taken_back:
            return UP_TO_ACT
        if lift.stood_seconds < PASSING_SECONDS:
            return UP_FOR_NOTHING
        if self._may_be_turned(cell):
            return min(UP_TO_TURN + UP_FOR_LONGER * (now - lift.since), UP_FOR_NOTHING)
        return UP_TO_ACT if self._may_act(cell) else UP_FOR_NOTHING

    @property
    def _is_taken_back(self) -> bool:
        """Whether somebody has begun to put back what scored in the last turn."""
        return bool(self.put_back) and self.put_back <= self.just_scored

    def _may_act(self, cell: Cell) -> bool:
        """Whether the piece of this cell is one with which the side to move may act."""
        return any(action.source == cell for action in legal_actions(self.position))

    def _may_be_turned(self, cell: Cell) -> bool:
        """Whether a piece was lifted to be turned over: somebody has seen before that it developed."""
        return self.lifted[cell].since >= self.to_flip.get(cell, inf) + SEEN_SECONDS

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
        cell, instant, owners = change.cell, change.instant, change.owners
        if cell in self.scored_cells or cell in self.strays:
            yield self  # it was here all the time
            return
        if cell in self.lifted and self.position.pieces[cell].owner in owners:
            yield self._with_piece_back(cell, instant)
        if cell in self.removed:
            away_seconds = instant - self.removed[cell]
            is_dropout = away_seconds < DROPOUT_SECONDS
            cost = next(cost for seconds, cost in PUT_BACK_SCORED if away_seconds <= seconds)
            if self.turns:  # nobody has seen yet that it scored
                cost = min(cost, TURNED_OVER)
            yield replace(
                self,
                cost=self.cost
                + (PUT_BACK_NEXT if self.put_back and self.put_back | {cell} <= self.just_scored else cost),
                scored_cells=self.scored_cells | {cell},
                put_back=self.put_back if is_dropout else self.put_back | {cell},
            )
        if self.position.to_move in owners and self.position.to_move in setting.human_sides:
            for action in legal_actions(self.position):
                if action.target == cell and self._may_come_from(action.source, setting):
                    with_turn = self._with_turn(action, change, setting)
                    yield with_turn
                    yield from with_turn._follow_overtaken(change, setting)
        yield self._with_stray(change, None)
        for origin in self.lifted:
            if origin != cell and not self._is_allowed(Action(origin, cell), setting):
                yield self._with_stray(change, origin)

    def _follow_overtaken(self, change: Change, setting: Setting) -> Iterator[Reading]:
        """The other side was a little faster: what landed shortly before the last action is the action after it."""
        position = self.position
        if position.to_move not in setting.human_sides:
            return
        for cell, stray in self.strays.items():
            gap = change.instant - stray.since
            cost = next((cost for seconds, cost in OUT_OF_ORDER if gap < seconds), None)
            if cost is None or stray.cost == ECHO:
                continue
            cost += self.cost - stray.cost - PLAYED_ON
            before = replace(self, cost=cost, strays=_without(self.strays, cell))
            landing = Change(cell, True, change.instant, change.owners, frozenset())
            for action in legal_actions(position):
                if action.target == cell and action.source in {None, stray.origin} and position.to_move in stray.owners:
                    yield before._with_turn(action, landing, setting)

    def _is_movers(self, cell: Cell) -> bool:
        piece = self.position.pieces.get(cell)
        return piece is not None and piece.owner is self.position.to_move

    def _is_allowed(self, action: Action, setting: Setting) -> bool:
        return action in legal_actions(self.position) and self.position.to_move in setting.human_sides

    def _may_come_from(self, source: Cell | None, setting: Setting) -> bool:
        return source is None or source in self.lifted or source in setting.masked_cells

    def _with_piece_back(self, cell: Cell, instant: float) -> Reading:
        if instant - self.lifted[cell].since < DROPOUT_SECONDS:
            cost, to_flip = 0.0, self.to_flip
        elif self._may_be_turned(cell):
            cost, to_flip = TURNED_OVER, _without(self.to_flip, cell)
        else:
            cost, to_flip = CHANGED_MIND if self._may_act(cell) else LIFTED_FOR_NOTHING, self.to_flip
        return replace(self, cost=self.cost + cost, lifted=_without(self.lifted, cell), to_flip=to_flip)

    def _with_turn(self, action: Action, change: Change, setting: Setting) -> Reading:
        source, target = action
        turn = play(self.position, action)
        cost = PLACED if source is None else MOVED if source in self.lifted else MOVED + UNSEEN_SOURCE
        cost += self._cost_of_haste(change)
        if source is None and any(
            other.source in self.lifted and other.target == target for other in legal_actions(self.position)
        ):
            cost += COINCIDENCE
        cost += TWO_PIECES * sum(map(self._is_idle_in_hand, self.lifted.keys() - {source}))
        cost += DOUBTFUL_SENSOR * (target in setting.doubtful_cells)
        echoes = {
            cell: stray._replace(cost=ECHO)
            for cell, stray in self.strays.items()
            if cell in change.surrounding_cells and change.instant - stray.since < TOGETHER_SECONDS
        }
        cost += sum(ECHO - self.strays[cell].cost for cell in echoes)
        cost += PLAYED_ON * (len(self.strays) > len(echoes)) + PLAYED_AFTER_PUT_BACK * bool(self.put_back)
        scored_now = {cell for run in turn.sets for cell in run}
        lifted = self.lifted if source is None else _without(self.lifted, source)
        standing = {cell for cell in scored_now if cell not in lifted}
        developed_cells = {developed.cell for developed in turn.developed_pieces}
        return replace(
            self,
            position=turn.after,
            turns=(*self.turns, turn),
            actions=(*self.actions, action),
            acted_times=(*self.acted_times, change.instant),
            cost=self.cost + cost,
            acted_at=change.instant,
            lifted={cell: since for cell, since in lifted.items() if cell not in scored_now},
            scored_cells=self.scored_cells | standing,
            just_scored=frozenset(scored_now),
            removed={**_without(self.removed, target), **dict.fromkeys(scored_now - standing, inf)},
            strays={**self.strays, **echoes},
            to_flip={
                cell: self.to_flip.get(cell, change.instant)
                for cell in (self.to_flip.keys() | developed_cells) - scored_now - {source, target}
            },
        )

    def _with_stray(self, change: Change, origin: Cell | None) -> Reading:
        cell, instant = change.cell, change.instant
        cost = STRAY if origin is None else MISPLACED + NOT_ONES_TURN * (not self._is_movers(origin))
        if origin is None and self._is_echo(change):
            cost = ECHO
        elif origin is None and any(0 <= instant - left <= CARRIED_SECONDS for left in self.removed.values()):
            cost = CARRIED
        return replace(
            self, cost=self.cost + cost, strays={**self.strays, cell: Stray(instant, origin, cost, change.owners)}
        )

    def _cost_of_haste(self, change: Change) -> float:
        """How unlikely it is that somebody acts so soon after the action before, and both after the one before that."""
        if self._is_echo(change):
            return STRAY
        times = (*self.acted_times[-2:], change.instant)
        if len(times) == 3 and times[2] - times[0] < THREE_TURNS_SECONDS:
            return STRAY
        return next((extra for seconds, extra in HASTE if change.instant - self.acted_at < seconds), 0.0)

    def _is_echo(self, change: Change) -> bool:
        """Whether a piece was just put down beside the cell, so that this may be the same one, off its middle."""
        is_together = change.instant - self.acted_at < TOGETHER_SECONDS
        return is_together and bool(self.turns) and self.turns[-1].action.target in change.surrounding_cells

    def _follow_leaving(self, change: Change, setting: Setting) -> Iterator[Reading]:
        cell, instant = change.cell, change.instant
        if cell in self.strays:
            stray = self.strays[cell]
            refund = max(stray.cost - PASSED, 0.0) if instant - stray.since < PASSING_SECONDS else 0.0
            without_stray = replace(self, cost=self.cost - refund, strays=_without(self.strays, cell))
            yield without_stray
            yield from without_stray._follow_slide(stray.origin, change, setting)
        elif cell in self.scored_cells:
            is_hasty = instant - self.acted_at < AT_ONCE_SECONDS and cell not in self.put_back
            yield replace(
                self,
                cost=self.cost + TAKEN_AT_ONCE * is_hasty,
                scored_cells=self.scored_cells - {cell},
                removed={**self.removed, cell: instant},
                put_back=self.put_back - {cell},
            )
        elif cell in self.position.pieces and cell not in self.lifted:
            with_piece_up = replace(self, lifted={**self.lifted, cell: Lift(instant, change.last_seconds)})
            yield with_piece_up
            yield from with_piece_up._follow_slide(cell, change, setting)
        else:
            yield self  # nothing stood here: a sensor that comes to its senses
        if self.turns and self.turns[-1].action.target == cell and cell not in self.lifted:
            corrected = self._with_turn_corrected(instant)
            yield corrected
            yield from corrected._follow_slide(self.turns[-1].action.source, change, setting)

    def _follow_slide(self, origin: Cell | None, change: Change, setting: Setting) -> Iterator[Reading]:
        """The piece was slid: a cell beside it detected it before its own cell lost it."""
        for cell, stray in self.strays.items():
            is_recent = 0 <= change.instant - stray.since <= PASSING_SECONDS
            is_beside = cell in change.surrounding_cells or change.instant - stray.since < TOGETHER_SECONDS
            if stray.origin or not (is_recent and is_beside):
                continue
            before = replace(self, cost=self.cost - stray.cost, strays=_without(self.strays, cell))
            landing = Change(
                cell, True, stray.since, change.owners, surrounding_cells(self.position.variant.size, cell)
            )
            action = Action(origin, cell)
            if self._is_allowed(action, setting):
                yield before._with_turn(action, landing, setting)
            else:
                yield before._with_stray(landing, origin)

    def _with_turn_corrected(self, instant: float) -> Reading:
        """The piece that acted last is lifted again: the action was not meant, or is not finished."""
        *earlier_turns, turn = self.turns
        cost = next(extra for seconds, extra in CORRECTED if instant - self.acted_times[-1] < seconds)
        (source, target), pieces = turn.action, turn.before.pieces
        scored_now = {cell for run in turn.sets for cell in run} & pieces.keys()
        missing = {cell: Lift(self.removed[cell], inf) for cell in scored_now - {source} if cell in self.removed}
        developed_cells = {developed.cell for developed in turn.developed_pieces}
        return replace(
            self,
            position=turn.before,
            turns=tuple(earlier_turns),
            actions=self.actions[:-1],
            acted_times=self.acted_times[:-1],
            cost=self.cost + cost,
            acted_at=self.acted_times[-2] if earlier_turns else -inf,
            lifted={
                **{cell: since for cell, since in self.lifted.items() if cell in pieces},
                **missing,
                **({source: Lift(instant, inf)} if source else {}),
            },
            scored_cells=self.scored_cells - scored_now - {target},
            removed={cell: left for cell, left in self.removed.items() if cell not in scored_now},
            to_flip={cell: since for cell, since in self.to_flip.items() if cell not in developed_cells},
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the readings say together.

    Attributes:
        best: the likeliest reading.
        leads: for each of its actions how much more the best reading costs in which that is not so.
        is_credible: whether nothing on the board is an accident in it.
    """

    best: Reading
    leads: tuple[float, ...]
    is_credible: bool

    @property
    def sure_count(self) -> int:
        """How many of its actions are sure, from the first on."""
        return next((index for index, lead in enumerate(self.leads) if lead < SURE), len(self.leads))


def begin_readings(
    position: Position, scored_cells: Set[Cell], removed_cells: Set[Cell], to_flip: Set[Cell], lifted: Set[Cell]
) -> tuple[Reading, ...]:
    """The only reading of a board that agrees with the game, but for pieces in hands."""
    return (
        Reading(
            position,
            scored_cells=frozenset(scored_cells),
            just_scored=frozenset(scored_cells) | removed_cells,
            removed=dict.fromkeys(removed_cells, -inf),
            to_flip=dict.fromkeys(to_flip, -inf),
            lifted=dict.fromkeys(lifted, Lift(-inf, inf)),
        ),
    )


def follow_change(readings: Sequence[Reading], change: Change, setting: Setting) -> tuple[Reading, ...]:
    """The readings after one more change of a sensor, the likeliest first."""
    cheapest: dict[tuple[object, ...], Reading] = {}
    for reading in readings:
        for extended in reading.follow(change, setting):
            known = cheapest.get(extended._identity)
            if known is None or extended.cost < known.cost:
                cheapest[extended._identity] = extended
    ranked = sorted((reading.total_cost(change.instant), index) for index, reading in enumerate(cheapest.values()))
    extended_readings = tuple(cheapest.values())
    return tuple(extended_readings[index] for cost, index in ranked[:MOST_READINGS] if cost <= ranked[0][0] + MOST_COST)


def judge_readings(readings: Sequence[Reading], now: float) -> Verdict:
    """Which reading is the likeliest at this instant, and how sure each of its actions is."""
    costs = [reading.total_cost(now) for reading in readings]
    best_cost = min(costs)
    best = readings[costs.index(best_cost)]
    leads = tuple(
        min(
            (
                cost
                for reading, cost in zip(readings, costs, strict=True)
                if reading.actions[:count] != best.actions[:count]
            ),
            default=inf,
        )
        - best_cost
        for count in range(1, len(best.turns) + 1)
    )
    return Verdict(best, leads, best.is_credible(now))


def keep_readings(readings: Sequence[Reading], turns: Sequence[Turn]) -> tuple[Reading, ...]:
    """The readings in which just these turns were taken first, now that they count."""
    actions, count = tuple(turn.action for turn in turns), len(turns)
    return tuple(
        replace(
            reading,
            turns=reading.turns[count:],
            actions=reading.actions[count:],
            acted_times=reading.acted_times[count:],
        )
        for reading in readings
        if reading.actions[:count] == actions
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
