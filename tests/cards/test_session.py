"""Tests of card game sessions: seeds, undo, hints and saving."""

import pytest

from pond_hw.cards.rules import Phase, Rules
from pond_hw.cards.rules.deal import Deal
from pond_hw.cards.rules.round import IllegalCard
from pond_hw.cards.rules.score_sheet import replay_entries
from pond_hw.cards.saved_games import PLAY, SCORE, SavedCardGame, cards_folder, format_event, make_facts
from pond_hw.cards.session import CardSession
from pond_hw.cards.sheet_text import describe_result, format_sheet, name_side, sheet_to_json
from pond_hw.journal.other_games import OtherGame
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message, PondError


def play_first_legal(played):
    """Play the first legal card for each person until the game is over."""
    played.run_programs()
    while not played.game.is_over:
        played.act(played.view_for(played.to_move).legal_actions[0])
        played.run_programs()
    return played


@pytest.mark.parametrize("rules", [Rules(), Rules(poison="game")], ids=["poison=round", "poison=game"])
def test_same_seed_gives_same_game(rules):
    games = [play_first_legal(CardSession(rules, ["human", "random"], 5)).game for _ in range(2)]
    assert games[0] == games[1]
    assert play_first_legal(CardSession(rules, ["human", "random"], 6)).game != games[0]


def test_undo_goes_back_to_last_human_action():
    played = CardSession(Rules(), ["human", "sensible"], 5)
    played.run_programs()
    before = played.game
    played.act(played.view_for(0).legal_actions[0])
    played.run_programs()
    after = played.game
    count = played.undo()
    assert played.game == before
    assert count == len(after.events) - len(before.events)
    played.act(played.view_for(0).legal_actions[0])
    played.run_programs()
    assert played.game == after  # bots repeat their choices
    played.undo()
    with pytest.raises(IllegalCard):
        played.undo()


def test_undo_crosses_a_deal():
    played = CardSession(Rules(), ["human", "random"], 5)
    played.run_programs()
    while len(played.game.finished_rounds) < 1:
        played.act(played.view_for(0).legal_actions[0])
        played.run_programs()
    deals = [event for event in played.game.events if isinstance(event, Deal)]
    played.undo()
    assert len(played.game.finished_rounds) == 0
    played.act(played.view_for(0).legal_actions[0])
    played.run_programs()
    assert [event for event in played.game.events if isinstance(event, Deal)] == deals


def test_hint_is_legal_and_changes_nothing():
    played = CardSession(Rules(), ["human", "random"], 5)
    with pytest.raises(IllegalCard) as refused:
        played.hint()
    assert refused.value.message.id == "cards.no_hint"
    played.run_programs()
    before = played.game
    assert played.hint() in played.view_for(0).legal_actions
    assert played.game == before


def test_game_between_bots_finishes():
    played = CardSession(Rules(4), ["sensible", "random"] * 2, 1)
    played.run_programs()
    assert played.game.is_over
    assert played.game.winner == 0
    assert (played.to_move, played.is_round_over, played.is_persons_turn) == (None, True, False)
    assert played.record.names == ("sensible", "random", "sensible", "random")


def saved_game(kind, facts, entries, number=1):
    return SavedCardGame(number, OtherGame("uid", facts, tuple(entries), "2026-01-01T10:00:00+00:00"))


def test_saved_game_is_restored_unchanged():
    played = CardSession(Rules(poison="game"), ["human", "random"], 7, 1, ("Ada", ""))
    play_first_legal(played)
    facts = make_facts(PLAY, played.rules, 1, played.names, played.seats, played.seed)
    again = saved_game(PLAY, facts, map(format_event, played.game.events))
    assert again.session.game == played.game
    assert again.session.seats == played.seats
    assert again.session.names == ("Ada", "")
    assert str(again.record) == str(played.record)
    assert (again.is_score, again.is_over, again.rounds, again.totals) == (False, True, 4, played.game.totals)


def test_saved_sheet_is_restored_unchanged():
    entries = ["poison 1 h", "poison 2 d", "count", "add ace", "next", "next"]
    again = saved_game(SCORE, make_facts(SCORE, Rules(), 1, ("Ada", "Ben")), entries)
    assert again.sheet == replay_entries(Rules(), 1, entries)
    assert (again.is_score, again.is_over, again.rounds, again.totals) == (True, False, 1, (1, 0))


@pytest.mark.parametrize(
    ("facts", "entries"),
    [
        ({}, []),
        ({"kind": "score", "players": "x", "dealer": 0, "options": []}, []),
        (make_facts(SCORE, Rules(), 0, ("", "")), ["nonsense"]),
        (make_facts(PLAY, Rules(), 0, ("", ""), ("human", "random")), ["As"]),
        (make_facts(PLAY, Rules(), 0, ("", ""), ("human", "random")), ["deal 2h / 3h | As"]),
    ],
)
def test_invalid_saved_game_is_refused(facts, entries):
    with pytest.raises(PondError) as refused:
        saved_game(PLAY, facts, entries)
    assert refused.value.message.id == "cards.kept.unreadable"


def test_card_games_have_their_own_folder(tmp_path):
    assert cards_folder(tmp_path) == tmp_path / "cards"
    assert cards_folder(None) is None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seats", [2, 4])
def test_sheet_is_printed_as_tables(seats, language):
    entries = ["poison 1 h", "poison 2 d", "trick 1", "count", "add ace", *["next"] * seats] * 4
    sheet = replay_entries(Rules(seats), 0, entries)
    names = ("Ada", "Ben", "", "")[:seats]
    text = "\n".join(format_sheet(sheet, names, language))
    assert text.count("Ada") >= 5
    assert "♥" in text
    assert get_catalogue(language).text(name_side(0, names)) in text
    assert sheet_to_json(sheet)["rounds"][3]["scores"] == [1, *[0] * (seats - 1)]
    assert max(map(len, text.splitlines())) <= 80


def test_sheet_with_typed_points_is_printed():
    sheet = replay_entries(Rules(), 0, ["points 35 -20"])
    lines = format_sheet(sheet, ("Ada", "Ben"))
    assert [line.split() for line in lines[3:5]] == [["Ada", "Ben"], ["points", "35", "-20"]]
    round_json = sheet_to_json(sheet)["rounds"][0]
    assert (round_json["scores"], round_json["poison"], round_json["piles"]) == ([35, -20], [None, None], [])


@pytest.mark.parametrize(
    ("points", "result"),
    [
        ("5 5", Message("cards.won.nobody")),
        ("5 6", Message("cards.won.side", side=name_side(1, ("Ada", "Ben")))),
    ],
    ids=["draw", "one side"],
)
def test_sheet_names_the_winner(points, result):
    sheet = replay_entries(Rules(), 0, [f"points {points}"] * 4)
    assert describe_result(sheet, ("Ada", "Ben")) == result


def test_finished_round_is_scored():
    played = CardSession(Rules(), ["random", "random"], 2)
    played.run_programs()
    assert played.game.current_round.phase is Phase.OVER
