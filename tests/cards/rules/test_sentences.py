"""Tests of the card game's rules, sentence by sentence.

Each sentence is identified by its first words. Sentences about four players are covered in `test_sentences_four`.
"""

from collections import Counter
from random import Random

import pytest

from pond_hw.cards.rules import NO_TRAP, CardGame, IllegalCard, Phase, Rules, deal_cards, view_for
from pond_hw.cards.rules.card import (
    DECK,
    SPADES,
    STRENGTH,
    Category,
    ProfitGroup,
    categorise,
    marker_group,
    suit_of,
    value_table,
)
from tests.cards.rules.sentence_table import covers
from tests.cards.tables import begin, cards, count_points, finish_round, make_deal, play, play_at_random

SOUTH = "As Ks 2s 3s Ah 2h 5h 8h Kc Qc 9c Jc Tc 8c 6c 5c"
NORTH = "Qs Js 4s 5s Ad 2d 5d 8d Kd Qd 9d Jd Td 3c 4c 7c"
"""Two hands with their eleven visible cards first. The poison suits are hearts and diamonds."""


@pytest.fixture
def game():
    """Return a game in which South chose A 2 3 4 and North 5 6 7."""
    return play(begin(SOUTH, NORTH), "2h 5d")


# The game


@covers("Firstly, each player has a secret set of ranks", "At the conclusion of a round both players reveal")
def test_profit_ranks_are_secret_during_the_round(game):
    assert view_for(game, 0).group_of(0) is ProfitGroup.LOW
    assert view_for(game, 0).group_of(1) is None
    assert view_for(game, 1).group_of(0) is None
    over = finish_round(game)
    assert [view_for(over, 0).group_of(seat) for seat in (0, 1)] == [ProfitGroup.LOW, ProfitGroup.MIDDLE]


@covers("Secondly, each player also has a poison suit", "These cards are not used further", "This card identifies")
def test_poison_is_public(game):
    for seat in (0, 1):
        assert view_for(game, seat).poison_suits == (1, 2)
        assert view_for(game, seat).picks == (cards("7h"), cards("7d"))
    played = game.current_round
    in_play = [*played.hands[0], *played.hands[1], *played.markers]
    assert not set(in_play) & set(cards("7h 7d"))


@covers(
    "Thirdly, each trick is preceded by", "Prior to each trick the pond is built", "The winner of the trick takes all"
)
def test_trick_winner_takes_the_pond(game):
    with pytest.raises(IllegalCard):
        play(game, "8c -")  # the other player's bait card is missing
    after = play(game, "8c 3c - As 4s")
    assert after.current_round.pile_of(0) == cards("8c 3c As 4s")
    assert after.current_round.phase is Phase.BAIT


@covers("The game is played over four rounds", "Four rounds are played, with the cards all being gathered")
def test_game_has_four_rounds_with_alternating_dealer():
    game = play_at_random(CardGame(), Random(3))
    assert len(game.finished_rounds) == 4
    assert [each.dealer for each in game.finished_rounds] == [0, 1, 0, 1]
    for each in game.finished_rounds:
        assert Counter([*each.deal.stock, *(card for pile in each.deal.picks for card in pile)]) == Counter(DECK)


# Picking the poison


@covers("A standard 52-card deck", "The dealer shuffles the cards")
def test_all_52_cards_are_shuffled():
    deals = [deal_cards(Rules(), 0, Random(seed)) for seed in range(20)]
    assert len({deal.stock for deal in deals}) == 20
    assert all(len(deal.stock) + sum(map(len, deal.picks)) == 52 for deal in deals)


@covers(
    "The dealer then picks a card",
    "If it is not a spade it defines",
    "If the card is a spade, the dealer continues",
    "The other player now goes through",
    "This procedure is called picking your poison",
    "Note that players may have identical or different",
)
def test_poison_pick_skips_spades():
    suits, lengths = set(), set()
    for seed in range(400):
        deal = deal_cards(Rules(), seed % 2, Random(seed))
        for pile in deal.picks:
            assert suit_of(pile[-1]) != SPADES
            assert all(suit_of(card) == SPADES for card in pile[:-1])
            lengths.add(len(pile))
        suits.add(deal.poison_suits)
    assert suits == {(one, other) for one in (1, 2, 3) for other in (1, 2, 3)}  # including equal suits
    assert lengths >= {1, 2, 3}


# Dealing and choosing profit ranks


