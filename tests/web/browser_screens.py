"""All screens of the page. Each walk leads from screen to screen at its own table."""

import json
import re
from time import sleep, time

from playwright.sync_api import expect

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.web.asgi_app import REQUESTS_PER_SECOND
from tests.journal.journal_folder import JournalFolder
from tests.server.test_linked_game import STATUS, follow
from tests.waiting import wait_for
from tests.web.browser import PHONE, freeze_page
from tests.web.browser_players import SEATS, UNSEEN_SECONDS, Player, press_lit_cells
from tests.web.served_page import FarHome

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
"""A game on the mini pond that Dark wins 7 to 1, with tadpole steps, frog hops, and sets for both sides."""

GONE = "The board isn’t responding. This is its last position. Reconnecting…"

WON_IN_ONE = "E.../F.../..../.... l 2 10 6 0"
"""Position on the mini pond in which Light needs one more piece, and scores three with an egg on a2."""

SCORING = {"variant": "standard", "position": "e.TF/EfEe/ft.f/EFeE l 6 6 0 0"}
"""Position in which d4b4 makes three pieces change and scores two for each side."""

WINNING = {"variant": "mini", "position": ".f.f/TF../.Tef/ee.T l 0 0 6 4"}
"""Position in which a3a2 wins for Light, 8 to 5."""

LARGE = "t.t../.e.eF/fT.TF/..T../.Ee.. l 0 0 9 9"
"""Position two turns before the end of tests/games/big-15-draw.pond."""

VALUES = [0, 0.2, -0.1, 0.4, 0.1, 0.3, -1.2, 1.4, 1.3, 0.2, 0.5, -0.6, -0.9, -0.8, -1.1, -0.4]
FAULTS = {7: "slip", 8: "mistake", 16: "blunder"}
"""Faults in the review of GAME that the pictures show. The result of a real review depends on the machine's speed."""

TROUBLE = {"trouble": ("lamps.lost", {"text": "spidev0.0"}), "unsaved": ("saving.disk_full", {})}
"""Faults of the board and of its disk."""

KEEP_NOTICES = """
const soon = globalThis.setTimeout;
globalThis.setTimeout = (act, ms, ...more) => soon(act, ms === 3000 || ms === 8000 ? 2 ** 30 : ms, ...more);
"""
"""Script that keeps notices on the screen that would disappear after 3 s or 8 s."""

SETTLE_SECONDS = 0.4
"""Seconds before a change of the sensors counts."""

SET_SIGN = """() => {
  const set = () => {
    for (const place of document.querySelectorAll("#message span, #asking-sign")) {
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
    """A player who goes from screen to screen.

    Args:
        serve_table: serves a board with a page.
        open_phone: opens the page of a table on a phone.
        folder: folder for files of the table.

    Attributes:
        page: the page that shows the screen.
        place: element to scroll to the top; None for the beginning of the page.
        opener: button that draws the open dialog again, in another language; None if that is not necessary.
        changes_by_type: functions that change messages to the page, by type.
    """

    def __init__(self, serve_table, open_phone, folder):
        self.serve_table, self.open_phone, self.folder = serve_table, open_phone, folder
        self.place, self.opener, self.changes_by_type = None, None, {}

    def start(self, *board, **how):
        """Open the page of a new table on Ann's phone."""
        self.table = self.serve_table(*board, **how)
        self.ann = self.add_player()
        self.page = self.ann.page

    def add_player(self, **how):
        """Open the page on another phone."""
        options = {
            "may_lose_server": True,
            "timezone_id": "UTC",
            "script": KEEP_NOTICES,
            "change_message": self.change_message,
        }
        return Player(self.open_phone(self.table, PHONE, **options | how), self.table)

    def change_message(self, text):
        message = json.loads(text)
        change = self.changes_by_type.get(message["type"])
        return json.dumps(change(message)) if change else text

    def play(self, *actions):
        """Play turns for both sides through the socket."""
        with self.table.connect() as program:
            for action in actions:
                program.send({"command": "action", "action": action})

    def send(self, **line):
        """Send a line to the board through the socket."""
        with self.table.connect() as program:
            program.send(line)

    def open_dialog(self, name):
        """Open a dialog by its button."""
        self.ann.press(name)
        expect(self.dialog).to_be_visible()

    def open_first_game(self):
        """Open the oldest game in the list."""
        self.ann.touch(self.page.locator("#game-list").get_by_role("button").last)
        expect(self.dialog).to_be_hidden()
        self.ann.expect_headline("Game 1")

    def request_review(self):
        """Request a review of the open game. Its button disappears when the review is complete."""
        self.page.locator("#past-review").dispatch_event("click")

    def close_dialog(self):
        self.opener = None
        self.dialog.get_by_role("button", name=re.compile("^(Close|Cancel)$")).tap()
        expect(self.dialog).to_be_hidden()

    def fix_sign(self):
        """Replace the random sign of all later requests, so that pictures are reproducible."""
        self.ann.expect_text("It shows ")
        self.page.evaluate(SET_SIGN)

    @property
    def dialog(self):
        return self.page.get_by_role("dialog")

    def hide_notice(self):
        self.page.locator("#hide-notice").dispatch_event("click")  # it may be hidden already
        expect(self.page.locator("#notices")).to_be_hidden()


