"""What a study comes to, in words and tables for 80 columns. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from pond_hw.commands.report_text import (
    WIDTH,
    Results,
    format_interval,
    format_percent,
    format_share,
    format_signed,
    join_sections,
)
from pond_hw.commands.solve import format_value
from pond_hw.engine.packed import SURE_VALUE
from pond_hw.lab.fairness import MIN_GAME_SHARE
from pond_hw.lab.tournament_plan import TournamentPlan
from pond_hw.messages.columns import align_columns
from pond_hw.messages.plurals import count_noun, join_words
from pond_hw.rules import get_grid, parse_variant

MOST_BARS = 12
LONGEST_BAR = 40
BIN_WIDTHS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 50, 100)

ENOUGH_DIFFERENT = 0.95
"""If a smaller share of the games differ from each other, it is said."""

PLY_STEP = 4
"""Actions from one line of the course of the games to the next."""


def format_report(plan: TournamentPlan, results: Results) -> list[str]:
    """The report.

    Args:
        plan: of the study.
        results: what `fairness.study_to_json` tells of it.
    """
    ponds, player = results["ponds"], plan.players[0]
    if not plan.opening:
        opening = "nothing is left to chance at the beginning."
    else:
        rest = f", then {count_noun(plan.opening - 1, 'action')} by chance" if plan.opening > 1 else ""
        opening = f"the first egg is put on each cell in turn{rest}; from there on the player decides."
    games_text = f"{count_noun(plan.games, 'game')} on {'each of ' if len(ponds) > 1 else ''}{', '.join(plan.variants)}"
    sections = [wrap(f"{games_text}: {player} against itself. Seed {plan.seed}; {opening}", WIDTH)]
    if len(ponds) > 1:
        sections += _compare_variants(ponds)
    for pond in ponds:
        sections += _describe_variant(pond)
    if plan.clocked_players:
        sections.append([f"{player} plays by the clock: another run comes out differently."])
    return join_sections(sections)


def rank_by_fairness(ponds: Sequence[Results]) -> list[Results]:
    """The variants in the order of how far light's share was from a half."""
    return sorted(ponds, key=lambda pond: pond["from_even"]["share"])


def _compare_variants(ponds: Sequence[Results]) -> Iterator[list[str]]:
    """Which of several variants is the fairest."""
    fairest, *others = ranked = rank_by_fairness(ponds)
    distance = fairest["from_even"]
    text = (
        f"{fairest['variant']} was the fairest: light's share was {100 * distance['share']:.1f} points from even "
        f"there, and is hardly more than {100 * distance['high']:.1f}."
    )
    if apart := [pond["variant"] for pond in others if pond["from_even"]["low"] > distance["high"]]:
        text += f" {join_words(apart)} {_is_or_are(apart)} less fair: the intervals do not meet."
    if near := [pond["variant"] for pond in others if pond["from_even"]["low"] <= distance["high"]]:
        text += f" So many games cannot tell whether {join_words(near)} {_is_or_are(near)} less fair."
    yield wrap(text, WIDTH)
    headings = ("pond", "games", "light's share, 95 %", "Elo", "light", "drawn", "dark", "actions", "choices")
    rows: list[Sequence[object]] = [headings]
    for pond in ranked:
        end_shares = (_format_rough_percent(pond[end]["share"]) for end in ("light_wins", "drawn", "dark_wins"))
        means = f"{pond['actions']['mean']:.1f}", f"{pond['choices']:.1f}"
        rows.append(
            (pond["variant"], pond["games"], format_share(pond["light"]), _format_elo(pond), *end_shares, *means)
        )
    yield align_columns(rows, "lrlrrrrrr", WIDTH)


def _describe_variant(pond: Results) -> Iterator[list[str]]:
    """One variant."""
    name, paragraphs = pond["variant"], (_describe_fairness(pond), _describe_games(pond), _describe_first_egg(pond))
    yield [name, "=" * len(name), *(text_line for paragraph in paragraphs for text_line in wrap(paragraph, WIDTH))]
    yield _tabulate_results(pond)
    yield [
        "The first egg: its value for light, and light's share of the games that",
        "began with it (or one like it, turned or mirrored).",
    ]
    yield list(_draw_board(pond))
    yield _tabulate_eggs(pond)
    yield ["Actions of a game, both sides together:", *_draw_lengths(pond)]
    yield ["Pieces that light is ahead by at the end:", *_draw_leads(pond)]
    headings = ("action", "games", "legal actions", "light ahead")
    plies = select_common_plies(pond)[::PLY_STEP]
    rows = [(ply["ply"], ply["games"], f"{ply['choices']:.1f}", f"{ply['lead']:+.2f}") for ply in plies]
    yield [
        "On the way: the choice of the side to move, and by how much light is ahead.",
        *align_columns([headings, *rows], "rrrr", WIDTH),
    ]


