"""Printed parts: their solids, from the profile's cells, lamps, magnets and supply.

    profile -> plan (numbers) -> case, plate, grid, lid, diffusers, pieces (solids) -> STL, views
    fits, faults, clashes, jammed, stands: what must be true of them, each a sentence if it is not

Needs manifold3d and numpy, and Pillow for the views; they are imported when they are used.
"""

from pond_hw.fabrication.solids.layout import plan
from pond_hw.fabrication.solids.magnet_field import sensing
from pond_hw.fabrication.solids.mesh import stl
from pond_hw.fabrication.solids.print_checks import assembled, clashes, faults, fits, jammed, stands, together, wrong
from pond_hw.fabrication.solids.printed import Bought, Printed, fasteners, parts, put

__all__ = [
    "Bought",
    "Printed",
    "assembled",
    "clashes",
    "fasteners",
    "faults",
    "fits",
    "jammed",
    "parts",
    "plan",
    "put",
    "sensing",
    "stands",
    "stl",
    "together",
    "wrong",
]
