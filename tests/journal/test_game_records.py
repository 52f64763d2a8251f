"""A game that was kept as a record, and a record as a game: nothing of either is lost on the way."""

import random
import tracemalloc

import pytest

from pond_hw.journal.editing import import_records
from pond_hw.journal.folder import read_all_games
from pond_hw.journal.game_records import (
    build_record,
    count_imported_entries,
    count_taken_back,
    facts_and_entries,
    format_start_date,
    list_taken_back,
    parse_start_date,
    record_identity,
)
from pond_hw.journal.stored_game import JournalEntry, StoredGame, Timestamp, TimestampedEntry, replay_game
from pond_hw.rules import RecordError, find_outcome, legal_actions, parse_record, parse_variant, play
from pond_hw.rules.position import Position
from tests.journal.journal_folder import JournalFolder
from tests.messages.says import says

SET_UP = '[Variant "standard"]\n[Position ".t../..F./e..T/T... d 6 6 4 5"]\n'


def noted(*told):
    return [
        TimestampedEntry(JournalEntry(*each.split(" ", 1)), Timestamp("", 0.0, "2026-05-04T19:00:30+00:00"))
        for each in told
    ]


def kept(*told, **facts):
    return replay_game("one", {"variant": "standard", **facts}, noted(*told))


def as_if_imported(text, *told):
    facts, entries = facts_and_entries(parse_record(text))
    first = [TimestampedEntry(entry, Timestamp("", 0.0, "2026-05-04T19:00:30+00:00")) for entry in entries]
    return replay_game("one", facts, [*first, *noted(*told)])


class TestWhatWasTakenBack:
    def test_is_told_where_it_was(self):
        game = kept("act @b2", "act @b3", "act @c3", "back 2", "act @d4", "back 1")
        assert list_taken_back(game) == [
            (1, "taken back: @b3 @c3"),
            (1, "taken back: @d4"),
        ]
        assert build_record(game).comments == {1: "taken back: @b3 @c3; taken back: @d4"}
        assert count_taken_back(game) == 3

    def test_is_nothing_if_it_was_played_again(self):
        game = kept("act @b2", "act @b3", "back 2", "again 2", "act @d4")
        assert (list_taken_back(game), build_record(game).comments, count_taken_back(game)) == ([], {}, 2)

    def test_is_what_is_left_of_it_if_some_was_played_again(self):
        game = kept("act @b2", "act @b3", "back 2", "again 1", "act @d4")
        assert list_taken_back(game) == [(1, "taken back: @b3")]


class TestTags:
    def test_say_who_when_and_where(self):
        game = kept("act @b2", light="Ada", dark=None, board="hall-4x4")
        assert dict(build_record(game).tags) == {"Light": "Ada", "Date": "2026-05-04 19:00 UTC", "Board": "hall-4x4"}

    def test_a_clock_that_says_nothing_gives_no_date(self):
        game = replay_game(
            "one", {"variant": "mini"}, [TimestampedEntry(JournalEntry("act", "@b2"), Timestamp("", 0.0, "noon"))]
        )
        assert (format_start_date(game), dict(build_record(game).tags)) == (None, {})

    def test_of_a_record_stay_in_their_order(self):
        text = '[Variant "mini"]\n[Zeal "great"]\n[Dark "Ben \\"B\\" \\\\"]\n[Result "*"]\n\n1. @b2 {an egg}\n'
        assert str(build_record(as_if_imported(text))) == text

    @pytest.mark.parametrize("text", ["2026-05-04 19:00 UTC", "2024-02-29 23:59 UTC"])
    def test_a_date_of_ours_is_read_again(self, text):
        assert parse_start_date(text).strftime("%Y-%m-%d %H:%M UTC") == text

    @pytest.mark.parametrize("text", ["2026-05-04", "2026-02-30 19:00 UTC", "yesterday", "2026-05-04 19:00", ""])
    def test_others_are_not_guessed(self, text):
        assert parse_start_date(text) is None


class TestARecordThatWentOn:
    TEXT = '[Variant "standard"]\n[Result "*"]\n\n1. @b2 {one} @b3 {two} 2. @d4 {three}\n'

    def test_keeps_its_remarks(self):
        game = as_if_imported(self.TEXT, "resume", "act @a1")
        assert build_record(game).comments == {1: "one", 2: "two", 3: "three"}

    def test_loses_those_on_turns_that_were_taken_back(self):
        game = as_if_imported(self.TEXT, "resume", "back 2", "act @a1", "act @a4")
        assert build_record(game).comments == {1: "one; taken back: @b3 @d4"}

    def test_is_another_game_than_it_was(self):
        game = as_if_imported(self.TEXT, "resume", "act @a1")
        assert record_identity(build_record(game)) != record_identity(parse_record(self.TEXT))


