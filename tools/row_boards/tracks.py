"""Tracks of a row board, drawn once for a cell and repeated.

far edge     5 V rail on the front, ground rail on the back
far lamps    data runs to the right on the front
middle       on the back: the wires of the cells, then the common line; each wire ends in its cell
near lamps   the far lamps turned by 180°: data runs back to the left
near edge    5 V rail on the front, ground rail on the back

Both pairs of rails begin at the connector, so each carries half of the current.
"""

from __future__ import annotations

from itertools import pairwise

from pond_hw.fabrication.power import ROW_TRACK_WIDTH
from pond_hw.fabrication.row_board import COMMON_PIN, DATA_IN_PIN, DATA_OUT_PIN, GROUND_PIN, SUPPLY_PIN, RowKind
from tools.pcb.routing import TRACK_WIDTH, VIA_SIZE, Track
from tools.row_boards.layout import SENSOR_CAPACITOR_Y, lamp_place
from tools.row_boards.sizes import (
    BULK_X,
    CAPACITOR_Y,
    CONNECTOR_PITCH,
    CONNECTOR_X,
    DIODE_X,
    FIRST_CONNECTOR_Y,
    LAMP_HOLE_PITCH,
    LAMP_HOLES_X,
    LAMP_OFFSET,
    PITCH,
    RADIAL_X,
    Place,
    on_board,
)

FRONT, BACK = 0, 1

RAIL_WIDTH, RAIL_Y, RAIL_X = 1000 * ROW_TRACK_WIDTH, 14.9, CONNECTOR_X - 2.15
"""Width of the rails, their distance from the middle, and the position of the line that joins them."""

BRANCH, NARROW_BRANCH, SENSOR_BRANCH = 1.0, 0.8, 0.4
"""Widths in mm of the tracks from the rails to the lamps, and of the supply of a sensor."""

LANE_PITCH = 0.45
"""Distance between the wires of the cells, which leaves the 0.2 mm between them that every PCB manufacturer supports."""

COMMON_Y = 2 * LANE_PITCH
"""Position of the common line. The wire of the fifth cell lies next to it, that of the first cell is the farthest."""

INNER, OUTER = LAMP_OFFSET - 2.45, LAMP_OFFSET + 2.45
"""Positions of the lamps' pads, seen from the middle of the cell."""

GROUND_PAD_Y, DATA_PAD_Y = -LAMP_OFFSET - 1.6, -LAMP_OFFSET + 1.6
"""Positions of the upper and lower pads of the far lamps."""

OUT_HOLE_Y, SUPPLY_HOLE_Y, GROUND_HOLE_Y, IN_HOLE_Y = (
    round(-LAMP_OFFSET + LAMP_HOLE_PITCH * (index - 1.5), 4) for index in range(4)
)
"""Positions of the holes for a far through-hole lamp: data out, 5 V, ground, data in."""

TURN_X, LINK_X = OUTER + 3.1, OUTER + 1.8
"""Positions of the line that joins the far and the near lamps in the last cell, and of the via after each right lamp."""


class _Drawing:
    """Tracks under construction."""

    def __init__(self) -> None:
        self.tracks: list[Track] = []

    def line(self, net: str, column: int, layer: int, width: float, *places: Place, turned: bool = False) -> None:
        """Draw a track through some places of a cell. If it is turned, all of it is turned by 180° around the middle."""
        sign = -1 if turned else 1
        points = [on_board(column, (sign * x, sign * y)) for x, y in places]
        self.tracks += [Track(net, start, end, layer, width) for start, end in pairwise(points) if start != end]

    def via(self, net: str, column: int, place: Place, turned: bool = False) -> None:
        sign = -1 if turned else 1
        point = on_board(column, (sign * place[0], sign * place[1]))
        self.tracks.append(Track(net, point, point, FRONT, VIA_SIZE))


