"""Games on phones: real browsers, a real page, and a served board."""

import re

import pytest

from tests.conftest import require

require("playwright", "it drives the browser")
require("chromium", "it plays the phones")
require("starlette", "it serves the page")
require("websockets", "the page gets its messages by a WebSocket")

from playwright.sync_api import expect  # noqa: E402

from pond_hw.messages.catalogue import LANGUAGES  # noqa: E402
from tests.waiting import wait_for  # noqa: E402
from tests.web.browser import PHONE, SCREEN, Phone  # noqa: E402
from tests.web.browser_firefox import open_firefox  # noqa: E402
from tests.web.browser_players import SEATS, KeyboardPlayer, Player, ScreenReaderPlayer, press_lit_cells  # noqa: E402
from tests.web.browser_screens import GAME, GONE, KEEP_NOTICES, choose_language  # noqa: E402

CONNECT_LATER = """
const connected = new Promise((resolve) => { globalThis.connect = resolve; });
connected.then(() => { globalThis.isConnected = true; });
globalThis.WebSocket = class extends WebSocket {
  get readyState() { return globalThis.isConnected ? super.readyState : WebSocket.CONNECTING; }
  addEventListener(kind, listener) { super.addEventListener(kind, (event) => connected.then(() => listener(event))); }
};
"""
"""Script that delays the page's WebSocket until `connect()` is called."""


@pytest.fixture
def add_player(open_phone):
    """Return a function that opens the page of a table for a player: `add_player(table)`."""

    def begin(table, kind=Player, **how):
        return kind(open_phone(table, **how), table)

    return begin


@pytest.mark.slow
def test_player_takes_a_seat_and_plays(serve_table, add_player):
    """The player plays for both sides."""
    ann = add_player(serve_table("--variant", "mini")).take_seat("both")
    ann.expect_text("You are playing for: both sides")
    ann.play_game(["@b2", "@b3"])
    ann.expect_cell("b2", "Light’s tadpole, grew in the last turn")
    ann.play("b2c2")
    ann.expect_cell("c2", "Light’s tadpole, the last turn ended here")
    ann.press("Take back")
    ann.expect_turn(2)


@pytest.mark.slow
def test_newcomer_begins_the_first_lesson_with_one_tap(serve_table, add_player):
    eve = add_player(serve_table())
    eve.expect_text("Pond, a game for two: three in a row score.")
    for name in (*SEATS.values(), "New here? Learn in two minutes"):
        expect(eve.button(name)).to_be_in_viewport(ratio=1)
    eve.press("New here? Learn in two minutes")
    press_lit_cells(eve.table)
    eve.expect_text("Lesson 1 of 10 · Step 1 of 2")
    eve.press("Back to the game")
    expect(eve.button("New here? Learn in two minutes")).to_be_hidden()


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_board_is_large_from_the_beginning(serve_table, open_phone, language):
    """Seats and the first lesson leave nearly as much room for the board as a turn does."""
    table = serve_table("--variant", "mini")
    ann = Player(open_phone(table, PHONE, locale=language), table)
    board = ann.page.locator("#board")
    widths = [board.bounding_box()["width"]]
    ann.page.locator("#ask-both").tap()
    press_lit_cells(table)
    expect(ann.page.locator("#do-hint")).to_be_enabled()
    widths.append(board.bounding_box()["width"])
    ann.cell("b2").tap()
    expect(ann.page.locator("#do-resign")).to_be_visible()
    widths.append(board.bounding_box()["width"])
    assert min(widths) > 0.8 * PHONE[0]


