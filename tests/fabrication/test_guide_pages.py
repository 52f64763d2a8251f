"""Assembly guides and wiring pages: their steps, and the parts and figures that they name."""

import re
from functools import cache

import pytest

from pond_hw.fabrication.cables import list_cables
from pond_hw.fabrication.carrier import make_carrier
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.guide_pages import format_assembly, format_wiring_page
from pond_hw.fabrication.row_board import row_kind
from pond_hw.profile import load_profile, parse_profile
from pond_hw.profile.pi_header import HEADER_PINS
from pond_hw.setup.step_table import STEPS
from tests.conftest import each
from tests.fabrication.solids.boards import with_three_faces
from tests.fabrication.test_row_board import BUILT
from tests.profile.sheet import Sheet

STEP_ORDER = (
    *("The Pi alone", "The Pico alone", "The NeoTrellis", "Print the parts", "The pieces", "The row boards"),
    *("The carrier board", "The carrier board in the case", "The supply", "The first row", "All rows"),
    *("The expanders", "The converters", "The controls", "Every cable in its place", "Every key in its place"),
    *("Every sensor works", "Close it"),
)

SOMETIMES = {
    "The Pi alone": {"direct-4x4", "hall-4x4", "owner-4x4", "matrix-5x5", "hall-5x5"},
    "The Pico alone": {"usb-direct-4x4", "usb-hall-4x4", "usb-matrix-5x5"},
    "The pieces": {"hall-4x4", "owner-4x4", "hall-5x5", "usb-hall-4x4"},
    "The supply": {"hall-4x4", "owner-4x4", "matrix-5x5", "hall-5x5", "usb-matrix-5x5"},
    "The expanders": {"hall-4x4"},
    "The converters": {"owner-4x4", "hall-5x5"},
    "The NeoTrellis": set(),
    "Every key in its place": set(),
}
"""Steps that not every board of row boards has, and the boards that have them."""


@cache
def guide(name, *, is_designed=True):
    profile = load_profile(name.removesuffix(", turned"), measured=False)
    profile = with_three_faces(profile) if name.endswith(", turned") else profile
    return format_assembly(profile, make_circuit(profile), is_designed)


def circuit(name):
    profile = load_profile(name, measured=False)
    return profile, make_circuit(profile)


def titles(text):
    return re.findall(r"^## \d+\. (.+)$", text, re.MULTILINE)


