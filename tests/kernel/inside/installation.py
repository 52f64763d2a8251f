"""Raspberry Pi OS with Pond installed, on the simulated Pi."""

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from pond_hw.profile import ProfileError, load_profile
from tests.conftest import require
from tests.firmware.scripts import needs

CGROUP_ROOT = Path("/sys/fs/cgroup")
SOCKET = Path("/run/pond/pond.sock")
CGROUP = CGROUP_ROOT / "pi"


def wait_for(condition, describe, seconds, pause=0.02):
    """Wait until `condition()` is true, and return its value.

    Raises:
        AssertionError: it was not true in time. The message is the result of `describe`.
    """
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, describe()
        time.sleep(pause)
    return found


def unit_of(board):
    """Return the unit that the installer would start for a board, or the default unit if its profile cannot be read."""
    try:
        return needs.find_needs(load_profile(board)).unit
    except ProfileError:
        return needs.Needs().unit


class Installation:
    """Booted Raspberry Pi OS in its own namespaces and control group, with systemd as its init process.

    Args:
        board: name or path of the profile, as the installer writes it to /etc/pond/pond.conf.
        drop_in: text that `systemctl edit` would add to the unit.

    Attributes:
        service: unit that the installer would start for the board.
    """

    TIMEOUT_SECONDS = 60.0

    def __init__(self, board, drop_in=""):
        require("systemd-sysusers", "it creates the service's user and starts the unit")
        require("udevadm", "it assigns the devices to their groups")
        self.service = unit_of(board)
        (CGROUP_ROOT / "cgroup.subtree_control").write_text("+cpu +memory +pids")
        CGROUP.mkdir()
        join_cgroup = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
        enter_namespaces = ["unshare", "--mount", "--uts", "--pid", "--cgroup", "--fork"]
        init_command = [sys.executable, "-m", "tests.kernel.inside.init", board, self.service, drop_in]
        self._unshare = subprocess.Popen(
            ["sh", "-c", join_cgroup, CGROUP, *enter_namespaces, *init_command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            self._init_pid = int(wait_for(self._processes, self._kill_and_read_output, self.TIMEOUT_SECONDS)[0])
            wait_for(self._is_settled, self.read_log, self.TIMEOUT_SECONDS, pause=0.25)
        except BaseException:
            self.power_off()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.power_off()

    def power_off(self):
        """Cut the power."""
        (CGROUP / "cgroup.kill").write_text("1")
        self._unshare.communicate()
        wait_for(
            lambda: "populated 0" in (CGROUP / "cgroup.events").read_text(),
            lambda: "the control group is not empty",
            10,
        )
        for folder in sorted(CGROUP.rglob("*/"), reverse=True):
            folder.rmdir()
        CGROUP.rmdir()
        subprocess.run(["rm", "-rf", *(f"/run/{name}" for name in ("systemd", "udev", "log", "pond"))], check=True)

    def _processes(self):
        with suppress(OSError):
            return (CGROUP / "init.scope/cgroup.procs").read_text().split()

    def _kill_and_read_output(self):
        self._unshare.kill()
        return self._unshare.communicate()[0]

    def _is_settled(self):
        properties = self.systemctl("show", "--property=Job", "--property=ActiveState", self.service).split()
        return "Job=" in properties and any(f"ActiveState={state}" in properties for state in ("active", "failed"))

    def run_inside(self, *command):
        """Run a command as root in the namespaces, and return its combined output."""
        enter_namespaces = ["nsenter", f"--target={self._init_pid}", "--mount", "--pid", "--cgroup"]
        return subprocess.run(
            [*enter_namespaces, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        ).stdout

    def systemctl(self, *words):
        return self.run_inside("systemctl", "--no-pager", *words)

    def unit(self, name):
        return self.systemctl("show", "--value", f"--property={name}", self.service).strip()

    def check_refusal(self):
        """Check that the unit failed at its first try with a fault that a person has to fix, and return its log.

        Raises:
            AssertionError: it did not fail, had another exit code, or tried again.
        """
        names = ("ActiveState", "ExecMainStatus", "NRestarts")
        assert [self.unit(name) for name in names] == ["failed", "2", "0"], self.read_log()
        return self.read_log()

    @property
    def state(self):
        return self.unit("ActiveState")

    @property
    def main(self):
        """Process id of the service outside the namespaces, or None."""
        with suppress(OSError, IndexError):
            processes = (CGROUP / "system.slice" / self.service / "cgroup.procs").read_text().split()
            return int(processes[0])

    def read_log(self):
        """Return the log of the unit."""
        return self.run_inside("journalctl", f"--unit={self.service}", "--output=cat", "--no-pager", "--quiet")
