"""Pictures of solids: seen from far away (parallel), flat shades, dark lines at edges. The same bytes each time."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

from pond_hw.fabrication.solids.mesh import solid_triangles
from pond_hw.fabrication.solids.printed import PrintedPart, place_solid, translation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from manifold3d import Manifold
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]

ShadeColour = tuple[int, int, int]

PART_COLOURS: dict[str, ShadeColour] = {
    "case": (108, 118, 128),
    "plate": (150, 140, 120),
    "grid": (92, 92, 100),
    "lid": (120, 128, 138),
    "diffuser": (236, 240, 232),
    "piece": (222, 170, 92),
    "plug": (190, 138, 66),
    "bezel": (120, 128, 138),
}
PAPER_COLOUR, LINE_COLOUR = (255, 255, 255), (40, 40, 44)
LIGHT_DIRECTION = (-0.35, -0.45, 0.82)
"""Where it comes from: from the left, from the front, from above; as the viewer sees it."""
EDGE_COSINE = 0.9
"""Faces whose normals have a smaller product than this meet in an edge."""
EDGE_DEPTH = 1.5
"""Of what lies so many mm behind its neighbour an edge is drawn."""
SUPERSAMPLING = 2
"""Points of the picture that become one, each way."""
SHADE_COUNT = 96
LAYER_GAP = 26.0
"""Between the layers of the board that is taken apart, in mm."""
PIECE_SPACING = 1.4
"""From piece to piece, in lengths of one."""
LAYER_ORDER = ("case", "plate", "grid", "diffuser", "lid", "piece")


def render_solids(
    solids: Iterable[tuple[Manifold, ShadeColour]],
    azimuth: float = -60,
    elevation: float = 30,
    size: tuple[int, int] = (880, 640),
) -> bytes:
    """A PNG of solids.

    Args:
        solids: each with its colour.
        azimuth: where one stands, in degrees: -90 in front of the board, 0 to its right.
        elevation: how high one looks from: 90 straight down, negative from below.
        size: of the picture.
    """
    import numpy as np

    corners, colours = [], []
    for solid, colour in solids:
        found = solid_triangles(solid)
        corners.append(found)
        colours.append(np.full((len(found), 3), colour, dtype=np.float64))
    seen = _project_corners(np.concatenate(corners), azimuth, elevation)
    depth, index, shades, normals = _rasterize(
        seen, np.concatenate(colours), (size[0] * SUPERSAMPLING, size[1] * SUPERSAMPLING)
    )
    return _encode_png(_draw_edges(depth, index, shades, normals))


def draw_part(part: PrintedPart, azimuth: float = -60, elevation: float = 30) -> bytes:
    """A part as it lies on the bed."""
    return render_solids([(part.solid, PART_COLOURS[part.part_kind])], azimuth, elevation)


def draw_board(parts: Sequence[PrintedPart], azimuth: float = -60, elevation: float = 35) -> bytes:
    """The board as it stands on the table, with three of its pieces."""
    return render_solids(_place_parts(parts, 0.0), azimuth, elevation)


def draw_exploded(parts: Sequence[PrintedPart], azimuth: float = -60, elevation: float = 22) -> bytes:
    """The board with its layers lifted off each other."""
    return render_solids(_place_parts(parts, LAYER_GAP), azimuth, elevation, (880, 1000))


def draw_piece_marks(parts: Sequence[PrintedPart]) -> bytes:
    """A piece's three marks, side by side: egg, tadpole, frog on top."""
    body = next(part for part in parts if part.part_kind == "piece")
    homes = [place_solid(body.solid, place).bounding_box() for place in body.placements]
    step = PIECE_SPACING * (homes[0][3] - homes[0][0])
    found = [
        (place_solid(part.solid, place).translate((step * number - home[0], -home[1], 0)), PART_COLOURS[part.part_kind])
        for part in parts
        if part.part_kind in {"piece", "plug"}
        for number, (place, home) in enumerate(zip(part.placements, homes, strict=True))
    ]
    return render_solids(found, -90, 62, (880, 320))


def _place_parts(parts: Sequence[PrintedPart], apart: float) -> list[tuple[Manifold, ShadeColour]]:
    """Every part in its places, the layers lifted; quarters of a large part are drawn apart as well."""
    found = []
    for part in parts:
        layer = LAYER_ORDER.index({"plug": "piece", "bezel": "case"}.get(part.part_kind, part.part_kind))
        number = int(part.name.removeprefix(part.part_kind + "-")) - 1 if part.name != part.part_kind else None
        aside = (0.0, 0.0) if number is None else (apart / 4 * (number % 2 * 2 - 1), apart / 4 * (number // 2 * 2 - 1))
        for place in part.placements:
            solid = place_solid(place_solid(part.solid, place), translation(*aside, apart * layer))
            found.append((solid, PART_COLOURS[part.part_kind]))
    return found


def _project_corners(corners: Floats, azimuth: float, elevation: float) -> Floats:
    """To the right, up, and towards the viewer. Sums are written out: libraries add in orders of their own."""
    import numpy as np

    a, e = math.radians(azimuth), math.radians(elevation)
    towards = (math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e))
    right = (-math.sin(a), math.cos(a), 0.0)
    up = (-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e))
    x, y, z = corners[..., 0], corners[..., 1], corners[..., 2]
    return np.stack([x * w[0] + y * w[1] + z * w[2] for w in (right, up, towards)], axis=-1)


