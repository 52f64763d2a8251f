"""wiring.md: the table of wires, and all wires one by one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from pond_hw.fabrication.assembly import NOT_BUILT
from pond_hw.fabrication.netlist import Netlist, PartPin
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.wires import CutWire, format_header_pin, is_on_board
from pond_hw.fabrication.wiring_table import WiringRow, wiring_table
from pond_hw.profile.board_profile import Profile

_ORIENTATION_TEXT = """\
All tables and pictures are seen from above, the key and the buzzer in the wall towards you: a1 is the near left cell,
the letters run to the right, the numbers away from you. **On the underside of the plate left and right are exchanged**:
write the names of the cells there before you solder anything.
"""

_CELLS_TEXT = """\
## Cells

Each cell's own wire. Set-up mode calls the wires by these words. Lamps are counted along the chain, 0 first; in a cell
from its upper left, row by row.

| cell | sensor | soldered to | colour | length, mm | lamps |
|---|---|---|---|---|---|"""

_WIRES_TEXT = """\
## All wires

Lengths are what to cut off: the way along the walls, some for soldering, and enough for the plate to stand beside the
case while you plug. AWG is the thickness. Behind the dot stands the leg.

{names}

| from | to | net | colour | length, mm | AWG |
|---|---|---|---|---|---|"""

_BOARD_TEXT = """\
## On the strip board

What is joined there, by its tracks or by short bridges. The way of the lamps' current, from the socket or the header by
the fuse to the rail and back by ground, is too much for a track: lay bare wire as thick as above along it.

| net | joins |
|---|---|"""

_LEGS_TEXT = """\
## Beside the sensors

Joined by their legs, without a wire, alike in all cells; in {cell}: {joined}.
"""


def format_wiring_page(profile: Profile, netlist: Netlist, cut: Sequence[CutWire]) -> str:
    """The page, as Markdown."""
    lines = [f"# {profile.name}: wiring", "", f"{profile.title}.", "", NOT_BUILT, ""]
    if rows := wiring_table(profile, netlist):
        lines += [_ORIENTATION_TEXT, _CELLS_TEXT, *_format_cells(rows), ""]
    lines += [_WIRES_TEXT.format(names=_format_names(netlist)), *_format_wires(netlist, cut)]
    if "B1" in netlist.parts:
        lines += ["", _BOARD_TEXT, *_format_tracks(netlist)]
    if joined := _leg_joints(netlist):
        cell = netlist.parts[joined[0][0].part].cell
        told = "; ".join(" with ".join(_format_pin(netlist, end) for end in ends) for ends in joined)
        lines += ["", _LEGS_TEXT.format(cell=cell, joined=told).rstrip()]
    return "\n".join(lines) + "\n"


def _format_names(netlist: Netlist) -> str:
    """What the names of the parts stand for."""
    told = []
    for part in netlist.parts.values():
        if part.cell is None and part.part_type not in ("pi", "lamp"):
            kind = PART_TYPES[part.part_type]
            exactly = part.value or ("" if kind.package.startswith("axial") else part.note)
            told.append(f"{part.ref} is the {kind.name.partition(',')[0].removesuffix(' 5 V')} {exactly}".rstrip())
    if any(netlist.parts_of_type("lamp")):
        told.append("D0 is the first lamp")
    return textwrap.fill("; ".join(told) + ".", 116, break_long_words=False, break_on_hyphens=False)


def _format_tracks(netlist: Netlist) -> Iterator[str]:
    """What is joined on the strip board, net by net."""
    for net, ends in netlist.nets.items():
        here = [end for end in ends if is_on_board(netlist, end)]
        if len(here) > 1:
            yield f"| {net} | {', '.join(_format_pin(netlist, end) for end in here)} |"


def _leg_joints(netlist: Netlist) -> list[list[PartPin]]:
    """What is joined by its legs in the first cell."""
    first = next((part.cell for part in netlist.parts.values() if part.cell and part.part_type != "lamp"), None)
    found = []
    for ends in netlist.nets.values():
        here = [
            end for end in ends if netlist.parts[end.part].cell == first and netlist.parts[end.part].part_type != "lamp"
        ]
        if len(here) > 1 and first:
            found.append(here)
    return found


def _format_cells(rows: dict[str, WiringRow]) -> Iterator[str]:
    for row in rows.values():
        pin = ".1" if row.sensor.part_type == "button" else ".3"
        lamps = " ".join(map(str, row.lamp_numbers)) or "-"
        for place, colour, length in row.solder_points:
            long = f"{length:g}" if length else "along the line"
            yield f"| {row.cell} | {row.sensor.ref}{pin} | {place} | {colour} | {long} | {lamps} |"


def _format_wires(netlist: Netlist, cut: Sequence[CutWire]) -> Iterator[str]:
    for wire in cut:
        ends = " | ".join(_format_pin(netlist, end) for end in (wire.start_pin, wire.end_pin))
        yield f"| {ends} | {wire.net} | {wire.colour} | {wire.length:g} | {wire.gauge} |"


def _format_pin(netlist: Netlist, end: PartPin) -> str:
    if end.part == "J1":
        return format_header_pin(end)
    name = netlist.pin_at(end).name
    return f"{end} ({name})" if name != end.pin else str(end)
