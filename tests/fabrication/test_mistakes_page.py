"""Effects of the five mistakes, as described in docs/mistakes.md."""

from pathlib import Path

import pytest

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.netlist import Netlist, PartPin
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.row_board import expand_rows
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.profile.sensor_wires import sensor_chips, sensor_wires
from pond_hw.setup.lamp_positions import name_lamp
from pond_hw.simulator import board_with_faults
from tests.fabrication.faulty_netlists import make_full_circuit, remove_pins, swap_pins
from tests.fabrication.test_netlist import find_wrong_cells
from tests.messages.says import text
from tests.setup.fault_injection import Case, run_case

DOCS = Path(__file__).parents[2] / "docs"
PAGE = " ".join((DOCS / "mistakes.md").read_text(encoding="utf-8").split())


def rotate_chip(netlist, ref):
    """Rotate a 28-pin chip by half a turn."""

    def with_three_faces(end):
        return PartPin(ref, str((int(end.pin) + 13) % 28 + 1)) if end.part == ref else end

    return Netlist(netlist.parts, {name: tuple(map(with_three_faces, ends)) for name, ends in netlist.nets.items()})


@pytest.mark.slow
def test_reversed_diode_disables_one_button(tools):
    profile = load_profile("matrix-5x5")
    netlist = swap_pins(make_full_circuit(profile), PartPin("D_c3", "1"), PartPin("D_c3", "2"))
    assert find_wrong_cells(profile, netlist, tools, ["c3", "b2"]) == {"c3"}
    diagnosis = run_case(Case("matrix-5x5", board_with_faults.NEVER, "c3", 1))
    assert diagnosis.right
    message_text = text(Message("finding.never", cell="c3", wire=sensor_wires(profile)["c3"]))
    assert message_text.partition(" Wiring")[0] in PAGE
    assert text(Message("cause.never.button")) in PAGE


@pytest.mark.slow
def test_reversed_chip_disables_its_cells(tools):
    profile = load_profile("hall-4x4")
    first_cell, other_cell = (cells[0] for cells in sensor_chips(profile).values())
    netlist = rotate_chip(make_full_circuit(profile), "U20")
    assert first_cell in find_wrong_cells(profile, netlist, tools, [first_cell])
    assert list(check_netlist(netlist))
    assert run_case(Case("hall-4x4", board_with_faults.DEAD_CHIP, first_cell, 1)).right
    assert run_case(Case("hall-4x4", board_with_faults.DEAD_CHIP, other_cell, 1)).right
    assert text(Message("cause.dead_chip")) in PAGE


@pytest.mark.slow
def test_turned_lamp_keeps_all_lamps_behind_it_dark(tools):
    profile = load_profile("direct-4x4")
    netlist = make_full_circuit(profile)
    turned = swap_pins(
        swap_pins(netlist, PartPin("D0", "2"), PartPin("D0", "4")), PartPin("D0", "1"), PartPin("D0", "3")
    )
    assert len(find_wrong_cells(profile, turned, tools, ["c3"])) == 16
    assert Message("netlist.supply.none", pin="D0.1 (5 V)") in check_netlist(turned)
    assert run_case(Case("direct-4x4", "broken", 0, 1)).right
    lamp = name_lamp(profile, 0)
    for name in ("dark_from", "cause.first"):
        assert text(Message(f"lamp_break.{name}", lamp=lamp)) in PAGE


@pytest.mark.slow
def test_exchanged_row_cables_exchange_two_rows(tools):
    profile = load_profile("direct-4x4")
    netlist = make_circuit(profile)
    swap = {"ROW1": "ROW3", "ROW3": "ROW1"}
    nets = {
        net: tuple(PartPin(swap.get(end.part, end.part), end.pin) for end in ends) for net, ends in netlist.nets.items()
    }
    exchanged = expand_rows(profile, Netlist(netlist.parts, nets))
    assert find_wrong_cells(profile, exchanged, tools, ["b1"]) == {"b1", "b3"}
    assert text(Message("finding.rows_exchanged", rows=("1", "3"))) in PAGE


def test_separate_grounds_are_a_fault():
    netlist = make_full_circuit(load_profile("hall-4x4"))
    assert check_netlist(netlist) == []
    assert list(check_netlist(remove_pins(netlist, PartPin("J2", "A12"), PartPin("J2", "B12"))))
    assert list(check_netlist(remove_pins(netlist, PartPin("J1", "6"), PartPin("J1", "9"))))


def test_shifted_ribbon_cable_connects_no_grounds():
    grounds = {6, 9, 14, 20, 25, 30, 34, 39}
    for name in ("direct-4x4", "hall-4x4", "matrix-5x5", "hall-5x5", "owner-4x4"):
        joined = {int(end.pin) for end in make_circuit(load_profile(name)).nets["ground"] if end.part == "J1"}
        assert joined <= grounds
        assert not {pin + shift for pin in joined for shift in (-2, 2)} & grounds
        assert not {41 - pin for pin in joined} & grounds  # rotated by half a turn