def _rasterize(seen: Floats, colours: Floats, size: tuple[int, int]) -> tuple[Floats, Any, Floats, Floats]:
    """Depth of each point, which triangle is nearest there (-1: none), and the triangles' shades and normals."""
    import numpy as np

    wide, high = size
    a, b, c = seen[:, 0], seen[:, 1], seen[:, 2]
    normal = np.cross(b - a, c - a)
    long = np.sqrt(normal[:, 0] ** 2 + normal[:, 1] ** 2 + normal[:, 2] ** 2)
    front = (normal[:, 2] > 1e-9) & (long > 1e-9)
    seen, colours, normal = seen[front], colours[front], normal[front] / long[front, None]
    lit = normal[:, 0] * LIGHT_DIRECTION[0] + normal[:, 1] * -LIGHT_DIRECTION[1] + normal[:, 2] * LIGHT_DIRECTION[2]
    shades = colours * (0.55 + 0.45 * np.clip(lit, 0, 1))[:, None]
    low, top = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
    scale = 0.94 * min(wide / (top[0] - low[0]), high / (top[1] - low[1]))
    x = (seen[..., 0] - (low[0] + top[0]) / 2) * scale + wide / 2
    y = high / 2 - (seen[..., 1] - (low[1] + top[1]) / 2) * scale
    depth, index = np.full((high, wide), -np.inf), np.full((high, wide), -1, dtype=np.int64)
    for i in range(len(seen)):
        _fill_triangle(depth, index, i, x[i].tolist(), y[i].tolist(), seen[i, :, 2].tolist())
    return depth, index, shades, normal


def _fill_triangle(depth: Floats, index: Any, i: int, x: list[float], y: list[float], z: list[float]) -> None:
    """One triangle into the picture, where it is nearer than what is there."""
    import numpy as np

    x0, x1 = max(math.ceil(min(x) - 0.5), 0), min(math.floor(max(x) - 0.5), depth.shape[1] - 1)
    y0, y1 = max(math.ceil(min(y) - 0.5), 0), min(math.floor(max(y) - 0.5), depth.shape[0] - 1)
    if x0 > x1 or y0 > y1:
        return
    px, py = np.arange(x0, x1 + 1) + 0.5, (np.arange(y0, y1 + 1) + 0.5)[:, None]
    area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
    if abs(area) < 1e-9:
        return
    u = ((x[2] - px) * (y[0] - py) - (x[0] - px) * (y[2] - py)) / area
    v = ((x[0] - px) * (y[1] - py) - (x[1] - px) * (y[0] - py)) / area
    w = 1 - u - v
    near = w * z[0] + u * z[1] + v * z[2]
    there = depth[y0 : y1 + 1, x0 : x1 + 1]
    hit = (u >= 0) & (v >= 0) & (w >= 0) & (near > there)
    there[hit] = near[hit]
    index[y0 : y1 + 1, x0 : x1 + 1][hit] = i


def _draw_edges(depth: Floats, index: Any, shades: Floats, normals: Floats) -> Floats:
    """The picture, with lines where a face ends."""
    import numpy as np

    there = index >= 0
    picture = np.where(there[:, :, None], shades[index], np.array(PAPER_COLOUR, dtype=np.float64))
    for down, right in ((1, 0), (0, 1)):
        y, x = np.nonzero(index[: index.shape[0] - down, : index.shape[1] - right] != index[down:, right:])
        one, two = index[y, x], index[y + down, x + right]
        n, m = normals[one], normals[two]
        sharp = n[:, 0] * m[:, 0] + n[:, 1] * m[:, 1] + n[:, 2] * m[:, 2] < EDGE_COSINE
        with np.errstate(invalid="ignore"):
            deep = (
                np.abs(depth[y, x] - depth[y + down, x + right]) > EDGE_DEPTH
            )  # endless where nothing is: an edge too
        edge = sharp | deep | (one < 0) | (two < 0)
        first = one >= 0  # the line is drawn on what is there
        y, x = np.where(first, y, y + down)[edge], np.where(first, x, x + right)[edge]
        picture[y, x] = LINE_COLOUR
    return picture


def _encode_png(picture: Floats) -> bytes:
    """Some points become one, then few shades, then the file."""
    import numpy as np
    from PIL import Image

    high, wide, _ = picture.shape
    small = (
        picture.reshape(high // SUPERSAMPLING, SUPERSAMPLING, wide // SUPERSAMPLING, SUPERSAMPLING, 3).sum(axis=(1, 3))
        / SUPERSAMPLING**2
    )
    image = Image.fromarray(np.floor(small + 0.5).astype(np.uint8), "RGB")
    few = image.quantize(SHADE_COUNT, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    out = io.BytesIO()
    few.save(out, "PNG", optimize=True)
    return out.getvalue()
