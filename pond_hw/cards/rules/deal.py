"""Poison picks and deals. No other part of the rules needs random numbers; the caller passes in the generator."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import NamedTuple

from pond_hw.cards.rules.card import DECK, SPADES, Card, suit_of
from pond_hw.cards.rules.options import Rules
from pond_hw.messages.message import Message, PondError

OPEN_CARDS, HIDDEN_CARDS = 11, 5
"""Number of cards that a player sees at once, and number that stays hidden until all profit ranks are chosen."""

Picks = tuple[tuple[Card, ...], ...]
"""Cards that each seat turned up to pick its poison: any number of spades, then the card that sets the suit."""


class ImpossibleDeal(PondError):
    """A deal that the rules do not allow."""


class Deal(NamedTuple):
    """The cards of a round.

    Attributes:
        picks: cards that each seat turned up to pick its poison; they are out of play.
        stock: all other cards, in dealing order.
    """

    picks: Picks
    stock: tuple[Card, ...]

    @property
    def poison_suits(self) -> tuple[int, ...]:
        return tuple([suit_of(pile[-1]) for pile in self.picks])

    def open_hands(self, dealer: int) -> tuple[tuple[Card, ...], ...]:
        """Return the eleven cards that each seat sees at once."""
        return _share_out(self.stock, len(self.picks), dealer, 0, OPEN_CARDS)

    def hidden_hands(self, dealer: int) -> tuple[tuple[Card, ...], ...]:
        """Return the five cards that each seat sees after the profit ranks are chosen."""
        return _share_out(self.stock, len(self.picks), dealer, OPEN_CARDS, HIDDEN_CARDS)


def _share_out(
    stock: tuple[Card, ...], seats: int, dealer: int, first: int, count: int
) -> tuple[tuple[Card, ...], ...]:
    """Deal `count` cards to each seat, one at a time clockwise, the dealer last."""
    dealt = stock[first * seats : (first + count) * seats]
    return tuple([tuple(sorted(dealt[(seat - dealer - 1) % seats :: seats])) for seat in range(seats)])


def deal_cards(rules: Rules, dealer: int, rng: Random, picks: Picks | None = None) -> Deal:
    """Pick the poison, starting with the dealer, and shuffle the other cards. If `picks` is given, keep its poison."""
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
        rng.shuffle(deck)  # the search for the partners' suit has revealed the order
    return Deal(tuple(map(tuple, piles)), tuple(reversed(deck)))


def check_deal(rules: Rules, deal: Deal) -> None:
    """Check that a deal is possible.

    Raises:
        ImpossibleDeal: cards are missing or duplicated, or the poison picks break the rules.
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
