"""What a study comes to, in words and tables for 80 columns. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from pond_hw.commands.number_text import format_interval, format_percent, format_share, format_signed
from pond_hw.commands.variant_solution import format_value
from pond_hw.engine.packed import SURE_VALUE
from pond_hw.lab.fairness import MIN_GAME_SHARE
from pond_hw.lab.tournament_plan import TournamentPlan
from pond_hw.messages.columns import align_columns
from pond_hw.messages.plurals import count_noun
from pond_hw.profile.faults import join_words
from pond_hw.rules import get_grid, parse_variant

WIDTH = 80

MOST_BARS = 12
LONGEST_BAR = 40
BIN_WIDTHS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 50, 100)

ENOUGH_DIFFERENT = 0.95
"""If a smaller share of the games differ from each other, it is said."""

PLY_STEP = 4
"""Actions from one line of the course of the games to the next."""

Results = dict[str, Any]
"""What `fairness.as_object` tells of a study, or of one variant of it."""


def format_report(plan: TournamentPlan, results: Results) -> list[str]:
    """The report.

    Args:
        plan: of the study.
        results: what `fairness.as_object` tells of it.
    """
    studied: list[Results] = results["ponds"]
    where = f"{'each of ' if len(studied) > 1 else ''}{', '.join(plan.variants)}"
    games, player = count_noun(plan.games, "game"), plan.players[0]
    opening = _describe_opening(plan.opening)
    lines = wrap(f"{games} on {where}: {player} against itself. Seed {plan.seed}; {opening}", WIDTH)
    if len(studied) > 1:
        lines += ["", *_compare_variants(studied)]
    for result in studied:
        lines += ["", *_describe_variant(result)]
    if plan.clocked_players:
        lines += ["", f"{player} plays by the clock: another run comes out differently."]
    return lines


def _describe_opening(length: int) -> str:
    if not length:
        return "nothing is left to chance at the beginning."
    rest = f", then {count_noun(length - 1, 'action')} by chance" if length > 1 else ""
    return f"the first egg is put on each cell in turn{rest}; from there on the player decides."


def rank_by_fairness(studied: Sequence[Results]) -> list[Results]:
    """The variants in the order of how far light's share was from a half."""
    return sorted(studied, key=lambda result: result["from_even"]["share"])


def _compare_variants(studied: Sequence[Results]) -> Iterator[str]:
    """Which of several variants is the fairest."""
    fairest, *others = ranked = rank_by_fairness(studied)
    distance = fairest["from_even"]
    apart = [result["variant"] for result in others if result["from_even"]["low"] > distance["high"]]
    near = [result["variant"] for result in others if result["from_even"]["low"] <= distance["high"]]
    text = (
        f"{fairest['variant']} was the fairest: light's share was {100 * distance['share']:.1f} points from even "
        f"there, and is hardly more than {100 * distance['high']:.1f}."
    )
    if apart:
        text += f" {join_words(apart)} {_is_or_are(apart)} less fair: the intervals do not meet."
    if near:
        text += f" So many games cannot tell whether {join_words(near)} {_is_or_are(near)} less fair."
    yield from wrap(text, WIDTH)
    yield ""
    rows: list[Sequence[str]] = [
        ("pond", "games", "light's share, 95 %", "Elo", "light", "drawn", "dark", "actions", "choices")
    ]
    for result in ranked:
        won = (_format_rough_percent(result[end]["share"]) for end in ("light_wins", "drawn", "dark_wins"))
        means = f"{result['actions']['mean']:.1f}", f"{result['choices']:.1f}"
        share = format_share(result["light"])
        rows.append((result["variant"], str(result["games"]), share, _format_elo(result), *won, *means))
    yield from align_columns(rows, "lrlrrrrrr", WIDTH)


def _describe_variant(result: Results) -> Iterator[str]:
    """One variant."""
    name = result["variant"]
    yield name
    yield "=" * len(name)
    for text in (_describe_fairness(result), _describe_games(result), _describe_first_egg(result)):
        yield from wrap(text, WIDTH)
    yield ""
    yield from _tabulate_results(result)
    yield ""
    yield "The first egg: its value for light, and light's share of the games that"
    yield "began with it (or one like it, turned or mirrored)."
    yield ""
    yield from _draw_board(result)
    yield ""
    yield from _tabulate_eggs(result)
    yield ""
    yield "Actions of a game, both sides together:"
    yield from _draw_lengths(result)
    yield ""
    yield "Pieces that light is ahead by at the end:"
    yield from _draw_leads(result)
    yield ""
    yield "On the way: the choice of the side to move, and by how much light is ahead."
    yield from _tabulate_plies(result)


