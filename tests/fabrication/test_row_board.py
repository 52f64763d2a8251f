"""Row boards: their netlists, and whole boards that consist of them."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from pond_hw.fabrication.circuit import GROUND_NET, LAMP_SUPPLY_NET, make_circuit
from pond_hw.fabrication.netlist import PartPin, find_pin
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.row_board import (
    COMMON_PIN,
    DATA_IN_PIN,
    DATA_OUT_PIN,
    FEED_PINS,
    GROUND_PIN,
    ROW_PARTS,
    SUPPLY_PIN,
    expand_rows,
    make_row_netlist,
)
from pond_hw.fabrication.wire_tracing import check_profile_match, lamp_chain, sensor_routes
from pond_hw.messages.message import Message, PondError
from pond_hw.profile import load_profile, parse_profile
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.profile.row_boards import LAMPS_PER_CELL, chain_positions, find_mismatch
from pond_hw.rules import get_grid
from tests.conftest import each
from tests.fabrication.faulty_netlists import make_full_circuit, remove_parts, remove_pins, short_nets, swap_pins
from tests.fabrication.profiles import mismatched_profiles, profiles
from tests.messages.says import text

BUILT = (
    "direct-4x4",
    "hall-4x4",
    "owner-4x4",
    "matrix-5x5",
    "hall-5x5",
    "usb-direct-4x4",
    "usb-hall-4x4",
    "usb-matrix-5x5",
)


def expanded(name):
    profile = load_profile(name, measured=False)
    return profile, make_full_circuit(profile)


def find_faults(profile, netlist):
    return [*check_netlist(netlist), *check_profile_match(profile, netlist)]


@each("name", BUILT)
def test_expanded_board_has_no_faults(name):
    assert find_faults(*expanded(name)) == []


@each("name", BUILT)
def test_every_cell_has_a_sensor_and_four_lamps(name):
    profile, netlist = expanded(name)
    cells = get_grid(profile.size).cells
    assert sensor_routes(netlist).keys() == set(cells)
    lamps = [part for part in netlist.parts_of_type("lamp") if part.cell]
    assert sorted((lamp.cell, lamp.index) for lamp in lamps) == sorted(
        (cell, index) for cell in cells for index in range(LAMPS_PER_CELL)
    )


@each("name", BUILT)
def test_chain_passes_the_cells_as_the_profile_says(name):
    profile, netlist = expanded(name)
    _, lamps = lamp_chain(netlist)
    cells = get_grid(profile.size).cells
    by_place = {(lamp.cell, lamp.index): number for number, lamp in enumerate(lamps)}
    positions = [by_place[cell, index] for cell in cells for index in range(LAMPS_PER_CELL)]
    assert tuple(positions) == profile.chain.cell_positions == chain_positions(profile.size)


@each("kind", ("switch", "magnet"))
def test_connectors_of_all_row_boards_begin_alike(kind):
    for size in (4, 5):
        connector = make_row_netlist(kind, size).parts["J1"]
        assert [pin.name for pin in connector.pins.values()][: len(FEED_PINS)] == list(FEED_PINS)
        assert len(connector.pins) == len(FEED_PINS) + size


def swap_parts(netlist, one, other):
    """Exchange the cables of two row boards."""
    swap = {one: other, other: one}
    nets = {net: [PartPin(swap.get(end.part, end.part), end.pin) for end in ends] for net, ends in netlist.nets.items()}
    return replace(netlist, nets={net: tuple(ends) for net, ends in nets.items()})


def row_pin(netlist, ref, pin_name):
    return find_pin(netlist.parts[ref], pin_name)


def swap_cable_wires(netlist, ref, one, other):
    return swap_pins(netlist, row_pin(netlist, ref, one), row_pin(netlist, ref, other))


def move_common(netlist, net):
    """Join pin 5 of row 1 to another net of the carrier board."""
    common = row_pin(netlist, "ROW1", COMMON_PIN)
    nets = remove_pins(netlist, common).nets
    return replace(netlist, nets={name: (*ends, common) if name == net else ends for name, ends in nets.items()})


def reverse_cable(netlist, ref):
    """Reverse the order of a cable's wires in one plug."""
    last = len(netlist.parts[ref].pins) + 1
    nets = {
        net: tuple(PartPin(ref, str(last - int(end.pin))) if end.part == ref else end for end in ends)
        for net, ends in netlist.nets.items()
    }
    return replace(netlist, nets=nets)


