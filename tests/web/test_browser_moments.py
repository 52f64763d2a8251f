"""Animations, sounds, the end of a game, dragging, and the television view of the page."""

import re

import pytest

from tests.conftest import require

require("playwright", "it drives the browser")
require("chromium", "it plays the phones")
require("starlette", "it serves the page")
require("websockets", "the page gets its messages by a WebSocket")

from playwright.sync_api import expect  # noqa: E402

from tests.web.browser import SCREEN, Phone, find_barriers  # noqa: E402
from tests.web.browser_players import Player  # noqa: E402
from tests.web.browser_screens import SCORING, WINNING  # noqa: E402

pytestmark = pytest.mark.slow

RUNNING = "() => document.getAnimations().filter((each) => each.playState === 'running').length"

LISTEN = """
globalThis.heard = [];
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (at) { heard.push(this.frequency.value); start.call(this, at); };
navigator.vibrate = (pattern) => { heard.push("vibration"); return true; };
"""
"""Script that records sounds and vibrations."""

FONT_SIZES = """(names) => names.flatMap((name) =>
  [...document.querySelectorAll(name)].map((each) => parseFloat(getComputedStyle(each).fontSize)))"""

HIDE = """(isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def seat(serve_table, open_phone):
    """Return a function that opens the page of a new table on a phone with a seat: `seat("light")`."""

    def begin(side="both", *board, **how):
        table = serve_table(*board)
        return Player(open_phone(table, **how), table).take_seat(side)

    return begin


def set_up(player, **position):
    with player.table.connect() as program:
        program.send({"command": "set_up", **position})


def play_scoring_turn(player):
    set_up(player, **SCORING)
    player.expect_cell("d4", "Light’s frog, you can move it")
    player.play("d4b4")


def test_animation_does_not_delay_the_new_position(seat):
    ann = seat(reduced_motion="no-preference")
    play_scoring_turn(ann)
    expect(ann.page.locator(".points-gained")).to_have_text(["+2", "+2"])
    ann.expect_cell("b3", "empty")
    expect(ann.page.locator("#light .score-number")).to_have_text("2")
    expect(ann.page.locator(".stage")).to_be_empty()  # it ends by itself
    assert ann.page.evaluate(RUNNING) == 0


COUNT_FLYING = """() => {
  globalThis.flying = [];
  const score = document.querySelector("#light .score-number");
  const count = () => globalThis.flying.push([score.textContent, document.querySelectorAll(".stage svg").length]);
  new MutationObserver(count).observe(score, { childList: true, characterData: true, subtree: true });
}"""
"""Script that records each change of Light's score, and the number of pieces in the air at that moment."""


NOTE_HEADLINES = """() => {
  globalThis.headlines = [];
  const [headline, score] = ["#turn", "#light .score-number"].map((each) => document.querySelector(each));
  const note = () => globalThis.headlines.push([headline.textContent, score.textContent]);
  new MutationObserver(note).observe(headline, { childList: true, characterData: true, subtree: true });
}"""
"""Script that records each change of the headline, and Light's score at that moment."""


def test_score_changes_when_the_pieces_arrive(seat):
    ann = seat(reduced_motion="no-preference")
    set_up(ann, **SCORING)
    ann.expect_cell("d4", "Light’s frog, you can move it")
    ann.page.evaluate(COUNT_FLYING)
    ann.play("d4b4")
    expect(ann.page.locator("#light .score-number")).to_have_text("2")
    assert ann.page.evaluate("flying") == [["2", 4]]


def test_headline_of_a_win_waits_for_the_pieces(seat):
    ann = seat("light", "--variant", "mini", reduced_motion="no-preference")
    set_up(ann, **WINNING)
    ann.expect_headline("Your turn, Light")
    ann.page.evaluate(NOTE_HEADLINES)
    ann.play("a3a2")
    ann.expect_headline("You win!")
    assert ann.page.evaluate("headlines") == [["You win!", "8"]]


def test_press_ends_the_animation(seat):
    ann = seat(reduced_motion="no-preference")
    play_scoring_turn(ann)
    ann.expect_cell("b4", "Light’s frog")
    assert ann.page.evaluate(RUNNING) > 0
    ann.touch(ann.cell("a2"))
    ann.expect_cell("a2", "Dark’s frog, chosen")
    assert ann.page.evaluate(RUNNING) == 0
    expect(ann.page.locator(".overlay-pieces")).to_be_empty()


