"""The files together: what stands in the way of one, and a game that stands in several."""

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
from tests.journal.journal_player import JournalPlayer, contents, copied, told
from tests.journal.test_store import FACTS, NOTED, changed
from tests.messages.says import ids, text


def names(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith("-shm"))


def a_directory(path):
    path.mkdir()
    (path / "letters").write_text("Dear Mia,")


def a_log_that_is_a_directory(path):
    create_file(path)
    path.with_name(path.name + "-wal").mkdir()


LOST = ["journal.damaged", "journal.nothing_readable"]
NOT_A_FILE = ["journal.not_a_file", "journal.left_alone"]


@pytest.mark.parametrize(
    ("puts", "said", "left"),
    [
        (lambda path: path.touch(), LOST, "journal-1.bad"),
        (lambda path: path.write_text("Milk, eggs, bread\n" * 300), LOST, "journal-1.bad"),
        (a_directory, NOT_A_FILE, "journal-1.db"),
        (lambda path: path.symlink_to(path), NOT_A_FILE, "journal-1.db"),
        (lambda path: path.symlink_to("nowhere"), NOT_A_FILE, "journal-1.db"),
        (os.mkfifo, NOT_A_FILE, "journal-1.db"),
        (a_log_that_is_a_directory, LOST, "journal-1.bad"),
    ],
    ids=["empty", "text", "directory", "loop", "dangling", "pipe", "log"],
)
def test_whatever_lies_in_a_journals_place_a_game_is_kept(puts, said, left, tmp_path):
    puts(tmp_path / "journal-1.db")
    assert len(read_all_games(tmp_path)[1]) == 1
    player = JournalPlayer(tmp_path)
    assert player.journal.trouble is None
    notices = player.journal.file_notices
    assert ids(notices) == said
    first = {"aside": left} if said == LOST else {"file": str(tmp_path / left)}
    assert first.items() <= notices[0].arguments.items()
    assert text(*notices)
    assert left in names(tmp_path)
    player.plays(2)
    assert player.heard[-1].trouble is None
    player.leaves()
    again = JournalPlayer(tmp_path, "b")
    assert (again.journal.file_notices, again.journal.trouble, len(again.journal.unfinished_game.entries)) == (
        (),
        None,
        2,
    )
    again.leaves()


def newer(path):
    data = bytearray(path.read_bytes())
    data[63] = 2
    path.write_bytes(data)


def test_a_newer_versions_journal_is_left_and_the_older_one_is_gone_on_with(tmp_path):
    player = JournalPlayer(tmp_path)
    player.plays(3)
    player.leaves()
    create_file(tmp_path / "journal-2.db", [GameUpdate("z-1", FACTS, NOTED)])
    newer(tmp_path / "journal-2.db")
    before = (tmp_path / "journal-2.db").read_bytes()
    player = JournalPlayer(tmp_path, "b")
    newer_file = {"file": str(tmp_path / "journal-2.db"), "format": 2, "known_format": 1}
    assert player.journal.file_notices == (Message("journal.newer", **newer_file), Message("journal.left_alone"))
    assert player.journal.unfinished_game.uid == "a-1"
    player.goes_on(player.journal.unfinished_game)
    player.plays(2)
    player.leaves()
    again = JournalPlayer(tmp_path, "c")
    assert (again.journal.file_notices, again.journal.unfinished_game.file) == ((), "journal-3.db")
    assert [noted.entry.kind for noted in again.journal.unfinished_game.entries] == ["act"] * 3 + ["resume"] + [
        "act"
    ] * 2
    assert [kept.uid for kept in read_all_games(tmp_path)[0]] == ["a-1"]
    again.leaves()
    assert (tmp_path / "journal-2.db").read_bytes() == before
    assert not (tmp_path / "journal-2.db-wal").exists()


