"""Tests of the carrier board designer."""

import csv
import io
import math
import re
from dataclasses import replace

import pytest

from pond_hw.fabrication.carrier import make_carrier
from pond_hw.fabrication.netlist import PartPin
from pond_hw.fabrication.solids.sizes import CARRIER_SIZE, PICO_CARRIER_SIZE
from pond_hw.profile.sensor_wires import sensor_wires
from tests.conftest import each, long_after_first
from tests.fabrication.test_build_folder import ROOT
from tests.fabrication.test_carrier import CARRIED, ON_PICO, built
from tests.messages.says import text
from tools.carrier.__main__ import design_carrier, main
from tools.carrier.files import make_carrier_files
from tools.carrier.footprints import choose_footprint, printed_pin_name
from tools.carrier.placement import NoRoom, place_parts
from tools.carrier.products import WAYS, choose_product, keep_soldered
from tools.pcb.assembly_house import format_bom
from tools.pcb.board import part_box
from tools.pcb.maker import EXPORT_SUFFIXES
from tools.pcb.routing import RoutingFailed, _Router


def placed(name):
    return place_parts(name, make_carrier(*built(name)))


@pytest.mark.slow
@pytest.mark.parametrize("name", long_after_first(CARRIED))
def test_committed_design_is_current(name):
    folder = ROOT / "hardware" / name / "carrier"
    committed_files = {
        path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith(EXPORT_SUFFIXES)
    }
    assert dict(make_carrier_files(*built(name))) == committed_files, (
        "the committed design is out of date: make carriers"
    )


@each("name", CARRIED)
def test_parts_do_not_overlap(name):
    carrier = placed(name)
    assert (carrier.width, carrier.height) == (PICO_CARRIER_SIZE if name in ON_PICO else CARRIER_SIZE)
    assert max(carrier.width, carrier.height) < 100
    assert {placed.part.ref for placed in carrier.parts} == carrier.netlist.parts.keys()
    screws = [(x - 3.2, y - 3.2, x + 3.2, y + 3.2) for x, y in carrier.holes]
    boxes = [*screws, *(part_box(each) for each in carrier.parts)]
    for index, (left, top, right, bottom) in enumerate(boxes):
        for other_left, other_top, other_right, other_bottom in boxes[:index]:
            assert left >= other_right or other_left >= right or top >= other_bottom or other_top >= bottom


def test_too_many_rows_for_the_carrier():
    profile, netlist = built("hall-5x5")
    carrier = make_carrier(profile, netlist)
    rows = {"J16": replace(carrier.parts["J15"], ref="J16")}
    with pytest.raises(NoRoom, match="6 row boards need more than"):
        place_parts("wide", replace(carrier, parts={**carrier.parts, **rows}))


def test_part_without_a_place_is_named():
    profile, netlist = built("hall-5x5")
    carrier = make_carrier(profile, netlist)
    chips = {f"U_{letter}": replace(carrier.parts["U_A"], ref=f"U_{letter}") for letter in "EFG"}
    with pytest.raises(NoRoom, match=r"no place for .*U_G"):
        place_parts("full", replace(carrier, parts={**carrier.parts, **chips}))


@each("name", CARRIED)
def test_labels_are_beside_their_parts(name):
    for placed_part in placed(name).parts:
        part, texts = placed_part.part, [each.text for each in placed_part.footprint.texts]
        assert any(text.startswith(part.ref) for text in texts)
        if part.part_type in ("resistor", "reservoir", "fuse", "test point"):
            assert part.value in " ".join(texts)
        if part.part_type == "reservoir":
            assert "+" in texts
        if part.part_type in ("plug", "supply plug"):
            assert texts[: len(part.pins)] == [printed_pin_name(pin.name) for pin in part.pins.values()]


@each("name", CARRIED)
def test_setup_uses_the_printed_connector_names(name):
    profile, _ = built(name)
    printed = {each.part.ref: [text.text for text in each.footprint.texts] for each in placed(name).parts}
    for cell, wire in sensor_wires(profile).items():
        pin = wire.arguments["pins"].arguments
        labels = printed[pin["connector"]]
        assert f"{pin['connector']} {pin['row']}" in labels
        assert pin["pin"] == cell[0]
        assert any(label.endswith(f", {pin['pin']}") for label in labels)
        assert f"{pin['connector']}, {pin['row']}, pin {cell[0]}" in text(wire)


@each("name", CARRIED)
def test_capacitor_is_near_the_supply_pin(name):
    carrier = placed(name)
    at = {PartPin(each.part.ref, pad.number): (x, y) for each in carrier.parts for pad, x, y in each.pad_places()}
    for capacitor in carrier.netlist.parts_of_type("capacitor"):
        chip = carrier.netlist.parts[capacitor.beside]
        fed = [at[PartPin(chip.ref, number)] for number, pin in chip.pins.items() if pin.pin_kind == "fed"]
        assert min(math.dist(at[PartPin(capacitor.ref, "1")], place) for place in fed) < 8


@each("name", CARRIED)
def test_connectors_are_at_their_edges(name):
    carrier = placed(name)
    boxes = {each.part.ref: (each, part_box(each)) for each in carrier.parts}
    for ref, (placed_part, (left, top, right, bottom)) in boxes.items():
        if placed_part.part.part_type == "plug":
            is_row = placed_part.part.value.startswith("row ")
            assert (carrier.height - bottom if is_row else carrier.width - right) == pytest.approx(2.5), ref
        if placed_part.part.part_type in ("supply", "pico"):
            assert top < 0.5 or left < 0.5, ref


