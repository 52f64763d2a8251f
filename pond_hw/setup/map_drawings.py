"""Maps as a profile draws them, and two of them beside each other. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isqrt

from pond_hw.profile.board_profile import (
    AnalogWiring,
    DirectWiring,
    ExpanderWiring,
    MatrixWiring,
    Profile,
    SimulatedWiring,
    TrellisWiring,
)
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.wiring_findings import LearnedWiring

MOST_COLUMNS = 78
"""Columns that a page has."""

MOST_ROWS = 11
"""Rows that a drawing may have with its heading, so that something can be said over it."""

WordGrid = Sequence[Sequence[str]]
"""A drawing: rows of words, the top row first."""


def proposed_changes(profile: Profile, learned: LearnedWiring, colour_order: str) -> dict[str, object]:
    """What is proposed for a profile, by its key there.

    Args:
        profile: the board as it is drawn so far.
        learned: where its lamps and sensors are.
        colour_order: the order in which the lamps take their colours.
    """
    if learned.sensors is None or learned.lamps is None:
        return {}
    changes: dict[str, object] = {}
    wiring, lamp_chain = profile.sensing.wiring, profile.chain
    if not isinstance(wiring, SimulatedWiring) and list(learned.sensors.values()) != list(range(profile.size**2)):
        changes["sensors.cells"] = format_drawing(draw_sensors(profile, learned.sensors))
        if isinstance(wiring, AnalogWiring) and len(set(wiring.rest.values())) > 1:
            rest = {cell: str(counts) for cell, counts in wiring.rest.items()}  # what was measured goes with the wire
            changes["sensors.rest"] = format_drawing(draw_sensors(profile, learned.sensors, rest))
    if learned.lamps != lamp_chain.cell_positions:
        changes["lamps.cells"] = format_drawing(draw_lamps(profile, learned.lamps), isqrt(lamp_chain.lamps_per_cell))
    if colour_order != lamp_chain.colour_order:
        changes["lamps.colours"] = colour_order
    return changes


def proposed_drawing(profile: Profile, learned: LearnedWiring, colour_order: str, shown_view: str) -> tuple[str, ...]:
    """The drawing of sensors (`s`) or lamps (`l`) beside the proposed one, under its heading; else nothing."""
    if learned.sensors is None or learned.lamps is None or shown_view not in ("s", "l"):
        return ()
    if shown_view == "s":
        drawn_inputs = dict(zip(get_grid(profile.size).cells, range(profile.size**2), strict=True))
        old, new = draw_sensors(profile, drawn_inputs), draw_sensors(profile, learned.sensors)
        return "", "Sensors:", *format_side_by_side(old, new)
    old, new = draw_lamps(profile, profile.chain.cell_positions), draw_lamps(profile, learned.lamps)
    return "", f"Lamps, colours {colour_order}:", *format_side_by_side(old, new, isqrt(profile.chain.lamps_per_cell))


def sensor_words(profile: Profile) -> dict[Cell, str]:
    """What the profile draws for each cell's sensor; the cell's own name where it draws nothing."""
    match profile.sensing.wiring:
        case ExpanderWiring(pins=pins):
            return {cell: f"{chip_pin.address:x}.{chip_pin.port}{chip_pin.bit}" for cell, chip_pin in pins.items()}
        case SimulatedWiring():
            return {cell: cell for cell in get_grid(profile.size).cells}
        case DirectWiring(wires) | MatrixWiring(wires) | AnalogWiring(channels=wires) | TrellisWiring(keys=wires):
            return {cell: str(wire_name) for cell, wire_name in wires.items()}


def draw_sensors(profile: Profile, inputs_under: Mapping[Cell, int], of: Mapping[Cell, str] | None = None) -> WordGrid:
    """The sensors' drawing, if these inputs lie under the cells.

    Args:
        profile: the board.
        inputs_under: for each cell the input under it.
        of: what is drawn for each cell; the sensors' words, if nothing is given.
    """
    board_grid, cell_word = get_grid(profile.size), of or sensor_words(profile)
    return [[cell_word[board_grid.cells[inputs_under[cell]]] for cell in row] for row in board_grid.rows]


def draw_lamps(profile: Profile, lamp_places: Sequence[int]) -> WordGrid:
    """The lamps' drawing, if they lie in these places (in the order of `LampSettings.cells`)."""
    board_grid, per_cell = get_grid(profile.size), profile.chain.lamps_per_cell
    cell_side = isqrt(per_cell)
    first_lamps = {cell: cell_number * per_cell for cell_number, cell in enumerate(board_grid.cells)}
    return [
        [str(lamp_places[first_lamps[cell] + v * cell_side + u]) for cell in row for u in range(cell_side)]
        for row in board_grid.rows
        for v in range(cell_side)
    ]


