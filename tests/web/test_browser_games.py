"""Evenings with phones: real browsers, a real page, and a served board at which somebody presses what lights up."""

import re

import pytest

from tests.conftest import need

need("playwright", "it drives the browser")
need("chromium", "it plays the phones")
need("starlette", "it serves the page")
need("websockets", "the page is told everything by a WebSocket")

from playwright.sync_api import expect  # noqa: E402

from tests.waiting import wait_for  # noqa: E402
from tests.web.browser import SCREEN, Phone  # noqa: E402
from tests.web.browser_firefox import open_firefox  # noqa: E402
from tests.web.browser_players import SEATS, KeyboardPlayer, Listener, Player, press_lit_cells  # noqa: E402
from tests.web.browser_screens import GAME, GONE, KEEP_NOTICES  # noqa: E402

CONNECT_LATER = """
const connected = new Promise((resolve) => { globalThis.connect = resolve; });
connected.then(() => { globalThis.isConnected = true; });
globalThis.WebSocket = class extends WebSocket {
  get readyState() { return globalThis.isConnected ? super.readyState : WebSocket.CONNECTING; }
  addEventListener(kind, listener) { super.addEventListener(kind, (event) => connected.then(() => listener(event))); }
};
"""
"""The page hears nothing of its connection before `connect()` is called."""


@pytest.fixture
def come(open_phone):
    """Somebody comes with a phone: `come(table)`."""

    def begin(table, kind=Player, **how):
        return kind(open_phone(table, **how), table)

    return begin


@pytest.mark.slow
def test_somebody_takes_a_seat_with_a_phone_and_plays(lay_table, come):
    """Four cells light up, somebody at the board presses them, and the phone plays for both sides."""
    ann = come(lay_table("--variant", "mini")).sits_down("both")
    ann.sees("You play here for: both sides")
    ann.plays_game(["@b2", "@b3"])
    ann.sees_on("b2", "Light’s tadpole, grew in the last turn")
    ann.plays("b2c2")
    ann.sees_on("c2", "Light’s tadpole, the last turn ended here")
    ann.presses("Take back")
    ann.sees_turn(2)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Player, KeyboardPlayer, Listener])
def test_a_whole_game(lay_table, come, kind):
    """By touching a small phone, by keys alone at a desk, and by nothing but what a screen reader is given."""
    how = {"touch": kind is Player} | ({} if kind is Player else {"size": SCREEN})
    ann = come(lay_table("--variant", "mini"), kind, **how).sits_down()
    ann.plays_game(GAME)
    ann.sees_headline("Dark wins")
    ann.presses("Take back")
    ann.sees_headline("Light’s turn")


@pytest.mark.slow
def test_the_game_comes_with_the_page_and_what_is_pressed_before_the_board_can_hear_it_is_not_lost(browser, lay_table):
    """Nothing else that the page asks for comes, and it can't connect for a while."""
    table = lay_table()
    table.press("b2", "c3")
    wait_for(lambda: table.read_messages()["state"]["position"] == "..../..e./.E../.... l 12 12 0 0")
    phone = Phone(browser, table.address)
    phone.page.route("**/page/**", lambda _: None)
    phone.page.add_init_script(CONNECT_LATER)
    phone.page.goto(table.address, wait_until="commit")
    ann = Player(phone, table)
    ann.sees_headline("Light’s turn")
    ann.sees_on("b2", "Light’s egg")
    ann.sees_on("c3", "Dark’s egg, the last turn ended here")
    ann.sees_no_more("No turns yet.")
    ann.presses("Play for both sides")
    phone.page.evaluate("connect()")
    ann.sees("0 of 4 pressed")
    ann.sees("Turn 2 of 2")
    phone.close()


