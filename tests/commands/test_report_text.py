"""What reports are made of."""

import pytest

from pond_hw.commands.report_text import format_interval, format_percent, format_signed
from pond_hw.messages.message import Message
from tests.messages.says import text


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        (0.25, 0.5, Message("interval.range", low="25.0", high="50.0 %")),
        (0.25, None, Message("interval.at_least", low="25.0 %")),
        (None, 0.5, Message("interval.at_most", high="50.0 %")),
    ],
)
def test_an_interval_may_be_open_at_one_end(low, high, message):
    assert format_interval({"low": low, "high": high}) == text(message)


def test_an_interval_that_is_open_at_both_ends_says_nothing():
    assert format_interval({"low": None, "high": None}) == ""


def test_numbers_that_are_not_known_or_nothing_are_short():
    assert [format_percent(None), format_signed(0.4), format_signed(-12.3)] == ["", "0", "-12"]
