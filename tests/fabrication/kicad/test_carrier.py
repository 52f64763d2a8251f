"""Committed carrier boards, checked by KiCad."""

import math
import re

import pytest

from pond_hw.fabrication.carrier import NETLIST_FILE, make_carrier
from tests.fabrication.kicad.cli import board_faults, errors, kicad, nets
from tests.fabrication.test_build_folder import ROOT
from tests.fabrication.test_carrier import CARRIED, built
from tools.pcb.maker import EXPORT_SUFFIXES


def segment_length(line):
    return math.dist(*(map(float, ends.split()) for ends in re.findall(r"\((?:start|end) ([-\d. ]+)\)", line)))


def committed(folder):
    ours = (path for path in folder.iterdir() if not path.name.endswith((*EXPORT_SUFFIXES, NETLIST_FILE)))
    return {path.name: path.read_text(encoding="utf-8") for path in ours}


@pytest.mark.slow
@pytest.mark.parametrize("name", CARRIED)
def test_kicad_finds_no_fault_on_committed_board(name):
    folder = ROOT / "hardware" / name / "carrier"
    made = committed(folder)
    assert errors(made[f"{name}-carrier.kicad_sch"], ignored={"footprint_link_issues"}) == []
    assert board_faults(f"{name}-carrier", made) == []
    carrier = make_carrier(*built(name))
    read, _ = nets(made[f"{name}-carrier.kicad_sch"])
    assert read == {net: set(map(tuple, ends)) for net, ends in carrier.nets.items()}


@pytest.mark.slow
def test_kicad_finds_missing_and_crossing_tracks():
    name = "direct-4x4-carrier"
    folder = ROOT / "hardware" / "direct-4x4" / "carrier"
    made = committed(folder)
    board = made[f"{name}.kicad_pcb"]
    segments = re.findall(r"^\(segment .*\n", board, re.MULTILINE)
    longest = max(segments, key=segment_length)
    lost = {**made, f"{name}.kicad_pcb": board.replace(longest, "")}
    assert "unconnected_items" in {kind for kind, *_ in board_faults(name, lost)}
    across = '(segment (start 45 60) (end 118 60) (width 0.25) (layer "B.Cu") (net 1))\n'
    shorted = {**made, f"{name}.kicad_pcb": board.replace(segments[-1], across + segments[-1])}
    assert {kind for kind, *_ in board_faults(name, shorted)} & {"shorting_items", "clearance", "tracks_crossing"}


@pytest.mark.slow
def test_kicad_finds_netlist_difference():
    name = "matrix-5x5-carrier"
    folder = ROOT / "hardware" / "matrix-5x5" / "carrier"
    made = committed(folder)
    made[f"{name}.kicad_sch"] = made[f"{name}.kicad_sch"].replace('(label "sense 17"', '(label "sense 99"')
    assert "net_conflict" in {kind for kind, *_ in board_faults(name, made)}


@pytest.mark.slow
def test_gerber_archive_has_all_holes_and_layers():
    folder, name = ROOT / "hardware" / "hall-4x4" / "carrier", "hall-4x4-carrier"
    board = (folder / f"{name}.kicad_pcb").read_text(encoding="utf-8")
    with kicad({f"{name}.kicad_pcb": board}) as (place, call):
        call("pcb", "export", "gerbers", "-o", "gerbers/", f"{name}.kicad_pcb")
        call("pcb", "export", "drill", "-o", "gerbers/", f"{name}.kicad_pcb")
        drilled = (place / "gerbers" / f"{name}.drl").read_text()
        copper = {layer: (place / "gerbers" / f"{name}-{layer}").read_text() for layer in ("F_Cu.gtl", "B_Cu.gbl")}
        assert {"Edge_Cuts", "F_Mask", "B_Mask", "F_Silkscreen"} <= {
            path.stem.removeprefix(f"{name}-") for path in (place / "gerbers").iterdir()
        }
    holes = len(re.findall(r"^X[-\d.]+Y[-\d.]+$", drilled, re.MULTILINE))
    slots = len(re.findall(r"^X[-\d.]+Y[-\d.]+G85X", drilled, re.MULTILINE))
    assert holes + slots == board.count("(drill ") > 150
    assert slots == board.count("(drill oval ") == 4
    for layer, sign in (("F_Cu.gtl", "F.Cu"), ("B_Cu.gbl", "B.Cu")):
        segments = len(re.findall(rf'^\(segment .*"{re.escape(sign)}"', board, re.MULTILINE))
        assert copper[layer].count("D01*") >= segments > 50
