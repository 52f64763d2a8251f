"""Calibration files: measured values, faults, and reasons for ignoring a file."""

import json
import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.commands.boards import describe_profile, list_profiles
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.profile import ProfileError, list_shipped, load_profile, parse_profile
from pond_hw.profile.calibration import (
    list_measurable_keys,
    parse_calibrated_profile,
    profile_fingerprint,
)
from pond_hw.profile.fields import MEASURABLE_KEYS
from pond_hw.profile.library import (
    BOARDS_FOLDER,
    INSTALLED_FOLDER,
    MAX_PROFILE_BYTES,
    list_calibration_files,
    list_folders,
)
from tests.conftest import skip_outside_ci
from tests.messages.says import says, text
from tests.profile.sheet import Sheet
from tests.profile.texts import ALL, BUTTONS, EXPANDERS, HALLS, edited

TURNED = """
[sensors]
cells = '''
13 22  4
19  5 17
26  6 27
'''

[lamps]
cells = '''
0 5 6
1 4 7
2 3 8
'''
"""
"""The nine buttons, which turn out to be wired by columns."""


def calibration_text(body, text=BUTTONS, profile="kitchen"):
    """Return the text of a calibration file with this body."""
    return f'format = 1\nprofile = "{profile}"\nmeasured_on = "{profile_fingerprint(text)}"\n{body}'


@pytest.fixture
def kitchen(tmp_path):
    """Write a builder's profile with nine buttons."""
    file = tmp_path / "kitchen.toml"
    file.write_text(BUTTONS, encoding="utf-8")
    return file


def measure(kitchen, body, **options):
    file = kitchen.with_name("kitchen.measured.toml")
    file.write_text(calibration_text(body, **options), encoding="utf-8")
    return file


def refused(board, **options):
    with pytest.raises(ProfileError) as error:
        load_profile(board, **options)
    return error.value


def ignored_reason(board):
    """Return the reason why a board's calibration file is ignored."""
    warning = load_profile(board).calibration_warning
    assert (warning.id, warning.arguments["file"]) == (
        "profile.ignored.unusable",
        str(board.with_name(f"{board.stem}.measured.toml")),
    )
    return warning.arguments["reason"]


def faults(body, text=BUTTONS):
    """Return the line, path and reason of each fault, and the file if it is the profile."""
    with pytest.raises(ProfileError) as refused:
        parse_calibrated_profile(text, "kitchen", calibration_text(body, text), "/boards/kitchen.measured.toml")
    error = refused.value
    lines = tuple(fault.message for fault in error.faults)
    file = "/boards/kitchen.measured.toml"
    assert error.message == Message("profile.faults.measured", file=file, count=len(lines), faults=lines)
    return [(fault.line, to_english(fault.place), fault.reason, *filter(None, [fault.file])) for fault in error.faults]


def test_measured_values_override_profile(kitchen):
    plain = load_profile(kitchen)
    measure(kitchen, TURNED)
    board = load_profile(kitchen)
    assert (board.sensing.wiring.pins["a1"], board.sensing.wiring.pins["a3"]) == (26, 13)
    assert board.chain.cell_positions == (2, 3, 8, 1, 4, 7, 0, 5, 6)
    assert (board.name, board.title, board.undo_key_pin) == ("kitchen", "Nine buttons", 20)
    assert board.measured_keys == ("sensors.cells", "lamps.cells")
    assert board.calibration_warning is None
    assert load_profile(kitchen, measured=False) == plain
    assert (plain.measured_keys, plain.calibration_warning) == ((), None)


def test_profile_loads_without_calibration_file(kitchen):
    measure(kitchen, TURNED).unlink()
    assert load_profile(kitchen) == parse_profile(BUTTONS, "kitchen")


def test_unmeasured_values_come_from_profile(kitchen):
    measure(kitchen, '[lamps]\ncolours = "BGR"\nbrightness = 0.5')
    board = load_profile(kitchen)
    assert (board.chain.colour_order, board.chain.brightness) == ("BGR", 0.5)
    assert board.chain.cell_positions == load_profile(kitchen, measured=False).chain.cell_positions
    assert board.sensing == load_profile(kitchen, measured=False).sensing


