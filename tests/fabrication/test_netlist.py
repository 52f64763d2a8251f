"""Agreement between profile, netlist and drivers."""

import re
from contextlib import closing

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pond_hw.board import Frame
from pond_hw.fabrication.cables import check_cables
from pond_hw.fabrication.netlist import PartPin, format_netlist
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.wire_tracing import cell_sensor, check_profile_match, sensor_routes
from pond_hw.profile import MatrixWiring, load_profile
from pond_hw.profile.sensor_wires import sensor_wires
from pond_hw.rules import get_grid
from tests.conftest import IN_CI
from tests.fabrication.copper import WiredBoard
from tests.fabrication.faulty_netlists import make_full_circuit, swap_pins
from tests.fabrication.profiles import profiles
from tests.messages.says import text

WIRED = ("direct-4x4", "matrix-5x5", "hall-4x4", "hall-5x5", "owner-4x4")
USB = ("usb-direct-4x4", "usb-hall-4x4", "usb-matrix-5x5")  # tests/pico/test_hardware.py continues from their netlists
BOARDS = (*WIRED, *USB, "neotrellis-4x4")
QUICK = settings(
    deadline=None,
    max_examples=12 if IN_CI else 6,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def find_wrong_cells(profile, netlist, tools, cells):
    """Press cells, and return those that the companion does not detect or light."""
    bad = set()
    with closing(WiredBoard(profile, netlist, tools)) as table:
        for cell in cells:
            before = len(table.played_cells)
            table.press(cell)
            if table.played_cells[before:] != [cell]:
                bad.add(cell)
            shown, frame = table.read_lamps(), table.companion.frame
            for each in get_grid(profile.size).cells:
                lamps = [shown.get((each, index)) for index in range(frame.lamps_per_cell)]
                if lamps != list(frame[each]):
                    bad.add(each)
            if not any(map(any, frame[cell])):
                bad.add(cell)
    return bad


@pytest.mark.parametrize("name", BOARDS)
def test_shipped_boards_pass_all_wiring_checks(name):
    profile = load_profile(name)
    netlist = make_full_circuit(profile)
    assert check_netlist(netlist) == []
    assert list(check_profile_match(profile, netlist)) == []
    assert list(check_cables(netlist)) == []


@given(profile=profiles())
@QUICK
def test_sensor_wires_name_netlist_pins(profile):
    netlist, words = make_full_circuit(profile), sensor_wires(profile)
    for cell, route in sensor_routes(netlist).items():
        legs = [f"({'header pin' if end.part == 'J1' else 'pin'} {end.pin})" for end in route.input_pins]
        assert re.findall(r"\((?:header pin|pin) \d+\)", text(words[cell])) == legs


@pytest.mark.slow
@pytest.mark.parametrize("name", WIRED)
def test_companion_plays_on_simulated_wiring(name, tools):
    profile = load_profile(name)
    assert find_wrong_cells(profile, make_full_circuit(profile), tools, ["b2", "d4", "a3"]) == set()


@pytest.mark.slow
@QUICK
@given(profiles(), st.data())
def test_random_profile_works_with_its_drivers(tools, profile, data):
    netlist = make_full_circuit(profile)
    assert check_netlist(netlist) == []
    assert list(check_profile_match(profile, netlist)) == []
    assert list(check_cables(netlist)) == []
    cells = data.draw(st.permutations(get_grid(profile.size).cells))[:2]
    assert find_wrong_cells(profile, netlist, tools, cells) == set()


@pytest.mark.slow
@QUICK
@given(profiles(), st.data())
def test_swapped_sensor_wires_are_found(tools, profile, data):
    netlist = make_full_circuit(profile)
    one, other = data.draw(st.permutations(get_grid(profile.size).cells))[:2]
    wiring, pin = profile.sensing.wiring, "1" if profile.sensing.kind == "button" else "3"
    if isinstance(wiring, MatrixWiring):
        pin = data.draw(st.sampled_from(["1", "2"]))
        lines = [wiring.crossings[cell][pin == "1"] for cell in (one, other)]
        assume(lines[0] != lines[1])  # nothing to swap on the same line
    ends = [PartPin(cell_sensor(netlist, cell).ref, pin) for cell in (one, other)]
    swapped = swap_pins(netlist, *ends)
    assert list(check_profile_match(profile, swapped)) != []
    assert find_wrong_cells(profile, swapped, tools, [one]) != set()


@pytest.mark.slow
@QUICK
@given(profiles(), st.data())
def test_swapped_lamps_are_found(tools, profile, data):
    netlist = make_full_circuit(profile)
    one, other = data.draw(st.permutations([lamp.ref for lamp in netlist.parts_of_type("lamp") if lamp.cell]))[:2]
    ends = [PartPin(ref, pin) for pin in ("2", "4") for ref in (one, other)]
    swapped = swap_pins(swap_pins(netlist, *ends[:2]), *ends[2:])
    assert list(check_profile_match(profile, swapped)) != []
    with closing(WiredBoard(profile, swapped, tools)) as table:
        lamp_count = profile.chain.lamp_count
        data = b"".join(bytes([number % 250 + 1, number // 250 + 1, 7]) for number in range(lamp_count))
        frame = Frame(profile.size, profile.chain.lamps_per_cell, data)
        table.companion.board.lamps.show(frame)
        shown = table.read_lamps()
        places = [(cell, index) for cell in frame.colours_by_cell for index in range(frame.lamps_per_cell)]
        assert len([place for place in places if shown.get(place) != frame[place[0]][place[1]]]) == 2


def test_format_netlist_lists_every_part_and_pin_once():
    netlist = make_full_circuit(load_profile("hall-4x4"))
    parts, nets = format_netlist(netlist).split("\n\n")
    assert [line.split()[0] for line in parts.splitlines()[1:]] == list(netlist.parts)
    net_text = " ".join(nets.splitlines()[1:])
    assert sorted(word for word in net_text.split() if "." in word and word[0].isupper()) == sorted(
        str(end) for ends in netlist.nets.values() for end in ends
    )
