"""Files of a carrier: parts lists, and a KiCad schematic and board that share a name so that KiCad compares them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from pond_hw.fabrication.carrier import NETLIST_FILE, make_carrier
from pond_hw.fabrication.kicad.page import draw_kicad_schematic
from pond_hw.fabrication.netlist import Netlist, format_netlist
from pond_hw.profile.board_profile import Profile
from tools.carrier.placement import place_parts
from tools.carrier.products import WAYS, choose_product, keep_soldered
from tools.pcb.assembly_house import format_bom, format_placement
from tools.pcb.board_file import write_board
from tools.pcb.maker import MAKER_RULES
from tools.pcb.routing import RoutingFailed, Track, route


def make_carrier_files(profile: Profile, netlist: Netlist) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file for a board's carrier.

    If the router finds no room for all tracks, the board has no tracks and must be routed by hand.

    Raises:
        NoRoom: a carrier with these parts does not fit in the case.
    """
    name = f"{profile.name}-carrier"
    carrier = place_parts(profile.name, make_carrier(profile, netlist))
    yield NETLIST_FILE, format_netlist(carrier.netlist).encode()
    footprints = {placed.part.ref: f"pond:{placed.footprint.name}" for placed in carrier.parts}
    yield f"{name}.kicad_sch", draw_kicad_schematic(name, carrier.netlist, (profile.title,), footprints).encode()
    for way in WAYS:
        bom = format_bom(keep_soldered(carrier, way), choose_product(way))
        yield f"bom-{way.replace(' ', '-')}.csv", bom.encode()
    yield "placement.csv", format_placement(keep_soldered(carrier, "assembled")).encode()
    yield f"{name}.kicad_dru", MAKER_RULES.encode()
    tracks: list[Track] = []
    with suppress(RoutingFailed):
        tracks = route(carrier)
    yield f"{name}.kicad_pcb", write_board(name, carrier, tracks).encode()
