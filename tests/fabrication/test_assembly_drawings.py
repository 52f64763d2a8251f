"""Assembly drawings: they can be read on A4, and show what lies where."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from PIL import ImageFont

from pond_hw.fabrication import assembly_drawings, wire_drawings
from pond_hw.fabrication.assembly_drawings import (
    View,
    draw_row,
    draw_rows,
    draw_sheets,
    lamp_places,
    row_connector_box,
    row_pin,
)
from pond_hw.fabrication.board_file_reader import read_board, read_carrier
from pond_hw.fabrication.cables import list_cables
from pond_hw.fabrication.carrier import has_carrier, make_carrier
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.drawing_sheet import LETTER, MIN_LETTER, SHEET_WIDTH, Sheet, text_width
from pond_hw.fabrication.netlist import PartPin
from pond_hw.fabrication.row_board import connector_pins, row_kind
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.sizes import ROW_DEPTH
from pond_hw.profile import load_profile
from pond_hw.profile.row_boards import LAMPS_PER_CELL, chain_positions
from tests.fabrication.drawing_checks import find_faults, find_row_faults, list_circles, list_labels, list_lines
from tests.fabrication.profiles import profiles
from tests.fabrication.solids.boards import SHIPPED
from tools.carrier.placement import NoRoom, place_parts
from tools.pcb.board_file import write_board

ROOT = Path(__file__).parents[2]

WITH_ROWS = tuple(name for name in SHIPPED if "trellis" not in name)


def place_carrier(profile, netlist):
    """Return a carrier with its parts in place; None if a board has none or they don't fit."""
    if not has_carrier(netlist):
        return None
    try:
        return read_board(write_board(profile.name, place_parts(profile.name, make_carrier(profile, netlist)), []))
    except NoRoom:
        return None


@cache
def parts_of(name):
    """Return what the drawings of a board are made from."""
    profile = load_profile(name, measured=False)
    netlist = make_circuit(profile)
    return profile, netlist, list_cables(profile, netlist), read_carrier(ROOT / "hardware" / name)


@cache
def drawn(name):
    return {each: sheet.to_svg() for each, sheet in draw_sheets(*parts_of(name))}


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_drawings_can_be_read_on_a4(name):
    for each, svg in drawn(name).items():
        assert find_faults(svg) == [], each


@pytest.mark.parametrize("name", WITH_ROWS)
def test_drawings_without_carrier_design_can_be_read(name):
    profile, netlist, cables, _ = parts_of(name)
    for each, sheet in draw_sheets(profile, netlist, cables, None):
        assert find_faults(sheet.to_svg()) == [], each


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(profile=profiles())
def test_drawings_of_random_boards_can_be_read(profile):
    netlist = make_circuit(profile)
    cables, carrier = list_cables(profile, netlist), place_carrier(profile, netlist)
    for each, sheet in draw_sheets(profile, netlist, cables, carrier):
        svg = sheet.to_svg()
        assert find_faults(svg) == [], each
        if each == "rows":
            assert find_row_faults(svg, profile.size, [cable for cable in cables if cable.is_row_cable]) == []


def test_each_board_gets_the_drawings_that_apply():
    assert [*drawn("owner-4x4")] == ["case", "row", "rows", "panel"]
    assert [*drawn("usb-direct-4x4")] == ["case", "row", "rows", "panel"]
    assert [*drawn("neotrellis-4x4")] == ["case", "trellis"]


def test_text_width_is_an_upper_bound():
    font = ImageFont.load_default(100)
    for text in ("SEEN FROM BELOW", "J14: row 4", "wire 1 of the ribbon cable", "5 V lamps, 330 Ω, 1000 µF"):
        assert text_width(text, 100) >= font.getlength(text)


# --- Planted faults in what a reader sees ---


def edited(name, each, old, new):
    svg = drawn(name)[each]
    assert svg.count(old) == 1
    return svg.replace(old, new)


def test_too_small_text_is_found():
    svg = edited(
        "direct-4x4",
        "case",
        f'font-size="{MIN_LETTER:g}" text-anchor="start" fill="#111111">50 mm',
        'font-size="2.4" text-anchor="start" fill="#111111">50 mm',
    )
    assert find_faults(svg) == [("50 mm", "small")]


def test_label_off_the_page_is_found():
    label = next(label for label in list_labels(drawn("direct-4x4")["rows"]) if label.text == "row 4 to J14")
    svg = edited(
        "direct-4x4",
        "rows",
        f'<text x="{label.point[0]:.2f}" y="{label.point[1]:.2f}"',
        f'<text x="165" y="{label.point[1]:.2f}"',
    )
    assert ("row 4 to J14", "page") in find_faults(svg)


def test_overlapping_labels_are_found():
    sheet = Sheet("Two texts")
    sheet.write("one", (20, 30))
    sheet.write("other", (22, 31))
    assert find_faults(sheet.to_svg()) == [("one", "overlap")]


def test_line_through_a_letter_is_found():
    sheet = Sheet("A text and a line")
    sheet.write("text", (20, 30))
    sheet.line((5, 28), (40, 29))
    assert find_faults(sheet.to_svg()) == [("text", "crossed")]


