"""Checks of printed parts before printing: each fault is a message."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from manifold3d import CrossSection, JoinType, Manifold

from pond_hw.fabrication.solids import board_parts, piece
from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout
from pond_hw.fabrication.solids.mesh import solid_triangles, volume_and_centre
from pond_hw.fabrication.solids.printed import PrintedPart
from pond_hw.fabrication.solids.rim import make_rim, rim_boxes
from pond_hw.fabrication.solids.shapes import make_box, make_prism, place_solid, unite_solids, upright_cylinder
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile, TrellisWiring

MIN_WALL = 2 * s.NOZZLE_WIDTH
TOUCH_VOLUME = 1e-3
"""Maximum overlap in mm³ of two parts that merely touch."""
SLIVER_AREA, SHORT_WIDTH = 0.1, 4 * s.NOZZLE_WIDTH
"""Largest losses of a slice that don't count as thin walls: an area in mm² in a corner, and a width in mm at the tip of a
mark.
"""
MIN_TIP_ANGLE = 20.0
"""Tilt of the table in degrees that a piece must withstand; our choice."""
TABLE_CLEARANCE = 0.2
"""Minimum clearance of the marks above the table; our choice."""


def check_fit(profile: Profile) -> tuple[Message, ...]:
    """Report magnets that don't fit into the pieces. Only dimensions are compared."""
    layout = SolidLayout(profile)
    has_room = _has_room_for_three if layout.turned_pieces else _has_room_for_one
    if not layout.has_halls or has_room(layout):
        return ()
    amount = "magnets" if layout.turned_pieces else "magnet"
    magnet_width, magnet_height = layout.magnet_size
    magnet = {"width": magnet_width, "height": magnet_height}
    return (Message(f"printed.fit.{amount}", **magnet, piece=layout.piece_width),)


def _has_room_for_one(layout: SolidLayout) -> bool:
    half_slot, radius = layout.magnet_size[0] / 2 + s.PRESS_GAP, piece.dome_radius(layout)
    if layout.piece_width / 2 - half_slot < MIN_WALL:
        return False
    cap = layout.dome_height - radius + math.sqrt(radius**2 - half_slot**2)  # at the edge of the slot
    return cap >= s.CAP_OVER_MAGNETS


def _has_room_for_three(layout: SolidLayout) -> bool:
    magnet_width, magnet_height = layout.magnet_size
    half_slot = magnet_width / 2 + s.PRESS_GAP
    inner_radius = layout.foot_in - s.SKIN_THICKNESS - magnet_height - 2 * s.PRESS_GAP
    # Half the wall between two slots at their inner corners, and the wall between a slot's end and the piece's end.
    half_wall, end_wall = inner_radius * math.sqrt(3) / 2 - half_slot / 2, layout.piece_length / 2 - half_slot
    min_wall = min(layout.foot_width / 2 - half_slot, 2 * half_wall, end_wall)
    return min_wall >= MIN_WALL and layout.piece_length - layout.pause_z >= s.CAP_OVER_MAGNETS


def check_part(part: PrintedPart) -> tuple[Message, ...]:
    return tuple(_find_faults(part.name, part.solid, part.hole_count, part.cavity_count))


