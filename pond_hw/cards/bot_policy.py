"""Card evaluation for the sensible player, and fast playouts that use it.

`ours` holds the value of each card to our side if we take it, `theirs` its value to the other side. `us` and `them` are
the sums of these values over all cards on the table. To our side, a trick is worth

    us      if we take it
    -them   if they take it

and to the other side, the opposite. Both sides therefore want the same side to take it. The side that controls the
trick usually gets its way.
"""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.cards.rules.card import (
    DECK,
    SPADES,
    STRENGTH,
    Card,
    ProfitGroup,
    marker_group,
    rank_of,
    suit_of,
    value_table,
)
from pond_hw.cards.rules.round import MIN_HAND, Phase, Round

CONTROL = 0.8
"""Probability that the side that plays last to a trick gets the result it wants."""

TRAP_RELUCTANCE = 4.0
"""Minimum gain in points for a leader to add a trap, since the other players also add a card to it."""

_SPADE_COSTS = (9, 8, 7, 6, 5, 4, 3, 4, 5, 6, 7, 8, 9)  # from two to ace
_OTHER_COSTS = (2, 1.5, 1, 0.5, 0, 0, 0, 0, 0, 0.5, 1, 1.5, 2.5)

COST: tuple[float, ...] = tuple(
    float((_SPADE_COSTS if suit_of(card) == SPADES else _OTHER_COSTS)[rank_of(card)]) for card in DECK
)
"""Cost in points of giving up each card. The highest and lowest cards cost most, because they decide later tricks."""

_HIGHER = [sum(STRENGTH[other] > STRENGTH[card] for other in DECK) / 51 for card in DECK]
_NOT_LOWER = [sum(STRENGTH[other] >= STRENGTH[card] for other in DECK if other != card) / 51 for card in DECK]

NONE_HIGHER = tuple(tuple((1 - share) ** count for count in range(50)) for share in _HIGHER)
"""Probability that none of n unknown cards beats a given card, indexed by card and n."""

NONE_LOWER = tuple(tuple(share**count for count in range(50)) for share in _NOT_LOWER)
"""Probability that none of n unknown cards is lower than a given card, indexed by card and n."""

Values = Sequence[float]
"""Value of each of the 52 cards."""


def mean_table(tables: Sequence[Values]) -> tuple[float, ...]:
    return tuple([sum(values) / len(tables) for values in zip(*tables, strict=True)])


def choose_marker(hand: Sequence[Card], poison_suit: int) -> Card:
    """Return the best card to set aside: a cheap card that chooses profit ranks common in the hand."""

    def gain(card: Card) -> float:
        group = marker_group(card)
        assert group is not None
        values = value_table(poison_suit, group)
        value = sum([values[other] for other in hand]) - values[card]
        return value - COST[card] + (4 if suit_of(card) == poison_suit else 0)

    return max([card for card in hand if marker_group(card) is not None], key=gain)


def choose_pond_card(
    hand: Sequence[Card], us: float, them: float, ours: Values, theirs: Values, *, has_control: bool
) -> tuple[Card, float]:
    """Choose a card for the pond, and return it with the resulting value of the trick to our side.

    `has_control` is True if our side plays last to the trick.
    """
    best, best_worth = hand[0], -1e9
    high_share, low_share = (CONTROL, 1 - CONTROL) if has_control else (1 - CONTROL, CONTROL)
    for card in hand:
        won, lost = us + ours[card], -them - theirs[card]
        worth = (high_share * won + low_share * lost) if won > lost else (high_share * lost + low_share * won)
        worth -= COST[card]
        if worth > best_worth:
            best, best_worth = card, worth
    return best, best_worth


def judge_pond(us: float, them: float, *, has_control: bool) -> float:
    """Return the current value of the trick to our side."""
    high, low = (us, -them) if us > -them else (-them, us)
    return CONTROL * high + (1 - CONTROL) * low if has_control else CONTROL * low + (1 - CONTROL) * high


def choose_trick_card(
    hand: Sequence[Card],
    played: Sequence[Card],
    seats: int,
    us: float,
    them: float,
    ours: Values,
    theirs: Values,
) -> Card:
    """Choose a card to play to the trick. `played` lists the cards played so far, starting with the leader's."""
    place = len(played)
    enemies_after = (seats - place) // 2
    unknown = len(hand) * enemies_after
    best_before, before_is_ours, leader_is_ours = -1000, False, place % 2 == 0
    top_card = -1
    for index, card in enumerate(played):
        if STRENGTH[card] > best_before:
            best_before, top_card, before_is_ours = STRENGTH[card], card, (place - index) % 2 == 0
    chosen, best_worth = hand[0], -1e9
    for card in hand:
        won, lost = us + ours[card], -them - theirs[card]
        strength = STRENGTH[card]
        if strength > best_before:
            we_lead, top = True, card
        elif strength < best_before:
            we_lead, top = before_is_ours, top_card
        else:
            we_lead, top = (won > lost) == leader_is_ours, card
        if not enemies_after:
            share = 1.0 if we_lead else 0.0
        elif won > lost:
            share = NONE_HIGHER[top][unknown] if we_lead else 0.3 * (seats == 4 and place < 2)
        else:
            share = NONE_LOWER[top][unknown] if we_lead else 0.0
        worth = share * won + (1 - share) * lost - COST[card]
        if worth > best_worth:
            chosen, best_worth = card, worth
    return chosen