def first_evening(walk):
    """Walk from the first screen to a board without power."""
    walk.start("--variant", "mini", "--journal", walk.folder / "games")
    ann = walk.ann
    ann.expect_text("No turns yet.")
    yield "first"
    walk.open_dialog("How to play")
    walk.opener = "#open-rules"
    yield "rules"
    walk.place = "#rules-text .key"
    yield "rules-end"
    walk.place = None
    walk.close_dialog()
    walk.open_dialog("Settings")
    yield "settings"
    walk.close_dialog()

    ann.press(SEATS["both"])
    ann.expect_text("0 of 4 pressed")
    press_half(walk.table)
    ann.expect_text("2 of 4 pressed")
    walk.fix_sign()
    yield "asking"
    press_lit_cells(walk.table)
    expect(walk.page.locator("#granted")).not_to_be_empty()
    yield "seated"
    walk.hide_notice()

    walk.play(*GAME[:12])
    ann.expect_turn(12)
    ann.touch(ann.cell("a2"))
    ann.expect_cell("a4", "empty, the chosen piece can go here")
    yield "chosen"
    ann.touch(ann.cell("a4"))
    ann.expect_turn(13)
    ann.touch(ann.cell("d3"))
    expect(walk.page.get_by_role("alert")).not_to_be_empty()
    yield "refused"
    walk.hide_notice()
    ann.press("One turn back")
    ann.expect_text("An old position")
    yield "old"
    ann.press("Back to now")
    ann.press("What if")
    ann.expect_text("What if is on.")
    yield "trying"
    ann.touch(ann.cell("b3"))
    ann.expect_text("What if: ")
    yield "what-if"
    ann.press("What if")

    ben = walk.add_player()
    ben.press(SEATS["light"])
    ann.expect_text("Another phone is asking.")
    walk.fix_sign()
    yield "board-asks"
    press_lit_cells(walk.table)
    expect(ann.button("Take away seat 2")).to_be_visible()
    walk.place = "#seats"
    yield "seats"
    walk.place = None
    ann.press("Resign")
    expect(walk.dialog).to_be_visible()
    walk.fix_sign()
    yield "confirm"
    walk.close_dialog()

    walk.play(*GAME[13:])
    ann.expect_headline("Dark wins")
    yield "over"
    walk.open_dialog("Settings")
    ann.press("Big, for a television")
    expect(walk.dialog).to_be_hidden()
    yield "big"
    ann.press("Normal size")
    walk.send(command="undo")
    ann.expect_headline("Light’s turn")

    walk.table.kill_board()
    ann.expect_text(GONE)
    yield "gone"
    walk.page.reload()
    ann.expect_headline("Waiting for the board")
    yield "waiting"
    walk.table.start_board()
    ann.expect_headline("An unfinished game")
    yield "unfinished"