def _find_faults(part: str, solid: Manifold, hole_count: int, cavity_count: int) -> Iterator[Message]:
    x0, y0, z0, x1, y1, z1 = solid.bounding_box()
    if max(x1 - x0, y1 - y0, z1 - z0) > s.BED_SIDE:
        yield Message("printed.part.too_large", part=part, x=x1 - x0, y=y1 - y0, z=z1 - z0, bed=s.BED_SIDE)
    if abs(z0) > 1e-6:
        yield Message("printed.part.not_on_bed", part=part, height=z0)
    surfaces = solid.decompose()  # the surface of a closed slot is inside out
    solid_pieces = [surface for surface in surfaces if surface.volume() > 0]
    if len(solid_pieces) != 1:
        yield Message("printed.part.in_pieces", part=part, pieces=len(solid_pieces))
    if (cavities := len(surfaces) - len(solid_pieces)) != cavity_count:
        yield Message("printed.part.rooms", part=part, count=cavities, wanted=cavity_count)
    genus = sum(body.genus() for body in solid_pieces)
    if genus != hole_count:
        yield Message("printed.part.holes", part=part, count=genus, wanted=hole_count)
    heights = np.unique(np.round(solid_triangles(solid)[:, :, 2], 2)).tolist()
    for low, high in pairwise(heights):
        z = (low + high) / 2
        if thin_place := _find_thin_place(solid.slice(z)):
            x, y = thin_place
            yield Message("printed.part.thin_wall", part=part, x=x, y=y, z=z, least=MIN_WALL)
    # Support is needed where something starts in mid-air and is wider than a bridge in both directions.
    for height in heights[1:-1]:
        overhanging_part = solid.slice(height + s.LAYER_HEIGHT / 2) - solid.slice(height - s.LAYER_HEIGHT / 2)
        wide_part = overhanging_part.offset(-s.BRIDGE_LENGTH / 2)
        if not wide_part.is_empty():
            x, y = _find_middle(wide_part)
            yield Message("printed.part.overhang", part=part, x=x, y=y, z=height, most=s.BRIDGE_LENGTH)


def _find_thin_place(cut: CrossSection) -> FlatPoint | None:
    """Return the middle of a place in a slice that is no thicker than two nozzle widths, if there is one.

    The slice is shrunk by just under a nozzle width on all sides and grown again. Whatever is lost is too thin.
    """
    shrink_width = s.NOZZLE_WIDTH - 0.005
    opened_slice = cut.offset(-shrink_width, JoinType.Miter, 4.0).offset(shrink_width + 0.001, JoinType.Miter, 4.0)
    for lost_part in (cut - opened_slice).decompose():
        x0, y0, x1, y1 = lost_part.bounds()
        if lost_part.area() > SLIVER_AREA and math.hypot(x1 - x0, y1 - y0) > SHORT_WIDTH:
            return _find_middle(lost_part)
    return None


def _find_middle(slice_section: CrossSection) -> FlatPoint:
    x0, y0, x1, y1 = slice_section.bounds()
    return (x0 + x1) / 2, (y0 + y1) / 2


def find_clashes(placed_solids: Sequence[tuple[str, Manifold]]) -> tuple[Message, ...]:
    return tuple(
        Message("printed.assembly.clash", one=one_name, other=other_name, volume=shared_mm3)
        for (one_name, one_solid), (other_name, other_solid) in combinations(placed_solids, 2)
        if (shared_mm3 := shared_volume(one_solid, other_solid)) > TOUCH_VOLUME
    )


def shared_volume(one_solid: Manifold, other_solid: Manifold) -> float:
    one_box, other_box = one_solid.bounding_box(), other_solid.bounding_box()
    if any(one_box[i] >= other_box[i + 3] or other_box[i] >= one_box[i + 3] for i in range(3)):
        return 0.0
    return float((one_solid ^ other_solid).volume())


def assembled_parts(parts: Sequence[PrintedPart]) -> tuple[tuple[str, Manifold], ...]:
    return tuple(
        (part.name if len(part.placements) == 1 else f"{part.name} {copy_number}", place_solid(part.solid, place))
        for part in parts
        for copy_number, place in enumerate(part.placements, start=1)
    )


def check_captive(layout: SolidLayout, piece_solid: Manifold) -> tuple[Message, ...]:
    """Report each magnet without a slot, and each slot whose wall is open or too thin."""
    faults = []
    magnet_width, magnet_height = layout.magnet_size
    rooms = unite_solids(piece.magnet_slots(layout))
    for mark_name, magnet in zip(piece.name_feet(layout), piece.piece_magnets(layout), strict=True):
        disc, shell = (
            piece.place_disc(magnet, magnet_width + 2 * wall, magnet_height + 2 * wall)
            for wall in (0.0, s.PRESS_GAP + MIN_WALL - 0.005)
        )
        if shared_volume(disc, piece_solid) > TOUCH_VOLUME or (shell - piece_solid - rooms).volume() > TOUCH_VOLUME:
            faults.append(Message(f"printed.loose_magnet.{mark_name}", least=MIN_WALL))
    return tuple(faults)


