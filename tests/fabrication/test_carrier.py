"""Netlists of carriers, and the committed designs, which must match them."""

import shutil
from collections import defaultdict

import pytest

from pond_hw.fabrication.carrier import count_joints, group_outside_parts, has_carrier, has_design, make_carrier
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.guide_pages import format_assembly
from pond_hw.fabrication.row_board import FEED_PINS, connector_pins
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile, parse_profile
from pond_hw.rules import PondError
from tests.conftest import each
from tests.fabrication.kicad.board_reading import read_board
from tests.fabrication.test_build_folder import ROOT, edited

ON_PI = ("direct-4x4", "hall-4x4", "matrix-5x5", "hall-5x5", "owner-4x4")
ON_PICO = ("usb-direct-4x4", "usb-hall-4x4", "usb-matrix-5x5")
CARRIED = (*ON_PI, *ON_PICO)
HARDWARE = ROOT / "hardware"


def built(name):
    profile = load_profile(name, measured=False)
    return profile, make_circuit(profile)


@each("name", CARRIED)
def test_carrier_joins_outside_parts_by_connectors(name):
    profile, netlist = built(name)
    carrier = make_carrier(profile, netlist)
    outside = {part.ref for group in group_outside_parts(netlist).values() for part in group}
    assert carrier.parts.keys() & netlist.parts.keys() == netlist.parts.keys() - outside
    connectors = {part.ref for part in carrier.parts_of_type("plug")}
    for net, ends in netlist.nets.items():
        here = {end for end in ends if end.part not in outside}
        leaves = any(end.part in outside for end in ends)
        if here or net in carrier.nets:
            assert {end for end in carrier.nets[net] if end.part not in connectors} == here
            assert leaves == any(end.part in connectors for end in carrier.nets[net]), net


@each("name", CARRIED)
def test_row_connectors_have_the_pins_of_row_boards(name):
    profile, netlist = built(name)
    carrier = make_carrier(profile, netlist)
    rows = [part for part in carrier.parts_of_type("plug") if part.value.startswith("row ")]
    assert len(rows) == profile.size
    for part in rows:
        assert [pin.name for pin in part.pins.values()][: len(FEED_PINS)] == list(FEED_PINS)
        assert part.pins == connector_pins(profile.size)


@each("name", CARRIED)
def test_panel_connectors_have_two_or_five_pins(name):
    carrier = make_carrier(*built(name))
    panel = [part for part in carrier.parts_of_type("plug") if not part.value.startswith("row ")]
    assert {len(part.pins) for part in panel} <= {2, 5}


def test_neotrellis_has_no_carrier():
    assert not has_carrier(built("neotrellis-4x4")[1])


def board_file(name):
    return (HARDWARE / name / "carrier" / f"{name}-carrier.kicad_pcb").read_text(encoding="utf-8")


@each("name", CARRIED)
def test_committed_design_matches_profile_nets(name):
    carrier = make_carrier(*built(name))
    joined = defaultdict(set)
    for pin in read_board(board_file(name)).pads:
        if pin.net and not pin.net.startswith("unconnected-"):
            joined[pin.net].add((pin.ref, pin.number))
    assert joined == {net: set(map(tuple, ends)) for net, ends in carrier.nets.items()}


def test_joints_by_hand_leave_out_socket_and_test_points():
    carrier = make_carrier(*built("matrix-5x5"))
    shifter, rows, header, panel, plug_and_fuse = 14 + 2, 5 * 10, 40, 2 + 2, 2 + 2
    resistors, cut_off, reservoir_and_lamp = 9 * 2, 3 + 3 + 3 + 2, 2 + 2
    wanted = shifter + rows + header + panel + plug_and_fuse + resistors + cut_off + reservoir_and_lamp
    assert count_joints(carrier) == wanted == 147


@each("name", CARRIED)
def test_has_design_with_and_without_folder(name, tmp_path):
    profile, netlist = built(name)
    assert has_design(profile, netlist, HARDWARE / name)
    assert not has_design(profile, netlist, tmp_path)


def test_guide_without_design_tells_how_to_get_one():
    profile, netlist = built("direct-4x4")
    guide = format_assembly(profile, netlist, is_designed=False)
    assert "There is no design for the carrier board" in guide
    assert format_assembly(profile, netlist, is_designed=True) != guide


def test_carrier_of_another_board_is_refused(tmp_path):
    shutil.copytree(HARDWARE / "direct-4x4" / "carrier", tmp_path / "carrier")
    profile = parse_profile(edited("direct-4x4", {"4  17  27": "17  4  27"}), "kitchen")
    with pytest.raises(PondError) as refused:
        has_design(profile, make_circuit(profile), tmp_path)
    assert refused.value.message == Message("build.other_carrier", board="kitchen", folder=str(tmp_path / "carrier"))