# ---- both ways to build it ----


@each("name", CARRIED)
def test_small_parts_have_pads_for_both_ways(name):
    for each_part in placed(name).parts:
        part, pads = each_part.part, each_part.footprint.pads
        if part.part_type in ("resistor", "capacitor", "tvs", "pnp transistor", "voltage reference", "power lamp"):
            for has_hole in (True, False):
                assert {pad.number for pad in pads if bool(pad.drill) == has_hole} == part.pins.keys()


@each("name", CARRIED)
def test_every_product_has_a_maker_and_a_number(name):
    carrier = placed(name)
    for way in WAYS:
        board = keep_soldered(carrier, way)
        rows = list(csv.DictReader(io.StringIO(format_bom(board, choose_product(way)))))
        assert all(row["Manufacturer"] and row["MPN"] and row["Part"] for row in rows)
        assert sum(int(row["Quantity"]) for row in rows) == len(board.parts)


def test_ways_differ_only_where_they_must():
    carrier = placed("hall-4x4")
    chosen = {
        way: {each.part.ref: choose_product(way)(each).number for each in keep_soldered(carrier, way).parts}
        for way in WAYS
    }
    assert chosen["assembled"].keys() ^ chosen["by hand"].keys() == {"J2", "J6", "R6", "R7"}
    same = {ref for ref, number in chosen["assembled"].items() if chosen["by hand"].get(ref) == number}
    assert {re.sub(r"\d+", "", ref) for ref in same} == {"J", "U", "Q", "F", "C"}
    assert chosen["assembled"]["R24"] == "RC0805FR-0713KL"
    assert chosen["assembled"]["R6"] == "RC0805FR-075K1L"
    assert chosen["by hand"]["R24"] == "MFR-25FBF52-13K"


@pytest.mark.parametrize(
    ("ref", "pins"),
    [("Q2", ["3", "1", "2"]), ("U2", ["1", "3", "2"])],  # collector, base, emitter; cathode, anode, reference
)
def test_to_92_pins_are_in_the_order_of_data_sheets(ref, pins):
    footprint = choose_footprint(make_carrier(*built("hall-4x4")).parts[ref])
    holes = sorted((pad for pad in footprint.pads if pad.drill), key=lambda pad: pad.y)
    assert [pad.number for pad in holes] == pins


def test_turned_four_times_is_the_same_footprint():
    for part in make_carrier(*built("hall-5x5")).parts.values():
        footprint = choose_footprint(part)
        once = footprint.turned(1)
        assert [(pad.x, pad.y) for pad in once.pads] == [(pad.y, -pad.x) for pad in footprint.pads]
        assert footprint.turned(4)._replace(texts=(), text_room=(0, 0)) == footprint._replace(
            texts=(), text_room=(0, 0)
        )


# ---- routing ----


def test_failed_routing_leaves_no_tracks(monkeypatch):
    def fail_routing(carrier):
        raise RoutingFailed("too many")

    monkeypatch.setattr("tools.carrier.files.route", fail_routing)
    made = dict(make_carrier_files(*built("direct-4x4")))
    assert b"(segment" not in made["direct-4x4-carrier.kicad_pcb"]
    assert b"(pad" in made["direct-4x4-carrier.kicad_pcb"]


def test_unroutable_net_is_reported():
    router = _Router(placed("direct-4x4"))
    (goal,) = router.terminals[PartPin("J1", "32")]
    router.track_claims = {(3, 2, 0): "", (1, 2, 0): "", (2, 3, 0): "b1", (2, 1, 0): "b1"}
    with pytest.raises(RoutingFailed, match=r"no path to J1\.32"):
        router.find_path("a1", {(2, 2, 0)}, {(50, 50, 0): goal})


def test_vias_stay_off_surface_mount_pads():
    router = _Router(placed("hall-4x4"))
    claims = router.find_claims(0.6)
    pads = [terminal for terminals in router.terminals.values() for terminal in terminals if terminal.layers == (0,)]
    assert pads
    assert all(claims[point] == "" for terminal in pads for point in router.pad_points(terminal))


# ---- the command ----


@pytest.mark.slow
def test_exports_of_an_older_board_are_removed(tmp_path):
    assert design_carrier("direct-4x4", tmp_path / "hardware") == "direct-4x4: hardware/direct-4x4/carrier"
    folder = tmp_path / "hardware" / "direct-4x4" / "carrier"
    exports = [folder / f"direct-4x4-carrier{end}" for end in EXPORT_SUFFIXES]
    for path in exports:
        path.touch()
    design_carrier("direct-4x4", tmp_path / "hardware")
    assert all(path.exists() for path in exports)
    board = folder / "direct-4x4-carrier.kicad_pcb"
    board.write_text(board.read_text().replace("(width 2.0)", "(width 1.9)"))
    design_carrier("direct-4x4", tmp_path / "hardware")
    assert not any(path.exists() for path in exports)


def test_neotrellis_gets_no_carrier(tmp_path):
    assert design_carrier("neotrellis-4x4", tmp_path).startswith("neotrellis-4x4: no carrier board")
    assert not any(tmp_path.iterdir())


def test_unknown_board_has_a_message(capsys):
    assert main(["hall-4x5"]) == 2
    assert capsys.readouterr().err.startswith("hall-4x5: ")
