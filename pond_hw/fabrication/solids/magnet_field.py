"""What a sensor feels of a piece: distances in mm, fields in mT.

A magnet is taken as two discs of poles, its faces. On its axis, at a distance z from the face of a magnet of radius R
and height h, that is B = B_r/2 ((z + h)/sqrt((z + h)² + R²) - z/sqrt(z² + R²)); elsewhere the discs are summed up. It
is taken that no iron is near, and that the magnets do not weaken each other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.mesh import Floats
from pond_hw.fabrication.solids.piece import piece_magnets
from pond_hw.fabrication.solids.placement import piece_placement
from pond_hw.profile import Profile

SEARCH_STEP = 0.25
DISC_RINGS, DISC_RAYS = 16, 24
"""Into so many parts a disc is divided: on its axis, 2 mm away from it, 0.2 % is lost by that."""
DIRECTIONS = [(math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)) for k in range(8)]


class SensorField(NamedTuple):
    """What a sensor feels, least and most of each for what N42 may be.

    Attributes:
        max_distance: from the magnet's face to the sensor's element, at the most.
        centre_field: of a piece that stands in the middle of its cell, across the sensor's face, in mT.
        corner_field: of one that stands in a corner of its lit cell, at the least, in mT; below 0 it is the other pole.
        max_offset: how far from the middle of its cell it may stand, whichever way, to be felt enough, in mm; not more
            than its lit cell lets it.
        reach_field: of a magnet at the profile's `reach_mm`, in mT: what the sensor must feel at the least.
        neighbour_field: of a piece in the next cell, at the most, in mT: what it must not feel.
    """

    max_distance: float
    centre_field: tuple[float, float]
    corner_field: float
    max_offset: float
    reach_field: float
    neighbour_field: float


def sensor_field(profile: Profile, enough: float | None = None) -> SensorField:
    """What a sensor feels of the pieces of this board.

    Args:
        profile: a board with pieces.
        enough: what the sensor must feel, in mT; if it is not given, as much as of a magnet at `reach_mm`.
    """
    layout = SolidLayout(profile)
    play_x, play_y = (layout.face_side - layout.piece_length) / 2, (layout.face_side - layout.piece_width) / 2
    corners = [(x, y) for x in (0.0, play_x) for y in (0.0, play_y)]
    low, high = (1000 * remanence for remanence in s.REMANENCE)
    reach_field = low * axial_field(layout.magnet_size, profile.body.reach_mm)
    centre = _piece_field(layout, 0, 0)
    neighbours = ((layout.pitch, 0.0), (0.0, layout.pitch))
    return SensorField(
        max_distance=sensor_distance(),
        centre_field=(low * centre, high * centre),
        corner_field=low * min(_piece_field(layout, x, y) for x, y in corners),
        max_offset=_find_max_offset(
            layout, math.hypot(play_x, play_y), (reach_field if enough is None else enough) / low
        ),
        reach_field=reach_field,
        neighbour_field=high * max(abs(_piece_field(layout, x - i, y - j)) for x, y in neighbours for i, j in corners),
    )


def _find_max_offset(layout: SolidLayout, most: float, least_field: float) -> float:
    """How far from the middle at least so much is felt."""
    offset = 0.0
    while (further := offset + SEARCH_STEP) <= most and all(
        _piece_field(layout, further * x, further * y) >= least_field for x, y in DIRECTIONS
    ):
        offset = further
    return offset


def sensor_distance() -> float:
    """From a magnet's face to the sensor's element, at the most: the magnet lies as deep in its slot as it can."""
    return s.SKIN + 2 * s.PRESS + s.TILE + s.AIR + s.SENSOR_DIE


def axial_field(magnet: tuple[float, float], away: float) -> float:
    """Field on the axis of a magnet (diameter, height), so far from its face, as a part of its remanence."""
    radius, height = magnet[0] / 2, magnet[1]
    return ((away + height) / math.hypot(away + height, radius) - away / math.hypot(away, radius)) / 2


def radial_field(magnet: tuple[float, float], aside: float, away: float) -> tuple[float, float]:
    """The same at a point `aside` of the axis: across the axis, and along it. From the magnet's middle outwards."""
    radius, height = magnet[0] / 2, magnet[1]
    # Rings of equal area, each at the radius that halves it.
    rings = radius * np.sqrt((np.arange(DISC_RINGS)[:, None] + 0.5) / DISC_RINGS)
    turns = 2 * math.pi * (np.arange(DISC_RAYS) + 0.5) / DISC_RAYS
    x, y = aside - rings * np.cos(turns), rings * np.sin(turns)
    share = radius**2 / (4 * DISC_RINGS * DISC_RAYS)
    across = along = 0.0
    for pole, z in ((share, away - height / 2), (-share, away + height / 2)):
        cubes = (x**2 + y**2 + z**2) ** 1.5
        across += pole * float((x / cubes).sum())
        along += pole * float((z / cubes).sum())
    return across, along


def _piece_field(layout: SolidLayout, x: float, y: float) -> float:
    """Field downwards at a sensor's element, of a piece on foot 0 whose middle is so far from the sensor's."""
    # The element is at 0, 0, 0.
    placement = np.array(piece_placement(layout, 0, (x, y, s.TILE + s.AIR + s.SENSOR_DIE)))
    turn, shift = placement[:, :3], placement[:, 3]
    total = 0.0
    for magnet in piece_magnets(layout):
        outward = turn @ magnet.outward
        total += _magnet_field(layout, turn @ magnet.middle + shift - s.PRESS * outward, outward)
    return total


def _magnet_field(layout: SolidLayout, middle: Floats, outward: Floats) -> float:
    """Field downwards at 0, 0, 0 of one magnet."""
    along = float(-middle @ outward)
    across = -middle - along * outward
    aside = math.hypot(*across)
    sideways, outwards = radial_field(layout.magnet_size, aside, along)
    lean = across[2] / aside if aside > 1e-9 else 0.0
    return float(-(outwards * outward[2] + sideways * lean))
