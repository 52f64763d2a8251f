"""Set-up writes what it has measured: nothing is lost, whenever the power goes, and what was there before is kept."""

import errno
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pond_hw.messages.message import Message, as_message
from pond_hw.profile import ProfileError, load_profile
from pond_hw.profile.calibration import (
    MAX_REASON_LENGTH,
    CalibrationChange,
    CalibrationOverlay,
    format_calibration,
    list_measurable_keys,
    profile_fingerprint,
)
from pond_hw.profile.calibration_store import (
    MAX_BACKUPS,
    MAX_LOG_ENTRIES,
    calibration_history,
    save_calibration,
)
from pond_hw.profile.library import MAX_PROFILE_BYTES
from tests.conftest import first_now_rest_long, lacks
from tests.profile.sheet import Sheet
from tests.profile.texts import BUTTONS, EXPANDERS, edited

if os.name == "nt":
    lacks("needs a system on which a board can be set up")

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
COLUMNS = "0 5 6\n1 4 7\n2 3 8\n"


@pytest.fixture
def kitchen(tmp_path):
    """A builder's own board of nine buttons."""
    file = tmp_path / "kitchen.toml"
    file.write_text(BUTTONS, encoding="utf-8")
    return file


@pytest.fixture
def own(kitchen):
    return kitchen.with_name("kitchen.measured.toml")


def measured(board, changes, why="so it was found", after=0, **how):
    return save_calibration(board, changes, by="pond setup map", why=why, now=NOON + timedelta(minutes=after), **how)


def colours(board, order, **how):
    return measured(board, {"lamps.colours": order}, **how)


def refused(do, *args, **how):
    with pytest.raises(ProfileError) as error:
        do(*args, **how)
    return error.value.message