def test_nothing_moves_with_reduced_motion(seat):
    ann = seat(reduced_motion="reduce")
    ann.page.evaluate("() => { Element.prototype.animate = () => { throw new Error('animated'); }; }")
    play_scoring_turn(ann)
    ann.expect_cell("b3", "empty")
    expect(ann.page.locator(".stage")).to_be_empty()


def end_card(player):
    return player.page.locator("#end")


def heard(player):
    """Return the pitches and vibrations since the last call."""
    return player.page.evaluate("heard.splice(0)")


def test_sounds_are_off_after_one_tap(seat):
    ann = seat("light", script=LISTEN)
    ann.play("@b2")
    ann.expect_turn(1)
    assert 620 in heard(ann)
    ann.table.press("b3")
    ann.expect_headline("Your turn, Light")
    ann.page.wait_for_function("() => heard.includes('vibration')")
    assert {620, 420, 587} <= set(heard(ann))  # an egg, a tadpole, and the player's turn
    ann.press("Sound and vibration")
    heard(ann)
    ann.play("@d4")
    ann.expect_turn(3)
    ann.page.reload()
    ann.expect_turn(3)
    expect(ann.button("Sound and vibration")).to_have_attribute("aria-pressed", "false")
    ann.table.press("a4")
    ann.expect_headline("Your turn, Light")
    assert heard(ann) == []
    ann.press("Sound and vibration")
    ann.page.wait_for_function("() => heard.includes(620)")


def test_page_without_a_seat_is_silent(serve_table, open_phone):
    table = serve_table()
    eve = Player(open_phone(table, script=LISTEN), table)
    eve.touch(eve.cell("a1"))
    table.press("b2")
    eve.expect_turn(1)
    assert heard(eve) == []


def test_hidden_page_calls_its_player(seat):
    ann = seat("light")
    icon = ann.page.locator("link[rel=icon]")
    ann.play("@b2")
    ann.expect_headline("Dark’s turn")
    ann.page.evaluate(HIDE, True)
    expect(ann.page).to_have_title("Dark’s turn – Pond")
    ann.table.press("c3")
    expect(ann.page).to_have_title("● Your turn, Light – Pond")
    expect(icon).to_have_attribute("href", "page/icon-turn.svg")
    ann.page.evaluate(HIDE, False)
    expect(ann.page).to_have_title("Your turn, Light – Pond")
    expect(icon).to_have_attribute("href", "page/icon.svg")


def test_end_card_says_who_won_and_offers_a_rematch(serve_table, open_phone):
    table = serve_table("--variant", "mini", "--names", "Ann,Ben")
    ann, ben = (Player(open_phone(table), table).take_seat(side) for side in ("light", "dark"))
    eve = Player(open_phone(table), table)
    set_up(ann, **WINNING)
    ann.expect_cell("a3", "Light’s tadpole, you can move it")
    ann.play("a3a2")
    for player, title in ((ann, "You win!"), (ben, "You lose"), (eve, "Light wins")):
        expect(end_card(player)).to_contain_text(title)
        expect(end_card(player)).to_contain_text("Ann 8 – 5 Ben")
    assert find_barriers(ben.page) == []
    expect(end_card(eve).get_by_role("button")).to_have_accessible_name("Close")
    ben.press("Rematch sides swapped")
    for player in (ann, ben, eve):
        expect(end_card(player)).to_be_hidden()
        expect(player.page.locator("#light .name")).to_have_text("Ben")
    ann.expect_text("You are playing for: Dark")
    ben.expect_headline("Your turn, Light")
    ben.play("@b2")
    ann.expect_headline("Your turn, Dark")