def draw_tracks(kind: RowKind, size: int) -> list[Track]:
    """Return all tracks of a row board."""
    drawing = _Drawing()
    _draw_rails(drawing, size)
    for column in range(size):
        for turned in (False, True):
            _draw_lamps(drawing, column, size, turned)
        if kind == "switch":
            _draw_switch(drawing, column)
        else:
            _draw_sensor(drawing, column)
    _draw_sensor_wires(drawing, kind, size)
    _draw_bulk_capacitor(drawing)
    return drawing.tracks


def _draw_rails(drawing: _Drawing, size: int) -> None:
    """Draw the rails from the connector to the last capacitors."""
    last = (size - 1) * PITCH + LAMP_OFFSET
    ends = (
        (SUPPLY_PIN, FRONT, 2, last + RADIAL_X, last - RADIAL_X),
        (GROUND_PIN, BACK, 1, last - RADIAL_X, last + RADIAL_X),
    )
    for net, layer, pin_number, far_end, near_end in ends:
        corners = (RAIL_X, -RAIL_Y), (RAIL_X, RAIL_Y)
        drawing.line(net, 0, layer, RAIL_WIDTH, (far_end, -RAIL_Y), *corners, (near_end, RAIL_Y))
        drawing.line(net, 0, layer, 1.6, (RAIL_X, _pin_y(pin_number)), (CONNECTOR_X, _pin_y(pin_number)))


def _draw_lamps(drawing: _Drawing, column: int, size: int, turned: bool) -> None:
    """Draw the far half of a cell, or the near half, which is the same turned by 180°."""

    def line(net: str, layer: int, width: float, *places: Place) -> None:
        drawing.line(net, column, layer, width, *places, turned=turned)

    hole_x, lane_x = LAMP_HOLES_X, LAMP_HOLES_X + 1.41
    for x in (-LAMP_OFFSET, LAMP_OFFSET):
        ground, supply = (x - RADIAL_X, -CAPACITOR_Y), (x + RADIAL_X, -CAPACITOR_Y)
        line(GROUND_PIN, BACK, BRANCH, (ground[0], -RAIL_Y), ground)
        line(SUPPLY_PIN, FRONT, BRANCH, (supply[0], -RAIL_Y), supply)
        line(GROUND_PIN, FRONT, NARROW_BRANCH, (x - 0.95, -CAPACITOR_Y), ground, (x - 2.45, GROUND_PAD_Y))
        under_lamp = (x + 0.95, -CAPACITOR_Y), (x + 0.95, DATA_PAD_Y)
        line(SUPPLY_PIN, FRONT, NARROW_BRANCH, supply, *under_lamp, (x + 2.45, DATA_PAD_Y))
    starts = ((-INNER, DATA_PAD_Y), (-lane_x, DATA_PAD_Y)), ((LAMP_OFFSET + 0.95, -LAMP_OFFSET), (lane_x, -LAMP_OFFSET))
    for sign, start in zip((-1, 1), starts, strict=True):
        end = (sign * lane_x, SUPPLY_HOLE_Y), (sign * hole_x, SUPPLY_HOLE_Y)
        line(SUPPLY_PIN, FRONT, NARROW_BRANCH, *start, *end)
    line(GROUND_PIN, BACK, BRANCH, (0, -RAIL_Y), (0, GROUND_HOLE_Y))
    line(GROUND_PIN, BACK, NARROW_BRANCH, (-hole_x, GROUND_HOLE_Y), (hole_x, GROUND_HOLE_Y))
    into_left, between = _lamp_nets(size, column, turned, is_first=True)
    _, beyond = _lamp_nets(size, column, turned, is_first=False)
    line(into_left, FRONT, TRACK_WIDTH, (-OUTER, DATA_PAD_Y), (-OUTER + 1.25, IN_HOLE_Y), (-hole_x, IN_HOLE_Y))
    across = hole_x - 1.2
    left_out = (-INNER, GROUND_PAD_Y), (-INNER + 1.25, OUT_HOLE_Y), (-hole_x, OUT_HOLE_Y), (-across, OUT_HOLE_Y)
    right_in = (across, IN_HOLE_Y), (hole_x, IN_HOLE_Y), (INNER - 1.25, IN_HOLE_Y), (INNER, DATA_PAD_Y)
    line(between, FRONT, TRACK_WIDTH, *left_out, (across, OUT_HOLE_Y + 2 * across), *right_in)
    link = LINK_X, OUT_HOLE_Y
    line(beyond, BACK, TRACK_WIDTH, (hole_x, OUT_HOLE_Y), link)
    drawing.via(beyond, column, link, turned)
    corner = LINK_X, GROUND_PAD_Y
    line(beyond, FRONT, TRACK_WIDTH, link, corner, (OUTER, GROUND_PAD_Y))
    if column != (0 if turned else size - 1):
        next_corner = LINK_X + DATA_PAD_Y - GROUND_PAD_Y, DATA_PAD_Y
        line(beyond, FRONT, TRACK_WIDTH, corner, next_corner, (PITCH - OUTER, DATA_PAD_Y))
    elif not turned:
        down = (TURN_X, GROUND_PAD_Y + TURN_X - LINK_X), (TURN_X, -DATA_PAD_Y)
        line(beyond, FRONT, TRACK_WIDTH, corner, *down, (OUTER, -DATA_PAD_Y))


