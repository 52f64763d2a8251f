"""Is a pond fair? What games of one player against itself come to: how light fares, how long they last, how they go.

Light and dark are the same player, so whatever one side has more than the other comes from its place alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple

from pond_hw.engine.packed import pack_action, packed_rules
from pond_hw.lab import elo as strength
from pond_hw.lab.elo import Interval
from pond_hw.lab.engine_game import DARK_WON, LIGHT_WON, NOBODY_WON
from pond_hw.lab.openings import OpeningValues, equivalent_cells, square_symmetries
from pond_hw.lab.results_file import BatchResult
from pond_hw.lab.summary import JsonObject, interval_to_json, to_json_number
from pond_hw.lab.tally import END_REASONS, GameRow
from pond_hw.lab.tournament import TournamentProgress
from pond_hw.lab.tournament_plan import TournamentPlan
from pond_hw.rules import Action, Cell, PondError, Variant, get_grid

FORMAT_VERSION = 1
"""The form of the JSON object; it counts up when something goes or changes its meaning."""

MIN_GAME_SHARE = 0.1
"""The share of all games that must still go on for a mean over them to be told."""

QUANTILES = (0.1, 0.5, 0.9)


class OutcomeCounts(NamedTuple):
    """How games ended: how many light won, nobody won, dark won."""

    light_won: int
    drawn: int
    dark_won: int

    @property
    def game_count(self) -> int:
        """All of them."""
        return sum(self)

    @property
    def light_share(self) -> float:
        """Light's share of the points, a draw as a half; a half if there is no game."""
        return (self.light_won + self.drawn / 2) / self.game_count if self.game_count else 0.5

    @property
    def share_interval(self) -> Interval:
        """Of light's share, by Wilson's method; rather too wide if there are draws, which vary less."""
        return strength.share_interval(self.light_share, self.game_count)


@dataclass
class VariantStatistics:
    """What has been seen of the games on a pond: nothing but whole numbers, so that they add up in any order.

    Attributes:
        variant: the variant.
        reason_counts: how many games ended for each reason.
        end_counts: how many ended after so many actions with light so many pieces ahead.
        winners_by_cell: by the cell of light's first egg, how many were won by whom.
        games_by_ply: how many games had a first action, a second one, and so on.
        choices_by_ply: the legal actions of the side to move in all of these, added up.
        leads_by_ply: the pieces that light was ahead by before each, added up.
        distinct_games: one number for each game that was another than all before it, turned or mirrored.
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
        self._numbers: dict[str, int] = {}

    def add_game(self, game: GameRow) -> None:
        """Count a game that was kept with its actions.

        Raises:
            PondError: it cannot have been played.
        """
        winner, reason, length, light, dark, _, text = game
        rules, position, played = self._rules, self._rules.start_position(self.variant.spawn), list[int]()
        for ply, word in enumerate(text.split()):
            action, actions = self._action_number(word), rules.legal_actions(position)
            if action not in actions:
                raise PondError(f"A game on {self.variant} that was kept cannot have been played: {word} is not legal.")
            if ply == len(self.games_by_ply):
                for sums in (self.games_by_ply, self.choices_by_ply, self.leads_by_ply):
                    sums.append(0)
            self.games_by_ply[ply] += 1
            self.choices_by_ply[ply] += len(actions)
            self.leads_by_ply[ply] += (position[5] & 31) - (position[5] >> 5)
            played.append(action)
            position = rules.play_action(position, action)
        if (len(played), position[5]) != (length, light + 32 * dark) or not played:
            raise PondError(f"A game on {self.variant} that was kept did not come to what is written of it.")
        self.reason_counts[reason] += 1
        self.end_counts[length, light - dark] += 1
        self.winners_by_cell.setdefault(text[1:3], Counter())[winner] += 1
        self.distinct_games.add(
            min(hash(tuple(way[n >> 5] * 32 + way[n & 31] for n in played)) for way in self._symmetries)
        )

    @property
    def _symmetries(self) -> Sequence[Sequence[int]]:
        return square_symmetries(self.variant.size)

    def _action_number(self, word: str) -> int:
        if word not in self._numbers:
            self._numbers[word] = pack_action(Action.from_notation(word), self.variant)
        return self._numbers[word]

    @property
    def outcome_counts(self) -> OutcomeCounts:
        """How all games ended."""
        return self.outcomes_from(get_grid(self.variant.size).cells)

    def outcomes_from(self, cells: Sequence[Cell]) -> OutcomeCounts:
        """How those games ended in which light's first egg was put on one of these cells."""
        of = sum((self.winners_by_cell.get(cell, Counter()) for cell in cells), Counter[str]())
        return OutcomeCounts(of[LIGHT_WON], of[NOBODY_WON], of[DARK_WON])

    @property
    def length_counts(self) -> Counter[int]:
        """How many games had so many actions."""
        found = Counter[int]()
        for (length, _), many in self.end_counts.items():
            found[length] += many
        return found

    @property
    def final_lead_counts(self) -> Counter[int]:
        """In how many games light was so many pieces ahead at the end."""
        found = Counter[int]()
        for (_, lead), many in self.end_counts.items():
            found[lead] += many
        return found

    def mean_lead(self, ply: int) -> float:
        """How many pieces light was ahead before an action, from 0; a game that was over stays as it ended."""
        over = sum(lead * many for (length, lead), many in self.end_counts.items() if length <= ply)
        return (self.leads_by_ply[ply] + over) / self.outcome_counts.game_count


