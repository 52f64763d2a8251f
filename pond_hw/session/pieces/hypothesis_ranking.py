"""Ranking of the hypotheses, and the certainty of each action in the best one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from pond_hw.rules import Action, Cell, Side, Turn
from pond_hw.session.pieces.hypotheses import Hypothesis
from pond_hw.session.pieces.hypothesis_state import BoardConditions, Change, Lift, Removal
from pond_hw.session.pieces.interpretations import Moves
from pond_hw.session.pieces.odds import ODDS

Hypotheses = tuple[Hypothesis, ...]  # the likeliest first; empty if nothing is known for certain


@dataclass(frozen=True, slots=True)
class HypothesisRanking:
    """Hypotheses ranked by likelihood.

    Attributes:
        best: Likeliest hypothesis.
        leads: For each action of `best`, the extra cost of the best hypothesis without it. Zero from the first two
            simultaneous actions on, because their order is unknown.
        is_believed: True if the best hypothesis is plausible: see `HypothesisState.is_believed`.
        likely_moves: Moves of all plausible hypotheses that are nearly as likely as the best, the likeliest first. If
            the best hypothesis has no action, a smaller difference in likelihood is required.
        close_moves: Moves of all plausible hypotheses that are about as likely as the best.
    """

    best: Hypothesis
    leads: tuple[float, ...]
    is_believed: bool
    likely_moves: tuple[Moves, ...]
    close_moves: tuple[Moves, ...]

    @property
    def certain_count(self) -> int:
        """Number of actions that are certain, counted from the first."""
        return next((index for index, lead in enumerate(self.leads) if lead < ODDS.certain), len(self.leads))

    @property
    def is_likely(self) -> bool:
        """True if every action is likelier than any alternative."""
        return all(lead >= ODDS.likely for lead in self.leads)

    def is_close(self, actions: tuple[Action, ...]) -> bool:
        """Return True if a plausible hypothesis begins with these actions and is about as likely as the best."""
        return any(moves.actions[: len(actions)] == actions for moves in self.close_moves)


def rank_hypotheses(hypotheses: Hypotheses, now: float) -> HypothesisRanking:
    ranked = sorted(((hypothesis.total_cost(now), hypothesis) for hypothesis in hypotheses), key=lambda pair: pair[0])
    best_cost, best = ranked[0]

    def find_lead(actions: tuple[Action, ...]) -> float:
        others = (cost for cost, hypothesis in ranked if not hypothesis.begins_with(best.corrected_count, actions))
        return next(others, inf) - best_cost

    def find_moves(max_cost: float) -> tuple[Moves, ...]:
        moves = {
            Moves(hypothesis.actions, hypothesis.corrected_count): None
            for cost, hypothesis in ranked
            if cost < best_cost + max_cost and hypothesis.pending_turns and hypothesis.is_believed(now)
        }
        return tuple(moves)

    pauses = (after.instant - before.instant for before, after in pairwise(best.pending_turns))
    ordered_count = next((index for index, pause in enumerate(pauses) if pause < ODDS.together_seconds), inf)
    leads = tuple(
        find_lead(best.actions[:count]) if count <= ordered_count else 0.0
        for count in range(1, len(best.pending_turns) + 1)
    )
    return HypothesisRanking(
        best,
        leads,
        best.is_believed(now),
        find_moves(ODDS.certain if best.pending_turns else ODDS.likely),
        find_moves(ODDS.likely),
    )


def find_close_hypotheses(hypotheses: Hypotheses, now: float) -> Hypotheses:
    """Return the best hypothesis, and all others that are about as likely and have no unexplained pieces."""
    cost_of_each = [(hypothesis.total_cost(now), hypothesis) for hypothesis in hypotheses]
    min_cost = min(cost for cost, _ in cost_of_each)
    return tuple(
        hypothesis
        for cost, hypothesis in cost_of_each
        if cost == min_cost or (cost < min_cost + ODDS.likely and not hypothesis.unexplained)
    )


def begin_hypotheses(
    start: Hypothesis,
    scored_cells: Mapping[Cell, Side],
    removed_cells: Mapping[Cell, Side],
    to_flip: Set[Cell],
    lifted_cells: Set[Cell],
) -> Hypotheses:
    """Return a single hypothesis for a board that matches the game, apart from lifted pieces."""
    hypothesis = start._replace(
        lifted=dict.fromkeys(lifted_cells, Lift(-inf)),
        to_flip=dict.fromkeys(to_flip, -inf),
        scored_cells=scored_cells,
        just_scored=frozenset({**scored_cells, **removed_cells}),
        removed={cell: Removal(-inf, owner) for cell, owner in removed_cells.items()},
    )
    return (hypothesis,)


def follow_change(hypotheses: Hypotheses, change: Change, conditions: BoardConditions) -> Hypotheses:
    """Extend all hypotheses by one sensor change. Return the likeliest first."""
    cheapest: dict[tuple[object, ...], tuple[float, Hypothesis]] = {}
    max_cost = inf
    for hypothesis in hypotheses:
        for extended in hypothesis.follow(change, conditions):
            cost = extended.total_cost(change.instant) if extended.cost <= max_cost else inf
            if cost > max_cost:
                continue
            max_cost = min(max_cost, cost + ODDS.max_cost)
            identity = extended.identity
            if identity not in cheapest or extended.cost < cheapest[identity][1].cost:
                cheapest[identity] = cost, extended
    ranked = sorted(cheapest.values(), key=lambda pair: pair[0])
    return tuple(hypothesis for cost, hypothesis in ranked[: ODDS.max_hypotheses] if cost <= max_cost)


def filter_by_turns(hypotheses: Hypotheses, turns: Sequence[Turn]) -> Hypotheses:
    """Return the hypotheses that begin with these turns, which are now part of the game."""
    actions, count = tuple(turn.action for turn in turns), len(turns)
    matching_hypotheses = [hypothesis for hypothesis in hypotheses if hypothesis.begins_with(0, actions)]
    min_cost = min((hypothesis.cost for hypothesis in matching_hypotheses), default=0.0)
    return tuple(
        hypothesis._replace(
            pending_turns=hypothesis.pending_turns[count:],
            counted=hypothesis.pending_turns[count - 1],
            cost=hypothesis.cost - min_cost,
        )
        for hypothesis in matching_hypotheses
    )


def filter_by_corrections(hypotheses: Hypotheses, corrected_count: int) -> Hypotheses:
    """Return the hypotheses that correct exactly as many turns as have just been undone."""
    return tuple(
        hypothesis._replace(corrected=None)
        for hypothesis in hypotheses
        if hypothesis.corrected_count == corrected_count
    )


def deny_actions(hypotheses: Hypotheses, actions: tuple[Action, ...]) -> Hypotheses:
    """Make hypotheses with these announced actions less likely, because their piece was lifted and put back."""
    return tuple(
        hypothesis._replace(cost=hypothesis.cost + ODDS.rare) if hypothesis.begins_with(0, actions) else hypothesis
        for hypothesis in hypotheses
    )


def restart_hypotheses(hypotheses: Hypotheses, to_flip: Set[Cell], now: float) -> Hypotheses:
    """Return only the best hypothesis if the board matches the game in every likely one. Otherwise return all."""
    ranking = rank_hypotheses(hypotheses, now)
    others = [hypothesis.total_cost(now) for hypothesis in hypotheses if not hypothesis.is_at_rest]
    if ranking.best.is_at_rest and min(others, default=inf) - ranking.best.total_cost(now) >= ODDS.certain:
        return (ranking.best._replace(cost=0.0, to_flip={**dict.fromkeys(to_flip, -inf), **ranking.best.to_flip}),)
    return hypotheses


def are_exhausted(hypotheses: Hypotheses, now: float) -> bool:
    """Return True if even the likeliest hypothesis involves an accident, so the hypotheses are no longer useful."""
    return rank_hypotheses(hypotheses, now).best.has_accident
