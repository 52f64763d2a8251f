"""A whole card game: its rounds, its totals, and undo by playing it again without its last event."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from pond_hw.cards.rules.deal import Deal, Picks, check_deal, deal_cards
from pond_hw.cards.rules.options import Rules
from pond_hw.cards.rules.round import Action, IllegalCard, Phase, Round
from pond_hw.messages.message import Message

GameEvent = Deal | Action
"""All that happens in a game: cards are dealt, and a player acts."""


class CardGame(NamedTuple):
    """A card game at one moment.

    Attributes:
        rules: how it is played.
        first_dealer: the seat that deals the first round.
        current_round: the round that was dealt last, None before the first one.
        finished_rounds: the rounds that are scored.
        totals: what each side has after those.
        events: everything that happened, in order.
    """

    rules: Rules = Rules()
    first_dealer: int = 0
    current_round: Round | None = None
    finished_rounds: tuple[Round, ...] = ()
    totals: tuple[int, int] = (0, 0)
    events: tuple[GameEvent, ...] = ()

    @property
    def needs_deal(self) -> bool:
        """True if cards have to be dealt next."""
        played = self.current_round
        return played is None or played.phase is Phase.MISDEAL or (played.phase is Phase.OVER and not self.is_over)

    @property
    def next_dealer(self) -> int:
        """Seat that deals next: after a misdeal the same one, else the next one clockwise."""
        return (self.first_dealer + len(self.finished_rounds)) % self.rules.seats

    @property
    def is_over(self) -> bool:
        """True if all rounds are played."""
        return is_game_over(self.rules, len(self.finished_rounds), self.totals)

    @property
    def winner(self) -> int | None:
        """The side that has won, if the game is over and one has."""
        first, second = self.totals
        return None if not self.is_over or first == second else int(second > first)

    @property
    def unchanged_picks(self) -> Picks | None:
        """The cards that were turned up for poison, if the next deal leaves them as they are."""
        played = self.current_round
        if played is None:
            return None
        was_misdealt = played.phase is Phase.MISDEAL
        keeps = self.rules.misdeal == "keep" if was_misdealt else self.rules.poison == "game"
        return played.deal.picks if keeps else None

    def make_deal(self, rng: Random) -> Deal:
        """The next deal, by chance."""
        return deal_cards(self.rules, self.next_dealer, rng, self.unchanged_picks)

    def after(self, event: GameEvent) -> CardGame:
        """The game after an event.

        Raises:
            IllegalCard: it is not time for that, or the rules do not allow it.
            ImpossibleDeal: nobody can have dealt like that.
        """
        events = (*self.events, event)
        if isinstance(event, Deal):
            self._check_deal(event)
            return self._replace(current_round=Round.begin(self.rules, self.next_dealer, event), events=events)
        if self.needs_deal or self.is_over or self.current_round is None:
            raise IllegalCard(Message("cards.illegal.game_over" if self.is_over else "cards.illegal.deal_first"))
        played = self.current_round.play(event)
        if played.phase is not Phase.OVER:
            return self._replace(current_round=played, events=events)
        first, second = played.team_scores
        totals = self.totals[0] + first, self.totals[1] + second
        return self._replace(
            current_round=played, finished_rounds=(*self.finished_rounds, played), totals=totals, events=events
        )

    def _check_deal(self, deal: Deal) -> None:
        if not self.needs_deal:
            raise IllegalCard(Message("cards.illegal.no_deal"))
        check_deal(self.rules, deal)
        if self.unchanged_picks is not None and deal.picks != self.unchanged_picks:
            raise IllegalCard(Message("cards.illegal.poison_stays"))

    def undo(self) -> CardGame:
        """The game without its last event: all others happen again.

        Raises:
            IllegalCard: nothing has happened yet.
        """
        if not self.events:
            raise IllegalCard(Message("cards.illegal.nothing_to_undo"))
        return replay_events(self.rules, self.first_dealer, self.events[:-1])


def is_game_over(rules: Rules, round_count: int, totals: tuple[int, int]) -> bool:
    """Return True if a game is over after this number of scored rounds with these totals."""
    return round_count >= rules.rounds and (totals[0] != totals[1] or rules.draw == "shared")


def replay_events(rules: Rules, first_dealer: int, events: tuple[GameEvent, ...]) -> CardGame:
    """The game in which all this happens.

    Raises:
        IllegalCard, ImpossibleDeal: it cannot.
    """
    game = CardGame(rules, first_dealer)
    for event in events:
        game = game.after(event)
    return game
