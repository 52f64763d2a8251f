"""The carrier boards: KiCad's rules find nothing on them, all that must be joined is joined, and they are the schematic's."""

import math
import re
from dataclasses import replace
from functools import cache

import pytest

from pond_hw.fabrication.build_folder import EXPORT_ENDS
from pond_hw.fabrication.carrier.carrier_circuit import make_carrier
from pond_hw.fabrication.carrier.files import make_carrier_files
from pond_hw.fabrication.carrier.footprints import printed_pin_name
from pond_hw.fabrication.carrier.placement import NoRoom, part_box, place_parts
from pond_hw.fabrication.carrier.routing import NoWay, _Router
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.netlist import PartPin
from pond_hw.fabrication.solids.sizes import CARRIER_SIZE
from pond_hw.fabrication.wires import is_on_board
from pond_hw.profile import load_profile
from pond_hw.profile.soldered_wires import carrier_connectors, sensor_wires
from tests.conftest import each, first_now_rest_long
from tests.fabrication.kicad.judge import board_faults, errors, kicad, nets
from tests.fabrication.test_folder import ROOT
from tests.messages.says import text

CARRIED = ("direct-4x4", "hall-4x4", "matrix-5x5", "hall-5x5")


def built(name):
    profile = load_profile(name, measured=False)
    return profile, make_circuit(profile)


def segment_length(line):
    return math.dist(*(map(float, ends.split()) for ends in re.findall(r"\((?:start|end) ([-\d. ]+)\)", line)))


@cache
def files(name):
    return {file: data.decode() for file, data in make_carrier_files(*built(name))}


def committed(folder):
    """What our own program makes, not what KiCad makes of it."""
    ours = (path for path in folder.iterdir() if not path.name.endswith(EXPORT_ENDS))
    return {path.name: path.read_text(encoding="utf-8") for path in ours}


@pytest.mark.slow
@pytest.mark.parametrize("name", first_now_rest_long(CARRIED))
def test_kicads_rules_find_nothing_and_the_committed_board_is_this_one(name):
    made = files(name)
    folder = ROOT / "hardware" / name / "carrier"
    assert committed(folder) == made
    assert errors(made[f"{name}-carrier.kicad_sch"], ignored={"footprint_link_issues"}) == []
    assert board_faults(f"{name}-carrier", made) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CARRIED)
def test_kicads_rules_find_nothing_on_the_committed_board(name):
    folder = ROOT / "hardware" / name / "carrier"
    made = committed(folder)
    assert board_faults(f"{name}-carrier", made) == []
    carrier = make_carrier(*built(name))
    read, _ = nets(made[f"{name}-carrier.kicad_sch"])
    assert read == {net: set(map(tuple, ends)) for net, ends in carrier.nets.items()}


@each("name", CARRIED)
def test_what_the_strip_board_carries_is_on_it_and_every_wire_that_leaves_has_a_pin(name):
    profile, netlist = built(name)
    carrier = make_carrier(profile, netlist)
    strip = {ref for ref, part in netlist.parts.items() if is_on_board(part) and ref != "B1"}
    assert strip <= carrier.parts.keys()
    connectors = {part.ref for part in carrier.parts_of_type("plug", "terminal")}
    for net, ends in netlist.nets.items():
        here = {end for end in ends if end.part in carrier.parts}
        outside = {end for end in ends if end.part not in carrier.parts and end.part != "B1"}
        if here:
            assert {end for end in carrier.nets[net] if end.part not in connectors} == here
            assert bool(outside) == any(end.part in connectors for end in carrier.nets[net]), net
        else:
            assert net not in carrier.nets


@each("name", CARRIED)
def test_no_part_stands_on_another_or_beyond_the_edge_or_where_a_screw_is(name):
    carrier = place_parts(make_carrier(*built(name)))
    assert (carrier.width, carrier.height) == CARRIER_SIZE < (100, 100)
    assert {placed.part.ref for placed in carrier.parts} == carrier.netlist.parts.keys()
    screws = [(x - 3.2, y - 3.2, x + 3.2, y + 3.2) for x, y in carrier.hole_places()]
    boxes = [*screws, *(part_box(placed) for placed in carrier.parts)]
    for index, (left, top, right, bottom) in enumerate(boxes):
        assert min(left, top) >= (2 if index >= 4 else 0)
        assert right <= carrier.width - (2 if index >= 4 else 0)
        assert bottom <= carrier.height - (2 if index >= 4 else 0)
        for other_left, other_top, other_right, other_bottom in boxes[:index]:
            assert left >= other_right or other_left >= right or top >= other_bottom or other_top >= bottom


def test_parts_that_need_a_larger_board_than_the_case_holds_have_none():
    profile, netlist = built("hall-5x5")
    carrier = make_carrier(profile, netlist)
    rows = {f"J{number}": replace(carrier.parts["J6"], ref=f"J{number}") for number in range(11, 15)}
    with pytest.raises(NoRoom, match="there are 90"):
        place_parts(replace(carrier, parts={**carrier.parts, **rows}))


@each("name", CARRIED)
def test_what_a_builder_needs_to_know_of_a_part_is_printed_beside_it(name):
    carrier = place_parts(make_carrier(*built(name)))
    for placed in carrier.parts:
        part, texts = placed.part, [each.text for each in placed.footprint.texts]
        assert any(text.startswith(part.ref) for text in texts)
        if part.part_type in ("resistor", "reservoir", "fuse"):
            assert part.value in " ".join(texts)
        if part.part_type == "reservoir":
            assert "+" in texts
        if part.part_type in ("plug", "terminal"):
            assert texts[: len(part.pins)] == [printed_pin_name(pin.name) for pin in part.pins.values()]
    header = next(placed for placed in carrier.parts if placed.part.ref == "J1")
    place = {pad.number: (pad.x, pad.y) for pad in header.footprint.pads}
    assert [text[1:3] for text in header.footprint.texts if text.text == "pin 1 here"] == [(place["1"][0], -4)]


