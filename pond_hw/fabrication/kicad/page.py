"""Schematic page: packs the blocks in columns on the smallest sheet that fits, and writes the KiCad file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from pond_hw.fabrication.kicad.block import FLAG_NAME, TITLE_SIZE, Block, Box, PlacedSymbol
from pond_hw.fabrication.kicad.expressions import (
    Place,
    in_mm,
    node,
    place_at,
    points,
    quoted,
    stroke,
    text_style,
    uuid_node,
    uuid_text,
)
from pond_hw.fabrication.kicad.schematic_blocks import draw_blocks
from pond_hw.fabrication.kicad.symbols import Side, Symbol, library_entry
from pond_hw.fabrication.netlist import Netlist

FILE_VERSION = 20231120
"""File format of KiCad 8; later versions read it too."""

SHEETS = {"A4": (297, 210), "A3": (420, 297), "A2": (594, 420), "A1": (841, 594), "A0": (1189, 841)}
"""Sheet sizes in mm."""

NOT_BUILT = "Nobody has built this board yet"

MARGIN, GAP, PADDING, TITLE_HEIGHT, TITLE_BLOCK_HEIGHT = 14, 8, 2, 5, 34
"""Lengths in steps: the margin of the sheet, the gap between blocks, the padding in a block's frame, the height of its
title, and the height of the sheet's title block.
"""

LABEL_ANGLES: dict[Side, int] = {"right": 0, "up": 90, "left": 180, "down": 270}


def draw_kicad_schematic(
    name: str, netlist: Netlist, comments: Sequence[str], footprints: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the schematic of a board, a carrier or a row board, with all its symbols, for KiCad 8 or later.

    It has exactly the nets of the netlist, and the output is reproducible. `name` is the file name, and `comments` are
    printed in the title block. Only a design for a PCB has `footprints`.
    """
    return _Page(name, footprints).write(draw_blocks(netlist), (NOT_BUILT, *comments))