def format_drawing(word_grid: WordGrid, side: int = 1) -> str:
    """A drawing as it stands in a profile, cells set apart where they have several words.

    Args:
        word_grid: rows of words.
        side: words along the side of a cell.
    """
    word_width = max(len(word) for row in word_grid for word in row)
    drawing_lines = []
    for v, row in enumerate(word_grid):
        if v and side > 1 and v % side == 0:
            drawing_lines.append("")
        row_cells = [" ".join(word.rjust(word_width) for word in row[u : u + side]) for u in range(0, len(row), side)]
        drawing_lines.append(("   " if side > 1 else " ").join(row_cells))
    return "\n".join(drawing_lines)


def format_cell_table(profile: Profile, cell_counts: Mapping[Cell, int], word_width: int) -> str:
    """A number for each cell as it stands in a profile, the top row first, each so many columns wide."""
    rows = get_grid(profile.size).rows
    return "\n".join("  ".join(f"{cell_counts[cell]:>{word_width}}" for cell in row) for row in rows)


def format_side_by_side(old: WordGrid, new_drawing: WordGrid, cell_side: int = 1) -> tuple[str, ...]:
    """The old drawing beside the proposed one, in which what differs has a star.

    If both have no room beside each other, the proposed one stands alone; if even that has none, each cell is shown
    by the first lamp in it, with a star if any of its lamps differs.
    """
    word_differs = [[a != b for a, b in zip(*rows, strict=True)] for rows in zip(old, new_drawing, strict=True)]
    if drawing_lines := _join_drawings(old, new_drawing, word_differs):
        return drawing_lines

    def any_differs(x: int, y: int) -> bool:
        return any(any(row[x : x + cell_side]) for row in word_differs[y : y + cell_side])

    cell_starts = range(0, len(old), cell_side)
    cell_differs = [[any_differs(x, y) for x in cell_starts] for y in cell_starts]
    first_old, first_new = ([row[::cell_side] for row in word_grid[::cell_side]] for word_grid in (old, new_drawing))
    drawing_lines = _join_drawings(first_old, first_new, cell_differs)
    return f"{drawing_lines[0]}, the first lamp of each cell", *drawing_lines[1:]


def _join_drawings(old: WordGrid, new_drawing: WordGrid, word_differs: Sequence[Sequence[bool]]) -> tuple[str, ...]:
    """Both drawings, or the new one; nothing if not even that has room."""
    word_width = max(len(word) for row in (*old, *new_drawing) for word in row)
    left_lines = [" ".join(word.rjust(word_width) for word in row) for row in old]
    right = [
        " ".join(word.rjust(word_width) + ("*" if differ else " ") for word, differ in zip(*row, strict=True)).rstrip()
        for row in zip(new_drawing, word_differs, strict=True)
    ]
    alone, both = "proposed (* differs)", "as drawn so far"
    left_width, widest_right = max(len(left_lines[0]), len(both)), max(map(len, (*right, alone)))
    if len(old) >= MOST_ROWS or widest_right > MOST_COLUMNS:
        return ()
    if left_width + 4 + widest_right > MOST_COLUMNS:
        return alone, *right
    return tuple(f"{a.ljust(left_width)}    {b}" for a, b in zip((both, *left_lines), (alone, *right), strict=True))
