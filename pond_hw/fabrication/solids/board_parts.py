"""Parts of a board: the case, the plate for the row boards, lamp grid, diffusers and lid; a NeoTrellis has a bezel instead."""

from __future__ import annotations

from manifold3d import Manifold

from pond_hw.fabrication.solids import shapes
from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout
from pond_hw.fabrication.solids.rim import make_rim
from pond_hw.fabrication.solids.shapes import make_box, square_block, subtract_solids, unite_solids, upright_cylinder

CORNER_RADIUS = 3.0
"""Radius of the vertical edges of case, lid and bezel."""
BUZZER_RADIUS = 4.0
"""Radius of the ring of buzzer holes."""
_HEXAGON = ((1.0, 0.0), (0.5, 0.75**0.5), (-0.5, 0.75**0.5), (-1.0, 0.0), (-0.5, -(0.75**0.5)), (0.5, -(0.75**0.5)))
"""Corners of a hexagon."""
VENT_OFFSETS = (-12.0, -6.0, 0.0, 6.0, 12.0)
VENT_SIZE = (3.0, 36.0)
"""Size of the ventilation slots in the floor under the Pi; the case stands on rubber feet."""
AIR_OFFSETS = (-30.0, -15.0, 0.0, 15.0, 30.0)
"""Positions of the slots in the back wall, relative to the middle of the Pi."""
EAR_LENGTH = 8.0
"""Length of the lamp grid's corner ears along the wall."""

# --- Case: floor, walls, and supports of the Pi, the carrier and the plate ---


def make_case(layout: SolidLayout) -> Manifold:
    outer_block = shapes.rounded_block(layout.case_edge, CORNER_RADIUS, (0, layout.lid_z))
    room = square_block(2 * layout.case_inside, (s.WALL_THICKNESS, layout.lid_z + 1))
    floor_z, standoff_z = s.WALL_THICKNESS - 0.1, s.WALL_THICKNESS + s.STANDOFF_HEIGHT
    inner_solids = [_make_ledge(layout), *(_make_column(layout, point) for point in layout.screw_points)]
    board_holes = [*layout.pi_holes, *layout.carrier_holes]
    inner_solids += [upright_cylinder(point, s.STANDOFF_WIDTH, (floor_z, standoff_z)) for point in board_holes]
    if layout.pillar_point:
        inner_solids.append(upright_cylinder(layout.pillar_point, s.STANDOFF_WIDTH, (floor_z, layout.plate_z)))
    insert_z, pilot_z = (layout.plate_z - s.INSERT_DEPTH, layout.plate_z + 1), (s.WALL_THICKNESS, standoff_z + 1)
    holes = [upright_cylinder(point, s.INSERT_HOLE, insert_z) for point in layout.screw_points]
    holes += [upright_cylinder(point, s.STANDOFF_HOLE, pilot_z) for point in board_holes]
    holes += [opening for _, opening in _make_openings(layout)]
    return subtract_solids(unite_solids([subtract_solids(outer_block, [room]), *inner_solids]), holes)


def case_holes(layout: SolidLayout) -> list[FlatPoint]:
    return [point for point, _ in _make_openings(layout)]


def _make_ledge(layout: SolidLayout) -> Manifold:
    """Make the rim under the plate. Its underside slopes at 45 degrees so that it prints without support."""
    low, high = layout.plate_z - s.LEDGE_WIDTH, layout.plate_z
    wide_side, narrow_side = 2 * layout.case_inside, 2 * (layout.case_inside - s.LEDGE_WIDTH)
    slope = shapes.make_frustum(wide_side, narrow_side, (low, high))
    opening = square_block(narrow_side, (high - 0.01, high + 1))
    return subtract_solids(square_block(wide_side + 0.2, (low, high)), [slope, opening])


def _make_column(layout: SolidLayout, screw_point: FlatPoint) -> Manifold:
    def span(screw_middle: float) -> shapes.Extent:
        low, high = screw_middle - s.HALF_COLUMN, screw_middle + s.HALF_COLUMN
        wall = layout.case_inside + 0.1
        return -wall if low < -layout.half_size else low, wall if high > layout.half_size else high

    return make_box(span(screw_point[0]), span(screw_point[1]), (s.WALL_THICKNESS - 0.1, layout.plate_z))


