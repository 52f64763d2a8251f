"""Tests of the carrier board designer."""

import math
from dataclasses import replace

import pytest

from pond_hw.fabrication.carrier import make_carrier
from pond_hw.fabrication.netlist import PartPin
from pond_hw.fabrication.solids.sizes import CARRIER_SIZE
from pond_hw.profile.sensor_wires import carrier_connectors, sensor_wires
from tests.conftest import each, long_after_first
from tests.fabrication.test_build_folder import ROOT
from tests.fabrication.test_carrier import CARRIED, built
from tests.messages.says import text
from tools.carrier.__main__ import design_carrier, main
from tools.carrier.files import make_carrier_files
from tools.carrier.footprints import printed_pin_name
from tools.carrier.placement import NoRoom, place_parts
from tools.pcb.board import part_box
from tools.pcb.maker import EXPORT_SUFFIXES
from tools.pcb.routing import RoutingFailed, _Router


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
    carrier = place_parts(make_carrier(*built(name)))
    assert (carrier.width, carrier.height) == CARRIER_SIZE < (100, 100)
    assert {placed.part.ref for placed in carrier.parts} == carrier.netlist.parts.keys()
    screws = [(x - 3.2, y - 3.2, x + 3.2, y + 3.2) for x, y in carrier.holes]
    boxes = [*screws, *(part_box(placed) for placed in carrier.parts)]
    for index, (left, top, right, bottom) in enumerate(boxes):
        assert min(left, top) >= (2 if index >= 4 else 0)
        assert right <= carrier.width - (2 if index >= 4 else 0)
        assert bottom <= carrier.height - (2 if index >= 4 else 0)
        for other_left, other_top, other_right, other_bottom in boxes[:index]:
            assert left >= other_right or other_left >= right or top >= other_bottom or other_top >= bottom


def test_parts_that_exceed_the_case_are_refused():
    profile, netlist = built("hall-5x5")
    carrier = make_carrier(profile, netlist)
    rows = {f"J{number}": replace(carrier.parts["J6"], ref=f"J{number}") for number in range(11, 15)}
    with pytest.raises(NoRoom, match="there are 90"):
        place_parts(replace(carrier, parts={**carrier.parts, **rows}))


@each("name", CARRIED)
def test_labels_are_beside_their_parts(name):
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
def test_setup_uses_the_printed_connector_names(name):
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
def test_capacitor_is_near_the_supply_pin(name):
    carrier = place_parts(make_carrier(*built(name)))
    at = {PartPin(placed.part.ref, pad.number): (x, y) for placed in carrier.parts for pad, x, y in placed.pad_places()}
    for capacitor in carrier.netlist.parts_of_type("capacitor"):
        chip = carrier.netlist.parts[capacitor.beside]
        fed = [at[PartPin(chip.ref, number)] for number, pin in chip.pins.items() if pin.pin_kind == "fed"]
        assert min(math.dist(at[PartPin(capacitor.ref, "1")], place) for place in fed) < 6


def test_failed_routing_leaves_no_tracks(monkeypatch):
    def fail_routing(carrier):
        raise RoutingFailed("too many")

    monkeypatch.setattr("tools.carrier.files.route", fail_routing)
    made = dict(make_carrier_files(*built("direct-4x4")))
    assert b"(segment" not in made["direct-4x4-carrier.kicad_pcb"]
    assert b"(pad" in made["direct-4x4-carrier.kicad_pcb"]


def test_unroutable_net_is_reported():
    carrier = place_parts(make_carrier(*built("direct-4x4")))
    router = _Router(carrier)
    router.track_claims = {(3, 2, 0): "", (1, 2, 0): "", (2, 3, 0): "b1", (2, 1, 0): "b1"}
    with pytest.raises(RoutingFailed, match="no path to"):
        router.find_path("a1", {(2, 2, 0)}, {(50, 50, 0): PartPin("J1", "32")})


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


@pytest.mark.parametrize("name", ["neotrellis-4x4", "usb-direct-4x4"])
def test_some_boards_have_no_carrier(name, tmp_path):
    assert design_carrier(name, tmp_path).startswith(f"{name}: no carrier board")
    assert not any(tmp_path.iterdir())


def test_unknown_board_has_a_message(capsys):
    assert main(["hall-4x5"]) == 2
    assert capsys.readouterr().err.startswith("hall-4x5: ")
