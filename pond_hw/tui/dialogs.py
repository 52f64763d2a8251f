"""Dialogs that open over the board: confirmations, choices and lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple, TypeVar

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from pond_hw.engine import HUMAN, LEVEL_NAMES, OTHER_PROGRAMS, UNNAMED_PLAYERS, PlayerNames
from pond_hw.engine.player_name import name_player
from pond_hw.exercises import LESSONS_COURSE
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import pad_text
from pond_hw.rules import VARIANTS, PondError, Side, Variant, parse_variant
from pond_hw.session import ExerciseView, LinkChange, VersionQuestion, describe_request
from pond_hw.tui.terminal import find_catalogue

DialogResult = TypeVar("DialogResult")


class Dialog(ModalScreen[DialogResult]):
    """A modal screen that returns one result.

    The arrow keys move between buttons, and Space presses the selected button.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
        Binding("space", "press", show=False),
    ]

    def dismiss(self, result: DialogResult | None = None) -> AwaitComplete:
        """Close the dialog with a result. Do nothing if it is already closed.

        A key press and a click may both be queued before the screen closes. Without this check, Textual would return
        the result twice and pop the screen of the board as well.
        """
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def on_mount(self) -> None:
        """Prepare the content, unless the dialog was closed before it opened."""
        if self in self.app.screen_stack:
            self.prepare()

    def prepare(self) -> None:
        pass

    def text(self, messages: Message | Iterable[Message]) -> str:
        """Format messages in the language of the app."""
        return find_catalogue(self).text(messages)

    def make_label(
        self, messages: Message | Iterable[Message], label_name: str | None = None, *, style: str = ""
    ) -> Label:
        return Label(Content.styled(self.text(messages), style), id=label_name)

    def make_button(self, message: Message, button_name: str) -> Button:
        return Button(Content(self.text(message)), id=button_name, compact=True)

    def update_lamps(self) -> None:
        pass

    def action_press(self) -> None:
        """Press the selected button or choose the selected option."""
        if isinstance(self.focused, Button):
            self.focused.press()
        elif isinstance(self.focused, OptionList):
            self.focused.action_select()


class QuickButton(Button):
    """A compact button that can be clicked again immediately."""

    def __init__(self, label: str, button_name: str) -> None:
        super().__init__(Content(label), id=button_name, compact=True)
        self.active_effect_duration = 0


PLAYER_CHOICES = (HUMAN, *LEVEL_NAMES.values(), *OTHER_PROGRAMS)
"""Players that the new-game dialog offers, in order."""