class StudyProgress(TournamentProgress):
    """What has been played of a study, and what was seen.

    Args:
        plan: of a study.

    Attributes:
        variant_statistics: for each pond, in order.
    """

    def __init__(self, plan: TournamentPlan) -> None:
        super().__init__(plan)
        self.variant_statistics = [VariantStatistics(match.variant) for match in self.matches]

    def add_batch(self, piece: BatchResult) -> None:
        """Count a piece, once."""
        before = self.played
        super().add_batch(piece)
        if self.played > before:
            for game in piece.game_rows:
                self.variant_statistics[piece.match_number].add_game(game)


def count_quantile(counted: Mapping[int, int], share: float) -> int:
    """The least number that this share of all is not above."""
    left = share * sum(counted.values())
    for value in sorted(counted):
        left -= counted[value]
        if left <= 1e-9:
            return value
    return max(counted)


def count_mean(counted: Mapping[int, int]) -> float:
    """The mean of numbers that were counted."""
    return sum(value * many for value, many in counted.items()) / sum(counted.values())


def count_deviation(counted: Mapping[int, int]) -> float:
    """Their standard deviation."""
    middle = count_mean(counted)
    return sqrt(sum(many * (value - middle) ** 2 for value, many in counted.items()) / sum(counted.values()))


def distance_from_even(points: OutcomeCounts) -> tuple[float, Interval]:
    """How far light's share is from a half, whoever has more; and from where to where that is."""
    low, high = (end - 0.5 for end in points.share_interval)
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return abs(points.light_share - 0.5), Interval(nearest, max(abs(low), abs(high)))


def study_to_json(
    study: StudyProgress, worths: Sequence[OpeningValues], truths: Sequence[Mapping[Cell, int] | None]
) -> JsonObject:
    """All that is told of a study. It follows from the games and the searches, and from nothing else.

    Args:
        study: with at least one game on each pond.
        worths: for each pond, what the first actions are worth.
        truths: the same if the pond was solved.
    """
    plan = study.plan
    told: JsonObject = {"form": FORMAT_VERSION, "plan": plan.to_json(), "reproducible": not plan.clocked_players}
    told["ponds"] = [_variant_to_json(*each) for each in zip(study.variant_statistics, worths, truths, strict=True)]
    return told


def _variant_to_json(seen: VariantStatistics, worth: OpeningValues, truth: Mapping[Cell, int] | None) -> JsonObject:
    points, lengths, leads = seen.outcome_counts, seen.length_counts, seen.final_lead_counts
    told: JsonObject = {"variant": seen.variant.name, "games": points.game_count, "different": len(seen.distinct_games)}
    told["light"] = _share_to_json(points)
    elo = Interval(*map(strength.score_to_elo, points.share_interval))
    told["elo"] = {"difference": to_json_number(strength.score_to_elo(points.light_share))} | interval_to_json(elo)
    for name, many in zip(("light_wins", "drawn", "dark_wins"), points, strict=True):
        share = many / points.game_count
        told[name] = {"games": many, "share": round(share, 6)} | interval_to_json(
            strength.share_interval(share, points.game_count), 6
        )
    distance, interval = distance_from_even(points)
    told["from_even"] = {"share": round(distance, 6)} | interval_to_json(interval, 6)
    told["reasons"] = {reason: seen.reason_counts[reason] for reason in END_REASONS}
    told["actions"] = {
        "mean": round(count_mean(lengths), 3),
        "deviation": round(count_deviation(lengths), 3),
        "shortest": min(lengths),
        "longest": max(lengths),
        "quantiles": {f"{share:g}": count_quantile(lengths, share) for share in QUANTILES},
        "counted": {str(length): lengths[length] for length in sorted(lengths)},
    }
    told["final_lead"] = {
        "mean": round(count_mean(leads), 3),
        "mean_size": round(sum(abs(lead) * many for lead, many in leads.items()) / points.game_count, 3),
        "counted": {str(lead): leads[lead] for lead in sorted(leads)},
    }
    told["choices"] = round(sum(seen.choices_by_ply) / sum(seen.games_by_ply), 3)
    told["plies"] = [
        {"ply": ply + 1, "games": many, "choices": round(choices / many, 3), "lead": round(seen.mean_lead(ply), 4)}
        for ply, (many, choices) in enumerate(zip(seen.games_by_ply, seen.choices_by_ply, strict=True))
    ]
    told["search"] = {"depth": worth.depth, "nodes": worth.nodes}
    told["first_eggs"] = [
        {"cell": cell, "cells": list(same), "value": worth.cell_values[cell], "solved": truth and truth[cell]}
        | {"light": _share_to_json(seen.outcomes_from(same)), "games": seen.outcomes_from(same).game_count}
        for cell, same in equivalent_cells(seen.variant.size).items()
    ]
    return told


def _share_to_json(points: OutcomeCounts) -> JsonObject:
    share = round(points.light_share, 6) if points.game_count else None
    return {"share": share, **interval_to_json(points.share_interval, 6)}
