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
from pond_hw.engine.background_review import Review
from pond_hw.engine.searcher import Limits
from pond_hw.rules import Cell, Grid, Piece, PondError, Position, Record, Side, Symbol, Turn, grid
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    BoardIsRight,
    Choose,
    Mask,
    NewGame,
    Redo,
    Resign,
    Role,
    Session,
    SetUp,
    Undo,
    describe_game,
)
from pond_hw.session import Choice as Offered
from pond_hw.session.intents import Differs
from pond_hw.tui.dialogs import Ask, Choice, ChooseGame, Command, Commands, Dialog, Result, ResumeGame
from pond_hw.tui.hand import Hand, Wooden
from pond_hw.tui.help_screen import Help
from pond_hw.tui.lamp_grid import NO_WOOD, LampGrid, lamps_for
from pond_hw.tui.move_list import list_moves, tell_review
from pond_hw.tui.play_table import Table, Wish, people, seat
from pond_hw.tui.position_editor import SetUpPosition, as_it_stands
from pond_hw.tui.quitting import leave_when_told
from pond_hw.tui.status_text import seconds_left, tell, tell_hand, what_if
from pond_hw.tui.terminal import TerminalApp

FRAMES_A_SECOND = 15
"""How often the lamps are looked at: smooth enough for breathing, and little work."""

WIDE, HIGH = 62, 20
"""Columns and rows below which there is no room for a board with words beside it."""

REVIEW_SECONDS = 0.3
"""How long each action of a game that is over is looked at."""

LOOK_SECONDS = 1.0
"""How long a board that is served elsewhere may take to show a game that somebody wants to look at."""

TALL = 34
"""Rows from which on there is room for a list of moves below the words."""

ROOM_FOR_WORDS = 36
"""Columns that the board leaves free."""

RARE = ("redo", "resign", "draw", "fetch", "sweep", "board_is_right", "mask", "set_up")
"""What has no place among the keys at the bottom; Ctrl-P lists it, and the help page."""

RARE_WITH_PIECES = (*RARE, "preview")
"""The same where there are pieces, which need more keys."""


OF_NO_USE_AT_THE_END = ("press", "hint", "preview")
"""Keys that make room for the rematch when a game is over."""


class Seen(NamedTuple):
    """All that is on the screen; if it is the same as before, nothing is drawn."""

    frame: Frame
    session: Session
    cursor: Cell
    size: Size  # of the words
    left: int | None = None  # seconds until what is announced counts
    standing: Mapping[Cell, Wooden] = NO_WOOD
    held: tuple[Wooden, ...] = ()
    said: str = ""  # why the hand could not do what it was told
    preview: bool = False  # whether it is told
    would: Turn | None = None  # what would come of acting where the cursor is
    review: tuple[str, ...] = ()  # how the game went that is over
    room: Size = Size()  # of the list of moves


def need_terminal(otherwise: str = "`pond headless` does not") -> None:
    """Go on only if somebody sits at a terminal.

    Args:
        otherwise: what needs none, for the sentence that says so.

    Raises:
        PondError: nobody does.
    """
    if not all(stream and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__)):
        raise PondError(f"The terminal board needs a terminal; {otherwise}.")


def sit(table: Table) -> None:
    """Play in this terminal until the players leave.

    Args:
        table: where.

    Raises:
        PondError: the table is no longer there.
    """
    app = TerminalBoard(table, reviews=lambda record: Review(record, Limits(seconds=REVIEW_SECONDS)))
    app.run()
    if app.companion.failure:
        print(f"pond: {app.companion.failure} The game went on. Please report it, with what you did.", file=sys.stderr)
    if said := app.companion.farewell:
        print(said)
    if app.lost:
        raise app.lost
    if app.return_code:
        raise SystemExit(app.return_code)


