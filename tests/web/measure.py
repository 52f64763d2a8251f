"""Measure the phone page and print the results. It asserts nothing, because machines differ.

    .venv/bin/python -m tests.web.measure                  # all parts, about three minutes
    .venv/bin/python -m tests.web.measure weight latency   # only these

The parts are: weight, first, frames, rest, latency, lighthouse. Other load on this machine slows the page down, so each
line shows the median, the shortest and the longest of several times.

`lighthouse` needs Chrome's tool of that name, from npm: version 12 for Node 20, version 13 from Node 22.19 on.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from time import monotonic, sleep

from tests.web.browser import LOCALHOST, OPTIONS, PHONE, Phone, open_browser
from tests.web.served_page import ServedPage

NETWORKS = {  # typical for phones: round trip in milliseconds, bytes a second
    "slow 4G": (150, 1_600_000 // 8),
    "4G": (60, 9_000_000 // 8),
}
CPU_SLOWDOWN = 4
"""Factor by which a cheap phone's processor is slower than this machine's."""

GAME = ["@b2", "@c3", "@b3", "@c2", "@a1", "@d4", "@b1"]
"""A game in which many pieces develop and sets score."""

WATCH_FOR_BOARD = """
globalThis.firstPaint = new Promise((tell) => {
  const watch = (list) => list.getEntriesByName("first-contentful-paint").forEach((paint) => tell(paint.startTime));
  new PerformanceObserver(watch).observe({ type: "paint", buffered: true });
});
const drawn = (parts, count) => new Promise((tell) => {
  const look = (now) => {
    const board = document.querySelector("#board, [role=grid]");
    const seen = document.querySelectorAll(parts).length >= count && board.getBoundingClientRect().width > 100;
    if (!seen) requestAnimationFrame(look);
    else setTimeout((after = performance.now()) => firstPaint.then((paint) => tell(paint >= now ? paint : after)));
  };
  requestAnimationFrame(look);
});
globalThis.boardSeen = drawn("[role=gridcell]", 9);
globalThis.piecesSeen = drawn("[role=gridcell] .piece", PIECES);
"""
"""Script with promises that resolve when the page first shows the board, and when it first shows pieces."""

COUNT_FRAMES = """(milliseconds) => new Promise((tell) => {
  const times = [];
  const begun = performance.now();
  const count = (now) => {
    times.push(now);
    if (performance.now() - begun < milliseconds) requestAnimationFrame(count);
    else tell(times);
  };
  requestAnimationFrame(count);
})"""


def print_result(what, value):
    print(f"  {what:<52} {value}", flush=True)


@contextmanager
def open_table(*board, **how):
    with tempfile.TemporaryDirectory(prefix="pond") as folder:
        table = ServedPage(Path(folder), *board, **how)
        try:
            yield table
        finally:
            table.close()


def weigh():
    """Print the size of the page, uncompressed and compressed."""
    from pond_hw.messages.catalogue import LANGUAGES
    from pond_hw.web.page_files import PageHtml, list_page_files

    html = PageHtml()
    contents = {f"/ in {LANGUAGES[each]}, no game": html.format(each, [], compress=False) for each in LANGUAGES}
    contents |= {path.decode(): file.content for path, file in sorted(list_page_files().items())}
    for path, content in contents.items():
        print_result(path, f"{len(content):7} bytes, {len(gzip.compress(content, 9)):6} compressed")


def slow_down(phone, network=None):
    debugger = phone.context.new_cdp_session(phone.page)
    debugger.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    if network:
        latency, throughput = network
        debugger.send("Network.enable")
        debugger.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": latency,
                "downloadThroughput": throughput,
                "uploadThroughput": throughput // 2,
            },
        )


def time_first_board():
    """Time when the board and the pieces of a game first appear, with a slow phone and network."""
    with open_table() as table, open_browser() as browser:
        with table.connect() as hand:
            for action in GAME:
                hand.send({"command": "action", "action": action})
            sleep(1)  # states may come after the answer on a busy machine
            position = hand.send({"ask": "state"})["position"]
        pieces = sum(sign in "etfETF" for sign in position.split()[0])
        for name, network in NETWORKS.items():
            times = {"boardSeen": [], "piecesSeen": []}
            bare = []
            for _ in range(9):
                phone = Phone(browser, table.address, reduced_motion="no-preference")
                phone.context.add_init_script(WATCH_FOR_BOARD.replace("PIECES", str(pieces)))
                slow_down(phone, network)
                phone.open()
                for seen, so_far in times.items():
                    so_far.append(phone.page.evaluate(f"globalThis.{seen}") / 1000)
                bytes_sent = phone.page.evaluate(
                    """performance.getEntries().reduce((sum, each) => sum + (each.transferSize || 0), 0)"""
                )
                phone.page.goto("data:text/html,Pond")
                bare.append(phone.page.evaluate("globalThis.firstPaint") / 1000)
                phone.close()
            print_result(f"first board on {name}, {CPU_SLOWDOWN} times slower", _spread(times["boardSeen"]))
            print_result(f"all {pieces} pieces of the game on it", _spread(times["piecesSeen"]))
            print_result("for comparison: one word, from no network at all", _spread(bare))
        print_result("sent for it", f"{bytes_sent} bytes")
        print_result(
            "programs that wanted a processor, this one included", f"{os.getloadavg()[0]:.1f}, for {os.cpu_count()}"
        )


def count_frames():
    """Measure the frame rate of a slow phone while turns are played."""
    with open_table() as table, open_browser() as browser, table.connect() as hand:
        for motion in ("no-preference", "reduce"):
            phone = Phone(browser, table.address, PHONE, reduced_motion=motion).open()
            phone.page.wait_for_selector("#board .cell, [role=gridcell]")
            slow_down(phone)
            times = []
            for action in GAME:
                hand.send({"command": "action", "action": action})
                times.append(phone.page.evaluate(COUNT_FRAMES, 700))
            gaps = sorted(later - earlier for each in times for earlier, later in pairwise(each))
            rate = 1000 * len(gaps) / sum(gaps)
            name = {"no-preference": "with motion", "reduce": "without motion"}[motion]
            print_result(
                f"frames a second, {name}, {CPU_SLOWDOWN} times slower",
                f"{rate:.0f} (longest: {gaps[-1]:.0f} ms)",
            )
            phone.close()
            hand.send({"command": "new"})
            hand.send({"command": "new"})


def _used(pid):
    """Return the processor time in seconds and the memory in bytes that a process uses."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    memory = [line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()]
    shares = {line[0]: 1024 * int(line[1]) for line in memory if line[0] in ("Rss:", "Pss:")}
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), shares["Rss:"]


