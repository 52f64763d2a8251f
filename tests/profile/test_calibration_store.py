"""Saving measured values: backups, permissions, refusals and power cuts."""

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
from tests.conftest import long_after_first, skip_outside_ci
from tests.profile.sheet import Sheet
from tests.profile.texts import BUTTONS, EXPANDERS, edited

if os.name == "nt":
    skip_outside_ci("needs a system on which a board can be set up")

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
COLUMNS = "0 5 6\n1 4 7\n2 3 8\n"


@pytest.fixture
def kitchen(tmp_path):
    """Write a builder's profile with nine buttons."""
    file = tmp_path / "kitchen.toml"
    file.write_text(BUTTONS, encoding="utf-8")
    return file


@pytest.fixture
def own_file(kitchen):
    return kitchen.with_name("kitchen.measured.toml")


def save_values(board, changes, why="so it was found", after=0, **options):
    return save_calibration(
        board, changes, by="pond setup map", why=why, now=NOON + timedelta(minutes=after), **options
    )


def save_colours(board, order, **options):
    return save_values(board, {"lamps.colours": order}, **options)


def refused(do, *args, **options):
    with pytest.raises(ProfileError) as error:
        do(*args, **options)
    return error.value.message


def read_folder(folder):
    """Return the contents of a folder's files by name."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# A set-up session


def test_saved_values_are_loaded_again(kitchen, own_file):
    profile = kitchen.read_bytes()
    assert save_values(kitchen, {"lamps.cells": COLUMNS, "lamps.colours": "RGB"}) == own_file
    board = load_profile(kitchen)
    assert (board.chain.colour_order, board.chain.cell_positions[:3]) == ("RGB", (2, 3, 8))
    assert board.measured_keys == ("lamps.cells", "lamps.colours")
    assert kitchen.read_bytes() == profile
    assert sorted(read_folder(kitchen.parent)) == ["kitchen.measured.toml", "kitchen.toml"]


def test_later_save_keeps_earlier_values(kitchen, own_file):
    save_colours(kitchen, "RGB")
    first = own_file.read_bytes()
    save_values(kitchen, {"sensors.debounce_ms": "8 8 8\n8 24 8\n8 8 8\n", "lamps.brightness": 0.5}, "b2 chatters", 5)
    board = load_profile(kitchen)
    assert (board.chain.colour_order, board.chain.brightness, board.sensing.debounce_by_cell["b2"]) == (
        "RGB",
        0.5,
        0.024,
    )
    assert own_file.with_name(f"{own_file.name}.1").read_bytes() == first
    assert [tuple(change) for change in calibration_history(kitchen)] == [
        ("2026-11-21T12:00:00+00:00", "pond setup map", ("lamps.colours",), "so it was found"),
        ("2026-11-21T12:05:00+00:00", "pond setup map", ("sensors.debounce_ms", "lamps.brightness"), "b2 chatters"),
    ]


def test_saving_none_restores_profile_value(kitchen):
    save_values(kitchen, {"lamps.colours": "RGB", "lamps.brightness": 0.5})
    save_values(kitchen, {"lamps.colours": None})
    board = load_profile(kitchen)
    assert (board.chain.colour_order, board.chain.brightness, board.measured_keys) == (
        "GRB",
        0.5,
        ("lamps.brightness",),
    )
    assert calibration_history(kitchen)[-1].keys == ("lamps.colours",)


def test_saving_no_changes_writes_nothing(kitchen, own_file):
    assert save_values(kitchen, {}) == own_file
    assert sorted(read_folder(kitchen.parent)) == ["kitchen.toml"]
    assert calibration_history(kitchen) == ()


def test_hand_edited_values_are_kept(kitchen, own_file):
    on = profile_fingerprint(BUTTONS)
    own_file.write_text(
        f"format=1\nprofile='kitchen'\nmeasured_on='{on}'\nlamps.brightness=0.3 # dim\n", encoding="utf-8"
    )
    save_colours(kitchen, "RGB")
    assert load_profile(kitchen).chain.brightness == 0.3
    assert own_file.with_name(f"{own_file.name}.1").read_text(encoding="utf-8").endswith("# dim\n")


def test_nine_backups_are_kept_newest_first(kitchen, own_file):
    seen = []
    for number in range(12):
        save_values(kitchen, {"lamps.brightness": (number + 1) / 20})
        seen.insert(0, own_file.read_bytes())
    saved = [own_file.with_name(f"{own_file.name}.{number}").read_bytes() for number in range(1, MAX_BACKUPS + 1)]
    assert saved == seen[1:10]
    assert len(read_folder(kitchen.parent)) == 2 + MAX_BACKUPS


def test_save_keeps_permissions(kitchen, own_file):
    save_colours(kitchen, "RGB")
    own_file.chmod(0o640)
    save_colours(kitchen, "BGR")
    save_colours(kitchen, "GBR")
    saved = [
        own_file,
        own_file.with_name(f"{own_file.name}.1"),
        own_file.with_name(f"{own_file.name}.2"),
    ]
    assert [file.stat().st_mode & 0o777 for file in saved] == [0o640] * 3


def test_new_file_respects_umask(kitchen, own_file):
    before = os.umask(0o027)
    try:
        save_colours(kitchen, "RGB")
    finally:
        os.umask(before)
    assert own_file.stat().st_mode & 0o777 == 0o640


def test_file_saved_by_root_belongs_to_service(tmp_path, monkeypatch):
    given = []
    monkeypatch.setattr(os, "chown", lambda path, user, group: given.append((os.fspath(path), user, group)))
    folder = tmp_path / "pond" / "boards"
    file = save_colours("direct-4x4", "RGB", environment={"POND_BOARDS": str(folder)})
    owner = tmp_path.stat()
    assert given[0] == (str(folder), owner.st_uid, owner.st_gid)
    assert given[1] == (str(file.with_name(f".{file.name}.new")), owner.st_uid, owner.st_gid)


def test_save_keeps_symlink(kitchen, own_file, tmp_path):
    real = tmp_path / "elsewhere" / "found.toml"
    real.parent.mkdir()
    own_file.symlink_to(real)
    real.write_text("", encoding="utf-8")
    real.unlink()
    save_colours(kitchen, "RGB")
    save_colours(kitchen, "BGR")
    assert own_file.is_symlink()
    assert sorted(read_folder(real.parent)) == ["found.toml", "found.toml.1"]
    assert load_profile(kitchen).chain.colour_order == "BGR"


def test_change_log_is_limited(kitchen, own_file):
    long = CalibrationChange(
        "2026-11-21T12:00:00+00:00", "𝕏" * 80, tuple(list_measurable_keys()), "𝕐" * MAX_REASON_LENGTH
    )
    drawn = {"lamps.cells": " 1999" * 1600, "sensors.cells": " 20.A0" * 25, "sensors.debounce_ms": " 1000.999" * 25}
    text = format_calibration(
        CalibrationOverlay("kitchen", profile_fingerprint(BUTTONS), drawn, (long,) * MAX_LOG_ENTRIES)
    )
    assert len(text.encode()) < MAX_PROFILE_BYTES
    own_file.write_text(text.replace(" 1999", "").replace(" 20.A0", "").replace(" 1000.999", ""), encoding="utf-8")
    changes = {"lamps.cells": COLUMNS, "sensors.cells": None, "sensors.debounce_ms": None}
    save_values(kitchen, changes, "the newest")
    assert [change.why for change in calibration_history(kitchen)] == [long.why] * (MAX_LOG_ENTRIES - 1) + [
        "the newest"
    ]


@pytest.mark.parametrize("why", ["", " \n", "a\nb", "\x1b[2J", "x" * 500, 'say "no"', "back\\slash", "é"])
def test_log_accepts_any_text(kitchen, why):
    save_colours(kitchen, "RGB", why=why)
    logged = calibration_history(kitchen)[0].why
    assert logged.isprintable()
    assert 1 <= len(logged) <= 200
    assert logged == (why if why.isprintable() and 0 < len(why) <= 200 else logged)


# Refused saves, which change nothing


def misfit(*faults):
    """Return the message about new values that don't fit the profile `kitchen`."""
    lines = tuple(
        fault if isinstance(fault, Message) else Message("profile.fault.new_value", place=fault[0], reason=fault[1])
        for fault in faults
    )
    return Message("profile.save.misfit", board="kitchen", faults=lines)