def group_tables(poison_suit: int, group: ProfitGroup | None) -> tuple[float, ...]:
    """Return the value of each card to a player, averaged over all profit groups if the player's group is unknown."""
    groups = list(ProfitGroup) if group is None else [group]
    return mean_table([value_table(poison_suit, each) for each in groups])


class SideTables:
    """Value of each card to each seat, and averaged over each side. All profit ranks must be known."""

    def __init__(self, played: Round) -> None:
        poison_suits = played.deal.poison_suits
        self.seats = tuple(
            value_table(poison_suits[seat], group)
            for seat, marker in enumerate(played.markers)
            if marker is not None and (group := marker_group(marker))
        )
        self.sides = mean_table(self.seats[0::2]), mean_table(self.seats[1::2])


def play_out(played: Round, tables: SideTables) -> float:
    """Play a round to its end with all hands open. The search calls this thousands of times.

    For speed, it duplicates the rules in `round` without creating a `Round` for each step. Tests check that both agree.

    Returns:
        Points taken by the first side from here on, minus those of the other side.
    """
    seats, leader, phase = len(played.hands), played.leader, played.phase
    hands = [list(hand) for hand in played.hands]
    bait, trap, cards = list(played.bait), list(played.trap), list(played.cards)
    sides, gain = tables.sides, 0.0
    while phase is not Phase.OVER:
        on_table = bait + trap + cards
        sums = [sum([values[card] for card in on_table]) for values in sides]
        if phase is Phase.BAIT:
            _build_pond(hands, bait, leader, sums, sides)
            phase = Phase.TRAP
        if phase is Phase.TRAP:
            if trap or _wants_trap(hands[leader], leader % 2, sums, sides):
                _build_pond(hands, trap, leader, sums, sides)
            phase = Phase.TRICK
        for place in range(len(cards), seats):
            seat = (leader + place) % seats
            own, other = seat % 2, 1 - seat % 2
            card = choose_trick_card(hands[seat], cards, seats, sums[own], sums[other], sides[own], sides[other])
            hands[seat].remove(card)
            cards.append(card)
            sums[0] += sides[0][card]
            sums[1] += sides[1][card]
        taken = bait + trap + cards
        winner, points = _find_winner(cards, leader, taken, tables)
        gain += points if winner % 2 == 0 else -points
        leader, bait, trap, cards = winner, [], [], []
        phase = Phase.OVER if len(hands[0]) < MIN_HAND else Phase.BAIT
    return gain


def _build_pond(
    hands: list[list[Card]], pond: list[Card], leader: int, sums: list[float], sides: tuple[Values, ...]
) -> None:
    """Complete the bait or the trap with a card from each remaining seat."""
    seats = len(hands)
    for place in range(len(pond), seats):
        seat = (leader + place) % seats
        own, other = seat % 2, 1 - seat % 2
        card, _ = choose_pond_card(
            hands[seat], sums[own], sums[other], sides[own], sides[other], has_control=place % 2 == 1
        )
        hands[seat].remove(card)
        pond.append(card)
        sums[0] += sides[0][card]
        sums[1] += sides[1][card]


def _wants_trap(hand: list[Card], side: int, sums: list[float], sides: tuple[Values, ...]) -> bool:
    """Return True if a leader on this side should add a face-down card."""
    us, them = sums[side], sums[1 - side]
    worth_without = judge_pond(us, them, has_control=False)
    _, worth = choose_pond_card(hand, us, them, sides[side], sides[1 - side], has_control=False)
    return worth > worth_without + TRAP_RELUCTANCE


def _find_winner(cards: list[Card], leader: int, taken: list[Card], tables: SideTables) -> tuple[int, int]:
    """Return the seat that takes the trick, and the trick's value to it. The leader decides ties to suit its own side."""
    strengths = [STRENGTH[card] for card in cards]
    highest, seats = max(strengths), len(cards)
    tied = [(leader + place) % seats for place, strength in enumerate(strengths) if strength == highest]
    points = {seat: sum([tables.seats[seat][card] for card in taken]) for seat in tied}
    winner = max(tied, key=lambda seat: points[seat] if (seat - leader) % 2 == 0 else -points[seat])
    return winner, points[winner]
