"""Tests of the archives for browsers and builders."""

import os
import re
import time
import zipfile
from pathlib import Path

import pytest

from tests.conftest import require

require("weasyprint", "it writes the guides")

from tools.release import archives, guide  # noqa: E402 - they need that
from tools.release.dates import read_date  # noqa: E402
from tools.release.notes import list_boards  # noqa: E402

ROOT = Path(__file__).parents[3]
SMALLEST, LARGEST = "neotrellis-4x4", "hall-5x5"


def names_of(board):
    return {path.relative_to(ROOT).as_posix() for path in archives.list_board_files(board)}


@pytest.mark.parametrize("board", list_boards())
def test_archive_of_a_board_has_what_its_guide_refers_to(board):
    names = names_of(board)
    for page in guide.list_chapters(board):
        assert page.relative_to(ROOT).as_posix() in names
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text("utf-8")):
            picture = Path(os.path.normpath(page.parent / target)).relative_to(ROOT).as_posix()
            assert picture in names


def test_archive_of_a_board_has_files_to_order_and_print():
    names = names_of(LARGEST)
    assert {
        "hardware/hall-5x5/carrier/hall-5x5-carrier-gerbers.zip",
        "hardware/hall-5x5/stl/case.stl",
        "hardware/hall-5x5/parts.csv",
        "hardware/row-boards/magnet-5/magnet-5-gerbers.zip",
        "hardware/slicer.ini",
    } <= names
    assert not any("hall-4x4" in name or "magnet-4" in name for name in names)


def test_archive_does_not_depend_on_the_machine(tmp_path):
    folders = [tmp_path / "one" / "pond", tmp_path / "two" / "pond"]
    for number, folder in enumerate(folders):
        folder.mkdir(parents=True)
        for name in ("b.txt", "a.txt") if number else ("a.txt", "b.txt"):
            (folder / name).write_text(name)
            (folder / name).chmod(0o600 if number else 0o666)
            os.utime(folder / name, (number * 1e9,) * 2)
        archives.zip_folder(folder, tmp_path / f"{number}.zip")
    assert (tmp_path / "0.zip").read_bytes() == (tmp_path / "1.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "0.zip") as archive:
        assert archive.namelist() == ["pond/a.txt", "pond/b.txt"]
        entry = archive.getinfo("pond/a.txt")
    assert (entry.external_attr >> 16, entry.date_time[:5]) == (0o644, time.gmtime(read_date())[:5])


@pytest.mark.parametrize("board", [SMALLEST, LARGEST])
def test_links_and_pictures_of_a_guide_lead_somewhere(board):
    html = guide.format_guide(board)
    names, links = re.findall(r'id="([^"]+)"', html), re.findall(r'href="([^"]+)"', html)
    assert f"hardware-{board}-assembly" in names
    assert {link[1:] for link in links if link.startswith("#")} <= set(names)
    assert all(link.startswith(("#", "https://")) for link in links)
    pictures = re.findall(r'src="([^"]{,30})', html)
    assert pictures
    assert all(picture.startswith("data:image/") for picture in pictures)  # also the same in every folder


def test_guide_lists_all_parts():
    with (ROOT / "hardware" / SMALLEST / "parts.csv").open(encoding="utf-8") as file:
        lines = len(file.readlines())
    assert guide.format_guide(SMALLEST).rpartition("<section")[2].count("<tr>") == lines


@pytest.mark.slow
def test_same_pages_give_the_same_pdf(tmp_path):
    for number in range(2):
        guide.write_guide(SMALLEST, tmp_path / f"{number}.pdf")
    first = (tmp_path / "0.pdf").read_bytes()
    assert first.startswith(b"%PDF-1.7")
    assert first == (tmp_path / "1.pdf").read_bytes()
