"""Boards with a fault soldered in: each is found, by a message that names the part or the net."""

from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, GROUND_NET, LAMP_SUPPLY_NET, LOGIC_NET, fuse_for, make_circuit
from pond_hw.fabrication.netlist import Netlist, PartPin, Pin, PinKind, find_pin
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.part_catalogue import make_part
from pond_hw.fabrication.wire_tracing import check_profile_match
from pond_hw.fabrication.wires import MAX_CURRENTS, check_wires, list_wires
from pond_hw.profile import load_profile
from tests.conftest import first_now_rest_long
from tests.fabrication.profiles import profiles
from tests.fabrication.spoilt import exchanged, left_out, replaced, touching
from tests.messages.says import text

BOARDS = {
    "d": "direct-4x4",
    "p": "pwm-4x4",
    "m": "matrix-5x5",
    "h": "hall-4x4",
    "a": "hall-5x5",
    "t": "neotrellis-4x4",
    "o": "owner-4x4",
}
RAILS = (GROUND_NET, LOGIC_NET, FIVE_VOLT_NET, LAMP_SUPPLY_NET)
DRIVERS = (PinKind.OUT, PinKind.GPIO_OUT, PinKind.TRI_STATE, PinKind.OPEN, PinKind.SUPPLY, PinKind.GROUND)
FAULTS = []


def fault(boards):
    """A function that plants a fault in a netlist, each time another way, with what a message must be about.

    That is a part or a net that an argument names, the id of the message, or both.
    `boards` are the first letters of those on which it can be planted.
    """
    return lambda plant: FAULTS.append((plant, boards)) or plant


@cache
def shipped(letter):
    profile = load_profile(BOARDS[letter])
    return profile, make_circuit(profile)


def faults(profile, netlist):
    return [*check_netlist(netlist), *check_profile_match(profile, netlist)]


def pins(netlist, sort, *names):
    """The ends of all parts of a sort that have one of these names."""
    return [find_pin(part, name) for part in netlist.parts_of_type(sort) for name in names]


def moved(netlist, end, net=None):
    """The board with a pin soldered to another net, or to none."""
    nets = {name: tuple(each for each in ends if each != end) for name, ends in netlist.nets.items()}
    if net:
        nets[net] = (*nets.get(net, ()), end)
    return Netlist(netlist.parts, {name: ends for name, ends in nets.items() if ends})


def valued(netlist, ref, value):
    return replaced(netlist, replace(netlist.parts[ref], value=value))


def lacking(netlist, *refs):
    """The board with parts that were never put in."""
    ends = [end for ends in netlist.nets.values() for end in ends if end.part in refs]
    parts = {ref: part for ref, part in netlist.parts.items() if ref not in refs}
    return Netlist(parts, left_out(netlist, *ends).nets)


def pulled_up(netlist, net, rail, value="10 kΩ"):
    """The board with one more resistor, from a net to a rail."""
    more = replaced(netlist, make_part("R9", "resistor", value=value))
    return moved(moved(more, PartPin("R9", "1"), rail), PartPin("R9", "2"), net)


def altered(netlist, end, **changes):
    """The board with another kind of pin at an end."""
    part = netlist.parts[end.part]
    return replaced(netlist, replace(part, pins={**part.pins, end.pin: replace(netlist.pin_at(end), **changes)}))


def with_pin(netlist, number, pin, net):
    """The board with one more pin of the header in use."""
    header = netlist.parts["J1"]
    return moved(replaced(netlist, replace(header, pins={**header.pins, number: pin})), PartPin("J1", number), net)


def signals(netlist):
    """Of each kind of net that carries a signal the last one: of those that join the same sorts of parts."""
    alike = {tuple(netlist.parts[end.part].part_type for end in ends): net for net, ends in netlist.nets.items()}
    return [net for net in alike.values() if net not in RAILS]


# ---- wires left out ----


