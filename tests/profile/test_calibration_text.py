"""Formatted calibration files, to be read by tomllib and by people."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.profile.calibration import (
    CalibrationChange,
    CalibrationOverlay,
    format_calibration,
    format_toml_value,
    list_measurable_keys,
    parse_calibration,
)

ROWS = st.lists(st.sampled_from(["1 2 3", "", '"', '"""', "\\", "\t# x", "'", "\r", "é", "\x00\x1b[2J", "\x7f"]))
TEXTS = st.one_of(st.text(), ROWS.map("\n".join), ROWS.map("\n".join).map(lambda text: f"{text}\n"))
NUMBERS = st.integers(-(10**9), 10**9) | st.floats(allow_nan=False)
VALUES = st.one_of(TEXTS, NUMBERS, st.booleans(), st.lists(TEXTS | NUMBERS, max_size=4))
LINES = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=40)
CHANGES = st.builds(
    CalibrationChange, LINES, LINES, st.lists(st.sampled_from([*list_measurable_keys()]), max_size=3).map(tuple), LINES
)


@given(VALUES)
def test_toml_value_round_trip(value):
    read = tomllib.loads(f"x = {format_toml_value(value)}\ny = 1\n")
    assert read == {"x": value, "y": 1}
    assert type(read["x"]) is type(value)


@given(VALUES)
def test_formatted_file_is_printable(value):
    assert format_toml_value(value).replace("\n", "").isprintable()


@pytest.mark.slow
@given(
    LINES, st.dictionaries(st.sampled_from([*list_measurable_keys()]), VALUES), st.lists(CHANGES, max_size=3).map(tuple)
)
def test_calibration_round_trip(name, values, changes):
    own = CalibrationOverlay(name, "ab" * 32, values, changes)
    again = parse_calibration(format_calibration(own), "x", "")
    assert again == own
    assert format_calibration(again) == format_calibration(own)


def test_formatted_file_is_readable():
    values = {"lamps.colours": "RGB", "sensors.bad": ["b3"], "sensors.cells": "4 5\n6 7\n", "sensors.debounce_ms": 8}
    change = CalibrationChange(
        "2026-11-21T16:27:00+01:00", "pond setup map", ("sensors.cells",), "a2 and b2 were exchanged"
    )
    text = format_calibration(CalibrationOverlay("kitchen", "ab12", values, (change, change)))
    head, rest = text.split("\n\n", 1)
    assert all(line.startswith("# ") and len(line) <= 120 for line in head.splitlines())
    assert "clock of this machine, which may have been wrong" in head
    entry = """\
[[change]]
at = "2026-11-21T16:27:00+01:00"
by = "pond setup map"
keys = ["sensors.cells"]
why = "a2 and b2 were exchanged"
"""
    assert (
        rest
        == f'''\
format = 1
profile = "kitchen"
measured_on = "ab12"

[sensors]
cells = """
4 5
6 7
"""
debounce_ms = 8
bad = ["b3"]

[lamps]
colours = "RGB"

{entry}
{entry}'''
    )


@pytest.mark.parametrize("value", [None, {"a": 1}, object(), [None], {1}])
def test_unsupported_value_types_are_refused(value):
    with pytest.raises(TypeError, match="A file of measured values cannot hold a "):
        format_toml_value(value)
