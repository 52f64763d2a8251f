"""Statistics of a journal's finished games: in total, by player, and by variant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from pond_hw.journal import game_times
from pond_hw.journal.game_list import NumberedGame
from pond_hw.journal.game_records import count_taken_back_turns
from pond_hw.rules import EndReason, Side


class WinShare(NamedTuple):
    """A proportion of games: `cases` out of `total_cases`."""

    cases: int
    total_cases: int


@dataclass(frozen=True)
class GameCounts:
    """Statistics of a list of finished games. Pairs hold the values for light and dark.

    Attributes:
        turns: minimum, median and maximum number of turns; None if there are no games.
        timed: number of games whose playing time is known.
        seconds: total playing time of these games.
        first: wins by the side that moved first, among decisive games from the normal start.
    """

    games: int
    won: tuple[int, int]
    drawn: int
    reasons: dict[str, int]
    turns: tuple[int, float, int] | None
    points: tuple[int, int]
    taken_back: int
    seconds: float
    timed: int
    first: WinShare


@dataclass(frozen=True)
class PlayerCounts:
    """Statistics of one player's finished games; people without a name count as one player.

    Attributes:
        won: games won as light, and as dark.
        games: games played as light, and as dark.
        points: points scored by this player, and by the opponents.
    """

    name: str
    won: tuple[int, int]
    games: tuple[int, int]
    drawn: int
    points: tuple[int, int]

    @property
    def lost(self) -> int:
        return sum(self.games) - sum(self.won) - self.drawn


def select_finished(games: Iterable[NumberedGame]) -> list[NumberedGame]:
    return [game for game in games if game.state == "finished"]


def count_games(finished: Sequence[NumberedGame]) -> GameCounts:
    projections = [game.stored.projection for game in finished]
    ended_games = [(projection, outcome) for projection in projections if (outcome := projection.outcome)]
    winner_counts = Counter(outcome.winner for _, outcome in ended_games)
    reason_counts = Counter(outcome.reason for _, outcome in ended_games)
    turn_counts = [len(projection.turns) for projection, _ in ended_games]
    play_times = [seconds for game in finished if (seconds := game_times.playing_seconds(game.stored)) is not None]
    scores = [projection.position.scored for projection, _ in ended_games]
    light_points, dark_points = map(sum, zip((0, 0), *scores, strict=True))
    normal_start_winners = [outcome.winner for projection, outcome in ended_games if projection.custom_start is None]
    return GameCounts(
        games=len(ended_games),
        won=(winner_counts[Side.LIGHT], winner_counts[Side.DARK]),
        drawn=winner_counts[None],
        reasons={reason.value: reason_counts[reason] for reason in EndReason},
        turns=(min(turn_counts), median(turn_counts), max(turn_counts)) if turn_counts else None,
        points=(light_points, dark_points),
        taken_back=sum(count_taken_back_turns(game.stored) for game in finished),
        seconds=sum(play_times),
        timed=len(play_times),
        first=WinShare(
            normal_start_winners.count(Side.LIGHT), len(normal_start_winners) - normal_start_winners.count(None)
        ),
    )


def count_games_by_variant(finished: Sequence[NumberedGame]) -> dict[str, GameCounts]:
    """Count games by variant, most played first."""
    by_variant: dict[str, list[NumberedGame]] = {}
    for game in finished:
        by_variant.setdefault(game.stored.projection.variant.name, []).append(game)
    ranked_variants = sorted(by_variant.items(), key=lambda item: (-len(item[1]), item[0]))
    return {name: count_games(games) for name, games in ranked_variants}


def count_games_by_player(finished: Sequence[NumberedGame]) -> list[PlayerCounts]:
    """Count games by player, most active first. Names that differ only in case are the same player."""
    name_spellings: dict[str, str] = {}
    seats: dict[str, list[tuple[Side, NumberedGame]]] = {}
    for game in finished:
        for side in Side:
            name = game.names[side] or ""
            name_spellings[name.casefold()] = name
            seats.setdefault(name.casefold(), []).append((side, game))
    players = [_count_for_player(name_spellings[folded_name], games) for folded_name, games in seats.items()]
    return sorted(players, key=lambda player: (-sum(player.games), player.name))


def _count_for_player(name: str, seats: Sequence[tuple[Side, NumberedGame]]) -> PlayerCounts:
    projections = [(side, game.stored.projection) for side, game in seats]
    outcomes = [(side, outcome) for side, projection in projections if (outcome := projection.outcome)]
    scores = [(side, projection.position.scored) for side, projection in projections if projection.outcome]
    games = Counter(side for side, _ in outcomes)
    won_games = Counter(side for side, outcome in outcomes if outcome.winner is side)
    return PlayerCounts(
        name=name,
        won=(won_games[Side.LIGHT], won_games[Side.DARK]),
        games=(games[Side.LIGHT], games[Side.DARK]),
        drawn=sum(outcome.winner is None for _, outcome in outcomes),
        points=(sum(scored[side] for side, scored in scores), sum(scored[side.other_side] for side, scored in scores)),
    )
