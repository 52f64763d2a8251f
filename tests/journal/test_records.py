"""A game that was kept as a record, and a record as a game: nothing of either is lost on the way."""

import random

import pytest

from pond_hw.journal import Entry, Kept, Label, Noted
from pond_hw.journal.editing import bring_in
from pond_hw.journal.folder import all_kept
from pond_hw.journal.game_records import (
    as_kept,
    brought_in,
    date_of,
    dropped,
    identity,
    read_date,
    record_of,
    taken_back,
)
from pond_hw.journal.store import retell
from pond_hw.rules import RecordError, legal_actions, outcome, play, read_record, variant
from pond_hw.rules.position import Position
from tests.journal.shelf import Shelf

SET_UP = '[Variant "standard"]\n[Position ".t../..F./e..T/T... d 6 6 4 5"]\n'


def noted(*told):
    return [Noted(Entry(*each.split(" ", 1)), Label("", 0.0, "2026-05-04T19:00:30+00:00")) for each in told]


def kept(*told, **facts):
    return retell("one", {"variant": "standard", **facts}, noted(*told))


def as_if_imported(text, *told):
    facts, entries = as_kept(read_record(text))
    first = [Noted(entry, Label("", 0.0, "2026-05-04T19:00:30+00:00")) for entry in entries]
    return retell("one", facts, [*first, *noted(*told)])


class TestWhatWasTakenBack:
    def test_is_told_where_it_was(self):
        game = kept("act @b2", "act @b3", "act @c3", "back 2", "act @d4", "back 1")
        assert [(each.after, str(each)) for each in dropped(game)] == [
            (1, "taken back: @b3 @c3"),
            (1, "taken back: @d4"),
        ]
        assert record_of(game).comments == {1: "taken back: @b3 @c3; taken back: @d4"}
        assert taken_back(game) == 3

    def test_is_nothing_if_it_was_played_again(self):
        game = kept("act @b2", "act @b3", "back 2", "again 2", "act @d4")
        assert (dropped(game), record_of(game).comments, taken_back(game)) == ([], {}, 2)

    def test_is_what_is_left_of_it_if_some_was_played_again(self):
        game = kept("act @b2", "act @b3", "back 2", "again 1", "act @d4")
        assert [(each.after, str(each)) for each in dropped(game)] == [(1, "taken back: @b3")]


class TestTags:
    def test_say_who_when_and_where(self):
        game = kept("act @b2", light="Ada", dark=None, board="hall-4x4")
        assert dict(record_of(game).tags) == {"Light": "Ada", "Date": "2026-05-04 19:00 UTC", "Board": "hall-4x4"}

    def test_a_clock_that_says_nothing_gives_no_date(self):
        game = retell("one", {"variant": "mini"}, [Noted(Entry("act", "@b2"), Label("", 0.0, "noon"))])
        assert (date_of(game), dict(record_of(game).tags)) == (None, {})

    def test_of_a_record_stay_in_their_order(self):
        text = '[Variant "mini"]\n[Zeal "great"]\n[Dark "Ben \\"B\\" \\\\"]\n[Result "*"]\n\n1. @b2 {an egg}\n'
        assert str(record_of(as_if_imported(text))) == text

    @pytest.mark.parametrize("text", ["2026-05-04 19:00 UTC", "2024-02-29 23:59 UTC"])
    def test_a_date_of_ours_is_read_again(self, text):
        assert read_date(text).strftime("%Y-%m-%d %H:%M UTC") == text

    @pytest.mark.parametrize("text", ["2026-05-04", "2026-02-30 19:00 UTC", "yesterday", "2026-05-04 19:00", ""])
    def test_others_are_not_guessed(self, text):
        assert read_date(text) is None


class TestARecordThatWentOn:
    TEXT = '[Variant "standard"]\n[Result "*"]\n\n1. @b2 {one} @b3 {two} 2. @d4 {three}\n'

    def test_keeps_its_remarks(self):
        game = as_if_imported(self.TEXT, "resume", "act @a1")
        assert record_of(game).comments == {1: "one", 2: "two", 3: "three"}

    def test_loses_those_on_turns_that_were_taken_back(self):
        game = as_if_imported(self.TEXT, "resume", "back 2", "act @a1", "act @a4")
        assert record_of(game).comments == {1: "one; taken back: @b3 @d4"}

    def test_is_another_game_than_it_was(self):
        game = as_if_imported(self.TEXT, "resume", "act @a1")
        assert identity(record_of(game)) != identity(read_record(self.TEXT))


class TestOneGame:
    TEXT = '[Light "Ada"]\n[Dark "Ben"]\n\n1. @b2 @b3\n'

    def test_is_the_same_whatever_is_remarked(self):
        other = '[Dark "Ben"]\n[Light "Ada"]\n\n1. @b2 {hm} @b3\n'
        assert identity(read_record(self.TEXT)) == identity(read_record(other))

    @pytest.mark.parametrize(
        ("was", "now"),
        [("@b3", "@b4"), ("Ada", "Eve"), ("\n\n1.", '\n[Result "dark 0-0 resignation"]\n\n1.'), (" @b3", "")],
    )
    def test_is_another_if_anything_else_differs(self, was, now):
        assert identity(read_record(self.TEXT)) != identity(read_record(self.TEXT.replace(was, now)))

    def test_a_position_that_was_set_up_counts(self):
        one = read_record(SET_UP)
        other = read_record(SET_UP.replace("6 6 4 5", "5 6 5 5"))
        assert identity(one) != identity(other)


def test_what_is_not_finished_is_left():
    assert as_if_imported("1. @b2 @b3").story.left
    assert not as_if_imported('[Result "dark 0-0 resignation"]\n\n1. @b2 @b3').story.left
    assert as_if_imported(SET_UP).story.left


def test_a_record_without_a_game_is_refused():
    with pytest.raises(RecordError, match="nobody has taken a turn"):
        as_kept(read_record('[Light "Ada"]\n'))


def test_a_game_of_which_nothing_is_known_has_no_record():
    with pytest.raises(RecordError):
        record_of(Kept("one", {}, (), as_if_imported("1. @b2").story, "its seal is broken"))


def whole_game(chance, pond):
    """Somebody plays, and changes their mind now and then."""
    position, turns, undone, told = Position.start(pond), [], [], []
    while outcome(position) is None and len(told) < 60:
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


def test_a_record_of_a_game_brought_in_is_the_same_text_again(tmp_path):
    chance = random.Random(7)
    games = []
    for number in range(20):
        pond = variant(chance.choice(["standard", "mini", "big", "3x3/9/5"]))
        told = whole_game(chance, pond)
        position = retell("", {"variant": pond.name}, noted(*told)).story.position
        if outcome(position) is None and number % 2:
            told.append(f"end {chance.choice(['light resignation', 'dark resignation', '- agreement'])}")
        names = {"light": chance.choice([None, "Ada", 'Ömer "Ö" \\']), "dark": "Ben", "board": "matrix-5x5"}
        games.append(retell("", {"variant": pond.name, **names}, noted(*told)))
    texts = [str(record_of(game)) for game in games]
    assert any("taken back" in text for text in texts)
    bring_in(tmp_path, [read_record(text) for text in texts], Shelf(tmp_path).clock)
    there, said = all_kept(tmp_path)
    assert ([str(record_of(game)) for game in there], said) == (texts, [])
    assert all(brought_in(game) for game in there)
    assert [game.story.left for game in there] == [game.story.outcome is None for game in games]