def past_games(walk):
    """Walk through past games, the board's health, and the next game."""
    stored = JournalFolder(walk.folder / "games")
    stored.play(" ".join(GAME), "mini", light="Ann", dark="Ben")
    stored.play("@b2 @c3 @b3 resign", "mini", light="Ben", dark="Ann")
    stored.play("@b2 @b3 b2c2 draw", light="Grandmother Wilhelmina", dark="level-3")
    walk.start("--variant", "mini", "--journal", stored.folder, "--names", "Ann,Ben")
    ann = walk.ann.take_seat()
    walk.hide_notice()
    ann.press("Games")
    games = walk.page.locator("#game-list").get_by_role("button")
    expect(games).to_have_count(3)
    walk.opener = "#open-games"
    yield "games"
    walk.opener = None
    walk.open_first_game()
    yield "past"
    walk.changes_by_type["analysis"] = lambda message: message | {"turns": list(review_turns(9))}
    walk.request_review()
    ann.expect_text("9 of 17")
    yield "reviewing"
    walk.changes_by_type["analysis"] = lambda message: message | {"turns": list(review_turns(17))}
    ann.press("Games")
    walk.open_first_game()
    walk.request_review()
    ann.expect_text(re.compile("^Slips: "))
    ann.touch(walk.page.locator("#turns").get_by_role("button").nth(8))
    yield "reviewed"
    ann.press("Back to the board")

    walk.open_dialog("Settings")
    yield "settings-seated"
    ann.press("How the board is doing")
    ann.expect_text("All sensors are in use.")
    wait_for(lambda: "passed" in walk.page.inner_text("#doctor-say"), "what the doctor says")
    walk.page.evaluate(DOCTOR_SAYS)  # the findings depend on the machine
    walk.place = "#health-setting"
    yield "health"
    walk.place = None
    walk.close_dialog()
    walk.open_dialog("New game")
    walk.opener = "#do-new"
    yield "new-game"
    walk.opener = None
    walk.dialog.get_by_label("Who plays Dark?").select_option("Level 3")
    walk.dialog.get_by_label("Light’s name").fill("level-1")
    ann.press("Start the game")
    ann.expect_text("level-1 is the name of a program.")
    yield "new-game-taken"
    walk.close_dialog()
    walk.changes_by_type["state"] = keep_first_hint()
    walk.send(command="set_up", variant="mini", position=WON_IN_ONE)
    ann.press("Hint")
    ann.expect_cell("a2", "empty, you can place an egg here, hint")
    yield "hint"
    walk.changes_by_type.pop("state")
    walk.send(command="set_up", variant="mini", position=WON_IN_ONE)
    ann.expect_cell("a2", "empty, you can place an egg here$")
    walk.changes_by_type["exercises"] = without_puzzles
    walk.open_dialog("New game")
    ann.press("Lessons and puzzles")
    lesson = walk.dialog.get_by_role("button", name="Pieces grow")
    lesson.wait_for()
    walk.opener = "#open-exercises"
    yield "exercises"
    walk.opener = None
    ann.touch(lesson)
    ann.expect_text("Step 1 of ")
    yield "exercise"


def pieces(walk):
    """Walk on a board with pieces, without spectators, and with faults."""
    profile = walk.folder / "pieces.toml"
    text = (BOARDS_FOLDER / "simulated-4x4.toml").read_text(encoding="utf-8")
    profile.write_text(text.replace('kind = "button"', 'kind = "hall"'), encoding="utf-8")
    walk.start("--board", profile, page=())
    ann = walk.ann
    ann.expect_headline("Take a seat to see the game")
    yield "no-watching"
    ann.press(SEATS["both"])
    ann.expect_text("0 of 4 pressed")
    with walk.table.connect() as hand:
        sleep(UNSEEN_SECONDS)
        while asked := hand.send({"ask": "state"}).get("asks"):
            put(hand, "drop", asked["cell"])
            put(hand, "take", asked["cell"])
        ann.expect_text("You are playing for: both sides")
        walk.hide_notice()
        for number, cell in enumerate(("b2", "d3", "b4", "d1"), 1):
            put(hand, "drop", cell)
            ann.expect_turn(number)
        for cell in ("b2", "d3"):
            put(hand, "take", cell)
        ann.expect_text("The board and the game don't match.")
        yield "differs"
        for cell in ("b4", "d1"):
            put(hand, "take", cell)
    ann.expect_headline("A new game")
    yield "menu"
    texts = {field: get_catalogue().text(Message(key, **gaps)) for field, (key, gaps) in TROUBLE.items()}
    walk.changes_by_type["state"] = lambda message: message | texts
    walk.send(command="new")
    ann.expect_text(texts["trouble"])
    yield "trouble"


def large_board(walk):
    """Walk on a 5x5 board with a drawn game."""
    walk.start("--board", "simulated-5x5", "--names", "Grandmother Wilhelmina,Ben")
    ann = walk.ann.take_seat("light")
    walk.hide_notice()
    walk.send(command="set_up", variant="big-15", position=LARGE)
    ann.expect_headline("Your turn, Light")
    yield "large"
    walk.play("c2c3", "c5c4")
    ann.expect_headline("It’s a draw")
    yield "draw"


