"""Tests of `pond report`."""

import pytest

from pond_hw.commands import main
from pond_hw.commands import report as command
from pond_hw.doctor import run_checks
from pond_hw.doctor.check_results import format_results
from pond_hw.doctor.report import format_report, list_differences
from pond_hw.messages.message import Message, as_message
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.rules import PondError
from tests.doctor.pi_trees import Pi, laptop_host
from tests.messages.says import text

DOCTOR, BOARD, SETUP, EVENTS = HEADINGS = [
    text(Message(f"report.heading.{read_section}")) for read_section in ("doctor", "board", "setup", "events")
]
SECRETS = ("anna", "attic-pi", "192.168.0.7", "fe80::1", "b8:27:eb:01:02:03", "c0ffee42", "tok3nTok3nTok3nTok3n9")


@pytest.fixture
def pi(tmp_path):
    return Pi(tmp_path)


def read_section(report, heading):
    lines = report.split("\n")
    begin = lines.index(heading) + 2
    return lines[begin : lines.index("", begin)] if "" in lines[begin:] else lines[begin:]


def test_report_has_all_sections(pi):
    report = format_report("direct-4x4", pi.host, lambda board: [as_message(f"{board}, b2: stuck on")])
    assert report.startswith(text(Message("report.title")) + "\n")
    assert [line for line in report.split("\n") if line in HEADINGS] == HEADINGS
    assert read_section(report, BOARD) == [text(Message("report.shipped_board", board="direct-4x4"))]
    assert read_section(report, SETUP) == ["direct-4x4, b2: stuck on"]
    assert read_section(report, EVENTS) == ["2026-09-21T10:00:00+0200 pond[612]: serving"]
    assert read_section(report, DOCTOR) == format_results(run_checks("direct-4x4", pi.host).check_results)[:-2]
    assert text(Message("doctor.count.no_fault"), Message("doctor.count.no_warning")) in report
    assert read_section(format_report("direct-4x4", pi.host), SETUP) == [text(Message("report.nothing_measured"))]


def test_custom_profile_differences_are_listed(pi, tmp_path):
    board = tmp_path / "attic.toml"
    profile = (BOARDS_FOLDER / "direct-4x4.toml").read_text(encoding="utf-8")
    profile = profile.replace("brightness = 0.5", "brightness = 0.7").replace('title = "', 'title = "Of Anna: ')
    board.write_text(
        profile.replace("[undo_key]\npin = 26", "[undo_key]\npin = 17").replace(" 4  17 ", " 4  26 "), encoding="utf-8"
    )
    title, *differences = read_section(format_report(str(board), pi.host), BOARD)
    assert title == text(Message("report.changed_board", board="attic", nearest="direct-4x4"))
    for key, default, value in (("lamps.brightness", "0.5", "0.7"), ("undo_key.pin", "26", "17")):
        difference = text(Message("report.difference.changed", key=key, default=default, value=value))
        assert f"  {difference}" in differences
    assert len([line for line in differences if line.startswith("  sensors.cells: ")]) == 1
    assert len(differences) == 3


def test_text_of_an_unknown_key_is_left_out(pi, tmp_path):
    board = tmp_path / "attic.toml"
    board.write_text('owner = "Jan Jansen"\n' + (BOARDS_FOLDER / "direct-4x4.toml").read_text(encoding="utf-8"))
    _, difference = read_section(format_report(str(board), pi.host), BOARD)
    assert difference.strip() == text(Message("report.difference.added", key="owner", value="…"))


def test_missing_and_added_keys_are_differences():
    assert list_differences({"a": 1, "b": 2}, {"a": 1.0, "c": 3}) == [
        Message("report.difference.added", key="c", value="3"),
        Message("report.difference.missing", key="b", default="2"),
    ]


def test_unreadable_profile_is_named(pi):
    pi.write("/etc/pond/pond.conf", "POND_BOARD=/etc/pond/boards/mine.toml\n")
    assert read_section(format_report(None, pi.host), BOARD) == [text(Message("report.unreadable_board", board="mine"))]


