"""Games are kept while the loop goes on, whatever the card does, and what is said to be safe is."""

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
from tests.conftest import need
from tests.journal.journal_player import Card, Clockwork, JournalPlayer, at, contents, copied, failed, told
from tests.messages.says import text

HAND_MADE = Position.from_notation(".t../..F./e..T/T... d 6 6 4 5")
PATIENCE = 10.0
"""Seconds after which a thread that does not answer is a failure; nothing here takes that long."""

TRIED_AGAIN = ["SQLITE_FULL", "SQLITE_READONLY", "SQLITE_BUSY"]
NOT_TRUSTED = ["SQLITE_IOERR_FSYNC", "SQLITE_IOERR_WRITE", "SQLITE_CORRUPT", "SQLITE_ERROR"]


@pytest.fixture
def card(monkeypatch):
    return Card(monkeypatch)


@pytest.fixture
def player(tmp_path):
    player = JournalPlayer(tmp_path / "it")
    yield player
    player.leaves()


def on_card(player):
    """What is told of the game that was begun first, by somebody else who looks at the card now."""
    return told(player.folder)["a-1"]


def acts(session):
    return [f"act {turn.action}" for turn in session.turns]


# What is written.


def test_what_is_played_is_on_the_card_when_it_is_said_to_be(player):
    for _ in range(5):
        ticket = player.plays(1)
        assert player.heard[-1] == WriteProgress(ticket, None)
        assert on_card(player) == acts(player.session)
    assert len(player.heard) == 5


def test_nothing_is_written_when_nothing_has_happened(player):
    said = ShowNotice("The voltage is low.", 0.0)
    assert player.journal.record_step(player.session.after(said)) is None
    player.plays(1)
    assert player.journal.record_step(player.session.after(said)) is None
    assert len(player.heard) == 1


def test_a_game_that_is_handed_in_late_is_written_whole(player):
    acts_taken = [TakeAction(Action.from_notation(text), 0.0) for text in ("@b2", "@c3", "@a1")]
    for event in (*acts_taken, UndoTurns(0.0)):
        player.session = player.session.after(event)
    player.does(UndoTurns(0.0))
    assert on_card(player) == ["act @b2", "act @c3", "act @a1", "back 2"]
    player.does(RedoTurns(0.0), ResignGame(0.0))
    assert on_card(player)[4:] == ["again 1", "end dark resignation"]


def test_whatever_happens_in_a_game_it_is_gone_on_with_as_it_was(player):
    player.plays(4)
    player.does(UndoTurns(0.0, 2), RedoTurns(0.0), ResignGame(0.0), UndoTurns(0.0), AgreeDraw(0.0), UndoTurns(0.0))
    player.plays(2)
    player.journal.write_remark("The lamp of b2 is dark.")
    player.leaves()
    again = JournalPlayer(player.folder, "b")
    last = again.journal.unfinished_game
    assert (last.projection.turns, last.projection.undone_turns) == (player.session.turns, player.session.undone_turns)
    assert last.projection.position == player.session.position
    assert str(last.entries[-1].entry) == "note The lamp of b2 is dark."
    again.leaves()


def test_a_game_from_a_position_of_ones_own_is_there_before_the_first_turn(player):
    player.plays(1)
    player.does(SetUpGame(HAND_MADE, 0.0))
    kept, _ = read_all_games(player.folder)
    assert [str(noted.entry) for noted in kept[0].entries] == [
        "act " + str(kept[0].projection.turns[0].action),
        "leave",
    ]
    assert (kept[1].projection.custom_start, kept[1].entries) == (HAND_MADE, ())
    player.leaves()
    again = JournalPlayer(player.folder, "b")
    assert again.journal.unfinished_game.uid == "a-2"
    again.leaves()


def test_a_game_that_is_left_is_not_offered_and_one_that_is_over_neither(player):
    player.plays(2)
    player.does(NewGame(VARIANTS["mini"], 0.0))
    player.plays(2)
    player.does(ResignGame(0.0), NewGame(STANDARD, 0.0))
    player.leaves()
    assert [entries[-1].split()[0] for entries in told(player.folder).values() if entries] == ["leave", "end"]
    again = JournalPlayer(player.folder, "b")
    assert again.journal.unfinished_game is None
    again.leaves()


