"""Committed row boards: placement, nets, tracks and lists, with planted faults for each check."""

import csv
import io
import re

import pytest

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.kicad.schematic_blocks import draw_blocks
from pond_hw.fabrication.netlist import Netlist, PartPin, format_netlist
from pond_hw.fabrication.part_catalogue import MAX_LAMP_CURRENT_MA
from pond_hw.fabrication.power import ROW_TRACK_WIDTH, SHEET_OHMS
from pond_hw.fabrication.row_board import RESERVOIR_TYPE, count_row_joints, expand_rows, make_row_netlist, row_kind
from pond_hw.fabrication.solids import sizes
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.wire_tracing import check_profile_match
from pond_hw.profile import load_profile
from tests.conftest import each
from tests.fabrication.row_boards.board_reading import (
    PITCH,
    bom_faults,
    bottom_parts,
    cell_middle,
    joined_pins,
    keep_out_faults,
    place_faults,
    read_row_board,
    read_rows,
    supply_drop,
)
from tests.fabrication.test_build_folder import ROOT
from tests.fabrication.test_row_board import BUILT
from tools.row_boards import __main__ as row_boards
from tools.row_boards.files import make_row_files
from tools.row_boards.page import make_page

FOLDER = ROOT / "hardware" / "row-boards"
NAMES = ("switch-4", "switch-5", "magnet-4", "magnet-5")


def parse_name(name):
    kind, _, size = name.partition("-")
    return kind, int(size)


def board_text(name):
    return (FOLDER / name / f"{name}.kicad_pcb").read_text(encoding="utf-8")


def move_part(text, ref, right, down):
    """Move a part and its pads, but no tracks."""

    def moved(found):
        return f"{found[1]}(at {float(found[2]) + right:g} {float(found[3]) + down:g})"

    pattern = rf'(\(footprint "[^"]*" \(layer "[^"]*"\) \(uuid "[^"]*"\) )\(at ([\d.]+) ([\d.]+)\)(?=[^\n]*"Reference" "{ref}")'
    text, count = re.subn(pattern, moved, text)
    assert count == 1
    return text


def swap_pad_nets(text, ref, number, other):
    """Swap the nets of two pins of a part."""
    line = next(line for line in text.splitlines() if f'"Reference" "{ref}"' in line)
    nets = [re.search(rf'\(pad "{pin}" [^\n]*?(\(net \d+ "[^"]*"\))', line)[1] for pin in (number, other)]
    swapped = line
    for pin, net in zip((number, other), reversed(nets), strict=True):
        swapped = re.sub(
            rf'(\(pad "{pin}" (?:(?!\(pad ).)*?)\(net \d+ "[^"]*"\)', lambda found, net=net: found[1] + net, swapped
        )
    assert swapped != line
    return text.replace(line, swapped)


@each("name", NAMES)
def test_committed_files_are_current(name):
    made = dict(make_row_files(*parse_name(name)))
    assert [file for file, content in made.items() if (FOLDER / name / file).read_bytes() != content] == []
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == make_page()


@each("name", NAMES)
def test_schematic_shows_each_part_once(name):
    netlist = make_row_netlist(*parse_name(name))
    blocks = [block for column in draw_blocks(netlist) for block in column]
    assert sorted(placed.part.ref for block in blocks for placed in block.symbols if placed.part) == sorted(
        netlist.parts
    )


@each("name", NAMES)
def test_pads_have_the_nets_of_the_netlist(name):
    netlist = make_row_netlist(*parse_name(name))
    expected = {net: set(map(tuple, ends)) for net, ends in netlist.nets.items()}
    assert joined_pins(read_row_board(board_text(name))) == expected
    assert (FOLDER / name / "netlist.txt").read_text(encoding="utf-8") == format_netlist(netlist)


@each("name", NAMES)
def test_lamps_and_sensors_are_at_their_places(name):
    board, size = read_row_board(board_text(name)), parse_name(name)[1]
    assert place_faults(board, size) == []
    assert board.size == pytest.approx((8.5 + size * PITCH - 0.17, 33.0))
    assert bottom_parts(board) == ["J1"]


@each("ref", ["LED3", "SW2", "J1"])
def test_moved_part_is_found(ref):
    assert place_faults(read_row_board(move_part(board_text("switch-4"), ref, 0.5, 0)), 4) == [ref]


@each("name", NAMES)
def test_walls_gussets_and_ribs_are_free(name):
    assert keep_out_faults(read_row_board(board_text(name)), parse_name(name)[1]) == []


@each(
    "ref, right, down, fault",
    [
        ("C3", 0, -3, "wall"),
        ("LED4", 6, 0, "wall"),
        ("LED4", 3, -4, "gusset"),
        ("D2", 6, 0, "window"),
        ("J1", 5, 0, "wall"),
    ],
)
def test_part_in_the_way_of_the_case_is_found(ref, right, down, fault):
    board = read_row_board(move_part(board_text("switch-4"), ref, right, down))
    assert (fault, ref) in keep_out_faults(board, 4)


