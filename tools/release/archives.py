"""Zip archives of the page for browsers, and of the files to build a board."""

from __future__ import annotations

import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from pond_hw.fabrication.row_board import row_kind
from pond_hw.profile import load_profile
from tools.browser import build
from tools.release.dates import HARDWARE, ROOT, read_date
from tools.release.guide import write_guide

SHARED_FILES = ("LICENSE", "docs/mistakes.md", "hardware/README.md", "hardware/ORDER.md", "hardware/slicer.ini")
"""Files for every board."""

PICTURED = "switch-4"
"""Row board in the pictures of the row boards' page."""


def build_browser(to: Path) -> None:
    """Build the page that runs in a browser alone."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "pond-browser")
        build.main(site)
        zip_folder(site, to)


def build_hardware(board: str, to: Path) -> None:
    """Pack all files to build a board, with its guide as a PDF file."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder, f"pond-{board}")
        for path in list_board_files(board):
            copy = top / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        write_guide(board, top / "guide.pdf")
        zip_folder(top, to)


def list_board_files(board: str) -> Iterator[Path]:
    """Yield the files to build a board, and those that its guide refers to."""
    folders = [HARDWARE / board]
    if (HARDWARE / board / "carrier").exists():
        profile = load_profile(board, measured=False)
        row_board = f"{row_kind(profile)}-{profile.size}"
        folders.append(HARDWARE / "row-boards" / row_board)
        yield HARDWARE / "row-boards" / "README.md"
        if row_board != PICTURED:
            yield from (HARDWARE / "row-boards" / PICTURED).glob("*.png")
    yield from (ROOT / name for name in SHARED_FILES)
    yield from (ROOT / "docs" / "pictures").glob("mistake-*.svg")
    for folder in folders:
        yield from (path for path in folder.rglob("*") if path.is_file())


def zip_folder(folder: Path, to: Path) -> None:
    """Write an archive of a folder. The same files give the same bytes."""
    date = time.gmtime(read_date())[:6]
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), date)
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # as on Unix, on every system
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
