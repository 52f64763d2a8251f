"""Rim on a tile, which keeps a piece near the middle of its cell, and every place where the piece fits.

In the middle of each side is a short bar. Pieces that players turn over lie along the row or across it; for them, there is
also an angle in each corner. The lid around the tile is higher than the rim.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from manifold3d import CrossSection
from numpy.typing import NDArray

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.mesh import Floats

PLACE_STEP = 0.2
"""Distance in mm between the places that are checked."""
TURN_STEP = 1.0
"""Angle in degrees between the turns that are checked."""

Booleans = NDArray[np.bool]

FlatBox = tuple[float, float, float, float]
"""Left, right, front and back in mm, from the middle of a cell."""


class PiecePlace(NamedTuple):
    """Place of a piece: its middle in mm from the middle of its tile, and its turn from the row's direction in degrees."""

    x: float
    y: float
    turn: float


def rim_boxes(layout: SolidLayout) -> list[FlatBox]:
    """Return the parts of the rim, seen from above."""
    low = layout.piece_length / 2 + s.RIM_PLAY
    high, half = low + s.RIM_WIDTH, s.RIM_LENGTH / 2
    boxes = [(low, high, -half, half), (-high, -low, -half, half), (-half, half, low, high), (-half, half, -high, -low)]
    if layout.turned_pieces:
        corner = half_width_at_rim(layout) + s.RIM_PLAY
        for i, j in product((-1, 1), (-1, 1)):
            for x, y in ((high, corner + s.RIM_WIDTH), (corner + s.RIM_WIDTH, high)):
                (left, right), (front, back) = sorted((i * corner, i * x)), sorted((j * corner, j * y))
                boxes.append((left, right, front, back))
    return boxes


def half_width_at_rim(layout: SolidLayout) -> float:
    """Return half the width of a piece at the height of the rim, without its marks. Its sides lean out by 30 degrees."""
    if not layout.turned_pieces:
        return layout.piece_width / 2
    return layout.foot_width / 2 + s.RIM_HEIGHT / math.sqrt(3)


def make_rim(layout: SolidLayout) -> CrossSection:
    section = CrossSection()
    for left, right, front, back in rim_boxes(layout):
        section += CrossSection.square((right - left, back - front)).translate((left, front))
    return section


def list_places(layout: SolidLayout) -> Iterator[PiecePlace]:
    """Yield every place where a piece stands flat on its tile, in steps.

    The piece is taken to be smaller by half a step on all sides, so that no place between two steps is missed.
    """
    reach = layout.lid_opening / 2
    steps = np.arange(-math.ceil(reach / PLACE_STEP), math.ceil(reach / PLACE_STEP) + 1) * PLACE_STEP
    x, y = (grid.ravel() for grid in np.meshgrid(steps, steps))
    for turn in np.arange(0, 360, TURN_STEP).tolist() if layout.turned_pieces else (0.0,):
        fits = (_fits_rectangle if layout.turned_pieces else _fits_circle)(layout, x, y, turn)
        for place_x, place_y in zip(x[fits].tolist(), y[fits].tolist(), strict=True):
            yield PiecePlace(place_x, place_y, turn)


def _fits_circle(layout: SolidLayout, x: Floats, y: Floats, _: float) -> Booleans:
    radius = layout.piece_width / 2 - PLACE_STEP / 2
    fits: Booleans = np.maximum(abs(x), abs(y)) + radius <= layout.lid_opening / 2
    for left, right, front, back in rim_boxes(layout):
        across, along = np.clip(x, left, right) - x, np.clip(y, front, back) - y
        fits &= across**2 + along**2 >= radius**2
    return fits


def _fits_rectangle(layout: SolidLayout, x: Floats, y: Floats, turn: float) -> Booleans:
    """Return True for each place where the rectangle overlaps neither the lid nor the rim: some axis separates them."""
    length, width = layout.piece_length / 2 - PLACE_STEP / 2, half_width_at_rim(layout) - PLACE_STEP / 2
    cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    half_x, half_y = length * abs(cosine) + width * abs(sine), length * abs(sine) + width * abs(cosine)
    reach = layout.lid_opening / 2
    fits: Booleans = (abs(x) + half_x <= reach) & (abs(y) + half_y <= reach)
    for left, right, front, back in rim_boxes(layout):
        away_x, away_y = (left + right) / 2 - x, (front + back) / 2 - y
        box_x, box_y = (right - left) / 2, (back - front) / 2
        along, across = abs(cosine * away_x + sine * away_y), abs(cosine * away_y - sine * away_x)
        fits &= (
            (abs(away_x) >= box_x + half_x)
            | (abs(away_y) >= box_y + half_y)
            | (along >= length + box_x * abs(cosine) + box_y * abs(sine))
            | (across >= width + box_x * abs(sine) + box_y * abs(cosine))
        )
    return fits
