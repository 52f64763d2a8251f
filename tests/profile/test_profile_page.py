"""Agreement between docs/profile.md and the reader."""

import doctest
import re
from pathlib import Path
from textwrap import dedent, indent

import pytest

import pond_hw.profile
from pond_hw.messages.catalogue import to_english
from pond_hw.profile import ProfileError, fields, list_shipped, parse_profile, pi_header
from pond_hw.profile.calibration import list_measurable_keys, parse_calibrated_profile, profile_fingerprint
from tests.profile.sheet import Sheet
from tests.profile.texts import ALL, faults

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENT = (DOCS / "profile.md").read_text(encoding="utf-8")


def known_keys():
    """Yield every key accepted by the reader, from its messages about unknown keys."""
    for text in ALL.values():
        for heading in ("", *re.findall(r"^\[.*\]\n", text, re.MULTILINE)):
            changed = text.replace(heading, f"{heading}qqqq = 1\n", 1)
            for fault in faults(changed):
                if to_english(fault.place).endswith("qqqq"):
                    yield from fault.reason.arguments.get("keys", ())


def test_page_has_every_key():
    keys = set(known_keys()) | set(fields.list_fields(fields.SensorFields))
    assert {"format", "chips", "unused", "current_ma", "pin", "settle_ms"} <= keys
    assert [key for key in sorted(keys) if not re.search(rf"`(\[(sensors\.)?{key}\]|{key})`", DOCUMENT)] == []


def test_page_has_every_shipped_board():
    assert [name for name in list_shipped() if not re.search(rf"\b{name}\b", DOCUMENT)] == []


@pytest.mark.parametrize(("driver", "scans"), [each for each in fields.SCAN_RATES.items() if each[0] != "simulated"])
def test_page_has_scan_rates(driver, scans):
    low, high, default = scans
    assert re.search(rf"^\| `{driver}` .* \| {low} to {high}, {default} \|$", DOCUMENT, re.MULTILINE)


@pytest.mark.parametrize(("driver", "pins"), pi_header.LAMP_PINS.items())
def test_page_has_lamp_pins(driver, pins):
    assert re.search(rf"^\| `{driver}` \| {', '.join(map(str, pins))} \|", DOCUMENT, re.MULTILINE)


def test_page_shows_real_faults():
    sheet = Sheet("direct-4x4")
    sheet.set_word("sensors.cells", 3, 2, "23")
    sheet.set_value("lamps.budget_ma", "800")
    with pytest.raises(ProfileError) as refused:
        parse_profile(sheet.text, "kitchen")
    assert indent(to_english(refused.value.message), "    ") in DOCUMENT


def test_page_example_of_calibration_is_valid():
    block = re.search(r"^(    format = 1\n    profile = .*?)\n- Only", DOCUMENT, re.MULTILINE | re.DOTALL)
    text = Sheet("direct-4x4").text
    measured = dedent(block[1]).replace("77e1...", profile_fingerprint(text))
    board = parse_calibrated_profile(text, "direct-4x4", measured, "direct-4x4.measured.toml")
    assert board.measured_keys == ("sensors.debounce_ms", "lamps.colours")
    assert (board.sensing.debounce_by_cell["b3"], board.chain.colour_order) == (0.029, "RGB")


def test_page_has_every_measurable_key():
    section = DOCUMENT.partition("## The calibration file")[2]
    assert [key for key in list_measurable_keys() if not re.search(rf"\b{key.partition('.')[2]}\b", section)] == []


def test_package_example_runs():
    result = doctest.testmod(pond_hw.profile)
    assert result.attempted
    assert not result.failed
