"""Tests of playing back a recorded board in the terminal."""

import asyncio
from functools import wraps

import pytest
from textual import events

from pond_hw.blackbox import BoardOpened, BoxContents, FrameShown
from pond_hw.board import Sample
from pond_hw.messages.message import Message
from pond_hw.tui.plain_lamp_grid import perceived_colour
from pond_hw.tui.replay_board_app import ReplayBoardApp, format_time
from tests.blackbox.recordings import (
    BLUE,
    BUS_OFF,
    HEADER,
    NOTES,
    RED,
    lit_frame,
)
from tests.clock import Clock
from tests.messages.says import text


def async_test(test):
    @wraps(test)
    def run():
        asyncio.run(test())

    return run


async def press(app, pilot, *keys):
    for key in keys:
        app.post_message(events.Key(key, None))
        await pilot.pause(0)


def content(app, name):
    return str(app.query_one(f"#{name}").render())


def colour_at(app, cell):
    """Return the colour in which a cell is drawn."""
    size = app.lamp_grid.board_size
    rule = size < 5  # lines between the cells
    x, y = 2 + rule + "abcde".index(cell[0]) * (4 + rule), rule + (size - int(cell[1])) * (2 + rule)
    assert app.lamp_grid.cell_at(x, y) == cell
    for segment in app.lamp_grid.render_line(y):
        x -= len(segment.text)
        if x < 0:
            return segment.style.bgcolor.triplet
    return None


@async_test
async def test_playback_shows_lamps_and_seeks():
    time = Clock()
    damage = Message("recording.incomplete.torn", seconds=20.5)
    app = ReplayBoardApp(BoxContents(HEADER, NOTES, damage), 1.0, time.now)
    async with app.run_test(size=(80, 24)) as pilot:
        assert content(app, "title") == "0:00.00 of 0:20.50   x1   playing   direct-4x4, pond serve, 2026-01-31"
        assert colour_at(app, "b2") == perceived_colour([(0, 0, 0)])
        time.time = 2.0
        app.update_screen()
        assert colour_at(app, "b2") == perceived_colour([RED])
        assert content(app, "sensors").splitlines()[3].split() == [".", "#", ".", ".", ".", "#", ".", "."]
        assert content(app, "events").splitlines()[-2:] == [
            "  0:01.00  " + text(Message("recording.sensors_changed", changes="b2=1")),
            "  0:01.00  " + text(Message("recording.touch.down", cell="b2")),
        ]
        await press(app, pilot, "space", "right")
        assert "0:07.00 of 0:20.50   x1   paused" in content(app, "title")
        await press(app, pilot, "full_stop")
        assert text(BUS_OFF) in content(app, "sensors")
        await press(app, pilot, "left", "left", "left", "plus", "plus", "minus")
        assert "0:00.00 of 0:20.50   x2   paused" in content(app, "title")
        assert colour_at(app, "b2") == perceived_colour([(0, 0, 0)])
        await press(app, pilot, "end")
        assert colour_at(app, "d4") == perceived_colour([BLUE])
        assert content(app, "lacks") == text(damage)
        for name in ("title", "sensors", "events", "lacks", "keys"):
            region = app.query_one(f"#{name}").region
            assert region.right <= 80, name
            assert region.height > 0, name
            assert region.bottom <= 24, name
        await press(app, pilot, "home")
        assert app.playback.position_seconds == 0.0
        await press(app, pilot, "q")
    assert app._exit
    app.update_screen()  # a timer may fire once more after the screen closed


@async_test
async def test_raw_values_fit_and_board_size_changes():
    notes = (
        BoardOpened(5, 1, 2, 0.0),
        Sample((-1,) + (0,) * 24, 0.0, tuple(range(1000, 1025))),
        FrameShown(lit_frame("e5", RED, 5, (BLUE, BLUE, RED, RED)), 0.0),
        BoardOpened(3, 1, 0, 9.0, key_lamps=2),
    )
    app = ReplayBoardApp(BoxContents(HEADER, notes, None), 1.0, Clock().now)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        sensors = content(app, "sensors")
        assert sensors.splitlines()[5].startswith("= . . . .")
        assert "1000 1001 1002 1003 1004" in sensors
        assert colour_at(app, "e5") == perceived_colour([RED])
        assert app.lamps_beside.render_line(0).text.strip() == "■■"
        assert app.query_one("#keys").region.bottom <= 24
        assert app.query_one("#events").region.height >= 3
        await press(app, pilot, "end")
        assert app.lamp_grid.board_size == 3
        assert (app.lamps_beside.render_line(0).text.strip(), app.lamps_beside.region.height) == ("■■", 1)


@pytest.mark.slow
@async_test
async def test_long_score_strips_are_cut():
    app = ReplayBoardApp(BoxContents(HEADER, (BoardOpened(4, 1, 60, 0.0),), None), 1.0, Clock().now)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.lamps_beside.region.height == 2
        assert [app.lamps_beside.render_line(line).text.strip("■ ") for line in (0, 1)] == ["", ""]
        assert app.lamps_beside.render_line(1).text.startswith("  ■")  # dark's strip, not the rest of light's
        assert app.query_one("#sensors").region.width == 52


def test_format_time():
    assert [format_time(seconds) for seconds in (0.0, 0.07, 59.999, 60.0, 3661.25)] == [
        "0:00.00", "0:00.07", "0:59.99", "1:00.00", "61:01.25",
    ]  # fmt: skip