class PlayerButton(QuickButton):
    """A button that shows who plays a side. Left, Right, Space and clicks change the player; Enter begins the game.

    The player is one of `PLAYER_CHOICES`, or another program that already plays this side.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "change(-1)", show=False),
        Binding("right", "change(1)", show=False),
        Binding("enter", "screen.begin", show=False),
    ]

    def __init__(self, side: Side, player_name: str, person_name: str | None) -> None:
        super().__init__("", str(side))
        self.side, self.player_name, self._person_name = side, player_name, person_name

    def on_mount(self) -> None:
        self._show_player()

    def action_change(self, step: int) -> None:
        """Select the next or previous player."""
        choices = PLAYER_CHOICES if self.player_name in PLAYER_CHOICES else (*PLAYER_CHOICES, self.player_name)
        self.player_name = choices[(choices.index(self.player_name) + step) % len(choices)]
        self._show_player()

    def _show_player(self) -> None:
        player = name_player(self.player_name, self._person_name)
        if self.player_name in OTHER_PROGRAMS:
            player = Message("new_game.other_player", player=player)
        self.label = Content(find_catalogue(self).text(Message("new_game.seat", side=str(self.side), player=player)))


class ConfirmDialog(Dialog[bool]):
    """A yes-or-no question. It accepts the first letter of yes, ja or oui as confirmation."""

    AUTO_FOCUS = "#no"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,Y,j,J,o,O", "dismiss(True)", show=False),
        Binding("n,N,escape", "dismiss(False)", show=False),
    ]
    DEFAULT_CSS = """
    ConfirmDialog { align: center middle; }
    ConfirmDialog > Vertical {
        width: 50; max-width: 90%; height: auto; padding: 1 2; background: $panel; border: heavy $primary;
    }
    ConfirmDialog Label { width: 100%; }
    ConfirmDialog Horizontal { height: auto; margin-top: 1; }
    ConfirmDialog Button { margin-right: 2; }
    """

    def __init__(self, question: Message) -> None:
        super().__init__()
        self.question = question

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self.make_label(self.question)
            with Horizontal():
                yield self.make_button(Message("confirm.no"), "no")
                yield self.make_button(Message("confirm.yes"), "yes")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")


class ChoiceDialog(Dialog[str]):
    """A dialog with a button for each choice. Its result is the name of the button, or None to answer later."""

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(None if event.button.id == "later" else event.button.id)


class ResumeDialog(ChoiceDialog):
    """A prompt to resume an unfinished game. It shows the players and the game that would begin otherwise, if known."""

    AUTO_FOCUS = "#resume"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c,C", "dismiss('resume')", show=False),
        Binding("l,L,escape", "dismiss('look')", show=False),
        Binding("n,N", "dismiss('discard')", show=False),
        Binding("q,Q", "dismiss('quit')", show=False),
    ]

    def __init__(self, game: Message, players: Message | None, new_game: Message | None) -> None:
        super().__init__()
        self.details = [game, players] if players else [game]
        self.otherwise = (new_game, Message("resume_dialog.kept")) if new_game else (Message("resume_dialog.kept"),)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self.make_label(Message("resume_dialog.title"), style="bold")
            yield from map(self.make_label, self.details)
            with Vertical(id="choices"):
                for choice in ("resume", "look", "discard", "quit"):
                    yield self.make_button(Message(f"resume_dialog.{choice}"), choice)
            yield self.make_label(self.otherwise, "otherwise")


class RequestDialog(ChoiceDialog):
    """A request of the other home in a linked game. Its result is `yes` or `no`, or None to answer later."""

    AUTO_FOCUS = "#later"  # A key pressed just before the dialog opened must not answer it.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,Y,j,J,o,O", "dismiss('yes')", show=False),
        Binding("n,N", "dismiss('no')", show=False),
        Binding("escape", "dismiss", show=False),
    ]

    def __init__(self, request: LinkChange) -> None:
        super().__init__()
        self.request = request

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self.make_label(describe_request(self.request), style="bold")
            with Vertical(id="choices"):
                yield self.make_button(Message("request_dialog.yes"), "yes")
                yield self.make_button(Message("request_dialog.no"), "no")
                yield self.make_button(Message("request_dialog.later"), "later")


VERSIONS = ("ours", "theirs")
"""Results of a `VersionDialog`, in the order of the versions."""


class VersionDialog(ChoiceDialog):
    """The question which of two versions of a linked game counts. Its result is `ours` or `theirs`, or None to answer later."""

    AUTO_FOCUS = "#later"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "dismiss('ours')", show=False),
        Binding("2", "dismiss('theirs')", show=False),
        Binding("escape", "dismiss", show=False),
    ]

    def __init__(self, question: VersionQuestion) -> None:
        super().__init__()
        self.question = question

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self.make_label(Message("linked.question.mine"), style="bold")
            with Vertical(id="choices"):
                for number, (name, count) in enumerate(zip(VERSIONS, self.question.turn_counts, strict=True), 1):
                    version = Message(f"linked.version.{name}", count=count)
                    yield self.make_button(Message("version_dialog.choice", version=version, number=number), name)
                yield self.make_button(Message("request_dialog.later"), "later")


class ExerciseDialog(ChoiceDialog):
    """A dialog that asks how to continue when an exercise is done or interrupted."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p,P", "dismiss('play')", show=False),
        Binding("n,N", "dismiss('next')", show=False),
        Binding("a,A", "dismiss('again')", show=False),
        Binding("g,G", "dismiss('leave')", show=False),
        Binding("escape", "go_on", show=False),
    ]

    def __init__(self, exercise: ExerciseView, details: Sequence[Message]) -> None:
        super().__init__()
        self.exercise, self.details = exercise, details
        self.offers_game = exercise.is_done and exercise.is_last and exercise.course_name == LESSONS_COURSE

    def compose(self) -> ComposeResult:
        exercise, state = self.exercise, "done" if self.exercise.is_done else "waits"
        with Vertical():
            yield self.make_label(Message(f"exercise_dialog.{state}", title=exercise.title), style="bold")
            yield from map(self.make_label, self.details)
            with Vertical(id="choices"):
                if not self.exercise.is_done:
                    yield self.make_button(Message("exercise_dialog.resume"), "resume")
                if self.offers_game:
                    yield self.make_button(Message("exercise_dialog.play"), "play")
                if exercise.following:
                    kind = "next" if exercise.is_done else "skip"
                    yield self.make_button(Message(f"exercise_dialog.{kind}", title=exercise.following), "next")
                yield self.make_button(Message("exercise_dialog.again"), "again")
                yield self.make_button(Message("exercise_dialog.leave"), "leave")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the `p` key unless the dialog offers a game."""
        return (self.offers_game or parameters != ("play",)) and super().check_action(action, parameters)

    def prepare(self) -> None:
        self.query(Button).first().focus()

    def action_go_on(self) -> None:
        """Continue the exercise, or return to the game if the exercise is done."""
        self.dismiss("leave" if self.exercise.is_done else "resume")


class ChoiceList(OptionList):
    """A list of options. It ignores the page keys before its first layout because Textual would raise an error."""

    def action_page_down(self) -> None:
        if self.size.height:
            super().action_page_down()  # type: ignore[no-untyped-call]

    def action_page_up(self) -> None:
        if self.size.height:
            super().action_page_up()  # type: ignore[no-untyped-call]


class CommandMenu(Dialog[str]):
    """A searchable list of all commands. Its result is the action of the chosen binding.

    The `tooltip` of a binding is the NAME of a `command.NAME` message, as in `KeyBar`. Textual's own command palette is
    not used because it ends the program on a double click, or if Escape is pressed before its search begins.
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
        self._command_texts: list[str] = []

    def compose(self) -> ComposeResult:
        self._command_texts = [self.text(Message(f"command.{command.tooltip}")) for command in self._commands]
        with Vertical():
            yield Input(placeholder=self.text(Message("commands.placeholder")), compact=True)
            yield self.make_label(Message("commands.nothing"), "nothing")
            yield ChoiceList(*map(_command_option, self._commands, self._command_texts), compact=True)

    def prepare(self) -> None:
        self.query_one("#nothing").display = False
        self.query_one(ChoiceList).highlighted = 0

    def on_input_changed(self, event: Input.Changed) -> None:
        """Highlight the best match: the command that contains the typed text closest to its start."""
        typed = event.value.strip().casefold()
        names = [command_text.casefold() for command_text in self._command_texts]
        found = (n for n, name in enumerate(names) if typed in name)
        first = min(found, key=lambda n: names[n].index(typed), default=None)
        self.query_one(ChoiceList).highlighted = first if typed else 0
        self.query_one("#nothing").display = first is None

    def on_input_submitted(self) -> None:
        self.query_one(ChoiceList).action_select()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def action_list(self, way: str) -> None:
        getattr(self.query_one(ChoiceList), f"action_{way}")()


