"""What a study comes to, in words and tables for 80 columns. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from pond_hw.commands.number_text import format_interval, format_percent, format_share, format_signed
from pond_hw.commands.solve import format_value
from pond_hw.engine.packed import SURE_VALUE
from pond_hw.lab.fairness import MIN_GAME_SHARE
from pond_hw.lab.tournament_plan import TournamentPlan
from pond_hw.messages.columns import align_columns
from pond_hw.messages.plurals import count_noun, join_words
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
    variant_results: list[Results] = results["ponds"]
    variants_text = f"{'each of ' if len(variant_results) > 1 else ''}{', '.join(plan.variants)}"
    games_text, player = count_noun(plan.games, "game"), plan.players[0]
    opening = _describe_opening(plan.opening)
    report_lines = wrap(f"{games_text} on {variants_text}: {player} against itself. Seed {plan.seed}; {opening}", WIDTH)
    if len(variant_results) > 1:
        report_lines += ["", *_compare_variants(variant_results)]
    for result in variant_results:
        report_lines += ["", *_describe_variant(result)]
    if plan.clocked_players:
        report_lines += ["", f"{player} plays by the clock: another run comes out differently."]
    return report_lines


def _describe_opening(length: int) -> str:
    if not length:
        return "nothing is left to chance at the beginning."
    rest = f", then {count_noun(length - 1, 'action')} by chance" if length > 1 else ""
    return f"the first egg is put on each cell in turn{rest}; from there on the player decides."


def rank_by_fairness(variant_results: Sequence[Results]) -> list[Results]:
    """The variants in the order of how far light's share was from a half."""
    return sorted(variant_results, key=lambda result: result["from_even"]["share"])


def _compare_variants(variant_results: Sequence[Results]) -> Iterator[str]:
    """Which of several variants is the fairest."""
    fairest, *others = ranked = rank_by_fairness(variant_results)
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
        end_shares = (
            _format_rough_percent(result[end_key]["share"]) for end_key in ("light_wins", "drawn", "dark_wins")
        )
        mean_texts = f"{result['actions']['mean']:.1f}", f"{result['choices']:.1f}"
        light_share = format_share(result["light"])
        rows.append(
            (result["variant"], str(result["games"]), light_share, _format_elo(result), *end_shares, *mean_texts)
        )
    yield from align_columns(rows, "lrlrrrrrr", WIDTH)


def _describe_variant(result: Results) -> Iterator[str]:
    """One variant."""
    variant_name = result["variant"]
    yield variant_name
    yield "=" * len(variant_name)
    for paragraph_text in (_describe_fairness(result), _describe_games(result), _describe_first_egg(result)):
        yield from wrap(paragraph_text, WIDTH)
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
    for label, share_key in (("light wins", "light_wins"), ("drawn", "drawn"), ("dark wins", "dark_wins")):
        won = result[share_key]
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
        light_share = format_share(egg["light"]) if egg["games"] else ""
        rows.append((" ".join(egg["cells"]), format_worth(egg["value"]), *exact_value, str(egg["games"]), light_share))
    return align_columns(rows, "lrlrl" if solved else "lrrl", WIDTH)


def _tabulate_plies(result: Results) -> list[str]:
    headings = ("action", "games", "legal actions", "light ahead")
    plies = select_common_plies(result)[::PLY_STEP]
    table_rows = [(str(ply["ply"]), str(ply["games"]), f"{ply['choices']:.1f}", f"{ply['lead']:+.2f}") for ply in plies]
    return align_columns([headings, *table_rows], "rrrr", WIDTH)


def _describe_fairness(result: Results) -> str:
    """Who is better off, in a sentence or two."""
    light, even, games = result["light"], result["from_even"], result["games"]
    wins = [format_percent(result[end_key]["share"]) for end_key in ("light_wins", "dark_wins", "drawn")]
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
    actions, reason_counts, games_text = result["actions"], result["reasons"], result["games"]
    low, median, high = actions["quantiles"].values()
    end_texts = [
        f"{_format_rough_percent(count / games_text)} by {reason}" for reason, count in reason_counts.items() if count
    ]
    return (
        f"A game lasts {actions['mean']:.1f} actions (standard deviation {actions['deviation']:.1f}, median {median}), "
        f"eight of ten from {low} to {high}. Games end {join_words(end_texts).replace('too long', 'being too long')}. "
        f"In the end the sides are {result['final_lead']['mean_size']:.1f} pieces apart. "
        f"The side to move chooses among {result['choices']:.1f} legal actions."
    )


