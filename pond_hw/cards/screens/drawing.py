"""Drawing of the card game as text, by pure functions.

A card is three columns wide and three rows high, dark on light paper. Its rows show the card, its value to the player
at the screen, and a symbol for a trump (▲) or an anti-trump (▼):

    10♠  A♥   ▒▒▒
     +5 -25   ▒▒▒     the last one is face down
     ▲        ▒▒▒
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.content import Content

from pond_hw.cards.rules import NO_TRAP, Phase, PlayerView
from pond_hw.cards.rules.card import (
    SUIT_SIGNS,
    Card,
    ProfitGroup,
    card_text,
    is_anti_trump,
    is_trump,
    marker_group,
    rank_of,
    suit_of,
    value_table,
)
from pond_hw.cards.rules.round import TAKEN_BY, Action
from pond_hw.cards.sheet_text import SeatName, name_seat, name_side
from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import count_columns, cut_text, pad_text
from pond_hw.rules import DARK, LIGHT
from pond_hw.tui.colours import BRIGHT_COLOUR, QUIET_COLOUR, side_colour

COLUMNS, ROWS = 80, 23
"""Size of the page. The key bar takes one more row."""

LIST_COLUMN = 62
"""First column of the list of tricks."""

PAPER, BACK = "#eeeeee", "#005f87"
INKS = ("#000000", "#d70000", "#d70000", "#000000")
QUIET_INK = "#767676"
CARD_WIDTH = 3
CARD_PITCH = CARD_WIDTH + 1
MARKER_WIDTH = 4
"""Width of a card while profit ranks are chosen, which leaves room for the ranks."""

NAME_COLUMN, POISON_COLUMN, PROFIT_COLUMN, COUNT_COLUMN = 4, 20, 29, 41
"""First column of each part of a seat's line."""

GROUP_SIGNS = {ProfitGroup.LOW: "A-4", ProfitGroup.MIDDLE: "4-7", ProfitGroup.HIGH: "8-10"}


class Canvas:
    """A grid of styled characters."""

    def __init__(self, columns: int = COLUMNS, rows: int = ROWS) -> None:
        self._columns = columns
        self._cells: list[list[tuple[str, str]]] = [[(" ", "")] * columns for _ in range(rows)]

    def put(self, column: int, row: int, text: str, style: str = "") -> None:
        """Put text at a position, clipped at the right edge."""
        text = cut_text(text, max(0, self._columns - column))
        for letter in text:
            width = count_columns(letter)
            if width == 0:
                continue
            self._cells[row][column] = (letter, style)
            for more in range(1, width):
                self._cells[row][column + more] = ("", style)
            column += width

    def to_content(self) -> Content:
        """Return the whole grid."""
        lines = []
        for row in self._cells:
            parts: list[tuple[str, str]] = []
            for letter, style in row:
                if parts and parts[-1][1] == style:
                    parts[-1] = (parts[-1][0] + letter, style)
                else:
                    parts.append((letter, style))
            lines.append(Content.assemble(*[part if part[1] else part[0] for part in parts]))
        return Content("\n").join(lines)


class TableView(NamedTuple):
    """State of a game as shown on the screen.

    Attributes:
        view: view of the player at the screen.
        names: name of each seat; "" if unknown.
        cursor: index of the selected card in the hand, or of the selected seat in a tie.
        news: latest events, the newest last.
        is_covered: True while the hand is hidden from the previous player.
    """

    view: PlayerView
    names: tuple[SeatName, ...]
    cursor: int = 0
    hint: Action | None = None
    prompt: tuple[Message, ...] = ()
    news: tuple[Message, ...] = ()
    is_covered: bool = False


def action_text(action: Action, names: Sequence[SeatName], catalogue: Catalogue) -> str:
    """Format an action for display."""
    if action == NO_TRAP:
        return catalogue.text(Message("cards.no_trap"))
    if action >= TAKEN_BY:
        return catalogue.text(name_seat(action - TAKEN_BY, names))
    return card_text(action)