@pytest.mark.slow
def test_details_of_a_turn_are_behind_a_tap(serve_table, add_player):
    """The line says only what was played. A screen reader reads everything."""
    ann = add_player(serve_table("--variant", "mini")).take_seat("both")
    ann.play_game(["@b2", "@b3"])
    message = ann.page.locator("#message")
    expect(message).to_have_text("Dark placed an egg on b3. b2 became a tadpole. Light's turn. ")
    developed = message.get_by_text("b2 became a tadpole.")
    assert developed.bounding_box()["width"] < 2
    board = ann.page.locator("#board").bounding_box()
    ann.press("More about this turn")
    assert developed.bounding_box()["width"] > 100
    ann.press("More about this turn")
    assert ann.page.locator("#board").bounding_box() == board


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Player, KeyboardPlayer, ScreenReaderPlayer])
def test_whole_game_can_be_played(serve_table, add_player, kind):
    """It is played by touch on a small phone, with a keyboard, or with a screen reader."""
    how = {"touch": kind is Player} | ({} if kind is Player else {"size": SCREEN})
    ann = add_player(serve_table("--variant", "mini"), kind, **how).take_seat()
    ann.play_game(GAME)
    ann.expect_headline("Dark wins")
    ann.press("Take back")
    ann.expect_headline("Light’s turn")


@pytest.mark.slow
def test_page_contains_the_game_and_queues_early_presses(browser, serve_table):
    """No other files are loaded, and the connection is delayed."""
    table = serve_table()
    table.press("b2", "c3")
    wait_for(lambda: table.read_messages()["state"]["position"] == "..../..e./.E../.... l 12 12 0 0")
    phone = Phone(browser, table.address)
    phone.page.route("**/page/**", lambda _: None)
    phone.page.add_init_script(CONNECT_LATER)
    phone.page.goto(table.address, wait_until="commit")
    ann = Player(phone, table)
    ann.expect_headline("Light’s turn")
    ann.expect_cell("b2", "Light’s egg")
    ann.expect_cell("c3", "Dark’s egg, the last turn ended here")
    ann.expect_no_text("No turns yet.")
    ann.press("Play for both sides")
    phone.page.evaluate("connect()")
    ann.expect_text("0 of 4 pressed")
    ann.expect_text("Turn 2 of 2")
    phone.close()


@pytest.mark.slow
def test_phones_program_and_finger_share_a_game(serve_table, add_player):
    table = serve_table()
    ann, ben, eve = add_player(table).take_seat("light"), add_player(table).take_seat("dark"), add_player(table)
    everybody = (ann, ben, eve)
    ann.expect_headline("Your turn, Light")
    ben.expect_headline("Light’s turn")

    ben.play("@c3")
    ben.expect_text("It’s Light’s turn. Wait for it to end.")
    eve.play("@c3")
    eve.expect_text("You are watching. To play, take a seat first.")
    ann.play("@b2")
    for each in everybody:
        each.expect_turn(1)
    ben.expect_headline("Your turn, Dark")
    ben.play("@b3")
    for each in everybody:
        each.expect_cell("b2", "Light’s tadpole")

    table.press("d4")
    for each in everybody:
        each.expect_cell("d4", "Light’s egg, the last turn ended here")
    with table.connect() as program:
        program.send({"command": "action", "action": "@a4"})
        assert program.state["position"].split()[0] == "e..E/.e../.T../...."
    for each in everybody:
        each.expect_turn(4)
    ben.press("Take back")
    for each in everybody:
        each.expect_turn(3)
    ben.press("Redo")
    ann.expect_turn(4)


@pytest.mark.slow
def test_undoing_the_other_side_needs_a_press(serve_table, add_player):
    table = serve_table()
    ann = add_player(table).take_seat("light")
    table.press("b2", "b3")
    ann.expect_turn(2)
    ann.press("Take back")
    ann.expect_text("Your sign: ")
    with table.connect() as hand:
        sign = hand.send({"ask": "state"})["asks"]["sign"]
    ann.expect_text(f"Your sign: {sign['colour']} {sign['number']}.")
    press_lit_cells(table)
    ann.expect_turn(1)


@pytest.mark.slow
def test_hint_and_what_if_are_shown(serve_table, add_player):
    ann = add_player(serve_table("--variant", "mini")).take_seat("light")
    ann.press("Hint")
    expect(ann.page.get_by_role("gridcell", name=re.compile("hint$"))).to_have_count(1)
    board = ann.page.locator("#board").bounding_box()
    ann.press("What if")
    ann.play("@b2")
    ann.expect_text("What if: An egg on b2.")
    assert ann.page.locator("#board").bounding_box() == board
    with ann.table.connect() as program:
        assert program.state["last"] is None
    choose_language(ann.page, "nl")
    ann.expect_text("Wat als: Een ei op b2.")
    choose_language(ann.page, "en")
    ann.press("Play it")
    ann.expect_turn(1)


