"""Findings about the positions of lamps and sensors, and drawings of the layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isqrt
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import (
    AnalogWiring,
    ExpanderWiring,
    Profile,
    TrellisWiring,
    list_wires,
)
from pond_hw.profile.sensor_wires import carrier_pins
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.findings import FAULT, WARNING, SetupFinding, find_remedy
from pond_hw.setup.pages import PAGE_COLUMNS
from pond_hw.setup.wiring_patterns import CELLS, DRAWN, GRID, LampPattern, WirePattern, list_patterns

Question = int | Cell
"""A question to the user: a chain position (touch the lit lamp) or the name of a cell (touch that cell)."""

NOT_FOUND = "not found"  # kind of finding: no layout explains the touches

ACCEPT_DRAWING = Message("cure.accept_drawing")

MAX_DRAWING_ROWS = 10  # leaves room for a few sentences

WordGrid = Sequence[Sequence[str]]
"""Rows of words, top row first."""


@dataclass(frozen=True, slots=True)
class LearnedWiring:
    """Wiring learned so far, and the next question.

    Attributes:
        question: next question; None if there is nothing left to ask.
        again: True if the question was asked before and its answer is doubtful.
        lamps: chain position of each lamp, in the order of `LampSettings.cells`; None if unknown.
        sensors: input under each cell; None if unknown.
        findings: findings about lamps and sensors.
    """

    question: Question | None = None
    again: bool = False
    lamps: tuple[int, ...] | None = None
    sensors: Mapping[Cell, int] | None = None
    findings: tuple[SetupFinding, ...] = ()

    @property
    def found(self) -> bool:
        """True if the positions of all lamps and sensors are known."""
        return self.lamps is not None and self.sensors is not None

    def differs(self, profile: Profile) -> bool:
        """Return True if the positions differ from the profile."""
        drawn_inputs = dict(zip(get_grid(profile.size).cells, range(profile.size**2), strict=True))
        return self.lamps != profile.chain.cell_positions or self.sensors != drawn_inputs


class WiringExplanation(NamedTuple):
    """A hypothesis about the wiring that explains the user's answers.

    Attributes:
        lamps: lamp pattern; None if the lamps were learned one by one.
        wires: sensor pattern, to which there may be exceptions.
        cell_of: cell number of each chain position, as far as known.
        inputs_under: input under each cell number, as far as known.
        wrong_questions: questions with contradictory answers.
        exchanged: cells whose inputs are exceptions to the sensor pattern.
        is_regular: True if there are few exceptions.
        is_refuted: True if confirmed answers contradict each other.
    """

    lamps: LampPattern | None
    wires: WirePattern
    cell_of: Mapping[int, int]
    inputs_under: Mapping[int, int]
    wrong_questions: tuple[Question, ...]
    exchanged: tuple[int, ...]
    is_regular: bool
    is_refuted: bool = False

    @property
    def sort_key(self) -> tuple[int, int, int]:
        """Sort key: distance from the profile's drawing. Among equally good explanations, the nearest wins."""
        lamp_distance = self.lamps.distance if self.lamps else CELLS + 1
        sensor_distance = self.wires.distance if self.is_regular else 3
        return (lamp_distance > DRAWN) + (sensor_distance > 0) + (sensor_distance > 1), sensor_distance, lamp_distance

    def expected_input(self, cell_number: int) -> int | None:
        """Return the input that should respond under a cell; None if unknown."""
        return self.inputs_under.get(cell_number, self.wires.inputs[cell_number] if self.is_regular else None)


def describe_lamps(lamps: LampPattern) -> Message:
    if lamps.distance == DRAWN:
        return Message("lamps.as_drawn")
    if lamps.turn:
        return Message("lamps.turned", turn=lamps.turn)
    assert lamps.path
    path = {"corner": lamps.path.corner, "course": lamps.path.course}
    return Message("lamps.chain_of_cells", **path) if lamps.distance == CELLS else Message("lamps.chain", **path)


