"""Markdown pages for builders: the wire table and the assembly guide. Their text is in pages.txt and assembly.txt."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path

from pond_hw.fabrication.carrier import count_joints, printed_pin_name
from pond_hw.fabrication.circuit import LOGIC_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.sizes import CARRIER_SIZE
from pond_hw.fabrication.wire_tracing import cell_sensor, find_gpio
from pond_hw.fabrication.wires import CutWire, board_joints, is_on_board, lamp_strips, leg_joints, list_wires
from pond_hw.messages.catalogue import to_english
from pond_hw.profile import board_profile
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from pond_hw.profile.sensor_wires import carrier_connectors, solder_points


def read_sections(file_name: str) -> dict[str, str]:
    """Return the sections of a text file in this folder, split at their `== ...` headings."""
    file_text = Path(__file__).with_name(file_name).read_text(encoding="utf-8")
    sections = re.findall(r"^== (.+)\n((?:(?!== ).*\n)*)", file_text, flags=re.MULTILINE)
    return {heading: section_text.strip() for heading, section_text in sections}


PAGE_SECTIONS = read_sections("pages.txt")


def fill_lines(paragraph_text: str) -> str:
    return textwrap.fill(" ".join(paragraph_text.split()), 116, break_long_words=False, break_on_hyphens=False)


def choose_lines(text: str, facts: Set[str]) -> str:
    """Drop lines whose leading `[words]` don't all apply to a board."""
    lines = [re.match(r"(?:\[([\w -]+)\] )?(.*)", line) for line in text.split("\n")]
    return "\n".join(line[2] for line in lines if line and facts >= set((line[1] or "").split()))


def format_rows(table_rows: Iterable[Iterable[object]]) -> str:
    return "\n".join(f"| {' | '.join(map(str, table_row))} |" for table_row in table_rows)


def format_head(section_name: str, profile: Profile) -> str:
    """Format the top of a page, with a warning that the board has not been built yet."""
    words = {"name": profile.name, "title": profile.title, "not_built": PAGE_SECTIONS["not built"]}
    return PAGE_SECTIONS[section_name].format(**words)


# --- wiring.md ---


def format_wiring_page(
    profile: Profile, netlist: Netlist, cut_wires: Sequence[CutWire], carrier: Netlist | None
) -> str:
    sections = [format_head("wiring", profile)]
    if cell_rows := format_rows(_list_cells(profile, netlist, cut_wires)):
        sections.append(PAGE_SECTIONS["wiring of cells"].format(rows=cell_rows))
    wire_rows = []
    for net, *ends, colour, length, gauge in cut_wires:
        wire_rows.append((*(_format_pin(netlist, end) for end in ends), net, colour, f"{length:g}", gauge))
    names_text = fill_lines(f"**Parts:** {'; '.join(_list_names(netlist))}.")
    sections.append(PAGE_SECTIONS["all wires"].format(names=names_text, rows=format_rows(wire_rows)))
    if "B1" in netlist.parts:
        track_rows = ((net, _join_pins(netlist, part_pins, ", ")) for net, part_pins in board_joints(netlist).items())
        sections.append(PAGE_SECTIONS["strip board"].format(rows=format_rows(track_rows)))
    if carrier:
        plugs = carrier.parts_of_type("supply", "terminal", "plug")
        plug_rows = ((part.ref, part.value, _printed_pins(part)) for part in plugs)
        sections.append(PAGE_SECTIONS["carrier"].format(rows=format_rows(plug_rows)))
    cell = next((part.cell for part in netlist.parts.values() if part.cell and part.part_type != "lamp"), None)
    if cell and (leg_ends := leg_joints(netlist, cell)):
        legs_text = "; ".join(_join_pins(netlist, part_pins, " with ") for part_pins in leg_ends)
        sections.append(PAGE_SECTIONS["legs"].format(cell=cell, joined=legs_text))
    return "\n\n".join(sections) + "\n"


def _list_names(netlist: Netlist) -> Iterator[str]:
    for part in netlist.parts.values():
        if part.cell is None and part.part_type not in ("pi", "pico", "lamp"):
            part_type = PART_TYPES[part.part_type]
            exact_value = part.value or ("" if part_type.package.startswith("axial") else part.note)
            name = part_type.short_name.removesuffix(" 5 V")
            yield f"{part.ref}, {name} ({exact_value})" if exact_value else f"{part.ref}, {name}"
    if netlist.has_type("lamp"):
        yield "D0, the first lamp"


