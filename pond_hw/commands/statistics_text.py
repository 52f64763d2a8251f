"""What finished games come to, as lines of 80 columns for people and as JSON for programs. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pond_hw.journal.game_times import format_playing_time
from pond_hw.journal.statistics import NO_NAME, GameCounts, PlayerCounts, WinShare
from pond_hw.lab import elo
from pond_hw.messages.columns import align_columns
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.terminal_text import cut_text, replace_unprintable
from pond_hw.rules import Side

LONGEST_NAME = 20
"""Columns for a name."""


def describe_counts(counts: GameCounts, unfinished: int) -> list[str]:
    """Numbers in lines; how many games are not counted because they are not over is said."""
    rest = f"; {_count_or_no(unfinished, 'game')} not finished and not counted." if unfinished else "."
    lines = [_count_or_no(counts.games, "finished game") + rest]
    if not counts.turns:
        return lines
    light, dark = counts.won
    least, median, most = counts.turns
    points = [f"{side} {counts.points[side]} ({counts.points[side] / counts.games:.1f} a game)" for side in Side]
    lines += [
        f"  result      light won {light}, dark won {dark}, drawn {counts.drawn}",
        f"  by          {', '.join(f'{reason} {games}' for reason, games in counts.reasons.items() if games)}",
        f"  turns       {least} at the least, {median:g} in the middle (median), {most} at the most",
        f"  points      {', '.join(points)}",
        f"  taken back  {_count_or_no(counts.taken_back, 'turn')}",
    ]
    if counts.timed:
        some = "" if counts.timed == counts.games else f" in {counts.timed} of them"
        mean = format_playing_time(counts.seconds / counts.timed)
        lines.append(f"  played for  {format_playing_time(counts.seconds)}{some}; {mean} a game")
    return lines + _describe_first_move(counts.first)


def _describe_first_move(share: WinShare) -> list[str]:
    if not share.total_cases:
        return []
    lines = [f"  first move  whoever moves first won {_format_share(share)}"]
    low, high = find_interval(share)
    if low <= 0.5 <= high:
        lines.append("              (that may be chance: half of the games lies within it)")
    return lines


def describe_variants(variants: Mapping[str, GameCounts]) -> list[str]:
    """A line for each variant."""
    rows: list[Sequence[str]] = [("pond", "games", "light", "dark", "drawn", "turns", "points", "first to move wins")]
    for name, counts in variants.items():
        median = f"{counts.turns[1]:g}" if counts.turns else ""
        points = f"{sum(counts.points) / counts.games:.1f}" if counts.games else ""
        numbers = map(str, (counts.games, *counts.won, counts.drawn))
        rows.append((name, *numbers, median, points, _format_share(counts.first)))
    return [*align_columns(rows, "lrrrrrrl"), "", "Turns: the median. Points: of both sides, a game."]


def describe_players(players: Sequence[PlayerCounts]) -> list[str]:
    """A line for each player."""
    rows: list[Sequence[str]] = [
        ("player", "games", "won", "lost", "drawn", "as light", "as dark", "points", "against")
    ]
    for player in players:
        as_side = [f"{won} of {games}" for won, games in zip(player.won, player.games, strict=True)]
        numbers = map(str, (sum(player.games), sum(player.won), player.lost, player.drawn))
        name = cut_text(replace_unprintable(player.name), LONGEST_NAME)
        rows.append((name, *numbers, *as_side, *map(str, player.points)))
    return [*align_columns(rows, "lrrrrrrrr"), "", "As light, as dark: games won of those played."]


def format_counts(counts: GameCounts) -> dict[str, object]:
    """Numbers for a program."""
    low, high = find_interval(counts.first)
    first = {"won": counts.first.cases, "of": counts.first.total_cases, "low": round(low, 4), "high": round(high, 4)}
    return {
        "finished": counts.games,
        "won": {str(side): counts.won[side] for side in Side},
        "drawn": counts.drawn,
        "reasons": counts.reasons,
        "turns": dict(zip(("least", "median", "most"), counts.turns, strict=True)) if counts.turns else None,
        "points": {str(side): counts.points[side] for side in Side},
        "taken_back": counts.taken_back,
        "seconds": round(counts.seconds, 3),
        "timed": counts.timed,
        "first_to_move": first,
    }


def format_player_counts(player: PlayerCounts) -> dict[str, object]:
    """What one player's games come to, for a program."""
    return {
        "name": None if player.name == NO_NAME else player.name,
        "finished": sum(player.games),
        "won": {str(side): player.won[side] for side in Side},
        "games": {str(side): player.games[side] for side in Side},
        "lost": player.lost,
        "drawn": player.drawn,
        "points": player.points[0],
        "against": player.points[1],
    }


def find_interval(share: WinShare) -> elo.Interval:
    """Where the true share lies, with 95 % confidence; 0 to 1 if there was no case."""
    return elo.share_interval(share.cases / share.total_cases if share.total_cases else 0.5, share.total_cases)


def _format_share(share: WinShare) -> str:
    """A share with its interval, and what it stands on."""
    if not share.total_cases:
        return "-"
    low, high = find_interval(share)
    return f"{share.cases} of {share.total_cases}: {share.cases / share.total_cases:.0%}, {low:.0%} to {high:.0%}"


def _count_or_no(count: int, noun: str) -> str:
    return count_noun(count, noun) if count else f"no {noun}s"
