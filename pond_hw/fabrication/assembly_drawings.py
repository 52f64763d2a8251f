"""Drawings for the assembly guide, one sheet per step: everything lies where it is on the board, and is drawn to scale.

case      the open case from above, with the ribbon cable, and the connectors of the carrier board
rows      the row boards in the plate from below, as you hold them when you plug the cables in
row       one row board from above and from the front, and the pins of its connector
panel     keys and buzzer: where each wire of their cables is soldered
trellis   the wires between a NeoTrellis and the Pi
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from pond_hw.fabrication.board_file_reader import BoardPart, CircuitBoard
from pond_hw.fabrication.cables import Cable
from pond_hw.fabrication.carrier import has_carrier
from pond_hw.fabrication.drawing_sheet import (
    BLUE,
    INK,
    LETTER,
    MAX_HEIGHT,
    MIDDLE_GREY,
    MIN_LETTER,
    PALE,
    RED,
    SHEET_WIDTH,
    Sheet,
    text_width,
)
from pond_hw.fabrication.guide_pages import PIN_PURPOSES, describe_common
from pond_hw.fabrication.netlist import Netlist
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.row_board import (
    COMMON_PIN,
    DATA_IN_PIN,
    DATA_OUT_PIN,
    connector_pins,
)
from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout
from pond_hw.fabrication.wire_drawings import draw_panel, draw_trellis
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from pond_hw.profile.row_boards import LAMPS_PER_CELL, connector_names
from pond_hw.rules import get_grid

SCALES = (1.0, 0.75, 0.6, 0.5, 0.4, 0.3, 0.2)
"""Scales at which drawings may be made; the largest that fits is used."""

RIBBON_WIDTH = 40 * 1.27
"""Width in mm of a ribbon cable with 40 wires."""

PIN_STEP, ROW_PIN_STEP = 2.54, 2.5
"""Distances in mm between pins: of the Pi's header, and of a row board's connector (JST, XH series)."""

ROW_PIN_X, FIRST_ROW_PIN_Y = 4.75, 11.25
"""Place of pin 1 of a row board's connector in mm: to the left of the first cell, and beyond the middle of the row."""

XH_WALLS = (2.35, 3.4, 2.45)
"""Distances in mm from the pins of a connector to its walls: left, right, and at its ends (JST, XH series)."""

LANE_STEP = 4.0
"""Distance in mm between cables side by side."""

PLUG_LENGTH = 9.0
"""Length in mm of a power plug outside the wall, as drawn."""

LAMP_SIDE = 5.0
"""Side in mm of a WS2812B (Worldsemi, WS2812B, mechanical dimensions)."""


class View(NamedTuple):
    """Transformation from a board's coordinates to those of a sheet. Seen from below, x points left."""

    origin: FlatPoint
    scale: float
    is_mirrored: bool = False

    def at(self, x: float, y: float) -> FlatPoint:
        return self.origin[0] + (-x if self.is_mirrored else x) * self.scale, self.origin[1] - y * self.scale

    def moved(self, x: float, y: float) -> View:
        """Return a view of the same drawing with the origin at another point of the board."""
        return self._replace(origin=self.at(x, y))


def draw_sheets(
    profile: Profile, netlist: Netlist, cables: Sequence[Cable], carrier: CircuitBoard | None
) -> Iterator[tuple[str, Sheet]]:
    """Yield the name and the sheet of each drawing that applies to a board. `carrier` is its design, if there is one."""
    layout = SolidLayout(profile)
    yield "case", draw_case(profile, layout, netlist, carrier)
    if not has_carrier(netlist):
        yield "trellis", draw_trellis(profile, netlist, cables[0])
        return
    yield "row", draw_row(profile, layout)
    yield "rows", draw_rows(profile, layout, cables, carrier)
    if panel_cables := [cable for cable in cables if not cable.is_row_cable]:
        yield "panel", draw_panel(profile, netlist, panel_cables)


def choose_scale(size: float, room: float) -> float:
    """Return the largest scale at which a length fits into some room, both in mm."""
    return next((scale for scale in SCALES if size * scale <= room), room / size)


# --- case: the open case from above ---


def draw_case(profile: Profile, layout: SolidLayout, netlist: Netlist, carrier: CircuitBoard | None) -> Sheet:
    sheet = Sheet(
        f"{profile.name}: the open case, seen from above",
        "The wall with the hole for the undo key is towards you, at the bottom of this page."
        if layout.has_key
        else "The power sockets are in the wall that is farthest from you.",
    )
    scale = choose_scale(2 * layout.case_edge, 124)
    view = View((SHEET_WIDTH / 2, sheet.top + PLUG_LENGTH * scale + 2 + layout.case_edge * scale), scale)
    callouts = _draw_walls(sheet, view, layout)
    if not layout.is_pico:
        callouts += _draw_pi(sheet, view, layout)
    callouts += _draw_plugs(sheet, view, layout)
    if layout.has_rows:
        callouts += _draw_carrier(sheet, view, layout, carrier)
    bottom = view.at(0, -layout.case_edge)[1]
    _place_callouts(sheet, callouts, (sheet.top + 1, bottom + 6))
    _draw_scale_bar(sheet, (0, bottom + 9), scale)
    if carrier:
        _draw_connectors(sheet, bottom + 14, profile, netlist, carrier)
    return sheet