def _tabulate_results(pond: Results) -> list[str]:
    rows = [("", "games", "share", "95 %")]
    for label, key in (("light wins", "light_wins"), ("drawn", "drawn"), ("dark wins", "dark_wins")):
        rows.append((label, pond[key]["games"], format_percent(pond[key]["share"]), format_interval(pond[key])))
    rows.append(("light's points", "", format_percent(pond["light"]["share"]), format_interval(pond["light"])))
    rows.append(("as Elo", "", _format_elo(pond), format_interval(pond["elo"], format_signed)))
    return align_columns(rows, "lrrl", WIDTH)


def _tabulate_eggs(pond: Results) -> list[str]:
    solved = _is_solved(pond)
    rows = [("egg on", "value", *(["really"] if solved else []), "games", "light's share, 95 %")]
    for egg in _rank_eggs(pond):
        exact_value = [format_value(egg["solved"])] if solved else []
        light_share = format_share(egg["light"]) if egg["games"] else ""
        rows.append((" ".join(egg["cells"]), format_worth(egg["value"]), *exact_value, egg["games"], light_share))
    return align_columns(rows, "lrlrl" if solved else "lrrl", WIDTH)


def _describe_fairness(pond: Results) -> str:
    """Who is better off, in a sentence or two."""
    light, games = pond["light"], pond["games"]
    wins = [format_percent(pond[end]["share"]) for end in ("light_wins", "dark_wins", "drawn")]
    text = (
        f"Between equal players light wins {wins[0]}, dark {wins[1]}, and {wins[2]} are drawn. With draws as halves, "
        f"light's share is {_describe_share(light)}, as if it were {_format_elo(pond)} Elo "
        f"({format_interval(pond['elo'], format_signed)}) better: "
    )
    if light["low"] > 0.5:
        text += "to move first is an advantage."
    elif light["high"] < 0.5:
        text += "to move second is an advantage."
    else:
        most = 100 * pond["from_even"]["high"]
        text += f"no advantage of either side is to be seen, and there is hardly one of more than {most:.1f} points."
    if pond["different"] < ENOUGH_DIFFERENT * games:
        text += (
            f" Only {pond['different']} of the {count_noun(games, 'game')} differ (turned or mirrored they are the "
            "same), so this is less sure than it looks."
        )
    return text


def _describe_games(pond: Results) -> str:
    """How long games last and how they end."""
    actions, games = pond["actions"], pond["games"]
    low, median, high = actions["quantiles"].values()
    ends = [f"{_format_rough_percent(count / games)} by {reason}" for reason, count in pond["reasons"].items() if count]
    return (
        f"A game lasts {actions['mean']:.1f} actions (standard deviation {actions['deviation']:.1f}, median {median}), "
        f"eight of ten from {low} to {high}. Games end {join_words(ends).replace('too long', 'being too long')}. "
        f"In the end the sides are {pond['final_lead']['mean_size']:.1f} pieces apart. "
        f"The side to move chooses among {pond['choices']:.1f} legal actions."
    )


def _describe_first_egg(pond: Results) -> str:
    """Which first egg is best."""
    eggs = _rank_eggs(pond)
    best_value = eggs[0]["value"]
    best = " or ".join(egg["cell"] for egg in eggs if egg["value"] == best_value)
    worth = f"{'' if abs(best_value) >= SURE_VALUE else 'worth '}{format_worth(best_value)}"
    text = f"Looked {count_noun(pond['search']['depth'], 'action')} ahead, the best first egg is on {best} ({worth})"
    played = [egg for egg in eggs if egg["games"]]
    if len(played) > 1:
        favourite = max(played, key=lambda egg: egg["light"]["share"])
        text += f"; in the games it was {favourite['cell']}, with {_describe_share(favourite['light'])} for light"
        if any(egg["light"]["high"] >= favourite["light"]["low"] for egg in played if egg is not favourite):
            text += ", which may be chance"
    if _is_solved(pond):
        best_solved = max(egg["solved"] for egg in eggs)
        really_best = " or ".join(egg["cell"] for egg in pond["first_eggs"] if egg["solved"] == best_solved)
        text += f". The pond is solved: with {really_best}, light really {format_value(best_solved)}"
        text += " actions" if best_solved else ""
    return text + "."