def _tabulate_results(result: Results) -> list[str]:
    rows: list[Sequence[str]] = [("", "games", "share", "95 %")]
    for label, key in (("light wins", "light_wins"), ("drawn", "drawn"), ("dark wins", "dark_wins")):
        won = result[key]
        rows.append((label, str(won["games"]), format_percent(won["share"]), format_interval(won, format_percent)))
    light = result["light"]
    rows.append(("light's points", "", format_percent(light["share"]), format_interval(light, format_percent)))
    rows.append(("as Elo", "", _format_elo(result), format_interval(result["elo"], format_signed)))
    return align_columns(rows, "lrrl", WIDTH)


def _tabulate_eggs(result: Results) -> list[str]:
    solved = _is_solved(result)
    rows = [("egg on", "value", *(["really"] if solved else []), "games", "light's share, 95 %")]
    for egg in _rank_eggs(result):
        exact_value = [format_value(egg["solved"])] if solved else []
        share = format_share(egg["light"]) if egg["games"] else ""
        rows.append((" ".join(egg["cells"]), format_worth(egg["value"]), *exact_value, str(egg["games"]), share))
    return align_columns(rows, "lrlrl" if solved else "lrrl", WIDTH)


def _tabulate_plies(result: Results) -> list[str]:
    headings = ("action", "games", "legal actions", "light ahead")
    plies = select_common_plies(result)[::PLY_STEP]
    rows = [(str(ply["ply"]), str(ply["games"]), f"{ply['choices']:.1f}", f"{ply['lead']:+.2f}") for ply in plies]
    return align_columns([headings, *rows], "rrrr", WIDTH)


def _describe_fairness(result: Results) -> str:
    """Who is better off, in a sentence or two."""
    light, even, games = result["light"], result["from_even"], result["games"]
    wins = [format_percent(result[end]["share"]) for end in ("light_wins", "dark_wins", "drawn")]
    text = (
        f"Between equal players light wins {wins[0]}, dark {wins[1]}, and {wins[2]} are drawn. With draws as halves, "
        f"light's share is {_describe_share(light)}, as if it were {_format_elo(result)} Elo "
        f"({format_interval(result['elo'], format_signed)}) better: "
    )
    if light["low"] > 0.5:
        text += "to move first is an advantage."
    elif light["high"] < 0.5:
        text += "to move second is an advantage."
    else:
        most = 100 * even["high"]
        text += f"no advantage of either side is to be seen, and there is hardly one of more than {most:.1f} points."
    if result["different"] < ENOUGH_DIFFERENT * games:
        text += (
            f" Only {result['different']} of the {count_noun(games, 'game')} differ (turned or mirrored they are the "
            "same), so this is less sure than it looks."
        )
    return text


def _describe_games(result: Results) -> str:
    """How long games last and how they end."""
    actions, reasons, games = result["actions"], result["reasons"], result["games"]
    low, median, high = actions["quantiles"].values()
    ends = [f"{_format_rough_percent(count / games)} by {reason}" for reason, count in reasons.items() if count]
    return (
        f"A game lasts {actions['mean']:.1f} actions (standard deviation {actions['deviation']:.1f}, median {median}), "
        f"eight of ten from {low} to {high}. Games end {join_words(ends).replace('too long', 'being too long')}. "
        f"In the end the sides are {result['final_lead']['mean_size']:.1f} pieces apart. "
        f"The side to move chooses among {result['choices']:.1f} legal actions."
    )


