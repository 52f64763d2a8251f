"""Every screen that the page has: walks that lead from one to the next, each at a table of its own."""

import json
import re
from time import sleep

from playwright.sync_api import expect

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.profile.library import BOARDS_FOLDER
from tests.journal.journal_folder import JournalFolder
from tests.waiting import wait_for
from tests.web.browser import PHONE
from tests.web.browser_players import SEATS, UNSEEN_SECONDS, Player, press_lit_cells

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

WON_IN_ONE = "E.../F.../..../.... l 2 10 6 0"
"""Light needs one more piece on the mini pond, and has three as soon as an egg is placed on a2."""

LARGE = "t.t../.e.eF/fT.TF/..T../.Ee.. l 0 0 9 9"
"""Two turns before the end of tests/games/big-15-draw.pond."""

VALUES = [0, 0.2, -0.1, 0.4, 0.1, 0.3, -1.2, 1.4, 1.3, 0.2, 0.5, -0.6, -0.9, -0.8, -1.1, -0.4]
FAULTS = {7: "slip", 8: "mistake", 16: "blunder"}
"""What a review found out about the turns of GAME; how far it looks ahead depends on the machine, so pictures take this."""

TROUBLE = {"trouble": ("lamps.lost", {"text": "spidev0.0"}), "unsaved": ("saving.disk_full", {})}
"""What can be wrong with a board, and with the games that it keeps."""

KEEP_NOTICES = """
const soon = globalThis.setTimeout;
globalThis.setTimeout = (act, ms, ...more) => soon(act, ms === 3000 || ms === 8000 ? 2 ** 30 : ms, ...more);
"""
"""What the page says at the top for 3 s or 8 s stays until somebody puts it away."""

SETTLE_SECONDS = 0.4
"""What sensors have seen for so long counts."""

