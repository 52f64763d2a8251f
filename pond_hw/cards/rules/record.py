"""Card games as text, for people, tests and other programs.

    [CardGame "two"]
    [Rules "poison=game"]
    [Seat1 "Ada"]
    [Seat2 "strong"]
    [Result "*"]

    picks 7h / 2s Kd
    stock 3c Ts ...
    aside 2h 9c
    1. 5c 8h - Kd 2s
    2. 4d 4c Ah 3d Jc Jh >1

`CardGame` is `two` or `four`. `Rules` lists the options that differ from the default. `Dealer` is the first dealer, if
it is not seat 1. A round begins with two lines: `picks`, the cards that each seat turned up to pick its poison, and
`stock`, all other cards in dealing order. After a misdeal, two more such lines follow. `aside` lists the cards set
aside, clockwise from the dealer. A numbered line is a trick: the bait, the trap or `-`, the cards of the trick, and
`>2` if a tie went to seat 2. The parser replays the game, and so refuses illegal records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, NoReturn

from pond_hw.cards.rules.card import format_card, parse_card
from pond_hw.cards.rules.deal import Deal
from pond_hw.cards.rules.game import CardGame
from pond_hw.cards.rules.options import Rules, parse_options
from pond_hw.cards.rules.round import Phase, Round
from pond_hw.messages.message import Message, PondError

SEAT_COUNTS = {"two": 2, "four": 4}
_TAG = re.compile(r'\[([A-Z][A-Za-z0-9]*) "([^"]*)"\]')
_MAX_RECORD_LENGTH = 200_000


class CardRecordError(PondError):
    """A malformed record, or a record of an illegal game."""


class CardRecord(NamedTuple):
    """A card game and its players.

    Attributes:
        names: name of the player at each seat; "" if unknown.
    """

    game: CardGame
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join((*self._tag_lines(), *self._round_lines(), ""))

    def _tag_lines(self) -> Iterator[str]:
        rules, game = self.game.rules, self.game
        yield f'[CardGame "{next(name for name, seats in SEAT_COUNTS.items() if seats == rules.seats)}"]'
        if rules.changed_options:
            yield f'[Rules "{" ".join(rules.changed_options)}"]'
        if game.first_dealer:
            yield f'[Dealer "{game.first_dealer + 1}"]'
        for seat, name in enumerate(self.names, 1):
            if name:
                yield f'[Seat{seat} "{name}"]'
        first, second = game.totals
        winner = "*" if not game.is_over else "draw" if game.winner is None else f"side {game.winner + 1}"
        yield f'[Result "{winner} {first} {second}"]'

    def _round_lines(self) -> Iterator[str]:
        game = CardGame(self.game.rules, self.game.first_dealer)
        for event in self.game.events:
            if isinstance(event, Deal):
                if (last := game.current_round) and last.phase is not Phase.MISDEAL:
                    yield from _format_round(last)
                yield ""
                yield "picks " + " / ".join(" ".join(map(format_card, pile)) for pile in event.picks)
                yield "stock " + " ".join(map(format_card, event.stock))
            game = game.after(event)
        if game.current_round:
            yield from _format_round(game.current_round)


def _format_round(played: Round) -> Iterator[str]:
    order = played.rules.seats_from(played.dealer)
    aside = [format_card(marker) for seat in order if (marker := played.markers[seat]) is not None]
    if aside:
        yield "aside " + " ".join(aside)
    number = 0
    for number, trick in enumerate(played.tricks, 1):
        trap = list(map(format_card, trick.trap)) or ["-"]
        words = [*map(format_card, trick.bait), *trap, *map(format_card, trick.cards)]
        yield f"{number}. " + " ".join([*words, *([f">{trick.winner + 1}"] if trick.was_tied else [])])
    if played.bait:
        no_trap = ["-"] if not played.trap and played.phase in (Phase.TRICK, Phase.TIE) else []
        words = [*map(format_card, played.bait + played.trap), *no_trap, *map(format_card, played.cards)]
        yield f"{number + 1}. " + " ".join(words)


def parse_record(text: str) -> CardRecord:
    """Parse a record and replay its game.

    Raises:
        CardRecordError: the record is malformed or its game is illegal; the message gives the reason and the line.
    """
    if len(text) > _MAX_RECORD_LENGTH:
        raise CardRecordError(Message("cards.record.too_long"))
    tags: dict[str, str] = {}
    lines = list(enumerate(text.removeprefix("\ufeff").splitlines(), 1))
    for number, line in lines:
        if line.startswith("["):
            tag = _TAG.fullmatch(line.strip())
            if not tag or tag[1] in tags:
                raise CardRecordError(Message("cards.record.wrong_tag", line=number))
            tags[tag[1]] = tag[2]
    game = _begin_game(tags)
    picks: str | None = None
    for number, line in lines:
        words = line.split()
        if not words or line.startswith("["):
            continue
        try:
            if words[0] == "picks":
                picks = line
            elif words[0] == "stock" and picks is not None:
                game, picks = game.after(_read_deal(picks, words[1:])), None
            elif words[0] == "aside" or re.fullmatch(r"[1-9][0-9]?\.", words[0], re.ASCII):
                game = _play_words(game, words[1:])
            else:
                _refuse_line(number)
        except CardRecordError:
            raise
        except PondError as error:
            raise CardRecordError(Message("cards.record.wrong", line=number, reason=error.message)) from error
    names = tuple([tags.get(f"Seat{seat}", "") for seat in range(1, game.rules.seats + 1)])
    return CardRecord(game, names)


def _refuse_line(number: int) -> NoReturn:
    raise CardRecordError(Message("cards.record.wrong_line", line=number))


def _begin_game(tags: Mapping[str, str]) -> CardGame:
    seats_tag = tags.get("CardGame", "")
    if seats_tag not in SEAT_COUNTS:
        raise CardRecordError(Message("cards.record.no_card_game"))
    try:
        rules: Rules = parse_options(SEAT_COUNTS[seats_tag], tags.get("Rules", "").split())
    except PondError as error:
        raise CardRecordError(error.message) from error
    dealer = tags.get("Dealer", "1")
    if dealer not in [str(seat + 1) for seat in range(rules.seats)]:
        raise CardRecordError(Message("cards.record.wrong_dealer", text=dealer[:20]))
    return CardGame(rules, int(dealer) - 1)


def _read_deal(picks_line: str, stock_words: list[str]) -> Deal:
    piles = picks_line.removeprefix("picks").split("/")
    return Deal(tuple(tuple(map(parse_card, pile.split())) for pile in piles), tuple(map(parse_card, stock_words)))


def _play_words(game: CardGame, words: list[str]) -> CardGame:
    for word in words:
        if not game.current_round or game.needs_deal:
            raise CardRecordError(Message("cards.record.too_much", text=word[:20]))
        game = game.after(game.current_round.parse_action(word))
    return game
