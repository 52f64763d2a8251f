"""The folder of journal files: obstacles, damage, and games in several files."""

import errno
import os
from itertools import count
from pathlib import Path

import pytest

from pond_hw.journal import folder as journal_folder
from pond_hw.journal import store
from pond_hw.journal.folder import (
    JournalLocked,
    acquire_lock,
    begin_file,
    is_locked,
    is_own_lock,
    list_files,
    open_newest,
    read_all_games,
)
from pond_hw.journal.store import create_file
from pond_hw.journal.stored_game import GameUpdate
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD
from pond_hw.session import NewGame, ResignGame, UndoTurns
from tests.journal.journal_player import JournalPlayer, contents, copy_as_killed, read_entries
from tests.journal.test_store import ENTRIES, FACTS, execute_statements
from tests.messages.says import ids, text


def names(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith("-shm"))


def put_directory(path):
    path.mkdir()
    (path / "letters").write_text("Dear Mia,")


def put_log_directory(path):
    create_file(path)
    path.with_name(path.name + "-wal").mkdir()


LOST = ["journal.damaged", "journal.nothing_readable"]
NOT_A_FILE = ["journal.not_a_file", "journal.left_alone"]


@pytest.mark.parametrize(
    ("put", "messages", "left"),
    [
        (lambda path: path.touch(), LOST, "journal-1.bad"),
        (lambda path: path.write_text("Milk, eggs, bread\n" * 300), LOST, "journal-1.bad"),
        (put_directory, NOT_A_FILE, "journal-1.db"),
        (lambda path: path.symlink_to(path), NOT_A_FILE, "journal-1.db"),
        (lambda path: path.symlink_to("nowhere"), NOT_A_FILE, "journal-1.db"),
        (os.mkfifo, NOT_A_FILE, "journal-1.db"),
        (put_log_directory, LOST, "journal-1.bad"),
    ],
    ids=["empty", "text", "directory", "loop", "dangling", "pipe", "log"],
)
def test_game_is_saved_despite_an_unusable_file(put, messages, left, tmp_path):
    put(tmp_path / "journal-1.db")
    assert len(read_all_games(tmp_path)[1]) == 1
    player = JournalPlayer(tmp_path)
    assert player.journal.trouble is None
    notices = player.journal.file_notices
    assert ids(notices) == messages
    first = {"aside": left} if messages == LOST else {"file": str(tmp_path / left)}
    assert first.items() <= notices[0].arguments.items()
    assert text(*notices)
    assert left in names(tmp_path)
    player.play_turns(2)
    assert player.reports[-1].trouble is None
    player.close()
    again = JournalPlayer(tmp_path, "b")
    assert (again.journal.file_notices, again.journal.trouble, len(again.journal.unfinished_game.entries)) == (
        (),
        None,
        2,
    )
    again.close()


def mark_newer_format(path):
    data = bytearray(path.read_bytes())
    data[63] = 2
    path.write_bytes(data)


def test_newer_format_is_left_unchanged(tmp_path):
    player = JournalPlayer(tmp_path)
    player.play_turns(3)
    player.close()
    create_file(tmp_path / "journal-2.db", [GameUpdate("z-1", FACTS, ENTRIES)])
    mark_newer_format(tmp_path / "journal-2.db")
    before = (tmp_path / "journal-2.db").read_bytes()
    player = JournalPlayer(tmp_path, "b")
    newer_file = {"file": str(tmp_path / "journal-2.db"), "format": 2, "known_format": 1}
    assert player.journal.file_notices == (Message("journal.newer", **newer_file), Message("journal.left_alone"))
    assert player.journal.unfinished_game.uid == "a-1"
    player.resume(player.journal.unfinished_game)
    player.play_turns(2)
    player.close()
    again = JournalPlayer(tmp_path, "c")
    assert (again.journal.file_notices, again.journal.unfinished_game.file) == ((), "journal-3.db")
    assert [noted.entry.kind for noted in again.journal.unfinished_game.entries] == ["act"] * 3 + ["resume"] + [
        "act"
    ] * 2
    assert [saved.uid for saved in read_all_games(tmp_path)[0]] == ["a-1"]
    again.close()
    assert (tmp_path / "journal-2.db").read_bytes() == before
    assert not (tmp_path / "journal-2.db-wal").exists()


def test_longest_then_latest_copy_of_a_game_counts(tmp_path):
    create_file(tmp_path / "journal-1.db", [GameUpdate("a-1", FACTS, ENTRIES), GameUpdate("a-2", FACTS, ENTRIES[:1])])
    create_file(
        tmp_path / "journal-2.db", [GameUpdate("a-1", FACTS, ENTRIES[:2]), GameUpdate("a-2", FACTS, ENTRIES[:1])]
    )
    create_file(tmp_path / "journal-10.db", [GameUpdate("a-3", FACTS, ENTRIES[:2])])
    saved, messages = read_all_games(tmp_path)
    assert [(each.uid, each.file, len(each.entries)) for each in saved] == [
        ("a-1", "journal-1.db", 3),
        ("a-2", "journal-2.db", 1),
        ("a-3", "journal-10.db", 2),
    ]
    assert messages == []
    opened, _ = open_newest(tmp_path)
    assert opened.path.name == "journal-10.db"
    opened.close()