@fault("dpmhato")
def a_wire_was_left_out(netlist):
    for net in signals(netlist):
        for end in netlist.nets[net]:
            yield left_out(netlist, end), net if len(netlist.nets[net]) == 2 else end.part


@fault("dpmhato")
def a_net_has_lost_what_drives_it(netlist):
    for net in signals(netlist):
        ends = [
            end
            for end in netlist.pins_on(net, *DRIVERS)
            if end.part != "J1" or netlist.pin_at(end).pin_kind is not PinKind.IN
        ]
        readers = list(netlist.pins_on(net, PinKind.IN))
        if ends and readers:
            yield left_out(netlist, *ends), ("netlist.driver.none", "data") if net == "data" else net


@fault("h")
def two_pins_read_one_net_and_nothing_drives_it(netlist):
    yield moved(moved(netlist, PartPin("U_b2", "3")), PartPin("U20", "25"), "b2"), ("netlist.driver.none", "b2")


@fault("hato")
def a_chip_has_no_ground(netlist):
    for sort in ("hall", "linear hall", "expander", "converter", "trellis"):
        for part in list(netlist.parts_of_type(sort))[:1]:
            end = next(PartPin(part.ref, number) for number, pin in part.pins.items() if pin.pin_kind is PinKind.GROUND)
            yield left_out(netlist, end), end.part
            yield moved(netlist, end, "key"), end.part
            yield (
                moved(netlist, end, LOGIC_NET),
                ("netlist.supply.no_ground", f"{end} ({netlist.pin_at(end).name})"),
            )


@fault("dpmhao")
def a_lamp_or_its_chip_has_no_ground(netlist):
    for end in (PartPin("D0", "3"), PartPin("D9", "3"), PartPin("U1", "7")):
        yield left_out(netlist, end), end.part
        yield moved(netlist, end, "key"), end.part
        yield moved(netlist, end, LAMP_SUPPLY_NET), ("netlist.supply.no_ground", f"{end} (GND)")


@fault("dpmhato")
def a_chip_has_no_supply(netlist):
    for sort in ("lamp", "shifter", "hall", "linear hall", "expander", "converter", "trellis"):
        for part in list(netlist.parts_of_type(sort))[-1:]:
            for number, pin in part.pins.items():
                if pin.pin_kind is PinKind.FED:
                    yield left_out(netlist, PartPin(part.ref, number)), part.ref
                    yield (
                        moved(netlist, PartPin(part.ref, number), GROUND_NET),
                        ("netlist.supply.none", f"{part.ref}.{number} ({pin.name})"),
                    )


@fault("mho")
def the_grounds_of_both_supplies_are_not_joined(netlist):
    yield moved(netlist, PartPin("J2", "2")), "J2"
    split = {**netlist.nets, GROUND_NET: (PartPin("J2", "2"), PartPin("D0", "3"))}
    split["the Pi's"] = tuple(end for end in netlist.nets[GROUND_NET] if end not in split[GROUND_NET])
    yield Netlist(netlist.parts, split), "J2"


# ---- outputs joined, inputs left alone ----


@fault("dpmhato")
def two_that_drive_are_joined(netlist):
    firsts = {}
    for end in sorted(end for ends in netlist.nets.values() for end in ends):
        firsts.setdefault(netlist.pin_at(end).pin_kind, []).append(end)
    for one, other in combinations([kind for kind in DRIVERS if kind in firsts], 2):
        a, b = firsts[one][0], firsts[other][-1]
        whose = a.part if a.part != "J1" else f"J1.{a.pin} "
        yield touching(netlist, netlist.net_of(a), netlist.net_of(b)), whose
    for kind in (PinKind.OUT, PinKind.GPIO_OUT):
        nets = sorted({netlist.net_of(end) for end in firsts.get(kind, ())})
        if len(nets) > 1:
            yield touching(netlist, nets[0], nets[-1]), nets[0]