def files(folder):
    """What is in a folder: the names and the bytes."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# An afternoon of set-up


def test_what_was_agreed_is_there_when_the_board_is_loaded_again(kitchen, own):
    profile = kitchen.read_bytes()
    assert measured(kitchen, {"lamps.cells": COLUMNS, "lamps.colours": "RGB"}) == own
    board = load_profile(kitchen)
    assert (board.chain.colour_order, board.chain.cell_positions[:3]) == ("RGB", (2, 3, 8))
    assert board.measured_keys == ("lamps.cells", "lamps.colours")
    assert kitchen.read_bytes() == profile
    assert sorted(files(kitchen.parent)) == ["kitchen.measured.toml", "kitchen.toml"]


def test_a_later_step_keeps_what_earlier_ones_found(kitchen, own):
    colours(kitchen, "RGB")
    first = own.read_bytes()
    measured(kitchen, {"sensors.debounce_ms": "8 8 8\n8 24 8\n8 8 8\n", "lamps.brightness": 0.5}, "b2 chatters", 5)
    board = load_profile(kitchen)
    assert (board.chain.colour_order, board.chain.brightness, board.sensing.debounce_by_cell["b2"]) == (
        "RGB",
        0.5,
        0.024,
    )
    assert own.with_name(f"{own.name}.1").read_bytes() == first
    assert [tuple(change) for change in calibration_history(kitchen)] == [
        ("2026-11-21T12:00:00+00:00", "pond setup map", ("lamps.colours",), "so it was found"),
        ("2026-11-21T12:05:00+00:00", "pond setup map", ("sensors.debounce_ms", "lamps.brightness"), "b2 chatters"),
    ]


def test_a_value_can_be_given_back_to_the_profile(kitchen):
    measured(kitchen, {"lamps.colours": "RGB", "lamps.brightness": 0.5})
    measured(kitchen, {"lamps.colours": None})
    board = load_profile(kitchen)
    assert (board.chain.colour_order, board.chain.brightness, board.measured_keys) == (
        "GRB",
        0.5,
        ("lamps.brightness",),
    )
    assert calibration_history(kitchen)[-1].keys == ("lamps.colours",)


def test_without_a_change_nothing_is_written(kitchen, own):
    assert measured(kitchen, {}) == own
    assert sorted(files(kitchen.parent)) == ["kitchen.toml"]
    assert calibration_history(kitchen) == ()


def test_what_people_have_written_themselves_stays(kitchen, own):
    on = profile_fingerprint(BUTTONS)
    own.write_text(f"format=1\nprofile='kitchen'\nmeasured_on='{on}'\nlamps.brightness=0.3 # dim\n", encoding="utf-8")
    colours(kitchen, "RGB")
    assert load_profile(kitchen).chain.brightness == 0.3
    assert own.with_name(f"{own.name}.1").read_text(encoding="utf-8").endswith("# dim\n")


def test_the_last_nine_are_kept_the_newest_first(kitchen, own):
    seen = []
    for number in range(12):
        measured(kitchen, {"lamps.brightness": (number + 1) / 20})
        seen.insert(0, own.read_bytes())
    kept = [own.with_name(f"{own.name}.{number}").read_bytes() for number in range(1, MAX_BACKUPS + 1)]
    assert kept == seen[1:10]
    assert len(files(kitchen.parent)) == 2 + MAX_BACKUPS


def test_permissions_stay_as_they_were(kitchen, own):
    colours(kitchen, "RGB")
    own.chmod(0o640)
    colours(kitchen, "BGR")
    colours(kitchen, "GBR")
    kept = [own, own.with_name(f"{own.name}.1"), own.with_name(f"{own.name}.2")]
    assert [file.stat().st_mode & 0o777 for file in kept] == [0o640] * 3


def test_a_new_file_may_be_read_by_whom_the_person_lets(kitchen, own):
    before = os.umask(0o027)
    try:
        colours(kitchen, "RGB")
    finally:
        os.umask(before)
    assert own.stat().st_mode & 0o777 == 0o640


def test_what_root_measures_the_service_may_change(tmp_path, monkeypatch):
    given = []
    monkeypatch.setattr(os, "chown", lambda path, user, group: given.append((os.fspath(path), user, group)))
    folder = tmp_path / "pond" / "boards"
    file = colours("direct-4x4", "RGB", environment={"POND_BOARDS": str(folder)})
    owner = tmp_path.stat()
    assert given[0] == (str(folder), owner.st_uid, owner.st_gid)
    assert given[1] == (str(file.with_name(f".{file.name}.new")), owner.st_uid, owner.st_gid)


def test_a_link_stays_a_link(kitchen, own, tmp_path):
    real = tmp_path / "elsewhere" / "found.toml"
    real.parent.mkdir()
    own.symlink_to(real)
    real.write_text("", encoding="utf-8")
    real.unlink()
    colours(kitchen, "RGB")
    colours(kitchen, "BGR")
    assert own.is_symlink()
    assert sorted(files(real.parent)) == ["found.toml", "found.toml.1"]
    assert load_profile(kitchen).chain.colour_order == "BGR"


def test_the_log_does_not_grow_without_end(kitchen, own):
    long = CalibrationChange(
        "2026-11-21T12:00:00+00:00", "𝕏" * 80, tuple(list_measurable_keys()), "𝕐" * MAX_REASON_LENGTH
    )
    drawn = {"lamps.cells": " 1999" * 1600, "sensors.cells": " 20.A0" * 25, "sensors.debounce_ms": " 1000.999" * 25}
    text = format_calibration(
        CalibrationOverlay("kitchen", profile_fingerprint(BUTTONS), drawn, (long,) * MAX_LOG_ENTRIES)
    )
    assert len(text.encode()) < MAX_PROFILE_BYTES
    own.write_text(text.replace(" 1999", "").replace(" 20.A0", "").replace(" 1000.999", ""), encoding="utf-8")
    changes = {"lamps.cells": COLUMNS, "sensors.cells": None, "sensors.debounce_ms": None}
    measured(kitchen, changes, "the newest")
    assert [change.why for change in calibration_history(kitchen)] == [long.why] * (MAX_LOG_ENTRIES - 1) + [
        "the newest"
    ]


@pytest.mark.parametrize("why", ["", " \n", "a\nb", "\x1b[2J", "x" * 500, 'say "no"', "back\\slash", "é"])
def test_any_word_may_be_said_in_the_log(kitchen, why):
    colours(kitchen, "RGB", why=why)
    told = calibration_history(kitchen)[0].why
    assert told.isprintable()
    assert 1 <= len(told) <= 200
    assert told == (why if why.isprintable() and 0 < len(why) <= 200 else told)


# What is refused, and then nothing has changed


def misfit(*faults):
    """The message about new values that do not fit the kitchen's profile."""
    lines = tuple(
        fault if isinstance(fault, Message) else Message("profile.fault.new_value", place=fault[0], reason=fault[1])
        for fault in faults
    )
    return Message("profile.save.misfit", board="kitchen", faults=lines)


