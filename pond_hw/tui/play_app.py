"""`pond play`: a board in this terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import ClassVar, NamedTuple, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Size
from textual.widgets import Footer, Static
from textual.widgets._footer import FooterKey

from pond_hw.board import Frame
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.searcher import SearchLimits
from pond_hw.rules import Cell, Grid, Piece, PondError, Position, Record, Side, Symbol, Turn, get_grid
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    BoardIsRight,
    CellRole,
    ChooseResume,
    MaskSensor,
    NewGame,
    RedoTurns,
    ResignGame,
    Session,
    SetUpGame,
    UndoTurns,
    format_game_summary,
)
from pond_hw.session import ResumeChoice as Offered
from pond_hw.session.intents import Mismatch
from pond_hw.tui.dialogs import (
    CommandMenu,
    ConfirmDialog,
    Dialog,
    DialogResult,
    GameChoice,
    MenuCommand,
    NewGameDialog,
    ResumeDialog,
)
from pond_hw.tui.hand import PieceHand, VisiblePiece
from pond_hw.tui.help_screen import HelpScreen
from pond_hw.tui.lamp_grid import NO_PIECES, LampGrid, lamps_for
from pond_hw.tui.move_list import format_moves, format_review
from pond_hw.tui.play_table import GameTable, UserEvent, human_sides, seat_name
from pond_hw.tui.position_editor import PositionEditor, position_on_board
from pond_hw.tui.quitting import exit_on_signal
from pond_hw.tui.status_text import format_hand, format_status, preview_turn, seconds_left
from pond_hw.tui.terminal import TerminalApp

FRAMES_PER_SECOND = 15
"""How often the lamps are looked at: smooth enough for breathing, and little work."""

MIN_COLUMNS, MIN_ROWS = 62, 20
"""Columns and rows below which there is no room for a board with words beside it."""

REVIEW_SECONDS = 0.3
"""How long each action of a game that is over is looked at."""

LOOK_SECONDS = 1.0
"""How long a board that is served elsewhere may take to show a game that somebody wants to look at."""

TALL_ROWS = 34
"""Rows from which on there is room for a list of moves below the words."""

TEXT_COLUMNS = 36
"""Columns that the board leaves free."""

RARE_ACTIONS = ("redo", "resign", "draw", "fetch", "sweep", "board_is_right", "mask", "set_up")
"""What has no place among the keys at the bottom; Ctrl-P lists it, and the help page."""

RARE_PIECE_ACTIONS = (*RARE_ACTIONS, "preview")
"""The same where there are pieces, which need more keys."""


UNUSED_WHEN_OVER = ("press", "hint", "preview")
"""Keys that make room for the rematch when a game is over."""


class ScreenState(NamedTuple):
    """All that is on the screen; if it is the same as before, nothing is drawn."""

    frame: Frame
    session: Session
    cursor: Cell
    text_size: Size  # of the words
    countdown_seconds: int | None = None  # seconds until what is announced counts
    standing_pieces: Mapping[Cell, VisiblePiece] = NO_PIECES
    held_pieces: tuple[VisiblePiece, ...] = ()
    hand_complaint: str = ""  # why the hand could not do what it was told
    is_preview: bool = False  # whether it is told
    possible_turn: Turn | None = None  # what would come of acting where the cursor is
    review_lines: tuple[str, ...] = ()  # how the game went that is over
    moves_size: Size = Size()  # of the list of moves


def need_terminal(otherwise: str = "`pond headless` does not") -> None:
    """Go on only if somebody sits at a terminal.

    Args:
        otherwise: what needs none, for the sentence that says so.

    Raises:
        PondError: nobody does.
    """
    if not all(stream and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__)):
        raise PondError(f"The terminal board needs a terminal; {otherwise}.")


def run_terminal_board(table: GameTable) -> None:
    """Play in this terminal until the players leave.

    Args:
        table: where.

    Raises:
        PondError: the table is no longer there.
    """
    app = TerminalBoard(table, reviews=lambda record: BackgroundReview(record, SearchLimits(seconds=REVIEW_SECONDS)))
    app.run()
    if app.game_table.failure:
        print(f"pond: {app.game_table.failure} The game went on. Please report it, with what you did.", file=sys.stderr)
    if said := app.game_table.farewell_message:
        print(said)
    if app.lost_error:
        raise app.lost_error
    if app.return_code:
        raise SystemExit(app.return_code)


class KeyBar(Footer):
    """The keys; where they have no room, without the first, which people try anyway, and one that a drag does too."""

    def compose(self) -> ComposeResult:
        """One widget a key."""
        app = cast("TerminalBoard", self.app)
        rare = RARE_PIECE_ACTIONS if app.has_pieces else RARE_ACTIONS
        if app.game_table.session.is_over:
            rare = (*rare, *UNUSED_WHEN_OVER)
        for number, key in enumerate(super().compose()):
            if isinstance(key, FooterKey) and key.action in rare:
                continue
            least = not number or (isinstance(key, FooterKey) and key.action == "off")
            yield key.add_class("least") if least else key


class TerminalBoard(TerminalApp):
    """A table, and a person in front of a terminal.

    Args:
        companion: the table.
        lives: whether it is looked at again and again. Else nothing moves by itself: whoever made this says `look`.
        reviews: looks back at a game that is over; None: nobody does.

    Attributes:
        game_table: what the game is with.
        cursor: the cell that Enter presses.
        lost_error: why the table is no longer there, if it is not.
    """

    AUTO_FOCUS = None

    CSS = """
    #table { height: 1fr; }
    #beside { width: 1fr; max-width: 70; }
    #words { height: 1fr; padding: 1 0 0 1; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    #moves { display: none; height: 1fr; padding: 1 1 0 1; text-wrap: nowrap; }
    .-tall #moves { display: block; }
    .-tall #words { height: 22; }
    #hand { height: auto; padding: 0 1 0 1; }
    #small { display: none; padding: 1 2; height: 1fr; }
    .least { display: none; }
    .-roomy FooterKey { display: block; margin-right: 2; }
    .-roomy .pieces FooterKey { margin-right: 1; }
    .-narrow, .-low {
        #table, Footer { display: none; }
        #small { display: block; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", show=False, priority=True),  # at once, from anywhere; Textual would only explain
        Binding("up", "go(0, 1)", "move", key_display="↑↓←→"),
        Binding("down", "go(0, -1)", show=False),
        Binding("left", "go(-1, 0)", show=False),
        Binding("right", "go(1, 0)", show=False),
        Binding("enter,space", "press", "press", key_display="Enter"),
        Binding("enter,space", "handle", "take/put", key_display="Enter"),
        Binding("v,V", "turn", "turn", tooltip="Turn over the piece in the frame"),
        Binding("o,O", "off", "off", tooltip="Take off the piece in the frame, or lay aside what you hold"),
        Binding("u,U", "undo", "undo", tooltip="Undo: take a turn back"),
        Binding("r,R", "redo", "redo", tooltip="Redo: play it again"),
        Binding("r,R", "rematch", "rematch", tooltip="Rematch: the same game again"),
        Binding("h,H,i,I", "hint", "hint", tooltip="Hint: what to do"),
        Binding("w,W,l,L", "preview", "what if", tooltip="What if: what would come of acting in the frame"),
        Binding("n,N", "new_game", "new", tooltip="New game: another pond, another player"),
        Binding("x,X", "resign", "resign", tooltip="Resign: give up"),
        Binding("t,T", "draw", "draw", tooltip="Draw: agree to one"),
        Binding("question_mark,f1", "help", "help", key_display="?", tooltip="Help: the rules, the keys, the lamps"),
        Binding("q,Q", "leave", "quit", tooltip="Quit"),
        Binding("ctrl+p", "commands", "all", key_display="^p"),
        Binding("ctrl+q", "leave", show=False, priority=True),
        Binding("escape", "let_go", show=False),
        Binding("g,G", "fetch", "fetch", tooltip="Fetch a new egg into the hand; again: one of the other side"),
        Binding("s,S", "sweep", "sweep", tooltip="Sweep: take everything off the board, into the hand"),
        Binding("y,Y", "board_is_right", "board right", tooltip="The board is right: make the game as the board is"),
        Binding("m,M", "mask", "mask", tooltip="Mask the sensor in the frame, or ask it again"),
        Binding("p,P", "set_up", "set up", tooltip="Set up a position by hand"),
        Binding("pageup", "words(-1)", show=False),
        Binding("pagedown", "words(1)", show=False),
        *(Binding(f"{letter},{letter.upper()}", f"column({x})", show=False) for x, letter in enumerate("abcde")),
        *(Binding(digit, f"row({y})", show=False) for y, digit in enumerate("12345")),
    ]

    def __init__(
        self, companion: GameTable, *, lives: bool = True, reviews: Callable[[Record], BackgroundReview] | None = None
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (MIN_COLUMNS, "-wide"), (80, "-roomy")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (MIN_ROWS, "-high"), (TALL_ROWS, "-tall")]
        self.lost_error: PondError | None = None
        self._updates_itself, self._start_review = lives, reviews
        self._game_review: BackgroundReview | None = None  # of the game that is over
        self._show_preview = False  # whether it is told what would come of an action, before it is done
        self._set_table(companion)
        frame = companion.frame
        limiter, pieces = companion.limiter, self.has_pieces
        self._lamp_grid = LampGrid(
            frame.size, frame.lamps_per_cell, limiter, room=TEXT_COLUMNS, pieces=pieces, id="board"
        )
        # Held, not asked for by name: the clock may tick once more when the screen has gone already.
        self._status_text = Static(id="told")
        self._status_scroll = VerticalScroll(self._status_text, id="words", can_focus=False)
        self._moves_text = Static(id="moves", markup=False)
        self._hand_text = Static(id="hand")
        self._hand_text.display = pieces

    def _set_table(self, companion: GameTable) -> None:
        self.game_table = companion
        size = companion.frame.size
        self.cursor: Cell = get_grid(size).rows[size // 2][(size - 1) // 2]
        self._shown_state: ScreenState | None = None
        self._hand_complaint = ""  # why the hand could not do what it was told
        self._no_prompt_until = 0.0  # so long nobody is asked about the game that is offered
        self._dragged_from: Cell | None = None  # where the mouse took a piece, as long as its button is down

    def compose(self) -> ComposeResult:
        """The board, the words, the keys; and a sentence for windows in which they have no room."""
        with Horizontal(id="table"):
            yield self._lamp_grid
            with Vertical(id="beside"):
                yield self._status_scroll
                yield self._moves_text
                yield self._hand_text
        yield KeyBar(compact=True, classes="pieces" if self.has_pieces else "")
        yield Static(
            f"This window is too small for the pond: it needs {MIN_COLUMNS} columns and {MIN_ROWS} rows. Make the window "
            "larger, or its letters smaller.",
            id="small",
        )

    def on_mount(self) -> None:
        """Begin to live; and when told from outside to end, leave the terminal as it was."""
        if self._updates_itself:
            self.set_interval(1 / FRAMES_PER_SECOND, self.update_screen)
            exit_on_signal(self)

    def on_resize(self) -> None:
        """Look again once everything has found its new place."""
        self.call_after_refresh(self.update_screen)

    def on_unmount(self) -> None:
        """Leave the lamps dark, and nothing that thinks."""
        if self._game_review:
            self._game_review.close()
        self.game_table.close()

    def update_screen(self) -> None:
        """Let the companion do what is due, and show what has changed."""
        if not self.screen_stack:
            return  # everybody has left, and the clock ticks once more
        self.game_table.fit_lamps(lamps_for(self._lamp_grid.pitch))
        try:
            self.game_table.step()
        except PondError as lost:
            self.lost_error = lost
            self.exit(return_code=2)
            return
        self.game_table.guard(self._draw_changes)

    def _draw_changes(self) -> None:
        """Show what has changed."""
        if isinstance(self.screen, HelpScreen | PositionEditor):
            self.screen.update_lamps()
        self._prompt_resume()
        if len(self.screen_stack) > 1:
            return  # what lies under a question stands still: to shade all of it again and again is much work
        companion, hand = self.game_table, self.game_table.hand
        size = Size(self._status_text.size.width, self._status_scroll.size.height)
        would = preview_turn(companion, self.cursor) if self._show_preview else None
        seen = ScreenState(
            companion.frame, companion.session, self.cursor, size, is_preview=self._show_preview, possible_turn=would
        )
        seen = seen._replace(review_lines=self._review_lines(), moves_size=self._moves_text.content_size)
        before = self._shown_state
        if hand:
            self._hand_complaint = hand.take_complaint() or self._hand_complaint
            seen = seen._replace(
                countdown_seconds=seconds_left(companion),
                standing_pieces=hand.standing_pieces,
                held_pieces=hand.held_pieces,
                hand_complaint=self._hand_complaint,
            )
        if seen == before:
            return
        self._shown_state = seen
        held = seen.held_pieces[-1] if seen.held_pieces else None
        self._lamp_grid.show_frame(
            seen.frame, seen.session.scene, companion.now(), seen.cursor, seen.standing_pieces, held, would
        )
        if not before or before._replace(frame=seen.frame, cursor=seen.cursor) != seen:
            words = format_status(
                companion, *seen.text_size, preview=seen.is_preview, would=would, review=seen.review_lines
            )
            self._status_text.update(words)
            self._update_moves()
        if not before or before.session.is_over is not seen.session.is_over:
            self.refresh_bindings()  # r is a rematch then
        if hand and (not before or before._replace(frame=seen.frame, cursor=seen.cursor) != seen):
            self._hand_text.update(format_hand(seen.session.board_state, seen.held_pieces, seen.hand_complaint))

    def _prompt_resume(self) -> None:
        """Ask what becomes of a game that was not finished, unless somebody looks at it; if it is decided, no more."""
        offer = self.game_table.session.resume_prompt
        if offer and not offer.is_looking and self.game_table.now() >= self._no_prompt_until:
            self._open_resume_dialog()
        elif not offer and isinstance(self.screen, ResumeDialog):
            self.screen.dismiss()  # at the lit board, or by somebody else

    def _open_resume_dialog(self) -> None:
        session = self.game_table.session
        game = format_game_summary(session.position, len(session.turns))
        if len(self.screen_stack) == 1:
            self._open_dialog(ResumeDialog(f"{game}.", *self.game_table.describe_resume()), self._apply_resume_choice)

    def _apply_resume_choice(self, choice: str | None) -> None:
        session, now = self.game_table.session, self.game_table.now()
        if choice == "quit":
            self.exit()
        elif session.resume_prompt and choice == "resume":
            self._put_event(ChooseResume(Offered.RESUME, now))
        elif session.resume_prompt and choice == "look":
            self._no_prompt_until = now + LOOK_SECONDS
            self._put_event(ChooseResume(Offered.LOOK, now))
        elif session.resume_prompt and choice == "discard":
            self._continue_at_table(self.game_table.decline_resume())

    def _review_lines(self) -> tuple[str, ...]:
        """How the game went, as far as that is known; nothing before it is over."""
        session, review = self.game_table.session, self._game_review
        if review and not (session.is_over and session.turns == review.record.turns):
            review.close()
            review = self._game_review = None
        if review is None and session.is_over and session.turns and self._start_review:
            review = self._game_review = self._start_review(session.record)
            review.start_review()
        if review is None:
            return ()
        review.collect_answers()
        return format_review(review)

    def _update_moves(self) -> None:
        room = self._moves_text.content_size
        if not room:
            return
        judged = self._game_review.move_reviews if self._game_review else {}
        self._moves_text.update(format_moves(self.game_table.session.record, judged, room.width, room.height))

    # What keys and clicks do.

    @property
    def available_commands(self) -> tuple[MenuCommand, ...]:
        """All that keys do now."""
        return tuple(
            MenuCommand(binding.action, binding.key_display or binding.key[0], binding.tooltip)
            for binding in self.BINDINGS
            if isinstance(binding, Binding) and binding.tooltip and self.check_action(binding.action, ())
        )

    def action_commands(self) -> None:
        """Show all that can be done, to be chosen from."""

        def chosen(action: str | None) -> None:
            if action and self.check_action(action, ()):
                getattr(self, f"action_{action}")()

        self._open_dialog(CommandMenu(self.available_commands), chosen)

    def action_go(self, dx: int, dy: int) -> None:
        """Move the cursor by a cell."""
        x, y = self._board_grid.cell_coordinates(self.cursor)
        self._move_cursor(x + dx, y + dy)

    def action_column(self, x: int) -> None:
        """Move the cursor to a column."""
        self._move_cursor(x, self._board_grid.cell_coordinates(self.cursor)[1])

    def action_row(self, y: int) -> None:
        """Move the cursor to a row."""
        self._move_cursor(self._board_grid.cell_coordinates(self.cursor)[0], y)

    def _move_cursor(self, x: int, y: int) -> None:
        size = self._board_grid.size
        if 0 <= x < size and 0 <= y < size:
            self.cursor = self._board_grid.cells[y * size + x]
            self.update_screen()

    @property
    def _board_grid(self) -> Grid:
        return get_grid(self.game_table.frame.size)

    @property
    def has_pieces(self) -> bool:
        """Whether the table is played with pieces."""
        return self.game_table.hand is not None

    def action_press(self) -> None:
        """Press the cell under the cursor."""
        if self.game_table.session.resume_prompt:
            self._open_resume_dialog()
            return
        self.game_table.touch_cell(self.cursor)
        self.update_screen()

    def action_handle(self) -> None:
        """Take the piece under the cursor, or put one there."""
        self._take_or_put(self.cursor)

    def _take_or_put(self, cell: Cell) -> bool:
        """Put down what is in the hand; else take what stands there, else put what belongs there. Whether it took."""
        took = False
        with self._using_hand() as hand:
            if self.game_table.session.game_phase == "menu" and cell in hand.standing_pieces:
                hand.take_off(cell)  # that chooses another game, which begins with empty hands
                if hand.held_pieces:
                    hand.lay_aside()
            elif hand.held_pieces:
                hand.drop_piece(cell)
            elif cell not in hand.standing_pieces and (source := self._astray_source(cell)):
                hand.lift_piece(source)
                hand.drop_piece(cell)
            elif cell not in hand.standing_pieces:
                hand.place_piece(cell, self._requested_piece(cell))
            else:
                hand.lift_piece(cell)
                took = True
        return took

    @contextmanager
    def _using_hand(self) -> Iterator[PieceHand]:
        """Do something by hand; what cannot be done is told."""
        assert self.game_table.hand
        self._hand_complaint = ""
        try:
            yield self.game_table.hand
        except PondError as refused:
            self._hand_complaint = str(refused)
        self.update_screen()

    def _astray_source(self, cell: Cell) -> Cell | None:
        """Where the piece stands that the lamps want on this cell, if they say from where it comes."""
        board_state = self.game_table.session.board_state
        mismatch = board_state and board_state.dialogue.interpretation
        if not isinstance(mismatch, Mismatch) or not mismatch.repair_steps:
            return None
        source, target = mismatch.repair_steps[0]
        return source if target == cell else None

    def _requested_piece(self, cell: Cell) -> Piece:
        """The piece that the lamps ask for on a cell; if they ask for none, an egg of the side to move."""
        sight = self.game_table.session.scene.cell_views[cell]
        if sight.piece and sight.role in (CellRole.PUT, CellRole.PENDING):
            return sight.piece
        return Piece(self.game_table.session.position.to_move, Symbol.EGG)

    def action_turn(self) -> None:
        """Turn over the piece under the cursor, as the lamps show it; one that has scored is taken off.

        If none stands there, turn the one in the hand.
        """
        sight = self.game_table.session.scene.cell_views[self.cursor]
        with self._using_hand() as hand:
            if sight.role is CellRole.TAKE_OFF:
                hand.take_off(self.cursor)
                if hand.held_pieces and self.game_table.session.game_phase == "menu":
                    hand.lay_aside()
            elif hand.held_pieces and self.cursor not in hand.standing_pieces:
                hand.flip_held()
            else:
                hand.turn_piece(self.cursor, sight.piece and sight.piece.symbol)

    def action_off(self) -> None:
        """Lay aside what is in the hand; if that is nothing, take off the piece under the cursor."""
        with self._using_hand() as hand:
            if hand.held_pieces:
                hand.lay_aside()
            else:
                hand.take_off(self.cursor)

    def action_fetch(self) -> None:
        """Take a new egg into the hand, of the side to move; then one of the other side."""
        with self._using_hand() as hand:
            if hand.held_pieces:
                hand.swap_side()
            else:
                hand.fetch_piece(Piece(self.game_table.session.position.to_move, Symbol.EGG))

    def action_sweep(self) -> None:
        """Take everything off the board, into the hand."""
        with self._using_hand() as hand:
            hand.sweep_board()

    def action_board_is_right(self) -> None:
        """The game shall be as the board."""
        self._put_event(BoardIsRight(self.game_table.now()))

    def action_mask(self) -> None:
        """Do not ask the sensor under the cursor any more; or ask it again."""
        wood = self.game_table.session.board_state
        bad = wood is None or self.cursor not in wood.sensors.masked_cells
        self._put_event(MaskSensor(self.cursor, self.game_table.now(), bad))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is such a thing to do at this table."""
        if action in ("handle", "turn", "off", "fetch", "sweep", "board_is_right", "mask"):
            return self.has_pieces
        if action == "press":
            return not self.has_pieces
        if action in ("rematch", "redo"):
            return (action == "rematch") is self.game_table.session.is_over
        return super().check_action(action, parameters)

    def on_lamp_grid_mouse_pressed(self, event: LampGrid.MousePressed) -> None:
        """A hand comes down on a cell: it takes a piece or puts one down; with the right button it turns one over."""
        self.cursor = event.cell
        if event.is_right_button:
            self.action_turn()
        else:
            self._dragged_from = event.cell if self._take_or_put(event.cell) else None

    def on_lamp_grid_mouse_entered(self, event: LampGrid.MouseEntered) -> None:
        """What the hand holds is seen where the mouse is."""
        if self.game_table.hand and self.game_table.hand.held_pieces:
            self.cursor = event.cell
            self.update_screen()

    def on_lamp_grid_mouse_released(self, event: LampGrid.MouseReleased) -> None:
        """The mouse is let go: what it has carried is put down, unless it has not come away from its cell."""
        carried, self._dragged_from = self._dragged_from, None
        hand = self.game_table.hand
        if not carried or not hand or not hand.held_pieces:
            return
        if event.cell is None:
            self.action_off()
        elif event.cell != carried:
            self.cursor = event.cell
            with self._using_hand():
                hand.drop_piece(event.cell)

    def on_click(self, event: events.Click) -> None:
        """A click on the words that tell what is in the hand lays it aside."""
        if event.widget is self._hand_text and self.game_table.hand and self.game_table.hand.held_pieces:
            self.action_off()

    def on_lamp_grid_cell_clicked(self, event: LampGrid.CellClicked) -> None:
        """Press the cell that was clicked; those of the help page are no cells of this board."""
        if len(self.screen_stack) > 1:
            return
        self.cursor = event.cell
        self.action_press()

    def action_let_go(self) -> None:
        """Let the chosen piece go; or put what is in the hand back where it came from."""
        if self.game_table.hand and self.game_table.hand.held_pieces:
            with self._using_hand() as hand:
                hand.put_back()
            return
        if self.game_table.session.resume_prompt:
            self._open_resume_dialog()
            return
        self._hand_complaint = ""
        chosen = self.game_table.session.selected_cell
        if chosen:
            self.game_table.touch_cell(chosen)
        self.update_screen()

    def action_undo(self) -> None:
        """Take a turn back."""
        self._put_event(UndoTurns(self.game_table.now()))

    def action_rematch(self) -> None:
        """Play the same again, when it is over."""
        session = self.game_table.session
        if session.is_over:
            self._put_event(NewGame(session.variant, self.game_table.now()))

    def action_redo(self) -> None:
        """Play a turn again that was taken back."""
        self._put_event(RedoTurns(self.game_table.now()))

    def action_hint(self) -> None:
        """Ask what to do."""
        self._put_event(AskHint(self.game_table.now()))

    def action_preview(self) -> None:
        """Tell what would come of an action before it is done; or tell it no longer."""
        self._show_preview = not self._show_preview
        self.update_screen()

    def action_draw(self) -> None:
        """Agree to a draw; two people are asked whether both do."""
        agree = AgreeDraw(self.game_table.now())
        if len(human_sides(self.game_table)) == 2 and not self.game_table.session.outcome:
            self._open_dialog(
                ConfirmDialog("Do both players agree to a draw?"), lambda yes: self._put_event(agree) if yes else None
            )
        else:
            self._put_event(agree)

    def _put_event(self, event: UserEvent) -> None:
        self.game_table.put(event)
        self.update_screen()

    def action_words(self, way: int) -> None:
        """Scroll the words, in a window where they have no room."""
        (self._status_scroll.scroll_page_down if way > 0 else self._status_scroll.scroll_page_up)(animate=False)

    def action_help(self) -> None:
        """Show how Pond is played and how the lamps speak."""
        self._open_dialog(HelpScreen(self.game_table.frame.lamps_per_cell, self.game_table.now, pieces=self.has_pieces))

    def action_resign(self) -> None:
        """Give up, after a question."""
        session = self.game_table.session
        if session.outcome:
            self._put_event(ResignGame(self.game_table.now()))  # which is refused, with a sentence
            return
        side = self._resigning_side()

        def answered(yes: bool | None) -> None:
            if yes and side is not self._resigning_side():  # meanwhile somebody has played on at the board
                self.action_resign()
            elif yes:
                self._put_event(ResignGame(self.game_table.now(), side))

        self._open_dialog(ConfirmDialog(f"{side} gives up and {side.other_side} wins?".capitalize()), answered)

    def _resigning_side(self) -> Side:
        """Who it is that gives up: the one person, or of two the one to move."""
        persons = human_sides(self.game_table)
        return persons[0] if len(persons) == 1 else self.game_table.session.position.to_move

    def action_leave(self) -> None:
        """Quit, after a question if that ends a game."""
        if self.game_table.is_local:
            saved = "Quit? The game is saved. You can continue it another time."
            question = saved if self.game_table.farewell_message else "Quit in the middle of this game?"
            self._confirm_and_run(question, self.exit)
        else:
            self.exit()

    def action_new_game(self) -> None:
        """Choose another game, and who plays it."""

        def chosen(choice: GameChoice | None) -> None:
            if choice:
                self._confirm_and_run("Leave this game and begin a new one?", lambda: self._begin_game(choice))

        companion = self.game_table
        players = (seat_name(companion, Side.LIGHT), seat_name(companion, Side.DARK))
        rows = None if companion.is_local else companion.frame.size
        self._open_dialog(NewGameDialog(companion.session.variant, players, companion.names, rows), chosen)

    def _begin_game(self, choice: GameChoice) -> None:
        self._continue_at_table(self.game_table.begin_game(choice))

    def _continue_at_table(self, companion: GameTable) -> None:
        """Go on there."""
        if companion is not self.game_table:
            self._set_table(companion)
            self._lamp_grid.reset_board(companion.frame.size, companion.frame.lamps_per_cell)
        self.update_screen()

    def action_set_up(self) -> None:
        """Begin a game from a position that is set up by hand; what stands on the board is there to begin with."""
        companion = self.game_table
        wood = companion.hand.standing_pieces if companion.hand else None

        def begin(position: Position | None) -> None:
            if position:
                set_up = SetUpGame(position, companion.now())
                self._confirm_and_run("Leave this game and begin one here?", lambda: self._put_event(set_up))

        position = position_on_board(companion.session.position, wood)
        self._open_dialog(PositionEditor(position, companion.frame.lamps_per_cell, companion.now), begin)

    def _open_dialog(
        self, dialog: Dialog[DialogResult], answered: Callable[[DialogResult | None], None] | None = None
    ) -> None:
        """Show a dialog, unless one of its kind is open already: keys may come faster than screens."""
        if not any(type(screen) is type(dialog) for screen in self.screen_stack):
            self.push_screen(dialog, answered)

    def _confirm_and_run(self, question: str, do: Callable[[], None]) -> None:
        """Do it; in the middle of a game only after a yes."""
        session = self.game_table.session
        if session.outcome or session.resume_prompt or not session.turns:
            do()
            return

        def answered(yes: bool | None) -> None:
            if yes:
                do()

        self._open_dialog(ConfirmDialog(question), answered)