def _list_cells(profile: Profile, netlist: Netlist, cut_wires: Sequence[CutWire]) -> Iterator[tuple[object, ...]]:
    """Yield each cell's sensor connection and the positions of its lamps in the chain."""
    length_by_net = {wire.net: wire.length for wire in cut_wires}
    per_cell, lamp_positions = profile.chain.lamps_per_cell, profile.chain.cell_positions
    for cell_number, (cell, solder_places) in enumerate(solder_points(profile).items()):
        sensor = cell_sensor(netlist, cell)
        pin_suffix = ".1" if sensor.part_type == "button" else ".3"
        lamp_numbers = " ".join(map(str, lamp_positions[cell_number * per_cell : (cell_number + 1) * per_cell]))
        lamp_numbers = lamp_numbers if netlist.has_type("lamp") else "-"
        for solder_place, colour in solder_places:
            length_text = f"{length_by_net[cell]:g}" if len(solder_places) == 1 else "along the line"
            yield cell, sensor.ref + pin_suffix, to_english(solder_place), colour, length_text, lamp_numbers


def _join_pins(netlist: Netlist, part_pins: Sequence[PartPin], separator: str) -> str:
    return separator.join(_format_pin(netlist, part_pin) for part_pin in part_pins)


def _format_pin(netlist: Netlist, part_pin: PartPin) -> str:
    """Format a pin: `GPIO 17 (header pin 11)`, `GP4 (Pico pin 6)`, `header pin 6`, `U1.3 (1Y)`."""
    pin_text, pin_name = str(part_pin), netlist.pin_at(part_pin).name
    if part_pin.part == "J1":
        pin_text = f"{header_word(netlist)} {part_pin.pin}"
        return f"{pin_name} ({pin_text})" if find_gpio(netlist, part_pin) is not None else pin_text
    return f"{pin_text} ({pin_name})" if pin_name != part_pin.pin else pin_text


def header_word(netlist: Netlist) -> str:
    return "Pico pin" if netlist.parts["J1"].part_type == "pico" else "header pin"


# --- assembly.md: step by step from a bag of parts to a tested board, with a check after each step ---


def _printed_pins(part: CircuitPart) -> str:
    return ", ".join(printed_pin_name(pin.name) for pin in part.pins.values())


def format_assembly(profile: Profile, netlist: Netlist, carrier: Netlist | None) -> str:
    facts, words = list_facts(profile, netlist, carrier), _find_placeholders(profile, netlist, carrier)
    head = {"name": profile.name, "title": profile.title, "not_built": PAGE_SECTIONS["not built"]}
    page_parts = [choose_lines(PAGE_SECTIONS["assembly"], facts).format(**head, **words)]
    for heading, step in read_sections("assembly.txt").items():
        if title := choose_lines(heading, facts):
            page_parts.append(f"## {len(page_parts)}. {title}\n\n{choose_lines(step, facts).format(**words)}")
    return "\n\n".join(fill_lines(paragraph) for page in page_parts for paragraph in page.split("\n\n")) + "\n\n"


def list_facts(profile: Profile, netlist: Netlist, carrier: Netlist | None) -> set[str]:
    wiring, strips = profile.sensing.wiring, _plate_strips(profile, netlist)
    is_trellis, is_matrix = isinstance(wiring, board_profile.TrellisWiring), netlist.has_type("diode")
    has_standoffs = profile.controller == "pi" and SolidLayout(profile).carrier_corner is not None
    facts = {
        "carrier": carrier is not None,
        "no-carrier": carrier is None,
        "standoffs": has_standoffs,
        "no-standoffs": not has_standoffs,
        "logic": LOGIC_NET in netlist.nets,
        "sensors": not isinstance(wiring, board_profile.SimulatedWiring),
        "trellis": is_trellis,
        "case": not is_trellis,
        "tiles": profile.sensing.kind == "hall",
        "caps": profile.sensing.kind == "button",
        "halls": netlist.has_type("hall", "linear hall"),
        "plain": not profile.sensing.turned_pieces,
        "turned": profile.sensing.turned_pieces,
        "linear": netlist.has_type("linear hall"),
        "lamps": bool(strips),
        "equal-strips": len(set(map(len, strips))) == 1,
        "unequal-strips": len(set(map(len, strips))) > 1,
        "first-in-cell": bool(strips and strips[0][0].cell),
        "first-in-strip": bool(strips and not strips[0][0].cell),
        "pi": profile.controller == "pi",
        "pico": profile.controller == "pico",
        "pi-supply": profile.supply.source == "pi",
        "usb-supply": profile.supply.source == "usb",
        "own-supply": profile.supply.source == "own",
        "expanders": netlist.has_type(*EXPANDER_PARTS),
        "converters": netlist.has_type(*CONVERTER_PARTS),
        "matrix": is_matrix,
        "one-wire": not is_matrix,
        "buttons": netlist.has_type("button") and not is_matrix,
        "key": profile.undo_key_pin is not None,
        "turn-keys": bool(profile.turn_key_pins),
        "key-lamps": bool(profile.chain.key_positions),
        "buzzer": profile.buzzer_pin is not None,
        "controls": bool(profile.key_pins) or profile.buzzer_pin is not None,
    }
    return {fact for fact, applies in facts.items() if applies}