def describe_sensors(wires: WirePattern) -> Message:
    if wires.exchanged:
        return Message(f"sensors.exchanged.{wires.lines}", lines=wires.exchanged)
    if wires.lines:
        reversed_lines = Message(f"sensors.every_other.{wires.lines}")
        return Message("sensors.turned_and", turn=wires.turn, more=reversed_lines) if wires.turn else reversed_lines
    return Message("sensors.turned", turn=wires.turn) if wires.turn else Message("sensors.as_drawn")


def describe_layout(profile: Profile, case: WiringExplanation) -> Iterator[SetupFinding]:
    """Describe how the layout of lamps and sensors differs from the profile's drawing."""
    wires = case.wires
    if case.is_regular and wires.turn and not wires.lines and case.lamps and case.lamps.turn == wires.turn:
        message = Message("finding.turned_board", turn=wires.turn)
        yield SetupFinding(WARNING, "turned", (), message, Message("cause.turned_board"), ACCEPT_DRAWING)
        return
    yield from _describe_lamp_layout(profile, case.lamps)
    if not case.is_regular:
        message, cause = Message("sensors.own_order"), Message("cause.own_order")
        yield SetupFinding(WARNING, "sensors' order", (), message, cause, ACCEPT_DRAWING)
    elif wires.exchanged:
        cause, cure = Message("cause.lines_exchanged"), Message("cure.lines_exchanged")
        yield SetupFinding(WARNING, "lines exchanged", (), describe_sensors(wires), cause, cure)
    elif wires.distance:
        cause = Message("cause.sensors_turned")
        yield SetupFinding(WARNING, "sensors turned", (), describe_sensors(wires), cause, ACCEPT_DRAWING)


def find_moved_rows(profile: Profile, learned: LearnedWiring) -> dict[int, int]:
    """Return the row that is drawn in place of each row, counted from 0 at the bottom, if whole row boards have moved.

    The result is empty if the rows are in their places, or if their cells don't have the drawn sensors and lamps.
    """
    if learned.lamps is None or learned.sensors is None or not carrier_pins(profile):
        return {}
    size, per_cell, positions = profile.size, profile.chain.lamps_per_cell, profile.chain.cell_positions
    inputs, moved = list(learned.sensors.values()), dict[int, int]()
    for cell, input_number in enumerate(inputs):
        row, column = divmod(cell, size)
        drawn_row = inputs[row * size] // size
        drawn_cell = drawn_row * size + column
        found_lamps = learned.lamps[cell * per_cell : (cell + 1) * per_cell]
        drawn_lamps = positions[drawn_cell * per_cell : (drawn_cell + 1) * per_cell]
        if input_number != drawn_cell or {*found_lamps} != {*drawn_lamps}:
            return {}
        moved |= {row: drawn_row} if drawn_row != row else {}
    return moved


def describe_moved_rows(profile: Profile, learned: LearnedWiring, moved: Mapping[int, int]) -> LearnedWiring:
    """Return the wiring with the lamps in the order in which they are on the row boards, and the finding that rows moved."""
    row_lamps, positions = profile.chain.lamps_per_cell * profile.size, profile.chain.cell_positions
    drawn_rows = [moved.get(row, row) for row in range(profile.size)]
    lamps = tuple(position for row in drawn_rows for position in positions[row * row_lamps : (row + 1) * row_lamps])
    message = Message("finding.rows_exchanged", rows=tuple(str(row + 1) for row in sorted(moved)))
    cause, cure = Message("cause.rows_exchanged"), Message("cure.rows_exchanged")
    return replace(learned, lamps=lamps, findings=(SetupFinding(WARNING, "rows exchanged", (), message, cause, cure),))


