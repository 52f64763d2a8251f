"""Terminal app for `pond play`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, ClassVar, cast

from textual import actions
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from pond_hw.engine import HUMAN
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.reviewed_game import ReviewedGame
from pond_hw.exercises import LESSONS_COURSE
from pond_hw.messages.catalogue import Catalogue, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import print_text
from pond_hw.puzzles.course import PUZZLES_COURSE
from pond_hw.rules import PondError, Position, Record, Side, get_grid
from pond_hw.session import (
    SETTINGS,
    ExerciseChoice,
    LinkChange,
    ResumeChoice,
    SessionEvent,
    VersionQuestion,
    describe_game,
    session_events,
)
from pond_hw.tui import dialogs
from pond_hw.tui.board_app import TEXT_COLUMNS
from pond_hw.tui.dialogs import Dialog, DialogResult
from pond_hw.tui.hand_app import GameTable, HandApp
from pond_hw.tui.help_screen import HelpScreen
from pond_hw.tui.key_footer import KeyBar
from pond_hw.tui.lamp_grid import CURSOR_BINDINGS, NO_PIECES, LampGrid, lamp_count_for_pitch
from pond_hw.tui.position_editor import PositionEditor, position_on_board
from pond_hw.tui.review_text import describe_review, format_moves
from pond_hw.tui.status_text import (
    describe_hand,
    format_paragraph,
    format_status,
    list_link_messages,
    preview_turn,
    seconds_left,
)

if TYPE_CHECKING:
    from pond_hw.tui.remote_table import RemoteTable

FIRST_PLAYERS = HUMAN, "level-1"  # for the game after the last lesson

LOOK_SECONDS = 1.0  # seconds without a resume dialog after "look", until a served board shows the game

NO_HAND = NO_PIECES, (), None  # no standing pieces, no held pieces, no refusal: a board with buttons


def run_terminal_board(table: GameTable, language: str = "en") -> None:
    """Play in this terminal until the players quit.

    Raises:
        PondError: if the connection to the table is lost.
    """
    catalogue = get_catalogue(language, "terminal")
    app = TerminalBoard(table, catalogue)
    app.run()
    if failure := app.game_table.barrier.last_failure:
        report = Message("farewell.failure", failure=failure)
        print_text(f"pond: {catalogue.text(report)}", sys.stderr)
    if farewell := app.game_table.farewell:
        print_text(catalogue.text(farewell))
    if app.lost_error:
        raise app.lost_error
    if app.return_code:
        raise SystemExit(app.return_code)


class PlayKeyBar(KeyBar):
    """Footer of the play screen. Ctrl-P and the help page list the keys that do not fit.

    At the end of a game, some keys give way to the rematch key. Boards with pieces need more keys, so the preview key
    is hidden. In narrow windows, obvious keys and keys with a mouse equivalent are dropped first. The key for lessons
    is among the last to go because newcomers need it most.
    """

    DROPPED_FIRST = "preview", "go(0, 1)", "off", "commands", "hint", "leave"

    @property
    def hidden_actions(self) -> Collection[str]:
        """Actions whose keys give way to others."""
        app = cast("TerminalBoard", self.app)
        if app.game_table.view.is_over:
            return ("press", "hint", "preview")
        return ("preview",) if app.has_pieces else ()


class TerminalBoard(HandApp):
    """The play screen.

    If `auto_update` is False, the caller must call `update_screen`, and finished games are not reviewed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(0, 1)", "move", key_display="↑↓←→"),
        Binding("enter,space", "press", "press", key_display="Enter"),
        Binding("enter,space", "lift_or_put_down", "handle", key_display="Enter"),
        Binding("enter", "end_turn", "end_turn", key_display="Enter", tooltip="done"),
        Binding("space", "lift_or_put_down_by_space", "handle", key_display="Space"),
        Binding("v,V", "turn", "turn", tooltip="turn"),
        Binding("o,O", "off", "off", tooltip="off"),
        Binding("u,U", "undo", "undo", tooltip="undo"),
        Binding("r,R", "redo", show=False, tooltip="redo"),
        Binding("r,R", "rematch", "rematch", tooltip="rematch"),
        Binding("h,H,i,I", "hint", "hint", tooltip="hint"),
        Binding("w,W,l,L", "preview", "what_if", tooltip="what_if"),
        Binding("k,K", "change_setting('help')", show=False, tooltip="help_level"),
        Binding("j,J", "change_setting('head_start')", show=False, tooltip="head_start"),
        Binding("minus", "change_setting('hint_limit')", show=False, key_display="-", tooltip="hint_limit"),
        Binding("equals_sign", "change_setting('fair_start')", show=False, key_display="=", tooltip="fair_start"),
        Binding("full_stop", "switch_turn_key", show=False, key_display=".", tooltip="turn_key"),
        Binding("n,N", "new_game", "new_game", tooltip="new_game"),
        Binding("f,F", "lessons", "lessons", tooltip="lessons"),
        Binding("z,Z", "puzzles", show=False, tooltip="puzzles"),
        Binding("x,X", "resign", show=False, tooltip="resign"),
        Binding("t,T", "draw", show=False, tooltip="draw"),
        Binding("question_mark,f1", "help", "help", key_display="?", tooltip="help"),
        Binding("q,Q", "leave", "quit", tooltip="quit"),
        Binding("ctrl+p", "commands", "commands", key_display="^p"),
        Binding("ctrl+q", "leave", show=False, priority=True),
        Binding("escape", "let_go", show=False),
        Binding("g,G", "fetch", show=False, tooltip="fetch"),
        Binding("s,S", "sweep", show=False, tooltip="sweep"),
        Binding("y,Y", "board_is_right", show=False, tooltip="board_is_right"),
        Binding("m,M", "mask", show=False, tooltip="mask"),
        Binding("p,P", "set_up", show=False, tooltip="set_up"),
        Binding("pageup", "scroll(-1)", show=False),
        Binding("pagedown", "scroll(1)", show=False),
        *CURSOR_BINDINGS,
    ]

    def __init__(self, game_table: GameTable, catalogue: Catalogue | None = None, *, auto_update: bool = True) -> None:
        self.game_table = game_table
        self._reset_board()
        frame = game_table.frame
        self._hand_text = Static(id="hand")
        self._hand_text.display = self.has_pieces
        lamps, limiter, has_pieces = frame.lamps_per_cell, game_table.limiter, self.has_pieces
        super().__init__(
            LampGrid(frame.size, lamps, limiter, free_columns=TEXT_COLUMNS, pieces=has_pieces),
            PlayKeyBar(),
            self._hand_text,
            catalogue=catalogue,
            auto_update=auto_update,
        )
        self._start_review: Callable[[Record], BackgroundReview] | None = BackgroundReview if auto_update else None
        self._game_review: BackgroundReview | None = None  # of the finished game
        self._requested_course: str | None = None  # set until the table has listed its exercises
        self._show_preview = False

    def _reset_board(self) -> None:
        self.board_grid = get_grid(self.game_table.frame.size)
        self.cursor = self.board_grid.rows[self.board_grid.size // 2][(self.board_grid.size - 1) // 2]
        self._shown_lamp_state: tuple[object, ...] | None = None
        self._shown_text_state: tuple[object, ...] | None = None
        self._keys_shown_for: tuple[bool, bool] | None = None
        self._dragged_from = None
        self._link_prompt: LinkChange | VersionQuestion | None = None  # the last one for which a dialog has opened
        self._no_prompt_until = 0.0  # no resume dialog before this instant

    def on_unmount(self) -> None:
        if self._game_review:
            self._game_review.close()
        self.game_table.close()

    def update_screen(self) -> None:
        """Advance the table by one step and redraw what has changed."""
        if not self.screen_stack:
            return  # a timer fired after the last screen closed
        self.game_table.fit_lamps(lamp_count_for_pitch(self._lamp_grid.pitch))
        try:
            self.game_table.step()
        except PondError as error:
            self.lost_error = error
            self.exit(return_code=2)
            return
        self.game_table.barrier.run(self._draw_changes)

    def _draw_changes(self) -> None:
        if isinstance(self.screen, Dialog):
            self.screen.update_lamps()
        self._prompt_resume()
        self._prompt_exercise()
        self._prompt_link()
        self._open_course()
        if len(self.screen_stack) > 1:
            return  # do not redraw under a dialog: shading the whole board each time is expensive
        table, view, hand = self.game_table, self.game_table.view, self.game_table.hand
        status_size = Size(self._status_text.size.width, self._status_scroll.size.height)
        moves_size = self._moves_text.content_size
        previewed_turn = preview_turn(table, self.cursor) if self._show_preview else None
        review = self._review_messages()
        standing, held, refusal_reason = (
            (hand.standing_pieces, hand.held_pieces, hand.refusal_reason) if hand else NO_HAND
        )
        lamp_state = table.frame, self.cursor
        text_state = (
            *(view, status_size, moves_size, self._show_preview, previewed_turn, review, seconds_left(table)),
            list_link_messages(table),
            *(standing, held, refusal_reason),
        )
        has_new_text = text_state != self._shown_text_state
        if not has_new_text and lamp_state == self._shown_lamp_state:
            return
        self._shown_lamp_state, self._shown_text_state = lamp_state, text_state
        held_last = held[-1] if held else None
        self._lamp_grid.show_frame(
            table.frame, view.scene, table.now(), self.cursor, standing, held_last, previewed_turn
        )
        self._lamp_grid.show_turn_keys(table.frame.key_colours if view.turn_key else ())
        if not has_new_text:
            return
        shows_preview, catalogue = self._show_preview, self.catalogue
        text = format_status(
            table, catalogue, *status_size, preview=shows_preview, previewed_turn=previewed_turn, review=review
        )
        self._status_text.update(text)
        if moves_size:
            game = self._game_review.game if self._game_review else ReviewedGame(view.record)
            self._moves_text.update(format_moves(game, catalogue, *moves_size))
        if hand:
            lines = describe_hand(view.occupancy, held, refusal_reason)
            self._hand_text.update(Content("\n").join(format_paragraph(line, catalogue) for line in lines))
        if self._keys_shown_for != (view.is_over, view.turn_key):
            self._keys_shown_for = view.is_over, view.turn_key
            self.refresh_bindings()

    def _prompt_resume(self) -> None:
        """Open the resume dialog if the table asks for a choice, and close it if the choice was made elsewhere."""
        resume_prompt = self.game_table.view.resume_prompt
        if resume_prompt == "ask" and self.game_table.now() >= self._no_prompt_until:
            self._open_resume_dialog()
        elif not resume_prompt and isinstance(self.screen, dialogs.ResumeDialog):
            self.screen.dismiss()  # decided at the lit board or by another user

    def _prompt_exercise(self) -> None:
        """Open the exercise dialog while the exercise is waiting for a choice, and close it afterwards."""
        view = self.game_table.view
        if view.is_exercise_prompt_open and view.exercise and not view.trouble:
            if len(self.screen_stack) == 1:
                self._open_dialog(
                    dialogs.ExerciseDialog(view.exercise, view.messages[:-1]), self._apply_exercise_choice
                )
        elif isinstance(self.screen, dialogs.ExerciseDialog):
            self.screen.dismiss()  # decided at the lit board or by another user

    def _apply_exercise_choice(self, chosen_answer: str) -> None:
        table = self.game_table
        if not table.view.is_exercise_prompt_open:
            return
        if chosen_answer == "play":
            self._show_game(table.begin_game(dialogs.GameChoice(table.default_variant, FIRST_PLAYERS)))
        else:
            choice = ExerciseChoice[chosen_answer.upper()]
            self._put_event(session_events.ChooseExercise(choice, table.now()))

    def _prompt_link(self) -> None:
        """Open a dialog for what the other home asks, and close it if it was answered elsewhere."""
        asked = self._find_link_prompt()
        if isinstance(self.screen, dialogs.RequestDialog | dialogs.VersionDialog):
            if self._link_prompt != asked:
                self.screen.dismiss()
        elif asked is None:
            self._link_prompt = None
        elif self._link_prompt != asked and len(self.screen_stack) == 1:
            self._open_link_dialog()

    def _find_link_prompt(self) -> LinkChange | VersionQuestion | None:
        """Return what the other home asks the players here, if anything."""
        link = self.game_table.view.link
        if link is None or not link.running:
            return None
        if link.question:
            return link.question if link.question.is_mine else None
        return link.requests[0] if link.requests else None

    def _open_link_dialog(self) -> None:
        table, asked = cast("RemoteTable", self.game_table), self._find_link_prompt()
        self._link_prompt = asked
        if isinstance(asked, VersionQuestion):
            self._open_dialog(
                dialogs.VersionDialog(asked), lambda name: table.choose_version(dialogs.VERSIONS.index(name))
            )
        elif asked:
            request = asked
            self._open_dialog(
                dialogs.RequestDialog(request),
                lambda answer: table.answer_request(request, is_accepted=answer == "yes"),
            )

    def _open_resume_dialog(self) -> None:
        view = self.game_table.view
        game = describe_game(view.position, len(view.turns))
        if len(self.screen_stack) == 1:
            dialog = dialogs.ResumeDialog(game, *self.game_table.resume_messages)
            self._open_dialog(dialog, self._apply_resume_choice)

    def _apply_resume_choice(self, chosen_answer: str) -> None:
        now = self.game_table.now()
        if chosen_answer == "quit":
            self.exit()
        elif not self.game_table.view.resume_prompt:
            return
        elif chosen_answer == "discard":
            self._show_game(self.game_table.decline_resume())
        else:
            if chosen_answer == "look":
                self._no_prompt_until = now + LOOK_SECONDS
            self._put_event(session_events.ChooseResume(ResumeChoice[chosen_answer.upper()], now))

    def _review_messages(self) -> tuple[tuple[Message, ...], ...]:
        """Return the paragraphs of the review of a finished game, or its progress while it is running."""
        view, review = self.game_table.view, self._game_review
        if view.exercise:
            return ()
        if review and not (view.is_over and view.turns == review.game.record.turns):
            review.close()
            review = self._game_review = None
        if review is None and view.is_over and view.turns and self._start_review:
            review = self._game_review = self._start_review(view.record)
            review.start_review()
        if review is None:
            return ()
        review.collect_answers()
        return describe_review(review)

    # Actions of keys and clicks

    @property
    def available_commands(self) -> list[Binding]:
        keys = [key for key in self.BINDINGS if isinstance(key, Binding) and key.tooltip]
        return [key for key in keys if self.check_action(key.action, ())]

    def action_commands(self) -> None:
        def chosen(action: str) -> None:
            _, name, parameters = actions.parse(action)
            if self.check_action(name, parameters):
                getattr(self, f"action_{name}")(*parameters)

        self._open_dialog(dialogs.CommandMenu(self.available_commands), chosen)

    def show_cursor(self) -> None:
        self.update_screen()

    def action_press(self) -> None:
        if self.game_table.view.resume_prompt:
            self._open_resume_dialog()
            return
        self.game_table.touch_cell(self.cursor)
        self.update_screen()

    def action_board_is_right(self) -> None:
        """Change the game so that it matches the board."""
        self._put_event(session_events.BoardIsRight(self.game_table.now()))

    def action_end_turn(self) -> None:
        """End the turn, as pressing a turn key does."""
        self._put_event(session_events.EndTurn(self.game_table.now()))

    def action_switch_turn_key(self) -> None:
        """Change whether players must press a key to end their turns."""
        self.action_change_setting("turn_key")

    def action_lift_or_put_down_by_space(self) -> None:
        """Lift or put down a piece. Bound to Space while Enter ends the turn."""
        self.action_lift_or_put_down()

    def action_mask(self) -> None:
        """Mask or unmask the sensor of the cell under the cursor."""
        occupancy = self.game_table.view.occupancy
        is_masking = occupancy is None or self.cursor not in occupancy.masked_cells
        self._put_event(session_events.MaskSensor(self.cursor, self.game_table.now(), is_masking))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "turn":
            return bool(self.game_table.hand and self.game_table.hand.turned_pieces)
        if action in ("off", "fetch", "sweep", "board_is_right", "mask", "switch_turn_key"):
            return self.has_pieces
        if action in ("lift_or_put_down", "end_turn", "lift_or_put_down_by_space"):
            return self.has_pieces and (action == "lift_or_put_down") is not self.game_table.view.turn_key
        if action == "press":
            return not self.has_pieces
        if action in ("rematch", "redo"):
            view = self.game_table.view
            return (action == "rematch") is (view.is_over and not view.exercise)
        return super().check_action(action, parameters)

    def on_lamp_grid_cell_clicked(self, event: LampGrid.CellClicked) -> None:
        """Press the clicked cell. Ignore clicks on the example board of the help page."""
        if len(self.screen_stack) == 1 and self.point_at(event.cell):
            self.action_press()

    def action_let_go(self) -> None:
        """Put held pieces back, or deselect the chosen piece. If there are none, pause the exercise."""
        if self._holding_hand:
            with self._using_hand() as hand:
                while hand.held_pieces:
                    hand.put_back()
            return
        if self.game_table.view.resume_prompt:
            self._open_resume_dialog()
            return
        chosen, table_hand = self.game_table.view.in_hand, self.game_table.hand
        if table_hand and table_hand.refusal_reason:
            table_hand.refusal_reason = None
        elif chosen and not table_hand:
            self.game_table.touch_cell(chosen)
        elif self._find_link_prompt():
            self._open_link_dialog()
        elif self.game_table.view.exercise:
            self._put_event(session_events.PauseExercise(self.game_table.now()))
        self.update_screen()

    def action_undo(self) -> None:
        self._put_event(session_events.UndoTurns(self.game_table.now()))

    def action_rematch(self) -> None:
        """Play the same variant again after the end of a game."""
        view = self.game_table.view
        if view.is_over and not view.exercise:
            self._put_event(session_events.NewGame(view.variant, self.game_table.now()))

    def action_redo(self) -> None:
        """Redo a turn that was taken back."""
        self._put_event(session_events.RedoTurns(self.game_table.now()))

    def action_hint(self) -> None:
        self._put_event(session_events.AskHint(self.game_table.now()))

    def action_change_setting(self, name: str) -> None:
        """Change a setting to its next value, for the side to move or for the whole game."""
        view, setting = self.game_table.view, SETTINGS[name]
        side = view.position.to_move if setting.is_per_side else None
        value = setting.find_next(view.find_value(setting, side))
        self._put_event(session_events.ChangeSetting(setting, side, value, self.game_table.now()))

    def action_preview(self) -> None:
        self._show_preview = not self._show_preview
        self.update_screen()

    def action_draw(self) -> None:
        """Agree to a draw. If two people are playing, ask for confirmation first."""
        draw_event = session_events.AgreeDraw(self.game_table.now())
        if self.game_table.program_names == (None, None) and not self.game_table.view.outcome:
            self._ask(Message("confirm.draw"), lambda: self._put_event(draw_event))
        else:
            self._put_event(draw_event)

    def action_scroll(self, way: int) -> None:
        """Scroll the status text if it does not fit in the window."""
        (self._status_scroll.scroll_page_down if way > 0 else self._status_scroll.scroll_page_up)(animate=False)

    def action_help(self) -> None:
        page = "pieces" if self.has_pieces else "buttons"
        self._open_dialog(HelpScreen(self.game_table.frame.lamps_per_cell, self.game_table.now, page))

    def action_resign(self) -> None:
        view = self.game_table.view
        if view.outcome or view.exercise:
            self._put_event(session_events.ResignGame(self.game_table.now()))  # the session refuses it with a message
            return
        side = self._resigning_side()

        def give_up() -> None:
            if side is self._resigning_side():
                self._put_event(session_events.ResignGame(self.game_table.now(), side))
            else:  # a player at the board has made a move in the meantime
                self.action_resign()

        self._ask(Message("confirm.resign", side=str(side), other=str(side.other_side)), give_up)

    def _resigning_side(self) -> Side:
        """Return the side that would resign: the only human player, or the side to move if both are human."""
        people = [side for side in Side if self.game_table.program_names[side] is None]
        return people[0] if len(people) == 1 else self.game_table.view.position.to_move

    def action_leave(self) -> None:
        """Quit. Ask for confirmation while a local game is in progress."""
        if self.game_table.is_local:
            is_saved = self.game_table.farewell is not None
            self._confirm_and_run(Message(f"confirm.quit.{'saved' if is_saved else 'unsaved'}"), self.exit)
        else:
            self.exit()

    def action_new_game(self) -> None:
        """Ask for a variant and players, and begin a new game."""

        def begin(choice: dialogs.GameChoice) -> None:
            self._show_game(self.game_table.begin_game(choice))

        def chosen(choice: dialogs.GameChoice) -> None:
            self._confirm_and_run(Message("confirm.new_game"), lambda: begin(choice))

        table = self.game_table
        light, dark = (program or HUMAN for program in table.program_names)
        board_rows = None if table.is_local else table.frame.size
        self._open_dialog(dialogs.NewGameDialog(table.default_variant, (light, dark), table.names, board_rows), chosen)

    def _show_game(self, is_other_board: bool) -> None:
        """Show a new game. If `is_other_board` is True, reset the board first."""
        if is_other_board:
            self._reset_board()
            self._lamp_grid.reset_board(self.game_table.frame.size, self.game_table.frame.lamps_per_cell)
        self.update_screen()

    def action_set_up(self) -> None:
        """Edit a position, starting with the pieces on the board, and begin a game from it."""
        game_table = self.game_table
        standing_pieces = game_table.hand.standing_pieces if game_table.hand else None

        def begin(position: Position) -> None:
            set_up = session_events.SetUpGame(position, game_table.now())
            self._confirm_and_run(Message("confirm.set_up"), lambda: self._put_event(set_up))

        position = position_on_board(game_table.view.position, standing_pieces)
        self._open_dialog(PositionEditor(position, game_table.frame.lamps_per_cell, game_table.now), begin)

    def action_lessons(self) -> None:
        self._requested_course = LESSONS_COURSE
        self._open_course()

    def action_puzzles(self) -> None:
        self._requested_course = PUZZLES_COURSE
        self._open_course()

    def _open_course(self) -> None:
        """Open the dialog for the requested course once the table has listed its exercises."""
        course_name = self._requested_course
        if course_name is None:
            return
        exercises = self.game_table.list_exercises(course_name, self.catalogue.language)
        if exercises is None:
            return
        self._requested_course = None

        def begin(name: str | None) -> None:
            self._put_event(session_events.StartExercise(course_name, self.game_table.now(), name))

        if exercises:
            self._open_dialog(dialogs.CourseDialog(course_name, exercises), begin)
        else:
            begin(None)  # the session shows why there are no exercises

    def _put_event(self, event: SessionEvent) -> None:
        self.game_table.put(event)
        self.update_screen()

    def _open_dialog(
        self, dialog: Dialog[DialogResult], use_result: Callable[[DialogResult], None] | None = None
    ) -> None:
        """Open a dialog, unless one of the same class is open. Keys may arrive faster than screens open.

        `use_result` is called with the result of the dialog unless the result is falsy.
        """
        if not any(type(screen) is type(dialog) for screen in self.screen_stack):
            self.push_screen(dialog, lambda result: use_result(result) if use_result and result else None)

    def _ask(self, question: Message, confirmed_job: Callable[[], None]) -> None:
        """Ask for confirmation, and run the job if the answer is yes."""
        self._open_dialog(dialogs.ConfirmDialog(question), lambda _yes: confirmed_job())

    def _confirm_and_run(self, question: Message, confirmed_job: Callable[[], None]) -> None:
        """Run a job. Ask for confirmation first while a game is in progress."""
        view = self.game_table.view
        if view.outcome or view.resume_prompt or view.exercise or not view.turns:
            confirmed_job()
        else:
            self._ask(question, confirmed_job)
