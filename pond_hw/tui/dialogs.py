"""Questions that lie over the board until they are answered: yes or no, and which game next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple, TypeVar

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from pond_hw.engine import HUMAN, PLAYER_NAMES, UNNAMED_PLAYERS, PlayerNames
from pond_hw.rules import VARIANTS, PondError, Side, Variant, parse_variant

DialogResult = TypeVar("DialogResult")


class Dialog(ModalScreen[DialogResult]):
    """A screen that lies over the board until it is left, once. Arrows go from button to button, Space presses."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
        Binding("space", "press", show=False),
    ]

    def dismiss(self, result: DialogResult | None = None) -> AwaitComplete:
        """Leave with this result.

        A key and a click may both be on their way before the screen has gone. Textual would give its result twice and
        take the board's own screen away; here the second one does nothing.
        """
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def update_lamps(self) -> None:
        """Show what its lamps say now, if it has any."""

    def action_press(self) -> None:
        """Press what is chosen, as Space does on the board."""
        if isinstance(self.focused, Button):
            self.focused.press()
        elif isinstance(self.focused, OptionList):
            self.focused.action_select()


class QuickButton(Button):
    """A compact button that hears a second click, however soon that follows."""

    def __init__(self, label: str | Content, button_name: str) -> None:
        super().__init__(label, id=button_name, compact=True)
        self.active_effect_duration = 0


class ConfirmDialog(Dialog[bool]):
    """A question that only a clear yes answers with yes.

    Args:
        question: a sentence that says what would happen.
    """

    AUTO_FOCUS = "#no"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,Y", "dismiss(True)", show=False),
        Binding("n,N,escape", "dismiss(False)", show=False),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question_text = question

    def compose(self) -> ComposeResult:
        """The question and two answers; the harmless one is chosen."""
        with Vertical():
            yield Label(self._question_text)
            with Horizontal():
                yield Button("No (n)", id="no", compact=True)
                yield Button("Yes (y)", id="yes", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        self.dismiss(event.button.id == "yes")


class ResumeDialog(Dialog[str]):
    """What becomes of a game that was not finished.

    Args:
        game: it, in a few words.
        players_text: who plays it if it is resumed, or nothing.
        new_game_text: what begins if it is left, or nothing.
    """

    AUTO_FOCUS = "#resume"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c,C", "dismiss('resume')", show=False),
        Binding("l,L,escape", "dismiss('look')", show=False),
        Binding("n,N", "dismiss('discard')", show=False),
        Binding("q,Q", "dismiss('quit')", show=False),
    ]

    def __init__(self, game: str, players_text: str, new_game_text: str) -> None:
        super().__init__()
        self._texts = [game, f"{players_text}." if players_text else ""]
        self._new_game_text = f"The new game: {new_game_text}. " if new_game_text else ""

    def compose(self) -> ComposeResult:
        """The game, who plays it, and what there is to choose."""
        with Vertical():
            yield Label("[b]A game is not finished.[/b]")
            yield from (Label(Content(text)) for text in self._texts if text)
            with Vertical(id="choices"):
                yield Button("Continue (c)", id="resume", compact=True)
                yield Button("Look (l)", id="look", compact=True)
                yield Button("New game (n)", id="discard", compact=True)
                yield Button("Quit (q)", id="quit", compact=True)
            yield Label(Content(f"{self._new_game_text}A game that you leave is kept."), id="otherwise")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Choose."""
        self.dismiss(event.button.id)


class ChoiceList(OptionList):
    """A list to choose from. Pages begin when it has its place: Textual fails on a page of a list that has none yet."""

    def action_page_down(self) -> None:
        """Down by a page."""
        if self.size.height:
            super().action_page_down()  # type: ignore[no-untyped-call]

    def action_page_up(self) -> None:
        """Up by a page."""
        if self.size.height:
            super().action_page_up()  # type: ignore[no-untyped-call]


class CommandMenu(Dialog[str]):
    """Everything that can be done, to choose from; a word that is typed finds it. The result is an action.

    Textual has a palette like that. A double click in it, or Escape before its search has begun, ends the program.

    Args:
        commands: what can be done; a tooltip says what it is.
    """

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+p", "dismiss", show=False),
        Binding("up", "list('cursor_up')", show=False),
        Binding("down", "list('cursor_down')", show=False),
        Binding("pageup", "list('page_up')", show=False),
        Binding("pagedown", "list('page_down')", show=False),
    ]

    def __init__(self, commands: Sequence[Binding]) -> None:
        super().__init__()
        self._commands = commands

    def compose(self) -> ComposeResult:
        """A line for a word, and the list."""
        with Vertical():
            yield Input(placeholder="Type a word, or go up and down; Enter does it, Esc goes back", compact=True)
            yield Static("Nothing here has that in its name. Try another word.", id="nothing")
            yield ChoiceList(*map(_command_option, self._commands), compact=True)

    def on_mount(self) -> None:
        """Begin with the first."""
        self.query_one("#nothing").display = False
        self.query_one(ChoiceList).highlighted = 0

    def on_input_changed(self, event: Input.Changed) -> None:
        """Go to what is meant; Enter does nothing where nothing is."""
        typed = event.value.strip().casefold()
        names = [command.tooltip.casefold() for command in self._commands]
        found = (n for n, name in enumerate(names) if typed in name)
        first = min(found, key=lambda n: names[n].index(typed), default=None)
        self.query_one(ChoiceList).highlighted = first if typed else 0
        self.query_one("#nothing").display = first is None

    def on_input_submitted(self) -> None:
        """Do it."""
        self.query_one(ChoiceList).action_select()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Do it."""
        self.dismiss(event.option_id)

    def action_list(self, way: str) -> None:
        """Go up or down in the list."""
        getattr(self.query_one(ChoiceList), f"action_{way}")()