def test_results_of_several_games_are_counted(serve_table, open_phone):
    table = serve_table("--variant", "mini", "--names", "Ann,Ben")
    eve = Player(open_phone(table), table)

    def end_game(loser):
        with table.connect() as program:
            program.send({"command": "action", "action": "@b2"})
            program.send({"command": "resign", "side": loser})
        expect(end_card(eve)).to_be_visible()

    def undo_end():
        with table.connect() as program:
            program.send({"command": "undo"})
        expect(end_card(eve)).to_be_hidden()

    end_game("dark")
    undo_end()
    with table.connect() as program:
        program.send({"command": "resign", "side": "light"})
    expect(end_card(eve)).to_contain_text("Dark wins")
    expect(end_card(eve)).not_to_contain_text("So far")
    with table.connect() as program:
        people = {"players": {"light": None, "dark": None}, "names": {"light": "Ben", "dark": "Ann"}}
        program.send({"command": "new", **people})
    expect(end_card(eve)).to_be_hidden()
    end_game("dark")
    expect(end_card(eve)).to_contain_text("So far: Ben 2 – 0 Ann")
    eve.page.reload()
    expect(end_card(eve)).to_contain_text("So far: Ben 2 – 0 Ann")
    eve.touch(end_card(eve).get_by_role("button", name="Close"))
    expect(end_card(eve)).to_be_hidden()


def test_end_card_leads_to_the_turn_that_decided(seat, folder):
    ann = seat("both", "--variant", "mini", "--journal", folder / "games")
    with ann.table.connect() as program:
        for action in ("@b2", "@b3", "@c2"):
            program.send({"command": "action", "action": action})
        program.send({"command": "resign", "side": "dark"})
    ann.press("See where it turned")
    ann.expect_headline("Game 1")
    ann.expect_text(re.compile("^Slips: "))
    expect(end_card(ann)).to_be_hidden()
    expect(ann.page.locator("#turns [aria-current=step]")).to_have_count(1)


def center_of(player, cell):
    box = player.cell(cell).locator(".cell").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(player, source, target):
    """Drag from a cell to a place or another cell, with the mouse."""
    player.page.mouse.move(*center_of(player, source))
    player.page.mouse.down()
    player.page.mouse.move(*(center_of(player, target) if isinstance(target, str) else target), steps=4)
    player.page.mouse.up()


def swipe(player, source, target):
    """Drag from a cell to another with a finger."""
    fingers = player.page.context.new_cdp_session(player.page)
    (x, y), (end_x, end_y) = center_of(player, source), center_of(player, target)
    for index in range(9):
        point = {"x": x + (end_x - x) * index / 8, "y": y + (end_y - y) * index / 8}
        fingers.send(
            "Input.dispatchTouchEvent", {"type": "touchMove" if index else "touchStart", "touchPoints": [point]}
        )
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_piece_can_be_dragged(seat):
    ann = seat()
    set_up(ann, **SCORING)
    ann.expect_cell("d4", "Light’s frog, you can move it")
    drag(ann, "d4", "a1")
    ann.expect_text("The chosen piece can’t go to a1")
    ann.expect_cell("d4", "Light’s frog, you can move it")
    drag(ann, "d4", (2, 2))
    ann.expect_cell("d4", "Light’s frog, you can move it")
    drag(ann, "a2", "a2")  # Dark's
    ann.expect_headline("Light’s turn")
    drag(ann, "d4", "b4")
    ann.expect_cell("b4", "Light’s frog")
    ann.expect_headline("Dark’s turn")
    expect(ann.page.locator(".carried")).to_be_empty()
    ann.touch(ann.cell("a2"))
    ann.expect_cell("a2", "Dark’s frog, chosen")


def test_drag_shows_what_a_move_would_do(seat):
    ann = seat()
    set_up(ann, **SCORING)
    ann.expect_cell("d4", "Light’s frog, you can move it")
    ann.press("What if")
    drag(ann, "d4", "b4")
    ann.expect_text("What if: ")
    expect(ann.page.locator(".carried")).to_be_empty()
    expect(ann.page.locator("body.dragging")).to_have_count(0)
    ann.press("What if")
    ann.expect_cell("d4", "Light’s frog, you can move it")


def test_piece_follows_a_finger_while_the_page_stays(seat):
    ann = seat()
    set_up(ann, **SCORING)
    ann.expect_cell("d4", "Light’s frog, you can move it")
    swipe(ann, "c4", "c3")  # occupied
    ann.expect_cell("c4", "Light’s tadpole")
    swipe(ann, "d4", "b4")
    ann.expect_cell("b4", "Light’s frog")
    assert ann.page.evaluate("scrollY") == 0


