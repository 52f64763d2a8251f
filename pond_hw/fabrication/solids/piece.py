"""Pieces with enclosed magnets: plain, or with three faces.

The printer pauses when the slots are as high as a magnet. You insert the magnets, and printing continues over them. No
opening leads to a magnet, so none can come out.

A plain piece is round, with a magnet behind its foot. Its dome keeps players from placing it upside down: the sensor
would not detect the magnet, or would detect its other pole. The piece is printed upright.

A piece that players turn over has three feet. Opposite each foot is a flat with a mark, and behind each foot is a
magnet. The piece is printed on its end, along z. Its cross-section is an equiangular hexagon of alternating long and
short sides: it rests on a long side, with the opposite short side on top. If players always turn it in the same
direction, egg, tadpole and frog come up in order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from manifold3d import Manifold

from pond_hw.fabrication.solids import shapes
from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.shapes import (
    PlacementMatrix,
    make_box,
    make_prism,
    subtract_solids,
    translation,
    unite_solids,
    upright_cylinder,
)

MARK_NAMES = ("egg", "tadpole", "frog")
"""Symbols on top of a three-faced piece that stands on foot 0, 1 and 2."""
FOOT_DEGREES = 120.0
FOOT_NORMALS = ((0.0, -1.0), (math.sqrt(3) / 2, 0.5), (-math.sqrt(3) / 2, 0.5))
"""Direction of each foot, in x and y."""
MARK_UNIT = 8.0
"""Width of the flat for which the marks are designed."""


class PieceMagnet(NamedTuple):
    """Magnet of a piece, in the piece's coordinates in mm. `outward` is the unit vector towards its outer pole."""

    middle: tuple[float, float, float]
    outward: tuple[float, float, float]


def name_feet(layout: SolidLayout) -> tuple[str, ...]:
    """Return a name for each foot of a piece: the mark on top, or `plain`."""
    return MARK_NAMES if layout.turned_pieces else ("plain",)


def make_piece(layout: SolidLayout) -> Manifold:
    if not layout.turned_pieces:
        return subtract_solids(_make_round_body(layout), magnet_slots(layout))
    body = make_prism(piece_outline(layout, 0), (0, layout.piece_length))
    marks = [_turn_to_foot(mark(layout), i) for i, mark in enumerate((egg_mark, tadpole_mark, frog_mark))]
    return subtract_solids(unite_solids([body, *marks]), magnet_slots(layout))


def magnet_slots(layout: SolidLayout) -> list[Manifold]:
    if not layout.turned_pieces:
        width = layout.magnet_size[0] + 2 * s.PRESS_GAP
        return [upright_cylinder((0, 0), width, (s.SKIN_THICKNESS, layout.pause_z))]
    return [_turn_to_foot(_magnet_slot(layout), foot_number) for foot_number in range(3)]


def piece_magnets(layout: SolidLayout) -> tuple[PieceMagnet, ...]:
    """Return the magnets, one behind each foot, all with the same pole outwards."""
    if not layout.turned_pieces:
        return (PieceMagnet((0.0, 0.0, s.SKIN_THICKNESS + s.PRESS_GAP + layout.magnet_size[1] / 2), (0.0, 0.0, -1.0)),)
    out = layout.foot_in - s.SKIN_THICKNESS - s.PRESS_GAP - layout.magnet_size[1] / 2
    return tuple(PieceMagnet((x * out, y * out, layout.piece_length / 2), (x, y, 0.0)) for x, y in FOOT_NORMALS)


def place_disc(magnet: PieceMagnet, width: float, height: float) -> Manifold:
    disc = Manifold.cylinder(height, width / 2, width / 2, s.ROUND_SEGMENTS, center=True)
    if not magnet.outward[2]:
        turn = math.degrees(math.atan2(magnet.outward[1], magnet.outward[0])) + 90
        disc = disc.rotate((90, 0, 0)).rotate((0, 0, turn))
    return disc.translate(magnet.middle)


def piece_placement(layout: SolidLayout, foot: int, point: tuple[float, float, float]) -> PlacementMatrix:
    """Return the placement of a piece that lies along the row and stands on one foot, centred at a point."""
    if not layout.turned_pieces:
        return translation(*point)
    # Rotate back by the foot's angle.
    cosine, sine = ((1.0, 0.0), (-0.5, -math.sqrt(3) / 2), (-0.5, math.sqrt(3) / 2))[foot]
    x, y, z = point
    towards_end = (0.0, 0.0, 1.0, x - layout.piece_length / 2)
    return towards_end, (cosine, -sine, 0.0, y), (sine, cosine, 0.0, z + layout.foot_in)


def piece_outline(layout: SolidLayout, inset: float) -> list[tuple[float, float]]:
    """Return the cross-section with foot 0 at the bottom, inset by `inset`."""
    foot_distance, flat_distance = layout.foot_in - inset, layout.flat_in - inset
    # Intersections of a foot's line with that of the next flat: their normals are 60 degrees apart.
    corners = []
    for x, y in FOOT_NORMALS:
        for side in (-1, 1):
            along = side * (2 * flat_distance - foot_distance) / math.sqrt(3)
            corners.append((x * foot_distance - y * along, y * foot_distance + x * along))
    return corners


