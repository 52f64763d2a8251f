"""What is seen of a cell, one for each: a closed tile under the pieces, or a cap that presses a switch.

Both widen at 45 degrees below the lid, so that they cannot come out, and print on their face without support.
"""

from __future__ import annotations

from manifold3d import Manifold

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.shapes import (
    make_frustum,
    square_block,
    subtract_solids,
    unite_solids,
    upright_cylinder,
)


def make_diffuser(layout: SolidLayout) -> Manifold:
    """The one over x = y = 0, at rest."""
    roof_z = layout.top_z - (s.TILE_THICKNESS if layout.has_halls else s.CAP_THICKNESS)
    inner_block = _flanged_block(layout, 2 * s.RIM_WIDTH, layout.tile_z - 1)
    hollow_block = subtract_solids(
        _flanged_block(layout, 0.0, layout.tile_z), [inner_block.trim_by_plane((0, 0, -1), -roof_z)]
    )
    if layout.has_halls:
        return hollow_block
    stem = upright_cylinder((0, 0), s.STEM_WIDTH, (layout.grid_z + s.SWITCH_HEIGHT, roof_z + 0.1))
    return unite_solids([hollow_block, stem])


def _flanged_block(layout: SolidLayout, less_side: float, low_z: float) -> Manifold:
    """From a height up to the board's face, its sides shorter by `less_side`: wide, then slanting, then narrow."""
    face_side, flange_side = layout.face_side - less_side, layout.flange_side - less_side
    wide_z = layout.lid_z - s.TILE_RISE  # from here down it is at its widest
    narrow_z = wide_z + s.BEVEL_WIDTH
    return unite_solids(
        [
            square_block(flange_side, (low_z, wide_z)),
            make_frustum(flange_side, face_side, (wide_z, narrow_z)),
            square_block(face_side, (narrow_z, layout.top_z)),
        ]
    )
