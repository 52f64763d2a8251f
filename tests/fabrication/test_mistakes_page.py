"""Effects of the five mistakes, as described in docs/mistakes.md."""

from dataclasses import replace
from pathlib import Path

import pytest

from pond_hw.companion import SimulatedClock
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.netlist import Netlist, PartPin
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.row_board import expand_rows
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.profile.row_boards import LAMPS_PER_CELL, connector_names
from pond_hw.profile.sensor_wires import sensor_chips, sensor_wires
from pond_hw.rules import get_grid
from pond_hw.setup.lamp_positions import name_lamp
from pond_hw.setup.lamp_steps import LampTest
from pond_hw.setup.sensor_steps import SensorTest
from pond_hw.setup.step import StepReply
from pond_hw.simulator import board_with_faults
from pond_hw.simulator.board_with_faults import ActualBuild, FaultyBoard
from tests.fabrication.drawing_checks import find_faults
from tests.fabrication.faulty_netlists import make_full_circuit, remove_pins, swap_pins
from tests.fabrication.test_netlist import find_wrong_cells
from tests.messages.says import text
from tests.setup.fault_injection import Case, run_case
from tests.setup.simulated_user import SimulatedUser, StepBench
from tools.mistake_pictures import FOLDER, PICTURES, draw

DOCS = Path(__file__).parents[2] / "docs"
PAGE = " ".join((DOCS / "mistakes.md").read_text(encoding="utf-8").split())


def swap_rows(profile, one, other):
    """Return a board whose cables of two rows are in each other's connectors."""
    drawn, size, swap = ActualBuild.from_profile(profile), profile.size, {one: other, other: one}

    def swapped(items, per_row):
        rows = [items[start : start + per_row] for start in range(0, len(items), per_row)]
        return [item for row in range(1, size + 1) for item in rows[swap.get(row, row) - 1]]

    inputs = dict(zip(drawn.inputs, swapped(list(drawn.inputs.values()), size), strict=True))
    return replace(drawn, inputs=inputs, lamps=tuple(swapped(list(drawn.lamps), LAMPS_PER_CELL * size)))


def check_rows(profile, built):
    """Run the `rows` step. The user answers no if another row is lit than the step names."""
    clock = SimulatedClock()
    table = StepBench(FaultyBoard(profile, clock.now, built), clock, LampTest.by_row(profile))
    for cells in get_grid(profile.size).rows:
        table.advance(0.3)
        table.runner.put(StepReply("n" if set(table.bright(10)) == set(cells) else "x", clock.now()))
        table.runner.run_once()
    return table.step.result.findings


def test_swapped_row_cables_light_wrong_rows():
    profile = load_profile("direct-4x4")
    assert check_rows(profile, ActualBuild.from_profile(profile)) == ()
    findings = check_rows(profile, swap_rows(profile, 2, 3))
    assert [finding.message for finding in findings] == [
        Message("lamp_walk.not_seen", shown=Message("lamp.row", row=row)) for row in "32"
    ]
    assert text(Message("lamp_walk.lit", shown=Message("lamp.row", row="3"))) in PAGE
    assert text(Message("finding.rows_exchanged", rows=("2", "3"))) in PAGE
    assert f"goes to {connector_names(profile)['row 1']}." in PAGE


def test_swapped_row_cables_pass_the_sensor_test():
    profile, clock = load_profile("direct-4x4"), SimulatedClock()
    table = StepBench(FaultyBoard(profile, clock.now, swap_rows(profile, 3, 4)), clock, SensorTest(profile, 0.0))
    assert {finding.grade for finding in SimulatedUser(table).run().findings} == {"good"}


@pytest.mark.slow
def test_swapped_row_cables_swap_two_rows(tools):
    profile = load_profile("direct-4x4")
    netlist, swap = make_circuit(profile), {"ROW2": "ROW3", "ROW3": "ROW2"}
    nets = {
        net: tuple(PartPin(swap.get(end.part, end.part), end.pin) for end in ends) for net, ends in netlist.nets.items()
    }
    swapped = expand_rows(profile, Netlist(netlist.parts, nets))
    wrong = find_wrong_cells(profile, swapped, tools, ["b2"])
    assert {"b2", "b3"} <= wrong
    assert {cell[1] for cell in wrong} == {"2", "3"}


def rotate_chip(netlist, ref):
    """Rotate a 28-pin chip by half a turn."""

    def rotated(end):
        return PartPin(ref, str((int(end.pin) + 13) % 28 + 1)) if end.part == ref else end

    return Netlist(netlist.parts, {name: tuple(map(rotated, ends)) for name, ends in netlist.nets.items()})


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
    profile, turned = load_profile("direct-4x4"), make_full_circuit(load_profile("direct-4x4"))
    for one, other in (("2", "4"), ("1", "3")):
        turned = swap_pins(turned, PartPin("D0", one), PartPin("D0", other))
    assert len(find_wrong_cells(profile, turned, tools, ["c3"])) == 16
    assert Message("netlist.supply.none", pin="D0.1 (5 V)") in check_netlist(turned)
    assert run_case(Case("direct-4x4", "broken", 0, 1)).right
    for name in ("dark_from", "cause.first"):
        assert text(Message(f"lamp_break.{name}", lamp=name_lamp(profile, 0))) in PAGE


def test_supply_without_protection_is_a_fault():
    netlist = make_full_circuit(load_profile("owner-4x4"))
    assert check_netlist(netlist) == []
    for pins in ((PartPin("TVS1", "1"),), (PartPin("Q1", "1"),), (PartPin("J2", "A12"), PartPin("J2", "B12"))):
        assert list(check_netlist(remove_pins(netlist, *pins)))


def test_turned_magnets_are_reported():
    profile, clock = load_profile("owner-4x4"), SimulatedClock()
    flaws = dict.fromkeys(get_grid(4).cells, board_with_faults.REVERSED)
    bench = FaultyBoard(profile, clock.now, ActualBuild.from_profile(profile), flaws)
    (finding,) = (
        each
        for each in SimulatedUser(StepBench(bench, clock, SensorTest(profile, 0.0))).run().findings
        if each.grade != "good"
    )
    assert finding.kind == "poles"
    assert text(finding.message) in PAGE
    assert text(finding.cause) in PAGE


def test_shifted_ribbon_cable_connects_no_grounds():
    grounds = {6, 9, 14, 20, 25, 30, 34, 39}
    for name in ("direct-4x4", "hall-4x4", "matrix-5x5", "hall-5x5", "owner-4x4"):
        joined = {int(end.pin) for end in make_circuit(load_profile(name)).nets["ground"] if end.part == "J1"}
        assert joined <= grounds
        assert not {pin + shift for pin in joined for shift in (-2, 2)} & grounds
        assert not {41 - pin for pin in joined} & grounds  # rotated by half a turn


@pytest.mark.parametrize("name", PICTURES)
def test_picture_is_current_readable_and_shown(name):
    assert (FOLDER / f"mistake-{name}.svg").read_text(encoding="utf-8") == draw(name)
    assert find_faults(draw(name)) == []
    assert f"(pictures/mistake-{name}.svg)" in PAGE
