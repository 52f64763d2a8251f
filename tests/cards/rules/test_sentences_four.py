"""Tests of the card game's rules for four players, sentence by sentence."""

from collections import Counter
from random import Random

from pond_hw.cards.rules import CardGame, Phase, Rules, deal_cards, view_for
from pond_hw.cards.rules.card import DECK, suit_of
from tests.cards.rules import test_sentences
from tests.cards.rules.sentence_table import TABLE, covers
from tests.cards.tables import count_points, finish_round, play_at_random


def four(seed=1, **rules):
    rng = Random(seed)
    game = CardGame(Rules(4, **rules))
    return game.after(game.make_deal(rng)), rng


@covers("Two standard 52-card decks", "The deck is re-shuffled slightly")
def test_four_players_use_two_decks():
    game, _ = four()
    deal = game.current_round.deal
    assert Counter([*deal.stock, *(card for pile in deal.picks for card in pile)]) == Counter(DECK * 2)
    assert [len(hand) for hand in game.current_round.hands] == [11] * 4
    assert [len(hand) for hand in game.current_round.hidden] == [5] * 4


@covers("The players play the game as two partnerships", "Partners sit opposite")
def test_partners_sit_opposite_each_other():
    rules = Rules(4)
    assert [rules.partner_of(seat) for seat in range(4)] == [2, 3, 0, 1]


@covers(
    "After the dealer establishes his poison suit in the normal",
    "The remaining two players take on",
    "The next two cards from the deck",
)
def test_partners_share_a_poison_suit():
    for seed in range(50):
        for dealer in range(4):
            picks = deal_cards(Rules(4), dealer, Random(seed)).picks
            for seat in range(4):
                assert suit_of(picks[seat][-1]) == suit_of(picks[(seat + 2) % 4][-1])
            assert len(picks[(dealer + 2) % 4]) == len(picks[(dealer + 3) % 4]) == 1


@covers(
    "Each player chooses a secret set of profit ranks",
    "Following the establishment of profit ranks, partners",
    "The face-down cards are then passed back",
)
def test_partners_see_profit_ranks_after_choosing():
    game, rng = four()
    choosing = play_at_random(game, rng, lambda game: game.current_round.to_move == 3)
    assert [choosing.current_round.group_of(seat) is not None for seat in range(4)] == [True, True, True, False]
    assert view_for(choosing, 0).markers[2] is None
    chosen = play_at_random(choosing, rng, lambda game: game.current_round.phase is Phase.BAIT)
    for seat in range(4):
        known = [marker is not None for marker in view_for(chosen, seat).markers]
        assert known == [each % 2 == seat % 2 for each in range(4)]
    assert (
        chosen.current_round.markers[0] not in chosen.current_round.hands[0]
        or Counter([*chosen.current_round.deal.stock])[chosen.current_round.markers[0]] == 2
    )


@covers("Order of play is clockwise", "The deal rotates one player clockwise")
def test_play_and_deal_are_clockwise():
    game = play_at_random(CardGame(Rules(4), 2), Random(5))
    assert [each.dealer for each in game.finished_rounds] == [2, 3, 0, 1]
    game, movers = CardGame(Rules(4), 1), []
    game = game.after(game.make_deal(Random(5)))
    while game.current_round.phase in (Phase.PROFIT, Phase.BAIT):
        movers.append(game.current_round.to_move)
        game = game.after(game.current_round.legal_actions[0])
    assert movers == [1, 2, 3, 0, 1, 2, 3, 0]


@covers("Ponds now consist of either four cards", "Tricks consist of one card from each player")
def test_all_four_players_add_to_pond_and_trick():
    game = finish_round(four(2)[0])
    sizes = {len(trick.bait + trick.trap) for trick in game.current_round.tricks}
    assert sizes <= {4, 8}
    assert all(len(trick.cards) == 4 for trick in game.current_round.tricks)


@covers("During scoring, each player adds up his own score", "One partnership is then scored against")
def test_partners_add_their_scores():
    for seed in range(10):
        game, rng = four(seed)
        over = play_at_random(game, rng)
        for each in over.finished_rounds:
            own = [
                count_points(each.pile_of(seat), each.deal.poison_suits[seat], each.group_of(seat)) for seat in range(4)
            ]
            assert list(each.scores) == own
            assert each.team_scores == (own[0] + own[2], own[1] + own[3])
        assert over.totals == tuple(sum(each.team_scores[side] for each in over.finished_rounds) for side in (0, 1))


@covers("The same rules apply as for two players")
def test_four_player_rounds_follow_the_same_rules():
    for seed in range(5):
        over = play_at_random(*four(seed))
        assert len(over.finished_rounds) == 4
        for each in over.finished_rounds:
            assert {len(hand) for hand in each.hands} <= {1, 2, 3}


def test_every_rule_sentence_has_a_test():
    assert len({sentence for sentence, _ in TABLE}) == len(TABLE) >= 75
    assert all(name in {**globals(), **vars(test_sentences)} for _, name in TABLE)