class PartFit(NamedTuple):
    """Two parts that fit together, with the clearance in x and y in mm."""

    inner: str
    outer: str
    clearance: FlatPoint
    solids: tuple[Manifold, Manifold]


def part_fits(profile: Profile) -> tuple[PartFit, ...]:
    if isinstance(profile.sensing.wiring, TrellisWiring):
        return ()
    layout = SolidLayout(profile)
    case, grid = board_parts.make_case(layout), board_parts.make_lamp_grid(layout)
    plate, lid = board_parts.make_plate(layout), board_parts.make_lid(layout)
    tile = board_parts.make_diffuser(layout).translate((*layout.cell_points[0], 0))
    # All rows edge to edge; there is a gap at the end of each.
    half_depth = layout.size * s.ROW_DEPTH / 2
    rows = make_box(layout.row_ends, (-half_depth, half_depth), (layout.board_z, layout.grid_z))
    row_gaps = layout.half_size - half_depth
    play_in_lid = s.PART_GAP
    if layout.has_halls:  # the rim on a tile reaches into the lid's opening
        play_in_lid = layout.lid_opening / 2 - max(right for _, right, _, _ in rim_boxes(layout))
    return (
        PartFit("plate", "case", (s.PART_GAP, s.PART_GAP), (plate, case)),
        PartFit("row boards", "plate", (s.PART_GAP, row_gaps), (rows, plate)),
        PartFit("grid", "case", (s.PART_GAP, s.PART_GAP), (grid, case)),
        PartFit("diffuser", "grid", (s.PART_GAP, s.PART_GAP), (tile, grid)),
        PartFit("diffuser", "lid", (play_in_lid, play_in_lid), (tile, lid)),
    )


def check_room(layout: SolidLayout, placed_solids: Sequence[tuple[str, Manifold]]) -> tuple[Message, ...]:
    """Report bought parts that are in each other's way or in that of printed parts, and boards that nothing supports."""
    bought_parts = board_parts.list_bought_parts(layout)
    faults = list(find_clashes(bought_parts))
    faults += [fault for bought in bought_parts for solid in placed_solids for fault in find_clashes([bought, solid])]
    for name, board in bought_parts:
        if name == "carrier":
            x0, y0, z, x1, y1, _ = board.bounding_box()
            margin = s.CARRIER_HOLE_MARGIN
            points = [(x, y) for y in (y0 + margin, y1 - margin) for x in (x0 + margin, x1 - margin)]
        elif name.startswith("row board"):
            _, y0, _, _, y1, _ = board.bounding_box()
            z = layout.board_z
            points = [(x, y) for y in (y0 + 1, y1 - 1) for x in (layout.row_ends[0] + 1, layout.row_ends[1] - 1)]
        else:
            continue
        width = s.STANDOFF_WIDTH if name == "carrier" else 2.0
        for point in points:
            pad = upright_cylinder(point, width, (z - 0.1, z))
            supported, least = (sum(shared_volume(pad, solid) for _, solid in placed_solids), 0.8 * pad.volume())
            if supported < least:
                place = {"x": point[0], "y": point[1]}
                faults.append(Message("printed.assembly.not_borne", part=name, volume=supported, least=least, **place))
    return tuple(faults)


def check_rim(layout: SolidLayout) -> tuple[Message, ...]:
    """Report a piece that does not fit within the rim, along the row or across it."""
    rim = make_prism(make_rim(layout), (0, s.RIM_HEIGHT))
    faults = []
    for foot, mark_name in enumerate(piece.name_feet(layout)):
        standing = place_solid(piece.make_piece(layout), piece.piece_placement(layout, foot, (0, 0, 0)))
        for turn in (0, 90, 180, 270):
            overlap = shared_volume(standing.rotate((0, 0, turn)), rim)
            if overlap > TOUCH_VOLUME:
                faults.append(Message(f"printed.rim.{mark_name}", turn=turn, volume=overlap))
    return tuple(faults)


