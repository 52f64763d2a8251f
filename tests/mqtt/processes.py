"""Test two served boards, their link processes and a real broker. All are killed at random moments.

python -m tests.mqtt.processes --schedules 500 --seed 1

A schedule is a stretch of a game: some turns, requests and answers, during which one or two processes are killed. Afterwards
everything runs again, and both homes must agree. A broker may lose everything when it is killed.
"""

import argparse
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from pond_hw.drivers.run_files import starts_file
from pond_hw.journal.folder import read_all_games
from pond_hw.mqtt.stored_link import StoredLink

VARIANT = "3x3/6/3"
REST_SECONDS = 60.0
"""Maximum seconds until both homes agree."""


class Process:
    """A program that is started, killed and started again."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.running = None

    def list_command(self):
        raise NotImplementedError

    def start(self):
        with (self.folder / f"{self.name}.log").open("ab") as log:
            environment = os.environ | {"STATE_DIRECTORY": str(self.folder)}
            self.running = subprocess.Popen(self.list_command(), stdout=log, stderr=log, env=environment)

    def kill(self):
        self.running.send_signal(signal.SIGKILL)
        self.running.wait()

    def stop(self):
        if self.running:
            self.running.terminate()
            try:
                self.running.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()


class Broker(Process):
    """Mosquitto, with or without persistence."""

    def __init__(self, folder):
        super().__init__(folder, "broker")
        with socket.socket() as trying:
            trying.bind(("127.0.0.1", 0))
            self.port = trying.getsockname()[1]
        self.has_persistence = True
        (folder / "kept").mkdir()

    def list_command(self):
        lines = [f"listener {self.port} 127.0.0.1", "allow_anonymous true", "user root"]
        if self.has_persistence:
            lines += ["persistence true", f"persistence_location {self.folder / 'kept'}/", "autosave_on_changes true"]
            lines.append("autosave_interval 1")
        settings = self.folder / "mosquitto.conf"
        settings.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return [shutil.which("mosquitto"), "-c", str(settings)]

    def wait(self):
        until = time.monotonic() + 10
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.02)
        raise AssertionError("the broker does not start")


class Board(Process):
    """`pond serve` with a simulated board."""

    def __init__(self, folder, profile="simulated-4x4", variant=VARIANT):
        super().__init__(folder, "serve")
        self.path, self.profile, self.variant = folder / "pond.sock", profile, variant

    def list_command(self):
        options = [f"--socket={self.path}", f"--journal={self.folder / 'journal'}", f"--variant={self.variant}"]
        return [sys.executable, "-m", "pond_hw", "serve", f"--board={self.profile}", *options]

    def start(self):
        """Start the board, which would otherwise make a safe start after several kills, without a journal."""
        starts_file(self.path).unlink(missing_ok=True)
        super().start()

    def ask(self, *requests):
        """Send requests. Return all answers; nothing if the board isn't running."""
        answer = b""
        with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(str(self.path))
            connection.sendall(b"".join(json.dumps(request).encode() + b"\n" for request in requests))
            connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(1 << 16):
                answer += chunk
        with suppress(ValueError):  # killed in the middle of a line
            return [json.loads(line) for line in answer.splitlines()]
        return []

    def ask_state(self):
        states = [message for message in self.ask({"ask": "state"}) if message["type"] == "state"]
        return states[-1] if states else None

    def ask_record(self):
        records = [message["record"] for message in self.ask({"ask": "record"}) if message["type"] == "record"]
        return [line for line in records[-1].splitlines() if not line.startswith("[Date")] if records else None


class Link(Process):
    """`pond link`."""

    def __init__(self, folder, board, *first):
        super().__init__(folder, "link")
        self.board, self.first = board, first

    def list_command(self):
        task = ["run"] if (self.folder / "link" / "game").exists() else self.first
        return [sys.executable, "-m", "pond_hw", "link", *task, f"--socket={self.board.path}"]


