"""Cards: notation, strength in a trick, and points."""

from __future__ import annotations

from enum import Enum
from functools import cache

from pond_hw.messages.message import Message, PondError

Card = int
"""A card as suit * 13 + rank: spades first, ranks from two to ace. Identical cards from two decks have the same number."""

SUITS = "shdc"
"""Letters for spades, hearts, diamonds and clubs, as used in records."""

RANKS = "23456789TJQKA"

SPADES = 0

SUIT_SIGNS = "♠♥♦♣"

POISON_SUITS = (1, 2, 3)
"""Suits that can be poison: all but spades."""

DECK: tuple[Card, ...] = tuple(range(52))

FOUR, EIGHT, JACK, KING, ACE = (RANKS.index(sign) for sign in "48JKA")


class CardNotationError(PondError):
    """Invalid card notation."""


class ProfitGroup(Enum):
    """A group of ranks that a player can choose for profit."""

    LOW = "A234"
    MIDDLE = "4567"
    HIGH = "89T"

    @property
    def ranks(self) -> frozenset[int]:
        return frozenset(map(RANKS.index, self.value))


class Category(Enum):
    """Scoring category of a card, in the order used by the rules."""

    POISON = "poison"
    PROFIT = "profit"
    FACE = "face"
    NUMBER = "number"
    ACE = "ace"

    @property
    def points(self) -> int:
        return POINTS[self]


POINTS = {
    Category.POISON: -25,
    Category.PROFIT: 15,
    Category.FACE: 10,
    Category.NUMBER: 5,
    Category.ACE: 1,
}


def suit_of(card: Card) -> int:
    """Return the suit of a card: 0 spades, 1 hearts, 2 diamonds, 3 clubs."""
    return card // 13


def rank_of(card: Card) -> int:
    """Return the rank of a card, from 0 for a two to 12 for an ace."""
    return card % 13


def format_card(card: Card) -> str:
    """Format a card for records: `As`, `Td`."""
    return RANKS[card % 13] + SUITS[card // 13]


def card_text(card: Card) -> str:
    """Format a card for display: `10♠`, `A♥`."""
    rank = RANKS[card % 13]
    return ("10" if rank == "T" else rank) + SUIT_SIGNS[card // 13]


def parse_card(text: str) -> Card:
    """Parse a card: rank and suit, such as `As`, `td` or `10d`.

    Raises:
        CardNotationError: the text is not a card.
    """
    rank_text, suit_text = text[:-1].upper().replace("10", "T"), text[-1:].lower()
    if len(rank_text) != 1 or rank_text not in RANKS or not suit_text or suit_text not in SUITS:
        raise CardNotationError(Message("cards.no_card", text=text[:20]))
    return SUITS.index(suit_text) * 13 + RANKS.index(rank_text)


def is_trump(card: Card) -> bool:
    """Return True for the 8 to the ace of spades."""
    return card // 13 == SPADES and card % 13 >= EIGHT


def is_anti_trump(card: Card) -> bool:
    """Return True for the 2 to the 7 of spades."""
    return card // 13 == SPADES and card % 13 < EIGHT


STRENGTH: tuple[int, ...] = tuple(
    rank_of(card) + (100 if is_trump(card) else -100 if is_anti_trump(card) else 0) for card in DECK
)
"""Strength of each card in a trick. Cards of equal strength tie."""


def _find_group(rank: int) -> ProfitGroup | None:
    if rank == FOUR or JACK <= rank <= KING:
        return None
    return next(group for group in ProfitGroup if rank in group.ranks)


_MARKER_GROUPS = tuple(_find_group(rank_of(card)) for card in DECK)


def marker_group(card: Card) -> ProfitGroup | None:
    """Return the profit ranks that a card chooses when it is set aside; None for fours and face cards."""
    return _MARKER_GROUPS[card]


def categorise(card: Card, poison_suit: int, group: ProfitGroup) -> Category:
    """Return the category of a card for a player with this poison suit and these profit ranks."""
    rank = rank_of(card)
    if suit_of(card) == poison_suit:
        return Category.POISON
    if rank in group.ranks:
        return Category.PROFIT
    if JACK <= rank <= KING:
        return Category.FACE
    return Category.ACE if rank == ACE else Category.NUMBER


@cache
def value_table(poison_suit: int, group: ProfitGroup) -> tuple[int, ...]:
    """Return the points that each card is worth to a player with this poison suit and these profit ranks."""
    return tuple(categorise(card, poison_suit, group).points for card in DECK)