def test_a_game_that_was_left_can_be_come_back_to_in_the_same_afternoon(player):
    player.plays(2)
    (first,) = read_all_games(player.folder)[0]
    player.does(NewGame(VARIANTS["mini"], 0.0))
    player.plays(1)
    player.journal.leave_stored_game(read_all_games(player.folder)[0][1])
    player.goes_on(first)  # as it was read before it was left
    player.plays(1)
    assert player.heard[-1].trouble is None
    assert on_card(player) == [*acts(player.session)[:2], "leave", "resume", *acts(player.session)[2:]]
    assert [
        len(list_files(player.folder)),
        *(kept.projection.was_left for kept in read_all_games(player.folder)[0]),
    ] == [
        1,
        False,
        True,
    ]


def test_a_game_is_thrown_away_and_taken_up_after_all(player):
    player.plays(3)
    player.leaves()
    again = JournalPlayer(player.folder, "b")
    offered = again.journal.unfinished_game
    again.journal.leave_stored_game(offered)
    again.goes_on(offered)
    again.journal.leave_stored_game(offered)
    again.goes_on(offered)
    again.plays(1)
    assert again.heard[-1].trouble is None
    assert [entry.split()[0] for entry in on_card(again)] == ["act"] * 3 + ["leave", "resume"] * 2 + ["act"]
    assert (len(list_files(again.folder)), read_all_games(again.folder)[1]) == (1, [])
    again.leaves()


def test_the_old_game_and_the_new_one_go_into_one_write(tmp_path, card):
    """So that no loss of power leaves a game that nobody has left, and another one, or neither."""
    player = JournalPlayer(tmp_path / "it")
    player.plays(2)
    card.fails(sqlite3.SQLITE_FULL)
    player.does(NewGame(VARIANTS["mini"], 0.0))
    player.plays(1)
    card.mends()
    begun = len(card.asked)
    player.journal.retry_writing()
    words = [statement.split()[0] for statement in card.asked[begun:]]
    assert [word for word in words if word != "SELECT"] == ["BEGIN", *["INSERT"] * 3, "COMMIT"]
    assert {uid: entries[-1].split()[0] for uid, entries in told(player.folder).items()} == {
        "a-1": "leave",
        "a-2": "act",
    }
    player.leaves()


def test_a_game_too_large_for_the_board_is_not_offered(player):
    player.session = Session.start_game(VARIANTS["big"])
    player.plays(1)
    player.leaves()
    again = JournalPlayer(player.folder, "b")
    assert again.journal.unfinished_game is None
    again.leaves()


def test_a_sentence_that_cannot_be_spelled_out_is_kept_all_the_same(player):
    player.journal.write_remark("No game yet.")
    player.plays(1)
    player.journal.write_remark("cannot open \udcff\0.txt")
    assert player.heard[-1].trouble is None
    assert on_card(player)[-1] == "note cannot open ?\0.txt"
    assert read_all_games(player.folder)[1] == []


@pytest.mark.parametrize("years", [-10, 10, "in turn"])
def test_a_clock_on_the_wall_that_jumps_changes_no_game(years, tmp_path):
    def wall(second):
        jump = (second % 21 - 10) if years == "in turn" else years * (second % 2)
        return f"{2026 + jump:04}-02-29T25:00:00+00:00"

    def seconds(labels):
        label = labels.stamp_now
        labels.stamp_now = lambda: (told_ := label())._replace(
            since_boot=-told_.since_boot if years == -10 else told_.since_boot * 1e6
        )
        return labels

    stories = []
    for labels in (Clockwork(), seconds(Clockwork(wall=wall))):
        player = JournalPlayer(tmp_path / str(len(stories)), labels=labels)
        player.plays(5)
        player.does(UndoTurns(0.0, 2))
        player.leaves()
        again = JournalPlayer(player.folder, labels=labels)
        again.goes_on(again.journal.unfinished_game)
        again.plays(5)
        again.does(NewGame(VARIANTS["mini"], 0.0))
        again.plays(1)
        again.leaves()
        kept, said = read_all_games(player.folder)
        stories.append([(each.projection, [noted.entry for noted in each.entries], each.fault) for each in kept])
        assert (len(kept), said) == (2, [])
    assert kept[0].entries[0].timestamp.wall_time[:4] != "2026"
    assert stories[0] == stories[1]


