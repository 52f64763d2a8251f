"""Row boards: their netlists, and whole boards that consist of them."""

from dataclasses import replace

import pytest

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.netlist import Netlist, PartPin
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.row_board import FEED_PINS, ROW_PARTS, expand_rows, make_row_netlist
from pond_hw.fabrication.wire_tracing import check_profile_match, lamp_chain, sensor_routes
from pond_hw.messages.message import Message, PondError
from pond_hw.profile import load_profile, parse_profile
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.profile.row_boards import LAMPS_PER_CELL, chain_positions, find_mismatch
from pond_hw.rules import get_grid
from tests.conftest import each

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
    return profile, expand_rows(profile, make_circuit(profile))


@each("name", BUILT)
def test_expanded_board_has_no_faults(name):
    profile, netlist = expanded(name)
    assert check_netlist(netlist) == []
    assert list(check_profile_match(profile, netlist)) == []


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


def test_swapped_row_cables_are_found():
    profile = load_profile("direct-4x4", measured=False)
    netlist = make_circuit(profile)
    swap = {"ROW1": "ROW2", "ROW2": "ROW1"}
    nets = {
        name: tuple(PartPin(swap.get(end.part, end.part), end.pin) for end in ends)
        for name, ends in netlist.nets.items()
    }
    faults = list(check_profile_match(profile, expand_rows(profile, Netlist(netlist.parts, nets))))
    assert {fault.id for fault in faults} == {"netlist.match.sensor", "netlist.match.chain"}


def test_switch_in_reversed_row_board_is_found(monkeypatch):
    def reversed_row(kind, size, sensor=""):
        row = make_row_netlist(kind, size, sensor)
        turned = {PartPin("D1", "1"): PartPin("D1", "2"), PartPin("D1", "2"): PartPin("D1", "1")}
        return replace(row, nets={name: tuple(turned.get(end, end) for end in ends) for name, ends in row.nets.items()})

    monkeypatch.setattr("pond_hw.fabrication.row_board.make_row_netlist", reversed_row)
    profile, netlist = expanded("matrix-5x5")
    assert [fault.arguments["cell"] for fault in check_profile_match(profile, netlist)] == [
        "a1",
        "a2",
        "a3",
        "a4",
        "a5",
    ]


@each(
    "name, change, reason",
    [
        ("direct-4x4", ("   0  1    2  3", "   1  0    2  3"), "lamps"),
        ("matrix-5x5", ("   5/17   5/27", "   5/27   5/17"), "matrix"),
    ],
)
def test_board_unlike_the_row_boards_is_refused(name, change, reason):
    text = (BOARDS_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    profile = parse_profile(text.replace(*change), "mine")
    assert find_mismatch(profile) == reason
    with pytest.raises(PondError) as refused:
        make_circuit(profile)
    assert refused.value.message == Message(
        f"build.mismatch.{reason}",
        board="mine",
        size=profile.size,
        like="hall-4x4" if profile.size == 4 else "matrix-5x5",
    )


@each("name, reason", [("simulated-4x4", "simulated"), ("neotrellis-4x4", "simulated")])
def test_simulated_boards_have_no_row_boards(name, reason):
    assert find_mismatch(load_profile(name, measured=False)) == reason


def test_netlist_names_row_boards_instead_of_their_parts():
    netlist = make_circuit(load_profile("hall-5x5", measured=False))
    assert [part.ref for part in netlist.parts_of_type(*ROW_PARTS)] == ["ROW5", "ROW4", "ROW3", "ROW2", "ROW1"]
    assert not netlist.has_type("hall", "linear hall", "button")