def test_each_cell_may_have_its_own_debounce_time(kitchen):
    measure(kitchen, "[sensors]\ndebounce_ms = '''\n8 8 8\n8 24.5 8\n8 8 12\n'''")
    sensing = load_profile(kitchen).sensing
    assert sensing.debounce_seconds == 0.0245
    assert (sensing.debounce_by_cell["b2"], sensing.debounce_by_cell["c1"], sensing.debounce_by_cell["a1"]) == (
        0.0245,
        0.012,
        0.008,
    )
    assert list(sensing.debounce_by_cell) == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    assert set(load_profile(kitchen, measured=False).sensing.debounce_by_cell.values()) == {0.008}


def test_bad_sensors_are_listed(tmp_path):
    board = parse_calibrated_profile(
        EXPANDERS, "hall", calibration_text('[sensors]\nbad = ["b3", "c1"]', EXPANDERS, "hall"), "x"
    )
    assert board.sensing.bad_cells == {"b3", "c1"}
    assert parse_profile(EXPANDERS, "hall").sensing.bad_cells == frozenset()


def test_linear_sensors_are_calibrated(tmp_path):
    body = "[sensors]\nrest = '''\n500 501 502\n503 504 505\n506 507 508\n'''\non = 44\noff = 20\nlight = 'below'"
    wiring = parse_calibrated_profile(HALLS, "hall", calibration_text(body, HALLS, "hall"), "x").sensing.wiring
    assert (wiring.rest["a1"], wiring.rest["c3"], wiring.on, wiring.off, wiring.light) == (506, 502, 44, 20, -1)


@pytest.mark.parametrize("name", list_shipped())
def test_empty_calibration_changes_nothing(name, tmp_path):
    text = Sheet(name).text
    (tmp_path / f"{name}.measured.toml").write_text(calibration_text("", text, name), encoding="utf-8")
    assert load_profile(name, environment={"POND_BOARDS": str(tmp_path)}) == load_profile(name)


@pytest.mark.parametrize("name", list_shipped())
def test_profile_values_may_be_repeated(name):
    """Repeating all measurable values of a profile gives the same board."""
    sheet = Sheet(name)
    body, said = "", []
    for table, names in MEASURABLE_KEYS.items():
        body += f"[{table}]\n"
        for key in names:
            if f"{table}.{key}" in sheet:
                start = sheet.index(f"{table}.{key}")
                end = sheet.row_indexes(f"{table}.{key}")[-1] + 1 if '"""' in sheet.lines[start] else start
                body += "\n".join(sheet.lines[start : end + 1]) + "\n"
                said.append(f"{table}.{key}")
    board = parse_calibrated_profile(sheet.text, name, calibration_text(body, sheet.text, name), "x")
    plain = load_profile(name)
    assert (board.sensing, board.chain) == (plain.sensing, plain.chain)
    assert sorted(board.measured_keys) == sorted(said)
    assert "lamps.cells" in said


# Faults


def test_calibration_with_wrong_value_is_ignored(kitchen):
    measure(kitchen, "[lamps]\nbrightness = 7")
    wrong = Message("profile.field.number", low=0.01, high=1, value="7")
    reason = Message("profile.fault.at_key", line=5, place="lamps.brightness", reason=wrong)
    assert ignored_reason(kitchen) == reason


def test_conflict_with_profile_is_a_calibration_fault():
    cells = "[sensors]\ncells = '''\n 4 17 20\n22  5  6\n13 19 27\n'''"
    shared = Message("profile.gpio.shared_by_others", gpio=20, first="undo_key.pin", second="c3")
    assert faults(cells) == [(6, "sensors.cells, row 1", shared)]


def test_strip_lamps_in_cells_are_calibration_faults():
    lamps = "[lamps]\ncells = '''\n0 1 2\n5 4 3\n6 7 9\n'''"
    assert faults(lamps, ALL["simulated"]) == [
        (5, "lamps.cells", Message("profile.lamps.nowhere", lamps=("8",), count=1)),
        (8, "lamps.cells, row 3", Message("profile.lamps.twice", lamp="9", first="strips.light", second="c1")),
    ]


