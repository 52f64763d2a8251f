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


def format_wiring_page(profile: Profile, netlist: Netlist, cut_wires: Sequence[CutWire]) -> str:
    """The page, as Markdown."""
    page_sections = PAGE_SECTIONS
    filled_sections = [page_sections["wiring"].format(name=profile.name, title=profile.title, not_built=NOT_BUILT)]
    if cell_rows := format_rows(_list_cells(profile, netlist, cut_wires)):
        filled_sections.append(page_sections["wiring of cells"].format(rows=cell_rows))
    wire_rows = (_describe_wire(netlist, wire) for wire in cut_wires)
    filled_sections.append(page_sections["all wires"].format(names=_format_names(netlist), rows=format_rows(wire_rows)))
    if "B1" in netlist.parts:
        track_rows = ((net, _join_pins(netlist, part_pins, ", ")) for net, part_pins in board_joints(netlist).items())
        filled_sections.append(page_sections["strip board"].format(rows=format_rows(track_rows)))
    cell = next((part.cell for part in netlist.parts.values() if part.cell and part.part_type != "lamp"), None)
    if cell and (leg_ends := leg_joints(netlist, cell)):
        legs_text = "; ".join(_join_pins(netlist, part_pins, " with ") for part_pins in leg_ends)
        filled_sections.append(page_sections["legs"].format(cell=cell, joined=legs_text))
    return "\n\n".join(filled_sections) + "\n"


def _format_names(netlist: Netlist) -> str:
    """What the names of the parts stand for."""
    name_texts = []
    for part in netlist.parts.values():
        if part.cell is None and part.part_type not in ("pi", "lamp"):
            part_type = PART_TYPES[part.part_type]
            exact_value = part.value or ("" if part_type.package.startswith("axial") else part.note)
            name_texts.append(f"{part.ref} is the {part_type.short_name.removesuffix(' 5 V')} {exact_value}".rstrip())
    if netlist.has_type("lamp"):
        name_texts.append("D0 is the first lamp")
    return fill_lines("; ".join(name_texts) + ".")


def _list_cells(profile: Profile, netlist: Netlist, cut_wires: Sequence[CutWire]) -> Iterator[tuple[object, ...]]:
    """For each cell where its sensor is soldered to, and which lamps of the chain are its own."""
    length_by_net = {wire.net: wire.length for wire in cut_wires}
    per_cell, lamp_positions = profile.chain.lamps_per_cell, profile.chain.cell_positions
    for cell_number, (cell, solder_places) in enumerate(solder_points(profile).items()):
        sensor = cell_sensor(netlist, cell)
        pin_suffix = ".1" if sensor.part_type == "button" else ".3"
        lamp_numbers = " ".join(map(str, lamp_positions[cell_number * per_cell : (cell_number + 1) * per_cell]))
        lamp_numbers = lamp_numbers if netlist.has_type("lamp") else "-"
        for solder_place, colour in solder_places:
            length_text = f"{length_by_net[cell]:g}" if len(solder_places) == 1 else "along the line"
            yield cell, sensor.ref + pin_suffix, solder_place, colour, length_text, lamp_numbers


def _describe_wire(netlist: Netlist, wire: CutWire) -> tuple[object, ...]:
    """Its ends, its net, its colour, its length and its thickness."""
    part_pins = (_format_pin(netlist, part_pin) for part_pin in (wire.start_pin, wire.end_pin))
    return *part_pins, wire.net, wire.colour, f"{wire.length:g}", wire.gauge


def _join_pins(netlist: Netlist, part_pins: Sequence[PartPin], separator: str) -> str:
    return separator.join(_format_pin(netlist, part_pin) for part_pin in part_pins)


def _format_pin(netlist: Netlist, part_pin: PartPin) -> str:
    if part_pin.part == "J1":
        return format_header_pin(part_pin)
    pin_name = netlist.pin_at(part_pin).name
    return f"{part_pin} ({pin_name})" if pin_name != part_pin.pin else str(part_pin)
