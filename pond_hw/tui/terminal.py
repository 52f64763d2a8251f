"""Base class of the terminal apps: theme, updates, signals, and support for limited terminals.

Textual detects the number of colours from TERM, COLORTERM, NO_COLOR and TEXTUAL_COLOR_SYSTEM, and replaces each colour
with the nearest one available. With sixteen colours, amber would become red, and dimmed lamps would look unlit. For
such terminals, this module chooses each colour explicitly. Backgrounds use only the first eight colours because the
Linux console and some other terminals support no more. Bright colours are drawn in the foreground.
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
"""Maximum time in seconds to close a screen. Without a limit, a screen could wait forever for a lost terminal."""

TERMINAL_RESET = b"\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?2004l"
"""Escape sequences that restore a terminal: leave the alternate screen, show the cursor, disable the mouse."""

FRAMES_PER_SECOND = 15  # smooth enough for breathing lamps

BLACK, RED, GREEN, YELLOW, BLUE, _MAGENTA, _CYAN, WHITE = range(8)
BRIGHT_OFFSET = 8  # added to the index of a colour for its bright version; bright black is dark grey

DARK_GREY, BRIGHT_WHITE = BLACK + BRIGHT_OFFSET, WHITE + BRIGHT_OFFSET

FIXED_COLOURS = {GAP_COLOUR: DARK_GREY} | {paper: YELLOW for _, paper in PIECE_COLOURS.values()}
"""Screen colours that are always replaced with the same ANSI colour: gaps between cells, and wooden pieces."""

GREY_LEVELS = ((76, BLACK), (125, DARK_GREY), (240, WHITE), (256, BRIGHT_WHITE))
"""Upper brightness limit of each ANSI grey. An unlit lamp is black, and a faint lamp is dark grey."""

FAINT_LEVEL, LIT_LEVEL, FULL_LEVEL = 76, 118, 166
"""Minimum levels of the brightest channel at which a lamp counts as faint, dimmed and bright."""

MIN_SATURATION = 0.35  # below this, a colour counts as grey

MISSING_CHARACTERS = str.maketrans("▀▄▌▐▊▎▕▏▔▁▂▃▅▆▇●○━┃┏┓┗┛╭╮╰╯…", "████││││─____██•·─│┌┐└┘┌┐└┘.")
"""Replacements for characters that are missing from the console fonts of Debian and the Linux kernel."""


def colour_number(red: int, green: int, blue: int) -> int:
    """Return the index of the ANSI colour, from 0 to 15, that represents a colour.

    Light's amber becomes yellow and dark's azure becomes blue, each in two brightness levels. They stay distinct from
    each other, from black and from white with any kind of colour blindness. Red stays red.
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


class NonBreakingSpaceFilter(LineFilter):
    """Filter that turns unbreakable blanks back into spaces once lines have been wrapped."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        if not any(UNBREAKABLE_BLANK in segment.text for segment in segments):
            return segments
        return [segment._replace(text=segment.text.replace(UNBREAKABLE_BLANK, " ")) for segment in segments]


class SixteenColourFilter(LineFilter):
    """Filter that reduces lines to sixteen colours and to the characters that the terminal has."""

    def __init__(self, has_half_blocks: bool) -> None:
        super().__init__()
        self._has_half_blocks = has_half_blocks

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        return [
            segment if control or style is None else _reduce_segment(segment_text, style, self._has_half_blocks)
            for segment in segments
            for segment_text, style, control in (segment,)
        ]


@lru_cache(maxsize=1 << 13)
def _reduce_segment(segment_text: str, style: Style, has_half_blocks: bool) -> Segment:
    ink, paper = _ansi_number(style.color, WHITE), _ansi_number(style.bgcolor, BLACK)
    if style.reverse:
        ink, paper = paper, ink
    if not segment_text.strip():
        paper %= BRIGHT_OFFSET
    elif not segment_text.strip("█"):
        paper = BLACK
    elif not segment_text.strip("▀"):
        segment_text, ink, paper = _reduce_half_blocks(segment_text, ink, paper, has_half_blocks)
    else:
        paper %= BRIGHT_OFFSET
        if ink == paper or (paper == WHITE and ink > WHITE):
            ink = DARK_GREY if paper == BLACK else BLACK
        if not has_half_blocks:
            segment_text = segment_text.translate(MISSING_CHARACTERS)
    bold = style.bold and ink != BLACK  # bold black would be dark grey
    ansi_style = Style(color=_ansi_colour(ink), bgcolor=_ansi_colour(paper), bold=bold, reverse=False, dim=False)
    return Segment(segment_text, style + ansi_style)


def _reduce_half_blocks(
    segment_text: str, upper_number: int, lower_number: int, has_half_blocks: bool
) -> tuple[str, int, int]:
    """Return the characters, foreground and background that show one colour above another.

    The foreground is the brighter one.
    """
    if upper_number == lower_number or not has_half_blocks:
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
    """Base class of the terminal apps. If `auto_update` is False, the caller must call `update_screen`."""

    TITLE = "Pond"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *, auto_update: bool = True, catalogue: Catalogue | None = None) -> None:
        super().__init__()
        self.catalogue = catalogue or get_catalogue(surface="terminal")
        self.register_theme(POND_THEME)
        self.theme = POND_THEME.name
        self.lost_error: PondError | None = None
        self._auto_update = auto_update
        has_half_blocks = os.environ.get("TERM") != "linux"  # Debian's fonts for the Linux console have none
        few_colours = self.console.color_system in ("standard", "windows")
        self._blank_filter = NonBreakingSpaceFilter()
        self._colour_filter = SixteenColourFilter(has_half_blocks) if few_colours else None

    def on_mount(self) -> None:
        """Start the periodic updates and handle signals that end the program."""
        if self._auto_update:
            self.set_interval(1 / FRAMES_PER_SECOND, self.update_screen)
            exit_on_signal(self)

    def get_driver_class(self) -> type[Driver]:
        """Return Textual's driver class, extended to survive the loss of the terminal."""
        return _tolerate_terminal_loss(super().get_driver_class())

    def update_screen(self) -> None:
        """Process pending work and redraw what has changed."""

    @property
    def has_few_colours(self) -> bool:
        """True if the terminal has at most sixteen colours."""
        return self._colour_filter is not None

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return Textual's filters, followed by the filters of this module."""
        filters = [*super().get_line_filters(), self._blank_filter]
        return [*filters, self._colour_filter] if self._colour_filter else filters