@covers(
    "The dealer now picks up the deck and deals",
    "The players examine their eleven cards",
)
def test_five_of_sixteen_cards_are_hidden():
    game = begin(SOUTH, NORTH)
    played, seen = game.current_round, view_for(game, 1)
    assert [len(hand) for hand in played.hands] == [11, 11]
    assert [len(hand) for hand in played.hidden] == [5, 5]
    assert sorted(seen.hand) == sorted(cards(NORTH)[:11])
    assert seen.hand_sizes == (16, 16)


@covers("There are three groups to choose from", "These are, A,2,3,4", "No other combinations")
def test_there_are_three_groups_of_profit_ranks():
    ranks = {group: {"23456789TJQKA"[rank] for rank in group.ranks} for group in ProfitGroup}
    assert list(ranks.values()) == [set("A234"), set("4567"), set("89T")]


@covers(
    "Choice of profit ranks is established", "For example, to choose the A,2,3,4", "Similarly, to choose the 4,5,6,7"
)
def test_marker_chooses_its_profit_group():
    by_rank = {"23456789TJQKA"[rank]: marker_group(rank) for rank in range(13)}
    assert {rank for rank, group in by_rank.items() if group is ProfitGroup.LOW} == set("A23")
    assert {rank for rank, group in by_rank.items() if group is ProfitGroup.MIDDLE} == set("567")
    assert {rank for rank, group in by_rank.items() if group is ProfitGroup.HIGH} == set("89T")
    game = play(begin(SOUTH, NORTH), "8h")
    assert game.current_round.group_of(0) is ProfitGroup.HIGH
    assert len(game.current_round.hands[0]) == 10
    assert cards("8h")[0] not in game.current_round.hands[0]


@covers("Note that 4’s may not be used")
def test_fours_and_face_cards_choose_no_group():
    game = begin("4h Kc Qc Jc 2s 3s 5s 6s 7s 8s 9s", NORTH.replace("5s ", "").replace("4s ", ""))
    for card in ("4h", "Kc", "Qc", "Jc"):
        with pytest.raises(IllegalCard) as refused:
            play(game, card)
        assert refused.value.message.id == "cards.illegal.no_marker"


FOURS_AND_FACES = "4h 4d 4c 4s Kh Kd Kc Ks Qh Qd Qc"


@covers("In the very rare situation")
def test_misdeal_is_dealt_again():
    game = begin(FOURS_AND_FACES, "As 2s 3s 5s 6s 8s 9s Ts Ah 2h 3h")
    assert game.current_round.phase is Phase.MISDEAL
    assert game.needs_deal
    again = game.after(game.make_deal(Random(1)))
    assert again.current_round.phase is Phase.PROFIT
    assert again.current_round.dealer == 0
    assert Counter(again.current_round.deal.stock) == Counter(game.current_round.deal.stock)
    assert again.current_round.deal.stock != game.current_round.deal.stock
    ten = begin(FOURS_AND_FACES.replace("Qc", "2c"), "As 2s 3s 5s 6s 8s 9s Ts Ah 2h 3h")
    assert ten.current_round.phase is Phase.PROFIT  # one card that can choose is enough


@covers("Players may look at their face-down cards at any time")
def test_player_always_sees_own_marker(game):
    assert view_for(game, 0).markers == (cards("2h")[0], None)
    assert view_for(play(game, "8c 3c - As 4s"), 0).markers == (cards("2h")[0], None)


@covers("After the players have both chosen", "Following the deal of the cards")
def test_hidden_cards_join_the_hand_after_choosing():
    game = play(begin(SOUTH, NORTH), "2h")
    assert len(game.current_round.hands[0]) == 10
    assert not set(cards(SOUTH)[11:]) & set(view_for(game, 0).hand)
    game = play(game, "5d")
    assert [len(hand) for hand in game.current_round.hands] == [15, 15]
    assert game.current_round.phase is Phase.BAIT
    assert set(cards(SOUTH)[11:]) < set(view_for(game, 0).hand)


# The pond


@covers("The pond cards will have no effect on who wins", "Note: the pond cards have no bearing")
def test_pond_cards_do_not_decide_the_trick(game):
    after = play(game, "As 3c - 5h 2d")  # the highest trump is in the pond
    assert after.current_round.tricks[0].winner == 0
    after = play(game, "As 3c - 5h 8d")
    assert after.current_round.tricks[0].winner == 1