@pytest.mark.slow
def test_resigning_needs_a_press(serve_table, add_player):
    table = serve_table("--variant", "mini")
    ann, ben = add_player(table).take_seat("light"), add_player(table).take_seat("dark")
    ann.play("@b2")
    ben.expect_turn(1)
    ben.press("Resign")
    ben.expect_text("To resign, press the cell that lights up on the board. Then the other side wins.")
    ann.expect_text("Another phone is asking. Look at the board.")
    ben.press("Cancel")
    expect(ben.page.get_by_role("dialog")).to_be_hidden()
    ben.press("Resign")
    press_lit_cells(table)
    ann.expect_headline("You win!")
    ben.expect_headline("Light wins")
    ann.press("New game")
    ann.touch(ann.page.get_by_role("dialog").get_by_role("button", name=re.compile("^Standard")))
    ann.press("Start the game")
    for each in (ann, ben):
        each.expect_headline(re.compile("Your turn, Light|Light’s turn"))
        each.expect_text("No turns yet.")


@pytest.mark.slow
def test_notice_disappears_with_its_cause(serve_table, add_player):
    """A notice disappears with the next press, or when it is no longer true. Its timer is disabled here."""
    table = serve_table("--variant", "mini")
    ann = add_player(table, script=KEEP_NOTICES).take_seat("light")
    notices = ann.page.locator("#notices")
    ann.play("@b2")
    ann.expect_turn(1)
    ann.play("@b3")
    ann.expect_text("It’s Dark’s turn. Wait for it to end.")
    table.press("d4")
    ann.expect_turn(2)
    expect(notices).to_be_hidden()
    ann.touch(ann.cell("d4"))
    ann.expect_text("The piece on d4 is Dark’s.")
    ann.press("How to play")
    expect(notices).to_be_hidden()


@pytest.mark.slow
def test_player_names_are_shown(serve_table, add_player):
    table = serve_table("--names", "Ann,Ben")
    both, one = add_player(table).take_seat("both"), add_player(table).take_seat("light")
    assert read_names(both) == read_names(one) == ["Ann", "Ben"]


@pytest.mark.slow
def test_you_label_is_shown_for_one_side_only(serve_table, add_player):
    table = serve_table()
    both, one = add_player(table).take_seat("both"), add_player(table).take_seat("light")
    assert read_names(both) == ["", ""]
    assert read_names(one) == ["You", ""]
    one.expect_headline("Your turn, Light")
    one.press("Settings")
    one.press("Big, for a television")
    one.expect_headline("Light’s turn")
    assert read_names(one) == ["", ""]


def read_names(player):
    return player.page.locator("#score .name").all_text_contents()


@pytest.mark.slow
def test_pond_is_chosen_for_a_new_game(serve_table, add_player):
    table = serve_table("--variant", "mini")
    ann = add_player(table).take_seat("both")
    ann.press("New game")
    dialog = ann.page.get_by_role("dialog")
    chosen = dialog.get_by_role("button", pressed=True)
    expect(chosen).to_have_text(re.compile("^Mini"))
    ann.touch(dialog.get_by_role("button", name=re.compile("^Standard")))
    expect(chosen).to_have_text(re.compile("^Standard"))
    ann.press("Start the game")
    expect(dialog).to_be_hidden()
    ann.expect_headline("Light’s turn")
    with table.connect() as program:
        wait_for(lambda: program.send({"ask": "state"})["variant"] == "standard")


@pytest.mark.slow
def test_wrong_cell_refuses_a_seat(serve_table, add_player):
    table = serve_table()
    eve = add_player(table)
    eve.press(SEATS["light"])
    eve.expect_text("Press the 4 cells that light up on the board, one after the other.")
    press_lit_cells(table, lambda lit: "a1" if lit != "a1" else "b1")
    expect(eve.page.get_by_role("dialog")).to_be_hidden()
    expect(eve.page.get_by_role("alert")).not_to_be_empty()
    expect(eve.page.get_by_role("heading", name="Seats")).to_be_hidden()