class Callout(NamedTuple):
    """Text beside a drawing, and the points of the sheet that it may point to."""

    text: str
    targets: Sequence[FlatPoint]


def _place_callouts(sheet: Sheet, callouts: Sequence[Callout], span: tuple[float, float]) -> None:
    """Write texts at the nearer edge of the sheet, from top to bottom."""
    for callout in sorted(callouts, key=lambda callout: callout.targets[0][1]):
        sheet.call_out(callout.text, callout.targets, span)


def _draw_walls(sheet: Sheet, view: View, layout: SolidLayout) -> list[Callout]:
    """Draw the walls with the screws, and the controls that are fixed to them."""
    outside, inside = layout.case_edge, layout.case_inside
    sheet.box(view.at(-outside, -outside), view.at(outside, outside), MIDDLE_GREY)
    sheet.box(view.at(-inside, -inside), view.at(inside, inside), "#ffffff")
    for x, y in layout.screw_points:
        half = s.HALF_COLUMN
        sheet.box(view.at(x - half, y - half), view.at(x + half, y + half), PALE)
        sheet.circle(view.at(x, y), s.INSERT_HOLE / 2 * view.scale, "#ffffff")
    corner = max(layout.screw_points, key=lambda point: point[1] - point[0])
    callouts = [Callout("M3 screw in a\nbrass insert,\nin each corner", [view.at(*corner)])]
    if layout.pillar_point:
        sheet.circle(view.at(*layout.pillar_point), s.STANDOFF_WIDTH / 2 * view.scale, PALE)
        callouts.append(Callout("pillar under\nthe plate", [view.at(*layout.pillar_point)]))
    if layout.has_key:
        x, _ = layout.key_point
        width, depth = s.KEY_BODY
        sheet.box(view.at(x - width / 2, -inside), view.at(x + width / 2, depth - inside), PALE)
        sheet.box(view.at(x - s.KEY_HOLE / 2, -outside - 3), view.at(x + s.KEY_HOLE / 2, -inside), PALE)
        callouts.append(Callout("undo key", [view.at(x, depth / 2 - inside)]))
    if layout.has_buzzer:
        _, y = layout.buzzer_point
        width, depth = s.BUZZER_BODY
        sheet.box(view.at(inside - depth, y - width / 2), view.at(inside, y + width / 2), PALE)
        callouts.append(Callout("buzzer, behind\nits seven holes", [view.at(inside - depth / 2, y)]))
    if layout.turn_key_count:
        y = layout.turn_key_point[1]
        sheet.box(view.at(inside, y - s.CABLE_HOLE / 2), view.at(outside, y + s.CABLE_HOLE / 2), "#ffffff")
        sheet.cable(view.at(inside - 12, y), view.at(outside + 8, y))
        callouts.append(Callout("cable of the turn\nkeys: tie a knot\ninside the wall", [view.at(inside - 8, y)]))
    return callouts


def _draw_pi(sheet: Sheet, view: View, layout: SolidLayout) -> list[Callout]:
    """Draw the Pi. Its USB and network sockets are on the left, as in Raspberry Pi's drawings."""
    (width, depth), (x, y) = s.PI_SIZE, (layout.pi_x, layout.pi_y)
    sheet.box(view.at(x, y), view.at(x + width, y + depth), "#ffffff", width=0.5)
    for hole in layout.pi_holes:
        sheet.circle(view.at(*hole), 1.4 * view.scale)
    for low, high in ((2.5, 15.5), (20.5, 33.5), (37.5, 53.5)):
        sheet.box(view.at(x - s.PI_OVERHANG, y + low), view.at(x + 17, y + high), PALE)
    sheet.box(view.at(x + width - 12, y + depth / 2 - 6), view.at(x + width + 2.5, y + depth / 2 + 6), PALE)
    draw_header(sheet, view.moved(*_header_point(layout)))
    sheet.write("Raspberry Pi", view.at(x + 0.56 * width, y + 0.72 * depth), LETTER + 0.6, is_bold=True)
    return [
        Callout("USB and network\nsockets of the Pi", [view.at(x + 6, y + 45)]),
        Callout("SD card,\nnext to pin 1", [view.at(x + width - 1, y + depth / 2 - 2)]),
        Callout("pin 1 of the\nPi's header", [_shift(view.at(*_pi_pin(layout, 1)), 1.6, 0)]),
    ]