@covers("The dealer starts the pond by placing", "The other player must then add", "This pair of face-up cards")
def test_bait_is_added_by_dealer_then_opponent():
    game = play(begin(SOUTH, NORTH, dealer=1), "5d 2h")
    assert game.current_round.to_move == 1
    game = play(game, "3c")
    assert game.current_round.to_move == 0
    assert NO_TRAP not in game.current_round.legal_actions
    game = play(game, "8c")
    assert game.current_round.bait == cards("3c 8c")
    assert view_for(game, 0).bait == view_for(game, 1).bait == cards("3c 8c")


@covers("The dealer now has the option of placing a second", "If he does this, then the other player must")
def test_trap_is_optional_for_the_leader_only(game):
    game = play(game, "8c 3c")
    assert game.current_round.to_move == 0
    assert NO_TRAP in game.current_round.legal_actions
    without = play(game, "-")
    assert (without.current_round.phase, without.current_round.to_move) == (Phase.TRICK, 0)
    game = play(game, "Ah")
    assert game.current_round.to_move == 1
    with pytest.raises(IllegalCard) as refused:
        play(game, "-")
    assert refused.value.message.id == "cards.illegal.trap_needed"
    assert play(game, "Ad").current_round.trap == cards("Ah Ad")


@covers(
    "The face down cards constitute the trap",
    "Thus the pond can consist of either two cards or four",
    "The reason for calling",
)
def test_trap_cards_are_hidden_from_the_other_player(game):
    game = play(game, "8c 3c Ah Ad")
    assert len(game.current_round.bait + game.current_round.trap) == 4
    assert view_for(game, 0).trap == (cards("Ah")[0], None)
    assert view_for(game, 1).trap == (None, cards("Ad")[0])


# The trick


@covers("The dealer then leads to the first trick", "The other player adds his own face up card")
def test_dealer_leads_the_first_trick(game):
    game = play(game, "8c 3c -")
    assert game.current_round.to_move == 0
    game = play(game, "5h")
    assert (game.current_round.to_move, view_for(game, 1).cards) == (1, cards("5h"))
    assert len(play(game, "8d").current_round.tricks) == 1


@covers("Any card may be played and there is no requirement")
def test_any_card_can_be_played(game):
    game = play(game, "8c 3c - 5h")
    assert set(game.current_round.legal_actions) == set(game.current_round.hands[1])


@covers("Tricks are won by the highest rank card", "Aces rank highest")
def test_highest_rank_wins_regardless_of_suit():
    plain = [STRENGTH[card] for card in cards("Ah Kd Qc Jh Td 9c 8h 7d 6c 5h 4d 3c 2h")]
    assert plain == sorted(plain, reverse=True)
    assert len(set(plain)) == 13
    assert STRENGTH[cards("Ah")[0]] == STRENGTH[cards("Ac")[0]]


@covers("The trump and anti-trump cards are always the same")
def test_spades_are_trumps_or_anti_trumps():
    plain = [STRENGTH[card] for card in DECK if suit_of(card) != SPADES]
    assert all(STRENGTH[card] > max(plain) for card in cards("As Ks Qs Js Ts 9s 8s"))
    assert all(STRENGTH[card] < min(plain) for card in cards("2s 3s 4s 5s 6s 7s"))


@covers("Any trump out-ranks any non-trump", "A higher ranked trump beats a lower one")
@pytest.mark.parametrize(
    ("lead", "answer", "winner"),
    [
        ("Ks", "Qs", 0),
        ("2h", "2d", None),
        ("Ah", "Qs", 1),
        ("2s", "4s", 1),
        ("3s", "2d", 1),
        ("5h", "4s", 0),
        ("Ah", "Kd", 0),
    ],
)
def test_stronger_card_wins_the_trick(lead, answer, winner):
    game = play(begin(SOUTH, NORTH), "8h 5d 8c 3c -")
    game = play(game, f"{lead} {answer}")
    played = game.current_round
    assert (played.tricks[0].winner if played.tricks else None) == winner


@covers("In the case of a tie between the two cards")
def test_leader_decides_a_tie():
    game = play(begin(SOUTH, NORTH), "8h 5d 8c 3c - 2h 2d")
    played = game.current_round
    assert (played.phase, played.to_move) == (Phase.TIE, 0)
    assert play(game, ">1").current_round.tricks[0].winner == 0
    given = play(game, ">2").current_round
    assert (given.tricks[0].winner, given.to_move) == (1, 1)


