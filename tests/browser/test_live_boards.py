"""Live boards in the manual: their starts, and the pages that have some, built with Sphinx."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from pond_hw.browser.page_board import BoardStart
from tests.browser.built_page import build_once, serve
from tests.browser.page_table import PageTable
from tests.conftest import each, require
from tests.web.browser import PHONE, SCREEN, Phone, find_barriers, open_browser

ROOT = Path(__file__).parents[2]
LIVE_BOARDS = runpy.run_path(str(ROOT / "docs" / "conf.py"))["LIVE_BOARDS"]
BOARDS = [(page, picture, start) for page, boards in LIVE_BOARDS.items() for picture, start in boards.items()]

MOVES = {
    "docs/first-evening": ("b2", "Light placed an egg on b2"),
    "docs/lights": ("a1", "Light placed an egg on a1"),
    "docs/lessons": ("b2", "That's right"),
    "docs/pieces": ("b2", "Light placed an egg on b2"),
}
"""A cell to press on the first board of each page, and part of the message that follows."""

LOADING_MS = 60_000


@each("page, picture, start", BOARDS)
def test_picture_is_in_its_page(page, picture, start):
    assert (ROOT / f"{page}.md").read_text(encoding="utf-8").count(f"](pictures/{picture})") == 1, picture
    assert page in MOVES, start


@each("page, picture, start", BOARDS)
def test_board_begins_as_configured(page, picture, start):
    parsed = BoardStart.parse(dict(parse_qsl(start, strict_parsing=True)))
    table = PageTable(**parsed._asdict())
    try:
        assert table.state["legal"], (page, picture)
        assert ("frame" in table.shown) == ("lamps" in start)
        assert not parsed.position or table.state["position"] == parsed.position
    finally:
        table.board.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory, worker_id):
    """A web server with the bundle and those pages of the manual that have live boards."""
    require("sphinx", "it builds the manual")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(build_once(tmp_path_factory, worker_id), folder / "browser")
    pages = ",".join(f"{page}.md" for page in ("docs/index", *LIVE_BOARDS))
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-c", "docs", "-D", f"include_patterns={pages}"]
    subprocess.run([*command, ".", folder], cwd=ROOT, check=True, capture_output=True)
    with serve(folder) as server:
        yield server


@pytest.fixture(scope="module")
def browser():
    with open_browser() as opened:
        yield opened


@pytest.fixture
def open_page(site, browser):
    """Return a function that opens a page of the manual. At the end, there must be no complaints about it."""
    opened = []

    def open_next(page, size=PHONE, **options):
        opened.append(Phone(browser, f"{site.address}{page}.html", size, **options))
        return opened[-1].open().page

    yield open_next
    for phone in opened:
        phone.close()


def open_board(page, number=0):
    """Replace a picture by its live board, and wait until the board is connected."""
    page.locator(".live-board-button").nth(number).click()
    board = page.frame_locator(".live-board")
    board.locator("#loading").wait_for(state="hidden", timeout=LOADING_MS)
    board.locator("body:not(.gone)").wait_for()
    return board


@pytest.mark.slow
@pytest.mark.parametrize("page_name", LIVE_BOARDS)
def test_reader_plays_on_live_board(page_name, open_page):
    page = open_page(page_name)
    cell, says = MOVES[page_name]
    board = open_board(page)
    board.locator(f"[data-cell={cell}]").click()
    board.locator("#message", has_text=says).wait_for()
    box = page.locator(".live-board").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE[0]
    frame = page.frames[1]
    assert frame.evaluate("document.documentElement.scrollHeight <= innerHeight")  # nothing is cut off
    assert find_barriers(frame) == []


@pytest.mark.slow
def test_live_board_follows_theme_of_manual(open_page):
    page = open_page("docs/lights", SCREEN, touch=False)
    board = open_board(page, 1)
    back = "getComputedStyle(document.body).backgroundColor"
    page.evaluate("document.body.dataset.theme = 'light'")
    board.locator("html[data-theme=light]").wait_for()
    light = page.frames[1].evaluate(back)
    page.evaluate("document.body.dataset.theme = 'dark'")
    board.locator("html[data-theme=dark]").wait_for()
    assert page.frames[1].evaluate(back) != light
    assert find_barriers(page.frames[1]) == []


@pytest.mark.slow
def test_live_board_is_played_by_keyboard(open_page):
    page = open_page("docs/first-evening", SCREEN, touch=False)
    button = page.locator(".live-board-button").first
    button.focus()
    page.keyboard.press("Enter")
    board = page.frame_locator(".live-board")
    board.locator("body:not(.gone)").wait_for(timeout=LOADING_MS)
    for _ in ("Begin again", "Hint", "Take back", "board"):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    board.locator("#message", has_text="Light placed an egg on a3").wait_for()


@pytest.mark.slow
def test_only_one_board_is_open(open_page):
    page = open_page("docs/first-evening")
    first, second = page.locator(".live-board-button").all()
    first.click()
    second.click()
    assert page.locator(".live-board").count() == 1
    assert page.locator("img[src$='/game.webp']").is_visible()
    assert first.inner_text() == "Try it here"
    second.click()
    assert page.locator(".live-board").count() == 0
    assert page.locator("img[src$='/scored.webp']").is_visible()


@pytest.mark.slow
def test_live_board_works_beside_the_page_itself(open_page):
    page = open_page("docs/lessons")
    own_page = page.context.new_page()
    own_page.goto(page.url.replace("docs/lessons.html", "browser/"))
    own_page.locator("#loading").wait_for(state="hidden", timeout=LOADING_MS)
    own_page.locator("#do-hint:not([aria-disabled])").wait_for(timeout=LOADING_MS)
    open_board(page).locator("[data-cell=b2]").click()
    page.frame_locator(".live-board").locator("#message", has_text="That's right").wait_for()
    assert own_page.locator("#turns li").count() == 0
    assert own_page.locator("#exercise").is_hidden()


@pytest.mark.slow
def test_strange_start_is_refused_in_page(site, browser):
    phone = Phone(browser, f"{site.address}browser/board.html#folder=games")
    phone.open().page.locator("#connection", has_text="could not be loaded").wait_for(timeout=LOADING_MS)
    assert "unknown start: folder='games'" in phone.complaints.pop()
    phone.close()


@pytest.mark.slow
def test_pictures_stay_without_javascript(open_page):
    for page_name, boards in LIVE_BOARDS.items():
        page = open_page(page_name, java_script_enabled=False)
        for picture in boards:
            assert page.locator(f"img[src$='/{picture}']").is_visible()
        assert page.locator(".live-board-button").count() == 0


@pytest.mark.slow
def test_pictures_stay_in_file(site, browser):
    phone = Phone(browser, (site.folder / "docs" / "lessons.html").as_uri())
    page = phone.open().page
    assert "make docs-serve" in page.locator(".live-board-note").inner_text()
    assert page.locator("img[src$='/lesson.webp']").is_visible()
    phone.close()