def test_other_file_names_are_ignored(tmp_path):
    for name in ("journal-0.db", "journal-01.db", "journal-1.db.new", "journal-1.DB", "journal-١.db", "xjournal-1.db",
                 "journal-1.db-wal", "journal-1234567.db", "journal-1.db\n"):  # fmt: skip
        (tmp_path / name).touch()
    assert list_files(tmp_path) == []
    assert list_files(tmp_path / "nowhere") == []
    assert read_all_games(tmp_path / "nowhere") == ([], [])


def test_existing_bad_file_is_never_overwritten(tmp_path):
    (tmp_path / "journal-1.bad").write_bytes(b"the first one")
    (tmp_path / "journal-1.db").write_bytes(b"the second one")
    opened, messages = open_newest(tmp_path)
    opened.close()
    assert opened.path.name == "journal-2.db"
    assert (tmp_path / "journal-1.bad").read_bytes() == b"the first one"
    assert (tmp_path / "journal-1.db").read_bytes() == b"the second one"
    assert messages == (damaged_notice("journal-1.db", "damage.no_header"), Message("journal.nothing_readable"))


def damaged_notice(aside, reason):
    return Message("journal.damaged", file="journal-1.db", aside=aside, reason=Message(reason))


def test_damaged_file_is_renamed_with_its_log(tmp_path):
    player = JournalPlayer(tmp_path / "it")
    player.play_turns(4)
    there = copy_as_killed(tmp_path / "it", tmp_path / "there")
    player.close()
    data = bytearray((there / "journal-1.db-wal").read_bytes())
    data[-5000] ^= 4
    (there / "journal-1.db-wal").write_bytes(data)
    before = contents(there)
    opened, messages = open_newest(there)
    opened.close()
    after = contents(there)
    assert after["journal-1.bad"] == before["journal-1.db"]
    assert after["journal-1.bad-wal"] == before["journal-1.db-wal"]
    assert "journal-1.db" not in after
    assert messages == (damaged_notice("journal-1.bad", "damage.unreadable_log"), Message("journal.recovered", count=1))
    assert [len(entries) for entries in read_entries(there).values()] == [4]


@pytest.mark.slow
def test_kill_during_replacement_loses_nothing(tmp_path, monkeypatch):
    """The process is killed before each call that renames, creates or syncs a file, except for calls inside SQLite."""
    create_file(tmp_path / "journal-1.db", [GameUpdate("a-1", FACTS, ENTRIES), GameUpdate("a-2", FACTS, ENTRIES[:2])])
    execute_statements(tmp_path / "journal-1.db", "UPDATE entry SET value = '@b4' WHERE game = 2 AND n = 2")
    truth = read_entries(tmp_path)
    assert [len(entries) for entries in truth.values()] == [3, 1]
    number, killed = 0, True
    while killed:
        there = copy_as_killed(tmp_path, tmp_path.with_name("there"))
        with monkeypatch.context() as patch:
            killed = _run_killed_before(number, patch, lambda there=there: open_newest(there)[0].close())
        assert read_entries(there) == truth
        opened, _ = open_newest(there)
        opened.close()
        assert opened.path.name == "journal-2.db"
        assert read_entries(there) == truth
        number += 1
    assert number > 10


def _run_killed_before(number, patch, does):
    steps = count()

    def counted(real):
        def step(*arguments, **more):
            if next(steps) == number:
                raise Killed
            return real(*arguments, **more)

        return step

    path = type(Path())
    for where, name in [
        (os, "fsync"),
        (path, "rename"),
        (path, "touch"),
        (store, "_insert_games"),
        (store, "connect_database"),
    ]:
        patch.setattr(where, name, counted(getattr(where, name)))
    try:
        does()
    except Killed:
        return True
    return False


class Killed(BaseException):
    pass


def test_damaged_file_is_kept_until_replaced(tmp_path, monkeypatch):
    (tmp_path / "journal-1.db").write_bytes(b"damaged")
    with monkeypatch.context() as patch:
        patch.setattr(store, "_insert_games", lambda *_: (_ for _ in ()).throw(OSError("the disk is full")))
        for _ in range(2):
            with pytest.raises(OSError, match="full"):
                open_newest(tmp_path)
        assert [path.name for path in list_files(tmp_path)] == ["journal-1.db"]
    opened, messages = open_newest(tmp_path)
    opened.close()
    assert messages == (damaged_notice("journal-1.bad", "damage.no_header"), Message("journal.nothing_readable"))
    assert [path.name for path in list_files(tmp_path)] == ["journal-1.bad", "journal-2.db"]