@covers("Note: players may look at their won face down cards")
def test_only_the_winner_sees_a_taken_trap(game):
    game = play(game, "8c 3c Ah Ad As 4s")
    assert view_for(game, 0).tricks[0].trap == cards("Ah Ad")
    assert view_for(game, 1).tricks[0].trap == (None, cards("Ad")[0])


@covers("The winner of the trick starts the building of the next")
def test_winner_leads_next(game):
    game = play(game, "8c 3c - 5h Qs")
    assert (game.current_round.leader, game.current_round.to_move) == (1, 1)
    game = play(game, "4c 6c -")
    assert game.current_round.to_move == 1


@covers("When, at the end of any trick, the players each have fewer")
def test_round_ends_below_four_cards():
    ends = Counter()
    for seed in range(60):
        game = finish_round(begin(SOUTH, NORTH), seed)
        sizes = {len(hand) for hand in game.current_round.hands}
        assert sizes <= {1, 2, 3}
        assert len(sizes) == 1
        last = game.current_round.tricks[-1]
        assert sizes.pop() + len(last.all_cards) // 2 >= 4
        ends[len(game.current_round.tricks)] += 1
    assert set(ends) <= {4, 5, 6}
    assert len(ends) > 1


# Scoring


@covers(
    "When the round is scored, cards that belong",
    "Cards in a player’s poison suit -25",
    "Cards in a player’s profit ranks (except",
    "Face cards (except",
    "Number cards that are not",
    "Aces that are not part",
    "Card point values per card",
)
@pytest.mark.parametrize(
    ("card", "group", "points"),
    [
        ("9h", ProfitGroup.LOW, -25),
        ("9d", ProfitGroup.HIGH, 15),
        ("4d", ProfitGroup.LOW, 15),
        ("4d", ProfitGroup.MIDDLE, 15),
        ("4d", ProfitGroup.HIGH, 5),
        ("Kd", ProfitGroup.LOW, 10),
        ("Qs", ProfitGroup.LOW, 10),
        ("Jc", ProfitGroup.LOW, 10),
        ("Kh", ProfitGroup.LOW, -25),
        ("9d", ProfitGroup.LOW, 5),
        ("2s", ProfitGroup.HIGH, 5),
        ("As", ProfitGroup.HIGH, 1),
        ("Ac", ProfitGroup.LOW, 15),
        ("Ah", ProfitGroup.HIGH, -25),
    ],
)
def test_card_value_depends_on_its_category(card, group, points):
    assert value_table(1, group)[cards(card)[0]] == points


@covers("When a card’s rank identifies it", "Card conflicts between profit and poison")
def test_poison_overrides_profit():
    for group in ProfitGroup:
        assert all(categorise(card, 2, group) is Category.POISON for card in DECK if suit_of(card) == 2)


@covers("Then they determine their point scores", "Players sum the point values", "Note that the easiest")
def test_round_score_is_sum_of_pile():
    for seed in range(30):
        played = finish_round(begin(SOUTH, NORTH), seed).current_round
        expected = [
            count_points(played.pile_of(seat), played.deal.poison_suits[seat], played.group_of(seat)) for seat in (0, 1)
        ]
        assert list(played.scores) == expected


@covers("Cards left in a player’s hand 0")
def test_cards_left_in_hand_score_nothing():
    played = finish_round(begin(SOUTH, NORTH)).current_round
    counted = played.pile_of(0) + played.pile_of(1)
    assert not set(counted) & {card for hand in played.hands for card in hand}
    swapped = played._replace(hands=tuple(reversed(played.hands)))
    assert swapped.scores == played.scores


@covers("At the end of the fourth round the player with the higher")
def test_higher_total_wins():
    for seed in range(10):
        game = play_at_random(CardGame(), Random(seed))
        totals = [sum(each.scores[seat] for each in game.finished_rounds) for seat in (0, 1)]
        assert list(game.totals) == totals
        assert game.winner == (None if totals[0] == totals[1] else totals.index(max(totals)))


def test_deals_in_these_tests_are_valid():
    deal = make_deal(SOUTH, NORTH, dealer=1)
    assert sorted(deal.open_hands(1)[0]) == sorted(cards(SOUTH)[:11])
    assert sorted(deal.hidden_hands(1)[1]) == sorted(cards(NORTH)[11:])