def test_board_is_turned_for_dark(serve_table, open_phone):
    table = serve_table()
    ben = Player(open_phone(table), table).take_seat("dark")
    assert center_of(ben, "d4")[0] < center_of(ben, "a1")[0]
    assert center_of(ben, "d4")[1] > center_of(ben, "a1")[1]
    first = ben.page.get_by_role("gridcell").first
    expect(first).to_have_accessible_name("d1, empty")
    ben.cell("d4").focus()
    ben.page.keyboard.press("ArrowRight")
    expect(ben.cell("c4")).to_be_focused()
    ben.page.keyboard.press("ArrowUp")
    expect(ben.cell("c3")).to_be_focused()
    ben.page.keyboard.press("Control+Home")
    expect(first).to_be_focused()
    ben.press("Settings")
    expect(ben.button("Turn the board around")).to_have_attribute("aria-pressed", "true")
    ben.press("Turn the board around")
    ben.press("Close")
    assert center_of(ben, "a1")[0] < center_of(ben, "d4")[0]
    ben.page.reload()
    ben.expect_cell("a1", "empty")
    assert center_of(ben, "a1")[0] < center_of(ben, "d4")[0]


def test_clock_shows_the_thinking_time(serve_table, open_phone):
    table = serve_table()
    eve = Player(open_phone(table), table)
    clocks = eve.page.locator(".clock .time")
    eve.page.clock.install()
    eve.page.reload()
    expect(clocks.first).to_be_hidden()
    eve.press("Settings")
    eve.press("Show the thinking time")
    eve.press("Close")
    eve.page.clock.run_for(5000)  # the clock begins with the first turn
    expect(clocks).to_have_text(["0:00", "0:00"])
    table.press("b2")
    eve.expect_turn(1)
    eve.page.clock.run_for(65_000)
    expect(clocks).to_have_text(["0:00", "1:05"])
    table.press("c3")
    eve.expect_turn(2)
    eve.page.clock.run_for(3000)
    expect(clocks).to_have_text(["0:03", "1:05"])


WAKE_LOCK = """
globalThis.locks = 0;
const request = async () => { locks += 1; return { released: false, release() { locks -= 1; } }; };
Object.defineProperty(navigator, "wakeLock", { value: { request }, configurable: true });
"""
"""Script that counts the wake locks of the page."""


def test_screen_stays_on_during_a_game(seat):
    ann = seat("light", "--variant", "mini", script=WAKE_LOCK)
    ann.page.wait_for_function("() => locks === 1")
    ann.press("Settings")
    ann.press("Keep the screen on during a game")
    ann.page.wait_for_function("() => locks === 0")
    ann.press("Keep the screen on during a game")
    ann.page.wait_for_function("() => locks === 1")
    with ann.table.connect() as program:
        program.send({"command": "action", "action": "@b2"})
        program.send({"command": "resign", "side": "dark"})
    ann.page.wait_for_function("() => locks === 0")


def test_television_shows_the_game_without_controls(serve_table, browser):
    table = serve_table("--names", "Grandmother Wilhelmina,Ben")
    phone = Phone(browser, f"{table.address}#tv", SCREEN, touch=False)
    eve = Player(phone.open(), table)
    eve.expect_cell("d4", "empty")
    set_up(eve, **SCORING)
    with table.connect() as program:
        program.send({"command": "action", "action": "d4b4"})
    for text in ("Dark’s turn", "Grandmother Wilhelmina", "The frog from d4 to b4.", "Dark scores 2 pieces."):
        eve.expect_text(text)
    assert min(eve.page.evaluate(FONT_SIZES, ["#turn", ".name", ".score-number", ".eggs", "#last-turn"])) >= 40
    assert eve.page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]") == [
        1080,
        1920,
    ]
    expect(eve.page.locator("main button").locator("visible=true")).to_have_count(0)
    expect(eve.page.locator("header")).to_have_css("opacity", "0")
    assert find_barriers(eve.page) == []
    with table.connect() as program:
        program.send({"command": "resign", "side": "dark"})
    expect(end_card(eve)).to_contain_text("Light wins")
    eve.page.keyboard.press("Tab")
    expect(eve.page.locator("header")).to_have_css("opacity", "1")
    eve.page.keyboard.press("Escape")
    expect(eve.page.locator("html.television")).to_have_count(0)
    eve.page.reload()
    eve.expect_cell("d4", "empty")
    expect(eve.page.locator("html.television")).to_have_count(0)
    phone.close()
