"""Products for the parts of a carrier."""

from __future__ import annotations

from pond_hw.fabrication.kicad.block import part_value
from pond_hw.fabrication.netlist import CircuitPart
from pond_hw.fabrication.part_catalogue import PART_TYPES
from tools.pcb.assembly_house import Product
from tools.pcb.board import PlacedPart


def choose_product(placed: PlacedPart) -> Product:
    return Product(part_value(placed.part), description=_describe(placed.part, placed.footprint.name))


def _describe(part: CircuitPart, footprint_name: str) -> str:
    part_type = PART_TYPES.get(part.part_type)
    match part.part_type:
        case "pi":
            return "box header 2 x 20, 2.54 mm, straight, for a ribbon cable of 40 wires"
        case "fuse":
            return f"holder for fuses of 5 x 20 mm, pins 22.6 mm apart, and a fuse T {part.value} (IEC 60127-2)"
        case "reservoir":
            return f"electrolytic capacitor {part.value}, 10 V or more, 10 mm wide, pins 5 mm apart"
        case "capacitor":
            return f"ceramic capacitor {part.value}, pins 2.54 mm apart"
        case "resistor":
            return f"resistor {part.value}, axial, 1/4 W"
    if part_type and part_type.package.startswith("DIP-"):
        return f"{part_type.name} in {part_type.package}, and a socket {part_type.package}"
    return footprint_name
