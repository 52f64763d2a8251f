"""wiring.md: the table of wires, and all wires one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pond_hw.fabrication.netlist import Netlist, PartPin
from pond_hw.fabrication.page_texts import NOT_BUILT, PAGE_SECTIONS, fill_lines, format_rows
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.wire_tracing import cell_sensor
from pond_hw.fabrication.wires import CutWire, board_joints, format_header_pin, leg_joints
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.soldered_wires import solder_points


def format_wiring_page(profile: Profile, netlist: Netlist, cut: Sequence[CutWire]) -> str:
    """The page, as Markdown."""
    pages = PAGE_SECTIONS
    sections = [pages["wiring"].format(name=profile.name, title=profile.title, not_built=NOT_BUILT)]
    if rows := format_rows(_list_cells(profile, netlist, cut)):
        sections.append(pages["wiring of cells"].format(rows=rows))
    wires = (
        (*(_format_pin(netlist, end) for end in (wire.start_pin, wire.end_pin)), *_describe_wire(wire)) for wire in cut
    )
    sections.append(pages["all wires"].format(names=_format_names(netlist), rows=format_rows(wires)))
    if "B1" in netlist.parts:
        joints = ((net, _join_pins(netlist, ends, ", ")) for net, ends in board_joints(netlist).items())
        sections.append(pages["strip board"].format(rows=format_rows(joints)))
    cell = next((part.cell for part in netlist.parts.values() if part.cell and part.part_type != "lamp"), None)
    if cell and (leg_ends := leg_joints(netlist, cell)):
        joined = "; ".join(_join_pins(netlist, ends, " with ") for ends in leg_ends)
        sections.append(pages["legs"].format(cell=cell, joined=joined))
    return "\n\n".join(sections) + "\n"


def _format_names(netlist: Netlist) -> str:
    """What the names of the parts stand for."""
    names = []
    for part in netlist.parts.values():
        if part.cell is None and part.part_type not in ("pi", "lamp"):
            part_type = PART_TYPES[part.part_type]
            exactly = part.value or ("" if part_type.package.startswith("axial") else part.note)
            names.append(f"{part.ref} is the {part_type.short_name.removesuffix(' 5 V')} {exactly}".rstrip())
    if netlist.has_type("lamp"):
        names.append("D0 is the first lamp")
    return fill_lines("; ".join(names) + ".")


def _list_cells(profile: Profile, netlist: Netlist, cut: Sequence[CutWire]) -> Iterator[tuple[object, ...]]:
    """For each cell where its sensor is soldered to, and which lamps of the chain are its own."""
    lengths = {wire.net: wire.length for wire in cut}
    per_cell, positions = profile.chain.lamps_per_cell, profile.chain.cell_positions
    for index, (cell, points) in enumerate(solder_points(profile).items()):
        sensor = cell_sensor(netlist, cell)
        pin = ".1" if sensor.part_type == "button" else ".3"
        lamps = " ".join(map(str, positions[index * per_cell : (index + 1) * per_cell]))
        for place, colour in points:
            length = f"{lengths[cell]:g}" if len(points) == 1 else "along the line"
            yield cell, sensor.ref + pin, place, colour, length, lamps if netlist.has_type("lamp") else "-"


def _describe_wire(wire: CutWire) -> tuple[object, ...]:
    return wire.net, wire.colour, f"{wire.length:g}", wire.gauge


def _join_pins(netlist: Netlist, ends: Sequence[PartPin], separator: str) -> str:
    return separator.join(_format_pin(netlist, end) for end in ends)


def _format_pin(netlist: Netlist, end: PartPin) -> str:
    if end.part == "J1":
        return format_header_pin(end)
    pin_name = netlist.pin_at(end).name
    return f"{end} ({pin_name})" if pin_name != end.pin else str(end)
