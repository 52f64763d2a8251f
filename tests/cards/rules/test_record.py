"""Tests of card game records."""

from random import Random

import pytest

from pond_hw.cards.rules import CardGame, Rules
from pond_hw.cards.rules.card import CardNotationError, card_text, format_card, parse_card
from pond_hw.cards.rules.record import CardRecord, CardRecordError, parse_record
from pond_hw.messages.catalogue import to_english
from tests.cards.tables import begin, finish_round, play, play_at_random

SOUTH, NORTH = "As Ks 2s 3s Ah 2h 5h 8h Kc Qc 9c Jc Tc 8c 6c 5c", "Qs Js 4s 5s Ad 2d 5d 8d Kd Qd 9d Jd Td 3c 4c 7c"


def record(text="", names=("Ada", "")):
    return CardRecord(play(begin(SOUTH, NORTH), text), names)


def test_record_lists_all_actions():
    lines = str(record("2h 5d 8c 3c - As 4s 5c 4c Ah Ad 3s 5s")).splitlines()
    assert lines[:3] == ['[CardGame "two"]', '[Seat1 "Ada"]', '[Result "* 0 0"]']
    assert lines[4] == "picks 7h / 7d"
    assert lines[-3:] == ["aside 2h 5d", "1. 8c 3c - As 4s", "2. 5c 4c Ah Ad 3s 5s"]


def test_tie_and_unfinished_trick_are_recorded():
    assert str(record("8h 5d 8c 3c - 2h 2d")).splitlines()[-1] == "1. 8c 3c - 2h 2d"
    assert str(record("8h 5d 8c 3c - 2h 2d >2")).splitlines()[-1] == "1. 8c 3c - 2h 2d >2"


def test_record_contains_result():
    game = play_at_random(CardGame(Rules(4), 1), Random(2))
    text = str(CardRecord(game, ("",) * 4))
    assert f'[Result "side {game.winner + 1} {game.totals[0]} {game.totals[1]}"]' in text
    assert '[Dealer "2"]' in text
    assert parse_record(text).game == game


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('[CardGame "two"]', "", "no_card_game"),
        ('[CardGame "two"]', '[CardGame "six"]', "no_card_game"),
        ('[CardGame "two"]', '[CardGame "two"]\n[CardGame "two"]', "wrong_tag"),
        ('[CardGame "two"]', '[CardGame "two"]\n[Dealer "9"]', "wrong_dealer"),
        ('[Seat1 "Ada"]', "[Seat1 Ada]", "wrong_tag"),
        ("aside", "beside", "wrong_line"),
        ("picks 7h", "picks 8h", "wrong"),
        ("8c 3c", "8c Ax", "wrong"),
        ("8c 3c", "8c 8c", "wrong"),
    ],
)
def test_illegal_records_are_refused(old, new, message):
    text = str(record("2h 5d 8c 3c - As 4s"))
    with pytest.raises(CardRecordError) as refused:
        parse_record(text.replace(old, new))
    assert refused.value.message.id == f"cards.record.{message}"
    assert to_english(refused.value.message)


def test_card_after_end_of_round_is_refused():
    text = str(CardRecord(finish_round(begin(SOUTH, NORTH)), ("", "")))
    with pytest.raises(CardRecordError) as refused:
        parse_record(f"{text.rstrip()} As")
    assert refused.value.message.id == "cards.record.too_much"


def test_record_with_unknown_rule_is_refused():
    with pytest.raises(CardRecordError) as refused:
        parse_record('[CardGame "two"]\n[Rules "colour=blue"]')
    assert refused.value.message.id == "cards.no_option"


def test_too_long_record_is_refused():
    with pytest.raises(CardRecordError) as refused:
        parse_record("x" * 300_000)
    assert refused.value.message.id == "cards.record.too_long"


@pytest.mark.parametrize("text", ["", "A", "Ax", "1s", "11h", "♠A", "AS ", "asd"])
def test_invalid_card_is_refused(text):
    with pytest.raises(CardNotationError):
        parse_card(text)


def test_formatted_card_parses_to_the_same_card():
    assert all(parse_card(format_card(card)) == card for card in range(52))
    assert parse_card("10D") == parse_card("td") == parse_card("Td")
    assert [card_text(parse_card(text)) for text in ("Td", "As")] == ["10♦", "A♠"]
