"""What is seen of a cell, one for each: a closed tile under the pieces, or a cap that presses a switch.

Both widen at 45 degrees below the lid, so that they cannot come out, and print on their face without support.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.shapes import frustum, rod, square, union, without

if TYPE_CHECKING:
    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import Plan


def diffuser(plan: Plan) -> Manifold:
    """The one over x = y = 0, at rest."""
    wide = plan.lid_z - s.SLACK  # from here down it is at its widest
    roof = plan.top - (s.TILE if plan.halls else s.CAP)
    outer = _bell(plan.face, plan.flange, (plan.tile_z, wide, wide + s.BEVEL, plan.top))
    shell = 2 * s.RIM
    inner = _bell(plan.face - shell, plan.flange - shell, (plan.tile_z - 1, wide, wide + s.BEVEL, plan.top))
    hollow = without(outer, [inner.trim_by_plane((0, 0, -1), -roof)])
    return hollow if plan.halls else union([hollow, rod((0, 0), s.STEM, (plan.grid_z + s.SWITCH_HEIGHT, roof + 0.1))])


def _bell(face: float, flange: float, z: tuple[float, float, float, float]) -> Manifold:
    """Wide at the bottom, slanting between the second and third height, narrow at the top."""
    return union([square(flange, (z[0], z[1])), frustum(flange, face, (z[1], z[2])), square(face, (z[2], z[3]))])
