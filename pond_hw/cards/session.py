"""A card game in progress: people and computer players, deals from a seed, undo and hints.

All random choices depend only on the seed: a deal also on its number, and a bot's choice on its seat and the number of
events. A game therefore repeats exactly after undo, and on any machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from pond_hw.cards.bots import StrongBot, make_bot
from pond_hw.cards.rules import CardGame, Phase, PlayerView, Rules, view_for
from pond_hw.cards.rules.deal import Deal
from pond_hw.cards.rules.game import GameEvent, replay_events
from pond_hw.cards.rules.record import CardRecord
from pond_hw.cards.rules.round import Action, IllegalCard
from pond_hw.messages.message import Message

HUMAN = "human"
"""Entry in `seats` for a seat played by a person."""


class CardSession:
    """A game with a player at each seat.

    Args:
        seats: `human` or the name of a bot, for each seat.
        seed: seed for all random choices.
        names: name of the person at each seat; "" if unknown.
    """

    def __init__(
        self,
        rules: Rules,
        seats: Sequence[str],
        seed: int = 0,
        first_dealer: int = 0,
        names: Sequence[str] = (),
        events: tuple[GameEvent, ...] = (),
    ) -> None:
        self.seats, self.seed = tuple(seats), seed
        self.names = tuple(names) or ("",) * rules.seats
        self.game: CardGame = replay_events(rules, first_dealer, events)
        for name in set(self.seats) - {HUMAN}:
            make_bot(name, Random(0))  # refuse an unknown name at once

    @property
    def rules(self) -> Rules:
        return self.game.rules

    @property
    def people(self) -> tuple[int, ...]:
        """Seats played by people."""
        return tuple([seat for seat, name in enumerate(self.seats) if name == HUMAN])

    @property
    def seat_names(self) -> tuple[str, ...]:
        """Name of the person or bot at each seat; "" for a person without a name."""
        return tuple([name if who == HUMAN else who for who, name in zip(self.seats, self.names, strict=True)])

    @property
    def shown_names(self) -> tuple[str | Message, ...]:
        """Names to show on a screen. Several bots of the same kind are numbered."""
        shown = list[str | Message]()
        for seat, (kind, name) in enumerate(zip(self.seats, self.names, strict=True), 1):
            if kind == HUMAN:
                shown.append(name)
            elif self.seats.count(kind) > 1:
                shown.append(Message("cards.program.numbered", number=seat))
            else:
                shown.append(Message(f"cards.program.{kind}"))
        return tuple(shown)

    @property
    def record(self) -> CardRecord:
        """Record of the game so far."""
        return CardRecord(self.game, self.seat_names)

    @property
    def to_move(self) -> int | None:
        """Seat to move; None before a deal and after the game."""
        played = self.game.current_round
        return None if played is None or self.game.needs_deal or self.game.is_over else played.to_move

    @property
    def is_persons_turn(self) -> bool:
        return self.to_move is not None and self.seats[self.to_move] == HUMAN

    def view_for(self, seat: int) -> PlayerView:
        return view_for(self.game, seat)

    def deal(self) -> Deal:
        """Deal the next round, or deal again after a misdeal.

        Raises:
            IllegalCard: no deal is due.
        """
        number = sum(isinstance(event, Deal) for event in self.game.events)
        deal = self.game.make_deal(Random(f"{self.seed} deal {number}"))
        self.game = self.game.after(deal)
        return deal

    def act(self, action: Action) -> None:
        """Play an action of the seat to move.

        Raises:
            IllegalCard: the rules do not allow the action.
        """
        self.game = self.game.after(action)

    def choose_for_program(self) -> Action:
        """Choose an action for the bot whose turn it is."""
        seat = self.to_move
        assert seat is not None
        rng = Random(f"{self.seed} {seat} {len(self.game.events)}")
        return make_bot(self.seats[seat], rng).choose(self.view_for(seat))

    def hint(self) -> Action:
        """Return the action that the strong bot would choose, given what the seat to move may know."""
        seat = self.to_move
        if seat is None:
            raise IllegalCard(Message("cards.no_hint"))
        rng = Random(f"{self.seed} hint {len(self.game.events)}")
        return StrongBot(rng).choose(self.view_for(seat))

    def run_programs(self) -> None:
        """Deal and let bots act until it is a person's turn or the game is over."""
        while not self.game.is_over and not self.is_persons_turn:
            if self.game.needs_deal:
                self.deal()
            else:
                self.act(self.choose_for_program())

    def undo(self) -> int:
        """Undo the last action by a person, and everything after it.

        Returns:
            Number of events undone.

        Raises:
            IllegalCard: no person has acted yet.
        """
        place, game = None, CardGame(self.rules, self.game.first_dealer)
        for number, event in enumerate(self.game.events):
            played = game.current_round
            if not isinstance(event, Deal) and played and self.seats[played.to_move] == HUMAN:
                place = number
            game = game.after(event)
        if place is None:
            raise IllegalCard(Message("cards.illegal.nothing_to_undo"))
        count = len(self.game.events) - place
        self.game = replay_events(self.rules, self.game.first_dealer, self.game.events[:place])
        return count

    @property
    def is_round_over(self) -> bool:
        played = self.game.current_round
        return played is not None and played.phase is Phase.OVER
