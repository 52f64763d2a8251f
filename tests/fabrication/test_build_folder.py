"""Builds: the files in hardware/ are current, and impossible boards are refused."""

import re
from pathlib import Path
from xml.etree.ElementTree import register_namespace

import pytest

from pond_hw.commands import main
from pond_hw.fabrication.build_folder import build_folder, check_magnets, make_files, min_field
from pond_hw.messages.message import Message
from pond_hw.profile import list_shipped, load_profile, parse_profile
from pond_hw.rules import PondError
from tests.conftest import long_after_first
from tests.fabrication.solids.boards import SHIPPED
from tests.messages.says import says, text
from tests.profile.sheet import Sheet

ROOT = Path(__file__).parents[2]


def committed(name):
    folder = ROOT / "hardware" / name
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("name", long_after_first(sorted(SHIPPED, key=SHIPPED.index, reverse=True)))
def test_committed_documents_are_current(name):
    register_namespace("svg", "http://www.w3.org/2000/svg")  # as docutils does
    there = committed(name)
    for path, data in make_files(load_profile(name, measured=False), ROOT / "hardware" / name):
        if path.startswith("stl/"):
            break
        assert data == there[path], f"hardware/{name}/{path} is outdated: run `make hardware`"


@pytest.mark.long
@pytest.mark.parametrize("name", SHIPPED)
def test_all_committed_files_are_current(name):
    again = dict(make_files(load_profile(name, measured=False), ROOT / "hardware" / name))
    there = {path: data for path, data in committed(name).items() if not path.startswith("carrier/")}
    assert sorted(there) == sorted(again)
    assert [path for path in again if there[path] != again[path]] == []


def test_hardware_folder_has_every_shipped_board():
    there = {path.name for path in (ROOT / "hardware").iterdir() if path.is_dir()}
    assert there == {*SHIPPED, "row-boards"}


@pytest.mark.parametrize("name", SHIPPED)
def test_guide_checks_name_existing_setup_steps(name):
    from pond_hw.setup.step_table import STEPS

    guide = (ROOT / "hardware" / name / "assembly.md").read_text(encoding="utf-8")
    steps = [line.split("`")[0].split()[0] for line in guide.split("--step ")[1:]]
    assert {"map", "sensors"} <= set(steps) <= {*STEPS}
    assert guide.count("\n## ") == guide.count("**Check:**")


def edited(name, changes):
    profile = Sheet(name).text
    for old, new in changes.items():
        assert old in profile
        profile = profile.replace(old, new)
    return profile


def near(value):
    """Return a value that equals any number within 0.05 of it."""
    return pytest.approx(value, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "magnet_mm = 4\nmagnet_height_mm = 1.5",
            Message("magnets.too_weak", x=near(0.6), y=near(0.6), turn=0, field=near(2.64), needed=7),
        ),
        (
            "magnet_mm = 10\nmagnet_height_mm = 4",
            Message("magnets.pieces_move", force=near(33.18), friction=near(14.0)),
        ),
    ],
)
def test_too_weak_or_too_strong_magnets_are_refused(body, message, tmp_path):
    profile = parse_profile(edited("hall-4x4", {"[supply]": f"[body]\n{body}\n\n[supply]"}), "kitchen")
    faults = tuple(check_magnets(profile))
    assert faults == (message,)
    with pytest.raises(PondError) as refused:
        next(make_files(profile, tmp_path))
    assert refused.value.message == Message("build.impossible.wiring", board="kitchen", faults=faults)


def test_linear_sensor_threshold_comes_from_profile():
    profile = load_profile("hall-5x5")
    assert min_field(profile) == pytest.approx(60 * 3300 / 1023 / 30)
    assert list(check_magnets(profile)) == []