def row(key, number):
    return Message("profile.place.row", key=key, row=number)


def shared(gpio, first, second):
    """Return the message about two uses of a GPIO."""
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
def test_invalid_values_are_not_saved(kitchen, changes, message):
    save_colours(kitchen, "RGB")
    before = read_folder(kitchen.parent)
    assert refused(save_values, kitchen, changes) == message
    assert read_folder(kitchen.parent) == before


def test_unencodable_character_is_refused(kitchen):
    assert refused(save_values, kitchen, {"lamps.colours": "\ud800"}).id == "profile.save.misfit"


def test_save_is_refused_if_profile_changed_while_measuring(kitchen):
    on = profile_fingerprint(BUTTONS)
    assert save_colours(kitchen, "RGB", measured_on=on)
    kitchen.write_text(edited(BUTTONS, ("= 300", "= 301")), encoding="utf-8")
    before = read_folder(kitchen.parent)
    message = Message("profile.save.profile_changed", board="kitchen")
    assert refused(save_colours, kitchen, "BGR", measured_on=on) == message
    assert read_folder(kitchen.parent) == before


def test_ignored_file_is_backed_up_and_replaced(kitchen, own_file):
    save_values(kitchen, {"lamps.cells": COLUMNS})
    old = own_file.read_bytes()
    kitchen.write_text(edited(BUTTONS, ("= 300", "= 301")), encoding="utf-8")
    assert load_profile(kitchen).calibration_warning
    save_colours(kitchen, "RGB")
    board = load_profile(kitchen)
    assert (board.calibration_warning, board.measured_keys) == (None, ("lamps.colours",))
    assert len(calibration_history(kitchen)) == 1
    assert own_file.with_name(f"{own_file.name}.1").read_bytes() == old