class TwoHomes:
    """Two homes and a broker, and the people who play there at random."""

    def __init__(self, folder, rng):
        self.folder, self.rng, self.counts = folder, rng, Counter()
        self.broker = Broker(folder)
        folders = [folder / name for name in ("one", "two")]
        for each in folders:
            each.mkdir()
        self.boards = [Board(each) for each in folders]
        self.links = []
        self.acts = [Counter(), Counter()]
        self.played = Counter()

    def begin(self):
        """Start everything, and let the second home join."""
        self.broker.start()
        self.broker.wait()
        for board in self.boards:
            board.start()
        address = f"mqtt://127.0.0.1:{self.broker.port}"
        first, second = (board.folder for board in self.boards)
        self.links.append(Link(first, self.boards[0], "invite", address, f"--variant={VARIANT}"))
        self.links[0].start()
        invitation = wait_until(lambda: find_invitation(first / "link.log"), "invitation")
        self.links.append(Link(second, self.boards[1], "join", invitation))
        self.links[1].start()
        self.come_to_rest()

    def run_schedule(self):
        """Play for a while. Meanwhile kill something, and let it run again sooner or later."""
        down = []
        victims = [*self.boards, *self.links, self.broker]
        moments = sorted(self.rng.random() * 2 for _ in range(self.rng.choice([1, 1, 2])))
        begun, duration = time.monotonic(), 0.5 + self.rng.random() * 2
        while (elapsed := time.monotonic() - begun) < duration or moments:
            if moments and elapsed > moments[0]:
                moments.pop(0)
                victim = self.rng.choice([each for each in victims if each not in down])
                victim.kill()
                down.append(victim)
                self.counts[f"killed {victim.name}"] += 1
            if down and self.rng.random() < 0.1:
                self.restart(down.pop(0))
            self.do_something()
            time.sleep(self.rng.random() * 0.15)
        for victim in down:
            self.restart(victim)
        self.come_to_rest()
        self.counts["schedules"] += 1

    def restart(self, process):
        if process is self.broker:
            process.has_persistence = self.rng.random() < 0.5
            self.counts["broker kept its messages" if process.has_persistence else "broker lost its messages"] += 1
        process.start()

    def do_something(self):
        """Let a person touch a board, ask for something, or answer."""
        number = self.rng.randrange(2)
        board = self.boards[number]
        state = board.ask_state()
        link = state and state.get("link")
        if not link or not link.get("game"):
            return
        if link.get("question"):
            raise AssertionError("two versions of the game")
        if link["requests"] and self.rng.random() < 0.5:
            accept = self.rng.random() < 0.7
            board.ask({"command": "answer", "request": link["requests"][0], "accept": accept})
            self.counts["answers"] += 1
        elif state["outcome"]:
            if not link["asked"]:
                board.ask({"command": "new"})
                self.counts["new games asked"] += 1
        elif self.rng.random() < 0.05:
            board.ask({"command": self.rng.choice(["undo", "undo", "undo", "draw", "new", "resign"])})
            self.counts["requests"] += 1
        elif link["side"] == state["to_move"] and state["legal"]:
            self.act(number, state, self.rng.choice(state["legal"]))

    def act(self, number, before, action):
        """Take a turn, and remember where. Meanwhile a turn may have been taken back, or a new game begun."""
        answers = self.boards[number].ask({"command": "action", "action": action}, {"ask": "state"})
        places = {(before["link"]["game"], before["turn"])}
        places |= {(each["link"]["game"], each["turn"] - 1) for each in answers if each.get("link")}
        for game, turn_count in places:
            self.acts[number][game, turn_count, action] += 1
        self.counts["turns by hand"] += 1

    def come_to_rest(self):
        """Wait until both boards show the same game, and check it."""
        wait_until(self.do_boards_agree, "rest", REST_SECONDS, self.describe)
        logs = wait_until(self.load_equal_logs, "equal logs", REST_SECONDS, self.describe)
        self.check_hands(logs[0])

    def do_boards_agree(self):
        states = [board.ask_state() for board in self.boards]
        if not all(state and state.get("link") and state["link"].get("game") for state in states):
            return False
        one, other = states
        is_running = all(state["link"]["running"] and state["link"]["online"] for state in states)
        fields = ("variant", "position", "turn", "outcome")
        is_equal = all(one[field] == other[field] for field in fields)
        return is_running and is_equal and one["link"]["game"] == other["link"]["game"]

    def load_equal_logs(self):
        logs = [StoredLink(board.folder / "link").load().game.log for board in self.boards]
        records = [board.ask_record() for board in self.boards]
        turns = [str(turn.action) for turn in logs[0].game.turns] if logs[0] else []
        is_followed = records[0] and all(action in " ".join(records[0]) for action in turns)
        is_equal = logs[0] and logs[1] and logs[0].hash == logs[1].hash and records[0] == records[1]
        return logs if is_equal and is_followed else None

    def check_hands(self, log):
        """Check that a person made each turn at least as often as it is in the log."""
        played = Counter()
        for entry in log.list_entries():
            if action := entry.body.get("act"):
                game = entry.game_id.hex()[:16]
                played[entry.author, game, len(entry.before.game.turns), action] += 1
        for (author, *turn), count in played.items():
            assert self.acts[author][tuple(turn)] >= count, "a turn without its hand"
        self.counts["turns in the log"] = sum(played.values())

    def check_journals(self):
        """Check that both homes have saved the game of the log. Call this after `stop`."""
        log = StoredLink(self.boards[0].folder / "link").load().game.log
        for board in self.boards:
            saved = [each for each in read_all_games(board.folder / "journal")[0] if each.facts.get("link")]
            last = [each for each in saved if each.facts["link"]["game"] == log.game_id.hex()[:16]][-1].projection
            assert (last.turns, last.outcome) == (log.game.turns, log.game.outcome), "a journal differs"

    def describe(self):
        lines = [f"{board.folder.name}: {board.ask_state()}" for board in self.boards]
        for path in sorted(self.folder.rglob("*.log")):
            lines += [f"--- {path}", *path.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]]
        return "\n".join(lines)

    def stop(self):
        for process in [*self.links, *self.boards, self.broker]:
            process.stop()


def find_invitation(path):
    found = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("pond-join:")]
    return found[0] if found else None


def wait_until(find, what, seconds=30.0, describe=lambda: ""):
    until = time.monotonic() + seconds
    while not (found := find()):
        assert time.monotonic() < until, f"no {what} after {seconds:.0f} s\n{describe()}"
        time.sleep(0.1)
    return found


def run_schedules(count, seed):
    """Run schedules in one game after another. Return what happened."""
    folder = Path(tempfile.mkdtemp(prefix="pond-homes-"))
    homes = TwoHomes(folder, random.Random(seed))
    try:
        homes.begin()
        for number in range(count):
            homes.run_schedule()
            if number % 50 == 49:
                print(f"{number + 1} schedules: {dict(homes.counts)}", flush=True)
        homes.stop()
        homes.check_journals()
    finally:
        homes.stop()
    shutil.rmtree(folder)
    return homes.counts


def main():
    """Run the schedules."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--schedules", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for kind, count in sorted(run_schedules(options.schedules, options.seed).items()):
        print(f"{kind:<28} {count:>6}")


if __name__ == "__main__":
    main()
