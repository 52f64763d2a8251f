"""A Raspberry Pi OS with Pond installed, on the simulated Pi: a test starts it, asks it and pulls its plug."""

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from pond_hw.profile import ProfileError, load_profile
from tests.conftest import need
from tests.firmware.scripts import needs

GROUPS = Path("/sys/fs/cgroup")
SOCKET = Path("/run/pond/pond.sock")
ROOM = GROUPS / "pi"


def wait_for(what, describe, seconds, pause=0.02):
    """What `what` gives as soon as it is true.

    Raises:
        AssertionError: it was not within so many seconds; the message is what `properties` gives then.
    """
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, describe()
        time.sleep(pause)
    return found


def unit_of(board):
    """The name of the unit that the installer would start for a board; the usual one if it cannot be read."""
    try:
        return needs.needs(load_profile(board)).unit
    except ProfileError:
        return needs.Needs().unit


class Installation:
    """One start of the machine: a room of its own, of processes, mounts and control groups, whose first is systemd.

    Args:
        board: the profile's name, or its path; what the installer writes into /etc/pond/pond.conf.
        drop_in: what `systemctl edit` would add to the unit.

    Attributes:
        service: the unit that the installer would start for the board.
    """

    PATIENCE = 60.0

    def __init__(self, board, drop_in=""):
        need("systemd-sysusers", "systemd makes the service's user and starts the unit as it ships")
        need("udevadm", "udev gives the devices to their groups")
        self.service = unit_of(board)
        (GROUPS / "cgroup.subtree_control").write_text("+cpu +memory +pids")
        ROOM.mkdir()
        begin = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
        rooms = ["unshare", "--mount", "--uts", "--pid", "--cgroup", "--fork"]
        first = [sys.executable, "-m", "tests.kernel.inside.first", board, self.service, drop_in]
        self._outer = subprocess.Popen(
            ["sh", "-c", begin, ROOM, *rooms, *first], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            self._first = int(wait_for(self._processes, self._first_output, self.PATIENCE)[0])
            wait_for(self._settled, self.read_log, self.PATIENCE, pause=0.25)
        except BaseException:
            self.off()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.off()

    def off(self):
        """The plug is pulled."""
        (ROOM / "cgroup.kill").write_text("1")
        self._outer.communicate()
        wait_for(lambda: "populated 0" in (ROOM / "cgroup.events").read_text(), lambda: "the room is not empty", 10)
        for folder in sorted(ROOM.rglob("*/"), reverse=True):
            folder.rmdir()
        ROOM.rmdir()
        subprocess.run(["rm", "-rf", *(f"/run/{name}" for name in ("systemd", "udev", "log", "pond"))], check=True)

    def _processes(self):
        with suppress(OSError):
            return (ROOM / "init.scope/cgroup.procs").read_text().split()

    def _first_output(self):
        self._outer.kill()
        return self._outer.communicate()[0]

    def _settled(self):
        properties = self.systemctl("show", "--property=Job", "--property=ActiveState", self.service).split()
        return "Job=" in properties and any(f"ActiveState={state}" in properties for state in ("active", "failed"))

    def inside(self, *command):
        """What a command says that is done in that room by root, both its outputs together."""
        rooms = ["nsenter", f"--target={self._first}", "--mount", "--pid", "--cgroup"]
        return subprocess.run(
            [*rooms, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        ).stdout

    def systemctl(self, *words):
        return self.inside("systemctl", "--no-pager", *words)

    def unit(self, name):
        """A property of the unit."""
        return self.systemctl("show", "--value", f"--property={name}", self.service).strip()

    def check_refusal(self):
        """What the unit said as it gave up at its first try, because a person must mend something.

        Raises:
            AssertionError: it did not give up, or with another exit code, or tried again.
        """
        names = ("ActiveState", "ExecMainStatus", "NRestarts")
        assert [self.unit(name) for name in names] == ["failed", "2", "0"], self.read_log()
        return self.read_log()

    @property
    def state(self):
        return self.unit("ActiveState")

    @property
    def main(self):
        """The service's process, by the number that it has for us; None while there is none."""
        with suppress(OSError, IndexError):
            processes = (ROOM / "system.slice" / self.service / "cgroup.procs").read_text().split()
            return int(processes[0])

    def read_log(self):
        """What the unit has written to the log."""
        return self.inside("journalctl", f"--unit={self.service}", "--output=cat", "--no-pager", "--quiet")