def _make_openings(layout: SolidLayout) -> list[tuple[FlatPoint, Manifold]]:
    middle_z = s.WALL_THICKNESS + (layout.plate_z - s.LEDGE_WIDTH - s.WALL_THICKNESS) / 2
    wall_depth, wall_middle = s.WALL_THICKNESS + 2, layout.case_edge - s.WALL_THICKNESS / 2
    board_z = s.WALL_THICKNESS + s.STANDOFF_HEIGHT
    carrier_z = board_z + s.CARRIER_THICKNESS
    # Sockets sit on a circuit board; the plug's sleeve needs room around it.
    size, middle = s.PI_WINDOW, board_z - 2 + s.PI_WINDOW[1] / 2
    if layout.is_pico:
        size, middle = s.PICO_WINDOW, carrier_z + s.PICO_SOCKET + s.PICO_USB_HEIGHT
    windows = [((layout.socket_x, wall_middle), size, middle)]
    if layout.has_lamp_supply:
        windows.append((layout.supply_point, s.USB_C_WINDOW, carrier_z + s.USB_C_HEIGHT))
    openings = []
    for (x, y), (width, height), z in windows:
        is_side_wall = abs(x) == wall_middle
        window_size = (wall_depth, width) if is_side_wall else (width, wall_depth)
        openings.append(((x, y), shapes.block_around(window_size, (z - height / 2, z + height / 2), (x, y))))
    y_span = (layout.case_inside - 1, layout.case_edge + 1)
    openings += [] if layout.is_pico else _make_air_slots(layout, y_span)  # a Pico stays cool
    round_holes = [(layout.key_point, 0.0, 0.0, s.KEY_HOLE, "y")] if layout.has_key else []
    if layout.has_buzzer:
        ring = [(BUZZER_RADIUS * i, BUZZER_RADIUS * j) for i, j in ((0.0, 0.0), *_HEXAGON)]
        round_holes += [(layout.buzzer_point, along, up, s.SOUND_HOLE, "x") for along, up in ring]
    if layout.turn_key_count:
        round_holes.append(((wall_middle, layout.turn_key_point[1]), 0.0, 0.0, s.CABLE_HOLE, "x"))
    for (x, y), along, up, width, axis in round_holes:
        centre = (x, y + along, middle_z + up) if axis == "x" else (x + along, y, middle_z + up)
        openings.append(((x, y), shapes.lying_cylinder(centre, width, wall_depth, axis)))
    return openings


def _make_air_slots(layout: SolidLayout, y_span: shapes.Extent) -> list[tuple[FlatPoint, Manifold]]:
    vent_x = layout.pi_x + s.PI_SIZE[0] - s.PI_HOLE - s.PI_HOLES[0] / 2
    vents = [(vent_x + offset, layout.pi_y + s.PI_SIZE[1] / 2) for offset in VENT_OFFSETS]
    slots = [(vent, shapes.block_around(VENT_SIZE, (-1, s.WALL_THICKNESS + 1), vent)) for vent in vents]
    slot_high, wall_y = layout.plate_z - s.LEDGE_WIDTH - 1, layout.case_edge - s.WALL_THICKNESS / 2
    for offset in AIR_OFFSETS:
        x, half_slot = layout.pi_x + s.PI_SIZE[0] / 2 + offset, s.AIR_SLOT[0] / 2
        slot = make_box((x - half_slot, x + half_slot), y_span, (slot_high - s.AIR_SLOT[1], slot_high))
        slots.append(((x, wall_y), slot))
    return slots


def make_key_box(key_count: int) -> Manifold:
    (side, depth), wall = s.TURN_KEY_ROOM, s.WALL_THICKNESS
    length = key_count * side
    outside = shapes.block_around((side + 2 * wall, length + 2 * wall), (0, depth + wall))
    holes = [shapes.block_around((side, length), (-1, depth))]
    middles = [(0.0, (number + 0.5) * side - length / 2) for number in range(key_count)]
    holes += [upright_cylinder(point, s.TURN_KEY_HOLE, (depth - 1, depth + wall + 1)) for point in middles]
    notch_x = (-side / 2 - wall - 1, -side / 2 + 1)
    holes.append(make_box(notch_x, (-s.CABLE_HOLE / 2, s.CABLE_HOLE / 2), (-1, s.CABLE_HOLE)))
    return subtract_solids(outside, holes)


