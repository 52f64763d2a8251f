"""The fields of a profile, one by one: what each takes, and what is said of all else."""

import math

import pytest

from pond_hw.profile.field_kinds import ChoiceField, FieldError, IntegerField, NumberField, WordForm, parse_cell
from pond_hw.profile.fields import DRAWN_KEYS, MEASURABLE_KEYS, LampFields, SensorFields, list_fields
from pond_hw.profile.toml_positions import TomlPositions
from pond_hw.profile.toml_table import TomlTable


def table(text, **values):
    """A table of a file, and the faults that are noted about it."""
    faults = []
    return TomlTable(values, (), TomlPositions(text), faults), faults


def test_a_field_is_called_by_the_attribute_that_holds_it():
    assert all(key == field.key for fields in (SensorFields, LampFields) for key, field in list_fields(fields).items())
    assert "budget_ma" in list_fields(LampFields)


def test_what_set_up_may_change_is_marked_in_the_table():
    assert MEASURABLE_KEYS["lamps"] == ("cells", "colours", "brightness")
    assert ("sensors", "debounce_ms") in DRAWN_KEYS
    assert ("sensors", "settle_ms") not in DRAWN_KEYS


@pytest.mark.parametrize("value", [0, 10, True, "3", 2.0, math.nan])
def test_a_whole_number_out_of_bounds_is_refused(value):
    with pytest.raises(FieldError, match=r"Write a whole number from 1 to 9, not"):
        IntegerField("a number", 1, 9).parse_value(value)


def test_no_bounds_hold_nan():
    with pytest.raises(FieldError, match=r"Write a number from 0 to 1, not nan\."):
        NumberField("a share", 0, 1).parse_value(math.nan)


def test_a_misspelt_choice_is_told_the_nearest():
    with pytest.raises(FieldError, match=r'Write "button" or "hall", not \'Buton\'\. Did you mean "button"\?'):
        ChoiceField("what", ("button", "hall")).parse_value("Buton")


def test_a_cell_is_one_of_its_board():
    assert parse_cell("c3", 3) == "c3"
    with pytest.raises(FieldError, match=r"Write a cell from a1 to c3, not 'd1'\."):
        parse_cell("d1", 3)


def test_a_word_stands_for_something_or_is_complained_of():
    form = WordForm("pin", "([0-9]{1,2})", int, "a GPIO")
    assert form.parse_word("07", "a1") == 7
    with pytest.raises(FieldError, match=r"'x' for a1 is no pin\. Write a GPIO\."):
        form.parse_word("x", "a1")


def test_an_unreadable_number_breaks_no_rule():
    lamps, faults = table("budget_ma = 'x'", budget_ma="x")
    budget = lamps.read_number(LampFields.budget_ma)
    assert not budget < 100
    assert not budget > 100
    assert [fault.sentence for fault in faults] == ["Write a number from 1 to 20000, not 'x'."]


def test_of_a_missing_table_only_its_absence_is_told():
    root, faults = table("")
    lamps = root.read_table("lamps", "count")
    assert lamps.read_field(LampFields.count) is None
    lamps.check_keys()
    root.check_keys()
    assert [fault.sentence for fault in faults] == ["The table [lamps] is missing. Add it, with count below it."]