def _draw_board(pond: Results) -> Iterator[str]:
    """The board, each cell with what a first egg there is worth."""
    grid_rows = get_grid(parse_variant(pond["variant"]).size).rows
    texts = {
        cell: (format_worth(egg["value"]), _format_rough_percent(egg["light"]["share"]))
        for egg in pond["first_eggs"]
        for cell in egg["cells"]
    }
    cell_width = max(len(text) for cell_texts in texts.values() for text in cell_texts) + 2
    edge = "   +" + ("-" * cell_width + "+") * len(grid_rows)
    yield edge
    for row in grid_rows:
        yield f" {row[0][1]} |" + "".join(f"{texts[cell][0]:^{cell_width}}|" for cell in row)
        yield "   |" + "".join(f"{texts[cell][1]:^{cell_width}}|" for cell in row)
        yield edge
    yield ("    " + " ".join(f"{cell[0]:^{cell_width}}" for cell in grid_rows[0])).rstrip()


def _draw_lengths(pond: Results) -> list[str]:
    length_counts = {int(length): game_count for length, game_count in pond["actions"]["counted"].items()}
    span = max(length_counts) - min(length_counts) + 1
    bin_width = next((width for width in BIN_WIDTHS if span <= width * MOST_BARS), BIN_WIDTHS[-1])
    return _draw_histogram(length_counts, bin_width, "d")


def _draw_leads(pond: Results) -> list[str]:
    lead_counts = {int(lead): game_count for lead, game_count in pond["final_lead"]["counted"].items()}
    return _draw_histogram(lead_counts, 1 if max(lead_counts) - min(lead_counts) < 2 * MOST_BARS else 2, "+d")


def _draw_histogram(value_counts: Mapping[int, int], bin_width: int, number_format: str) -> list[str]:
    """Bars, each for so many numbers."""
    bin_counts = dict.fromkeys(range(min(value_counts) // bin_width, max(value_counts) // bin_width + 1), 0)
    for counted_value, game_count in value_counts.items():
        bin_counts[counted_value // bin_width] += game_count
    rows = []
    for bin_number, game_count in bin_counts.items():
        bin_ends = dict.fromkeys((bin_number * bin_width, (bin_number + 1) * bin_width - 1))
        bin_text = " to ".join(format(bin_end, number_format).replace("+0", "0") for bin_end in bin_ends)
        rows.append((bin_text, game_count, "#" * round(LONGEST_BAR * game_count / max(bin_counts.values()))))
    return align_columns(rows, "rrl", WIDTH)


def select_common_plies(pond: Results) -> list[Results]:
    """The actions that enough of the games had."""
    return [ply for ply in pond["plies"] if ply["games"] >= MIN_GAME_SHARE * pond["games"]]


def format_worth(egg_value: int) -> str:
    """A value in pieces, or that it is sure."""
    if abs(egg_value) >= SURE_VALUE:
        return format_value(egg_value)
    return f"{egg_value / 100:+.2f}" if egg_value else "0.00"


def _rank_eggs(pond: Results) -> list[Results]:
    return sorted(pond["first_eggs"], key=lambda egg: -egg["value"])


def _is_solved(pond: Results) -> bool:
    return pond["first_eggs"][0]["solved"] is not None


def _format_elo(pond: Results) -> str:
    difference = pond["elo"]["difference"]
    return "all" if difference is None else format_signed(difference)


def _describe_share(win_share: Results) -> str:
    return f"{format_percent(win_share['share'])} ({format_interval(win_share)})"


def _format_rough_percent(win_share: float | None) -> str:
    return "" if win_share is None else f"{100 * win_share:.0f} %"


def _is_or_are(listed_words: Sequence[str]) -> str:
    return "is" if len(listed_words) == 1 else "are"
