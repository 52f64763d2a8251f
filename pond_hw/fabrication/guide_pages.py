"""Markdown pages for builders: the wire table and the assembly guide. Their text is in pages.txt and assembly.txt."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path

from pond_hw.fabrication.cables import Cable, list_cables
from pond_hw.fabrication.carrier import count_joints, has_carrier, make_carrier
from pond_hw.fabrication.circuit import LOGIC_NET
from pond_hw.fabrication.netlist import Netlist, PartPin
from pond_hw.fabrication.row_board import connector_pins, count_row_joints, row_kind
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.wire_tracing import find_gpio
from pond_hw.messages.catalogue import to_english
from pond_hw.profile import board_profile
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from pond_hw.profile.row_boards import connector_names
from pond_hw.profile.sensor_wires import carrier_pins, sensor_inputs


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

PIN_PURPOSES = {
    "ground": "the way back for all currents",
    "5 V lamps": "supply of the lamps, behind the fuse",
    "data in": "data for the first lamp of the row",
    "data out": "data from the last lamp of the row, for the next row",
}


def format_wiring_page(profile: Profile, netlist: Netlist, cables: Sequence[Cable]) -> str:
    sections = [format_head("wiring", profile)]
    row_cables = [cable for cable in cables if cable.is_row_cable]
    panel_cables = [cable for cable in cables if not cable.is_row_cable]
    if not has_carrier(netlist):
        wire_rows = (
            (_format_pin(netlist, wire.start_pin), _format_pin(netlist, wire.end_pins[0]), wire.net)
            for wire in panel_cables[0].wires
        )
        words = {"length": f"{panel_cables[0].length:g}", "rows": format_rows(wire_rows)}
        return "\n\n".join([*sections, PAGE_SECTIONS["trellis cable"].format(**words)]) + "\n"
    sections.append(PAGE_SECTIONS["wiring of cells"].format(rows=format_rows(_list_cells(profile))))
    pins = connector_pins(profile.size)
    purposes = {**PIN_PURPOSES, "common": describe_common(profile)}
    pin_rows = (
        (number, pin.name, purposes.get(pin.name) or f"sensor of the {ordinal(int(number) - len(purposes))} cell")
        for number, pin in pins.items()
    )
    row_words = {
        "wires": len(pins),
        "length": f"{row_cables[0].length:g}",
        "pins": format_rows(pin_rows),
        "rows": format_rows((cable.name, cable.connector) for cable in row_cables),
    }
    sections.append(PAGE_SECTIONS["row cables"].format(**row_words))
    if panel_cables:
        panel_rows = [
            (cable.connector, wire.start_pin.pin, wire.net, _join_pins(netlist, wire.end_pins), f"{cable.length:g}")
            for cable in panel_cables
            for wire in sorted(cable.wires, key=lambda wire: wire.start_pin.pin)
        ]
        links = [link for cable in panel_cables for link in cable.links]
        panel_rows += [
            ("-", "-", link.net, _join_pins(netlist, (link.start_pin, *link.end_pins)), "-") for link in links
        ]
        sections.append(PAGE_SECTIONS["panel cables"].format(rows=format_rows(panel_rows)))
    return "\n\n".join(sections) + "\n"


def ordinal(number: int) -> str:
    return ("first", "second", "third", "fourth", "fifth")[number - 1]


def describe_common(profile: Profile) -> str:
    if profile.sensing.kind == "hall":
        return "3.3 V for the sensors"
    is_matrix = isinstance(profile.sensing.wiring, board_profile.MatrixWiring)
    return "driven line of the row" if is_matrix else "ground, for the switches"


def _list_cells(profile: Profile) -> Iterator[tuple[object, ...]]:
    """Yield each cell's sensor connection and the positions of its lamps in the chain."""
    per_cell, lamp_positions, pins = profile.chain.lamps_per_cell, profile.chain.cell_positions, carrier_pins(profile)
    for cell_number, (cell, inputs) in enumerate(sensor_inputs(profile).items()):
        lamp_numbers = lamp_positions[cell_number * per_cell : (cell_number + 1) * per_cell]
        reader = " and ".join(map(to_english, inputs))
        yield cell, reader, to_english(pins[cell]), " ".join(map(str, lamp_numbers))


def _join_pins(netlist: Netlist, part_pins: Sequence[PartPin]) -> str:
    return ", ".join(_format_pin(netlist, part_pin) for part_pin in part_pins)


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


