"""`pond setup` in a terminal: what the step says, what may be answered, and (of a pretended board) what an eye sees.

Set-up of direct-4x4: Sensors                     3 of 16
...lines...                                   4  ## .. .. ..     a finger: click; or arrows, and space to touch,
                                              3  .. .. .. ..     Enter to press and let go
Press b2, which is lit, three times.
n next one  q leave
"""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from math import inf

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip
from textual.widgets import Static

from pond_hw.blackbox import BlackBox
from pond_hw.drivers.shutdown import leave_at_once
from pond_hw.profile.board_profile import Analog
from pond_hw.rules import DARK, LIGHT, Cell, PondError, Side, grid
from pond_hw.setup.controller import Lead
from pond_hw.setup.step import Choice, Page, Reply
from pond_hw.simulator.workbench import Workbench
from pond_hw.tui.drawn_board import LEFT, DrawnBoard, seen_as
from pond_hw.tui.play_app import need_terminal
from pond_hw.tui.quitting import leave_when_told
from pond_hw.tui.style import GROUND, QUIET
from pond_hw.tui.terminal import TerminalApp

FRAMES = 15
"""Times a second that the screen is brought up to date."""

FINGER_SECONDS = 0.25
"""How long a finger stays that comes down by a key."""

HINTS = "finger: click, or", "arrows and space;", "Enter holds it."
"""How to be the finger on a pretended board."""

TWO_POLES = "{}'s: click, or", *HINTS[1:], "Tab: {}'s piece."
"""How to put down a piece of either side, where sensors can tell; the right button of the mouse is dark's too."""

RIGHT = 3
"""The right button of the mouse."""

TYPING_SECONDS = 0.8
"""How long after a letter that is an answer another one may make it a longer one, such as a cell."""

AGAIN_SECONDS = 1.0
"""How long after `q` has left a step the next one does not leave set-up: it was pressed twice, or held down."""

HELD_SECONDS = 0.3
"""Seconds from one `q` to the next below which the key is held down."""

ONCE_MORE = "Press q once more to leave set-up."

APART = 1
"""Columns between the lines and the board beside them."""

LINES = 16
"""Lines that are seen of a page, as its contract has it."""

ROOMY = Size(90, 30)
"""Columns and rows from which on there is room for lines between the cells of any board."""


class BoardSeen(DrawnBoard):
    """A pretended board as an eye sees it; the mouse is a finger.

    Args:
        bench: the board.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.profile.size, bench.seen)
        self._bench = bench
        self.cursor: Cell = "a1"
        self.owner = LIGHT  # whose piece a finger puts down
        self.down: tuple[Cell, ...] = ()
        self._two_poles = isinstance(bench.profile.sensing.wiring, Analog)
        self._strips = 1 if bench.seen_strips else 0  # a row above the cells, and one below
        self.fit(ROOMY - Size(1, 1))

    def fit(self, window: Size) -> None:
        """Be as large as a window of so many columns and rows allows."""
        roomy = window.width >= ROOMY.width and window.height >= ROOMY.height
        self.resize(self.size_of_board, roomy=roomy)
        self.columns = max(self.columns, *(LEFT + len(hint) for hint in self.hints))
        self.styles.width, self.styles.height = self.columns, self.lines + 2 * self._strips + len(self.hints)

    @property
    def hints(self) -> tuple[str, ...]:
        """How to be a finger, or whose piece is in the hand."""
        if not self._two_poles:
            return HINTS
        first, *between, last = TWO_POLES
        return first.format(self.owner), *between, last.format(self.owner.other)

    def mark(self, cell: Cell) -> str:
        """Where the keys would press, and where a finger is."""
        finger = "##" if cell in self.down else "  "
        if cell == self.cursor:
            return f"[{finger}]" if self.owner is LIGHT else f"<{finger}>"
        return f" {finger} " if finger.strip() else ""

    def render_line(self, y: int) -> Strip:
        """One row of it, between the score strips if there are any; below it how to be a finger."""
        row = y - self._strips
        below = row - self.lines - self._strips
        if row < 0 or (self._strips and row == self.lines):
            return self._strip(DARK if row < 0 else LIGHT)
        if below < 0:
            return super().render_line(row)
        return Strip([Segment(f"{'':{LEFT}}{self.hints[below]}", Style(color=QUIET, bgcolor=GROUND))])

    def cell_at(self, x: int, y: int) -> Cell | None:
        """The cell under a place of it."""
        return super().cell_at(x, y - self._strips) if y >= self._strips else None

    def _strip(self, side: Side) -> Strip:
        """A score strip as an eye sees it: dark's above the cells, light's below."""
        lamps = self._bench.seen_strips[f"{side} strip"]
        wide = max(1, self.across // len(lamps))
        colours = ["#{:02x}{:02x}{:02x}".format(*seen_as([lamp])) for lamp in lamps]
        return Strip([Segment(" " * LEFT), *(Segment(f"{'▬':<{wide}}", Style(color=colour)) for colour in colours)])

    def press(self, cell: Cell, owner: Side | None = None) -> None:
        """A finger comes down, or a piece is put there."""
        self.down, self.cursor = (*self.down, cell), cell
        self._bench.press(cell, self.owner if owner is None else owner)
        self.refresh()

    def release(self, *cells: Cell) -> None:
        """Fingers go: from these cells, or from all."""
        for cell in cells or self.down:
            self._bench.release(cell)
        self.down = tuple(cell for cell in self.down if cells and cell not in cells)
        self.refresh()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A finger comes down where the mouse is."""
        if cell := self.cell_at(event.x, event.y):
            self.capture_mouse()
            self.release(cell)
            self.press(cell, DARK if event.button == RIGHT else None)

    def on_mouse_up(self) -> None:
        """It goes."""
        self.capture_mouse(False)
        self.release(self.cursor)


