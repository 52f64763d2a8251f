"""Simulated Pis: folders that contain the files the doctor reads."""

import dataclasses
import functools
import os
import shlex
import subprocess
from pathlib import Path

from pond_hw.doctor.board_needs import needed_devices
from pond_hw.doctor.host_system import FreeSpace, HostSystem, InstalledPackage, UserGroups
from pond_hw.doctor.redact import PrivateNames
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from tests.drivers.pis import PI_4, PI_5, ZERO_2, make_laptop, make_pi
from tests.firmware.card import CMDLINE, CONFIG, FIRMWARE
from tests.firmware.scripts import boot, needs

MODELS = {"Zero 2 W": ZERO_2, "4": PI_4, "5": PI_5}
RELEASES = {"Bookworm": ("12", "3.11.2"), "Trixie": ("13", "3.13.5")}

TEST_TIME = 1_790_000_000.0
"""Time of the checks, in seconds since 1970; it is in 2026."""

NAMES = PrivateNames(("anna", "Anna Berg"), ("attic-pi",), ("10000000c0ffee42", "c0ffee42"), ("/home/anna",))

PACKAGES = {
    "gpiozero": "2.0.1.post3",
    "lgpio": "0.2.2.0",
    "spidev": "3.8",
    "smbus2": "0.6.1",
    "rpi_ws281x": "5.0.0",
    "gpiod": "2.5.0",
    "adafruit-circuitpython-neopixel": "6.4.2",
    "adafruit-circuitpython-mcp230xx": "2.6.2",
    "adafruit-circuitpython-neotrellis": "1.3.13",
}

MOUNTS = """\
proc /proc proc rw,relatime 0 0
/dev/mmcblk0p2 / ext4 rw,noatime 0 0
tmpfs /run tmpfs rw,nosuid,nodev 0 0
/dev/mmcblk0p1 /boot/firmware vfat rw,relatime 0 0
"""
FSTAB = """\
PARTUUID=5a3e02ab-01  /boot/firmware  vfat  defaults          0  2
PARTUUID=5a3e02ab-02  /               ext4  defaults,noatime  0  1
"""

SERVICE = {
    "LoadState": "loaded",
    "UnitFileState": "enabled",
    "ActiveState": "active",
    "Result": "success",
    "NRestarts": "0",
    "MainPID": "612",
}


_loaded = functools.cache(load_profile)


