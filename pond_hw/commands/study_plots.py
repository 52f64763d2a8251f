"""Plots of a study, drawn with Matplotlib, an optional package that is imported only when needed.

Light is amber and dark is azure, as on the board. No plot relies on hue alone.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, sub
from pathlib import Path
from typing import Any

from pond_hw.commands.many_games import Results
from pond_hw.commands.study_text import BIN_WIDTHS, format_egg_value, rank_by_fairness, select_common_plies
from pond_hw.engine.packed import MIN_WIN_VALUE
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.optional_packages import format_install_command
from pond_hw.rules import PondError, get_grid, parse_variant

WIDTH_INCHES, DOTS_PER_INCH = 8.0, 100
"""Width and resolution of each plot, which make it 800 pixels wide."""

LIGHT_COLOUR, DRAWN_COLOUR, DARK_COLOUR = "#e69f00", "#d9d9d9", "#0072b2"
"""Okabe and Ito's orange and blue, which colour-blind readers can tell apart, and a neutral grey."""

LINE_STYLES = (
    ("#0072b2", "-", "o"),
    ("#d55e00", "--", "s"),
    ("#009e73", "-.", "^"),
    ("#cc79a7", ":", "D"),
    ("#56b4e9", "-", "v"),
    ("#000000", "--", "x"),
    ("#e69f00", "-.", "P"),
    ("#7f7f7f", ":", "*"),
)
"""Colour, dash pattern and marker of each variant's line."""

MAX_BARS = 30
MIN_SCALE = 0.2
"""Minimum range of the colour scale in pieces, so that tiny differences don't look large."""

PLOT_STYLE = {"font.size": 11, "axes.titlesize": 12, "axes.spines.top": False, "axes.spines.right": False}


def check_matplotlib() -> None:
    """Raise PondError if Matplotlib is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise PondError(Message("plots.needs_matplotlib", command=format_install_command("study"))) from None


def draw_plots(results: Results, folder: Path) -> list[str]:
    """Draw all plots into a folder, and return the file names. Overwrite the plots of an earlier study."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(PLOT_STYLE):
        for plot_name, draw_plot in PLOT_FUNCTIONS.items():
            figure = Figure(dpi=DOTS_PER_INCH, layout="constrained")
            figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)
            draw_plot(figure, results)
            _save_figure(figure, folder / f"{plot_name}.png")
    return [f"{plot_name}.png" for plot_name in PLOT_FUNCTIONS]


def _save_figure(figure: Any, path: Path) -> None:
    with explain_system_errors("file.cannot_write", file=str(path)):
        figure.savefig(path, metadata={"Software": None})


def _draw_shares(figure: Any, results: Results) -> None:
    """Draw the shares of light's wins, draws and dark's wins, and mark light's share of the points."""
    plan, ponds = results["plan"], rank_by_fairness(results["ponds"])
    figure.set_size_inches(WIDTH_INCHES, 2.4 + 0.7 * len(ponds))
    axes = figure.add_subplot()
    rows, left = range(len(ponds)), [0.0] * len(ponds)
    kinds = ("light_wins", LIGHT_COLOUR, ""), ("drawn", DRAWN_COLOUR, ""), ("dark_wins", DARK_COLOUR, "//")
    for kind, colour, hatch in kinds:
        parts = [100 * pond[kind]["share"] for pond in ponds]
        label = to_english(Message(f"study.{kind}"))
        axes.barh(rows, parts, 0.62, left, color=colour, label=label, edgecolor="white", hatch=hatch, linewidth=0)
        left = list(map(add, left, parts))
    shares, lows, highs = ([100 * pond["light"][key] for pond in ponds] for key in ("share", "low", "high"))
    ends = [list(map(sub, shares, lows)), list(map(sub, highs, shares))]
    label = to_english(Message("column.light_share"))
    axes.errorbar(shares, rows, xerr=ends, fmt="o", color="black", capsize=6, linewidth=2, label=label)
    axes.axvline(50, color="black", linestyle="--", linewidth=1)
    axes.set_yticks(rows, [f"{pond['variant']}\n{share:.1f} %" for pond, share in zip(ponds, shares, strict=True)])
    axes.invert_yaxis()
    title_kind = "shares_of_several" if len(ponds) > 1 else "shares"
    axes.set(
        xlim=(0, 100),
        xlabel=to_english(Message("plots.shares_axis")),
        title=to_english(Message(f"plots.{title_kind}", player=plan["players"][0], games=plan["games"])),
    )
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=10)


