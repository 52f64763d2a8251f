"""Conversion of saved games to records and back."""

import random
import tracemalloc

import pytest

from pond_hw.journal.editing import import_records
from pond_hw.journal.folder import read_all_games
from pond_hw.journal.game_records import (
    build_record,
    count_imported_entries,
    count_taken_back_turns,
    facts_and_entries,
    format_start_date,
    list_taken_back_turns,
    parse_start_date,
    record_identity,
)
from pond_hw.journal.stored_game import JournalEntry, StoredGame, Timestamp, TimestampedEntry, replay_game
from pond_hw.rules import RecordError, find_outcome, legal_actions, parse_record, parse_variant, play
from pond_hw.rules.position import Position
from tests.journal.journal_folder import JournalFolder
from tests.messages.says import says

SET_UP = '[Variant "standard"]\n[Position ".t../..F./e..T/T... d 6 6 4 5"]\n'


def timestamped(*entries):
    return [
        TimestampedEntry(JournalEntry(*each.split(" ", 1)), Timestamp("", 0.0, "2026-05-04T19:00:30+00:00"))
        for each in entries
    ]


def stored_game(*entries, **facts):
    return replay_game("one", {"variant": "standard", **facts}, timestamped(*entries))


def imported_game(text, *later_entries):
    facts, entries = facts_and_entries(parse_record(text))
    imported = [TimestampedEntry(entry, Timestamp("", 0.0, "2026-05-04T19:00:30+00:00")) for entry in entries]
    return replay_game("one", facts, [*imported, *timestamped(*later_entries)])


class TestTakenBack:
    def test_undone_turns_become_comments(self):
        game = stored_game("act @b2", "act @b3", "act @c3", "back 2", "act @d4", "back 1")
        assert list_taken_back_turns(game) == [
            (1, "taken back: @b3 @c3"),
            (1, "taken back: @d4"),
        ]
        assert build_record(game).comments == {1: "taken back: @b3 @c3; taken back: @d4"}
        assert count_taken_back_turns(game) == 3

    def test_redone_turns_are_omitted(self):
        game = stored_game("act @b2", "act @b3", "back 2", "again 2", "act @d4")
        assert (list_taken_back_turns(game), build_record(game).comments, count_taken_back_turns(game)) == ([], {}, 2)

    def test_partly_redone_turns_are_listed(self):
        game = stored_game("act @b2", "act @b3", "back 2", "again 1", "act @d4")
        assert list_taken_back_turns(game) == [(1, "taken back: @b3")]


class TestTags:
    def test_tags_contain_players_date_and_board(self):
        game = stored_game("act @b2", light="Ada", dark=None, board="hall-4x4")
        assert dict(build_record(game).tags) == {"Light": "Ada", "Date": "2026-05-04 19:00 UTC", "Board": "hall-4x4"}

    def test_invalid_clock_gives_no_date(self):
        game = replay_game(
            "one", {"variant": "mini"}, [TimestampedEntry(JournalEntry("act", "@b2"), Timestamp("", 0.0, "noon"))]
        )
        assert (format_start_date(game), dict(build_record(game).tags)) == (None, {})

    def test_imported_tags_keep_their_order(self):
        text = '[Variant "mini"]\n[Zeal "great"]\n[Dark "Ben \\"B\\" \\\\"]\n[Result "*"]\n\n1. @b2 {an egg}\n'
        assert str(build_record(imported_game(text))) == text

    @pytest.mark.parametrize("text", ["2026-05-04 19:00 UTC", "2024-02-29 23:59 UTC"])
    def test_pond_date_format_is_parsed(self, text):
        assert parse_start_date(text).strftime("%Y-%m-%d %H:%M UTC") == text

    @pytest.mark.parametrize("text", ["2026-05-04", "2026-02-30 19:00 UTC", "yesterday", "2026-05-04 19:00", ""])
    def test_other_date_formats_return_none(self, text):
        assert parse_start_date(text) is None


