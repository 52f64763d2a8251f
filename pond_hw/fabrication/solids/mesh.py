"""Solids as triangles, and the file that printers' programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from manifold3d import Manifold
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]

STL_HEADER = b"pond, mm".ljust(80)
DECIMALS = 4
"""Decimals of a mm that are kept: the last bits differ from one processor to another."""


def solid_triangles(solid: Manifold) -> Floats:
    """Corners of its triangles, (count, 3, 3) in mm, anticlockwise seen from outside."""
    import numpy as np

    mesh = solid.to_mesh64()
    corners = np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3]
    found: Floats = corners[np.asarray(mesh.tri_verts)]
    return found


def to_stl(solid: Manifold) -> bytes:
    """A binary STL, the same bytes for the same solid: corners are rounded, triangles sorted by their corners."""
    import numpy as np

    found = (np.round(solid_triangles(solid), DECIMALS) + 0.0).astype("<f4")  # + 0: no minus zero
    a, b, c = found[:, 0], found[:, 1], found[:, 2]
    found = found[~((a == b).all(1) | (b == c).all(1) | (c == a).all(1))]
    # Each begins with its smallest corner, by x, then y, then z; going round stays as it was.
    first = np.array([one.index(min(one)) for one in found.tolist()], dtype=np.intp)
    turned = np.take_along_axis(found, ((first[:, None] + np.arange(3)) % 3)[:, :, None], axis=1)
    flat = turned.reshape(-1, 9)
    flat = flat[np.lexsort(flat.T[::-1])]
    row = np.dtype([("normal", "<f4", 3), ("corners", "<f4", 9), ("more", "<u2")])
    rows = np.zeros(len(flat), dtype=row)
    rows["corners"] = flat
    rows["normal"] = _triangle_normals(flat.reshape(-1, 3, 3).astype(np.float64))
    return STL_HEADER + len(flat).to_bytes(4, "little") + rows.tobytes()


def _triangle_normals(found: Floats) -> Floats:
    import numpy as np

    normal = np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0])
    long = np.sqrt((normal**2).sum(axis=1, keepdims=True))
    return np.round(normal / np.where(long > 0, long, 1.0), DECIMALS) + 0.0


def volume_and_centre(solid: Manifold) -> tuple[float, tuple[float, float, float]]:
    """Volume in mm³ and middle of mass, as if it were full."""
    found = solid_triangles(solid)
    a, b, c = found[:, 0], found[:, 1], found[:, 2]
    import numpy as np

    six = (a * np.cross(b, c)).sum(axis=1)
    x, y, z = ((a + b + c) * six[:, None]).sum(axis=0) / 4 / six.sum()
    return float(six.sum() / 6), (float(x), float(y), float(z))
