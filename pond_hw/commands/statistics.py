"""`pond statistics`: count finished games, as text in 80 columns or JSON."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from pond_hw.commands.arguments import add_flag, add_journal_option, add_language_option, read_language
from pond_hw.commands.command_output import print_lines
from pond_hw.commands.saved_games import open_journal
from pond_hw.engine.player_name import name_player
from pond_hw.journal import statistics
from pond_hw.journal.game_times import describe_playing_time
from pond_hw.journal.statistics import GameCounts, PlayerCounts, WinShare
from pond_hw.lab import elo
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import align_columns
from pond_hw.messages.terminal_text import cut_text, replace_unprintable
from pond_hw.rules import Side

MAX_NAME_LENGTH = 20
"""Maximum width of a name in columns."""


def add_arguments(parser: ArgumentParser) -> None:
    add_journal_option(parser)
    parser.add_argument("--by", choices=("player", "variant"), help="one line per player, or per pond")
    add_flag(parser, "--json", "print one JSON object")
    add_language_option(parser)


def run_command(options: Namespace) -> int:
    """Count games. Return 2 if errors made every game unreadable, else 0."""
    journal, language = open_journal(options), read_language(options)
    print_table = partial(print_lines, language=language)
    finished = statistics.select_finished(journal.started)
    unfinished = sum(game.is_readable for game in journal.started) - len(finished)
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
        print_table(*_describe_players(players, language))
    elif variants:
        print_table(*_describe_variants(variants, language))
    elif journal.started:
        print_table(*_describe_counts(counts, unfinished, language))
    elif not journal.unreadable:
        print_table(journal.none_message)
    return journal.exit_code


def _describe_counts(counts: GameCounts, unfinished: int, language: str) -> Iterator[Message | str]:
    """Yield lines with the counts, and the number of unfinished games."""
    yield Message("statistics.finished", count=counts.games)
    if unfinished:
        yield Message("statistics.unfinished", count=unfinished)
    if counts.turns:
        yield from (f"  {line}" for line in align_columns(_list_counts(counts), "ll", language=language))


def _list_counts(counts: GameCounts) -> Iterator[tuple[Message | str, Message]]:
    """Yield labels and values of the counts, which must include at least one game."""
    assert counts.turns
    light, dark = counts.won
    yield Message("statistics.label.result"), Message("statistics.result", light=light, dark=dark, drawn=counts.drawn)
    yield Message("statistics.label.reasons"), Message("statistics.reasons", **counts.reasons)
    fewest, median, most = counts.turns
    yield Message("statistics.label.turns"), Message("statistics.turns", fewest=fewest, median=float(median), most=most)
    light, dark = counts.points
    means = {"light_mean": light / counts.games, "dark_mean": dark / counts.games}
    yield Message("statistics.label.points"), Message("statistics.points", light=light, dark=dark, **means)
    yield Message("statistics.label.taken_back"), Message("show_game.turns", count=counts.taken_back)
    if counts.timed:
        total, mean = map(describe_playing_time, (counts.seconds, counts.seconds / counts.timed))
        kind = "time" if counts.timed == counts.games else "time_of_some"
        yield (
            Message("statistics.label.time"),
            Message(f"statistics.{kind}", total=total, mean=mean, count=counts.timed),
        )
    if counts.first.total_cases:
        yield Message("statistics.label.first"), Message("statistics.first", share=_describe_share(counts.first))
        low_end, high_end = find_interval(counts.first)
        if low_end <= 0.5 <= high_end:
            yield "", Message("statistics.may_be_chance")


def _describe_variants(variants: Mapping[str, GameCounts], language: str) -> list[Message | str]:
    """Return a table with a row for each variant."""
    columns = ("pond", "games", "light", "dark", "drawn", "turns", "points", "first")
    rows: list[Sequence[object]] = [[Message(f"statistics.column.{column}") for column in columns]]
    for name, counts in variants.items():
        median = Message("statistics.median", turns=float(counts.turns[1])) if counts.turns else ""
        points = Message("statistics.mean", points=sum(counts.points) / counts.games) if counts.games else ""
        rows.append((name, counts.games, *counts.won, counts.drawn, median, points, _describe_share(counts.first)))
    return [*align_columns(rows, "lrrrrrrl", language=language), "", Message("statistics.variants_legend")]


def _describe_players(player_counts: Sequence[PlayerCounts], language: str) -> list[Message | str]:
    """Return a table with a row for each player."""
    columns = ("player", "games", "won", "lost", "drawn", "as_light", "as_dark", "points", "against")
    rows: list[Sequence[object]] = [[Message(f"statistics.column.{column}") for column in columns]]
    for player in player_counts:
        as_side = [
            Message("statistics.won_of", won=won, games=game_count)
            for won, game_count in zip(player.won, player.games, strict=True)
        ]
        person = cut_text(replace_unprintable(player.name), MAX_NAME_LENGTH)
        name = name_player(person, None) if person else Message("statistics.no_name")
        numbers = sum(player.games), sum(player.won), player.lost, player.drawn
        rows.append((name, *numbers, *as_side, *player.points))
    return [*align_columns(rows, "lrrrrrrrr", language=language), "", Message("statistics.players_legend")]


def counts_to_json(counts: GameCounts) -> dict[str, object]:
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
        "name": player.name or None,
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
    """Return the 95 % confidence interval of a share; 0 to 1 if there are no cases."""
    return elo.share_interval(share.cases / share.total_cases if share.total_cases else 0.5, share.total_cases)


def _describe_share(win_share: WinShare) -> Message:
    cases, total_cases = win_share
    if not total_cases:
        return Message("share.none")
    percent, low, high = (round(100 * share) for share in (cases / total_cases, *find_interval(win_share)))
    return Message("share.of_cases", cases=cases, total=total_cases, percent=percent, low=low, high=high)
