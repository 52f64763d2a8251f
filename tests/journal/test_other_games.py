"""Games other than the board game, saved entry by entry."""

import errno

from pond_hw.journal import folder as journal_folder
from pond_hw.journal.folder import list_files, read_all_games
from pond_hw.journal.other_games import OtherGameJournal, read_other_games
from pond_hw.messages.message import Message


def keep(folder, *entries, uid=None):
    journal = OtherGameJournal(folder)
    if uid:
        journal.resume_game(uid)
    else:
        journal.begin_game({"kind": "score"})
    for entry in entries:
        journal.take_back() if entry == "<" else journal.add_entry(entry)
    journal.close()
    return journal


def test_entries_are_read_back(tmp_path):
    keep(tmp_path, "one", "two", "<", "three")
    (game,), notices = read_other_games(tmp_path)
    assert game.entries == ("one", "three")
    assert game.facts["kind"] == "score"
    assert game.begun
    assert notices == []


def test_game_continues_after_a_restart(tmp_path):
    keep(tmp_path, "one")
    (game,), _ = read_other_games(tmp_path)
    keep(tmp_path, "two", uid=game.uid)
    (again,), _ = read_other_games(tmp_path)
    assert again.entries == ("one", "two")
    assert again.uid == game.uid


def test_empty_game_is_not_saved(tmp_path):
    keep(tmp_path)
    assert read_other_games(tmp_path) == ([], [])


def test_entry_is_on_disk_at_once(tmp_path):
    journal = OtherGameJournal(tmp_path)
    journal.begin_game({})
    journal.add_entry("one")
    assert read_other_games(tmp_path)[0][0].entries == ("one",)
    journal.close()


def test_second_program_reports_the_lock(tmp_path):
    first, second = OtherGameJournal(tmp_path), OtherGameJournal(tmp_path)
    assert first.trouble is None
    assert second.trouble.id == "saving.failed"
    second.begin_game({})
    second.add_entry("lost?")
    first.close()
    second.add_entry("two")  # the lock is free now
    assert second.trouble is None
    second.close()
    assert read_other_games(tmp_path)[0][0].entries == ("lost?", "two")


def test_damaged_file_is_reported_and_set_aside(tmp_path):
    keep(tmp_path, "one")
    path = list_files(tmp_path)[0]
    data = bytearray(path.read_bytes())
    data[:20] = b"x" * 20
    path.write_bytes(data)
    journal = OtherGameJournal(tmp_path)
    assert next(notice.id for notice in journal.file_notices) == "journal.damaged"
    assert journal.trouble is None
    journal.close()


def test_nothing_is_saved_without_a_folder():
    journal = OtherGameJournal(None)
    journal.begin_game({})
    journal.add_entry("one")
    assert (journal.games, journal.trouble) == ((), None)
    journal.close()


def test_files_have_the_board_game_format(tmp_path):
    keep(tmp_path, "one")
    (stored,), _ = read_all_games(tmp_path)
    assert stored.fault is None
    assert stored.is_readable


def test_games_continue_on_a_read_only_disk(tmp_path, monkeypatch):
    keep(tmp_path, "first")

    def refuse_lock(_):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(journal_folder, "acquire_lock", refuse_lock)
    again = OtherGameJournal(tmp_path)
    assert ([game.entries for game in again.games], again.trouble) == ([("first",)], Message("saving.read_only"))
    again.resume_game(again.games[0].uid)
    again.add_entry("second")
    monkeypatch.undo()
    again.add_entry("third")
    again.close()
    games, _ = read_other_games(tmp_path)
    assert [game.entries for game in games] == [("first", "second", "third")]
