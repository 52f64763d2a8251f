"""Visitors of the built page, with real browsers."""

import json
import shutil
import socket
from contextlib import contextmanager, suppress
from threading import Thread
from time import sleep

from playwright.sync_api import Error, expect

from tests.web.browser import LOCALHOST, OPTIONS, PATIENCE, Phone
from tests.web.browser_players import KeyboardPlayer, Player
from tools.browser import build

START_SECONDS = 60.0
"""Timeout in seconds for the start of Python."""

RECORD_SHOWN = """
const visit = Math.random();
const setItem = Storage.prototype.setItem;
Storage.prototype.setItem = function (key, text) {
  if (key === "pond-shown") globalThis.recordShown?.(visit, text);
  return setItem.call(this, key, text);
};
"""
"""Script that reports each message that the page shows."""


def change_build(folder, changed_folder, **additions):
    """Copy a built page with other workers, as another version.

    Args:
        folder: folder of the built page.
        changed_folder: folder of the other version.
        additions: text to put before the contents of a worker's script, by name without suffix.
    """
    shutil.copytree(folder, changed_folder)
    version_folder = find_version_folder(changed_folder)
    for name, text in additions.items():
        script = version_folder / f"{name}.js"
        script.write_text(f"{text}\n{script.read_text('utf-8')}", "utf-8")
    version_folder = version_folder.rename(changed_folder / build.hash_files(version_folder))
    (changed_folder / "index.html").write_text(build.format_page(version_folder), "utf-8")
    (changed_folder / "service_worker.js").unlink()
    (changed_folder / "service_worker.js").write_text(build.format_service_worker(changed_folder), "utf-8")


def find_version_folder(folder):
    (version_folder,) = {path.parent for path in folder.glob("*/game_worker.js")}
    return version_folder


@contextmanager
def count_foreign_connections():
    """Yield the address of a proxy and the list of the requests that it has received, which should stay empty.

    A browser uses the proxy for all other hosts, also for requests of workers, of service workers and of its own.
    """
    requests = []

    def listen(listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                requests.append(connection.recv(1000).partition(b"\r\n")[0].decode("latin-1"))

    with socket.create_server((LOCALHOST, 0)) as listener:
        Thread(target=listen, args=(listener,), daemon=True).start()
        try:
            yield f"{LOCALHOST}:{listener.getsockname()[1]}", requests
        finally:
            listener.shutdown(socket.SHUT_RDWR)


class KeptPhone(Phone):
    """A phone whose browser can be killed and started again.

    Args:
        browser_type: Playwright's type of browser.
        address: address of the page.
        folder: folder in which the browser keeps its files.
        how: more arguments of `Phone`.
    """

    def __init__(self, browser_type, address, folder, **how):
        self.folder = folder
        super().__init__(browser_type, address, **how)

    def make_context(self, browser_type, **options):
        program = shutil.which("chromium")
        return browser_type.launch_persistent_context(self.folder, executable_path=program, args=OPTIONS, **options)


class Visitor(Player):
    """A visitor of the page.

    Attributes:
        shown: latest message of each type that the page has received from its board since it was loaded.
        turns: turns that the page has shown since then.
        turns_before: turns that it had shown before it was loaded again.
    """

    def __init__(self, phone, page=None):
        super().__init__(phone, None)
        self.page = page or phone.page
        self.visit, self.shown, self.turns, self.turns_before = 0, {}, [], []
        self.page.add_init_script(RECORD_SHOWN)
        self.page.expose_function("recordShown", self._record)

    def _record(self, visit, text):
        if visit != self.visit:
            self.visit, self.turns, self.turns_before = visit, [], self.turns
        self.shown = json.loads(text)["messages"]
        turns = self.shown.get("turns")
        if turns and (not self.turns or self.turns[turns["from"] :] != turns["turns"]):
            self.turns[turns["from"] :] = turns["turns"]

    @property
    def state(self):
        return self.shown["state"]

    @property
    def actions(self):
        return [turn["action"] for turn in self.turns]

    @property
    def to_move(self):
        return "light" if self.state["position"].split()[1] == "l" else "dark"

    @property
    def is_own_turn(self):
        """True if a person is to move."""
        return bool(self.state["legal"]) and not (self.shown["hello"].get("players") or {}).get(self.to_move)

    def open(self):
        """Open the page, and wait until its board has started."""
        self.page.goto(self.phone.address)
        return self.wait_until_connected()

    def reload(self):
        """Load the page again, and wait until its board has started."""
        visit = self.visit
        self.page.reload()
        self.wait_for(lambda: self.visit != visit, "the board")
        return self.wait_until_connected()

    def wait_until_connected(self):
        expect(self.page.locator("#loading")).to_be_hidden(timeout=1000 * START_SECONDS)
        self.wait_for(lambda: self.shown.keys() >= {"hello", "you", "state", "turns"}, "the board")
        return self

    def wait_for(self, find, what="it", seconds=PATIENCE):
        """Call `find` until it returns something true, and handle the browser's events meanwhile. Return that."""
        for _ in range(round(seconds / 0.02)):
            if found := find():
                return found
            self.page.wait_for_timeout(20)
        raise AssertionError(f"{what} takes too long")

    def wait_for_turn(self):
        """Wait until a person is to move or the game is over."""
        self.wait_for(lambda: self.state["outcome"] or self.is_own_turn, "the other player")

    def play_on(self, choose, turns=200):
        """Play the turns of people until the game is over.

        Args:
            choose: function that returns one of the legal actions.
            turns: number of turns after which to stop.
        """
        for _ in range(turns):
            self.wait_for_turn()
            if self.state["outcome"]:
                return
            count, action = len(self.turns), choose(self.state["legal"])
            self.play(action)
            self.wait_for(lambda: len(self.turns) > count, f"the turn {action}")  # noqa: B023 - called at once

    def touch(self, thing):
        if self.phone.touch:
            thing.tap()
        else:
            thing.click()

    def drag(self, source, target):
        """Drag a piece with the finger or the mouse."""
        boxes = [self.cell(cell).bounding_box() for cell in (source, target)]
        (x, y), end = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes)
        if not self.phone.touch:
            self.page.mouse.move(x, y)
            self.page.mouse.down()
            self.page.mouse.move(*end, steps=8)
            self.page.mouse.up()
            return
        finger = self.page.context.new_cdp_session(self.page)
        for index in range(9):
            point = {"x": x + (end[0] - x) * index / 8, "y": y + (end[1] - y) * index / 8}
            kind = "touchMove" if index else "touchStart"
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def crash(self):
        """Kill the process that renders the page."""
        with suppress(Error):
            self.page.goto("chrome://crash", timeout=1000 * PATIENCE)
        sleep(0.1)

    def confirm(self, name):
        """Press a button, and again in the dialog that it opens."""
        self.press(name)
        self.touch(self.page.get_by_role("alertdialog").get_by_role("button", name=name, exact=True))

    def start_game(self, variant="mini", board="buttons", **players):
        """Start a game by the dialog. `players` are names of programs by side; the others are people."""
        self.press("New game")
        dialog = self.page.get_by_role("dialog")
        dialog.locator("#board-kind").select_option(board)
        for side in ("light", "dark"):
            dialog.locator(f"#{side}-player").select_option(players.get(side, ""))
        self.touch(dialog.locator(f"[data-pond={variant}]"))
        self.press("Start the game")
        self.wait_for(
            lambda: self.state["variant"] == variant and not self.state["turn"] and not self.turns, "the new game"
        )
        return self


class KeyboardVisitor(KeyboardPlayer, Visitor):
    """A visitor who uses only the keyboard."""
