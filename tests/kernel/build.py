"""Build the simulated Pi: kernel, module, init program and device trees: `python -m tests.kernel.build`.

The result is in .kernel/ (or the folder POND_KERNELS) under the hash of its sources, so a second call takes no time. If
only the module has changed, the build takes a few seconds. It does not need root.
"""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from inspect import getsource
from pathlib import Path
from time import monotonic

from tests.building import MissingTool, call_build, run_logged

HERE = Path(__file__).resolve().parent
KIT = HERE / "kit"
KIT_STORE = Path(os.environ.get("POND_KERNELS") or HERE.parents[1] / ".kernel").resolve()
SOURCES = Path("/usr/src")
LINUX = "6.12"

TOOLS = {"gcc": "gcc", "make": "make", "flex": "flex", "bison": "bison", "bc": "bc", "xz": "xz-utils", "tar": "tar"}
HEADERS = {"/usr/include/libelf.h": "libelf-dev", "/usr/include/stdio.h": "libc6-dev"}

CPU_STATE = "DEFINE_LONGS(HOST_FP_SIZE, 2696)", "DEFINE_LONGS(HOST_FP_SIZE, 11008)"
"""Replacement for the size of a process's processor state. Kernel 6.12 expects AVX-512 at most. On newer processors with
AMX, it would stop with "ptrace set fp regs failed".
"""


def archive():
    """Return the path of the kernel's source archive."""
    return SOURCES / f"linux-source-{LINUX}.tar.xz"


def missing_packages():
    """Return the packages that must be installed before a build.

    Raises:
        MissingTool: this machine is not supported.
    """
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise MissingTool("The simulated Pi can only be built on a PC with Linux (x86-64).")
    packages = [package for tool, package in TOOLS.items() if not shutil.which(tool)]
    packages += [package for header, package in HEADERS.items() if not Path(header).exists()]
    if not archive().exists():
        packages.append(archive().name.partition(".tar")[0])
    return packages


def version():
    """Return the package version of the kernel's source. Without a package manager, return the hash of the archive."""
    package = f"linux-source-{LINUX}"
    asked = ["dpkg-query", "-W", "-f", "${Version}", package]
    try:
        version_text = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        version_text = ""
    if version_text:
        return version_text
    with archive().open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def kit_folder():
    """Return the folder of the kit, whether it has been built or not.

    Raises:
        MissingTool: there is no kernel source on this machine.
    """
    files = sorted(each for each in KIT.rglob("*") if each.is_file())
    return KIT_STORE / f"kit-{_hash(files, getsource(_kernel), getsource(_kit))}"


def describe_missing(packages):
    """Return the message about missing packages."""
    it = "it" if len(packages) == 1 else "them"
    return (
        f"The simulated Pi needs {', '.join(packages)}. Install {it} with: sudo apt-get install "
        f"--no-install-recommends {' '.join(packages)}"
    )


def build(say=print):
    """Build the kit unless it exists.

    Returns:
        The folder of the kit: linux, breadboard.ko, init, fdtoverlay, and the device trees with their overlays.

    Raises:
        MissingTool: something must be installed first.
        subprocess.CalledProcessError: a step failed. The end of its output is printed.
    """
    if missing := missing_packages():
        raise MissingTool(describe_missing(missing))
    to = kit_folder()
    if to.exists():
        say(f"The simulated Pi exists already: {to}")
        return to
    begun = monotonic()
    KIT_STORE.mkdir(exist_ok=True)
    kernel = KIT_STORE / f"linux-{_hash([KIT / 'pi.config'], getsource(_kernel))}"
    if not kernel.exists():
        with _new_folder(kernel) as folder:
            _kernel(folder, say)
    with _new_folder(to) as folder:
        _kit(folder, kernel)
    say(f"The simulated Pi was built in {monotonic() - begun:.0f} s: {to}")
    return to


def _hash(files, *texts):
    if not archive().exists():
        raise MissingTool(describe_missing([f"linux-source-{LINUX}"]))
    digest = hashlib.sha256("\0".join([version(), *CPU_STATE, *texts]).encode())
    for file in files:
        digest.update(f"{file.relative_to(HERE)}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def _new_folder(place):
    """Create a folder under a temporary name, and rename it once it is complete. Delete any incomplete folder first."""
    half = place.with_suffix(".half")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir()
    yield half
    half.rename(place)


def _run(*command):
    run_logged(KIT_STORE / "build.log", *command)


def _make(kernel, *words):
    """Run make in the kernel's source. The output goes to the relative path ../out, so that everything can be moved."""
    _run("make", "-C", kernel / "source", "O=../out", "ARCH=um", f"-j{os.cpu_count() or 1}", *words)


def _kernel(folder, say):
    source, out = folder / "source", folder / "out"
    source.mkdir()
    say(f"unpacking {archive().name} ...")
    _run("tar", "-C", source, "-xf", archive(), "--strip-components=1")
    offsets = source / "arch/x86/um/user-offsets.c"
    before = offsets.read_text()
    if CPU_STATE[0] not in before:
        raise MissingTool(f"{archive().name} is an unsupported kernel: {offsets.name} differs.")
    offsets.write_text(before.replace(*CPU_STATE))
    say("compiling (takes some minutes) ...")
    _make(folder, "allnoconfig")
    wanted = (KIT / "pi.config").read_text()
    with (out / ".config").open("a") as file:
        file.write(wanted)
    _make(folder, "olddefconfig")
    lines = set((out / ".config").read_text().splitlines())
    if unknown := [line for line in re.findall(r"^CONFIG_\w+=.*$", wanted, re.MULTILINE) if line not in lines]:
        raise MissingTool(f"{archive().name} rejects these lines of pi.config: {', '.join(unknown)}.")
    _make(folder, "linux", "modules")
    for each in source.iterdir():  # a module needs few of the kernel's files
        if each.is_dir() and each.name not in {"arch", "include", "scripts", "tools"}:
            shutil.rmtree(each)
    for each in (*out.rglob("*.o"), *out.rglob("*.a")):
        if "scripts" not in each.parts:
            each.unlink()


def _kit(folder, kernel):
    # The module is built with relative paths, so that the kernel's folder may be renamed.
    module = kernel / "breadboard"
    shutil.rmtree(module, ignore_errors=True)
    shutil.copytree(KIT / "breadboard", module)
    _make(kernel, f"M={module}", "modules")
    _run("strip", "-o", folder / "linux", kernel / "out/linux")
    shutil.copy(module / "breadboard.ko", folder)
    shutil.copy(kernel / "out/scripts/dtc/fdtoverlay", folder)
    _run("gcc", "-O1", "-Wall", "-Werror", "-static", "-o", folder / "init", KIT / "init.c")
    for tree in sorted((KIT / "trees").glob("*.dts")):
        suffix = ".dtbo" if "/plugin/" in tree.read_text() else ".dtb"
        made = folder / (tree.stem + suffix)
        _run(kernel / "out/scripts/dtc/dtc", "-q", "-@", "-O", "dtb", "-o", made, tree)


def main():
    """Build the kit and print its folder. Return the exit code."""
    return call_build(build, "tests.kernel.build", __doc__)


if __name__ == "__main__":
    sys.exit(main())