class Pi:
    """Simulated Pi in the state that the installer leaves it in. Tests may change its files and attributes."""

    def __init__(self, root, model="4", release="Bookworm", board="direct-4x4"):
        number, python = RELEASES[release]
        self.root, self.board, self.python, self.bits = root, board, python, 64
        self.machine = make_pi(root, MODELS[model], ())
        profile = _loaded(board)
        self.nodes = [each.path for each in needed_devices(profile, self.machine)]
        for node in (*self.nodes, "/dev/gpiochip0", *(["/dev/rtc0"] if model == "5" else [])):
            self.write(node, "")
        what = needs.find_needs(profile, self.machine)
        config, _ = boot.add_lines(CONFIG, what.fragments)
        self.write("/boot/firmware/config.txt", config)
        self.write("/boot/firmware/cmdline.txt", CMDLINE)
        name = release.lower()
        release_text = f'PRETTY_NAME="Debian GNU/Linux {number} ({name})"\nID=debian\nVERSION_ID="{number}"\n'
        self.write("/etc/os-release", release_text)
        self.write("/etc/rpi-issue", "Raspberry Pi reference\n")
        self.write("/etc/fstab", FSTAB)
        self.write("/proc/self/mounts", MOUNTS)
        self.write("/proc/modules", "spidev 20480 0 - Live 0x0\ni2c_dev 16384 0 - Live 0x0\n")
        self.unit = what.unit.removesuffix(".service")
        self.write(f"/etc/systemd/system/{what.unit}", (FIRMWARE / what.unit).read_text(encoding="utf-8"))
        self.write("/etc/pond/pond.conf", f"POND_BOARD={board}\nPOND_OPTIONS=\n")
        self.service = dict(SERVICE)
        self.answers = {
            "vcgencmd get_throttled": "throttled=0x0\n",
            "timedatectl show": "yes\n",
            f"journalctl -u {self.unit} -p warning": "-- No entries --\n",
            f"journalctl -u {self.unit} -n 60": "2026-09-21T10:00:00+0200 pond[612]: serving\n",
        }
        self.packages = {
            name: InstalledPackage(version, Message("doctor.origin.virtualenv", folder="/usr/lib/pond"))
            for name, version in PACKAGES.items()
        }
        self.packages["lgpio"] = InstalledPackage("0.2.2.0", Message("doctor.origin.apt"))
        self.groups = UserGroups(frozenset({"anna", "gpio", "spi", "i2c"}), frozenset({"anna", "gpio", "spi", "i2c"}))
        self.free_space = FreeSpace(20_000_000_000, 900_000)
        self.now = TEST_TIME
        self.broker_fault, self.logins = None, []
        self.denied = set()
        self.euid = 1000

    def write(self, file_path, text):
        path = self.root / file_path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, file_path):
        return (self.root / file_path.lstrip("/")).read_text(encoding="utf-8")

    def edit(self, file_path, old, new, times=1):
        text = self.read(file_path)
        assert old in text, (file_path, old)
        self.write(file_path, text.replace(old, new, times))

    def config(self, *lines):
        """Append lines that apply to every model to config.txt."""
        self.write(
            "/boot/firmware/config.txt", self.read("/boot/firmware/config.txt") + "\n".join(["[all]", *lines, ""])
        )

    def remove(self, *devices):
        for device in devices:
            (self.root / device.lstrip("/")).unlink()

    def run(self, command):
        """Return the output of a command, or None if it is unknown."""
        command_line = " ".join(command)
        if command_line.startswith(f"systemctl show {self.unit}.service"):
            return "".join(f"{key}={value}\n" for key, value in self.service.items())
        return next((answer for begins, answer in self.answers.items() if command_line.startswith(begins)), None)

    def try_broker(self, broker, login):
        self.logins.append((broker, login))
        return self.broker_fault

    @property
    def host(self):
        usable = lambda path: path.name not in self.denied  # noqa: E731 - a field, not a function of ours
        machine = dataclasses.replace(self.machine, usable=usable, euid=self.euid)
        return HostSystem(
            machine=machine,
            run_command=self.run,
            free_space=lambda path: self.free_space,
            wall_clock=lambda: self.now,
            find_package=lambda name, module: self.packages.get(name),
            try_broker=self.try_broker,
            user_groups=self.groups,
            private_names=NAMES,
            environment={"HOME": "/home/anna"},
            python_version=self.python,
            platform_name="Linux-6.12",
            python_bits=self.bits,
            python_prefix=self.root / "usr/lib/pond",
            in_virtualenv=True,
        )

    def apply_fix(self, command):
        """Run a fix command that edits a file with sed."""
        words = shlex.split(command)
        assert words[:3] == ["sudo", "sed", "-i"], command
        subprocess.run(["sed", "-i", words[3], self.root / words[4].lstrip("/")], check=True)

    def add_lock(self, process, device, board=None):
        """Add a lock on a device to /proc/locks."""
        status = (self.root / device.lstrip("/")).stat()
        file_path = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        self.write(
            "/proc/locks",
            f"1: POSIX  ADVISORY  WRITE 1 00:19:11 0 EOF\n2: FLOCK  ADVISORY  WRITE {process} {file_path} 0 EOF\n",
        )
        if board:
            self.write(f"/run/lock/pond-{Path(device).name}.lock", f'[{process}, "{board}", "2026-09-21 10:00"]')

    def add_open_file(self, process, name, device):
        """Add a process that has a device open to /proc."""
        folder = self.root / f"proc/{process}/fd"
        folder.mkdir(parents=True)
        (folder / "3").symlink_to(device)
        self.write(f"/proc/{process}/comm", f"{name}\n")


GPIOZERO = InstalledPackage("2.0.1.post3", Message("doctor.origin.apt"))


def laptop_host(root, **changes):
    """Return a host that is not a Pi."""
    (root / "etc").mkdir(parents=True)
    (root / "etc/os-release").write_text('PRETTY_NAME="Fedora Linux 42"\nID=fedora\nVERSION_ID=42\n')
    fields = {
        "machine": make_laptop(root),
        "run_command": lambda command: None,
        "free_space": lambda path: FreeSpace(50_000_000_000, None),
        "wall_clock": lambda: TEST_TIME,
        "find_package": lambda name, module: GPIOZERO if name == "gpiozero" else None,
        "user_groups": UserGroups(frozenset({"anna"}), frozenset({"anna"})),
        "private_names": NAMES,
        "environment": {"HOME": "/home/anna"},
    }
    return HostSystem(**fields | changes)
