"""Planted faults: each is found, and its message names the part or the net."""

from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, GROUND_NET, LAMP_SUPPLY_NET, LOGIC_NET, fuse_for
from pond_hw.fabrication.netlist import Netlist, PartPin, Pin, PinKind, find_pin
from pond_hw.fabrication.netlist_checks import check_netlist
from pond_hw.fabrication.part_catalogue import make_part
from pond_hw.fabrication.wire_tracing import check_profile_match
from pond_hw.profile import load_profile
from tests.conftest import long_after_first
from tests.fabrication.faulty_netlists import (
    make_full_circuit,
    remove_parts,
    remove_pins,
    replace_part,
    short_nets,
    swap_pins,
)
from tests.fabrication.profiles import profiles
from tests.messages.says import text

BOARDS = {
    "d": "direct-4x4",
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
    """Register a generator of faulty netlists, each with the expected subject of a message.

    The subject is a part or a net in the arguments, a message id, or both. `boards` are the initials of suitable boards.
    """
    return lambda plant_faults: FAULTS.append((plant_faults, boards)) or plant_faults


@cache
def shipped(letter):
    profile = load_profile(BOARDS[letter])
    return profile, make_full_circuit(profile)


def faults(profile, netlist):
    return [*check_netlist(netlist), *check_profile_match(profile, netlist)]


def pins(netlist, part_type, *names):
    """Return the pins with one of these names on all parts of a type."""
    return [find_pin(part, name) for part in netlist.parts_of_type(part_type) for name in names]


def move_pin(netlist, end, net=None):
    """Move a pin to another net, or disconnect it."""
    nets = {name: tuple(each for each in ends if each != end) for name, ends in netlist.nets.items()}
    if net:
        nets[net] = (*nets.get(net, ()), end)
    return Netlist(netlist.parts, {name: ends for name, ends in nets.items() if ends})


def set_value(netlist, ref, value):
    return replace_part(netlist, replace(netlist.parts[ref], value=value))


def add_pull_up(netlist, net, rail, value="10 kΩ"):
    """Add a resistor from a net to a rail."""
    changed = replace_part(netlist, make_part("R9", "resistor", value=value))
    return move_pin(move_pin(changed, PartPin("R9", "1"), rail), PartPin("R9", "2"), net)


def change_pin(netlist, end, **changes):
    """Change attributes of a pin."""
    part = netlist.parts[end.part]
    return replace_part(netlist, replace(part, pins={**part.pins, end.pin: replace(netlist.pin_at(end), **changes)}))


def add_header_pin(netlist, number, pin, net):
    """Use one more header pin."""
    header = netlist.parts["J1"]
    return move_pin(
        replace_part(netlist, replace(header, pins={**header.pins, number: pin})), PartPin("J1", number), net
    )


def signals(netlist):
    """Return one signal net, the last, for each combination of part types."""
    net_by_parts = {tuple(netlist.parts[end.part].part_type for end in ends): net for net, ends in netlist.nets.items()}
    return [net for net in net_by_parts.values() if net not in RAILS]


# ---- missing wires ----


@fault("dmhato")
def missing_wire(netlist):
    for net in signals(netlist):
        for end in netlist.nets[net]:
            yield remove_pins(netlist, end), net if len(netlist.nets[net]) == 2 else end.part


@fault("dmhato")
def net_without_driver(netlist):
    for net in signals(netlist):
        ends = [
            end
            for end in netlist.pins_on(net, *DRIVERS)
            if end.part != "J1" or netlist.pin_at(end).pin_kind is not PinKind.IN
        ]
        readers = list(netlist.pins_on(net, PinKind.IN))
        if ends and readers:
            yield remove_pins(netlist, *ends), ("netlist.driver.none", "data") if net == "data" else net


@fault("h")
def two_inputs_without_driver(netlist):
    yield move_pin(move_pin(netlist, PartPin("U_b2", "3")), PartPin("U20", "25"), "b2"), ("netlist.driver.none", "b2")


@fault("hato")
def chip_without_ground(netlist):
    for part_type in ("hall", "linear hall", "expander", "converter", "trellis"):
        for part in list(netlist.parts_of_type(part_type))[:1]:
            end = next(PartPin(part.ref, number) for number, pin in part.pins.items() if pin.pin_kind is PinKind.GROUND)
            yield remove_pins(netlist, end), end.part
            yield move_pin(netlist, end, "key"), end.part
            yield (
                move_pin(netlist, end, LOGIC_NET),
                ("netlist.supply.no_ground", f"{end} ({netlist.pin_at(end).name})"),
            )


@fault("dmhao")
def lamp_or_shifter_without_ground(netlist):
    for end in (PartPin("D0", "3"), PartPin("D9", "3"), PartPin("U1", "7")):
        yield remove_pins(netlist, end), end.part
        yield move_pin(netlist, end, "key"), end.part
        yield move_pin(netlist, end, LAMP_SUPPLY_NET), ("netlist.supply.no_ground", f"{end} (GND)")


@fault("dmhato")
def chip_without_supply(netlist):
    for part_type in ("lamp", "shifter", "hall", "linear hall", "expander", "converter", "trellis"):
        for part in list(netlist.parts_of_type(part_type))[-1:]:
            for number, pin in part.pins.items():
                if pin.pin_kind is PinKind.FED:
                    yield remove_pins(netlist, PartPin(part.ref, number)), part.ref
                    yield (
                        move_pin(netlist, PartPin(part.ref, number), GROUND_NET),
                        ("netlist.supply.none", f"{part.ref}.{number} ({pin.name})"),
                    )


@fault("mho")
def separate_grounds(netlist):
    socket_pins = PartPin("J2", "A12"), PartPin("J2", "B12")
    yield move_pin(netlist, socket_pins[0]), "J2.A12 (GND)"
    split = {**netlist.nets, GROUND_NET: (*socket_pins, PartPin("D0", "3"))}
    split["the Pi's"] = tuple(end for end in netlist.nets[GROUND_NET] if end not in split[GROUND_NET])
    yield Netlist(netlist.parts, split), "J2"


# ---- joined outputs and floating inputs ----


@fault("dmhato")
def joined_outputs(netlist):
    firsts = {}
    for end in sorted(end for ends in netlist.nets.values() for end in ends):
        firsts.setdefault(netlist.pin_at(end).pin_kind, []).append(end)
    for one, other in combinations([kind for kind in DRIVERS if kind in firsts], 2):
        a, b = firsts[one][0], firsts[other][-1]
        driver = a.part if a.part != "J1" else f"J1.{a.pin} "
        yield short_nets(netlist, netlist.net_of(a), netlist.net_of(b)), driver
    for kind in (PinKind.OUT, PinKind.GPIO_OUT):
        nets = sorted({netlist.net_of(end) for end in firsts.get(kind, ())})
        if len(nets) > 1:
            yield short_nets(netlist, nets[0], nets[-1]), nets[0]


@fault("ao")
def shared_select_wire(netlist):
    select = netlist.net_of(PartPin("U_A", "10"))
    for other in {"U_B", "U_C"} & netlist.parts.keys():  # not neighbours on their wire
        yield (
            move_pin(netlist, PartPin(other, "10"), select),
            ("netlist.driver.two", "U_A.12 (DOUT)", f"{other}.12 (DOUT)"),
        )


@fault("h")
def shared_expander_address(netlist):
    yield move_pin(netlist, PartPin("U21", "15"), GROUND_NET), "U21.15 (A0)"
    yield move_pin(netlist, PartPin("U20", "15"), LOGIC_NET), "U20.15 (A0)"


@fault("h")
def swapped_address_pins(netlist):
    yield swap_pins(netlist, PartPin("U21", "15"), PartPin("U21", "16")), "U21.16 (A1)"


@fault("dmhao")
def floating_input(netlist):
    for end in [*pins(netlist, "shifter", "1A", "2A", "4OE"), *pins(netlist, "converter", "CS")]:
        yield move_pin(netlist, end), end.part
    key = next(netlist.pins_on("key", PinKind.IN))
    yield change_pin(netlist, key, pull_volts=None), ("netlist.pull.none", "key")
    yield change_pin(netlist, key, pull_volts=0.0), "SW_key"


@fault("ht")
def line_without_pull_up(netlist):
    for part in netlist.parts_of_type("pi", "trellis"):
        netlist = replace_part(
            netlist, replace(part, pins={n: replace(pin, pull_volts=None) for n, pin in part.pins.items()})
        )
    yield netlist, "SDA"


@fault("h")
def sensor_on_pull_down(netlist):
    yield change_pin(netlist, PartPin("U21", "22"), pull_volts=0.0), ("netlist.pull.no_pull_up", "b2")


@fault("dhao")
def touching_cell_wires(netlist):
    yield (
        short_nets(netlist, "a1", "b1"),
        "U_a1" if any(netlist.parts_of_type("linear hall")) else ("netlist.short", "a1"),
    )


# ---- voltages ----


@fault("dmhao")
def five_volts_on_3v3_pin(netlist):
    yield move_pin(netlist, next(netlist.pins_on("key", PinKind.IN)), LAMP_SUPPLY_NET), "J1."
    yield add_pull_up(netlist, "key", LAMP_SUPPLY_NET), "J1."
    yield move_pin(netlist, PartPin("D9", "2"), "key"), "J1."
    yield move_pin(netlist, PartPin("SW_key", "2"), LAMP_SUPPLY_NET), "J1."


@fault("hao")
def five_volts_on_3v3_chip(netlist):
    chips = pins(netlist, "expander", "VDD") + pins(netlist, "converter", "VDD", "VREF")
    for end in chips + pins(netlist, "linear hall", "VCC")[:1]:
        yield move_pin(netlist, end, LAMP_SUPPLY_NET), end.part


@fault("h")
def sensor_pull_up_to_five_volts(netlist):
    yield add_pull_up(netlist, "b2", LAMP_SUPPLY_NET), "U21"


@fault("dmhao")
def low_voltage_on_five_volt_part(netlist):
    if LOGIC_NET not in netlist.nets:
        netlist = add_header_pin(netlist, "1", Pin("3.3 V", PinKind.SUPPLY, 3.3, max_current=500.0), LOGIC_NET)
    yield move_pin(netlist, PartPin("D9", "1"), LOGIC_NET), ("netlist.supply.too_low", "D9.1 (5 V)")
    yield move_pin(netlist, PartPin("U1", "14"), LOGIC_NET), "U1"


@fault("dmhao")
def lamp_data_without_shifter(netlist):
    yield short_nets(netlist, "data", "data 5 V"), "U1"
    bare = remove_parts(netlist, "U1", "C2", "R1")
    yield move_pin(bare, PartPin("D0", "4"), "data"), "D0.4 (DIN)"


@fault("t")
def module_pull_up_to_five_volts(netlist):
    yield (
        change_pin(netlist, PartPin("M1", "3"), pull_volts=5.0),
        ("netlist.voltage.too_high", "3.3", "5", "M1.3 (SDA)"),
    )


# ---- misconfigured chips ----


@fault("dmhao")
def disabled_shifter(netlist):
    yield move_pin(netlist, PartPin("U1", "1"), LAMP_SUPPLY_NET), "1OE"
    yield move_pin(netlist, PartPin("U1", "1")), "1OE"


@fault("h")
def expander_held_in_reset(netlist):
    yield move_pin(netlist, PartPin("U20", "18"), GROUND_NET), "RESET"


@fault("ht")
def swapped_i2c_wires(netlist):
    yield swap_pins(netlist, PartPin("J1", "3"), PartPin("J1", "5")), "SDA"
    for chip in netlist.parts_of_type("expander", "trellis"):
        yield swap_pins(netlist, find_pin(chip, "SDA"), find_pin(chip, "SCL")), ("netlist.match.i2c", "SDA", chip.ref)


@fault("a")
def swapped_spi_wires(netlist):
    for one, other in combinations(("10", "11", "12", "13"), 2):
        yield swap_pins(netlist, PartPin("U_D", one), PartPin("U_D", other)), ("netlist.match.chip", "D")


# ---- capacitors, diodes, fuses ----


@fault("dmhao")
def missing_or_misplaced_capacitor(netlist):
    seen = {netlist.parts[each.beside].part_type: each for each in netlist.parts_of_type("capacitor")}
    for each in seen.values():
        yield remove_parts(netlist, each.ref), each.beside
        yield replace_part(netlist, replace(each, beside="J1")), each.beside
        yield move_pin(netlist, PartPin(each.ref, "1"), "key"), each.beside
        yield set_value(netlist, each.ref, "100 pF"), each.ref
    yield remove_parts(netlist, "C1"), ("netlist.reservoir.missing",)
    yield swap_pins(netlist, PartPin("C1", "1"), PartPin("C1", "2")), "C1"
    yield move_pin(netlist, PartPin("C1", "1"), FIVE_VOLT_NET), "C1"
    yield set_value(netlist, "C1", "1 µF"), "C1"


@fault("m")
def turned_or_bridged_diode(netlist):
    yield swap_pins(netlist, PartPin("D_c3", "1"), PartPin("D_c3", "2")), "c3"
    yield short_nets(netlist, "c3 diode", netlist.net_of(PartPin("D_c3", "2"))), "D_c3"
    yield move_pin(netlist, PartPin("SW_c3", "2"), netlist.net_of(PartPin("D_c3", "2"))), "c3"


@fault("dmhao")
def wrong_fuse(netlist):
    bridged = short_nets(netlist, FIVE_VOLT_NET, netlist.net_of(PartPin("F1", "2")))
    yield bridged, "F1"
    yield remove_parts(bridged, "F1"), ("netlist.fuse.missing",)
    yield move_pin(netlist, PartPin("D9", "1"), FIVE_VOLT_NET), "D9"
    yield move_pin(netlist, netlist.nets[FIVE_VOLT_NET][0], LAMP_SUPPLY_NET), ("netlist.fuse.bypassed",)
    yield set_value(netlist, "F1", "16 A"), "F1"


# ---- currents ----


@fault("mhao")
def overloaded_pin(netlist):
    yield set_value(netlist, "R3", "10 Ω"), "R3"
    yield set_value(netlist, "R3", ""), "R3"
    too_much = check_netlist(set_value(netlist, "R3", "10 Ω"))
    assert any(is_about(message, ("netlist.load.pin", "GPIO")) for message in too_much)


@fault("h")
def strong_pull_up(netlist):
    yield add_pull_up(netlist, "SDA", LOGIC_NET, "100 Ω"), ("netlist.load.pin", "(SDA)")


@fault("h")
def pull_up_too_strong_for_sensor(netlist):
    yield change_pin(netlist, PartPin("U_b2", "3"), max_current=0.01), ("netlist.load.pin", "U_b2.3 (OUT)")


@fault("dmhao")
def wrong_data_resistor(netlist):
    yield set_value(netlist, "R1", "10 Ω"), "R1"
    yield set_value(netlist, "R1", "10 kΩ"), "R1"
    yield set_value(netlist, "R2", "100 Ω"), "GPIO"
    yield short_nets(netlist, "data 5 V", "data 0"), "R1"


@fault("h")
def too_many_sensors(netlist):
    yield change_pin(netlist, PartPin("U_a1", "1"), max_current=480.0), ("netlist.load.header",)


# ---- switches and other soldering mistakes ----


@fault("dmhato")
def button_without_effect(netlist):
    grounded = [end for end in netlist.nets[GROUND_NET] if end.part == "SW_key"]
    yield move_pin(netlist, grounded[0], "key"), "SW_key"
    yield move_pin(netlist, PartPin("SW_key", "1"), GROUND_NET), "SW_key"
    yield short_nets(netlist, "key", GROUND_NET), "key"
    if LOGIC_NET in netlist.nets:
        yield move_pin(netlist, grounded[0], LOGIC_NET), "SW_key"
        yield (
            add_pull_up(move_pin(netlist, next(netlist.pins_on("key", PinKind.IN))), "key", LOGIC_NET),
            ("netlist.switch.no_effect", "SW_key"),
        )
    for driven in {"data", "clock 5"} & set(netlist.nets):
        yield move_pin(netlist, PartPin("SW_key", "1"), driven), ("netlist.switch.no_effect", "SW_key")


@fault("ao")
def dead_or_swapped_turn_key(netlist):
    grounded = [end for end in netlist.nets[GROUND_NET] if end.part == "SW_key_dark"]
    yield move_pin(netlist, grounded[0], "key dark"), "SW_key_dark"
    yield short_nets(netlist, "key dark", GROUND_NET), "key dark"
    yield short_nets(netlist, "key light", "key dark"), "key"
    swapped = swap_pins(netlist, PartPin("SW_key_light", "1"), PartPin("SW_key_dark", "1"))
    yield swapped, ("netlist.match.key", "SW_key_light")
    yield (
        swap_pins(netlist, PartPin("SW_key", "1"), PartPin("SW_key_light", "1")),
        ("netlist.match.key", "SW_key_light"),
    )


@fault("dmhato")
def wire_on_wrong_header_pin(netlist):
    key = next(netlist.pins_on("key", PinKind.IN))
    for kind in (PinKind.SUPPLY, PinKind.GROUND, PinKind.OPEN, PinKind.GPIO_OUT, PinKind.IN):
        for other in [
            PartPin("J1", number) for number, pin in netlist.parts["J1"].pins.items() if pin.pin_kind is kind
        ][:1]:
            if other != key:
                yield swap_pins(netlist, other, key), "key"


@fault("mho")
def reversed_supply(netlist):
    turned = swap_pins(netlist, PartPin("J2", "A9"), PartPin("J2", "A12"))
    yield turned, ("netlist.driver.conflict", "J2")
    yield swap_pins(turned, PartPin("J2", "B9"), PartPin("J2", "B12")), ("netlist.supply.no_ground", "J2")


@fault("mho")
def joined_supplies(netlist):
    yield add_header_pin(netlist, "2", Pin("5 V", PinKind.SUPPLY, 5.0, max_current=500.0), FIVE_VOLT_NET), "J2"


@fault("mho")
def wrong_label(netlist):
    yield swap_pins(netlist, PartPin("TP1", "1"), PartPin("TP2", "1")), ("netlist.match.label", "TP1")
    yield swap_pins(netlist, PartPin("J6", "1"), PartPin("J6", "2")), ("netlist.match.label", "J6")


@fault("dmhao")
def reversed_lamp(netlist):
    yield swap_pins(netlist, PartPin("D9", "1"), PartPin("D9", "3")), "D9"
    yield swap_pins(netlist, PartPin("D9", "2"), PartPin("D9", "4")), "D"


@fault("mhao")
def disconnected_buzzer(netlist):
    yield move_pin(netlist, PartPin("BZ1", "2"), "key"), ("netlist.match.buzzer",)
    yield move_pin(netlist, PartPin("R3", "2"), GROUND_NET), ("netlist.match.buzzer",)
    yield remove_parts(short_nets(netlist, "buzzer", "buzzer behind R3"), "R3"), ("netlist.match.buzzer",)


@pytest.mark.slow
@pytest.mark.parametrize("count", long_after_first([1, len(BOARDS)]))
@pytest.mark.parametrize(("plant_faults", "boards"), FAULTS, ids=[plant_faults.__name__ for plant_faults, _ in FAULTS])
def test_planted_fault_is_found_and_named(plant_faults, boards, count):
    for letter in boards[:count]:
        profile, netlist = shipped(letter)
        faulty_boards = list(plant_faults(netlist))
        assert faulty_boards
        for number, (bad, subject) in enumerate(faulty_boards):
            found = faults(profile, bad)
            assert any(is_about(message, subject) for message in found), (profile.name, number, subject, found)
            assert all(map(text, found))


def is_about(message, subject):
    """Return True if a message has this id (if given) and all these words in its arguments."""
    words = [subject] if isinstance(subject, str) else [word for word in subject if not word.startswith("netlist.")]
    wanted_id = next((word for word in subject if word.startswith("netlist.")), message.id)
    arguments = [
        f"{argument:g}" if isinstance(argument, float) else str(argument) for argument in message.arguments.values()
    ]
    return message.id == wanted_id and all(any(word in argument for argument in arguments) for word in words)


SYMMETRIC_TYPES = ("button", "key", "turn key", "resistor", "capacitor", "fuse", "buzzer")
"""Parts without a direction."""


def normalize(netlist):
    """Return a canonical form, equal for two boards that are electrically equivalent.

    The ends of a symmetric part are not distinguished. A diode to ground makes no difference for a switch. Header pins are
    identified by number, and diodes by the switch at their anode, because diodes are interchangeable. Two symmetric parts
    in series are merged: the same current flows through both, in either order. Resistors of one value are
    interchangeable, and so are the two CC pins of the USB-C socket.
    """

    def names_around(part):
        nets = [netlist.ends_on(netlist.net_of(PartPin(part.ref, number))) for number in part.pins]
        return sorted(sorted(end for end in ends if netlist.parts[end.part].part_type != "resistor") for ends in nets)

    for diode in list(netlist.parts_of_type("diode")):
        behind_switch = [end for end in netlist.ends_on(netlist.pin_net(diode, "anode")) if end.part != diode.ref]
        types = [netlist.parts[end.part].part_type for end in behind_switch]
        if netlist.pin_net(diode, "band") == GROUND_NET and types in (["button"], ["key"], ["turn key"]):
            netlist = remove_parts(short_nets(netlist, GROUND_NET, netlist.pin_net(diode, "anode")), diode.ref)
    name_by_end = {end: end for ends in netlist.nets.values() for end in ends}
    name_by_end |= {PartPin("J2", number): PartPin("J2", "CC1 or CC2") for number in ("A5", "B5")}
    resistors = sorted(netlist.parts_of_type("resistor"), key=lambda part: (part.value, names_around(part)))
    symmetric = {part.ref: part.ref for part in netlist.parts_of_type(*SYMMETRIC_TYPES)}
    symmetric |= {part.ref: f"resistor {number}" for number, part in enumerate(resistors)}
    for ends in netlist.nets.values():
        others = sorted(end.part for end in ends if netlist.parts[end.part].part_type != "diode")
        anodes = [end for end in ends if netlist.pin_at(end).name == "anode"]
        for end in anodes if len(anodes) == 1 else ():
            for number in netlist.parts[end.part].pins:
                name_by_end[PartPin(end.part, number)] = PartPin("diode at " + " ".join(others), number)
    series = {}
    for ends in netlist.nets.values():
        if len(ends) == 2 and all(end.part in symmetric for end in ends):
            series |= dict.fromkeys((end.part for end in ends), " and ".join(sorted(symmetric[e.part] for e in ends)))
    found = defaultdict(int)
    for ends in netlist.nets.values():
        net = tuple(
            sorted(
                (series.get(end.part, symmetric[end.part]), "") if end.part in symmetric else name_by_end[end]
                for end in ends
            )
        )
        if not all(end.part in series for end in ends):
            found[net] += 1
    return found


def draw_end(data, netlist):
    """Draw a connected pin. Its part type is drawn first, so that lamps and cells don't dominate."""
    ends = {}
    for end in sorted(end for ends in netlist.nets.values() for end in ends):
        ends.setdefault(netlist.parts[end.part].part_type, []).append(end)
    return data.draw(st.sampled_from(ends[data.draw(st.sampled_from(sorted(ends)))]))


# No netlists: Hypothesis warns about their long representations, and that hides the failure.
board_profiles = st.sampled_from([*BOARDS.values()]).map(load_profile) | profiles()


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(board_profiles, st.data())
def test_any_unconnected_pin_is_found(profile, data):
    """Every connected pin is needed: the header lists only used pins and needs both pins of a rail."""
    netlist = make_full_circuit(profile)
    assert faults(profile, remove_pins(netlist, draw_end(data, netlist)))


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(board_profiles, st.data())
def test_any_swapped_pins_are_found_unless_equivalent(profile, data):
    """Swapped pins are equivalent if the same current still flows (see `normalize`):

    - both ends of a switch, resistor, ceramic capacitor, fuse or buzzer, or the nets at its two ends, such as the shifter
      and the first lamp at R1
    - the outer ends of two of these in series, such as R3 and the buzzer
    - the anodes of two diodes on one driven line, or the far ends of their buttons
    - ground and a diode to ground, at the far ends of two switches
    """
    netlist = make_full_circuit(profile)
    ends = draw_end(data, netlist), draw_end(data, netlist)
    assume(netlist.net_of(ends[0]) != netlist.net_of(ends[1]))
    bad = swap_pins(netlist, *ends)
    assert bool(faults(profile, bad)) == (normalize(bad) != normalize(netlist)), ends


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(board_profiles, st.data())
def test_any_split_net_is_found(profile, data):
    """Remove a wire between two groups of pins. Pins with the same name are joined inside the Pi or the USB-C socket."""
    netlist = make_full_circuit(profile)
    net = data.draw(st.sampled_from(sorted(netlist.nets)))
    ends = data.draw(st.permutations(netlist.nets[net]))
    at = data.draw(st.integers(1, len(ends) - 1))
    halves = ends[:at], ends[at:]
    for ref in {"J1", "J2"} & netlist.parts.keys():
        names = [[netlist.pin_at(end).name for end in half if end.part == ref] for half in halves]
        assume(not {*names[0]} & {*names[1]})
    bad = Netlist(netlist.parts, {**netlist.nets, net: tuple(halves[0]), "the rest": tuple(halves[1])})
    assert faults(profile, bad)


@pytest.mark.parametrize("letter", "dmhat")
def test_reversed_symmetric_parts_are_not_a_fault(letter):
    profile, netlist = shipped(letter)
    for part_type in SYMMETRIC_TYPES:
        for part in list(netlist.parts_of_type(part_type))[:2]:
            with_three_faces = swap_pins(netlist, PartPin(part.ref, "1"), PartPin(part.ref, "2"))
            assert faults(profile, with_three_faces) == []
            assert normalize(with_three_faces) == normalize(netlist)


def test_fuse_carries_three_quarters_of_its_rating():
    assert [fuse_for(current) for current in (3000, 3001)] == [4000, 5000]
