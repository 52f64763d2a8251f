"""What the readings say together: the likeliest one, and how sure each of its actions is."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from math import inf

from pond_hw.rules import Action, Cell, Turn
from pond_hw.session.pieces.hypotheses import Reading
from pond_hw.session.pieces.hypothesis_costs import (
    DENIED,
    DENIED_OR_TURNED,
    LIKELY,
    MOST_COST,
    MOST_READINGS,
    SURE,
)
from pond_hw.session.pieces.hypothesis_state import Change, Lift, Removal, Setting
from pond_hw.session.pieces.interpretations import Moves

Readings = tuple[Reading, ...]  # the likeliest first; none if nothing is known for certain


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the readings say together.

    Attributes:
        best: the likeliest reading.
        leads: for each of its actions how much more the best reading costs in which that is not so.
        is_believed: whether it holds no accident, and no hand has taken hold of a piece that acted.
        likely_moves: the moves of all readings that are believed and nearly as likely, the likeliest first. If nobody
            has acted in the likeliest, they are only those that are about as likely.
        close_moves: the same, but only those that are about as likely.
    """

    best: Reading
    leads: tuple[float, ...]
    is_believed: bool
    likely_moves: tuple[Moves, ...]
    close_moves: tuple[Moves, ...]

    @property
    def sure_count(self) -> int:
        """How many of its actions are sure, from the first on."""
        return next((index for index, lead in enumerate(self.leads) if lead < SURE), len(self.leads))

    @property
    def is_likely(self) -> bool:
        """Whether all of its actions are more likely than anything else."""
        return all(lead >= LIKELY for lead in self.leads)

    def is_close(self, actions: tuple[Action, ...]) -> bool:
        """Whether a reading that is believed and about as likely as the best begins with these actions."""
        return any(moves.actions[: len(actions)] == actions for moves in self.close_moves)


def judge_readings(readings: Readings, now: float) -> Verdict:
    """Which reading is the likeliest at this instant, and how sure each of its actions is."""
    ranked = sorted(((reading.total_cost(now), reading) for reading in readings), key=lambda pair: pair[0])
    best_cost, best = ranked[0]

    def find_lead(actions: tuple[Action, ...]) -> float:
        others = (cost for cost, reading in ranked if not reading.does(best.corrected_count, actions))
        return next(others, inf) - best_cost

    def find_moves(most_cost: float) -> tuple[Moves, ...]:
        moves = {
            Moves(reading.actions, reading.corrected_count): None
            for cost, reading in ranked
            if cost < best_cost + most_cost and reading.acts and reading.is_believed(now)
        }
        return tuple(moves)

    leads = tuple(find_lead(best.actions[:count]) for count in range(1, len(best.acts) + 1))
    return Verdict(best, leads, best.is_believed(now), find_moves(SURE if best.acts else LIKELY), find_moves(LIKELY))


def find_close_readings(readings: Readings, now: float) -> Readings:
    """The readings that are about as likely as the likeliest one, and in which nothing stands anywhere by accident."""
    cost_of_each = [(reading.total_cost(now), reading) for reading in readings]
    least_cost = min(cost for cost, _ in cost_of_each)
    return tuple(
        reading
        for cost, reading in cost_of_each
        if cost == least_cost or (cost < least_cost + LIKELY and not reading.strays)
    )


def begin_readings(
    start: Reading, scored_cells: Set[Cell], removed_cells: Set[Cell], to_flip: Set[Cell], lifted_cells: Set[Cell]
) -> Readings:
    """The only reading of a board that agrees with the game, but for pieces in hands."""
    scored_set = frozenset(scored_cells | removed_cells)
    reading = start._replace(
        lifted=dict.fromkeys(lifted_cells, Lift(-inf)),
        to_flip=dict.fromkeys(to_flip, -inf),
        scored_cells=frozenset(scored_cells),
        just_scored=scored_set,
        scored_set=scored_set,
        removed=dict.fromkeys(removed_cells, Removal(-inf)),
    )
    return (reading,)


def follow_change(readings: Readings, change: Change, setting: Setting) -> Readings:
    """The readings after one more change of a sensor, the likeliest first."""
    cheapest: dict[tuple[object, ...], tuple[float, Reading]] = {}
    most_cost = inf
    for reading in readings:
        for extended in reading.follow(change, setting):
            cost = extended.total_cost(change.instant) if extended.cost <= most_cost else inf
            if cost > most_cost:
                continue
            most_cost = min(most_cost, cost + MOST_COST)
            identity = extended.identity
            if identity not in cheapest or extended.cost < cheapest[identity][1].cost:
                cheapest[identity] = cost, extended
    ranked = sorted(cheapest.values(), key=lambda pair: pair[0])
    return tuple(reading for cost, reading in ranked[:MOST_READINGS] if cost <= most_cost)


def keep_readings(readings: Readings, turns: Sequence[Turn]) -> Readings:
    """The readings in which just these turns were taken first, now that they count."""
    actions, count = tuple(turn.action for turn in turns), len(turns)
    kept_readings = [reading for reading in readings if reading.does(0, actions)]
    least_cost = min((reading.cost for reading in kept_readings), default=0.0)
    return tuple(
        reading._replace(
            acts=reading.acts[count:],
            counted=reading.acts[count - 1],
            cost=reading.cost - least_cost,
        )
        for reading in kept_readings
    )


def keep_corrected(readings: Readings, corrected_count: int) -> Readings:
    """The readings in which just so many turns are taken back, now that they are."""
    return tuple(reading._replace(corrected=None) for reading in readings if reading.corrected_count == corrected_count)


def deny_actions(readings: Readings, actions: tuple[Action, ...], cell: Cell) -> Readings:
    """The readings after these actions were announced, and a hand lifted the piece from this cell and put it back."""
    return tuple(
        reading._replace(cost=reading.cost + (DENIED_OR_TURNED if cell in reading.to_flip else DENIED))
        if reading.does(0, actions)
        else reading
        for reading in readings
    )


def restart_readings(readings: Readings, to_flip: Set[Cell], now: float) -> Readings:
    """Only the likeliest reading, if board and game agree in it and in all that are likely; else all of them."""
    verdict = judge_readings(readings, now)
    others = [reading.total_cost(now) for reading in readings if not reading.is_at_rest]
    if verdict.best.is_at_rest and min(others, default=inf) - verdict.best.total_cost(now) >= SURE:
        return (verdict.best._replace(cost=0.0, to_flip={**dict.fromkeys(to_flip, -inf), **verdict.best.to_flip}),)
    return readings


def are_exhausted(readings: Readings, now: float) -> bool:
    """Whether even the likeliest reading holds an accident: what has happened is not known."""
    return judge_readings(readings, now).best.has_accident