@each("name", CARRIED)
def test_set_up_names_the_connector_and_the_pin_as_the_carrier_prints_them(name):
    profile, netlist = built(name)
    carrier = place_parts(make_carrier(profile, netlist))
    printed = {placed.part.ref: [each.text for each in placed.footprint.texts] for placed in carrier.parts}
    assert carrier_connectors(profile) == {
        part.value: part.ref for part in carrier.netlist.parts_of_type("plug", "terminal")
    }
    for cell, wire in sensor_wires(profile).items():
        pins = wire.arguments["pins"].arguments
        assert pins["pin"] in printed[pins["connector"]]
        if "row" in pins:
            assert f"{pins['connector']} {pins['row']}" in printed[pins["connector"]]
            assert pins["pin"] == cell
            assert text(wire).endswith(f"(carrier board: {pins['connector']}, {pins['row']}, pin {cell})")
        else:
            assert pins["other_pin"] in printed[pins["other_connector"]]


@each("name", CARRIED)
def test_a_chips_capacitor_stands_at_its_supply(name):
    carrier = place_parts(make_carrier(*built(name)))
    at = {PartPin(placed.part.ref, pad.number): (x, y) for placed in carrier.parts for pad, x, y in placed.pad_places()}
    for capacitor in carrier.netlist.parts_of_type("capacitor"):
        chip = carrier.netlist.parts[capacitor.beside]
        fed = [at[PartPin(chip.ref, number)] for number, pin in chip.pins.items() if pin.pin_kind == "fed"]
        assert min(math.dist(at[PartPin(capacitor.ref, "1")], place) for place in fed) < 6


@pytest.mark.slow
def test_a_lost_track_and_one_across_others_are_found():
    name = "direct-4x4-carrier"
    folder = ROOT / "hardware" / "direct-4x4" / "carrier"
    made = committed(folder)
    board = made[f"{name}.kicad_pcb"]
    segments = re.findall(r"^\(segment .*\n", board, re.MULTILINE)
    longest = max(segments, key=segment_length)
    lost = {**made, f"{name}.kicad_pcb": board.replace(longest, "")}
    assert "unconnected_items" in {kind for kind, *_ in board_faults(name, lost)}
    across = '(segment (start 45 60) (end 118 60) (width 0.25) (layer "B.Cu") (net 1))\n'
    shorted = {**made, f"{name}.kicad_pcb": board.replace(segments[-1], across + segments[-1])}
    assert {kind for kind, *_ in board_faults(name, shorted)} & {"shorting_items", "clearance", "tracks_crossing"}


@pytest.mark.slow
def test_another_netlist_than_the_boards_is_found():
    name = "matrix-5x5-carrier"
    folder = ROOT / "hardware" / "matrix-5x5" / "carrier"
    made = committed(folder)
    made[f"{name}.kicad_sch"] = made[f"{name}.kicad_sch"].replace('(label "sense 17"', '(label "sense 99"')
    assert "net_conflict" in {kind for kind, *_ in board_faults(name, made)}


def test_where_there_is_no_room_for_the_tracks_the_board_has_none(monkeypatch):
    def finds_none(carrier):
        raise NoWay("too many")

    monkeypatch.setattr("pond_hw.fabrication.carrier.files.route", finds_none)
    made = dict(make_carrier_files(*built("direct-4x4")))
    assert b"(segment" not in made["direct-4x4-carrier.kicad_pcb"]
    assert b"(pad" in made["direct-4x4-carrier.kicad_pcb"]


def test_a_way_that_does_not_exist_is_said_to():
    carrier = place_parts(make_carrier(*built("direct-4x4")))
    router = _Router(carrier)
    router.track_claims = {(3, 2, 0): "", (1, 2, 0): "", (2, 3, 0): "b1", (2, 1, 0): "b1"}
    with pytest.raises(NoWay, match="no way to"):
        router.find_way("a1", {(2, 2, 0)}, {(50, 50, 0): PartPin("J1", "32")})


@pytest.mark.slow
def test_what_a_maker_gets_has_every_hole_and_every_layer():
    folder, name = ROOT / "hardware" / "hall-4x4" / "carrier", "hall-4x4-carrier"
    board = (folder / f"{name}.kicad_pcb").read_text(encoding="utf-8")
    with kicad({f"{name}.kicad_pcb": board}) as (place, call):
        call("pcb", "export", "gerbers", "-o", "gerbers/", f"{name}.kicad_pcb")
        call("pcb", "export", "drill", "-o", "gerbers/", f"{name}.kicad_pcb")
        drilled = (place / "gerbers" / f"{name}.drl").read_text()
        copper = {layer: (place / "gerbers" / f"{name}-{layer}").read_text() for layer in ("F_Cu.gtl", "B_Cu.gbl")}
        assert {"Edge_Cuts", "F_Mask", "B_Mask", "F_Silkscreen"} <= {
            path.stem.removeprefix(f"{name}-") for path in (place / "gerbers").iterdir()
        }
    holes = len(re.findall(r"^X[-\d.]+Y[-\d.]+$", drilled, re.MULTILINE))
    assert holes == board.count("(drill ") > 150
    for layer, sign in (("F_Cu.gtl", "F.Cu"), ("B_Cu.gbl", "B.Cu")):
        segments = len(re.findall(rf'^\(segment .*"{re.escape(sign)}"', board, re.MULTILINE))
        assert copper[layer].count("D01*") >= segments > 50
