"""How parts are turned and moved from where they are made to where they lie."""

from __future__ import annotations

import math

import numpy as np
from manifold3d import Manifold

from pond_hw.fabrication.solids.layout import SolidLayout

PlacementMatrix = tuple[tuple[float, float, float, float], ...]
"""Three rows of a matrix: what turns a part and then moves it, in mm."""


def place_solid(solid: Manifold, placement: PlacementMatrix) -> Manifold:
    """A part that has been turned and moved."""
    return solid.transform(np.array(placement))


def translation(x: float, y: float, z: float) -> PlacementMatrix:
    """Only moved."""
    return ((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z))


def compose_placements(second: PlacementMatrix, first: PlacementMatrix) -> PlacementMatrix:
    """The first and then the second. Sums are exact, so that they are the same on every processor."""
    matrix_rows = []
    for matrix_row in second:
        x, y, z, shift = (math.fsum(matrix_row[k] * first[k][j] for k in range(3)) for j in range(4))
        matrix_rows.append((x, y, z, shift + matrix_row[3]))
    return tuple(matrix_rows)


def piece_placement(layout: SolidLayout, foot: int, point: tuple[float, float, float]) -> PlacementMatrix:
    """A piece that lies on a foot, along the row, the middle of the foot at this point."""
    # Turned back by the foot's angle.
    cosine, sine = ((1.0, 0.0), (-0.5, -math.sqrt(3) / 2), (-0.5, math.sqrt(3) / 2))[foot]
    x, y, z = point
    return (
        (0.0, 0.0, 1.0, x - layout.piece_length / 2),
        (cosine, -sine, 0.0, y),
        (sine, cosine, 0.0, z + layout.foot_in),
    )
