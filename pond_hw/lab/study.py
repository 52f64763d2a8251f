"""Statistics on the fairness of variants: light's share of the points, and the length and course of the games.

One player plays against itself, so any difference between light and dark comes from the variant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import sqrt
from statistics import fmean
from typing import NamedTuple

from pond_hw.engine.packed import pack_action, packed_rules
from pond_hw.lab import elo as strength
from pond_hw.lab.elo import Interval
from pond_hw.lab.engine_game import DARK_WON, DRAWN, LIGHT_WON
from pond_hw.lab.openings import OpeningValues, equivalent_cells, square_symmetries
from pond_hw.lab.resumable_results import BatchResult
from pond_hw.lab.tally import END_REASONS, GameRow
from pond_hw.lab.tournament import JsonObject, TournamentProgress, interval_to_json, share_to_json, to_json_number
from pond_hw.lab.tournament_plan import TournamentPlan
from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, PondError, Variant, get_grid

FORMAT_VERSION = 1
"""Version of the JSON object, increased when a field is removed or changes its meaning."""

MIN_GAME_SHARE = 0.1
"""Minimum fraction of games that must reach a ply for its mean values to be shown."""

QUANTILES = (0.1, 0.5, 0.9)


class OutcomeCounts(NamedTuple):
    """Numbers of games that light won, that were drawn, and that dark won."""

    light_won: int
    drawn: int
    dark_won: int

    @property
    def game_count(self) -> int:
        return sum(self)

    @property
    def light_share(self) -> float:
        """Light's share of the points; a half if there are no games. A draw counts as half a point."""
        return (self.light_won + self.drawn / 2) / self.game_count if self.game_count else 0.5

    @property
    def share_interval(self) -> Interval:
        """Wilson confidence interval of Light's share. Draws reduce the variance, so it is slightly too wide if there are draws."""
        return strength.share_interval(self.light_share, self.game_count)


@dataclass
class VariantStatistics:
    """Statistics of the games on a variant. All counts are integers, so the order of the games does not matter.

    Attributes:
        variant: the variant.
        reason_counts: number of games by the reason why they ended.
        end_counts: number of games by length and by light's final lead.
        winners_by_cell: number of games by the cell of light's first egg and by winner.
        games_by_ply: number of games that reached each ply.
        choices_by_ply: total number of legal actions at each ply.
        leads_by_ply: total of light's leads in pieces before each ply.
        distinct_games: a hash for each distinct game. Symmetric games have the same hash.
    """

    variant: Variant
    reason_counts: Counter[str] = field(default_factory=Counter)
    end_counts: Counter[tuple[int, int]] = field(default_factory=Counter)
    winners_by_cell: dict[Cell, Counter[str]] = field(default_factory=dict)
    games_by_ply: list[int] = field(default_factory=list)
    choices_by_ply: list[int] = field(default_factory=list)
    leads_by_ply: list[int] = field(default_factory=list)
    distinct_games: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._rules = packed_rules(self.variant)

    def add_game(self, game_row: GameRow) -> None:
        """Count a game, given as a row that includes its actions. Raise PondError if the game is illegal."""
        winner_name, end_reason, game_length, light_pieces, dark_pieces, _, actions_text = game_row
        rules, position, played_actions = self._rules, self._rules.start_position(self.variant.spawn), list[int]()
        for ply, action_text in enumerate(actions_text.split()):
            action, legal_actions = _parse_action(action_text, self.variant), rules.legal_actions(position)
            if action not in legal_actions:
                raise PondError(Message("lab.illegal_action", variant=self.variant.name, action=action_text))
            if ply == len(self.games_by_ply):
                for ply_sums in (self.games_by_ply, self.choices_by_ply, self.leads_by_ply):
                    ply_sums.append(0)
            self.games_by_ply[ply] += 1
            self.choices_by_ply[ply] += len(legal_actions)
            self.leads_by_ply[ply] += (position[5] & 31) - (position[5] >> 5)
            played_actions.append(action)
            position = rules.play_action(position, action)
        if (len(played_actions), position[5]) != (game_length, light_pieces + 32 * dark_pieces) or not played_actions:
            raise PondError(Message("lab.other_result", variant=self.variant.name))
        self.reason_counts[end_reason] += 1
        self.end_counts[game_length, light_pieces - dark_pieces] += 1
        self.winners_by_cell.setdefault(actions_text[1:3], Counter())[winner_name] += 1
        self.distinct_games.add(
            min(
                hash(tuple(cell_map[action >> 5] * 32 + cell_map[action & 31] for action in played_actions))
                for cell_map in square_symmetries(self.variant.size)
            )
        )

    @property
    def outcome_counts(self) -> OutcomeCounts:
        return self.outcomes_from(get_grid(self.variant.size).cells)

    def outcomes_from(self, first_cells: Sequence[Cell]) -> OutcomeCounts:
        """Return the outcomes of the games that began with an egg on one of these cells."""
        winner_counts = sum((self.winners_by_cell.get(cell, Counter()) for cell in first_cells), Counter[str]())
        return OutcomeCounts(winner_counts[LIGHT_WON], winner_counts[DRAWN], winner_counts[DARK_WON])

    @property
    def length_counts(self) -> Counter[int]:
        return self._count_ends(0)

    @property
    def final_lead_counts(self) -> Counter[int]:
        return self._count_ends(1)

    def _count_ends(self, column: int) -> Counter[int]:
        counts = Counter[int]()
        for game_end, game_count in self.end_counts.items():
            counts[game_end[column]] += game_count
        return counts

    def mean_lead(self, ply: int) -> float:
        """Return light's mean lead in pieces before a ply. A finished game keeps its final lead."""
        ended_lead = sum(lead * count for (length, lead), count in self.end_counts.items() if length <= ply)
        return (self.leads_by_ply[ply] + ended_lead) / self.outcome_counts.game_count