def _describe_lamp_layout(profile: Profile, lamps: LampPattern | None) -> Iterator[SetupFinding]:
    if lamps is None:
        message = Message("lamps.own_order" if profile.chain.lamps_per_cell == 1 else "lamps.own_order_of_cells")
        yield SetupFinding(WARNING, "lamps' order", (), message, Message("cause.lamps_own_order"), ACCEPT_DRAWING)
        return
    drawn_path, path = list_patterns(profile.size, profile.chain.cell_positions)[0].path, lamps.path
    if lamps.distance == DRAWN:
        return
    message = describe_lamps(lamps)
    if path and drawn_path and lamps.distance <= GRID and path[:3] == drawn_path[:3]:
        message = Message(f"lamps.chain_is.{'to_and_fro' if path.serpentine else 'straight'}")
        yield SetupFinding(WARNING, "lamps to and fro", (), message, Message("cause.lamps_to_and_fro"), ACCEPT_DRAWING)
    elif lamps.turn:
        if path:
            message = Message("lamps.turned_chain", turn=lamps.turn, corner=path.corner, course=path.course)
        yield SetupFinding(WARNING, "lamps turned", (), message, Message("cause.lamps_turned"), ACCEPT_DRAWING)
    else:
        if drawn_path:
            drawn = {"corner": drawn_path.corner, "course": drawn_path.course}
            message = Message("lamps.chain_differs", found=message, **drawn)
        yield SetupFinding(WARNING, "lamps' order", (), message, Message("cause.lamps_order"), ACCEPT_DRAWING)


def describe_exchanges(
    profile: Profile, wiring_case: WiringExplanation, under: Mapping[int, int], all_cells: Sequence[Cell]
) -> Iterator[SetupFinding]:
    """Describe swapped wires: exceptions to the sensor pattern."""
    pins = carrier_pins(profile)
    expected = wiring_case.wires.inputs if wiring_case.is_regular else [under[cell] for cell in range(len(all_cells))]
    other_cell = {cell: expected.index(answered) for cell, answered in under.items() if expected[cell] != answered}
    while other_cell:
        cell_ring = [min(other_cell)]
        while (next_cell := other_cell.pop(cell_ring[-1])) != cell_ring[0]:
            cell_ring.append(next_cell)
        names = tuple(all_cells[cell] for cell in cell_ring)
        message = Message("finding.exchanged" if len(names) == 2 else "finding.exchanged_in_ring", cells=names)
        found_pins = tuple(pins[name] for name in names if name in pins)
        cure = Message("cure.exchanged_pins", pins=found_pins) if found_pins else Message("cure.exchanged")
        yield SetupFinding(WARNING, "exchanged", names, message, Message("cause.exchanged"), cure)


def describe_keys(profile: Profile, found: LearnedWiring) -> SetupFinding | None:
    """Describe NeoTrellis keys that respond for other lamps. Its layout is fixed, so this is a fault."""
    wiring, all_cells = profile.sensing.wiring, get_grid(profile.size).cells
    if not isinstance(wiring, TrellisWiring) or not found.differs(profile) or not found.lamps or not found.sensors:
        return None
    lamp_over = zip(all_cells, found.lamps, strict=True)
    names = tuple(
        cell for cell, lamp_position in lamp_over if wiring.keys[all_cells[found.sensors[cell]]] != lamp_position
    )
    if not names:
        return None
    kind, message = "exchanged" if len(names) == 2 else NOT_FOUND, Message("finding.other_keys", cells=names)
    return SetupFinding(FAULT, kind, names, message, Message("cause.other_keys"), Message("cure.other_keys"))


def describe_skip(cell: Cell) -> SetupFinding:
    message = Message("finding.skipped", cell=cell)
    return SetupFinding(WARNING, "skipped", (cell,), message, Message("cause.skipped"), Message("cure.skipped"))


def describe_colours(found_order: str, drawn_order: str) -> SetupFinding:
    message = Message("finding.colours", found=found_order, drawn=drawn_order)
    return SetupFinding(WARNING, "colours", (), message, Message("cause.colours"), Message("cure.colours"))