def list_bought_parts(layout: SolidLayout) -> list[tuple[str, Manifold]]:
    """List the bought parts inside the case and the room they need: the carrier first, then the Pi, row boards, key and buzzer."""
    if not layout.has_rows:
        return []
    board_z, high_z = s.WALL_THICKNESS + s.STANDOFF_HEIGHT, layout.plate_z - s.LEDGE_WIDTH
    wall_z, inside = s.WALL_THICKNESS + (high_z - s.WALL_THICKNESS) / 2, layout.case_inside
    (x, y), (width, depth) = layout.carrier_corner, layout.carrier_size
    carrier_z = (board_z, board_z + s.CARRIER_THICKNESS + s.CARRIER_ROOM)
    bought_parts = [("carrier", make_box((x, x + width), (y, y + depth), carrier_z))]
    if not layout.is_pico:
        pi_x, pi_y = (
            (layout.pi_x - s.PI_OVERHANG, layout.pi_x + s.PI_SIZE[0]),
            (layout.pi_y, layout.pi_y + s.PI_SIZE[1]),
        )
        bought_parts.append(("Pi", make_box(pi_x, pi_y, (board_z, board_z + s.PI_ROOM))))
    bought_parts += [
        (f"row board {number}", make_row_board(layout, y, s.ROW_PLUG + s.CABLE_BEND))
        for number, y in enumerate(layout.cell_middles, 1)
    ]
    # Measured from the inside of the wall.
    wall_parts = (
        ("key", layout.has_key, s.KEY_BODY, (layout.key_point[0], -inside), (0, 1)),
        ("buzzer", layout.has_buzzer, s.BUZZER_BODY, (inside, layout.buzzer_point[1]), (-1, 0)),
    )
    for name, is_present, (body_width, body_depth), (wall_x, wall_y), (i, j) in wall_parts:
        if is_present:
            middle = (wall_x + i * body_depth / 2, wall_y + j * body_depth / 2, wall_z)
            height = min(body_width, high_z - s.WALL_THICKNESS)
            size = (body_depth, body_width, height) if i else (body_width, body_depth, height)
            bought_parts.append((name, Manifold.cube(size, True).translate(middle)))
    return bought_parts


def make_row_board(layout: SolidLayout, y: float, connector_height: float) -> Manifold:
    """Make the circuit board of the row at y, with a block below it for its connector."""
    circuit_board = make_box(
        layout.row_ends, (y - s.ROW_DEPTH / 2, y + s.ROW_DEPTH / 2), (layout.board_z, layout.grid_z)
    )
    plug_z = (layout.board_z - connector_height, layout.board_z + 0.1)
    return circuit_board + shapes.block_around(s.ROW_CONNECTOR, plug_z, (_connector_x(layout), y))


def _connector_x(layout: SolidLayout) -> float:
    return -layout.half_size - s.CONNECTOR_MIDDLE


# --- Plate: a tray that carries the row boards, with a lip around them ---


def make_plate(layout: SolidLayout) -> Manifold:
    base_plate = square_block(2 * (layout.case_inside - s.PART_GAP), (layout.plate_z, layout.board_z))
    (left, right), half_size = layout.row_ends, layout.half_size
    low_z, lip_z = layout.board_z - 0.1, layout.board_z + s.LIP_HEIGHT
    room_x, room_y = (left - s.PART_GAP, right + s.PART_GAP), (-half_size, half_size)
    lip_x, lip_y = ((low - s.LIP_WIDTH, high + s.LIP_WIDTH) for low, high in (room_x, room_y))
    lip = make_box(lip_x, lip_y, (low_z, lip_z)) - make_box(room_x, room_y, (low_z - 1, lip_z + 1))
    # They carry the ears of the lamp grid.
    pads = [
        square_block(2 * s.HALF_COLUMN - 1, (low_z, layout.grid_z - s.GRID_CLEARANCE), at) for at in layout.screw_points
    ]
    through_z = (layout.plate_z - 1, layout.grid_z + 1)
    holes = [upright_cylinder(point, s.SCREW_HOLE, through_z) for point in layout.screw_points]
    holes += [square_block(s.WINDOW_SIDE, through_z, point) for point in layout.cell_points]
    length, depth = s.ROW_CONNECTOR
    connector_room = (length + 2 * s.CONNECTOR_PLAY, depth + 2 * s.CONNECTOR_PLAY)
    holes += [shapes.block_around(connector_room, through_z, (_connector_x(layout), y)) for y in layout.cell_middles]
    return subtract_solids(unite_solids([base_plate, lip, *pads]), holes)


