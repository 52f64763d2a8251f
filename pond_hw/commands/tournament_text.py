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
"""What `summarize_tournament` returns of a tournament, or of one match or player of it."""

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
        parts.append(
            [_describe_verdict(plan.test, match_number, match, names) for match_number, match in enumerate(matches, 1)]
        )
    parts.append([line for match in matches for line in _describe_forfeits(match, names)])
    if plan.clocked_players:
        clocked_text = " and ".join(plan.clocked_players)
        verb_text = "plays" if len(plan.clocked_players) == 1 else "play"
        parts.append([f"{clocked_text} {verb_text} by the clock: another run comes out differently."])
    text_lines = [line for text_part in parts if text_part for line in ("", *text_part)]
    return text_lines[1:]


def _describe_plan(plan: TournamentPlan, results: Results) -> list[str]:
    variants = ", ".join(plan.variants) if len(plan.variants) < 4 else f"{len(plan.variants)} ponds"
    opening = f"an opening of {plan.opening} by chance" if plan.opening else "no opening"
    games_text = count_noun(results["games"], "game")
    text_lines = [f"{games_text} on {variants}; seed {plan.seed}, {opening}, sides swapped."]
    return text_lines if results["complete"] else [*text_lines, "Not finished: this is what there is so far."]


def _tabulate_players(player_results: Sequence[Results], shown_names: Names) -> list[str]:
    table_rows: list[Sequence[str]] = [("player", "games", "score", "Elo", "95 %")]
    for player in sorted(player_results, key=lambda player: -player["elo"]):
        games_text, score = str(player["games"]), format_percent(player["score"])
        elo, interval = format_signed(player["elo"]), format_interval(player, format_signed)
        table_rows.append((shown_names[player["name"]], games_text, score, elo, interval))
    return align_columns(table_rows, "lrrrl", WIDTH)


def _tabulate_scores(match_results: Sequence[Results], shown_names: Names) -> list[str]:
    """A line for each match: who scored how much."""
    table_rows: list[Sequence[str]] = [("", "pond", "player", "against", "games", "score", "Elo", "95 %")]
    for match_number, match in enumerate(match_results, 1):
        player_pair = shown_names[match["player"]], shown_names[match["against"]]
        games_text, score = str(match["games"]), format_percent(match["score"]["share"])
        difference = interval = ""
        if match["games"]:
            elo = match["elo"]
            difference, interval = format_signed(elo["difference"]), format_interval(elo, format_signed)
        table_rows.append((str(match_number), match["variant"], *player_pair, games_text, score, difference, interval))
    return align_columns(table_rows, "rlllrrrl", WIDTH)


def _tabulate_games(match_results: Sequence[Results]) -> list[str]:
    """A line for each match: how its games went."""
    rows: list[Sequence[str]] = [
        ("", "won", "drawn", "lost", "light's share, 95 %", "actions", "elim.", "rep.", "too long")
    ]
    for match_number, match in enumerate(match_results, 1):
        results = (str(match[result]) for result in ("won", "drawn", "lost"))
        share_text = format_share(match["light"]) if match["games"] else ""
        mean = match["actions"]["mean"]
        reason_texts = (str(match[reason]) for reason in ("eliminations", "repetitions", "too_long"))
        rows.append((str(match_number), *results, share_text, "" if mean is None else f"{mean:.1f}", *reason_texts))
    return align_columns(rows, "rrrrlrrrr", WIDTH)


def _shorten_names(shown_names: Sequence[str]) -> dict[str, str]:
    """The names for a table: of a program from outside the last word of its command, if that tells it apart."""
    short = {name: _name_program(name) if is_external_name(name) else name for name in shown_names}
    return {name: word if word and list(short.values()).count(word) == 1 else name for name, word in short.items()}


def _name_program(player_name: str) -> str:
    command_words = " ".join(shlex.split(player_name.removeprefix(PROGRAM_PREFIX))).split()
    return Path(command_words[-1]).name[:20] if command_words else player_name


def _describe_forfeits(match: Results, shown_names: Names) -> Iterator[str]:
    """What programs from outside have lost by themselves in a match."""
    for player, reason_counts in match.get("forfeits", {}).items():
        if reason_counts:
            games_text = count_noun(sum(reason_counts.values()), "game")
            reasons_text = ", ".join(f"{forfeit_count} {reason}" for reason, forfeit_count in reason_counts.items())
            yield f"{shown_names[match[player]]} lost {games_text} on {match['variant']} by itself: {reasons_text}."


def _describe_verdict(test: SequentialTest, match_number: int, match: Results, shown_names: Names) -> str:
    """What the test says about a match."""
    verdict = match["test"]
    if not verdict:
        return f"{match_number}: not decided between {test.elo0:+g} and {test.elo1:+g}."
    if test.elo0 == -test.elo1:
        better = shown_names[match["player" if verdict["better"] else "against"]]
        answer = f"{match_number}: {better} is better"
    else:
        elo, other_elo = (test.elo1, test.elo0) if verdict["better"] else (test.elo0, test.elo1)
        answer = f"{match_number}: {shown_names[match['player']]} is rather {elo:+g} than {other_elo:+g}"
    return f"{answer}; decided after {count_noun(verdict['games'], 'game')} (LLR {verdict['likelihood']:+.2f})."
