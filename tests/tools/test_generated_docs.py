"""Tests that generated pages and pictures are up to date. The man page is tested in test_manpage.py."""

import re
from html import unescape
from pathlib import Path

import pytest

from pond_hw.commands.main import build_parser
from pond_hw.session.game.fair_start_table import FAIR_STARTS
from tools import (
    commands_page,
    fairness_picture,
    first_board_page,
    mistake_pictures,
    profile_page,
    puzzles_page,
    terminal_picture,
)

DOCS = Path(__file__).parents[2] / "docs"


def read(name):
    return (DOCS / name).read_text(encoding="utf-8")


def test_commands_page_is_current():
    assert commands_page.page(build_parser()) == read("commands.md"), "docs/commands.md is out of date: make man"


@pytest.mark.parametrize(
    ("page", "write"),
    [("profile.md", profile_page.page), ("curious.md", puzzles_page.page), ("first-board.md", first_board_page.page)],
)
def test_tables_of_a_page_are_current(page, write):
    assert write(read(page)) == read(page), f"docs/{page} is out of date: make man"


def test_fairness_picture_shows_its_table():
    table = fairness_picture.read_table(read("studying.md"))
    assert set(table) == set(FAIR_STARTS)
    assert read("pictures/fairness.svg") == fairness_picture.draw(table)
    assert "](pictures/fairness.svg)" in read("studying.md")


def test_every_mistake_picture_is_current_and_shown():
    page = read("mistakes.md")
    assert page.count("](pictures/mistake-") == len(mistake_pictures.PICTURES)
    for name in mistake_pictures.PICTURES:
        assert f"(pictures/mistake-{name}.svg)" in page
        assert read(f"pictures/mistake-{name}.svg") == mistake_pictures.draw(name)


@pytest.mark.long
def test_terminal_picture_is_current_and_loads_nothing():
    drawn = terminal_picture.board()
    assert set(re.findall(r"https?://[^\"') ]*", drawn)) <= {"http://www.w3.org/2000/svg"}
    assert "font-face" not in drawn
    texts = re.findall(r'<text [^>]*x="([^"]*)"[^>]*>([^<]*)</text>', drawn)
    assert sum(len(places.split()) == len(unescape(text)) for places, text in texts) == len(texts) - 1  # not the title
    assert {text: places for places, text in texts}["a"].split() == ["85.4"]
    assert not re.search(r"textLength|line-0|▀", drawn)
    assert drawn == read("board.svg"), "docs/board.svg is out of date: make picture"