BODIES = {
    "LED": ((-0.3, 5.8), 5.8, 5.8),
    "C": ((-2.0, 2.0), 2.6, 6.0),
    "reservoir": ((-2.0, 2.0), 5.5, 7.0),
    "SW": ((-3.0, 3.0), 6.0, 5.0),
    "D": ((-1.0, 1.0), 4.6, 2.0),
    "U": ((-2.0, 2.0), 3.2, 1.6),
}
"""Through-hole bodies, in mm from the part's middle: to the left and right, depth, and height above the board.

A lamp lies on the board: 8.7 mm long with its holes at one end, and its rim is 5.8 mm wide (Worldsemi, WS2812D-F5).
"""


def body_of(ref, x, is_left, reservoir):
    """Return the left and right end, the depth and the height of a part's body."""
    kind = "reservoir" if ref == reservoir else ref.rstrip("0123456789")
    (left, right), depth, height = BODIES[kind]
    if kind == "LED":  # from 4.5 mm beside the middle of the cell, towards the side wall
        left, right = (-4.5 - 8.7 - x, -4.5 - x) if is_left else (4.5 - x, 4.5 + 8.7 - x)
    return left, right, depth, height


def tall_parts(layout, board, size, reservoir):
    """Return the through-hole parts that touch a tile, or a pressed cap."""
    found = []
    for ref, (x, y) in board.places.items():
        if ref == "J1":
            continue
        middle_x, middle_y = cell_middle(int((x - 8.5) // PITCH))
        left, right, depth, height = body_of(ref, x - middle_x, x < middle_x, reservoir)
        reach = max(abs(x - middle_x + left), abs(x - middle_x + right), abs(y - middle_y) + depth / 2)
        room = layout.tile_z - layout.grid_z
        if not layout.has_halls:
            is_inside = reach <= layout.flange_side / 2 - sizes.CAP_WALL - sizes.PART_GAP
            low = layout.top_z - sizes.CAP_THICKNESS if is_inside else layout.tile_z
            room = low - sizes.BUTTON_TRAVEL - layout.grid_z
        found += [ref] * (height > room)
    return found


@each("name", ["direct-4x4", "matrix-5x5", "hall-4x4", "hall-5x5"])
def test_through_hole_parts_fit_under_tiles_and_caps(name):
    profile = load_profile(name, measured=False)
    kind, layout = row_kind(profile), SolidLayout(profile)
    board = read_row_board(board_text(f"{kind}-{profile.size}"))
    reservoir = next(make_row_netlist(kind, profile.size).parts_of_type(RESERVOIR_TYPE)).ref
    assert tall_parts(layout, board, profile.size, reservoir) == []
    far = board._replace(places=board.places | {"C2": (board.places["C2"][0], board.places["C2"][1] - 1)})
    assert tall_parts(layout, far, profile.size, reservoir) == ["C2"] * (not layout.has_halls)


def test_case_has_room_where_the_connector_is():
    x = read_row_board(board_text("switch-5")).places["J1"][0] + (3.4 - 2.35) / 2
    assert sizes.ROW_START - x == pytest.approx(sizes.CONNECTOR_MIDDLE)


def row_from_board(text, kind, size, sensor):
    """Return the netlist of a row board as its copper joins the pins, with the parts of the catalogue."""
    parts = make_row_netlist(kind, size, sensor).parts
    nets = {
        net: tuple(PartPin(*end) for end in sorted(ends)) for net, ends in joined_pins(read_row_board(text)).items()
    }
    return Netlist(parts, nets)


def profile_faults(monkeypatch, name, change=lambda text: text):
    profile = load_profile(name, measured=False)

    def read_row(kind, size, sensor=""):
        return row_from_board(change(board_text(f"{kind}-{size}")), kind, size, sensor)

    monkeypatch.setattr("pond_hw.fabrication.row_board.make_row_netlist", read_row)
    return list(check_profile_match(profile, expand_rows(profile, make_circuit(profile))))


@each("name", BUILT)
def test_copper_of_the_row_boards_matches_each_profile(name, monkeypatch):
    assert profile_faults(monkeypatch, name) == []


@each(
    "name, ref, pins, found",
    [
        ("hall-4x4", "LED3", ("2", "4"), "netlist.match.chain"),
        ("hall-4x4", "U2", ("1", "3"), "netlist.match.sensor"),
        ("matrix-5x5", "D2", ("1", "2"), "netlist.match.sensor"),
    ],
)
def test_swapped_pads_do_not_match_the_profile(name, ref, pins, found, monkeypatch):
    faults = profile_faults(monkeypatch, name, lambda text: swap_pad_nets(text, ref, *pins))
    assert {fault.id for fault in faults} == {found}


def total_drop(text):
    board = read_row_board(text)
    return sum(supply_drop(board, net, MAX_LAMP_CURRENT_MA / 1000) for net in ("5 V lamps", "ground"))


@each("name", NAMES)
def test_rails_drop_no_more_than_the_power_page_says(name):
    size = parse_name(name)[1]
    row_current = 4 * size * MAX_LAMP_CURRENT_MA / 1000
    assert 0 < total_drop(board_text(name)) < row_current * size * PITCH / 1000 * SHEET_OHMS / ROW_TRACK_WIDTH
    rails = [track.width for track in read_row_board(board_text(name)).tracks if track.net in ("5 V lamps", "ground")]
    assert max(rails) == 1000 * ROW_TRACK_WIDTH


def test_thin_rail_is_found():
    text = board_text("switch-5")
    assert total_drop(text.replace("(width 2.0)", "(width 0.5)")) > 2 * total_drop(text)


def lists(name):
    folder = FOLDER / name
    placement = (folder / "placement.csv").read_text(encoding="utf-8")
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("bom-*.csv")}, placement


@each("name", NAMES)
def test_every_placed_part_is_listed_with_its_number(name):
    boms, placement = lists(name)
    board = read_row_board(board_text(name))
    suffixes = ("",) if name.startswith("switch") else ("-digital", "-linear")
    assert set(boms) == {f"bom-{way}{suffix}.csv" for way in ("assembled", "by-hand") for suffix in suffixes}
    assert {file: bom_faults(bom, placement, board) for file, bom in boms.items()} == {file: [] for file in boms}
    comments = {row["Comment"] for bom in boms.values() for row in read_rows(bom)}
    assert {"WS2812B-B/T", "WS2812D-F5", "100 nF 50 V X7R"} < comments


def edit_row(bom, column, value):
    """Change a column of the first row."""
    rows = read_rows(bom)
    rows[0][column] = value
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


@each(
    "column, value, kind",
    [
        ("MPN", "", "number"),
        ("Quantity", "2", "quantity"),
        ("Designator", "J7", "missing"),
        ("Designator", "J1,C1", "repeated"),
    ],
)
def test_faulty_parts_list_is_found(column, value, kind):
    boms, placement = lists("switch-4")
    faulty = edit_row(boms["bom-assembled.csv"], column, value)
    assert kind in {found for found, _ in bom_faults(faulty, placement, read_row_board(board_text("switch-4")))}


@each("name", NAMES)
def test_placement_has_the_places_of_the_board(name):
    board, (_, placement) = read_row_board(board_text(name)), lists(name)
    corner = next(row for row in read_rows(placement) if row["Designator"] == "LED1")
    dx = float(corner["Mid X"].removesuffix("mm")) - board.places["LED1"][0]
    dy = float(corner["Mid Y"].removesuffix("mm")) + board.places["LED1"][1]
    for row in read_rows(placement):
        x, y = (float(row[column].removesuffix("mm")) for column in ("Mid X", "Mid Y"))
        assert (x - dx, dy - y) == pytest.approx(board.places[row["Designator"]])
        assert row["Layer"] == ("Bottom" if row["Designator"] == "J1" else "Top")


def test_far_and_near_lamps_are_placed_in_opposite_directions():
    rotations = {row["Designator"]: row["Rotation"] for row in read_rows(lists("magnet-4")[1])}
    assert {rotations[f"LED{number}"] for number in range(1, 9)} == {"0"}
    assert {rotations[f"LED{number}"] for number in range(9, 17)} == {"180"}


@each("name", NAMES)
def test_board_has_marks_for_assembly(name):
    marks = [mark.name for mark in read_row_board(board_text(name)).marks]
    assert sorted(marks) == ["fiducial"] * 3 + ["tooling hole"] * 2
    assert "(pad_to_mask_clearance 0)" in board_text(name)


@each("name", NAMES)
def test_through_holes_are_the_joints_by_hand(name):
    kind, size = parse_name(name)
    holes = [pad for pad in read_row_board(board_text(name)).pads if pad.drill]
    assert len(holes) == count_row_joints(kind, size)


def test_large_capacitor_is_left_out_of_whole_boards():
    profile = load_profile("hall-4x4", measured=False)
    assert make_row_netlist(row_kind(profile), 4).has_type(RESERVOIR_TYPE)
    assert not expand_rows(profile, make_circuit(profile)).has_type(RESERVOIR_TYPE)


def test_design_is_written_and_outdated_exports_are_deleted(tmp_path, capsys):
    assert row_boards.main(tmp_path) == 0
    assert "magnet-5" in capsys.readouterr().out
    for end in ("-gerbers.zip", ".png", "-back.png"):
        (tmp_path / "switch-4" / f"switch-4{end}").touch()
    board = tmp_path / "switch-4" / "switch-4.kicad_pcb"
    assert board.read_text(encoding="utf-8") == board_text("switch-4")
    assert row_boards.main(tmp_path) == 0
    assert len(list((tmp_path / "switch-4").glob("*.png"))) == 2
    board.write_text("outdated", encoding="utf-8")
    assert row_boards.main(tmp_path) == 0
    assert list((tmp_path / "switch-4").glob("*.png")) == []


def test_unwritable_folder_gives_one_sentence(tmp_path, capsys):
    (tmp_path / "switch-4").touch()
    assert row_boards.main(tmp_path) == 2
    assert capsys.readouterr().err.count("\n") == 1