def draw_header(sheet: Sheet, view: View) -> None:
    """Draw the Pi's header around the origin of a view, with pin 1 in colour."""
    sheet.box(view.at(-10 * PIN_STEP, -PIN_STEP), view.at(10 * PIN_STEP, PIN_STEP))
    for number in range(1, 41):
        sheet.dot(
            view.at(*header_pin(number)),
            0.55 * view.scale if number > 1 else max(0.75, 0.7 * view.scale),
            INK if number > 1 else RED,
        )


def header_pin(number: int) -> FlatPoint:
    """Return the place of a pin, from the header's middle. Pin 1 is next to the SD card, in the row away from the edge."""
    place, row = divmod(number - 1, 2)
    return (9.5 - place) * PIN_STEP, (0.5 - row) * PIN_STEP


def _header_point(layout: SolidLayout) -> FlatPoint:
    """Return the middle of the Pi's header, between the two holes at its front edge."""
    (left, y), (right, _) = layout.pi_holes[:2]
    return (left + right) / 2, y


def _pi_pin(layout: SolidLayout, number: int) -> FlatPoint:
    """Return the place of a pin of the Pi's header in the case."""
    (x, y), (across, along) = _header_point(layout), header_pin(number)
    return x + across, y + along


def _draw_plugs(sheet: Sheet, view: View, layout: SolidLayout) -> list[Callout]:
    """Draw the power plugs outside the walls."""
    outside, length = layout.case_edge, PLUG_LENGTH
    names = {
        "Pico": "USB cable to\nthe computer",
        "Pi": "USB-C supply\nof the Pi",
        "lamps": "supply of the\nlamps: USB-C",
    }
    plugs = {"Pico" if layout.is_pico else "Pi": (layout.socket_x, outside)}
    plugs |= {"lamps": layout.supply_point} if layout.has_lamp_supply else {}
    callouts = []
    for name, (x, y) in plugs.items():
        half = s.USB_C_PLUG[0] / 2
        if y > abs(x):  # at the back wall
            sheet.box(view.at(x - half, outside - s.WALL_THICKNESS), view.at(x + half, outside + length), PALE)
            callouts.append(Callout(names[name], [view.at(x, outside + length / 2)]))
        else:
            sheet.box(view.at(-outside - length, y - half), view.at(s.WALL_THICKNESS - outside, y + half), PALE)
            callouts.append(Callout(names[name], [view.at(-outside - length / 2, y)]))
    return callouts


def _draw_carrier(sheet: Sheet, view: View, layout: SolidLayout, carrier: CircuitBoard | None) -> list[Callout]:
    inner = view.moved(*layout.carrier_corner)
    width, depth = layout.carrier_size
    sheet.box(inner.at(0, 0), inner.at(width, depth), "#ffffff", width=0.5)
    for hole in layout.carrier_holes:
        sheet.circle(view.at(*hole), 1.6 * view.scale)
    callouts = [Callout("carrier board,\non four standoffs", [inner.at(2, 0.25 * depth), inner.at(2, 0.4 * depth)])]
    if carrier is None:
        sheet.write_if_free("carrier board", inner.at(width / 2, depth / 2), LETTER + 0.6, is_bold=True)
        return callouts
    for ref, part in carrier.parts.items():
        if ref.startswith(("J", "F", "U")):
            _draw_board_part(sheet, inner, ref, part)
    if not layout.is_pico:
        callouts += _draw_ribbon(sheet, view, layout, carrier.parts["J1"])
    rows = {ref: part for ref, part in carrier.parts.items() if ref.startswith("J1") and ref != "J1"}
    _name_alike(sheet, inner, rows, MIN_LETTER)
    for ref, part in carrier.parts.items():
        if ref.startswith("J") and ref not in (*rows, "J1"):
            _name_part(sheet, inner, part, ref, MIN_LETTER)
    return callouts


def _draw_board_part(sheet: Sheet, view: View, ref: str, part: BoardPart) -> None:
    """Draw a part of a circuit board, and pin 1 of a connector or chip in colour."""
    left, near, right, far = part.outline
    if len(part.pads) == 1:
        sheet.circle(view.at(*part.middle), 1.0 * view.scale, "#ffffff")
    else:
        sheet.box(view.at(left, near), view.at(right, far), PALE, width=0.2)
    if ref.startswith(("J", "U")) and "1" in part.pads:
        sheet.dot(view.at(*part.pads["1"]), 0.6, RED)


def _name_part(sheet: Sheet, view: View, part: BoardPart, name: str, size: float = LETTER) -> bool:
    """Write the name of a part in it or next to it. Return False if there is no room."""
    places = _name_places(view, part, name, size)
    return any(sheet.write_if_free(name, place, size, is_bold=True) for place in places)


