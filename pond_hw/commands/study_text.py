"""Report of a study, formatted as text in 80 columns by pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pond_hw.commands.many_games import (
    WIDTH,
    Results,
    format_interval,
    format_percent,
    format_share,
    format_signed,
    join_sections,
    make_headings,
    wrap_messages,
)
from pond_hw.commands.solve import format_value, name_value
from pond_hw.engine.packed import MIN_WIN_VALUE, WIN_VALUE
from pond_hw.lab.study import MIN_GAME_SHARE
from pond_hw.lab.tournament_plan import TournamentPlan
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import align_columns
from pond_hw.rules import get_grid, parse_variant

MAX_BARS = 12
MAX_BAR_LENGTH = 40
BIN_WIDTHS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 50, 100)

MIN_DISTINCT_SHARE = 0.95
"""Minimum share of distinct games. Below it, the report mentions duplicates."""

PLY_STEP = 4
"""Number of actions between two rows in the table of plies."""


def format_report(plan: TournamentPlan, results: Results) -> list[str]:
    """Return the lines of the report. `results` comes from `study_to_json`."""
    ponds, player = results["ponds"], plan.players[0]
    kind = "heading_of_several" if len(ponds) > 1 else "heading"
    heading = Message(f"study.{kind}", games=plan.games, variants=plan.variants, player=player, seed=plan.seed)
    opening = Message("study.opening", count=plan.opening - 1) if plan.opening else Message("study.no_opening")
    sections = [wrap_messages([heading, opening])]
    if len(ponds) > 1:
        sections += _compare_variants(ponds)
    for pond in ponds:
        sections += _describe_variant(pond)
    if plan.timed_players:
        sections.append(wrap_messages([Message("report.by_clock", players=(player,), count=1)]))
    return join_sections(sections)


def rank_by_fairness(ponds: Sequence[Results]) -> list[Results]:
    """Return the variants ordered by fairness, the fairest first."""
    return sorted(ponds, key=lambda pond: pond["from_even"]["share"])


def _compare_variants(ponds: Sequence[Results]) -> Iterator[list[str]]:
    fairest, *others = ranked = rank_by_fairness(ponds)
    distance = fairest["from_even"]
    points = {"points": 100 * distance["share"], "most": 100 * distance["high"]}
    messages = [Message("study.fairest", variant=fairest["variant"], **points)]
    if less_fair_ponds := tuple(pond["variant"] for pond in others if pond["from_even"]["low"] > distance["high"]):
        messages.append(Message("study.less_fair", variants=less_fair_ponds, count=len(less_fair_ponds)))
    if maybe_less_fair_ponds := tuple(
        pond["variant"] for pond in others if pond["from_even"]["low"] <= distance["high"]
    ):
        messages.append(
            Message("study.maybe_less_fair", variants=maybe_less_fair_ponds, count=len(maybe_less_fair_ponds))
        )
    yield wrap_messages(messages)
    headings = make_headings(
        "pond", "games", "light_share", "elo", "light_wins", "drawn", "dark_wins", "actions", "choices"
    )
    rows: list[Sequence[object]] = [headings]
    for pond in ranked:
        end_shares = (_format_rough_percent(pond[end]["share"]) for end in ("light_wins", "drawn", "dark_wins"))
        means = f"{pond['actions']['mean']:.1f}", f"{pond['choices']:.1f}"
        rows.append(
            (pond["variant"], pond["games"], format_share(pond["light"]), _format_elo(pond), *end_shares, *means)
        )
    yield align_columns(rows, "lrlrrrrrr", WIDTH)


def _describe_variant(pond: Results) -> Iterator[list[str]]:
    name, paragraphs = pond["variant"], (_describe_fairness(pond), _describe_games(pond), _describe_first_egg(pond))
    yield [name, "=" * len(name), *(text_line for paragraph in paragraphs for text_line in wrap_messages(paragraph))]
    yield _tabulate_results(pond)
    yield wrap_messages([Message("study.eggs")])
    yield list(_draw_board(pond))
    yield _tabulate_eggs(pond)
    yield [*wrap_messages([Message("study.lengths")]), *_draw_lengths(pond)]
    yield [*wrap_messages([Message("study.final_leads")]), *_draw_leads(pond)]
    plies = select_common_plies(pond)[::PLY_STEP]
    rows = [(ply["ply"], ply["games"], f"{ply['choices']:.1f}", f"{ply['lead']:+.2f}") for ply in plies]
    headings = make_headings("action", "games", "legal_actions", "light_lead")
    yield [*wrap_messages([Message("study.plies")]), *align_columns([headings, *rows], "rrrr", WIDTH)]


def _tabulate_results(pond: Results) -> list[str]:
    rows: list[Sequence[object]] = [make_headings("", "games", "share", "interval")]
    for key in ("light_wins", "drawn", "dark_wins"):
        share = format_percent(pond[key]["share"])
        rows.append((Message(f"study.{key}"), pond[key]["games"], share, format_interval(pond[key])))
    share, interval = format_percent(pond["light"]["share"]), format_interval(pond["light"])
    rows.append((Message("study.light_points"), "", share, interval))
    rows.append((Message("study.as_elo"), "", _format_elo(pond), format_interval(pond["elo"], format_signed)))
    return align_columns(rows, "lrrl", WIDTH)


def _tabulate_eggs(pond: Results) -> list[str]:
    solved = _is_solved(pond)
    rows: list[Sequence[object]] = [
        make_headings("egg_on", "value", *(["solved"] if solved else []), "games", "light_share")
    ]
    for egg in _rank_eggs(pond):
        exact_value = [format_value(egg["solved"])] if solved else []
        light_share = format_share(egg["light"]) if egg["games"] else ""
        rows.append((" ".join(egg["cells"]), format_egg_value(egg["value"]), *exact_value, egg["games"], light_share))
    return align_columns(rows, "lrlrl" if solved else "lrrl", WIDTH)


def _describe_fairness(pond: Results) -> Iterator[Message]:
    light, games = pond["light"], pond["games"]
    wins, losses, drawn = (format_percent(pond[end]["share"]) for end in ("light_wins", "dark_wins", "drawn"))
    yield Message("study.who_wins", light=wins, dark=losses, drawn=drawn)
    share, interval = format_percent(light["share"]), format_interval(light)
    elo, elo_interval = _format_elo(pond), format_interval(pond["elo"], format_signed)
    yield Message("study.share", share=share, interval=interval, elo=elo, elo_interval=elo_interval)
    if light["low"] > 0.5:
        yield Message("study.first_is_better")
    elif light["high"] < 0.5:
        yield Message("study.second_is_better")
    else:
        yield Message("study.neither_is_better", most=100 * pond["from_even"]["high"])
    if pond["different"] < MIN_DISTINCT_SHARE * games:
        yield Message("study.few_different", count=pond["different"], games=games)


def _describe_games(pond: Results) -> Iterator[Message]:
    """Yield messages about the length of games and the ways they end."""
    actions, games = pond["actions"], pond["games"]
    low, median, high = actions["quantiles"].values()
    mean, deviation = float(actions["mean"]), float(actions["deviation"])
    yield Message("study.length", mean=mean, deviation=deviation, median=median, low=low, high=high)
    shares = {
        reason.replace(" ", "_"): _format_rough_percent(count / games) for reason, count in pond["reasons"].items()
    }
    yield Message("study.reasons", **shares)
    yield Message("study.apart", pieces=float(pond["final_lead"]["mean_size"]))
    yield Message("study.choices", choices=float(pond["choices"]))


def _describe_first_egg(pond: Results) -> Iterator[Message]:
    """Yield messages about the best first egg."""
    eggs = _rank_eggs(pond)
    best_value = eggs[0]["value"]
    best_cells = tuple(egg["cell"] for egg in eggs if egg["value"] == best_value)
    depth = pond["search"]["depth"]
    yield Message("study.best_egg", count=depth, cells=best_cells, worth=format_egg_value(best_value))
    played = [egg for egg in eggs if egg["games"]]
    if len(played) > 1:
        favourite = max(played, key=lambda egg: egg["light"]["share"])
        share, interval = format_percent(favourite["light"]["share"]), format_interval(favourite["light"])
        yield Message("study.favourite", cell=favourite["cell"], share=share, interval=interval)
        if any(egg["light"]["high"] >= favourite["light"]["low"] for egg in played if egg is not favourite):
            yield Message("study.may_be_chance")
    if _is_solved(pond):
        best_solved = max(egg["solved"] for egg in eggs)
        cells = tuple(egg["cell"] for egg in pond["first_eggs"] if egg["solved"] == best_solved)
        yield Message(f"study.solved.{name_value(best_solved)}", cells=cells, count=WIN_VALUE - abs(best_solved))


def _draw_board(pond: Results) -> Iterator[str]:
    """Yield the lines of a board that shows the value of a first egg in each cell."""
    grid_rows = get_grid(parse_variant(pond["variant"]).size).rows
    texts = {
        cell: (format_egg_value(egg["value"]), _format_rough_percent(egg["light"]["share"]))
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
    bin_width = next((width for width in BIN_WIDTHS if span <= width * MAX_BARS), BIN_WIDTHS[-1])
    return _draw_histogram(length_counts, bin_width, "d")


def _draw_leads(pond: Results) -> list[str]:
    lead_counts = {int(lead): game_count for lead, game_count in pond["final_lead"]["counted"].items()}
    return _draw_histogram(lead_counts, 1 if max(lead_counts) - min(lead_counts) < 2 * MAX_BARS else 2, "+d")


def _draw_histogram(value_counts: Mapping[int, int], bin_width: int, number_format: str) -> list[str]:
    bin_counts = dict.fromkeys(range(min(value_counts) // bin_width, max(value_counts) // bin_width + 1), 0)
    for counted_value, game_count in value_counts.items():
        bin_counts[counted_value // bin_width] += game_count
    rows = []
    for bin_number, game_count in bin_counts.items():
        bin_ends = dict.fromkeys((bin_number * bin_width, (bin_number + 1) * bin_width - 1))
        low, *high = (format(bin_end, number_format).replace("+0", "0") for bin_end in bin_ends)
        bin_text = Message("report.interval", low=low, high=high[0]) if high else low
        rows.append((bin_text, game_count, "#" * round(MAX_BAR_LENGTH * game_count / max(bin_counts.values()))))
    return align_columns(rows, "rrl", WIDTH)


def select_common_plies(pond: Results) -> list[Results]:
    """Return the plies that enough games reached."""
    return [ply for ply in pond["plies"] if ply["games"] >= MIN_GAME_SHARE * pond["games"]]


def format_egg_value(egg_value: int) -> str:
    """Format a value in pieces, or the number of actions until a win or loss."""
    if abs(egg_value) >= MIN_WIN_VALUE:
        return format_value(egg_value)
    return f"{egg_value / 100:+.2f}" if egg_value else "0.00"


def _rank_eggs(pond: Results) -> list[Results]:
    return sorted(pond["first_eggs"], key=lambda egg: -egg["value"])


def _is_solved(pond: Results) -> bool:
    return pond["first_eggs"][0]["solved"] is not None


def _format_elo(pond: Results) -> str:
    difference = pond["elo"]["difference"]
    return "∞" if difference is None else format_signed(difference)


def _format_rough_percent(win_share: float | None) -> str:
    return "" if win_share is None else f"{100 * win_share:.0f} %"