@fault("ao")
def two_converters_are_selected_by_one_wire(netlist):
    select = netlist.net_of(PartPin("U_A", "10"))
    for other in {"U_B", "U_C"} & netlist.parts.keys():  # which are not beside each other on their wire
        yield (
            moved(netlist, PartPin(other, "10"), select),
            ("netlist.driver.two", "U_A.12 (DOUT)", f"{other}.12 (DOUT)"),
        )


@fault("h")
def two_expanders_have_one_address(netlist):
    yield moved(netlist, PartPin("U21", "15"), GROUND_NET), "U21.15 (A0)"
    yield moved(netlist, PartPin("U20", "15"), LOGIC_NET), "U20.15 (A0)"


@fault("h")
def address_pins_are_swapped(netlist):
    yield exchanged(netlist, PartPin("U21", "15"), PartPin("U21", "16")), "U21.16 (A1)"


@fault("dpmhao")
def an_input_floats(netlist):
    for end in [*pins(netlist, "shifter", "1A", "2A", "4OE"), *pins(netlist, "converter", "CS")]:
        yield moved(netlist, end), end.part
    key = next(netlist.pins_on("key", PinKind.IN))
    yield altered(netlist, key, pull_volts=None), ("netlist.pull.none", "key")
    yield altered(netlist, key, pull_volts=0.0), "SW_key"


@fault("ht")
def nothing_pulls_a_line_up(netlist):
    for part in netlist.parts_of_type("pi", "trellis"):
        netlist = replaced(
            netlist, replace(part, pins={n: replace(pin, pull_volts=None) for n, pin in part.pins.items()})
        )
    yield netlist, "SDA"


@fault("h")
def a_sensor_hangs_on_a_pull_down(netlist):
    yield altered(netlist, PartPin("U21", "22"), pull_volts=0.0), ("netlist.pull.no_pull_up", "b2")


@fault("dphao")
def the_wires_of_two_cells_touch(netlist):
    yield (
        touching(netlist, "a1", "b1"),
        "U_a1" if any(netlist.parts_of_type("linear hall")) else ("netlist.short", "a1"),
    )


# ---- voltages ----


@fault("dpmhao")
def five_volts_on_a_pin_for_three(netlist):
    yield moved(netlist, next(netlist.pins_on("key", PinKind.IN)), LAMP_SUPPLY_NET), "J1."
    yield pulled_up(netlist, "key", LAMP_SUPPLY_NET), "J1."
    yield moved(netlist, PartPin("D9", "2"), "key"), "J1."
    yield moved(netlist, PartPin("SW_key", "2"), LAMP_SUPPLY_NET), "J1."


@fault("hao")
def a_chip_for_three_volts_is_fed_with_five(netlist):
    chips = pins(netlist, "expander", "VDD") + pins(netlist, "converter", "VDD", "VREF")
    for end in chips + pins(netlist, "linear hall", "VCC")[:1]:
        yield moved(netlist, end, LAMP_SUPPLY_NET), end.part


@fault("h")
def a_sensor_pulls_up_to_five(netlist):
    yield pulled_up(netlist, "b2", LAMP_SUPPLY_NET), "U21"


@fault("dpmhao")
def what_needs_five_volts_gets_three(netlist):
    if LOGIC_NET not in netlist.nets:
        netlist = with_pin(netlist, "1", Pin("3.3 V", PinKind.SUPPLY, 3.3, max_current=500.0), LOGIC_NET)
    yield moved(netlist, PartPin("D9", "1"), LOGIC_NET), ("netlist.supply.too_low", "D9.1 (5 V)")
    yield moved(netlist, PartPin("U1", "14"), LOGIC_NET), "U1"


@fault("dpmhao")
def data_goes_to_the_lamps_without_the_shifter(netlist):
    yield touching(netlist, "data", "data 5 V"), "U1"
    bare = lacking(netlist, "U1", "C2", "R1")
    yield moved(bare, PartPin("D0", "4"), "data"), "D0.4 (DIN)"