def _lamp_nets(size: int, column: int, turned: bool, is_first: bool) -> tuple[str, str]:
    """Return the data nets before and after a lamp of one half of a cell. The first lamp of the far half is the left one."""
    left = is_first != turned
    number = next(number for number in range(1, 4 * size + 1) if lamp_place(number, size) == (column, not turned, left))
    before = DATA_IN_PIN if number == 1 else f"data {number}"
    return before, DATA_OUT_PIN if number == 4 * size else f"data {number + 1}"


def _draw_switch(drawing: _Drawing, column: int) -> None:
    cell, switch = f"cell {column + 1}", f"switch {column + 1}"
    drawing.line(cell, column, BACK, TRACK_WIDTH, (-3.25, -2.25), (3.25, -2.25))
    drawing.line(switch, column, BACK, TRACK_WIDTH, (-3.25, 2.25), (3.25, 2.25))
    for net, x in ((cell, -1.9), (switch, 1.9)):
        drawing.line(net, column, FRONT, TRACK_WIDTH, (x, -4.03), (x, 4.03))
    drawing.line(cell, column, FRONT, SENSOR_BRANCH, (-3.25, -2.25), (-2.25, -3.25), (-2.25, -4.03))
    drawing.line(switch, column, FRONT, SENSOR_BRANCH, (3.25, 2.25), (2.25, 3.25), (2.25, 4.03))
    corner = (4.9, 2.25), (6.2, 0.95), (6.2, -3.0), (7.01, -3.81)
    drawing.line(switch, column, FRONT, SENSOR_BRANCH, (3.25, 2.25), *corner, (DIODE_X, -3.81), (DIODE_X, -1.65))
    drawing.line(COMMON_PIN, column, FRONT, SENSOR_BRANCH, (DIODE_X, 1.65), (DIODE_X, 3.81))
    drawing.line(COMMON_PIN, column, BACK, TRACK_WIDTH, (DIODE_X, COMMON_Y), (DIODE_X, 3.81))


def _draw_sensor(drawing: _Drawing, column: int) -> None:
    def line(net: str, layer: int, width: float, *places: Place) -> None:
        drawing.line(net, column, layer, width, *places)

    cell, y, thick = f"cell {column + 1}", SENSOR_CAPACITOR_Y, SENSOR_BRANCH
    line(COMMON_PIN, BACK, TRACK_WIDTH, (RADIAL_X, COMMON_Y), (RADIAL_X, y))
    line(COMMON_PIN, FRONT, thick, (0.95, y), (RADIAL_X, y), (3.4, y - 0.86), (3.4, -2.54), (RADIAL_X, -3.4))
    line(COMMON_PIN, FRONT, thick, (1.5, 0.95), (3.4, 0.95))
    line(cell, FRONT, thick, (1.5, -0.95), (1.5, -1.9), (-1.04, -1.9), (-2.54, -3.4))
    line(GROUND_PIN, FRONT, thick, (-1.5, 0), (-RADIAL_X, 1.04), (-RADIAL_X, y), (-0.95, y))
    line(GROUND_PIN, BACK, thick, (0, GROUND_HOLE_Y), (0, -3.4))
    line(GROUND_PIN, BACK, thick, (0, -GROUND_HOLE_Y), (0, y + RADIAL_X), (-RADIAL_X, y))