def describe_restless(cell_names: tuple[Cell, ...], sensor_kind: str) -> SetupFinding:
    """Describe sensors that were ignored because they respond without a touch; `sensor_kind` is `button` or `hall`."""
    message = Message("finding.restless", cells=cell_names, count=len(cell_names))
    return SetupFinding(WARNING, "flapping", cell_names, message, *find_remedy("flapping", sensor_kind))


def describe_stuck(cell_names: tuple[Cell, ...]) -> SetupFinding:
    message = Message("finding.on", cells=cell_names, count=len(cell_names))
    return SetupFinding(WARNING, "stuck on", cell_names, message, Message("cause.on"), Message("cure.on"))


def describe_not_examined(message: Message, cell_names: Sequence[Cell]) -> LearnedWiring:
    """Report that there is no proposal because too few cells responded."""
    cure = Message("cure.too_few_answers")
    return LearnedWiring(findings=(SetupFinding(WARNING, "not examined", tuple(cell_names), message, cure=cure),))


def describe_not_found(message: Message, cure: Message, cell_names: tuple[Cell, ...] = ()) -> LearnedWiring:
    """Report why there is no proposal, and which cells contradict the best explanation."""
    return LearnedWiring(findings=(SetupFinding(FAULT, NOT_FOUND, cell_names, message, cure=cure),))


def proposed_changes(profile: Profile, learned: LearnedWiring, colour_order: str) -> dict[str, object]:
    """Return the proposed changes by profile key."""
    if learned.sensors is None or learned.lamps is None:
        return {}
    changes: dict[str, object] = {}
    wiring, lamp_chain = profile.sensing.wiring, profile.chain
    if list_wires(wiring) and list(learned.sensors.values()) != list(range(profile.size**2)):
        changes["sensors.cells"] = format_drawing(draw_sensors(profile, learned.sensors))
        if isinstance(wiring, AnalogWiring) and len(set(wiring.rest.values())) > 1:
            rest = {cell: str(counts) for cell, counts in wiring.rest.items()}  # rest counts move with the wires
            changes["sensors.rest"] = format_drawing(draw_sensors(profile, learned.sensors, rest))
    if learned.lamps != lamp_chain.cell_positions:
        changes["lamps.cells"] = format_drawing(draw_lamps(profile, learned.lamps), isqrt(lamp_chain.lamps_per_cell))
    if colour_order != lamp_chain.colour_order:
        changes["lamps.colours"] = colour_order
    return changes


def proposed_drawing(
    profile: Profile, learned: LearnedWiring, colour_order: str, shown_view: str
) -> tuple[str | Message, ...]:
    """Draw the current and the proposed layout of sensors (view `s`) or lamps (`l`), with a heading; empty for other views."""
    if learned.sensors is None or learned.lamps is None or shown_view not in ("s", "l"):
        return ()
    if shown_view == "s":
        drawn_inputs = dict(zip(get_grid(profile.size).cells, range(profile.size**2), strict=True))
        layout, rows = format_side_by_side(draw_sensors(profile, drawn_inputs), draw_sensors(profile, learned.sensors))
        return Message(f"drawing.sensors.{layout}"), *rows
    old, new = draw_lamps(profile, profile.chain.cell_positions), draw_lamps(profile, learned.lamps)
    layout, rows = format_side_by_side(old, new, isqrt(profile.chain.lamps_per_cell))
    return Message(f"drawing.lamps.{layout}", colours=colour_order), *rows


def sensor_words(profile: Profile) -> dict[Cell, str]:
    """Return the word that the profile uses for each sensor in its drawing; by default, the name of the cell."""
    cells = get_grid(profile.size).cells
    pins = list_wires(profile.sensing.wiring) or cells
    wiring = profile.sensing.wiring
    words = map(wiring.chip.draw_pin, wiring.pins.values()) if isinstance(wiring, ExpanderWiring) else map(str, pins)
    return dict(zip(cells, words, strict=True))


