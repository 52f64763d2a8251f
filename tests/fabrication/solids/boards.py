"""Cached boards for tests, and a reader for STL files that uses another library."""

import io
import math
from dataclasses import replace
from functools import cache

import numpy as np
import trimesh

from pond_hw.fabrication.solids.printed import PrintedPart, printed_parts
from pond_hw.profile import BoardBody, Profile, load_profile
from pond_hw.profile.reader import TURNED_MAGNET_MM

SHIPPED = (
    "direct-4x4",
    "hall-4x4",
    "matrix-5x5",
    "hall-5x5",
    "neotrellis-4x4",
    "usb-direct-4x4",
    "usb-hall-4x4",
    "usb-matrix-5x5",
    "owner-4x4",
)
PIECES = ("hall-4x4", "hall-5x5")


def with_three_faces(profile: Profile) -> Profile:
    """Return the same board for pieces with three faces, and with their default magnets."""
    turned = replace(profile.sensing, turned_pieces=True)
    return replace(profile, sensing=turned, body=BoardBody((8.0, TURNED_MAGNET_MM)))


@cache
def built(name: str) -> tuple[PrintedPart, ...]:
    return printed_parts(load_profile(name))


def part(name: str, part_name: str) -> PrintedPart:
    return next(one for one in built(name) if one.name == part_name)


def board(
    size: int = 4,
    *,
    halls: bool = False,
    key: bool = True,
    buzzer: bool = True,
    own: bool = True,
    pico: bool = False,
    magnet: tuple[float, float] = (8.0, 3.0),
    faces: bool = False,
) -> Profile:
    """Return a profile with this body. Its wiring is irrelevant."""
    base = load_profile("hall-4x4" if halls else "direct-4x4")
    base = with_three_faces(base) if faces else base
    return replace(
        base,
        size=size,
        supply=replace(base.supply, source="own" if own else "pi"),
        undo_key_pin=17 if key else None,
        buzzer_pin=13 if buzzer else None,
        controller="pico" if pico else "pi",
        body=BoardBody(magnet),
    )


def read_stl(data: bytes) -> trimesh.Trimesh:
    """Read an STL file with another library."""
    return trimesh.load(io.BytesIO(data), file_type="stl")


def count_bodies(mesh: trimesh.Trimesh) -> int:
    """Count the solids: triangles that share a corner are connected."""
    group = np.arange(len(mesh.vertices))
    while True:
        least = group[mesh.faces].min(axis=1)
        after = group.copy()
        np.minimum.at(after, mesh.faces.ravel(), np.repeat(least, 3))
        after = after[after]
        if (after == group).all():
            return len(np.unique(group))
        group = after


def count_holes(mesh: trimesh.Trimesh) -> int:
    """Return the genus by Euler's formula: corners - edges + faces = 2 - 2 genus for each solid."""
    return count_bodies(mesh) - mesh.euler_number // 2


def axial_field(magnet_size, distance):
    """Return the field on the axis of a magnet (diameter, height), as a fraction of its remanence: the exact formula."""
    radius, height = magnet_size[0] / 2, magnet_size[1]
    return ((distance + height) / math.hypot(distance + height, radius) - distance / math.hypot(distance, radius)) / 2
