"""Netlists of carriers, and the committed designs, which must match them."""

import shutil
from collections import defaultdict

import pytest
from pond_hw.fabrication.wires import is_on_board

from pond_hw.fabrication.carrier import can_carry, count_joints, make_carrier, read_carrier
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.guide_pages import format_assembly
from pond_hw.fabrication.netlist import Netlist
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile, parse_profile
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.rules import PondError
from tests.board.benches import with_pcf8575s
from tests.conftest import each
from tests.fabrication.kicad.board_reading import read_board
from tests.fabrication.test_build_folder import ROOT, edited

CARRIED = ("direct-4x4", "hall-4x4", "matrix-5x5", "hall-5x5", "owner-4x4")
HARDWARE = ROOT / "hardware"


def built(name):
    profile = load_profile(name, measured=False)
    return profile, make_circuit(profile)


@each("name", CARRIED)
def test_carrier_has_all_strip_board_parts_and_connectors(name):
    profile, netlist = built(name)
    carrier = make_carrier(profile, netlist)
    strip = {ref for ref, part in netlist.parts.items() if is_on_board(part) and ref != "B1"}
    assert strip <= carrier.parts.keys()
    connectors = {part.ref for part in carrier.parts_of_type("plug", "terminal")}
    for net, ends in netlist.nets.items():
        here = {end for end in ends if end.part in carrier.parts}
        outside = {end for end in ends if end.part not in carrier.parts and end.part != "B1"}
        if here:
            assert {end for end in carrier.nets[net] if end.part not in connectors} == here
            assert bool(outside) == any(end.part in connectors for end in carrier.nets[net]), net
        else:
            assert net not in carrier.nets


def test_chip_without_footprint_goes_on_strip_board():
    text = (BOARDS_FOLDER / "hall-4x4.toml").read_text(encoding="utf-8")
    for source, is_carried in ((text, True), (with_pcf8575s(text), False)):
        profile = parse_profile(source, "mine")
        assert can_carry(profile, make_circuit(profile)) == is_carried


def board_file(name):
    return (HARDWARE / name / "carrier" / f"{name}-carrier.kicad_pcb").read_text(encoding="utf-8")


@each("name", CARRIED)
def test_committed_design_matches_profile_nets(name):
    carrier = make_carrier(*built(name))
    pins, _, _ = read_board(board_file(name))
    joined = defaultdict(set)
    for pin in pins:
        if pin.net and not pin.net.startswith("unconnected-"):
            joined[pin.net].add((pin.ref, pin.number))
    assert joined == {net: set(map(tuple, ends)) for net, ends in carrier.nets.items()}
    assert len(pins) == count_joints(carrier)


@each("name", CARRIED)
def test_read_carrier_with_and_without_design(name, tmp_path):
    profile, netlist = built(name)
    carrier = read_carrier(profile, netlist, HARDWARE / name)
    assert isinstance(carrier, Netlist)
    assert carrier == make_carrier(profile, netlist)
    assert read_carrier(profile, netlist, tmp_path) is None


def test_guide_without_carrier_design_has_only_strip_board():
    profile, netlist = built("direct-4x4")
    guide = format_assembly(profile, netlist, None)
    assert "between the four standoffs" in guide
    assert "explains how to get one" in guide
    assert "carrier/" not in guide
    assert "first way" not in guide


def test_carrier_of_another_board_is_refused(tmp_path):
    shutil.copytree(HARDWARE / "direct-4x4" / "carrier", tmp_path / "carrier")
    profile = parse_profile(edited("direct-4x4", {"4  17  27": "17  4  27"}), "kitchen")
    with pytest.raises(PondError) as refused:
        read_carrier(profile, make_circuit(profile), tmp_path)
    assert refused.value.message == Message("build.other_carrier", board="kitchen", folder=str(tmp_path / "carrier"))
