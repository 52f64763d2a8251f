"""Widget that draws the lamps of a board as large as possible, with letters and marks, and handles the mouse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pond_hw.board import RGB, Frame
from pond_hw.lights import CurrentLimiter, render_scene, turn_duration
from pond_hw.rules import Cell, Grid, Piece, Turn, get_grid
from pond_hw.session import CellRole, CellView, Scene
from pond_hw.tui.cell_drawing import (
    PLAIN_MARKS,
    CellAppearance,
    GapColours,
    SegmentLine,
    draw_cell,
    draw_letters,
    gap_colour,
    lamp_colour,
    make_style,
)
from pond_hw.tui.colours import GLASS_COLOUR, GROUND_COLOUR, QUIET_COLOUR
from pond_hw.tui.hand import VisiblePiece

LABEL_COLUMNS = 2  # columns for the row numbers

MIN_PITCH = 6  # room for four lamps of two pixels each, and the gap

DRAWN_SIDES = (2, 3, 4, 5, 8)  # lamps per side of a cell for which shapes are drawn

CHOSEN_MARKS, WRONG_MARKS, CURSOR_MARKS, MASKED_MARKS = "[]", "!!", "><", "~~"
"""Characters in the left and right gaps of a cell, for players who can't see colours or blinking."""

ROLE_MARKS = {
    CellRole.FLIP: "()",
    CellRole.TAKE_OFF: "^^",
    CellRole.PUT: "vv",
    CellRole.PENDING: "??",
    CellRole.WARNED: "??",
    CellRole.HINT: "**",
}

SCORING_MARKS = "{}"  # cells that a previewed action would score

ROLE_SIGNS = {CellRole.TARGET: "+", CellRole.CHOICE: "o", CellRole.DEFAULT_CHOICE: "*"}

LEFT_BUTTON, RIGHT_BUTTON = 1, 3

NO_PIECES: Mapping[Cell, VisiblePiece] = {}

CURSOR_BINDINGS: tuple[BindingType, ...] = (
    Binding("down", "go(0, -1)", show=False),
    Binding("left", "go(-1, 0)", show=False),
    Binding("right", "go(1, 0)", show=False),
    *(Binding(f"{letter},{letter.upper()}", f"column({x})", show=False) for x, letter in enumerate("abcde")),
    *(Binding(digit, f"row({y})", show=False) for y, digit in enumerate("12345")),
)
"""Keys that move a `CellCursor`. `up` is bound separately because some apps list it in the footer."""


