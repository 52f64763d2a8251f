"""Wiring diagram and circuits: they are complete and agree with the netlist."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.netlist import PartPin
from pond_hw.fabrication.schematic import draw_cell, draw_feed
from pond_hw.fabrication.wire_tracing import cell_sensor, sensor_routes
from pond_hw.fabrication.wires import lamp_strips, list_wires
from pond_hw.fabrication.wiring_diagram import WIRE_INKS, WiringDiagram, draw_wiring
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.rules import PondError
from tests.conftest import each, require
from tests.fabrication.faulty_netlists import remove_pins, replace_part, swap_pins
from tests.fabrication.profiles import profiles
from tests.messages.says import says

CHAINED = (
    "direct-4x4",
    "hall-4x4",
    "matrix-5x5",
    "hall-5x5",
    "owner-4x4",
    "usb-direct-4x4",
    "usb-hall-4x4",
    "usb-matrix-5x5",
)
BUILDS = (*CHAINED, "neotrellis-4x4")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def wireviz():
    require("wireviz", "it draws the diagram")
    require("dot", "WireViz draws with it")


@pytest.fixture
def schemdraw():
    require("schemdraw", "it draws the schematics")


def built(name):
    profile = load_profile(name)
    return profile, make_circuit(profile)


@cache
def wiring(name):
    """Return the diagram of a build, cached."""
    return draw_wiring(*built(name))


def squeeze(text):
    """Remove spaces, some of which are only padding."""
    return "".join(text.split())


def texts(svg):
    """Return all texts of a drawing, as a person would read them."""
    return [squeeze("".join(found.itertext())) for found in ET.fromstring(svg).iter(f"{SVG}text")]


def rows(svg, box, read=squeeze):
    """Return the lines of one box."""
    (node,) = (group for group in ET.fromstring(svg).iter(f"{SVG}g") if group.findtext(f"{SVG}title") == box)
    found = {}
    for text in node.iter(f"{SVG}text"):
        found.setdefault(text.get("y"), []).append(read(text.text))
    return list(found.values())


def notes(wire):
    return squeeze(f"{wire.net}, {wire.length:g} mm, AWG {wire.gauge}")


def end_at(box, pin):
    return PartPin(box, str(pin)) if isinstance(pin, int) else PartPin(*pin.split("."))


def bundled(data):
    """Return ends, colour and label of the bundled wires in WireViz's input."""
    for (left, first_lines), (cable, numbers), (right, second_lines) in (
        [next(iter(part.items())) for part in joint] for joint in data["connections"]
    ):
        cable_wires = data["cables"][cable]
        for one, number, other in zip(first_lines, numbers, second_lines, strict=True):
            ends = frozenset({end_at(left, one), end_at(right, other)})
            yield ends, cable_wires["colors"][number - 1], squeeze(cable_wires["wirelabels"][number - 1])


def arced(data):
    """Return ends and shade of the wires within boxes."""
    arc = re.compile(r'"(.+)":p(\d+)r:e -- "\1":p(\d+)r:e \[color="#000000:(#\w+):#000000"')
    for name, one, other, shade in arc.findall(data["tweak"]["append"]):
        pins = data["connectors"][name]["pins"]
        yield frozenset(end_at(name, pins[int(number) - 1]) for number in (one, other)), shade


def check_wires_in_diagram(profile, netlist):
    cut, data = list_wires(profile, netlist), WiringDiagram(profile, netlist).to_wireviz()
    tied, free = list(bundled(data)), list(arced(data))
    assert len(tied) + len(free) == len(cut)
    known = {ends: (colour, labels) for ends, colour, labels in tied}
    shades = dict(free)
    for wire in cut:
        ends = frozenset({wire.start_pin, wire.end_pin})
        code, shade = WIRE_INKS[wire.colour]
        if ends in known:
            assert known[ends] == (code, notes(wire))
        else:
            assert shades[ends] == shade


@each("name", BUILDS)
def test_diagram_has_every_wire_and_colour(name):
    check_wires_in_diagram(*built(name))


@pytest.mark.slow
@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(profiles())
def test_random_board_diagram_is_complete(profile):
    check_wires_in_diagram(profile, make_circuit(profile))


def test_swapped_wires_are_swapped_in_diagram():
    profile, netlist = built("direct-4x4")
    swapped = swap_pins(netlist, PartPin("SW_b2", "1"), PartPin("SW_c3", "1"))
    assert frozenset({PartPin("J1", "31"), PartPin("SW_b2", "1")}) in {
        ends for ends, *_ in bundled(WiringDiagram(profile, netlist).to_wireviz())
    }
    assert frozenset({PartPin("J1", "31"), PartPin("SW_c3", "1")}) in {
        ends for ends, *_ in bundled(WiringDiagram(profile, swapped).to_wireviz())
    }


