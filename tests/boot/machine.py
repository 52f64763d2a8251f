"""Test of a power cut: boot a Debian that installs Pond, cut its power during a game, and boot it again.

    python -m tests.boot.machine FOLDER    # has disk, kernel and initrd, as .ci/boot makes them
    python -m tests.boot.machine FOLDER --processor x86_64

The processor is emulated and the board simulated. The watchdog is systemd's, not the hardware's.
"""

import argparse
import json
import queue
import re
import subprocess
import threading
import time
from pathlib import Path

MACHINES = {
    "aarch64": "qemu-system-aarch64 -machine virt -cpu cortex-a72",
    "arm": "qemu-system-arm -machine virt,highmem=off -cpu cortex-a7",
    "x86_64": "qemu-system-x86_64 -machine q35 -cpu max",
}
"""QEMU commands by processor. A Pi 4 has Cortex-A72 cores too, a Pi 2 Cortex-A7 cores."""

OPTIONS = "-smp 2 -m 512 -display none -monitor none -serial stdio -no-reboot -nic none"
"""Options for two cores, 512 MB and a serial console, without screen and network."""

CONSOLES = {"aarch64": "ttyAMA0", "arm": "ttyAMA0", "x86_64": "ttyS0"}

FIRST_BOOT_LINE = re.compile(rb"pond-first-boot\[\d+\]: (.*?)\r?\n")
"""Line that the service of a prepared card logs on the console."""

SLOW = "systemd.default_device_timeout_sec=900"
"""Kernel parameters for a machine so slow that its disk may appear after the default of 90 s."""

TURNS_BEFORE_CUT = 9
"""Turns between the watchdog's restart and the power cut."""

TIMEOUT_SECONDS = 1200
"""Maximum wait for the next report."""


class Machine:
    """Running emulated machine, as a context manager.

    Args:
        folder: folder with `disk`, `kernel` and `initrd`.
        processor: a key of `MACHINES`.
        log: file for the console's output.
    """

    def __init__(self, folder, processor, log):
        command = [
            *f"{MACHINES[processor]} {OPTIONS}".split(),
            *("-kernel", folder / "kernel", "-initrd", folder / "initrd"),
            *("-append", f"root=/dev/vda2 rw console={CONSOLES[processor]} quiet systemd.show_status=false {SLOW}"),
            *("-drive", f"file={folder / 'disk'},format=raw,if=virtio,cache=writethrough"),
        ]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.started = time.monotonic()
        self.reports = queue.SimpleQueue()
        threading.Thread(target=self._listen, args=(log,), daemon=True).start()

    def _listen(self, log):
        for line in self.process.stdout:
            log.write(line)
            log.flush()
            start = line.find(b'{"step"')
            if start >= 0:
                self.reports.put(json.loads(line[start:]))
            elif found := FIRST_BOOT_LINE.search(line):
                self.reports.put({"step": "first-boot", "line": found[1].decode()})
        self.reports.put({"step": "off"})

    def read_report(self):
        """Print and return the next report.

        Raises:
            queue.Empty: if the machine stops reporting.
        """
        report = self.reports.get(timeout=TIMEOUT_SECONDS)
        print(f"after {time.monotonic() - self.started:4.0f} s: {report}", flush=True)
        return report

    def expect(self, step):
        """Return the next report that isn't about the first start.

        Raises:
            AssertionError: if it is another step.
        """
        while (report := self.read_report())["step"] == "first-boot":
            pass
        assert report["step"] == step, f"{step} was expected: {report}"
        return report

    def cut_power(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.cut_power()


def check_up(report):
    """Check that the service runs and has a watchdog."""
    assert report["machine"] == "running", report
    assert report["ActiveState"] == "active", report
    assert report["NRestarts"] == "0", report
    assert report["WatchdogUSec"] == "10s", report


def play_evening(folder, processor, log):
    """Boot to install, boot and play, cut the power, boot and resume.

    Raises:
        AssertionError: if a check fails.
    """
    with Machine(folder, processor, log) as machine:
        machine.expect("off")  # the machine restarts only after a successful installation
    with Machine(folder, processor, log) as machine:
        check_up(machine.expect("up"))
        assert machine.expect("watched")["restarts"] == 0, "the watchdog restarted a healthy service"
        restarted = machine.expect("restarted")
        assert restarted["restarts"] == 1, restarted
        assert restarted["after"] == restarted["before"], "turns were lost when the watchdog restarted the service"
        for _ in range(TURNS_BEFORE_CUT):
            counted = machine.expect("turn")["actions"]
        machine.cut_power()
        print("the power is cut", flush=True)
    with Machine(folder, processor, log) as machine:
        check_up(machine.expect("up"))
        offered = machine.expect("offered")
        assert offered["phase"] == "resume", offered
        # All confirmed turns are there. Turns played during the power cut may be.
        assert offered["actions"][: len(counted)] == counted, f"{counted} counted, {offered['actions']} are left"
        resumed = machine.expect("resumed")
        assert resumed["actions"][: len(offered["actions"])] == offered["actions"], resumed
        assert len(resumed["actions"]) > len(offered["actions"]), resumed
        stopped = machine.expect("stopped")
        assert (stopped["Result"], stopped["ExecMainStatus"]) == ("success", "0"), stopped
        machine.expect("off")


def main():
    """Run the test. The console's output goes to `console.log` in the folder."""
    parser = argparse.ArgumentParser(description="Boot a Debian with Pond in it, and cut its power.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--processor", default="aarch64", choices=MACHINES)
    options = parser.parse_args()
    with (options.folder / "console.log").open("wb") as log:
        play_evening(options.folder, options.processor, log)
    print("the game was saved")


if __name__ == "__main__":
    main()