def row(key, number):
    """A row of a drawing."""
    return Message("profile.place.row", key=key, row=number)


def shared(gpio, first, second):
    """Two uses of a GPIO."""
    return Message("profile.gpio.shared_by_others", gpio=gpio, first=first, second=second)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"lamps.brightness": 7},
            misfit(("lamps.brightness", Message("profile.field.number", low=0.01, high=1, value="7"))),
        ),
        (
            {"sensors.cells": " 4 17 20\n22  5  6\n13 19 16\n", "lamps.cells": "0 1\n2 3"},
            misfit(
                (row("sensors.cells", 1), shared(20, "undo_key.pin", "c3")),
                (row("sensors.cells", 3), shared(16, "buzzer.pin", "c1")),
                (
                    "lamps.cells",
                    Message("profile.drawing.rows_of_squares", size=3, twice=6, thrice=9, found=2, side=8),
                ),
            ),
        ),
        ({"sensors.bad": ["b2"]}, misfit(("sensors.bad", Message("profile.buttons.bad")))),
        (
            {"lamps.colours": {"order": "RGB"}},
            misfit(as_message("A file of measured values cannot hold a dict.")),
        ),
        (
            {"sensors.driver": "gpio", "title": "Mine"},
            Message(
                "profile.save.wrong_keys",
                keys=("sensors.driver", "title"),
                measurable=(
                    *("sensors.cells", "sensors.debounce_ms", "sensors.settle_ms", "sensors.rest", "sensors.on"),
                    *("sensors.off", "sensors.light", "sensors.bad", "lamps.cells", "lamps.colours"),
                    "lamps.encoding",
                    "lamps.brightness",
                ),
            ),
        ),
    ],
)
def test_what_does_not_fit_is_not_written(kitchen, changes, message):
    colours(kitchen, "RGB")
    before = files(kitchen.parent)
    assert refused(measured, kitchen, changes) == message
    assert files(kitchen.parent) == before


def test_a_letter_that_no_file_can_hold(kitchen):
    assert refused(measured, kitchen, {"lamps.colours": "\ud800"}).id == "profile.save.misfit"


def test_a_profile_that_has_changed_meanwhile_is_not_what_was_measured(kitchen):
    on = profile_fingerprint(BUTTONS)
    assert colours(kitchen, "RGB", measured_on=on)
    kitchen.write_text(edited(BUTTONS, ("= 300", "= 301")), encoding="utf-8")
    before = files(kitchen.parent)
    message = Message("profile.save.profile_changed", board="kitchen")
    assert refused(colours, kitchen, "BGR", measured_on=on) == message
    assert files(kitchen.parent) == before


def test_an_ignored_file_is_kept_and_begun_anew(kitchen, own):
    measured(kitchen, {"lamps.cells": COLUMNS})
    old = own.read_bytes()
    kitchen.write_text(edited(BUTTONS, ("= 300", "= 301")), encoding="utf-8")
    assert load_profile(kitchen).calibration_warning
    colours(kitchen, "RGB")
    board = load_profile(kitchen)
    assert (board.calibration_warning, board.measured_keys) == (None, ("lamps.colours",))
    assert len(calibration_history(kitchen)) == 1
    assert own.with_name(f"{own.name}.1").read_bytes() == old


def put(data):
    return lambda path: path.write_bytes(data)


