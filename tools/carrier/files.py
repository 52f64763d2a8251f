"""The files of a carrier: its schematic and its board for KiCad, of one name, so that KiCad compares the two; its parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from pond_hw.fabrication.carrier import NETLIST_FILE, make_carrier
from pond_hw.fabrication.kicad.page import draw_kicad_schematic
from pond_hw.fabrication.netlist import Netlist, format_netlist
from pond_hw.profile.board_profile import Profile
from tools.carrier.assembly_house import format_bom, format_placement
from tools.carrier.board_file import write_board
from tools.carrier.placement import place_parts
from tools.carrier.routing import RoutingFailed, Track, route

MAKER_RULES = """(version 1)
(rule "tracks" (constraint track_width (min 0.2mm)))
(rule "clearance" (constraint clearance (min 0.2mm)))
(rule "copper to the edge" (constraint edge_clearance (min 0.5mm)))
(rule "holes" (constraint hole_size (min 0.3mm)))
(rule "copper around holes" (constraint annular_width (min 0.15mm)))
(rule "letters" (constraint text_height (min 0.8mm)))
(rule "lines of letters" (constraint text_thickness (min 0.12mm)))
"""
"""What every maker of boards can do, as KiCad's rules: without them it takes a track of any width."""

EXPORT_ENDS = ("-gerbers.zip", ".png")
"""Ends of the names of the files that KiCad makes of a board."""


def make_carrier_files(profile: Profile, netlist: Netlist) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a board's carrier: their names and contents.

    If there is not room for all its tracks, it has none, and is left to people who can do better.

    Raises:
        NoRoom: its parts need more room than the case has for it.
    """
    name = f"{profile.name}-carrier"
    carrier = place_parts(make_carrier(profile, netlist))
    yield NETLIST_FILE, format_netlist(carrier.netlist).encode()
    footprints = {placed.part.ref: f"pond:{placed.footprint.name}" for placed in carrier.parts}
    yield f"{name}.kicad_sch", draw_kicad_schematic(profile, carrier.netlist, name, footprints).encode()
    yield "bom.csv", format_bom(carrier).encode()
    yield "placement.csv", format_placement(carrier).encode()
    yield f"{name}.kicad_dru", MAKER_RULES.encode()
    tracks: list[Track] = []
    with suppress(RoutingFailed):
        tracks = route(carrier)
    yield f"{name}.kicad_pcb", write_board(name, carrier, tracks).encode()
