"""Pictures of solids: parallel projection, flat shading, dark edges, reproducible bytes."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from manifold3d import Manifold
from PIL import Image

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.board_parts import make_row_board
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.mesh import Floats, solid_triangles, triangle_normals
from pond_hw.fabrication.solids.printed import PrintedPart
from pond_hw.fabrication.solids.shapes import place_solid, square_block, unite_solids

ShadeColour = tuple[int, int, int]

PART_COLOURS: dict[str, ShadeColour] = {
    "case": (108, 118, 128),
    "plate": (150, 140, 120),
    "grid": (92, 92, 100),
    "lid": (120, 128, 138),
    "diffuser": (236, 240, 232),
    "piece": (222, 170, 92),
    "bezel": (120, 128, 138),
    "back": (108, 118, 128),
    "clip": (190, 138, 66),
    "keys": (108, 118, 128),
}
CIRCUIT_BOARD: ShadeColour = (46, 112, 74)
CONNECTOR: ShadeColour = (232, 222, 196)
LAMP: ShadeColour = (244, 244, 240)
SENSOR: ShadeColour = (34, 34, 38)
DARK_PIECE: ShadeColour = (112, 84, 66)
PAPER_COLOUR, LINE_COLOUR = (255, 255, 255), (40, 40, 44)
LIGHT_DIRECTION = (-0.35, -0.45, 0.82)
"""Direction of the light as seen by the viewer: from the left, the front and above."""
EDGE_COSINE = 0.9
"""Cosine of the angle between two faces below which their shared edge is drawn."""
EDGE_DEPTH = 1.5
"""Depth difference in mm above which an edge is drawn."""
SUPERSAMPLING = 2
"""Number of rendered pixels per pixel of the picture, in each direction."""
SHADE_COUNT = 96
LAYER_GAP = 26.0
"""Gap in mm between the layers of the exploded view."""
PIECE_SPACING = 1.4
"""Distance between pieces, in piece lengths."""
LAYER_ORDER = ("case", "plate", "row boards", "grid", "diffuser", "lid", "piece")


def render_solids(
    solids: Iterable[tuple[Manifold, ShadeColour]],
    azimuth: float = -60,
    elevation: float = 30,
    size: tuple[int, int] = (880, 640),
) -> bytes:
    """Render coloured solids as a PNG.

    The azimuth is -90 degrees from the front of the board and 0 from its right. The elevation is 90 degrees when looking
    straight down, and negative from below.
    """
    triangles = [(solid_triangles(solid), colour) for solid, colour in solids]
    seen_triangles = _project_corners(np.concatenate([corners for corners, _ in triangles]), azimuth, elevation)
    corner_colours = np.concatenate([np.full((len(corners), 3), colour, float) for corners, colour in triangles])
    pixels = _rasterize_triangles(seen_triangles, corner_colours, size[0] * SUPERSAMPLING, size[1] * SUPERSAMPLING)
    return _encode_png(_draw_edges(*pixels))


def draw_part(part: PrintedPart) -> bytes:
    return render_solids([(part.solid, PART_COLOURS[part.name])])


def draw_board(parts: Sequence[PrintedPart]) -> bytes:
    return render_solids(_place_parts(parts, 0.0), elevation=35)


def draw_exploded(parts: Sequence[PrintedPart], layout: SolidLayout) -> bytes:
    """Draw the layers apart, with the row boards between plate and grid, seen from the side of their connectors."""
    row_boards = _make_row_boards(layout) if layout.has_rows else []
    lift = (0, 0, LAYER_GAP * LAYER_ORDER.index("row boards"))
    lifted_rows = [(solid.translate(lift), colour) for solid, colour in row_boards]
    return render_solids(_place_parts(parts, LAYER_GAP) + lifted_rows, -120, 22, (880, 1000))


def draw_pieces(parts: Sequence[PrintedPart]) -> bytes:
    """Draw three pieces side by side: plain pieces in both colours, or pieces with egg, tadpole and frog on top."""
    piece_body = next(part for part in parts if part.name == "piece")
    light = PART_COLOURS["piece"]
    colours = (light, light if piece_body.cavity_count == 3 else DARK_PIECE, light)
    bounding_boxes = [place_solid(piece_body.solid, placement).bounding_box() for placement in piece_body.placements]
    piece_distance = PIECE_SPACING * (bounding_boxes[0][3] - bounding_boxes[0][0])
    shifts = [(piece_distance * mark_number - box[0], -box[1], 0) for mark_number, box in enumerate(bounding_boxes)]
    solids = [
        (place_solid(piece_body.solid, placement).translate(shift), colour)
        for placement, shift, colour in zip(piece_body.placements, shifts, colours, strict=True)
    ]
    return render_solids(solids, -90, 62, (880, 320))


def _place_parts(parts: Sequence[PrintedPart], layer_gap: float) -> list[tuple[Manifold, ShadeColour]]:
    """Return every copy of every part in its place, with the layers lifted."""
    placed_solids = []
    for part in parts:
        layer_number = LAYER_ORDER.index(
            {"bezel": "lid", "clip": "diffuser", "back": "case", "keys": "case"}.get(part.name, part.name)
        )
        lift = (0, 0, layer_gap * layer_number)
        placed = [place_solid(part.solid, placement).translate(lift) for placement in part.placements]
        placed_solids += [(solid, PART_COLOURS[part.name]) for solid in placed]
    return placed_solids


def _make_row_boards(layout: SolidLayout) -> list[tuple[Manifold, ShadeColour]]:
    """Return the row boards with their connectors, lamps, and sensors or switches."""
    z, quarter = layout.grid_z - 0.01, layout.pitch / 4
    rows = unite_solids(make_row_board(layout, y, s.ROW_CONNECTOR_HEIGHT) for y in layout.cell_middles)
    boards, connectors = rows.split_by_plane((0, 0, 1), layout.board_z)
    points = [(x + i * quarter, y + j * quarter) for x, y in layout.cell_points for i in (-1, 1) for j in (-1, 1)]
    lamps = unite_solids(square_block(s.LAMP_SIDE, (z, z + s.LAMP_HEIGHT), point) for point in points)
    side, height = (s.SENSOR_SIDE, 2 * s.SENSOR_ELEMENT) if layout.has_halls else (s.SWITCH_SIDE, s.SWITCH_HEIGHT)
    sensors = unite_solids(square_block(side, (z, z + height), point) for point in layout.cell_points)
    return [(boards, CIRCUIT_BOARD), (connectors, CONNECTOR), (lamps, LAMP), (sensors, SENSOR)]


def _project_corners(corners: Floats, azimuth: float, elevation: float) -> Floats:
    """Project vertices to coordinates: right, up, and towards the viewer. The sums are written out, as in `triangle_normals`."""
    a, e = math.radians(azimuth), math.radians(elevation)
    towards_viewer = (math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e))
    right_axis = (-math.sin(a), math.cos(a), 0.0)
    up_axis = (-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e))
    x, y, z = corners[..., 0], corners[..., 1], corners[..., 2]
    return np.stack([x * w[0] + y * w[1] + z * w[2] for w in (right_axis, up_axis, towards_viewer)], axis=-1)


def _rasterize_triangles(seen: Floats, colours: Floats, width: int, height: int) -> tuple[Floats, Any, Floats, Floats]:
    """Return each pixel's depth and nearest triangle (-1 if there is none), and the triangles' shades and normals."""
    normals, lengths = triangle_normals(seen)
    front = (normals[:, 2] > 1e-9) & (lengths > 1e-9)
    seen, colours, normals = seen[front], colours[front], normals[front] / lengths[front, None]
    lit = normals[:, 0] * LIGHT_DIRECTION[0] + normals[:, 1] * -LIGHT_DIRECTION[1] + normals[:, 2] * LIGHT_DIRECTION[2]
    shades = colours * (0.55 + 0.45 * np.clip(lit, 0, 1))[:, None]
    low_corner, top_corner = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
    scale = 0.94 * min(width / (top_corner[0] - low_corner[0]), height / (top_corner[1] - low_corner[1]))
    x = (seen[..., 0] - (low_corner[0] + top_corner[0]) / 2) * scale + width / 2
    y = height / 2 - (seen[..., 1] - (low_corner[1] + top_corner[1]) / 2) * scale
    depth, index = np.full((height, width), -np.inf), np.full((height, width), -1, dtype=np.int64)
    for number in range(len(seen)):
        _fill_triangle(depth, index, number, x[number].tolist(), y[number].tolist(), seen[number, :, 2].tolist())
    return depth, index, shades, normals


def _fill_triangle(depth: Floats, index: Any, number: int, x: list[float], y: list[float], z: list[float]) -> None:
    """Draw a triangle where it is nearer than everything drawn so far."""
    x0, x1 = max(math.ceil(min(x) - 0.5), 0), min(math.floor(max(x) - 0.5), depth.shape[1] - 1)
    y0, y1 = max(math.ceil(min(y) - 0.5), 0), min(math.floor(max(y) - 0.5), depth.shape[0] - 1)
    area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
    if x0 > x1 or y0 > y1 or abs(area) < 1e-9:
        return
    points_x, points_y = np.arange(x0, x1 + 1) + 0.5, (np.arange(y0, y1 + 1) + 0.5)[:, None]
    # Barycentric coordinates: all between 0 and 1 inside the triangle.
    u = ((x[2] - points_x) * (y[0] - points_y) - (x[0] - points_x) * (y[2] - points_y)) / area
    v = ((x[0] - points_x) * (y[1] - points_y) - (x[1] - points_x) * (y[0] - points_y)) / area
    w = 1 - u - v
    distance = w * z[0] + u * z[1] + v * z[2]
    region = np.s_[y0 : y1 + 1, x0 : x1 + 1]
    is_nearest = (u >= 0) & (v >= 0) & (w >= 0) & (distance > depth[region])
    depth[region][is_nearest] = distance[is_nearest]
    index[region][is_nearest] = number


def _draw_edges(depth: Floats, index: Any, shades: Floats, normals: Floats) -> Floats:
    picture = np.where((index >= 0)[:, :, None], shades[index], np.array(PAPER_COLOUR, dtype=np.float64))
    for down, right in ((1, 0), (0, 1)):
        y, x = np.nonzero(index[: index.shape[0] - down, : index.shape[1] - right] != index[down:, right:])
        first_index, second_index = index[y, x], index[y + down, x + right]
        n, m = normals[first_index], normals[second_index]
        is_sharp = n[:, 0] * m[:, 0] + n[:, 1] * m[:, 1] + n[:, 2] * m[:, 2] < EDGE_COSINE
        with np.errstate(invalid="ignore"):  # empty pixels are infinitely deep
            has_depth_step = np.abs(depth[y, x] - depth[y + down, x + right]) > EDGE_DEPTH
        is_edge = is_sharp | has_depth_step | (first_index < 0) | (second_index < 0)
        on_first = first_index >= 0  # draw the line on the solid, not beside it
        picture[np.where(on_first, y, y + down)[is_edge], np.where(on_first, x, x + right)[is_edge]] = LINE_COLOUR
    return picture


def _encode_png(picture: Floats) -> bytes:
    height, width = (picture_side // SUPERSAMPLING for picture_side in picture.shape[:2])
    point_squares = picture.reshape(height, SUPERSAMPLING, width, SUPERSAMPLING, 3)
    point_means = point_squares.sum(axis=(1, 3)) / SUPERSAMPLING**2
    image = Image.fromarray(np.floor(point_means + 0.5).astype(np.uint8), "RGB")
    few_shades = image.quantize(SHADE_COUNT, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    png_file = io.BytesIO()
    few_shades.save(png_file, "PNG", optimize=True)
    return png_file.getvalue()