@cache
def _parse_action(action_text: str, variant: Variant) -> int:
    return pack_action(Action.from_notation(action_text), variant)


class StudyProgress(TournamentProgress):
    """Progress of a study, with statistics for each variant."""

    def __init__(self, plan: TournamentPlan) -> None:
        super().__init__(plan)
        self.variant_statistics = [VariantStatistics(study_match.variant) for study_match in self.matches]

    def add_batch(self, batch_result: BatchResult) -> None:
        """Count a batch. Ignore a batch that has already been counted."""
        played_before = self.played
        super().add_batch(batch_result)
        if self.played > played_before:
            for game_row in batch_result.game_rows:
                self.variant_statistics[batch_result.match_number].add_game(game_row)


def count_quantile(value_counts: Mapping[int, int], share: float) -> int:
    """Return the smallest value that is not exceeded by at least this share of all values."""
    remaining_count = share * sum(value_counts.values())
    for value in sorted(value_counts):
        remaining_count -= value_counts[value]
        if remaining_count <= 1e-9:
            return value
    return max(value_counts)


def count_mean(value_counts: Mapping[int, int]) -> float:
    return fmean(value_counts, value_counts.values())


def count_deviation(value_counts: Mapping[int, int]) -> float:
    mean = count_mean(value_counts)
    return sqrt(fmean([(value - mean) ** 2 for value in value_counts], value_counts.values()))


def distance_from_even(outcome_counts: OutcomeCounts) -> tuple[float, Interval]:
    """Return how far light's share is from a half, with the interval of this distance."""
    low_end, high_end = (interval_end - 0.5 for interval_end in outcome_counts.share_interval)
    nearest, farthest = sorted((abs(low_end), abs(high_end)))
    distances = Interval(0.0 if low_end <= 0 <= high_end else nearest, farthest)
    return abs(outcome_counts.light_share - 0.5), distances


def study_to_json(study: StudyProgress, opening_values: Sequence[OpeningValues]) -> JsonObject:
    """Return the results of a study as JSON. Each variant needs at least one game."""
    plan = study.plan
    ponds = list(map(_variant_to_json, study.variant_statistics, opening_values))
    return {"form": FORMAT_VERSION, "plan": plan.to_json(), "reproducible": not plan.timed_players, "ponds": ponds}


def _variant_to_json(statistics: VariantStatistics, opening_values: OpeningValues) -> JsonObject:
    outcomes, lengths, leads = statistics.outcome_counts, statistics.length_counts, statistics.final_lead_counts
    elo = to_json_number(strength.score_to_elo(outcomes.light_share))
    lead_size = sum(abs(lead) * game_count for lead, game_count in leads.items()) / outcomes.game_count
    return {
        "variant": statistics.variant.name,
        "games": outcomes.game_count,
        "different": len(statistics.distinct_games),
        "light": _share_to_json(outcomes),
        "elo": {"difference": elo, **interval_to_json(Interval(*map(strength.score_to_elo, outcomes.share_interval)))},
        "light_wins": _games_to_json(outcomes.light_won, outcomes),
        "drawn": _games_to_json(outcomes.drawn, outcomes),
        "dark_wins": _games_to_json(outcomes.dark_won, outcomes),
        "from_even": share_to_json(*distance_from_even(outcomes), outcomes.game_count),
        "reasons": {reason: statistics.reason_counts[reason] for reason in END_REASONS},
        "actions": {
            "mean": round(count_mean(lengths), 3),
            "deviation": round(count_deviation(lengths), 3),
            "shortest": min(lengths),
            "longest": max(lengths),
            "quantiles": {f"{share:g}": count_quantile(lengths, share) for share in QUANTILES},
            "counted": {str(length): lengths[length] for length in sorted(lengths)},
        },
        "final_lead": {
            "mean": round(count_mean(leads), 3),
            "mean_size": round(lead_size, 3),
            "counted": {str(lead): leads[lead] for lead in sorted(leads)},
        },
        "choices": round(sum(statistics.choices_by_ply) / sum(statistics.games_by_ply), 3),
        "plies": [
            {
                "ply": ply + 1,
                "games": game_count,
                "choices": round(choice_count / game_count, 3),
                "lead": round(statistics.mean_lead(ply), 4),
            }
            for ply, (game_count, choice_count) in enumerate(
                zip(statistics.games_by_ply, statistics.choices_by_ply, strict=True)
            )
        ],
        "search": {"depth": opening_values.depth, "nodes": opening_values.nodes},
        "first_eggs": [
            {
                "cell": cell,
                "cells": list(equal_cells),
                "value": opening_values.cell_values[cell],
                "solved": opening_values.solved_values and opening_values.solved_values[cell],
                "light": _share_to_json(statistics.outcomes_from(equal_cells)),
                "games": statistics.outcomes_from(equal_cells).game_count,
            }
            for cell, equal_cells in equivalent_cells(statistics.variant.size).items()
        ],
    }


def _games_to_json(game_count: int, outcomes: OutcomeCounts) -> JsonObject:
    share = game_count / outcomes.game_count
    interval = strength.share_interval(share, outcomes.game_count)
    return {"games": game_count, **share_to_json(share, interval, outcomes.game_count)}


def _share_to_json(outcome_counts: OutcomeCounts) -> JsonObject:
    return share_to_json(outcome_counts.light_share, outcome_counts.share_interval, outcome_counts.game_count)