def _draw_sensor_wires(drawing: _Drawing, kind: RowKind, size: int) -> None:
    """Draw the data wires at the connector, the wires of the cells and the common line."""

    def line(net: str, layer: int, *places: Place) -> None:
        drawing.line(net, 0, layer, TRACK_WIDTH, *places)

    y = _pin_y(3)
    line(DATA_IN_PIN, FRONT, (CONNECTOR_X, y), (CONNECTOR_X + y - DATA_PAD_Y, DATA_PAD_Y), (-OUTER, DATA_PAD_Y))
    y, up_x = _pin_y(4), CONNECTOR_X + 3.2
    from_lamp = (-LINK_X, -GROUND_PAD_Y), (-LINK_X + GROUND_PAD_Y - DATA_PAD_Y, -DATA_PAD_Y), (up_x + 1, -DATA_PAD_Y)
    line(DATA_OUT_PIN, FRONT, *from_lamp, (up_x, -DATA_PAD_Y - 1), (up_x, y + 1), (up_x - 1, y), (CONNECTOR_X, y))
    end_x, end_y = (-3.25, -2.25) if kind == "switch" else (-RADIAL_X, -3.4)
    for column in range(size):
        pin_y, lane = _pin_y(6 + column), COMMON_Y + LANE_PITCH * (column - 5)
        x, up_x = CONNECTOR_X + 1.5 + LANE_PITCH * column, column * PITCH - 4.6
        from_pin = (CONNECTOR_X, pin_y), (x, pin_y), (x, lane)
        line(f"cell {column + 1}", BACK, *from_pin, (up_x, lane), (up_x, end_y), (column * PITCH + end_x, end_y))
    # The common line begins above the others and ends below them.
    y, lane, first_via, second_via = _pin_y(5), -1.8, (-15.0, -2.3), (-14.0, 1.4)
    line(COMMON_PIN, BACK, (CONNECTOR_X, y), (CONNECTOR_X - lane + y, lane), (-15.5, lane), first_via)
    line(COMMON_PIN, FRONT, first_via, second_via)
    end = (size - 1) * PITCH + (DIODE_X if kind == "switch" else RADIAL_X)
    line(COMMON_PIN, BACK, second_via, (-13.5, COMMON_Y), (end, COMMON_Y))
    drawing.via(COMMON_PIN, 0, first_via)
    drawing.via(COMMON_PIN, 0, second_via)


def _draw_bulk_capacitor(drawing: _Drawing) -> None:
    for net, sign in ((SUPPLY_PIN, -1), (GROUND_PIN, 1)):
        drawing.line(net, 0, FRONT, BRANCH, (BULK_X, sign * 1.43), (BULK_X, sign * RADIAL_X))
    x, y = -LAMP_OFFSET + RADIAL_X, -CAPACITOR_Y
    drawing.line(SUPPLY_PIN, 0, BACK, BRANCH, (BULK_X, -RADIAL_X), (BULK_X, -5), (x, -5 + BULK_X - x), (x, y))
    y = -GROUND_HOLE_Y
    drawing.line(GROUND_PIN, 0, BACK, BRANCH, (BULK_X, RADIAL_X), (BULK_X, 4), (BULK_X + y - 4, y), (-LAMP_HOLES_X, y))


def _pin_y(number: int) -> float:
    return FIRST_CONNECTOR_Y + CONNECTOR_PITCH * (number - 1)
