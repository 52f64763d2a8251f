"""Exports for board makers: they are current and match KiCad's output, and planted faults are found."""

import csv
import io
import re
import zipfile

import pytest

from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.profile import load_profile
from tests.conftest import each, long_after_first
from tests.fabrication.kicad.board_reading import PORT_WIDTH, THICK_WIDTH, board_rules, read_board
from tests.fabrication.kicad.cli import board_faults, kicad
from tests.fabrication.kicad.exports import _undated, exported_fingerprint, fingerprint, make_exports
from tests.fabrication.kicad.test_carrier import segment_length
from tests.fabrication.test_build_folder import ROOT
from tests.fabrication.test_carrier import CARRIED
from tools.pcb.maker import EXPORT_SUFFIXES


def carrier_file(name, end):
    folder = ROOT / "hardware" / name / "carrier"
    return folder / (end if end.endswith(".csv") else f"{name}-carrier{end}")


def board_text(name):
    return carrier_file(name, ".kicad_pcb").read_text(encoding="utf-8")


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@each("name", CARRIED)
def test_committed_exports_are_current_and_small(name):
    for end in EXPORT_SUFFIXES:
        path = carrier_file(name, end)
        assert exported_fingerprint(path) == fingerprint(carrier_file(name, ".kicad_pcb").read_bytes()), (
            "run `make carriers`"
        )
        assert path.stat().st_size < 90_000


@pytest.mark.slow
@pytest.mark.parametrize("name", long_after_first(CARRIED))
def test_kicad_exports_are_reproducible(name):
    archive = make_exports(f"{name}-carrier", board_text(name))[0]
    made, there = zipfile.ZipFile(io.BytesIO(archive)), zipfile.ZipFile(carrier_file(name, "-gerbers.zip"))
    assert made.namelist() == there.namelist()
    ends = {each.rpartition(".")[2] for each in there.namelist()}
    assert ends == {"gtl", "gbl", "gts", "gbs", "gto", "gbo", "gtp", "gm1", "drl"}
    for member in there.namelist():
        assert made.read(member) == there.read(member), member


def test_gerber_files_have_no_date_or_version():
    dated = (
        "%TF.GenerationSoftware,KiCad,Pcbnew,9.0.2+dfsg-1*%\n%TF.CreationDate,2026-11-27T02:43:03+00:00*%\n"
        "G04 Created by KiCad (PCBNEW 9.0.2+dfsg-1) date 2026-11-27 02:43:03*\n"
    )
    assert _undated(dated) == "%TF.GenerationSoftware,KiCad,Pcbnew*%\nG04 Created by KiCad*\n"
    drilled = "; DRILL file {KiCad 9.0.2+dfsg-1} date 2026-11-27T02:43:05+0000\n; #@! TF.CreationDate,2026-11-27\nM30\n"
    assert _undated(drilled) == "; DRILL file {KiCad}\nM30\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", long_after_first(CARRIED))
def test_kicad_lists_the_same_parts_and_positions(name):
    files = {f"{name}-carrier{end}": carrier_file(name, end).read_text() for end in (".kicad_pcb", ".kicad_sch")}
    with kicad(files) as (folder, call):
        call("pcb", "export", "pos", "--format", "csv", "--units", "mm", "-o", "pos.csv", f"{name}-carrier.kicad_pcb")
        fields = "Value,Reference,Footprint,${QUANTITY}", "--group-by", "Value,Footprint", "--ref-range-delimiter", ""
        call("sch", "export", "bom", "--fields", *fields, "-o", "bom.csv", f"{name}-carrier.kicad_sch")
        read_places, read_parts = (rows((folder / each).read_text()) for each in ("pos.csv", "bom.csv"))
    placed = [
        (row["Designator"], *(float(row[f"Mid {axis}"].removesuffix("mm")) for axis in "XY"), row["Layer"].lower())
        for row in rows(carrier_file(name, "placement.csv").read_text())
    ]
    assert sorted(placed) == sorted(
        (row["Ref"], float(row["PosX"]), float(row["PosY"]), row["Side"])
        for row in read_places
        if not row["Ref"].startswith("TP") and row["Ref"] != "J6"
    )
    for way, left_out in (("assembled", {"J6"}), ("by-hand", {"J2", "R6", "R7"})):
        listed = rows(carrier_file(name, f"bom-{way}.csv").read_text())
        assert all(int(row["Quantity"]) == len(row["Designator"].split(",")) for row in listed)
        footprints = {ref: row["Footprint"] for row in listed for ref in row["Designator"].split(",")}
        assert footprints == {
            ref: row["Footprint"].removeprefix("pond:")
            for row in read_parts
            for ref in row["Reference"].replace("?", "").split(",")  # KiCad appends one to names without a number
            if not ref.startswith("TP") and ref not in left_out
        }


# --- Planted board faults ---


def own_rules(name, text):
    sized = SolidLayout(load_profile(name))
    x, y = sized.carrier_corner or (0, 0)
    standoffs = [(u - x, v - y) for u, v in sized.carrier_holes]
    refs = set(re.findall(r'"Reference" "(J1[1-9])"', text))
    if not sized.has_lamp_supply:
        return board_rules(text, standoffs, {"J1", "F1", "C1"} | refs, PORT_WIDTH if sized.is_pico else THICK_WIDTH)
    return board_rules(text, standoffs, {"J2", "J6", "F1", "TVS1", "Q1", "C1"} | refs)