@fault("t")
def a_module_pulls_up_to_five(netlist):
    yield altered(netlist, PartPin("M1", "3"), pull_volts=5.0), ("netlist.voltage.too_high", "3.3", "5", "M1.3 (SDA)")


# ---- chips that are set up wrongly ----


@fault("dpmhao")
def the_shifter_lets_nothing_through(netlist):
    yield moved(netlist, PartPin("U1", "1"), LAMP_SUPPLY_NET), "1OE"
    yield moved(netlist, PartPin("U1", "1")), "1OE"


@fault("h")
def an_expander_is_held_in_reset(netlist):
    yield moved(netlist, PartPin("U20", "18"), GROUND_NET), "RESET"


@fault("ht")
def the_wires_of_i2c_are_swapped(netlist):
    yield exchanged(netlist, PartPin("J1", "3"), PartPin("J1", "5")), "SDA"
    for chip in netlist.parts_of_type("expander", "trellis"):
        yield exchanged(netlist, find_pin(chip, "SDA"), find_pin(chip, "SCL")), ("netlist.match.i2c", "SDA", chip.ref)


@fault("a")
def the_wires_of_spi_are_swapped(netlist):
    for one, other in combinations(("10", "11", "12", "13"), 2):
        yield exchanged(netlist, PartPin("U_D", one), PartPin("U_D", other)), ("netlist.match.chip", "D")


# ---- capacitors, diodes, fuses ----


@fault("dpmhao")
def a_capacitor_is_missing_or_in_the_wrong_place(netlist):
    seen = {netlist.parts[each.beside].part_type: each for each in netlist.parts_of_type("capacitor")}
    for each in seen.values():
        yield lacking(netlist, each.ref), each.beside
        yield replaced(netlist, replace(each, beside="B1")), each.beside
        yield moved(netlist, PartPin(each.ref, "1"), "key"), each.beside
        yield valued(netlist, each.ref, "100 pF"), each.ref
    yield lacking(netlist, "C1"), ("netlist.reservoir.missing",)
    yield exchanged(netlist, PartPin("C1", "1"), PartPin("C1", "2")), "C1"
    yield moved(netlist, PartPin("C1", "1"), FIVE_VOLT_NET), "C1"
    yield valued(netlist, "C1", "1 µF"), "C1"


@fault("m")
def a_diode_is_turned_round_or_bridged(netlist):
    yield exchanged(netlist, PartPin("D_c3", "1"), PartPin("D_c3", "2")), "c3"
    yield touching(netlist, "c3", netlist.net_of(PartPin("D_c3", "2"))), "D_c3"
    yield moved(netlist, PartPin("SW_c3", "2"), netlist.net_of(PartPin("D_c3", "2"))), "c3"


@fault("dpmhao")
def the_fuse_is_missing_or_bypassed_or_too_large(netlist):
    yield touching(netlist, FIVE_VOLT_NET, LAMP_SUPPLY_NET), "F1"
    yield lacking(touching(netlist, FIVE_VOLT_NET, LAMP_SUPPLY_NET), "F1"), ("netlist.fuse.missing",)
    yield moved(netlist, PartPin("D9", "1"), FIVE_VOLT_NET), "D9"
    yield moved(netlist, netlist.nets[FIVE_VOLT_NET][0], LAMP_SUPPLY_NET), ("netlist.fuse.bypassed",)
    yield valued(netlist, "F1", "16 A"), "F1"


# ---- currents ----


@fault("mhao")
def a_pin_carries_too_much(netlist):
    yield valued(netlist, "R3", "10 Ω"), "R3"
    yield valued(netlist, "R3", ""), "R3"
    too_much = check_netlist(valued(netlist, "R3", "10 Ω"))
    assert any(is_about(message, ("netlist.load.pin", "GPIO")) for message in too_much)


