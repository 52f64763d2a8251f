"""Saving games during play, with all kinds of disk errors."""

import errno
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from pond_hw.journal import WriteProgress, store, writer
from pond_hw.journal import folder as journal_folder
from pond_hw.journal.database_file import DamagedJournal
from pond_hw.journal.folder import list_files, read_all_games
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, VARIANTS, Action, Position
from pond_hw.session import (
    AgreeDraw,
    NewGame,
    RedoTurns,
    ResignGame,
    Session,
    SetUpGame,
    ShowNotice,
    TakeAction,
    UndoTurns,
)
from tests.conftest import require
from tests.journal.journal_player import (
    FaultyDatabase,
    JournalPlayer,
    SimulatedStampSource,
    contents,
    copy_as_killed,
    read_entries,
    session_at,
    sqlite_error,
)
from tests.messages.says import text

HAND_MADE = Position.from_notation(".t../..F./e..T/T... d 6 6 4 5")
PATIENCE = 10.0
"""Seconds to wait for the writing thread before the test fails."""

TRIED_AGAIN = ["SQLITE_FULL", "SQLITE_READONLY", "SQLITE_BUSY"]
NOT_TRUSTED = ["SQLITE_IOERR_FSYNC", "SQLITE_IOERR_WRITE", "SQLITE_CORRUPT", "SQLITE_ERROR"]


@pytest.fixture
def database(monkeypatch):
    return FaultyDatabase(monkeypatch)


@pytest.fixture
def player(tmp_path):
    player = JournalPlayer(tmp_path / "it")
    yield player
    player.close()


def saved_entries(player):
    """Return the entries of the first game as another process would read them now."""
    return read_entries(player.folder)["a-1"]


def action_entries(session):
    return [f"act {turn.action}" for turn in session.turns]


# Contents.


def test_step_is_on_disk_when_reported(player):
    for _ in range(5):
        ticket = player.play_turns(1)
        assert player.reports[-1] == WriteProgress(ticket, None)
        assert saved_entries(player) == action_entries(player.session)
    assert len(player.reports) == 5


def test_step_without_events_is_not_written(player):
    messages = ShowNotice("The voltage is low.", 0.0)
    assert player.journal.record_step(player.session.after(messages)) is None
    player.play_turns(1)
    assert player.journal.record_step(player.session.after(messages)) is None
    assert len(player.reports) == 1


def test_late_recording_writes_the_whole_game(player):
    acts_taken = [TakeAction(Action.from_notation(text), 0.0) for text in ("@b2", "@c3", "@a1")]
    for event in (*acts_taken, UndoTurns(0.0)):
        player.session = player.session.after(event)
    player.apply(UndoTurns(0.0))
    assert saved_entries(player) == ["act @b2", "act @c3", "act @a1", "back 2"]
    player.apply(RedoTurns(0.0), ResignGame(0.0))
    assert saved_entries(player)[4:] == ["again 1", "end dark resignation"]


def test_unfinished_game_is_restored_exactly(player):
    player.play_turns(4)
    player.apply(UndoTurns(0.0, 2), RedoTurns(0.0), ResignGame(0.0), UndoTurns(0.0), AgreeDraw(0.0), UndoTurns(0.0))
    player.play_turns(2)
    player.journal.write_remark("The lamp of b2 is dark.")
    player.close()
    again = JournalPlayer(player.folder, "b")
    last = again.journal.unfinished_game
    assert (last.projection.turns, last.projection.undone_turns) == (player.session.turns, player.session.undone_turns)
    assert last.projection.position == player.session.position
    assert str(last.entries[-1].entry) == "note The lamp of b2 is dark."
    again.close()