def test_profile_fault_names_profile():
    quick = edited(BUTTONS, ('"gpio"', '"gpio"\ndebounce_ms = 20\nscans = 60'))
    too_short = Message("profile.debounce.too_short", scans=60, interval_ms=1000 / 60, debounce=10)
    assert faults("[sensors]\ndebounce_ms = 10", quick) == [(5, "sensors.debounce_ms", too_short)]
    above = edited(HALLS, ('"hall"', '"hall"\noff = 50'))
    too_high = Message("profile.off.too_high", on=40, off=50)
    assert faults("[sensors]\non = 40", above) == [(7, "sensors.off", too_high, "kitchen.toml")]


def test_fault_on_last_line_names_profile():
    head, _, rest = HALLS.partition("[sensors]\n")
    sensors, _, tail = rest.partition("[sensors.chips]")
    text = f"{head}[sensors.chips]{tail}\n[sensors]\n{sensors.strip()}\noff = 50"
    last = text.count("\n") + 1
    too_high = Message("profile.off.too_high", on=40, off=50)
    assert faults("[sensors]\non = 40", text) == [(last, "sensors.off", too_high, "kitchen.toml")]
    with pytest.raises(ProfileError, check=says(rf"line {last} of kitchen\.toml, sensors\.off: ")):
        parse_calibrated_profile(text, "kitchen", calibration_text("[sensors]\non = 40", text), "x")


def test_keys_of_other_boards_are_calibration_faults():
    other_driver = Message("profile.key.other_driver", key="on", drivers=('"mcp3008"',))
    assert faults("[sensors]\non = 60") == [(5, "sensors.on", other_driver)]
    assert faults('[sensors]\nbad = ["b2"]') == [(5, "sensors.bad", Message("profile.buttons.bad"))]


def test_builder_keys_are_not_measurable():
    builders = Message("profile.key.not_measurable")
    assert faults(
        'grid = 3\n[sensors]\ndriver = "gpio"\n[lamps]\nbudget_ma = 10000\ncolors = "RGB"\n[undo_key]\npin = 4'
    ) == [
        (4, "grid", builders),
        (6, "sensors.driver", builders),
        (8, "lamps.budget_ma", builders),
        (9, "lamps.colors", Message("profile.key.misspelt", key="colors", near="colours")),
        (10, "undo_key", builders),
    ]


def test_syntax_and_value_faults_are_found_together():
    orders = ('"GRB"', '"RGB"', '"BRG"', '"RBG"', '"GBR"', '"BGR"')
    misspelt = Message("profile.field.misspelt_choice", choices=orders, value='"RGBX"', near='"RGB"')
    assert faults("[lamps]\ncolours = 'RGBX'\ncount = 3\n[sensors]\nsettle_ms = 5") == [
        (5, "lamps.colours", misspelt),
        (6, "lamps.count", Message("profile.key.not_measurable")),
        (8, "sensors.settle_ms", Message("profile.buttons.settle_ms")),
    ]


def test_change_log_entry_faults_are_reported():
    good = '[[change]]\nat = "now"\nby = "me"\nkeys = ["lamps.cells"]\nwhy = "so"\n'
    why = Message("profile.key.missing", key="why", example='"b2 and c2 were exchanged"')
    names = Message("profile.field.names", example='["lamps.cells"]', value='"lamps.cells"')
    assert faults(good + '[[change]]\nat = 7\nby = ""\nkeys = "lamps.cells"\nwhose = "mine"') == [
        (9, "change.why, item 2", why),
        (10, "change.at, item 2", Message("profile.field.line", length=80, value="7")),
        (11, "change.by, item 2", Message("profile.field.line", length=80, value='""')),
        (12, "change.keys, item 2", names),
        (13, "change.whose, item 2", Message("profile.key.unknown", key="whose", keys=("at", "by", "keys", "why"))),
    ]
    assert faults("change = 3") == [(4, "change", Message("profile.table.not_tables", heading="change", value="3"))]


