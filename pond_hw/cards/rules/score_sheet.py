"""Score of a game played with real cards, computed by pure functions.

The score follows from a list of entries, which are short texts. Undo drops the last entry and replays the others.

    poison 1 h      poison suit of a side: h, d or c
    trap            this pond has a trap; entered again: it has none
    trick 2         seat 2 took the trick
    count           the round is over: count the piles
    add profit      add a card of this category to the current pile
    less profit     remove a card of this category
    next            finish this pile; after the last pile the round is scored
    points 35 -20   end the round with the points of each seat, without counting
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from pond_hw.cards.rules.card import SUITS, Category
from pond_hw.cards.rules.game import is_game_over
from pond_hw.cards.rules.options import Rules
from pond_hw.cards.rules.round import MIN_HAND
from pond_hw.messages.message import Message, PondError

HAND_CARDS = 15
"""Number of cards in a hand when regular play begins."""

PileCount = tuple[int, ...]
"""Number of cards of each category in a pile, in the order of `Category`."""

EMPTY_PILE: PileCount = (0,) * len(Category)

_POINTS = re.compile(r"-?[0-9]{1,3}", re.ASCII)

_CATEGORIES = [category.value for category in Category]


class InvalidEntry(PondError):
    """An entry that is not possible now."""


class SheetPhase(Enum):
    """Phase of a score sheet, which determines the entries that are possible next."""

    POISON = "poison"
    TRICKS = "tricks"
    COUNT = "count"
    OVER = "over"


class SheetRound(NamedTuple):
    """A scored round.

    Attributes:
        poison: poison suit of each side; None if it was not entered.
        piles: pile of each seat; empty if only the points were entered.
    """

    dealer: int
    poison: tuple[int | None, int | None]
    tricks: tuple[int, ...]
    scores: tuple[int, ...]
    piles: tuple[PileCount, ...] = ()

    @property
    def side_scores(self) -> tuple[int, int]:
        return sum(self.scores[0::2]), sum(self.scores[1::2])


class ScoreSheet(NamedTuple):
    """Immutable state of a score sheet.

    Attributes:
        poison: poison suit of each side in this round; None before it is entered.
        leader: seat that adds to the pond first and leads the trick.
        winners: winner of each trick in this round.
        counting: seat whose pile is being counted.
        piles: piles counted so far.
    """

    rules: Rules = Rules()
    first_dealer: int = 0
    phase: SheetPhase = SheetPhase.POISON
    poison: tuple[int | None, int | None] = (None, None)
    leader: int = 0
    cards_left: int = HAND_CARDS
    has_trap: bool = False
    winners: tuple[int, ...] = ()
    counting: int = 0
    piles: tuple[PileCount, ...] = ()
    rounds: tuple[SheetRound, ...] = ()

    @property
    def dealer(self) -> int:
        """Seat that deals this round."""
        return (self.first_dealer + len(self.rounds)) % self.rules.seats

    @property
    def totals(self) -> tuple[int, int]:
        """Points of each side in the scored rounds."""
        return sum([each.side_scores[0] for each in self.rounds]), sum([each.side_scores[1] for each in self.rounds])

    @property
    def winner(self) -> int | None:
        """Winning side; None for a draw or an unfinished game."""
        first, second = self.totals
        return None if self.phase is not SheetPhase.OVER or first == second else int(second > first)

    @property
    def pile(self) -> PileCount:
        """Cards counted so far in the current pile."""
        return self.piles[self.counting]

    def tricks_of(self, seat: int) -> int:
        """Return the number of tricks that a seat has taken in this round."""
        return self.winners.count(seat)

    @property
    def possible_cards(self) -> tuple[int, ...]:
        """Numbers of cards that the piles of this round can contain in total."""
        if self.winners and self.cards_left < MIN_HAND:
            return (self.rules.seats * (HAND_CARDS - self.cards_left),)
        return tuple(self.rules.seats * (HAND_CARDS - left) for left in reversed(range(1, MIN_HAND)))

    @property
    def counted_cards(self) -> int:
        """Number of cards counted in this round."""
        return sum(map(sum, self.piles))

    @property
    def count_warning(self) -> Message | None:
        """Warning at the last pile if the piles don't add up to the number of cards played, else None."""
        is_last = self.phase is SheetPhase.COUNT and self.counting == self.rules.seats - 1
        if not is_last or self.counted_cards in self.possible_cards:
            return None
        possible = tuple(map(str, self.possible_cards))
        return Message("cards.sheet.wrong_count", count=self.counted_cards, numbers=possible)

    def after(self, entry: str) -> ScoreSheet:
        """Return the sheet with one more entry.

        Raises:
            InvalidEntry: the entry is not possible now.
        """
        match entry.split(), self.phase:
            case ["poison", ("1" | "2") as side, ("h" | "d" | "c") as suit], SheetPhase.POISON:
                return self._set_poison(int(side) - 1, SUITS.index(suit))
            case ["trap"], SheetPhase.TRICKS:
                return self._replace(has_trap=not self.has_trap)
            case ["trick", seat], SheetPhase.TRICKS if seat in self._seat_names:
                return self._add_trick(int(seat) - 1)
            case ["count"], SheetPhase.TRICKS:
                return self._begin_count()
            case [("add" | "less") as verb, category], SheetPhase.COUNT if category in _CATEGORIES:
                return self._change_pile(_CATEGORIES.index(category), 1 if verb == "add" else -1)
            case ["next"], SheetPhase.COUNT:
                return self._finish_pile()
            case ["points", *points], phase if phase is not SheetPhase.OVER and self._are_scores(points):
                return self._finish_round(tuple(map(int, points)))
        raise InvalidEntry(Message("cards.sheet.wrong_entry", text=entry[:30]))

    @property
    def _seat_names(self) -> list[str]:
        return [str(seat + 1) for seat in range(self.rules.seats)]

    def _set_poison(self, side: int, suit: int) -> ScoreSheet:
        poison = (suit, self.poison[1]) if side == 0 else (self.poison[0], suit)
        if None in poison:
            return self._replace(poison=poison)
        return self._replace(poison=poison, phase=SheetPhase.TRICKS, leader=self.dealer, cards_left=HAND_CARDS)

    def _add_trick(self, seat: int) -> ScoreSheet:
        left = self.cards_left - (3 if self.has_trap else 2)
        played = self._replace(winners=(*self.winners, seat), leader=seat, cards_left=left, has_trap=False)
        return played if left >= MIN_HAND else played._begin_count()

    def _begin_count(self) -> ScoreSheet:
        return self._replace(phase=SheetPhase.COUNT, counting=0, piles=(EMPTY_PILE,) * self.rules.seats)

    def _change_pile(self, category: int, step: int) -> ScoreSheet:
        pile = list(self.pile)
        pile[category] += step
        max_poison = (13 - 1) * self.rules.decks  # for each deck, the card picked is out of play
        if pile[category] < 0:
            raise InvalidEntry(Message("cards.sheet.none_left"))
        if pile[0] > max_poison or (step > 0 and self.counted_cards >= self.possible_cards[-1]):
            raise InvalidEntry(Message("cards.sheet.too_many"))
        return self._replace(piles=(*self.piles[: self.counting], tuple(pile), *self.piles[self.counting + 1 :]))

    def _finish_pile(self) -> ScoreSheet:
        if self.counting + 1 < self.rules.seats:
            return self._replace(counting=self.counting + 1)
        return self._finish_round(tuple(map(pile_points, self.piles)), self.piles)

    def _are_scores(self, points: Sequence[str]) -> bool:
        return len(points) == self.rules.seats and all(map(_POINTS.fullmatch, points))

    def _finish_round(self, scores: tuple[int, ...], piles: tuple[PileCount, ...] = ()) -> ScoreSheet:
        tricks = tuple([self.tricks_of(seat) for seat in range(self.rules.seats)])
        scored = SheetRound(self.dealer, self.poison, tricks, scores, piles)
        following = ScoreSheet(self.rules, self.first_dealer, rounds=(*self.rounds, scored))
        if is_game_over(self.rules, len(following.rounds), following.totals):
            return following._replace(phase=SheetPhase.OVER, poison=self.poison)
        if self.rules.poison == "game" and None not in self.poison:
            return following._replace(poison=self.poison, phase=SheetPhase.TRICKS, leader=following.dealer)
        return following


def pile_points(pile: PileCount) -> int:
    return sum([category.points * count for category, count in zip(Category, pile, strict=True)])


def replay_entries(rules: Rules, first_dealer: int, entries: Sequence[str]) -> ScoreSheet:
    """Return the sheet that results from these entries.

    Raises:
        InvalidEntry: an entry is not possible.
    """
    sheet = ScoreSheet(rules, first_dealer)
    for entry in entries:
        sheet = sheet.after(entry)
    return sheet
