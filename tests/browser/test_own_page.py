"""The page of an own board in a browser. The board runs in this process, in simulated time."""

import json
from contextlib import ExitStack, closing

import pytest

from pond_hw.messages.catalogue import LANGUAGES
from tests.browser.page_table import PageTable
from tests.conftest import require

require("starlette", "it serves the page")
require("playwright", "it drives the browser")

from pond_hw.web.page_files import list_words  # noqa: E402
from tests.browser.unbuilt_page import ADDRESS, SITE, make_html, open_html  # noqa: E402
from tests.web.browser import LANDSCAPE_PHONE, PHONE, SCREEN, TABLET, Phone, find_barriers, freeze_page  # noqa: E402
from tests.web.page_layout import list_layout_faults  # noqa: E402

pytestmark = pytest.mark.slow

MAIN = """
import { addOwnParts } from "./own_board.js";
import { startPage } from "./page.js";

class Live {
  constructor(receive, begin) { globalThis.receive = receive; this.begin = begin; }
  connect() { this.begin(); }
  send(message) { globalThis.hear(JSON.stringify(message)); return true; }
}

startPage({ Live, addParts: addOwnParts, readBeginning: () => [] });
"""

TWO_PEOPLE = ("human", "human")
CONFIRM_SECONDS = 4
"""Seconds after which a turn with a piece counts."""


class OwnPhone:
    """Phone whose page has its own board. The fields of the start are those of `BoardStart`."""

    def __init__(self, browser, html, *size, folder=None, locale="en", touch=True, **start):
        self.table, self.sent = PageTable(folder, **start), []
        self.phone = Phone(browser, ADDRESS, *size, locale=locale, touch=touch)
        self.page = self.phone.page
        open_html(self.phone, html, "en", self._hear)
        self.page.evaluate("(messages) => messages.forEach(receive)", list(self.table.shown.values()))
        self.settle()

    def _hear(self, text):
        self.sent.append(json.loads(text))

    def settle(self, seconds=0.0):
        """Hand on all messages, after some seconds of the board's time."""
        self.page.wait_for_timeout(50)
        answers = []
        while self.sent or seconds:
            if self.sent:
                answers += self.table.send(**self.sent.pop(0))
            else:
                self.table.answers = []
                self.table.wait(seconds)
                answers, seconds = answers + self.table.answers, 0
        self.page.evaluate("(messages) => messages.forEach(receive)", answers)

    def close(self):
        self.table.board.close()
        self.phone.close()

    def cell(self, name):
        return self.page.locator(f"[data-cell='{name}']")

    def centre(self, name):
        box = self.cell(name).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def tap(self, *names):
        for name in names:
            self.cell(name).click()
            self.settle(CONFIRM_SECONDS)

    def drag(self, name, place):
        """Drag from a cell to a place with the mouse."""
        self.page.mouse.move(*self.centre(name))
        self.page.mouse.down()
        self.page.mouse.move(*place, steps=4)
        self.settle()
        self.page.mouse.move(*place)
        self.page.mouse.up()
        self.settle()

    def swipe(self, name, place):
        """Move a finger from a cell to a place."""
        fingers = self.phone.context.new_cdp_session(self.page)
        (x, y), (end_x, end_y) = self.centre(name), place
        for index in range(9):
            point = {"x": x + (end_x - x) * index / 8, "y": y + (end_y - y) * index / 8}
            kind = "touchMove" if index else "touchStart"
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
            self.settle()
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        self.settle()

    @property
    def standing(self):
        return self.table.shown["table"]["standing"]

    @property
    def held(self):
        return self.table.shown["table"]["held"]

    def list_problems(self):
        return list_layout_faults(self.page)


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    files = [SITE / name for name in ("hands.js", "own.css", "own_board.js")]
    return make_html(tmp_path_factory.mktemp("site"), MAIN, files)


@pytest.fixture
def open_page(browser, html):
    """Function that opens the page of an own board on a phone."""
    with ExitStack() as phones:
        yield lambda *size, **how: phones.enter_context(closing(OwnPhone(browser, html, *size, **how)))


@pytest.fixture
def open_pieces(open_page):
    """Function that opens a board with Light's tadpole on b2 and Dark's egg on c2, and two people."""

    def begin(*size, **how):
        phone = open_page(*size, board="pieces", players=TWO_PEOPLE, **how)
        phone.tap("b2", "c2")
        assert phone.table.actions == ["@b2", "@c2"]
        return phone

    return begin


