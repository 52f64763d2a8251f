"""Picking the poison, and dealing. All chance of the card game is here, and it is handed in."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import NamedTuple

from pond_hw.cards.rules.card import DECK, SPADES, Card, suit_of
from pond_hw.cards.rules.options import Rules
from pond_hw.messages.message import Message, PondError

OPEN_CARDS, HIDDEN_CARDS = 11, 5
"""Cards of a player that may be looked at when the profit ranks are chosen, and those that stay hidden until then."""

Picks = tuple[tuple[Card, ...], ...]
"""For each seat the cards that it turned up for its poison: spades, and then the one that counts."""


class ImpossibleDeal(PondError):
    """Cards cannot be dealt like that."""


class Deal(NamedTuple):
    """The cards of a round.

    Attributes:
        picks: the cards that each seat turned up for its poison; they take no part in the round.
        stock: all other cards, in the order in which they are dealt.
    """

    picks: Picks
    stock: tuple[Card, ...]

    @property
    def poison_suits(self) -> tuple[int, ...]:
        """The poison suit of each seat."""
        return tuple([suit_of(pile[-1]) for pile in self.picks])

    def open_hands(self, dealer: int) -> tuple[tuple[Card, ...], ...]:
        """The eleven cards of each seat that may be looked at at once."""
        return _share_out(self.stock, len(self.picks), dealer, 0, OPEN_CARDS)

    def hidden_hands(self, dealer: int) -> tuple[tuple[Card, ...], ...]:
        """The five cards of each seat that stay hidden until the profit ranks are chosen."""
        return _share_out(self.stock, len(self.picks), dealer, OPEN_CARDS, HIDDEN_CARDS)


def _share_out(
    stock: tuple[Card, ...], seats: int, dealer: int, first: int, count: int
) -> tuple[tuple[Card, ...], ...]:
    """Deal `count` cards to each seat, one at a time clockwise, the dealer last."""
    dealt = stock[first * seats : (first + count) * seats]
    return tuple([tuple(sorted(dealt[(seat - dealer - 1) % seats :: seats])) for seat in range(seats)])


def deal_cards(rules: Rules, dealer: int, rng: Random, picks: Picks | None = None) -> Deal:
    """Shuffle, pick the poison and make the deck ready to be dealt.

    Args:
        rules: how it is played.
        dealer: who deals, and picks first.
        rng: where the order of the cards comes from.
        picks: the cards that were turned up before, if the poison suits stay as they are.
    """
    deck = list(DECK) * rules.decks
    if picks is not None:
        for card in (card for pile in picks for card in pile):
            deck.remove(card)
        rng.shuffle(deck)
        return Deal(picks, tuple(deck))
    rng.shuffle(deck)
    piles: list[list[Card]] = [[] for _ in range(rules.seats)]
    first, second, *partners = rules.seats_from(dealer)
    for seat in (first, second):
        while not piles[seat] or suit_of(piles[seat][-1]) == SPADES:
            piles[seat].append(deck.pop())
    for seat in partners:
        partner = rules.partner_of(seat)
        assert partner is not None
        suit = suit_of(piles[partner][-1])
        place = next(place for place in reversed(range(len(deck))) if suit_of(deck[place]) == suit)
        piles[seat].append(deck.pop(place))
    if partners:
        rng.shuffle(deck)  # somebody has looked through it
    return Deal(tuple(map(tuple, piles)), tuple(reversed(deck)))


def check_deal(rules: Rules, deal: Deal) -> None:
    """Make sure that a deal can have happened.

    Raises:
        ImpossibleDeal: cards are missing or there too often, or nobody can have picked poison like that.
    """
    if len(deal.picks) != rules.seats:
        raise ImpossibleDeal(Message("cards.deal.wrong_seats", count=len(deal.picks), seats=rules.seats))
    if Counter([*deal.stock, *(card for pile in deal.picks for card in pile)]) != Counter(DECK * rules.decks):
        raise ImpossibleDeal(Message("cards.deal.wrong_cards"))
    for seat, pile in enumerate(deal.picks):
        is_poison_last = (
            bool(pile) and suit_of(pile[-1]) != SPADES and all(suit_of(card) == SPADES for card in pile[:-1])
        )
        partner = rules.partner_of(seat)
        agrees = partner is None or (
            bool(deal.picks[partner]) and suit_of(deal.picks[partner][-1]) == suit_of(pile[-1])
        )
        if not is_poison_last or not agrees:
            raise ImpossibleDeal(Message("cards.deal.wrong_poison", seat=seat + 1))