def moments(walk):
    """Walk through a typed turn, all details of a turn, a victory, a lesson, and a linked game."""
    walk.start("--names", "Ann,Grandmother Wilhelmina")
    ann = walk.ann.take_seat("light")
    walk.hide_notice()
    walk.open_dialog("Settings")
    ann.press("Show the thinking time")
    walk.close_dialog()
    ann.press("Type a turn")
    walk.place = "#open-typed"
    yield "typed"
    walk.place = None
    ann.press("Type a turn")
    walk.open_dialog("Settings")
    ann.press("Show the thinking time")
    walk.close_dialog()
    walk.send(command="set_up", **SCORING)
    walk.play("d4b4")
    ann.expect_headline("Dark’s turn")
    ann.press("More about this turn")
    yield "details"
    walk.send(command="set_up", **WINNING)
    walk.play("a3a2")
    expect(walk.page.locator("#end")).to_contain_text("You win!")
    yield "won"
    walk.send(command="exercise", course="lessons", name="place")
    ann.expect_cell("b2", "empty, .*hint")
    ann.play("@b2")
    ann.expect_text("Step 2 of 2")
    ann.play("@c3")
    ann.button("Next: Pieces grow").wait_for()
    yield "lesson-done"
    walk.send(command="exercise", choice="leave")
    home = FarHome(walk.table.path)
    home.send(follow(0, "@b2", "@c3"), STATUS | {"seen": int(time()), "requests": [{"undo": 1}]})
    ann.expect_text("Ada")
    yield "linked"
    home.leave()


DOCTOR_SAYS = """() => {
  document.querySelector("#doctor-say").textContent = "No faults. No warnings.";
  document.querySelector("#doctor-list").textContent = "";
}"""

WALKS = (first_evening, past_games, pieces, large_board, moments)


def press_half(table):
    """Press two of the four lit cells."""
    with table.connect() as hand:
        asked = wait_for(lambda: hand.send({"ask": "state"}).get("asks"), "the cell that lights up")
        sleep(UNSEEN_SECONDS)
        for _ in range(2):
            asked = hand.send({"touch": asked["cell"]})["asks"]


def keep_first_hint():
    """Return a function that repeats the first state with a hint, because the board ends a hint after 15 s."""
    stored = []

    def change_message(state):
        if (state.get("hint") or {}).get("action") and not stored:
            stored.append(state)
        return stored[0] if stored else state

    return change_message


def without_puzzles(message):
    """Remove the puzzles from a list of exercises, because they change every day."""
    return message | {"courses": {"lessons": message["courses"]["lessons"]}}


def put(hand, action, cell):
    """Put down or take a piece, and wait for the sensors."""
    hand.send({action: cell})
    sleep(SETTLE_SECONDS)


def review_turns(count):
    """Yield the review of the first turns of GAME."""
    for turn, value in enumerate([*VALUES, None][:count], 1):
        wins = None if value is not None else {"side": "dark", "actions": 0}
        fault = FAULTS.get(turn - 1)
        message = (
            f"With an egg on c2, Dark would have stayed {abs(VALUES[turn - 2]):.1f} pieces ahead." if fault else ""
        )
        yield {"turn": turn, "value": value, "wins": wins, "fault": fault, "message": message}


NEXT_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def resize(page, size):
    """Set the size of the window, and stop all animations."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(NEXT_FRAME)  # by then the page has its resize event
    freeze_page(page)


CHOOSE = """(field, language) => {
  field.value = language;
  field.dispatchEvent(new Event("change"));
}"""


LISTS_ARE_COMPLETE = """() =>
  [...document.querySelectorAll("#games-say, #exercises-say")].every((each) => !each.textContent)"""


def choose_language(page, language, opener=None):
    """Choose a language, and wait until the page is in that language. Draw the open dialog again with its opener."""
    if page.locator("html").get_attribute("lang") == language:
        return
    page.locator("#language").evaluate(CHOOSE, language)
    page.wait_for_function("(language) => document.documentElement.lang === language", arg=language)
    page.wait_for_timeout(1000 / REQUESTS_PER_SECOND)
    if opener:
        page.locator(opener).dispatch_event("click")
        page.wait_for_timeout(1000 / REQUESTS_PER_SECOND)
        page.wait_for_function(LISTS_ARE_COMPLETE)
