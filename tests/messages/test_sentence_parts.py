"""What sentences and tables are made with."""

import pytest

from pond_hw.messages.columns import align_columns
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import describe_system_error, explain_system_errors
from pond_hw.messages.terminal_text import replace_unprintable
from tests.conftest import each


@each(
    "error, words",
    [
        (OSError(2, "No such file or directory"), "No such file or directory"),
        (OSError("broken"), "broken"),
        (ValueError("embedded null byte"), "embedded null byte"),
    ],
)
def test_an_error_is_told_in_the_words_of_the_system_or_in_its_own(error, words):
    assert describe_system_error(error) == words


@each("error", [FileNotFoundError(2, "No such file or directory"), ValueError("embedded null byte")])
def test_what_the_system_refuses_becomes_a_sentence(error):
    with pytest.raises(PondError) as refused, explain_system_errors("file.cannot_read", file="a.pond"):
        raise error
    assert refused.value.message == Message("file.cannot_read", file="a.pond", reason=describe_system_error(error))


def test_a_sentence_of_our_own_stays_as_it_is():
    ours = Message("file.is_folder", file="a.pond")
    with pytest.raises(PondError) as refused, explain_system_errors("file.cannot_read", file="a.pond"):
        raise PondError(ours)
    assert refused.value.message == ours


def test_what_a_terminal_would_obey_is_replaced():
    assert replace_unprintable("a\x1bb") == "a�b"
    assert replace_unprintable("a\x1bb", "") == "ab"
    assert replace_unprintable("12\N{NO-BREAK SPACE}%") == "12\N{NO-BREAK SPACE}%"


def test_columns_stand_under_each_other_to_the_left_and_to_the_right():
    rows = [("name", "n"), ("Ada", "100"), ("日本", "7")]
    assert align_columns(rows, "lr") == ["name    n", "Ada   100", "日本    7"]


def test_a_line_that_is_too_long_has_narrow_gaps_first_and_is_cut_then():
    rows = [("1", "Wilhelmina Friederike", "Ada")]
    assert align_columns(rows, "rll", 28) == ["1 Wilhelmina Friederike Ada"]
    assert align_columns(rows, "rll", 20, [1, 2]) == ["1 Wilhelmina Fr… Ada"]
    assert align_columns(rows, "rll", 5, [1, 2]) == ["1 Wilhe… Ada"]
    assert align_columns(rows, "rll", 5) == ["1 Wilhelmina Friederike Ada"]
