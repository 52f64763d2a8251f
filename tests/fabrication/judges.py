"""What judges that are not ours say of the boards that ship, a line a board; it asserts nothing.

    .venv/bin/python -m tests.fabrication.judges

KiCad reads the schematic and the carrier board, ngspice the circuits of test_spice.py, and PrusaSlicer has sliced the
parts (sliced.toml). The tests beside this file are what must be so.
"""

import tempfile
from pathlib import Path

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.kicad.page import draw_kicad_schematic
from pond_hw.fabrication.solids.printed import find_sliced
from pond_hw.profile import load_profile
from tests.fabrication import test_spice as spice
from tests.fabrication.kicad import judge
from tests.fabrication.kicad.test_carrier import committed
from tests.fabrication.solids.boards import SHIPPED, built
from tests.fabrication.test_build_folder import ROOT
from tests.fabrication.test_carrier import CARRIED


def read_schematic(name):
    """What KiCad's rules find in the schematic, and whether its netlist is ours."""
    profile = load_profile(name, measured=False)
    netlist = make_circuit(profile)
    schematic = draw_kicad_schematic(profile, netlist)
    read, _ = judge.nets(schematic)
    same = read == {net: set(map(tuple, ends)) for net, ends in netlist.nets.items()}
    found = len(judge.errors(schematic))
    return f"ERC {found}, {len(read)} nets {'the same' if same else 'NOT THE SAME'}"


def read_carrier(name):
    """What KiCad's rules find on the carrier board: distances, what is not joined, what the schematic has otherwise."""
    if name not in CARRIED:
        return "no carrier"
    found = len(judge.board_faults(f"{name}-carrier", committed(ROOT / "hardware" / name / "carrier")))
    return f"DRC with parity {found}"


def simulate(name, folder):
    """What ngspice says of the circuits that this board has."""
    found = []
    if name in spice.WITH_LAMPS:
        seen = [spice.seen_by_the_lamp(folder, name, high)[:2] for kind, high in spice.pulses_sent() if kind == "high0"]
        shortest, longest = min(each[0] for each in seen), max(each[1] for each in seen)
        most, _ = spice.current_into_the_shifter(folder, name, clamp=False)
        found += [f"a 0 is high {shortest:.0f} to {longest:.0f} ns", f"lamps off: {most:.2f} mA"]
    if name == "matrix-5x5":
        level = spice.level_of_a_pressed_line(folder, pull_ohms=spice.PULL_UP_OHMS["pi"])
        found.append(f"pressed: {level:.3f} V")
    return ", ".join(found) or "no circuit of its own"


def read_parts(name):
    """How many printed parts there are, and what the slicer says they take."""
    known = [(find_sliced(part.solid), part.count) for part in built(name)]
    assert all(sliced for sliced, _ in known), "python -m tests.fabrication.slicer"
    minutes = sum(sliced.minutes * count for sliced, count in known)
    grams = sum(sliced.grams * count for sliced, count in known)
    return f"{len(known)} files sliced, {minutes / 60:.0f} h, {grams:.0f} g"


def main():
    """Print the lines."""
    missing = judge.missing()
    with tempfile.TemporaryDirectory() as folder:
        for name in SHIPPED:
            kicad = [missing] if missing else [read_schematic(name), read_carrier(name)]
            print(f"{name}: {'; '.join([*kicad, simulate(name, Path(folder)), read_parts(name)])}", flush=True)


if __name__ == "__main__":
    main()
