"""What a tournament comes to, in words and tables for 80 columns. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pond_hw.commands.number_text import format_interval, format_percent, format_share, format_signed
from pond_hw.engine.external_program import PROGRAM_PREFIX, is_external_name
from pond_hw.lab.tournament_plan import SequentialTest, TournamentPlan
from pond_hw.messages.columns import align_columns
from pond_hw.messages.plurals import count_noun

WIDTH = 80

Results = Mapping[str, Any]
"""What `summary.totals` tells of a tournament, or of one match or player of it."""

Names = Mapping[str, str]
"""What players are called in the tables."""


def format_tables(plan: TournamentPlan, results: Results) -> list[str]:
    """What a tournament comes to, in lines."""
    names, matches = _shorten_names(plan.players), results["matches"]
    parts = [_describe_plan(plan, results)]
    if len(plan.players) > 2 or len(plan.variants) > 1:
        parts.append(_tabulate_players(results["players"], names))
    parts += [_tabulate_scores(matches, names), _tabulate_games(matches)]
    if plan.test:
        parts.append([_describe_verdict(plan.test, number, match, names) for number, match in enumerate(matches, 1)])
    parts.append([line for match in matches for line in _describe_forfeits(match, names)])
    if plan.clocked_players:
        players = " and ".join(plan.clocked_players)
        play = "plays" if len(plan.clocked_players) == 1 else "play"
        parts.append([f"{players} {play} by the clock: another run comes out differently."])
    lines = [line for part in parts if part for line in ("", *part)]
    return lines[1:]


def _describe_plan(plan: TournamentPlan, results: Results) -> list[str]:
    variants = ", ".join(plan.variants) if len(plan.variants) < 4 else f"{len(plan.variants)} ponds"
    opening = f"an opening of {plan.opening} by chance" if plan.opening else "no opening"
    games = count_noun(results["games"], "game")
    lines = [f"{games} on {variants}; seed {plan.seed}, {opening}, sides swapped."]
    return lines if results["complete"] else [*lines, "Not finished: this is what there is so far."]


def _tabulate_players(players: Sequence[Results], names: Names) -> list[str]:
    rows: list[Sequence[str]] = [("player", "games", "score", "Elo", "95 %")]
    for player in sorted(players, key=lambda player: -player["elo"]):
        games, score = str(player["games"]), format_percent(player["score"])
        elo, interval = format_signed(player["elo"]), format_interval(player, format_signed)
        rows.append((names[player["name"]], games, score, elo, interval))
    return align_columns(rows, "lrrrl", WIDTH)


def _tabulate_scores(matches: Sequence[Results], names: Names) -> list[str]:
    """A line for each match: who scored how much."""
    rows: list[Sequence[str]] = [("", "pond", "player", "against", "games", "score", "Elo", "95 %")]
    for number, match in enumerate(matches, 1):
        players = names[match["player"]], names[match["against"]]
        games, score = str(match["games"]), format_percent(match["score"]["share"])
        difference = interval = ""
        if match["games"]:
            elo = match["elo"]
            difference, interval = format_signed(elo["difference"]), format_interval(elo, format_signed)
        rows.append((str(number), match["variant"], *players, games, score, difference, interval))
    return align_columns(rows, "rlllrrrl", WIDTH)


def _tabulate_games(matches: Sequence[Results]) -> list[str]:
    """A line for each match: how its games went."""
    rows: list[Sequence[str]] = [
        ("", "won", "drawn", "lost", "light's share, 95 %", "actions", "elim.", "rep.", "too long")
    ]
    for number, match in enumerate(matches, 1):
        results = (str(match[result]) for result in ("won", "drawn", "lost"))
        share = format_share(match["light"]) if match["games"] else ""
        mean = match["actions"]["mean"]
        reasons = (str(match[reason]) for reason in ("eliminations", "repetitions", "too_long"))
        rows.append((str(number), *results, share, "" if mean is None else f"{mean:.1f}", *reasons))
    return align_columns(rows, "rrrrlrrrr", WIDTH)


def _shorten_names(names: Sequence[str]) -> dict[str, str]:
    """The names for a table: of a program from outside the last word of its command, if that tells it apart."""
    short = {name: _name_program(name) if is_external_name(name) else name for name in names}
    return {name: word if word and list(short.values()).count(word) == 1 else name for name, word in short.items()}


def _name_program(name: str) -> str:
    words = " ".join(shlex.split(name.removeprefix(PROGRAM_PREFIX))).split()
    return Path(words[-1]).name[:20] if words else name


def _describe_forfeits(match: Results, names: Names) -> Iterator[str]:
    """What programs from outside have lost by themselves in a match."""
    for player, reasons in match.get("forfeits", {}).items():
        if reasons:
            games = count_noun(sum(reasons.values()), "game")
            why = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
            yield f"{names[match[player]]} lost {games} on {match['variant']} by itself: {why}."


def _describe_verdict(test: SequentialTest, number: int, match: Results, names: Names) -> str:
    """What the test says about a match."""
    verdict = match["test"]
    if not verdict:
        return f"{number}: not decided between {test.elo0:+g} and {test.elo1:+g}."
    if test.elo0 == -test.elo1:
        better = names[match["player" if verdict["better"] else "against"]]
        answer = f"{number}: {better} is better"
    else:
        elo, other = (test.elo1, test.elo0) if verdict["better"] else (test.elo0, test.elo1)
        answer = f"{number}: {names[match['player']]} is rather {elo:+g} than {other:+g}"
    return f"{answer}; decided after {count_noun(verdict['games'], 'game')} (LLR {verdict['likelihood']:+.2f})."
