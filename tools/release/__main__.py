"""Build everything that is published with a version: `make release`.

The same sources give the same bytes, on the same Debian release: PDF files also depend on its fonts and its Pango.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pond_hw
from tools import dist
from tools.release.archives import build_browser, build_hardware
from tools.release.dates import ROOT, read_date
from tools.release.notes import list_boards, list_published, write_checksums, write_notes
from tools.release.pico import build_firmware
from tools.release.sbom import write_sbom

DEBIANS = ("bookworm", "trixie")
PROCESSORS = ("amd64", "arm64")
QEMU_NAMES = {"amd64": "x86_64", "arm64": "aarch64", "armhf": "arm"}
EMULATORS = Path("/proc/sys/fs/binfmt_misc")
"""Folder with the emulators that the kernel calls."""

PREFIX = f"pond-{pond_hw.__version__}"

DEBS = "debs"


def build_debs(folder: Path, processors: Iterable[str]) -> None:
    """Build the Debian packages. `.ci/deb` makes a fresh Debian for each."""
    for processor in processors:
        for debian in DEBIANS:
            foreign = {} if processor == read_processor() else {"ARCH": processor}
            environment = {**os.environ, **foreign, "SOURCE_DATE_EPOCH": str(read_date()), "DIST": str(folder)}
            subprocess.run([ROOT / ".ci" / "deb", debian], env=environment, check=True)


def read_processor() -> str:
    """Return Debian's name of this machine's processor."""
    command = ["dpkg", "--print-architecture"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def find_obstacle(parts: Iterable[str], processors: Iterable[str]) -> str | None:
    """Return why these parts can't be built here, and what to do; None if they can."""
    if "browser" in parts and not (shutil.which("node") and shutil.which("npm")):
        return "the page for browsers needs node and npm: sudo apt install nodejs npm; or name only other parts in ARGS"
    if DEBS not in parts:
        return None
    if os.geteuid():
        return "Debian packages are built as root: sudo make release; or name only other parts in ARGS"
    own = read_processor()
    for processor in processors:
        if processor != own and not (EMULATORS / f"qemu-{QEMU_NAMES[processor]}").exists():
            return f"no emulator for {processor}: sudo apt install qemu-user-static; or add --processor {own} to ARGS"
    return None


def build_archives(folder: Path) -> None:
    for board in list_boards():
        build_hardware(board, folder / f"{PREFIX}-hardware-{board}.zip")


PARTS: dict[str, Callable[[Path], None]] = {
    "python": dist.main,
    "browser": lambda folder: build_browser(folder / f"{PREFIX}-browser.zip"),
    "hardware": build_archives,
    "pico": lambda folder: build_firmware(folder / f"{PREFIX}-pico-files.uf2"),
    "sbom": lambda folder: write_sbom(folder / f"{PREFIX}-sbom.cdx.json"),
    "notes": lambda folder: write_notes(folder / f"{PREFIX}-release-notes.md"),
}
"""Builders of the published files by name, without the Debian packages."""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    names = [*PARTS, DEBS]
    parser.add_argument("parts", nargs="*", help=f"build only these: {', '.join(names)}")
    parser.add_argument("--processor", action="append", choices=QEMU_NAMES, help="build Debian packages only for this")
    options = parser.parse_args(arguments)
    parts = options.parts or names
    if unknown := set(parts) - set(names):
        parser.error(f"there is no {min(unknown)}; choose from {', '.join(names)}")
    processors = options.processor or PROCESSORS
    if obstacle := find_obstacle(parts, processors):
        parser.error(obstacle)
    folder = options.folder.resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"can't make the folder {folder}: {error.strerror}")
    if not options.parts:
        for old in list_published(folder):
            old.unlink()
    for name, build in PARTS.items():
        if name in parts:
            build(folder)
    if DEBS in parts:
        build_debs(folder, processors)
    write_checksums(folder)
    for path in list_published(folder):
        print(f"{path.stat().st_size:>10,}  {path.name}")


if __name__ == "__main__":
    main()
