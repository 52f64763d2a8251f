"""What all terminal apps share: a theme, a clock, a way out, and terminals that have few colours or few letters.

Textual finds out how many colours there are (TERM, COLORTERM, NO_COLOR, TEXTUAL_COLOR_SYSTEM) and takes the nearest.
Among sixteen the nearest to amber is a red, and the nearest to a dimmed lamp is that of an unlit one. So where there
are no more than sixteen each is chosen here. Backgrounds are always among the first eight, for the Linux console and
others have no more: what is bright is drawn in the foreground.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from types import FrameType
from typing import IO, Any

from rich.color import Color as RichColor
from rich.color import ColorType
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.driver import Driver
from textual.filter import LineFilter
from textual.message_pump import MessagePump

from pond_hw.messages.catalogue import Catalogue, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import UNBREAKABLE_BLANK
from pond_hw.rules import PondError
from pond_hw.tui.colours import GAP_COLOUR, PIECE_COLOURS, POND_THEME, hex_colour

STUCK_SECONDS = 10.0
"""How long a screen may take to leave. One that waits for a terminal that is not there any more would wait for ever."""

TERMINAL_RESET = b"\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?2004l"
"""Tells a terminal: the page of before, a cursor, no mouse."""

FRAMES_PER_SECOND = 15  # how often the screen is brought up to date: smooth enough for breathing lamps, and little work

BLACK, RED, GREEN, YELLOW, BLUE, _MAGENTA, _CYAN, WHITE = range(8)
BRIGHT_OFFSET = 8  # what is added for a brighter one; the brighter black is a dark grey

DARK_GREY, BRIGHT_WHITE = BLACK + BRIGHT_OFFSET, WHITE + BRIGHT_OFFSET

FIXED_COLOURS = {GAP_COLOUR: DARK_GREY} | {paper: YELLOW for _, paper in PIECE_COLOURS.values()}
"""Colours that no rule finds: lines between cells, wooden pieces."""

GREY_LEVELS = ((76, BLACK), (125, DARK_GREY), (240, WHITE), (256, BRIGHT_WHITE))
"""Greys by how bright they are, up to what. An unlit lamp is black; a faint one, such as a glow, dark grey."""

FAINT_LEVEL, LIT_LEVEL, FULL_LEVEL = 76, 118, 166
"""How bright the strongest channel of a hue is at the least: as a faint lamp, as a dimmed one, as a bright one."""

MIN_SATURATION = 0.35  # from how much saturation on a colour is no grey

MISSING_CHARACTERS = str.maketrans("▀▄▌▐▊▎▕▏▔▁▂▃▅▆▇●○━┃┏┓┗┛╭╮╰╯…", "████││││─____██•·─│┌┐└┘┌┐└┘.")
"""What stands for characters that the fonts of the Linux console (Debian's and the kernel's) do not have."""


def colour_number(red: int, green: int, blue: int) -> int:
    """Which of sixteen colours stands for a colour.

    Light's amber is a yellow and dark's azure a blue, each in two steps: they stay apart for every kind of colour
    blindness, from each other and from black and white. A red stays a red.
    """
    top = max(red, green, blue)
    if fixed_number := FIXED_COLOURS.get(hex_colour(red, green, blue)):
        return fixed_number
    if top - min(red, green, blue) < MIN_SATURATION * top:
        return next(grey for brightness_limit, grey in GREY_LEVELS if top < brightness_limit)
    if top < LIT_LEVEL:
        return DARK_GREY if top >= FAINT_LEVEL else BLACK
    hue = BLUE if top == blue else GREEN if top == green else YELLOW if green >= 0.35 * red else RED
    return hue + BRIGHT_OFFSET * (top >= FULL_LEVEL)


class BlankFilter(LineFilter):
    """Shows unbreakable blanks as the spaces that they stand for, once lines are broken."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """Put spaces for the blanks of a line."""
        if not any(UNBREAKABLE_BLANK in segment.text for segment in segments):
            return segments
        return [segment._replace(text=segment.text.replace(UNBREAKABLE_BLANK, " ")) for segment in segments]


class SixteenColourFilter(LineFilter):
    """Draws with sixteen colours, and with letters that there are.

    Args:
        halves: whether the terminal has half blocks.
    """

    def __init__(self, halves: bool) -> None:
        super().__init__()
        self._has_half_blocks = halves

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """The same line in few colours."""
        return [
            segment if control or style is None else _reduce_segment(segment_text, style, self._has_half_blocks)
            for segment in segments
            for segment_text, style, control in (segment,)
        ]


@lru_cache(maxsize=1 << 13)
def _reduce_segment(segment_text: str, style: Style, halves: bool) -> Segment:
    ink, paper = _ansi_number(style.color, WHITE), _ansi_number(style.bgcolor, BLACK)
    if style.reverse:
        ink, paper = paper, ink
    if not segment_text.strip():
        paper %= BRIGHT_OFFSET
    elif not segment_text.strip("█"):
        paper = BLACK
    elif not segment_text.strip("▀"):
        segment_text, ink, paper = _reduce_half_blocks(segment_text, ink, paper, halves)
    else:
        paper %= BRIGHT_OFFSET
        if ink == paper or (paper == WHITE and ink > WHITE):
            ink = DARK_GREY if paper == BLACK else BLACK
        if not halves:
            segment_text = segment_text.translate(MISSING_CHARACTERS)
    bold = style.bold and ink != BLACK  # a bold black is a dark grey
    ansi_style = Style(color=_ansi_colour(ink), bgcolor=_ansi_colour(paper), bold=bold, reverse=False, dim=False)
    return Segment(segment_text, style + ansi_style)


def _reduce_half_blocks(segment_text: str, upper_number: int, lower_number: int, halves: bool) -> tuple[str, int, int]:
    """Characters of two colours, one above the other: the brighter one is drawn as ink."""
    if upper_number == lower_number or not halves:
        return "█" * len(segment_text), upper_number or lower_number, BLACK
    if lower_number > upper_number and lower_number >= BRIGHT_OFFSET:
        return "▄" * len(segment_text), lower_number, upper_number % BRIGHT_OFFSET
    return segment_text, upper_number, lower_number % BRIGHT_OFFSET


def _ansi_number(colour: RichColor | None, default: int) -> int:
    if colour is None or colour.type is ColorType.DEFAULT:
        return default
    return colour.number if colour.number is not None and colour.number < 16 else colour_number(*colour.get_truecolor())


@lru_cache(maxsize=16)
def _ansi_colour(ansi_number: int) -> RichColor:
    return RichColor.from_ansi(ansi_number)


class TerminalApp(App[None]):
    """An app in Pond's theme, on any terminal.

    Args:
        lives: whether the screen updates itself. If not, the caller calls `update_screen`.
        catalogue: the language of its words; English if none is given.

    Attributes:
        catalogue: that language.
        lost_error: why the board is no longer there, if it is not.
    """

    TITLE = "Pond"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *, lives: bool = True, catalogue: Catalogue | None = None) -> None:
        super().__init__()
        self.catalogue = catalogue or get_catalogue(surface="terminal")
        self.register_theme(POND_THEME)
        self.theme = POND_THEME.name
        self.lost_error: PondError | None = None
        self._updates_itself = lives
        has_half_blocks = os.environ.get("TERM") != "linux"  # the fonts of the Linux console on Debian have none
        few_colours = self.console.color_system in ("standard", "windows")
        self._blank_filter = BlankFilter()
        self._colour_filter = SixteenColourFilter(has_half_blocks) if few_colours else None

    def on_mount(self) -> None:
        """Start the updates; when a signal ends the program, leave the terminal as it was."""
        if self._updates_itself:
            self.set_interval(1 / FRAMES_PER_SECOND, self.update_screen)
            exit_on_signal(self)

    def get_driver_class(self) -> type[Driver]:
        """Textual's, able to outlast its terminal."""
        return _outlast_terminal(super().get_driver_class())

    def update_screen(self) -> None:
        """Do what is due, and show what has changed."""

    @property
    def has_few_colours(self) -> bool:
        """Whether there are no more than sixteen."""
        return self._colour_filter is not None

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's, and after those our own."""
        filters = [*super().get_line_filters(), self._blank_filter]
        return [*filters, self._colour_filter] if self._colour_filter else filters


