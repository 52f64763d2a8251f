"""Field of a piece at a sensor: distances in mm, fields in mT.

A magnet is modelled as two discs of poles, its faces. On its axis, at a distance z from the face of a magnet of radius R
and height h, B = B_r/2 ((z + h)/sqrt((z + h)² + R²) - z/sqrt(z² + R²)); elsewhere, the discs are integrated. The model
assumes that there is no iron nearby and that magnets don't weaken each other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.piece import piece_magnets, piece_placement
from pond_hw.profile.board_profile import Profile

DISC_RINGS, DISC_RAYS = 16, 24
"""Subdivisions of a disc: with these, the error on its axis, 2 mm away, is 0.2 %."""


class SensorField(NamedTuple):
    """Field at a sensor, for the weakest and the strongest N42 magnet.

    Attributes:
        max_distance: maximum distance from the magnet's face to the sensor element.
        reach_field: field in mT of a magnet at the profile's `reach_mm`, which the sensor must detect.
        neighbour_field: maximum field in mT of a piece in the next cell, which it must not detect.
    """

    max_distance: float
    reach_field: float
    neighbour_field: float


def sensor_field(profile: Profile) -> SensorField:
    """Return the field of this board's pieces at a sensor."""
    layout = SolidLayout(profile)
    low, high = (1000 * remanence for remanence in s.MAGNET_REMANENCE)
    reach_field = low * axial_field(layout.magnet_size, profile.body.reach_mm)
    # A piece in the next cell may come closer, because it may lie in a corner of its cell.
    play_x, play_y = (layout.face_side - layout.piece_length) / 2, (layout.face_side - layout.piece_width) / 2
    near = [(x, y) for x in (0.0, play_x) for y in (0.0, play_y)]
    points = [(layout.pitch - x, -y) for x, y in near] + [(-x, layout.pitch - y) for x, y in near]
    neighbour_field = high * max(abs(piece_field(layout, x, y)) for x, y in points)
    return SensorField(sensor_distance(), reach_field, neighbour_field)


def sensor_distance() -> float:
    """Return the maximum distance from a magnet's face to the sensor element, with the magnet deep in its slot."""
    return s.SKIN_THICKNESS + 2 * s.PRESS_GAP + s.TILE_THICKNESS + s.TILE_GAP + s.SENSOR_DIE


def axial_field(magnet_size: tuple[float, float], distance: float) -> float:
    """Return the field on the axis of a magnet (diameter, height), as a fraction of its remanence."""
    radius, height = magnet_size[0] / 2, magnet_size[1]
    return ((distance + height) / math.hypot(distance + height, radius) - distance / math.hypot(distance, radius)) / 2


def radial_field(
    magnet_size: tuple[float, float], radial_distance: float, axial_distance: float
) -> tuple[float, float]:
    """Return the field off the axis, as a fraction of the remanence: its components across and along the axis.

    The point is given relative to the magnet's middle.
    """
    radius, height = magnet_size[0] / 2, magnet_size[1]
    # Rings of equal area, each represented by the radius that divides its area in half.
    ring_radii = radius * np.sqrt((np.arange(DISC_RINGS)[:, None] + 0.5) / DISC_RINGS)
    ray_angles = 2 * math.pi * (np.arange(DISC_RAYS) + 0.5) / DISC_RAYS
    x, y = radial_distance - ring_radii * np.cos(ray_angles), ring_radii * np.sin(ray_angles)
    pole_share = radius**2 / (4 * DISC_RINGS * DISC_RAYS)
    across = along = 0.0
    for pole_strength, z in ((pole_share, axial_distance - height / 2), (-pole_share, axial_distance + height / 2)):
        cubed_distances = (x**2 + y**2 + z**2) ** 1.5
        across += pole_strength * float((x / cubed_distances).sum())
        along += pole_strength * float((z / cubed_distances).sum())
    return across, along


def piece_field(layout: SolidLayout, x: float, y: float) -> float:
    """Return the downward field at a sensor element from a piece that stands on foot 0, offset by x and y."""
    # The sensor element is at the origin.
    placement = np.array(piece_placement(layout, 0, (x, y, s.TILE_THICKNESS + s.TILE_GAP + s.SENSOR_DIE)))
    rotation, shift_vector = placement[:, :3], placement[:, 3]
    total_field = 0.0
    for magnet in piece_magnets(layout):
        outward = rotation @ magnet.outward
        magnet_middle = rotation @ magnet.middle + shift_vector - s.PRESS_GAP * outward
        along = float(-magnet_middle @ outward)
        across = -magnet_middle - along * outward
        radial_distance = math.hypot(*across)
        sideways, outwards = radial_field(layout.magnet_size, radial_distance, along)
        radial_z = across[2] / radial_distance if radial_distance > 1e-9 else 0.0
        total_field -= float(outwards * outward[2] + sideways * radial_z)
    return total_field