def put(data):
    return lambda path: path.write_bytes(data)


@pytest.mark.parametrize(
    "spoil", [put(b""), put(b"broken"), put(bytes(300)), put(b"\xf4" * 300), Path.mkdir, os.mkfifo]
)
def test_unusable_file_is_set_aside(kitchen, own_file, spoil):
    spoil(own_file)
    aside = own_file.with_suffix(".bad")
    was_file = own_file.is_file() and own_file.read_bytes()
    save_colours(kitchen, "RGB")
    assert load_profile(kitchen).measured_keys == ("lamps.colours",)
    assert aside.exists()
    assert (aside.is_file() and aside.read_bytes()) == was_file


def test_file_with_wrong_value_is_set_aside(kitchen, own_file):
    overlay = CalibrationOverlay("kitchen", profile_fingerprint(BUTTONS), {"lamps.brightness": 7}, ())
    own_file.write_text(format_calibration(overlay), encoding="utf-8")
    save_colours(kitchen, "RGB")
    assert load_profile(kitchen).measured_keys == ("lamps.colours",)
    assert "brightness = 7" in own_file.with_suffix(".bad").read_text(encoding="utf-8")


def test_broken_profile_is_reported(kitchen):
    kitchen.write_text(edited(BUTTONS, ("count = 9", "count = 8")), encoding="utf-8")
    broken = refused(save_colours, kitchen, "RGB")
    assert (broken.id, broken.arguments["file"], broken.arguments["count"]) == (
        "profile.faults.profile",
        "kitchen.toml",
        1,
    )
    attic = kitchen.with_name("attic.toml")
    assert refused(save_colours, attic, "RGB") == Message("profile.file.missing", file=str(attic))
    misspelt = refused(save_colours, "dircet-4x4", "RGB")
    assert (misspelt.id, misspelt.arguments["board"]) == ("profile.board.misspelt", "dircet-4x4")


@pytest.mark.parametrize("lock", ["LOCK_EX", "LOCK_SH"])
def test_concurrent_save_is_refused(kitchen, lock):
    import fcntl

    save_colours(kitchen, "RGB")
    before = read_folder(kitchen.parent)
    other = os.open(kitchen.parent, os.O_RDONLY)
    try:
        fcntl.flock(other, getattr(fcntl, lock))
        assert refused(save_colours, kitchen, "BGR") == Message("profile.save.locked", folder=str(kitchen.parent))
        assert read_folder(kitchen.parent) == before
    finally:
        os.close(other)
    save_colours(kitchen, "BGR")


# Shipped boards