def test_missing_calibration_keys_are_reported():
    with pytest.raises(ProfileError) as error:
        parse_calibrated_profile(BUTTONS, "kitchen", "# nothing", "x.toml")
    fingerprint = f'"{profile_fingerprint(BUTTONS)}"'
    assert [(fault.line, to_english(fault.place), fault.reason) for fault in error.value.faults] == [
        (1, "format", Message("profile.key.missing", key="format", example="1")),
        (1, "profile", Message("profile.key.missing", key="profile", example='"direct-4x4"')),
        (1, "measured_on", Message("profile.key.missing", key="measured_on", example=fingerprint)),
    ]


def test_unknown_calibration_format_is_refused():
    with pytest.raises(ProfileError) as error:
        parse_calibrated_profile(BUTTONS, "kitchen", calibration_text("").replace("format = 1", "format = 2"), "x")
    assert error.value.faults == ((1, "format", Message("profile.newer_format", known=1, found=2), ""),)


def test_profile_fault_is_reported_with_calibration(kitchen):
    measure(kitchen, TURNED)
    kitchen.write_text(edited(BUTTONS, ("count = 9", "count = 8")), encoding="utf-8")
    error = refused(kitchen)
    assert (error.message.id, error.message.arguments["file"]) == ("profile.faults.profile", "kitchen.toml")
    (fault,) = error.faults
    assert (fault.line, to_english(fault.place)) == (22, "lamps.cells, row 3")
    assert fault.reason == Message("profile.lamps.not_in_chain", lamp="8", lamps=8, last=7)


def test_unreadable_calibration_is_ignored(kitchen):
    file = measure(kitchen, "[lamps")
    assert (ignored_reason(kitchen).arguments["line"], ignored_reason(kitchen).arguments["place"].id) == (
        4,
        "profile.place.end",
    )
    file.write_bytes(b"format = 1\n# K\xfcche")
    not_utf8 = Message("profile.file.not_utf8", byte="0xfc")
    assert ignored_reason(kitchen) == Message("profile.fault.at_line", line=2, reason=not_utf8)
    file.write_bytes(b"#" * (MAX_PROFILE_BYTES + 1))
    assert ignored_reason(kitchen) == Message("profile.too_long.measured", file=str(file))
    for make in (Path.mkdir, os.mkfifo):
        file.unlink()
        make(file)
        assert ignored_reason(kitchen) == Message("profile.not_a_file.measured", file=str(file))
        if make is Path.mkdir:
            file.rmdir()
            file.touch()


@pytest.mark.parametrize("data", [b"", bytes(300), bytes(range(256)), b"\xf4" * 300, b"no", b"format = 1\n"])
def test_corrupt_calibration_is_ignored(kitchen, data):
    measure(kitchen, "").write_bytes(data)
    ignored_reason(kitchen)
    assert replace(load_profile(kitchen), calibration_warning=None) == load_profile(kitchen, measured=False)


def test_profile_fault_is_not_a_calibration_fault(kitchen):
    measure(kitchen, TURNED)
    kitchen.write_text("no", encoding="utf-8")
    assert refused(kitchen).message.id == "profile.faults.profile"


def test_unreadable_file_is_reported(kitchen, monkeypatch):
    file = measure(kitchen, "")
    real = type(file).open

    def deny(path, *how, **more):
        if path == file:
            raise PermissionError(13, "Permission denied")
        return real(path, *how, **more)

    monkeypatch.setattr("pathlib.Path.open", deny)
    reason = Message("profile.unreadable.measured", file=str(file), reason="Permission denied")
    assert ignored_reason(kitchen) == reason


def test_calibration_file_is_not_a_profile(kitchen):
    file = measure(kitchen, TURNED)
    assert refused(file).message == Message("profile.file.measured_values", file=str(file), profile=str(kitchen))


# Ignored files


def test_calibration_of_rewired_board_is_ignored(kitchen):
    file = measure(kitchen, TURNED)
    rewired = edited(BUTTONS, (" 4 17 27", "27 17  4"))
    kitchen.write_text(rewired, encoding="utf-8")
    before = file.read_bytes()
    board = load_profile(kitchen)
    assert board.calibration_warning == Message(
        "profile.ignored.changed", file=str(file), board="kitchen", fingerprint=profile_fingerprint(rewired)
    )
    assert board.measured_keys == ()
    assert (board.sensing, board.chain) == (parse_profile(rewired, "x").sensing, parse_profile(rewired, "x").chain)
    assert file.read_bytes() == before

    file.write_text(
        before.decode().replace(profile_fingerprint(BUTTONS), profile_fingerprint(rewired)), encoding="utf-8"
    )
    assert load_profile(kitchen).measured_keys == ("sensors.cells", "lamps.cells")  # as the message promises