@pytest.mark.slow
def test_two_phones_a_program_and_a_finger_play_one_game(lay_table, come):
    table = lay_table()
    ann, ben, eve = come(table).sits_down("light"), come(table).sits_down("dark"), come(table)
    everybody = (ann, ben, eve)
    ann.sees_headline("Your turn, Light")
    ben.sees_headline("Light’s turn")

    ben.plays("@c3")
    ben.sees("It’s Light’s turn. Wait for it to end.")
    eve.plays("@c3")
    eve.sees("You are watching. To play, take a seat first.")
    ann.plays("@b2")
    for each in everybody:
        each.sees_turn(1)
    ben.sees_headline("Your turn, Dark")
    ben.plays("@b3")
    for each in everybody:
        each.sees_on("b2", "Light’s tadpole")

    table.press("d4")
    for each in everybody:
        each.sees_on("d4", "Light’s egg, the last turn ended here")
    with table.call() as program:
        program.says({"command": "action", "action": "@a4"})
        assert program.state["position"].split()[0] == "e..E/.e../.T../...."
    for each in everybody:
        each.sees_turn(4)
    ben.presses("Take back")
    for each in everybody:
        each.sees_turn(3)
    ben.presses("Play again")
    ann.sees_turn(4)


@pytest.mark.slow
def test_turn_of_the_other_side_is_taken_back_after_a_press(lay_table, come):
    table = lay_table()
    ann = come(table).sits_down("light")
    table.press("b2", "b3")
    ann.sees_turn(2)
    ann.presses("Take back")
    ann.sees("Your sign: ")
    with table.call() as hand:
        sign = hand.says({"ask": "state"})["asks"]["sign"]
    ann.sees(f"Your sign: {sign['colour']} {sign['number']}.")
    press_lit_cells(table)
    ann.sees_turn(1)


@pytest.mark.slow
def test_hints_and_what_ifs(lay_table, come):
    ann = come(lay_table("--variant", "mini")).sits_down("light")
    ann.presses("Hint")
    expect(ann.page.get_by_role("gridcell", name=re.compile("hint$"))).to_have_count(1)
    ann.presses("What if")
    ann.plays("@b2")
    ann.sees("What if: An egg on b2.")
    with ann.table.call() as program:
        assert program.state["last"] is None
    ann.presses("Play it")
    ann.sees_turn(1)


@pytest.mark.slow
def test_what_cannot_be_taken_back_waits_for_a_press_on_the_board(lay_table, come):
    table = lay_table("--variant", "mini")
    ann, ben = come(table).sits_down("light"), come(table).sits_down("dark")
    ann.plays("@b2")
    ben.sees_turn(1)
    ben.presses("Resign")
    ben.sees("To resign, press the cell that lights up on the board. Then the other side wins.")
    ann.sees("Another phone is asking. Look at the board.")
    ben.presses("Cancel")
    expect(ben.page.get_by_role("dialog")).to_be_hidden()
    ben.presses("Resign")
    press_lit_cells(table)
    ann.sees_headline("You win!")
    ben.sees_headline("Light wins")
    ann.presses("New game")
    ann.touches(ann.page.get_by_role("dialog").get_by_role("button", name=re.compile("^standard")))
    ann.presses("Start the game")
    for each in (ann, ben):
        each.sees_headline(re.compile("Your turn, Light|Light’s turn"))
        each.sees("No turns yet.")


@pytest.mark.slow
def test_a_notice_goes_with_its_cause(lay_table, come):
    """It ends with the state that makes it untrue, and with the next press; here nothing else would hide it."""
    table = lay_table("--variant", "mini")
    ann = come(table, script=KEEP_NOTICES).sits_down("light")
    notices = ann.page.locator("#notices")
    ann.plays("@b2")
    ann.sees_turn(1)
    ann.plays("@b3")
    ann.sees("It’s Dark’s turn. Wait for it to end.")
    table.press("d4")
    ann.sees_turn(2)
    expect(notices).to_be_hidden()
    ann.touches(ann.cell("d4"))
    ann.sees("The piece on d4 is Dark’s.")
    ann.presses("How to play")
    expect(notices).to_be_hidden()


@pytest.mark.slow
def test_players_see_their_own_names(lay_table, come):
    table = lay_table("--names", "Ann,Ben")
    both, one = come(table).sits_down("both"), come(table).sits_down("light")
    assert names_on(both) == names_on(one) == ["Ann", "Ben"]


@pytest.mark.slow
def test_only_a_phone_with_one_side_says_you(lay_table, come):
    table = lay_table()
    both, one = come(table).sits_down("both"), come(table).sits_down("light")
    assert names_on(both) == ["", ""]
    assert names_on(one) == ["you", ""]
    one.sees_headline("Your turn, Light")
    one.presses("Settings")
    one.presses("Big, for a television")
    one.sees_headline("Light’s turn")
    assert names_on(one) == ["", ""]


