"""Script that plays a game with the installed service on an emulated machine. The machine runs it after each boot.

It only needs Debian's python3. It prints JSON objects with a `step` for `machine.py`, which reads the console and cuts the power
during the game. A marker file tells the script that it runs after the power cut.
"""

import json
import platform
import random
import socket
import subprocess
import time
from pathlib import Path

SOCKET = "/run/pond/pond.sock"
SECOND_BOOT_MARKER = Path("/var/lib/pond-evening-begun")
FIRST_TURNS = 6
"""Turns before the watchdog check."""
MORE_TURNS = 3
"""Turns after the power cut."""
WATCHED_SECONDS = 25
"""More than twice the timeout of the watchdog."""
TIMEOUT_SECONDS = 600
"""Maximum wait. An emulated machine is slow."""


def report(step, **fields):
    """Print a report on the console."""
    print(json.dumps({"step": step} | fields), flush=True)


def run_command(*command):
    """Return the output of a command, without surrounding spaces."""
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def service_properties(*names):
    options = [f"--property={name}" for name in names]
    return dict(line.split("=", 1) for line in run_command("systemctl", "show", "pond.service", *options).splitlines())


def wait_for_restart(process):
    """Wait until the service runs as another process.

    Raises:
        TimeoutError: if it does not.
    """
    end = time.monotonic() + TIMEOUT_SECONDS
    while (properties := service_properties("MainPID", "ActiveState")) and (
        properties["MainPID"] in ("0", process) or properties["ActiveState"] != "active"
    ):
        if time.monotonic() > end:
            raise TimeoutError(f"the service did not come back: {properties}")
        time.sleep(0.5)


class ServicePlayer:
    """Player of random actions for both sides, connected to the service's socket."""

    def __init__(self):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(TIMEOUT_SECONDS)
        self.connection.connect(SOCKET)
        self.lines = self.connection.makefile("rw", encoding="utf-8")
        self.rng = random.Random(7)
        self.state = {}

    def send(self, **line):
        self.lines.write(json.dumps(line) + "\n")
        self.lines.flush()

    def read_actions(self):
        """Update `state`, and return the actions of the game.

        Raises:
            ValueError: if the service did not understand a line.
            ConnectionError: if it closed the connection.
        """
        self.send(ask="state")
        self.send(ask="record")  # answered after all earlier states
        for line in self.lines:
            answer = json.loads(line)
            if answer["type"] == "error":
                raise ValueError(answer["message"])
            if answer["type"] == "state":
                self.state = answer
            if answer["type"] == "record":
                moves = answer["record"].rpartition("]")[2].split()
                return [move for move in moves if not move.endswith(".") and move not in ("*", "1-0", "0-1", "1/2-1/2")]
        raise ConnectionError("the service hung up")

    def play_turn(self):
        """Play a random action. Return all actions once it is on the disk."""
        before = self.read_actions()
        self.send(command="action", action=self.rng.choice(self.state["legal"]))
        while (actions := self.read_actions()) == before:
            time.sleep(0.1)
        return actions

    def resume(self):
        self.read_actions()
        self.send(command="resume")
        while self.state["phase"] == "resume":
            self.read_actions()

    def disconnect(self):
        self.connection.close()


def first_half():
    """Play, let the watchdog restart the service once, and play on until the power is cut."""
    player = ServicePlayer()
    for _ in range(FIRST_TURNS):
        actions = player.play_turn()
    time.sleep(WATCHED_SECONDS)
    properties = service_properties("MainPID", "NRestarts")
    report("watched", seconds=WATCHED_SECONDS, restarts=int(properties["NRestarts"]))
    player.disconnect()
    run_command("systemctl", "kill", "--signal=STOP", "pond.service")  # the watchdog gets no more signals
    wait_for_restart(properties["MainPID"])
    player = ServicePlayer()
    report(
        "restarted",
        restarts=int(service_properties("NRestarts")["NRestarts"]),
        before=actions,
        after=player.read_actions(),
    )
    player.resume()
    while True:  # until the power is cut
        report("turn", actions=player.play_turn())


def second_half():
    """Report the offered game after the power cut, resume it, and play on for a while."""
    player = ServicePlayer()
    actions = player.read_actions()
    report("offered", phase=player.state["phase"], actions=actions)
    player.resume()
    for _ in range(MORE_TURNS):
        actions = player.play_turn()
    report("resumed", phase=player.state["phase"], actions=actions)
    player.disconnect()
    run_command("systemctl", "stop", "pond.service")
    report("stopped", **service_properties("Result", "ExecMainStatus"))


def main():
    """Run the first half, or the second after the power cut."""
    system_state = subprocess.run(
        ["systemctl", "is-system-running", "--wait"], check=False, text=True, stdout=subprocess.PIPE
    )
    report(
        "up",
        machine=system_state.stdout.strip(),
        failed=run_command("systemctl", "list-units", "--failed", "--plain", "--no-legend"),
        kernel=platform.release(),
        processor=platform.machine(),
        since_boot=time.clock_gettime(time.CLOCK_BOOTTIME),
        times=run_command("systemd-analyze", "time").splitlines()[0],
        **service_properties("ActiveState", "NRestarts", "WatchdogUSec", "MemoryCurrent"),
    )
    if SECOND_BOOT_MARKER.exists():
        second_half()
    else:
        SECOND_BOOT_MARKER.touch()
        run_command("sync")
        first_half()


if __name__ == "__main__":
    try:
        main()
    except Exception as failure:
        report("failed", why=repr(failure))
        raise
