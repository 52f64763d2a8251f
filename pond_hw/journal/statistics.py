"""What the finished games of a journal come to, all together, by player and by pond. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median
from typing import NamedTuple

from pond_hw.journal import game_times
from pond_hw.journal.game_list import Row
from pond_hw.journal.game_records import taken_back
from pond_hw.messages.terminal_text import count_columns, cut_text, pad_text, printable
from pond_hw.rules import Reason, Side

Z = 1.959964
"""Standard deviations on either side of the middle that hold 95 % of a normal distribution."""

NAMELESS = "(no name)"
"""A person who gave no name."""

_LONGEST_NAME = 20
"""Columns for a name."""


class Share(NamedTuple):
    """How often something happened.

    Attributes:
        cases: so often.
        of: in so many cases.
    """

    cases: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies, with 95 % confidence, after Wilson; 0 to 1 if there was no case.

        E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
        """
        if not self.of:
            return 0.0, 1.0
        share, n = self.cases / self.of, self.of
        middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
        apart = Z / (1 + Z**2 / n) * sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
        return max(0.0, middle - apart), min(1.0, middle + apart)


@dataclass(frozen=True)
class Figures:
    """What some finished games come to.

    Attributes:
        games: how many they are.
        won: how many each side won.
        drawn: how many were draws.
        reasons: how many ended for each reason.
        turns: how many turns the shortest had, the one in the middle, and the longest; None if there is no game.
        points: all that each side scored.
        taken_back: turns that were taken back.
        seconds: how long those were played of which it is known.
        timed: how many those are.
        first: how often whoever moved first won, of the games that somebody won and nobody set up by hand.
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
    first: Share


@dataclass(frozen=True)
class Played:
    """What the finished games of one player come to.

    Attributes:
        name: the player.
        won: games won as light, and as dark.
        games: all games as light, and as dark.
        drawn: how many of them were draws.
        points: own pieces scored, and the other side's.
    """

    name: str
    won: tuple[int, int]
    games: tuple[int, int]
    drawn: int
    points: tuple[int, int]

    @property
    def lost(self) -> int:
        """Games that the other one won."""
        return sum(self.games) - sum(self.won) - self.drawn


def finished(found: Iterable[Row]) -> list[Row]:
    """Those of them that are over."""
    return [row for row in found if row.state == "finished"]


def figures(over: Sequence[Row]) -> Figures:
    """What these finished games come to."""
    ended = [(row.kept.story, outcome) for row in over if (outcome := row.kept.story.outcome)]
    winners = Counter(outcome.winner for _, outcome in ended)
    reasons = Counter(outcome.reason for _, outcome in ended)
    lengths = [len(story.turns) for story, _ in ended]
    timed = [passed for row in over if (passed := game_times.seconds(row.kept)) is not None]
    from_start = [outcome for story, outcome in ended if story.begun is None and outcome.winner is not None]
    return Figures(
        len(ended),
        (winners[Side.LIGHT], winners[Side.DARK]),
        winners[None],
        {reason.value: reasons[reason] for reason in Reason},
        (min(lengths), median(lengths), max(lengths)) if lengths else None,
        (sum(s.position.scored[Side.LIGHT] for s, _ in ended), sum(s.position.scored[Side.DARK] for s, _ in ended)),
        sum(taken_back(row.kept) for row in over),
        sum(timed),
        len(timed),
        Share(sum(outcome.winner is Side.LIGHT for outcome in from_start), len(from_start)),
    )


def by_variant(over: Sequence[Row]) -> dict[str, Figures]:
    """What they come to on each pond, the one that was played most in front."""
    counts = Counter(row.kept.story.pond.name for row in over)
    return {
        name: figures([row for row in over if row.kept.story.pond.name == name])
        for name, _ in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    }


def by_player(over: Sequence[Row]) -> list[Played]:
    """What they come to for each player, who played most in front. Names that differ only in capitals are one."""
    spelt: dict[str, str] = {}
    seats: dict[str, list[tuple[Side, Row]]] = {}
    for row in over:
        for side in Side:
            name = row.names[side] or NAMELESS
            spelt[name.casefold()] = name
            seats.setdefault(name.casefold(), []).append((side, row))
    return sorted(
        (_played(spelt[key], taken) for key, taken in seats.items()), key=lambda each: (-sum(each.games), each.name)
    )


def _played(name: str, seats: Sequence[tuple[Side, Row]]) -> Played:
    stories = [(side, row.kept.story) for side, row in seats]
    ended = [(side, story.position.scored, outcome) for side, story in stories if (outcome := story.outcome)]
    won = Counter(side for side, _, outcome in ended if outcome.winner is side)
    games = Counter(side for side, _, _ in ended)
    return Played(
        name,
        (won[Side.LIGHT], won[Side.DARK]),
        (games[Side.LIGHT], games[Side.DARK]),
        sum(outcome.winner is None for _, _, outcome in ended),
        (sum(scored[side] for side, scored, _ in ended), sum(scored[side.other] for side, scored, _ in ended)),
    )


def told(all_of_it: Figures, unfinished: int) -> list[str]:
    """Figures in lines; how many games are not counted because they are not over is said."""
    counted = _games(all_of_it.games, "finished game")
    lines = [counted + (f"; {_games(unfinished, 'game')} not finished and not counted." if unfinished else ".")]
    if not all_of_it.turns:
        return lines
    light, dark = all_of_it.won
    least, middle, most = all_of_it.turns
    lines.append(f"  result      light won {light}, dark won {dark}, drawn {all_of_it.drawn}")
    lines.append(f"  by          {', '.join(f'{reason} {n}' for reason, n in all_of_it.reasons.items() if n)}")
    lines.append(f"  turns       {least} at the least, {middle:g} in the middle (median), {most} at the most")
    each = [f"{side} {all_of_it.points[side]} ({all_of_it.points[side] / all_of_it.games:.1f} a game)" for side in Side]
    lines.append(f"  points      {', '.join(each)}")
    lines.append(f"  taken back  {_games(all_of_it.taken_back, 'turn')}")
    if all_of_it.timed:
        some = "" if all_of_it.timed == all_of_it.games else f" in {all_of_it.timed} of them"
        mean = game_times.lasting(all_of_it.seconds / all_of_it.timed)
        lines.append(f"  played for  {game_times.lasting(all_of_it.seconds)}{some}; {mean} a game")
    return lines + _first(all_of_it.first)


def told_by_variant(ponds: dict[str, Figures]) -> list[str]:
    """A line for each pond."""
    head = ("pond", "games", "light", "dark", "drawn", "turns", "points", "first to move wins")
    cells: list[tuple[str, ...]] = [head]
    for name, here in ponds.items():
        middle = f"{here.turns[1]:g}" if here.turns else ""
        points = f"{sum(here.points) / here.games:.1f}" if here.games else ""
        counts = (here.games, *here.won, here.drawn)
        cells.append((name, *map(str, counts), middle, points, _percent(here.first)))
    return [*_columns(cells, {1, 2, 3, 4, 5, 6}), "", "Turns: the median. Points: of both sides, a game."]


def told_by_player(players: Sequence[Played]) -> list[str]:
    """A line for each player."""
    head = ("player", "games", "won", "lost", "drawn", "as light", "as dark", "points", "against")
    cells: list[tuple[str, ...]] = [head]
    for each in players:
        as_side = [f"{won} of {games}" for won, games in zip(each.won, each.games, strict=True)]
        counts = (sum(each.games), sum(each.won), each.lost, each.drawn)
        cells.append(
            (cut_text(printable(each.name), _LONGEST_NAME), *map(str, counts), *as_side, *map(str, each.points))
        )
    return [*_columns(cells, {1, 2, 3, 4, 5, 6, 7, 8}), "", "As light, as dark: games won of those played."]


def as_object(here: Figures) -> dict[str, object]:
    """Figures for a program."""
    low, high = here.first.interval
    return {
        "finished": here.games,
        "won": {str(side): here.won[side] for side in Side},
        "drawn": here.drawn,
        "reasons": here.reasons,
        "turns": dict(zip(("least", "median", "most"), here.turns, strict=True)) if here.turns else None,
        "points": {str(side): here.points[side] for side in Side},
        "taken_back": here.taken_back,
        "seconds": round(here.seconds, 3),
        "timed": here.timed,
        "first_to_move": {"won": here.first.cases, "of": here.first.of, "low": round(low, 4), "high": round(high, 4)},
    }


def player_as_object(each: Played) -> dict[str, object]:
    """What one player's games come to, for a program."""
    return {
        "name": None if each.name == NAMELESS else each.name,
        "finished": sum(each.games),
        "won": {str(side): each.won[side] for side in Side},
        "games": {str(side): each.games[side] for side in Side},
        "lost": each.lost,
        "drawn": each.drawn,
        "points": each.points[0],
        "against": each.points[1],
    }


def _first(share: Share) -> list[str]:
    if not share.of:
        return []
    low, high = share.interval
    lines = [f"  first move  whoever moves first won {_percent(share)}"]
    if low <= 0.5 <= high:
        lines.append("              (that may be chance: half of the games lies within it)")
    return lines


def _percent(share: Share) -> str:
    """A share with its interval, and what it stands on."""
    if not share.of:
        return "-"
    low, high = share.interval
    return f"{share.cases} of {share.of}: {share.cases / share.of:.0%}, {low:.0%} to {high:.0%}"


def _games(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"


def _columns(cells: Sequence[Sequence[str]], right: Iterable[int]) -> list[str]:
    wide = [max(map(count_columns, column)) for column in zip(*cells, strict=True)]
    to_right: Callable[[int], bool] = set(right).__contains__
    return ["  ".join(pad_text(t, wide[n], right=to_right(n)) for n, t in enumerate(line)).rstrip() for line in cells]
