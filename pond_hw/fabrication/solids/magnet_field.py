"""Field of a piece at the sensors, and the force between two pieces: lengths in mm, fields in mT, forces in mN.

A magnet is modelled as two discs of poles, its faces. On its axis, at a distance z from the face of a magnet of radius R
and height h, B = B_r/2 ((z + h)/sqrt((z + h)² + R²) - z/sqrt(z² + R²)); elsewhere, the discs are integrated. For forces, a
magnet is a dipole, since pieces are three diameters apart or more. The model assumes that there is no iron nearby and that
magnets don't weaken each other.
"""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

import numpy as np

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.mesh import Floats
from pond_hw.fabrication.solids.piece import make_piece, name_feet, piece_magnets, piece_placement
from pond_hw.fabrication.solids.rim import PiecePlace, list_places

DISC_RINGS, DISC_RAYS = 6, 16
"""Subdivisions of a disc: with these, the error on its axis, 5 mm away, is 0.5 %."""
NEAR_STEP, FAR_STEP = 0.5, 2.0
"""Distance in mm between the points of a field map, in a piece's own cell and beyond."""
VACUUM_PERMEABILITY = 4e-7 * math.pi
GRAVITY = 9.81


class SensorField(NamedTuple):
    """Fields in mT at a sensor, over every place where a piece fits within the rim, for each of its feet.

    Attributes:
        own_field: minimum field of the piece in the sensor's cell, with the weakest N42 magnets.
        place: place of that piece.
        neighbour_field: maximum field of a piece in the next cell, with the strongest N42 magnets.
    """

    own_field: float
    place: PiecePlace
    neighbour_field: float


class PieceForce(NamedTuple):
    """Force in mN between two pieces in neighbouring cells, at their closest, and the friction of one in mN."""

    force: float
    friction: float


def sensor_distance() -> float:
    """Return the maximum distance from a magnet's face to the sensor element, with the magnet deep in its slot."""
    return s.SKIN_THICKNESS + 2 * s.PRESS_GAP + _element_depth()


def _element_depth() -> float:
    """Return the distance from the top of a tile to the sensor element."""
    return s.TILE_THICKNESS + s.TILE_HEIGHT - s.SENSOR_ELEMENT


def sensor_play(layout: SolidLayout) -> tuple[float, float]:
    """Return the maximum distance in x and y from the middle of a sensor to that of its tile.

    Plate, grid, tile and row boards each have their clearance. Between the rows are gaps, which add up if all boards are
    pushed to one side.
    """
    gaps = (layout.size - 0.5) * (layout.pitch - s.ROW_DEPTH)
    return 4 * s.PART_GAP, 3 * s.PART_GAP + gaps


def find_sensor_field(layout: SolidLayout) -> SensorField:
    """Return the fields of this board's pieces at the sensors."""
    low, high = (1000 * remanence for remanence in s.MAGNET_REMANENCE)
    play_x, play_y = sensor_play(layout)
    places = list(list_places(layout))
    x, y, turn = (np.array(values) for values in zip(*places, strict=True))
    cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    own_field, weakest_place, neighbour_field = math.inf, places[0], 0.0
    for foot in range(len(name_feet(layout))):
        reach = layout.lid_opening / 2 + max(play_x, play_y)
        near_map = _FieldMap(layout, foot, reach, NEAR_STEP)
        far_map = _FieldMap(layout, foot, layout.pitch + reach, FAR_STEP)
        for i, j in product((-1, 1), (-1, 1)):
            own_fields = low * near_map.at(i * play_x - x, j * play_y - y, cosine, sine)
            if (least := float(own_fields.min())) < own_field:
                own_field, weakest_place = least, places[int(own_fields.argmin())]
            for next_x, next_y in ((layout.pitch, 0), (-layout.pitch, 0), (0, layout.pitch), (0, -layout.pitch)):
                fields = far_map.at(next_x + i * play_x - x, next_y + j * play_y - y, cosine, sine)
                neighbour_field = max(neighbour_field, high * float(abs(fields).max()))
    return SensorField(own_field, weakest_place, neighbour_field)


class _FieldMap:
    """Downward field of a piece on one foot, at the height of the sensor elements, as a fraction of the remanence.

    It is interpolated between points.
    """

    def __init__(self, layout: SolidLayout, foot: int, reach: float, step: float) -> None:
        self.step, self.half_count = step, math.ceil(reach * math.sqrt(2) / step) + 1
        steps = np.arange(-self.half_count, self.half_count + 1) * step
        self.fields = piece_field(layout, foot, *np.meshgrid(steps, steps, indexing="ij"))

    def at(self, x: Floats, y: Floats, cosine: Floats, sine: Floats) -> Floats:
        """Return the field at points relative to the piece's middle, if the piece is turned."""
        u, v = ((point / self.step + self.half_count) for point in (cosine * x + sine * y, cosine * y - sine * x))
        i, j = u.astype(int), v.astype(int)
        u, v, fields = u - i, v - j, self.fields
        near = (1 - v) * fields[i, j] + v * fields[i, j + 1]
        far = (1 - v) * fields[i + 1, j] + v * fields[i + 1, j + 1]
        blended: Floats = (1 - u) * near + u * far
        return blended


