"""Write all of a board's files to a folder named after the board.

netlist.txt  NAME.kicad_sch  wiring.md  cell.svg  feed.svg  parts.csv  power.md  assembly.md
drawings/case.svg  row.svg  rows.svg  panel.svg  trellis.svg
stl/NAME.stl   views/board.png  apart.png  pieces.png  NAME.png

Its subfolder carrier/, if any, holds the design of a carrier board. A build reads it but never changes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pond_hw.fabrication.assembly_drawings import draw_sheets
from pond_hw.fabrication.board_file_reader import read_carrier
from pond_hw.fabrication.cables import check_cables, list_cables
from pond_hw.fabrication.carrier import has_design
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.guide_pages import format_assembly, format_wiring_page
from pond_hw.fabrication.kicad.page import draw_kicad_schematic
from pond_hw.fabrication.netlist import format_netlist
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.part_catalogue import HALL_SENSITIVITY, LOGIC_VOLTS, MIN_FIELD_MT
from pond_hw.fabrication.parts_list import format_parts_list
from pond_hw.fabrication.power import format_power
from pond_hw.fabrication.row_board import expand_rows
from pond_hw.fabrication.schematic import draw_cell, draw_feed
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.magnet_field import find_piece_force, find_sensor_field
from pond_hw.fabrication.solids.mesh import to_stl
from pond_hw.fabrication.solids.pictures import draw_board, draw_exploded, draw_part, draw_pieces
from pond_hw.fabrication.solids.print_checks import check_fit, check_solids
from pond_hw.fabrication.solids.printed import printed_parts
from pond_hw.fabrication.wire_tracing import check_profile_match
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import AnalogWiring, Profile, SimulatedWiring
from pond_hw.rules import PondError

FILE_SUFFIXES = {".txt", ".md", ".svg", ".csv", ".stl", ".png", ".kicad_sch"}


def make_files(profile: Profile, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path within the folder and the content of each file.

    `folder` is the board's folder, which may contain the design of a carrier board.

    Raises:
        PondError: the profile cannot be built, the carrier doesn't match it, or a tool is missing.
    """
    netlist = make_circuit(profile)
    full_netlist, cables = expand_rows(profile, netlist), list_cables(profile, netlist)
    if misfits := check_fit(profile):
        raise PondError(Message("build.impossible.sizes", board=profile.name, faults=misfits))
    wiring_faults = (
        *check_netlist(full_netlist),
        *check_profile_match(profile, full_netlist),
        *check_cables(netlist),
        *check_magnets(profile),
    )
    if wiring_faults:
        raise PondError(Message("build.impossible.wiring", board=profile.name, faults=wiring_faults))
    is_designed = has_design(profile, netlist, folder)
    printed = printed_parts(profile)
    if print_faults := check_solids(profile, printed):
        raise PondError(Message("build.impossible.prints", board=profile.name, faults=print_faults))
    yield "netlist.txt", format_netlist(netlist).encode()
    yield f"{profile.name}.kicad_sch", draw_kicad_schematic(profile.name, netlist, (profile.title,)).encode()
    yield "wiring.md", format_wiring_page(profile, netlist, cables).encode()
    yield "parts.csv", format_parts_list(profile, netlist, cables, printed).encode()
    yield "power.md", format_power(profile, full_netlist, cables).encode()
    yield "assembly.md", format_assembly(profile, netlist, is_designed).encode()
    for sheet_name, sheet in draw_sheets(profile, netlist, cables, read_carrier(folder) if is_designed else None):
        yield f"drawings/{sheet_name}.svg", sheet.to_svg().encode()
    if not isinstance(profile.sensing.wiring, SimulatedWiring):
        yield "cell.svg", draw_cell(full_netlist).encode()
    if full_netlist.has_type("lamp"):
        yield "feed.svg", draw_feed(profile, full_netlist).encode()
    for part in printed:
        yield f"stl/{part.name}.stl", to_stl(part.solid)
        yield f"views/{part.name}.png", draw_part(part)
    yield "views/board.png", draw_board(printed)
    yield "views/apart.png", draw_exploded(printed, SolidLayout(profile))
    if profile.sensing.kind == "hall":
        yield "views/pieces.png", draw_pieces(printed)


def check_magnets(profile: Profile) -> Iterator[Message]:
    """Report pieces that a sensor would miss somewhere within the rim of their cell, or that move their neighbours."""
    if profile.sensing.kind != "hall":
        return
    layout, needed = SolidLayout(profile), min_field(profile)
    field, pull = find_sensor_field(layout), find_piece_force(layout)
    if field.own_field < needed:
        place = {"x": field.place.x, "y": field.place.y, "turn": field.place.turn}
        yield Message("magnets.too_weak", **place, field=field.own_field, needed=needed)
    if field.neighbour_field > needed / 4:
        yield Message("magnets.too_strong", field=field.neighbour_field, needed=needed)
    if pull.force > pull.friction:
        yield Message("magnets.pieces_move", force=pull.force, friction=pull.friction)


def min_field(profile: Profile) -> float:
    """Return the minimum field in mT that reliably triggers a sensor."""
    sensor_wiring = profile.sensing.wiring
    if isinstance(sensor_wiring, AnalogWiring):
        return sensor_wiring.on * 1000 * LOGIC_VOLTS / 1023 / HALL_SENSITIVITY
    return MIN_FIELD_MT


def build_folder(profile: Profile, folder: Path, show_name: Callable[[str], object] = str) -> int:
    """Write a board's files to a folder, remove the files of earlier builds, and return the number of files.

    `show_name` is called with the name of each file once it has been made.

    Raises:
        PondError: the board cannot be built, a tool is missing, or the folder contains other files.
        OSError: a file cannot be written.
    """
    stale_files = _find_built_files(folder)
    bytes_by_path = dict[Path, bytes]()
    for file_name, file_bytes in make_files(profile, folder):
        bytes_by_path[folder / file_name] = file_bytes
        show_name(file_name)
    for file_path, file_bytes in bytes_by_path.items():
        file_path.parent.mkdir(parents=True, exist_ok=True)
        file_path.write_bytes(file_bytes)
    for file_path in stale_files - bytes_by_path.keys():
        file_path.unlink()
    return len(bytes_by_path)


def _find_built_files(folder: Path) -> set[Path]:
    if not folder.exists():
        return set()
    if not folder.is_dir():
        raise PondError(Message("build.folder.not_a_folder", folder=str(folder)))
    file_names = sorted(file_path.name for file_path in folder.iterdir())
    # Check this first: the folder may be a whole disk.
    foreign = [] if "netlist.txt" in file_names else [name for name in file_names if name != "carrier"]
    file_paths = set() if foreign else {file_path for file_path in folder.rglob("*") if file_path.is_file()}
    file_paths = {file_path for file_path in file_paths if folder / "carrier" not in file_path.parents}
    foreign = foreign or sorted(file_path.name for file_path in file_paths if file_path.suffix not in FILE_SUFFIXES)
    if foreign:
        raise PondError(Message("build.folder.foreign", folder=str(folder), file=foreign[0]))
    return file_paths
