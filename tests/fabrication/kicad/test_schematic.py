"""Legibility of the KiCad schematic. These tests do not need KiCad."""

import re
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.kicad import page
from pond_hw.fabrication.kicad.expressions import STEP, in_mm
from pond_hw.fabrication.kicad.page import draw_kicad_schematic
from pond_hw.fabrication.kicad.schematic_blocks import draw_blocks
from pond_hw.fabrication.netlist import PartPin
from pond_hw.profile import load_profile
from tests.conftest import each
from tests.fabrication.faulty_netlists import remove_pins, replace_part, swap_pins
from tests.fabrication.profiles import profiles
from tests.fabrication.solids.boards import SHIPPED

FEW = settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow])


def built(name):
    profile = load_profile(name, measured=False)
    return profile, make_circuit(profile)


def draw(profile, netlist):
    return draw_kicad_schematic(profile.name, netlist, (profile.title,))


def overlap(one, other):
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom


def check_legibility(netlist):
    columns = draw_blocks(netlist)
    drawn = [placed.part.ref for column in columns for block in column for placed in block.symbols if placed.part]
    assert sorted(drawn) == sorted(netlist.parts)
    for block in (block for column in columns for block in column):
        texts = list(block.text_boxes())
        for (one, box), (other, its_box) in combinations(texts, 2):
            assert not overlap(box, its_box), (block.title, one, other)
        for placed in block.symbols:
            for text, box in texts:
                is_own = placed.part is None or not placed.symbol.is_box
                assert is_own or not overlap(placed.body_box, box), (block.title, text, placed.part.ref)
    blocks, sheet = page._pack_blocks(columns)
    frames = []
    for block, (right, down) in blocks:
        box = block.bounds()
        frames.append(box._make((box.left + right, box.top + down - 5, box.right + right, box.bottom + down)))
    assert not [pair for pair in combinations(frames, 2) if overlap(*pair)]
    width, height = sheet_size(sheet)
    assert max(in_mm(frame.right) for frame in frames) < width - 10
    assert max(in_mm(frame.bottom) for frame in frames) < height - 40  # above the sheet's title block


def sheet_size(sheet):
    name, *size = sheet.replace('"', "").split()
    return page.SHEETS[name] if not size else tuple(map(float, size))


@pytest.mark.slow
@each("name", SHIPPED)
def test_parts_are_drawn_once_without_overlap(name):
    check_legibility(built(name)[1])


@pytest.mark.slow
@FEW
@given(profiles())
def test_random_schematic_is_legible(profile):
    check_legibility(make_circuit(profile))


@pytest.mark.slow
@each("name", SHIPPED)
def test_schematic_fits_printable_sheet(name):
    drawn = draw(*built(name))
    assert re.search(r'^\(paper "(A\d)"\)$', drawn, re.MULTILINE)[1] in ("A4", "A3", "A2")


@pytest.mark.slow
@each("name", SHIPPED)
def test_schematic_is_reproducible_and_on_grid(name):
    drawn = draw(*built(name))
    assert drawn == draw(*built(name))
    for kind in ("wire", "label", "junction", "no_connect"):
        for line in re.findall(rf"^\({kind} .*$", drawn, re.MULTILINE):
            for x, y in re.findall(r"\((?:xy|at) ([-\d.]+) ([-\d.]+)", line):
                assert all(abs(float(each) / STEP - round(float(each) / STEP)) < 1e-6 for each in (x, y)), line
    idents = re.findall(r'\(uuid "([^"]+)"\)', drawn)
    assert len(set(idents)) == len(idents)


def test_rows_are_arranged_as_on_the_board():
    _, netlist = built("hall-4x4")
    blocks = [block for column in draw_blocks(netlist) for block in column]
    at = {placed.part.ref: placed.place for block in blocks for placed in block.symbols if placed.part}
    assert at["ROW4"][1] < at["ROW3"][1] < at["ROW2"][1] < at["ROW1"][1]
    assert at["ROW4"][0] == at["ROW1"][0]


def test_schematic_shows_netlist_values():
    profile, netlist = built("direct-4x4")
    changed = replace_part(netlist, replace(netlist.parts["R1"], value="4711 Ω"))
    before, after = (draw(profile, each) for each in (netlist, changed))
    assert before.replace('"330 Ω"', '"4711 Ω"') == after != before


@pytest.mark.slow
def test_only_unused_pins_are_marked_with_a_cross():
    profile, netlist = built("hall-4x4")
    crosses = draw(profile, netlist).count("(no_connect ")
    header, spare_pins, spare_gates, last_lamp = 30, 2 * 8, 3, 1
    assert crosses == header + spare_pins + spare_gates + last_lamp
    assert draw(profile, remove_pins(netlist, PartPin("U21", "15"))).count("(no_connect ") == crosses


@pytest.mark.slow
def test_pins_on_different_nets_are_not_joined():
    profile, netlist = built("matrix-5x5")
    changed_netlist = swap_pins(netlist, PartPin("R1", "1"), PartPin("R3", "1"))
    drawn, as_swapped = (draw(profile, each) for each in (netlist, changed_netlist))
    assert as_swapped.count('(label "data 5 V"') == drawn.count('(label "data 5 V"') + 1


@pytest.mark.parametrize(
    ("size", "sheet"), [((100, 100), '"A4"'), ((300, 200), '"A3"'), ((1300, 900), '"User" 1300 900')]
)
def test_smallest_fitting_sheet_is_chosen(size, sheet):
    assert page._choose_sheet(*size) == sheet
