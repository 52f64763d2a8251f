"""Committed row boards, checked by KiCad, with planted faults."""

import io
import re
import zipfile

import pytest

from pond_hw.fabrication.row_board import make_row_netlist
from tests.conftest import each
from tests.fabrication.kicad.cli import board_faults, errors, kicad, nets
from tests.fabrication.kicad.exports import exported_fingerprint, fingerprint, make_exports
from tests.fabrication.row_boards.board_reading import read_rows
from tests.fabrication.row_boards.test_row_boards import (
    FOLDER,
    NAMES,
    board_text,
    move_part,
    parse_name,
    swap_pad_nets,
)
from tools.pcb.maker import EXPORT_SUFFIXES


def sources(name, board=""):
    """Return the files that KiCad needs, perhaps with another board."""
    read = {f"{name}{end}": (FOLDER / name / f"{name}{end}").read_text() for end in (".kicad_sch", ".kicad_dru")}
    return read | {f"{name}.kicad_pcb": board or board_text(name)}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_kicad_finds_no_fault_on_row_board(name):
    files = sources(name)
    assert errors(files[f"{name}.kicad_sch"], ignored={"footprint_link_issues"}) == []
    assert board_faults(name, files) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_kicad_reads_the_netlist_of_the_row(name):
    read, _ = nets(sources(name)[f"{name}.kicad_sch"])
    netlist = make_row_netlist(*parse_name(name))
    assert read == {net: set(map(tuple, ends)) for net, ends in netlist.nets.items()}


@each("name", NAMES)
def test_exports_of_row_boards_are_current_and_small(name):
    for end in EXPORT_SUFFIXES:
        path = FOLDER / name / f"{name}{end}"
        assert exported_fingerprint(path) == fingerprint(board_text(name).encode()), "run `make row-boards`"
        assert path.stat().st_size < 60_000


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_gerber_files_of_row_boards_are_reproducible(name):
    archive = make_exports(name, board_text(name))[0]
    made, there = zipfile.ZipFile(io.BytesIO(archive)), zipfile.ZipFile(FOLDER / name / f"{name}-gerbers.zip")
    assert made.namelist() == there.namelist()
    ends = {file.rpartition(".")[2] for file in there.namelist()}
    assert ends == {"gtl", "gbl", "gts", "gbs", "gto", "gbo", "gtp", "gm1", "drl"}
    assert [file for file in there.namelist() if made.read(file) != there.read(file)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_kicad_places_the_same_parts(name):
    with kicad(sources(name)) as (folder, call):
        call("pcb", "export", "pos", "--format", "csv", "--units", "mm", "-o", "pos.csv", f"{name}.kicad_pcb")
        read = read_rows((folder / "pos.csv").read_text())
    listed = read_rows((FOLDER / name / "placement.csv").read_text())
    assert sorted((row["Ref"], float(row["PosX"]), float(row["PosY"]), row["Side"]) for row in read) == sorted(
        (
            row["Designator"],
            *(float(row[f"Mid {axis}"].removesuffix("mm")) for axis in "XY"),
            row["Layer"].lower(),
        )
        for row in listed
    )


def without_track(text):
    """Remove the longest data track."""
    tracks = re.findall(r"^\(segment .*\(width 0.25\).*\n", text, re.MULTILINE)
    return text.replace(tracks[len(tracks) // 2], "")


def without_part(text, ref):
    return re.sub(rf'^\(footprint [^\n]*"Reference" "{ref}".*\n', "", text, flags=re.MULTILINE)


FAULTS = {
    "a moved lamp": (lambda text: move_part(text, "LED3", 2, 0), {"unconnected_items"}),
    "swapped pads": (lambda text: swap_pad_nets(text, "LED3", "2", "4"), {"net_conflict", "shorting_items"}),
    "a turned diode": (lambda text: swap_pad_nets(text, "D2", "1", "2"), {"net_conflict", "shorting_items"}),
    "a track too thin to manufacture": (lambda text: text.replace("(width 0.25)", "(width 0.15)", 1), {"track_width"}),
    "a missing track": (without_track, {"unconnected_items"}),
    "a shifted connector": (lambda text: move_part(text, "J1", 0, 2.5), {"shorting_items"}),
    "a missing part": (lambda text: without_part(text, "C2"), {"missing_footprint"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_kicad_finds_planted_fault_on_row_board(fault):
    plant, wanted = FAULTS[fault]
    damaged = plant(board_text("switch-4"))
    assert damaged != board_text("switch-4")
    assert wanted <= {kind for kind, *_ in board_faults("switch-4", sources("switch-4", damaged))}