@fault("h")
def a_line_is_pulled_up_too_strongly(netlist):
    yield pulled_up(netlist, "SDA", LOGIC_NET, "100 Ω"), ("netlist.load.pin", "(SDA)")


@fault("h")
def a_sensor_is_too_weak_for_the_pull_up(netlist):
    yield altered(netlist, PartPin("U_b2", "3"), max_current=0.01), ("netlist.load.pin", "U_b2.3 (OUT)")


@fault("dpmhao")
def a_resistor_in_the_data_has_the_wrong_value(netlist):
    yield valued(netlist, "R1", "10 Ω"), "R1"
    yield valued(netlist, "R1", "10 kΩ"), "R1"
    yield valued(netlist, "R2", "100 Ω"), "GPIO"
    yield touching(netlist, "data 5 V", "data 0"), "R1"


@fault("h")
def too_many_sensors_hang_on_the_header(netlist):
    yield altered(netlist, PartPin("U_a1", "1"), max_current=480.0), ("netlist.load.header",)


# ---- switches, and what else a person solders ----


@fault("dpmhato")
def a_button_does_nothing(netlist):
    grounded = [end for end in netlist.nets[GROUND_NET] if end.part == "SW_key"]
    yield moved(netlist, grounded[0], "key"), "SW_key"
    yield moved(netlist, PartPin("SW_key", "1"), GROUND_NET), "SW_key"
    yield touching(netlist, "key", GROUND_NET), "key"
    if LOGIC_NET in netlist.nets:
        yield moved(netlist, grounded[0], LOGIC_NET), "SW_key"
        yield (
            pulled_up(moved(netlist, next(netlist.pins_on("key", PinKind.IN))), "key", LOGIC_NET),
            ("netlist.switch.no_effect", "SW_key"),
        )
    for driven in {"data", "clock 5"} & set(netlist.nets):
        yield moved(netlist, PartPin("SW_key", "1"), driven), ("netlist.switch.no_effect", "SW_key")


@fault("ao")
def a_turn_key_does_nothing_or_is_the_other_one(netlist):
    grounded = [end for end in netlist.nets[GROUND_NET] if end.part == "SW_key_dark"]
    yield moved(netlist, grounded[0], "key dark"), "SW_key_dark"
    yield touching(netlist, "key dark", GROUND_NET), "key dark"
    yield touching(netlist, "key light", "key dark"), "key"
    swapped = exchanged(netlist, PartPin("SW_key_light", "1"), PartPin("SW_key_dark", "1"))
    yield swapped, ("netlist.match.key", "SW_key_light")
    yield (
        exchanged(netlist, PartPin("SW_key", "1"), PartPin("SW_key_light", "1")),
        ("netlist.match.key", "SW_key_light"),
    )


@fault("dpmhato")
def a_wire_goes_to_another_pin_of_the_header(netlist):
    key = next(netlist.pins_on("key", PinKind.IN))
    for kind in (PinKind.SUPPLY, PinKind.GROUND, PinKind.OPEN, PinKind.GPIO_OUT, PinKind.IN):
        for other in [
            PartPin("J1", number) for number, pin in netlist.parts["J1"].pins.items() if pin.pin_kind is kind
        ][:1]:
            if other != key:
                yield exchanged(netlist, other, key), "key"


@fault("mho")
def a_supply_is_the_wrong_way_round(netlist):
    yield exchanged(netlist, PartPin("J2", "1"), PartPin("J2", "2")), "J2"


@fault("mho")
def two_supplies_feed_one_another(netlist):
    yield with_pin(netlist, "2", Pin("5 V", PinKind.SUPPLY, 5.0, max_current=500.0), FIVE_VOLT_NET), "J2"


@fault("dpmhao")
def a_lamp_is_the_wrong_way_round(netlist):
    yield exchanged(netlist, PartPin("D9", "1"), PartPin("D9", "3")), "D9"
    yield exchanged(netlist, PartPin("D9", "2"), PartPin("D9", "4")), "D"