# Pieces


def test_mouse_drags_a_piece(open_pieces):
    phone = open_pieces(touch=False)
    phone.drag("b2", phone.centre("b3"))
    assert phone.standing == {"b3": "light", "c2": "dark"}
    phone.settle(CONFIRM_SECONDS)
    assert phone.table.actions[-1] == "b2b3"


def test_finger_drags_a_piece_and_scrolls_elsewhere(open_pieces):
    phone = open_pieces()
    phone.swipe("b2", phone.centre("a2"))
    assert phone.standing == {"a2": "light", "c2": "dark"}
    assert phone.page.evaluate("scrollY") == 0
    x, y = phone.centre("b4")
    phone.swipe("b4", (x, y - 100))
    assert phone.page.evaluate("scrollY") > 50
    assert phone.standing == {"a2": "light", "c2": "dark"}


def test_piece_dropped_outside_is_put_aside(open_pieces):
    phone = open_pieces(touch=False)
    phone.drag("b2", (5, 600))
    assert (phone.standing, phone.held) == ({"c2": "dark"}, [])


def test_piece_dropped_between_cells_returns(open_pieces):
    phone = open_pieces(touch=False)
    board = phone.page.locator("#board").bounding_box()
    phone.drag("b2", (board["x"] + 4, board["y"] + 4))
    assert (phone.standing, phone.held) == ({"b2": "light", "c2": "dark"}, [])


def test_tap_lifts_and_escape_returns(open_pieces):
    phone = open_pieces()
    phone.cell("b2").click()
    phone.settle()
    assert phone.held == ["light"]
    assert "Light" in phone.page.inner_text("#hand-text")
    phone.page.keyboard.press("Escape")
    phone.settle()
    assert (phone.standing, phone.held) == ({"b2": "light", "c2": "dark"}, [])
    assert "Light" not in phone.page.inner_text("#hand-text")


def test_keyboard_lifts_and_puts_down(open_pieces):
    phone = open_pieces(touch=False)
    phone.cell("b2").focus()
    for key in ("Enter", "ArrowUp", "Enter"):
        phone.page.keyboard.press(key)
        phone.settle()
    assert phone.standing == {"b3": "light", "c2": "dark"}


def test_held_piece_is_put_aside_by_its_button(open_pieces):
    phone = open_pieces()
    phone.cell("b2").click()
    phone.settle()
    phone.page.click("#put-aside")
    phone.settle()
    assert (phone.standing, phone.held) == ({"c2": "dark"}, [])
    assert not phone.page.is_visible("#put-aside")


def test_page_shows_the_move_of_a_program(open_page):
    phone = open_page(board="pieces", players=("human", "level-1"))
    phone.tap("b2")
    phone.settle(10)
    step = phone.table.state["wood"]["next"]
    assert phone.cell(step["to"]).get_attribute("aria-label").endswith("a piece belongs here")
    phone.tap(step["to"])
    assert phone.standing[step["to"]] == "dark"
    assert phone.table.state["wood"]["next"] is None


def test_tap_takes_off_scored_pieces(open_page):
    phone = open_page(board="pieces", players=TWO_PEOPLE, position="..../.E../..../.F.f l 11 12 0 0")
    phone.settle(2)
    phone.tap("b1", "b3", "d1", "c1")
    assert phone.table.state["wood"]["take_off"] == ["b1", "c1", "d1"]
    assert phone.cell("d1").get_attribute("aria-label").endswith("this piece must be lifted")
    phone.tap("b1", "c1", "d1")
    assert phone.table.state["wood"]["take_off"] == []
    assert (list(phone.standing), phone.held) == (["b3"], [])


def test_what_if_needs_no_pieces(open_pieces):
    phone = open_pieces()
    phone.page.click("#do-what-if")
    phone.cell("a4").click()
    phone.settle()
    assert phone.page.inner_text("#preview-text").startswith("What if:")
    assert "a4" not in phone.standing


# Settings and games


def test_new_game_has_the_chosen_kind_of_board(open_page):
    phone = open_page()
    phone.tap("b2")
    for kind in ("pieces", "buttons"):
        phone.page.click("#do-new")
        phone.page.select_option("#board-kind", kind)
        phone.page.click("#pond-list [data-pond=mini]")
        phone.page.click("#begin")
        phone.settle()
        assert phone.table.shown["hello"]["pieces"] is (kind == "pieces")
        assert phone.table.state["variant"] == "mini"


