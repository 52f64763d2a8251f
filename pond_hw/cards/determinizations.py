"""Rounds that may be the one that a player sees a part of: what he does not know is dealt by chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from pond_hw.cards.rules.card import DECK, Card, ProfitGroup, marker_group, rank_of, suit_of
from pond_hw.cards.rules.deal import HIDDEN_CARDS, Deal
from pond_hw.cards.rules.player_view import PlayerView
from pond_hw.cards.rules.round import Phase, Round, Trick


def list_unknown(view: PlayerView) -> list[Card]:
    """All cards that a player has not seen: those in other hands, set aside, in traps, and not dealt."""
    known = [*view.hand, *(card for pile in view.picks for card in pile), *view.bait, *view.cards]
    known += [card for card in (*view.markers, *view.trap) if card is not None]
    for trick in view.tricks:
        known += [*trick.bait, *trick.cards, *(card for card in trick.trap if card is not None)]
    unknown = Counter(DECK * view.rules.decks)
    unknown.subtract(known)
    return list(unknown.elements())


def sample_determinization(view: PlayerView, unknown: Sequence[Card], rng: Random) -> Round:
    """A round that looks to this player as the one that is played does.

    Profit ranks that are not known are those of which a player has many cards, more often than others.

    Args:
        view: what the player knows.
        unknown: what `list_unknown` gives.
        rng: where the rest comes from.
    """
    cards = list(unknown)
    rng.shuffle(cards)
    seats, is_choosing = range(view.rules.seats), view.phase is Phase.PROFIT
    hands: list[tuple[Card, ...]] = []
    hidden: list[tuple[Card, ...]] = []
    for seat in seats:
        closed = HIDDEN_CARDS if is_choosing else 0
        count = len(view.hand) if seat == view.seat else view.hand_sizes[seat] - closed
        hands.append(view.hand if seat == view.seat else tuple(sorted([cards.pop() for _ in range(count)])))
        hidden.append(tuple([cards.pop() for _ in range(closed)]))
    trap = tuple([cards.pop() if card is None else card for card in view.trap])
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
            for trick in view.tricks
        ]
    )
    markers = list(view.markers)
    for seat in seats:
        if markers[seat] is None and view.has_chosen[seat]:
            markers[seat] = _choose_marker(cards, _cards_of(seat, hands[seat], tricks, view), view, seat, rng)
    return Round(
        view.rules,
        view.dealer,
        Deal(view.picks, tuple(cards)),
        view.phase,
        view.to_move,
        tuple(hands),
        tuple(hidden),
        tuple(markers),
        view.leader,
        view.bait,
        trap,
        view.cards,
        tricks,
    )


def _cards_of(seat: int, hand: tuple[Card, ...], tricks: tuple[Trick, ...], view: PlayerView) -> list[Card]:
    """The cards that a seat had at the beginning, as far as they are played face up, and those in its hand."""
    cards = list(hand)
    for trick in (*tricks, Trick(view.leader, view.bait, (), view.cards, 0, False)):
        place = (seat - trick.leader) % view.rules.seats
        cards += [*trick.bait[place : place + 1], *trick.cards[place : place + 1]]
    return cards


def _choose_marker(rest: list[Card], cards: list[Card], view: PlayerView, seat: int, rng: Random) -> Card:
    """A card that the seat may have set aside, taken from the rest."""
    poison_suit = view.poison_suits[seat]
    ranks = [rank_of(card) for card in cards if suit_of(card) != poison_suit]
    weights = {group: (1 + sum(rank in group.ranks for rank in ranks)) ** 3 for group in ProfitGroup}
    choices = {group: [card for card in rest if marker_group(card) is group] for group in ProfitGroup}
    groups = [group for group in ProfitGroup if choices[group]]
    if not groups:  # all that could choose is dealt: any rank would do as little harm
        return rest.pop()
    group = rng.choices(groups, [weights[each] for each in groups])[0]
    marker = choices[group][0]
    rest.remove(marker)
    return marker
