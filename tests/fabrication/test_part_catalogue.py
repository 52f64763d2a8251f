"""Part catalogue and page text."""

import re

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.guide_pages import (
    PAGE_SECTIONS,
    choose_lines,
    fill_lines,
    format_rows,
    list_facts,
    read_sections,
)
from pond_hw.fabrication.netlist import Pin, PinKind
from pond_hw.fabrication.part_catalogue import MAX_LAMP_CURRENT_MA, PART_TYPES, make_part
from pond_hw.profile import list_shipped, load_profile
from pond_hw.profile.row_boards import find_mismatch
from tests.fabrication.solids.boards import with_three_faces


def test_part_without_listed_pins_has_two_terminals():
    assert PART_TYPES["resistor"].pins == {"1": Pin("1", PinKind.PASSIVE), "2": Pin("2", PinKind.PASSIVE)}
    assert [pin.name for pin in PART_TYPES["diode"].pins.values()] == ["anode", "band"]


def test_chip_pins_match_its_package():
    chips = {name: kind for name, kind in PART_TYPES.items() if kind.package.startswith("DIP-")}
    assert set(chips) == {"expander", "converter", "shifter"}
    for kind in chips.values():
        assert max(map(int, kind.pins)) == int(kind.package.removeprefix("DIP-"))
        assert kind.needs_capacitor
        assert {PinKind.FED, PinKind.GROUND} <= {pin.pin_kind for pin in kind.pins.values()}


def test_shifter_has_no_substitute():
    # HC and HCT inputs have a diode to their supply; those of AHCT don't
    assert "none" in PART_TYPES["shifter"].substitutes
    assert not [name for name, kind in PART_TYPES.items() if re.search(r"(^|, )74HCT?\d", kind.substitutes)]


def test_fuse_type_is_named():
    assert "type T (time-lag, IEC 60127-2)" in PART_TYPES["fuse"].package


def test_lamp_current_is_three_times_20_ma():
    assert MAX_LAMP_CURRENT_MA == 60


def test_make_part_uses_catalogue_and_details():
    lamp = make_part("D3", "lamp", cell="b2", index=1)
    assert (lamp.ref, lamp.part_type, lamp.cell, lamp.index) == ("D3", "lamp", "b2", 1)
    assert lamp.pins is PART_TYPES["lamp"].pins
    assert make_part("J1", "pico", pins={}).pins == {}


def test_short_name_ends_at_comma():
    assert PART_TYPES["button"].short_name == "tactile switch 6 × 6 mm"
    assert PART_TYPES["fuse"].short_name == "fuse"


def test_guide_steps_have_title_and_check():
    for heading, text in read_sections("assembly.txt").items():
        assert re.fullmatch(r"(\[[a-z -]+\] )?[A-Z].+", heading)
        assert "**Check:**" in text


def test_bracketed_words_select_lines():
    text = "Always.\n[case] In the case.\n[case key] Both.\n[key] The key, see [there](here).\n\nEnd."
    assert choose_lines(text, {"case"}) == "Always.\nIn the case.\n\nEnd."
    assert choose_lines(text, {"key"}) == "Always.\nThe key, see [there](here).\n\nEnd."
    assert choose_lines(text, {"case", "key"}).count("\n") == 5
    assert choose_lines("[case] Print", set()) == ""


def test_bracketed_words_apply_to_some_board():
    boards = [load_profile(name, measured=False) for name in list_shipped()]
    boards = [board for board in boards if find_mismatch(board) is None or board.name == "neotrellis-4x4"]
    circuits = [(board, make_circuit(board)) for board in (*boards, with_three_faces(load_profile("hall-4x4")))]
    applying = set().union(*(list_facts(*each, is_designed) for each in circuits for is_designed in (False, True)))
    guide = "\n".join(f"{heading}\n{text}" for heading, text in read_sections("assembly.txt").items())
    words = {word for words in re.findall(r"^\[([\w -]+)\] ", guide, re.MULTILINE) for word in words.split()}
    assert words <= applying


def test_page_tables_end_with_rows_placeholder():
    for name, text in PAGE_SECTIONS.items():
        if "|---|" in text:
            assert re.search(r"\|---\|\n\{rows\}(\n|$)", text), name


def test_format_rows_and_paragraphs():
    assert format_rows([("a1", 30), ("b1", 40)]) == "| a1 | 30 |\n| b1 | 40 |"
    assert fill_lines("one\n  two") == "one two"
    assert max(map(len, fill_lines("word " * 100).split("\n"))) <= 116
