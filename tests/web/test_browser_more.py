"""Other parts of the page: players, brightness, health, and past games."""

import re
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.conftest import require

require("playwright", "it drives the browser")
require("chromium", "it plays the phones")
require("starlette", "it serves the page")
require("websockets", "the page gets its messages by a WebSocket")
require("PIL", "it opens pictures")

from PIL import Image  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

from pond_hw.rules import parse_record  # noqa: E402
from tests.waiting import wait_for  # noqa: E402
from tests.web.browser import PHONE, Phone, find_barriers  # noqa: E402
from tests.web.browser_players import Player  # noqa: E402
from tests.web.page_layout import find_overflowing_elements, find_small_buttons  # noqa: E402
from tests.web.served_page import ServedPage  # noqa: E402

pytestmark = pytest.mark.slow

SMALLEST, DEFAULT_SIZE = ({"width": width, "height": height} for width, height in ((320, 568), PHONE))

WITHOUT_HTTPS = """() => {
  Object.defineProperty(navigator, "clipboard", { value: undefined });
  document.addEventListener("copy", (event) => { globalThis.copied = event.target.value; });
}"""
"""Script that hides the clipboard, as for a page without https, and stores what is copied in the old way."""


READ_GAMES_AGAIN = """() => {
  document.querySelector("#open-games").click();
  return document.querySelector("#game-list button").ariaDisabled;
}"""
"""Script that asks for the list of games again. Returns whether the games are disabled until the board has answered."""


@pytest.fixture(scope="module")
def ann(browser):
    """A player with a seat for both sides, at a table where games are saved."""
    with TemporaryDirectory(prefix="pond") as folder, ExitStack() as last:
        table = ServedPage(Path(folder), "--variant", "mini", "--journal", Path(folder, "games"), "--names", "Ann,Ben")
        last.callback(table.close)
        phone = Phone(browser, table.address)
        last.callback(phone.close)
        player = Player(phone.open(), table)
        expect(player.button("Games")).to_be_hidden()
        yield player.take_seat("both")


def find_faults(page):
    """Find faults of the current page: barriers, missing texts, and elements that do not fit on the smallest phone."""
    found = find_barriers(page) + re.findall(r"\bpage\.\w+|\{\w+\}", page.locator("body").inner_text())
    page.set_viewport_size(SMALLEST)
    found += find_overflowing_elements(page) + find_small_buttons(page)
    page.set_viewport_size(DEFAULT_SIZE)
    return found


def dialog_of(player):
    return player.page.get_by_role("dialog")


def begin_game(player, variant="mini"):
    player.touch(dialog_of(player).get_by_role("button", name=re.compile(f"^{variant.title()} ")))
    player.press("Start the game")


def test_new_game_against_a_program_with_a_name(ann):
    ann.press("New game")
    dialog = dialog_of(ann)
    ann.expect_text("Choose a pond")
    expect(dialog.get_by_label("Dark’s name")).to_have_value("Ben")
    dialog.get_by_label("Who plays Dark?").select_option("Novice (level 1)")
    expect(dialog.get_by_label("Dark’s name")).to_be_hidden()
    dialog.get_by_label("Light’s name").fill("Level-3")
    begin_game(ann)
    ann.expect_text("Level-3 is the name of a program. Choose another name.")
    assert find_faults(ann.page) == []
    dialog.get_by_label("Light’s name").fill("  Eve ")
    begin_game(ann)
    expect(dialog).to_be_hidden()
    ann.play("@b2")
    ann.expect_turn(2)
    expect(ann.page.locator("#dark .name")).to_have_text("Novice")
    with ann.table.connect() as program:
        assert program.hello["players"] == {"light": None, "dark": "level-1"}
        assert program.hello["names"] == {"light": "Eve", "dark": None}
    ann.press("New game")
    expect(dialog.get_by_label("Light’s name")).to_have_value("Eve")
    expect(dialog.get_by_label("Who plays Dark?")).to_have_value("level-1")
    ann.press("Cancel")


