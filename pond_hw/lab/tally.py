"""Games counted: nothing but whole numbers, so that they add up to the same in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pond_hw.engine.external_program import FORFEITS
from pond_hw.engine.packed import LONGEST as MOST_ACTIONS
from pond_hw.lab.engine_game import DARK, ELIMINATION, LIGHT, NOBODY, REPETITION, SCORE, TOO_LONG

Game = Sequence[Any]
"""A game as it is written down: winner, reason, actions, light's pieces, dark's pieces, whether a position came again.

In a pair the first player has light in the first game, and dark in the second.
"""

COLUMNS = ("winner", "reason", "actions", "light", "dark", "again")
REASONS = (SCORE, ELIMINATION, REPETITION, TOO_LONG)


@dataclass
class Tally:
    """What some games of a match come to.

    Attributes:
        pairs: how many pairs brought the first player 0, ½, 1, 1½ and 2 points.
        winners: how many games light won, dark won, nobody won.
        won, lost: games that the first player won and lost.
        reasons: how many games ended for each of `REASONS`.
        forfeits: how many the first player and the second lost by themselves, for each reason.
        actions: of all games together.
        shortest, longest: actions of one game.
        again: games in which a position came up more than once.
    """

    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    winners: dict[str, int] = field(default_factory=lambda: dict.fromkeys((LIGHT, DARK, NOBODY), 0))
    won: int = 0
    lost: int = 0
    reasons: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))
    forfeits: tuple[dict[str, int], dict[str, int]] = field(
        default_factory=lambda: (dict.fromkeys(FORFEITS, 0), dict.fromkeys(FORFEITS, 0))
    )
    actions: int = 0
    shortest: int = MOST_ACTIONS
    longest: int = 0
    again: int = 0

    @classmethod
    def of(cls, games: Sequence[Game]) -> Tally:
        """Count games, pair by pair."""
        counted = cls()
        points = 0
        for number, (winner, reason, actions, _, _, again, *_) in enumerate(games):
            mine, others = (DARK, LIGHT) if number % 2 else (LIGHT, DARK)
            counted.winners[winner] += 1
            counted.won += winner == mine
            counted.lost += winner == others
            points += 2 * (winner == mine) + (winner == NOBODY)
            if number % 2:
                counted.pairs[points] += 1
                points = 0
            if reason in FORFEITS:
                counted.forfeits[winner == mine][reason] += 1
            else:
                counted.reasons[reason] += 1
            counted.actions += actions
            counted.shortest = min(counted.shortest, actions)
            counted.longest = max(counted.longest, actions)
            counted.again += bool(again)
        return counted

    def add(self, other: Tally) -> None:
        """Count these games in."""
        self.pairs = [mine + others for mine, others in zip(self.pairs, other.pairs, strict=True)]
        for name, many in other.winners.items():
            self.winners[name] += many
        for name, many in other.reasons.items():
            self.reasons[name] += many
        for ours, theirs in zip(self.forfeits, other.forfeits, strict=True):
            for name, many in theirs.items():
                ours[name] += many
        self.won += other.won
        self.lost += other.lost
        self.actions += other.actions
        self.shortest = min(self.shortest, other.shortest)
        self.longest = max(self.longest, other.longest)
        self.again += other.again

    @property
    def games(self) -> int:
        """How many games were counted."""
        return 2 * sum(self.pairs)

    @property
    def drawn(self) -> int:
        """Games that nobody won."""
        return self.winners[NOBODY]


def is_game(told: Any, *, with_actions: bool) -> bool:
    """Whether this is a game as it is written down."""
    if not isinstance(told, list) or len(told) != len(COLUMNS) + with_actions:
        return False
    winner, reason, *numbers, again = told[: len(COLUMNS)]
    return (
        winner in (LIGHT, DARK, NOBODY)
        and reason in (*REASONS, *FORFEITS)
        and all(type(number) is int and 0 <= number <= MOST_ACTIONS for number in numbers)
        and again in (0, 1)
        and (not with_actions or isinstance(told[-1], str))
    )
