"""Reading games from damaged files."""

import json
import shutil
import sqlite3
from random import Random

import pytest

from pond_hw.journal import salvage
from pond_hw.journal.database_file import LOG_HEADER_BYTES, log_path
from pond_hw.journal.folder import list_files, open_newest, read_all_games
from pond_hw.journal.salvage import salvage_games
from pond_hw.journal.store import JournalStore, create_file, delete_games, read_stored_games
from pond_hw.journal.stored_game import GameUpdate, JournalEntry, Timestamp, TimestampedEntry
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, Position, legal_actions, play

PAGE_BYTES = 4096
GAME_COUNT = 30


def played(uid, turns, note_bytes=0):
    """Build a game with a long note. Each row, and each page of the note, contains the game's uid."""
    position, entries = Position.start(STANDARD), []
    for number in range(turns):
        action = legal_actions(position)[(7 * number + 3) % len(legal_actions(position))]
        position = play(position, action).after
        entries.append(JournalEntry("act", str(action)))
    if note_bytes:
        entries.insert(1, JournalEntry("note", (f"{uid} " * note_bytes)[:note_bytes]))
    labels = (
        Timestamp(f"boot of {uid} ", float(number) + number % 2 / 8, "2026-05-04") for number in range(len(entries))
    )
    facts = {"variant": "standard", "start": None, "size": 4, "light": f"Ann of {uid} ", "dark": None}
    return GameUpdate(f"{uid} ", facts, [*map(TimestampedEntry, entries, labels)])


