"""The page of a board that plays a linked game: who is at the other end, and what they ask."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.conftest import require

require("playwright", "it drives the browser")
require("chromium", "it plays the phones")
require("starlette", "it serves the page")
require("websockets", "the page gets its messages by a WebSocket")

from playwright.sync_api import expect  # noqa: E402

from pond_hw.messages.message import Message  # noqa: E402
from tests.messages.says import text  # noqa: E402
from tests.server.test_linked_game import NEXT_GAME, STATUS, follow  # noqa: E402
from tests.web.browser import Phone, find_barriers  # noqa: E402
from tests.web.browser_players import Player  # noqa: E402
from tests.web.served_page import FarHome, ServedPage  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture
def player_and_home(browser):
    """A phone that plays Light at a served board, and the other home of that board's game."""
    with TemporaryDirectory(prefix="pond") as folder, ExitStack() as last:
        table = ServedPage(Path(folder))
        last.callback(table.close)
        phone = Phone(browser, table.address)
        last.callback(phone.close)
        player = Player(phone.open(), table)
        player.take_seat("light")
        home = FarHome(table.path)
        last.callback(home.leave)
        yield player, home


def test_request_of_the_other_home_is_answered_on_a_phone(player_and_home):
    player, home = player_and_home
    home.send(follow(0, "@b2", "@c3"), STATUS | {"requests": [{"undo": 1}]})
    player.expect_text(text(Message("linked.status.name", name="Ada")))
    player.expect_text(text(Message("linked.request.undo", turn=1)))
    assert find_barriers(player.page) == []
    player.press(text(Message("linked.answer.yes")))
    assert home.read_wish() == {"type": "wish", "wish": {"undo": 1}, "accept": True}
    home.send(STATUS)
    expect(player.button(text(Message("linked.answer.yes")))).to_have_count(0)


def test_rematch_keeps_the_seat_on_the_other_side(player_and_home):
    """The end card asks the other home. Then the homes have swapped sides, and with them the phone."""
    player, home = player_and_home
    home.send(follow(0, "@b2", "@c3"), STATUS)
    player.expect_turn(2)
    home.send(follow(2, outcome={"winner": "light", "reason": "resignation"}))
    player.expect_text("You win!")
    player.page.locator("#rematch").tap()
    assert home.read_wish() == {"type": "wish", "wish": {"new": "standard", "side": "dark"}}
    player.expect_text(text(Message("linked.asked.new", variant="standard", side="dark")))
    home.send(follow(0, "@d4", game=NEXT_GAME, side="dark"))
    player.expect_headline("Your turn, Dark")
    player.expect_text("You are playing for: Dark")