def test_a_game_in_several_files_is_the_longest_and_of_two_as_long_the_later(tmp_path):
    create_file(tmp_path / "journal-1.db", [GameUpdate("a-1", FACTS, NOTED), GameUpdate("a-2", FACTS, NOTED[:1])])
    create_file(tmp_path / "journal-2.db", [GameUpdate("a-1", FACTS, NOTED[:2]), GameUpdate("a-2", FACTS, NOTED[:1])])
    create_file(tmp_path / "journal-10.db", [GameUpdate("a-3", FACTS, NOTED[:2])])
    kept, said = read_all_games(tmp_path)
    assert [(each.uid, each.file, len(each.entries)) for each in kept] == [
        ("a-1", "journal-1.db", 3),
        ("a-2", "journal-2.db", 1),
        ("a-3", "journal-10.db", 2),
    ]
    assert said == []
    opened, _ = open_newest(tmp_path)
    assert opened.path.name == "journal-10.db"
    opened.close()


def test_only_what_is_named_as_a_journal_is_one(tmp_path):
    for name in ("journal-0.db", "journal-01.db", "journal-1.db.new", "journal-1.DB", "journal-١.db", "xjournal-1.db",
                 "journal-1.db-wal", "journal-1234567.db", "journal-1.db\n"):  # fmt: skip
        (tmp_path / name).touch()
    assert list_files(tmp_path) == []
    assert list_files(tmp_path / "nowhere") == []
    assert read_all_games(tmp_path / "nowhere") == ([], [])


def test_what_was_kept_aside_once_is_never_written_over(tmp_path):
    (tmp_path / "journal-1.bad").write_bytes(b"the first one")
    (tmp_path / "journal-1.db").write_bytes(b"the second one")
    opened, said = open_newest(tmp_path)
    opened.close()
    assert opened.path.name == "journal-2.db"
    assert (tmp_path / "journal-1.bad").read_bytes() == b"the first one"
    assert (tmp_path / "journal-1.db").read_bytes() == b"the second one"
    assert said == (spoilt("journal-1.db", "damage.no_header"), Message("journal.nothing_readable"))


def spoilt(aside, reason):
    return Message("journal.damaged", file="journal-1.db", aside=aside, reason=Message(reason))


def test_a_spoilt_file_keeps_its_bytes_and_its_log_under_another_name(tmp_path):
    player = JournalPlayer(tmp_path / "it")
    player.plays(4)
    there = copied(tmp_path / "it", tmp_path / "there")
    player.leaves()
    data = bytearray((there / "journal-1.db-wal").read_bytes())
    data[-5000] ^= 4
    (there / "journal-1.db-wal").write_bytes(data)
    before = contents(there)
    opened, said = open_newest(there)
    opened.close()
    after = contents(there)
    assert after["journal-1.bad"] == before["journal-1.db"]
    assert after["journal-1.bad-wal"] == before["journal-1.db-wal"]
    assert "journal-1.db" not in after
    assert said == (spoilt("journal-1.bad", "damage.unreadable_log"), Message("journal.recovered", count=1))
    assert [len(entries) for entries in told(there).values()] == [4]


@pytest.mark.slow
def test_whoever_is_killed_while_a_spoilt_file_is_replaced_loses_nothing(tmp_path, monkeypatch):
    """Before each call that changes a name or has something written out; what SQLite does in between is its own."""
    create_file(tmp_path / "journal-1.db", [GameUpdate("a-1", FACTS, NOTED), GameUpdate("a-2", FACTS, NOTED[:2])])
    changed(tmp_path / "journal-1.db", "UPDATE entry SET value = '@b4' WHERE game = 2 AND n = 2")
    truth = told(tmp_path)
    assert [len(entries) for entries in truth.values()] == [3, 1]
    number, killed = 0, True
    while killed:
        there = copied(tmp_path, tmp_path.with_name("there"))
        with monkeypatch.context() as patch:
            killed = _killed_before(number, patch, lambda there=there: open_newest(there)[0].close())
        assert told(there) == truth
        opened, _ = open_newest(there)
        opened.close()
        assert opened.path.name == "journal-2.db"
        assert told(there) == truth
        number += 1
    assert number > 10


def _killed_before(number, patch, does):
    steps = count()

    def counted(real):
        def step(*told_, **more):
            if next(steps) == number:
                raise Killed
            return real(*told_, **more)

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