@pytest.mark.slow
def test_seat_is_taken_away(serve_table, add_player):
    """Without spectators, a phone that has no seat shows nothing of the game."""
    table = serve_table(page=())
    ann, ben = add_player(table).take_seat("light"), add_player(table)
    ben.expect_headline("Take a seat to see the game")
    expect(ben.page.get_by_role("grid")).to_be_hidden()
    ben.take_seat("dark")
    ann.play("@b2")
    ben.expect_turn(1)
    ben.page.reload()  # a seat belongs to the phone, not to the page
    ben.expect_turn(1)

    ann.press("Take away seat 2")
    press_lit_cells(table)
    ben.expect_headline("Take a seat to see the game")
    expect(ben.page.get_by_role("grid")).to_be_hidden()
    expect(ann.button("Take away seat 2")).to_have_count(0)
    ann.press("Give up this seat")
    ann.expect_headline("Take a seat to see the game")


@pytest.mark.slow
def test_game_continues_after_board_and_page_restarts(serve_table, add_player, folder):
    table = serve_table("--journal", folder / "games")
    ann = add_player(table, may_lose_server=True).take_seat("both")
    eve = add_player(table, may_lose_server=True)
    ann.play_game(["@b2", "@b3"])
    eve.expect_turn(2)

    table.kill_board()
    for each in (ann, eve):
        each.expect_text(GONE)
        each.expect_cell("b2", "Light’s tadpole")
    table.start_board()
    for each in (ann, eve):
        each.expect_headline("An unfinished game")
    ann.press("Continue")
    ann.expect_text("The game goes on.")
    ann.play("@d4")
    for each in (ann, eve):
        each.expect_turn(3)

    table.kill_page()
    ann.expect_text(GONE)
    table.start_page()
    ann.expect_no_text(GONE)
    ann.expect_text("You are playing for: both sides")
    ann.play("@a4")
    for each in (ann, eve):
        each.expect_turn(4)


@pytest.mark.slow
def test_language_choice_persists(serve_table, add_player):
    table = serve_table()
    ann = add_player(table, may_lose_server=True)
    ann.press("Settings")
    ann.page.get_by_role("combobox", name="Language").select_option("nl")
    expect(ann.page.locator("html")).to_have_attribute("lang", "nl")
    expect(ann.page.locator("#message")).to_have_text(re.compile("^Licht: tik op"))
    ann.page.keyboard.press("Escape")
    ann.page.reload()
    expect(ann.page.locator("html")).to_have_attribute("lang", "nl")
    table.kill_board()
    expect(ann.page.locator("#connection")).to_have_text(re.compile("^Het bord "))
    ann.press("Instellingen")
    ann.page.get_by_role("combobox", name="Taal").select_option("de")
    expect(ann.page.locator("#connection")).to_have_text(re.compile("^Das Brett "))


@pytest.mark.long
def test_game_can_be_played_in_firefox(serve_table, tmp_path):
    table = serve_table("--variant", "mini")
    with open_firefox(tmp_path) as firefox:
        firefox.open(table.address)
        firefox.touch(firefox.find("button", "Play for both sides"))
        firefox.find("dialog", "A seat for: both sides")
        press_lit_cells(table)
        for action, cell in (
            ("b2", "b2, empty, you can place an egg here"),
            ("b3", "b3, empty, you can place an egg here"),
        ):
            firefox.touch(firefox.find("gridcell", cell))
            firefox.find(
                "gridcell", f"{action}, {'Light' if action == 'b2' else 'Dark'}’s egg, the last turn ended here"
            )
        firefox.touch(firefox.find("gridcell", "b2, Light’s tadpole, grew in the last turn, you can move it"))
        firefox.find("gridcell", "b2, Light’s tadpole, grew in the last turn, chosen")
        assert firefox.complaints == []