def test_calibration_of_another_board_is_ignored(kitchen):
    file = measure(kitchen, TURNED, profile="attic")
    board = load_profile(kitchen)
    assert board.calibration_warning == Message(
        "profile.ignored.other_board", file=str(file), board="kitchen", measured="attic"
    )
    assert board.measured_keys == ()


def test_ignored_calibration_is_not_checked(kitchen):
    measure(kitchen, "[lamps]\nbrightness = 7\nwhatever = 1", profile="attic")
    assert load_profile(kitchen).calibration_warning


def test_fingerprint_ignores_other_tables():
    same = edited(BUTTONS, ("Nine buttons", "9"), ("pin = 20", "pin = 21"), (" 4 17 27\n", "\n4  17 27 # top\n"))
    assert profile_fingerprint(same) == profile_fingerprint(BUTTONS)
    assert profile_fingerprint(edited(BUTTONS, ("count = 9", "count = 0x9"))) == profile_fingerprint(BUTTONS)
    assert profile_fingerprint(edited(BUTTONS, ("= 300", "= 300.0"))) == profile_fingerprint(BUTTONS)


@pytest.mark.parametrize(
    "change", [(" 4 17 27", "17  4 27"), ("5 4 3", "3 4 5"), ("= 300", "= 301"), ('"gpio"', '"gpio"\nscans = 200')]
)
def test_fingerprint_covers_sensors_and_lamps(change):
    assert profile_fingerprint(edited(BUTTONS, change)) != profile_fingerprint(BUTTONS)


def test_fingerprint_is_documented_hash():
    cells, lamps = [["4", "17", "27"], ["22", "5", "6"], ["13", "19", "26"]], ["012", "543", "678"]
    values = {
        "lamps": {"budget_ma": 300, "cells": [list(row) for row in lamps], "count": 9, "driver": "auto", "pin": 10},
        "sensors": {"cells": cells, "driver": "gpio", "kind": "button"},
    }
    assert profile_fingerprint(BUTTONS) == sha256(json.dumps(values, separators=(",", ":")).encode()).hexdigest()


# Places


def test_calibration_folders_depend_on_environment():
    everything = {"STATE_DIRECTORY": "/var/lib/pond:/x", "XDG_STATE_HOME": "/home/ada/state", "HOME": "/home/ada"}
    assert list(map(str, list_folders(everything))) == [
        "/var/lib/pond/boards",
        "/home/ada/state/pond/boards",
        "/home/ada/.local/state/pond/boards",
    ]
    assert list(map(str, list_folders({"HOME": "/home/ada"}))) == [
        "/var/lib/pond/boards",
        "/home/ada/.local/state/pond/boards",
    ]
    assert list(map(str, list_folders({"STATE_DIRECTORY": "/srv/pond"}))) == [
        "/srv/pond/boards",
        "/var/lib/pond/boards",
    ]
    assert list(map(str, list_folders({**everything, "POND_BOARDS": "/mine"}))) == ["/mine"]


def test_shipped_board_loads_the_same_by_path():
    places = list_calibration_files(BOARDS_FOLDER / "direct-4x4.toml", {"POND_BOARDS": "/mine"})
    assert list(map(str, places)) == ["/mine/direct-4x4.measured.toml"]
    roundabout = BOARDS_FOLDER / ".." / "boards" / "direct-4x4.toml"
    assert list_calibration_files(roundabout, {"POND_BOARDS": "/mine"}) == places