CABLE_FAULTS = {
    "row cables swapped": (
        "direct-4x4",
        lambda board: swap_parts(board, "ROW1", "ROW2"),
        {"netlist.match.sensor", "netlist.match.chain"},
    ),
    "row cables of a matrix swapped": (
        "matrix-5x5",
        lambda board: swap_parts(board, "ROW5", "ROW2"),
        {"netlist.match.sensor", "netlist.match.chain"},
    ),
    "data line broken between rows": (
        "hall-4x4",
        lambda board: remove_pins(board, row_pin(board, "ROW3", DATA_OUT_PIN)),
        {"netlist.open.net", "netlist.driver.none", "netlist.match.chain"},
    ),
    "data in and data out swapped": (
        "hall-4x4",
        lambda board: swap_cable_wires(board, "ROW3", DATA_IN_PIN, DATA_OUT_PIN),
        {"netlist.match.chain"},
    ),
    "wires of two cells swapped": (
        "hall-5x5",
        lambda board: swap_cable_wires(board, "ROW2", "cell 1", "cell 5"),
        {"netlist.match.sensor"},
    ),
    "ground missing": (
        "owner-4x4",
        lambda board: remove_pins(board, row_pin(board, "ROW4", GROUND_PIN)),
        {"netlist.open.pin"},
    ),
    "lamp supply and ground swapped": (
        "direct-4x4",
        lambda board: swap_cable_wires(board, "ROW4", GROUND_PIN, SUPPLY_PIN),
        {"netlist.supply.no_ground", "netlist.supply.none"},
    ),
    "5 V on pin 5 of a magnet board": (
        "hall-5x5",
        lambda board: move_common(board, LAMP_SUPPLY_NET),
        {"netlist.voltage.too_high"},
    ),
    "ground on pin 5 of a magnet board": (
        "hall-4x4",
        lambda board: move_common(board, GROUND_NET),
        {"netlist.supply.none"},
    ),
    "driven line of another row on pin 5": (
        "matrix-5x5",
        lambda board: move_common(board, board.net_of(row_pin(board, "ROW2", COMMON_PIN))),
        {"netlist.match.sensor"},
    ),
    "5 V on pin 5 of a switch board": (
        "direct-4x4",
        lambda board: move_common(board, LAMP_SUPPLY_NET),
        {"netlist.switch.no_effect", "netlist.match.sensor"},
    ),
    "plug at the wrong way round": (
        "matrix-5x5",
        lambda board: reverse_cable(board, "ROW3"),
        {"netlist.supply.no_ground", "netlist.supply.none", "netlist.match.sensor", "netlist.match.chain"},
    ),
}


@each("fault", CABLE_FAULTS)
def test_cable_fault_is_found(fault):
    name, plant, wanted = CABLE_FAULTS[fault]
    profile = load_profile(name, measured=False)
    netlist = expand_rows(profile, plant(make_circuit(profile)))
    found = {message.id for message in find_faults(profile, netlist)}
    assert wanted <= found, found