class Keys(Footer):
    """The keys; where they have no room, without the first, which people try anyway, and one that a drag does too."""

    def compose(self) -> ComposeResult:
        """One widget a key."""
        app = cast("TerminalBoard", self.app)
        rare = RARE_WITH_PIECES if app.pieces else RARE
        if app.companion.session.over:
            rare = (*rare, *OF_NO_USE_AT_THE_END)
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
        companion: what the game is with.
        cursor: the cell that Enter presses.
        lost: why the table is no longer there, if it is not.
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
        self, companion: Table, *, lives: bool = True, reviews: Callable[[Record], Review] | None = None
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide"), (80, "-roomy")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (HIGH, "-high"), (TALL, "-tall")]
        self.lost: PondError | None = None
        self._lives, self._reviews = lives, reviews
        self._review: Review | None = None  # of the game that is over
        self._preview = False  # whether it is told what would come of an action, before it is done
        self._sit_down(companion)
        frame = companion.frame
        limiter, pieces = companion.limiter, self.pieces
        self._board = LampGrid(frame.size, frame.lamps, limiter, room=ROOM_FOR_WORDS, pieces=pieces, id="board")
        # Held, not asked for by name: the clock may tick once more when the screen has gone already.
        self._words = Static(id="told")
        self._room = VerticalScroll(self._words, id="words", can_focus=False)
        self._moves = Static(id="moves", markup=False)
        self._hand = Static(id="hand")
        self._hand.display = pieces

    def _sit_down(self, companion: Table) -> None:
        self.companion = companion
        size = companion.frame.size
        self.cursor: Cell = grid(size).rows[size // 2][(size - 1) // 2]
        self._shown: Seen | None = None
        self._said = ""  # why the hand could not do what it was told
        self._looks_until = 0.0  # so long nobody is asked about the game that is offered
        self._carried: Cell | None = None  # where the mouse took a piece, as long as its button is down

    def compose(self) -> ComposeResult:
        """The board, the words, the keys; and a sentence for windows in which they have no room."""
        with Horizontal(id="table"):
            yield self._board
            with Vertical(id="beside"):
                yield self._room
                yield self._moves
                yield self._hand
        yield Keys(compact=True, classes="pieces" if self.pieces else "")
        yield Static(
            f"This window is too small for the pond: it needs {WIDE} columns and {HIGH} rows. Make the window "
            "larger, or its letters smaller.",
            id="small",
        )

    def on_mount(self) -> None:
        """Begin to live; and when told from outside to end, leave the terminal as it was."""
        if self._lives:
            self.set_interval(1 / FRAMES_A_SECOND, self.look)
            leave_when_told(self)

    def on_resize(self) -> None:
        """Look again once everything has found its new place."""
        self.call_after_refresh(self.look)

    def on_unmount(self) -> None:
        """Leave the lamps dark, and nothing that thinks."""
        if self._review:
            self._review.close()
        self.companion.close()

    def look(self) -> None:
        """Let the companion do what is due, and show what has changed."""
        if not self.screen_stack:
            return  # everybody has left, and the clock ticks once more
        self.companion.fit(lamps_for(self._board.pitch))
        try:
            self.companion.step()
        except PondError as lost:
            self.lost = lost
            self.exit(return_code=2)
            return
        self.companion.guard(self._draw)

    def _draw(self) -> None:
        """Show what has changed."""
        if isinstance(self.screen, Help | SetUpPosition):
            self.screen.look()
        self._ask_what_becomes()
        if len(self.screen_stack) > 1:
            return  # what lies under a question stands still: to shade all of it again and again is much work
        companion, hand = self.companion, self.companion.hand
        size = Size(self._words.size.width, self._room.size.height)
        would = what_if(companion, self.cursor) if self._preview else None
        seen = Seen(companion.frame, companion.session, self.cursor, size, preview=self._preview, would=would)
        seen = seen._replace(review=self._looked_back(), room=self._moves.content_size)
        before = self._shown
        if hand:
            self._said = hand.complaint() or self._said
            seen = seen._replace(left=seconds_left(companion), standing=hand.standing, held=hand.held, said=self._said)
        if seen == before:
            return
        self._shown = seen
        held = seen.held[-1] if seen.held else None
        self._board.show(seen.frame, seen.session.scene, companion.now(), seen.cursor, seen.standing, held, would)
        if not before or before._replace(frame=seen.frame, cursor=seen.cursor) != seen:
            words = tell(companion, *seen.size, preview=seen.preview, would=would, review=seen.review)
            self._words.update(words)
            self._list_moves()
        if not before or before.session.over is not seen.session.over:
            self.refresh_bindings()  # r is a rematch then
        if hand and (not before or before._replace(frame=seen.frame, cursor=seen.cursor) != seen):
            self._hand.update(tell_hand(seen.session.wood, seen.held, seen.said))

    def _ask_what_becomes(self) -> None:
        """Ask what becomes of a game that was not finished, unless somebody looks at it; if it is decided, no more."""
        offer = self.companion.session.offer
        if offer and not offer.looking and self.companion.now() >= self._looks_until:
            self._offer_game()
        elif not offer and isinstance(self.screen, ResumeGame):
            self.screen.dismiss()  # at the lit board, or by somebody else

    def _offer_game(self) -> None:
        session = self.companion.session
        game = describe_game(session.position, len(session.turns))
        if len(self.screen_stack) == 1:
            self._open(ResumeGame(f"{game}.", *self.companion.about_offer()), self._choose_offer)

    def _choose_offer(self, choice: str | None) -> None:
        session, now = self.companion.session, self.companion.now()
        if choice == "quit":
            self.exit()
        elif session.offer and choice == "resume":
            self._put(Choose(Offered.RESUME, now))
        elif session.offer and choice == "look":
            self._looks_until = now + LOOK_SECONDS
            self._put(Choose(Offered.LOOK, now))
        elif session.offer and choice == "discard":
            self._at_table(self.companion.leave_offer())

    def _looked_back(self) -> tuple[str, ...]:
        """How the game went, as far as that is known; nothing before it is over."""
        session, review = self.companion.session, self._review
        if review and not (session.over and session.turns == review.record.turns):
            review.close()
            review = self._review = None
        if review is None and session.over and session.turns and self._reviews:
            review = self._review = self._reviews(session.record)
            review.begin()
        if review is None:
            return ()
        review.hear()
        return tell_review(review)

    def _list_moves(self) -> None:
        room = self._moves.content_size
        if not room:
            return
        judged = self._review.judged if self._review else {}
        self._moves.update(list_moves(self.companion.session.record, judged, room.width, room.height))

    # What keys and clicks do.

    @property
    def commands(self) -> tuple[Command, ...]:
        """All that keys do now."""
        return tuple(
            Command(binding.action, binding.key_display or binding.key[0], binding.tooltip)
            for binding in self.BINDINGS
            if isinstance(binding, Binding) and binding.tooltip and self.check_action(binding.action, ())
        )

    def action_commands(self) -> None:
        """Show all that can be done, to be chosen from."""

        def chosen(action: str | None) -> None:
            if action and self.check_action(action, ()):
                getattr(self, f"action_{action}")()

        self._open(Commands(self.commands), chosen)

    def action_go(self, dx: int, dy: int) -> None:
        """Move the cursor by a cell."""
        x, y = self._grid.place(self.cursor)
        self._move(x + dx, y + dy)

    def action_column(self, x: int) -> None:
        """Move the cursor to a column."""
        self._move(x, self._grid.place(self.cursor)[1])

    def action_row(self, y: int) -> None:
        """Move the cursor to a row."""
        self._move(self._grid.place(self.cursor)[0], y)

    def _move(self, x: int, y: int) -> None:
        size = self._grid.size
        if 0 <= x < size and 0 <= y < size:
            self.cursor = self._grid.cells[y * size + x]
            self.look()

    @property
    def _grid(self) -> Grid:
        return grid(self.companion.frame.size)

    @property
    def pieces(self) -> bool:
        """Whether the table is played with pieces."""
        return self.companion.hand is not None

    def action_press(self) -> None:
        """Press the cell under the cursor."""
        if self.companion.session.offer:
            self._offer_game()
            return
        self.companion.touch(self.cursor)
        self.look()

    def action_handle(self) -> None:
        """Take the piece under the cursor, or put one there."""
        self._take_or_put(self.cursor)

    def _take_or_put(self, cell: Cell) -> bool:
        """Put down what is in the hand; else take what stands there, else put what belongs there. Whether it took."""
        took = False
        with self._handling() as hand:
            if self.companion.session.phase == "menu" and cell in hand.standing:
                hand.take_off(cell)  # that chooses another game, which begins with empty hands
                if hand.held:
                    hand.lay_aside()
            elif hand.held:
                hand.drop(cell)
            elif cell not in hand.standing and (source := self._astray(cell)):
                hand.lift(source)
                hand.drop(cell)
            elif cell not in hand.standing:
                hand.place(cell, self._asked_for(cell))
            else:
                hand.lift(cell)
                took = True
        return took

    @contextmanager
    def _handling(self) -> Iterator[Hand]:
        """Do something by hand; what cannot be done is told."""
        assert self.companion.hand
        self._said = ""
        try:
            yield self.companion.hand
        except PondError as refused:
            self._said = str(refused)
        self.look()

    def _astray(self, cell: Cell) -> Cell | None:
        """Where the piece stands that the lamps want on this cell, if they say from where it comes."""
        wood = self.companion.session.wood
        if wood is None or not isinstance(wood.reading, Differs) or not wood.reading.steps:
            return None
        source, target = wood.reading.steps[0]
        return source if target == cell else None

    def _asked_for(self, cell: Cell) -> Piece:
        """The piece that the lamps ask for on a cell; if they ask for none, an egg of the side to move."""
        sight = self.companion.session.scene.sights[cell]
        if sight.piece and sight.role in (Role.PUT, Role.ABOUT):
            return sight.piece
        return Piece(self.companion.session.position.to_move, Symbol.EGG)

    def action_turn(self) -> None:
        """Turn over the piece under the cursor, as the lamps show it; one that has scored is taken off.

        If none stands there, turn the one in the hand.
        """
        sight = self.companion.session.scene.sights[self.cursor]
        with self._handling() as hand:
            if sight.role is Role.TAKE_OFF:
                hand.take_off(self.cursor)
                if hand.held and self.companion.session.phase == "menu":
                    hand.lay_aside()
            elif hand.held and self.cursor not in hand.standing:
                hand.flip()
            else:
                hand.turn(self.cursor, sight.piece and sight.piece.symbol)

    def action_off(self) -> None:
        """Lay aside what is in the hand; if that is nothing, take off the piece under the cursor."""
        with self._handling() as hand:
            if hand.held:
                hand.lay_aside()
            else:
                hand.take_off(self.cursor)

    def action_fetch(self) -> None:
        """Take a new egg into the hand, of the side to move; then one of the other side."""
        with self._handling() as hand:
            if hand.held:
                hand.swap()
            else:
                hand.fetch(Piece(self.companion.session.position.to_move, Symbol.EGG))

    def action_sweep(self) -> None:
        """Take everything off the board, into the hand."""
        with self._handling() as hand:
            hand.sweep()

    def action_board_is_right(self) -> None:
        """The game shall be as the board."""
        self._put(BoardIsRight(self.companion.now()))

    def action_mask(self) -> None:
        """Do not ask the sensor under the cursor any more; or ask it again."""
        wood = self.companion.session.wood
        bad = wood is None or self.cursor not in wood.masked
        self._put(Mask(self.cursor, self.companion.now(), bad))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is such a thing to do at this table."""
        if action in ("handle", "turn", "off", "fetch", "sweep", "board_is_right", "mask"):
            return self.pieces
        if action == "press":
            return not self.pieces
        if action in ("rematch", "redo"):
            return (action == "rematch") is self.companion.session.over
        return super().check_action(action, parameters)

    def on_lamp_grid_down(self, event: LampGrid.Down) -> None:
        """A hand comes down on a cell: it takes a piece or puts one down; with the right button it turns one over."""
        self.cursor = event.cell
        if event.right:
            self.action_turn()
        else:
            self._carried = event.cell if self._take_or_put(event.cell) else None

    def on_lamp_grid_over(self, event: LampGrid.Over) -> None:
        """What the hand holds is seen where the mouse is."""
        if self.companion.hand and self.companion.hand.held:
            self.cursor = event.cell
            self.look()

    def on_lamp_grid_up(self, event: LampGrid.Up) -> None:
        """The mouse is let go: what it has carried is put down, unless it has not come away from its cell."""
        carried, self._carried = self._carried, None
        hand = self.companion.hand
        if not carried or not hand or not hand.held:
            return
        if event.cell is None:
            self.action_off()
        elif event.cell != carried:
            self.cursor = event.cell
            with self._handling():
                hand.drop(event.cell)

    def on_click(self, event: events.Click) -> None:
        """A click on the words that tell what is in the hand lays it aside."""
        if event.widget is self._hand and self.companion.hand and self.companion.hand.held:
            self.action_off()

    def on_lamp_grid_pressed(self, event: LampGrid.Pressed) -> None:
        """Press the cell that was clicked; those of the help page are no cells of this board."""
        if len(self.screen_stack) > 1:
            return
        self.cursor = event.cell
        self.action_press()

    def action_let_go(self) -> None:
        """Let the chosen piece go; or put what is in the hand back where it came from."""
        if self.companion.hand and self.companion.hand.held:
            with self._handling() as hand:
                hand.put_back()
            return
        if self.companion.session.offer:
            self._offer_game()
            return
        self._said = ""
        chosen = self.companion.session.chosen
        if chosen:
            self.companion.touch(chosen)
        self.look()

    def action_undo(self) -> None:
        """Take a turn back."""
        self._put(Undo(self.companion.now()))

    def action_rematch(self) -> None:
        """Play the same again, when it is over."""
        session = self.companion.session
        if session.over:
            self._put(NewGame(session.pond, self.companion.now()))

    def action_redo(self) -> None:
        """Play a turn again that was taken back."""
        self._put(Redo(self.companion.now()))

    def action_hint(self) -> None:
        """Ask what to do."""
        self._put(AskHint(self.companion.now()))

    def action_preview(self) -> None:
        """Tell what would come of an action before it is done; or tell it no longer."""
        self._preview = not self._preview
        self.look()

    def action_draw(self) -> None:
        """Agree to a draw; two people are asked whether both do."""
        agree = AgreeDraw(self.companion.now())
        if len(people(self.companion)) == 2 and not self.companion.session.outcome:
            self._open(Ask("Do both players agree to a draw?"), lambda yes: self._put(agree) if yes else None)
        else:
            self._put(agree)

    def _put(self, event: Wish) -> None:
        self.companion.put(event)
        self.look()

    def action_words(self, way: int) -> None:
        """Scroll the words, in a window where they have no room."""
        (self._room.scroll_page_down if way > 0 else self._room.scroll_page_up)(animate=False)

    def action_help(self) -> None:
        """Show how Pond is played and how the lamps speak."""
        self._open(Help(self.companion.frame.lamps, self.companion.now, pieces=self.pieces))

    def action_resign(self) -> None:
        """Give up, after a question."""
        session = self.companion.session
        if session.outcome:
            self._put(Resign(self.companion.now()))  # which is refused, with a sentence
            return
        side = self._resigning()

        def answered(yes: bool | None) -> None:
            if yes and side is not self._resigning():  # meanwhile somebody has played on at the board
                self.action_resign()
            elif yes:
                self._put(Resign(self.companion.now(), side))

        self._open(Ask(f"{side} gives up and {side.other} wins?".capitalize()), answered)

    def _resigning(self) -> Side:
        """Who it is that gives up: the one person, or of two the one to move."""
        persons = people(self.companion)
        return persons[0] if len(persons) == 1 else self.companion.session.position.to_move

    def action_leave(self) -> None:
        """Quit, after a question if that ends a game."""
        if self.companion.ours:
            saved = "Quit? The game is saved. You can continue it another time."
            question = saved if self.companion.farewell else "Quit in the middle of this game?"
            self._if_nothing_is_lost(question, self.exit)
        else:
            self.exit()

    def action_new_game(self) -> None:
        """Choose another game, and who plays it."""

        def chosen(choice: Choice | None) -> None:
            if choice:
                self._if_nothing_is_lost("Leave this game and begin a new one?", lambda: self._new_game(choice))

        companion = self.companion
        players = (seat(companion, Side.LIGHT), seat(companion, Side.DARK))
        rows = None if companion.ours else companion.frame.size
        self._open(ChooseGame(companion.session.pond, players, companion.names, rows), chosen)

    def _new_game(self, choice: Choice) -> None:
        self._at_table(self.companion.begin(choice))

    def _at_table(self, companion: Table) -> None:
        """Go on there."""
        if companion is not self.companion:
            self._sit_down(companion)
            self._board.reset(companion.frame.size, companion.frame.lamps)
        self.look()

    def action_set_up(self) -> None:
        """Begin a game from a position that is set up by hand; what stands on the board is there to begin with."""
        companion = self.companion
        wood = companion.hand.standing if companion.hand else None

        def begin(position: Position | None) -> None:
            if position:
                set_up = SetUp(position, companion.now())
                self._if_nothing_is_lost("Leave this game and begin one here?", lambda: self._put(set_up))

        position = as_it_stands(companion.session.position, wood)
        self._open(SetUpPosition(position, companion.frame.lamps, companion.now), begin)

    def _open(self, dialog: Dialog[Result], answered: Callable[[Result | None], None] | None = None) -> None:
        """Show a dialog, unless one of its kind is open already: keys may come faster than screens."""
        if not any(type(screen) is type(dialog) for screen in self.screen_stack):
            self.push_screen(dialog, answered)

    def _if_nothing_is_lost(self, question: str, do: Callable[[], None]) -> None:
        """Do it; in the middle of a game only after a yes."""
        session = self.companion.session
        if session.outcome or session.offer or not session.turns:
            do()
            return

        def answered(yes: bool | None) -> None:
            if yes:
                do()

        self._open(Ask(question), answered)
