"""A linked game between a terminal in one home and a phone page in the other."""

import re
from threading import Thread

import pytest

from pond_hw.messages.message import Message
from tests.commands.test_play import START_PROMPT, terminal
from tests.conftest import require
from tests.messages.says import text
from tests.mqtt.processes import Board, Broker, Link
from tests.waiting import wait_for

require("mosquitto", "the homes meet at a real broker")
require("playwright", "it drives the browser")
require("chromium", "it plays the phone")
require("starlette", "it serves the page")
require("websockets", "the page gets its messages by a WebSocket")

from tests.web.browser import Phone, find_barriers, open_browser  # noqa: E402
from tests.web.browser_players import Player  # noqa: E402
from tests.web.served_page import ServedPage  # noqa: E402

pytestmark = pytest.mark.slow


class TerminalHome:
    """`pond play --link` in a pseudo-terminal. A thread reads its output, because a full buffer would block it."""

    def __init__(self, terminal):
        self.terminal, self.begin = terminal, 0
        terminal.wait_until_shown(START_PROMPT.encode())
        self.invitation = re.search(rb"pond-join:\S+", terminal.shown)[0].decode()
        Thread(target=self.read_all, daemon=True).start()
        self.press("\r")
        self.expect(text(Message("key.help")))
        (folder,) = terminal.private_folders
        self.board = Board(folder)

    def read_all(self):
        while self.terminal.read():
            pass

    def expect(self, expected):
        """Expect this in what has been drawn since the last key."""
        wait_for(lambda: expected in self.read_words(), expected)

    def read_words(self):
        """Return what has been drawn since the last key, without styles, places and the ends of lines."""
        drawn = self.terminal.shown[self.begin :].decode(errors="replace")
        return " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", drawn).split())

    def expect_turn(self, side, cell, number):
        """Expect a turn at the board, and then in the terminal."""
        self.wait_for(lambda state: state["turn"] == number, f"turn {number}")
        self.expect(text(Message("turn.place", side=side, cell=cell)))

    def press(self, keys):
        self.begin = len(self.terminal.shown)
        self.terminal.press(keys.encode())

    def wait_for(self, is_as_wanted, what):
        wait_for(lambda: (state := self.board.ask_state()) and is_as_wanted(state), what)


@pytest.fixture
def broker(folder):
    broker = Broker(folder)
    broker.start()
    broker.wait()
    yield broker
    broker.stop()


@pytest.fixture
def far_home(broker, folder):
    """The terminal, which plays Light and invites."""
    address = f"mqtt://127.0.0.1:{broker.port}"
    with terminal(
        folder, address, "--variant", "mini", "--journal", str(folder / "journal"), serving="--link"
    ) as started:
        yield TerminalHome(started)


@pytest.fixture
def phone(far_home, folder):
    """The phone page in the other home, which plays Dark."""
    near = folder / "near"
    near.mkdir()
    table = ServedPage(near, "--variant", "mini")
    link = Link(near, table, "join", far_home.invitation)
    try:
        link.start()
        far_home.wait_for(lambda state: state["link"]["joined"] and state["link"]["game"], "the joiner")
        with open_browser() as browser:
            shown = Phone(browser, table.address)
            yield Player(shown.open(), table).take_seat("dark")
            shown.close()
    finally:
        link.stop()
        table.close()


def test_terminal_and_phone_play_a_game(far_home, phone):
    yes = text(Message("linked.answer.yes"))
    far_home.press("b2\r")
    phone.expect_headline("Your turn, Dark")
    phone.play("@b3")
    far_home.expect_turn("dark", "b3", 2)
    far_home.press("c3\r")
    phone.expect_turn(3)

    phone.play("@c2")
    far_home.expect_turn("dark", "c2", 4)
    phone.press("Take back")
    far_home.expect("to take back turn 4")
    far_home.press("y")
    phone.expect_turn(3)
    phone.play("@d4")
    far_home.wait_for(lambda state: state["turn"] == 4, "turn 4")  # an offer before it would lapse

    far_home.press("t")
    phone.expect_text(text(Message("linked.request.draw")))
    assert find_barriers(phone.page) == []
    phone.press(yes)
    far_home.expect(text(Message("key.rematch")))

    far_home.press("r")
    phone.expect_text(text(Message("linked.request.new", variant="mini", side="light")))
    phone.press(yes)
    far_home.wait_for(lambda state: state["turn"] == 0 and state["link"]["side"] == "dark", "the rematch")
    phone.play("@b2")  # the phone has swapped sides, too
    far_home.expect_turn("light", "b2", 1)
