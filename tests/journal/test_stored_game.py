"""Entries of a game and their replay."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pond_hw.journal.stored_game import (
    GameProjection,
    ImpossibleEntry,
    JournalEntry,
    StoredGame,
    format_events,
    list_entries,
    replay_entries,
)
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, STANDARD, VARIANTS, Action, Position, legal_actions
from pond_hw.session import (
    ActionValue,
    AgreeDraw,
    AskHint,
    ChangeSetting,
    GameLeft,
    GameStarted,
    HintFound,
    NewGame,
    RedoTurns,
    ResignGame,
    Session,
    SetUpGame,
    TakeAction,
    UndoTurns,
)
from pond_hw.session.game.settings import HINT_LIMIT
from pond_hw.session.game.start_positions import find_start, list_fair_starts
from tests.conftest import IN_CI
from tests.journal.projections import project_session
from tests.messages.says import text

HAND_MADE = Position.from_notation(".t../..F./e..T/T... d 6 6 4 5")


def format_entries(session):
    return [str(entry) for entry in format_events(session.game_events)]


def play_actions(session, *actions):
    for action in actions:
        session = session.after(TakeAction(Action.from_notation(action), 0.0))
    return session


def test_each_event_is_one_entry():
    start = Session.start_game(STANDARD)
    two = play_actions(start, "@b2", "@b3")
    assert format_entries(start) == []
    assert format_entries(play_actions(start, "@b2")) == ["act @b2"]
    assert format_entries(two) == ["act @b3"]
    back = two.after(UndoTurns(1.0))
    assert format_entries(back) == ["back 1"]
    assert format_entries(back.after(RedoTurns(2.0))) == ["again 1"]
    assert format_entries(play_actions(back, "@b3")) == ["again 1"]  # no other turn can be redone
    assert format_entries(play_actions(back, "@d4")) == ["act @d4"]
    given_up = two.after(ResignGame(1.0))
    assert format_entries(given_up) == ["end dark resignation"]
    assert format_entries(given_up.after(UndoTurns(2.0))) == ["go_on"]
    assert format_entries(two.after(AgreeDraw(1.0))) == ["end - agreement"]


def test_limited_hint_is_recorded_as_an_entry():
    session = (
        play_actions(Session.start_game(STANDARD), "@b2")
        .after(ChangeSetting(HINT_LIMIT, DARK, 2, 1.0))
        .after(AskHint(1.0))
    )
    assert format_entries(session) == []
    action = Action.from_notation("@b3")
    session = session.after(HintFound(action, ActionValue(0.0), 2.0))
    assert format_entries(session) == ["hint dark"]
    entries = list_entries(session.turns, (), None, session.hints_given)
    projection, count, fault = replay_entries(GameProjection(STANDARD), entries)
    assert (projection.hints_given, count, fault) == ((0, 1), 2, None)
    there = GameProjection(STANDARD, session.turns).after_entry(entries[0])
    assert there.hinted_position == session.position
    with pytest.raises(ImpossibleEntry):
        there.after_entry(JournalEntry("hint", "nobody"))


@pytest.mark.parametrize("other", [NewGame(STANDARD, 1.0), NewGame(VARIANTS["mini"], 1.0), SetUpGame(HAND_MADE, 1.0)])
def test_new_game_is_not_an_entry(other):
    session = play_actions(Session.start_game(STANDARD), "@b2")
    later = session.after(other)
    assert format_entries(later) == []
    assert later.game_events == (GameLeft(), GameStarted(later.variant, later.custom_start))


def test_repeated_new_game_is_not_an_event():
    fresh = Session.start_game(STANDARD)
    assert fresh.after(NewGame(STANDARD, 1.0)).game_events == ()
    mini = VARIANTS["mini"]
    assert fresh.after(NewGame(mini, 1.0)).game_events == (GameStarted(mini),)


def test_next_step_clears_the_game_events():
    session = play_actions(Session.start_game(STANDARD), "@b2")
    refused = play_actions(session, "@b2")
    assert (format_entries(session), format_entries(refused)) == (["act @b2"], [])
    assert refused.turns == session.turns


@st.composite
def _moves(draw):
    return draw(st.lists(st.tuples(st.sampled_from(["act"] * 6 + ["undo", "undo", "redo", "end"]), st.integers(0, 40))))


@pytest.mark.slow
@settings(max_examples=200 if IN_CI else 40, deadline=None)
@given(_moves(), st.booleans())
def test_replayed_entries_equal_the_session(moves, by_hand):
    session = Session.start_game(STANDARD)
    if by_hand:
        session = session.after(SetUpGame(HAND_MADE, 0.0))
    projection = project_session(session)
    for what, number in moves:
        legal = legal_actions(session.position)
        event = {
            "act": TakeAction(legal[number % len(legal)] if legal else Action.from_notation("@a1"), 0.0),
            "undo": UndoTurns(0.0, 1 + number % 3),
            "redo": RedoTurns(0.0, 1 + number % 3),
            "end": AgreeDraw(0.0) if number % 2 else ResignGame(0.0),
        }[what]
        session = session.after(event)
        if any(isinstance(each, GameStarted) for each in session.game_events):
            projection = project_session(session)  # undoing everything counts as a new game
            continue
        entries = format_events(session.game_events)
        projection, _, fault = replay_entries(projection, entries)
        assert fault is None
        assert projection == project_session(session)


def entry_message(kind, entry, **arguments):
    return Message(f"entry.{kind}", entry=entry, **arguments)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("act @b2", entry_message("illegal", "act @b2", reason=Message("illegal.not_empty", cell="b2"))),
        ("act z9", entry_message("illegal", "act z9", reason=Message("action.wrong_notation", text="z9"))),
        ("back 2", entry_message("wrong_count", "back 2", count=1)),
        ("back 0", entry_message("wrong_count", "back 0", count=1)),
        ("back -1", entry_message("wrong_count", "back -1", count=1)),
        ("again 1", entry_message("wrong_count", "again 1", count=0)),
        ("end light", entry_message("wrong_end", "end light")),
        ("end - resignation", entry_message("wrong_end", "end - resignation")),
        ("go_on", entry_message("not_ended", "go_on")),
        ("dance", entry_message("unknown", "dance")),
    ],
)
def test_impossible_entry_ends_the_replay(entry, why):
    first = JournalEntry("act", "@b2")
    projection, good, fault = replay_entries(
        GameProjection(STANDARD), [first, JournalEntry(*entry.split(" ", 1)), first]
    )
    assert (good, [str(turn.action) for turn in projection.turns]) == (1, ["@b2"])
    assert fault == why
    assert text(fault)
    with pytest.raises(ImpossibleEntry) as refused:
        projection.after_entry(JournalEntry(*entry.split(" ", 1)))
    assert refused.value.message == why


@pytest.mark.parametrize(
    ("entry", "kind"), [("act @b3", "game_over"), ("end - agreement", "game_over"), ("back 1", "ended")]
)
def test_entries_after_the_end_are_impossible(entry, kind):
    entries = [JournalEntry("act", "@b2"), JournalEntry("end", "dark resignation"), JournalEntry(*entry.split(" ", 1))]
    _, good, fault = replay_entries(GameProjection(STANDARD), entries)
    assert (good, fault) == (2, entry_message(kind, entry))
    assert text(fault)


def test_only_unfinished_games_can_continue():
    played = replay_entries(GameProjection(STANDARD), [JournalEntry("act", "@b2")])[0]
    assert not GameProjection(STANDARD).can_continue
    assert played.can_continue
    assert GameProjection(STANDARD, custom_start=HAND_MADE).can_continue
    assert played.after_entry(JournalEntry("back", "1")).can_continue
    assert not played.after_entry(JournalEntry("leave")).can_continue
    assert played.after_entry(JournalEntry("leave")).after_entry(JournalEntry("resume")).can_continue
    assert not played.after_entry(JournalEntry("end", "light resignation")).can_continue


def test_head_start_or_fair_start_alone_is_an_empty_game():
    starts = [find_start(STANDARD, (0, 3)), find_start(STANDARD, (5, 5)), *list_fair_starts(STANDARD)]
    for start in starts:
        begun = GameProjection(STANDARD, custom_start=start)
        assert not begun.can_continue
        assert StoredGame("a", {"variant": "standard"}, (), begun).is_empty
        assert begun.after_entry(JournalEntry("act", str(legal_actions(start)[0]))).can_continue
