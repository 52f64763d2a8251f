"""What else there is on the page: who plays, how bright and how well the board is, and the games of other evenings."""

import re
from pathlib import Path

import pytest

from tests.conftest import need

need("playwright", "it drives the browser")
need("chromium", "it plays the phones")
need("starlette", "it serves the page")
need("websockets", "the page is told everything by a WebSocket")

from playwright.sync_api import expect  # noqa: E402

from pond_hw.rules import parse_record  # noqa: E402
from tests.web.browser import find_barriers, find_small_buttons, find_wide_things  # noqa: E402
from tests.web.browser_players import Player, press_lit_cells  # noqa: E402
from tests.web.browser_table import wait_for  # noqa: E402

pytestmark = pytest.mark.slow

SMALLEST, USUAL = {"width": 320, "height": 568}, {"width": 360, "height": 640}


@pytest.fixture
def come(open_phone):
    """Somebody comes with a phone: `come(table)`."""
    return lambda table, **how: Player(open_phone(table, **how), table)


def find_faults(page):
    """What is wrong with what the page shows now: for people who can't see it well, or on the smallest phone."""
    found = find_barriers(page)
    page.set_viewport_size(SMALLEST)
    found += find_wide_things(page) + find_small_buttons(page)
    page.set_viewport_size(USUAL)
    return found


def dialog_of(player):
    return player.page.get_by_role("dialog")


def begin_game(player, variant="mini"):
    player.touches(dialog_of(player).get_by_role("button", name=re.compile(f"^{variant} ")))


def test_a_new_game_against_a_program_with_a_name_of_ones_own(lay_table, come):
    table = lay_table("--variant", "mini")
    ann = come(table).sits_down("both")
    ann.presses("New game")
    dialog = dialog_of(ann)
    ann.sees("Choose a pond")
    dialog.get_by_label("Who plays Dark?").select_option("Level 1")
    expect(dialog.get_by_label("Dark’s name")).to_be_hidden()
    dialog.get_by_label("Light’s name").fill("Level-3")
    begin_game(ann)
    ann.sees("Level-3 is the name of a program. Choose another name.")
    assert find_faults(ann.page) == []
    dialog.get_by_label("Light’s name").fill("  Ann ")
    begin_game(ann)
    expect(dialog).to_be_hidden()
    expect(ann.page.locator("#dark .name")).to_have_text("Level 1")
    ann.plays("@b2")
    ann.sees_turn(2)
    with table.call() as program:
        assert program.hello["players"] == {"light": None, "dark": "level-1"}
        assert program.hello["names"] == {"light": "Ann", "dark": None}

    ann.presses("New game")
    expect(dialog.get_by_label("Light’s name")).to_have_value("Ann")
    expect(dialog.get_by_label("Who plays Dark?")).to_have_value("level-1")
    begin_game(ann)
    press_lit_cells(table)
    ann.sees("No turns yet.")
    with table.call() as program:
        assert program.hello["players"]["dark"] == "level-1"


def test_the_lamps_are_dimmed_and_the_board_says_how_it_is_doing(lay_table, come):
    table = lay_table("--variant", "mini")
    ann = come(table)
    ann.presses("Settings")
    expect(ann.button("How the board is doing")).to_have_count(0)
    ann.page.keyboard.press("Escape")
    ann.sits_down("light")
    ann.presses("Settings")
    lamps = ann.page.get_by_role("slider", name="Brightness of the lamps")
    expect(lamps).to_have_value("100")
    for percent in range(90, 20, -10):
        lamps.fill(str(percent))
    expect(lamps).to_have_attribute("aria-valuetext", "30 %")

    def brightness():
        with table.call() as program:
            return program.state["brightness"]

    wait_for(lambda: brightness() == 0.3)
    with table.call() as program:
        program.says({"command": "brightness", "brightness": 0.6})
    expect(lamps).to_have_value("60")

    ann.presses("How the board is doing")
    ann.sees("Board: simulated-4x4")
    ann.sees("All sensors are in use.")
    ann.sees("Nothing has failed in Pond.")
    ann.sees("The power supply is strong enough for the lamps.")
    assert find_faults(ann.page) == []
    expect(ann.page.get_by_role("alert")).to_be_empty()


def test_past_games_are_listed_replayed_judged_and_saved(lay_table, come, folder):
    table = lay_table("--variant", "mini", "--journal", folder / "games", "--names", "Ann,Ben")
    ann = come(table)
    with table.call() as program:
        for action in ("@d3", "@b2", "@a1", "@b3"):
            program.says({"command": "action", "action": action})
        program.says({"command": "resign", "side": "dark"})
        program.says({"command": "new", "variant": "mini"})
        program.says({"command": "action", "action": "@c3"})
    expect(ann.button("Games")).to_have_count(0)
    ann.sits_down("light")

    ann.presses("Games")
    row = ann.page.get_by_role("row", name=re.compile("^Ann – Ben"))
    expect(row).to_have_text(re.compile("Ann – Ben1 – 00"))
    games = ann.page.locator("#game-list").get_by_role("button")
    expect(games).to_have_count(2)
    expect(games.nth(0)).to_contain_text("In progress")
    expect(games.nth(1)).to_contain_text("Light won: the other resigned · Turns: 4")
    assert find_faults(ann.page) == []

    ann.touches(games.nth(1))
    ann.sees_headline("Game 1")
    expect(dialog_of(ann)).to_be_hidden()
    ann.sees("Past game, start")
    ann.sees_on("d3", "empty")
    ann.presses("One turn forward")
    ann.sees_on("d3", "Light’s egg, the last turn ended here")
    ann.touches(ann.cell("a4"))
    ann.sees("This is a past game. Go back to the board to play.")
    ann.presses("End")
    ann.sees_turn(4)

    with ann.page.expect_download() as download:
        ann.presses("Save as file")
    assert download.value.suggested_filename == "game-1.pond"
    saved = parse_record(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [str(turn.action) for turn in saved.turns] == ["@d3", "@b2", "@a1", "@b3"]

    ann.presses("What was good, what was not")
    ann.sees(re.compile("^Slips: [0-4]. Mistakes: [0-4]. Blunders: [0-4].$"))
    expect(ann.button("What was good, what was not")).to_be_hidden()
    expect(ann.page.get_by_role("img", name=re.compile("^Who was ahead, turn by turn."))).to_be_visible()
    expect(ann.page.locator("#turns .value")).to_have_count(4)
    assert find_faults(ann.page) == []

    ann.presses("Back to the board")
    ann.sees_turn(1)
    ann.sees_on("c3", "Light’s egg, the last turn ended here")
    ann.sees_headline("Dark’s turn")
