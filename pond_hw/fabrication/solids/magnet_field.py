"""What a sensor feels of a piece: distances in mm, fields in mT.

A magnet is taken as two discs of poles, its faces. On its axis, at a distance z from the face of a magnet of radius R
and height h, that is B = B_r/2 ((z + h)/sqrt((z + h)² + R²) - z/sqrt(z² + R²)); elsewhere the discs are summed up. It
is taken that no iron is near, and that the magnets do not weaken each other.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout, make_layout
from pond_hw.fabrication.solids.piece import PieceMagnet, piece_magnets
from pond_hw.fabrication.solids.printed import piece_placement

if TYPE_CHECKING:
    from pond_hw.profile import Profile

SEARCH_STEP = 0.25
DISC_RINGS, DISC_RAYS = 16, 24
"""Into so many parts a disc is divided: on its axis, 2 mm away from it, 0.2 % is lost by that."""


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
    sized = make_layout(profile)
    play = ((sized.face_side - sized.piece_length) / 2, (sized.face_side - sized.piece_width) / 2)
    low, high = s.REMANENCE
    reach = 1000 * low * axial_field(sized.magnet_size, profile.body.reach_mm)
    middle = _piece_field(sized, 0, 0)
    aside = min(_piece_field(sized, i * play[0], j * play[1]) for i in (0, 1) for j in (0, 1))
    beside = max(
        abs(_piece_field(sized, x - i * play[0], y - j * play[1]))
        for x, y in ((sized.pitch, 0.0), (0.0, sized.pitch))
        for i in (0, 1)
        for j in (0, 1)
    )
    return SensorField(
        sensor_distance(),
        (1000 * low * middle, 1000 * high * middle),
        1000 * low * aside,
        _find_max_offset(sized, math.hypot(*play), (reach if enough is None else enough) / (1000 * low)),
        reach,
        1000 * high * beside,
    )


def _find_max_offset(sized: SolidLayout, most: float, least: float) -> float:
    """How far from the middle at least so much is felt."""
    ways = [(math.cos(turn), math.sin(turn)) for turn in (k * math.pi / 4 for k in range(8))]
    far = 0.0
    while far + SEARCH_STEP <= most and all(
        _piece_field(sized, (far + SEARCH_STEP) * x, (far + SEARCH_STEP) * y) >= least for x, y in ways
    ):
        far += SEARCH_STEP
    return far


def sensor_distance() -> float:
    """From a magnet's face to the sensor's element, at the most: the magnet lies as deep in its slot as it can."""
    return s.SKIN + 2 * s.PRESS + s.TILE + s.AIR + s.SENSOR_DIE


def axial_field(magnet: tuple[float, float], away: float) -> float:
    """Field on the axis of a magnet (diameter, height), so far from its face, as a part of its remanence."""
    radius, high = magnet[0] / 2, magnet[1]
    return ((away + high) / math.hypot(away + high, radius) - away / math.hypot(away, radius)) / 2


def radial_field(magnet: tuple[float, float], aside: float, away: float) -> tuple[float, float]:
    """The same at a point `aside` of the axis: across the axis, and along it. From the magnet's middle outwards."""
    radius, high = magnet[0] / 2, magnet[1]
    across = along = 0.0
    for pole, face in ((1, high / 2), (-1, -high / 2)):
        for ring in range(DISC_RINGS):
            # Rings of equal area, each at the radius that halves it.
            r = radius * math.sqrt((ring + 0.5) / DISC_RINGS)
            for ray in range(DISC_RAYS):
                turn = 2 * math.pi * (ray + 0.5) / DISC_RAYS
                x, y, z = aside - r * math.cos(turn), r * math.sin(turn), away - face
                cube = math.sqrt(x * x + y * y + z * z) ** 3
                across += pole * x / cube
                along += pole * z / cube
    share = radius**2 / (4 * DISC_RINGS * DISC_RAYS)
    return across * share, along * share


def _piece_field(sized: SolidLayout, x: float, y: float) -> float:
    """Field downwards at a sensor's element, of a piece on foot 0 whose middle is so far from the sensor's."""
    deep = s.TILE + s.AIR + s.SENSOR_DIE
    place = piece_placement(sized, 0, (x, y, deep))  # the element is at 0, 0, 0
    total = 0.0
    for magnet in piece_magnets(sized):
        middle = [sum(row[k] * magnet.middle[k] for k in range(3)) + row[3] for row in place]
        out = [sum(row[k] * magnet.outward[k] for k in range(3)) for row in place]
        middle = [m - s.PRESS * o for m, o in zip(middle, out, strict=True)]
        total += _magnet_field(sized, PieceMagnet((middle[0], middle[1], middle[2]), (out[0], out[1], out[2])))
    return total


def _magnet_field(sized: SolidLayout, magnet: PieceMagnet) -> float:
    """Field downwards at 0, 0, 0 of one magnet."""
    to = [-m for m in magnet.middle]
    along = sum(t * o for t, o in zip(to, magnet.outward, strict=True))
    across = [t - along * o for t, o in zip(to, magnet.outward, strict=True)]
    aside = math.hypot(*across)
    sideways, outwards = radial_field(sized.magnet_size, aside, along)
    lean = across[2] / aside if aside > 1e-9 else 0.0
    return -(outwards * magnet.outward[2] + sideways * lean)