def _find_placeholders(profile: Profile, netlist: Netlist, carrier: Netlist | None) -> dict[str, object]:
    magnet_diameter, magnet_height = profile.body.magnet_size_mm
    strips, layout = _plate_strips(profile, netlist), SolidLayout(profile)
    rail_pins = netlist.parts["B1"].pins.values() if "B1" in netlist.parts else ()
    return {
        **_find_carrier_placeholders(profile, netlist, carrier),
        "board": profile.name,
        "controller": {"pi": "Pi", "pico": "Pico"}[profile.controller],
        "magnet": f"{magnet_diameter:g} × {magnet_height:g}",
        "pause": f"{layout.pause_z:g}",
        "pieces": layout.piece_count // 2,
        "piece_width": f"{math.floor(layout.piece_width)}",
        "strips": len(strips),
        "lamps": len(strips[0]) if strips else 0,
        "first": strips[0][0].cell if strips else "",
        "rails": ", ".join(pin.name for pin in rail_pins),
        "chips": ", ".join(part.ref for part in netlist.parts_of_type("shifter", *EXPANDER_PARTS, *CONVERTER_PARTS)),
        "addresses": " and ".join(part.note for part in netlist.parts_of_type(*EXPANDER_PARTS, "trellis")),
        **_find_chip_placeholders(profile),
    }


def _plate_strips(profile: Profile, netlist: Netlist) -> list[list[CircuitPart]]:
    key_lamps = SolidLayout(profile).key_lamps
    return [strip for strip in lamp_strips(profile, netlist) if strip[0].ref not in key_lamps]


def _find_chip_placeholders(profile: Profile) -> dict[str, object]:
    match profile.sensing.wiring:
        case board_profile.AnalogWiring(chip=converter):
            return {"chip": converter.title}
        case board_profile.ExpanderWiring(chip=expander):
            pin_numbers = {pin.name: number for number, pin in PART_TYPES[expander.part].pins.items()}
            return {
                "chip": expander.title,
                "address_pins": _name_pins(pin_numbers[f"A{bit}"] for bit in range(3)).capitalize(),
                "high_pins": _name_pins(pin_numbers[name] for name in expander.high_pins),
                "low_pins": _name_pins(pin_numbers[name] for name in expander.low_pins),
            }
    return {}


def _name_pins(pin_numbers: Iterable[str]) -> str:
    """Name pins: `pin 10`; `pins 9 and 18`."""
    *others, last = sorted(pin_numbers, key=int)
    return f"pins {', '.join(others)} and {last}" if others else f"pin {last}"


def _find_carrier_placeholders(profile: Profile, netlist: Netlist, carrier: Netlist | None) -> dict[str, object]:
    """Return the values for the placeholders about the carrier and the strip board, such as the number of joints."""
    cut_wires, layout = list_wires(profile, netlist), SolidLayout(profile)
    plugs = carrier_connectors(profile)
    bridges = sum(len(part_pins) - 1 for part_pins in board_joints(netlist).values())
    on_board = {part.ref for part in netlist.parts.values() if is_on_board(part)}
    ends = [end for wire in cut_wires for end in (wire.start_pin, wire.end_pin) if end.part in on_board]
    legs = sum(len(part_pins) for part_pins in board_joints(netlist).values())
    (header_x, header_y), (board_x, board_y) = layout.header_point, layout.board_point
    longer = math.ceil((abs(header_x - board_x) + abs(header_y - board_y)) / 10) * 10
    feeds = ["J2"] * ("J2" in netlist.parts) + [plugs.get("lamps", "")]
    names = {"drive": "driven lines", "sense": "sense lines"}
    return {
        "width": f"{CARRIER_SIZE[0]:g}",
        "depth": f"{CARRIER_SIZE[1]:g}",
        "carrier_joints": count_joints(carrier) if carrier else 0,
        "strip_joints": legs + 2 * bridges + len(ends) if carrier else 0,
        "strip_wires": bridges + len(ends),
        "extra": longer,
        "feed": " or of ".join(feeds),
        "lamps_plug": plugs.get("lamps"),
        "lines_plugs": " and ".join(f"{plugs[group]} ({text})" for group, text in names.items() if group in plugs),
        "control_plugs": " and ".join(f"{plugs[each]} ({each})" for each in ("key", "buzzer") if each in plugs),
    }
