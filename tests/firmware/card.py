"""A Pi's file system in a folder, with the files that `pond-board` uses."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

FIRMWARE = Path(__file__).parents[2] / "firmware" / "raspberry-pi"

CONFIG = """\
# What Raspberry Pi OS comes with, cut short.
#dtparam=i2c_arm=on
#dtparam=spi=on
dtparam=audio=on
camera_auto_detect=1
dtoverlay=vc4-kms-v3d
max_framebuffers=2

[cm5]
dtoverlay=dwc2,dr_mode=host

[all]
"""
CMDLINE = "console=serial0,115200 console=tty1 root=PARTUUID=5a3e-02 rootfstype=ext4 fsck.repair=yes rootwait\n"

BOARD = """\
format = 1
title = "Sixteen buttons of a test"
grid = 4

[sensors]
kind = "button"
driver = "gpio"
cells = \"\"\"
 4  5  6 12
13 16 17 19
20 21 22 23
24 25 26 27
\"\"\"

[lamps]
driver = "{driver}"
pin = 10
count = {count}
budget_ma = 400
{unused}
cells = \"\"\"
 0  1  2  3
 7  6  5  4
 8  9 10 11
15 14 13 12
\"\"\"

[supply]
source = "own"
current_ma = 5000
"""


class ScriptResult(NamedTuple):
    """Exit code and output of a script."""

    code: int
    text: str

    @property
    def steps(self):
        """Steps in the output that changed a file."""
        words = ("put", "edit", "drop", "link")
        return [line.strip() for line in self.text.splitlines() if line.startswith("  ") and line.split()[0] in words]

    @property
    def commands(self):
        """Commands in the output."""
        return [line.split(maxsplit=1)[1] for line in self.text.splitlines() if line.startswith("  run ")]


def script(name, *options, path=None, **environment):
    """Run a script of the firmware with this Python, without the caller's SUDO and POND variables."""
    outside = {key: value for key, value in os.environ.items() if not key.startswith(("SUDO_", "POND_"))}
    ours = Path(sys.executable).parent  # with the real python3, not a shim
    outside |= environment | {"PATH": str(path or f"{ours}:{os.environ['PATH']}")}
    called = ["bash", FIRMWARE / name, *options]
    done = subprocess.run(called, env=outside, capture_output=True, text=True, timeout=300, check=False)
    return ScriptResult(done.returncode, done.stdout + done.stderr)


class Card:
    """A Pi's file system in a folder."""

    def __init__(self, root, boot="boot/firmware"):
        self.root = root
        self.boot = root / boot
        self.config = self.boot / "config.txt"
        self.cmdline = self.boot / "cmdline.txt"

    @classmethod
    def fresh(cls, root, boot="boot/firmware", config=CONFIG, cmdline=CMDLINE):
        """Return a card with Raspberry Pi OS and Pond's package, not yet set up for a board."""
        card = cls(root, boot)
        card.boot.mkdir(parents=True)
        card.config.write_bytes(config.encode())
        card.cmdline.write_bytes(cmdline.encode())
        card.config.chmod(0o755)  # as on FAT
        (root / "etc/pond").mkdir(parents=True)
        shutil.copy(FIRMWARE / "pond.conf", root / "etc/pond")
        return card

    def copy(self, root):
        shutil.copytree(self.root, root, symlinks=True)
        return Card(root, self.boot.relative_to(self.root))

    def set_up(self, *options, **environment):
        return script("pond-board", "--root", self.root, *options, **environment)

    def undo(self, *options):
        return script("pond-board", "--none", "--root", self.root, *options)

    def tree(self):
        """Return the mode and the content or link target of every file."""
        return {str(path.relative_to(self.root)): _describe_file(path) for path in sorted(self.root.rglob("*"))}

    def __truediv__(self, place):
        return self.root / place


def _describe_file(path):
    mode = stat.filemode(path.lstat().st_mode)
    if path.is_symlink():
        return mode, str(path.readlink())
    return mode, path.read_bytes() if path.is_file() else None


def board_file(folder: Path, name="mine", count=16, driver="spi"):
    """Write a profile whose chain has unused lamps after those of the cells."""
    path = folder / f"{name}.toml"
    unused = f"unused = {list(range(16, count))}" if count > 16 else ""
    path.write_text(BOARD.format(count=count, unused=unused, driver=driver), encoding="utf-8")
    return path
