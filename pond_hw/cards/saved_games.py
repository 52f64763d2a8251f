"""Storage of card games and score sheets in the journal: a header and a list of entries, which are short texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pond_hw.cards.rules.card import format_card, parse_card
from pond_hw.cards.rules.deal import Deal
from pond_hw.cards.rules.game import GameEvent, replay_events
from pond_hw.cards.rules.options import Rules, parse_options
from pond_hw.cards.rules.record import CardRecord
from pond_hw.cards.rules.round import format_action
from pond_hw.cards.rules.score_sheet import ScoreSheet, replay_entries
from pond_hw.cards.session import CardSession
from pond_hw.journal.other_games import CARDS_FOLDER, OtherGame
from pond_hw.messages.message import Message, PondError

PLAY, SCORE = "play", "score"
"""Kinds of saved games: a game played here, and the score of a game with real cards."""


def cards_folder(journal_folder: Path | None) -> Path | None:
    """Return the folder for card games inside a journal folder."""
    return journal_folder / CARDS_FOLDER if journal_folder else None


def make_facts(
    kind: str, rules: Rules, dealer: int, names: Sequence[str], seats: Sequence[str] = (), seed: int = 0
) -> dict[str, object]:
    """Build the header of a saved game."""
    facts: dict[str, object] = {"game": "cards", "kind": kind, "players": rules.seats, "dealer": dealer}
    facts |= {"options": list(rules.changed_options), "names": list(names)}
    return facts | ({"seats": list(seats), "seed": seed} if kind == PLAY else {})


def format_event(event: GameEvent) -> str:
    """Format an event as a journal entry."""
    if not isinstance(event, Deal):
        return format_action(event)
    picks = " / ".join(" ".join(map(format_card, pile)) for pile in event.picks)
    return f"deal {picks} | {' '.join(map(format_card, event.stock))}"


def _parse_events(rules: Rules, dealer: int, entries: Sequence[str]) -> tuple[GameEvent, ...]:
    game = replay_events(rules, dealer, ())
    for entry in entries:
        if entry.startswith("deal "):
            picks, _, stock = entry.removeprefix("deal ").partition("|")
            piles = tuple(tuple(map(parse_card, pile.split())) for pile in picks.split("/"))
            game = game.after(Deal(piles, tuple(map(parse_card, stock.split()))))
        else:
            assert game.current_round is not None
            game = game.after(game.current_round.parse_action(entry))
    return game.events


def _read_rules(facts: Mapping[str, object]) -> tuple[Rules, int]:
    options, players, dealer = facts["options"], facts["players"], facts["dealer"]
    if not isinstance(options, list) or not isinstance(players, int) or not isinstance(dealer, int):
        raise TypeError(facts)
    return parse_options(players, options), dealer


def _read_texts(facts: Mapping[str, object], name: str) -> tuple[str, ...]:
    texts = facts.get(name)
    return tuple(map(str, texts)) if isinstance(texts, list) else ()


class SavedCardGame:
    """A card game or score sheet in the journal.

    Args:
        number: number shown to the user; the oldest game is 1.
        stored: the game as read from the journal.

    Attributes:
        is_score: True for the score of a game with real cards.

    Raises:
        PondError: the game is invalid.
    """

    def __init__(self, number: int, stored: OtherGame) -> None:
        self.number, self.uid, self.begun, self.facts = number, stored.uid, stored.begun, stored.facts
        try:
            self.is_score = stored.facts["kind"] == SCORE
            self.rules, self.dealer = _read_rules(stored.facts)
            self.names = _read_texts(stored.facts, "names")
            self.sheet: ScoreSheet | None = None
            self.events: tuple[GameEvent, ...] = ()
            if self.is_score:
                self.sheet = replay_entries(self.rules, self.dealer, stored.entries)
            else:
                self.events = _parse_events(self.rules, self.dealer, stored.entries)
        except (AssertionError, KeyError, TypeError, PondError) as error:
            reason = error.message if isinstance(error, PondError) else Message("text", text=repr(error)[:60])
            raise PondError(Message("cards.kept.unreadable", number=number, reason=reason)) from error
        self.entries = stored.entries

    @property
    def session(self) -> CardSession:
        """Session that continues the game."""
        seed = self.facts.get("seed")
        seats = _read_texts(self.facts, "seats")
        return CardSession(
            self.rules, seats, seed if isinstance(seed, int) else 0, self.dealer, self.names, self.events
        )

    @property
    def record(self) -> CardRecord:
        return self.session.record

    @property
    def totals(self) -> tuple[int, int]:
        """Points of each side."""
        return self.sheet.totals if self.sheet else self.session.game.totals

    @property
    def rounds(self) -> int:
        return len(self.sheet.rounds) if self.sheet else len(self.session.game.finished_rounds)

    @property
    def is_over(self) -> bool:
        return self.sheet.phase.value == "over" if self.sheet else self.session.game.is_over