def test_side_without_help_has_no_targets_or_hints(ann):
    able = ann.page.locator("#board .can")
    ann.press("Settings")
    ann.choose("Help for Light", "Only targets")
    ann.expect_text("Light sees where a piece can go, but gets no hints.")
    ann.press("Close")
    expect(ann.page.get_by_role("button", name="What if")).to_have_attribute("aria-disabled", "true")
    ann.press("Hint")
    ann.expect_text("Light plays without hints and previews.")
    expect(able).not_to_have_count(0)
    ann.press("Settings")
    ann.choose("Help for Light", "None")
    ann.choose("Head start for Dark", "2")
    ann.expect_text("Dark begins with 2 scored pieces.")
    ann.press("Fair start: neither side is better off")
    begins_now, begins_later = "This is a fair start:", "From the next game on,"  # later if turns have been played
    ann.expect_text(re.compile(f"({begins_now}|{begins_later}) neither side is better off"))
    ann.press("Fair start: neither side is better off")
    ann.choose("Head start for Dark", "0")
    ann.choose("Hints per game for Dark", "3")
    ann.expect_text("Dark gets 3 hints in each game.")
    ann.choose("Hints per game for Dark", "any number")
    ann.expect_text("Dark has unlimited hints.")
    ann.press("Close")
    expect(able).to_have_count(0)
    with ann.table.connect() as program:
        assert program.state["help"] == {"light": "none", "dark": "full"}
        program.send({"command": "help", "side": "light", "level": "full"})
    expect(ann.page.get_by_role("button", name="What if")).not_to_have_attribute("aria-disabled", "true")
    expect(able).not_to_have_count(0)


def test_brightness_can_be_set_and_health_shown(ann):
    ann.press("Settings")
    lamps = ann.page.get_by_role("slider", name="Brightness of the lamps")
    expect(lamps).to_have_value("100")
    for percent in range(90, 20, -10):  # faster than the rate limit
        lamps.fill(str(percent))
    expect(lamps).to_have_attribute("aria-valuetext", "30 %")

    def brightness():
        with ann.table.connect() as program:
            return program.state["brightness"]

    wait_for(lambda: brightness() == 0.3)
    with ann.table.connect() as program:
        program.send({"command": "brightness", "brightness": 0.6})
    expect(lamps).to_have_value("60")

    ann.press("How the board is doing")
    ann.expect_text("Board: simulated-4x4")
    ann.expect_text("All sensors are in use.")
    ann.expect_text("Pond has had no internal errors.")
    ann.expect_text("The power supply is strong enough for the lamps.")
    expect(ann.page.locator("#doctor-say")).to_contain_text(re.compile(r"\d+ checks? passed"))
    assert find_faults(ann.page) == []
    expect(ann.page.locator("#refused")).to_be_empty()
    ann.page.locator("#settings .sheet").evaluate("(sheet) => sheet.scrollTo(0, sheet.scrollHeight)")
    expect(ann.button("Close")).to_be_in_viewport(ratio=1)
    ann.press("Close")


