"""`pond cards score`: the score of a game with real cards, entered with keys or on a lit board."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets._footer import FooterKey

from pond_hw.cards.board import CardBoard
from pond_hw.cards.rules.card import SUIT_SIGNS, Category
from pond_hw.cards.rules.score_sheet import ScoreSheet, SheetPhase, pile_points, replay_entries
from pond_hw.cards.scene import UNDO, CardScene, entry_of_press, scene_of_sheet
from pond_hw.cards.screens.app import CardApp
from pond_hw.cards.screens.drawing import COLUMNS, Canvas, wrap_text
from pond_hw.cards.sheet_text import describe_result, name_seat, name_side, suit_symbol
from pond_hw.journal.other_games import OtherGameJournal
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.terminal_text import cut_text, pad_text
from pond_hw.rules import DARK, LIGHT, Cell
from pond_hw.tui.colours import BRIGHT_COLOUR, QUIET_COLOUR, side_colour
from pond_hw.tui.key_footer import KeyBar

MAX_POINT_DIGITS = 3
"""Maximum number of digits in a seat's points for a round: all 24 poison cards of two decks cost 600."""


def keep_score(
    sheet: ScoreSheet,
    names: Sequence[str],
    entries: Sequence[str],
    language: str,
    board: CardBoard | None,
    journal: OtherGameJournal,
) -> CardScore:
    """Run the screen until it is closed, and return it."""
    app = CardScore(sheet, names, entries, board, journal, get_catalogue(language, "terminal"))
    app.run()
    return app


class ScoreKeyBar(KeyBar):
    """Key bar that shows only the keys that work now."""

    @property
    def hidden_actions(self) -> Collection[str]:
        app = cast("CardScore", self.app)
        entering = {"suit('h')", "digit(1)", "trap", "count", "points", "next", "stop"}
        return entering - app.working_actions

    def describe_key(self, key: FooterKey) -> tuple[str, str]:
        """Return the key and label of an action. Digit keys are shown as one range."""
        if key.action != "digit(1)":
            return super().describe_key(key)
        app = cast("CardScore", self.app)
        is_pile = app.sheet.phase is SheetPhase.COUNT
        return f"1-{app.last_digit}", "card_kind" if is_pile else "card_trick"