def test_set_up_game_is_saved_at_once(player):
    player.play_turns(1)
    player.apply(SetUpGame(HAND_MADE, 0.0))
    saved, _ = read_all_games(player.folder)
    assert [str(noted.entry) for noted in saved[0].entries] == [
        "act " + str(saved[0].projection.turns[0].action),
        "leave",
    ]
    assert (saved[1].projection.custom_start, saved[1].entries) == (HAND_MADE, ())
    player.close()
    again = JournalPlayer(player.folder, "b")
    assert again.journal.unfinished_game.uid == "a-2"
    again.close()


def test_abandoned_or_finished_game_is_not_offered(player):
    player.play_turns(2)
    player.apply(NewGame(VARIANTS["mini"], 0.0))
    player.play_turns(2)
    player.apply(ResignGame(0.0), NewGame(STANDARD, 0.0))
    player.close()
    assert [entries[-1].split()[0] for entries in read_entries(player.folder).values() if entries] == ["leave", "end"]
    again = JournalPlayer(player.folder, "b")
    assert again.journal.unfinished_game is None
    again.close()


def test_abandoned_game_can_be_resumed_later(player):
    player.play_turns(2)
    (first,) = read_all_games(player.folder)[0]
    player.apply(NewGame(VARIANTS["mini"], 0.0))
    player.play_turns(1)
    player.journal.leave_stored_game(read_all_games(player.folder)[0][1])
    player.resume(first)  # read before the game was left
    player.play_turns(1)
    assert player.reports[-1].trouble is None
    assert saved_entries(player) == [
        *action_entries(player.session)[:2],
        "leave",
        "resume",
        *action_entries(player.session)[2:],
    ]
    assert [
        len(list_files(player.folder)),
        *(saved.projection.was_left for saved in read_all_games(player.folder)[0]),
    ] == [
        1,
        False,
        True,
    ]


def test_game_can_be_abandoned_and_resumed_repeatedly(player):
    player.play_turns(3)
    player.close()
    again = JournalPlayer(player.folder, "b")
    offered = again.journal.unfinished_game
    again.journal.leave_stored_game(offered)
    again.resume(offered)
    again.journal.leave_stored_game(offered)
    again.resume(offered)
    again.play_turns(1)
    assert again.reports[-1].trouble is None
    assert [entry.split()[0] for entry in saved_entries(again)] == ["act"] * 3 + ["leave", "resume"] * 2 + ["act"]
    assert (len(list_files(again.folder)), read_all_games(again.folder)[1]) == (1, [])
    again.close()


def test_old_and_new_game_share_a_transaction(tmp_path, database):
    """After a power loss, exactly one of the two games must be unfinished."""
    player = JournalPlayer(tmp_path / "it")
    player.play_turns(2)
    database.fail_from(sqlite3.SQLITE_FULL)
    player.apply(NewGame(VARIANTS["mini"], 0.0))
    player.play_turns(1)
    database.recover()
    begun = len(database.statements)
    player.journal.retry_writing()
    words = [statement.split()[0] for statement in database.statements[begun:]]
    assert [word for word in words if word != "SELECT"] == ["BEGIN", *["INSERT"] * 3, "COMMIT"]
    assert {uid: entries[-1].split()[0] for uid, entries in read_entries(player.folder).items()} == {
        "a-1": "leave",
        "a-2": "act",
    }
    player.close()


def test_oversized_game_is_not_offered(player):
    player.session = Session.start_game(VARIANTS["big"])
    player.play_turns(1)
    player.close()
    again = JournalPlayer(player.folder, "b")
    assert again.journal.unfinished_game is None
    again.close()


def test_unencodable_remark_is_saved(player):
    player.journal.write_remark("No game yet.")
    player.play_turns(1)
    player.journal.write_remark("cannot open \udcff\0.txt")
    assert player.reports[-1].trouble is None
    assert saved_entries(player)[-1] == "note cannot open ?\0.txt"
    assert read_all_games(player.folder)[1] == []