def test_shipped_board_is_saved_in_state_folder(tmp_path):
    here = {"POND_BOARDS": str(tmp_path / "new" / "boards")}
    shipped = Sheet("direct-4x4").text
    file = save_colours("direct-4x4", "RGB", environment=here)
    assert file == tmp_path / "new" / "boards" / "direct-4x4.measured.toml"
    assert load_profile("direct-4x4", environment=here).chain.colour_order == "RGB"
    assert load_profile("direct-4x4").chain.colour_order == "GRB"
    assert Sheet("direct-4x4").text == shipped


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Simulate a user's machine with a set of read-only folders."""
    monkeypatch.setattr("pond_hw.profile.library.INSTALLED_FOLDER", tmp_path / "pond")
    closed = set()
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) not in closed and real(path, mode))
    return {"HOME": str(tmp_path / "ada")}, tmp_path / "pond" / "boards", closed


def test_service_folder_is_used_only_if_installed(machine, tmp_path):
    environment, installed, _ = machine
    assert (
        save_colours("direct-4x4", "RGB", environment=environment).parent == tmp_path / "ada/.local/state/pond/boards"
    )
    assert not installed.parent.exists()


def test_service_folder_is_used_if_writable(machine, tmp_path):
    environment, installed, _ = machine
    installed.parent.mkdir()
    assert save_colours("direct-4x4", "RGB", environment=environment).parent == installed


def test_user_folder_replaces_read_only_service_folder(machine, tmp_path):
    environment, installed, closed = machine
    installed.mkdir(parents=True)
    closed.add(str(installed))
    mine = save_colours("direct-4x4", "RGB", environment=environment)
    assert mine.parent == tmp_path / "ada/.local/state/pond/boards"
    assert load_profile("direct-4x4", environment=environment).chain.colour_order == "RGB"


def test_inaccessible_folder_is_skipped(machine, monkeypatch):
    environment, installed, closed = machine
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
        assert save_colours("direct-4x4", order, environment=environment).parent == home
    assert load_profile("direct-4x4", environment=environment).chain.colour_order == "RGB"


def test_save_is_refused_where_it_would_be_hidden(machine):
    environment, installed, closed = machine
    installed.parent.mkdir()
    file = save_colours("direct-4x4", "RGB", environment=environment)
    closed.add(str(installed))
    message = Message("profile.save.closed_folder", file=str(file))
    assert refused(save_colours, "direct-4x4", "BGR", environment=environment) == message
    assert load_profile("direct-4x4", environment=environment).chain.colour_order == "RGB"


def test_values_from_later_folder_are_merged(machine):
    environment, installed, _ = machine
    behind = save_colours("direct-4x4", "RGB", environment=environment)
    installed.parent.mkdir()
    before = behind.read_bytes()
    ahead = save_values("direct-4x4", {"lamps.brightness": 0.5}, environment=environment)
    board = load_profile("direct-4x4", environment=environment)
    assert (ahead.parent, board.chain.colour_order, board.chain.brightness) == (installed, "RGB", 0.5)
    assert behind.read_bytes() == before
    assert ahead.with_name(f"{ahead.name}.1").read_bytes() == before


def test_missing_writable_folder_is_reported(tmp_path):
    nowhere = {"POND_BOARDS": f"{os.devnull}/boards"}
    message = Message("profile.save.no_folder", folders=("/dev/null/boards",))
    assert refused(save_colours, "direct-4x4", "RGB", environment=nowhere) == message


# Power cuts


class PowerCut(BaseException):
    """Power cut: nothing runs after it, not even clean-up."""


class Disk:
    """Records all calls that change the disk, and makes one of them fail."""

    CALLS = ("open", "write", "fsync", "close", "fchmod", "chown", "replace", "rename", "unlink")

    def __init__(self, monkeypatch, at=None, error=None, torn=False):
        self.calls, self.gone, self._at, self._error, self._torn = [], False, at, error, torn
        self._opened, self._really_close = set(), os.close
        for name in self.CALLS:
            monkeypatch.setattr(os, name, self._watched(name, getattr(os, name)))

    def _watched(self, name, real):
        def call(*args, **options):
            if self.gone:
                raise PowerCut
            self.calls.append((name, args))
            if len(self.calls) - 1 != self._at:
                done = real(*args, **options)
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
            if isinstance(self._error, PowerCut):
                self.gone = True
                for opened in self._opened:  # as the kernel does; this releases the lock
                    self._really_close(opened)
            raise self._error

        return call


FULL = OSError(errno.ENOSPC, "No space left on device")


