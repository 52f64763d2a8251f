"""All that is made for a board, as files in a folder of its name.

netlist.txt  wiring.md  wiring.svg  cell.svg  feed.svg  parts.csv  power.md  assembly.md
stl/NAME.stl   views/board.png  apart.png  pieces.png  NAME.png
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.netlist import format_netlist
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.pages import format_assembly, format_wiring_page
from pond_hw.fabrication.part_catalogue import FIELD_NEEDED, HALL_SENSITIVITY, LOGIC_VOLTS
from pond_hw.fabrication.parts_list import format_parts_list
from pond_hw.fabrication.power import format_power
from pond_hw.fabrication.schematic import draw_cell, draw_feed
from pond_hw.fabrication.solids.magnet_field import sensor_field
from pond_hw.fabrication.solids.mesh import to_stl
from pond_hw.fabrication.solids.pictures import draw_board, draw_exploded, draw_part, draw_piece_marks
from pond_hw.fabrication.solids.print_checks import check_fit, check_solids
from pond_hw.fabrication.solids.printed import printed_parts
from pond_hw.fabrication.wire_tracing import check_profile_match
from pond_hw.fabrication.wires import check_wires, list_wires
from pond_hw.fabrication.wiring_diagram import draw_wiring
from pond_hw.profile.board_profile import AnalogWiring, Profile, SimulatedWiring, TrellisWiring
from pond_hw.rules import PondError

FILE_SUFFIXES = {".txt", ".md", ".svg", ".csv", ".stl", ".png"}
"""How the names of all files end that are made."""


def make_files(profile: Profile) -> Iterator[tuple[str, bytes]]:
    """The files of a board, one after the other: path in the folder, and content.

    Raises:
        PondError: the board cannot be built as its profile has it, or a tool is missing.
    """
    netlist = make_circuit(profile)
    cut_wires = list_wires(profile, netlist)
    wiring_faults = (
        *check_netlist(netlist),
        *check_profile_match(profile, netlist),
        *check_wires(netlist, cut_wires),
        *check_magnets(profile),
    )
    _raise_faults(f"{profile.name} cannot be built as it is drawn", wiring_faults)
    _raise_faults(f"The parts of {profile.name} do not fit", check_fit(profile))
    printed = printed_parts(profile)
    _raise_faults(f"The parts of {profile.name} cannot be printed", check_solids(profile, printed))
    yield "netlist.txt", format_netlist(netlist).encode()
    yield "wiring.md", format_wiring_page(profile, netlist, cut_wires).encode()
    yield "wiring.svg", draw_wiring(profile, netlist).encode()
    yield "parts.csv", format_parts_list(profile, netlist, cut_wires, printed).encode()
    yield "power.md", format_power(profile, netlist, cut_wires).encode()
    yield "assembly.md", format_assembly(profile, netlist).encode()
    if not isinstance(profile.sensing.wiring, SimulatedWiring):
        yield "cell.svg", draw_cell(netlist).encode()
    if netlist.has_type("lamp"):
        yield "feed.svg", draw_feed(profile, netlist).encode()
    for part in printed:
        yield f"stl/{part.name}.stl", to_stl(part.solid)
        yield f"views/{part.name}.png", draw_part(part)
    yield "views/board.png", draw_board(printed)
    if not isinstance(profile.sensing.wiring, TrellisWiring):
        yield "views/apart.png", draw_exploded(printed)
    if profile.sensing.kind == "hall":
        yield "views/pieces.png", draw_piece_marks(printed)


def _raise_faults(fault_heading: str, fault_sentences: Sequence[str]) -> None:
    if fault_sentences:
        raise PondError(f"{fault_heading}:\n  " + "\n  ".join(fault_sentences))


def check_magnets(profile: Profile) -> Iterator[str]:
    """Whether the sensors would not feel the pieces, by the magnets' data sheet and their own."""
    if profile.sensing.kind != "hall":
        return
    felt_field, field_needed, reach_mm = sensor_field(profile), needed_field(profile), profile.body.reach_mm
    if felt_field.max_distance > reach_mm:
        yield (
            f"From a magnet to its sensor it is {felt_field.max_distance:.1f} mm, and body.reach_mm says {reach_mm:g}: "
            "write more if the sensor feels it there."
        )
    if felt_field.reach_field < field_needed:
        yield (
            f"At body.reach_mm, {reach_mm:g} mm, the magnets give {felt_field.reach_field:.1f} mT, and the sensors need "
            f"{field_needed:.1f}: take larger magnets, or write less."
        )
    if felt_field.neighbour_field > field_needed / 4:
        yield (
            f"A piece gives the sensor of the next cell {felt_field.neighbour_field:.1f} mT, and {field_needed:.1f} are felt: take "
            "smaller magnets, or a larger body.pitch_mm."
        )


def needed_field(profile: Profile) -> float:
    """The field at which a sensor is sure to feel a piece, in mT."""
    sensor_wiring = profile.sensing.wiring
    if isinstance(sensor_wiring, AnalogWiring):
        return sensor_wiring.on * 1000 * LOGIC_VOLTS / 1023 / HALL_SENSITIVITY
    return FIELD_NEEDED


def build_folder(profile: Profile, folder: Path, show_name: Callable[[str], object] = str) -> int:
    """Write a board's files into a folder, and clear away what an earlier build has left there; how many there are.

    Args:
        profile: of the board.
        folder: where to.
        show_name: is called with the name of each file that has been made.

    Raises:
        PondError: the board cannot be built, a tool is missing, or the folder holds something else.
        OSError: the files cannot be written.
    """
    left_over = _find_built_files(folder)
    bytes_by_path = dict[Path, bytes]()
    for file_name, file_bytes in make_files(profile):
        bytes_by_path[folder / file_name] = file_bytes
        show_name(file_name)
    for file_path, file_bytes in bytes_by_path.items():
        file_path.parent.mkdir(parents=True, exist_ok=True)
        file_path.write_bytes(file_bytes)
    for file_path in left_over - bytes_by_path.keys():
        file_path.unlink()
    return len(bytes_by_path)


def _find_built_files(folder: Path) -> set[Path]:
    """What an earlier build has made in a folder; it may hold nothing else."""
    if not folder.exists():
        return set()
    if not folder.is_dir():
        raise PondError(f"{folder} is no folder. Name another one.")
    file_names = sorted(file_path.name for file_path in folder.iterdir())
    foreign = file_names if "netlist.txt" not in file_names else []  # looked at first: it may be a whole disk
    file_paths = set() if foreign else {file_path for file_path in folder.rglob("*") if file_path.is_file()}
    foreign = foreign or sorted(file_path.name for file_path in file_paths if file_path.suffix not in FILE_SUFFIXES)
    if foreign:
        raise PondError(f"{folder} holds {foreign[0]}, which no build has made. Name another folder, or an empty one.")
    return file_paths