@pytest.mark.slow
@each("name", BUILDS)
def test_diagram_shows_colour_length_and_gauge(name, wireviz):
    profile, netlist = built(name)
    drawn = wiring(name)
    cut = list_wires(profile, netlist)
    written = Counter(texts(drawn))
    for words, count in Counter(f"{wire.colour}:{notes(wire)}" for wire in cut).items():
        assert written[words] == count, words
    for end in {end for wire in cut for end in (wire.start_pin, wire.end_pin) if end.part == "J1"}:
        assert [squeeze(netlist.pin_at(end).name), end.pin] in [line[-2:] for line in rows(drawn, "J1")]


def test_arc_label_is_where_the_arc_starts(wireviz):
    profile, netlist = built("hall-5x5")
    drawn = wiring("hall-5x5")
    along = [wire for wire in list_wires(profile, netlist) if wire.start_pin == PartPin("U_b3", "1")]
    assert [(str(wire.end_pin), wire.colour) for wire in along] == [("U_c3.1", "pink")]
    assert ["U_b3.1", "b3:VCC", f"pink:{notes(along[0])}"] in rows(drawn, "row 3")
    assert ["U_e3.1", "e3:VCC", ""] in rows(drawn, "row 3") or ["U_e3.1", "e3:VCC"] in rows(drawn, "row 3")


def test_lamps_are_drawn_as_strips(wireviz):
    profile, netlist = built("matrix-5x5")
    drawn = [word for line in rows(wiring("matrix-5x5"), "lamps") for word in line]
    for number, piece in enumerate(lamp_strips(profile, netlist), 1):
        first, last = piece[0], piece[-1]
        assert squeeze(f"strip {number}: {first.ref} to {last.ref}, from {first.cell} to {last.cell}") in drawn
    reached = {
        str(end)
        for wire in list_wires(profile, netlist)
        for end in (wire.start_pin, wire.end_pin)
        if end.part[1:].isdigit()
    }
    assert {word for word in drawn if re.fullmatch(r"D\d+\.\d", word)} == {end for end in reached if end[0] == "D"}


def test_strip_ends_name_their_strip(wireviz):
    drawn = {line[0]: line[1] for line in rows(wiring("matrix-5x5"), "lamps") if len(line) > 1}
    assert drawn["D0.1"] == "strip1,a5:5V"
    assert (drawn["D9.2"], drawn["D10.4"]) == ("strip1,e5:DOUT", "strip2,e5:DIN")
    assert drawn["D99.1"] == "strip10,a1:5V"


def test_diagram_boxes_are_matrix_lines_or_rows():
    boxes = WiringDiagram(*built("matrix-5x5")).to_wireviz()["connectors"]
    assert boxes["sense 17"]["pins"] == [f"SW_a{row}.1" for row in range(1, 6)]
    assert boxes["row 4"]["pins"] == [f"D_{column}4.2" for column in "abcde"]
    assert boxes["U1"]["pins"] == [2]
    assert boxes["J1"]["pins"] == sorted(boxes["J1"]["pins"])
    boxes = WiringDiagram(*built("direct-4x4")).to_wireviz()["connectors"]
    assert boxes["row 2"]["pins"] == [f"SW_{column}2.{leg}" for leg in (2, 1) for column in "abcd"]


def test_joined_pins_are_noted_beside_their_row(wireviz):
    written = [words for line in rows(wiring("matrix-5x5"), "row 4") for words in line]
    assert written[-2:] == ["Legsjoinedina4,thesameinallcells:", "SW_a4.2withD_a4.1"]
    written = [words for line in rows(wiring("hall-5x5"), "row 2") for words in line]
    assert sorted(written[-2:]) == ["U_a2.1withC_a2.1", "U_a2.2withC_a2.2"]


def test_joined_tracks_are_noted(wireviz):
    _, netlist = built("hall-5x5")
    written = {word for line in rows(wiring("hall-5x5"), "B1", str.split) for words in line for word in words}
    for net in ("ground", "3.3 V", "5 V lamps", "clock 21", "data 5 V"):
        part_types = ("resistor", "capacitor", "reservoir", "fuse", "shifter", "converter", "rails")
        joined = {str(end) for end in netlist.nets[net] if netlist.parts[end.part].part_type in part_types}
        assert {end for end in joined if netlist.parts[end.partition(".")[0]].cell is None} <= written


@pytest.mark.long
@each("name", BUILDS)
def test_drawings_are_reproducible(name, wireviz, schemdraw):
    drawings = {wiring(name): draw_wiring(*built(name)), draw_cell(built(name)[1]): draw_cell(built(name)[1])}
    if name in CHAINED:
        drawings[draw_feed(*built(name))] = draw_feed(*built(name))
    for drawn, again in drawings.items():
        assert drawn == again
        assert set(re.findall(r"https?://[^/\"]+", drawn)) <= {"http://www.w3.org"}
        assert not re.search(r"[Gg]enerated|version \d|/home/|/tmp/|/usr/|20\d\d-|file:", drawn)


