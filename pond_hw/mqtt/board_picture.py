"""Picture of a board as a PNG file, drawn like the cells of the phone page."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection
from functools import cache
from math import hypot

from pond_hw.lights.glyphs import glyph_rows
from pond_hw.rules import LIGHT, Piece, Position

LAMPS_PER_SIDE = 8
LAMP_PIXELS, MARGIN_PIXELS, GAP_PIXELS = 8, 4, 6
CELL_PIXELS = LAMPS_PER_SIDE * LAMP_PIXELS + 2 * MARGIN_PIXELS

RIM_PIXELS = 2
"""Width of the rim around the cells of the last turn."""

# The page's colours (web/page/base.css).
_BOARD, _CELL = (12, 26, 29), (20, 38, 41)
_INKS = {"off": (34, 58, 62), "light": (255, 159, 28), "dark": (69, 170, 255), "rim": (255, 255, 255)}

_SHADES = 8
"""Number of mixtures of a colour and the cell around it, for smooth edges."""

_PALETTE = [
    _BOARD,
    _CELL,
    *(
        tuple(round(cell + (ink - cell) * shade / _SHADES) for cell, ink in zip(_CELL, colour, strict=True))
        for colour in _INKS.values()
        for shade in range(1, _SHADES + 1)
    ),
]
_BOARD_INDEX, _CELL_INDEX = 0, 1

# The outer and inner radius of a lamp, in pixels. Dark's lamps are rings, so that the owner can be seen without colours.
_RADII = {"off": (1.8, 0.0), "light": (3.6, 0.0), "dark": (3.7, 2.0)}

_Tile = tuple[bytes, ...]
"""Rows of palette indexes."""


def draw_board(position: Position, marked_cells: Collection[str] = ()) -> bytes:
    """Draw a position as a square PNG file, with a rim around marked cells."""
    size = position.grid.size
    side = size * (CELL_PIXELS + GAP_PIXELS) + GAP_PIXELS
    gap_rows = [bytes((_BOARD_INDEX,)) * side] * GAP_PIXELS
    gap = bytes((_BOARD_INDEX,)) * GAP_PIXELS
    rows = list(gap_rows)
    for row_of_cells in position.grid.rows:
        tiles = [_draw_cell(position.pieces.get(cell), is_marked=cell in marked_cells) for cell in row_of_cells]
        rows += [gap + gap.join(parts) + gap for parts in zip(*tiles, strict=True)]
        rows += gap_rows
    return _encode_png(rows)


@cache
def _draw_cell(piece: Piece | None, *, is_marked: bool) -> _Tile:
    pixels = [bytearray((_CELL_INDEX,)) * CELL_PIXELS for _ in range(CELL_PIXELS)]
    glyph = glyph_rows(str(piece.symbol), LAMPS_PER_SIDE**2) if piece else ("." * LAMPS_PER_SIDE,) * LAMPS_PER_SIDE
    lit_name = "light" if piece and piece.owner is LIGHT else "dark"
    for row, signs in enumerate(glyph):
        for column, sign in enumerate(signs):
            stamp, left = _draw_lamp("off" if sign == "." else lit_name), MARGIN_PIXELS + column * LAMP_PIXELS
            for offset, stamp_row in enumerate(stamp):
                pixels[MARGIN_PIXELS + row * LAMP_PIXELS + offset][left : left + LAMP_PIXELS] = stamp_row
    if is_marked:
        rim = bytes((_find_index("rim", 1.0),))
        for y, line in enumerate(pixels):
            if min(y, CELL_PIXELS - 1 - y) < RIM_PIXELS:
                line[:] = rim * CELL_PIXELS
            else:
                line[:RIM_PIXELS] = line[-RIM_PIXELS:] = rim * RIM_PIXELS
    return tuple(map(bytes, pixels))


@cache
def _draw_lamp(ink: str) -> _Tile:
    """Draw a disc or a ring. Pixels at its edges are mixtures."""
    outer, inner = _RADII[ink]
    centre = (LAMP_PIXELS - 1) / 2
    distances = [[hypot(x - centre, y - centre) for x in range(LAMP_PIXELS)] for y in range(LAMP_PIXELS)]

    def share(distance: float) -> float:
        inside = min(max(outer + 0.5 - distance, 0.0), 1.0)
        return inside - (min(max(inner + 0.5 - distance, 0.0), 1.0) if inner else 0.0)

    return tuple(bytes(_find_index(ink, share(distance)) for distance in row) for row in distances)


def _find_index(ink: str, share: float) -> int:
    """Return the palette index of a mixture with this share of ink, from 0 to 1."""
    shade = round(share * _SHADES)
    return _CELL_INDEX + list(_INKS).index(ink) * _SHADES + shade if shade else _CELL_INDEX


def _encode_png(rows: list[bytes]) -> bytes:
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)  # 8-bit palette indexes
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    palette = b"".join(map(bytes, _PALETTE))
    chunks = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )
