"""Shown turns are kept after a reload, a crash, or a kill of the browser; and updates of the built page."""

import os
import signal
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import pytest

from tests.conftest import require

require("playwright", "it drives the browser")
require("chromium", "it plays the games")

from playwright.sync_api import Error, expect  # noqa: E402

from pond_hw.rules import parse_record  # noqa: E402
from tests.browser.bundle import KeptPhone, Visitor, change_build, find_version_folder  # noqa: E402
from tests.web.browser import Phone  # noqa: E402

FILL_STORAGE = """
let isFull = false;
new BroadcastChannel("storage").onmessage = ({ data }) => { isFull = data === "full"; };
const put = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (...entry) {
  if (isFull) throw new DOMException("no room", "QuotaExceededError");
  return put.apply(this, entry);
};
"""
"""Script of a worker whose storage can be full."""

NOT_STORED = "Not saved: the browser refuses to store your games"


@pytest.fixture
def phone(browser, site):
    with closing(Phone(browser, site.address)) as opened:
        yield opened


def press_randomly(visitor, rng, seconds):
    """Press cells until the time is over. The last press is not awaited."""
    visitor.page.evaluate(
        """([milliseconds, seed]) => {
          const end = performance.now() + milliseconds;
          const press = () => {
            const cells = [...document.querySelectorAll("#board .can")];
            const cell = cells[(seed = (seed * 16807) % 2147483647) % cells.length];
            cell?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
            if (performance.now() < end) setTimeout(press, 5);
          };
          press();
        }""",
        [1000 * seconds, rng.randrange(1, 2**31)],
    )
    visitor.page.wait_for_timeout(1000 * seconds * rng.random())


def end_abruptly(visitor, how):
    """End the visitor's page while it is busy, and open it again. Return the visitor of the new page, and the turns shown."""
    if how == "reload":
        visitor.reload()
        return visitor, visitor.turns_before
    if how == "crash":
        visitor.crash()
    visitor.page.close()
    return Visitor(visitor.phone, visitor.phone.add_page()).open(), visitor.turns


def read_newest_game(visitor, folder):
    """Read the newest saved game from a file that the page saves, and return to the game."""
    visitor.press("Games")
    visitor.touch(visitor.page.locator("#game-list").get_by_role("button").first)
    with visitor.page.expect_download() as download:
        visitor.press("Save as file")
    download.value.save_as(folder / "newest.pond")
    visitor.touch(visitor.page.locator("#old-now"))
    return parse_record((folder / "newest.pond").read_text("utf-8"))


def list_kept(visitor, folder):
    """List the action and position of each turn of the current game, or of a finished game before it."""
    if visitor.turns:
        return [(turn["action"], turn["position"]) for turn in visitor.turns]
    newest = read_newest_game(visitor, folder)
    assert newest.outcome, "only a finished game is not continued"
    return [(str(turn.action), turn.after.notation_line) for turn in newest.turns]


@pytest.mark.parametrize(
    ("seed", "ends"), [pytest.param(1, 6, marks=pytest.mark.slow), pytest.param(2, 90, marks=pytest.mark.long)]
)
def test_shown_turns_are_kept_whenever_the_page_ends(phone, seed, ends, tmp_path):
    rng = Random(seed)
    ann = Visitor(phone).open().start_game("standard")
    for number in range(ends):
        press_randomly(ann, rng, 0.6)
        how = ("reload", "crash", "close")[number % 3]
        ann, shown = end_abruptly(ann, how)
        assert ann.state["turn"] == len(ann.turns)
        if shown:
            expected = [(turn["action"], turn["position"]) for turn in shown]
            assert list_kept(ann, tmp_path)[: len(shown)] == expected, how
        if not ann.turns:
            ann.start_game("standard")


@pytest.mark.slow
def test_shown_turns_are_kept_when_the_browser_is_killed(browser, site, tmp_path):
    shown = []
    for kills in range(3):
        phone = KeptPhone(browser.browser_type, site.address, tmp_path / "profile")
        ann = Visitor(phone).open()
        assert ann.turns[: len(shown)] == shown
        if not kills:
            ann.start_game("standard")
        press_randomly(ann, Random(kills), 0.5)
        kill_browser(tmp_path / "profile")
        with suppress(Error):
            phone.context.close()
        shown = ann.turns
        assert shown


def kill_browser(profile):
    """Kill all processes of the browser that uses this profile."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(f"--user-data-dir={profile}") in command:
            os.kill(int(entry.name), signal.SIGKILL)


@pytest.mark.slow
def test_page_works_offline_after_the_first_visit(phone, site):
    ann = Visitor(phone).open()
    ann.wait_for(lambda: ann.page.evaluate("navigator.serviceWorker.ready.then(() => true)"))
    ann.page.close()
    site.stop()
    phone.context.set_offline(True)
    ben = Visitor(phone, phone.add_page()).open().start_game("mini", dark="level-1")
    ben.play_on(Random(1).choice, turns=3)
    assert len(ben.turns) >= 3
    ben.page.get_by_role("link", name="About Pond").click()
    expect(ben.page.get_by_role("heading", name="About Pond")).to_be_visible()


@pytest.mark.slow
def test_game_goes_on_while_the_storage_is_full(browser, site, tmp_path):
    change_build(site.folder, tmp_path / "site", game_worker=FILL_STORAGE)
    site.replace(tmp_path / "site")
    with closing(Phone(browser, site.address)) as phone:
        ann = Visitor(phone).open().start_game("mini")
        ann.page.evaluate("new BroadcastChannel('storage').postMessage('full')")
        ann.play("@b2")
        ann.expect_text(NOT_STORED)
        ann.play("@b3")
        ann.wait_for(lambda: len(ann.turns) == 2)
        ann.page.evaluate("new BroadcastChannel('storage').postMessage('free')")
        ann.play("b2c2")
        ann.wait_for(lambda: len(ann.turns) == 3)
        ann.expect_no_text(NOT_STORED)
        ann.reload()
        assert ann.actions == ["@b2", "@b3", "b2c2"]


@pytest.mark.slow
def test_new_build_is_used_after_the_old_pages_are_closed(phone, site, tmp_path):
    ann = Visitor(phone).open().start_game("mini")
    ann.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    change_build(site.folder, tmp_path / "site", thinker="// another build")
    old, new = (find_version_folder(folder).name for folder in (site.folder, tmp_path / "site"))
    site.replace(tmp_path / "site")
    assert new != old
    requests = []
    ann.page.on("request", lambda request: requests.append(request.url))
    ann.reload()
    ann.wait_for(
        lambda: ann.page.evaluate("navigator.serviceWorker.getRegistration().then((each) => Boolean(each.waiting))")
    )
    ann.reload()
    ann.play("@b2")
    ann.wait_for(lambda: len(ann.turns) == 1)
    assert not any(f"/{new}/" in url for url in requests)
    ann.page.close()
    for _ in range(5):  # the browser needs a moment to notice that the old page is closed
        requests.clear()
        ben = Visitor(phone, phone.add_page())
        ben.page.on("request", lambda request: requests.append(request.url))
        ben.open()
        if any(f"/{new}/" in url for url in requests):
            break
        ben.page.close()
    assert ben.actions == ["@b2"]
    assert any(f"/{new}/" in url for url in requests)
    assert not any(f"/{old}/" in url for url in requests)