class GameChoice(NamedTuple):
    """A game that was chosen.

    Attributes:
        variant: the variant.
        player_names: the names of light's and of dark's player, from `engine.PLAYER_NAMES`.
    """

    variant: Variant
    player_names: tuple[str, str]


class NewGameDialog(Dialog[GameChoice]):
    """Which pond, and who plays.

    Args:
        pond: the variant of now.
        players: the players of now, from `engine.PLAYER_NAMES`.
        names: what the people among them are called.
        rows: of the board, if it must stay the one that is there; then those who play stay too.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", show=False)]

    def __init__(
        self, pond: Variant, players: tuple[str, str], names: PlayerNames = UNNAMED_PLAYERS, rows: int | None = None
    ) -> None:
        super().__init__()
        self._current_variant, self._people_names = pond, names
        self._player_names = list(players)
        self._named_variants = {name: pond for name, pond in VARIANTS.items() if rows is None or pond.size <= rows}
        self._may_choose_players = rows is None

    def compose(self) -> ComposeResult:
        """The named ponds, a line for any other, the players."""
        with VerticalScroll(can_focus=False):
            yield Label("[b]A new game.[/b] Choose a pond; Enter begins.")
            yield ChoiceList(*map(_variant_option, self._named_variants.values()), compact=True)
            with Horizontal():
                yield Label("or another one: ")
                yield Input(placeholder="3x3/9/5: grid, eggs, to win", max_length=12, compact=True)
            yield Static(id="wrong")
            with Horizontal(id="seats"):
                for side in Side:
                    yield QuickButton(Content(self._seat_label(side)), str(side))
            with Horizontal():
                yield Button("Begin", id="begin", compact=True)
                yield Button("Back to the game (Esc)", id="back", compact=True)
            yield Label("Tab goes from one to the next.")

    def on_mount(self) -> None:
        """Start with the pond of now."""
        self.query_one("#seats").display = self._may_choose_players
        ponds, names, name = self.query_one(OptionList), list(self._named_variants), self._current_variant.name
        if name in names:
            ponds.highlighted = names.index(name)
            ponds.focus()
        else:
            ponds.highlighted = 0 if names else None
            self.query_one(Input).value = name
            self.query_one(Input).focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Who goes back to the list has thought better of what was typed."""
        if event.option_list.has_focus:
            self.query_one(Input).clear()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Begin with a named pond."""
        self._begin_game(event.option_id or "")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Begin with the pond that was typed."""
        self._begin_game(event.value.strip())

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Begin, go back, or let another player sit down."""
        button = event.button
        if button.id == "begin":
            typed = self.query_one(Input).value.strip()
            names = list(self._named_variants) or [self._current_variant.name]
            self._begin_game(typed or names[self.query_one(OptionList).highlighted or 0])
        elif button.id == "back":
            self.dismiss()
        else:
            side = Side[(button.id or "").upper()]
            seated = PLAYER_NAMES.index(self._player_names[side]) if self._player_names[side] in PLAYER_NAMES else -1
            self._player_names[side] = PLAYER_NAMES[(seated + 1) % len(PLAYER_NAMES)]
            button.label = Content(self._seat_label(side))

    def _seat_label(self, side: Side) -> str:
        player = self._player_names[side]
        return f"{str(side).capitalize()}: {(self._people_names[side] or HUMAN) if player == HUMAN else player}"

    def _begin_game(self, variant_text: str) -> None:
        try:
            game_variant = parse_variant(variant_text)
        except PondError as error:
            wrong = self.query_one("#wrong", Static)
            wrong.update(Content(f"! {error}"))  # what was typed is no markup
            wrong.display = True
            self.query_one(Input).focus()
            return
        self.dismiss(GameChoice(game_variant, (self._player_names[0], self._player_names[1])))


def _command_option(command: Binding) -> Option:
    return Option(f"{command.key_display or command.key[0]:>3}  {command.tooltip}", command.action)


def _variant_option(pond: Variant) -> Option:
    return Option(f"{pond.name:<9} {pond.size}x{pond.size}, {pond.spawn} eggs each, {pond.target} to win", pond.name)