def _name_alike(sheet: Sheet, view: View, parts: Mapping[str, BoardPart], size: float = LETTER) -> set[str]:
    """Write the names of parts on the same side of each, if there is room. Return the names that have no room anywhere."""
    by_side = zip(*(_name_places(view, part, name, size) for name, part in parts.items()), strict=True)
    for places in by_side:
        written = len(sheet.labels)
        named = zip(parts, places, strict=True)
        if all(sheet.write_if_free(name, place, size, is_bold=True) for name, place in named):
            return set()
        del sheet.labels[written:]
    return {name for name, part in parts.items() if not _name_part(sheet, view, part, name, size)}


def _name_places(view: View, part: BoardPart, name: str, size: float) -> list[FlatPoint]:
    """Return the middles of possible places for the name of a part."""
    (x, y), (left, near, right, far) = view.at(*part.middle), part.outline
    lines = name.split("\n")
    half_height, half_width = (far - near) / 2 * view.scale, (right - left) / 2 * view.scale
    half_text = max(text_width(line, size, is_bold=True) for line in lines) / 2
    up, across = half_height + (0.35 + 0.62 * len(lines)) * size, half_width + half_text + 1
    shifts = [(0.0, 0.0), (1.2, 0.0), (0.0, -up), (0.0, up), (across, 0.0), (-across, 0.0)]
    shifts += [(0.0, up + extra) for extra in (2, 3, 4, 5)]
    return [(x + i, y + j) for i, j in shifts]


def _draw_ribbon(sheet: Sheet, view: View, layout: SolidLayout, plug: BoardPart) -> list[Callout]:
    """Draw the ribbon cable from the Pi's header to the carrier. Two folds at 45 degrees lead it sideways.

    It leaves the header towards the key, and comes back to its plug from there. Both ends have wire 1 on the same side.
    """
    half, (start_x, start_y) = RIBBON_WIDTH / 2, _header_point(layout)
    plug_x, plug_y = (corner + middle for corner, middle in zip(layout.carrier_corner, plug.middle, strict=True))
    if abs(plug_x - start_x) < 3:
        loop_y = plug_y - 20
        _draw_band(sheet, view, [(start_x, start_y), (start_x, loop_y)], (0, 0))
        return [Callout("wire 1 of the\nribbon cable,\nin colour", [view.at(start_x + half - 0.6, start_y - 9)])]
    lean = 1 if plug_x < start_x else -1
    fold_y = start_y - half - 4
    loop_y = fold_y - half - 6
    for side in (-1, 1):
        sheet.line(
            view.at(plug_x + side * half, loop_y), view.at(plug_x + side * half, plug_y), colour=BLUE, dashes="1.5 1"
        )
    _draw_band(sheet, view, [(start_x, start_y), (start_x, fold_y)], (0, lean))
    _draw_band(sheet, view, [(start_x, fold_y), (plug_x, fold_y)], (lean, lean))
    _draw_band(sheet, view, [(plug_x, fold_y), (plug_x, loop_y)], (lean, 0))
    return [
        Callout("wire 1 of the\nribbon cable,\nin colour", [view.at(start_x + half - 0.6, fold_y + half + 1)]),
        Callout("first fold", [view.at(start_x, fold_y)]),
        Callout("second fold", [view.at(plug_x, fold_y)]),
        Callout("the cable turns\nback to its plug\nunder itself", [view.at(plug_x, loop_y)]),
    ]


def _draw_band(sheet: Sheet, view: View, ends: Sequence[FlatPoint], leans: tuple[int, int]) -> None:
    """Draw a straight stretch of the ribbon cable. `leans` are the slopes of the folds at its ends, or 0 without a fold."""
    half = RIBBON_WIDTH / 2
    is_level = ends[0][1] == ends[1][1]

    def edge(shift: float) -> list[FlatPoint]:
        """Return the line at this distance from the middle of the ribbon, towards wire 1."""
        points = []
        for (x, y), lean in zip(ends, leans, strict=True):
            points.append((x + shift, y + lean * shift))
        return points

    outline = [*edge(-half), *reversed(edge(half))]
    sheet.polygon([view.at(*point) for point in outline], "#e3edf8", BLUE, 0.3)
    for number in range(1, 6):
        sheet.line(*(view.at(*point) for point in edge((number / 3 - 1) * half)), colour=BLUE, width=0.12)
    assert not is_level or ends[0] != ends[1]
    sheet.line(*(view.at(*point) for point in edge(half - 0.6)), colour=RED, width=0.6)


def _draw_scale_bar(sheet: Sheet, point: FlatPoint, scale: float) -> None:
    """Draw a bar of 50 mm."""
    x, y = point
    sheet.line((x, y - 0.8), (x, y + 0.8))
    sheet.line((x, y), (x + 50 * scale, y))
    sheet.line((x + 50 * scale, y - 0.8), (x + 50 * scale, y + 0.8))
    sheet.write("50 mm", (x + 50 * scale + 2, y + 0.9), MIN_LETTER, "start")


