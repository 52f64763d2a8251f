"""A round played to its end by the sensible policy, every hand open: what the search makes thousands of.

The same rules as in `round`, without a value for each step. Tests hold both against each other.
"""

from __future__ import annotations

from pond_hw.cards import bot_policy
from pond_hw.cards.rules.card import STRENGTH, Card, marker_group, value_table
from pond_hw.cards.rules.round import LEAST_HAND, Phase, Round


class SideTables:
    """What cards are worth to each seat of a round whose profit ranks are all known, and to each side on average.

    Args:
        played: the round.
    """

    def __init__(self, played: Round) -> None:
        poison_suits = played.deal.poison_suits
        self.seats = tuple(
            value_table(poison_suits[seat], group)
            for seat, marker in enumerate(played.markers)
            if marker is not None and (group := marker_group(marker))
        )
        self.sides = bot_policy.mean_table(self.seats[0::2]), bot_policy.mean_table(self.seats[1::2])


def play_out(played: Round, tables: SideTables) -> float:
    """Play a round to its end.

    Args:
        played: the round, with all profit ranks chosen.
        tables: what cards are worth in it.

    Returns:
        What the first side takes from now on, less what the other side takes.
    """
    seats, leader, phase = len(played.hands), played.leader, played.phase
    hands = [list(hand) for hand in played.hands]
    bait, trap, cards = list(played.bait), list(played.trap), list(played.cards)
    sides, gain = tables.sides, 0.0
    while phase is not Phase.OVER:
        on_table = bait + trap + cards
        sums = [sum([side[card] for card in on_table]) for side in sides]
        if phase is Phase.BAIT:
            _build_pond(hands, bait, leader, sums, sides)
            phase = Phase.TRAP
        if phase is Phase.TRAP:
            if trap or _wants_trap(hands[leader], leader % 2, sums, sides):
                _build_pond(hands, trap, leader, sums, sides)
            phase = Phase.TRICK
        for place in range(len(cards), seats):
            seat = (leader + place) % seats
            us = seat % 2
            card = bot_policy.choose_trick_card(
                hands[seat], cards, seats, sums[us], sums[1 - us], sides[us], sides[1 - us]
            )
            hands[seat].remove(card)
            cards.append(card)
            sums[0] += sides[0][card]
            sums[1] += sides[1][card]
        taken = bait + trap + cards
        winner, points = _find_winner(cards, leader, taken, tables)
        gain += points if winner % 2 == 0 else -points
        leader, bait, trap, cards = winner, [], [], []
        phase = Phase.OVER if len(hands[0]) < LEAST_HAND else Phase.BAIT
    return gain


def _build_pond(
    hands: list[list[Card]], pond: list[Card], leader: int, sums: list[float], sides: tuple[bot_policy.Values, ...]
) -> None:
    """Let everybody who has not yet done so add a card to the bait or to the trap."""
    seats = len(hands)
    for place in range(len(pond), seats):
        seat = (leader + place) % seats
        us = seat % 2
        card, _ = bot_policy.choose_pond_card(
            hands[seat], sums[us], sums[1 - us], sides[us], sides[1 - us], has_control=place % 2 == 1
        )
        hands[seat].remove(card)
        pond.append(card)
        sums[0] += sides[0][card]
        sums[1] += sides[1][card]


def _wants_trap(hand: list[Card], us: int, sums: list[float], sides: tuple[bot_policy.Values, ...]) -> bool:
    """Whether a leader adds a face-down card."""
    without = bot_policy.judge_pond(sums[us], sums[1 - us], has_control=False)
    _, worth = bot_policy.choose_pond_card(hand, sums[us], sums[1 - us], sides[us], sides[1 - us], has_control=False)
    return worth > without + bot_policy.TRAP_RELUCTANCE


def _find_winner(cards: list[Card], leader: int, taken: list[Card], tables: SideTables) -> tuple[int, int]:
    """Who takes a trick, the leader deciding what is tied for the good of his side; and what it is worth to him."""
    strengths = [STRENGTH[card] for card in cards]
    highest, seats = max(strengths), len(cards)
    tied = [(leader + place) % seats for place, strength in enumerate(strengths) if strength == highest]
    points = {seat: sum([tables.seats[seat][card] for card in taken]) for seat in tied}
    winner = max(tied, key=lambda seat: points[seat] if (seat - leader) % 2 == 0 else -points[seat])
    return winner, points[winner]