# A card that does not take it.


def plays_through(player, trouble=""):
    """Play on; everything is dealt with, and it is said whether it is safe."""
    for _ in range(2):
        ticket = player.plays(1)
        assert player.heard[-1] == WriteProgress(ticket, player.journal.trouble)
        if trouble:
            assert player.journal.trouble.id.startswith(trouble)
            assert text(player.journal.trouble).endswith(".")


def is_whole(player):
    """Everything is on the card once, no matter who looks, and the next start is quiet and has it."""
    assert on_card(player) == acts(player.session)
    assert read_all_games(player.folder)[1] == []
    player.leaves()
    again = JournalPlayer(player.folder, "b")
    assert (again.journal.file_notices, again.journal.trouble) == ((), None)
    assert [str(noted.entry) for noted in again.journal.unfinished_game.entries] == acts(player.session)
    again.leaves()


@pytest.mark.parametrize("code", TRIED_AGAIN)
def test_what_could_not_be_written_waits_and_is_written_once(code, tmp_path, card):
    for number in range(4):  # BEGIN, the row of the game, the first entry, COMMIT
        player = JournalPlayer(tmp_path / str(number))
        card.fails(getattr(sqlite3, code), number)
        plays_through(player, "saving.")
        heard = len(player.heard)
        player.journal.retry_writing()
        assert len(player.heard) == heard
        card.mends()
        player.journal.retry_writing()
        assert player.heard[heard:] == [WriteProgress(2, None)]
        plays_through(player)
        assert len(list_files(player.folder)) == 1
        is_whole(player)


@pytest.mark.parametrize("code", NOT_TRUSTED)
def test_a_file_that_could_not_be_written_out_is_never_written_again(code, tmp_path, card):
    for number in range(3):  # BEGIN, the entry, COMMIT
        player = JournalPlayer(tmp_path / str(number))
        player.plays(2)
        before = contents(player.folder)
        card.fails(getattr(sqlite3, code), number, once=True)
        plays_through(player)
        assert (player.journal.trouble, player.heard[-1].trouble) == (None, None)
        assert [path.name for path in list_files(player.folder)] == ["journal-1.db", "journal-2.db"]
        after = contents(player.folder)
        assert after["journal-1.db"] == before["journal-1.db"]
        log = before["journal-1.db-wal"]
        assert after["journal-1.db-wal"][: len(log)] == log
        is_whole(player)
        assert contents(player.folder)["journal-1.db-wal"] == after["journal-1.db-wal"]


def test_where_only_new_files_are_taken_each_turn_has_one_and_nothing_is_lost(tmp_path, card):
    player = JournalPlayer(tmp_path / "it")
    card.wrong = lambda statement: failed(sqlite3.SQLITE_IOERR_WRITE) if statement == "BEGIN IMMEDIATE" else None
    for turns in range(1, 5):
        player.plays(1)
        assert (player.heard[-1], len(list_files(player.folder))) == (WriteProgress(turns, None), 1 + turns)
        assert on_card(player) == acts(player.session)
    card.mends()
    plays_through(player)
    assert len(list_files(player.folder)) == 5
    is_whole(player)


def test_trouble_that_lasts_leaves_no_files_open_and_none_behind(tmp_path, card):
    player = JournalPlayer(tmp_path / "it")
    player.plays(1)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for code in (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_FULL):
        card.wrong = lambda statement, code=code: failed(code) if statement in ("COMMIT", "BEGIN IMMEDIATE") else None
        plays_through(player, "saving.")
        for _ in range(20):
            player.journal.retry_writing()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    assert len(list(player.folder.glob("*.db"))) == 1
    card.mends()
    player.journal.retry_writing()
    is_whole(player)