def draw_table(table: TableView, catalogue: Catalogue) -> Content:
    """Draw the table as one seat sees it."""
    canvas, text, view = Canvas(), catalogue.text, table.view
    _draw_heading(canvas, table, catalogue)
    others = [seat for seat in view.rules.seats_from(view.seat) if seat != view.seat]
    for row, seat in enumerate(others, 2):
        _draw_seat(canvas, row, seat, table, catalogue)
    if view.phase is Phase.PROFIT and view.round_number == 1:
        _draw_welcome(canvas, 3 + len(others), table, catalogue)
    else:
        _draw_middle(canvas, 3 + len(others), table, catalogue)
    _draw_seat(canvas, 12, view.seat, table, catalogue)
    if table.is_covered:
        canvas.put(1, 15, "▒▒▒ " * view.hand_sizes[view.seat], f"{BRIGHT_COLOUR} on {BACK}")
    else:
        _draw_hand(canvas, 13, table)
    _draw_tricks(canvas, table, catalogue)
    for row, max_lines, messages in ((18, 3, table.prompt), (21, 2, table.news)):
        for place, line in enumerate(wrap_text(text(messages), LIST_COLUMN - 2, max_lines)):
            canvas.put(1, row + place, line, "bold" if row == 18 else QUIET_COLOUR)
    return canvas.to_content()


