"""The lamp grid: walls that no light passes between the cells; what carries the diffusers."""

from __future__ import annotations

from manifold3d import Manifold

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout
from pond_hw.fabrication.solids.shapes import (
    Extent,
    make_box,
    make_prism,
    square_block,
    subtract_solids,
    unite_solids,
    upright_cylinder,
)

EAR_LENGTH = 8.0
"""So far a corner's ear reaches along the wall."""


def make_crate(layout: SolidLayout) -> Manifold:
    """The grid where it stands on the plate."""
    low_z, high_z = layout.grid_z, layout.lid_z - s.GRID_CLEARANCE
    block = square_block(2 * layout.half_size + s.GRID_WALL, (low_z, high_z))
    cell_rooms = [square_block(layout.cell_side, (low_z - 1, high_z + 1), point) for point in layout.cell_points]
    ears = [_make_ear(layout, point, (low_z, high_z)) for point in layout.screw_points]
    gussets = [_make_gusset(layout, point, i, j) for point in layout.cell_points for i in (-1, 1) for j in (-1, 1)]
    reach = layout.half_size + s.GRID_WALL / 2 + 0.5
    notches = [make_box((-reach, reach), gap, (low_z - 1, low_z + s.NOTCH_HEIGHT)) for gap in _strip_gaps(layout)]
    screw_holes = [upright_cylinder(point, s.SCREW_HOLE, (low_z - 1, high_z + 1)) for point in layout.screw_points]
    walls = subtract_solids(block, cell_rooms)
    return subtract_solids(unite_solids([walls, *ears, *gussets]), [*notches, *screw_holes])


def _strip_gaps(layout: SolidLayout) -> list[Extent]:
    """From where to where, in y, strips run through the walls: two that would leave too thin a wall between are one."""
    half_width = s.STRIP_WIDTH / 2 + 0.2
    gaps: list[Extent] = []
    for y in sorted(layout.strip_rows):
        if gaps and y - half_width < gaps[-1][1] + s.GRID_WALL:
            gaps[-1] = gaps[-1][0], y + half_width
        else:
            gaps.append((y - half_width, y + half_width))
    return gaps


def _make_ear(layout: SolidLayout, screw_point: FlatPoint, z: Extent) -> Manifold:
    """What a screw holds the grid by. Those in the corners go along the walls that have no wires beside them."""
    wall_distance, (x, y) = layout.case_inside - s.PART_GAP, screw_point

    def span(screw_middle: float, near_edge: float) -> Extent:
        if abs(screw_middle) < layout.half_size:
            return screw_middle - s.HALF_COLUMN, screw_middle + s.HALF_COLUMN
        return (near_edge, wall_distance) if screw_middle > 0 else (-wall_distance, -near_edge)

    ear_length = EAR_LENGTH if abs(y) > layout.half_size else 0
    return make_box(span(x, layout.half_size - ear_length), span(y, layout.half_size), z)


def _make_gusset(layout: SolidLayout, cell_point: FlatPoint, i: int, j: int) -> Manifold:
    """A triangle in the corner of a cell, up to the diffuser."""
    x, y = (middle + side * (layout.cell_side / 2 + 0.1) for middle, side in zip(cell_point, (i, j), strict=True))
    leg_length = s.GUSSET_SIDE + 0.1
    corners = [(x, y), (x - i * leg_length, y), (x, y - j * leg_length)]
    return make_prism(corners if i * j > 0 else corners[::-1], (layout.grid_z, layout.gusset_z))