@pytest.mark.parametrize("years", [-10, 10, "in turn"])
def test_clock_jumps_change_no_game(years, tmp_path):
    def wall(second):
        jump = (second % 21 - 10) if years == "in turn" else years * (second % 2)
        return f"{2026 + jump:04}-02-29T25:00:00+00:00"

    def seconds(labels):
        label = labels.stamp_now
        labels.stamp_now = lambda: (stamp := label())._replace(
            since_boot=-stamp.since_boot if years == -10 else stamp.since_boot * 1e6
        )
        return labels

    projections = []
    for stamp_source in (SimulatedStampSource(), seconds(SimulatedStampSource(wall=wall))):
        player = JournalPlayer(tmp_path / str(len(projections)), stamp_source=stamp_source)
        player.play_turns(5)
        player.apply(UndoTurns(0.0, 2))
        player.close()
        again = JournalPlayer(player.folder, stamp_source=stamp_source)
        again.resume(again.journal.unfinished_game)
        again.play_turns(5)
        again.apply(NewGame(VARIANTS["mini"], 0.0))
        again.play_turns(1)
        again.close()
        saved, messages = read_all_games(player.folder)
        projections.append([(each.projection, [noted.entry for noted in each.entries], each.fault) for each in saved])
        assert (len(saved), messages) == (2, [])
    assert saved[0].entries[0].timestamp.wall_time[:4] != "2026"
    assert projections[0] == projections[1]


# Failing writes.


def play_and_check_reports(player, trouble=""):
    """Play two turns. Check the report on each, and whether there is trouble."""
    for _ in range(2):
        ticket = player.play_turns(1)
        assert player.reports[-1] == WriteProgress(ticket, player.journal.trouble)
        if trouble:
            assert player.journal.trouble.id.startswith(trouble)
            assert text(player.journal.trouble).endswith(".")


def check_everything_saved(player):
    """Check that every entry is saved once, and that the next start finds the game without notices."""
    assert saved_entries(player) == action_entries(player.session)
    assert read_all_games(player.folder)[1] == []
    player.close()
    again = JournalPlayer(player.folder, "b")
    assert (again.journal.file_notices, again.journal.trouble) == ((), None)
    assert [str(noted.entry) for noted in again.journal.unfinished_game.entries] == action_entries(player.session)
    again.close()


@pytest.mark.parametrize("code", TRIED_AGAIN)
def test_failed_write_is_retried_once(code, tmp_path, database):
    for number in range(4):  # BEGIN, the row of the game, the first entry, COMMIT
        player = JournalPlayer(tmp_path / str(number))
        database.fail_from(getattr(sqlite3, code), number)
        play_and_check_reports(player, "saving.")
        heard = len(player.reports)
        player.journal.retry_writing()
        assert len(player.reports) == heard
        database.recover()
        player.journal.retry_writing()
        assert player.reports[heard:] == [WriteProgress(2, None)]
        play_and_check_reports(player)
        assert len(list_files(player.folder)) == 1
        check_everything_saved(player)


@pytest.mark.parametrize("code", NOT_TRUSTED)
def test_suspect_file_is_never_written_again(code, tmp_path, database):
    for number in range(3):  # BEGIN, the entry, COMMIT
        player = JournalPlayer(tmp_path / str(number))
        player.play_turns(2)
        before = contents(player.folder)
        database.fail_from(getattr(sqlite3, code), number, once=True)
        play_and_check_reports(player)
        assert (player.journal.trouble, player.reports[-1].trouble) == (None, None)
        assert [path.name for path in list_files(player.folder)] == ["journal-1.db", "journal-2.db"]
        after = contents(player.folder)
        assert after["journal-1.db"] == before["journal-1.db"]
        log = before["journal-1.db-wal"]
        assert after["journal-1.db-wal"][: len(log)] == log
        check_everything_saved(player)
        assert contents(player.folder)["journal-1.db-wal"] == after["journal-1.db-wal"]


