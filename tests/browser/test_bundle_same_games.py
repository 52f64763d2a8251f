"""Games from seeds are the same in a browser and in CPython: all turns and all messages."""

import pytest

from tests.conftest import require

require("playwright", "it drives the browser")
require("chromium", "it plays the games")

from tests.browser.bundle import change_build  # noqa: E402
from tests.browser.same_games import play_game  # noqa: E402
from tests.browser.same_games_page import begin_games  # noqa: E402
from tests.web.browser import Phone, open_browser  # noqa: E402


@pytest.mark.parametrize(
    ("first", "last"), [pytest.param(1, 12, marks=pytest.mark.slow), pytest.param(1, 500, marks=pytest.mark.long)]
)
def test_games_are_the_same_in_a_browser(site, tmp_path, first, last):
    change_build(site.folder, tmp_path / "site")
    site.replace(tmp_path / "site")
    with open_browser() as browser:
        phone = Phone(browser, site.address)
        begin_games(site, phone.page, first, last)
        for seed in range(first, last + 1):
            expected = play_game(seed)
            while not (lines := phone.page.evaluate(f"lines.slice({seed - first}, {seed - first + 1})")):
                phone.page.wait_for_timeout(100)
            assert lines == [expected]
        phone.close()
