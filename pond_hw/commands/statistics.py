"""`pond statistics`: what the finished games come to, as lines of 80 columns for people and as JSON for programs."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence

from pond_hw.commands.arguments import add_flag, add_journal_option
from pond_hw.commands.command_output import print_lines
from pond_hw.commands.kept_games import open_journal
from pond_hw.journal import statistics
from pond_hw.journal.game_times import format_playing_time
from pond_hw.journal.statistics import NO_NAME, GameCounts, PlayerCounts, WinShare
from pond_hw.lab import elo
from pond_hw.messages.columns import align_columns
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.terminal_text import cut_text, replace_unprintable
from pond_hw.rules import Side

LONGEST_NAME = 20
"""Columns for a name."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_journal_option(parser)
    parser.add_argument("--by", choices=("player", "variant"), help="a line for each player, or each pond")
    add_flag(parser, "--json", "one JSON object")


def run_command(options: Namespace) -> int:
    """Count games.

    Returns:
        2 if nothing could be read, else 0.
    """
    journal = open_journal(options)
    finished = statistics.select_finished(journal.begun)
    unfinished = sum(game.is_readable for game in journal.begun) - len(finished)
    counts = statistics.count_games(finished)
    players = statistics.count_games_by_player(finished) if options.by == "player" else []
    variants = statistics.count_games_by_variant(finished) if options.by == "variant" else {}
    if options.json:
        report = journal.json_heading() | {"unfinished": unfinished} | counts_to_json(counts)
        if options.by == "player":
            report["players"] = list(map(_player_to_json, players))
        if options.by == "variant":
            report["variants"] = {name: counts_to_json(variant_counts) for name, variant_counts in variants.items()}
        print(json.dumps(report, indent=1))
    elif players:
        print_lines(*_describe_players(players))
    elif variants:
        print_lines(*_describe_variants(variants))
    elif journal.begun:
        print_lines(*_describe_counts(counts, unfinished))
    elif not journal.unreadable:
        print_lines(f"There is no game in {journal.folder}.")
    return journal.exit_code


def _describe_counts(counts: GameCounts, unfinished: int) -> list[str]:
    """Numbers in lines; how many games are not counted because they are not over is said."""
    rest = f"; {_count_or_no(unfinished, 'game')} not finished and not counted." if unfinished else "."
    text_lines = [_count_or_no(counts.games, "finished game") + rest]
    if not counts.turns:
        return text_lines
    light, dark = counts.won
    fewest_turns, median, most_turns = counts.turns
    points = [f"{side} {counts.points[side]} ({counts.points[side] / counts.games:.1f} a game)" for side in Side]
    text_lines += [
        f"  result      light won {light}, dark won {dark}, drawn {counts.drawn}",
        f"  by          {', '.join(f'{reason} {game_count}' for reason, game_count in counts.reasons.items() if game_count)}",
        f"  turns       {fewest_turns} at the least, {median:g} in the middle (median), {most_turns} at the most",
        f"  points      {', '.join(points)}",
        f"  taken back  {_count_or_no(counts.taken_back, 'turn')}",
    ]
    if counts.timed:
        timed_text = "" if counts.timed == counts.games else f" in {counts.timed} of them"
        mean = format_playing_time(counts.seconds / counts.timed)
        text_lines.append(f"  played for  {format_playing_time(counts.seconds)}{timed_text}; {mean} a game")
    if counts.first.total_cases:
        text_lines.append(f"  first move  whoever moves first won {_format_share(counts.first)}")
        low_end, high_end = find_interval(counts.first)
        if low_end <= 0.5 <= high_end:
            text_lines.append("              (that may be chance: half of the games lies within it)")
    return text_lines


def _describe_variants(variants: Mapping[str, GameCounts]) -> list[str]:
    """A line for each variant."""
    headings = ("pond", "games", "light", "dark", "drawn", "turns", "points", "first to move wins")
    rows: list[Sequence[object]] = [headings]
    for name, counts in variants.items():
        median = f"{counts.turns[1]:g}" if counts.turns else ""
        points = f"{sum(counts.points) / counts.games:.1f}" if counts.games else ""
        rows.append((name, counts.games, *counts.won, counts.drawn, median, points, _format_share(counts.first)))
    return [*align_columns(rows, "lrrrrrrl"), "", "Turns: the median. Points: of both sides, a game."]


def _describe_players(player_counts: Sequence[PlayerCounts]) -> list[str]:
    """A line for each player."""
    headings = ("player", "games", "won", "lost", "drawn", "as light", "as dark", "points", "against")
    rows: list[Sequence[object]] = [headings]
    for player in player_counts:
        as_side = [f"{won} of {game_count}" for won, game_count in zip(player.won, player.games, strict=True)]
        name = cut_text(replace_unprintable(player.name), LONGEST_NAME)
        numbers = sum(player.games), sum(player.won), player.lost, player.drawn
        rows.append((name, *numbers, *as_side, *player.points))
    return [*align_columns(rows, "lrrrrrrrr"), "", "As light, as dark: games won of those played."]


def counts_to_json(counts: GameCounts) -> dict[str, object]:
    """Numbers for a program."""
    (cases, total_cases), (low, high) = counts.first, find_interval(counts.first)
    return {
        "finished": counts.games,
        "won": _sides_to_json(counts.won),
        "drawn": counts.drawn,
        "reasons": counts.reasons,
        "turns": dict(zip(("least", "median", "most"), counts.turns, strict=True)) if counts.turns else None,
        "points": _sides_to_json(counts.points),
        "taken_back": counts.taken_back,
        "seconds": round(counts.seconds, 3),
        "timed": counts.timed,
        "first_to_move": {"won": cases, "of": total_cases, "low": round(low, 4), "high": round(high, 4)},
    }


def _player_to_json(player: PlayerCounts) -> dict[str, object]:
    return {
        "name": None if player.name == NO_NAME else player.name,
        "finished": sum(player.games),
        "won": _sides_to_json(player.won),
        "games": _sides_to_json(player.games),
        "lost": player.lost,
        "drawn": player.drawn,
        "points": player.points[0],
        "against": player.points[1],
    }


def _sides_to_json(numbers: tuple[int, int]) -> dict[str, int]:
    return {str(side): numbers[side] for side in Side}


def find_interval(share: WinShare) -> elo.Interval:
    """Where the true share lies, with 95 % confidence; 0 to 1 if there was no case."""
    return elo.share_interval(share.cases / share.total_cases if share.total_cases else 0.5, share.total_cases)


def _format_share(win_share: WinShare) -> str:
    """A share with its interval, and what it stands on."""
    if not win_share.total_cases:
        return "-"
    low_end, high_end = find_interval(win_share)
    cases, total_cases = win_share
    return f"{cases} of {total_cases}: {cases / total_cases:.0%}, {low_end:.0%} to {high_end:.0%}"


def _count_or_no(item_count: int, noun: str) -> str:
    return count_noun(item_count, noun) if item_count else f"no {noun}s"
