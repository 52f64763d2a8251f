"""Importing, deleting and choosing games, also while a program writes the journal."""

import os
import sqlite3
import subprocess
import sys

import pytest

from pond_hw.companion.saved_state import open_with_resume_prompt
from pond_hw.journal import database_file
from pond_hw.journal.editing import delete_from_journal, import_records, mark_for_resume, may_be_in_progress
from pond_hw.journal.folder import JournalLocked, begin_file, list_files, read_all_games
from pond_hw.journal.store import read_stored_games
from pond_hw.journal.stored_game import GameUpdate, JournalEntry
from pond_hw.messages.message import Message
from pond_hw.rules import Action, parse_record, parse_variant
from pond_hw.session import Session, TakeAction, UndoTurns
from tests.journal.journal_folder import JournalFolder, play_on

SHORT = "1. @b2 @b3"


@pytest.fixture
def stored(tmp_path):
    return JournalFolder(tmp_path / "state")


def find_offered_actions(folder, pond="standard"):
    """Return the actions of the game that the next board offers, or None."""
    session, journal = open_with_resume_prompt(
        folder, Session.start_game(parse_variant(pond)), 0.0, board="test", threaded=False
    )
    journal.close()
    return [str(turn.action) for turn in session.turns] if session.resume_prompt else None


def actions(game):
    return [str(turn.action) for turn in game.projection.turns]


class TestImport:
    def test_imported_game_is_last(self, stored):
        stored.play("@b2 resign")
        uids, messages = import_records(stored.folder, [parse_record(SHORT)], stored.clock)
        assert [actions(game) for game in stored.games] == [["@b2"], ["@b2", "@b3"]]
        assert (stored.games[-1].uid, messages) == (uids[0], ())

    def test_missing_folder_is_created_private(self, stored):
        import_records(stored.folder, [parse_record(SHORT)], stored.clock)
        assert stored.folder.stat().st_mode & 0o777 == 0o700
        assert len(stored.games) == 1

    def test_imported_game_is_not_offered(self, stored):
        import_records(stored.folder, [parse_record(SHORT)], stored.clock)
        assert find_offered_actions(stored.folder) is None

    def test_games_can_be_imported_during_play(self, stored):
        journal, session = stored.open_journal()
        session = play_on(journal, session, "@b2")
        import_records(stored.folder, [parse_record("1. @a1 @d4")], stored.clock)
        play_on(journal, session, "@b3 new @c3")
        assert (journal.trouble, journal.close()) == (None, None)
        assert [actions(game) for game in stored.games] == [["@b2", "@b3"], ["@a1", "@d4"], ["@c3"]]
        assert not any(game.fault for game in stored.games)

    @pytest.mark.slow
    def test_second_process_does_not_replace_the_log(self, stored):
        """SQLite's locks belong to the process. Opening and closing the file a second time would drop them."""
        journal, session = stored.open_journal()
        session = play_on(journal, session, "@b2")
        log = stored.folder / "journal-1.db-wal"
        before = log.stat().st_ino
        code = "import sys; from pond_hw.journal.store import *; JournalStore(Path(sys.argv[1])).close()"
        subprocess.run([sys.executable, "-c", code, stored.folder / "journal-1.db"], check=True)
        assert log.stat().st_ino == before
        play_on(journal, session, "@b3")
        journal.close()
        assert [actions(game) for game in stored.games] == [["@b2", "@b3"]]