class CardScore(CardApp):
    """Screen of a score sheet.

    Args:
        names: name of the player at each seat; "" if unknown.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h,H", "suit('h')", "card_suit", key_display="h d c"),
        *(Binding(f"{key},{key.upper()}", f"suit('{key}')", show=False) for key in "dc"),
        Binding("1", "digit(1)", "card_trick"),
        *(Binding(digit, f"digit({digit})", show=False) for digit in "023456789"),
        Binding("minus", "minus", show=False),
        Binding("t,T", "trap", "card_trap"),
        Binding("p,P", "count", "card_count"),
        Binding("s,S", "points", "card_points"),
        Binding("enter", "next", "card_next", key_display="Enter"),
        Binding("escape", "stop", "back", key_display="Esc"),
        Binding("u,U,backspace", "undo", "undo", key_display="u"),
        Binding("b,B", "board", "card_board"),
        Binding("question_mark,f1", "help", "help", key_display="?"),
        Binding("q,Q", "leave", "quit"),
    ]

    def __init__(
        self, sheet: ScoreSheet, names: Sequence[str], entries: Sequence[str], *screen_settings: Any, **more: Any
    ) -> None:
        super().__init__(*screen_settings, **more)
        self.sheet, self.entries, self._is_continued = sheet, list(entries), bool(entries)
        self._names = tuple(names) or ("",) * sheet.rules.seats
        self._refusal: Message | None = None
        self._shown_actions: set[str] = set()
        self._points: list[int] = []  # typed for the first seats
        self._typed: str | None = None  # number being typed; None unless points are entered

    def make_key_bar(self) -> KeyBar:
        return ScoreKeyBar()

    # Entries

    @property
    def last_digit(self) -> int:
        """Highest digit key that works now."""
        return len(Category) if self.sheet.phase is SheetPhase.COUNT else self.sheet.rules.seats

    @property
    def working_actions(self) -> set[str]:
        """Key actions that make an entry now."""
        if self._typed is not None:
            return {"next", "stop"}
        match self.sheet.phase:
            case SheetPhase.POISON:
                return {"suit('h')", "points"}
            case SheetPhase.TRICKS:
                return {"digit(1)", "trap", "count", "points"}
            case SheetPhase.COUNT:
                return {"digit(1)", "points", "next"}
        return set()

    def _enter(self, entry: str) -> None:
        try:
            self.sheet = self.sheet.after(entry)
        except PondError as error:
            self._refusal = error.message
            return
        self.entries.append(entry)
        self.journal.add_entry(entry)
        self._refusal, self._typed = None, None

    def _enter_in(self, phase: SheetPhase, entry: str) -> None:
        """Add an entry if the sheet is in this phase. Otherwise show which keys work."""
        if self._typed is None and self.sheet.phase is phase:
            self._enter(entry)
        else:
            self._refuse_key()
        self.update_screen()

    def _refuse_key(self) -> None:
        """Show which keys work now."""
        phase = "points" if self._typed is not None else self.sheet.phase.value
        self._refusal = Message(f"cards.keys.{phase}", last=self.last_digit)

    def action_trap(self) -> None:
        self._enter_in(SheetPhase.TRICKS, "trap")

    def action_count(self) -> None:
        self._enter_in(SheetPhase.TRICKS, "count")

    def action_digit(self, digit: int) -> None:
        """Enter the winner of a trick or a card category, or type a digit."""
        if self._typed is not None:
            self._type(f"{self._typed}{digit}")
        elif self.sheet.phase is SheetPhase.COUNT and 1 <= digit <= self.last_digit:
            self._enter(f"add {list(Category)[digit - 1].value}")
        elif self.sheet.phase is SheetPhase.TRICKS and 1 <= digit <= self.last_digit:
            self._enter(f"trick {digit}")
        else:
            self._refuse_key()
        self.update_screen()

    def action_suit(self, suit: str) -> None:
        """Enter the poison suit of the next side."""
        side = 0 if self.sheet.poison[0] is None else 1
        self._enter_in(SheetPhase.POISON, f"poison {side + 1} {suit}")

    def action_points(self) -> None:
        """Start typing the points of the round."""
        if self.sheet.phase is SheetPhase.OVER or self._typed is not None:
            self._refuse_key()
        else:
            self._points, self._typed, self._refusal = [], "", None
        self.update_screen()

    def action_minus(self) -> None:
        if self._typed == "":
            self._type("-")
        else:
            self._refuse_key()
        self.update_screen()

    def _type(self, text: str) -> None:
        self._refusal = None
        if len(text.lstrip("-")) <= MAX_POINT_DIGITS:
            self._typed = text

    def action_next(self) -> None:
        """Finish the typed number, or the pile being counted."""
        if self._typed is None:
            self._enter_in(SheetPhase.COUNT, "next")
            return
        if self._typed in ("", "-"):
            self._refuse_key()
        else:
            self._points.append(int(self._typed))
            self._typed, self._refusal = "", None
            if len(self._points) == self.sheet.rules.seats:
                self._enter(" ".join(["points", *map(str, self._points)]))
        self.update_screen()

    def action_stop(self) -> None:
        """Cancel typing points."""
        self._typed, self._refusal = None, None
        self.update_screen()

    def action_undo(self) -> None:
        """Take back the last digit, number or entry."""
        if self._typed:
            self._type(self._typed[:-1])
        elif self._typed is not None and self._points:
            self._typed = str(self._points.pop())
        elif self._typed is not None:
            self._typed = None
        elif self.entries:
            self.entries.pop()
            self.sheet = replay_entries(self.sheet.rules, self.sheet.first_dealer, self.entries)
            self.journal.take_back()
            self._refusal = None
        else:
            self._refusal = Message("cards.illegal.nothing_to_undo")
        self.update_screen()

    def use_press(self, cell: Cell) -> None:
        entry = entry_of_press(self.sheet, cell)
        if entry == UNDO:
            self.action_undo()
        elif entry:
            self._enter(entry)

    # Display

    def update_screen(self) -> None:
        super().update_screen()
        if (working := self.working_actions) != self._shown_actions:
            self._shown_actions = working
            self.refresh_bindings()

    def draw(self) -> Content:
        canvas, text, sheet = Canvas(), self.catalogue.text, self.sheet
        canvas.put(1, 0, text(Message("cards.sheet.title")), "bold")
        if self._is_continued:
            canvas.put(1, 1, text(Message("cards.sheet.continued", command="pond cards score --new")), QUIET_COLOUR)
        seats = range(sheet.rules.seats)
        for seat in seats:
            column = self._column(seat)
            colour = side_colour(LIGHT if seat % 2 == 0 else DARK)
            canvas.put(column, 2, self._right(text(name_seat(seat, self._names))), f"bold {colour}")
        first_round = max(0, len(sheet.rounds) - 5)
        row = 3
        for number, each in enumerate(sheet.rounds[first_round:], first_round + 1):
            canvas.put(1, row, text(Message("cards.sheet.row", number=number)), QUIET_COLOUR)
            for seat in seats:
                suit = suit_symbol(each.poison[seat % 2])
                canvas.put(self._column(seat), row, self._right(f"{suit} {each.scores[seat]:4d}"))
            row += 1
        totals = "   ".join(
            text(Message("cards.sheet.total", side=name_side(side, self._names), points=sheet.totals[side]))
            for side in (0, 1)
        )
        canvas.put(1, row + 1, totals, "bold")
        self._draw_entry(canvas, row + 3)
        return canvas.to_content()

    def _column(self, seat: int) -> int:
        return 22 + seat * 14

    def _right(self, text: str) -> str:
        return pad_text(cut_text(text, 13), 13, right=True)

    def _draw_entry(self, canvas: Canvas, row: int) -> None:
        text, sheet = self.catalogue.text, self.sheet
        if self._typed is not None:
            canvas.put(1, row, text(Message("cards.sheet.points")), QUIET_COLOUR)
            for seat, number in enumerate([*map(str, self._points), f"{self._typed}_"]):
                style = f"bold {BRIGHT_COLOUR}" if seat == len(self._points) else QUIET_COLOUR
                canvas.put(self._column(seat), row, self._right(number), style)
            row += 2
        elif sheet.phase is SheetPhase.COUNT:
            for place, category in enumerate(Category):
                label = text(Message(f"cards.category.{category.value}", points=category.points))
                canvas.put(1, row + place, f"{place + 1}  {label}", QUIET_COLOUR)
                for seat in range(sheet.counting + 1):
                    style = f"bold {BRIGHT_COLOUR}" if seat == sheet.counting else QUIET_COLOUR
                    canvas.put(self._column(seat), row + place, self._right(str(sheet.piles[seat][place])), style)
            for seat in range(sheet.counting + 1):
                canvas.put(self._column(seat), row + 5, self._right(str(pile_points(sheet.piles[seat]))), "bold")
            row += 7
        elif sheet.phase is SheetPhase.TRICKS:
            for message in self._round_lines():
                canvas.put(1, row, text(message))
                row += 1
            row += 1
        messages = (*self.trouble_messages(), *([self._refusal] if self._refusal else self._prompt()))
        for place, line in enumerate(wrap_text(text(messages), COLUMNS - 2, 4)):
            canvas.put(1, row + place, line, "bold")

    def _round_lines(self) -> list[Message]:
        sheet, names = self.sheet, self._names
        poison = tuple(SUIT_SIGNS[suit] for suit in sheet.poison if suit is not None)
        lines = [
            Message("cards.sheet.now", number=len(sheet.rounds) + 1, dealer=name_seat(sheet.dealer, names)),
            Message(
                "cards.sheet.suits", one=name_side(0, names), first=poison[0], other=name_side(1, names), last=poison[1]
            ),
            Message("cards.sheet.leader", player=name_seat(sheet.leader, names), count=sheet.cards_left),
        ]
        return [*lines, Message("cards.sheet.trap_on" if sheet.has_trap else "cards.sheet.trap_off")]

    def _prompt(self) -> tuple[Message, ...]:
        sheet, names = self.sheet, self._names
        if self._typed is not None:
            return (Message("cards.ask.points", player=name_seat(len(self._points), names)),)
        match sheet.phase:
            case SheetPhase.POISON:
                side = 0 if sheet.poison[0] is None else 1
                number, dealer = len(sheet.rounds) + 1, name_seat(sheet.dealer, names)
                return (
                    Message("cards.sheet.now", number=number, dealer=dealer),
                    Message("cards.ask.poison", side=name_side(side, names)),
                    Message("cards.ask.or_points"),
                )
            case SheetPhase.TRICKS:
                keys = ", ".join(
                    f"{seat + 1} {self.catalogue.text(name_seat(seat, names))}" for seat in range(sheet.rules.seats)
                )
                return (Message("cards.ask.trick", keys=keys),)
            case SheetPhase.COUNT:
                asked = Message("cards.ask.pile", player=name_seat(sheet.counting, names))
                return (asked, sheet.count_warning) if sheet.count_warning else (asked,)
        return describe_result(sheet, names), Message("cards.prompt.end")

    @property
    def can_continue(self) -> bool:
        return bool(self.entries) and self.sheet.phase is not SheetPhase.OVER

    def card_scene(self, size: int) -> CardScene | None:
        return scene_of_sheet(self.sheet, size)

    def board_text(self) -> list[Message]:
        return [Message(f"cards.board.{self.sheet.phase.value}"), *self._prompt()]
