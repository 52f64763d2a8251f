"""One journal file: whatever the damage, each game is read whole, or it is truncated and reported."""

import os
import random
import sqlite3

import pytest

from pond_hw.journal import store
from pond_hw.journal.database_file import DamagedJournal, ForeignFile
from pond_hw.journal.folder import read_all_games
from pond_hw.journal.store import JournalStore, create_file, delete_games, read_stored_games
from pond_hw.journal.stored_game import GameUpdate, JournalEntry, Timestamp, TimestampedEntry
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD
from pond_hw.session import NewGame, ResignGame
from tests.journal.journal_player import (
    COMMON_FACTS,
    JournalPlayer,
    contents,
    copy_as_killed,
    create_foreign_database,
    read_entries,
)
from tests.messages.says import text

FACTS = {"variant": "standard", "start": None, **COMMON_FACTS}


def entry(number, value, kind="act"):
    return TimestampedEntry(JournalEntry(kind, value), Timestamp("a", float(number), "2026-01-01T00:00:00+00:00"))


ENTRIES = [entry(1, "@b2"), entry(2, "@b3"), entry(3, "@c1")]


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The journal of a killed writer, all in the log: a game that ended with a resignation, and the current game."""
    player = JournalPlayer(tmp_path_factory.mktemp("played"))
    player.play_turns(3)
    player.apply(ResignGame(0.0))
    player.journal.write_remark("The lamps were too bright.")
    player.apply(NewGame(STANDARD, 0.0))
    player.play_turns(2)
    yield copy_as_killed(player.folder, tmp_path_factory.mktemp("killed") / "it")
    player.close()


@pytest.fixture(scope="module")
def brief(tmp_path_factory):
    """The journal of a killed writer, with one turn and a resignation."""
    player = JournalPlayer(tmp_path_factory.mktemp("played"))
    player.play_turns(1)
    player.apply(ResignGame(0.0))
    yield copy_as_killed(player.folder, tmp_path_factory.mktemp("brief") / "it")
    player.close()


@pytest.fixture(scope="module")
def closed(killed, tmp_path_factory):
    """The same journal after it was closed: everything is in the database, and there is no log."""
    folder = copy_as_killed(killed, tmp_path_factory.mktemp("closed") / "it")
    JournalPlayer(folder).close()
    assert not (folder / "journal-1.db-wal").exists()
    return folder


def check_recovery(folder, truth, *, continues=True):
    """Check that a damaged journal is read, reported and continued, and that the next start reports nothing.

    Return the notices.
    """
    found, messages = read_all_games(folder)
    check_games(found, messages, truth)
    player = JournalPlayer(folder, "b")
    assert player.journal.trouble is None
    now, messages_now = read_all_games(folder)
    check_games(now, [*player.journal.file_notices, *messages_now], truth)
    assert all(text(message).endswith(".") for message in (*messages, *player.journal.file_notices))
    if len(now) < len(truth):
        assert player.journal.file_notices or messages_now
    last = player.journal.unfinished_game
    if not continues:
        player.close()
        return player.journal.file_notices
    if last:
        player.resume(last)
    player.play_turns(1)
    assert player.reports[-1].trouble is None
    uid, expected = (last.uid, len(last.entries) + 2) if last else ("b-1", 1)
    player.close()
    again = JournalPlayer(folder, "c")
    assert (again.journal.file_notices, again.journal.trouble) == ((), None)
    assert again.journal.unfinished_game.uid == uid
    assert len(read_entries(folder)[uid]) == len(again.journal.unfinished_game.entries) == expected
    again.close()
    return player.journal.file_notices


def check_games(found, messages, truth):
    """Check that each game is complete, or that its damage is reported."""
    for saved in found:
        if not saved.facts:
            assert saved.fault
            continue
        was = truth[saved.uid]
        assert saved.facts == was.facts
        assert saved.entries == was.entries[: len(saved.entries)]
        assert len(saved.entries) == len(was.entries) or saved.fault or messages
    assert {saved.uid for saved in found} >= set(truth) or messages or any(saved.fault for saved in found)


def flip_bit(data, bit):
    data = bytearray(data)
    data[bit // 8] ^= 1 << bit % 8
    return bytes(data)


def check_flips(folder, name, bits, tmp_path, *, continues=1):
    """Flip these bits, one at a time, and return the number of notices. Continue the game in every nth case."""
    truth = {saved.uid: saved for saved in read_all_games(folder)[0]}
    assert sum(len(saved.entries) for saved in truth.values()) >= 2
    data, spoken_of = (folder / name).read_bytes(), 0
    for number, bit in enumerate(bits(data)):
        there = copy_as_killed(folder, tmp_path / "flipped")
        (there / name).write_bytes(flip_bit(data, bit))
        try:
            spoken_of += bool(check_recovery(there, truth, continues=number % continues == 0))
        except BaseException as error:
            error.add_note(f"bit {bit % 8} of byte {bit // 8} of {name}")
            raise
    return spoken_of


def spread_bits(count):
    """Return a function that selects bits, spread evenly over the bytes that are not zero."""

    def bits(data):
        written = [at for at, byte in enumerate(data) if byte]
        step = len(written) * 8 // count | 1
        return [8 * written[bit // 8] + bit % 8 for bit in range(step // 2, len(written) * 8, step)]

    return bits


def one_bit_per_byte(number):
    """Return a function that selects one bit of every byte. The numbers 0 to 7 together cover all bits."""
    return lambda data: (8 * at + (at + number) % 8 for at in range(len(data)))


def every_nth_bit(size, step):
    return lambda _: range(3, size * 8, step)


@pytest.mark.slow
def test_bit_flip_in_the_database_is_found(closed, tmp_path):
    assert check_flips(closed, "journal-1.db", spread_bits(20), tmp_path) > 15
    check_flips(closed, "journal-1.db", every_nth_bit(100, 89), tmp_path)


@pytest.mark.slow
def test_bit_flip_in_the_log_is_found(killed, tmp_path):
    assert check_flips(killed, "journal-1.db-wal", spread_bits(10), tmp_path) > 8
    check_flips(killed, "journal-1.db-wal", every_nth_bit(56, 89), tmp_path)


def test_bit_flip_in_a_database_with_a_log_is_found(killed, tmp_path):
    check_flips(killed, "journal-1.db", spread_bits(8), tmp_path)


BITS = range(8) if os.environ.get("POND_EVERY_BIT") else range(1)
"""Bits to test in every byte. All eight take half an hour: `POND_EVERY_BIT=1 make test-long`."""


@pytest.mark.long
@pytest.mark.parametrize("number", BITS)
@pytest.mark.parametrize(
    ("which", "name"), [("closed", "journal-1.db"), ("killed", "journal-1.db"), ("brief", "journal-1.db-wal")]
)
def test_flip_of_any_bit_is_harmless(which, name, number, request, tmp_path):
    check_flips(request.getfixturevalue(which), name, one_bit_per_byte(number), tmp_path, continues=16)


@pytest.mark.slow
@pytest.mark.parametrize(("which", "step"), [("closed", 512), ("killed", 512)])
def test_truncated_database_is_reported(which, step, request, tmp_path):
    folder = request.getfixturevalue(which)
    truth = {saved.uid: saved for saved in read_all_games(folder)[0]}
    data = (folder / "journal-1.db").read_bytes()
    for size in range(0, len(data), step):
        there = copy_as_killed(folder, tmp_path / "short")
        (there / "journal-1.db").write_bytes(data[:size])
        messages = check_recovery(there, truth)
        assert messages or which == "killed"


@pytest.mark.slow
def test_truncated_log_loses_only_its_end(killed, tmp_path):
    truth = {saved.uid: saved for saved in read_all_games(killed)[0]}
    data, seen = (killed / "journal-1.db-wal").read_bytes(), set()
    for size in range(0, len(data), 2048):
        there = copy_as_killed(killed, tmp_path / "short")
        (there / "journal-1.db-wal").write_bytes(data[:size])
        player = JournalPlayer(there, "b")
        assert (player.journal.trouble, player.journal.file_notices) == (None, ())
        for saved in read_all_games(there)[0]:
            assert saved.entries == truth[saved.uid].entries[: len(saved.entries)]
        seen.add(sum(len(saved.entries) for saved in read_all_games(there)[0]))
        player.close()
    assert seen == set(range(8))


@pytest.mark.slow
def test_damaged_log_sectors_are_reported(killed, tmp_path):
    truth = {saved.uid: saved for saved in read_all_games(killed)[0]}
    data = (killed / "journal-1.db-wal").read_bytes()
    rng = random.Random(6)
    for start in range(0, len(data) - 3 * 4120, 4096):  # frames lost at the end count as never written
        for torn in (bytes(4096), rng.randbytes(512)):
            there = copy_as_killed(killed, tmp_path / "torn")
            (there / "journal-1.db-wal").write_bytes(data[:start] + torn + data[start + len(torn) :])
            assert check_recovery(there, truth)


def test_killed_writer_causes_no_notice(killed, closed, tmp_path):
    for folder in (killed, closed):
        truth = {saved.uid: saved for saved in read_all_games(folder)[0]}
        assert check_recovery(copy_as_killed(folder, tmp_path / "it"), truth) == ()


@pytest.mark.slow
def test_old_log_frames_are_ignored(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "MAX_LOG_PAGES", 20)
    player = JournalPlayer(tmp_path / "it")
    for count in range(1, 40):  # the log restarts several times
        if count % 13:
            player.play_turns(1)
        else:
            player.apply(ResignGame(0.0), NewGame(STANDARD, 0.0))
        there = copy_as_killed(player.folder, tmp_path / "killed")
        found, messages = read_all_games(there)
        assert (sum(len(saved.entries) for saved in found), messages) == (count, [])
        with_log = JournalStore(there / "journal-1.db")
        assert sum(len(saved.entries) for saved in with_log.stored_games) == count
        with_log.close()
    player.close()


def test_garbage_is_set_aside_without_error(tmp_path):
    rng = random.Random(5)
    for size in (1, 99, 100, 511, 512, 4096, 20000):
        folder = tmp_path / str(size)
        folder.mkdir()
        data = rng.randbytes(size)
        for front in (b"", b"SQLite format 3\0", b"SQLite format 3\0" + (tmp_path / "x").name.encode()):
            (folder / "journal-1.db").write_bytes((front + data)[:size])
            (folder / "journal-1.db-wal").write_bytes(rng.randbytes(size))
            saved, messages = read_all_games(folder)
            assert (saved, len(messages)) == ([], 1)
            for path in folder.iterdir():
                path.unlink()
        (folder / "journal-1.db").write_bytes(data)
        damaged, rest = check_recovery(folder, {})
        assert (damaged.id, damaged.arguments["aside"]) == ("journal.damaged", "journal-1.bad")
        assert rest == Message("journal.nothing_readable")
        assert (folder / "journal-1.bad").read_bytes() == data


def test_header_distinguishes_foreign_from_damaged_file(closed, tmp_path):
    data = (closed / "journal-1.db").read_bytes()
    for at, value, kind in [
        (60, (2).to_bytes(4, "big"), ForeignFile),
        (60, (0x7FFFFFFF).to_bytes(4, "big"), ForeignFile),
        (60, (0).to_bytes(4, "big"), DamagedJournal),
        (60, b"\xff\xff\xff\xff", DamagedJournal),
        (68, b"Pomd", DamagedJournal),
        (0, b"sQLite", DamagedJournal),
        (18, b"\1\1", DamagedJournal),
        (18, b"\3\2", DamagedJournal),
    ]:
        path = tmp_path / "journal-1.db"
        path.write_bytes(data[:at] + value + data[at + len(value) :])
        with pytest.raises(kind):
            JournalStore(path)
        assert list(tmp_path.iterdir()) == [path]
    path.write_bytes(data)
    JournalStore(path).close()


def execute_statements(path, *statements):
    base = sqlite3.connect(path)
    for statement in statements:
        base.execute(statement)
    base.commit()
    base.close()


@pytest.mark.parametrize(
    ("statements", "good", "why"),
    [
        (["UPDATE entry SET value = '@b4' WHERE n = 2"], 1, Message("fault.broken_seal")),
        (["UPDATE entry SET wall = '' WHERE n = 3"], 2, Message("fault.broken_seal")),
        (["UPDATE entry SET seal = x'00' WHERE n = 3"], 2, Message("fault.broken_seal")),
        (["DELETE FROM entry WHERE n = 2"], 1, Message("fault.out_of_order")),
        (["UPDATE entry SET n = 7 WHERE n = 3"], 2, Message("fault.out_of_order")),
        (["UPDATE entry SET kind = x'00' WHERE n = 3"], 2, Message("fault.out_of_order")),
        (["UPDATE entry SET since = 'soon' WHERE n = 1"], 0, Message("fault.out_of_order")),
        (["UPDATE entry SET value = CAST(x'ff' AS TEXT) WHERE n = 2"], 1, None),
    ],
)
def test_changed_entry_ends_its_game(statements, good, why, tmp_path):
    path = tmp_path / "journal-1.db"
    create_file(path, [GameUpdate("a-1", FACTS, ENTRIES), GameUpdate("a-2", FACTS, ENTRIES)])
    execute_statements(path, *(f"{statement} AND game = 1" for statement in statements))
    one, other = read_stored_games(path)
    assert (len(one.entries), len(other.entries), other.fault) == (good, 3, None)
    assert one.fault == why or (why is None and "Could not decode" in one.fault.arguments["text"])
    with pytest.raises(DamagedJournal) as damaged:
        JournalStore(path)
    assert damaged.value.message == Message("damage.entry", game=1, entry=good + 1, reason=one.fault)


@pytest.mark.parametrize(
    "changes",
    ["facts = replace(facts, 'Mia', 'Mio')", "uid = 'a-9'", "seal = x'0000000000000000'", "uid = x'00'", "facts = 7"],
)
def test_changed_game_row_loses_only_that_game(changes, tmp_path):
    folder = tmp_path / "it"
    folder.mkdir()
    create_file(folder / "journal-1.db", [GameUpdate("a-1", FACTS, ENTRIES), GameUpdate("a-2", FACTS, ENTRIES)])
    truth = {saved.uid: saved for saved in read_stored_games(folder / "journal-1.db")}
    execute_statements(folder / "journal-1.db", f"UPDATE game SET {changes} WHERE id = 1")
    one, other = read_stored_games(folder / "journal-1.db")
    assert (one.facts, one.entries, one.fault, len(other.entries)) == ({}, (), Message("fault.broken_seal"), 3)
    damaged, *rest = check_recovery(folder, truth)
    assert damaged.arguments["reason"] == Message("damage.entry", game=1, entry=1, reason=one.fault)
    assert rest == [Message("journal.recovered", count=1), Message("journal.lost_games", games=("1",), count=1)]


@pytest.mark.parametrize("statement", ["UPDATE game SET id = 7 WHERE id = 2", "DELETE FROM game WHERE id = 2"])
def test_orphaned_entries_count_as_damage(statement, tmp_path):
    folder = tmp_path / "it"
    folder.mkdir()
    create_file(folder / "journal-1.db", [GameUpdate("a-1", FACTS, ENTRIES), GameUpdate("a-2", FACTS, ENTRIES)])
    truth = {saved.uid: saved for saved in read_stored_games(folder / "journal-1.db")}
    execute_statements(folder / "journal-1.db", statement)
    reason = Message("damage.stray_entries")
    assert read_all_games(folder)[1] == [Message("journal.unreadable_end", file="journal-1.db", reason=reason)]
    assert check_recovery(folder, truth)[0].arguments["reason"] == reason


def create_sealed_file(path, facts_text, *noted):
    """Create a journal that has any given content and valid seals."""
    create_file(path)
    base = sqlite3.connect(path)
    seal = store.compute_seal(b"", ["a-1", facts_text])
    base.execute("INSERT INTO game VALUES (1, 'a-1', ?, ?)", (facts_text, seal))
    for n, (entry_, label) in enumerate(noted, 1):
        seal = store.compute_seal(seal, (n, *entry_, *label))
        base.execute("INSERT INTO entry VALUES (1, ?, ?, ?, ?, ?, ?, ?)", (n, *entry_, *label, seal))
    base.commit()
    base.close()


@pytest.mark.parametrize(
    "facts",
    ["", "[]", "null", "7", '"standard"', "{}", '{"variant": "chess"}', '{"variant": "standard", "start": "x"}',
     '{"variant": "standard", "start": 7}', '{"variant": ["standard"]}', "[" * 100000, "9" * 5000],
)  # fmt: skip
def test_impossible_start_is_reported(facts, tmp_path):
    folder = tmp_path / "it"
    folder.mkdir()
    create_sealed_file(folder / "journal-1.db", facts, *ENTRIES)
    (saved,) = read_stored_games(folder / "journal-1.db")
    assert saved.fault
    assert not saved.facts
    assert check_recovery(folder, {})[1] == Message("journal.nothing_readable")


@pytest.mark.parametrize(
    "bad", [entry(4, "@b2"), entry(4, "@" + "b" * 10000), entry(4, "9" * 5000, "back"), entry(4, "\0", "mask")]
)
def test_sealed_but_illegal_entry_ends_its_game(bad, tmp_path):
    folder = tmp_path / "it"
    folder.mkdir()
    create_sealed_file(folder / "journal-1.db", '{"variant": "standard", "size": 4}', *ENTRIES, bad, entry(5, "@d1"))
    damaged, *rest = check_recovery(folder, {saved.uid: saved for saved in read_stored_games(folder / "journal-1.db")})
    reason = damaged.arguments["reason"]
    assert (reason.id, reason.arguments["game"], reason.arguments["entry"]) == ("damage.entry", 1, 4)
    assert rest == [Message("journal.recovered", count=1), Message("journal.shortened_games", games=("1",), count=1)]


def test_infinite_database_view_is_not_read(tmp_path):
    folder = tmp_path / "it"
    folder.mkdir()
    create_file(folder / "journal-1.db")
    execute_statements(
        folder / "journal-1.db",
        "DROP TABLE game",
        "CREATE VIEW game AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) "
        "SELECT id, 'a' AS uid, '{}' AS facts, x'00' AS seal FROM n",
    )
    assert check_recovery(folder, {})[1] == Message("journal.nothing_readable")


@pytest.mark.parametrize("statement", ["DROP TABLE game", "DROP TABLE entry", "ALTER TABLE entry RENAME wall TO hall"])
def test_other_tables_count_as_damage(statement, tmp_path):
    folder = tmp_path / "it"
    folder.mkdir()
    create_file(folder / "journal-1.db", [GameUpdate("a-1", FACTS, ENTRIES)])
    truth = {saved.uid: saved for saved in read_stored_games(folder / "journal-1.db")}
    execute_statements(folder / "journal-1.db", statement)
    assert check_recovery(folder, truth)


@pytest.mark.parametrize("token", [b"INTEGER PRIMARY", b"WITHOUT ROWID", b"CREATE TABLE", b"uid TEXT", b"tableentry"])
@pytest.mark.parametrize("bit", [0, 7])
def test_corrupt_schema_counts_as_damage(token, bit, closed, tmp_path):
    truth = {saved.uid: saved for saved in read_all_games(closed)[0]}
    there = copy_as_killed(closed, tmp_path / "it")
    data = (there / "journal-1.db").read_bytes()
    (there / "journal-1.db").write_bytes(flip_bit(data, 8 * (data.index(token) + len(token) - 3) + bit))
    assert check_recovery(there, truth)


def test_lost_row_fails_the_integrity_check(tmp_path):
    """A missing row breaks no seal."""
    path = tmp_path / "journal-1.db"
    create_file(path, [GameUpdate("a-1", FACTS, ENTRIES)])
    base = sqlite3.connect(path)
    (root,) = base.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'entry'").fetchone()
    base.close()
    data = bytearray(path.read_bytes())
    cells = (root - 1) * 4096 + 3
    assert data[cells : cells + 2] == b"\0\3"
    data[cells + 1] = 2
    path.write_bytes(data)
    with pytest.raises(DamagedJournal):
        JournalStore(path)
    saved, messages = read_all_games(tmp_path)
    assert [len(each.entries) for each in saved] == [3]
    assert (messages[0].id, messages[0].arguments["file"]) == ("journal.unreadable_end", "journal-1.db")


@pytest.mark.parametrize("name", ["journal-1.db", "journal-1.db-wal"])
def test_reading_a_damaged_file_leaves_it_unchanged(name, killed, tmp_path):
    there = copy_as_killed(killed, tmp_path / "it")
    data = (there / name).read_bytes()
    bit = 8 * data.index(b"INTEGER PRIMARY") if name == "journal-1.db" else 8 * (len(data) - 9000)
    (there / name).write_bytes(flip_bit(data, bit))
    before = contents(there)
    with pytest.raises(DamagedJournal):
        JournalStore(there / "journal-1.db")
    assert read_all_games(there)[1]
    assert {name: data for name, data in contents(there).items() if "-shm" not in name} == before


def test_broken_seal_leaves_the_log_unchanged(tmp_path, monkeypatch):
    there = create_store_with_log(tmp_path, monkeypatch)
    before = contents(there)
    monkeypatch.setattr(store, "compute_seal", lambda *_: b"another")
    with pytest.raises(DamagedJournal) as damaged:
        JournalStore(there / "journal-1.db")
    assert damaged.value.message.arguments["reason"] == Message("fault.broken_seal")
    assert {name: data for name, data in contents(there).items() if "-shm" not in name} == before


def create_store_with_log(tmp_path, monkeypatch):
    create_file(tmp_path / "journal-1.db")
    open_ = JournalStore(tmp_path / "journal-1.db")
    open_.append_games([GameUpdate("a-1", FACTS, ENTRIES)])
    there = copy_as_killed(tmp_path, tmp_path.with_name("there"))
    open_.close()
    return there


@pytest.mark.parametrize("torn", [bytes(512), bytes(4096), b"\xff" * 4096])
def test_log_restores_a_torn_first_sector(torn, tmp_path):
    """A checkpoint also writes the first sector. Until it ends, the content is in the log."""
    folder = tmp_path / "it"
    folder.mkdir()
    create_file(folder / "journal-1.db")
    written = JournalStore(folder / "journal-1.db")
    written.append_games(
        [GameUpdate("a-1", FACTS, [*ENTRIES, *(entry(n, "a long story " * 20, "note") for n in range(4, 60))])]
    )
    truth = {saved.uid: saved for saved in read_all_games(folder)[0]}
    there = copy_as_killed(folder, tmp_path / "torn")
    written.close()
    data = (there / "journal-1.db").read_bytes()
    (there / "journal-1.db").write_bytes(torn + data[len(torn) :])
    assert check_recovery(there, truth) == ()
    assert [len(entries) for entries in read_entries(there).values()] == [61]


def test_each_entry_is_written_once(tmp_path):
    path = tmp_path / "journal-1.db"
    create_file(path)
    one = JournalStore(path)
    one.append_games([GameUpdate("a-1", FACTS, ENTRIES[:2])])
    one.append_games([GameUpdate("a-1", FACTS, ENTRIES[:2])])
    one.append_games([GameUpdate("a-1", FACTS, ENTRIES), GameUpdate("a-2", FACTS, ())])
    one.append_games([GameUpdate("a-1", FACTS, ENTRIES)])
    one.close()
    other = JournalStore(path)
    assert [saved.entries for saved in other.stored_games] == [tuple(ENTRIES), ()]
    other.append_games([GameUpdate("a-1", FACTS, [*ENTRIES, entry(4, "@d4")])])
    other.close()
    assert [len(saved.entries) for saved in read_stored_games(path)] == [4, 0]


def test_append_games_is_atomic(tmp_path, monkeypatch):
    path = tmp_path / "journal-1.db"
    create_file(path, [GameUpdate("a-1", FACTS, ENTRIES)])
    one = JournalStore(path)
    parts = [
        GameUpdate("a-1", FACTS, [*ENTRIES, entry(4, "", "leave")]),
        GameUpdate("a-2", FACTS, [entry(1, "x" * 10, "dance")]),
    ]
    with monkeypatch.context() as patch:
        patch.setattr(
            store, "compute_seal", lambda before, read_entries: b"sealed" if "leave" in read_entries else None
        )
        with pytest.raises(sqlite3.Error):
            one.append_games(parts)
    assert [(saved.uid, len(saved.entries)) for saved in read_stored_games(path)] == [("a-1", 3)]
    one.append_games([parts[0], GameUpdate("a-2", FACTS, ())])
    assert [(saved.uid, len(saved.entries)) for saved in read_stored_games(path)] == [("a-1", 4), ("a-2", 0)]
    one.close()


def test_delete_games_erases_their_bytes(tmp_path):
    path = tmp_path / "journal-1.db"
    secret = [*ENTRIES, entry(4, "We play for the last piece of cake.", "note")]
    create_file(path, [GameUpdate("a-1", FACTS, secret), GameUpdate("a-2", FACTS, ENTRIES)])
    assert b"piece of cake" in path.read_bytes()
    delete_games(path, ["a-1"])
    assert [saved.uid for saved in read_stored_games(path)] == ["a-2"]
    assert not any(b"piece of cake" in each.read_bytes() for each in tmp_path.iterdir())
    other = JournalStore(path)
    other.append_games([GameUpdate("a-3", FACTS, ENTRIES)])
    assert [saved.uid for saved in read_stored_games(path)] == ["a-2", "a-3"]
    other.close()


def test_folder_name_may_contain_uri_characters(tmp_path):
    folder = tmp_path / "100% ?mode=ro&x#y ü"
    player = JournalPlayer(folder)
    player.play_turns(2)
    player.close()
    assert {path.name for path in folder.iterdir()} == {"journal-1.db", "lock"}
    assert [len(entries) for entries in read_entries(folder).values()] == [2]


@pytest.mark.parametrize("log", [False, True])
def test_foreign_database_is_unchanged(log, tmp_path):
    folder = tmp_path / "it"
    folder.mkdir()
    create_foreign_database(folder / "journal-1.db", log=log)
    before = contents(folder)
    foreign = Message("journal.foreign", file=str(folder / "journal-1.db"))
    assert check_recovery(folder, {}) == (foreign, Message("journal.left_alone"))
    assert read_all_games(folder)[1] == [foreign]
    assert {name: contents(folder)[name] for name in before} == before
    assert (folder / "journal-2.db").is_file()


def test_half_written_log_frame_is_not_damage(tmp_path):
    """After a checkpoint, the log is restarted, and the process is killed between the header of a frame and its page."""
    folder = tmp_path / "it"
    folder.mkdir()
    create_file(folder / "journal-1.db")
    written, log = JournalStore(folder / "journal-1.db"), folder / "journal-1.db-wal"
    for n in range(1, 6):
        written.append_games([GameUpdate("a-1", FACTS, ENTRIES[:1] + [entry(k, "x", "note") for k in range(2, n + 1)])])
    written._write_connection.execute("PRAGMA wal_checkpoint(RESTART)")
    states = []
    for n in (6, 7):
        written.append_games([GameUpdate("a-1", FACTS, ENTRIES[:1] + [entry(k, "x", "note") for k in range(2, n + 1)])])
        states.append((log.read_bytes(), {saved.uid: saved for saved in read_all_games(folder)[0]}))
    (before, truth), (after, _) = states
    differs = next(at for at, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1])
    frame = 32 + (differs - 32) // 4120 * 4120
    there = copy_as_killed(folder, tmp_path / "killed")
    (there / "journal-1.db-wal").write_bytes(after[: frame + 24] + before[frame + 24 :])
    written.close()
    assert check_recovery(there, truth) == ()
