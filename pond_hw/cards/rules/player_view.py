"""A game as one player knows it: `view_for(game, seat)`. Bots and screens get nothing else.

Players know their own cards, the card they set aside and, after all have chosen, their partner's. They also know all
cards played face up, their own trap cards, and the trap cards of tricks they took. They do not know other hands, other
profit ranks, other trap cards, or cards that were not dealt. When a round is over, all piles and profit ranks are
shown, but cards left in a hand stay hidden.
"""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.cards.rules.card import Card, ProfitGroup, marker_group
from pond_hw.cards.rules.deal import Picks
from pond_hw.cards.rules.game import CardGame, is_game_over
from pond_hw.cards.rules.options import Rules
from pond_hw.cards.rules.round import Action, Phase, Round, Trick

VisibleCards = tuple[Card | None, ...]
"""Cards, with None for each face-down card."""


class TrickView(NamedTuple):
    """A trick as one player knows it: like `Trick`, but with None for unseen trap cards."""

    leader: int
    bait: tuple[Card, ...]
    trap: VisibleCards
    cards: tuple[Card, ...]
    winner: int
    was_tied: bool


class RoundScore(NamedTuple):
    """Result of a round: its dealer, and each seat's profit ranks, poison suit and points."""

    dealer: int
    groups: tuple[ProfitGroup | None, ...]
    poison_suits: tuple[int, ...]
    scores: tuple[int, ...]


class PlayerView(NamedTuple):
    """Everything that a seat knows at one moment.

    Attributes:
        legal_actions: actions of this seat; empty if it is not its turn.
        picks: cards that each seat turned up to pick its poison.
        hand: cards of this seat; only the eleven visible ones before the profit ranks are chosen.
        hand_sizes: number of cards in each hand, including hidden ones.
        has_chosen: for each seat, True once it has set a card aside.
        markers: card set aside by each seat; None if unknown.
        leader: seat that adds to the pond first and leads the trick.
        bait: face-up cards of the pond, starting with the leader's.
        trap: face-down cards of the pond; None for those of other seats.
        cards: cards played to the trick so far.
        tied_seats: seats that the leader must choose between.
        tricks: tricks taken in this round.
        past_rounds: scored rounds, including this one when it is over.
        totals: points of each side in the scored rounds.
    """

    rules: Rules
    seat: int
    round_number: int
    dealer: int
    phase: Phase
    to_move: int
    legal_actions: tuple[Action, ...]
    picks: Picks
    hand: tuple[Card, ...]
    hand_sizes: tuple[int, ...]
    has_chosen: tuple[bool, ...]
    markers: VisibleCards
    leader: int
    bait: tuple[Card, ...]
    trap: VisibleCards
    cards: tuple[Card, ...]
    tied_seats: tuple[int, ...]
    tricks: tuple[TrickView, ...]
    past_rounds: tuple[RoundScore, ...]
    totals: tuple[int, int]

    @property
    def poison_suits(self) -> tuple[int, ...]:
        return tuple([pile[-1] // 13 for pile in self.picks])

    @property
    def is_over(self) -> bool:
        return is_game_over(self.rules, len(self.past_rounds), self.totals)

    def group_of(self, seat: int) -> ProfitGroup | None:
        """Return the profit ranks of a seat; None if unknown."""
        marker = self.markers[seat]
        return None if marker is None else marker_group(marker)

    def tricks_of(self, seat: int) -> int:
        """Return the number of tricks that a seat has taken in this round."""
        return sum(trick.winner == seat for trick in self.tricks)


def view_for(game: CardGame, seat: int) -> PlayerView:
    """Return the view of a seat.

    Raises:
        ValueError: no cards have been dealt yet.
    """
    played = game.current_round
    if played is None:
        raise ValueError("Nobody has dealt.")
    is_over, is_mover = played.phase is Phase.OVER, played.to_move == seat
    return PlayerView(
        rules=game.rules,
        seat=seat,
        round_number=len(game.finished_rounds) + (not is_over),
        dealer=played.dealer,
        phase=played.phase,
        to_move=played.to_move,
        legal_actions=played.legal_actions if is_mover else (),
        picks=played.deal.picks,
        hand=played.hands[seat],
        hand_sizes=tuple([len(hand) + len(more) for hand, more in zip(played.hands, played.hidden, strict=True)]),
        has_chosen=tuple([marker is not None for marker in played.markers]),
        markers=_visible_markers(played, seat),
        leader=played.leader,
        bait=played.bait,
        trap=_hide_cards(played.trap, played, played.leader, seat),
        cards=played.cards,
        tied_seats=played.tied_seats if played.phase is Phase.TIE else (),
        tricks=tuple([_view_trick(trick, played, seat) for trick in played.tricks]),
        past_rounds=tuple(
            [
                RoundScore(
                    each.dealer, tuple(map(each.group_of, range(game.rules.seats))), each.deal.poison_suits, each.scores
                )
                for each in game.finished_rounds
            ]
        ),
        totals=game.totals,
    )


def _visible_markers(played: Round, seat: int) -> VisibleCards:
    if played.phase is Phase.OVER:
        return played.markers
    known = {seat} if played.phase is Phase.PROFIT else {seat, played.rules.partner_of(seat)}
    return tuple([marker if each in known else None for each, marker in enumerate(played.markers)])


def _view_trick(trick: Trick, played: Round, seat: int) -> TrickView:
    is_open = trick.winner == seat or played.rules.trap == "all" or played.phase is Phase.OVER
    trap: VisibleCards = trick.trap if is_open else _hide_cards(trick.trap, played, trick.leader, seat)
    return TrickView(trick.leader, trick.bait, trap, trick.cards, trick.winner, trick.was_tied)


def _hide_cards(trap: tuple[Card, ...], played: Round, leader: int, seat: int) -> VisibleCards:
    """Return the trap cards, with None for all except this seat's own."""
    own = (seat - leader) % played.rules.seats
    return tuple([card if place == own else None for place, card in enumerate(trap)])