def _draw_connectors(sheet: Sheet, top: float, profile: Profile, netlist: Netlist, carrier: CircuitBoard) -> None:
    """Draw the carrier board, larger, with the names of its connectors."""
    sheet.write("The carrier board", (0, top + 3), LETTER + 0.6, "start", is_bold=True)
    sheet.dot((45, top + 2), 0.7, RED)
    sheet.write("marks pin 1 of each connector and chip.", (47, top + 3), LETTER, "start")
    scale = min(1.0, (MAX_HEIGHT - 11 - top - 6) / carrier.size[1])
    view = View(((SHEET_WIDTH - carrier.size[0] * scale) / 2, top + 6 + carrier.size[1] * scale), scale)
    sheet.box(view.at(0, 0), view.at(*carrier.size), "#ffffff", width=0.5)
    uses = _list_uses(profile, netlist)
    named = {ref: part for ref, part in carrier.parts.items() if ref in uses}
    for ref, part in named.items():
        _draw_board_part(sheet, view, ref, part)
    names = {f"{ref}\n{uses[ref]}": part for ref, part in named.items()}
    rows = {name: part for name, part in names.items() if "\nrow " in name}
    unnamed = _name_alike(sheet, view, rows)
    unnamed |= {name for name, part in names.items() if name not in rows and not _name_part(sheet, view, part, name)}
    callouts = [
        Callout(name.replace("\n", ": "), [view.at(*part.middle), *(view.at(*pad) for pad in part.pads.values())])
        for name, part in names.items()
        if name in unnamed
    ]
    _place_callouts(sheet, callouts, (top + 6, top + 10 + carrier.size[1] * scale))


def _list_uses(profile: Profile, netlist: Netlist) -> dict[str, str]:
    """Return what the connectors, chips, test points and the fuse of a carrier are for, by reference."""
    uses = {plug: name for name, plug in connector_names(profile).items()}
    for ref, part in netlist.parts.items():
        match part.part_type:
            case "pi":
                uses[ref] = "ribbon cable"
            case "pico":
                uses[ref] = "Pico"
            case "supply":
                uses[ref] = "USB-C supply"
            case "supply plug":
                uses[ref] = "instead of J2"
            case "power lamp":
                uses[ref] = "5 V lamp"
            case "fuse":
                uses[ref] = f"fuse {part.value}"
            case "test point":
                uses[ref] = part.value
            case part_type if part_type in ("shifter", *EXPANDER_PARTS, *CONVERTER_PARTS):
                uses[ref] = PART_TYPES[part_type].short_name
    return uses


# --- rows: the row boards in the plate, from below ---


def draw_rows(profile: Profile, layout: SolidLayout, cables: Sequence[Cable], carrier: CircuitBoard | None) -> Sheet:
    sheet = Sheet(f"{profile.name}: plug the cables into the row boards")
    sheet.write("SEEN FROM BELOW", (0, sheet.top + 8), 9, "start", RED, is_bold=True)
    sheet.top = sheet.write_lines(
        "Turn the plate over like a page. Now left is right: cell a1 is at the lower right, and all plugs are on the right.\n"
        "The carrier board is seen from above, as it lies in the case.",
        (0, sheet.top + 14),
    )
    row_cables = {int(cable.name.removeprefix("row ")): cable for cable in cables if cable.is_row_cable}
    inside = layout.case_inside - s.PART_GAP
    scale = choose_scale(2 * inside, 122)
    view = View((inside * scale + 0.3, sheet.top + 3 + inside * scale), scale, is_mirrored=True)
    _draw_plate(sheet, view, layout)
    right, bottom = view.at(-inside, -inside)
    _draw_scale_bar(sheet, (0, bottom + 8), scale)
    sheet.dot((0.7, bottom + 14), 0.7, RED)
    sheet.write("marks pin 1 of each connector.", (3, bottom + 15), LETTER, "start")
    starts: dict[str, FlatPoint] = {}
    for number, cable in sorted(row_cables.items()):
        left, near, _, far = row_connector_box(layout, layout.cell_middles[number - 1])
        x, y = starts[cable.connector] = view.at(left, (near + far) / 2)
        sheet.write(f"{cable.name} to {cable.connector}", (right + 1.5, y - 1.6), LETTER, "start", is_bold=True)
        if carrier is None:
            plug_x, half = right + 28, 3 * scale
            sheet.cable((x, y), (plug_x, y))
            sheet.box((plug_x - half, y - 8 * scale), (plug_x + half, y + 8 * scale), PALE)
            sheet.write("carrier board", (plug_x + half + 1.5, y + 1), LETTER, "start")
    if carrier:
        _draw_row_cables(sheet, bottom + 8, scale, carrier, starts)
    return sheet


def row_pin(layout: SolidLayout, row_y: float, number: int) -> FlatPoint:
    """Return the place of a pin of a row board's connector. Pin 1 is the farthest from the undo key."""
    return -layout.half_size - ROW_PIN_X, row_y + FIRST_ROW_PIN_Y - (number - 1) * ROW_PIN_STEP