@pytest.mark.slow
def test_custom_profile_can_be_built(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for view in ("draw_part", "draw_board"):  # slow, and covered by the long tests
        monkeypatch.setattr(f"pond_hw.fabrication.solids.pictures.{view}", lambda parts: b"a picture")
    Path("kitchen.toml").write_text(edited("neotrellis-4x4", {"[undo_key]\npin = 17": ""}), encoding="utf-8")
    assert main.main(["hardware", "build", "kitchen.toml"]) == 0
    guide = str(Path("hardware/kitchen/assembly.md"))
    made = Message("build.done", count=31, folder="hardware/kitchen", seconds=4, guide=guide)
    assert re.sub(r"\d+", "0", capsys.readouterr().out) == re.sub(r"\d+", "0", f"{text(made)}\n")
    there = {str(path.relative_to("hardware/kitchen")) for path in Path("hardware/kitchen").rglob("*.*")}
    assert {"netlist.txt", "wiring.md", "parts.csv", "assembly.md", "stl/bezel.stl"} <= there
    Path("hardware/kitchen/stl/old.stl").write_bytes(b"from another day")
    assert main.main(["hardware", "build", "kitchen.toml"]) == 0
    assert not Path("hardware/kitchen/stl/old.stl").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "kind", "fault"),
    [
        (
            {'"plain"': '"turned"', "[supply]": "[body]\nmagnet_mm = 10\nmagnet_height_mm = 5\n\n[supply]"},
            "sizes",
            Message("printed.fit.magnets", width=10, height=5, piece=23.1),
        ),
        (
            {"budget_ma = 1900": "budget_ma = 16000", "current_ma = 3000": "current_ma = 20000"},
            "wiring",
            Message("netlist.match.no_such_fuse", budget=16000, most=15000),
        ),
    ],
)
def test_impossible_board_is_refused(changes, kind, fault, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("kitchen.toml").write_text(edited("hall-4x4", changes), encoding="utf-8")
    assert main.main(["hardware", "build", "kitchen.toml"]) == 2
    lines = text(Message(f"build.impossible.{kind}", board="kitchen", faults=(fault,)))
    assert lines in capsys.readouterr().err
    assert not Path("hardware").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simulated-4x4"], Message("build.mismatch.simulated", board="simulated-4x4")),
        (["pwm-4x4"], Message("build.mismatch.lamps", board="pwm-4x4", like="hall-4x4")),
        (["hall-4x5"], Message("profile.board.misspelt", board="hall-4x5", near="hall-5x5", boards=list_shipped())),
        (["direct-4x4", "-o", "letters"], Message("build.folder.foreign", folder="letters", file="aunt.docx")),
        (["direct-4x4", "-o", "notes"], Message("build.folder.foreign", folder="notes", file="todo.md")),
        (["direct-4x4", "-o", "todo.txt"], Message("build.folder.not_a_folder", folder="todo.txt")),
    ],
)
def test_refused_build_keeps_existing_files(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("letters/aunt.docx", "notes/todo.md", "todo.txt"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("dear aunt", encoding="utf-8")
    assert main.main(["hardware", "build", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"pond: {text(message)}")
    assert [Path(name).read_text() for name in ("letters/aunt.docx", "notes/todo.md", "todo.txt")] == ["dear aunt"] * 3


def test_failed_build_leaves_folder_unchanged(tmp_path, monkeypatch):
    def breaks(profile, folder):
        yield "netlist.txt", b"new"
        raise PondError("no more")

    monkeypatch.setattr(
        "pond_hw.fabrication.build_folder.make_files",
        lambda profile, folder: [("netlist.txt", b"old"), ("power.md", b"old")],
    )
    build_folder(load_profile("direct-4x4"), tmp_path / "board")
    monkeypatch.setattr("pond_hw.fabrication.build_folder.make_files", breaks)
    with pytest.raises(PondError, check=says("no more")):
        build_folder(load_profile("direct-4x4"), tmp_path / "board")
    assert [path.read_bytes() for path in sorted((tmp_path / "board").iterdir())] == [b"old", b"old"]


def test_build_keeps_carrier_design(tmp_path, monkeypatch):
    monkeypatch.setattr("pond_hw.fabrication.build_folder.make_files", lambda profile, folder: [("netlist.txt", b"")])
    design = tmp_path / "board" / "carrier" / "board-carrier.kicad_pro"
    design.parent.mkdir(parents=True)
    design.write_bytes(b"edited in KiCad")
    for _ in range(2):
        build_folder(load_profile("direct-4x4"), tmp_path / "board")
    assert design.read_bytes() == b"edited in KiCad"
