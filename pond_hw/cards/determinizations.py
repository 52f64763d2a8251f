"""Rounds that may be the one that a player sees a part of: what he does not know is dealt by chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from pond_hw.cards.rules.card import DECK, Card, ProfitGroup, marker_group, rank_of, suit_of
from pond_hw.cards.rules.deal import HIDDEN_CARDS, Deal
from pond_hw.cards.rules.player_view import Seen
from pond_hw.cards.rules.round import Phase, Round, Trick


def list_unknown(seen: Seen) -> list[Card]:
    """All cards that a player has not seen: those in other hands, set aside, in traps, and not dealt."""
    known = [*seen.hand, *(card for pile in seen.picks for card in pile), *seen.bait, *seen.cards]
    known += [card for card in (*seen.markers, *seen.trap) if card is not None]
    for trick in seen.tricks:
        known += [*trick.bait, *trick.cards, *(card for card in trick.trap if card is not None)]
    unknown = Counter(DECK * seen.rules.decks)
    unknown.subtract(known)
    return list(unknown.elements())


def sample_world(seen: Seen, unknown: Sequence[Card], chance: Random) -> Round:
    """A round that looks to this player as the one that is played does.

    Profit ranks that are not known are those of which a player has many cards, more often than others.

    Args:
        seen: what the player knows.
        unknown: what `list_unknown` gives.
        chance: where the rest comes from.
    """
    cards = list(unknown)
    chance.shuffle(cards)
    seats, is_choosing = range(seen.rules.seats), seen.phase is Phase.PROFIT
    hands: list[tuple[Card, ...]] = []
    hidden: list[tuple[Card, ...]] = []
    for seat in seats:
        closed = HIDDEN_CARDS if is_choosing else 0
        count = len(seen.hand) if seat == seen.seat else seen.hand_sizes[seat] - closed
        hands.append(seen.hand if seat == seen.seat else tuple(sorted([cards.pop() for _ in range(count)])))
        hidden.append(tuple([cards.pop() for _ in range(closed)]))
    trap = tuple([cards.pop() if card is None else card for card in seen.trap])
    tricks = tuple(
        [
            Trick(
                trick.leader,
                trick.bait,
                tuple([cards.pop() if card is None else card for card in trick.trap]),
                trick.cards,
                trick.winner,
                trick.was_tied,
            )
            for trick in seen.tricks
        ]
    )
    markers = list(seen.markers)
    for seat in seats:
        if markers[seat] is None and seen.has_chosen[seat]:
            markers[seat] = _choose_marker(cards, _cards_of(seat, hands[seat], tricks, seen), seen, seat, chance)
    return Round(
        seen.rules,
        seen.dealer,
        Deal(seen.picks, tuple(cards)),
        seen.phase,
        seen.to_move,
        tuple(hands),
        tuple(hidden),
        tuple(markers),
        seen.leader,
        seen.bait,
        trap,
        seen.cards,
        tricks,
    )


def _cards_of(seat: int, hand: tuple[Card, ...], tricks: tuple[Trick, ...], seen: Seen) -> list[Card]:
    """The cards that a seat had at the beginning, as far as they are played face up, and those in its hand."""
    cards = list(hand)
    for trick in (*tricks, Trick(seen.leader, seen.bait, (), seen.cards, 0, False)):
        place = (seat - trick.leader) % seen.rules.seats
        cards += [*trick.bait[place : place + 1], *trick.cards[place : place + 1]]
    return cards


def _choose_marker(rest: list[Card], cards: list[Card], seen: Seen, seat: int, chance: Random) -> Card:
    """A card that the seat may have set aside, taken from the rest."""
    poison_suit = seen.poison_suits[seat]
    ranks = [rank_of(card) for card in cards if suit_of(card) != poison_suit]
    weights = {group: (1 + sum(rank in group.ranks for rank in ranks)) ** 3 for group in ProfitGroup}
    choices = {group: [card for card in rest if marker_group(card) is group] for group in ProfitGroup}
    groups = [group for group in ProfitGroup if choices[group]]
    if not groups:  # all that could choose is dealt: any rank would do as little harm
        return rest.pop()
    group = chance.choices(groups, [weights[each] for each in groups])[0]
    marker = choices[group][0]
    rest.remove(marker)
    return marker