def row_connector_box(layout: SolidLayout, row_y: float) -> tuple[float, float, float, float]:
    """Return the walls of a row board's connector: left, near, right, far."""
    left_wall, right_wall, end_wall = XH_WALLS
    x, far = row_pin(layout, row_y, 1)
    _, near = row_pin(layout, row_y, len(connector_pins(layout.size)))
    return x - left_wall, near - end_wall, x + right_wall, far + end_wall


def _draw_plate(sheet: Sheet, view: View, layout: SolidLayout) -> None:
    """Draw the plate with its windows, and what hangs below it."""
    inside = layout.case_inside - s.PART_GAP
    sheet.box(view.at(-inside, -inside), view.at(inside, inside), PALE, width=0.5)
    for point in layout.screw_points:
        sheet.circle(view.at(*point), s.SCREW_HOLE / 2 * view.scale, "#ffffff")
    for cell, (x, y) in zip(get_grid(layout.size).cells, layout.cell_points, strict=True):
        half = s.WINDOW_SIDE / 2
        sheet.box(view.at(x - half, y - half), view.at(x + half, y + half), "#ffffff")
        is_corner = cell == "a1"
        sheet.write_if_free(cell, view.at(x, y), 6 if is_corner else 4, colour=RED if is_corner else INK, is_bold=True)
    for y in layout.cell_middles:
        draw_row_connector(sheet, view, layout, y)


def draw_row_connector(sheet: Sheet, view: View, layout: SolidLayout, row_y: float) -> None:
    """Draw the connector of a row board, with pin 1 in colour."""
    left, near, right, far = row_connector_box(layout, row_y)
    sheet.box(view.at(left, near), view.at(right, far), "#ffffff", width=0.4)
    for number in range(2, len(connector_pins(layout.size)) + 1):
        sheet.dot(view.at(*row_pin(layout, row_y, number)), max(0.7 * view.scale, 0.25))
    sheet.dot(view.at(*row_pin(layout, row_y, 1)), 0.7, RED)


def _draw_row_cables(
    sheet: Sheet, top: float, scale: float, carrier: CircuitBoard, starts: Mapping[str, FlatPoint]
) -> None:
    """Draw the carrier board and the cables, whose starts are listed by connector, that of row 1 first.

    The cables come down on the right of the board and turn below it, each outside the one of the row before.
    """
    width, depth = (length * scale for length in carrier.size)
    right, bottom = SHEET_WIDTH - LANE_STEP * (len(starts) + 1), top + depth
    view = View((right - width, bottom), scale)
    sheet.box(view.at(0, 0), view.at(*carrier.size), "#ffffff", width=0.5)
    for ref, part in carrier.parts.items():
        if ref.startswith("J"):
            _draw_board_part(sheet, view, ref, part)
    for index, (connector, (x, y)) in enumerate(starts.items(), 1):
        part = carrier.parts[connector]
        end_x, near_y = view.at(part.middle[0], part.outline[1])
        end_y = near_y - min(2, near_y - view.at(*part.middle)[1])
        lane, low = right + LANE_STEP * index, bottom + LANE_STEP * index
        sheet.cable((x, y), (lane, y), (lane, low), (end_x, low), (end_x, end_y))
        sheet.dot((end_x, end_y), 0.9, BLUE)
    for connector in _name_alike(sheet, view, {connector: carrier.parts[connector] for connector in starts}):
        sheet.call_out(connector, [view.at(*carrier.parts[connector].middle)], (top, MAX_HEIGHT - 2))


# --- row: one row board ---


def draw_row(profile: Profile, layout: SolidLayout) -> Sheet:
    size = layout.size
    sheet = Sheet(
        f"{profile.name}: one row board",
        f"This board has {size} of them, all alike. Its cells are a to {'abcde'[size - 1]} of a row. Drawn in full size.",
    )
    left, right = layout.row_ends
    sheet.write("From above, the undo key's side towards you", (0, sheet.top + 6), LETTER + 0.6, "start", is_bold=True)
    view = View(((SHEET_WIDTH - right + left) / 2 - left, sheet.top + 9 + s.ROW_DEPTH / 2), 1.0)
    _draw_row_board(sheet, view, layout)
    bottom = view.at(0, -s.ROW_DEPTH / 2)[1]
    text = (
        "The data enters at the connector and runs along the arrows: along the far lamps to the right, back along the\n"
        f"near lamps to the left, from 1 to {LAMPS_PER_CELL * size}. Then it goes back through the cable, to the next row."
    )
    text += "\nBetween the lamps of each cell is its " + (
        "sensor, in the middle."
        if layout.has_halls
        else "switch, and to the right of it a diode, whose band is towards you."
    )
    bottom = sheet.write_lines(text, (0, bottom + 5))
    sheet.write("From the front, cut open", (0, bottom + 7), LETTER + 0.6, "start", is_bold=True)
    front = View((view.origin[0], bottom + 18 + (layout.top_z - layout.board_z)), 1.0)
    low = _draw_section(sheet, front, layout)
    _draw_pin_names(sheet, low + 8, profile, size)
    return sheet


