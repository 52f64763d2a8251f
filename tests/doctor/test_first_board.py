"""Tests of the checks for the first builder, and of `pond report --first-board`."""

import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pond_hw.commands import report as command
from pond_hw.doctor.first_board import CHECKS, TICKS, format_first_board, numbered_sections, wrap_markdown
from pond_hw.messages.catalogue import BUILDER_LANGUAGES, get_catalogue
from pond_hw.messages.message import Message, as_message
from pond_hw.profile import ProfileError, list_shipped, load_profile, parse_profile
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.rules import PondError
from pond_hw.setup import saved_results
from pond_hw.setup.findings import FAULT, GOOD, SetupFinding
from pond_hw.setup.step import StepResult
from pond_hw.setup.step_table import STEPS
from tests.doctor.pi_trees import Pi, laptop_host
from tests.doctor.test_report import SECRETS
from tests.messages.says import assert_refused, text

ROOT = Path(__file__).parents[2]
REAL_BOARDS = [name for name in list_shipped() if not name.startswith("simulated")]
NUMBERS = [(number, check) for _, checks in numbered_sections() for number, check in checks]
NUMBER_OF = {check.name: number for number, check in NUMBERS}
PARTS = ("claim", "how", "see", "measure", "refutes")


@pytest.fixture
def pi(tmp_path):
    return Pi(tmp_path)


def read_entry(form, name):
    """Return the part of a form that belongs to a check."""
    (begin,) = re.findall(rf"^### {re.escape(NUMBER_OF[name])} .*$", form, re.MULTILINE)
    return re.split(r"^##", form.split(begin)[1], maxsplit=1, flags=re.MULTILINE)[0]