class TestDelete:
    def test_delete_removes_only_the_given_game(self, stored):
        stored.play("@b2 resign").play("@c3 resign").play("@d4 resign")
        assert delete_from_journal(stored.folder, ["game-2"]) == []
        assert [actions(game) for game in stored.games] == [["@b2"], ["@d4"]]

    def test_deleted_bytes_are_erased(self, stored):
        def is_there():
            return any(b"Rumpelstiltskin" in path.read_bytes() for path in stored.folder.iterdir())

        stored.play("@b2 resign", light="Rumpelstiltskin").play("@d4 resign")
        journal, _ = stored.open_journal()  # keeps the log in use
        assert is_there()
        delete_from_journal(stored.folder, ["game-1"])
        assert not is_there()
        journal.close()

    def test_game_is_deleted_from_every_file(self, stored):
        stored.play("@b2 resign").play("@c3 resign")
        parts = [GameUpdate(game.uid, game.facts, game.entries) for game in stored.games]
        begin_file(stored.folder, parts).close()
        (stored.folder / "journal-1.db").rename(stored.folder / "journal-1.bad")

        def files_with_the_game():
            return sorted(path.name for path in stored.folder.iterdir() if b"@b2" in path.read_bytes())

        assert files_with_the_game() == ["journal-1.bad", "journal-2.db"]
        assert delete_from_journal(stored.folder, ["game-1"]) == []
        assert files_with_the_game() == []
        assert [game.uid for game in stored.games] == ["game-2"]

    def test_file_that_cannot_be_changed_is_reported(self, stored):
        stored.play("@b2 resign")
        header = b"SQLite format 3\0".ljust(60, b"\0") + b"\0\0\0\1" + bytes(4) + b"Pond"
        (stored.folder / "journal-2.bad").write_bytes(header.ljust(5000, b"\0"))
        assert [name for name, _ in delete_from_journal(stored.folder, ["game-1"])] == ["journal-2.bad"]
        assert stored.games == []

    def test_foreign_file_is_left_unchanged(self, stored):
        stored.play("@b2 resign")
        other = stored.folder / "journal-2.db"
        base = sqlite3.connect(other)
        base.execute("CREATE TABLE game (uid TEXT)")
        base.execute("INSERT INTO game VALUES ('game-1')")
        base.commit()
        base.close()
        before = other.read_bytes()
        assert delete_from_journal(stored.folder, ["game-1"]) == []
        assert other.read_bytes() == before

    @pytest.mark.parametrize("imported", ["", "1. @a1 @d4", "1. @a1"], ids=["nothing", "longer", "shorter"])
    def test_deleted_current_game_is_written_again(self, stored, imported):
        """Another game may have got the row id of the deleted one."""
        journal, session = stored.open_journal()
        session = play_on(journal, session, "@b2 @b3 @d1")
        delete_from_journal(stored.folder, ["game-1"])
        if imported:
            import_records(stored.folder, [parse_record(imported)], stored.clock)
        play_on(journal, session, "undo @c3")
        journal.close()
        others = [(imported.split()[1:], None)] if imported else []
        assert [(actions(game), game.fault) for game in stored.games] == [*others, (["@b2", "@b3", "@c3"], None)]
        assert [path.name for path in list_files(stored.folder)] == ["journal-1.db"]

    def test_only_unfinished_or_newest_games_may_be_in_progress(self, stored):
        stored.play("@b2 resign").play("@c3")
        journal, session = stored.open_journal()
        play_on(journal, session, "@d4 resign")
        import_records(stored.folder, [parse_record(SHORT)], stored.clock)
        games = stored.games
        may = [may_be_in_progress(stored.folder, games, game.uid) for game in games]
        journal.close()
        assert may == [False, True, True, False]
        assert not any(may_be_in_progress(stored.folder, games, game.uid) for game in games)