def _draw_row_board(sheet: Sheet, view: View, layout: SolidLayout) -> None:
    """Draw a row board from above: cells, sensors, and the chain of lamps. y is 0 in its middle."""
    (left, right), half = layout.row_ends, s.ROW_DEPTH / 2
    sheet.box(view.at(left, -half), view.at(right, half), "#ffffff", width=0.5)
    for x in layout.wall_lines[:-1]:
        sheet.line(view.at(x, -half), view.at(x, half), colour=MIDDLE_GREY, width=0.2, dashes="1.5 1")
    pin_count = len(connector_pins(layout.size))
    for number in range(1, pin_count + 1):
        sheet.circle(view.at(*row_pin(layout, 0, number)), 0.8, RED if number == 1 else "#ffffff")
    sheet.write_if_free("1", _shift(view.at(*row_pin(layout, 0, 1)), 0, -2.7), MIN_LETTER, colour=RED, is_bold=True)
    sheet.write_if_free(
        str(pin_count), _shift(view.at(*row_pin(layout, 0, pin_count)), 0, 2.7), MIN_LETTER, is_bold=True
    )
    places = lamp_places(layout)
    half_lamp = LAMP_SIDE / 2
    for (x, y), (next_x, next_y) in pairwise(places):
        i, j = _sign(next_x - x), _sign(next_y - y)
        aside = 1.8 if j else 0.0  # clear of the diode
        start = x + i * half_lamp + aside, y + j * half_lamp
        end = next_x - i * half_lamp + aside, next_y - j * half_lamp
        sheet.arrow(view.at(*start), view.at(*end), BLUE, 0.5, 1.8)
    pins = {name: number for number, name in enumerate((pin.name for pin in connector_pins(5).values()), 1)}
    for name, (x, y), is_in in ((DATA_IN_PIN, places[0], True), (DATA_OUT_PIN, places[-1], False)):
        pin_x, pin_y = row_pin(layout, 0, pins[name])
        route = [
            view.at(pin_x + 1, pin_y),
            view.at(pin_x + 2.6, pin_y),
            view.at(pin_x + 2.6, y),
            view.at(x - half_lamp, y),
        ]
        route = route if is_in else route[::-1]
        sheet.line(*route[:3], colour=BLUE, width=0.5)
        sheet.arrow(route[2], route[3], BLUE, 0.5, 1.8)
    for number, (x, y) in enumerate(places, 1):
        sheet.box(view.at(x - half_lamp, y - half_lamp), view.at(x + half_lamp, y + half_lamp), "#fff6d0")
        sheet.write(str(number), _shift(view.at(x, y), 0, 0.27 * LETTER))
    for column, x in enumerate(layout.cell_middles):
        half_sensor = 1.5 if layout.has_halls else s.SWITCH_SIDE / 2
        sheet.box(view.at(x - half_sensor, -half_sensor), view.at(x + half_sensor, half_sensor), PALE)
        if not layout.has_halls:
            sheet.circle(view.at(x, 0), 1.75)
        sheet.write_if_free("abcde"[column], view.at(x - 9.5, 0), 5.5, is_bold=True)
        if not layout.has_halls:
            draw_diode(sheet, view, (x + layout.pitch / 4, 0))


def draw_diode(sheet: Sheet, view: View, middle: FlatPoint, band: int = -1) -> None:
    """Draw a diode. Its band is towards the undo key, or away from it if `band` is 1."""
    x, y = middle
    sheet.line(view.at(x, y + 4.2), view.at(x, y - 4.2))
    sheet.box(view.at(x - 1, y - 2), view.at(x + 1, y + 2), PALE)
    sheet.box(view.at(x - 1, y + 1.0 * band), view.at(x + 1, y + 1.6 * band), INK)


def lamp_places(layout: SolidLayout) -> list[FlatPoint]:
    """Return the places of a row's lamps in the order of the chain. y is 0 in the middle of the row."""
    quarter = layout.pitch / 4
    far = [(x + side * quarter, quarter) for x in layout.cell_middles for side in (-1, 1)]
    return [*far, *((x, -y) for x, y in reversed(far))]


def _sign(number: float) -> int:
    return (number > 0.01) - (number < -0.01)


def _shift(point: FlatPoint, x: float, y: float) -> FlatPoint:
    return point[0] + x, point[1] + y


