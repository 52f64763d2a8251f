"""Basic solids, and placements that rotate and move them. Lengths in mm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from manifold3d import CrossSection, JoinType, Manifold, OpType

from pond_hw.fabrication.solids import sizes as s

Extent = tuple[float, float]

PlacementMatrix = tuple[tuple[float, float, float, float], ...]
"""Three rows of a transformation matrix: rotation, then translation in mm."""


def make_box(x: Extent, y: Extent, z: Extent) -> Manifold:
    """Return a block, given its minimum and maximum in each coordinate."""
    return Manifold.cube((x[1] - x[0], y[1] - y[0], z[1] - z[0])).translate((x[0], y[0], z[0]))


def block_around(block_size: Extent, z: Extent, middle_point: Extent = (0.0, 0.0)) -> Manifold:
    """Return a block with a base of this size, centred at a point."""
    (x, y), (half_x, half_y) = middle_point, (block_size[0] / 2, block_size[1] / 2)
    return make_box((x - half_x, x + half_x), (y - half_y, y + half_y), z)


def square_block(square_side: float, z: Extent, middle_point: Extent = (0.0, 0.0)) -> Manifold:
    return block_around((square_side, square_side), z, middle_point)


def convex_hull(points: Iterable[Sequence[float]]) -> Manifold:
    return Manifold.hull_points([list(point) for point in points])


def make_frustum(low_side: float, high_side: float, z: Extent, middle_point: Extent = (0.0, 0.0)) -> Manifold:
    (x, y), levels = middle_point, ((low_side / 2, z[0]), (high_side / 2, z[1]))
    return convex_hull(
        (x + i * half, y + j * half, height) for half, height in levels for i in (-1, 1) for j in (-1, 1)
    )


def upright_cylinder(middle_point: Extent, width: float, z: Extent, top_width: float | None = None) -> Manifold:
    """Return an upright cylinder, or a cone if the top has a different diameter. Wide cylinders have more segments."""
    top_width = width if top_width is None else top_width
    segments = s.FINE_SEGMENTS if max(width, top_width) < 3 else s.ROUND_SEGMENTS
    return Manifold.cylinder(z[1] - z[0], width / 2, top_width / 2, segments).translate((*middle_point, z[0]))


def lying_cylinder(middle_point: tuple[float, float, float], width: float, length: float, axis: str) -> Manifold:
    segments = s.FINE_SEGMENTS if width < 3 else s.ROUND_SEGMENTS
    solid = Manifold.cylinder(length, width / 2, width / 2, segments, center=True)
    return solid.rotate((0, 90, 0) if axis == "x" else (90, 0, 0)).translate(middle_point)


def make_prism(outline: Iterable[Extent] | CrossSection, z: Extent) -> Manifold:
    section = outline if isinstance(outline, CrossSection) else CrossSection([[list(point) for point in outline]])
    return Manifold.extrude(section, z[1] - z[0]).translate((0, 0, z[0]))


def rounded_block(half_side: float, radius: float, z: Extent) -> Manifold:
    inner_square = CrossSection.square((2 * (half_side - radius), 2 * (half_side - radius)), True)
    return make_prism(inner_square.offset(radius, JoinType.Round, 2.0, s.ROUND_SEGMENTS), z)


def unite_solids(solids: Iterable[Manifold]) -> Manifold:
    return Manifold.batch_boolean(list(solids), OpType.Add)


def subtract_solids(solid: Manifold, holes: Iterable[Manifold]) -> Manifold:
    return Manifold.batch_boolean([solid, *holes], OpType.Subtract)


def place_solid(solid: Manifold, placement: PlacementMatrix) -> Manifold:
    return solid.transform(np.array(placement))


def translation(x: float, y: float, z: float) -> PlacementMatrix:
    return ((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z))


def compose_placements(second: PlacementMatrix, first: PlacementMatrix) -> PlacementMatrix:
    """Return the first placement followed by the second. The sums are exact, so all processors give the same result."""
    matrix_rows = []
    for matrix_row in second:
        x, y, z, shift = (math.fsum(matrix_row[k] * first[k][j] for k in range(3)) for j in range(4))
        matrix_rows.append((x, y, z, shift + matrix_row[3]))
    return tuple(matrix_rows)
