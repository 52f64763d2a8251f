"""Board as a KiCad board file, with parts, tracks and outline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pond_hw.fabrication.kicad.block import is_rail, part_value
from pond_hw.fabrication.kicad.expressions import node, quoted, uuid_node, uuid_text
from pond_hw.fabrication.kicad.symbols import part_symbol
from pond_hw.fabrication.netlist import Netlist, PartPin
from tools.pcb.board import FIDUCIAL_SIZE, HOLE_SIZE, TOOLING_HOLE_SIZE, Board, PlacedPart, part_box
from tools.pcb.footprints import Pad, SilkText
from tools.pcb.routing import VIA_DRILL, Track

FILE_VERSION = 20240108
"""File format version of KiCad 8; later versions can read it too."""

ORIGIN = 40.0
"""Position of the board's top left corner on the sheet, in mm right and down from the sheet's own corner."""

REVISION = "1"
"""Revision printed on the board. Increase it with every change after the board has been ordered."""

COPPER = ("F.Cu", "B.Cu")

LAYERS = (
    (0, "F.Cu", "signal"),
    (31, "B.Cu", "signal"),
    (34, "B.Paste", "user"),
    (35, "F.Paste", "user"),
    (36, "B.SilkS", "user"),
    (37, "F.SilkS", "user"),
    (38, "B.Mask", "user"),
    (39, "F.Mask", "user"),
    (44, "Edge.Cuts", "user"),
    (46, "B.CrtYd", "user"),
    (47, "F.CrtYd", "user"),
    (49, "F.Fab", "user"),
)

SILK_LINE, LETTER_HEIGHT = 0.15, 1.0
"""Line width and letter height, in mm."""

EVERY_LAYER = node("layers", quoted("*.Cu"), quoted("*.Mask"))
FRONT_LAYERS = node("layers", quoted("F.Cu"), quoted("F.Paste"), quoted("F.Mask"))

Place = tuple[float, float]


def write_board(name: str, board: Board, tracks: list[Track]) -> str:
    """Return the board file for a board whose schematic has the same name. The output is reproducible."""
    return _BoardFile(name, board).write(tracks)


class _BoardFile:
    """Writer of one board file."""

    def __init__(self, name: str, board: Board) -> None:
        self.name, self.board, self.netlist = name, board, board.netlist
        self.net_numbers: dict[str, int] = {}

    def write(self, tracks: list[Track]) -> str:
        footprints = [self.footprint_item(placed.centred()) for placed in self.board.parts]
        footprints += [
            self.hole_item(f"H{number}", "M3", HOLE_SIZE, hole) for number, hole in enumerate(self.board.holes, 1)
        ]
        footprints += [
            self.hole_item(f"T{number}", "tooling hole", TOOLING_HOLE_SIZE, hole)
            for number, hole in enumerate(self.board.tooling_holes, 1)
        ]
        footprints += [
            self.fiducial_item(f"FID{number}", place) for number, place in enumerate(self.board.fiducials, 1)
        ]
        pieces = [self.track_item(number, track) for number, track in enumerate(tracks)]
        far_corner = node("end", *on_sheet(self.board.width, self.board.height))
        shape = node("start", *on_sheet(0, 0)), far_corner, _stroke(0.1), "(fill none)"
        titles = [
            self.text_item("gr_text", text._replace(x=x, y=y), "title", number)
            for number, text in enumerate(self.board.texts)
            for x, y in [on_sheet(text.x, text.y)]
        ]
        lines = [
            f"(kicad_pcb (version {FILE_VERSION}) (generator {quoted('pond')})",
            "(general (thickness 1.6))",
            f"(paper {quoted('A4')})",
            node("title_block", node("title", quoted(self.name)), node("rev", quoted(REVISION))),
            node("layers", *(node(str(number), quoted(layer), kind) for number, layer, kind in LAYERS)),
            "(setup (pad_to_mask_clearance 0))",
            node("net", 0, quoted("")),
            *(node("net", number, quoted(net_name)) for net_name, number in self.net_numbers.items()),
            *footprints,
            node("gr_rect", *shape, _on_layer("Edge.Cuts"), self.uuid("edge")),
            *titles,
            *pieces,
            ")",
        ]
        return "\n".join(lines) + "\n"

    def uuid(self, *names: object) -> str:
        return uuid_node(self.name, "board", *map(str, names))

    def net_node(self, part_pin: PartPin, pin_name: str) -> str:
        """Return the net of a pin. An unused pin gets a net of its own."""
        net_name = self.netlist.net_of(part_pin)
        unused = f"unconnected-({part_pin.part}-{pin_name}-Pad{part_pin.pin})"
        kicad_name = kicad_net_name(self.netlist, net_name) if net_name else unused
        number = self.net_numbers.setdefault(kicad_name, len(self.net_numbers) + 1)
        return node("net", number, quoted(kicad_name))

    def footprint_item(self, placed: PlacedPart) -> str:
        """Return a placed part, positioned by its centre."""
        part, footprint, ref = placed.part, placed.footprint, placed.part.ref
        pin_names = {pin.number: pin.name for pin in part_symbol(part).pins}
        pads, counts = [], Counter[str]()
        for pad in footprint.pads:
            net = [self.net_node(PartPin(ref, pad.number), pin_names[pad.number])] if pad.number in pin_names else []
            pads.append(self.pad_item(pad, ref, net, counts[pad.number]))
            counts[pad.number] += 1
        fields = {"Reference": ref, "Value": part_value(part), "Footprint": f"pond:{footprint.name}"}
        return node(
            "footprint",
            quoted(f"pond:{footprint.name}"),
            _on_layer("B.Cu" if footprint.is_at_bottom else "F.Cu"),
            self.uuid(ref),
            node("at", *on_sheet(placed.x, placed.y)),
            *(self.hidden_field(key, text, ref) for key, text in fields.items()),
            node("path", quoted(f"/{uuid_text(self.name, ref)}")),
            node("sheetname", quoted("/")),
            node("sheetfile", quoted(f"{self.name}.kicad_sch")),
            "(attr through_hole)",
            *self.drawing_items(placed),
            *pads,
        )

    def hole_item(self, ref: str, name: str, size: float, place: Place) -> str:
        """Return an unplated hole."""
        sizes = node("size", size, size), node("drill", size)
        pad = node("pad", quoted(""), "np_thru_hole", "circle", "(at 0 0)", *sizes, EVERY_LAYER, self.uuid(ref, "pad"))
        return self.mark_item(ref, "hole M3" if name == "M3" else name, name, place, pad)

    def fiducial_item(self, ref: str, place: Place) -> str:
        """Return a round mark of bare copper, with free solder mask around it."""
        layers = node("layers", quoted("F.Cu"), quoted("F.Mask"))
        sizes = node("size", FIDUCIAL_SIZE, FIDUCIAL_SIZE), layers, node("solder_mask_margin", FIDUCIAL_SIZE / 2)
        pad = node("pad", quoted(""), "smd", "circle", "(at 0 0)", *sizes, self.uuid(ref, "pad"))
        return self.mark_item(ref, "fiducial", "fiducial", place, pad)

    def mark_item(self, ref: str, footprint_name: str, value: str, place: Place, pad: str) -> str:
        """Return something on the board that is no part."""
        return node(
            "footprint",
            quoted(f"pond:{footprint_name}"),
            _on_layer("F.Cu"),
            self.uuid(ref),
            node("at", *on_sheet(*place)),
            *(self.hidden_field(key, text, ref) for key, text in (("Reference", ref), ("Value", value))),
            "(attr board_only exclude_from_pos_files exclude_from_bom)",
            pad,
        )

    def hidden_field(self, key: str, text: str, ref: str) -> str:
        """Return a hidden property of a part. Only KiCad uses it."""
        place = "(at 0 0 0)", _on_layer("F.Fab"), "(hide yes)", self.uuid(ref, key)
        return node("property", quoted(key), quoted(text), *place, _text_style())

    def drawing_items(self, placed: PlacedPart) -> Iterator[str]:
        """Yield the outline of a part, its silkscreen texts, and its courtyard."""
        footprint, ref = placed.footprint, placed.part.ref
        silk = "B.SilkS" if footprint.is_at_bottom else "F.SilkS"
        left, top, right, bottom = footprint.outline
        if footprint.is_round:
            yield self.circle_item(
                ((left + right) / 2, (top + bottom) / 2), right - (left + right) / 2, "none", ref, "outline"
            )
        elif footprint.has_outline:
            yield self.rectangle_item(footprint.outline, silk, SILK_LINE, ref)
        if footprint.first_mark:
            yield self.circle_item(footprint.first_mark, 0.25, "solid", ref, "first")
        for number, (start_x, start_y, end_x, end_y) in enumerate(footprint.lines):
            ends = node("start", round(start_x, 3), round(start_y, 3)), node("end", round(end_x, 3), round(end_y, 3))
            yield node("fp_line", *ends, _stroke(SILK_LINE), _on_layer(silk), self.uuid(ref, "line", number))
        for number, text in enumerate(footprint.texts):
            yield self.text_item("fp_text user", text, ref, number)
        box_left, box_top, box_right, box_bottom = part_box(placed)
        box = box_left - placed.x, box_top - placed.y, box_right - placed.x, box_bottom - placed.y
        yield self.rectangle_item(box, "B.CrtYd" if footprint.is_at_bottom else "F.CrtYd", 0.05, ref)

    def circle_item(self, middle: tuple[float, float], radius: float, fill: str, *names: str) -> str:
        x, y = (round(each, 3) for each in middle)
        shape = node("center", x, y), node("end", round(x + radius, 3), y), _stroke(SILK_LINE), node("fill", fill)
        return node("fp_circle", *shape, _on_layer("F.SilkS"), self.uuid(*names))

    def rectangle_item(self, box: tuple[float, float, float, float], layer: str, width: float, ref: str) -> str:
        left, top, right, bottom = (round(edge, 3) for edge in box)
        shape = node("start", left, top), node("end", right, bottom), _stroke(width), "(fill none)"
        return node("fp_rect", *shape, _on_layer(layer), self.uuid(ref, layer))

    def text_item(self, kind: str, text: SilkText, *names: object) -> str:
        layer = "B.SilkS" if text.is_at_bottom else "F.SilkS"
        place = node("at", round(text.x, 3), round(text.y, 3), text.angle), _on_layer(layer)
        style = _text_style(" ".join([text.side] * bool(text.side) + ["mirror"] * text.is_at_bottom), text.size)
        return node(kind, quoted(text.text), *place, self.uuid(*names, "text"), style)

    def pad_item(self, pad: Pad, ref: str, net: list[str], index: int) -> str:
        """Return a pad: round or oval with a hole, or rectangular on the front."""
        sizes, layers = [node("at", pad.x, pad.y), node("size", pad.size, pad.height or pad.size)], EVERY_LAYER
        kind, shape = "thru_hole", "circle"
        if pad.slot:
            shape = "oval"
            sizes.append(node("drill", "oval", pad.drill, pad.slot))
        elif pad.drill:
            sizes.append(node("drill", pad.drill))
        else:
            kind, shape, layers = "smd", "rect", FRONT_LAYERS
        ident = self.uuid(ref, "pad", pad.number, *[index] * bool(index))
        return node("pad", quoted(pad.number), kind, shape, *sizes, layers, *net, ident)

    def track_item(self, number: int, track: Track) -> str:
        net = node("net", self.net_numbers[kicad_net_name(self.netlist, track.net)])
        if track.start == track.end:
            sizes = node("at", *on_sheet(*track.start)), node("size", track.width), node("drill", VIA_DRILL)
            return node("via", *sizes, node("layers", *map(quoted, COPPER)), net, self.uuid("via", number))
        ends = node("start", *on_sheet(*track.start)), node("end", *on_sheet(*track.end))
        width = node("width", track.width)
        return node("segment", *ends, width, _on_layer(COPPER[track.layer]), net, self.uuid("track", number))


def kicad_net_name(netlist: Netlist, net_name: str) -> str:
    """Return KiCad's name for a net: the name of a power symbol, or a label with a leading slash."""
    return net_name if is_rail(netlist, net_name) else f"/{net_name}"


def on_sheet(x: float, y: float) -> tuple[float, float]:
    """Convert board coordinates to sheet coordinates."""
    return round(x + ORIGIN, 4), round(y + ORIGIN, 4)


def _on_layer(layer: str) -> str:
    return node("layer", quoted(layer))


def _stroke(width: float) -> str:
    return node("stroke", node("width", width), "(type solid)")


def _text_style(side: str = "", size: float = LETTER_HEIGHT) -> str:
    font = node("font", node("size", size, size), node("thickness", SILK_LINE))
    return node("effects", font, *[node("justify", side)] * bool(side))