def draw_sensors(
    profile: Profile, inputs_under: Mapping[Cell, int], words: Mapping[Cell, str] | None = None
) -> WordGrid:
    """Draw the sensor under each cell, using the profile's words or `words`."""
    board_grid, cell_word = get_grid(profile.size), words or sensor_words(profile)
    return [[cell_word[board_grid.cells[inputs_under[cell]]] for cell in row] for row in board_grid.rows]


def draw_lamps(profile: Profile, lamp_positions: Sequence[int]) -> WordGrid:
    """Draw the chain positions of the lamps, given in the order of `LampSettings.cells`."""
    board_grid, per_cell = get_grid(profile.size), profile.chain.lamps_per_cell
    cell_side = isqrt(per_cell)
    first_lamps = {cell: cell_number * per_cell for cell_number, cell in enumerate(board_grid.cells)}
    return [
        [str(lamp_positions[first_lamps[cell] + v * cell_side + u]) for cell in row for u in range(cell_side)]
        for row in board_grid.rows
        for v in range(cell_side)
    ]


def format_drawing(word_grid: WordGrid, side: int = 1) -> str:
    """Format a drawing for a profile; each cell has `side` x `side` words."""
    word_width = max(len(word) for row in word_grid for word in row)
    drawing_lines = []
    for v, row in enumerate(word_grid):
        if v and side > 1 and v % side == 0:
            drawing_lines.append("")
        row_cells = [" ".join(word.rjust(word_width) for word in row[u : u + side]) for u in range(0, len(row), side)]
        drawing_lines.append(("   " if side > 1 else " ").join(row_cells))
    return "\n".join(drawing_lines)


def format_side_by_side(old: WordGrid, new_drawing: WordGrid, cell_side: int = 1) -> tuple[str, tuple[str, ...]]:
    """Format the old and the new drawing side by side; a star marks each difference.

    If there is no room for both, show only the new one. If it is still too large, show only the first lamp of each cell.

    Returns:
        The layout (`both`, `proposed`, `both_first` or `proposed_first`) and its rows.
    """
    word_differs = [[a != b for a, b in zip(*rows, strict=True)] for rows in zip(old, new_drawing, strict=True)]
    layout, drawing_lines = _join_drawings(old, new_drawing, word_differs)
    if drawing_lines:
        return layout, drawing_lines
    starts = range(0, len(old), cell_side)
    cell_differs = [
        [any(any(row[x : x + cell_side]) for row in word_differs[y : y + cell_side]) for x in starts] for y in starts
    ]
    first_old, first_new = ([row[::cell_side] for row in word_grid[::cell_side]] for word_grid in (old, new_drawing))
    layout, drawing_lines = _join_drawings(first_old, first_new, cell_differs)
    return f"{layout}_first", drawing_lines


def _join_drawings(
    old: WordGrid, new_drawing: WordGrid, word_differs: Sequence[Sequence[bool]]
) -> tuple[str, tuple[str, ...]]:
    """Return the layout and its rows; no rows if even the new drawing is too large."""
    word_width = max(len(word) for row in (*old, *new_drawing) for word in row)
    left_lines = [" ".join(word.rjust(word_width) for word in row) for row in old]
    right_lines = [
        " ".join(word.rjust(word_width) + ("*" if differ else " ") for word, differ in zip(*row, strict=True)).rstrip()
        for row in zip(new_drawing, word_differs, strict=True)
    ]
    widest = max(map(len, right_lines))
    if len(old) > MAX_DRAWING_ROWS or widest > PAGE_COLUMNS:
        return "proposed", ()
    if len(left_lines[0]) + 4 + widest > PAGE_COLUMNS:
        return "proposed", tuple(right_lines)
    return "both", tuple(f"{left}    {right}" for left, right in zip(left_lines, right_lines, strict=True))