def test_a_log_whose_name_cannot_be_written_out_is_no_place_for_a_game(tmp_path, monkeypatch):
    def fails(path):
        if path.is_dir() and (path / "journal-1.db-wal").exists():
            raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(store, "sync_to_disk", fails)
        player = JournalPlayer(tmp_path)
        plays_through(player, "saving.refused")
        assert player.journal.trouble == Message("saving.refused", reason="Input/output error")
    player.journal.retry_writing()
    assert player.heard[-1] == WriteProgress(2, None)
    is_whole(player)


@pytest.mark.slow
@pytest.mark.parametrize("code", ["SQLITE_IOERR_FSYNC", "SQLITE_FULL"])
def test_another_file_that_cannot_be_begun_is_begun_once_when_it_can(code, tmp_path, card):
    for number in count():
        player = JournalPlayer(tmp_path / str(number))
        player.plays(2)
        steps = [sqlite3.SQLITE_IOERR_FSYNC]
        first = len(card.asked)

        def wrong(_, first=first, number=number, steps=steps):
            if steps:
                return failed(steps.pop())
            return failed(getattr(sqlite3, code)) if len(card.asked) > first + 2 + number else None

        card.wrong = wrong
        ticket = player.plays(1)
        begins = player.journal.trouble
        assert player.heard[-1] == WriteProgress(ticket, begins)
        for _ in range(3):
            player.journal.retry_writing()
        plays_through(player)
        card.mends()
        player.journal.retry_writing()
        assert player.heard[-1] == WriteProgress(5, None)
        plays_through(player)
        assert len(list_files(player.folder)) <= 3
        assert not [path for path in player.folder.iterdir() if ".new" in path.name]
        is_whole(player)
        if not begins:
            break
    assert number > 10


