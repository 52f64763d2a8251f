"""Tests of the card game's house rules."""

from random import Random

import pytest

from pond_hw.cards.rules import CardGame, IllegalCard, Phase, Rules, view_for
from pond_hw.cards.rules.card import value_table
from pond_hw.cards.rules.deal import Deal, ImpossibleDeal
from pond_hw.cards.rules.options import OPTIONS, UnknownOption, parse_options
from tests.cards.rules.test_sentences import FOURS_AND_FACES, NORTH, SOUTH
from tests.cards.tables import begin, cards, finish_round, make_deal, play, play_at_random


def test_first_value_of_each_option_is_the_default():
    assert {name: getattr(Rules(), name) for name in OPTIONS} == {name: values[0] for name, values in OPTIONS.items()}
    assert Rules(4, poison="game", draw="extra").changed_options == ("poison=game", "draw=extra")
    assert parse_options(4, ["poison=game", "draw=extra"]) == Rules(4, poison="game", draw="extra")


@pytest.mark.parametrize(
    ("seats", "options", "message"),
    [
        (3, [], "cards.wrong_seats"),
        (2, ["x=y"], "cards.no_option"),
        (2, ["poison"], "cards.no_value"),
        (2, ["draw=x"], "cards.no_value"),
    ],
)
def test_unknown_options_are_refused(seats, options, message):
    with pytest.raises(UnknownOption) as refused:
        parse_options(seats, options)
    assert refused.value.message.id == message


def test_poison_is_picked_per_round_or_per_game():
    each = [play_at_random(CardGame(Rules(), 0), Random(seed)).finished_rounds for seed in range(5)]
    assert any(len({played.deal.picks for played in rounds}) > 1 for rounds in each)
    once = play_at_random(CardGame(Rules(poison="game")), Random(1)).finished_rounds
    assert len({played.deal.picks for played in once}) == 1


def test_fixed_poison_cannot_be_picked_again():
    game = finish_round(begin(SOUTH, NORTH, rules=Rules(poison="game")))
    with pytest.raises(IllegalCard) as refused:
        game.after(make_deal(SOUTH, NORTH, picks=("7d", "7h"), dealer=1))
    assert refused.value.message.id == "cards.illegal.poison_stays"


@pytest.mark.parametrize("choice", ["keep", "pick"])
def test_misdeal_keeps_or_picks_poison_as_configured(choice):
    game = begin(FOURS_AND_FACES, "As 2s 3s 5s", rules=Rules(misdeal=choice))
    again = [game.after(game.make_deal(Random(seed))).current_round.deal.picks for seed in range(5)]
    assert (set(again) == {game.current_round.deal.picks}) == (choice == "keep")


@pytest.mark.parametrize("choice", OPTIONS["aside"])
def test_card_set_aside_scores_only_if_rules_count_it(choice):
    played = finish_round(play(begin(SOUTH, NORTH, rules=Rules(aside=choice)), "2h 5d")).current_round
    piles = [
        sum(value_table(played.deal.poison_suits[seat], played.group_of(seat))[card] for card in played.pile_of(seat))
        for seat in (0, 1)
    ]
    aside = (-25, -25) if choice == "counts" else (0, 0)  # both markers are of the poison suit
    assert played.scores == (piles[0] + aside[0], piles[1] + aside[1])


@pytest.mark.parametrize("choice", OPTIONS["trap"])
def test_taken_trap_is_shown_to_winner_or_all(choice):
    game = play(begin(SOUTH, NORTH, rules=Rules(trap=choice)), "2h 5d 8c 3c Ah Ad As 4s")
    assert view_for(game, 0).tricks[0].trap == cards("Ah Ad")
    assert view_for(game, 1).tricks[0].trap == (cards("Ah Ad") if choice == "all" else (None, *cards("Ad")))


FOUR_HANDS = ("2h 9h Kc As 3d", "2d 9d Kd As 5c", "2c 9c Kh Qc 6d", "3h 9s Ks Jd 8d")


def four(aside="2h 2d 2c 3h", **rules):
    game = begin(*FOUR_HANDS, rules=Rules(4, **rules), picks=("7h", "7d"))
    return play(game, aside)


