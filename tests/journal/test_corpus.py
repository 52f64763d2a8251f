"""Old journals can be read and continued."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from pond_hw.journal.database_file import FORMAT_VERSION
from pond_hw.journal.folder import read_all_games
from tests.journal.corpus import make
from tests.journal.journal_player import JournalPlayer, read_entries

CORPUS = Path(__file__).parent / "corpus"
JOURNALS = sorted(CORPUS.glob("format-*/*.db"))
CURRENT_FORMAT = CORPUS / f"format-{FORMAT_VERSION}"


def copy_journal(journal, folder):
    folder.mkdir()
    for path in journal.parent.glob(f"{journal.name}*"):
        shutil.copyfile(path, folder / path.name.replace(journal.name, "journal-1.db"))
    return folder


def read_expected(journal):
    return json.loads(journal.with_suffix(".json").read_text(encoding="utf-8"))


def test_corpus_is_complete():
    assert [path.name for path in JOURNALS] == ["afternoon.db", "killed.db", "large.db", "long.db"]
    assert [path.name for path in CURRENT_FORMAT.glob("*-wal")] == ["killed.db-wal"]
    assert sum(len(game["entries"]) for journal in JOURNALS for game in read_expected(journal)) > 110


@pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_corpus_journal_is_read_and_continued(journal, tmp_path):
    folder, games = copy_journal(journal, tmp_path / "it"), read_expected(journal)
    saved, messages = read_all_games(folder)
    assert json.loads(json.dumps([make._describe(each) for each in saved])) == games
    assert (messages, [each.fault for each in saved]) == ([], [None] * len(games))
    player = JournalPlayer(folder, "b")
    assert (player.journal.file_notices, player.journal.trouble) == ((), None)
    last = player.journal.unfinished_game
    assert (last and last.uid) == next((game["uid"] for game in reversed(games) if game["open"]), None)
    if last:
        player.journal.resume_game(last)
    player.close()
    expected = {game["uid"]: [entry for entry, *_ in game["entries"]] for game in games}
    if last:
        expected[last.uid].append("resume")
    assert read_entries(folder) == expected


def read_rows(path):
    base = sqlite3.connect(path)
    try:
        return [base.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in ("game", "entry")]
    finally:
        base.close()


@pytest.mark.slow
def test_corpus_is_reproduced_exactly(tmp_path):
    """Any difference, even in a seal, means a new format, which needs its own corpus."""
    make.make(tmp_path / "today")
    for path in sorted(CURRENT_FORMAT.glob("*.db")):
        copy_journal(path, tmp_path / path.stem)
        assert read_rows(tmp_path / "today" / path.name) == read_rows(tmp_path / path.stem / "journal-1.db")
        assert (tmp_path / "today" / path.name).read_bytes()[56:72] == path.read_bytes()[56:72]
        assert read_expected(tmp_path / "today" / path.name) == read_expected(path)
