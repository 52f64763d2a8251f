"""The lamps of a board, drawn in a terminal with half blocks: two square pixels to a character.

A cell is `pitch` pixels wide and high, an even number. Its first column and row are the gap to its neighbours, where
the cursor is drawn; the lamps share what is left. Four lamps stand apart, so that they can be counted; more of them
touch, so that what they draw is a shape. A plate names the piece that the lamps tell of. On boards with pieces
a chip of wood names the one that stands there. For a pitch of 10, with 4 lamps and with an egg of 16:

    . . . . . . . . . .     . . . . . . . . . .     . the gap, or the cursor's frame
    . 1 1 1 1   2 2 2 2     .                       1 2 3 4 the lamps, as a Frame has them
    . 1 1 1 1   2 2 2 2     .                       E the plate, one character: light's letters are large and black on
    . 1 1 1 1   2 2 2 2     .     # # # #             white, dark's are small and white on black
    . 1 1 1 1 E 2 2 2 2     .     # # E #           w the chip, one character: large letters on light wood, small
    .         E             .     # # E #             ones on dark wood; a piece in the hand that is over the cell
    . 3 3 3 3   4 4 4 4     .     # # # #             is seen in its first line
    . 3 3 3 3   4 4 4 4     .
    . 3 3 3 3 w 4 4 4 4     .         w
    . 3 3 3 3 w 4 4 4 4     .         w

Where there are few colours two pixels that share a character are always the same: of two bright colours one could not
be drawn, and the Linux console has no half blocks. There the gap above a cell is two pixels high, and lines are drawn
in the gaps.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from math import hypot, isqrt
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pond_hw.board import Frame
from pond_hw.lights import CurrentLimiter, turn_duration
from pond_hw.rules import Cell, Piece, Turn, get_grid
from pond_hw.session import CellRole, Scene
from pond_hw.tui.hand import VisiblePiece
from pond_hw.tui.style import (
    BRIGHT_COLOUR,
    GAP_COLOUR,
    GLASS_COLOUR,
    GROUND_COLOUR,
    PIECE_COLOURS,
    QUIET_COLOUR,
    TILE_COLOUR,
    plate_colours,
)
from pond_hw.tui.terminal import TerminalApp

LABEL_COLUMNS = 2
"""Columns for the row numbers."""

MIN_PITCH = 6
"""The smallest pitch: four lamps of two pixels, and the gap."""

DRAWN_SIDES = (2, 3, 4, 5, 8)
"""How many lamps lie along the side of a cell for which shapes were drawn."""

CHOSEN_MARKS, WRONG_MARKS, CURSOR_MARKS, MASKED_MARKS, PLAIN_MARKS = "[]", "!!", "><", "~~", "  "
"""What stands in the gaps at the left and right of a cell, so that nobody needs a colour or a rhythm."""

ROLE_MARKS = {
    CellRole.FLIP: "()",
    CellRole.TAKE_OFF: "^^",
    CellRole.PUT: "vv",
    CellRole.PENDING: "??",
    CellRole.HINT: "**",
}
"""The same for what hands are to do there, or might."""

SCORING_MARKS = "{}"
"""The same for what would score, if one acted where the cursor is."""

ROLE_SIGNS = {CellRole.TARGET: "+", CellRole.CHOICE: "o", CellRole.DEFAULT_CHOICE: "*"}
"""What stands for the letter of a piece, where there is none."""

LEFT_BUTTON, RIGHT_BUTTON = 1, 3

NO_PIECES: Mapping[Cell, VisiblePiece] = {}

SegmentLine = tuple[Segment, ...]


def lamps_for(pitch: int) -> int:
    """How many lamps a cell of so many pixels has room for, if each is two pixels wide and high."""
    return max(side for side in DRAWN_SIDES if side <= max(2, pitch // 2 - 1)) ** 2


class CellAppearance(NamedTuple):
    """What one cell shows.

    Attributes:
        lamp_colours: each lamp as a colour of the screen.
        letter: `E T F` or `e t f` on the plate of a piece, one of `SIGNS`, or nothing.
        marks: what stands in the gap at the left and in the gap at the right.
        piece: the piece that the letter names, or None.
        is_last: whether the last turn's action ended here.
        has_cursor: whether the cursor is here.
        standing_piece: the wooden piece that stands here, or None.
        held_piece: the wooden piece that a hand holds over it, or None.
        preview_letter: the letter of what would be here if one acted where the cursor is, a dot for nothing; empty: the same.
        preview_piece: the piece to which that letter belongs, or None.
    """

    lamp_colours: tuple[str, ...]
    letter: str = ""
    marks: str = PLAIN_MARKS
    piece: Piece | None = None
    is_last: bool = False
    has_cursor: bool = False
    standing_piece: VisiblePiece | None = None
    held_piece: VisiblePiece | None = None
    preview_letter: str = ""
    preview_piece: Piece | None = None


class LampGrid(Widget):
    """All cells of a board, as large as there is room for.

    Args:
        size: rows and columns.
        lamps: lamps in a cell, a square number of them.
        limiter: what made the frames; its gamma and brightness are undone here, for a screen has its own.
        room: columns that must stay free beside it.
        pitch: columns of a cell, if it is not to be chosen by the room there is.
        pieces: whether the mouse is a hand that takes pieces, and not a finger.
        id: the widget's name.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = "LampGrid { width: auto; height: auto; }"

    class CellClicked(Message):
        """A cell was clicked."""

        def __init__(self, cell: Cell) -> None:
            super().__init__()
            self.cell = cell

    class MousePressed(Message):
        """A button of the mouse went down on a cell; `is_right_button` tells which."""

        def __init__(self, cell: Cell, *, right: bool) -> None:
            super().__init__()
            self.cell = cell
            self.is_right_button = right

    class MouseEntered(Message):
        """The mouse has come to a cell."""

        def __init__(self, cell: Cell) -> None:
            super().__init__()
            self.cell = cell

    class MouseReleased(Message):
        """The left button has come up that went down on a cell: on this cell, or beside the board (None)."""

        def __init__(self, cell: Cell | None) -> None:
            super().__init__()
            self.cell = cell

    def __init__(
        self,
        size: int,
        lamps: int,
        limiter: CurrentLimiter,
        *,
        room: int = 0,
        pitch: int | None = None,
        pieces: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(id=id)
        self._free_columns = room
        self._fixed_pitch = pitch
        self._perceived_levels = _perceived_brightness(limiter)
        self._mouse_takes_pieces = pieces
        self._use_half_blocks = True  # whether the two pixels of a character may differ
        self._mouse_cell: Cell | None = None  # where the mouse is
        self.reset_board(size, lamps)

    def reset_board(self, size: int, lamps: int) -> None:
        """Become a board of another size, with nothing lit."""
        self._board_grid = get_grid(size)
        self.pitch = self._fixed_pitch or MIN_PITCH
        self._cell_looks = dict.fromkeys(self._board_grid.cells, CellAppearance((GLASS_COLOUR,) * lamps))
        self.refresh(layout=True)

    def __getitem__(self, cell: Cell) -> CellAppearance:
        return self._cell_looks[cell]

    def show_frame(
        self,
        frame: Frame,
        scene: Scene,
        now: float,
        cursor: Cell | None = None,
        wood: Mapping[Cell, VisiblePiece] = NO_PIECES,
        held: VisiblePiece | None = None,
        would: Turn | None = None,
    ) -> None:
        """Draw what has changed since the last time.

        Args:
            frame: what the lamps show.
            scene: what there is to see, for letters and marks.
            now: the instant of both, in seconds. As long as a turn is played out, what it scored keeps its letters.
            cursor: the cell to put a frame around.
            wood: the pieces that stand there.
            held: the one that a hand holds over the cell with the frame.
            would: the turn that would be taken there, for a preview of what would develop and score.
        """
        acting = {cell for cell in would.action if cell} | {d.cell for d in would.developed_pieces} if would else set()
        scoring = {cell for run in would.sets for cell in run} if would else set()
        standing: Mapping[Cell, Piece | None] = {cell: sight.piece for cell, sight in scene.cell_views.items()}
        if scene.played_turn and now - scene.changed_at < turn_duration(scene.played_turn):
            standing = scene.played_turn.pieces_after_develop
        for cell in self._board_grid.cells:
            look = self._make_look(frame, scene, cell, standing.get(cell), cursor)
            look = look._replace(standing_piece=wood.get(cell), held_piece=held if cell == cursor else None)
            if would and cell in acting:
                was, then = would.before.piece_at(cell), would.pieces_after_develop.get(cell)
                letter, after = (each.notation_letter if each else "." for each in (was, then))
                look = look._replace(letter=letter, preview_letter=after, preview_piece=then or was)
            if cell in scoring:
                look = look._replace(marks=SCORING_MARKS)
            if look != self._cell_looks[cell]:
                self._cell_looks[cell] = look
                self.refresh(self._cell_region(cell))

    def cell_at(self, x: int, y: int) -> Cell | None:
        """The cell at a column and row of this widget, or None beside the board."""
        size, column, row = self._board_grid.size, (x - LABEL_COLUMNS) // self.pitch, y // (self.pitch // 2)
        return self._board_grid.rows[row][column] if 0 <= column < size and 0 <= row < size else None

    def cell_corner(self, cell: Cell) -> tuple[int, int]:
        """The column and row of this widget where a cell begins."""
        x, y = self._board_grid.cell_coordinates(cell)
        return LABEL_COLUMNS + x * self.pitch, (self._board_grid.size - 1 - y) * self.pitch // 2

    def on_mount(self) -> None:
        """Draw whole characters where there are few colours."""
        self._use_half_blocks = not (isinstance(self.app, TerminalApp) and self.app.has_few_colours)

    def on_click(self, event: events.Click) -> None:
        """Say which cell it was."""
        cell = self.cell_at(event.x, event.y)
        if cell and not self._mouse_takes_pieces:
            self.post_message(self.CellClicked(cell))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Say which cell it was, and follow the mouse until the button comes up again, wherever that is."""
        cell = self.cell_at(event.x, event.y)
        if self._mouse_takes_pieces and cell and event.button in (LEFT_BUTTON, RIGHT_BUTTON):
            self.post_message(self.MousePressed(cell, right=event.button == RIGHT_BUTTON))
            if event.button == LEFT_BUTTON:
                self._mouse_cell = cell
                self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say to which cell the mouse has come."""
        cell = self.cell_at(event.x, event.y)
        if self._mouse_takes_pieces and cell and cell != self._mouse_cell:
            self.post_message(self.MouseEntered(cell))
        self._mouse_cell = cell

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Say where the mouse was let go. A line between board and frame is a slip, and nowhere."""
        if self.app.mouse_captured is not self:
            return
        self.release_mouse()
        cell = self.cell_at(event.x, event.y)
        if cell or not self.region.contains(event.screen_x, event.screen_y):
            self.post_message(self.MouseReleased(cell))

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Textual's signature
        """As wide as the largest pitch for which there is room."""
        self._fit_pitch(container)
        return LABEL_COLUMNS + self._board_grid.size * self.pitch + 1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As high as the largest pitch for which there is room."""
        self._fit_pitch(container)
        return self._board_grid.size * self.pitch // 2 + 2

    def _fit_pitch(self, container: Size) -> None:
        if self._fixed_pitch is None:
            size = self._board_grid.size
            across = (container.width - self._free_columns - LABEL_COLUMNS - 1) // size
            down = (container.height - 2) // size * 2
            self.pitch = max(MIN_PITCH, min(across - across % 2, down))

    def _cell_region(self, cell: Cell) -> Region:
        """A cell with all the gaps around it."""
        x, y = self.cell_corner(cell)
        return Region(x, y, self.pitch + 1, self.pitch // 2 + 1)

    def _make_look(
        self, frame: Frame, scene: Scene, cell: Cell, piece: Piece | None, cursor: Cell | None
    ) -> CellAppearance:
        _, role, last, masked = scene.cell_views[cell]
        here = cell == cursor
        if scene.refusal is not None and scene.refusal.cell == cell:
            marks = WRONG_MARKS[0] + ROLE_MARKS.get(role, WRONG_MARKS)[1]
        elif role is CellRole.CHOSEN:
            marks = CHOSEN_MARKS
        else:
            marks = ROLE_MARKS.get(role, MASKED_MARKS if masked else PLAIN_MARKS)
            if here:
                marks = CURSOR_MARKS if marks == PLAIN_MARKS else CURSOR_MARKS[0] + marks[1]
        letter = piece.notation_letter if piece else ROLE_SIGNS.get(role, "")
        return CellAppearance(
            tuple(self._screen_colour(*lamp) for lamp in frame[cell]), letter, marks, piece, last, here
        )

    def _screen_colour(self, red: int, green: int, blue: int) -> str:
        seen = self._perceived_levels
        return _lamp_colour(seen[red], seen[green], seen[blue])

    def render_line(self, y: int) -> Strip:
        """One line of characters: the row's number, its cells, the closing gap; or the letters below the last row."""
        size, high = self._board_grid.size, self.pitch // 2
        row, line = divmod(y, high)
        if row == size and line == 1:
            letters = "".join(letter.center(self.pitch + 1)[: self.pitch] for letter in "abcde"[:size])
            return Strip([Segment(f"{'':{LABEL_COLUMNS}}{letters} ", _make_style(QUIET_COLOUR, GROUND_COLOUR))])
        number = size - row if line == high // 2 else ""
        segments = [Segment(f"{number:<{LABEL_COLUMNS}}", _make_style(QUIET_COLOUR, GROUND_COLOUR))]
        for column in range(size + 1):
            segments += self._draw_block(column, row)[line]
        return Strip(segments, LABEL_COLUMNS + size * self.pitch + 1)

    def _draw_block(self, column: int, row: int) -> tuple[SegmentLine, ...]:
        """The characters of one cell; beyond the last column and row there are only the closing gaps."""
        here, left = self._find_look(column, row), self._find_look(column - 1, row)
        above, before = self._find_look(column, row - 1), self._find_look(column - 1, row - 1)
        mark = (here.marks[0] if here else " ").strip() or (left.marks[1] if left else " ")
        edges = _edge_colour(left, here), _edge_colour(above, here), _edge_colour(left, here, above, before)
        look = here and here._replace(marks=PLAIN_MARKS, has_cursor=False)
        wide = self.pitch if column < self._board_grid.size else 1
        return _draw_cell(self.pitch, wide, look, mark, edges, self._use_half_blocks)

    def _find_look(self, column: int, row: int) -> CellAppearance | None:
        size = self._board_grid.size
        return self._cell_looks[self._board_grid.rows[row][column]] if 0 <= column < size and 0 <= row < size else None


@cache
def _perceived_brightness(limiter: CurrentLimiter) -> tuple[float, ...]:
    """For each byte that a lamp is driven with, how bright it looks: 0 to 1."""
    full = 255 * limiter.brightness
    return tuple(min(1.0, (value / full) ** (1 / limiter.gamma)) if value else 0.0 for value in range(256))


@lru_cache(maxsize=1 << 12)
def _lamp_colour(red: float, green: float, blue: float) -> str:
    """A lamp's light as a colour of the screen, on top of what the unlit lamp looks like."""
    glass = int(GLASS_COLOUR[1:3], 16) * (1 - max(red, green, blue))
    return "#{:02x}{:02x}{:02x}".format(*(round(glass + 255 * part) for part in (red, green, blue)))


def _edge_colour(*beside: CellAppearance | None) -> str:
    """The colour of a gap between cells: the cursor's frame, if one of them has it; beyond the board there is none."""
    looks = [look for look in beside if look]
    if any(look.has_cursor for look in looks):
        return BRIGHT_COLOUR
    return GAP_COLOUR if looks else GROUND_COLOUR


# The blocks of a whole board at rest are few; lamps that breathe add some for every step they take.
@lru_cache(maxsize=1 << 11)
def _draw_cell(
    pitch: int, wide: int, look: CellAppearance | None, mark: str, edges: tuple[str, str, str], halves: bool
) -> tuple[SegmentLine, ...]:
    """The characters of one cell with the gaps at its left and above it.

    Args:
        pitch: pixels of a cell in both directions.
        wide: how many of its columns are asked for.
        look: what it shows, or None for what closes a row or column.
        mark: what stands in the gap at the left.
        edges: the colours of the left gap, the top gap, and where they meet.
        halves: whether the two pixels of a character may differ.
    """
    at_left, at_top, at_corner = edges
    high = 1 if halves else 2  # pixels of the top gap
    pixels = [[at_corner] + [at_top] * (pitch - 1) for _ in range(high)]
    pixels += [[at_left] + [_background_colour(look)] * (pitch - 1) for _ in range(pitch - high)]
    if look:
        for (x, y), lamp in _lamp_pixels(pitch, len(look.lamp_colours), halves).items():
            pixels[y][x] = look.lamp_colours[lamp]
    full = " " if halves else "█"  # which is drawn in front, where it can be bright
    lines = [
        [_draw_pixels(*pair, full) for pair in zip(pixels[y], pixels[y + 1], strict=True)] for y in range(0, pitch, 2)
    ]
    if not halves:
        _draw_lines(lines, edges)
    if mark != " ":
        lines[pitch // 4][0] = Segment(
            mark, _make_style(GROUND_COLOUR if at_left == BRIGHT_COLOUR else BRIGHT_COLOUR, at_left, bold=True)
        )
    if look and look.letter:
        _draw_plate(lines, look)
    if look and (look.standing_piece or look.held_piece):
        column = _chip_column(pitch, len(look.lamp_colours), halves)
        for line, wooden in ((lines[-1], look.standing_piece), (lines[0], look.held_piece)):
            if wooden:
                line[column] = Segment(wooden.letter, _make_style(*PIECE_COLOURS[wooden.owner], bold=True))
    return tuple(tuple(Segment.simplify(line[:wide])) for line in lines)


def _background_colour(look: CellAppearance | None) -> str:
    """What is seen between the lamps of a cell, and around them: nothing, where they touch."""
    return GROUND_COLOUR if look is None else TILE_COLOUR if len(look.lamp_colours) < 9 else GLASS_COLOUR


def _draw_lines(lines: list[list[Segment]], edges: tuple[str, str, str]) -> None:
    """Draw lines in the gaps of a cell; the cursor's frame stays as it is."""
    at_left, at_top, at_corner = edges
    line = _make_style(GAP_COLOUR, GROUND_COLOUR)
    if at_corner == GAP_COLOUR:
        lines[0][0] = Segment("┼", line)
    if at_top == GAP_COLOUR:
        lines[0][1:] = [Segment("─", line)] * (len(lines[0]) - 1)
    if at_left == GAP_COLOUR:
        for characters in lines[1:]:
            characters[0] = Segment("│", line)


def _draw_plate(lines: list[list[Segment]], look: CellAppearance) -> None:
    """Put the letter into the middle, which an even number of lamps leaves free; else below, where fewest are lit."""
    side, pitch = isqrt(len(look.lamp_colours)), len(lines[0])
    line = lines[pitch // 4 if _has_free_middle(side) else -1]
    whose = look.preview_piece or look.piece
    ink, paper = plate_colours(whose.owner) if whose else (BRIGHT_COLOUR, _background_colour(look))
    style = _make_style(ink, paper, bold=True, underline=look.is_last)
    if look.preview_letter:  # what is there, and what would be
        for column, letter in enumerate(f"{look.letter}>{look.preview_letter}", pitch // 2 - 1):
            line[column] = Segment(letter, _make_style(ink, paper, bold=True))
        return
    if pitch // side >= 4:  # then a wider plate takes no more than a corner from a lamp
        line[pitch // 2 - 1] = line[pitch // 2 + 1] = Segment(" ", _make_style(ink, paper))
    line[pitch // 2] = Segment(look.letter, style)


def _has_free_middle(side: int) -> bool:
    return side == 1 or side % 2 == 0


@cache
def _chip_column(pitch: int, lamps: int, halves: bool) -> int:
    """Where in the last line a chip of wood hides as little as can be: nearest to the middle where no lamp is."""
    spots, middle = _lamp_pixels(pitch, lamps, halves), pitch // 2
    plate = () if _has_free_middle(isqrt(lamps)) else (middle - 1, middle, middle + 1)
    columns = [column for column in range(1, pitch) if column not in plate]
    return min(
        columns,
        key=lambda column: (sum((column, y) in spots for y in (pitch - 2, pitch - 1)), abs(column - middle)),
    )


def _draw_pixels(above: str, below: str, full: str) -> Segment:
    """Two pixels, one above the other, as a character; if they are the same, as this one."""
    return Segment(full, _make_style(above, above)) if above == below else Segment("▀", _make_style(above, below))


@lru_cache(maxsize=1 << 12)
def _make_style(ink: str, paper: str, *, bold: bool = False, underline: bool = False) -> Style:
    return Style(color=ink, bgcolor=paper, bold=bold, underline=underline)


@cache
def _lamp_pixels(pitch: int, lamps: int, halves: bool = True) -> dict[tuple[int, int], int]:
    """Which pixels of a cell belong to which lamp. Lamps that stand apart are as round as their pixels allow.

    Args:
        pitch: pixels of the cell, with the gap at its left and above it.
        lamps: lamps in it.
        halves: whether the two pixels of a character may differ.
    """
    side, unit, top = isqrt(lamps), 1 if halves else 2, 1 if halves else 2
    wide, high = pitch - 1, pitch - top
    gap = 1 if side == 2 and halves else 0
    across = (min(wide, high) - (side - 1) * gap) // side // unit * unit
    if not across:  # more lamps than pixels: some are not seen
        rows = high // unit
        return {
            (x + 1, top + y): y // unit * side // rows * side + x * side // wide
            for x in range(wide)
            for y in range(high)
        }
    drawn = side * across + (side - 1) * gap
    left, above = 1 + (wide - drawn) // 2, top + (high - drawn) // 2 // unit * unit
    centre = (across - 1) / 2
    reach = across / 2 + 0.2 if halves and side < 3 else across
    disc = [(x, y) for y in range(across) for x in range(across) if hypot(x - centre, y - centre) <= reach]
    return {
        (left + column * (across + gap) + x, above + row * (across + gap) + y): row * side + column
        for row in range(side)
        for column in range(side)
        for x, y in disc
    }
