"""Products for the parts of a carrier, for both ways to build it.

The assembled way takes a surface-mount part wherever there is one; an assembly house also solders the through-hole parts.
The way by hand takes parts with leads. Only Q1 has none: it has three large pads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pond_hw.fabrication.netlist import CircuitPart
from pond_hw.fabrication.part_catalogue import PART_TYPES
from tools.pcb.assembly_house import Product
from tools.pcb.board import Board, PlacedPart

COMMON: Mapping[str, Product] = {
    "pi": Product(
        "box header 2 x 20", "On Shore Technology", "302-S401", "2.54 mm, straight, for a 40-wire ribbon cable"
    ),
    "pico": Product(
        "2 sockets 1 x 20",
        "Sullins",
        "PPTC201LFBN-RC",
        "2.54 mm, 8.5 mm high, for a Raspberry Pi Pico H; order two for each board",
    ),
    "shifter": Product(
        "74AHCT125", "Texas Instruments", "SN74AHCT125N", "DIP-14; by hand, in a socket On Shore ED14DT"
    ),
    "expander": Product(
        "MCP23017", "Microchip", "MCP23017-E/SP", "DIP-28, 7.62 mm wide; by hand, in a socket On Shore ED281DT"
    ),
    "converter": Product("MCP3008", "Microchip", "MCP3008-I/P", "DIP-16; by hand, in a socket On Shore ED16DT"),
    "cut-off transistor": Product("DMP4015SK3", "Diodes Incorporated", "DMP4015SK3-13", "P-channel MOSFET, TO-252"),
}
"""Products of both ways, by part type."""

ASSEMBLED: Mapping[str, Product] = {
    **COMMON,
    "supply": Product("USB-C socket", "GCT", "USB4125-GF-A", "power only, 6 pins, for the edge of a board"),
    "tvs": Product("SMBJ15A", "Littelfuse", "SMBJ15A", "TVS diode, SMB"),
    "pnp transistor": Product("MMBT3906", "onsemi", "MMBT3906LT1G", "PNP transistor, SOT-23"),
    "voltage reference": Product("TL431", "Texas Instruments", "TL431BIDBZR", "voltage reference, SOT-23"),
    "power lamp": Product("LED green", "Lite-On", "LTST-C170KGKT", "LED, 0805"),
}
"""Products of the assembled way, by part type."""

BY_HAND: Mapping[str, Product] = {
    **COMMON,
    "supply plug": Product(
        "B2B-XH-A",
        "JST",
        "B2B-XH-A (LF)(SN)",
        "for a cable from a USB-C module with 5.1 kΩ at CC1 and CC2 (Adafruit 4090)",
    ),
    "tvs": Product("SA15A", "Littelfuse", "SA15A", "TVS diode, DO-15"),
    "pnp transistor": Product("2N3906", "onsemi", "2N3906BU", "PNP transistor, TO-92"),
    "voltage reference": Product("TL431", "Texas Instruments", "TL431BILP", "voltage reference, TO-92"),
    "power lamp": Product("LED green", "Kingbright", "WP7104GD", "LED, 3 mm"),
}
"""Products of the way by hand, by part type."""

CAPACITORS = {
    ("100 nF", "assembled"): Product("100 nF 50 V X7R", "YAGEO", "CC0805KRX7R9BB104", "ceramic capacitor, 0805"),
    ("100 nF", "by hand"): Product("100 nF 50 V X7R", "KEMET", "C320C104K5R5TA", "ceramic, pins 2.54 mm apart"),
    ("2.2 µF", "assembled"): Product("2.2 µF 25 V X5R", "Samsung", "CL21A225KAFNNNE", "ceramic capacitor, 0805"),
    ("2.2 µF", "by hand"): Product("2.2 µF 50 V X7R", "KEMET", "C330C225K5R5TA", "ceramic, pins 5.08 mm apart"),
    **dict.fromkeys(
        (("1000 µF", "assembled"), ("1000 µF", "by hand")),
        Product("1000 µF 10 V", "Panasonic", "EEU-FC1A102", "electrolytic capacitor, 10 mm wide, pins 5 mm apart"),
    ),
}
"""Capacitors by value and way."""

WAYS: Mapping[str, Mapping[str, Product]] = {"assembled": ASSEMBLED, "by hand": BY_HAND}

NOT_SOLDERED = {"assembled": ("test point", "supply plug"), "by hand": ("test point", "supply")}
"""Part types that each way leaves out, with the resistors beside them. A test point is only a hole."""


def keep_soldered(board: Board, way: str) -> Board:
    """Return the board with only the parts that one way solders."""
    left_out = NOT_SOLDERED[way]
    parts = [placed.part for placed in board.parts if placed.part.part_type in left_out]
    refs = {part.ref for part in parts if part.part_type != "test point"}
    soldered = [placed for placed in board.parts if placed.part not in parts and placed.part.beside not in refs]
    return board._replace(parts=soldered)


def choose_product(way: str) -> Callable[[PlacedPart], Product]:
    """Return a function that chooses the product for a part. `way` is `assembled` or `by hand`."""
    return lambda placed: _choose(placed.part, way)


def _choose(part: CircuitPart, way: str) -> Product:
    match part.part_type:
        case "resistor":
            return _resistor(part.value, way)
        case "capacitor" | "reservoir":
            return CAPACITORS[part.value, way]
        case "plug":
            name = f"B{len(part.pins)}B-XH-A"
            return Product(name, "JST", f"{name} (LF)(SN)", f"header of the XH series, {len(part.pins)} pins")
        case "fuse":
            number = f"0213{_fuse_code(float(part.value.removesuffix(' A')))}MXP"
            description = f"open holder 5 x 20 mm, pins 22.5 mm apart, and a fuse T {part.value} (Littelfuse {number})"
            return Product("fuse holder", "Schurter", "0031.8201", description)
    chosen = WAYS[way].get(part.part_type)
    return chosen or Product(PART_TYPES[part.part_type].short_name)


def _fuse_code(amperes: float) -> str:
    """Return a rating in Littelfuse's numbers: `3.15`, `01.6`, `001.` for 1 A, `.630` for 0.63 A."""
    if amperes < 1:
        return f"{amperes:.3f}"[1:]
    return (f"{amperes:g}" if amperes % 1 else f"{amperes:.0f}.").rjust(4, "0")


def _resistor(value: str, way: str) -> Product:
    """Return a resistor of 1 %. `5.1 kΩ` is 5K1 in YAGEO's numbers, `330 Ω` 330R."""
    amount, unit = value.removesuffix("Ω").split(" ")
    letter = "K" if unit == "k" else "R"
    code = amount.replace(".", letter) if "." in amount else amount + letter
    if way == "assembled":
        return Product(f"{value} 1 %", "YAGEO", f"RC0805FR-07{code}L", "resistor, 0805")
    return Product(f"{value} 1 %", "YAGEO", f"MFR-25FBF52-{code}", "resistor with leads, 1/4 W, standing on one end")