def piece_field(layout: SolidLayout, foot: int, x: Floats, y: Floats) -> Floats:
    """Return the downward field at points x and y from a piece's middle, at the height of the sensor elements.

    The piece lies along the row and stands on a foot. The field is a fraction of the remanence.
    """
    rotation, shift_vector = _split_placement(layout, foot)
    total_field = np.zeros_like(x)
    for magnet in piece_magnets(layout):
        outward = rotation @ magnet.outward
        middle = rotation @ magnet.middle + shift_vector - s.PRESS_GAP * outward
        away = [x - middle[0], y - middle[1], -_element_depth() - middle[2] + np.zeros_like(x)]
        along = away[0] * outward[0] + away[1] * outward[1] + away[2] * outward[2]
        across = [part - along * outward[k] for k, part in enumerate(away)]
        radial_distance = np.sqrt(across[0] ** 2 + across[1] ** 2 + across[2] ** 2)
        sideways, outwards = radial_field(layout.magnet_size, radial_distance, along)
        total_field -= outwards * outward[2] + sideways * across[2] / np.maximum(radial_distance, 1e-9)
    return total_field


def radial_field(
    magnet_size: tuple[float, float], radial_distance: Floats, axial_distance: Floats
) -> tuple[Floats, Floats]:
    """Return the field off the axis, as a fraction of the remanence: its components across and along the axis.

    The points are given relative to the magnet's middle.
    """
    radius, height = magnet_size[0] / 2, magnet_size[1]
    pole_share = radius**2 / (4 * DISC_RINGS * DISC_RAYS)
    across, along = np.zeros_like(radial_distance), np.zeros_like(radial_distance)
    # Rings of equal area, each represented by the radius that divides its area in half.
    for ring, ray in product(range(DISC_RINGS), range(DISC_RAYS)):
        ring_radius, angle = radius * math.sqrt((ring + 0.5) / DISC_RINGS), 2 * math.pi * (ray + 0.5) / DISC_RAYS
        x, y = radial_distance - ring_radius * math.cos(angle), ring_radius * math.sin(angle)
        for share, z in ((pole_share, axial_distance - height / 2), (-pole_share, axial_distance + height / 2)):
            cubed_distances = (x**2 + y**2 + z**2) ** 1.5
            across += share * x / cubed_distances
            along += share * z / cubed_distances
    return across, along


# --- Neighbouring pieces ---


def find_piece_force(layout: SolidLayout) -> PieceForce:
    """Return the force between two pieces as close as the rims allow, and the friction that holds one of them.

    Friction is assumed, not measured. Neighbours on two sides can move a piece within its rim, where its sensor still
    detects it. If one of them is weaker than friction, two can't tip it over.
    """
    magnet_volume = math.pi / 4 * layout.magnet_size[0] ** 2 * layout.magnet_size[1]
    moment = max(s.MAGNET_REMANENCE) * magnet_volume * 1e-9 / VACUUM_PERMEABILITY
    feet = range(len(name_feet(layout)))
    plays: dict[float, float] = {}
    for x, _, turn in list_places(layout):
        plays[turn] = max(abs(x), plays.get(turn, 0.0))
    force = 0.0
    for turn, feet_pair in product((0, 90) if layout.turned_pieces else (0,), product(feet, feet)):
        next_cell = np.array((layout.pitch - 2 * (plays[turn] + s.PART_GAP), 0, 0))
        dipoles = [_place_dipoles(layout, foot, turn) for foot in feet_pair]
        forces = [
            _dipole_force(one_way, other_way, other - one + next_cell)
            for (one, one_way), (other, other_way) in product(*dipoles)
        ]
        across, along, _ = np.sum(forces, axis=0).tolist()
        force = max(force, 1000 * moment**2 * math.hypot(across, along))
    printed_share = 1.0 if layout.turned_pieces else s.PRINTED_SHARE
    grams = printed_share * make_piece(layout).volume() * s.PLASTIC_DENSITY
    grams += len(piece_magnets(layout)) * magnet_volume * s.MAGNET_DENSITY
    return PieceForce(force, s.FRICTION * GRAVITY * grams)


def _place_dipoles(layout: SolidLayout, foot: int, turn: float) -> list[tuple[Floats, Floats]]:
    """Return the middle and direction of each magnet of a piece that stands on a foot and is turned."""
    rotation, shift_vector = _split_placement(layout, foot)
    cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    rotate = np.array(((cosine, -sine, 0), (sine, cosine, 0), (0, 0, 1)))
    return [
        (rotate @ (rotation @ magnet.middle + shift_vector), rotate @ (rotation @ magnet.outward))
        for magnet in piece_magnets(layout)
    ]


def _dipole_force(one: Floats, other: Floats, away: Floats) -> Floats:
    """Return the force in N on the second of two dipoles of 1 Am², `away` mm from the first."""
    distance = float(np.linalg.norm(away))
    r = away / distance
    factor = 3 * VACUUM_PERMEABILITY / (4 * math.pi * (distance / 1000) ** 4)
    along_one, along_other = one @ r, other @ r
    force: Floats = factor * (along_one * other + along_other * one + (one @ other - 5 * along_one * along_other) * r)
    return force


def _split_placement(layout: SolidLayout, foot: int) -> tuple[Floats, Floats]:
    placement = np.array(piece_placement(layout, foot, (0, 0, 0)))
    return placement[:, :3], placement[:, 3]