def test_sheet_too_high_for_a4_is_found():
    sheet = Sheet("A long sheet")
    sheet.line((5, 28), (5, 300))
    assert find_faults(sheet.to_svg()) == [("", "size")]


def test_callout_without_room_is_refused():
    sheet = Sheet("A full sheet")
    with pytest.raises(ValueError, match="no room"):
        sheet.call_out("x" * 200, [(90, 40)], (20, 60))


# --- Row boards from below ---


def row_cables(name):
    return [cable for cable in parts_of(name)[2] if cable.is_row_cable]


@pytest.mark.parametrize("name", WITH_ROWS)
def test_rows_are_mirrored_and_cables_lead_to_their_connectors(name):
    assert find_row_faults(drawn(name)["rows"], parts_of(name)[0].size, row_cables(name)) == []


def test_view_that_is_not_mirrored_is_found(monkeypatch):
    real = View.at
    monkeypatch.setattr(View, "at", lambda view, x, y: real(view._replace(is_mirrored=False), x, y))
    profile, _, cables, _ = parts_of("direct-4x4")
    svg = draw_rows(profile, SolidLayout(profile), cables, None).to_svg()
    assert "view" in find_row_faults(svg, 4, row_cables("direct-4x4"))


def test_connector_drawn_at_wrong_row_is_found():
    profile, _, cables, _ = parts_of("direct-4x4")
    layout = SolidLayout(profile)
    connectors = {"J12": "J13", "J13": "J12"}
    swapped = [cable._replace(connector=connectors.get(cable.connector, cable.connector)) for cable in cables]
    for carrier in (None, parts_of("direct-4x4")[3]):
        svg = draw_rows(profile, layout, swapped, carrier).to_svg()
        assert find_row_faults(svg, 4, row_cables("direct-4x4")) == ["row 3", "row 2"]


def test_cable_to_wrong_place_on_carrier_is_found():
    profile, _, cables, carrier = parts_of("direct-4x4")
    svg = draw_rows(profile, SolidLayout(profile), cables, carrier).to_svg()
    ends = {path[0][1]: path[-1] for path in list_lines(svg, "#1756a9", 1.1)}
    (_, one), (_, other) = sorted(ends.items())[:2]
    swap = {f"{x:.2f},{y:.2f}": f"{u:.2f},{v:.2f}" for (x, y), (u, v) in ((one, other), (other, one))}
    lines = svg.split("\n")
    for number, line in enumerate(lines):
        for old, new in swap.items():
            if line.startswith("<polyline") and old in line:
                lines[number] = line.replace(old, new)
                break
    assert find_row_faults("\n".join(lines), 4, row_cables("direct-4x4")) == ["row 4", "row 3"]


# --- One row board ---


def lamp_faults(svg, size):
    """Return the lamps whose place differs from that in the profile's chain. All cells of a row are compared."""
    numbers = {
        int(label.text): label.point
        for label in list_labels(svg)
        if label.text.isdigit() and label.size == LETTER and not label.is_bold
    }
    row = chain_positions(size)[-LAMPS_PER_CELL * size :]  # the row farthest from the key is first in the chain
    wanted = [
        row[LAMPS_PER_CELL * column + index] + 1
        for line in ((0, 1), (2, 3))
        for column in range(size)
        for index in line
    ]
    middle = sum(y for _, y in numbers.values()) / len(numbers)
    order = sorted(numbers, key=lambda number: numbers[number][0])
    far = [number for number in order if numbers[number][1] < middle]
    near = [number for number in order if numbers[number][1] > middle]
    return [one for one, other in zip((*far, *near), wanted, strict=True) if one != other]


@pytest.mark.parametrize("name", WITH_ROWS)
def test_lamp_numbers_follow_the_chain(name):
    assert lamp_faults(drawn(name)["row"], parts_of(name)[0].size) == []


def test_reversed_lamp_chain_is_found(monkeypatch):
    real = assembly_drawings.lamp_places
    monkeypatch.setattr(assembly_drawings, "lamp_places", lambda layout: real(layout)[::-1])
    profile = parts_of("direct-4x4")[0]
    assert lamp_faults(draw_row(profile, SolidLayout(profile)).to_svg(), 4)


@pytest.mark.parametrize("name", ["direct-4x4", "matrix-5x5", "owner-4x4", "hall-5x5"])
def test_parts_of_row_lie_as_in_its_design(name):
    profile = parts_of(name)[0]
    layout, kind = SolidLayout(profile), f"{row_kind(profile)}-{profile.size}"
    text = (ROOT / f"hardware/row-boards/{kind}/{kind}.kicad_pcb").read_text(encoding="utf-8")
    parts, left = read_board(text).parts, layout.row_ends[0]

    def near(x, y):
        return pytest.approx((x - left, y + ROW_DEPTH / 2), abs=0.2)

    for number in connector_pins(profile.size):
        assert parts["J1"].pads[number] == near(*row_pin(layout, 0, int(number)))
    box_left, box_near, box_right, box_far = row_connector_box(layout, 0)
    left_wall, near_wall, right_wall, far_wall = parts["J1"].outline
    assert [(left_wall, near_wall), (right_wall, far_wall)] == [near(box_left, box_near), near(box_right, box_far)]
    for number, place in enumerate(lamp_places(layout), 1):
        assert parts[f"LED{number}"].place == near(*place)
    if row_kind(profile) == "switch":
        for column, x in enumerate(layout.cell_middles, 1):
            diode = parts[f"D{column}"]
            assert diode.place == near(x + layout.pitch / 4, 0)
            assert diode.pads["2"][1] < diode.pads["1"][1]  # the band is towards the undo key