def wrap_text(text: str, width: int, max_lines: int) -> list[str]:
    """Wrap text to at most `max_lines` lines of at most `width` columns, and drop the rest."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and count_columns(lines[-1]) + 1 + count_columns(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    if len(lines) > max_lines:
        lines = [*lines[: max_lines - 1], cut_text(" ".join(lines[max_lines - 1 :]), width)]
    return [cut_text(line, width) for line in lines]


def _draw_heading(canvas: Canvas, table: TableView, catalogue: Catalogue) -> None:
    view = table.view
    dealer = name_seat(view.dealer, table.names)
    number = Message("cards.heading", number=view.round_number, rounds=view.rules.rounds, dealer=dealer)
    canvas.put(1, 0, catalogue.text(number), "bold")
    totals = "   ".join(f"{catalogue.text(name_side(side, table.names))} {view.totals[side]}" for side in (0, 1))
    canvas.put(max(1, COLUMNS - 1 - count_columns(totals)), 1, totals, QUIET_COLOUR)


def _draw_seat(canvas: Canvas, row: int, seat: int, table: TableView, catalogue: Catalogue) -> None:
    """Draw the line of a seat: number, name, poison, profit ranks if known, and numbers of cards and tricks."""
    view, text = table.view, catalogue.text
    is_mover = seat == view.to_move and view.phase not in (Phase.OVER, Phase.MISDEAL)
    colour = side_colour(LIGHT if seat % 2 == 0 else DARK)
    canvas.put(1, row, "►" if is_mover else " ", BRIGHT_COLOUR)
    canvas.put(2, row, str(seat + 1), colour)
    name = cut_text(text(name_seat(seat, table.names)), POISON_COLUMN - NAME_COLUMN - 1)
    canvas.put(NAME_COLUMN, row, name, f"bold {colour}")
    suit = view.poison_suits[seat]
    canvas.put(POISON_COLUMN, row, text(Message("cards.poison", suit=SUIT_SIGNS[suit])), BRIGHT_COLOUR)
    known, group = not table.is_covered or seat != view.seat, view.group_of(seat)
    if group and known:
        canvas.put(PROFIT_COLUMN, row, text(Message("cards.profit", ranks=GROUP_SIGNS[group])))
    elif view.has_chosen[seat]:
        canvas.put(PROFIT_COLUMN, row, text(Message("cards.profit", ranks="?")), QUIET_COLOUR)
    tricks = text(Message("cards.tricks", count=view.tricks_of(seat)))
    cards = text(Message("cards.in_hand", count=view.hand_sizes[seat]))
    canvas.put(COUNT_COLUMN, row, f"{cards}, {tricks}", QUIET_COLOUR)


def _values_of(view: PlayerView) -> Sequence[int] | None:
    group = view.group_of(view.seat)
    return value_table(view.poison_suits[view.seat], group) if group else None


def _draw_card(
    canvas: Canvas,
    column: int,
    row: int,
    card: Card | None,
    view: PlayerView,
    *,
    bright: bool = True,
    width: int = CARD_WIDTH,
) -> None:
    """Draw a card with its upper left corner at this position. None is a face-down card."""
    if card is None:
        for line in range(3):
            canvas.put(column, row + line, "▒▒▒", f"#87afd7 on {BACK}")
        return
    paper = PAPER if bright else "#a8a8a8"
    ink = INKS[suit_of(card)]
    canvas.put(column, row, pad_text(card_text(card), width), f"bold {ink} on {paper}")
    values = _values_of(view)
    worth = f"{values[card]:+d}" if values else "-25" if suit_of(card) == view.poison_suits[view.seat] else ""
    style = f"{'bold ' * worth.startswith('-')}#000000 on {paper}"
    canvas.put(column, row + 1, pad_text(worth, width, right=True), style)
    sign = " ▲" if is_trump(card) else " ▼" if is_anti_trump(card) else ""
    if view.phase is Phase.PROFIT and (group := marker_group(card)):
        sign = GROUP_SIGNS[group]
    canvas.put(column, row + 2, pad_text(sign, width), f"{QUIET_INK} on {paper}")


def _draw_welcome(canvas: Canvas, row: int, table: TableView, catalogue: Catalogue) -> None:
    """Explain the aim of the game while the middle of the table is empty."""
    about = catalogue.text(Message("cards.welcome", rounds=table.view.rules.rounds))
    for place, line in enumerate(wrap_text(about, LIST_COLUMN - 2, 5)):
        canvas.put(1, row + 1 + place, line)


def _draw_middle(canvas: Canvas, row: int, table: TableView, catalogue: Catalogue) -> None:
    """Draw the bait, the trap and the trick, each card above the number of its seat."""
    view, text, seats = table.view, catalogue.text, table.view.rules.seats
    width = max(seats * CARD_PITCH, 12) + 3
    column, top = 3, min(row, 7 if seats == 2 else 6)
    groups = (("bait", view.bait), ("trap", view.trap), ("trick", view.cards))
    for place, (name, cards) in enumerate(groups):
        left = column + place * width
        canvas.put(left, top, cut_text(text(Message(f"cards.group.{name}")), width - 1), QUIET_COLOUR)
        for number, card in enumerate(cards):
            _draw_card(canvas, left + number * CARD_PITCH, top + 1, card, view)
            seat = (view.leader + number) % seats
            colour = side_colour(LIGHT if seat % 2 == 0 else DARK)
            canvas.put(left + number * CARD_PITCH + 1, top + 4, str(seat + 1), colour)


def _draw_hand(canvas: Canvas, row: int, table: TableView) -> None:
    """Draw the hand. The selected card is one row higher; a hinted card is marked."""
    view, is_choosing = table.view, table.view.phase is not Phase.TIE and bool(table.view.legal_actions)
    width = MARKER_WIDTH if view.phase is Phase.PROFIT else CARD_WIDTH
    hand = sorted_hand(view.hand)
    for place, card in enumerate(hand):
        is_chosen = is_choosing and place == table.cursor
        column, is_bright = 1 + place * (width + 1), not is_choosing or card in view.legal_actions
        _draw_card(canvas, column, row + (not is_chosen), card, view, bright=is_bright, width=width)
        if is_chosen:
            canvas.put(column, row + 3, " ^ ", BRIGHT_COLOUR)
        if table.hint == card:
            canvas.put(column, row + 4, " * ", f"bold {BRIGHT_COLOUR}")


def sorted_hand(hand: Sequence[Card]) -> list[Card]:
    """Sort a hand by suit, the highest card first."""
    return sorted(hand, key=lambda card: (suit_of(card), -rank_of(card)))


def _draw_tricks(canvas: Canvas, table: TableView, catalogue: Catalogue) -> None:
    """Draw the list of tricks on the right: the pond, the trick and its winner."""
    view, text, row = table.view, catalogue.text, 3
    canvas.put(LIST_COLUMN, 2, text(Message("cards.list")), QUIET_COLOUR)
    for number, trick in enumerate(view.tricks, 1):
        pond = "".join(map(card_text, trick.bait))
        canvas.put(LIST_COLUMN, row, f"{number} {pond}", QUIET_COLOUR)
        row += 1
        if trick.trap:
            trap = "".join("??" if card is None else card_text(card) for card in trick.trap)
            canvas.put(LIST_COLUMN, row, f"  {trap}", QUIET_COLOUR)
            row += 1
        played = "".join(map(card_text, trick.cards))
        canvas.put(LIST_COLUMN, row, f"  {played}→{trick.winner + 1}", BRIGHT_COLOUR)
        row += 1


def draw_round_score(
    table: TableView, piles: Sequence[Sequence[tuple[Message, int, int]]], catalogue: Catalogue
) -> Content:
    """Draw the score of a finished round. For each seat, `piles` lists a label, card count and points per category."""
    canvas, text, view = Canvas(), catalogue.text, table.view
    scored = view.past_rounds[-1]
    canvas.put(1, 0, text(Message("cards.score.title", number=len(view.past_rounds))), "bold")
    label_width, width = 22, 20 if view.rules.seats == 2 else 13
    for seat in range(view.rules.seats):
        column = label_width + seat * (width + 1)
        colour = side_colour(LIGHT if seat % 2 == 0 else DARK)
        canvas.put(
            column,
            2,
            pad_text(cut_text(text(name_seat(seat, table.names)), width), width, right=True),
            f"bold {colour}",
        )
        group = scored.groups[seat]
        about = f"{SUIT_SIGNS[scored.poison_suits[seat]]}  {GROUP_SIGNS[group] if group else '-'}"
        canvas.put(column, 3, pad_text(about, width, right=True), BRIGHT_COLOUR)
        for row, (label, count, points) in enumerate(piles[seat], 4):
            canvas.put(1, row, cut_text(text(label), label_width - 2), QUIET_COLOUR)
            amount = f"{count:2d}  {points:5d}" if count else "-"
            canvas.put(column, row, pad_text(amount, width, right=True))
        canvas.put(column, 10, pad_text(str(scored.scores[seat]), width, right=True), "bold")
    canvas.put(1, 3, text(Message("cards.score.ranks")), QUIET_COLOUR)
    canvas.put(1, 10, text(Message("cards.sheet.points")), "bold")
    for side in (0, 1):
        total = Message("cards.sheet.total", side=name_side(side, table.names), points=view.totals[side])
        canvas.put(1, 12 + side, text(total), f"bold {side_colour(LIGHT if side == 0 else DARK)}")
    for place, line in enumerate(wrap_text(text(table.prompt), COLUMNS - 2, 3)):
        canvas.put(1, 16 + place, line, "bold")
    return canvas.to_content()


def draw_text_page(title: Message, messages: Sequence[Message], catalogue: Catalogue) -> Content:
    """Draw a page of text, such as the request to hand over the keyboard."""
    canvas, row = Canvas(), 8
    canvas.put(1, 0, catalogue.text(title), "bold")
    for message in messages:
        for line in wrap_text(catalogue.text(message), COLUMNS - 8, 4):
            canvas.put(4, row, line, "bold")
            row += 1
        row += 1
    return canvas.to_content()
