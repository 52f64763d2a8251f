"""The pages for people, as Markdown: the table of wires, and the guide; their prose is in pages.txt and assembly.txt."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pond_hw.fabrication.netlist import Netlist, PartPin
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.wire_tracing import GPIO_BY_PIN, cell_sensor
from pond_hw.fabrication.wires import CutWire, board_joints, lamp_strips, leg_joints
from pond_hw.profile import board_profile
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.soldered_wires import solder_points


def read_sections(file_name: str) -> dict[str, str]:
    """The sections of a text file of this folder: what follows each heading `== ...`, by the heading."""
    file_text = Path(__file__).with_name(file_name).read_text(encoding="utf-8")
    sections = re.findall(r"^== (.+)\n((?:(?!== ).*\n)*)", file_text, flags=re.MULTILINE)
    return {heading: section_text.strip() for heading, section_text in sections}


PAGE_SECTIONS = read_sections("pages.txt")


def fill_lines(paragraph_text: str) -> str:
    """A paragraph in lines that fit."""
    return textwrap.fill(" ".join(paragraph_text.split()), 116, break_long_words=False, break_on_hyphens=False)


def format_rows(table_rows: Iterable[Iterable[object]]) -> str:
    """The rows of a table as Markdown."""
    return "\n".join(f"| {' | '.join(map(str, table_row))} |" for table_row in table_rows)


def format_head(section_name: str, profile: Profile, **words: str) -> str:
    """How a page begins. It says that nobody has built the board, until somebody has."""
    words |= {"name": profile.name, "title": profile.title, "not_built": PAGE_SECTIONS["not built"]}
    return PAGE_SECTIONS[section_name].format(**words)


# --- wiring.md ---


def format_wiring_page(profile: Profile, netlist: Netlist, cut_wires: Sequence[CutWire]) -> str:
    """The table of wires, and all wires one by one."""
    sections = [format_head("wiring", profile)]
    if cell_rows := format_rows(_list_cells(profile, netlist, cut_wires)):
        sections.append(PAGE_SECTIONS["wiring of cells"].format(rows=cell_rows))
    wire_rows = []
    for net, *ends, colour, length, gauge in cut_wires:
        wire_rows.append((*(_format_pin(netlist, end) for end in ends), net, colour, f"{length:g}", gauge))
    names_text = fill_lines("; ".join(_list_names(netlist)) + ".")
    sections.append(PAGE_SECTIONS["all wires"].format(names=names_text, rows=format_rows(wire_rows)))
    if "B1" in netlist.parts:
        track_rows = ((net, _join_pins(netlist, part_pins, ", ")) for net, part_pins in board_joints(netlist).items())
        sections.append(PAGE_SECTIONS["strip board"].format(rows=format_rows(track_rows)))
    cell = next((part.cell for part in netlist.parts.values() if part.cell and part.part_type != "lamp"), None)
    if cell and (leg_ends := leg_joints(netlist, cell)):
        legs_text = "; ".join(_join_pins(netlist, part_pins, " with ") for part_pins in leg_ends)
        sections.append(PAGE_SECTIONS["legs"].format(cell=cell, joined=legs_text))
    return "\n\n".join(sections) + "\n"


def _list_names(netlist: Netlist) -> Iterator[str]:
    """What the names of the parts stand for."""
    for part in netlist.parts.values():
        if part.cell is None and part.part_type not in ("pi", "lamp"):
            part_type = PART_TYPES[part.part_type]
            exact_value = part.value or ("" if part_type.package.startswith("axial") else part.note)
            yield f"{part.ref} is the {part_type.short_name.removesuffix(' 5 V')} {exact_value}".rstrip()
    if netlist.has_type("lamp"):
        yield "D0 is the first lamp"


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


def _join_pins(netlist: Netlist, part_pins: Sequence[PartPin], separator: str) -> str:
    return separator.join(_format_pin(netlist, part_pin) for part_pin in part_pins)


def _format_pin(netlist: Netlist, part_pin: PartPin) -> str:
    """`GPIO 17 (header pin 11)`, `header pin 6`, `U1.3 (1Y)`."""
    pin_text, pin_name = str(part_pin), netlist.pin_at(part_pin).name
    if part_pin.part == "J1":
        pin_text = f"header pin {part_pin.pin}"
        return f"{pin_name} ({pin_text})" if part_pin.pin in GPIO_BY_PIN else pin_text
    return f"{pin_text} ({pin_name})" if pin_name != part_pin.pin else pin_text


# --- assembly.md: step by step from a bag of parts to a proven board, with a check after each step ---


def format_assembly(profile: Profile, netlist: Netlist) -> str:
    """The guide of a board."""
    wiring, has_lamps = profile.sensing.wiring, netlist.has_type("lamp")
    drawings = [] if isinstance(wiring, board_profile.SimulatedWiring) else ["`cell.svg`"]
    drawings += ["`feed.svg`"] if has_lamps else []
    page_parts = [format_head("assembly", profile, drawings=", ".join(drawings))]
    is_trellis, is_matrix = isinstance(wiring, board_profile.TrellisWiring), netlist.has_type("diode")
    # By the word before the colon of a step's heading; every board needs the other steps.
    needed_steps = {
        "trellis": is_trellis,
        "case": not is_trellis,
        "halls": netlist.has_type("hall", "linear hall"),
        "lamps": has_lamps,
        "expanders": netlist.has_type("expander"),
        "converters": netlist.has_type("converter"),
        "matrix": is_matrix,
        "buttons": netlist.has_type("button") and not is_matrix,
        "beside": profile.key_pin is not None or profile.buzzer_pin is not None,
    }
    words = _sensor_words(profile) | _lamp_words(profile, netlist) | _control_words(profile)
    for heading, step in read_sections("assembly.txt").items():
        step_name, _, title = heading.partition(": ")
        if needed_steps.get(step_name, True):
            page_parts.append(f"## {len(page_parts)}. {title}\n\n{step.format(**words)}")
    return "\n\n".join(fill_lines(paragraph) for page in page_parts for paragraph in page.split("\n\n")) + "\n\n"


def _sensor_words(profile: Profile) -> dict[str, str]:
    """What stands in the place of `{word}` in the steps: of the board and its sensors."""
    has_halls, is_linear = (
        profile.sensing.kind == "hall",
        isinstance(profile.sensing.wiring, board_profile.AnalogWiring),
    )
    is_matrix = isinstance(profile.sensing.wiring, board_profile.MatrixWiring)
    magnet_diameter, magnet_height = profile.body.magnet_size_mm
    two_lines = "two lines that were exchanged it names, and two cells too"
    return {
        "board": profile.name,
        "tiles": "each tile lies in its opening" if has_halls else "each cap goes down and comes up by itself",
        "layers": "tiles into the lid" if has_halls else "caps onto the switches",
        "magnet": f"{magnet_diameter:g} × {magnet_height:g}",
        "poles": ", and dark's pieces the other way than light's: set-up says which is which" if is_linear else "",
        "with_piece": ", or put a piece there" if has_halls else "",
        "calibrate": "`--step calibrate` measures rest and both poles. " if is_linear else "",
        "exchanged": two_lines if is_matrix else "two wires that were exchanged it names",
    }


def _lamp_words(profile: Profile, netlist: Netlist) -> dict[str, str]:
    """Of the lamps and the strip board."""
    strips = lamp_strips(profile, netlist)
    strip_lengths = set(map(len, strips))
    rail_pins = netlist.parts["B1"].pins.values() if "B1" in netlist.parts else ()
    return {
        "count": str(len(strips)),
        "lengths": f"{strip_lengths.pop()} lamps each" if len(strip_lengths) == 1 else "as lamps run in `wiring.md`",
        "first": (strips[0][0].cell or "a score strip") if strips else "",
        "rails": ", ".join(pin.name for pin in rail_pins),
        "chips": ", ".join(part.ref for part in netlist.parts_of_type("shifter", "expander", "converter")),
        "supply": PAGE_SECTIONS[f"supply: {profile.supply.source}"],
        "addresses": " and ".join(part.note for part in netlist.parts_of_type("expander", "trellis")),
    }


def _control_words(profile: Profile) -> dict[str, str]:
    """Of key and buzzer."""
    places, checks = [], []
    in_case = not isinstance(profile.sensing.wiring, board_profile.TrellisWiring)
    if profile.key_pin is not None:
        places.append("the key into the front wall" if in_case else "the key")
        checks.append(f"`pond serve --board {profile.name}`: held down, the key opens the menu.")
    if profile.buzzer_pin is not None:
        places += ["the buzzer behind its seven holes there"] if in_case else []
        checks.append("Play a turn: the buzzer says that it counts.")
    return {"beside": " and ".join(places), "check": " ".join(checks)}