def find_catalogue(node: MessagePump) -> Catalogue:
    """Return the catalogue of the app that contains a widget or screen."""
    app = node.app
    assert isinstance(app, TerminalApp)
    return app.catalogue


class _LossTolerantOutput:
    """Output stream that ignores errors after the terminal is lost.

    Otherwise an error would end Textual's writer thread, and callers that wait for the thread would hang.
    """

    def __init__(self, output: IO[str]) -> None:
        self._output = output

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._output.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._output.flush()

    def fileno(self) -> int:
        return self._output.fileno()


def _tolerate_terminal_loss(driver_class: type[Driver]) -> type[Driver]:
    """Return a subclass of the driver that survives the loss of the terminal."""

    class LossTolerantDriver(driver_class):  # type: ignore[valid-type, misc]
        _file: Any

        def __init__(self, *options: Any, **named_options: Any) -> None:
            super().__init__(*options, **named_options)
            self._file = _LossTolerantOutput(self._file)

        def _sigcont_application(self, *signal_details: Any) -> None:
            """Resume only if the process was really stopped. A closing terminal sends SIGCONT too."""
            if self._must_signal_resume:
                super()._sigcont_application(*signal_details)

    return LossTolerantDriver


def exit_on_signal(app: App[Any]) -> None:
    """Close the app and restore the terminal on SIGINT, SIGTERM and SIGHUP. Call this in the event loop of the app."""
    loop = asyncio.get_running_loop()

    def watch(signal_number: int, _frame: FrameType | None) -> None:
        """Start the timer for a forced exit. Called immediately, even while the event loop is blocked."""

        def force_exit(*_: int | FrameType | None) -> None:
            if not loop.is_closed():
                _force_exit(signal_number)

        if not any(signal.getitimer(signal.ITIMER_REAL)):  # another signal does not postpone it
            signal.signal(signal.SIGALRM, force_exit)
            signal.setitimer(signal.ITIMER_REAL, STUCK_SECONDS)

    with suppress(NotImplementedError, AttributeError):  # missing on some systems
        for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(signal_number, app.exit)
            signal.signal(signal_number, watch)  # the loop still receives the signal, through its wakeup file


def _force_exit(signal_number: int) -> None:
    """End a stuck process. Confirmed turns are already on disk, and engine processes end with this process."""
    with suppress(OSError):
        if select.select([], [2], [], 0)[1]:  # a terminal that accepts no data would block here
            os.write(2, TERMINAL_RESET)
    os._exit(128 + signal_number)


def require_terminal(alternative: str = "pond headless") -> None:
    """Raise a PondError that suggests another command if the program doesn't run in a terminal."""
    if not all(stream and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__)):
        raise PondError(Message("terminal.needed", command=alternative))
