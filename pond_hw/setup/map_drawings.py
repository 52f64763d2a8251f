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


def proposed_changes(profile: Profile, learned: LearnedWiring, colours: str) -> dict[str, object]:
    """What is proposed for a profile, by its key there.

    Args:
        profile: the board as it is drawn so far.
        learned: where its lamps and sensors are.
        colours: the order in which the lamps take their colours.
    """
    if learned.sensors is None or learned.lamps is None:
        return {}
    changes: dict[str, object] = {}
    wiring, chain = profile.sensing.wiring, profile.chain
    if not isinstance(wiring, SimulatedWiring) and list(learned.sensors.values()) != list(range(profile.size**2)):
        changes["sensors.cells"] = format_drawing(draw_sensors(profile, learned.sensors))
        if isinstance(wiring, AnalogWiring) and len(set(wiring.rest.values())) > 1:
            rest = {cell: str(counts) for cell, counts in wiring.rest.items()}  # what was measured goes with the wire
            changes["sensors.rest"] = format_drawing(draw_sensors(profile, learned.sensors, rest))
    if learned.lamps != chain.cell_positions:
        changes["lamps.cells"] = format_drawing(draw_lamps(profile, learned.lamps), isqrt(chain.lamps_per_cell))
    if colours != chain.colour_order:
        changes["lamps.colours"] = colours
    return changes


def proposed_drawing(profile: Profile, learned: LearnedWiring, colours: str, view: str) -> tuple[str, ...]:
    """The drawing of sensors (`s`) or lamps (`l`) beside the proposed one, under its heading; else nothing."""
    if learned.sensors is None or learned.lamps is None or view not in ("s", "l"):
        return ()
    if view == "s":
        drawn = dict(zip(get_grid(profile.size).cells, range(profile.size**2), strict=True))
        old, new = draw_sensors(profile, drawn), draw_sensors(profile, learned.sensors)
        return "", "Sensors:", *format_side_by_side(old, new)
    old, new = draw_lamps(profile, profile.chain.cell_positions), draw_lamps(profile, learned.lamps)
    return "", f"Lamps, colours {colours}:", *format_side_by_side(old, new, isqrt(profile.chain.lamps_per_cell))


def sensor_words(profile: Profile) -> dict[Cell, str]:
    """What the profile draws for each cell's sensor; the cell's own name where it draws nothing."""
    match profile.sensing.wiring:
        case ExpanderWiring(pins=pins):
            return {cell: f"{pin.address:x}.{pin.port}{pin.bit}" for cell, pin in pins.items()}
        case SimulatedWiring():
            return {cell: cell for cell in get_grid(profile.size).cells}
        case DirectWiring(wires) | MatrixWiring(wires) | AnalogWiring(channels=wires) | TrellisWiring(keys=wires):
            return {cell: str(wire) for cell, wire in wires.items()}


def draw_sensors(profile: Profile, sensors: Mapping[Cell, int], of: Mapping[Cell, str] | None = None) -> WordGrid:
    """The sensors' drawing, if these inputs lie under the cells.

    Args:
        profile: the board.
        sensors: for each cell the input under it.
        of: what is drawn for each cell; the sensors' words, if nothing is given.
    """
    board, word = get_grid(profile.size), of or sensor_words(profile)
    return [[word[board.cells[sensors[cell]]] for cell in row] for row in board.rows]


def draw_lamps(profile: Profile, lamps: Sequence[int]) -> WordGrid:
    """The lamps' drawing, if they lie in these places (in the order of `LampSettings.cells`)."""
    board, per_cell = get_grid(profile.size), profile.chain.lamps_per_cell
    side = isqrt(per_cell)
    first = {cell: i * per_cell for i, cell in enumerate(board.cells)}
    return [
        [str(lamps[first[cell] + v * side + u]) for cell in row for u in range(side)]
        for row in board.rows
        for v in range(side)
    ]


def format_drawing(drawing: WordGrid, side: int = 1) -> str:
    """A drawing as it stands in a profile, cells set apart where they have several words.

    Args:
        drawing: rows of words.
        side: words along the side of a cell.
    """
    wide = max(len(word) for row in drawing for word in row)
    lines = []
    for v, row in enumerate(drawing):
        if v and side > 1 and v % side == 0:
            lines.append("")
        cells = [" ".join(word.rjust(wide) for word in row[u : u + side]) for u in range(0, len(row), side)]
        lines.append(("   " if side > 1 else " ").join(cells))
    return "\n".join(lines)


def format_cell_table(profile: Profile, counts: Mapping[Cell, int], width: int) -> str:
    """A number for each cell as it stands in a profile, the top row first, each so many columns wide."""
    rows = get_grid(profile.size).rows
    return "\n".join("  ".join(f"{counts[cell]:>{width}}" for cell in row) for row in rows)


def format_side_by_side(old: WordGrid, new: WordGrid, side: int = 1) -> tuple[str, ...]:
    """The old drawing beside the proposed one, in which what differs has a star.

    If both have no room beside each other, the proposed one stands alone; if even that has none, each cell is shown
    by the first lamp in it, with a star if any of its lamps differs.
    """
    differs = [[a != b for a, b in zip(*rows, strict=True)] for rows in zip(old, new, strict=True)]
    if lines := _join_drawings(old, new, differs):
        return lines

    def any_differs(x: int, y: int) -> bool:
        return any(any(row[x : x + side]) for row in differs[y : y + side])

    starts = range(0, len(old), side)
    cell_differs = [[any_differs(x, y) for x in starts] for y in starts]
    first_old, first_new = ([row[::side] for row in drawing[::side]] for drawing in (old, new))
    lines = _join_drawings(first_old, first_new, cell_differs)
    return f"{lines[0]}, the first lamp of each cell", *lines[1:]


def _join_drawings(old: WordGrid, new: WordGrid, differs: Sequence[Sequence[bool]]) -> tuple[str, ...]:
    """Both drawings, or the new one; nothing if not even that has room."""
    wide = max(len(word) for row in (*old, *new) for word in row)
    left = [" ".join(word.rjust(wide) for word in row) for row in old]
    right = [
        " ".join(word.rjust(wide) + ("*" if differ else " ") for word, differ in zip(*row, strict=True)).rstrip()
        for row in zip(new, differs, strict=True)
    ]
    alone, both = "proposed (* differs)", "as drawn so far"
    column, widest = max(len(left[0]), len(both)), max(map(len, (*right, alone)))
    if len(old) >= MOST_ROWS or widest > MOST_COLUMNS:
        return ()
    if column + 4 + widest > MOST_COLUMNS:
        return alone, *right
    return tuple(f"{a.ljust(column)}    {b}" for a, b in zip((both, *left), (alone, *right), strict=True))