class TestOneGame:
    TEXT = '[Light "Ada"]\n[Dark "Ben"]\n\n1. @b2 @b3\n'

    def test_is_the_same_whatever_is_remarked(self):
        other = '[Dark "Ben"]\n[Light "Ada"]\n\n1. @b2 {hm} @b3\n'
        assert record_identity(parse_record(self.TEXT)) == record_identity(parse_record(other))

    @pytest.mark.parametrize(
        ("was", "now"),
        [("@b3", "@b4"), ("Ada", "Eve"), ("\n\n1.", '\n[Result "dark 0-0 resignation"]\n\n1.'), (" @b3", "")],
    )
    def test_is_another_if_anything_else_differs(self, was, now):
        assert record_identity(parse_record(self.TEXT)) != record_identity(parse_record(self.TEXT.replace(was, now)))

    def test_a_position_that_was_set_up_counts(self):
        one = parse_record(SET_UP)
        other = parse_record(SET_UP.replace("6 6 4 5", "5 6 5 5"))
        assert record_identity(one) != record_identity(other)


def test_what_is_not_finished_is_left():
    assert as_if_imported("1. @b2 @b3").projection.was_left
    assert not as_if_imported('[Result "dark 0-0 resignation"]\n\n1. @b2 @b3').projection.was_left
    assert as_if_imported(SET_UP).projection.was_left


@pytest.mark.slow
def test_a_long_game_is_not_held_in_memory_as_it_was_after_each_entry():
    actions = ["a1b1", "d4c4", "b1a1", "c4d4"] * 250
    game = kept(*(f"act {action}" for action in actions), start="...f/..../..../F... l 12 12 0 0")
    tracemalloc.start()
    assert len(build_record(game).turns) == 1000
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most_bytes < 3_000_000


def test_a_record_without_a_game_is_refused():
    with pytest.raises(RecordError, check=says("no turns were played")):
        facts_and_entries(parse_record('[Light "Ada"]\n'))


def test_a_game_of_which_nothing_is_known_has_no_record():
    with pytest.raises(RecordError):
        build_record(StoredGame("one", {}, (), as_if_imported("1. @b2").projection, "its seal is broken"))


def whole_game(chance, pond):
    """Somebody plays, and changes their mind now and then."""
    position, turns, undone, told = Position.start(pond), [], [], []
    while find_outcome(position) is None and len(told) < 60:
        if turns and chance.random() < 0.2:
            undone.append(turns.pop())
            told.append("back 1")
        elif undone and chance.random() < 0.5:
            turns.append(undone.pop())
            told.append("again 1")
        else:
            turns.append(play(position, chance.choice(legal_actions(position))))
            told.append(f"act {turns[-1].action}")
            undone = []
        position = turns[-1].after if turns else Position.start(pond)
    return told


@pytest.mark.slow
def test_a_record_of_a_game_brought_in_is_the_same_text_again(tmp_path):
    chance = random.Random(7)
    games = []
    for number in range(20):
        pond = parse_variant(chance.choice(["standard", "mini", "big", "3x3/9/5"]))
        told = whole_game(chance, pond)
        position = replay_game("", {"variant": pond.name}, noted(*told)).projection.position
        if find_outcome(position) is None and number % 2:
            told.append(f"end {chance.choice(['light resignation', 'dark resignation', '- agreement'])}")
        names = {"light": chance.choice([None, "Ada", 'Ömer "Ö" \\']), "dark": "Ben", "board": "matrix-5x5"}
        games.append(replay_game("", {"variant": pond.name, **names}, noted(*told)))
    texts = [str(build_record(game)) for game in games]
    assert any("taken back" in text for text in texts)
    import_records(tmp_path, [parse_record(text) for text in texts], JournalFolder(tmp_path).clock)
    there, said = read_all_games(tmp_path)
    assert ([str(build_record(game)) for game in there], said) == (texts, [])
    assert all(count_imported_entries(game) for game in there)
    assert [game.projection.was_left for game in there] == [game.projection.outcome is None for game in games]