# --- Lamp grid: opaque walls between the cells, and supports for the diffusers ---


def make_lamp_grid(layout: SolidLayout) -> Manifold:
    low_z, high_z = layout.grid_z, layout.lid_z - s.GRID_CLEARANCE
    block = square_block(2 * layout.half_size + s.GRID_WALL, (low_z, high_z))
    cell_rooms = [square_block(layout.cell_side, (low_z - 1, high_z + 1), point) for point in layout.cell_points]
    ears = [_make_ear(layout, point, (low_z, high_z)) for point in layout.screw_points]
    gussets = [_make_gusset(layout, point, i, j) for point in layout.cell_points for i in (-1, 1) for j in (-1, 1)]
    screw_holes = [upright_cylinder(point, s.SCREW_HOLE, (low_z - 1, high_z + 1)) for point in layout.screw_points]
    walls = subtract_solids(block, cell_rooms)
    return subtract_solids(unite_solids([walls, *ears, *gussets]), screw_holes)


def _make_ear(layout: SolidLayout, screw_point: FlatPoint, z: shapes.Extent) -> Manifold:
    """Make a screw ear of the grid, which runs along the walls without connectors."""
    wall_distance, (x, y) = layout.case_inside - s.PART_GAP, screw_point

    def span(screw_middle: float, near_edge: float) -> shapes.Extent:
        return (near_edge, wall_distance) if screw_middle > 0 else (-wall_distance, -near_edge)

    return make_box(span(x, layout.half_size - EAR_LENGTH), span(y, layout.half_size), z)


def _make_gusset(layout: SolidLayout, cell_point: FlatPoint, i: int, j: int) -> Manifold:
    x, y = (middle + side * (layout.cell_side / 2 + 0.1) for middle, side in zip(cell_point, (i, j), strict=True))
    leg_length = s.GUSSET_SIDE + 0.1
    corners = [(x, y), (x - i * leg_length, y), (x, y - j * leg_length)]
    return shapes.make_prism(corners if i * j > 0 else corners[::-1], (layout.grid_z, layout.gusset_z))


# --- Diffusers, one for each cell: under pieces a flat tile with a rim, which the lid overlaps; otherwise a cap that presses
# a switch. A cap widens at 45 degrees below the lid, so that it cannot come out and can be printed face down ---


def make_diffuser(layout: SolidLayout) -> Manifold:
    if layout.has_halls:
        rim = shapes.make_prism(make_rim(layout), (layout.floor_z - 0.1, layout.floor_z + s.RIM_HEIGHT))
        return square_block(layout.flange_side, (layout.tile_z, layout.floor_z)) + rim
    roof_z = layout.top_z - s.CAP_THICKNESS
    outer_block = _flanged_block(layout, 0.0, layout.tile_z)
    inner_block = _flanged_block(layout, 2 * s.CAP_WALL, layout.tile_z - 1)
    hollow_block = subtract_solids(outer_block, [inner_block.trim_by_plane((0, 0, -1), -roof_z)])
    stem = upright_cylinder((0, 0), s.STEM_WIDTH, (layout.grid_z + s.SWITCH_HEIGHT, roof_z + 0.1))
    return unite_solids([hollow_block, stem])