def _describe_first_egg(result: Results) -> str:
    """Which first egg is best."""
    eggs = _rank_eggs(result)
    best_value = eggs[0]["value"]
    best = " or ".join(egg["cell"] for egg in eggs if egg["value"] == best_value)
    worth = f"{'' if abs(best_value) >= SURE_VALUE else 'worth '}{format_worth(best_value)}"
    depth = count_noun(result["search"]["depth"], "action")
    text = f"Looked {depth} ahead, the best first egg is on {best} ({worth})"
    played = [egg for egg in eggs if egg["games"]]
    if len(played) > 1:
        favourite = max(played, key=lambda egg: egg["light"]["share"])
        text += f"; in the games it was {favourite['cell']}, with {_describe_share(favourite['light'])} for light"
        if any(egg["light"]["high"] >= favourite["light"]["low"] for egg in played if egg is not favourite):
            text += ", which may be chance"
    if _is_solved(result):
        best_solved = max(egg["solved"] for egg in eggs)
        really_best = " or ".join(egg["cell"] for egg in result["first_eggs"] if egg["solved"] == best_solved)
        text += f". The pond is solved: with {really_best}, light really {format_value(best_solved)}"
        text += " actions" if best_solved else ""
    return text + "."


def _draw_board(result: Results) -> Iterator[str]:
    """The board, each cell with what a first egg there is worth."""
    grid_rows = get_grid(parse_variant(result["variant"]).size).rows
    egg_by_cell = {cell: egg for egg in result["first_eggs"] for cell in egg["cells"]}
    value_texts = {cell: format_worth(egg["value"]) for cell, egg in egg_by_cell.items()}
    share_texts = {cell: _format_rough_percent(egg["light"]["share"]) for cell, egg in egg_by_cell.items()}
    cell_width = max(map(len, (*value_texts.values(), *share_texts.values()))) + 2
    edge = "   +" + ("-" * cell_width + "+") * len(grid_rows)
    yield edge
    for row in grid_rows:
        yield f" {row[0][1]} |" + "|".join(f"{value_texts[cell]:^{cell_width}}" for cell in row) + "|"
        yield "   |" + "|".join(f"{share_texts[cell]:^{cell_width}}" for cell in row) + "|"
        yield edge
    yield ("    " + " ".join(f"{cell[0]:^{cell_width}}" for cell in grid_rows[0])).rstrip()


def _draw_lengths(result: Results) -> list[str]:
    value_counts = {int(length): count for length, count in result["actions"]["counted"].items()}
    span = max(value_counts) - min(value_counts) + 1
    bin_width = next((width for width in BIN_WIDTHS if span <= width * MOST_BARS), BIN_WIDTHS[-1])
    return _draw_histogram(value_counts, bin_width, "d")


def _draw_leads(result: Results) -> list[str]:
    value_counts = {int(lead): game_count for lead, game_count in result["final_lead"]["counted"].items()}
    bin_width = 1 if max(value_counts) - min(value_counts) < 2 * MOST_BARS else 2
    return _draw_histogram(value_counts, bin_width, "+d")


def _draw_histogram(value_counts: Mapping[int, int], bin_width: int, number_format: str) -> list[str]:
    """Bars, each for so many numbers."""
    bin_counts = dict.fromkeys(range(min(value_counts) // bin_width, max(value_counts) // bin_width + 1), 0)
    for counted_value, game_count in value_counts.items():
        bin_counts[counted_value // bin_width] += game_count
    table_rows = []
    for bin_number, game_count in bin_counts.items():
        bin_ends = bin_number * bin_width, (bin_number + 1) * bin_width - 1
        low_end, high_end = (format(bin_end, number_format).replace("+0", "0") for bin_end in bin_ends)
        bar = "#" * round(LONGEST_BAR * game_count / max(bin_counts.values()))
        table_rows.append((low_end if bin_width == 1 else f"{low_end} to {high_end}", str(game_count), bar))
    return align_columns(table_rows, "rrl", WIDTH)


def select_common_plies(result: Results) -> list[Results]:
    """The actions that enough of the games had."""
    return [ply for ply in result["plies"] if ply["games"] >= MIN_GAME_SHARE * result["games"]]


def format_worth(egg_value: int) -> str:
    """A value in pieces, or that it is sure."""
    if abs(egg_value) >= SURE_VALUE:
        return format_value(egg_value)
    return f"{egg_value / 100:+.2f}" if egg_value else "0.00"


def _rank_eggs(result: Results) -> list[Results]:
    return sorted(result["first_eggs"], key=lambda egg: -egg["value"])


def _is_solved(result: Results) -> bool:
    return result["first_eggs"][0]["solved"] is not None


def _format_elo(result: Results) -> str:
    difference = result["elo"]["difference"]
    return "all" if difference is None else format_signed(difference)


def _describe_share(win_share: Results) -> str:
    return f"{format_percent(win_share['share'])} ({format_interval(win_share, format_percent)})"


def _format_rough_percent(win_share: float | None) -> str:
    return "" if win_share is None else f"{100 * win_share:.0f} %"


def _is_or_are(listed_words: Sequence[str]) -> str:
    return "is" if len(listed_words) == 1 else "are"
