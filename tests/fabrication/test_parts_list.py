"""Parts lists: every part that no circuit board carries is counted once."""

import csv
import io
import re
from functools import cache

from pond_hw.fabrication.cables import list_cables
from pond_hw.fabrication.carrier import CARRIED_TYPES, make_carrier
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.parts_list import format_parts_list
from pond_hw.fabrication.row_board import ROW_PARTS, row_kind
from pond_hw.profile import load_profile
from tests.conftest import each
from tests.fabrication.solids.boards import SHIPPED, built
from tests.fabrication.test_row_board import BUILT


@cache
def listed(name):
    """Return a board's netlist and the rows of its parts list, by column name."""
    profile = load_profile(name, measured=False)
    netlist = make_circuit(profile)
    text = format_parts_list(profile, netlist, list_cables(profile, netlist), built(name))
    return netlist, list(csv.DictReader(io.StringIO(text)))


def count(rows, part):
    return sum(int(row["quantity"]) for row in rows if row["part"] == part)


def names_of(rows, part):
    return " ".join(row["names"] for row in rows if row["part"] == part).split()


@each("name", SHIPPED)
def test_every_part_outside_the_carrier_is_listed_once(name):
    netlist, rows = listed(name)
    cable_names = {PART_TYPES[part_type].name for part_type in ("row cable", "panel cable", "carrier board")}
    named = [ref for row in rows if row["part"] not in cable_names for ref in row["names"].split()]
    outside = [ref for ref, part in netlist.parts.items() if ref == "J1" or part.part_type not in CARRIED_TYPES]
    assert sorted(named) == sorted(outside)
    for row in rows:
        refs = row["names"].split()
        assert int(row["quantity"]) == len(refs) or row["part"] in cable_names or not refs


@each("name", BUILT)
def test_row_boards_and_their_cables_are_counted(name):
    netlist, rows = listed(name)
    profile = load_profile(name, measured=False)
    row_part = PART_TYPES[f"{row_kind(profile)} row"].name
    assert count(rows, row_part) == profile.size == len(list(netlist.parts_of_type(*ROW_PARTS)))
    cable = PART_TYPES["row cable"].name
    assert count(rows, cable) == profile.size
    assert [row["value"].partition(",")[0] for row in rows if row["part"] == cable] == [f"{5 + profile.size} wires"]


@each("name", BUILT)
def test_every_connector_has_a_cable(name):
    netlist, rows = listed(name)
    carrier = make_carrier(load_profile(name, measured=False), netlist)
    cabled = names_of(rows, PART_TYPES["row cable"].name) + names_of(rows, PART_TYPES["panel cable"].name)
    assert sorted(cabled) == sorted(part.ref for part in carrier.parts_of_type("plug"))
    panel = [row for row in rows if row["part"] == PART_TYPES["panel cable"].name]
    for row in panel:
        wire_count = len(carrier.parts[row["names"]].pins)
        assert row["value"].startswith(f"{wire_count} wires, ")


@each("name", SHIPPED)
def test_controller_has_its_cable_and_supply(name):
    netlist, rows = listed(name)
    is_pico, has_rows = netlist.parts["J1"].part_type == "pico", netlist.has_type(*ROW_PARTS)
    assert count(rows, PART_TYPES["usb cable"].name) == is_pico
    assert count(rows, PART_TYPES["ribbon cable"].name) == (has_rows and not is_pico)
    assert count(rows, PART_TYPES["carrier board"].name) == has_rows
    assert count(rows, PART_TYPES["lamp supply"].name) == netlist.has_type("supply")
    assert count(rows, "power supply for the Pi") == (not is_pico)
    assert count(rows, PART_TYPES["jumper wire"].name) == (0 if has_rows else 6)


@each("name", [name for name in BUILT if "hall" in name or "owner" in name])
def test_every_piece_has_its_magnet(name):
    _, rows = listed(name)
    pieces, magnets = count(rows, "printed: piece"), [row for row in rows if row["part"].startswith("disc magnet")]
    assert [int(row["quantity"]) for row in magnets] == [pieces]
    width, height = load_profile(name, measured=False).body.magnet_size_mm
    assert f"{width:g} x {height:g} mm" in magnets[0]["part"]


@each("name", SHIPPED)
def test_every_printed_part_has_a_file(name):
    _, rows = listed(name)
    printed = {row["package"]: int(row["quantity"]) for row in rows if row["part"].startswith("printed: ")}
    assert printed == {f"stl/{part.name}.stl": part.count for part in built(name)}


def test_list_has_no_prices_and_no_empty_part():
    _, rows = listed("hall-5x5")
    assert all(row["part"] and int(row["quantity"]) > 0 for row in rows)
    assert not re.search("€|EUR|price", str(rows))
