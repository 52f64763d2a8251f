"""Score sheets of the card game as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.cards.rules.card import SUIT_SIGNS, SUITS, Category
from pond_hw.cards.rules.score_sheet import ScoreSheet
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message, as_message
from pond_hw.messages.terminal_output import align_columns
from pond_hw.messages.terminal_text import replace_unprintable

SEAT_PLACES = {2: ("south", "north"), 4: ("south", "west", "north", "east")}
"""Place of each seat at the table, clockwise. The first one is at row 1 of a board."""


SeatName = str | Message
"""Name of a person, "" if unknown; or a message with the name of a bot."""


def name_seat(seat: int, names: Sequence[SeatName]) -> Message:
    """Return the name of the player at a seat, or the seat's place at the table if the name is unknown."""
    name = names[seat]
    if isinstance(name, Message):
        return name
    if name:
        return as_message(replace_unprintable(name))
    return Message(f"cards.seat.{SEAT_PLACES[len(names)][seat]}")


def name_side(side: int, names: Sequence[SeatName]) -> Message:
    """Return the name of a side: its player, or both partners."""
    if len(names) == 2:
        return name_seat(side, names)
    return Message("cards.side", one=name_seat(side, names), other=name_seat(side + 2, names))


def suit_symbol(suit: int | None) -> str:
    """Return the symbol of a suit, or a space if the suit is unknown."""
    return " " if suit is None else SUIT_SIGNS[suit]


def format_sheet(sheet: ScoreSheet, names: Sequence[str], language: str = "en") -> list[str]:
    """Format a score sheet as a table for each round, and the totals."""
    text, seats = get_catalogue(language).text, range(sheet.rules.seats)
    lines = [text(Message("cards.sheet.title"))]
    for number, each in enumerate(sheet.rounds, 1):
        lines += ["", text(Message("cards.sheet.round", number=number, dealer=name_seat(each.dealer, names)))]
        rows: list[list[object]] = [["", *(name_seat(seat, names) for seat in seats)]]
        if None not in each.poison:
            rows.append([Message("cards.sheet.poison"), *(suit_symbol(each.poison[seat % 2]) for seat in seats)])
        for place, category in enumerate(Category if each.piles else ()):
            label = Message(f"cards.category.{category.value}", points=category.points)
            rows.append([label, *(str(each.piles[seat][place]) for seat in seats)])
        rows.append([Message("cards.sheet.points"), *map(str, each.scores)])
        lines += align_columns(rows, "l" + "r" * len(seats), language=language)
    lines.append("")
    for side in (0, 1):
        total = Message("cards.sheet.total", side=name_side(side, names), points=sheet.totals[side])
        lines.append(text(total))
    return [*lines, text(describe_result(sheet, names))]


def describe_result(sheet: ScoreSheet, names: Sequence[str]) -> Message:
    if sheet.phase.value != "over":
        return Message("cards.sheet.unfinished", count=len(sheet.rounds))
    if sheet.winner is None:
        return Message("cards.won.nobody")
    return Message("cards.won.side", side=name_side(sheet.winner, names))


def sheet_to_json(sheet: ScoreSheet) -> dict[str, object]:
    return {
        "rounds": [
            {
                "dealer": each.dealer + 1,
                "poison": [None if suit is None else SUITS[suit] for suit in each.poison],
                "tricks": list(each.tricks),
                "piles": [dict(zip((kind.value for kind in Category), pile, strict=True)) for pile in each.piles],
                "scores": list(each.scores),
            }
            for each in sheet.rounds
        ]
    }