def test_new_file_is_complete_or_absent(tmp_path, monkeypatch):
    create_file(tmp_path / "journal-1.db")
    with monkeypatch.context() as patch:
        patch.setattr(store, "_insert_games", lambda *_: (_ for _ in ()).throw(OSError("the disk is full")))
        for _ in range(3):
            with pytest.raises(OSError, match="full"):
                begin_file(tmp_path, [GameUpdate("a-1", FACTS, ENTRIES)])
    assert [path.name for path in list_files(tmp_path)] == ["journal-1.db"]
    opened = begin_file(tmp_path, [GameUpdate("a-1", FACTS, ENTRIES)])
    assert ([path.name for path in list_files(tmp_path)], len(opened.stored_games)) == (
        ["journal-1.db", "journal-2.db"],
        1,
    )
    opened.close()
    assert names(tmp_path) == ["journal-1.db", "journal-2.db"]


def test_file_with_unsynced_name_is_removed(tmp_path, monkeypatch):
    def fails(path):
        if path.is_dir():
            raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(store, "sync_to_disk", fails)
        for _ in range(3):
            with pytest.raises(OSError, match="Input/output error"):
                begin_file(tmp_path)
    assert list_files(tmp_path) == []


def test_lock_excludes_other_writers(tmp_path):
    folder = tmp_path / "some" / "where"
    assert not is_locked(folder)
    opened = acquire_lock(folder)
    assert (folder.stat().st_mode & 0o777, is_locked(folder)) == (0o700, True)
    with pytest.raises(JournalLocked) as locked:
        acquire_lock(folder)
    assert locked.value.message == Message("journal.in_use", folder=str(folder))
    assert is_own_lock(folder, opened)
    os.close(opened)
    assert not is_locked(folder)
    os.close(acquire_lock(folder))


def test_lock_of_a_deleted_folder_does_not_count(tmp_path):
    opened = acquire_lock(tmp_path / "it")
    (tmp_path / "it").rename(tmp_path / "gone")
    assert not is_own_lock(tmp_path / "it", opened)
    os.close(acquire_lock(tmp_path / "it"))
    assert not is_own_lock(tmp_path / "it", opened)
    os.close(opened)


def test_new_folders_are_synced(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(journal_folder, "sync_to_disk", seen.append)
    os.close(acquire_lock(tmp_path / "some" / "where" / "else"))
    assert seen == [tmp_path.parent, tmp_path, tmp_path / "some", tmp_path / "some" / "where"]
    seen.clear()
    os.close(acquire_lock(tmp_path / "some" / "where" / "else"))
    assert seen == [tmp_path / "some" / "where"]  # an earlier process may have created it without a sync


def test_files_can_be_read_during_writing(tmp_path):
    player = JournalPlayer(tmp_path)
    for turns in range(1, 8):
        player.play_turns(1)
        saved, messages = read_all_games(tmp_path)
        assert ([len(each.entries) for each in saved], messages) == ([turns], [])
    player.apply(UndoTurns(0.0))
    assert read_entries(tmp_path)["a-1"][-1] == "back 1"
    player.close()


def test_store_loads_only_wanted_games(tmp_path):
    player = JournalPlayer(tmp_path)
    for _ in range(3):
        player.play_turns(1)
        player.apply(ResignGame(0.0))
        player.apply(NewGame(STANDARD, 0.0))
    player.play_turns(1)
    player.close()
    store, _ = open_newest(tmp_path, lambda saved: saved.projection.can_continue)
    assert ([len(saved.projection.turns) for saved in store.stored_games], store.is_empty) == ([1], False)
    store.close()
    assert len(read_all_games(tmp_path)[0]) == 4


def test_damaged_file_is_read_once_on_a_full_disk(tmp_path, monkeypatch):
    player = JournalPlayer(tmp_path / "it")
    player.play_turns(3)
    player.close()
    path = tmp_path / "it" / "journal-1.db"
    path.write_bytes(bytes(100) + path.read_bytes()[100:])
    readings, real = [], journal_folder.read_stored_games

    def read(path):
        readings.append(path)
        return real(path)

    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(journal_folder, "read_stored_games", read)
    with monkeypatch.context() as patch:
        patch.setattr(journal_folder, "create_file", refuse)
        again = JournalPlayer(tmp_path / "it", "b")
        for _ in range(3):
            again.journal.retry_writing()
        assert again.journal.trouble == Message("saving.disk_full")
        assert len(again.journal.unfinished_game.entries) == 3
    assert readings == [path]
    again.journal.retry_writing()
    assert (again.journal.trouble, readings) == (None, [path, path])
    assert sorted(file.name for file in (tmp_path / "it").glob("*.*")) == [
        *("journal-1.bad", "journal-2.db", "journal-2.db-shm", "journal-2.db-wal"),
    ]
    again.close()
