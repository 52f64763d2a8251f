"""Terminal app for `pond setup`: shows the text and the choices of a step and, if the board is simulated, its lamps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from math import inf
from pathlib import Path
from textwrap import wrap

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip
from textual.widgets import Static

from pond_hw.interrupts import exit_without_cleanup
from pond_hw.messages.catalogue import Catalogue, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import print_text
from pond_hw.profile.board_profile import AnalogWiring, name_turn_key
from pond_hw.rules import DARK, LIGHT, Cell, PondError, Side, get_grid
from pond_hw.setup.controller import SetupController
from pond_hw.setup.pages import PAGE_COLUMNS, ShownOption, ShownPage, StepPage
from pond_hw.setup.step import StepReply
from pond_hw.simulator.board_with_faults import FaultyBoard
from pond_hw.tui.colours import GROUND_COLOUR, QUIET_COLOUR
from pond_hw.tui.lamp_grid import CellCursor
from pond_hw.tui.plain_lamp_grid import LABEL_COLUMNS, PlainLampGrid, perceived_hex
from pond_hw.tui.terminal import TerminalApp, require_terminal

TOUCH_SECONDS = 0.25  # duration of a touch made with a key, in seconds

MIN_HINT_COLUMNS = 18  # minimum columns for the hints about a simulated board

ARROW_STEPS = {"up": (0, 1), "down": (0, -1), "left": (-1, 0), "right": (1, 0)}
"""Columns and rows by which each arrow key moves the cursor."""

TYPING_SECONDS = 0.8  # seconds to wait for a longer answer, such as a cell, after a letter that is an answer itself

QUIT_AGAIN_SECONDS = 1.0
"""Seconds after leaving a step during which another `q` is ignored, because it may be a double press or a held key."""

KEY_REPEAT_SECONDS = 0.3  # presses of `q` closer together than this come from a held key

HINT_STYLE = Style(color=QUIET_COLOUR, bgcolor=GROUND_COLOUR)

BOARD_GAP = 1  # columns between text and board

TURN_KEY_SIDES: dict[str, tuple[Side | None, ...]] = {"pagedown": (LIGHT, None), "pageup": (DARK, None)}
"""Sides whose turn key each keyboard key can press on a simulated board. None stands for a shared turn key."""

MIN_TEXT_COLUMNS = 20  # minimum width of text beside the board

ROOMY_SIZE = Size(90, 30)  # smallest window with lines between the cells of any board


class WorkbenchView(CellCursor, PlainLampGrid):
    """A simulated board with its lamps. The mouse and the keyboard simulate a finger."""

    def __init__(self, bench: FaultyBoard, catalogue: Catalogue) -> None:
        super().__init__(bench.profile.size, bench.seen_lamps)
        self._workbench, self._catalogue = bench, catalogue
        self.board_grid, self.cursor = get_grid(bench.profile.size), "a1"
        self.piece_owner = LIGHT  # owner of the pieces that a press puts down
        self.pressed_cells: tuple[Cell, ...] = ()
        self.touch_hints: list[str] = []
        self._two_poles = isinstance(bench.profile.sensing.wiring, AnalogWiring)
        self._strip_rows = 1 if bench.seen_strips else 0  # a row above the cells, and one below

    def fit_window(self, window: Size) -> None:
        """Adjust the size of the drawing to the window."""
        roomy = window.width >= ROOMY_SIZE.width and window.height >= ROOMY_SIZE.height
        self.resize_board(self.board_size, roomy=roomy)
        self.drawn_columns = max(self.drawn_columns, LABEL_COLUMNS + MIN_HINT_COLUMNS)
        self.styles.width = self.drawn_columns
        self._update_hints()

    def _update_hints(self) -> None:
        sides = {"side": str(self.piece_owner), "other": str(self.piece_owner.other_side)}
        hints = [Message(f"workbench.{'piece' if self._two_poles else 'finger'}", **sides)]
        if turn_keys := self._workbench.profile.turn_key_pins:
            hints.append(Message(f"workbench.{'key' if None in turn_keys else 'keys'}"))
        self.touch_hints = wrap(self._catalogue.text(hints), self.drawn_columns - LABEL_COLUMNS)
        self.styles.height = self.drawn_lines + 2 * self._strip_rows + len(self.touch_hints)

    def cell_mark(self, cell: Cell) -> str:
        """Return the marks for the cursor and for a touch."""
        finger = "##" if cell in self.pressed_cells else "  "
        if cell == self.cursor:
            return f"[{finger}]" if self.piece_owner is LIGHT else f"<{finger}>"
        return f" {finger} " if finger.strip() else ""

    def turn_key_lamps(self) -> Sequence[str | None]:
        seen_keys, turn_keys = self._workbench.seen_keys, self._workbench.profile.turn_key_pins
        lamps = [seen_keys.get(name_turn_key(side), ((0, 0, 0),))[0] for side in turn_keys]
        return [perceived_hex(lamp) if any(lamp) else None for lamp in lamps]

    def render_line(self, y: int) -> Strip:
        """Render one line: a score strip, part of the board, or a hint below it."""
        row = y - self._strip_rows
        hint_row = row - self.drawn_lines - self._strip_rows
        if row < 0 or (self._strip_rows and row == self.drawn_lines):
            lamp_colours = self._workbench.seen_strips[f"{DARK if row < 0 else LIGHT} strip"]
            lamp_text = f"{'▬':<{max(1, self.cells_width // len(lamp_colours))}}"
            lamps = (Segment(lamp_text, Style(color=perceived_hex(lamp))) for lamp in lamp_colours)
            return Strip([Segment(" " * LABEL_COLUMNS), *lamps])
        if hint_row < 0:
            return super().render_line(row)
        return Strip([Segment(f"{'':{LABEL_COLUMNS}}{self.touch_hints[hint_row]}", HINT_STYLE)])

    def cell_at(self, x: int, y: int) -> Cell | None:
        return super().cell_at(x, y - self._strip_rows) if y >= self._strip_rows else None

    def press_cell(self, cell: Cell, owner: Side | None = None) -> None:
        """Touch a cell, or put a piece on it."""
        self.pressed_cells, self.cursor = (*self.pressed_cells, cell), cell
        self._workbench.press(cell, self.piece_owner if owner is None else owner)
        self.refresh()

    def release_cell(self, cell: Cell) -> None:
        self._workbench.release(cell)
        self.pressed_cells = tuple(pressed_cell for pressed_cell in self.pressed_cells if pressed_cell != cell)
        self.refresh()

    def show_cursor(self) -> None:
        self.refresh()

    def use_key(self, key_name: str) -> bool:
        """Move the cursor, touch or hold a cell, change the owner of the pieces, or press a turn key.

        Returns:
            True if the key was used.
        """
        if key_name in ARROW_STEPS:
            self.action_go(*ARROW_STEPS[key_name])
        elif key_name == "tab":
            self.piece_owner = self.piece_owner.other_side
            self._update_hints()
            self.refresh()
        elif key_name == "enter" and self.cursor not in self.pressed_cells:
            self.press_cell(self.cursor)
        elif key_name == "enter":
            self.release_cell(self.cursor)
        elif key_name == "space":  # a short touch
            cell = self.cursor
            self.release_cell(cell)
            self.press_cell(cell)
            self.set_timer(TOUCH_SECONDS, lambda: self.release_cell(cell))
        else:
            return self._press_turn_key(key_name)
        return True

    def _press_turn_key(self, key_name: str) -> bool:
        """Press the turn key for a keyboard key. Return False if there is none."""
        side_keys = self._workbench.profile.turn_key_pins.keys() & TURN_KEY_SIDES.get(key_name, ())
        for turn_key in map(name_turn_key, side_keys):
            self._workbench.press(turn_key)
            self.set_timer(TOUCH_SECONDS, partial(self._workbench.release, turn_key))
        return bool(side_keys)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if cell := self.cell_at(event.x, event.y):
            self.capture_mouse()
            self.release_cell(cell)
            self.press_cell(cell, DARK if event.button == 3 else None)  # the right button puts down dark's pieces

    def on_mouse_up(self) -> None:
        self.capture_mouse(False)
        self.release_cell(self.cursor)


class SetupApp(TerminalApp):
    """Screen of `pond setup`."""

    CSS_PATH = Path(__file__).with_name("setup.tcss")

    def __init__(self, controller: SetupController, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(catalogue=controller.catalogue)
        self._controller, self._now = controller, now
        self._typed_answer, self._typed_at = "", 0.0
        self._quit_pressed_at, self._quit_warned = -inf, False  # last press of `q`; True if it was ignored
        self._shown: tuple[StepPage, Size] | None = None  # page on the screen, and its window size
        self._page = controller.show_page()  # the same page as text
        bench = controller.workbench
        self.workbench_view = WorkbenchView(bench, self.catalogue) if bench else None
        # Stored because queries fail if a timer fires after the screen has closed.
        self._title_text, self._page_text = Static(id="title"), Static(id="lines", markup=False)
        self._prompt_text, self._choices_text = Static(id="asks", markup=False), Static(id="choices")

    def compose(self) -> ComposeResult:
        yield self._title_text
        with Horizontal(id="middle"):
            yield self._page_text
            if self.workbench_view:
                yield self.workbench_view
        yield self._prompt_text
        yield self._choices_text

    def on_mount(self) -> None:
        self.update_screen()

    def update_screen(self) -> None:
        """Process pending events and show the current page."""
        controller = self._controller
        try:
            controller.process_events()
        except PondError as error:  # the caller reports the lost board after the screen has closed
            self.lost_error = error
            self.exit()
            return
        setup_wizard, column_count = controller.wizard, self.size.width - 2
        if setup_wizard.over:
            self.exit()
            return
        if (controller.current_page, self.size) != self._shown:
            self._shown = controller.current_page, self.size
            self._show_page(column_count)
        page = self._page
        board_prefix = f"{controller.profile.name}: " if setup_wizard.name else ""
        milliamps, budget = round(controller.lamp_milliamps), round(controller.profile.chain.budget_ma)
        lamps_text = f"   {self.catalogue.text(Message('setup_screen.lamps', milliamps=milliamps, budget=budget))}"
        self._title_text.update(Content(format_step_title(board_prefix, page, lamps_text, column_count)))
        if self._typed_answer and self._now() >= self._typed_at + TYPING_SECONDS:
            self._submit_answer(self._typed_answer)
        trouble = f"{self.catalogue.text(controller.lamp_trouble)} " if controller.lamp_trouble else ""
        typed = f" {self._typed_answer}_" if self._typed_answer else ""
        warns = self._quit_warned and not setup_wizard.name
        prompt_text = self.catalogue.text(Message("setup_screen.quit_again")) if warns else page.prompt
        self._prompt_text.update(Content(f"{trouble}{prompt_text}{typed}"))
        if self.workbench_view:
            self.workbench_view.refresh()

    def _show_page(self, column_count: int) -> None:
        """Show the page, with the board beside it if both fit."""
        controller, board = self._controller, self.workbench_view
        self._page = controller.show_page(min(column_count, PAGE_COLUMNS))
        if board:
            board.fit_window(self.size)
            room = column_count - BOARD_GAP - board.drawn_columns
            # a step that asks for touches needs the board beside it; results don't
            if controller.wizard.name not in ("", "found") and room >= MIN_TEXT_COLUMNS:
                narrow = controller.show_page(room)
                self._page = narrow if page_fits(narrow, room) else self._page
            board.display = page_fits(self._page, room)
        self._page_text.update(Content("\n".join(self._page.lines)))
        self._choices_text.update(format_choices(self._page, column_count))

    def on_key(self, event: events.Key) -> None:
        """Handle a typed answer, or use the key on the simulated board."""
        if event.key == "ctrl+c":
            self.exit()
        elif event.key == "enter" and self._typed_answer:
            self._submit_answer(self._typed_answer)
        elif not (self.workbench_view and self.workbench_view.use_key(event.key)):
            if event.key == "escape":
                self._typed_answer = ""
            elif event.character and event.is_printable:
                self._type_letter(event.character)
            else:
                return
        event.stop()

    def _type_letter(self, letter: str) -> None:
        """Add a letter to the typed answer, and submit the answer unless it could still become a longer one."""
        answer_keys = [setup_option.key for setup_option in self._page.choices]
        for typed in (self._typed_answer + letter, letter):  # continue the typed answer, or start a new one
            if longer := [answer_key for answer_key in answer_keys if answer_key.startswith(typed)]:
                break
        self._typed_answer, self._typed_at = typed if longer else "", self._now()
        if longer == [typed]:
            self._submit_answer(typed)

    def _submit_answer(self, typed: str) -> None:
        self._typed_answer = ""
        if typed == "q" and self._is_accidental_quit():
            return
        if typed in [setup_option.key for setup_option in self._page.choices]:
            self._controller.put_event(StepReply(typed, self._now()))
            self.update_screen()

    def _is_accidental_quit(self) -> bool:
        """Return True if `q` was pressed so soon after leaving a step that it is probably an accident."""
        since, self._quit_pressed_at = self._now() - self._quit_pressed_at, self._now()
        in_menu = not self._controller.wizard.name
        self._quit_warned = in_menu and since < (KEY_REPEAT_SECONDS if self._quit_warned else QUIT_AGAIN_SECONDS)
        return self._quit_warned


def format_step_title(board_prefix: str, page: ShownPage, lamps_text: str, column_count: int) -> str:
    """Format the title of the page. Drop the lamp current, and then the board name, if they do not fit."""
    done, total = page.step_progress
    title = f"{page.title}   {done}/{total}" if total else page.title
    return next(
        (
            line
            for line in (f"{board_prefix}{title}{lamps_text}", f"{board_prefix}{title}")
            if len(line) <= column_count
        ),
        title,
    )


def page_fits(page: ShownPage, free_columns: int) -> bool:
    """Return True if no line of the page is too long."""
    return max(map(len, page.lines), default=0) <= free_columns


def format_choices(page: ShownPage, column_count: int) -> Content:
    """Format the choices, wrapped between choices. Choices without a label, such as cells, are left out."""
    lines: list[list[ShownOption]] = [[]]
    for choice in page.choices:
        if choice.label:
            if (
                lines[-1]
                and len("   ".join(f"{each.key} {each.label}" for each in (*lines[-1], choice))) > column_count
            ):
                lines.append([])
            lines[-1].append(choice)
    drawn = [[Content.assemble((choice.key, "bold reverse"), f" {choice.label}") for choice in line] for line in lines]
    return Content("\n").join(Content("   ").join(line) for line in drawn)


def run(open_board: Callable[..., SetupController], *, step: str | None, cells: Sequence[str], language: str) -> None:
    """Run the set-up screen until the user quits.

    Raises:
        PondError: if the board can't be opened, or if the step doesn't exist.
    """
    require_terminal("pond setup --headless")
    with closing(open_board(time.monotonic)) as controller:
        controller.catalogue = get_catalogue(language)
        if step:
            controller.begin_step(step, cells)
        setup_app = SetupApp(controller)
        setup_app.run()
    if controller.saved_file and not controller.is_temporary:
        print_text(controller.catalogue.text(Message("setup_screen.saved", file=str(controller.saved_file))))
    if setup_app.lost_error:
        raise setup_app.lost_error
    if controller.bus_hung:
        exit_without_cleanup(None)
