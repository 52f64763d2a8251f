"""Solids as triangles, and the STL files read by slicers."""

from __future__ import annotations

from typing import Any

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

STL_HEADER = b"pond, mm".ljust(80)
STL_ROW = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
DECIMALS = 4
"""Number of decimal places kept in lengths in mm, because the last bits differ between processors."""


def solid_triangles(solid: Manifold) -> Floats:
    """Return the vertices of a solid's triangles, (count, 3, 3) in mm, anticlockwise seen from outside."""
    mesh = solid.to_mesh64()
    corners = np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3]
    triangles: Floats = corners[np.asarray(mesh.tri_verts)]
    return triangles


def triangle_normals(triangles: Floats) -> tuple[Floats, Floats]:
    """Return each triangle's normal, with a length of twice the triangle's area in mm², and that length."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    # Written out: numerical libraries add in different orders, which changes the last bits.
    return normals, np.sqrt(normals[:, 0] ** 2 + normals[:, 1] ** 2 + normals[:, 2] ** 2)


def to_stl(solid: Manifold) -> bytes:
    """Return a binary STL. It is reproducible: vertex coordinates are rounded, and triangles are sorted by vertex."""
    rounded_triangles = (np.round(solid_triangles(solid), DECIMALS) + 0.0).astype("<f4")  # + 0 turns -0 into 0
    triangles = []
    for corners in rounded_triangles.tolist():
        if len(set(map(tuple, corners))) == 3:  # otherwise it has collapsed to a line
            first_index = corners.index(min(corners))
            triangles.append(corners[first_index:] + corners[:first_index])
    faces = np.array(sorted(triangles))
    normals, lengths = triangle_normals(faces)
    stl_rows = np.zeros(len(faces), dtype=STL_ROW)
    stl_rows["corners"] = faces
    stl_rows["normal"] = np.round(normals / np.where(lengths > 0, lengths, 1.0)[:, None], DECIMALS) + 0.0
    return STL_HEADER + len(stl_rows).to_bytes(4, "little") + stl_rows.tobytes()


def volume_and_centre(solid: Manifold) -> tuple[float, Floats]:
    triangles = solid_triangles(solid)
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    six_volumes = (a * np.cross(b, c)).sum(axis=1)
    total_volume = six_volumes.sum()
    return float(total_volume / 6), ((a + b + c) * six_volumes[:, None]).sum(axis=0) / 4 / total_volume
