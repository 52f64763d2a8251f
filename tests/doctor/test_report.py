"""One text to show when asking for help."""

import pytest

from pond_hw.commands import main
from pond_hw.commands import report as command
from pond_hw.doctor.report import format_differences, format_report
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.rules import PondError
from tests.setup.trees import Pi, a_laptop_of

SECRETS = ("anna", "attic-pi", "192.168.0.7", "fe80::1", "b8:27:eb:01:02:03", "c0ffee42", "tok3nTok3nTok3nTok3n9")


@pytest.fixture
def pi(tmp_path):
    return Pi(tmp_path)


def part(text, heading):
    """The lines below a heading."""
    lines = text.split("\n")
    begin = lines.index(heading) + 2
    return lines[begin : lines.index("", begin)] if "" in lines[begin:] else lines[begin:]


def test_it_has_a_place_for_everything(pi):
    text = format_report("direct-4x4", pi.around, lambda board: [f"{board}, b2: stuck on"])
    headings = [line for line in text.split("\n") if line in ("Doctor", "Board", "Set-up", "Events")]
    assert headings == ["Doctor", "Board", "Set-up", "Events"]
    assert part(text, "Board") == ["direct-4x4, as it ships."]
    assert part(text, "Set-up") == ["direct-4x4, b2: stuck on"]
    assert part(text, "Events") == ["2026-09-21T10:00:00+0200 pond[612]: serving"]
    assert "No fault, no warning" in text
    assert part(format_report("direct-4x4", pi.around), "Set-up") == ["Nothing has been measured."]


def test_a_profile_of_ones_own_is_told_by_what_it_has_otherwise(pi, tmp_path):
    board = tmp_path / "attic.toml"
    text = (BOARDS_FOLDER / "direct-4x4.toml").read_text(encoding="utf-8")
    text = text.replace("brightness = 0.5", "brightness = 0.7").replace('title = "', 'title = "Of Anna: ')
    board.write_text(text.replace("[key]\npin = 26", "[key]\npin = 17").replace(" 4  17 ", " 4  26 "), encoding="utf-8")
    told = part(format_report(str(board), pi.around), "Board")
    assert told[0] == "attic, which is direct-4x4 but for"
    assert "  lamps.brightness: 0.5 -> 0.7" in told
    assert "  key.pin: 26 -> 17" in told
    assert len([line for line in told if line.startswith("  sensors.cells: ")]) == 1
    assert len(told) == 4


def test_keys_that_only_one_has_are_differences_too():
    assert format_differences({"a": 1, "b": 2}, {"a": 1, "c": 3}) == ["  c: not there -> 3", "  b: 2 -> not there"]


def test_nobody_is_named(pi):
    pi.answers["journalctl -u pond -n 60"] = "".join(f"10:00 pond[1]: {secret} came in\n" for secret in SECRETS)
    pi.answers["journalctl -u pond -p warning"] = " ".join(SECRETS)
    pi.write("/etc/pond/pond.conf", "POND_BOARD=/home/anna/attic-pi.toml\n")
    text = format_report("direct-4x4", pi.around)
    assert len(part(text, "Events")) == len(SECRETS)
    for secret in SECRETS:
        assert secret not in text


def test_a_laptop_has_a_report_too(tmp_path):
    text = format_report(None, a_laptop_of(tmp_path))
    assert part(text, "Board") == ["No board was named."]
    assert part(text, "Events") == ["The journal tells nothing."]


def test_what_a_terminal_would_obey_is_taken_out(pi):
    pi.answers["journalctl -u pond -n 60"] = "\x1b[31mred\x07\n"
    assert part(format_report(None, pi.around), "Events") == ["[31mred"]


def test_it_is_written_to_a_new_file_and_never_over_another(pi, tmp_path, capsys):
    file = tmp_path / "report.txt"
    command.write_report("direct-4x4", str(file), pi.around)
    assert file.read_text(encoding="utf-8") == format_report("direct-4x4", pi.around)
    assert "Read it before you show it" in capsys.readouterr().out
    file.write_text("a letter")
    with pytest.raises(PondError, match="is kept"):
        command.write_report("direct-4x4", str(file), pi.around)
    assert file.read_text() == "a letter"


def test_the_command(capsys, tmp_path):
    assert main.main(["report", "--board", "simulated-4x4"]) == 0
    assert "simulated-4x4, as it ships." in capsys.readouterr().out
    assert main.main(["report", "-o", str(tmp_path / "no" / "such" / "folder")]) == 2
    assert "folder cannot be written: No such file or directory." in capsys.readouterr().err
    assert main.main(["report", "--board", "nix"]) == 2


def test_what_set_up_found_and_changed_is_in_it(tmp_path, monkeypatch):
    from datetime import UTC, datetime

    from pond_hw.commands.report import describe_measurements
    from pond_hw.messages.message import as_message
    from pond_hw.profile.calibration_store import save_calibration
    from pond_hw.setup import results_store
    from pond_hw.setup.findings import FAULT, GOOD, SetupFinding
    from pond_hw.setup.step import StepResult

    monkeypatch.setenv("POND_BOARDS", str(tmp_path))
    at = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    assert describe_measurements("direct-4x4") == []
    message = as_message("b3 was asked for and nothing answered.")
    found = SetupFinding(FAULT, "never", ("b3",), message, figures={"presses": 0})
    results_store.save_result("direct-4x4", "sensors", StepResult((found, SetupFinding(GOOD, "good", ("a1",)))), at)
    save_calibration("direct-4x4", {"lamps.colours": "RGB"}, by="pond setup map", why="map: red and green", now=at)
    assert describe_measurements("direct-4x4") == [
        "sensors, 2026-11-21T12:00:00+00:00: 1 good, 1 not",
        "  fault, never: b3 was asked for and nothing answered. {'presses': 0}",
        "changed lamps.colours, 2026-11-21T12:00:00+00:00, by pond setup map: map: red and green",
    ]
