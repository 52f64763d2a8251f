"""Planted faults in the supply of the lamps: each is found by the electrical rules."""

from dataclasses import replace

import pytest

from pond_hw.fabrication.circuit import GROUND_NET, make_circuit
from pond_hw.fabrication.netlist import Netlist, PartPin, find_pin
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.row_board import expand_rows
from pond_hw.profile import load_profile
from tests.conftest import each
from tests.fabrication.faulty_netlists import remove_pins, replace_part, short_nets, swap_pins
from tests.messages.says import text

OWN_SUPPLY = ("hall-4x4", "owner-4x4", "matrix-5x5", "hall-5x5", "usb-matrix-5x5")


def supplied(name="hall-4x4"):
    profile = load_profile(name, measured=False)
    return expand_rows(profile, make_circuit(profile))


def without(netlist, ref):
    nets = remove_pins(netlist, *(PartPin(ref, number) for number in netlist.parts[ref].pins)).nets
    parts = {each: part for each, part in netlist.parts.items() if each != ref}
    return Netlist(parts, {name: ends for name, ends in nets.items() if ends})


def turned(netlist, ref, first, second):
    part = netlist.parts[ref]
    return swap_pins(netlist, find_pin(part, first), find_pin(part, second))


def valued(netlist, ref, value):
    return replace_part(netlist, replace(netlist.parts[ref], value=value))


def moved(netlist, end, net):
    nets = {name: tuple(each for each in ends if each != end) for name, ends in netlist.nets.items()}
    return replace(netlist, nets={**nets, net: (*nets[net], end)})


FAULTS = {
    "no resistor at CC1": (lambda board: without(board, "R6"), "netlist.socket.no_resistor"),
    "no resistor at CC2": (lambda board: without(board, "R7"), "netlist.socket.no_resistor"),
    "wrong resistor at CC1": (lambda board: valued(board, "R6", "10 kΩ"), "netlist.socket.no_resistor"),
    "resistor of CC2 to 5 V": (lambda board: moved(board, PartPin("R7", "2"), "5 V"), "netlist.socket.no_resistor"),
    "one resistor for both CC pins": (lambda board: short_nets(board, "CC1", "CC2"), "netlist.socket.no_resistor"),
    "no TVS diode": (lambda board: without(board, "TVS1"), "netlist.protection.no_diode"),
    "turned TVS diode": (lambda board: turned(board, "TVS1", "anode", "band"), "netlist.protection.wrong_diode"),
    "TVS diode before the fuse": (
        lambda board: moved(board, find_pin(board.parts["TVS1"], "band"), "5 V"),
        "netlist.protection.wrong_diode",
    ),
    "TVS diode at the lamps": (
        lambda board: moved(board, find_pin(board.parts["TVS1"], "band"), "5 V lamps"),
        "netlist.protection.wrong_diode",
    ),
    "no cut-off": (
        lambda board: short_nets(without(board, "Q1"), "5 V lamps", "5 V fused"),
        "netlist.protection.no_cut_off",
    ),
    "turned cut-off": (lambda board: turned(board, "Q1", "source", "drain"), "netlist.protection.wrong_cut_off"),
    "no opener": (lambda board: without(board, "Q2"), "netlist.protection.wrong_cut_off"),
    "turned opener": (lambda board: turned(board, "Q2", "emitter", "collector"), "netlist.protection.wrong_cut_off"),
    "no gate resistor": (lambda board: without(board, "R21"), "netlist.protection.wrong_cut_off"),
    "no resistor at the reference": (lambda board: without(board, "R23"), "netlist.protection.wrong_cut_off"),
    "turned reference": (lambda board: turned(board, "U2", "cathode", "anode"), "netlist.protection.wrong_cut_off"),
    "cut-off at 4.99 V": (lambda board: valued(board, "R24", "10 kΩ"), "netlist.protection.wrong_volts"),
    "cut-off at 6.2 V": (lambda board: valued(board, "R24", "15 kΩ"), "netlist.protection.wrong_volts"),
    "no divider": (lambda board: without(board, "R25"), "netlist.protection.wrong_volts"),
    "turned LED": (lambda board: turned(board, "LED1", "anode", "band"), "netlist.indicator"),
    "LED without resistor": (
        lambda board: short_nets(without(board, "R8"), "5 V lamps", "power lamp"),
        "netlist.indicator",
    ),
    "LED too bright": (lambda board: valued(board, "R8", "100 Ω"), "netlist.indicator"),
    "LED before the fuse": (lambda board: moved(board, PartPin("R8", "2"), "5 V"), "netlist.indicator"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_supply_fault_is_found(fault):
    plant, message = FAULTS[fault]
    found = check_netlist(plant(supplied()))
    assert message in {each.id for each in found}, found
    assert all(map(text, found))


@each("name", OWN_SUPPLY)
def test_supply_of_shipped_board_has_no_fault(name):
    assert check_netlist(supplied(name)) == []


def test_shield_of_socket_is_on_ground():
    netlist = supplied()
    assert netlist.pin_net(netlist.parts["J2"], "shield") == GROUND_NET