class SetUpApp(TerminalApp):
    """The terminal of set-up.

    Args:
        lead: the tour on its board.
        now: its clock.

    Attributes:
        trouble: why the board was lost, if it was.
    """

    CSS = """
    Screen { layout: vertical; padding: 0 1; }
    #title { height: 1; text-style: bold; }
    #middle { height: 1fr; margin-top: 1; }
    #lines { width: 1fr; }
    BoardSeen { margin-left: 1; }
    #asks { height: auto; margin-top: 1; text-style: bold; }
    #choices { height: auto; }
    """

    def __init__(self, lead: Lead, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._lead, self._now = lead, now
        self.trouble: PondError | None = None
        self._typed, self._typed_at = "", 0.0
        self._left_at, self._warned = -inf, False  # when `q` was pressed last; whether it did not leave then
        self._shown: tuple[Page, Size] | None = None  # the page that is on the screen, and the window that it fits
        self.board = BoardSeen(lead.bench) if lead.bench else None
        # Held, not asked for by name: the clock may tick once more when the screen has gone already.
        self._title, self._lines = Static(id="title"), Static(id="lines", markup=False)
        self._asks, self._choices = Static(id="asks", markup=False), Static(id="choices")

    def compose(self) -> ComposeResult:
        """Title, lines with the board beside them, question, choices."""
        yield self._title
        with Horizontal(id="middle"):
            yield self._lines
            if self.board:
                yield self.board
        yield self._asks
        yield self._choices

    def on_mount(self) -> None:
        """Begin to lead; and when told from outside to end, leave the terminal and the board as they were."""
        self.set_interval(1 / FRAMES, self.bring_up_to_date)
        leave_when_told(self)
        self.bring_up_to_date()

    def bring_up_to_date(self) -> None:
        """Let what is due be done, and show what there is to see."""
        lead = self._lead
        try:
            lead.go_on()
        except PondError as error:  # the board is lost: that is told in the shell, when the screen has gone
            self.trouble = error
            self.exit()
            return
        page, tour = lead.page, lead.tour
        if tour.over:
            self.exit()
            return
        wide = self.size.width - 2
        where = "" if tour.name == "" else f"{lead.profile.name}: "
        lamps = f"   lamps {lead.current:.0f} of {lead.profile.chain.budget:.0f} mA"
        self._title.update(Content(headed(where, page, lamps, wide)))
        if (page, self.size) != self._shown:
            self._shown = page, self.size
            lines = page.lines
            if self.board:
                self.board.fit(self.size)
                # what came of a step is read, and needs no board; a step that asks for touches does
                room = wide - APART - self.board.columns
                narrow = beside(lines, room) if tour.name not in ("", "found") else lines
                self.board.display = max(map(len, narrow), default=0) <= room
                lines = narrow if self.board.display else lines
            self._lines.update(Content("\n".join(lines)))
            self._choices.update(told(page, wide))
        if self._typed and self._now() >= self._typed_at + TYPING_SECONDS:
            self._answer(self._typed)
        trouble = f"{lead.lamps_say} " if lead.lamps_say else ""
        typed = f" {self._typed}_" if self._typed else ""
        asks = ONCE_MORE if self._warned and not tour.name else page.asks
        self._asks.update(Content(f"{trouble}{asks}{typed}"))
        if self.board:
            self.board.refresh()

    def on_key(self, event: events.Key) -> None:
        """An answer; on a pretended board the arrows and the space bar are a finger."""
        if event.key == "ctrl+c":
            self.exit()
        elif self.board and event.key in ("up", "down", "left", "right"):
            self._point(event.key)
        elif self.board and event.key == "space":
            self._touch(self.board, self.board.cursor)
        elif self.board and event.key == "tab":
            self.board.owner = self.board.owner.other
            self.board.refresh()
        elif event.key == "enter" and self._typed:
            self._answer(self._typed)
        elif self.board and event.key == "enter":
            cell = self.board.cursor
            (self.board.release if cell in self.board.down else self.board.press)(cell)
        elif event.key == "escape":
            self._typed = ""
        elif event.character and event.is_printable:
            self._type(event.character)
        else:
            return
        event.stop()

    def _type(self, letter: str) -> None:
        """Answers may have several letters, as cells do: what may become a longer one is waited for a little."""
        keys = [choice.key for choice in self._lead.page.choices]
        typed = self._typed + letter
        if not any(key.startswith(typed) for key in keys):
            typed = letter  # the beginning of another answer
        longer = [key for key in keys if key.startswith(typed)]
        self._typed, self._typed_at = typed if longer else "", self._now()
        if longer == [typed]:
            self._answer(typed)

    def _answer(self, typed: str) -> None:
        self._typed = ""
        if typed == "q" and self._pressed_twice():
            return
        if typed in [choice.key for choice in self._lead.page.choices]:
            self._lead.put(Reply(typed, self._now()))
            self.bring_up_to_date()

    def _pressed_twice(self) -> bool:
        """Whether this `q` comes too soon after one that left a step to be meant for all of set-up."""
        since, self._left_at = self._now() - self._left_at, self._now()
        in_menu = not self._lead.tour.name
        if not in_menu or since >= AGAIN_SECONDS or (self._warned and since >= HELD_SECONDS):
            self._warned = False
            return False
        self._warned = True
        return True

    def _touch(self, board: BoardSeen, cell: Cell) -> None:
        """A finger comes down and soon goes."""
        board.release(cell)
        board.press(cell)
        self.set_timer(FINGER_SECONDS, lambda: board.release(cell))

    def _point(self, way: str) -> None:
        assert self.board
        on = grid(self.board.size_of_board)
        x, y = on.place(self.board.cursor)
        u, v = {"up": (0, 1), "down": (0, -1), "left": (-1, 0), "right": (1, 0)}[way]
        last = self.board.size_of_board - 1
        x, y = min(max(x + u, 0), last), min(max(y + v, 0), last)
        self.board.cursor = on.cells[y * self.board.size_of_board + x]
        self.board.refresh()


def headed(where: str, page: Page, lamps: str, wide: int) -> str:
    """The title in so many columns: with what the lamps draw, and the board's name, as far as there is room."""
    done, total = page.done
    said = f"{page.title}   {done} of {total}" if total else page.title
    return next((line for line in (f"{where}{said}{lamps}", f"{where}{said}") if len(line) <= wide), said)


def beside(lines: Sequence[str], room: int) -> tuple[str, ...]:
    """The lines of a page, with sentences folded to so many columns; as they are if that does not help.

    A drawing is never folded: it is told by the spaces between its words.
    """
    if room < 1:
        return tuple(lines)
    folded: list[str] = []
    sentence = ""
    for line in lines:
        drawing = "  " in line.strip() or not line.strip()
        goes_on = bool(sentence) and not drawing and not line.startswith(" ")
        if sentence and not goes_on:
            folded += textwrap.wrap(sentence, room)
            sentence = ""
        if goes_on or (len(line) > room and not drawing):
            sentence = f"{sentence} {line}".lstrip()
        else:
            folded.append(line)
    folded += textwrap.wrap(sentence, room)
    fits = len(folded) <= LINES and max(map(len, folded), default=0) <= room
    return tuple(folded if fits else lines)


def told(page: Page, wide: int) -> Content:
    """What may be answered, in lines of so many columns; none is torn apart, cells to be typed are not listed."""
    lines: list[list[Choice]] = [[]]
    for choice in page.choices:
        if choice.says:
            if lines[-1] and len("   ".join(f"{each.key} {each.says}" for each in (*lines[-1], choice))) > wide:
                lines.append([])
            lines[-1].append(choice)
    drawn = [[Content.assemble((choice.key, "bold reverse"), f" {choice.says}") for choice in line] for line in lines]
    return Content("\n").join(Content("   ").join(line) for line in drawn)


def run(
    wanted: str,
    step: str | None,
    cells: Sequence[str],
    *,
    pretend: bool,
    flaws: Sequence[str],
    seed: int,
    box: BlackBox | None = None,
) -> None:
    """Set a board up in this terminal until somebody leaves.

    Raises:
        PondError: the board cannot be opened, or there is no such step.
    """
    need_terminal("`pond setup --headless` does not")
    with closing(Lead(wanted, time.monotonic, pretend=pretend, flaws=flaws, seed=seed, box=box)) as lead:
        if step:
            lead.begin(step, cells)
        screen = SetUpApp(lead)
        screen.run()
    if lead.saved and not lead.for_now:
        print(f"What was agreed to is saved in {lead.saved}.")
    if screen.trouble:
        raise screen.trouble
    if lead.hangs:
        leave_at_once(None)
