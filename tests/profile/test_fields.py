"""Profile fields: accepted values, and messages about all others."""

import math

import pytest

from pond_hw.messages.message import Message
from pond_hw.profile.field_kinds import ChoiceField, FieldError, IntegerField, NumberField, WordForm, parse_cell
from pond_hw.profile.fields import DRAWN_KEYS, MEASURABLE_KEYS, LampFields, SensorFields, list_fields
from pond_hw.profile.toml_positions import TomlPositions
from pond_hw.profile.toml_table import TomlTable


def table(text, **values):
    """Return a table of a file, and its list of faults."""
    faults = []
    return TomlTable(values, (), TomlPositions(text), faults), faults


def refused(parse, *arguments):
    """Return the message about a rejected value."""
    with pytest.raises(FieldError) as error:
        parse(*arguments)
    return error.value.message


def test_field_key_is_attribute_name():
    assert all(key == field.key for fields in (SensorFields, LampFields) for key, field in list_fields(fields).items())
    assert "budget_ma" in list_fields(LampFields)


def test_lamp_keys_and_drawings_are_measurable():
    assert MEASURABLE_KEYS["lamps"] == ("cells", "colours", "encoding", "brightness")
    assert ("sensors", "debounce_ms") in DRAWN_KEYS
    assert ("sensors", "settle_ms") not in DRAWN_KEYS


@pytest.mark.parametrize(
    ("value", "quoted"), [(0, "0"), (10, "10"), (True, "true"), ("3", '"3"'), (2.0, "2.0"), (math.nan, "nan")]
)
def test_integer_out_of_bounds_is_refused(value, quoted):
    message = refused(IntegerField("a number", 1, 9).parse_value, value)
    assert message == Message("profile.field.integer", low="1", high="9", value=quoted)


def test_nan_is_out_of_bounds():
    message = refused(NumberField("a share", 0, 1).parse_value, math.nan)
    assert message == Message("profile.field.number", low=0, high=1, value="nan")


def test_misspelt_choice_suggests_nearest():
    assert refused(ChoiceField("what", ("button", "hall")).parse_value, "Buton") == Message(
        "profile.field.misspelt_choice", choices=('"button"', '"hall"'), value='"Buton"', near='"button"'
    )


def test_parse_cell():
    assert parse_cell("c3", 3) == "c3"
    assert refused(parse_cell, "d1", 3) == Message("profile.item.cell", first="a1", last="c3", value='"d1"')


def test_parse_word():
    form = WordForm("gpio", "([0-9]{1,2})", int, limits={"low": 1})
    assert form.parse_word("07", "a1") == 7
    assert refused(form.parse_word, "x", "a1") == Message("profile.word.gpio", word='"x"', cell="a1", low=1)


def test_unreadable_number_is_reported_once():
    lamps, faults = table("budget_ma = 'x'", budget_ma="x")
    budget = lamps.read_number(LampFields.budget_ma)
    assert not budget < 100
    assert not budget > 100
    assert [fault.reason for fault in faults] == [Message("profile.field.number", low=1, high=20000, value='"x"')]


def test_missing_table_is_a_single_fault():
    root, faults = table("")
    lamps = root.read_table("lamps", "count")
    assert lamps.read_field(LampFields.count) is None
    lamps.check_keys()
    root.check_keys()
    assert [fault.reason for fault in faults] == [Message("profile.table.missing", heading="lamps", keys=("count",))]