def test_report_contains_no_personal_data(pi):
    pi.answers["journalctl -u pond -n 60"] = "".join(f"10:00 pond[1]: {secret} came in\n" for secret in SECRETS)
    pi.answers["journalctl -u pond -p warning"] = " ".join(SECRETS)
    pi.write("/etc/pond/pond.conf", "POND_BOARD=/home/anna/attic-pi.toml\n")
    report = format_report("direct-4x4", pi.host)
    assert len(read_section(report, EVENTS)) == len(SECRETS)
    for secret in SECRETS:
        assert secret not in report


def test_report_on_a_laptop_has_no_board_or_events(tmp_path):
    report = format_report(None, laptop_host(tmp_path))
    assert read_section(report, BOARD) == [text(Message("report.no_board"))]
    assert read_section(report, EVENTS) == [text(Message("report.no_events"))]


def test_control_characters_are_removed(pi):
    pi.answers["journalctl -u pond -n 60"] = "\x1b[31mred\x07\n"
    assert read_section(format_report(None, pi.host), EVENTS) == ["[31mred"]


def test_report_never_overwrites_a_file(pi, tmp_path, capsys):
    file = tmp_path / "report.txt"
    command.write_report("direct-4x4", str(file), pi.host)
    assert file.read_text(encoding="utf-8") == format_report("direct-4x4", pi.host)
    assert capsys.readouterr().out == text(Message("report.written", file=str(file))) + "\n"
    file.write_text("a letter")
    with pytest.raises(PondError):
        command.write_report("direct-4x4", str(file), pi.host)
    assert file.read_text() == "a letter"


def test_unreadable_measurements_are_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("POND_BOARDS", str(tmp_path))
    (tmp_path / "direct-4x4.measured.toml").write_text("no", encoding="utf-8")
    (unreadable,) = command.describe_measurements("direct-4x4")
    assert unreadable.id == "report.unreadable_calibration"
    assert "direct-4x4.measured.toml" in text(unreadable)


def test_report_command_prints_the_report(capsys, tmp_path):
    assert main.main(["report", "--board", "simulated-4x4"]) == 0
    assert text(Message("report.shipped_board", board="simulated-4x4")) in capsys.readouterr().out
    assert main.main(["report", "-o", str(tmp_path / "no" / "such" / "folder")]) == 2
    assert "No such file or directory" in capsys.readouterr().err
    assert main.main(["report", "--board", "nix"]) == 2


def test_report_contains_setup_results(tmp_path, monkeypatch):
    from datetime import UTC, datetime

    from pond_hw.commands.report import describe_measurements
    from pond_hw.messages.message import as_message
    from pond_hw.profile.calibration_store import save_calibration
    from pond_hw.setup import saved_results
    from pond_hw.setup.findings import FAULT, GOOD, SetupFinding
    from pond_hw.setup.step import StepResult

    monkeypatch.setenv("POND_BOARDS", str(tmp_path))
    at = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    assert describe_measurements("direct-4x4") == []
    message = as_message("b3 was asked for and nothing answered.")
    found = SetupFinding(FAULT, "never", ("b3",), message, figures={"presses": 0})
    saved_results.save_result("direct-4x4", "sensors", StepResult((found, SetupFinding(GOOD, "good", ("a1",)))), at)
    save_calibration("direct-4x4", {"lamps.colours": "RGB"}, by="pond setup map", why="map: red and green", now=at)
    step, finding, change = describe_measurements("direct-4x4")
    assert step == Message("report.step", step="sensors", at=at.isoformat(), good=1, bad=1)
    assert text(finding) == "  fault, never: b3 was asked for and nothing answered. {'presses': 0}"
    assert change == Message(
        "report.changed_values",
        keys=("lamps.colours",),
        at=at.isoformat(),
        who="pond setup map",
        why="map: red and green",
    )
