"""What is seen of a cell, one for each: a closed tile under the pieces, or a cap that presses a switch.

Both widen at 45 degrees below the lid, so that they cannot come out, and print on their face without support.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.shapes import (
    make_frustum,
    square_block,
    subtract_solids,
    unite_solids,
    upright_cylinder,
)

if TYPE_CHECKING:
    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import SolidLayout


def make_diffuser(plan: SolidLayout) -> Manifold:
    """The one over x = y = 0, at rest."""
    wide = plan.lid_z - s.SLACK  # from here down it is at its widest
    roof = plan.top_z - (s.TILE if plan.has_halls else s.CAP)
    outer = _flanged_block(plan.face_side, plan.flange_side, (plan.tile_z, wide, wide + s.BEVEL, plan.top_z))
    shell = 2 * s.RIM
    inner = _flanged_block(
        plan.face_side - shell, plan.flange_side - shell, (plan.tile_z - 1, wide, wide + s.BEVEL, plan.top_z)
    )
    hollow = subtract_solids(outer, [inner.trim_by_plane((0, 0, -1), -roof)])
    return (
        hollow
        if plan.has_halls
        else unite_solids([hollow, upright_cylinder((0, 0), s.STEM, (plan.grid_z + s.SWITCH_HEIGHT, roof + 0.1))])
    )


def _flanged_block(face: float, flange: float, z: tuple[float, float, float, float]) -> Manifold:
    """Wide at the bottom, slanting between the second and third height, narrow at the top."""
    return unite_solids(
        [square_block(flange, (z[0], z[1])), make_frustum(flange, face, (z[1], z[2])), square_block(face, (z[2], z[3]))]
    )