class ListedExercise(NamedTuple):
    """An entry in the exercise list of a course."""

    name: str
    title: Message
    is_done: bool


class CourseDialog(Dialog[str]):
    """A list of the exercises in a course, which must not be empty. Its result is the name of the chosen exercise."""

    AUTO_FOCUS = "ChoiceList"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", show=False)]

    def __init__(self, course_name: str, exercises: Sequence[ListedExercise]) -> None:
        super().__init__()
        self.course_name, self.exercises = course_name, exercises

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self.make_label(Message(f"course_dialog.{self.course_name}"), style="bold")
            yield ChoiceList(*map(self._make_option, self.exercises), compact=True)
            yield self.make_label(Message("course_dialog.how"))

    def prepare(self) -> None:
        """Highlight the first exercise that is not done yet."""
        places = (place for place, each in enumerate(self.exercises) if not each.is_done)
        self.query_one(ChoiceList).highlighted = next(places, 0)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def _make_option(self, exercise: ListedExercise) -> Option:
        mark = "✓" if exercise.is_done else " "
        return Option(Content(f"{mark} {self.text(exercise.title)}"), exercise.name)


class GameChoice(NamedTuple):
    """A variant and its players. The names of the light and dark players are from `engine.PLAYER_NAMES`."""

    variant: Variant
    player_names: tuple[str, str]