def _turn_to_foot(solid: Manifold, foot_number: int) -> Manifold:
    return solid.rotate((0, 0, FOOT_DEGREES * foot_number))


def _magnet_slot(layout: SolidLayout) -> Manifold:
    """Make the slot behind foot 0: round at the bottom, and open until the printer pauses."""
    magnet_width, magnet_height = layout.magnet_size
    half, near_y = magnet_width / 2 + s.PRESS_GAP, -layout.foot_in + s.SKIN_THICKNESS
    far_y, mid = near_y + magnet_height + 2 * s.PRESS_GAP, layout.piece_length / 2
    cylinder = Manifold.cylinder(far_y - near_y, half, half, s.ROUND_SEGMENTS)
    round_end = cylinder.rotate((-90, 0, 0)).translate((0, near_y, mid))
    upper_half = make_box((-half, half), (near_y, far_y), (mid, layout.pause_z))
    return unite_solids([round_end.trim_by_plane((0, 0, -1), -layout.pause_z), upper_half])


def _make_round_body(layout: SolidLayout) -> Manifold:
    width, height = layout.piece_width, layout.dome_height
    foot = upright_cylinder((0, 0), layout.foot_width, (0, s.FOOT_CHAMFER), width)
    disc = upright_cylinder((0, 0), width, (s.FOOT_CHAMFER, layout.pause_z))
    radius = dome_radius(layout)
    ball = Manifold.sphere(radius, 2 * s.ROUND_SEGMENTS).translate((0, 0, layout.pause_z + height - radius))
    return unite_solids([foot, disc, ball ^ upright_cylinder((0, 0), width, (layout.pause_z, layout.pause_z + height))])


def dome_radius(layout: SolidLayout) -> float:
    return (layout.piece_width**2 / 4 + layout.dome_height**2) / (2 * layout.dome_height)


# --- Marks for the flat on top of foot 0: u runs across the flat, v along the piece ---


def egg_mark(layout: SolidLayout) -> Manifold:
    return _make_dome(layout, (0, 0), 2.4, 1.4)


def tadpole_mark(layout: SolidLayout) -> Manifold:
    head = _make_dome(layout, (0, 3.6), 2.4, 1.1)
    return unite_solids([head, _make_ridge(layout, [(0, 2.4), (0.9, -0.6), (-0.7, -3.6), (0.3, -6.6)])])


def frog_mark(layout: SolidLayout) -> Manifold:
    body = _make_dome(layout, (0, 0.2), 2.1, 1.5)
    eyes = [_make_dome(layout, (side * 1.4, 5.8), 1.1, 1.0) for side in (-1, 1)]
    legs = [
        _make_ridge(layout, [(side * u, v) for u, v in ridge_line])
        for side in (-1, 1)
        for ridge_line in (((1.2, 1.8), (2.7, 2.9)), ((1.0, -2.2), (2.7, -3.2), (2.2, -6.4)))
    ]
    return unite_solids([body, *eyes, *legs])


def _make_dome(layout: SolidLayout, at: tuple[float, float], radius: float, stretch: float) -> Manifold:
    """Make a spherical cap, stretched along the piece. The radius is measured at the flat."""
    mark_scale, dome_height = layout.flat_width / MARK_UNIT, _mark_height(layout)
    base_radius = radius * mark_scale
    sphere_radius = (base_radius**2 + dome_height**2) / (2 * dome_height)
    ball = (
        Manifold.sphere(sphere_radius, s.ROUND_SEGMENTS)
        .scale((1, 1, stretch))
        .translate((0, dome_height - sphere_radius, 0))
    )
    cut_size = 2 * sphere_radius * stretch
    cap = ball ^ make_box((-cut_size, cut_size), (-0.3, cut_size), (-cut_size, cut_size))
    return cap.translate((at[0] * mark_scale, layout.flat_in, layout.piece_length / 2 + at[1] * mark_scale))


def _mark_height(layout: SolidLayout) -> float:
    """Return the height of the marks. Small pieces have lower marks that can still be felt."""
    return max(min(s.MARK_HEIGHT, s.MARK_HEIGHT * layout.flat_width / MARK_UNIT), s.MARK_MIN_HEIGHT)


def _make_ridge(layout: SolidLayout, ridge_line: Sequence[tuple[float, float]]) -> Manifold:
    """Make a round bar along a line, half sunk into the flat. It rises as high as a dome."""
    mark_scale = layout.flat_width / MARK_UNIT
    ends = [(u * mark_scale, layout.flat_in, layout.piece_length / 2 + v * mark_scale) for u, v in ridge_line]
    ball = Manifold.sphere(1, 12).scale((0.75 * mark_scale, _mark_height(layout), 0.75 * mark_scale))
    ball_points = [list(map(float, point)) for point in ball.to_mesh64().vert_properties[:, :3]]
    return unite_solids(
        shapes.convex_hull((x + p[0], y + p[1], z + p[2]) for x, y, z in pair for p in ball_points)
        for pair in pairwise(ends)
    )
