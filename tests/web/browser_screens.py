"""One evening at a table, from the first look at the page to a board without power: every screen that there is."""

from playwright.sync_api import expect

from tests.web.browser_players import SEATS, Player, press_lit_cells

GAME = [
    "@d3",
    "@b2",
    "@a1",
    "@b3",
    "@d2",
    "@b4",
    "@c3",
    "b2b1",
    "a1a2",
    "@d1",
    "@b2",
    "@c1",
    "a2a4",
    "@b3",
    "d3d4",
    "@b2",
    "d2c2",
]
"""A game on the mini pond that Dark wins by 7 to 1: with tadpoles that step, frogs that hop, and sets of both sides."""

GONE = "The board doesn’t answer. You see how it was last. Trying again."


def walk(table, open_phone):
    """Goes from screen to screen; gives the name of each, and the page that shows it.

    Args:
        table: a table on the mini pond that keeps its games.
        open_phone: opens the page on a phone.
    """
    ann = Player(open_phone(table, loses=True), table)
    page = ann.page
    ann.sees("No turns yet.")
    yield "first", page
    yield from _dialogs(ann, "How to play", "Settings")

    ann.presses(SEATS["both"])
    ann.sees("0 of 4 pressed")
    yield "asking", page
    press_lit_cells(table)
    ann.sees("You play here for: both sides")
    _hide_notice(ann)
    with table.call() as program:
        for action in GAME[:12]:
            program.says({"command": "action", "action": action})
    ann.sees_turn(12)
    ann.touches(ann.cell("a2"))
    ann.sees_on("a4", "empty, the chosen piece can go here")
    yield "chosen", page
    ann.touches(ann.cell("a4"))
    ann.sees_turn(13)
    ann.touches(ann.cell("d3"))
    expect(page.get_by_role("alert")).not_to_be_empty()
    yield "notice", page
    _hide_notice(ann)
    yield from _dialogs(ann, "New game")

    ann.presses("One turn back")
    ann.sees("An old position: turn 12 of 13")
    yield "old", page
    ann.presses("Back to now")
    ann.presses("What if")
    ann.touches(ann.cell("b3"))
    ann.sees("What if: ")
    yield "what-if", page
    ann.presses("What if")

    with table.call() as program:
        for action in GAME[13:]:
            program.says({"command": "action", "action": action})
    ann.sees_headline("Dark wins")
    yield "over", page
    ann.presses("Take back")
    ann.sees_turn(16)

    table.kill_board()
    ann.sees(GONE)
    yield "gone", page
    table.begin_board()
    ann.sees_headline("An unfinished game")
    yield "unfinished", page


def _dialogs(player, *names):
    for name in names:
        player.presses(name)
        expect(player.page.get_by_role("dialog")).to_be_visible()
        yield name.lower().replace(" ", "-"), player.page
        player.page.keyboard.press("Escape")
        expect(player.page.get_by_role("dialog")).to_be_hidden()


def _hide_notice(player):
    """What was said at the bottom is put away."""
    notice = player.page.locator("#notices")
    if notice.is_visible():
        notice.get_by_role("button", name="Close").tap()
        expect(notice).to_be_hidden()