def _flanged_block(layout: SolidLayout, reduction: float, low_z: float) -> Manifold:
    """Make a flanged block that reaches the board's face and is `reduction` narrower than a cap."""
    face_side, flange_side = layout.face_side - reduction, layout.flange_side - reduction
    flange_top_z = layout.lid_z - s.TILE_RISE  # at its widest from here down
    bevel_top_z = flange_top_z + s.BEVEL_WIDTH
    slope = shapes.make_frustum(flange_side, face_side, (flange_top_z, bevel_top_z))
    base, top = square_block(flange_side, (low_z, flange_top_z)), square_block(face_side, (bevel_top_z, layout.top_z))
    return unite_solids([base, slope, top])


# --- Lid: the board's face, with openings that keep the diffusers in ---


def make_lid(layout: SolidLayout) -> Manifold:
    low_z, high_z = layout.lid_z, layout.top_z
    holes = []
    for point in layout.cell_points:
        holes.append(square_block(layout.lid_opening, (low_z - 1, high_z + 1), point))
        if layout.has_halls:
            # The cut ends 1 mm above the lid.
            slope_z, top_side = (high_z - s.FLARE_WIDTH, high_z + 1), layout.lid_opening + 2 * (s.FLARE_WIDTH + 1)
            holes.append(shapes.make_frustum(layout.lid_opening, top_side, slope_z, point))
        else:
            # At the bottom, an opening is as wide as the cap, which lies TILE_RISE deeper. The cut starts 1 mm below the lid.
            bevel_z = (low_z - 1, low_z + (layout.flange_side - layout.lid_opening) / 2)
            holes.append(shapes.make_frustum(layout.flange_side + 2, layout.lid_opening, bevel_z, point))
    holes += _sunk_screw_holes(layout)
    return subtract_solids(shapes.rounded_block(layout.case_edge, CORNER_RADIUS, (low_z, high_z)), holes)


def _sunk_screw_holes(layout: SolidLayout) -> list[Manifold]:
    sink_depth, (low_z, high_z) = (s.SCREW_HEAD - s.SCREW_HOLE) / 2, (layout.lid_z, layout.top_z)
    holes = [upright_cylinder(point, s.SCREW_HOLE, (low_z - 1, high_z + 1)) for point in layout.screw_points]
    sink_z = (high_z - sink_depth, high_z + 1)
    return holes + [upright_cylinder(point, s.SCREW_HOLE, sink_z, s.SCREW_HEAD + 2) for point in layout.screw_points]


# --- Frame of a NeoTrellis: the keys show through, and the circuit board lies in a pocket at the back ---


def make_bezel(layout: SolidLayout) -> Manifold:
    low_z, high_z = layout.lid_z, layout.top_z
    pocket_z = (low_z - 1, high_z - s.BEZEL_THICKNESS)
    holes = [square_block(s.TRELLIS_SIDE + 2 * s.PART_GAP, pocket_z)]
    holes += [square_block(s.TRELLIS_KEY + 2 * s.KEY_GAP, (low_z, high_z + 1), point) for point in layout.cell_points]
    holes += [upright_cylinder(point, s.STANDOFF_HOLE, (low_z - 1, low_z + s.CLIP_PILOT)) for point in clip_screws()]
    holes += _sunk_screw_holes(layout)
    return subtract_solids(shapes.rounded_block(layout.case_edge, CORNER_RADIUS, (low_z, high_z)), holes)


def clip_screws() -> list[FlatPoint]:
    x = s.TRELLIS_SIDE / 2 - s.CLIP_OVERLAP + s.CLIP_SIZE[0] * 2 / 3
    y = s.TRELLIS_SIDE / 2 - s.CLIP_SIZE[1]
    return [(i * x, j * y) for j in (-1, 1) for i in (-1, 1)]


def make_clip(layout: SolidLayout) -> Manifold:
    """Make the right clip, which holds a corner of the NeoTrellis under the bezel. Its screw is at x = y = 0."""
    length, width, thickness = s.CLIP_SIZE
    low_z = layout.lid_z - thickness
    bar = make_box((-length * 2 / 3, length / 3), (-width / 2, width / 2), (low_z, layout.lid_z))
    return subtract_solids(bar, [upright_cylinder((0, 0), s.CLIP_HOLE, (low_z - 1, layout.lid_z + 1))])
