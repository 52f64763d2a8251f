"""Counts of games. All counts are integers, so the order of the games does not matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pond_hw.engine.external_program import FORFEITS
from pond_hw.engine.packed import MAX_GAME_ACTIONS
from pond_hw.lab.engine_game import DARK_WON, DRAWN, ELIMINATION, LIGHT_WON, REPETITION, SCORE, TOO_LONG

GameRow = Sequence[Any]
"""Game in a results file: winner, reason, number of actions, light's score, dark's score, and 1 if a position was repeated.

In a pair, the first player plays light in the first game and dark in the second.
"""

GAME_COLUMNS = ("winner", "reason", "actions", "light", "dark", "again")
END_REASONS = (SCORE, ELIMINATION, REPETITION, TOO_LONG)


@dataclass
class GameTally:
    """Counts of the games in a match.

    Attributes:
        pair_counts: numbers of pairs with 0, ½, 1, 1½ and 2 points for the first player.
        winners: number of games by winner: light, dark or draw.
        games_won, games_lost: numbers of games won and lost by the first player.
        reasons: number of games by reason, for each of `END_REASONS`.
        forfeits: number of forfeits by the first and the second player, for each reason.
        total_actions: sum of all game lengths.
        shortest, longest: shortest and longest game length.
        repeated_games: number of games with a repeated position.
    """

    pair_counts: list[int] = field(default_factory=lambda: [0] * 5)
    winners: Counter[str] = field(default_factory=Counter)
    games_won: int = 0
    games_lost: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    forfeits: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    total_actions: int = 0
    shortest: int = MAX_GAME_ACTIONS
    longest: int = 0
    repeated_games: int = 0

    def add_games(self, game_rows: Sequence[GameRow]) -> None:
        """Count games that are given in pairs."""
        pair_points = 0
        for game_index, (winner, reason, actions, _, _, has_repetition, *_) in enumerate(game_rows):
            first_wins, second_wins = (DARK_WON, LIGHT_WON) if game_index % 2 else (LIGHT_WON, DARK_WON)
            self.winners[winner] += 1
            self.games_won += winner == first_wins
            self.games_lost += winner == second_wins
            pair_points += 2 * (winner == first_wins) + (winner == DRAWN)
            if game_index % 2:
                self.pair_counts[pair_points] += 1
                pair_points = 0
            reason_counts = self.forfeits[winner == first_wins] if reason in FORFEITS else self.reasons
            reason_counts[reason] += 1
            self.total_actions += actions
            self.shortest = min(self.shortest, actions)
            self.longest = max(self.longest, actions)
            self.repeated_games += bool(has_repetition)

    @property
    def game_count(self) -> int:
        return 2 * sum(self.pair_counts)

    @property
    def games_drawn(self) -> int:
        return self.winners[DRAWN]


def is_game_row(parsed_row: Any, *, with_actions: bool) -> bool:
    """Return True if a JSON value is a valid game row."""
    if not isinstance(parsed_row, list) or len(parsed_row) != len(GAME_COLUMNS) + with_actions:
        return False
    winner, reason, *whole_numbers, has_repetition = parsed_row[: len(GAME_COLUMNS)]
    return (
        winner in (LIGHT_WON, DARK_WON, DRAWN)
        and reason in (*END_REASONS, *FORFEITS)
        and all(type(number) is int and 0 <= number <= MAX_GAME_ACTIONS for number in whole_numbers)
        and has_repetition in (0, 1)
        and (not with_actions or isinstance(parsed_row[-1], str))
    )
