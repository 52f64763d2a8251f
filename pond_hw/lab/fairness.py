"""Is a pond fair? What games of one player against itself come to: how light fares, how long they last, how they go.

Light and dark are the same player, so whatever one side has more than the other comes from its place alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple

from pond_hw.engine.packed import rules_of, to_number
from pond_hw.lab import elo as strength
from pond_hw.lab.elo import Interval
from pond_hw.lab.engine_game import DARK, LIGHT, NOBODY
from pond_hw.lab.openings import Worth, alike, images
from pond_hw.lab.results_file import Piece
from pond_hw.lab.summary import Object, ends, number
from pond_hw.lab.tally import REASONS, Game
from pond_hw.lab.tournament import Standing
from pond_hw.lab.tournament_plan import Plan
from pond_hw.rules import Action, Cell, PondError, Variant, grid

FORM = 1
"""The form of the JSON object; it counts up when something goes or changes its meaning."""

MANY_ENOUGH = 0.1
"""The share of all games that must still go on for a mean over them to be told."""

QUANTILES = (0.1, 0.5, 0.9)


class Points(NamedTuple):
    """How games ended: how many light won, nobody won, dark won."""

    light: int
    drawn: int
    dark: int

    @property
    def games(self) -> int:
        """All of them."""
        return sum(self)

    @property
    def share(self) -> float:
        """Light's share of the points, a draw as a half; a half if there is no game."""
        return (self.light + self.drawn / 2) / self.games if self.games else 0.5

    @property
    def interval(self) -> Interval:
        """Of light's share, by Wilson's method; rather too wide if there are draws, which vary less."""
        return strength.share(self.share, self.games)


@dataclass
class Seen:
    """What has been seen of the games on a pond: nothing but whole numbers, so that they add up in any order.

    Attributes:
        pond: the variant.
        reasons: how many games ended for each reason.
        ends: how many ended after so many actions with light so many pieces ahead.
        winners: by the cell of light's first egg, how many were won by whom.
        going: how many games had a first action, a second one, and so on.
        choices: the legal actions of the side to move in all of these, added up.
        leads: the pieces that light was ahead by before each, added up.
        courses: one number for each game that was another than all before it, turned or mirrored.
    """

    pond: Variant
    reasons: Counter[str] = field(default_factory=Counter)
    ends: Counter[tuple[int, int]] = field(default_factory=Counter)
    winners: dict[Cell, Counter[str]] = field(default_factory=dict)
    going: list[int] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)
    leads: list[int] = field(default_factory=list)
    courses: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._rules = rules_of(self.pond)
        self._numbers: dict[str, int] = {}

    def add(self, game: Game) -> None:
        """Count a game that was kept with its actions.

        Raises:
            PondError: it cannot have been played.
        """
        winner, reason, length, light, dark, _, text = game
        rules, position, played = self._rules, self._rules.start(self.pond.spawn), list[int]()
        for ply, word in enumerate(text.split()):
            action, actions = self._number(word), rules.actions(position)
            if action not in actions:
                raise PondError(f"A game on {self.pond} that was kept cannot have been played: {word} is not legal.")
            if ply == len(self.going):
                for sums in (self.going, self.choices, self.leads):
                    sums.append(0)
            self.going[ply] += 1
            self.choices[ply] += len(actions)
            self.leads[ply] += (position[5] & 31) - (position[5] >> 5)
            played.append(action)
            position = rules.play(position, action)
        if (len(played), position[5]) != (length, light + 32 * dark) or not played:
            raise PondError(f"A game on {self.pond} that was kept did not come to what is written of it.")
        self.reasons[reason] += 1
        self.ends[length, light - dark] += 1
        self.winners.setdefault(text[1:3], Counter())[winner] += 1
        self.courses.add(min(hash(tuple(way[n >> 5] * 32 + way[n & 31] for n in played)) for way in self._ways))

    @property
    def _ways(self) -> Sequence[Sequence[int]]:
        return images(self.pond.size)

    def _number(self, word: str) -> int:
        if word not in self._numbers:
            self._numbers[word] = to_number(Action.read(word), self.pond)
        return self._numbers[word]

    @property
    def points(self) -> Points:
        """How all games ended."""
        return self.points_of(grid(self.pond.size).cells)

    def points_of(self, cells: Sequence[Cell]) -> Points:
        """How those games ended in which light's first egg was put on one of these cells."""
        of = sum((self.winners.get(cell, Counter()) for cell in cells), Counter[str]())
        return Points(of[LIGHT], of[NOBODY], of[DARK])

    @property
    def lengths(self) -> Counter[int]:
        """How many games had so many actions."""
        found = Counter[int]()
        for (length, _), many in self.ends.items():
            found[length] += many
        return found

    @property
    def final_leads(self) -> Counter[int]:
        """In how many games light was so many pieces ahead at the end."""
        found = Counter[int]()
        for (_, lead), many in self.ends.items():
            found[lead] += many
        return found

    def lead_before(self, ply: int) -> float:
        """How many pieces light was ahead before an action, from 0; a game that was over stays as it ended."""
        over = sum(lead * many for (length, lead), many in self.ends.items() if length <= ply)
        return (self.leads[ply] + over) / self.points.games