def lamp_count_for_pitch(pitch: int) -> int:
    """Return the number of lamps per cell that fit at a given pitch. Each lamp needs two by two pixels."""
    return max(side for side in DRAWN_SIDES if side <= max(2, pitch // 2 - 1)) ** 2


class LampGrid(Widget):
    """The cells of a board, drawn as large as possible.

    Args:
        board_size: number of rows and columns.
        lamp_count: number of lamps per cell, a square number.
        limiter: limiter that produced the frames. Its gamma and brightness are undone, because a screen has its own.
        free_columns: number of columns to leave free beside the board.
        pitch: number of columns per cell, or None for as many as fit.
        pieces: True if the mouse moves pieces, False if it presses buttons.

    Attributes:
        hidden_cells: empty cells outside a pond that is smaller than the board. They are not drawn.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = "LampGrid { width: auto; height: auto; }"

    @dataclass
    class CellClicked(Message):
        """Posted when a cell is clicked."""

        cell: Cell

    @dataclass
    class MousePressed(Message):
        """Posted when a mouse button is pressed on a cell."""

        cell: Cell
        is_right_button: bool

    @dataclass
    class MouseEntered(Message):
        """Posted when the mouse moves onto a cell."""

        cell: Cell

    @dataclass
    class MouseReleased(Message):
        """Posted when the left button is released after a press on a cell. `cell` is None beside the board."""

        cell: Cell | None

    def __init__(
        self,
        board_size: int,
        lamp_count: int,
        limiter: CurrentLimiter,
        *,
        free_columns: int = 0,
        pitch: int | None = None,
        pieces: bool = False,
    ) -> None:
        super().__init__()
        self._free_columns, self._fixed_pitch, self._mouse_takes_pieces = free_columns, pitch, pieces
        self._lamp_colour = lru_cache(4096)(lambda lamp: lamp_colour(*limiter.perceive_lamp(lamp)))
        self._use_half_blocks = True  # True if the two pixels of a character may differ
        self._mouse_cell: Cell | None = None
        self._key_colours: tuple[RGB, ...] = ()  # lamps of the turn keys
        self.reset_board(board_size, lamp_count)

    def reset_board(self, board_size: int, lamp_count: int) -> None:
        """Change the size of the board and turn its lamps off."""
        self._board_grid = get_grid(board_size)
        self.pitch = self._fixed_pitch or MIN_PITCH
        self._appearances = dict.fromkeys(self._board_grid.cells, CellAppearance((GLASS_COLOUR,) * lamp_count))
        self.hidden_cells = frozenset[Cell]()
        self.refresh(layout=True)

    def __getitem__(self, cell: Cell) -> CellAppearance:
        return self._appearances[cell]

    def show_frame(
        self,
        frame: Frame,
        scene: Scene,
        now: float,
        cursor: Cell | None = None,
        standing_pieces: Mapping[Cell, VisiblePiece] = NO_PIECES,
        held_piece: VisiblePiece | None = None,
        previewed_turn: Turn | None = None,
    ) -> None:
        """Redraw the cells that have changed. Scored pieces keep their letters while the turn is animated.

        Args:
            frame: colours of the lamps.
            scene: scene that provides the letters and marks.
            now: time of the frame and the scene, in seconds.
            cursor: cell under the cursor.
            standing_pieces: pieces on the board.
            held_piece: piece held over the cursor.
            previewed_turn: turn to preview.
        """
        displayed_pieces = _find_displayed_pieces(scene, now)
        preview = _preview_changes(previewed_turn) if previewed_turn else {}
        hidden_cells = set[Cell]()
        for cell in self._board_grid.cells:
            cell_view, piece, has_cursor = scene.cell_views[cell], displayed_pieces.get(cell), cell == cursor
            appearance = CellAppearance(
                tuple(map(self._lamp_colour, frame[cell])),
                piece.notation_letter if piece else ROLE_SIGNS.get(cell_view.role, ""),
                _choose_marks(cell_view, has_cursor, scene.refusal is not None and scene.refusal.cell == cell),
                piece,
                cell_view.is_last,
                has_cursor,
                standing_pieces.get(cell),
                held_piece if has_cursor else None,
            )._replace(**preview.get(cell, {}))
            is_marked = has_cursor or appearance.standing_piece or appearance.marks != PLAIN_MARKS
            if cell_view.role is CellRole.OUTSIDE and not (is_marked or any(map(any, frame[cell]))):
                hidden_cells.add(cell)
            if appearance != self._appearances[cell]:
                self._appearances[cell] = appearance
                self.refresh(self._cell_region(cell))
        if hidden_cells != self.hidden_cells:
            self.hidden_cells = frozenset(hidden_cells)
            self.refresh()

    def show_turn_keys(self, colours: Sequence[RGB]) -> None:
        """Draw the lamps of the turn keys beside the column letters: light's on the left, dark's on the right."""
        if self._key_colours != (key_colours := tuple(colours)):
            self._key_colours = key_colours
            self.refresh()

    def cell_at(self, x: int, y: int) -> Cell | None:
        """Return the cell at a column and row of this widget, or None if there is no cell."""
        board_size, column, row = self._board_grid.size, (x - LABEL_COLUMNS) // self.pitch, y // (self.pitch // 2)
        return self._board_grid.rows[row][column] if 0 <= column < board_size and 0 <= row < board_size else None

    def cell_corner(self, cell: Cell) -> tuple[int, int]:
        """Return the column and row of a cell's top left corner."""
        x, y = self._board_grid.cell_coordinates(cell)
        return LABEL_COLUMNS + x * self.pitch, (self._board_grid.size - 1 - y) * self.pitch // 2

    def on_mount(self) -> None:
        """Disable half blocks on terminals with few colours."""
        self._use_half_blocks = not getattr(self.app, "has_few_colours", False)

    def on_click(self, event: events.Click) -> None:
        cell = self.cell_at(event.x, event.y)
        if cell and not self._mouse_takes_pieces:
            self.post_message(self.CellClicked(cell))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Post a message for the cell, and capture the mouse until the left button is released."""
        cell = self.cell_at(event.x, event.y)
        if self._mouse_takes_pieces and cell and event.button in (LEFT_BUTTON, RIGHT_BUTTON):
            self.post_message(self.MousePressed(cell, event.button == RIGHT_BUTTON))
            if event.button == LEFT_BUTTON:
                self._mouse_cell = cell
                self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Post a message when the mouse enters a cell."""
        cell = self.cell_at(event.x, event.y)
        if self._mouse_takes_pieces and cell and cell != self._mouse_cell:
            self.post_message(self.MouseEntered(cell))
        self._mouse_cell = cell

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Post a message for the cell where the button was released. Ignore a release on the labels or the frame."""
        if self.app.mouse_captured is not self:
            return
        self.release_mouse()
        cell = self.cell_at(event.x, event.y)
        if cell or not self.region.contains(event.screen_x, event.screen_y):
            self.post_message(self.MouseReleased(cell))

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Textual's signature
        """Return the width at the largest pitch that fits."""
        self._fit_pitch(container)
        return LABEL_COLUMNS + self._board_grid.size * self.pitch + 1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Return the height at the largest pitch that fits."""
        self._fit_pitch(container)
        return self._board_grid.size * self.pitch // 2 + 2

    def _fit_pitch(self, container: Size) -> None:
        if self._fixed_pitch is None:
            board_size = self._board_grid.size
            columns_pitch = (container.width - self._free_columns - LABEL_COLUMNS - 1) // board_size
            rows_pitch = (container.height - 2) // board_size * 2
            pitch = max(MIN_PITCH, min(columns_pitch - columns_pitch % 2, rows_pitch))
            if pitch != self.pitch:
                self.pitch = pitch
                self.refresh()  # Textual repaints a widget only if its size changes

    def _cell_region(self, cell: Cell) -> Region:
        """Return the region of a cell, including all gaps around it."""
        x, y = self.cell_corner(cell)
        return Region(x, y, self.pitch + 1, self.pitch // 2 + 1)

    def render_line(self, y: int) -> Strip:
        """Render one line of the board, or the column letters below it."""
        board_size, cell_rows = self._board_grid.size, self.pitch // 2
        row, char_line = divmod(y, cell_rows)
        labels = {label for cell in self._board_grid.cells if cell not in self.hidden_cells for label in cell}
        if row == board_size and char_line == 1:
            letters = (letter if letter in labels else "" for letter in "abcde"[:board_size])
            letter_line = "".join(letter.center(self.pitch + 1)[: self.pitch] for letter in letters)
            keys = [self._lamp_colour(lamp) if any(lamp) else None for lamp in self._key_colours]
            return draw_letters(f"{'':{LABEL_COLUMNS}}{letter_line} ", make_style(QUIET_COLOUR, GROUND_COLOUR), keys)
        row_number = str(board_size - row) if char_line == cell_rows // 2 else ""
        row_label = row_number if row_number in labels else ""
        segments = [Segment(f"{row_label:<{LABEL_COLUMNS}}", make_style(QUIET_COLOUR, GROUND_COLOUR))]
        for column in range(board_size + 1):
            segments += self._draw_block(column, row)[char_line]
        return Strip(segments, LABEL_COLUMNS + board_size * self.pitch + 1)

    def _draw_block(self, column: int, row: int) -> tuple[SegmentLine, ...]:
        """Draw one cell, or the closing gap if the column or row is just outside the board."""
        own_appearance, left, above, before = (
            self._find_appearance(column - x, row - y) for y in (0, 1) for x in (0, 1)
        )
        mark = (own_appearance.marks[0] if own_appearance else " ").strip() or (left.marks[1] if left else " ")
        gap_colours = GapColours(
            gap_colour(left, own_appearance),
            gap_colour(above, own_appearance),
            gap_colour(left, own_appearance, above, before),
        )
        appearance = own_appearance and own_appearance._replace(marks=PLAIN_MARKS, has_cursor=False)
        column_count = self.pitch if column < self._board_grid.size else 1
        return draw_cell(self.pitch, column_count, appearance, mark, gap_colours, self._use_half_blocks)

    def _find_appearance(self, column: int, row: int) -> CellAppearance | None:
        size = self._board_grid.size
        cell = self._board_grid.rows[row][column] if 0 <= column < size and 0 <= row < size else None
        return None if cell is None or cell in self.hidden_cells else self._appearances[cell]


class LitGrid(LampGrid):
    """A board that renders scenes itself, without a device. Takes the same options as `LampGrid`."""

    def __init__(self, board_size: int, lamp_count: int, **options: Any) -> None:
        super().__init__(board_size, lamp_count, CurrentLimiter(), **options)
        self.reset_lamps(board_size, lamp_count)

    def reset_lamps(self, board_size: int, lamp_count: int) -> None:
        """Set the size of the board and the number of lamps per cell, and turn all lamps off."""
        self.lamp_frame = Frame.dark_frame(board_size, lamp_count)
        self._limiter = CurrentLimiter.for_lamps(board_size**2 * lamp_count)

    def show_scene(self, scene: Scene, now: float, cursor: Cell | None = None, marked: Scene | None = None) -> None:
        """Show a scene at a given time in seconds. Letters and marks come from `marked` if it is given."""
        frame = render_scene(scene, now, self.lamp_frame.lamps_per_cell)
        self.lamp_frame = self._limiter.limit_frame(frame, self.lamp_frame)
        self.show_frame(self.lamp_frame, marked or scene, now, cursor)


class CellCursor:
    """Mixin for a cursor that moves over the cells of a board."""

    cursor: Cell
    board_grid: Grid

    def show_cursor(self) -> None:
        raise NotImplementedError

    def action_go(self, dx: int, dy: int) -> None:
        x, y = self.board_grid.cell_coordinates(self.cursor)
        self._move_cursor(x + dx, y + dy)

    def action_column(self, x: int) -> None:
        self._move_cursor(x, self.board_grid.cell_coordinates(self.cursor)[1])

    def action_row(self, y: int) -> None:
        self._move_cursor(self.board_grid.cell_coordinates(self.cursor)[0], y)

    def point_at(self, cell: Cell) -> bool:
        """Move the cursor to a cell without redrawing it. Return False if the board doesn't have this cell.

        This happens if a click is still queued when a smaller board replaces the current one.
        """
        is_here = cell in self.board_grid.cells
        if is_here:
            self.cursor = cell
        return is_here

    def _move_cursor(self, x: int, y: int) -> None:
        board_size = self.board_grid.size
        if 0 <= x < board_size and 0 <= y < board_size:
            self.cursor = self.board_grid.cells[y * board_size + x]
            self.show_cursor()


def _find_displayed_pieces(scene: Scene, now: float) -> Mapping[Cell, Piece | None]:
    """Return the pieces whose letters are shown. Scored pieces keep their letters while the turn is animated."""
    if scene.played_turn and now - scene.changed_at < turn_duration(scene.played_turn):
        return scene.played_turn.pieces_after_develop
    return {cell: view.piece for cell, view in scene.cell_views.items()}


def _choose_marks(view: CellView, has_cursor: bool, is_refused: bool) -> str:
    """Return the characters for the left and right gaps of a cell."""
    role_marks = ROLE_MARKS.get(view.role)
    if is_refused:
        return WRONG_MARKS[0] + (role_marks or WRONG_MARKS)[1]
    if view.role is CellRole.CHOSEN:
        return CHOSEN_MARKS
    marks = role_marks or (MASKED_MARKS if view.is_masked else PLAIN_MARKS)
    if has_cursor:
        return CURSOR_MARKS if marks == PLAIN_MARKS else CURSOR_MARKS[0] + marks[1]
    return marks


def _preview_changes(turn: Turn) -> dict[Cell, dict[str, Any]]:
    """Return the `CellAppearance` fields that the preview of a turn changes, by cell."""
    changes: dict[Cell, dict[str, Any]] = {}
    for cell in {*filter(None, turn.action), *(developed.cell for developed in turn.developed_pieces)}:
        old_piece, new_piece = turn.before.piece_at(cell), turn.pieces_after_develop.get(cell)
        letter, new_letter = (piece.notation_letter if piece else "." for piece in (old_piece, new_piece))
        changes[cell] = {"letter": letter, "preview_letter": new_letter, "preview_piece": new_piece or old_piece}
    for cell in chain.from_iterable(turn.sets):
        changes.setdefault(cell, {})["marks"] = SCORING_MARKS
    return changes
