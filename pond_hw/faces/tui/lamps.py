"""The lamps of a board, drawn in a terminal with half blocks: two square pixels to a character.

A cell is `pitch` pixels wide and high, an even number. Its first column and row are the gap to its neighbours, where
the cursor is drawn; the lamps share what is left. A plate names the piece that the lamps tell of. On boards with pieces
a chip of wood names the one that stands there. For a pitch of 10 and 4 lamps:

    . . . . . . . . . .     . the gap, or the cursor's frame
    .   1 1       2 2       1 2 3 4 the lamps, as a Frame has them
    . 1 1 1 1   2 2 2 2     E the plate, one character: light's letters are large and black on white,
    . 1 1 1 1   2 2 2 2       dark's are small and white on black
    .   1 1   E   2 2       w the chip, one character: large letters on light wood, small ones on dark wood;
    .         E               a piece in the hand that is over the cell is seen in its first line
    .   3 3       4 4
    . 3 3 3 3   4 4 4 4
    . 3 3 3 3 w 4 4 4 4
    .   3 3   w   4 4
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
from pond_hw.faces.tui.hand import Wooden
from pond_hw.faces.tui.style import BRIGHT, GLASS, GROUND, QUIET, TILE, WOOD, plate
from pond_hw.lights import Limiter, turn_seconds
from pond_hw.rules import Cell, Piece, Turn, grid
from pond_hw.session import Role, Scene

LEFT = 2
"""Columns for the row numbers."""

SMALLEST = 6
"""The smallest pitch in which 16 lamps are still 16."""

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
        at_left = any(look and look.cursor for look in (here, left))
        at_top = any(look and look.cursor for look in (here, above))
        at_corner = at_left or at_top or bool(before and before.cursor)
        look = here and here._replace(marks=PLAIN, cursor=False)
        wide = self.pitch if column < self._grid.size else 1
        return _drawn(self.pitch, wide, look, mark, (at_left, at_top, at_corner))

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


# The blocks of a whole board at rest are few; lamps that breathe add some for every step they take.
@lru_cache(maxsize=1 << 11)
def _drawn(pitch: int, wide: int, look: Look | None, mark: str, cursor: tuple[bool, bool, bool]) -> tuple[Line, ...]:
    """The characters of one cell with the gaps at its left and above it.

    Args:
        pitch: pixels of a cell in both directions.
        wide: how many of its columns are asked for.
        look: what it shows, or None for what closes a row or column.
        mark: what stands in the gap at the left.
        cursor: whether the cursor's frame runs through the left gap, the top gap, and where they meet.
    """
    at_left, at_top, at_corner = (BRIGHT if framed else GROUND for framed in cursor)
    pixels = [[at_corner] + [at_top] * (pitch - 1)]
    pixels += [[at_left] + [TILE if look else GROUND] * (pitch - 1) for _ in range(pitch - 1)]
    if look:
        for (x, y), lamp in _spots(pitch - 1, len(look.lamps)).items():
            pixels[y + 1][x + 1] = look.lamps[lamp]
    lines = [[_pair(*pair) for pair in zip(pixels[y], pixels[y + 1], strict=True)] for y in range(0, pitch, 2)]
    if mark != " ":
        lines[pitch // 4][0] = Segment(mark, _style(GROUND if cursor[0] else BRIGHT, at_left, bold=True))
    if look and look.letter:
        _put_plate(lines, look)
    if look and (look.wood or look.held):
        column = _chip_column(pitch, len(look.lamps))
        for line, wooden in ((lines[-1], look.wood), (lines[0], look.held)):
            if wooden:
                line[column] = Segment(wooden.letter, _style(*WOOD[wooden.owner], bold=True))
    return tuple(tuple(Segment.simplify(line[:wide])) for line in lines)


def _put_plate(lines: list[list[Segment]], look: Look) -> None:
    """Put the letter into the middle, which an even number of lamps leaves free; else below, where fewest are lit."""
    side, pitch = isqrt(len(look.lamps)), len(lines[0])
    line = lines[pitch // 4 if _in_the_middle(side) else -1]
    whose = look.whose or look.piece
    ink, paper = plate(whose.owner) if whose else (BRIGHT, TILE)
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
def _chip_column(pitch: int, lamps: int) -> int:
    """Where in the last line a chip of wood hides as little as can be: nearest to the middle where no lamp is."""
    spots, middle = _spots(pitch - 1, lamps), pitch // 2
    plate = () if _in_the_middle(isqrt(lamps)) else (middle - 1, middle, middle + 1)
    columns = [column for column in range(1, pitch) if column not in plate]
    return min(
        columns,
        key=lambda column: (sum((column - 1, y) in spots for y in (pitch - 3, pitch - 2)), abs(column - middle)),
    )


def _pair(above: str, below: str) -> Segment:
    """Two pixels, one above the other, as a character."""
    return Segment(" ", _style(above, above)) if above == below else Segment("▀", _style(above, below))


@lru_cache(maxsize=1 << 12)
def _style(ink: str, paper: str, *, bold: bool = False, underline: bool = False) -> Style:
    return Style(color=ink, bgcolor=paper, bold=bold, underline=underline)


@cache
def _spots(inner: int, lamps: int) -> dict[tuple[int, int], int]:
    """Which pixels of a cell's inside belong to which lamp. A lamp is as round as its pixels allow."""
    side = isqrt(lamps)
    gap = 1 if inner >= 2 * side - 1 else 0
    across = (inner - (side - 1) * gap) // side
    if not across:  # more lamps than pixels: some are not seen
        return {(x, y): y * side // inner * side + x * side // inner for x in range(inner) for y in range(inner)}
    margin = (inner - side * across - (side - 1) * gap) // 2
    centre = (across - 1) / 2
    disc = [(x, y) for y in range(across) for x in range(across) if hypot(x - centre, y - centre) <= across / 2 + 0.2]
    return {
        (margin + column * (across + gap) + x, margin + row * (across + gap) + y): row * side + column
        for row in range(side)
        for column in range(side)
        for x, y in disc
    }
