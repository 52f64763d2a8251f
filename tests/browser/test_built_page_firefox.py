"""The page of `make browser` in Firefox."""

import pytest

from tests.conftest import require

require("starlette", "it is beside the page's modules")
require("firefox-esr", "it shows the page")

from tests.web.browser_firefox import open_firefox  # noqa: E402

pytestmark = pytest.mark.slow

COUNT_TURNS = "document.querySelectorAll('#turns > li').length"
IS_CONNECTED = "document.getElementById('loading').hidden && document.getElementById('connection').textContent === ''"
FIND_FREE_CELL = """
document.querySelector("[data-cell][aria-label$='you can place an egg here']")?.getAttribute("aria-label") ?? ""
"""


def play_egg(firefox):
    """Place an egg, and wait until the program has replied."""
    turn_count = firefox.evaluate(COUNT_TURNS)
    name = firefox.wait_for(lambda: firefox.evaluate(FIND_FREE_CELL))
    firefox.touch(firefox.find("gridcell", name))
    firefox.wait_for(lambda: firefox.evaluate(COUNT_TURNS) == turn_count + 2)


def test_firefox_plays_and_continues_offline(site, tmp_path):
    with open_firefox(tmp_path) as firefox:
        firefox.open(site.address)
        play_egg(firefox)
        firefox.wait_for(lambda: firefox.evaluate("Boolean(navigator.serviceWorker.controller)"))
        site.stop()
        firefox.open(site.address)
        firefox.wait_for(lambda: firefox.evaluate(IS_CONNECTED))
        assert firefox.evaluate(COUNT_TURNS) == 2
        play_egg(firefox)
        assert firefox.complaints == []
