"""What else there is on the page: who plays, how bright and how well the board is, and the games of other evenings."""

import re
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.conftest import need

need("playwright", "it drives the browser")
need("chromium", "it plays the phones")
need("starlette", "it serves the page")
need("websockets", "the page is told everything by a WebSocket")

from playwright.sync_api import expect  # noqa: E402

from pond_hw.rules import parse_record  # noqa: E402
from tests.waiting import wait_for  # noqa: E402
from tests.web.browser import PHONE, Phone, find_barriers, find_small_buttons, find_wide_things  # noqa: E402
from tests.web.browser_players import Player  # noqa: E402
from tests.web.served_page import ServedPage  # noqa: E402

pytestmark = pytest.mark.slow

SMALLEST, USUAL = ({"width": width, "height": height} for width, height in ((320, 568), PHONE))


@pytest.fixture(scope="module")
def ann(browser):
    """Somebody with a phone and a seat for both sides, at a table that keeps its games."""
    with TemporaryDirectory(prefix="pond") as folder, ExitStack() as last:
        table = ServedPage(Path(folder), "--variant", "mini", "--journal", Path(folder, "games"), "--names", "Ann,Ben")
        last.callback(table.close)
        phone = Phone(browser, table.address)
        last.callback(phone.close)
        player = Player(phone.open(), table)
        expect(player.button("Games")).to_be_hidden()
        yield player.sits_down("both")


def find_faults(page):
    """What is wrong with what the page shows now: for people who can't see it well, on the smallest phone, or in words."""
    found = find_barriers(page) + re.findall(r"\bpage\.\w+|\{\w+\}", page.locator("body").inner_text())
    page.set_viewport_size(SMALLEST)
    found += find_wide_things(page) + find_small_buttons(page)
    page.set_viewport_size(USUAL)
    return found


def dialog_of(player):
    return player.page.get_by_role("dialog")


def begin_game(player, variant="mini"):
    player.touches(dialog_of(player).get_by_role("button", name=re.compile(f"^{variant} ")))
    player.presses("Start the game")


def test_a_new_game_against_a_program_with_a_name_of_ones_own(ann):
    ann.presses("New game")
    dialog = dialog_of(ann)
    ann.sees("Choose a pond")
    expect(dialog.get_by_label("Dark’s name")).to_have_value("Ben")
    dialog.get_by_label("Who plays Dark?").select_option("Novice (level 1)")
    expect(dialog.get_by_label("Dark’s name")).to_be_hidden()
    dialog.get_by_label("Light’s name").fill("Level-3")
    begin_game(ann)
    ann.sees("Level-3 is the name of a program. Choose another name.")
    assert find_faults(ann.page) == []
    dialog.get_by_label("Light’s name").fill("  Eve ")
    begin_game(ann)
    expect(dialog).to_be_hidden()
    ann.plays("@b2")
    ann.sees_turn(2)
    expect(ann.page.locator("#dark .name")).to_have_text("Novice (level 1)")
    with ann.table.call() as program:
        assert program.hello["players"] == {"light": None, "dark": "level-1"}
        assert program.hello["names"] == {"light": "Eve", "dark": None}
    ann.presses("New game")
    expect(dialog.get_by_label("Light’s name")).to_have_value("Eve")
    expect(dialog.get_by_label("Who plays Dark?")).to_have_value("level-1")
    ann.presses("Cancel")


def test_a_side_that_plays_without_help_sees_no_targets_and_gets_no_hints(ann):
    able = ann.page.locator("#board .can")
    ann.presses("Settings")
    ann.chooses("Help for Light", "Only targets")
    ann.sees("Light sees where a piece can go, and gets no hints.")
    ann.presses("Close")
    expect(ann.page.get_by_role("button", name="What if")).to_have_attribute("aria-disabled", "true")
    ann.presses("Hint")
    ann.sees("Light plays without hints and previews.")
    expect(able).not_to_have_count(0)
    ann.presses("Settings")
    ann.chooses("Help for Light", "None")
    ann.chooses("Head start for Dark", "2")
    ann.sees("Dark begins with 2 scored pieces.")
    ann.presses("Fair start: neither side is better off")
    begins_now, begins_later = "A fair start: from here", "From the next game on"  # later, when turns have been played
    ann.sees(re.compile(f"({begins_now}|{begins_later}), neither side is better off"))
    ann.presses("Fair start: neither side is better off")
    ann.chooses("Head start for Dark", "0")
    ann.chooses("Hints a game for Dark", "3")
    ann.sees("Dark gets 3 hints in each game.")
    ann.chooses("Hints a game for Dark", "any number")
    ann.sees("Dark gets as many hints as it asks for.")
    ann.presses("Close")
    expect(able).to_have_count(0)
    with ann.table.call() as program:
        assert program.state["help"] == {"light": "none", "dark": "full"}
        program.says({"command": "help", "side": "light", "level": "full"})
    expect(ann.page.get_by_role("button", name="What if")).not_to_have_attribute("aria-disabled", "true")
    expect(able).not_to_have_count(0)


