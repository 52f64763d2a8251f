"""wiring.md: the table of wires, and all wires one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pond_hw.profile.build import Profile, Trellis
from pond_hw.workshop.assembly import NOT_BUILT
from pond_hw.workshop.netlist import End, Netlist
from pond_hw.workshop.table import Row, table
from pond_hw.workshop.wires import Wire, header

_CELLS = """\
## Cells

Each cell's own wire. Set-up mode calls the wires by these words. Lamps are counted along the chain, 0 first; in a cell
from its upper left, row by row.

| cell | sensor | soldered to | colour | length, mm | lamps |
|---|---|---|---|---|---|"""

_WIRES = """\
## All wires

Lengths are what to cut off, 80 mm for soldering and for the way down included. AWG is the thickness. What stands on the
strip board, and what stands beside a sensor, is joined by tracks and legs and is not listed.

| from | to | net | colour | length, mm | AWG |
|---|---|---|---|---|---|"""


def wiring_page(profile: Profile, netlist: Netlist, cut: Sequence[Wire]) -> str:
    """The page, as Markdown."""
    lines = [f"# {profile.name}: wiring", "", f"{profile.title}.", "", NOT_BUILT, ""]
    if not isinstance(profile.sensing.wiring, Trellis):
        lines += [_CELLS, *_cells(table(profile, netlist)), ""]
    lines += [_WIRES, *_wires(netlist, cut)]
    return "\n".join(lines) + "\n"


def _cells(rows: dict[str, Row]) -> Iterator[str]:
    for row in rows.values():
        pin = "" if row.sensor.sort == "button" else ".3"
        lamps = " ".join(map(str, row.lamps)) or "-"
        for place, colour, length in row.places:
            long = f"{length:g}" if length else "along the line"
            yield f"| {row.cell} | {row.sensor.ref}{pin} | {place} | {colour} | {long} | {lamps} |"


def _wires(netlist: Netlist, cut: Sequence[Wire]) -> Iterator[str]:
    for wire in cut:
        ends = " | ".join(_end(netlist, end) for end in (wire.one, wire.other))
        yield f"| {ends} | {wire.net} | {wire.colour} | {wire.length:g} | {wire.gauge} |"


def _end(netlist: Netlist, end: End) -> str:
    if end.part == "J1":
        return header(end)
    name = netlist.pin(end).name
    return f"{end} ({name})" if name != end.pin else str(end)