@pytest.mark.parametrize(
    "spoil", [put(b""), put(b"broken"), put(bytes(300)), put(b"\xf4" * 300), Path.mkdir, os.mkfifo]
)
def test_own_file_that_cannot_be_used_is_set_aside_by_the_next_save(kitchen, own, spoil):
    spoil(own)
    aside = own.with_suffix(".bad")
    was_file = own.is_file() and own.read_bytes()
    colours(kitchen, "RGB")
    assert load_profile(kitchen).measured_keys == ("lamps.colours",)
    assert aside.exists()
    assert (aside.is_file() and aside.read_bytes()) == was_file


def test_own_file_with_a_wrong_value_is_set_aside_by_the_next_save(kitchen, own):
    overlay = CalibrationOverlay("kitchen", profile_fingerprint(BUTTONS), {"lamps.brightness": 7}, ())
    own.write_text(format_calibration(overlay), encoding="utf-8")
    colours(kitchen, "RGB")
    assert load_profile(kitchen).measured_keys == ("lamps.colours",)
    assert "brightness = 7" in own.with_suffix(".bad").read_text(encoding="utf-8")


def test_a_broken_profile_has_its_own_message(kitchen):
    kitchen.write_text(edited(BUTTONS, ("count = 9", "count = 8")), encoding="utf-8")
    broken = refused(colours, kitchen, "RGB")
    assert (broken.id, broken.arguments["file"], broken.arguments["count"]) == (
        "profile.faults.profile",
        "kitchen.toml",
        1,
    )
    attic = kitchen.with_name("attic.toml")
    assert refused(colours, attic, "RGB") == Message("profile.file.missing", file=str(attic))
    misspelt = refused(colours, "dircet-4x4", "RGB")
    assert (misspelt.id, misspelt.arguments["board"]) == ("profile.board.misspelt", "dircet-4x4")


@pytest.mark.parametrize("lock", ["LOCK_EX", "LOCK_SH"])
def test_two_at_once_do_not_write_over_each_other(kitchen, lock):
    import fcntl

    colours(kitchen, "RGB")
    before = files(kitchen.parent)
    other = os.open(kitchen.parent, os.O_RDONLY)
    try:
        fcntl.flock(other, getattr(fcntl, lock))
        assert refused(colours, kitchen, "BGR") == Message("profile.save.locked", folder=str(kitchen.parent))
        assert files(kitchen.parent) == before
    finally:
        os.close(other)
    colours(kitchen, "BGR")


# Boards that ship


