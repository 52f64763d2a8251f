"""Profile, netlist and drivers say the same; and a wire in the wrong place is no secret."""

from contextlib import closing

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pond_hw.board import Frame
from pond_hw.fabrication.circuit import circuit
from pond_hw.fabrication.netlist import End, listing
from pond_hw.fabrication.netlist_checks import differing, wrong
from pond_hw.fabrication.wire_tracing import sensor_of
from pond_hw.fabrication.wires import thin, wires
from pond_hw.fabrication.wiring_table import table
from pond_hw.profile import Matrix, load
from pond_hw.profile.soldered_wires import wired_to
from pond_hw.rules import PondError, grid
from tests.conftest import IN_CI
from tests.fabrication.copper import Table
from tests.fabrication.profiles import profiles
from tests.fabrication.spoilt import exchanged

WIRED = ("direct-4x4", "pwm-4x4", "matrix-5x5", "hall-4x4", "hall-5x5")
BOARDS = (*WIRED, "neotrellis-4x4")
QUICK = settings(
    deadline=None,
    max_examples=12 if IN_CI else 6,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def agrees(profile, netlist, tools, cells):
    """Press cells, and say which of them the companion did not see, or did not light."""
    bad = set()
    with closing(Table(profile, netlist, tools)) as table:
        for cell in cells:
            before = len(table.played)
            table.press(cell)
            if table.played[before:] != [cell]:
                bad.add(cell)
            shown, frame = table.seen(), table.companion.frame
            for each in grid(profile.size).cells:
                lamps = [shown.get((each, index)) for index in range(frame.lamps)]
                if lamps != list(frame[each]):
                    bad.add(each)
            if not any(map(any, frame[cell])):
                bad.add(cell)
    return bad


@pytest.mark.parametrize("name", BOARDS)
def test_what_ships_is_wired_as_its_drivers_read_it_and_breaks_no_rule(name):
    profile = load(name)
    netlist = circuit(profile)
    assert wrong(netlist) == []
    assert list(differing(profile, netlist)) == []
    assert list(thin(netlist, wires(profile, netlist))) == []


@given(profile=profiles())
@QUICK
def test_set_up_calls_every_wire_what_the_table_of_wires_calls_it(profile):
    rows = table(profile, circuit(profile))
    assert {cell: row.told for cell, row in rows.items()} == {cell: wired_to(profile)[cell] for cell in rows}


@pytest.mark.slow
@pytest.mark.parametrize("name", WIRED)
def test_press_a_cell_on_the_netlist_and_the_companion_sees_it_and_lights_it(name, tools):
    profile = load(name)
    assert agrees(profile, circuit(profile), tools, ["b2", "d4", "a3"]) == set()


@pytest.mark.slow
@QUICK
@given(profiles(), st.data())
def test_any_good_profile_makes_a_board_that_its_own_drivers_understand(tools, profile, data):
    netlist = circuit(profile)
    assert wrong(netlist) == []
    assert list(differing(profile, netlist)) == []
    assert list(thin(netlist, wires(profile, netlist))) == []
    cells = data.draw(st.permutations(grid(profile.size).cells))[:2]
    assert agrees(profile, netlist, tools, cells) == set()


@pytest.mark.slow
@QUICK
@given(profiles(), st.data())
def test_two_wires_that_were_swapped_are_seen(tools, profile, data):
    netlist = circuit(profile)
    one, other = data.draw(st.permutations(grid(profile.size).cells))[:2]
    wiring, pin = profile.sensing.wiring, "1" if profile.sensing.kind == "button" else "3"
    if isinstance(wiring, Matrix):
        pin = data.draw(st.sampled_from(["1", "2"]))
        lines = [wiring.crossings[cell][pin == "1"] for cell in (one, other)]
        assume(lines[0] != lines[1])  # on one line there is nothing to swap
    ends = [End(sensor_of(netlist, cell).ref, pin) for cell in (one, other)]
    swapped = exchanged(netlist, *ends)
    assert list(differing(profile, swapped)) != []
    assert agrees(profile, swapped, tools, [one]) != set()


@pytest.mark.slow
@QUICK
@given(profiles(), st.data())
def test_a_chain_that_was_soldered_in_another_order_is_seen(tools, profile, data):
    netlist = circuit(profile)
    one, other = data.draw(st.permutations([lamp.ref for lamp in netlist.of("lamp")]))[:2]
    ends = [End(ref, pin) for pin in ("2", "4") for ref in (one, other)]
    swapped = exchanged(exchanged(netlist, *ends[:2]), *ends[2:])
    assert list(differing(profile, swapped)) != []
    with closing(Table(profile, swapped, tools)) as table:
        lamps = profile.size**2 * profile.chain.per_cell
        data = b"".join(bytes([number % 250 + 1, number // 250 + 1, 7]) for number in range(lamps))
        frame = Frame(profile.size, profile.chain.per_cell, data)
        table.companion.board.lamps.show(frame)
        shown = table.seen()
        places = [(cell, index) for cell in frame.cells for index in range(frame.lamps)]
        assert len([place for place in places if shown.get(place) != frame[place[0]][place[1]]]) == 2


def test_a_board_that_is_all_simulated_has_nothing_to_build():
    with pytest.raises(PondError, match="there is nothing to build"):
        circuit(load("simulated-4x4"))


def test_the_listing_names_every_part_and_every_pin_once():
    netlist = circuit(load("hall-4x4"))
    parts, nets = listing(netlist).split("\n\n")
    assert [line.split()[0] for line in parts.splitlines()[1:]] == list(netlist.parts)
    told = " ".join(nets.splitlines()[1:])
    assert sorted(word for word in told.split() if "." in word and word[0].isupper()) == sorted(
        str(end) for ends in netlist.nets.values() for end in ends
    )