@contextmanager
def spectators(table, count):
    """Open the page for many spectators with different addresses. Yield a function that returns their new messages."""
    from websockets.sync.client import connect

    with ExitStack() as stack:
        watching = []
        for number in range(count):
            source = f"127.0.{1 + number // 5}.{1 + number % 5}"
            opened = socket.create_connection((LOCALHOST, table.port), source_address=(source, 0))
            origin = table.address.rstrip("/")
            watching.append(
                stack.enter_context(connect(f"ws://{LOCALHOST}:{table.port}/live", sock=opened, origin=origin))
            )
        sleep(1)
        yield watching


def rest(seconds=20):
    """Measure the processor time and memory of both processes while they are idle."""
    with open_table() as table:
        sleep(3)
        for count in (0, 8):
            with spectators(table, count):
                for name, process in (("pond web", table.page), ("pond serve", table.board)):
                    before, _ = _used(process.pid)
                    sleep(seconds / 2)
                    after, memory = _used(process.pid)
                    share = 100 * (after - before) / (seconds / 2)
                    print_result(f"{name} at rest, {count} watch", f"{memory / 1e6:.0f} MB, {share:.2f} % of a core")


def latency(samples=12):
    """Time how long a press takes to reach the lamp on the board and the last phone, without and with fifty spectators."""
    with open_table() as table:
        for count in (0, 50):
            with spectators(table, count) as watching, table.connect() as hand:
                lamps, phones = [], []
                for _ in range(samples):
                    sleep(2)  # the lamps settle, and the rate limit recovers
                    for each in watching:
                        _drain(each)
                    dark = hand.send({"ask": "state"}) and hand.frame["cells"]["b2"]
                    begun = monotonic()
                    hand.send({"press": "b2"})
                    while hand.frame["cells"]["b2"] == dark:
                        sleep(0.003)
                        hand.send({"ask": "frame"})
                    lamps.append(monotonic() - begun)
                    if watching:
                        for each in watching:
                            while "@b2" not in each.recv(timeout=5):
                                pass
                        phones.append(monotonic() - begun)
                    hand.send({"release": "b2"})
                    hand.send({"command": "undo"})
                print_result(f"press to lamp, {count} watch", _spread(lamps))
                if phones:
                    print_result(f"press until the last of {count} has heard of it", _spread(phones))


def _drain(watching):
    try:
        while True:
            watching.recv(timeout=0)
    except TimeoutError:
        pass


def _spread(seconds):
    shortest, middle, longest = (1000 * each(seconds) for each in (min, statistics.median, max))
    return f"{middle:.0f} ms ({shortest:.0f} to {longest:.0f})"


def run_lighthouse():
    """Print Lighthouse's scores out of 100, and what it deducted points for."""
    programs = {name: shutil.which(name) for name in ("lighthouse", "chromium")}
    if missing := [name for name, path in programs.items() if path is None]:
        print_result("skipped", f"{' and '.join(missing)} can't be found")
        return
    flags = ["--headless", *(re.sub("=(.* .*)", r"=\"\1\"", option) for option in OPTIONS)]  # quoted if necessary
    with open_table() as table:
        table.press("b2", "c3")
        for form in ((), ("--preset=desktop",)):
            command = [programs["lighthouse"], table.address, *form, "--quiet", "--output=json"]
            command += [f"--chrome-flags={' '.join(flags)}", "--no-enable-error-reporting"]
            environment = os.environ | {"CHROME_PATH": programs["chromium"]}
            output = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
            report = json.loads(output)
            screen = "screen" if form else "phone, slow 4G, 4 times slower"
            for audit in ("first-contentful-paint", "largest-contentful-paint"):
                print_result(f"{report['audits'][audit]['title']}, {screen}", report["audits"][audit]["displayValue"])
            for category in report["categories"].values():
                print_result(f"{category['title']}, {screen}", f"{100 * category['score']:.0f}")
                for part in category["auditRefs"]:
                    audit = report["audits"][part["id"]]
                    if part["weight"] and audit["score"] is not None and audit["score"] < 1:
                        print_result(f"  {audit['title']}", audit.get("displayValue", ""))


PARTS = {
    "weight": weigh,
    "first": time_first_board,
    "frames": count_frames,
    "rest": rest,
    "latency": latency,
    "lighthouse": run_lighthouse,
}


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.web.measure", description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"measure only these: {', '.join(PARTS)}")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no {min(unknown)}; choose from {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        print(f"{name}: {PARTS[name].__doc__.strip()}", flush=True)
        PARTS[name]()


if __name__ == "__main__":
    main()
