"""Run one command on a simulated Pi: `python -m tests.kernel.pi --board hall-4x4 -- ls /dev`.

SPI and I2C are set up as the installer does for that board.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import NamedTuple

from pond_hw.profile import load_profile
from tests.building import MissingTool
from tests.firmware.scripts import boot, needs
from tests.kernel.build import describe_missing, kit_folder, missing_packages

MODELS = ("pi4", "pi5", "pi5-first")
ROOT = Path(__file__).resolve().parents[2]

MEMORY = "512M"

TIMEOUT_CODE = 124
"""Exit code of a command that timed out, like that of timeout(1)."""


class Stopped(Exception):
    """The simulated Pi stopped early. The output of the command contains its kernel messages."""


def kit():
    """Return the folder of the kit.

    Raises:
        MissingTool: it has not been built.
    """
    folder = kit_folder()
    if folder.exists():
        return folder
    if missing := missing_packages():
        raise MissingTool(describe_missing(missing))
    raise MissingTool("The simulated Pi has not been built. Build it with: make kernel")


class PiSettings(NamedTuple):
    """Settings that the installer makes for a board.

    Attributes:
        overlays: names of device tree overlays in the folder trees/.
        words: kernel parameters.
    """

    overlays: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


NO_SETTINGS = PiSettings()


def set_up(board):
    """Return the settings for a board, as the installer writes them to config.txt and cmdline.txt."""
    wanted = needs.find_needs(load_profile(board))
    settings = {
        each.key: each.value
        for fragment in wanted.fragments
        for each in boot.parse_settings((boot.FRAGMENTS / f"{fragment}.txt").read_text(encoding="utf-8"))
    }
    overlays = [key.partition("=")[2] for key in settings if key.startswith("dtoverlay=spi1-")]
    if settings.get("dtparam=spi") == "on":
        overlays.append("spi0")
    if settings.get("dtparam=i2c_arm") == "on":
        overlays.append("i2c-fast" if settings.get("dtparam=i2c_arm_baudrate") == "400000" else "i2c")
    return PiSettings(tuple(overlays), wanted.words)


def run(
    command,
    *,
    model="pi4",
    settings=NO_SETTINGS,
    virtual=False,
    timeout=600,
    environment=None,
    output=None,
):
    """Start a simulated Pi, run a command as root, and switch it off.

    Args:
        command: words of the command.
        model: one of MODELS.
        settings: settings of the Pi.
        virtual: True for simulated time: sleeping and computing take no time.
        timeout: time limit in seconds.
        environment: environment variables besides those of a Pi's root.
        output: file for the output; by default this process's own output.

    Returns:
        The command's exit code; TIMEOUT_CODE if it timed out.

    Raises:
        MissingTool: the kit has not been built.
        Stopped: the kernel stopped before the command ended.
    """
    pi = kit()
    with TemporaryDirectory(prefix="pond-pi-", dir=_memory_folder()) as folder:
        scratch = Path(folder)
        work_folder = scratch / "work"
        work_folder.mkdir()
        tree = pi / f"{model}.dtb"
        if settings.overlays:
            added = [pi / f"{name}.dtbo" for name in settings.overlays]
            tree = scratch / "tree.dtb"
            subprocess.run([pi / "fdtoverlay", "-i", pi / f"{model}.dtb", "-o", tree, *added], check=True)
        exports = [f"export {key}={shlex.quote(value)}\n" for key, value in (environment or {}).items()]
        (work_folder / "command").write_text("".join([*exports, f"cd {shlex.quote(str(ROOT))}\n", shlex.join(command)]))
        words = [
            *("setpriv", "--pdeathsig", "KILL"),  # it ends with us, even if we are killed
            pi / "linux",
            f"mem={MEMORY}",
            *("root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "quiet", "loglevel=0", "panic=-1"),
            *("con=null", "con0=null,fd:1", f"dtb={tree}", f"init={pi / 'init'}"),
            f"POND_KIT={pi}",
            f"POND_WORK={work_folder}",
            *(["time-travel=inf-cpu"] if virtual else []),
            *settings.words,
        ]
        pi_environment = {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder}
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        try:
            subprocess.run(words, env=pi_environment, timeout=timeout, check=False, **streams)
        except subprocess.TimeoutExpired:
            return TIMEOUT_CODE
        try:
            return int((work_folder / "status").read_text())
        except (OSError, ValueError):
            raise Stopped(
                "The simulated Pi stopped before its command was done; see the output of its kernel."
            ) from None


def _memory_folder():
    """Return a folder for the simulated Pi's memory: a tmpfs, if it is large enough."""
    shm = Path("/dev/shm")
    if os.access(shm, os.W_OK | os.X_OK) and shutil.disk_usage(shm).free > 2 << 30:
        return shm
    return gettempdir()


def main():
    """Run the command given on the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.kernel.pi", description=__doc__.partition("\n")[0])
    parser.add_argument("--model", choices=MODELS, default="pi4")
    parser.add_argument("--board", metavar="NAME", help="with the SPI and I2C that this board needs")
    parser.add_argument("--overlay", action="append", default=[], metavar="NAME", help="with this overlay, too")
    parser.add_argument("--virtual", action="store_true", help="in simulated time")
    parser.add_argument("--within", type=int, default=600, metavar="S", help="time limit in seconds (600)")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="command to run there, after --")
    arguments = parser.parse_args()
    settings = set_up(arguments.board) if arguments.board else NO_SETTINGS
    settings = settings._replace(overlays=tuple(dict.fromkeys([*settings.overlays, *arguments.overlay])))
    try:
        return run(
            arguments.command,
            model=arguments.model,
            settings=settings,
            virtual=arguments.virtual,
            timeout=arguments.within,
        )
    except (MissingTool, Stopped) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