def format_assembly(profile: Profile, netlist: Netlist, is_designed: bool) -> str:
    """Format the assembly guide. `is_designed` tells whether the board's folder has a design of its carrier."""
    facts, words = list_facts(profile, netlist, is_designed), _find_placeholders(profile, netlist)
    head = {"name": profile.name, "title": profile.title, "not_built": PAGE_SECTIONS["not built"]}
    page_parts = [choose_lines(PAGE_SECTIONS["assembly"], facts).format(**head, **words)]
    for heading, step in read_sections("assembly.txt").items():
        if title := choose_lines(heading, facts):
            page_parts.append(f"## {len(page_parts)}. {title}\n\n{choose_lines(step, facts).format(**words)}")
    return "\n\n".join(fill_lines(paragraph) for page in page_parts for paragraph in page.split("\n\n")) + "\n\n"


def list_facts(profile: Profile, netlist: Netlist, is_designed: bool) -> set[str]:
    wiring = profile.sensing.wiring
    is_trellis, is_linear = not has_carrier(netlist), isinstance(wiring, board_profile.AnalogWiring)
    is_matrix = isinstance(wiring, board_profile.MatrixWiring)
    facts = {
        "design": is_designed,
        "no-design": not is_designed,
        "logic": LOGIC_NET in netlist.nets,
        "sensors": not isinstance(wiring, board_profile.SimulatedWiring),
        "trellis": is_trellis,
        "case": not is_trellis,
        "tiles": profile.sensing.kind == "hall",
        "caps": profile.sensing.kind == "button",
        "halls": profile.sensing.kind == "hall",
        "plain": not profile.sensing.turned_pieces,
        "turned": profile.sensing.turned_pieces,
        "linear": is_linear,
        "no-linear": not is_linear,
        "common-ground": profile.sensing.kind == "button" and not is_matrix,
        "pi": profile.controller == "pi",
        "pico": profile.controller == "pico",
        "pi-supply": profile.supply.source == "pi",
        "usb-supply": profile.supply.source == "usb",
        "own-supply": profile.supply.source == "own",
        "header-supply": profile.supply.source != "own",
        "expanders": netlist.has_type(*EXPANDER_PARTS),
        "converters": netlist.has_type(*CONVERTER_PARTS),
        "key": profile.undo_key_pin is not None,
        "turn-keys": bool(profile.turn_key_pins),
        "key-lamps": bool(profile.chain.key_positions),
        "buzzer": profile.buzzer_pin is not None,
        "controls": bool(profile.key_pins) or profile.buzzer_pin is not None,
    }
    return {fact for fact, applies in facts.items() if applies}


def _count_joints(cable: Cable) -> int:
    """Return the number of joints at the end of a cable with bare wires."""
    if cable.is_row_cable:
        return 0
    return sum(len(wire.end_pins) for wire in cable.wires) + sum(1 + len(link.end_pins) for link in cable.links)


def _find_placeholders(profile: Profile, netlist: Netlist) -> dict[str, object]:
    wiring, chip_wiring = profile.sensing.wiring, board_profile.ExpanderWiring | board_profile.AnalogWiring
    sensor_chip = {"chip": wiring.chip.title} if isinstance(wiring, chip_wiring) else {}
    magnet_diameter, magnet_height = profile.body.magnet_size_mm
    layout, names = SolidLayout(profile), connector_names(profile)
    chips = netlist.parts_of_type("shifter", *EXPANDER_PARTS, *CONVERTER_PARTS)
    cables = list_cables(profile, netlist)
    panel_names = {name: plug for name, plug in names.items() if not name.startswith("row ")}
    return {
        "board": profile.name,
        "controller": {"pi": "Pi", "pico": "Pico"}[profile.controller],
        "magnet": f"{magnet_diameter:g} × {magnet_height:g}",
        "pause": f"{layout.pause_z:g}",
        "pieces": layout.piece_count // 2,
        "piece_width": f"{math.floor(layout.piece_width)}",
        "chips": ", ".join(part.ref for part in chips),
        "addresses": " and ".join(part.note for part in netlist.parts_of_type(*EXPANDER_PARTS, "trellis")),
        "width": f"{layout.carrier_size[0]:g}",
        "depth": f"{layout.carrier_size[1]:g}",
        "carrier_joints": count_joints(make_carrier(profile, netlist)) if has_carrier(netlist) else 0,
        "row_joints": count_row_joints(row_kind(profile), profile.size),
        "panel_joints": sum(map(_count_joints, cables)),
        "cells": profile.size,
        "last_pin": len(connector_pins(profile.size)),
        "first_row": names[f"row {profile.size}"],
        "last_row": names["row 1"],
        "row_plugs": f"{names['row 1']} to {names[f'row {profile.size}']}",
        "control_plugs": ", ".join(f"{plug} ({name})" for name, plug in panel_names.items()),
        "budget": f"{profile.chain.budget_ma:g}",
        **sensor_chip,
    }