def _describe_first_egg(result: Results) -> str:
    """Which first egg is best."""
    eggs = _rank_eggs(result)
    value = eggs[0]["value"]
    best = " or ".join(egg["cell"] for egg in eggs if egg["value"] == value)
    worth = f"{'' if abs(value) >= SURE_VALUE else 'worth '}{format_worth(value)}"
    depth = count_noun(result["search"]["depth"], "action")
    text = f"Looked {depth} ahead, the best first egg is on {best} ({worth})"
    played = [egg for egg in eggs if egg["games"]]
    if len(played) > 1:
        favourite = max(played, key=lambda egg: egg["light"]["share"])
        text += f"; in the games it was {favourite['cell']}, with {_describe_share(favourite['light'])} for light"
        if any(egg["light"]["high"] >= favourite["light"]["low"] for egg in played if egg is not favourite):
            text += ", which may be chance"
    if _is_solved(result):
        most = max(egg["solved"] for egg in eggs)
        really_best = " or ".join(egg["cell"] for egg in result["first_eggs"] if egg["solved"] == most)
        text += f". The pond is solved: with {really_best}, light really {format_value(most)}"
        text += " actions" if most else ""
    return text + "."


def _draw_board(result: Results) -> Iterator[str]:
    """The board, each cell with what a first egg there is worth."""
    rows = get_grid(parse_variant(result["variant"]).size).rows
    eggs = {cell: egg for egg in result["first_eggs"] for cell in egg["cells"]}
    values = {cell: format_worth(egg["value"]) for cell, egg in eggs.items()}
    shares = {cell: _format_rough_percent(egg["light"]["share"]) for cell, egg in eggs.items()}
    width = max(map(len, (*values.values(), *shares.values()))) + 2
    edge = "   +" + ("-" * width + "+") * len(rows)
    yield edge
    for row in rows:
        yield f" {row[0][1]} |" + "|".join(f"{values[cell]:^{width}}" for cell in row) + "|"
        yield "   |" + "|".join(f"{shares[cell]:^{width}}" for cell in row) + "|"
        yield edge
    yield ("    " + " ".join(f"{cell[0]:^{width}}" for cell in rows[0])).rstrip()


def _draw_lengths(result: Results) -> list[str]:
    counts = {int(length): count for length, count in result["actions"]["counted"].items()}
    span = max(counts) - min(counts) + 1
    bin_width = next((width for width in BIN_WIDTHS if span <= width * MOST_BARS), BIN_WIDTHS[-1])
    return _draw_histogram(counts, bin_width, "d")


def _draw_leads(result: Results) -> list[str]:
    counts = {int(lead): count for lead, count in result["final_lead"]["counted"].items()}
    bin_width = 1 if max(counts) - min(counts) < 2 * MOST_BARS else 2
    return _draw_histogram(counts, bin_width, "+d")


def _draw_histogram(counts: Mapping[int, int], bin_width: int, number_format: str) -> list[str]:
    """Bars, each for so many numbers."""
    bins = dict.fromkeys(range(min(counts) // bin_width, max(counts) // bin_width + 1), 0)
    for value, count in counts.items():
        bins[value // bin_width] += count
    rows = []
    for number, count in bins.items():
        ends = number * bin_width, (number + 1) * bin_width - 1
        low, high = (format(end, number_format).replace("+0", "0") for end in ends)
        bar = "#" * round(LONGEST_BAR * count / max(bins.values()))
        rows.append((low if bin_width == 1 else f"{low} to {high}", str(count), bar))
    return align_columns(rows, "rrl", WIDTH)


def select_common_plies(result: Results) -> list[Results]:
    """The actions that enough of the games had."""
    return [ply for ply in result["plies"] if ply["games"] >= MIN_GAME_SHARE * result["games"]]


def format_worth(value: int) -> str:
    """A value in pieces, or that it is sure."""
    if abs(value) >= SURE_VALUE:
        return format_value(value)
    return f"{value / 100:+.2f}" if value else "0.00"


def _rank_eggs(result: Results) -> list[Results]:
    return sorted(result["first_eggs"], key=lambda egg: -egg["value"])


def _is_solved(result: Results) -> bool:
    return result["first_eggs"][0]["solved"] is not None


def _format_elo(result: Results) -> str:
    difference = result["elo"]["difference"]
    return "all" if difference is None else format_signed(difference)


def _describe_share(share: Results) -> str:
    return f"{format_percent(share['share'])} ({format_interval(share, format_percent)})"


def _format_rough_percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %"


def _is_or_are(words: Sequence[str]) -> str:
    return "is" if len(words) == 1 else "are"
