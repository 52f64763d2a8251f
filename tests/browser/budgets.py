"""Measure the built page on this machine: `python -m tests.browser.budgets [FOLDER]`."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import monotonic

from tests.browser.built_page import serve
from tests.browser.bundle import Visitor
from tests.web.browser import Phone, open_browser
from tools.browser import build

PRESSES = 60

PRESS = """(cell) => new Promise((resolve) => {
  const group = document.querySelector(`[data-cell=${cell}]`);
  const begin = performance.now();
  new MutationObserver(() => resolve(performance.now() - begin)).observe(document.getElementById("turns"), { childList: true });
  group.dispatchEvent(new MouseEvent("click", { bubbles: true }));
})"""
"""Script that presses a cell, and returns the milliseconds until the turn is in the list of turns."""


def measure_start(visitor):
    """Open the page. Return the seconds until the board can be pressed, and until the page is connected."""
    begin = monotonic()
    visitor.page.goto(visitor.phone.address, wait_until="commit")
    visitor.cell("b2").wait_for()
    seen = monotonic() - begin
    visitor.wait_until_connected()
    return seen, monotonic() - begin


def measure_presses(visitor):
    """Return the seconds from a press to its turn, over some games of two people."""
    seconds, rng = [], Random(1)
    while len(seconds) < PRESSES:
        visitor.start_game("standard")
        for _ in range(15):
            eggs = [action[1:] for action in visitor.state["legal"] if action.startswith("@")]
            count = len(visitor.turns)
            seconds.append(visitor.page.evaluate(PRESS, rng.choice(eggs)) / 1000)
            visitor.wait_for(lambda: len(visitor.turns) > count)  # noqa: B023 - called at once
            if visitor.state["outcome"]:
                break
    return seconds


def measure_answer(visitor, level):
    """Return the longest time of an answer of a level, without the pause that a program makes before it plays."""
    visitor.start_game("standard", dark=f"level-{level}")
    seconds = []
    for _ in range(5):
        visitor.wait_for(lambda: visitor.is_own_turn, "the program", 60)
        count = len(visitor.turns)
        visitor.play(visitor.state["legal"][0])
        visitor.wait_for(lambda: len(visitor.turns) > count)  # noqa: B023 - called at once
        begin = monotonic()
        visitor.wait_for(lambda: visitor.is_own_turn or visitor.state["outcome"], "the program", 60)
        seconds.append(monotonic() - begin)
        if visitor.state["outcome"]:
            break
    return max(seconds)


def measure_memory(browser):
    """Return the megabytes of the browser's largest process that renders a page."""
    sizes = [0.0]
    for process in browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]:
        if process["type"] == "renderer":
            status = Path(f"/proc/{process['id']}/status").read_text("ascii")
            sizes.append(int(status.partition("VmRSS:")[2].split()[0]) / 1000)
    return max(sizes)


def measure(folder):
    """Print all figures of the page in a folder."""
    command = ["node", build.HERE / "sizes.mjs", folder, "--json"]
    sizes = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(f"first visit: {sizes['brotli']:,} bytes with brotli, {sizes['gzip']:,} with gzip, {sizes['raw']:,} as it is")
    with serve(folder) as site, open_browser() as browser, closing(Phone(browser, site.address)) as phone:
        visitor = Visitor(phone)
        print("first visit: board after {:.2f} s, connected after {:.2f} s".format(*measure_start(visitor)))
        visitor.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        for _ in range(3):
            visitor.page.close()
            visitor = Visitor(phone, phone.add_page())
            print("from cache: board after {:.2f} s, connected after {:.2f} s".format(*measure_start(visitor)))
        cuts = quantiles(measure_presses(visitor), n=20)
        print(f"press to turn: p50 {cuts[9]:.3f} s, p95 {cuts[18]:.3f} s")
        for level in range(1, 13):
            print(f"level {level}: slowest of 5 replies {measure_answer(visitor, level):.1f} s, with its pause")
        print(f"renderer: {measure_memory(browser):.0f} MB")


def main():
    if sys.argv[1:]:
        measure(Path(sys.argv[1]).resolve())
        return
    with TemporaryDirectory(prefix="pond") as folder:
        build.main(Path(folder, "site"))
        measure(Path(folder, "site"))


if __name__ == "__main__":
    main()