DESIGN_FAULTS = {
    "diode turned": (
        "matrix-5x5",
        lambda row: swap_pins(row, PartPin("D1", "1"), PartPin("D1", "2")),
        "netlist.match.sensor",
        "a",
    ),
    "diode bridged": (
        "matrix-5x5",
        lambda row: short_nets(row, COMMON_PIN, "switch 2"),
        "netlist.short",
        "b",
    ),
    "switch bypasses its diode": (
        "matrix-5x5",
        lambda row: swap_pins(row, PartPin("SW3", "2"), PartPin("D3", "2")),
        "netlist.match.sensor",
        "c",
    ),
    "sensor outputs swapped": (
        "hall-4x4",
        lambda row: swap_pins(row, PartPin("U1", "3"), PartPin("U2", "3")),
        "netlist.match.sensor",
        "ab",
    ),
    "sensor turned round": (
        "hall-5x5",
        lambda row: swap_pins(row, PartPin("U4", "1"), PartPin("U4", "2")),
        "netlist.supply.none",
        "d",
    ),
    "capacitor of a sensor missing": (
        "owner-4x4",
        lambda row: remove_parts(row, "C17"),
        "netlist.capacitor.missing",
        "a",
    ),
    "two lamps exchanged": (
        "usb-hall-4x4",
        lambda row: swap_pins(
            swap_pins(row, PartPin("LED2", "2"), PartPin("LED3", "2")), PartPin("LED2", "4"), PartPin("LED3", "4")
        ),
        "netlist.match.chain",
        "",
    ),
}
"""Mistakes in the design of a row board: a board, the mistake, the message, and the letters of the cells that it names."""


@each("fault", DESIGN_FAULTS)
def test_row_design_fault_is_found_in_every_row(fault, monkeypatch):
    name, plant, wanted, columns = DESIGN_FAULTS[fault]
    monkeypatch.setattr(
        "pond_hw.fabrication.row_board.make_row_netlist", lambda *arguments: plant(make_row_netlist(*arguments))
    )
    profile, netlist = expanded(name)
    found = [message for message in find_faults(profile, netlist) if message.id == wanted]
    named = " ".join(str(argument) for message in found for argument in message.arguments.values())
    assert set(re.findall(r"\b[a-e][1-5]\b", named.replace("_", " "))) == {
        f"{letter}{row}" for letter in columns for row in range(1, profile.size + 1)
    }
    assert found


def test_missing_lamp_capacitor_is_found():
    profile, netlist = expanded("direct-4x4")
    faults = find_faults(profile, remove_parts(netlist, "C_D9"))
    assert faults == [Message("netlist.capacitor.missing", part="D9")]


@settings(max_examples=40, deadline=None)
@given(mismatched_profiles())
def test_board_unlike_the_row_boards_is_refused(drawn):
    profile, reason = drawn
    like = "hall-4x4" if profile.size == 4 else "matrix-5x5"
    wanted = Message(f"build.mismatch.{reason}", board="any", size=profile.size, like=like)
    with pytest.raises(PondError) as refused:
        make_circuit(profile)
    assert refused.value.message == wanted
    assert "any" in text(wanted)


@each("lamps", ["[strips]\nlight = [66, 67]\ndark = [68, 69]\n", "unused"])
def test_board_with_further_lamps_is_refused(lamps):
    profile_text = (BOARDS_FOLDER / "hall-4x4.toml").read_text(encoding="utf-8").replace("count = 66", "count = 70")
    if lamps == "unused":
        profile_text = profile_text.replace("count = 70", "count = 70\nunused = [66, 67, 68, 69]")
    else:
        profile_text += f"\n{lamps}"
    assert find_mismatch(parse_profile(profile_text, "mine")) == "lamps"


@settings(max_examples=20, deadline=None)
@given(profiles())
def test_random_board_of_row_boards_has_no_faults(profile):
    assert find_faults(profile, make_full_circuit(profile)) == []


@each("name, reason", [("simulated-4x4", "simulated"), ("neotrellis-4x4", "simulated")])
def test_simulated_boards_have_no_row_boards(name, reason):
    assert find_mismatch(load_profile(name, measured=False)) == reason


def test_netlist_names_row_boards_instead_of_their_parts():
    netlist = make_circuit(load_profile("hall-5x5", measured=False))
    assert [part.ref for part in netlist.parts_of_type(*ROW_PARTS)] == ["ROW5", "ROW4", "ROW3", "ROW2", "ROW1"]
    assert not netlist.has_type("hall", "linear hall", "button")