def test_past_games_are_listed_replayed_reviewed_and_downloaded(ann):
    people = {"players": {"light": None, "dark": None}, "names": {"light": "Ann", "dark": "Ben"}}
    with ann.table.connect() as program:
        program.send({"command": "new", "variant": "mini", **people})
        program.send({"command": "action", "action": "@d3"})
        program.send({"command": "action", "action": "@b2"})
        program.send({"command": "resign", "side": "dark"})
        program.send({"command": "new", "variant": "mini"})
        program.send({"command": "action", "action": "@c3"})
    ann.expect_turn(1)
    ann.press("Games")
    expect(ann.page.get_by_role("row", name="Ann – Ben 1 – 0 0")).to_be_visible()
    games = ann.page.locator("#game-list").get_by_role("button")
    expect(games.nth(0)).to_contain_text("In progress · Turns: 1")
    expect(games.nth(1)).to_contain_text("Light won: the other resigned · Turns: 2")
    assert find_faults(ann.page) == []
    assert ann.page.evaluate(READ_GAMES_AGAIN) == "true"

    ann.touch(games.nth(1))
    ann.expect_headline(re.compile(r"^Game \d+$"))
    expect(dialog_of(ann)).to_be_hidden()
    ann.expect_turn(2)
    ann.press("Start")
    ann.expect_text("A past game: its start")
    ann.expect_cell("d3", "empty")
    ann.press("One turn forward")
    ann.expect_cell("d3", "Light’s egg, the last turn ended here")
    ann.touch(ann.cell("a4"))
    ann.expect_text("This is a past game. Go back to the board to play.")
    ann.press("End")
    ann.expect_turn(2)

    ann.press("Play the game")
    ann.expect_text("A past game: its start")
    expect(ann.button("Pause")).to_be_visible()
    ann.expect_turn(2)
    expect(ann.button("Pause")).to_be_hidden()

    with ann.page.expect_download() as download:
        ann.press("Share picture")
    with Image.open(download.value.path()) as picture:
        assert (picture.format, picture.width) == ("PNG", 1080)
        colours = {colour for _, colour in picture.convert("RGB").getcolors(1 << 20)}
        assert {(255, 159, 28), (69, 170, 255)} <= colours  # pieces of both sides
    ann.page.evaluate(WITHOUT_HTTPS)
    ann.press("Copy text")
    ann.expect_text("Copied.")
    title, about, _, *record = ann.page.evaluate("copied").splitlines()
    assert (title, about.partition(" · ")[0]) == ("Ann 0 – Ben 0", "Light won: the other resigned")
    assert parse_record("\n".join(record)).turns
    with ann.page.expect_download() as download:
        ann.press("Save as file")
    assert re.fullmatch(r"game-\d+\.pond", download.value.suggested_filename)
    saved = parse_record(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [str(turn.action) for turn in saved.turns] == ["@d3", "@b2"]

    ann.press("What was good, and what wasn’t")
    ann.expect_text(re.compile("^Slips: [0-2]. Mistakes: [0-2]. Blunders: [0-2].$"))
    expect(ann.button("What was good, and what wasn’t")).to_be_hidden()
    expect(ann.page.get_by_role("img", name=re.compile("^Who was ahead, turn by turn."))).to_be_visible()
    expect(ann.page.locator("#turns .value")).to_have_count(2)
    assert find_faults(ann.page) == []

    ann.press("Back to the board")
    ann.expect_turn(1)
    ann.expect_cell("c3", "Light’s egg, the last turn ended here")
    ann.expect_headline("Dark’s turn")

    ann.press("Settings")
    ann.choose("Language", "nl")
    ann.press("Sluiten")
    ann.press("Spellen")
    expect(ann.page.locator("#game-list small").last).to_have_text(re.compile(r"\d [a-z]{3}\.? 2"))  # 4 mei 2026
    ann.press("Sluiten")
    ann.press("Instellingen")
    ann.choose("Taal", "en")  # the next test uses this page, too
    ann.press("Close")


def test_lesson_and_puzzle_work_on_the_phone(ann):
    """The game waits and continues afterwards."""
    with ann.table.connect() as program:
        before = program.state["position"]
    dialog = dialog_of(ann)
    ann.press("New game")
    ann.press("Lessons and puzzles")
    place = dialog.get_by_role("button", name=re.compile("^Place an egg"))
    place.wait_for()
    assert find_faults(ann.page) == []
    ann.touch(place)
    ann.expect_headline("Place an egg")
    ann.expect_text("Lesson 1 of 10 · Step 1 of 2")
    ann.press("All lessons")
    place.wait_for()
    ann.press("Close")
    ann.expect_text("You play Light. To place an egg, tap the cell that lights up: b2.")
    expect(ann.page.locator("#variant")).to_be_empty()
    ann.expect_cell("b2", "empty, .*hint$")
    assert find_faults(ann.page) == []
    ann.page.locator("#do-new").dispatch_event("click")  # a wide screen shows the button in a lesson, too
    expect(dialog.get_by_role("button", pressed=True)).to_have_text(re.compile("^Standard"))
    ann.press("Cancel")
    ann.play("@a3")
    ann.expect_text("Any empty cell would do in a game. Here, use b2.")
    ann.expect_cell("a3", "empty")
    ann.play("@b2")
    ann.expect_text("Dark has placed an egg, too.")
    ann.expect_text("Step 2 of 2")
    ann.play("@c3")
    ann.expect_text("You and Dark take turns.")
    assert find_faults(ann.page) == []
    ann.press("Next: Pieces grow")
    ann.expect_headline("Pieces grow")
    expect(ann.page.get_by_role("button", name=re.compile("^Next"))).to_be_hidden()
    ann.press("Begin again")
    ann.expect_text("Step 1 of")
    ann.press("Back to the game")
    expect(ann.page.get_by_role("heading", name="Pieces grow")).to_be_hidden()
    with ann.table.connect() as program:
        assert program.state["position"] == before
    ann.press("New game")
    ann.press("Lessons and puzzles")
    expect(place).to_have_text(re.compile("done$"))
    ann.touch(dialog.get_by_role("button", name=re.compile("Puzzle of the day")))
    expect(ann.page.get_by_role("heading", name=re.compile("Puzzle of the day"))).to_be_visible()
    ann.expect_no_text("Step 1 of 1")
    ann.press("Back to the game")
    with ann.table.connect() as program:
        wait_for(lambda: program.send({"ask": "state"})["position"] == before)
