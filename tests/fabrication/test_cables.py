"""Cables: their wires, lengths and the current that they can carry."""

from dataclasses import replace

import pytest

from pond_hw.fabrication.cables import (
    CABLE_SLACK,
    LENGTH_STEP,
    MAX_CABLE_CURRENT_MA,
    check_cables,
    list_cables,
)
from pond_hw.fabrication.carrier import group_outside_parts
from pond_hw.fabrication.circuit import LAMP_SUPPLY_NET, make_circuit
from pond_hw.fabrication.row_board import COMMON_PIN
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.profile.row_boards import connector_names
from tests.conftest import each
from tests.fabrication.faulty_netlists import replace_part
from tests.fabrication.test_row_board import BUILT


def cabled(name):
    profile = load_profile(name, measured=False)
    netlist = make_circuit(profile)
    return profile, netlist, list_cables(profile, netlist)


@each("name", BUILT)
def test_row_cables_are_alike_and_connected_one_to_one(name):
    profile, netlist, cables = cabled(name)
    row_cables = [cable for cable in cables if cable.is_row_cable]
    assert {cable.name for cable in row_cables} == {f"row {number}" for number in range(1, profile.size + 1)}
    assert len({cable.length for cable in row_cables}) == 1
    names = connector_names(profile)
    for cable in row_cables:
        ref = cable.name.replace("row ", "ROW")
        assert cable.connector == names[cable.name]
        for wire in cable.wires:
            assert wire.start_pin == (cable.connector, wire.end_pins[0].pin)
            assert [end.part for end in wire.end_pins] == [ref]
            assert netlist.net_of(wire.end_pins[0]) == wire.net


@each("name", BUILT)
def test_wires_reach_every_pin_outside_the_carrier_once(name):
    _, netlist, cables = cabled(name)
    reached = [end for cable in cables for wire in cable.wires for end in wire.end_pins]
    reached += [end for cable in cables for link in cable.links for end in (link.start_pin, *link.end_pins)]
    outside = {part.ref for group in group_outside_parts(netlist).values() for part in group}
    assert sorted(reached) == sorted(end for ends in netlist.nets.values() for end in ends if end.part in outside)


@each("name, nets", [("hall-4x4", ["data 65"]), ("hall-5x5", ["data 101"]), ("matrix-5x5", [])])
def test_only_lamps_of_turn_keys_are_joined_to_each_other(name, nets):
    _, _, cables = cabled(name)
    assert [link.net for cable in cables for link in cable.links] == nets


@each("name", BUILT)
def test_cables_are_long_enough_and_sold(name):
    profile, _, cables = cabled(name)
    layout = SolidLayout(profile)
    x, y = layout.board_point
    needed = max(abs(x + layout.half_size) + abs(y - middle) for middle in layout.cell_middles) + CABLE_SLACK
    row_length = next(cable.length for cable in cables if cable.is_row_cable)
    assert needed <= row_length < needed + LENGTH_STEP
    assert all(cable.length % LENGTH_STEP == 0 for cable in cables)


def test_neotrellis_and_key_have_wires_to_the_header():
    _, _, (cable,) = cabled("neotrellis-4x4")
    assert [(wire.net, *wire.start_pin, *wire.end_pins[0]) for wire in cable.wires] == [
        ("5 V", "J1", "2", "M1", "1"),
        ("ground", "J1", "6", "M1", "2"),
        ("ground", "J1", "9", "SW_key", "2"),
        ("SDA", "J1", "3", "M1", "3"),
        ("SCL", "J1", "5", "M1", "4"),
        ("key", "J1", "11", "SW_key", "1"),
    ]
    assert not cable.is_row_cable


@each("name, wire_count", [("direct-4x4", 9), ("matrix-5x5", 10), ("hall-5x5", 10)])
def test_first_row_cable_has_a_wire_for_each_pin(name, wire_count):
    _, netlist, cables = cabled(name)
    far_row = next(cable for cable in cables if cable.is_row_cable)
    assert len(far_row.wires) == wire_count == len(netlist.parts["ROW1"].pins)
    common = next(wire for wire in far_row.wires if netlist.pin_at(wire.end_pins[0]).name == COMMON_PIN)
    assert common.net == {"direct-4x4": "ground", "matrix-5x5": "drive 5", "hall-5x5": "3.3 V"}[name]


@each("name", BUILT)
def test_cables_carry_the_fuse_opening_current(name):
    _, netlist, cables = cabled(name)
    assert any(wire.net == LAMP_SUPPLY_NET for wire in cables[0].wires)
    assert list(check_cables(netlist)) == []


@pytest.mark.parametrize(("value", "current"), [("4 A", 8400), ("10 A", 21_000)])
def test_fuse_too_large_for_the_cables_is_named(value, current):
    _, netlist, _ = cabled("matrix-5x5")
    too_large = replace_part(netlist, replace(netlist.parts["F1"], value=value))
    wanted = Message("netlist.cable.too_thin", current=pytest.approx(current), most=MAX_CABLE_CURRENT_MA)
    assert list(check_cables(too_large)) == [wanted]