@pytest.mark.slow
@each("ref", ("R1", "R2", "C1", "C2", "F1"))
def test_feed_shows_netlist_values(ref, schemdraw):
    profile, netlist = built("matrix-5x5")
    part = netlist.parts[ref]
    before = texts(draw_feed(profile, netlist))
    after = texts(draw_feed(profile, replace_part(netlist, replace(part, value="4711 X"))))
    assert sum(squeeze(part.value) in words for words in before) >= 1
    assert [words for words in after if "4711X" in words]
    assert len([words for words in before if words not in after]) == 1


@pytest.mark.slow
@each("name, source", (("direct-4x4", "5V,headerpins2and4"), ("matrix-5x5", "+,pin1")))
def test_feed_runs_from_supply_to_last_lamp(name, source, schemdraw):
    profile, netlist = built(name)
    written = texts(draw_feed(profile, netlist))
    gpio = profile.chain.data_pin
    last = list(netlist.parts_of_type("lamp"))[-1].ref
    assert source in written
    assert any(words.startswith(f"GPIO{gpio},headerpin") for words in written)
    assert {"1OE,leg1", "1A,leg2", "1Y,leg3", "VCC,leg14", f"...to{last}"} <= set(written)


@pytest.mark.slow
def test_feed_names_grounded_shifter_pins(schemdraw):
    profile, netlist = built("direct-4x4")
    assert any("legs4,5,9,10,12,13areonground" in words for words in texts(draw_feed(profile, netlist)))
    without = remove_pins(netlist, PartPin("U1", "9"))
    assert any("legs4,5,10,12,13areonground" in words for words in texts(draw_feed(profile, without)))


@pytest.mark.slow
@each("name", CHAINED)
def test_cell_circuit_shows_netlist_input(name, schemdraw):
    _, netlist = built(name)
    pin = "1" if cell_sensor(netlist, "b2").part_type == "button" else "3"
    swapped = swap_pins(
        netlist, PartPin(cell_sensor(netlist, "b2").ref, pin), PartPin(cell_sensor(netlist, "c3").ref, pin)
    )
    for board in (netlist, swapped):
        written = " ".join(texts(draw_cell(board)))
        for end in sensor_routes(board)["b2"].input_pins:
            word = "Picopin" if name.startswith("usb") else "headerpin"
            leg = word if end.part == "J1" else "leg"
            assert f"{squeeze(board.pin_at(end).name)},{leg}{end.pin}" in written.split()
            assert end.part in written.split() or any(words.startswith(end.part) for words in written.split())
    assert draw_cell(netlist) != draw_cell(swapped)


def test_cell_circuit_shows_parts_beside_sensor(schemdraw):
    _, netlist = built("hall-4x4")
    changed = replace_part(netlist, replace(netlist.parts["C_b2"], value="47 nF"))
    assert any("C_b2" in words and "100nF" in words for words in texts(draw_cell(netlist)))
    assert any("C_b2" in words and "47nF" in words for words in texts(draw_cell(changed)))


def test_diode_band_faces_driven_line(schemdraw):
    drawn = draw_cell(built("matrix-5x5")[1])
    at = {squeeze("".join(text.itertext())): text for text in ET.fromstring(drawn).iter(f"{SVG}text")}
    driven, band, anode = (float(at[words].get("x")) for words in ("GPIO19,headerpin35", "band", "anode"))
    assert driven < band < anode
    assert "D_b2,1N4148" in at


def test_only_real_pull_ups_are_drawn(schemdraw):
    has = {name: any("pull-up" in words for words in texts(draw_cell(built(name)[1]))) for name in BUILDS}
    assert has == {
        "direct-4x4": True,
        "hall-4x4": True,
        "matrix-5x5": True,
        "hall-5x5": False,
        "owner-4x4": False,
        "neotrellis-4x4": False,
        "usb-direct-4x4": True,
        "usb-hall-4x4": True,
        "usb-matrix-5x5": True,
    }


def test_module_is_drawn_with_four_wires(schemdraw):
    written = texts(draw_cell(built("neotrellis-4x4")[1]))
    assert {"5V,headerpin2or4", "ground,headerpin6or9", "GPIO2,headerpin3", "GPIO3,headerpin5"} <= set(written)
    assert {"VIN,pin1", "GND,pin2", "SDA,pin3", "SCL,pin4"} <= set(written)


def test_missing_graphviz_is_reported(monkeypatch):
    require("wireviz", "without it, it is what is missing")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PondError, check=says("sudo apt install graphviz")) as refused:
        draw_wiring(*built("direct-4x4"))
    assert refused.value.message == Message("build.no_graphviz")
