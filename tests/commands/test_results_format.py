"""What reports are made of."""

import pytest

from pond_hw.commands.results_format import format_interval, format_percent, format_signed


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.25, 0.5, ["25.0", "50.0 %"]), (0.25, None, ["25.0 %"]), (None, 0.5, ["50.0 %"]), (None, None, [])],
)
def test_an_interval_shows_the_ends_that_it_has(low, high, shown):
    interval = format_interval({"low": low, "high": high})
    assert all(each in interval for each in shown)
    assert interval.count("%") == bool(shown)


def test_numbers_that_are_not_known_or_nothing_are_short():
    assert [format_percent(None), format_signed(0.4), format_signed(-12.3)] == ["", "0", "-12"]
