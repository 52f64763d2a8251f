"""Measure the built page on this machine: `python -m tests.browser.budgets [FOLDER]`."""

import argparse
import json
import subprocess
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import monotonic

from tests.browser.built_page import serve
from tests.browser.bundle import START_SECONDS, Visitor
from tests.conftest import require
from tests.web.browser import Phone, open_browser
from tools.browser import build

STARTS, PRESSES = 5, 60

QUARTER = 25
"""Share of one processor core, in percent, for a slow machine."""

PRESS = """(cell) => new Promise((resolve) => {
  const group = document.querySelector(`[data-cell=${cell}]`);
  const begin = performance.now();
  new MutationObserver(() => resolve(performance.now() - begin)).observe(document.getElementById("turns"), { childList: true });
  group.dispatchEvent(new MouseEvent("click", { bubbles: true }));
})"""
"""Script that presses a cell, and returns the milliseconds until the turn is in the list of turns."""


def measure_start(visitor):
    """Open the page. Return the seconds until the board can be pressed, and until the page is connected."""
    visit, begin = visitor.visit, monotonic()
    visitor.page.goto(visitor.phone.address, wait_until="commit")
    visitor.cell("b2").wait_for()
    seen = monotonic() - begin
    visitor.wait_for(lambda: visitor.visit != visit, "the board", START_SECONDS)
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


def find_renderer(browser):
    """Return the number of the process that renders the page: the largest renderer."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    renderers = [process["id"] for process in processes if process["type"] == "renderer"]
    return max(renderers, key=lambda pid: read_megabytes(pid, "Rss"))


def read_megabytes(pid, kind):
    """Return the megabytes of a process, all (Rss) or with its share of common memory (Pss)."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    return int(text.partition(f"\n{kind}:")[2].split()[0]) * 1024 / 1e6


@contextmanager
def hold_process(pid):
    """Hold a process, with all its threads, to a quarter of a core."""
    require("cpulimit", "it slows the page down: sudo apt install cpulimit")
    with subprocess.Popen(["cpulimit", "-p", str(pid), "-l", str(QUARTER), "-z", "-q"]) as limiter:
        try:
            yield
        finally:
            limiter.terminate()


def print_starts(kind, starts):
    seen, connected = zip(*starts, strict=True)
    times = " ".join(f"{each:.2f}" for each in connected)
    print(f"{kind}: board after {median(seen):.2f} s, connected after {median(connected):.2f} s ({times})", flush=True)


def measure_first_start(browser, site):
    with closing(Phone(browser, site.address)) as phone:
        return measure_start(Visitor(phone))


def measure(folder):
    """Print all figures of the page in a folder."""
    command = ["node", build.HERE / "sizes.mjs", folder, "--json"]
    sizes = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(f"first visit: {sizes['brotli']:,} bytes with brotli, {sizes['gzip']:,} with gzip, {sizes['raw']:,} as it is")
    with serve(folder) as site, open_browser() as browser:
        print_starts("first visit", [measure_first_start(browser, site) for _ in range(STARTS)])
        with closing(Phone(browser, site.address)) as phone:
            measure_visitor(browser, Visitor(phone).open())


def measure_visitor(browser, visitor):
    """Print the figures of a page that was visited before."""
    visitor.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    print_starts("from cache", [measure_start(visitor) for _ in range(STARTS)])
    with hold_process(find_renderer(browser)):
        print_starts("from cache, at a quarter of a core", [measure_start(visitor) for _ in range(STARTS)])
    visitor.open()
    cuts = quantiles(measure_presses(visitor), n=20)
    print(f"press to turn: p50 {cuts[9]:.3f} s, p95 {cuts[18]:.3f} s")
    for level in range(1, 13):
        print(f"level {level}: slowest of 5 replies {measure_answer(visitor, level):.1f} s, with its pause", flush=True)
    renderer = find_renderer(browser)
    print(
        f"renderer: {read_megabytes(renderer, 'Rss'):.0f} MB, {read_megabytes(renderer, 'Pss'):.0f} MB without shared parts"
    )


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.browser.budgets", description=__doc__.splitlines()[0])
    parser.add_argument("site", nargs="?", type=Path, help="folder of the built page; without it, the page is built")
    options = parser.parse_args()
    if options.site:
        measure(options.site.resolve())
        return
    with TemporaryDirectory(prefix="pond") as folder:
        build.main(Path(folder, "site"))
        measure(Path(folder, "site"))


if __name__ == "__main__":
    main()