@fault("dpmhao")
def a_rail_lies_on_the_wrong_net(netlist):
    yield exchanged(netlist, PartPin("B1", "1"), PartPin("B1", "3")), "B1"


@fault("mhao")
def the_buzzer_is_not_heard(netlist):
    yield moved(netlist, PartPin("BZ1", "2"), "key"), ("netlist.match.buzzer",)
    yield moved(netlist, PartPin("R3", "2"), GROUND_NET), ("netlist.match.buzzer",)
    yield lacking(touching(netlist, "buzzer", "buzzer behind R3"), "R3"), ("netlist.match.buzzer",)


@pytest.mark.slow
@pytest.mark.parametrize("count", first_now_rest_long([1, len(BOARDS)]))
@pytest.mark.parametrize(("plant", "boards"), FAULTS, ids=[plant.__name__ for plant, _ in FAULTS])
def test_a_planted_fault_is_found_and_named(plant, boards, count):
    for letter in boards[:count]:
        profile, netlist = shipped(letter)
        planted = list(plant(netlist))
        assert planted
        for number, (bad, subject) in enumerate(planted):
            found = faults(profile, bad)
            assert any(is_about(message, subject) for message in found), (profile.name, number, subject, found)
            assert all(map(text, found))


def is_about(message, subject):
    """Whether a message has this id, if one is given, and names all this in its arguments."""
    words = [subject] if isinstance(subject, str) else [word for word in subject if not word.startswith("netlist.")]
    wanted_id = next((word for word in subject if word.startswith("netlist.")), message.id)
    arguments = [
        f"{argument:g}" if isinstance(argument, float) else str(argument) for argument in message.arguments.values()
    ]
    return message.id == wanted_id and all(any(word in argument for argument in arguments) for word in words)


BOTH_WAYS = ("button", "key", "resistor", "capacitor", "fuse", "buzzer")
"""What is the same thing turned round: two like ends, and nothing between them that has a direction."""


def plain(netlist):
    """The board without what does not matter: two are equal if current finds the same ways in both.

    The ends of a part that is the same turned round are not told apart. A pin of the header is told by its number, but
    not a diode by its name: two of a kind are one as good as the other, and each is called by the switch on its anode.
    Two such parts that are in series, with nothing between, are taken as one: the same current flows through both, in
    either order.
    """
    called = {end: end for ends in netlist.nets.values() for end in ends}
    for ends in netlist.nets.values():
        others = sorted(end.part for end in ends if netlist.parts[end.part].part_type != "diode")
        anodes = [end for end in ends if netlist.pin_at(end).name == "anode"]
        for end in anodes if len(anodes) == 1 else ():
            for number in netlist.parts[end.part].pins:
                called[PartPin(end.part, number)] = PartPin("diode at " + " ".join(others), number)
    series = {}
    for ends in netlist.nets.values():
        if len(ends) == 2 and all(netlist.parts[end.part].part_type in BOTH_WAYS for end in ends):
            series |= dict.fromkeys((end.part for end in ends), " and ".join(sorted(end.part for end in ends)))
    found = defaultdict(int)
    for ends in netlist.nets.values():
        both_ways = {end: netlist.parts[end.part].part_type in BOTH_WAYS for end in ends}
        net = tuple(sorted((series.get(end.part, end.part), "") if both_ways[end] else called[end] for end in ends))
        if not all(end.part in series for end in ends):
            found[net] += 1
    return found


def any_end(data, netlist):
    """A pin that is soldered: first the sort of its part, so that lamps and cells do not crowd out the rest."""
    ends = {}
    for end in sorted(end for ends in netlist.nets.values() for end in ends):
        ends.setdefault(netlist.parts[end.part].part_type, []).append(end)
    return data.draw(st.sampled_from(ends[data.draw(st.sampled_from(sorted(ends)))]))


