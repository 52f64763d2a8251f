"""All that is made for a board, as files in a folder of its name.

netlist.txt  wiring.md  wiring.svg  cell.svg  feed.svg  parts.csv  power.md  assembly.md
stl/NAME.stl   views/board.png  apart.png  pieces.png  NAME.png
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pond_hw.fabrication import part_catalogue
from pond_hw.fabrication.assembly import format_assembly
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.netlist import format_netlist
from pond_hw.fabrication.netlist_checks import check_netlist, check_profile_match
from pond_hw.fabrication.parts_list import format_parts_list
from pond_hw.fabrication.power import format_power
from pond_hw.fabrication.schematic import draw_cell, draw_feed
from pond_hw.fabrication.wires import check_wires, list_wires
from pond_hw.fabrication.wiring_diagram import draw_wiring
from pond_hw.fabrication.wiring_page import format_wiring_page
from pond_hw.profile.board_profile import AnalogWiring, Profile, SimulatedWiring, TrellisWiring
from pond_hw.rules import PondError

FILE_SUFFIXES = {".txt", ".md", ".svg", ".csv", ".stl", ".png"}
"""How the names of all files end that are made."""


def make_files(profile: Profile) -> Iterator[tuple[str, bytes]]:
    """The files of a board, one after the other: path in the folder, and content.

    Raises:
        PondError: the board cannot be built as its profile has it, or a tool is missing.
    """
    from pond_hw.fabrication import solids
    from pond_hw.fabrication.solids import pictures

    netlist = make_circuit(profile)
    cut = list_wires(profile, netlist)
    if faults := [
        *check_netlist(netlist),
        *check_profile_match(profile, netlist),
        *check_wires(netlist, cut),
        *check_magnets(profile),
    ]:
        raise PondError(f"{profile.name} cannot be built as it is drawn:\n  " + "\n  ".join(faults))
    if bad := solids.check_fit(profile):
        raise PondError(f"The parts of {profile.name} do not fit:\n  " + "\n  ".join(bad))
    printed = solids.printed_parts(profile)
    if bad := solids.check_solids(profile, printed):
        raise PondError(f"The parts of {profile.name} cannot be printed:\n  " + "\n  ".join(bad))
    texts = {
        "netlist.txt": format_netlist(netlist),
        "wiring.md": format_wiring_page(profile, netlist, cut),
        "wiring.svg": draw_wiring(profile, netlist),
        "parts.csv": format_parts_list(profile, netlist, cut, printed, solids.fasteners(profile)),
        "power.md": format_power(profile, netlist, cut),
        "assembly.md": format_assembly(profile, netlist),
    }
    if not isinstance(profile.sensing.wiring, SimulatedWiring):
        texts["cell.svg"] = draw_cell(profile, netlist)
    if any(netlist.parts_of_type("lamp")):
        texts["feed.svg"] = draw_feed(profile, netlist)
    for name, text in texts.items():
        yield name, text.encode("utf-8")
    for part in printed:
        yield f"stl/{part.name}.stl", solids.to_stl(part.solid)
        yield f"views/{part.name}.png", pictures.draw_part(part)
    yield "views/board.png", pictures.draw_board(printed)
    if not isinstance(profile.sensing.wiring, TrellisWiring):
        yield "views/apart.png", pictures.draw_exploded(printed)
    if profile.sensing.kind == "hall":
        yield "views/pieces.png", pictures.draw_piece_marks(printed)


def check_magnets(profile: Profile) -> Iterator[str]:
    """Whether the sensors would not feel the pieces, by the magnets' data sheet and their own."""
    from pond_hw.fabrication import solids

    if profile.sensing.kind != "hall":
        return
    felt, needs = solids.sensor_field(profile), needed_field(profile)
    if felt.max_distance > profile.body.reach_mm:
        yield (
            f"From a magnet to its sensor it is {felt.max_distance:.1f} mm, and body.reach_mm says {profile.body.reach_mm:g}: "
            "write more if the sensor feels it there."
        )
    if felt.reach_field < needs:
        yield (
            f"At body.reach_mm, {profile.body.reach_mm:g} mm, the magnets give {felt.reach_field:.1f} mT, and the sensors need "
            f"{needs:.1f}: take larger magnets, or write less."
        )
    if felt.neighbour_field > needs / 4:
        yield (
            f"A piece gives the sensor of the next cell {felt.neighbour_field:.1f} mT, and {needs:.1f} are felt: take "
            "smaller magnets, or a larger body.pitch_mm."
        )


def needed_field(profile: Profile) -> float:
    """The field at which a sensor is sure to feel a piece, in mT."""
    wiring = profile.sensing.wiring
    if isinstance(wiring, AnalogWiring):
        return wiring.on * 1000 * part_catalogue.LOGIC_VOLTS / 1023 / part_catalogue.HALL_SENSITIVITY
    return part_catalogue.FIELD_NEEDED


def build_folder(profile: Profile, folder: Path, told: Callable[[str], object] = str) -> int:
    """Write a board's files into a folder, and clear away what an earlier build has left there; how many there are.

    Args:
        profile: of the board.
        folder: where to.
        told: is told the name of each file that has been made.

    Raises:
        PondError: the board cannot be built, a tool is missing, or the folder holds something else.
        OSError: the files cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise PondError(f"{folder} is no folder. Name another one.")
    names = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    if names and "netlist.txt" not in names:  # looked at first: it may be a whole disk
        raise _foreign_file_error(folder, names[0])
    there = {path for path in folder.rglob("*") if path.is_file()}
    if strange := sorted(path.name for path in there if path.suffix not in FILE_SUFFIXES):
        raise _foreign_file_error(folder, strange[0])
    files = dict[str, bytes]()
    for name, data in make_files(profile):
        files[name] = data
        told(name)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for path in there - {folder / name for name in files}:
        path.unlink()
    return len(files)


def _foreign_file_error(folder: Path, name: str) -> PondError:
    return PondError(f"{folder} holds {name}, which no build has made. Name another folder, or an empty one.")
