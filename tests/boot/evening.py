"""An evening at the installed service of a machine that was booted for it; the machine runs this file as soon as it is up.

It has Debian's own python3 and nothing else. Each line that it prints is a JSON object with a `step`, for `machine.py`, which
listens at the console and cuts the power while the game goes on. After the next boot a file says how the evening goes on.
"""

import json
import platform
import random
import socket
import subprocess
import time
from pathlib import Path

SOCKET = "/run/pond/pond.sock"
BEGUN = Path("/var/lib/pond-evening-begun")
FIRST_TURNS = 6
"""Turns before the watchdog is asked about."""
MORE_TURNS = 3
"""Turns after the power cut."""
WATCHED_SECONDS = 25
"""More than twice as long as the service may be silent."""
PATIENCE_SECONDS = 600
"""An emulated machine is slow, but nothing that is waited for takes longer."""


def report(step, **fields):
    """Tell the listener at the console."""
    print(json.dumps({"step": step} | fields), flush=True)


def output_of(*command):
    """What a command prints, without the spaces around it."""
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def service_properties(*names):
    """What systemd knows of the service."""
    options = [f"--property={name}" for name in names]
    return dict(line.split("=", 1) for line in output_of("systemctl", "show", "pond.service", *options).splitlines())


def wait_until_started_again(process):
    """Wait for the service to run as another process.

    Raises:
        TimeoutError: it does not.
    """
    end = time.monotonic() + PATIENCE_SECONDS
    while (seen := service_properties("MainPID", "ActiveState")) and (
        seen["MainPID"] in ("0", process) or seen["ActiveState"] != "active"
    ):
        if time.monotonic() > end:
            raise TimeoutError(f"the service did not come back: {seen}")
        time.sleep(0.5)


class ServicePlayer:
    """Plays both sides by the service's socket, with actions drawn by chance."""

    def __init__(self):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(PATIENCE_SECONDS)
        self.connection.connect(SOCKET)
        self.lines = self.connection.makefile("rw", encoding="utf-8")
        self.chance = random.Random(7)
        self.state = {}

    def say(self, **line):
        """Send a line."""
        self.lines.write(json.dumps(line) + "\n")
        self.lines.flush()

    def look(self):
        """How the game stands: `state` is renewed, and the actions that count are returned.

        Raises:
            ValueError: the service did not understand a line.
            ConnectionError: it hung up.
        """
        self.say(ask="state")
        self.say(ask="record")  # its answer comes after all states before it
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
        """Play an action, and return all that count as soon as it does: when it is on the disk."""
        before = self.look()
        self.say(command="action", action=self.chance.choice(self.state["legal"]))
        while (actions := self.look()) == before:
            time.sleep(0.1)
        return actions

    def resume(self):
        """Go on with the unfinished game."""
        self.look()
        self.say(command="resume")
        while self.state["phase"] == "resume":
            self.look()

    def leave(self):
        """Hang up."""
        self.connection.close()


def first_half():
    """A game is played, the watchdog bites once, and the game goes on until the power is cut."""
    player = ServicePlayer()
    for _ in range(FIRST_TURNS):
        actions = player.play_turn()
    time.sleep(WATCHED_SECONDS)
    seen = service_properties("MainPID", "NRestarts")
    report("watched", seconds=WATCHED_SECONDS, restarts=int(seen["NRestarts"]))
    player.leave()
    output_of("systemctl", "kill", "--signal=STOP", "pond.service")  # it is silent from now on
    wait_until_started_again(seen["MainPID"])
    player = ServicePlayer()
    report("bitten", restarts=int(service_properties("NRestarts")["NRestarts"]), before=actions, after=player.look())
    player.resume()
    while True:  # until there is no power any more
        report("turn", actions=player.play_turn())


def second_half():
    """What the board offers after the power cut; the game is resumed and goes on for a while."""
    player = ServicePlayer()
    actions = player.look()
    report("offered", phase=player.state["phase"], actions=actions)
    player.resume()
    for _ in range(MORE_TURNS):
        actions = player.play_turn()
    report("resumed", phase=player.state["phase"], actions=actions)
    player.leave()
    output_of("systemctl", "stop", "pond.service")
    report("stopped", **service_properties("Result", "ExecMainStatus"))


def main():
    """The half that is due."""
    waited = subprocess.run(
        ["systemctl", "is-system-running", "--wait"], check=False, text=True, stdout=subprocess.PIPE
    )
    report(
        "up",
        machine=waited.stdout.strip(),
        failed=output_of("systemctl", "list-units", "--failed", "--plain", "--no-legend"),
        kernel=platform.release(),
        processor=platform.machine(),
        since_boot=time.clock_gettime(time.CLOCK_BOOTTIME),
        times=output_of("systemd-analyze", "time").splitlines()[0],
        **service_properties("ActiveState", "NRestarts", "WatchdogUSec", "MemoryCurrent"),
    )
    if BEGUN.exists():
        second_half()
    else:
        BEGUN.touch()
        output_of("sync")
        first_half()


if __name__ == "__main__":
    try:
        main()
    except Exception as failure:
        report("failed", why=repr(failure))
        raise
