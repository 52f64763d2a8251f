"""`pond cards play --jsonl`: the card game for other programs, as JSON lines.

The same input gives the same output. A program receives only what the seat to move may know. The format is described in
docs/card-game.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, TextIO

from pond_hw import __version__
from pond_hw.cards.rules import PlayerView
from pond_hw.cards.rules.card import SUITS, format_card
from pond_hw.cards.rules.options import OPTIONS
from pond_hw.cards.rules.round import format_action
from pond_hw.cards.session import HUMAN, CardSession
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message, PondError
from pond_hw.server.headless import read_lines
from pond_hw.server.parse_requests import MAX_LINE_BYTES
from pond_hw.server.protocol import PROTOCOL_VERSION, format_message


class CardHeadless:
    """A card game whose human seats are all played by one program."""

    def __init__(self, session: CardSession, language: str = "en") -> None:
        self.session, self._catalogue = session, get_catalogue(language)
        session.run_programs()

    def hello_line(self) -> str:
        """Return the first line of output."""
        session = self.session
        rules = {name: getattr(session.rules, name) for name in OPTIONS}
        return format_message(
            {
                "type": "hello",
                "protocol": PROTOCOL_VERSION,
                "program": "pond",
                "version": __version__,
                "game": "cards",
                "seats": session.rules.seats,
                "rules": rules,
                "players": [None if name == HUMAN else name for name in session.seats],
            }
        )

    def state_line(self, *messages: Message) -> str:
        """Format the view of the seat to move or, once the game is over, of the first human seat."""
        session = self.session
        seat = session.to_move if session.is_persons_turn else next(iter(session.people), 0)
        assert seat is not None
        return format_message({"type": "state", **view_to_json(session.view_for(seat)), **self._say(messages)})

    def _say(self, messages: Sequence[Message]) -> dict[str, object]:
        return {"message": self._catalogue.text(messages), "said": [message.to_json() for message in messages]}

    def answer_line(self, line: bytes) -> Iterator[str]:
        """Handle one line of input, and yield the lines of the answer."""
        try:
            request = _parse_line(line)
        except PondError as fault:
            yield format_message({"type": "error", **self._say([fault.message])})
            return
        try:
            yield from self._answer(request)
        except PondError as refusal:
            yield self.state_line(refusal.message)

    def _answer(self, request: Mapping[str, str]) -> Iterator[str]:
        session = self.session
        match request:
            case {"ask": "record"} if not session.game.is_over:
                raise PondError(Message("cards.record_later"))  # the record reveals all hands
            case {"ask": "record"}:
                yield format_message({"type": "record", "record": str(session.record)})
                return
            case {"command": "hint"}:
                action = format_action(session.hint())
                yield self.state_line(Message("cards.hint", action=action))
                return
            case {"command": "undo"}:
                session.undo()
            case {"action": text}:
                current = session.game.current_round
                assert current is not None
                session.act(current.parse_action(text))
                session.run_programs()
        yield self.state_line()


def _parse_line(line: bytes) -> Mapping[str, str]:
    """Parse and check a request.

    Raises:
        PondError: the line is not a valid request.
    """
    try:
        request: Any = json.loads(line) if len(line) <= MAX_LINE_BYTES else None
    except (ValueError, RecursionError):
        request = None
    match request:
        case {"action": str()} | {"command": "undo" | "hint"} | {"ask": "state" | "record"} if len(request) == 1:
            return dict(request)
    raise PondError(Message("cards.wrong_line"))


def view_to_json(view: PlayerView) -> dict[str, Any]:
    """Convert a player view to JSON. Seats are numbered from 1."""
    return {
        "seat": view.seat + 1,
        "round": view.round_number,
        "dealer": view.dealer + 1,
        "phase": view.phase.value,
        "to_move": None if view.is_over else view.to_move + 1,
        "legal": list(map(format_action, view.legal_actions)),
        "poison": [SUITS[suit] for suit in view.poison_suits],
        "picks": [list(map(format_card, pile)) for pile in view.picks],
        "profit": [group.value if (group := view.group_of(seat)) else None for seat in range(view.rules.seats)],
        "hand": list(map(format_card, view.hand)),
        "hand_sizes": list(view.hand_sizes),
        "leader": view.leader + 1,
        "bait": _cards_to_json(view.bait),
        "trap": _cards_to_json(view.trap),
        "cards": _cards_to_json(view.cards),
        "tricks": [
            {
                "leader": trick.leader + 1,
                "bait": _cards_to_json(trick.bait),
                "trap": _cards_to_json(trick.trap),
                "cards": _cards_to_json(trick.cards),
                "winner": trick.winner + 1,
                "tied": trick.was_tied,
            }
            for trick in view.tricks
        ],
        "rounds": [
            {
                "dealer": each.dealer + 1,
                "poison": [SUITS[suit] for suit in each.poison_suits],
                "profit": [group.value if group else None for group in each.groups],
                "scores": list(each.scores),
            }
            for each in view.past_rounds
        ],
        "totals": list(view.totals),
        "over": view.is_over,
    }


def _cards_to_json(cards: Sequence[int | None]) -> list[str | None]:
    return [None if card is None else format_card(card) for card in cards]


def run(headless: CardHeadless, line_source: BinaryIO | None = None, output: TextIO | None = None) -> None:
    """Read lines of input and write the answers until the input ends."""
    line_source, output = line_source or sys.stdin.buffer, output or sys.stdout
    print(headless.hello_line(), headless.state_line(), sep="\n", file=output, flush=True)
    for line in read_lines(line_source):
        for answer in headless.answer_line(line):
            print(answer, file=output)
        output.flush()
