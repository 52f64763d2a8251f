"""Computer players. Each receives a `PlayerView`, which contains only what its seat may know.

random    plays any legal card; adds a trap half the time
sensible  weighs the value of a trick to both sides, and who controls it
strong    deals the unknown cards many times, plays each deal to its end, and picks the best card
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Protocol

from pond_hw.cards import bot_policy
from pond_hw.cards.bot_policy import SideTables, play_out
from pond_hw.cards.rules.card import DECK, Card, ProfitGroup, marker_group, rank_of, suit_of
from pond_hw.cards.rules.deal import HIDDEN_CARDS, Deal
from pond_hw.cards.rules.player_view import PlayerView
from pond_hw.cards.rules.round import NO_TRAP, TAKEN_BY, Action, Phase, Round, Trick
from pond_hw.messages.message import Message, PondError

BOT_NAMES = ("random", "sensible", "strong")

UNSEEN_TRAP_US, UNSEEN_TRAP_THEM = -3.0, 5.0
"""Estimated value of the other side's unseen trap card to us and to them."""

ROLLOUTS = 240
"""Number of playouts that the strong player runs per decision."""


class CardBot(Protocol):
    """A computer player."""

    name: str

    def choose(self, view: PlayerView) -> Action:
        """Choose an action for the seat to move."""


class RandomBot:
    """Player that chooses random legal cards. As leader, it adds a trap half the time."""

    name = "random"

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def choose(self, view: PlayerView) -> Action:
        return choose_at_random(view.legal_actions, self._rng)


def choose_at_random(actions: tuple[Action, ...], rng: Random) -> Action:
    """Return a random action. If `NO_TRAP` is legal, return it half the time."""
    if actions[-1] == NO_TRAP:
        if rng.random() < 0.5:
            return NO_TRAP
        actions = actions[:-1]
    return actions[int(rng.random() * len(actions))]


class SensibleBot:
    """Deterministic player that weighs the value of a trick to both sides, and who controls it."""

    name = "sensible"

    def choose(self, view: PlayerView) -> Action:
        if view.phase is Phase.PROFIT:
            return bot_policy.choose_marker(view.hand, view.poison_suits[view.seat])
        seats, us_side, place = view.rules.seats, view.seat % 2, (view.seat - view.leader) % view.rules.seats
        tables = [bot_policy.group_tables(view.poison_suits[seat], view.group_of(seat)) for seat in range(seats)]
        ours, theirs = bot_policy.mean_table(tables[us_side::2]), bot_policy.mean_table(tables[1 - us_side :: 2])
        us, them = self._judge_table(view, ours, theirs)
        if view.phase is Phase.TIE:
            return TAKEN_BY + max(view.tied_seats, key=lambda seat: us if seat % 2 == us_side else -them)
        if view.phase is Phase.TRICK:
            return bot_policy.choose_trick_card(view.hand, view.cards, seats, us, them, ours, theirs)
        control = place % 2 == 1
        card, worth = bot_policy.choose_pond_card(view.hand, us, them, ours, theirs, has_control=control)
        if NO_TRAP in view.legal_actions:
            without = bot_policy.judge_pond(us, them, has_control=control)
            return card if worth > without + bot_policy.TRAP_RELUCTANCE else NO_TRAP
        return card

    def _judge_table(self, view: PlayerView, ours: bot_policy.Values, theirs: bot_policy.Values) -> tuple[float, float]:
        """Return the total value of the cards on the table to us and to the other side."""
        known = [card for card in (*view.bait, *view.trap, *view.cards) if card is not None]
        unseen = len(view.trap) - len([card for card in view.trap if card is not None])
        us = sum([ours[card] for card in known]) + UNSEEN_TRAP_US * unseen
        return us, sum([theirs[card] for card in known]) + UNSEEN_TRAP_THEM * unseen