class TestMarkForResume:
    def test_old_game_is_offered(self, stored):
        stored.play("@b2 @b3").play("@d4 resign").play("@c3")
        assert find_offered_actions(stored.folder) == ["@c3"]
        left, _ = mark_for_resume(stored.folder, stored.games[0], stored.clock)
        assert left == ("game-3",)
        assert find_offered_actions(stored.folder) == ["@b2", "@b3"]
        assert [game.projection.was_left for game in stored.games] == [False, False, True]

    def test_earlier_game_is_unchanged(self, stored):
        stored.play("@b2", pond="big").play("@c3")
        mark_for_resume(stored.folder, stored.games[1], stored.clock)
        assert find_offered_actions(stored.folder) == ["@c3"]

    def test_game_from_an_older_file_is_offered(self, stored):
        stored.play("@b2 @b3")
        begin_file(stored.folder).close()
        stored.play("@c3")
        mark_for_resume(stored.folder, stored.games[0], stored.clock)
        assert find_offered_actions(stored.folder) == ["@b2", "@b3"]
        assert not any(game.fault for path in list_files(stored.folder) for game in read_stored_games(path))

    def test_game_missing_from_the_newest_file_is_copied(self, stored):
        stored.play("@b2 @b3").play("@c3 resign")
        begin_file(stored.folder).close()
        mark_for_resume(stored.folder, stored.games[0], stored.clock)
        assert [actions(game) for game in read_stored_games(stored.folder / "journal-2.db")] == [["@b2", "@b3"]]
        assert find_offered_actions(stored.folder) == ["@b2", "@b3"]

    def test_locked_journal_is_refused(self, stored):
        stored.play("@b2")
        journal, _ = stored.open_journal()
        with pytest.raises(JournalLocked):
            mark_for_resume(stored.folder, stored.games[0], stored.clock)
        journal.close()

    def test_entries_are_not_written_twice(self, stored):
        stored.play("@b2 @b3").play("@c3 resign")
        for _ in range(2):
            mark_for_resume(stored.folder, stored.games[0], stored.clock)
        assert [entry.kind for entry, _ in stored.games[0].entries] == ["act", "act", "leave", "resume", "resume"]


def test_resumed_game_is_copied_to_a_new_file(stored):
    """The newest file may be empty: the last one was foreign, or its games were deleted."""
    stored.play("@b2 @b3")
    begin_file(stored.folder).close()
    journal, session = stored.open_journal()
    session = journal.add_resume_prompt(session, 0.0)
    assert session.resume_prompt
    saved = journal.unfinished_game
    journal.resume_game(saved)
    journal.close()
    assert [str(entry) for entry, _ in next(read_stored_games(stored.folder / "journal-2.db")).entries] == [
        "act @b2",
        "act @b3",
        "resume",
    ]
    assert not any(game.fault for game in stored.games)


class TestUnreadableFile:
    def test_locked_database_is_reported_unreadable(self, stored, monkeypatch):
        stored.play("@b2 resign")
        base = sqlite3.connect(stored.folder / "journal-1.db", isolation_level=None)
        base.execute("PRAGMA locking_mode = EXCLUSIVE")
        base.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(database_file, "BUSY_TIMEOUT_SECONDS", 0.0)
        reason = Message("damage.system", text="database is locked")
        notice = Message("journal.unreadable_end", file="journal-1.db", reason=reason)
        assert read_all_games(stored.folder) == ([], [notice])
        base.close()
        assert len(stored.games) == 1

    def test_log_without_index_is_read_on_a_read_only_disk(self, stored, tmp_path, monkeypatch):
        journal, session = stored.open_journal()
        play_on(journal, session, "@b2 @b3")
        image = tmp_path / "image"
        image.mkdir()
        for name in ("journal-1.db", "journal-1.db-wal"):
            (image / name).write_bytes((stored.folder / name).read_bytes())
        journal.close()
        before = sorted(path.name for path in image.iterdir())
        monkeypatch.setattr(os, "access", lambda path, mode: path != image)
        assert [actions(game) for game in read_stored_games(image / "journal-1.db")] == [["@b2", "@b3"]]
        assert sorted(path.name for path in image.iterdir()) == before


def test_game_with_only_an_undone_turn_is_saved(stored):
    journal, session = stored.open_journal()
    played = session.after(TakeAction(Action.from_notation("@b2"), 0.0))
    journal.record_step(played)
    journal.record_step(played.after(UndoTurns(0.0)))
    journal.close()
    assert [entry for entry, _ in stored.games[0].entries] == [JournalEntry("act", "@b2"), JournalEntry("back", "1")]