class NewGameDialog(Dialog[GameChoice]):
    """A dialog to choose the variant and the players of a new game.

    Args:
        pond: variant to preselect.
        players: players to preselect, from `engine.PLAYER_NAMES`.
        names: names of the human players.
        rows: number of rows if the size of the board is fixed, otherwise None. If given, players can't be chosen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", show=False),
        Binding("left", "sideways(-1)", show=False),
        Binding("right", "sideways(1)", show=False),
    ]

    def __init__(
        self, pond: Variant, players: tuple[str, str], names: PlayerNames = UNNAMED_PLAYERS, rows: int | None = None
    ) -> None:
        super().__init__()
        self._current_variant, self._people_names = pond, names
        self._player_names = players
        self._named_variants = {name: pond for name, pond in VARIANTS.items() if rows is None or pond.size <= rows}
        self._may_choose_players = rows is None

    def compose(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield self.make_label(Message("new_game.choose"), style="bold")
            yield ChoiceList(*map(self._make_option, self._named_variants.values()), compact=True)
            with Horizontal():
                yield self.make_label(Message("new_game.other"))
                yield Input(placeholder=self.text(Message("new_game.notation")), max_length=12, compact=True)
            yield Static(id="wrong")
            with Vertical(id="seats"):
                for side in Side:
                    yield PlayerButton(side, self._player_names[side], self._people_names[side])
            with Horizontal():
                yield self.make_button(Message("new_game.begin"), "begin")
                yield self.make_button(Message("new_game.back"), "back")
            yield self.make_label(Message("new_game.tab"), "tab")

    def prepare(self) -> None:
        """Preselect the current variant."""
        self.query_one("#seats").display = self.query_one("#tab").display = self._may_choose_players
        ponds, names, name = self.query_one(OptionList), list(self._named_variants), self._current_variant.name
        if name in names:
            ponds.highlighted = names.index(name)
            ponds.focus()
        else:
            ponds.highlighted = 0 if names else None
            self.query_one(Input).value = name
            self.query_one(Input).focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Clear the typed variant when the list has the focus again."""
        if event.option_list.has_focus:
            self.query_one(Input).clear()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._begin_game(event.option_id or "")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._begin_game(event.value.strip())

    def on_button_pressed(self, event: Button.Pressed) -> None:
        button = event.button
        if button.id == "begin":
            self.action_begin()
        elif button.id == "back":
            self.dismiss()
        elif isinstance(button, PlayerButton):
            button.action_change(1)

    def action_begin(self) -> None:
        """Begin a game of the typed variant, or of the highlighted variant if nothing is typed."""
        typed = self.query_one(Input).value.strip()
        names = list(self._named_variants) or [self._current_variant.name]
        self._begin_game(typed or names[self.query_one(OptionList).highlighted or 0])

    def action_sideways(self, step: int) -> None:
        """Move between the two bottom buttons, or change the dark player while the list has the focus."""
        if isinstance(self.focused, Button):
            self.query_one("#back" if step > 0 else "#begin").focus()
        elif self._may_choose_players:
            self.query_one(f"#{Side.DARK}", PlayerButton).action_change(step)

    def _make_option(self, pond: Variant) -> Option:
        numbers = Message("new_game.variant", size=pond.size, spawn=pond.spawn, target=pond.target)
        return Option(Content(f"{pad_text(pond.name.capitalize(), 9)} {self.text(numbers)}"), pond.name)

    def _begin_game(self, variant_text: str) -> None:
        try:
            game_variant = parse_variant(variant_text)
        except PondError as error:
            error_line = self.query_one("#wrong", Static)
            # Content, not markup: the error quotes typed text
            error_line.update(Content(f"! {self.text(error.message)}"))
            error_line.display = True
            self.query_one(Input).focus()
            return
        light, dark = (button.player_name for button in self.query(PlayerButton))
        self.dismiss(GameChoice(game_variant, (light, dark)))


def _command_option(command: Binding, command_text: str) -> Option:
    return Option(Content(f"{command.key_display or command.key[0]:>3}  {command_text}"), command.action)
