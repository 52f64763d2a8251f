"""Players with phones. They find elements by role and name, and then touch them, press keys, or use a screen reader."""

import re
from time import monotonic, sleep

from playwright.sync_api import expect

from tests.waiting import wait_for
from tests.web.browser import PATIENCE

expect.set_options(timeout=1000 * PATIENCE)

SEATS = {"light": "Play for Light", "dark": "Play for Dark", "both": "Play for both sides"}

UNSEEN_SECONDS = 0.8
"""Seconds after a cell lights up during which a touch does not count as an answer."""

PAUSE_SECONDS = 0.22
"""Seconds between two actions of a player. More than five requests per second are refused."""


def press_lit_cells(table, touch=None):
    """Press the cells that light up on the board, one after the other, until no more light up.

    Args:
        table: the table with the board.
        touch: function that takes the lit cell and returns the cell to press instead.
    """
    with table.connect() as hand:
        asked = wait_for(lambda: hand.send({"ask": "state"}).get("asks"), "the cell that lights up")
        sleep(UNSEEN_SECONDS)
        while asked:
            state = hand.send({"touch": touch(asked["cell"]) if touch else asked["cell"]})
            asked = state.get("asks")


class Player:
    """A player who touches what the page shows.

    Args:
        phone: the phone.
        table: the table with the board.
    """

    def __init__(self, phone, table):
        self.phone, self.page, self.table = phone, phone.page, table
        self.next_at = 0.0

    # Expectations

    def cell(self, cell):
        return self.page.get_by_role("gridcell", name=re.compile(f"^{cell}, "))

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def expect_text(self, text):
        """Expect this text on the screen."""
        expect(self.page.get_by_text(text).locator("visible=true").first).to_be_visible()

    def expect_no_text(self, text):
        expect(self.page.get_by_text(text).locator("visible=true")).to_have_count(0)

    def expect_headline(self, text):
        expect(self.page.get_by_role("heading", name=text)).to_be_visible()

    def expect_turn(self, number):
        """Expect this turn number on the page."""
        expect(self.page.get_by_text(f"Turn {number} of {number}", exact=True)).to_be_visible()

    def expect_cell(self, cell, what):
        """Expect this description of a cell."""
        expect(self.cell(cell)).to_have_accessible_name(re.compile(f"^{cell}, {what}"))

    # Actions

    def touch(self, thing):
        thing.tap()

    def pause(self):
        """Wait until enough time has passed since the last action."""
        sleep(max(0.0, self.next_at - monotonic()))
        self.next_at = monotonic() + PAUSE_SECONDS

    def press(self, name):
        self.pause()
        self.touch(self.button(name))

    def choose(self, label, option):
        """Choose an option from a list."""
        self.pause()
        self.page.get_by_label(label).select_option(option)

    def take_seat(self, side="both"):
        """Ask for a seat and press the four cells on the board."""
        self.press(SEATS[side])
        self.expect_text("Press the 4 cells that light up on the board, one after the other.")
        press_lit_cells(self.table)
        expect(self.page.get_by_role("heading", name="Seats")).to_be_visible()
        expect(self.page.get_by_role("dialog")).to_be_hidden()
        return self

    def play(self, action):
        """Touch a cell, or a piece and then its target."""
        for cell in re.findall("[a-e][1-5]", action):
            self.touch(self.cell(cell))

    def play_game(self, actions):
        """Play a game turn by turn."""
        for number, action in enumerate(actions, 1):
            self.pause()
            self.play(action)
            self.expect_turn(number)


class KeyboardPlayer(Player):
    """A player who uses only the keyboard."""

    def read_focused_name(self):
        """Return the name of the focused element."""
        return self.page.evaluate(
            """() => { const at = document.activeElement;
              return at.getAttribute("aria-label") || at.innerText || at.textContent || ""; }"""
        ).strip()

    def move_focus(self, is_wanted):
        """Press the tab key until the right element has the focus."""
        for _ in range(80):
            if is_wanted(self.read_focused_name()):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError("the tab key doesn't lead there")

    def press(self, name):
        expect(self.button(name)).to_be_enabled()
        self.move_focus(lambda focused: focused == name)
        self.page.keyboard.press("Enter")

    def touch(self, thing):
        wanted = thing.get_attribute("data-cell")
        self.move_focus(lambda focused: re.match("[a-e][1-5], ", focused))
        at = self.read_focused_name()[:2]
        for step, keys in ((ord(wanted[0]) - ord(at[0]), "Left Right"), (ord(wanted[1]) - ord(at[1]), "Down Up")):
            for _ in range(abs(step)):
                self.page.keyboard.press("Arrow" + keys.split()[step > 0])
        assert self.read_focused_name().startswith(f"{wanted}, ")
        self.page.keyboard.press("Enter")


class ScreenReaderPlayer(Player):
    """A player with a screen reader, who uses only the browser's accessibility tree."""

    def __init__(self, phone, table):
        super().__init__(phone, table)
        self.debugger = self.page.context.new_cdp_session(self.page)

    def list_nodes(self):
        """Yield the role, name, properties and node id of each element."""
        nodes = self.debugger.send("Accessibility.getFullAXTree")["nodes"]
        for node in nodes:
            if not node["ignored"]:
                role, name = (node.get(key, {}).get("value", "") for key in ("role", "name"))
                properties = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
                yield role, name, properties, node.get("backendDOMNodeId")

    def find(self, role, name, is_wanted=lambda properties: True):
        """Wait for an element with this role and a matching name."""

        def find():
            heard = (each for each in self.list_nodes() if each[0] == role and re.search(name, each[1]))
            return next((each for each in heard if is_wanted(each[2])), None)

        return wait_for(find, f"{role} {name}")

    def click(self, role, name):
        """Click an element as soon as it is enabled."""
        *_, place = self.find(role, name, lambda properties: not properties.get("disabled"))
        thing = self.debugger.send("DOM.resolveNode", {"backendNodeId": place})["object"]["objectId"]
        act = "function() { this.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true})); }"
        self.debugger.send("Runtime.callFunctionOn", {"objectId": thing, "functionDeclaration": act})

    def expect_text(self, text):
        self.find("StaticText", re.escape(text))

    def expect_headline(self, text):
        self.find("heading", f"^{re.escape(text)}$")

    def expect_turn(self, number):
        self.find("StaticText", f"^Turn {number} of {number}$")

    def expect_cell(self, cell, what):
        self.find("gridcell", f"^{cell}, {what}")

    def press(self, name):
        self.click("button", f"^{re.escape(name)}$")

    def take_seat(self, side="both"):
        self.press(SEATS[side])
        self.find("dialog", "^A seat for: ")
        press_lit_cells(self.table)
        self.find("heading", "^Seats$")
        return self

    def play(self, action):
        for cell in re.findall("[a-e][1-5]", action):
            self.click("gridcell", f"^{cell}, ")
