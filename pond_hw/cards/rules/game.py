"""A whole card game: rounds, totals, and undo, which replays all events except the last."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from pond_hw.cards.rules.deal import Deal, Picks, check_deal, deal_cards
from pond_hw.cards.rules.options import Rules
from pond_hw.cards.rules.round import Action, IllegalCard, Phase, Round
from pond_hw.messages.message import Message

GameEvent = Deal | Action
"""An event in a game: a deal, or a player's action."""


class CardGame(NamedTuple):
    """Immutable state of a card game.

    Attributes:
        current_round: the last round dealt; None before the first deal.
        finished_rounds: rounds that have been scored.
        totals: points of each side in the finished rounds.
    """

    rules: Rules = Rules()
    first_dealer: int = 0
    current_round: Round | None = None
    finished_rounds: tuple[Round, ...] = ()
    totals: tuple[int, int] = (0, 0)
    events: tuple[GameEvent, ...] = ()

    @property
    def needs_deal(self) -> bool:
        """True if cards must be dealt next."""
        played = self.current_round
        return played is None or played.phase is Phase.MISDEAL or (played.phase is Phase.OVER and not self.is_over)

    @property
    def next_dealer(self) -> int:
        """Seat that deals next: the same seat after a misdeal, otherwise the next one clockwise."""
        return (self.first_dealer + len(self.finished_rounds)) % self.rules.seats

    @property
    def is_over(self) -> bool:
        return is_game_over(self.rules, len(self.finished_rounds), self.totals)

    @property
    def winner(self) -> int | None:
        """Winning side; None for a draw or an unfinished game."""
        first, second = self.totals
        return None if not self.is_over or first == second else int(second > first)

    @property
    def unchanged_picks(self) -> Picks | None:
        """Poison picks that the next deal must repeat; None if players pick again."""
        played = self.current_round
        if played is None:
            return None
        was_misdealt = played.phase is Phase.MISDEAL
        keeps = self.rules.misdeal == "keep" if was_misdealt else self.rules.poison == "game"
        return played.deal.picks if keeps else None

    def make_deal(self, rng: Random) -> Deal:
        return deal_cards(self.rules, self.next_dealer, rng, self.unchanged_picks)

    def after(self, event: GameEvent) -> CardGame:
        """Return the game after an event.

        Raises:
            IllegalCard: the rules do not allow the event now.
            ImpossibleDeal: the deal is impossible.
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
        """Return the game without its last event.

        Raises:
            IllegalCard: there is nothing to undo.
        """
        if not self.events:
            raise IllegalCard(Message("cards.illegal.nothing_to_undo"))
        return replay_events(self.rules, self.first_dealer, self.events[:-1])


def is_game_over(rules: Rules, round_count: int, totals: tuple[int, int]) -> bool:
    """Return True if a game with these totals is over after this number of scored rounds."""
    return round_count >= rules.rounds and (totals[0] != totals[1] or rules.draw == "shared")


def replay_events(rules: Rules, first_dealer: int, events: tuple[GameEvent, ...]) -> CardGame:
    """Return the game after these events.

    Raises:
        IllegalCard, ImpossibleDeal: the rules do not allow an event.
    """
    game = CardGame(rules, first_dealer)
    for event in events:
        game = game.after(event)
    return game
