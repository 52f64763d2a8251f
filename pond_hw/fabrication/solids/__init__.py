"""Printed parts: their solids, from the profile's cells, lamps, magnets and supply.

    profile -> plan (numbers) -> case, plate, grid, lid, diffusers, pieces (solids) -> STL, views
    fits, faults, clashes, jammed, stands: what must be true of them, each a sentence if it is not

Needs manifold3d and numpy, and Pillow for the views; they are imported when they are used.
"""

from pond_hw.fabrication.solids.layout import make_layout
from pond_hw.fabrication.solids.magnet_field import sensor_field
from pond_hw.fabrication.solids.mesh import to_stl
from pond_hw.fabrication.solids.print_checks import (
    assembled_parts,
    check_clearance,
    check_fit,
    check_part,
    check_solids,
    find_clashes,
    part_fits,
    piece_stands,
)
from pond_hw.fabrication.solids.printed import BoughtPart, PrintedPart, fasteners, place_solid, printed_parts

__all__ = [
    "BoughtPart",
    "PrintedPart",
    "assembled_parts",
    "check_clearance",
    "check_fit",
    "check_part",
    "check_solids",
    "fasteners",
    "find_clashes",
    "make_layout",
    "part_fits",
    "piece_stands",
    "place_solid",
    "printed_parts",
    "sensor_field",
    "to_stl",
]