def test_first_calibration_file_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr("pond_hw.profile.library.INSTALLED_FOLDER", tmp_path / "installed")
    person = {"HOME": str(tmp_path / "ada"), "XDG_STATE_HOME": str(tmp_path / "state")}
    text = Sheet("direct-4x4").text
    for folder, colours in [(".local/state/pond", "BGR"), ("../state/pond", "RGB"), ("../installed", "GBR")]:
        file = tmp_path / "ada" / folder / "boards" / "direct-4x4.measured.toml"
        file.parent.mkdir(parents=True)
        body = f'[lamps]\ncolours = "{colours}"'
        file.write_text(calibration_text(body, text, "direct-4x4"), encoding="utf-8")
        assert load_profile("direct-4x4", environment=person).chain.colour_order == colours
    assert INSTALLED_FOLDER.parts[1:] == ("var", "lib", "pond")


def test_tests_see_no_calibration_files():
    assert os.environ["POND_BOARDS"].startswith(os.devnull)
    if os.name == "nt":
        skip_outside_ci("needs a system without a nul device in every folder")
    assert not any(file.exists() for file in list_calibration_files(BOARDS_FOLDER / "direct-4x4.toml"))


# Output


def test_boards_command_lists_measured_keys(kitchen):
    file = measure(kitchen, "[sensors]\ndebounce_ms = '''\n8 8 8\n8 24 8\n8 8 8\n'''\n[lamps]\ncolours = 'RGB'")
    lines = describe_profile(str(kitchen))
    measured = Message("boards.measured", keys=("sensors.debounce_ms", "lamps.colours"), count=2)
    assert f"measured  {text(measured)}" in lines
    assert text(Message("boards.debounce_range", rate=100.0, shortest_ms=8.0, longest_ms=24.0)) in lines[1]
    file.write_text(calibration_text("", profile="attic"), encoding="utf-8")
    lines = describe_profile(str(kitchen))
    assert f"warning   {text(load_profile(kitchen).calibration_warning)}" in lines
    assert not any(line.startswith("measured") for line in lines)
    file.unlink()
    assert not any(line.startswith(("measured", "warning")) for line in describe_profile(str(kitchen)))


def test_boards_command_lists_bad_sensors(tmp_path):
    file = tmp_path / "hall.toml"
    file.write_text(edited(EXPANDERS, ('"hall"', '"hall"\nbad = ["c1", "b3"]')), encoding="utf-8")
    assert describe_profile(str(file))[1].endswith(text(Message("boards.bad_sensors", cells=("b3", "c1"), count=2)))


def test_boards_command_tolerates_corrupt_file(tmp_path, monkeypatch):
    monkeypatch.setenv("POND_BOARDS", str(tmp_path))
    (tmp_path / "direct-4x4.measured.toml").write_text("no", encoding="utf-8")
    assert any(line.startswith("direct-4x4 ") for line in list_profiles())
    assert any("Pond ignores" in line for line in describe_profile("direct-4x4"))


# Any content

BODIES = st.dictionaries(
    st.sampled_from([*list_measurable_keys(), "sensors.driver", "lamps.count"]),
    st.sampled_from(["7", "0.5", '"RGB"', '["a1"]', '"""\n1 2 3\n4 5 6\n7 8 0\n"""', "true", "{}", "[[]]", "nan"]),
)
A_SLIP = st.tuples(st.integers(0, 400), st.integers(0, 9), st.text("09 ='\"[]{}#\n\\.,a", max_size=4))
SLIPS = st.lists(A_SLIP, max_size=3)


@given(BODIES, SLIPS, st.sampled_from(sorted(ALL)))
def test_any_calibration_loads_or_has_faults(body, slips, name):
    text = calibration_text("\n".join(f"{key} = {value}" for key, value in body.items()), ALL[name])
    for where, length, instead in slips:
        text = text[:where] + instead + text[where + length :]
    outcome = parse_or_error(ALL[name], text)
    if not isinstance(outcome, ProfileError):
        assert outcome.name == "kitchen"
        assert not (outcome.calibration_warning and outcome.measured_keys)
        return
    assert outcome.message.id == "profile.faults.measured"
    assert outcome.faults
    for fault in outcome.faults:
        there = ALL[name] if fault.file else text
        assert 1 <= fault.line <= there.count("\n") + 1
        assert to_english(fault.message).isprintable()


def parse_or_error(text, own_text):
    """Return the board, or the error."""
    try:
        return parse_calibrated_profile(text, "kitchen", own_text, "kitchen.measured.toml")
    except ProfileError as error:
        return error
