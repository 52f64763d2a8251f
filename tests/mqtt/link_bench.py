"""Measure what a link costs its board, and print the results. It asserts nothing, because machines differ.

python -m tests.mqtt.link_bench --presses 200 --rest 60

Three boards take turns, so that other load on this machine slows all of them down: one without a link, one whose link is at
rest, and one whose other home sends a message every second. A press chooses a piece, and a cell lights up where it can go.
"""

import argparse
import json
import os
import shutil
import socket
import statistics
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from pond_hw.mqtt.stored_link import StoredLink
from tests.mqtt.processes import Board, Broker, Link, find_invitation, wait_until

BEGINNING = "@b2", "@b3"
PIECE, LIT_CELL = "b2", "a2"
"""Light's tadpole after the beginning, and a cell where it can go."""

TICKS = os.sysconf("SC_CLK_TCK")


class Hand:
    """A person who touches a board and watches its lamps."""

    def __init__(self, board):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(str(board.path))
        self.lines = self.socket.makefile()

    def send(self, line):
        self.socket.sendall(json.dumps(line).encode() + b"\n")

    def is_lit(self):
        self.send({"ask": "frame"})
        frame = next(line for line in map(json.loads, self.lines) if line["type"] == "frame")
        return any(blue for _, _, blue in frame["cells"][LIT_CELL])  # other empty cells have a dim orange

    def time_press(self):
        """Press a piece. Return the milliseconds until the lamps have changed."""
        before = self.is_lit()
        begun = time.perf_counter()
        self.send({"touch": PIECE})
        while self.is_lit() == before:
            assert time.perf_counter() < begun + 10, "the lamps don't change"
            time.sleep(0.0005)
        return 1000 * (time.perf_counter() - begun)


class Home:
    """A board in a game, with or without a link. `links` holds that of its board, if there is one."""

    def __init__(self, folder, last, broker=None):
        self.board, self.links, self.far = Board(make_folder(folder / "near")), [], None
        last.callback(self.board.stop)
        self.board.start()
        if broker:
            self._link(folder, last, broker)
        else:
            wait_until(self.board.ask_state, "board")
            self.play(self.board, 1, BEGINNING[0])
            self.play(self.board, 2, BEGINNING[1])
        self.hand = Hand(self.board)

    def _link(self, folder, last, broker):
        """Begin a linked game. Then stop the other home, whose game stays in its file."""
        near, far = self.board, Board(make_folder(folder / "far"))
        last.callback(far.stop)
        far.start()
        address = f"mqtt://127.0.0.1:{broker.port}"
        link = Link(near.folder, near, "invite", address, f"--variant={near.variant}")
        last.callback(link.stop)
        link.start()
        invitation = wait_until(lambda: find_invitation(near.folder / "link.log"), "invitation")
        far_link = Link(far.folder, far, "join", invitation)
        far_link.start()
        last.callback(far_link.stop)
        for board in (near, far):
            wait_until(lambda board=board: (board.ask_state() or {}).get("link", {}).get("game"), "linked game")
        self.play(near, 1, BEGINNING[0])
        wait_until(lambda: far.ask_state()["turn"] == 1, "turn at the other home")
        self.play(far, 2, BEGINNING[1])
        wait_until(lambda: near.ask_state()["turn"] == 2, "turn of the other home")
        time.sleep(1)
        far_link.stop()
        far.stop()
        self.links, self.far = [link], StoredLink(far.folder / "link").load().game

    @staticmethod
    def play(board, number, action):
        board.ask({"command": "action", "action": action})
        wait_until(lambda: board.ask_state()["turn"] == number, "turn")


def make_folder(folder):
    folder.mkdir(parents=True)
    return folder


@contextmanager
def sending_every_second(broker, game):
    """Send the other home's message every second, each with its own time."""
    client, ended = Client(CallbackAPIVersion.VERSION2), threading.Event()
    client.connect("127.0.0.1", broker.port)
    client.loop_start()

    def send():
        while not ended.wait(1):
            client.publish(game.topic, game.make_message(int(time.time())), qos=1, retain=True)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        ended.set()
        sender.join()
        client.disconnect()
        client.loop_stop()


def read_processor_seconds(process):
    fields = Path(f"/proc/{process.running.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def read_memory(process):
    """Return the proportional set size in MB."""
    lines = Path(f"/proc/{process.running.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def measure(presses, rest_seconds):
    with ExitStack() as last:
        folder = Path(tempfile.mkdtemp(prefix="pond-bench-"))
        last.callback(shutil.rmtree, folder, ignore_errors=True)
        broker = Broker(folder)
        last.callback(broker.stop)
        broker.start()
        broker.wait()
        homes = {
            "without a link": Home(folder / "alone", last),
            "link at rest": Home(folder / "rest", last, broker),
            "a message a second": Home(folder / "busy", last, broker),
        }
        last.enter_context(sending_every_second(broker, homes["a message a second"].far))
        print_latencies(homes, presses)
        print_rest(homes, rest_seconds)


def print_latencies(homes, presses):
    times = {name: [] for name in homes}
    for number in range(presses + 5):
        for name, home in homes.items():
            milliseconds = home.hand.time_press()
            if number >= 5:
                times[name].append(milliseconds)
            time.sleep(0.1)
    print(f"press to lamp, {presses} presses on each board in turn")
    for name, measured in times.items():
        ordered = sorted(measured)
        median, high = statistics.median(ordered), ordered[int(0.95 * len(ordered))]
        print(f"  {name:<20} median {median:6.1f} ms   p95 {high:6.1f} ms", flush=True)


def print_rest(homes, rest_seconds):
    processes = {}
    for name, home in homes.items():
        processes |= {f"pond serve, {name}": home.board}
        processes |= {f"pond link, {name}": link for link in home.links}
    time.sleep(5)
    before = {name: read_processor_seconds(process) for name, process in processes.items()}
    time.sleep(rest_seconds)
    print(f"at rest for {rest_seconds} s")
    for name, process in processes.items():
        used = (read_processor_seconds(process) - before[name]) * 60 / rest_seconds
        print(f"  {name:<32} {read_memory(process):6.1f} MB PSS   {used:6.2f} processor s/min", flush=True)


def main():
    """Run all parts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--presses", type=int, default=200)
    parser.add_argument("--rest", type=int, default=60)
    options = parser.parse_args()
    measure(options.presses, options.rest)


if __name__ == "__main__":
    main()