class StrongBot:
    """Player that rates actions by playouts of random deals, and drops the worse half of them at each stage.

    Args:
        rng: generator that deals the unknown cards.
        rollouts: number of playouts per decision.
    """

    name = "strong"

    def __init__(self, rng: Random, rollouts: int = ROLLOUTS) -> None:
        self._rng, self._rollouts = rng, rollouts

    def choose(self, view: PlayerView) -> Action:
        candidates = self._list_candidates(view)
        if len(candidates) == 1:
            return candidates[0]
        unknown, sums = list_unknown(view), dict.fromkeys(candidates, 0.0)
        sign = 1 if view.seat % 2 == 0 else -1
        stages = max(1, (len(candidates) - 1).bit_length())
        while len(candidates) > 1:
            for _ in range(max(2, self._rollouts // (stages * len(candidates)))):
                sampled = sample_determinization(view, unknown, self._rng)
                tables = None if view.phase is Phase.PROFIT else SideTables(sampled)
                for action in candidates:
                    sums[action] += sign * _judge_action(sampled, action, tables)
            candidates = sorted(candidates, key=sums.__getitem__, reverse=True)[: (len(candidates) + 1) // 2]
        return candidates[0]

    def _list_candidates(self, view: PlayerView) -> list[Action]:
        """List the actions to search: all legal actions, but only one marker for each profit group."""
        if view.phase is not Phase.PROFIT:
            return list(view.legal_actions)
        poison_suit, groups = view.poison_suits[view.seat], {marker_group(card) for card in view.legal_actions}
        by_group = [[card for card in view.hand if marker_group(card) in (group, None)] for group in groups]
        return [bot_policy.choose_marker(cards, poison_suit) for cards in by_group]


def _judge_action(sampled: Round, action: Action, tables: SideTables | None) -> float:
    """Return the first side's net points from this action to the end of the round, if all players play sensibly."""
    played = sampled.play(action)
    while played.phase is Phase.PROFIT:
        marker: Card = bot_policy.choose_marker(played.hands[played.to_move], played.deal.poison_suits[played.to_move])
        played = played.play(marker)
    tables = tables or SideTables(played)
    gained = 0.0
    for trick in played.tricks[len(sampled.tricks) :]:
        points = sum([tables.seats[trick.winner][card] for card in trick.all_cards])
        gained += points if trick.winner % 2 == 0 else -points
    if played.phase is Phase.TIE:
        choices = [_judge_action(played, each, tables) for each in played.legal_actions]
        return max(choices) if played.to_move % 2 == 0 else min(choices)
    return gained + play_out(played, tables)


def make_bot(name: str, rng: Random) -> CardBot:
    """Return the computer player with this name.

    Raises:
        PondError: the name is unknown.
    """
    match name:
        case "random":
            return RandomBot(rng)
        case "sensible":
            return SensibleBot()
        case "strong":
            return StrongBot(rng)
    raise PondError(Message("cards.no_player", name=name[:20], names=("human", *BOT_NAMES)))


def list_unknown(view: PlayerView) -> list[Card]:
    """List the cards that the player has not seen: in other hands, set aside, in traps, and not dealt."""
    known = [*view.hand, *(card for pile in view.picks for card in pile), *view.bait, *view.cards]
    known += [card for card in (*view.markers, *view.trap) if card is not None]
    for trick in view.tricks:
        known += [*trick.bait, *trick.cards, *(card for card in trick.trap if card is not None)]
    unknown = Counter(DECK * view.rules.decks)
    unknown.subtract(known)
    return list(unknown.elements())


def sample_determinization(view: PlayerView, unknown: Sequence[Card], rng: Random) -> Round:
    """Deal the unknown cards at random. The result is a round that looks to this player like the real one.

    Unknown markers favour profit ranks that are common in their player's hand. `unknown` comes from `list_unknown`.
    """
    cards = list(unknown)
    rng.shuffle(cards)
    seats, is_choosing = range(view.rules.seats), view.phase is Phase.PROFIT
    hands: list[tuple[Card, ...]] = []
    hidden: list[tuple[Card, ...]] = []
    for seat in seats:
        hidden_count = HIDDEN_CARDS if is_choosing else 0
        count = len(view.hand) if seat == view.seat else view.hand_sizes[seat] - hidden_count
        hands.append(view.hand if seat == view.seat else tuple(sorted([cards.pop() for _ in range(count)])))
        hidden.append(tuple([cards.pop() for _ in range(hidden_count)]))
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
    """Return the cards that a seat has played face up or still holds."""
    cards = list(hand)
    for trick in (*tricks, Trick(view.leader, view.bait, (), view.cards, 0, False)):
        place = (seat - trick.leader) % view.rules.seats
        cards += [*trick.bait[place : place + 1], *trick.cards[place : place + 1]]
    return cards


def _choose_marker(rest: list[Card], cards: list[Card], view: PlayerView, seat: int, rng: Random) -> Card:
    """Draw a likely marker for the seat, and remove it from `rest`."""
    poison_suit = view.poison_suits[seat]
    ranks = [rank_of(card) for card in cards if suit_of(card) != poison_suit]
    weights = {group: (1 + sum(rank in group.ranks for rank in ranks)) ** 3 for group in ProfitGroup}
    choices = {group: [card for card in rest if marker_group(card) is group] for group in ProfitGroup}
    groups = [group for group in ProfitGroup if choices[group]]
    if not groups:  # no card that chooses ranks is left, so any card will do
        return rest.pop()
    group = rng.choices(groups, [weights[each] for each in groups])[0]
    marker = choices[group][0]
    rest.remove(marker)
    return marker