@each("name", CARRIED)
def test_our_rules_accept_a_good_board(name):
    text = board_text(name)
    assert own_rules(name, text) == []
    board = read_board(text)
    assert len(board.holes) == 4
    assert len(board.pads) == len(re.findall(r'\(pad "[^"]', text))
    assert len(board.tracks) == text.count("\n(segment ")


def thinner(text, width, to):
    return text.replace(f"(width {width})", f"(width {to})")


def long_and_thick(text):
    return max(re.findall(r"^\(segment .*\(width 2.0\).*\n", text, re.MULTILINE), key=segment_length)


def add_near_track(text):
    """Add a track of another net that is 0.1 mm too close to a pad."""
    x, y = (40 + each for each in next(pad.place for pad in read_board(text).pads if pad.ref == "J14"))
    near = f'(segment (start {x + 1.07} {y - 1}) (end {x + 1.07} {y + 1}) (width 0.25) (layer "B.Cu") (net 3))\n'
    return text.replace("\n(segment ", f"\n{near}(segment ", 1)


def without_line(text, found):
    return re.sub(rf"^\(footprint .*{found}.*\n", "", text, count=1, flags=re.MULTILINE)


def moved(text, ref, right, down):
    """Move a part, without its tracks."""

    def move(match):
        return f"{match[1]}(at {float(match[2]) + right} {float(match[3]) + down})"

    line = next(line for line in text.splitlines() if line.startswith("(footprint") and f'"Reference" "{ref}"' in line)
    return text.replace(line, re.sub(r"^(.*?)\(at (\S+) (\S+)\)", move, line, count=1))


def with_pin_nets_swapped(text, ref, one, other):
    line = next(line for line in text.splitlines() if line.startswith("(footprint") and f'"Reference" "{ref}"' in line)
    first, second = (re.search(rf'\(pad "{number}" .*?(\(net \d+ ".*?"\))', line)[1] for number in (one, other))
    return text.replace(line, line.replace(first, "@").replace(second, first).replace("@", second))


BOARD_FAULTS = {
    "a track too thin to manufacture": lambda text: thinner(text, 0.25, 0.1),
    "a track too thin for the lamps' current": lambda text: text.replace(
        long_and_thick(text), thinner(long_and_thick(text), "2.0", 0.25)
    ),
    "a track too close to a pad": add_near_track,
    "a pad without a hole": lambda text: text.replace("(size 1.7 1.7) (drill 1)", "(size 1.7 1.7)", 1),
    "a part without holes": lambda text: without_line(text, '"Reference" "C2"'),
    "no hole over a standoff": lambda text: without_line(text, '"Reference" "H3"'),
    "a fiducial missing": lambda text: without_line(text, '"Reference" "FID2"'),
    "a tooling hole missing": lambda text: without_line(text, '"Reference" "T1"'),
    "the USB-C socket in the middle": lambda text: moved(text, "J2", 20, 0),
    "a row's header in the middle": lambda text: moved(text, "J14", 0, -20),
    "the data resistor far away": lambda text: moved(text, "R1", -60, 20),
    "a turned TVS diode": lambda text: with_pin_nets_swapped(text, "TVS1", "1", "2"),
    "a turned LED": lambda text: with_pin_nets_swapped(text, "LED1", "1", "2"),
}

BOARD_FOUND_BY = {
    "a track too thin to manufacture": {"track_width"},
    "a track too thin for the lamps' current": {"thin way for the lamps' current"},  # KiCad doesn't know the currents
    "a track too close to a pad": {"clearance"},
    "a pad without a hole": {"padstack_invalid"},
    "a part without holes": {"missing_footprint"},
    "no hole over a standoff": {"no hole over a standoff"},  # nor the case
    "a fiducial missing": {"wrong number of fiducials"},
    "a tooling hole missing": {"wrong number of tooling holes"},
    "the USB-C socket in the middle": {"USB-C socket away from the edge"},
    "a row's header in the middle": {"header of a row away from the near edge"},
    "the data resistor far away": {"data resistor away from the level shifter"},
    "a turned TVS diode": {"net_conflict"},
    "a turned LED": {"net_conflict"},
}

CURRENT_FAULT = "thin way for the lamps' current"
"""Our rule that also finds a moved part, because its thick tracks no longer reach it."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", BOARD_FAULTS)
def test_planted_board_faults_are_found(fault):
    name, text = "hall-4x4", board_text("hall-4x4")
    damaged = BOARD_FAULTS[fault](text)
    assert damaged != text
    files = {f"{name}-carrier{end}": carrier_file(name, end).read_text() for end in (".kicad_sch", ".kicad_dru")}
    files[f"{name}-carrier.kicad_pcb"] = damaged
    found = {kind for kind, *_ in (*board_faults(f"{name}-carrier", files), *own_rules(name, damaged))}
    assert found >= BOARD_FOUND_BY[fault], found
    own = {kind for kind in found if " " in kind} - {CURRENT_FAULT}
    assert own == {kind for kind in BOARD_FOUND_BY[fault] if " " in kind} - {CURRENT_FAULT}