def test_a_board_that_ships_is_measured_into_a_folder_of_this_machine(tmp_path):
    here = {"POND_BOARDS": str(tmp_path / "new" / "boards")}
    shipped = Sheet("direct-4x4").text
    file = colours("direct-4x4", "RGB", environment=here)
    assert file == tmp_path / "new" / "boards" / "direct-4x4.measured.toml"
    assert load_profile("direct-4x4", environment=here).chain.colour_order == "RGB"
    assert load_profile("direct-4x4").chain.colour_order == "GRB"
    assert Sheet("direct-4x4").text == shipped


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with a person on it: which folders may not be written is said in a set."""
    monkeypatch.setattr("pond_hw.profile.library.INSTALLED_FOLDER", tmp_path / "pond")
    closed = set()
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) not in closed and real(path, mode))
    return {"HOME": str(tmp_path / "ada")}, tmp_path / "pond" / "boards", closed


def test_only_an_installed_service_has_a_folder_of_its_own(machine, tmp_path):
    person, installed, _ = machine
    assert colours("direct-4x4", "RGB", environment=person).parent == tmp_path / "ada/.local/state/pond/boards"
    assert not installed.parent.exists()


def test_where_the_service_is_installed_its_folder_is_taken_by_whoever_may(machine, tmp_path):
    person, installed, _ = machine
    installed.parent.mkdir()
    assert colours("direct-4x4", "RGB", environment=person).parent == installed


def test_who_may_not_write_there_has_a_file_of_their_own(machine, tmp_path):
    person, installed, closed = machine
    installed.mkdir(parents=True)
    closed.add(str(installed))
    mine = colours("direct-4x4", "RGB", environment=person)
    assert mine.parent == tmp_path / "ada/.local/state/pond/boards"
    assert load_profile("direct-4x4", environment=person).chain.colour_order == "RGB"


def test_a_folder_that_is_closed_to_us_is_passed_by(machine, monkeypatch):
    person, installed, closed = machine
    installed.mkdir(parents=True)
    closed.add(str(installed))
    real = os.stat

    def look(path, *how, **more):
        if str(path).startswith(str(installed)):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, *how, **more)

    def make(path, *how, **more):
        raise PermissionError(errno.EACCES, "Permission denied")

    home = installed.parent.parent / "ada/.local/state/pond/boards"
    home.mkdir(parents=True)
    monkeypatch.setattr(os, "stat", look)
    monkeypatch.setattr(os, "mkdir", make)
    for order in ("BGR", "RGB"):
        assert colours("direct-4x4", order, environment=person).parent == home
    assert load_profile("direct-4x4", environment=person).chain.colour_order == "RGB"


def test_nothing_is_written_where_another_file_would_hide_it(machine):
    person, installed, closed = machine
    installed.parent.mkdir()
    file = colours("direct-4x4", "RGB", environment=person)
    closed.add(str(installed))
    message = Message("profile.save.closed_folder", file=str(file))
    assert refused(colours, "direct-4x4", "BGR", environment=person) == message
    assert load_profile("direct-4x4", environment=person).chain.colour_order == "RGB"


def test_what_was_found_further_back_is_taken_along(machine):
    person, installed, _ = machine
    behind = colours("direct-4x4", "RGB", environment=person)
    installed.parent.mkdir()
    before = behind.read_bytes()
    ahead = measured("direct-4x4", {"lamps.brightness": 0.5}, environment=person)
    board = load_profile("direct-4x4", environment=person)
    assert (ahead.parent, board.chain.colour_order, board.chain.brightness) == (installed, "RGB", 0.5)
    assert behind.read_bytes() == before
    assert ahead.with_name(f"{ahead.name}.1").read_bytes() == before


def test_where_nothing_may_be_written(tmp_path):
    nowhere = {"POND_BOARDS": f"{os.devnull}/boards"}
    message = Message("profile.save.no_folder", folders=("/dev/null/boards",))
    assert refused(colours, "direct-4x4", "RGB", environment=nowhere) == message


# The power goes


class Cut(BaseException):
    """The power is gone: nothing is done any more, not even tidying up."""


class Disk:
    """Everything that changes a disk, one call after the other; at one of them something happens."""

    CALLS = ("open", "write", "fsync", "close", "fchmod", "chown", "replace", "rename", "unlink")

    def __init__(self, monkeypatch, at=None, error=None, torn=False):
        self.calls, self.gone, self._at, self._error, self._torn = [], False, at, error, torn
        self._opened, self._really_close = set(), os.close
        for name in self.CALLS:
            monkeypatch.setattr(os, name, self._watched(name, getattr(os, name)))

    def _watched(self, name, real):
        def call(*args, **how):
            if self.gone:
                raise Cut
            self.calls.append((name, args))
            if len(self.calls) - 1 != self._at:
                done = real(*args, **how)
                if name == "open":
                    self._opened.add(done)
                if name == "close":
                    self._opened.discard(args[0])
                return done
            if name == "write" and self._torn:
                real(args[0], bytes(args[1])[: len(args[1]) // 2])
            if name == "close":
                real(*args)
                self._opened.discard(args[0])
            if isinstance(self._error, Cut):
                self.gone = True
                for opened in self._opened:  # the kernel does so, and lets go of the lock
                    self._really_close(opened)
            raise self._error

        return call


FULL = OSError(errno.ENOSPC, "No space left on device")


def step(kitchen):
    """What is done, and goes wrong."""
    return measured(kitchen, {"lamps.cells": COLUMNS}, after=9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "error", first_now_rest_long([Cut(), FULL, KeyboardInterrupt()]), ids=["cut", "full", "Ctrl-C"]
)
def test_whenever_it_is_interrupted_the_old_file_or_the_new_one_is_there(kitchen, own, error):
    """At every call in turn; and afterwards it goes on as if nothing had been."""
    for order in ("RGB", "BGR", "GBR"):
        colours(kitchen, order)
    old, start = own.read_bytes(), files(kitchen.parent)
    with pytest.MonkeyPatch.context() as patch:
        disk = Disk(patch)
        step(kitchen)
        calls = len(disk.calls)
    new, smooth = own.read_bytes(), files(kitchen.parent)
    assert calls > 8
    assert new != old
    seen = set()
    for at in range(calls):
        for file in kitchen.parent.iterdir():
            file.unlink()
        for name, data in start.items():
            (kitchen.parent / name).write_bytes(data)
        with pytest.MonkeyPatch.context() as patch:
            Disk(patch, at, error, torn=True)
            try:
                step(kitchen)
            except (ProfileError, KeyboardInterrupt, Cut) as met:
                seen.add(type(met))
                message = getattr(met, "message", None)
        now = own.read_bytes()
        assert now in (old, new), at
        if message and message.id == "profile.save.failed":
            assert now == old, at
        there = {data for name, data in files(kitchen.parent).items() if not name.endswith(".new")}
        assert set(start.values()) <= there, at  # nothing is lost
        if now == old:
            step(kitchen)
            assert own.read_bytes() == new, at
        assert files(kitchen.parent) == smooth, at  # nothing is kept twice
        assert not [name for name in files(kitchen.parent) if name.endswith(".new")], at
    assert seen == {ProfileError if isinstance(error, OSError) else type(error)}


def test_what_is_written_is_on_the_disk_before_it_has_its_name(kitchen, own, monkeypatch):
    colours(kitchen, "RGB")
    disk = Disk(monkeypatch)
    colours(kitchen, "BGR")
    names = [name for name, _ in disk.calls if name in ("write", "fsync", "replace", "rename")]
    # the one from before: written, to the disk, named, the name to the disk; then the new one likewise
    assert names == ["write", "fsync", "replace", "fsync"] * 2
    assert [os.fspath(args[1]) for name, args in disk.calls if name == "replace"] == [f"{own}.1", str(own)]


def test_a_disk_that_is_full_has_a_message(kitchen, own, monkeypatch):
    colours(kitchen, "RGB")
    before = files(kitchen.parent)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    message = Message("profile.save.failed", file=str(own), reason="No space left on device")
    assert refused(colours, kitchen, "BGR") == message
    assert files(kitchen.parent) == before


def test_a_disk_that_cannot_say_that_a_name_is_safe_is_believed(kitchen, monkeypatch):
    real = os.fsync

    def some(opened):
        if stat.S_ISDIR(os.fstat(opened).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(opened)

    monkeypatch.setattr(os, "fsync", some)
    colours(kitchen, "RGB")
    assert load_profile(kitchen).chain.colour_order == "RGB"


def test_a_disk_that_says_it_is_not_safe_has_a_message(kitchen, own, monkeypatch):
    real = os.fsync

    def some(opened):
        if stat.S_ISDIR(os.fstat(opened).st_mode):
            raise OSError(errno.EIO, "Input/output error")
        real(opened)

    monkeypatch.setattr(os, "fsync", some)
    message = Message("profile.save.not_safe", file=str(own), reason="Input/output error")
    assert refused(colours, kitchen, "RGB") == message
    assert load_profile(kitchen).chain.colour_order == "RGB"


def test_slow_disks_that_take_a_few_bytes_at_a_time(kitchen, own, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda opened, data: real(opened, bytes(data[:7])))
    colours(kitchen, "RGB")
    assert load_profile(kitchen).chain.colour_order == "RGB"


def test_what_a_killed_one_has_left_is_no_hindrance(kitchen, own):
    own.with_name(f".{own.name}.new").write_bytes(b"half of")
    colours(kitchen, "RGB")
    assert sorted(files(kitchen.parent)) == ["kitchen.measured.toml", "kitchen.toml"]


def test_bad_sensors_are_kept_too(tmp_path):
    file = tmp_path / "hall.toml"
    file.write_text(EXPANDERS, encoding="utf-8")
    measured(file, {"sensors.bad": ["b3", "c1"], "sensors.settle_ms": 300})
    assert load_profile(file).sensing.bad_cells == {"b3", "c1"}
    assert load_profile(file).sensing.settle_seconds == 0.3
