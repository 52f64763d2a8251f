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
from pond_hw.lights import Limiter, turn_seconds
from pond_hw.rules import Cell, Piece, Turn, grid
from pond_hw.session import Role, Scene
from pond_hw.tui.hand import Wooden
from pond_hw.tui.style import BRIGHT, GAP, GLASS, GROUND, QUIET, TILE, WOOD, plate
from pond_hw.tui.terminal import TerminalApp

LEFT = 2
"""Columns for the row numbers."""

SMALLEST = 6
"""The smallest pitch: four lamps of two pixels, and the gap."""

DRAWN_SIDES = (2, 3, 4, 5, 8)
"""How many lamps lie along the side of a cell for which shapes were drawn."""

CHOSEN, WRONG, CURSOR, MASKED, PLAIN = "[]", "!!", "><", "~~", "  "
"""What stands in the gaps at the left and right of a cell, so that nobody needs a colour or a rhythm."""

HANDS = {Role.TURN: "()", Role.TAKE_OFF: "^^", Role.PUT: "vv", Role.ABOUT: "??", Role.HINT: "**"}
"""The same for what hands are to do there, or might."""

WOULD_SCORE = "{}"
"""The same for what would score, if one acted where the cursor is."""

SIGNS = {Role.TARGET: "+", Role.CHOICE: "o", Role.USUAL: "*"}
"""What stands for the letter of a piece, where there is none."""

LEFT_BUTTON, RIGHT_BUTTON = 1, 3

NO_WOOD: Mapping[Cell, Wooden] = {}

Line = tuple[Segment, ...]


