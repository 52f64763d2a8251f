"""Print what KiCad, ngspice and PrusaSlicer report about the shipped boards, one line each.

    .venv/bin/python -m tests.fabrication.external_tools

KiCad checks the schematic and the carrier board, and ngspice simulates the circuits of test_spice.py. PrusaSlicer's
results come from sliced.toml.
"""

import tempfile
from pathlib import Path

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.kicad.page import draw_kicad_schematic
from pond_hw.fabrication.solids.printed import find_sliced
from pond_hw.profile import load_profile
from tests.fabrication import test_spice as spice
from tests.fabrication.kicad import cli
from tests.fabrication.kicad.test_carrier import committed
from tests.fabrication.solids.boards import SHIPPED, built
from tests.fabrication.test_build_folder import ROOT
from tests.fabrication.test_carrier import CARRIED


def check_schematic(name):
    profile = load_profile(name, measured=False)
    netlist = make_circuit(profile)
    schematic = draw_kicad_schematic(profile.name, netlist, (profile.title,))
    read, _ = cli.nets(schematic)
    same = read == {net: set(map(tuple, ends)) for net, ends in netlist.nets.items()}
    found = len(cli.errors(schematic))
    return f"ERC {found}, {len(read)} nets {'the same' if same else 'NOT THE SAME'}"


def check_carrier(name):
    if name not in CARRIED:
        return "no carrier"
    found = len(cli.board_faults(f"{name}-carrier", committed(ROOT / "hardware" / name / "carrier")))
    return f"DRC with parity {found}"


def simulate(name, folder):
    found = []
    if name in spice.WITH_LAMPS:
        seen = [spice.pulse_at_lamp(folder, name, high)[:2] for kind, high in spice.list_pulses() if kind == "high0"]
        shortest, longest = min(each[0] for each in seen), max(each[1] for each in seen)
        most, _ = spice.shifter_current(folder, name, clamp=False)
        found += [f"a 0 is high {shortest:.0f} to {longest:.0f} ns", f"lamps off: {most:.2f} mA"]
    if name in spice.SUPPLIED:
        high, reversed_supply = (spice.plug_in(folder, spice.supplied(name), volts) for volts in (12.0, -12.0))
        found.append(f"at 12 V: lamps {high['lamp_max']:.2f} V, reversed {reversed_supply['lamp_min']:.2f} V")
    if name == "matrix-5x5":
        level = spice.pressed_line_level(folder, pull_ohms=spice.PULL_UP_OHMS["pi"])
        found.append(f"pressed: {level:.3f} V")
    return ", ".join(found) or "no circuit of its own"


def summarize_parts(name):
    known = [(find_sliced(part.solid), part.count) for part in built(name)]
    assert all(sliced for sliced, _ in known), "run python -m tests.fabrication.slicer"
    minutes = sum(sliced.minutes * count for sliced, count in known)
    grams = sum(sliced.grams * count for sliced, count in known)
    return f"{len(known)} files sliced, {minutes / 60:.0f} h, {grams:.0f} g"


def main():
    missing = cli.missing()
    with tempfile.TemporaryDirectory() as folder:
        for name in SHIPPED:
            kicad = [missing] if missing else [check_schematic(name), check_carrier(name)]
            print(f"{name}: {'; '.join([*kicad, simulate(name, Path(folder)), summarize_parts(name)])}", flush=True)


if __name__ == "__main__":
    main()
