"""The five most likely mistakes: what docs/mistakes.md says of each is what happens on such a board."""

from pathlib import Path

import pytest

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.netlist import Netlist, PartPin
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.profile.sensor_wires import sensor_chips, sensor_wires
from pond_hw.setup.lamp_places import name_lamp
from pond_hw.simulator import board_with_faults
from tests.fabrication.spoilt import exchanged, left_out
from tests.fabrication.test_netlist import agrees
from tests.messages.says import text
from tests.setup.diagnosis import Case, tried

DOCS = Path(__file__).parents[2] / "docs"
PAGE = " ".join((DOCS / "mistakes.md").read_text(encoding="utf-8").split())


def turned_chip(netlist, ref):
    """Every leg of a chip with 28 where the one across from it belongs."""

    def turned(end):
        return PartPin(ref, str((int(end.pin) + 13) % 28 + 1)) if end.part == ref else end

    return Netlist(netlist.parts, {name: tuple(map(turned, ends)) for name, ends in netlist.nets.items()})


@pytest.mark.slow
def test_a_turned_diode_makes_its_button_alone_seem_dead(tools):
    profile = load_profile("matrix-5x5")
    netlist = exchanged(make_circuit(profile), PartPin("D_c3", "1"), PartPin("D_c3", "2"))
    assert agrees(profile, netlist, tools, ["c3", "b2"]) == {"c3"}
    told = tried(Case("matrix-5x5", board_with_faults.NEVER, "c3", 1))
    assert told.right
    said = text(Message("finding.never", cell="c3", wire=sensor_wires(profile)["c3"]))
    assert said.partition(" Wiring")[0] in PAGE
    assert text(Message("cause.never.button")) in PAGE


@pytest.mark.slow
def test_a_turned_chip_takes_all_its_cells_and_set_up_names_it(tools):
    profile = load_profile("hall-4x4")
    on_it, on_other = (cells[0] for cells in sensor_chips(profile).values())
    netlist = turned_chip(make_circuit(profile), "U20")
    assert on_it in agrees(profile, netlist, tools, [on_it])
    assert list(check_netlist(netlist))
    assert tried(Case("hall-4x4", board_with_faults.DEAD_CHIP, on_it, 1)).right
    assert tried(Case("hall-4x4", board_with_faults.DEAD_CHIP, on_other, 1)).right
    assert text(Message("cause.dead_chip")) in PAGE


@pytest.mark.slow
def test_data_at_the_other_end_of_the_strip_leaves_all_lamps_dark_and_set_up_names_the_first(tools):
    profile = load_profile("direct-4x4")
    netlist = exchanged(make_circuit(profile), PartPin("D0", "2"), PartPin("D0", "4"))
    assert len(agrees(profile, netlist, tools, ["c3"])) == 16
    assert tried(Case("direct-4x4", "broken", 0, 1)).right
    lamp = name_lamp(profile, 0)
    for name in ("dark_from", "cause.first"):
        assert text(Message(f"lamp_break.{name}", lamp=lamp)) in PAGE


def test_grounds_that_are_not_joined_are_a_fault_of_the_circuit():
    netlist = make_circuit(load_profile("hall-4x4"))
    assert check_netlist(netlist) == []
    assert list(check_netlist(left_out(netlist, PartPin("J2", "2"))))
    assert list(check_netlist(left_out(netlist, PartPin("J1", "6"), PartPin("J1", "9"))))


def test_one_row_of_pins_too_far_no_ground_of_the_board_is_on_a_ground_of_the_pi():
    grounds = {6, 9, 14, 20, 25, 30, 34, 39}
    for name in ("direct-4x4", "hall-4x4", "matrix-5x5", "hall-5x5", "owner-4x4"):
        joined = {int(end.pin) for end in make_circuit(load_profile(name)).nets["ground"] if end.part == "J1"}
        assert joined <= grounds
        assert not {pin + moved for pin in joined for moved in (-2, 2)} & grounds
        assert not {41 - pin for pin in joined} & grounds  # and turned round
