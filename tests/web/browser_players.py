"""People with phones: they find things on the page by role and name, and touch them, press keys, or have them read out."""

import re
from time import monotonic, sleep

from playwright.sync_api import expect

from tests.waiting import wait_for
from tests.web.browser import PATIENCE

expect.set_options(timeout=1000 * PATIENCE)

SEATS = {"light": "Play for Light", "dark": "Play for Dark", "both": "Play for both sides"}

UNSEEN_SECONDS = 0.8
"""So soon after a cell lit up nobody at the board can have seen it; a touch then is no answer."""

PAUSE_SECONDS = 0.22
"""Nobody does one thing after another faster; and whoever says more than five things a second is told that this is too fast."""


def press_lit_cells(table, touch=None):
    """Somebody at the board presses the cells that light up, one after the other, until none does any more.

    Args:
        table: where the board is.
        touch: another way to choose: gets the lit cell, gives the one that is pressed.
    """
    with table.call() as hand:
        asked = wait_for(lambda: hand.says({"ask": "state"}).get("asks"), "the cell that lights up")
        sleep(UNSEEN_SECONDS)
        while asked:
            state = hand.says({"touch": touch(asked["cell"]) if touch else asked["cell"]})
            asked = state.get("asks")


class Player:
    """Somebody with a phone, who touches what they see.

    Args:
        phone: their phone.
        table: where the board is.
    """

    def __init__(self, phone, table):
        self.phone, self.page, self.table = phone, phone.page, table
        self.next_at = 0.0

    # what they see

    def cell(self, cell):
        return self.page.get_by_role("gridcell", name=re.compile(f"^{cell}, "))

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def sees(self, text):
        """This text is on the screen, or is soon."""
        expect(self.page.get_by_text(text).locator("visible=true").first).to_be_visible()

    def sees_no_more(self, text):
        expect(self.page.get_by_text(text).locator("visible=true")).to_have_count(0)

    def sees_headline(self, text):
        expect(self.page.get_by_role("heading", name=text)).to_be_visible()

    def sees_turn(self, number):
        """So many turns have been played."""
        expect(self.page.get_by_text(f"Turn {number} of {number}", exact=True)).to_be_visible()

    def sees_on(self, cell, what):
        """What a cell is called: what stands there, and what is to be said of it."""
        expect(self.cell(cell)).to_have_accessible_name(re.compile(f"^{cell}, {what}"))

    # what they do

    def touches(self, thing):
        thing.tap()

    def pauses(self):
        """Lets some time go by after what they did last."""
        sleep(max(0.0, self.next_at - monotonic()))
        self.next_at = monotonic() + PAUSE_SECONDS

    def presses(self, name):
        self.pauses()
        self.touches(self.button(name))

    def chooses(self, label, option):
        """Chooses one of a list."""
        self.pauses()
        self.page.get_by_label(label).select_option(option)

    def sits_down(self, side="both"):
        """Asks for a seat, and somebody at the board presses the four cells that light up."""
        self.presses(SEATS[side])
        self.sees("Press the 4 cells that light up on the board, one after the other.")
        press_lit_cells(self.table)
        expect(self.page.get_by_role("heading", name="Seats")).to_be_visible()
        expect(self.page.get_by_role("dialog")).to_be_hidden()
        return self

    def plays(self, action):
        """Touches a cell, or first a piece and then where it goes."""
        for cell in re.findall("[a-e][1-5]", action):
            self.touches(self.cell(cell))

    def plays_game(self, actions):
        """Plays all of a game, turn by turn."""
        for number, action in enumerate(actions, 1):
            self.pauses()
            self.plays(action)
            self.sees_turn(number)


class KeyboardPlayer(Player):
    """Somebody who has no mouse and touches nothing: all keys, from the tab key on."""

    def focused(self):
        """What has the focus is called so."""
        return self.page.evaluate(
            """() => { const at = document.activeElement;
              return at.getAttribute("aria-label") || at.innerText || at.textContent || ""; }"""
        ).strip()

    def goes_to(self, is_wanted):
        """Presses the tab key until what has the focus is what is wanted."""
        for _ in range(80):
            if is_wanted(self.focused()):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError("the tab key doesn't lead there")

    def presses(self, name):
        expect(self.button(name)).to_be_enabled()
        self.goes_to(lambda focused: focused == name)
        self.page.keyboard.press("Enter")

    def touches(self, thing):
        wanted = thing.get_attribute("data-cell")
        self.goes_to(lambda focused: re.match("[a-e][1-5], ", focused))
        at = self.focused()[:2]
        for step, keys in ((ord(wanted[0]) - ord(at[0]), "Left Right"), (ord(wanted[1]) - ord(at[1]), "Down Up")):
            for _ in range(abs(step)):
                self.page.keyboard.press("Arrow" + keys.split()[step > 0])
        assert self.focused().startswith(f"{wanted}, ")
        self.page.keyboard.press("Enter")


class Listener(Player):
    """Somebody who has the page read out: all that they know is the tree of roles and names that the browser gives to
    screen readers, and all that they do is to act on something in it.
    """

    def __init__(self, phone, table):
        super().__init__(phone, table)
        self.debugger = self.page.context.new_cdp_session(self.page)

    def hears(self):
        """All that there is: roles, names, and where each is."""
        nodes = self.debugger.send("Accessibility.getFullAXTree")["nodes"]
        for node in nodes:
            if not node["ignored"]:
                role, name = (node.get(key, {}).get("value", "") for key in ("role", "name"))
                properties = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
                yield role, name, properties, node.get("backendDOMNodeId")

    def finds(self, role, name, is_wanted=lambda properties: True):
        """What has this role, and a name like this, as soon as it is there."""

        def find():
            heard = (each for each in self.hears() if each[0] == role and re.search(name, each[1]))
            return next((each for each in heard if is_wanted(each[2])), None)

        return wait_for(find, f"{role} {name}")

    def acts(self, role, name):
        """Does to something what there is to do to it, as soon as that can be done."""
        *_, place = self.finds(role, name, lambda properties: not properties.get("disabled"))
        thing = self.debugger.send("DOM.resolveNode", {"backendNodeId": place})["object"]["objectId"]
        act = "function() { this.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true})); }"
        self.debugger.send("Runtime.callFunctionOn", {"objectId": thing, "functionDeclaration": act})

    def sees(self, text):
        self.finds("StaticText", re.escape(text))

    def sees_headline(self, text):
        self.finds("heading", f"^{re.escape(text)}$")

    def sees_turn(self, number):
        self.finds("StaticText", f"^Turn {number} of {number}$")

    def sees_on(self, cell, what):
        self.finds("gridcell", f"^{cell}, {what}")

    def presses(self, name):
        self.acts("button", f"^{re.escape(name)}$")

    def sits_down(self, side="both"):
        self.presses(SEATS[side])
        self.finds("dialog", "^A seat for: ")
        press_lit_cells(self.table)
        self.finds("heading", "^Seats$")
        return self

    def plays(self, action):
        for cell in re.findall("[a-e][1-5]", action):
            self.acts("gridcell", f"^{cell}, ")