def test_repeated_write_errors_use_new_files(tmp_path, database):
    player = JournalPlayer(tmp_path / "it")
    database.find_error = lambda statement: (
        sqlite_error(sqlite3.SQLITE_IOERR_WRITE) if statement == "BEGIN IMMEDIATE" else None
    )
    for turns in range(1, 5):
        player.play_turns(1)
        assert (player.reports[-1], len(list_files(player.folder))) == (WriteProgress(turns, None), 1 + turns)
        assert saved_entries(player) == action_entries(player.session)
    database.recover()
    play_and_check_reports(player)
    assert len(list_files(player.folder)) == 5
    check_everything_saved(player)


def test_lasting_trouble_leaks_no_files(tmp_path, database):
    player = JournalPlayer(tmp_path / "it")
    player.play_turns(1)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for code in (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_FULL):
        database.find_error = lambda statement, code=code: (
            sqlite_error(code) if statement in ("COMMIT", "BEGIN IMMEDIATE") else None
        )
        play_and_check_reports(player, "saving.")
        for _ in range(20):
            player.journal.retry_writing()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    assert len(list(player.folder.glob("*.db"))) == 1
    database.recover()
    player.journal.retry_writing()
    check_everything_saved(player)


def test_unsynced_log_name_is_reported(tmp_path, monkeypatch):
    def fails(path):
        if path.is_dir() and (path / "journal-1.db-wal").exists():
            raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(store, "sync_to_disk", fails)
        player = JournalPlayer(tmp_path)
        play_and_check_reports(player, "saving.refused")
        assert player.journal.trouble == Message("saving.refused", reason="Input/output error")
    player.journal.retry_writing()
    assert player.reports[-1] == WriteProgress(2, None)
    check_everything_saved(player)


@pytest.mark.slow
@pytest.mark.parametrize("code", ["SQLITE_IOERR_FSYNC", "SQLITE_FULL"])
def test_replacement_file_is_created_when_possible(code, tmp_path, database):
    for number in count():
        player = JournalPlayer(tmp_path / str(number))
        player.play_turns(2)
        steps = [sqlite3.SQLITE_IOERR_FSYNC]
        first = len(database.statements)

        def wrong(_, first=first, number=number, steps=steps):
            if steps:
                return sqlite_error(steps.pop())
            return sqlite_error(getattr(sqlite3, code)) if len(database.statements) > first + 2 + number else None

        database.find_error = wrong
        ticket = player.play_turns(1)
        begins = player.journal.trouble
        assert player.reports[-1] == WriteProgress(ticket, begins)
        for _ in range(3):
            player.journal.retry_writing()
        play_and_check_reports(player)
        database.recover()
        player.journal.retry_writing()
        assert player.reports[-1] == WriteProgress(5, None)
        play_and_check_reports(player)
        assert len(list_files(player.folder)) <= 3
        assert not [path for path in player.folder.iterdir() if ".new" in path.name]
        check_everything_saved(player)
        if not begins:
            break
    assert number > 10