def play_pond_and_trick(game, trick):
    """Play a bait of unneeded cards and no trap, then the trick."""
    bait = []
    for hand in game.current_round.hands:
        used = set(cards(trick))
        bait.append(next(card for card in hand if card not in used))
    for card in bait:
        game = game.after(card)
    return play(game, f"- {trick}")


@pytest.mark.parametrize("choice", OPTIONS["outside"])
def test_tie_without_leader_is_decided_by_rule_option(choice):
    game = play_pond_and_trick(four(outside=choice), "9h Kd Kh Jd")
    played = game.current_round
    if choice == "first":
        assert played.tricks[0].winner == 1
    else:
        assert (played.phase, played.to_move, played.tied_seats) == (Phase.TIE, 0, (1, 2))
        with pytest.raises(IllegalCard):
            play(game, ">1")  # the leader's card does not tie
        assert play(game, ">3").current_round.tricks[0].winner == 2


@pytest.mark.parametrize("choice", OPTIONS["twins"])
def test_tie_of_twin_spades_follows_rule_option(choice):
    game = play_pond_and_trick(four(twins=choice), "As As Qc Ks")
    played = game.current_round
    if choice == "first":
        assert played.tricks[0].winner == 0
    else:
        assert (played.phase, played.tied_seats) == (Phase.TIE, (0, 1))


def test_three_equal_cards_are_one_tie():
    game = play_pond_and_trick(four(), "Kc Kd Kh Jd")
    assert game.current_round.tied_seats == (0, 1, 2)


@pytest.mark.parametrize("choice", OPTIONS["draw"])
def test_equal_totals_share_the_win_or_add_a_round(choice):
    game = play_at_random(CardGame(Rules(draw=choice)), Random(1))
    level = game._replace(totals=(50, 50))
    assert level.is_over == (choice == "shared")
    assert level.winner is None
    assert level.needs_deal == (choice == "extra")
    if choice == "extra":
        fifth = level.after(level.make_deal(Random(3)))
        assert fifth.current_round.dealer == 0


def test_incomplete_deal_is_refused():
    deal = make_deal(SOUTH, NORTH)
    spades = Deal((cards("2s"), cards("7d")), deal.stock)
    for wrong, message in (
        (Deal(deal.picks, deal.stock[1:]), "wrong_cards"),
        (Deal((deal.picks[0],), deal.stock), "wrong_seats"),
        (
            spades._replace(stock=tuple(card for card in (*deal.stock, *cards("7h")) if card != cards("2s")[0])),
            "wrong_poison",
        ),
    ):
        with pytest.raises(ImpossibleDeal) as refused:
            CardGame().after(wrong)
        assert refused.value.message.id == f"cards.deal.{message}"


def test_events_out_of_order_are_refused():
    game = begin(SOUTH, NORTH)
    with pytest.raises(IllegalCard) as refused:
        game.after(make_deal(SOUTH, NORTH))
    assert refused.value.message.id == "cards.illegal.no_deal"
    with pytest.raises(IllegalCard) as refused:
        CardGame().after(3)
    assert refused.value.message.id == "cards.illegal.deal_first"
    with pytest.raises(IllegalCard) as refused:
        CardGame().undo()
    assert refused.value.message.id == "cards.illegal.nothing_to_undo"
    with pytest.raises(ValueError, match="dealt"):
        view_for(CardGame(), 0)
    over = play_at_random(CardGame(), Random(1))
    with pytest.raises(IllegalCard) as refused:
        over.after(3)
    assert refused.value.message.id == "cards.illegal.game_over"


@pytest.mark.parametrize(
    ("text", "message"),
    [("9d", "not_in_hand"), (">1", "no_tie"), ("-", "no_trap_now"), ("Ks", "no_marker")],
)
def test_illegal_action_has_a_specific_message(text, message):
    with pytest.raises(IllegalCard) as refused:
        play(begin(SOUTH, NORTH), text)
    assert refused.value.message.id == f"cards.illegal.{message}"