def lamps_for(pitch: int) -> int:
    """How many lamps a cell of so many pixels has room for, if each is two pixels wide and high."""
    return max(side for side in DRAWN_SIDES if side <= max(2, pitch // 2 - 1)) ** 2


class Look(NamedTuple):
    """What one cell shows.

    Attributes:
        lamps: each lamp as a colour of the screen.
        letter: `E T F` or `e t f` on the plate of a piece, one of `SIGNS`, or nothing.
        marks: what stands in the gap at the left and in the gap at the right.
        piece: the piece that the letter names, or None.
        last: whether the last turn's action ended here.
        cursor: whether the cursor is here.
        wood: the wooden piece that stands here, or None.
        held: the wooden piece that a hand holds over it, or None.
        would: the letter of what would be here if one acted where the cursor is, a dot for nothing; empty: the same.
        whose: the piece to which that letter belongs, or None.
    """

    lamps: tuple[str, ...]
    letter: str = ""
    marks: str = PLAIN
    piece: Piece | None = None
    last: bool = False
    cursor: bool = False
    wood: Wooden | None = None
    held: Wooden | None = None
    would: str = ""
    whose: Piece | None = None


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

    class Pressed(Message):
        """A cell was clicked."""

        def __init__(self, cell: Cell) -> None:
            super().__init__()
            self.cell = cell

    class Down(Message):
        """A button of the mouse went down on a cell; `right` tells which."""

        def __init__(self, cell: Cell, *, right: bool) -> None:
            super().__init__()
            self.cell = cell
            self.right = right

    class Over(Message):
        """The mouse has come to a cell."""

        def __init__(self, cell: Cell) -> None:
            super().__init__()
            self.cell = cell

    class Up(Message):
        """The left button has come up that went down on a cell: on this cell, or beside the board (None)."""

        def __init__(self, cell: Cell | None) -> None:
            super().__init__()
            self.cell = cell

    def __init__(
        self,
        size: int,
        lamps: int,
        limiter: Limiter,
        *,
        room: int = 0,
        pitch: int | None = None,
        pieces: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(id=id)
        self._room = room
        self._fixed = pitch
        self._seen = _seen(limiter)
        self._pieces = pieces
        self._halves = True  # whether the two pixels of a character may differ
        self._over: Cell | None = None  # where the mouse is
        self.reset(size, lamps)

    def reset(self, size: int, lamps: int) -> None:
        """Become a board of another size, with nothing lit."""
        self._grid = grid(size)
        self.pitch = self._fixed or SMALLEST
        self._looks = dict.fromkeys(self._grid.cells, Look((GLASS,) * lamps))
        self.refresh(layout=True)

    def __getitem__(self, cell: Cell) -> Look:
        return self._looks[cell]

    def show(
        self,
        frame: Frame,
        scene: Scene,
        now: float,
        cursor: Cell | None = None,
        wood: Mapping[Cell, Wooden] = NO_WOOD,
        held: Wooden | None = None,
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
        acting = {cell for cell in would.action if cell} | {d.cell for d in would.developed} if would else set()
        scoring = {cell for run in would.sets for cell in run} if would else set()
        standing: Mapping[Cell, Piece | None] = {cell: sight.piece for cell, sight in scene.sights.items()}
        if scene.turn and now - scene.since < turn_seconds(scene.turn):
            standing = scene.turn.standing
        for cell in self._grid.cells:
            look = self._look(frame, scene, cell, standing.get(cell), cursor)
            look = look._replace(wood=wood.get(cell), held=held if cell == cursor else None)
            if would and cell in acting:
                was, then = would.before.piece(cell), would.standing.get(cell)
                letter, after = (each.letter if each else "." for each in (was, then))
                look = look._replace(letter=letter, would=after, whose=then or was)
            if cell in scoring:
                look = look._replace(marks=WOULD_SCORE)
            if look != self._looks[cell]:
                self._looks[cell] = look
                self.refresh(self._region(cell))

    def cell_at(self, x: int, y: int) -> Cell | None:
        """The cell at a column and row of this widget, or None beside the board."""
        size, column, row = self._grid.size, (x - LEFT) // self.pitch, y // (self.pitch // 2)
        return self._grid.rows[row][column] if 0 <= column < size and 0 <= row < size else None

    def corner(self, cell: Cell) -> tuple[int, int]:
        """The column and row of this widget where a cell begins."""
        x, y = self._grid.place(cell)
        return LEFT + x * self.pitch, (self._grid.size - 1 - y) * self.pitch // 2

    def on_mount(self) -> None:
        """Draw whole characters where there are few colours."""
        self._halves = not (isinstance(self.app, TerminalApp) and self.app.few_colours)

    def on_click(self, event: events.Click) -> None:
        """Say which cell it was."""
        cell = self.cell_at(event.x, event.y)
        if cell and not self._pieces:
            self.post_message(self.Pressed(cell))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Say which cell it was, and follow the mouse until the button comes up again, wherever that is."""
        cell = self.cell_at(event.x, event.y)
        if self._pieces and cell and event.button in (LEFT_BUTTON, RIGHT_BUTTON):
            self.post_message(self.Down(cell, right=event.button == RIGHT_BUTTON))
            if event.button == LEFT_BUTTON:
                self._over = cell
                self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say to which cell the mouse has come."""
        cell = self.cell_at(event.x, event.y)
        if self._pieces and cell and cell != self._over:
            self.post_message(self.Over(cell))
        self._over = cell

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Say where the mouse was let go. A line between board and frame is a slip, and nowhere."""
        if self.app.mouse_captured is not self:
            return
        self.release_mouse()
        cell = self.cell_at(event.x, event.y)
        if cell or not self.region.contains(event.screen_x, event.screen_y):
            self.post_message(self.Up(cell))

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Textual's signature
        """As wide as the largest pitch for which there is room."""
        self._fit(container)
        return LEFT + self._grid.size * self.pitch + 1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As high as the largest pitch for which there is room."""
        self._fit(container)
        return self._grid.size * self.pitch // 2 + 2

    def _fit(self, container: Size) -> None:
        if self._fixed is None:
            size = self._grid.size
            across = (container.width - self._room - LEFT - 1) // size
            down = (container.height - 2) // size * 2
            self.pitch = max(SMALLEST, min(across - across % 2, down))

    def _region(self, cell: Cell) -> Region:
        """A cell with all the gaps around it."""
        x, y = self.corner(cell)
        return Region(x, y, self.pitch + 1, self.pitch // 2 + 1)

    def _look(self, frame: Frame, scene: Scene, cell: Cell, piece: Piece | None, cursor: Cell | None) -> Look:
        _, role, last, masked = scene.sights[cell]
        here = cell == cursor
        if scene.wrong is not None and scene.wrong.cell == cell:
            marks = WRONG[0] + HANDS.get(role, WRONG)[1]
        elif role is Role.CHOSEN:
            marks = CHOSEN
        else:
            marks = HANDS.get(role, MASKED if masked else PLAIN)
            if here:
                marks = CURSOR if marks == PLAIN else CURSOR[0] + marks[1]
        letter = piece.letter if piece else SIGNS.get(role, "")
        return Look(tuple(self._seen_of(*lamp) for lamp in frame[cell]), letter, marks, piece, last, here)

    def _seen_of(self, red: int, green: int, blue: int) -> str:
        seen = self._seen
        return _over_glass(seen[red], seen[green], seen[blue])

    def render_line(self, y: int) -> Strip:
        """One line of characters: the row's number, its cells, the closing gap; or the letters below the last row."""
        size, high = self._grid.size, self.pitch // 2
        row, line = divmod(y, high)
        if row == size and line == 1:
            letters = "".join(letter.center(self.pitch + 1)[: self.pitch] for letter in "abcde"[:size])
            return Strip([Segment(f"{'':{LEFT}}{letters} ", _style(QUIET, GROUND))])
        number = size - row if line == high // 2 else ""
        segments = [Segment(f"{number:<{LEFT}}", _style(QUIET, GROUND))]
        for column in range(size + 1):
            segments += self._block(column, row)[line]
        return Strip(segments, LEFT + size * self.pitch + 1)

    def _block(self, column: int, row: int) -> tuple[Line, ...]:
        """The characters of one cell; beyond the last column and row there are only the closing gaps."""
        here, left = self._at(column, row), self._at(column - 1, row)
        above, before = self._at(column, row - 1), self._at(column - 1, row - 1)
        mark = (here.marks[0] if here else " ").strip() or (left.marks[1] if left else " ")
        edges = _edge(left, here), _edge(above, here), _edge(left, here, above, before)
        look = here and here._replace(marks=PLAIN, cursor=False)
        wide = self.pitch if column < self._grid.size else 1
        return _drawn(self.pitch, wide, look, mark, edges, self._halves)

    def _at(self, column: int, row: int) -> Look | None:
        size = self._grid.size
        return self._looks[self._grid.rows[row][column]] if 0 <= column < size and 0 <= row < size else None


@cache
def _seen(limiter: Limiter) -> tuple[float, ...]:
    """For each byte that a lamp is driven with, how bright it looks: 0 to 1."""
    full = 255 * limiter.brightness
    return tuple(min(1.0, (value / full) ** (1 / limiter.gamma)) if value else 0.0 for value in range(256))


@lru_cache(maxsize=1 << 12)
def _over_glass(red: float, green: float, blue: float) -> str:
    """A lamp's light as a colour of the screen, on top of what the unlit lamp looks like."""
    glass = int(GLASS[1:3], 16) * (1 - max(red, green, blue))
    return "#{:02x}{:02x}{:02x}".format(*(round(glass + 255 * part) for part in (red, green, blue)))


def _edge(*beside: Look | None) -> str:
    """The colour of a gap between cells: the cursor's frame, if one of them has it; beyond the board there is none."""
    looks = [look for look in beside if look]
    if any(look.cursor for look in looks):
        return BRIGHT
    return GAP if looks else GROUND


# The blocks of a whole board at rest are few; lamps that breathe add some for every step they take.
@lru_cache(maxsize=1 << 11)
def _drawn(
    pitch: int, wide: int, look: Look | None, mark: str, edges: tuple[str, str, str], halves: bool
) -> tuple[Line, ...]:
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
    pixels += [[at_left] + [_paper(look)] * (pitch - 1) for _ in range(pitch - high)]
    if look:
        for (x, y), lamp in _spots(pitch, len(look.lamps), halves).items():
            pixels[y][x] = look.lamps[lamp]
    full = " " if halves else "█"  # which is drawn in front, where it can be bright
    lines = [[_pair(*pair, full) for pair in zip(pixels[y], pixels[y + 1], strict=True)] for y in range(0, pitch, 2)]
    if not halves:
        _rule(lines, edges)
    if mark != " ":
        lines[pitch // 4][0] = Segment(mark, _style(GROUND if at_left == BRIGHT else BRIGHT, at_left, bold=True))
    if look and look.letter:
        _put_plate(lines, look)
    if look and (look.wood or look.held):
        column = _chip_column(pitch, len(look.lamps), halves)
        for line, wooden in ((lines[-1], look.wood), (lines[0], look.held)):
            if wooden:
                line[column] = Segment(wooden.letter, _style(*WOOD[wooden.owner], bold=True))
    return tuple(tuple(Segment.simplify(line[:wide])) for line in lines)


def _paper(look: Look | None) -> str:
    """What is seen between the lamps of a cell, and around them: nothing, where they touch."""
    return GROUND if look is None else TILE if len(look.lamps) < 9 else GLASS


def _rule(lines: list[list[Segment]], edges: tuple[str, str, str]) -> None:
    """Draw lines in the gaps of a cell; the cursor's frame stays as it is."""
    at_left, at_top, at_corner = edges
    line = _style(GAP, GROUND)
    if at_corner == GAP:
        lines[0][0] = Segment("┼", line)
    if at_top == GAP:
        lines[0][1:] = [Segment("─", line)] * (len(lines[0]) - 1)
    if at_left == GAP:
        for characters in lines[1:]:
            characters[0] = Segment("│", line)


def _put_plate(lines: list[list[Segment]], look: Look) -> None:
    """Put the letter into the middle, which an even number of lamps leaves free; else below, where fewest are lit."""
    side, pitch = isqrt(len(look.lamps)), len(lines[0])
    line = lines[pitch // 4 if _in_the_middle(side) else -1]
    whose = look.whose or look.piece
    ink, paper = plate(whose.owner) if whose else (BRIGHT, _paper(look))
    style = _style(ink, paper, bold=True, underline=look.last)
    if look.would:  # what is there, and what would be
        for column, letter in enumerate(f"{look.letter}>{look.would}", pitch // 2 - 1):
            line[column] = Segment(letter, _style(ink, paper, bold=True))
        return
    if pitch // side >= 4:  # then a wider plate takes no more than a corner from a lamp
        line[pitch // 2 - 1] = line[pitch // 2 + 1] = Segment(" ", _style(ink, paper))
    line[pitch // 2] = Segment(look.letter, style)


def _in_the_middle(side: int) -> bool:
    return side == 1 or side % 2 == 0


@cache
def _chip_column(pitch: int, lamps: int, halves: bool) -> int:
    """Where in the last line a chip of wood hides as little as can be: nearest to the middle where no lamp is."""
    spots, middle = _spots(pitch, lamps, halves), pitch // 2
    plate = () if _in_the_middle(isqrt(lamps)) else (middle - 1, middle, middle + 1)
    columns = [column for column in range(1, pitch) if column not in plate]
    return min(
        columns,
        key=lambda column: (sum((column, y) in spots for y in (pitch - 2, pitch - 1)), abs(column - middle)),
    )


def _pair(above: str, below: str, full: str) -> Segment:
    """Two pixels, one above the other, as a character; if they are the same, as this one."""
    return Segment(full, _style(above, above)) if above == below else Segment("▀", _style(above, below))


@lru_cache(maxsize=1 << 12)
def _style(ink: str, paper: str, *, bold: bool = False, underline: bool = False) -> Style:
    return Style(color=ink, bgcolor=paper, bold=bold, underline=underline)


@cache
def _spots(pitch: int, lamps: int, halves: bool = True) -> dict[tuple[int, int], int]:
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