class _Page:
    """Page under construction."""

    def __init__(self, name: str, footprints: Mapping[str, str]) -> None:
        self.name, self.footprints = name, footprints
        self.library: dict[str, Symbol] = {}
        self.sign_count = 0

    def write(self, columns: list[list[Block]], comments: Sequence[str]) -> str:
        blocks, sheet = _pack_blocks(columns)
        items = [item for block, shift in blocks for item in self.block_items(block, shift)]
        name = self.name
        comment_nodes = (node("comment", number, quoted(comment)) for number, comment in enumerate(comments, 1))
        lines = [
            f"(kicad_sch (version {FILE_VERSION}) (generator {quoted('pond')}) {uuid_node(name)}",
            node("paper", sheet),
            node("title_block", node("title", quoted(name)), *comment_nodes),
            "(lib_symbols",
            *map(library_entry, self.library.values()),
            ")",
            *items,
            '(sheet_instances (path "/" (page "1")))',
            ")",
        ]
        return "\n".join(lines) + "\n"

    def uuid(self, *names: object) -> str:
        return uuid_node(self.name, *map(str, names))

    def block_items(self, block: Block, shift: Place) -> Iterator[str]:
        def moved(place: Place) -> Place:
            return place[0] + shift[0], place[1] + shift[1]

        title, in_simulation = block.title, "(exclude_from_sim no)"
        left, top, right, bottom = block.bounds()
        outer = Box(left - PADDING, top - TITLE_HEIGHT, right + PADDING, bottom + PADDING)
        for number, frame in enumerate((outer, *block.frames)):
            corners = zip(("start", "end"), (frame[:2], frame[2:]), strict=True)
            ends = (node(name, *map(in_mm, moved(corner))) for name, corner in corners)
            line = stroke(0.15, "dash" if number else "default")
            yield node("rectangle", *ends, line, "(fill (type none))", self.uuid(title, "frame", number))
        title_place, style = moved((left, top - 2)), text_style("left", "bottom", size=TITLE_SIZE, is_bold=True)
        yield node("text", quoted(title), in_simulation, place_at(title_place, 0), style, self.uuid(title))
        for number, wire in enumerate(block.wires):
            yield node("wire", points(*map(moved, wire)), stroke(), self.uuid(title, "wire", number))
        for number, place in enumerate(block.list_junctions()):
            sizes = "(diameter 0) (color 0 0 0 0)"
            yield node("junction", place_at(moved(place)), sizes, self.uuid(title, "junction", number))
        for number, place in enumerate(block.crosses):
            yield node("no_connect", place_at(moved(place)), self.uuid(title, "cross", number))
        for number, text in enumerate(block.texts):
            style = text_style("left" if text.side in ("right", "up") else "right", "bottom", size=text.size)
            kind, words = ("label", "") if text.is_label else ("text", in_simulation)
            place_text = place_at(moved(text.place), LABEL_ANGLES[text.side])
            yield node(kind, quoted(text.text), words, place_text, style, self.uuid(title, "text", number))
        for placed in block.symbols:
            yield self.symbol_item(placed, moved)

    def symbol_item(self, placed: PlacedSymbol, moved: Callable[[Place], Place]) -> str:
        symbol, part = self.add_symbol(placed.symbol), placed.part
        self.sign_count += part is None
        sign_kind = "#FLG" if placed.rail_name == FLAG_NAME else "#PWR"
        reference = part.ref if part else f"{sign_kind}{self.sign_count:03}"
        shown = {name: place for name, _, place in placed.shown_texts}
        texts = {"Reference": reference, "Value": placed.value, "Footprint": self.footprints.get(reference, "")}
        texts |= {name: text for name, text, _ in placed.shown_texts}
        fields = []
        for name, text in texts.items():
            style = text_style(*[symbol.text_side] * bool(symbol.text_side), is_hidden=name not in shown)
            place_text = place_at(moved(shown.get(name, placed.place)), 0)
            fields.append(node("property", quoted(name), quoted(text), place_text, style))
        is_bought = "yes" if part else "no"
        root = quoted(f"/{uuid_text(self.name)}")
        path = node("path", root, node("reference", quoted(reference)), "(unit 1)")
        return node(
            "symbol",
            node("lib_id", quoted(f"pond:{symbol.name}")),
            place_at(moved(placed.place), 0),
            f"(unit 1) (exclude_from_sim no) (in_bom {is_bought}) (on_board {is_bought}) (dnp no)",
            self.uuid(reference),
            *fields,
            *(node("pin", quoted(pin.number), self.uuid(reference, pin.number)) for pin in symbol.pins),
            node("instances", node("project", quoted(self.name), path)),
        )

    def add_symbol(self, symbol: Symbol) -> Symbol:
        """Add a symbol to the file's library. A second symbol with the same name but different pins is renamed."""
        added, number = symbol, 1
        while self.library.setdefault(added.name, added) != added:
            number += 1
            added = symbol._replace(name=f"{symbol.name} {number}")
        return added


def _pack_blocks(columns: list[list[Block]]) -> tuple[list[tuple[Block, Place]], str]:
    blocks: list[tuple[Block, Place]] = []
    x = height = float(MARGIN)
    for column in columns:
        y = width = float(MARGIN)
        for block in column:
            box = block.bounds()
            blocks.append((block, (x - box.left + PADDING, y - box.top + TITLE_HEIGHT)))
            y += box.bottom - box.top + TITLE_HEIGHT + PADDING + GAP
            width = max(width, box.right - box.left + 2 * PADDING)
        x, height = x + width + GAP, max(height, y)
    return blocks, _choose_sheet(in_mm(x - GAP + MARGIN), in_mm(height - GAP + TITLE_BLOCK_HEIGHT))


def _choose_sheet(width: float, height: float) -> str:
    for name, (sheet_width, sheet_height) in SHEETS.items():
        if width <= sheet_width and height <= sheet_height:
            return quoted(name)
    return f"{quoted('User')} {width} {height}"
