"""Terminal app for `pond replay-board`: plays back the recording of a board."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from pond_hw.blackbox import BoxContents
from pond_hw.blackbox.playback import BoxRecording, Playback, PlaybackState
from pond_hw.messages.catalogue import Catalogue, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import pad_text
from pond_hw.rules import get_grid
from pond_hw.tui.key_footer import name_keys
from pond_hw.tui.plain_lamp_grid import PlainLampGrid, perceived_hex
from pond_hw.tui.terminal import TerminalApp, require_terminal

SKIP_SECONDS = 5.0  # seconds per press of an arrow key

LEVEL_SYMBOLS = {0: ".", 1: "#", -1: "="}  # nothing, a piece or press, the opposite magnetic pole

KEY_NAMES = {"Space": "pause", "← →": "skip", ".": "next_event", "+ -": "speed", "Home End": "ends", "q": "quit"}
"""Keys in the footer, and the NAME of the `key.NAME` message for each."""


class ReplayBoardApp(TerminalApp):
    """Screen that plays back the recording of a board. A speed of 2 is twice as fast as the original."""

    CSS_PATH = Path(__file__).with_name("replay_board.tcss")

    def __init__(
        self,
        box: BoxContents,
        speed: float = 1.0,
        now: Callable[[], float] = time.monotonic,
        catalogue: Catalogue | None = None,
    ) -> None:
        super().__init__(catalogue=catalogue)
        self.playback = Playback(BoxRecording(box.notes), speed)
        self._black_box, self._now, self._updated_at = box, now, now()
        self.playback_state = self.playback.recording.state_at(0.0)
        self.lamp_grid = PlainLampGrid(self.playback_state.frame.size, lambda cell: self.playback_state.frame[cell])
        self.lamps_beside = Static(id="strips")  # score strips and turn keys
        # Stored because queries fail if a timer fires after the screen has closed.
        self._title_text, self._sensor_text = Static(id="title", markup=False), Static(id="sensors", markup=False)
        self._events_text = Static(id="events", markup=False)

    def compose(self) -> ComposeResult:
        yield self._title_text
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield self.lamp_grid
                yield self.lamps_beside
            yield self._sensor_text
        yield self._events_text
        text, damage = self.catalogue.text, self._black_box.damage
        yield Static(text(damage) if damage else "", id="lacks", markup=False)
        keys = (
            Content.assemble((name_keys(key, self.catalogue), "bold reverse"), f" {text(Message(f'key.{name}'))}")
            for key, name in KEY_NAMES.items()
        )
        yield Static(Content("   ").join(keys), id="keys")

    def on_mount(self) -> None:
        self._updated_at = self._now()
        self.update_screen()

    def update_screen(self) -> None:
        """Advance playback by the elapsed time and redraw the screen."""
        now = self._now()
        self.playback.pass_time(now - self._updated_at)
        self._updated_at = now
        playback, recording = self.playback, self.playback.recording
        self.playback_state = playback_state = recording.state_at(playback.position_seconds)
        frame = playback_state.frame
        if frame.size != self.lamp_grid.board_size:
            self.lamp_grid.resize_board(frame.size)
        self.lamp_grid.refresh()
        lamp_rows = [row for row in (*frame.score_strips, frame.key_colours) if row]
        self.lamps_beside.display = bool(lamp_rows)
        lines = (Content.assemble("  ", *(("■", perceived_hex(lamp)) for lamp in row)) for row in lamp_rows)
        self.lamps_beside.update(Content("\n").join(lines))
        text, header = self.catalogue.text, self._black_box.header
        position, duration = format_time(playback.position_seconds), format_time(recording.duration_seconds)
        elapsed = text(Message("playback.elapsed", position=position, duration=duration))
        state = text(Message(f"playback.{'playing' if playback.playing else 'paused'}"))
        heading = ", ".join(filter(None, (header.profile, f"pond {header.command}", header.date)))
        self._title_text.update(Content(f"{elapsed}   x{playback.speed:g}   {state}   {heading}"))
        self._sensor_text.update(Content("\n".join(sensor_lines(playback_state, self.catalogue))))
        latest = recording.events_until(playback.position_seconds, max(1, self._events_text.size.height))
        event_lines = [f"{format_time(event.instant):>9}  {text(event.message)}" for event in latest]
        self._events_text.update(Content("\n".join(event_lines)))

    def on_key(self, event: events.Key) -> None:
        playback = self.playback
        match event.key:
            case "space":
                playback.toggle_pause()
            case "left":
                playback.seek_to(playback.position_seconds - SKIP_SECONDS)
            case "right":
                playback.seek_to(playback.position_seconds + SKIP_SECONDS)
            case "full_stop":
                playback.stop_at_next()
            case "plus" | "minus":
                playback.change_speed(2.0 if event.key == "plus" else 0.5)
            case "home":
                playback.seek_to(0.0)
            case "end":
                playback.seek_to(playback.recording.duration_seconds)
            case "q" | "ctrl+c" | "ctrl+q":
                self.exit()
            case _:
                return
        event.stop()
        self.update_screen()


def format_time(seconds: float) -> str:
    """Format seconds as minutes, seconds and hundredths, such as `1:02.50`."""
    hundredths = int(seconds * 100 + 1e-4)
    return f"{hundredths // 6000}:{hundredths // 100 % 60:02}.{hundredths % 100:02}"


def sensor_lines(state: PlaybackState, catalogue: Catalogue) -> list[str]:
    """Format the sensor readings and the detected pieces or touches as grids side by side, followed by any fault."""
    size, sample = state.frame.size, state.sample
    detected = ["#" if cell in state.down_cells else "." for cell in get_grid(size).cells]
    grid_rows = _grid_lines(size, catalogue.text(Message("playback.detected")), detected)
    if sample:
        sensors = _grid_lines(
            size, catalogue.text(Message("playback.sensors")), [LEVEL_SYMBOLS[level] for level in sample.levels]
        )
        grid_rows = [
            f"{sensor_line}   {detected_line}" for sensor_line, detected_line in zip(sensors, grid_rows, strict=True)
        ]
        if sample.raw_values and sample.raw_values != sample.levels:
            values = [str(value) for value in sample.raw_values]
            grid_rows += ["", *_grid_lines(size, catalogue.text(Message("playback.raw_values")), values)]
    return [*grid_rows, "", catalogue.text(state.trouble) if state.trouble else ""]


def _grid_lines(size: int, title: str, cell_values: Sequence[str]) -> list[str]:
    """Format the text of each cell as a grid with a title and lines of equal length. The top row comes first."""
    width = max(map(len, cell_values)) + 1
    cell_texts = [f"{text:<{width}}" for text in cell_values]
    grid_rows = ["".join(cell_texts[y * size : (y + 1) * size]) for y in reversed(range(size))]
    return [pad_text(line, max(len(title), width * size)) for line in (title, *grid_rows)]


def play_recording(box: BoxContents, speed: float, language: str = "en") -> None:
    """Play back a recording in this terminal until the user quits.

    Raises:
        PondError: if there is no terminal.
    """
    require_terminal("pond replay-board --text")
    ReplayBoardApp(box, speed, catalogue=get_catalogue(language, "terminal")).run()