def test_failed_rollback_uses_another_file(tmp_path, database):
    player = JournalPlayer(tmp_path / "it")
    player.play_turns(1)
    first = len(database.statements)
    database.find_error = lambda statement: (
        sqlite_error(sqlite3.SQLITE_FULL) if len(database.statements) > first + 1 else None
    )
    play_and_check_reports(player, "saving.")
    database.recover()
    player.journal.retry_writing()
    assert player.reports[-1] == WriteProgress(3, None)
    assert len(list_files(player.folder)) == 2
    check_everything_saved(player)


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (sqlite_error(sqlite3.SQLITE_FULL), Message("saving.disk_full")),
        (sqlite_error(sqlite3.SQLITE_READONLY), Message("saving.read_only")),
        (sqlite_error(sqlite3.SQLITE_BUSY), Message("saving.busy")),
        (sqlite_error(sqlite3.SQLITE_BUSY | 1 << 8), Message("saving.busy")),
        (
            sqlite_error(sqlite3.SQLITE_IOERR_WRITE),
            Message("saving.refused", reason=f"made up: {sqlite3.SQLITE_IOERR_WRITE}"),
        ),
        (sqlite3.OperationalError("why not"), Message("saving.refused", reason="why not")),
        (OSError(errno.ENOSPC, "No space left"), Message("saving.disk_full")),
        (OSError(errno.EDQUOT, "Quota exceeded"), Message("saving.disk_full")),
        (OSError(errno.EROFS, "Read-only"), Message("saving.read_only")),
        (PermissionError(errno.EACCES, "Denied", "/games"), Message("saving.file_locked", file="/games")),
        (PermissionError(errno.EPERM, "Denied"), Message("saving.folder_locked")),
        (OSError(errno.EIO, "Input/output error"), Message("saving.refused", reason="Input/output error")),
        (DamagedJournal(Message("damage.no_header")), Message("saving.failed", reason=Message("damage.no_header"))),
        (ZeroDivisionError("oh"), Message("saving.bug", error="ZeroDivisionError")),
    ],
)
def test_each_error_becomes_a_message(error, trouble, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(journal_folder, "open_newest", lambda *_: (_ for _ in ()).throw(error))
        player = JournalPlayer(tmp_path)
        assert player.journal.trouble == trouble
        play_and_check_reports(player, trouble.id)
        assert player.journal.trouble == trouble
    player.journal.retry_writing()
    assert player.reports[-1] == WriteProgress(2, None)
    check_everything_saved(player)


def test_folder_is_created_when_possible(tmp_path):
    (tmp_path / "it").write_text("I am in the way.")
    player = JournalPlayer(tmp_path / "it" / "journal")
    play_and_check_reports(player, "saving.")
    (tmp_path / "it").unlink()
    player.journal.retry_writing()
    assert player.reports[-1] == WriteProgress(2, None)
    check_everything_saved(player)


def test_game_waits_for_a_locked_folder(tmp_path):
    another = journal_folder.acquire_lock(tmp_path)
    player = JournalPlayer(tmp_path)
    play_and_check_reports(player, "saving.failed")
    assert player.journal.trouble.arguments == {"reason": Message("journal.in_use", folder=str(tmp_path))}
    assert list_files(tmp_path) == []
    os.close(another)
    player.journal.retry_writing()
    assert player.reports[-1] == WriteProgress(2, None)
    check_everything_saved(player)


def test_close_releases_the_lock(player):
    player.play_turns(1)
    assert journal_folder.is_locked(player.folder)
    player.close()
    assert not journal_folder.is_locked(player.folder)


def test_close_writes_pending_entries(tmp_path, database):
    player = JournalPlayer(tmp_path / "it")
    database.fail_from(sqlite3.SQLITE_FULL)
    play_and_check_reports(player, "saving.disk_full")
    database.recover()
    player.close()
    assert saved_entries(player) == action_entries(player.session)


def delete_file(path):
    path.unlink()


def delete_log(path):
    path.with_name(path.name + "-wal").unlink()


def move_file(path):
    path.rename(path.with_name("mine.db"))


def restore_old_copy(path):
    """Restore an older copy of the file and its log."""
    copy_as_killed(path.parent, path.parent.with_name("copy"))
    path.unlink()
    path.with_name(path.name + "-wal").unlink()
    for each in path.parent.with_name("copy").glob("journal-1.db*"):
        shutil.copyfile(each, path.with_name(each.name))


@pytest.mark.parametrize("change", [delete_file, delete_log, move_file, restore_old_copy])
def test_removed_file_is_replaced(change, player):
    player.play_turns(3)
    change(player.folder / "journal-1.db")
    before = {name: data for name, data in contents(player.folder).items() if "-shm" not in name}
    play_and_check_reports(player)
    assert player.journal.trouble is None
    assert {name: contents(player.folder)[name] for name in before} == before
    assert list_files(player.folder)[-1].name in ("journal-1.db", "journal-2.db")
    assert saved_entries(player) == action_entries(player.session)
    player.close()
    assert {name: contents(player.folder)[name] for name in before} == before
    again = JournalPlayer(player.folder, "b")
    assert [str(noted.entry) for noted in again.journal.unfinished_game.entries] == action_entries(player.session)
    again.close()


def test_removed_folder_is_recreated(player):
    player.play_turns(3)
    player.folder.rename(player.folder.with_name("elsewhere"))
    play_and_check_reports(player)
    assert player.journal.trouble is None
    assert journal_folder.is_locked(player.folder)
    check_everything_saved(player)


@contextmanager
def limit_file_size(size):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_file_at_its_size_limit_is_replaced(player):
    """A write fails in the middle of a page, because the file cannot grow any further."""
    player.play_turns(2)
    with limit_file_size((player.folder / "journal-1.db-wal").stat().st_size + 5000):
        play_and_check_reports(player)
    player.journal.retry_writing()
    assert player.reports[-1].trouble is None
    check_everything_saved(player)


def test_game_waits_while_no_file_can_grow(player):
    player.play_turns(2)
    with limit_file_size(5000):
        play_and_check_reports(player, "saving.")
        for _ in range(5):
            player.journal.retry_writing()
    player.journal.retry_writing()
    assert player.reports[-1] == WriteProgress(4, None)
    assert len(list_files(player.folder)) == 2
    check_everything_saved(player)


ON_A_SMALL_DISK = """
import os, subprocess, sys
from pathlib import Path
from pond_hw.messages.message import Message
from tests.journal.journal_player import JournalPlayer, read_entries

FULL = Message("saving.disk_full")

def mounted(folder, *options):
    subprocess.run(["mount", *options, folder], check=True)

def fill():
    with open(folder / "film", "ab", buffering=0) as film:
        try:
            while film.write(bytes(4096)):
                pass
        except OSError:
            pass

folder = Path(sys.argv[1])
mounted(folder, "-t", "tmpfs", "-o", "size=400k", "none")
player = JournalPlayer(folder / "it")
player.play_turns(2)
assert player.reports[-1].trouble is None, player.reports
fill()
player.play_turns(2)
assert player.journal.trouble == FULL, player.journal.trouble
player.close()
fill()
full = JournalPlayer(folder / "it", "b")
assert full.journal.trouble == FULL, full.journal.trouble
full.session = player.session
full.play_turns(1)
assert full.reports[-1].trouble == full.journal.trouble
(folder / "film").unlink()
full.journal.retry_writing()
assert full.journal.trouble is None, full.journal.trouble
full.close()
assert [len(entries) for entries in read_entries(folder / "it").values()] == [2, 5], read_entries(folder / "it")

mounted(folder, "-o", "remount,ro")
before = read_entries(folder / "it")
player = JournalPlayer(folder / "it", "c")
assert player.journal.trouble == Message("saving.read_only"), player.journal.trouble
player.play_turns(2)
assert player.reports[-1].trouble == player.journal.trouble
assert read_entries(folder / "it") == before != {}
mounted(folder, "-o", "remount,rw")
player.journal.retry_writing()
assert player.journal.trouble is None
assert len(read_entries(folder / "it")["c-1"]) == 2
player.close()

mounted(folder, "-o", "remount,ro")
before = read_entries(folder / "it")
player = JournalPlayer(folder / "it", "d")
player.resume(player.journal.unfinished_game)
player.play_turns(1)
assert player.reports[-1].trouble == Message("saving.read_only"), player.reports
assert read_entries(folder / "it") == before
mounted(folder, "-o", "remount,rw")
player.journal.retry_writing()
assert read_entries(folder / "it") == {**before, "c-1": [*before["c-1"], "resume", f"act {player.session.turns[-1].action}"]}
player.close()
"""


@pytest.mark.slow
def test_full_or_read_only_disk_is_reported(tmp_path):
    require("unshare", "to have a small disk of its own")
    inside = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("unprivileged mounts are disabled on this machine")
    ran = subprocess.run(
        [*inside, sys.executable, "-c", ON_A_SMALL_DISK, tmp_path], capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    assert ran.returncode == 0


def refuse_lock(_):
    raise OSError(errno.EROFS, "Read-only file system")


@pytest.mark.parametrize("is_killed", [False, True])
def test_read_only_disk_still_offers_the_game(tmp_path, monkeypatch, is_killed):
    player = JournalPlayer(tmp_path / "it")
    player.play_turns(3)
    folder = copy_as_killed(player.folder, tmp_path / "killed") if is_killed else player.folder
    player.close()
    with monkeypatch.context() as patch:
        patch.setattr(journal_folder, "acquire_lock", refuse_lock)
        again = JournalPlayer(folder, "b")
        game = again.journal.unfinished_game
        assert (game.projection.turns, again.journal.trouble) == (player.session.turns, Message("saving.read_only"))
        again.resume(game)
        again.play_turns(1)
        assert read_entries(folder) == {"a-1": action_entries(player.session)}
    again.journal.retry_writing()
    assert read_entries(folder) == {
        "a-1": [*action_entries(player.session), "resume", action_entries(again.session)[-1]]
    }
    again.close()


def test_game_of_another_program_is_not_offered(player):
    player.play_turns(3)
    other = JournalPlayer(player.folder, "b")
    assert (other.journal.unfinished_game, other.journal.trouble.id) == (None, "saving.failed")
    other.close()


def test_damaged_file_on_a_read_only_disk_is_reported(tmp_path, monkeypatch):
    player = JournalPlayer(tmp_path / "it")
    player.play_turns(3)
    player.close()
    (player.folder / "journal-1.db").write_bytes(b"noise" * 1000)
    monkeypatch.setattr(journal_folder, "acquire_lock", refuse_lock)
    again = JournalPlayer(player.folder, "b")
    assert [notice.id for notice in again.journal.file_notices] == ["journal.unreadable_end"]
    again.close()


# Writing thread.


@pytest.fixture
def threaded(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "RETRY_SECONDS", 0.01)
    player = JournalPlayer(tmp_path / "it", threaded=True)
    yield ReportWaiter(player)
    player.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "journal"]


class ReportWaiter:
    """A player that can wait for reports from the journal."""

    def __init__(self, player):
        self.player, self.condition = player, threading.Condition()
        player.journal._listener = self.on_report

    def on_report(self, written):
        with self.condition:
            self.player.reports.append(written)
            self.condition.notify_all()

    def wait_until(self, heard):
        with self.condition:
            assert self.condition.wait_for(lambda: any(map(heard, self.player.reports)), PATIENCE)


class SlowStore:
    """A store that writes only when released."""

    def __init__(self, real):
        self.real, self.begun, self.is_released, self.written = real, threading.Event(), threading.Event(), []

    def append_games(self, parts):
        self.begun.set()
        assert self.is_released.wait(PATIENCE)
        self.written.append([(part.uid, len(part.entries)) for part in parts])
        self.real.append_games(parts)

    def close(self):
        self.real.close()


def slow_down(player):
    player.journal._open_file = SlowStore(player.journal._open_file)
    return player.journal._open_file


def test_blocked_disk_batches_later_steps(threaded):
    player = threaded.player
    database = slow_down(player)
    player.play_turns(1)
    assert database.begun.wait(PATIENCE)
    last = player.play_turns(20)  # returns before anything is written
    assert player.reports == []
    database.is_released.set()
    threaded.wait_until(lambda written: written.ticket == last)
    assert player.reports == [WriteProgress(1, None), WriteProgress(21, None)]
    assert database.written == [[("a-1", 1)], [("a-1", 21)]]
    assert saved_entries(player) == action_entries(player.session)


def test_two_pending_games_are_written_together(threaded):
    player = threaded.player
    database = slow_down(player)
    player.play_turns(1)
    assert database.begun.wait(PATIENCE)
    player.play_turns(1)
    player.apply(NewGame(VARIANTS["mini"], 0.0))
    last = player.play_turns(1)
    database.is_released.set()
    threaded.wait_until(lambda written: written.ticket == last)
    assert database.written == [[("a-1", 1)], [("a-1", 3), ("a-2", 1)]]


def test_close_waits_for_pending_writes(threaded):
    player = threaded.player
    database = slow_down(player)
    player.play_turns(5)
    assert database.begun.wait(PATIENCE)
    leaving = threading.Thread(target=player.close)
    leaving.start()
    assert leaving.is_alive()
    assert player.reports == []
    database.is_released.set()
    leaving.join(PATIENCE)
    assert not leaving.is_alive()
    assert player.reports[-1] == WriteProgress(5, None)
    assert saved_entries(player) == action_entries(player.session)


def test_close_does_not_wait_forever(threaded):
    player = threaded.player
    database = slow_down(player)
    player.play_turns(1)
    assert database.begun.wait(PATIENCE)
    player.journal.close(timeout_seconds=0.0)
    assert journal_folder.is_locked(player.folder)  # the writer still holds it
    database.is_released.set()
    player.close()
    assert saved_entries(player) == action_entries(player.session)


def test_tickets_are_reported_in_order_after_saving(threaded):
    player, wrong = threaded.player, []

    def on_report(written):
        there = len(read_entries(player.folder).get("a-1", ()))
        if there < written.ticket or written.trouble:
            wrong.append((written, there))
        threaded.on_report(written)

    player.journal._listener = on_report
    last = player.play_turns(12)
    threaded.wait_until(lambda written: written.ticket == last)
    assert wrong == []
    assert [written.ticket for written in player.reports] == sorted({written.ticket for written in player.reports})


def test_saving_resumes_by_itself(tmp_path, database, monkeypatch):
    monkeypatch.setattr(writer, "RETRY_SECONDS", 0.01)
    for code in ("SQLITE_FULL", "SQLITE_IOERR_FSYNC"):
        player = JournalPlayer(tmp_path / code, threaded=True)
        waiting = ReportWaiter(player)
        player.play_turns(1)
        waiting.wait_until(lambda written: written.ticket == 1)
        database.fail_from(getattr(sqlite3, code))
        last = player.play_turns(3)
        waiting.wait_until(lambda written, last=last: written.ticket == last and written.trouble)
        database.recover()
        waiting.wait_until(lambda written, last=last: written == WriteProgress(last, None))
        assert saved_entries(player) == action_entries(player.session)
        assert len(list_files(player.folder)) == (1 if code == "SQLITE_FULL" else 2)
        check_everything_saved(player)


def test_turns_played_before_the_journal_are_saved(tmp_path):
    player = JournalPlayer(tmp_path / "it")
    player.session = at_turn(3)
    player.play_turns(1)
    assert saved_entries(player) == action_entries(player.session)
    player.close()


def at_turn(turns):
    session = Session.start_game(STANDARD)
    for action in ("@b2", "@b3", "@c1")[:turns]:
        session = session.after(TakeAction(Action.from_notation(action), 0.0))
    return session


def test_resumed_session_is_the_same(player):
    player.play_turns(6)
    assert session_at(read_all_games(player.folder)[0][0]).turns == player.session.turns


def test_timestamps_survive_a_missing_clock(monkeypatch):
    """A browser names the clock that counts sleep, but reading it fails."""
    read_clock = writer.time.clock_gettime

    def read_working_clock(number):
        if number == writer.time.CLOCK_BOOTTIME:
            raise OSError(errno.EINVAL, "Invalid argument")
        return read_clock(number)

    monkeypatch.setattr(writer.time, "clock_gettime", read_working_clock)
    before = writer.time.monotonic()
    assert before <= writer.seconds_since_boot() <= writer.time.monotonic()