def own_board(name, *replacements):
    """Return a shipped profile with some texts replaced."""
    profile_text = (BOARDS_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in profile_text
        profile_text = profile_text.replace(old, new)
    return profile_text


# The list of checks


def test_checks_have_unique_names_and_one_block_per_section():
    assert [name for name, count in Counter(check.name for check in CHECKS).items() if count > 1] == []
    sections = [section for section, _ in numbered_sections()]
    assert len(sections) == len(set(sections))


@pytest.mark.parametrize("language", BUILDER_LANGUAGES)
def test_every_check_has_all_texts(language):
    for check in CHECKS:
        for part in PARTS:
            assert get_catalogue(language).text(check.message(part, "hall-4x4", "1900 mA", "66 mA"))


def test_translations_have_the_same_measured_values():
    for check in CHECKS:
        measure = check.message("measure", "hall-4x4", "1900 mA", "66 mA")
        assert len({get_catalogue(language).text(measure).count("; ") for language in BUILDER_LANGUAGES}) == 1, (
            check.name
        )


def test_sources_steps_and_subjects_exist():
    for check in CHECKS:
        assert (ROOT / check.source).is_file(), check.name
        assert not check.step or check.step in STEPS, check.name
        assert all(text(Message(f"doctor.subject.{subject}")) for subject in check.subjects)


def test_every_check_is_for_some_board():
    never = {check.name for check in CHECKS if not any(check.fits(load_profile(name)) for name in REAL_BOARDS)}
    assert never == {"pcf8575", "strips"}
    pieces = re.sub(
        r"(\b2[01])\.([AB])(\d)", lambda pin: f"{pin[1]}.P{'AB'.index(pin[2])}{pin[3]}", own_board("hall-4x4")
    )
    pieces = parse_profile(pieces.replace('"mcp23017"', '"pcf8575"'), "own")
    assert "pcf8575" in {check.name for check in CHECKS if check.fits(pieces)}
    strips = ("count = 64", "count = 66"), ("[supply]", "[strips]\nlight = [64]\ndark = [65]\n\n[supply]")
    assert "strips" in {
        check.name for check in CHECKS if check.fits(parse_profile(own_board("direct-4x4", *strips), "own"))
    }


@pytest.mark.parametrize(
    ("board", "fitting", "others"),
    [
        (
            "direct-4x4",
            {"encoding", "bounce", "switch_voltage", "button_game"},
            {"supply", "matrix", "piece", "usb_current"},
        ),
        (
            "owner-4x4",
            {"supply", "cut_off", "rest_values", "linear_magnets", "turn_keys"},
            {"digital_magnets", "bounce"},
        ),
        ("hall-4x4", {"mcp23017", "digital_magnets", "neighbours"}, {"linear_magnets", "matrix", "pwm_lamps"}),
        ("pwm-4x4", {"pwm_lamps", "pulses"}, {"encoding", "carrier", "prints_fit"}),
        ("neotrellis-4x4", {"neotrellis", "prints_fit"}, {"pulses", "carrier", "bounce", "dark_current"}),
        (
            "usb-matrix-5x5",
            {"pico_firmware", "unplug", "supply", "matrix"},
            {"card", "encoding", "bounce", "power_cut"},
        ),
        ("simulated-4x4", set(), {"doctor", "phone_page", "look"}),
    ],
)
def test_checks_fit_the_hardware_of_a_board(board, fitting, others):
    profile = load_profile(board)
    names = {check.name for check in CHECKS if check.fits(profile)}
    assert fitting <= names
    assert names.isdisjoint(others)


# The form


@pytest.mark.parametrize("board", REAL_BOARDS)
def test_form_has_the_checks_of_the_page_in_order(board, tmp_path):
    form = format_first_board(board, laptop_host(tmp_path))
    assert re.findall(r"^### (\S+) ", form, re.MULTILINE) == [number for number, _ in NUMBERS]
    page_numbers = re.findall(r"^### (\S+) ", (ROOT / "docs/first-board.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert page_numbers == [number for number, _ in NUMBERS]
    profile = load_profile(board)
    for _, check in NUMBERS:
        entry = read_entry(form, check.name)
        assert entry.count("- [ ] ") == (len(TICKS) if check.fits(profile) else 0)
        assert (entry.strip() == text(Message("first_board.does_not_apply", board=board))) != check.fits(profile)


def test_form_has_a_field_for_each_measured_value(pi):
    entry = read_entry(format_first_board("direct-4x4", pi.host), "dark_current")
    fields = re.findall(r"^- (.*): _+$", entry, re.MULTILINE)
    assert fields == ["Current, mA", "Maker and type of the lamps", text(Message("first_board.label.notes"))]
    assert "64 mA" in entry
    assert "400 mA" in read_entry(format_first_board("direct-4x4", pi.host), "budget")


def test_form_gives_what_the_doctor_and_setup_found(pi):
    pi.config("dtparam=spi=off")
    pi.remove("/dev/spidev0.0")
    steps = {"map": [as_message("map: 16 good")], "timing": [as_message("attic-pi: b3 chatters")]}
    form = format_first_board("direct-4x4", pi.host, lambda board: steps)
    spi = text(Message("doctor.mark.fault")) + " " + text(Message("doctor.subject.spi"))
    assert spi in read_entry(form, "encoding")
    assert spi not in read_entry(form, "bounce")
    assert "  - map: 16 good" in read_entry(form, "wiring")
    assert "  - <host>: b3 chatters" in read_entry(form, "bounce")
    assert "lamps.budget_ma = 400" in form.split("## ")[1]


def test_form_of_the_service_board_needs_no_name(pi):
    assert format_first_board(None, pi.host).startswith("# First board: direct-4x4\n")


def test_form_contains_no_personal_data(pi, tmp_path):
    board = tmp_path / "attic-pi.toml"
    board.write_text(own_board("direct-4x4", ('title = "', 'title = "Of Anna: ')), encoding="utf-8")
    pi.answers["journalctl -u pond -p warning"] = " ".join(SECRETS)
    pi.answers["uname -r"] = "6.12-anna\n"
    form = format_first_board(str(board), pi.host, lambda board: {"sensors": [as_message(" ".join(SECRETS))]})
    assert "uname -r: 6.12-<user>" in form
    for secret in (*SECRETS, "Anna"):
        assert secret not in form


def test_commands_in_the_form_are_not_broken(pi):
    assert wrap_markdown("Run `pond setup --board owner-4x4` now", columns=20) == [
        "Run",
        "`pond setup --board owner-4x4`",
        "now",
    ]
    form = format_first_board("direct-4x4", pi.host)
    assert re.findall(r"`pond [^`]*\n", form) == []


def test_form_is_translated(pi):
    form = format_first_board("direct-4x4", pi.host, language="nl")
    dutch = get_catalogue("nl")
    assert dutch.text(Message("first_board.section.lamps")) in form
    for check in CHECKS:
        assert f"### {NUMBER_OF[check.name]} {dutch.text(check.message('claim', '', '', ''))}" in form


# Refusals


def test_form_without_a_board_is_refused(tmp_path):
    with pytest.raises(PondError) as error:
        format_first_board(None, laptop_host(tmp_path))
    assert error.value.message == Message("first_board.no_board")


def test_form_of_a_simulated_board_is_refused(pond, tmp_path):
    file = tmp_path / "form.md"
    refusal = Message("first_board.simulated", board="simulated-4x4")
    assert_refused(pond("report", "--first-board", "--board", "simulated-4x4", "-o", file), refusal)
    assert not file.exists()


def test_form_of_a_faulty_profile_is_refused(pi, tmp_path):
    board = tmp_path / "faulty.toml"
    board.write_text(own_board("direct-4x4", ("budget_ma = 400", "budget_ma = 800")), encoding="utf-8")
    with pytest.raises(ProfileError) as error:
        format_first_board(str(board), pi.host)
    assert len(error.value.faults) == 1


# The command


def test_first_board_option_writes_a_new_file(pond, tmp_path, monkeypatch):
    monkeypatch.setenv("POND_BOARDS", str(tmp_path))
    at = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    found = SetupFinding(FAULT, "never", ("b3",), as_message("b3 didn't respond."), figures={"presses": 0})
    saved_results.save_result("direct-4x4", "sensors", StepResult((found, SetupFinding(GOOD, "good", ("a1",)))), at)
    file = tmp_path / "form.md"
    code, out, err = pond("report", "--first-board", "--board", "direct-4x4", "-o", file, "--language", "en")
    assert (code, err) == (0, "")
    assert out == text(Message("report.written", file=str(file))) + "\n"
    entry = read_entry(file.read_text(encoding="utf-8"), "sensors")
    step = Message("report.step", step="sensors", at=at.isoformat(), good=1, bad=1)
    assert f"  - {text(step)}" in entry
    assert "  - fault, never: b3 didn't respond. {'presses': 0}" in entry
    code, _, err = pond("report", "--first-board", "--board", "direct-4x4", "-o", file)
    assert code == 2
    assert "Traceback" not in err


def test_form_is_printed_without_a_file(pi, capsys):
    command.write_first_board("direct-4x4", None, pi.host)
    assert capsys.readouterr().out == format_first_board("direct-4x4", pi.host, command.describe_steps)
