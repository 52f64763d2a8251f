"""Products for the parts of a row board, for both ways to build it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tools.pcb.assembly_house import Product
from tools.pcb.board import PlacedPart

ASSEMBLED: Mapping[str, Product] = {
    "lamp": Product("WS2812B-B/T", "Worldsemi", "WS2812B-B/T", "addressable lamp, 5 x 5 mm"),
    "capacitor": Product("100 nF 50 V X7R", "YAGEO", "CC0805KRX7R9BB104", "ceramic capacitor, 0805"),
    "row reservoir": Product("22 µF 25 V X7R", "Murata", "GRM32ER71E226KE15L", "ceramic capacitor, 1210"),
    "button": Product("PTS645SM50SMTR92LFS", "C&K", "PTS645SM50SMTR92LFS", "switch 6 x 6 mm, 5.0 mm high"),
    "diode": Product("1N4148W", "Diodes Incorporated", "1N4148W-7-F", "diode, SOD-123"),
    "hall": Product("DRV5033FA", "Texas Instruments", "DRV5033FAQDBZR", "digital hall sensor, SOT-23"),
    "linear hall": Product("DRV5055A2", "Texas Instruments", "DRV5055A2QDBZR", "linear hall sensor, SOT-23"),
}
"""Products that an assembly house places, by part type."""

BY_HAND: Mapping[str, Product] = {
    "lamp": Product("WS2812D-F5", "Worldsemi", "WS2812D-F5-15MA", "addressable lamp, 5 mm, lying on the board"),
    "capacitor": Product(
        "100 nF 50 V X7R", "Vishay", "K104K15X7RF5TH5", "ceramic capacitor, pins 5 mm apart, 2.6 mm thick"
    ),
    "row reservoir": Product("10 µF 25 V X7S", "Murata", "RDEC71E106K2K1H03B", "ceramic capacitor, pins 5 mm apart"),
    "button": Product("B3F-1020", "Omron", "B3F-1020", "switch 6 x 6 mm, 5.0 mm high"),
    "diode": Product("1N4148", "onsemi", "1N4148", "diode, DO-35"),
    "hall": Product("DRV5033FA", "Texas Instruments", "DRV5033FAQLPG", "digital hall sensor, TO-92"),
    "linear hall": Product("DRV5055A2", "Texas Instruments", "DRV5055A2QLPG", "linear hall sensor, TO-92"),
}
"""Products with wires, which are easy to solder by hand, by part type."""


def choose_product(products: Mapping[str, Product], sensor: str) -> Callable[[PlacedPart], Product]:
    """Return a function that chooses the product for a part. `sensor` is the catalogue name of the sensors."""

    def choose(placed: PlacedPart) -> Product:
        part = placed.part
        if part.part_type == "row connector":
            number = f"B{len(part.pins)}B-XH-A"
            return Product(number, "JST", f"{number} (LF)(SN)", "connector for a cable, on the back of the board")
        return products[sensor if part.part_type in ("hall", "linear hall") else part.part_type]

    return choose