def find_catalogue(node: MessagePump) -> Catalogue:
    """The language of the app that a widget or a screen belongs to."""
    app = node.app
    assert isinstance(app, TerminalApp)
    return app.catalogue


class _LastingOutput:
    """What is written to the terminal; nowhere, when that has gone.

    An error would end Textual's thread that writes, and whoever writes by that thread would wait for it for ever.
    """

    def __init__(self, output: IO[str]) -> None:
        self._output = output

    def write(self, text: str) -> None:
        """Write it, if there is a terminal."""
        with suppress(OSError):
            self._output.write(text)

    def flush(self) -> None:
        """Have it shown, if there is a terminal."""
        with suppress(OSError):
            self._output.flush()

    def fileno(self) -> int:
        """The number of the file."""
        return self._output.fileno()


def _outlast_terminal(driver_class: type[Driver]) -> type[Driver]:
    """The same driver, which may lose its terminal."""

    class LastingDriver(driver_class):  # type: ignore[valid-type, misc]
        _file: Any

        def __init__(self, *options: Any, **named_options: Any) -> None:
            super().__init__(*options, **named_options)
            self._file = _LastingOutput(self._file)

        def _sigcont_application(self, *signal_details: Any) -> None:
            """Go on after a stop. A terminal that closes says so too, when nothing has stopped: then nothing begins."""
            if self._must_signal_resume:
                super()._sigcont_application(*signal_details)

    return LastingDriver


def exit_on_signal(app: App[Any]) -> None:
    """Have a running screen leave the terminal as it was when a signal says so; to be called in its loop."""
    loop = asyncio.get_running_loop()

    def watch(signal_number: int, _frame: FrameType | None) -> None:
        """Called at once, even while the loop waits for a terminal."""

        def force_exit(*_: int | FrameType | None) -> None:
            if not loop.is_closed():
                _force_exit(signal_number)

        if not any(signal.getitimer(signal.ITIMER_REAL)):  # whoever says it again does not put it off
            signal.signal(signal.SIGALRM, force_exit)
            signal.setitimer(signal.ITIMER_REAL, STUCK_SECONDS)

    with suppress(NotImplementedError, AttributeError):  # not every system has these signals
        for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(signal_number, app.exit)
            signal.signal(signal_number, watch)  # the loop still hears of it, by its wakeup file


def _force_exit(signal_number: int) -> None:
    """End the process, whatever it is stuck in. All that was confirmed is on the disk, and who thinks ends with us."""
    with suppress(OSError):
        if select.select([], [2], [], 0)[1]:  # a terminal that takes nothing would hold us here
            os.write(2, TERMINAL_RESET)
    os._exit(128 + signal_number)


def need_terminal(alternative: str = "pond headless") -> None:
    """Continue only if there is a terminal.

    Args:
        alternative: the command that works without one.

    Raises:
        PondError: there is none.
    """
    if not all(stream and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__)):
        raise PondError(Message("terminal.needed", command=alternative))