def check_clearance(part_fit: PartFit) -> tuple[Message, ...]:
    """Report a part that has less or more play inside another than it should."""
    faults = []
    inner, outer, clearances, (inner_solid, outer_solid) = part_fit
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        clearance = clearances[abs(y)]
        less_play, more_play = clearance - 0.02, clearance + 0.02
        parts = {"inner": inner, "outer": outer}
        if shared_volume(inner_solid.translate((x * less_play, y * less_play, 0)), outer_solid) > TOUCH_VOLUME:
            faults.append(Message("printed.assembly.too_tight", **parts, play=less_play, x=x, y=y))
        elif shared_volume(inner_solid.translate((x * more_play, y * more_play, 0)), outer_solid) <= TOUCH_VOLUME:
            faults.append(Message("printed.assembly.too_loose", **parts, play=more_play, x=x, y=y))
    return tuple(faults)


class PieceStand(NamedTuple):
    """Stability of a piece on one foot.

    Attributes:
        mark: mark on top.
        tip_angle: tilt of the table in degrees at which it falls over.
        mark_height: height in mm of the lowest point of its marks above the table; infinite if it has none.
        grams: weight when printed solid, with magnets.
    """

    mark: str
    tip_angle: float
    mark_height: float
    grams: float


def piece_stands(profile: Profile) -> tuple[PieceStand, ...]:
    layout = SolidLayout(profile)
    piece_body = piece.make_piece(layout)
    magnet_width, magnet_height = layout.magnet_size
    magnet_mass = math.pi / 4 * magnet_width**2 * magnet_height * s.MAGNET_DENSITY
    plastic_volume, plastic_centre = volume_and_centre(piece_body)
    centres = [plastic_centre, *(magnet.middle for magnet in piece.piece_magnets(layout))]
    masses = [plastic_volume * s.PLASTIC_DENSITY, *[magnet_mass] * (len(centres) - 1)]
    mass_centre = np.average(np.array(centres), axis=0, weights=masses)
    raised_marks = Manifold()
    if layout.turned_pieces:
        raised_marks = piece_body - make_prism(piece.piece_outline(layout, -1e-3), (-1, layout.piece_length))
    found_stands = []
    for foot_number, mark_name in enumerate(piece.name_feet(layout)):
        placement = piece.piece_placement(layout, foot_number, (0, 0, 0))
        x, y, z = np.array(placement) @ (*mass_centre, 1.0)
        nearest_edge = min(layout.foot_width / 2 - abs(y), layout.piece_length / 2 - abs(x))
        lowest_z = place_solid(raised_marks, placement).bounding_box()[2] if layout.turned_pieces else math.inf
        found_stands.append(PieceStand(mark_name, math.degrees(math.atan2(nearest_edge, z)), lowest_z, sum(masses)))
    return tuple(found_stands)


def check_solids(profile: Profile, parts: Sequence[PrintedPart]) -> tuple[Message, ...]:
    """Return all faults in a board's parts. A build calls this first."""
    faults = [fault for part in parts for fault in check_part(part)]
    placed_solids = assembled_parts(parts)
    faults += find_clashes(placed_solids)
    faults += check_room(SolidLayout(profile), placed_solids)
    faults += (fault for part_fit in part_fits(profile) for fault in check_clearance(part_fit))
    if profile.sensing.kind == "hall":
        layout = SolidLayout(profile)
        faults += check_captive(layout, piece.make_piece(layout))
        faults += check_rim(layout)
    for mark, tip_angle, mark_height, _ in piece_stands(profile) if profile.sensing.kind == "hall" else ():
        if tip_angle < MIN_TIP_ANGLE:
            faults.append(Message(f"printed.tips.{mark}", angle=tip_angle))
        if mark_height < TABLE_CLEARANCE:
            faults.append(Message(f"printed.low_mark.{mark}", height=mark_height))
    return tuple(faults)