def save_columns(kitchen):
    """Save values. The tests interrupt this function."""
    return save_values(kitchen, {"lamps.cells": COLUMNS}, after=9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "error", long_after_first([PowerCut(), FULL, KeyboardInterrupt()]), ids=["power cut", "disk full", "Ctrl-C"]
)
def test_interrupted_save_leaves_old_or_new_file(kitchen, own_file, error):
    """Interrupt each call in turn, and save again without interruption each time."""
    for order in ("RGB", "BGR", "GBR"):
        save_colours(kitchen, order)
    old, start = own_file.read_bytes(), read_folder(kitchen.parent)
    with pytest.MonkeyPatch.context() as patch:
        disk = Disk(patch)
        save_columns(kitchen)
        calls = len(disk.calls)
    new, expected = own_file.read_bytes(), read_folder(kitchen.parent)
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
                save_columns(kitchen)
            except (ProfileError, KeyboardInterrupt, PowerCut) as met:
                seen.add(type(met))
                message = getattr(met, "message", None)
        now = own_file.read_bytes()
        assert now in (old, new), at
        if message and message.id == "profile.save.failed":
            assert now == old, at
        there = {data for name, data in read_folder(kitchen.parent).items() if not name.endswith(".new")}
        assert set(start.values()) <= there, at  # nothing is lost
        if now == old:
            save_columns(kitchen)
            assert own_file.read_bytes() == new, at
        assert read_folder(kitchen.parent) == expected, at  # no duplicate backup
        assert not [name for name in read_folder(kitchen.parent) if name.endswith(".new")], at
    assert seen == {ProfileError if isinstance(error, OSError) else type(error)}


def test_file_is_synced_before_rename(kitchen, own_file, monkeypatch):
    save_colours(kitchen, "RGB")
    disk = Disk(monkeypatch)
    save_colours(kitchen, "BGR")
    names = [name for name, _ in disk.calls if name in ("write", "fsync", "replace", "rename")]
    # first the backup, then the new file: write, sync, rename, sync the folder
    assert names == ["write", "fsync", "replace", "fsync"] * 2
    assert [os.fspath(args[1]) for name, args in disk.calls if name == "replace"] == [
        f"{own_file}.1",
        str(own_file),
    ]


def test_full_disk_is_reported(kitchen, own_file, monkeypatch):
    save_colours(kitchen, "RGB")
    before = read_folder(kitchen.parent)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    message = Message("profile.save.failed", file=str(own_file), reason="No space left on device")
    assert refused(save_colours, kitchen, "BGR") == message
    assert read_folder(kitchen.parent) == before


def test_unsupported_folder_sync_is_tolerated(kitchen, monkeypatch):
    real = os.fsync

    def some(opened):
        if stat.S_ISDIR(os.fstat(opened).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(opened)

    monkeypatch.setattr(os, "fsync", some)
    save_colours(kitchen, "RGB")
    assert load_profile(kitchen).chain.colour_order == "RGB"


def test_failed_folder_sync_is_reported(kitchen, own_file, monkeypatch):
    real = os.fsync

    def some(opened):
        if stat.S_ISDIR(os.fstat(opened).st_mode):
            raise OSError(errno.EIO, "Input/output error")
        real(opened)

    monkeypatch.setattr(os, "fsync", some)
    message = Message("profile.save.not_safe", file=str(own_file), reason="Input/output error")
    assert refused(save_colours, kitchen, "RGB") == message
    assert load_profile(kitchen).chain.colour_order == "RGB"


def test_partial_writes_are_continued(kitchen, own_file, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda opened, data: real(opened, bytes(data[:7])))
    save_colours(kitchen, "RGB")
    assert load_profile(kitchen).chain.colour_order == "RGB"


def test_leftover_temporary_file_is_replaced(kitchen, own_file):
    own_file.with_name(f".{own_file.name}.new").write_bytes(b"half of")
    save_colours(kitchen, "RGB")
    assert sorted(read_folder(kitchen.parent)) == ["kitchen.measured.toml", "kitchen.toml"]


def test_bad_sensors_are_saved(tmp_path):
    file = tmp_path / "hall.toml"
    file.write_text(EXPANDERS, encoding="utf-8")
    save_values(file, {"sensors.bad": ["b3", "c1"], "sensors.settle_ms": 300})
    assert load_profile(file).sensing.bad_cells == {"b3", "c1"}
    assert load_profile(file).sensing.settle_seconds == 0.3
