"""A game told in entries, and made a game of again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pond_hw.journal import Entry, Story, StoryFault, entries, retold
from pond_hw.rules import STANDARD, VARIANTS, Action, Position, legal_actions
from pond_hw.session import Act, AgreeDraw, NewGame, Redo, Resign, Session, SetUp, Undo
from tests.conftest import IN_CI

HAND_MADE = Position.read(".t../..F./e..T/T... d 6 6 4 5")


def told(before, after):
    return [str(entry) for entry in entries(Story.of(before), Story.of(after))]


def acted(session, *actions):
    for action in actions:
        session = session.after(Act(Action.read(action), 0.0))
    return session


def test_each_thing_that_happens_is_one_entry():
    start = Session.start(STANDARD)
    two = acted(start, "@b2", "@b3")
    assert told(start, acted(start, "@b2")) == ["act @b2"]
    assert told(start, two) == ["act @b2", "act @b3"]
    back = two.after(Undo(1.0))
    assert told(two, back) == ["back 1"]
    assert told(back, back.after(Redo(2.0))) == ["again 1"]
    assert told(back, acted(back, "@b3")) == ["again 1"]  # nothing else is left to be played again
    assert told(back, acted(back, "@d4")) == ["act @d4"]
    given_up = two.after(Resign(1.0))
    assert told(two, given_up) == ["end dark resignation"]
    assert told(given_up, given_up.after(Undo(2.0))) == ["go_on"]
    assert told(two, two.after(AgreeDraw(1.0))) == ["end - agreement"]


@pytest.mark.parametrize("other", [NewGame(STANDARD, 1.0), NewGame(VARIANTS["mini"], 1.0), SetUp(HAND_MADE, 1.0)])
def test_another_game_is_no_entry_of_this_one(other):
    session = acted(Session.start(STANDARD), "@b2")
    assert entries(Story.of(session), Story.of(session.after(other))) is None


@st.composite
def _doings(draw):
    return draw(st.lists(st.tuples(st.sampled_from(["act"] * 6 + ["undo", "undo", "redo", "end"]), st.integers(0, 40))))


@settings(max_examples=200 if IN_CI else 40, deadline=None)
@given(_doings(), st.booleans())
def test_a_story_retold_is_the_game_whatever_was_taken_back(doings, by_hand):
    session = Session.start(STANDARD)
    if by_hand:
        session = session.after(SetUp(HAND_MADE, 0.0))
    story = Story.of(session)
    for what, number in doings:
        legal = legal_actions(session.position)
        event = {
            "act": Act(legal[number % len(legal)] if legal else Action.read("@a1"), 0.0),
            "undo": Undo(0.0, 1 + number % 3),
            "redo": Redo(0.0, 1 + number % 3),
            "end": AgreeDraw(0.0) if number % 2 else Resign(0.0),
        }[what]
        before, session = session, session.after(event)
        happened = entries(Story.of(before), Story.of(session))
        if happened is None:  # everything was taken back and forgotten: that is a new game too
            story = Story.of(session)
            continue
        story, _, fault = retold(story, happened)
        assert fault is None
        assert story == Story.of(session)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("act @b2", "'act @b2': b2 is not empty."),
        ("act z9", "'act z9'"),
        ("back 2", "'back 2': there are 1 such turns."),
        ("back 0", "'back 0': there are 1 such turns."),
        ("back -1", "'back -1': there are 1 such turns."),
        ("again 1", "'again 1': there are 0 such turns."),
        ("end light", "'end light' is no end of a game."),
        ("end - resignation", "'end - resignation' is no end of a game."),
        ("go_on", "'go_on': the players have not ended the game."),
        ("dance", "'dance' is nothing that this version knows."),
    ],
)
def test_what_cannot_have_happened_is_told_and_what_came_before_stands(entry, why):
    first = Entry("act", "@b2")
    story, good, fault = retold(Story(STANDARD), [first, Entry(*entry.split(" ", 1)), first])
    assert (good, [str(turn.action) for turn in story.turns]) == (1, ["@b2"])
    assert fault.startswith(why)
    with pytest.raises(StoryFault):
        story.after(Entry(*entry.split(" ", 1)))


def test_what_can_be_gone_on_with():
    played = retold(Story(STANDARD), [Entry("act", "@b2")])[0]
    assert not Story(STANDARD).open
    assert played.open
    assert Story(STANDARD, HAND_MADE).open
    assert played.after(Entry("back", "1")).open
    assert not played.after(Entry("leave")).open
    assert played.after(Entry("leave")).after(Entry("resume")).open
    assert not played.after(Entry("end", "light resignation")).open