def test_cancelled_new_game_keeps_the_board(open_page):
    phone = open_page()
    phone.tap("b2")
    phone.page.click("#do-new")
    phone.page.select_option("#board-kind", "pieces")
    phone.page.click("#ponds .close")
    phone.settle()
    assert not phone.table.shown["hello"]["pieces"]
    assert phone.table.actions[0] == "@b2"


@pytest.mark.parametrize("command", ["resign", "draw"])
def test_end_of_a_game_is_confirmed(open_page, command):
    phone = open_page(players=TWO_PEOPLE)
    phone.tap("b2")
    phone.page.click(f"#do-{command}")
    assert find_barriers(phone.page) == []
    phone.page.get_by_role("button", name="Cancel").click()
    phone.settle()
    assert phone.table.state["outcome"] is None
    phone.page.click(f"#do-{command}")
    phone.page.click("#confirm-yes")
    phone.settle()
    assert phone.table.state["outcome"]


def test_rules_lead_to_the_lessons(open_page):
    phone = open_page()
    phone.page.click("#open-rules")
    phone.page.click("#rules-exercises")
    phone.settle()
    assert phone.page.is_visible("#exercise-list button")
    assert phone.page.is_hidden("#rules")


def test_games_are_imported_from_files(open_page, tmp_path):
    phone = open_page(folder=tmp_path / "games")
    records = {"one.pond": "@b2 @c2", "two.pond": "@a1 @a2"}
    for name, turns in records.items():
        (tmp_path / name).write_text(f'[Variant "standard"]\n[Result "*"]\n\n1. {turns}\n')
    (tmp_path / "bad.pond").write_text("@@@")
    (tmp_path / "large.pond").write_text(" " * 1_000_001)
    phone.page.click("#open-games")
    phone.settle()
    phone.page.set_input_files(
        "#import-files", [tmp_path / name for name in ("one.pond", "bad.pond", "large.pond", "two.pond")]
    )
    for _ in range(6):
        phone.settle()
    say = phone.page.inner_text("#import-say")
    assert say.startswith("Games imported: 2. bad.pond:")
    assert "large.pond: The file is larger than 1 MB." in say
    assert phone.page.locator("#game-list li").count() == 2


def test_high_levels_have_a_note(open_page):
    phone = open_page()
    phone.page.click("#do-new")
    assert phone.page.inner_text("#level-note") == ""
    phone.page.select_option("#dark-player", "level-10")
    assert "weaker" in phone.page.inner_text("#level-note")
    phone.page.select_option("#dark-player", "level-9")
    assert phone.page.inner_text("#level-note") == ""


# First visit


@pytest.mark.parametrize("language", LANGUAGES)
def test_first_lesson_is_in_sight_until_something_is_played(open_page, language):
    phone = open_page(PHONE, locale=language)
    button = phone.page.locator("#first-lesson")
    assert button.inner_text() == list_words(language, own=True)["page.first_lesson"]
    box = button.bounding_box()
    assert box["y"] + box["height"] <= phone.page.locator("#play-buttons").bounding_box()["y"]
    button.click()
    phone.settle()
    assert phone.table.state["exercise"]["course"] == "lessons"
    assert not button.is_visible()
    phone.phone.open()
    phone.page.evaluate("(messages) => messages.forEach(receive)", list(phone.table.shown.values()))
    assert not button.is_visible()


def test_page_fits_and_is_accessible(open_pieces):
    found = []
    for language in LANGUAGES:
        phone = open_pieces(locale=language)
        phone.cell("b2").click()
        phone.settle(1)
        for colours in ("light", "dark"):
            phone.page.emulate_media(color_scheme=colours)
            found += [f"{language}, {colours}: {barrier}" for barrier in find_barriers(phone.page)]
        for width, height in (PHONE, LANDSCAPE_PHONE, TABLET, SCREEN):
            phone.page.set_viewport_size({"width": width, "height": height})
            freeze_page(phone.page)
            phone.page.wait_for_timeout(50)
            found += [f"{language}, {width}x{height}: {problem}" for problem in phone.list_problems()]
    assert found == []


def test_page_does_not_speak_of_another_board(open_page):
    phone = open_page()
    for part in ("offer", "seats", "asking", "health", "brightness", "board-asks"):
        assert phone.page.locator(f"#{part}").count() == 0, part
    words = list_words("en", own=True)
    assert "board" not in words["page.connection.gone"] + words["page.head.waiting"] + words["page.exercises.wait"]