def names_on(player):
    return player.page.locator("#score .name").all_text_contents()


@pytest.mark.slow
def test_a_pond_is_chosen_before_the_game_starts(lay_table, come):
    table = lay_table("--variant", "mini")
    ann = come(table).sits_down("both")
    ann.presses("New game")
    dialog = ann.page.get_by_role("dialog")
    chosen = dialog.get_by_role("button", pressed=True)
    expect(chosen).to_have_text(re.compile("^mini"))
    ann.touches(dialog.get_by_role("button", name=re.compile("^standard")))
    expect(chosen).to_have_text(re.compile("^standard"))
    ann.presses("Start the game")
    expect(dialog).to_be_hidden()
    ann.sees_headline("Light’s turn")
    with table.call() as program:
        wait_for(lambda: program.says({"ask": "state"})["variant"] == "standard")


@pytest.mark.slow
def test_who_presses_another_cell_says_no(lay_table, come):
    table = lay_table()
    eve = come(table)
    eve.presses(SEATS["light"])
    eve.sees("Press the 4 cells that light up on the board, one after the other.")
    press_lit_cells(table, lambda lit: "a1" if lit != "a1" else "b1")
    expect(eve.page.get_by_role("dialog")).to_be_hidden()
    expect(eve.page.get_by_role("alert")).not_to_be_empty()
    expect(eve.page.get_by_role("heading", name="Seats")).to_be_hidden()


@pytest.mark.slow
def test_a_seat_is_taken_away(lay_table, come):
    """Where nobody may watch, whoever has no seat sees nothing of the game, before it and after it."""
    table = lay_table(page=())
    ann, ben = come(table).sits_down("light"), come(table)
    ben.sees_headline("Take a seat to see the game")
    expect(ben.page.get_by_role("grid")).to_be_hidden()
    ben.sits_down("dark")
    ann.plays("@b2")
    ben.sees_turn(1)
    ben.page.reload()  # a seat belongs to the phone, and not to what it shows
    ben.sees_turn(1)

    ann.presses("Take away seat 2")
    press_lit_cells(table)
    ben.sees_headline("Take a seat to see the game")
    expect(ben.page.get_by_role("grid")).to_be_hidden()
    expect(ann.button("Take away seat 2")).to_have_count(0)
    ann.presses("Give up this seat")
    ann.sees_headline("Take a seat to see the game")


@pytest.mark.slow
def test_the_power_of_the_board_goes_and_then_the_page_itself(lay_table, come, folder):
    table = lay_table("--journal", folder / "games")
    ann = come(table, loses=True).sits_down("both")
    eve = come(table, loses=True)
    ann.plays_game(["@b2", "@b3"])
    eve.sees_turn(2)

    table.kill_board()
    for each in (ann, eve):
        each.sees(GONE)
        each.sees_on("b2", "Light’s tadpole")
    table.begin_board()
    for each in (ann, eve):
        each.sees_headline("An unfinished game")
    ann.presses("Continue")
    ann.sees("The game goes on.")
    ann.plays("@d4")
    for each in (ann, eve):
        each.sees_turn(3)

    table.kill_page()
    ann.sees(GONE)
    table.begin_page()
    ann.sees_no_more(GONE)
    ann.sees("You play here for: both sides")
    ann.plays("@a4")
    for each in (ann, eve):
        each.sees_turn(4)


@pytest.mark.slow
def test_somebody_chooses_another_language(lay_table, come):
    ann = come(lay_table())
    ann.presses("Settings")
    ann.page.get_by_role("combobox", name="Language").select_option("nl")
    expect(ann.page.locator("html")).to_have_attribute("lang", "nl")
    expect(ann.page.locator("#message")).to_have_text(re.compile("^Licht is aan de beurt"))
    ann.page.keyboard.press("Escape")
    ann.page.reload()
    expect(ann.page.locator("html")).to_have_attribute("lang", "nl")


@pytest.mark.long
def test_in_firefox_too(lay_table, tmp_path):
    table = lay_table("--variant", "mini")
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
