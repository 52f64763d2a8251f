"""Install Home Assistant in its own folder: `python -m tests.home_assistant.build`, or `make test-home`.

It needs Python 3.13.2, which Debian 12 does not have. Without it, this script installs a minimal Debian 13 outside the
clone, which takes root. The folder is POND_HOME_ASSISTANT or ~/.cache/pond-home-assistant, and its subfolder is named after
a hash of this recipe and of requirements.lock. The packages come from this machine's mirrors.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from time import monotonic

from tests.building import MissingTool, call_build, run_logged

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LOCK = HERE / "requirements.lock"
CACHE_FOLDER = Path(
    os.environ.get("POND_HOME_ASSISTANT")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "pond-home-assistant").expanduser()
).resolve()

READY = "ready"
"""File that is created last."""

PYTHON = (3, 13)
MIN_MICRO = 2

DEBIAN = ROOT / ".ci/bare-debian"
PACKAGES = "python3,python3-pip,python3-venv,python3-dev,gcc,libc6-dev"


class Environment:
    """An installed Home Assistant.

    Attributes:
        folder: folder with the virtual environment `venv` and, if `is_debian`, a Debian around it.
        is_debian: True if it only runs inside that Debian.
    """

    def __init__(self, folder):
        self.folder = folder
        self.is_debian = (folder / "debian").exists()

    def command(self, *arguments):
        """Return the command that runs Home Assistant's Python with these arguments."""
        if self.is_debian:
            return [DEBIAN, "run", self.folder / "debian", "root", "/srv/venv/bin/python", *arguments]
        return [self.folder / "venv/bin/python", *arguments]

    def make_folder(self, name):
        """Create an empty folder. Return its path for these commands, and its path here."""
        seen = Path("/srv" if self.is_debian else self.folder, name)
        folder = self.folder / "debian/srv" / name if self.is_debian else seen
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return seen, folder


def place():
    """Return the folder of the environment. It need not exist yet."""
    recipe = Path(__file__).read_bytes() + LOCK.read_bytes()
    return CACHE_FOLDER / hashlib.sha256(recipe).hexdigest()[:12]


def find():
    """Return the installed `Environment`, or None."""
    return Environment(place()) if (place() / READY).exists() else None


def build(say=print):
    """Install Home Assistant, unless it is there, and return its `Environment`.

    Raises:
        MissingTool: it needs root, or something must be installed first.
        subprocess.CalledProcessError: a step failed; its last lines are printed.
    """
    to = place()
    if not (to / READY).exists():
        begun = monotonic()
        CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
        for other in CACHE_FOLDER.iterdir():
            if other.is_dir():
                shutil.rmtree(other)
        to.mkdir()
        _install(to, say)
        (to / READY).touch()
        say(f"Home Assistant is in {to}, after {monotonic() - begun:.0f} s")
    return Environment(to)


def _install(to, say):
    enter, python, venv, lock = [], _find_python(), to / "venv", LOCK
    if python is None:
        _need_debian()
        say("a bare Debian 13, because no Python 3.13.2 is here ...")
        _run(DEBIAN, "make", to / "debian", "trixie", PACKAGES)
        shutil.copy(LOCK, to / "debian/srv")
        enter, python = [DEBIAN, "run", to / "debian", "root"], "python3"
        venv, lock = Path("/srv/venv"), Path("/srv", LOCK.name)
    say("Home Assistant into that, some 120 MB to download ...")
    _run(*enter, python, "-m", "venv", "--clear", venv)
    _run(*enter, venv / "bin/python", "-m", "pip", "install", "--no-input", "--require-hashes", "-r", lock)


def _find_python():
    """Return a suitable Python on this machine, or None."""
    test = f"import sys; sys.exit(sys.version_info[:2] != {PYTHON} or sys.version_info[2] < {MIN_MICRO})"
    for name in ("python3.13", "python3"):
        if (found := shutil.which(name)) and subprocess.run(
            [found, "-c", test], capture_output=True, check=False
        ).returncode == 0:
            return found
    return None


def _need_debian():
    missing = [tool for tool in ("debootstrap", "setpriv", "unshare") if not shutil.which(tool)]
    if missing:
        raise MissingTool(f"Debian 13 is made with {', '.join(missing)}: sudo apt-get install debootstrap util-linux")
    if os.geteuid():
        raise MissingTool("To make Debian 13 takes root, as debootstrap does: sudo make test-home")


def _run(*command):
    run_logged(CACHE_FOLDER / "build.log", *command)


def main():
    return call_build(build, "tests.home_assistant.build", __doc__)


if __name__ == "__main__":
    sys.exit(main())