def section(text, title):
    return re.split(r"^## \d+\. ", text.split(f". {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


@each("name", (*BUILT, "neotrellis-4x4", "hall-4x4, turned"))
def test_no_placeholder_or_condition_is_left(name):
    for text in (guide(name), guide(name, is_designed=False)):
        assert not re.search(r"[{}]|^\[[a-z -]+\] |None", text, re.MULTILINE)
        assert text.count("**Check:**") == len(titles(text)) == len(set(titles(text)))


@each("name", BUILT)
def test_steps_are_in_order_and_complete(name):
    wanted = [title for title in STEP_ORDER if name in SOMETIMES.get(title, BUILT)]
    assert titles(guide(name)) == wanted


def test_neotrellis_is_built_without_row_boards():
    text = guide("neotrellis-4x4")
    wanted = ["The Pi alone", "The NeoTrellis", "The controls", "Every key in its place"]
    assert titles(text) == [*wanted, "Every sensor works", "Close it"]
    assert not re.search("row board|carrier", text)


@each("name", BUILT)
def test_guide_names_its_row_boards(name):
    profile, _ = circuit(name)
    text = " ".join(section(guide(name), "The row boards").split())
    assert f"This board needs {profile.size} of `{row_kind(profile)}-{profile.size}`" in text
    assert "(../row-boards/README.md)" in text
    assert ("diode test" in text) == (profile.sensing.kind == "button")
    assert ("DRV5055A2), not with digital" in text) == (name in SOMETIMES["The converters"])


@each("name", BUILT)
def test_guide_names_existing_parts_and_connectors(name):
    profile, netlist = circuit(name)
    text, carrier = guide(name), make_carrier(profile, netlist)
    named = set(re.findall(r"\b(?:[CFJQRU]|LED|TVS)\d+\b", text))
    assert named <= carrier.parts.keys(), named - carrier.parts.keys()
    rows = {f"J1{number}" for number in range(1, profile.size + 1)}
    assert {f"J1{profile.size}", "J11"} <= named & rows
    controls = set(re.findall(r"(J\d+) \((?:key|buzzer|turn keys)\)", " ".join(text.split())))
    assert controls == {part.ref for part in carrier.parts_of_type("plug")} - rows


@each("name", BUILT)
def test_guide_quotes_printed_labels(name):
    _, netlist = circuit(name)
    labels = {part.value for part in netlist.parts_of_type("test point")}
    supply_step = " ".join(section(guide(name), "The supply").split()) if netlist.has_type("supply") else ""
    quoted = set(re.findall(r'"([^"]+)"', supply_step))
    assert quoted == ({"5 V in", "ground"} if netlist.has_type("supply") else set())
    assert quoted <= labels


@each("name", (*BUILT, "neotrellis-4x4"))
def test_guide_runs_existing_setup_steps_of_its_board(name):
    text = " ".join(guide(name).split())
    steps = re.findall(r"--step (\w+)", text)
    assert {"map", "sensors", "lamps"} <= set(steps) <= {*STEPS}
    assert set(re.findall(r"--board ([\w-]+)", text)) == {name}


@each("name", BUILT)
def test_meter_shows_no_more_than_the_budget(name):
    profile, _ = circuit(name)
    assert f"no more than {profile.chain.budget_ma:g} mA" in " ".join(guide(name).split())


@each("name", BUILT)
def test_only_boards_without_chips_have_no_3v3_check(name):
    _, netlist = circuit(name)
    assert ("You measure 3.3 V" in guide(name) or "you measure 3.3 V" in guide(name)) == ("3.3 V" in netlist.nets)


def test_guide_without_design_explains_how_to_make_one():
    assert "carrier/hall-4x4-carrier-gerbers.zip" in guide("hall-4x4")
    without = guide("hall-4x4", is_designed=False)
    assert "carrier-gerbers.zip" not in without
    assert "There is no design for the carrier board of this profile yet." in " ".join(without.split())


def test_turned_pieces_have_three_magnets():
    assert "three magnets" in guide("hall-4x4, turned")
    assert "three magnets" not in guide("hall-4x4")


@pytest.mark.parametrize(
    ("table", "step"), [("undo_key", "press the undo key"), ("buzzer", "the buzzer sounds when the turn counts")]
)
def test_guide_leaves_out_missing_controls(table, step):
    whole = Sheet("hall-4x4").text
    start = whole.index(f"[{table}]")
    end = whole.index("\n\n", start) if "\n\n" in whole[start:] else len(whole)
    profile = parse_profile(whole[:start] + whole[end:], "hall-4x4")
    assert step in " ".join(guide("hall-4x4").split())
    assert step not in " ".join(format_assembly(profile, make_circuit(profile), is_designed=True).split())


@each("name, joints", [("hall-4x4", 15), ("matrix-5x5", 4), ("usb-direct-4x4", 2), ("direct-4x4", 2)])
def test_guide_counts_joints_of_panel_parts(name, joints):
    assert f"you only solder the wires of the panel: {joints} joints." in " ".join(guide(name).split())


@each("name", BUILT)
def test_wiring_page_names_every_connector_and_cell(name):
    profile, netlist = circuit(name)
    page = format_wiring_page(profile, netlist, list_cables(profile, netlist))
    assert not re.search(r"[{}]|None", page)
    plugs = {part.ref for part in make_carrier(profile, netlist).parts_of_type("plug")}
    assert set(re.findall(r"\bJ\d+\b", page)) == plugs
    assert len(re.findall(r"^\| [a-e][1-5] \|", page, re.MULTILINE)) == profile.size**2


def test_wiring_page_of_neotrellis_lists_header_pins():
    profile, netlist = circuit("neotrellis-4x4")
    page = format_wiring_page(profile, netlist, list_cables(profile, netlist))
    assert f"GPIO 2 (header pin {HEADER_PINS[2]}) | M1.3 (SDA) | SDA" in page
    assert "header pin 9 | SW_key.2 | ground" in page
    assert (page.count("| M1."), page.count("| SW_key.")) == (4, 2)