def _draw_section(sheet: Sheet, view: View, layout: SolidLayout) -> float:
    """Draw a row from the front, with what lies above and hangs below it; return its lower edge. y is 0 under the board."""
    (left, right), base = layout.row_ends, layout.board_z
    connector_left, _, connector_right, _ = row_connector_box(layout, 0)
    plate_left = connector_left - s.CONNECTOR_PLAY
    sheet.box(view.at(left - 2, layout.plate_z - base), view.at(plate_left, 0), MIDDLE_GREY)
    ribs = [connector_right + s.CONNECTOR_PLAY]
    for x in layout.cell_middles:
        sheet.box(view.at(ribs[-1], layout.plate_z - base), view.at(x - s.WINDOW_SIDE / 2, 0), MIDDLE_GREY)
        ribs.append(x + s.WINDOW_SIDE / 2)
    sheet.box(view.at(ribs[-1], layout.plate_z - base), view.at(right + 1, 0), MIDDLE_GREY)
    sheet.box(view.at(left, 0), view.at(right, s.ROW_THICKNESS), "#cfe3cf")
    top, lid = layout.grid_z - base, layout.lid_z - base
    for x in layout.wall_lines:
        sheet.box(view.at(x - s.GRID_WALL / 2, top), view.at(x + s.GRID_WALL / 2, lid), PALE)
    for x in layout.cell_middles:
        for side in (-1, 1):
            lamp_x = x + side * layout.pitch / 4
            sheet.box(view.at(lamp_x - 2.5, top), view.at(lamp_x + 2.5, top + s.LAMP_HEIGHT), "#fff6d0")
        half = 1.5 if layout.has_halls else s.SWITCH_SIDE / 2
        sensor_top = top + (2 * s.SENSOR_ELEMENT if layout.has_halls else 3.5)
        sheet.box(view.at(x - half, top), view.at(x + half, sensor_top), PALE)
        tile_top = layout.floor_z - base if layout.has_halls else layout.top_z - base
        sheet.box(
            view.at(x - layout.face_side / 2, tile_top - s.TILE_THICKNESS), view.at(x + layout.face_side / 2, tile_top)
        )
    x, low = (connector_left + connector_right) / 2, -s.ROW_PLUG
    half = connector_right - x
    sheet.box(view.at(x - half, 0), view.at(x + half, low), "#ffffff", width=0.4)
    sheet.cable(view.at(x, low), view.at(x, low - 6), width=1.6)
    bottom, (first, second, third) = view.at(0, low - 6)[1], layout.cell_middles[:3]
    above = {
        "wall of the lamp grid": (layout.wall_lines[0], lid - 1),
        "tile" if layout.has_halls else "cap": (first + layout.pitch / 4 + 4, tile_top - 0.8),
        "lamp": (second + layout.pitch / 4, top + 1),
        "sensor" if layout.has_halls else "switch": (third, sensor_top - 0.5),
        "row board": (layout.cell_middles[3], s.ROW_THICKNESS / 2),
    }
    label_y = view.at(0, layout.top_z - base)[1] - 3
    for text, target in above.items():
        end = view.at(*target)
        sheet.write(text, (max(end[0], text_width(text, LETTER) / 2), label_y), LETTER)
        sheet.line((end[0], label_y + 1.2), end, width=0.2)
        sheet.dot(end, 0.45)
    sheet.write("connector with its plug,", _shift(view.at(x + half + 2, low + 1.5), 0, 0), LETTER, "start")
    sheet.write("below the plate", _shift(view.at(x + half + 2, low - 2.2), 0, 0), LETTER, "start")
    plate_point = view.at(layout.wall_lines[2], (layout.plate_z - base) / 2)
    sheet.write("plate, with a window under each cell", (plate_point[0], plate_point[1] + 7), LETTER)
    sheet.line(plate_point, (plate_point[0], plate_point[1] + 4), width=0.2)
    sheet.dot(plate_point, 0.45)
    return bottom


def _draw_pin_names(sheet: Sheet, top: float, profile: Profile, size: int) -> None:
    """Draw the connector twice as large, with the names of its pins."""
    sheet.write("The connector's pins, seen from above", (0, top), LETTER + 0.6, "start", is_bold=True)
    purposes = {**PIN_PURPOSES, COMMON_PIN: describe_common(profile)}
    names = [pin.name for pin in connector_pins(size).values()]
    sensor = "sensor" if profile.sensing.kind == "hall" else "switch"
    step = 2 * ROW_PIN_STEP
    x, (left_wall, right_wall, end_wall) = 15.0, XH_WALLS
    first_y = top + 4 + 2 * end_wall
    last_y = first_y + (len(names) - 1) * step
    sheet.box((x - 2 * left_wall, top + 4), (x + 2 * right_wall, last_y + 2 * end_wall), "#ffffff", width=0.4)
    for number, name in enumerate(names, 1):
        y = first_y + (number - 1) * step
        sheet.circle((x, y), 1.1, RED if number == 1 else "#ffffff")
        sheet.write(str(number), (7, y + 1), LETTER, "end", RED if number == 1 else INK, is_bold=True)
        sheet.write(name, (26, y + 1), LETTER, "start", is_bold=True)
        sheet.write(purposes.get(name, f"{sensor} of cell {'abcde'[number - 6]}"), (56, y + 1), LETTER, "start")
