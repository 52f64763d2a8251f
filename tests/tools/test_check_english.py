"""Tests of the English check."""

import pytest

from tools.check_english import check_catalogue, check_module, check_page, check_subject


def complaints(source):
    return [complaint for _, complaint in check_module(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('def f():\n    """Whether it is lit."""\n', "a docstring begins with “Whether”"),
        ('class A:\n    """What lamps may draw."""\n', "a docstring begins with “What”"),
        ('"""Games of somebody."""\n', "“somebody”"),
        ("x = 1  # the game is spoilt\n", "“spoilt”"),
        ("told = 1\n", "told: not “told”"),
        ("def usual_pause(): ...\n", "usual_pause: not “usual”"),
        ("class SpoiltFile: ...\n", "SpoiltFile: not “Spoilt”"),
        ("def f(was_told): ...\n", "was_told: not “told”"),
        ("MOST_GAMES = 3\n", "MOST_GAMES: MAX_ or MIN_"),
        ("def test_" + "_".join("abcdefghijk") + "(): ...\n", "more than 10 words"),
    ],
)
def test_module_with_one_fault_has_one_complaint(source, expected):
    (found,) = complaints(source)
    assert found.startswith(expected) or expected in found


def test_plain_module_gets_no_complaints():
    assert not complaints('"""Current limit of the lamps."""\n\nMAX_CURRENT_MA = 400  # of the power supply\n')


def test_complaint_has_the_right_line():
    assert [line for line, _ in check_module("x = 1\ntold = 2\n")] == [2]


def test_code_on_a_page_is_not_checked():
    page = "Nothing.\n\n```\ntold\n```\n\n    told\n\nThe field `told` is a list. It is told.\n"
    assert [line for line, _ in check_page(page)] == [9]


def test_message_ids_are_not_checked():
    catalogue = (
        'msgid "card.spoilt"\nmsgstr "The deck is damaged."\n\nmsgid "card.bad"\nmsgstr "Somebody is missing."\n'
    )
    assert [complaint[:10] for _, complaint in check_catalogue(catalogue)] == ["“Somebody”"]


@pytest.mark.parametrize("subject", ["Fix the lamps", "Add a check of English"])
def test_subject_that_begins_with_a_verb_passes(subject):
    assert not list(check_subject(subject))


@pytest.mark.parametrize("subject", ["fix the lamps", "What lamps draw", "lamps: fix them", "Fix " + "x" * 70])
def test_subjects_without_a_leading_verb_are_refused(subject):
    assert list(check_subject(subject))