# --- Ribbon cable ---


def ribbon_faults(name, carrier):
    """Return the ends of the ribbon cable at which wire 1 isn't at pin 1: `Pi`, `carrier`."""
    profile, netlist, cables, _ = parts_of(name)
    layout = SolidLayout(profile)
    svg = dict(draw_sheets(profile, netlist, cables, carrier))["case"].to_svg()
    wire = [point for path in list_lines(svg, "#c8102e", 0.6) for point in path]
    view = View((SHEET_WIDTH / 2, 0), assembly_drawings.choose_scale(2 * layout.case_edge, 124))
    pi_x = view.at(*assembly_drawings._pi_pin(layout, 1))[0]
    plug_x = view.at(layout.carrier_corner[0] + carrier.parts["J1"].pads["1"][0], 0)[0]
    return [
        name for name, x, place in (("Pi", pi_x, wire[0][0]), ("carrier", plug_x, wire[-1][0])) if abs(x - place) > 2
    ]


def test_wire_1_of_ribbon_joins_both_pins_1():
    assert ribbon_faults("direct-4x4", parts_of("direct-4x4")[3]) == []


def test_turned_ribbon_connector_is_found():
    carrier = parts_of("direct-4x4")[3]
    plug = carrier.parts["J1"]
    turned = plug._replace(pads={**plug.pads, "1": plug.pads["40"]})
    assert ribbon_faults("direct-4x4", carrier._replace(parts={**carrier.parts, "J1": turned})) == ["carrier"]


# --- Panel ---


def joined_terminals(svg, start, terminals):
    """Return the terminals that lines lead to from a point. Lines that only cross are not joined."""
    lines = list_lines(svg, width=0.6)

    def touches(point, line):
        (x0, x1), (y0, y1) = (sorted(values) for values in zip(*line, strict=True))
        return x0 - 0.01 <= point[0] <= x1 + 0.01 and y0 - 0.01 <= point[1] <= y1 + 0.01

    reached, points = [], [start]
    while new := [
        line
        for line in lines
        if line not in reached
        and (
            any(touches(point, line) for point in points) or any(touches(end, each) for end in line for each in reached)
        )
    ]:
        reached += new
        points += [end for line in new for end in line]
    return {pin for pin, (x, y) in terminals.items() if any(abs(x - u) + abs(y - v) < 0.02 for u, v in points)}


def panel_faults(monkeypatch, name, cables):
    """Return the nets whose wires don't lead to the terminals in the netlist."""
    profile, netlist, wanted, _ = parts_of(name)
    terminals = {}
    real = wire_drawings._draw_panel_part

    def remember(*args):
        bottom = real(*args)
        terminals.update(args[-1])
        return bottom

    monkeypatch.setattr(wire_drawings, "_draw_panel_part", remember)
    svg = wire_drawings.draw_panel(profile, netlist, [cable for cable in cables if not cable.is_row_cable]).to_svg()
    monkeypatch.undo()
    pins = {}
    labels = list_labels(svg)
    for x, y, _ in list_circles(svg):
        if x == 41:
            title = [label for label in labels if label.text.startswith("J") and label.point[1] < y][-1]
            number = next(label.text for label in labels if label.text.isdigit() and abs(label.point[1] - y) < 2)
            pins[PartPin(title.text.partition(":")[0], number)] = (x, y)
    wires = [wire for cable in wanted if not cable.is_row_cable for wire in cable.wires]
    return [wire.net for wire in wires if joined_terminals(svg, pins[wire.start_pin], terminals) != {*wire.end_pins}]


@pytest.mark.parametrize("name", [name for name in WITH_ROWS if "panel" in drawn(name)])
def test_panel_wires_lead_to_the_terminals_in_the_netlist(name, monkeypatch):
    assert panel_faults(monkeypatch, name, parts_of(name)[2]) == []


def test_swapped_panel_wires_are_found(monkeypatch):
    cables = parts_of("owner-4x4")[2]
    turn_keys = next(cable for cable in cables if cable.name == "turn keys")
    wires = list(turn_keys.wires)
    first, second = (next(i for i, wire in enumerate(wires) if wire.net == net) for net in ("key light", "key dark"))
    wires[first], wires[second] = (
        wires[first]._replace(end_pins=wires[second].end_pins),
        wires[second]._replace(end_pins=wires[first].end_pins),
    )
    swapped = [cable._replace(wires=tuple(wires)) if cable is turn_keys else cable for cable in cables]
    assert sorted(panel_faults(monkeypatch, "owner-4x4", swapped)) == ["key dark", "key light"]