def test_a_spoilt_file_keeps_its_place_until_there_is_another(tmp_path, monkeypatch):
    (tmp_path / "journal-1.db").write_bytes(b"spoilt")
    with monkeypatch.context() as patch:
        patch.setattr(store, "_insert_games", lambda *_: (_ for _ in ()).throw(OSError("the disk is full")))
        for _ in range(2):
            with pytest.raises(OSError, match="full"):
                open_newest(tmp_path)
        assert [path.name for path in list_files(tmp_path)] == ["journal-1.db"]
    opened, said = open_newest(tmp_path)
    opened.close()
    assert said == (spoilt("journal-1.bad", "damage.no_header"), Message("journal.nothing_readable"))
    assert [path.name for path in list_files(tmp_path)] == ["journal-1.bad", "journal-2.db"]


def test_a_file_that_is_begun_has_all_its_games_or_no_name(tmp_path, monkeypatch):
    create_file(tmp_path / "journal-1.db")
    with monkeypatch.context() as patch:
        patch.setattr(store, "_insert_games", lambda *_: (_ for _ in ()).throw(OSError("the disk is full")))
        for _ in range(3):
            with pytest.raises(OSError, match="full"):
                begin_file(tmp_path, [GameUpdate("a-1", FACTS, NOTED)])
    assert [path.name for path in list_files(tmp_path)] == ["journal-1.db"]
    opened = begin_file(tmp_path, [GameUpdate("a-1", FACTS, NOTED)])
    assert ([path.name for path in list_files(tmp_path)], len(opened.stored_games)) == (
        ["journal-1.db", "journal-2.db"],
        1,
    )
    opened.close()
    assert names(tmp_path) == ["journal-1.db", "journal-2.db"]


def test_a_name_that_could_not_be_written_out_is_taken_back(tmp_path, monkeypatch):
    def fails(path):
        if path.is_dir():
            raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(store, "sync_to_disk", fails)
        for _ in range(3):
            with pytest.raises(OSError, match="Input/output error"):
                begin_file(tmp_path)
    assert list_files(tmp_path) == []


def test_one_writes_and_the_others_are_told_so(tmp_path):
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


def test_the_lock_of_a_folder_that_was_deleted_is_no_lock(tmp_path):
    opened = acquire_lock(tmp_path / "it")
    (tmp_path / "it").rename(tmp_path / "gone")
    assert not is_own_lock(tmp_path / "it", opened)
    os.close(acquire_lock(tmp_path / "it"))
    assert not is_own_lock(tmp_path / "it", opened)
    os.close(opened)


def test_the_names_of_folders_that_are_made_are_written_out_too(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(journal_folder, "sync_to_disk", seen.append)
    os.close(acquire_lock(tmp_path / "some" / "where" / "else"))
    assert seen == [tmp_path.parent, tmp_path, tmp_path / "some", tmp_path / "some" / "where"]
    seen.clear()
    os.close(acquire_lock(tmp_path / "some" / "where" / "else"))
    assert seen == [tmp_path / "some" / "where"]  # somebody may have made it, and been stopped before it was sure


def test_somebody_reads_while_another_writes(tmp_path):
    player = JournalPlayer(tmp_path)
    for turns in range(1, 8):
        player.plays(1)
        kept, said = read_all_games(tmp_path)
        assert ([len(each.entries) for each in kept], said) == ([turns], [])
    player.does(UndoTurns(0.0))
    assert told(tmp_path)["a-1"][-1] == "back 1"
    player.leaves()


def test_whoever_plays_has_only_the_games_at_hand_that_can_be_gone_on_with(tmp_path):
    player = JournalPlayer(tmp_path)
    for _ in range(3):
        player.plays(1)
        player.does(ResignGame(0.0))
        player.does(NewGame(STANDARD, 0.0))
    player.plays(1)
    player.leaves()
    store, _ = open_newest(tmp_path, lambda kept: kept.projection.can_continue)
    assert ([len(kept.projection.turns) for kept in store.stored_games], store.is_empty) == ([1], False)
    store.close()
    assert len(read_all_games(tmp_path)[0]) == 4


def test_damaged_file_on_a_full_disk_is_read_once_and_not_every_second(tmp_path, monkeypatch):
    player = JournalPlayer(tmp_path / "it")
    player.plays(3)
    player.leaves()
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
    again.leaves()