def _draw_lengths(figure: Any, results: Results) -> None:
    ponds = results["ponds"]
    figure.set_size_inches(WIDTH_INCHES, 1.4 + 1.9 * len(ponds) if len(ponds) > 1 else 4.2)
    counts = [
        {int(length): length_count for length, length_count in pond["actions"]["counted"].items()} for pond in ponds
    ]
    shortest, longest = min(map(min, counts)), max(map(max, counts))
    bin_width = next((width for width in BIN_WIDTHS if longest - shortest < width * MAX_BARS), BIN_WIDTHS[-1])
    edges = [edge - 0.5 for edge in range(shortest // bin_width * bin_width, longest + bin_width + 1, bin_width)]
    all_axes = figure.subplots(len(ponds), sharex=True, squeeze=False)[:, 0]
    for axes, pond, length_counts in zip(all_axes, ponds, counts, strict=True):
        games, median, mean = pond["games"], pond["actions"]["quantiles"]["0.5"], pond["actions"]["mean"]
        percentages = [100 * game_count / games for game_count in length_counts.values()]
        axes.hist(list(length_counts), edges, weights=percentages, color=DARK_COLOUR, rwidth=0.9)
        axes.axvline(median, color="#d55e00", linestyle="--", linewidth=2)
        title = Message("plots.lengths_of_pond", variant=pond["variant"], median=median, mean=float(mean), games=games)
        axes.set_title(to_english(title), loc="left")
        axes.set_ylabel(to_english(Message("plots.games_axis")))
    all_axes[-1].xaxis.get_major_locator().set_params(integer=True)
    all_axes[-1].set_xlabel(to_english(Message("plots.lengths_axis", count=bin_width)))
    figure.suptitle(to_english(Message("plots.lengths")))


def _draw_openings(figure: Any, results: Results) -> None:
    """Draw the value of the first egg on each cell."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    ponds = results["ponds"]
    columns = min(2, len(ponds))
    row_count = -(-len(ponds) // columns)
    figure.set_size_inches(WIDTH_INCHES, 1.5 + (5.6 if columns == 1 else 4.1 * row_count))
    all_values = [abs(egg["value"]) for pond in ponds for egg in pond["first_eggs"]]
    max_value = max(MIN_SCALE, max((value for value in all_values if value < MIN_WIN_VALUE), default=0) / 100)
    colours = LinearSegmentedColormap.from_list("owners", ["#4a9bd1", "#f7f7f7", "#f0b73f"])
    all_axes = figure.subplots(row_count, columns, squeeze=False).ravel()
    picture = None
    for axes, pond in zip(all_axes, ponds, strict=False):
        board = get_grid(parse_variant(pond["variant"]).size)
        eggs = {cell: egg for egg in pond["first_eggs"] for cell in egg["cells"]}
        cell_values = [[eggs[cell]["value"] / 100 for cell in row] for row in reversed(board.rows)]
        picture = axes.imshow(cell_values, colours, Normalize(-max_value, max_value), origin="lower")
        font_size = (13 if columns == 1 else 10) - 1.5 * (board.size == 5)
        for cell, egg in eggs.items():
            label = _label_egg(egg)
            axes.text(*board.cell_coordinates(cell), label, ha="center", va="center", color="black", fontsize=font_size)
        axes.set_xticks(range(board.size), "abcde"[: board.size])
        axes.set_yticks(range(board.size), range(1, board.size + 1))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        for grid_line in range(1, board.size):
            axes.axhline(grid_line - 0.5, color="white", linewidth=2)
            axes.axvline(grid_line - 0.5, color="white", linewidth=2)
        axes.set_title(
            to_english(Message("plots.openings_of_pond", variant=pond["variant"], depth=pond["search"]["depth"]))
        )
    for axes in all_axes[len(ponds) :]:
        axes.set_visible(False)
    bar = figure.colorbar(picture, ax=list(all_axes), location="bottom", shrink=0.7, aspect=40)
    bar.set_label(to_english(Message("plots.openings_scale")))
    figure.suptitle(to_english(Message("plots.openings")))


def _label_egg(egg: Results) -> str:
    value_text = format_egg_value(egg["value"]).replace(" ", "\n", 1)
    return f"{value_text}\n{100 * egg['light']['share']:.0f} %" if egg["games"] else value_text


def _draw_choices(figure: Any, results: Results) -> None:
    """Draw the number of legal actions over the course of a game."""
    axes = _draw_lines(figure, results, "choices")
    axes.set_ylim(bottom=0)


def _draw_leads(figure: Any, results: Results) -> None:
    """Draw light's lead over the course of a game."""
    axes = _draw_lines(figure, results, "lead")
    axes.axhline(0, color="black", linewidth=1)


def _draw_lines(figure: Any, results: Results, ply_key: str) -> Any:
    """Draw a line for each variant over the actions of a game. Each line ends where too few games remain."""
    figure.set_size_inches(WIDTH_INCHES, 4.6)
    axes = figure.add_subplot()
    for pond, (colour, dashes, marker) in zip(results["ponds"], LINE_STYLES, strict=False):
        plies = select_common_plies(pond)
        numbers, values = ([ply[key] for ply in plies] for key in ("ply", ply_key))
        style = {"color": colour, "linestyle": dashes, "marker": marker, "markevery": 4}
        axes.plot(numbers, values, label=pond["variant"], **style)
    axes.set_xlabel(to_english(Message("plots.plies_axis")))
    axes.set_xlim(left=0)
    axes.set(ylabel=to_english(Message(f"plots.{ply_key}_axis")), title=to_english(Message(f"plots.{ply_key}")))
    axes.grid(visible=True, color="#e5e5e5")
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    return axes


PLOT_FUNCTIONS: dict[str, Callable[[Any, Results], None]] = {
    "shares": _draw_shares,
    "lengths": _draw_lengths,
    "openings": _draw_openings,
    "choices": _draw_choices,
    "leads": _draw_leads,
}
"""Functions that draw the plots, by file name."""
