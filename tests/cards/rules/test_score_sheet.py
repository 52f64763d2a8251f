"""Tests of the score sheet: entries, counting and undo."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.cards.rules import CardGame, Rules
from pond_hw.cards.rules.card import SUITS, Category, categorise
from pond_hw.cards.rules.score_sheet import InvalidEntry, ScoreSheet, SheetPhase, pile_points, replay_entries
from tests.cards.tables import play_at_random

ROUND = ["poison 1 h", "poison 2 d", "trick 1", "trick 2", "trap", "trick 1", "trick 1", "count"]


def sheet_of(*entries, rules=None):
    return replay_entries(rules or Rules(), 0, [entry for entry in entries if entry])


def entries_of(game):
    """Return the score sheet entries for a game."""
    for played in game.finished_rounds:
        suits = played.deal.poison_suits
        yield from (f"poison {side + 1} {SUITS[suits[side]]}" for side in (0, 1))
        for trick in played.tricks:
            yield from ["trap"] * bool(trick.trap)
            yield f"trick {trick.winner + 1}"
        for seat in range(game.rules.seats):
            kinds = [categorise(card, suits[seat], played.group_of(seat)) for card in played.pile_of(seat)]
            yield from (f"add {kind.value}" for kind in kinds)
            yield "next"


@pytest.mark.parametrize("seats", [2, 4])
def test_sheet_agrees_with_rules_in_whole_games(seats):
    for seed in range(5):
        game = play_at_random(CardGame(Rules(seats)), Random(seed))
        sheet = replay_entries(Rules(seats), 0, list(entries_of(game)))
        assert sheet.phase is SheetPhase.OVER
        assert sheet.totals == game.totals
        assert sheet.winner == game.winner
        assert [each.scores for each in sheet.rounds] == [each.scores for each in game.finished_rounds]
        assert [each.dealer for each in sheet.rounds] == [each.dealer for each in game.finished_rounds]


def test_trick_updates_cards_left_and_leader():
    sheet = sheet_of(*ROUND[:2])
    assert (sheet.phase, sheet.leader, sheet.cards_left) == (SheetPhase.TRICKS, 0, 15)
    sheet = sheet.after("trick 2")
    assert (sheet.leader, sheet.cards_left) == (1, 13)
    sheet = sheet.after("trap").after("trick 1")
    assert (sheet.leader, sheet.cards_left, sheet.has_trap) == (0, 10, False)
    assert not sheet.after("trap").after("trap").has_trap


def test_counting_begins_when_too_few_cards_are_left():
    sheet = sheet_of(*ROUND[:2], *["trap", "trick 1"] * 4)
    assert (sheet.cards_left, sheet.phase) == (3, SheetPhase.COUNT)
    assert sheet.possible_cards == (24,)


def test_wrong_card_total_is_reported_at_last_pile():
    sheet = sheet_of(*ROUND)
    assert sheet.possible_cards == (24, 26, 28)
    for _ in range(20):
        sheet = sheet.after("add number")
    assert sheet.count_warning is None  # the missing cards may be in the other pile
    sheet = sheet.after("next").after("add ace")
    assert sheet.count_warning.id == "cards.sheet.wrong_count"
    for _ in range(3):
        sheet = sheet.after("add profit")
    assert sheet.count_warning is None


def test_pile_points_follow_the_rules():
    assert pile_points((1, 2, 3, 4, 5)) == -25 + 30 + 30 + 20 + 5


@pytest.mark.parametrize(
    "entry",
    ["", "poison", "poison 3 h", "poison 1 s", "trick 1", "trap", "next", "add profit", "count", "x", "poison 1 h x"],
)
def test_impossible_entries_are_refused(entry):
    with pytest.raises(InvalidEntry):
        ScoreSheet().after(entry)


@pytest.mark.parametrize("entry", ["trick 3", "trick 0", "poison 1 h", "add profit"])
def test_impossible_entries_during_tricks_are_refused(entry):
    with pytest.raises(InvalidEntry):
        sheet_of(*ROUND[:2]).after(entry)


@pytest.mark.parametrize("before", [0, 2, 3, len(ROUND)])
def test_points_entry_ends_the_round(before):
    sheet = sheet_of(*ROUND[:before], "points 35 -20")
    assert sheet.totals == (35, -20)
    assert (sheet.phase, sheet.dealer, sheet.rounds[0].piles) == (SheetPhase.POISON, 1, ())


@pytest.mark.parametrize("entry", ["points", "points 1", "points 1 2 3", "points 1 x", "points 1 1000", "points 1 --2"])
def test_invalid_points_are_refused(entry):
    with pytest.raises(InvalidEntry):
        ScoreSheet().after(entry)


def test_points_entry_keeps_known_game_poison():
    rules = Rules(poison="game")
    assert sheet_of("points 1 2", rules=rules).phase is SheetPhase.POISON
    assert sheet_of(*ROUND[:2], "points 1 2", rules=rules).poison == (1, 2)
    assert sheet_of(*["points 5 1"] * 4).winner == 0


def test_pile_entries_are_limited():
    sheet = sheet_of(*ROUND, *["add poison"] * 12)
    with pytest.raises(InvalidEntry) as refused:
        sheet.after("add poison")
    assert refused.value.message.id == "cards.sheet.too_many"
    full = sheet_of(*ROUND, *["add number"] * 28)
    with pytest.raises(InvalidEntry):
        full.after("add ace")
    with pytest.raises(InvalidEntry) as refused:
        sheet.after("less ace")
    assert refused.value.message.id == "cards.sheet.none_left"
    assert sheet.after("less poison").pile[0] == 11


def test_fixed_poison_is_entered_once():
    sheet = sheet_of(*ROUND, "next", "next", rules=Rules(poison="game"))
    assert (sheet.phase, sheet.poison, sheet.leader) == (SheetPhase.TRICKS, (1, 2), 1)
    assert sheet_of(*ROUND, "next", "next").phase is SheetPhase.POISON


@given(st.lists(st.sampled_from([*ROUND, "next", *(f"add {each.value}" for each in Category)]), max_size=60))
def test_replaying_fewer_entries_gives_earlier_sheet(tried):
    entries, sheets = [], [ScoreSheet()]
    for entry in tried:
        try:
            sheets.append(sheets[-1].after(entry))
        except InvalidEntry:
            continue
        entries.append(entry)
    for count in range(len(entries) + 1):
        assert replay_entries(Rules(), 0, entries[:count]) == sheets[count]