boards = st.sampled_from([*BOARDS]).map(shipped) | profiles().map(lambda profile: (profile, make_circuit(profile)))


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(boards, st.data())
def test_any_pin_that_is_left_out_is_missed(board, data):
    """No exception: the header has only the pins that are used, and rails two of them so that each is relied on."""
    profile, netlist = board
    assert faults(profile, left_out(netlist, any_end(data, netlist)))


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(boards, st.data())
def test_any_two_pins_that_are_exchanged_are_found_unless_it_does_not_matter(board, data):
    """It does not matter, and nothing is said, where the ways of the current stay the same (see `plain`).

    - The two ends of a switch, a resistor, a ceramic capacitor, a fuse or a buzzer: it has been turned round. It is the
      same if what is on its one side is exchanged with what is on its other, as the shifter and the first lamp at R1.
    - The outer ends of two of these in series, as of R3 and the buzzer: they have changed places.
    - The anodes of two diodes on one driven line, or the far ends of their buttons: the diodes have changed places.
    """
    profile, netlist = board
    ends = any_end(data, netlist), any_end(data, netlist)
    assume(netlist.net_of(ends[0]) != netlist.net_of(ends[1]))
    bad = exchanged(netlist, *ends)
    assert bool(faults(profile, bad)) == (plain(bad) != plain(netlist)), ends


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(boards, st.data())
def test_any_net_that_falls_in_two_is_found_unless_the_header_joins_both(board, data):
    """A wire between two groups of pins was left out. The header's pins of one rail are joined inside the Pi."""
    profile, netlist = board
    net = data.draw(st.sampled_from(sorted(netlist.nets)))
    ends = data.draw(st.permutations(netlist.nets[net]))
    at = data.draw(st.integers(1, len(ends) - 1))
    halves = ends[:at], ends[at:]
    of_header = [PartPin("J1", number) for number, pin in netlist.parts["J1"].pins.items() if pin.name == net]
    assume(not all(any(end in half for end in of_header) for half in halves))
    bad = Netlist(netlist.parts, {**netlist.nets, net: tuple(halves[0]), "the rest": tuple(halves[1])})
    assert faults(profile, bad)


@pytest.mark.parametrize("letter", "dpmhat")
def test_what_does_not_matter_is_not_found(letter):
    profile, netlist = shipped(letter)
    for sort in BOTH_WAYS:
        for part in list(netlist.parts_of_type(sort))[:2]:
            turned = exchanged(netlist, PartPin(part.ref, "1"), PartPin(part.ref, "2"))
            assert faults(profile, turned) == []
            assert plain(turned) == plain(netlist)


@pytest.mark.parametrize("letter", "dpmha")
def test_a_wire_too_thin_for_the_lamps_is_named(letter):
    profile, netlist = shipped(letter)
    cut = list_wires(profile, netlist)
    feed = next(wire for wire in cut if wire.net == LAMP_SUPPLY_NET)
    fuse = replaced(netlist, replace(netlist.parts["F1"], value="16 A"))
    too_thin = [message for message in check_wires(fuse, cut) if message.arguments["end"] == str(feed.end_pin)]
    assert [(message.id, message.arguments["wanted"]) for message in too_thin] == [("netlist.wire.too_thin", 12)]


@pytest.mark.parametrize("letter", "dpmha")
def test_wires_carry_what_the_fuse_needs_to_open(letter):
    profile, netlist = shipped(letter)
    rated = float(netlist.parts["F1"].value.removesuffix(" A")) * 1000
    feeds = [wire for wire in list_wires(profile, netlist) if wire.net in (FIVE_VOLT_NET, LAMP_SUPPLY_NET)]
    assert feeds
    assert all(MAX_CURRENTS[wire.gauge] >= 2.1 * rated for wire in feeds)


def test_a_fuse_carries_three_quarters_of_its_rating():
    assert [fuse_for(current) for current in (3000, 3001)] == [4000, 5000]
