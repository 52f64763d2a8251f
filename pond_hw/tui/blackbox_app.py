"""`pond replay-board`: a recorded board in a terminal.

0:12.34 of 3:20.00   x1   paused   direct-4x4, pond serve, 2026-01-31
4  ## .. .. ..     read       felt
3  .. .. .. ..     # . . .    # . . .
2  .. .. .. ..     . . . .    . . . .
1  .. .. .. ..     . . . .    . . . .
0:11.94  read: a4=1
0:11.96  a4 down
space pause, go on   ...
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from pond_hw.blackbox import Box, Head
from pond_hw.blackbox.playback import Playback, Recording, Standing
from pond_hw.blackbox.text import strips_of
from pond_hw.board import RGB
from pond_hw.rules import grid
from pond_hw.tui.drawn_board import DrawnBoard, seen_as
from pond_hw.tui.play_app import need_terminal
from pond_hw.tui.terminal import TerminalApp

FRAMES = 15
"""Times a second that the screen is brought up to date."""

STEP = 5.0
"""Seconds that an arrow goes back or forth."""

POLES = {0: ".", 1: "#", -1: "="}
"""What a sensor says: nothing; something; the other pole."""

KEYS = (
    ("space", "pause, go on"),
    ("← →", "5 s"),
    (".", "next event"),
    ("+ -", "speed"),
    ("home end", ""),
    ("q", "leave"),
)


class Strips(Widget, can_focus=False):
    """The score strips, light's above dark's; as wide as there is room."""

    DEFAULT_CSS = "Strips { height: 2; }"

    def __init__(self) -> None:
        super().__init__()
        self.lamps: tuple[tuple[RGB, ...], ...] = ((), ())

    def render_line(self, y: int) -> Strip:
        """One of them."""
        lamps = self.lamps[y] if y < len(self.lamps) else ()
        colours = ["#{:02x}{:02x}{:02x}".format(*seen_as([lamp])) for lamp in lamps]
        return Strip([Segment("  "), *(Segment("■", Style(color=colour)) for colour in colours)])


class ReplayApp(TerminalApp):
    """The terminal of a recorded board.

    Args:
        box: what was recorded.
        speed: how many times as fast as it was.
        now: the clock, in seconds.
    """

    CSS = """
    Screen { layout: vertical; padding: 0 1; }
    #title { height: 1; text-style: bold; }
    #middle { height: auto; margin-top: 1; }
    #left { width: auto; height: auto; }
    DrawnBoard { margin-right: 3; }
    #said { width: 1fr; height: auto; }
    #events { height: 1fr; margin-top: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    #lacks { height: auto; }
    #keys { height: auto; }
    """

    def __init__(self, box: Box, speed: float = 1.0, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.playback = Playback(Recording(box.notes), speed)
        self._box, self._now, self._looked = box, now, now()
        self.standing = self.playback.recording.at(0.0)
        self.board = DrawnBoard(self.standing.frame.size, lambda cell: self.standing.frame[cell])
        self.strips = Strips()
        # Held, not asked for by name: the clock may tick once more when the screen has gone already.
        self._title, self._said = Static(id="title", markup=False), Static(id="said", markup=False)
        self._events = Static(id="events", markup=False)

    def compose(self) -> ComposeResult:
        """Title, the board with what was read beside it, events, keys."""
        yield self._title
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield self.board
                yield self.strips
            yield self._said
        yield self._events
        yield Static(self._box.lacks or "", id="lacks", markup=False)
        yield Static(keys(), id="keys")

    def on_mount(self) -> None:
        """Begin to play."""
        self._looked = self._now()
        self.set_interval(1 / FRAMES, self.bring_up_to_date)
        self.bring_up_to_date()

    def bring_up_to_date(self) -> None:
        """Let the time pass that has passed, and show how things stand."""
        now = self._now()
        self.playback.pass_time(now - self._looked)
        self._looked = now
        playback, recording = self.playback, self.playback.recording
        self.standing = standing = recording.at(playback.at)
        frame = standing.frame
        if frame.size != self.board.size_of_board:
            self.board.resize(frame.size)
        self.board.refresh()
        self.strips.display, self.strips.lamps = bool(frame.strip), strips_of(frame)
        self.strips.refresh()
        state = "playing" if playback.playing else "paused"
        where = f"{clock(playback.at)} of {clock(recording.lasts)}   x{playback.speed:g}   {state}"
        self._title.update(Content(f"{where}   {named(self._box.head)}"))
        self._said.update(Content("\n".join(said(standing))))
        latest = recording.until(playback.at, max(1, self._events.size.height))
        told = [f"{clock(event.at):>9}  {event.told}" for event in latest]
        self._events.update(Content("\n".join(told)))

    def on_key(self, event: events.Key) -> None:
        """Where to go, and how fast."""
        playback = self.playback
        match event.key:
            case "space":
                playback.pause()
            case "left" | "right":
                playback.go(playback.at + (STEP if event.key == "right" else -STEP))
            case "full_stop":
                playback.next()
            case "plus" | "minus":
                playback.hurry(2.0 if event.key == "plus" else 0.5)
            case "home":
                playback.go(0.0)
            case "end":
                playback.go(playback.recording.lasts)
            case "q" | "ctrl+c" | "ctrl+q":
                self.exit()
            case _:
                return
        event.stop()
        self.bring_up_to_date()


def named(head: Head) -> str:
    """What was recorded when, in a few words."""
    return ", ".join(filter(None, (head.profile, f"pond {head.command}", head.date)))


def clock(seconds: float) -> str:
    """Minutes and seconds, to the hundredth."""
    hundredths = int(seconds * 100 + 1e-4)
    return f"{hundredths // 6000}:{hundredths // 100 % 60:02}.{hundredths % 100:02}"


def said(standing: Standing) -> list[str]:
    """What the sensors say, as a grid, beside what was felt; under them what is wrong."""
    size, reading = standing.frame.size, standing.reading
    felt = _grid(size, "felt", ["#" if cell in standing.down else "." for cell in grid(size).cells])
    if reading is None:
        return [*felt, "", standing.trouble or ""]
    read = _grid(size, "read", [POLES[level] for level in reading.levels])
    rows = [f"{one}   {other}" for one, other in zip(read, felt, strict=True)]
    if reading.raw is not None and reading.raw != reading.levels:
        rows += ["", *_grid(size, "counted", [str(count) for count in reading.raw])]
    return [*rows, "", standing.trouble or ""]


def _grid(size: int, title: str, shows: Sequence[str]) -> list[str]:
    """What each cell shows, the top row first, all lines equally long."""
    wide = max(map(len, shows)) + 1
    rows = ["".join(f"{word:<{wide}}" for word in shows[y * size : (y + 1) * size]) for y in reversed(range(size))]
    across = max(len(title), wide * size)
    return [f"{line:<{across}}" for line in (title, *rows)]


def keys() -> Content:
    """What may be pressed."""
    return Content("   ").join(Content.assemble((key, "bold reverse"), f" {does}".rstrip()) for key, does in KEYS)


def play(box: Box, speed: float) -> None:
    """Play it in this terminal until somebody leaves.

    Raises:
        PondError: there is no terminal.
    """
    need_terminal("`pond replay-board --text` does not")
    ReplayApp(box, speed).run()