SET_SIGN = """() => {
  const set = () => {
    for (const id of ["message", "asking-sign"]) {
      const place = document.getElementById(id);
      const shown = place.textContent;
      const text = shown.replace(/(green|purple|white) \\d\\d/, "green 27").replace(/ in (purple|white)\\./, " in green.");
      if (text !== shown) place.textContent = text;
    }
    document.getElementById("asking-dots").dataset.sign = "green";
  };
  set();
  new MutationObserver(set).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


class Walk:
    """Somebody who goes from screen to screen.

    Args:
        lay_table: serves a board with a page beside it.
        open_phone: opens the page of a table on a phone.
        folder: for what a table keeps.

    Attributes:
        page: what shows the screen.
        place: what of it is to be looked at: scrolled to the top; None: its beginning.
        retold: what of the messages to the page is told otherwise, by their type: a function of the message.
    """

    def __init__(self, lay_table, open_phone, folder):
        self.lay_table, self.open_phone, self.folder = lay_table, open_phone, folder
        self.place, self.retold = None, {}

    def sit_down(self, *board, **how):
        """Ann has the page of a new table on her phone."""
        self.table = self.lay_table(*board, **how)
        self.ann = self.come()
        self.page = self.ann.page

    def come(self, **how):
        """Somebody comes with a phone."""
        options = {"loses": True, "timezone_id": "UTC", "script": KEEP_NOTICES, "retell": self.retell}
        return Player(self.open_phone(self.table, PHONE, **options | how), self.table)

    def retell(self, text):
        message = json.loads(text)
        change = self.retold.get(message["type"])
        return json.dumps(change(message)) if change else text

    def plays(self, *actions):
        """A program plays for both sides."""
        with self.table.call() as program:
            for action in actions:
                program.says({"command": "action", "action": action})

    def says(self, **line):
        """A program says something to the board."""
        with self.table.call() as program:
            program.says(line)

    def opens(self, name):
        """Opens a dialog by its button."""
        self.ann.presses(name)
        expect(self.dialog).to_be_visible()

    def opens_first_game(self):
        """Opens the oldest of the listed games."""
        self.ann.touches(self.page.locator("#game-list").get_by_role("button").last)
        expect(self.dialog).to_be_hidden()
        self.ann.sees_headline("Game 1")

    def asks_review(self):
        """Asks what was good in the game that is open; the button goes as soon as that is known."""
        self.page.locator("#past-review").dispatch_event("click")

    def leaves(self):
        """Closes the dialog."""
        self.dialog.get_by_role("button", name=re.compile("^(Close|Cancel)$")).tap()
        expect(self.dialog).to_be_hidden()

    def fixes_sign(self):
        """Replaces the sign of a request, which the board draws, so that pictures are alike; from now on."""
        self.ann.sees("It shows ")
        self.page.evaluate(SET_SIGN)

    @property
    def dialog(self):
        return self.page.get_by_role("dialog")

    def hides_notice(self):
        """What was said at the top is put away."""
        self.page.locator("#hide-notice").dispatch_event("click")  # it may be hidden already
        expect(self.page.locator("#notices")).to_be_hidden()


def first_evening(walk):
    """From the first look at the page to a board without power."""
    walk.sit_down("--variant", "mini", "--journal", walk.folder / "games")
    ann = walk.ann
    ann.sees("No turns yet.")
    yield "first"
    walk.opens("How to play")
    yield "rules"
    walk.page.locator("#rules-text").evaluate("(text) => text.scrollTo(0, text.scrollHeight)")
    yield "rules-end"
    walk.leaves()
    walk.opens("Settings")
    yield "settings"
    walk.leaves()

    ann.presses(SEATS["both"])
    ann.sees("0 of 4 pressed")
    press_half(walk.table)
    ann.sees("2 of 4 pressed")
    walk.fixes_sign()
    yield "asking"
    press_lit_cells(walk.table)
    expect(walk.page.locator("#granted")).not_to_be_empty()
    yield "seated"
    walk.hides_notice()

    walk.plays(*GAME[:12])
    ann.sees_turn(12)
    ann.touches(ann.cell("a2"))
    ann.sees_on("a4", "empty, the chosen piece can go here")
    yield "chosen"
    ann.touches(ann.cell("a4"))
    ann.sees_turn(13)
    ann.touches(ann.cell("d3"))
    expect(walk.page.get_by_role("alert")).not_to_be_empty()
    yield "refused"
    walk.hides_notice()
    ann.presses("One turn back")
    ann.sees("An old position: turn 12 of 13")
    yield "old"
    ann.presses("Back to now")
    ann.presses("What if")
    ann.sees("What if is on.")
    yield "trying"
    ann.touches(ann.cell("b3"))
    ann.sees("What if: ")
    yield "what-if"
    ann.presses("What if")

    ben = walk.come()
    ben.presses(SEATS["light"])
    ann.sees("Another phone is asking.")
    walk.fixes_sign()
    yield "board-asks"
    press_lit_cells(walk.table)
    expect(ann.button("Take away seat 2")).to_be_visible()
    walk.place = "#seats"
    yield "seats"
    walk.place = None
    ann.presses("Resign")
    expect(walk.dialog).to_be_visible()
    walk.fixes_sign()
    yield "confirm"
    walk.leaves()

    walk.plays(*GAME[13:])
    ann.sees_headline("Dark wins")
    yield "over"
    walk.opens("Settings")
    ann.presses("Big, for a television")
    expect(walk.dialog).to_be_hidden()
    yield "big"
    ann.presses("Normal size")
    walk.says(command="undo")
    ann.sees_headline("Light’s turn")

    walk.table.kill_board()
    ann.sees(GONE)
    yield "gone"
    walk.page.reload()
    ann.sees_headline("Waiting for the board")
    yield "waiting"
    walk.table.begin_board()
    ann.sees_headline("An unfinished game")
    yield "unfinished"


def past_games(walk):
    """The games of other evenings, how the board is doing, and what is played next."""
    stored = JournalFolder(walk.folder / "games")
    stored.play(" ".join(GAME), "mini", light="Ann", dark="Ben")
    stored.play("@b2 @c3 @b3 resign", "mini", light="Ben", dark="Ann")
    stored.play("@b2 @b3 b2c2 draw", light="Grandmother Wilhelmina", dark="level-3")
    walk.sit_down("--variant", "mini", "--journal", stored.folder, "--names", "Ann,Ben")
    ann = walk.ann.sits_down()
    walk.hides_notice()
    ann.presses("Games")
    games = walk.page.locator("#game-list").get_by_role("button")
    expect(games).to_have_count(3)
    yield "games"
    walk.opens_first_game()
    yield "past"
    walk.retold["analysis"] = lambda message: message | {"turns": list(review_turns(9))}
    walk.asks_review()
    ann.sees("9 of 17")
    walk.place = "#past"
    yield "reviewing"
    walk.place = None
    walk.retold["analysis"] = lambda message: message | {"turns": list(review_turns(17))}
    ann.presses("Games")
    walk.opens_first_game()
    walk.asks_review()
    ann.sees(re.compile("^Slips: "))
    ann.touches(walk.page.locator("#turns").get_by_role("button").nth(8))
    yield "reviewed"
    ann.presses("Back to the board")

    walk.opens("Settings")
    yield "settings-seated"
    ann.presses("How the board is doing")
    ann.sees("All sensors are in use.")
    wait_for(lambda: "fine" in walk.page.inner_text("#doctor-say"), "what the doctor says")
    walk.page.evaluate(DOCTOR_SAYS)  # each machine has a finding of its own
    yield "health"
    walk.leaves()
    walk.opens("New game")
    yield "new-game"
    walk.dialog.get_by_label("Who plays Dark?").select_option("Level 3")
    walk.dialog.get_by_label("Light’s name").fill("level-1")
    ann.presses("Start the game")
    ann.sees("level-1 is the name of a program.")
    yield "new-game-taken"
    walk.leaves()
    walk.retold["state"] = keep_first_hint()
    walk.says(command="set_up", variant="mini", position=WON_IN_ONE)
    ann.presses("Hint")
    ann.sees_on("a2", "empty, you can place an egg here, hint")
    yield "hint"
    walk.retold.pop("state")
    walk.retold["exercises"] = without_puzzles
    walk.opens("New game")
    ann.presses("Lessons and puzzles")
    lesson = walk.dialog.get_by_role("button", name="Pieces grow")
    lesson.wait_for()
    yield "exercises"
    ann.touches(lesson)
    ann.sees("Step 1 of ")
    yield "exercise"


def pieces(walk):
    """A board with pieces, where nobody may watch; and what can go wrong with it."""
    profile = walk.folder / "pieces.toml"
    text = (BOARDS_FOLDER / "simulated-4x4.toml").read_text(encoding="utf-8")
    profile.write_text(text.replace('kind = "button"', 'kind = "hall"'), encoding="utf-8")
    walk.sit_down("--board", profile, page=())
    ann = walk.ann
    ann.sees_headline("Take a seat to see the game")
    yield "no-watching"
    ann.presses(SEATS["both"])
    ann.sees("0 of 4 pressed")
    with walk.table.call() as hand:
        sleep(UNSEEN_SECONDS)
        while asked := hand.says({"ask": "state"}).get("asks"):
            put(hand, "drop", asked["cell"])
            put(hand, "take", asked["cell"])
        ann.sees("You play here for: both sides")
        walk.hides_notice()
        for number, cell in enumerate(("b2", "d3", "b4", "d1"), 1):
            put(hand, "drop", cell)
            ann.sees_turn(number)
        for cell in ("b2", "d3"):
            put(hand, "take", cell)
        ann.sees("The board and the game don't match.")
        yield "differs"
        for cell in ("b4", "d1"):
            put(hand, "take", cell)
    ann.sees_headline("A new game")
    yield "menu"
    texts = {field: get_catalogue().text(Message(key, **gaps)) for field, (key, gaps) in TROUBLE.items()}
    walk.retold["state"] = lambda message: message | texts
    walk.says(command="new")
    ann.sees(texts["trouble"])
    yield "trouble"


def large_board(walk):
    """Twenty-five cells, and a game that nobody wins."""
    walk.sit_down("--board", "simulated-5x5", "--names", "Grandmother Wilhelmina,Ben")
    ann = walk.ann.sits_down("light")
    walk.hides_notice()
    walk.says(command="set_up", variant="big-15", position=LARGE)
    ann.sees_headline("Your turn, Light")
    yield "large"
    walk.plays("c2c3", "c5c4")
    ann.sees_headline("It’s a draw")
    yield "draw"


DOCTOR_SAYS = """() => {
  document.querySelector("#doctor-say").textContent = "No faults. No warnings.";
  document.querySelector("#doctor-list").textContent = "";
}"""

WALKS = (first_evening, past_games, pieces, large_board)


def press_half(table):
    """Somebody presses two of the four cells that light up."""
    with table.call() as hand:
        asked = wait_for(lambda: hand.says({"ask": "state"}).get("asks"), "the cell that lights up")
        sleep(UNSEEN_SECONDS)
        for _ in range(2):
            asked = hand.says({"touch": asked["cell"]})["asks"]


def keep_first_hint():
    """Tells of the first state with a hint again and again; the board takes a hint back after 15 s."""
    kept = []

    def retell(state):
        if (state.get("hint") or {}).get("action") and not kept:
            kept.append(state)
        return kept[0] if kept else state

    return retell


def without_puzzles(message):
    """Each day has another one."""
    return message | {"courses": {"lessons": message["courses"]["lessons"]}}


def put(hand, action, cell):
    """A hand puts a piece down or takes it; the sensors have seen it then."""
    hand.says({action: cell})
    sleep(SETTLE_SECONDS)


def review_turns(count):
    """What was found out about so many turns of GAME."""
    for turn, value in enumerate([*VALUES, None][:count], 1):
        wins = None if value is not None else {"side": "dark", "actions": 0}
        fault = FAULTS.get(turn - 1)
        message = f"@c2 would have kept Dark {abs(VALUES[turn - 2]):.1f} pieces ahead." if fault else ""
        yield {"turn": turn, "value": value, "wins": wins, "fault": fault, "message": message}
