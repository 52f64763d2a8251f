"""Card games for tests: games with given hands, and random play."""

from random import Random

from hypothesis import strategies as st

from pond_hw.cards.bots import choose_at_random
from pond_hw.cards.rules import CardGame, Deal, Phase, Rules, parse_card
from pond_hw.cards.rules.card import ACE, DECK, JACK, KING, rank_of, suit_of
from pond_hw.cards.rules.options import OPTIONS


def cards(text):
    """Parse cards such as `As Td`."""
    return tuple(map(parse_card, text.split()))


def make_deal(*hands, picks=("7h", "7d"), dealer=0, seed=0):
    """Make a deal that gives these hands of sixteen cards, the eleven visible ones first. Fill in missing cards.

    Use two decks for four hands.
    """
    seats = len(hands)
    piles = tuple(map(cards, picks if seats == 2 else (*picks, *picks)))
    rest = list(DECK) * (seats // 2)
    wanted = [list(cards(hand)) for hand in hands]
    for card in [*(card for pile in piles for card in pile), *(card for hand in wanted for card in hand)]:
        rest.remove(card)
    Random(seed).shuffle(rest)
    for hand in wanted:
        while len(hand) < 16:
            hand.append(rest.pop())
    order = [wanted[(dealer + 1 + place) % seats] for place in range(seats)]
    stock = [hand[place] for place in range(16) for hand in order]
    return Deal(piles, (*stock, *rest))


def begin(*hands, rules=None, **how):
    """Begin a game with these hands."""
    return CardGame(rules or Rules(len(hands)), how.get("dealer", 0)).after(make_deal(*hands, **how))


def play(game, text):
    """Return the game after these actions, given in record notation."""
    for word in text.split():
        game = game.after(game.current_round.parse_action(word))
    return game


def play_at_random(game, rng, until=lambda game: game.is_over):
    """Play at random until a condition is true."""
    while not until(game):
        if game.needs_deal:
            game = game.after(game.make_deal(rng))
        else:
            game = game.after(choose_at_random(game.current_round.legal_actions, rng))
    return game


def finish_round(game, seed=0):
    """Play the round to its end at random."""
    return play_at_random(game, Random(seed), lambda game: game.current_round.phase is Phase.OVER)


ALL_RULES = st.builds(
    lambda seats, chosen: Rules(seats, **chosen),
    st.sampled_from([2, 4]),
    st.fixed_dictionaries({name: st.sampled_from(values) for name, values in OPTIONS.items()}),
)
"""Hypothesis strategy for all combinations of rules."""


@st.composite
def games(draw, rules=ALL_RULES):
    """Draw a game at any point after its first deal."""
    rng = Random(draw(st.integers(0, 2**32)))
    steps = draw(st.integers(1, 260))
    game = CardGame(draw(rules))
    for _ in range(steps):
        if game.is_over:
            break
        if game.needs_deal:
            game = game.after(game.make_deal(rng))
        else:
            game = game.after(choose_at_random(game.current_round.legal_actions, rng))
    return game


def count_points(pile, poison, group):
    """Return the points of a pile, computed without the code under test."""
    points, rest = 0, list(pile)
    for belongs, worth in (
        (lambda card: suit_of(card) == poison, -25),
        (lambda card: "23456789TJQKA"[rank_of(card)] in group.value, 15),
        (lambda card: JACK <= rank_of(card) <= KING, 10),
        (lambda card: rank_of(card) != ACE, 5),
        (lambda card: True, 1),
    ):
        points += worth * sum(map(belongs, rest))
        rest = [card for card in rest if not belongs(card)]
    assert not rest
    return points
