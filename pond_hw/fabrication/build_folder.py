"""All that is made for a board, as files in a folder of its name.

netlist.txt  wiring.md  wiring.svg  cell.svg  feed.svg  parts.csv  power.md  assembly.md
stl/NAME.stl   views/board.png  apart.png  pieces.png  NAME.png
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pond_hw.fabrication import part_catalogue
from pond_hw.fabrication.assembly import assembly
from pond_hw.fabrication.circuit import circuit
from pond_hw.fabrication.netlist import listing
from pond_hw.fabrication.netlist_checks import differing, wrong
from pond_hw.fabrication.parts_list import bill
from pond_hw.fabrication.power import power
from pond_hw.fabrication.schematic import cell_schematic, feed_schematic
from pond_hw.fabrication.wires import thin, wires
from pond_hw.fabrication.wiring_diagram import diagram
from pond_hw.fabrication.wiring_page import wiring_page
from pond_hw.profile.board_profile import Analog, Pretended, Profile, Trellis
from pond_hw.rules import PondError

SUFFIXES = {".txt", ".md", ".svg", ".csv", ".stl", ".png"}
"""How the names of all files end that are made."""


def made(profile: Profile) -> Iterator[tuple[str, bytes]]:
    """The files of a board, one after the other: path in the folder, and content.

    Raises:
        PondError: the board cannot be built as its profile has it, or a tool is missing.
    """
    from pond_hw.fabrication import solids
    from pond_hw.fabrication.solids import pictures

    netlist = circuit(profile)
    cut = wires(profile, netlist)
    if faults := [*wrong(netlist), *differing(profile, netlist), *thin(netlist, cut), *unfelt(profile)]:
        raise PondError(f"{profile.name} cannot be built as it is drawn:\n  " + "\n  ".join(faults))
    if bad := solids.fits(profile):
        raise PondError(f"The parts of {profile.name} do not fit:\n  " + "\n  ".join(bad))
    printed = solids.parts(profile)
    if bad := solids.wrong(profile, printed):
        raise PondError(f"The parts of {profile.name} cannot be printed:\n  " + "\n  ".join(bad))
    texts = {
        "netlist.txt": listing(netlist),
        "wiring.md": wiring_page(profile, netlist, cut),
        "wiring.svg": diagram(profile, netlist),
        "parts.csv": bill(profile, netlist, cut, printed, solids.fasteners(profile)),
        "power.md": power(profile, netlist, cut),
        "assembly.md": assembly(profile, netlist),
    }
    if not isinstance(profile.sensing.wiring, Pretended):
        texts["cell.svg"] = cell_schematic(profile, netlist)
    if any(netlist.of("lamp")):
        texts["feed.svg"] = feed_schematic(profile, netlist)
    for name, text in texts.items():
        yield name, text.encode("utf-8")
    for part in printed:
        yield f"stl/{part.name}.stl", solids.stl(part.solid)
        yield f"views/{part.name}.png", pictures.portrait(part)
    yield "views/board.png", pictures.whole(printed)
    if not isinstance(profile.sensing.wiring, Trellis):
        yield "views/apart.png", pictures.exploded(printed)
    if profile.sensing.kind == "hall":
        yield "views/pieces.png", pictures.faces(printed)


def unfelt(profile: Profile) -> Iterator[str]:
    """Whether the sensors would not feel the pieces, by the magnets' data sheet and their own."""
    from pond_hw.fabrication import solids

    if profile.sensing.kind != "hall":
        return
    felt, needs = solids.sensing(profile), needed(profile)
    if felt.distance > profile.body.reach:
        yield (
            f"From a magnet to its sensor it is {felt.distance:.1f} mm, and body.reach_mm says {profile.body.reach:g}: "
            "write more if the sensor feels it there."
        )
    if felt.reach < needs:
        yield (
            f"At body.reach_mm, {profile.body.reach:g} mm, the magnets give {felt.reach:.1f} mT, and the sensors need "
            f"{needs:.1f}: take larger magnets, or write less."
        )
    if felt.next_door > needs / 4:
        yield (
            f"A piece gives the sensor of the next cell {felt.next_door:.1f} mT, and {needs:.1f} are felt: take "
            "smaller magnets, or a larger body.pitch_mm."
        )


def needed(profile: Profile) -> float:
    """The field at which a sensor is sure to feel a piece, in mT."""
    wiring = profile.sensing.wiring
    if isinstance(wiring, Analog):
        return wiring.on * 1000 * part_catalogue.LOGIC / 1023 / part_catalogue.SENSITIVITY
    return part_catalogue.FIELD_NEEDED


def build(profile: Profile, folder: Path, told: Callable[[str], object] = str) -> int:
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
        raise _strange(folder, names[0])
    there = {path for path in folder.rglob("*") if path.is_file()}
    if strange := sorted(path.name for path in there if path.suffix not in SUFFIXES):
        raise _strange(folder, strange[0])
    files = dict[str, bytes]()
    for name, data in made(profile):
        files[name] = data
        told(name)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for path in there - {folder / name for name in files}:
        path.unlink()
    return len(files)


def _strange(folder: Path, name: str) -> PondError:
    return PondError(f"{folder} holds {name}, which no build has made. Name another folder, or an empty one.")
