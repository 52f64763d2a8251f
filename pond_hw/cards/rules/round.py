"""One round of the card game as an immutable value: `round.play(action)` returns the next state.

An action is a number: a card, `NO_TRAP`, or `TAKEN_BY + seat` to give that seat a tied trick. The phase determines
what playing a card means:

    PROFIT  each player sets a card aside, which chooses their profit ranks; clockwise from the dealer
    BAIT    each player adds a face-up card to the pond, the leader first
    TRAP    the leader may add a face-down card; if so, all others must
    TRICK   each player plays a card, the leader first
    TIE     the highest cards tie, and the leader names the seat that takes the trick
    OVER    the hands have fewer than four cards: piles are scored
    MISDEAL a player cannot choose profit ranks, and the cards are dealt again
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pond_hw.cards.rules.card import (
    SPADES,
    STRENGTH,
    Card,
    ProfitGroup,
    card_text,
    format_card,
    marker_group,
    parse_card,
    value_table,
)
from pond_hw.cards.rules.deal import Deal
from pond_hw.cards.rules.options import Rules
from pond_hw.messages.message import Message, PondError

NO_TRAP = 52
"""Action of a leader who adds no trap."""

TAKEN_BY = 60
"""Action that gives a tied trick to seat `action - TAKEN_BY`."""

MIN_HAND = 4
"""Minimum number of cards in a hand for building another pond."""

NO_TRAP_TEXT, TAKEN_BY_TEXT = "-", ">"
"""Record notation: `-` for no trap, and `>` before the seat that takes a tied trick."""

Action = int


class IllegalCard(PondError):
    """An action that the rules do not allow now."""


class Phase(Enum):
    """Phase of a round."""

    PROFIT = "profit"
    BAIT = "bait"
    TRAP = "trap"
    TRICK = "trick"
    TIE = "tie"
    OVER = "over"
    MISDEAL = "misdeal"


class Trick(NamedTuple):
    """A finished trick with its pond.

    Attributes:
        leader: seat that added to the pond first and led the trick.
        bait: face-up cards of the pond, clockwise from the leader's; trap and cards are in the same order.
        trap: face-down cards of the pond; empty without a trap.
        winner: seat that took the trick and the pond.
        was_tied: True if the leader decided a tie.
    """

    leader: int
    bait: tuple[Card, ...]
    trap: tuple[Card, ...]
    cards: tuple[Card, ...]
    winner: int
    was_tied: bool

    @property
    def all_cards(self) -> tuple[Card, ...]:
        return self.bait + self.trap + self.cards


class Round(NamedTuple):
    """Immutable state of a round. Seats are numbered from 0 clockwise.

    Attributes:
        to_move: seat to move; the dealer when the round is over.
        hidden: five cards of each seat that its player cannot see yet.
        markers: card set aside by each seat, or None.
        leader: seat that adds to the pond first and leads the trick.
        bait: face-up cards of the pond, starting with the leader's.
        trap: face-down cards of the pond.
        cards: cards played to the trick so far.
    """

    rules: Rules
    dealer: int
    deal: Deal
    phase: Phase
    to_move: int
    hands: tuple[tuple[Card, ...], ...]
    hidden: tuple[tuple[Card, ...], ...]
    markers: tuple[Card | None, ...]
    leader: int
    bait: tuple[Card, ...] = ()
    trap: tuple[Card, ...] = ()
    cards: tuple[Card, ...] = ()
    tricks: tuple[Trick, ...] = ()

    @classmethod
    def begin(cls, rules: Rules, dealer: int, deal: Deal) -> Round:
        """Return the first state of a round. The caller must check the deal with `check_deal`."""
        hands, hidden = deal.open_hands(dealer), deal.hidden_hands(dealer)
        is_misdeal = any(all(marker_group(card) is None for card in hand) for hand in hands)
        phase = Phase.MISDEAL if is_misdeal else Phase.PROFIT
        return cls(rules, dealer, deal, phase, dealer, hands, hidden, (None,) * rules.seats, dealer)

    @property
    def legal_actions(self) -> tuple[Action, ...]:
        """Legal actions of the player to move. Identical cards are listed once."""
        hand = self.hands[self.to_move]
        if len(self.hands) == 4:
            hand = tuple(dict.fromkeys(hand))
        match self.phase:
            case Phase.PROFIT:
                return tuple([card for card in hand if marker_group(card) is not None])
            case Phase.BAIT | Phase.TRICK:
                return hand
            case Phase.TRAP:
                return hand if self.trap else (*hand, NO_TRAP)
            case Phase.TIE:
                return tuple([TAKEN_BY + seat for seat in self.tied_seats])
        return ()

    @property
    def tied_seats(self) -> tuple[int, ...]:
        """Seats with cards that tie for the highest in a complete trick, in playing order."""
        strengths = [STRENGTH[card] for card in self.cards]
        highest, seats = max(strengths), len(self.hands)
        return tuple([(self.leader + place) % seats for place, strength in enumerate(strengths) if strength == highest])

    def play(self, action: Action) -> Round:
        """Return the state after an action by the player to move.

        Raises:
            IllegalCard: the action is illegal; the message gives the reason.
        """
        if action not in self.legal_actions:
            raise IllegalCard(self._explain_illegal(action))
        return self._play_legal(action)

    def _play_legal(self, action: Action) -> Round:
        phase, mover = self.phase, self.to_move
        if phase is Phase.TIE:
            return self._take_trick(action - TAKEN_BY, was_tied=True)
        if action == NO_TRAP:
            return self._replace(phase=Phase.TRICK)
        hands = _without_card(self.hands, mover, action)
        following = (mover + 1) % len(hands)
        match phase:
            case Phase.PROFIT:
                return self._set_aside(action, hands, following)
            case Phase.BAIT:
                after = Phase.BAIT if following != self.leader else Phase.TRAP
                return self._replace(hands=hands, bait=(*self.bait, action), to_move=following, phase=after)
            case Phase.TRAP:
                after = Phase.TRAP if following != self.leader else Phase.TRICK
                return self._replace(hands=hands, trap=(*self.trap, action), to_move=following, phase=after)
        played = self._replace(hands=hands, cards=(*self.cards, action), to_move=following)
        return played if following != self.leader else played._finish_trick()

    def _set_aside(self, card: Card, hands: tuple[tuple[Card, ...], ...], following: int) -> Round:
        markers = (*self.markers[: self.to_move], card, *self.markers[self.to_move + 1 :])
        if following != self.dealer:
            return self._replace(hands=hands, markers=markers, to_move=following)
        whole_hands = tuple([tuple(sorted(hand + more)) for hand, more in zip(hands, self.hidden, strict=True)])
        no_cards: tuple[tuple[Card, ...], ...] = ((),) * len(hands)
        return self._replace(
            hands=whole_hands, hidden=no_cards, markers=markers, to_move=following, phase=Phase.BAIT, leader=self.dealer
        )

    def _finish_trick(self) -> Round:
        tied = self.tied_seats
        if len(tied) == 1:
            return self._take_trick(tied[0], was_tied=False)
        highest = self.cards[(tied[0] - self.leader) % len(self.hands)]
        is_twin = highest // 13 == SPADES
        if (is_twin and self.rules.twins == "first") or (self.leader not in tied and self.rules.outside == "first"):
            return self._take_trick(tied[0], was_tied=False)
        return self._replace(phase=Phase.TIE, to_move=self.leader)

    def _take_trick(self, winner: int, *, was_tied: bool) -> Round:
        trick = Trick(self.leader, self.bait, self.trap, self.cards, winner, was_tied)
        is_over = len(self.hands[0]) < MIN_HAND
        return self._replace(
            phase=Phase.OVER if is_over else Phase.BAIT,
            to_move=self.dealer if is_over else winner,
            leader=winner,
            bait=(),
            trap=(),
            cards=(),
            tricks=(*self.tricks, trick),
        )

    def pile_of(self, seat: int) -> tuple[Card, ...]:
        """Return all cards that a seat has taken."""
        return tuple([card for trick in self.tricks if trick.winner == seat for card in trick.all_cards])

    def group_of(self, seat: int) -> ProfitGroup | None:
        """Return the profit ranks of a seat; None before it has chosen."""
        marker = self.markers[seat]
        return None if marker is None else marker_group(marker)

    @property
    def scores(self) -> tuple[int, ...]:
        """Current points in each seat's pile; 0 before the seat has chosen its profit ranks."""
        return tuple(map(self._score_of, range(self.rules.seats)))

    def _score_of(self, seat: int) -> int:
        marker = self.markers[seat]
        group = None if marker is None else marker_group(marker)
        if marker is None or group is None:
            return 0
        values = value_table(self.deal.poison_suits[seat], group)
        own_marker = values[marker] if self.rules.aside == "counts" else 0
        return own_marker + sum([values[card] for card in self.pile_of(seat)])

    @property
    def team_scores(self) -> tuple[int, int]:
        """Current points of each side."""
        scores = self.scores
        return sum(scores[0::2]), sum(scores[1::2])

    def parse_action(self, text: str) -> Action:
        """Parse an action: a card, `-` for no trap, or `>2` to give a tied trick to seat 2. The action may be illegal.

        Raises:
            CardNotationError: the text is not an action.
        """
        if text == NO_TRAP_TEXT:
            return NO_TRAP
        if text in [f"{TAKEN_BY_TEXT}{seat + 1}" for seat in range(self.rules.seats)]:
            return TAKEN_BY + int(text[1:]) - 1
        return parse_card(text)

    def _explain_illegal(self, action: Action) -> Message:
        if self.phase in (Phase.OVER, Phase.MISDEAL):
            return Message("cards.illegal.over")
        if self.phase is Phase.TIE:
            return Message("cards.illegal.tie", choices=tuple(map(format_action, self.legal_actions)))
        if action == NO_TRAP:
            return Message("cards.illegal.trap_needed" if self.phase is Phase.TRAP else "cards.illegal.no_trap_now")
        if action >= TAKEN_BY:
            return Message("cards.illegal.no_tie")
        if action not in self.hands[self.to_move]:
            return Message("cards.illegal.not_in_hand", card=card_text(action))
        return Message("cards.illegal.no_marker", card=card_text(action))


def format_action(action: Action) -> str:
    """Format an action for records."""
    if action == NO_TRAP:
        return NO_TRAP_TEXT
    return f"{TAKEN_BY_TEXT}{action - TAKEN_BY + 1}" if action >= TAKEN_BY else format_card(action)


def _without_card(hands: tuple[tuple[Card, ...], ...], seat: int, card: Card) -> tuple[tuple[Card, ...], ...]:
    hand = hands[seat]
    place = hand.index(card)
    return (*hands[:seat], hand[:place] + hand[place + 1 :], *hands[seat + 1 :])