class TestContinuedImport:
    TEXT = '[Variant "standard"]\n[Result "*"]\n\n1. @b2 {one} @b3 {two} 2. @d4 {three}\n'

    def test_continued_import_keeps_comments(self):
        game = imported_game(self.TEXT, "resume", "act @a1")
        assert build_record(game).comments == {1: "one", 2: "two", 3: "three"}

    def test_comments_on_undone_turns_are_dropped(self):
        game = imported_game(self.TEXT, "resume", "back 2", "act @a1", "act @a4")
        assert build_record(game).comments == {1: "one; taken back: @b3 @d4"}

    def test_continued_import_changes_identity(self):
        game = imported_game(self.TEXT, "resume", "act @a1")
        assert record_identity(build_record(game)) != record_identity(parse_record(self.TEXT))


class TestRecordIdentity:
    TEXT = '[Light "Ada"]\n[Dark "Ben"]\n\n1. @b2 @b3\n'

    def test_comments_do_not_change_identity(self):
        other = '[Dark "Ben"]\n[Light "Ada"]\n\n1. @b2 {hm} @b3\n'
        assert record_identity(parse_record(self.TEXT)) == record_identity(parse_record(other))

    @pytest.mark.parametrize(
        ("was", "now"),
        [("@b3", "@b4"), ("Ada", "Eve"), ("\n\n1.", '\n[Result "dark 0-0 resignation"]\n\n1.'), (" @b3", "")],
    )
    def test_other_differences_change_identity(self, was, now):
        assert record_identity(parse_record(self.TEXT)) != record_identity(parse_record(self.TEXT.replace(was, now)))

    def test_custom_start_changes_identity(self):
        one = parse_record(SET_UP)
        other = parse_record(SET_UP.replace("6 6 4 5", "5 6 5 5"))
        assert record_identity(one) != record_identity(other)


def test_unfinished_import_is_marked_as_left():
    assert imported_game("1. @b2 @b3").projection.was_left
    assert not imported_game('[Result "dark 0-0 resignation"]\n\n1. @b2 @b3').projection.was_left
    assert imported_game(SET_UP).projection.was_left


@pytest.mark.slow
def test_long_game_needs_little_memory():
    actions = ["a1b1", "d4c4", "b1a1", "c4d4"] * 250
    game = stored_game(*(f"act {action}" for action in actions), start="...f/..../..../F... l 12 12 0 0")
    tracemalloc.start()
    assert len(build_record(game).turns) == 1000
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 3_000_000


def test_record_without_a_game_is_refused():
    with pytest.raises(RecordError, check=says("no turns were played")):
        facts_and_entries(parse_record('[Light "Ada"]\n'))


def test_unreadable_game_has_no_record():
    with pytest.raises(RecordError):
        build_record(StoredGame("one", {}, (), imported_game("1. @b2").projection, "its seal is broken"))


def random_game_entries(rng, pond):
    """Play randomly, with some undo and redo."""
    position, turns, undone, entries = Position.start(pond), [], [], []
    while find_outcome(position) is None and len(entries) < 60:
        if turns and rng.random() < 0.2:
            undone.append(turns.pop())
            entries.append("back 1")
        elif undone and rng.random() < 0.5:
            turns.append(undone.pop())
            entries.append("again 1")
        else:
            turns.append(play(position, rng.choice(legal_actions(position))))
            entries.append(f"act {turns[-1].action}")
            undone = []
        position = turns[-1].after if turns else Position.start(pond)
    return entries


@pytest.mark.slow
def test_imported_record_round_trips(tmp_path):
    rng = random.Random(7)
    games = []
    for number in range(20):
        pond = parse_variant(rng.choice(["standard", "mini", "big", "3x3/9/5"]))
        entries = random_game_entries(rng, pond)
        position = replay_game("", {"variant": pond.name}, timestamped(*entries)).projection.position
        if find_outcome(position) is None and number % 2:
            entries.append(f"end {rng.choice(['light resignation', 'dark resignation', '- agreement'])}")
        names = {"light": rng.choice([None, "Ada", 'Ömer "Ö" \\']), "dark": "Ben", "board": "matrix-5x5"}
        games.append(replay_game("", {"variant": pond.name, **names}, timestamped(*entries)))
    texts = [str(build_record(game)) for game in games]
    assert any("taken back" in text for text in texts)
    import_records(tmp_path, [parse_record(text) for text in texts], JournalFolder(tmp_path).clock)
    there, messages = read_all_games(tmp_path)
    assert ([str(build_record(game)) for game in there], messages) == (texts, [])
    assert all(count_imported_entries(game) for game in there)
    assert [game.projection.was_left for game in there] == [game.projection.outcome is None for game in games]
