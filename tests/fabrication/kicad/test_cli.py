"""KiCad's checks of our schematics: no errors, the same nets, and every planted fault is found."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.kicad.page import draw_kicad_schematic
from pond_hw.fabrication.netlist import PartPin
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.row_board import expand_rows
from pond_hw.fabrication.wire_tracing import check_profile_match
from pond_hw.profile import load_profile
from tests.fabrication.faulty_netlists import remove_pins, replace_part, swap_pins
from tests.fabrication.kicad.cli import errors, nets
from tests.fabrication.profiles import profiles
from tests.fabrication.solids.boards import SHIPPED

pytestmark = pytest.mark.slow


def check_kicad_netlist(profile, netlist):
    schematic = draw_kicad_schematic(profile.name, netlist, (profile.title,))
    read, values = nets(schematic)
    assert read == {name: set(map(tuple, ends)) for name, ends in netlist.nets.items()}
    assert values == {part.ref: part.value or PART_TYPES[part.part_type].short_name for part in netlist.parts.values()}
    return schematic


@pytest.mark.parametrize("name", SHIPPED)
def test_kicad_reads_our_nets_without_errors(name):
    profile = load_profile(name, measured=False)
    assert errors(check_kicad_netlist(profile, make_circuit(profile))) == []


@settings(deadline=None, max_examples=3, suppress_health_check=[HealthCheck.too_slow])
@given(profiles())
def test_kicad_reads_random_board(profile):
    assert errors(check_kicad_netlist(profile, make_circuit(profile))) == []


def move_pin(netlist, end, net):
    nets = {name: tuple(each for each in ends if each != end) for name, ends in netlist.nets.items()}
    return replace(netlist, nets={**nets, net: (*nets[net], end)})


def without_header_pin(netlist, number):
    """Remove a header pin from nets and parts."""
    pins = {each: pin for each, pin in netlist.parts["J1"].pins.items() if each != number}
    return replace_part(remove_pins(netlist, PartPin("J1", number)), replace(netlist.parts["J1"], pins=pins))


FAULTS = {
    "a chip has no supply": ("hall-4x4", lambda board: remove_pins(board, PartPin("U20", "9"))),
    "an address pin floats": ("hall-4x4", lambda board: remove_pins(board, PartPin("U21", "15"))),
    "two outputs share a wire": ("direct-4x4", lambda board: move_pin(board, PartPin("U1", "6"), "data 5 V")),
    "the fuse is missing": ("direct-4x4", lambda board: remove_pins(board, PartPin("F1", "1"))),
    "no data from the Pi": ("direct-4x4", lambda board: without_header_pin(board, "19")),
    "two select lines swapped": (
        "hall-5x5",
        lambda board: swap_pins(board, PartPin("U_A", "10"), PartPin("U_B", "10")),
    ),
    "data in and data out of a row swapped": (
        "matrix-5x5",
        lambda board: swap_pins(board, PartPin("ROW3", "3"), PartPin("ROW3", "4")),
    ),
}

FOUND_BY = {
    "a chip has no supply": {"KiCad", "rules"},
    "an address pin floats": {"KiCad", "rules", "profile"},
    "two outputs share a wire": {"KiCad", "rules"},
    "the fuse is missing": {"KiCad", "rules"},
    "no data from the Pi": {"rules", "profile"},  # KiCad accepts a resistor to ground as a driver
    "two select lines swapped": {"profile"},  # a valid circuit, but not what the drivers expect
    "data in and data out of a row swapped": {"rules", "profile"},  # KiCad doesn't look into a row board
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_schematic_faults_are_found(fault):
    name, plant = FAULTS[fault]
    profile = load_profile(name, measured=False)
    netlist = plant(make_circuit(profile))
    full_netlist = expand_rows(profile, netlist)
    found = {
        "KiCad": errors(check_kicad_netlist(profile, netlist)),
        "rules": check_netlist(full_netlist),
        "profile": list(check_profile_match(profile, full_netlist)),
    }
    assert {tool for tool, words in found.items() if words} == FOUND_BY[fault], found