def test_a_write_that_cannot_even_be_undone_goes_into_another_file(tmp_path, card):
    player = JournalPlayer(tmp_path / "it")
    player.plays(1)
    first = len(card.asked)
    card.wrong = lambda statement: failed(sqlite3.SQLITE_FULL) if len(card.asked) > first + 1 else None
    plays_through(player, "saving.")
    card.mends()
    player.journal.retry_writing()
    assert player.heard[-1] == WriteProgress(3, None)
    assert len(list_files(player.folder)) == 2
    is_whole(player)


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (failed(sqlite3.SQLITE_FULL), Message("saving.disk_full")),
        (failed(sqlite3.SQLITE_READONLY), Message("saving.read_only")),
        (failed(sqlite3.SQLITE_BUSY), Message("saving.busy")),
        (failed(sqlite3.SQLITE_BUSY | 1 << 8), Message("saving.busy")),
        (
            failed(sqlite3.SQLITE_IOERR_WRITE),
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
def test_each_trouble_has_a_message_and_nothing_is_raised(error, trouble, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(journal_folder, "open_newest", lambda *_: (_ for _ in ()).throw(error))
        player = JournalPlayer(tmp_path)
        assert player.journal.trouble == trouble
        plays_through(player, trouble.id)
        assert player.journal.trouble == trouble
    player.journal.retry_writing()
    assert player.heard[-1] == WriteProgress(2, None)
    is_whole(player)


def test_a_folder_that_cannot_be_made_is_made_when_it_can(tmp_path):
    (tmp_path / "it").write_text("I am in the way.")
    player = JournalPlayer(tmp_path / "it" / "journal")
    plays_through(player, "saving.")
    (tmp_path / "it").unlink()
    player.journal.retry_writing()
    assert player.heard[-1] == WriteProgress(2, None)
    is_whole(player)


def test_while_another_program_has_the_folder_a_game_waits(tmp_path):
    another = journal_folder.acquire_lock(tmp_path)
    player = JournalPlayer(tmp_path)
    plays_through(player, "saving.failed")
    assert player.journal.trouble.arguments == {"reason": Message("journal.in_use", folder=str(tmp_path))}
    assert list_files(tmp_path) == []
    os.close(another)
    player.journal.retry_writing()
    assert player.heard[-1] == WriteProgress(2, None)
    is_whole(player)


def test_whoever_leaves_leaves_the_folder_to_others(player):
    player.plays(1)
    assert journal_folder.is_locked(player.folder)
    player.leaves()
    assert not journal_folder.is_locked(player.folder)


def test_leaving_writes_what_waits(tmp_path, card):
    player = JournalPlayer(tmp_path / "it")
    card.fails(sqlite3.SQLITE_FULL)
    plays_through(player, "saving.disk_full")
    card.mends()
    player.leaves()
    assert on_card(player) == acts(player.session)


def deleted(path):
    path.unlink()


def log_deleted(path):
    path.with_name(path.name + "-wal").unlink()


def moved(path):
    path.rename(path.with_name("mine.db"))


def replaced(path):
    """A copy of a minute ago is put back, its log with it."""
    copied(path.parent, path.parent.with_name("copy"))
    path.unlink()
    path.with_name(path.name + "-wal").unlink()
    for each in path.parent.with_name("copy").glob("journal-1.db*"):
        shutil.copyfile(each, path.with_name(each.name))


@pytest.mark.parametrize("happens", [deleted, log_deleted, moved, replaced])
def test_a_file_that_is_taken_away_while_it_is_written_is_begun_again(happens, player):
    player.plays(3)
    happens(player.folder / "journal-1.db")
    before = {name: data for name, data in contents(player.folder).items() if "-shm" not in name}
    plays_through(player)
    assert player.journal.trouble is None
    assert {name: contents(player.folder)[name] for name in before} == before
    assert list_files(player.folder)[-1].name in ("journal-1.db", "journal-2.db")
    assert on_card(player) == acts(player.session)
    player.leaves()
    assert {name: contents(player.folder)[name] for name in before} == before
    again = JournalPlayer(player.folder, "b")
    assert [str(noted.entry) for noted in again.journal.unfinished_game.entries] == acts(player.session)
    again.leaves()


def test_a_folder_that_is_taken_away_is_made_again(player):
    player.plays(3)
    player.folder.rename(player.folder.with_name("elsewhere"))
    plays_through(player)
    assert player.journal.trouble is None
    assert journal_folder.is_locked(player.folder)
    is_whole(player)


@contextmanager
def no_file_longer_than(size):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_that_may_not_grow_any_more_is_gone_on_with_in_another(player):
    """The system's own refusal, in the middle of a page."""
    player.plays(2)
    with no_file_longer_than((player.folder / "journal-1.db-wal").stat().st_size + 5000):
        plays_through(player)
    player.journal.retry_writing()
    assert player.heard[-1].trouble is None
    is_whole(player)


def test_where_no_file_may_grow_a_game_waits_for_a_better_day(player):
    player.plays(2)
    with no_file_longer_than(5000):
        plays_through(player, "saving.")
        for _ in range(5):
            player.journal.retry_writing()
    player.journal.retry_writing()
    assert player.heard[-1] == WriteProgress(4, None)
    assert len(list_files(player.folder)) == 2
    is_whole(player)


ON_A_SMALL_DISK = """
import os, subprocess, sys
from pathlib import Path
from pond_hw.messages.message import Message
from tests.journal.journal_player import JournalPlayer, told

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
player.plays(2)
assert player.heard[-1].trouble is None, player.heard
fill()
player.plays(2)
assert player.journal.trouble == FULL, player.journal.trouble
player.leaves()
fill()
full = JournalPlayer(folder / "it", "b")
assert full.journal.trouble == FULL, full.journal.trouble
full.session = player.session
full.plays(1)
assert full.heard[-1].trouble == full.journal.trouble
(folder / "film").unlink()
full.journal.retry_writing()
assert full.journal.trouble is None, full.journal.trouble
full.leaves()
assert [len(entries) for entries in told(folder / "it").values()] == [2, 5], told(folder / "it")

mounted(folder, "-o", "remount,ro")
before = told(folder / "it")
player = JournalPlayer(folder / "it", "c")
assert player.journal.trouble == Message("saving.read_only"), player.journal.trouble
player.plays(2)
assert player.heard[-1].trouble == player.journal.trouble
assert told(folder / "it") == before != {}
mounted(folder, "-o", "remount,rw")
player.journal.retry_writing()
assert player.journal.trouble is None
assert len(told(folder / "it")["c-1"]) == 2
player.leaves()

mounted(folder, "-o", "remount,ro")
before = told(folder / "it")
player = JournalPlayer(folder / "it", "d")
player.goes_on(player.journal.unfinished_game)
player.plays(1)
assert player.heard[-1].trouble == Message("saving.read_only"), player.heard
assert told(folder / "it") == before
mounted(folder, "-o", "remount,rw")
player.journal.retry_writing()
assert told(folder / "it") == {**before, "c-1": [*before["c-1"], "resume", f"act {player.session.turns[-1].action}"]}
player.leaves()
"""


@pytest.mark.slow
def test_on_a_disk_that_is_full_or_may_only_be_read(tmp_path):
    need("unshare", "to have a small disk of its own")
    inside = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody have a disk of one's own")
    ran = subprocess.run(
        [*inside, sys.executable, "-c", ON_A_SMALL_DISK, tmp_path], capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    assert ran.returncode == 0


def refuse_lock(_):
    raise OSError(errno.EROFS, "Read-only file system")


@pytest.mark.parametrize("is_killed", [False, True])
def test_unfinished_game_on_a_read_only_disk_is_offered(tmp_path, monkeypatch, is_killed):
    player = JournalPlayer(tmp_path / "it")
    player.plays(3)
    folder = copied(player.folder, tmp_path / "killed") if is_killed else player.folder
    player.leaves()
    with monkeypatch.context() as patch:
        patch.setattr(journal_folder, "acquire_lock", refuse_lock)
        again = JournalPlayer(folder, "b")
        game = again.journal.unfinished_game
        assert (game.projection.turns, again.journal.trouble) == (player.session.turns, Message("saving.read_only"))
        again.goes_on(game)
        again.plays(1)
        assert told(folder) == {"a-1": acts(player.session)}
    again.journal.retry_writing()
    assert told(folder) == {"a-1": [*acts(player.session), "resume", acts(again.session)[-1]]}
    again.leaves()


def test_game_that_another_program_plays_is_not_offered(player):
    player.plays(3)
    other = JournalPlayer(player.folder, "b")
    assert (other.journal.unfinished_game, other.journal.trouble.id) == (None, "saving.failed")
    other.leaves()


def test_damage_on_a_read_only_disk_is_reported(tmp_path, monkeypatch):
    player = JournalPlayer(tmp_path / "it")
    player.plays(3)
    player.leaves()
    (player.folder / "journal-1.db").write_bytes(b"noise" * 1000)
    monkeypatch.setattr(journal_folder, "acquire_lock", refuse_lock)
    again = JournalPlayer(player.folder, "b")
    assert [notice.id for notice in again.journal.file_notices] == ["journal.unreadable_end"]
    again.leaves()


# A thread of its own.


@pytest.fixture
def threaded(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "RETRY_SECONDS", 0.01)
    player = JournalPlayer(tmp_path / "it", threaded=True)
    yield Waiting(player)
    player.leaves()
    assert not [thread for thread in threading.enumerate() if thread.name == "journal"]


class Waiting:
    """A player, and somebody who waits until something has been said."""

    def __init__(self, player):
        self.player, self.new = player, threading.Condition()
        player.journal._listener = self.hears

    def hears(self, written):
        with self.new:
            self.player.heard.append(written)
            self.new.notify_all()

    def until(self, heard):
        with self.new:
            assert self.new.wait_for(lambda: any(map(heard, self.player.heard)), PATIENCE)


class SlowCard:
    """Takes what is to be written when it is allowed to, and not before."""

    def __init__(self, real):
        self.real, self.begun, self.goes_on, self.written = real, threading.Event(), threading.Event(), []

    def append_games(self, parts):
        self.begun.set()
        assert self.goes_on.wait(PATIENCE)
        self.written.append([(part.uid, len(part.entries)) for part in parts])
        self.real.append_games(parts)

    def close(self):
        self.real.close()


def slow(player):
    player.journal._open_file = SlowCard(player.journal._open_file)
    return player.journal._open_file


def test_a_card_that_blocks_makes_nobody_wait_and_the_rest_is_written_together(threaded):
    player = threaded.player
    card = slow(player)
    player.plays(1)
    assert card.begun.wait(PATIENCE)
    last = player.plays(20)  # comes back, though nothing is written
    assert player.heard == []
    card.goes_on.set()
    threaded.until(lambda written: written.ticket == last)
    assert player.heard == [WriteProgress(1, None), WriteProgress(21, None)]
    assert card.written == [[("a-1", 1)], [("a-1", 21)]]
    assert on_card(player) == acts(player.session)


def test_two_games_are_written_together_when_they_come_together(threaded):
    player = threaded.player
    card = slow(player)
    player.plays(1)
    assert card.begun.wait(PATIENCE)
    player.plays(1)
    player.does(NewGame(VARIANTS["mini"], 0.0))
    last = player.plays(1)
    card.goes_on.set()
    threaded.until(lambda written: written.ticket == last)
    assert card.written == [[("a-1", 1)], [("a-1", 3), ("a-2", 1)]]


def test_leaving_waits_until_everything_is_written(threaded):
    player = threaded.player
    card = slow(player)
    player.plays(5)
    assert card.begun.wait(PATIENCE)
    leaving = threading.Thread(target=player.leaves)
    leaving.start()
    assert leaving.is_alive()
    assert player.heard == []
    card.goes_on.set()
    leaving.join(PATIENCE)
    assert not leaving.is_alive()
    assert player.heard[-1] == WriteProgress(5, None)
    assert on_card(player) == acts(player.session)


def test_leaving_does_not_wait_for_ever(threaded):
    player = threaded.player
    card = slow(player)
    player.plays(1)
    assert card.begun.wait(PATIENCE)
    player.journal.close(patience=0.0)
    assert journal_folder.is_locked(player.folder)  # who is still writing has it still
    card.goes_on.set()
    player.leaves()
    assert on_card(player) == acts(player.session)


def test_tickets_are_told_in_order_and_each_is_on_the_card_by_then(threaded):
    player, wrong = threaded.player, []

    def hears(written):
        there = len(told(player.folder).get("a-1", ()))
        if there < written.ticket or written.trouble:
            wrong.append((written, there))
        threaded.hears(written)

    player.journal._listener = hears
    last = player.plays(12)
    threaded.until(lambda written: written.ticket == last)
    assert wrong == []
    assert [written.ticket for written in player.heard] == sorted({written.ticket for written in player.heard})


def test_saving_goes_on_by_itself(tmp_path, card, monkeypatch):
    monkeypatch.setattr(writer, "RETRY_SECONDS", 0.01)
    for code in ("SQLITE_FULL", "SQLITE_IOERR_FSYNC"):
        player = JournalPlayer(tmp_path / code, threaded=True)
        waiting = Waiting(player)
        player.plays(1)
        waiting.until(lambda written: written.ticket == 1)
        card.fails(getattr(sqlite3, code))
        last = player.plays(3)
        waiting.until(lambda written, last=last: written.ticket == last and written.trouble)
        card.mends()
        waiting.until(lambda written, last=last: written == WriteProgress(last, None))
        assert on_card(player) == acts(player.session)
        assert len(list_files(player.folder)) == (1 if code == "SQLITE_FULL" else 2)
        is_whole(player)


def test_a_session_is_kept_that_had_begun_before_anybody_kept_it(tmp_path):
    player = JournalPlayer(tmp_path / "it")
    player.session = at_turn(3)
    player.plays(1)
    assert on_card(player) == acts(player.session)
    player.leaves()


def at_turn(turns):
    session = Session.start_game(STANDARD)
    for action in ("@b2", "@b3", "@c1")[:turns]:
        session = session.after(TakeAction(Action.from_notation(action), 0.0))
    return session


def test_going_on_from_what_was_kept_is_the_same_session(player):
    player.plays(6)
    assert at(read_all_games(player.folder)[0][0]).turns == player.session.turns
