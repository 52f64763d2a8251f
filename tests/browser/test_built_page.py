"""The page of `make browser` in real browsers, from a web server that only has files."""

import re
import shutil
from contextlib import suppress

import pytest

from pond_hw.messages.catalogue import LANGUAGES
from tests.conftest import require

require("starlette", "it is beside the page's modules")
require("playwright", "it drives the browser")
require("chromium", "it shows the page")

from playwright.sync_api import Error, expect  # noqa: E402

from tests.waiting import wait_for  # noqa: E402
from tests.web.browser import Phone  # noqa: E402
from tools.browser import build  # noqa: E402

pytestmark = pytest.mark.slow

START_SECONDS = 60
"""Time for Python to start on a busy machine."""

FAIL_ONCE = """
async function failOnce() {
  if (await caches.has("failed")) return;
  await caches.open("failed");
  throw new Error("failed");
}
"""
"""Function of a worker's script that fails in the first worker."""


@pytest.fixture
def open_page(browser):
    """Return a function that opens the page as a new visitor. At the end, there must be no complaints about the page."""
    visitors = []

    def begin(address, **how):
        visitors.append(Visitor(browser, address, **how))
        return visitors[-1].open()

    yield begin
    for visitor in visitors:
        visitor.close()


class Visitor(Phone):
    """A visitor to the page of an own board.

    Args:
        broken_storage: True if the browser stores no games.
        without_python: True if Python cannot be loaded.
    """

    def __init__(self, browser, address, *, broken_storage=False, without_python=False, **how):
        super().__init__(browser, address, **how)
        if broken_storage:
            self.page.route("**/game_worker.js", self._break_storage)
        if without_python:
            self.page.route("**/game_worker.js", lambda _: None)

    @staticmethod
    def _break_storage(route):
        answer = route.fetch()
        text = "indexedDB.open = () => { throw new Error('no storage'); };\n" + answer.text()
        route.fulfill(response=answer, body=text)

    def kill_tab(self):
        """Kill the page with its workers, and open a new tab."""
        killed, self.page = self.page, self.context.new_page()
        with suppress(Error):
            killed.goto("chrome://crash", timeout=3000)

    def press(self, cell):
        self.page.locator(f"[data-cell={cell}]").click()

    def expect_piece(self, cell, name, seconds=START_SECONDS):
        piece = self.page.locator(f"[data-cell={cell}]")
        expect(piece).to_have_attribute("aria-label", re.compile(name), timeout=1000 * seconds)

    def expect_reply(self, seconds=START_SECONDS):
        """Wait until the program has placed its first egg."""
        expect(self.page.locator("[data-cell][aria-label*='Dark’s']")).to_have_count(1, timeout=1000 * seconds)

    def wait_until_offline_works(self):
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        wait_for(lambda: self.page.evaluate("Boolean(navigator.serviceWorker.controller)"), "the service worker")


def test_press_before_python_has_started_is_played(site, open_page):
    ann = open_page(site.address)
    ann.press("b2")
    expect(ann.page.locator("#loading")).to_be_visible()
    ann.expect_piece("b2", "Light’s")
    ann.expect_reply()
    expect(ann.page.locator("#loading")).to_be_hidden()


def test_page_plays_offline_after_the_first_visit(site, open_page):
    ann = open_page(site.address)
    ann.wait_until_offline_works()
    site.stop()
    ann.page.reload()
    ann.press("c3")
    ann.expect_reply()


def test_reload_shows_the_stored_position_at_once(site, open_page):
    ann = open_page(site.address)
    ann.press("b2")
    ann.expect_reply()
    ann.page.route("**/game_worker.js", lambda _: None)  # Python does not start
    ann.page.reload()
    ann.expect_piece("b2", "Light’s", seconds=5)


def test_killed_tab_loses_no_turn_that_was_shown(site, open_page):
    ann = open_page(site.address)
    ann.press("b2")
    ann.expect_piece("b2", "Light’s")
    ann.kill_tab()
    ann.page.goto(site.address)
    ann.page.evaluate("localStorage.clear()")  # only the saved game is left
    ann.page.reload()
    ann.expect_piece("b2", "Light’s")


def test_second_tab_waits_until_the_first_is_closed(site, open_page):
    ann = open_page(site.address)
    ann.press("b2")
    ann.expect_piece("b2", "Light’s")
    second = ann.context.new_page()
    second.goto(site.address)
    expect(second.locator("#connection")).to_contain_text("another tab")
    ann.page.close()
    ann.page = second
    expect(second.locator("#connection")).to_be_empty()
    expect(second.locator("#loading")).to_be_hidden(timeout=1000 * START_SECONDS)
    ann.expect_piece("b2", "Light’s")


def test_thinker_that_fails_is_replaced(site, built_folder, open_page, tmp_path):
    site.replace(shutil.copytree(built_folder, tmp_path / "broken"))
    (script,) = site.folder.glob("*/thinker.js")
    text = script.read_text("utf-8").replace("startPython()", "failOnce().then(startPython)")
    script.write_text(text + FAIL_ONCE, "utf-8")
    (site.folder / "service_worker.js").unlink()
    (site.folder / "service_worker.js").write_text(build.format_service_worker(site.folder), "utf-8")
    ann = open_page(site.address)
    ann.press("b2")
    ann.expect_piece("b2", "Light’s")
    ann.expect_reply(seconds=20)  # less than a frozen thinker is given
    assert ann.page.evaluate("caches.has('failed')")
    ann.complaints.clear()  # about the failure


def test_page_says_that_games_are_not_saved(site, open_page):
    ann = open_page(site.address, broken_storage=True)
    ann.press("b2")
    ann.expect_piece("b2", "Light’s")
    expect(ann.page.locator("#unsaved")).not_to_be_empty()


@pytest.mark.parametrize("language", LANGUAGES)
def test_first_picture_is_in_the_visitors_language(site, open_page, language):
    ann = open_page(site.address, locale=language, without_python=True)
    (message,) = [each["message"] for each in build.list_beginning(language) if each["type"] == "state"]
    expect(ann.page.locator("#message")).to_have_text(message)
    assert ann.page.evaluate("document.documentElement.lang") == language


def test_old_browser_gets_a_sentence(site, open_page):
    ann = open_page(site.address, script="delete globalThis.WebAssembly;")
    expect(ann.page.locator("#connection")).to_contain_text("too old")


def test_page_opened_from_a_file_gets_a_sentence(built_folder, open_page):
    ann = open_page(f"file://{built_folder}/index.html")
    expect(ann.page.locator("#connection")).to_contain_text("web server")
    ann.complaints.clear()  # about the manifest, which a browser doesn't read from a file