def test_the_lamps_are_dimmed_and_the_board_says_how_it_is_doing(ann):
    ann.presses("Settings")
    lamps = ann.page.get_by_role("slider", name="Brightness of the lamps")
    expect(lamps).to_have_value("100")
    for percent in range(90, 20, -10):  # faster than the page may say it
        lamps.fill(str(percent))
    expect(lamps).to_have_attribute("aria-valuetext", "30 %")

    def brightness():
        with ann.table.call() as program:
            return program.state["brightness"]

    wait_for(lambda: brightness() == 0.3)
    with ann.table.call() as program:
        program.says({"command": "brightness", "brightness": 0.6})
    expect(lamps).to_have_value("60")

    ann.presses("How the board is doing")
    ann.sees("Board: simulated-4x4")
    ann.sees("All sensors are in use.")
    ann.sees("Nothing has failed in Pond.")
    ann.sees("The power supply is strong enough for the lamps.")
    expect(ann.page.locator("#doctor-say")).to_contain_text(re.compile(r"\d+ checks? (is|are) fine"))
    assert find_faults(ann.page) == []
    expect(ann.page.locator("#refused")).to_be_empty()
    ann.presses("Close")


def test_past_games_are_listed_replayed_judged_and_saved(ann):
    people = {"players": {"light": None, "dark": None}, "names": {"light": "Ann", "dark": "Ben"}}
    with ann.table.call() as program:
        program.says({"command": "new", "variant": "mini", **people})
        program.says({"command": "action", "action": "@d3"})
        program.says({"command": "action", "action": "@b2"})
        program.says({"command": "resign", "side": "dark"})
        program.says({"command": "new", "variant": "mini"})
        program.says({"command": "action", "action": "@c3"})
    ann.sees_turn(1)
    ann.presses("Games")
    expect(ann.page.get_by_role("row", name="Ann – Ben 1 – 0 0")).to_be_visible()
    games = ann.page.locator("#game-list").get_by_role("button")
    expect(games.nth(0)).to_contain_text("In progress · Turns: 1")
    expect(games.nth(1)).to_contain_text("Light won: the other resigned · Turns: 2")
    assert find_faults(ann.page) == []

    ann.touches(games.nth(1))
    ann.sees_headline(re.compile(r"^Game \d+$"))
    expect(dialog_of(ann)).to_be_hidden()
    ann.sees_turn(2)
    ann.presses("Start")
    ann.sees("Past game, start")
    ann.sees_on("d3", "empty")
    ann.presses("One turn forward")
    ann.sees_on("d3", "Light’s egg, the last turn ended here")
    ann.touches(ann.cell("a4"))
    ann.sees("This is a past game. Go back to the board to play.")
    ann.presses("End")
    ann.sees_turn(2)

    with ann.page.expect_download() as download:
        ann.presses("Save as file")
    assert re.fullmatch(r"game-\d+\.pond", download.value.suggested_filename)
    saved = parse_record(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [str(turn.action) for turn in saved.turns] == ["@d3", "@b2"]

    ann.presses("What was good, what was not")
    ann.sees(re.compile("^Slips: [0-2]. Mistakes: [0-2]. Blunders: [0-2].$"))
    expect(ann.button("What was good, what was not")).to_be_hidden()
    expect(ann.page.get_by_role("img", name=re.compile("^Who was ahead, turn by turn."))).to_be_visible()
    expect(ann.page.locator("#turns .value")).to_have_count(2)
    assert find_faults(ann.page) == []

    ann.presses("Back to the board")
    ann.sees_turn(1)
    ann.sees_on("c3", "Light’s egg, the last turn ended here")
    ann.sees_headline("Dark’s turn")


def test_a_lesson_is_chosen_done_and_left_on_the_phone_and_a_puzzle_too(ann):
    """The game waits meanwhile, and is there again afterwards."""
    with ann.table.call() as program:
        before = program.state["position"]
    dialog = dialog_of(ann)
    ann.presses("New game")
    ann.presses("Lessons and puzzles")
    place = dialog.get_by_role("button", name=re.compile("^Place an egg"))
    place.wait_for()
    assert find_faults(ann.page) == []
    ann.touches(place)
    ann.sees_headline("Place an egg")
    ann.sees("Step 1 of 2")
    ann.sees("You play Light. To place an egg, tap the cell that lights up: b2.")
    expect(ann.page.locator("#variant")).to_be_empty()
    ann.sees_on("b2", "empty, .*hint$")
    assert find_faults(ann.page) == []
    ann.page.locator("#do-new").dispatch_event("click")  # a wide screen shows it in a lesson, too
    expect(dialog.get_by_role("button", pressed=True)).to_have_text(re.compile("^standard"))
    ann.presses("Cancel")
    ann.plays("@a3")
    ann.sees("Any empty cell would do in a game. Here, use b2.")
    ann.sees_on("a3", "empty")
    ann.plays("@b2")
    ann.sees("Dark has placed an egg, too.")
    ann.sees("Step 2 of 2")
    ann.plays("@c3")
    ann.sees("You and Dark take turns.")
    assert find_faults(ann.page) == []
    ann.presses("Next: Pieces grow")
    ann.sees_headline("Pieces grow")
    ann.presses("Begin again")
    ann.sees("Step 1 of")
    ann.presses("Back to the game")
    expect(ann.page.get_by_role("heading", name="Pieces grow")).to_be_hidden()
    with ann.table.call() as program:
        assert program.state["position"] == before
    ann.presses("New game")
    ann.presses("Lessons and puzzles")
    expect(place).to_have_text(re.compile("done$"))
    ann.touches(dialog.get_by_role("button", name=re.compile("Puzzle of the day")))
    expect(ann.page.get_by_role("heading", name=re.compile("Puzzle of the day"))).to_be_visible()
    ann.sees_no_more("Step 1 of 1")
    ann.presses("Back to the game")
    with ann.table.call() as program:
        wait_for(lambda: program.says({"ask": "state"})["position"] == before)