class Study(Standing):
    """What has been played of a study, and what was seen.

    Args:
        plan: of a study.

    Attributes:
        seen: for each pond, in order.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.seen = [Seen(match.pond) for match in self.matches]

    def put(self, piece: Piece) -> None:
        """Count a piece, once."""
        before = self.played
        super().put(piece)
        if self.played > before:
            for game in piece.games:
                self.seen[piece.match].add(game)


def quantile(counted: Mapping[int, int], share: float) -> int:
    """The least number that this share of all is not above."""
    left = share * sum(counted.values())
    for value in sorted(counted):
        left -= counted[value]
        if left <= 1e-9:
            return value
    return max(counted)


def mean(counted: Mapping[int, int]) -> float:
    """The mean of numbers that were counted."""
    return sum(value * many for value, many in counted.items()) / sum(counted.values())


def deviation(counted: Mapping[int, int]) -> float:
    """Their standard deviation."""
    middle = mean(counted)
    return sqrt(sum(many * (value - middle) ** 2 for value, many in counted.items()) / sum(counted.values()))


def unfair(points: Points) -> tuple[float, Interval]:
    """How far light's share is from a half, whoever has more; and from where to where that is."""
    low, high = (end - 0.5 for end in points.interval)
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return abs(points.share - 0.5), Interval(nearest, max(abs(low), abs(high)))


def as_object(study: Study, worths: Sequence[Worth], truths: Sequence[Mapping[Cell, int] | None]) -> Object:
    """All that is told of a study. It follows from the games and the searches, and from nothing else.

    Args:
        study: with at least one game on each pond.
        worths: for each pond, what the first actions are worth.
        truths: the same if the pond was solved.
    """
    plan = study.plan
    told: Object = {"form": FORM, "plan": plan.as_object(), "reproducible": not plan.by_the_clock}
    told["ponds"] = [_pond(*each) for each in zip(study.seen, worths, truths, strict=True)]
    return told


def _pond(seen: Seen, worth: Worth, truth: Mapping[Cell, int] | None) -> Object:
    points, lengths, leads = seen.points, seen.lengths, seen.final_leads
    told: Object = {"variant": seen.pond.name, "games": points.games, "different": len(seen.courses)}
    told["light"] = _share(points)
    elo = Interval(*map(strength.elo, points.interval))
    told["elo"] = {"difference": number(strength.elo(points.share))} | ends(elo)
    for name, many in zip(("light_wins", "drawn", "dark_wins"), points, strict=True):
        share = many / points.games
        told[name] = {"games": many, "share": round(share, 6)} | ends(strength.share(share, points.games), 6)
    distance, interval = unfair(points)
    told["from_even"] = {"share": round(distance, 6)} | ends(interval, 6)
    told["reasons"] = {reason: seen.reasons[reason] for reason in REASONS}
    told["actions"] = {
        "mean": round(mean(lengths), 3),
        "deviation": round(deviation(lengths), 3),
        "shortest": min(lengths),
        "longest": max(lengths),
        "quantiles": {f"{share:g}": quantile(lengths, share) for share in QUANTILES},
        "counted": {str(length): lengths[length] for length in sorted(lengths)},
    }
    told["final_lead"] = {
        "mean": round(mean(leads), 3),
        "mean_size": round(sum(abs(lead) * many for lead, many in leads.items()) / points.games, 3),
        "counted": {str(lead): leads[lead] for lead in sorted(leads)},
    }
    told["choices"] = round(sum(seen.choices) / sum(seen.going), 3)
    told["plies"] = [
        {"ply": ply + 1, "games": many, "choices": round(choices / many, 3), "lead": round(seen.lead_before(ply), 4)}
        for ply, (many, choices) in enumerate(zip(seen.going, seen.choices, strict=True))
    ]
    told["search"] = {"depth": worth.depth, "nodes": worth.nodes}
    told["first_eggs"] = [
        {"cell": cell, "cells": list(same), "value": worth.values[cell], "solved": truth and truth[cell]}
        | {"light": _share(seen.points_of(same)), "games": seen.points_of(same).games}
        for cell, same in alike(seen.pond.size).items()
    ]
    return told


def _share(points: Points) -> Object:
    share = round(points.share, 6) if points.games else None
    return {"share": share, **ends(points.interval, 6)}
