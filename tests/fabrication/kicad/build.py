"""Install KiCad in its own folder: `sudo python -m tests.fabrication.kicad.build`, or `make kicad`.

KiCad has `kicad-cli` in Debian 13, but not in Debian 12. So this script installs a minimal Debian 13 outside the clone,
with KiCad, MicroPython (for tests/pico) and their dependencies. The folder is POND_KICAD or ~/.cache/pond-kicad, and its
subfolder is named after a hash of the recipe. The packages come from this machine's Debian mirror.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from inspect import getsource
from pathlib import Path
from time import monotonic

from tests.building import MissingTool, call_build, run_logged

CACHE_FOLDER = Path(
    os.environ.get("POND_KICAD")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "pond-kicad").expanduser()
).resolve()
SUITE = "trixie"
KEYS = f"/usr/share/keyrings/debian-archive-{SUITE}-stable.gpg"

LEFT_OUT = ("doc/*", "man/*", "info/*", "locale/*", "kicad/demos/*")
"""Parts of /usr/share that are not installed."""


def place():
    """Return the root folder of the Debian with KiCad. It need not exist yet."""
    recipe = "\0".join([SUITE, *LEFT_OUT, getsource(_install)])
    return CACHE_FOLDER / f"{SUITE}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


def build(say=print):
    """Install a Debian with KiCad, unless it exists.

    Returns:
        The root folder of a Debian with /usr/bin/kicad-cli.

    Raises:
        MissingTool: it needs root, or something must be installed first.
        subprocess.CalledProcessError: a step failed; its last lines are printed.
    """
    to = place()
    if to.exists():
        say(f"KiCad is there: {to}")
        return to
    if missing := [package for package, there in _needs().items() if not there]:
        raise MissingTool(
            f"KiCad's Debian is made with {' and '.join(missing)}: sudo apt-get install {' '.join(missing)}"
        )
    if os.geteuid():
        raise MissingTool("To make KiCad's Debian takes root, as debootstrap does: sudo make kicad")
    begun = monotonic()
    CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
    half = to.with_suffix(".half")
    shutil.rmtree(half, ignore_errors=True)
    _install(half, say)
    half.rename(to)
    for other in CACHE_FOLDER.glob(f"{SUITE}-*"):
        if other != to:
            shutil.rmtree(other)
    size = subprocess.run(["du", "-sm", to], capture_output=True, text=True, check=True).stdout.split()[0]
    say(f"KiCad is in {to}, {size} MB, after {monotonic() - begun:.0f} s")
    return to


def _needs():
    return {"debootstrap": shutil.which("debootstrap"), "debian-archive-keyring": Path(KEYS).exists()}


def _install(to, say):
    """Install a minimal Debian, MicroPython, and KiCad without its symbol, footprint and 3D model libraries."""
    proxy = _read_output("apt-config", "dump", "Acquire::http::Proxy").partition('"')[2].partition('"')[0]
    proxied = {"http_proxy": proxy} if proxy else {}
    say(f"a bare Debian ({SUITE}) into {to} ...")
    _run("debootstrap", "--variant=minbase", f"--keyring={KEYS}", SUITE, to, _mirror(), env={**os.environ, **proxied})
    lines = "".join(f"path-exclude=/usr/share/{each}\n" for each in LEFT_OUT)
    (to / "etc/dpkg/dpkg.cfg.d/small").write_text(lines)
    for file in ("/etc/hosts", "/etc/resolv.conf"):
        if Path(file).exists():
            shutil.copy(file, to / file[1:])
    say("KiCad into that, some 200 MB to download ...")
    inside = ["chroot", to, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive"]
    inside += [f"{name}={value}" for name, value in proxied.items()]
    _run(*inside, "apt-get", "update")
    _run(*inside, "apt-get", "install", "-y", "--no-install-recommends", "kicad", "micropython")
    _run(*inside, "apt-get", "clean")
    shutil.rmtree(to / "var/lib/apt/lists")


def _mirror():
    """Return this machine's Debian mirror.

    Raises:
        MissingTool: no mirror is configured.
    """
    asked = ["apt-get", "indextargets", "--format", "$(LABEL)|$(REPO_URI)"]
    if not (found := re.search(r"^Debian\|((?:https?|file):.*)$", _read_output(*asked), re.MULTILINE)):
        raise MissingTool("apt names no mirror of Debian here. If it has one: sudo apt-get update")
    return found[1]


def _read_output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _run(*command, env=None):
    run_logged(CACHE_FOLDER / "build.log", *command, env=env)


def main():
    return call_build(build, "tests.fabrication.kicad.build", __doc__)


if __name__ == "__main__":
    sys.exit(main())
