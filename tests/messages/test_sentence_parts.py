"""What sentences and tables are made with."""

import pytest

from pond_hw.messages.columns import align_columns
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.system_errors import describe_system_error, explain_system_errors
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import PondError
from tests.conftest import each


def test_a_noun_has_its_plural_unless_there_is_one():
    assert [count_noun(count, "game") for count in (0, 1, 2)] == ["0 games", "1 game", "2 games"]


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
    with pytest.raises(PondError) as refused, explain_system_errors("a.pond cannot be read"):
        raise error
    assert str(refused.value) == f"a.pond cannot be read: {describe_system_error(error)}."


def test_a_sentence_of_our_own_stays_as_it_is():
    with pytest.raises(PondError, match=r"^It is full\.$"), explain_system_errors("a.pond cannot be read"):
        raise PondError("It is full.")


def test_what_a_terminal_would_obey_is_replaced():
    assert replace_unprintable("a\x1bb") == "a�b"
    assert replace_unprintable("a\x1bb", "") == "ab"


def test_columns_stand_under_each_other_to_the_left_and_to_the_right():
    rows = [("name", "n"), ("Ada", "100"), ("日本", "7")]
    assert align_columns(rows, "lr") == ["name    n", "Ada   100", "日本    7"]


def test_a_line_that_is_too_long_has_narrow_gaps_first_and_is_cut_then():
    rows = [("1", "Wilhelmina Friederike", "Ada")]
    assert align_columns(rows, "rll", 28) == ["1 Wilhelmina Friederike Ada"]
    assert align_columns(rows, "rll", 20, [1, 2]) == ["1 Wilhelmina Fr… Ada"]
    assert align_columns(rows, "rll", 5, [1, 2]) == ["1 Wilhe… Ada"]
    assert align_columns(rows, "rll", 5) == ["1 Wilhelmina Friederike Ada"]