GAMES = [
    played(f"game-{number}", number % 12, {7: 1500, 8: 9000, 9: 900}.get(number % 20, 0))
    for number in range(1, GAME_COUNT)
] + [played("game-big", 5, 20_000)]
FACTS_OF_A_BOOK = GAMES[3].facts | {"comments": "of game-4  " * 1000}
GAMES[3] = GAMES[3]._replace(facts=FACTS_OF_A_BOOK)
TRUTH = {game.uid: game.entries for game in GAMES}


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """A journal that was closed, so that everything is in the database."""
    folder = tmp_path_factory.mktemp("closed")
    create_file(folder / "journal-1.db", GAMES)
    return folder


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The journal of a killed program. Its second half is only in the log."""
    folder, there = tmp_path_factory.mktemp("killed"), tmp_path_factory.mktemp("there")
    create_file(folder / "journal-1.db", GAMES[: GAME_COUNT // 2])
    store = JournalStore(folder / "journal-1.db")
    for game in GAMES[GAME_COUNT // 2 :]:
        store.append_games([game])
    for path in (folder / "journal-1.db", log_path(folder / "journal-1.db")):
        shutil.copyfile(path, there / path.name)
    store.close()
    return there


@pytest.fixture
def damage(tmp_path):
    def damage(source, name, change):
        folder = tmp_path / "it"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        data = bytearray((folder / name).read_bytes())
        change(data)
        (folder / name).write_bytes(data)
        return folder

    return damage


def check(folder, hurt=()):
    """Check that all games are complete, except that `hurt` games may be truncated or missing."""
    truth = dict(TRUTH)
    games = {game.uid: game for game in read_all_games(folder)[0] if game.is_readable}
    for uid, game in games.items():
        assert list(game.entries) == truth[uid][: len(game.entries)]
    whole = {uid for uid, game in games.items() if list(game.entries) == truth[uid]}
    assert set(truth) - whole <= set(hurt)
    return games


def check_repaired(folder, hurt=()):
    """Check the same after the repair, with the damaged file deleted."""
    games = check(folder, hurt)
    store, notices = open_newest(folder)
    store.close()
    if len(list_files(folder)) == 1:  # SQLite had nothing to complain of
        assert notices == ()
        return
    (bad,) = folder.glob("*.bad")
    bad.unlink()
    again = check(folder, hurt)
    assert {uid: game.entries for uid, game in again.items()} == {uid: game.entries for uid, game in games.items()}
    recovered = Message("journal.recovered", count=len(games)) if games else Message("journal.nothing_readable")
    assert recovered in notices


def mentioned(data):
    return {uid for uid in TRUTH if uid.encode() in data}


def zeros(size):
    return bytes(size)


def noise(size):
    return Random(size).randbytes(size)


def pages(path):
    return range(0, path.stat().st_size, PAGE_BYTES)


def test_whole_file_is_read_without_sqlite(closed, killed):
    for folder in (closed, killed):
        found = {game.uid: list(game.entries) for game in salvage_games(folder / "journal-1.db")}
        assert found == TRUTH
    facts = {game.uid: game.facts for game in salvage_games(closed / "journal-1.db")}
    assert facts[GAMES[3].uid] == FACTS_OF_A_BOOK


@pytest.mark.parametrize("spoil", [zeros, noise])
@pytest.mark.parametrize("size", [16, 100, 512, PAGE_BYTES])
def test_destroyed_header_loses_no_game(closed, killed, damage, spoil, size):
    for source in (closed, killed):
        folder = damage(source, "journal-1.db", lambda data: data.__setitem__(slice(0, size), spoil(size)))
        check_repaired(folder)


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1])
@pytest.mark.parametrize("extra", [0, 700])
def test_lost_tail_loses_only_its_games(closed, damage, share, extra):
    size = (closed / "journal-1.db").stat().st_size
    end = int(size * share) // PAGE_BYTES * PAGE_BYTES + extra
    hurt = mentioned((closed / "journal-1.db").read_bytes()[end - extra :])
    folder = damage(closed, "journal-1.db", lambda data: data.__delitem__(slice(end, None)))
    check_repaired(folder, hurt)


def _damage_page(source, name, start, damage, spoil, size=PAGE_BYTES):
    data = (source / name).read_bytes()
    page = start // PAGE_BYTES * PAGE_BYTES
    hurt = mentioned(data[page : page + PAGE_BYTES]) if name.endswith(".db") else set(TRUTH)
    return damage(source, name, lambda data: data.__setitem__(slice(start, start + size), spoil(size))), hurt


@pytest.mark.parametrize("spoil", [zeros, noise])
def test_lost_page_loses_only_its_games(closed, damage, spoil):
    starts = pages(closed / "journal-1.db")
    for start in starts[:: len(starts) // 8]:
        check_repaired(*_damage_page(closed, "journal-1.db", start, damage, spoil))


@pytest.mark.slow
@pytest.mark.parametrize("spoil", [zeros, noise])
@pytest.mark.parametrize("name", ["journal-1.db", "journal-1.db-wal"])
@pytest.mark.parametrize("size", [512, PAGE_BYTES])
def test_every_lost_page_loses_only_its_games(closed, killed, damage, spoil, name, size):
    for source in (closed, killed):
        if (source / name).exists():
            for start in pages(source / name)[:: 1 if name.endswith(".db") else 4]:
                check_repaired(*_damage_page(source, name, start, damage, spoil, size))


def test_log_damage_loses_no_earlier_game(killed, damage):
    def spoil(data):
        data[LOG_HEADER_BYTES : LOG_HEADER_BYTES + 24] = bytes(24)  # the header of the first frame

    check_repaired(damage(killed, "journal-1.db-wal", spoil))


@pytest.mark.slow
def test_flipped_bits_lose_only_their_games(closed, damage):
    rng, size = Random(1), (closed / "journal-1.db").stat().st_size
    for _ in range(150):
        where = rng.randrange(size)
        page = where // PAGE_BYTES * PAGE_BYTES
        hurt = mentioned((closed / "journal-1.db").read_bytes()[page : page + PAGE_BYTES])
        bit = 1 << rng.randrange(8)

        def flip(data, where=where, bit=bit):
            data[where] ^= bit

        folder = damage(closed, "journal-1.db", flip)
        check(folder, hurt)


def test_deleted_game_is_not_found_again(closed, damage):
    folder = damage(closed, "journal-1.db", lambda data: None)
    delete_games(folder / "journal-1.db", [GAMES[7].uid, GAMES[20].uid])
    found = {game.uid for game in salvage_games(folder / "journal-1.db")}
    assert found == set(TRUTH) - {GAMES[7].uid, GAMES[20].uid}


def test_lost_games_are_counted(closed, damage):
    """A page of the `game` table is lost, so some entries belong to no game."""
    data = (closed / "journal-1.db").read_bytes()
    start = next(start for start in reversed(pages(closed / "journal-1.db")) if data[start] == 13)
    hurt = mentioned(data[start : start + PAGE_BYTES])
    folder = damage(
        closed, "journal-1.db", lambda data: data.__setitem__(slice(start, start + PAGE_BYTES), zeros(4096))
    )
    store, notices = open_newest(folder)
    store.close()
    (lost,) = [notice for notice in notices if notice.id == "journal.lost_games"]
    recovered = Message("journal.recovered", count=len(TRUTH) - len(hurt))
    assert recovered in notices
    assert lost.arguments["count"] == len([uid for uid in hurt if TRUTH[uid]])


def test_unreadable_sector_loses_only_its_own_rows(closed, damage, monkeypatch):
    folder = damage(closed, "journal-1.db", lambda data: None)
    data = (folder / "journal-1.db").read_bytes()
    bad = len(data) // PAGE_BYTES // 2 * PAGE_BYTES
    real = salvage.Path.open

    def open_with_bad_sector(path, *how, **more):
        return BadSector(real(path, *how, **more), bad)

    monkeypatch.setattr(salvage.Path, "open", open_with_bad_sector)
    found = {game.uid: list(game.entries) for game in salvage_games(folder / "journal-1.db")}
    whole = {uid for uid, entries in TRUTH.items() if found.get(uid) == entries}
    assert set(TRUTH) - whole <= mentioned(data[bad : bad + PAGE_BYTES])


class BadSector:
    """A file with one unreadable sector."""

    def __init__(self, file, bad):
        self._file, self._bad, self._at = file, bad, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def seek(self, *where):
        self._at = self._file.seek(*where)
        return self._at

    def read(self, size):
        if self._at <= self._bad < self._at + size:
            raise OSError(5, "Input/output error")
        return self._file.read(size)


def test_json_of_another_program_is_not_a_game(tmp_path):
    """The rows have the right shape, but no valid seal."""
    base = sqlite3.connect(tmp_path / "journal-1.db")
    base.execute("CREATE TABLE game (id INTEGER PRIMARY KEY, uid TEXT, facts TEXT, seal BLOB)")
    rows = [("a", json.dumps({"variant": "standard"}), bytes(8))] * 20
    base.executemany("INSERT INTO game (uid, facts, seal) VALUES (?, ?, ?)", rows)
    base.commit()
    base.close()
    assert list(salvage_games(tmp_path / "journal-1.db")) == []


def test_game_already_read_is_not_read_again(closed):
    assert len(list(read_stored_games(closed / "journal-1.db"))) == GAME_COUNT


VERSION_FIELD = 60
"""Offset of the format version. Files of a newer version are left to newer versions of the program."""


@pytest.mark.parametrize("offset", sorted(set(range(0, 100, 4)) - {VERSION_FIELD}))
def test_damaged_header_field_loses_no_game(closed, damage, offset):
    check_repaired(damage(closed, "journal-1.db", lambda data: data.__setitem__(offset + 3, data[offset + 3] ^ 0x41)))


def test_salvaged_games_stay_in_their_order(closed, damage):
    folder = damage(closed, "journal-1.db", lambda data: data.__setitem__(slice(0, 100), bytes(100)))
    assert [game.uid for game in read_all_games(folder)[0]] == list(TRUTH)
